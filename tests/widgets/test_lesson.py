"""The machinery of exercises: notes, hints, locks, and how an answer is judged."""

import math

import numpy as np
import pytest

from minigrad import Tensor, ops
from minigrad_widgets.lesson import (
    GradientExercise,
    GraphExercise,
    Lesson,
    Note,
    Prediction,
    Still,
    TaskExercise,
)
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson.exercise import keywords_of
from minigrad_widgets.lesson.gradient import measure
from minigrad_widgets.lesson.graph import arrows_of
from minigrad_widgets.stepper import step_backward

RATIO = GradientExercise(
    "divide_rule",
    forward=lambda x, y: x / y,
    returns=("dx", "dy"),
    friendly={"x": 6.0, "y": 2.0},
    another={"x": 0.0, "y": -1.0},
    hints=("Look.", "A rule.", "return g / ___"),
    solution="def divide_rule(g, x, y):\n    return g / y, -g * x / y**2",
    why="It is the quotient rule.",
)


def right(g, x, y):
    return g / y, -g * x / y**2


@pytest.fixture
def shown(monkeypatch):
    things = []
    monkeypatch.setattr(lesson_module, "display", things.append)
    return things


@pytest.fixture
def lesson():
    lesson = Lesson("00_example", "An example")
    lesson.add(RATIO, Prediction("double", x={2.0: "Twice.", 1.0: "is once: {right}."}))
    return lesson


# -------------------------------------------------------------------------- measuring
def test_measuring_agrees_with_derivatives_known_by_heart():
    x = np.array([[0.3, -1.0], [2.0, 50.0]])
    (dx,) = measure(np.sin, {"x": x}, g=np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert np.allclose(dx, np.cos(x) * [[1, 2], [3, 4]], rtol=1e-6)
    dx, dy = measure(np.power, {"x": np.float64(2), "y": np.float64(3)})
    assert np.allclose([dx, dy], [12, 8 * math.log(2)])


# ----------------------------------------------------------------------------- judging
def test_right_answers_in_numpy_and_in_tensors():
    def in_tensors(g, x, y):
        return g / y, ops.neg(g * x / ops.square(y))

    def only_tensors(g, x, y):
        return g.asnumpy() / y.asnumpy(), -g * x / y / y

    for fn in (right, in_tensors, only_tensors, lambda y, x, g: [*right(g, x, y)]):
        assert RATIO.judge(fn).status == "right"
    assert RATIO.judge_solution().status == "right"


def scaled(by):
    return lambda g, x, y: tuple(by * dx for dx in right(g, x, y))


def in_place(g, x, y):
    dx = g / y
    g *= -1
    return dx, g * x / y**2


@pytest.mark.parametrize(
    ("fn", "told"),
    [
        (lambda g, x, y: (1 / y, -x / y**2), "`g` was forgotten"),
        (scaled(-1), "Only the sign is wrong."),
        (scaled(2), "counted twice"),
        (lambda g, x, y: right(g, x, y)[::-1], "That is what `dy` should be"),
        (lambda g, x, y: g / y, "should return `dx` and `dy`"),
        (lambda g, x, y: (*right(g, x, y), g), "It returned 3 values."),
        (lambda g, x, y: (g / y, None), "`dy` is `None`"),
        (lambda g, x, y: (g / y, "much"), "should be a number or an array"),
        (lambda g, x, y: (g / y, [[1], [2, 3]]), "should be a number or an array"),
        (lambda g, x, y: (np.mean(g / y), right(g, x, y)[1]), "shape (), but its input has (2, 3)"),
        (lambda g, x, y: tuple(np.float64(1) * np.asarray(v, float) for v in right(g, x, y)), "64"),
        (lambda g, x, y: (g / y, np.where(x == 0, np.nan, right(g, x, y)[1])), "another point"),
        (lambda g, x, y: (g / nothing, 0), "NameError"),  # noqa: F821  # the mistake in question
        (lambda g, x, z: (g, x), "there is no `z` to give"),
        (in_place, "changed `g`, which it was only lent"),
    ],
)
def test_wrong_answers_are_told_apart(fn, told):
    note = RATIO.judge(fn)
    assert note.status == "wrong"
    assert told in repr(note)


def test_the_line_that_failed_is_named():
    def divide_rule(g, x, y):
        dx = g / y
        return dx, dx.nothing

    note = RATIO.judge(divide_rule)
    assert "It stopped in line 3 of it." in repr(note)
    assert note.rows == (("at", "g = 1, x = 6, y = 2"),)


def test_what_stood_in_the_parameters_is_told_where_nobody_knows_what_was_given():
    def half(n, things, fn):
        n = n / 4
        return n / things

    task = TaskExercise(
        "half", look=lambda fn: fn(6, object(), abs), hints=("", "", ""), solution="", why=""
    )
    note = task.judge(half)
    assert note.rows == (("when it stopped", "n = 1.5"),)  # neither an object nor a function
    assert "It stopped in line 3 of it." in repr(note)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda x: ops.sum(x, 0, keepdims=True),
            "Did you mean `keepdim`? `ops.sum` takes `input`, `dim`, `keepdim` and `dtype`.",
        ),
        (lambda x: x.astype(dtyp=int), "Did you mean `dtype`? `.astype` takes `dtype` and `copy`."),
        (lambda x: ops.mean(x, dim=0), "`ops.mean` takes `x`, `axis` and `keep_dims`."),
        (lambda x: ops.mean(x, 0).nothing, ""),
        (lambda x: np.sum(x.asnumpy(), keepdim=True), ""),
        (lambda x: (lambda y: y)(y=x, z=x), ""),
    ],
)
def test_a_keyword_that_an_op_has_not_is_answered_with_those_that_it_has(call, told):
    with pytest.raises((TypeError, AttributeError)) as caught:
        call(Tensor([[1.0, 2.0]]))
    said = keywords_of(caught.value)
    assert said.startswith(told)
    assert bool(said) == bool(told)


