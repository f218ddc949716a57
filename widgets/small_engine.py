"""The engine that lesson 3 builds, as its checks see it: it notices who asks too often.

Its programs are run with plain numbers, which measures their gradients, and with `Value`, where a
student's function is to find them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .lesson import Note
from .lesson.exercise import Mistakes, one_by_one

ENOUGH = 50_000  # visits in a small program: more is a walk without an end


class Value:
    """The notebook's `Value`, which also counts how often any of them is asked what it read."""

    made: list[Value] = []  # noqa: RUF012  # meant to be shared: the record of one run
    most = 0  # how often they may be asked, all together

    def __init__(self, data: float, *reads: tuple[Value, float]):
        self.data, self._reads, self.grad = data, reads, 0.0
        self.sent: float | None = None  # what had arrived when it was last asked what it had read
        Value.made.append(self)

    def __add__(self, other: Value) -> Value:
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other: Value) -> Value:
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    @property
    def reads(self) -> tuple[tuple[Value, float], ...]:
        """What was read to make it, each with the slope for it."""
        Value.most -= 1
        if Value.most < 0:
            raise TooOften
        self.sent = self.grad if self._reads else None
        return self._reads


class TooOften(Exception):
    """Values were asked what they read more often than a check allows."""


def begin(most: int) -> None:
    """Begin a new record, in which values may be asked so often what they read."""
    Value.made, Value.most = [], most


def backward(result: Any) -> None:
    """Sweep from a result: add to `grad` of every value that it was made from.

    It sends from a value when all who read it have sent (A. B. Kahn, *Topological sorting of large
    networks*, 1962).
    """
    waits = Counter[int]()  # for how many parts each value waits
    found, seen = [result], {id(result)}
    for value in found:
        for source, _ in value.reads:
            waits[id(source)] += 1
            if id(source) not in seen:
                seen.add(id(source))
                found.append(source)
    result.grad = 1.0
    ready = [result]
    while ready:
        value = ready.pop()
        for source, slope in value.reads:
            source.grad += value.grad * slope
            waits[id(source)] -= 1
            if waits[id(source)] == 0:
                ready.append(source)


def _twice(a):
    b = a + a
    return b + b


def _knot(a):
    b = a + a
    c = b * a
    return c + b


def _late(a, b):
    s = a * b
    t = s + a
    return t * s


def _ladder(a, b):
    s = a + b
    for _ in range(4):
        s, b = s * b, s + a
    return s + b * a


PROGRAMS: dict[str, tuple[Callable, dict[str, float]]] = {
    "twice": (_twice, {"a": 5.0}),
    "knot": (_knot, {"a": 3.0}),
    "late": (_late, {"a": 2.0, "b": 3.0}),
    "a longer program": (_ladder, {"a": 0.5, "b": -0.7}),
}
Gradients = dict[str, dict[str, float]]  # by program and input
Run = Callable[[Any, Value, list[Value]], Any]  # of the student's function, result, and record


def right_gradients() -> Gradients:
    """The gradients of all programs, by central differences."""
    right: Gradients = {}
    for name, (program, at) in PROGRAMS.items():
        slopes = []
        for step in 1e-6 * np.eye(len(at)):
            ends = (program(*(np.array([*at.values()]) + side)) for side in (step, -step))
            slopes.append(float(np.subtract(*ends) / 2e-6))
        right[name] = dict(zip(at, slopes, strict=True))
    return right


def found_gradients(run: Run, fn: Any) -> Gradients:
    """The gradients of all programs as the student's function leaves them."""
    found: Gradients = {}
    for name, (program, at) in PROGRAMS.items():
        begin(ENOUGH)
        inputs = {key: Value(x) for key, x in at.items()}
        run(fn, program(*inputs.values()), [*Value.made])
        found[name] = {key: value.grad for key, value in inputs.items()}
    return found


def alike(a: Any, b: Any) -> bool:
    """Whether numbers agree, as far as measuring can tell."""
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-7))


def _same(a: Gradients, b: Gradients) -> bool:
    return all(alike([*a[name].values()], [*b[name].values()]) for name in PROGRAMS)


def wrong_gradient(run: Run, fn: Any, known: Mistakes) -> Note | None:
    """What is wrong first with the gradients of the programs, if anything."""
    found, right = found_gradients(run, fn), right_gradients()
    for name, (_, at) in PROGRAMS.items():
        for key in at:
            yours, wanted = found[name][key], right[name][key]
            if alike(yours, wanted):
                continue
            where = ", ".join(f"{k} = {x:g}" for k, x in at.items())
            rows = (
                ("at", f"{name}, {where}"),
                ("yours", f"{yours:g}"),
                ("right", f"{wanted:g} (measured)"),
            )
            told = (
                text
                for text, wrong in one_by_one(known)
                if _same(found, found_gradients(run, wrong))
            )
            return Note("wrong", f"Not yet: `{key}.grad` is wrong.", rows, text=(next(told, ""),))
    return None
