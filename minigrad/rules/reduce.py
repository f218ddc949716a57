r"""Ops that reduce or accumulate along axes: sums, means, extremes, products, softmax."""

import math
from typing import Any

import numpy as np

from ..op import primitive
from .index import flip
from .shape import broadcast_to, concatenate, reshape

_FLOAT = "x = to_float(x)"


def axes_of(axis, ndim: int) -> tuple[int, ...]:
    """An axis argument (None, an int or several) as a tuple of axes counted from 0."""
    if axis is None:
        return tuple(range(ndim))
    axes = (axis,) if isinstance(axis, int | np.integer) else tuple(axis)
    for a in axes:
        if not -ndim <= a < ndim and not (ndim == 0 and a in (0, -1)):
            raise IndexError(f"axis {a} is out of range for an array with {ndim} axes")
    axes = tuple(int(a) % ndim for a in axes) if ndim else ()
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {axis} names one axis twice")
    return axes


def axis_of(axis, ndim: int) -> int:
    """An axis argument that names one axis, counted from 0."""
    axes = axes_of(axis, ndim)
    if not ndim:
        raise IndexError(f"axis {axis} is out of range for an array with 0 axes")
    if len(axes) != 1:
        raise ValueError(f"expected a single axis of {ndim}, but got {axis}")
    return axes[0]


def kept(shape: tuple[int, ...], axis) -> tuple[int, ...]:
    """The shape after a reduction that keeps the reduced axes, with length 1."""
    gone = axes_of(axis, len(shape))
    return tuple(1 if i in gone else n for i, n in enumerate(shape))


def stretch(g: Any, shape: tuple[int, ...], axis: Any, keepdims: bool) -> Any:
    """g, which came out of a reduction over axis, repeated to the shape that went in."""
    if not keepdims and axis is not None:  # a number fits as it is: no step, no box in the graph
        g = reshape(g, kept(shape, axis))
    return broadcast_to(g, shape)


def _along(reduce):
    """A numpy reduction with its arguments as every op here has them."""
    return lambda x, axis=None, keepdims=False: reduce(x, axis, keepdims=keepdims)


def _count(shape, axis) -> int:
    return math.prod(shape if axis is None else [shape[a] for a in axes_of(axis, len(shape))])


# ----------------------------------------------------------------------------------- sums and means
def _counted(reduce):
    """numpy's sum or product. numpy makes unsigned numbers uint64, MindSpore does not."""

    def forward(x, axis=None, keepdims=False):
        out = reduce(x, axis, keepdims=keepdims)
        if out.dtype == np.uint64:
            return out.astype(np.int64 if x.dtype == np.uint8 else x.dtype)
        return out

    return forward


def _cumsum(x, axis=None):
    out = np.cumsum(x, axis, dtype=None if x.dtype == np.bool_ else x.dtype)
    return out if axis is None else out.reshape(x.shape)  # numpy gives a 0-d array an axis


def _cumsum_rule(g, like, axis):
    """The sums from the end on."""
    row = axis is None or not like.shape
    g, axis = (g.reshape((g.size,)), 0) if row else (g, axis)
    return flip(np.cumsum(flip(g, axis), axis), axis).reshape(like.shape)


sum = primitive("sum", _counted(np.sum), r"y = \textstyle\sum x", np.sum,
    x=(lambda g, like, axis, keepdims: stretch(g, like.shape, axis, keepdims), r"\bar y"))
mean = primitive("mean", _along(np.mean), r"y = \frac{1}{n}\textstyle\sum x", np.mean,
    before=_FLOAT,
    x=(lambda g, like, axis, keepdims:
       stretch(g / (_count(like.shape, axis) or 1), like.shape, axis, keepdims), r"\bar y / n"))
cumsum = primitive("cumsum", _cumsum, r"y_i = \textstyle\sum_{j \le i} x_j", np.cumsum,
    x=(_cumsum_rule, r"\textstyle\sum_{j \ge i} \bar y_j"))


# ----------------------------------------------------------------------------------------- extremes
def _extreme_rule(g, out, x, axis, keepdims):
    """Entries that tie share the gradient equally."""
    hit = (x == stretch(out, x.shape, axis, keepdims)).astype(x.dtype)
    return stretch(g, x.shape, axis, keepdims) * hit / np.sum(hit, axis=axis, keepdims=True)


amax = primitive("amax", _along(np.max), r"y = \max x", np.max,
    x=(_extreme_rule, r"\bar y\,[x = y] / \#"))
amin = primitive("amin", _along(np.min), r"y = \min x", np.min,
    x=(_extreme_rule, r"\bar y\,[x = y] / \#"))
