"""The picture as SVG, drawn once for both: the static picture and the live widget.

The widget only switches classes on and off and fills in gradients. Every id begins with a prefix of
its own, and every text of the user's is escaped.
"""

from __future__ import annotations

import math
import re
import textwrap
from html import escape
from pathlib import Path as File
from typing import Any

from . import summary
from .folding import badge_of_several
from .formula import printable
from .groups import Group, is_custom
from .layout import Frame, Placed, Point
from .picture import SMALL, Arrow, Box, Picture, badge_text, is_cut, single
from .titles import title_width

_HERE = File(__file__).parent
_LEGEND = 30
_SAMPLE = 38  # the length of an arrow of the legend: its dashes can be told apart
_NARROWEST = 130
_MEANING = "g: gradient", ", written with a bar in formulas"


def draw(
    picture: Picture, placed: Placed, prefix: str, static: bool = False, title: str = ""
) -> str:
    """Draw a laid-out picture as one SVG element.

    `static` adds what a picture that stands alone needs: colours, a ground, a legend, and all
    gradients.
    """
    width = max(placed.width, _NARROWEST)
    legend, height = _legend(placed.height, width, picture, static, prefix)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mgw-graph" id="{prefix}" '
        f'width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="{"img" if static else "group"}" '
        f'aria-label="{_escaped(title)}">'
    ]
    if static:
        parts.append(f"<title>{_escaped(title)}</title><style>{static_style()}</style>")
        parts.append('<rect class="mgw-ground" width="100%" height="100%" rx="8"/>')
    parts.append(_markers(prefix))
    parts += [_frame(frame, picture.groups[frame.path[-1]]) for frame in placed.frames]
    boxes = {box.id: box for box in picture.boxes}
    backward = bool(picture.badges)
    parts += [_arrow(arrow, placed, prefix, static, backward) for arrow in picture.arrows]
    parts += [_title(frame, picture.groups[frame.path[-1]], static) for frame in placed.frames]
    for box in boxes.values():
        parts.append(_box(box, placed.boxes[box.id], picture, prefix, static))
    return "".join([*parts, legend, "</svg>"])


def static_style(sheet: str = "graph.css") -> str:
    """A style sheet with the colours written in, light and dark."""
    rules = (_HERE / sheet).read_text(encoding="utf-8")
    light, dark = theme_colours()
    return (
        _written_in(rules, light)
        + "@media (prefers-color-scheme:dark){"
        + _written_in(rules, dark)
        + "}"
    )


def palette_styles() -> dict[str, str]:
    """The graph's style sheet with the light and with the dark colours written in."""
    rules = (_HERE / "graph.css").read_text(encoding="utf-8")
    return {
        name: _written_in(rules, colours)
        for name, colours in zip(("light", "dark"), theme_colours(), strict=True)
    }


def theme_colours() -> tuple[dict[str, str], dict[str, str]]:
    """The light and the dark colours, by name, as colours.css has them."""
    text = (_HERE / "colours.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--mgw-([\w-]+): light-dark\((#?\w+), (#?\w+)\)", text)
    return {name: light for name, light, _ in pairs}, {name: dark for name, _, dark in pairs}


def _written_in(rules: str, colours: dict[str, str]) -> str:
    text = re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"var\(--mgw-([\w-]+)\)", lambda found: colours[found[1]], text).strip()


def _markers(prefix: str) -> str:
    return (
        "<defs>"
        + "".join(
            f'<marker id="{prefix}-{kind}" class="mgw-head-{kind}" viewBox="0 0 8 8" refX="7.5" '
            f'refY="4" markerWidth="{size}" markerHeight="{size}" markerUnits="userSpaceOnUse" '
            'orient="auto"><path d="M0 .6 8 4 0 7.4z"/></marker>'
            for kind, size in (("forward", 8), ("link", 8), ("sent", 9), ("active", 12))
        )
        + "</defs>"
    )


def _frame(frame: Frame, group: Group) -> str:
    kind = f" mgw-storey-{group.name}" if group.kind == "storey" else ""
    return (
        f'<rect class="mgw-cell{kind}" x="{frame.x:.1f}" y="{frame.y:.1f}" '
        f'width="{frame.width:.1f}" height="{frame.height:.1f}" rx="9"/>'
    )


def _title(frame: Frame, group: Group, static: bool) -> str:
    """The name of a group in its frame, before the arrows; in the live picture it is a button."""
    name = _escaped(group.name)
    wide = title_width(group.name, sign=not static)
    kind = f" mgw-storey-{group.name}" if group.kind == "storey" else ""
    spoken = "" if static else f' data-frame="{group.id}" role="button" aria-label="{name}, open"'
    sign = "" if static else f'<path class="mgw-sign" d="M{wide - 14:.1f} 9h8"/>'
    return (
        f'<g class="mgw-frame-title{kind}"{spoken} '
        f'transform="translate({frame.title:.1f} {frame.y + 4:.1f})">'
        f'<rect class="mgw-hit" width="{wide:.1f}" height="18" rx="5"/>'
        f'<text x="6" y="13">{name}</text>{sign}</g>'
    )


