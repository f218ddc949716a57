"""Compare gradients with finite differences. What more than one test file needs."""

import numpy as np

from minigrad import check


def check_grads(fn, *inputs, **options):
    """``minigrad.check.check_grads`` on arrays, not one at a kink, where many gradients pass."""
    report = check.check_grads(fn, *(np.array(x, np.float64) for x in inputs), **options)
    assert not report.kinks, report
