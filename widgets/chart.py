"""Charts as SVG, drawn once for both: the static picture and the page.

A chart has no ids: what it cuts off at its edge, a nested `svg` cuts off. Every text is escaped.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from . import summary
from .draw import static_style

LETTER = 6.65  # the width of a letter of 11 px
_LINE = 18
_CODE = 64  # where the lines of a program begin, after their numbers


@dataclass(frozen=True)
class Axis:
    """Where numbers go along one side of a chart: `low` at the pixel `start`, `high` at `end`.

    >>> Axis(0, 10, 50, 250).at(5), Axis(1e-4, 1, 250, 50, log=True).at(0.01)
    (150.0, 150.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: Any) -> Any:
        """The pixel of a value, or of each of an array; NaN where there is none."""
        low, high = self.low, self.high
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                value, low, high = np.log10(value), np.log10(low), np.log10(high)
        where = self.start + (value - low) / (high - low) * (self.end - self.start)
        return where if np.ndim(where) else float(where)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers along the axis: 1, 2 or 5 times a power of ten; of a log axis, powers.

        >>> Axis(0, 1.1, 0, 1).ticks(), Axis(1e-12, 1, 0, 1, log=True).ticks(5)
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1e-12, 1e-09, 1e-06, 0.001, 1.0])
        """
        low, high = sorted((self.low, self.high))
        if self.log:
            first = math.ceil(math.log10(low) - 1e-9)
            last = math.floor(math.log10(high) + 1e-9)
            by = max(1, math.ceil((last - first) / (most - 1)))
            return [float(f"1e{power}") for power in range(first, last + 1, by)]
        rough = (high - low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
        begin, end = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return [float(f"{n * step:.12g}") for n in range(begin, end + 1)]


def span(values: Any, share: float = 0.08) -> tuple[float, float]:
    """The range of the finite values, a little widened; never empty.

    >>> span([0.0, 1.0, np.nan], share=0.1), span([2.0, 2.0])
    ((-0.1, 1.1), (1.0, 3.0))
    """
    finite = np.asarray(values, np.float64)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    wide = high - low
    if wide <= 1e-9 * max(abs(low), abs(high)):
        wide = max(abs(low), 1.0) / (2 * share)
    return low - share * wide, high + share * wide


def decades(values: Any) -> tuple[float, float]:
    """The range of the positive values in whole powers of ten; at least one of them."""
    found = np.asarray(values, np.float64)
    found = found[np.isfinite(found) & (found > 0)]
    if not found.size:
        return 0.1, 1.0
    low = math.floor(math.log10(found.min()) + 1e-9)
    high = math.ceil(math.log10(found.max()) - 1e-9)
    return float(f"1e{low}"), float(f"1e{max(high, low + 1)}")


def axes(x: Axis, y: Axis, x_label: str, y_label: str) -> str:
    """The grid, its numbers, and what the sides are."""
    left, right = sorted((x.start, x.end))
    top, bottom = sorted((y.start, y.end))
    parts = []
    for tick in x.ticks():
        at = x.at(tick)
        parts.append(f'<path class="mgw-grid" d="M{at:.1f} {top}V{bottom}"/>')
        parts.append(text(at, bottom + 15, number(tick), anchor="middle"))
    for tick in y.ticks():
        at = y.at(tick)
        parts.append(f'<path class="mgw-grid" d="M{left} {at:.1f}H{right}"/>')
        parts.append(text(left - 6, at + 4, number(tick), anchor="end"))
    parts.append(f'<path class="mgw-edge" d="M{left} {top}V{bottom}H{right}"/>')
    parts.append(text((left + right) / 2, bottom + 31, x_label, "mgw-side", "middle"))
    parts.append(text(left - 44, top - 10, y_label, "mgw-side"))
    return "".join(parts)


def inside(x: Axis, y: Axis, *parts: str) -> str:
    """What is cut off at the edges of the chart."""
    left, right = sorted((x.start, x.end))
    top, bottom = sorted((y.start, y.end))
    box = f"{left} {top} {right - left} {bottom - top}"
    return (
        f'<svg x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" '
        f'viewBox="{box}" overflow="hidden">{"".join(parts)}</svg>'
    )


def curve(x: Axis, y: Axis, xs: Any, ys: Any, kind: str) -> str:
    """A line through points; where one is not finite, a gap."""
    pairs = np.stack([x.at(np.asarray(xs, np.float64)), y.at(np.asarray(ys, np.float64))], axis=1)
    pen, path = "M", []
    for across, down in pairs:
        if not np.isfinite(across) or not np.isfinite(down):
            pen = "M"
            continue
        path.append(f"{pen}{across:.1f} {max(-5000.0, min(5000.0, down)):.1f}")
        pen = "L"
    return f'<path class="mgw-curve {kind}" d="{"".join(path)}"/>' if path else ""


def band(x: Axis, y: Axis, xs: Any, lows: Any, highs: Any, kind: str) -> str:
    """The room between two lines; points that are not finite are left out."""
    rows = np.stack([xs, lows, highs], axis=1).astype(np.float64)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) < 2:
        return ""
    there = [f"{x.at(a):.1f} {y.at(b):.1f}" for a, b, _ in rows]
    back = [f"{x.at(a):.1f} {y.at(c):.1f}" for a, _, c in rows[::-1]]
    return f'<path class="{kind}" d="M{"L".join(there + back)}z"/>'


def legend(at: float, y: float, *entries: tuple[str, str]) -> str:
    """Samples of lines and what they are, in a row that begins at a pixel."""
    parts = []
    for kind, words in entries:
        parts.append(f'<path class="mgw-curve {kind}" d="M{at:.0f} {y - 4:.0f}h20"/>')
        parts.append(text(at + 26, y, words))
        at += 26 + len(words) * LETTER + 14
    return "".join(parts)


def legend_rows(at: float, y: float, room: float, *entries: tuple[str, str]) -> tuple[str, float]:
    """A legend in as many rows as it takes, and where the last one stands."""
    rows: list[list[tuple[str, str]]] = [[]]
    used = 0.0
    for kind, words in entries:
        wide = 40 + len(words) * LETTER
        if rows[-1] and used + wide > room:
            rows.append([])
            used = 0.0
        rows[-1].append((kind, words))
        used += wide
    drawn = (legend(at, y + 17 * i, *row) for i, row in enumerate(rows))
    return "".join(drawn), y + 17 * (len(rows) - 1)


def number(value: float) -> str:
    """A number at an axis, such as 1e−6."""
    return summary.minus(re.sub(r"e([+-])0", r"e\1", summary.number(value)))


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """A line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}'
        f"{'' if anchor == 'start' else f' text-anchor={chr(34)}{anchor}{chr(34)}'}>"
        f"{escape(words)}</text>"
    )