def _escaped(text: str) -> str:
    return escape(printable(text))


def _path(points: list[Point]) -> str:
    (x, y), *rest = points
    return f"M{x:.1f} {y:.1f}C" + " ".join(f"{px:.1f} {py:.1f}" for px, py in rest)


def _arrow(arrow: Arrow, placed: Placed, prefix: str, static: bool, backward: bool) -> str:
    curve = placed.curves[arrow.id]
    classes = "mgw-arrow" + (" mgw-cut" if arrow.cut else "")
    classes += f" mgw-{arrow.kind}" if arrow.kind else ""
    carries = backward and static and not arrow.cut
    several = f' data-several="{" ".join(arrow.several)}"' if arrow.several and not static else ""
    end = _end("" if arrow.cut else arrow.kind)
    parts = [
        f'<g class="{classes}{" mgw-sent" if carries else ""}" data-arrow="{arrow.id}" '
        f'data-head="{arrow.head}"{several}>'
        f'<path class="mgw-forward" d="{_path(curve)}" marker-end="url(#{prefix}-{end})"/>'
    ]
    if backward and not arrow.cut:
        head = f' marker-end="url(#{prefix}-sent)"' if static else ""
        parts.append(f'<path class="mgw-back" pathLength="1" d="{_path(curve[::-1])}"{head}/>')
    if arrow.scissors:
        parts.append(_scissors(*_middle(curve)))
    elif arrow.label and not arrow.cut:
        parts.append(_label(arrow, placed.labels[arrow.id]))
    return "".join(parts) + "</g>"


def _end(kind: str) -> str:
    """The head of an arrow; between the storeys it has the colour of gradients."""
    return "link" if kind in ("link", "start") else "forward"


