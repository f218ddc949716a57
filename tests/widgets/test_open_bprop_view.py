"""`open_bprop`: how arguments are bound, the rule beside the truth, curves, refusals."""

from __future__ import annotations

import inspect
import json
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets

import minigrad as ms
from minigrad import Parameter, Tensor, custom_bprop, nn, ops
from minigrad_widgets import compare_gradients, open_bprop

SVG = "{http://www.w3.org/2000/svg}"
V = Tensor([-0.5, 0.8, 1.3])


class Spike(nn.Cell):
    def construct(self, v):
        return (v > 1.0).astype(v.dtype)

    def bprop(self, v, out, dout):
        return (dout / (1.0 + (np.pi * (v - 1.0)) ** 2),)


class Scaled(nn.Cell):
    def construct(self, x, scale=2.0):
        return x * x * scale

    def bprop(self, out, dout, x, scale):
        return dout * x * scale, None


class ByPosition(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, a, b, out, dout, sharp=7.0):
        return dout * b, dout * a


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, -3.0]), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout * x * 5.0}


@custom_bprop(lambda x, out, dout: (dout * 3 * x * x,))
def cube(x):
    return Tensor(x.asnumpy() ** 3)


def test_a_surrogate_beside_the_zero_slope_of_a_step() -> None:
    """The rule's numbers are those of its formula; the step's own are 0."""
    widget = open_bprop(Spike(), V)
    (pair,) = widget.pairs
    bump = 1 / (1 + (np.pi * (np.array([-0.5, 0.8, 1.3]) - 1)) ** 2)
    np.testing.assert_allclose(pair.rule, bump, rtol=1e-5)
    np.testing.assert_array_equal(pair.other, [0, 0, 0])
    np.testing.assert_allclose(pair.off, bump, rtol=1e-5)
    np.testing.assert_array_equal(pair.rule, ms.grad(Spike())(V).asnumpy())
    assert widget.right is False
    assert "3 of the 3 entries of v. Unless it is a surrogate" in widget.sentence
    assert [each["title"] for each in widget.inputs[0]["tables"]] == [
        "by the rule", "automatic, bprop ignored", "rule − automatic"
    ]  # fmt: skip
    assert repr(widget) == "open_bprop(Spike): not the derivative"


def test_the_curves_are_the_function_and_both_gradients() -> None:
    """Over a range that holds the threshold, though all values are on one side of it."""
    curve = open_bprop(Spike(), Tensor([2.5, 4.0]))._curve
    assert curve.xs[0] < 0.5
    assert curve.xs[-1] > 4.0
    np.testing.assert_allclose(curve.rule, 1 / (1 + (np.pi * (curve.xs - 1)) ** 2), rtol=1e-4)
    np.testing.assert_array_equal(curve.true, np.zeros_like(curve.xs))
    np.testing.assert_array_equal(curve.ys, curve.xs.astype(np.float32) > 1)
    assert np.min(np.abs(curve.corners - 1.0)) < 0.05


def test_a_step_is_drawn_with_a_gap() -> None:
    """No slanted line joins 0 and 1."""
    widget = open_bprop(Spike(), V)
    (line,) = [
        path.get("d")
        for path in ElementTree.fromstring(widget.charts[0]).iter(
            "{http://www.w3.org/2000/svg}path"
        )
        if path.get("class") == "mgw-curve " and "h20" not in path.get("d")
    ]
    levels = [{p.split(" ")[1] for p in piece.split("L")} for piece in line.split("M")[1:]]
    assert [len(level) for level in levels] == [1, 1]
    assert "mgw-between" in widget.charts[1]


