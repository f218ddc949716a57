"""`tangent`: slopes as numpy measures them, the two errors, kinks, edges of the domain."""

from __future__ import annotations

import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets

import minigrad as ms
from minigrad import Tensor, ops
from minigrad_widgets import tangent
from minigrad_widgets.tangent_view import STEPS


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slopes_are_those_of_numpy(dtype: type) -> None:
    """Each step of both methods, bit for bit in the dtype of the input; the gradient is grad's."""
    widget = tangent(lambda x: x * x * x, dtype(1.3))
    x = dtype(1.3)

    def cube(v):
        return v * v * v

    for h in STEPS:
        step = dtype(h)
        widget.h, widget.method = h, "central"
        assert widget.slope == float((cube(x + step) - cube(x - step)) / dtype(2 * h))
        widget.method = "forward"
        assert widget.slope == float((cube(x + step) - cube(x)) / step)
    assert widget.gradient == float(ms.grad(lambda x: x * x * x)(Tensor(x)))
    assert widget.gradient == pytest.approx(3 * 1.3**2, rel=1e-6)
    assert len(STEPS) == 37
    assert (STEPS[0], STEPS[-1]) == (1, 1e-12)


def frame(widget: object, method: str, h: float) -> dict:
    return widget.frames[method][STEPS.index(h)]


def test_the_two_errors_are_named() -> None:
    """Of e^x at 0 in float64: truncation at 0.1, the best near 1e-5, rounding at 1e-9."""
    widget = tangent(ops.exp, np.float64(0.0))
    assert "Truncation" in frame(widget, "central", 0.1)["sentence"]
    assert "like h²" in frame(widget, "central", 0.1)["sentence"]
    assert "like h." in frame(widget, "forward", 1e-4)["sentence"]
    assert "best step" in frame(widget, "central", 1e-5)["sentence"]
    assert "Rounding" in frame(widget, "central", 1e-9)["sentence"]
    # sinh(h)/h - 1 and expm1(h)/h - 1, worked out with more digits than float64 leaves of them
    assert frame(widget, "central", 0.1)["numbers"]["off by"] == "1.7e−03"
    assert frame(widget, "forward", 0.1)["numbers"]["off by"] == "5.2e−02"


def test_the_tangent_lies_on_the_secant() -> None:
    """Where the two are one line, the dashes of the tangent are drawn later, so both are seen."""
    widget = tangent(ops.exp, np.float64(0.0))
    widget.h = 1e-5
    still = widget.to_svg()
    assert still.index('mgw-secant" d=') < still.index('mgw-truth" d=')
    assert widget.curve.index('data-part="secant"') < widget.curve.index('mgw-truth" d=')


def test_each_line_is_in_a_legend() -> None:
    """The lines of a chart, by their classes, and the samples before words: the same ones."""
    widget = tangent(ops.exp, np.float64(1.0))
    for drawn in (widget.curve, *widget.errors.values()):
        lines = re.findall(r'class="(mgw-curve [^"]*)" d="([^"]*)"', drawn)
        samples = {kind for kind, path in lines if re.search(r"h20$", path)}
        moving = {"mgw-curve mgw-secant"} if "secant" in drawn else set()
        assert samples == {kind for kind, path in lines if not path.endswith("h20")} | moving


def test_the_laws_are_fitted_to_the_errors() -> None:
    """c·h² has c = |f'''|/6: of e^x at 1, e/6; forward, |f''|/2. A square has no such error."""
    slopes = tangent(ops.exp, np.float64(1.0))._slopes
    assert slopes.bending["central"] == pytest.approx(math.e / 6, rel=0.01)
    assert slopes.bending["forward"] == pytest.approx(math.e / 2, rel=0.05)
    slopes = tangent(lambda x: x * x, np.float64(1.5))._slopes
    assert slopes.bending["central"] == 0
    assert slopes.bending["forward"] == pytest.approx(1, rel=0.01)


def test_a_step_that_is_lost_is_named() -> None:
    """In float32, 1.5 + 1e-9 is 1.5; in float64 it is not."""
    lost = "the step is lost"
    assert lost in frame(tangent(ops.exp, 1.5), "central", 1e-9)["sentence"]
    assert lost not in frame(tangent(ops.exp, np.float64(1.5)), "central", 1e-9)["sentence"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [0.0, 3.0])
