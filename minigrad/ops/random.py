"""Random Tensors, by MindSpore's names.

All draw from the generator that ``minigrad.set_seed`` starts anew; ``seed`` gives a call one of its
own. The numbers are numpy's, not MindSpore's. Where the law has parameters, gradients flow to them
if a draw is a formula in them (``normal``, ``uniform``, ``laplace``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..batch import answer
from ..random import generator
from ..rules.elementwise import absolute as _size_of
from ..rules.elementwise import log1p, sign
from ..rules.reduce import softmax
from ..rules.shape import cast
from ..samples import for_each_sample, refuse_samples
from ..tensor import Tensor, as_array, unwrap, wrap
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
    """Numbers from 0 up to, and without, 1, all alike likely.

    Shapes: the lengths, or a tuple of them, to that shape.
    Dtypes: float32, or a float type given as ``dtype``.
    Raises ValueError if dtype is no float type or a length is negative, TypeError if there is none.

    >>> from minigrad import ops
    >>> x = ops.rand(2, 3)
    >>> x.shape, bool(((x >= 0) & (x < 1)).all())
    ((2, 3), True)

    Source: numpy.random.Generator.random.
    """
    kind = _float(dtype)
    below_one = np.nextafter(kind.type(1), kind.type(0))  # what rounds up to 1 stays below it
    return wrap(np.minimum(as_array(_source(seed).random(_sizes(size)), kind), below_one))


def randn(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from the normal law with mean 0 and variance 1.

    Shapes: the lengths, or a tuple of them, to that shape.
    Dtypes: float32, or a float type given as ``dtype``.
    Raises ValueError if dtype is no float type or a length is negative, TypeError if there is none.

    >>> from minigrad import ops
    >>> x = ops.randn((10000,), seed=1)
    >>> x.shape, abs(x.mean().item()) < 0.05, abs(x.std().item() - 1) < 0.05
    ((10000,), True, True)

    Source: numpy.random.Generator.standard_normal.
    """
    return wrap(as_array(_source(seed).standard_normal(_sizes(size)), _float(dtype)))


def randint(low, high, size, seed=None, *, dtype=None) -> Tensor:
    """Whole numbers from low up to, and without, high, all alike likely.

    Shapes: the size (a number or a tuple), to that shape.
    Dtypes: int64, or ``dtype``.
    Raises ValueError if low is not below high, TypeError if one is not whole.

    >>> from minigrad import ops
    >>> print(ops.randint(3, 4, (2,)))
    [3 3]

    Source: numpy.random.Generator.integers.
    """
    if not all(isinstance(n, int | np.integer) for n in (low, high)):
        raise TypeError(f"randint: low and high must be whole numbers, not {low!r} and {high!r}")
    if low >= high:
        raise ValueError(f"randint: low must be below high, but they are {low} and {high}")
    return wrap(as_array(_source(seed).integers(low, high, shape_of(size)), dtype or np.int64))


def rand_like(input, seed=None, *, dtype=None) -> Tensor:
    """Numbers from 0 up to, and without, 1, in the shape and dtype of input.

    Shapes: any; the output has the same.
    Dtypes: floats, kept, or ``dtype``.
    Raises ValueError if the dtype is no float type.

    >>> from minigrad import ops
    >>> x = ops.rand_like(ops.ones((2, 3)))
    >>> x.shape, bool(((x >= 0) & (x < 1)).all())
    ((2, 3), True)

    Source: numpy.random.Generator.random.
    """
    return rand(input.shape, dtype=dtype or unwrap(input).dtype, seed=seed)


def randn_like(input, seed=None, *, dtype=None) -> Tensor:
    """Numbers from the normal law with mean 0 and variance 1, in the shape and dtype of input.

    Shapes: any; the output has the same.
    Dtypes: floats, kept, or ``dtype``.
    Raises ValueError if the dtype is no float type.

    >>> from minigrad import ops
    >>> ops.randn_like(ops.ones((2, 3))).shape
    (2, 3)

    Source: numpy.random.Generator.standard_normal.
    """
    return randn(input.shape, dtype=dtype or unwrap(input).dtype, seed=seed)


