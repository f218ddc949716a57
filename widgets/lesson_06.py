"""Lesson 6, "stop_gradient and has_aux": its prediction and its exercises."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor, ops

from .lesson import Lesson, Note, Prediction, TaskExercise
from .lesson.compare import shown
from .lesson.exercise import Mistakes, one_by_one
from .stepper import step_backward
from .text import count

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("06_stop_gradient_and_has_aux", "stop_gradient and has_aux")
Loss = Callable[..., Any]


def _step_through(program: Loss, x: Tensor) -> tuple[Any, dict[str, float]]:
    """The steps of a program of one number, its value and its gradient."""
    value, slope = ms.value_and_grad(program)(x)
    return step_backward(program, x), {"value": float(value), "slope": float(slope)}


def _compare(right: Loss, points: list[dict[str, Any]], wanted: int, mistakes: Mistakes):
    """A look that holds a loss, and its gradients for its first inputs, against the right one.

    What cannot be measured, for a cut is no part of the function, is compared with our own program.
    """

    def found(loss: Loss, point: dict[str, Any]) -> list[np.ndarray]:
        arguments = [Tensor(x) for x in point.values()]
        value, gradients = ms.value_and_grad(loss, tuple(range(wanted)))(*arguments)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        return [x.asnumpy() for x in (value, *gradients)]

    def look(loss: Loss) -> str | Note:
        if loss(*map(Tensor, points[0].values())) is None:
            return Note("todo", "Not done yet: it returned nothing. Is there a `return`?")
        for point in points:
            names = ["the value", *(f"the gradient of `{name}`" for name in point)]
            for i, (a, b) in enumerate(zip(found(loss, point), found(right, point), strict=True)):
                if a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-6):
                    continue
                told = [text for text, mistake in one_by_one(mistakes) if _alike(mistake, loss)]
                at = ", ".join(f"{name} = {shown(x)}" for name, x in point.items())
                rows = (("at", at), ("yours", shown(a)), ("right", shown(b)))
                return Note("wrong", f"Not yet: {names[i]} is wrong.", rows, text=tuple(told[:1]))
        return ""

    def tried(loss: Loss, point: dict[str, Any]) -> list[np.ndarray]:
        try:
            return found(loss, point)
        except Exception:
            return []

    def _alike(a: Loss, b: Loss) -> bool:
        pairs = [(tried(a, point), tried(b, point)) for point in points]
        return all(len(x) == len(y) for x, y in pairs) and all(
            x.shape == y.shape and np.allclose(x, y, rtol=1e-4, atol=1e-6)
            for pair in pairs
            for x, y in zip(*pair, strict=True)
        )

    return look


LESSON.add(
    Prediction(
        "cut",
        show=_step_through,
        value={
            36.0: "9 and 3 times 9: a cut changes no value.",
            9.0: "would be so if `b` were 0. A cut changes no value, `b` is 9: {right}.",
            12.0: "would be so if `b` were 1. A cut changes no value, `b` is 9: {right}.",
            0.0: "would be so if nothing came through. A cut changes no value: {right}.",
            27.0: "is `x * b` alone; `a` is added to it: {right}.",
            18.0: "adds `a` and `b`; but `b` comes 3 times: {right}.",
        },
        slope={
            15.0: "6 through `a`, and 9 from `x * b`, where `b` stays what it is.",
            33.0: "is the slope without the cut. Nothing goes on through `b`: {right}.",
            6.0: "is what comes through `a`. The `x` beside `b` is not cut, and 9 is its slope: "
            "{right}.",
            9.0: "is what `x * b` sends to `x`. Through `a` come 6 more: {right}.",
            0.0: "would mean that all is cut. Only the way through `b` is: {right}.",
            24.0: "lets the gradient through `b` as if it were not cut, and forgets the `x` beside "
            "it: {right}.",
            36.0: "is the value. The slope is {right}.",
        },
    )
)


_CALL_IT = "`ms.grad(ops.square)` is a function. Its value at `x` comes from calling it."


def _chase(x):
    return (x - ops.stop_gradient(ms.grad(ops.square)(x))) ** 2


def _chase_from(point: float) -> Loss:
    return lambda x: (x - 2 * point) ** 2


_CHASE: Mistakes = {
    "The target gives way: without a cut it moves with `x`, and the slope has the wrong sign.": (
        lambda x: (x - ms.grad(ops.square)(x)) ** 2
    ),
    "It was `x` that was cut, the one who is to move; cut the target.": (
        lambda x: (ops.stop_gradient(x) - ms.grad(ops.square)(x)) ** 2
    ),
    "Everything is cut, so nothing moves. Cut the target alone.": (
        lambda x: ops.stop_gradient((x - ms.grad(ops.square)(x)) ** 2)
    ),
    "That chases the value of `x ** 2`; the target is its slope.": (
        lambda x: (x - ops.stop_gradient(ops.square(x))) ** 2,
        lambda x: (x - ops.square(x)) ** 2,
    ),
    "That chases `x` itself; the target is the slope of `x ** 2` there.": (
        lambda x: (x - ops.stop_gradient(x)) ** 2
    ),
    "That is the slope of `x ** 2` at one point, whatever `x` is. It is to be taken at `x`.": [
        _chase_from(point) for point in (1.0, 2.0, 3.0)
    ],
}
LESSON.add(
    TaskExercise(
        "chase",
        look=_compare(_chase, [{"x": np.float64(x)} for x in (2.0, -1.5, 0.5)], 1, _CHASE),
        wrong=[*one_by_one(_CHASE)],
        stops={
            "got the function grad_fn": _CALL_IT,
            "but got function": _CALL_IT,
            "grad needs a function": "`ms.grad` takes the function itself: `ms.grad(ops.square)`. "
            "What it makes is called at `x`.",
        },
        right="Right: at x = 2 the value is 4, and the slope is -4.",
        hints=(
            "Two things are asked of the target: that it is the slope, and that it stays.",
            "`ms.grad(ops.square)` is a function; call it at `x`. Then cut what it returns.",
            "target = ops.stop_gradient(ms.grad(ops.square)(___))",
        ),
        solution="def chase(x):\n"
        "    target = ops.stop_gradient(ms.grad(ops.square)(x))\n"
        "    return (x - target) ** 2",
        why="At 2 the target is 4, so the slope is 2 * (2 - 4) = -4. Uncut, the loss is x ** 2, "
        "and its slope +4: the other way.",
    )
)


def _target_loss(w, old, x, x_after, pays):
    target = ops.stop_gradient(pays + 0.9 * (x_after @ old))
    return ops.mean((x @ w - target) ** 2)


_TARGET_LOSS: Mistakes = {
    "Those are the old weights themselves; what is needed is their guess for `x_after`.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (x @ w - ops.stop_gradient(pays + 0.9 * old)) ** 2
        ),
        lambda w, old, x, x_after, pays: ops.mean((x @ w - pays - 0.9 * old) ** 2),
    ),
    "`*` goes entry by entry. The guess is a product `@`, as for `guess`.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (x @ w - ops.stop_gradient(pays + 0.9 * (x_after * old))) ** 2
        )
    ),
    "That takes what comes after, without a guess. The guess of the old weights is made as `guess` "
    "is.": (lambda w, old, x, x_after, pays: ops.mean((x @ w - pays - 0.9 * x_after) ** 2)),
    "What `w` guesses is cut as if it were the old guess, and `old` is not read.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (x @ w - pays - 0.9 * ops.stop_gradient(x @ w)) ** 2
        )
    ),
    "`old` is not cut: it would be trained too.": (
        lambda w, old, x, x_after, pays: ops.mean((x @ w - pays - 0.9 * (x_after @ old)) ** 2)
    ),
    "The target was made with `w`, the weights that are trained; it is to be made with `old`.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (x @ w - ops.stop_gradient(pays + 0.9 * (x_after @ w))) ** 2
        )
    ),
    "The target was made of the rooms that the guess is for; it is made of `x_after`.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (x @ w - ops.stop_gradient(pays + 0.9 * (x @ old))) ** 2
        )
    ),
    "It is the guess that is cut, so `w` learns nothing. Cut what is read from `old`.": (
        lambda w, old, x, x_after, pays: ops.mean(
            (ops.stop_gradient(x @ w) - pays - 0.9 * (x_after @ old)) ** 2
        )
    ),
    "Guess and target are both cut, so nothing learns. Cut what is read from `old` alone.": (
        lambda w, old, x, x_after, pays: ops.mean(
            ops.stop_gradient(x @ w - pays - 0.9 * (x_after @ old)) ** 2
        )
    ),
}
_draw = np.random.default_rng(6)
_GAMES = [
    {
        "w": np.array([1.0, 2.0]),
        "old": np.array([0.5, 1.0]),
        "x": np.array([[1.0, 1.0]]),
        "x_after": np.array([[2.0, 0.0]]),
        "pays": np.array([1.0]),
    },
    {
        "w": _draw.normal(size=3),
        "old": _draw.normal(size=3),
        "x": _draw.normal(size=(5, 3)),
        "x_after": _draw.normal(size=(5, 3)),
        "pays": _draw.normal(size=5),
    },
]
LESSON.add(
    TaskExercise(
        "target_loss",
        look=_compare(_target_loss, _GAMES, 2, _TARGET_LOSS),
        wrong=[*one_by_one(_TARGET_LOSS)],
        stops={
            "cannot be multiplied": "The rows come first, as in `x @ w`: `x_after` times the old "
            "weights."
        },
        right="Right: `w` learns, and `old` does not.",
        hints=(
            "The guess of the old weights is made as `guess` is: with which weights, for what?",
            "That guess is `x_after @ old`. It is used, and not learned from.",
            "target = pays + 0.9 * ops.___(x_after @ old)",
        ),
        solution="def target_loss(w, old, x, x_after, pays):\n"
        "    guess = x @ w\n"
        "    target = pays + 0.9 * ops.stop_gradient(x_after @ old)\n"
        "    return ops.mean((guess - target) ** 2)",
        why="The cut may stand around `old`, around its guess, or around the whole target: the "
        "way from the loss to `old` is cut in each case, and the way to `w` in none.",
    )
)


def _one(w, b):
    z = w * b
    return ops.sum(ops.exp(z)), z


def _two(w, b):
    z = w * b
    return ops.sum(z * z), z, ops.sum(w)


_ONE_BY_ONE = (
    "With `*` they are handed on one by one, `return loss, *(...)`, and in the brackets each is "
    "cut."
)


def _looked_at(side_door: Callable[[Loss], Loss]) -> str | Note:
    w, b = Tensor(np.array([1.0, -0.5])), Tensor(np.array([2.0, 0.5]))
    for fn, many in ((_one, "one result"), (_two, "two results")):
        results, wanted = side_door(fn)(w, b), fn(w, b)
        if results is ...:
            return Note("todo", "Not done yet: the `...` waits for your code.")
        if not isinstance(results, tuple | list) or len(results) != len(wanted):
            came = len(results) if isinstance(results, tuple | list) else 1
            return (
                f"`fn` returns its loss and {many}, {len(wanted)} values; the new function "
                f"returned {count(came, 'value')}. {_ONE_BY_ONE}"
            )
        for i, (a, right) in enumerate(zip(results, wanted, strict=True)):
            if i and isinstance(a, tuple | list):
                return f"`result[{i}]` holds the others in a {type(a).__name__}. {_ONE_BY_ONE}"
            if not isinstance(a, Tensor):
                return (
                    f"`result[{i}]` is of type `{type(a).__name__}`; `fn` returns a Tensor there."
                )
            if not np.allclose(a.asnumpy(), right.asnumpy()):
                rows = (("yours", shown(a)), ("right", shown(right)))
                text = "What comes out must be what `fn` returns. A cut changes no value."
                return Note("wrong", f"Not yet: `result[{i}]` is wrong.", rows, text=(text,))
        yours = ms.grad(side_door(fn), (0, 1))(w, b)
        right, _ = ms.grad(fn, (0, 1), has_aux=True)(w, b)
        everything = ms.grad(fn, (0, 1))(w, b)
        if all(map(_close, yours, right)):
            continue
        rows = (("yours", shown(yours)), ("has_aux", shown(right)))
        text = "Some of the other results count, some do not. All of them are to be cut."
        if all(map(_close, yours, everything)):
            text = "The others still count as they did. What leaves by the side door must be cut."
        elif all(_close(a + b, c) for a, b, c in zip(yours, right, everything, strict=True)):
            text = "`loss` is cut, and the others count. It is to be the other way round."
        elif not any(np.any(dx.asnumpy()) for dx in yours):
            text = "Nothing counts any more: `loss` was cut too, or what `fn` is given."
        title = f"Not yet: the gradient is wrong where `fn` returns a loss and {many}."
        return Note("wrong", title, rows, text=(text,))
    return ""


def _close(a: Tensor, b: Tensor) -> bool:
    return bool(np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-6))


def _door(change: Callable[..., Any]) -> Callable[[Loss], Loss]:
    """A `side_door` that returns `change(loss, *others)`."""
    return lambda fn: lambda *args: change(*fn(*args))


LESSON.add(
    TaskExercise(
        "side_door",
        look=_looked_at,
        wrong=[
            ("still count as they did", _door(lambda loss, *others: (loss, *others))),
            (
                "`loss` was cut too",
                _door(lambda *results: tuple(map(ops.stop_gradient, results))),
            ),
            (
                "All of them are to be cut",
                _door(lambda loss, first, *others: (loss, ops.stop_gradient(first), *others)),
            ),
            ("2 values; the new function returned 1 value.", _door(lambda loss, *others: loss)),
            (
                "2 values; the new function returned 3 values.",
                _door(lambda loss, *others: (loss, loss, *others)),
            ),
            (
                "A cut changes no value",
                _door(lambda loss, *others: (loss, *(z * 0 for z in others))),
            ),
            (
                "the others in a list. With `*`",
                _door(lambda loss, *others: (loss, [ops.stop_gradient(z) for z in others])),
            ),
            (
                "the others in a tuple. With `*`",
                _door(lambda loss, *others: (loss, tuple(map(ops.stop_gradient, others)))),
            ),
            ("the others in a tuple. With `*`", _door(lambda loss, *others: (loss, others))),
            (
                "`loss` is cut, and the others count",
                _door(lambda loss, *others: (ops.stop_gradient(loss), *others)),
            ),
            (
                "is of type `ndarray`",
                _door(lambda loss, *others: (loss, *(z.asnumpy() for z in others))),
            ),
        ],
        right="Right: `side_door(fn)` has the gradients of `has_aux=True`.",
        hints=(
            "What does `function_stop_gradient` do that `function_with_logits` does not?",
            "Cut each of `others`, and leave `loss` as it is. They may be one, or several.",
            "return loss, *(ops.___(other) for other in others)",
        ),
        solution="def side_door(fn):\n"
        "    def new(*args):\n"
        "        loss, *others = fn(*args)\n"
        "        return loss, *(ops.stop_gradient(other) for other in others)\n"
        "\n"
        "    return new",
        why="Each output counts, but a cut one has nowhere to send to. That is all that `has_aux` "
        "does, apart from handing the others over beside the gradients.",
    )
)


def _hard_loss(w, x, y):
    error = (x * w - y) ** 2
    weight = error / ops.sum(error)
    return ops.sum(ops.stop_gradient(weight) * error)


def _hard(change: Callable[[Tensor], Any]) -> Loss:
    """A `hard_loss` that returns `change(error)`."""
    return lambda w, x, y: change((x * w - y) ** 2)


_HARD_LOSS: Mistakes = {
    "Its gradient is that of a loss without a cut: nothing reads what was cut.": _hard(
        lambda error: ops.sum(error / ops.sum(error) * error)
    ),
    "No way to `w` is left, so nothing is learned. Only the weight is to be held.": _hard(
        lambda error: ops.stop_gradient(ops.sum(error / ops.sum(error) * error))
    ),
    "Only the sum is cut. The error above it in the fraction is a part of the weight too.": _hard(
        lambda error: ops.sum(error / ops.stop_gradient(ops.sum(error)) * error)
    ),
    "One of the two errors that are multiplied is cut, and their sum is not. Cut the whole weight, "
    "with the sum, and nothing else.": _hard(  # which of the two it is, no gradient can tell
        lambda error: ops.sum(error / ops.sum(error) * ops.stop_gradient(error))
    ),
    "The error beside the weight is cut as well; then nothing but the sum is left. Cut the weight "
    "alone.": _hard(
        lambda error: ops.sum(ops.stop_gradient(error) / ops.sum(error) * ops.stop_gradient(error))
    ),
}
_POINTS = [
    {"w": np.float64(2.0), "x": np.array([1.0, 2.0]), "y": np.array([1.0, 7.0])},
    {"w": np.float64(-0.5), "x": np.array([1.0, 2.0, 3.0]), "y": np.array([0.5, -2.0, 1.0])},
]
LESSON.add(
    TaskExercise(
        "hard_loss",
        look=_compare(_hard_loss, _POINTS, 1, _HARD_LOSS),
        wrong=[*one_by_one(_HARD_LOSS)],
        planted="def hard_loss(w, x, y):\n"
        "    error = (x * w - y) ** 2\n"
        "    weight = error / ops.sum(error)\n"
        "    ops.stop_gradient(weight)\n"
        "    return ops.sum(weight * error)",
        right="Right: the weights are used, and not learned.",
        hints=(
            "Draw it: `step_backward(hard_loss, w, x, y)`. What is read from the box behind the "
            "scissors?",
            "`stop_gradient` does not change `weight`. It returns a new value, and that is the one "
            "to be read.",
            "___ = ops.stop_gradient(weight)",
        ),
        solution="def hard_loss(w, x, y):\n"
        "    error = (x * w - y) ** 2\n"
        "    weight = error / ops.sum(error)\n"
        "    weight = ops.stop_gradient(weight)\n"
        "    return ops.sum(weight * error)",
        why="The cut is not in `weight` but in the way that leads through it. Who reads the old "
        "`weight` goes around the cut.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
