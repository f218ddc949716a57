"""Lesson 6: what its game and its cuts come to, and what its exercises say to answers."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

import minigrad as ms
from minigrad import Tensor, ops
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_06 import LESSON

NOTEBOOK = LessonNotebook(LESSON)


@pytest.fixture(scope="module")
def space():
    """What the untouched cells define."""
    return NOTEBOOK.run()[0]


# ----------------------------------------------------------------------------- the page
def test_the_rooms_are_worth_what_the_lesson_says(space):
    """Uncut, training solves a least squares problem; what is true, the equations say one by one.

    The example is A-split in R. Sutton and A. Barto, Reinforcement Learning (2018), section 11.5.
    """
    errors = np.array([[1, -1, 0], [1, 0, -1], [0, 1, 0], [0, 0, 1.0]])  # guess less target
    pays = np.array([0, 0, 1, 0.0])
    least = np.linalg.lstsq(errors, pays, rcond=None)[0]
    assert np.allclose(least, [0.5, 0.75, 0.25])
    assert np.allclose(space["train"](space["surprise"]), least)
    true = [(1 + 0) / 2, 1, 0]
    assert np.allclose(space["train"](space["calm"]), true)
    lines = printed(NOTEBOOK.cell_with("def calm")).splitlines()
    losses = [np.mean((errors @ worth - pays) ** 2) for worth in (least, true)]
    said = [float(line.split()[-1]) for line in lines if line.startswith(("surprise", "calm"))]
    assert np.allclose(said, losses)


def test_the_tutorials_programs_print_what_they_must():
    """The slope of the cross entropy is (sigmoid(z) - y) / 3, the mean over 3; that of z is 1."""
    rng = np.random.default_rng(0)
    z = np.ones(5) @ rng.standard_normal((5, 3)) + rng.standard_normal(3)
    db = 1 / (1 + np.exp(-z)) / 3
    cells = [
        NOTEBOOK.cell_with(f"def {name}") for name in ("function_with_logits", "function_stop")
    ]
    lines = "\n".join(printed(cell) for cell in cells).splitlines()
    for label, right in (("db of loss and z:", db + 1), ("cut:", db), ("has_aux:", db)):
        (line,) = [line for line in lines if line.startswith(label)]
        numbers = line.split("[")[1].split("]")[0].split()
        assert np.allclose([float(x) for x in numbers], right, atol=1e-6), label


def test_the_pictures_show_the_cut_and_the_side_door():
    assert "stop_gradient" in str(NOTEBOOK.cell_with("def calm").outputs)
    told = str(NOTEBOOK.cell_with("signature = ").outputs)
    assert "z     output 1  (3,)    aux" in told


def test_who_takes_the_cut_for_a_zero_is_told_that_no_value_changes():
    """x * x + x * 9 at 3 is 36, and its slope 2 * 3 + 9."""
    asked = "value=..., slope=..."
    right, wrong = (
        [x for x in NOTEBOOK.run((asked, answers))[1] if isinstance(x, Note) and x.rows][1]
        for answers in ("value=36, slope=15", "value=9, slope=33")
    )
    assert right.title == "Just as you said"
    told = [value for _, value in wrong.rows]
    assert told[0].endswith("A cut changes no value, `b` is 9: 36.")
    assert told[1].startswith("33 is the slope without the cut.")


# ------------------------------------------------------------------------ exercises
def held_above(w, x, y):
    error = (x * w - y) ** 2
    return ops.sum(ops.stop_gradient(error) / ops.sum(error) * error)


def everything_returned(fn):
    def new(*args):
        results = fn(*args)
        return (results[0], *map(ops.stop_gradient, results[1:]))

    return new


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("chase", lambda x: ops.square(x - ops.stop_gradient(2 * x))),
        (
            "target_loss",
            lambda w, old, x, x_after, pays: ops.mean(
                (x @ w - pays - 0.9 * (x_after @ ops.stop_gradient(old))) ** 2
            ),
        ),
        ("side_door", everything_returned),
        (
            "hard_loss",
            lambda w, x, y: ops.sum(
                ops.stop_gradient((x * w - y) ** 2 / ops.sum((x * w - y) ** 2)) * (x * w - y) ** 2
            ),
        ),
    ],
)
def test_other_right_answers_are_right(name, answer):
    note = LESSON.exercises[name].judge(answer)
    assert note.status == "right", note


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("chase", lambda x: (x - ops.stop_gradient(x)) ** 2, "That chases `x` itself"),
        ("chase", lambda x: (x - ms.grad(ops.square)) ** 2, "comes from calling it"),
        ("chase", lambda x: (x - ops.stop_gradient(ms.grad(ops.square))) ** 2, "from calling it"),
        ("chase", lambda x: (x - ms.grad(ops.square(x))) ** 2, "takes the function itself"),
        ("chase", lambda x: (x - ms.grad(ops.square)(1.0)) ** 2, "at one point, whatever `x` is"),
        (
            "target_loss",
            lambda w, old, x, x_after, pays: ops.mean((x @ w - pays - 0.9 * (old @ x_after)) ** 2),
            "The rows come first",
        ),
        ("side_door", lambda fn: lambda *args: (list(fn(*args)), 1), "`result[0]` is of type"),
        ("chase", lambda x: None, "todo"),
        ("target_loss", lambda w, old, x, x_after, pays: x_after @ old, "the value is wrong"),
        ("target_loss", lambda w, old: w, "stopped"),
        ("side_door", lambda fn: fn(Tensor([1.0, 2.0]), Tensor(1.0)), "stopped"),
        ("side_door", lambda fn: lambda *args: [*map(ops.zeros_like, fn(*args))], "`result[0]`"),
        ("side_door", lambda fn: ..., "todo"),
        ("hard_loss", lambda w, x, y: ops.sum((x * w - y) ** 2), "the value is wrong"),
        ("hard_loss", held_above, "One of the two errors that are multiplied is cut"),
    ],
)
def test_what_is_wrong_is_told(name, answer, told):
    note = LESSON.exercises[name].judge(answer)
    assert note.status == ("todo" if told == "todo" else "wrong")
    assert told == "todo" or told in repr(note)


def test_at_two_the_chaser_runs_the_other_way_without_a_cut():
    """(x - 4)**2 and (x - 2x)**2 are both 4 at 2; their slopes are 2 * (2 - 4) and 2 * 2."""
    exercise = LESSON.exercises["chase"]
    value, slope = ms.value_and_grad(exercise.defined_by(exercise.solution))(Tensor(2.0))
    assert (float(value), float(slope)) == (4, -4)
    (_, uncut), *_ = exercise.wrong
    assert float(ms.grad(uncut)(Tensor(2.0))) == 4


def test_the_missing_cut_is_the_one_that_measuring_agrees_with(space):
    hard_loss = space["hard_loss"]
    x, y = np.array([1.0, 2.0]), np.array([1.0, 7.0])
    error, slope = (2 * x - y) ** 2, 2 * (2 * x - y) * x
    held = np.sum(error / error.sum() * slope)
    weight_moves = np.sum(slope / error.sum() * error) - np.sum(error**2) * slope.sum() / (
        error.sum() ** 2
    )
    assert np.isclose(float(ms.grad(hard_loss)(np.float64(2.0), x, y)), held + weight_moves)
    note = LESSON.exercises["hard_loss"].judge(hard_loss)
    assert note.status == "todo"
    assert dict(note.rows)["right"] == f"{held:.6g}"
    assert not note.text  # nobody has tried yet
