"""Sorting, and what depends on an order, by MindSpore's names.

The order itself is found by numpy, and has no gradient; the entries are then picked by it.
"""

from typing import Any

import numpy as np

from ..rules.index import take_along
from ..rules.reduce import axes_of, axis_of, places_in_order
from ..rules.shape import cast, reshape
from ..samples import for_each_sample, refuse_samples
from ..tensor import Tensor, unwrap, wrap


def _axis(x, axis) -> int:
    return axis_of(-1 if axis is None else axis, x.ndim)


def sort(input_x, axis=-1, descending=False) -> tuple[Tensor, Tensor]:
    """The entries in order along an axis, and the places (int32) where they came from.

    Entries that tie stay in their order; nan counts as the largest.

    Shapes: one axis or more; both outputs have the shape of input_x
    Dtypes: any; the values have that of input_x, the places are int32
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.sort(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, places)
    [1. 2. 3.] [1 2 0]

    Source: numpy.sort and numpy.argsort, kind "stable"
    """
    axis = _axis(input_x, axis)
    order = places_in_order(input_x, axis, descending)
    return take_along(input_x, unwrap(order), axis), cast(order, np.int32)


def argsort(input, axis=-1, descending=False) -> Tensor:
    """The places of the entries in order along an axis. Entries that tie stay in their order.

    Shapes: one axis or more; the output has the shape of input
    Dtypes: any; the output is int32, without a gradient
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
    [1 2 0]

    Source: numpy.argsort, kind "stable"
    """
    return cast(places_in_order(input, _axis(input, axis), descending), np.int32)


def msort(input) -> Tensor:
    """The entries in order along axis 0.

    Shapes: one axis or more; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises IndexError if input is a single number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.msort(Tensor([[3, 1], [2, 4]])))
    [[2 1]
     [3 4]]

    Source: numpy.sort with axis 0
    """
    return sort(input, 0)[0]


