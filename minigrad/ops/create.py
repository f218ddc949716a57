"""Functions that make Tensors from nothing, by MindSpore's names."""

import numpy as np

from .. import dtype as dtypes
from ..samples import for_each_sample
from ..tensor import Tensor, unwrap, wrap


def shape_of(size) -> tuple[int, ...]:
    """A shape, given as a number, a tuple or list, or a Tensor of numbers.

    Shapes: a number, or several; the output is a tuple of Python numbers
    Dtypes: integers
    Raises TypeError if it is a string or a float.

    >>> from minigrad import Tensor, ops
    >>> print(ops.create.shape_of(3), ops.create.shape_of(Tensor([2, 3])))
    (3,) (2, 3)

    Source: the definition
    """
    if isinstance(size, str | float):
        raise TypeError(f"a shape is a whole number or a tuple of them, but got {size!r}")
    return (int(size),) if isinstance(size, int | np.integer) else tuple(map(int, unwrap(size)))


def ones(shape, dtype=None) -> Tensor:
    """A Tensor full of ones, float32 unless dtype says otherwise.

    Shapes: a number, a tuple or a Tensor; the output has that shape
    Dtypes: float32, or dtype
    Raises TypeError if the shape is a float or a string, ValueError if a length is below 0.

    >>> from minigrad import ops
    >>> print(ops.ones((2, 2)))
    [[1. 1.]
     [1. 1.]]

    Source: numpy.ones
    """
    return wrap(np.ones(shape_of(shape), dtype or dtypes.float32))


def zeros(size, dtype=None) -> Tensor:
    """A Tensor full of zeros, float32 unless dtype says otherwise.

    Shapes: a number, a tuple or a Tensor; the output has that shape
    Dtypes: float32, or dtype
    Raises TypeError if the size is a float or a string, ValueError if a length is below 0.

    >>> from minigrad import ops
    >>> print(ops.zeros(3))
    [0. 0. 0.]

    Source: numpy.zeros
    """
    return wrap(np.zeros(shape_of(size), dtype or dtypes.float32))


def full(size, fill_value, *, dtype=None) -> Tensor:
    """A Tensor full of one value, in the value's dtype unless dtype says otherwise.

    Shapes: a number, a tuple or a Tensor; the output has that shape, to which the value must
        broadcast
    Dtypes: that of ``Tensor(fill_value)``, or dtype; no gradient
    Raises TypeError if the value is not a number, ValueError if a length is below 0 or the value
        does not fit.

    >>> from minigrad import ops
    >>> print(ops.full((2,), 7))
    [7 7]

    Source: numpy.full
    """
    shape, value = shape_of(size), Tensor(fill_value, dtype)
    return wrap(for_each_sample("full", lambda v: np.full(shape, v, v.dtype), value))


def ones_like(input, *, dtype=None) -> Tensor:
    """Ones in the shape of input.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input, or dtype
    Raises TypeError if there is no such dtype.

    >>> from minigrad import Tensor, ops
    >>> print(ops.ones_like(Tensor([5, 6])))
    [1 1]

    Source: numpy.ones_like
    """
    return wrap(np.ones(input.shape, (dtype and np.dtype(dtype)) or unwrap(input).dtype))


