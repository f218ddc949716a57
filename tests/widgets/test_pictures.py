"""Pictures of runs: what is drawn, how it is called, that it is well formed and escaped."""

from __future__ import annotations

import re
import shutil
import sysconfig
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from sample import W, X, loss

import minigrad as ms
import minigrad_widgets
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import LayoutError, layout, show_graph, step_backward
from minigrad_widgets.graph_view import GraphView
from minigrad_widgets.stepper import BackwardStepper

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<img src=x onerror="alert(1)">'


class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return 2 * x * dout


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor([2.0, 3.0]), name=EVIL)
        self.relu = nn.ReLU()
        self.square = Square()

    def construct(self, x):
        return self.square(self.relu(x * self.scale)).sum()


def titles(svg: str) -> list[str]:
    """The titles of the boxes in a picture."""
    root = ElementTree.fromstring(svg)
    return [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "mgw-title"]


def test_boxes_are_called_as_in_the_program() -> None:
    """The user's names where there are any, formulas in them, the function's for its output."""
    expected = [
        "x",
        "w",
        "h = x · w",
        "q = h · h",
        "s = stop_gradient(h)",
        "v₅ = q + s",
        "loss = ∑v₅",
    ]
    assert titles(show_graph(loss, X, W).to_svg()) == expected


def test_a_name_used_again_is_numbered() -> None:
    """Each value of a name that is assigned in a loop is told apart."""

    def power(x):
        for _ in range(2):
            x = x * x
        return x

    assert titles(show_graph(power, 2.0).to_svg()) == ["x₁", "x₂ = x₁ · x₁", "x₃ = x₂ · x₂"]


@pytest.mark.parametrize("show", [show_graph, step_backward])
def test_pictures_are_well_formed_and_their_ids_differ(show: object) -> None:
    """Live and static pictures are XML; ids begin with a prefix that no other picture has."""
    widgets = [show(loss, X, W), show(loss, X, W)]
    pictures = [picture for widget in widgets for picture in (widget.svg, widget.to_svg())]
    ids = [e.get("id") for p in pictures for e in ElementTree.fromstring(p).iter() if e.get("id")]
    assert len(ids) == len(set(ids)) > 4 * 7
    for picture in pictures:
        prefix = ElementTree.fromstring(picture).get("id")
        assert f"url(#{prefix}-" in picture
        assert picture.count("url(#") == picture.count(f"url(#{prefix}-")


@pytest.mark.parametrize("show", [show_graph, step_backward])
def test_names_of_the_user_are_escaped_everywhere(show: object) -> None:
    """A Parameter named like a tag is text in the picture and in all that travels to the page."""
    widget = show(Network(), Tensor([1.0, -1.0]))
    for picture in (widget.svg, widget.to_svg()):
        assert "<img" not in picture
        assert any(EVIL[:12] in title for title in titles(picture))
    set_as_html = [
        text
        for card in widget.cards.values()
        for text in (card["heading"], *card["formulas"], *(row["label"] for row in card["rows"]))
    ]
    if show is step_backward:
        for step in widget.steps:
            set_as_html += [step["sentence"], *step["badges"].values(), *step["card"]["formulas"]]
            set_as_html += [row["label"] for row in step["card"]["rows"]]
        set_as_html += [item["label"] for item in widget.kept]
    assert any("&lt;img" in text for text in set_as_html)
    assert not any("<img" in text for text in set_as_html)


def test_cells_are_frames_and_a_bprop_is_a_box() -> None:
    """A Cell is a frame around its ops; one with a bprop of its own is a box with a double edge."""
    svg = ElementTree.fromstring(show_graph(Network(), Tensor([1.0, -1.0])).to_svg())
    frames = [
        g.find(f"{SVG}text").text
        for g in svg.iter(f"{SVG}g")
        if "mgw-frame-title" in g.get("class", "")
    ]
    assert sorted(frames) == ["Network", "relu"]
    boxes = [g for g in svg.iter(f"{SVG}g") if "mgw-custom" in g.get("class", "")]
    assert [box.find(f"{SVG}text").text for box in boxes] == ["v₄ = Square(v₃)"]
    assert not any("mgw-cut" in box.get("class") for box in boxes)


