"""Lesson 8, "Writing a bprop": its prediction and its exercises."""

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import Parameter, Tensor, nn, ops

from .lesson import BpropExercise, Lesson, Note, Prediction
from .lesson.bprop import Gradients, normal, with_rule
from .lesson.compare import shown
from .lesson.function import makes_nan

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("08_writing_a_bprop", "Writing a bprop")

LESSON.add(
    Prediction(
        "price",
        wide={
            3.0: "The rule says `long`, and that is what is sent. The price per metre is lost.",
            30.0: "is the true slope. But the rule never looks at `dout`, so the 10 that arrives "
            "there is lost, and it says {right}.",
            4.0: "is the one for long; the two look swapped. For wide the rule says {right}.",
            40.0: "is the true slope for long. For wide the rule says `long`: {right}.",
            10.0: "is what arrives at `Area`. What the rule sends on is `long`: {right}.",
            13.0: "adds what arrives and what the rule says. It only says `long`: {right}.",
            12.0: "is the area, a value. The rule for wide says `long`: {right}.",
            120.0: "is the price, a value. The rule for wide says `long`: {right}.",
        },
        long={
            4.0: "The rule says `wide`, and that is what is sent. The price per metre is lost.",
            40.0: "is the true slope. But the rule never looks at `dout`, so the 10 that arrives "
            "there is lost, and it says {right}.",
            3.0: "is the one for wide; the two look swapped. For long the rule says {right}.",
            30.0: "is the true slope for wide. For long the rule says `wide`: {right}.",
            10.0: "is what arrives at `Area`. What the rule sends on is `wide`: {right}.",
            14.0: "adds what arrives and what the rule says. It only says `wide`: {right}.",
            12.0: "is the area, a value. The rule for long says `wide`: {right}.",
            120.0: "is the price, a value. The rule for long says `wide`: {right}.",
        },
    )
)

_FORGOTTEN = (
    "`dout` was forgotten: that is the slope alone. The gradient that arrives must be multiplied "
    "in, and nobody else does it."
)


# ----------------------------------------------------------------------- exercise 1
class _MatMul(nn.Cell):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return ops.matmul(x, y)


_RIGHT_DX, _RIGHT_DY = (lambda x, y, g: g @ y.T), (lambda x, y, g: x.T @ g)


def _product_rule(dx: Callable = _RIGHT_DX, dy: Callable = _RIGHT_DY) -> Callable:
    """A rule for Product, of what it says of x, y and dout."""
    return lambda self, x, y, out, dout: (dx(x, y, dout), dy(x, y, dout))


def _matrices(rng: np.random.Generator) -> dict[str, Tensor]:
    return {"x": normal(rng, 2, 3), "y": normal(rng, 3, 4), "dout": normal(rng, 2, 4)}


_PRODUCT = (
    "class Product(nn.Cell):\n"
    "    def construct(self, x, y):\n"
    "        return ops.matmul(x, y)\n\n"
    "    def bprop(self, x, y, out, dout):\n"
)

