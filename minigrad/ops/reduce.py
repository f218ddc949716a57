"""Functions that reduce or accumulate along axes, by MindSpore's names."""

import builtins

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import root, square
from ..rules.reduce import all, any, axes_of, log_softmax  # MindSpore's names
from ..rules.shape import reshape
from ..tensor import Tensor
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


def amax(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest entry along the axes (all, if None). Entries that tie share the gradient."""
    _refuse("amax", initial=initial, where=where)
    return rules.amax(input, _axis(axis), keepdims)


def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest entry along the axes (all, if None). Entries that tie share the gradient."""
    _refuse("amin", initial=initial, where=where)
    return rules.amin(input, _axis(axis), keepdims)


def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the largest of all entries, and 0, as in MindSpore.
    """
    _refuse("max", initial=initial, where=where)
    if axis is None:
        return amax(input), Tensor(0)
    return _pick(input, rules.argmax(input, axis, True), axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the smallest of all entries, and 0, as in MindSpore.
    """
    _refuse("min", initial=initial, where=where)
    if axis is None:
        return amin(input), Tensor(0)
    return _pick(input, rules.argmin(input, axis, True), axis, keepdims)


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


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The root of the sum of squares over the axes dim. The gradient at 0 is 0, a subgradient."""
    matrix = isinstance(dim, tuple | list) or (dim is None and A.ndim > 1)
    if ord not in (None, "fro") and (ord != 2 or matrix):
        raise ValueError(
            f"norm: minigrad has the Euclidean norm only, so far, not ord={ord!r} of a "
            + ("matrix; leave ord out for the root of the sum of squares" if matrix else "vector")
        )
    x = A if dtype is None else A.astype(dtype)
    return root(rules.sum(square(x), _axis(dim), keepdim))


def logsumexp(input, dim, keepdim=False) -> Tensor:
    """log(sum(exp(x))) over the axes dim, without overflow."""
    return rules.logsumexp(input, _axis(dim), keepdim)


def softmax(input, axis=-1, *, dtype=None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis."""
    return rules.softmax(input if dtype is None else input.astype(dtype), axis)


def cumsum(x, axis, dtype=None) -> Tensor:
    """The sums of the first 1, 2, 3, ... entries along an axis."""
    return rules.cumsum(x if dtype is None else x.astype(dtype), axis)


def cumprod(input, dim, dtype=None) -> Tensor:
    """The products of the first 1, 2, 3, ... entries along an axis. Right across zeros."""
    return rules.cumprod(input if dtype is None else input.astype(dtype), dim)


__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "cumprod", "cumsum", "log_softmax",
    "logsumexp", "max", "mean", "min", "norm", "prod", "softmax", "std", "sum", "var",
]  # fmt: skip