def test_stop_gradient_is_cut_by_scissors() -> None:
    """The arrows into and out of stop_gradient are cut, and carry no gradient back."""
    svg = ElementTree.fromstring(step_backward(loss, X, W).to_svg())
    arrows = {g.get("data-arrow"): g for g in svg.iter(f"{SVG}g") if g.get("data-arrow")}
    cut = {key for key, g in arrows.items() if "mgw-cut" in g.get("class")}
    assert cut == {"v4-0", "v5-1"}
    assert not any("mgw-sent" in arrows[key].get("class") for key in cut)
    assert [
        key for key, g in arrows.items() if g.find(f"{SVG}g[@class='mgw-scissors']") is not None
    ] == ["v4-0"]
    back = [key for key, g in arrows.items() if g.find(f"{SVG}path[@class='mgw-back']") is not None]
    assert sorted(back) == ["v2-0", "v2-1", "v3-0", "v3-1", "v5-0", "v6-0"]


def test_the_graph_of_a_run_has_no_arrows_back() -> None:
    """show_graph ran no backward pass, so neither picture of it shows a gradient's arrow."""
    widget = show_graph(loss, X, W)
    for svg in (widget.svg, widget.to_svg()):
        classes = {e.get("class") for e in ElementTree.fromstring(svg).iter() if e.get("class")}
        assert not any("mgw-sent" in each or "mgw-back" in each for each in classes)
    assert "mgw-sent" in step_backward(loss, X, W).to_svg()


def test_every_output_is_marked() -> None:
    """Both of two outputs have the strong edge, and start with their gradient."""

    def both(x, y):
        s = x * y
        d = x - y
        return s, d

    svg = ElementTree.fromstring(step_backward(both, 2.0, 3.0).to_svg())
    boxes = [g for g in svg.iter(f"{SVG}g") if "mgw-output" in g.get("class", "")]
    assert [box.find(f"{SVG}text").text for box in boxes] == ["s = x · y", "d = x − y"]
    assert ["".join(box.itertext()).endswith("g = 1") for box in boxes] == [True, True]


def test_a_product_of_matrices_is_written_as_in_the_program() -> None:
    """Of matmul and of a layer: in the boxes and in the formulas of the card."""

    def layers(x, w):
        return ops.sum(nn.Dense(2, 1)(x @ w))

    widget = step_backward(layers, X, Tensor([[1.0, 0.0], [0.0, 1.0]]))
    drawn = titles(widget.to_svg())
    assert any(" = x @ w" in title for title in drawn)
    assert any(" @ weightᵀ + bias" in title for title in drawn)
    dense = widget.steps[2]["card"]["formulas"]
    assert sum(line.count("<mo>@</mo>") for line in dense) == 3
    assert not any("<mo>·</mo>" in line for line in dense)


def test_a_formula_that_is_no_longer_than_a_call_is_written() -> None:
    """With long names as with short ones: `dense(x, …)` would take more room and say less."""
    layer = nn.Dense(2, 1)
    layer.weight.name, layer.bias.name = "encoder.first.weight", "encoder.first.bias"
    drawn = titles(show_graph(lambda table: layer(table), X).to_svg())
    assert "out = table @ …first.weightᵀ + …first.bias" in drawn


def test_an_index_is_called_as_in_the_program() -> None:
    """Two look-ups in one table are told apart; a name that is too long stays `i`."""
    here, after, after_that_and_the_next = (Tensor([k, 0]) for k in (0, 1, 1))

    def rise(table):
        a = table[here] + table[after]
        return a * table[after_that_and_the_next]

    widget = step_backward(rise, X)
    drawn = titles(widget.to_svg())
    assert {x.split(" = ")[1] for x in drawn if " = table" in x} == {
        "table[here]", "table[after]", "table_i",
    }  # fmt: skip
    cards = ["".join(step["card"]["formulas"]) for step in widget.steps if "card" in step]
    assert any("<mi>after</mi>" in card and "<mi>here</mi>" not in card for card in cards)


