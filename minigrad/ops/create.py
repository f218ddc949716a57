"""Functions that make Tensors from nothing, by MindSpore's names."""

import numpy as np

from .. import dtype as dtypes
from ..tensor import Tensor, unwrap, wrap


def shape_of(size) -> tuple[int, ...]:
    """A shape, given as a number, a tuple or list, or a Tensor of numbers."""
    if isinstance(size, str | float):
        raise TypeError(f"a shape is a whole number or a tuple of them, but got {size!r}")
    return (int(size),) if isinstance(size, int | np.integer) else tuple(map(int, unwrap(size)))


def ones(shape, dtype=None) -> Tensor:
    """A Tensor full of ones, float32 unless dtype says otherwise."""
    return wrap(np.ones(shape_of(shape), dtype or dtypes.float32))


def zeros(size, dtype=None) -> Tensor:
    """A Tensor full of zeros, float32 unless dtype says otherwise."""
    return wrap(np.zeros(shape_of(size), dtype or dtypes.float32))


def full(size, fill_value, *, dtype=None) -> Tensor:
    """A Tensor full of one value, in the value's dtype unless dtype says otherwise."""
    value = Tensor(fill_value, dtype)
    return wrap(np.full(shape_of(size), value.array, value.array.dtype))


def ones_like(input, *, dtype=None) -> Tensor:
    """Ones in the shape of input."""
    return wrap(np.ones(input.shape, (dtype and np.dtype(dtype)) or unwrap(input).dtype))


def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros in the shape of input."""
    return wrap(np.zeros(input.shape, (dtype and np.dtype(dtype)) or unwrap(input).dtype))


def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """One value in the shape of input, in its dtype unless dtype says otherwise."""
    return full(input.shape, fill_value, dtype=dtype or input.dtype)


def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    """Numbers from start up to, and without, end, step by step."""
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise ValueError("arange: step must not be 0")
    return Tensor(Tensor(np.arange(start, end, step).tolist(), dtype))


def linspace(start, end, steps) -> Tensor:
    """``steps`` numbers from start to end, evenly apart."""
    return wrap(np.linspace(unwrap(start), unwrap(end), steps, dtype=np.float32))


def range(start, end, step, maxlen=1000000) -> Tensor:
    """Numbers from start up to, and without, end, step by step."""
    first, last, by = (np.asarray(unwrap(v)).item() for v in (start, end, step))
    return arange(first, last, by)


def logspace(start, end, steps, base=10, *, dtype=dtypes.float32) -> Tensor:
    """``base`` to the powers of ``steps`` numbers from start to end, evenly apart."""
    return wrap(np.logspace(unwrap(start), unwrap(end), steps, base=base, dtype=np.dtype(dtype)))


def fill(type, shape, value) -> Tensor:
    """A Tensor of this dtype and shape, full of one value."""
    return wrap(np.full(shape_of(shape), unwrap(value), np.dtype(type)))


def fills(x, value) -> Tensor:
    """One value in the shape and dtype of x."""
    return full_like(x, value)


def scalar_to_tensor(input_x, dtype=dtypes.float32) -> Tensor:
    """A number as a Tensor without axes."""
    return Tensor(input_x, dtype)


def eye(n, m=None, dtype=None) -> Tensor:
    """The matrix of n rows and m columns (n, if None) with ones on its diagonal."""
    return wrap(np.eye(n, m, dtype=dtype or dtypes.float32))


__all__ = [
    "arange",
    "eye",
    "fill",
    "fills",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "range",
    "scalar_to_tensor",
    "zeros",
    "zeros_like",
]
