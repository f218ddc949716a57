"""`compare_gradients`: each entry of a gradient beside the difference quotient of that entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

from minigrad.watch import name_of

from . import chart, summary
from .base import SavedWidget, read
from .differences import Compared, Entry, measure
from .text import align

_TITLES = ("gradient", "differences", "gradient − differences")


class Comparison(SavedWidget):
    """Gradients beside differences. Made by `compare_gradients`.

    `compared` holds the numbers, `right` whether all agree. `chosen` is the entry that is looked
    at, as `[input, entry]`, both counted from 0.
    """

    _esm = read("common.js", "comparison.js")
    _css = read("colours.css", "widgets.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    verdict = traitlets.Unicode().tag(sync=True)
    inputs: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen: traitlets.List[int] = traitlets.List().tag(sync=True)

    def __init__(self, name: str, compared: list[Compared]) -> None:
        self.compared, self.name = compared, name
        worst = max(range(len(compared)), key=lambda i: _rank(compared[i]))
        place = compared[worst].entries.index(compared[worst].worst)
        super().__init__(
            title=f"{name}({', '.join(each.name for each in compared)})",
            verdict=self._verdict(compared[worst].worst),
            inputs=[_input_data(each) for each in compared],
            chosen=[worst, place],
        )

    @property
    def right(self) -> bool:
        """Whether every entry agrees, or is at a kink and between its slopes."""
        along = [each.along for each in self.compared if each.along is not None]
        entries = [e for each in self.compared for e in each.entries]
        return all(e.kind in ("right", "kink") for e in [*entries, *along])

    def _verdict(self, worst: Entry) -> str:
        entries = [e for each in self.compared for e in each.entries]
        wrong = sum(e.kind == "wrong" for e in entries)
        kinks = [e for e in entries if e.kind == "kink"]
        missed = [c.along for c in self.compared if c.along is not None and c.along.kind == "wrong"]
        if wrong:
            text = f"{wrong} of {len(entries)} compared entries differ."
            text += f" Worst: {worst}."
        elif missed:
            text = f"No sampled entry differs, but others do. {missed[0]}."
        elif self.right:
            text = (
                f"All agree. The furthest off is {worst.place}, by {summary.number(worst.off, 2)}."
            )
        else:
            text = f"Not all could be compared. {worst}."
        if kinks:
            lies = f"{summary.number(kinks[0].gradient)} lies between its two slopes"
            text += (
                f" {len(kinks)} entries are at a kink: each gradient lies between its two slopes."
                if len(kinks) > 1
                else f" One entry is at a kink: {lies}."
            )
        return summary.minus(text)

    def to_svg(self) -> str:
        """The tables of each input, one below the other, and the verdict."""
        y, width, parts = 74.0, 420.0, []
        for each, data in zip(self.compared, self.inputs, strict=True):
            parts.append(chart.text(20, y, data["heading"], "mgw-name"))
            x, tall = 20.0, 0.0
            for title, table in zip(_TITLES, data["tables"], strict=True):
                drawn, wide, tall = tiles(table["rows"], data["kinds"], each.rows)
                parts.append(chart.text(x, y + 22, title, "mgw-note"))
                parts.append(chart.placed(x, y + 30, drawn))
                x += max(wide, len(title) * chart.LETTER) + 24
            width, y = max(width, x), y + 30 + tall + 34
        verdict, end = chart.paragraph(20, 48, self.verdict, width - 40)
        moved = end - 66 if end > 66 else 0
        head = chart.text(20, 26, f"Gradients of {self.title} against differences", "mgw-heading")
        body = chart.placed(0, moved, "".join(parts))
        width = max(width, 40 + 7.9 * (len(self.title) + 34))
        return chart.still(width, y + moved - 14, self.verdict, [head, verdict, body])

    def to_text(self) -> str:
        """A table: each input, how many entries were compared, and the worst or the largest."""
        rows = [("input", "shape", "compared", "is", "entry", "gradient", "differences")]
        for each in self.compared:
            worst = each.worst  # among those that are right, rounding says which; so the largest
            if worst.kind == "right":
                right = [e for e in each.entries if e.kind == "right"]
                worst = max(right, key=lambda e: abs(e.gradient))
            kinds = [e.kind for e in each.entries]
            found = [f"{kinds.count(k)} {k}" for k in ("wrong", "unclear", "kink") if k in kinds]
            rows.append((
                each.name, summary.shape_text(each.shape), str(len(each.entries)),
                ", ".join(found) or "right", worst.place, summary.number(worst.gradient),
                summary.number(worst.differences),
            ))  # fmt: skip
        return f"Gradients of {self.title} against central differences\n{align(rows)}"

    def __repr__(self) -> str:
        return f"compare_gradients({self.name}): {'right' if self.right else 'not right'}"


def _rank(compared: Compared) -> tuple[int, float]:
    order = {"right": 0, "kink": 0, "unclear": 1, "wrong": 2}
    return order[compared.worst.kind], compared.worst.off


def _input_data(each: Compared) -> dict[str, Any]:
    got, true = each.grid(lambda e: e.gradient), each.grid(lambda e: e.differences)
    off = np.where(each.grid(lambda e: e.kind == "kink"), 0.0, got - true)
    scale = summary.scale_of(got, true)
    texts = summary.cells(np.concatenate([got, true]))  # the same decimals in both
    tables = [
        _cells(each, got, texts[: each.rows], scale),
        _cells(each, true, texts[each.rows :], scale),
        # Only what is more than rounding has a colour.
        _cells(each, np.where(np.abs(off) > each.tolerance, off, 0.0), _short(each, off)),
    ]
    heading = f"{each.name}, {summary.shape_text(each.shape)}"
    total = int(np.prod(each.shape))
    if len(each.entries) < total:
        heading += f": {len(each.entries)} of {total:,} entries, drawn at random"
    elif each.along is None and len(each.shape) > 2:
        heading += f": all {total} entries in order"
    return {
        "heading": heading,
        "aside": summary.minus(str(each.along)) if each.along is not None else "",
        "tables": [
            {"title": title, "shape": "", "rows": rows, "more": []}
            for title, rows in zip(_TITLES, tables, strict=True)
        ],
        "kinds": [e.kind for e in each.entries],
        "sentences": [summary.minus(f"{e}.") for e in each.entries],
    }


def _cells(each: Compared, grid: np.ndarray, texts: Any, scale: float | None = None) -> list[Any]:
    """A table for the page: text, colour and exact number of each entry; blank beyond the last."""
    levels = [cell[1] for row in summary.table(grid, scale)["rows"] for cell in row]
    flat = [text for row in texts for text in row]
    cells = [[text, level, text] for text, level in zip(flat, levels, strict=True)]
    cells[len(each.entries) :] = [["", 0, ""] for _ in cells[len(each.entries) :]]
    columns = grid.shape[1]
    return [cells[i * columns : (i + 1) * columns] for i in range(each.rows)]


def _short(each: Compared, off: np.ndarray) -> list[list[str]]:
    """Differences: their size alone, where they are no more than rounding."""

    def text(x: float) -> str:
        if x == 0:
            return "0"
        return summary.minus(f"{x:+.0e}" if abs(x) <= each.tolerance else f"{x:+.3g}")

    texts = [text(float(x)) for x in off.flat]
    for i, entry in enumerate(each.entries):
        if entry.kind == "kink":
            texts[i] = "kink"  # there is no one slope that it could be off from
    columns = off.shape[1]
    return [texts[i * columns : (i + 1) * columns] for i in range(each.rows)]


def tiles(rows: list[Any], kinds: list[str], count: int) -> tuple[str, float, float]:
    """A table of numbers as tiles; wrong ones have a frame, kinks a corner."""
    room = 26 if "kink" in kinds else 14
    wide = max(46.0, room + chart.LETTER * max(len(cell[0]) for row in rows for cell in row))
    parts = []
    for i, row in enumerate(rows):
        for j, (words, level, _) in enumerate(row):
            if i * len(row) + j >= len(kinds):
                continue
            x, y, kind = j * (wide + 1), i * 24, kinds[i * len(row) + j]
            parts.append(
                f'<rect class="mgw-level mgw-level-{level}" x="{x:.1f}" y="{y}" '
                f'width="{wide:.1f}" height="23" rx="2"/>'
            )
            colour = "mgw-on-bad" if level == "bad" else ""
            parts.append(chart.text(x + wide - 6, y + 15.5, words, colour, "end"))
            if kind == "wrong":
                parts.append(
                    f'<rect class="mgw-mark" x="{x + 1:.1f}" y="{y + 1}" '
                    f'width="{wide - 2:.1f}" height="21" rx="2"/>'
                )
            elif kind == "kink":
                parts.append(f'<path class="mgw-mark" d="M{x + 4:.1f} {y + 5}l4 5l4 -5"/>')
    return "".join(parts), len(rows[0]) * (wide + 1), 24.0 * count


def compare_gradients(fn: Any, *args: Any, weights: Any = None) -> Comparison:
    r"""Compare the gradient of fn with central differences, entry by entry.

    For each floating input and weight three tables: the gradient, what

    .. math::

        \frac{f(x + h e_i) - f(x - h e_i)}{2h}

    gives, and the difference. f is the sum of all outputs, as for `minigrad.grad`. Everything is
    computed in float64, whatever is passed; Parameters get their arrays back. Point at an entry, or
    go there with the arrow keys, for its numbers in full. At a kink, such as that of relu at 0, the
    slopes on the two sides are named; a gradient between them is right.

    An array of more than 6 rows or columns is sampled: 24 entries, drawn at random, and one random
    direction through all of them.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with.
    weights
        Which Parameters to compare as well; None: the trainable ones of a Cell.

    Raises
    ------
    TypeError
        If fn is not callable, or returns no Tensor of floats.
    ValueError
        If there is nothing to differentiate, two runs differ, or the output is not finite.

    Examples
    --------
    >>> from minigrad import Tensor, ops
    >>> widget = compare_gradients(lambda x, y: ops.sin(x) * y, Tensor([1.0, 2.0]), 3.0)
    >>> widget
    compare_gradients(function): right
    >>> [round(entry.gradient, 4) for entry in widget.compared[0].entries]   # 3 cos x
    [1.6209, -1.2484]
    """
    if not callable(fn):
        raise TypeError(
            "compare_gradients(fn, *args) expects a function or a Cell and its arguments, such as "
            f"compare_gradients(loss, x, w); got {type(fn).__name__} for fn. Pass loss, x, not "
            "loss(x)."
        )
    return Comparison(name_of(fn), measure(fn, args, weights))
