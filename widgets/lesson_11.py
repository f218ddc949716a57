"""Lesson 11, the capstone: its exercises and its prediction."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor, jit, ops

from .capstone_clinic import PATIENTS
from .capstone_engine import KNOWN_SWEEPS, fit, pull, wrong_sweep
from .lesson import FunctionExercise, Lesson, Note, Prediction, TaskExercise
from .lesson.exercise import one_by_one

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("11_capstone", "Capstone")


LESSON.add(*PATIENTS)


# ------------------------------------------------------------------------------ the engine
def _arguments(op: str, g: Any, a: Any, b: Any = None) -> dict[str, Any]:
    makes = {"add": np.add, "multiply": np.multiply, "matmul": np.matmul}
    out = np.tanh(a) if op == "tanh" else makes[op](a, b)
    return {"op": op, "g": np.broadcast_to(g, out.shape) * 1.0, "out": out, "a": a, "b": b}


def _changed(op: str, rule: Callable) -> Callable:
    """The right rules, but for one op."""

    def wrong(which: str, g: Any, out: Any, a: Any, b: Any = None) -> Any:
        return rule(g, out, a, b) if which == op else pull(which, g, out, a, b)

    return wrong


_PULL = """\
def pull(op, g, out, a, b=None):
    if op == "add":
        return fit(g, a.shape), fit(g, b.shape)
    if op == "multiply":
        return fit(g * b, a.shape), fit(g * a, b.shape)
    if op == "matmul":
        return g @ b.T, {} @ g
    return (g * (1 - out * out),)  # tanh is left"""

