"""Random Tensors, by MindSpore's names.

All draw from the generator that ``minigrad.set_seed`` starts anew; ``seed`` gives a call one of its
own. The numbers are numpy's, not MindSpore's. Where the law has parameters, gradients flow to them
if a draw is a formula in them (``normal``, ``uniform``, ``laplace``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..random import generator
from ..rules.elementwise import absolute as _size_of
from ..rules.elementwise import log1p, sign
from ..rules.reduce import softmax
from ..tensor import Tensor, unwrap, wrap
from .create import shape_of

_FLOAT32 = np.dtype(np.float32)


def _source(seed: int | None) -> np.random.Generator:
    return generator() if seed is None or seed < 0 else np.random.default_rng(seed)


def _sizes(size: tuple) -> tuple[int, ...]:
    """rand(2, 3) and rand((2, 3)) mean the same."""
    return shape_of(size[0]) if len(size) == 1 else tuple(map(int, size))


def _float(dtype: Any, default: Any = _FLOAT32) -> np.dtype:
    kind = np.dtype(default if dtype is None else dtype)
    if kind.kind != "f":
        raise ValueError(f"dtype must be a float type, but got {kind}")
    return kind


def rand(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from 0 to 1, all alike likely."""
    return wrap(np.asarray(_source(seed).random(_sizes(size)), _float(dtype)))


def randn(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from the normal law with mean 0 and variance 1."""
    return wrap(np.asarray(_source(seed).standard_normal(_sizes(size)), _float(dtype)))


def randint(low, high, size, seed=None, *, dtype=None) -> Tensor:
    """Whole numbers from low up to, and without, high (int64)."""
    if low >= high:
        raise ValueError(f"randint: low must be below high, but they are {low} and {high}")
    return wrap(np.asarray(_source(seed).integers(low, high, shape_of(size)), dtype or np.int64))


def rand_like(input, seed=None, *, dtype=None) -> Tensor:
    """``rand`` in the shape and dtype of input."""
    return rand(input.shape, dtype=dtype or unwrap(input).dtype, seed=seed)


def randn_like(input, seed=None, *, dtype=None) -> Tensor:
    """``randn`` in the shape and dtype of input."""
    return randn(input.shape, dtype=dtype or unwrap(input).dtype, seed=seed)


def randint_like(input, low, high, seed=None, *, dtype=None) -> Tensor:
    """``randint`` in the shape of input, and in its dtype unless dtype says otherwise."""
    kind = np.dtype(dtype or unwrap(input).dtype)
    if kind.kind not in "iu":
        raise ValueError(f"randint_like: dtype must be an integer type, but is {kind}")
    return randint(low, high, input.shape, seed, dtype=kind)


def randperm(n, seed=0, offset=0, dtype=np.int64) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    return wrap(_source(seed or None).permutation(n).astype(np.dtype(dtype)))


def standard_normal(shape, seed=None) -> Tensor:
    """``randn`` with its shape as a tuple."""
    return randn(shape_of(shape), seed=seed)


def _law(draw, shape, *parameters) -> Tensor:
    """Draws in ``shape``, which is stretched by the parameters' shapes."""
    full = np.broadcast_shapes(shape_of(shape), *(np.shape(unwrap(p)) for p in parameters))
    return wrap(np.asarray(draw(full), np.float32))


def normal(shape, mean, stddev, seed=None) -> Tensor:
    """Numbers from the normal law; mean and stddev broadcast with shape."""
    return mean + stddev * _law(_source(seed).standard_normal, shape, mean, stddev)


def uniform(shape, minval, maxval, seed=None, dtype=np.float32) -> Tensor:
    """Numbers from minval to maxval, all alike likely; whole ones for an integer dtype."""
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        low, high = (np.asarray(unwrap(v)) for v in (minval, maxval))
        full = np.broadcast_shapes(shape_of(shape), low.shape, high.shape)
        return wrap(np.asarray(_source(seed).integers(low, high, full), kind))
    return minval + (maxval - minval) * _law(_source(seed).random, shape, minval, maxval)


def laplace(shape, mean, lambda_param, seed=None) -> Tensor:
    """Numbers from Laplace's law around mean, of scale lambda_param."""
    middle = _law(_source(seed).random, shape, mean, lambda_param) - 0.5
    return mean - lambda_param * sign(middle) * log1p(-2 * _size_of(middle) * 0.9999999)


def standard_laplace(shape, seed=None) -> Tensor:
    """Numbers from Laplace's law around 0, of scale 1."""
    return laplace(shape, 0.0, 1.0, seed)


def gamma(shape, alpha, beta, seed=None) -> Tensor:
    """Numbers from the gamma law of shape alpha and rate beta. No gradient flows."""
    a, b = np.asarray(unwrap(alpha)), np.asarray(unwrap(beta))
    full = shape_of(shape) + np.broadcast_shapes(a.shape, b.shape)
    return wrap(np.asarray(_source(seed).gamma(a, 1 / b, full), np.float32))


def poisson(shape, mean, seed=None) -> Tensor:
    """Counts (float32) from the Poisson law; the output has shape ``shape`` + that of mean."""
    rate = np.asarray(unwrap(mean))
    return wrap(np.asarray(_source(seed).poisson(rate, shape_of(shape) + rate.shape), np.float32))


def bernoulli(input, p=0.5, seed=None) -> Tensor:
    """1 with chance p, else 0, in the shape and dtype of input."""
    chance = np.asarray(unwrap(p))
    if ((chance < 0) | (chance > 1)).any():
        raise ValueError("bernoulli: p must be from 0 to 1")
    return wrap((_source(seed).random(input.shape) < chance).astype(unwrap(input).dtype))


def multinomial(input, num_samples, replacement=True, seed=None) -> Tensor:
    """Places (int32) in the last axis of input, drawn with chances in proportion to the entries.

    Raises ValueError if there are too few entries above 0 to draw from without replacement.
    """
    x = np.asarray(unwrap(input), np.float64)
    rows = x.reshape(-1, x.shape[-1])
    if (rows < 0).any() or (rows.sum(1) <= 0).any():
        raise ValueError("multinomial: input must be 0 or more, and not all 0")
    source = _source(seed)
    draws = [
        source.choice(row.size, num_samples, bool(replacement), row / row.sum()) for row in rows
    ]
    return wrap(np.reshape(draws, (*x.shape[:-1], num_samples)).astype(np.int32))


def shuffle(x, seed=None) -> Tensor:
    """x with its entries along axis 0 in random order."""
    return x[_source(seed).permutation(x.shape[0])]


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1) -> Tensor:
    """A soft choice along an axis: softmax((logits + Gumbel noise) / tau).

    ``hard`` makes it 1 at the largest and 0 elsewhere, with the gradient of the soft one.
    (Jang, Gu and Poole, 2016.)
    """
    noise = generator().gumbel(size=logits.shape).astype(unwrap(logits).dtype)
    soft = softmax((logits + wrap(noise)) / tau, dim)
    if not hard:
        return soft
    values = unwrap(soft)
    best = np.expand_dims(np.argmax(values, dim), dim)
    choice = np.zeros_like(values)
    np.put_along_axis(choice, best, 1, dim)
    return soft + wrap(choice - values)


__all__ = [
    "bernoulli", "gamma", "gumbel_softmax", "laplace", "multinomial", "normal", "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "shuffle",
    "standard_laplace", "standard_normal", "uniform",
]  # fmt: skip
