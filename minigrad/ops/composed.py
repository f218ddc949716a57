"""Functions of each element that are put together from others, by MindSpore's names."""

import math

import numpy as np

from ..rules import elementwise as rules
from ..rules.elementwise import absolute, isfinite, isnan, log, logaddexp, signbit, trunc, where
from ..rules.shape import cast, identity
from ..rules.special import polygamma as _polygamma
from ..samples import for_each_sample
from ..tensor import Tensor, as_array, unwrap, wrap
from .elementwise import clamp, div


def subtract(input, other, *, alpha=1) -> Tensor:
    """input - alpha * other.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the wider of the two, int64 for bools
    Raises ValueError if the shapes do not broadcast together, TypeError if an input is not a
        number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.subtract(Tensor([5, 6]), Tensor([1, 2]), alpha=2))
    [3 2]

    Source: the definition
    """
    if getattr(unwrap(input), "dtype", None) == np.bool_:
        input = cast(input, np.dtype(np.int64))
    return rules.subtract(input, other if alpha == 1 else other * alpha)


def addcdiv(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 / tensor2.

    Shapes: shapes that broadcast together, to that of the output
    Dtypes: floats stay, integers become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addcdiv(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), 2))
    [5.]

    Source: the definition
    """
    return input + value * (tensor1 / tensor2)


def addn(x) -> Tensor:
    """The sum of several Tensors.

    Shapes: shapes that broadcast together, to that of the output
    Dtypes: any; the widest of them
    Raises ValueError if there is none, or the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addn([Tensor([1, 2]), Tensor([3, 4]), Tensor([5, 6])]))
    [ 9 12]

    Source: the definition
    """
    if len(x) == 0:
        raise ValueError("addn: expected one Tensor at least, but got none")
    first, *others = x
    for other in others:
        first = first + other
    return first


def copysign(x, other) -> Tensor:
    """The size of x with the sign of other. The gradient of other is 0.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, others become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.copysign(Tensor([1.0, 2.0]), Tensor([-3.0, 4.0])))
    [-1.  2.]

    Source: IEEE 754-2019, 5.5.1 (copySign)
    """
    size = absolute(x if as_array(x).dtype.kind == "f" else cast(Tensor(x), np.float32))
    return where(signbit(other), -size, size)


def heaviside(input, values) -> Tensor:
    """0 below 0, 1 above, and ``values`` at 0, which alone get a gradient.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the wider of the two
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.heaviside(Tensor([-2.0, 0.0, 3.0]), Tensor([0.5])))
    [0.  0.5 1. ]

    Source: numpy.heaviside
    """
    return where(input == 0, values, cast(input > 0, unwrap(input).dtype))


def frac(x) -> Tensor:
    """What is left of x without its whole part: x - trunc(x). The gradient is 1.

    Shapes: any; the output has the shape of x
    Dtypes: any; the output has that of x
    Raises TypeError if x is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.frac(Tensor([2.5, -1.25])))
    [ 0.5  -0.25]

    Source: the definition
    """
    return x - trunc(x)


def truncate_div(x, y) -> Tensor:
    """x / y, rounded towards zero; integers stay integers. The gradient is 0.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the wider of the two
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.truncate_div(Tensor([7, -7]), 2))
    [ 3 -3]

    Source: the division of integers in C (ISO/IEC 9899:1999, 6.5.5)
    """
    return div(x, y, rounding_mode="trunc")


def float_power(input, exponent) -> Tensor:
    """input to the power of exponent, in float64.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the output is float64
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.float_power(Tensor([2, 3]), 2))
    [4. 9.]

    Source: numpy.float_power
    """
    return cast(Tensor(input), np.float64) ** exponent


def xdivy(x, y) -> Tensor:
    """x / y, and 0 where x is 0, even if y is 0 there.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, others become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.xdivy(Tensor([0.0, 6.0]), Tensor([0.0, 3.0])))
    [0. 2.]

    Source: the definition
    """
    zero = x == 0
    return where(zero, 0.0, x / where(zero, 1.0, y))


def div_no_nan(x, y) -> Tensor:
    """x / y, and 0 where y is 0.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, others become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.DivNoNan()(Tensor([5.0, 6.0]), Tensor([0.0, 3.0])))
    [0. 2.]

    Source: the definition
    """
    zero = y == 0
    return where(zero, 0.0, x / where(zero, 1.0, y))


def mul_no_nan(x, y) -> Tensor:
    """x * y, and 0 where y is 0, even if x is inf or nan there.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, others become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.MulNoNan()(Tensor([float("inf"), 6.0]), Tensor([0.0, 3.0])))
    [ 0. 18.]

    Source: the definition
    """
    return where((y == 0) & ~isfinite(x), 0.0, x) * y


def deg2rad(x) -> Tensor:
    """Degrees as radians: x pi / 180.

    Shapes: any; the output has the shape of x
    Dtypes: floats stay, others become float32
    Raises TypeError if x is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.deg2rad(Tensor([0.0, 180.0])))
    [0.        3.1415927]

    Source: the definition
    """
    return x * (math.pi / 180)


def rad2deg(x) -> Tensor:
    """Radians as degrees: x 180 / pi.

    Shapes: any; the output has the shape of x
    Dtypes: floats stay, others become float32
    Raises TypeError if x is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.rad2deg(ops.deg2rad(Tensor([90.0]))))
    [90.]

    Source: the definition
    """
    return x * (180 / math.pi)


def logaddexp2(input, other) -> Tensor:
    """log2(2^input + 2^other), without overflow.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, integers become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logaddexp2(Tensor([3.0, 1000.0]), Tensor([3.0, 1000.0])))
    [   4. 1001.]

    Source: numpy.logaddexp2
    """
    return logaddexp(input * _LN2, other * _LN2) / _LN2


_LN2 = math.log(2)


def logit(input, eps=None) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid; ``eps`` keeps x between eps and 1 - eps.

    -inf at 0, inf at 1, nan outside.

    Shapes: any; the output has the shape of input
    Dtypes: floats stay, others become float32
    Raises TypeError if input or eps is not a number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logit(Tensor([0.5])))
    [0.]

    Source: Berkson, Journal of the American Statistical Association 39, 1944
    """
    x = input if eps is None else clamp(input, eps, 1 - eps)
    return log(x / (1 - x))


