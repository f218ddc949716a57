"""What the page shows in a step of the run itself: what an op makes, and what it keeps and why."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from minigrad.op import names_of
from minigrad.watch import Run, Value

from . import formula, summary
from .explain import (
    Card,
    equation,
    heading,
    letter,
    line_of,
    row,
    side,
    typeset,
)
from .picture import Picture, arrow_id, is_custom, starts, stops, symbols
from .program import listing_index, where
from .step_card import kept, saved_by, source_elsewhere

MOST_GIVEN = 6  # inputs and Parameters whose values are shown before the first step


def forward_steps(picture: Picture) -> list[dict[str, Any]]:
    """The steps: one before the run, then one for each op."""
    made = ops_of(picture.run)
    steps = (_step(picture, value, n, len(made)) for n, value in enumerate(made, 1))
    return [_start(picture, len(made)), *steps]


def ops_of(run: Run) -> list[Value]:
    """The values that ops made, in the order of the run."""
    return [value for value in run.values if value.kind == "op"]


def kept_by(picture: Picture) -> list[dict[str, Any]]:
    """What is kept for the backward pass, with the steps of the run that keep it."""
    numbers = {value: n for n, value in enumerate(ops_of(picture.run), 1)}
    sweep = {step.number: numbers[step.value] for step in picture.run.steps}
    return [
        item | {"steps": sorted(sweep[number] for number in item["steps"])}
        for item in kept(picture)
    ]


def _start(picture: Picture, steps: int) -> dict[str, Any]:
    run, names = picture.run, picture.names
    leaves = [value for value in run.values if value.kind in ("input", "parameter")]
    rows = [row(letter(names[v.id]), v.kind, v.data) for v in leaves[:MOST_GIVEN]]
    given = formula.words([f"<b>{escape(names[v.id])}</b>" for v in leaves[:MOST_GIVEN]])
    if len(leaves) > MOST_GIVEN:
        given += f" and {len(leaves) - MOST_GIVEN} more"
    are = "is" if len(leaves) == 1 else "are"
    text = f"Nothing has run yet. {given} {are} given. " if leaves else "Nothing has run yet. "
    text += f"Step on, and the program runs op by op: {steps} in all."
    head = "<b>Before the first step</b>"
    card = {"heading": head, "formulas": [], "facts": [], "rows": rows}
    return _nothing_moves() | {"number": 0, "card": card, "sentence": text}


def _nothing_moves() -> dict[str, Any]:
    """A step in which the graph stays as it is."""
    return {
        "box": None, "line": None, "arrows": [], "targets": [], "badges": {}, "parts": {},
        "told": {}, "gradients": {},
    }  # fmt: skip


def _step(picture: Picture, value: Value, number: int, steps: int) -> dict[str, Any]:
    """All that the page shows when an op has run."""
    run = picture.run
    return _nothing_moves() | {
        "number": number,
        "box": value.id,
        "line": listing_index(run, value.line),
        "arrows": [arrow_id(value, name) for name, _ in value.inputs],
        "card": _card(picture, value),
        "sentence": _sentence(picture, value, number, steps),
    }


def _card(picture: Picture, value: Value) -> Card:
    names, saved = picture.names, saved_by(value)
    rows = []
    for source in dict.fromkeys(source for _, source in value.inputs):
        if source.kind != "constant" or source.shape or source.name:
            note = "goes in, kept" if source in saved else "goes in"
            rows.append(row(letter(names[source.id]), note, source.data))
    note = "comes out, kept" if value in saved else "comes out"
    out = row(letter(names[value.id]), note, value.data) | {"total": True}
    return {
        "heading": heading(picture, value),
        "formulas": [equation(picture, value), *_needs(picture, value)],
        "facts": [],
        "rows": [*rows, out],
        "source": source_elsewhere(picture, value),
    }


def _needs(picture: Picture, value: Value) -> Iterator[str]:
    """The rules for the backward pass, each with what it needs of what the op kept."""
    names = picture.names
    if is_custom(value):
        kept_all = formula.words([escape(names[v.id]) for v in saved_by(value)])
        yield f'<span class="mgw-aside">later: its own bprop, which may need {kept_all}</span>'
        return
    letters = symbols(value, names)
    lines: dict[str, None] = {}
    for name, source in value.inputs:
        rule, latex = value.op.rules.get(name), value.op.rule_formulas.get(name)
        if rule is None or not latex or not source.tracked or not value.tracked:
            continue
        needs = _wanted(value, names_of(rule))
        why = f"needs {formula.words([escape(names[v.id]) for v in needs])}" if needs else ""
        line = line_of(side(r"\bar x", names[source.id]), typeset(value, latex, letters))
        lines[f'{line}<span class="mgw-aside">later, {why or "needs nothing kept"}</span>'] = None
    yield from lines


def _wanted(value: Value, parameters: tuple[str, ...]) -> list[Value]:
    """What a rule needs of what the op kept."""
    given = dict(value.inputs) | {"out": value}
    wanted = {given[name] for name in parameters if name in given}
    return [each for each in saved_by(value) if each in wanted]


def _sentence(picture: Picture, value: Value, number: int, steps: int) -> str:
    names, place = picture.names, where(picture.run, value.line)
    text = (
        f"Step {number} of {steps}. <b>{escape(value.op.name)}</b>"
        f"{f' ({escape(place)})' if place else ''} makes {_result(picture, value)}. "
    )
    saved = saved_by(value) if value.tracked else []
    if stops(value):
        text += "No gradient will come back through it."
    elif not value.tracked:
        text += "It keeps nothing, for no gradient will come back through it."
    elif saved:
        text += f"It keeps {formula.words([escape(names[v.id]) for v in saved])}, "
        text += f"which the backward pass will need{_for(picture, value)}."
    else:
        text += "It keeps nothing: its rule needs only the gradient that comes in."
    return text + (_ending(picture) if number == steps else "")


def _result(picture: Picture, value: Value) -> str:
    entries = escape(summary.minus(summary.inline(value.data)))
    name = escape(picture.names[value.id])
    many = isinstance(value.data, tuple)
    return f"{len(value.data)} outputs" if many else f"{name}, which is {entries}"


def _for(picture: Picture, value: Value) -> str:
    """For whose gradients an op keeps what it keeps."""
    wanting = []
    for name, source in value.inputs:
        rule = value.op.rules.get(name)
        if rule is not None and source.tracked and _wanted(value, names_of(rule)):
            wanting.append(escape(picture.names[source.id]))
    wanting = list(dict.fromkeys(wanting))
    gradients = "gradient" if len(wanting) == 1 else "gradients"
    return f" for the {gradients} of {formula.words(wanting)}" if wanting else ""


def _ending(picture: Picture) -> str:
    """Where the run ends and the backward pass begins."""
    begin: dict[Value, np.ndarray] = starts(picture.run)
    if not begin:
        return " The program has run; it depends on no input, so there is no backward pass."
    names = formula.words([f"<b>{escape(picture.names[value.id])}</b>" for value in begin])
    gs = list(dict.fromkeys(summary.minus(summary.inline(g)) for g in begin.values()))
    back = len(picture.run.steps)
    return (
        f" The program has run. Here the backward pass begins: at {names}, with gradient "
        f"{formula.words(gs)}. It goes back through {back} op{'' if back == 1 else 's'}."
    )
