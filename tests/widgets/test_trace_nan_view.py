"""`trace_nan`: the op at which a NaN is born, its neighbours, its numbers, its line."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets
from sample import words

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets import trace_nan


def safe_root(x, w):
    y = ops.where(x > 0, ops.sqrt(x), 0.0)
    return ops.sum(y * w)


def entropy(p):
    logs = ops.log(p)
    terms = p * logs
    return -ops.sum(terms)


class Root(nn.Cell):
    def construct(self, x):
        return ops.sqrt(x)

    def bprop(self, x, out, dout):
        return (dout / (2.0 * out),)


def boxes(svg: str) -> dict[str, tuple[str, bool]]:
    """The boxes of a drawing: their title, note, and whether they are drawn as bad."""
    found = {}
    for group in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("data-box"):
            title, note = (t.text or "" for t in group.iter("{http://www.w3.org/2000/svg}text"))
            found[title] = (note, group.get("class") == "mgw-bad")
    return found


def lit(widget: object) -> str:
    """The line that is lit."""
    return widget.lines[widget.births[widget.chosen]["line"]]["text"].strip()


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of plain grad
def test_the_trap_of_where() -> None:
    """sqrt at 0 gets the gradient 0 of the branch not taken: 0 / (2 · 0)."""
    x, w = Tensor([4.0, 0.0]), Tensor([1.0, 2.0])
    widget = trace_nan(safe_root, x, w)
    (birth,) = widget.births
    assert birth["said"] == "A NaN is born in sqrt, backward, in the gradient of x, at entry [1]."
    dx = ms.grad(safe_root)(x, w).asnumpy()  # 1 / (2 · 2), and NaN
    np.testing.assert_array_equal(dx, [0.25, np.nan])
    assert boxes(birth["svg"]) == {
        "gradient of x": ("[0.25, nan]", True),
        "√x": ("NaN here, backward at [1]", True),
        "gradient of √x": ("[1, 0]", False),
    }
    assert birth["numbers"] == [["g, the gradient of √x", "0"], ["√x", "0"]]
    assert "<mi>√x</mi>" in birth["formulas"][0]
    assert "<mn>0</mn>" in birth["formulas"][1]
    assert words(birth["result"]) == "=NaN"
    assert lit(widget) == "y = ops.where(x > 0, ops.sqrt(x), 0.0)"
    assert birth["where"] == ["line", "20"]  # its text stands in the listing
    assert "give that branch a harmless input" in birth["advice"]
    said = " ".join(t.text for t in ElementTree.fromstring(widget.to_svg()).iter() if t.text)
    assert "formula g/(2 · √x), with numbers 0/(2 · 0) = NaN" in said
    assert " line 20 try " in said
    assert widget.sentence.endswith("It reaches the gradient of x.")


def test_an_infinity_and_then_a_nan() -> None:
    """0 · ln 0: both births can be chosen, each with its line."""
    widget = trace_nan(entropy, Tensor([0.5, 0.5, 0.0]))
    half = 0.5 * np.log(0.5)
    assert boxes(widget.births[0]["svg"]) == {
        "p": ("[0.5, 0.5, 0]", False),
        "logs = ln p": ("−infinity here, forward at [2]", True),
        "terms = p · logs": (f"[−{-half:.4g}, −{-half:.4g}, nan]", True),
    }
    assert lit(widget) == "logs = ops.log(p)"
    assert [words(birth["result"]) for birth in widget.births] == ["=−∞", "=NaN"]
    assert "Later: a NaN is born in multiply" in widget.sentence
    assert "It reaches the output and the gradient of p." in widget.sentence
    before = widget.to_svg()
    widget.chosen = 1
    assert lit(widget) == "terms = p * logs"
    assert widget.births[1]["numbers"] == [["p", "0"], ["logs", "−inf"]]
    assert "<mi>terms</mi>" in widget.births[1]["formulas"][0]
    assert widget.to_svg() != before
    with pytest.raises(traitlets.TraitError, match="from 0 to 1; got 2"):
        widget.chosen = 2


def test_in_a_loop_the_round_is_found() -> None:
    """e → 1 → 0 → −inf → NaN → NaN: of the same line the third round, then the fourth."""

    def rounds(x):
        for _ in range(5):
            x = ops.log(x)
        return x

    widget = trace_nan(rounds, Tensor(np.float64(np.e)))
    first, second = widget.births
    assert (first["numbers"], second["numbers"]) == ([["x₃", "0"]], [["x₄", "−inf"]])
    notes = [list(boxes(each["svg"]).values()) for each in (first, second)]
    assert notes[0] == [("0", False), ("−infinity here, forward", True), ("nan", True)]
    assert notes[1] == [("−inf", True), ("NaN here, forward", True), ("nan", True)]
    assert repr(widget) == "trace_nan(rounds): -inf in log, forward"


def test_operands_are_called_as_in_the_program() -> None:
    """A name, or what the operand is computed by; a number of the program is itself."""

    def fn(count, total):
        share = count / (total - 2.0)
        return share * 3.0

    (birth,) = trace_nan(fn, Tensor([1.0]), Tensor([2.0])).births
    assert birth["said"] == "An infinity is born in divide, forward, at entry [0]."
    assert birth["numbers"] == [["count", "1"], ["total − 2", "0"]]
    words = re.findall(r"<m[in]>([^<]*)<", birth["formulas"][0])
    assert words == ["share", "count", "(total − 2)"]
    assert "as in where(y == 0, 1.0, y)" in birth["advice"]  # it has no name to be written

    def named(count, total):
        rest = total - 2.0
        return count / rest

    assert "as in where(rest == 0, 1.0, rest)" in trace_nan(named, 1.0, 2.0).births[0]["advice"]
    (birth,) = trace_nan(lambda x: ops.log(x) * 2.0, Tensor(0.0)).births
    assert (birth["numbers"], birth["advice"].count("log(x + 1e-7)")) == ([["x", "0"]], 1)


def test_inside_of_a_bprop_its_line_is_lit() -> None:
    """The rule of the Cell divides by 0; its source stands below the program's."""
    root = Root()
    widget = trace_nan(lambda x: ops.sum(root(x) * 0.0), Tensor([0.0]))
    assert lit(widget) == "return (dout / (2.0 * out),)"
    assert "inside of Root / bprop" in widget.births[0]["where"][1]
    assert boxes(widget.births[0]["svg"])["Root(x)"] == ("NaN here, backward at [0]", True)
    assert widget.births[0]["numbers"] == [["x", "0"], ["y", "0"]]


