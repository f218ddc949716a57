"""Functions that make Tensors from nothing, by MindSpore's names."""

import numpy as np

from .. import dtype as dtypes
from ..tensor import Tensor, unwrap, wrap


def _shape(size) -> tuple[int, ...]:
    if isinstance(size, str | float):
        raise TypeError(f"a shape is a whole number or a tuple of them, but got {size!r}")
    return (int(size),) if isinstance(size, int | np.integer) else tuple(map(int, unwrap(size)))


def ones(shape, dtype=None) -> Tensor:
    """A Tensor full of ones, float32 unless dtype says otherwise."""
    return wrap(np.ones(_shape(shape), dtype or dtypes.float32))


def zeros(size, dtype=None) -> Tensor:
    """A Tensor full of zeros, float32 unless dtype says otherwise."""
    return wrap(np.zeros(_shape(size), dtype or dtypes.float32))


def full(size, fill_value, *, dtype=None) -> Tensor:
    """A Tensor full of one value, in the value's dtype unless dtype says otherwise."""
    value = Tensor(fill_value, dtype)
    return wrap(np.full(_shape(size), value.array, value.array.dtype))


def ones_like(input, *, dtype=None) -> Tensor:
    """Ones in the shape of input."""
    return wrap(np.ones_like(unwrap(input), dtype and np.dtype(dtype)))


def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros in the shape of input."""
    return wrap(np.zeros_like(unwrap(input), dtype and np.dtype(dtype)))


def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """One value in the shape of input, in its dtype unless dtype says otherwise."""
    return full(input.shape, fill_value, dtype=dtype or input.dtype)


def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    """Numbers from start up to, and without, end, step by step."""
    start, end = (0, start) if end is None else (start, end)
    return Tensor(Tensor(np.arange(start, end, step).tolist(), dtype))


def linspace(start, end, steps) -> Tensor:
    """``steps`` numbers from start to end, evenly apart."""
    return wrap(np.linspace(unwrap(start), unwrap(end), steps, dtype=np.float32))


def eye(n, m=None, dtype=None) -> Tensor:
    """The matrix of n rows and m columns (n, if None) with ones on its diagonal."""
    return wrap(np.eye(n, m, dtype=dtype or dtypes.float32))


__all__ = [
    "arange",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]
