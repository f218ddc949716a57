r"""Ops that compute each element from the elements at the same place, with broadcasting.

In the formulas ``\bar z`` is the gradient of ``z``, which the rules call ``g``.
"""

import numpy as np

from ..op import meet, primitive
from ..tensor import Tensor

_BOTH = meet()
_FLOAT = "x = to_float(x)"
_FLOATS = "x, y = map(to_float, promote(x, y, x_, y_))"

# ------------------------------------------------------------------------------------- arithmetic
add = primitive("add", np.add, r"z = x + y", before=_BOTH,
    x=(lambda g: g, r"\bar z"),
    y=(lambda g: g, r"\bar z"))


def _difference(x, y):
    try:
        return np.subtract(x, y)
    except TypeError:  # numpy refuses two bools; to MindSpore, what is not 0 is True
        return np.not_equal(x, y)


subtract = primitive("subtract", _difference, r"z = x - y", np.subtract, before=_BOTH,
    x=(lambda g: g, r"\bar z"),
    y=(lambda g: -g, r"-\bar z"))
multiply = primitive("multiply", np.multiply, r"z = x\,y", before=_BOTH,
    x=(lambda g, y: g * y, r"\bar z\,y"),
    y=(lambda g, x: g * x, r"\bar z\,x"))


def _quotient(x, y):
    out = np.divide(x, y)
    if out.dtype == np.float64 and not any(getattr(v, "dtype", 0) == np.float64 for v in (x, y)):
        return out.astype(np.float32)  # integers divide to float32
    return out


divide = primitive("divide", _quotient, r"z = \frac{x}{y}", np.divide, before=_BOTH,
    x=(lambda g, y: g / y, r"\bar z / y"),
    y=(lambda g, out, y: g * (-out / y), r"-\bar z\,z / y"))


def _power(x, n):
    if getattr(x, "dtype", None) == np.bool_ and type(n) is int:
        x = x.astype(np.int64)  # numpy would answer in int8
    return x**n


def _power_rule(g, x, n):
    if isinstance(n, int | float):
        return g * 0 if n == 0 else g * (2 * x) if n == 2 else g * (n * x ** (n - 1))
    return g * (n * x ** np.where(n == 0, 1, n - 1))  # x ** 0 is flat, at 0 too


def _exponent_rule(g, out, x):
    if isinstance(x, int | float):
        x = np.asarray(float(x))  # a number has no dtype, and would get the narrowest
    flat = (x == 0) & (out <= 1)  # 0 ** n stays 0, and 1 at n = 0; below that it is infinite
    return g * (out * np.log(np.where(flat, 1, x)))


power = primitive("power", _power, r"z = x^{n}", np.power,
    before=meet("x", "n"),
    x=(_power_rule, r"\bar z\,n\,x^{n - 1}"),
    n=(_exponent_rule, r"\bar z\,z\,\ln x"))


def _floor_quotient(x, y):
    out = np.floor_divide(x, y)
    if out.dtype == np.int8 and not any(getattr(v, "dtype", 0) == np.int8 for v in (x, y)):
        return out.astype(np.bool_)  # numpy's answer to two bools is int8
    return out


floor_divide = primitive("floor_divide", _floor_quotient,
    r"z = \lfloor x / y \rfloor", np.floor_divide, before=_BOTH, x=(None, "0"), y=(None, "0"))
mod = primitive("mod", np.mod, r"z = x - y\,\lfloor x / y \rfloor", before=_BOTH,
    x=(lambda g: g, r"\bar z"),
    y=(lambda g, x, y: g * -np.floor(x / y), r"-\bar z\,\lfloor x / y \rfloor"))
fmod = primitive("fmod", np.fmod, r"z = x - y\,\mathrm{trunc}(x / y)", before=_BOTH,
    x=(lambda g: g, r"\bar z"),
    y=(lambda g, x, y: g * -np.trunc(x / y), r"-\bar z\,\mathrm{trunc}(x / y)"))
negative = primitive("negative", np.negative, r"y = -x", x=(lambda g: -g, r"-\bar y"))
reciprocal = primitive("reciprocal", lambda x: 1 / x, r"y = \frac{1}{x}", np.reciprocal,
    before=_FLOAT, x=(lambda g, out: g * -(out * out), r"-\bar y\,y^2"))
square = primitive("square", np.square, r"y = x^2", x=(lambda g, x: g * (2 * x), r"2\,\bar y\,x"))


