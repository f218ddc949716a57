r"""Normalization: entries with their mean taken off, over their standard deviation.

One op serves layer, batch, group and instance norm, which differ in the axes only. (Ioffe and
Szegedy, "Batch Normalization", 2015; the rule is derived there in section 3.)
"""

import numpy as np

from ..op import primitive


def _spread(x, axes, eps):
    """One over the standard deviation along the axes, eps being added to the variance."""
    distance = x - np.mean(x, axis=axes, keepdims=True)
    return 1 / np.sqrt(np.mean(distance * distance, axis=axes, keepdims=True) + eps)


def _standardize(x, axes, eps):
    return (x - np.mean(x, axis=axes, keepdims=True)) * _spread(x, axes, eps)


def _standardize_rule(g, x, out, axes, eps):
    """What g does along the mean and along y itself, it does to no avail: both are fixed."""
    along_mean = np.mean(g, axis=axes, keepdims=True)
    along_y = np.mean(g * out, axis=axes, keepdims=True)
    return (g - along_mean - out * along_y) * _spread(x, axes, eps)


standardize = primitive("standardize", _standardize,
    r"y = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}",
    before="x = to_float(x)",
    x=(_standardize_rule,
       r"\frac{\bar y - \mathrm{mean}\,\bar y - y\,\mathrm{mean}(\bar y\,y)}"
       r"{\sqrt{\sigma^2 + \varepsilon}}"))
