r"""Inverses, determinants and factors of matrices, and sums over the letters of an equation.

The matrices stand in the last two axes; axes in front are a batch. (The rules: Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation", 2008, unless
another source stands beside the rule.)
"""

from typing import Any

import numpy as np

from ..op import meet, primitive
from .shape import concatenate

_FLOAT = "x = to_float(x)"


def _lapack(function):
    """A function of numpy.linalg, which has none for float16."""

    def forward(x):
        return function(x.astype(np.float32)).astype(x.dtype) if x.itemsize == 2 else function(x)

    return forward


def _solve(x, y):
    if x.itemsize == 2:
        return np.linalg.solve(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
    return np.linalg.solve(x, y)


inverse: Any = primitive("inverse", _lapack(np.linalg.inv), r"Y = X^{-1}", np.linalg.inv,
    before=_FLOAT,
    x=(lambda g, out: -(out.mT @ g @ out.mT), r"-Y^{\top}\,\bar Y\,Y^{\top}"))


def _solve_turned(g, x, y):
    """The gradient of y: X^-T g, where y may be a vector, and g then a batch of them."""
    return solve(x.mT, g[..., None])[..., 0] if y.ndim == 1 else solve(x.mT, g)


def _solve_rule(g, out, x, y):
    dy = _solve_turned(g, x, y)
    return -(dy[..., :, None] * out[..., None, :] if y.ndim == 1 else dy @ out.mT)


solve: Any = primitive("solve", _solve, r"Z = X^{-1}\,Y",
    np.linalg.solve, before="x, y = promote(to_float(x), y, x_, y_)",
    x=(_solve_rule, r"-X^{-\top}\,\bar Z\,Z^{\top}"),
    y=(lambda g, x, y: _solve_turned(g, x, y), r"X^{-\top}\,\bar Z"))
det = primitive("det", _lapack(np.linalg.det), r"y = |X|", np.linalg.det, before=_FLOAT,
    x=(lambda g, out, x: (g * out)[..., None, None] * inverse(x).mT, r"\bar y\,y\,X^{-\top}"))
logabsdet = primitive("logabsdet", _lapack(lambda x: np.linalg.slogdet(x)[1]), r"y = \ln ||X||",
    before=_FLOAT,
    x=(lambda g, x: g[..., None, None] * inverse(x).mT, r"\bar y\,X^{-\top}"))
signdet = primitive("signdet", _lapack(lambda x: np.linalg.slogdet(x)[0]),
    r"y = \mathrm{sign}\,|X|", before=_FLOAT, x=(None, "0"))


def _cholesky_rule(g, out):
    """Murray, "Differentiation of the Cholesky decomposition", 2016, equation 10."""
    n = out.shape[-1]
    lower = np.tri(n, dtype=out.dtype) - np.eye(n, dtype=out.dtype) / 2
    back = inverse(out)
    half = back.mT @ ((out.mT @ g) * lower) @ back
    return (half + half.mT) / 2


cholesky = primitive("cholesky", _lapack(lambda x: np.linalg.cholesky((x + x.mT) / 2)),
    r"Y = \mathrm{chol}(X)", np.linalg.cholesky, before=_FLOAT,
    x=(_cholesky_rule, r"\mathrm{sym}(Y^{-\top}\,\mathrm{low}(Y^{\top}\,\bar Y)\,Y^{-1})"))


# ------------------------------------------------------------------------- several factors at once
def _factors(function):
    """A function of numpy.linalg that returns several factors; it has none for float16."""

    def forward(x, full=False):
        wide = x.astype(np.float32) if x.itemsize == 2 else x
        return tuple(y.astype(x.dtype, copy=False) for y in function(wide, full))

    return forward


def _svd(x, full):
    u, s, vt = np.linalg.svd(x, full_matrices=full)
    return s, u, vt.mT


def _over(x):
    """1 / x, and 0 where x is 0."""
    return np.where(x == 0, 0, 1 / np.where(x == 0, 1, x))


def _svd_rule(g, out, full):
    """Townsend, "Differentiating the singular value decomposition", 2016.

    Vectors that belong to equal values can be turned into each other: their share counts as 0.
    """
    (ds, du, dv), (s, u, v) = g, out
    if full and u.shape[-2] != v.shape[-2]:
        raise ValueError("svd: with full_matrices, only square matrices have a gradient")
    column, row = s[..., :, None], s[..., None, :]
    apart = _over(row * row - column * column)
    left, right = u.mT @ du, v.mT @ dv
    inner = (left - left.mT) * apart * row + (right - right.mT) * apart * column
    dx = u @ (inner + ds[..., None] * np.eye(s.shape[-1], dtype=s.dtype)) @ v.mT
    outside_u, outside_v = du - u @ left, dv - v @ right
    return dx + (outside_u * _over(row)) @ v.mT + (u * _over(row)) @ outside_v.mT


svd: Any = primitive("svd", _factors(_svd),
    r"Y_i = S, U, V\ \mathrm{with}\ X = U\,\mathrm{diag}(S)\,V^{\top}", several=True, before=_FLOAT,
    x=(_svd_rule, r"U\,(\mathrm{inner}(\bar Y_2, \bar Y_3) + \mathrm{diag}(\bar Y_1))\,V^{\top}"
       r" + \mathrm{outer}(\bar Y_2, \bar Y_3)"))


def _qr(x, full):
    return np.linalg.qr(x, "complete" if full else "reduced")


def _qr_rule(g, out, x, full):
    """Walter and Lehmann, "Algorithmic differentiation of linear algebra functions ...", 2010.

    The first columns of a wide matrix are a square one.
    """
    (dq, dr), (q, r) = g, out
    m, n = x.shape[-2:]
    if full and m > n:
        raise ValueError('qr: of a tall matrix, only mode="reduced" has a gradient')
    if m < n:
        dq = dq + x[..., m:] @ dr[..., m:].mT
    square, dsquare = r[..., :m], dr[..., :m]
    lower = np.tri(min(m, n), dtype=r.dtype)
    inner = square @ dsquare.mT - dq.mT @ q
    inner = inner * lower + (inner * (lower - np.eye(len(lower), dtype=r.dtype))).mT
    dx = (dq + q @ inner) @ inverse(square).mT
    return concatenate((dx, q @ dr[..., m:]), -1) if m < n else dx


qr: Any = primitive("qr", _factors(_qr), r"Y_i = Q, R\ \mathrm{with}\ X = Q\,R", several=True,
    before=_FLOAT,
    x=(_qr_rule, r"(\bar Y_1 + Q\,\mathrm{sym}(R\,\bar Y_2^{\top} - \bar Y_1^{\top} Q))"
       r"\,R^{-\top}"))


def _pinv(x, atol=None, rtol=None):
    s, u, v = _factors(_svd)(x)
    if rtol is None:
        rtol = 0 if atol else max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    least = np.maximum(rtol * np.max(s, -1, keepdims=True, initial=0), atol or 0)
    return ((v * _over(np.where(s > least, s, 0))[..., None, :]) @ u.mT).astype(x.dtype)


def _pinv_rule(g, out, x):
    """Golub and Pereyra, "The differentiation of pseudo-inverses ...", 1973: the rank stays."""
    turned, back = g.mT, out.mT
    left, right = turned @ out @ back, back @ out @ turned
    return left - x @ (out @ left) + right - (right @ out) @ x - back @ g @ back


pinv: Any = primitive("pinv", _pinv, r"Y = X^{+}", np.linalg.pinv, before=_FLOAT,
    x=(_pinv_rule, r"(I - X Y)\,\bar Y^{\top} Y Y^{\top} + Y^{\top} Y \bar Y^{\top} (I - Y X)"
       r" - Y^{\top} \bar Y\,Y^{\top}"))

# Each letter names an axis; letters that are not in ``to`` are summed over. Every letter of x is in
# y or in ``to``, and so for y, and none occurs twice: then the rules are of the same form.
contract: Any = primitive("contract",
    lambda x, y, a, b, to: np.einsum(f"{a},{b}->{to}", x, y, optimize=True),
    r"z = \textstyle\sum x\,y", before=meet(),
    x=(lambda g, y, a, b, to: contract(g, y, to, b, a), r"\textstyle\sum \bar z\,y"),
    y=(lambda g, x, a, b, to: contract(x, g, a, to, b), r"\textstyle\sum x\,\bar z"))
