"""Functions that compute each element from the elements at the same place, by MindSpore's names."""

import numpy as np

from ..rules import elementwise as rules
from ..rules.elementwise import (
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    cbrt,
    ceil,
    cos,
    cosh,
    equal,
    exp,
    exp2,
    expm1,
    floor,
    fmod,
    greater,
    greater_equal,
    hypot,
    invert,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    not_equal,
    reciprocal,
    rsqrt,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
    where,
)
from ..rules.shape import cast, identity
from ..rules.special import digamma, erf, erfc, erfinv, lgamma
from ..tensor import Tensor, unwrap

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
sub = rules.subtract
tensor_add, tensor_mul, tensor_sub = add, mul, sub

bitwise_left_shift, bitwise_right_shift = rules.left_shift, rules.right_shift
bitwise_not = invert
floor_divide = floordiv = floor_div
floor_mod = floormod = remainder = mod
truncate_mod = fmod
fmax, fmin = maximum, minimum
inv = reciprocal
select = where
sgn = sign
tensor_exp, tensor_expm1, tensor_mod = exp, expm1, mod
tensor_floordiv, tensor_gt, tensor_ge, tensor_lt, tensor_le = floor_div, gt, ge, lt, le


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


divide = true_divide = tensor_div = div


def round(input, *, decimals=0) -> Tensor:
    """The nearest whole number (of units of 10 ** -decimals); halves go to the even one."""
    if unwrap(input).dtype.kind in "iu" and decimals >= 0:
        return identity(input)
    scale = 10.0**decimals
    return rules.rint(input) if decimals == 0 else rules.rint(input * scale) / scale


def clamp(input, min=None, max=None) -> Tensor:
    """input, but never below min nor above max. The gradient at a bound is 1."""
    if min is None and max is None:
        raise ValueError("clamp needs min, or max, or both")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        out = input if min is None else where(input < min, min, input)
        return out if max is None else where(out > max, max, out)
    if isinstance(min, float) or isinstance(max, float):
        input = cast(input, np.float32) if unwrap(input).dtype.kind in "iub" else input
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


__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clamp",
    "clip",
    "clip_by_value",
    "cos",
    "cosh",
    "digamma",
    "div",
    "divide",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "floordiv",
    "floormod",
    "fmax",
    "fmin",
    "fmod",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "inv",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "masked_fill",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "multiply",
    "ne",
    "neg",
    "negative",
    "not_equal",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "select",
    "sgn",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
    "tensor_add",
    "tensor_div",
    "tensor_exp",
    "tensor_expm1",
    "tensor_floordiv",
    "tensor_ge",
    "tensor_gt",
    "tensor_le",
    "tensor_lt",
    "tensor_mod",
    "tensor_mul",
    "tensor_pow",
    "tensor_sub",
    "true_divide",
    "trunc",
    "truncate_mod",
    "where",
]  # fmt: skip
