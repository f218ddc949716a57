"""A Tensor is an array and, inside a gradient call, its place in the calculation: a Node.

Tensors are values. A write (``x[0] = 1``, ``p.set_data(v)``) gives the Tensor a new array and a new
Node, and changes nothing that was computed from the old ones; a slice does not write through to
where it came from. So gradients are right whatever is written, and when.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from contextvars import ContextVar
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtype as dtypes
from .printing import representation, text

_ARRAYS = (np.ndarray, np.generic)

# Inside vmap, the Tensors into which samples were written, and what they were before; while jit
# records, those into which recorded values were written.
WRITES: ContextVar[list | None] = ContextVar("writes", default=None)


# What a Tensor has in other libraries.
_ELSEWHERE = {
    "backward": "a gradient is asked of a function: minigrad.grad(fn)(x)",
    "grad": "gradients are returned and not kept: minigrad.grad(fn)(x)",
    "requires_grad": "minigrad.grad(fn, grad_position) says what is differentiated",
    "detach": "say minigrad.ops.stop_gradient(x)",
}


class Node:
    """The place of one tracked value in a gradient call, and what its gradient looks like.

    The tape speaks of Nodes, never of Tensors. A Node does not hold the data, so an array is freed
    as soon as your program drops it, unless a rule needs it.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, array):
        self.shape, self.dtype = array.shape, array.dtype


