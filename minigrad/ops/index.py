"""Functions that pick values out or put them in, by MindSpore's names."""

import numpy as np

from ..rules import index as rules
from ..rules.elementwise import where
from ..rules.reduce import axes_of
from ..tensor import Tensor, unwrap, wrap


def gather(input_params, input_indices, axis, batch_dims=0) -> Tensor:
    """The entries at these indices along an axis; an index may occur more than once."""
    if batch_dims:
        raise ValueError("gather: minigrad has batch_dims=0 only, so far")
    (axis,) = axes_of(int(axis), input_params.ndim)
    return input_params[(slice(None),) * axis + (input_indices,)]


def index_select(input, axis, index) -> Tensor:
    """The entries at these indices along an axis."""
    return gather(input, index, axis)


def gather_elements(input, dim, index) -> Tensor:
    """At each place, the entry of input at that place, but for the position along dim: index."""
    places, (dim,) = _array(index), axes_of(dim, input.ndim)
    if places.ndim == input.ndim:  # an index may be shorter than input along the other axes
        used = (slice(None if a == dim else n) for a, n in enumerate(places.shape))
        input = input[tuple(used)]
    return rules.take_along(input, places, dim)


def masked_select(input, mask) -> Tensor:
    """The entries where mask is True, in one row."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    if shape != input.shape:
        input = input.broadcast_to(shape)
    return input[np.broadcast_to(_array(mask), shape)]


def tensor_scatter_add(input_x, indices, updates) -> Tensor:
    """input_x with updates added at the indices, whose last axis holds one index for each axis."""
    places = _array(indices)
    key = tuple(places[..., i] for i in range(places.shape[-1]))
    return input_x + rules.scatter(updates, key, input_x.shape)


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """on_value at the place that the index names along a new axis, off_value elsewhere."""
    if axis != -1:
        raise ValueError(f"one_hot: minigrad has axis=-1 only, so far, not {axis}")
    hit = wrap(_array(indices)[..., None] == np.arange(depth))
    return where(hit, on_value, off_value)


def diag(input) -> Tensor:
    """A Tensor of twice as many axes, with input on its diagonal and 0 elsewhere."""
    places = tuple(np.indices(input.shape, sparse=True))
    return rules.scatter(input, places * 2, input.shape * 2)


def trace(input) -> Tensor:
    """The sum of the diagonal of a matrix."""
    n = np.arange(min(input.shape))
    return input[n, n].sum()


def tril(input, diagonal=0) -> Tensor:
    """The lower triangle: 0 above the diagonal."""
    return where(wrap(_triangle(input, diagonal)), input, 0)


def triu(input, diagonal=0) -> Tensor:
    """The upper triangle: 0 below the diagonal."""
    return where(wrap(_triangle(input, diagonal - 1)), 0, input)


def _triangle(x, diagonal):
    rows, columns = x.shape[-2:]
    return np.tri(rows, columns, diagonal, dtype=np.bool_)


def _array(x):
    return np.asarray(unwrap(x))


__all__ = [
    "diag", "gather", "gather_elements", "index_select", "masked_select", "one_hot",
    "tensor_scatter_add", "trace", "tril", "triu",
]  # fmt: skip
