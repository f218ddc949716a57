"""What the page shows in a step of a sweep: the card, what moves in the graph, what is kept.

Everything is plain data, made here once and small enough to travel (see summary.py). Words of the
user's are escaped here; the page sets them as they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from minigrad.watch import Part, Run, Step, Value

from . import alone, draw, formula, summary
from .explain import (
    Card,
    barred,
    equation,
    heading,
    letter,
    line_of,
    numbers_of,
    result,
    row,
    scalars,
    side,
    typeset,
)
from .picture import Picture, arrow_id, single, starts, symbols
from .program import listing_index, where
from .rounding import enough_digits
from .sentences import beginning, sentence
from .sweep import arrivals, completed, state_of, targets_of, unreached

MOST_TRACED = 100  # steps of a run whose entries are traced and checked one by one


def step_data(picture: Picture, step: Step, last: bool) -> dict[str, Any]:
    """All that the page shows in one step."""
    run, targets = picture.run, targets_of(step)
    zeros = unreached(run) if last else []
    done = [key for key, parts in targets.items() if completed(run, parts[0].value) == step.number]
    return {
        "number": step.number,
        "box": step.value.id,
        "line": listing_index(run, step.value.line),
        "arrows": [arrow_id(step.value, part.input) for part in step.parts],
        "targets": list(targets),
        "badges": {key: draw.badge(parts[-1].total) for key, parts in targets.items()}
        | {leaf.id: draw.badge(run.gradients[leaf]) for leaf in zeros},
        "parts": {key: len(parts) for key, parts in targets.items()},
        "told": {
            key: f"gradient {state_of(run, step.number, parts[0].value)}: {_said(parts[-1].total)}"
            for key, parts in targets.items()
        },
        "gradients": _complete(picture, [*done, *(leaf.id for leaf in zeros)]),
        "card": _step_card(picture, step),
        "sentence": sentence(picture, step, last),
    }


def _complete(picture: Picture, ids: list[str]) -> dict[str, Card]:
    """The gradients that are complete now, for the cards of their values."""
    return {key: row(barred(picture.names[key]), "gradient", picture.badges[key]) for key in ids}


def start_data(picture: Picture) -> dict[str, Any]:
    """What the page shows before the first step: the outputs and their gradients, 1."""
    run, begin = picture.run, starts(picture.run)
    outputs = list(dict.fromkeys(run.outputs))
    names = [f"<b>{escape(picture.names[value.id])}</b>" for value in outputs]
    rows = []
    for value in outputs:
        name = picture.names[value.id]
        rows.append(row(letter(name), "value", value.data))
        if value in begin:
            rows.append(row(barred(name), "to start", begin[value]))
    formulas = [equation(picture, value) for value in outputs if value.kind == "op"]
    return {
        "number": 0, "box": run.output.id, "line": None, "arrows": [], "targets": [], "parts": {},
        "badges": {value.id: draw.badge(g) for value, g in begin.items()},
        "told": {value.id: f"gradient to start: {_said(g)}" for value, g in begin.items()},
        "gradients": _complete(picture, [v.id for v in begin if v not in arrivals(run)]),
        "card": {
            "heading": f"{formula.words(names)}<span>, before the first step</span>",
            "formulas": formulas, "facts": [], "rows": rows,
        },
        "sentence": beginning(picture, outputs, begin),
    }  # fmt: skip


def _said(g: Any) -> str:
    """A gradient for who hears the picture: text, not HTML."""
    return summary.minus(summary.inline(single(g)))


def _step_card(picture: Picture, step: Step) -> Card:
    value, scale = step.value, scale_of(step)
    rows = [*given_rows(picture, step)]
    for parts in targets_of(step).values():
        rows += _part_rows(picture, step, parts, scale)
    return {
        "heading": heading(picture, value),
        "formulas": [equation(picture, value), *rules(picture, step)],
        "facts": [],
        "rows": rows,
        "checks": checks(picture, step),
        "source": source_elsewhere(picture, value),
    }


def scale_of(step: Step) -> float:
    """What the deepest colour stands for in a step's gradients."""
    sent = [a for part in step.parts for a in (part.before, part.dx, part.total)]
    return summary.scale_of(single(step.g), *(a for a in sent if a is not None))


