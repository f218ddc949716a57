"""The steps of a run: what each op makes, and what it keeps for the backward pass and why."""

from __future__ import annotations

import re

import pytest
import traitlets
from sample import W, X, loss, words

from minigrad import nn, ops
from minigrad_widgets import step_forward


def test_the_sentences_tell_the_run() -> None:
    """h = x w = [[0.75, -0.3], [1, 0.1]], q = h², then their sum; there the sweep begins."""
    widget = step_forward(loss, X, W)
    lines = [re.sub(r"line \d+", "line N", words(step["sentence"])) for step in widget.steps]
    assert lines == [
        "Nothing has run yet. x and w are given. Step on, and the program runs op by op: 5 in all.",
        "Step 1 of 5. multiply (line N) makes h, which is [[0.75, −0.3], [1, 0.1]]. It keeps x and "
        "w, which the backward pass will need for the gradients of x and w.",
        "Step 2 of 5. multiply (line N) makes q, which is [[0.5625, 0.09], [1, 0.01]]. It keeps h, "
        "which the backward pass will need for the gradient of h.",
        "Step 3 of 5. stop_gradient (line N) makes s, which is [[0.75, −0.3], [1, 0.1]]. No "
        "gradient will come back through it.",
        "Step 4 of 5. add (line N) makes v₅, which is [[1.312, −0.21], [2, 0.11]]. It keeps "
        "nothing: its rule needs only the gradient that comes in.",
        "Step 5 of 5. sum (line N) makes loss, which is 3.212. It keeps nothing: its rule needs "
        "only the gradient that comes in. The program has run. Here the backward pass begins: at "
        "loss, with gradient 1. It goes back through 4 ops.",
    ]


def test_a_card_shows_what_goes_in_what_comes_out_and_why_it_is_kept() -> None:
    card = step_forward(loss, X, W).steps[1]["card"]
    assert [(words(row["label"]), row["note"]) for row in card["rows"]] == [
        ("x", "goes in, kept"), ("w", "goes in, kept"), ("h", "comes out")
    ]  # fmt: skip
    assert [words(line) for line in card["formulas"]] == [
        "h=x·w", "x¯=h¯·wlater, needs w", "w¯=h¯·xlater, needs x"
    ]  # fmt: skip


def test_numbers_are_put_into_the_formula() -> None:
    card = step_forward(lambda a, b: a * b, 2.0, -3.0).steps[1]["card"]
    assert words(card["formulas"][0]) == "out=a·b=2·(−3)=−6"


def test_lines_boxes_arrows_and_what_is_kept_move_together() -> None:
    widget = step_forward(loss, X, W)
    texts = [line["text"].strip() for line in widget.program]
    assert [texts[step["line"]] for step in widget.steps[1:]] == [
        "h = x * w", "q = h * h", "s = ops.stop_gradient(h)", *["return ops.sum(q + s)"] * 2
    ]  # fmt: skip
    assert [step["box"] for step in widget.steps] == [None, "v2", "v3", "v4", "v5", "v6"]
    assert [step["arrows"] for step in widget.steps[1:3]] == [["v2-0", "v2-1"], ["v3-0", "v3-1"]]
    kept = {words(item["label"]): item["steps"] for item in widget.kept}
    assert kept == {"x": [1], "w": [1], "h": [2]}


def test_what_no_gradient_comes_back_to_keeps_nothing() -> None:
    """Only x is asked for, so x is not kept: the gradient of w would have needed it."""
    widget = step_forward(loss, X, W, grad_position=0)
    assert {words(item["label"]) for item in widget.kept} == {"w", "h"}
    sentence = words(step_forward(lambda x: ops.stop_gradient(x) * 2.0, 3.0).steps[-1]["sentence"])
    assert "It keeps nothing, for no gradient will come back through it." in sentence
    assert sentence.endswith("it depends on no input, so there is no backward pass.")


def test_the_text_form() -> None:
    text = re.sub(r" \d\d+ ", " NN ", step_forward(loss, X, W).to_text())
    assert text == (
        "Forward pass of loss: 5 steps\n"
        "step  value  is                line  entries                      keeps\n"
        "1     h      x · w             NN    [[0.75, -0.3], [1, 0.1]]     x and w\n"
        "2     q      h · h             NN    [[0.5625, 0.09], [1, 0.01]]  h\n"
        "3     s      stop_gradient(h)  NN    [[0.75, -0.3], [1, 0.1]]     -\n"
        "4     v₅     q + s             NN    [[1.312, -0.21], [2, 0.11]]  -\n"
        "5     loss   ∑v₅               NN    3.212                        -"
    )


def test_a_cell_with_a_bprop_keeps_what_its_bprop_may_need() -> None:
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return 2 * x * dout

    widget = step_forward(lambda x: Square()(x), 3.0)
    assert "later: its own bprop" in words(widget.steps[1]["card"]["formulas"][1])
    assert "gradients" not in widget.to_svg()


def test_the_step_is_checked_and_options_are_known() -> None:
    widget = step_forward(loss, X, W)
    with pytest.raises(traitlets.TraitError, match=r"from 0 \(before the run\) to 5 .*; got 6"):
        widget.step = 6
    with pytest.raises(TypeError, match="own options are grad_position and weights"):
        step_forward(loss, X, W, order=2)
    with pytest.raises(TypeError, match=r"step_forward\(fn, \*args\) expects a function"):
        step_forward(loss(X, W))
