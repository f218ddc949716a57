"""Functions that stack Tensors, and that cut them up, by MindSpore's names."""

from typing import Any

from ..rules.reduce import axis_of
from ..rules.shape import reshape
from ..tensor import Tensor, unwrap
from .joining import concat, split, unbind
from .shape import expand_dims


def _each_or_all(function, inputs) -> Any:
    return function(inputs) if isinstance(inputs, Tensor) else tuple(map(function, inputs))


def atleast_1d(inputs) -> Any:
    """A Tensor (or each of several) with at least one axis.

    Shapes: any; a number becomes (1,), others stay
    Dtypes: any; the output has that of the input
    Raises TypeError if it is neither a Tensor nor several.

    >>> from minigrad import Tensor, ops
    >>> print(ops.atleast_1d(Tensor(5)))
    [5]

    Source: numpy.atleast_1d
    """
    return _each_or_all(lambda x: x if x.ndim else reshape(x, (1,)), inputs)


def atleast_2d(inputs) -> Any:
    """A Tensor (or each of several) with at least two axes; a vector becomes a row.

    Shapes: any; a number becomes (1, 1), a vector (1, n), others stay
    Dtypes: any; the output has that of the input
    Raises TypeError if it is neither a Tensor nor several.

    >>> from minigrad import Tensor, ops
    >>> print(ops.atleast_2d(Tensor([1, 2])))
    [[1 2]]

    Source: numpy.atleast_2d
    """
    return _each_or_all(lambda x: x if x.ndim > 1 else reshape(x, (1, -1)), inputs)


def atleast_3d(inputs) -> Tensor | tuple[Tensor, ...]:
    """A Tensor (or each of several) with at least three axes.

    Shapes: any; a number becomes (1, 1, 1), (n,) becomes (1, n, 1), (n, m) becomes (n, m, 1)
    Dtypes: any; the output has that of the input
    Raises TypeError if it is neither a Tensor nor several.

    >>> from minigrad import Tensor, ops
    >>> print(ops.atleast_3d(Tensor([1, 2])).shape)
    (1, 2, 1)

    Source: numpy.atleast_3d
    """

    def widen(x):
        return x if x.ndim > 2 else expand_dims(x, -1) if x.ndim == 2 else reshape(x, (1, -1, 1))

    return _each_or_all(widen, inputs)


def hstack(tensors) -> Tensor:
    """The Tensors side by side: along axis 1, vectors along axis 0.

    Shapes: equal but for that axis, where the output is as long as all together
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if the shapes do not fit, or there is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hstack([Tensor([[1], [2]]), Tensor([[3], [4]])]))
    [[1 3]
     [2 4]]

    Source: numpy.hstack
    """
    parts = [atleast_1d(x) for x in tensors]
    return concat(parts, 0 if parts and parts[0].ndim == 1 else 1)


def vstack(inputs) -> Tensor:
    """The Tensors one below the other, vectors as rows.

    Shapes: equal but for axis 0, where the output is as long as all together
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if the shapes do not fit, or there is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.vstack([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 2]
     [3 4]]

    Source: numpy.vstack
    """
    return concat([atleast_2d(x) for x in inputs], 0)


row_stack = vstack


def dstack(tensors) -> Tensor:
    """The Tensors one behind the other, along axis 2.

    Shapes: equal but for axis 2, where the output is as long as all together; see ``atleast_3d``
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if the shapes do not fit, or there is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.dstack([Tensor([1, 2]), Tensor([3, 4])]))
    [[[1 3]
      [2 4]]]

    Source: numpy.dstack
    """
    return concat([atleast_3d(x) for x in tensors], 2)


def column_stack(tensors) -> Tensor:
    """The Tensors side by side, vectors as columns.

    Shapes: equal in axis 0; the output has all their columns
    Dtypes: any; the output has the one that holds them all
    Raises ValueError if the lengths differ, or there is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.column_stack([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 3]
     [2 4]]

    Source: numpy.column_stack
    """
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in tensors], 1)


