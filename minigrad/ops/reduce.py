"""Functions that reduce or accumulate along axes, by MindSpore's names."""

import builtins

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import isnan, maximum, minimum, root, square
from ..rules.elementwise import where as _where
from ..rules.index import flip
from ..rules.reduce import all, any, axes_of, log_softmax  # MindSpore's names
from ..rules.shape import concatenate, reshape
from ..tensor import Tensor, unwrap, wrap
from .index import gather_elements


def _axis(axis):
    return tuple(axis) or None if isinstance(axis, list | tuple) else axis


def sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The sum over the axes dim (all, if None)."""
    return rules.sum(input if dtype is None else input.astype(dtype), _axis(dim), keepdim)


def mean(x, axis=None, keep_dims=False) -> Tensor:
    """The mean over the axes (all, if None)."""
    return rules.mean(x, _axis(axis), keep_dims)


def prod(input, axis=None, keep_dims=False, dtype=None) -> Tensor:
    """The product over the axes (all, if None). Right, with its gradient, across zeros."""
    x = input if dtype is None else input.astype(dtype)
    for a in sorted(axes_of(_axis(axis), x.ndim), reverse=True):
        x = rules.prod(x, a, keep_dims)
    return x


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
    """
    return _masked("amax", True, input, axis, keepdims, initial, where)


def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest entry along the axes (all, if None). Entries that tie share the gradient.

    ``where`` says which entries count, ``initial`` is counted as one more.
    """
    return _masked("amin", False, input, axis, keepdims, initial, where)


def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the largest of all entries, and 0, as in MindSpore.
    """
    if axis is None:
        return amax(input, initial=initial, where=where), Tensor(0)
    _refuse("max", initial=initial, where=where)
    return _pick(input, rules.argmax(input, axis, True), axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the smallest of all entries, and 0, as in MindSpore.
    """
    if axis is None:
        return amin(input, initial=initial, where=where), Tensor(0)
    _refuse("min", initial=initial, where=where)
    return _pick(input, rules.argmin(input, axis, True), axis, keepdims)


def aminmax(input, *, axis=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest entries along an axis."""
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def _pick(x, indices, axis, keepdims):
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
    """The index of the largest entry along dim; of the flattened Tensor, if None."""
    return rules.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False) -> Tensor:
    """The index (int32) of the smallest entry along an axis; of the flattened Tensor, if None."""
    return rules.argmin(input, axis, keepdims).astype(np.int32)


def var(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The mean squared distance from the mean; ``ddof`` is taken off the count."""
    axes = axes_of(_axis(axis), input.ndim)
    count = int(np.prod([input.shape[a] for a in axes]))
    distance = input - rules.mean(input, axes, True)
    return rules.sum(square(distance), axes, keepdims) / builtins.max(count - int(ddof), 0)


def std(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The root of ``var``. The gradient of a constant is 0, where the true one is unbounded."""
    return root(var(input, axis, ddof, keepdims))


def std_mean(input, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean."""
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(input, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The variance and the mean."""
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def nansum(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The sum of the entries that are not nan."""
    return sum(_where(isnan(input), 0.0, input), axis, keepdims, dtype=dtype)


def nanmean(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The mean of the entries that are not nan."""
    known = wrap((~np.isnan(unwrap(input))).astype(unwrap(input).dtype))
    return nansum(input, axis, keepdims, dtype=dtype) / sum(known, axis, keepdims)


def cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor:
    """The covariances of the rows; ``correction`` is taken off the count."""
    _refuse("cov", fweights=fweights, aweights=aweights)
    x = input if input.ndim > 1 else reshape(input, (1, -1))
    distance = x - rules.mean(x, 1, True)
    out = distance @ distance.T / builtins.max(x.shape[1] - correction, 0)
    return out if out.size > 1 else reshape(out, ())


def diff(x, n=1, axis=-1, prepend=None, append=None) -> Tensor:
    """The differences of neighbours along an axis, taken n times.

    >>> print(diff(Tensor([1.0, 4.0, 9.0])))
    [3. 5.]
    """
    (axis,) = axes_of(axis, x.ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concatenate(parts, axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


def trapz(y, x=None, *, dx=1.0, dim=-1) -> Tensor:
    """The area below y along an axis, by trapezia; x is where y was measured, dx the step."""
    (dim,) = axes_of(dim, y.ndim)
    before = (slice(None),) * dim
    heights = (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2
    if x is None:
        return rules.sum(heights * dx, dim)
    steps = diff(x, axis=-1 if x.ndim == 1 else dim)
    if x.ndim == 1:
        steps = reshape(steps, (-1, *[1] * (y.ndim - 1 - dim)))
    return rules.sum(heights * steps, dim)


def logcumsumexp(input, axis) -> Tensor:
    """log of the sums of the first 1, 2, 3, ... exponentials along an axis, without overflow."""
    (axis,) = axes_of(axis, input.ndim)
    n = input.shape[axis]
    later = np.arange(n)[:, None] < np.arange(n)  # at row i, the entries after i
    shape = [1] * (input.ndim + 1)
    shape[axis], shape[axis + 1] = n, n
    wide = reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))
    return rules.logsumexp(_where(wrap(later.reshape(shape)), -np.inf, wide), axis + 1)


def logsumexp(input, dim, keepdim=False) -> Tensor:
    """log(sum(exp(x))) over the axes dim, without overflow."""
    return rules.logsumexp(input, _axis(dim), keepdim)


def softmax(input, axis=-1, *, dtype=None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis."""
    return rules.softmax(input if dtype is None else input.astype(dtype), axis)


def reduce_sum(x, axis=()) -> Tensor:
    """The sum over the axes; all, if none are given."""
    return sum(x, axis)


def reduce_mean(x, axis=()) -> Tensor:
    """The mean over the axes; all, if none are given."""
    return mean(x, axis)


def reduce_max(x, axis=()) -> Tensor:
    """The largest entry along the axes; of all, if none are given."""
    return amax(x, axis)


def reduce_min(x, axis=()) -> Tensor:
    """The smallest entry along the axes; of all, if none are given."""
    return amin(x, axis)


def cumsum(x, axis, dtype=None) -> Tensor:
    """The sums of the first 1, 2, 3, ... entries along an axis."""
    return rules.cumsum(x if dtype is None else x.astype(dtype), axis)


def cumprod(input, dim, dtype=None) -> Tensor:
    """The products of the first 1, 2, 3, ... entries along an axis. Right across zeros."""
    return rules.cumprod(input if dtype is None else input.astype(dtype), dim)


def accumulate(function, x, axis, exclusive, reverse, start) -> Tensor:
    """cumsum or cumprod: ``exclusive`` of the entry itself, ``reverse`` from the end on."""
    (axis,) = axes_of(int(axis), x.ndim)
    x = flip(x, axis) if reverse else x
    if exclusive:
        before = (slice(None),) * axis
        first = np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), start, unwrap(x).dtype)
        x = concatenate((wrap(first), x[(*before, slice(None, -1))]), axis)
    out = function(x, axis)
    return flip(out, axis) if reverse else out


__all__ = [
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmin", "cov", "cumprod", "cumsum", "diff",
    "log_softmax", "logcumsumexp", "logsumexp", "max", "mean", "min", "nanmean", "nansum", "prod",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_sum",
    "softmax", "std", "std_mean", "sum", "trapz", "var", "var_mean",
]  # fmt: skip