class Tensor:
    """An array of numbers whose gradient can be asked for.

    ``input_data`` is a number, a (nested) list or tuple of numbers, a numpy array or a Tensor.
    Python floats become float32 and ints int64, as in MindSpore; a numpy array keeps its dtype and
    is copied. ``dtype`` converts, ``shape`` reshapes. In place of ``input_data``, ``init`` is an
    Initializer or the name of one, for ``shape`` and ``dtype``. With those two alone it is a
    stand-in for ``set_inputs``, of zeros; an axis of length None has no entry.

    Raises TypeError for what is not a number, or rows of unequal length.

    >>> from minigrad import Tensor
    >>> Tensor([[1.5, 2.0]])
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 1.50000000e+00,  2.00000000e+00]])
    >>> print(Tensor(3) * 2)
    6
    """

    __slots__ = ("__weakref__", "_hooks", "array", "node", "sliced")
    __hash__ = object.__hash__  # a Tensor is a dictionary key by identity

    _hooks: Any  # see hooks.py; a Tensor has none until one is registered
    array: Any
    node: Node | None

    def __init__(self, input_data=None, dtype=None, shape=None, init=None):
        if init is not None:
            make = sys.modules["minigrad.initializers"].initializer
            input_data = make(init, shape, dtypes.float32 if dtype is None else dtype)
        elif input_data is None and shape is not None and dtype is not None:
            shape = [shape] if isinstance(shape, int) else shape
            shape = [0 if length is None else length for length in shape]
            input_data = np.zeros(shape)
        if isinstance(input_data, Tensor):
            if dtype is not None and input_data.dtype.dtype != np.dtype(dtype):
                input_data = input_data.astype(dtype)
            if shape is not None:
                input_data = input_data.reshape(shape)
            self.array, self.node = input_data.array, input_data.node
            return
        if isinstance(input_data, list | tuple) and _holds_tensors(input_data):
            joined = sys.modules["minigrad.op"].join(input_data)
            Tensor.__init__(self, joined, dtype, shape)
            return
        array = array_of(input_data, dtype)
        self.array = array if shape is None else array.reshape(shape)
        self.node = None

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A Tensor of the values of a numpy array, in its dtype. It shares no memory with it."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"from_numpy needs a numpy array, but got {type(array).__name__}")
        return Tensor(array)

    # What it looks like.
    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.array.shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the numbers."""
        return dtypes.of(self.array.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.array.size

    @property
    def itemsize(self) -> int:
        """The bytes of one entry."""
        return self.array.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all entries."""
        return self.array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from one entry to the next, along each axis."""
        return self.array.strides

    @property
    def has_init(self) -> bool:
        """False: the values of ``init`` are made at once."""
        return False

    @property
    def base(self) -> None:
        """None: a Tensor never shares its memory (numpy arrays answer a view's owner here)."""
        return None

    def dim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    # Leaving minigrad: the value is right, and the gradient stops here.
    def asnumpy(self) -> np.ndarray:
        """A copy of the values as a numpy array, in C order. No gradient flows through it."""
        self._leave("asnumpy()")
        return np.array(self.array, order="C")

    numpy = asnumpy

    def item(self) -> float | int | bool:
        """The value of a Tensor with one element, as a Python number."""
        self._leave("item()")
        return self._only("item()")

    def tolist(self) -> Any:
        """The values as nested Python lists."""
        self._leave("tolist()")
        return self.array.tolist()

    def __float__(self) -> float:
        self._leave("float()")
        return float(self._only("float()"))

    def __int__(self) -> int:
        self._leave("int()")
        return int(self._only("int()"))

    def __bool__(self) -> bool:
        return bool(self.array if self.array.size == 1 else self._only("bool()"))

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise TypeError(f"an index must be an integer; this Tensor is {self.dtype}")
        return int(self._only("an index"))

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        self._leave("numpy")
        return np.array(self.array, dtype, order="C")

    def _only(self, what: str):
        if self.array.size != 1:
            raise ValueError(
                f"{what} needs a Tensor with one element, but this one has shape {self.shape}; "
                "reduce it first, for example with .sum(), or pick an element with [...]"
            )
        return self.array.item()

    def _leave(self, what: str) -> None:
        if self.node is not None and _differentiating():
            warnings.warn(
                f"{what} takes this value out of the gradient calculation: what is computed from "
                "it counts as a constant. If that is meant, say ops.stop_gradient(x) first",
                stacklevel=3,
            )

    # As a sequence of its rows.
    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("a Tensor of shape () has no length")
        return self.array.shape[0]

    def __iter__(self):
        if not self.array.ndim:
            raise TypeError("a Tensor of shape () cannot be iterated over")
        return (self[i] for i in range(self.array.shape[0]))

    def __contains__(self, value) -> bool:
        return bool((self.array == unwrap(value)).any())

    # numpy asks a Tensor to run numpy's functions on it: so the gradient rules, which are plain
    # numpy, work on Tensors too, and are themselves recorded.
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return _dispatch(ufunc if method == "__call__" else None, ufunc, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return _dispatch(function, function, args, kwargs)

    # Printing, as MindSpore prints.
    def __str__(self) -> str:
        return text(self.array) if isinstance(self.array, _ARRAYS) else f"Tensor({self.array})"

    def __repr__(self) -> str:
        if not isinstance(self.array, _ARRAYS):  # inside vmap or jit
            return f"Tensor({self.array!r})"
        return representation(self.array)

    def __format__(self, spec: str) -> str:
        return format(self._only("a format"), spec) if spec else str(self)

    # A copy is a value like the one it was made from: gradients flow through it.
    def __copy__(self):
        return Tensor(self)

    def __deepcopy__(self, memo):
        inside_vmap = hasattr(self.array, "samples")
        return wrap(self.array if inside_vmap else np.array(self.array), self.node)

    def __reduce__(self):
        self._leave("pickle")
        return wrap, (np.asarray(self.array),)

    def __getattr__(self, name: str) -> Any:
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in _ELSEWHERE:
            message += f"; {_ELSEWHERE[name]}"
        elif not name.startswith("_") and hasattr(type(self), name.removesuffix("_")):
            plain = name.removesuffix("_")
            message += f"; there are no methods that write: x[:] = x.{plain}(...) does"
        raise AttributeError(message, name=name, obj=self)

    if TYPE_CHECKING:  # the operators and methods are the ops themselves: see methods.py
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = lambda self, x: self
        __truediv__ = __rtruediv__ = __pow__ = __rpow__ = lambda self, x: self
        __floordiv__ = __mod__ = __matmul__ = __rmatmul__ = lambda self, x: self
        __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = lambda self, x: self
        __neg__ = __abs__ = __invert__ = lambda self: self

        def __getitem__(self, index) -> Tensor: ...
        def __setitem__(self, index, value) -> None: ...


def array_of(data: Any, dtype: Any = None) -> np.ndarray:
    """A fresh numpy array of the numbers in data, in the dtype that MindSpore would choose."""
    if dtype is not None:
        dtype = np.dtype(dtype)
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(data, dtype)
    elif isinstance(data, bool | int | float | list | tuple):
        try:
            array = np.array(data)
        except ValueError:
            raise TypeError(
                f"a Tensor needs rows of equal length, but got {data!r}; pad the short ones"
            ) from None
        if array.dtype.kind == "f" and not isinstance(data, np.generic):
            array = array.astype(dtype or np.float32)  # a Python float is a float32
        array = array.astype(dtype or array.dtype, copy=False)
    else:
        raise TypeError(
            "a Tensor is made from a number, a list or tuple of numbers, a numpy array or a Tensor,"
            f" but got {type(data).__name__}"
        )
    dtypes.of(array.dtype)  # raises for strings, complex numbers and objects
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _holds_tensors(data) -> bool:
    return any(
        isinstance(x, Tensor) or (isinstance(x, list | tuple) and _holds_tensors(x)) for x in data
    )


def wrap(array: Any, node: Node | None = None) -> Tensor:
    """A Tensor around this very array, without the constructor's checks."""
    tensor = Tensor.__new__(Tensor)
    tensor.array = array
    tensor.node = node
    return tensor


def tracked(array: Any) -> tuple[Tensor, Node]:
    """A Tensor around this very array with a fresh Node, and the Node: two constructors in one."""
    node, tensor = _new(Node), _new(Tensor)
    node.shape, node.dtype = array.shape, array.dtype
    tensor.array, tensor.node = array, node
    return tensor, node


_new: Any = object.__new__


def unwrap(x: Any) -> Any:
    """The array of a Tensor, the arrays of a tuple of Tensors; anything else as it is."""
    if isinstance(x, Tensor):
        return x.array
    return tuple(map(unwrap, x)) if type(x) is tuple else x


def as_array(x: Any, dtype: Any = None) -> Any:
    """The array of a Tensor, or of numbers; what stands for an array in vmap or jit, as it is."""
    array = unwrap(x)
    if not _is_array(array):
        array = np.asarray(array)
    return array if dtype is None else array.astype(dtype, copy=False)


def _is_array(x: Any) -> bool:
    """Whether x is a numpy array, or stands for one, as it does inside vmap and jit."""
    return hasattr(x, "__array_function__") and not isinstance(x, Tensor)


def lift(x: Any) -> Any:
    """Arrays and Tensors as fresh Tensors, for code written by users; anything else as it is."""
    if isinstance(x, np.generic) or _is_array(x):
        return wrap(x)
    if isinstance(x, Tensor):  # a write to this one does not reach the one that it came from
        return wrap(x.array, x.node)
    return tuple(map(lift, x)) if type(x) is tuple else x


def write(tensor: Tensor, value: Tensor) -> None:
    """Change what a Tensor is from now on. What was computed from it before stays as it was."""
    if getattr(tensor, "sliced", False):
        raise TypeError(
            "a write into a slice, as in x[0][1] = v, would change the slice and not x: write "
            "x[0, 1] = v. To change the slice alone, copy it first: y = x[0].copy()"
        )
    writes = WRITES.get()
    recorded = hasattr(value.array, "slot") and not hasattr(tensor, "_array")  # no Parameter
    if writes is not None and (recorded or hasattr(value.array, "samples")):
        writes.append((weakref.ref(tensor), wrap(tensor.array, tensor.node)))
    tensor.array, tensor.node = value.array, value.node


def _differentiating() -> bool:
    return sys.modules["minigrad.tape"].TAPE.get() is not None


# What numpy says of a Tensor's shape, or whether two are equal: there is no gradient to lose.
_CONSTANT = {
    np.allclose, np.array_equal, np.empty_like, np.isclose, np.ndim, np.ones_like, np.shape,
    np.size, np.zeros_like,
}  # fmt: skip


def _dispatch(key, function, args, kwargs):
    if function in _CONSTANT:
        return function(*map(unwrap, args), **{name: unwrap(x) for name, x in kwargs.items()})
    op = sys.modules["minigrad.op"].OPS.get(key)
    if op is None or (kwargs and isinstance(function, np.ufunc)):
        name = _name_of(function)
        how = f" with {', '.join(sorted(kwargs))}" if op is not None and kwargs else ""
        raise TypeError(
            f"minigrad has no gradient rule for {name}{how}. Use a function of minigrad.ops, or "
            f"call {name} on x.asnumpy() inside a Cell, and give the Cell a bprop"
        )
    try:
        return op(*args, **kwargs)
    except TypeError as error:
        if not (misfit := _misfit(op, args, kwargs)):
            raise
        raise TypeError(
            f"{_name_of(function)} on a Tensor is minigrad's {op.__name__}{signature(op)}, and "
            f"cannot be called so: {misfit}. Call it on x.asnumpy() for what else numpy can do; no "
            "gradient flows through that"
        ) from error


def _misfit(op, args, kwargs) -> str:
    """What is wrong with the number or the names of the arguments, if anything is."""
    try:
        signature(op).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return ""


def _name_of(function) -> str:
    module = getattr(function, "__module__", None) or "the ufunc "
    return f"{module}.{getattr(function, '__name__', function)}".replace("ufunc .", "ufunc ")
