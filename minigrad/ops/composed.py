"""Functions of each element that are put together from others, by MindSpore's names."""

import math

import numpy as np

from ..rules import elementwise as rules
from ..rules.elementwise import absolute, isfinite, isnan, log, logaddexp, signbit, trunc, where
from ..rules.shape import cast
from ..rules.special import polygamma as _polygamma
from ..tensor import Tensor, unwrap, wrap
from .elementwise import clamp


def subtract(input, other, *, alpha=1) -> Tensor:
    """input - alpha * other."""
    return rules.subtract(input, other if alpha == 1 else other * alpha)


def addcdiv(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 / tensor2."""
    return input + value * (tensor1 / tensor2)


def addn(x) -> Tensor:
    """The sum of several Tensors."""
    first, *others = x
    for other in others:
        first = first + other
    return first


def copysign(x, other) -> Tensor:
    """The size of x with the sign of other."""
    size = absolute(x)
    return where(signbit(other), -size, size)


def heaviside(input, values) -> Tensor:
    """0 below 0, 1 above, and ``values`` at 0."""
    return where(input == 0, values, cast(input > 0, unwrap(input).dtype))


def frac(x) -> Tensor:
    """What is left of x without its whole part: x - trunc(x)."""
    return x - trunc(x)


def truncate_div(x, y) -> Tensor:
    """x / y, rounded towards zero; integers stay integers."""
    quotient = trunc(rules.divide(x, y))
    whole = all(np.dtype(unwrap(v).dtype).kind in "iu" for v in (x, y) if hasattr(v, "dtype"))
    return cast(quotient, np.result_type(unwrap(x), unwrap(y))) if whole else quotient


def float_power(input, exponent) -> Tensor:
    """input to the power of exponent, in float64."""
    return cast(input, np.dtype(np.float64)) ** exponent


def xdivy(x, y) -> Tensor:
    """x / y, and 0 where x is 0."""
    zero = x == 0
    return where(zero, 0.0, x / where(zero, 1.0, y))


def div_no_nan(x, y) -> Tensor:
    """x / y, and 0 where y is 0."""
    zero = y == 0
    return where(zero, 0.0, x / where(zero, 1.0, y))


def mul_no_nan(x, y) -> Tensor:
    """x * y, and 0 where y is 0, even if x is inf or nan there."""
    return where((y == 0) & ~isfinite(x), 0.0, x) * y


def deg2rad(x) -> Tensor:
    """Degrees as radians."""
    return x * (math.pi / 180)


def rad2deg(x) -> Tensor:
    """Radians as degrees."""
    return x * (180 / math.pi)


def logaddexp2(input, other) -> Tensor:
    """log2(2^input + 2^other), without overflow."""
    return logaddexp(input * _LN2, other * _LN2) / _LN2


_LN2 = math.log(2)


def logit(input, eps=None) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid; ``eps`` keeps x between eps and 1 - eps."""
    x = input if eps is None else clamp(input, eps, 1 - eps)
    return log(x / (1 - x))


def polygamma(n, input) -> Tensor:
    """The derivative of order n of digamma."""
    return _polygamma(input, int(n))


def nan_to_num(input, nan=None, posinf=None, neginf=None) -> Tensor:
    """input with numbers for nan (0), inf (the largest) and -inf (the smallest number)."""
    limits = np.finfo(unwrap(input).dtype)
    out = where(isnan(input), 0.0 if nan is None else nan, input)
    out = where(out == math.inf, float(limits.max) if posinf is None else posinf, out)
    return where(out == -math.inf, float(limits.min) if neginf is None else neginf, out)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    """True where |input - other| is at most atol + rtol |other|."""
    return wrap(np.isclose(unwrap(input), unwrap(other), rtol, atol, equal_nan))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """True if all entries are close; see ``isclose``."""
    return bool(np.allclose(unwrap(input), unwrap(other), rtol, atol, equal_nan))


def approximate_equal(x, y, tolerance=1e-05) -> Tensor:
    """True where |x - y| is below the tolerance."""
    return absolute(x - y) < tolerance


def isposinf(input) -> Tensor:
    """True where input is inf."""
    return input == math.inf


def isneginf(input) -> Tensor:
    """True where input is -inf."""
    return input == -math.inf


def is_floating_point(input) -> bool:
    """True if input holds floats."""
    return unwrap(input).dtype.kind == "f"


def is_tensor(obj) -> bool:
    """True if obj is a Tensor."""
    return isinstance(obj, Tensor)


def positive(input) -> Tensor:
    """Input as it is."""
    return input


def xlogy(input, other) -> Tensor:
    """input * log(other), and 0 where input is 0 and the logarithm is not finite."""
    zero = (input == 0) & (other <= 0)
    return where(zero, 0.0, input * log(where(zero, 1.0, other)))


def lerp(input, end, weight) -> Tensor:
    """The point between input and end that is ``weight`` of the way along."""
    return input + weight * (end - input)


def addcmul(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 * tensor2."""
    return input + value * (tensor1 * tensor2)


def squared_difference(x, y) -> Tensor:
    """(x - y) squared."""
    return rules.square(x - y)


__all__ = [
    "addcdiv", "addcmul", "addn", "allclose", "approximate_equal", "copysign", "deg2rad",
    "float_power", "frac", "heaviside", "is_floating_point", "is_tensor", "isclose", "isneginf",
    "isposinf", "lerp", "logaddexp2", "logit", "nan_to_num", "polygamma", "positive", "rad2deg",
    "squared_difference", "subtract", "truncate_div", "xdivy", "xlogy",
]  # fmt: skip
