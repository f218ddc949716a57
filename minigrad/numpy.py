"""``minigrad.numpy``, as ``mindspore.numpy``: numpy's names and arguments, on Tensors.

Numbers and lists are taken for Tensors: of int32, float32 or bool.
"""

import numpy as _np

from . import dtype as _dtypes
from . import ops as _ops
from . import samples as _samples
from .numpy_names import array
from .numpy_names import cast as _cast
from .numpy_names import on_tensors as _on_tensors
from .numpy_names import same_names as _same_names
from .rules import index as _index
from .rules import reduce as _reduce
from .rules import shape as _shape
from .tensor import Tensor as _Tensor
from .tensor import unwrap as _unwrap
from .tensor import wrap as _wrap

globals().update(_same_names())
pi, inf, nan, e, newaxis = _np.pi, _np.inf, _np.nan, _np.e, None


def asarray(a, dtype=None) -> _Tensor:
    """A Tensor of the numbers in a; Python integers become int32."""
    return array(a, dtype)


def _narrow(tensor):
    """Integers as int32, which mindspore.numpy makes where nobody says otherwise."""
    return tensor.astype(_dtypes.int32) if tensor.dtype == _dtypes.int64 else tensor


def absolute(x, dtype=None) -> _Tensor:
    """The distance from 0."""
    return _cast(_ops.abs(x), dtype)


def power(x1, x2, dtype=None) -> _Tensor:
    """x1 to the power of x2."""
    return _cast(_ops.pow(x1, x2), dtype)


def sum(a, axis=None, dtype=None, keepdims=False, initial=None) -> _Tensor:
    """The sum over the axes (all, if None), and of ``initial``."""
    out = _reduce.sum(_cast(a, dtype), axis, keepdims)
    return out if initial is None else out + initial


def mean(a, axis=None, keepdims=False, dtype=None) -> _Tensor:
    """The mean over the axes (all, if None)."""
    return _cast(_reduce.mean(_cast(a, dtype), axis, keepdims), dtype)


def prod(a, axis=None, dtype=None, keepdims=False, initial=None) -> _Tensor:
    """The product over the axes (all, if None), and of ``initial``."""
    out = _ops.prod(a, axis, keepdims, dtype)
    return out if initial is None else out * initial


def max(a, axis=None, keepdims=False, initial=None, where=True) -> _Tensor:
    """The largest entry along the axes (all, if None), of those that ``where`` lets count.

    ``initial`` counts as one more.
    """
    where = None if where is True else where
    return _ops.amax(a, axis, keepdims, initial=initial, where=where)


def min(a, axis=None, keepdims=False, initial=None, where=True) -> _Tensor:
    """The smallest entry along the axes (all, if None), of those that ``where`` lets count.

    ``initial`` counts as one more.
    """
    where = None if where is True else where
    return _ops.amin(a, axis, keepdims, initial=initial, where=where)


amax, amin = max, min


def var(x, axis=None, ddof=0, keepdims=False) -> _Tensor:
    """The mean squared distance from the mean."""
    return _ops.var(x, axis, ddof, keepdims)


def std(x, axis=None, ddof=0, keepdims=False) -> _Tensor:
    """The root of ``var``."""
    return _ops.std(x, axis, ddof, keepdims)


def cumsum(a, axis=None, dtype=None) -> _Tensor:
    """The sums of the first 1, 2, 3, ... entries along an axis (of all in a row, if None)."""
    return a.cumsum(axis, dtype)


def dot(a, b) -> _Tensor:
    """The product of a and b: sums over the last axis of a and the last but one of b."""
    if a.ndim == 0 or b.ndim == 0:
        return _ops.mul(a, b)
    if b.ndim <= 2:
        return _ops.matmul(a, b)
    b = _shape.transpose(b, (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1))
    return _ops.tensor_dot(a, b, 1)


def concatenate(arrays, axis=0) -> _Tensor:
    """The Tensors one after the other along an axis; all entries in a row, if None."""
    return _ops.concat(list(map(ravel, arrays)) if axis is None else arrays, axis or 0)


def reshape(x, new_shape) -> _Tensor:
    """x in another shape, with the same entries in the same order."""
    return _shape.reshape(x, new_shape)


def transpose(a, axes=None) -> _Tensor:
    """a with its axes in this order (reversed, if None)."""
    return _shape.transpose(a, None if axes is None else tuple(axes))


