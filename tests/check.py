"""What more than one test file needs: gradients against differences, and answers as lists."""

import numpy as np

from minigrad import Tensor, check
from minigrad.tensor import unwrap


def check_grads(fn, *inputs, **options):
    """``minigrad.check.check_grads`` on arrays, not one at a kink or where it cannot tell."""
    report = check.check_grads(fn, *(np.array(x, np.float64) for x in inputs), **options)
    assert not report.kinks, report
    assert not report.unclear, report


def arrays(value):
    """The arrays of one Tensor or of a tuple of them, as a tuple."""
    return tuple(map(unwrap, value)) if isinstance(value, tuple) else (unwrap(value),)


def lists(x):
    """Tensors in nested tuples, lists and dicts as lists of numbers."""
    if isinstance(x, Tensor):
        return x.asnumpy().tolist()
    if isinstance(x, dict):
        return {k: lists(v) for k, v in x.items()}
    return type(x)(map(lists, x)) if isinstance(x, tuple | list) else x


def slope(fn, x, step=1e-5):
    """The derivative of fn, which works on each entry alone, by central differences."""
    up, down = fn(Tensor(x + step)).asnumpy(), fn(Tensor(x - step)).asnumpy()
    return (up - down) / (2 * step)
