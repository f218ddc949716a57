"""Activations, by MindSpore's names: the curves that networks bend values with."""

import math

import numpy as np

from ..batch import answer
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
    softsign,
    tanh,
    where,
)
from ..rules.reduce import axes_of, softmax
from ..rules.shape import cast
from ..rules.special import erf
from ..tensor import Tensor
from .elementwise import clip_by_value


def silu(input) -> Tensor:
    """x sigmoid(x), for x the input.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.silu(Tensor([0.0, 100.0])))
    [  0. 100.]

    Source: Elfwing, Uchibe and Doya, "Sigmoid-weighted linear units", Neural Networks, 2018.
    """
    return input * sigmoid(input)


def gelu(input, approximate="none") -> Tensor:
    """x times the chance that a standard normal number is below x: x (1 + erf(x / √2)) / 2.

    ``approximate="tanh"`` takes x (1 + tanh(√(2 / π) (x + 0.044715 x³))) / 2 instead.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if approximate is neither "none" nor "tanh", TypeError if input is no Tensor.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gelu(Tensor([0.0, 1.0])))  # a normal number is below 1 with a chance of 84.13 %
    [0.        0.8413447]

    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
    """
    if approximate == "none":
        return 0.5 * input * (1 + erf(input * math.sqrt(0.5)))
    if approximate != "tanh":
        raise ValueError(f'gelu: approximate must be "none" or "tanh", but got {approximate!r}')
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * (input * input * input))
    return 0.5 * input * (1 + tanh(inner))


def softplus(input, beta=1, threshold=20) -> Tensor:
    """log(1 + exp(beta x)) / beta without overflow; x itself where beta x is above the threshold.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if beta is 0, TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.softplus(Tensor([0.0, 100.0])))  # log 2, and 100
    [  0.6931472 100.       ]

    Source: Dugas et al., "Incorporating Second-Order Functional Knowledge for Better Option
    Pricing", NIPS, 2000.
    """
    if beta == 0:
        raise ValueError("softplus: beta must not be 0")
    scaled = input * beta
    return where(scaled > threshold, input, rules.softplus(scaled) / beta)


def logsigmoid(x) -> Tensor:
    """log(sigmoid(x)) = -log(1 + exp(-x)), without overflow.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if x is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logsigmoid(Tensor([0.0, -100.0])))  # -log 2, and -100
    [  -0.6931472 -100.       ]

    Source: the definition.
    """
    return -rules.softplus(x * -1.0)  # so, unsigned whole numbers fall below 0 too


def selu(input_x) -> Tensor:
    """1.0507 x above 0 and 1.0507 · 1.6733 (exp(x) - 1) below: a scaled ``elu``.

    With these two numbers, layers of normal numbers keep mean 0 and variance 1.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input_x is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.selu(Tensor([1.0, 0.0, -100.0])))
    [ 1.050701   0.        -1.7580993]

    Source: Klambauer et al., "Self-Normalizing Neural Networks", NIPS, 2017.
    """
    return 1.0507009873554805 * elu(input_x, 1.6732632423543772)


def celu(x, alpha=1.0) -> Tensor:
    """x above 0, alpha (exp(x / alpha) - 1) below, so that the slope at 0 is 1.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if alpha is 0, TypeError if x is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.celu(Tensor([3.0, 0.0, -100.0]), 2.0))
    [ 3.  0. -2.]

    Source: Barron, "Continuously Differentiable Exponential Linear Units", 2017.
    """
    if answer(Tensor(alpha), lambda a: (a == 0).any()):
        raise ValueError("celu: alpha must not be 0")
    return where(x > 0, x, alpha * expm1(where(x > 0, 0, x) / alpha))


def mish(x) -> Tensor:
    """x tanh(softplus(x)).

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if x is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mish(Tensor([0.0, 100.0])))
    [  0. 100.]

    Source: Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019.
    """
    return x * tanh(rules.softplus(x))


def hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor:
    """input, but never outside min_val and max_val.

    The gradient at a bound is a half, outside 0. If the bounds are swapped, max_val wins.
    Shapes: any; the output has the same.
    Dtypes: any; the output has that of input, whole numbers if the bounds are whole too.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hardtanh(Tensor([-3.0, 0.5, 3.0])))
    [-1.   0.5  1. ]

    Source: Collobert et al., "Natural Language Processing (Almost) from Scratch", JMLR, 2011.
    """
    return clip_by_value(input, min_val, max_val)


def hardsigmoid(input) -> Tensor:
    """(x + 3) / 6, but never outside 0 and 1: straight lines near to ``sigmoid``.

    The gradient at a bound is 0.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hardsigmoid(Tensor([-4.0, 0.0, 1.5, 3.0])))
    [0.   0.5  0.75 1.  ]

    Source: Howard et al., "Searching for MobileNetV3", ICCV, 2019.
    """
    return where(absolute(input) >= 3, input > 0, input / 6 + 0.5)  # nan stays nan


def hardswish(input) -> Tensor:
    """x hardsigmoid(x): 0 below -3, x above 3, and x (x + 3) / 6 between.

    The gradient at a bound is that from inside: -1/2 at -3, 3/2 at 3.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hardswish(Tensor([-4.0, 1.0, 4.0])))
    [-0.         0.6666667  4.       ]

    Source: Howard et al., "Searching for MobileNetV3", ICCV, 2019.
    """
    x = rules.clip(input, -3, 3)  # -inf counts as -3, whose answer is 0 too
    return where(input > 3, input, x * (x / 6 + 0.5))