def expand_dims(a, axis) -> _Tensor:
    """a with an axis of length 1 at this place, or at each of these places of the output."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    n = a.ndim + len(axes)
    places = sorted({i % n for i in axes if -n <= i < n})
    if len(places) < len(axes):
        raise ValueError(
            f"expand_dims: axis must name different places from {-n} to {n - 1} for a Tensor of "
            f"shape {a.shape}, but got {axis}"
        )
    for place in places:
        a = _ops.expand_dims(a, place)
    return a


def broadcast_to(array, shape) -> _Tensor:
    """array repeated to this shape."""
    return _ops.broadcast_to(array, shape)


def flip(m, axis=None) -> _Tensor:
    """m with the order of its entries reversed along the axes (all, if None)."""
    return _index.flip(m, tuple(range(m.ndim)) if axis is None else axis)


def ravel(x) -> _Tensor:
    """x in one row."""
    return _shape.reshape(x, (-1,))


def clip(x, xmin, xmax, dtype=None) -> _Tensor:
    """x, but never outside the two bounds."""
    return _cast(_ops.clip_by_value(x, xmin, xmax), dtype)


def argmax(a, axis=None) -> _Tensor:
    """The index of the largest entry along an axis."""
    return _ops.argmax(a, axis)


def argmin(a, axis=None) -> _Tensor:
    """The index of the smallest entry along an axis."""
    return _ops.argmin(a, axis)


def ones(shape, dtype=_dtypes.float32) -> _Tensor:
    """A Tensor full of ones."""
    return _ops.ones(shape, dtype)


def zeros(shape, dtype=_dtypes.float32) -> _Tensor:
    """A Tensor full of zeros."""
    return _ops.zeros(shape, dtype)


def full(shape, fill_value, dtype=None) -> _Tensor:
    """A Tensor full of one value."""
    tensor = _ops.full(shape, fill_value, dtype=dtype)
    return tensor if dtype else _narrow(tensor)


def eye(N, M=None, k=0, dtype=_dtypes.float32) -> _Tensor:
    """The matrix with ones on its diagonal, or on the k-th above it."""
    return _wrap(_np.eye(N, M, k, _np.dtype(dtype)))


def arange(start, stop=None, step=None, dtype=None) -> _Tensor:
    """Numbers from start up to, and without, stop."""
    tensor = _ops.arange(start, stop, 1 if step is None else step, dtype=dtype)
    return tensor if dtype else _narrow(tensor)


def linspace(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0
) -> _Tensor | tuple[_Tensor, _Tensor]:
    """``num`` numbers from start to stop, evenly apart; with ``retstep``, also how far."""
    kind = _np.dtype(dtype or _dtypes.float32)

    def between(a, b):
        values, step = _np.linspace(a, b, num, endpoint, retstep=True, dtype=kind, axis=axis)
        return values, _np.array(step, kind)

    values, step = map(_wrap, _samples.for_each_sample("linspace", between, start, stop))
    return (values, step) if retstep else values


# ------------------------------------------------------------------ more, with numpy's arguments
def diff(a, n=1, axis=-1, prepend=None, append=None) -> _Tensor:
    """The differences of neighbours along an axis, taken n times.

    ``prepend`` and ``append`` lengthen it before: a number does so by one entry in each row.
    """

    def lengthened_by(x):
        if x is None or x.ndim:
            return x
        return _ops.broadcast_to(x, (*a.shape[:axis], 1, *a.shape[axis:][1:]))

    return _ops.diff(a, n, axis, lengthened_by(prepend), lengthened_by(append))


def cumprod(a, axis=None, dtype=None) -> _Tensor:
    """The products of the first 1, 2, 3, ... entries along an axis (of all in a row, if None)."""
    if dtype is None and _unwrap(a).dtype.kind in "iub" and _unwrap(a).itemsize <= 4:
        dtype = _dtypes.uint32 if _unwrap(a).dtype.kind == "u" else _dtypes.int32
    a = _cast(a, dtype)
    return _ops.CumProd()(ravel(a), 0) if axis is None else _ops.CumProd()(a, axis)


def append(arr, values, axis=None) -> _Tensor:
    """arr with values behind it along an axis; both in a row, if None."""
    return _ops.concat((ravel(arr), ravel(values)) if axis is None else (arr, values), axis or 0)


def average(x, axis=None, weights=None, returned=False) -> _Tensor | tuple[_Tensor, _Tensor]:
    """The mean, weighed; with ``returned``, also the sum of the weights."""
    w = _ops.ones_like(x) if weights is None else weights
    if w.ndim == 1 and x.ndim > 1 and isinstance(axis, int):
        w = _shape.reshape(w, (-1, *[1] * (x.ndim - 1 - axis % x.ndim)))
    total = _reduce.sum(w * _ops.ones_like(x), axis, False)
    out = _reduce.sum(x * w, axis, False) / total
    return (out, total) if returned else out


def ptp(x, axis=None, keepdims=False) -> _Tensor:
    """The largest entry less the smallest, along the axes (of all, if None)."""
    return _ops.amax(x, axis, keepdims) - _ops.amin(x, axis, keepdims)


def norm(x, ord=None, axis=None, keepdims=False) -> _Tensor:
    """The norm of vectors or matrices; see ``ops.norm``."""
    return _ops.norm(x, ord, axis, keepdims)


def tensordot(a, b, axes=2) -> _Tensor:
    """The products of entries, summed over some axes of a and as many of b."""
    if not isinstance(axes, int):
        axes = tuple((i,) if isinstance(i, int) else tuple(i) for i in axes)
    return _ops.tensor_dot(a, b, axes)


def kron(a, b) -> _Tensor:
    """Each entry of a times all of b, laid out as blocks."""
    return _ops.kron(a, b)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None) -> _Tensor:
    """The vector products along the last axis, or along those given.

    Vectors of length 2 lie in the plane of the first two axes; of two such, the output is the third
    entry alone.
    """
    first, second, out = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = _ops.movedim(a, first, -1), _ops.movedim(b, second, -1)
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (_ops.pad(x, [0, 1]) if x.shape[-1] == 2 else x for x in (a, b))
    return _ops.movedim(_ops.cross(a, b, -1), -1, out)


def multi_dot(arrays) -> _Tensor:
    """The product of several matrices, from left to right."""
    out, *others = arrays
    for other in others:
        out = _ops.matmul(out, other)
    return out


def split(x, indices_or_sections, axis=0) -> tuple[_Tensor, ...]:
    """Parts along an axis: this many equal ones, or with cuts before these places."""
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(
            f"split: axis {axis} of {x.shape} has no {indices_or_sections} equal parts"
        )
    return _ops.tensor_split(x, indices_or_sections, axis)


def array_split(x, indices_or_sections, axis=0) -> tuple[_Tensor, ...]:
    """Parts along an axis, as equal as can be."""
    return _ops.tensor_split(x, indices_or_sections, axis)


def pad(
    arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0,
    reflect_type="even",
) -> _Tensor:  # fmt: skip
    """arr with more entries around it; ``pad_width`` is a number, a pair, or pairs by axis."""
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    modes["symmetric"] = "symmetric"
    if mode not in modes:
        raise ValueError(f"pad: mode must be one of {', '.join(modes)}, but got {mode!r}")
    if stat_length is not None or end_values != 0 or reflect_type != "even":
        raise ValueError("pad: minigrad has no stat_length, end_values or reflect_type, so far")
    widths = _np.broadcast_to(pad_width, (arr.ndim, 2))
    return _ops.pad(arr, widths[::-1].ravel().tolist(), modes[mode], constant_values)


def roll(a, shift, axis=None) -> _Tensor:
    """a with its entries shifted along the axes; those that fall off come in at the front."""
    return _ops.roll(a, shift, axis)


def rot90(a, k=1, axes=(0, 1)) -> _Tensor:
    """a turned k times by 90 degrees."""
    return _ops.rot90(a, k, axes)


def rollaxis(x, axis, start=0) -> _Tensor:
    """x with an axis moved before the place ``start``."""
    axis %= x.ndim
    start += x.ndim if start < 0 else 0
    return _ops.movedim(x, axis, start - 1 if axis < start else start)


def repeat(a, repeats, axis=None) -> _Tensor:
    """Each entry so many times along an axis; of all in a row, if None."""
    return _ops.repeat_interleave(a, repeats, axis)


def meshgrid(*xi, sparse=False, indexing="xy") -> list[_Tensor]:
    """Coordinate Tensors of a grid, one for each vector."""
    if sparse:
        raise ValueError("meshgrid: minigrad has sparse=False only")
    return list(_ops.meshgrid(*xi, indexing=indexing))


def broadcast_arrays(*args) -> list[_Tensor]:
    """The Tensors, repeated to one shape."""
    full = _np.broadcast_shapes(*(x.shape for x in args))
    return [_ops.broadcast_to(x, full) for x in args]


def diag(v, k=0) -> _Tensor:
    """The matrix with this diagonal, or the diagonal of a matrix."""
    return _ops.diagflat(v, k) if v.ndim == 1 else _ops.diagonal(v, k)


def diagonal(a, offset=0, axis1=0, axis2=1) -> _Tensor:
    """The diagonal of the matrices in two axes."""
    return _ops.diagonal(a, offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None) -> _Tensor:
    """The sum of a diagonal of the matrices in two axes; that of integers is int64."""
    return a.trace(offset, axis1, axis2, dtype)


def take(a, indices, axis=None, mode="clip") -> _Tensor:
    """The entries at these places along an axis; of all in a row, if None."""
    return a.take(indices, axis, mode)


def take_along_axis(arr, indices, axis) -> _Tensor:
    """At each place, the entry of arr at that place, but for the position along axis."""
    return _index.take_along(arr, _unwrap(indices), axis)


def unique(x, return_inverse=False) -> _Tensor | tuple[_Tensor, _Tensor]:
    """The different entries in the order in which they come; which of them each entry is."""
    values, which = _ops.unique(x)
    return (values, which) if return_inverse else values


def trapz(y, x=None, dx=1.0, axis=-1) -> _Tensor:
    """The area below y along an axis, by trapezia."""
    return _ops.trapz(y, x, dx=dx, dim=axis)


def count_nonzero(x, axis=None, keepdims=False) -> _Tensor:
    """The number of entries that are not 0."""
    return _ops.count_nonzero(x, axis, keepdims)


def around(a, decimals=0) -> _Tensor:
    """The nearest whole number (of units of 10 ** -decimals)."""
    return _ops.round(a, decimals=decimals)


def array_equal(a1, a2, equal_nan=False) -> _Tensor:
    """True if the shapes and all entries are equal."""

    def equal(x, y):
        return _np.array(_np.array_equal(x, y, equal_nan))

    return _wrap(_samples.for_each_sample("array_equal", equal, a1, a2))


def isin(element, test_elements, invert=False) -> _Tensor:
    """True where an entry is one of test_elements."""

    def found(x, among):
        return _np.isin(x, among, invert=invert)

    return _wrap(_samples.for_each_sample("isin", found, element, test_elements))


def searchsorted(a, v, side="left", sorter=None) -> _Tensor:
    """Where each value belongs in a sorted row (int32)."""
    return _ops.searchsorted(a, v, side=side, sorter=sorter, out_int32=True)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0) -> _Tensor:
    """base to the powers of num numbers from start to stop."""
    kind = _np.dtype(dtype or _dtypes.float32)

    def between(a, b):
        return _np.logspace(a, b, num, endpoint, base, kind, axis=axis)

    return _wrap(_samples.for_each_sample("logspace", between, start, stop))


def tri(N, M=None, k=0, dtype=_dtypes.float32) -> _Tensor:
    """The matrix with ones on and below a diagonal."""
    return _wrap(_np.tri(N, M, k, _np.dtype(dtype)))


def empty(shape, dtype=_dtypes.float32) -> _Tensor:
    """A Tensor whose values do not matter (here zeros)."""
    return _ops.zeros(shape, dtype)


def identity(n, dtype=_dtypes.float32) -> _Tensor:
    """The square matrix with ones on its diagonal."""
    return _ops.eye(n, n, dtype)


def rand(*shape, dtype=_dtypes.float32) -> _Tensor:
    """Numbers from 0 to 1, all alike likely."""
    return _ops.rand(*shape, dtype=dtype)


def randn(*shape, dtype=_dtypes.float32) -> _Tensor:
    """Numbers from the normal law with mean 0 and variance 1."""
    return _ops.randn(*shape, dtype=dtype)


def randint(minval, maxval=None, shape=None, dtype=_dtypes.int32) -> _Tensor:
    """Whole numbers from minval up to, and without, maxval; below minval, if there is no maxval."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return _ops.randint(low, high, () if shape is None else shape, dtype=dtype)


