"""Lesson 10: the tutorial's programs, what its numbers are, and what the checks say."""

import contextlib
import io
import math
import re

import numpy as np
import pytest
from lesson_notebook import ROOT, LessonNotebook, printed

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_10 import LESSON

NOTEBOOK = LessonNotebook(LESSON)
PROGRAMS = ROOT / "tests" / "data" / "tutorials"
X = float(np.float32(3.14))


def note_on(name, answer):
    return LESSON.exercises[name].judge(answer)


def lines(source):
    """The lines of a program but its imports, with the blanks of one who writes no blanks."""
    plain = [line.strip().replace("w*", "w * ").replace("print (", "print(") for line in source]
    return [line for line in plain if line and "import" not in line]


# ------------------------------------------------------------------ the tutorial's programs
@pytest.mark.parametrize(
    ("program", "cells"),
    [
        ("kwargs_01_default_before_out", ["first_try"]),
        ("kwargs_02_default_after_dout", ["out, dout, y=1"]),
        ("kwargs_03_by_position", ["x, y, out, dout"]),
        ("kwargs_04_two_keywords", ["x, w, y, out, dout", "y=0, w=2"]),
    ],
)
def test_a_program_of_the_tutorial_is_in_the_lesson_and_prints_what_it_must(program, cells):
    path = PROGRAMS / f"{program}.py"
    cells = [NOTEBOOK.cell_with(part) for part in cells]
    there = lines("\n".join(cell.source for cell in cells).splitlines())
    own = lines(path.read_text(encoding="utf-8").splitlines())
    for line in own[:-3]:  # the last three make x and the Cell, and call it: see below
        assert line in there, line
    right = path.with_suffix(".right.txt")
    wanted = right.read_text(encoding="utf-8").strip() if right.exists() else "SyntaxError"
    shown = [o.text for cell in cells for o in cell.outputs if o.output_type == "stream"]
    assert wanted in "\n".join(shown)


def test_each_call_of_the_tutorial_stands_below_its_cell():
    calls = [cell.source for cell in NOTEBOOK.code if "print(net(x, y=1), value" in cell.source]
    for cell in (calls[0], calls[2]):
        assert "x = Tensor([3.14], ms.float32)\nnet = Net()\nprint(net" in cell
    assert ["y=0, w=2" in call for call in calls] == [False, True, False]


def test_the_numbers_of_the_hook_by_hand():
    told = printed(NOTEBOOK.cell_with("out, dout, y=1"))
    for y in (0, 1):
        (found,) = re.findall(rf"cos\(x\) \+ {y} is (\S+)", told)
        # The numbers of float32 near 1 are 6e-8 apart.
        assert float(found) == pytest.approx(math.cos(X) + y, abs=6e-8)


# ------------------------------------------------------------------------------ predicting
@pytest.mark.parametrize(
    ("answer", "said"),
    [(-2, "is right"), (2, "if the call's order decided"), (0, "of the defaults"), (7, "it is -2")],
)
def test_the_prediction_opens_the_call(answer, said):
    _, shown = NOTEBOOK.run(("gradient=...", f"gradient={answer}"))
    opened = next(thing for thing in shown if not isinstance(thing, Note))
    bound = {each.name: each.source for each in opened._call.bound}
    assert bound == {name: name for name in ("x", "w", "y", "out", "dout")}
    assert dict(opened._call.inputs)["w"] == 5
    assert dict(opened._call.inputs)["y"] == 3
    assert said in dict(shown[shown.index(opened) + 1].rows)["gradient"]


def test_the_rule_that_is_never_given_none():
    class Net(nn.Cell):
        def construct(self, x, y=1):
            return ops.sin(x) + y

        def bprop(self, x, y, out, dout):
            seen.append(y)
            return dout, None

    seen = []
    ms.grad(Net())(Tensor([3.14]))
    assert seen == [1]


# ------------------------------------------------------------------------------- exercises
@pytest.mark.parametrize("slope", [-0.75, -np.sum([0.5, -3.0]) / 4])
def test_the_gradient_of_a_temperature_by_hand(slope):
    """Of sum(g x / t): minus the sum of g x, over t squared."""
    squash = LESSON.exercises["Squash"].defined_by(LESSON.exercises["Squash"].solution)()
    x, g = ([1.0, 2.0], [1.0, 1.0]) if slope == -0.75 else ([1.0, -6.0], [0.5, 0.5])

    def total(t):
        return ops.sum(Tensor(g) * squash(Tensor(x), mode="plain", temperature=t))

    assert float(ms.grad(total)(Tensor(2.0))) == pytest.approx(slope)


def test_a_number_and_a_tensor_make_the_difference_for_a_rule_with_two_gradients():
    """Such a rule is right where both are Tensors, and refused where one is a number."""

    class Squash(nn.Cell):
        def construct(self, x, temperature=1.0, mode="tanh"):
            z = x / temperature
            return ops.tanh(z) if mode == "tanh" else z

        def bprop(self, x, temperature, mode, out, dout):
            dz = dout * (1 - out * out) if mode == "tanh" else dout
            return dz / temperature, -ops.sum(dz * x) / temperature**2

    note = note_on("Squash", Squash)
    assert note.status == "wrong"
    assert "returned 2 gradients, but has 3 inputs" in repr(note)


