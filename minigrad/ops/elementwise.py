"""Functions that compute each element from the elements at the same place, by MindSpore's names."""

import math

from ..rules import elementwise as rules
from ..rules.elementwise import (
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    cos,
    cosh,
    elu,
    equal,
    erf,
    erfc,
    exp,
    expm1,
    floor,
    greater,
    greater_equal,
    hypot,
    isfinite,
    isinf,
    isnan,
    leaky_relu,
    less,
    less_equal,
    log,
    log1p,
    log2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    not_equal,
    reciprocal,
    relu,
    relu6,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    where,
)
from ..tensor import Tensor

abs = absolute = rules.absolute
acos = arccos = rules.arccos
acosh = arccosh = rules.arccosh
asin = arcsin = rules.arcsin
asinh = arcsinh = rules.arcsinh
atan = arctan = rules.arctan
atan2 = arctan2 = rules.arctan2
atanh = arctanh = rules.arctanh
floor_div = rules.floor_divide
gt, ge, lt, le, eq, ne = greater, greater_equal, less, less_equal, equal, not_equal
mul = multiply = rules.multiply
neg = negative = rules.negative
pow = tensor_pow = rules.power
sub = subtract = rules.subtract
tensor_add, tensor_mul, tensor_sub = add, mul, sub


def div(input, other, *, rounding_mode=None) -> Tensor:
    """input / other, rounded down ("floor") or towards zero ("trunc") on request."""
    if rounding_mode is None:
        return rules.divide(input, other)
    if rounding_mode == "floor":
        return rules.floor_divide(input, other)
    if rounding_mode == "trunc":
        quotient = rules.divide(input, other)
        return sign(quotient) * floor(abs(quotient))
    raise ValueError(f'rounding_mode must be None, "floor" or "trunc", not {rounding_mode!r}')


divide = true_divide = div


def round(input, *, decimals=0) -> Tensor:
    """The nearest whole number (of units of 10 ** -decimals); halves go to the even one."""
    scale = 10.0**decimals
    return rules.rint(input) if decimals == 0 else rules.rint(input * scale) / scale


def clamp(input, min=None, max=None) -> Tensor:
    """input, but never below min nor above max. The gradient at a bound is 1."""
    if min is None and max is None:
        raise ValueError("clamp needs min, or max, or both")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        out = input if min is None else maximum(input, min)
        return out if max is None else minimum(out, max)
    return rules.clip(input, min, max)


clip = clamp


def clip_by_value(x, clip_value_min=None, clip_value_max=None) -> Tensor:
    """x, but never outside the two bounds. The gradient at a bound is a half, as for ties."""
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("clip_by_value needs clip_value_min, or clip_value_max, or both")
    out = x if clip_value_min is None else maximum(x, clip_value_min)
    return out if clip_value_max is None else minimum(out, clip_value_max)


def masked_fill(input_x, mask, value) -> Tensor:
    """value where mask is True, input_x elsewhere."""
    return where(mask, value, input_x)


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
    return square(x - y)


# ------------------------------------------------------------------------------------- activations
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
    return x / (1 + abs(x))


def hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor:
    """input, but never outside the two bounds. The gradient at a bound is a half."""
    return clip_by_value(input, min_val, max_val)


def hardsigmoid(input) -> Tensor:
    """(x + 3) / 6, but never outside 0 and 1. The gradient at a bound is 0."""
    return where(abs(input) < 3, input / 6 + 0.5, input > 0)


def hardswish(input) -> Tensor:
    """x hardsigmoid(x). The gradient at a bound is that from inside."""
    return input * (rules.clip(input, -3, 3) / 6 + 0.5)


def prelu(input, weight) -> Tensor:
    """input above 0, weight * input below; one weight for each channel (axis 1), or one for all."""
    if weight.size > 1 and input.ndim > 1:
        weight = weight.reshape((-1, *[1] * (input.ndim - 2)))
    return where(input > 0, input, weight * input)


__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "addcmul", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh",
    "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "celu", "clamp", "clip", "clip_by_value",
    "cos", "cosh", "div", "divide", "elu", "eq", "equal", "erf", "erfc", "exp", "expm1", "floor",
    "floor_div", "ge", "gelu", "greater", "greater_equal", "gt", "hardsigmoid", "hardswish",
    "hardtanh", "hypot", "isfinite", "isinf", "isnan", "le", "leaky_relu", "lerp", "less",
    "less_equal", "log", "log1p", "log2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logsigmoid", "lt", "masked_fill", "maximum", "minimum", "mish", "mod", "mul",
    "multiply", "ne", "neg", "negative", "not_equal", "pow", "prelu", "reciprocal", "relu",
    "relu6", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus",
    "softsign", "sqrt", "square", "squared_difference", "sub", "subtract", "tan", "tanh",
    "tensor_add", "tensor_mul", "tensor_pow", "tensor_sub", "true_divide", "where", "xlogy",
]  # fmt: skip
