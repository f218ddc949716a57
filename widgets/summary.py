"""Arrays made small: numbers of few digits, tables with colours, thumbnails.

A picture of a network must not send its weights to the page. Whatever travels goes through here,
and an array of more than `LIMIT` rows or columns travels as shape, least, greatest, mean and a
corner.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

LIMIT = 6
CORNER_ROWS, CORNER_COLUMNS = 3, 4
THUMB_ROWS, THUMB_COLUMNS = 4, 6
_WIDEST = 6  # digits of a cell
_AS_GIVEN = 1e-6  # of a number: what float32 rounds off and nobody wrote


def number(value: Any, digits: int = 4) -> str:
    """Write a number with 4 significant digits.

    >>> number(0.123456), number(-3.0), number(1e-12), number(True), number(7)
    ('0.1235', '-3', '1e-12', 'True', '7')
    """
    value = np.asarray(value).item()
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**6 else f"{value:.{digits}g}"
    if isinstance(value, complex):
        return f"{value:.{digits}g}"
    return f"{value + 0.0:.{digits}g}"


def minus(text: str) -> str:
    """The same number with a true minus sign, as wide as a digit."""
    return text.replace("-", "−")


def shape_text(shape: tuple[Any, ...]) -> str:
    """A shape as Python writes it; a number has none to write. Of several outputs, each."""
    if shape and isinstance(shape[0], tuple):
        return ", ".join(map(shape_text, shape))
    return str(tuple(shape)) if shape else "scalar"


def uniform(array: np.ndarray) -> bool:
    """Whether all entries are the same finite number (and there is one)."""
    array = np.asarray(array)
    if array.size == 0 or array.dtype.kind not in "fiub":
        return False
    return bool(np.isfinite(array.flat[0]) and np.all(array == array.flat[0]))


def inline(array: Any) -> str:
    """An array within a sentence: its entries if they are few, else what it is like.

    >>> inline(np.array([[1.5, -0.6], [6, 0.06]])), inline(np.ones((2, 5)))
    ('[[1.5, -0.6], [6, 0.06]]', '1 in every entry')
    >>> inline(np.arange(12.0).reshape(3, 4))
    'a (3, 4) array from 0 to 11'
    """
    if isinstance(array, tuple):
        return " and ".join("nothing" if entry is None else inline(entry) for entry in array)
    array = np.asarray(array)
    if array.ndim == 0:
        return number(array)
    if array.size == 0:
        return f"an empty {shape_text(array.shape)} array"
    if uniform(array) and array.size > 1:
        return f"{number(array.flat[0])} in every entry"
    if array.size <= LIMIT:
        return _nested(array)
    facts = _facts(array)
    return f"a {shape_text(array.shape)} array from {facts['min']} to {facts['max']}"


def _nested(array: np.ndarray) -> str:
    if array.ndim == 0:
        return number(array)
    return "[" + ", ".join(_nested(row) for row in array) + "]"


def scale_of(*arrays: np.ndarray) -> float:
    """The greatest finite size among the entries: what the deepest colour stands for."""
    sizes = [np.abs(a[np.isfinite(a)]) for a in map(_as_floats, arrays)]
    return max((float(s.max()) for s in sizes if s.size), default=0.0)


def table(array: np.ndarray, scale: float | None = None) -> dict[str, Any]:
    """An array as cells for the page: `{"shape", "rows": [[text, level, exact], ...]}`.

    A level is a colour from -4 to 4. A bigger array gives its corner; in `"more"`, whether there
    are more `"rows"` or `"columns"`; and `"facts"`: min, max and mean, over the entries that are
    finite, and how many are not. A bigger array of one number gives `"same"` instead.
    """
    array = np.asarray(array)
    scale = scale_of(array) if scale is None else scale
    grid = in_rows(array)
    whole = is_whole(array)
    corner = grid if whole else _corner(array)
    if array.ndim == 0:
        scale = 0.0  # a number has nothing to compare with, so no colour
    texts = cells(corner) if array.ndim else [[minus(number(array))]]
    levels = _levels(corner, scale)
    rows = [
        [[texts[i][j], levels[i][j], repr(corner[i, j].item())] for j in range(corner.shape[1])]
        for i in range(corner.shape[0])
    ]
    result: dict[str, Any] = {"shape": shape_text(array.shape), "rows": rows}
    result["more"] = _more(grid, corner, array.ndim)
    if not whole and uniform(array):
        result |= {"rows": [], "more": [], "same": f"{minus(number(array.flat[0]))} in every entry"}
    elif not whole:
        result["facts"] = _facts(array)
    return result


def is_whole(array: np.ndarray) -> bool:
    """Whether a table shows every entry."""
    return np.ndim(array) <= 2 and max(np.shape(array), default=0) <= LIMIT


def _more(grid: np.ndarray, corner: np.ndarray, ndim: int) -> list[str]:
    """Which way an array goes on beyond its corner."""
    rows = ndim > 2 or corner.shape[0] < grid.shape[0]
    ways = (("rows", rows), ("columns", corner.shape[1] < grid.shape[1]))
    return [way for way, goes_on in ways if goes_on]


def in_rows(array: np.ndarray) -> np.ndarray:
    """An array as a table: its rows one below the other, whatever axes they lie along."""
    *above, width = array.shape if array.ndim else (1,)
    return array.reshape(prod(above), width)  # not -1, which an empty array does not allow


def _corner(array: np.ndarray) -> np.ndarray:
    while array.ndim > 2 and array.size:
        array = array[0]
    return in_rows(array)[:CORNER_ROWS, :CORNER_COLUMNS]


def _facts(array: np.ndarray) -> dict[str, str]:
    values = _as_floats(array)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return {"min": "-", "max": "-", "mean": "-", "not finite": str(values.size)}
    facts = {"min": finite.min(), "max": finite.max(), "mean": finite.mean()}
    result = {name: number(value, 3) for name, value in facts.items()}
    if finite.size < values.size:
        result["not finite"] = str(values.size - finite.size)
    return result


def _as_floats(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array)
    return array.real.astype(np.float64) if array.dtype.kind in "fiubc" else np.zeros(array.shape)


def cells(grid: np.ndarray) -> list[list[str]]:
    """The entries of a grid as short texts, all with the same decimals, so that columns align.

    Of the largest entry 3 or 4 digits show, and more decimals where a smaller one with up to 4
    digits then shows as it is: what is read adds up to what is worked out by hand. What those
    decimals do not show has a power of ten; only a zero is `0`.

    >>> cells(np.array([[0.75, -0.3], [3.0, 0.0]]))
    [['+0.75', '−0.30'], ['+3.00', '0']]
    >>> cells(np.array([[0.0625, 12.0, 2e-7]]))
    [['+0.0625', '+12.0000', '+2e−7']]
    """
    if grid.dtype.kind != "f":
        return [[minus(number(entry)) for entry in row] for row in grid]
    spec = _shared_spec([float(x) for x in grid.flat if x and np.isfinite(x)])
    return [[_cell(float(entry), spec) for entry in row] for row in grid]


def _shared_spec(entries: list[float]) -> str:
    """The format of all entries: fixed decimals, or powers of ten if the largest needs one."""
    power = int(np.floor(np.log10(max(map(abs, entries), default=1.0))))
    if not -4 <= power <= 5:
        return "+.2e"
    wanted = 2 - power
    for entry in entries:
        short = f"{abs(entry):.3e}"
        exact = abs(float(short) - abs(entry)) <= _AS_GIVEN * abs(entry)
        digits, exponent = short.split("e")
        decimals = len(digits.rstrip("0")) - 2 - int(exponent)
        fits = max(power, 0) + 1 + decimals <= _WIDEST
        if not exact or not fits:
            decimals = 3 - power  # the fourth digit of the largest
        wanted = max(wanted, decimals)
    return f"+.{max(wanted, 0)}f"


def _cell(entry: float, spec: str) -> str:
    if entry == 0:
        return "0"
    if not np.isfinite(entry):
        return minus(str(entry))
    text = f"{entry:{spec}}"
    if "e" in spec:
        return minus(_power_of_ten(text))
    off = abs(float(text) - entry)
    few = abs(entry) < 1 and len(text.lstrip("+-0.")) < 2 and off > _AS_GIVEN * abs(entry)
    return minus(_power_of_ten(f"{entry:+.1e}".replace(".0e", "e")) if few else text)


def _power_of_ten(text: str) -> str:
    """`+1.5e-07` as `+1.5e-7`."""
    return re.sub(r"e([+-])0?", lambda found: "e" + found[1].replace("+", ""), text)


def _levels(grid: np.ndarray, scale: float) -> list[list[int | str]]:
    values = _as_floats(grid)
    share = (
        np.divide(values, scale, out=np.zeros_like(values), where=np.isfinite(values))
        if (scale > 0)
        else np.zeros_like(values)
    )
    share = np.clip(share, -1, 1)
    levels = np.sign(share) * np.ceil(np.abs(share) * 4 - 1e-9)
    return [
        [int(level) if np.isfinite(value) else "bad" for level, value in zip(*pair, strict=True)]
        for pair in zip(levels, values, strict=True)
    ]


def thumbnail(array: np.ndarray) -> list[list[int | str]]:
    """The levels of an array shrunk to at most 4 rows of 6, each cell the mean of its block."""
    values = _as_floats(array)
    grid = in_rows(values)
    if not grid.size:
        return []
    rows = np.array_split(grid, min(THUMB_ROWS, grid.shape[0]), axis=0)
    blocks = [np.array_split(row, min(THUMB_COLUMNS, grid.shape[1]), axis=1) for row in rows]
    small = np.array([[block.mean() for block in row] for row in blocks])
    return _levels(small, scale_of(small))