def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros in the shape of input.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input, or dtype
    Raises TypeError if there is no such dtype.

    >>> from minigrad import Tensor, ops
    >>> print(ops.zeros_like(Tensor([5, 6])))
    [0 0]

    Source: numpy.zeros_like
    """
    return wrap(np.zeros(input.shape, (dtype and np.dtype(dtype)) or unwrap(input).dtype))


def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """One value in the shape of input, in its dtype unless dtype says otherwise.

    Shapes: any; the output has the shape of input, to which the value must broadcast
    Dtypes: any; the output has that of input (1.5 becomes 1 in integers), or dtype; no gradient
    Raises TypeError if the value is not a number, ValueError if it does not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.full_like(Tensor([5, 6]), 7))
    [7 7]

    Source: numpy.full_like
    """
    return full(input.shape, fill_value, dtype=dtype or input.dtype)


def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    """Numbers from start up to, and without, end, step by step.

    Shapes: numbers; the output is a vector, an empty one if the steps lead away from end
    Dtypes: int64 for integers, else float32; or dtype
    Raises ValueError if step is 0, TypeError if start, end or step is not a number.

    >>> from minigrad import ops
    >>> print(ops.arange(2, 8, 2), ops.arange(3))
    [2 4 6] [0 1 2]

    Source: numpy.arange
    """
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise ValueError("arange: step must not be 0")
    return Tensor(Tensor(np.arange(start, end, step).tolist(), dtype))


def linspace(start, end, steps) -> Tensor:
    """``steps`` numbers from start to end, evenly apart, both included. No gradient.

    Shapes: numbers give a vector of ``steps``; Tensors (n,) give (steps, n)
    Dtypes: float32; float64 if start or end is a Tensor of float64
    Raises ValueError if steps is below 0, TypeError if it is not an integer.

    >>> from minigrad import ops
    >>> print(ops.linspace(0, 1, 3))
    [0.  0.5 1. ]

    Source: numpy.linspace
    """
    wide = any(isinstance(v, Tensor) and v.dtype == dtypes.float64 for v in (start, end))
    kind = np.float64 if wide else np.float32

    def between(a, b):
        return np.linspace(a, b, steps, dtype=kind)

    return wrap(for_each_sample("linspace", between, start, end))


def range(start, end, step, maxlen=1000000) -> Tensor:
    """Numbers from start up to, and without, end, step by step. ``maxlen`` is not needed here.

    Shapes: numbers, or Tensors with one entry; the output is a vector
    Dtypes: int64 for integers, else float32
    Raises ValueError if step is 0 or a Tensor has more than one entry.

    >>> from minigrad import ops
    >>> print(ops.range(0, 6, 2))
    [0 2 4]

    Source: numpy.arange
    """

    def numbers(*ends):
        return unwrap(arange(*(np.asarray(v).item() for v in ends)))

    return wrap(for_each_sample("range", numbers, start, end, step))


def logspace(start, end, steps, base=10, *, dtype=dtypes.float32) -> Tensor:
    """``base`` to the powers of ``steps`` numbers from start to end, evenly apart. No gradient.

    Shapes: numbers give a vector of ``steps``
    Dtypes: float32, or dtype
    Raises ValueError if steps is below 0, TypeError if it is not an integer.

    >>> from minigrad import ops
    >>> print(ops.logspace(0, 2, 3))
    [  1.  10. 100.]

    Source: numpy.logspace
    """

    def between(a, b):
        return np.logspace(a, b, steps, base=base, dtype=np.dtype(dtype))

    return wrap(for_each_sample("logspace", between, start, end))


def fill(type, shape, value) -> Tensor:
    """A Tensor of this dtype and shape, full of one value.

    Shapes: a number, a tuple or a Tensor; the output has that shape
    Dtypes: type; 1.5 becomes 1 in integers
    Raises TypeError if the shape is a float or a string, ValueError if a length is below 0.

    >>> import minigrad as ms
    >>> from minigrad import ops
    >>> print(ops.fill(ms.int32, (2,), 7))
    [7 7]

    Source: numpy.full
    """
    to, kind = shape_of(shape), np.dtype(type)
    return wrap(for_each_sample("fill", lambda v: np.full(to, v, kind), value))


def fills(x, value) -> Tensor:
    """One value in the shape and dtype of x.

    Shapes: any; the output has the shape of x
    Dtypes: any; the output has that of x; no gradient
    Raises TypeError if the value is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fills(Tensor([5, 6]), 7))
    [7 7]

    Source: numpy.full_like
    """
    return full_like(x, value)


def scalar_to_tensor(input_x, dtype=dtypes.float32) -> Tensor:
    """A number as a Tensor without axes.

    Shapes: a number; the output has no axes
    Dtypes: float32, or dtype
    Raises TypeError if it is not a number.

    >>> from minigrad import ops
    >>> print(ops.scalar_to_tensor(3))
    3.0

    Source: the definition
    """
    return Tensor(input_x, dtype)


def eye(n, m=None, dtype=None) -> Tensor:
    """The matrix of n rows and m columns (n, if None) with ones on its diagonal.

    Shapes: integers; the output is (n, m)
    Dtypes: float32, or dtype
    Raises ValueError if n or m is below 0, TypeError if it is not an integer.

    >>> from minigrad import ops
    >>> print(ops.eye(2))
    [[1. 0.]
     [0. 1.]]

    Source: numpy.eye
    """
    return wrap(np.eye(n, m, dtype=dtype or dtypes.float32))


__all__ = [
    "arange",
    "eye",
    "fill",
    "fills",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "range",
    "scalar_to_tensor",
    "zeros",
    "zeros_like",
]
