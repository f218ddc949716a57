"""``minigrad.numpy``, as ``mindspore.numpy``: numpy's names and arguments, on Tensors."""

import numpy as np

from . import dtype as dtypes
from . import ops, samples
from .rules import index, reduce, shape
from .tensor import Tensor, unwrap, wrap

# Functions whose names and first arguments are those of ops.
_SAME_NAME = [
    "abs", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argwhere", "atleast_1d", "atleast_2d", "atleast_3d", "bincount", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "cbrt", "column_stack", "copysign",
    "cos", "cosh", "cov", "deg2rad", "divide", "dsplit", "dstack", "equal", "exp", "exp2",
    "expm1", "fliplr", "flipud", "floor", "floor_divide", "fmax", "fmin", "fmod",
    "full_like", "greater", "greater_equal", "heaviside", "hsplit", "hstack", "hypot", "inner",
    "invert", "isclose", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and",
    "logical_not", "logical_or", "logical_xor", "matmul", "matrix_power", "maximum", "minimum",
    "mod", "moveaxis", "multiply", "nanmean", "nansum", "negative", "not_equal", "ones_like",
    "outer", "positive", "rad2deg", "reciprocal", "remainder", "signbit", "sin", "sinh",
    "sqrt", "square", "squeeze", "stack", "subtract", "swapaxes", "tan", "tanh", "tile",
    "tril", "triu", "true_divide", "vsplit", "vstack",
    "zeros_like",
]  # fmt: skip
globals().update({name: getattr(ops, name) for name in _SAME_NAME})

absolute = ops.abs
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
    return a.cumsum(axis)


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


def eye(N, M=None, k=0, dtype=dtypes.float32) -> Tensor:
    """The matrix with ones on its diagonal, or on the k-th above it."""
    return wrap(np.eye(N, M, k, np.dtype(dtype)))


def arange(start, stop=None, step=1, dtype=None) -> Tensor:
    """Numbers from start up to, and without, stop."""
    tensor = ops.arange(start, stop, step, dtype=dtype)
    return tensor if dtype else _narrow(tensor)


def linspace(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0
) -> Tensor | tuple[Tensor, Tensor]:
    """``num`` numbers from start to stop, evenly apart; with ``retstep``, also how far."""
    kind = np.dtype(dtype or dtypes.float32)

    def between(a, b):
        values, step = np.linspace(a, b, num, endpoint, retstep=True, dtype=kind, axis=axis)
        return values, np.array(step, kind)

    values, step = map(wrap, samples.for_each_sample("linspace", between, start, stop))
    return (values, step) if retstep else values


# ------------------------------------------------------------------ more, with numpy's arguments
def diff(a, n=1, axis=-1, prepend=None, append=None) -> Tensor:
    """The differences of neighbours along an axis, taken n times."""
    return ops.diff(a, n, axis, prepend, append)


def cumprod(a, axis=None) -> Tensor:
    """The products of the first 1, 2, 3, ... entries along an axis (of all in a row, if None)."""
    if unwrap(a).dtype.kind in "iub" and unwrap(a).itemsize <= 4:
        a = a.astype(dtypes.uint32 if unwrap(a).dtype.kind == "u" else dtypes.int32)
    return ops.CumProd()(ravel(a), 0) if axis is None else ops.CumProd()(a, axis)


def append(arr, values, axis=None) -> Tensor:
    """arr with values behind it along an axis; both in a row, if None."""
    return ops.concat((ravel(arr), ravel(values)) if axis is None else (arr, values), axis or 0)


def average(x, axis=None, weights=None, returned=False) -> Tensor | tuple[Tensor, Tensor]:
    """The mean, weighed; with ``returned``, also the sum of the weights."""
    w = ops.ones_like(x) if weights is None else weights
    if w.ndim == 1 and x.ndim > 1 and isinstance(axis, int):
        w = shape.reshape(w, (-1, *[1] * (x.ndim - 1 - axis % x.ndim)))
    total = reduce.sum(w * ops.ones_like(x), axis, False)
    out = reduce.sum(x * w, axis, False) / total
    return (out, total) if returned else out


def ptp(x, axis=None, keepdims=False) -> Tensor:
    """The largest entry less the smallest, along the axes (of all, if None)."""
    return ops.amax(x, axis, keepdims) - ops.amin(x, axis, keepdims)


def norm(x, ord=None, axis=None, keepdims=False) -> Tensor:
    """The norm of vectors or matrices; see ``ops.norm``."""
    return ops.norm(x, ord, axis, keepdims)


