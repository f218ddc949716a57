"""What the page says about a value and about a step: cards and sentences.

Everything is plain data, made here once and small enough to travel (see summary.py). Words of the
user's are escaped here; the page sets them as they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from minigrad.watch import Part, Run, Step, Value

from . import draw, formula, summary
from .picture import (
    MATRIX_PRODUCTS,
    Picture,
    arrow_id,
    has_formula,
    is_custom,
    is_cut,
    single,
    starts,
    symbols,
)
from .program import listing_index, where
from .rounding import enough_digits
from .sentences import beginning, sentence, targets_of, unreached

Card = dict[str, Any]
_LONG_NAME = 14  # a formula may go on below after one


def value_card(picture: Picture, value: Value) -> Card:
    """All about one value: formula, shape, dtype, entries, gradient, source line."""
    run, name = picture.run, picture.names[value.id]
    card: Card = {"heading": _heading(picture, value), "formulas": [], "facts": [], "rows": []}
    card |= {"name": name, "label": picture.label(value)}
    if value.kind == "op":
        card["formulas"] = [_equation(picture, value)]
        if value.line is not None and value.line.text:
            card["source"] = value.line.text.strip()
    card["facts"] = list(_facts(value))
    label = _math(name)
    card["rows"].append(_row(label, "value", value.data))
    g = picture.badges.get(value.id)
    if g is not None:
        card["rows"].append(_row(_bar(name), "gradient", g) | {"after": completed(run, value)})
    return card


def completed(run: Run, value: Value) -> int:
    """The number of the step after which a value's gradient is complete; 0 for the output's."""
    into = [step.number for step in run.steps if any(part.value is value for part in step.parts)]
    return max(into, default=0)


def _facts(value: Value) -> Iterator[tuple[str, str]]:
    yield (
        "kind",
        {"op": "op", "input": "input", "parameter": "Parameter"}.get(value.kind, "constant"),
    )
    yield "shape", summary.shape_text(value.shape)
    yield "dtype", dtype_text(value)
    chosen = {k: v for k, v in value.static.items() if v is not None and v is not False}
    if chosen:
        yield "with", ", ".join(f"{k}={v!r}" for k, v in chosen.items())
    if is_custom(value):
        yield "gradient", "by the Cell's own bprop"
    if value.cells:
        yield "Cell", " / ".join(value.cells)
    if is_cut(value):
        yield "gradient", "none: it is cut here"


def dtype_text(value: Value) -> str:
    """The dtype; of several outputs, each."""
    dtypes = value.dtype if isinstance(value.dtype, tuple) else (value.dtype,)
    return ", ".join(map(str, dtypes))


def _heading(picture: Picture, value: Value) -> str:
    name = value.op.name if value.kind == "op" else picture.names[value.id]
    place = where(picture.run, value.line) if value.kind == "op" else value.kind
    return f"<b>{escape(name)}</b>" + (f"<span>, {escape(place)}</span>" if place else "")


def _math(name: str) -> str:
    return formula.typeset("x", {"x": name})


def _bar(name: str) -> str:
    return formula.typeset(r"\bar x", {"x": name})


def _inside(mathml: str) -> str:
    return mathml.removeprefix("<math>").removesuffix("</math>")


def _scalars(value: Value) -> bool:
    return value.shape == () and all(source.shape == () for _, source in value.inputs)


def _numbers(value: Value, digits: int = 4) -> dict[str, str]:
    """The letters of a formula as numbers, for an op on scalars."""
    numbers = {source.id: summary.number(source.data, digits) for _, source in value.inputs}
    return symbols(value, numbers | {value.id: summary.number(value.data, digits)})


def _typeset(value: Value, latex: str, names: dict[str, str], bar: str | None = None) -> str:
    """The inside of a formula of the op's; a product of matrices is written as in the program."""
    text = _inside(formula.typeset(latex, names, bar))
    product = "<mo>·</mo>"
    return text.replace(product, "<mo>@</mo>") if value.op.name in MATRIX_PRODUCTS else text


