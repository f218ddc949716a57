"""How many digits a rule's numbers need, so that a reader who works them out gets the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import names_of
from minigrad.watch import Part, Step

from . import summary
from .picture import single

FEWEST, MOST = 4, 7
_CLOSE = 2e-3


def enough_digits(step: Step, part: Part) -> int:
    """From 4 to 7: the fewest with which the rounded numbers give the part that is shown.

    1 - out², with out = -0.999988, is 0 to 4 digits; the rule of tanh needs more there.
    """
    rule = step.value.op.rules.get(part.input)
    if rule is None:
        return FEWEST
    wanted = float(part.dx)
    for digits in range(FEWEST, MOST):
        found = _worked_out(rule, step, digits)
        if found is None or abs(found - wanted) <= _CLOSE * abs(wanted):
            return digits
    return MOST


def _worked_out(rule: Any, step: Step, digits: int) -> float | None:
    """What the rule gives for rounded numbers; None if it asks for more than numbers."""
    value = step.value
    given = {name: _rounded(source.data, digits) for name, source in value.inputs}
    given |= {"g": _rounded(single(step.g), digits), "out": _rounded(value.data, digits)}
    given = dict(value.static) | given
    try:
        with np.errstate(all="ignore"):
            return float(rule(*(given[name] for name in names_of(rule))))
    except (KeyError, TypeError, ValueError):
        return None


def _rounded(data: Any, digits: int) -> Any:
    return np.float64(summary.number(data, digits)) if np.ndim(data) == 0 else data
