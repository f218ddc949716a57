"""`signature_map`: roles, the structure of the answer, errors as the engine says them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn
from minigrad_widgets import signature_map

SVG = "{http://www.w3.org/2000/svg}"
W = Parameter(Tensor([2.0, 3.0]), name="w")
B = Parameter(Tensor(1.0), name="b")
X, Y = Tensor([1.0, 4.0]), Tensor(3.0)


def forward(x, y):
    z = (x * W).sum() + B
    loss = (z - y) * (z - y)
    return loss, z


def product(x, y):
    return x * y


def shape_of(x: object) -> str:
    """What a value is made of, written by other code than the widget's."""
    if isinstance(x, tuple):
        return "(" + ", ".join(map(shape_of, x)) + ("," if len(x) == 1 else "") + ")"
    if isinstance(x, list):
        return "[" + ", ".join(map(shape_of, x)) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {shape_of(v)}" for k, v in x.items()) + "}"
    return str(tuple(x.shape))


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({}, "dx"), ({"grad_position": (0,)}, "dx"), ({"grad_position": 1}, "dy"),
        ({"grad_position": (0, 1)}, "(dx, dy)"), ({"grad_position": (1, 0)}, "(dy, dx)"),
        ({"weights": [W]}, "(dx, (dw,))"),
        ({"weights": W}, "(dx, dw)"), ({"weights": [B, W]}, "(dx, (db, dw))"),
        ({"weights": []}, "(dx, ())"), ({"grad_position": None, "weights": W}, "dw"),
        ({"grad_position": None, "weights": [W, B]}, "(dw, db)"),
        ({"grad_position": (0, 1), "weights": [W], "has_aux": True}, "(((dx, dy), (dw,)), (z,))"),
        ({"has_aux": True}, "(dx, (z,))"),
    ],
)  # fmt: skip
def test_the_answer_is_built_as_grad_builds_it(options: dict, answer: str) -> None:
    """Brackets and order as in grad's own answer, with the shapes of what stands there."""
    widget = signature_map(forward, X, Y, **options)
    assert widget.answer == answer
    real = ms.grad(forward, **options)(X, Y)
    shapes = {"dx": "(2,)", "dy": "()", "dw": "(2,)", "db": "()", "z": "()"}
    for name, shape in shapes.items():
        answer = answer.replace(name, shape)
    assert shape_of(real) == answer
    notes = {part.name: part.note for part in widget._call.parts}
    known = {"dx": "(2,)", "dy": "scalar", "dw": "(2,)", "db": "scalar", "z": "scalar"}
    assert notes == {name: known[name] for name in notes}


def roles(widget: object) -> dict[str, str]:
    call = widget._call
    return {item.name: item.role for item in [*call.inputs, *call.weights, *call.outputs]}


def test_who_is_differentiated() -> None:
    """Inputs by position, weights by identity, outputs summed or aux; used weights are shown."""
    widget = signature_map(forward, X, Y, weights=[W])
    assert roles(widget) == {
        "x": "asked", "y": "left", "w": "asked", "b": "left", "loss": "sum", "z": "sum",
    }  # fmt: skip
    assert widget._call.summed
    assert widget.title == "grad(forward, weights=[w])(x, y)"
    assert widget.sentence == (
        "Differentiates the sum of loss and z by x and w. The answer is (dx, (dw,))."
    )
    widget = signature_map(forward, X, Y, grad_position=1, has_aux=True)
    assert roles(widget) == {
        "x": "left", "y": "asked", "w": "left", "b": "left", "loss": "sum", "z": "aux",
    }  # fmt: skip
    assert not widget._call.summed
    assert widget.sentence == "Differentiates loss by y. z leaves as aux. The answer is (dy, (z,))."


def test_an_array_is_summed() -> None:
    """One output that is no scalar is summed too, and the drawing says so."""
    widget = signature_map(product, X, X)
    assert widget._call.summed
    assert "∑" in widget.svg
    assert "sum of all entries" in widget.sentence
    widget = signature_map(product, 2.0, 3.0)
    assert not widget._call.summed
    assert "∑" not in widget.svg


def test_lists_and_dicts_keep_their_form() -> None:
    """An input that is a list with a dict: names and brackets are its own."""
    widget = signature_map(lambda xs: xs[0] * xs[1]["a"], [X, {"a": Y}])
    assert widget.answer == "[d(xs[0]), {'a': d(xs[1]['a'])}]"
    assert roles(widget)["xs[1]['a']"] == "asked"


