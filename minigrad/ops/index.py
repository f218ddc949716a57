"""Functions that pick values out or put them in, by MindSpore's names."""

import numpy as np

from ..rules import index as rules
from ..rules.elementwise import equal, where
from ..rules.reduce import axis_of
from ..rules.shape import cast, reshape
from ..samples import refuse_samples
from ..tensor import Tensor, as_array, unwrap, wrap


def gather(input_params, input_indices, axis, batch_dims=0) -> Tensor:
    """The entries at these indices along an axis; an index may occur more than once.

    The first ``batch_dims`` axes are a batch: each of its members has indices of its own.

    Shapes: indices any; their shape stands for that of the axis in the output
    Dtypes: integer indices; the output has the dtype of input_params
    Raises IndexError if an index or the axis is out of range or an index is not an integer,
        ValueError if axis is not batch_dims.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gather(Tensor([5, 6, 7]), Tensor([2, 0, 2]), 0))
    [7 5 7]

    Source: numpy.take
    """
    axis = axis_of(int(axis), input_params.ndim)
    if not batch_dims:
        return input_params[(slice(None),) * axis + (input_indices,)]
    places, batch = as_array(input_indices), batch_dims % input_params.ndim
    if axis != batch:
        raise ValueError(f"gather: with batch_dims={batch_dims}, axis must be {batch}, not {axis}")
    grid = np.ix_(*map(np.arange, places.shape[:batch]))
    key = tuple(g.reshape(g.shape + (1,) * (places.ndim - batch)) for g in grid)
    return input_params[(*key, places)]


def index_select(input, axis, index) -> Tensor:
    """The entries at these indices along an axis; an index may occur more than once.

    Shapes: index a vector; the axis becomes as long as it
    Dtypes: integer index; the output has the dtype of input
    Raises IndexError if an index or the axis is out of range or an index is not an integer.

    >>> from minigrad import Tensor, ops
    >>> print(ops.index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1])))
    [[2]
     [4]]

    Source: numpy.take
    """
    return gather(input, index, axis)


def gather_elements(input, dim, index) -> Tensor:
    """At each place, the entry of input at that place, but for the position along dim: index.

    Shapes: index with as many axes as input, not longer but along dim; the output as index
    Dtypes: integer index; the output has the dtype of input
    Raises IndexError if an index or dim is out of range or index does not fit, ValueError if it has
        another number of axes.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([[1, 2], [3, 4]])
    >>> print(ops.gather_elements(x, 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]

    Source: numpy.take_along_axis; ONNX operator GatherElements
    """
    places, dim = as_array(index), axis_of(dim, input.ndim)
    if places.ndim == input.ndim:  # an index may be shorter than input along the other axes
        used = (slice(None if a == dim else n) for a, n in enumerate(places.shape))
        input = input[tuple(used)]
    return rules.take_along(input, places, dim)


def gather_d(x, dim, index) -> Tensor:
    """``gather_elements`` under another name.

    Shapes: index with as many axes as x, not longer but along dim; the output as index
    Dtypes: integer index; the output has the dtype of x
    Raises IndexError if an index or dim is out of range or index does not fit, ValueError if it has
        another number of axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gather_d(Tensor([5, 6, 7]), 0, Tensor([2, 0])))
    [7 5]

    Source: numpy.take_along_axis
    """
    return gather_elements(x, dim, index)


def take(input, index) -> Tensor:
    """The entries at these places of input laid out in a row.

    Shapes: index any; the output has its shape
    Dtypes: integer index; the output has the dtype of input
    Raises IndexError if an index is out of range or not an integer.

    >>> from minigrad import Tensor, ops
    >>> print(ops.take(Tensor([[1, 2], [3, 4]]), Tensor([3, 0])))
    [4 1]

    Source: numpy.take without an axis
    """
    return input.reshape(-1)[index]


def mask_of(name: str, mask, shape) -> np.ndarray:
    """A mask repeated to this shape."""
    hit = as_array(mask)
    if hit.dtype != np.bool_:
        raise TypeError(f"{name}: the mask must hold booleans, as x > 0 does, not {hit.dtype}")
    message = (
        "a mask that differs between samples picks another number of entries from each; choose "
        "with ops.where(mask, x, y) instead"
    )
    refuse_samples(name, message, hit)
    return np.broadcast_to(hit, shape)


