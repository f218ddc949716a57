"""An array that writes down what numpy does with it.

A ``Traced`` stands in the place of an array inside a Tensor, below the tape: the forward functions
of ops and the rules of the sweep are plain numpy, so both are recorded, and neither knows. Numpy
hands each of its calls to the Traced, which computes as usual and notes a step.

What needs the numbers themselves, such as ``if``, cannot be recorded and raises ``TraceError``. If
that was in a function of minigrad's own, which may do what it likes with arrays, the whole of that
function becomes one step (``as_one_step``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..errors import explain
from ..frames import is_internal
from ..random import own_generator
from ..rules.index import picks_once
from ..tape import TAPE, track, warn_of_unrecorded, with_arrays
from ..tensor import Tensor, unwrap, wrap
from . import program
from .program import Slot

if TYPE_CHECKING:
    from .recording import Recording

# The recording that runs in this thread, if one does.
RECORDING: ContextVar[Recording | None] = ContextVar("recording", default=None)


class TraceError(TypeError):
    """Something that cannot be recorded."""


class ShapeError(TraceError):
    """A shape that depends on numbers: it cannot be part of a program in any way."""


def refuse_state(what: str) -> Never:
    """Raise TraceError for what is to be kept until the next call."""
    raise TraceError(
        f"{what}, and jit keeps only what Parameters become: make it a "
        "Parameter(x, requires_grad=False), or return the new value"
    )


class Answered(Exception):  # no error: another program is to run
    """The numbers answer a question in another way than when the program was recorded."""


class NoAttribute(TraceError, AttributeError):
    """An array has the attribute, but not a value that is recorded."""


class _Flags(NamedTuple):
    c_contiguous: bool
    writeable: bool = True
    owndata: bool = True


class Traced(NDArrayOperatorsMixin):
    """Stands for an array while a function is recorded: a slot, and the value of this run."""

    __slots__ = ("slot", "value")

    base = None

    def __init__(self, slot: Slot, value: Any):
        self.slot, self.value = slot, value

    shape = property(lambda self: self.slot.shape)
    dtype = property(lambda self: self.slot.dtype)
    ndim = property(lambda self: self.slot.ndim)
    size = property(lambda self: self.slot.size)
    nbytes = property(lambda self: self.slot.nbytes)
    itemsize = property(lambda self: self.slot.dtype.itemsize)
    flags = property(lambda self: _Flags(self.value.flags.c_contiguous))
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))  # numpy's name for it

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<a value of shape {self.shape}, {self.dtype}, that jit records>"

    def __str__(self) -> str:
        refuse("a text, as print shows it")

    # ------------------------------------------------------------------ numpy's two protocols
    def __array_ufunc__(self, ufunc, method, *args, **named):
        if any(isinstance(x, Tensor) for x in args):
            return NotImplemented  # its op comes here again, with what is in it
        out = named.pop("out", None)
        if method == "at":
            refuse(f"the target of numpy.{ufunc.__name__}.at, which writes into an array")
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        if method == "reduce" and ufunc in _REDUCTIONS:
            result = _REDUCTIONS[ufunc](*args, **{"axis": 0, **named})
            if result is not NotImplemented:
                return _into(out, result)
        return _into(out, emit(function, *args, **named))

    def __array_function__(self, function, types, args, named):
        if any(issubclass(x, Tensor) for x in types):
            return NotImplemented
        own = _OWN.get(function)
        if own is not None and (result := own(*args, **named)) is not NotImplemented:
            return result
        if function in _SHAPED_BY_NUMBERS:
            raise ShapeError(_sentence(f"the input of {function.__name__}, {_BY_NUMBERS}"))
        if function in _WRITING:
            refuse(f"the target of numpy.{function.__name__}, which writes into an array")
        return _into(named.pop("out", None), emit(function, *args, **named))

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"a value that jit records has no attribute {name}")
        if name in _IN_PLACE:
            refuse(f"the target of .{name}(), which writes into an array")
        if not hasattr(np, name) or not callable(getattr(np.ndarray, name)):
            raise NoAttribute(_sentence(f"an array with .{name}"))
        function = getattr(np, name)  # x.sum() is np.sum(x)
        return lambda *args, **named: function(self, *args, **named)

    # ------------------------------------------------------------------ the commonest, in one form
    def reshape(self, *shape, **named) -> Traced:
        """In another shape."""
        shape = shape[0] if len(shape) == 1 else shape
        found = np.broadcast_to(False, self.shape).reshape(shape).shape
        return self if found == self.shape else emit(program.reshape, self, found)

    def transpose(self, *axes) -> Traced:
        """With the axes in another order."""
        given: Any = axes[0] if len(axes) == 1 else axes or None
        order = range(self.ndim)[::-1] if given is None else given
        return emit(program.transpose, self, tuple(int(a) % self.ndim for a in order))

    def swapaxes(self, first, second) -> Traced:
        """With two axes in each other's place."""
        order = list(range(self.ndim))
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    def astype(self, dtype, **named) -> Traced:
        """In another dtype."""
        dtype = np.dtype(dtype)
        return self if dtype == self.dtype else emit(program.astype, self, dtype)

    def ask(self, question: Callable) -> bool:
        """What the numbers of this run answer; the program will ask again."""
        answer = bool(question(self.value))
        emit(Question(question, answer), self)
        return answer

    def __getitem__(self, index):
        if index is Ellipsis:
            return self
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, Traced) and i.dtype == bool for i in parts):
            raise ShapeError(_sentence(f"a mask in x[mask], {_BY_NUMBERS}"))
        return emit(program.getitem, self, *parts)

    # Nobody writes into one: it is a value.
    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    # ------------------------------------------------------------------ what cannot be recorded
    def __setitem__(self, index, value) -> Never:
        refuse("an array to write into")

    def __array__(self, dtype=None, copy=None) -> Never:
        refuse("a plain numpy array, as asnumpy() makes it")

    def __bool__(self) -> Never:
        refuse("a condition (if, while, and, or, assert)")

    def __float__(self) -> Never:
        refuse("a Python number")

    __int__ = __index__ = __complex__ = __float__
    __hash__ = object.__hash__

    def item(self, *args) -> Never:
        """Raise TraceError."""
        refuse("a Python number")

    def tolist(self) -> Never:
        """Raise TraceError."""
        refuse("a list of Python numbers")


