"""Exercises in which the student draws a graph: names its arrows.

What is right is read from a run of the program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minigrad import Tensor
from minigrad.watch import watch

from ..picture import name_values
from .exercise import Exercise, kind, listed
from .note import Note

Arrow = tuple[str, str]
_FORM = 'An arrow is a pair of names, first the one that is read: `("a", "s")`.'


@dataclass(frozen=True, kw_only=True)
class GraphExercise(Exercise):
    """Name the arrows of a program's graph as pairs (read, made), with the names of the picture.

    Each line of the program must be one op, and the last is returned; unless it has a name, it is
    called like the program. The arrows are those of a run, every input 1.

    >>> def line(a, b, c):
    ...     p = a * b
    ...     return p + c
    >>> draw = GraphExercise("arrows", program=line, hints=("", "", ""), solution="", why="")
    >>> draw.judge(line, [("a", "p"), ("b", "p"), ("p", "line"), ("a", "line")])
    Not yet: there is no arrow from `a` to `line`.
    `a` does reach `line`, but through other values. Draw the arrows on that way, one by one.
    """

    program: Callable[..., Any]

    def _judge(self, *answer: Any) -> Note:
        """Compare the arrows with those of a run of the program."""
        if len(answer) != 2 or not callable(answer[0]):
            title = "Hand over the program and its arrows, in this order."
            return Note("todo", title, text=(f"What came was {', '.join(map(kind, answer))}.",))
        right = arrows_of(self.program)
        try:
            same = arrows_of(answer[0]) == right
        except Exception as error:
            return self.stopped(answer[0], error)
        if not same:
            text = "The arrows are to be those of the program as it came."
            return Note("wrong", "Not yet: the program was changed.", text=(text,))
        note = _misread(answer[1], right)
        if note is not None:
            return note
        given = [(read, made) for read, made in answer[1]]
        wrong = [arrow for arrow in given if arrow not in right]
        if len(wrong) == len(given) and all((b, a) in right for a, b in given):
            text = "An arrow starts at the value that is read and ends at the one that is made."
            return Note("wrong", "Not yet: the arrows point the wrong way.", text=(text,))
        if wrong:
            title = "Not yet: there is no arrow from `{}` to `{}`.".format(*wrong[0])
            return Note("wrong", title, text=(_why_not(*wrong[0], right),))
        missing = [made for read, made in right if (read, made) not in given]
        if missing:
            title = f"Not yet: `{missing[0]}` is made from something that has no arrow to it."
            return Note("wrong", title, text=("All the arrows that you drew are right.",))
        return Note("right", f"Right: {len(right)} arrows, and below is what they draw.")

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Arrows the wrong way, one that is missing, and one too many."""
        right = arrows_of(self.program)
        first, last = right[0][0], right[-1][1]
        answers = {
            "point the wrong way": [(made, read) for read, made in right],
            "is made from something that has no arrow to it": right[:-1],
            f"there is no arrow from `{last}` to `{first}`": [*right, (last, first)],
        }
        return [(told, (self.program, arrows)) for told, arrows in answers.items()]

    def judge_solution(self) -> Note:
        """The judgement on the arrows of the solution."""
        return self.judge(self.program, self.defined_by(self.solution))


def arrows_of(program: Callable) -> list[Arrow]:
    """The arrows of a program's graph, from a run with every input 1.

    >>> def product(a, b):
    ...     return a * b
    >>> arrows_of(product)
    [('a', 'product'), ('b', 'product')]
    """
    run = watch(program, *(Tensor(1.0) for _ in inspect.signature(program).parameters))
    names = name_values(run)
    made = [value for value in run.values if value.op is not None]
    pairs = [(names[x.id], names[z.id]) for z in made for _, x in z.inputs if x.kind != "constant"]
    return list(dict.fromkeys(pairs))


def _misread(arrows: Any, right: list[Arrow]) -> Note | None:
    """What is wrong with the form of the answer, if anything."""
    if arrows is ... or arrows is None:
        return Note("todo", "Not done yet: there are no arrows.", text=(_FORM,))
    if not isinstance(arrows, list | tuple | set):
        return Note("wrong", f"Not yet: the arrows are {kind(arrows)}, not a list.", text=(_FORM,))
    if ... in arrows:
        return Note("todo", "Not done yet: the `...` waits for the other arrows.")
    names = dict.fromkeys(name for arrow in right for name in arrow)
    for arrow in arrows:
        if not isinstance(arrow, tuple | list) or len(arrow) != 2:
            return Note("wrong", f"Not yet: `{arrow!r}` is not an arrow.", text=(_FORM,))
        for name in arrow:
            if name not in names:
                text = f"The values are {listed(names)}. An op is not a value."
                if name in ("return", "out"):
                    text = f"What is returned is called `{right[-1][1]}` here."
                return Note("wrong", f"Not yet: there is no value `{name}`.", text=(text,))
    return None


def _why_not(a: str, b: str, right: list[Arrow]) -> str:
    """Why there is no arrow from a to b."""
    if (b, a) in right:
        return f"It is the other way round: `{a}` is made from `{b}`."
    if b not in [made for _, made in right]:
        return f"`{b}` is an input: it comes from outside, so no arrow ends there."
    if _leads(a, b, right):
        return (
            f"`{a}` does reach `{b}`, but through other values. "
            "Draw the arrows on that way, one by one."
        )
    return (
        f"The line that makes `{b}` does not read `{a}`. That one line stands below another "
        "makes no arrow."
    )


def _leads(a: str, b: str, arrows: list[Arrow]) -> bool:
    """Whether a way along the arrows leads from a to b."""
    return any(x == a and (y == b or _leads(y, b, arrows)) for x, y in arrows)