argmax = primitive("argmax", _along(np.argmax), r"y = \mathrm{argmax}\,x", np.argmax, x=(None, "0"))
argmin = primitive("argmin", _along(np.argmin), r"y = \mathrm{argmin}\,x", np.argmin, x=(None, "0"))
def _places_in_order(x, axis, descending):
    """Entries that tie stay in their order, and nan counts as largest."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    back = np.flip(x, axis)  # sorted upwards from the back, read from behind
    return x.shape[axis] - 1 - np.flip(np.argsort(back, axis, kind="stable"), axis)


places_in_order = primitive("argsort", _places_in_order, r"y = \mathrm{argsort}\,x", np.argsort,
    x=(None, "0"))
any = primitive("any", _along(np.any), r"y = \bigvee x", np.any, x=(None, "0"))
all = primitive("all", _along(np.all), r"y = \bigwedge x", np.all, x=(None, "0"))


# ----------------------------------------------------------------------------------------- products
def _before(x, axis):
    """At each place along axis, the product of all entries before it."""
    ones = np.ones((*x.shape[:axis], 1, *x.shape[axis + 1 :]), x.dtype)
    return np.cumprod(concatenate((ones, x), axis), axis)[(slice(None),) * axis + (slice(0, -1),)]


def _cumprod_rule(g, x, axis):
    """No division, so zeros do no harm: dx_i = (product before i) * (g_i + x_(i+1) * h_(i+1))."""
    if axis is None or not x.ndim:
        return _cumprod_rule(g.reshape((g.size,)), x.reshape((x.size,)), 0).reshape(x.shape)
    axis = axis % x.ndim
    if not x.shape[axis]:
        return g
    place = [(slice(None),) * axis + (slice(i, i + 1),) for i in range(x.shape[axis])]
    h: list = []
    for here, after in zip(reversed(place), reversed([*place[1:], None]), strict=True):
        h.insert(0, g[here] if after is None else g[here] + x[after] * h[0])
    return _before(x, axis) * concatenate(tuple(h), axis)


def _prod_rule(g, x, axis, keepdims):
    """The product of all the others: those before times those after, so zeros do no harm."""
    gone = axes_of(axis, x.ndim)
    stay = tuple(a for a in range(x.ndim) if a not in gone)
    turned = np.transpose(x, stay + gone)
    row = turned.reshape((*turned.shape[: len(stay)], _count(x.shape, gone)))
    last = len(stay)
    others = _before(row, last) * flip(_before(flip(row, last), last), last)
    back = tuple(np.argsort(stay + gone).tolist())
    return stretch(g, x.shape, axis, keepdims) * np.transpose(others.reshape(turned.shape), back)


def _cumprod(x, axis=None):
    out = np.cumprod(x, axis, dtype=np.int64 if x.dtype.kind in "iub" else None)
    return out if axis is None else out.reshape(x.shape)


cumprod = primitive("cumprod", _cumprod,
    r"y_i = \textstyle\prod_{j \le i} x_j", np.cumprod,
    x=(_cumprod_rule, r"\textstyle\sum_{k \ge i} \bar y_k \prod_{j \le k, j \ne i} x_j"))
prod = primitive("prod", _counted(np.prod), r"y = \textstyle\prod x", np.prod,
    x=(_prod_rule, r"\bar y \textstyle\prod_{j \ne i} x_j"))


# ------------------------------------------------------------------------ softmax and its relations
def _logsumexp(x, axis=None, keepdims=False):
    top = np.max(x, axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)  # a row of -inf has no largest entry to take off
    with np.errstate(divide="ignore"):  # the logarithm of its sum, 0, is -inf: that is the answer
        out = top + np.log(np.sum(np.exp(x - top), axis, keepdims=True))
    return out if keepdims else out.reshape(np.sum(np.empty(x.shape, bool), axis).shape)


def _logsumexp_rule(g, out, x, axis, keepdims):
    y = stretch(out, x.shape, axis, keepdims)
    empty = y == -np.inf  # such a row has gradient 0
    share = np.where(empty, 0, np.exp(x - np.where(empty, 0, y)))
    return stretch(g, x.shape, axis, keepdims) * share


def _softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis, keepdims=True, initial=-np.inf))
    return e / np.sum(e, axis, keepdims=True)


def _log_softmax(x, axis=-1):
    x = x - np.max(x, axis, keepdims=True, initial=-np.inf)
    with np.errstate(divide="ignore"):  # along an axis of length 0, nothing is taken off nothing
        return x - np.log(np.sum(np.exp(x), axis, keepdims=True))


def _cross_entropy(x, labels):
    x = x - np.max(x, 1, keepdims=True)
    return np.log(np.sum(np.exp(x), 1)) - x[np.arange(len(x)), labels]


def _cross_entropy_rule(g, x, labels):
    """In each row the probabilities, with 1 taken off at the label."""
    return g[:, None] * (softmax(x, 1) - (labels[:, None] == np.arange(x.shape[1])))


cross_entropy = primitive("cross_entropy", _cross_entropy,
    r"y = \ln \textstyle\sum_i e^{x_i} - x_k", before=_FLOAT,
    x=(_cross_entropy_rule, r"\bar y\,(\mathrm{softmax}(x)_i - [i = k])"), labels=(None, "0"))
logsumexp = primitive("logsumexp", _logsumexp, r"y = \ln \textstyle\sum e^{x}", before=_FLOAT,
    x=(_logsumexp_rule, r"\bar y\,e^{x - y}"))
softmax = primitive("softmax", _softmax, r"y = e^{x} / \textstyle\sum e^{x}", before=_FLOAT,
    x=(lambda g, out, axis: out * (g - np.sum(g * out, axis=axis, keepdims=True)),
       r"y\,(\bar y - \textstyle\sum \bar y\,y)"))
log_softmax = primitive("log_softmax", _log_softmax,
    r"y = x - \ln \textstyle\sum e^{x}", before=_FLOAT, called={"x": "logits"},
    x=(lambda g, out, axis: g - np.exp(out) * np.sum(g, axis=axis, keepdims=True),
       r"\bar y - e^{y} \textstyle\sum \bar y"))
