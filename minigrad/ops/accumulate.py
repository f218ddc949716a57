"""Sums and products so far along an axis, and differences, by MindSpore's names."""

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import where
from ..rules.index import flip
from ..rules.reduce import axis_of
from ..rules.shape import cast, concatenate, reshape
from ..tensor import Tensor, unwrap, wrap


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
    return rules.logsumexp(where(wrap(later.reshape(shape)), -np.inf, wide), axis + 1)


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


__all__ = ["cumprod", "cumsum", "diff", "logcumsumexp", "trapz"]
