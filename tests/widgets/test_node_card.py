"""What a step's card says of the op alone: numeric checks, and which entry comes from which."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sample import words

from minigrad import Tensor, nn, ops
from minigrad_widgets import step_backward

X, W = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([[0.5, 1.0], [3.0, -2.0]])


def checks_of(widget: Any, step: int) -> list[tuple[str, str]]:
    """What the checks of a step say, with their kinds."""
    return [(check["kind"], check["text"]) for check in widget.steps[step]["card"]["checks"]]


def row_of(widget: Any, step: int, label: str) -> dict[str, Any]:
    """The row of a card that is called so."""
    rows = widget.steps[step]["card"]["rows"]
    return next(row for row in rows if words(row["label"]) == label)


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_a_number_is_held_against_a_difference_of_the_op_alone() -> None:
    """a b at (2, -3): the part for a is -3 although a's whole gradient is not."""
    widget = step_backward(lambda a, b: a * b + a * a, 2.0, -3.0)
    assert checks_of(widget, 3) == [
        ("agrees", "difference says −3.0000, rule says −3.0000"),
        ("agrees", "difference says 2.0000, rule says 2.0000"),
    ]


def test_an_array_is_checked_entry_by_entry_and_a_long_one_along_a_direction() -> None:
    """The square's gradient is 2 x: the largest is shown. Of 600 entries one sum is checked."""
    few = step_backward(lambda x: ops.sum(x * x * 1.0), X)
    square = [c for step in range(3) for c in checks_of(few, step + 1)][-1]
    assert square == (
        "agrees",
        "at [1, 0] difference says 2.0000, rule says 2.0000; all 4 entries agree",
    )
    two = step_backward(lambda x: ops.sum(x * x), Tensor([1.0, 2.0]))
    assert checks_of(two, 2)[0][1].endswith("rule says 2.0000; both entries agree")
    one = step_backward(lambda x: ops.sum(x * x), Tensor([3.0]))
    assert checks_of(one, 2)[0][1] == "at [0] difference says 3.0000, rule says 3.0000"
    many = step_backward(lambda x: ops.sum(ops.sin(x)), np.linspace(-1, 1, 600))
    kind, text = checks_of(many, 2)[0]
    assert kind == "agrees"
    assert text.startswith("all 600 entries at once: difference says ")