@pytest.mark.parametrize("answer", [(), (3.0,), (right, right)])
def test_what_is_no_function_is_nothing_to_judge(answer):
    note = RATIO.judge(*answer)
    assert note.status == "todo"
    assert 'check("divide_rule", divide_rule)' in note.title


@pytest.mark.parametrize("answer", [(), (ops.exp,), (3, [])])
def test_a_graph_needs_a_program_and_arrows(answer):
    exercise = GraphExercise("arrows", program=right, hints=("", "", ""), solution="", why="")
    assert exercise.judge(*answer).status == "todo"


def test_a_mistake_that_is_none_of_the_known_gets_no_diagnosis():
    note = RATIO.judge(lambda g, x, y: (g * np.cos(y), g))
    assert note.status == "wrong"
    assert not any(note.text)


def test_arrows_are_those_of_the_run():
    def program(a, b):
        p = a * b
        q = p * p  # read twice, one arrow
        ops.exp(b)
        return q + 2.0  # a constant is no value of the program's

    arrows = set(arrows_of(program))
    assert {("a", "p"), ("b", "p"), ("p", "q"), ("q", "program")} < arrows
    assert len(arrows) == 5


# ----------------------------------------------------------------------- hints, solutions
def test_hints_come_in_three_steps_and_then_stay(lesson, shown):
    for _ in range(4):
        lesson.hint("divide_rule")
    said = [note.title for note in shown]
    assert said == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert shown[0].text == ("Look.",)
    assert shown[2].code == "return g / ___"
    assert [any("the last hint" in line for line in note.text) for note in shown] == [
        False,
        False,
        True,
        True,
    ]


def test_a_solution_opens_after_an_attempt_or_on_request(lesson, shown):
    lesson.solution("divide_rule")
    lesson.check("divide_rule", lambda g, x, y: (..., ...))
    lesson.solution("divide_rule")
    assert [note.status for note in shown] == ["aside", "todo", "aside"]
    lesson.solution("divide_rule", now=True)
    assert shown[-1].code == RATIO.solution
    lesson.check("divide_rule", scaled(2))
    lesson.solution("divide_rule")
    assert shown[-1].code == RATIO.solution
    assert shown[-1].text == (RATIO.why,)


# -------------------------------------------------------------------------- predictions
def test_an_answer_is_locked_only_when_it_is_whole(lesson, shown):
    for answer in (..., None, "two", True, [2.0]):
        lesson.predict("double", x=answer)
        lesson.reveal("double", lambda x: x * 2, Tensor(3.0))
    assert [note.status for note in shown] == ["todo"] * 10
    lesson.predict("double", x=np.float32(1))
    lesson.predict("double", x=2)
    lesson.reveal("double", lambda x: x * 2, Tensor(3.0))
    assert shown[-1].rows == (("x", "1 is once: 2."),)


def test_one_input_that_is_right(lesson, shown):
    lesson.predict("double", x=2)
    lesson.reveal("double", lambda x: x * 2, Tensor(3.0))
    assert shown[-1].status == "right"
    assert shown[-1].rows == (("x", "2 is right. Twice."),)


def test_a_number_that_is_not_among_those_asked_for_is_not_locked(lesson, shown):
    means = {2.0: "As it is.", 5.0: "is more: {right}."}
    lesson.add(Prediction("power", show=lambda: (None, {"k": 2}), one_of={"k": (2, 5)}, k=means))
    lesson.predict("power", k=1e-5)
    assert shown[-1].title == "`k` should be one of 2, 5; it is 1e-05."
    said = {"1": "is it.", "nan": "is not: {right}."}
    lesson.add(Prediction("word", show=lambda: (None, {"slope": "1"}), slope=said))
    for number, word in ((1, "1"), (1.0, "1"), (float("nan"), "nan")):
        lesson.predict("word", slope=number)
        assert shown[-1].title == f'`slope` is a word: put it in quotes, `slope="{word}"`.'
    lesson.predict("word", slope=2)
    assert shown[-1].title == "`slope` should be one of '1', 'nan'; it is 2."
    lesson.reveal("power")
    assert shown[-1].status == "todo"
    lesson.predict("power", k=np.float32(5))
    lesson.reveal("power")
    assert shown[-1].rows == (("k", "5 is more: 2."),)


def test_unknown_names_say_what_there_is(lesson):
    with pytest.raises(ValueError, match="no exercise 'divide'; it has divide_rule"):
        lesson.check("divide", right)
    with pytest.raises(ValueError, match="no prediction 'half'; it has double"):
        lesson.predict("half", x=1)
    with pytest.raises(ValueError, match="asks for x; got y"):
        lesson.predict("double", y=1)


# -------------------------------------------------------------------------------- notes
def test_a_note_escapes_what_it_shows():
    html = Note("wrong", "a < b `x<y>`", (("k", "<i>"),), "if a < b:", ("&",))._repr_html_()
    for raw in ("a < b", "<y>", "<i>"):
        assert raw not in html
    assert "x&lt;y&gt;</code>" in html


def test_a_still_is_a_picture_and_a_table():
    still = Still(step_backward(lambda a, b: a * b, 2.0, -3.0))
    data = still._repr_mimebundle_()
    assert set(data) == {"image/svg+xml", "text/plain"}
    assert "gradient of a: -3" in data["text/plain"]
