"""Activations, by MindSpore's names: the curves that networks bend values with."""

import math

import numpy as np

from ..rules import elementwise as rules
from ..rules.elementwise import (
    absolute,
    elu,
    expm1,
    leaky_relu,
    relu,
    relu6,
    sigmoid,
    sign,
    tanh,
    where,
)
from ..rules.reduce import axes_of, softmax
from ..rules.shape import cast
from ..rules.special import erf
from ..tensor import Tensor
from .elementwise import clip_by_value


def silu(input) -> Tensor:
    """x sigmoid(x)."""
    return input * sigmoid(input)


def gelu(input, approximate="none") -> Tensor:
    """x times the chance that a normal number is below x; "tanh" approximates that chance."""
    if approximate == "none":
        return 0.5 * input * (1 + erf(input * math.sqrt(0.5)))
    if approximate != "tanh":
        raise ValueError(f'gelu: approximate must be "none" or "tanh", but got {approximate!r}')
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * (input * input * input))
    return 0.5 * input * (1 + tanh(inner))


def softplus(input, beta=1, threshold=20) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold."""
    scaled = input * beta
    return where(scaled > threshold, input, rules.softplus(scaled) / beta)


def logsigmoid(x) -> Tensor:
    """log(sigmoid(x))."""
    return -rules.softplus(-x)


def selu(input_x) -> Tensor:
    """The scaled exponential linear unit of Klambauer et al. (2017)."""
    return 1.0507009873554805 * elu(input_x, 1.6732632423543772)


def celu(x, alpha=1.0) -> Tensor:
    """x above 0, alpha (exp(x / alpha) - 1) below."""
    return where(x > 0, x, alpha * expm1(where(x > 0, 0, x) / alpha))


def mish(x) -> Tensor:
    """x tanh(softplus(x))."""
    return x * tanh(rules.softplus(x))


def softsign(x) -> Tensor:
    """x / (1 + |x|)."""
    return x / (1 + absolute(x))


def hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor:
    """input, but never outside the two bounds. The gradient at a bound is a half."""
    return clip_by_value(input, min_val, max_val)


def hardsigmoid(input) -> Tensor:
    """(x + 3) / 6, but never outside 0 and 1. The gradient at a bound is 0."""
    return where(absolute(input) >= 3, input > 0, input / 6 + 0.5)  # nan stays nan


def hardswish(input) -> Tensor:
    """x hardsigmoid(x). The gradient at a bound is that from inside."""
    x = rules.clip(input, -3, None)  # -inf counts as -3, whose answer is 0 too
    return x * (rules.clip(x, None, 3) / 6 + 0.5)


def prelu(input, weight) -> Tensor:
    """input above 0, weight * input below; one weight for each channel (axis 1), or one for all."""
    if weight.size > 1 and input.ndim > 1:
        weight = weight.reshape((-1, *[1] * (input.ndim - 2)))
    return where(input > 0, input, weight * input)


def hardshrink(input, lambd=0.5) -> Tensor:
    """x where |x| is above lambd, 0 elsewhere."""
    return where(absolute(input) > lambd, input, 0)


def softshrink(input, lambd=0.5) -> Tensor:
    """x moved towards 0 by lambd, and 0 where |x| is at most lambd."""
    far = absolute(input) > lambd
    return where(far, input - lambd * sign(input), 0)


soft_shrink = softshrink


def tanhshrink(input) -> Tensor:
    """x - tanh(x)."""
    return input - tanh(input)


def threshold(input, thr, value) -> Tensor:
    """x where it is above ``thr``, ``value`` elsewhere."""
    return where(input > thr, input, value)


def softmin(x, axis=-1, *, dtype=None) -> Tensor:
    """exp(-x) / sum(exp(-x)) along an axis."""
    return softmax(-(x if dtype is None else cast(x, np.dtype(dtype))), axis)


def glu(x, axis=-1) -> Tensor:
    """The first half of x along an axis, times the sigmoid of the second."""
    first, second = _halves("glu", x, axis)
    return first * sigmoid(second)


def swiglu(input, dim=-1) -> Tensor:
    """The silu of the first half of x along an axis, times the second."""
    first, second = _halves("swiglu", input, dim)
    return silu(first) * second


def _halves(name, x, axis):
    (axis,) = axes_of(axis, x.ndim)
    n = x.shape[axis]
    if n % 2:
        raise ValueError(f"{name}: axis {axis} of shape {x.shape} has an odd length")
    before = (slice(None),) * axis
    return x[(*before, slice(n // 2))], x[(*before, slice(n // 2, n))]


def fast_gelu(x) -> Tensor:
    """x sigmoid(1.702 x), near to gelu."""
    return x * sigmoid(1.702 * x)


__all__ = [
    "celu", "elu", "fast_gelu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "leaky_relu", "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "sigmoid",
    "silu", "soft_shrink", "softmin", "softplus", "softshrink", "softsign", "swiglu",
    "tanhshrink", "threshold",
]  # fmt: skip