LESSON.add(
    FunctionExercise(
        "pull",
        answer=pull,
        friendly=_arguments("multiply", 1.0, np.array([2.0, 3.0]), np.array([5.0, 7.0])),
        random=lambda rng: _arguments(
            "multiply", rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
        ),
        edge=[
            _arguments("multiply", [[1.0, 2.0]], np.ones((2, 2)), np.array([3.0, 4.0])),
            _arguments("multiply", [[1.0, 2.0]], np.array([3.0, 4.0]), np.ones((2, 2))),
            _arguments("matmul", [[1.0, 2.0]], np.array([[1.0, 2.0, 3.0]]),
                       np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])),
            _arguments("tanh", [3.0, 5.0], np.array([0.5, -1.0])),
            _arguments("add", [[1.0], [2.0]], np.ones((2, 1)), np.array(3.0)),
        ],
        mistakes={
            "multiply: the slope for one factor is the other factor.": _changed(
                "multiply",
                lambda g, out, a, b: (fit(g * a, a.shape), fit(g * b, b.shape)),
            ),
            "multiply: one factor was smaller and stretched. Its gradient has to be fitted back.": (
                _changed("multiply", lambda g, out, a, b: (g * b, g * a))
            ),
            "matmul: each matrix keeps its side. For `b`, `a` transposed stands on the left.": (
                _changed("matmul", lambda g, out, a, b: (g @ b.T, g.T @ a))
            ),
            "tanh: its rule reads what came out, not what went in.": _changed(
                "tanh", lambda g, out, a, b: (g * (1 - a * a),)
            ),
            "multiply: each gradient has the shape of its own part: `a.shape` for `a`.": _changed(
                "multiply", lambda g, out, a, b: (fit(g * b, b.shape), fit(g * a, a.shape))
            ),
            "multiply: fitted too early. First multiply, then fit to the part's shape.": _changed(
                "multiply", lambda g, out, a, b: (fit(g, a.shape) * b, fit(g, b.shape) * a)
            ),
            "multiply: the slope for one factor is the other factor, not the product.": _changed(
                "multiply", lambda g, out, a, b: (fit(g * out, a.shape), fit(g * out, b.shape))
            ),
            "multiply: `g` was forgotten, and each gradient has the shape of its own part.": (
                _changed("multiply", lambda g, out, a, b: (b, a))
            ),
            "multiply: `a` may be the smaller one, too. Fit both.": _changed(
                "multiply", lambda g, out, a, b: (g * b, fit(g * a, b.shape))
            ),
            "multiply: `b` may be the smaller one. Fit both.": _changed(
                "multiply", lambda g, out, a, b: (fit(g * b, a.shape), g * a)
            ),
            "matmul: `g` was forgotten.": _changed("matmul", lambda g, out, a, b: (b.T, a.T)),
            "matmul: the two look swapped: what is made of `b` is for `a`.": _changed(
                "matmul", lambda g, out, a, b: (a.T @ g, g @ b.T)
            ),
            "matmul: each entry is a sum over a row and a column, so its rule is a product of "
            "matrices, `@`, too.": [
                _changed("matmul", lambda g, out, a, b: (g * b, g * a)),
                _changed("matmul", lambda g, out, a, b: (fit(g * b, a.shape), fit(g * a, b.shape))),
            ],
            "tanh: `out` is tanh of `a` already.": [
                _changed("tanh", lambda g, out, a, b: (g * (1 - np.tanh(out) ** 2),)),
                _changed("tanh", lambda g, out, a, b: (g * np.tanh(out),)),
            ],
            "tanh: that is the value, times `g`. The slope is `1 - out * out`.": _changed(
                "tanh", lambda g, out, a, b: (g * out,)
            ),
            "tanh: the square is taken off: a minus.": _changed(
                "tanh", lambda g, out, a, b: (g * (1 + out * out),)
            ),
            "tanh: the bracket: `g` times all of `1 - out * out`.": _changed(
                "tanh", lambda g, out, a, b: (g - out * out,)
            ),
            "tanh: that is the slope of the sigmoid.": _changed(
                "tanh", lambda g, out, a, b: (g * out * (1 - out),)
            ),
            "tanh has one part, and so one gradient, in a tuple of one: `(dx,)`.": [
                _changed("tanh", lambda g, out, a, b: g * (1 - out * out)),
                _changed("tanh", lambda g, out, a, b: (g * (1 - out * out), None)),
                _changed("tanh", lambda g, out, a, b: (g * (1 - out * out), 0)),
            ],
            "matmul has two parts: a gradient for each, in a tuple.": _changed(
                "matmul", lambda g, out, a, b: g @ b.T
            ),
            "multiply has two parts: a gradient for each, in a tuple.": _changed(
                "multiply", lambda g, out, a, b: fit(g * b, a.shape)
            ),
            "multiply: `g` was forgotten.": _changed(
                "multiply", lambda g, out, a, b: (fit(b, a.shape), fit(a, b.shape))
            ),
            "matmul: the other matrix has to be transposed, or the shapes do not fit.": _changed(
                "matmul", lambda g, out, a, b: (g @ b, a @ g)
            ),
            "matmul: the right matrices, on the wrong sides. `b` stands on the right.": _changed(
                "matmul", lambda g, out, a, b: (b.T @ g, g @ a.T)
            ),
            "matmul: `*` multiplies entry by entry; a matrix product is `@`.": _changed(
                "matmul", lambda g, out, a, b: (g * b.T, a.T * g)
            ),
            "tanh: its slope is 1 less the square of what came out.": _changed(
                "tanh", lambda g, out, a, b: (g * (1 - out),)
            ),
            "tanh: `g` was forgotten.": _changed("tanh", lambda g, out, a, b: (1 - out * out,)),
        },
        given={"fit": fit},
        hints=(
            "Lesson 2 had the first of these, lesson 4 the second. The third: lesson 1 measured "
            "it.",
            "`g * b` for `a`, fitted; `g @ b.T` for `a`; and `1 - out * out` is the slope of "
            "tanh.",
            _PULL.format("___"),
        ),
        solution=_PULL.format("a.T"),
        why="Four rules are enough for any network made of layers. minigrad has over "
        "a hundred more; none works differently.",
    )
)  # fmt: skip

_BACKWARD = """\
def backward(result, pull):
    result.grad = np.ones_like(result.data)
    waiting = {{result.number: result}}
    while waiting:
        node = waiting.pop({}(waiting))
        inputs = [part.data for part in node.parts]
        for part, g in zip(node.parts, pull(node.op, node.grad, node.data, *inputs)):
            part.grad = part.grad + g
            if part.parts:
                waiting[part.number] = part"""