def polygamma(n, input) -> Tensor:
    """The derivative of order n of digamma.

    Shapes: any; the output has the shape of input
    Dtypes: floats stay, others become float32
    Raises ValueError if n is not a whole number from 0 on.

    >>> from minigrad import Tensor, ops
    >>> print(ops.polygamma(1, Tensor([1.0])))
    [1.644934]

    Source: DLMF 5.15; at 1 the trigamma function is pi^2 / 6
    """
    if int(n) != n or n < 0:
        raise ValueError(f"polygamma: n must be a whole number from 0 on, but is {n}")
    return _polygamma(input, int(n))


def nan_to_num(input, nan=None, posinf=None, neginf=None) -> Tensor:
    """input with numbers for nan (0), inf (the largest) and -inf (the smallest number).

    What is replaced has gradient 0.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output has that of input; integers and bools stay as they are
    Raises AttributeError if input is not a Tensor.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, float("nan"), float("inf")])
    >>> print(ops.nan_to_num(x, posinf=9.0))
    [1. 0. 9.]

    Source: numpy.nan_to_num
    """
    if unwrap(input).dtype.kind != "f":
        return identity(input)
    limits = np.finfo(unwrap(input).dtype)
    out = where(isnan(input), 0.0 if nan is None else nan, input)
    out = where(out == math.inf, float(limits.max) if posinf is None else posinf, out)
    return where(out == -math.inf, float(limits.min) if neginf is None else neginf, out)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    """True where |input - other| is at most atol + rtol |other|.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the output is bool
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])))
    [ True False]

    Source: numpy.isclose
    """

    def close(x, y):
        return np.isclose(x, y, rtol, atol, equal_nan)

    return wrap(for_each_sample("isclose", close, input, other))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """True if all entries are close; see ``isclose``.

    Shapes: two shapes that broadcast together; the output is a Python bool
    Dtypes: any
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.allclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1]), atol=0.2))
    True

    Source: numpy.allclose
    """
    return bool(np.allclose(unwrap(input), unwrap(other), rtol, atol, equal_nan))