def _into(out: Any, result: Any) -> Any:
    """The result; if numpy was to write it into ``out``, out stands for it from now on."""
    if out is None:
        return result
    (target,) = out if isinstance(out, tuple) else (out,)
    frame: Any = sys._getframe(2)
    while str(frame.f_globals.get("__name__")).startswith("numpy."):
        frame = frame.f_back
    # An op's function writes into what it has made; in a program, others may look at the array.
    own = isinstance(target, Traced) and target.shape == result.shape
    if not own or not is_internal(frame.f_code):
        refuse("an array to write into")
    result = result.astype(target.dtype)
    target.slot, target.value = result.slot, result.value
    return target


def refuse(what: str) -> Never:
    """Raise TraceError: a value that is recorded cannot be used so."""
    raise TraceError(_sentence(what))


_BY_NUMBERS = "whose output has a shape that depends on numbers"


def _sentence(what: str) -> str:
    recording = RECORDING.get()
    line = recording.line() if recording is not None else None
    where = f"\n    {line.file}, line {line.number}: {line.text.strip()}" if line else ""
    return (
        "jit records what is done to shapes and not to numbers, so a value cannot be used as "
        f"{what}.{where}\nChoose with ops.where(condition, x, y), or do this outside of jit"
    )


# ------------------------------------------------------------------------------ noting one step
def emit(op: Callable, *args: Any, **named: Any) -> Any:
    """The value of ``op(*args, **named)``, Traced, and noted as a step of the recording."""
    recording = RECORDING.get()
    if recording is None:
        raise TraceError(
            "a value from inside a function that jit recorded was kept there, and is used after "
            "it has returned: return the value instead"
        )
    value = op(*values_of(args), **values_of(named))
    return recording.note(op, args, named, value)


def in_one_step(op: Any, arguments: tuple, error: Exception) -> Any:
    """The output of an op whose function cannot be recorded inside: all of it is one step."""
    if isinstance(error, ShapeError):
        raise error
    try:
        out = emit(_as_program(op, arguments), *unwrap(arguments))
    except TraceError:
        raise
    except Exception as failed:
        if str(failed).startswith(f"{op.name}: "):  # its function has explained it
            raise
        raise explain(failed, op, arguments) from error
    if not any(isinstance(x, Tensor) for _, x in op.inputs(arguments)):
        return out  # arrays in, arrays out
    several, sources, tape = type(out) is tuple, op.sources(arguments), TAPE.get()
    if tape is None or all(node is None for node in sources):
        if any(node is not None for node in sources):
            warn_of_unrecorded(op)
        return tuple(map(wrap, out)) if several else wrap(out)
    if tape.special:
        return tape.write(op, arguments, out)
    tensors, nodes = track(out)
    tape.append(with_arrays((op, op.save(arguments, tensors), sources, nodes)))
    return tensors


def _as_program(op: Any, arguments: tuple) -> Callable:
    """The function that computes an op, by itself where the engine's needs the engine."""
    if op.name == "scatter":
        return program.put if picks_once(unwrap(arguments[1])) else program.add_at
    return program.assign if op.name == "assign" else op.function


class Draws:
    """Stands for the random generator while a function is recorded: its draws are steps."""

    def __getattr__(self, name):
        return lambda *args, **named: emit(Draw(name), *args, **named)