def select(condlist, choicelist, default=0) -> _Tensor:
    """At each place the choice of the first condition that holds, or the default."""
    out = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = _ops.where(condition, choice, out)
    return out


round = around


def rint(x, dtype=None) -> _Tensor:
    """The nearest whole number; halves go to the even one."""
    return _cast(_ops.round(x), dtype)


def _of_floats(op):
    """An op that makes whole numbers float32, as all of numpy's functions of this kind do here."""

    def function(x, dtype=None) -> _Tensor:
        return _cast(op(x if _ops.is_floating_point(x) else x.astype(_dtypes.float32)), dtype)

    function.__name__, function.__doc__ = op.__name__, op.__doc__
    return function


ceil, fix, sign, trunc = map(_of_floats, (_ops.ceil, _ops.trunc, _ops.sign, _ops.trunc))


def float_power(x1, x2, dtype=None) -> _Tensor:
    """x1 to the power of x2; of whole numbers, in float32."""
    x1 = array(x1)
    return _cast((x1 if _ops.is_floating_point(x1) else x1.astype(_dtypes.float32)) ** x2, dtype)


def unwrap(p, discont=pi, axis=-1) -> _Tensor:
    """Angles with turns of 2 pi added, so that none is more than half a turn from the one before.

    Only jumps of at least ``discont`` are mended.
    """
    p = p if _ops.is_floating_point(p) else p.astype(_dtypes.float32)
    step = _ops.diff(p, axis=axis, prepend=_ops.narrow(p, axis, 0, 1))
    turns = _ops.sign(step) * _ops.ceil(_ops.abs(step) / (2 * pi) - 0.5)
    turns = _ops.where(_ops.abs(step) < discont, 0.0, turns)
    return p - 2 * pi * _ops.cumsum(turns, axis)


