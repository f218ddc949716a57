"""What the page says about a value and about a step: cards, sentences, program lines.

Everything is plain data, made here once and small enough to travel (see summary.py). Words of the
user's are escaped here; the page sets them as they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path as File
from typing import Any

import numpy as np

from minigrad.watch import Line, Part, Run, Step, Value

from . import draw, formula, summary
from .picture import Picture, arrow_id, has_formula, is_custom, is_cut, single, stops, symbols

Card = dict[str, Any]


def program(run: Run) -> list[dict[str, Any]]:
    """The lines of the program: number and text."""
    return [{"number": line.number, "text": line.text} for line in run.listing]


def listing_index(run: Run, line: Line | None) -> int | None:
    """Which line of the listing a line is, counted from 0; None if it is elsewhere."""
    if line is not None:
        for index, listed in enumerate(run.listing):
            if (listed.file, listed.number) == (line.file, line.number):
                return index
    return None


def where(run: Run, line: Line | None) -> str:
    """`line 3`, with the file's name if it is not the program shown; `""` if it is not known."""
    if line is None:
        return ""
    if listing_index(run, line) is not None or not line.file:
        return f"line {line.number}"
    return f"{File(line.file).name}, line {line.number}"


def value_card(picture: Picture, value: Value) -> Card:
    """All about one value: formula, shape, dtype, entries, gradient, source line."""
    run, name = picture.run, picture.names[value.id]
    card: Card = {"heading": _heading(picture, value), "formulas": [], "facts": [], "rows": []}
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


def _numbers(value: Value) -> dict[str, str]:
    """The letters of a formula as numbers, for an op on scalars."""
    numbers = {source.id: summary.number(source.data) for _, source in value.inputs}
    return symbols(value, numbers | {value.id: summary.number(value.data)})


def _equation(picture: Picture, value: Value) -> str:
    """The op's formula in the program's names, and in numbers if all are scalars."""
    latex, name = value.op.formula, picture.names[value.id]
    if not has_formula(value):
        inputs = ", ".join(picture.names[source.id] for _, source in value.inputs)
        return formula.typeset("z = f", {"z": name, "f": f"{value.op.name}({inputs})"})
    letters = symbols(value, picture.names)
    right = formula.right_side(latex)
    content = f"{_inside(_math(name))}<mo>=</mo>{_inside(formula.typeset(right, letters))}"
    if _scalars(value) and formula.plain(right, letters) != picture.names[value.inputs[0][1].id]:
        content += f"<mo>=</mo>{_inside(formula.typeset(right, _numbers(value)))}"
        content += f"<mo>=</mo><mn>{summary.minus(summary.number(value.data))}</mn>"
    return f"<math><mrow>{content}</mrow></math>"


# ------------------------------------------------------------------ a step


def step_data(picture: Picture, step: Step, last: bool) -> dict[str, Any]:
    """All that the page shows in one step."""
    run = picture.run
    targets = _targets(step)
    return {
        "number": step.number,
        "box": step.value.id,
        "line": listing_index(run, step.value.line),
        "arrows": [arrow_id(step.value, part.input) for part in step.parts],
        "targets": list(targets),
        "badges": {key: draw.badge(parts[-1].total) for key, parts in targets.items()},
        "card": _step_card(picture, step),
        "sentence": sentence(picture, step, last),
    }


def start_data(picture: Picture) -> dict[str, Any]:
    """What the page shows before the first step: the output and its gradient, 1."""
    output = picture.run.output
    name = picture.names[output.id]
    data = single(output.data)
    g = np.ones(data.shape, dtype=data.dtype)
    ones = "1" if data.shape == () else "1 in every entry"
    if output.tracked:
        text = (
            f"The program has run: <b>{escape(name)}</b> is {_inline(output.data)}. The backward "
            f"pass starts there, with the gradient of {escape(name)} itself, which is {ones}."
        )
    else:
        text = f"Nothing to step through: <b>{escape(name)}</b> does not depend on any input."
    rows = [_row(_math(name), "value", output.data)]
    if output.tracked:
        rows.append(_row(_bar(name), "to start", g))
    heading = f"<b>{escape(name)}</b><span>, before the first step</span>"
    formulas = [_equation(picture, output)] if output.kind == "op" else []
    return {
        "number": 0, "box": output.id, "line": None, "arrows": [], "targets": [],
        "badges": {output.id: draw.badge(g)} if output.tracked else {},
        "card": {"heading": heading, "formulas": formulas, "facts": [], "rows": rows},
        "sentence": text,
    }  # fmt: skip


def _targets(step: Step) -> dict[str, list[Part]]:
    targets: dict[str, list[Part]] = {}
    for part in step.parts:
        targets.setdefault(part.value.id, []).append(part)
    return targets


def _step_card(picture: Picture, step: Step) -> Card:
    value, names = step.value, picture.names
    targets = _targets(step)
    sent = [a for parts in targets.values() for p in parts for a in (p.before, p.dx, p.total)]
    scale = summary.scale_of(single(step.g), *(a for a in sent if a is not None))
    rows = [_row(_bar(names[value.id]), "comes in", step.g, scale)]
    rows += [_row(_math(names[saved.id]), "saved", saved.data) for saved in _saved(value)]
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
    """The values that the op kept for its rules, each once."""
    given = dict(value.inputs) | {"out": value}
    return list(dict.fromkeys(given[name] for name in value.saved if name in given))


