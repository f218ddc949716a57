"""Where a NaN or an infinity is born: the op between what came in and what it reaches, drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from minigrad.check import Birth
from minigrad.watch import Run, Value

from . import chart, formula, summary
from .picture import expression, name_values, shorten
from .text import count

_LETTER = 7.25  # of 12 px
_TALL, _GAP = 44, 12
_ACROSS = 64  # between two columns
_MOST = 5  # boxes of a column; beyond, they are counted
_LONGEST_WORDS = 24  # of what an unnamed value is computed by
_NUMBER = re.compile(r"[-+]?(\d[\d.e+-]*|inf|nan)")


class _Neighbour:
    """A box of the picture: a value, what is said of it, and whether it is bad."""

    def __init__(self, title: str, note: str, bad: bool = False, born: bool = False):
        self.title, self.note, self.bad, self.born = title, note, bad, born
        self.width = max(len(title) * _LETTER, len(note) * chart.LETTER) + 24

    def svg(self, x: float, y: float) -> str:
        kind = "mgw-bad" if self.bad else ""
        inner = (
            f'<rect class="mgw-inner" x="4" y="4" width="{self.width - 8:.1f}" '
            f'height="{_TALL - 8}" rx="4"/>'
            if self.born
            else ""
        )
        return (
            f'<g class="{kind}" data-box="{"born" if self.born else "near"}" role="img" '
            f'aria-label="{escape(self.title)}, {escape(self.note)}" '
            f'transform="translate({x:.1f} {y:.1f})"><rect class="mgw-face" '
            f'width="{self.width:.1f}" height="{_TALL}" rx="7"/>{inner}'
            f"{chart.text(12, 19, self.title, 'mgw-name')}"
            f"{chart.text(12, 34, self.note, 'mgw-note')}</g>"
        )


class Neighbourhood:
    """A birth and what is around it: `columns` from what comes in to what is reached.

    Backward everything runs from right to left: what comes in is the gradient of the op's output,
    and what is reached is before it in the run.
    """

    def __init__(self, run: Run, birth: Birth):
        self.run, self.birth, self.names = run, birth, name_values(run)
        self.value = _value_of(run, birth)
        self.columns = self._columns() if self.value is not None else [[], [self._born()], []]

    def _born(self) -> _Neighbour:
        birth = self.birth
        title = birth.op
        if self.value is not None:
            said = expression(self.value, self.names)
            title = shorten(said if birth.backward else self._named(self.value), 34)
        place = list(birth.entry) if birth.entry else ""
        made = summary.minus(birth.made.replace("inf", "infinity").replace("nan", "NaN"))
        note = f"{made} here, {'backward' if birth.backward else 'forward'}"
        return _Neighbour(title, f"{note}{f' at {place}' if place else ''}", bad=True, born=True)

    def _columns(self) -> list[list[_Neighbour]]:
        value = self.value
        assert value is not None
        users = [v for v in self.run.values if any(s is value for _, s in v.inputs)]
        if not self.birth.backward:
            before = [self._near(v, v.data) for v in dict.fromkeys(v for _, v in value.inputs)]
            after = [self._near(v, v.data) for v in users]
            after = after or [_Neighbour("the output", "", _is_bad(value.data))]
            return [before, [self._born()], after]
        step = next(s for s in self.run.steps if s.value is value)
        reached = [
            self._gradient(part.value, part.total)
            for part in {part.value: part for part in step.parts}.values()
        ]
        sent = [self._gradient(value, step.g)]
        return [reached, [self._born()], sent]

    def _named(self, value: Value) -> str:
        """A value by the name that others call it by, and what it is computed by."""
        name = self.names[value.id]
        said = expression(value, self.names) if value.kind == "op" else name
        return name if name == said else f"{name} = {said}"

    def _near(self, value: Value, data: Any) -> _Neighbour:
        return _Neighbour(shorten(self._named(value), 30), _in_short(data), _is_bad(data))

    def _gradient(self, value: Value, g: Any) -> _Neighbour:
        return _Neighbour(f"gradient of {self._words(value)}", _in_short(g), _is_bad(g))

    @property
    def inner(self) -> Any:
        """The construct or bprop inside of which it was born; None if the run itself shows it."""
        cell = getattr(self.value.op, "cell", None) if self.value is not None else None
        rule = self.birth.cells[-1] if self.birth.cells else ""
        return getattr(cell, rule, None) if rule in ("construct", "bprop") else None

    @property
    def _shown(self) -> Value | None:
        """The op whose numbers are shown, if they are those of the run itself."""
        return self.value if self.inner is None else None

    def called(self, letter: str) -> str:
        """What a letter of the birth's formula stands for, in the words of the program."""
        value = self._shown
        if letter == "g":
            of = f"the gradient of {self._words(value)}" if value else "the gradient that comes in"
            return f"g, {of}"
        name, bracket, place = letter.partition("[")
        source = self._sources().get(name)
        return (self._words(source) if source else name) + bracket + place

    def _sources(self) -> dict[str, Value]:
        """The values that the letters of the formula stand for, as far as the run shows them."""
        value = self._shown
        if value is None:
            return {}
        out = {formula.output_symbol(value.op.formula): value, "out": value}
        return out | dict(value.inputs)

    def _words(self, value: Value) -> str:
        """A value as the program has it: its name, or what it is computed by."""
        name = self.names[value.id]
        if value.kind != "op" or value.name or name in ("out", self.run.name):
            return name
        said = expression(value, self.names)
        return said if len(said) <= _LONGEST_WORDS else name

    def numbers(self) -> list[tuple[str, str]]:
        """The numbers that it was made of, and what each is; a number of the program is itself."""
        sources = self._sources()
        given = {
            letter
            for letter, source in sources.items()
            if source.kind == "constant" and not source.name and source.shape == ()
        }
        items = self.birth.numbers.items()
        return [(self.called(k), summary.minus(x)) for k, x in items if k not in given]

    def said(self) -> str:
        """The birth in a sentence."""
        birth = self.birth
        made = {"nan": "A NaN", "inf": "An infinity", "-inf": "A negative infinity"}[birth.made]
        way = "forward"
        if birth.backward:
            way = "backward"
            if birth.input:
                source = self._sources().get(birth.input)
                words = self._words(source) if source else f"its {birth.input}"
                way += f", in the gradient of {words}"
        at = f", at entry {list(birth.entry)}" if birth.entry else ""
        return f"{made} is born in {birth.op}, {way}{at}."

    def formulas(self) -> list[tuple[str, dict[str, str], str]]:
        """The formula in the words of the program, and its right side with the numbers in it."""
        birth, value = self.birth, self._shown
        if not birth.formula:
            return []
        letters = {letter: _bracketed(self._words(v)) for letter, v in self._sources().items()}
        written = birth.formula
        if value is not None and not birth.backward:
            letters[formula.output_symbol(written)] = self.names[value.id]
            written = written if value.name else formula.right_side(written)
        found = [(written, letters, "g")]
        numbers = birth.numbers
        if numbers and all(_NUMBER.fullmatch(x) for x in numbers.values()):
            short = {k: summary.number(float(x)) for k, x in numbers.items()}
            found.append((formula.right_side(birth.formula), short, short.get("g", "g")))
        return found

    def draw(self) -> tuple[list[str], float, float]:
        """The boxes and arrows: parts, width and height."""
        columns = [list(_few(column)) for column in self.columns]
        high = max(len(column) for column in columns) * (_TALL + _GAP) - _GAP
        middle, x = 16 + high / 2, 20.0
        parts: list[str] = []
        ends: list[list[tuple[float, float, float]]] = []  # left, right and middle of each box
        for column in columns:
            wide = max((each.width for each in column), default=0.0)
            here = []
            for i, each in enumerate(column):
                y = middle + (i - (len(column) - 1) / 2) * (_TALL + _GAP)
                parts.append(each.svg(x + (wide - each.width) / 2, y - _TALL / 2))
                left = x + (wide - each.width) / 2
                here.append((left, left + each.width, y))
            ends.append(here)
            x += wide + _ACROSS if column else 0
        for before, after in pairwise(ends):
            parts += [self._arrow(one, two) for one in before for two in after]
        return parts, x - _ACROSS + 20, high + 32

    def _arrow(self, before: tuple[float, ...], after: tuple[float, ...]) -> str:
        x, y, to_x, to_y = before[1], before[2], after[0], after[2]
        middle, by, kind = (x + to_x) / 2, 8, ""
        if self.birth.backward:
            x, y, to_x, to_y, by, kind = to_x, to_y, x, y, -8, "mgw-g-wire"
        return (
            f'<path class="mgw-wire {kind}" d="M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} '
            f'{to_y:.1f} {to_x - by * 0.75:.1f} {to_y:.1f}"/>'
            f'<path class="mgw-tip" d="M{to_x:.1f} {to_y:.1f}l{-by} -4v8z"/>'
        )


