"""The graph of a run: what is grouped, folded, found, and drawn; how it leaves as a file."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from minigrad import Parameter, Tensor, nn, ops
from minigrad.watch import watch
from minigrad_widgets import LayoutError, layout, png, show_graph
from minigrad_widgets.folding import fold, hides
from minigrad_widgets.groups import Group, group_values, opened_at_first, shown
from minigrad_widgets.picture import picture

SVG = "{http://www.w3.org/2000/svg}"
X = Tensor(np.ones((2, 3), np.float32))


class Block(nn.Cell):
    """Seven values: weight, bias, dense, tanh, 0.5, multiply, add."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 3, weight_init="ones")

    def construct(self, x):
        h = self.fc(x)
        return x + ops.tanh(h) * 0.5


def deep(count: int) -> nn.Cell:
    return nn.SequentialCell(*[Block() for _ in range(count)])


def tree(group: Group) -> list:
    """Names of groups, and how many values stand beside them, in nested lists."""
    values = sum(not isinstance(item, Group) for item in group.items)
    return [group.name, values, *map(tree, group.groups)]


def grouped(fn, *args, every=True) -> list:
    return tree(group_values(watch(fn, *args), every))[1:]


# --- groups
def test_cells_are_groups_with_their_parameters() -> None:
    """A Parameter and a constant stand where all their uses are, an input stands outside."""
    assert grouped(deep(1), X, every=False) == [
        1,
        ["SequentialCell", 0, ["0", 4, ["fc", 3]]],
    ]


def test_a_cell_called_twice_is_two_groups() -> None:
    """Each call is a group of its own; what both use stands outside of both."""
    fc = nn.Dense(3, 3)
    assert grouped(lambda x: fc(fc(x)), X, every=False) == [
        3,
        ["Dense, call 1", 1],
        ["Dense, call 2", 1],
    ]


def test_loops_and_calls_are_groups_of_a_long_run() -> None:
    """Loop in loop, rounds, calls: as the program has them, with its lines."""

    def step(x):
        y = ops.sin(x)
        return y * x

    def fn(x):
        x = ops.exp(x)
        for _ in range(2):
            for _ in range(3):
                x = step(x)
            x = ops.tanh(x)
        return x * x

    start = fn.__code__.co_firstlineno
    inner = [f"loop, lines {start + 3}–{start + 4}", 0]
    rounds = [[f"round {n}", 0, ["step()", 2]] for n in (1, 2, 3)]
    outer = [[f"round {n}", 1, [*inner, *rounds]] for n in (1, 2)]
    # beside the loop: x, exp and the last product
    assert grouped(fn, 1.0) == [3, [f"loop, lines {start + 2}–{start + 5}", 0, *outer]]
    assert grouped(fn, 1.0, every=False) == [17]


def test_loops_after_one_another_and_with_branches() -> None:
    """Two loops are two groups. Where rounds go different ways, they are not counted.

    Of three rounds that go two ways the first is told apart; the third begins further on in the
    code than the second ends, so that nothing shows where.
    """

    def fn(x):
        for i in range(3):
            x = ops.sin(x) if i % 2 else ops.cos(ops.exp(x))
        n = 0
        while n < 2:
            x = ops.tanh(x)
            x = x * x
            n += 1
        return x

    (_, first, second) = grouped(fn, 1.0)
    assert first[1:] == [0, ["part 1", 2], ["part 2", 3]]
    assert second[1:] == [0, ["round 1", 2], ["round 2", 2]]
    whole = group_values(watch(fn, 1.0), every=True)
    assert [loop.what for loop in whole.groups] == ["", "2 rounds"]


def test_rounds_of_one_value_are_that_value_in_parts_of_the_loop() -> None:
    """700 rounds are not 700 boxes, but 26 parts, of 26 or 27 rounds."""

    def chain(x):
        for _ in range(700):
            x = ops.sin(x)
        return x

    whole = group_values(watch(chain, 1.0), every=True)
    (loop,) = whole.groups
    assert loop.what == "700 rounds"
    assert [len(part.items) for part in loop.groups].count(27) == 24
    assert [len(part.items) for part in loop.groups].count(26) == 2
    assert loop.groups[0].name == "rounds 1–26"
    assert loop.groups[-1].name == "rounds 674–700"
    assert not any(inner.groups for inner in loop.groups)
    assert shown(whole, opened_at_first(whole)) == 27


