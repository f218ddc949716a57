"""How tensors and parameters look when they are printed.

Learners compare what they see with MindSpore's documentation, so every character here is the one
MindSpore 2.10 prints. It prints a tensor in two ways. `str(tensor)` is what numpy prints for the
same values, and follows `numpy.set_printoptions` as numpy does. `repr(tensor)`, which is also what
a list or a dict of tensors shows, has a layout of MindSpore's own that no numpy option reaches:

- floats in scientific notation with 8 decimals (4 for float16); in 0-d, at most six digits;
- integers padded to the widest one shown, booleans to the width of `False`;
- in two or more dimensions, an axis longer than six shows its first and its last three entries,
  and each row stays on one line;
- in one dimension up to 1000 values are shown, 24 integers or 12 other values to a line; a longer
  tensor shows its first and its last three;
- a tensor without elements shows no brackets at all.

The functions take plain arrays and know nothing of tensors. The rules were found by comparing with
a real MindSpore; `tests/data/printing.json` keeps a few hundred of the comparisons.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import dtype as dtypes

if TYPE_CHECKING:  # numpy does not load it, since that takes time
    from numpy.typing import ArrayLike, DTypeLike

_WHOLE = 1000  # a one-dimensional tensor up to this size is shown whole
_EDGE = 3  # entries kept at either end of an axis that is cut


def text(array: ArrayLike) -> str:
    """Write an array as `print(tensor)` does.

    >>> print(text(np.array([1.0, 2.5], np.float32)))
    [1.  2.5]
    """
    return str(_widened(np.asarray(array)))


def _widened(array: np.ndarray) -> np.ndarray | str:
    """The array, for numpy to print as up to 2.2, the numpy that MindSpore prints with.

    Newer ones turn to 1e+06 for a short float where they write 1000000.0 for a float64 of the same
    digits; so that is what they are given.
    """
    short = array.dtype in (np.float16, np.float32)
    largest = np.abs(array[np.isfinite(array)], dtype=np.float64).max(initial=0) if short else 0
    if array.ndim == 0 and short and 1e-4 <= largest < 1e16:
        return np.format_float_positional(array.dtype.type(array), trim="0")
    if array.ndim and 1e3 <= largest < 1e8:
        wide = array.astype(np.float64)
        edge = np.get_printoptions()["edgeitems"]
        cut = array.size > np.get_printoptions()["threshold"]
        ends = [*range(edge), *range(-edge, 0)]
        shown = np.ix_(*(ends if cut and n > 2 * edge else range(n) for n in array.shape))
        digits = [np.format_float_scientific(x, trim="-") for x in array[shown].ravel()]
        wide[shown] = np.array(digits, np.float64).reshape(array[shown].shape)
        return wide
    return array


def representation(array: ArrayLike) -> str:
    """Write an array of any shape as `repr(tensor)` does: shape, dtype and values.

    Raises TypeError for a dtype that tensors cannot have.

    >>> print(representation(np.array([1.0, 2.5], np.float32)))
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.50000000e+00])
    >>> print(representation(np.array([[1, 20], [-3, 4]])))
    Tensor(shape=[2, 2], dtype=Int64, value=
    [[ 1, 20],
     [-3,  4]])
    """
    array = np.asarray(array)
    lead = "\n" if array.ndim > 1 else " "
    name = dtypes.of(array.dtype)
    return f"Tensor(shape={list(array.shape)}, dtype={name}, value={lead}{_values(array)})"


def parameter_representation(
    name: str, shape: tuple[int, ...], dtype: DTypeLike, requires_grad: bool
) -> str:
    """Write a parameter as both `print(parameter)` and `repr(parameter)` do, without its values.

    Raises TypeError for a dtype that tensors cannot have.

    >>> parameter_representation("weight", (3, 2), np.float32, True)
    'Parameter (name=weight, shape=(3, 2), dtype=Float32, requires_grad=True)'
    """
    return (
        f"Parameter (name={name}, shape={shape}, dtype={dtypes.of(dtype)}, "
        f"requires_grad={requires_grad})"
    )


def _values(array: np.ndarray) -> str:
    if array.size == 0:
        return ""
    if array.ndim == 0:
        value = array.item()
        return _float_word(value, "g") if array.dtype.kind == "f" else str(value)
    if array.ndim == 1 and array.size <= _WHOLE:
        return _lines(_words(array), per_line=24 if array.dtype.kind in "iu" else 12)
    shown = _cut(array)
    words = np.array(_words(shown)).reshape(shown.shape)
    return _block(words, array.shape, indent=1)


def _words(array: np.ndarray) -> list[str]:
    """Spell every value, padded on the left so that columns align."""
    values = array.ravel().tolist()
    if array.dtype.kind == "f":
        decimals, width = (4, 11) if array.dtype == np.float16 else (8, 15)
        words = [_float_word(value, f".{decimals}e") for value in values]
    else:
        words = [str(value) for value in values]
        width = len("False") if array.dtype.kind == "b" else max(map(len, words))
    return [word.rjust(width) for word in words]


def _float_word(value: float, spec: str) -> str:
    # MindSpore shows the sign bit of a nan, as C++ streams do; Python leaves it out.
    return "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else format(value, spec)


def _lines(words: list[str], per_line: int) -> str:
    """Lay out one dimension. A full last line ends in a line break too, as in MindSpore."""
    starts = range(0, len(words), per_line)
    lines = [", ".join(words[start : start + per_line]) for start in starts]
    end = "\n " if len(words) % per_line == 0 else ""
    return "[" + ", \n ".join(lines) + end + "]"


def _cut(array: np.ndarray) -> np.ndarray:
    """Keep only the entries that are shown, at most six along each axis."""
    kept = [*range(_EDGE), *range(-_EDGE, 0)]
    for axis, length in enumerate(array.shape):
        if length > len(kept):
            array = array.take(kept, axis)
    return array


def _block(words: np.ndarray, shape: tuple[int, ...], indent: int) -> str:
    """Nest the shown words in brackets, with dots where `shape` says that entries were cut."""
    if words.ndim == 1:
        parts, comma, dots = words.tolist(), ", ", " ... "
    else:
        parts = [_block(part, shape[1:], indent + 1) for part in words]
        line = "\n" + " " * indent
        comma, dots = f",{line}", f",{line}...{line}"
    if shape[0] > len(parts):
        return f"[{comma.join(parts[:_EDGE])}{dots}{comma.join(parts[_EDGE:])}]"
    return f"[{comma.join(parts)}]"
