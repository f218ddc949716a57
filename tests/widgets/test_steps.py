"""The steps of a backward pass, against numbers worked out by hand."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import traitlets
from sample import W, X, loss, words

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets import show_graph, step_backward


def cells(row: dict) -> list[list[str]]:
    """The texts of a table."""
    return [[cell[0] for cell in line] for line in row["table"]["rows"]]


def test_the_sentences_tell_the_sweep() -> None:
    """h = [[0.75, -0.3], [1, 0.1]]; each part of q = h h is h; w sums over the rows."""
    widget = step_backward(loss, X, W)
    lines = [re.sub(r"line \d+", "line N", words(step["sentence"])) for step in widget.steps]
    assert lines == [
        "The program has run: loss is 3.212. The backward pass starts there, with the gradient of "
        "loss itself, which is 1.",
        "Step 1 of 4. sum (line N) sends 1 in every entry to v₅.",
        "Step 2 of 4. add (line N) sends 1 in every entry to q. Nothing goes to s: stop_gradient "
        "cuts it off.",
        "Step 3 of 4. multiply (line N) uses h twice, so it sends two parts to h; they add to "
        "[[1.5, −0.6], [2, 0.2]].",
        "Step 4 of 4. multiply (line N) sends [[0.75, −0.6], [1, 0.2]] to x and [6.25, 0.2] to w. "
        "Done: x and w have their gradients.",
    ]


def test_the_card_shows_what_comes_in_what_was_saved_the_parts_and_their_sum() -> None:
    """Step 3: q, its gradient of ones, h which was saved, two parts of h each, twice h in all."""
    step = step_backward(loss, X, W).steps[3]
    rows = step["card"]["rows"]
    assert [(words(row["label"]), row["note"]) for row in rows] == [
        ("q", "value"), ("q¯", "comes in"), ("h", "kept"),
        ("part 1", ""), ("+ part 2", ""), ("= h¯", "complete"),
    ]  # fmt: skip
    q = [["+0.5625", "+0.0900"], ["+1.0000", "+0.0100"]]  # 0.75 and 0.3 and 0.1, squared
    h = [["+0.75", "−0.30"], ["+1.00", "+0.10"]]
    assert [cells(row) for row in rows] == [
        q, [["+1.00", "+1.00"]] * 2, h, h, h, [["+1.50", "−0.60"], ["+2.00", "+0.20"]]
    ]  # fmt: skip
    assert [words(line) for line in step["card"]["formulas"]] == ["q=h·h", "h¯+=q¯·htwice"]
    assert step["arrows"] == ["v3-0", "v3-1"]
    assert step["targets"] == ["v2"]
    assert step["box"] == "v3"


def test_a_sum_over_broadcast_axes_is_said() -> None:
    """w was stretched over the rows of x, so its part was summed; x's was not."""
    formulas = step_backward(loss, X, W).steps[4]["card"]["formulas"]
    assert [words(line) for line in formulas] == [
        "h=x·w", "x¯=h¯·w", "w¯=h¯·xsummed where broadcasting repeated it"
    ]  # fmt: skip


def test_scalars_show_their_numbers() -> None:
    """a b + sin a at (2, -3): parts cos 2 and -3 meet at a; b gets 2."""

    def f(a, b):
        return a * b + ops.sin(a)

    widget = step_backward(f, 2.0, -3.0)
    multiply = next(
        step for step in widget.steps if words(step["card"]["heading"]).startswith("multiply")
    )
    assert [words(line) for line in multiply["card"]["formulas"]] == [
        "v2=a·b=2·(−3)=−6", "a¯+=v¯2·b=1·(−3)=−3", "b¯=v¯2·a=1·2=2"
    ]  # fmt: skip
    assert widget.gradients["a"] == pytest.approx(-3 + math.cos(2), rel=1e-6)
    assert widget.gradients["b"] == 2
    assert "adding to the −0.4161 already there, which makes −3.416" in words(
        widget.steps[3]["sentence"]
    )


