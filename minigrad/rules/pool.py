r"""Pooling: one number out of each window of an image.

It weighs the entries of each window and adds them up: with 1 for the (first) largest and 0 for the
others, or with 1 / n for each of n. Spreading a gradient over the windows does the reverse.

Images have shape (batch, channels, \*space), weights (\*window, batch, channels, \*counts), where
batch and channels may be 1; see ``conv`` for the other arguments.
"""

from functools import reduce
from typing import Any

import numpy as np

from ..op import primitive
from ..tensor import unwrap
from .conv import at_offset, batch_last, counts_of, images, inside, padded, padded_space


def _gather(x, weights, window, stride, padding, dilation):
    """The weighted sum of each window."""
    views = windows(x, window, stride, padding, dilation, 0)
    out = np.zeros_like(views[0])
    for offset, view in zip(np.ndindex(*window), views, strict=True):
        out += view * weights[offset]
    return out


def _spread(x, weights, shape, window, stride, padding, dilation):
    """Each x, weighted, added to the entries of its window."""
    x = batch_last(x)
    out = images((*shape[:2], *padded_space(shape[2:], padding)), x.dtype)
    # Whether no two windows share an entry.
    apart = max(dilation) == 1 and all(s >= k for s, k in zip(stride, window, strict=True))
    for offset in np.ndindex(*window):
        view = at_offset(out, offset, x.shape[2:], stride, dilation)
        if apart:
            np.multiply(x, weights[offset], out=view)
        else:
            view += x * weights[offset]
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
    return [at_offset(x, offset, counts, stride, dilation) for offset in np.ndindex(*window)]


def _first_of_largest(x, largest, window, stride, padding, dilation):
    """Weights that are True at the first entry of each window that is its largest, else False."""
    views = windows(x, window, stride, padding, dilation)
    largest = batch_last(largest)  # as the views lie
    batch, *rest = largest.shape
    weights = np.moveaxis(np.empty((len(views), *rest, batch), bool), -1, 1)  # as they lie
    found = np.zeros_like(largest, bool)
    for view, weight in zip(views, weights, strict=True):
        np.equal(view, largest, out=weight)
        np.greater(weight, found, out=weight)  # and not found before
        found |= weight
    return weights.reshape(*window, *largest.shape)


first_of_largest = primitive("first_of_largest", _first_of_largest,
    r"y = [x\ \mathrm{is\ the\ first\ largest}]", x=(None, "0"), largest=(None, "0"))


def _max_pool(x, window, stride, padding, dilation):
    """Along one axis after the other: for a window of k by k, the largest of k, twice."""
    out = padded(x, padding, -np.inf) if np.any(padding) else x  # in any order in memory
    for axis, (k, s, d) in enumerate(zip(window, stride, dilation, strict=True), 2):
        (n,) = counts_of(out.shape[axis : axis + 1], (k,), (s,), ((0, 0),), (d,))
        starts = range(0, k * d, d)
        places = ((slice(None),) * axis + (slice(i, i + (n - 1) * s + 1, s),) for i in starts)
        out = reduce(np.maximum, (out[place] for place in places))
    return out if window[-1] > 1 else np.array(out)  # no view


def _max_pool_rule(g, out, x, window, stride, padding, dilation):
    settings = window, stride, padding, dilation
    return spread_windows(g, unwrap(first_of_largest(x, out, *settings)), x.shape, *settings)


max_pool = primitive("max_pool", _max_pool, r"z = \max x",
    x=(_max_pool_rule, r"\bar z\ \mathrm{at\ the\ first\ largest}"))
