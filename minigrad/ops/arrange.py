"""Functions that turn and shift, make diagonals and choose entries, by MindSpore's names."""

import itertools

import numpy as np

from ..rules.index import assign, flip, scatter
from ..rules.reduce import axes_of, axis_of
from ..rules.shape import concatenate, reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap
from .joining import concat, stack
from .shape import broadcast_to, repeat_interleave
from .stacking import atleast_2d


def roll(input, shifts, dims=None) -> Tensor:
    """input with its entries shifted along the axes; those that fall off come in at the other end.

    Without ``dims``, the entries are shifted as one row.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if there are not as many shifts as
        axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
    [4 1 2 3]

    Source: numpy.roll
    """
    if dims is None:
        return reshape(roll(reshape(input, (-1,)), shifts, 0), input.shape)
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    axes = axes_of(dims, input.ndim)
    if len(steps) != len(axes):
        raise ValueError(f"roll: each axis needs a shift, but got shifts {shifts} for dims {dims}")
    for step, axis in zip(steps, axes, strict=True):
        n = input.shape[axis]
        cut = -step % n if n else 0
        if cut:
            before = (slice(None),) * axis
            parts = input[(*before, slice(cut, None))], input[(*before, slice(None, cut))]
            input = concatenate(parts, axis)
    return input


def rot90(input, k, dims) -> Tensor:
    """input turned k times by 90 degrees in the plane of two axes, from the first to the second.

    Shapes: two axes or more; the lengths of the two axes change places if k is odd
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if both are the same.

    >>> from minigrad import Tensor, ops
    >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
    [[2 4]
     [1 3]]

    Source: numpy.rot90
    """
    first, second = axes_of(tuple(dims), input.ndim)
    if k % 4 == 2:
        return flip(input, (first, second))
    if k % 4 == 1:
        return swapaxes(flip(input, second), first, second)
    return flip(swapaxes(input, first, second), second) if k % 4 else input


def fliplr(input) -> Tensor:
    """input with its columns (axis 1) in reverse order.

    Shapes: two axes or more; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises IndexError if input has no axis 1.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fliplr(Tensor([[1, 2], [3, 4]])))
    [[2 1]
     [4 3]]

    Source: numpy.fliplr
    """
    return flip(input, axis_of(1, input.ndim))


def flipud(input) -> Tensor:
    """input with its rows (axis 0) in reverse order.

    Shapes: one axis or more; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises IndexError if input is a single number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.flipud(Tensor([[1, 2], [3, 4]])))
    [[3 4]
     [1 2]]

    Source: numpy.flipud
    """
    return flip(input, axis_of(0, input.ndim))


def reverse(x, axis) -> Tensor:
    """x with the order of its entries reversed along the axes.

    Shapes: any; the output has the shape of x
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reverse(Tensor([1, 2, 3]), 0))
    [3 2 1]

    Source: numpy.flip
    """
    return flip(x, axes_of(axis, x.ndim))


def movedim(x, source, destination) -> Tensor:
    """x with the axes ``source`` moved to ``destination``; the others keep their order.

    Shapes: any; the output has the same lengths in another order
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if one is named twice or the numbers of
        axes differ.

    >>> from minigrad import ops
    >>> print(ops.movedim(ops.zeros((2, 3, 4)), 0, 2).shape)
    (3, 4, 2)

    Source: numpy.moveaxis
    """
    start, end = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(start) != len(end):
        raise ValueError(f"movedim: source {source} and destination {destination} must be as many")
    order: list[int] = [a for a in range(x.ndim) if a not in start]
    for place, axis in sorted(zip(end, start, strict=True)):
        order.insert(place, axis)
    return transpose(x, tuple(order))


moveaxis = movedim


def t(input) -> Tensor:
    """A matrix turned; a vector or a number as it is.

    Shapes: at most two axes; (n, m) becomes (m, n)
    Dtypes: any; the output has that of input
    Raises ValueError if input has more than two axes: ``transpose`` and ``adjoint`` turn those.

    >>> from minigrad import Tensor, ops
    >>> print(ops.t(Tensor([[1, 2, 3]])))
    [[1]
     [2]
     [3]]

    Source: the definition of the transpose
    """
    if input.ndim > 2:
        raise ValueError(f"t: input must have at most 2 axes, but has shape {input.shape}")
    return transpose(input)


def adjoint(x) -> Tensor:
    """Matrices (the last two axes) turned.

    Shapes: (..., n, m) becomes (..., m, n)
    Dtypes: any; the output has that of x
    Raises IndexError if x has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.adjoint(Tensor([[1, 2], [3, 4]])))
    [[1 3]
     [2 4]]

    Source: the definition; for the real numbers here, the conjugate transpose is the transpose
    """
    return swapaxes(x, -1, -2)