def full_like(a, fill_value, dtype=None, shape=None) -> _Tensor:
    """A Tensor full of one value, of the shape and dtype of a where none is given."""
    if shape is None:
        return _ops.full_like(a, fill_value, dtype=dtype)
    return _ops.full(shape, fill_value, dtype=dtype or a.dtype)


def ones_like(a, dtype=None, shape=None) -> _Tensor:
    """A Tensor full of ones, of the shape and dtype of a where none is given."""
    return full_like(a, 1, dtype, shape)


def zeros_like(a, dtype=None, shape=None) -> _Tensor:
    """A Tensor full of zeros, of the shape and dtype of a where none is given."""
    return full_like(a, 0, dtype, shape)


def bincount(x, weights=None, minlength=0, length=None) -> _Tensor:
    """How often each of 0, 1, 2, ... occurs, or the sum of its weights; ``length`` of them."""
    if length is None:
        return _ops.bincount(x, weights, minlength)
    return _ops.bincount(x, weights, length)[:length]


def cov(
    m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None
) -> _Tensor:
    """The covariances of the rows of m (and of y), or of the columns.

    ``ddof`` is taken off the count: 1, or 0 with ``bias``, if None.
    """
    if fweights is not None or aweights is not None:
        raise ValueError("cov: minigrad has no fweights and no aweights, so far")
    parts = [_ops.atleast_2d(_cast(x, dtype)) for x in (m, y) if x is not None]
    parts = [x if rowvar or x.shape[0] == 1 else x.T for x in parts]
    return _ops.cov(_ops.concat(parts), correction=int(not bias) if ddof is None else ddof)