def test_boxes_do_not_overlap_and_hold_their_text() -> None:
    """Graphviz got the sizes: no box covers another, and titles fit."""
    widget = step_backward(Network(), Tensor([1.0, -1.0]))
    placed, boxes = widget._now.placed, widget.picture.boxes
    for a in boxes:
        assert a.width >= len(a.title) * 7.2 + 20
        for b in boxes:
            (ax, ay), (bx, by) = placed.boxes[a.id], placed.boxes[b.id]
            apart = abs(ax - bx) >= (a.width + b.width) / 2 or abs(ay - by) >= a.height
            assert a is b or apart


def points(curve: list, pieces: int = 40) -> list:
    """Points along a curve of cubics, by de Casteljau's halving of the lines between its points."""
    found = []
    for i in range(0, len(curve) - 1, 3):
        for k in range(pieces + 1):
            line = [np.array(p) for p in curve[i : i + 4]]
            while len(line) > 1:
                line = [a + (b - a) * k / pieces for a, b in pairwise(line)]
            found.append(tuple(line[0]))
    return found


class Layers(nn.Cell):
    """Frames in frames, one below the other, with an arrow down the middle and one past all."""

    def __init__(self):
        super().__init__()
        self.first, self.relu, self.second = nn.Dense(2, 2), nn.ReLU(), nn.Dense(2, 2)

    def construct(self, x):
        h = self.relu(self.first(x))
        return ops.sum(self.second(h) * (h * h))


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)

    def construct(self, x):
        return x + ops.tanh(self.fc(x))


def rounds(x):
    for _ in range(70):
        x = ops.sin(x)
    return x


@pytest.mark.parametrize(
    "make",
    [
        lambda: show_graph(Layers(), X, order=2),
        lambda: step_backward(Layers(), X),
        lambda: show_graph(lambda x: ops.sin(x) * x, 2.0, order=2),
        lambda: step_backward(rounds, 1.0),
        lambda: show_graph(nn.SequentialCell(*[Block() for _ in range(12)]), X),
    ],
)
def test_no_arrow_runs_through_the_name_of_a_frame(make: Any) -> None:
    """The name stands where no arrow passes, inside of its frame."""
    placed = make()._now.placed
    curves = [points(curve) for curve in placed.curves.values()]
    assert placed.frames
    for frame, svg in zip(placed.frames, title_boxes(make()), strict=True):
        left, top, wide, high = svg
        assert frame.x <= left
        assert left + wide <= frame.x + frame.width
        through = [
            (x, y)
            for curve in curves
            for x, y in curve
            if left - 2 < x < left + wide + 2 and top - 1 < y < top + high + 1
        ]
        assert through == []


def title_boxes(widget: Any) -> list[tuple[float, ...]]:
    """Where the names of frames are drawn on the page: left, top, width, height."""
    found = []
    for g in ElementTree.fromstring(widget.svg).iter(f"{SVG}g"):
        if g.get("data-frame"):
            x, y = map(float, g.get("transform")[len("translate(") : -1].split())
            rect = g.find(f"{SVG}rect")
            found.append((x, y, float(rect.get("width")), float(rect.get("height"))))
    return found


def test_arrows_go_around_boxes() -> None:
    """Of 12 Blocks, all open: over 60 arrows, and none runs behind a box that is not its end."""
    widget = show_graph(nn.SequentialCell(*[Block() for _ in range(12)]), X)
    widget.show(widget.groups)
    shown, placed = widget._now.shown, widget._now.placed
    assert len(shown.arrows) > 60
    for arrow in shown.arrows:
        for box in shown.boxes:
            if box.id in (arrow.tail, arrow.head):
                continue
            x, y = placed.boxes[box.id]
            inside = [
                p
                for p in points(placed.curves[arrow.id])
                if abs(p[0] - x) < box.width / 2 - 2 and abs(p[1] - y) < box.height / 2 - 2
            ]
            assert inside == []


