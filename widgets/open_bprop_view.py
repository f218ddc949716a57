"""`open_bprop`: a Cell with a bprop as a box that opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

import numpy as np
import traitlets

from minigrad.gradient_call import refuse_class

from . import chart, summary
from .base import SavedWidget, expect_call, read
from .bprop_call import BpropCall, cell_of, note_of
from .bprop_curve import curve_of, drawing
from .comparison import tiles
from .formula import printable, short_name, words
from .layout import Point
from .text import align

_LETTER = 7.25  # of 12 px
_TALL, _GAP = 40, 12
_LEFT, _ROW, _DOWN = 76, 14, 34  # where the rows of the binding begin; the room between two
_BESIDE = 24  # and between two of its columns
_LEAST_CELL = 50  # the height of a Cell: two lines in two frames


def _box(
    name: str, note: str, key: str, at: Point, wide: float, kind: str, cut: bool = False
) -> str:
    say = f"{name}, {note}" if note else name
    if cut:
        name, note = _cut(name, note)
    return (
        f'<g class="{kind}" data-box="{escape(key)}" role="img" aria-label="{escape(say)}" '
        f'transform="translate({at[0]:.1f} {at[1]:.1f})">'
        f'<rect class="mgw-face" width="{wide:.1f}" height="{_TALL}" rx="7"/>'
        f"{chart.text(10, 17, name, 'mgw-name')}{chart.text(10, 32, note, 'mgw-note')}</g>"
    )


def _cut(name: str, note: str) -> tuple[str, str]:
    """A name and a note that fit into a narrow page, where a wire says which argument is meant."""
    return short_name(name), re.sub(r"^is .*, by", "by", note)


def _wide(name: str, note: str) -> float:
    return max(len(name) * _LETTER, len(note) * chart.LETTER, 24.0) + 20


def _wire(x: float, y: float, to_x: float, to_y: float, kind: str = "") -> str:
    """A line from one row down to the next."""
    middle = (y + to_y) / 2
    return (
        f'<path class="mgw-wire {kind}" d="M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {to_x:.1f} '
        f'{middle:.1f} {to_x:.1f} {to_y - 6:.1f}"/>'
        f'<path class="mgw-tip" d="M{to_x:.1f} {to_y:.1f}l-4 -8h8z"/>'
    )


def _across(x: float, y: float, to_x: float, to_y: float, kind: str = "") -> str:
    middle = (x + to_x) / 2
    return (
        f'<path class="mgw-wire {kind}" d="M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} '
        f'{to_y:.1f} {to_x - 6:.1f} {to_y:.1f}"/>'
        f'<path class="mgw-tip" d="M{to_x:.1f} {to_y:.1f}l-8 -4v8z"/>'
    )


class _Drawn(NamedTuple):
    parts: list[str]
    width: float
    height: float


class _Closed:
    """The Cell as one box of a graph: its inputs and Parameters, and its output."""

    def __init__(self, call: BpropCall):
        left = [(name, note_of(x)) for name, x in call.inputs]
        left += [(p.name, note_of(p)) for p in call.weights]
        right = [("out" if len(call.outputs) == 1 else f"out[{i}]", note_of(x))
                 for i, x in enumerate(call.outputs)]  # fmt: skip
        rows = max(len(left), len(right), 1)
        high = max(rows * (_TALL + _GAP) - _GAP, _LEAST_CELL)
        in_wide = max((_wide(*each) for each in left), default=60.0)
        cell_wide = max(104.0, len(call.name) * _LETTER + 40)
        cell_x = 20 + in_wide + 56
        out_x = cell_x + cell_wide + 56
        middle = 14 + high / 2
        self.height = high + 28
        self.width = out_x + max(_wide(*each) for each in right) + 20
        self.parts: list[str] = []
        reach = max(0.0, high / 2 - 14)
        for i, each in enumerate(left):
            y = middle + (i - (len(left) - 1) / 2) * (_TALL + _GAP)
            meets = middle + max(-reach, min(reach, (y - middle) * 0.8))
            self.parts.append(_across(20 + in_wide, y, cell_x, meets))
            self.parts.append(_box(*each, each[0], (20, y - _TALL / 2), in_wide, ""))
        for i, each in enumerate(right):
            y = middle + (i - (len(right) - 1) / 2) * (_TALL + _GAP)
            self.parts.append(_across(cell_x + cell_wide, y, out_x, y))
            self.parts.append(_box(*each, "out", (out_x, y - _TALL / 2), _wide(*each), ""))
        self.parts.append(
            f'<g class="mgw-function" data-part="cell" transform="translate({cell_x:.1f} '
            f'{middle - high / 2:.1f})">'
            f'<rect class="mgw-face" width="{cell_wide:.1f}" height="{high:.1f}" rx="8"/>'
            f'<rect class="mgw-inner" x="4" y="4" width="{cell_wide - 8:.1f}" '
            f'height="{high - 8:.1f}" rx="5"/>'
            f"{chart.text(cell_wide / 2, high / 2 - 2, call.name, 'mgw-name', 'middle')}"
            f"{chart.text(cell_wide / 2, high / 2 + 13, 'own bprop', 'mgw-note', 'middle')}</g>"
        )


class _Binding:
    """How the arguments were bound: those of construct, then bprop's, then what it returns."""

    def __init__(self, call: BpropCall):
        top = [(name, self._given(call, name, x), name, "") for name, x in call.inputs]
        shapes = " and ".join(note_of(x) for x in call.outputs)
        top += [("out", shapes, "out", ""), ("dout", call.dout_note, "dout", "mgw-asked")]
        below = [
            (each.name, each.note or self._note_below(call, each.name, each.source),
             each.source or f"own {each.name}", "mgw-asked" if each.source == "dout" else "")
            for each in call.bound
        ]  # fmt: skip
        last = [(*each, "" if each[1] == "None" else "mgw-asked") for each in call.returned]
        self._bound = not call.binding_error
        self._rows = [("construct", top), ("bprop", below)]
        self._rows += [("returns", last)] if last and not call.error else []

    def across(self) -> _Drawn:
        """The three as rows. What stands for the same is as wide in each, so it is in line."""
        boxes = [each for _, row in self._rows for each in row]
        wide = {key: max(_wide(n, t) for n, t, k, _ in boxes if k == key) for *_, key, _ in boxes}
        parts, width, ends = [], 0.0, []
        for number, (title, row) in enumerate(self._rows):
            x, y = float(_LEFT), _ROW + number * (_TALL + _DOWN)
            middles: dict[str, Point] = {}
            parts.append(chart.text(4, y + _TALL / 2 + 4, title, "mgw-side"))
            for name, note, key, kind in row:
                x += 26 if key == "out" and middles else 0
                parts.append(_box(name, note, key, (x, y), wide[key], kind))
                middles[key] = x + wide[key] / 2, y
                x += wide[key] + _GAP
            ends.append(middles)
            width = max(width, x - _GAP + 4)
        parts += [_wire(x, y + _TALL, a, b, kind) for (x, y), (a, b), kind in self._pairs(ends)]
        return _Drawn(parts, width, len(self._rows) * (_TALL + _DOWN) - _DOWN + 2 * _ROW)

    def down(self) -> _Drawn:
        """The three as columns, for a narrow page."""
        parts, x, ends, lowest, first = [], 4.0, [], 0.0, 0.0
        for title, column in self._rows:
            wide = max((_wide(*_cut(name, note)) for name, note, *_ in column), default=60.0)
            y, sides = 26.0, dict[str, Point]()
            parts.append(chart.text(x, 14, title, "mgw-side"))
            for name, note, key, kind in column:
                y += 10 if key == "out" and sides else 0
                parts.append(_box(name, note, key, (x, y), wide, kind, cut=True))
                sides[key] = x, y + _TALL / 2
                y += _TALL + _GAP
            ends.append(sides)
            first = first or wide
            lowest, x = max(lowest, y), x + wide + _BESIDE
        width = x - _BESIDE + 4
        parts += [_across(x + first, y, a, b, kind) for (x, y), (a, b), kind in self._pairs(ends)]
        return _Drawn(parts, width, lowest)

    def _pairs(self, ends: list[dict[str, Point]]) -> Iterator[tuple[Point, Point, str]]:
        """Where each wire from construct's argument to bprop's begins and ends."""
        for key, to in ends[1].items():
            if key in ends[0] and self._bound:
                yield ends[0][key], to, "mgw-g-wire" if key == "dout" else ""

    @staticmethod
    def _given(call: BpropCall, name: str, x: Any) -> str:
        return f"{note_of(x)}, the default" if name in call.defaults else note_of(x)

    @staticmethod
    def _note_below(call: BpropCall, name: str, source: str) -> str:
        if not source:
            return "not bound" if call.binding_error else ""
        return "by name" if name == source else f"is {source}, by position"


