"""Functions that turn, shift, cut and stack, by MindSpore's names: more of what ``shape`` holds."""

import itertools
from typing import Any

import numpy as np

from ..rules.index import assign, flip, scatter
from ..rules.reduce import axes_of
from ..rules.shape import concatenate, identity, reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap
from .shape import broadcast_to, concat, expand_dims, repeat_interleave, split, stack, unbind


def roll(input, shifts, dims=None) -> Tensor:
    """input with its entries shifted along the axes; those that fall off come in at the front.

    Without ``dims``, the entries are shifted as one row.

    >>> from minigrad import Tensor, ops
    >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
    [4 1 2 3]
    """
    if dims is None:
        return reshape(roll(reshape(input, (-1,)), shifts, 0), input.shape)
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    axes = axes_of(dims, input.ndim)
    if len(steps) != len(axes):
        raise ValueError(f"roll: {len(steps)} shifts for {len(axes)} axes")
    for step, axis in zip(steps, axes, strict=True):
        n = input.shape[axis]
        cut = -step % n if n else 0
        if cut:
            before = (slice(None),) * axis
            parts = input[(*before, slice(cut, None))], input[(*before, slice(None, cut))]
            input = concatenate(parts, axis)
    return input


def rot90(input, k, dims) -> Tensor:
    """input turned k times by 90 degrees in the plane of two axes, from the first to the second."""
    first, second = axes_of(tuple(dims), input.ndim)
    if k % 4 == 2:
        return flip(input, (first, second))
    if k % 4 == 1:
        return swapaxes(flip(input, second), first, second)
    return flip(swapaxes(input, first, second), second) if k % 4 else input


def fliplr(input) -> Tensor:
    """input with its columns (axis 1) in reverse order."""
    return flip(input, 1)


def flipud(input) -> Tensor:
    """input with its rows (axis 0) in reverse order."""
    return flip(input, 0)


def reverse(x, axis) -> Tensor:
    """x with the order of its entries reversed along the axes."""
    return flip(x, axes_of(axis, x.ndim))


def movedim(x, source, destination) -> Tensor:
    """x with the axes ``source`` moved to ``destination``; the others keep their order."""
    start, end = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(start) != len(end):
        raise ValueError(f"movedim: {len(start)} axes cannot move to {len(end)} places")
    order: list[int] = [a for a in range(x.ndim) if a not in start]
    for place, axis in sorted(zip(end, start, strict=True)):
        order.insert(place, axis)
    return transpose(x, tuple(order))


moveaxis = movedim


def t(input) -> Tensor:
    """A matrix turned; a vector or a number as it is."""
    if input.ndim > 2:
        raise ValueError(f"t: input must have at most 2 axes, but has shape {input.shape}")
    return transpose(input)


def adjoint(x) -> Tensor:
    """Matrices (the last two axes) turned."""
    return swapaxes(x, -1, -2)


swapdims = swapaxes


def ravel(input) -> Tensor:
    """All entries in one row."""
    return reshape(input, (-1,))


def view_as(input, other) -> Tensor:
    """input in the shape of other."""
    return reshape(input, other.shape)


def expand(input_x, size) -> Tensor:
    """input_x repeated to this shape; -1 keeps a length."""
    return broadcast_to(input_x, tuple(int(n) for n in unwrap(size)))


def expand_as(input, other) -> Tensor:
    """input repeated to the shape of other."""
    return broadcast_to(input, other.shape)


def repeat_elements(x, rep, axis=0) -> Tensor:
    """Each entry along an axis ``rep`` times."""
    return repeat_interleave(x, rep, axis)


# ---------------------------------------------------------------------------------------- diagonals
def diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
    """The diagonal of the matrices in two axes, as a new last axis; ``offset`` to the right.

    >>> from minigrad import ops
    >>> print(ops.diagonal(ops.arange(6).reshape(2, 3), 1))
    [1 5]
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
    """Matrices, in two new axes, with the last axis of input on their diagonals and 0 elsewhere."""
    n = input.shape[-1]
    size, places = n + abs(offset), np.arange(n)
    key = (..., places + max(-offset, 0), places + max(offset, 0))
    return movedim(scatter(input, key, (*input.shape[:-1], size, size)), (-2, -1), (dim1, dim2))


def diagflat(input, offset=0) -> Tensor:
    """A matrix with all entries of input on a diagonal, and 0 elsewhere."""
    return diag_embed(ravel(input), offset)


def block_diag(*inputs) -> Tensor:
    """A matrix with these matrices along its diagonal, and 0 elsewhere."""
    blocks = [atleast_2d(x) for x in inputs]
    width = sum(x.shape[1] for x in blocks)
    rows, start = [], 0
    for x in blocks:
        places = slice(start, start + x.shape[1])
        rows.append(scatter(x, (slice(None), places), (x.shape[0], width)))
        start = places.stop
    return concat(rows, 0)


# ----------------------------------------------------------------------------- stacking and cutting
def _each_or_all(function, inputs) -> Any:
    return function(inputs) if isinstance(inputs, Tensor) else tuple(map(function, inputs))


def atleast_1d(inputs) -> Any:
    """A Tensor (or each of several) with at least one axis."""
    return _each_or_all(lambda x: x if x.ndim else reshape(x, (1,)), inputs)


def atleast_2d(inputs) -> Any:
    """A Tensor (or each of several) with at least two axes; a vector becomes a row."""
    return _each_or_all(lambda x: x if x.ndim > 1 else reshape(x, (1, -1)), inputs)


def atleast_3d(inputs) -> Tensor | tuple[Tensor, ...]:
    """A Tensor (or each of several) with at least three axes."""

    def widen(x):
        return x if x.ndim > 2 else expand_dims(x, -1) if x.ndim == 2 else reshape(x, (1, -1, 1))

    return _each_or_all(widen, inputs)


def hstack(tensors) -> Tensor:
    """The Tensors side by side: along axis 1, vectors along axis 0."""
    parts = [atleast_1d(x) for x in tensors]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(inputs) -> Tensor:
    """The Tensors one below the other, vectors as rows."""
    return concat([atleast_2d(x) for x in inputs], 0)


row_stack = vstack


def dstack(tensors) -> Tensor:
    """The Tensors one behind the other, along axis 2."""
    return concat([atleast_3d(x) for x in tensors], 2)


def column_stack(tensors) -> Tensor:
    """The Tensors side by side, vectors as columns."""
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in tensors], 1)


def tensor_split(input, indices_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Parts along an axis: this many, as equal as can be, or with cuts before these places."""
    (axis,) = axes_of(axis, input.ndim)
    n = input.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError(
                f"tensor_split: the parts must be 1 or more, not {indices_or_sections}"
            )
        each, more = divmod(n, indices_or_sections)
        sizes = [each + (i < more) for i in range(indices_or_sections)]
        return split(input, sizes, axis)
    cuts = [slice(None, n).indices(n)[1] if c is None else c for c in indices_or_sections]
    before = (slice(None),) * axis
    edges = zip([0, *cuts], [*cuts, n], strict=True)
    return tuple(input[(*before, slice(a, max(a, b)))] for a, b in edges)


