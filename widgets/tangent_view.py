"""`tangent`: the slope of a function at a point, measured with one step after another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

from minigrad import Tensor, grad
from minigrad.tensor import unwrap
from minigrad.watch import name_of

from . import chart, summary
from .base import SavedWidget, expect_call, read
from .chart import Axis

STEPS = [1.0, *(float(f"{m}e-{k}") for k in range(1, 13) for m in (5, 2, 1))]
METHODS = {"central": "(f(x + h) − f(x − h)) / 2h", "forward": "(f(x + h) − f(x)) / h"}
_WIDE = 1.25  # how far the picture goes on both sides of x
_WIDTH, _HEIGHT = 460, 336
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 438, 58, 292
_LEGEND = 22  # where the label of the side begins too


class _Slopes:
    """The function around x, its gradient there, and the slopes that each step measures."""

    def __init__(self, fn: Any, x0: Any, kwargs: dict[str, Any]):
        self.fn = lambda x: fn(x, **kwargs)
        self.name = name_of(fn).replace("function", "f")
        start = x0 if isinstance(x0, Tensor) else Tensor(x0)
        self.shape, self.dtype = start.array.shape, start.array.dtype
        if start.array.size != 1 or self.dtype.kind != "f":
            raise TypeError(
                f"tangent(fn, x0) expects one number with a point for x0, such as 2.0; got "
                f"{'a whole number' if start.array.size == 1 else f'shape {start.shape}'}"
            )
        self.x = start.array.reshape(())[()]
        with np.errstate(all="ignore"):
            self.y = self.value(self.x)
            if not np.isfinite(self.y):
                raise ValueError(f"tangent: {self.name}({self.x}) is {self.y}, so it has no slope")
            self.gradient = float(unwrap(grad(self.fn)(start)).reshape(()))
            self.epsilon = max(float(np.finfo(t).eps) for t in (self.dtype, self.y.dtype))
            self.points = {h: self._around(h) for h in STEPS}
            self.slopes = {method: self._measure(method) for method in METHODS}
        self.errors = {m: np.abs(s - self.gradient) for m, s in self.slopes.items()}
        self.kink = self._kink()
        # Each value of f, and x itself, is rounded: about half of the last digit.
        self.rounding = self.epsilon / 2 * (abs(float(self.y)) + abs(self.x * self._steep()))
        self.bending = {m: self._bending(m) for m in METHODS}

    def value(self, x: Any) -> Any:
        """fn of one number, as numpy has it."""
        out = self.fn(Tensor(np.full(self.shape, x, self.dtype)))
        array = np.asarray(unwrap(out) if isinstance(out, Tensor) else out)
        if array.size != 1 or array.dtype.kind not in "fiu":
            numbers = array.dtype.kind in "fiu"
            what = f"numbers of shape {array.shape}" if numbers else type(out).__name__
            raise TypeError(
                f"tangent(fn, x0) expects fn to return one number; {self.name} returned {what}"
            )
        return array.reshape(())[()]

    def _around(self, h: float) -> tuple[Any, Any, Any, Any]:
        step = self.dtype.type(h)
        left, right = self.x - step, self.x + step
        return left, right, self.value(left), self.value(right)

    def _measure(self, method: str) -> np.ndarray:
        slopes = []
        for h, (_, _, below, above) in self.points.items():
            central = method == "central"
            rise = above - (below if central else self.y)
            slopes.append(float(rise / self.dtype.type(2 * h if central else h)))
        return np.array(slopes)

    def _steep(self) -> float:
        return self.gradient if math.isfinite(self.gradient) else 0.0

    def _kink(self) -> tuple[float, float] | None:
        """The slopes on the two sides, if they do not come together as the step gets shorter."""
        sides = {}
        for h in (1e-2, 1e-4):
            _, _, below, above = self.points[h]
            sides[h] = float((self.y - below) / h), float((above - self.y) / h)
        wide, narrow = (abs(right - left) for left, right in sides.values())
        noise = 20 * self.epsilon * (abs(float(self.y)) + abs(self.x)) / 1e-4 + 1e-3
        return sides[1e-4] if narrow > wide / 2 and narrow > noise else None

    def _bending(self, method: str) -> float:
        """c of the error c·h² (central) or c·h (forward), where it is not drowned; or 0."""
        power = 2 if method == "central" else 1
        shares = [
            error / h**power
            for h, error in zip(STEPS, self.errors[method], strict=True)
            if h <= 0.5 and math.isfinite(error) and error > 10 * self.rounding / h
        ]
        return float(np.median(shares[-5:])) if len(shares) > 2 and self.kink is None else 0.0

    # ---- in words
    def reason(self, method: str, i: int) -> str:
        """Why the slope measured with the i-th step is off."""
        h, error = STEPS[i], self.errors[method][i]
        left, right, below, above = self.points[h]
        if not math.isfinite(self.slopes[method][i]):
            side, y = ("x + h", above) if not np.isfinite(above) else ("x − h", below)
            return f"f({side}) is {y}: the step leaves where f is finite."
        if self.kink is not None:
            a, b = (summary.minus(summary.number(s, 2)) for s in self.kink)
            return (
                f"Here is a kink: the slope is about {a} on the left and {b} on the right, so "
                "measuring finds no single one, whatever the step."
            )
        if right == self.x or left == right:
            return (
                f"x + h is x itself in {self.dtype.name}, which has about {self.digits} digits: "
                "the step is lost."
            )
        if error == 0:
            return "Exactly the true slope, this time."
        bent = self.bending[method] * h ** (2 if method == "central" else 1)
        rounded = self.rounding / h
        if max(bent, rounded) < 4 * min(bent, rounded):
            return "About the best step: bending and rounding do equally little harm."
        if bent > rounded:
            law = "h²" if method == "central" else "h"
            return f"Truncation: f bends between the points. This error falls like {law}."
        if bent == 0 and error > 10 * rounded:
            return "The step is so wide that f changes its ways in between."
        return (
            f"Rounding: f is known to about {self.digits} digits, and dividing by h magnifies the "
            "last one. This error grows like 1/h."
        )

    @property
    def digits(self) -> int:
        """How many decimal digits the numbers have."""
        return round(-math.log10(self.epsilon))

    def numbers(self, method: str, i: int) -> dict[str, str]:
        """The step, the slope, the true one and their difference, with the same decimals."""
        size = abs(self._steep()) or 1.0
        places = min(max(0, self.digits - 1 - math.floor(math.log10(size))), 10)
        slope, error = self.slopes[method][i], self.errors[method][i]
        return {
            "h": chart.number(STEPS[i]),
            "measured": _fixed(slope, places),
            "true slope": _fixed(self.gradient, places),
            "off by": summary.minus(f"{error:.1e}" if error else "0") if error < math.inf else "-",
        }


def _fixed(value: float, places: int) -> str:
    if not math.isfinite(value):
        return summary.minus(str(value))
    return summary.minus(f"{value:.{places}f}" if abs(value) < 1e6 else f"{value:.6e}")


class _Pictures:
    """The two charts, and what each step moves in them."""

    def __init__(self, slopes: _Slopes):
        self.slopes, x = slopes, float(slopes.x)
        self.xs = np.linspace(x - _WIDE, x + _WIDE, 161)
        with np.errstate(all="ignore"):
            self.ys = np.array([float(slopes.value(v)) for v in self.xs])
        self.x = Axis(float(self.xs[0]), float(self.xs[-1]), _LEFT, _RIGHT)
        self.y = Axis(*_usual(self.ys), _BOTTOM, _TOP)
        self.h = Axis(1.0, 1e-12, _LEFT, _RIGHT, log=True)
        errors = np.concatenate(list(slopes.errors.values()))
        self.e = Axis(*chart.decades(errors), _BOTTOM, _TOP, log=True)

    def _straight(self, slope: float, x: float, y: float, kind: str) -> str:
        ends = np.array([self.x.low, self.x.high])
        return chart.curve(self.x, self.y, ends, y + slope * (ends - x), kind)

    def curve(self, secant: str) -> str:
        """The function, a secant, on that the tangent, which it would hide, and the point."""
        slopes = self.slopes
        x, y = float(slopes.x), float(slopes.y)
        tangent = ""
        entries = [("", slopes.name), ("mgw-secant", "secant")]
        if math.isfinite(slopes.gradient):
            tangent = self._straight(slopes.gradient, x, y, "mgw-truth")
            entries.append(("mgw-truth", "tangent: the true slope"))
        point = (
            f'<circle class="mgw-here" cx="{self.x.at(x):.1f}" cy="{self.y.at(y):.1f}" r="4.5"/>'
        )
        return (
            chart.axes(self.x, self.y, "x", "f(x)")
            + chart.inside(self.x, self.y, chart.curve(self.x, self.y, self.xs, self.ys, ""))
            + secant
            + chart.inside(self.x, self.y, tangent)
            + chart.legend(_LEGEND, 18, *entries)
            + point
        )

    def errors(self, method: str) -> str:
        """The error of each step of a method, and the two laws that it follows."""
        slopes, hs = self.slopes, np.array(STEPS)
        errors = np.maximum(slopes.errors[method], self.e.low)  # an error of 0 lies on the floor
        power, law = (2, "h²") if method == "central" else (1, "h")
        parts, entries = [], [("", "error")]
        if slopes.bending[method]:
            bent = slopes.bending[method] * hs**power
            parts.append(chart.curve(self.h, self.e, hs, bent, "mgw-bends"))
            entries.append(("mgw-bends", f"truncation, like {law}"))
        if slopes.rounding:
            parts.append(chart.curve(self.h, self.e, hs, slopes.rounding / hs, "mgw-rounds"))
            entries.append(("mgw-rounds", "rounding, like 1/h"))
        parts.append(chart.curve(self.h, self.e, hs, errors, ""))
        return (
            chart.axes(self.h, self.e, "step h", "error of the slope")
            + chart.inside(self.h, self.e, *parts)
            + chart.legend(_LEGEND, 18, *entries)
        )

    def secant(self, method: str, i: int) -> str:
        """The line that a step measures along, and its two points."""
        slopes = self.slopes
        left, right, below, above = map(float, slopes.points[STEPS[i]])
        if method == "forward":
            left, below = float(slopes.x), float(slopes.y)
        slope = slopes.slopes[method][i]
        if not math.isfinite(slope):
            return ""
        dots = (
            f'<circle class="mgw-dot" cx="{self.x.at(x):.1f}" cy="{self.y.at(y):.1f}" r="4"/>'
            for x, y in ((left, below), (right, above))
        )
        return chart.inside(
            self.x, self.y, self._straight(slope, right, above, "mgw-secant"), *dots
        )

    def mark(self, method: str, i: int) -> str:
        """Where a step stands on the curve of errors."""
        error, across = self.slopes.errors[method][i], self.h.at(STEPS[i])
        rule = f'<path class="mgw-rule" d="M{across:.1f} {_TOP}V{_BOTTOM}"/>'
        if not math.isfinite(error):
            return rule
        down = self.e.at(max(error, self.e.low))
        return f'{rule}<circle class="mgw-dot" cx="{across:.1f}" cy="{down:.1f}" r="5"/>'


def _moving(part: str) -> str:
    """Where the page draws what a step moves."""
    return f'<g data-part="{part}"></g>'


def _usual(ys: np.ndarray) -> tuple[float, float]:
    """The range of a curve; one that shoots off somewhere is cut there."""
    finite = ys[np.isfinite(ys)]
    low, high = np.quantile(finite, [0.08, 0.92])
    if np.ptp(finite) > 12 * (high - low) > 0:
        finite = finite[(finite > low - (high - low)) & (finite < high + (high - low))]
    return chart.span(finite)


class Tangent(SavedWidget):
    """The slope at a point, measured and true. Made by `tangent`.

    `h` is the step and `method` "central" or "forward"; set them, or observe them. A step is one
    of `STEPS`: the nearest is taken.
    """

    _esm = read("common.js", "tangent_view.js")
    _css = read("colours.css", "widgets.css", "chart.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    curve = traitlets.Unicode().tag(sync=True)
    errors: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)
    steps: traitlets.List[float] = traitlets.List().tag(sync=True)
    frames: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    h = traitlets.Float(0.5).tag(sync=True)
    method = traitlets.Enum(list(METHODS), "central").tag(sync=True)

    def __init__(self, fn: Any, x0: Any, kwargs: dict[str, Any]) -> None:
        slopes = _Slopes(fn, x0, kwargs)
        self._slopes, self._pictures = slopes, _Pictures(slopes)
        super().__init__(
            title=f"{slopes.name} at x = {summary.minus(summary.number(slopes.x))}, "
            f"{slopes.dtype.name}",
            curve=chart.drawing(
                _WIDTH,
                _HEIGHT,
                "The curve, its tangent and the secant",
                [self._pictures.curve(_moving("secant"))],
            ),
            errors={
                m: chart.drawing(
                    _WIDTH,
                    _HEIGHT,
                    "The error by step",
                    [self._pictures.errors(m), _moving("mark")],
                )
                for m in METHODS
            },
            steps=STEPS,
            frames={m: [self._frame(m, i) for i in range(len(STEPS))] for m in METHODS},
        )

    def _frame(self, method: str, i: int) -> dict[str, Any]:
        numbers = self._slopes.numbers(method, i)
        return {
            "secant": self._pictures.secant(method, i),
            "mark": self._pictures.mark(method, i),
            "numbers": numbers,
            "sentence": f"h = {numbers['h']}: the slope is {numbers['measured']}, off by "
            f"{numbers['off by']}. {self._slopes.reason(method, i)}",
        }

    @property
    def gradient(self) -> float:
        """The slope as `minigrad.grad` gives it."""
        return self._slopes.gradient

    @property
    def slope(self) -> float:
        """The slope as the step `h` measures it."""
        return float(self._slopes.slopes[self.method][STEPS.index(self.h)])

    @traitlets.validate("h")
    def _nearest_step(self, proposal: dict[str, Any]) -> float:
        h = proposal["value"]
        if not h > 0:
            raise traitlets.TraitError(f"h is a step from 1 down to 1e-12; got {h}")
        return min(STEPS, key=lambda step: abs(math.log(step / h)))

    def to_svg(self) -> str:
        """Both charts with the step as it is, the numbers, and what they say."""
        pictures, i = self._pictures, STEPS.index(self.h)
        frame = self.frames[self.method][i]
        numbers = enumerate(frame["numbers"].items())
        row = [chart.text(20 + 215 * k, 390, f"{n} {x}", "mgw-name") for k, (n, x) in numbers]
        reason, end = chart.paragraph(20, 412, frame["sentence"].split(". ", 1)[1], 2 * _WIDTH - 40)
        parts = [
            chart.text(20, 26, f"Slope of {self.title}, {self.method} differences", "mgw-heading"),
            chart.placed(0, 32, pictures.curve(frame["secant"])),
            chart.placed(_WIDTH, 32, pictures.errors(self.method) + frame["mark"]),
            *row,
            reason,
        ]
        return chart.still(2 * _WIDTH, end, f"Slope of {self.title}", parts)

    def to_text(self) -> str:
        """The error where bending decides it, and how rounding grows; the same everywhere."""
        slopes = self._slopes
        lines = [f"Slope of {self.title}: {summary.number(slopes.gradient)}"]
        if slopes.kink is not None:
            a, b = (summary.number(s, 2) for s in slopes.kink)
            lines.append(f"a kink: {a} on the left, {b} on the right")
        for method, formula in METHODS.items():
            pairs = zip(STEPS, slopes.errors[method], strict=True)
            clear = [(h, e) for h, e in pairs if e > 100 * slopes.rounding / h and h in _DECADES]
            found = ", ".join(f"{e:.0e} at h = {chart.number(h)}" for h, e in clear[:4])
            lines.append(f"{method}, {formula}: off by {found or 'rounding alone'}")
        lines.append(f"rounding: about {slopes.rounding:.0e} / h")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"tangent({self._slopes.name}): slope {summary.number(self.gradient)}"


_DECADES = STEPS[::3]


def tangent(fn: Any, x0: Any, **kwargs: Any) -> Tangent:
    r"""Measure the slope of fn at x0 with one step h after another, and compare with its gradient.

    On the left the curve around x0, the secant through two of its points, and the tangent, whose
    slope is `minigrad.grad`'s. On the right the error of the measured slope by step: with a long
    step the curve bends between the points (truncation), with a short one the difference of two
    nearly equal numbers has few digits left (rounding),

    .. math::

        \left|\frac{f(x+h) - f(x-h)}{2h} - f'(x)\right|
        \approx \frac{|f'''|}{6} h^2 + \frac{\varepsilon |f|}{h},

    so the best step is neither. All steps from 1 down to 1e-12 are measured here, in the dtype of
    x0, so the slider needs no kernel. `widget.h` and `widget.method` move with it;
    `widget.slope` and `widget.gradient` are the numbers.

    Parameters
    ----------
    fn
        A function of one number, or an nn.Cell.
    x0
        Where: a float (float32, as in `Tensor(2.0)`), or a Tensor or numpy number, whose dtype
        decides.
    **kwargs
        More arguments of fn, by name, which are held fixed.

    Raises
    ------
    TypeError
        If x0 is no single float, or fn does not return one number.
    ValueError
        If fn(x0) is NaN or infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from minigrad import ops
    >>> widget = tangent(ops.exp, np.float64(0.0))
    >>> widget
    tangent(exp): slope 1
    >>> widget.h = 0.1
    >>> round(widget.slope, 6)   # sinh(0.1) / 0.1
    1.001668

    Notes
    -----
    J. Nocedal and S. Wright, *Numerical Optimization* (2006), section 8.1.
    """
    if not callable(fn):
        raise TypeError(
            "tangent(fn, x0) expects a function and a number, such as tangent(ops.sin, 1.0); got "
            f"{type(fn).__name__} for fn"
        )
    hold = "Hold the others fixed, by name or as in tangent(lambda x: loss(x, w), 1.0)"
    expect_call("tangent", fn, [x0], kwargs, hint=hold)
    return Tangent(fn, x0, kwargs)