LESSON.add(
    TaskExercise(
        "backward",
        look=wrong_sweep,
        wrong=[*one_by_one(KNOWN_SWEEPS)],
        right="Right: on each program its gradients are those of minigrad.",
        stops={
            "KeyError: ": "The keys of `waiting` are the numbers of its nodes. The newest has the "
            "largest: `max(waiting)`.",
            "'int' object has no attribute": "A dict gives its keys: those are numbers. The node "
            "is `waiting[number]`, and `waiting.pop(number)` takes it out.",
            "pop expected at least 1": "Which one? `waiting` is a dict: `waiting.pop(number)`.",
            "dictionary changed size": "A `for` does not see what is added to `waiting` meanwhile. "
            "Go on `while` somebody waits.",
            "instances of 'Node'": "Nodes wait by number: `waiting[part.number] = part`.",
        },
        hints=(
            "Which of the nodes that wait may send? One that nobody will send to any more.",
            "The newest: whoever reads a node was made after it. Send to its parts, add, and let "
            "those wait that have parts themselves.",
            _BACKWARD.format("___"),
        ),
        solution=_BACKWARD.format("max"),
        why="The numbers stand in for the order of lesson 3. minigrad's tape is such an order, "
        "too: what is recorded last is swept first.",
    )
)


# ------------------------------------------------------------------------------ graph mode
def _program_lines(loss: Callable, arguments: tuple[Any, ...]) -> list[str]:
    """The lines of the program of a gradient, without what stands at the sides."""
    run = jit(ms.grad(loss, (1, 2)))
    run(*arguments)
    lines = [line.split("#")[0].strip() for line in run.source.splitlines()]
    return [line for line in lines if line and not line.startswith(("import", "def", "return"))]


def _without_one_each(loss: Callable, *arguments: Tensor) -> tuple[Any, dict[str, str]]:
    """The program without one op each, and which op it takes for a part to be there."""

    def plain(x: Tensor, w: Tensor, b: Tensor, y: Tensor) -> Tensor:
        return ops.mean((x @ w + b - y) ** 2)

    def summed(x: Tensor, w: Tensor, b: Tensor, y: Tensor) -> Tensor:
        h = ops.tanh(x @ w + b)
        return ops.sum((h - y) ** 2)

    def straight(x: Tensor, w: Tensor, b: Tensor, y: Tensor) -> Tensor:
        h = ops.tanh(x @ w + b)
        return ops.mean(h - y)

    def unmixed(x: Tensor, w: Tensor, b: Tensor, y: Tensor) -> Tensor:
        h = ops.tanh(w + b)
        return ops.mean((h - y) ** 2)

    x, w, b, y = arguments
    rows_of_b, rows_of_w = (ops.zeros(y.shape, ms.float32) for _ in range(2))
    programs = {
        "": _program_lines(loss, arguments),
        "tanh": _program_lines(plain, arguments),
        "mean": _program_lines(summed, arguments),
        "square": _program_lines(straight, arguments),
        "matmul": _program_lines(unmixed, (x, rows_of_w, b, y)),
        "broadcast": _program_lines(loss, (x, w, rows_of_b, y)),
    }
    code = "\n\n".join(
        "\n".join([f"# without {op}" if op else "# as it is", *programs[op]]) for op in programs
    )
    asked = {"bracket": "1 - h * h", "quarter": "* 0.25", "summed": "sum(0)", "turned": "x.T @"}
    right = {}
    for question, part in asked.items():
        assert part in "; ".join(programs[""]), part
        needed = [op for op, lines in programs.items() if part not in "; ".join(lines)]
        right[question] = " and ".join(sorted(needed, reverse=True))
    return Note("told", "The same program, without one op each", code=code), right


def _meanings(right: str, why: str, **others: str) -> dict[str, str]:
    """What each op would mean as an answer."""
    words = ("tanh", "broadcast", "matmul", "square and mean")
    said = dict.fromkeys(
        words, "does not make it: without that it stands there still. It is {right}."
    )
    return said | others | {right: why}


