"""Lesson 3, "Sharing, order, adding": its prediction, its exercises, and a right `backward`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .lesson import Lesson, Note, Prediction, TaskExercise
from .stepper import BackwardStepper, step_backward
from .text import count

__all__ = [
    "LESSON", "backward", "check", "hint", "predict", "progress", "reveal", "solution",
]  # fmt: skip

LESSON = Lesson("03_sharing_order_adding", "Sharing, order, adding")


# ---------------------------------------------------------------------------- the small engine
class Value:
    """The notebook's `Value`, which also counts how often any of them is asked what it read."""

    made: list[Value] = []  # noqa: RUF012  # meant to be shared: the record of one run
    most = 0  # how often they may be asked, all together

    def __init__(self, data: float, *reads: tuple[Value, float]):
        self.data, self._reads, self.grad = data, reads, 0.0
        Value.made.append(self)

    def __add__(self, other: Value) -> Value:
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other: Value) -> Value:
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    @property
    def reads(self) -> tuple[tuple[Value, float], ...]:
        Value.most -= 1
        if Value.most < 0:
            raise _TooOften
        return self._reads


class _TooOften(Exception):
    pass


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


# ---------------------------------------------------------------------------- the programs
def twice(a):
    b = a + a
    return b + b


def knot(a):
    b = a + a
    c = b * a
    return c + b


def late(a, b):
    s = a * b
    t = s + a
    return t * s


def ladder(a, b):
    s = a + b
    for _ in range(4):
        s, b = s * b, s + a
    return s + b * a


PROGRAMS: dict[str, tuple[Callable, dict[str, float]]] = {
    "twice": (twice, {"a": 5.0}),
    "knot": (knot, {"a": 3.0}),
    "late": (late, {"a": 2.0, "b": 3.0}),
    "a longer program": (ladder, {"a": 0.5, "b": -0.7}),
}
Gradients = dict[str, dict[str, float]]  # by program and input
Run = Callable[[Any, Value, list[Value]], Any]  # of the student's function, result, and record


def _right() -> Gradients:
    """The gradients of all programs, by central differences."""
    right: Gradients = {}
    for name, (program, at) in PROGRAMS.items():
        slopes = []
        for step in 1e-6 * np.eye(len(at)):
            ends = (program(*(np.array([*at.values()]) + side)) for side in (step, -step))
            slopes.append(float(np.subtract(*ends) / 2e-6))
        right[name] = dict(zip(at, slopes, strict=True))
    return right


def _found(run: Run, fn: Any) -> Gradients:
    """The gradients of all programs as the student's function leaves them."""
    found: Gradients = {}
    for name, (program, at) in PROGRAMS.items():
        Value.made, Value.most = [], 50_000
        inputs = {key: Value(x) for key, x in at.items()}
        run(fn, program(*inputs.values()), [*Value.made])
        found[name] = {key: value.grad for key, value in inputs.items()}
    return found


def _alike(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-7))


def _same(a: Gradients, b: Gradients) -> bool:
    return all(_alike([*a[name].values()], [*b[name].values()]) for name in PROGRAMS)


def _look(run: Run, fn: Any, known: dict[str, Callable]) -> Note | None:
    """What is wrong first with the gradients of the programs, if anything."""
    found, right = _found(run, fn), _right()
    for name, (_, at) in PROGRAMS.items():
        for key in at:
            yours, wanted = found[name][key], right[name][key]
            if _alike(yours, wanted):
                continue
            where = ", ".join(f"{k} = {x:g}" for k, x in at.items())
            rows = (
                ("at", f"{name}, {where}"),
                ("yours", f"{yours:g}"),
                ("right", f"{wanted:g} (measured)"),
            )
            told = (text for text, wrong in known.items() if _same(found, _found(run, wrong)))
            return Note("wrong", f"Not yet: `{key}.grad` is wrong.", rows, text=(next(told, ""),))
    return None


# ---------------------------------------------------------------------------- the prediction
def _show(program: Callable, *inputs: Any) -> tuple[BackwardStepper, dict[str, float]]:
    """The sweep of the program, its only gradient, and how many steps it takes."""
    stepper = step_backward(program, *inputs)
    return stepper, {"a": float(stepper.gradients["a"]), "steps": stepper.last}


