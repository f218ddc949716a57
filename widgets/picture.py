"""A run as a picture to be laid out: boxes, arrows, and the Cells around them.

Nothing here knows of coordinates. Each box and each label that an arrow may carry gets the size
that its text needs, so that Graphviz can leave room for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad.watch import Run, Value

from . import formula, summary

CHARACTER = 7.25  # the width of a letter of the boxes' fixed-width font, at 12 px
SMALL = 6.35  # and at 10.5 px
BOX_HEIGHT = 44
LONGEST_TITLE = 34
MOST_BOXES = 600

Path = tuple[str, ...]
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "eps": "ε", "epsilon": "ε"}


@dataclass(eq=False)
class Box:
    """A value of the run as a box: its title, and below it a note and room for the gradient."""

    value: Value
    title: str
    note: str
    cells: Path
    width: float
    height: float = BOX_HEIGHT

    @property
    def id(self) -> str:
        """The id of the value."""
        return str(self.value.id)


@dataclass(eq=False)
class Arrow:
    """A value going into an op. `label` is what is written on it when the gradient comes back."""

    id: str
    tail: str
    head: str
    input: str
    cut: bool
    scissors: bool
    label: str = ""

    @property
    def label_size(self) -> tuple[float, float] | None:
        """The room that the label, or the scissors on it, make an arrow need."""
        if self.scissors:
            return 26, 12
        return (len(self.label) * SMALL + 12, 17) if self.label else None


@dataclass(eq=False)
class Picture:
    """All of it. `names` holds how each value is called in the picture, by its id."""

    run: Run
    names: dict[str, str]
    boxes: list[Box]
    arrows: list[Arrow]
    badges: dict[str, np.ndarray] = field(default_factory=dict)


def picture(run: Run, backward: bool = True) -> Picture:
    """Describe the boxes and arrows of a run; `backward` leaves room for its gradients.

    Raises ValueError if the run has more than 600 values: such a picture cannot be read.
    """
    if len(run.values) > MOST_BOXES:
        raise ValueError(
            f"{run.name} makes a graph of {len(run.values)} values; a picture shows at most "
            f"{MOST_BOXES}. Try fewer rounds of the loop, or one layer of the network."
        )
    names = name_values(run)
    cells = _cells_of_all(run)
    widths = _badge_widths(run) if backward else {}
    boxes = [
        _box(run, value, names, cells[value.id], widths.get(value.id, 0.0)) for value in run.values
    ]
    labels = part_labels(run) if backward else {}
    return Picture(run, names, boxes, _arrows(run, labels), gradients(run) if backward else {})


def gradients(run: Run) -> dict[str, np.ndarray]:
    """The gradient of every value that the sweep reached, by id."""
    found = {step.value.id: single(step.g) for step in run.steps}
    return found | {value.id: g for value, g in run.gradients.items()}


def name_values(run: Run) -> dict[str, str]:
    """How each value is called, by id: the user's name, numbered if it is used for several values.

    A constant without a name is called by its number, the output by the function's name, and any
    other value without a name by its place in the run, as v₅.
    """
    given = {value.id: value.name for value in run.values if value.name}
    taken = Counter(given.values())
    if run.output.id not in given:
        plain = run.name.isidentifier() and run.name[0].islower() and run.name != "function"
        called = run.name if plain else "out"
        if called not in taken:
            given[run.output.id] = called
            taken[called] += 1
    seen: Counter[str] = Counter()
    names = {}
    for value in run.values:
        name = given.get(value.id, "")
        seen[name] += 1
        if not name:
            scalar = value.kind == "constant" and value.shape == ()
            names[value.id] = (
                _number_name(value) if scalar else f"v{formula.subscript(_place(value))}"
            )
        else:
            names[value.id] = name + formula.subscript(seen[name]) if taken[name] > 1 else name
    return names


def is_custom(value: Value) -> bool:
    """Whether a value was made by a Cell with a bprop of its own."""
    return value.kind == "op" and not value.op.formula and not value.op.rules and value.tracked


def is_cut(value: Value) -> bool:
    """Whether a value was made by an op that lets no gradient through."""
    return value.kind == "op" and value.cut and not value.tracked


def stops(value: Value) -> bool:
    """Whether a value was made by stop_gradient."""
    return value.kind == "op" and value.op.name == "stop_gradient"


def single(data: Any) -> np.ndarray:
    """One array: of an op with several outputs, the first that there is."""
    if isinstance(data, tuple):
        data = next((entry for entry in data if entry is not None), np.zeros(0))
    return np.asarray(data)


def _place(value: Value) -> int:
    return int(value.id.lstrip("v"))


def _number_name(value: Value) -> str:
    return summary.minus(summary.number(value.data))


def symbols(value: Value, names: dict[str, str]) -> dict[str, str]:
    """What to write for each letter of an op's formula: names of values, and static numbers."""
    letters = {}
    for letter, static in value.static.items():
        if isinstance(static, (int, float, np.number)) and not isinstance(static, bool):
            letters[_GREEK.get(letter, letter)] = summary.number(static)
    for letter, source in value.inputs:
        letters[letter] = names[source.id]
        letters.setdefault(letter.upper(), names[source.id])
    out = formula.output_symbol(value.op.formula)
    if out:
        letters[out] = names[value.id]
    return letters