def paragraph(x: float, y: float, words: str, width: float, kind: str = "") -> tuple[str, float]:
    """Text in lines of at most a width, and where the next line would stand."""
    lines = textwrap.wrap(words, max(20, int(width / LETTER)))
    drawn = (text(x, y + _LINE * i, line, kind) for i, line in enumerate(lines))
    return "".join(drawn), y + _LINE * len(lines)


def refusal(y: float, width: float, words: str) -> tuple[str, float]:
    """What the engine says of a call that it refuses, in a frame; and where the next thing goes."""
    body, end = paragraph(34, y + 22, words, width - 68)
    frame = f'x="20" y="{y:.0f}" width="{width - 40:.0f}" height="{end - y:.0f}" rx="7"'
    return f'<g class="mgw-wrong"><rect class="mgw-face" {frame}/>{body}</g>', end + 16


def listing(
    y: float, width: float, lines: Iterable[dict[str, Any]], lit: int | None = None
) -> tuple[list[str], float]:
    """Lines of a program with their numbers, and where the next would stand. A long line goes on.

    ``lit`` is the line on a ground of its own, counted from 0.
    """
    parts: list[str] = []
    for i, line in enumerate(lines):
        y += 8 if i and line.get("begins") else 0
        indent = len(line["text"]) - len(line["text"].lstrip())
        letters = max(20, int((width - _CODE - 20) / LETTER) - indent)
        pieces = textwrap.wrap(line["text"].strip(), letters, subsequent_indent="    ") or [""]
        if i == lit:
            high = _LINE * len(pieces)
            parts.append(
                f'<rect class="mgw-lit" x="20" y="{y - 13:.1f}" width="{width - 40:.0f}" '
                f'height="{high}"/><rect class="mgw-lit-edge" x="20" y="{y - 13:.1f}" width="3" '
                f'height="{high}"/>'
            )
        parts.append(text(_CODE - 12, y, str(line["number"]), "mgw-note", "end"))
        for piece in pieces:
            inner = len(piece) - len(piece.lstrip())
            parts.append(text(_CODE + LETTER * (indent + inner), y, piece.lstrip()))
            y += _LINE
    return parts, y + 2


def drawing(
    width: float, height: float, label: str, parts: Iterable[str], role: str = "img"
) -> str:
    """A drawing for the page, where the style sheet is; a "group" if one can go to its parts."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mgw-chart" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="{role}" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def still(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    """A drawing that stands alone, with its colours and its ground."""
    head = (
        f"<title>{escape(label)}</title><style>{static_style('chart.css')}</style>"
        '<rect class="mgw-ground" width="100%" height="100%" rx="8"/>'
    )
    return drawing(width, height, label, [head, *parts])


def placed(x: float, y: float, part: str) -> str:
    """A part of a drawing, moved."""
    return f'<g transform="translate({x:.1f} {y:.1f})">{part}</g>'