def squares(x, w):
    h = x * w
    q = h * h
    return ops.sum(q + q * h)


@pytest.mark.parametrize(
    "make",
    [
        lambda: step_backward(Layers(), X),
        lambda: step_backward(squares, X, W),  # from left to right
        lambda: step_backward(squares, 2.0, 3.0),
    ],
)
def test_no_arrow_runs_through_a_label(make: Any) -> None:
    """A label stands beside its arrow, with room around it, and on no other."""
    widget = make()
    curves = {key: points(curve) for key, curve in widget._now.placed.curves.items()}
    labels = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height"))
        for g in ElementTree.fromstring(widget.svg).iter(f"{SVG}g")
        if g.get("class") == "mgw-label"
        for rect in g.iter(f"{SVG}rect")
    ]
    assert len(labels) >= 2
    for x, y, wide, high in labels:
        through = {
            key
            for key, curve in curves.items()
            for px, py in curve
            if x - 2 < px < x + wide + 2 and y - 2 < py < y + high + 2
        }
        assert through == set()


@pytest.mark.parametrize(("boxes", "lines"), [(2, 1), (8, 3)])
def test_the_legend_of_a_narrow_graph_has_more_lines(boxes: int, lines: int) -> None:
    """Two boxes stand side by side, 8 one below the other: no word is left out or cut off."""

    def fn(x):
        for _ in range(boxes - 1):
            x = ops.sin(x)
        return ops.sum(x)

    svg = step_backward(fn, Tensor([1.0, 2.0])).svg
    _, _, width, height = map(float, re.search(r'viewBox="([^"]*)"', svg)[1].split())
    notes = re.findall(
        r'<text class="mgw-note" x="([0-9.]+)" y="([0-9.]+)">([^<]*)</text>',
        svg.partition('class="mgw-legend"')[2],
    )
    first = next(i for i, (_, _, text) in enumerate(notes) if text.startswith("g: "))
    said = [text for _, _, text in notes[first:]]
    assert " ".join(said) == "g: gradient, written with a bar in formulas"
    assert len(said) == lines
    for x, y, text in notes:
        assert float(x) + 6.35 * len(text) <= width
        assert float(y) + 3 <= height


def test_each_kind_of_arrow_is_told_apart_without_colour() -> None:
    """In the legend, and so in the graph: solid, dashes, dots and dashes, or dots alone."""

    def fn(a, b):
        product = a * b
        return product * b, ops.exp(ops.stop_gradient(product))

    widget = show_graph(fn, 2.0, 3.0, order=2, has_aux=True)
    legend = widget.svg.partition('class="mgw-legend"')[2]
    kinds = re.findall(r'<g class="([^"]*)"><path class="([^"]*)"', legend)
    assert len(kinds) == 4
    rules = (Path(minigrad_widgets.__file__).parent / "graph.css").read_text(encoding="utf-8")
    patterns = set()
    for outer, inner in kinds:
        path = " ".join(f".{name}" for name in ("mgw-graph", outer.split()[-1], inner))
        path = path.replace(".mgw-arrow ", "").replace(".mgw-cut", ".mgw-arrow.mgw-cut")
        (rule,) = re.findall(rf"^{re.escape(path)} {{([^}}]*)}}", rules, re.M)
        found = re.findall("dasharray: ([^;]*);", rule)
        patterns.add(found[0] if found else "solid")
    assert len(patterns) == 4


