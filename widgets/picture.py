"""A run as a picture to be laid out: boxes, arrows, and the groups around them.

Nothing here knows of coordinates. Each box and each label that an arrow may carry gets the size
that its text needs, so that Graphviz can leave room for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from minigrad.watch import Run, Value

from . import formula, summary
from .groups import MOST_BOXES, Group, group_values, is_custom
from .statements import StatementValue

CHARACTER = 7.25  # the width of a letter of the boxes' fixed-width font, at 12 px
SMALL = 6.35  # and at 10.5 px
BOX_HEIGHT = 44
LONGEST_TITLE = 34
MOST_STEPPED = 5000  # values of a run that is stepped through
MATRIX_PRODUCTS = {"matmul", "dense"}

Path = tuple[str, ...]
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "eps": "ε", "epsilon": "ε"}


@dataclass(eq=False)
class Box:
    """A box of the picture: its title, and below it a note and room for the gradient.

    It stands for a value of the run, for a group that is closed, or (kind "door") for the place
    where an output leaves that is not differentiated.
    """

    id: str  # that of the value or of the group
    kind: str  # the value's, or "group", or "door"
    title: str
    note: str
    groups: Path  # the ids of the groups around it
    width: float
    value: Value | None = None
    group: Group | None = None
    height: float = BOX_HEIGHT
    badge: float = 0.0  # the room of its gradient
    ends: tuple[Value, ...] = ()  # whose gradients it shows: its value, or a group's outputs

    @property
    def label(self) -> str:
        """What is said to a reader who hears the picture: `h = x · w, shape (2, 2)`."""
        kind = f"{self.kind}, " if self.kind == "input" else ""
        return f"{self.title}, {kind}{'shape ' if self.note.startswith('(') else ''}{self.note}"


@dataclass(eq=False)
class Arrow:
    """A value going into an op. `label` is what is written on it when the gradient comes back.

    Between the storeys of a derivative an arrow is a "link", or the "start" of the sweep; one that
    ends at a door is "aux".
    """

    id: str
    tail: str
    head: str
    cut: bool = False
    scissors: bool = False
    label: str = ""
    kind: str = ""
    several: Path = ()  # the ids of the arrows between values that it stands for

    @property
    def stands_for(self) -> Path:
        """The ids of the arrows between values that this is, or that it stands for."""
        return self.several or (self.id,)

    @property
    def label_size(self) -> tuple[float, float] | None:
        """The room that the label, or the scissors on it, make an arrow need."""
        if self.scissors:
            return 26, 12
        return (len(self.label) * SMALL + 24, 23) if self.label else None


@dataclass(eq=False, repr=False)  # it would print the whole run
class Picture:
    """All of it. `names` holds how each value is called in the picture, by its id."""

    run: Run
    names: dict[str, str]
    boxes: list[Box]
    arrows: list[Arrow]
    whole: Group
    badges: dict[str, np.ndarray] = field(default_factory=dict)

    def label(self, value: Value) -> str:
        """What is said of a value to a reader who hears the picture."""
        return self.box_of[value].label

    @cached_property
    def box_of(self) -> dict[Value, Box]:
        """The box of each value that has one."""
        return {box.value: box for box in self.boxes if box.value is not None}

    @cached_property
    def groups(self) -> dict[str, Group]:
        """All groups, by id."""
        return {group.id: group for group in self.whole.walk()}

    @cached_property
    def read_by(self) -> dict[str, list[str]]:
        """The ids of the boxes that the arrows from each box lead to, by its id."""
        found: dict[str, list[str]] = {}
        for arrow in self.arrows:
            found.setdefault(arrow.tail, []).append(arrow.head)
        return found

    @cached_property
    def reads(self) -> dict[str, list[str]]:
        """The ids of the boxes that the arrows to each box come from, by its id."""
        found: dict[str, list[str]] = {}
        for arrow in self.arrows:
            found.setdefault(arrow.head, []).append(arrow.tail)
        return found

    def ends_of(self, group: Group) -> list[Value]:
        """The values of a group that others read, or that are outputs: its own outputs."""
        inside = group.values()
        ids = {value.id for value in inside}
        return [
            value
            for value in inside
            if value in self.run.outputs
            or any(head not in ids for head in self.read_by.get(value.id, ()))
        ]


def picture(run: Run, backward: bool = True) -> Picture:
    """Describe the boxes and arrows of a run; `backward` leaves room for its gradients.

    Raises ValueError if a backward pass of very many values is to be shown.
    """
    if backward and len(run.values) > MOST_STEPPED:
        raise ValueError(
            f"{run.name} makes a graph of {len(run.values)} values; a picture of its backward pass "
            f"shows at most {MOST_STEPPED}. Try fewer rounds of the loop, or one layer of the "
            "network; show_graph shows it whole."
        )
    names = name_values(run)
    whole = group_values(run, every=len(run.values) > MOST_BOXES)
    paths = {v.id: group.path for group in (whole, *whole.walk()) for v in _values_in(group)}
    widths = _badge_widths(run) if backward else {}
    short = {key: formula.short_name(name) for key, name in names.items()}
    boxes = [
        _box(value, names, short, paths[value.id], widths.get(value.id, 0.0))
        for value in run.values
    ]
    boxes += [_door(i, paths[value.id]) for i, value in enumerate(run.aux)]
    labels = part_labels(run) if backward else {}
    arrows = [*_arrows(run, labels, paths), *_passages(run)]
    return Picture(run, names, boxes, arrows, whole, gradients(run) if backward else {})


def _values_in(group: Group) -> list[Value]:
    return [item for item in group.items if isinstance(item, Value)]


def gradients(run: Run) -> dict[str, np.ndarray]:
    """The gradient of every value that the sweep reached, by id."""
    found = {value.id: g for value, g in starts(run).items()}
    found |= {step.value.id: single(step.g) for step in run.steps}
    return found | {value.id: g for value, g in run.gradients.items()}


def starts(run: Run) -> dict[Value, np.ndarray]:
    """The outputs that the backward pass starts at, and the gradient of each: 1, in every entry.

    Returned twice, an output counts twice.
    """
    found: dict[Value, np.ndarray] = {}
    for value in run.outputs:
        data = single(value.data)
        if not value.tracked or data.dtype.kind != "f":
            continue
        ones = np.ones(data.shape, data.dtype)
        several = isinstance(value.data, tuple)  # its outputs are one box, which says the first
        found[value] = found[value] + ones if value in found and not several else ones
    return found


def name_values(run: Run) -> dict[str, str]:
    """How each value is called, by id: the user's name, numbered if it is used for several values.

    A constant without a name is called by its number, the output by the function's name, and any
    other value without a name by its place in the run, as v₅.
    """
    given = {value.id: formula.printable(value.name) for value in run.values if value.name}
    taken = Counter(given.values())
    output = (run.returned or run.outputs)[0]
    if output.id not in given:
        plain = run.name.isidentifier() and run.name[0].islower() and run.name != "function"
        called = run.name if plain else "out"
        if called not in taken:
            given[output.id] = called
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
    return names | _gradient_names(run, names)


def _gradient_names(run: Run, names: dict[str, str]) -> dict[str, str]:
    """How the gradients of a derivative's storey are called: `dx` is the gradient of x."""
    taken = {names[value.id] for value in run.values if value.gradient_of is None}
    found = {}
    for value in run.values:
        if value.gradient_of is None:
            continue
        name = called = formula.gradient_name(names[value.gradient_of.id])
        number = 2
        while called in taken:  # a name of the user's own, or one of several outputs' gradients
            called, number = f"{name}{formula.subscript(number)}", number + 1
        taken.add(called)
        found[value.id] = called
    return found


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
    if 0 < len(value.index) <= formula.LONGEST_NAME:
        letters["i"] = value.index
    out = formula.output_symbol(value.op.formula)
    if out:
        letters[out] = names[value.id]
    return letters


