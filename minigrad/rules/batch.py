"""Batch rules: how one call of an op computes all the samples of a vmap.

A rule receives the op's arguments, where those that are ``held`` hold a value for each sample along
axis 0, and how many samples there are. It returns the op's output, with the samples along axis 0:

    "softmax": along_axis,     the axis that a sample counts as 0 is axis 1 of the whole

Elementwise ops need no line: their arguments are aligned. Read ``minigrad/batch.py`` first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..batch import spread
from ..tensor import Tensor, unwrap
from . import elementwise, index, linear, reduce, shape, special

Arguments = Sequence[Any]


def rule_of(op: Any, held: list[str]) -> Callable:
    """The batch rule of an op; TypeError if it has none, or none for these arguments."""
    if op in _ELEMENTWISE and set(held) <= set(op.arrays):
        return aligned
    rule = RULES.get(op.name)
    if rule is None or not set(held) <= set(op.arrays) | _STATICS.get(op.name, set()):
        raise TypeError(
            f"vmap has no batch rule for {op.name} whose {' and '.join(held)} differ between "
            "samples: compute that part outside vmap, or write it with other ops"
        )
    return rule


# ----------------------------------------------------------------------------- moving axes about
def filled(x: Any, held: bool, size: int) -> Tensor:
    """x with samples along axis 0, all alike if it held none."""
    return x if held else spread(x, size)


def rank(x: Any, held: bool) -> int:
    """How many axes x has for one sample."""
    return getattr(x, "ndim", 0) - held


def raised(x: Any, held: bool, ndim: int) -> Any:
    """x with axes of length 1 in front, so that each sample has this many axes."""
    missing = ndim - rank(x, held)
    if not held or missing <= 0:
        return x
    return shape.reshape(x, (x.shape[0], *(1,) * missing, *x.shape[1:]))


def merged(x: Tensor) -> Tensor:
    """The first two axes as one: samples and rows."""
    return shape.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))


def parted(x: Tensor, size: int, rows: int) -> Tensor:
    """The first axis as two: samples, and the rows of each."""
    return shape.reshape(x, (size, rows, *x.shape[1:]))


def aligned(op, arguments: Arguments, held, size) -> Any:
    """For ops that broadcast: every array gets as many axes as the others."""
    arrays = [name in op.arrays for name in op.parameters]
    given = list(zip(arguments, held, arrays, strict=True))
    ndim = max(rank(x, h) for x, h, array in given if array)
    return op.function(*(raised(x, h, ndim) if array else x for x, h, array in given))


# ------------------------------------------------------------------------------------- along axes
def _whole_axes(axis, ndim: int) -> tuple[int, ...]:
    """Axes of a sample as those of the whole."""
    return tuple(a + 1 for a in reduce.axes_of(axis, ndim))


def over_axes(op, arguments: Arguments, held, size) -> Any:
    """For reductions over several axes, or all."""
    x, axis, *rest = arguments
    return op.function(x, _whole_axes(axis, x.ndim - 1), *rest)


def along_axis(op, arguments: Arguments, held, size) -> Any:
    """For ops that work along one axis, or on the flat array. A single number is a row of one."""
    x, axis, *rest = arguments
    if axis is None:
        return op.function(shape.reshape(x, (size, math.prod(x.shape[1:]))), 1, *rest)
    if x.ndim == 1:
        return shape.reshape(op.function(shape.reshape(x, (size, 1)), 1, *rest), (size,))
    axes = _whole_axes(axis, x.ndim - 1)
    return op.function(x, axes if type(axis) in (tuple, list) else axes[0], *rest)


def along_axis_or_all(op, arguments: Arguments, held, size) -> Any:
    """For the positions of extremes: without an axis, those in the flat array."""
    x, axis, keepdims = arguments
    if axis is not None and x.ndim > 1:
        return op.function(x, *_whole_axes(axis, x.ndim - 1), keepdims)
    out = op.function(shape.reshape(x, (size, math.prod(x.shape[1:]))), 1)
    return shape.reshape(out, (size, *(1,) * (x.ndim - 1))) if keepdims else out


def as_is(op, arguments: Arguments, held, size) -> Any:
    """For ops that work on the last axes, or on each entry: samples are one more batch axis."""
    return op.function(*arguments)


# -------------------------------------------------------------------------------- the shape itself
def _reshape(op, arguments: Arguments, held, size):
    x, to = arguments
    to = (to,) if isinstance(to, int) else tuple(to)
    if -1 in to:  # numpy cannot tell when the whole is empty
        known = -math.prod(to)  # by the others
        to = tuple(math.prod(x.shape[1:]) // (known or 1) if n == -1 else n for n in to)
    return op.function(x, (size, *to))


def _transpose(op, arguments: Arguments, held, size):
    x, axes = arguments
    ndim = x.ndim - 1
    axes = range(ndim)[::-1] if axes is None else reduce.axes_of(axes, ndim)
    return op.function(x, (0, *(a + 1 for a in axes)))


def _swapaxes(op, arguments: Arguments, held, size):
    x, *axes = arguments
    return op.function(x, *(_whole_axes(a, x.ndim - 1)[0] for a in axes))


def _broadcast_to(op, arguments: Arguments, held, size):
    x, to = arguments
    to = (to,) if isinstance(to, int) else tuple(to)
    return op.function(raised(x, True, len(to)), (size, *to))


def _pad(op, arguments: Arguments, held, size):
    x, widths, value = arguments
    return op.function(x, ((0, 0), *widths), value)


def _concatenate(op, arguments: Arguments, held, size):
    arrays, axis = arguments
    arrays = [x if hasattr(x, "ndim") else np.asarray(x) for x in arrays]
    ndim = max(x.ndim for x in arrays)  # of the whole: those with fewer axes hold no samples
    arrays = tuple(filled(x, x.ndim == ndim, size) for x in arrays)
    return op.function(arrays, *_whole_axes(axis, ndim - 1))


# -------------------------------------------------------------------------------- picking, putting
def _whole_index(key, size):
    """An index of basic parts for the whole."""
    return (slice(None), *(key if type(key) is tuple else (key,)))


def _places(key, of: tuple[int, ...]) -> tuple[np.ndarray, bool]:
    """Where in the flat array of a sample an index points, and whether samples differ in that."""
    parts = list(key) if type(key) is tuple else [key]
    held = [isinstance(k, Tensor) for k in parts]
    grid = np.arange(math.prod(of)).reshape(of)
    if not any(held):
        return grid[tuple(parts)], False
    if any(isinstance(k, Tensor) and unwrap(k).dtype == np.bool_ for k in parts):
        raise TypeError(
            "vmap: a mask that differs between samples picks a different number of entries from "
            "each; choose with ops.where(mask, x, y) instead"
        )
    parts = [array for k in parts for array in _as_arrays(k)]
    for i in [i for i, k in enumerate(parts) if k is Ellipsis]:  # as many slices
        taken = sum(k is not None for k in parts) - 1
        parts[i : i + 1] = [slice(None)] * (len(of) - taken)
    ndim = max(rank(k, isinstance(k, Tensor)) for k in parts)
    size = next(len(unwrap(k)) for k in parts if isinstance(k, Tensor))
    for i, k in enumerate(parts):
        if isinstance(k, Tensor):
            parts[i] = np.asarray(unwrap(raised(k, True, ndim)))
    advanced = [i for i, k in enumerate(parts) if isinstance(k, np.ndarray)]
    together = advanced == list(range(advanced[0], advanced[-1] + 1))
    # numpy puts the axes of the arrays where the first of them stands, or in front.
    before = parts[: advanced[0]] if together else []
    found = grid[tuple(parts)]
    return np.moveaxis(np.broadcast_to(found, found.shape), len(before), 0).reshape(
        size, *(n for i, n in enumerate(found.shape) if i != len(before))
    ), True


def _as_arrays(k: Any) -> list:
    """A part of an index: numbers and lists as arrays, a mask as the places where it is True."""
    if k is None or k is Ellipsis or isinstance(k, slice | Tensor):
        return [k]
    k = np.asarray(k)
    if k.dtype != np.bool_:
        return [k]
    if not k.ndim:
        raise TypeError(
            f"vmap: {k} stands in an index beside a Tensor that differs between samples; write "
            "None for a new axis"
        )
    return [*k.nonzero()]


def _points(key, of, size) -> tuple[tuple, tuple[int, ...]]:
    """An index into (samples, flat array) for all samples, and the shape that one sample has."""
    places, differ = _places(key, of)
    one = places.shape[1:] if differ else places.shape
    flat = places.reshape(size if differ else 1, math.prod(one))
    return (np.arange(size)[:, None], flat), one


def _getitem(op, arguments: Arguments, held, size):
    x, key = arguments
    if index.is_basic(key):
        return op.function(x, _whole_index(key, size))
    x = filled(x, held[0], size)
    points, one = _points(key, x.shape[1:], size)
    flat = shape.reshape(x, (size, math.prod(x.shape[1:])))
    return shape.reshape(op.function(flat, points), (size, *one))


def _scatter(op, arguments: Arguments, held, size):
    x, key, to = arguments
    if index.is_basic(key):
        return op.function(x, _whole_index(key, size), (size, *to))
    points, _ = _points(key, to, size)
    x = shape.reshape(filled(x, held[0], size), (size, points[1].shape[1]))
    return shape.reshape(op.function(x, points, (size, math.prod(to))), (size, *to))


def _assign(op, arguments: Arguments, held, size):
    x, value, key = arguments
    x = filled(x, held[0], size)
    points, one = _points(key, x.shape[1:], size)
    whole = shape.broadcast_to(raised(value, held[1], len(one)), (size, *one))
    flat = shape.reshape(x, (size, math.prod(x.shape[1:])))
    whole = shape.reshape(whole, (size, math.prod(one)))
    return shape.reshape(op.function(flat, whole, points), x.shape)


def _take_along(op, arguments: Arguments, held, size):
    x, places, axis, *to = arguments
    x = filled(x, held[0], size)
    places = unwrap(places) if held[1] else np.asarray(places)[None]
    axis = axis % (x.ndim - 1)
    if op.name == "put_along_axis":
        return op.function(x, places, axis + 1, (size, *to[0]))
    return op.function(x, places, axis + 1)


# ---------------------------------------------------------------------------------------- products
def _matmul(op, arguments: Arguments, held, size):
    """A vector is a matrix with one row, or one column, that is dropped afterwards."""
    x, y = arguments
    row, column = rank(x, held[0]) == 1, rank(y, held[1]) == 1
    x = x[..., None, :] if row else x
    y = y[..., None] if column else y
    ndim = max(rank(x, held[0]), rank(y, held[1]))
    out = op.function(raised(x, held[0], ndim), raised(y, held[1], ndim))
    out = out[..., 0] if column else out
    return (out[..., 0] if column else out[..., 0, :]) if row else out


def _op(function: Any) -> Any:
    return function.op


def _dense(op, arguments: Arguments, held, size):
    x, w, b = arguments
    if not (held[1] or held[2]):
        return op.function(x, w, b)
    turned = shape.swapaxes(w, -1, -2) if isinstance(w, Tensor) else w.T
    product = _matmul(_op(linear.matmul), (x, turned), held, size)
    return aligned(_op(elementwise.add), (product, b), (held[0] or held[1], held[2]), size)


def _contract(op, arguments: Arguments, held, size):
    """The samples are one more letter."""
    x, y, a, b, to = arguments
    letter = next(c for c in "zyxwvutsrqponmlkjihgfedcba" if c not in a + b)
    a, b = (letter + letters if h else letters for letters, h in zip((a, b), held, strict=False))
    return op.function(x, y, a, b, letter + to)


def _solve(op, arguments: Arguments, held, size):
    x, y = arguments
    vector = rank(y, held[1]) == 1
    y = y[..., None] if vector else y
    ndim = max(rank(x, held[0]), rank(y, held[1]))
    out = op.function(raised(x, held[0], ndim), raised(y, held[1], ndim))
    return out[..., 0] if vector else out


# ------------------------------------------------------------------------- images and their windows
def on_images(op, arguments: Arguments, held, size) -> Any:
    """For ops on a batch of images: all samples in one batch."""
    x, *settings = arguments
    return parted(op.function(merged(x), *settings), size, x.shape[1])


def _channels(x: Tensor, size: int) -> Tensor:
    """Samples as more channels: (samples, batch, channels, ...) to (batch, all channels, ...)."""
    x = shape.swapaxes(x, 0, 1)
    return shape.reshape(x, (x.shape[0], size * x.shape[2], *x.shape[3:]))


def _samples_of_channels(x: Tensor, size: int) -> Tensor:
    x = shape.reshape(x, (x.shape[0], size, x.shape[1] // size, *x.shape[2:]))
    return shape.swapaxes(x, 0, 1)


def _of_none(rule, op, arguments: Arguments, held) -> Tensor:
    """The answers for no samples: none, in the shape that one of zeros has."""
    one = [
        shape.pad(x, ((0, 1), *((0, 0),) * (x.ndim - 1)), 0) if h else x
        for x, h in zip(arguments, held, strict=True)
    ]
    return rule(op, one, held, 1)[:0]


def _convolve(op, arguments: Arguments, held, size):
    """Weights that differ between samples are groups of their own."""
    if not size:  # there are no groups
        return _of_none(_convolve, op, arguments, held)
    x, w, *settings, groups = arguments  # the shape of what convolve_back makes: space is read
    if not held[1]:
        return parted(op.function(merged(x), w, *settings, groups), size, x.shape[1])
    x, w = filled(x, held[0], size), merged(w)
    out = op.function(_channels(x, size), w, *settings, groups * size)
    return _samples_of_channels(out, size)


def _correlate(op, arguments: Arguments, held, size):
    if not size:
        return _of_none(_correlate, op, arguments, held)
    x, y, (out, *rest), *settings, groups = arguments
    x, y = (_channels(filled(v, h, size), size) for v, h in zip((x, y), held, strict=False))
    return parted(op.function(x, y, (out * size, *rest), *settings, groups * size), size, out)


def _windows(op, arguments: Arguments, held, size):
    """Weights have their batch axis behind the window: (window, batch, channels, counts)."""
    x, weights, *settings = arguments
    d = len(settings[-1])
    x = filled(x, held[0], size)
    batch = x.shape[1]
    weights = _joined_weights(weights, held[1], size, batch, d)
    if op.name == "spread_windows":
        to, *settings = settings
        settings = [(size * to[0], *to[1:]), *settings]
    return parted(op.function(merged(x), weights, *settings), size, batch)


def _joined_weights(weights, held, size, batch, d):
    weights = np.asarray(unwrap(weights))
    if not held:
        if weights.shape[d] == 1:
            return weights
        return np.concatenate([weights] * size, d)
    weights = np.moveaxis(weights, 0, d)  # (window, samples, batch, ...)
    weights = np.broadcast_to(weights, (*weights.shape[: d + 1], batch, *weights.shape[d + 2 :]))
    return weights.reshape(*weights.shape[:d], size * batch, *weights.shape[d + 2 :])


def _first_of_largest(op, arguments: Arguments, held, size):
    x, largest, *settings = arguments
    x, largest = (filled(v, h, size) for v, h in zip((x, largest), held, strict=False))
    d, batch = len(settings[0]), x.shape[1]
    out = op.function(merged(x), merged(largest), *settings)
    out = shape.reshape(out, (*out.shape[:d], size, batch, *out.shape[d + 1 :]))
    return shape.transpose(out, (d, *range(d), *range(d + 1, out.ndim)))


# --------------------------------------------------------------------------------- losses and norms
def _cross_entropy(op, arguments: Arguments, held, size):
    x, labels = arguments
    x = filled(x, held[0], size)
    labels = merged(filled(labels, held[1], size))
    return parted(op.function(merged(x), labels), size, x.shape[1])


def _standardize(op, arguments: Arguments, held, size):
    x, axes, eps = arguments
    return op.function(x, _whole_axes(axes, x.ndim - 1), eps)


RULES: dict[str, Callable] = {
    **dict.fromkeys(("sum", "mean", "prod", "amax", "amin", "any", "all", "logsumexp"), over_axes),
    **dict.fromkeys(("cumsum", "cumprod", "softmax", "log_softmax", "argsort"), along_axis),
    **dict.fromkeys(("argmax", "argmin"), along_axis_or_all),
    **dict.fromkeys(
        ("identity", "stop_gradient", "cast", "inverse", "det", "logabsdet", "signdet", "cholesky",
         "svd", "qr", "pinv"),
        as_is,
    ),
    "reshape": _reshape, "transpose": _transpose, "swapaxes": _swapaxes,
    "broadcast_to": _broadcast_to, "pad": _pad, "concatenate": _concatenate,
    "getitem": _getitem, "scatter": _scatter, "assign": _assign,
    "take_along_axis": _take_along, "put_along_axis": _take_along,
    "matmul": _matmul, "dense": _dense, "contract": _contract, "solve": _solve,
    "convolve": _convolve, "convolve_back": _convolve, "correlate": _correlate,
    "unfold": on_images, "fold": on_images, "max_pool": on_images,
    "first_of_largest": _first_of_largest, "gather_windows": _windows, "spread_windows": _windows,
    "cross_entropy": _cross_entropy, "standardize": _standardize,
}  # fmt: skip

# Static arguments that may differ between samples.
_STATICS = {
    "getitem": {"index"}, "scatter": {"index"}, "assign": {"index"},
    "take_along_axis": {"indices"}, "put_along_axis": {"indices"},
    "gather_windows": {"weights"}, "spread_windows": {"weights"},
}  # fmt: skip

_ELEMENTWISE = {
    f.op for module in (elementwise, special) for f in vars(module).values() if hasattr(f, "op")
}
