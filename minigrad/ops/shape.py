"""Functions that move, repeat or join values, by MindSpore's names."""

import numpy as np

from ..dtype import DType
from ..rules import shape as rules
from ..rules.index import flip as _flip
from ..rules.reduce import axes_of, axis_of
from ..rules.shape import cast, identity, reshape, swapaxes
from ..samples import refuse_samples
from ..tensor import Tensor, unwrap
from ..transform import stop_gradient


def transpose(input, dims) -> Tensor:
    """input with its axes in the order dims.

    Shapes: any; the output has the same lengths in that order
    Dtypes: any; the output has that of input
    Raises ValueError if dims does not name each axis once, IndexError if one is out of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.transpose(Tensor([[1, 2], [3, 4]]), (1, 0)))
    [[1 3]
     [2 4]]

    Source: numpy.transpose
    """
    return rules.transpose(input, tuple(dims))


def permute(input, axis) -> Tensor:
    """input with its axes in the order given; ``transpose`` under another name.

    Shapes: any; the output has the same lengths in that order
    Dtypes: any; the output has that of input
    Raises ValueError if axis does not name each axis once, IndexError if one is out of range.

    >>> from minigrad import ops
    >>> print(ops.permute(ops.zeros((2, 3, 4)), (2, 0, 1)).shape)
    (4, 2, 3)

    Source: numpy.transpose
    """
    return rules.transpose(input, tuple(axis))


def expand_dims(input_x, axis) -> Tensor:
    """input_x with an axis of length 1 at this place.

    Shapes: any; the output has one axis more
    Dtypes: any; the output has that of input_x
    Raises ValueError if there is no such place.

    >>> from minigrad import Tensor, ops
    >>> print(ops.expand_dims(Tensor([1, 2]), 1))
    [[1]
     [2]]

    Source: numpy.expand_dims
    """
    if not -input_x.ndim - 1 <= axis <= input_x.ndim:
        raise ValueError(f"expand_dims: axis {axis} is out of range for shape {input_x.shape}")
    shape = list(input_x.shape)
    shape.insert(axis if axis >= 0 else axis + input_x.ndim + 1, 1)
    return reshape(input_x, tuple(shape))


def unsqueeze(input, dim) -> Tensor:
    """input with an axis of length 1 at this place; ``expand_dims`` under another name.

    Shapes: any; the output has one axis more
    Dtypes: any; the output has that of input
    Raises ValueError if there is no such place.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsqueeze(Tensor([1, 2]), 0))
    [[1 2]]

    Source: numpy.expand_dims
    """
    return expand_dims(input, dim)


def squeeze(input, axis=None) -> Tensor:
    """input without its axes, or without those given, that have length 1; others stay.

    Shapes: any; the output lacks those axes
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.squeeze(Tensor([[1, 2]])))
    [1 2]

    Source: numpy.squeeze, which refuses longer axes
    """
    gone = [a for a in axes_of(axis, input.ndim) if input.shape[a] == 1]
    return reshape(input, tuple(n for a, n in enumerate(input.shape) if a not in gone))


def flatten(input, order="C", *, start_dim=1, end_dim=-1) -> Tensor:
    """input with the axes from start_dim to end_dim made one.

    Shapes: any; that axis is as long as those together; a number or a vector becomes a vector
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if start_dim comes after end_dim or the
        order is not "C".

    >>> from minigrad import ops
    >>> print(ops.flatten(ops.zeros((2, 3, 4))).shape)
    (2, 12)

    Source: numpy.reshape, of some of the axes
    """
    if order != "C":
        raise ValueError(f'flatten: minigrad flattens in order "C" only, not {order!r}')
    if input.ndim < 2:
        return reshape(input, (-1,))
    shape = input.shape
    start, end = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    if start > end:
        raise ValueError(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    return reshape(input, (*shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :]))


def broadcast_to(input, shape) -> Tensor:
    """input repeated to this shape, as broadcasting would; -1 keeps a length.

    Shapes: any that broadcasts to the shape, which the output has
    Dtypes: any; the output has that of input
    Raises ValueError if input does not broadcast to it, or -1 stands for an axis that input lacks.

    >>> from minigrad import Tensor, ops
    >>> print(ops.broadcast_to(Tensor([1, 2]), (2, 2)))
    [[1 2]
     [1 2]]

    Source: numpy.broadcast_to
    """
    extra = len(shape) - input.ndim
    if -1 in shape[: max(extra, 0)]:
        raise ValueError(f"broadcast_to: -1 in {shape} stands for an axis that {input.shape} lacks")
    lengths = (input.shape[i - extra] if n == -1 else n for i, n in enumerate(shape))
    return rules.broadcast_to(input, tuple(lengths))


