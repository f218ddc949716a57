"""Sorting, and what depends on an order, by MindSpore's names.

The order itself is found by numpy, and has no gradient; the entries are then picked by it.
"""

from typing import Any

import numpy as np

from ..rules.index import take_along
from ..rules.reduce import axes_of, places_in_order
from ..rules.shape import cast, reshape
from ..tensor import Tensor, unwrap, wrap


def _axis(x, axis) -> int:
    (axis,) = axes_of(-1 if axis is None else axis, x.ndim)
    return axis


def sort(input_x, axis=-1, descending=False) -> tuple[Tensor, Tensor]:
    """The entries in order along an axis, and the places (int32) where they came from.

    Entries that tie stay in their order.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.sort(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, places)
    [1. 2. 3.] [1 2 0]
    """
    axis = _axis(input_x, axis)
    order = places_in_order(input_x, axis, descending)
    return take_along(input_x, unwrap(order), axis), cast(order, np.int32)


def argsort(input, axis=-1, descending=False) -> Tensor:
    """The places (int32) of the entries in order along an axis."""
    return cast(places_in_order(input, _axis(input, axis), descending), np.int32)


def msort(input) -> Tensor:
    """The entries in order along axis 0."""
    return sort(input, 0)[0]


def topk(input, k, dim=None, largest=True, sorted=True) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) entries along an axis in order, and their places (int32).

    Raises ValueError if k is not between 1 and the length of the axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.topk(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, places)
    [3. 2.] [0 2]
    """
    axis = _axis(input, dim)
    n = input.shape[axis] if input.ndim else 1
    if not 0 < k <= n:
        raise ValueError(f"topk: k must be from 1 to {n}, the length of the axis, but got {k}")
    order = places_in_order(input, axis, largest)
    order = order[(slice(None),) * axis + (slice(k),)] if input.ndim else order
    return take_along(input, unwrap(order), axis), cast(order, np.int32)


def top_k(input_x, k, sorted=True) -> tuple[Tensor, Tensor]:
    """The k largest entries along the last axis, and their places."""
    return topk(input_x, k)


def median(input, axis=-1, keepdims=False) -> tuple[Tensor, Tensor]:
    """The middle entry (the lower of two) along an axis, and its place."""
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
def _latest(x: np.ndarray, extreme: np.ndarray, axis: int) -> np.ndarray:
    """Where, up to each place along an axis, the extreme was last met."""
    shape = [1] * x.ndim
    shape[axis] = -1
    places = np.arange(x.shape[axis]).reshape(shape)
    return np.maximum.accumulate(np.where(x == extreme, places, 0), axis)


def cummax(input, axis) -> tuple[Tensor, Tensor]:
    """The largest entry so far along an axis, and its (last) place (int64).

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.cummax(Tensor([1.0, 3.0, 2.0, 4.0]), 0)
    >>> print(values, places)
    [1. 3. 3. 4.] [0 1 1 3]
    """
    axis, x = _axis(input, axis), unwrap(input)
    places = _latest(x, np.maximum.accumulate(x, axis), axis)
    return take_along(input, places, axis), wrap(places)


def cummin(input, axis) -> tuple[Tensor, Tensor]:
    """The smallest entry so far along an axis, and its (last) place (int32)."""
    axis, x = _axis(input, axis), unwrap(input)
    places = _latest(x, np.minimum.accumulate(x, axis), axis)
    return take_along(input, places, axis), wrap(places.astype(np.int32))


# ---------------------------------------------------------------------- counting: without gradients
def unique(input) -> tuple[Tensor, Tensor]:
    """The different entries in the order in which they come, and which of them each entry is.

    >>> from minigrad import Tensor, ops
    >>> values, which = ops.unique(Tensor([3, 1, 3, 2]))
    >>> print(values, which)
    [3 1 2] [0 1 0 2]
    """
    x = unwrap(input)
    values, first, which = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    kind = np.int64 if x.dtype == np.int64 else np.int32
    return wrap(values[order]), wrap(rank[which].reshape(x.shape).astype(kind))


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> Any:
    """The first entry of each run of equal ones; the run each is in; the runs' lengths."""
    if dim is not None:
        raise ValueError("unique_consecutive: minigrad has dim=None only, so far")
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
    """The indices of the entries that are not 0: a row for each, or a vector for each axis."""
    found = np.nonzero(np.atleast_1d(unwrap(input)))
    if as_tuple:
        return tuple(map(wrap, found))
    return wrap(np.stack(found, 1) if input.ndim else np.zeros((found[0].size, 0), np.int64))


def argwhere(input) -> Tensor:
    """The indices of the entries that are not 0, a row for each."""
    return wrap(np.argwhere(unwrap(input)))


def count_nonzero(x, axis=(), keep_dims=False, dtype=np.int32) -> Tensor:
    """The number of entries that are not 0, over the axes (all, if none are given)."""
    axes = None if axis in ((), None, []) else axes_of(axis, x.ndim)
    return wrap(np.asarray(np.sum(unwrap(x) != 0, axes, np.dtype(dtype), keepdims=keep_dims)))


def searchsorted(
    sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None
) -> Tensor:
    """Where each value belongs in a sorted row, or in the row of its own."""
    row, x = unwrap(sorted_sequence), np.asarray(unwrap(values))
    if sorter is not None:
        row = np.take_along_axis(row, unwrap(sorter), -1)
    side = side or ("right" if right else "left")
    if row.ndim == 1:
        out = np.searchsorted(row, x, side)
    else:
        pairs = zip(row.reshape(-1, row.shape[-1]), x.reshape(-1, x.shape[-1]), strict=True)
        out = np.stack([np.searchsorted(a, b, side) for a, b in pairs]).reshape(x.shape)
    return wrap(np.asarray(out, np.int32 if out_int32 else np.int64))


def bincount(input, weights=None, minlength=0) -> Tensor:
    """How often each of 0, 1, 2, ... occurs, or the sum of its weights (float32)."""
    counts = np.bincount(unwrap(input), None if weights is None else unwrap(weights), minlength)
    return wrap(counts.astype(np.float32))


__all__ = [
    "argsort", "argwhere", "bincount", "count_nonzero", "cummax", "cummin", "median", "msort",
    "nonzero", "searchsorted", "sort", "top_k", "topk", "unique", "unique_consecutive",
]  # fmt: skip