def tensordot(a, b, axes=2) -> Tensor:
    """The products of entries, summed over some axes of a and as many of b."""
    if not isinstance(axes, int):
        axes = tuple((i,) if isinstance(i, int) else tuple(i) for i in axes)
    return ops.tensor_dot(a, b, axes)


def kron(a, b) -> Tensor:
    """Each entry of a times all of b, laid out as blocks."""
    return ops.kron(a, b)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None) -> Tensor:
    """The vector products along the last axis, or along those given."""
    first, second, out = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = ops.movedim(a, first, -1), ops.movedim(b, second, -1)
    return ops.movedim(ops.cross(a, b, -1), -1, out)


def multi_dot(arrays) -> Tensor:
    """The product of several matrices, from left to right."""
    out, *others = arrays
    for other in others:
        out = ops.matmul(out, other)
    return out


def split(x, indices_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Parts along an axis: this many equal ones, or with cuts before these places."""
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(
            f"split: axis {axis} of {x.shape} has no {indices_or_sections} equal parts"
        )
    return ops.tensor_split(x, indices_or_sections, axis)


def array_split(x, indices_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Parts along an axis, as equal as can be."""
    return ops.tensor_split(x, indices_or_sections, axis)


def pad(arr, pad_width, mode="constant", constant_values=0, **more) -> Tensor:
    """arr with more entries around it; ``pad_width`` is a number, a pair, or pairs by axis."""
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    modes["symmetric"] = "symmetric"
    if mode not in modes or more:
        raise ValueError(f"pad: mode must be one of {', '.join(modes)}, without further arguments")
    widths = np.broadcast_to(pad_width, (arr.ndim, 2))
    return ops.pad(arr, widths[::-1].ravel().tolist(), modes[mode], constant_values)


def roll(a, shift, axis=None) -> Tensor:
    """a with its entries shifted along the axes; those that fall off come in at the front."""
    return ops.roll(a, shift, axis)


def rot90(a, k=1, axes=(0, 1)) -> Tensor:
    """a turned k times by 90 degrees."""
    return ops.rot90(a, k, axes)


def rollaxis(x, axis, start=0) -> Tensor:
    """x with an axis moved before the place ``start``."""
    axis %= x.ndim
    start += x.ndim if start < 0 else 0
    return ops.movedim(x, axis, start - 1 if axis < start else start)


def repeat(a, repeats, axis=None) -> Tensor:
    """Each entry so many times along an axis; of all in a row, if None."""
    return ops.repeat_interleave(a, repeats, axis)


def meshgrid(*xi, sparse=False, indexing="xy") -> list[Tensor]:
    """Coordinate Tensors of a grid, one for each vector."""
    if sparse:
        raise ValueError("meshgrid: minigrad has sparse=False only")
    return list(ops.meshgrid(*xi, indexing=indexing))


def broadcast_arrays(*args) -> list[Tensor]:
    """The Tensors, repeated to one shape."""
    full = np.broadcast_shapes(*(x.shape for x in args))
    return [ops.broadcast_to(x, full) for x in args]


def diag(v, k=0) -> Tensor:
    """The matrix with this diagonal, or the diagonal of a matrix."""
    return ops.diagflat(v, k) if v.ndim == 1 else ops.diagonal(v, k)


def diagonal(a, offset=0, axis1=0, axis2=1) -> Tensor:
    """The diagonal of the matrices in two axes."""
    return ops.diagonal(a, offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
    """The sum of a diagonal of the matrices in two axes; that of integers is int64."""
    return a.trace(offset, axis1, axis2, dtype)


def take(a, indices, axis=None, mode="clip") -> Tensor:
    """The entries at these places along an axis; of all in a row, if None."""
    return a.take(indices, axis, mode)


def take_along_axis(arr, indices, axis) -> Tensor:
    """At each place, the entry of arr at that place, but for the position along axis."""
    return index.take_along(arr, unwrap(indices), axis)


def unique(x, return_inverse=False) -> Tensor | tuple[Tensor, Tensor]:
    """The different entries in the order in which they come; which of them each entry is."""
    values, which = ops.unique(x)
    return (values, which) if return_inverse else values


def trapz(y, x=None, dx=1.0, axis=-1) -> Tensor:
    """The area below y along an axis, by trapezia."""
    return ops.trapz(y, x, dx=dx, dim=axis)


def count_nonzero(x, axis=None, keepdims=False) -> Tensor:
    """The number of entries that are not 0."""
    return ops.count_nonzero(x, axis, keepdims)


def around(a, decimals=0) -> Tensor:
    """The nearest whole number (of units of 10 ** -decimals)."""
    return ops.round(a, decimals=decimals)


def array_equal(a1, a2, equal_nan=False) -> Tensor:
    """True if the shapes and all entries are equal."""

    def equal(x, y):
        return np.array(np.array_equal(x, y, equal_nan))

    return wrap(samples.for_each_sample("array_equal", equal, a1, a2))


def isin(element, test_elements, invert=False) -> Tensor:
    """True where an entry is one of test_elements."""

    def found(x, among):
        return np.isin(x, among, invert=invert)

    return wrap(samples.for_each_sample("isin", found, element, test_elements))


def searchsorted(a, v, side="left", sorter=None) -> Tensor:
    """Where each value belongs in a sorted row (int32)."""
    return ops.searchsorted(a, v, side=side, sorter=sorter, out_int32=True)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None) -> Tensor:
    """base to the powers of num numbers from start to stop."""
    values = np.logspace(start, stop, num, endpoint, base, np.dtype(dtype or dtypes.float32))
    return wrap(values)


def tri(N, M=None, k=0, dtype=dtypes.float32) -> Tensor:
    """The matrix with ones on and below a diagonal."""
    return wrap(np.tri(N, M, k, np.dtype(dtype)))


def empty(shape, dtype=dtypes.float32) -> Tensor:
    """A Tensor whose values do not matter (here zeros)."""
    return ops.zeros(shape, dtype)


def identity(n, dtype=dtypes.float32) -> Tensor:
    """The square matrix with ones on its diagonal."""
    return ops.eye(n, n, dtype)


def rand(*size, dtype=dtypes.float32) -> Tensor:
    """Numbers from 0 to 1, all alike likely."""
    return ops.rand(*size, dtype=dtype)


def randn(*size, dtype=dtypes.float32) -> Tensor:
    """Numbers from the normal law with mean 0 and variance 1."""
    return ops.randn(*size, dtype=dtype)


def randint(minval, maxval=None, shape=None, dtype=dtypes.int32) -> Tensor:
    """Whole numbers from minval up to, and without, maxval; below minval, if there is no maxval."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return ops.randint(low, high, () if shape is None else shape, dtype=dtype)


def select(condlist, choicelist, default=0) -> Tensor:
    """At each place the choice of the first condition that holds, or the default."""
    out = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = ops.where(condition, choice, out)
    return out


rint = round = around


def _of_floats(op):
    """An op that makes whole numbers float32, as all of numpy's functions of this kind do here."""

    def function(x) -> Tensor:
        return op(x if ops.is_floating_point(x) else x.astype(dtypes.float32))

    function.__name__, function.__doc__ = op.__name__, op.__doc__
    return function


ceil, fix, sign, trunc = map(_of_floats, (ops.ceil, ops.trunc, ops.sign, ops.trunc))


def float_power(x1, x2) -> Tensor:
    """x1 to the power of x2; of whole numbers, in float32."""
    return (x1 if ops.is_floating_point(x1) else x1.astype(dtypes.float32)) ** x2


def where(condition, x=None, y=None) -> Tensor:
    """x where the condition holds, y elsewhere."""
    out = ops.where(condition, x, y)
    return _narrow(out) if isinstance(x, int) and isinstance(y, int) else out


def vander(x, N=None, increasing=False) -> Tensor:
    """The powers of a vector's entries as columns, from N - 1 down to 0, or up."""
    out = ops.vander(x, N)
    return ops.fliplr(out) if increasing else out


def _of_known(reduction, least):
    """The extreme of the entries that are not nan; nan, if all are."""

    def function(a, axis=None, keepdims=False) -> Tensor:
        if not ops.is_floating_point(a):
            return reduction(a, axis, keepdims)
        known = ~ops.isnan(a)
        out = reduction(ops.where(known, a, least), axis, keepdims)
        return ops.where(ops.any(known, axis, keepdims), out, nan)

    function.__doc__ = _of_known.__doc__
    return function


nanmax, nanmin = _of_known(ops.amax, -inf), _of_known(ops.amin, inf)


_OTHERS = {"annotations", "dtypes", "index", "np", "ops", "reduce", "shape", "unwrap", "wrap"}
__all__ = sorted(name for name in globals() if name[0] != "_" and name not in _OTHERS)