def test_a_long_program_without_loops_is_divided_by_its_lines() -> None:
    """90 lines of straight code: no part is long, and together they hold all of it."""
    lines = "\n".join(f"    x = x * 1.{n}" for n in range(1, 91))
    space: dict = {}
    exec(f"def straight(x):\n{lines}\n    return x", space)
    whole = group_values(watch(space["straight"], 1.0), every=True)
    assert [part.name for part in whole.groups][:2] == ["lines 2–11", "lines 12–21"]
    assert sum(len(part.values()) for part in whole.groups) == 180  # a product and its factor
    assert whole.items[0].name == "x"


def test_a_run_of_60_values_is_all_open() -> None:
    """8 Blocks make 57 values: all are seen. Of 9 the layer in each is closed, of 12 each whole."""
    cases = (8, ""), (9, "27 values hide in 9 Cells"), (12, "84 values hide in 12 Cells")
    for count, said in cases:
        shown_picture = picture(watch(deep(count), X), backward=False)
        assert hides(shown_picture, opened_at_first(shown_picture.whole)) == said


# --- folded pictures
def test_a_closed_cell_keeps_its_arrows() -> None:
    """What goes into a Block and what comes out of it goes into and out of its box, once."""
    full = picture(watch(deep(3), X), backward=False)
    names = {group.name: group.id for group in full.whole.walk() if group.name in "012"}
    (outer,) = full.whole.groups
    closed = fold(full, frozenset([outer.id]))
    assert [box.title for box in closed.boxes] == ["input_data", "0", "1", "2"]
    assert [box.note for box in closed.boxes[1:]] == ["Block, 7 values"] * 3
    arrows = {(a.tail, a.head) for a in closed.arrows}
    x = closed.boxes[0].id
    assert arrows == {(x, names["0"]), (names["0"], names["1"]), (names["1"], names["2"])}
    assert len(closed.arrows) == 3
    half = fold(full, frozenset([outer.id, names["1"]]))
    assert [box.title for box in half.boxes if box.group] == ["0", "fc", "2"]
    fc = next(box.id for box in half.boxes if box.title == "fc")
    added = next(box.id for box in half.boxes if box.title.startswith("x₂ = x₁ +"))
    into = {a.head for a in half.arrows if a.tail == names["0"]}
    assert into == {fc, added}
    assert {a.tail for a in half.arrows if a.head == names["2"]} == {added}


def test_all_open_is_the_picture_itself() -> None:
    """Nothing is folded, nothing is lost."""
    full = picture(watch(deep(12), X), backward=False)
    assert fold(full, frozenset(full.groups)) is full
    assert len(full.boxes) == 1 + 12 * 7


def test_an_arrow_that_carries_no_gradient_stays_cut_if_all_it_stands_for_are() -> None:
    """Into a closed group from a constant: cut; from a value that also matters: not."""

    def inner(x, flag):
        return x * flag + ops.stop_gradient(x)

    def fn(x, flag):
        for _ in range(40):
            x = inner(x, flag)
        return x

    full = picture(watch(fn, 1.0, 2), backward=False)
    closed = fold(full, opened_at_first(full.whole))
    by_tail: dict = {}
    for arrow in closed.arrows:
        by_tail.setdefault(arrow.tail, []).append(arrow)
    assert all(arrow.cut for arrow in by_tail["v1"])  # an integer
    assert not any(arrow.cut for arrow in by_tail["v0"])


def test_the_widget_opens_and_closes() -> None:
    """`show` draws what is asked for; a group inside a closed one is closed; ids are checked."""
    widget = show_graph(deep(12), X)
    assert widget.hides == "84 values hide in 12 Cells"
    before = widget.svg
    third = next(key for key, group in widget.groups.items() if group["name"] == "3")
    widget.show([*widget.opened, third])
    assert widget.hides == "80 values hide in 12 Cells"  # its fc is closed
    assert third in widget.opened
    assert widget.svg != before
    widget.show([third])
    assert widget.opened == []
    assert widget.hides == "84 values hide in 1 Cell"
    with pytest.raises(ValueError, match="got 'g999'"):
        widget.show(["g999"])


