r"""Matrix products, with batches in front, and with vectors on either side."""

from math import prod

import numpy as np

from ..op import meet, primitive


def _left(g, y, like):
    """The gradient of x in x @ y."""
    if y.ndim == 1:
        return g[..., None] * y
    if len(like.shape) == 1:
        return (g[..., None, :] @ y.mT)[..., 0, :]
    return g @ y.mT


def _right(g, x, like):
    """The gradient of y in x @ y."""
    if x.ndim == 1:
        return g[..., None] * x if len(like.shape) == 1 else x[:, None] * g[..., None, :]
    if len(like.shape) == 1:
        return (x.mT @ g[..., None])[..., 0]
    return x.mT @ g


matmul = primitive("matmul", np.matmul, r"Z = X\,Y", before=meet(),
    x=(_left, r"\bar Z\,Y^{\top}"),
    y=(_right, r"X^{\top}\,\bar Z"))


def _dense(x, w, b):
    out = x @ w.T
    out += b  # nobody else holds the product
    return out


def _rows(x):
    """x as one matrix, its batch axes as rows."""
    return x if x.ndim == 2 else x.reshape((prod(x.shape[:-1]), x.shape[-1]))


dense = primitive("dense", _dense, r"Z = X\,W^{\top} + b",
    x=(lambda g, w: g @ w, r"\bar Z\,W"),
    w=(lambda g, x: _rows(g).T @ _rows(x), r"\bar Z^{\top}\,X"),
    b=(lambda g: g, r"\textstyle\sum \bar Z"))