def test_without_graphviz_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """No graphviz-pure and no dot: a LayoutError that names the remedy."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(LayoutError, match="pip install graphviz-pure"):
        show_graph(loss, X, W)


def test_dot_is_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """graphviz-pure of the running Python comes first, then one on the PATH, then dot."""
    folder = sysconfig.get_path("scripts")
    there: dict[tuple[str, str | None], str] = {}
    monkeypatch.setattr(shutil, "which", lambda name, path=None: there.get((name, path)))
    there["dot", None] = "/usr/bin/dot"
    assert layout.find_graphviz() == "/usr/bin/dot"
    there["graphviz-pure", folder] = "here"
    assert layout.find_graphviz() == "here"


def test_a_graphviz_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What Graphviz complains about is in the error."""
    broken = {"args": [], "returncode": 1, "stdout": "", "stderr": "syntax error in line 1"}
    monkeypatch.setattr(
        layout.subprocess, "run", lambda *_, **__: layout.subprocess.CompletedProcess(**broken)
    )
    with pytest.raises(LayoutError, match="syntax error in line 1"):
        show_graph(loss, X, W)


@pytest.mark.parametrize("show", [show_graph, step_backward])
def test_calling_the_function_oneself_is_explained(show: object) -> None:
    """The first argument is the function, not its value."""
    with pytest.raises(TypeError, match=rf"{show.__name__}\(loss, x, w\); got Tensor for fn"):
        show(loss(X, W))


def test_a_backward_pass_too_long_to_step_through_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More values than its picture can show: the error says how many, and what to try."""
    monkeypatch.setattr(minigrad_widgets.picture, "MOST_STEPPED", 6)
    with pytest.raises(ValueError, match=r"loss makes a graph of 7 values; .* shows at most 6"):
        step_backward(loss, X, W)


def test_the_public_face() -> None:
    """What the package offers, and what its widgets are called."""
    assert minigrad_widgets.__all__ == [
        "LayoutError",
        "compare_gradients",
        "export_html",
        "open_bprop",
        "show_graph",
        "show_passes",
        "signature_map",
        "step_backward",
        "step_forward",
        "tangent",
        "trace_nan",
        "training",
    ]
    assert repr(step_backward(loss, X, W)) == "step_backward(loss): 4 steps"
    assert repr(show_graph(loss, X, W)) == "show_graph(loss): 7 values"
    assert repr(step_backward(ops.sin, 1.0)).endswith(": 1 step")
    assert repr(show_graph(lambda x: x, 1.0)) == "show_graph(function): 1 value"


@pytest.mark.parametrize("kind", [GraphView, BackwardStepper])
def test_every_form_stands_beside_the_widget(kind: type) -> None:
    """The notebook gets the live widget, a static picture and a table."""
    show = show_graph if kind is GraphView else step_backward
    widget = show(loss, X, W)
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/plain"}
    assert data["text/plain"] == widget.to_text()
    assert "prefers-color-scheme:dark" in data["image/svg+xml"]
    assert "var(" not in data["image/svg+xml"]


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: ops.split(x, 1, axis=0)[0].sum(),
        lambda x: ops.concat((x, x * 2)),
        lambda x: (x * 2, x * x),
        lambda x: ops.where(x > 2, x, -x),
        lambda x: x[0, 1],
        lambda x: ops.log(x - 1),
        ms.grad(lambda x: (x * x * x).sum()),
    ],
)
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
def test_all_kinds_of_runs_are_drawn(fn: object) -> None:
    """Several outputs, indices, conditions, infinities, a derivative; gradients are grad's."""
    widget = step_backward(fn, X)
    ElementTree.fromstring(widget.to_svg())
    (found,) = widget.gradients.values()
    np.testing.assert_array_equal(found, ms.grad(fn)(X).asnumpy())


def test_an_empty_array_is_drawn() -> None:
    """No entries: no thumbnail, and no error."""
    widget = step_backward(lambda x: x.sum(), Tensor(np.zeros((0, 3), np.float32)))
    assert "g empty" in widget.to_svg()