class Wrong(nn.Cell):
    """Its bprop says 3 x where the slope of x squared is 2 x."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return 3 * x * dout


def test_a_wrong_rule_is_caught() -> None:
    """At 3, with g = 2: the difference says 12, the rule 18."""
    widget = step_backward(lambda x: Wrong()(x) * 2.0, 3.0)
    assert checks_of(widget, 2) == [
        ("differs", "difference says 12.0000, rule says 18.0000: they differ")
    ]


def test_a_kink_is_no_fault() -> None:
    """relu at 0: the slope is 0 on the left and 1 on the right."""
    widget = step_backward(ops.relu, 0.0)
    assert checks_of(widget, 1) == [
        ("kink", "a kink: slope 0.0000 on the left, 1.0000 on the right; rule says 0.0000")
    ]


HIDDEN = "the numbers are too large to tell by a difference"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_rounding_hides_is_unclear_and_not_right(dtype: Any) -> None:
    """3e12 and a millionth more is 3e12 again: the slope 1 of a sum drowns, and of x + 1e18."""
    total = step_backward(lambda x: ops.sum(x), Tensor(np.array([1, 3e12], dtype)))
    assert checks_of(total, 1) == [("unclear", f"unclear at [0]: {HIDDEN}; rule says 1.0000")]
    moved = step_backward(lambda x: x + 1e18, dtype(3.0))
    assert checks_of(moved, 1) == [("unclear", f"unclear: {HIDDEN}; rule says 1.0000")]


def test_entries_apart_do_not_hide_each_other() -> None:
    """The squares of 1 and 3e12 are two outputs: the slope 2 of the first is as clear as alone."""
    kind, text = checks_of(step_backward(lambda x: x * x * 1.0, np.array([1.0, 3e12])), 2)[0]
    assert (kind, text.partition("; ")[2]) == ("agrees", "both entries agree")


@pytest.mark.parametrize(
    ("fn", "x", "slope"),
    [(ops.log, 1e-5, "1.0000e+05"), (ops.sin, 1e5, "−0.9994")],  # 1 / x; cos(1e5) = -0.99936
)
def test_a_step_is_shorter_where_that_tells_more(fn: Any, x: float, slope: str) -> None:
    """log bends within 6e-6 of 1e-5; sin turns within 0.6 of 1e5."""
    kind, text = checks_of(step_backward(fn, x), 1)[0]
    assert (kind, text.partition(",")[0]) == ("agrees", f"difference says {slope}")


def test_what_draws_random_numbers_is_not_checked() -> None:
    class Noise(nn.Cell):
        def construct(self, x):
            return x * Tensor(np.float32(np.random.default_rng().normal()))

        def bprop(self, x, out, dout):
            return dout

    assert checks_of(step_backward(lambda x: Noise()(x), 1.0), 1) == []


@pytest.mark.parametrize(
    ("fn", "args", "wanted"),
    [  # for each entry of the part of the first input: {entry of g: factor}, worked out by hand
        (
            lambda x, w: x @ w,
            (X, W),
            [{0: 0.5, 1: 1}, {0: 3, 1: -2}, {2: 0.5, 3: 1}, {2: 3, 3: -2}],
        ),
        (lambda x, w: x * w, (X, W), [{0: 0.5}, {1: 1}, {2: 3}, {3: -2}]),
        (lambda x: x.sum(axis=0), (X,), [{0: 1}, {1: 1}, {0: 1}, {1: 1}]),
        (lambda x: x.T, (X,), [{0: 1}, {2: 1}, {1: 1}, {3: 1}]),
        (lambda x: x.reshape(4), (X,), [{0: 1}, {1: 1}, {2: 1}, {3: 1}]),
        (lambda b, w: b + w, (Tensor([1.0, 2.0]), W), [{0: 1, 2: 1}, {1: 1, 3: 1}]),
    ],
    ids=["matmul", "multiply", "sum", "transpose", "reshape", "broadcast"],
)
def test_each_entry_says_where_it_comes_from(fn: Any, args: Any, wanted: Any) -> None:
    """A row of the Jacobian, as the page lights it."""
    row = next(row for row in step_backward(fn, *args).steps[1]["card"]["rows"] if "links" in row)
    found = [{j: number(factor) for j, factor in entry} for entry in row["links"]]
    assert found == wanted


def test_of_a_big_array_one_entry_says_how_far_it_reaches() -> None:
    """Each entry of x meets a row of w, of 20; each of w a column of x, of 30."""

    def f(x, w):
        return ops.sum(x @ w)

    rng = np.random.default_rng(0)
    widget = step_backward(f, rng.normal(size=(30, 40)), rng.normal(size=(40, 20)))
    assert row_of(widget, 2, "x¯")["reach"].endswith("comes from 20 entries of the gradient of v₂")
    assert row_of(widget, 2, "w¯")["reach"].endswith("comes from 30 entries of the gradient of v₂")


def test_contributions_arrive_one_by_one() -> None:
    """x is used three times: after each step its gradient says how many parts are there."""

    def f(x):
        return ops.sin(x) + ops.exp(x) + x * 2.0

    widget = step_backward(f, 0.0)
    told = [step["told"]["v0"] for step in widget.steps if "v0" in step["told"]]
    assert told == [
        "gradient so far, 1 of 3 parts: 2",
        "gradient so far, 2 of 3 parts: 3",
        "gradient complete: 4",
    ]


def test_the_second_order_steps_the_sweep_of_the_gradient() -> None:
    """x³ at 2: its first gradient, 12, is there as a value; the second pass finds 6 x."""
    widget = step_backward(lambda x: x * x * x, 2.0, order=2)
    assert words(widget.steps[0]["sentence"]).startswith(
        "The program and its backward pass have run: dx is 12. A second backward pass"
    )
    assert widget.heading == "Second backward pass"
    assert widget.gradients == {"x": 12.0}
    assert all(
        kind == "agrees" for n in range(1, widget.last + 1) for kind, _ in checks_of(widget, n)
    )


def test_a_long_run_is_seen_in_groups() -> None:
    """2,000 steps: few boxes, every step is in one that is drawn, and the gradient is right."""

    def chain(x):
        for _ in range(2000):
            x = x * 1.001
        return x

    widget = step_backward(chain, Tensor(np.float64(1.0)))
    drawn = set(re.findall(r'data-box="(\w+)"', widget.svg))
    assert len(drawn) < 100
    assert widget.last == 2000
    for step in widget.steps:
        around = widget.groups[widget.homes[step["box"]]]["path"]
        assert len({step["box"], *around} & drawn) == 1
    assert drawn <= widget.cards.keys()
    (g,) = widget.gradients.values()
    assert g == pytest.approx(1.001**2000)
