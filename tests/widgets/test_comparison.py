"""`compare_gradients`: what travels, what is said, what is left in a saved notebook."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets import compare_gradients


class Forgetful(nn.Cell):
    """x y², whose rule for y forgets the 2."""

    def construct(self, x, y):
        return x * y * y

    def bprop(self, x, y, out, dout):
        return dout * y * y, dout * x * y


def loss(x, w):
    return ops.sum(ops.relu(x) * w)


X, W = Tensor([[1.5, -0.3, 0.0], [2.0, 0.1, -4.0]]), Tensor([0.5, 1.0, 3.0])


def test_what_agrees_is_said_to_agree() -> None:
    """The numbers are those of grad; a kink is no fault, and is counted."""
    widget = compare_gradients(loss, X, W)
    assert widget.right
    assert widget.verdict.startswith("All agree. The furthest off is ")
    assert widget.verdict.endswith("One entry is at a kink: 0 lies between its two slopes.")
    dx, dw = ms.grad(loss, (0, 1))(X, W)
    found = [[d.got for d in each.differences] for each in widget.compared]
    np.testing.assert_array_equal(found[0], dx.asnumpy().ravel())
    np.testing.assert_allclose(found[1], dw.asnumpy())
    assert widget.inputs[0]["kinds"] == ["right"] * 2 + ["kink"] + ["right"] * 3
    gradient, _, off = (table["rows"] for table in widget.inputs[0]["tables"])
    assert [cell[0] for cell in gradient[0]] == ["+0.50", "0", "0"]
    assert [cell[0] == "kink" for row in off for cell in row] == [False] * 2 + [True] + [False] * 3


def test_several_kinks_are_counted() -> None:
    """relu and abs have 0 where they turn; nothing is off there, nothing is 0 off either."""
    widget = compare_gradients(lambda x: ops.relu(x) + ops.abs(x), Tensor([0.0, 1.0, 0.0]))
    assert widget.verdict.endswith(
        "2 entries are at a kink: each gradient lies between its two slopes."
    )
    assert [cell[0] for cell in widget.inputs[0]["tables"][2]["rows"][0]][::2] == ["kink", "kink"]


def test_what_differs_is_named_with_its_worst_entry() -> None:
    """2 of 4 entries, the worst of them, and by what factor."""
    widget = compare_gradients(Forgetful(), Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert not widget.right
    assert repr(widget) == "compare_gradients(Forgetful): not right"
    assert widget.verdict == (
        "2 of 4 compared entries differ. Worst: y[1]: the gradient is 8, but differences give 16: "
        "0.5 times the true one."
    )
    assert widget.chosen == [1, 1]
    assert widget.inputs[1]["sentences"][1].startswith("y[1]: the gradient is 8")
    off = widget.inputs[1]["tables"][2]["rows"][0]
    assert [(text, level) for text, level, _ in off] == [("−3", -2), ("−8", -4)]
    right = widget.inputs[0]["tables"][2]["rows"][0]
    assert [level for _, level, _ in right] == [0, 0]  # rounding has no colour
    assert widget.to_svg().count("mgw-mark") > 6  # each of the two in three tables, and the rule


def test_a_network_travels_as_kilobytes() -> None:
    """A layer of a million weights: sampled, and said so."""
    net = nn.Dense(1000, 1000)
    widget = compare_gradients(net, Tensor(np.ones((1, 1000), np.float32)))
    assert widget.right
    assert "36 of 1,000,000 entries, drawn at random" in widget.inputs[1]["heading"]
    aside = widget.inputs[1]["aside"]
    assert aside.startswith("All 1,000,000 entries: along a random direction the gradient is ")
    assert len(json.dumps(widget.inputs, allow_nan=False)) < 40_000
    assert net.weight.array.dtype == np.float32


def test_the_static_forms() -> None:
    """XML, escaped; the text has no number that rounding decides."""
    widget = compare_gradients(loss, X, W)
    ElementTree.fromstring(widget.to_svg())
    assert widget.to_text() == (
        "Gradients of loss(x, w) against central differences\n"
        "input  shape   compared  is      entry    gradient  differences\n"
        "x      (2, 3)  6         1 kink  x[1, 1]  1         1\n"
        "w      (3,)    3         right   w[0]     3.5       3.5"
    )


def test_what_is_nan_is_drawn() -> None:
    """The gradient of sqrt at 0 is infinite: shown as such, not right, and JSON all the same."""
    widget = compare_gradients(lambda x: ops.sqrt(x), Tensor([0.0, 4.0]))
    assert not widget.right
    assert widget.verdict.startswith("1 of 2 compared entries differ. Worst: x[0]: the gradient is")
    assert [table["rows"][0][0][0] for table in widget.inputs[0]["tables"]] == [
        "inf", "none", "not finite",
    ]  # fmt: skip
    assert widget.inputs[0]["kinds"] == ["wrong", "right"]
    json.dumps(widget.inputs, allow_nan=False)
    ElementTree.fromstring(widget.to_svg())
    assert widget.inputs[0]["tables"][0]["rows"][0][0][1] == "bad"


def test_what_jumps_has_no_gradient_to_be_right() -> None:
    """At a step nothing is known against 0, the only slope that there is besides."""
    widget = compare_gradients(lambda x: (x > 1).astype(x.dtype) + x, Tensor([1.0, 3.0]))
    assert widget.right
    assert widget.verdict.endswith("One entry is at a jump, where there is no slope.")
    assert widget.inputs[0]["kinds"] == ["jump", "right"]
    assert [table["rows"][0][0][:2] for table in widget.inputs[0]["tables"]] == [
        ["+1.00", 4], ["none", 0], ["jump", 0],
    ]  # fmt: skip


def test_a_fault_outside_the_sample_is_told() -> None:
    """One wrong entry of 10,000: hardly in the sample, but in the sum."""

    class OneWrong(nn.Cell):
        def construct(self, x):
            return ops.sin(x)

        def bprop(self, x, out, dout):
            dx = (dout * ops.cos(x)).asnumpy()
            dx[7, 7] += 1.0
            return Tensor(dx)

    x = Tensor(np.linspace(-2, 2, 10_000).reshape(100, 100))
    widget = compare_gradients(OneWrong(), x)
    assert not widget.right
    assert widget.verdict.startswith("No sampled entry differs, but others do. x: along a random")


@pytest.mark.parametrize(
    ("shape", "rows", "columns"),
    [((), 1, 1), ((6,), 1, 6), ((7,), 2, 6), ((11,), 2, 6), ((6, 6), 6, 6), ((2, 2, 2), 2, 6),
     ((36,), 6, 6), ((37,), 6, 6), ((3, 1), 3, 1), ((1, 30), 5, 6)],
)  # fmt: skip
def test_how_entries_are_laid_out(shape: tuple[int, ...], rows: int, columns: int) -> None:
    """A small array as it is, another in rows of 6; beyond the last entry cells are blank."""
    (data,) = compare_gradients(lambda x: x * x, Tensor(np.ones(shape))).inputs
    for table in data["tables"]:
        assert [len(row) for row in table["rows"]] == [columns] * rows
        filled = [cell[0] != "" for row in table["rows"] for cell in row]
        assert filled == sorted(filled, reverse=True)
        assert sum(filled) == len(data["kinds"]) == min(36, int(np.prod(shape)))


def test_a_call_that_cannot_be() -> None:
    """Pass the function, not its value; some numbers; an entry that is there."""
    with pytest.raises(TypeError, match="Pass loss, x, not loss"):
        compare_gradients(2.0, X)
    with pytest.raises(ValueError, match="every input and weight is empty"):
        compare_gradients(ops.sin, Tensor(np.zeros((0, 3))))
    widget = compare_gradients(loss, X, W)
    with pytest.raises(
        traitlets.TraitError, match=r"the inputs have \[6, 3\] entries; got \[1, 3\]"
    ):
        widget.chosen = [1, 3]
    widget.chosen = [1, 2]