def approximate_equal(x, y, tolerance=1e-05) -> Tensor:
    """True where |x - y| is below the tolerance.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: any; the output is bool
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.approximate_equal(Tensor([1.0]), Tensor([1.1]), 0.2))
    [ True]

    Source: the definition
    """
    return absolute(x - y) < tolerance


def isposinf(input) -> Tensor:
    """True where input is inf.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output is bool
    Raises nothing of its own: any Tensor will do.

    >>> from minigrad import Tensor, ops
    >>> print(ops.isposinf(Tensor([1.0, float("inf"), -float("inf")])))
    [False  True False]

    Source: numpy.isposinf
    """
    return input == math.inf


def isneginf(input) -> Tensor:
    """True where input is -inf.

    Shapes: any; the output has the shape of input
    Dtypes: any; the output is bool
    Raises nothing of its own: any Tensor will do.

    >>> from minigrad import Tensor, ops
    >>> print(ops.isneginf(Tensor([1.0, float("inf"), -float("inf")])))
    [False False  True]

    Source: numpy.isneginf
    """
    return input == -math.inf


def is_floating_point(input) -> bool:
    """True if input holds floats.

    Shapes: any; the output is a Python bool
    Dtypes: any
    Raises AttributeError if input has no dtype.

    >>> from minigrad import Tensor, ops
    >>> print(ops.is_floating_point(Tensor([1.5])), ops.is_floating_point(Tensor([1])))
    True False

    Source: the definition
    """
    return unwrap(input).dtype.kind == "f"


def is_tensor(obj) -> bool:
    """True if obj is a Tensor.

    Shapes: any; the output is a Python bool
    Dtypes: any
    Raises nothing.

    >>> from minigrad import Tensor, ops
    >>> print(ops.is_tensor(Tensor([1.5])), ops.is_tensor(1.5))
    True False

    Source: the definition
    """
    return isinstance(obj, Tensor)


def positive(input) -> Tensor:
    """input as it is.

    Shapes: any; the output is input
    Dtypes: any; the output is input
    Raises nothing.

    >>> from minigrad import Tensor, ops
    >>> print(ops.positive(Tensor([1, -2])))
    [ 1 -2]

    Source: numpy.positive
    """
    return input


def xlogy(input, other) -> Tensor:
    """input * log(other), and 0 where input is 0 and the logarithm is not finite.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: floats stay, others become float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.xlogy(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 0.]

    Source: Cover and Thomas, Elements of Information Theory, 2nd edition, 2006, section 2.1 (0 log
        0 = 0)
    """
    zero = (input == 0) & (other <= 0)
    return where(zero, 0.0, input * log(where(zero, 1.0, other)))


def lerp(input, end, weight) -> Tensor:
    """The point between input and end that is ``weight`` of the way along.

    Shapes: shapes that broadcast together, to that of the output
    Dtypes: floats stay; integers too, unless weight is a float: then float32
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.lerp(Tensor([1.0]), Tensor([5.0]), 0.25))
    [2.]

    Source: the definition of linear interpolation
    """
    return input + weight * (end - input)


def addcmul(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 * tensor2.

    Shapes: shapes that broadcast together, to that of the output
    Dtypes: any; the widest of them
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), 2))
    [13.]

    Source: the definition
    """
    return input + value * (tensor1 * tensor2)


def squared_difference(x, y) -> Tensor:
    """(x - y) squared.

    Shapes: two shapes that broadcast together, to that of the output
    Dtypes: numbers; the wider of the two
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.squared_difference(Tensor([1.0, 5.0]), Tensor([4.0, 3.0])))
    [9. 4.]

    Source: the definition
    """
    return rules.square(x - y)


__all__ = [
    "addcdiv", "addcmul", "addn", "allclose", "approximate_equal", "copysign", "deg2rad",
    "float_power", "frac", "heaviside", "is_floating_point", "is_tensor", "isclose", "isneginf",
    "isposinf", "lerp", "logaddexp2", "logit", "nan_to_num", "polygamma", "positive", "rad2deg",
    "squared_difference", "subtract", "truncate_div", "xdivy", "xlogy",
]  # fmt: skip