def test_differences_stand_in_where_construct_leaves_minigrad() -> None:
    """numpy inside: measured, and said; the curve is measured too."""
    widget = open_bprop(cube, Tensor([2.0, -1.0]))
    np.testing.assert_allclose(widget.pairs[0].other, [12.0, 3.0], rtol=1e-8)
    np.testing.assert_array_equal(widget.pairs[0].off, [0, 0])
    assert widget.right is True
    assert "construct leaves minigrad, so central differences" in widget.sentence
    assert [each["title"] for each in widget.inputs[0]["tables"]] == [
        "by the rule", "central differences", "rule − measured"
    ]  # fmt: skip
    curve = widget._curve
    np.testing.assert_allclose(curve.true, 3 * curve.xs**2, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(curve.rule, 3 * curve.xs**2, rtol=1e-5, atol=1e-5)
    assert repr(open_bprop(cube, 2.0)) == "open_bprop(cube): right"  # a float alone is a Tensor


def test_arguments_are_bound_by_name() -> None:
    """bprop may take them in another order; a default that was not given is said."""
    widget = open_bprop(Scaled(), Tensor([1.0, 3.0]))
    assert [(b.name, b.source) for b in widget._call.bound] == [
        ("out", "out"), ("dout", "dout"), ("x", "x"), ("scale", "scale"),
    ]  # fmt: skip
    assert "scale    scale  2.0, the default" in widget.to_text()
    assert "2.0, the default" in widget.binding[0]
    assert widget.binding[0].count("by name") == 2 * 2  # drawn and spoken
    assert widget.binding[0].count("mgw-asked") == 3  # dout twice, and dx; None is no gradient
    # 2 x scale is 4 and 12; the rule forgets the 2
    np.testing.assert_array_equal(widget.pairs[0].other, [4.0, 12.0])
    np.testing.assert_array_equal(widget.pairs[0].off, [-2.0, -6.0])
    assert "it is 0.5 times as large" in widget.sentence
    given = open_bprop(Scaled(), Tensor([1.0]), scale=3.0)
    assert "default" not in given.to_text()
    np.testing.assert_array_equal(given.pairs[0].other, [6.0])


def test_arguments_are_bound_by_position_else() -> None:
    """Other names; a setting of bprop's own keeps its default."""
    widget = open_bprop(ByPosition(), Tensor([2.0]), Tensor([5.0]))
    assert [(b.name, b.source) for b in widget._call.bound][:2] == [("a", "x"), ("b", "y")]
    assert "is x, by position" in widget.binding[0]
    assert "its own default, 7.0" in widget.binding[0]
    assert [pair.rule.item() for pair in widget.pairs] == [5.0, 2.0]
    assert widget.right is True
    assert widget.charts == []  # two inputs


def test_the_weights_are_compared_too() -> None:
    """Against grad of the same product without a rule; the Parameter keeps its values."""
    cell, x = Weighted(), Tensor([1.0, 4.0])
    widget = open_bprop(cell, x)
    by_input, by_weight = widget.pairs
    _, (true,) = ms.grad(lambda x: x * cell.w, weights=[cell.w])(x)
    np.testing.assert_array_equal(by_input.off, [0, 0])
    np.testing.assert_array_equal(by_weight.other, true.asnumpy())
    np.testing.assert_array_equal(by_weight.rule, [5.0, 20.0])
    assert "differs in 2 of the 2 entries of w; it is 5 times" in widget.sentence
    np.testing.assert_array_equal(cell.w.asnumpy(), np.float32([2, -3]))
    assert [name for name, *_ in widget._call.returned] == ["dx", "dw"]


def test_a_forgotten_dout_shows() -> None:
    """For dout = 1 the numbers would agree, so another is taken, and the sentence says it."""

    class Forgets(nn.Cell):
        def construct(self, x):
            return x * 3.0

        def bprop(self, x, out, dout):
            return (ops.ones_like(x) * 3.0,)

    widget = open_bprop(Forgets(), Tensor([1.0, 2.0]))
    assert "is dout missing from the rule?" in widget.sentence
    (dout,) = widget._call.douts
    assert not (dout == 1).any()
    np.testing.assert_allclose(widget.pairs[0].other, 3 * dout, rtol=1e-6)
    np.testing.assert_allclose(widget.pairs[0].rule, [3.0, 3.0])


class Mismatched(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, a, out, dout):
        return (dout,)


class TooFew(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout,)


class WrongShape(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout.sum(), dout


class Raises(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        raise KeyError("nothing here")


@pytest.mark.parametrize("kind", [Mismatched, TooFew, WrongShape, Raises])
def test_a_refused_rule_is_shown_with_the_engine_s_error(kind: type) -> None:
    """Word for word what a gradient call says; the lines are drawn as far as there are any."""
    x = Tensor([1.0, 2.0])
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        ms.grad(kind(), (0, 1))(x, x)
    widget = open_bprop(kind(), x, x)
    assert widget.error == f"{type(caught.value).__name__}: {caught.value}"
    assert widget.error in widget.to_text()
    assert widget.right is None
    assert repr(widget).endswith("refused")
    for drawing in widget.binding:
        assert drawing.count("mgw-tip") == (0 if kind is Mismatched else 4)
    still = widget.to_svg()
    assert "mgw-wrong" in still
    assert " ".join(texts(still)).count(" ".join(widget.error.split())) == 1


def texts(svg: str) -> list[str]:
    """The lines of text of a picture."""
    return [e.text or "" for e in ElementTree.fromstring(svg).iter(f"{SVG}text")]


class LongLines(nn.Cell):
    def construct(self, membrane_potential, threshold_voltage):
        return ops.sigmoid(membrane_potential - threshold_voltage)

    def bprop(self, membrane_potential, other, out, dout):
        # this line is longer than the picture is wide, so that it has to go on in a line below, and must not be cut  # noqa: E501  # it is the test
        return dout * out * (1 - out), -dout * out * (1 - out)


def test_a_long_source_line_goes_on_below() -> None:
    """No word of the source is cut off in the picture, and no line leaves it; indents stay."""
    svg = open_bprop(LongLines(), Tensor([0.5]), 1.0).to_svg()
    source = inspect.getsource(LongLines.bprop).split()
    drawn = [word for text in texts(svg) if not text.isdigit() for word in text.split()]
    assert " ".join(source) in " ".join(drawn)
    root = ElementTree.fromstring(svg)
    lines = {e.text: e for e in root.iter(f"{SVG}text") if e.text}
    ends = [float(e.get("x")) + 6.65 * len(text) for text, e in lines.items()]
    assert max(ends) < float(root.get("width"))
    first, inner = (
        next(e for t, e in lines.items() if t.startswith(w)) for w in ("def bprop", "return dout")
    )
    assert float(inner.get("x")) - float(first.get("x")) == pytest.approx(4 * 6.65, abs=0.1)


def test_the_arguments_are_drawn_for_a_narrow_page_too() -> None:
    """The same boxes as rows and as columns; the columns of long names fit on a phone."""
    wide, narrow = (
        ElementTree.fromstring(svg) for svg in open_bprop(LongLines(), Tensor([0.5]), 1.0).binding
    )
    keys = [
        [g.get("data-box") for g in svg.iter(f"{SVG}g") if g.get("data-box")]
        for svg in (wide, narrow)
    ]
    assert keys[0] == keys[1]
    assert float(narrow.get("width")) * 10 / 12 < 362 < float(wide.get("width")) * 10 / 12
    said = [g.get("aria-label") for g in narrow.iter(f"{SVG}g") if g.get("data-box")]
    assert said[4:6] == ["membrane_potential, by name", "other, is threshold_voltage, by position"]
    assert "membrane…ial" in texts(ElementTree.tostring(narrow, "unicode"))
    douts = [g for g in narrow.iter(f"{SVG}g") if g.get("data-box") == "dout"]
    assert len({g.get("transform").split()[1] for g in douts}) == 1  # side by side


def test_only_what_works_entry_by_entry_has_a_curve() -> None:
    """softmax has none; relu has, with its corner in the range."""

    class Soft(nn.Cell):
        def construct(self, x):
            return ops.softmax(x)

        def bprop(self, x, out, dout):
            return (out * (dout - (dout * out).sum()),)

    class Relu(nn.Cell):
        def construct(self, x):
            return ops.relu(x)

        def bprop(self, x, out, dout):
            return (dout * (x > -0.5).astype(x.dtype),)

    widget = open_bprop(Soft(), Tensor([0.5, 1.0, 2.0]))
    assert (widget.charts, widget.right) == ([], True)
    curve = open_bprop(Relu(), Tensor([2.0]))._curve
    assert curve.xs[0] < -0.5
    np.testing.assert_array_equal(curve.true, curve.xs.astype(np.float32) > 0)
    np.testing.assert_array_equal(curve.rule, curve.xs.astype(np.float32) > -0.5)


def test_big_arrays_travel_as_a_corner() -> None:
    """A thousand entries stay in the kernel."""
    widget = open_bprop(Spike(), Tensor(np.linspace(-3, 3, 3000).reshape(60, 50)))
    assert widget.inputs[0]["tables"][0]["facts"]["min"]
    assert len(json.dumps(widget.get_state(["inputs"]))) < 4000
    ElementTree.fromstring(widget.to_svg())


def test_it_opens_and_closes() -> None:
    """Closed, the picture is the box alone; open, it holds the source and the curves."""
    widget = open_bprop(Spike(), V)
    assert widget.opened
    assert "def bprop(self, v, out, dout):" in widget.to_svg()
    widget.opened = False
    svg = widget.to_svg()
    assert "def bprop" not in svg
    assert "own bprop" in svg
    assert [line["text"] for line in widget.lines if line["rule"]] == [
        "def bprop(self, v, out, dout):",
        "    return (dout / (1.0 + (np.pi * (v - 1.0)) ** 2),)",
    ]
    with pytest.raises(traitlets.TraitError):
        widget.opened = "half"


def test_names_stay_text() -> None:
    """A name with signs of HTML is escaped in every form."""
    kind = type("<b>&", (Spike,), {})
    widget = open_bprop(kind(), V)
    for text in (widget.to_svg(), widget.box, *widget.binding, *widget.charts):
        assert "<b>" not in text
        ElementTree.fromstring(text)


def test_what_cannot_be_opened() -> None:
    """No rule; no function; construct called wrongly: each says so."""
    for bad in (nn.ReLU(), ops.sin, 3.0):
        with pytest.raises(TypeError, match="expects a Cell with a bprop"):
            open_bprop(bad, V)
    with pytest.raises(TypeError, match="missing a required argument"):
        open_bprop(Spike())


def test_the_same_numbers_as_compare_gradients() -> None:
    """Its table of differences knows nothing of this one."""
    x = Tensor([[0.3, -1.2], [2.0, 0.7]])
    widget, other = open_bprop(Scaled(), x), compare_gradients(Scaled(), x)
    entries = other.compared[0].differences
    np.testing.assert_allclose(widget.pairs[0].rule.ravel(), [d.got for d in entries], 1e-6)
    np.testing.assert_allclose(widget.pairs[0].other.ravel(), [d.expected for d in entries], 1e-5)


def test_the_title_is_the_call_as_it_was_written() -> None:
    class Scaled(nn.Cell):
        def construct(self, x, k=1, rows=(), word="a"):
            return x * k

        def bprop(self, x, k, rows, word, out, dout):
            return dout * k, None, None, None

    x = Tensor([1.0])
    assert open_bprop(Scaled(), x).title == "Scaled(x)"
    assert open_bprop(Scaled(), x, 2).title == "Scaled(x, 2)"
    assert open_bprop(Scaled(), x, word="b", k=2).title == "Scaled(x, word='b', k=2)"
    assert open_bprop(Scaled(), x, rows=(x, x)).title == "Scaled(x, rows=rows)"