def masked_select(input, mask) -> Tensor:
    """The entries where mask is True, in one row.

    Shapes: two shapes that broadcast together; the output is a vector
    Dtypes: a bool mask; the output has the dtype of input
    Raises TypeError if the mask is not bool, ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])))
    [1 3]

    Source: numpy's boolean indexing
    """
    shape = np.broadcast_shapes(input.shape, mask.shape)
    if shape != input.shape:
        input = input.broadcast_to(shape)
    return input[mask_of("masked_select", mask, shape)]


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """on_value at the place that the index names along a new axis, off_value elsewhere.

    An index that is not from 0 to depth - 1 has off_value everywhere.

    Shapes: any; the output has one axis more, ``depth`` long
    Dtypes: integer indices; the output has that of on_value and off_value (int64 for the defaults)
    Raises TypeError if indices are not integers, ValueError if depth is below 0, IndexError if axis
        is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.one_hot(Tensor([2, 0]), 3))
    [[0 0 1]
     [1 0 0]]

    Source: the definition
    """
    places = wrap(as_array(indices))
    if places.array.dtype.kind not in "iu":
        raise TypeError(f"one_hot: indices must be integers, but are {places.array.dtype}")
    if depth < 0:
        raise ValueError(f"one_hot: depth must be from 0 on, but got {depth}")
    axis = axis_of(axis, places.ndim + 1)
    row = np.arange(depth).reshape((-1,) + (1,) * (places.ndim - axis))
    column = reshape(places, (*places.shape[:axis], 1, *places.shape[axis:]))
    return where(equal(column, row), on_value, off_value)


def diag(input) -> Tensor:
    """A Tensor of twice as many axes, with input on its diagonal and 0 elsewhere.

    Shapes: (n, m, ...) becomes (n, m, ..., n, m, ...)
    Dtypes: any; the output has that of input
    Raises AttributeError if input is not a Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.diag(Tensor([1, 2])))
    [[1 0]
     [0 2]]

    Source: the definition of a diagonal matrix; numpy.diag for vectors
    """
    places = tuple(np.indices(input.shape, sparse=True))
    return rules.scatter(input, places * 2, input.shape * 2)


def trace(input) -> Tensor:
    """The sum of the diagonal of a matrix.

    Shapes: (n, m); the output is a number
    Dtypes: any; the output has that of input
    Raises ValueError if input is not a matrix.

    >>> from minigrad import Tensor, ops
    >>> print(ops.trace(Tensor([[1, 2], [3, 4]])))
    5

    Source: numpy.trace
    """
    if input.ndim != 2:
        raise ValueError(f"trace: expected a matrix, but got shape {input.shape}")
    n = np.arange(min(input.shape))
    return cast(input[n, n].sum(), unwrap(input).dtype)


def tril(input, diagonal=0) -> Tensor:
    """The lower triangle: 0 above the diagonal.

    Shapes: (..., n, m); the output has the shape of input
    Dtypes: any; the output has that of input
    Raises ValueError if input has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.tril(Tensor([[1, 2], [3, 4]])))
    [[1 0]
     [3 4]]

    Source: numpy.tril
    """
    return where(wrap(_triangle("tril", input, diagonal)), input, _zero(input))


def triu(input, diagonal=0) -> Tensor:
    """The upper triangle: 0 below the diagonal.

    Shapes: (..., n, m); the output has the shape of input
    Dtypes: any; the output has that of input
    Raises ValueError if input has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
    [[1 2]
     [0 4]]

    Source: numpy.triu
    """
    return where(wrap(_triangle("triu", input, diagonal - 1)), _zero(input), input)


def tril_indices(row, col, offset=0, *, dtype=np.int64) -> Tensor:
    """Rows and columns of the entries of a lower triangle.

    Shapes: numbers; a triangle of n entries gives (2, n)
    Dtypes: int64, or dtype
    Raises TypeError if row or col is not a number.

    >>> from minigrad import ops
    >>> print(ops.tril_indices(2, 2))
    [[0 1 1]
     [0 0 1]]

    Source: numpy.tril_indices
    """
    return wrap(np.stack(np.tril_indices(row, offset, col)).astype(np.dtype(dtype)))


def triu_indices(row, col, offset=0, *, dtype=np.int64) -> Tensor:
    """Rows and columns of the entries of an upper triangle.

    Shapes: numbers; a triangle of n entries gives (2, n)
    Dtypes: int64, or dtype
    Raises TypeError if row or col is not a number.

    >>> from minigrad import ops
    >>> print(ops.triu_indices(2, 2))
    [[0 0 1]
     [0 1 1]]

    Source: numpy.triu_indices
    """
    return wrap(np.stack(np.triu_indices(row, offset, col)).astype(np.dtype(dtype)))


def _zero(x):
    """0, or False for bools, beside which 0 would make integers."""
    return unwrap(x).dtype.type(0).item()


def _triangle(name, x, diagonal):
    if x.ndim < 2:
        raise ValueError(f"{name}: expected a matrix, or several, but got shape {x.shape}")
    rows, columns = x.shape[-2:]
    return np.tri(rows, columns, diagonal, dtype=np.bool_)


__all__ = [
    "diag", "gather", "gather_d", "gather_elements", "index_select", "masked_select", "one_hot",
    "take", "trace", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip
