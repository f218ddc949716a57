"""The text forms: a table of the values of a run, and a table of the steps of its backward pass.

They stand beside every picture, for readers without pictures and for tests: the same program gives
the same text on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import summary
from .explain import dtype_text
from .formula import words
from .picture import Picture, cells_around, expression, is_cut
from .program import where
from .step_card import saved_by
from .sweep import is_second

_LONGEST = 60


def graph_text(picture: Picture) -> str:
    """A table of the values: name, how it came about, shape, dtype, entries, line."""
    run, names = picture.run, picture.names
    rows = [("value", "is", "shape", "dtype", "entries", "line")]
    for value in run.values:
        origin = expression(value, names) if value.kind == "op" else value.kind
        if is_cut(value):
            origin += ", cut"
        if cells_around(value):
            origin += f" in {'/'.join(cells_around(value))}"
        place = where(run, value.line).removeprefix("line ") if value.kind == "op" else ""
        entries = "-" if value.data is None else _short(summary.inline(value.data))
        row = (
            names[value.id],
            origin,
            summary.shape_text(value.shape),
            dtype_text(value),
            entries,
            place,
        )
        rows.append(row)
    title = f"Graph of {run.name}: {count(len(run.values), 'value')}, output {names[run.output.id]}"
    return f"{title}\n{align(rows)}"


def steps_text(picture: Picture, last: int | None = None) -> str:
    """A table of the steps: number, op, line, what comes in, what it sends; then the gradients.

    `last` is the last step that may be shown.
    """
    run, names = picture.run, picture.names
    last = len(run.steps) if last is None else last
    rows = [("step", "op", "line", "g", "sends")]
    for step in run.steps[:last]:
        place = where(run, step.value.line).removeprefix("line ")
        g = _short(summary.inline(step.g))
        head = [str(step.number), step.value.op.name, place, g]
        for part in step.parts:
            sent = f"{_short(summary.inline(part.dx))} to {names[part.value.id]}"
            if part.before is not None:
                sent += f", now {_short(summary.inline(part.total))}"
            rows.append((*head, sent))
            head = ["", "", "", ""]
        if not step.parts:
            rows.append((*head, "nothing"))
    heading = "Second backward pass" if is_second(run) else "Backward pass"
    lines = [
        f"{heading} of {run.name} from {names[run.output.id]}: {count(len(run.steps), 'step')}",
        align(rows),
    ]
    if last < len(run.steps):
        return "\n".join([*lines, f"step {last + 1} is asked next"])
    lines += [
        f"gradient of {names[leaf.id]}: {_short(summary.inline(g))}"
        for leaf, g in run.gradients.items()
    ]
    if not run.gradients:
        lines.append("no gradients: nothing was asked for")
    return "\n".join(lines)


def forward_text(picture: Picture) -> str:
    """A table of the steps of the run: number, value, formula, line, entries, what is kept."""
    run, names = picture.run, picture.names
    rows = [("step", "value", "is", "line", "entries", "keeps")]
    made = [value for value in run.values if value.kind == "op"]
    for number, value in enumerate(made, 1):
        place = where(run, value.line).removeprefix("line ")
        saved = words([names[each.id] for each in saved_by(value)]) if value.tracked else ""
        entries = _short(summary.inline(value.data))
        row = (str(number), names[value.id], expression(value, names), place, entries, saved or "-")
        rows.append(row)
    return f"Forward pass of {run.name}: {count(len(made), 'step')}\n{align(rows)}"


def graph_label(picture: Picture) -> str:
    """One sentence that describes the picture to a reader who does not see it."""
    run = picture.run
    leaves = [picture.names[v.id] for v in run.values if v.kind in ("input", "parameter")]
    ops = sum(value.kind == "op" for value in run.values)
    return f"Graph of {run.name}: {count(ops, 'op')} from {words(leaves) or 'constants'}"


def count(number: int, noun: str) -> str:
    """A number of things: `1 step`, `2 steps`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def align(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows as lines of text, in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
