"""Charts: where numbers go, round ticks, gaps, nothing unescaped."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from minigrad_widgets import chart
from minigrad_widgets.chart import Axis


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis(0, 200, 0, 1), [0, 50, 100, 150, 200]),
        (Axis(-0.3, 1.3, 0, 1), [0, 0.5, 1]),
        (Axis(1000, 1001, 0, 1), [1000, 1000.2, 1000.4, 1000.6, 1000.8, 1001]),
        (Axis(1e-3, 1e2, 0, 1, log=True), [1e-3, 1e-2, 1e-1, 1, 10, 100]),
        (Axis(1, 1e-12, 0, 1, log=True), [1e-12, 1e-9, 1e-6, 1e-3, 1]),
    ],
)
def test_ticks_are_round(axis: Axis, ticks: list[float]) -> None:
    """1, 2 or 5 times a power of ten, few of them, from any end."""
    assert axis.ticks() == ticks


def test_an_axis_places_values_in_proportion() -> None:
    """Linear and logarithmic, in both directions; what has no place is NaN."""
    assert Axis(2, 4, 100, 0).at(2.5) == 75
    np.testing.assert_allclose(Axis(1, 1e-4, 0, 400, log=True).at([1, 0.1, 1e-4]), [0, 100, 400])
    assert np.isnan(Axis(0.1, 1, 0, 1, log=True).at(-1.0))


def test_ranges_are_never_empty() -> None:
    """Of equal numbers, of none, of numbers that are not finite."""
    for values in ([3.0, 3.0], [], [np.nan], [0.0], [1e-300, 1e-300]):
        low, high = chart.span(values)
        assert low < high
        low, high = chart.decades(values)
        assert 0 < low < high
    assert chart.decades([0.02, 3.0]) == (0.01, 10)


def test_a_curve_has_a_gap_where_it_is_not_finite() -> None:
    """Two pieces around a NaN; nothing at all of nothing."""
    x = y = Axis(0, 4, 0, 400)
    drawn = chart.curve(x, y, [0, 1, 2, 3, 4], [0, 1, np.nan, 3, np.inf], "kind")
    assert re.search('d="([^"]*)"', drawn)[1] == "M0.0 0.0L100.0 100.0M300.0 300.0"
    assert chart.curve(x, y, [0.0], [np.nan], "kind") == ""


def test_a_drawing_is_xml_with_its_colours() -> None:
    """Both forms; words are escaped; the still one has no variable left, and is light and dark."""
    parts = [chart.text(1, 2, "<b>&", "mgw-side"), chart.axes(*[Axis(0, 1, 0, 9)] * 2, "<", "&")]
    for drawn in (chart.drawing(9, 9, '"<&>', parts), chart.still(9, 9, '"<&>', parts)):
        root = ElementTree.fromstring(drawn)
        assert root.get("aria-label") == '"<&>'
        assert "<b>&" in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "var(" not in drawn
    assert "prefers-color-scheme:dark" in drawn


def test_a_legend_wraps() -> None:
    """In a narrow room each entry has a row of its own."""
    entries = [("a", "first layer"), ("b", "second layer"), ("c", "third layer")]
    assert chart.legend_rows(0, 10, 150, *entries)[1] == 44
    assert chart.legend_rows(0, 10, 900, *entries)[1] == 10
