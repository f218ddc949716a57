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
    assert summary.cells(np.array([[3, -4]])) == [["3", "−4"]]
    assert summary.cells(np.array([[np.nan, -np.inf, 1.0]])) == [["nan", "−inf", "+1.00"]]


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        ([0.25, 30.0], ["+0.25", "+30.00"]),  # 0.5 * 0.5 is not 0.2
        ([1.25, 34.0], ["+1.25", "+34.00"]),
        ([12.5, 0.0625], ["+12.5000", "+0.0625"]),
        ([np.float32(0.1), np.float32(0.7)], ["+0.100", "+0.700"]),  # not 0.10000000149
        ([2 / 3, 34.0], ["+0.67", "+34.00"]),  # 4 digits of the largest, if one does not end
        ([1 / 3, 2.0, 1 / 24], ["+0.333", "+2.000", "+0.042"]),
    ],
)
def test_cells_show_what_adds_up(entries: list[float], texts: list[str]) -> None:
    """An entry that has no more than 4 digits shows all of them beside a larger one."""
    assert summary.cells(np.array([entries])) == [texts]


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        ([0.912, -3e-7], ["+0.9120", "−3e−7"]),
        ([1234.5, 0.001], ["+1234", "+1e−3"]),
        ([1 / 3, 2.0, 1 / 360], ["+0.333", "+2.000", "+2.8e−3"]),  # 0.003 would be one digit
        ([123456.0, 9.4], ["+123456", "+9"]),
        ([1e-9, -2e-8], ["+1.00e−9", "−2.00e−8"]),
        ([1e7, 0.25, 3.0], ["+1.00e7", "+2.50e−1", "+3.00e0"]),
        ([1e-12, -1e-300], ["+1.00e−12", "−1.00e−300"]),
        ([-0.0, 1.0], ["0", "+1.00"]),
    ],
)
def test_only_a_zero_shows_as_zero(entries: list[float], texts: list[str]) -> None:
    """What the decimals of the largest entry do not show has a power of ten."""
    assert summary.cells(np.array([entries])) == [texts]


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


@pytest.mark.parametrize(
    ("shape", "more"),
    [((7, 2), ["rows"]), ((2, 7), ["columns"]), ((7, 7), ["rows", "columns"]), ((3, 6), []),
     ((9,), ["columns"]), ((2, 3, 4), ["rows"])],
)  # fmt: skip
def test_dots_say_which_way_an_array_goes_on(shape: tuple[int, ...], more: list[str]) -> None:
    """Rows and columns each."""
    assert summary.table(np.arange(float(np.prod(shape))).reshape(shape))["more"] == more


def test_a_big_array_of_one_number_is_said_in_words() -> None:
    """No corner: the number, once. A small one is shown."""
    table = summary.table(np.full((10, 1), -0.1))
    assert (table["rows"], table["same"]) == ([], "−0.1 in every entry")
    assert "facts" not in table
    assert "same" not in summary.table(np.ones((2, 2)))


def test_a_single_number_has_no_colour() -> None:
    """It has nothing to be compared with."""
    assert summary.table(np.float64(-3.0))["rows"] == [[["−3", 0, "-3.0"]]]
    assert summary.table(np.float64(-3.0), scale=4.0)["rows"][0][0][1] == 0


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