def _middle(curve: list[Point]) -> tuple[Point, float]:
    """The middle of a curve, and its direction there in degrees."""
    cubic = 3 * ((len(curve) - 1) // 3 // 2)
    p0, p1, p2, p3 = curve[cubic : cubic + 4]
    at = tuple((a + 3 * b + 3 * c + d) / 8 for a, b, c, d in zip(p0, p1, p2, p3, strict=True))
    dx, dy = (d + c - b - a for a, b, c, d in zip(p0, p1, p2, p3, strict=True))
    return (at[0], at[1]), math.degrees(math.atan2(dy, dx))


def _scissors(at: Point, direction: float) -> str:
    """Scissors that cut across the arrow, the handles on its right."""
    return (
        f'<g class="mgw-scissors" transform="translate({at[0]:.1f} {at[1]:.1f}) '
        f'rotate({direction - 90:.0f})">'
        "<title>cut: no gradient flows back through stop_gradient</title>"
        '<rect x="-9" y="-4.5" width="18" height="9"/>'
        '<circle cx="12" cy="-4.6" r="3.1"/><circle cx="12" cy="4.6" r="3.1"/>'
        '<path d="M9.4 -3 -7 5.4M9.4 3 -7 -5.4"/></g>'
    )


def _label(arrow: Arrow, at: Point) -> str:
    width = len(arrow.label) * SMALL + 10
    x, y = at
    return (
        f'<g class="mgw-label" aria-hidden="true"><rect x="{x - width / 2:.1f}" '
        f'y="{y - 8:.1f}" width="{width:.1f}" height="16" rx="8"/>'
        f'<text x="{x:.1f}" y="{y + 3.7:.1f}">{_escaped(arrow.label)}</text></g>'
    )


def _box(box: Box, at: Point, picture: Picture, prefix: str, static: bool) -> str:
    x, y = at[0] - box.width / 2, at[1] - box.height / 2
    sign = badge_of(picture, box) if static else ""
    classes = _classes(box, picture) + (" mgw-done" if sign else "")
    square = box.kind in ("op", "group", "door")
    round_off = 7 if square else box.height / 2
    inset = 12 if square else 14
    less = 4 if box.kind == "group" else 0  # for the box behind
    size = f'width="{box.width - less:.1f}" height="{box.height - less:.1f}"'
    rect = f'{size} rx="{round_off:.0f}"'
    spoken = "" if static else f' role="img" aria-label="{_escaped(box.label)}"'
    under, over = _additions(box, classes)
    if box.kind == "door":
        inset = 30
    return (
        f'<g class="{classes}" id="{prefix}-{box.id}" data-box="{box.id}" '
        f'transform="translate({x:.1f} {y:.1f})"{spoken}>{under}<rect class="mgw-face" {rect}/>'
        f'{over}<text class="mgw-title" x="{inset}" y="18">{_escaped(box.title)}</text>'
        f'<text class="mgw-note" x="{inset}" y="34">{_escaped(box.note)}</text>'
        f'<g class="mgw-badge" transform="translate({box.width - inset:.1f} 22)">'
        f"{sign}</g></g>"
    )


def badge_of(picture: Picture, box: Box) -> str:
    """The gradient that a box shows; `""` if there is none. Of several outputs, their names."""
    found = [value.id for value in box.ends if value.id in picture.badges]
    if len(found) == 1:
        return badge(picture.badges[found[0]])
    said = badge_of_several([picture.names[key] for key in found])
    return _badge_text(said) if said else ""


def _classes(box: Box, picture: Picture) -> str:
    classes = f"mgw-box mgw-{box.kind}"
    values = box.group.values() if box.group else [box.value]
    if any(value in picture.run.outputs for value in values):
        classes += " mgw-output"
    if box.value is not None:
        classes += " mgw-cut" if is_cut(box.value) else ""
        classes += " mgw-custom" if is_custom(box.value) else ""
    return classes


def _additions(box: Box, classes: str) -> tuple[str, str]:
    """What is drawn below and above the face: an edge inside, more boxes behind, a door."""
    width, height = box.width, box.height
    if "mgw-custom" in classes:
        inner = f'x="3" y="3" width="{width - 6:.1f}" height="{height - 6:.1f}" rx="5"'
        return "", f'<rect class="mgw-inner" {inner}/>'
    if box.kind == "group":
        behind = f'x="4" y="4" width="{width - 4:.1f}" height="{height - 4:.1f}" rx="7"'
        sign = f'<path class="mgw-sign" d="M{width - 22:.1f} 13.5h8m-4 -4v8"/>'
        return f'<rect class="mgw-behind" {behind}/>', sign
    if box.kind == "door":  # ajar, with its handle
        return "", (
            '<path class="mgw-leaf" d="M10 34V9h11v25M10 9l7 3v25l-7 -3"/>'
            '<circle class="mgw-knob" cx="15" cy="24" r="1.2"/>'
        )
    return "", ""


def badge(g: Any) -> str:
    """The gradient as it stands in its box, drawn leftwards from the origin."""
    text = badge_text(g)
    if text:
        return _badge_text(text)
    levels = summary.thumbnail(single(g))
    left = -7 * len(levels[0])
    tall = min(7.0, 14 / len(levels))
    top = 8 - tall * len(levels) / 2
    tiles = []
    for i, row in enumerate(levels):
        for j, level in enumerate(row):
            x, y = left + 7 * j, top + tall * i
            tiles.append(
                f'<rect class="mgw-level mgw-level-{level}" x="{x}" y="{y:.1f}" width="6.4" '
                f'height="{tall - 0.6:.1f}"/>'
            )
            if isinstance(level, int) and level < 0 and tall > 4:
                middle = y + tall / 2 - 0.3
                tiles.append(f'<path class="mgw-minus" d="M{x + 1.6} {middle:.1f}h3.2"/>')
    return f'<text class="mgw-g" x="{left - 5}" y="12" text-anchor="end">g</text>' + "".join(tiles)


def _badge_text(text: str) -> str:
    return f'<text class="mgw-g" x="0" y="12" text-anchor="end">{_escaped(text)}</text>'


def _legend(
    y: float, width: float, picture: Picture, static: bool, prefix: str
) -> tuple[str, float]:
    """What the arrows mean, only the kinds that this picture has; and where it ends."""
    kinds = [("mgw-arrow", "mgw-forward", "forward", "values")]
    if picture.badges:
        kinds.append(("mgw-sent", "mgw-back", "sent", "gradients"))
    if any(arrow.cut for arrow in picture.arrows):
        kinds.append(("mgw-arrow mgw-cut", "mgw-forward", "forward", "no gradient"))
    for kind, words in (("link", "used by a rule"), ("start", "the sweep starts")):
        if any(arrow.kind == kind and not arrow.cut for arrow in picture.arrows):
            kinds.append((f"mgw-arrow mgw-{kind}", "mgw-forward", _end(kind), words))
    x, parts = 12.0, []
    for outer, inner, end, words in kinds:
        wide = _SAMPLE + 7 + len(words) * SMALL
        if x > 12 and x + wide > width:
            x, y = 12.0, y + 17
        parts.append(
            f'<g class="{outer}"><path class="{inner}" d="M{x:.0f} {y + 14:.1f}h{_SAMPLE}" '
            f'marker-end="url(#{prefix}-{end})"/><text class="mgw-note" '
            f'x="{x + _SAMPLE + 7:.0f}" y="{y + 18:.1f}">{words}</text></g>'
        )
        x += wide + 18
    if picture.badges:
        words = _MEANING[0] if static else "".join(_MEANING)  # beside it are no formulas
        if x + len(words) * SMALL + 12 > width:
            x, y = 12.0, y + 17
        lines = textwrap.wrap(words, int((width - 24) / SMALL))
        for i, line in enumerate(lines):
            at = f'x="{x:.0f}" y="{y + 18 + 14 * i:.1f}"'
            parts.append(f'<text class="mgw-note" {at}>{line}</text>')
        y += 14 * (len(lines) - 1)
    return f'<g class="mgw-legend" aria-hidden="true">{"".join(parts)}</g>', y + _LEGEND