class OpenBprop(SavedWidget):
    """A Cell with a bprop as a box that opens. Made by `open_bprop`.

    `opened` says whether it is open; set it, or observe it. `right` is whether the rule is the
    derivative of construct, None if that cannot be said; `error` is what the engine says of a rule
    that it refuses. `pairs` holds the gradients, by the rule and without it.
    """

    _esm = read("common.js", "open_bprop_view.js")
    _css = read("colours.css", "widgets.css", "chart.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    opened = traitlets.Bool(True).tag(sync=True)
    box = traitlets.Unicode().tag(sync=True)
    binding: traitlets.List[str] = traitlets.List().tag(sync=True)  # wide, and for a narrow page
    error = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    lines: traitlets.List[Any] = traitlets.List().tag(sync=True)
    dout = traitlets.Unicode().tag(sync=True)
    inputs: traitlets.List[Any] = traitlets.List().tag(sync=True)
    charts: traitlets.List[str] = traitlets.List().tag(sync=True)

    def __init__(self, call: BpropCall) -> None:
        self._call, self._closed, self._binding = call, _Closed(call), _Binding(call)
        self._curve = curve_of(call)
        self.pairs = call.pairs
        title = printable(call.written)
        charts = self._curve.charts() if self._curve is not None else []
        labels = "The function over its input", "Both gradients over the input"
        one = (self._closed, f"{title} as one box")
        told = _told(call)
        box, *binding = (
            chart.drawing(each.width, each.height, label, each.parts, "group")
            for each, label in (one, (self._binding.across(), told), (self._binding.down(), told))
        )
        super().__init__(
            title=title,
            box=box,
            binding=binding,
            error=call.error,
            sentence=call.verdict(),
            lines=call.lines(),
            dout=call.dout_note,
            inputs=[self._tables(pair) for pair in call.pairs],
            charts=[drawing(*each) for each in zip(labels, charts, strict=False)],
        )

    @property
    def right(self) -> bool | None:
        """Whether the rule is the derivative of construct."""
        return None if self._call.report is None or self.error else self._call.report.right

    def _tables(self, pair: Any) -> dict[str, Any]:
        """Three tables of an input: by the rule, without it, and the one less the other."""
        scale = summary.scale_of(pair.rule, pair.other)
        off = pair.off
        less = "automatic" if self._call.automatic else "measured"
        titles = ("by the rule", self._call.against, f"rule − {less}")
        tables = [
            {"title": title, **summary.table(np.asarray(grid), scale), "shape": ""}
            for title, grid in zip(titles, (pair.rule, pair.other, off), strict=True)
        ]
        return {
            "heading": f"gradient of {pair.name}, {summary.shape_text(pair.rule.shape)}",
            "tables": tables,
        }

    # ---- static
    def to_svg(self) -> str:
        """The box; if it is open, all that is in it, from the top down."""
        closed, parts = self._closed, []
        width, y = max(closed.width, 40 + 7.9 * (len(self.title) + 6)), 36.0
        parts.append(chart.text(20, 26, f"bprop of {self.title}", "mgw-heading"))
        parts.append(chart.placed(0, y, "".join(closed.parts)))
        y += closed.height
        if not self.opened:
            return chart.still(width, y + 4, self.title, parts)
        binding = self._binding.across()
        width = max(width, binding.width + 40, 900.0 if self.charts else 640.0)
        sentence, y = chart.paragraph(20, y + 18, self.sentence, width - 40)
        parts += [sentence, chart.placed(16, y + 4, "".join(binding.parts))]
        y += binding.height + 14
        if self.error:
            refusal, y = chart.refusal(y, width, self.error)
            parts.append(refusal)
        code, y = chart.listing(y + 13, width, self.lines)
        parts += code
        for each in self.inputs:
            drawn, high = self._drawn(each)
            parts.append(chart.placed(20, y + 16, drawn))
            y += high + 16
        if self._curve is not None:
            for i, part in enumerate(self._curve.charts()):
                parts.append(chart.placed(450 * i, y, part))
            y += 300
        return chart.still(width, y + 8, f"bprop of {self.title}", parts)

    @staticmethod
    def _drawn(each: dict[str, Any]) -> tuple[str, float]:
        x, high, parts = 0.0, 0.0, [chart.text(0, 0, each["heading"], "mgw-name")]
        for table in each["tables"]:
            parts.append(chart.text(x, 20, table["title"], "mgw-note"))
            wide = len(table["title"]) * chart.LETTER
            if rows := table["rows"]:
                kinds = ["right"] * (len(rows) * len(rows[0]))
                drawn, tile_wide, tall = tiles(rows, kinds, len(rows))
                parts.append(chart.placed(x, 28, drawn))
                wide, high = max(wide, tile_wide), max(high, tall)
            facts = table.get("same") or ", ".join(
                f"{k} {v}" for k, v in table.get("facts", {}).items()
            )
            if facts:
                parts.append(chart.text(x, 44 + high, summary.minus(facts), "mgw-note"))
                wide = max(wide, len(facts) * chart.LETTER)
            x += wide + 24
        return "".join(parts), high + (
            56 if any("facts" in t or "same" in t for t in each["tables"]) else 36
        )

    def to_text(self) -> str:
        """How each parameter of the rule was bound, and its gradients beside the others."""
        call = self._call
        bound = [("bprop's", "is", "value")]
        for each in call.bound:
            value = dict(call.inputs).get(each.source)
            note = each.note or ("" if value is None else note_of(value))
            if each.source in call.defaults:
                note += ", the default"
            bound.append((each.name, each.source or "-", note))
        lines = [f"bprop of {self.title}", align(bound), self.sentence]
        if self.error:
            return "\n".join([*lines, self.error])
        if call.pairs:
            rows = [("gradient of", "shape", "by the rule", call.against)]
            rows += [
                (p.name, summary.shape_text(p.rule.shape), summary.inline(p.rule),
                 summary.inline(np.where(p.off == 0, p.rule, p.other)))
                for p in call.pairs
            ]  # fmt: skip
            lines += [align(rows), f"where dout is {call.dout_note}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        says = {True: "right", False: "not the derivative", None: "not compared"}[self.right]
        return f"open_bprop({self._call.name}): {'refused' if self.error else says}"


def _told(call: BpropCall) -> str:
    """The binding in a sentence."""
    pairs = [f"{each.name} is {each.source}" for each in call.bound if each.source]
    return f"How bprop is called: {words(pairs)}" if pairs else "bprop could not be called"


def open_bprop(cell: Any, *args: Any, **kwargs: Any) -> OpenBprop:
    """Open the box of a Cell that has a bprop, for the call cell(*args, **kwargs).

    Closed it is one box with its inputs and its output, as in a graph. Open it shows how the
    arguments were bound to the parameters of the rule, with `out` and `dout`; the source of both;
    the gradient by the rule beside the automatic one of construct, with the bprop ignored; and, for
    one input that is worked on entry by entry, both gradients as curves with the difference filled:
    what a surrogate puts in place of the zero slope of a step is seen at a glance. If minigrad
    cannot follow construct, central differences stand for its gradient, and the widget says so.

    A rule that the engine refuses, because its parameters match nothing or it returns something
    else than one gradient for each input, is shown with the engine's own error.

    The box opens and closes by a click, Enter or the button. `widget.opened` moves with it.

    Parameters
    ----------
    cell
        An nn.Cell with a bprop, or a function made by `minigrad.custom_bprop`.
    *args, **kwargs
        What to call it with. If there is no Tensor among them, floats become Tensors.

    Raises
    ------
    TypeError
        If cell has no bprop, or construct cannot be called so. What construct itself raises is
        raised.

    Examples
    --------
    >>> from minigrad import Tensor, custom_bprop
    >>> def surrogate(v, out, dout):
    ...     return (dout / (1 + v * v),)
    >>> @custom_bprop(surrogate)
    ... def spike(v):
    ...     return (v > 0).astype(v.dtype)
    >>> widget = open_bprop(spike, Tensor([-2.0, 1.0]))
    >>> widget
    open_bprop(spike): not the derivative
    >>> widget.pairs[0].rule, widget.pairs[0].other
    (array([0.2, 0.5], dtype=float32), array([0., 0.], dtype=float32))
    """
    refuse_class(cell)
    if cell_of(cell) is None:
        raise TypeError(
            "open_bprop(cell, *args) expects a Cell with a bprop, or a function made by "
            f"minigrad.custom_bprop, and its arguments; {_which(cell)} has none. "
            "compare_gradients checks a function without a rule of its own."
        )
    expect_call("open_bprop", cell, args, kwargs)
    return OpenBprop(BpropCall(cell, args, kwargs))


def _which(cell: Any) -> str:
    return getattr(cell, "__name__", type(cell).__name__)