# -------------------------------------------------------------------------- kinks, ties and steps
def _larger(g, x, y):
    """g where x is the larger, half of it where they tie."""
    return np.where(x > y, g, np.where(x == y, g / 2, 0))


maximum = primitive("maximum", np.maximum, r"z = \max(x, y)", before=_BOTH,
    x=(lambda g, x, y: _larger(g, x, y), r"\bar z\,[x > y]"),
    y=(lambda g, x, y: _larger(g, y, x), r"\bar z\,[y > x]"))
minimum = primitive("minimum", np.minimum, r"z = \min(x, y)", before=_BOTH,
    x=(lambda g, x, y: _larger(g, y, x), r"\bar z\,[x < y]"),
    y=(lambda g, x, y: _larger(g, x, y), r"\bar z\,[y < x]"))
absolute = primitive("abs", np.absolute, r"y = |x|",
    x=(lambda g, x: g * np.sign(x), r"\bar y\,\mathrm{sign}(x)"))
relu = primitive("relu", lambda x: np.maximum(x, False), r"y = \max(x, 0)",
    x=(lambda g, out: g * (out > 0), r"\bar y\,[x > 0]"))
clip = primitive("clip", lambda x, low, high: _clip(x, low, high), r"y = \min(\max(x, a), b)",
    x=(lambda g, x, low, high: g * _inside(x, low, high), r"\bar y\,[a \le x \le b]"))
relu6 = primitive("relu6", lambda x: np.minimum(np.maximum(x, 0), 6), r"y = \min(\max(x, 0), 6)",
    called={"x": "x"},
    x=(lambda g, x: g * ((x > 0) & (x <= 6)), r"\bar y\,[0 < x \le 6]"))
sign = primitive("sign", np.sign, r"y = \mathrm{sign}(x)", x=(None, "0"))
floor = primitive("floor", np.floor, r"y = \lfloor x \rfloor", x=(None, "0"))
trunc = primitive("trunc", np.trunc, r"y = \mathrm{trunc}(x)", x=(None, "0"))
ceil = primitive("ceil", np.ceil, r"y = \lceil x \rceil", x=(None, "0"))
rint = primitive("round", np.rint, r"y = \mathrm{round}(x)", before=_FLOAT, x=(None, "0"))


def _clip(x, low, high):
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _inside(x, low, high):
    below, above = low is None or x >= low, high is None or x <= high
    return below & above


# --------------------------------------------------------------------- comparisons: without rules
greater = primitive("greater", np.greater, r"z = [x > y]", before=_BOTH)
greater_equal = primitive("greater_equal", np.greater_equal, r"z = [x \ge y]", before=_BOTH)
less = primitive("less", np.less, r"z = [x < y]", before=_BOTH)
less_equal = primitive("less_equal", np.less_equal, r"z = [x \le y]", before=_BOTH)
equal = primitive("equal", np.equal, r"z = [x = y]", before=_BOTH)
not_equal = primitive("not_equal", np.not_equal, r"z = [x \ne y]", before=_BOTH)
logical_and = primitive("logical_and", np.logical_and, r"z = x \land y", before=_BOTH)
logical_or = primitive("logical_or", np.logical_or, r"z = x \lor y", before=_BOTH)
logical_not = primitive("logical_not", np.logical_not, r"y = \lnot x")
logical_xor = primitive("logical_xor", np.logical_xor, r"z = x \oplus y", before=_BOTH)
bitwise_and = primitive("bitwise_and", np.bitwise_and, r"z = x \land y")
bitwise_or = primitive("bitwise_or", np.bitwise_or, r"z = x \lor y")
bitwise_xor = primitive("bitwise_xor", np.bitwise_xor, r"z = x \oplus y")
left_shift = primitive("left_shift", np.left_shift, r"z = x\,2^{y}")
right_shift = primitive("right_shift", np.right_shift, r"z = \lfloor x / 2^{y} \rfloor")
signbit = primitive("signbit", np.signbit, r"y = [x < 0]")
invert = primitive("invert", np.invert, r"y = \lnot x")
isnan = primitive("isnan", np.isnan, r"y = [x\ \mathrm{is\ nan}]")
isfinite = primitive("isfinite", np.isfinite, r"y = [x\ \mathrm{is\ finite}]")
isinf = primitive("isinf", np.isinf, r"y = [x\ \mathrm{is\ infinite}]")


def _choose(condition, x, y):
    out = np.where(condition, x, y)
    exact = out.dtype != np.float64 or hasattr(x, "dtype") or hasattr(y, "dtype")
    return out if exact else out.astype(np.float32)  # two Python floats make a float32


