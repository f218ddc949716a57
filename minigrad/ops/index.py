"""Functions that pick values out or put them in, by MindSpore's names."""

import numpy as np

from ..rules import index as rules
from ..rules.elementwise import equal, where
from ..rules.reduce import axes_of
from ..rules.shape import reshape
from ..tensor import Tensor, as_array, wrap


def gather(input_params, input_indices, axis, batch_dims=0) -> Tensor:
    """The entries at these indices along an axis; an index may occur more than once.

    The first ``batch_dims`` axes are a batch: each of its members has indices of its own.
    """
    (axis,) = axes_of(int(axis), input_params.ndim)
    if not batch_dims:
        return input_params[(slice(None),) * axis + (input_indices,)]
    places, batch = as_array(input_indices), batch_dims % input_params.ndim
    if axis != batch:
        raise ValueError(f"gather: with batch_dims={batch_dims}, axis must be {batch}, not {axis}")
    grid = np.ix_(*map(np.arange, places.shape[:batch]))
    key = tuple(g.reshape(g.shape + (1,) * (places.ndim - batch)) for g in grid)
    return input_params[(*key, places)]


def index_select(input, axis, index) -> Tensor:
    """The entries at these indices along an axis."""
    return gather(input, index, axis)


def gather_elements(input, dim, index) -> Tensor:
    """At each place, the entry of input at that place, but for the position along dim: index."""
    places, (dim,) = as_array(index), axes_of(dim, input.ndim)
    if places.ndim == input.ndim:  # an index may be shorter than input along the other axes
        used = (slice(None if a == dim else n) for a, n in enumerate(places.shape))
        input = input[tuple(used)]
    return rules.take_along(input, places, dim)


def gather_d(x, dim, index) -> Tensor:
    """``gather_elements`` under another name."""
    return gather_elements(x, dim, index)


def take(input, index) -> Tensor:
    """The entries at these places of input laid out in a row."""
    return input.reshape(-1)[index]


def masked_select(input, mask) -> Tensor:
    """The entries where mask is True, in one row."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    if shape != input.shape:
        input = input.broadcast_to(shape)
    return input[np.broadcast_to(as_array(mask), shape)]


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """on_value at the place that the index names along a new axis, off_value elsewhere.

    >>> from minigrad import Tensor, ops
    >>> print(ops.one_hot(Tensor([2, 0]), 3))
    [[0 0 1]
     [1 0 0]]
    """
    places = wrap(as_array(indices))
    if places.array.dtype.kind not in "iu":
        raise TypeError(f"one_hot: indices must be integers, but are {places.array.dtype}")
    (axis,) = axes_of(axis, places.ndim + 1)
    row = np.arange(depth).reshape((-1,) + (1,) * (places.ndim - axis))
    column = reshape(places, (*places.shape[:axis], 1, *places.shape[axis:]))
    return where(equal(column, row), on_value, off_value)


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


def tril_indices(row, col, offset=0, *, dtype=np.int64) -> Tensor:
    """Rows and columns of the entries of a lower triangle."""
    return wrap(np.stack(np.tril_indices(row, offset, col)).astype(np.dtype(dtype)))


def triu_indices(row, col, offset=0, *, dtype=np.int64) -> Tensor:
    """Rows and columns of the entries of an upper triangle."""
    return wrap(np.stack(np.triu_indices(row, offset, col)).astype(np.dtype(dtype)))


def _triangle(x, diagonal):
    rows, columns = x.shape[-2:]
    return np.tri(rows, columns, diagonal, dtype=np.bool_)


__all__ = [
    "diag", "gather", "gather_d", "gather_elements", "index_select", "masked_select", "one_hot",
    "take", "trace", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip
