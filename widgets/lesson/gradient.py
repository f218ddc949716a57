"""Exercises in which the student writes gradients: a rule of an op, or a whole backward pass.

What is right is measured, by central differences of the program whose gradients are asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad import Tensor

from ..text import count
from .exercise import Exercise, kind, listed, same_code
from .note import Note

Values = dict[str, Any]  # numbers or arrays, by name


@dataclass(frozen=True)
class _Point:
    """Where a function is tried: the inputs, and the gradient `g` of the output."""

    where: str
    inputs: Values
    g: Any


@dataclass(frozen=True, kw_only=True)
class GradientExercise(Exercise):
    r"""Write a function that returns the gradients of `forward`, whose entries do not mix.

    The student's function may ask by name for the inputs of `forward`, for `out`, what it made, and
    for `g`, the gradient of that. With `takes_g=False` there is no `g` to ask for: it is 1.
    `returns` names the gradients, one for each input. It may be written for numpy or for Tensors.

    It is tried at the friendly values with g = 1, then g = 10, at another point (the place for an
    edge case), on random arrays, and on float32. `mistakes` are functions like the student's, each
    with what to say to whoever wrote it.

    >>> cube = GradientExercise(
    ...     "cube_rule", forward=lambda x: x**3, returns=("dx",),
    ...     friendly={"x": 2.0}, another={"x": 0.0},
    ...     mistakes={"The power must go down by one.": lambda g, x: g * 3 * x**3},
    ...     hints=("Look at 2.", "The slope is three squares.", "dx = g * 3 * x ** ___"),
    ...     solution="def cube_rule(g, x):\n    return g * 3 * x**2", why="It is the power rule.",
    ... )
    >>> cube.judge(lambda g, x: 3 * x**2)
    Not yet: `dx` is wrong with a larger `g`.
        at             g = 10, x = 2
        yours          12
        right          120 (measured)
        yours / right  0.1
    `g` was forgotten: that is the slope alone. The gradient that arrives must be multiplied in.
    >>> cube.judge_solution().status
    'right'
    """

    forward: Callable[..., Any]
    returns: tuple[str, ...]
    friendly: Mapping[str, float]
    another: Mapping[str, float]
    mistakes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    takes_g: bool = True

    def judge(self, *answer: Any) -> Note:
        """Try the function at one point after another; tell what is wrong first."""
        note = self.wants_function(answer)
        if note is not None:
            return note
        fn = answer[0]
        known = [*(["g"] if self.takes_g else []), *self.friendly, "out"]
        for name in inspect.signature(fn).parameters:
            if name not in known:
                text = f"It asks for `{name}`; what it can have is {listed(known)}."
                return Note("wrong", f"Not yet: there is no `{name}` to give.", text=(text,))
        notes = (self._judge_at(fn, point) for point in self._points())
        return next(filter(None, notes), self._right())

    def _right(self) -> Note:
        title = f"Right: `{self.name}` agrees with measuring, everywhere it was tried."
        return Note("right", title)

    def _points(self) -> list[_Point]:
        """Where a function is tried, in this order."""
        friendly = {name: np.float64(x) for name, x in self.friendly.items()}
        another = {name: np.float64(x) for name, x in self.another.items()}
        many = self._random()
        small = {name: x.astype(np.float32) for name, x in many.inputs.items()}
        return [
            _Point("at the first point", friendly, np.float64(1)),
            *([_Point("with a larger `g`", friendly, np.float64(10))] if self.takes_g else []),
            _Point("at another point", another, np.float64(1)),
            many,
            _Point("on float32", small, many.g.astype(np.float32)),
        ]

    def _random(self) -> _Point:
        draw = np.random.default_rng(2)
        inputs = {name: draw.uniform(-2, 2, (2, 3)) for name in self.friendly}
        g = draw.uniform(-2, 2, (2, 3)) if self.takes_g else np.ones((2, 3))
        return _Point("on random arrays", inputs, g)

    def _values(self, point: _Point) -> Values:
        """All that the function may ask for, in copies."""
        values = {"g": point.g, **point.inputs, "out": self.forward(*point.inputs.values())}
        return {name: x.copy() for name, x in values.items()}

    def _judge_at(self, fn: Callable, point: _Point) -> Note | None:
        """What is wrong at this point, if anything."""
        given = self._values(point)
        try:
            results = _outputs(fn, given)
        except Exception as error:
            return self.stopped(fn, error)
        unfinished = [n for n, x in zip(self.returns, results, strict=False) if x is ...]
        if unfinished:
            which = f" of `{unfinished[0]}`" if len(self.returns) > 1 else ""
            return Note("todo", f"Not done yet: the `...`{which} waits for your code.")
        if len(results) != len(self.returns):
            title = f"Not yet: `{self.name}` should return {listed(self.returns)}."
            return Note("wrong", title, text=(f"It returned {count(len(results), 'value')}.",))
        for name, x in self._values(point).items():
            if not np.array_equal(given[name], x):
                title = f"Not yet: `{self.name}` changed `{name}`, which it was only lent."
                text = f"Make a new array instead: `{name} * 2`, not `{name} *= 2`."
                return Note("wrong", title, text=(text,))
        numbers = range(len(results))
        return next(filter(None, (self._compare(fn, point, i, results[i]) for i in numbers)), None)

    def _compare(self, fn: Callable, point: _Point, i: int, result: Any) -> Note | None:
        """What is wrong with the i-th gradient at this point, if anything."""
        name, x = self.returns[i], [*point.inputs.values()][i]
        if result is None:
            text = "Is there a `return`, and a value after it?"
            return Note("wrong", f"Not yet: `{name}` is `None`.", text=(text,))
        yours = _array(result)
        if yours.dtype.kind not in "fiu":
            title = f"Not yet: `{name}` should be a number or an array; it is {kind(result)}."
            return Note("wrong", title)
        if yours.shape != x.shape:
            title = f"Not yet: `{name}` has shape {yours.shape}, but its input has {x.shape}."
            text = "A gradient has one entry for each entry of its input."
            return Note("wrong", title, text=(text,))
        if point.where == "on float32":
            if yours.dtype == x.dtype:
                return None
            title = f"Not yet: the input is float32, but `{name}` is {yours.dtype}."
            text = "A gradient has the dtype of its input."
            return Note("wrong", title, text=(text,))
        right = measure(self.forward, point.inputs, point.g)[i]
        wrong = np.argwhere(~np.isclose(yours, right, rtol=1e-5, atol=1e-7))
        return self._wrong(fn, point, i, tuple(wrong[0]), yours, right) if len(wrong) else None

    def _wrong(self, fn, point: _Point, i: int, at: tuple, yours, right) -> Note:
        """The entry that is wrong first, what it should be, and what the mistake looks like."""
        entry = self.returns[i] + (str([int(k) for k in at]) if at else "")
        given = {"g": point.g} | point.inputs if self.takes_g else point.inputs
        given_there = ", ".join(f"{name} = {_short(x[at])}" for name, x in given.items())
        rows = [("at", given_there), ("yours", _short(yours[at]))]
        rows.append(("right", f"{_short(right[at])} (measured)"))
        if abs(right[at]) > 1e-7:
            rows.append(("yours / right", f"{yours[at] / right[at]:.4g}"))
        planted = self.defined_by(self.planted) if self.planted else None
        if planted is None or not self._agree(fn, planted):
            title = f"Not yet: `{entry}` is wrong {point.where}."
            return Note("wrong", title, tuple(rows), text=(self._diagnose(fn, i),))
        title = f"Not mended yet: `{entry}` is wrong {point.where}."
        if same_code(fn, planted):
            return Note("todo", title, tuple(rows))
        text = (
            "It still returns what it returned before: what you changed makes no difference to it."
        )
        return Note("wrong", title, tuple(rows), text=(text,))

    def _diagnose(self, fn: Callable, i: int) -> str:
        """What the mistake looks like, on random arrays where chance plays no part; or ""."""
        point = self._random()
        yours = _array(_outputs(fn, self._values(point))[i])
        right = measure(self.forward, point.inputs, point.g)
        slopes = measure(self.forward, point.inputs)
        known = {
            told: _array(_outputs(mistake, self._values(point))[i])
            for told, mistake in self.mistakes.items()
        }
        if self.takes_g:
            known[
                "`g` was forgotten: that is the slope alone. The gradient that arrives must be "
                "multiplied in."
            ] = slopes[i]
        known["Only the sign is wrong."] = -right[i]
        known["It is twice what it should be: something was counted twice."] = 2 * right[i]
        for j, name in enumerate(self.returns):
            if j != i:
                known[f"That is what `{name}` should be: the two look swapped."] = right[j]
        return next((told for told, pattern in known.items() if _alike(yours, pattern)), "")

    def _agree(self, fn: Callable, other: Callable) -> bool:
        """Whether both functions return the same on random arrays."""
        values = self._values(self._random())
        return all(map(_alike, map(_array, _outputs(fn, values)), _outputs(other, values)))


def measure(forward: Callable, inputs: Values, g: Any = 1.0) -> list[np.ndarray]:
    """The gradient of sum(g * forward(*inputs)) for every input, by central differences.

    The formula is (f(x + h) - f(x - h)) / 2h, for one entry after another, with h = 1e-5 of its
    size, near the best for float64.

    >>> inputs = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    >>> [dx.round(6).tolist() for dx in measure(lambda x, y: x * y, inputs, g=10.0)]
    [[30.0, 40.0], [10.0, 20.0]]
    """
    gradients = []
    for name, x in inputs.items():
        dx = np.zeros(x.shape)
        for i in np.ndindex(x.shape):
            h = np.zeros(x.shape)
            h[i] = 1e-5 * max(1.0, abs(x[i]))
            right, left = ({**inputs, name: moved} for moved in (x + h, x - h))
            rise = forward(*right.values()) - forward(*left.values())
            dx[i] = np.sum(g * rise) / (2 * h[i])
        gradients.append(dx)
    return gradients


def _outputs(fn: Callable, values: Values) -> list[Any]:
    """What fn returns for what it asks for: numpy arrays, or Tensors if it fails on those."""
    asked = {name: values[name] for name in inspect.signature(fn).parameters}
    try:
        result = fn(**asked)
    except Exception as error:
        try:
            result = fn(**{name: Tensor(x) for name, x in asked.items()})
        except Exception:
            raise error from None
    return list(result) if isinstance(result, tuple | list) else [result]


def _array(x: Any) -> np.ndarray:
    try:
        return np.asarray(x.asnumpy() if isinstance(x, Tensor) else x)
    except ValueError:  # rows of different lengths
        return np.asarray(None)


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-7)


def _short(x: Any) -> str:
    """Six digits; a measured zero is 0."""
    return f"{0.0 if abs(x) < 1e-8 else float(x):.6g}"