LESSON.add(
    BpropExercise(
        "Product",
        answer=Gradients(_MatMul),
        friendly={
            "x": Tensor([[0.5, 0.6], [1.2, 1.3]]),
            "y": Tensor([[2.0, -1.0], [0.0, 3.0]]),
            "dout": Tensor([[1.0, 1.0], [1.0, 1.0]]),
        },
        random=_matrices,
        edge=[{"x": ops.zeros((0, 2)), "y": ops.ones((2, 3)), "dout": ops.zeros((0, 3))}],
        mistakes={
            _FORGOTTEN: Gradients(_MatMul, deaf=True),
            **Gradients.of_rules(
                _MatMul,
                {
                    "The other matrix is in the right place, but it has to be transposed: "
                    "`.T`.": lambda self, x, y, out, dout: (dout @ y, x @ dout),
                    "`dy` is right. For `dx`, `y` has to be transposed: `.T`.": _product_rule(
                        dx=lambda x, y, g: g @ y
                    ),
                    "`dx` is right. For `dy`, `x` has to be transposed: `.T`.": _product_rule(
                        dy=lambda x, y, g: x @ g
                    ),
                    "`dx` is right. For `dy`, `x` has to be transposed, and to stand on the left, "
                    "as it does in `x @ y`.": _product_rule(dy=lambda x, y, g: g @ x),
                    "Both matrices have to be transposed, and `x` stands on the left.": (
                        lambda self, x, y, out, dout: (dout @ y, dout @ x)
                    ),
                    "The two look swapped: the gradient of `x` is made of `y`. And `x.T` stands on "
                    "the left.": lambda self, x, y, out, dout: (dout @ x.T, dout @ y.T),
                    "`dout` is the gradient that comes in: it stays as it is. What has to be "
                    "transposed is `y`.": _product_rule(dx=lambda x, y, g: g.T @ y),
                    "For `dx`, `*` multiplies entry by entry. A matrix product is `@`.": (
                        _product_rule(dx=lambda x, y, g: g * y.T)
                    ),
                    "`dout` went through unchanged, as if `out` were a sum.": (
                        lambda self, x, y, out, dout: (dout, dout)
                    ),
                    "That is what `Area` did: the other factor, and nothing of `dout`. Nobody else "
                    "multiplies by it.": lambda self, x, y, out, dout: (y, x),
                    "The two look swapped: the gradient of `x` is made of `y`, that of `y` of "
                    "`x`.": lambda self, x, y, out, dout: (x.T @ dout, dout @ y.T),
                    "For `dy`, `x` stands on the left in the product, so it stands on the left "
                    "here, too.": lambda self, x, y, out, dout: (dout @ y.T, dout.T @ x),
                    "For `dy`, `x.T` is right. But it stands on the left of `dout`, as `x` does of "
                    "`y`.": lambda self, x, y, out, dout: (dout @ y.T, dout @ x.T),
                    "That is the rule of `Net`, which the checker calls untrue.": (
                        lambda self, x, y, out, dout: (x + 1, y + 1)
                    ),
                    "`*` multiplies entry by entry. A matrix product is `@`, or `ops.matmul`.": (
                        lambda self, x, y, out, dout: (dout * y.T, x.T * dout)
                    ),
                    "The right matrices, on the wrong sides. In `x @ y`, `y` stands on the right; "
                    "so `y.T` stands on the right of `dout`.": lambda self, x, y, out, dout: (
                        y.T @ dout,
                        dout @ x.T,
                    ),
                    "`dout` has no part in it, and so no entry of `out` has. Multiply it in.": (
                        lambda self, x, y, out, dout: (y.T, x.T)
                    ),
                    "`out` is what was made on the way forward. The gradient that arrives is "
                    "`dout`.": lambda self, x, y, out, dout: (out @ y.T, x.T @ out),
                    "Those are the slopes of `x * y`, entry by entry. An entry of a matrix "
                    "product is a sum over a row and a column.": (
                        lambda self, x, y, out, dout: (dout * y, dout * x)
                    ),
                },
            ),
        },
        hints=(
            "What shapes have `dout` and `y`? And what shape must `dx` have?",
            "In lesson 4: `g` times the other matrix, transposed, on the side where it stood.",
            _PRODUCT + "        dx = dout @ y.T\n        dy = ___ @ dout\n        return dx, dy",
        ),
        solution=_PRODUCT
        + "        dx = dout @ y.T\n        dy = x.T @ dout\n        return dx, dy",
        why="`check_bprop(Product(), x, y)` says so, too. A rule that never reads `dout` is nearly "
        "always wrong.",
    )
)


# ----------------------------------------------------------------------- exercise 2
class _Scaled(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x: Tensor) -> Tensor:
        return x * self.w


def _calls_it_w(self: Any, x: Tensor, out: Tensor, dout: Tensor) -> Any:
    raise NameError("name 'w' is not defined")


def _right_for_x(self: Any, x: Tensor, dout: Tensor) -> Tensor:
    return dout * self.w


def _scale_rules(dx: Callable, weights: list[Callable]) -> list[Callable]:
    """Rules for Scale, of what they say of x, and of w."""

    def rule(dw: Callable) -> Callable:
        return lambda self, x, out, dout: ((dx(self, x, dout),), {self.w: dw(self, x, dout)})

    return [*map(rule, weights)]


def _with_another_w(answer: Any) -> Note | None:
    """The gradients where w is no longer 2."""
    cell, right = answer() if isinstance(answer, type) else answer, _Scaled()
    for each in (cell, right):
        each.w.set_data(Tensor(3.0))
    points = {"x": Tensor([1.0, 2.0]), "dout": Tensor([1.0, 1.0])}
    yours, wanted = (Gradients(each)(*points.values()) for each in (cell, right))
    cell.w.set_data(Tensor(2.0))
    for name, mine, other in zip(Gradients(right).names, yours, wanted, strict=True):
        if not np.allclose(mine.asnumpy(), other.asnumpy()):
            rows = ("yours", shown(mine)), ("right", shown(other))
            text = "Training moves `w`. Where the rule has its number, it has to read `self.w`."
            return Note("wrong", f"Not yet: `{name}` is wrong where `w` is 3.", rows, text=(text,))
    return None


