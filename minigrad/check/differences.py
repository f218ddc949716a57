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

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..tensor import Tensor, unwrap
from ..transform import vjp
from .report import Difference, Entries, digits

_SHORTER = 15.7  # times, from a step to the next: no power of 2, which would round alike
_STEPS = 7
_MOST = 1000  # entries that are moved one by one
_FLOAT64 = np.dtype(np.float64)
_CLEAR = 0.05  # rounding by no more than this, relative to the slope, leaves no doubt of it
_NOTHING = 100 * np.finfo(np.float64).eps  # what numbers of size 1 may leave in place of a 0
_ODD = ("kink", "jump", "unclear")
_LEVEL = 1e4  # gradients that differ by more than this factor are not compared in one sum


class Comparison:
    """A function of float64 arrays and its gradient there: what is compared with differences."""

    plain: list | None = None  # the gradients without a bprop
    compared = False  # whether differences could say anything at all
    below = 0.0  # the size of the function one order down, whose rounding is here as well

    def __init__(
        self, order, run, names, arrays, tolerance, rng, rough=_FLOAT64, left_out=None, dout=None
    ):
        self.order, self.run, self.names, self.arrays = order, run, names, arrays
        self.tolerance, self.rng, self.error = tolerance, rng, 0.0
        self.left_out: dict[str, list] = dict(left_out or {})  # entries, by the name of the input
        value, self.pullback = vjp(run, *map(Tensor, arrays))
        self.outputs = list(map(unwrap, value))
        if dout is None:
            dout = [rng.uniform(0.5, 1.5, y.shape) for y in self.outputs]
        self.dout = [g.astype(y.dtype) for g, y in zip(dout, self.outputs, strict=True)]
        self.grads = self._pull(1)
        for i, name in enumerate(names):
            for entry in self.left_out.get(name, ()):
                self.grads[i][entry] = 0
        pairs = zip(self.dout, self.outputs, strict=True)
        self.size = sum(float(np.abs(c * y).sum()) for c, y in pairs)  # of the function
        dtypes = [rough, *(y.dtype for y in self.outputs)]
        self.rough = max(dtypes, key=lambda dtype: np.finfo(dtype).eps)
        self.precision = float(np.finfo(self.rough).eps)
        self.step = self.precision ** (1 / 3)
        if self.rough != _FLOAT64:  # fn casts down: what is left of its precision
            self.tolerance = max(tolerance, 50 * self.precision ** (2 / 3))

    def _pull(self, factor: int) -> list:
        return [
            np.array(unwrap(dx)) for dx in self.pullback(*(Tensor(c) * factor for c in self.dout))
        ]

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
            tolerance, self.rng, self.rough, self.left_out,
        )  # fmt: skip
        level.error, level.compared = self.error, self.compared
        level.below = self.size + self.below
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
        """Where the gradients are not what differences say, where that is unclear, and kinks."""
        found: list[Difference] = []
        for i, dx in enumerate(self.grads):
            if (odd := self._not_finite(i)) is not None:
                found.append(odd)
            elif dx.size:
                found += self._of_input(i)
        unclear = [d for d in found if d.kind == "unclear"]
        for d in unclear:
            self.left_out.setdefault(d.input, []).append(d.entry)
        self.compared = self.compared or not unclear
        return found

    def entries(self, i: int, most: int) -> Entries:
        """The entries of one gradient one by one; of more than ``most``, a sample and a sum."""
        x, unit = self.arrays[i], self._unit(i)
        places, along = np.arange(x.size), None
        if x.size > most:
            places = np.sort(self.rng.choice(x.size, most, replace=False))
            along = self._not_finite(i) or self._along(i, self.rng.normal(size=x.shape) * unit)
        size = np.abs(self.grads[i] * unit)
        self.whole = float(size[np.isfinite(size)].sum())
        found = [self._of_place(i, int(j), unit) for j in places]
        wrong = [each for each in found if each.kind == "wrong"]
        if wrong:
            hint = self._hint(i, max(wrong, key=lambda each: each.size), wrong)
            found = [replace(d, hint=hint) if d.kind == "wrong" else d for d in found]
        return Entries(self.names[i], x.shape, tuple(found), along)

    def _of_place(self, i: int, j: int, unit: np.ndarray) -> Difference:
        dx = float(self.grads[i].flat[j])
        if not math.isfinite(dx):
            return self._difference("not finite", i, self._place(i, j), dx, None)
        verdict, d = self._of_one(i, j, unit)
        if verdict[0] == "right" and (sides := self._bend(i, _only(unit, j))):
            verdict = ("kink", dx * unit.flat[j], sides, 0)
            d = unit.flat[j]
        return self._of_entry(i, j, verdict, d)

    def _bend(self, i: int, direction: np.ndarray) -> tuple[float, float] | None:
        """The slopes on both sides, if they are as far apart with a shorter step."""
        rounding = self.precision * (4 * self.size + self.below)
        gaps: list[float] = []
        for step in (self.step, self.step / _SHORTER):
            left, right, _ = self._slopes(i, direction, step)
            gaps.append(abs(right - left))
            if _is_smooth(gaps, max(abs(left), abs(right)), rounding / step):
                return None
        return (left, right) if gaps[1] > 0.99 * gaps[0] else None

    def _along(self, i: int, direction: np.ndarray) -> Difference:
        """All entries at once, those of like size together: the first sum that is not right."""
        size = np.abs(self.grads[i] * direction)
        self.whole = float(size.sum())
        part = self._first_off(i, direction, _levels(size))
        kind, got, expected, _ = self._judge(i, direction if part is None else part)
        return self._difference(kind, i, None, got, expected)

    def _not_finite(self, i: int) -> Difference | None:
        """The first entry of a gradient that is NaN or infinite."""
        odd = np.flatnonzero(~np.isfinite(self.grads[i]))
        if not odd.size:
            return None
        dx = float(self.grads[i].flat[odd[0]])
        return self._difference("not finite", i, self._place(i, odd[0]), dx, None)

    def _unit(self, i: int) -> np.ndarray:
        """By how much an entry is moved, in steps: 1, or its own size if that is more."""
        x = self.arrays[i]
        return np.where(np.isfinite(x), np.maximum(1, np.abs(x)), 1.0)

    def _of_input(self, i: int) -> list[Difference]:
        """Try all entries at once; where that fails, find those that are wrong or at a kink."""
        x, unit = self.arrays[i], self._unit(i)
        found: list[Difference] = []
        direction = np.array(self.rng.normal(size=x.shape) * unit)
        for entry in self.left_out.get(self.names[i], ()):
            direction[entry] = 0
        size = np.abs(self.grads[i] * direction)
        self.whole = float(size.sum())  # what an entry too small to compare is held to
        levels = _levels(size)
        while (part := self._first_off(i, direction, levels)) is not None:
            kind, got, expected, _ = self._judge(i, part)
            if kind == "small":
                found.append(self._difference(kind, i, None, got, None))
                direction[part != 0] = 0
                continue
            few = np.count_nonzero(direction) <= _MOST
            looked = self._entries(i, direction if few else part)
            each = {j: self._of_one(i, j, unit) for j in looked}
            odd = [j for j, (verdict, _) in each.items() if verdict[0] in _ODD]
            told = [j for j, (verdict, d) in each.items() if d < unit.flat[j]]
            if any(each[j][0][0] != "unclear" for j in looked):
                self.compared = True
            found += [self._of_entry(i, j, *each[j]) for j in odd]
            wrong = {j: v for j, v in each.items() if v[0][0] == "wrong"}
            if wrong:
                return [*found, self._worst(i, wrong, len(looked))]
            if not odd and not told:
                return [*found, self._difference(kind, i, None, got, expected)]
            direction.flat[[*odd, *told]] = 0
        return found

    def _first_off(self, i: int, direction: np.ndarray, levels: np.ndarray) -> np.ndarray | None:
        """The first part of the direction, by the size of the gradient, that is not right."""
        for level in np.unique(levels[direction != 0]):
            part = np.where(levels == level, direction, 0)
            kind, _, _, error = self._judge(i, part)
            if kind != "right":
                return part
            self.error, self.compared = max(self.error, error), True
        return None

    def _of_one(self, i: int, j: int, unit: np.ndarray) -> tuple[tuple, float]:
        """What is found at one entry, and by what it was moved, in steps: 1, or x if it is less."""
        verdict = self._judge(i, _only(unit, j))
        x = np.abs(self.arrays[i])
        if verdict[0] != "right" and 0 < x.flat[j] < unit.flat[j]:  # 0 may be where a domain ends
            nearer = self._judge(i, _only(x, j))
            if nearer[0] == "right" or (nearer[0] == "wrong" and nearer[2] != 0):
                return nearer, float(x.flat[j])
        return verdict, float(unit.flat[j])

    def _entries(self, i: int, direction: np.ndarray) -> np.ndarray:
        """The entries to move one by one: all, or those of them where most is wrong."""
        entries = np.flatnonzero(direction)
        while len(entries) > _MOST:
            halves = np.array_split(entries, 2)
            entries = max(halves, key=lambda half: self._gap(i, _only(direction, half)))
        return entries

    def _gap(self, i: int, direction: np.ndarray) -> float:
        left, right, _ = self._slopes(i, direction, self.step)
        gap = abs((self.grads[i] * direction).sum() - (left + right) / 2)
        return np.inf if np.isnan(gap) else gap

    def _slopes(self, i: int, direction: np.ndarray, step: float) -> tuple[float, float, float]:
        """The slopes along a direction, on its left and its right, and the size of what moved."""
        slopes = []
        moves = [np.zeros(y.shape, bool) for y in self.outputs]
        for h in (-step, step):
            there = self.arrays[i] + h * direction
            inputs = [*self.arrays[:i], there, *self.arrays[i + 1 :]]
            # A sum is rounded, so x came not quite so far: what is missing is next to nothing.
            missing = np.nansum(self.grads[i] * (h * direction - (there - self.arrays[i])))
            moved = list(map(unwrap, self.run(*map(Tensor, inputs))))
            parts = zip(moved, self.outputs, self.dout, strict=True)
            change = sum(((y.astype(float) - here) * c).sum() for y, here, c in parts)
            slopes.append((change + missing if change else 0.0) / h)
            moves = [m | (y != x) for m, y, x in zip(moves, moved, self.outputs, strict=True)]
        parts = zip(moves, self.outputs, self.dout, strict=True)
        return slopes[0], slopes[1], sum(float(np.abs(c * y)[m].sum()) for m, y, c in parts)

    def _judge(self, i: int, direction: np.ndarray) -> tuple[str, float, Any, float]:
        """What differences say of the slope along a direction: its kind, got, expected, error."""
        along = direction != 0  # elsewhere the gradient may be infinite
        dx = self.grads[i][along] * direction[along]
        got, scale = float(dx.sum()), float(np.abs(dx).sum())
        slack = self.tolerance * scale
        # Where rounding is in the way, a gradient is held to the size of the function.
        coarse = self.tolerance * (scale + min(1.0, self.size + self.below))
        slopes: list[float] = []
        gaps: list[float] = []
        moved: list[float] = []  # by how much the function changed
        offs: list[float] = []
        nearest = np.inf
        rounding = self.precision * (4 * self.size + self.below)
        # The change must not be lost in rounding.
        longest = min(max(self.step, rounding / slack if slack else np.inf), 1e-2)
        for n in range(_STEPS):
            step = longest / _SHORTER**n
            left, right, size = self._slopes(i, direction, step)
            if n == 0 and size:
                rounding = self.precision * (4 * size + self.below)
            noise = rounding / step  # of the slope
            slopes.append((left + right) / 2)
            gaps.append(abs(right - left))
            moved.append(max(abs(left), abs(right)) * step)
            offs.append(abs(got - slopes[n]))
            allowed = slack + (noise if noise <= _CLEAR * scale else 0)
            if offs[n] <= allowed and (scale or noise <= coarse):
                return "right", got, slopes[n], offs[n] / (scale or 1)
            steep = max(abs(left), abs(right), scale)
            settling = self.tolerance * max(abs(slopes[n]), scale) / 4 + noise
            settled = n > 0 and abs(slopes[n] - slopes[n - 1]) <= settling
            if step <= self.step:  # a longer one that did better was less lost in a rounding
                nearest = min(nearest, offs[n])
            if settled and offs[n] > max(slack, 4 * noise) and offs[n] < 4 * nearest:
                smooth = _is_smooth(gaps, steep, noise)
                margin = slack + noise
                between = min(left, right) - margin <= got <= max(left, right) + margin
                if between and not smooth:
                    return "kink", got, (left, right), 0
                if not slopes[n] and scale < _NOTHING:
                    return "small", got, None, 0
                # Bent, it may be at a kink all the same: a shorter step tells.
                bent = between and not _is_smooth(gaps[n:], steep, noise)
                if not bent and not self._is_rough(i, direction, step, got, slopes[n]):
                    return "wrong", got, slopes[n] if smooth else (left, right), 0
            if n and noise > coarse:
                break
        off = np.nanmin(offs) if np.isfinite(offs).any() else np.inf
        if off <= self.tolerance * self.whole > 0 or (scale == 0 and _vanishes(slopes)):
            nearest = slopes[int(np.nanargmin(offs))]
            return "right", got, nearest, off / (self.whole or 1)
        if off <= coarse:
            return "small", got, None, 0
        jumps = moved[-1] > max(moved[0] / 2, 1e-9 * min(1.0, self.size), 25 * rounding)
        return "jump" if jumps else "unclear", got, None, 0

    def _is_rough(self, i, direction, step, got, slope) -> bool:
        """Whether a rounding inside of the function may be why its slope is not what was got.

        On each side a smooth function is next to a cubic; one that is rounded is not. The steps are
        uneven, for even ones may be rounded all alike.
        """
        off, parts = abs(got - slope), np.arange(1, 13) * 0.618034 % 1
        sides = np.array([self._slopes(i, direction, step * t)[:2] for t in parts]) * parts[:, None]
        if not sides.any():  # flat; with longer steps, too?
            left, right, _ = self._slopes(i, direction, 1e-2)
            return bool(abs(got - (left + right) / 2) < off / 4)
        if not np.isfinite(sides).all():
            return True
        powers = parts[:, None] ** [1, 2, 3]
        cubic = powers @ np.linalg.lstsq(powers, sides, rcond=None)[0]
        return not 4 * np.sqrt(np.mean((sides - cubic) ** 2)) < off

    # What is said of what was found.
    def _worst(self, i: int, wrong: dict, among: int) -> Difference:
        more = {"wrong": len(wrong), "among": among}
        found = [self._of_entry(i, j, *verdict, **more) for j, verdict in wrong.items()]
        worst = max(found, key=lambda each: each.size)
        return replace(worst, hint=self._hint(i, worst, found))

    def _hint(self, i: int, worst: Difference, found: list[Difference]) -> str:
        """What the mistake looks like, and the gradient without the bprop."""
        hint = ""
        ratios = [d.got / d.expected for d in found if isinstance(d.expected, float) and d.expected]
        twice = self._pull(2)[i]
        if not np.allclose(twice, 2 * self.grads[i], rtol=1e-6, atol=0):
            hint = "; it does not grow with dout: is dout missing from the rule?"
        elif len(ratios) == len(found):
            apart = abs(ratios[0] - 1)
            if np.ptp(ratios) <= min(1e-3 * abs(ratios[0]), 1e-2 * apart):
                hint = f": {ratios[0]:.{digits(ratios[0], 1.0, 4)}g} times the true one"
        if self.plain is not None and worst.entry is not None:
            hint += f"; without the bprop it is {self.plain[i][worst.entry]:.6g}"
        return hint

    def _edge(self, i: int, j: int, d: float) -> str:
        """On which side of an entry the function is not finite, if it is on one alone."""
        step = self.step / _SHORTER ** (_STEPS - 1)
        left, right, _ = self._slopes(i, _only(np.full(self.arrays[i].shape, d), j), step)
        if np.isfinite(left) == np.isfinite(right):
            return ""
        return f"the function is not finite just {'above' if np.isfinite(left) else 'below'} it"

    def _of_entry(self, i, j, verdict, d, **more) -> Difference:
        kind, got, expected, _ = verdict
        if kind == "unclear":
            more["hint"] = self._edge(i, j, d)
        return self._difference(kind, i, self._place(i, j), got / d, _over(expected, d), **more)

    def _place(self, i: int, j: int) -> tuple[int, ...]:
        return tuple(map(int, np.unravel_index(j, self.arrays[i].shape)))

    def _difference(self, kind, i, entry, got, expected, **more) -> Difference:
        name, dout = self.names[i], tuple(self.dout)
        return Difference(kind, self.order, name, entry, float(got), expected, dout, **more)


