"""In which order steps run: what frees memory comes first."""

from __future__ import annotations

from collections import defaultdict

from .program import Program, Slot, Step, is_view, part
from .traced import Draw, Question


def asking_first(program: Program) -> Program:
    """Ask before anything else is done, as another program may have to run: no write is undone."""
    needed: set[Slot] = set()
    first, drawn = set(), False
    for step in reversed(program.steps):
        draws = isinstance(step.op, Draw)  # and those before it, which keep their order
        if step.out in needed or isinstance(step.op, Question) or (draws and drawn):
            drawn |= draws
            needed.update(step.slots)
            first.add(step.out)
    return program._replace(steps=sorted(program.steps, key=lambda step: step.out not in first))


def freeing_first(program: Program) -> Program:
    """Let a step run as soon as it can, if it frees more memory than it fills.

    It does if it is the last to read an array that is bigger than its output. The others after it
    can have that memory.
    """
    return program._replace(steps=_Schedule(program).steps())


class _Schedule:
    """The order of a program's steps while it is found. Steps go by their numbers."""

    def __init__(self, program: Program):
        self.given = program.steps
        self.maker = {step.out: i for i, step in enumerate(self.given)}
        self.base: dict[Slot, Slot] = {}  # of a view, the slot whose memory it looks at
        for step in self.given:
            if _looks(step):
                x = step.slots[0]
                self.base[step.out] = self.base.get(x, x)
        self.reads = [self._arrays(step) for step in self.given]
        self.readers: dict[Slot, list[int]] = defaultdict(list)
        for i, step in enumerate(self.given):
            if not _looks(step):
                for x in self.reads[i]:
                    self.readers[x].append(i)
        self.left = {x: len(readers) for x, readers in self.readers.items()}
        leaving = {self.base.get(r, r) for r in program.results if isinstance(r, Slot)}
        self.left.update(dict.fromkeys(leaving, -1))  # nobody frees these
        self.done: dict[int, None] = {}

    def _arrays(self, step: Step) -> list[Slot]:
        """The arrays that a step reads and another made, not the views of them."""
        found = dict.fromkeys(self.base.get(x, x) for x in step.slots)
        return [x for x in found if x in self.maker]

    def steps(self) -> list[Step]:
        """All steps, in the order in which they are to run."""
        for i in range(len(self.given)):
            self._run(i)
        return [self.given[i] for i in self.done]

    def _run(self, first: int) -> None:
        """Note a step, the views that it needs, and then those that free memory."""
        waiting = [first]
        while waiting:
            i = waiting.pop()
            if i in self.done:
                continue
            for x in self.given[i].slots:
                self._view(x)
            self.done[i] = None
            out = self.given[i].out
            if _looks(self.given[i]):
                continue
            for x in self.reads[i]:
                self.left[x] -= 1
            last = [j for x in self.reads[i] if self.left[x] == 1 for j in self.readers[x]]
            waiting += [j for j in (*last, *self.readers[out]) if self._frees(j)]

    def _view(self, x: Slot) -> None:
        """Note the views that end in this one, from the first of them."""
        chain = []
        while x in self.base and self.maker[x] not in self.done:
            chain.append(self.maker[x])
            x = self.given[chain[-1]].slots[0]
        self.done.update(dict.fromkeys(reversed(chain)))

    def _frees(self, i: int) -> bool:
        """Whether a step can run, and frees more than it fills."""
        step = self.given[i]
        if i in self.done or isinstance(step.op, Draw):
            return False
        ready = all(self.maker[x] in self.done for x in self.reads[i])
        return ready and any(
            self.left[x] == 1 and x.nbytes > step.out.nbytes for x in self.reads[i]
        )


def _looks(step: Step) -> bool:
    """Whether a step makes no array of its own."""
    return is_view(step) or step.op is part