_SCALE = (
    "class Scale(nn.Cell):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    '        self.w = Parameter(Tensor(2.0), name="w")\n\n'
    "    def construct(self, x):\n"
    "        return x * self.w\n\n"
    "    def bprop(self, x, out, dout):\n"
)

LESSON.add(
    BpropExercise(
        "Scale",
        answer=Gradients(_Scaled),
        friendly={"x": Tensor(3.0), "dout": Tensor(1.0)},
        random=lambda rng: {"x": normal(rng, 2, 3), "dout": normal(rng, 2, 3)},
        edge=[{"x": ops.zeros((0,)), "dout": ops.zeros((0,))}],
        given={"Parameter": Parameter},
        last=_with_another_w,
        planted=_SCALE + "        return (dout * self.w,)",
        mistakes={
            _FORGOTTEN: Gradients(_Scaled, deaf=True),
            **Gradients.of_rules(
                _Scaled,
                {
                    "Right for a number. If `x` is an array, all its entries use the one `w`, so "
                    "their gradients add up to one number.": lambda self, x, out, dout: (
                        (dout * self.w,),
                        {self.w: dout * x},
                    ),
                    "That is the slope for `x`. If `w` moves by 1, `x * w` moves by `x`.": (
                        lambda self, x, out, dout: (
                            (dout * self.w,),
                            {self.w: ops.sum(dout * self.w)},
                        )
                    ),
                    "In the gradient of `w`, `dout` was forgotten: multiply it in there, "
                    "too.": lambda self, x, out, dout: ((dout * self.w,), {self.w: ops.sum(x)}),
                    "`out` is `x * w`, so `w` is counted in. If `w` moves by 1, `x * w` moves by "
                    "`x`.": lambda self, x, out, dout: (
                        (dout * self.w,),
                        {self.w: ops.sum(dout * out)},
                    ),
                    "Multiply first, then add: each entry of `dout` belongs to its own entry of "
                    "`x`.": lambda self, x, out, dout: (
                        (dout * self.w,),
                        {self.w: ops.sum(dout) * ops.sum(x)},
                    ),
                    "Inside of a method, the weight of the Cell is called `self.w`.": _calls_it_w,
                    "In both gradients `dout` was forgotten: multiply it in. And `w` is one "
                    "number: what comes to it adds up.": _scale_rules(
                        lambda self, x, dout: self.w,
                        [lambda self, x, dout: x, lambda self, x, dout: ops.sum(x)],
                    ),
                    "In the gradient of `w`, `dout` was forgotten. And `w` is one number: what "
                    "comes to it adds up.": _scale_rules(_right_for_x, [lambda self, x, dout: x]),
                    "That is `dout`, as if `w` were added. If `w` moves by 1, `x * w` moves by "
                    "`x`.": _scale_rules(_right_for_x, [lambda self, x, dout: dout]),
                    "`out` is what was made on the way forward. What arrives is `dout`, and if `w` "
                    "moves by 1, `x * w` moves by `x`.": _scale_rules(
                        _right_for_x, [lambda self, x, dout: ops.sum(x * self.w)]
                    ),
                    "`dw` is right. `dx` was right, too, before: `dout * self.w`.": (
                        _scale_rules(
                            lambda self, x, dout: dout * x,
                            [lambda self, x, dout: ops.sum(dout * x)],
                        )
                    ),
                    "`dout` went through to `w` unchanged. If `w` moves by 1, `x * w` moves by "
                    "`x`.": lambda self, x, out, dout: ((dout * self.w,), {self.w: ops.sum(dout)}),
                    "The two look swapped: in the tuple goes the gradient of `x`, in the dict "
                    "that of `w`.": lambda self, x, out, dout: (
                        (dout * x,),
                        {self.w: ops.sum(dout * self.w)},
                    ),
                    "The gradient of `w` must not stand in the tuple: that is for inputs. It goes "
                    "in a dict behind it, `(dx,), {self.w: dw}`.": (
                        lambda self, x, out, dout: (dout * self.w, ops.sum(dout * x))
                    ),
                    "The key is the Parameter itself, `self.w`, not its name.": [
                        lambda self, x, out, dout: ((dout * self.w,), {"w": ops.sum(dout * x)}),
                        lambda self, x, out, dout: (
                            (dout * self.w,),
                            {"self.w": ops.sum(dout * x)},
                        ),
                    ],
                    "Entries of an average count less. Each of them uses `w` in full: add.": (
                        lambda self, x, out, dout: (
                            (dout * self.w,),
                            {self.w: ops.mean(dout * x) if x.size else Tensor(0.0)},
                        )
                    ),
                },
            ),
        },
        hints=(
            "If `w` moves by 1 and `x` is 3.0, how far does `x * w` move? No line says so yet.",
            "Behind the tuple, a dict: `(dx,), {self.w: dw}`. All entries of `x` use the one `w`.",
            _SCALE + "        return (dout * self.w,), {self.w: ops.sum(dout * ___)}",
        ),
        solution=_SCALE + "        return (dout * self.w,), {self.w: ops.sum(dout * x)}",
        why="Of a number the sum is that number, so one line does for all shapes. When you "
        "call `grad` with `weights=` and a rule leaves one out, minigrad warns.",
    )
)


