"""Lesson 7, "Where gradients break": its prediction and its exercises."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor, ops
from minigrad.watch import watch

from .lesson import FunctionExercise, Lesson, Note, Prediction, TaskExercise
from .lesson.compare import shown
from .lesson.exercise import Mistakes, several
from .lesson.function import makes_nan
from .trace_nan_view import trace_nan

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("07_where_gradients_break", "Where gradients break")


# ------------------------------------------------------------------------ the prediction
def _slope_of(fn: Callable, x: Tensor) -> tuple[Any, dict[str, str]]:
    with np.errstate(all="ignore"):
        return trace_nan(fn, x), {"slope": f"{abs(float(ms.grad(fn)(x))):g}"}


LESSON.add(
    Prediction(
        "guarded",
        show=_slope_of,
        slope={
            "nan": "`where` sends a gradient of 0 to the branch that it did not take, and there "
            "it meets infinity.",
            "1": "is the true slope, and all that comes through the branch that is taken. But the "
            "other branch adds its part: {right}.",
            "0": "is what the branch that is not taken is given. But on its way it meets "
            "infinity, and the branch that is taken adds its part: {right}.",
            "inf": "is what exp makes on the way forward. In the sweep it meets a 0: {right}.",
        },
    )
)


# ------------------------------------------------- exercises on a value and its gradient
class _WithGradient:
    """A function that also finds the gradient of sum(g * value) for its first argument.

    It looks like `fn` to whoever asks for its code or its parameters.
    """

    def __init__(self, fn: Callable, g: Callable):
        self.fn, self.g = fn, g
        self.__code__ = getattr(fn, "__code__", None)
        self.__signature__ = inspect.signature(fn)

    def __call__(self, x: Tensor, *rest: Any) -> Any:
        value = self.fn(x, *rest)
        if value is ... or value is None:
            return value
        if not isinstance(value, Tensor):
            return {"value": value, "gradient": None}
        g = self.g(x)
        dx = ms.grad(lambda x: ops.sum(self.fn(x, *rest) * g))(x)
        return {"value": value, "gradient": dx}


class _GradientToo(FunctionExercise):
    """A FunctionExercise that compares the gradient of the function too."""

    def _judge(self, *answer: Any) -> Note:
        """Judge the function together with its gradient."""
        if len(answer) == 1 and callable(answer[0]) and not isinstance(answer[0], _WithGradient):
            answer = (self._tried(answer[0]),)
        note = super()._judge(*answer)
        title = note.title.replace("result['value']", "result")
        return replace(note, title=title.replace("result['gradient']", "gradient"))

    def _tried(self, answer: Callable) -> _WithGradient:
        return _WithGradient(answer, _g)


def _g(x: Tensor) -> Tensor:
    """The gradient of the output: 1 for a vector, 1, 2, 3 along each row of a matrix."""
    g = np.ones(x.shape) if len(x.shape) < 2 else np.ones(x.shape) * np.arange(1, x.shape[-1] + 1)
    return Tensor(g.astype(x.asnumpy().dtype))


def _found(x: Tensor, value: Any, gradient: Any) -> dict[str, Tensor]:
    """Value and gradient, worked out in float64, in the dtype of x."""
    dtype = x.asnumpy().dtype
    return {"value": Tensor(value.astype(dtype)), "gradient": Tensor(gradient.astype(dtype))}


def _mistakes(told: Mistakes) -> dict[str, list[Callable]]:
    return {text: [_WithGradient(fn, _g) for fn in several(made)] for text, made in told.items()}


# ----------------------------------------------------------------------- exercise 1
def _x_log_x(x: Tensor) -> dict[str, Tensor]:
    a = x.asnumpy().astype(np.float64)
    log = np.log(np.where(a > 0, a, 1.0))
    return _found(x, a * log, np.where(a > 0, log + 1, 0.0))


def _log_of_a_bit_more(x: Tensor, small: float) -> Tensor:
    return x * ops.log(x + small)


def _log_beside_0(x: Tensor, small: float) -> Tensor:
    return ops.where(x > 0, x * ops.log(x + small), 0.0)


def _log_from(x: Tensor, small: float) -> Tensor:
    return x * ops.log(ops.maximum(x, small))


def _log_from_beside_0(x: Tensor, small: float) -> Tensor:
    return ops.where(x > 0, x * ops.log(ops.maximum(x, small)), 0.0)


_SMALL = *(10.0**-n for n in range(3, 13)), 1e-15, 1e-16, 1e-20, 1e-30
_LEAST = 1e-3, 1e-4, 1e-5, 1e-30  # with another of `_SMALL`, adding it comes to the same
_X_LOG_X = "def x_log_x(x):\n"

LESSON.add(
    _GradientToo(
        "x_log_x",
        answer=_x_log_x,
        friendly={"x": Tensor([0.0, 1.0, 2.0])},
        random=lambda rng: {"x": Tensor(rng.uniform(0, 3, 4).astype(np.float32))},
        edge=[{"x": Tensor([0.0, 1e-30])}, {"x": Tensor(np.array([0.0, 5.0]))}],
        planted=_X_LOG_X + "    return ops.where(x > 0, x * ops.log(x), 0.0)",
        mistakes=_mistakes(
            {
                "0 still reaches the log: the branch that is not taken is computed all the same. "
                "Give the log itself something harmless.": (
                    lambda x: ops.where(x > 0, x * ops.log(x), 0.0)
                ),
                **{
                    f"A small number like {small} only moves the cliff: at 0 the slope is its log "
                    f"now, {np.log(small):.0f}.": partial(_log_of_a_bit_more, small=small)
                    for small in _SMALL
                },
                **{
                    f"Finite, and 0 at 0. But with {small} added, all that is smaller comes out "
                    "wrong: it hides behind your number.": partial(_log_beside_0, small=small)
                    for small in _SMALL
                },
                **{
                    f"`maximum(x, {small})` only moves the cliff: at 0 the slope is the log of "
                    f"that, {np.log(small):.0f}.": partial(_log_from, small=small)
                    for small in _LEAST
                },
                **{
                    f"Finite, and 0 at 0. But what is no larger than {small} comes out wrong: "
                    "`maximum` puts your number in its place.": (
                        partial(_log_from_beside_0, small=small)
                    )
                    for small in _LEAST
                },
                "At 0 the log is still infinite, and 0 times that is nan. The log itself must not "
                "get the 0. (With `>=`, it does.)": [
                    lambda x: x * ops.log(x),
                    lambda x: ops.where(x > 0, x, 0.0) * ops.log(x),
                ],
                "That is the log alone: the `x` in front of it has gone.": (
                    lambda x: ops.log(ops.where(x > 0, x, 1.0))
                ),
                "That makes it larger everywhere: now 0 log 0 is 0, but 1 log 1 is not.": (
                    lambda x: x * ops.log(x + 1)
                ),
                "The slope is right, but at the value of 0 something else comes out than 0.": (
                    lambda x: ops.where(x > 0, x * ops.log(ops.where(x > 0, x, 1.0)), 1.0)
                ),
            }
        ),
        hints=(
            "Ask `trace_nan(x_log_x, Tensor([0.0, 1.0]))`. Which number must never be made?",
            "Give the log a harmless number where `x` is 0: one whose log is finite.",
            _X_LOG_X + "    harmless = ops.where(x > 0, x, ___)\n"
            "    return ops.where(x > 0, x * ops.log(harmless), 0.0)",
        ),
        solution=_X_LOG_X + "    harmless = ops.where(x > 0, x, 1.0)\n"
        "    return ops.where(x > 0, x * ops.log(harmless), 0.0)",
        why="Where `x` is 0, no log of 0 is left whose slope could be infinite. In minigrad, as in "
        "scipy, `xlogy(x, x)` does all of that.",
    )
)


# ----------------------------------------------------------------------- exercise 2
def _softplus(x: Tensor) -> dict[str, Tensor]:
    a = x.asnumpy().astype(np.float64)
    return _found(x, np.logaddexp(0.0, a), 1 / (1 + np.exp(-np.clip(a, -700, 700))))


def _cut_off(x: Tensor, limit: float) -> Tensor:
    return ops.log(1 + ops.exp(ops.minimum(x, limit)))


def _near_0(fn: Callable) -> Note | None:
    """The answer far below 0, where the value is small, and by how much it is off there."""
    at = Tensor([-20.0])
    with np.errstate(all="ignore"):
        found = _WithGradient(fn, _g)(at)
    for name, right in _softplus(at).items():
        yours, wanted = (float(x.asnumpy()[0]) for x in (found[name], right))
        if abs(yours / wanted - 1) > 1e-3:
            rows = ("at", "x = -20"), ("yours", shown(yours)), ("right", shown(wanted))
            text = (
                "exp(-20) is so small that 1 + exp(-20) is 1 in float32, and log(1) is 0. "
                "`ops.log1p(t)` is log(1 + t) and never makes the sum."
            )
            title = f"Not yet: far below 0 the {name} is lost."
            return Note("wrong", title, rows, text=(text,))
    return None


_SOFTPLUS = "def stable_softplus(x):\n    return "

LESSON.add(
    _GradientToo(
        "stable_softplus",
        answer=_softplus,
        friendly={"x": Tensor([1.0, 100.0])},
        random=lambda rng: {"x": Tensor(rng.uniform(-3, 3, 4).astype(np.float32))},
        edge=[
            {"x": Tensor([0.0])},
            {"x": Tensor([-10_000.0, -100.0, 89.0, 10_000.0])},
            {"x": Tensor(np.array([0.0, 2.0, 1000.0]))},
        ],
        mistakes=_mistakes(
            {
                "That is the formula that breaks: exp is given large positive numbers.": (
                    lambda x: ops.log(1 + ops.exp(x))
                ),
                "One `where` mends the value, not the slope: the other branch still runs.": (
                    lambda x: ops.where(x < 20, ops.log(1 + ops.exp(x)), x)
                ),
                "All is right but the slope at 0, which is 0.5. There two corners meet, relu's and "
                "abs's. Each rule says 0. On paper the corners cancel; take `maximum(x, 0.0)`, "
                "whose slope at 0 lies in the middle.": (
                    lambda x: ops.relu(x) + ops.log1p(ops.exp(-ops.abs(x)))
                ),
                "Now the other end breaks: for `x` far below 0, `exp(-x)` is too large.": (
                    lambda x: x + ops.log(1 + ops.exp(-x))
                ),
                **{
                    f"Cut off at {limit:g}: beyond that the value is flat, and the slope 0.": (
                        partial(_cut_off, limit=limit)
                    )
                    for limit in (20.0, 30.0, 50.0, 80.0, 88.0)
                },
                "`abs` in the exp is right. But then, for positive `x`, the `x` taken out of the "
                "log must be added again.": lambda x: ops.log1p(ops.exp(-ops.abs(x))),
                "That is relu, with a corner where softplus is round.": lambda x: ops.relu(x),
                "Both formulas are right, each on its side. But both run everywhere, and each "
                "overflows on the other's side: `where` hides a value, not a gradient.": (
                    lambda x: ops.where(x > 0, x + ops.log1p(ops.exp(-x)), ops.log1p(ops.exp(x)))
                ),
                "Below 0 nothing was taken out of the log, so nothing is to be added there: not "
                "`x` and not `abs(x)`, but `maximum(x, 0.0)`.": [
                    lambda x: x + ops.log1p(ops.exp(-ops.abs(x))),
                    lambda x: ops.abs(x) + ops.log1p(ops.exp(-ops.abs(x))),
                ],
                "`-x` is large where `x` is far below 0. `-abs(x)` is never above 0.": [
                    lambda x: ops.maximum(x, 0.0) + ops.log1p(ops.exp(-x)),
                    lambda x: ops.maximum(x, 0.0) + ops.log(1 + ops.exp(-x)),
                    lambda x: ops.relu(x) + ops.log1p(ops.exp(-x)),
                    lambda x: ops.relu(x) + ops.log(1 + ops.exp(-x)),
                ],
                "`abs(x)` is never below 0, so exp gets what is large on both sides. A minus is "
                "missing.": lambda x: ops.maximum(x, 0.0) + ops.log1p(ops.exp(ops.abs(x))),
                "What is a factor inside of a log is added outside of it: a plus.": [
                    lambda x: ops.maximum(x, 0.0) * ops.log1p(ops.exp(-ops.abs(x))),
                    lambda x: ops.maximum(x, 0.0) - ops.log1p(ops.exp(-ops.abs(x))),
                ],
                "`nan_to_num` puts the largest float there is in the place of inf. Right would "
                "be `x`.": lambda x: ops.nan_to_num(ops.log(1 + ops.exp(x))),
                "Far out `sigmoid(-x)` is 0.0, and the log of that is infinite.": (
                    lambda x: -ops.log(ops.sigmoid(-x))
                ),
            }
        ),
        last=_near_0,
        hints=(
            "1 + exp(x) is exp(x) * (exp(-x) + 1). What is the log of that, for large `x`?",
            "For `x` above 0 it is `x + log(1 + exp(-x))`; below 0 it is `log(1 + exp(x))`. One "
            "formula for both has a maximum and an abs.",
            _SOFTPLUS + "ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.___(x)))",
        ),
        solution=_SOFTPLUS + "ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.abs(x)))",
        why="Nothing overflows, and nothing small is lost: log1p(t) is log(1 + t), exact for small "
        "t. `ops.softplus` is there, too; so are log_softmax and logsumexp.",
    )
)


# ----------------------------------------------------------------------- exercise 3
def _masked_softmax(scores: Tensor, mask: Tensor) -> dict[str, Tensor]:
    x, m = scores.asnumpy().astype(np.float64), mask.asnumpy()
    top = np.max(np.where(m, x, -np.inf), axis=-1, keepdims=True)
    e = np.where(m, np.exp(np.where(m, x - np.where(np.isfinite(top), top, 0.0), 0.0)), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    out = e / np.where(total > 0, total, 1.0)
    g = _g(scores).asnumpy()
    return _found(scores, out, out * (g - np.sum(g * out, axis=-1, keepdims=True)))


def _by_hand(scores: Tensor, mask: Tensor, bit: float = 0.0) -> Tensor:
    e = ops.exp(scores) * mask
    return e / (ops.sum(e, -1, True) + bit)


def _after(scores: Tensor, mask: Tensor, bit: float = 0.0) -> Tensor:
    shares = ops.softmax(scores) * mask
    return shares / (ops.sum(shares, -1, True) + bit)


def _by_hand_and_low(scores: Tensor, mask: Tensor) -> Tensor:
    e = ops.exp(ops.where(mask, scores, -1e9))
    return e / ops.sum(e, -1, True)


def _low(scores: Tensor, mask: Tensor, score: float) -> Tensor:
    return ops.softmax(ops.where(mask, scores, score)) * mask


_EMPTY = Tensor([[1.0, 2.0, 3.0]]), Tensor([[False, False, False]])


def _nan_under_the_mask(fn: Callable) -> Note | None:
    """Of an answer that makes a NaN and throws it away: why it is right all the same."""
    scores, mask = _EMPTY
    if not makes_nan(lambda: _WithGradient(fn, _g)(scores, mask)):
        return None
    text = (
        "In the row where nothing counts a NaN is still made. It does no harm here, since all of "
        "that row is masked, and what is masked gets no gradient. With a low finite score, such "
        "as -1e9, there would be none to throw away."
    )
    return Note("right", "Right: values and gradients are what they should be.", text=(text,))


def _draw_scores(rng: np.random.Generator) -> dict[str, Tensor]:
    scores = rng.uniform(-3, 3, (3, 4)).astype(np.float32)
    mask = rng.uniform(size=(3, 4)) < 0.6
    mask[:, 0] = True
    return {"scores": Tensor(scores), "mask": Tensor(mask)}


_MASKED = "def masked_softmax(scores, mask):\n"

LESSON.add(
    _GradientToo(
        "masked_softmax",
        answer=_masked_softmax,
        friendly={
            "scores": Tensor([[1.0, 2.0, 3.0]]),
            "mask": Tensor([[True, True, False]]),
        },
        random=_draw_scores,
        edge=[
            dict(zip(("scores", "mask"), _EMPTY, strict=True)),
            {"scores": Tensor([[1000.0, 999.0, 0.0]]), "mask": Tensor([[True, True, True]])},
            {"scores": Tensor([[0.0, 1.0, 50.0]]), "mask": Tensor([[True, True, False]])},
            {"scores": Tensor([[-5000.0, -5001.0, 0.0]]), "mask": Tensor([[True, True, False]])},
        ],
        last=_nan_under_the_mask,
        mistakes=_mistakes(
            {
                "The masked entries had taken their share before: the rest no longer adds up to "
                "1. Mask the scores first.": lambda scores, mask: ops.softmax(scores) * mask,
                "A score of 0 is a score like any other, since exp(0) is 1. What score makes a "
                "share of 0?": lambda scores, mask: ops.softmax(scores * mask),
                "In a row where nothing counts all scores are -inf, and -inf - -inf is nan. Take a "
                "very low finite score.": lambda scores, mask: ops.softmax(
                    ops.where(mask, scores, float("-inf"))
                ),
                "In a row where nothing counts all scores are equally low, and get equal shares. "
                "Those are still to be made 0.": lambda scores, mask: ops.softmax(
                    ops.where(mask, scores, -1e9)
                ),
                "exp overflows, and a row where nothing counts is divided by 0. Leave both to "
                "`ops.softmax`.": [_by_hand, _by_hand_and_low],
                "That is not low enough: scores that count may be lower still. Take -1e9.": [
                    partial(_low, score=score) for score in (-10.0, -20.0, -50.0, -100.0, -1000.0)
                ],
                "A score of 0 takes a share like any other, since exp(0) is 1. To make that 0 "
                "afterwards leaves less than 1 for the rest.": partial(_low, score=0.0),
                "That runs down the columns. Each row is a softmax of its own: along the last "
                "axis.": lambda scores, mask: ops.softmax(ops.where(mask, scores, -1e9), 0) * mask,
                "Multiply by the mask in the end, not by the scores.": lambda scores, mask: (
                    ops.softmax(ops.where(mask, scores, -1e9)) * scores
                ),
                "`where` takes what stands first where the mask is True. The two are swapped.": (
                    lambda scores, mask: ops.softmax(ops.where(mask, -1e9, scores)) * mask
                ),
                "Right where something counts. Where nothing does, that divides 0 by 0; and a "
                "large masked score leaves nothing for the others. Mask the scores first.": _after,
                "A large masked score takes all, and leaves nothing for the others. Mask the "
                "scores first.": partial(_after, bit=1e-9),
                "Empty rows are right. But exp overflows for large scores: leave it to "
                "`ops.softmax`, which subtracts the largest first.": partial(_by_hand, bit=1e-9),
            }
        ),
        hints=(
            "Which score gives almost no share, and yet is a number that can be subtracted?",
            "Put a very low, finite score where the mask is False; then make those shares 0.",
            _MASKED + "    low = ops.where(mask, scores, ___)\n    return ops.softmax(low) * mask",
        ),
        solution=_MASKED
        + "    low = ops.where(mask, scores, -1e9)\n    return ops.softmax(low) * mask",
        why="That is why a low score is to be finite: exp(-1e9) is 0.0, as exp(-inf) is, but "
        "-1e9 - -1e9 is 0, and not nan. (float16 ends long before: take -1e4 there.)",
    )
)


# ----------------------------------------------------------------------- exercise 4
def _window(n: int) -> np.ndarray:
    weights = np.hanning(n + 2)[1:-1]
    return weights / weights.sum()


def _look_at_smooth(fn: Callable) -> str | Note:
    for dtype in (np.float32, np.float16, np.float64):
        x = np.array([[1.0, 2.0, 4.0, 3.0], [0.0, -1.0, 2.0, 5.0]], dtype)
        out = fn(Tensor(x))
        if out is ... or out is None:
            return Note("todo", "Not done yet: `smooth` returned nothing.")
        if not isinstance(out, Tensor):
            return f"`smooth` is to return a Tensor; it returns a {type(out).__name__}."
        right = np.sum(x.astype(np.float64) * _window(4), axis=-1)
        if out.shape != right.shape or not np.allclose(out.asnumpy(), right, rtol=4e-3):
            rows = ("yours", str(out)), ("right", str(right.round(4)))
            ratio = out.asnumpy() / right if out.shape == right.shape else np.zeros(1)
            text = "The weights no longer add up to 1: they are to be divided by their sum."
            text = text if abs(ratio[0] - 1) > 0.01 and np.ptp(ratio) < 0.01 else ""
            return Note("wrong", "Not yet: the values are wrong now.", rows, text=(text,))
        for value in watch(fn, Tensor(x)).values:
            made = np.asarray(getattr(value.data, "array", value.data)).dtype
            if value.kind == "op" and made.kind == "f" and made != dtype:
                title = f"Not yet: `x` is {np.dtype(dtype)}, but `{value.op}` makes {made}."
                line = value.line.text.strip() if value.line else ""
                text = _whence(np.dtype(dtype), made, out)
                return Note("wrong", title, (("where", line),) if line else (), text=(text,))
    return ""


def _whence(wanted: np.dtype, made: np.dtype, out: Tensor) -> str:
    """Why a dtype came that is not wanted."""
    if made == np.float32:
        return "float32 was written down. What comes out should be what went in, whatever it is."
    if out.asnumpy().dtype == wanted:
        return "The end is right. But on the way all is float64: twice the memory, for nothing."
    return "Look for what numpy made: it is float64, and what meets it becomes float64."


_SMOOTH = """\
def smooth(x):
    weights = np.hanning(x.shape[-1] + 2)[1:-1]
    weights = {}
    return ops.sum(x * weights, -1)"""


def _smooth_at_the_end(x: Tensor) -> Tensor:
    return ops.sum(x * _window(x.shape[-1]), -1).astype(x.dtype)


def _smooth_in_float32(x: Tensor) -> Tensor:
    return ops.sum(x * Tensor(_window(x.shape[-1]), ms.float32), -1)


def _smooth_in_float64(x: Tensor) -> Tensor:
    return ops.sum(x.astype(ms.float64) * _window(x.shape[-1]), -1)


def _smooth_by_whole_numbers(x: Tensor) -> Tensor:
    return ops.sum(x * Tensor(_window(x.shape[-1]).astype(int).astype(np.float32), x.dtype), -1)


LESSON.add(
    TaskExercise(
        "smooth",
        look=_look_at_smooth,
        wrong=[
            ("The end is right. But on the way all is float64", _smooth_at_the_end),
            ("float32 was written down", _smooth_in_float32),
            ("Look for what numpy made", _smooth_in_float64),
            ("the values are wrong now", _smooth_by_whole_numbers),
        ],
        right="Right: what goes in decides what is computed with, in all three dtypes.",
        planted=_SMOOTH.format("weights / weights.sum()"),
        hints=(
            "Print the dtype of `weights` in each line. Who made it, and was it told which?",
            "Make a Tensor of the weights before they meet `x`, with the dtype of `x`.",
            _SMOOTH.format("Tensor(weights / weights.sum(), ___)"),
        ),
        solution=_SMOOTH.format("Tensor(weights / weights.sum(), x.dtype)"),
        why="A plain number, as in `x * 2.0`, does no harm: it takes the dtype of the Tensor that "
        "it meets. An array of numpy's brings its own.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
