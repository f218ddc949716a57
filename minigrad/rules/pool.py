r"""Pooling: one number out of each window of an image.

It weighs the entries of each window and adds them up: with 1 for the (first) largest and 0 for the
others, or with 1 / n for each of n. Spreading a gradient over the windows does the reverse.

Images have shape (batch, channels, \*space), weights (\*window, batch, channels, \*counts), where
batch and channels may be 1; see ``conv`` for the other arguments.
"""

from typing import Any

import numpy as np

from ..op import primitive
from ..tensor import unwrap
from .conv import counts_of, inside, padded, padded_space, place


def _gather(x, weights, window, stride, padding, dilation):
    """The weighted sum of each window."""
    x = padded(x, padding)
    counts = weights.shape[len(window) + 2 :]
    out = np.zeros((*x.shape[:2], *counts), x.dtype)
    for offset in np.ndindex(*window):
        out += x[place(offset, stride, dilation, counts)] * weights[offset]
    return out


def _spread(x, weights, shape, window, stride, padding, dilation):
    """Each x, weighted, added to the entries of its window."""
    out = np.zeros((*shape[:2], *padded_space(shape[2:], padding)), x.dtype)
    for offset in np.ndindex(*window):
        out[place(offset, stride, dilation, x.shape[2:])] += x * weights[offset]
    return inside(out, padding, shape[2:])


gather_windows: Any = primitive("gather_windows", _gather, r"z = \textstyle\sum w\,x",
    x=(lambda g, weights, like, window, stride, padding, dilation:
       spread_windows(g, weights, like.shape, window, stride, padding, dilation), r"w\,\bar z"))
spread_windows: Any = primitive("spread_windows", _spread, r"z = w\,x",
    x=(lambda g, weights, window, stride, padding, dilation:
       gather_windows(g, weights, window, stride, padding, dilation),
       r"\textstyle\sum w\,\bar z"))


def windows(x, window, stride, padding, dilation, value=-np.inf) -> list[Any]:
    """For each offset in a window, the entries at it of all windows; ``value`` in the padding."""
    counts = counts_of(x.shape[2:], window, stride, padding, dilation)
    x = padded(x, padding, value)
    return [x[place(offset, stride, dilation, counts)] for offset in np.ndindex(*window)]


def _first_of_largest(x, window, stride, padding, dilation):
    """Weights that are True at the first largest entry of each window, and False elsewhere."""
    views = windows(x, window, stride, padding, dilation)
    largest = np.maximum.reduce(views)
    free = np.ones(largest.shape, bool)
    weights = np.empty((len(views), *largest.shape), bool)
    for view, weight in zip(views, weights, strict=True):
        np.logical_and(view == largest, free, out=weight)
        free &= ~weight
    return weights.reshape(*window, *largest.shape)


first_of_largest = primitive("first_of_largest", _first_of_largest,
    r"y = [x\ \mathrm{is\ the\ first\ largest}]", x=(None, "0"))


def _max_pool(x, window, stride, padding, dilation):
    return np.maximum.reduce(windows(x, window, stride, padding, dilation))


def _max_pool_rule(g, x, window, stride, padding, dilation):
    settings = window, stride, padding, dilation
    return spread_windows(g, unwrap(first_of_largest(x, *settings)), x.shape, *settings)


max_pool = primitive("max_pool", _max_pool, r"z = \max x",
    x=(_max_pool_rule, r"\bar z\ \mathrm{at\ the\ first\ largest}"))
