"""Functions that reduce or accumulate along axes, by MindSpore's names."""

import builtins

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import isnan, logical_not, maximum, minimum, root, square
from ..rules.elementwise import where as _where
from ..rules.index import flip
from ..rules.reduce import all, any, axes_of, axis_of, log_softmax  # MindSpore's names
from ..rules.shape import cast, concatenate, reshape
from ..tensor import Tensor, unwrap, wrap
from .index import gather_elements


def _axis(axis):
    return tuple(axis) or None if isinstance(axis, list | tuple) else axis


def sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The sum over the axes dim (all, if None).

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdim
    Dtypes: floats stay, bools and most integers become int64; or dtype
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.sum(Tensor([[1, 2], [3, 4]]), 0))
    [4 6]

    Source: numpy.sum
    """
    return rules.sum(input if dtype is None else input.astype(dtype), _axis(dim), keepdim)


def mean(x, axis=None, keep_dims=False) -> Tensor:
    """The mean over the axes (all, if None). That of no entries is nan.

    Shapes: any; the output lacks those axes, or has them with length 1 if keep_dims
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 6.0]]), 1))
    [1.5 4.5]

    Source: numpy.mean
    """
    return rules.mean(x, _axis(axis), keep_dims)


def prod(input, axis=None, keep_dims=False, dtype=None) -> Tensor:
    """The product over the axes (all, if None). Right, with its gradient, across zeros.

    Shapes: any; the output lacks those axes, or has them with length 1 if keep_dims
    Dtypes: floats stay, bools and most integers become int64; or dtype
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.prod(Tensor([[1, 2], [3, 4]]), 0))
    [3 8]

    Source: numpy.prod
    """
    x = input if dtype is None else input.astype(dtype)
    return rules.prod(x, axes_of(_axis(axis), x.ndim), keep_dims)


def _masked(name, largest, x, axis, keepdims, initial, where) -> Tensor:
    """The extreme over the axes, of initial and the entries where a mask holds."""
    if where is not None:
        if initial is None:
            raise ValueError(f"{name}: with where, initial must say what stands for the others")
        x = _where(where, x, initial)
    out = (rules.amax if largest else rules.amin)(x, _axis(axis), keepdims)
    if initial is None:
        return out
    return (maximum if largest else minimum)(out, initial)


def amax(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest entry along the axes (all, if None). Entries that tie share the gradient.

    ``where`` says which entries count, ``initial`` is counted as one more.

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdims
    Dtypes: any; the output has that of input, or what initial makes of it
    Raises IndexError if an axis is out of range, ValueError if there are no entries, or with where
        but without initial.

    >>> from minigrad import Tensor, ops
    >>> print(ops.amax(Tensor([[1, 5], [3, 4]]), 0))
    [3 5]

    Source: numpy.amax
    """
    return _masked("amax", True, input, axis, keepdims, initial, where)