def hsplit(input, indices_or_sections) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 1 (0 for a vector)."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 0."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input, indices_or_sections) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 2."""
    return tensor_split(input, indices_or_sections, 2)


def narrow(input, axis, start, length) -> Tensor:
    """``length`` entries along an axis, from ``start`` on."""
    (axis,) = axes_of(axis, input.ndim)
    n = input.shape[axis]
    if not (start >= 0 and length >= 0 and start + length <= n):
        raise ValueError(f"narrow: {length} entries from {start} on are not in an axis of {n}")
    return input[(*(slice(None),) * axis, slice(start, start + length))]


def unstack(input_x, axis=0) -> tuple[Tensor, ...]:
    """A tuple of the slices along an axis."""
    return unbind(input_x, axis)


def slice_(input_x, begin, size) -> Tensor:
    """``size`` entries along each axis, from ``begin`` on; a size of -1 means all that are left."""
    starts, sizes = (tuple(int(n) for n in unwrap(v)) for v in (begin, size))
    if not len(starts) == len(sizes) == input_x.ndim:
        raise ValueError(
            f"slice: begin {starts} and size {sizes} must have a number for each axis of shape "
            f"{input_x.shape}"
        )
    for a, (b, s, n) in enumerate(zip(starts, sizes, input_x.shape, strict=True)):
        if not 0 <= b <= n or (s != -1 and not 0 <= s <= n - b):
            raise ValueError(f"slice: {s} entries from {b} on are not in axis {a}, of length {n}")
    key = (slice(b, None if s == -1 else b + s) for b, s in zip(starts, sizes, strict=True))
    return input_x[tuple(key)]


def strided_slice(
    input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0,
) -> Tensor:  # fmt: skip
    """input_x[begin:end:strides], axis by axis.

    A bit i of a mask says of the i-th of these:
    begin_mask, end_mask: as if left out; ellipsis_mask: ``...``; new_axis_mask: ``None``;
    shrink_axis_mask: the single entry at ``begin``, without its axis.
    """
    key: list = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return input_x[tuple(key)]


def cartesian_prod(*inputs) -> Tensor:
    """All ways to take one entry of each vector, as rows, the last varying fastest."""
    grids = np.meshgrid(*(np.arange(x.size) for x in inputs), indexing="ij")
    columns = [x[grid.ravel()] for x, grid in zip(inputs, grids, strict=True)]
    return columns[0] if len(columns) == 1 else stack(columns, 1)


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor:
    """input with src on a diagonal; see ``diagonal``."""
    rows, columns = _diagonal(input, offset, dim1, dim2)
    moved = movedim(input, (dim1, dim2), (-2, -1))
    return movedim(assign(moved, src, (..., rows, columns)), (-2, -1), (dim1, dim2))


def combinations(input, r=2, with_replacement=False) -> Tensor:
    """All ways to choose r entries of a vector, in their order, as rows."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = list(choose(range(input.size), r))
    return input[np.array(places, np.int64).reshape(-1, r)]


def vander(x, N=None) -> Tensor:
    """The powers of a vector's entries as columns, from N - 1 down to 0."""
    return reshape(x, (-1, 1)) ** np.arange(x.size if N is None else N)[::-1]


def clone(input) -> Tensor:
    """A Tensor of the same values, through which gradients flow."""
    return identity(input)


__all__ = [
    "adjoint", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "cartesian_prod",
    "column_stack", "combinations", "diag_embed", "diagflat", "diagonal", "diagonal_scatter",
    "dsplit", "dstack", "expand", "expand_as", "fliplr", "flipud", "hsplit", "hstack",
    "moveaxis", "movedim", "narrow", "ravel", "repeat_elements", "reverse", "roll", "rot90",
    "row_stack", "strided_slice", "swapdims", "t", "tensor_split", "unstack", "vander",
    "view_as", "vsplit", "vstack",
]  # fmt: skip
