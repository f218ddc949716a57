"""What to try where a NaN or an infinity is born, with an example in the names of the program."""

from __future__ import annotations

from collections.abc import Sequence

_LARGE = (
    "the numbers are too large for the dtype (float32 ends at 3.4e38): scale them down, use a "
    "smaller learning rate or clip the gradients, or compute in float64"
)
_ADD = "keep the input in the domain: clip it, or add a small number, as in {op}({x} + {small})"
_CLIP = "keep the input in the domain: clip it, as in {op}(clamp({x}, {ends}))"
_SIGMOID = ". For the log of a sigmoid use binary_cross_entropy_with_logits"
_SOFTMAX = (  # of more numbers than one
    ". For the log of a softmax use log_softmax, and for that of a sigmoid "
    "binary_cross_entropy_with_logits"
)
_OVERFLOW = (
    "the result is too large for the dtype (float32 ends at 3.4e38, {op} of {end}): keep the input "
    "smaller, as in {op}({smaller})"
)
_SHARES = (  # the same, after exp
    ". For shares use softmax, and for the log of a sum of exps logsumexp: they subtract the "
    "maximum first"
)
_SLOPE = "the slope is infinite here: add a small number under the root, as in "
_DIVISOR = (
    "keep the divisor away from 0: add a small number to it, or choose another before dividing, "
    "as in where({y} == 0, 1.0, {y})"
)
_TRAP = (
    "a gradient of 0 meets an infinite slope, and 0 times infinity is NaN. The 0 often comes from "
    "`where`, for the branch that is not taken: give that branch a harmless input, as in {cure}"
)
_CURES = {
    **dict.fromkeys(
        ("asin", "acos", "atanh", "erfinv"),
        "where(abs({x}) < 1, {op}(where(abs({x}) < 1, {x}, 0.0)), 0.0)",
    ),
    "acosh": "where({x} > 1, acosh(where({x} > 1, {x}, 2.0)), 0.0)",
    "divide": "where({y} != 0, {x} / where({y} != 0, {y}, 1.0), 0.0)",
    "power": "where({x} > 0, where({x} > 0, {x}, 1.0) ** {y}, 0.0)",
    **dict.fromkeys(
        ("exp", "expm1", "exp2"), "where({x} < 80, {op}(where({x} < 80, {x}, 0.0)), 0.0)"
    ),
    **dict.fromkeys(
        ("sinh", "cosh"), "where(abs({x}) < 80, {op}(where(abs({x}) < 80, {x}, 0.0)), 0.0)"
    ),
}
_CURE = "where({x} > 0, {op}(where({x} > 0, {x}, 1.0)), 0.0)"

_INSIDE = "-1 + 1e-6, 1 - 1e-6"
_ENDS = {  # where the domain of an op begins and ends, a little inside
    **dict.fromkeys(("log", "log2", "log10", "lgamma", "digamma"), "1e-7"),
    **dict.fromkeys(("sqrt", "rsqrt"), "1e-12"),
    **dict.fromkeys(("asin", "acos", "atanh", "erfinv"), _INSIDE),
    "acosh": "1 + 1e-6",
    "log1p": "-1 + 1e-6",
}
_LARGEST = {"exp": "88.7", "expm1": "88.7", "exp2": "128", "sinh": "89.4", "cosh": "89.4"}
_DIVISIONS = ("divide", "reciprocal", "mod", "floor_divide", "fmod")
_OTHERS = {
    "power": "a power is NaN for a negative base and a fractional exponent, infinite for 0 and a "
    "negative one, and overflows: clip the base, or use square, sqrt or exp of a logarithm",
    **dict.fromkeys(("subtract", "add"), "infinity less infinity is NaN: see to the infinities"),
    **dict.fromkeys(
        ("softmax", "log_softmax"),
        "a row of -inf alone has no softmax: is all of it masked? Leave one entry of each row",
    ),
    "multiply": "0 times infinity is NaN: see to the infinity, or choose with where",
}


def advice(
    op: str,
    made: str,
    names: Sequence[str],
    *,
    backward: bool = False,
    trap: bool = False,
    single: bool = False,
) -> str:
    """What to try where ``op`` made a NaN or an infinity of inputs that are called so.

    ``made`` is "nan", "inf" or "-inf"; ``trap``: a gradient of 0 met an infinite slope; ``single``:
    the op makes one number, of which nobody takes a softmax.

    >>> advice("log10", "-inf", ["share"])
    'keep the input in the domain: clip it, or add a small number, as in log10(share + 1e-7)'
    """
    x, y = names[0] if names else "x", names[-1] if names else "x"
    if trap:
        unary = len(names) == 1 and op.isidentifier()
        cure = _CURES.get(op, _CURE).format(op=op if unary else "sqrt", x=x, y=y)
        return _TRAP.format(cure=cure)
    if backward and op in ("sqrt", "cbrt", "rsqrt"):
        return _SLOPE + f"{op}({x} + 1e-12)"
    if backward and op == "power":
        return _SLOPE + f"({x} + 1e-12) ** {y}"
    if backward and op in ("asin", "acos", "acosh", "atanh"):
        little = "the slope is infinite at the end of the domain: clip the input to a little less"
        return f"{little}, as in {op}(clamp({x}, {_ENDS[op]}))"
    if made != "nan" and op in ("add", "subtract", "multiply"):
        return _LARGE
    if op in _DIVISIONS:
        return _DIVISOR.format(y=y)
    if op in _LARGEST:
        smaller = f"clamp({x}, -80, 80)" if op in ("sinh", "cosh") else f"minimum({x}, 80.0)"
        said = _OVERFLOW.format(op=op, end=_LARGEST[op], smaller=smaller)
        return said + (_SHARES if op == "exp" and not single else "")
    if op in _ENDS:
        ends = _ENDS[op]
        adds = made != "nan" and ends.startswith("1e-") and op not in ("lgamma", "digamma")
        said = (_ADD if adds else _CLIP).format(op=op, x=x, small=ends, ends=ends)
        more = _SIGMOID if single else _SOFTMAX
        return said + (more if op == "log" else "")
    return _OTHERS.get(op, _LARGE if made != "nan" else "look at the numbers that the op was given")