def test_an_array_that_is_added_to_has_no_article() -> None:
    """Only a number is said as the one that is already there."""

    def f(a):
        return ops.sum(a * a * 2.0 + ops.sin(a))

    widget = step_backward(f, Tensor(np.arange(20.0).reshape(4, 5)))
    said = [words(step["sentence"]) for step in widget.steps]
    assert not any("the a (" in text or "the [" in text for text in said)
    assert any("with what is already there" in text and "add" in text for text in said)


def test_parts_add_up_and_the_gradients_are_those_of_grad() -> None:
    """In every step before + dx = total; the last totals are what minigrad.grad answers."""
    widget = step_backward(loss, X, W)
    arrived: dict[str, np.ndarray] = {}
    for step in widget.run.steps:
        for part in step.parts:
            before = arrived.get(part.value.id)
            np.testing.assert_array_equal(
                part.total, part.dx if before is None else before + part.dx
            )
            arrived[part.value.id] = part.total
    dx, dw = ms.grad(loss, (0, 1))(X, W)
    np.testing.assert_array_equal(widget.gradients["x"], dx.asnumpy())
    np.testing.assert_array_equal(widget.gradients["w"], dw.asnumpy())
    np.testing.assert_array_equal(arrived["v0"], dx.asnumpy())
    h = np.array([[0.75, -0.3], [1.0, 0.1]])  # by hand: dx = 2 h w, dw = the rows of 2 h x, summed
    np.testing.assert_allclose(widget.gradients["x"], 2 * h * W.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(widget.gradients["w"], (2 * h * X.asnumpy()).sum(0), rtol=1e-6)


def test_the_lines_and_what_is_kept() -> None:
    """Each step lights its line of the program; what multiply saved is kept until its step."""
    widget = step_backward(loss, X, W)
    texts = [line["text"].strip() for line in widget.program]
    assert texts[0] == "def loss(x, w):"
    assert [texts[step["line"]] for step in widget.steps[1:]] == [
        "return ops.sum(q + s)", "return ops.sum(q + s)", "q = h * h", "h = x * w"
    ]  # fmt: skip
    kept = {words(item["label"]): (item["size"], item["steps"]) for item in widget.kept}
    assert kept == {
        "x": ("(2, 2), 16 bytes", [4]), "w": ("(2,), 8 bytes", [4]), "h": ("(2, 2), 16 bytes", [3])
    }  # fmt: skip


def test_the_text_form() -> None:
    """A table of the steps, the same on every machine; lines counted from the program's first."""
    text = re.sub(r" \d\d+ ", " NN ", step_backward(loss, X, W).to_text())
    assert text == (
        "Backward pass of loss from loss: 4 steps\n"
        "step  op        line  g                        sends\n"
        "1     sum       NN    1                        1 in every entry to v₅\n"
        "2     add       NN    1 in every entry         1 in every entry to q\n"
        "3     multiply  NN    1 in every entry         [[0.75, -0.3], [1, 0.1]] to h\n"
        "                                               [[0.75, -0.3], [1, 0.1]] to h, "
        "now [[1.5, -0.6], [2, 0.2]]\n"
        "4     multiply  NN    [[1.5, -0.6], [2, 0.2]]  [[0.75, -0.6], [1, 0.2]] to x\n"
        "                                               [6.25, 0.2] to w\n"
        "gradient of x: [[0.75, -0.6], [1, 0.2]]\n"
        "gradient of w: [6.25, 0.2]"
    )


def test_the_text_form_of_a_graph() -> None:
    """A table of the values, from inputs to output."""
    text = re.sub(r" \d\d+$", " NN", show_graph(loss, X, W).to_text(), flags=re.MULTILINE)
    assert text.splitlines()[:2] == [
        "Graph of loss: 7 values, output loss",
        "value  is                     shape   dtype    entries                      line",
    ]
    assert "s      stop_gradient(h), cut  (2, 2)  float32  [[0.75, -0.3], [1, 0.1]]     NN" in text
    assert "w      input                  (2,)    float32  [0.5, 1]" in text


def test_step_is_checked() -> None:
    """The step stays within the sweep; the error says from where to where."""
    widget = step_backward(loss, X, W)
    assert widget.step == 0
    widget.step = 4
    for wrong in (-1, 5):
        with pytest.raises(traitlets.TraitError, match=rf"from 0 .* to 4 .*; got {wrong}"):
            widget.step = wrong
    assert widget.step == 4


def test_grad_position_and_weights_choose_the_leaves() -> None:
    """Only what was asked for gets a gradient."""
    assert list(step_backward(loss, X, W, grad_position=1).gradients) == ["w"]
    layer = nn.Dense(2, 1)
    found = step_backward(layer, X, grad_position=0, weights=[layer.bias]).gradients
    assert list(found) == ["x", "bias"]  # and not the weight
    np.testing.assert_array_equal(found["bias"], [2.0])  # two rows, 1 each


def test_big_tensors_stay_in_the_kernel() -> None:
    """A network of ten million weights: each step travels in kilobytes, the whole widget too."""

    def predict(x, w1, w2):
        return ops.sum(ops.relu(x @ w1) @ w2)

    rng = np.random.default_rng(0)
    args = [
        Tensor(rng.standard_normal(s, np.float32)) for s in [(8, 1000), (1000, 10_000), (10_000, 4)]
    ]
    widget = step_backward(predict, *args)
    sizes = [len(json.dumps(step)) for step in widget.steps]
    assert max(sizes) < 16_000
    state = {k: v for k, v in widget.get_state().items() if not k.startswith("_")}
    assert len(json.dumps(state, default=str)) < 60_000
    np.testing.assert_array_equal(
        widget.gradients["w2"], ms.grad(predict, 2)(*args).asnumpy()
    )  # all of it, in the kernel


def test_a_run_without_gradients_says_so() -> None:
    """Nothing depends on an input: no steps, and the sentence says why."""

    def frozen(x):
        return ops.stop_gradient(x) * 2

    widget = step_backward(frozen, 3.0)
    assert [words(step["sentence"]) for step in widget.steps] == [
        "Nothing to step through: frozen does not depend on any input."
    ]
    assert "0 steps" in widget.to_text()


def test_two_outputs_both_start() -> None:
    """s = x y and d = x - y at (2, 3): 6 and -1; the pass starts at both, with 1 each."""

    def both(x, y):
        s = x * y
        d = x - y
        return s, d

    start, *steps = step_backward(both, 2.0, 3.0).steps
    assert words(start["sentence"]) == (
        "The program has run: s is 6 and d is −1. The backward pass starts at both, each with "
        "gradient 1."
    )
    assert list(start["badges"]) == ["v2", "v3"]
    labels = [(words(row["label"]), row["note"]) for row in start["card"]["rows"]]
    assert labels == [("s", "value"), ("s¯", "to start"), ("d", "value"), ("d¯", "to start")]
    assert words(steps[-1]["sentence"]).endswith("Done: x and y have their gradients.")


def test_outputs_of_different_gradients_are_told_apart() -> None:
    """An array and its sum; and one output returned twice counts twice."""

    def array_and_sum(x):
        y = x * 2.0
        return y, ops.sum(y)

    text = words(step_backward(array_and_sum, W).steps[0]["sentence"])
    assert text.endswith("starts at y with gradient 1 in every entry and v₃ with gradient 1.")

    def twice(x):
        y = x * x
        return y, y

    widget = step_backward(twice, 3.0)
    assert words(widget.steps[0]["sentence"]).endswith("gradient of y itself, which is 2.")
    assert widget.gradients["x"] == 12


def test_an_input_without_use_is_told_from_one_that_is_cut() -> None:
    """Both have gradient 0, in the sentence and as the badge of the last step."""

    def f(x, y, z):
        return x * ops.stop_gradient(y)

    last = step_backward(f, 3.0, 2.0, 5.0).steps[-1]
    assert words(last["sentence"]).endswith(
        "Done: x has its gradient. y: no gradient reaches it, so its gradient is 0. z is not used: "
        "its gradient is 0."
    )
    assert {key: words(badge) for key, badge in last["badges"].items()} == {
        "v0": "g = 2", "v1": "g = 0", "v2": "g = 0"
    }  # fmt: skip


def test_a_sum_repeats_its_gradient() -> None:
    """The twin of the sum over what broadcasting repeated; an index repeats nothing."""
    card = step_backward(ops.sum, W).steps[1]["card"]
    assert words(card["formulas"][1]).endswith("repeated for every entry")
    card = step_backward(lambda w: w[0], W).steps[1]["card"]
    assert "repeated" not in words(card["formulas"][1])


def test_numbers_get_the_digits_that_their_result_needs() -> None:
    """1 - tanh(-6)² is 2.456e-05; with tanh(-6) as -1 it would be 0. Elsewhere 4 digits do."""

    def t(x):
        return ops.tanh(x)

    rule = words(step_backward(t, -6.0).steps[1]["card"]["formulas"][1])
    assert rule == "x¯=t¯·(1−t2)=1·(1−(−0.9999877)2)=2.456e−05"
    assert pytest.approx(2.456e-5, rel=2e-3) == 1 - 0.9999877**2
    rule = words(step_backward(t, 0.5).steps[1]["card"]["formulas"][1])
    assert rule == "x¯=t¯·(1−t2)=1·(1−0.46212)=0.7864"


def test_numbers_of_the_program_are_not_kept() -> None:
    """2.0 stands in the program's text; what is kept is x."""
    widget = step_backward(lambda x: x * 2.0 * x, 3.0)
    assert all(words(item["label"]) != "2" for item in widget.kept)
    assert len(widget.kept) == 2


class Layer(nn.Cell):
    """A Cell whose construct is elsewhere than the function that is stepped through."""

    def construct(self, x):
        return ops.sin(x)


def test_lines_elsewhere_are_shown_and_called_by_their_function() -> None:
    """Every step lights a line; one of another function is called `Layer.construct, line N`."""
    layer = Layer()

    def f(x):
        return layer(x) * 2.0

    widget = step_backward(f, 1.0)
    texts = [line["text"].strip() for line in widget.program]
    assert texts == [
        "def f(x):", "return layer(x) * 2.0", "def construct(self, x):", "return ops.sin(x)"
    ]  # fmt: skip
    assert [bool(line.get("begins")) for line in widget.program] == [False, False, True, False]
    assert [texts[step["line"]] for step in widget.steps[1:]] == [texts[1], texts[3]]
    sine = words(widget.steps[2]["sentence"])
    assert re.search(r"sin \(Layer\.construct, line \d+\) sends", sine)


def test_a_cell_without_source_is_called_a_cell(tmp_path: Path) -> None:
    """A cell's file has a number for a name, which says nothing to a reader."""
    space = {"ops": ops}
    file = tmp_path / "_".join(("ipykernel", "7")) / "2554394446.py"
    code = compile("def g(x):\n    return ops.sin(x)", str(file), "exec")
    exec(code, space)  # as a notebook runs a cell

    def f(x):
        return space["g"](x) * 2.0

    assert "sin (another cell, line 2)" in words(step_backward(f, 1.0).steps[2]["sentence"])


def test_whole_numbers_alone_are_refused() -> None:
    with pytest.raises(TypeError, match=r"x, y are whole numbers; write them with a point"):
        step_backward(lambda x, y: x * y, 2, 3)


def test_a_cell_with_several_outputs_can_be_stepped_through() -> None:
    class Both(nn.Cell):
        def construct(self, x):
            return x * 2, x * 3

        def bprop(self, x, out, dout):
            return dout[0] * 2 + dout[1] * 3

    widget = step_backward(lambda x: Both()(x)[0] * x, 3.0)
    assert {name: float(g) for name, g in widget.gradients.items()} == {"x": 12.0}  # of 2 x squared
    assert "Both" in widget.to_text()
    assert "<svg" in widget.to_svg()
