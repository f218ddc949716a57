"""Gradients held against central differences, entry by entry.

This is for `compare_gradients` until `minigrad.check` is there, which knows more; then that
measures, and this file goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import Tensor, grad
from minigrad.tensor import unwrap, wrap
from minigrad.transform import parameters_of, tensors_in
from minigrad.watch import argument_names

from . import summary

MOST_ROWS, MOST_COLUMNS = 4, 6  # of the entries that are drawn from a big array
_SHORTER = (1.0, 1 / 16, 1 / 256)
_LEAST_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Entry:
    """One entry of a gradient, and what differences say of it.

    `kind` is "right", "wrong", "kink" (the slopes on both `sides` differ, and the gradient is
    between them), or "unclear" (the function is NaN or infinite nearby).
    """

    place: str
    gradient: float
    differences: float
    kind: str
    sides: tuple[float, float]

    @property
    def off(self) -> float:
        """How far the gradient is from the differences; at a kink 0, for there is no one slope."""
        return 0.0 if self.kind == "kink" else abs(self.gradient - self.differences)

    def __str__(self) -> str:
        g = summary.number(self.gradient, 8)
        if self.kind == "kink":
            left, right = (summary.number(side) for side in self.sides)
            return (
                f"{self.place} is at a kink: the slope is {left} on the left and {right} on the "
                f"right. The gradient is {g}, which lies between"
            )
        if self.kind == "unclear":
            return f"{self.place}: the gradient is {g}; nearby the function is NaN or infinite"
        d = summary.number(self.differences, 8)
        off = summary.number(self.off, 2)
        text = f"{self.place}: the gradient is {g}, differences give {d}; off by {off}"
        if self.kind == "wrong" and self.differences:
            text += f", {summary.number(self.gradient / self.differences)} times what it should be"
        return text


@dataclass(frozen=True)
class Compared:
    """All entries of one gradient that were compared, or a sample of a big one."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[Entry, ...]
    rows: int  # as which they are laid out
    tolerance: float
    along: Entry | None  # a random direction through all entries, where they are sampled

    @property
    def worst(self) -> Entry:
        """The entry that is furthest off; a wrong one first."""
        order = {"right": 0, "kink": 0, "unclear": 1, "wrong": 2}
        return max(self.entries, key=lambda entry: (order[entry.kind], entry.off))

    def grid(self, pick: Callable[[Entry], float]) -> np.ndarray:
        """A number of each entry, in rows; the last row may end early, with 0."""
        numbers = np.zeros(self.rows * -(-len(self.entries) // self.rows))
        numbers[: len(self.entries)] = [pick(entry) for entry in self.entries]
        return numbers.reshape(self.rows, -1)


_LEAST_TOLERANCE = 1e-6


class _Function:
    """fn as a function of its floating inputs and weights alone, as float64 arrays."""

    def __init__(self, fn: Any, args: tuple[Any, ...], weights: Any):
        self.fn, self.args = fn, args
        if weights is None:
            weights = fn.trainable_params() if hasattr(fn, "trainable_params") else ()
        self.weights = [p for p in parameters_of(weights) if p.array.dtype.kind == "f"]
        held = list(fn.get_parameters()) if hasattr(fn, "get_parameters") else []
        self.held = list(dict.fromkeys([*held, *self.weights]))
        self.names: list[str] = []
        self.arrays: list[np.ndarray] = []
        named = zip(argument_names(fn, len(args)), args, strict=True)
        for name, x in named:
            _change(name, x, self._gather)
        for p in self.weights:
            self._gather(p.name, p.array)
        if not self.arrays:
            raise ValueError(
                "compare_gradients: there is no input with a point and no weight, so there is no "
                "gradient; pass 2.0 rather than 2, or a Tensor of floats"
            )

    def _gather(self, name: str, array: np.ndarray) -> Any:
        self.names.append(name)
        self.arrays.append(np.array(array, np.float64))
        return array

    @contextmanager
    def in_float64(self) -> Iterator[None]:
        """The Parameters in float64; in the end they are what they were."""
        before = [p.array for p in self.held]
        self.start = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in before]
        try:
            with np.errstate(all="ignore"):
                yield
        finally:
            for p, array in zip(self.held, before, strict=True):
                p.array = array

    def __call__(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """fn's floating outputs, for the tape: the weights are written, and gradients flow."""
        self._restart()
        values = iter(tensors)
        args = self._args(values)
        for p in self.weights:
            p.set_data(next(values))
        return self._floats(args)

    def total(self, arrays: list[np.ndarray]) -> tuple[float, float, float]:
        """The sum of all outputs, the sum of their sizes, and how finely they are known."""
        self._restart()
        inputs = len(arrays) - len(self.weights)
        for p, array in zip(self.weights, arrays[inputs:], strict=True):
            p.array = array
        outputs = [unwrap(x) for x in self._floats(self._args(map(wrap, arrays[:inputs])))]
        known = max(float(np.finfo(y.dtype).eps) for y in outputs)
        wide = [y.astype(np.float64) for y in outputs]
        return float(sum(y.sum() for y in wide)), float(sum(np.abs(y).sum() for y in wide)), known

    def _restart(self) -> None:
        for p, array in zip(self.held, self.start, strict=True):
            p.array = array

    def _args(self, values: Iterator[Tensor]) -> list[Any]:
        return [_change("", x, lambda name, array: next(values)) for x in self.args]

    def _floats(self, args: list[Any]) -> tuple[Tensor, ...]:
        floats = tuple(x for x in tensors_in(self.fn(*args)) if x.array.dtype.kind == "f")
        if not floats:
            raise TypeError("compare_gradients: fn returned no Tensor of floats")
        return floats


def _change(name: str, x: Any, change: Callable[[str, np.ndarray], Any]) -> Any:
    """x with `change(name, array)` in place of each array of floats in it."""
    if isinstance(x, list | tuple):
        make = getattr(x, "_make", type(x))
        return make([_change(f"{name}[{i}]", v, change) for i, v in enumerate(x)])
    if isinstance(x, dict):
        return {k: _change(f"{name}[{k!r}]", v, change) for k, v in x.items()}
    if isinstance(x, float | Tensor | np.ndarray | np.generic):
        array = np.asarray(unwrap(x) if isinstance(x, Tensor) else x)
        return change(name, array) if array.dtype.kind == "f" else x
    return x


def measure(fn: Any, args: tuple[Any, ...], weights: Any = None) -> list[Compared]:
    """The gradient of the sum of fn's outputs, each entry with its central difference.

    >>> (found,) = measure(lambda x: x * x, (3.0,))
    >>> found.entries[0].gradient, round(found.entries[0].differences, 6), found.entries[0].kind
    (6.0, 6.0, 'right')
    """
    function = _Function(fn, args, weights)
    with function.in_float64():
        middle, size, precision = function.total(function.arrays)
        if not np.isfinite(middle):
            raise ValueError("compare_gradients: the output is NaN or infinite at these inputs")
        again = function.total(function.arrays)[0]
        if again != middle:
            raise ValueError(
                "compare_gradients: two runs on the same inputs differ, so nothing can be "
                "compared; turn dropout off with net.set_train(False), or set the seed in fn"
            )
        positions = tuple(range(len(function.arrays)))
        answer = grad(function, positions)(*map(Tensor, function.arrays))
        grads = [unwrap(g) for g in (answer if len(positions) > 1 else (answer,))]
        judge = _Judge(function, middle, size, precision)
        return [judge.compare(i, g) for i, g in enumerate(grads)]


class _Judge:
    """Compares gradients with central differences of one function."""

    def __init__(self, function: _Function, middle: float, size: float, precision: float):
        self.function, self.middle, self.size = function, middle, size
        self.precision, self.step = precision, precision ** (1 / 3)
        self.tolerance = max(_LEAST_TOLERANCE, 50 * precision ** (2 / 3))
        self.rng = np.random.default_rng(0)

    def compare(self, i: int, gradient: np.ndarray) -> Compared:
        """All entries of an input, or a sample if they are many."""
        name, x = self.function.names[i], self.function.arrays[i]
        grid = x.reshape(1, -1) if x.ndim < 2 else x.reshape(-1, x.shape[-1])
        places, rows, along = np.arange(x.size), grid.shape[0], None
        if x.ndim > 2 or max(grid.shape) > summary.LIMIT:
            few = min(MOST_ROWS * MOST_COLUMNS, x.size)
            places = np.sort(self.rng.choice(x.size, few, replace=False))
            rows = -(-few // MOST_COLUMNS)
            if few < x.size:
                direction = self.rng.normal(size=x.shape)
                along = self._judge(f"{name} in all {x.size:,} entries", i, direction, gradient)
        entries = tuple(self._entry(i, int(place), gradient) for place in places)
        scale = max((abs(e.gradient) for e in entries if np.isfinite(e.gradient)), default=0.0)
        return Compared(name, x.shape, entries, rows, self._slack(scale), along)

    def _slack(self, gradient: float) -> float:
        return self.tolerance * (abs(gradient) + min(1.0, self.size) + 1e-3)

    def _entry(self, i: int, place: int, gradient: np.ndarray) -> Entry:
        name, x = self.function.names[i], self.function.arrays[i]
        index = tuple(map(int, np.unravel_index(place, x.shape)))
        direction = np.zeros_like(x)
        direction[index] = 1.0
        return self._judge(f"{name}{list(index) if index else ''}", i, direction, gradient)

    def _judge(self, place: str, i: int, direction: np.ndarray, gradient: np.ndarray) -> Entry:
        x = self.function.arrays[i]
        got = float((gradient * direction).sum())
        reach = np.abs(x[direction != 0])
        unit = max(1.0, float(reach[np.isfinite(reach)].max(initial=0.0)))
        tried = []
        for share in _SHORTER:
            h = self.step * unit * share
            noise = 4 * self.precision * self.size / h
            if share < 1 and noise > 100 * self._slack(got):
                break
            left, right = self._sides(i, direction, h)
            tried.append((left, right, noise))
            smooth = abs(right - left) <= max(1e-3 * self._slack(got) / self.tolerance, 4 * noise)
            if smooth and abs(got - (left + right) / 2) <= self._slack(got):
                break
        middles = [(left + right) / 2 for left, right, _ in tried]
        sides = tried[-1][0] + 0.0, tried[-1][1] + 0.0
        gaps = [abs(right - left) for left, right, _ in tried]
        slack, noise = self._slack(got), tried[-1][2]
        apart = max(1e-3 * slack / self.tolerance, 4 * noise)
        if len(gaps) > 1 and gaps[-1] > max(gaps[0] / 2, apart):
            between = min(sides) - slack - noise <= got <= max(sides) + slack + noise
            return Entry(place, got, middles[-1], "kink" if between else "wrong", sides)
        offs = [abs(got - middle) for middle in middles]
        if not np.isfinite(middles).any():
            return Entry(place, got, middles[0], "unclear", sides)
        best = int(np.nanargmin(offs)) if np.isfinite(offs).any() else 0
        right = any(off <= slack + n for off, (_, _, n) in zip(offs, tried, strict=True))
        if not right and np.isfinite(middles[0]):
            best = 0
        return Entry(place, got, middles[best], "right" if right else "wrong", sides)

    def _sides(self, i: int, direction: np.ndarray, h: float) -> tuple[float, float]:
        """The slopes on the left and on the right."""
        arrays = self.function.arrays
        below, above = (
            self.function.total([*arrays[:i], arrays[i] + s * direction, *arrays[i + 1 :]])[0]
            for s in (-h, h)
        )
        return (self.middle - below) / h, (above - self.middle) / h
