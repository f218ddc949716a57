"""The steps of a backward pass, against numbers worked out by hand."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
import traitlets

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets import show_graph, step_backward


def loss(x, w):
    h = x * w
    q = h * h
    s = ops.stop_gradient(h)
    return ops.sum(q + s)


X, W = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([0.5, 1.0])


def words(html: str) -> str:
    """The text of a sentence."""
    return re.sub(r"<[^>]*>", "", html)


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
    """Step 3: q comes in as ones, h was saved, two parts of h each, and twice h in all."""
    step = step_backward(loss, X, W).steps[3]
    rows = step["card"]["rows"]
    assert [(words(row["label"]), row["note"]) for row in rows] == [
        ("q¯", "comes in"), ("h", "saved"), ("part 1", ""), ("+ part 2", ""), ("= h¯", "complete"),
    ]  # fmt: skip
    h = [["+0.75", "−0.30"], ["+1.00", "+0.10"]]
    assert [cells(row) for row in rows] == [
        [["+1.00", "+1.00"]] * 2, h, h, h, [["+1.50", "−0.60"], ["+2.00", "+0.20"]]
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
    assert "adding to the −0.4161 already there: −3.416" in words(widget.steps[3]["sentence"])


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
    """A network of a million weights: each step travels in kilobytes, the whole widget too."""

    def predict(x, w1, w2):
        return ops.sum(ops.relu(x @ w1) @ w2)

    rng = np.random.default_rng(0)
    args = [
        Tensor(rng.normal(size=s).astype(np.float32))
        for s in [(64, 1000), (1000, 1000), (1000, 10)]
    ]
    widget = step_backward(predict, *args)
    sizes = [len(json.dumps(step)) for step in widget.steps]
    assert max(sizes) < 12_000
    assert len(json.dumps(widget.get_state(), default=str)) < 150_000
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
