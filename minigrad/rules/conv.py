r"""Convolution: ops on the windows that slide over an image.

A convolution is one matrix product, of the weights with all windows written out as columns. It is
linear in the image and in the weights, so its two gradients are products of the same kind, and the
three ops below are each other's rules. (For the arithmetic: Dumoulin and Visin, "A guide to
convolution arithmetic for deep learning", 2016.)

In memory the batch comes last, whatever the order of the axes is: then a row of windows is one run
of numbers for all samples, and to write the columns out is to copy a few long runs.

Images have shape (batch, channels, \*space), weights (out, channels / groups, \*window).
``padding`` is a pair (before, after) for each axis of space, ``stride`` and ``dilation`` are a
number for each.
"""

from math import prod
from typing import Any

import numpy as np

from ..op import meet, primitive

_BOTH = meet("x", "w")


# ---------------------------------------------------------------------------- where the windows lie
def counts_of(space, window, stride, padding, dilation) -> tuple[int, ...]:
    """How many windows fit along each axis."""
    return tuple(
        (n + a + b - (k - 1) * d - 1) // s + 1
        for n, k, s, (a, b), d in zip(space, window, stride, padding, dilation, strict=True)
    )


def batch_to_end(x) -> Any:
    """A view with the batch, which is the first axis, as the last."""
    return x.transpose(*range(1, x.ndim), 0)


def batch_to_front(x) -> Any:
    """A view with the batch, which is the last axis, as the first."""
    return x.transpose(-1, *range(x.ndim - 1))


def in_order(x) -> Any:
    """The same array, with its axes in their order in memory."""
    return x if x.flags.c_contiguous else np.copy(x, order="C")


def batch_last(x) -> Any:
    """The same images, their batch last in memory. Free, if it lies so, as what is made here."""
    return batch_to_front(in_order(batch_to_end(x)))


def images(shape, dtype, value=0) -> Any:
    """Images with ``value`` everywhere, their batch last in memory."""
    shape = *shape[1:], shape[0]
    return batch_to_front(np.full(shape, value, dtype) if value else np.zeros(shape, dtype))


def at_offset(x, offset, counts, stride, dilation) -> Any:
    """A view of one entry of each window, at the same place in all: (batch, channels, *counts)."""
    places = zip(offset, counts, stride, dilation, strict=True)
    return x[(..., *(slice(i * d, i * d + (n - 1) * s + 1, s) for i, n, s, d in places))]


def windows_of(x, window, stride, dilation) -> Any:
    """A view of the windows: (batch, channels, *counts, *window)."""
    d = len(window)
    reach = tuple((k - 1) * step + 1 for k, step in zip(window, dilation, strict=True))
    axes = tuple(range(2, 2 + d))
    views = np.lib.stride_tricks.sliding_window_view(x, reach, axes)
    steps = *stride, *dilation
    every: Any = (..., *(slice(None, None, step) for step in steps))
    return views[every] if max(steps) > 1 else views


def padded(x, padding, value=0) -> Any:
    """An image with ``value`` around it, its batch last in memory."""
    if not any(map(any, padding)):
        return batch_last(x)
    out = images((*x.shape[:2], *padded_space(x.shape[2:], padding)), x.dtype, value)
    inside(out, padding, x.shape[2:])[...] = x
    return out


def padded_space(space, padding) -> tuple[int, ...]:
    """The lengths of the axes of space with the padding."""
    return tuple(n + a + b for n, (a, b) in zip(space, padding, strict=True))


def inside(x, padding, space) -> Any:
    """An image without its padding."""
    return x[(..., *(slice(a, a + n) for (a, _), n in zip(padding, space, strict=True)))]


# ------------------------------------------------------------------- windows as columns, and back
def _columns(x, window, stride, padding, dilation):
    """All windows, written out: (channels, *window, *counts, batch)."""
    views = windows_of(padded(x, padding), window, stride, dilation)
    d = len(window)
    views = views.transpose(1, *range(2 + d, 2 + 2 * d), *range(2, 2 + d), 0)
    return in_order(views)


