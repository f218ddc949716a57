"""``minigrad.numpy``, as ``mindspore.numpy``: numpy's names and arguments, on Tensors."""

import numpy as np

from . import dtype as dtypes
from . import ops
from .ops import (
    abs,
    add,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    ceil,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    greater,
    greater_equal,
    hypot,
    less,
    less_equal,
    log,
    log1p,
    log2,
    matmul,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    ones_like,
    outer,
    reciprocal,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    swapaxes,
    tan,
    tanh,
    tile,
    trace,
    tril,
    triu,
    true_divide,
    where,
    zeros_like,
)
from .rules import index, reduce, shape
from .tensor import Tensor, unwrap, wrap

absolute = abs
power = ops.pow
pi = np.pi
inf, nan, e, newaxis = np.inf, np.nan, np.e, None


def array(obj, dtype=None, copy=True) -> Tensor:
    """A Tensor of the numbers in obj; Python integers become int32."""
    tensor = Tensor(obj, dtype)
    return tensor if dtype or isinstance(obj, Tensor | np.ndarray) else _narrow(tensor)


def _narrow(tensor):
    """Integers as int32, which mindspore.numpy makes where nobody says otherwise."""
    return tensor.astype(dtypes.int32) if tensor.dtype == dtypes.int64 else tensor


asarray = array


def sum(a, axis=None, keepdims=False) -> Tensor:
    """The sum over the axes (all, if None)."""
    return reduce.sum(a, axis, keepdims)


def mean(a, axis=None, keepdims=False) -> Tensor:
    """The mean over the axes (all, if None)."""
    return reduce.mean(a, axis, keepdims)


def prod(a, axis=None, keepdims=False) -> Tensor:
    """The product over the axes (all, if None)."""
    return ops.prod(a, axis, keepdims)


def max(a, axis=None, keepdims=False) -> Tensor:
    """The largest entry along the axes (all, if None)."""
    return ops.amax(a, axis, keepdims)


def min(a, axis=None, keepdims=False) -> Tensor:
    """The smallest entry along the axes (all, if None)."""
    return ops.amin(a, axis, keepdims)


amax, amin = max, min


def var(a, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The mean squared distance from the mean."""
    return ops.var(a, axis, ddof, keepdims)


def std(a, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The root of ``var``."""
    return ops.std(a, axis, ddof, keepdims)


def cumsum(a, axis=None) -> Tensor:
    """The sums of the first 1, 2, 3, ... entries along an axis (of all in a row, if None)."""
    return ops.cumsum(shape.reshape(a, (-1,)), 0) if axis is None else ops.cumsum(a, axis)


def dot(a, b) -> Tensor:
    """The product of a and b: sums over the last axis of a and the last but one of b."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or a.ndim == 0 or b.ndim == 0:
        return ops.mul(a, b)
    if b.ndim <= 2:
        return ops.matmul(a, b)
    b = shape.transpose(b, (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1))
    return ops.tensor_dot(a, b, 1)


def concatenate(arrays, axis=0) -> Tensor:
    """The Tensors one after the other along an axis."""
    return ops.concat(arrays, axis)


def reshape(x, new_shape) -> Tensor:
    """x in another shape, with the same entries in the same order."""
    return shape.reshape(x, new_shape)


def transpose(a, axes=None) -> Tensor:
    """a with its axes in this order (reversed, if None)."""
    return shape.transpose(a, None if axes is None else tuple(axes))


def expand_dims(a, axis) -> Tensor:
    """a with an axis of length 1 at this place."""
    return ops.expand_dims(a, axis)


def broadcast_to(array, shape) -> Tensor:
    """array repeated to this shape."""
    return ops.broadcast_to(array, shape)


def flip(m, axis=None) -> Tensor:
    """m with the order of its entries reversed along the axes (all, if None)."""
    return index.flip(m, tuple(range(m.ndim)) if axis is None else axis)


def ravel(x) -> Tensor:
    """x in one row."""
    return shape.reshape(x, (-1,))


def clip(x, xmin, xmax) -> Tensor:
    """x, but never outside the two bounds."""
    return ops.clip_by_value(x, xmin, xmax)


def argmax(a, axis=None) -> Tensor:
    """The index of the largest entry along an axis."""
    return ops.argmax(a, axis)


def argmin(a, axis=None) -> Tensor:
    """The index of the smallest entry along an axis."""
    return ops.argmin(a, axis)


def ones(shape, dtype=dtypes.float32) -> Tensor:
    """A Tensor full of ones."""
    return ops.ones(shape, dtype)


def zeros(shape, dtype=dtypes.float32) -> Tensor:
    """A Tensor full of zeros."""
    return ops.zeros(shape, dtype)


def full(shape, fill_value, dtype=None) -> Tensor:
    """A Tensor full of one value."""
    tensor = ops.full(shape, fill_value, dtype=dtype)
    return tensor if dtype else _narrow(tensor)


def eye(N, M=None, dtype=dtypes.float32) -> Tensor:
    """The matrix with ones on its diagonal."""
    return ops.eye(N, M, dtype)


def arange(start, stop=None, step=1, dtype=None) -> Tensor:
    """Numbers from start up to, and without, stop."""
    tensor = ops.arange(start, stop, step, dtype=dtype)
    return tensor if dtype else _narrow(tensor)


def linspace(start, stop, num=50, dtype=None) -> Tensor:
    """``num`` numbers from start to stop, evenly apart."""
    return wrap(np.linspace(unwrap(start), unwrap(stop), num, dtype=dtype or dtypes.float32))


__all__ = [
    "abs", "absolute", "add", "amax", "amin", "arange", "arccos", "arccosh", "arcsin", "arcsinh",
    "arctan", "arctan2", "arctanh", "argmax", "argmin", "array", "asarray", "broadcast_to",
    "ceil", "clip", "concatenate", "cos", "cosh", "cumsum", "divide", "dot", "e", "equal", "exp",
    "expand_dims", "expm1", "eye", "flip", "floor", "full", "greater", "greater_equal", "hypot",
    "inf", "less", "less_equal", "linspace", "log", "log1p", "log2", "matmul", "max", "maximum",
    "mean", "min", "minimum", "multiply", "nan", "negative", "newaxis", "not_equal", "ones",
    "ones_like", "outer", "pi", "power", "prod", "ravel", "reciprocal", "reshape", "sign", "sin",
    "sinh", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "swapaxes", "tan",
    "tanh", "tile", "trace", "transpose", "tril", "triu", "true_divide", "var", "where", "zeros",
    "zeros_like",
]  # fmt: skip