def tile(input, dims) -> Tensor:
    """input laid side by side, ``dims[i]`` times along axis i.

    Shapes: any; if dims is shorter or longer, axes or ones are added in front
    Dtypes: any; the output has that of input
    Raises ValueError if a number of times is below 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.tile(Tensor([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]

    Source: numpy.tile
    """
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if any(n < 0 for n in dims):
        raise ValueError(f"tile: the times must be from 0 on, but got {dims}")
    shape = (1,) * (len(dims) - input.ndim) + input.shape
    dims = (1,) * (len(shape) - len(dims)) + dims
    apart = [n for pair in zip([1] * len(shape), shape, strict=True) for n in pair]
    wide = [n for pair in zip(dims, shape, strict=True) for n in pair]
    repeated = rules.broadcast_to(reshape(input, tuple(apart)), tuple(wide))
    return reshape(repeated, tuple(a * b for a, b in zip(dims, shape, strict=True)))


def repeat_interleave(input, repeats, axis=None) -> Tensor:
    """Each entry along an axis, repeated; of the flattened Tensor, if axis is None.

    Shapes: repeats a number, or one for each entry; the axis becomes as long as their sum
    Dtypes: any; the output has that of input
    Raises IndexError if the axis is out of range, ValueError if repeats has another length or
        numbers below 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.repeat_interleave(Tensor([1, 2]), Tensor([1, 3])))
    [1 2 2 2]

    Source: numpy.repeat
    """
    x, axis = (reshape(input, (-1,)), 0) if axis is None else (input, axis_of(axis, input.ndim))
    message = "repeats must be the same for all samples, or their lengths would differ"
    refuse_samples("repeat_interleave", message, repeats)
    places = np.repeat(np.arange(x.shape[axis]), np.asarray(repeats))
    return x[(slice(None),) * axis + (places,)]


def flip(input, dims) -> Tensor:
    """input with the order of its entries reversed along the axes dims.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises IndexError if an axis is out of range, ValueError if one is named twice.

    >>> from minigrad import Tensor, ops
    >>> print(ops.flip(Tensor([[1, 2], [3, 4]]), (0, 1)))
    [[4 3]
     [2 1]]

    Source: numpy.flip
    """
    return _flip(input, axes_of(dims, input.ndim))


def pad(input_x, padding, mode="constant", value=None) -> Tensor:
    """input_x with more entries around it. ``padding``: before and after, last axis first.

    mode  "constant": ``value`` (0); "reflect": its entries in a mirror that stands on the last one;
          "replicate": its last entry; "circular": its entries from the other end

    Shapes: any; an axis becomes longer by its two numbers; a negative number cuts entries off
    Dtypes: any; the output has that of input_x
    Raises ValueError if padding is not two numbers for each of the last axes, an axis is too short
        for the mode, or the mode is another.

    >>> from minigrad import Tensor, ops
    >>> print(ops.pad(Tensor([[1, 2, 3]]), (2, 1), mode="reflect"))
    [[3 2 1 2 3 2]]

    Source: numpy.pad, with "replicate" for its "edge" and "circular" for its "wrap"
    """
    numbers = [int(n) for n in unwrap(padding)]
    if len(numbers) % 2 or len(numbers) > 2 * input_x.ndim:
        raise ValueError(
            f"pad: padding must hold two numbers for each of, at most, the {input_x.ndim} axes of "
            f"shape {input_x.shape}, but got {padding}"
        )
    pairs = [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)]
    widths = [(0, 0)] * (input_x.ndim - len(pairs)) + pairs[::-1]
    lengths = zip(widths, input_x.shape, strict=True)
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in lengths)
    x = input_x[cut] if min(numbers, default=0) < 0 else input_x
    more = tuple((max(a, 0), max(b, 0)) for a, b in widths)
    if mode == "constant":
        return rules.pad(x, more, 0 if value is None else value)
    if mode not in _PADS:
        names = ", ".join(map(repr, ("constant", *_PADS)))
        raise ValueError(f"pad: mode must be one of {names}, but got {mode!r}")
    for axis, (before, after) in enumerate(more):
        if before or after:
            x = _pad_axis(x, axis, before, after, mode)
    return x


_PADS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "symmetric": "symmetric"}