def _add_up(columns, space, stride, padding, dilation):
    """The reverse: each column added to the image where its window lies."""
    channels, *window = columns.shape[: 1 + len(stride)]
    columns = batch_to_front(columns)
    shape = len(columns), channels, *padded_space(space, padding)
    out = images(shape, columns.dtype)
    counts = columns.shape[2 + len(window) :]
    for offset in np.ndindex(*window):
        view = at_offset(out, offset, counts, stride, dilation)
        view += columns[(slice(None), slice(None), *offset)]
    return inside(out, padding, space)


def _unfold(x, window, stride, padding, dilation):
    columns = _columns(x, window, stride, padding, dilation)
    places = prod(columns.shape[1 + len(window) : -1])
    return batch_to_front(columns).reshape(len(x), x.shape[1] * prod(window), places)


def _fold(x, space, window, stride, padding, dilation):
    counts = counts_of(space, window, stride, padding, dilation)
    columns = x.reshape(len(x), x.shape[1] // prod(window), *window, *counts)
    return _add_up(batch_to_end(columns), space, stride, padding, dilation)


unfold: Any = primitive("unfold", _unfold, r"Y = \mathrm{windows}(X)",
    x=(lambda g, like, window, stride, padding, dilation:
       fold(g, like.shape[2:], window, stride, padding, dilation),
       r"\textstyle\sum \bar Y\ \mathrm{where\ the\ windows\ lie}"))
fold: Any = primitive("fold", _fold, r"Y = \textstyle\sum X\ \mathrm{where\ the\ windows\ lie}",
    x=(lambda g, window, stride, padding, dilation:
       unfold(g, window, stride, padding, dilation), r"\mathrm{windows}(\bar Y)"))


# -------------------------------------------------------------------------------------- convolution
def _rows(w, groups):
    """Weights, or images with their channels first, as a matrix for each group."""
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def _grouped(columns, groups, d):
    """Columns as a matrix for each group: (groups, channels * window, counts * batch)."""
    height, width = prod(columns.shape[: 1 + d]), prod(columns.shape[1 + d :])
    return columns.reshape(groups, height // groups, width)


def _convolve(x, w, stride, padding, dilation, groups):
    columns = _columns(x, w.shape[2:], stride, padding, dilation)
    out = _rows(w, groups) @ _grouped(columns, groups, len(stride))
    return batch_to_front(out.reshape(len(w), *columns.shape[w.ndim - 1 :]))


def _convolve_back(x, w, shape, stride, padding, dilation, groups):
    columns = _rows(w, groups).mT @ _rows(batch_to_end(x), groups)
    counts = prod(x.shape[2:])
    columns = batch_to_front(columns.reshape(prod(w.shape[1:]) * groups, counts, len(x)))
    return fold(columns, shape[2:], w.shape[2:], stride, padding, dilation)


def _correlate(x, y, shape, stride, padding, dilation, groups):
    columns = _columns(x, shape[2:], stride, padding, dilation)
    out = _grouped(columns, groups, len(stride)) @ _rows(batch_to_end(y), groups).mT
    return out.mT.reshape(shape)  # BLAS is three times as quick with the long axis on this side


# The image and the weights make the output; the output's gradient and the weights, the image's; the
# image and the output's gradient, the weights'. Each of the three is linear in both of its inputs.
convolve: Any = primitive("convolve", _convolve, r"Z = X * W", before=_BOTH,
    x=(lambda g, w, like, stride, padding, dilation, groups:
       convolve_back(g, w, like.shape, stride, padding, dilation, groups), r"\bar Z * W^{\top}"),
    w=(lambda g, x, like, stride, padding, dilation, groups:
       correlate(x, g, like.shape, stride, padding, dilation, groups), r"X * \bar Z"))
convolve_back: Any = primitive("convolve_back", _convolve_back, r"Z = X * W^{\top}", before=_BOTH,
    x=(lambda g, w, stride, padding, dilation, groups:
       convolve(g, w, stride, padding, dilation, groups), r"\bar Z * W"),
    w=(lambda g, x, like, stride, padding, dilation, groups:
       correlate(g, x, like.shape, stride, padding, dilation, groups), r"\bar Z * X"))
correlate: Any = primitive("correlate", _correlate, r"Z = X * Y",
    x=(lambda g, y, like, stride, padding, dilation, groups:
       convolve_back(y, g, like.shape, stride, padding, dilation, groups), r"Y * \bar Z^{\top}"),
    y=(lambda g, x, stride, padding, dilation, groups:
       convolve(x, g, stride, padding, dilation, groups), r"X * \bar Z"))
