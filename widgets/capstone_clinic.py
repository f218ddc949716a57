"""The six patients of the capstone: functions and Cells, each with one bug."""

from collections.abc import Callable
from functools import partial

import numpy as np

import minigrad as ms
from minigrad import Tensor, nn, ops

from .lesson import BpropExercise, Exercise, FunctionExercise, Note
from .lesson.bprop import ByName, Gradients, normal, with_rule
from .lesson.function import makes_nan

PATIENTS: list[Exercise] = []


# --------------------------------------------------------------------- patient 1: lesson 4
def _softmax_rule(g: np.ndarray, out: np.ndarray) -> np.ndarray:
    return out * (g - np.sum(g * out, axis=-1, keepdims=True))


def _shares(rng: np.random.Generator, *shape: int) -> np.ndarray:
    e = np.exp(rng.normal(size=shape))
    return e / e.sum(axis=-1, keepdims=True)


def _shifted(by: Callable, x: np.ndarray) -> np.ndarray:
    return x - by(x, axis=-1, keepdims=True)


_SOFTMAX = "def softmax_rule(g, out):\n"

PATIENTS.append(
    FunctionExercise(
        "softmax_rule",
        answer=_softmax_rule,
        friendly={"g": np.array([[1.0, 1.0]]), "out": np.array([[0.25, 0.75]])},
        random=lambda rng: {"g": rng.normal(size=(2, 3)), "out": _shares(rng, 2, 3)},
        edge=[
            {"g": np.array([[1.0, 2.0]]), "out": np.array([[0.5, 0.5]])},
        ],
        planted=_SOFTMAX + "    return g * out * (1 - out)",
        mistakes={
            "The sum runs over all rows at once. A row's shares depend on that row alone.": (
                lambda g, out: out * (g - np.sum(g * out))
            ),
            "The mean is a sum divided by the length of the row. The shares have their weights "
            "already.": lambda g, out: out * (g - np.mean(g * out, axis=-1, keepdims=True)),
            "A score pulls its own share up, and the others down: the sum has a minus.": (
                lambda g, out: out * (g + np.sum(g * out, axis=-1, keepdims=True))
            ),
            "What is in the bracket is right. It is still to be multiplied by `out`.": (
                lambda g, out: g - np.sum(g * out, axis=-1, keepdims=True)
            ),
            "The sum over a row takes the axis away. Keep it, with length 1: `keepdims=True`.": (
                lambda g, out: out * (g - np.sum(g * out, axis=-1))
            ),
            "Each share is one of its row: what is taken off is a sum over the whole row.": [
                lambda g, out: g * out - out,
                lambda g, out: g * out - out * out,
                lambda g, out: g * out,
                lambda g, out: out * (g - g * out * out),
            ],
            "The first part is right. What is taken off is what the others send, with their `g`: "
            "the sum of `g * out` along the row, times `out`.": lambda g, out: (
                g * out * (1 - out) - out * (1 - out)
            ),
            "There is no `g` in it: those are slopes of each share by its own score. All that "
            "arrives in the row has a part in each entry.": lambda g, out: out * (1 - out),
            "What is taken off is a sum in which each `g` counts by its share: `g * out`, over the "
            "row.": [
                lambda g, out: out * (g - np.sum(g, axis=-1, keepdims=True)),
                lambda g, out: out * g - np.sum(out * out * g, axis=-1, keepdims=True),
                lambda g, out: g * out - g * np.sum(out * out, axis=-1, keepdims=True),
            ],
            "That sum runs down the columns. A row's shares depend on that row: `axis=-1`.": [
                lambda g, out: out * (g - np.sum(g * out, axis=0, keepdims=True)),
                lambda g, out: out * (g - np.sum(g * out, axis=0)),
            ],
            "What the others send has to count by this share, too: all in the bracket times "
            "`out`.": lambda g, out: g * out - np.sum(g * out, axis=-1, keepdims=True),
            "The share's own part is taken off twice: `1 - out` does that, and so does the sum, in "
            "which it is one of the row.": [
                lambda g, out: g * out * (1 - out) - out * np.sum(g * out, axis=-1, keepdims=True),
                lambda g, out: out * (1 - out) * (g - np.sum(g * out, axis=-1, keepdims=True)),
            ],
            "Shifted so that each row adds up to 0, as it should. But the others' part is not the "
            "same for all: each share is pulled by its size.": [
                lambda g, out: _shifted(np.mean, g * out * (1 - out)),
                lambda g, out: _shifted(np.sum, g * out * (1 - out)),
            ],
            "The first `g` is missing: each share passes on what arrives at it, less the sum.": (
                lambda g, out: out * (1 - np.sum(g * out, axis=-1, keepdims=True))
            ),
            "That is the Jacobian of one row, made of all rows at once. Each row has its own: work "
            "it out without the table, or one row after another.": [
                lambda g, out: g @ (np.diag(out) - np.outer(out, out)),
                lambda g, out: g @ (np.diag(out[0]) - np.outer(out[0], out[0])),
            ],
            "`np.dot` of two tables is a matrix product. Multiply entry by entry, and add along "
            "the row.": lambda g, out: out * (g - np.dot(g, out.T)),
            "The mean of `g` counts all alike. Each counts by its share.": [
                lambda g, out: out * (g - np.mean(g, axis=-1, keepdims=True)),
                lambda g, out: out * (g - np.mean(g)),
            ],
        },
        hints=(
            "Raise one score. Which shares change?",
            "All of the row: `out[i]` has the slope `-out[i] * out[j]` for another score j. Add "
            "up, over the row, what that sends.",
            _SOFTMAX + "    return out * (g - np.___(g * out, axis=-1, keepdims=True))",
        ),
        solution=_SOFTMAX + "    return out * (g - np.sum(g * out, axis=-1, keepdims=True))",
        why="Lesson 4: a vector times the Jacobian. The bug kept its diagonal and forgot the rest.",
    )
)


