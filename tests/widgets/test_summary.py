"""Arrays made small: numbers, tables, thumbnails; big arrays never travel whole."""

from __future__ import annotations

import json

import numpy as np
import pytest

from minigrad_widgets import summary


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.1235"), (-3.0, "-3"), (1e-12, "1e-12"), (np.float32(0.1), "0.1"), (7, "7"),
        (True, "True"), (np.inf, "inf"), (np.nan, "nan"), (-0.0, "0"), (123456789, "1.235e+08"),
    ],
)  # fmt: skip
def test_number(value: float, text: str) -> None:
    """Four significant digits."""
    assert summary.number(value) == text


def test_cells_share_their_decimals() -> None:
    """Columns align: the same decimals for all, a zero is a bare 0, and no other number is."""
    assert summary.cells(np.array([[0.75, -0.3], [3.0, 0.0]])) == [
        ["+0.75", "−0.30"],
        ["+3.00", "0"],
    ]
    assert summary.cells(np.array([[1234.5, 0.001]])) == [["+1234", "+0"]]
    assert summary.cells(np.array([[1e-9, -2e-8]])) == [["+1.0e−09", "−2.0e−08"]]
    assert summary.cells(np.array([[3, -4]])) == [["3", "−4"]]
    assert summary.cells(np.array([[np.nan, -np.inf, 1.0]])) == [["nan", "−inf", "+1.00"]]


def test_levels_carry_sign_and_size() -> None:
    """The deepest colour is the greatest size; a shared scale makes tables comparable."""
    rows = summary.table(np.array([4.0, 1.0, -2.0, 0.0]))["rows"][0]
    assert [level for _, level, _ in rows] == [4, 1, -2, 0]
    rows = summary.table(np.array([4.0, -np.nan]), scale=16.0)["rows"][0]
    assert [level for _, level, _ in rows] == [1, "bad"]


def test_small_arrays_travel_whole_and_exactly() -> None:
    """Up to 6 by 6, each cell has its exact number to point at."""
    table = summary.table(np.arange(36.0).reshape(6, 6) / 3)
    assert not table["more"]
    assert [[cell[2] for cell in row] for row in table["rows"]][5][5] == repr(35 / 3)


@pytest.mark.parametrize("shape", [(7, 2), (2, 7), (1000, 1000), (2, 3, 4), (10**6,)])
def test_big_arrays_travel_as_a_summary(shape: tuple[int, ...]) -> None:
    """Shape, min, max, mean and a corner: about a kilobyte whatever the size."""
    array = np.random.default_rng(1).normal(size=shape)
    table = summary.table(array)
    assert table["more"]
    assert table["shape"] == str(shape)
    assert table["facts"]["min"] == f"{array.min():.3g}"
    assert table["facts"]["mean"] == f"{array.mean():.3g}"
    corner = array[(0,) * (array.ndim - 1)] if array.ndim != 2 else array[0]
    assert [cell[2] for cell in table["rows"][0]] == [repr(float(x)) for x in corner[:4]]
    assert len(json.dumps(table)) < 1500


def test_entries_that_are_not_finite_are_counted() -> None:
    """min, max and mean are those of the finite entries; the others are counted."""
    array = np.ones((10, 10))
    array[0, :3] = np.nan, np.inf, -np.inf
    facts = summary.table(array)["facts"]
    assert facts == {"min": "1", "max": "1", "mean": "1", "not finite": "3"}


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float64(2.5), "2.5"),
        (np.array([[1.5, -0.6], [6, 0.06]]), "[[1.5, -0.6], [6, 0.06]]"),
        (np.ones((2, 5)), "1 in every entry"),
        (np.full((1,), 3.0), "[3]"),
        (np.zeros((0, 3)), "an empty (0, 3) array"),
        (np.arange(12.0).reshape(3, 4), "a (3, 4) array from 0 to 11"),
        (np.array([np.nan, np.nan]), "[nan, nan]"),
        ((np.ones(2), None), "1 in every entry and nothing"),
    ],
)
def test_inline(array: object, text: str) -> None:
    """An array within a sentence."""
    assert summary.inline(array) == text


def test_thumbnail() -> None:
    """At most 4 rows of 6; each cell is the mean of its block."""
    assert summary.thumbnail(np.array([[1.0, -2.0]])) == [[2, -4]]
    big = np.repeat(np.repeat(np.array([[1.0, 0], [0, -1]]), 4, axis=0), 6, axis=1)
    assert summary.thumbnail(big) == [[4] * 3 + [0] * 3] * 2 + [[0] * 3 + [-4] * 3] * 2
