r"""The error function, the gamma function and their kin.

scipy computes them: numpy has none of them, and formulas of our own would be less exact. It is
imported at the first use, since it takes longer to load than numpy and minigrad together. (The
derivatives: Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, chapters 6 and 7.)
"""

import math
from typing import Any

import numpy as np

from ..op import primitive

_FLOAT = "x = to_float(x)"


def _scipy(name):
    """A function of scipy.special, which answers in the dtype that it is given."""

    def forward(x):
        from scipy import special

        return getattr(special, name)(x).astype(getattr(x, "dtype", np.float64))

    return forward


_SLOPE = 2 / math.sqrt(math.pi)
erf = primitive("erf", _scipy("erf"), r"y = \frac{2}{\sqrt{\pi}} \int_0^{x} e^{-t^2} dt",
    before=_FLOAT,
    x=(lambda g, x: g * (_SLOPE * np.exp(-(x * x))), r"\bar y\,\frac{2}{\sqrt{\pi}}\,e^{-x^2}"))
erfc = primitive("erfc", _scipy("erfc"), r"y = 1 - \mathrm{erf}(x)", before=_FLOAT,
    x=(lambda g, x: g * (-_SLOPE * np.exp(-(x * x))), r"-\bar y\,\frac{2}{\sqrt{\pi}}\,e^{-x^2}"))
erfinv = primitive("erfinv", _scipy("erfinv"), r"y = \mathrm{erf}^{-1}(x)", before=_FLOAT,
    x=(lambda g, out: g * (np.exp(out * out) / _SLOPE), r"\bar y\,\frac{\sqrt{\pi}}{2}\,e^{y^2}"))


def _polygamma(x, n):
    from scipy import special

    return special.polygamma(n, x).astype(x.dtype)


lgamma = primitive("lgamma", _scipy("gammaln"), r"y = \ln |\Gamma(x)|", before=_FLOAT,
    x=(lambda g, x: g * digamma(x), r"\bar y\,\psi(x)"))
digamma: Any = primitive("digamma", _scipy("digamma"), r"y = \psi(x) = \Gamma'(x) / \Gamma(x)",
    before=_FLOAT,
    x=(lambda g, x: g * polygamma(x, 1), r"\bar y\,\psi^{(1)}(x)"))
polygamma: Any = primitive("polygamma", _polygamma, r"y = \psi^{(n)}(x)", before=_FLOAT,
    x=(lambda g, x, n: g * polygamma(x, n + 1), r"\bar y\,\psi^{(n + 1)}(x)"))
