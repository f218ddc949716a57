"""Lesson 5, "grad and value_and_grad": its prediction and its exercises."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

import minigrad as ms
from minigrad import Tensor, nn, ops

from .lesson import FunctionExercise, Lesson, Note, Prediction, TaskExercise, ValueExercise
from .signature_view import signature_map
from .text import count

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("05_grad_and_value_and_grad", "grad and value_and_grad")

LESSON.add(
    Prediction(
        "bed",
        wide={
            9.0: "The area grows by 7, the fence by 2, and both are returned.",
            7.0: "is how the area grows. But the fence is returned too, and grows by 2: {right}.",
            2.0: "is how the fence grows. But the area is returned too, and grows by 7: {right}.",
            6.0: "is the slope for long; the two look swapped. For wide it is {right}.",
            8.0: "counts one side of the fence; two of them grow: {right}.",
            14.0: "multiplies the two slopes; what arrives from two outputs is added: {right}.",
            4.5: "is the mean of the two slopes; they are added, not averaged: {right}.",
            28.0: "is the area, a value. The slope is how much more you get: {right}.",
        },
        long={
            6.0: "The area grows by 4, the fence by 2, and both are returned.",
            4.0: "is how the area grows. But the fence is returned too, and grows by 2: {right}.",
            2.0: "is how the fence grows. But the area is returned too, and grows by 4: {right}.",
            9.0: "is the slope for wide; the two look swapped. For long it is {right}.",
            5.0: "counts one side of the fence; two of them grow: {right}.",
            8.0: "multiplies the two slopes; what arrives from two outputs is added: {right}.",
            3.0: "is the mean of the two slopes; they are added, not averaged: {right}.",
            28.0: "is the area, a value. The slope is how much more you get: {right}.",
        },
    )
)


# ----------------------------------------------------------------------- exercise 1
_SHAPES = (5,), (3,), (5, 3), (3,)
_ASKED = ("dw", "(dw, db)", "(db, dx)", "(dx, dy, dw, db)")


def _answer_to(position: Any) -> tuple[str, str]:
    """What grad answers when asked for a position, as `(dw, db)`; and its error."""

    def function(x: Tensor, y: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return ops.sum(ops.square(ops.matmul(x, w) + b - y))

    call = signature_map(function, *map(ops.ones, _SHAPES), grad_position=position)
    return call.answer, call.error


def _look_at_positions(positions: Any) -> str | Note:
    if not isinstance(positions, dict) or set(positions) != set(_ASKED):
        return f"`positions` is a dict with the keys {', '.join(map(repr, _ASKED))}."
    for asked in _ASKED:
        position = positions[asked]
        if any(isinstance(x, Tensor | np.ndarray) for x in _parts(position)):
            title = f"Not yet: for `{asked}` there stands an input itself, not its position."
            return Note("wrong", title, text=(_NUMBER,))
        answer, error = _answer_to(position)
        if answer != asked:
            rows = ("position", repr(position)), ("answer", answer or error)
            title = f"Not yet: that does not give `{asked}`."
            return Note("wrong", title, rows, text=(_why(asked, position),))
    return ""


_NUMBER = "A position is a number: where the input stands in the call, counted from 0."


def _parts(position: Any) -> Iterator[Any]:
    """All that stands in an answer, however deep."""
    if isinstance(position, tuple | list | set):
        for part in position:
            yield from _parts(part)
    else:
        yield position


def _why(asked: str, position: Any) -> str:
    """What was thought of by whoever gave a position that does not answer what was asked."""
    if any(isinstance(x, str) for x in _parts(position)):
        return _NUMBER
    if position is None:
        return "None asks for no input at all. Count where the input stands in the call, from 0."
    if isinstance(position, tuple | list) and [*_parts(position)] != [*position]:
        return "One pair of brackets is enough: a tuple of numbers, such as `(0, 1)`."
    if isinstance(position, set):
        return "A set has no order. Put the positions in a tuple, in the order that you want."
    many = tuple(position) if isinstance(position, tuple | list) else (position,)
    lower: Any = tuple(x - 1 for x in many if isinstance(x, int))
    if len(lower) == len(many) and all(x >= 0 for x in lower) and _answer_to(lower)[0] == asked:
        return "Positions are counted from 0: `x` is 0, `y` is 1."
    if isinstance(position, list) and _answer_to(tuple(position))[0] == asked:
        return "The right ones. But put them in a tuple, with round brackets."
    if _same_parts(asked, _answer_to(tuple(many))[0]):
        return "The right inputs, in another order: the answer comes in the order that you ask in."
    asks, wants = len(many), asked.count(",") + 1
    if asks != wants and not _answer_to(tuple(many))[1]:
        return f"That asks for {count(asks, 'input')}; `{asked}` is of {wants}."
    return "Count where each input stands in `function(x, y, w, b)`, from 0, in whole numbers."


def _same_parts(a: str, b: str) -> bool:
    return sorted(a.strip("()").split(", ")) == sorted(b.strip("()").split(", "))


_RIGHT = {"dw": 2, "(dw, db)": (2, 3), "(db, dx)": (3, 0), "(dx, dy, dw, db)": (0, 1, 2, 3)}

LESSON.add(
    TaskExercise(
        "positions",
        look=_look_at_positions,
        wrong=[
            ("counted from 0", {**_RIGHT, "dw": 3}),
            ("counted from 0", {**_RIGHT, "(dw, db)": (3, 4)}),
            ("in another order", {**_RIGHT, "(db, dx)": (0, 3)}),
            ("A position is a number", {**_RIGHT, "dw": "w"}),
            ("A set has no order", {**_RIGHT, "(dw, db)": {2, 3}}),
            ("in a tuple, with round brackets", {**_RIGHT, "(dw, db)": [2, 3]}),
            ("an input itself", {**_RIGHT, "dw": ops.ones((5, 3))}),
            ("an input itself", {**_RIGHT, "(dw, db)": (ops.ones((5, 3)), 3)}),
            ("asks for no input at all", {**_RIGHT, "dw": None}),
            ("One pair of brackets", {**_RIGHT, "(dw, db)": (2, (3,))}),
            ("asks for 1 input; `(dw, db)` is of 2", {**_RIGHT, "(dw, db)": 2}),
            ("asks for 2 inputs; `dw` is of 1", {**_RIGHT, "dw": (2, 3)}),
            ("where each input stands", {**_RIGHT, "dw": 0}),
            ("where each input stands", {**_RIGHT, "(db, dx)": (3, -4)}),
            ("in whole numbers", {**_RIGHT, "dw": 2.0}),
        ],
        right="Right: all four calls answer what was asked.",
        hints=(
            "Look at the map above: which number stands at the box of `w`?",
            "`x` is 0, `y` is 1, `w` is 2, `b` is 3. Several go in a tuple, in the order you want.",
            'positions = {\n    "dw": 2,\n    "(dw, db)": (2, 3),\n    "(db, dx)": (3, ___),\n'
            '    "(dx, dy, dw, db)": (0, 1, 2, 3),\n}',
        ),
        solution='positions = {\n    "dw": 2,\n    "(dw, db)": (2, 3),\n    "(db, dx)": (3, 0),\n'
        '    "(dx, dy, dw, db)": (0, 1, 2, 3),\n}',
        why="One position gives one gradient; a tuple of several, a tuple in the same order.",
    )
)


# ----------------------------------------------------------------------- exercise 2
def _right_shapes() -> list[tuple[int, ...]]:
    """The shapes of the gradients, from asking for them."""
    net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
    pictures, digit = ops.ones((7, 64)), Tensor(np.arange(7, dtype=np.int32))
    loss_of = nn.CrossEntropyLoss()
    weights = net.trainable_params()
    grads = ms.grad(lambda x: loss_of(net(x), digit), None, weights=weights)(pictures)
    return [g.shape for g in grads]


LESSON.add(
    ValueExercise(
        "shapes",
        right=_right_shapes,
        mistakes=[
            (
                [(64, 32), (32,), (32, 10), (10,)],
                "The weights are turned: a Dense layer keeps one row for each of its outputs.",
            ),
            (
                [(1200, 32), (32,), (1200, 10), (10,)],
                "Those are shapes of what a layer makes. A gradient has the shape of the weight.",
            ),
            (
                [(1200, 32, 64), (1200, 32), (1200, 10, 32), (1200, 10)],
                "That is one gradient for each picture. The mean loss is one number, and every "
                "weight has one gradient for it, in which the pictures are added up.",
            ),
            (
                [(32, 64), 32, (10, 32), 10],
                "`(32)` is the number 32. A tuple of one has a comma: `(32,)`.",
            ),
            (
                [(32, 64), (32, 1), (10, 32), (10, 1)],
                "A bias is one row of numbers, with one axis.",
            ),
            (
                [(32, 64), (1, 32), (10, 32), (1, 10)],
                "A bias is one row of numbers, with one axis.",
            ),
            (
                [(32, 64), (10, 32)],
                "Each of the two layers keeps a bias too.",
            ),
            (
                [2048, 32, 320, 10],
                "Those count the entries. A shape has the length of each axis, as `(2, 3)` has.",
            ),
            (
                [(1200, 64), (1200, 32), (1200, 32), (1200, 10)],
                "Those are shapes of what the layers read and make, not of what they keep.",
            ),
            (
                [(), (), (), ()],
                "A gradient is no number: it has one entry for each entry of the weight.",
            ),
            (
                [(32, 64), (10, 32), (32,), (10,)],
                "The shapes are right, in another order: layer by layer, the weight before the "
                "bias.",
            ),
        ],
        hints=(
            "How many numbers does the first layer keep, and how are they laid out?",
            "A gradient has the shape of the weight, however many pictures there are. Each layer "
            "has a weight, then a bias.",
            "shapes = [(32, 64), (32,), (10, ___), (10,)]",
        ),
        solution="shapes = [(32, 64), (32,), (10, 32), (10,)]",
        why="The 1,200 pictures are gone: their parts were added up, as whatever is used often is.",
    )
)


# ----------------------------------------------------------------------- exercise 3
def _line_steps(
    x: Any,
    y: Any,
    rate: float,
    steps: int,
    update: Callable[..., tuple[Any, Any]],
    times: Callable[[Any, int], Any] = lambda error, steps: 1.0,
) -> tuple[float, float]:
    """The line after some steps, with the slopes of the mean square worked out by hand.

    `times` is a factor that has slipped into a step, of the errors and the number of steps.
    """
    x, y = x.asnumpy().astype(np.float64), y.asnumpy().astype(np.float64)
    w = b = 0.0
    for _ in range(steps):
        error = w * x + b - y
        w, b = update(w, b, rate * times(error, steps), 2 * np.mean(error * x), 2 * np.mean(error))
    return float(w), float(b)


def _stepping(
    update: Callable[..., tuple[Any, Any]], **times: Callable
) -> Callable[..., tuple[float, float]]:
    """A `train_line` that makes its steps in this way."""
    return lambda x, y, rate, steps: _line_steps(x, y, rate, steps, update, **times)


def _points(rng: np.random.Generator) -> dict[str, Any]:
    x = rng.uniform(-2, 2, 5).astype(np.float32)
    y = rng.uniform(-2, 2, 5).astype(np.float32)
    return {"x": Tensor(x), "y": Tensor(y), "rate": 0.125, "steps": 6}


_UNPACK = (
    "A step returns two things, the value of `forward` and the gradients, of two inputs as a "
    "tuple: with one loss, and positions for `w` and `b`, it is unpacked as "
    "`loss, (dw, db) = step(w, b)`."
)
_STOPS = {"be iterated over": _UNPACK, "multiply sequence": _UNPACK, "values to unpack": _UNPACK}
_FIRST = {"x": Tensor([0.0, 1.0, 2.0, 3.0]), "y": Tensor([-0.5, 1.5, 3.5, 5.5])}
_TRAIN_LINE = """\
def train_line(x, y, rate, steps):
    def forward(w, b):
        return ops.mean((w * x + b - y) ** 2)

    step = ms.value_and_grad(forward, (0, 1))
    w, b = Tensor(0.0), Tensor(0.0)
    for _ in range(steps):
        loss, (dw, db) = step(w, b)
        w, b = w - rate * dw, b - rate * db
    return w, b"""


def _downhill(w: Any, b: Any, rate: Any, dw: Any, db: Any) -> tuple[Any, Any]:
    return w - rate * dw, b - rate * db


def _loss(error: Any, steps: int) -> Any:
    return np.mean(error**2)


_descend = _stepping(_downhill)

LESSON.add(
    FunctionExercise(
        "train_line",
        answer=_descend,
        returns=("w", "b"),
        friendly={**_FIRST, "rate": 0.125, "steps": 1},
        random=_points,
        edge=[{**_FIRST, "rate": 0.0, "steps": 3}, {**_FIRST, "rate": 0.125, "steps": 0}],
        stops=_STOPS | {"variable 'w'": "A position is a number, counted from 0, not the input."},
        mistakes={
            "Only one step was made. Does the `return` stand inside the loop?": (
                lambda x, y, rate, steps: _descend(x, y, rate, 1) if steps else None,
                lambda x, y, rate, steps: _descend(x, y, rate, min(steps, 1)),
            ),
            "The loss is in the step. It says how good the line is; how far to go, `rate` times "
            "the gradient says.": (
                _stepping(_downhill, times=_loss),
                _stepping(lambda w, b, rate, dw, db: (w - rate, b - rate), times=_loss),
            ),
            "`steps` is in the step. It says how often; how far to go, `rate` times the gradient "
            "says.": (
                _stepping(_downhill, times=lambda error, steps: 1 / steps),
                _stepping(_downhill, times=lambda error, steps: steps),
            ),
            "That goes uphill: the gradient points to where the loss grows.": _stepping(
                lambda w, b, rate, dw, db: (w + rate * dw, b + rate * db)
            ),
            "`w` goes downhill, `b` uphill.": _stepping(
                lambda w, b, rate, dw, db: (w - rate * dw, b + rate * db)
            ),
            "`w` goes uphill, `b` downhill.": _stepping(
                lambda w, b, rate, dw, db: (w + rate * dw, b - rate * db)
            ),
            "`w` never moved.": _stepping(lambda w, b, rate, dw, db: (w, b - rate * db)),
            "`w` moved by the gradient of `b`.": _stepping(
                lambda w, b, rate, dw, db: (w - rate * db, b - rate * db)
            ),
            "The new `w` and `b` came back in the wrong order.": _stepping(
                lambda w, b, rate, dw, db: (b - rate * db, w - rate * dw)
            ),
            "`rate` was forgotten: each step is the whole gradient long.": _stepping(
                lambda w, b, rate, dw, db: (w - dw, b - db)
            ),
            "Each step begins anew from 0. Start from the `w` and `b` of the last one.": _stepping(
                lambda w, b, rate, dw, db: (-rate * dw, -rate * db)
            ),
            "`w` and `b` became gradients. They are to move by them.": _stepping(
                lambda w, b, rate, dw, db: (rate * dw, rate * db)
            ),
            "`b` never moved.": _stepping(lambda w, b, rate, dw, db: (w - rate * dw, b)),
            "`b` moved by the gradient of `w`.": _stepping(
                lambda w, b, rate, dw, db: (w - rate * dw, b - rate * dw)
            ),
            "Both moved by the other's gradient: `dw` belongs to `w`.": _stepping(
                lambda w, b, rate, dw, db: (w - rate * db, b - rate * dw)
            ),
        },
        hints=(
            "`forward` has two inputs, and the loop unpacks a gradient for each. Which positions?",
            "The new `w` is the old `w`, less `rate` times its gradient; and so for `b`.",
            _TRAIN_LINE.replace("b - rate * db", "b - rate * ___"),
        ),
        solution=_TRAIN_LINE,
        why="Below, an optimizer does the same for every weight: minus `rate` times the gradient.",
    )
)


# ----------------------------------------------------------------------- exercise 4
def _line(x: Any, y: Any) -> tuple[float, float]:
    """The line with the least mean square, by numpy."""
    w, b = np.polyfit(x.asnumpy().astype(np.float64), y.asnumpy().astype(np.float64), 1)
    return float(w), float(b)


def _lower(x: Any, y: Any, by: float) -> tuple[float, float]:
    w, b = _line(x, y)
    return w, b - by


_FIT = """\
def fit(x, y):
    def forward(w, b):
        guess = w * x + b
        return ops.mean((guess - y) ** 2){more}

    step = ms.value_and_grad(forward, (0, 1))
    w, b = Tensor(0.0), Tensor(0.0)
    for _ in range(100):
        {told}, (dw, db) = step(w, b)
        w, b = w - 0.1 * dw, b - 0.1 * db
    return w, b"""


def _fitted(*changes: tuple[str, str], told: str = "loss", more: str = "") -> Callable:
    """A `fit` whose source is changed so."""
    source = _FIT.format(more=more, told=told)
    for old, new in changes:
        source = source.replace(old, new)
    space = {"ms": ms, "Tensor": Tensor, "ops": ops}
    exec(source, space)
    return cast(Callable, space["fit"])


def _moved_afterwards(fit: Callable) -> Note | None:
    """A note, if the guesses still pull on `w` where the training has not come to its end."""
    points = _some([0.1, 0.2], [1.0, 3.0])
    yours, pulled, honest = (
        float(each(*points.values())[0])
        for each in (fit, _fitted(more=", guess", told="(loss, guess)"), _fitted())
    )
    if not np.isclose(yours, pulled, rtol=1e-3) or np.isclose(yours, honest, rtol=1e-3):
        return None
    text = "It comes out right where the training has come to its end, and not before: `guess` is "
    text += "still differentiated."
    return Note("wrong", "Not yet: the line is moved afterwards.", text=(text,))


def _some(x: list[float], y: list[float]) -> dict[str, Any]:
    return {"x": Tensor(x), "y": Tensor(y)}


def _spread(rng: np.random.Generator) -> dict[str, Any]:
    x = np.linspace(-2, 2, 7) + rng.uniform(-0.2, 0.2, 7)
    return _some(list(x), list(rng.uniform(-2, 2, 7)))


LESSON.add(
    FunctionExercise(
        "fit",
        answer=_line,
        returns=("w", "b"),
        friendly=_some([-3.0, -1.0, 1.0, 3.0], [-6.5, -2.5, 1.5, 5.5]),
        random=_spread,
        edge=[_some([-1.0, 1.0], [0.0, 0.0])],
        planted=_FIT.format(more=", guess", told="(loss, guess)"),
        last=_moved_afterwards,
        stops=_STOPS,
        mistakes={
            "What `guess` adds was taken off by hand. It pulls on `w` as well as on `b`, with "
            "another number for other points: do not let it be differentiated.": [
                _fitted(("* db", f"* (db - {off})"), more=", guess", told="(loss, guess)")
                for off in (1, 2, 4, "x.size", "len(x)")
            ],
            "`w` goes downhill, `b` uphill: minus `0.1 * db`.": (
                _fitted(("b - 0.1", "b + 0.1")),
                _fitted(("b - 0.1", "b + 0.1"), more=", guess", told="(loss, guess)"),
            ),
            "`b` never moved.": _fitted(("b - 0.1 * db", "b")),
            "Both go uphill: minus `0.1` times the gradient.": _fitted(("- 0.1", "+ 0.1")),
            "That returns the guesses, and no loss. It should return the loss alone.": _fitted(
                ("return ops.mean((guess - y) ** 2)", "return guess")
            ),
            "Only one step was made. Does the `return` stand inside the loop?": _fitted(
                ("    return w, b", "        return w, b")
            ),
            "Still too low by half the number of points: `guess` is still differentiated.": (
                lambda x, y: _lower(x, y, x.size / 2)
            ),
            "It lies too low by a half now: the mean of `guess` is differentiated still.": (
                lambda x, y: _lower(x, y, 0.5)
            ),
            "Right for 4 points, and for no other number: the line was moved afterwards.": (
                lambda x, y: _lower(x, y, x.size / 2 - 2)
            ),
            "Now the line lies too high: the slopes of `guess` were taken off twice.": (
                lambda x, y: _lower(x, y, -x.size / 2)
            ),
        },
        hints=(
            "Which outputs does `forward` have, and from which of them does the sweep start?",
            "`forward` should return the loss alone; then the loop unpacks it without `guess`.",
            _FIT.format(more="", told="___"),
        ),
        solution=_FIT.format(more="", told="loss"),
        why="The slopes of `guess` pulled the line down until the loss pulled back as much. To see "
        "the line, compute it after the step.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