def tensor_split(input, indices_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Parts along an axis: this many, as equal as can be, or with cuts before these places.

    Shapes: any; the parts add up to the axis, the first ones longer by 1 if they must be
    Dtypes: any; the parts have that of input
    Raises ValueError if the number of parts is below 1, IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.tensor_split(Tensor([1, 2, 3]), 2)
    >>> print(a, b)
    [1 2] [3]

    Source: numpy.array_split
    """
    axis = axis_of(axis, input.ndim)
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
    """``tensor_split`` along axis 1 (0 for a vector).

    Shapes: one axis or more; the parts add up to the axis
    Dtypes: any; the parts have that of input
    Raises ValueError if the number of parts is below 1, IndexError if input is a single number.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.hsplit(Tensor([[1, 2, 3]]), 2)
    >>> print(a, b)
    [[1 2]] [[3]]

    Source: numpy.hsplit and numpy.array_split, whose parts need not be equal
    """
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 0.

    Shapes: one axis or more; the parts add up to the axis
    Dtypes: any; the parts have that of input
    Raises ValueError if the number of parts is below 1, IndexError if input is a single number.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.vsplit(Tensor([[1, 2], [3, 4]]), 2)
    >>> print(a, b)
    [[1 2]] [[3 4]]

    Source: numpy.vsplit and numpy.array_split, whose parts need not be equal
    """
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input, indices_or_sections) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 2.

    Shapes: three axes or more; the parts add up to the axis
    Dtypes: any; the parts have that of input
    Raises ValueError if the number of parts is below 1, IndexError if input has no axis 2.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.dsplit(Tensor([[[1, 2]]]), 2)
    >>> print(a, b)
    [[[1]]] [[[2]]]

    Source: numpy.dsplit and numpy.array_split, whose parts need not be equal
    """
    return tensor_split(input, indices_or_sections, 2)


def narrow(input, axis, start, length) -> Tensor:
    """``length`` entries along an axis, from ``start`` on.

    Shapes: any; the axis becomes ``length`` long
    Dtypes: any; the output has that of input
    Raises ValueError if the axis does not hold those entries, IndexError if it is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
    [2 3]

    Source: the definition
    """
    axis = axis_of(axis, input.ndim)
    n = input.shape[axis]
    if not (start >= 0 and length >= 0 and start + length <= n):
        raise ValueError(f"narrow: {length} entries from {start} on are not in an axis of {n}")
    return input[(*(slice(None),) * axis, slice(start, start + length))]


def unstack(input_x, axis=0) -> tuple[Tensor, ...]:
    """A tuple of the slices along an axis.

    Shapes: one axis or more; the slices lack that axis
    Dtypes: any; the slices have that of input_x
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.unstack(Tensor([[1, 2], [3, 4]]), 1)
    >>> print(a, b)
    [1 3] [2 4]

    Source: the definition: the reverse of ``stack``
    """
    return unbind(input_x, axis)


def slice_(input_x, begin, size) -> Tensor:
    """``size`` entries along each axis, from ``begin`` on; a size of -1 means all that are left.

    Shapes: any; the output has the lengths size
    Dtypes: any; the output has that of input_x
    Raises ValueError if there is not a number for each axis, or an axis does not hold those
        entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, -1)))
    [[2 3]
     [5 6]]

    Source: the definition
    """
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

    Shapes: any, of at least as many axes as begin has numbers; the output is as numpy's indexing
        gives it
    Dtypes: any; the output has that of input_x
    Raises ValueError if begin, end and strides differ in length or a stride is 0, IndexError if
        they are more than the axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.strided_slice(Tensor([0, 1, 2, 3, 4]), (1,), (5,), (2,)))
    [1 3]

    Source: numpy's indexing ("Basic slicing and indexing" in its user guide)
    """
    if not len(begin) == len(end) == len(strides):
        raise ValueError(
            f"strided_slice: begin {begin}, end {end} and strides {strides} differ in length"
        )
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


__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "dsplit", "dstack", "hsplit",
    "hstack", "narrow", "row_stack", "strided_slice", "tensor_split", "unstack", "vsplit", "vstack",
]  # fmt: skip