LESSON.add(
    Prediction(
        "twice",
        show=_show,
        a={
            4.0: "Twice the `b`s, of twice the `a`s.",
            1.0: "is one of the parts. Two arrive at `b`, and what `b` sends arrives twice at `a`; "
            "they add to {right}.",
            2.0: "is what one of the two lines does. Each doubles, so it is {right}.",
            3.0: "is not it. Each of two lines doubles, so it is {right}.",
            6.0: "is what comes out if `b` sends on its first part, and then both together. It "
            "waits for both, and sends once: {right}.",
            8.0: "would be three doublings. There are two: {right}.",
            5.0: "is the value of `a`, not its gradient. If `a` moves by 1, `c` moves by {right}.",
            20.0: "is the value of `c`. The gradient says how far `c` moves if `a` moves by 1: "
            "{right}.",
        },
        steps={
            2.0: "Each op is visited once.",
            1.0: "would be the op of `c` alone. The op of `b` has to send, too: {right}.",
            3.0: "counts the op of `b` once for each part that arrives. But it waits for both and "
            "sends once: {right}.",
            4.0: "is the number of arrows. A step sends along all arrows of an op at once: "
            "{right}.",
            6.0: "goes each way along the arrows by itself. A step sends the sum of what arrived, "
            "once: {right}.",
        },
    )
)


# ---------------------------------------------------------------------------- by hand
def _parts() -> dict[str, list[float]]:
    """What arrives at each value of knot, as a right sweep sends it."""
    Value.made, Value.most = [], 50_000
    knot(Value(3.0))
    record = dict(zip(["a", "b", "c", "knot"], Value.made, strict=True))
    backward(record["knot"])
    parts: dict[str, list[float]] = {"c": [], "b": [], "a": []}
    for value in record.values():
        for source, slope in value.reads:
            name = next(name for name, each in record.items() if each is source)
            parts[name].append(value.grad * slope)
    return parts


_ARRIVES = {
    ("b", (1.0, 6.0)): "The slope of `b * a` for `b` is the other one, `a`.",
    ("b", (1.0, 1.0)): "`c` is made by `*`: for `b` its slope is the value of `a`.",
    ("b", (3.0, 3.0)): "`c + b` sends what it has, 1.0, to each of the two.",
    ("a", (3.0, 4.0, 4.0)): "The slope of `b * a` for `a` is the other one, `b`.",
    ("a", (1.0, 1.0, 6.0)): "`b` sent on only what arrived first. It sends the sum of its parts.",
    ("a", (3.0, 3.0, 6.0)): "`b` sent on only what arrived last. It sends the sum of its parts.",
    ("a", (4.0, 4.0, 4.0)): "One part comes from `b * a`, two from `a + a`.",
    ("a", (2.0, 2.0, 6.0)): "`b` sends the sum of its parts, and each use of `a` gets all of it.",
    (
        "a",
        (6.0, 6.0, 6.0),
    ): "One part comes from `b * a`, two from `a + a`; what they send differs.",
}


def _look_at_arrives(arrives: Any) -> str | Note:
    right = _parts()
    if not isinstance(arrives, dict) or arrives.keys() != right.keys():
        return '`arrives` should be a dict with the names `"c"`, `"b"` and `"a"`.'
    for name, wanted in right.items():
        parts = arrives[name]
        if not isinstance(parts, list | tuple) or not all(
            isinstance(x, int | float | np.number) for x in parts
        ):
            return f'`arrives["{name}"]` should be a list of numbers.'
        if len(parts) != len(wanted):
            title = f"Not yet: `{name}` does not get {count(len(parts), 'part')}."
            text = f"How often is `{name}` read? It gets a part for each time, and sends their sum."
            return Note("wrong", title, text=(text,))
        yours = sorted(map(float, parts))
        if not _alike(yours, sorted(wanted)):
            told = (t for (n, wrong), t in _ARRIVES.items() if n == name and _alike(yours, wrong))
            title = f"Not yet: a part of `{name}` is wrong."
            return Note("wrong", title, (("yours", str([*parts])),), text=(next(told, ""),))
    return ""


LESSON.add(
    TaskExercise(
        "arrives",
        look=_look_at_arrives,
        right="Right: that is what arrives, and no more.",
        wrong=[
            ("for `b` is the other one", {"c": [1], "b": [1, 6], "a": [6, 7, 7]}),
            ("for `a` is the other one", {"c": [1], "b": [1, 3], "a": [3, 4, 4]}),
            ("only what arrived first", {"c": [1], "b": [1, 3], "a": [6, 1, 1]}),
            ("only what arrived last", {"c": [1], "b": [1, 3], "a": [6, 3, 3]}),
            ("each use of `a` gets all", {"c": [1], "b": [1, 3], "a": [6, 2, 2]}),
            ("How often is `a` read?", {"c": [1], "b": [1, 3], "a": [6, 1, 1, 3, 3]}),
            ("How often is `b` read?", {"c": [1], "b": [4], "a": [6, 4, 4]}),
            ("should be a dict", [1, 1, 3, 6, 4, 4]),
        ],
        hints=(
            "Begin at the last line and go up. For each value that a line reads, write down what "
            "has arrived at what the line makes, times the slope.",
            "`+` sends on what it has. `*` sends it times the other value: at 3.0, `b` is 6.0. "
            "Before `b` sends, add up what arrived there.",
            'arrives = {"c": [1.0], "b": [1.0, 3.0], "a": [6.0, 4.0, ___]}',
        ),
        solution='arrives = {"c": [1.0], "b": [1.0, 3.0], "a": [6.0, 4.0, 4.0]}',
        why="`b` gets 1.0 from `c + b` and 3.0 from `b * a`, and sends their sum, 4.0, to both "
        "uses of `a`. The gradient of `a` is 6.0 + 4.0 + 4.0 = 14.0.",
    )
)


