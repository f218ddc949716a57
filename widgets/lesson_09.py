"""Lesson 9, "Second order": its prediction and its exercises."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor, nn, ops

from .graph_view import GraphView, show_graph
from .lesson import BpropExercise, FunctionExercise, Lesson, Note, Prediction
from .lesson.bprop import Gradients, normal
from .lesson.compare import shown

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("09_second_order", "Second order")


# ------------------------------------------------------------------------ the prediction
def _storeys(fn: Callable, x: Tensor) -> tuple[GraphView, dict[str, float]]:
    """The run and its backward pass, and the first three derivatives."""
    found, slope = {}, fn
    for order in ("first", "second", "third"):
        slope = ms.grad(slope)
        found[order] = float(slope(x))
    return show_graph(fn, x, order=2), found


LESSON.add(
    Prediction(
        "cube",
        show=_storeys,
        first={
            27.0: "The slope of `x**3` is `3 * x**2`.",
            9.0: "is `x**2`. The power comes down in front: `3 * x**2`, {right}.",
            6.0: "is `2 * x`, the slope of the square. That of the cube is `3 * x**2`: {right}.",
            18.0: "is of second order. The slope itself is `3 * x**2`: {right}.",
            81.0: "is `3 * x**3`. The power goes down by one, too: `3 * x**2`, {right}.",
            3.0: "is the power alone. The slope is `3 * x**2`: {right}.",
        },
        second={
            18.0: "The slope of `3 * x**2` is `6 * x`.",
            27.0: "is the first order once more. How fast does `3 * x**2` grow? By `6 * x`: "
            "{right}.",
            6.0: "is of third order. The slope of `3 * x**2` is `6 * x`: {right}.",
            9.0: "is `3 * x`. The power 2 comes down in front as well: `6 * x`, {right}.",
            54.0: "is `6 * x**2`. The power goes down by one, too: `6 * x`, {right}.",
            729.0: "is the slope, squared. The slope of the slope is that of `3 * x**2`: {right}.",
            1.0: "would be for a slope that grows as `x` does. This one is `3 * x**2`, and its "
            "slope `6 * x`: {right}.",
            0.0: "would be so if the slope were the same everywhere. It is `3 * x**2`, and grows: "
            "{right}.",
        },
        third={
            6.0: "The slope of `6 * x` is 6, whatever `x` is.",
            18.0: "is the second order once more. The slope of `6 * x` is {right}.",
            0.0: "is of fourth order: then nothing is left. The slope of `6 * x` is {right}.",
            3.0: "is the power. It has come down in front, and then the 2: 3 times 2 is {right}.",
            1.0: "is the slope of `x`. This is six times as much: {right}.",
        },
    )
)


def _by_the_table(hvp: Callable) -> Note | None:
    """What to say of an answer that is right, and makes the whole Hessian."""
    code = getattr(hvp, "__code__", None)
    if code is None or not {"hessian", "jacfwd", "jacrev"} & set(code.co_names):
        return None
    text = (
        "That makes the whole table. For a million weights there is no room for it. Without it: "
        "the gradient of the gradient, weighed by `v`."
    )
    return Note("right", "Right: that is the Hessian times `v`.", text=(text,))


_rules = partial(Gradients.of_rules, order=2)
_FORGOTTEN = (
    "`dout` was forgotten: that is the slope alone. The gradient that arrives must be multiplied "
    "in."
)


# ----------------------------------------------------------------------- exercise 1
class _Relu6(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ops.relu6(x)


def _inside(x: Tensor) -> Tensor:
    return ((x > 0) & (x < 6)).astype(x.dtype)


_RELU6 = (
    "class Relu6(nn.Cell):\n"
    "    def construct(self, x):\n"
    "        return ops.relu6(x)\n\n"
    "    def bprop(self, x, out, dout):\n"
)


def _at_the_corner(answer: Any) -> Note | None:
    """A note on a rule that makes a NaN at 0, where any slope from 0 to 1 would do."""
    gradients = answer if isinstance(answer, Gradients) else Gradients(answer)
    with np.errstate(all="ignore"):
        dx = gradients(Tensor([0.0]), Tensor([1.0]))[1]
    if np.isfinite(dx.asnumpy()).all():
        return None
    rows = ("at", "x = 0, dout = 1"), ("yours", shown(dx))
    text = "Something is divided by `x`. Ask where `x` is instead; no value has a part in it."
    return Note("wrong", "Not yet: `dx` is no number at the corner.", rows, text=(text,))


LESSON.add(
    BpropExercise(
        "Relu6",
        answer=Gradients(_Relu6, order=2),
        friendly={"x": Tensor([0.5, 7.0, -1.0]), "dout": Tensor([1.0, 1.0, 1.0])},
        random=lambda rng: {
            "x": Tensor(rng.uniform(-4, 10, (2, 3)).astype(np.float32)),
            "dout": normal(rng, 2, 3),
        },
        edge=[{"x": Tensor(np.array(5.5)), "dout": Tensor(np.array(-2.0))}],
        last=_at_the_corner,
        mistakes={
            _FORGOTTEN: Gradients(_Relu6, order=2, deaf=True),
            **_rules(
                _Relu6,
                {
                    "That is the rule of `Net`. It returns a value of relu, where a slope is asked "
                    "for: 1 or 0, times `dout`.": lambda self, x, out, dout: (ops.relu(x),),
                    "That is a value, times `dout`. The slope is 1 in between and 0 elsewhere.": [
                        lambda self, x, out, dout: (dout * out,),
                        lambda self, x, out, dout: (dout * ops.relu6(x),),
                        lambda self, x, out, dout: (dout * x * _inside(x),),
                        lambda self, x, out, dout: (dout * x,),
                    ],
                    "`out / x` is right in between. But above 6 it is not 0, and at 0 it is 0 / 0. "
                    "Ask where `x` is instead.": [
                        lambda self, x, out, dout: (dout * out / x,),
                        lambda self, x, out, dout: (dout * (out / x),),
                    ],
                    "That is the rule of `Net`, times `dout`: a value of relu, where a slope is "
                    "asked for, 1 or 0.": lambda self, x, out, dout: (dout * ops.relu(x),),
                    "In between, that is `x`, a value. The slope is 1 there: `dout` goes on.": (
                        lambda self, x, out, dout: (x * _inside(x),)
                    ),
                    "Above 6 the line is flat again: the slope there is 0, not 1.": (
                        lambda self, x, out, dout: (dout * (x > 0).astype(x.dtype),)
                    ),
                    "Above 6 the line is flat again, and `dout` is forgotten: the gradient that "
                    "arrives must be multiplied in.": (
                        lambda self, x, out, dout: ((x > 0).astype(x.dtype),)
                    ),
                    "Below 0 the line is flat, too: the slope there is 0, not 1.": (
                        lambda self, x, out, dout: (dout * (x < 6).astype(x.dtype),)
                    ),
                    "Below 0 and above 6 the line is flat: nothing goes on there.": (
                        lambda self, x, out, dout: (dout,)
                    ),
                    "`0 < x < 6` and `and` ask for one answer for all of `x`. Make two "
                    "comparisons, in brackets, with `&` between them.": (
                        lambda self, x, out, dout: (dout * (0 < x < 6),)
                    ),
                    "Put each comparison in brackets: Python takes `&` before `<`.": (
                        lambda self, x, out, dout: (dout * (x > 0 & x < 6),)
                    ),
                    "0 is of second order. The first is 1 in between, times `dout`.": (
                        lambda self, x, out, dout: (ops.zeros_like(x),)
                    ),
                    "The first order is right. But `dout` is made of `x` as well, by the lines "
                    "that follow: do not cut it off.": (
                        lambda self, x, out, dout: (ops.stop_gradient(dout) * _inside(x),)
                    ),
                },
            ),
        },
        hints=(
            "Where is `relu6` steep, and where is it flat? There are three cases.",
            "The slope is 1 where `x > 0` and `x < 6`, else 0. A rule returns `dout` times it.",
            _RELU6 + "        inside = (x > 0) & (x < ___)\n"
            "        return (dout * inside.astype(x.dtype),)",
        ),
        solution=_RELU6 + "        inside = (x > 0) & (x < 6)\n"
        "        return (dout * inside.astype(x.dtype),)",
        why="`dx` depends on `dout`, but not on `x`: for a line the second order is 0. So "
        "`ops.grad(ops.grad(Relu6()))(x)` is 0 where `Net` said 1.",
    )
)


# ----------------------------------------------------------------------- exercise 2
def _hvp(f: Callable, x: Tensor, v: Tensor) -> Tensor:
    """The Hessian, whole, times v."""
    table = ms.hessian(f)(x).asnumpy()
    return Tensor(np.tensordot(table, v.asnumpy(), v.ndim).astype(v.asnumpy().dtype))


def volume(x: Tensor) -> Tensor:
    return x[0] * x[1] ** 2


def mixed(x: Tensor) -> Tensor:
    return ops.sum(ops.exp(x)) * ops.sum(x * x)


def _of_a_constant(f: Callable, x: Tensor, v: Tensor) -> Tensor:
    g = ms.grad(f)(x)
    return ms.grad(lambda x: ops.sum(g * v))(x)


def _arrays(rng: np.random.Generator, *shape: int) -> dict[str, Any]:
    return {"f": mixed, "x": Tensor(rng.normal(size=shape)), "v": Tensor(rng.normal(size=shape))}


LESSON.add(
    FunctionExercise(
        "hvp",
        answer=_hvp,
        friendly={"f": volume, "x": Tensor([2.0, 3.0]), "v": Tensor([1.0, 0.0])},
        random=lambda rng: _arrays(rng, 3),
        edge=[lambda: _arrays(np.random.default_rng(9), 2, 2)],
        mistakes={
            "That multiplies after the columns were added. Weigh the entries of the gradient by "
            "`v` first, then differentiate.": lambda f, x, v: ms.grad(ms.grad(f))(x) * v,
            "That is the gradient times `v`, entry by entry: first order. It still has to be "
            "differentiated.": lambda f, x, v: ms.grad(f)(x) * v,
            "That is one number, the slope of `f` along `v`: first order. It still has to be "
            "differentiated.": lambda f, x, v: ops.sum(ms.grad(f)(x) * v),
            "The gradient was worked out beforehand, so here it is a constant. It has to be "
            "worked out inside of the function that is differentiated.": _of_a_constant,
            "`v` is no place, but a direction. The Hessian is that at `x`.": (
                lambda f, x, v: ms.grad(ms.grad(f))(v)
            ),
            "That differentiates by `v`, and gives the gradient back.": (
                lambda f, x, v: ms.grad(lambda v: ops.sum(ms.grad(f)(x) * v))(v)
            ),
            "That is the Hessian's rows added up: `v` has no part in it.": (
                lambda f, x, v: ms.grad(ms.grad(f))(x)
            ),
            "That is the table. It still has to be multiplied by `v`; or better, do without it.": (
                lambda f, x, v: ms.hessian(f)(x)
            ),
            "The table times `v` is a sum over each of its rows. `*` alone adds nothing up.": (
                lambda f, x, v: ms.hessian(f)(x) * v
            ),
            "That is a function of `x`. It is still to be called.": (
                lambda f, x, v: ms.grad(lambda x: ops.sum(ms.grad(f)(x) * v))
            ),
            "Weigh first, then add: each entry of the gradient by its own entry of `v`.": [
                lambda f, x, v: ms.grad(lambda x: ops.sum(ms.grad(f)(x)) * v)(x),
                lambda f, x, v: ms.grad(lambda x: ops.sum(ms.grad(f)(x)) * ops.sum(v))(x),
            ],
            "There `f` itself is weighed by `v`: first order. What is weighed is its gradient.": [
                lambda f, x, v: ms.grad(lambda x: f(x) * v)(x),
                lambda f, x, v: ms.grad(lambda x: ops.sum(f(x) * v))(x),
            ],
            "`x` is the place and `v` the direction: the gradient is that at `x`, and what weighs "
            "its entries is `v`.": [
                lambda f, x, v: ms.grad(ms.grad(f))(x * v),
                lambda f, x, v: ms.grad(f)(x * v),
                lambda f, x, v: ms.grad(lambda x: ops.sum(ms.grad(f)(x) * x))(x),
            ],
            "`jvp` returns the value and the change of it along `v`. The second is asked for.": (
                lambda f, x, v: ms.jvp(ms.grad(f), x, v)
            ),
            "That makes the whole table, and is right for vectors alone. `x` may have any shape.": [
                lambda f, x, v: ms.hessian(f)(x) @ v,
                lambda f, x, v: v @ ms.hessian(f)(x),
                lambda f, x, v: ops.sum(ms.hessian(f)(x) * v, -1),
            ],
            "`@` makes one number of two vectors, but not of two tables. Multiply entry by entry, "
            "and add all of it up.": lambda f, x, v: ms.grad(lambda x: ops.sum(ms.grad(f)(x) @ v))(
                x
            ),
            "That is one number. The Hessian times `v` has an entry for each of `x`: differentiate "
            "after the sum.": lambda f, x, v: ops.sum(ms.grad(ms.grad(f))(x) * v),
            "That is a difference, with a step as long as `v`. The slope is what it comes to for "
            "very short steps.": lambda f, x, v: ms.grad(f)(x + v) - ms.grad(f)(x),
        },
        last=_by_the_table,
        stops={
            "expected a Tensor or a number, but got function": "`ms.grad(f)` is a function. Its "
            "value at `x`, `ms.grad(f)(x)`, can be multiplied by `v`.",
            "grad needs a function or a Cell": "`ms.grad` differentiates a function. Write one "
            "of `x`, which works out the gradient of `f` and weighs it.",
            "but 2 were given": "`f` has one input, `x`. `v` comes in when the gradient is there.",
        },
        hints=(
            "Write a function of `x` that returns one number: the gradient of `f` there, weighed "
            "by `v`.",
            "The gradient of `sum(gradient * v)` is the Hessian times `v`. The gradient of `f` has "
            "to be worked out inside.",
            "def hvp(f, x, v):\n"
            "    def along(x):\n"
            "        return ops.sum(ms.grad(f)(x) * ___)\n\n"
            "    return ms.grad(along)(x)",
        ),
        solution="def hvp(f, x, v):\n"
        "    def along(x):\n"
        "        return ops.sum(ms.grad(f)(x) * v)\n\n"
        "    return ms.grad(along)(x)",
        why="Two passes, however many inputs there are. (`grad` sums what is returned, so with two "
        "of it `ops.sum` may be left out. But it says what is meant.)",
    )
)


# ----------------------------------------------------------------------- exercise 3
def _newton(f: Callable, x: Tensor) -> Tensor:
    return x - ms.grad(f)(x) / ms.hessian(f)(x)


def valley(x: Tensor) -> Tensor:
    return (x - 3.0) ** 2


def bend(x: Tensor) -> Tensor:
    return ops.exp(x) + x * x


LESSON.add(
    FunctionExercise(
        "newton",
        answer=_newton,
        friendly={"f": valley, "x": Tensor(0.0)},
        random=lambda rng: {"f": bend, "x": Tensor(rng.normal())},
        edge=[
            {"f": lambda x: x**4, "x": Tensor(np.float64(1.5))},
            {"f": lambda x: ops.exp(-x * x), "x": Tensor(np.float64(0.25))},
        ],
        mistakes={
            "Near the top of a hill `f''` is below 0, and the step leads to the top: there the "
            "slope is 0, too. Leave the sign as it is.": (
                lambda f, x: x - ms.grad(f)(x) / ops.abs(ms.grad(ms.grad(f))(x))
            ),
            "That is Newton's step towards a zero of `f`. At the bottom it is the slope that is "
            "0: take `f'` and `f''` for `f` and `f'`.": lambda f, x: x - f(x) / ms.grad(f)(x),
            "Against the slope, not along with it: the sign is wrong.": (
                lambda f, x: x + ms.grad(f)(x) / ms.grad(ms.grad(f))(x)
            ),
            "That is a step of plain descent, with a rate of 1. Divide by the second order.": (
                lambda f, x: x - ms.grad(f)(x)
            ),
            "`ms.grad(f)` is a function, and so is its own gradient. Call both at `x`.": (
                lambda f, x: x - ms.grad(f) / ms.grad(ms.grad(f))  # type: ignore[operator]  # that is the mistake
            ),
            "A rate of 0.1 is a guess. How far to go, the second order says: divide by it.": (
                lambda f, x: x - 0.1 * ms.grad(f)(x)
            ),
            "Divide by the second order, do not multiply: where the slope changes fast, the way is "
            "short.": lambda f, x: x - ms.grad(f)(x) * ms.grad(ms.grad(f))(x),
            "That is the step alone. Where does it lead, from `x`?": (
                lambda f, x: ms.grad(f)(x) / ms.grad(ms.grad(f))(x)
            ),
            "The quotient stands upside down.": (
                lambda f, x: x - ms.grad(ms.grad(f))(x) / ms.grad(f)(x)
            ),
            "The step is taken from `x`: the bracket ends too late.": (
                lambda f, x: (x - ms.grad(f)(x)) / ms.grad(ms.grad(f))(x)
            ),
            "That is the step alone, with its sign. It begins at `x`.": (
                lambda f, x: -ms.grad(f)(x) / ms.grad(ms.grad(f))(x)
            ),
            "That divides `f` by `f''`. What is to be gone is the slope, `f'`.": (
                lambda f, x: x - f(x) / ms.grad(ms.grad(f))(x)
            ),
            "Where is `f'`? The steeper it is, the longer the way.": [
                lambda f, x: x - 1 / ms.grad(ms.grad(f))(x),
                lambda f, x: x - ms.grad(f)(x) / ms.grad(f)(x),
                lambda f, x: x - ms.grad(ms.grad(f))(x),
            ],
            "From `x` to `x + 1` is a long way, and `f''` may change on it. What is meant is its "
            "value at `x`: the gradient of `ms.grad(f)`.": (
                lambda f, x: x - ms.grad(f)(x) / (ms.grad(f)(x + 1) - ms.grad(f)(x))
            ),
            "That is the third order below the line.": (
                lambda f, x: x - ms.grad(f)(x) / ms.grad(ms.grad(ms.grad(f)))(x)
            ),
            "The second order is the slope of the slope, not its square.": (
                lambda f, x: x - ms.grad(f)(x) / ms.grad(f)(x) ** 2
            ),
        },
        stops={
            "grad needs a function or a Cell": "`ms.grad` takes a function: the gradient of "
            "`ms.grad(f)`, not of its value at `x`.",
        },
        hints=(
            "What are slope and second order of `(x - 3)**2` at 0.0? From there, 3.0 should come "
            "out.",
            "From `x`, go `f' / f''` down. `f'` is `ms.grad(f)`; what is `f''`?",
            "def newton(f, x):\n    slope = ms.grad(f)\n    return x - slope(x) / ms.grad(___)(x)",
        ),
        solution="def newton(f, x):\n"
        "    slope = ms.grad(f)\n"
        "    return x - slope(x) / ms.grad(slope)(x)",
        why="For a square it is at the bottom at once, for others in a few steps. For many weights "
        "one divides by the Hessian, with the help of `hvp`.",
    )
)


# ----------------------------------------------------------------------- exercise 4
class _Tanh(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ops.tanh(x)


def _calls_it_made(self: Any, x: Tensor, out: Tensor, dout: Tensor) -> Any:
    raise NameError("name 'made' is not defined")


_TANH = (
    "class Tanh(nn.Cell):\n"
    "    def construct(self, x):\n"
    "        self.made = ops.tanh(x)\n"
    "        return self.made\n\n"
    "    def bprop(self, x, out, dout):\n"
)


def _normal(rng: np.random.Generator) -> dict[str, Tensor]:
    return {name: normal(rng, 2, 2) for name in ("x", "dout")}


LESSON.add(
    BpropExercise(
        "Tanh",
        answer=Gradients(_Tanh, order=2),
        friendly={"x": Tensor(0.5), "dout": Tensor(1.0)},
        random=_normal,
        edge=[{"x": Tensor([-100.0, 0.0, 100.0]), "dout": Tensor([1.0, 2.0, 3.0])}],
        planted=_TANH + "        return (dout * (1 - self.made**2),)",
        mistakes={
            _FORGOTTEN: Gradients(_Tanh, order=2, deaf=True),
            **_rules(
                _Tanh,
                {
                    "What the rule reads is still a plain number to the second storey: no way "
                    "leads from it back to `x`.": lambda self, x, out, dout: (
                        dout * (1 - ops.stop_gradient(out) ** 2),
                    ),
                    "Of `out` times what `construct` kept, the one leads back to `x`, the other "
                    "counts as a constant: half of the second order is lost.": (
                        lambda self, x, out, dout: (dout * (1 - out * ops.stop_gradient(out)),)
                    ),
                    "Far from 0 an exp is infinite, and infinity over infinity is nan. `out` is "
                    "there.": [
                        lambda self, x, out, dout: (
                            dout * 4 * ops.exp(2 * x) / (1 + ops.exp(2 * x)) ** 2,
                        ),
                        lambda self, x, out, dout: (dout * 4 / (ops.exp(x) + ops.exp(-x)) ** 2,),
                    ],
                    "Now the way leads through `out`, but `dout` has lost its own.": (
                        lambda self, x, out, dout: (ops.stop_gradient(dout) * (1 - out**2),)
                    ),
                    "`dout` was forgotten. What goes on is the gradient that arrives, times the "
                    "slope; so the second order is wrong as well.": (
                        lambda self, x, out, dout: (1 - out**2,)
                    ),
                    "A name of `construct` is not known in `bprop`. But what was made comes "
                    "along.": _calls_it_made,
                    "`out` is tanh of `x` already.": lambda self, x, out, dout: (
                        dout * (1 - ops.tanh(out) ** 2),
                    ),
                    "Only `out` is squared, not the bracket: `1 - out**2`.": (
                        lambda self, x, out, dout: (dout * (1 - out) ** 2,)
                    ),
                    "That is the slope of `1 - out**2` in it. A rule says the first order; the "
                    "second comes by itself.": [
                        lambda self, x, out, dout: (-2 * dout * out,),
                        lambda self, x, out, dout: (-2 * dout * out * (1 - out**2),),
                    ],
                    "The gradient that arrives is multiplied by the slope, `1 - out**2`.": (
                        lambda self, x, out, dout: (dout - out**2,)
                    ),
                    "That is the slope of the sigmoid. That of tanh is `1 - out**2`.": (
                        lambda self, x, out, dout: (dout * out * (1 - out),)
                    ),
                    "The square has gone: the slope of tanh is `1 - out**2`.": (
                        lambda self, x, out, dout: (dout * (1 - out),)
                    ),
                    "`x` is not `out`. The slope of tanh at `x` is `1 - tanh(x)**2`.": (
                        lambda self, x, out, dout: (dout * (1 - x**2),)
                    ),
                    "The sign of the square has changed. The slope of tanh is `1 - out**2`.": (
                        lambda self, x, out, dout: (dout * (1 + out**2),)
                    ),
                },
            ),
        },
        hints=(
            "Look at `show_graph(Tanh(), Tensor(0.5), order=2)`. Does anything lead from `x` into "
            "the second storey?",
            "`construct` is not recorded, so what it keeps in `self` has no past. What `bprop` is "
            "handed has one.",
            _TANH + "        return (dout * (1 - ___**2),)",
        ),
        solution=_TANH + "        return (dout * (1 - out**2),)",
        why="What the rule reads leads back to `x` now. (`out` does, and is there already.) And "
        "there was more: if the Cell is called twice, `self.made` is what the *last* call made, "
        "and even the first order is wrong.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
