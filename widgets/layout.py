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
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

import graphviz

from .picture import Arrow, Box, Path, Picture

Point = tuple[float, float]
_MARGIN = 8
# Beyond so many arrows Graphviz looks for the best places for minutes: it is told to take good ones
# and to draw straight arrows, which takes a second or two.
_MANY_ARROWS = 60
_QUICK = {"nslimit": "1", "nslimit1": "1", "mclimit": "0.1", "searchsize": "5", "splines": "line"}
_PATIENCE = 60  # seconds


class LayoutError(RuntimeError):
    """Graphviz is missing, or could not lay the graph out."""


@dataclass(frozen=True)
class Frame:
    """The rectangle around a Cell, and where its name stands."""

    path: Path
    x: float
    y: float
    width: float
    height: float


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
            "Pictures need Graphviz and none was found. Install it with "
            "`pip install graphviz-pure`, or the system package `graphviz`, which brings `dot`."
        )
    return found


def place(picture: Picture, width: float) -> Placed:
    """Lay a picture out from left to right if it then fits into `width` px, else downwards."""
    if len(picture.arrows) <= _MANY_ARROWS:
        across = _run(picture, "LR")
        if across.width <= width:
            return across
    return _run(picture, "TB")


def dot_source(picture: Picture, direction: str) -> str:
    """The picture in DOT: sizes, arrows and Cells, without a word of the user's."""
    graph = graphviz.Digraph(
        graph_attr={"rankdir": direction, "nodesep": "0.28", "ranksep": "0.42", "labeljust": "l"},
        node_attr={"shape": "box", "fixedsize": "true", "label": ""},
        edge_attr={"arrowhead": "none"},
    )
    if len(picture.arrows) > _MANY_ARROWS:
        graph.attr(**_QUICK)
    _write_cells(graph, picture.boxes, ())
    for arrow in picture.arrows:
        label = _room(*arrow.label_size) if arrow.label_size else ""
        graph.edge(arrow.tail, arrow.head, id=arrow.id, label=label)
    return str(graph.source)


def _write_cells(graph: graphviz.Digraph, boxes: list[Box], path: Path) -> None:
    depth = len(path)
    inner: dict[str, list[Box]] = {}
    for box in boxes:
        if len(box.cells) > depth:
            inner.setdefault(box.cells[depth], []).append(box)
        else:
            graph.node(box.id, width=f"{box.width / 72:.4f}", height=f"{box.height / 72:.4f}")
    for name, inside in inner.items():
        here = (*path, name)
        with graph.subgraph(name=f"cluster_{inside[0].id}_{depth}") as cell:
            cell.attr(
                label=_room(len(name) * 7 + 16, 16), id="\t".join(map(_hex, here)), margin="10"
            )
            _write_cells(cell, inside, here)


def _hex(name: str) -> str:
    return name.encode().hex()


def _room(width: float, height: float) -> str:
    """An empty label of a given size."""
    return (
        '<<table border="0" cellborder="0" cellpadding="0" cellspacing="0"><tr>'
        f'<td fixedsize="true" width="{width:.0f}" height="{height:.0f}"></td></tr></table>>'
    )


def _run(picture: Picture, direction: str) -> Placed:
    command = [find_graphviz(), "-Kdot", "-Tjson"]
    try:
        done = subprocess.run(
            command,
            input=dot_source(picture, direction),
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
    if done.returncode or not done.stdout:
        raise LayoutError(
            f"{File(command[0]).name} could not lay the graph out: {done.stderr.strip()}"
        )
    return _read(json.loads(done.stdout), picture.arrows)


def _read(answer: dict[str, Any], arrows: list[Arrow]) -> Placed:
    _, _, right, top = map(float, answer["bb"].split(","))

    def point(text: str) -> Point:
        x, y = map(float, text.split(","))
        return x + _MARGIN, top - y + _MARGIN

    boxes, frames = {}, []
    for thing in answer.get("objects", []):
        if "nodes" in thing or "subgraphs" in thing:
            x0, y0, x1, y1 = map(float, thing["bb"].split(","))
            path = tuple(bytes.fromhex(name).decode() for name in thing["id"].split("\t"))
            frames.append(Frame(path, x0 + _MARGIN, top - y1 + _MARGIN, x1 - x0, y1 - y0))
        else:
            boxes[thing["name"]] = point(thing["pos"])
    curves, labels = {}, {}
    for edge in answer.get("edges", []):
        curves[edge["id"]] = [point(p) for p in edge["pos"].split()]
        if "lp" in edge:
            labels[edge["id"]] = point(edge["lp"])
    return Placed(right + 2 * _MARGIN, top + 2 * _MARGIN, boxes, curves, labels, frames)
