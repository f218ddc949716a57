"""What a stepper asks before it shows a step, and which wrong answers it can explain.

A value whose tables show every entry is asked for a number: the gradient that it has after the
step, or one entry of it. Of a bigger array the rule is asked for, among others that look like it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from minigrad.tape import unbroadcast
from minigrad.watch import Part, Step

from . import alone, summary
from .explain import barred, equation, heading, line_of, row, side, typeset
from .picture import MATRIX_PRODUCTS, Picture, has_formula, single, symbols
from .program import listing_index, where
from .sealed import token, tokens_near
from .step_card import given_rows, scale_of, source_elsewhere, summed
from .sweep import targets_of

_CLOSE_TO_ZERO = 1e-5  # of the greatest number around: what rounding leaves of a 0

_FORGOT_G = "That is the op's own slope: multiply it by the gradient that comes in."
_ONLY_G = "That is the gradient that comes in, as it came: the rule has another factor."
_SIGN = "The size is right, the sign is not."
_SIGN_OF_PART = "What arrives now has the other sign."
_ONLY_PART = "That is what arrives now. Something had arrived before: the two add."
_ONE_PART = "That is one of the parts that arrive. They add."
_BEFORE = "That is what was there before the step. What arrives now adds to it."
_OTHER = "That is what goes to {}. Each input gets the other factor."
_TURNED = "That is the entry at {}: rows and columns are swapped."
_NOT_SUMMED = "That is one of several: broadcasting used this entry again and again, so they add."
_VALUE = "That is made with the op's value. The rule wants its slope."


@dataclass
class Question:
    """One question: the data for the page without the answer, the answer, and known mistakes."""

    step: Step
    data: dict[str, Any]
    answers: list[str]  # the tokens that count as right, the best first
    mistakes: dict[str, str]  # what to say to a token


def question_of(picture: Picture, step: Step) -> Question | None:
    """What to ask before a step; None if it sends nothing that could be asked for."""
    if type(step.g) is tuple or not step.parts:
        return None
    candidates = [
        _number_question(picture, step, parts)
        if all(summary.is_whole(a) for a in (parts[-1].total, step.g))
        else _rule_question(picture, step, parts[0])
        for parts in targets_of(step).values()
        if parts[0].dx.size
    ]
    asked = [question for question in candidates if question is not None]
    return max(asked, key=lambda question: len(set(question.mistakes.values())), default=None)


def _common(picture: Picture, step: Step, part: Part) -> dict[str, Any]:
    """What the page shows while it asks: all of the step but what it sends."""
    value, names = step.value, picture.names
    place = where(picture.run, value.line)
    rows = [*given_rows(picture, step)]
    if part.before is not None:
        rows.append(row(barred(names[part.value.id]), "so far", part.before, scale_of(step)))
    return {
        "number": step.number,
        "box": value.id,
        "line": listing_index(picture.run, value.line),
        "target": part.value.id,
        "label": f"Gradient of {names[part.value.id]}",
        "card": {
            "heading": heading(picture, value),
            "formulas": [equation(picture, value)],
            "facts": [],
            "rows": rows,
            "source": source_elsewhere(picture, value),
        },
        "before": (
            f"Step {step.number} of {len(picture.run.steps)}. <b>{escape(value.op.name)}</b>"
            f"{f' ({escape(place)})' if place else ''} is next. "
        ),
    }


# ------------------------------------------------------------------ a number


def _number_question(picture: Picture, step: Step, parts: list[Part]) -> Question:
    total = np.asarray(parts[-1].total, np.float64)
    wrong = [(np.asarray(a, np.float64), words) for a, words in _mistakes(picture, step, parts)]
    scale = summary.scale_of(total, single(step.g), *(part.dx for part in parts))
    zero = scale * _CLOSE_TO_ZERO
    best: tuple[float, tuple[int, ...], dict[str, str]] = (-1.0, (), {})
    for index in np.ndindex(total.shape):
        right = tokens_near(float(total[index]), zero)
        told: dict[str, str] = {}
        for array, words in wrong:
            near = tokens_near(float(array[index]), zero)
            if not set(near) & set(right):
                said = words.format(list(index[::-1])) if words is _TURNED else words
                told |= {each: said for each in near if each not in told}
        told |= _unsummed(step, parts, index, right, told, zero)
        points = len(set(told.values())) + (total[index] != 0)
        if points > best[0]:
            best = (points, index, told)
    _, index, told = best
    number = float(total[index])
    name = picture.names[parts[0].value.id]
    data = _common(picture, step, parts[0])
    asked = f"What is {barred(name)}"
    if index:
        asked += f" at <b>{list(index)}</b>"
        data["entry"] = list(index)
        data["label"] += f" at {list(index)}"
    data |= {
        "kind": "number",
        "prompt": f"{data.pop('before')}{asked} after this step?",
        "hint": _hint(picture, step, parts),
    }
    answers = list(dict.fromkeys([*tokens_near(number, zero), token(number)]))
    return Question(step, data, answers, told)


def _hint(picture: Picture, step: Step, parts: list[Part]) -> str:
    """The rule, for who is stuck."""
    letters = symbols(step.value, picture.names)
    rules = [part.formula for part in parts if part.formula]
    if not rules or not has_formula(step.value):
        return ""
    sides = list(dict.fromkeys(typeset(step.value, latex, letters) for latex in rules))
    left = side(r"\bar x", picture.names[parts[0].value.id])
    adds = len(parts) > 1 or parts[0].before is not None
    return "".join(line_of(left, side, equals="+=" if adds else "=") for side in sides)


def _mistakes(picture: Picture, step: Step, parts: list[Part]) -> Iterator[tuple[np.ndarray, str]]:
    """Whole arrays that a known mistake makes of the gradient, the likeliest first."""
    target, op = parts[0].value, alone.Alone(step)
    total, before, g = parts[-1].total, parts[0].before, step.g
    start = np.zeros_like(total) if before is None else before
    slopes = [x for x in (op.pull(part, np.ones_like(g)) for part in parts) if x is not None]
    if len(slopes) == len(parts):
        yield np.add(start, sum(slopes)), _FORGOT_G
    sent = np.sum([part.dx for part in parts], axis=0)
    if before is not None:
        yield sent, _ONLY_PART
        yield before, _BEFORE
    if len(parts) > 1:
        yield start + parts[0].dx, _ONE_PART
    if len(slopes) == len(parts) and before is not None:
        yield np.sum(slopes, axis=0), _FORGOT_G
    given = _as_shaped(g, target.shape)
    if given is not None:
        yield start + given, _ONLY_G
    for other in step.parts:
        if other.value is not target and other.dx.shape == total.shape:
            yield start + other.dx, _OTHER.format(escape(picture.names[other.value.id]))
    value = single(step.value.data)
    if value.dtype.kind == "f":
        made = _as_shaped(g * value, target.shape)
        if made is not None and len(step.value.inputs) == 1:
            yield start + made, _VALUE
    yield -total, _SIGN
    yield start - sent, _SIGN_OF_PART
    if total.ndim == 2 and total.shape[0] == total.shape[1]:
        yield total.T, _TURNED


def _unsummed(
    step: Step, parts: list[Part], index: tuple[int, ...], right: list[str],
    told: dict[str, str], zero: float,
) -> dict[str, str]:  # fmt: skip
    """What to say to a single one of the entries that the sweep adds up after broadcasting."""
    shape, found = parts[0].value.shape, dict[str, str]()
    for part in parts:
        raw = alone.Alone(step).pull(part, step.g, sum_up=False)
        if raw is None or raw.shape == shape:
            continue
        extra = raw.ndim - len(shape)
        pick = tuple(slice(None) if n == 1 else i for i, n in zip(index, shape, strict=True))
        for each in np.unique(raw[(slice(None),) * extra + pick])[:3]:
            near = tokens_near(float(each), zero)
            if not set(near) & set(right):
                found |= {x: _NOT_SUMMED for x in near if x not in told}
    return found


def _as_shaped(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """An incoming gradient as a gradient of this shape, if broadcasting leads from one to other."""
    try:
        if np.broadcast_shapes(g.shape, shape) == g.shape:
            return np.asarray(unbroadcast(g, shape))
        return np.broadcast_to(g, shape)
    except ValueError:
        return None


# ------------------------------------------------------------------ a rule


def _rule_question(picture: Picture, step: Step, part: Part) -> Question | None:
    """Which rule gives the part: the right one, among some that a known mistake makes of it."""
    value = step.value
    if not part.formula or not has_formula(value):
        return None
    letters = symbols(value, picture.names)
    note = summed(step, part)

    def option(latex: str, bar: str | None = None, added: str = note, sign: str = "") -> str:
        left = side(r"\bar x", picture.names[part.value.id])
        text = line_of(left, sign + typeset(value, latex, letters, bar))
        return text + (f'<span class="mgw-aside">{added}</span>' if added else "")

    right = option(part.formula)
    others = {option(part.formula, bar="1"): _FORGOT_G}
    for other in step.parts:
        if other.formula:
            name = escape(picture.names[other.value.id])
            others.setdefault(option(other.formula), _OTHER.format(name))
    if value.op.name in MATRIX_PRODUCTS and r"^{\top}" in part.formula:
        turned = "The shapes do not fit: without the transposed matrix the axes do not meet."
        others.setdefault(option(part.formula.replace(r"^{\top}", "")), turned)
    if note:
        others.setdefault(option(part.formula, added="as it is"), _NOT_SUMMED)
    others.setdefault(option(part.formula, sign="<mo>−</mo>"), _SIGN)
    others.pop(right, None)
    chosen = sorted([right, *list(others)[:3]])  # by their text: the place tells nothing
    shape = summary.shape_text(part.value.shape)
    data = _common(picture, step, part)
    name = picture.names[part.value.id]
    data |= {
        "kind": "rule",
        "prompt": f"{data.pop('before')}Which rule gives its part for {barred(name)}, "
        f"of shape {shape}?",
        "options": chosen,
        "hint": "",
    }
    mistakes = {str(chosen.index(text)): words for text, words in list(others.items())[:3]}
    return Question(step, data, [str(chosen.index(right))], mistakes)