def prelu(input, weight) -> Tensor:
    """x where it is above 0, weight x elsewhere; the weight is learned.

    Shapes: any; weight has one number, or one for each channel (axis 1). Out: that of input.
    Dtypes: floats; the wider of the two comes out. Whole numbers become those of weight.
    Raises ValueError if weight has another shape.

    >>> from minigrad import Tensor, ops
    >>> print(ops.prelu(Tensor([[2.0, -2.0], [-4.0, 4.0]]), Tensor([0.5, 0.25])))
    [[ 2.  -0.5]
     [-2.   4. ]]

    Source: He et al., "Delving Deep into Rectifiers", ICCV, 2015.
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.size not in (1, channels) or weight.ndim > 1:
        raise ValueError(
            f"prelu: weight must have 1 number, or one for each of the {channels} channels (axis "
            f"1) of input {input.shape}, but has shape {weight.shape}"
        )
    if weight.size > 1:
        weight = weight.reshape((-1, *[1] * (input.ndim - 2)))
    return where(input > 0, input, weight * input)


def hardshrink(input, lambd=0.5) -> Tensor:
    """x where |x| is above lambd, 0 elsewhere.

    The gradient is 1 where x is kept, 0 elsewhere and at the bounds.
    Shapes: any; the output has the same.
    Dtypes: floats and whole numbers keep theirs.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hardshrink(Tensor([-2.0, 0.25, 0.5, 1.0])))
    [-2.  0.  0.  1.]

    Source: Donoho and Johnstone, "Ideal spatial adaptation by wavelet shrinkage", Biometrika,
    1994.
    """
    return where(absolute(input) > lambd, input, 0)


def softshrink(input, lambd=0.5) -> Tensor:
    """x moved towards 0 by lambd, and 0 where |x| is at most lambd.

    The gradient is 1 where |x| is above lambd, 0 elsewhere and at the bounds.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.softshrink(Tensor([-2.0, 0.25, 0.5, 1.0])))
    [-1.5  0.   0.   0.5]

    Source: Donoho and Johnstone, "Ideal spatial adaptation by wavelet shrinkage", Biometrika,
    1994.
    """
    far = absolute(input) > lambd
    return where(far, input - lambd * sign(input), 0)


soft_shrink = softshrink


def tanhshrink(input) -> Tensor:
    """x - tanh(x).

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.tanhshrink(Tensor([0.0, 100.0])))
    [ 0. 99.]

    Source: the definition.
    """
    return input - tanh(input)


def threshold(input, thr, value) -> Tensor:
    """x where it is above ``thr``, ``value`` elsewhere.

    The gradient is 1 where x is kept, 0 elsewhere and at ``thr``.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers do if ``value`` is whole, and else become float32.
    Raises TypeError if input is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.threshold(Tensor([-1.0, 0.5, 2.0]), 0.5, 9.0))
    [9. 9. 2.]

    Source: the definition.
    """
    return where(input > thr, input, value)


def softmin(x, axis=-1, *, dtype=None) -> Tensor:
    """exp(-x) / sum of exp(-x) along an axis: shares that add up to 1, the least entry's largest.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32; or ``dtype``, to which x is cast.
    Raises IndexError if x has no such axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.softmin(Tensor([5.0, 5.0, 500.0])))
    [0.5 0.5 0. ]

    Source: Bridle, "Probabilistic Interpretation of Feedforward Classification Network Outputs",
    1990, for -x.
    """
    x = x if dtype is None else cast(x, np.dtype(dtype))
    return softmax(x * -1.0, axis)  # so, unsigned whole numbers fall below 0 too


def glu(x, axis=-1) -> Tensor:
    """The first half of x along an axis, times the sigmoid of the second.

    Shapes: any; the output is half as long along the axis.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if that length is odd or x has no axis, IndexError if x has not this axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.glu(Tensor([3.0, 4.0, 100.0, 0.0])))
    [3. 2.]

    Source: Dauphin et al., "Language Modeling with Gated Convolutional Networks", ICML, 2017.
    """
    first, second = _halves("glu", x, axis)
    return first * sigmoid(second)


def swiglu(input, dim=-1) -> Tensor:
    """The ``silu`` of the first half of x along an axis, times the second.

    Shapes: any; the output is half as long along the axis.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if that length is odd or x has no axis, IndexError if x has not this axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.swiglu(Tensor([100.0, 0.0, 2.0, 3.0])))
    [200.   0.]

    Source: Shazeer, "GLU Variants Improve Transformer", 2020.
    """
    first, second = _halves("swiglu", input, dim)
    return silu(first) * second


def _halves(name, x, axis):
    if not x.ndim:
        raise ValueError(f"{name}: input must have an axis to halve, but has shape ()")
    (axis,) = axes_of(axis, x.ndim)
    n = x.shape[axis]
    if n % 2:
        raise ValueError(f"{name}: axis {axis} of shape {x.shape} has an odd length")
    before = (slice(None),) * axis
    return x[(*before, slice(n // 2))], x[(*before, slice(n // 2, n))]


def fast_gelu(x) -> Tensor:
    """x sigmoid(1.702 x), near to ``gelu``.

    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises TypeError if x is not a Tensor or a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fast_gelu(Tensor([0.0, 100.0])))
    [  0. 100.]

    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
    """
    return x * sigmoid(1.702 * x)


__all__ = [
    "celu", "elu", "fast_gelu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "leaky_relu", "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "sigmoid",
    "silu", "soft_shrink", "softmin", "softplus", "softshrink", "softsign", "swiglu",
    "tanhshrink", "threshold",
]  # fmt: skip
