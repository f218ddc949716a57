"""A program: the numpy calls that a function made, as steps on named slots.

    step = Step(np.multiply, (x, y), z)      # z = np.multiply(x, y)

A slot stands for a value: it knows the shape and the dtype, and not the numbers, unless they are a
constant. Each step fills one slot, and no slot is filled twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import prod as product
from typing import Any, NamedTuple

import numpy as np

from ..frames import Line

_NO_LINES: frozenset[Line] = frozenset()  # one for all: each new one takes 216 bytes


@lru_cache(maxsize=1024)
def _one(shape: tuple[int, ...]) -> tuple[int, ...]:
    """One tuple for all shapes that are equal: a program has thousands."""
    return shape


class Slot:
    """A value of a program: its shape and dtype, and, of a constant, the value."""

    __slots__ = ("also", "dtype", "line", "name", "of", "order", "shape", "value")

    def __init__(self, like: Any, name: str | None = None, value: Any = None):
        self.shape, self.dtype = _one(np.shape(like)), np.dtype(getattr(like, "dtype", object))
        self.order = _order(like)
        self.value = value
        self.name = name  # the user's own, where there is one
        self.line: Line | None = None  # of the user's program, that made it
        self.of: Slot | None = None  # this is the gradient of that slot
        self.also = _NO_LINES  # of the lines whose gradients a pass has joined to this one

    def copy(self) -> Slot:
        """Another slot, alike."""
        twin = object.__new__(Slot)
        twin.shape, twin.dtype, twin.order = self.shape, self.dtype, self.order
        twin.value = self.value
        twin.name, twin.line, twin.of, twin.also = self.name, self.line, self.of, self.also
        return twin

    @property
    def gradient_lines(self) -> frozenset[Line]:
        """The lines of the user's program of whose gradients this is one."""
        return self.also if self.of is None or self.line is None else self.also | {self.line}

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: product(self.shape))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def __repr__(self) -> str:
        return f"{self.name or 'slot'}: {self.dtype}{list(self.shape)}"


def _order(x: Any) -> tuple[int, ...] | None:
    """The order of the axes in memory, if it is another than their own: images lie so."""
    if not isinstance(x, np.ndarray) or x.ndim < 3 or x.flags.c_contiguous:
        return None
    order = tuple(int(i) for i in np.argsort([-step for step in x.strides], kind="stable"))
    return order if x.transpose(order).flags.c_contiguous else None


class Step(NamedTuple):
    """out = op(*args, **named). Slots stand in args, or in lists and tuples there."""

    op: Callable
    args: tuple
    out: Slot
    named: dict[str, Any] = {}  # noqa: RUF012  # nobody writes into it

    @property
    def slots(self) -> list[Slot]:
        """The slots that the step reads."""
        found = [x for x in self.args if type(x) is Slot]
        if len(found) < len(self.args) or self.named:
            return slots_in((self.args, self.named))
        return found

    def with_slots(self, change: Callable[[Slot], Slot]) -> Step:
        """The same step on other slots."""
        args = [change(x) if type(x) is Slot else map_slots(change, x) for x in self.args]
        named = map_slots(change, self.named) if self.named else self.named
        return Step(self.op, tuple(args), self.out, named)


class Program(NamedTuple):
    """Steps from inputs to outputs. ``writes`` pair Parameters, which are inputs, and values."""

    name: str
    inputs: list[Slot]
    steps: list[Step]
    outputs: list[Any]
    writes: list[tuple[Slot, Any]]

    @property
    def results(self) -> list[Any]:
        """The outputs, and what is written."""
        return [*self.outputs, *(value for _, value in self.writes)]

    def with_steps(self, steps: list[Step], instead: dict[Slot, Slot]) -> Program:
        """The program with other steps, and what it returns with these slots instead of those."""
        outputs, *values = map_slots(
            lambda x: instead.get(x, x), [self.outputs, *(value for _, value in self.writes)]
        )
        parameters = [parameter for parameter, _ in self.writes]
        writes = list(zip(parameters, values, strict=True))
        return self._replace(steps=steps, outputs=outputs, writes=writes)

    @property
    def source(self) -> str:
        """The program as Python that needs nothing but numpy, to be read."""
        from .readable import readable

        return readable(self)[0]

    @property
    def fast_source(self) -> str:
        """The program as it runs: buffers are kept, big arrays done in blocks."""
        from .fast import fast

        return fast(self)[0]

    def __str__(self) -> str:
        from .listing import listing

        return listing(self)