def _line(left: str, *rights: str, equals: str = "=") -> str:
    """`left = right = right`: each a formula of its own, so that a long line can go on below."""
    signs = [equals, *("=" for _ in rights[1:])]
    parts = [f"<mo>{sign}</mo>{right}" for sign, right in zip(signs, rights, strict=True)]
    if len(re.sub("<[^>]*>", "", left)) > _LONG_NAME:
        parts.insert(0, left)
    else:
        parts[0] = left + parts[0]
    return "".join(f'<math displaystyle="true"><mrow>{part}</mrow></math>' for part in parts)


def _result(number: Any) -> str:
    return f"<mn>{summary.minus(summary.number(number))}</mn>"


def _equation(picture: Picture, value: Value) -> str:
    """The op's formula in the program's names, and in numbers if all are scalars."""
    latex, name = value.op.formula, picture.names[value.id]
    if not has_formula(value):
        inputs = ", ".join(picture.names[source.id] for _, source in value.inputs)
        return formula.typeset("z = f", {"z": name, "f": f"{value.op.name}({inputs})"})
    letters = symbols(value, picture.names)
    right = formula.right_side(latex)
    sides = [_typeset(value, right, letters)]
    if _scalars(value) and formula.plain(right, letters) != picture.names[value.inputs[0][1].id]:
        sides += [_typeset(value, right, _numbers(value)), _result(value.data)]
    return _line(_inside(_math(name)), *sides)


# ------------------------------------------------------------------ a step


def step_data(picture: Picture, step: Step, last: bool) -> dict[str, Any]:
    """All that the page shows in one step."""
    run = picture.run
    targets = targets_of(step)
    return {
        "number": step.number,
        "box": step.value.id,
        "line": listing_index(run, step.value.line),
        "arrows": [arrow_id(step.value, part.input) for part in step.parts],
        "targets": list(targets),
        "badges": {key: draw.badge(parts[-1].total) for key, parts in targets.items()}
        | ({leaf.id: draw.badge(run.gradients[leaf]) for leaf in unreached(run)} if last else {}),
        "parts": {key: len(parts) for key, parts in targets.items()},
        "told": {
            key: f"gradient {_state(run, step, parts[0].value)}: {_said(parts[-1].total)}"
            for key, parts in targets.items()
        },
        "card": _step_card(picture, step),
        "sentence": sentence(picture, step, last),
    }