def test_the_page_asks_and_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page sets in `wanted` comes back as a picture, or as the reason why not."""
    widget = show_graph(deep(12), X)
    widget.wanted = {"opened": list(widget.groups), "at": 1}
    assert widget.hides == ""
    assert widget.svg.count("data-box=") == 85
    assert set(widget.cards) >= {value.id for value in widget.run.values}
    monkeypatch.setattr(layout, "find_graphviz", lambda: "/nowhere/dot")
    third = next(key for key, group in widget.groups.items() if group["name"] == "3")
    widget.wanted = {"opened": [key for key in widget.groups if key != third], "at": 2}
    assert "/nowhere/dot could not be started" in widget.problem


def test_a_page_without_a_kernel_gets_the_views_that_it_needs() -> None:
    """All closed, all open, each of the 12 alone; all cards; no kernel is asked."""
    state = show_graph(deep(12), X).alone()
    assert state["live"] is False
    drawn = [view["svg"].count("data-box=") for view in state["views"]]
    assert sorted(drawn) == [13, *[19] * 12, 85]
    assert len(state["cards"]) == 85 + 25  # values and groups
    assert len(show_graph(lambda a: a * a, 1.0).alone()["views"]) == 1


def test_the_search_knows_name_op_cell_and_formula() -> None:
    """Each value's words, in small letters."""
    widget = show_graph(deep(1), X)
    words = {name: text.split("\n") for _, name, text in widget.index}
    weight = ["0.fc.weight", "parameter", "sequentialcell", "0", "fc", "sequential cell"]
    assert words["0.fc.weight"] == weight  # a name is found where a part of it begins
    product = next(text for _, _, text in widget.index if "multiply" in text)
    assert product.split("\n")[3:] == ["0", "multiply", "v₄ · 0.5", "sequential cell"]


def test_a_name_of_several_words_is_found_by_each() -> None:
    widget = show_graph(nn.MSELoss(), X, X)
    assert any("mse loss" in text.split("\n") for _, _, text in widget.index)


# --- storeys and doors
def loss(x, w):
    h = x * w
    s = ops.stop_gradient(h)
    return ops.sum(h * h * s)


def bent(x, w):
    """The rule of tanh computes 1 - tanh² from a value of the run alone."""
    h = x * w
    for _ in range(3):
        h = ops.tanh(h)
    return ops.sum(h)


@pytest.mark.parametrize("fn", [loss, bent])
def test_order_2_is_a_storey_above_the_first(fn: object) -> None:
    """Every box of the derivative is above every box of the run, and named by what it is of."""
    widget = show_graph(fn, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), order=2)
    storey = {g.id: g.name for g in widget.picture.whole.groups}
    heights: dict = {"forward": [], "derivative": []}
    for box in widget.picture.boxes:
        heights[storey[box.groups[0]]].append(widget._now.placed.boxes[box.id][1])
    assert max(heights["derivative"]) < min(heights["forward"])
    titles = [box.title for box in widget.picture.boxes]
    dh = "dh" if fn is loss else "dh₁"  # h is assigned again, and dh₁ belongs to h₁
    assert {f"dx = {dh} · w", f"dw = {dh} · x", f"d{fn.__name__}"} <= set(titles)
    frames = {frame.path: frame for frame in widget._now.placed.frames}
    assert sorted(storey[path[0]] for path in frames) == ["derivative", "forward"]


def test_links_lead_from_the_first_storey_to_the_second() -> None:
    """They are the values that rules use; the sweep starts at the output."""
    widget = show_graph(loss, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), order=2)
    names = widget.picture.names
    links = [(names[a.tail], names[a.head]) for a in widget.picture.arrows if a.kind == "link"]
    assert {("w", "dx"), ("x", "dw")} <= set(links)
    assert {tail for tail, _ in links} <= {"x", "w", "h", "s", "v₄"}
    (start,) = [a for a in widget.picture.arrows if a.kind == "start"]
    assert (names[start.tail], names[start.head]) == ("loss", "dloss")
    assert [names[a.head] for a in widget.picture.arrows if a.scissors] == ["s"]
    cut = {(names[a.tail], names[a.head]) for a in widget.picture.arrows if a.cut}
    run = {("h", "s"), ("s", "v₅")}
    # The gradient of h * h is s, and of h it is 2 h s: what is made of s alone leads nowhere.
    assert cut - run == {
        ("dloss", "dv₅"), ("dv₅", "dv₄"), ("s", "dv₄"), ("dv₄", "v₁₀"), ("dv₄", "v₁₁"),
    }  # fmt: skip
    assert run <= cut


