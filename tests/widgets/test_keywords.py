"""Arguments by name: all widgets take them alike, and say so when a call cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import (
    compare_gradients,
    open_bprop,
    show_graph,
    show_passes,
    signature_map,
    step_backward,
    step_forward,
    tangent,
    trace_nan,
)

X, SCALE = Tensor([1.0, 4.0]), Tensor([3.0, 0.5])


class Scaled(nn.Cell):
    """x · scale, or with `root` the root of x in place of x."""

    def construct(self, x, *, scale=1.0, root=False):
        return (ops.sqrt(x) if root else x) * scale


CALLS = [
    show_graph, step_forward, step_backward, compare_gradients, signature_map, show_passes,
]  # fmt: skip


@pytest.mark.parametrize("show", CALLS, ids=[show.__name__ for show in CALLS])
def test_keywords_reach_the_function(show: Callable) -> None:
    """Of a Cell whose construct takes them by name alone: the root is taken, and scale is used."""
    text = show(Scaled(), X, scale=SCALE, root=True).to_text()
    assert show(Scaled(), X, scale=SCALE).to_text() != text
    assert "scale" in text or show is show_passes


def test_keywords_are_differentiated() -> None:
    """By scale: the root of x; by x: scale over twice its root."""
    by_x, by_scale = 3.0 / 2, np.array([1.0, 2.0])
    widget = step_backward(Scaled(), X, scale=SCALE, root=True)
    np.testing.assert_allclose(widget.gradients["scale"], by_scale)
    assert widget.gradients["x"][0] == by_x
    x, scale = compare_gradients(Scaled(), X, scale=SCALE, root=True).compared
    assert [round(each.expected, 6) for each in scale.differences] == [1.0, 2.0]
    assert round(x.differences[0].expected, 6) == by_x
    assert {item["size"] for item in step_forward(Scaled(), X, scale=SCALE).kept} == {
        "(2,), 8 bytes"
    }


def test_a_position_counts_an_argument_by_name() -> None:
    """As for grad: scale is argument 1, however it is given. What is no Tensor stands as it is."""

    def fn(x, scale, root=False):
        return x * scale

    widget = signature_map(fn, X, scale=SCALE, root=True, grad_position=1)
    assert widget.answer == "dscale"
    assert widget.title == "grad(fn, grad_position=1)(x, scale=scale, root=True)"
    assert {i.name: (i.kind, i.role) for i in widget._call.inputs} == {
        "x": ("input 0", "left"), "scale": ("input 1", "asked"), "root": ("input 2", "left"),
    }  # fmt: skip
    dscale = ms.grad(fn, 1)(X, scale=SCALE, root=True)
    np.testing.assert_array_equal(dscale.asnumpy(), X.asnumpy())

    def loose(x, **more):
        return x * more["scale"]

    assert "scale is argument 1" in signature_map(loose, X, scale=SCALE).sentences["i-scale"]
    assert signature_map(loose, X, scale=SCALE, grad_position=1).answer == "dscale"
    assert "out of range" in signature_map(loose, X, scale=SCALE, grad_position=2).error


def test_tangent_holds_what_is_given_by_name() -> None:
    widget = tangent(Scaled(), np.float64(4.0), scale=3.0, root=True)
    assert widget.gradient == pytest.approx(3 / 4)  # 3 / (2 · 2)
    assert "by name" in str(raised(tangent, lambda x, w: x * w, 1.0))


def test_a_nan_by_a_keyword_is_found() -> None:
    assert repr(trace_nan(Scaled(), Tensor([0.0]), root=True)).endswith("inf in sqrt, backward")


class Spike(nn.Cell):
    def construct(self, v, threshold=1.0):
        return (v > threshold).astype(v.dtype)

    def bprop(self, v, threshold, out, dout):
        return dout, None


def raised(show: Callable, *args: Any, **kwargs: Any) -> TypeError:
    with pytest.raises(TypeError) as caught:
        show(*args, **kwargs)
    return caught.value


OWN = {
    show_graph: "grad_position, weights, order and has_aux",
    step_forward: "grad_position and weights",
    step_backward: "predict, grad_position, weights and order",
    compare_gradients: "weights",
    signature_map: "grad_position, weights and has_aux",
}


@pytest.mark.parametrize(
    "show", [*CALLS, tangent, trace_nan, open_bprop], ids=lambda show: show.__name__
)
def test_a_keyword_that_nobody_knows_is_named(show: Callable) -> None:
    """With what the function takes, and the widget's own options."""
    fn = Spike() if show is open_bprop else Scaled()
    said = str(raised(show, fn, 1.0, oder=2))
    assert "got an unexpected keyword argument 'oder'" in said
    assert ("scale=1.0" in said) or show is open_bprop
    if show in OWN:
        assert said.endswith(f"{show.__name__}'s own options are {OWN[show]}.")


def test_an_option_that_the_function_wants_too_is_explained() -> None:
    """`weights` by name is the widget's; by position, or in a lambda, it is the function's."""
    w = Parameter(Tensor([2.0]), name="w")

    def fn(x, weights):
        return x * weights

    said = str(raised(step_backward, fn, X, weights=[w]))
    assert "weights by name is an option of step_backward: give that of the function" in said
    assert step_backward(fn, X, SCALE).gradients.keys() == {"x", "weights"}
