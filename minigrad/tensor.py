"""A Tensor is an array and, inside a gradient call, its place in the calculation: a Node.

Tensors are values. A write (``x[0] = 1``, ``p.set_data(v)``) gives the Tensor a new array and a new
Node, and changes nothing that was computed from the old ones; a slice does not write through to
where it came from. So gradients are right whatever is written, and when.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtype as dtypes
from .printing import parameter_representation, representation, text

_COUNT = itertools.count(1)

# The Parameters that the gradient calls running in this thread differentiate, and their Nodes.
_NOBODYS: Mapping[Parameter, Node] = MappingProxyType({})
WEIGHTS: ContextVar[Any] = ContextVar("weights", default=_NOBODYS)


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
    is copied. ``dtype`` converts, ``shape`` reshapes.

    Raises TypeError for what is not a number, or rows of unequal length.

    >>> from minigrad import Tensor
    >>> Tensor([[1.5, 2.0]])
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 1.50000000e+00,  2.00000000e+00]])
    >>> print(Tensor(3) * 2)
    6
    """

    __slots__ = ("__weakref__", "array", "node")
    __hash__ = object.__hash__  # a Tensor is a dictionary key by identity

    array: Any
    node: Node | None

    def __init__(self, input_data, dtype=None, shape=None):
        if isinstance(input_data, Tensor):
            if dtype is not None and input_data.dtype.dtype != np.dtype(dtype):
                input_data = input_data.astype(dtype)
            self.array, self.node = input_data.array, input_data.node
            return
        array = array_of(input_data, dtype)
        self.array = array if shape is None else array.reshape(shape)
        self.node = None

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
    def base(self) -> None:
        """None: a Tensor never shares its memory (numpy arrays answer a view's owner here)."""
        return None

    def dim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    # Leaving minigrad: the value is right, and the gradient stops here.
    def asnumpy(self) -> np.ndarray:
        """A copy of the values as a numpy array. No gradient flows through it."""
        self._leave("asnumpy()")
        return np.array(self.array)

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
        return bool(self._only("bool()"))

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise TypeError(f"an index must be an integer; this Tensor is {self.dtype}")
        return int(self._only("an index"))

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        self._leave("numpy")
        return np.array(self.array, dtype)

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
        return len(self.array)

    def __iter__(self):
        if not self.array.ndim:
            raise TypeError("a Tensor of shape () cannot be iterated over")
        return (self[i] for i in range(len(self.array)))

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
        return text(self.array)

    def __repr__(self) -> str:
        return representation(self.array)

    def __format__(self, spec: str) -> str:
        return format(self._only("a format"), spec) if spec else str(self)

    # Copies and pickles hold the values alone.
    def __copy__(self):
        return Tensor(self)

    def __deepcopy__(self, memo):
        return wrap(np.array(self.array))

    def __reduce__(self):
        return wrap, (np.asarray(self.array),)

    if TYPE_CHECKING:  # the operators and methods are the ops themselves: see methods.py

        def __getattr__(self, name: str) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = lambda self, x: self
        __truediv__ = __rtruediv__ = __pow__ = __rpow__ = lambda self, x: self
        __floordiv__ = __mod__ = __matmul__ = __rmatmul__ = lambda self, x: self
        __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = lambda self, x: self
        __neg__ = __abs__ = __invert__ = lambda self: self

        def __getitem__(self, index) -> Tensor: ...
        def __setitem__(self, index, value) -> None: ...