def where(condition, x=None, y=None) -> _Tensor:
    """x where the condition holds, y elsewhere."""
    out = _ops.where(condition, x, y)
    return _narrow(out) if isinstance(x, int) and isinstance(y, int) else out


def vander(x, N=None, increasing=False) -> _Tensor:
    """The powers of a vector's entries as columns, from N - 1 down to 0, or up."""
    out = _ops.vander(x, N)
    out = out.astype(x.dtype) if x.dtype == _dtypes.int32 else out
    return _ops.fliplr(out) if increasing else out


def _of_known(reduction, least):
    """The extreme of the entries that are not nan; nan, if all are."""

    def function(a, axis=None, dtype=None, keepdims=False) -> _Tensor:
        if not _ops.is_floating_point(a):
            return _cast(reduction(a, axis, keepdims), dtype)
        known = ~_ops.isnan(a)
        out = reduction(_ops.where(known, a, least), axis, keepdims)
        return _cast(_ops.where(_ops.any(known, axis, keepdims), out, nan), dtype)

    function.__doc__ = _of_known.__doc__
    return function


nanmax, nanmin = _of_known(_ops.amax, -inf), _of_known(_ops.amin, inf)


__all__ = sorted(name for name in globals() if name[0] != "_")
for _name in set(__all__) - {"array", "asarray"}:
    if callable(globals()[_name]):
        globals()[_name] = _on_tensors(globals()[_name])
