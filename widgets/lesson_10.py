"""Lesson 10, "Keyword arguments in a bprop": its prediction and its exercises."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor, nn, ops

from .lesson import BpropExercise, Lesson, Note, Prediction, TaskExercise
from .lesson.bprop import ByName, normal
from .lesson.compare import shown
from .lesson.exercise import holds_gap, listed
from .open_bprop_view import open_bprop
from .text import count

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("10_keyword_arguments_in_bprop", "Keyword arguments in a bprop")


# ------------------------------------------------------------------------ the prediction
def _open_the_call(net: nn.Cell, x: Tensor) -> tuple[Any, dict[str, float]]:
    gradient = ms.grad(net)(x, y=3, w=5)
    return open_bprop(net, x, y=3, w=5), {"gradient": float(gradient.asnumpy().round(3)[0])}


LESSON.add(
    Prediction(
        "order",
        show=_open_the_call,
        gradient={
            -2.0: "5 reached `w` and 3 reached `y`, by name: 5 times -1, and 3.",
            2.0: "would come if the call's order decided, and `w` got 3. But names do: {right}.",
            0.0: "would come of the defaults, 1 and 1. But the call's values arrive: {right}.",
            -5.0: "leaves out the `y` that the rule adds: {right}.",
            -1.0: "is the true slope of `sin(x) + y`. But the rule is believed, and it says "
            "{right}.",
            8.0: "takes cos as 1; near pi it is -1: {right}.",
        },
    )
)


# ------------------------------------------------------------------------- exercise 1
class Net(nn.Cell):
    """Notes how it was called, and what arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[int, tuple[str, ...]]] = []
        self.arrived: list[tuple[Any, ...]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append((len(args), tuple(kwargs)))
        return super().__call__(*args, **kwargs)

    def construct(self, x: Any, w: Any = 1.0, y: Any = 0.0) -> Any:
        self.arrived.append((x, w, y))
        return x * w + y


_SPELLED: list[tuple[str, Callable[[int, tuple[str, ...]], bool]]] = [
    ("all three by position", lambda n, names: n == 3),
    ("only `y` by keyword", lambda n, names: (n, names) == (2, ("y",))),
    ("`y` and `w` by keyword, `y` first", lambda n, names: (n, names) == (1, ("y", "w"))),
    ("all three by keyword", lambda n, names: n == 0),
]


def _spelling(n: int, names: tuple[str, ...]) -> str:
    by_position = [f"{n} by position"] if n else []
    return ", then ".join(by_position + ([f"{', '.join(names)} by keyword"] if names else []))


def _look_at_four_ways(fn: Callable) -> str | Note:
    net, given = Net(), (Tensor(2.0), Tensor(3.0), Tensor(5.0))
    made = fn(net, *given)
    if holds_gap(made) or made is None:
        return Note("todo", "Not done yet: the `...` waits for your code.")
    if not isinstance(made, list | tuple) or len(made) != 4 or len(net.calls) != 4:
        times = count(len(net.calls), "time")
        return f"four calls are asked for, in a list; `net` was called {times}."
    numbers = ["first", "second", "third", "fourth"]
    for number, call, (wanted, fits), arrived in zip(
        numbers, net.calls, _SPELLED, net.arrived, strict=True
    ):
        if not fits(*call):
            rows = ("yours", _spelling(*call)), ("asked for", wanted.replace("`", ""))
            return Note("wrong", f"Not yet: the {number} call is spelled otherwise.", rows)
        for name, came, right in zip("xwy", arrived, given, strict=True):
            if came is not right:
                rows = ("yours", shown(came)), ("right", shown(right))
                title = f"Not yet: in the {number} call `{name}` gets something else."
                return Note("wrong", title, rows)
    return ""


_FOUR = """\
def four_ways(net, x, w, y):
    return [
        net(x, w, y),
        net(x, w, y=y),
        net(x, {}=y, w=w),
        net(y=y, w=w, x=x),
    ]"""

LESSON.add(
    TaskExercise(
        "four_ways",
        look=_look_at_four_ways,
        wrong=[
            (
                "the second call is spelled otherwise",
                lambda net, x, w, y: [net(x, w, y) for _ in range(4)],
            ),
            (
                "in the second call `w` gets something else",
                lambda net, x, w, y: [net(x, w, y), net(x, y, y=w), net(x, y=y, w=w),
                                      net(x=x, w=w, y=y)],
            ),
            (
                "the third call is spelled otherwise",
                lambda net, x, w, y: [net(x, w, y), net(x, w, y=y), net(x, w=w, y=y),
                                      net(x=x, w=w, y=y)],
            ),
            (
                "in the third call `w` gets something else",
                lambda net, x, w, y: [net(x, w, y), net(x, w, y=y), net(x, y=w, w=y),
                                      net(x=x, w=w, y=y)],
            ),
            (
                "the fourth call is spelled otherwise",
                lambda net, x, w, y: [net(x, w, y), net(x, w, y=y), net(x, y=y, w=w),
                                      net(x, w=w, y=y)],
            ),
            (
                "four calls are asked for",
                lambda net, x, w, y: [net(x, w, y), net(x, w, y=y), net(x, y=y, w=w)],
            ),
        ],
        right="Right: four spellings, and each time the same three values in the same places.",
        hints=(
            "What stands without a name goes to the places of `construct`, from the left.",
            "A keyword is `name=value`: `y=y` hands your `y` to the place called `y`.",
            _FOUR.format("___"),
        ),
        solution=_FOUR.format("y"),
        why="Python binds a call before anything runs. minigrad has Python do that for "
        "`construct`, and goes by the names from there on; so the rule cannot tell the four apart.",
    )
)  # fmt: skip


# ------------------------------------------------------------------------- exercise 2
class _Squash(nn.Cell):
    def construct(self, x: Tensor, temperature: Any = 1.0, mode: str = "tanh") -> Tensor:
        z = x / temperature
        return ops.tanh(z) if mode == "tanh" else z


def _dz(mode: str, out: Tensor, dout: Tensor) -> Tensor:
    return dout * (1 - out * out) if mode == "tanh" else dout


def _rule(dx: Callable, dtemperature: Callable) -> Callable:
    """A rule for Squash, of what it says of dz, x and temperature."""

    def bprop(self, x, temperature, mode, out, dout):
        dz = _dz(mode, out, dout)
        return dx(dz, x, temperature), dtemperature(dz, x, temperature), None

    return bprop


def _right_dx(dz: Tensor, x: Tensor, t: Any) -> Tensor:
    return dz / t


def _right_dt(dz: Tensor, x: Tensor, t: Any) -> Tensor:
    return -ops.sum(dz * x) / t**2


def _no_mode(self, x, temperature, mode, out, dout):
    dz = dout * (1 - out * out)
    return dz / temperature, -ops.sum(dz * x) / temperature**2, None


def _rule_of_out(self, x, temperature, mode, out, dout):
    dz = _dz(mode, out, dout)
    return dz / temperature, -ops.sum(dz * out) / temperature, None


def _undone(self, x, temperature, mode, out, dout):
    dz = _dz(mode, out, dout)
    return dz / temperature, -ops.sum(dout * x) / temperature**2, None


_SQUASH = (
    "class Squash(nn.Cell):\n"
    '    def construct(self, x, temperature=1.0, mode="tanh"):\n'
    "        z = x / temperature\n"
    '        return ops.tanh(z) if mode == "tanh" else z\n\n'
    "    def bprop(self, x, temperature, mode, out, dout):\n"
    '        dz = dout * (1 - out * out) if mode == "tanh" else dout\n'
    "        return dz / temperature, {}, None"
)

LESSON.add(
    BpropExercise(
        "Squash",
        answer=ByName(_Squash),
        friendly={
            "x": Tensor([1.0, 2.0]),
            "temperature": Tensor(2.0),
            "mode": "plain",
            "dout": Tensor([1.0, 1.0]),
        },
        random=lambda rng: {
            "x": normal(rng, 2, 3),
            "temperature": Tensor(np.float32(rng.uniform(0.5, 2))),
            "mode": "tanh",
            "dout": normal(rng, 2, 3),
        },
        edge=[
            {"x": Tensor([1.0]), "temperature": 2.0, "mode": "tanh", "dout": Tensor([3.0])},
            {"x": ops.zeros((0,)), "temperature": Tensor(2.0), "mode": "tanh",
             "dout": ops.zeros((0,))},
        ],
        planted=_SQUASH.format("None"),
        mistakes=ByName.of_rules(
            _Squash,
            {
                "`temperature` gets nothing, as if it were a constant. Here it is a Tensor, and it "
                "is to be learned: say its gradient, too.": _rule(
                    _right_dx, lambda dz, x, t: None
                ),
                "The temperature divides. Its slope has a minus.": _rule(
                    _right_dx, lambda dz, x, t: ops.sum(dz * x) / t**2
                ),
                "`z` falls with the square of the temperature: `x / t` has the slope "
                "`-x / t**2` for `t`.": _rule(_right_dx, lambda dz, x, t: -ops.sum(dz * x) / t),
                "`dz` is not yet `dx`: between them there is the division.": _rule(
                    lambda dz, x, t: dz, _right_dt
                ),
                "`mode` is an input of the rule, too. In the other mode there is no tanh, and "
                "`out` is `z`.": _no_mode,
                "All entries share the one temperature, so their parts add up to one number.": (
                    _rule(_right_dx, lambda dz, x, t: -dz * x / t**2)
                ),
                "That would be its slope if it were a factor: `x * t`. The temperature divides.": (
                    _rule(_right_dx, lambda dz, x, t: ops.sum(dz * x))
                ),
                "The parts of all entries add up; they are not averaged.": _rule(
                    _right_dx, lambda dz, x, t: -ops.mean(dz * x) / t**2
                ),
                "In the gradient of the temperature, what arrives was forgotten: `dz` belongs into "
                "the sum.": _rule(_right_dx, lambda dz, x, t: -ops.sum(x) / t**2),
                "Multiply first, then add: each entry of `dz` belongs to its own entry of `x`.": (
                    _rule(_right_dx, lambda dz, x, t: -ops.sum(dz) * ops.sum(x) / t**2)
                ),
                "`dout` arrives behind the tanh. What arrives at the division is `dz`.": _undone,
                "`out` has gone through tanh, so it is `x / t` in the other mode alone. The slope "
                "of `x / t` for `t` is `-x / t**2`.": _rule_of_out,
                "There is no `x` in it. The slope of `x / t` for `t` is `-x / t**2`.": [
                    _rule(_right_dx, lambda dz, x, t: -ops.sum(dz) / t**2),
                    _rule(_right_dx, lambda dz, x, t: ops.sum(dz)),
                ],
                "Neither what arrives nor `x` has a part in that gradient: it is `dz` times "
                "`-x / t**2`, summed.": _rule(_right_dx, lambda dz, x, t: -1 / t**2),
                "The power of the temperature is another: the slope of `x / t` for `t` is "
                "`-x / t**2`.": [
                    _rule(_right_dx, lambda dz, x, t: -ops.sum(dz * x) * t**2),
                    _rule(_right_dx, lambda dz, x, t: -ops.sum(dz * x) / t**3),
                    _rule(_right_dx, lambda dz, x, t: -ops.sum(dz * x) / (2 * t)),
                ],
                "Sign and power: the slope of `x / t` for `t` is `-x / t**2`.": _rule(
                    _right_dx, lambda dz, x, t: ops.sum(dz * x) / t
                ),
                "`dout` was forgotten. Without it the rule says what holds for 1 alone.": (
                    lambda self, x, temperature, mode, out, dout: _rule(_right_dx, _right_dt)(
                        self, x, temperature, mode, out, ops.ones_like(dout)
                    )
                ),
            },
        ),
        hints=(
            "How does `x / temperature` change with the temperature? And on how many entries of "
            "`out` does the one temperature act?",
            "The slope of `x / t` is `-x / t**2`; times `dz`, and summed, since all entries share "
            "it.",
            _SQUASH.format("-ops.___(dz * x) / temperature**2"),
        ),
        solution=_SQUASH.format("-ops.sum(dz * x) / temperature**2"),
        why="If the temperature comes as a plain number, nobody asks for its gradient, and what "
        "the rule says of it is dropped. `mode` has none: None keeps its place.",
    )
)  # fmt: skip


# ------------------------------------------------------------------------- exercise 3
_COUNTS = [
    ("Net", ("x", "y"), 1),
    ("Squash", ("pixels", "temperature", "mode"), 5),
    ("Gate", ("left", "right"), 0),
]


def _look_at_wrong_count(fn: Callable) -> str | Note:
    for cell, inputs, number in _COUNTS:
        returned = tuple(Tensor(0.5) for _ in range(number))
        said = fn(cell, inputs, returned)
        call = f"wrong_count({cell!r}, {inputs!r}, ...)"
        if said is ...:
            return Note("todo", "Not done yet: the `...` waits for your code.")
        if said is None:
            return Note("todo", "Not done yet: it returned nothing. Is there a `return`?")
        if not isinstance(said, str):
            return f"a sentence is asked for, a str; it returned {shown(said)}."
        rows = ("call", f"{call} with {count(number, 'gradient')}"), ("yours", repr(said))
        if not said:
            return Note("wrong", f"Not yet: {number} is wrong, and it says nothing.", rows)
        if missing := _missing(said, cell, inputs, number):
            text = "In `{...}` stands what is to be put in: an f before the quotes does that."
            text = text if "{cell}" in said or "{len" in said else ""
            title = f"Not yet: the sentence does not say {missing}."
            return Note("wrong", title, rows, text=(text,))
        returned = tuple(Tensor(0.5) for _ in inputs)
        said = fn(cell, inputs, returned)
        rows = ("call", f"{call} with {len(inputs)} gradients"), ("yours", repr(said))
        if not isinstance(said, str) or (said and not said.strip()):
            title = 'Not yet: if the count is right, an empty string is asked for, `""`.'
            return Note("wrong", title, rows)
        if said:
            return Note("wrong", "Not yet: it complains of a count that is right.", rows)
    return ""


def _missing(said: str, cell: str, inputs: tuple[str, ...], number: int) -> str:
    """What a good message says and this one does not."""

    def says(word: str) -> bool:
        return re.search(rf"(?<!\w){word}(?!\w)", said) is not None

    if not says(cell):
        return f"where: the Cell is {cell}"
    if not says(str(number)):
        return f"what came: {number}"
    if not says(str(len(inputs))):
        return f"what was expected: {len(inputs)}"
    silent = [f"`{name}`" for name in inputs if not says(name)]
    return f"which inputs those are: {', '.join(silent)} not named" if silent else ""


_COUNT = """\
def wrong_count(cell, inputs, returned):
    if len(returned) {} len(inputs):
        return ""
    came, wanted = len(returned), len(inputs)
    names = ", ".join(inputs)
    return f"{{cell}}.bprop returned {{came}} gradients for {{wanted}} inputs: {{names}}\""""


def _said(
    text: str, right: Callable[[int, int], bool] = lambda came, wanted: came == wanted
) -> Any:
    """An answer that says this text where `right` is not so."""

    def wrong_count(cell: str, inputs: tuple[str, ...], returned: tuple[Any, ...]) -> str:
        came, wanted = len(returned), len(inputs)
        if right(came, wanted):
            return ""
        return text.format(cell=cell, came=came, wanted=wanted, names=", ".join(inputs))

    return wrong_count


def _none_if_right(cell: str, inputs: tuple[str, ...], returned: tuple[Any, ...]) -> Any:
    return _said(_ALL)(cell, inputs, returned) or None


def _without_f(cell: str, inputs: tuple[str, ...], returned: tuple[Any, ...]) -> str:
    return "{cell}: {len(returned)} of {len(inputs)}" if len(returned) != len(inputs) else ""


_ALL = "{cell}.bprop returned {came} gradients for {wanted} inputs: {names}"

LESSON.add(
    TaskExercise(
        "wrong_count",
        look=_look_at_wrong_count,
        wrong=[
            ("does not say where", _said("expected {wanted} gradients ({names}), got {came}")),
            ("does not say what came", _said("{cell} has {wanted} inputs: {names}")),
            ("does not say what was expected", _said("{cell} returned {came}, for {names}")),
            ("does not say which inputs", _said("{cell}: got {came} vs {wanted}")),
            ("it says nothing", _said(_ALL, lambda came, wanted: came >= wanted)),
            ("complains of a count that is right", _said(_ALL, lambda came, wanted: False)),
            ("an empty string is asked for", _none_if_right),
            ("an f before the quotes", _without_f),
        ],
        stops={"ValueError: ": "Return the sentence; whoever calls decides what to do with it."},
        right="Right: whoever reads that knows where to look and what to write.",
        hints=(
            "What would you want to read at two in the morning? Where, what came, what should.",
            '`len` counts both; an f-string puts them into the sentence, and `", ".join(inputs)` '
            "the names.",
            _COUNT.format("___"),
        ),
        solution=_COUNT.format("=="),
        why="minigrad's own adds what to try: `return one for each, None where there is none`.",
    )
)


# ------------------------------------------------------------------------- exercise 4
class _Clip(nn.Cell):
    def construct(self, x: Tensor, low: Any = -1.0, high: Any = 1.0) -> Tensor:
        return ops.minimum(ops.maximum(x, low), high)


def _by_position(answer: Any) -> Note | None:
    """What to say of a rule that is right, and is not given its inputs by name."""
    cell: Any = answer if isinstance(answer, type) else type(answer)
    wanted = [*inspect.signature(_Clip.construct).parameters]
    there, names = ([*inspect.signature(f).parameters] for f in (cell.construct, cell.bprop))
    if there != wanted:
        text = f"Whoever calls `Clip` by keyword knows its inputs as {listed(wanted[1:])}."
        return Note("wrong", "Not yet: `construct` is to stay as it was.", text=(text,))
    strange = [name for name in names if name not in (*wanted, "out", "dout")]
    if not strange:
        return None
    text = (
        f"By position still: `construct` has no {listed(strange)}. So the order counts, and yours "
        "is that of `construct`. If all names are those of `construct`, any order will do."
    )
    return Note("right", "Right: each limit arrives where it is used.", text=(text,))


_CLIP = (
    "class Clip(nn.Cell):\n"
    "    def construct(self, x, low=-1.0, high=1.0):\n"
    "        return ops.minimum(ops.maximum(x, low), high)\n\n"
    "    def bprop(self, x, high, {0}, out, dout):\n"
    "        inside = (x > {1}) & (x < high)\n"
    "        return dout * inside, None, None"
)


def _drawn_clip(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "x": normal(rng, 8),
        "low": float(rng.uniform(-1, -0.5)),
        "high": float(rng.uniform(0.1, 0.8)),
        "dout": normal(rng, 8),
    }


LESSON.add(
    BpropExercise(
        "Clip",
        answer=ByName(_Clip),
        friendly={
            "x": Tensor([-2.0, 0.5, 3.0]),
            "low": -1.0,
            "high": 1.0,
            "dout": Tensor([1.0, 1.0, 1.0]),
        },
        random=_drawn_clip,
        edge=[
            {"x": Tensor([0.5, 4.0, 6.0]), "low": 3.0, "high": 5.0, "dout": Tensor([1.0] * 3)},
            {"x": ops.zeros((0,)), "low": -1.0, "high": 1.0, "dout": ops.zeros((0,))},
        ],
        planted=_CLIP.format("lowest", "lowest"),
        last=_by_position,
        mistakes=ByName.of_rules(
            _Clip,
            {
                "Nothing passes. Either `low` and `high` still arrive swapped, since one name that "
                "`construct` does not have makes all names count for nothing; or the comparisons "
                "are turned round.": [
                    lambda self, x, top, low, out, dout: (
                        dout * ((x > low) & (x < top)), None, None),
                    lambda self, x, low, high, out, dout: (
                        dout * ((x < low) & (x > high)), None, None),
                ],
                "Everything passes. Where `x` was clipped, the output does not move: 0. (`&` asks "
                "for both, `|` for one of them.)": [
                    lambda self, x, low, high, out, dout: (dout, None, None),
                    lambda self, x, low, high, out, dout: (
                        dout * ((x > low) | (x < high)), None, None),
                ],
                "The comparisons are turned round: what is to be 1 outside, or 0 inside?": (
                    lambda self, x, low, high, out, dout: (
                        dout * ((x < low) | (x > high)), None, None)
                ),
                "The limits of the call do not count: -1 and 1 are written down.": (
                    lambda self, x, low, high, out, dout: (
                        dout * ((x > -1.0) & (x < 1.0)), None, None)
                ),
                "`dout` was forgotten. Without it the rule says what holds for 1 alone.": (
                    lambda self, x, low, high, out, dout: (
                        ops.ones_like(dout) * ((x > low) & (x < high)), None, None)
                ),
            },
        ),
        hints=(
            "Open the call, and look at the row of `bprop`. Which of construct's inputs does "
            "`high` get?",
            "Each parameter of the rule should have a name that `construct` has.",
            _CLIP.format("___", "___"),
        ),
        solution=_CLIP.format("low", "low"),
        why="Now all names are found, and the order does not matter. In MindSpore it does: there, "
        "keep to the order of `construct`, too.",
    )
)  # fmt: skip

check, hint, predict, reveal, solution, progress = LESSON.calls
