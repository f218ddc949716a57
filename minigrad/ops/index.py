"""Functions that pick values out or put them in, by MindSpore's names."""

import numpy as np

from .. import dtype as dtypes
from ..rules import index as rules
from ..rules.elementwise import where
from ..tensor import Tensor, unwrap, wrap


def gather(input_params, input_indices, axis, batch_dims=0):
    """The entries at these indices along an axis; an index may occur more than once."""
    if batch_dims:
        raise ValueError("gather: minigrad has batch_dims=0 only, so far")
    axis = int(axis) % input_params.ndim
    return input_params[(slice(None),) * axis + (input_indices,)]


def index_select(input, axis, index):
    """The entries at these indices along an axis."""
    return gather(input, index, axis)


def gather_elements(input, dim, index):
    """At each place, the entry of input at that place, but for the position along dim: index."""
    return rules.take_along(input, _array(index), dim % input.ndim)


def masked_select(input, mask):
    """The entries where mask is True, in one row."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    if shape != input.shape:
        input = input.broadcast_to(shape)
    return input[np.broadcast_to(_array(mask), shape)]


def tensor_scatter_add(input_x, indices, updates):
    """input_x with updates added at the indices, whose last axis holds one index for each axis."""
    places = _array(indices)
    key = tuple(places[..., i] for i in range(places.shape[-1]))
    return input_x + rules.scatter(updates, key, input_x.shape)


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """on_value at the place that the index names along a new axis, off_value elsewhere."""
    if axis != -1:
        raise ValueError(f"one_hot: minigrad has axis=-1 only, so far, not {axis}")
    hit = wrap(_array(indices)[..., None] == np.arange(depth))
    return where(hit, on_value, off_value)


def diag(input):
    """The diagonal of a matrix, or the matrix with this diagonal."""
    n = np.arange(min(input.shape))
    return input[n, n] if input.ndim == 2 else rules.scatter(input, (n, n), input.shape * 2)


def trace(input):
    """The sum of the diagonal of a matrix."""
    return diag(input).sum()


def tril(input, diagonal=0):
    """The lower triangle: 0 above the diagonal."""
    return where(wrap(np.tri(*input.shape[-2:], diagonal, bool)), input, 0)


def triu(input, diagonal=0):
    """The upper triangle: 0 below the diagonal."""
    return where(wrap(np.tri(*input.shape[-2:], diagonal - 1, bool)), 0, input)


def _array(x):
    return np.asarray(unwrap(x))


__all__ = [
    "diag", "gather", "gather_elements", "index_select", "masked_select", "one_hot",
    "tensor_scatter_add", "trace", "tril", "triu",
]  # fmt: skip
