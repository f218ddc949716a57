"""Lesson 2, "A program is a graph": its prediction and its exercises."""

import numpy as np

from minigrad import ops

from .lesson import GradientExercise, GraphExercise, Lesson, Prediction

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("02_a_program_is_a_graph", "A program is a graph")

LESSON.add(
    Prediction(
        "share",
        price={
            1.5: "The price is counted 3 times, and you pay half of that.",
            3.0: "is what one more adds to the food; you pay half of it: {right}.",
            2.5: "is the slope for count; the two look swapped. For price it is {right}.",
            5.0: "is the price itself. One more of it is paid 3 times, half by you: {right}.",
            15.0: "is the food, a value. The slope is how much more you pay: {right}.",
            10.5: "is the share itself, a value. The slope is how much more you pay: {right}.",
            1.0: "is what each dish costs more. There are 3 of them, and you pay half: {right}.",
            0.5: "is your half of one dish, and there are 3 of them: {right}.",
        },
        count={
            2.5: "One more dish costs 5, and you pay half of that.",
            5.0: "is what one more adds to the food; you pay half of it: {right}.",
            1.5: "is the slope for price; the two look swapped. For count it is {right}.",
            3.0: "is the count itself. One more dish costs 5, half of that yours: {right}.",
            15.0: "is the food, a value. The slope is how much more you pay: {right}.",
            10.5: "is the share itself, a value. The slope is how much more you pay: {right}.",
            1.0: "is how many dishes more there are. Each costs 5, and you pay half: {right}.",
            0.5: "is your half of one dish, and a whole one costs 5: {right}.",
        },
        tip={
            0.5: "You pay half of it.",
            1.0: "is what one more adds to the total; you pay half of it: {right}.",
            6.0: "is the tip itself. Of one more you pay half: {right}.",
            3.0: "is your part of the tip, a value. Of one more you pay half: {right}.",
            0.0: "would mean that you never notice a tip; but you pay half of it: {right}.",
            2.0: "turns the half around: you pay less than one more, not more: {right}.",
        },
    )
)

LESSON.add(
    GradientExercise(
        "multiply_rule",
        forward=lambda x, y: x * y,
        returns=("dx", "dy"),
        friendly={"x": 2.0, "y": 3.0},
        another={"x": 0.0, "y": -1.0},
        mistakes={
            "`g` was multiplied by the input's own value instead of the other's.": lambda g, x, y: (
                g * x,
                g * y,
            ),
            "That is `g` times the output; leave the input itself out of its own slope.": (
                lambda g, x, y: (g * x * y, g * x * y)
            ),
            "`g` went through unchanged, as it does through `+`.": lambda g, x, y: (g, g),
            "`g` was added; a gradient that arrives is multiplied in.": lambda g, x, y: (
                g + y,
                g + x,
            ),
        },
        hints=(
            "Hold `y` still at 3.0 and move `x` from 2.0 to 2.1. How far does `x * y` move?",
            "The slope of `x * y` for one input is the other one. A rule returns `g` times it.",
            "dx = g * y\ndy = g * ___",
        ),
        solution="def multiply_rule(g, x, y):\n    dx = g * y\n    dy = g * x\n    return dx, dy",
        why="If `x` moves by 1, `x * y` moves by `y`; `g` says how much the result makes of that.",
    )
)

