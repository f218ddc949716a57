r"""Ops that pick values out or put them in. The gradient of picking is putting, and the reverse."""

import math
from typing import Any

import numpy as np

from ..op import primitive


def is_basic(index: Any) -> bool:
    """Whether an index is made of integers, slices, None and ... alone, with no array in it."""
    parts = index if type(index) is tuple else (index,)
    return not any(hasattr(i, "__array_function__") or isinstance(i, list) for i in parts)


def picks_once(index) -> bool:
    """Whether no element can be picked twice, so that putting back is a plain assignment."""
    return is_basic(index) or getattr(index, "dtype", None) == np.bool_


def _scatter(x, index, shape):
    out = np.zeros(shape, x.dtype)
    if picks_once(index):
        out[index] = x
    else:
        np.add.at(out, index, x)  # picked twice, it counts twice
    return out


scatter = primitive("scatter", _scatter, r"y_i = x",
    x=(lambda g, index: g[index], r"\bar y_i"))
getitem = primitive("getitem", lambda x, index: x[index], r"y = x_i",
    x=(lambda g, index, like: scatter(g, index, like.shape), r"\bar y\ \mathrm{at}\ i"))


def _assign(x, value, index):
    out = np.array(x)
    out[index] = value
    return out


def _value_rule(g, index, like):
    picked = g[index]
    extra = len(like.shape) - picked.ndim
    if extra > 0:  # numpy dropped axes of length 1 in front
        picked = picked[(None,) * extra]
    if picks_once(index):
        return picked
    # Written twice, the last one stays: find out which entries of value those are.
    written = g[index].shape
    places = np.arange(math.prod(written)).reshape(written)
    winner = getitem(assign(np.zeros(g.shape, np.int64), places, index), index)
    return picked * (winner == places)


assign: Any = primitive("assign", _assign, r"y = x\ \mathrm{but}\ y_i = v",
    x=(lambda g, index: assign(g, 0, index), r"\bar y\ \mathrm{but}\ 0\ \mathrm{at}\ i"),
    value=(_value_rule, r"\bar y_i"))


def flip(x: Any, axis: int | tuple[int, ...]) -> Any:
    """x with the order of its entries along one or several axes reversed."""
    axes = (axis,) if isinstance(axis, int) else axis
    gone = {a % x.ndim for a in axes}
    return x[tuple(slice(None, None, -1) if a in gone else slice(None) for a in range(x.ndim))]


# ----------------------------------------------------------------------- picking along one axis
def _take_along(x, indices, axis):
    return np.take_along_axis(x, np.asarray(indices), axis)


def _put_along(x, indices, axis, shape):
    out = np.zeros(shape, x.dtype)
    places = list(np.indices(shape, sparse=True))
    places[axis] = np.asarray(indices)  # it broadcasts along the other axes
    np.add.at(out, tuple(places), x)
    return out


put_along = primitive("put_along_axis", _put_along, r"y_i = x",
    x=(lambda g, indices, axis: take_along(g, indices, axis), r"\bar y_i"))
take_along: Any = primitive("take_along_axis", _take_along, r"y = x_i", np.take_along_axis,
    x=(lambda g, indices, axis, like: put_along(g, indices, axis, like.shape),
       r"\bar y\ \mathrm{at}\ i"))