def randint_like(input, low, high, seed=None, *, dtype=None) -> Tensor:
    """Whole numbers from low up to, and without, high, in the shape and dtype of input.

    Shapes: any; the output has the same.
    Dtypes: integers, kept, or ``dtype``.
    Raises ValueError if the dtype is no integer type or low is not below high, TypeError if one is
    not whole.

    >>> from minigrad import Tensor, ops
    >>> print(ops.randint_like(Tensor([7, 8]), 3, 4))
    [3 3]

    Source: numpy.random.Generator.integers.
    """
    kind = np.dtype(dtype or unwrap(input).dtype)
    if kind.kind not in "iu":
        raise ValueError(f"randint_like: dtype must be an integer type, but is {kind}")
    return randint(low, high, input.shape, seed, dtype=kind)


def randperm(n, seed=0, offset=0, dtype=np.int64) -> Tensor:
    """The numbers 0 to n - 1 in random order.

    ``seed`` 0 takes the generator of ``set_seed``; ``offset`` changes nothing.
    Shapes: n, to (n,).
    Dtypes: int64, or ``dtype``.
    Raises ValueError if n is negative.

    >>> from minigrad import ops
    >>> print(ops.sort(ops.randperm(4))[0])
    [0 1 2 3]

    Source: numpy.random.Generator.permutation.
    """
    if n < 0:
        raise ValueError(f"randperm: n must be 0 or more, but got {n}")
    return wrap(_source(seed or None).permutation(n).astype(np.dtype(dtype)))


def standard_normal(shape, seed=None) -> Tensor:
    """Numbers from the normal law with mean 0 and variance 1: ``randn`` with its shape as a tuple.

    Shapes: the shape, to that shape.
    Dtypes: float32.
    Raises ValueError if a length is negative, TypeError if the shape is none.

    >>> from minigrad import ops
    >>> ops.standard_normal((2, 3)).shape
    (2, 3)

    Source: numpy.random.Generator.standard_normal.
    """
    return randn(shape_of(shape), seed=seed)


def _refuse(name, *parameters):
    message = "numbers are drawn once, from one law for all samples; draw others outside"
    refuse_samples(name, message, *parameters)


def _law(draw, shape, *parameters) -> Tensor:
    """Draws in ``shape``, which is stretched by the parameters' shapes."""
    full = np.broadcast_shapes(shape_of(shape), *(as_array(p).shape for p in parameters))
    return wrap(as_array(draw(full), np.float32))


def normal(shape, mean, stddev, seed=None) -> Tensor:
    """mean + stddev z, for numbers z from the standard normal law.

    Gradients flow to mean and stddev. A negative stddev mirrors the numbers.
    Shapes: the shape and those of the parameters, to what they broadcast to.
    Dtypes: float32, or that of parameters that are wider.
    Raises ValueError if the parameters do not broadcast with shape.

    >>> from minigrad import ops
    >>> print(ops.normal((2,), 5.0, 0.0))
    [5. 5.]

    Source: numpy.random.Generator.standard_normal.
    """
    return mean + stddev * _law(_source(seed).standard_normal, shape, mean, stddev)