def test_a_kink_is_named(dtype: type, x: float) -> None:
    """|x - x0| at x0: slopes -1 and 1, the gradient 0 as minigrad has it; not beside it."""
    widget = tangent(lambda v: ops.abs(v - x), dtype(x))
    assert widget._slopes.kink == pytest.approx((-1, 1), abs=1e-2)
    assert "a kink: the slope is about −1 on the left" in frame(widget, "central", 0.1)["sentence"]
    assert "a kink: -1 on the left, 1 on the right" in widget.to_text()
    assert tangent(lambda v: ops.abs(v - x), dtype(x + 0.5))._slopes.kink is None


@pytest.mark.parametrize("fn", [ops.exp, ops.sin, lambda x: x * x * x * 50, lambda x: 1e4 + x])
@pytest.mark.parametrize("x", [np.float32(0.7), np.float64(-2.0), np.float64(1e3)])
def test_a_smooth_function_has_no_kink(fn: object, x: object) -> None:
    """Steep, far from 0, or with few digits left: still no kink."""
    if fn is ops.exp and x > 100:
        with pytest.raises(ValueError, match="so it has no slope"):
            tangent(fn, x)
    else:
        assert tangent(fn, x)._slopes.kink is None


def test_a_step_out_of_the_domain_is_named() -> None:
    """sqrt at 0.25: a step of 1 leads below 0; at 0 the slope is infinite, and nothing breaks."""
    widget = tangent(ops.sqrt, np.float64(0.25))
    assert "f(x − h) is nan" in frame(widget, "central", 1.0)["sentence"]
    assert frame(widget, "central", 1.0)["numbers"]["off by"] == "-"
    assert frame(widget, "central", 1.0)["secant"] == ""
    widget = tangent(ops.sqrt, np.float64(0.0))
    assert widget.gradient == math.inf
    ElementTree.fromstring(widget.to_svg())
    json.dumps(widget.get_state()["frames"], allow_nan=False)


def test_all_travels_and_is_small() -> None:
    """What the page needs is there before a key is pressed: no NaN, under 80 kB."""
    state = tangent(lambda x: ops.sin(x) * x, 1.5).get_state()
    own = {k: v for k, v in state.items() if not k.startswith("_")}
    own = {k: own[k] for k in ("title", "curve", "errors", "steps", "frames", "h", "method")}
    assert len(json.dumps(own, allow_nan=False)) < 80_000
    assert [len(own["frames"][m]) for m in ("central", "forward")] == [37, 37]


def test_h_is_the_nearest_step() -> None:
    """On the scale of powers; a step is positive."""
    widget = tangent(ops.sin, 1.0)
    for given, taken in [(0.3, 0.2), (0.4, 0.5), (7.0, 1.0), (1e-20, 1e-12)]:
        widget.h = given
        assert widget.h == taken
    with pytest.raises(traitlets.TraitError, match="from 1 down to 1e-12; got -1"):
        widget.h = -1.0
    with pytest.raises(traitlets.TraitError):
        widget.method = "backward"


def test_the_static_forms_follow_the_step() -> None:
    """The picture marks the step as it is; the text does not depend on it."""
    widget = tangent(ops.exp, np.float64(0.0))
    one, text = widget.to_svg(), widget.to_text()
    widget.h, widget.method = 1e-3, "forward"
    two = widget.to_svg()
    assert one != two
    assert "forward differences" in two
    assert "h 0.001" in two
    assert widget.to_text() == text
    assert "Slope of exp at x = 0, float64: 1" in text
    assert "off by 2e-01 at h = 1, 2e-03 at h = 0.1" in text
    for picture in (one, two, widget.curve, *widget.errors.values()):
        ElementTree.fromstring(picture)


def test_one_number_in_an_array_is_one_number() -> None:
    """Shape (1,) goes in as it is, and the function may ask for its shape."""
    widget = tangent(lambda x: (x * x).reshape((1,)), Tensor([3.0]))
    assert widget.gradient == 6


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tangent(2.0, ops.sin), TypeError, "expects a function and a number"),
        (lambda: tangent(ops.sin, 2), TypeError, "a whole number"),
        (lambda: tangent(ops.sin, Tensor([1.0, 2.0])), TypeError, r"shape \(2,\)"),
        (lambda: tangent(lambda x: (x, x), 1.0), TypeError, "to return one number"),
        (lambda: tangent(lambda x: ops.stack((x, x)), 1.0), TypeError, r"of shape \(2,\)"),
        (lambda: tangent(ops.log, 0.0), ValueError, "is -inf, so it has no slope"),
    ],
)
def test_what_cannot_be_measured_is_said(call: object, error: type, words: str) -> None:
    """Expected and got."""
    with pytest.raises(error, match=words):
        call()