swapdims = swapaxes


def ravel(input) -> Tensor:
    """All entries in one row.

    Shapes: any; the output is a vector
    Dtypes: any; the output has that of input
    Raises nothing of its own: any Tensor will do.

    >>> from minigrad import Tensor, ops
    >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
    [1 2 3 4]

    Source: numpy.ravel
    """
    return reshape(input, (-1,))


def view_as(input, other) -> Tensor:
    """input in the shape of other.

    Shapes: as many entries in input as in other; the output has the shape of other
    Dtypes: any; the output has that of input
    Raises ValueError if the numbers of entries differ.

    >>> from minigrad import Tensor, ops
    >>> print(ops.view_as(Tensor([1, 2, 3, 4]), ops.zeros((2, 2))))
    [[1 2]
     [3 4]]

    Source: numpy.reshape
    """
    return reshape(input, other.shape)


def expand(input_x, size) -> Tensor:
    """input_x repeated to this shape, as broadcasting would; -1 keeps a length.

    Shapes: any that broadcasts to size; the output has the shape size
    Dtypes: any; the output has that of input_x
    Raises ValueError if input_x does not broadcast to that shape.

    >>> from minigrad import Tensor, ops
    >>> print(ops.expand(Tensor([[1], [2]]), (-1, 3)))
    [[1 1 1]
     [2 2 2]]

    Source: numpy.broadcast_to
    """
    return broadcast_to(input_x, tuple(int(n) for n in unwrap(size)))


def expand_as(input, other) -> Tensor:
    """input repeated to the shape of other, as broadcasting would.

    Shapes: any that broadcasts to the shape of other, which the output has
    Dtypes: any; the output has that of input
    Raises ValueError if input does not broadcast to that shape.

    >>> from minigrad import Tensor, ops
    >>> print(ops.expand_as(Tensor([1, 2]), ops.zeros((2, 2))))
    [[1 2]
     [1 2]]

    Source: numpy.broadcast_to
    """
    return broadcast_to(input, other.shape)


def repeat_elements(x, rep, axis=0) -> Tensor:
    """Each entry along an axis, ``rep`` times.

    Shapes: any; the axis becomes rep times as long
    Dtypes: any; the output has that of x
    Raises IndexError if the axis is out of range, ValueError if rep is below 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
    [1 1 2 2]

    Source: numpy.repeat
    """
    return repeat_interleave(x, rep, axis)


# ---------------------------------------------------------------------------------------- diagonals
def diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
    """The diagonal of the matrices in two axes, as a new last axis; ``offset`` to the right.

    Shapes: two axes or more; the output lacks dim1 and dim2 and has the diagonal last
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if both are the same.

    >>> from minigrad import ops
    >>> print(ops.diagonal(ops.arange(6).reshape(2, 3), 1))
    [1 5]

    Source: numpy.diagonal
    """
    rows, columns = _diagonal(input, offset, dim1, dim2)
    return movedim(input, (dim1, dim2), (-2, -1))[..., rows, columns]


def _diagonal(x, offset, dim1, dim2):
    """Rows and columns of a diagonal."""
    first, second = axes_of((dim1, dim2), x.ndim)
    height, width = x.shape[first], x.shape[second]
    n = max(min(height + min(offset, 0), width - max(offset, 0)), 0)
    return np.arange(n) + max(-offset, 0), np.arange(n) + max(offset, 0)


def diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
    """Matrices, in two new axes, with the last axis of input on their diagonals and 0 elsewhere.

    Shapes: (..., n); the output has an axis more: (..., m, m), m = n + abs(offset)
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if both are the same or input is a
        single number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.diag_embed(Tensor([1, 2])))
    [[1 0]
     [0 2]]

    Source: the definition of a diagonal matrix
    """
    if not input.ndim:
        raise ValueError("diag_embed: input must have at least one axis, but is a single number")
    n = input.shape[-1]
    size, places = n + abs(offset), np.arange(n)
    key = (..., places + max(-offset, 0), places + max(offset, 0))
    return movedim(scatter(input, key, (*input.shape[:-1], size, size)), (-2, -1), (dim1, dim2))


def diagflat(input, offset=0) -> Tensor:
    """A matrix with all entries of input on a diagonal, and 0 elsewhere.

    Shapes: any, of n entries; the output is (m, m), m = n + abs(offset)
    Dtypes: any; the output has that of input
    Raises nothing of its own: any Tensor will do.

    >>> from minigrad import Tensor, ops
    >>> print(ops.diagflat(Tensor([1, 2])))
    [[1 0]
     [0 2]]

    Source: numpy.diagflat
    """
    return diag_embed(ravel(input), offset)


