"""A program as it runs: every step writes into a buffer that is kept between calls.

On big arrays, half of numpy's time goes into getting memory for results. So the text has two
parts: ``make`` gets the buffers, once, and ``run`` fills them. A buffer is used again when nobody
needs its value any more; what is returned is new at each call, and belongs to the caller.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from .blocks import BIG, Loop, Unit, axis_text, sums_columns, units_of
from .names import Names, method_text, static_text, tuple_text
from .passes import dead
from .program import (
    REDUCE,
    VIEWS,
    Program,
    Slot,
    Step,
    astype,
    broadcast_to,
    constant,
    getitem,
    in_order,
    is_elementwise,
    is_view,
    part,
    repeats,
    reshape,
    sum,
    transpose,
    where,
    windows,
)  # fmt: skip
from .rewriting import number, rewrite
from .schedule import asking_first, freeing_first
from .traced import Question, TraceError

MANY = 8  # a small matrix that goes into so many products is worth a copy in their order
WORTH = 16 * 1024  # bytes; what a function returned is let go of before the end
_FLOATS = (np.float32, np.float64)
_OWN_NAMES = {
    "copyto",
    "concatenate",
    "dot",
    "empty",
    "i",
    "j",
    "make",
    "np",
    "of_shape",
    "run",
    "vdot",
}


def fast(program: Program) -> tuple[str, Callable, list[Slot]]:
    """The text of a program as it runs, the function that runs it, and Parameters.

    The function takes the inputs, and for each of these Parameters an array for its new value,
    which may be the old one's. It returns a tuple.
    """
    writer = _Writer(freeing_first(asking_first(dots(program))))
    source = writer.source()
    exec(compile(source, f"<jit fast {program.name}>", "exec"), writer.space)
    make: Callable = writer.space["make"]
    idle: list[Callable] = []

    def run(*arrays):
        try:  # each call that runs at the same time has buffers of its own
            one = idle.pop()
        except IndexError:
            one = make()
        try:
            with np.errstate(all="ignore"):
                return one(*arrays)
        finally:
            idle.append(one)

    return source, run, [p for p, _ in writer.renewed.values()]


def of_shape(shape: tuple[int, ...], x: Any, name: str) -> Any:
    """x, if it has the shape that it had when it was recorded; else a TraceError."""
    if np.shape(x) == shape:
        return x
    raise TraceError(
        f"{name} gave shape {np.shape(x)}, but {shape} when jit recorded it: its shape depends on "
        "numbers, so do this outside of jit"
    )


def dots(program: Program) -> Program:
    """Write the sum of a product over all entries as one call of BLAS."""

    def rule(op, args, out, made):
        step = made(args[0]) if op is sum and out.ndim == 0 else None
        if step is None or step.op is not np.multiply or out.dtype not in _FLOATS:
            return None
        whole = all(isinstance(x, Slot) and x.shape == step.out.shape for x in step.args)
        return (np.vdot, *step.args) if whole and step.out.nbytes < 16 * BIG else None

    return dead(rewrite(program, rule))


class _Writer:
    """Writes one program. ``static`` are the values that lie where they lay at the last call."""

    def __init__(self, program: Program):
        self.program, self.units = program, units_of(program)
        self.inputs = set(program.inputs)
        ufuncs = {name for name, f in vars(np).items() if isinstance(f, np.ufunc)}
        self.names = Names(_OWN_NAMES | ufuncs | {f"{op.__name__}_reduce" for op in REDUCE})
        self.space: dict[str, Any] = {
            "np": np, "copyto": np.copyto, "concatenate": np.concatenate, "dot": np.dot,
            "empty": np.empty, "vdot": np.vdot,
        }  # fmt: skip
        self.setup: list[str] = []
        self.body: list[str] = []
        self.static: set[Slot] = set()
        self.new: set[Slot] = set()  # in arrays that were made for this call
        self.free: dict[Any, list[str]] = defaultdict(list)  # buffers, by length and dtype
        self.home: dict[Slot, tuple[Any, str]] = {}  # the buffer that holds a value now
        self.named: dict[Slot, list[str]] = {}  # all names that hold what a function returned
        self._numbers: dict[Any, str] = {}
        self._called: dict[Callable, str] = {}
        self._shaped: set[str] = set()
        self.base: dict[Slot, Slot] = {}  # of a view, whose memory it looks at
        self.strided = {s.out for s in self.program.steps if _order(s)}  # not contiguous
        self.lies: dict[Slot, tuple[int, ...]] = {}  # of all entries of a buffer: axes in memory
        self._find_views()
        roots = [self.root(r) for r in program.results if isinstance(r, Slot)]
        self.kept = set(roots)  # these leave the program
        self.last = self._last_uses()
        self.ends: dict[int, list[Slot]] = defaultdict(list)  # what each unit is the last to read
        for x, i in self.last.items():
            self.ends[i].append(x)
        self.arguments = [self.names(x) for x in program.inputs]
        self.renewed = {
            value: (p, self.names.fresh(f"new_{self.names(p)}"))
            for p, value in program.writes
            if isinstance(value, Slot) and (p.shape, p.dtype) == (value.shape, value.dtype)
        }

    # ------------------------------------------------------------------ whose memory is whose
    def _find_views(self) -> None:
        products = Counter(x for s in self.program.steps if s.op is np.matmul for x in s.slots)
        leaving = self._may_leave()
        for step in self.program.steps:
            if not is_view(step) and step.out not in leaving:
                order = _order(step) if _fills(step) else step.out.order
                self.lies[step.out] = order or tuple(range(step.out.ndim))
            x = step.args[0] if step.args else None
            if not is_view(step) or not isinstance(x, Slot) or x.value is not None:
                continue
            strided = x in self.strided or self.root(x) in self.inputs  # as the caller's may lie
            if step.op is transpose and products[step.out] >= MANY and step.out.nbytes < BIG:
                continue  # copied once: BLAS reads it faster in this order
            if step.op is reshape and x in self.strided:
                continue  # a copy
            self.base[step.out] = x
            if step.op is transpose and x in self.lies:
                self.lies[step.out] = tuple(step.args[1].index(a) for a in self.lies[x])
            elif step.op is reshape and x in self.lies:  # it was not strided
                self.lies[step.out] = tuple(range(step.out.ndim))
            in_order = self.lies.get(step.out) == tuple(range(step.out.ndim))
            if not in_order and (strided or not (step.op is reshape or _takes_rows(step))):
                self.strided.add(step.out)

    def _may_leave(self) -> set[Slot]:
        """The slots whose memory may be that of a result or a Parameter: new, and in order."""
        found = {r for r in self.program.results if isinstance(r, Slot)}
        found |= {value for _, value in self.program.writes if isinstance(value, Slot)}
        for step in reversed(self.program.steps):
            if step.out in found and is_view(step):
                found |= set(step.slots)
        return found

    def root(self, slot: Slot) -> Slot:
        """The slot whose memory this one looks at: itself, if it is no view."""
        while slot in self.base:
            slot = self.base[slot]
        return slot

    def _last_uses(self) -> dict[Slot, int]:
        """The unit that reads each root last. What a step may have made a view of lives as long."""
        last: dict[Slot, int] = {}
        for i, unit in enumerate(self.units):
            for step in unit.steps:
                for x in step.slots:
                    last[self.root(x)] = i
        for i, unit in reversed([*enumerate(self.units)]):
            for step in unit.steps:
                if not (_fills(step) or is_view(step)):
                    for x in step.slots:
                        root = self.root(x)
                        last[root] = max(last[root], last.get(self.root(step.out), i))
                        if self.root(step.out) in self.kept:
                            last[root] = len(self.units)
        return last

    # ------------------------------------------------------------------ names
    def function(self, name: str, value: Any) -> str:
        """A function, or an array, that the text knows under this name."""
        self.space[name] = value
        self.names.taken.add(name)
        return name

    def called(self, op: Any) -> str:
        """How the text calls the function of a step."""
        if isinstance(op, np.ufunc):
            return self.function(op.__name__, op)
        if op not in self._called:
            name = self.names.fresh(getattr(op, "__name__", "function"))
            self._called[op] = self.function(name, op)
        return self._called[op]

    def text(self, x: Any) -> str:
        """An argument as text; constants are known by name."""
        if not isinstance(x, Slot):
            return static_text(x, self.text)
        if x.value is not None and x not in self.names.of:
            key = (x.value.tobytes(), x.dtype) if x.ndim == 0 and x.dtype != object else None
            if key is None or key not in self._numbers:
                name = self.names.fresh(x.name or "constant")
                self.space[name] = x.value
                if key is not None:
                    self._numbers[key] = name
            self.names.of[x] = self._numbers[key] if key is not None else name
        return self.names(x)

    # ------------------------------------------------------------------ buffers
    def buffer(
        self, shape: tuple, dtype: Any, pool: dict, name: str, order: tuple | None = None
    ) -> tuple[str, Any, str]:
        """A kept array, from the pool if one is free: its name, its key, and its flat name."""
        key = int(np.prod(shape)), dtype
        if not pool[key]:
            pool[key].append(self.names.fresh(name))
            self.setup.append(f"{pool[key][-1]} = empty({key[0]}, np.{dtype})")
        flat = pool[key].pop()
        if len(shape) == 1:
            return flat, key, flat
        shaped = "_".join(
            [flat, "x".join(map(str, shape)), *(["by", *map(str, order)] if order else [])]
        )
        if shaped not in self._shaped:
            self._shaped.add(shaped)
            self.names.taken.add(shaped)
            self.setup.append(f"{shaped} = {flat}{_shaped(shape, order)}")
        return shaped, key, flat

    def store(
        self, out: Slot, i: int, into_parameter: bool = False, order: tuple | None = None
    ) -> None:
        """Decide where a value goes: into a buffer, a new array, or a Parameter's."""
        if out in self.renewed and into_parameter and self._is_free(self.renewed[out][0], i):
            self.names.of[out] = self.renewed[out][1]
            self.new.add(out)
        elif out in self.kept:
            self.new.add(out)
            self.body.append(f"{self.names(out)} = empty({out.shape}, np.{out.dtype})")
        else:
            self.names.of[out], key, flat = self.buffer(
                out.shape, out.dtype, self.free, "buffer", order
            )
            self.home[out] = key, flat
            self.static.add(out)

    def _is_free(self, parameter: Slot, i: int) -> bool:
        """Whether nobody needs the old value of a Parameter any more."""
        return self.last.get(parameter, -1) <= i and parameter not in self.kept

    def release(self, unit: Unit, i: int) -> None:
        """Give back the memory of what nobody reads after this unit."""
        unread = [s.out for s in unit.steps if self.root(s.out) not in self.last]
        for x in (*self.ends[i], *unread):
            if x in self.home:
                key, flat = self.home.pop(x)
                self.free[key].append(flat)
            elif x in self.named and x.nbytes >= WORTH and x not in self.kept:
                self.body.append(f"del {', '.join(self.named.pop(x))}")

    # ------------------------------------------------------------------ statements
    def source(self) -> str:
        """The whole text."""
        for i, unit in enumerate(self.units):
            if len(unit.steps) == 1:
                self.single(unit.steps[0], i)
            else:
                Loop(self, unit, i).write()
            self.release(unit, i)
        results = self.results()
        arguments = ", ".join([*self.arguments, *(name for _, name in self.renewed.values())])
        lines = ["def make():", *(f"    {line}" for line in self.setup)]
        lines += [f"    def run({arguments}):", *(f"        {line}" for line in self.body)]
        lines += [f"        return ({results}{',' * bool(results)})", "    return run"]
        return "\n".join(lines)

    def results(self) -> str:
        """What is returned: arrays that nobody else holds."""
        taken = repeats(self.program)
        texts: list[str] = []
        for x in self.program.results:
            text = self.text(x)
            if isinstance(x, Slot):
                root = self.root(x)
                own = root in self.new and not taken & {x, root}
                text = text if own or (not x.ndim and x.value is None) else f"np.array({text})"
                taken.add(root)
            texts.append(text)
        return ", ".join(texts)

    def single(self, step: Step, i: int) -> None:
        """A step by itself."""
        op, out = step.op, step.out
        if isinstance(op, Question):
            self.body.append(f"{self.called(op)}({self.text(step.args[0])})")
        elif op in (reshape, transpose) and out not in self.base and step.args[0].value is None:
            self.store(out, i)  # a copy
            shape = f".reshape({tuple_text(step.args[0].shape)})" if op is reshape else ""
            source = self.text(step.args[0])
            source = source if op is reshape else method_text(step, source, self.text)
            self.body.append(f"copyto({self.text(out)}{shape}, {source})")
        elif op in (*VIEWS, part):
            line = f"{self.names(out)} = {self._looked_at(step)}"
            still = is_view(step) and self.root(out) in self.static
            (self.setup if still else self.body).append(line)
            if still:
                self.static.add(out)
            elif self.root(out) in self.named:
                self.named[self.root(out)].append(self.names(out))
        elif out.ndim == 0 and op not in (where, astype) and _fills(step):
            given = [self.text(x) for x in step.args]
            self.body.append(f"{self.names(out)} = {self.call(step, given, '')}")
        elif _fills(step):
            given = [self.text(x) for x in self.operands(step)]  # before a buffer changes hands
            if is_elementwise(op) and op not in (where, astype):
                self._hand_over(step, i)
            over = is_elementwise(op) and op not in (where, astype)
            self.store(out, i, into_parameter=over, order=_order(step))
            self.body.append(self.call(step, given, self.text(out)))
        else:
            call = f"{self.called(op)}({', '.join(self._given(step))})"
            if (getattr(op, "__module__", "") or "").startswith("minigrad") and out.dtype != object:
                known = self.function("of_shape", of_shape)
                call = f"{known}({tuple_text(out.shape)}, {call}, {getattr(op, '__name__', '')!r})"
            self.body.append(f"{self.names(out)} = {call}")
            self.named[out] = [self.names(out)]

    def _given(self, step: Step) -> list[str]:
        given = [self.text(x) for x in step.args]
        return given + [f"{k}={static_text(v, self.text)}" for k, v in step.named.items()]

    def _looked_at(self, step: Step) -> str:
        x = self.text(step.args[0])
        if step.op is broadcast_to:
            return f"np.broadcast_to({x}, {tuple_text(step.args[1])})"
        if step.op is windows:
            return f"{self.called(windows)}({', '.join(self._given(step))})"
        return f"{x}[{step.args[1]}]" if step.op is part else method_text(step, x, self.text)

    def _hand_over(self, step: Step, i: int) -> None:
        """Let an elementwise step write over an input that nobody reads after it."""
        out, order = step.out, _order(step) or tuple(range(step.out.ndim))
        for x in step.slots:
            root = self.root(x)
            alike = (x.shape, x.dtype, self.lies.get(x)) == (out.shape, out.dtype, order)
            if alike and root in self.home and self.last[root] <= i:
                key, flat = self.home.pop(root)
                self.free[key].append(flat)
                return

    def operands(self, step: Step) -> tuple:
        """The arguments of a step, its numbers as arrays, which numpy takes faster."""
        arrays = step.slots
        if not is_elementwise(step.op) or step.op in (where, astype, np.power) or not arrays:
            return step.args
        like = arrays[0]
        if like.dtype.kind != "f":
            return step.args
        return tuple(
            constant(x, like) if not isinstance(x, Slot) and number(x) is not None else x
            for x in step.args
        )

    def call(self, step: Step, given: list[str], out: str) -> str:
        """The statement for one step that fills ``out``; without, an expression."""
        op, args = step.op, step.args
        if op is where:
            mask = given[0] if args[0].dtype == np.bool_ else f"({given[0]}).astype(bool)"
            return f"copyto({out}, {given[2]}); copyto({out}, {given[1]}, where={mask})"
        if op is in_order:
            return f"copyto({out}, {given[0]})"
        if op is astype:
            return f"copyto({out}, {given[0]}, casting='unsafe')"
        if op is np.vdot:
            return f"vdot({given[0]}, {given[1]})"
        if op in REDUCE:
            x, axes, keepdims = args
            if out and sums_columns(step):
                return f"dot({self.ones(x)}, {given[0]}, {out})"  # BLAS is quicker at it
            axis = "None" if len(axes) == x.ndim else axis_text(axes)
            name = self.function(f"{op.__name__}_reduce", REDUCE[op].reduce)
            return f"{name}({given[0]}, {axis}, None, {out or None}, {keepdims})"
        if op is np.matmul and all(x.ndim == 2 for x in args):
            return f"dot({given[0]}, {given[1]}, {out})"
        if op is np.concatenate:
            return f"concatenate({given[0]}, {given[1] if len(given) > 1 else 0}, {out})"
        keyword = "out=" if op in (np.maximum, np.minimum) else ""
        return f"{self.called(op)}({', '.join([*given, *([keyword + out] if out else [])])})"

    def ones(self, x: Slot, rows: int = 0) -> str:
        """A row of ones, as many as x has rows."""
        n = rows or x.shape[0]
        return self.function(f"ones_{n}_{x.dtype}", np.ones(n, x.dtype))


def _order(step: Step) -> tuple[int, ...] | None:
    """The order in memory of the axes of what a step fills, if it is not their own."""
    return step.out.order if is_elementwise(step.op) else None


def _shaped(shape: tuple[int, ...], order: tuple[int, ...] | None) -> str:
    """How a flat array gets a shape, with its axes in this order in memory."""
    if order is None:
        return f".reshape({tuple_text(shape)})"
    lengths, back = [shape[i] for i in order], [order.index(i) for i in range(len(order))]
    return f".reshape({tuple_text(tuple(lengths))}).transpose({tuple_text(tuple(back))})"


def _takes_rows(step: Step) -> bool:
    """Whether a view is one row of its input, or some in their order."""
    if step.op is not getitem or len(step.args) != 2:
        return False
    index = step.args[1]
    return type(index) is int or (isinstance(index, slice) and index.step in (None, 1))


def _fills(step: Step) -> bool:
    """Whether a step can write its value into a given array."""
    op = step.op
    known = is_elementwise(op) or op in (np.matmul, np.vdot, np.concatenate, in_order, *REDUCE)
    return known and not step.named and step.out.dtype != object