class Draw:
    """A method of the random generator, which a program calls anew each time that it runs."""

    def __init__(self, name: str):
        self.__name__ = name

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Draw."""
        return getattr(own_generator(), self.__name__)(*args, **named)


class Question:
    """Asks numbers whether they answer as they did when they were recorded."""

    __name__ = "ask"

    def __init__(self, question: Callable, answer: bool):
        self.question, self.answer = question, answer

    def __call__(self, x: Any) -> bool:
        """The answer; Answered is raised if it is another one."""
        if bool(self.question(x)) != self.answer:
            raise Answered
        return self.answer


def is_traced(x: Any) -> bool:
    """Whether x, or a part of it in tuples and lists, is Traced."""
    return any(map(is_traced, x)) if isinstance(x, tuple | list) else isinstance(x, Traced)


def values_of(x: Any) -> Any:
    """x with the values of this run in place of each Traced."""
    if isinstance(x, Traced):
        return x.value
    if isinstance(x, tuple | list):
        return type(x)(map(values_of, x))
    if isinstance(x, dict):
        return {k: values_of(v) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(*map(values_of, (x.start, x.stop, x.step)))
    return x


# --------------------------------------------------------- numpy's functions that have another form
def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(sorted(int(a) % ndim for a in axes)) if ndim else ()


def _reduction(op: Callable) -> Callable:
    def reduce(x, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        if dtype is not None or out is not None or where is not True or not isinstance(x, Traced):
            return NotImplemented
        axes = _axes(axis, x.ndim)
        empty = not prod(x.shape[a] for a in axes)
        widened = op in (program.sum, program.prod) and x.dtype.kind in "iub"  # to int64
        if widened or empty or not (initial is None or np.isinf(initial)):
            return NotImplemented
        return emit(op, x, axes, bool(keepdims))

    return reduce


def _mean(x, axis=None, dtype=None, out=None, keepdims=False, **more):
    if dtype is not None or out is not None or more or x.dtype not in (np.float32, np.float64):
        return NotImplemented
    count = prod(x.shape[a] for a in _axes(axis, x.ndim))
    return x.sum(axis=axis, keepdims=keepdims) / x.dtype.type(count) if count else NotImplemented


def _filled(make: Callable) -> Callable:
    return lambda x, *args, **named: make(np.broadcast_to(x.dtype.type(0), x.shape), *args, **named)


def _shaped(function: Callable) -> Callable:
    """A function that changes the shape alone."""

    def shaped(x, *args, **named):
        return x.reshape(function(np.broadcast_to(False, x.shape), *args, **named).shape)

    return shaped


def _turned(function: Callable) -> Callable:
    """A function that changes the order of the axes alone."""

    def turned(x, *args, **named):
        marks = np.empty(range(2, 2 + x.ndim), np.void(0).dtype)  # an axis is known by its length
        return x.transpose([n - 2 for n in function(marks, *args, **named).shape])

    return turned


_REDUCTIONS = {
    np.add: _reduction(program.sum), np.maximum: _reduction(program.max),
    np.minimum: _reduction(program.min), np.multiply: _reduction(program.prod),
}  # fmt: skip

_OWN: dict[Callable, Callable] = {
    np.sum: _REDUCTIONS[np.add],
    np.max: _REDUCTIONS[np.maximum],
    np.min: _REDUCTIONS[np.minimum],
    np.prod: _REDUCTIONS[np.multiply],
    np.mean: _mean,
    np.where: lambda c, *xy: emit(program.where, c, *xy) if xy else NotImplemented,
    np.transpose: _turned(np.transpose),
    np.swapaxes: _turned(np.swapaxes),
    np.moveaxis: _turned(np.moveaxis),
    np.reshape: _shaped(np.reshape),
    np.ravel: _shaped(np.ravel),
    np.expand_dims: _shaped(np.expand_dims),
    np.squeeze: _shaped(np.squeeze),
    np.broadcast_to: lambda x, shape, **more: (
        x if shape == x.shape else emit(program.broadcast_to, x, np.empty(shape, np.void(0)).shape)
    ),
    np.ones_like: _filled(np.ones_like),
    np.zeros_like: _filled(np.zeros_like),
    np.empty_like: _filled(np.zeros_like),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: prod(x.shape[a] for a in _axes(axis, x.ndim)),
    np.copy: lambda x, order="K", **more: emit(program.in_order, x) if order == "C" else x,
    np.result_type: lambda *xs: np.result_type(*(getattr(x, "dtype", x) for x in xs)),
    np.iscomplexobj: lambda x: False,
}
_SHAPED_BY_NUMBERS = {
    np.nonzero, np.argwhere, np.flatnonzero, np.extract, np.compress, np.unique, np.trim_zeros,
    np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d, np.bincount, np.where,
    np.unique_values, np.unique_counts, np.unique_inverse, np.unique_all,
}  # fmt: skip
_IN_PLACE = {"sort", "partition", "resize"}  # numpy's functions of these names return a new one
_WRITING = {np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis}