def given_rows(picture: Picture, step: Step) -> Iterator[Card]:
    """The op's value, the gradient of it that comes in, and what was kept for the rules."""
    value, names = step.value, picture.names
    saved = saved_by(value)
    yield row(letter(names[value.id]), "kept" if value in saved else "value", value.data)
    yield row(barred(names[value.id]), "comes in", step.g, scale_of(step)) | {"incoming": True}
    for each in saved:
        if each is not value:
            yield row(letter(names[each.id]), "kept", each.data)


def source_elsewhere(picture: Picture, value: Value) -> str:
    """The line of an op that the listing does not show."""
    line = value.line
    return "" if line is None or listing_index(picture.run, line) is not None else line.text.strip()


def saved_by(value: Value) -> list[Value]:
    """The values that the op kept for its rules, each once; not numbers in the program's text."""
    given = dict(value.inputs) | {"out": value}
    found = dict.fromkeys(given[name] for name in value.saved if name in given)
    return [v for v in found if v.kind != "constant" or v.name or v.shape != ()]


def _part_rows(picture: Picture, step: Step, parts: list[Part], scale: float) -> Iterator[Card]:
    target = parts[0].value
    label = barred(picture.names[target.id])
    state = state_of(picture.run, step.number, target)
    if len(parts) == 1 and parts[0].before is None:
        yield row(label, state, parts[0].dx, scale) | _traced(picture, step, parts[0])
        return
    if parts[0].before is not None:
        yield row(label, "before", parts[0].before, scale)
    for index, part in enumerate(parts):
        plus = "+ " if index or part.before is not None else ""
        name = f"part {index + 1}" if len(parts) > 1 else "part"
        said = f"<span>{plus}{name}</span>"
        yield row(said, "", part.dx, scale) | _traced(picture, step, part)
    yield row(f"<span>= </span>{label}", state, parts[-1].total, scale) | {"total": True}


def _traced(picture: Picture, step: Step, part: Part) -> Card:
    """Where the entries of a part come from: `links`, or of a big array a sentence about one."""
    if len(picture.run.steps) > MOST_TRACED:
        return {}
    links = alone.links(step, part)
    if links is not None:
        return {"links": links}
    found = None if summary.is_whole(part.dx) else alone.reach(step, part)
    if found is None:
        return {}
    place, count = found
    g = f"gradient of {picture.names[step.value.id]}"
    many = "1 entry" if count == 1 else f"{count:,} entries"
    return {"reach": f"For example, {place} comes from {many} of the {g}"}


