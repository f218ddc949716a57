"""Functions that move, repeat or join values, by MindSpore's names."""

from itertools import pairwise

import numpy as np

from ..dtype import DType
from ..rules import shape as rules
from ..rules.index import flip as _flip
from ..rules.reduce import axes_of
from ..rules.shape import cast, identity, reshape, swapaxes
from ..tensor import Tensor, unwrap
from ..transform import stop_gradient


def transpose(input, dims) -> Tensor:
    """input with its axes in the order dims."""
    return rules.transpose(input, tuple(dims))


def permute(input, axis) -> Tensor:
    """input with its axes in the order given."""
    return rules.transpose(input, tuple(axis))


def expand_dims(input_x, axis) -> Tensor:
    """input_x with an axis of length 1 at this place."""
    if not -input_x.ndim - 1 <= axis <= input_x.ndim:
        raise ValueError(f"expand_dims: axis {axis} is out of range for shape {input_x.shape}")
    shape = list(input_x.shape)
    shape.insert(axis if axis >= 0 else axis + input_x.ndim + 1, 1)
    return reshape(input_x, tuple(shape))


def unsqueeze(input, dim) -> Tensor:
    """input with an axis of length 1 at this place."""
    return expand_dims(input, dim)


def squeeze(input, axis=None) -> Tensor:
    """input without its axes, or without those given, that have length 1; others stay."""
    gone = [a for a in axes_of(axis, input.ndim) if input.shape[a] == 1]
    return reshape(input, tuple(n for a, n in enumerate(input.shape) if a not in gone))


def flatten(input, order="C", *, start_dim=1, end_dim=-1) -> Tensor:
    """input with the axes from start_dim to end_dim made one."""
    if order != "C":
        raise ValueError(f'flatten: minigrad flattens in order "C" only, not {order!r}')
    if input.ndim < 2:
        return reshape(input, (-1,))
    shape = input.shape
    (start,), (end,) = axes_of(start_dim, input.ndim), axes_of(end_dim, input.ndim)
    return reshape(input, (*shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :]))


def broadcast_to(input, shape) -> Tensor:
    """input repeated to this shape, as broadcasting would; -1 keeps a length."""
    extra = len(shape) - input.ndim
    lengths = (input.shape[i - extra] if n == -1 else n for i, n in enumerate(shape))
    return rules.broadcast_to(input, tuple(lengths))


def tile(input, dims) -> Tensor:
    """input laid side by side, ``dims[i]`` times along axis i."""
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
    """Each entry along an axis, repeated; of the flattened Tensor, if axis is None."""
    x, axis = (reshape(input, (-1,)), 0) if axis is None else (input, *axes_of(axis, input.ndim))
    places = np.repeat(np.arange(x.shape[axis]), np.asarray(repeats))
    return x[(slice(None),) * axis + (places,)]


def concat(tensors, axis=0) -> Tensor:
    """The Tensors one after the other along an axis."""
    return rules.concatenate(tensors, axis)


cat = concat


def stack(tensors, axis=0) -> Tensor:
    """The Tensors one after the other along a new axis."""
    return rules.concatenate([expand_dims(t, axis) for t in tensors], axis)


def split(tensor, split_size_or_sections, axis=0) -> tuple[Tensor, ...]:
    """A tuple of parts along an axis, of this size each (the last may be short) or these sizes."""
    (axis,) = axes_of(axis, tensor.ndim)
    n = tensor.shape[axis]
    if isinstance(split_size_or_sections, int):
        if split_size_or_sections < 1:
            raise ValueError(f"split: a size must be from 1 on, but got {split_size_or_sections}")
        ends = list(range(0, n, split_size_or_sections))
        ends.append(n)
    else:
        ends = np.cumsum([0, *split_size_or_sections]).tolist()
        if ends[-1] != n:
            raise ValueError(f"split: sizes {split_size_or_sections} do not add up to {n}")
    before = (slice(None),) * axis
    return tuple(tensor[(*before, slice(a, b))] for a, b in pairwise(ends))


def chunk(input, chunks, axis=0) -> tuple[Tensor, ...]:
    """A tuple of at most ``chunks`` parts of equal size along an axis."""
    if chunks < 1:
        raise ValueError(f"chunk: the number of chunks must be from 1 on, but got {chunks}")
    (axis,) = axes_of(axis, input.ndim)
    return split(input, max(-(-input.shape[axis] // chunks), 1), axis)


def unbind(input, dim=0) -> tuple[Tensor, ...]:
    """A tuple of the slices along an axis."""
    (dim,) = axes_of(dim, input.ndim)
    before = (slice(None),) * dim
    return tuple(input[(*before, i)] for i in range(input.shape[dim]))


def flip(input, dims) -> Tensor:
    """input with the order of its entries reversed along the axes dims."""
    return _flip(input, axes_of(dims, input.ndim))


def pad(input_x, padding, mode="constant", value=None) -> Tensor:
    """input_x with more entries around it. ``padding``: before and after, last axis first.

    mode  "constant": ``value`` (0); "reflect": its entries in a mirror that stands on the last one;
          "replicate": its last entry; "circular": its entries from the other end
    A negative number cuts entries off. Raises ValueError if an axis is too short for the mode.

    >>> from minigrad import Tensor, ops
    >>> print(ops.pad(Tensor([[1, 2, 3]]), (2, 1), mode="reflect"))
    [[3 2 1 2 3 2]]
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
    """input_x with its mirrors around it, "REFLECT" or "SYMMETRIC" (the last entry doubled)."""
    widths = np.asarray(unwrap(paddings)).reshape(-1, 2)
    return pad(input_x, widths[::-1].ravel(), mode.lower())


def meshgrid(*inputs, indexing="xy") -> tuple[Tensor, ...]:
    """Coordinate Tensors of a grid, one for each input."""
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
    """The lengths of the axes."""
    return input_x.shape


def size(input_x) -> int:
    """The number of entries."""
    return input_x.size


def numel(input) -> int:
    """The number of entries."""
    return input.size


def dtype(x) -> DType:
    """The type of the numbers."""
    return x.dtype


def type_as(input, other) -> Tensor:
    """input in the dtype of other."""
    return cast(input, unwrap(other).dtype)


def rank(input_x) -> int:
    """The number of axes."""
    return input_x.ndim


__all__ = [
    "broadcast_to", "cast", "cat", "chunk", "concat", "dtype", "expand_dims", "flatten", "flip",
    "identity", "meshgrid", "mirror_pad", "numel", "pad", "permute", "rank", "repeat_interleave",
    "reshape", "shape", "size", "split", "squeeze", "stack", "stop_gradient", "swapaxes", "tile",
    "transpose", "type_as", "unbind", "unsqueeze",
]  # fmt: skip
