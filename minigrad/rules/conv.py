r"""Convolution: ops on the windows that slide over an image.

A convolution is one matrix product, of the weights with all windows written out as columns. It is
linear in the image and in the weights, so its two gradients are products of the same kind, and the
three ops below are each other's rules. The columns are kept channel first, then batch, so that
they are long contiguous runs, which BLAS reads quickly. (For the arithmetic: Dumoulin and Visin,
"A guide to convolution arithmetic for deep learning", 2016.)

Images have shape (batch, channels, \*space), weights (out, channels / groups, \*window).
``padding`` is a pair (before, after) for each axis of space, ``stride`` and ``dilation`` are a
number for each.
"""

from math import prod
from typing import Any

import numpy as np

from ..op import primitive

_BOTH = "x, w = promote(x, w, x_, w_)"


# ---------------------------------------------------------------------------- where the windows lie
def counts_of(space, window, stride, padding, dilation) -> tuple[int, ...]:
    """How many windows fit along each axis."""
    return tuple(
        (n + a + b - (k - 1) * d - 1) // s + 1
        for n, k, s, (a, b), d in zip(space, window, stride, padding, dilation, strict=True)
    )


def place(offset, stride, dilation, counts) -> tuple:
    """Where the entry at this offset of every window lies in the padded image."""
    return (..., *(
        slice(o * d, o * d + s * (n - 1) + 1, s)
        for o, s, d, n in zip(offset, stride, dilation, counts, strict=True)
    ))


def padded(x, padding, value=0) -> Any:
    """An image with ``value`` around it."""
    around = ((0, 0),) * (x.ndim - len(padding)) + tuple(padding)
    return np.pad(x, around, constant_values=value) if any(map(any, padding)) else x


def padded_space(space, padding) -> tuple[int, ...]:
    """The lengths of the axes of space with the padding."""
    return tuple(n + a + b for n, (a, b) in zip(space, padding, strict=True))


def inside(x, padding, space) -> Any:
    """An image without its padding."""
    return x[(..., *(slice(a, a + n) for (a, _), n in zip(padding, space, strict=True)))]


# ------------------------------------------------------------------- windows as columns, and back
def _columns(x, window, stride, padding, dilation):
    """All windows, written out: (channels, *window, batch, *counts)."""
    counts = counts_of(x.shape[2:], window, stride, padding, dilation)
    x = padded(x, padding).swapaxes(0, 1)
    out = np.empty((x.shape[0], *window, x.shape[1], *counts), x.dtype)
    for offset in np.ndindex(*window):
        out[(slice(None), *offset)] = x[place(offset, stride, dilation, counts)]
    return out


def _add_up(columns, space, stride, padding, dilation):
    """The reverse: each column added to the image where its window lies."""
    d = len(stride)
    channels, *window, batch = columns.shape[: 2 + d]
    counts = columns.shape[2 + d :]
    out = np.zeros((channels, batch, *padded_space(space, padding)), columns.dtype)
    for offset in np.ndindex(*window):
        out[place(offset, stride, dilation, counts)] += columns[(slice(None), *offset)]
    return inside(out, padding, space).swapaxes(0, 1)


def _unfold(x, window, stride, padding, dilation):
    columns = _columns(x, window, stride, padding, dilation)
    return np.moveaxis(columns, 1 + len(window), 0).reshape(len(x), x.shape[1] * prod(window), -1)


def _fold(x, space, window, stride, padding, dilation):
    counts = counts_of(space, window, stride, padding, dilation)
    columns = x.reshape(len(x), x.shape[1] // prod(window), *window, *counts)
    return _add_up(np.moveaxis(columns, 0, 1 + len(window)), space, stride, padding, dilation)


unfold: Any = primitive("unfold", _unfold, r"Y = \mathrm{windows}(X)",
    x=(lambda g, like, window, stride, padding, dilation:
       fold(g, like.shape[2:], window, stride, padding, dilation),
       r"\textstyle\sum \bar Y\ \mathrm{where\ the\ windows\ lie}"))
fold: Any = primitive("fold", _fold, r"Y = \textstyle\sum X\ \mathrm{where\ the\ windows\ lie}",
    x=(lambda g, window, stride, padding, dilation:
       unfold(g, window, stride, padding, dilation), r"\mathrm{windows}(\bar Y)"))


# -------------------------------------------------------------------------------------- convolution
def _rows(w, groups):
    """Weights, or an image with its channels first, as a matrix for each group."""
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def _grouped(columns, groups, d):
    """Columns as a matrix for each group: (groups, channels * window, batch * counts)."""
    height, width = prod(columns.shape[: 1 + d]), prod(columns.shape[1 + d :])
    return columns.reshape(groups, height // groups, width)


def _convolve(x, w, stride, padding, dilation, groups):
    columns = _columns(x, w.shape[2:], stride, padding, dilation)
    out = _rows(w, groups) @ _grouped(columns, groups, len(stride))
    return out.reshape(len(w), *columns.shape[w.ndim - 1 :]).swapaxes(0, 1)


def _convolve_back(x, w, shape, stride, padding, dilation, groups):
    columns = _rows(w, groups).mT @ _rows(x.swapaxes(0, 1), groups)
    columns = columns.reshape(shape[1], *w.shape[2:], len(x), *x.shape[2:])
    return _add_up(columns, shape[2:], stride, padding, dilation)


def _correlate(x, y, shape, stride, padding, dilation, groups):
    columns = _columns(x, shape[2:], stride, padding, dilation)
    out = _grouped(columns, groups, len(stride)) @ _rows(y.swapaxes(0, 1), groups).mT
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