def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest entry along the axes (all, if None). Entries that tie share the gradient.

    ``where`` says which entries count, ``initial`` is counted as one more.

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdims
    Dtypes: any; the output has that of input, or what initial makes of it
    Raises IndexError if an axis is out of range, ValueError if there are no entries, or with where
        but without initial.

    >>> from minigrad import Tensor, ops
    >>> print(ops.amin(Tensor([[1, 5], [3, 4]]), 0))
    [1 4]

    Source: numpy.amin
    """
    return _masked("amin", False, input, axis, keepdims, initial, where)


def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the largest of all entries (ties share the gradient), and 0, as in MindSpore.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; the values have that of input, the indices are int64
    Raises IndexError if the axis is out of range, ValueError if there are no entries, or where or
        initial come with an axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.max(Tensor([[1, 5], [3, 4]]), 0)
    >>> print(values, places)
    [3 5] [1 0]

    Source: numpy.amax and numpy.argmax
    """
    if axis is None:
        return amax(input, initial=initial, where=where), Tensor(0)
    _refuse("max", initial=initial, where=where)
    return _pick(input, rules.argmax(input, axis, True), axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the smallest of all entries (ties share the gradient), and 0, as in MindSpore.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; the values have that of input, the indices are int64
    Raises IndexError if the axis is out of range, ValueError if there are no entries, or where or
        initial come with an axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.min(Tensor([[1, 5], [3, 4]]), 0)
    >>> print(values, places)
    [1 4] [0 1]

    Source: numpy.amin and numpy.argmin
    """
    if axis is None:
        return amin(input, initial=initial, where=where), Tensor(0)
    _refuse("min", initial=initial, where=where)
    return _pick(input, rules.argmin(input, axis, True), axis, keepdims)


def aminmax(input, *, axis=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest entries along an axis. Entries that tie share the gradient.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; both outputs have that of input
    Raises IndexError if the axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> low, high = ops.aminmax(Tensor([3, 1, 2]))
    >>> print(low, high)
    1 3

    Source: numpy.amin and numpy.amax
    """
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def _pick(x, indices, axis, keepdims):
    axes_of(axis, x.ndim)  # raises for one that is not there
    if not x.ndim:
        return reshape(x, ()), indices
    values = gather_elements(x, axis, indices)
    if keepdims:
        return values, indices
    shape = values.shape[: axis % x.ndim] + values.shape[axis % x.ndim + 1 :]
    return reshape(values, shape), reshape(indices, shape)


def _refuse(name, **arguments):
    for argument, value in arguments.items():
        if value is not None:
            raise ValueError(f"ops.{name}: minigrad has no {argument}, so far")


def argmax(input, dim=None, keepdim=False) -> Tensor:
    """The (first) index of the largest entry along dim; of the flattened Tensor, if None.

    Shapes: any; the output lacks dim, or has it with length 1 if keepdim
    Dtypes: any; the output is int64, without a gradient
    Raises IndexError if dim is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argmax(Tensor([[1, 5], [3, 4]]), 1))
    [1 1]

    Source: numpy.argmax
    """
    return rules.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False) -> Tensor:
    """The (first) index of the smallest entry along an axis; of the flattened Tensor, if None.

    Shapes: any; the output lacks the axis, or has it with length 1 if keepdims
    Dtypes: any; the output is int32, without a gradient
    Raises IndexError if the axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argmin(Tensor([[1, 5], [3, 4]]), 1))
    [0 0]

    Source: numpy.argmin
    """
    return rules.argmin(input, axis, keepdims).astype(np.int32)


def var(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The mean squared distance from the mean; ``ddof`` is taken off the count.

    Shapes: any; the output lacks the axes (all, if None), or has them with length 1 if keepdims
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.var(Tensor([1.0, 3.0])), ops.var(Tensor([1.0, 3.0]), ddof=1))
    1.0 2.0

    Source: numpy.var; Chan, Golub and LeVeque, The American Statistician 37, 1983 (the mean is
        taken first)
    """
    axes = axes_of(_axis(axis), input.ndim)
    count = int(np.prod([input.shape[a] for a in axes]))
    distance = input - rules.mean(input, axes, True)
    return rules.sum(square(distance), axes, keepdims) / builtins.max(count - int(ddof), 0)


def std(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The root of ``var``. The gradient of a constant is 0, where the true one is unbounded.

    Shapes: any; the output lacks the axes (all, if None), or has them with length 1 if keepdims
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.std(Tensor([1.0, 5.0])))
    2.0

    Source: numpy.std
    """
    return root(var(input, axis, ddof, keepdims))