def expression(value: Value, names: dict[str, str]) -> str:
    """The right side of an op's formula, in the names of the run; `op(x, y)` if it has none."""
    if value.op.name == "matmul":  # as in the program: two names side by side would read as one
        return " @ ".join(names[source.id] for _, source in value.inputs)
    latex = formula.right_side(value.op.formula)
    text = formula.plain(latex, symbols(value, names)) if latex else ""
    if text and len(text) <= LONGEST_TITLE and has_formula(value) and not stops(value):
        return text
    return f"{value.op.name}({', '.join(names[source.id] for _, source in value.inputs)})"


def has_formula(value: Value) -> bool:
    """Whether the op's formula names each of its inputs; that of `concatenate` cannot."""
    return bool(value.op.formula) and len(value.inputs) <= len(value.op.arrays)


def shorten(text: str, longest: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _box(run: Run, value: Value, names: dict[str, str], cells: Path, badge: float) -> Box:
    name = names[value.id]
    if value.kind == "op":
        text = expression(value, names)
        title = text if name == text else f"{shorten(name, 16)} = {text}"
    else:
        title = name
    title = shorten(title, LONGEST_TITLE + 10)
    note = _note(value)
    below = len(note) * SMALL + (badge + 14 if badge else 0)
    width = max(len(title) * CHARACTER, below) + 24
    return Box(value, title, note, cells, max(width, 56))


def _note(value: Value) -> str:
    if value.kind == "constant" and not value.name and value.shape == ():
        return "constant"
    if isinstance(value.data, tuple):
        return f"{len(value.data)} outputs"
    size = _number_name(value) if value.shape == () else summary.shape_text(value.shape)
    return f"{value.kind} {size}" if value.kind in ("parameter", "constant") else size


def badge_text(g: Any) -> str:
    """The gradient, if one number says it: `g = 1`; else `""`, and a thumbnail is drawn."""
    g = single(g)
    if not g.size:
        return "g empty"
    if g.ndim and not summary.uniform(g):
        return ""
    return "g = " + summary.minus(summary.number(g.flat[0]))


def badge_width(g: Any) -> float:
    """The room that the gradient needs in its box."""
    text = badge_text(g)
    return len(text) * SMALL if text else 14 + 7 * len(summary.thumbnail(single(g))[0])


def _badge_widths(run: Run) -> dict[str, float]:
    """The widest that each value's gradient is drawn, on its way and at the end."""
    widths: dict[str, float] = {}
    for step in run.steps:
        drawn = [(step.value, step.g), *((part.value, part.total) for part in step.parts)]
        for value, g in drawn:
            widths[value.id] = max(widths.get(value.id, 0.0), badge_width(g))
    for value, g in run.gradients.items():
        widths[value.id] = max(widths.get(value.id, 0.0), badge_width(g))
    return widths


def _cells_of_all(run: Run) -> dict[str, Path]:
    """The Cells that each value is drawn in; a Parameter or constant is where all its uses are."""
    cells: dict[str, Path] = {v.id: cells_around(v) for v in run.values if v.kind == "op"}
    used: dict[str, list[Path]] = {}
    for value in run.values:
        for _, source in value.inputs:
            used.setdefault(source.id, []).append(cells[value.id])
    for value in run.values:
        if value.kind != "op":
            inside: list[Path] = used.get(value.id, [()]) if value.kind != "input" else [()]
            cells[value.id] = _common(inside)
    return cells


def cells_around(value: Value) -> Path:
    """The Cells around an op. A Cell with a bprop is itself the box, so it is no frame."""
    return tuple(value.cells[:-1] if is_custom(value) else value.cells)


def _common(paths: list[Path]) -> Path:
    shared: list[str] = []
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return tuple(shared)


def _arrows(run: Run, labels: dict[str, str]) -> list[Arrow]:
    sent = {arrow_id(step.value, part.input) for step in run.steps for part in step.parts}
    arrows = []
    for value in run.values:
        for name, source in value.inputs:
            key = arrow_id(value, name)
            scissors = stops(value)
            cut = key not in sent
            arrows.append(Arrow(key, source.id, value.id, name, cut, scissors, labels.get(key, "")))
    return arrows


def arrow_id(value: Value, name: str) -> str:
    """The id of the arrow that goes into `value` as its input `name`."""
    return f"{value.id}-{[n for n, _ in value.inputs].index(name)}"


def part_labels(run: Run) -> dict[str, str]:
    """What each arrow carries back: the number, or which part it is where a step sends several."""
    labels = {}
    for step in run.steps:
        sent = Counter(part.value.id for part in step.parts)
        order: Counter[str] = Counter()
        for part in step.parts:
            order[part.value.id] += 1
            label = ""
            if np.ndim(part.dx) == 0:
                label = summary.minus(summary.number(part.dx))
            elif sent[part.value.id] > 1:
                label = f"part {order[part.value.id]}"
            labels[arrow_id(step.value, part.input)] = label
    return labels
