"""Functions that compute each element from the elements at the same place, by MindSpore's names."""

import math
from typing import Any

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
from ..samples import for_each_sample
from ..tensor import Tensor, as_array, unwrap, wrap

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
inv = reciprocal
select = where
sgn = sign
tensor_exp, tensor_expm1, tensor_mod = exp, expm1, mod
tensor_floordiv, tensor_gt, tensor_ge, tensor_lt, tensor_le = floor_div, gt, ge, lt, le


def _whole(x) -> bool:
    return as_array(x).dtype.kind in "iu"


def div(input, other, *, rounding_mode=None) -> Tensor:
    """input / other, rounded down ("floor") or towards zero ("trunc") on request.

    What is rounded has gradient 0.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, integers become float32; rounded, integers stay integers
    Raises ValueError if the shapes do not broadcast together or the mode is another, TypeError if
        an input is not a number.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([7.0, -7.0])
    >>> print(ops.div(x, 2), ops.div(x, 2, rounding_mode="trunc"))
    [ 3.5 -3.5] [ 3. -3.]

    Source: the definition; numpy.floor_divide and numpy.trunc for the modes
    """
    if rounding_mode is None:
        return rules.divide(input, other)
    if rounding_mode == "floor":
        return rules.floor_divide(input, other)
    if rounding_mode == "trunc":
        if _whole(input) and _whole(other):  # by whole numbers alone: floats would round them
            return floor_divide(input - fmod(input, other), other)
        return trunc(rules.divide(input, other))
    raise ValueError(f'rounding_mode must be None, "floor" or "trunc", not {rounding_mode!r}')


divide = true_divide = tensor_div = div


def round(input, *, decimals=0) -> Tensor:
    """The nearest whole number (of units of 10 ** -decimals); halves go to the even one.

    The gradient is 0 where floats are rounded.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input
    Raises TypeError if input is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.round(Tensor([0.5, 1.5, 2.6])), ops.round(Tensor([1.27]), decimals=1))
    [0. 2. 3.] [1.3]

    Source: IEEE 754-2019, 4.3.1 (roundTiesToEven); numpy.round
    """
    if as_array(input).dtype.kind in "iub":
        if decimals >= 0:
            return identity(input)
        return wrap(for_each_sample("round", lambda x: np.round(x, decimals), input))
    scale = 10.0**decimals
    return rules.rint(input) if decimals == 0 else rules.rint(input * scale) / scale


def clamp(input, min=None, max=None) -> Tensor:
    """input, but never below min nor above max. The gradient at a bound is 1.

    Where min is above max, the output is max.

    Shapes: any; bounds are numbers, or Tensors that broadcast together with input
    Dtypes: any; the output has that of input, or what the bounds make of it
    Raises ValueError if both bounds are None or the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.clamp(Tensor([1.0, 5.0, 9.0]), 2.0, 6.0))
    [2. 5. 6.]

    Source: numpy.clip
    """
    if min is None and max is None:
        raise ValueError("clamp needs min, or max, or both")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        out = input if min is None else where(input < min, min, input)
        return out if max is None else where(out > max, max, out)
    if isinstance(min, float) or isinstance(max, float):
        input = cast(input, np.float32) if unwrap(input).dtype.kind in "iub" else input
    return rules.clip(input, min, max)


clip = clamp


def clip_by_value(x, clip_value_min=None, clip_value_max=None) -> Any:
    """x, but never outside the two bounds. The gradient at a bound is a half, as for ties.

    Where the lower bound is above the upper one, the output is the upper one.

    A tuple or list of Tensors, such as gradients, gives a tuple, each clipped.

    Shapes: any; bounds are numbers, or Tensors that broadcast together with x
    Dtypes: any; the output has that of x, or what the bounds make of it
    Raises ValueError if both bounds are None or the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.clip_by_value(Tensor([1.0, 5.0, 9.0]), 2.0, 6.0))
    [2. 5. 6.]

    Source: numpy.clip
    """
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("clip_by_value needs clip_value_min, or clip_value_max, or both")
    if isinstance(x, tuple | list) and any(isinstance(v, Tensor) for v in x):
        return tuple(clip_by_value(v, clip_value_min, clip_value_max) for v in x)
    if _whole(x):  # it stays so, if the bounds are whole
        limits = np.iinfo(unwrap(x).dtype)
        clip_value_min = _whole_bound(clip_value_min, limits)
        clip_value_max = _whole_bound(clip_value_max, limits)
    out = x if clip_value_min is None else maximum(x, clip_value_min)
    return out if clip_value_max is None else minimum(out, clip_value_max)


def _whole_bound(bound, limits):
    """A bound for integers between limits: an integer of their kind, if it is a whole number."""
    whole = isinstance(bound, int | float) and (bound == bound // 1 or math.isinf(bound))
    return int(min(max(bound, limits.min), limits.max)) if whole else bound


def fmax(input, other) -> Tensor:
    """The larger of input and other, or the one that is not nan; of two equal ones, input.

    Shapes: any that broadcast.
    Dtypes: any; see ``maximum``.
    Raises ValueError if the shapes do not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([3.0, 2.0])))
    [3. 2.]

    Source: IEEE 754-2008, section 5.3.1, maxNum.
    """
    return where((input >= other) | isnan(other), input, other)


def fmin(input, other) -> Tensor:
    """The smaller of input and other, or the one that is not nan; of two equal ones, input.

    Shapes: any that broadcast.
    Dtypes: any; see ``minimum``.
    Raises ValueError if the shapes do not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([3.0, 2.0])))
    [1. 2.]

    Source: IEEE 754-2008, section 5.3.1, minNum.
    """
    return where((input <= other) | isnan(other), input, other)


def masked_fill(input_x, mask, value) -> Tensor:
    """value where mask is True, input_x elsewhere.

    Shapes: three shapes that broadcast together, to that of the output
    Dtypes: any; the output has that of input_x, or what value makes of it
    Raises ValueError if the shapes do not broadcast together, TypeError if value is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.masked_fill(Tensor([1.0, 2.0]), Tensor([True, False]), 9.0))
    [9. 2.]

    Source: numpy.where
    """
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