# ---------------------------------------------------------------------------- the walker
def _replaces(value, g):
    value.grad = g
    for source, slope in value.reads:
        _replaces(source, g * slope)


def _resends(value, g):
    value.grad += g
    for source, slope in value.reads:
        _resends(source, value.grad * slope)


def _forgets_slope(value, g):
    value.grad += g
    for source, _ in value.reads:
        _forgets_slope(source, g)


def _only_first(value, g):
    if value.grad == 0.0:
        value.grad += g
        for source, slope in value.reads:
            _only_first(source, g * slope)


def _late_add(value, g):
    value.grad = value.grad + g
    for source, slope in value.reads:
        source.grad += g * slope
        _late_add(source, g * slope)


_WALKS = {
    "A later part replaces the one that was there. Parts add.": _replaces,
    "One bug is left. When the second part comes to a value, the walker sends on all that has "
    "arrived, and so the first part once more. It may send on only what came this time.": _resends,
    "What is sent must be multiplied by the slope.": _forgets_slope,
    "It goes on from a value only at the first visit, so the later parts are lost below it.": (
        _only_first
    ),
    "Each part is added twice: before the call, and in it.": _late_add,
}


def _look_at_walk(walk: Callable) -> str | Note:
    try:
        return _look(lambda fn, result, record: fn(result, 1.0), walk, _WALKS) or ""
    except _TooOften:
        return "it makes 50,000 visits in a small program, and does not come to an end."


LESSON.add(
    TaskExercise(
        "walk",
        look=_look_at_walk,
        right="Right: every input has its gradient, in each program that was tried.",
        planted="def walk(value, g):\n    value.grad = g\n"
        "    for source, slope in value.reads:\n        walk(source, value.grad * slope)\n",
        wrong=[
            ("later part replaces", _replaces),
            ("the first part once more", _resends),
            ("multiplied by the slope", _forgets_slope),
            ("later parts are lost", _only_first),
            ("added twice", _late_add),
        ],
        hints=(
            "The walker comes to `b` twice, once along each arrow. Write down what `b.grad` is "
            "each time, and what goes on to `a`.",
            "A part is added to what is there. And what goes on from here is this part alone, not "
            "all that has arrived.",
            "value.grad += g\nfor source, slope in value.reads:\n    walk(source, ___ * slope)",
        ),
        solution="def walk(value, g):\n    value.grad += g\n"
        "    for source, slope in value.reads:\n        walk(source, g * slope)",
        why="Each call carries one part down one way along the arrows. Every way is taken, and the "
        "parts add up at its end. That is right, but how many ways are there?",
    )
)


# ---------------------------------------------------------------------------- the loop
def _forwards(record):
    record[-1].grad = 1.0
    for value in record:
        for source, slope in value.reads:
            source.grad += value.grad * slope


def _sets(record):
    record[-1].grad = 1.0
    for value in reversed(record):
        for source, slope in value.reads:
            source.grad = value.grad * slope


def _unseeded(record):
    for value in reversed(record):
        for source, slope in value.reads:
            source.grad += value.grad * slope


def _slopes_alone(record):
    record[-1].grad = 1.0
    for value in reversed(record):
        for source, slope in value.reads:
            source.grad += slope


def _calls_walk(record):
    _walk(record[-1], 1.0)


def _walk(value, g):
    value.grad += g
    for source, slope in value.reads:
        _walk(source, g * slope)


_SWEEPS = {
    "Nothing has arrived anywhere. Is each part added? Does the result begin with 1.0, and is it "
    "the first to send?": _forwards,
    "A later part replaces the one that was there. Parts add.": _sets,
    "Those are the slopes alone; each must be multiplied by the gradient that has arrived.": (
        _slopes_alone
    ),
}


