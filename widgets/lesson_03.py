"""Lesson 3, "Sharing, order, adding": its prediction and its exercises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .lesson import Lesson, Note, Prediction, TaskExercise
from .lesson.exercise import Mistakes, one_by_one
from .small_engine import (
    ENOUGH,
    PROGRAMS,
    TooOften,
    Value,
    alike,
    backward,
    begin,
    right_gradients,
    wrong_gradient,
)  # fmt: skip
from .stepper import BackwardStepper, step_backward
from .text import count

__all__ = [
    "LESSON", "backward", "check", "hint", "predict", "progress", "reveal", "solution",
]  # fmt: skip

LESSON = Lesson("03_sharing_order_adding", "Sharing, order, adding")


def _changed(source: str, *changes: tuple[str, str]) -> Callable:
    """The function that a solution defines if it is changed so: a mistake in it."""
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    space: dict[str, Any] = {"backward": backward}
    exec(source, space)
    return [*space.values()][-1]


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
            4.0: "`c` is twice `b`, and `b` is twice `a`.",
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
    begin(ENOUGH)
    PROGRAMS["knot"][0](Value(3.0))
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
    (
        "b",
        (1.0, 18.0),
    ): "18 is the value of `c`. What is sent is 1.0 times the slope, not the value.",
    ("b", (1.0, 1.0)): "`c` is made by `*`: for `b` its slope is the value of `a`.",
    ("b", (3.0, 3.0)): "`c + b` sends what it has, 1.0, to each of the two.",
    (
        "a",
        (1.0, 3.0, 6.0),
    ): "`b` sent one of its parts along each arrow. It adds them, and sends the sum along both.",
    ("a", (3.0, 4.0, 4.0)): "The slope of `b * a` for `a` is the other one, `b`.",
    ("a", (1.0, 1.0, 6.0)): "`b` sent on only what arrived first. It sends the sum of its parts.",
    ("a", (3.0, 3.0, 6.0)): "`b` sent on only what arrived last. It sends the sum of its parts.",
    ("a", (4.0, 4.0, 4.0)): "One part comes from `b * a`, two from `a + a`.",
    ("a", (2.0, 2.0, 6.0)): "`b` sends the sum of its parts, and each use of `a` gets all of it.",
}
_PART = "A part is what arrived at the value that a line makes, times the slope for what it reads."


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
        if not alike(yours, sorted(wanted)):
            told = (t for (n, wrong), t in _ARRIVES.items() if n == name and alike(yours, wrong))
            title = f"Not yet: a part of `{name}` is wrong."
            return Note("wrong", title, (("yours", str([*parts])),), text=(next(told, _PART),))
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
            ("the sum along both", {"c": [1], "b": [1, 3], "a": [6, 1, 3]}),
            ("each use of `a` gets all", {"c": [1], "b": [1, 3], "a": [6, 2, 2]}),
            ("How often is `a` read?", {"c": [1], "b": [1, 3], "a": [6, 1, 1, 3, 3]}),
            ("How often is `b` read?", {"c": [1], "b": [4], "a": [6, 4, 4]}),
            ("A part is what arrived", {"c": [1], "b": [1, 3], "a": [12, 4, 4]}),
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
_WALK = """def walk(value, g):
    value.grad += g
    for source, slope in value.reads:
        walk(source, g * slope)"""
_NO_SLOPE = "What is sent must be multiplied by the slope."
_PLUS = "The slope is added to what is sent. It is to be multiplied in."
_WALKS: Mistakes = {
    "A later part replaces the one that was there. Parts add.": _changed(_WALK, ("+= g", "= g")),
    "One bug is left. When the second part comes to a value, the walker sends on all that has "
    "arrived, and so the first part once more. It may send on only what came this time.": (
        _changed(_WALK, ("g * slope", "value.grad * slope"))
    ),
    _NO_SLOPE: (
        _changed(_WALK, ("g * slope", "g")),
        _changed(_WALK, ("g * slope", "value.grad")),
    ),
    _PLUS: (
        _changed(_WALK, ("g * slope", "g + slope")),
        _changed(_WALK, ("g * slope", "value.grad + slope")),
    ),
    "What is sent is the slope alone; multiply it by the `g` that has come.": (
        _changed(_WALK, ("g * slope", "slope"))
    ),
    "The parts are taken off. They are to be added.": _changed(_WALK, ("+= g", "-= g")),
    "It goes on from a value only at the first visit, so the later parts are lost below it.": (
        _changed(_WALK, ("value.reads", "value.reads * (value.grad == g)"))
    ),
    "Each part is added twice: before the call, and in it.": (
        _changed(_WALK, ("        walk", "        source.grad += g * slope\n        walk"))
    ),
}


def _look_at_walk(walk: Callable) -> str | Note:
    try:
        return wrong_gradient(lambda fn, result, record: fn(result, 1.0), walk, _WALKS) or ""
    except TooOften:
        return "it makes 50,000 visits in a small program, and does not come to an end."


LESSON.add(
    TaskExercise(
        "walk",
        look=_look_at_walk,
        right="Right: every input has its gradient, in each program that was tried.",
        planted=_WALK.replace("+= g", "= g").replace("g * slope", "value.grad * slope"),
        stops={
            "RecursionError": "It calls itself without an end. From a `value` it is to go on to "
            "each `source` that this had read, and an input had read nothing."
        },
        wrong=[*one_by_one(_WALKS)],
        hints=(
            "The walker comes to `b` twice, once along each arrow. Write down what `b.grad` is "
            "each time, and what goes on to `a`.",
            "A part is added to what is there. And what goes on from here is this part alone, not "
            "all that has arrived.",
            "value.grad += g\nfor source, slope in value.reads:\n    walk(source, ___ * slope)",
        ),
        solution=_WALK,
        why="Each call carries one part down one way along the arrows. Every way is taken, and the "
        "parts add up at its end. That is right, but how many ways are there?",
    )
)

# ---------------------------------------------------------------------------- the loop
_SWEEP = """def sweep(record):
    record[-1].grad = 1.0
    for value in reversed(record):
        for source, slope in value.reads:
            source.grad += value.grad * slope"""
_NO_START = (
    "Nothing has arrived anywhere: `grad` of the result is 0.0 itself. The sweep begins with 1.0 "
    "there."
)
_NOTHING = "Nothing has arrived anywhere. Is each part added, and to `source.grad`?"
_FORWARD = (
    "Only what the result had read got something: all others sent before anything had come to "
    "them. In which order must they have their turn?"
)
_TOO_EARLY = (
    "A value has sent before all of its parts had come. The record knows an order in which none "
    "does."
)
_NEVER_RAN = "the loop never ran: what it goes through is empty."


def _in_a_queue(record: list[Value]) -> None:
    """Each value once, in the order in which they are seen from the result."""
    record[-1].grad, queue = 1.0, [record[-1]]
    for value in queue:
        for source, slope in value.reads:
            source.grad += value.grad * slope
            if source not in queue:
                queue.append(source)


_SWEEPS: Mistakes = {
    _NO_START: _changed(_SWEEP, ("    record[-1].grad = 1.0\n", "")),
    _FORWARD: _changed(_SWEEP, ("reversed(record)", "record")),
    _NO_SLOPE: _changed(_SWEEP, ("value.grad * slope", "value.grad")),
    _PLUS: _changed(_SWEEP, ("value.grad * slope", "value.grad + slope")),
    "A later part replaces the one that was there. Parts add.": _changed(_SWEEP, ("+=", "=")),
    "Those are the slopes alone; each must be multiplied by the gradient that has arrived.": (
        _changed(_SWEEP, ("value.grad * slope", "slope"))
    ),
}
_TOO_MANY = (
    "it goes along every way by itself: 60 doublings do not come to an end. Go to each value of "
    "the record once."
)
_TOO_DEEP = (
    "a program of 5,000 lines ends with a RecursionError. Let a loop go through the record, and "
    "let nothing call itself."
)
_RECURSION = """def sweep(record, first=True):
    value = record.pop()
    value.grad += 1.0 * first
    for source, slope in value.reads:
        source.grad += value.grad * slope
    if record:
        sweep(record, False)"""


def _why(sweep: Callable, told: str) -> str:
    """What is wrong with a sweep: what is `told` of its gradients, or what its records show."""
    records = []
    for program, at in PROGRAMS.values():
        begin(ENOUGH)
        program(*map(Value, at.values()))
        records.append(Value.made)
        sweep([*Value.made])
    if told in (_NO_START, _FORWARD, _NOTHING):  # in all three the inputs get nothing
        if not any(record[-1].grad for record in records):
            return _NO_START
        sent = any(value.grad for record in records for value in record[:-1])
        return _FORWARD if sent else _NOTHING
    early = any(x.sent not in (None, x.grad) for record in records for x in record)
    return told or _TOO_EARLY * early


def _look_at_sweep(sweep: Callable) -> str | Note:
    try:
        begin(ENOUGH)
        PROGRAMS["twice"][0](Value(5.0))
        sweep([*Value.made])
        if Value.most == ENOUGH:  # no value was asked what it had read
            return _NEVER_RAN
        note = wrong_gradient(lambda fn, result, record: fn(record), sweep, _SWEEPS)
        if note is not None:
            return replace(note, text=(_why(sweep, *note.text),))
        for lines, doubling in ((60, True), (5000, False)):
            begin(20 * lines)
            first = last = Value(1.0)
            for _ in range(lines):
                last = last + (last if doubling else first)
            sweep([*Value.made])
            wanted = 2.0**lines if doubling else lines + 1.0
            if first.grad != wanted:
                return f"after {lines} lines, `x.grad` is {first.grad:g}, not {wanted:g}."
    except TooOften:
        return _TOO_MANY
    except RecursionError:
        return _TOO_DEEP
    return ""


LESSON.add(
    TaskExercise(
        "sweep",
        look=_look_at_sweep,
        right="Right: also for 60 doublings, and for a program of 5,000 lines.",
        stops={
            "NoneType": "`record.reverse()` turns the list round and returns `None`. "
            "`reversed(record)` returns what a loop can go through.",
            "'int' object": "`range` gives numbers. The value with the number `i` is `record[i]`.",
            "IndexError": "The last value of the record has the number `len(record) - 1`.",
        },
        wrong=[
            *one_by_one(_SWEEPS),
            (_NOTHING, _changed(_SWEEP, ("source.grad +=", "slope +="))),
            (_TOO_EARLY, _in_a_queue),
            (_NEVER_RAN, _changed(_SWEEP, ("reversed(record)", "record[:-1:-1]"))),
            (_TOO_MANY, lambda record: _changed(_WALK)(record[-1], 1.0)),
            (_TOO_DEEP, _changed(_RECURSION)),
        ],
        hints=(
            "In which order must the values have their turn, if each is to be complete by then?",
            "Go through the record backwards. Each value adds its own gradient, times the slope, "
            "to every value that it read.",
            "for value in ___(record):\n    for source, slope in value.reads:\n"
            "        source.grad += value.grad * slope",
        ),
        solution=_SWEEP,
        why="When a value has its turn, all who read it stand later on the record, so they have "
        "sent already. Each value is visited once, and no call waits for another.",
    )
)

# ---------------------------------------------------------------------------- call it twice
_GRADIENT = """def gradient(program, x):
    x.grad = 0.0
    y = program(x)
    backward(y)
    return x.grad"""
_CLEAR = ("    x.grad = 0.0\n", "")
_LEFT_OVER = "Something of the call before is still in it. Which value was there before, and stays?"
_TOO_LATE = "It was set to zero after the sweep. It must be zero before."
_HALVED = "Halving mends the second call, but then the first is wrong, and the third."
_FROM_THE_START = (
    "It is wrong from the start. Does the sum begin at zero, is there one sweep, from the result, "
    "and is it `x.grad` that is returned?"
)


def _look_at_gradient(gradient: Callable) -> str | Note:
    right = right_gradients()
    begin(ENOUGH)
    x = Value(3.0)
    for which, name in (("first", "knot"), ("second", "knot"), ("third", "twice")):
        slope = right[name]["a"]
        found = gradient(PROGRAMS[name][0], x)
        if found is None:
            return "`gradient` returned nothing."
        if not alike(found, slope):
            rows = [("at", f"{name}, a = 3"), ("yours", f"{found:g}")]
            rows.append(("right", f"{slope:g} (measured)"))
            text = _FROM_THE_START if which == "first" else _LEFT_OVER
            if found == 0:
                text = _TOO_LATE
            elif which == "first" and alike(found, slope / 2):
                text = _HALVED
            return Note("wrong", f"Not yet: the {which} call is wrong.", tuple(rows), text=(text,))
    return ""


LESSON.add(
    TaskExercise(
        "gradient",
        look=_look_at_gradient,
        right="Right: each call begins from zero.",
        planted=_GRADIENT.replace(*_CLEAR),
        given={"backward": backward},
        stops={"NoneType": "A sum begins at 0.0. To `None` nothing can be added."},
        wrong=[
            (_LEFT_OVER, _changed(_GRADIENT, _CLEAR, ("    back", "    y.grad = 0.0\n    back"))),
            (_TOO_LATE, _changed(_GRADIENT, _CLEAR, ("    ret", "    x.grad = 0.0\n    ret"))),
            (_HALVED, _changed(_GRADIENT, _CLEAR, ("return x.grad", "return x.grad / 2"))),
            (_FROM_THE_START, _changed(_GRADIENT, ("backward(y)", "backward(y), backward(y)"))),
            (_FROM_THE_START, _changed(_GRADIENT, ("0.0", "1.0"))),
            (_FROM_THE_START, _changed(_GRADIENT, ("return x", "return y"))),
        ],
        hints=(
            "Print `x.grad` at the beginning of each call.",
            "`y` is made anew by each call, `x` is not. The sweep adds to what `x.grad` holds.",
            "x.grad = ___\ny = program(x)",
        ),
        solution=_GRADIENT,
        why="A sum needs a beginning. Libraries that keep gradients on their tensors ask you to "
        "clear them before each step; `ms.grad` keeps none, and returns new ones.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