def expression(value: Value, names: dict[str, str]) -> str:
    """The right side of an op's formula, in the names of the run; `op(x, y)` if it has none.

    A statement of a program is as it is written there.
    """
    if isinstance(value, StatementValue):
        return value.code
    latex = formula.right_side(value.op.formula)
    text = formula.plain(latex, symbols(value, names)) if latex else ""
    if value.op.name in MATRIX_PRODUCTS:
        text = text.replace(" · ", " @ ")  # as in the program
    inputs = ", ".join(names[source.id] for _, source in value.inputs)
    call = f"{formula.printable(value.op.name)}({inputs})"
    fits = len(text) <= max(LONGEST_TITLE, len(call))
    return text if text and fits and has_formula(value) and not stops(value) else call


def has_formula(value: Value) -> bool:
    """Whether the op's formula names each of its inputs; that of `concatenate` cannot."""
    return bool(value.op.formula) and len(value.inputs) <= len(value.op.arrays)


def shorten(text: str, longest: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _box(
    value: Value, names: dict[str, str], short: dict[str, str], groups: Path, badge: float
) -> Box:
    """The box of a value; `short` are the names as they stand in its formula."""
    title = names[value.id]
    if value.kind == "op":
        text = expression(value, short)
        title = text if title == text else f"{short[value.id]} = {text}"
    title = shorten(title, LONGEST_TITLE + 10)
    note = _note(value)
    below = len(note) * SMALL + (badge + 14 if badge else 0)
    width = max(len(title) * CHARACTER, below) + 24
    width = max(width, 56)
    return Box(value.id, value.kind, title, note, groups, width, value, badge=badge, ends=(value,))


def _door(number: int, groups: Path) -> Box:
    """Where an output leaves that is not differentiated."""
    note = "no gradient comes back"
    return Box(f"aux{number}", "door", "aux", note, groups[:1], len(note) * SMALL + 44)


def _note(value: Value) -> str:
    if isinstance(value, StatementValue):
        return f"{value.dtype} {summary.shape_text(value.shape)}"
    nameless = not value.name and value.gradient_of is None  # it is called by its number
    if value.kind == "constant" and nameless and value.shape == ():
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
    for value, g in starts(run).items():
        widths[value.id] = badge_width(g)
    for step in run.steps:
        drawn = [(step.value, step.g), *((part.value, part.total) for part in step.parts)]
        for value, g in drawn:
            widths[value.id] = max(widths.get(value.id, 0.0), badge_width(g))
    for value, g in run.gradients.items():
        widths[value.id] = max(widths.get(value.id, 0.0), badge_width(g))
    return widths


def cells_around(value: Value) -> Path:
    """The Cells around an op. A Cell with a bprop is itself the box, so it is no frame."""
    return tuple(value.cells[:-1] if is_custom(value) else value.cells)


def _arrows(run: Run, labels: dict[str, str], paths: dict[str, Path]) -> list[Arrow]:
    carries = _carrying(run)
    arrows = []
    for value in run.values:
        for name, source in value.inputs:
            key = arrow_id(value, name)
            cut = key not in carries and not isinstance(value, StatementValue)
            between = value.rule_of is not None and paths[value.id][0] != paths[source.id][0]
            kind = "link" if between else ""
            label = labels.get(key, "")
            arrows.append(Arrow(key, source.id, value.id, cut, stops(value), label, kind))
    return arrows


def _is_above(value: Value) -> bool:
    """Whether a value belongs to the storey of the derivative."""
    return value.rule_of is not None or value.gradient_of is not None


def _carrying(run: Run) -> set[str]:
    """The arrows on which a gradient is sent back: in each storey, by the pass through it."""
    found = {arrow_id(step.value, part.input) for step in run.steps for part in step.parts}
    if not any(_is_above(value) for value in run.values):
        return found
    reached = {value for value in run.returned if value.tracked}
    for value in reversed(run.values):
        if value in reached and value.rule_of is None and not is_cut(value):
            tracked = [(name, source) for name, source in value.inputs if source.tracked]
            reached.update(source for _, source in tracked)
            found |= {arrow_id(value, name) for name, _ in tracked}
    return found


def _passages(run: Run) -> list[Arrow]:
    """The arrows into the doors, and from each output to what the sweep starts with."""
    aside = [Arrow(f"aux{i}-0", v.id, f"aux{i}", True, kind="aux") for i, v in enumerate(run.aux)]
    up = [
        Arrow(f"{v.id}-0", v.gradient_of.id, v.id, kind="start")
        for v in run.values
        if v.kind == "constant" and v.gradient_of is not None and v.gradient_of in run.returned
    ]
    return [*aside, *up]


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
