r"""Ops that move or repeat values and compute nothing: their rules move gradients back."""

from itertools import pairwise

import numpy as np

from ..op import primitive, primitive_of_many

identity = primitive("identity", lambda x: x, r"y = x", x=(lambda g: g, r"\bar y"))
stop_gradient = primitive("stop_gradient", lambda x: x, r"y = x", x=(None, "0"))
cast = primitive("cast", lambda x, dtype: x.astype(dtype), r"y = x",
    # The sweep casts a gradient to its input's dtype. A cast to whole numbers is a step, and flat.
    x=(lambda g, dtype: g if np.dtype(dtype).kind == "f" else g * 0, r"\bar y"))
reshape = primitive("reshape", lambda x, shape: np.reshape(x, shape), r"y = \mathrm{reshape}(x)",
    np.reshape,
    x=(lambda g, like: g.reshape(like.shape), r"\mathrm{reshape}(\bar y)"))


def _undo(axes):
    """The order of axes that brings these back."""
    return None if axes is None else tuple(np.argsort(np.mod(axes, len(axes))).tolist())


transpose = primitive("transpose", lambda x, axes=None: np.transpose(x, axes), r"y = x^{\top}",
    np.transpose,
    x=(lambda g, axes: np.transpose(g, _undo(axes)), r"\bar y^{\top}"))
swapaxes = primitive("swapaxes", lambda x, axis0, axis1: np.swapaxes(x, axis0, axis1),
    r"y = x^{\top}", np.swapaxes,
    x=(lambda g, axis0, axis1: np.swapaxes(g, axis0, axis1), r"\bar y^{\top}"))
broadcast_to = primitive("broadcast_to", lambda x, shape: np.broadcast_to(x, shape), r"y = x",
    np.broadcast_to,
    x=(lambda g: g, r"\textstyle\sum \bar y"))


def _cut(g, like, axis):
    ends = np.cumsum([0, *(node.shape[axis] for node in like)]).tolist()
    before = (slice(None),) * (axis % g.ndim)
    return [g[(*before, slice(a, b))] for a, b in pairwise(ends)]


def _concatenate(xs, axis=0):
    """As MindSpore, and unlike numpy: floats beside whole numbers keep their dtype."""
    floats = {x.dtype for x in xs if x.dtype.kind == "f"}
    return np.concatenate(xs, axis, dtype=np.result_type(*floats) if floats else None)


concatenate = primitive_of_many("concatenate", _concatenate, r"y = (x_1, x_2, \ldots)",
    np.concatenate,
    xs=(_cut, r"\mathrm{part\ of}\ \bar y"))


def _inside(widths, shape):
    return tuple(slice(a, a + n) for (a, _), n in zip(widths, shape, strict=True))


def _pad(x, widths, value):
    return np.pad(x, widths, constant_values=value) if widths else np.array(x)


pad = primitive("pad", _pad, r"y = \mathrm{pad}(x)",
    x=(lambda g, like, widths: g[_inside(widths, like.shape)], r"\mathrm{inside\ of}\ \bar y"))