def uniform(shape, minval, maxval, seed=None, dtype=np.float32) -> Tensor:
    """Numbers from minval up to maxval, all alike likely; whole ones for an integer dtype.

    Gradients flow to minval and maxval, not for whole numbers.
    Shapes: the shape and those of the parameters, to what they broadcast to.
    Dtypes: float32, or that of parameters that are wider, or an integer ``dtype``.
    Raises ValueError if the parameters do not broadcast with shape, or bounds of whole numbers are
    not in order; TypeError for another dtype.

    >>> from minigrad import ops
    >>> import minigrad
    >>> print(ops.uniform((2,), 3, 4, dtype=minigrad.int32))
    [3 3]

    Source: numpy.random.Generator.random and integers.
    """
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        _refuse("uniform", minval, maxval)
        low, high = (np.asarray(unwrap(v)) for v in (minval, maxval))
        if (low >= high).any():
            raise ValueError("uniform: minval must be below maxval")
        full = np.broadcast_shapes(shape_of(shape), low.shape, high.shape)
        return wrap(as_array(_source(seed).integers(low, high, full), kind))
    if kind != np.float32:
        raise TypeError(f"uniform: dtype must be float32 or an integer type, but got {kind}")
    return minval + (maxval - minval) * _law(_source(seed).random, shape, minval, maxval)


def laplace(shape, mean, lambda_param, seed=None) -> Tensor:
    """mean + lambda_param z, for numbers z with density exp(-|z|) / 2.

    Gradients flow to mean and lambda_param.
    Shapes: the shape and those of the parameters, to what they broadcast to.
    Dtypes: float32, or that of parameters that are wider.
    Raises ValueError if the parameters do not broadcast with shape.

    >>> from minigrad import ops
    >>> print(ops.laplace((2,), 5.0, 0.0))
    [5. 5.]

    Source: Devroye, "Non-Uniform Random Variate Generation", 1986: the inverse of the distribution.
    """
    middle = _law(_source(seed).random, shape, mean, lambda_param) - 0.5
    return mean - lambda_param * sign(middle) * log1p(-2 * _size_of(middle) * 0.9999999)


def standard_laplace(shape, seed=None) -> Tensor:
    """Numbers with density exp(-|z|) / 2.

    Shapes: the shape, to that shape.
    Dtypes: float32.
    Raises ValueError if a length is negative, TypeError if the shape is none.

    >>> from minigrad import ops
    >>> ops.standard_laplace((2, 3)).shape
    (2, 3)

    Source: Devroye, "Non-Uniform Random Variate Generation", 1986: the inverse of the distribution.
    """
    return laplace(shape, 0.0, 1.0, seed)


def gamma(shape, alpha, beta, seed=None) -> Tensor:
    """Numbers from the gamma law of shape alpha and rate beta: with mean alpha / beta.

    No gradient flows.
    Shapes: the shape, and behind it what alpha and beta broadcast to.
    Dtypes: float32.
    Raises ValueError if alpha or beta is not above 0, or they do not broadcast.

    >>> from minigrad import Tensor, ops
    >>> x = ops.gamma((1000,), Tensor([4.0]), Tensor([2.0]), seed=1)
    >>> x.shape, abs(x.mean().item() - 2) < 0.2
    ((1000, 1), True)

    Source: numpy.random.Generator.gamma.
    """
    _refuse("gamma", alpha, beta)
    a, b = np.asarray(unwrap(alpha)), np.asarray(unwrap(beta))
    if not ((a > 0).all() and (b > 0).all()):
        raise ValueError("gamma: alpha and beta must be above 0")
    full = shape_of(shape) + np.broadcast_shapes(a.shape, b.shape)
    return wrap(as_array(_source(seed).gamma(a, 1 / b, full), np.float32))


def poisson(shape, mean, seed=None) -> Tensor:
    """Counts from the Poisson law of this mean.

    No gradient flows.
    Shapes: the shape, and behind it that of mean.
    Dtypes: float32.
    Raises ValueError if mean is negative.

    >>> from minigrad import Tensor, ops
    >>> print(ops.poisson((2,), Tensor([0.0])))
    [[0.]
     [0.]]

    Source: numpy.random.Generator.poisson.
    """
    _refuse("poisson", mean)
    rate = np.asarray(unwrap(mean))
    if not (rate >= 0).all():
        raise ValueError("poisson: mean must be 0 or more")
    return wrap(as_array(_source(seed).poisson(rate, shape_of(shape) + rate.shape), np.float32))