class Cut(nn.Cell):
    """A rule that cuts what it reads: right once, and 0 the second time."""

    def construct(self, x):
        return x**3

    def bprop(self, x, out, dout):
        slope = 3 * ops.stop_gradient(x) ** 2
        return (dout * slope,)


def test_a_cut_in_the_storey_of_the_derivative_is_drawn_as_in_the_first() -> None:
    widget = show_graph(Cut(), Tensor(5.0), order=2)
    names, arrows = widget.picture.names, widget.picture.arrows
    whole = [(names[a.tail], names[a.head]) for a in arrows if not a.cut]
    assert whole == [("x", "out"), ("out", "dout")]
    assert [(names[a.tail], a.kind) for a in arrows if a.scissors] == [("x", "link")]
    svg = widget.to_svg()
    assert '<g class="mgw-scissors"' in svg
    assert ">no gradient<" in svg
    assert "used by a rule" not in svg
    (cut,) = re.findall(r'<g class="(mgw-arrow[^"]*mgw-link[^"]*)"[^>]*>(<path[^>]*>)', svg)
    assert "mgw-cut" in cut[0]
    assert "-forward)" in cut[1]
    boxes = re.findall(r'class="(mgw-box[^"]*)"', svg)
    assert sum("mgw-cut" in each for each in boxes) == 1


def test_what_the_sweep_starts_with_is_called_by_what_it_is_of() -> None:
    """Even where a bprop has that very value under that very name."""
    for fn, name in ((Cut(), "dout"), (lambda x: x**3, "dout")):
        (box,) = [b for b in show_graph(fn, 5.0, order=2).picture.boxes if b.note == "constant 1"]
        assert box.title == name


def test_a_long_derivative_is_folded_in_both_storeys() -> None:
    """The Cells of the run stand again in the derivative, where their rules were used."""
    widget = show_graph(deep(4), X, order=2)
    forward, derivative = widget.picture.whole.groups
    names = [group.name for group in forward.walk()]
    assert names == ["SequentialCell", *(n for i in "0123" for n in (i, "fc"))]
    again = [group.name for group in derivative.walk()]
    assert sorted(again) == sorted(names)
    assert "hide in" in widget.hides
    widget.show(widget.groups)
    assert widget.svg.count("data-box=") == len(widget.run.values)


def test_aux_outputs_leave_by_a_door() -> None:
    """A dashed arrow to a door for each; the door is no value, and the first output has none."""

    def both(x):
        p = x * x
        return p, ops.exp(x), p

    widget = show_graph(both, 2.0, has_aux=True)
    doors = [box for box in widget.picture.boxes if box.kind == "door"]
    assert [(d.title, d.note) for d in doors] == [("aux", "no gradient comes back")] * 2
    ends = [(a.tail, a.head, a.cut) for a in widget.picture.arrows if a.kind == "aux"]
    assert ends == [("v2", "aux0", True), ("v1", "aux1", True)]
    svg = ElementTree.fromstring(widget.to_svg())
    assert len([p for p in svg.iter(f"{SVG}path") if p.get("class") == "mgw-leaf"]) == 2
    assert "door" not in widget.to_text()
    assert dict(widget.cards["aux0"]["facts"])["value"] == "v₂"


def test_keywords_reach_the_function() -> None:
    """They are inputs of the graph; the options are not."""
    widget = show_graph(lambda x, *, k, flag: x * k if flag else x, 2.0, k=5.0, flag=True)
    assert [v.name for v in widget.run.values if v.kind == "input"] == ["x", "k"]
    assert float(widget.run.output.data) == 10.0