def std_mean(input, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean.

    Shapes: any; both outputs lack the axes (all, if None), or have them with length 1 if keepdims
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> deviation, middle = ops.std_mean(Tensor([1.0, 5.0]))
    >>> print(deviation, middle)
    2.0 3.0

    Source: numpy.std and numpy.mean
    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(input, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The variance and the mean.

    Shapes: any; both outputs lack the axes (all, if None), or have them with length 1 if keepdims
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> variance, middle = ops.var_mean(Tensor([1.0, 5.0]))
    >>> print(variance, middle)
    4.0 3.0

    Source: numpy.var and numpy.mean
    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def nansum(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The sum of the entries that are not nan; the others get gradient 0.

    Shapes: any; the output lacks the axes (all, if None), or has them with length 1 if keepdims
    Dtypes: floats stay, bools and most integers become int64; or dtype
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
    3.0

    Source: numpy.nansum
    """
    if unwrap(input).dtype.kind == "f":
        input = _where(isnan(input), 0.0, input)
    return sum(input, axis, keepdims, dtype=dtype)


def nanmean(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The mean of the entries that are not nan; the others get gradient 0. Of none at all: nan.

    Shapes: any; the output lacks the axes (all, if None), or has them with length 1 if keepdims
    Dtypes: floats stay, others become float32; or dtype
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.nanmean(Tensor([1.0, float("nan"), 2.0])))
    1.5

    Source: numpy.nanmean
    """
    known = cast(logical_not(isnan(input)), unwrap(input).dtype)
    return nansum(input, axis, keepdims, dtype=dtype) / sum(known, axis, keepdims)


def cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor:
    """The covariances of the rows; ``correction`` is taken off the count.

    Shapes: n rows of observations give (n, n); a single row gives a number, its variance
    Dtypes: floats stay, others become float32
    Raises ValueError if input has more than two axes, or weights are given, which minigrad lacks.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cov(Tensor([[1.0, 3.0], [2.0, -2.0]])))
    [[ 2. -4.]
     [-4.  8.]]

    Source: numpy.cov
    """
    _refuse("cov", fweights=fweights, aweights=aweights)
    if input.ndim > 2:
        raise ValueError(f"cov: input must have at most 2 axes, but has shape {input.shape}")
    x = input if input.ndim > 1 else reshape(input, (1, -1))
    distance = x - rules.mean(x, 1, True)
    out = distance @ distance.T / builtins.max(x.shape[1] - correction, 0)
    return out if out.size > 1 else reshape(out, ())


def diff(x, n=1, axis=-1, prepend=None, append=None) -> Tensor:
    """The differences of neighbours along an axis, taken n times.

    Shapes: one axis or more; that axis gets shorter by n; prepend and append make it longer before
    Dtypes: any; the output has that of x; with bools, whether neighbours differ
    Raises IndexError if the axis is out of range, ValueError if n is below 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.diff(Tensor([1.0, 4.0, 9.0])))
    [3. 5.]

    Source: numpy.diff
    """
    axis = axis_of(axis, x.ndim)
    if n < 0:
        raise ValueError(f"diff: n must be from 0 on, but got {n}")
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concatenate(parts, axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


def trapz(y, x=None, *, dx=1.0, dim=-1) -> Tensor:
    """The area below y along an axis, by trapezia; x is where y was measured, dx the step.

    Shapes: one axis or more, which the output lacks; x as y, or a vector as long as the axis
    Dtypes: floats stay, integers become float32
    Raises IndexError if the axis is out of range, ValueError if x does not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.trapz(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
    4.0

    Source: DLMF 3.5(i), the trapezoidal rule; numpy.trapezoid
    """
    dim = axis_of(dim, y.ndim)
    before = (slice(None),) * dim
    heights = (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2
    if x is None:
        return rules.sum(heights * dx, dim)
    steps = diff(x, axis=-1 if x.ndim == 1 else dim)
    if x.ndim == 1:
        steps = reshape(steps, (-1, *[1] * (y.ndim - 1 - dim)))
    return rules.sum(heights * steps, dim)


def logcumsumexp(input, axis) -> Tensor:
    """log of the sums of the first 1, 2, 3, ... exponentials along an axis, without overflow.

    Shapes: one axis or more; the output has the shape of input
    Dtypes: floats stay, others become float32
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logcumsumexp(Tensor([1000.0, 1000.0]), 0))
    [1000.     1000.6932]

    Source: Blanchard, Higham and Higham, IMA Journal of Numerical Analysis 41, 2021, for each sum
    """
    axis = axis_of(axis, input.ndim)
    n = input.shape[axis]
    later = np.arange(n)[:, None] < np.arange(n)  # at row i, the entries after i
    shape = [1] * (input.ndim + 1)
    shape[axis], shape[axis + 1] = n, n
    wide = reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))
    return rules.logsumexp(_where(wrap(later.reshape(shape)), -np.inf, wide), axis + 1)


def logsumexp(input, dim, keepdim=False) -> Tensor:
    """log(sum(exp(x))) over the axes dim, without overflow. That of -inf alone is -inf, gradient 0.

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdim
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logsumexp(Tensor([1000.0, 1000.0]), 0))
    1000.6932

    Source: Blanchard, Higham and Higham, IMA Journal of Numerical Analysis 41, 2021
    """
    return rules.logsumexp(input, _axis(dim), keepdim)


def softmax(input, axis=-1, *, dtype=None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, without overflow.

    Shapes: any; the output has the shape of input
    Dtypes: floats stay, others become float32; or dtype
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.softmax(Tensor([0.0, 0.0])))
    [0.5 0.5]

    Source: Bridle, in Neurocomputing (NATO ASI Series F 68), 1990; without overflow as Blanchard,
        Higham and Higham, IMA Journal of Numerical Analysis 41, 2021
    """
    return rules.softmax(input if dtype is None else input.astype(dtype), axis)


def reduce_sum(x, axis=()) -> Tensor:
    """The sum over the axes; all, if none are given. ``sum`` under another name.

    Shapes: any; the output lacks those axes
    Dtypes: floats stay, bools and most integers become int64
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_sum(Tensor([[1, 2], [3, 4]]), 1))
    [3 7]

    Source: numpy.sum
    """
    return cast(sum(x, axis), unwrap(x).dtype)


def reduce_mean(x, axis=()) -> Tensor:
    """The mean over the axes; all, if none are given. ``mean`` under another name.

    Shapes: any; the output lacks those axes
    Dtypes: floats stay, others become float32
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_mean(Tensor([1.0, 2.0])))
    1.5

    Source: numpy.mean
    """
    return mean(x, axis)


def reduce_max(x, axis=()) -> Tensor:
    """The largest entry along the axes; of all, if none are given. Ties share the gradient.

    Shapes: any; the output lacks those axes
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_max(Tensor([[1, 5], [3, 4]]), 1))
    [5 4]

    Source: numpy.amax
    """
    return amax(x, axis)


def reduce_min(x, axis=()) -> Tensor:
    """The smallest entry along the axes; of all, if none are given. Ties share the gradient.

    Shapes: any; the output lacks those axes
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_min(Tensor([[1, 5], [3, 4]]), 1))
    [1 3]

    Source: numpy.amin
    """
    return amin(x, axis)


def cumsum(x, axis, dtype=None) -> Tensor:
    """The sums of the first 1, 2, 3, ... entries along an axis.

    Shapes: any; the output has the shape of x
    Dtypes: any; the output has that of x, int64 for bools; or dtype
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]

    Source: numpy.cumsum
    """
    return rules.cumsum(x if dtype is None else x.astype(dtype), axis)


def cumprod(input, dim, dtype=None) -> Tensor:
    """The products of the first 1, 2, 3, ... entries along an axis. Right across zeros.

    Shapes: any; the output has the shape of input
    Dtypes: floats stay, others become int64; or dtype
    Raises IndexError if dim is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cumprod(Tensor([2.0, 3.0, 0.0]), 0))
    [2. 6. 0.]

    Source: numpy.cumprod
    """
    return rules.cumprod(input if dtype is None else input.astype(dtype), dim)


def accumulate(function, x, axis, exclusive, reverse, start) -> Tensor:
    """cumsum or cumprod: ``exclusive`` of the entry itself, ``reverse`` from the end on.

    Shapes: any; the output has the shape of x
    Dtypes: any; as the function has it
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.CumSum(exclusive=True)(Tensor([1.0, 2.0, 3.0]), 0))
    [0. 1. 3.]

    Source: the definition
    """
    axis = axis_of(int(axis), x.ndim)
    x = flip(x, axis) if reverse else x
    if exclusive:
        before = (slice(None),) * axis
        first = np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), start, unwrap(x).dtype)
        x = concatenate((wrap(first), x[(*before, slice(None, -1))]), axis)
    out = cast(function(x, axis), unwrap(x).dtype)
    return flip(out, axis) if reverse else out


__all__ = [
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmin", "cov", "cumprod", "cumsum", "diff",
    "log_softmax", "logcumsumexp", "logsumexp", "max", "mean", "min", "nanmean", "nansum", "prod",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_sum",
    "softmax", "std", "std_mean", "sum", "trapz", "var", "var_mean",
]  # fmt: skip
