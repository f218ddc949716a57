"""The pass that simplifies sums and products with numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Program, Slot, constant
from .rewriting import number, rewrite


def arithmetic(program: Program) -> Program:
    """Simplify sums and products with numbers: x * 1, x - 0, -(-x), and numbers that can meet.

    A number that scales a product moves outwards, where it meets others.
    """

    def rule(op, args, out, made):
        simplify = _ARITHMETIC.get(op)
        if simplify is None or out.dtype not in (np.float32, np.float64):
            return None  # numbers of float16 leave its range easily, so their order is kept

        def once(x, *ops):
            step = made(x, once=True)
            return step if step and step.op in ops else None

        return simplify(*args, out=out, once=once)

    return rewrite(program, rule)


def _scaled(x, once):
    """x as a slot and a number that it is multiplied by, if it is."""
    step = once(x, np.multiply)
    whole = step and number(step.args[1]) is not None and step.args[0].dtype == step.out.dtype
    return step.args if whole else None


def _is_minus_zero(x: Any) -> bool:
    return number(x) == 0 and bool(np.signbit(number(x)))


def within(value: float, out: Slot) -> Slot | None:
    """A constant, if the dtype has room for it: it became neither infinite nor 0."""
    with np.errstate(all="ignore"):
        slot = constant(value, out)
    return slot if np.isfinite(slot.value) and slot.value else None


def _times(a, b, out, once):
    for x, y in ((a, b), (b, a)):
        n = number(y)
        if n == 1:
            return x
        if n == -1:
            return (np.negative, x)
        if n is not None and (scaled := _scaled(x, once)):
            both = within(number(scaled[1]) * n, out)
            return both and (np.multiply, scaled[0], both)
        if step := once(x, np.negative):
            return (np.negative, (np.multiply, step.args[0], y))
        step = once(x, np.subtract) if n is not None and n < 0 else None
        if step and number(step.args[0]) is None:
            return (np.multiply, (np.subtract, *step.args[::-1]), constant(-n, out))
        if n is None and (step := once(x, np.divide)) and number(step.args[0]) == 1:
            return (np.divide, y, step.args[1])
        if n is None and (scaled := _scaled(x, once)):
            return (np.multiply, (np.multiply, scaled[0], y), scaled[1])
    if number(a) is not None and number(b) is None:
        return (np.multiply, b, a)
    return None


def _over(a, b, out, once):
    n = number(b)
    if n == 1:
        return a
    if n is not None and n != 0 and abs(np.frexp(n)[0]) == 0.5:  # a power of 2: 1 / n is exact
        inverse = within(1 / n, out)
        return inverse and (np.multiply, a, inverse)
    if n is None and (scaled := _scaled(a, once)):
        return (np.multiply, (np.divide, scaled[0], b), scaled[1])
    if step := once(a, np.negative):
        return (np.negative, (np.divide, step.args[0], b))
    return None


def _plus(a, b, out, once):
    for x, y in ((a, b), (b, a)):
        if _is_minus_zero(y):  # x + 0 is not x: of -0 it makes 0
            return x
        if step := once(y, np.negative):
            return (np.subtract, x, step.args[0])
        if number(y) is None and (step := once(x, np.add)) and step.args[1] is y:
            return (np.add, step.args[0], (np.multiply, y, constant(2, out)))
    if a is b:
        return (np.multiply, a, constant(2, out))
    return _in_one_scale(a, b, once, np.add, np.subtract)


def _minus(a, b, out, once):
    if number(b) == 0 and not _is_minus_zero(b):
        return a
    if step := once(b, np.negative):
        return (np.add, a, step.args[0])
    if _is_minus_zero(a):  # 0 - x is not -x, where x is 0
        return (np.negative, b)
    return _in_one_scale(a, b, once, np.subtract, np.add)


def _in_one_scale(a, b, once, same, opposite):
    """x * c + y * c is (x + y) * c."""
    p, q = _scaled(a, once), _scaled(b, once)
    if p and q and abs(number(p[1])) == abs(number(q[1])):
        op = same if number(p[1]) == number(q[1]) else opposite
        return (np.multiply, (op, p[0], q[0]), p[1])
    return None


def _minus_one(a, out, once):
    if step := once(a, np.negative):
        return step.args[0] if isinstance(step.args[0], Slot) else None
    if step := once(a, np.subtract):
        return (np.subtract, *step.args[::-1])
    if scaled := _scaled(a, once):
        return (np.multiply, scaled[0], constant(-number(scaled[1]), out))
    return None


def _raised(a, b, out, once):
    n = number(b)
    if n == 1:
        return a
    if n == 2:
        return (np.multiply, a, a)
    if n == 3:
        return (np.multiply, (np.multiply, a, a), a)
    return (np.divide, constant(1, out), a) if n == -1 else None


_ARITHMETIC: dict[Callable, Callable] = {
    np.multiply: _times, np.divide: _over, np.add: _plus, np.subtract: _minus,
    np.negative: _minus_one, np.power: _raised,
}  # fmt: skip