# --- names that no picture can hold
def test_control_characters_do_not_break_the_picture() -> None:
    """Shown as their signs, or as a replacement; the SVG parses and everything can be sent."""

    class Odd(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w\x00\x1b\x85\ud800\uffff")
            setattr(self, "in\x08side", nn.ReLU())

        def construct(self, x):
            return getattr(self, "in\x08side")(x) * self.w

    def fn(x):
        return Odd()(x)

    fn.__name__ = "f\x07n"
    Odd.__name__ = "Odd\x01"
    widget = show_graph(fn, 1.0)
    for svg in (widget.svg, widget.to_svg()):
        text = "".join(ElementTree.fromstring(svg.encode("utf-8")).itertext())
        assert "w␀␛���" in text
        assert "in␈side" in text
    state = {k: v for k, v in widget.get_state().items() if not k.startswith("_")}
    json.dumps(state, ensure_ascii=False).encode("utf-8")


# --- files
def test_a_png_has_the_size_of_the_svg_times_the_scale(tmp_path: Path) -> None:
    """And is written where it is asked to be."""
    widget = show_graph(loss, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    root = ElementTree.fromstring(widget.to_svg())
    size = int(root.get("width")), int(root.get("height"))
    for scale in (1, 2, 0.5):
        data = widget.to_png(tmp_path / "graph.png", scale=scale)
        assert data == (tmp_path / "graph.png").read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        wide, high = struct.unpack(">II", data[16:24])
        assert abs(wide - size[0] * scale) <= 1
        assert abs(high - size[1] * scale) <= 1


def test_words_are_in_the_png() -> None:
    """Taking a title out of the SVG changes the picture: there is a font, and text is drawn."""
    svg = show_graph(loss, Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).to_svg()
    assert png.write_png(svg, None, 1) != png.write_png(svg.replace("h = x · w", ""), None, 1)


def test_a_png_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No scale, too many pixels, no font: each is said."""
    widget = show_graph(loss, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    for scale in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="scale is a number above 0"):
            widget.to_png(scale=scale)
    with pytest.raises(ValueError, match="too large for a PNG; take a scale of at most"):
        widget.to_png(scale=1000)
    monkeypatch.setattr(png, "_has_font", lambda: False)
    with pytest.raises(RuntimeError, match="found no font"):
        widget.to_png()


@pytest.mark.parametrize("turned", [False, True])
def test_part_1_is_on_the_left(turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """h goes twice into q: however Graphviz draws the arrows, the first is on the left."""
    run = subprocess.run

    def turn(*args: Any, **options: Any) -> Any:
        done = run(*args, **options)
        done.stdout = re.sub('"v2-([01])"', lambda found: f'"v2-{1 - int(found[1])}"', done.stdout)
        return done

    def square(x):
        h = ops.exp(x)
        return ops.sum(h * h)

    full = picture(watch(square, Tensor([1.0, 2.0])))
    if turned:
        monkeypatch.setattr(layout.subprocess, "run", turn)
    placed = layout.place(full, 100)
    assert placed.labels["v2-0"] < placed.labels["v2-1"]
    assert placed.curves["v2-0"][4] < placed.curves["v2-1"][4]


# --- large graphs
def test_2000_values_are_laid_out_whole() -> None:
    """None is lost, no box covers another, and every box is inside of its frames."""
    run = watch(deep(285), X)
    full = picture(run, backward=False)
    assert len(full.boxes) == 1996
    placed = layout.place(full, 640)
    assert len(placed.boxes) == 1996
    assert set(placed.curves) == {arrow.id for arrow in full.arrows}
    corners = sorted(
        (placed.boxes[b.id][1] - 22, placed.boxes[b.id][0] - b.width / 2, b.width)
        for b in full.boxes
    )
    for i, (y, x, wide) in enumerate(corners):
        for other_y, other_x, other_wide in corners[i + 1 :]:
            if other_y >= y + 44:
                break
            assert other_x >= x + wide or x >= other_x + other_wide
    frames = {frame.path: frame for frame in placed.frames}
    for box in full.boxes:
        for depth in range(1, len(box.groups) + 1):
            frame, (x, y) = frames[box.groups[:depth]], placed.boxes[box.id]
            assert frame.x <= x - box.width / 2 <= x + box.width / 2 <= frame.x + frame.width
            assert frame.y + 16 <= y - 22 <= y + 22 <= frame.y + frame.height
    assert placed.width < 3000  # one below the other, not as a staircase


def test_a_graphviz_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that leads nowhere is a LayoutError, as is all that goes wrong there."""
    monkeypatch.setattr(layout, "find_graphviz", lambda: "/nowhere/dot")
    with pytest.raises(LayoutError, match="/nowhere/dot could not be started"):
        show_graph(loss, 1.0, 2.0)
