"""Where everything goes: the picture as DOT, laid out by Graphviz, read back as coordinates.

Graphviz places boxes of the sizes that it is given and routes the arrows; it draws nothing. The
program is the one that `pip install graphviz-pure` brings, so that a picture comes out the same
everywhere; without it, `dot` does as well.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

import graphviz

from .picture import Arrow, Box, Path, Picture
from .titles import Near, free_place, title_width

Point = tuple[float, float]
_MARGIN = 8
# Beyond so many arrows Graphviz looks for the best places for minutes: it is to take good ones.
_MANY_ARROWS = 60
_QUICK = {"nslimit": "1", "nslimit1": "1", "mclimit": "0.1", "searchsize": "5"}
_STRAIGHT_ARROWS = 200  # and beyond so many to draw straight arrows, which run behind boxes
_VERY_MANY_ARROWS = 800  # and beyond so many, with what it finds at once
_QUICKEST = _QUICK | {"nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.02"}
_MANY_LINKS = 100  # links between storeys; more are drawn straight, past all that is between
_PATIENCE = 60  # seconds
NO_ROOMS: Mapping[str, float] = {}


class LayoutError(RuntimeError):
    """Graphviz is missing, or could not lay the graph out."""


@dataclass(frozen=True)
class Frame:
    """The rectangle around a group."""

    path: Path  # the ids of the groups around, and its own
    x: float
    y: float
    width: float
    height: float
    title: float  # where its name begins


@dataclass(frozen=True)
class Placed:
    """Coordinates, in px, y downwards: middles of boxes and labels, curves, frames."""

    width: float
    height: float
    boxes: dict[str, Point]
    curves: dict[str, list[Point]]
    labels: dict[str, Point]
    frames: list[Frame]


def find_graphviz() -> str:
    """The path of the program that lays graphs out.

    Raises LayoutError, which says what to install, if there is none.
    """
    folder = sysconfig.get_path("scripts")
    found = (
        shutil.which("graphviz-pure", path=folder)
        or shutil.which("graphviz-pure")
        or shutil.which("dot")
    )
    if found is None:
        raise LayoutError(
            "Pictures need Graphviz, and none was found. It comes with minigrad-lessons: "
            "`pip install graphviz-pure` brings it back, or the system package `graphviz` a `dot`."
        )
    return found


def place(picture: Picture, width: float) -> Placed:
    """Lay a picture out from left to right if it then fits into `width` px, else downwards.

    The graph of a derivative goes upwards: its storey stands on that of the run.
    """
    direction, placed = "TB", None
    if any(group.kind == "storey" for group in picture.whole.groups):
        direction = "BT"
    elif len(picture.arrows) <= _MANY_ARROWS:
        across, crossed = _run(picture, "LR")
        if across.width <= width:
            direction, placed = "LR", across
    if placed is None:
        placed, crossed = _run(picture, direction)
    if crossed and len(picture.arrows) <= _STRAIGHT_ARROWS:  # again, with more room for their names
        again, still = _run(picture, direction, crossed)
        placed = again if len(still) < len(crossed) else placed
    return placed


def dot_source(picture: Picture, direction: str, rooms: Mapping[str, float] = NO_ROOMS) -> str:
    """The picture in DOT: sizes, arrows and groups, without a word of the user's.

    `rooms` are how wide some groups have to be, so that an arrow can pass beside their names.
    """
    graph = graphviz.Digraph(
        graph_attr={"rankdir": direction, "nodesep": "0.28", "ranksep": "0.42", "labeljust": "l"},
        node_attr={"shape": "box", "fixedsize": "true", "label": ""},
        edge_attr={"arrowhead": "none"},
    )
    if direction == "BT":  # then "b" is the upper edge
        graph.attr(labelloc="b")
    if len(picture.arrows) > _MANY_ARROWS:
        graph.attr(**(_QUICKEST if len(picture.arrows) > _VERY_MANY_ARROWS else _QUICK))
    if len(picture.arrows) > _STRAIGHT_ARROWS:
        graph.attr(splines="line")
    _write_groups(graph, picture, picture.boxes, (), rooms)
    apart, straight = _apart(picture), _straight(picture)
    for arrow in picture.arrows:
        if arrow.id in straight:
            continue
        label = _room(*arrow.label_size) if arrow.label_size else ""
        more = {"minlen": "2"} if arrow.id in apart else {}
        graph.edge(arrow.tail, arrow.head, id=arrow.id, label=label, **more)
    for tail, head in _lifts(picture):
        graph.edge(tail, head, style="invis")
    return str(graph.source)


def _lifts(picture: Picture) -> list[tuple[str, str]]:
    """From each output of the run to what stands lowest in the storey of the derivative."""
    storeys = [group.id for group in picture.whole.groups if group.kind == "storey"]
    if not storeys:
        return []
    above = {box.id for box in picture.boxes if storeys[-1] in (*box.groups, box.id)}
    inner = {arrow.head for arrow in picture.arrows if arrow.tail in above}
    starts = {arrow.tail for arrow in picture.arrows if arrow.kind == "start"}
    return [(tail, box.id) for tail in starts for box in picture.boxes if box.id in above - inner]


def _straight(picture: Picture) -> dict[str, Arrow]:
    """The links that Graphviz is not asked about: they are long, and would take it minutes."""
    links = {arrow.id: arrow for arrow in picture.arrows if arrow.kind == "link"}
    return links if len(links) > _MANY_LINKS else {}


def _line(arrow: Arrow, boxes: dict[str, Point], sizes: dict[str, Point]) -> list[Point]:
    """A straight arrow from the edge of one box to that of another, as a curve."""
    (x, y), (to_x, to_y) = boxes[arrow.tail], boxes[arrow.head]
    dx, dy = to_x - x, to_y - y
    ends = []
    for key, at, sign in ((arrow.tail, (x, y), 1), (arrow.head, (to_x, to_y), -1)):
        wide, high = sizes[key]
        share = min(wide / abs(dx) if dx else 1, high / abs(dy) if dy else 1, 0.5)
        ends.append((at[0] + sign * share * dx, at[1] + sign * share * dy))
    (x, y), (to_x, to_y) = ends
    return [(x + (to_x - x) * i / 3, y + (to_y - y) * i / 3) for i in range(4)]


def _apart(picture: Picture) -> set[str]:
    """The arrows that come into a group, to a box that also has a Parameter of the group.

    The Parameter stands one row above its op. What comes from outside is to stand above that, or
    Graphviz would set the two groups side by side, one after another, as a staircase.
    """
    groups = {box.id: box.groups for box in picture.boxes}
    kinds = {box.id: box.kind for box in picture.boxes}
    deepest: dict[str, int] = {}
    for arrow in picture.arrows:
        if kinds[arrow.tail] in ("parameter", "constant"):
            depth = len(groups[arrow.tail])
            deepest[arrow.head] = max(depth, deepest.get(arrow.head, 0))
    found = set()
    for arrow in picture.arrows:
        depth = deepest.get(arrow.head, 0)
        if groups[arrow.tail][:depth] != groups[arrow.head][:depth]:
            found.add(arrow.id)
    return found


def _write_groups(
    graph: graphviz.Digraph,
    picture: Picture,
    boxes: list[Box],
    path: Path,
    rooms: Mapping[str, float],
) -> None:
    depth = len(path)
    inner: dict[str, list[Box]] = {}
    for box in boxes:
        if len(box.groups) > depth:
            inner.setdefault(box.groups[depth], []).append(box)
        else:
            graph.node(box.id, width=f"{box.width / 72:.4f}", height=f"{box.height / 72:.4f}")
    for key, inside in inner.items():
        here = (*path, key)
        with graph.subgraph(name=f"cluster_{key}") as group:
            wide = title_width(picture.groups[key].name) + 8
            room = _room(max(wide, rooms.get(key, 0.0)), 16)
            group.attr(label=room, id=" ".join(here), margin="10")
            _write_groups(group, picture, inside, here, rooms)


def _room(width: float, height: float) -> str:
    """An empty label of a given size."""
    return (
        '<<table border="0" cellborder="0" cellpadding="0" cellspacing="0"><tr>'
        f'<td fixedsize="true" width="{width:.0f}" height="{height:.0f}"></td></tr></table>>'
    )


def _run(
    picture: Picture, direction: str, rooms: Mapping[str, float] = NO_ROOMS
) -> tuple[Placed, dict[str, float]]:
    """The picture laid out, and how wide groups would have to be whose names an arrow crosses."""
    command = [find_graphviz(), "-Kdot", "-Tjson"]
    try:
        done = subprocess.run(
            command,
            input=dot_source(picture, direction, rooms),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise LayoutError(
            f"this graph of {len(picture.boxes)} boxes and {len(picture.arrows)} arrows is too "
            "tangled to be laid out in a minute; show a part of the program, or fewer rounds of it"
        ) from None
    except OSError as error:
        raise LayoutError(f"{command[0]} could not be started: {error}") from None
    if done.returncode or not done.stdout:
        raise LayoutError(
            f"{File(command[0]).name} could not lay the graph out: {done.stderr.strip()}"
        )
    return _read(json.loads(done.stdout), picture)


def _read(answer: dict[str, Any], picture: Picture) -> tuple[Placed, dict[str, float]]:
    _, _, right, top = map(float, answer["bb"].split(","))

    def point(text: str) -> Point:
        x, y = map(float, text.split(","))
        return x + _MARGIN, top - y + _MARGIN

    boxes, clusters = {}, []
    for thing in answer.get("objects", []):
        if "nodes" in thing or "subgraphs" in thing:
            x0, y0, x1, y1 = map(float, thing["bb"].split(","))
            at = x0 + _MARGIN, top - y1 + _MARGIN, x1 - x0, y1 - y0
            clusters.append((tuple(thing["id"].split()), *at))
        else:
            boxes[thing["name"]] = point(thing["pos"])
    curves, labels = {}, {}
    for edge in answer.get("edges", []):
        if "id" not in edge:
            continue  # it only keeps boxes apart
        curves[edge["id"]] = [point(p) for p in edge["pos"].split()]
        if "lp" in edge:
            labels[edge["id"]] = point(edge["lp"])
    sizes = {box.id: (box.width / 2, box.height / 2) for box in picture.boxes}
    for arrow in _straight(picture).values():
        curves[arrow.id] = _line(arrow, boxes, sizes)
    _order_parallel(picture, curves, labels)
    frames, crossed = [], {}
    near = Near(curves.values())
    for path, x, y, wide, high in clusters:
        title = title_width(picture.groups[path[-1]].name)
        passing = near.title(x, x + wide, y)
        begin, missing = free_place(x, x + wide, y, title, passing)
        if missing:
            crossed[path[-1]] = wide + missing
        frames.append(Frame(path, x, y, wide, high, begin))
    size = right + 2 * _MARGIN, top + 2 * _MARGIN
    return Placed(*size, boxes, curves, labels, frames), crossed


def _order_parallel(
    picture: Picture, curves: dict[str, list[Point]], labels: dict[str, Point]
) -> None:
    """Of arrows from one box to another the first is on the left, or above.

    Graphviz draws them in any order. They change places where their labels have equal room.
    """
    alike: dict[tuple[Any, ...], list[str]] = {}
    for arrow in picture.arrows:
        if arrow.id in labels:
            alike.setdefault((arrow.tail, arrow.head, arrow.label_size), []).append(arrow.id)
    for keys in alike.values():
        ordered = sorted(keys, key=lambda key: labels[key])
        places = [(curves[key], labels[key]) for key in ordered]
        for key, (line, at) in zip(keys, places, strict=True):
            curves[key], labels[key] = line, at