def topk(input, k, dim=None, largest=True, sorted=True) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) entries along an axis in order, and their places (int32).

    They come in order with ``sorted=False`` too.

    Shapes: one axis or more; in both outputs it is k long
    Dtypes: any; the values have that of input, the places are int32
    Raises ValueError if k is not between 1 and the length of the axis, IndexError if that is out of
        range.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.topk(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, places)
    [3. 2.] [0 2]

    Source: the definition: the first k entries of ``sort``
    """
    axis = _axis(input, dim)
    n = input.shape[axis] if input.ndim else 1
    if not 0 < k <= n:
        raise ValueError(f"topk: k must be from 1 to {n}, the length of the axis, but got {k}")
    order = places_in_order(input, axis, largest)
    order = order[(slice(None),) * axis + (slice(k),)] if input.ndim else order
    return take_along(input, unwrap(order), axis), cast(order, np.int32)


def top_k(input_x, k, sorted=True) -> tuple[Tensor, Tensor]:
    """The k largest entries along the last axis in order, and their places.

    Shapes: one axis or more; in both outputs the last is k long
    Dtypes: any; the values have that of input_x, the places are int32
    Raises ValueError if k is not between 1 and the length of the axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.top_k(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, places)
    [3. 2.] [0 2]

    Source: the definition: the first k entries of ``sort``
    """
    return topk(input_x, k)


def median(input, axis=-1, keepdims=False) -> tuple[Tensor, Tensor]:
    """The middle entry (the lower of two) along an axis, and its place. nan counts as the largest.

    Shapes: one axis or more; both outputs lack it, or have it with length 1 if keepdims
    Dtypes: any; the values have that of input, the places are int64
    Raises IndexError if the axis is out of range or has no entries.

    >>> from minigrad import Tensor, ops
    >>> value, place = ops.median(Tensor([3.0, 1.0, 2.0, 4.0]))
    >>> print(value, place)
    2.0 2

    Source: the definition of the lower median
    """
    axis = _axis(input, axis)
    middle = (input.shape[axis] - 1) // 2
    order = places_in_order(input, axis, False)
    return _one(input, order[(slice(None),) * axis + ([middle],)], axis, keepdims)


def _one(x, places, axis, keepdims) -> tuple[Tensor, Tensor]:
    values = take_along(x, unwrap(places), axis)
    if keepdims:
        return values, places
    shape = x.shape[:axis] + x.shape[axis + 1 :]
    return reshape(values, shape), reshape(places, shape)


# ------------------------------------------------------------------------------- the largest so far
def _latest(name: str, extreme: np.ufunc, x, axis: int) -> Any:
    """Where, up to each place along an axis, the extreme was last met."""
    return for_each_sample(name, lambda x: _latest_in(x, extreme.accumulate(x, axis), axis), x)


def _latest_in(x: np.ndarray, extreme: np.ndarray, axis: int) -> np.ndarray:
    shape = [1] * x.ndim
    shape[axis] = -1
    places = np.arange(x.shape[axis]).reshape(shape)
    hit = (x == extreme) | ((x != x) & (extreme != extreme))  # nan is the extreme from then on
    return np.maximum.accumulate(np.where(hit, places, 0), axis)


def cummax(input, axis) -> tuple[Tensor, Tensor]:
    """The largest entry so far along an axis, and its (last) place, which gets the gradient.

    Shapes: one axis or more; both outputs have the shape of input
    Dtypes: any; the values have that of input, the places are int64
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.cummax(Tensor([1.0, 3.0, 2.0, 4.0]), 0)
    >>> print(values, places)
    [1. 3. 3. 4.] [0 1 1 3]

    Source: numpy.maximum.accumulate
    """
    axis = _axis(input, axis)
    places = _latest("cummax", np.maximum, input, axis)
    return take_along(input, places, axis), wrap(places)


def cummin(input, axis) -> tuple[Tensor, Tensor]:
    """The smallest entry so far along an axis, and its (last) place, which gets the gradient.

    Shapes: one axis or more; both outputs have the shape of input
    Dtypes: any; the values have that of input, the places are int32
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.cummin(Tensor([3.0, 1.0, 2.0]), 0)
    >>> print(values, places)
    [3. 1. 1.] [0 1 1]

    Source: numpy.minimum.accumulate
    """
    axis = _axis(input, axis)
    places = _latest("cummin", np.minimum, input, axis)
    return take_along(input, places, axis), cast(wrap(places), np.int32)


# ---------------------------------------------------------------------- counting: without gradients
_COUNTS_DIFFER = "each sample has another number of these; find them outside, in a loop"


def unique(input) -> tuple[Tensor, Tensor]:
    """The different entries in the order in which they come, and which of them each entry is.

    Shapes: any; the entries are a vector, the second output has the shape of input
    Dtypes: any; no gradient; the second output is int64 for int64, else int32
    Raises AttributeError if input is not a Tensor.

    >>> from minigrad import Tensor, ops
    >>> values, which = ops.unique(Tensor([3, 1, 3, 2]))
    >>> print(values, which)
    [3 1 2] [0 1 0 2]

    Source: numpy.unique, which puts them in order
    """
    refuse_samples("unique", _COUNTS_DIFFER, input)
    x = unwrap(input)
    values, first, which = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    kind = np.int64 if x.dtype == np.int64 else np.int32
    return wrap(values[order]), wrap(rank[which].reshape(x.shape).astype(kind))


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> Any:
    """The first entry of each run of equal ones; the run each is in; the runs' lengths.

    The latter two come on request. There is no gradient.

    Shapes: any; the first and the last are vectors, the second has the shape of input
    Dtypes: any; the first has that of input, the others are int64
    Raises ValueError if dim is given, which minigrad lacks.

    >>> from minigrad import Tensor, ops
    >>> values, lengths = ops.unique_consecutive(Tensor([5, 5, 2, 5]), return_counts=True)
    >>> print(values, lengths)
    [5 2 5] [2 1 1]

    Source: the definition of run-length encoding
    """
    if dim is not None:
        raise ValueError("unique_consecutive: minigrad has dim=None only, so far")
    refuse_samples("unique_consecutive", _COUNTS_DIFFER, input)
    x = unwrap(input)
    row = x.ravel()
    starts = np.ones(row.size, bool)
    starts[1:] = row[1:] != row[:-1]
    runs = np.cumsum(starts) - 1
    out = [wrap(row[starts])]
    if return_inverse:
        out.append(wrap(runs.reshape(x.shape)))
    if return_counts:
        out.append(wrap(np.bincount(runs, minlength=int(starts.sum()))))
    return tuple(out) if len(out) > 1 else out[0]


def nonzero(input, *, as_tuple=False) -> Tensor | tuple[Tensor, ...]:
    """The indices of the entries that are not 0: a row for each, or a vector for each axis.

    Shapes: any; n such entries give (n, input.ndim), or with as_tuple input.ndim vectors of n
    Dtypes: any; the output is int64, without a gradient
    Raises AttributeError if input is not a Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.nonzero(Tensor([[0, 5], [6, 0]])))
    [[0 1]
     [1 0]]

    Source: numpy.nonzero and numpy.argwhere
    """
    refuse_samples("nonzero", _COUNTS_DIFFER, input)
    found = np.nonzero(np.atleast_1d(unwrap(input)))
    if as_tuple:
        return tuple(map(wrap, found))
    return wrap(np.stack(found, 1) if input.ndim else np.zeros((found[0].size, 0), np.int64))


def argwhere(input) -> Tensor:
    """The indices of the entries that are not 0, a row for each.

    Shapes: any; n such entries give (n, input.ndim)
    Dtypes: any; the output is int64, without a gradient
    Raises nothing of its own: any Tensor will do.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argwhere(Tensor([[0, 5], [6, 0]])))
    [[0 1]
     [1 0]]

    Source: numpy.argwhere
    """
    refuse_samples("argwhere", _COUNTS_DIFFER, input)
    return wrap(np.argwhere(unwrap(input)))


def count_nonzero(x, axis=(), keep_dims=False, dtype=np.int32) -> Tensor:
    """The number of entries that are not 0, over the axes (all, if none are given).

    Shapes: any; the output lacks those axes, or has them with length 1 if keep_dims
    Dtypes: any; the output is int32, or dtype, without a gradient
    Raises IndexError if an axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.count_nonzero(Tensor([0, 5, 6])))
    2

    Source: numpy.count_nonzero
    """
    axes = None if axis in ((), None, []) else axes_of(axis, x.ndim)

    def count(x):
        return np.asarray(np.sum(x != 0, axes, np.dtype(dtype), keepdims=keep_dims))

    return wrap(for_each_sample("count_nonzero", count, x))


def searchsorted(
    sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None
) -> Tensor:
    """Where each value belongs in a sorted row, or in the row of its own.

    Before entries equal to it, or after them ("right"). ``sorter`` is the order that sorts the
    rows.

    Shapes: a vector and any values, or (..., n) and (..., m); the output has the shape of values
    Dtypes: any; the output is int64, or int32 if out_int32, without a gradient
    Raises ValueError if the rows and values do not fit, or side is neither "left" nor "right".

    >>> from minigrad import Tensor, ops
    >>> print(ops.searchsorted(Tensor([1, 3, 5]), Tensor([0, 3, 9])))
    [0 1 3]

    Source: numpy.searchsorted
    """
    side = side or ("right" if right else "left")
    kind = np.int32 if out_int32 else np.int64

    def search(row, x, sorter):
        return np.asarray(_search(row, np.asarray(x), side, sorter), kind)

    return wrap(for_each_sample("searchsorted", search, sorted_sequence, values, sorter))


def _search(row: np.ndarray, x: np.ndarray, side, sorter) -> np.ndarray:
    if sorter is not None:
        row = np.take_along_axis(row, sorter, -1)
    if row.ndim == 1:
        return np.searchsorted(row, x, side)
    if row.shape[:-1] != x.shape[:-1]:
        raise ValueError(
            f"searchsorted: values of shape {x.shape} must have a row for each sorted row of shape "
            f"{row.shape}"
        )
    out = np.zeros(x.shape, np.int64)
    for i in np.ndindex(*row.shape[:-1]):
        out[i] = np.searchsorted(row[i], x[i], side)
    return out


def bincount(input, weights=None, minlength=0) -> Tensor:
    """How often each of 0, 1, 2, ... occurs, or the sum of its weights.

    Shapes: a vector (and weights as long); the output is as long as the largest entry and 1, or
        minlength
    Dtypes: integers; the output is float32, without a gradient
    Raises ValueError if an entry is below 0, input is not a vector or weights do not fit, TypeError
        if input is not of integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.bincount(Tensor([0, 2, 2])))
    [1. 0. 2.]

    Source: numpy.bincount
    """

    def count(x, weights):
        return np.bincount(x, weights, minlength).astype(np.float32)

    return wrap(for_each_sample("bincount", count, input, weights))


__all__ = [
    "argsort", "argwhere", "bincount", "count_nonzero", "cummax", "cummin", "median", "msort",
    "nonzero", "searchsorted", "sort", "top_k", "topk", "unique", "unique_consecutive",
]  # fmt: skip