# --------------------------------------------------------------------- patient 2: lesson 5
def _better(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    a, b, c = (each.asnumpy().astype(np.float64) for each in (w, x, y))
    slope = 2 * b.T @ (b @ a - c) / len(c)
    return Tensor((a - 0.1 * slope).astype(np.float32))


def _better_by(w: Tensor, x: Tensor, y: Tensor, rate: float) -> Tensor:
    return w + rate / 0.1 * (_better(w, x, y) - w)


def _step(loss: Callable, sign: float = -0.1, has_aux: bool = False) -> Callable:
    """A training step that is like the right one but for its loss."""

    def better(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
        found = ms.grad(lambda w: loss(x @ w, y), has_aux=has_aux)(w)
        return w + sign * (found[0] if has_aux else found)

    return better


_BETTER = """\
def better(w, x, y):
    def loss(w):
        guess = x @ w
        return ops.mean((guess - y) ** 2), guess

    """

PATIENTS.append(
    FunctionExercise(
        "better",
        answer=_better,
        friendly={
            "w": Tensor([2.0]),
            "x": Tensor([[1.0], [3.0]]),
            "y": Tensor([2.0, 6.0]),
        },
        random=lambda rng: {
            "w": normal(rng, 3), "x": normal(rng, 5, 3), "y": normal(rng, 5),
        },
        planted=_BETTER + "dw = ms.grad(loss)(w)\n    return w - 0.1 * dw",
        mistakes={
            "Now the guess alone is made smaller, and the loss is what is not looked at.": _step(
                lambda guess, y: guess
            ),
            "With `has_aux` two things come back: the gradient, and what left by the side door. "
            "Unpack both: `dw, _ = ...`.": lambda w, x, y: (
                w - 0.1 * ms.grad(lambda w: (ops.mean((x @ w - y) ** 2), w), has_aux=True)(w)
            ),
            "Now `w` does not move at all: no way leads from it to the loss, or no step is made.": (
                lambda w, x, y: w
            ),
            "The rate was 0.1.": [
                lambda w, x, y: _better_by(w, x, y, 0.01),
                lambda w, x, y: _better_by(w, x, y, 0.05),
                lambda w, x, y: _better_by(w, x, y, 0.2),
            ],
            "That takes the first entry of the gradient, for all weights. And it is still that of "
            "loss and guess, summed.": lambda w, x, y: (
                w - 0.1 * ms.grad(lambda w: ops.mean((x @ w - y) ** 2) + ops.sum(x @ w))(w)[0]
            ),
            "What came second is the guess, which left by the side door. The gradient is the "
            "first.": lambda w, x, y: w - 0.1 * (x @ w),
            "That climbs: against the slope the loss falls.": _step(
                lambda guess, y: ops.mean((guess - y) ** 2), 0.1
            ),
            "The loss was a mean. Of the sum, the steps grow with the number of points.": _step(
                lambda guess, y: ops.sum((guess - y) ** 2)
            ),
            "The gradient is right. But what is to be returned is the new `w`.": (
                lambda w, x, y: ms.grad(lambda w: ops.mean((x @ w - y) ** 2))(w)
            ),
        },
        stops={
            "not enough values to unpack": "`grad` returns the gradient alone, unless it is told "
            "that something leaves by the side door: `has_aux=True`.",
            "grad_position 1 is out of range": "What stands second in `grad` is the position. Call "
            "it by its name: `has_aux=True`.",
            "has_aux=True needs a function with more": "One of the two is enough: return the loss "
            "alone, or loss and guess with `has_aux=True`.",
        },
        hints=(
            "For `y = x @ w` the loss is 0 and flat. Yet `w` moves. Who pushes?",
            "All that is returned counts, added up, unless it leaves by the side door.",
            _BETTER + "dw, _ = ms.grad(loss, has_aux=___)(w)\n    return w - 0.1 * dw",
        ),
        solution=_BETTER + "dw, _ = ms.grad(loss, has_aux=True)(w)\n    return w - 0.1 * dw",
        why="Lessons 5 and 6: outputs are summed. To return the loss alone, or to cut `guess`, "
        "mends it as well.",
    )
)  # fmt: skip


# --------------------------------------------------------------------- patient 3: lesson 6
def _follow(student: Tensor, teacher: Tensor) -> tuple[Tensor, Tensor]:
    a, b = student.asnumpy(), teacher.asnumpy()
    return Tensor(2 * (a - b) / max(a.size, 1)), Tensor(np.zeros_like(b))


def _followed(loss: Callable) -> Callable:
    return lambda student, teacher: ms.grad(loss, (0, 1))(student, teacher)


_FOLLOW = """\
def follow(student, teacher):
    def loss(student, teacher):
        {}

    return ms.grad(loss, (0, 1))(student, teacher)"""

PATIENTS.append(
    FunctionExercise(
        "follow",
        answer=_follow,
        friendly={"student": Tensor([1.0, 2.0]), "teacher": Tensor([3.0, 2.0])},
        random=lambda rng: {"student": normal(rng, 4), "teacher": normal(rng, 4)},
        planted=_FOLLOW.format("return ops.mean((ops.stop_gradient(student) - teacher) ** 2)"),
        mistakes={
            "Nothing is cut: now both move, and meet in the middle.": _followed(
                lambda s, t: ops.mean((s - t) ** 2)
            ),
            "The mean of a difference has no lowest point: the student walks on for ever. The "
            "square was right.": _followed(lambda s, t: ops.mean(s - ops.stop_gradient(t))),
            "The loss was a mean of squares, and is to stay one.": _followed(
                lambda s, t: ops.mean(ops.abs(s - ops.stop_gradient(t)))
            ),
            "One gradient comes back. Those of both are asked for, the teacher's as well: zeros.": [
                lambda student, teacher: ms.grad(lambda s, t: ops.mean((s - t) ** 2), 0)(
                    student, teacher
                ),
            ],
            "All is cut: nobody moves.": _followed(
                lambda s, t: ops.mean(ops.stop_gradient(s - t) ** 2)
            ),
            "The teacher rests. But the loss was a mean, and this is a sum.": _followed(
                lambda s, t: ops.sum((s - ops.stop_gradient(t)) ** 2)
            ),
            "One of the two factors is cut as a whole: half of the student's gradient is "
            "lost.": _followed(
                lambda s, t: ops.mean((s - ops.stop_gradient(t)) * ops.stop_gradient(s - t))
            ),
        },
        hints=(
            "Look at the two gradients. Which of them is zero, and which should be?",
            "Cut what is to be used but not learned from.",
            _FOLLOW.format("return ops.mean((student - ops.stop_gradient(___)) ** 2)"),
        ),
        solution=_FOLLOW.format("return ops.mean((student - ops.stop_gradient(teacher)) ** 2)"),
        why="Lesson 6. The loss has the same value with either cut, so no loss can tell.",
    )
)


# --------------------------------------------------------------------- patient 4: lesson 7
def _apart(a: Tensor, b: Tensor) -> Tensor:
    d = a.asnumpy().astype(np.float64) - b.asnumpy()
    length = np.sqrt(np.sum(d**2))
    return Tensor((d / length if length else np.zeros_like(d)).astype(np.float32))


def _distance_with_sides(length: Callable) -> Callable:
    return lambda a, b: ms.grad(lambda a: length(a - b))(a)


def _distance_with(root: Callable) -> Callable:
    return _distance_with_sides(lambda d: root(ops.sum(d**2)))


def _rooted(square: Tensor, small: float) -> Tensor:
    return ops.sqrt(square + small)


def _floored(square: Tensor, small: float) -> Tensor:
    return ops.sqrt(ops.maximum(square, small))


def _where_above(square: Tensor, small: float) -> Tensor:
    far = square > small
    return ops.where(far, ops.sqrt(ops.where(far, square, 1.0)), 0.0)


def _apart_and_a_bit(a: Tensor, b: Tensor, small: float) -> Tensor:
    return (a - b) / (ops.sqrt(ops.sum((a - b) ** 2)) + small)


def _makes_no_nan(apart: Callable) -> Note | None:
    """What is wrong with an answer that makes a NaN and then wipes it off."""
    at = Tensor([1.0, 2.0])
    if not makes_nan(lambda: apart(at, at)):
        return None
    text = (
        "Where the points meet a NaN is made still, and wiped off behind it. In a loss with a "
        "second term, what that sends is added to the NaN, and is wiped off with it. Keep the NaN "
        "from being made."
    )
    return Note("wrong", "Not yet: the gradient is right, but only here.", text=(text,))


_APART = """\
def apart(a, b):
    def distance(a):
        square = ops.sum((a - b) ** 2)
        {}

    return ms.grad(distance)(a)"""
_ROOT = "return ops.where(square > 0, ops.sqrt(square), 0.0)"
_TWICE = (
    "harmless = ops.where(square > 0, square, {})\n"
    "        return ops.where(square > 0, ops.sqrt(harmless), 0.0)"
)

PATIENTS.append(
    FunctionExercise(
        "apart",
        answer=_apart,
        friendly={"a": Tensor([1.0, 2.0]), "b": Tensor([1.0, 2.0])},
        random=lambda rng: {"a": normal(rng, 3), "b": normal(rng, 3)},
        edge=[
            {"a": Tensor([3 * tiny, 0.0]), "b": Tensor([0.0, 4 * tiny])}
            for tiny in (1e-6, 1e-8, 1e-16)
        ],
        last=_makes_no_nan,
        planted=_APART.format(_ROOT),
        mistakes={
            "The root of 0 is still taken, and its slope is infinite.": _distance_with(ops.sqrt),
            "A small number under the root, or beside it: no more nan. But points that are nearer "
            "than that are no longer pulled as they should be.": [
                *(_distance_with(partial(_rooted, small=10.0**-n)) for n in range(4, 31)),
                *(partial(_apart_and_a_bit, small=10.0**-n) for n in range(4, 16)),
            ],
            "No more nan. But points that are nearer than that count as the same, and are not "
            "pulled at all. Nothing but 0 itself is to be kept from the root.": [
                *(_distance_with(partial(_floored, small=10.0**-n)) for n in range(4, 31)),
                *(_distance_with(partial(_where_above, small=10.0**-n)) for n in (6, 8, 10, 12)),
            ],
            "That is the distance along the axes, a sum. The other is a root of squares.": (
                _distance_with_sides(lambda d: ops.sum(ops.abs(d)))
            ),
            "Without a root it is the square of the distance: another gradient.": _distance_with(
                lambda s: s
            ),
        },
        hints=(
            "Ask `trace_nan` for the number that must not be made. `where` hides a value only.",
            "The root itself is to get something harmless where the square is 0.",
            _APART.format(_TWICE.format("___")),
        ),
        solution=_APART.format(_TWICE.format("1.0")),
        why="Lesson 7: a NaN that is not made need not be hidden. At 0 the distance has a corner, "
        "and 0 is a fair slope.",
    )
)


# --------------------------------------------------------------------- patient 5: lesson 9
class _Cube(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x * x * x


def _second_order(bprop: Callable) -> Gradients:
    return Gradients(with_rule(_Cube, bprop), order=2)


_CUBE = (
    "class Cube(nn.Cell):\n"
    "    def construct(self, x):\n"
    "        {}\n\n"
    "    def bprop(self, x, out, dout):\n"
    "        return (3 * {} * dout,)"
)

PATIENTS.append(
    BpropExercise(
        "Cube",
        answer=Gradients(_Cube, order=2),
        friendly={"x": Tensor(2.0), "dout": Tensor(1.0)},
        random=lambda rng: {"x": normal(rng, 4), "dout": normal(rng, 4)},
        edge=[{"x": Tensor([0.0, -1.0]), "dout": Tensor([1.0, 2.0])}],
        planted=_CUBE.format(
            "self.square = x * x\n        return x * self.square", "self.square"
        ),
        mistakes={
            "The first is right, and the second is 0: what the rule reads is a constant to the "
            "next sweep.": _second_order(
                lambda self, x, out, dout: (3 * ops.stop_gradient(x * x) * dout,)
            ),
            "That is the slope of the square.": _second_order(
                lambda self, x, out, dout: (2 * x * dout,)
            ),
            "One `x` is tracked, the other is not: half of the second order is lost.": (
                _second_order(lambda self, x, out, dout: (3 * x * ops.stop_gradient(x) * dout,))
            ),
            "`dout` was forgotten.": Gradients(_Cube, order=2, deaf=True),
            "At 0 that is 0 / 0, a nan. The square can be had without dividing: `x * x`.": (
                _second_order(lambda self, x, out, dout: (3 * out / x * dout,))
            ),
            "At 0 the log is infinite. The square can be had without it: `x * x`.": (
                _second_order(
                    lambda self, x, out, dout: (3 * ops.exp(2 * ops.log(ops.abs(x))) * dout,)
                )
            ),
            "That is a value in it, the cube, where its slope is asked for: `3 * x * x`.": (
                [_second_order(rule) for rule in (
                    lambda self, x, out, dout: (3 * out * dout,),
                    lambda self, x, out, dout: (3 * x * x * x * dout,),
                    lambda self, x, out, dout: (3 * x * ops.stop_gradient(x * x) * dout,),
                )]
            ),
            "The power goes down by one: `3 * x * x`.": _second_order(
                lambda self, x, out, dout: (3 * x * dout,)
            ),
            "A rule says the first order alone. The second comes of it by itself, if the way back "
            "to `x` is whole.": _second_order(
                lambda self, x, out, dout: (3 * ops.stop_gradient(x * x) * dout + 6 * x * dout,)
            ),
            "The power in front came down; the factor is still there: `x * x` times 3.": (
                _second_order(lambda self, x, out, dout: (x * x * dout,))
            ),
            "That is the second slope, where the first is asked for.": _second_order(
                lambda self, x, out, dout: (6 * x * dout,)
            ),
        },
        hints=(
            "What does the rule read, and who made it? Inside `construct` nothing is recorded.",
            "The second sweep finds its way through what bprop computes from its own arguments.",
            _CUBE.format("return x * x * x", "___ * x"),
        ),
        solution=_CUBE.format("return x * x * x", "x * x"),
        why="Lesson 9: first right does not mean second right. A rule computes what it needs "
        "from `x`, `out` and `dout`.",
    )
)  # fmt: skip


# -------------------------------------------------------------------- patient 6: lesson 10
class _Mix(nn.Cell):
    def construct(self, a: Tensor, b: Tensor, share: float = 0.5) -> Tensor:
        return a * (1 - share) + b * share


def _mixed(bprop: Callable) -> Gradients:
    return ByName(with_rule(_Mix, bprop))


_MIX = (
    "class Mix(nn.Cell):\n"
    "    def construct(self, a, b, share=0.5):\n"
    "        return a * (1 - share) + b * share\n\n"
    "    def bprop(self, {}, share, out, dout):\n"
    "        return dout * (1 - share), dout * share, None"
)

PATIENTS.append(
    BpropExercise(
        "Mix",
        answer=ByName(_Mix),
        friendly={
            "a": Tensor([1.0]), "b": Tensor([3.0]), "share": 0.25, "dout": Tensor([1.0]),
        },
        random=lambda rng: {
            "a": normal(rng, 3), "b": normal(rng, 3), "share": float(rng.uniform(0, 0.4)),
            "dout": normal(rng, 3),
        },
        edge=[{"a": Tensor([1.0]), "b": Tensor([3.0]), "share": 1.0, "dout": Tensor([2.0])}],
        planted=_MIX.format("b, a"),
        mistakes={
            "The two still come back to the wrong inputs.": _mixed(
                lambda self, a, b, share, out, dout: (dout * share, dout * (1 - share), None)
            ),
            "`share` is an input of the rule. With 0.5 written down it is right for the default "
            "alone.": _mixed(lambda self, a, b, share, out, dout: (dout * 0.5, dout * 0.5, None)),
            "`dout` was forgotten.": [
                ByName(_Mix, deaf=True),
                _mixed(lambda self, a, b, share, out, dout: (1 - share, share, None)),
            ],
            "The gradients are read in the order of the rule's own parameters. Its second is not "
            "`b`.": [
                _mixed(lambda self, a, share, b, out, dout: (
                    dout * (1 - share), dout * share, None)),
                _mixed(lambda self, share, a, b, out, dout: (
                    dout * (1 - share), dout * share, None)),
            ],
            "Those are values: each part of what was mixed. A gradient has `dout` times the slope, "
            "and the slope for `a` is `1 - share`.": _mixed(
                lambda self, a, b, share, out, dout: (
                    dout * a * (1 - share), dout * b * share, None)
            ),
            "The slope for `a` is what `a` is multiplied by, `1 - share`. `dout` times that is its "
            "gradient, and no value is in it.": [
                _mixed(lambda self, a, b, share, out, dout: (
                    dout * (a - share), dout * share, None)),
                _mixed(lambda self, a, b, share, out, dout: (
                    dout * (a - share), dout * (b - share), None)),
                _mixed(lambda self, a, b, share, out, dout: (
                    dout * (1 - share) * a, dout * share, None)),
                _mixed(lambda self, a, b, share, out, dout: (dout - share, dout * share, None)),
            ],
            "All that arrives goes to both. But each had its part only: read `construct`.": _mixed(
                lambda self, a, b, share, out, dout: (dout, dout, None)
            ),
            "Each gets the part that the other has, or both the same: read `construct`.": _mixed(
                lambda self, a, b, share, out, dout: (dout * share, dout * share, None)
            ),
        },
        hints=(
            "Which gradient does the rule return first, and which is its first parameter?",
            "The gradients are read in the order of bprop's own parameters.",
            _MIX.format("___"),
        ),
        solution=_MIX.format("a, b"),
        why="Lesson 10. At the default, 0.5, nothing shows: check at other points, too.",
    )
)  # fmt: skip