LESSON.add(
    GradientExercise(
        "exp_rule",
        forward=np.exp,
        returns=("dx",),
        friendly={"x": 2.0},
        another={"x": 0.0},
        mistakes={
            "That is `g` times the input. But what is the slope of exp?": lambda g, x: g * x,
            "That is the rule of a power; here `x` is the exponent.": lambda g, x: (
                g * x * np.exp(x - 1)
            ),
            "Exp was applied twice: `out` is already exp(x).": lambda g, out: g * np.exp(out),
            "`g` went through unchanged, as it does through `+`.": lambda g: g,
            "`x` has no place in it beside `out`: exp is its own slope, and `out` is exp(x).": (
                lambda g, x, out: g * x * out
            ),
            "`g` was added; a gradient that arrives is multiplied in.": lambda g, out: g + out,
            "2.718 is cut short; `out` is exact.": (
                lambda g, x: g * 2.718**x,
                lambda g, x: g * 2.72**x,
            ),
            "That divides by exp(x) where it should multiply.": lambda g, out: g / out,
        },
        hints=(
            "Print `np.exp(2.0)`, and measure its slope there. What do you notice?",
            "The slope of exp is exp itself, and `out` holds it already. Multiply it by `g`.",
            "return g * ___",
        ),
        solution="def exp_rule(g, x, out):\n    return g * out",
        why="exp is its own slope. `g * np.exp(x)` is right too, but makes anew what is there.",
    )
)


def tangle(a, b, c):
    s = a * b
    t = b + c
    u = ops.exp(t)
    return s * u


LESSON.add(
    GraphExercise(
        "arrows",
        program=tangle,
        hints=(
            "Go line by line: the names on the right of `=` are read, the one on the left is made.",
            "Every op gives one arrow for each value it reads: `*` and `+` two, `exp` one. "
            "`return` itself gives none, but the `*` beside it does.",
            "arrows = [\n"
            '    ("a", "s"), ("b", "s"),\n'
            '    ("b", "t"), ("c", "t"),\n'
            '    ("t", "u"),\n'
            '    ("s", "tangle"), (___, "tangle"),\n'
            "]",
        ),
        solution="arrows = [\n"
        '    ("a", "s"), ("b", "s"),\n'
        '    ("b", "t"), ("c", "t"),\n'
        '    ("t", "u"),\n'
        '    ("s", "tangle"), ("u", "tangle"),\n'
        "]",
        why="The lines of `s` and `t` could change places: neither reads the other. Same graph.",
    )
)

LESSON.add(
    GradientExercise(
        "sweep",
        forward=lambda x, w: np.exp(x * w),
        returns=("dx", "dw"),
        friendly={"x": 0.0, "w": 3.0},
        another={"x": 1.0, "w": 2.0},
        takes_g=False,
        planted="def sweep(x, w):\n"
        "    p = x * w\n"
        "    out = np.exp(p)\n"
        "    g = 1.0\n"
        "    dp = g * out\n"
        "    dx, dw = g * w, g * x\n"
        "    return dx, dw",
        mistakes={
            "`dp` is what arrives at `x * w`; you used `out` twice.": lambda x, w: (
                np.exp(2 * x * w) * w,
                np.exp(2 * x * w) * x,
            ),
            "`p` is a value; the gradient that arrives at it is `dp = g * out`.": lambda x, w: (
                x * w * w,
                x * w * x,
            ),
            "`dp` arrives, but was not multiplied by the other input.": lambda x, w: (
                np.exp(x * w),
                np.exp(x * w),
            ),
            "`dp` was multiplied by the input's own value instead of the other's.": lambda x, w: (
                np.exp(x * w) * x,
                np.exp(x * w) * w,
            ),
            "`dx` is still worked out from `g`.": lambda x, w: (w, np.exp(x * w) * x),
            "`dw` is still worked out from `g`.": lambda x, w: (np.exp(x * w) * w, x),
        },
        hints=(
            "Follow `g` down the backward half. Which line makes what no later line reads?",
            "Each rule must be given the gradient of its own output. The output of `x * w` is `p`.",
            "dx, dw = ___ * w, ___ * x",
        ),
        solution="def sweep(x, w):\n"
        "    p = x * w\n"
        "    out = np.exp(p)\n"
        "    g = 1.0\n"
        "    dp = g * out\n"
        "    dx, dw = dp * w, dp * x\n"
        "    return dx, dw",
        why="The bug hid at x = 0: there `out` is 1, so `g` and `dp` are equal. Test where no "
        "factor is 1 or 0.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