def checks(picture: Picture, step: Step) -> list[dict[str, str]]:
    """What central differences of the op alone say of its parts; the same words once."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    one_by_one = len(picture.run.steps) <= MOST_TRACED
    for part in step.parts:
        check = alone.check(step, part, one_by_one)
        if check is None:
            continue
        name = picture.names[part.value.id]
        text = said_of(check)
        found[name, text] = {"label": barred(name), "kind": check.kind, "text": text}
    return list(found.values())


def said_of(check: alone.Check) -> str:
    """A check in words: `difference says 2.0000, rule says 2.0000`."""
    difference, rule = (summary.minus(_four(x)) for x in (check.difference, check.rule))
    if check.kind == "kink":
        left, right = (summary.minus(_four(side)) for side in check.sides)
        at = f" at {check.place}" if check.place else ""
        return f"a kink{at}: slope {left} on the left, {right} on the right; rule says {rule}"
    if check.drowned:
        at = f" at {check.place}" if check.place.startswith("[") else ""
        return f"unclear{at}: the numbers are too large to tell by a difference; rule says {rule}"
    text = f"difference says {difference}, rule says {rule}"
    if check.kind == "differs":
        text += ": they differ"
    if check.place.startswith("["):
        text = f"at {check.place} {text}"
        every = "both" if check.count == 2 else f"all {check.count}"
        several = check.kind == "agrees" and check.count > 1
        return f"{text}; {every} entries agree" if several else text
    return f"all {check.count:,} entries at once: {text}" if check.place else text


def _four(x: float) -> str:
    """A number with 4 decimals, or with 5 digits where those would not show it."""
    small = x and not 1e-2 <= abs(x) < 1e5
    return f"{x:.4e}" if small else f"{x + 0.0:.4f}"


def rules(picture: Picture, step: Step) -> list[str]:
    """The rules that the step applies; one that is used for two parts is written once."""
    value, counts = step.value, dict[str, int]()
    letters = symbols(value, picture.names)
    for part in step.parts:
        target = picture.names[part.value.id]
        if part.formula:
            sides = [typeset(value, part.formula, letters)]
            if scalars(value):
                digits = enough_digits(step, part)
                numbers, g = numbers_of(value, digits), summary.number(single(step.g), digits)
                sides.append(typeset(value, part.formula, numbers, g))
                worked_out = summary.minus(summary.number(part.dx))
                if formula.plain(part.formula, numbers, g) != worked_out:
                    sides.append(result(part.dx))
        else:
            sides = [f"<mtext>the bprop of {escape(value.op.name)}</mtext>"]
        equals = "+=" if len(arrivals(picture.run)[part.value]) > 1 else "="
        line = line_of(side(r"\bar x", target), *sides, equals=equals)
        note = summed(step, part) or _repeated(step, part)
        if note:
            line += f'<span class="mgw-aside mgw-own-line">{note}</span>'
        counts[line] = counts.get(line, 0) + 1
    times = {2: "twice", 3: "three times"}
    return [
        line + (f'<span class="mgw-aside">{times.get(n, f"{n} times")}</span>' if n > 1 else "")
        for line, n in counts.items()
    ]


def summed(step: Step, part: Part) -> str:
    """A note, if the sweep summed a part because broadcasting had stretched its input."""
    if any(
        type(v.data) is tuple for v in (step.value, *(source for _, source in step.value.inputs))
    ):
        return ""  # a Cell with several outputs: its bprop broadcasts nothing
    shapes = [source.shape for _, source in step.value.inputs]
    try:
        stretched = np.broadcast_shapes(*shapes) == step.value.shape
    except ValueError:
        return ""
    if stretched and len(shapes) > 1 and part.dx.size < single(step.g).size:
        return "summed where broadcasting repeated it"
    return ""


def _repeated(step: Step, part: Part) -> str:
    """A note, if the part is a smaller gradient again and again: what was added gets it whole."""
    adds = step.value.op.name in ("sum", "mean")
    return "repeated for every entry" if adds and part.dx.size > single(step.g).size else ""


# ------------------------------------------------------------------ kept for the backward pass


def kept(picture: Picture) -> list[dict[str, Any]]:
    """What the run keeps for the backward pass: each array once, with the ops that want it."""
    wanted: dict[Value, list[Value]] = {}
    for step in reversed(picture.run.steps):
        for saved in saved_by(step.value):
            wanted.setdefault(saved, []).append(step.value)
    numbers = {step.value: step.number for step in picture.run.steps}
    return [
        {
            "label": letter(picture.names[saved.id]),
            "size": f"{summary.shape_text(saved.shape)}, {_bytes(saved)}",
            "for": "for " + ", ".join(dict.fromkeys(_use(picture.run, user) for user in users)),
            "steps": sorted(numbers[user] for user in users),
        }
        for saved, users in wanted.items()
    ]


def _use(run: Run, user: Value) -> str:
    return where(run, user.line) or str(user.op.name)


def _bytes(value: Value) -> str:
    arrays = value.data if isinstance(value.data, tuple) else (value.data,)
    size = sum(array.nbytes for array in arrays)
    return f"{size:,} byte{'s' if size != 1 else ''}" if size < 10**5 else f"{size / 1e6:,.1f} MB"
