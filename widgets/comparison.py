"""`compare_gradients`: each entry of a gradient beside the difference quotient of that entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

from minigrad.check import Difference, Entries, compare_entries
from minigrad.watch import name_of

from . import chart, summary
from .base import SavedWidget, expect_call, read
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

    def __init__(self, name: str, compared: list[Entries]) -> None:
        self.compared, self.name = compared, name
        self._all = [d for each in compared for d in each.differences]
        self._along = [each.along for each in compared if each.along is not None]
        worst = max(range(len(compared)), key=lambda i: _rank(_worst(compared[i])))
        super().__init__(
            title=f"{name}({', '.join(each.input for each in compared)})",
            verdict=self._verdict(_worst(compared[worst])),
            inputs=[_input_data(each) for each in compared],
            chosen=[worst, compared[worst].differences.index(_worst(compared[worst]))],
        )

    @traitlets.validate("chosen")
    def _there(self, proposal: dict[str, Any]) -> list[int]:
        chosen = list(proposal["value"])
        sizes = [len(each.differences) for each in self.compared]
        if chosen not in ([i, j] for i, size in enumerate(sizes) for j in range(size)):
            raise traitlets.TraitError(
                f"chosen is [input, entry], both counted from 0, and the inputs have {sizes} "
                f"entries; got {chosen}"
            )
        return chosen

    @property
    def right(self) -> bool:
        """Whether every entry agrees, or is at a kink or a jump and nothing is known against it."""
        return all(d.passes and not d.is_unclear for d in [*self._all, *self._along])

    def _verdict(self, worst: Difference) -> str:
        wrong = sum(not d.passes for d in self._all)
        missed = [d for d in self._along if not d.passes]
        if wrong:
            text = f"{wrong} of {len(self._all)} compared entries differ. Worst: {worst}."
        elif missed:
            text = f"No sampled entry differs, but others do. {missed[0]}."
        elif self.right:
            text = f"All agree. The furthest off is {worst.place}, by {_off(worst):.2g}."
        else:
            text = f"Not all could be compared. {worst}."
        kinks = [d.got for d in self._all if d.kind == "kink"]
        jumps = sum(d.kind == "jump" for d in self._all)
        if kinks:
            which = f"{summary.number(kinks[0])} lies" if len(kinks) == 1 else "each gradient lies"
            text += f" {_entries(len(kinks))} at a kink: {which} between its two slopes."
        if jumps:
            text += f" {_entries(jumps)} at a jump, where there is no slope."
        return summary.minus(text)

    def to_svg(self) -> str:
        """The tables of each input, one below the other, and the verdict."""
        y, width, parts = 74.0, 420.0, []
        for data in self.inputs:
            parts.append(chart.text(20, y, data["heading"], "mgw-name"))
            x, tall = 20.0, 0.0
            for title, table in zip(_TITLES, data["tables"], strict=True):
                drawn, wide, tall = tiles(table["rows"], data["kinds"], len(table["rows"]))
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
            worst = _worst(each)  # among those that are right, rounding says which; so the largest
            if worst.kind == "right":
                right = [d for d in each.differences if d.kind == "right"]
                worst = max(right, key=lambda d: abs(d.got))
            kinds = [d.kind for d in each.differences]
            found = [f"{kinds.count(k)} {k}" for k in dict.fromkeys(kinds) if k != "right"]
            rows.append((
                each.input, summary.shape_text(each.shape), str(len(kinds)),
                ", ".join(found) or "right", worst.place, summary.number(worst.got),
                summary.number(worst.slope),
            ))  # fmt: skip
        return f"Gradients of {self.title} against central differences\n{align(rows)}"

    def __repr__(self) -> str:
        return f"compare_gradients({self.name}): {'right' if self.right else 'not right'}"


def _entries(count: int) -> str:
    return "One entry is" if count == 1 else f"{count} entries are"


def _off(d: Difference) -> float:
    """How far a gradient is from the differences; 0 where there is no one slope."""
    return abs(d.got - d.expected) if isinstance(d.expected, float) else 0.0


def _rank(d: Difference) -> tuple[int, float]:
    return 2 * (not d.passes) + d.is_unclear, _off(d)


def _worst(each: Entries) -> Difference:
    """The entry that is furthest off; a wrong one first."""
    return max(each.differences, key=_rank)


def _grid(each: Entries, pick: Callable[[Difference], float]) -> np.ndarray:
    """A number of each entry, laid out as the array, or in rows of 6 that may end early, with 0."""
    numbers = [pick(d) for d in each.differences]
    columns = summary.LIMIT
    if len(each.shape) < 3 and max(each.shape, default=1) <= columns:
        columns = each.shape[-1] if each.shape else 1
    grid = np.zeros(-(-len(numbers) // columns) * columns)
    grid[: len(numbers)] = numbers
    return grid.reshape(-1, columns)


def _input_data(each: Entries) -> dict[str, Any]:
    got, true = _grid(each, lambda d: d.got), _grid(each, lambda d: d.slope)
    off = _grid(each, lambda d: _off(d) and d.got - d.slope)
    wrong = _grid(each, lambda d: 0.0 if d.passes else _off(d) and d.got - d.slope)
    scale = summary.scale_of(got, true)
    texts = [x for row in summary.cells(np.concatenate([got, true])) for x in row]  # alike in both
    none = ["none" if d.expected is None else "" for d in each.differences]
    kinks = [d.kind if _off(d) == 0 and d.kind != "right" else "" for d in each.differences]
    short = [_short(x, bool(y)) for x, y in zip(off.flat, wrong.flat, strict=True)]
    tables = [
        _cells(each, got, texts[: got.size], scale),
        _cells(each, np.nan_to_num(true), _either(none, texts[got.size :]), scale),
        _cells(each, wrong, _either(kinks, short)),  # only what is more than rounding has a colour
    ]
    heading = f"{each.input}, {summary.shape_text(each.shape)}"
    total = int(np.prod(each.shape))
    if len(each.differences) < total:
        heading += f": {len(each.differences)} of {total:,} entries, drawn at random"
    elif not summary.is_whole(np.empty(each.shape)):
        heading += f": all {total} entries in order"
    return {
        "heading": heading,
        "aside": summary.minus(_of_all(each, total)) if each.along else "",
        "tables": [
            {"title": title, "shape": "", "rows": rows, "more": []}
            for title, rows in zip(_TITLES, tables, strict=True)
        ],
        "kinds": [d.kind if d.passes else "wrong" for d in each.differences],
        "sentences": [summary.minus(f"{d}.") for d in each.differences],
    }


def _of_all(each: Entries, total: int) -> str:
    return f"All {total:,} entries: {str(each.along).removeprefix(f'{each.input}: ')}."


def _either(words: list[str], texts: list[str]) -> list[str]:
    """The words where there are any, else the texts, which may be more."""
    return [word or text for word, text in zip(words, texts, strict=False)] + texts[len(words) :]


def _cells(each: Entries, grid: np.ndarray, texts: list[str], scale: float | None = None) -> list:
    """A table for the page: text, colour and exact number of each entry; blank beyond the last."""
    levels = [cell[1] for row in summary.table(grid, scale)["rows"] for cell in row]
    cells = [[text, level, text] for text, level in zip(texts, levels, strict=True)]
    cells[len(each.differences) :] = [["", 0, ""] for _ in cells[len(each.differences) :]]
    columns = grid.shape[1]
    return [cells[i : i + columns] for i in range(0, len(cells), columns)]


def _short(x: float, wrong: bool) -> str:
    """A difference; of one that is no more than rounding its size alone."""
    return "0" if x == 0 else summary.minus(f"{x:+.3g}" if wrong else f"{x:+.0e}")


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


def compare_gradients(fn: Any, *args: Any, weights: Any = None, **kwargs: Any) -> Comparison:
    r"""Compare the gradient of fn with central differences, entry by entry.

    For each floating input and weight three tables: the gradient, what

    .. math::

        \frac{f(x + h e_i) - f(x - h e_i)}{2h}

    gives, and the difference. f is the sum of all outputs, as for `minigrad.grad`. Everything is
    computed in float64, whatever is passed; Parameters get their arrays back. Point at an entry, or
    go there with the arrow keys, for its numbers in full. At a kink, such as that of relu at 0, the
    slopes on the two sides are named; a gradient between them is right.

    An array of more than 36 entries is sampled: 36 entries, drawn at random, and one random
    direction through all of them. `minigrad.check.compare_entries` has the numbers.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with.
    weights
        Which Parameters to compare as well; None: the trainable ones of a Cell.
    **kwargs
        More arguments of fn, by name, which are compared too. One that is called like the option
        above needs a lambda.

    Raises
    ------
    TypeError
        If fn is not callable, does not take these arguments, or returns no Tensor of floats.
    ValueError
        If there is nothing to differentiate, two runs differ, or the output is not finite.

    Examples
    --------
    >>> from minigrad import Tensor, ops
    >>> widget = compare_gradients(lambda x, y: ops.sin(x) * y, Tensor([1.0, 2.0]), 3.0)
    >>> widget
    compare_gradients(function): right
    >>> [round(each.got, 4) for each in widget.compared[0].differences]   # 3 cos x
    [1.6209, -1.2484]
    """
    expect_call("compare_gradients", fn, args, kwargs, options=["weights"])
    found = compare_entries(fn, *args, weights=weights, kwargs=kwargs)
    compared = [each for each in found if each.differences]
    if not compared:
        raise ValueError("compare_gradients: every input and weight is empty; pass some numbers")
    return Comparison(name_of(fn), compared)
