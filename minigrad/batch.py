"""``vmap``: one run of a function for many samples.

Inside vmap a Tensor's array is a Batched: the values of all samples in one Tensor, along its axis
0, which from outside looks like the array of one sample. A forward function, being plain numpy,
cannot compute on it and fails; the op then comes here. Its batch rule (see ``rules/batch.py``) says
how the same op gets all samples at once, and the op runs again, on the whole.

So a gradient call inside vmap writes a tape of samples, and one around it sees ordinary ops only.
Each vmap has a level, higher than that of the vmap around it; an op is of the highest level among
its inputs.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Never

import numpy as np

from .containers import CONTAINERS, parts, rebuilt
from .errors import explain
from .parameter import VALUES, WEIGHTS, Parameter, layered
from .tape import TAPE, NestedTape, track, warn_of_unrecorded
from .tensor import WRITES, Tensor, unwrap, wrap

# The levels of the vmaps that run in this thread, and how many samples each has.
SIZES: ContextVar[Mapping[int, int]] = ContextVar("sizes", default=MappingProxyType({}))
_LEVELS = itertools.count(1)

Axes = int | None | Sequence[Any]


class Batched:
    """The values of all samples, in a Tensor whose axis 0 counts them. Shape is that of one."""

    __slots__ = ("level", "samples")

    __array_ufunc__ = None  # numpy refuses it, and so the op comes here

    def __init__(self, samples: Tensor, level: int):
        self.samples, self.level = samples, level

    shape = property(lambda self: self.samples.array.shape[1:])
    dtype = property(lambda self: self.samples.array.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)

    def __repr__(self) -> str:
        return f"samples of shape {self.shape}, {self.dtype}, inside vmap"

    # Whatever needs the numbers of one sample: an error that says so.
    def __eq__(self, other):
        raise _needs_one("a comparison")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = object.__hash__

    def __array_function__(self, function, types, args, kwargs):
        raise _needs_one(f"{function.__module__}.{function.__name__}")

    def __array__(self, dtype=None, copy=None):
        raise _needs_one("a numpy function")

    def __getattr__(self, name):
        raise AttributeError(str(_needs_one(f".{name}")))

    def __bool__(self):
        raise TypeError(
            "inside vmap a condition stands for all samples at once, and they may differ: choose "
            "with ops.where(condition, x, y) in place of if"
        )

    def item(self) -> Never:
        """Raise TypeError: each sample has a number of its own."""
        raise _needs_one("a Python number")

    def tolist(self) -> Never:
        """Raise TypeError: each sample has numbers of its own."""
        raise _needs_one("a list")


def _needs_one(what: str) -> TypeError:
    return TypeError(
        f"inside vmap a Tensor stands for all samples at once, and {what} needs the values of one: "
        "compute it with ops of minigrad, or outside vmap"
    )


# ------------------------------------------------------------------------------ one op, all samples
def in_batch(op: Any, arguments: tuple, error: Exception) -> Any:
    """The output of an op for all samples, if its inputs hold samples; else raise the error."""
    level = level_in(arguments)
    if not level:
        recorder = sys.modules.get("minigrad.graph.traced")
        if recorder is not None and recorder.is_traced(unwrap(arguments)):
            return recorder.in_one_step(op, arguments, error)
        if recorder is not None and isinstance(error, recorder.TraceError):
            raise error  # such as for x[:n]: then jit runs the function line by line
        raise explain(error, op, arguments) from error
    if level not in SIZES.get():
        raise RuntimeError(
            f"{op}: a Tensor that was made inside vmap is used when that vmap has ended: return it "
            "from the function; or, in a hook, call grad inside of vmap, as in vmap(grad(f))"
        ) from None
    from .rules.batch import rule_of

    held = [holds(x, level) for x in arguments]
    rule = rule_of(op, [n for n, h in zip(op.parameters, held, strict=True) if h])
    whole = tuple(_samples(x, level) if h else x for x, h in zip(arguments, held, strict=True))
    size = SIZES.get()[level]
    statics = (x for n, x in zip(op.parameters, whole, strict=True) if n not in op.arrays)
    try:
        if size and any(map(level_in, statics)):  # of another vmap: rules need them as arrays
            out = _one_by_one(op, whole, held, size)
        else:
            out = rule(op, whole, held, size)
    except Exception as failed:
        failed.add_note(f"In vmap: shapes of {op}'s inputs begin with the number of samples here.")
        raise
    several = type(out) is tuple
    arrays = tuple(Batched(y, level) for y in out) if several else Batched(out, level)
    # The Nodes of inputs without samples belong to a gradient call around this vmap, for which the
    # op on the whole was recorded.
    sources = op.sources(tuple(_with_node(x, level) for x in arguments))
    tape = TAPE.get()
    if tape is None or all(node is None for node in sources):
        if any(sources):
            warn_of_unrecorded(op)
        return tuple(map(wrap, arrays)) if several else wrap(arrays)
    tensors, nodes = track(arrays)
    tape.append((op, op.save(arguments, tensors), sources, nodes))
    return tensors


def _one_by_one(op: Any, whole: tuple, held: list[bool], size: int) -> Any:
    """The output of an op for all samples, computed for one after the other."""
    from .ops.joining import stack

    def one(x, i):
        if isinstance(x, Tensor):
            return x[i]
        return type(x)(one(v, i) for v in x) if type(x) in (tuple, list) else x

    outs = [
        op.function(*(one(x, i) if h else x for x, h in zip(whole, held, strict=True)))
        for i in range(size)
    ]
    several = type(outs[0]) is tuple
    return tuple(map(stack, zip(*outs, strict=True))) if several else stack(outs)


def level_in(x: Any) -> int:
    """The level of the innermost vmap whose samples x, or a part of it, holds; 0 for none."""
    return max((b.level for b in _batched_in(x)), default=0)


def untracked(x: Any) -> Any:
    """A Tensor of the same values that belongs to no gradient call, also not for all samples."""
    if not isinstance(x, Tensor):
        return x
    array = x.array
    if isinstance(array, Batched):
        return wrap(Batched(untracked(array.samples), array.level))
    return wrap(array)


def _batched_in(x: Any) -> Iterator[Batched]:
    """The Batched arrays among arguments: in Tensors, and in tuples of them."""
    if isinstance(x, Batched):
        yield x
    elif isinstance(x, Tensor):
        yield from _batched_in(x.array)
    elif type(x) in (tuple, list):
        for v in x:
            yield from _batched_in(v)


def holds(x: Any, level: int) -> bool:
    """Whether x, or a part of it, holds samples of the vmap of this level."""
    return any(b.level == level for b in _batched_in(x))


def _samples(x, level):
    """The Tensor of all samples in place of each Batched of this level."""
    if isinstance(x, Tensor) and isinstance(x.array, Batched):
        x = x.array
    if isinstance(x, Batched):
        return x.samples if x.level == level else x
    return type(x)(_samples(v, level) for v in x) if type(x) in (tuple, list) else x


def _with_node(x, level):
    """x, without its Node if it holds no samples of this level."""
    if type(x) in (tuple, list):
        return tuple(_with_node(v, level) for v in x)
    return x if holds(x, level) else unwrap(x)


def answer(x: Tensor, question: Callable[[np.ndarray], Any]) -> bool:
    """What the numbers of x answer, yes or no; inside vmap those of all samples together.

    A program of jit asks again each time that it runs, and is another one for the other answer.
    """
    array = _of_all(x)
    return array.ask(question) if hasattr(array, "ask") else bool(question(array))


def every_value(x: Tensor) -> np.ndarray:
    """The values of x, inside vmap those of all samples, to be told: see ``answer`` to decide."""
    array = _of_all(x)
    return getattr(array, "value", array)  # while jit records, those of this run


def _of_all(x: Tensor) -> Any:
    return _of_all(x.array.samples) if isinstance(x.array, Batched) else x.array


# ------------------------------------------------------------------------- going in, and coming out
class NoTape(NestedTape):
    """Inside vmap with no gradient call around it: gradients are computed on Tensors there too."""

    __slots__ = ()

    def take_over(self, inner: Any) -> None:
        """Nobody reads it."""


@contextmanager
def level_of(size: int) -> Iterator[int]:
    """While a vmap over this many samples runs: its level."""
    level = next(_LEVELS)
    sizes = SIZES.set({**SIZES.get(), level: size})
    tape = TAPE.set(TAPE.get() if TAPE.get() is not None else NoTape())
    writes: list = []
    token = WRITES.set(writes)
    try:
        yield level
    finally:
        WRITES.reset(token)
        TAPE.reset(tape)
        SIZES.reset(sizes)
        _undo(writes, level)


def _undo(writes: list, level: int) -> None:
    """Take back the writes of samples into Tensors that are still there; TypeError if any was."""
    found = [(there(), old) for there, old in writes]
    outside = [
        (x, old) for x, old in found if x is not None and holds(x, level) and not holds(old, level)
    ]
    for x, old in outside:
        x.array, x.node = old.array, old.node
    if outside and sys.exc_info()[0] is None:
        raise TypeError(
            "a Tensor from outside was written inside vmap, where each sample may write something "
            "else (it is as it was): return the value from the function, and write it outside"
        )


@contextmanager
def values_of(parameters: Mapping[Parameter, Tensor]) -> Iterator[None]:
    """While these Parameters have other values. Gradients flow to where the values came from."""
    values = VALUES.set(layered({p: x.array for p, x in parameters.items()}))
    weights = WEIGHTS.set({p: n for p, n in WEIGHTS.get().items() if p not in parameters})
    try:
        yield
    finally:
        WEIGHTS.reset(weights)
        VALUES.reset(values)


def spread(x: Any, size: int) -> Tensor:
    """A Tensor of as many copies of x as there are samples, along axis 0."""
    x = x if isinstance(x, Tensor) else wrap(np.asarray(x))
    copies: Any = np.broadcast_to(x, (size, *x.shape))  # numpy hands it to our op
    return copies


def with_samples(x: Tensor) -> Tensor:
    """x, or, in the innermost vmap, x with a copy for each sample, if it holds none.

    What a gradient call inside vmap differentiates needs it: each sample has a gradient of its own.
    """
    sizes = SIZES.get()
    level = max(sizes, default=0)
    if not level or (isinstance(x.array, Batched) and x.array.level == level):
        return x
    return wrap(Batched(spread(x, sizes[level]), level))


# --------------------------------------------------------------------------------------------- vmap
def vmap(fn: Callable, in_axes: Axes = 0, out_axes: Axes = 0) -> Callable:
    """A function that computes fn for many samples in one run, without a loop.

    ``in_axes`` says along which axis the samples of an argument lie: an int for all arguments, or a
    tuple with an int, None (the same value for every sample) or a nested tuple for each.
    ``out_axes`` says, in the same way, where the axis of samples goes in the outputs; None keeps
    one that is the same for all. fn sees the shapes of one sample. Random numbers are drawn once,
    the same for every sample. A CellList of n Cells alike is an ensemble: sample i goes through
    Cell i.

    Raises RuntimeError for axes that do not fit, or different numbers of samples; TypeError for an
    op without a batch rule, or code that needs the numbers of one sample, such as ``if x > 0``.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> dot = lambda x, y: (x * y).sum()
    >>> rows, y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])
    >>> print(ms.vmap(dot, in_axes=(0, None))(rows, y))
    [21. 43.]
    >>> print(ms.vmap(ms.grad(dot), in_axes=(0, None))(rows, y))
    [[ 1. 10.]
     [ 1. 10.]]
    """
    cells: Any = fn
    ensemble = list(cells) if type(fn).__name__ == "CellList" else None
    if ensemble is None and not callable(fn):
        raise RuntimeError(f"vmap needs a function, a Cell or a CellList, but got {fn!r}")

    def vmapped(*args):
        axes = _axes_for(in_axes, args, "in_axes", "arguments")
        lengths = _lengths(args, axes)
        if ensemble is not None:
            lengths.append(len(ensemble))
        if not lengths:
            raise RuntimeError(
                f"vmap: in_axes={in_axes!r} maps no argument, so there is nothing to run over; "
                "give the axis of the samples, such as 0"
            )
        if len(set(lengths)) > 1:
            raise RuntimeError(
                "vmap: all arguments must hold equally many samples along their axes, but they "
                f"hold {', '.join(map(str, lengths))} (in_axes={in_axes!r})"
            )
        alone = TAPE.get() is None  # no gradient call around it: what comes out belongs to none
        with level_of(lengths[0]) as level:
            samples = _each(args, axes, lambda x, axis: _enter(x, axis, level))
            if ensemble is None:
                out = fn(*samples)
            else:
                with values_of(_stacked(ensemble, level)):
                    out = ensemble[0](*samples)
            whole = _each(out, _out_axes(out_axes, out), lambda x, axis: _leave(x, axis, level))
            del out, samples  # what was made inside, and written, is gone now
            return _each(whole, _out_axes(0, whole), lambda x, _: untracked(x)) if alone else whole

    return vmapped


def _stacked(cells, level) -> dict[Parameter, Tensor]:
    """The Parameters of the first Cell, with those of all the Cells as samples."""
    from .op import join

    rows = [list(cell.get_parameters()) for cell in cells]
    if any([p.shape for p in row] != [p.shape for p in rows[0]] for row in rows):
        raise RuntimeError("vmap: the Cells of a CellList must be alike, down to the shapes")
    columns = map(list, zip(*rows, strict=True))
    return {column[0]: wrap(Batched(join(column), level)) for column in columns}


def _axes_for(axes: Axes, values: Sequence, name: str, what: str) -> list:
    """One axis for each value; an int stands for all, in nested values too."""
    if isinstance(axes, tuple | list) and len(axes) != len(values):
        raise RuntimeError(
            f"vmap: {name} has {len(axes)} entries, but there are {len(values)} {what}: give one "
            "axis for each, or one int for all"
        )
    each = axes if isinstance(axes, tuple | list) else [axes] * len(values)
    return [
        _axes_for(a, v, name, what) if isinstance(v, tuple | list) else _axis(a, name)
        for a, v in zip(each, values, strict=True)
    ]


def _for_all(axis: int | None, value: Any) -> Any:
    """The same axis for everything in a value."""
    return [_for_all(axis, v) for v in value] if isinstance(value, tuple | list) else axis


def _axis(axis: Any, name: str) -> int | None:
    if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
        raise RuntimeError(f"vmap: the entries of {name} are ints or None, but got {axis!r}")
    return axis


def _out_axes(axes: Axes, out: Any) -> Any:
    """One axis for each output; a dict has one for all that is in it."""
    if isinstance(out, tuple | list):
        return _axes_for(axes, out, "out_axes", "outputs")
    if isinstance(axes, tuple | list):
        (axes,) = _axes_for(axes, (None,), "out_axes", "output")
    return _axis(axes, "out_axes")


def _each(values: Any, axes: Any, function: Callable) -> Any:
    """The function of each value and its axis, in nested tuples, lists and dicts."""
    if isinstance(values, CONTAINERS):
        if isinstance(values, dict):  # has one axis for all that is in it
            axes = [_for_all(axes, v) for v in values.values()]
        pairs = zip(parts(values), axes, strict=True)
        return rebuilt(values, [_each(v, axis, function) for (_, v), axis in pairs])
    return function(values, axes)


def _lengths(values: tuple, axes: list) -> list[int]:
    """How many samples each value holds that is mapped."""
    found: list[int] = []

    def note(x, axis):
        if axis is None or not isinstance(x, Tensor | np.ndarray):
            return
        if not -x.ndim <= axis < x.ndim:
            raise RuntimeError(
                f"vmap: axis {axis} of in_axes is out of range for an argument of shape {x.shape}; "
                "None passes the same value to every sample"
            )
        found.append(x.shape[axis])

    _each(values, axes, note)
    return found


def _enter(x, axis, level):
    if axis is None or not isinstance(x, Tensor | np.ndarray):
        return x
    return wrap(Batched(_moved(Tensor(x), axis, 0), level))


def _leave(x, axis, level):
    """An output with its samples along the axis asked for."""
    if x is None:
        return None
    if not isinstance(x, Tensor | bool | int | float | np.ndarray | np.generic):
        raise TypeError(f"vmap: the function returned a {type(x).__name__}, not a Tensor")
    x = x if isinstance(x, Tensor) else Tensor(x)
    held = isinstance(x.array, Batched) and x.array.level == level
    if axis is None and held:
        raise RuntimeError(
            "vmap: out_axes is None for an output that differs between samples; give the axis "
            "where they go, such as 0"
        )
    if axis is None:
        return x
    whole = x.array.samples if held else spread(x, SIZES.get()[level])
    if not -whole.ndim <= axis < whole.ndim:
        raise RuntimeError(
            f"vmap: axis {axis} of out_axes is out of range for an output of shape {whole.shape}"
        )
    return _moved(whole, 0, axis)


def _moved(x: Tensor, source: int, to: int) -> Tensor:
    """x with one axis moved to another place."""
    order = list(range(x.ndim))
    order.insert(to % x.ndim, order.pop(source))
    if order == sorted(order):
        return x
    turned: Any = np.transpose(x, order)  # numpy hands it to our op
    return turned
