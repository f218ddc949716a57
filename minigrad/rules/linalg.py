r"""Inverses, determinants and factors of matrices, and sums over the letters of an equation.

The matrices stand in the last two axes; axes in front are a batch. (The rules: Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation", 2008.)
"""

from typing import Any

import numpy as np

from ..op import primitive

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

# Each letter names an axis; letters that are not in ``to`` are summed over. Every letter of x is in
# y or in ``to``, and so for y, and none occurs twice: then the rules are of the same form.
contract: Any = primitive("contract",
    lambda x, y, a, b, to: np.einsum(f"{a},{b}->{to}", x, y, optimize=True),
    r"z = \textstyle\sum x\,y", before="x, y = promote(x, y, x_, y_)",
    x=(lambda g, y, a, b, to: contract(g, y, to, b, a), r"\textstyle\sum \bar z\,y"),
    y=(lambda g, x, a, b, to: contract(x, g, a, to, b), r"\textstyle\sum x\,\bar z"))
