"""Functions that reduce along axes, by MindSpore's names."""

import builtins
from typing import Any

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import isnan, logical_not, root, square
from ..rules.elementwise import where as _where
from ..rules.reduce import axes_of, log_softmax
from ..rules.shape import cast, reshape
from ..tensor import Tensor, unwrap


def axis_or_all(axis: Any) -> Any:
    """An axis argument as the rules have it: no axes at all means all of them."""
    return tuple(axis) or None if isinstance(axis, list | tuple) else axis


def refuse_given(name: str, **arguments: Any) -> None:
    """Raise ValueError for an argument of MindSpore's that is given, and is not there yet."""
    for argument, value in arguments.items():
        if value is not None:
            raise ValueError(f"ops.{name}: minigrad has no {argument}, so far")


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
    return rules.sum(input if dtype is None else input.astype(dtype), axis_or_all(dim), keepdim)


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
    return rules.mean(x, axis_or_all(axis), keep_dims)


def any(input, axis=None, keep_dims=False) -> Tensor:
    """Whether an entry along the axes (all, if None) is true; numbers are true unless 0.

    Shapes: any; the output lacks those axes, or has them with length 1 if keep_dims
    Dtypes: any in, bool out
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.any(Tensor([[0, 1], [0, 0]]), 1))
    [ True False]

    Source: the definition
    """
    return rules.any(input, axis_or_all(axis), keep_dims)


def all(input, axis=None, keep_dims=False) -> Tensor:
    """Whether all entries along the axes (all, if None) are true; numbers are true unless 0.

    Shapes: any; the output lacks those axes, or has them with length 1 if keep_dims
    Dtypes: any in, bool out
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.all(Tensor([[0, 1], [1, 1]]), 1))
    [False  True]

    Source: the definition
    """
    return rules.all(input, axis_or_all(axis), keep_dims)


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
    return rules.prod(x, axes_of(axis_or_all(axis), x.ndim), keep_dims)


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
    axes = axes_of(axis_or_all(axis), input.ndim)
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
    refuse_given("cov", fweights=fweights, aweights=aweights)
    if input.ndim > 2:
        raise ValueError(f"cov: input must have at most 2 axes, but has shape {input.shape}")
    x = input if input.ndim > 1 else reshape(input, (1, -1))
    distance = x - rules.mean(x, 1, True)
    out = distance @ distance.T / builtins.max(x.shape[1] - correction, 0)
    return reshape(out, ()) if out.size == 1 else out


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
    return rules.logsumexp(input, axis_or_all(dim), keepdim)


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


__all__ = [
    "all", "any", "cov", "log_softmax", "logsumexp", "mean", "nanmean", "nansum", "prod",
    "reduce_mean", "reduce_sum", "softmax", "std", "std_mean", "sum", "var", "var_mean",
]  # fmt: skip