def start_data(picture: Picture) -> dict[str, Any]:
    """What the page shows before the first step: the outputs and their gradients, 1."""
    run, begin = picture.run, starts(picture.run)
    outputs = list(dict.fromkeys(run.outputs))
    names = [f"<b>{escape(picture.names[value.id])}</b>" for value in outputs]
    rows = []
    for value in outputs:
        name = picture.names[value.id]
        rows.append(_row(_math(name), "value", value.data))
        if value in begin:
            rows.append(_row(_bar(name), "to start", begin[value]))
    formulas = [_equation(picture, value) for value in outputs if value.kind == "op"]
    return {
        "number": 0, "box": run.output.id, "line": None, "arrows": [], "targets": [], "parts": {},
        "badges": {value.id: draw.badge(g) for value, g in begin.items()},
        "told": {value.id: f"gradient to start: {_said(g)}" for value, g in begin.items()},
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
    value, names = step.value, picture.names
    targets = targets_of(step)
    sent = [a for parts in targets.values() for p in parts for a in (p.before, p.dx, p.total)]
    scale = summary.scale_of(single(step.g), *(a for a in sent if a is not None))
    rows = [_row(_bar(names[value.id]), "comes in", step.g, scale)]
    rows += [_row(_math(names[saved.id]), "kept", saved.data) for saved in _saved(value)]
    for parts in targets.values():
        rows += _part_rows(picture, step, parts, scale)
    return {
        "heading": _heading(picture, value),
        "formulas": [_equation(picture, value), *_rules(picture, step)],
        "facts": [],
        "rows": rows,
        "source": value.line.text.strip()
        if value.line is not None and listing_index(picture.run, value.line) is None
        else "",
    }


def _saved(value: Value) -> list[Value]:
    """The values that the op kept for its rules, each once; not numbers in the program's text."""
    given = dict(value.inputs) | {"out": value}
    found = dict.fromkeys(given[name] for name in value.saved if name in given)
    return [v for v in found if v.kind != "constant" or v.name or v.shape != ()]


def _part_rows(picture: Picture, step: Step, parts: list[Part], scale: float) -> Iterator[Card]:
    target = parts[0].value
    bar = _bar(picture.names[target.id])
    if len(parts) == 1 and parts[0].before is None:
        yield _row(bar, _state(picture.run, step, target), parts[0].dx, scale)
        return
    if parts[0].before is not None:
        yield _row(bar, "before", parts[0].before, scale)
    for index, part in enumerate(parts):
        plus = "+ " if index or part.before is not None else ""
        name = f"part {index + 1}" if len(parts) > 1 else "part"
        yield _row(f"<span>{plus}{name}</span>", "", part.dx, scale)
    state = _state(picture.run, step, target)
    yield _row(f"<span>= </span>{bar}", state, parts[-1].total, scale) | {"total": True}


def _state(run: Run, step: Step, target: Value) -> str:
    return "complete" if completed(run, target) == step.number else "so far"


def _rules(picture: Picture, step: Step) -> list[str]:
    """The rules that the step applies; one that is used for two parts is written once."""
    value, counts = step.value, dict[str, int]()
    letters = symbols(value, picture.names)
    arrivals = [part.value.id for other in picture.run.steps for part in other.parts]
    for part in step.parts:
        target = picture.names[part.value.id]
        if part.formula:
            sides = [_typeset(value, part.formula, letters)]
            if _scalars(value):
                digits = enough_digits(step, part)
                numbers, g = _numbers(value, digits), summary.number(single(step.g), digits)
                sides.append(_typeset(value, part.formula, numbers, g))
                worked_out = summary.minus(summary.number(part.dx))
                if formula.plain(part.formula, numbers, g) != worked_out:
                    sides.append(_result(part.dx))
        else:
            sides = [f"<mtext>the bprop of {escape(value.op.name)}</mtext>"]
        equals = "+=" if arrivals.count(part.value.id) > 1 else "="
        line = _line(_inside(_bar(target)), *sides, equals=equals)
        note = _summed(step, part) or _repeated(step, part)
        if note:
            line += f'<span class="mgw-aside mgw-own-line">{note}</span>'
        counts[line] = counts.get(line, 0) + 1
    times = {2: "twice", 3: "three times"}
    return [
        line + (f'<span class="mgw-aside">{times.get(n, f"{n} times")}</span>' if n > 1 else "")
        for line, n in counts.items()
    ]


def _summed(step: Step, part: Part) -> str:
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


def _row(label: str, note: str, array: Any, scale: float | None = None) -> Card:
    if isinstance(array, tuple):
        note = f"{note}, one of {len(array)}"
    return {"label": label, "note": note, "table": summary.table(single(array), scale)}


# ------------------------------------------------------------------ kept for the backward pass


def kept(picture: Picture) -> list[dict[str, Any]]:
    """What the run keeps for the backward pass: each array once, with the ops that want it."""
    wanted: dict[Value, list[Value]] = {}
    for step in reversed(picture.run.steps):
        for saved in _saved(step.value):
            wanted.setdefault(saved, []).append(step.value)
    numbers = {step.value: step.number for step in picture.run.steps}
    return [
        {
            "label": _math(picture.names[saved.id]),
            "size": f"{summary.shape_text(saved.shape)}, {_bytes(saved)}",
            "for": "for " + ", ".join(dict.fromkeys(_use(picture.run, user) for user in users)),
            "steps": [numbers[user] for user in users],
        }
        for saved, users in wanted.items()
    ]


def _use(run: Run, user: Value) -> str:
    return where(run, user.line) or str(user.op.name)


def _bytes(value: Value) -> str:
    arrays = value.data if isinstance(value.data, tuple) else (value.data,)
    size = sum(array.nbytes for array in arrays)
    return f"{size:,} byte{'s' if size != 1 else ''}" if size < 10**5 else f"{size / 1e6:,.1f} MB"