def test_without_a_nan_it_says_so() -> None:
    """Plainly, in all forms."""
    widget = trace_nan(entropy, Tensor([0.5, 0.25]))
    assert widget.births == []
    assert widget.sentence == (
        "No NaN and no infinity is born in entropy, forward or backward: the output and all "
        "gradients are finite."
    )
    assert widget.to_text() == "entropy: no NaN or infinity is born, forward or backward"
    assert "No NaN and no infinity" in widget.to_svg()
    assert repr(widget) == "trace_nan(entropy): no NaN or infinity"
    widget.chosen = 0


def test_what_was_given_is_not_born() -> None:
    """An input that holds a NaN from the start is named."""
    widget = trace_nan(ops.exp, Tensor([1.0, float("nan")]))
    assert widget.births == []
    assert widget.given == list(widget.origin.given)
    assert "The input x holds nan from the start at entry [1]" in widget.to_svg()
    assert widget.sentence.startswith("None is born here: it was given.")


def test_big_arrays_stay_in_the_kernel() -> None:
    """Shapes and counts travel, not entries."""
    x = np.ones((200, 300), np.float32)
    x[7, 5] = 0.0
    widget = trace_nan(lambda x: ops.sum(ops.log(x)), Tensor(x))
    found = boxes(widget.births[0]["svg"])
    assert found["x"] == ("(200, 300)", False)
    assert widget.births[0]["said"].endswith("forward, at entry [7, 5].")
    assert len(json.dumps(widget.births)) < 5000


def test_many_neighbours_are_counted() -> None:
    """Of nine values that read it five are drawn, the bad first; e^−inf is 0, which is fine."""

    def many(x):
        root = ops.log(x)
        return ops.concat([ops.exp(root) for _ in range(6)] + [root * 2.0 for _ in range(3)])

    found = boxes(trace_nan(many, Tensor([0.0])).births[0]["svg"])
    assert found["4 more"] == ("", False)
    assert sum(bad for _, bad in found.values()) == 1 + 3
    assert len(found) == 1 + 1 + 5 + 1


def quotient(x, w):
    return x / w


def logarithm(x, w):
    return ops.log(x) * w


@pytest.mark.parametrize("fn", [safe_root, quotient, logarithm])
def test_every_form_is_well_formed(fn: object) -> None:
    """SVG parses, needs no style sheet; the text is what nan_origin prints."""
    widget = trace_nan(fn, Tensor([4.0, 0.0]), Tensor([1.0, 0.0]))
    data, _ = widget._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    assert "var(--" not in data["image/svg+xml"]
    assert data["text/plain"] == repr(widget.origin)


def test_calling_the_function_oneself_is_explained() -> None:
    with pytest.raises(TypeError, match=r"trace_nan\(loss, x, w\); got Tensor for fn"):
        trace_nan(ops.log(Tensor([1.0])))