def block_diag(*inputs) -> Tensor:
    """A matrix with these matrices along its diagonal, and 0 elsewhere.

    Shapes: matrices, vectors (as rows) or numbers; the output has the sums of their rows and
        columns
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if one has more than two axes, or there is none.

    >>> from minigrad import Tensor, ops
    >>> print(ops.block_diag(Tensor([[1, 2]]), Tensor([[3], [4]])))
    [[1 2 0]
     [0 0 3]
     [0 0 4]]

    Source: scipy.linalg.block_diag
    """
    if not inputs or any(x.ndim > 2 for x in inputs):
        raise ValueError(
            "block_diag takes one matrix or more, with two axes at most, but got "
            f"{[x.shape for x in inputs]}"
        )
    blocks = [atleast_2d(x) for x in inputs]
    width = sum(x.shape[1] for x in blocks)
    rows, start = [], 0
    for x in blocks:
        places = slice(start, start + x.shape[1])
        rows.append(scatter(x, (slice(None), places), (x.shape[0], width)))
        start = places.stop
    return concat(rows, 0)


# ------------------------------------------------------------------ choosing entries of vectors
def _vector(name: str, x) -> Tensor:
    if x.ndim != 1:
        raise ValueError(f"{name}: expected a vector, but got shape {x.shape}")
    return x


def cartesian_prod(*inputs) -> Tensor:
    """All ways to take one entry of each vector, as rows, the last varying fastest.

    Shapes: k vectors of n1, n2, ... entries; the output is (n1 n2 ..., k), and for k = 1 the vector
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if an input is not a vector, or there is none.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([7, 8])))
    [[1 7]
     [1 8]
     [2 7]
     [2 8]]

    Source: the definition of the Cartesian product
    """
    sizes = [_vector("cartesian_prod", x).size for x in inputs]
    grids = np.meshgrid(*map(np.arange, sizes), indexing="ij")
    columns = [x[grid.ravel()] for x, grid in zip(inputs, grids, strict=True)]
    return columns[0] if len(columns) == 1 else stack(columns, 1)


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor:
    """input with src on a diagonal; see ``diagonal``.

    Shapes: src as ``diagonal`` would give it, or one that broadcasts to it; the output as input
    Dtypes: any; the output has that of input
    Raises ValueError if src does not fit, IndexError if an axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.diagonal_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0])))
    [[1. 0.]
     [0. 2.]]

    Source: the definition: what ``diagonal`` reads is written
    """
    rows, columns = _diagonal(input, offset, dim1, dim2)
    moved = movedim(input, (dim1, dim2), (-2, -1))
    return movedim(assign(moved, src, (..., rows, columns)), (-2, -1), (dim1, dim2))


def combinations(input, r=2, with_replacement=False) -> Tensor:
    """All ways to choose r entries of a vector, in their order, as rows.

    Shapes: (n,); the output is (number of ways, r), n! / (r! (n - r)!) of them without replacement
    Dtypes: any; the output has that of input
    Raises ValueError if input is not a vector, or r is below 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.combinations(Tensor([1, 2, 3])))
    [[1 2]
     [1 3]
     [2 3]]

    Source: DLMF 26.3 (numbers of combinations); the order of itertools.combinations
    """
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = list(choose(range(_vector("combinations", input).size), r))
    return input[np.array(places, np.int64).reshape(-1, r)]


def vander(x, N=None) -> Tensor:
    """The powers of a vector's entries as columns, from N - 1 down to 0.

    Shapes: (n,); the output is (n, N), N = n if it is None
    Dtypes: any; floats stay, integers become int64
    Raises ValueError if x is not a vector.

    >>> from minigrad import Tensor, ops
    >>> print(ops.vander(Tensor([2, 3]), 3))
    [[4 2 1]
     [9 3 1]]

    Source: numpy.vander; Golub and Van Loan, Matrix Computations, 4th edition, 2013, section 4.6
    """
    return reshape(_vector("vander", x), (-1, 1)) ** np.arange(x.size if N is None else N)[::-1]


__all__ = [
    "adjoint", "block_diag", "cartesian_prod", "combinations", "diag_embed", "diagflat", "diagonal",
    "diagonal_scatter", "expand", "expand_as", "fliplr", "flipud", "moveaxis", "movedim", "ravel",
    "repeat_elements", "reverse", "roll", "rot90", "swapdims", "t", "vander", "view_as",
]  # fmt: skip