def bernoulli(input, p=0.5, seed=None) -> Tensor:
    """1 with chance p, else 0.

    No gradient flows.
    Shapes: input's, with which p broadcasts; the output has input's.
    Dtypes: any, kept.
    Raises ValueError if p is not from 0 to 1, or does not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.bernoulli(Tensor([5.0, 5.0]), Tensor([0.0, 1.0])))
    [0. 1.]

    Source: numpy.random.Generator.random.
    """
    p = Tensor(p)
    if answer(p, lambda chance: ((chance < 0) | (chance > 1)).any()):
        raise ValueError("bernoulli: p must be from 0 to 1")
    return cast(wrap(_source(seed).random(input.shape)) < p, unwrap(input).dtype)


def multinomial(input, num_samples, replacement=True, seed=None) -> Tensor:
    """Places in the last axis of input, drawn with chances in proportion to the entries.

    Shapes: (..., n) to (..., num_samples).
    Dtypes: any numbers; the output is int32.
    Raises ValueError if an entry is negative or not finite, all are 0, or there are too few above 0
    to draw from without replacement.

    >>> from minigrad import Tensor, ops
    >>> print(ops.multinomial(Tensor([0.0, 1.0, 0.0]), 3))
    [1 1 1]

    Source: numpy.random.Generator.choice.
    """
    _refuse("multinomial", input)
    x = np.asarray(unwrap(input), np.float64)
    if not x.ndim or not np.isfinite(x).all():
        raise ValueError("multinomial: input must have an axis of finite numbers to choose from")
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if (rows < 0).any() or (rows.sum(1) <= 0).any():
        raise ValueError("multinomial: input must be 0 or more, and not all 0")
    if not replacement and (np.count_nonzero(rows, 1) < num_samples).any():
        raise ValueError(
            f"multinomial: there are too few entries above 0 to draw {num_samples} without "
            "replacement"
        )
    source = _source(seed)
    draws = [
        source.choice(row.size, num_samples, bool(replacement), row / row.sum()) for row in rows
    ]
    return wrap(np.reshape(draws, (*x.shape[:-1], num_samples)).astype(np.int32))


def shuffle(x, seed=None) -> Tensor:
    """x with its entries along axis 0 in random order; gradients go back to where they came from.

    Shapes: any; the output has the same.
    Dtypes: any, kept.
    Raises AttributeError if x is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.sort(ops.shuffle(Tensor([1.0, 2.0, 3.0])))[0])
    [1. 2. 3.]

    Source: numpy.random.Generator.permutation.
    """
    return x[_source(seed).permutation(x.shape[0])] if x.ndim else x


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1) -> Tensor:
    """A soft choice along an axis: softmax((logits + Gumbel noise) / tau).

    ``hard`` makes it 1 at the largest and 0 elsewhere, with the gradient of the soft one.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if tau is not above 0, IndexError if there is no such axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gumbel_softmax(Tensor([0.0, 1000.0]), hard=True))
    [0. 1.]

    Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax", ICLR, 2017.
    """
    if tau <= 0:
        raise ValueError(f"gumbel_softmax: tau must be above 0, but got {tau}")
    noise = generator().gumbel(size=logits.shape).astype(unwrap(logits).dtype)
    soft = softmax((logits + wrap(noise)) / tau, dim)
    if not hard:
        return soft

    def to_hard(values):
        best = np.expand_dims(np.argmax(values, dim), dim)
        choice = np.zeros_like(values)
        np.put_along_axis(choice, best, 1, dim)
        return choice - values

    return soft + wrap(for_each_sample("gumbel_softmax", to_hard, soft))


__all__ = [
    "bernoulli", "gamma", "gumbel_softmax", "laplace", "multinomial", "normal", "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "shuffle",
    "standard_laplace", "standard_normal", "uniform",
]  # fmt: skip