where = primitive("where", _choose, r"z = c\ ?\ x : y", np.where, before=_BOTH,
    condition=(None, "0"),
    x=(lambda g, condition: np.where(condition, g, 0), r"[c]\,\bar z"),
    y=(lambda g, condition: np.where(condition, 0, g), r"[\lnot c]\,\bar z"))

# ----------------------------------------------------------------- exponentials, powers, logarithms
exp = primitive("exp", np.exp, r"y = e^{x}", before=_FLOAT,
    x=(lambda g, out: g * out, r"\bar y\,y"))
expm1 = primitive("expm1", np.expm1, r"y = e^{x} - 1", before=_FLOAT,
    x=(lambda g, out: g * (out + 1), r"\bar y\,(y + 1)"))
log = primitive("log", np.log, r"y = \ln x", before=_FLOAT, x=(lambda g, x: g / x, r"\bar y / x"))
log1p = primitive("log1p", np.log1p, r"y = \ln(1 + x)", before=_FLOAT,
    x=(lambda g, x: g / (1 + x), r"\bar y / (1 + x)"))
log2 = primitive("log2", np.log2, r"y = \log_2 x", before=_FLOAT,
    x=(lambda g, x: g / (x * float(np.log(2))), r"\bar y / (x \ln 2)"))
log10 = primitive("log10", np.log10, r"y = \log_{10} x", before=_FLOAT,
    x=(lambda g, x: g / (x * float(np.log(10))), r"\bar y / (x \ln 10)"))
exp2 = primitive("exp2", np.exp2, r"y = 2^{x}", before=_FLOAT,
    x=(lambda g, out: g * (out * float(np.log(2))), r"\bar y\,y \ln 2"))


def _share(x, out):
    """e^x as a part of e^out; none of two nothings."""
    return np.exp(x - np.where(out == -np.inf, 0, out))


logaddexp = primitive("logaddexp", np.logaddexp, r"z = \ln(e^{x} + e^{y})",
    before=_FLOATS,
    x=(lambda g, x, out: g * _share(x, out), r"\bar z\,e^{x - z}"),
    y=(lambda g, y, out: g * _share(y, out), r"\bar z\,e^{y - z}"))
sqrt = primitive("sqrt", np.sqrt, r"y = \sqrt{x}", before=_FLOAT, called={"x": "x"},
    x=(lambda g, out: g / (2 * out), r"\frac{\bar y}{2\,y}"))
root = primitive("root", lambda x: np.sqrt(x), r"y = \sqrt{x}", before=_FLOAT,
    x=(lambda g, out: np.where(out == 0, 0, g / (2 * np.where(out == 0, 1, out))),
       r"\frac{\bar y}{2\,y},\ 0\ \mathrm{at}\ 0"))  # the square root in norm and std
cbrt = primitive("cbrt", np.cbrt, r"y = x^{1/3}", before=_FLOAT,
    x=(lambda g, out: g / (3 * (out * out)), r"\frac{\bar y}{3\,y^2}"))
rsqrt = primitive("rsqrt", lambda x: 1 / np.sqrt(x), r"y = \frac{1}{\sqrt{x}}", before=_FLOAT,
    x=(lambda g, out: g * (out * out * out * -0.5), r"-\frac{1}{2}\,\bar y\,y^3"))
hypot = primitive("hypot", np.hypot, r"z = \sqrt{x^2 + y^2}", before=_FLOATS,
    x=(lambda g, x, out: g * (x / np.where(out == 0, 1, out)), r"\bar z\,x / z"),
    y=(lambda g, y, out: g * (y / np.where(out == 0, 1, out)), r"\bar z\,y / z"))  # at 0: 0


# ---------------------------------------------------------------- circular and hyperbolic functions
sin = primitive("sin", np.sin, r"y = \sin x", before=_FLOAT,
    x=(lambda g, x: g * np.cos(x), r"\bar y\cos x"))
cos = primitive("cos", np.cos, r"y = \cos x", before=_FLOAT,
    x=(lambda g, x: g * -np.sin(x), r"-\bar y\sin x"))
tan = primitive("tan", np.tan, r"y = \tan x", before=_FLOAT,
    x=(lambda g, out: g * (out * out + 1), r"\bar y\,(1 + y^2)"))
arcsin = primitive("asin", np.arcsin, r"y = \arcsin x", before=_FLOAT,
    x=(lambda g, x: g / np.sqrt((1 - x) * (1 + x)), r"\bar y / \sqrt{1 - x^2}"))