@pytest.mark.parametrize(
    "options",
    [
        {"grad_position": 2}, {"grad_position": None}, {"grad_position": -1},
        {"grad_position": (0, 0)}, {"grad_position": 0.5}, {"weights": [X]}, {"weights": "w"},
    ],
)  # fmt: skip
def test_an_error_is_the_engine_s_own(options: dict) -> None:
    """Word for word, in the answer's place; the inputs are drawn all the same."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 the words are compared below
        ms.grad(forward, **options)(X, Y)
    widget = signature_map(forward, X, Y, **options)
    assert widget.error == f"{type(caught.value).__name__}: {caught.value}"
    assert widget.answer == ""
    assert widget.to_text().endswith(widget.error)
    assert "mgw-wrong" in widget.to_svg()  # on the page it is text, which wraps
    ElementTree.fromstring(widget.to_svg())
    assert {item.name for item in widget._call.inputs} == {"x", "y"}


def test_has_aux_with_one_output_is_an_error() -> None:
    """As the engine says it."""
    assert "has_aux=True needs a function with more than one output" in (
        signature_map(product, X, X, has_aux=True).error
    )


def test_what_the_function_raises_is_raised() -> None:
    """A fault of the function is not a fault of the call."""
    with pytest.raises(ZeroDivisionError):
        signature_map(lambda x: x / (1 // 0), X)
    with pytest.raises(TypeError, match="Pass loss, x, not loss"):
        signature_map(X, X)


def test_a_frozen_weight_says_that_its_gradient_is_zero() -> None:
    """Asked for all the same; so says the engine."""
    frozen = Parameter(Tensor([2.0, 3.0]), name="frozen", requires_grad=False)
    widget = signature_map(lambda x: x * frozen, X, weights=[frozen])
    assert "frozen (requires_grad=False), so its gradient is 0" in widget.sentences["w-frozen"]
    np.testing.assert_array_equal(
        ms.grad(lambda x: x * frozen, weights=[frozen])(X)[1][0].asnumpy(), 0
    )


def test_pairs_and_names_are_those_of_the_call() -> None:
    """Each differentiated box points at its part of the answer, and back; markup stays text."""
    evil = Parameter(Tensor([1.0, 1.0]), name="<img src=x>")
    widget = signature_map(lambda x: x * evil, X, weights=[evil])
    assert "<img" not in widget.svg
    svg = ElementTree.fromstring(widget.svg)
    boxes = {e.get("data-box"): e.get("data-pair") for e in svg.iter() if e.get("data-box")}
    assert boxes["i-x"] == "a-0"
    assert boxes["a-0"] == "i-x"
    assert boxes[boxes["w-<img src=x>"]] == "w-<img src=x>"
    assert set(boxes) == set(widget.sentences)


def test_many_weights_are_counted() -> None:
    """Of 40 weights the first are drawn; the answer in the text is whole."""
    net = nn.SequentialCell(*[nn.Dense(2, 2) for _ in range(20)])
    widget = signature_map(net, Tensor([[1.0, 2.0]]), weights=net.trainable_params())
    assert "31 more weights" in widget.svg
    assert "… 30 more" in widget.svg
    assert widget.answer.count("d(") == 40
    assert len(widget.svg) < 40_000
    tokens = [e.text for e in ElementTree.fromstring(widget.svg).iter(f"{SVG}text")]
    answer = tokens[tokens.index("answer") + 1 :]
    assert answer[0] == "("
    assert answer[-1] == ", … 30 more))"
    ElementTree.fromstring(widget.to_svg())


def test_the_function_is_as_high_as_what_goes_in_and_wires_are_level() -> None:
    """Its box begins and ends with the column of inputs; each wire stays at its height."""
    svg = ElementTree.fromstring(
        signature_map(lambda a, b, c, d: a * b * c * d, 1.0, 2.0, 3.0, 4.0).svg
    )
    (function,) = (g for g in svg.iter(f"{SVG}g") if g.get("class") == "mgw-function")
    face = function.find(f"{SVG}rect")
    tops = [
        float(g.get("transform")[:-1].split()[1])
        for g in svg.iter(f"{SVG}g")
        if (g.get("data-box") or "").startswith("i-")
    ]
    assert len(tops) == 4
    assert float(face.get("y")) == min(tops)
    assert float(face.get("height")) == max(tops) - min(tops) + 40
    wires = [p.get("d") for p in svg.iter(f"{SVG}path") if "mgw-wire" in p.get("class")]
    for wire in wires[:4]:
        heights = re.findall(r"[MC ]-?[\d.]+ ([\d.]+)", wire)
        assert len(set(heights)) == 1