def _pad_axis(x, axis, before, after, mode) -> Tensor:
    """The padding of one axis: entries of x itself, picked by their places."""
    n = x.shape[axis]
    limit = {"reflect": n - 1, "circular": n, "symmetric": n}.get(mode, before + after)
    if max(before, after) > limit or not n:
        raise ValueError(
            f"pad: mode {mode!r} can take {limit} entries from axis {axis} of shape {x.shape}, but "
            f"{(before, after)} are asked for"
        )
    places = np.pad(np.arange(n), (before, after), _PADS[mode])  # type: ignore[call-overload]  # a mode is one of four
    return x[(*(slice(None),) * axis, places)]


def mirror_pad(input_x, paddings, mode) -> Tensor:
    """input_x with its mirrors around it, "REFLECT" or "SYMMETRIC" (the last entry doubled).

    Shapes: paddings two numbers, before and after, for each axis, the first axis first
    Dtypes: any; the output has that of input_x
    Raises ValueError if paddings has more rows than there are axes, an axis is too short, or the
        mode is another.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mirror_pad(Tensor([1, 2, 3]), ((1, 1),), "SYMMETRIC"))
    [1 1 2 3 3]

    Source: numpy.pad
    """
    widths = np.asarray(unwrap(paddings)).reshape(-1, 2)
    return pad(input_x, widths[::-1].ravel(), mode.lower())


def meshgrid(*inputs, indexing="xy") -> tuple[Tensor, ...]:
    """Coordinate Tensors of a grid, one for each input.

    Shapes: vectors of n1, n2, ... entries; each output is (n1, n2, ...), and (n2, n1, ...) for "xy"
    Dtypes: any; each output has that of its input
    Raises ValueError if indexing is neither "xy" nor "ij".

    >>> from minigrad import Tensor, ops
    >>> x, y = ops.meshgrid(Tensor([1, 2]), Tensor([7, 8, 9]))
    >>> print(x)
    [[1 2]
     [1 2]
     [1 2]]

    Source: numpy.meshgrid
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f'meshgrid: indexing must be "xy" or "ij", not {indexing!r}')
    order = list(inputs)
    swap = indexing == "xy" and len(order) > 1
    if swap:
        order[:2] = order[1::-1]
    shape = tuple(t.size for t in order)
    grids = [
        rules.broadcast_to(reshape(t, (1,) * i + (-1,) + (1,) * (len(order) - 1 - i)), shape)
        for i, t in enumerate(order)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def shape(input_x) -> tuple[int, ...]:
    """The lengths of the axes.

    Shapes: any; the output is a tuple of Python numbers
    Dtypes: any
    Raises AttributeError if input_x has no shape.

    >>> from minigrad import Tensor, ops
    >>> print(ops.shape(Tensor([[1, 2, 3]])))
    (1, 3)

    Source: the definition
    """
    return input_x.shape


def size(input_x) -> int:
    """The number of entries.

    Shapes: any; the output is a Python number
    Dtypes: any
    Raises AttributeError if input_x has no size.

    >>> from minigrad import Tensor, ops
    >>> print(ops.size(Tensor([[1, 2, 3]])))
    3

    Source: the definition
    """
    return input_x.size


def numel(input) -> int:
    """The number of entries; ``size`` under another name.

    Shapes: any; the output is a Python number
    Dtypes: any
    Raises AttributeError if input has no size.

    >>> from minigrad import Tensor, ops
    >>> print(ops.numel(Tensor([[1, 2, 3]])))
    3

    Source: the definition
    """
    return input.size


def dtype(x) -> DType:
    """The type of the numbers.

    Shapes: any
    Dtypes: any; the output is that dtype
    Raises AttributeError if x has no dtype.

    >>> from minigrad import Tensor, ops
    >>> print(ops.dtype(Tensor([1.5])))
    Float32

    Source: the definition
    """
    return x.dtype


def type_as(input, other) -> Tensor:
    """input in the dtype of other.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of other
    Raises AttributeError if other has no dtype.

    >>> from minigrad import Tensor, ops
    >>> print(ops.type_as(Tensor([1.7]), Tensor([1])))
    [1]

    Source: the definition; floats become integers by rounding towards 0
    """
    return cast(input, unwrap(other).dtype)


def rank(input_x) -> int:
    """The number of axes.

    Shapes: any; the output is a Python number
    Dtypes: any
    Raises AttributeError if input_x has no axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.rank(Tensor([[1, 2, 3]])))
    2

    Source: the definition
    """
    return input_x.ndim


__all__ = [
    "broadcast_to", "cast", "dtype", "expand_dims", "flatten", "flip",
    "identity", "meshgrid", "mirror_pad", "numel", "pad", "permute", "rank", "repeat_interleave",
    "reshape", "shape", "size", "squeeze", "stop_gradient", "swapaxes", "tile",
    "transpose", "type_as", "unsqueeze",
]  # fmt: skip
