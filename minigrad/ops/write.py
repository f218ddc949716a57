"""Functions that write values at places, by MindSpore's names. They return what was written.

Places are given as rows of indices (``indices`` with one index for each axis in its last axis), or
as indices along one axis.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..parameter import Parameter
from ..rules import index as rules
from ..rules.elementwise import divide, maximum, minimum, multiply, subtract, where
from ..rules.reduce import axes_of
from ..rules.shape import cast
from ..tensor import Tensor, as_array, unwrap, wrap, write


def _key(indices, x, name: str) -> tuple[np.ndarray, ...]:
    """Rows of indices as numpy takes them: an array for each axis."""
    places = wrap(as_array(indices))
    if places.array.dtype.kind not in "iu":
        raise TypeError(f"{name}: indices must be integers, not {places.dtype}")
    if not places.ndim or places.shape[-1] > x.ndim:
        raise ValueError(
            f"{name}: the last axis of indices must hold one index for each axis of {x.shape}, at "
            f"most, but indices have shape {places.shape}"
        )
    return tuple(unwrap(places[..., i]) for i in range(places.shape[-1]))


def _rounds(key: tuple, shape: tuple[int, ...]) -> list[np.ndarray]:
    """The entries of a key in rounds, so that no place occurs twice in one of them."""
    flat = np.ravel_multi_index(
        tuple(np.where(k < 0, k + n, k) for k, n in zip(key, shape, strict=False)),
        shape[: len(key)],
    ).ravel()
    order = np.argsort(flat, kind="stable")
    ranked = flat[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if flat.size else order
    turn = np.empty_like(order)
    turn[order] = np.arange(flat.size) - np.repeat(starts, np.diff(np.r_[starts, flat.size]))
    return [np.flatnonzero(turn == r) for r in range(int(turn.max(initial=-1)) + 1)]


def _write(function: Callable, x, key: tuple, updates) -> Tensor:
    """x with function(x, update) at each place; a place that occurs again is written again."""
    key = tuple(np.broadcast_arrays(*key))
    updates = cast(updates, unwrap(x).dtype) if isinstance(updates, Tensor) else updates
    rows = updates.reshape((key[0].size, *x.shape[len(key) :]))
    flat = tuple(k.ravel() for k in key)
    for now in _rounds(key, x.shape):
        place = tuple(k[now] for k in flat)
        x = rules.assign(x, function(x[place], rows[now]), place)
    return x


def _tensor_scatter(name: str, function: Callable | None, doc: str) -> Callable:
    def scatter(input_x, indices, updates):
        key = _key(indices, input_x, name)
        if function is None:
            return rules.assign(input_x, updates, key)
        return _write(function, input_x, key, updates)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = doc
    return scatter


tensor_scatter_update = _tensor_scatter(
    "tensor_scatter_update", None, "input_x with updates at the indices; of several, the last."
)
tensor_scatter_mul = _tensor_scatter(
    "tensor_scatter_mul", multiply, "input_x, multiplied by updates at the indices."
)
tensor_scatter_div = _tensor_scatter(
    "tensor_scatter_div", divide, "input_x, divided by updates at the indices."
)
tensor_scatter_max = _tensor_scatter(
    "tensor_scatter_max", maximum, "The larger of input_x and updates at the indices."
)
tensor_scatter_min = _tensor_scatter(
    "tensor_scatter_min", minimum, "The smaller of input_x and updates at the indices."
)


def tensor_scatter_add(input_x, indices, updates) -> Tensor:
    """input_x with updates added at the indices, whose last axis holds one index for each axis.

    >>> from minigrad import Tensor, ops
    >>> places, updates = Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_add(ops.zeros(3), places, updates))
    [4. 0. 2.]
    """
    return input_x + scatter_nd(indices, updates, input_x.shape)


def tensor_scatter_sub(input_x, indices, updates) -> Tensor:
    """input_x with updates taken off at the indices."""
    return input_x - scatter_nd(indices, updates, input_x.shape)


def scatter_nd(indices, updates, shape) -> Tensor:
    """Zeros of this shape with updates added at the indices."""
    shape = tuple(int(n) for n in unwrap(shape))
    key = _key(indices, wrap(np.empty(shape, bool)), "scatter_nd")
    return rules.scatter(updates, key, shape)


def gather_nd(input_x, indices) -> Tensor:
    """The entries of input_x at rows of indices (in the last axis of ``indices``)."""
    return input_x[_key(indices, input_x, "gather_nd")]


# --------------------------------------------------------------------------------- along one axis
def _along(x, axis, indices) -> tuple:
    """The key of these indices along one axis: the entry at the same place in the others."""
    (axis,) = axes_of(axis, x.ndim)
    places = as_array(indices)
    key: list = list(np.indices(places.shape, sparse=True))
    key[axis] = places
    return tuple(key)


def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none") -> Tensor:
    """input_x with updates at the indices along an axis, or ("add", "mul") added or multiplied."""
    key = _along(input_x, axis, indices)
    if reduction == "none":
        return rules.assign(input_x, updates, key)
    if reduction == "add":
        return input_x + rules.scatter(updates, key, input_x.shape)
    if reduction == "mul":
        return _write(multiply, input_x, key, updates)
    raise ValueError(f'reduction must be "none", "add" or "mul", but got {reduction!r}')


def scatter(input, axis, index, src) -> Tensor:
    """input with the entries of src at these indices along an axis."""
    return tensor_scatter_elements(input, index, src, axis)


def _at(x, axis, index) -> tuple:
    (axis,) = axes_of(int(axis), x.ndim)
    return (*(slice(None),) * axis, index)


def index_fill(x, axis, index, value) -> Tensor:
    """x with ``value`` at these indices along an axis."""
    return rules.assign(x, value, _at(x, axis, as_array(index)))


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor:
    """x with the slices of y added at these indices along an axis. A Parameter keeps the sum."""
    out = x + rules.scatter(y, _at(x, axis, as_array(indices)), x.shape)
    return _keep(x, out) if isinstance(x, Parameter) else out


def inplace_add(x, v, indices) -> Tensor:
    """x with the rows of v added at these indices."""
    return x + rules.scatter(v, _at(x, 0, np.array(indices, ndmin=1)), x.shape)


def inplace_sub(x, v, indices) -> Tensor:
    """x with the rows of v taken off at these indices."""
    return x - rules.scatter(v, _at(x, 0, np.array(indices, ndmin=1)), x.shape)


def inplace_update(x, v, indices) -> Tensor:
    """x with the rows of v at these indices."""
    return rules.assign(x, v, _at(x, 0, np.array(indices, ndmin=1)))


def select_scatter(input, src, axis, index) -> Tensor:
    """input with src as its slice at ``index`` of an axis."""
    return rules.assign(input, src, _at(input, axis, index))


def slice_scatter(input, src, axis=0, start=None, end=None, step=1) -> Tensor:
    """input with src as its slices from start to end of an axis."""
    return rules.assign(input, src, _at(input, axis, slice(start, end, step)))


def masked_scatter(input, mask, tensor) -> Tensor:
    """input with the entries of tensor, one after the other, where the mask is True."""
    hit = np.broadcast_to(np.asarray(unwrap(mask)), input.shape)
    n = int(hit.sum())
    if tensor.size < n:
        raise ValueError(f"masked_scatter: the mask has {n} places, but only {tensor.size} values")
    return rules.assign(input, tensor.reshape(-1)[:n], hit)


# ----------------------------------------------------------------------------------------- segments
def unsorted_segment_sum(input_x, segment_ids, num_segments) -> Tensor:
    """The sums of the entries with the same id; 0 where there are none.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsorted_segment_sum(Tensor([1.0, 2.0, 4.0]), Tensor([0, 1, 0]), 3))
    [5. 2. 0.]
    """
    ids = np.asarray(unwrap(segment_ids))
    rest = input_x.shape[ids.ndim :]
    used = (ids >= 0).reshape(ids.shape + (1,) * len(rest))  # ids below 0 belong to no segment
    x = input_x if used.all() else where(wrap(used), input_x, 0)
    return rules.scatter(x, (np.maximum(ids, 0),), (int(num_segments), *rest))


def _segment_extreme(extreme, nothing, x, segment_ids, num_segments) -> Tensor:
    """Entries that tie share the gradient equally."""
    ids, values = np.asarray(unwrap(segment_ids)), unwrap(x)
    best = np.full((int(num_segments), *values.shape[ids.ndim :]), nothing(values.dtype))
    extreme.at(best, ids, values)
    hit = values == best[ids]
    number = np.zeros(best.shape, values.dtype)
    np.add.at(number, ids, hit)
    share = wrap(hit / number[ids].astype(values.dtype).clip(1))
    empty = wrap(np.where(number == 0, best, 0))
    return unsorted_segment_sum(x * share, segment_ids, num_segments) + empty


def unsorted_segment_max(x, segment_ids, num_segments) -> Tensor:
    """The largest of the entries with the same id; the smallest number where there are none."""
    return _segment_extreme(np.maximum, lambda t: np.finfo(t).min, x, segment_ids, num_segments)


def unsorted_segment_min(x, segment_ids, num_segments) -> Tensor:
    """The smallest of the entries with the same id; the largest number where there are none."""
    return _segment_extreme(np.minimum, lambda t: np.finfo(t).max, x, segment_ids, num_segments)


def unsorted_segment_prod(x, segment_ids, num_segments) -> Tensor:
    """The products of the entries with the same id; 1 where there are none."""
    ids = np.asarray(unwrap(segment_ids))
    ones = wrap(np.ones((int(num_segments), *x.shape[ids.ndim :]), unwrap(x).dtype))
    return _write(multiply, ones, (ids,), x)


# ------------------------------------------------------------------------------ writing a Parameter
def _keep(variable, value) -> Tensor:
    """Give the Tensor this value from now on, and return it."""
    write(variable, value)
    return variable


def assign(variable, value) -> Tensor:
    """Give a Parameter (or Tensor) this value from now on."""
    return variable.assign_value(value)


def assign_add(variable, value) -> Tensor:
    """Add value to a Parameter (or Tensor), which keeps the sum."""
    return variable.assign_value(variable + value)


def assign_sub(variable, value) -> Tensor:
    """Take value off a Parameter (or Tensor), which keeps the difference."""
    return variable.assign_value(variable - value)


def _scatter_rows(function: Callable | None, doc: str) -> Callable:
    """Writes rows of a Parameter, which keeps them."""

    def scatter_rows(input_x, indices, updates):
        key = (as_array(indices),)
        if function is None:
            return _keep(input_x, rules.assign(input_x, updates, key))
        return _keep(input_x, _write(function, input_x, key, updates))

    scatter_rows.__doc__ = doc
    return scatter_rows


def _add(x: Any, y: Any) -> Any:
    return x + y


scatter_update = _scatter_rows(None, "Write rows of a Parameter at the indices.")
scatter_add = _scatter_rows(_add, "Add updates to the rows of a Parameter at the indices.")
scatter_sub = _scatter_rows(subtract, "Take updates off the rows of a Parameter at the indices.")
scatter_mul = _scatter_rows(multiply, "Multiply the rows of a Parameter at the indices.")
scatter_div = _scatter_rows(divide, "Divide the rows of a Parameter at the indices.")
scatter_max = _scatter_rows(maximum, "Keep the larger of the rows of a Parameter and updates.")
scatter_min = _scatter_rows(minimum, "Keep the smaller of the rows of a Parameter and updates.")


def sequence_mask(lengths, maxlen=None) -> Tensor:
    """For each length a row of ``maxlen`` that is True in its first so many places."""
    x = np.asarray(unwrap(lengths))
    return wrap(np.arange(int(x.max() if maxlen is None else maxlen)) < x[..., None])


__all__ = [
    "assign", "assign_add", "assign_sub", "gather_nd", "index_add", "index_fill", "inplace_add",
    "inplace_sub", "inplace_update", "masked_scatter", "scatter", "scatter_add", "scatter_div",
    "scatter_max", "scatter_min", "scatter_mul", "scatter_nd", "scatter_sub", "scatter_update",
    "select_scatter", "sequence_mask", "slice_scatter", "tensor_scatter_add", "tensor_scatter_div",
    "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul",
    "tensor_scatter_sub", "tensor_scatter_update", "unsorted_segment_max", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sum",
]  # fmt: skip