LESSON.add(
    Prediction(
        "lines",
        show=_without_one_each,
        bracket=_meanings("tanh", "The slope of tanh is 1 less its own output squared."),
        quarter=_meanings(
            "square and mean", "The square sends 2, the mean of 8 sends an eighth: one number."
        ),
        summed=_meanings(
            "broadcast", "`b` was added to each row, so what comes back is added up over the rows."
        ),
        turned=_meanings("matmul", "`g` times the other matrix, transposed, where it stood."),
    )
)


def _grad_swish(x: np.ndarray) -> np.ndarray:
    s = 1 / (1 + np.exp(-x))
    return s + x * s * (1 - s)


def _not_its_program(grad_swish: Callable) -> Note | None:
    """A note, if the slope was measured, or left to minigrad."""
    code = getattr(grad_swish, "__code__", None)
    used = {"grad", "jacrev", "jacfwd", "vjp", "jvp"} & set(code.co_names if code else ())
    x = np.array([0.5, -1.5])
    if not used and np.allclose(grad_swish(x), _grad_swish(x), rtol=1e-12, atol=0):
        return None
    found = "minigrad finds it" if used else "measured, and so a little off in the last digits"
    text = "Write the program of the slope itself, with numpy alone."
    return Note("wrong", f"Not yet: the slope is right, but {found}.", text=(text,))


_SWISH = "def grad_swish(x):\n    e = np.exp(-x)\n    s = 1 / (1 + e)\n    return "

LESSON.add(
    FunctionExercise(
        "grad_swish",
        answer=_grad_swish,
        friendly={"x": np.array([0.0, 1.0])},
        random=lambda rng: {"x": rng.normal(size=(2, 3))},
        edge=[{"x": np.zeros((0,))}],
        last=_not_its_program,
        mistakes={
            "That is the part of the `x` above the line. The one in the exp has a part, too.": (
                lambda x: 1 / (1 + np.exp(-x))
            ),
            "That is the slope of the sigmoid alone.": (
                lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2
            ),
            "The second part has the wrong sign: `-x` in the exp turns it, and so does dividing.": (
                lambda x: _grad_swish(x) - 2 * x * np.exp(-x) / (1 + np.exp(-x)) ** 2
            ),
            "Each entry of `x` has a slope of its own. They are not added up.": (
                lambda x: np.sum(_grad_swish(x))
            ),
            "That is the function, entry by entry. What is asked for is its slope.": (
                lambda x: x / (1 + np.exp(-x))
            ),
            "The slope of a quotient is not the quotient of the slopes.": [
                lambda x: 1 / -np.exp(-x),
                lambda x: 1 / np.exp(-x),
            ],
            "In the second part, what is below the line is squared.": [
                lambda x: (1 + x * np.exp(-x)) / (1 + np.exp(-x)),
                lambda x: (1 + np.exp(-x) + x * np.exp(-x)) / (1 + np.exp(-x)),
            ],
            "In the second part the slope of `e` is missing: `e` has the slope `-e`.": [
                lambda x: (1 + np.exp(-x) + x) / (1 + np.exp(-x)) ** 2,
                lambda x: (1 + np.exp(-x) - x) / (1 + np.exp(-x)) ** 2,
            ],
            "In the second part the `x` above the line is missing: it stays as a factor.": (
                lambda x: (1 + 2 * np.exp(-x)) / (1 + np.exp(-x)) ** 2
            ),
            "`e` is exp of minus `x`. Its slope is `-e`, not exp of `x`.": (
                lambda x: (1 + np.exp(-x) + x * np.exp(x)) / (1 + np.exp(-x)) ** 2
            ),
            "Both parts are divided by the square of `1 + e`, which is below the line.": (
                lambda x: 1 + np.exp(-x) + x * np.exp(-x)
            ),
            "The second part is right. The `x` above the line has a part, too.": (
                lambda x: x * np.exp(-x) / (1 + np.exp(-x)) ** 2
            ),
        },
        hints=(
            "`x` is read twice: above the line, and in the exp. Two contributions add up.",
            "Above the line: `s`. Below: `-x / (1 + e) ** 2` for `e`, and `e` has the slope `-e`.",
            _SWISH + "s + x * ___ * s * s",
        ),
        solution=_SWISH + "s + x * e * s * s",
        why="With the # off, the line in your cell shows what graph mode wrote: the same sum.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