def slots_in(x: Any) -> list[Slot]:
    """The slots in nested tuples, lists, dicts and slices."""
    if isinstance(x, Slot):
        return [x]
    if isinstance(x, tuple | list):
        parts: Iterable = x
    elif isinstance(x, dict):
        parts = x.values()
    elif isinstance(x, slice):
        parts = (x.start, x.stop, x.step)
    else:
        return []
    return [slot for part in parts for slot in slots_in(part)]


def map_slots(change: Callable[[Slot], Any], x: Any) -> Any:
    """x with each slot in it changed."""
    if isinstance(x, Slot):
        return change(x)
    if isinstance(x, tuple | list):
        return type(x)(map_slots(change, v) for v in x)
    if isinstance(x, dict):
        return {k: map_slots(change, v) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(*(map_slots(change, v) for v in (x.start, x.stop, x.step)))
    return x


def constant(value: Any, like: Any) -> Slot:
    """A slot for a number, in the dtype of another slot."""
    value = np.asarray(value, like.dtype)
    return Slot(value, value=value)


# ------------------------------------------------------------------ the steps that are not ufuncs
# Their static arguments have one form: axes as a tuple counted from 0, shapes in full.
def sum(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The sum over axes."""
    return REDUCE[sum].reduce(x, axes, keepdims=keepdims)


def max(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The largest entry along axes."""
    return REDUCE[max].reduce(x, axes, keepdims=keepdims)


def min(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The smallest entry along axes."""
    return REDUCE[min].reduce(x, axes, keepdims=keepdims)


def prod(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The product over axes."""
    return REDUCE[prod].reduce(x, axes, keepdims=keepdims)


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    """x in another shape."""
    return x.reshape(shape)


def transpose(x: Any, axes: tuple[int, ...]) -> Any:
    """x with its axes in this order."""
    return x.transpose(axes)


def in_order(x: Any) -> Any:
    """x with its axes in their order in memory."""
    return np.copy(x, order="C")


def getitem(x: Any, *index: Any) -> Any:
    """Entries of x."""
    return x[index]


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape."""
    return np.broadcast_to(x, shape)


def astype(x: Any, dtype: np.dtype) -> Any:
    """x in another dtype."""
    return x.astype(dtype)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y."""
    return np.where(condition, x, y)


def put(x: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros with x at an index."""
    out = np.zeros(shape, x.dtype)
    out[index] = x
    return out


def add_at(x: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros with x added at an index, where a place may come more than once."""
    out = np.zeros(shape, x.dtype)
    np.add.at(out, index, x)
    return out


def assign(x: Any, value: Any, index: Any) -> Any:
    """x with a value at an index."""
    out = np.array(x)
    out[index] = value
    return out


def part(x: Any, i: int) -> Any:
    """One of the values that a step made at once."""
    return x[i]


REDUCE: dict[Callable, np.ufunc] = {
    sum: np.add,
    max: np.maximum,
    min: np.minimum,
    prod: np.multiply,
}
windows = np.lib.stride_tricks.sliding_window_view
VIEWS = (reshape, transpose, getitem, broadcast_to, windows)


def is_view(step: Step) -> bool:
    """Whether a step looks at its input's memory and computes nothing."""
    if step.op is getitem:  # x[labels] copies
        index = step.args[1:]
        basic = all(i is None or i is Ellipsis or isinstance(i, int | slice) for i in index)
        number = step.out.ndim == 0 and not any(i is Ellipsis for i in index)  # a copy as well
        return basic and len(step.slots) == 1 and not number
    return step.op in VIEWS


def repeats(program: Program) -> set[Slot]:
    """The slots that are views with several entries in one place: nobody may write into one."""
    found: set[Slot] = set()
    for step in program.steps:
        if is_view(step) and (step.op in (broadcast_to, windows) or step.args[0] in found):
            found.add(step.out)
    return found


def is_elementwise(op: Callable) -> bool:
    """Whether each entry of the output comes from the entries at the same place."""
    return (isinstance(op, np.ufunc) and op.signature is None and op.nout == 1) or op in (
        where,
        astype,
    )
