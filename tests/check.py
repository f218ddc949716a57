"""Compare gradients with finite differences. What more than one test file needs."""

import numpy as np

from minigrad import check
from minigrad.tensor import unwrap


def check_grads(fn, *inputs, **options):
    """``minigrad.check.check_grads`` on arrays, not one at a kink or where it cannot tell."""
    report = check.check_grads(fn, *(np.array(x, np.float64) for x in inputs), **options)
    assert not report.kinks, report
    assert not report.unclear, report


def arrays(value):
    """The arrays of one Tensor or of a tuple of them, as a tuple."""
    return tuple(map(unwrap, value)) if isinstance(value, tuple) else (unwrap(value),)