arccos = primitive("acos", np.arccos, r"y = \arccos x", before=_FLOAT,
    x=(lambda g, x: -g / np.sqrt((1 - x) * (1 + x)), r"-\bar y / \sqrt{1 - x^2}"))
arctan = primitive("atan", np.arctan, r"y = \arctan x", before=_FLOAT,
    x=(lambda g, x: g / (x * x + 1), r"\bar y / (1 + x^2)"))
arctan2 = primitive("atan2", np.arctan2, r"z = \arg(y + i\,x)", before=_FLOATS,
    x=(lambda g, x, y: g * (y / (x * x + y * y)), r"\bar z\,y / (x^2 + y^2)"),
    y=(lambda g, x, y: -g * (x / (x * x + y * y)), r"-\bar z\,x / (x^2 + y^2)"))
sinh = primitive("sinh", np.sinh, r"y = \sinh x", before=_FLOAT,
    x=(lambda g, x: g * np.cosh(x), r"\bar y\cosh x"))
cosh = primitive("cosh", np.cosh, r"y = \cosh x", before=_FLOAT,
    x=(lambda g, x: g * np.sinh(x), r"\bar y\sinh x"))
tanh = primitive("tanh", np.tanh, r"y = \tanh x", before=_FLOAT,
    x=(lambda g, out: g * -(out * out - 1), r"\bar y\,(1 - y^2)"))
arcsinh = primitive("asinh", np.arcsinh, r"y = \mathrm{arsinh}\,x", before=_FLOAT,
    x=(lambda g, x: g / np.sqrt(x * x + 1), r"\bar y / \sqrt{x^2 + 1}"))
arccosh = primitive("acosh", np.arccosh, r"y = \mathrm{arcosh}\,x", before=_FLOAT,
    x=(lambda g, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1)), r"\bar y / \sqrt{x^2 - 1}"))
arctanh = primitive("atanh", np.arctanh, r"y = \mathrm{artanh}\,x", before=_FLOAT,
    x=(lambda g, x: g / ((1 - x) * (1 + x)), r"\bar y / (1 - x^2)"))


# ------------------------------------------------------------------------------------- activations
def _sigmoid(x):
    e = np.exp(-np.abs(x))  # never overflows
    return np.where(x >= 0, 1, e) / (1 + e)


def _elu(x, alpha=1.0):
    _must_be_number("elu", alpha)
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _leaky_relu(x, alpha=0.2):
    _must_be_number("leaky_relu", alpha)
    return np.where(x > 0, x, alpha * x)


def _must_be_number(name, alpha):
    if isinstance(alpha, Tensor):
        raise TypeError(
            f"{name}: alpha must be a Python number, but is a Tensor; ops.where(x > 0, x, y) takes "
            "any y, with gradients"
        )


def _softsign(x):
    most = np.finfo(x.dtype).max
    x = np.clip(x, -most, most)  # of infinities, inf / inf would be left
    return x / (1 + np.absolute(x))


sigmoid = primitive("sigmoid", _sigmoid, r"y = \frac{1}{1 + e^{-x}}", before=_FLOAT,
    x=(lambda g, out: g * (out * (1 - out)), r"\bar y\,y\,(1 - y)"))
softplus = primitive("softplus", lambda x: np.logaddexp(x, 0), r"y = \ln(1 + e^{x})", before=_FLOAT,
    x=(lambda g, x: g * sigmoid(x), r"\bar y\,\sigma(x)"))
elu = primitive("elu", _elu,
    r"y = x\ \mathrm{or}\ \alpha(e^{x} - 1)", before=_FLOAT, called={"x": "input_x"},
    x=(lambda g, x, alpha: g * np.where(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
       r"\bar y\,(1\ \mathrm{or}\ \alpha e^{x})"))
softsign = primitive("softsign", _softsign, r"y = \frac{x}{1 + |x|}", before=_FLOAT,
    called={"x": "x"},
    x=(lambda g, x: g / (np.absolute(x) + 1) / (np.absolute(x) + 1), r"\frac{\bar y}{(1 + |x|)^2}"))
leaky_relu = primitive("leaky_relu", _leaky_relu,
    r"y = x\ \mathrm{or}\ \alpha x", before=_FLOAT,
    x=(lambda g, x, alpha: np.where(x > 0, g, np.where(x < 0, alpha * g, (1 + alpha) / 2 * g)),
       r"\bar y\,(1\ \mathrm{or}\ \alpha)"))  # at 0, half of each
