"""Exercises in which the student writes gradients: a rule of an op, or a whole backward pass.

What is right is measured, by central differences of the program whose gradients are asked for.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minigrad import Tensor

from ..text import count
from .compare import as_array, diagnose, nearly, shown
from .exercise import Exercise, Mistakes, holds_gap, kind, listed, one_by_one
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
    r"""Write a function that returns the gradients of `forward`.

    The student's function may ask by name for the inputs of `forward`, for `out`, what it made, and
    for `g`, the gradient of that. With `takes_g=False` there is no `g` to ask for: it is 1.
    `returns` names the gradients, one for each input but for those that are whole: an integer, an
    array of them or a tuple, such as an axis, an index or a shape. They are handed on as they are.
    It may be written for numpy or for Tensors.

    It is tried at the friendly values with g = 1, then g = 10, at another point, on random arrays,
    on float32, and at each edge. The random arrays are what `random` draws from a numpy Generator;
    without it, they have the shapes of the friendly values, and of shape (2, 3) where these are
    numbers. So a rule that mixes entries, as a sum does, has friendly arrays. `mistakes` are
    functions like the student's, each, or several, with what to say to whoever wrote it.

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
    friendly: Mapping[str, Any]
    another: Mapping[str, Any] | None = None
    random: Callable[[np.random.Generator], Mapping[str, Any]] | None = None
    edge: Sequence[Mapping[str, Any]] = ()
    mistakes: Mistakes = field(default_factory=dict)
    takes_g: bool = True

    def _judge(self, *answer: Any) -> Note:
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

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The mistakes, as answers."""
        return [(told, (mistake,)) for told, mistake in one_by_one(self.mistakes)]

    def _right(self) -> Note:
        title = f"Right: `{self.name}` agrees with measuring, everywhere it was tried."
        return Note("right", title)

    def _points(self) -> list[_Point]:
        """Where a function is tried, in this order."""
        many = self._random()
        small = {name: _cast(x, np.float32) for name, x in many.inputs.items()}
        return [
            self._point("at the first point", self.friendly, 1.0),
            *([self._point("with a larger `g`", self.friendly, 10.0)] if self.takes_g else []),
            *([self._point("at another point", self.another, 1.0)] if self.another else []),
            many,
            _Point("on float32", small, _cast(many.g, np.float32)),
            *(self._point("at an edge", inputs, 1.0) for inputs in self.edge),
        ]

    def _point(self, where: str, inputs: Mapping[str, Any], g: float) -> _Point:
        """These inputs, in float64 unless they are whole, and every entry of g the same."""
        arrays = {name: _input(x) for name, x in inputs.items()}
        return _Point(where, arrays, np.full(self._out(arrays).shape, g)[()])

    def _random(self) -> _Point:
        draw = np.random.default_rng(2)
        if self.random is None:
            inputs = {name: _drawn(draw, _input(x)) for name, x in self.friendly.items()}
        else:
            inputs = {name: _input(x) for name, x in self.random(draw).items()}
        shape = self._out(inputs).shape
        g = draw.uniform(-2, 2, shape) if self.takes_g else np.ones(shape)
        return _Point("on random arrays", inputs, np.asarray(g)[()])

    def _out(self, inputs: Values) -> np.ndarray:
        return as_array(self.forward(*inputs.values()))

    def _values(self, point: _Point) -> Values:
        """All that the function may ask for, in copies."""
        values = {"g": point.g, **point.inputs, "out": self._out(point.inputs)[()]}
        return {name: copy.copy(x) for name, x in values.items()}

    def _judge_at(self, fn: Callable, point: _Point) -> Note | None:
        """What is wrong at this point, if anything."""
        given = self._values(point)
        try:
            results = _outputs(fn, given)
        except Exception as error:
            asked = inspect.signature(fn).parameters
            given = {name: x for name, x in self._values(point).items() if name in asked}
            return self.stopped(fn, error, point.where, given)
        if len(results) == 1 and results[0] is None:
            text = "Is there a `return`, and a value after it?"
            return Note("todo", f"Not done yet: `{self.name}` returned nothing.", text=(text,))
        unfinished = [n for n, x in zip(self.returns, results, strict=False) if holds_gap(x)]
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
        name, x = self.returns[i], _floats(point.inputs)[i]
        if result is None:
            text = "Is there a `return`, and a value after it?"
            return Note("wrong", f"Not yet: `{name}` is `None`.", text=(text,))
        yours = as_array(result)
        if yours.dtype.kind not in "fiu":
            title = f"Not yet: `{name}` should be a number or an array; it is {kind(result)}."
            return Note("wrong", title)
        if yours.shape != x.shape:
            title = f"Not yet: `{name}` has shape {yours.shape}, but its input has {x.shape}."
            text = "A gradient has one entry for each entry of its input."
            return Note("wrong", title, text=(text, self._diagnose(fn, point, i)))
        if point.where == "on float32":
            if yours.dtype == x.dtype:
                return None
            title = f"Not yet: for an input in float32, `{name}` should be float32, too."
            rows = ("yours", str(yours.dtype)), ("right", "float32")
            text = (
                "A gradient has the dtype of its input. A plain 2.0 takes the dtype of what it "
                "meets; `np.float64(2.0)` and `np.array(2.0)` bring float64 with them."
            )
            return Note("wrong", title, rows, text=(text,))
        right = measure(self.forward, point.inputs, point.g)[i]
        wrong = np.argwhere(~np.isclose(yours, right, rtol=1e-5, atol=1e-7))
        return self._wrong(fn, point, i, tuple(wrong[0]), yours, right) if len(wrong) else None

    def _wrong(self, fn, point: _Point, i: int, at: tuple, yours, right) -> Note:
        """The entry that is wrong first, what it should be, and what the mistake looks like."""
        entry = self.returns[i] + (str([int(k) for k in at]) if at else "")
        given = {"g": point.g} | point.inputs if self.takes_g else point.inputs
        mixes = any(map(np.ndim, self.friendly.values()))
        given_there = ", ".join(
            f"{name} = {shown(x) if mixes or _is_whole(x) else _short(x[at])}"
            for name, x in given.items()
        )
        rows = [("at", given_there), ("yours", _short(yours[at]))]
        rows.append(("right", f"{_short(right[at])} (measured)"))
        if abs(right[at]) > 1e-7:
            rows.append(("yours / right", f"{yours[at] / right[at]:.4g}"))
        told, text = "Not yet", self._diagnose(fn, point, i)
        if self.planted and self._agree(fn, self.defined_by(self.planted)):
            told = "Not mended yet"
            text = "It still returns what it returned before: what you changed makes no difference."
        return Note(
            "wrong", f"{told}: `{entry}` is wrong {point.where}.", tuple(rows), text=(text,)
        )

    def _diagnose(self, fn: Callable, at: _Point, i: int) -> str:
        """What the mistake looks like, there and on random arrays where chance has no part."""
        points = (at, self._random())
        yours = [self._tried(fn, point)[i : i + 1] for point in points]
        if not any(yours):
            return ""
        right = [measure(self.forward, point.inputs, point.g) for point in points]
        known = [
            (told, [self._tried(mistake, point)[i : i + 1] for point in points])
            for told, mistake in one_by_one(self.mistakes)
        ]
        if self.takes_g:
            known += [
                (f"{told} And `g` was forgotten.", [dx[i : i + 1] for dx in alone])
                for told, mistake in one_by_one(self.mistakes)
                for alone in [[self._tried(mistake, replace(p, g=p.g * 0 + 1)) for p in points]]
            ]
            told = "`g` was forgotten: that is the slope alone. The gradient that arrives must be "
            told += "multiplied in."
            known.append((told, [measure(self.forward, p.inputs)[i : i + 1] for p in points]))
        for j, name in enumerate(self.returns):
            alike = all(dx[j].shape == dx[i].shape for dx in right)
            if j != i and (alike or self._swapped(fn, points, i, j)):
                told = f"That is what `{name}` should be: the two look swapped."
                known.append((told, [dx[j : j + 1] for dx in right]))
        for told, pattern in known:
            if all(
                len(a) == len(b) and all(map(_alike, a, b))
                for a, b in zip(yours, pattern, strict=True)
            ):
                return told
        if not all(yours):
            return ""
        pairs = [(a[0], dx[i]) for a, dx in zip(yours, right, strict=True)]
        return diagnose(pairs) or nearly(pairs)

    def _swapped(self, fn: Callable, points: Sequence[_Point], i: int, j: int) -> bool:
        """Whether fn returns the j-th gradient as the i-th, and the i-th as the j-th."""
        for point in points:
            yours, right = self._tried(fn, point), measure(self.forward, point.inputs, point.g)
            if len(yours) != len(right) or not _alike(yours[j], right[i]):
                return False
        return True

    def _agree(self, fn: Callable, other: Callable) -> bool:
        """Whether both functions return the same on random arrays."""
        mine, its = (self._tried(function, self._random()) for function in (fn, other))
        return len(mine) == len(its) > 0 and all(map(_alike, mine, its))

    def _tried(self, fn: Callable, point: _Point) -> list[np.ndarray]:
        """What fn returns at a point, as arrays; nothing if it stops there."""
        try:
            return [*map(as_array, _outputs(fn, self._values(point)))]
        except Exception:
            return []


def measure(forward: Callable, inputs: Values, g: Any = 1.0) -> list[np.ndarray]:
    """The gradient of sum(g * forward(*inputs)) for every input of floats, by central differences.

    The formula is (f(x + h) - f(x - h)) / 2h, for one entry after another, with h = 1e-5 of its
    size, near the best for float64.

    >>> inputs = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    >>> [dx.round(6).tolist() for dx in measure(lambda x, y: x * y, inputs, g=10.0)]
    [[30.0, 40.0], [10.0, 20.0]]
    """
    gradients = []
    for name, x in inputs.items():
        if _is_whole(x):
            continue
        dx = np.zeros(x.shape)
        for i in np.ndindex(x.shape):
            h = np.zeros(x.shape)
            h[i] = 1e-5 * max(1.0, abs(x[i]))
            sides = ({**inputs, name: moved} for moved in (x + h, x - h))
            right, left = (as_array(forward(*side.values())) for side in sides)
            dx[i] = np.sum(g * (right - left)) / (2 * h[i])
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


def _is_whole(x: Any) -> bool:
    """Whether an input is handed on as it is, and has no gradient."""
    return isinstance(x, int | tuple) or (isinstance(x, np.ndarray) and x.dtype.kind in "iu")


def _input(x: Any) -> Any:
    """An input: what is whole as it is, all else in float64."""
    return x if _is_whole(x) else np.asarray(x, float)[()]


def _floats(inputs: Values) -> list[Any]:
    """The inputs that have a gradient."""
    return [x for x in inputs.values() if not _is_whole(x)]


def _cast(x: Any, dtype: Any) -> Any:
    return x if _is_whole(x) else x.astype(dtype)


def _drawn(draw: np.random.Generator, like: Any) -> Any:
    """Random entries in the shape of an input; instead of a number, six of them."""
    return like if _is_whole(like) else draw.uniform(-2, 2, like.shape or (2, 3))


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-7)


def _short(x: Any) -> str:
    """Six digits; a measured zero is 0."""
    return f"{0.0 if abs(x) < 1e-8 else float(x):.6g}"