class Parameter(Tensor):
    """A Tensor that a network learns. It has a Node in the gradient calls that ask for it.

    ``default_input`` is whatever a Tensor is made from. ``name`` is how gradients, errors and
    pictures call it; a Cell names a Parameter without one after its attribute.
    ``requires_grad=False`` freezes it: it is left out of ``trainable_params()``.

    >>> from minigrad import Parameter, Tensor
    >>> Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ("_name", "requires_grad")

    unnamed = "Parameter#"  # how the name of one begins that was not given any

    def __init__(
        self, default_input, name: str | None = None, requires_grad: bool = True, **kwargs
    ):
        unknown = kwargs.keys() - {"layerwise_parallel", "parallel_optimizer", "storage_format"}
        if unknown:
            raise TypeError(f"Parameter takes no argument {', '.join(sorted(unknown))}")
        self.array = np.array(unwrap(Tensor(default_input)))
        self.name = name
        self.requires_grad = requires_grad

    @property
    def name(self) -> str:
        """How gradients, errors and pictures call the Parameter."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if name is None:  # a Cell may name it later
            name = f"{Parameter.unnamed}{next(_COUNT)}"
        if not isinstance(name, str):
            raise TypeError(f"a Parameter's name must be a string, not {type(name).__name__}")
        self._name = name

    @property  # a Tensor keeps its Node, a Parameter looks it up
    def node(self) -> Node | None:
        """The place in the gradient call that runs, if that asks for the Parameter."""
        return WEIGHTS.get().get(self)

    @node.setter
    def node(self, node: Node | None) -> None:
        weights = WEIGHTS.get()
        if weights is _NOBODYS:
            return  # outside of all gradient calls nothing is tracked
        if node is not None:
            weights[self] = node
        else:
            weights.pop(self, None)

    @property
    def data(self) -> Tensor:
        """The values as a Tensor."""
        return Tensor(self)

    def value(self) -> Tensor:
        """The values as a Tensor."""
        return Tensor(self)

    def set_data(self, data, slice_shape: bool = False) -> Parameter:
        """Give the Parameter new values, in its own dtype; return the Parameter.

        Raises ValueError if the shape differs, unless ``slice_shape`` allows it.

        >>> from minigrad import Parameter, Tensor
        >>> p = Parameter(Tensor([1.0, 2.0]), name="p")
        >>> print(p.set_data(Tensor([3.0, 4.0])).asnumpy())
        [3. 4.]
        """
        value = Tensor(data, self.array.dtype)
        if value.shape != self.shape and not slice_shape:
            raise ValueError(
                f"Parameter {self.name} has shape {self.shape}, but set_data got {value.shape}"
            )
        write(self, value)
        return self

    def clone(self, init: str = "same") -> Parameter:
        """A Parameter with the same values, name and ``requires_grad``."""
        if init != "same":
            raise ValueError(f'clone makes a Parameter with the same values; got init="{init}"')
        return Parameter(self, self.name, self.requires_grad)

    def __str__(self) -> str:
        return parameter_representation(self.name, self.shape, self.array.dtype, self.requires_grad)

    __repr__ = __str__

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return Parameter, (np.asarray(self.array), self.name, self.requires_grad)


class ParameterTuple(tuple):
    """A tuple of Parameters, such as the weights of a gradient call.

    Raises TypeError if an element is not a Parameter.
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable[Parameter]):
        """Make the tuple from Parameters."""
        parameters = tuple(iterable)
        for i, p in enumerate(parameters):
            if not isinstance(p, Parameter):
                raise TypeError(f"ParameterTuple: element {i} is {type(p).__name__}, no Parameter")
        return super().__new__(cls, parameters)


def array_of(data: Any, dtype: Any = None) -> np.ndarray:
    """A fresh numpy array of the numbers in data, in the dtype that MindSpore would choose."""
    if dtype is not None:
        dtype = np.dtype(dtype)
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(data, dtype)
    elif isinstance(data, bool | int | float | list | tuple):
        try:
            array = np.array(_numbers(data))
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


def _numbers(data):
    if isinstance(data, list | tuple):
        return [_numbers(x) for x in data]
    return data.array if isinstance(data, Tensor) else data


def wrap(array: Any, node: Node | None = None) -> Tensor:
    """A Tensor around this very array, without the constructor's checks."""
    tensor = Tensor.__new__(Tensor)
    tensor.array = array
    tensor.node = node
    return tensor


def unwrap(x: Any) -> Any:
    """The array of a Tensor, the arrays of a tuple of Tensors; anything else as it is."""
    if isinstance(x, Tensor):
        return x.array
    return tuple(map(unwrap, x)) if type(x) is tuple else x


def lift(x: Any) -> Any:
    """Arrays as Tensors, for code written by users; anything else as it is."""
    if isinstance(x, np.ndarray | np.generic):
        return wrap(x)
    return tuple(map(lift, x)) if type(x) is tuple else x


def write(tensor: Tensor, value: Tensor) -> None:
    """Change what a Tensor is from now on. What was computed from it before stays as it was."""
    tensor.array, tensor.node = value.array, value.node


def _differentiating() -> bool:
    return sys.modules["minigrad.tape"].TAPE.get() is not None


def _dispatch(key, function, args, kwargs):
    op = sys.modules["minigrad.op"].OPS.get(key)
    if op is None or (kwargs and isinstance(function, np.ufunc)):
        name = f"numpy.{getattr(function, '__name__', function)}"
        how = f" with {', '.join(sorted(kwargs))}" if op is not None and kwargs else ""
        raise TypeError(
            f"minigrad has no gradient rule for {name}{how}. Use a function of minigrad.ops, or "
            f"call {name} on x.asnumpy() inside a Cell, and give the Cell a bprop"
        )
    return op(*args, **kwargs)
