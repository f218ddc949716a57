"""Where the name of a group stands: at the top of its frame, where no arrow passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

Point = tuple[float, float]
Curve = list[Point]  # of cubics: a point, then three for each

HEIGHT = 18
_LETTER = 6.7  # of 11 px, semibold
_SIGN = 26  # the room of the sign that says it can be closed, and around the name
_AROUND = 5  # between a name and an arrow that passes, and to the edges of the frame
_PIECES = 12  # into which a cubic is cut to see where it passes


def title_width(name: str, sign: bool = True) -> float:
    """The width of the name of a group in its frame."""
    return len(name) * _LETTER + (_SIGN if sign else 12)


def free_place(
    left: float, right: float, top: float, wide: float, curves: Iterable[Curve]
) -> tuple[float, float]:
    """How far left a name of this width can begin at the top of a frame, where no arrow passes.

    The second number is how much wider, to both sides alike, the frame would have to be; 0 if there
    is a place. Where there is none, the name begins at the left.

    >>> straight = [(60.0, 0.0), (60.0, 20.0), (60.0, 40.0), (60.0, 60.0)]
    >>> free_place(0.0, 200.0, 10.0, 40.0, [straight])
    (5.0, 0.0)
    >>> free_place(0.0, 200.0, 10.0, 80.0, [straight])
    (65.0, 0.0)
    >>> free_place(0.0, 100.0, 10.0, 80.0, [straight])
    (5.0, 60.0)
    """
    band = top, top + HEIGHT + 2 * _AROUND
    found = (each for curve in curves for each in _crossings(curve, *band))
    taken = [(first - _AROUND, last + _AROUND) for first, last in found]
    taken = [each for each in taken if left < each[1] and each[0] < right]
    first, last = left + _AROUND, right - _AROUND
    for begin in sorted([first, *(end for _, end in taken if end > first)]):
        end = begin + wide
        if end <= last and all(b <= begin or a >= end for a, b in taken):
            return round(begin, 1), 0.0
    before = min((a for a, _ in taken), default=last) - first
    after = last - max((b for _, b in taken), default=first)
    return first, round(2 * (wide - max(before, after)), 1)


class Near:
    """Curves, to be found by where they are: a large graph has thousands."""

    def __init__(self, curves: Iterable[Curve]):
        self.curves = list(curves)
        corners = [
            (*map(min, zip(*c, strict=True)), *map(max, zip(*c, strict=True))) for c in self.curves
        ]
        self.corners = np.array(corners).reshape(-1, 4)  # left, top, right, bottom

    def title(self, left: float, right: float, top: float) -> list[Curve]:
        """Those that may pass the top of a frame."""
        first, high, last, low = self.corners.T
        bottom = top + HEIGHT + 2 * _AROUND
        near = (first < right) & (last > left) & (high < bottom) & (low > top)
        return [self.curves[i] for i in np.flatnonzero(near)]


def _crossings(curve: Curve, top: float, bottom: float) -> Iterator[tuple[float, float]]:
    """Where a curve passes between two heights: from which x to which."""
    for i in range(0, len(curve) - 1, 3):
        cubic = curve[i : i + 4]
        heights = [y for _, y in cubic]
        if min(heights) > bottom or max(heights) < top:
            continue
        points = [_at(cubic, k / _PIECES) for k in range(_PIECES + 1)]
        for (x, y), (to_x, to_y) in pairwise(points):
            if min(y, to_y) <= bottom and max(y, to_y) >= top:
                yield min(x, to_x), max(x, to_x)


def _at(cubic: Curve, t: float) -> Point:
    """A point of a cubic, from 0 at its beginning to 1 at its end."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(w * p[k] for w, p in zip(weights, cubic, strict=True)) for k in (0, 1))
    return x, y