def _part_rows(picture: Picture, step: Step, parts: list[Part], scale: float) -> Iterator[Card]:
    target = parts[0].value
    bar = _bar(picture.names[target.id])
    if len(parts) == 1 and parts[0].before is None:
        yield _row(bar, _state(picture, step, target), parts[0].dx, scale) | {"total": True}
        return
    if parts[0].before is not None:
        yield _row(bar, "before", parts[0].before, scale)
    for index, part in enumerate(parts):
        plus = "+ " if index or part.before is not None else ""
        name = f"part {index + 1}" if len(parts) > 1 else "part"
        yield _row(f"<span>{plus}{name}</span>", "", part.dx, scale)
    state = _state(picture, step, target)
    yield _row(f"<span>= </span>{bar}", state, parts[-1].total, scale) | {"total": True}


def _state(picture: Picture, step: Step, target: Value) -> str:
    return "complete" if completed(picture.run, target) == step.number else "so far"


def _rules(picture: Picture, step: Step) -> list[str]:
    """The rules that the step applies; one that is used for two parts is written once."""
    value, counts = step.value, dict[str, int]()
    letters = symbols(value, picture.names)
    arrivals = [part.value.id for other in picture.run.steps for part in other.parts]
    for part in step.parts:
        target = picture.names[part.value.id]
        if part.formula:
            content = _inside(formula.typeset(part.formula, letters))
            if _scalars(value):
                numbers = formula.typeset(
                    part.formula, _numbers(value), summary.number(single(step.g))
                )
                content += f"<mo>=</mo>{_inside(numbers)}"
                if formula.plain(part.formula, letters) != "g":
                    content += f"<mo>=</mo><mn>{summary.minus(summary.number(part.dx))}</mn>"
        else:
            content = f"<mtext>the bprop of {escape(value.op.name)}</mtext>"
        equals = "+=" if arrivals.count(part.value.id) > 1 else "="
        line = f"<math><mrow>{_inside(_bar(target))}<mo>{equals}</mo>{content}</mrow></math>"
        if _summed(step, part):
            line += (
                '<span class="mgw-aside mgw-own-line">summed where broadcasting repeated it</span>'
            )
        counts[line] = counts.get(line, 0) + 1
    times = {2: "twice", 3: "three times"}
    return [
        line + (f'<span class="mgw-aside">{times.get(n, f"{n} times")}</span>' if n > 1 else "")
        for line, n in counts.items()
    ]


def _summed(step: Step, part: Part) -> bool:
    """Whether the sweep summed a part because broadcasting had stretched its input."""
    shapes = [source.shape for _, source in step.value.inputs]
    try:
        stretched = np.broadcast_shapes(*shapes) == step.value.shape
    except ValueError:
        return False
    return stretched and len(shapes) > 1 and part.dx.size < single(step.g).size


def _row(label: str, note: str, array: Any, scale: float | None = None) -> Card:
    if isinstance(array, tuple):
        note = f"{note}, one of {len(array)}"
    return {"label": label, "note": note, "table": summary.table(single(array), scale)}


def _inline(array: Any) -> str:
    return escape(summary.minus(summary.inline(array)))


def sentence(picture: Picture, step: Step, last: bool) -> str:
    """The step in words: which op, what it sends, what it adds up to."""
    run, value = picture.run, step.value
    place = where(run, value.line)
    start = (
        f"Step {step.number} of {len(run.steps)}. <b>{escape(value.op.name)}</b>"
        f"{f' ({escape(place)})' if place else ''} "
    )
    text = start + (_clauses(picture, step) or "sends nothing on") + "."
    stopped = [source for _, source in value.inputs if stops(source)]
    for source in dict.fromkeys(stopped):
        text += f" Nothing goes to {escape(picture.names[source.id])}: stop_gradient cuts it off."
    if last:
        done = [escape(picture.names[leaf.id]) for leaf in run.gradients]
        have = "has its gradient" if len(done) == 1 else "have their gradients"
        text += f" Done: {formula.words(done)} {have}."
    return text


def _clauses(picture: Picture, step: Step) -> str:
    """What a step sends where: first what just arrives, then what adds to something."""
    targets = {picture.names[key]: parts for key, parts in _targets(step).items()}
    plain = [
        f"{_inline(parts[0].dx)} to {escape(name)}"
        for name, parts in targets.items()
        if len(parts) == 1 and parts[0].before is None
    ]
    clauses = [f"sends {formula.words(plain)}"] if plain else []
    clauses += [
        _clause(name, parts)
        for name, parts in targets.items()
        if len(parts) > 1 or parts[0].before is not None
    ]
    return "; it ".join(clauses)


def _clause(name: str, parts: list[Part]) -> str:
    name, before = escape(name), parts[0].before
    if len(parts) > 1:
        count = {2: "twice", 3: "three times"}.get(len(parts), f"{len(parts)} times")
        number = {2: "two", 3: "three"}.get(len(parts), str(len(parts)))
        ending = (
            "they add" if before is None else f"with the {_inline(before)} already there they add"
        )
        return (
            f"uses {name} {count}, so it sends {number} parts to {name}; "
            f"{ending} to {_inline(parts[-1].total)}"
        )
    sent = f"sends {_inline(parts[0].dx)} to {name}"
    return f"{sent}, adding to the {_inline(before)} already there: {_inline(parts[0].total)}"


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