def _is_smooth(gaps: list[float], steep: float, noise: float) -> bool:
    """Whether the slopes on the two sides come together as the step gets shorter."""
    return gaps[-1] < 1e-4 * steep + 4 * noise or (len(gaps) > 1 and gaps[-1] < gaps[-2] / 2)


def _levels(size: np.ndarray) -> np.ndarray:
    """Whole numbers, alike for entries of like size; 0 for the largest. Zeros join the least."""
    some = size > 0
    if not some.any():
        return np.zeros(size.shape, int)
    levels = np.zeros(size.shape, int)
    levels[some] = np.log(size.max() / size[some]) // np.log(_LEVEL)
    levels[~some] = levels[some].max()
    return levels


def _vanishes(slopes: list[float]) -> bool:
    """Whether the slopes go to 0 with the step, as those of x**3 at 0 do."""
    sizes = np.abs(slopes)
    falls = (sizes[1:] <= sizes[:-1] / 8).all()
    return bool(falls and len(sizes) == _STEPS and sizes[-1] < 1e-6 * sizes[0])


def _only(direction: np.ndarray, entries: Any) -> np.ndarray:
    part = np.zeros_like(direction)
    part.flat[entries] = direction.flat[entries]
    return part


def _over(expected: Any, d: float) -> Any:
    """Slopes for a step of d, as those for a step of 1."""
    if isinstance(expected, tuple):
        return tuple(float(side / d) + 0.0 for side in expected)  # and -0.0 is 0.0
    return None if expected is None else float(expected / d)