def _bracketed(words: str) -> str:
    """A value in a formula: what has several words stands in brackets."""
    return f"({words})" if " " in words else words


def _value_of(run: Run, birth: Birth) -> Value | None:
    """The op of the run at which a birth was found: by name, line, and what it made."""
    inside = birth.cells[-1] if birth.cells else ""
    for value in reversed(run.values) if birth.backward else run.values:
        if value.kind != "op":
            continue
        hidden = inside in ("construct", "bprop") and getattr(value.op, "cell", None) is not None
        if not hidden and (str(value.op) != birth.op or value.line != birth.line):
            continue
        if hidden and (*(value.cells or (str(value.op),)), inside) != birth.cells:
            continue
        if not birth.backward and _is_bad(value.data, birth.made):
            return value
        steps = [step for step in run.steps if step.value is value] if birth.backward else []
        parts = [part for step in steps for part in step.parts]
        if any(_is_bad(x, birth.made) for part in parts for x in (part.dx, part.total)):
            return value
    return None


def _arrays(x: Any) -> Iterator[np.ndarray]:
    for part in x if isinstance(x, tuple) else (x,):
        if part is not None and np.asarray(part).dtype.kind == "f":
            yield np.asarray(part)


def _is_bad(x: Any, made: str = "") -> bool:
    """Whether a value holds a NaN or an infinity; where a NaN was made, whether it holds that."""
    test = np.isnan if made == "nan" else lambda each: ~np.isfinite(each)
    return any(test(each).any() for each in _arrays(x))


def _in_short(x: Any) -> str:
    """A value in its box: the number, the few entries, or how many of them are bad."""
    if isinstance(x, tuple):
        return count(len(x), "output")
    array = np.asarray(x)
    if array.size <= 4:
        return summary.minus(summary.inline(array))
    bad = int(np.sum(~np.isfinite(array))) if array.dtype.kind == "f" else 0
    shape = summary.shape_text(array.shape)
    return f"{shape}, {bad} not finite" if bad else shape


def _few(column: list[_Neighbour]) -> Iterator[_Neighbour]:
    """The boxes of a column; of many the bad ones first, and how many more there are."""
    ordered = column if len(column) <= _MOST else sorted(column, key=lambda each: not each.bad)
    yield from ordered[:_MOST]
    if len(ordered) > _MOST:
        more = ordered[_MOST:]
        yield _Neighbour(f"{len(more)} more", "", any(each.bad for each in more))
