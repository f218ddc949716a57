"""The rule of an elementwise bprop as a curve: over the input's range, beside the true one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad import Tensor, vjp
from minigrad.tensor import unwrap

from . import chart
from .bprop_call import BpropCall
from .chart import Axis

POINTS = 481
_WIDTH, _HEIGHT = 440, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 424, 58, 252


class Curve:
    """construct, its gradient, and the rule's, where `xs` are; `at` are the inputs of the call."""

    def __init__(self, call: BpropCall):
        (x,) = call.closed.tensors
        self.call, self.name, self.automatic = call, call.closed.names[0], call.automatic
        self.shape, self.dtype, self.size = x.array.shape, x.array.dtype, x.array.size
        self.at = np.unique(x.array.ravel()[:200].astype(np.float64))
        self.corners = np.array([])
        self.xs = self._range()
        self.ys, self.rule = self._over(self.xs, self._values), self._over(self.xs, self._rule)
        self.true = self._over(self.xs, self._true)
        if not self.automatic:  # where construct jumps, differences measure the jump
            jumps = _jumps(self.ys)
            self.true[jumps] = self.true[jumps + 1] = np.nan

    def _over(self, xs: np.ndarray, fn: Any) -> np.ndarray:
        """fn of many numbers, as many at once as the input has entries."""
        rounds = -(-len(xs) // self.size)
        blocks = np.resize(xs.astype(self.dtype), rounds * self.size).reshape(rounds, *self.shape)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = [np.asarray(fn(Tensor(block)), np.float64).ravel() for block in blocks]
        return np.concatenate(parts)[: len(xs)]

    def _values(self, x: Tensor) -> Any:
        return unwrap(self.call.closed.construct(x))

    def _rule(self, x: Tensor) -> Any:
        return _pulled(self.call.closed, x)

    def _true(self, x: Tensor) -> Any:
        if self.automatic:
            return _pulled(self.call.closed.construct, x)
        wide = x.array.astype(np.float64)
        h = 6e-6 * np.maximum(1.0, np.abs(wide))
        above, below = (self._values(Tensor(wide + step)) for step in (h, -h))
        return (np.asarray(above, np.float64) - below) / (2 * h)

    def elementwise(self) -> bool:
        """Whether each entry of the output comes from that of the input alone."""
        few = self.xs[:: POINTS // 6]
        for x, y in zip(few, self.ys[:: POINTS // 6], strict=True):
            whole = self._values(Tensor(np.full(self.shape, x, self.dtype)))
            if not np.allclose(whole, y, rtol=1e-4, atol=1e-6, equal_nan=True):
                return False
        return True

    def _range(self) -> np.ndarray:
        """The inputs with room on both sides, and the corners and jumps that are near."""
        low, high = float(self.at.min()), float(self.at.max())
        room = max(1.0, (high - low) / 3)
        wide = np.linspace(low - 3 * room, high + 3 * room, 2 * POINTS + 1)
        found = np.concatenate(
            [_corners(wide, self._over(wide, f)) for f in (self._values, self._rule)]
        )
        self.corners = np.unique(found)
        near = self.corners[(self.corners > low - 2.5 * room) & (self.corners < high + 2.5 * room)]
        if near.size:
            low, high = min(low, float(near.min())), max(high, float(near.max()))
        return np.linspace(low - room, high + room, POINTS)

    # ---- drawn
    def charts(self) -> list[str]:
        """construct, and the two gradients with what lies between them."""
        x = Axis(float(self.xs[0]), float(self.xs[-1]), _LEFT, _RIGHT)
        return [self._function(x), self._gradients(x)]

    def _function(self, x: Axis) -> str:
        y = Axis(*chart.span(self.ys), _BOTTOM, _TOP)
        ys = np.interp(self.at, self.xs, self.ys)
        exact = self._over(self.at, self._values)
        ys = np.where(np.isfinite(exact), exact, ys)
        return (
            chart.axes(x, y, self.name, "")
            + chart.inside(x, y, self._line(x, y, self.ys, ""))
            + _dots(x, y, self.at, ys, "mgw-dot")
            + chart.legend(_LEFT, 24, ("", f"{self.call.name}({self.name}), by construct"))
        )

    def _gradients(self, x: Axis) -> str:
        low, high = chart.span(np.concatenate([_usual(self.rule), _usual(self.true), [0.0]]))
        y = Axis(low, high, _BOTTOM, _TOP)
        at = self._over(self.at, self._rule)
        parts = [
            *(self._band(x, y, piece) for piece in self._pieces()),
            self._line(x, y, self.true, "mgw-automatic"),
            chart.curve(x, y, self.xs, self.rule, "mgw-own-rule"),
        ]
        words = "automatic, bprop ignored" if self.automatic else "differences of construct"
        swatch = (
            f'<rect class="mgw-between" x="{_LEFT + 262}" y="32" width="20" height="12" rx="2"/>'
        )
        return (
            chart.axes(x, y, self.name, "")
            + chart.inside(x, y, *parts)
            + _dots(x, y, self.at, at, "mgw-here")
            + chart.legend(_LEFT, 24, ("mgw-own-rule", "gradient by the rule"))
            + chart.legend(_LEFT, 42, ("mgw-automatic", words))
            + swatch
            + chart.text(_LEFT + 288, 42, "between")
        )

    def _pieces(self) -> list[slice]:
        """Where both gradients are finite, without a break."""
        fine = np.isfinite(self.rule) & np.isfinite(self.true)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], fine.astype(int), [0]])))
        return [slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def _band(self, x: Axis, y: Axis, piece: slice) -> str:
        xs, rule, true = self.xs[piece], self.rule[piece], self.true[piece]
        return chart.band(x, y, xs, rule, true, "mgw-between")

    def _line(self, x: Axis, y: Axis, ys: np.ndarray, kind: str) -> str:
        """A curve, with a gap where it jumps."""
        gaps = _jumps(ys)
        xs, ys = np.insert(self.xs, gaps + 1, np.nan), np.insert(ys, gaps + 1, np.nan)
        return chart.curve(x, y, xs, ys, kind)


def curve_of(call: BpropCall) -> Curve | None:
    """The curve of a call with one floating input, if it works entry by entry; else None."""
    if call.error or len(call.closed.tensors) != 1 or len(call.outputs) != 1:
        return None
    (x,), (out,) = call.closed.tensors, call.outputs
    finite = np.isfinite(x.array).all() and x.array.size
    if not finite or out.array.shape != x.array.shape or out.array.dtype.kind != "f":
        return None
    try:
        found = Curve(call)
        return found if found.elementwise() else None
    except Exception:  # outside of the given values the function may refuse
        return None


def drawing(label: str, part: str) -> str:
    """One of the charts for the page."""
    return chart.drawing(_WIDTH, _HEIGHT, label, [part])


def _pulled(fn: Any, x: Tensor) -> Any:
    out, pull = vjp(fn, x)
    (dx,) = pull(Tensor(np.ones(out.shape, out.array.dtype)))
    return unwrap(dx)


def _dots(x: Axis, y: Axis, xs: np.ndarray, ys: np.ndarray, kind: str) -> str:
    fine = np.isfinite(ys)
    return "".join(
        f'<circle class="{kind}" cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="4"/>'
        for a, b in zip(xs[fine], ys[fine], strict=True)
        if y.low <= b <= y.high
    )


def _usual(ys: np.ndarray) -> np.ndarray:
    """The values without those that shoot off."""
    fine = ys[np.isfinite(ys)]
    if not fine.size:
        return fine
    reach = 20 * max(float(np.quantile(np.abs(fine), 0.9)), 1e-12)
    return fine[np.abs(fine) <= reach] if reach > 1e-11 else fine


def _jumps(ys: np.ndarray) -> np.ndarray:
    """The places after which a curve jumps: far, and much further than beside."""
    rise = np.abs(np.diff(ys))
    fine = ys[np.isfinite(ys)]
    if not fine.size or not np.ptp(fine):
        return np.array([], int)
    beside = np.maximum(np.append(rise[1:], 0), np.insert(rise[:-1], 0, 0))
    return np.flatnonzero((rise > 0.02 * np.ptp(fine)) & (rise > 5 * beside))


def _corners(xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """Where a curve bends or jumps within one step: a half step does not make it a quarter."""
    wide = np.abs(ys[4::2] - 2 * ys[2:-2:2] + ys[:-4:2])
    narrow = np.abs(ys[2:] - 2 * ys[1:-1] + ys[:-2])
    around = np.max([narrow[1 + k : len(narrow) - 1 + k : 2][: len(wide)] for k in (-1, 0, 1)], 0)
    fine = ys[np.isfinite(ys)]
    size = float(np.ptp(fine)) if fine.size else 0.0
    with np.errstate(invalid="ignore"):
        sharp = (wide > 0.004 * size) & (around > 0.4 * wide) & (size > 0)
    return xs[2:-2:2][sharp]