def _look_at_sweep(sweep: Callable) -> str | Note:
    try:
        note = _look(lambda fn, result, record: fn(record), sweep, _SWEEPS)
        if note is not None:
            return note
        for lines, one in ((60, False), (5000, True)):
            Value.made, Value.most = [], 20 * lines
            x = Value(1.0)
            for _ in range(lines):
                x = x + (Value.made[0] if one else x)
            sweep([*Value.made])
            wanted = lines + 1.0 if one else 2.0**lines
            if Value.made[0].grad != wanted:
                return f"after {lines} lines, `x.grad` is {Value.made[0].grad:g}, not {wanted:g}."
    except _TooOften:
        return (
            "it goes along every way by itself: 60 doublings do not come to an end. Go to each "
            "value of the record once."
        )
    except RecursionError:
        return (
            "a program of 5,000 lines ends with a RecursionError. Let a loop go through the "
            "record, and let nothing call itself."
        )
    return ""


def _recurses(record):
    if record[-1].grad == 0.0:
        record[-1].grad = 1.0
    for source, slope in record[-1].reads:
        source.grad += record[-1].grad * slope
    if len(record) > 1:
        record.pop()
        _recurses_on(record)


def _recurses_on(record):
    value = record.pop()
    for source, slope in value.reads:
        source.grad += value.grad * slope
    if record:
        _recurses_on(record)


LESSON.add(
    TaskExercise(
        "sweep",
        look=_look_at_sweep,
        right="Right: also for 60 doublings, and for a program of 5,000 lines.",
        wrong=[
            ("is it the first to send?", _forwards),
            ("later part replaces", _sets),
            ("Does the result begin with 1.0", _unseeded),
            ("slopes alone", _slopes_alone),
            ("60 doublings do not come to an end", _calls_walk),
            ("RecursionError", _recurses),
        ],
        hints=(
            "In which order must the values have their turn, if each is to be complete by then?",
            "Go through the record backwards. Each value adds its own gradient, times the slope, "
            "to every value that it read.",
            "for value in ___(record):\n    for source, slope in value.reads:\n"
            "        source.grad += value.grad * slope",
        ),
        solution="def sweep(record):\n    record[-1].grad = 1.0\n"
        "    for value in reversed(record):\n        for source, slope in value.reads:\n"
        "            source.grad += value.grad * slope",
        why="When a value has its turn, all who read it stand later on the record, so they have "
        "sent already. Each value is visited once, and no call waits for another.",
    )
)


# ---------------------------------------------------------------------------- call it twice
def _clears_result(program, x):
    y = program(x)
    y.grad = 0.0
    backward(y)
    return x.grad


def _clears_too_late(program, x):
    y = program(x)
    backward(y)
    x.grad = 0.0
    return x.grad


def _halves(program, x):
    y = program(x)
    backward(y)
    return x.grad / 2


def _sweeps_twice(program, x):
    x.grad = 0.0
    y = program(x)
    backward(y)
    backward(y)
    return x.grad


def _look_at_gradient(gradient: Callable) -> str | Note:
    right = _right()
    Value.made, Value.most = [], 50_000
    x = Value(3.0)
    wanted = [("the first", knot, right["knot"]["a"])]
    wanted += [("the second", knot, right["knot"]["a"]), ("a third", twice, right["twice"]["a"])]
    for which, program, slope in wanted:
        found = gradient(program, x)
        if found is None:
            return "`gradient` returned nothing."
        if not _alike(found, slope):
            title = f"Not yet: {which} call is wrong."
            rows = [("at", f"{program.__name__}, a = 3"), ("yours", f"{found:g}")]
            rows.append(("right", f"{slope:g} (measured)"))
            return Note("wrong", title, tuple(rows), text=(_why_left_over(which, found, slope),))
    return ""


def _why_left_over(which: str, found: float, right: float) -> str:
    if found == 0:
        return "It was set to zero after the sweep. It must be zero before."
    if which == "the first" and _alike(found, right / 2):
        return "Halving mends the second call, but then the first is wrong, and the third."
    if which == "the first":
        return "It is wrong from the start: is there one sweep, from the result?"
    return "Something of the call before is still in it. Which value was there before, and stays?"


LESSON.add(
    TaskExercise(
        "gradient",
        look=_look_at_gradient,
        right="Right: each call begins from zero.",
        planted="def gradient(program, x):\n    y = program(x)\n    backward(y)\n    return x.grad",
        given={"backward": backward},
        wrong=[
            ("Something of the call before", _clears_result),
            ("set to zero after the sweep", _clears_too_late),
            ("Halving mends the second", _halves),
            ("is there one sweep", _sweeps_twice),
        ],
        hints=(
            "Print `x.grad` at the beginning of each call.",
            "`y` is made anew by each call, `x` is not. The sweep adds to what `x.grad` holds.",
            "x.grad = ___\ny = program(x)",
        ),
        solution="def gradient(program, x):\n    x.grad = 0.0\n    y = program(x)\n"
        "    backward(y)\n    return x.grad",
        why="A sum needs a beginning. Libraries that keep gradients on their tensors ask you to "
        "clear them before each step; `ms.grad` keeps none, and returns new ones.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
