"""Lesson 1, "Slopes by measuring": its prediction, its exercises, and the picture at its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import chart
from .chart import Axis
from .lesson import FunctionExercise, Lesson, Note, Prediction, TaskExercise
from .tangent_view import Tangent, tangent

__all__ = ["LESSON", "check", "hint", "picture", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("01_slopes_by_measuring", "Slopes by measuring")


def volume(edge):
    return edge * edge * edge


# ---------------------------------------------------------------------------- the prediction
def _show(f: Callable) -> tuple[Tangent, dict[str, float]]:
    """The slope of f at 2, and what its errors say: how fast they fall, and where they turn."""
    widget = tangent(f, np.float64(2.0))
    error = {}
    for k in range(1, 13):
        widget.h = 10.0**-k
        error[k] = abs(widget.slope - widget.gradient)
    widget.h = 1.0
    return widget, {"factor": round(error[1] / error[2]), "k": min(error, key=error.__getitem__)}


LESSON.add(
    Prediction(
        "step",
        show=_show,
        one_of={"k": (2, 5, 8, 12)},
        factor={
            100.0: "This error falls like `h * h`.",
            10.0: "is what a step to one side would give; here the errors of both sides cancel, "
            "and what is left falls like `h * h`: {right}.",
            1000.0: "would be `h * h * h`; it is `h * h`: {right}.",
            1.0: "would be an error that stays; it falls like `h * h`: {right}.",
            0.1: "would be an error that grows. It does so later on, but here it falls: {right}.",
            4.0: "is what half the step would give, by `h * h`; this step is a tenth: {right}.",
            20.0: "doubles the ten; but it counts twice as a factor, as in `h * h`: {right}.",
        },
        k={
            5.0: "Shorter steps are worse again.",
            2.0: "is still too long: from there on the error falls a great deal, down to {right}.",
            8.0: "is too short already. The error turned and grew; the best of them is {right}.",
            12.0: "is the shortest, and the worst of the four. The error turned long before: the "
            "best of them is {right}.",
        },
    )
)

# ---------------------------------------------------------------------------- exercises
_OWN_STEP = (
    "That takes a step of its own, whatever `h` is. It may come closer here, but Exercise 2 tries "
    "out many steps: use the `h` that is handed over."
)
_OWN_STEPS = 10.0 ** -np.arange(1, 14)


def _sides(f, x, h):
    return (f(x) - f(x - h)) / h, (f(x + h) - f(x)) / h


def _with(h: float, fn: Callable) -> Callable:
    """The function with its own step, in place of the one that is handed over."""
    return lambda f, x, _: fn(f, x, h)


def _central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


LESSON.add(
    FunctionExercise(
        "central_difference",
        answer=_central,
        friendly={"f": volume, "x": 2.0, "h": 0.1},
        random=lambda rng: {"f": np.sin, "x": rng.uniform(-2, 2), "h": rng.uniform(0.1, 0.5)},
        edge=[
            {"f": np.exp, "x": 0.0, "h": 0.25},
            {"f": np.cos, "x": np.array([-1.0, 0.0, 2.0]), "h": 0.5},
        ],
        mistakes={
            _OWN_STEP: [_with(h, _central) for h in _OWN_STEPS],
            "It is divided by half the run: from `x - h` to `x + h` it is `2 * h`.": (
                lambda f, x, h: (f(x + h) - f(x - h)) / h
            ),
            "That is the step to the right alone.": lambda f, x, h: (f(x + h) - f(x)) / h,
            "That is the step to the left alone.": lambda f, x, h: (f(x) - f(x - h)) / h,
            "Python works from left to right: `/ 2 * h` halves, and then multiplies by `h`. "
            "Put the run in brackets.": lambda f, x, h: (f(x + h) - f(x - h)) / 2 * h,
            "`/` comes before `-`, so only `f(x - h)` is divided. Put the rise in brackets.": (
                lambda f, x, h: f(x + h) - f(x - h) / (2 * h)
            ),
            "Without brackets, `/` divides only `f(x - h)`, and then `*` multiplies by `h`. Put "
            "brackets around the rise, and around the run.": lambda f, x, h: (
                f(x + h) - f(x - h) / 2 * h
            ),
            "That steps by half of `h`. Step by `h` to each side: then the run is `2 * h`.": (
                lambda f, x, h: _central(f, x, h / 2)
            ),
            "That is the rise alone; divide it by the run.": lambda f, x, h: f(x + h) - f(x - h),
            "That is the run divided by the rise; a slope is the rise by the run.": (
                lambda f, x, h: 2 * h / (f(x + h) - f(x - h))
            ),
            "That is the step to the right with the run of both sides.": (
                lambda f, x, h: (f(x + h) - f(x)) / (2 * h)
            ),
            "`x + h - x - h` is nothing, but for rounding: Python goes from left to right. The run "
            "is `(x + h) - (x - h)`, with brackets, or `2 * h`.": (
                lambda f, x, h: (f(x + h) - f(x - h)) / (x + h - x - h)
            ),
            "That measures `volume`, whatever `f` is. Call `f`.": (
                lambda f, x, h: (volume(x + h) - volume(x - h)) / (2 * h)
            ),
            "That is a formula for the cube alone. Measure: `f` may be any function.": (
                lambda f, x, h: 3 * x * x
            ),
            "That is the slope at 2.0, whatever `x` is.": (
                lambda f, x, h: (f(2.0 + h) - f(2.0 - h)) / (2 * h)
            ),
            "That is not divided by the run, but by `x`.": (
                lambda f, x, h: (f(x + h) - f(x - h)) / x
            ),
        },
        hints=(
            "Look at `to_both_sides` above. What has to change so that it does for any function?",
            "The rise is `f(x + h)` less `f(x - h)`. The run is how far apart the two points are.",
            "return (f(x + h) - f(x - h)) / (___ * h)",
        ),
        solution="def central_difference(f, x, h):\n    return (f(x + h) - f(x - h)) / (2 * h)",
        why="`f` is handed over like any value, and called twice. No formula of it is needed.",
    )
)

_NEAR = np.linspace(0.9, 1.1, 41)  # many points, for one alone may be lucky


def _error(dtype: Any, h: float, points: np.ndarray = _NEAR) -> float:
    """How far off the central difference of exp is around 1, on average."""
    x = points.astype(dtype)
    slope = (np.exp(x + dtype(h)) - np.exp(x - dtype(h))) / dtype(2 * h)
    return float(np.mean(np.abs(slope - np.exp(x.astype(np.float64)))))


def _is_good(dtype: Any, h: float, points: np.ndarray = _NEAR) -> bool:
    best = min(_error(dtype, 10.0**-k, points) for k in range(1, 13))
    return _error(dtype, h, points) <= 2 * best


def _look_at_steps(steps: Any) -> str | Note:
    dtypes = {"float64": np.float64, "float32": np.float32}
    if not isinstance(steps, dict) or steps.keys() != dtypes.keys():
        return "`steps` should hold two steps, under the names `float64` and `float32`."
    for name, h in steps.items():
        if not isinstance(h, int | float | np.number) or not 0 < h < 1:
            return f"`{name}` should be the step itself, such as 0.1 or 1e-3; it is {h!r}."
    if all(_is_good(dtypes[a], steps[b]) for a, b in zip(dtypes, [*dtypes][::-1], strict=True)):
        return "both are good steps, but the two look swapped."
    for name, dtype in dtypes.items():
        h = float(steps[name])
        if _is_good(dtype, h):
            continue
        longer, yours, shorter = (_error(dtype, step) for step in (10 * h, h, h / 10))
        rows = [(f"h = {h:g}", f"off by {yours:.1e}")]
        if longer <= shorter:  # all alike where the step is lost
            rows.insert(0, (f"h = {10 * h:g}", f"off by {longer:.1e}"))
            text = "Rounding decides there: the step is too short."
        else:
            rows.append((f"h = {h / 10:g}", f"off by {shorter:.1e}"))
            text = "Truncation decides there: the step is too long."
        mean = f"Each is the mean of {_NEAR.size} points around 1.0, for one alone may be lucky."
        if _is_good(dtype, h, np.ones(1)):
            mean += " At 1.0 alone your step is as good as the best, by such luck: try 1.1 as well."
        return Note("wrong", f"Not yet: {name} has a better step.", tuple(rows), text=(text, mean))
    return ""


LESSON.add(
    TaskExercise(
        "steps",
        look=_look_at_steps,
        right="Right: both are near the bottom of the U.",
        wrong=[
            ("Rounding decides there", {"float64": 1e-12, "float32": 1e-2}),
            ("float32 has a better step", {"float64": 1e-5, "float32": 1e-5}),
            ("Truncation decides there", {"float64": 1e-2, "float32": 1e-2}),
            ("look swapped", {"float64": 1e-2, "float32": 1e-5}),
            ("should be the step itself", {"float64": 5, "float32": 2}),
            ("should hold two steps", [1e-5, 1e-2]),
        ],
        hints=(
            "Run `central_difference(np.exp, np.float32(1.0), 0.1)`, take `np.exp(1.0)` away, and "
            "do the same with 0.01 and so on. When does the error grow again?",
            "Let a loop do it: `for k in range(1, 13):` print `k` and the error with `10.0**-k`, "
            "once for `np.float64(1.0)`, once for `np.float32(1.0)`.",
            'steps = {"float64": 1e-5, "float32": ___}',
        ),
        solution='steps = {"float64": 1e-5, "float32": 1e-2}',
        why="The errors balance where `h * h` is about `eps / h`, with `eps` the worth of the last "
        "digit: `h` is about the cube root of `eps`. A coarser dtype needs a longer step, and "
        "even its best slope has fewer digits.",
    )
)

LESSON.add(
    FunctionExercise(
        "sides",
        answer=_sides,
        returns=("left", "right"),
        friendly=lambda: {"f": _fare(), "x": 1.0, "h": 0.25},
        random=lambda rng: {"f": np.sin, "x": rng.uniform(-2, 2), "h": rng.uniform(0.1, 0.5)},
        edge=[{"f": np.abs, "x": 0.0, "h": 0.5}],
        mistakes={
            _OWN_STEP: [_with(h, _sides) for h in _OWN_STEPS],
            "Those are values of `f`; a slope is a rise over a run.": (
                lambda f, x, h: (f(x - h), f(x + h)),
                lambda f, x, h: (f(x - h) / h, f(x + h) / h),
            ),
            "That is one slope; return both, the left one first.": (
                lambda f, x, h: (f(x) - f(x - h)) / h,
                lambda f, x, h: (f(x + h) - f(x)) / h,
            ),
            "That is the slope of one side, twice.": (
                lambda f, x, h: ((f(x + h) - f(x)) / h,) * 2,
                lambda f, x, h: ((f(x) - f(x - h)) / h,) * 2,
            ),
            "Each is measured around `x - h` or `x + h`; measure from `x` itself.": (
                lambda f, x, h: (_central(f, x - h, h), _central(f, x + h, h)),
                lambda f, x, h: (_central(f, x - h, 1e-5), _central(f, x + h, 1e-5)),
            ),
            "`/` comes before `-`. Put each rise in brackets.": (
                lambda f, x, h: (f(x) - f(x - h) / h, f(x + h) - f(x) / h)
            ),
            "The two are swapped: the left one comes first.": (
                lambda f, x, h: ((f(x + h) - f(x)) / h, (f(x) - f(x - h)) / h)
            ),
            "The left slope has the wrong sign: from `x - h` to `x` the rise is "
            "`f(x) - f(x - h)`.": lambda f, x, h: ((f(x - h) - f(x)) / h, (f(x + h) - f(x)) / h),
            "Each side is only `h` wide; `2 * h` is the run of both together.": (
                lambda f, x, h: ((f(x) - f(x - h)) / (2 * h), (f(x + h) - f(x)) / (2 * h))
            ),
            "Those are central differences, with one foot on either side of `x`.": (
                lambda f, x, h: ((f(x + h) - f(x - h)) / (2 * h),) * 2
            ),
            "Those are rises; divide each by its run.": (
                lambda f, x, h: (f(x) - f(x - h), f(x + h) - f(x))
            ),
        },
        hints=(
            "It is what `to_the_left` and `to_the_right` do above, for any function.",
            "Each side is measured from `x`: the rise over a run of `h`, from left to right.",
            "left = (f(x) - f(___)) / h\nright = (f(x + h) - f(x)) / h",
        ),
        solution="def sides(f, x, h):\n    left = (f(x) - f(x - h)) / h\n"
        "    right = (f(x + h) - f(x)) / h\n    return left, right",
        why="Where a function is smooth, the two come together as `h` gets shorter. At a kink they "
        "stay apart, and the central difference is halfway between.",
    )
)


def _fare() -> Callable:
    def fare(km):
        return 4.0 + 2.0 * np.maximum(km - 1.0, 0.0)

    return fare


class _Watched:
    """exp, and where it was asked for."""

    def __init__(self):
        self.asked: list[float] = []

    def __call__(self, x: Any) -> Any:
        self.asked += np.ravel(x).astype(np.float64).tolist()
        return np.exp(x)


def _look_at_slope(slope: Callable) -> str | Note:
    for dtype, good in ((np.float32, 2e-4), (np.float64, 1e-9)):
        for points in (_NEAR, np.zeros(1)):
            errors = []
            for x in points.astype(dtype):
                found, feet = _measured(slope, x)
                if found is None or np.size(found) != 1:
                    return "`slope` should return one number."
                right = np.exp(np.float64(x))
                errors.append(abs(float(found) / right - 1))
            if not np.mean(errors) < good:
                name = dtype.__name__
                step, text = _told(slope, dtype, feet, float(found) / right)
                rows = [("at", f"f = exp, x = {x:g}, {name}"), ("your step", step)]
                rows += [("yours", f"{found:.12g}"), ("right", f"{right:.12g}")]
                return Note("wrong", f"Not yet: {name} can do better.", tuple(rows), text=(text,))
    return ""


def _measured(slope: Callable, x: Any) -> tuple[Any, np.ndarray]:
    """The slope of exp at x, and where exp was asked for, seen from x."""
    exp = _Watched()
    with np.errstate(all="ignore"):
        found = slope(exp, x)
    return found, np.array(exp.asked) - float(x)


def _told(slope: Callable, dtype: Any, feet: np.ndarray, ratio: float) -> tuple[str, str]:
    """The step of a slope that is off by a ratio, and what is wrong with it."""
    h = float(np.max(np.abs(feet), initial=0.0))
    eps = float(np.finfo(dtype).eps)
    best = eps ** (1 / 3)
    if h == 0:
        _, feet = _measured(slope, dtype(0))  # there even the shortest step leads to another number
        h = float(np.max(np.abs(feet), initial=0.0))
        if np.isclose(h, eps / 3):
            return f"{h:.1e}", "That is a third of `eps`. The exponent needs brackets: `(1 / 3)`."
        return f"{h:.1e}", "`x + h` is `x` itself there: the step is lost, and nothing rises."
    if feet.min() > -h / 2 or feet.max() < h / 2:
        text = "It steps to one side only. Step to both."
    elif best / 20 < h < best * 20 and abs(ratio - 1) > 0.05:
        text = f"The step is good. But the result is {ratio:.4g} times what it should be."
    elif h < best:
        text = "Rounding decides there: the step is too short for this dtype."
    else:
        text = "Truncation decides there: the step is too long for this dtype."
    return f"{h:.1e}", text


def _third(f, x):
    return _central(f, x, np.finfo(x.dtype).eps ** 1 / 3)


def _square_root(f, x):
    return _central(f, x, np.sqrt(np.finfo(x.dtype).eps))


LESSON.add(
    TaskExercise(
        "slope",
        look=_look_at_slope,
        right="Right: `slope` does about as well as a dtype allows, in float64 and in float32.",
        planted="def slope(f, x):\n    h = 1e-12\n    return (f(x + h) - f(x - h)) / (2 * h)",
        wrong=[
            ("float32 can do better", lambda f, x: (f(x + 1e-5) - f(x - 1e-5)) / 2e-5),
            ("Rounding decides", lambda f, x: (f(x + 1e-5) - f(x - 1e-5)) / 2e-5),
            ("float64 can do better", lambda f, x: (f(x + 1e-2) - f(x - 1e-2)) / 2e-2),
            ("Rounding decides", _square_root),
            ("Truncation decides", lambda f, x: (f(x + 1e-3) - f(x - 1e-3)) / 2e-3),
            ("the step is lost", lambda f, x: (f(x + 1e-9) - f(x - 1e-9)) / 2e-9),
            ("exponent needs brackets", _third),
            ("to one side only", lambda f, x: (f(x + 1e-3) - f(x)) / 1e-3),
            ("2 times what it should be", lambda f, x: (f(x + 1e-2) - f(x - 1e-2)) / 1e-2),
            ("`x + h` is `x` itself", lambda f, x: (f(x + 1e-2 * x) - f(x - 1e-2 * x)) / 2e-2 / x),
            ("should return one number", lambda f, x: None),
        ],
        hints=(
            "In Exercise 2 you found a good step for each dtype. Here there is one for all.",
            "The two errors are about the same where `h * h` is `eps / h`, with "
            "`eps = np.finfo(x.dtype).eps`. Solve that for `h`.",
            "h = np.finfo(x.dtype).eps ** ___",
        ),
        solution="def slope(f, x):\n    h = np.finfo(x.dtype).eps ** (1 / 3)\n"
        "    return (f(x + h) - f(x - h)) / (2 * h)",
        why="`eps` is the gap between 1.0 and the next number. Its cube root is about 5e-3 in "
        "float32 and 6e-6 in float64. For a large `x`, make `h` longer in proportion.",
    )
)


# ---------------------------------------------------------------------------- the last picture
class _TwoErrors:
    """What the error of a central difference is made of, by step: a drawing without numbers."""

    def to_svg(self) -> str:
        """The two errors and their sum, for float32 and for float64."""
        x, y = Axis(1.0, 1e-9, 60, 620, log=True), Axis(1e-13, 1.0, 270, 70, log=True)
        hs = np.logspace(0, -9, 181)
        parts = [chart.curve(x, y, hs, hs**2, "mgw-bends")]
        ends = []
        for dtype, kind in ((np.float32, "mgw-secant"), (np.float64, "")):
            rounds = float(np.finfo(dtype).eps) / hs
            parts.append(chart.curve(x, y, hs, rounds, "mgw-rounds"))
            parts.append(chart.curve(x, y, hs, hs**2 + rounds, kind))
            low = int(np.argmin(hs**2 + rounds))
            at, down = x.at(hs[low]), y.at(hs[low] ** 2 + rounds[low])
            ends.append(f'<circle class="mgw-here" cx="{at:.1f}" cy="{down:.1f}" r="4.5"/>')
            words = f"best in {dtype.__name__}"
            ends.append(chart.text(at + 34, down - 26, words, anchor="middle"))
        edge = f'<path class="mgw-edge" d="M{x.start} {y.end}V{y.start}H{x.end}"/>'
        legend = chart.legend(
            60, 50, ("mgw-bends", "truncation, like h²"), ("mgw-rounds", "rounding, like 1/h"),
            ("mgw-secant", "float32"), ("", "float64"),
        )  # fmt: skip
        around = [
            chart.text(20, 26, "The error of a central difference", "mgw-heading"),
            chart.text(60, 290, "long steps h", "mgw-side"),
            chart.text(620, 290, "short steps h", "mgw-side", "end"),
            chart.text(20, 66, "error", "mgw-side"),
        ]
        inside = chart.inside(x, y, *parts)
        return chart.still(640, 306, self.to_text(), [*around, legend, edge, inside, *ends])

    def to_text(self) -> str:
        """The same in a sentence."""
        return (
            "The error of a central difference by step: truncation falls as the step gets "
            "shorter, rounding grows, and the best step lies between, earlier in float32."
        )


picture = _TwoErrors()

check, hint, predict, reveal, solution, progress = LESSON.calls
