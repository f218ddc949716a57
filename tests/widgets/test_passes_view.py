"""`show_passes`, and `show_graph` of a program: stages, lines, boxes, and what is refused."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.graph import TraceError
from minigrad_widgets import show_graph, show_passes

X = Tensor([[0.5, -1.0], [2.0, 1.5], [0.0, 1.0]])
W = Tensor([0.5, -2.0])


def loss(x, w):
    h = ops.tanh(x @ w)
    return (h * h * 1.0).sum()


def boxes(svg: str) -> dict[str, tuple[str, str, set[str]]]:
    """The boxes of a drawing by their id: title, note and classes."""
    found = {}
    for group in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("data-box"):
            title, note = (t.text or "" for t in group.iter("{http://www.w3.org/2000/svg}text"))
            found[group.get("data-box", "")] = title, note, set(group.get("class", "").split())
    return found


# ------------------------------------------------------------------------------------ show_graph
def test_a_program_is_drawn_a_box_for_each_statement() -> None:
    run = ms.jit(ms.grad(loss, 1))
    run(X, W)
    widget = show_graph(run.program)
    titles = [title for title, *_ in boxes(widget.svg).values()]
    assert titles == ["x", "w", "h = np.tanh(x @ w)", "d_w = x.T @ (h * (1 - h * h) * 2)"]
    notes = [note for _, note, _ in boxes(widget.svg).values()]
    assert notes == ["float32 (3, 2)", "float32 (2,)", "float32 (3,)", "float32 (2,)"]
    classes = [kinds for *_, kinds in boxes(widget.svg).values()]
    assert ["mgw-output" in kinds for kinds in classes] == [False, False, False, True]
    assert widget.title == "grad_loss(x, w)"
    ids = dict(zip(["x", "w", "h", "d_w"], boxes(widget.svg), strict=True))
    reads = {(value.name, source.name) for value in widget.run.values for _, source in value.inputs}
    assert reads == {("h", "x"), ("h", "w"), ("d_w", "x"), ("d_w", "h")}
    for value, source in reads:
        assert re.search(rf'data-arrow="{ids[value]}-\d" data-head="{ids[value]}"', widget.svg)
        assert source in ids
    assert "mgw-cut" not in " ".join(re.findall(r'<g class="(mgw-arrow[^"]*)"', widget.svg))


def test_a_program_before_the_passes_has_more_boxes() -> None:
    run = ms.jit(ms.grad(loss, 1))
    run(X, W)
    before, after = show_graph(run.recorded), show_graph(run.program)
    assert len(before.run.values) > len(after.run.values)


def test_the_card_of_a_statement_has_its_line_and_no_numbers() -> None:
    run = ms.jit(loss)
    run(X, W)
    widget = show_graph(run.program)
    (key,) = [v.id for v in widget.run.values if v.name == "h"]
    card = widget.cards[key]
    assert card["source"] == "h = ops.tanh(x @ w)"
    assert "np.tanh(x @ w)" in card["formulas"][0]
    assert dict(card["facts"])["dtype"] == "float32"
    assert card["rows"] == []


def test_the_text_of_a_program() -> None:
    run = ms.jit(ms.grad(lambda x: x**2))
    run(Tensor([1.0, 2.0]))
    here = (lambda: 0).__code__.co_firstlineno - 2
    name = "test_the_text_of_a_program"
    assert show_graph(run.program).to_text().splitlines() == [
        "Graph of grad_function: 2 values, output d_x",
        "value  is     shape  dtype    entries  line",
        "x      input  (2,)   float32  -",
        f"d_x    x * 2  (2,)   float32  -        {name}, line {here}",
    ]


def test_constants_have_their_numbers_and_parameters_are_written() -> None:
    k, p = Tensor([1.0, 2.0]), Parameter(Tensor([1.0, 1.0]), name="p")
    run = ms.jit(lambda x: [p.set_data(p * k), x * k][1])
    run(Tensor([3.0, 4.0]))
    widget = show_graph(run.program)
    kinds = {value.name: value.kind for value in widget.run.values}
    assert kinds == {"x": "input", "p": "parameter", "k": "constant", "new_p": "op", "t": "op"}
    (key,) = [value.id for value in widget.run.values if value.name == "k"]
    assert [cell[0] for cell in widget.cards[key]["rows"][0]["table"]["rows"][0]] == [
        "+1.00",
        "+2.00",
    ]
    assert [value.name for value in widget.run.outputs] == ["t", "new_p"]


def test_what_returns_an_argument_or_a_constant_has_a_graph() -> None:
    run = ms.jit(lambda x: (x, Tensor([1.0, 2.0])))
    run(W)
    assert [v.kind for v in show_graph(run.program).run.outputs] == ["input", "constant"]


def test_a_program_without_arguments() -> None:
    run = ms.jit(loss)
    run(X, W)
    with pytest.raises(TypeError, match=r"draws the program loss as it is, .* got 2 arguments"):
        show_graph(run.program, X, W)
    nothing = ms.jit(lambda x: None)
    nothing(W)
    with pytest.raises(ValueError, match="returns nothing and writes nothing"):
        show_graph(nothing.program)


# ----------------------------------------------------------------------------------- show_passes
def test_each_pass_that_changed_something_is_a_stage() -> None:
    widget = show_passes(ms.grad(loss, 1), X, W)
    names = [stage["name"] for stage in widget.stages]
    assert names[:2] == ["recorded", "dead"]
    assert {"products", "arithmetic", "common"} <= set(names)
    assert len(set(names)) == len(names) == len(widget.programs)
    assert widget.programs[-1].source.split("\n")[-2].startswith("    d_w = x.T @ (h * (1 - h * h)")
    run = ms.jit(ms.grad(loss, 1))
    run(X, W)
    assert widget.programs[0].source == run.recorded.source
    assert widget.programs[-1].source == run.source


def test_lines_are_marked_and_so_are_their_boxes() -> None:
    """What is not removed is the program of the stage; what is not added is the one before."""
    widget = show_passes(ms.grad(loss, 1), X, W)
    texts = [
        [line.partition("  # ")[0].rstrip() for line in program.source.splitlines()]
        for program in widget.programs
    ]
    assert {line["kind"] for line in widget.stages[0]["lines"]} == {""}
    for stage, before, after in zip(widget.stages[1:], texts, texts[1:], strict=False):
        lines = stage["lines"]
        assert [x["text"] for x in lines if x["kind"] != "removed"] == after
        assert [x["text"] for x in lines if x["kind"] != "added"] == before
        drawn = boxes(stage["svg"])
        fresh = {key for key, (*_, kinds) in drawn.items() if "mgw-done" in kinds}
        assert fresh == {x["box"] for x in lines if x["kind"] == "added" and "box" in x}
        for line in lines:
            if "box" in line:
                assert line["text"].strip().startswith(drawn[line["box"]][0][:30].rstrip("…"))


def test_the_sentence_counts_the_steps() -> None:
    widget = show_passes(lambda x: x * 1.0 - 0.0, W)
    counts = [len(program.steps) for program in widget.programs]
    assert counts == [2, 0]
    assert widget.stages[0]["said"] == "What one run of function asked of numpy. 2 steps."
    assert widget.stages[-1]["said"].endswith("became 0.")


def test_a_jitted_function_a_cell_and_a_training_step() -> None:
    net = nn.Dense(2, 1)
    assert show_passes(ms.jit(loss), X, W).title == "loss(x, w)"
    assert "weight" in show_passes(net, X).title
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradient = ms.grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)
    before = net.weight.asnumpy().copy()
    widget = show_passes(lambda x: optimizer(gradient(x)), X)
    assert not np.array_equal(net.weight.asnumpy(), before)
    assert any("new_" in line["text"] for line in widget.stages[-1]["lines"])


def test_the_picture_and_the_text_show_the_changes() -> None:
    widget = show_passes(ms.grad(loss, 1), X, W)
    widget.chosen = 2
    root = ElementTree.fromstring(widget.to_svg())
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    stage = widget.stages[2]
    assert f"{stage['name']}: grad_loss(x, w)" in texts
    for line in stage["lines"]:
        assert not line["text"].strip() or line["text"].lstrip() in texts
    assert texts.count("+") == sum(line["kind"] == "added" for line in stage["lines"])
    text = widget.to_text()
    assert text.startswith("Passes over grad_loss(x, w)\nrecorded: ")
    assert [stage["name"] in text for stage in widget.stages] == [True] * len(widget.stages)
    assert repr(widget).startswith("show_passes(grad_loss(x, w)): dead, ")


def test_the_functions_that_a_program_calls_stand_behind_it() -> None:
    """The text is the program; what it brings along of the engine is folded, and not lost."""
    image = Tensor(np.arange(16.0).reshape(1, 1, 4, 4))
    widget = show_passes(ms.grad(lambda x: (ops.max_pool2d(x, 2) ** 2).sum()), image)
    program, stage = widget.programs[-1], widget.stages[-1]
    shown = [line["text"] for line in stage["lines"] if line["kind"] != "removed"]
    called = stage["called"]["lines"]
    assert [x.split("(")[0] for x in shown if x.startswith("def ")] == ["def grad_function"]
    heads = [line.split("(")[0] for line in called if line.startswith("def ")]
    assert {"def first_of_largest", "def spread_windows"} <= {*heads}
    words = f"{len(heads)} functions of the engine that it calls"
    assert stage["called"]["said"] == words
    whole = [line.partition("  # ")[0].rstrip() for line in program.source.splitlines()]
    assert sorted(filter(None, shown + called)) == sorted(filter(None, whole))
    assert called == whole[whole.index(called[0]) :][: len(called)]
    assert widget.to_text().count("functions of the engine that it calls") == len(widget.stages)
    widget.chosen = len(widget.stages) - 1
    assert f"and {words}" in widget.to_svg()

    for stage in show_passes(ms.grad(loss, 1), X, W).stages:
        assert stage["called"] == {"said": "", "lines": []}


def test_a_long_program_is_drawn_with_its_parts_closed() -> None:
    def chain(x):
        for _ in range(90):
            x = ops.tanh(x) * x
        return x

    widget = show_passes(chain, W)
    assert len(widget.programs[0].steps) >= 90
    assert len(boxes(widget.stages[0]["svg"])) < 60


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Pass loss, x, not loss\(x\)"):
        show_passes(loss(X, W))
    with pytest.raises(TypeError, match="show_passes calls loss"):
        show_passes(loss, X)
    with pytest.raises(TraceError, match=r"line \d+"):
        show_passes(lambda x: x if x.sum() > 0 else -x, W)
    widget = show_passes(loss, X, W)
    with pytest.raises(traitlets.TraitError, match="from 0 to"):
        widget.chosen = 99
