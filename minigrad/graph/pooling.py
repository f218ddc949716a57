"""The pass that takes the largest of each window before relu."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from ..rules.pool import first_of_largest, max_pool, spread_windows
from .program import Program, Slot, Step, getitem
from .rewriting import number, rewrite


def pooling(program: Program) -> Program:
    """Take the largest of each window before relu, which then has fewer numbers to do.

    relu keeps the order of numbers, so max(relu(x)) is relu(max(x)), but for the sign of a 0. And
    what it lets through of a gradient at the largest entry, it lets through for the whole window.
    """

    def rule(op, args, out, made):
        if op is max_pool:
            x, *settings = args
            relu = made(x)
            if _is(relu, np.maximum) and _hold_an_entry(*settings):
                return (np.maximum, (max_pool, relu.args[0], *settings), relu.args[1])
        if op is np.maximum:
            return _larger(args[0], args[1], out, made)
        if op is np.multiply:
            return _let_through(args[0], args[1], made)
        return None

    return rewrite(program, rule)


def _larger(x: Any, y: Any, out: Slot, made: Any) -> tuple | None:
    """The larger of entries that relu let through: relu of the larger, where that is no more."""
    if not any((step := made(each)) is not None and step.op is getitem for each in (x, y)):
        return None
    (a, relu), (b, other) = _before_relu(x, made), _before_relu(y, made)
    if relu is None or other is None or out.size > min(relu.out.size, other.out.size):
        return None
    return (np.maximum, (np.maximum, a, b), relu.args[1])


def _before_relu(x: Any, made: Any) -> tuple[Any, Step | None]:
    """What was there before relu, and relu, if x is relu of it, or entries of relu of it."""
    step = made(x)
    if step is not None and step.op is getitem:
        relu = made(step.args[0])
        if _is(relu, np.maximum):
            return (getitem, relu.args[0], *step.args[1:]), relu
    return (step.args[0], step) if _is(step, np.maximum) else (None, None)


def _let_through(gradient: Any, mask: Any, made: Any) -> tuple | None:
    """A gradient spread over windows, and then masked by relu: masked before it is spread."""
    spread, mask = made(gradient, once=True), made(mask)
    if spread is None or spread.op is not spread_windows or not _is(mask, np.greater):
        return None
    g, weights, shape, *settings = spread.args
    first, relu = made(weights), made(mask.args[0])
    if first is None or first.op is not first_of_largest or not _is(relu, np.maximum):
        return None
    y, largest, *others = first.args
    pooled, x, zero = made(largest), relu.args[0], relu.args[1]
    if y is not relu.out or others != settings or not _is(pooled, np.maximum):
        return None
    # Where relu lets nothing through, other entries may be found first: what they get is 0.
    weights = (first_of_largest, x, pooled.args[0], *settings)
    return (
        spread_windows,
        (np.multiply, g, (np.greater, largest, zero)),
        weights,
        shape,
        *settings,
    )


def _is(step: Step | None, op: Any) -> TypeGuard[Step]:
    """Whether a step compares with 0 by this op: not with -0, nor in a dtype that it names."""
    if step is None or step.op is not op or step.named:
        return False
    bound = number(step.args[1])
    return bound == 0 and not np.signbit(bound)


def _hold_an_entry(window, stride, padding, dilation) -> bool:
    """Whether no window lies in the padding alone, where the largest is minus infinity."""
    reach = all(max(sides) < k for k, sides in zip(window, padding, strict=True))
    return not np.any(padding) or (reach and set(dilation) == {1})