# ----------------------------------------------------------------------- exercise 3
class _Rounded(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x + ops.stop_gradient(ops.round(x) - x)


_ROUND = (
    "class Round(nn.Cell):\n"
    "    def construct(self, x):\n"
    "        return ops.round(x)\n\n"
    "    def bprop(self, x, out, dout):\n"
)

LESSON.add(
    BpropExercise(
        "Round",
        answer=Gradients(_Rounded),
        friendly={"x": Tensor([0.4, 1.6]), "dout": Tensor([1.0, 1.0])},
        random=lambda rng: {"x": 3 * normal(rng, 4), "dout": normal(rng, 4)},
        edge=[{"x": Tensor([0.5, 1.0, -2.5]), "dout": Tensor([1.0, -2.0, 0.25])}],
        mistakes={
            "`dout` was forgotten. Straight through: what arrives goes on as it is.": Gradients(
                _Rounded, deaf=True
            ),
            **Gradients.of_rules(
                _Rounded,
                {
                    "That is the true slope, and nobody learns from it. What arrives is to go on "
                    "as it is.": lambda self, x, out, dout: (ops.zeros_like(x),),
                    "`dout` was multiplied by the input. But if nothing is rounded, the output "
                    "is `x`, and its slope for `x` is 1.": (lambda self, x, out, dout: (dout * x,)),
                    "`dout` was multiplied by the output. But if nothing is rounded, the output "
                    "is `x`, and its slope for `x` is 1.": (
                        lambda self, x, out, dout: (dout * out,)
                    ),
                    "The gradient was rounded too. Only the way forward rounds.": (
                        lambda self, x, out, dout: (ops.round(dout),)
                    ),
                    "That is a slope, one number. A rule returns `dout` times the slope, in the "
                    "shape of `x`.": lambda self, x, out, dout: (1.0,),
                    "What arrives is multiplied by slopes. Nothing is added to it or taken off.": [
                        lambda self, x, out, dout: (dout + x,),
                        lambda self, x, out, dout: (dout - x,),
                        lambda self, x, out, dout: (dout + out,),
                        lambda self, x, out, dout: (dout - out,),
                    ],
                    "How far a number was rounded is a value, and no slope. Straight through: what "
                    "arrives goes on as it is.": [
                        lambda self, x, out, dout: (dout * (out - x),),
                        lambda self, x, out, dout: (dout * (x - out),),
                        lambda self, x, out, dout: (out - x,),
                        lambda self, x, out, dout: (x - out,),
                    ],
                    "That is a value, the input. A rule is asked for a gradient.": (
                        lambda self, x, out, dout: (x,)
                    ),
                    "That is a value, the output. A rule is asked for a gradient.": (
                        lambda self, x, out, dout: (out,)
                    ),
                },
            ),
        },
        hints=(
            "Leave the rounding out: what is the rule of a Cell that returns `x` as it is?",
            "If `construct` did nothing, the slope would be 1, and `dout` times 1 would go on.",
            _ROUND + "        return (___,)",
        ),
        solution=_ROUND + "        return (dout,)",
        why="In this way one trains weights that are whole numbers in the end. `check_bprop` calls "
        "the rule untrue, and it is. But you meant it.",
    )
)


# ----------------------------------------------------------------------- exercise 4
def _bump(self: Any, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
    """dout 5 e / (1 + e)² with e = exp(-5 |x|), which cannot overflow, in float64."""
    a = x.asnumpy()
    e = np.exp(-5 * np.abs(a.astype(np.float64)))
    return (dout * Tensor((5 * e / (1 + e) ** 2).astype(a.dtype)),)


class _Step(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return (x > 0).astype(x.dtype)


def _bump_of(e_of: Callable) -> Callable:
    """The rule of Spike with this in the place of e."""

    def bprop(self: Any, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
        e = e_of(x)
        return (dout * 5.0 * e / (1 + e) ** 2,)

    return bprop


def _deaf(self: Any, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
    return _bump(self, x, out, ops.ones_like(dout))


def _no_nan_is_hidden(answer: Any) -> Note | None:
    """What is wrong with a rule that makes a NaN far out and then wipes it off."""
    x = Tensor([-30.0, 30.0, -1e4])
    cell = answer() if isinstance(answer, type) else answer
    if not makes_nan(lambda: Gradients(cell)(x, ops.ones_like(x))):
        return None
    text = (
        "inf / inf is still worked out there. To wipe NaNs off afterwards hides any other NaN as "
        "well, such as one that arrives in `dout`. Keep this one from being made."
    )
    title = "Not yet: the numbers are right, but far below 0 a NaN is made, and then hidden."
    return Note("wrong", title, text=(text,))


_SPIKE = (
    "class Spike(nn.Cell):\n"
    "    def construct(self, x):\n"
    "        return (x > 0).astype(x.dtype)\n\n"
    "    def bprop(self, x, out, dout):\n"
)
_BUMP = "        return (dout * 5.0 * e / (1 + e) ** 2,)"

LESSON.add(
    BpropExercise(
        "Spike",
        answer=Gradients(with_rule(_Step, _bump)),
        friendly={"x": Tensor(0.1), "dout": Tensor(1.0)},
        random=lambda rng: {"x": normal(rng, 4), "dout": normal(rng, 4)},
        edge=[
            {"x": Tensor([-30.0, 30.0]), "dout": Tensor([1.0, 1.0])},
            {"x": Tensor([-1e4, 0.0, 1e4]), "dout": Tensor([2.0, 2.0, 2.0])},
            {"x": Tensor(np.array([-200.0, 0.5])), "dout": Tensor(np.array([1.0, 3.0]))},
        ],
        planted=_SPIKE + "        e = ops.exp(-5.0 * x)\n" + _BUMP,
        last=_no_nan_is_hidden,
        mistakes={
            _FORGOTTEN: Gradients(with_rule(_Step, _deaf)),
            **Gradients.of_rules(
                _Step,
                {
                    "The trouble has only changed sides: now it is far above the threshold "
                    "that exp makes an infinity.": _bump_of(lambda x: ops.exp(5.0 * x)),
                    "Without the 5.0 in the exponent the S is less steep, and the bump another.": (
                        _bump_of(lambda x: ops.exp(-ops.abs(x)))
                    ),
                    "The 5.0 in front is missing: the slope of `sigmoid(5 * x)` is 5 times that of "
                    "the sigmoid.": lambda self, x, out, dout: (
                        dout * ops.sigmoid(5.0 * x) * (1 - ops.sigmoid(5.0 * x)),
                    ),
                    "That is the S, not its slope.": (
                        lambda self, x, out, dout: (dout * 5.0 * ops.sigmoid(5.0 * x),)
                    ),
                    "The absolute value needs a minus before it. As it is, exp overflows on both "
                    "sides.": _bump_of(lambda x: ops.exp(5.0 * ops.abs(x))),
                    "`e` is no longer the same above and below the line. Both need the absolute "
                    "value.": lambda self, x, out, dout: (
                        dout * 5.0 * ops.exp(-5.0 * x) / (1 + ops.exp(-5.0 * ops.abs(x))) ** 2,
                    ),
                    "Below 0 `e` is 1 now, and the bump is flat. It has to fall on both sides.": (
                        _bump_of(lambda x: ops.exp(-5.0 * ops.maximum(x, 0.0)))
                    ),
                    "Now exp gets only what is positive, which is where it overflows.": _bump_of(
                        lambda x: ops.exp(-5.0 * ops.minimum(x, 0.0))
                    ),
                    "The `e` above the line has gone: that is the square of the S.": (
                        lambda self, x, out, dout: (dout * 5.0 / (1 + ops.exp(-5.0 * x)) ** 2,)
                    ),
                },
            ),
        },
        hints=(
            "How large is `e` where `x` is -20.0? And what is that, divided by its square?",
            "The bump is the same at `x` and at `-x`. For which of the two is exp harmless?",
            _SPIKE + "        e = ops.exp(-5.0 * ops.___(x))\n" + _BUMP,
        ),
        solution=_SPIKE + "        e = ops.exp(-5.0 * ops.abs(x))\n" + _BUMP,
        why="No NaN is made any more. (The sigmoid in `relusigmoid` knows this trick, too.) A "
        "network learns with it: try `train(Reader(IFNode(surrogate_function=Spike())))`.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
