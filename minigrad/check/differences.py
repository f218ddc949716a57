r"""Gradients held against central differences.

For a function with scalar output and a direction :math:`d`,

.. math::

    \bar x \cdot d = \frac{f(x + h d) - f(x - h d)}{2 h}
    + O(h^2\,|f'''|) + O(\varepsilon\,|f| / h),

where :math:`\varepsilon` is the precision of the numbers. Both errors together are least for
:math:`h \approx \varepsilon^{1/3}`, and are then about :math:`\varepsilon^{2/3}`: 4e-11 in float64,
2e-5 in float32 (J. Nocedal, S. Wright, *Numerical Optimization*, section 8.1). So a check computes
in float64, whatever it is given.

Several outputs become one number by weights drawn at random, and one random direction tries all the
entries of an input at once: a wrong entry shows but by a chance of measure zero. Only when it does,
each entry is moved by itself to find it. The gradient is then checked as a function of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor, unwrap
from ..transform import vjp
from .report import Difference

_HALVINGS = 4  # from a step to the next, which is 16 times shorter
_STEPS = 7
_MOST = 1000  # entries that are moved one by one
_FLOAT64 = np.dtype(np.float64)
_SMALL = 1e-3  # below this, relative to 1, a gradient is held to an absolute error


class Comparison:
    """A function of float64 arrays and its gradient there: what is compared with differences."""

    plain: list | None = None  # the gradients without a bprop

    def __init__(self, order, run, names, arrays, tolerance, rng, rough=_FLOAT64):
        self.order, self.run, self.names, self.arrays = order, run, names, arrays
        self.tolerance, self.rng, self.error = tolerance, rng, 0.0
        value, self.pullback = vjp(run, *map(Tensor, arrays))
        self.outputs = list(map(unwrap, value))
        self.dout = [rng.uniform(0.5, 1.5, y.shape).astype(y.dtype) for y in self.outputs]
        self.grads = self._pull(1)
        pairs = zip(self.dout, self.outputs, strict=True)
        self.size = sum(float(np.abs(c * y).sum()) for c, y in pairs)  # of the function
        dtypes = [rough, *(y.dtype for y in self.outputs)]
        self.rough = max(dtypes, key=lambda dtype: np.finfo(dtype).eps)
        self.precision = float(np.finfo(self.rough).eps)
        self.step = self.precision ** (1 / 3)
        if self.rough != _FLOAT64:  # fn casts down: what is left of its precision
            self.tolerance = max(tolerance, 50 * self.precision ** (2 / 3))

    def _pull(self, factor: int) -> list:
        return [unwrap(dx) for dx in self.pullback(*(Tensor(c) * factor for c in self.dout))]

    def next(self, tolerance: float) -> Comparison:
        """The gradient as a function of the inputs and of dout, one order up."""
        count, run = len(self.arrays), self.run

        def pull(*both):
            douts = (g.astype(c.dtype) for g, c in zip(both[count:], self.dout, strict=True))
            return vjp(run, *both[:count])[1](*douts)

        d, several = "d" * self.order, len(self.dout) > 1
        douts = [f"{d}out[{k}]" if several else f"{d}out" for k in range(len(self.dout))]
        level = Comparison(
            self.order + 1, pull, [*self.names, *douts],
            [*self.arrays, *(c.astype(np.float64) for c in self.dout)],
            tolerance, self.rng, self.rough,
        )  # fmt: skip
        level.error = self.error
        return level

    def notes(self) -> tuple[str, ...]:
        """What else the reader should know."""
        if self.rough == _FLOAT64:
            return ()
        return (
            f"the output is {self.rough} though the inputs were float64 (is there a cast?), so "
            f"errors below {self.tolerance:.0e} of a gradient's size may not show",
        )

    def differences(self) -> list[Difference]:
        """Where the gradients are not what differences say, and where there is a kink."""
        found = []
        for i, dx in enumerate(self.grads):
            if not np.isfinite(dx).all():
                entry = tuple(map(int, np.argwhere(~np.isfinite(dx))[0]))
                found.append(self._difference("not finite", i, entry, float(dx[entry]), None))
            elif dx.size:
                found += self._of_input(i)
        return found

    def _of_input(self, i: int) -> list[Difference]:
        """Try all entries at once; where that fails, find those that are wrong or at a kink."""
        x = self.arrays[i]
        kinks: list[Difference] = []
        unit = np.where(np.isfinite(x), np.maximum(1, np.abs(x)), 1.0)
        direction = self.rng.normal(size=x.shape) * unit
        while True:
            kind, got, expected, error = self._judge(i, direction)
            if kind == "right":
                self.error = max(self.error, error)
                return kinks
            looked = self._entries(i, direction)
            each = {j: self._judge(i, _only(unit, j)) for j in looked}
            here = [j for j, (verdict, *_) in each.items() if verdict in ("kink", "jump")]
            kinks += [self._of_entry(i, j, unit, each[j]) for j in here]
            faults = {j: v for j, v in each.items() if v[0] in ("wrong", "unclear")}
            if faults:
                return [*kinks, self._worst(i, unit, faults, len(looked))]
            if not here:
                return [*kinks, self._difference(kind, i, None, got, expected)]
            direction.flat[here] = 0

    def _entries(self, i: int, direction: np.ndarray) -> np.ndarray:
        """The entries to move one by one: all, or those of them where most is wrong."""
        entries = np.flatnonzero(direction)
        while len(entries) > _MOST:
            halves = np.array_split(entries, 2)
            entries = max(halves, key=lambda half: self._gap(i, _only(direction, half)))
        return entries

    def _gap(self, i: int, direction: np.ndarray) -> float:
        slope = sum(self._slopes(i, direction, self.step)) / 2
        gap = abs((self.grads[i] * direction).sum() - slope)
        return np.inf if np.isnan(gap) else gap

    def _slopes(self, i: int, direction: np.ndarray, step: float) -> tuple[float, float]:
        """The slopes along a direction, on its left and its right."""
        slopes = []
        for h in (-step, step):
            inputs = [*self.arrays[:i], self.arrays[i] + h * direction, *self.arrays[i + 1 :]]
            moved = map(unwrap, self.run(*map(Tensor, inputs)))
            parts = zip(moved, self.outputs, self.dout, strict=True)
            slopes.append(sum(((y.astype(float) - here) * c).sum() for y, here, c in parts) / h)
        return slopes[0], slopes[1]

    def _judge(self, i: int, direction: np.ndarray) -> tuple[str, float, Any, float]:
        """What differences say of the slope along a direction: its kind, got, expected, error."""
        dx = self.grads[i] * direction
        scale = float(np.abs(dx).sum()) + min(1.0, self.size) + _SMALL
        got, slack = float(dx.sum()), self.tolerance * scale
        slopes: list[float] = []
        gaps: list[float] = []
        moved: list[float] = []  # by how much the function changed
        rounding = 4 * self.precision * self.size
        longest = min(max(self.step, rounding / slack), 1e-2)  # the change must not be lost in it
        for n in range(_STEPS):
            step = longest / 2 ** (_HALVINGS * n)
            noise = rounding / step  # of the slope
            left, right = sides = self._slopes(i, direction, step)
            slopes.append((left + right) / 2)
            gaps.append(abs(right - left))
            moved.append(max(abs(left), abs(right)) * step)
            off = abs(got - slopes[n])
            if off <= slack:
                return "right", got, slopes[n], off / scale
            settled = n > 0 and abs(slopes[n] - slopes[n - 1]) <= slack / 4 + noise
            if settled and off > slack + noise:
                if gaps[n] < 1e-4 * scale + noise or gaps[n] < gaps[n - 1] / 2:  # smooth
                    return "wrong", got, slopes[n], 0
                between = min(sides) - slack <= got <= max(sides) + slack
                return "kink" if between else "wrong", got, sides, 0
            if n and noise > slack:
                break
        jumps = moved[-1] > max(moved[0] / 2, 1e-9, 25 * rounding)
        return "jump" if jumps else "unclear", got, None, 0

    # What is said of what was found.
    def _worst(self, i: int, unit: np.ndarray, faults: dict, among: int) -> Difference:
        more = {"wrong": len(faults), "among": among}
        found = [self._of_entry(i, j, unit, verdict, **more) for j, verdict in faults.items()]
        worst = max(found, key=lambda each: each.size)
        if worst.kind == "unclear":
            return worst
        return Difference(**{**vars(worst), "hint": self._hint(i, worst, found)})

    def _hint(self, i: int, worst: Difference, found: list[Difference]) -> str:
        """What the mistake looks like, and the gradient without the bprop."""
        hint = ""
        ratios = [d.got / d.expected for d in found if isinstance(d.expected, float) and d.expected]
        twice = self._pull(2)[i]
        if not np.allclose(twice, 2 * self.grads[i], rtol=1e-6, atol=0):
            hint = "; it does not grow with dout: is dout missing from the rule?"
        elif len(ratios) == len(found) and np.ptp(ratios) <= 1e-3 * abs(ratios[0]):
            hint = f": {ratios[0]:.4g} times the true one"
        if self.plain is not None and worst.entry is not None:
            hint += f"; without the bprop it is {self.plain[i][worst.entry]:.6g}"
        return hint

    def _of_entry(self, i, j, unit, verdict, **more) -> Difference:
        kind, got, expected, _ = verdict
        d = unit.flat[j]
        place = tuple(map(int, np.unravel_index(j, unit.shape)))
        return self._difference(kind, i, place, got / d, _over(expected, d), **more)

    def _difference(self, kind, i, entry, got, expected, **more) -> Difference:
        name, dout = self.names[i], tuple(self.dout)
        return Difference(kind, self.order, name, entry, float(got), expected, dout, **more)


def _only(direction: np.ndarray, entries: Any) -> np.ndarray:
    part = np.zeros_like(direction)
    part.flat[entries] = direction.flat[entries]
    return part


def _over(expected: Any, d: float) -> Any:
    """Slopes for a step of d, as those for a step of 1."""
    if isinstance(expected, tuple):
        return tuple(float(side / d) + 0.0 for side in expected)  # and -0.0 is 0.0
    return None if expected is None else float(expected / d)