def test_the_planted_names_let_nothing_through():
    exercise = LESSON.exercises["Clip"]
    planted, mended = exercise.defined_by(exercise.planted), exercise.defined_by(exercise.solution)
    x = Tensor([-2.0, 0.5, 3.0])
    assert np.array_equal(planted()(x).asnumpy(), mended()(x).asnumpy())
    assert ms.grad(planted())(x).asnumpy().tolist() == [0, 0, 0]
    assert ms.grad(mended())(x).asnumpy().tolist() == [0, 1, 0]


def test_a_rule_by_position_in_the_order_of_construct_is_right():
    class Clip(nn.Cell):
        def construct(self, x, low=-1.0, high=1.0):
            return ops.minimum(ops.maximum(x, low), high)

        def bprop(self, a, bottom, top, out, dout):
            return (dout * ((a > bottom) & (a < top)),)

    note = note_on("Clip", Clip)
    assert note.status == "right"
    assert "By position still: `construct` has no `a`, `bottom` and `top`." in repr(note)


@pytest.mark.parametrize(
    ("names", "inside", "said"),
    [
        (
            "x, lowest, high",
            "(x > lowest) & (x < high)",
            "construct` has no `lowest`. So the order",
        ),
        ("x, high, low", "(x > low) & (x < high)", ""),
        ("x, low, high", "(x > low) & (x < high)", ""),
        (
            "x, high, low",
            "(x > lowest) & (x < high)",
            "no `lowest`: its parameters are `x`, `high`",
        ),
    ],
)
def test_what_is_said_of_the_names_of_a_rule_is_so(names, inside, said):
    source = LESSON.exercises["Clip"].solution.replace("x, high, low", names)
    source = source.replace("(x > low) & (x < high)", inside)
    note = note_on("Clip", defined(source))
    assert note.status == ("wrong" if "parameters" in said else "right")
    assert said in repr(note)
    assert said or not any(note.text)


def test_construct_keeps_its_names():
    """With another name in it the planted rule is right; but not for who calls by keyword."""
    source = LESSON.exercises["Clip"].planted
    source = source.replace("low=-1.0", "lowest=-1.0").replace("(x, low)", "(x, lowest)")
    note = note_on("Clip", defined(source))
    assert note.title == "Not yet: `construct` is to stay as it was."


def defined(source):
    return LESSON.exercises["Clip"].defined_by(source)


def test_a_count_that_is_right_needs_an_empty_string():
    """And not None, which is what comes where nothing is returned."""

    def wrong_count(cell, inputs, returned):
        if len(returned) != len(inputs):
            return f"{cell}: {len(returned)} gradients for {len(inputs)} inputs, {inputs}"
        return None

    assert "an empty string is asked for" in note_on("wrong_count", wrong_count).title


def test_z_of_construct_is_told_in_the_rule():
    source = LESSON.exercises["Squash"].solution
    source = source.replace("-ops.sum(dz * x) / temperature**2", "-ops.sum(dz * z) / temperature")
    assert "`z` lives in `construct`" in repr(
        note_on("Squash", LESSON.exercises["Squash"].defined_by(source))
    )


def test_a_call_that_python_refuses_is_told():
    def four_ways(net, x, w, y):
        return [net(x, w, y), net(x, y, w=w), net(x, y=y, w=w), net(x=x, y=y, w=w)]

    note = note_on("four_ways", four_ways)
    assert note.status == "wrong"
    assert "multiple values for argument 'w'" in repr(note)


def test_one_gap_left_is_still_to_do():
    def four_ways(net, x, w, y):
        return [net(x, w, y), net(x, w, y=y), net(x, y=y, w=w), ...]

    assert note_on("four_ways", four_ways).status == "todo"


@pytest.mark.parametrize(
    "said",
    [
        "Net takes {inputs}: {wanted} gradients wanted, {came} came",
        "{cell}: {came} instead of {wanted}; one each for {inputs}",
    ],
)
def test_the_words_of_the_message_are_the_students_own(said):
    def wrong_count(cell, inputs, returned):
        told = said.replace("Net", "{cell}")
        numbers = {"came": len(returned), "wanted": len(inputs), "inputs": " and ".join(inputs)}
        return told.format(cell=cell, **numbers) if len(returned) != len(inputs) else ""

    assert note_on("wrong_count", wrong_count).status == "right"


def test_a_name_inside_of_a_word_is_not_said():
    def wrong_count(cell, inputs, returned):  # there is an x in "next", and a y in "by"
        came, wanted = len(returned), len(inputs)
        return f"{cell}, next by {came} of {wanted}" if came != wanted else ""

    assert "which inputs those are: `x`, `y`" in repr(note_on("wrong_count", wrong_count))


def test_minigrads_own_message_says_all_that_is_asked_for():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(NOTEBOOK.cell_with("class Short").source, {"nn": nn, "Tensor": Tensor, "grad": ms.grad,
                                                        "x": Tensor([4.0])})  # fmt: skip
    _, error = out.getvalue().splitlines()
    for part in ("Short.bprop", "1 gradient", "3 inputs", "(x, w, mode)", "return one for each"):
        assert part in error
