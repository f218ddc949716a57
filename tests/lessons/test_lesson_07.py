"""Lesson 7: what breaks in it breaks so, and what the checks say to each way of mending it."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

from minigrad import Tensor, ops
from minigrad.check import nan_origin
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_07 import LESSON

NOTEBOOK = LessonNotebook(LESSON)


def note_on(name, fn):
    return LESSON.exercises[name].judge(fn)


# -------------------------------------------------------------------------------- the page
def test_the_cliff_is_where_float32_ends():
    told = printed(NOTEBOOK.cell_with("def softplus(x)"))
    assert "x = 88.0: value 88.0000 slope 1.0000" in told  # printed leaves commas out
    assert "x = 89.0: value inf slope nan" in told
    assert np.log(float(np.finfo(np.float32).max)) == pytest.approx(88.72, abs=0.01)
    assert "exp(89.0) is 4.5e+38 and float32 ends at 3.4e+38" in told


def test_nothing_is_warned_of_and_no_path_is_saved():
    for cell in NOTEBOOK.code:
        assert not any(output.get("name") == "stderr" for output in cell.outputs), cell.source
    assert "np.seterr" in NOTEBOOK.code[0].source


@pytest.mark.parametrize("answer", ["nan", "1", "0", "inf"])
def test_the_prediction_is_revealed_by_the_trace(answer):
    space, shown = NOTEBOOK.run(("slope=...", f'slope="{answer}"'))
    (trace,) = [thing for thing in shown if not isinstance(thing, Note)]
    first, then = trace.origin.births
    assert (first.made, first.op, first.backward) == ("inf", "exp", False)
    assert (then.made, then.op, then.backward) == ("nan", "exp", True)
    assert then.numbers == {"g": "0", "y": "inf"}
    verdict = shown[shown.index(trace) + 1]
    assert verdict.status == ("right" if answer == "nan" else "wrong")
    said = dict(verdict.rows)["slope"]
    assert said.startswith("nan is right." if answer == "nan" else f"{answer} is ")
    assert not nan_origin(space["guarded_twice"], Tensor(100.0)).ends


# -------------------------------------------------- what is right, by central differences
def plain(name):
    """The functions of the exercises, by numpy in float64, where they are smooth."""
    return {
        "x_log_x": lambda x: x * np.log(x),
        "stable_softplus": lambda x: np.log(1 + np.exp(x)),
        "masked_softmax": lambda x, m: np.exp(x) * m / (np.exp(x) * m).sum(-1, keepdims=True),
    }[name]


@pytest.mark.parametrize("name", ["x_log_x", "stable_softplus", "masked_softmax"])
def test_the_right_gradient_is_measured(name):
    exercise, f = LESSON.exercises[name], plain(name)
    for seed in range(3):
        x, *rest = exercise.random(np.random.default_rng(seed)).values()
        a, rest = x.asnumpy().astype(np.float64), [each.asnumpy() for each in rest]
        g = np.arange(1, a.shape[-1] + 1) if a.ndim > 1 else 1.0
        found, measured = (
            exercise.answer(*exercise.random(np.random.default_rng(seed)).values()),
            [],
        )
        for i in np.ndindex(a.shape):
            h = np.zeros(a.shape)
            h[i] = 1e-6
            measured.append(np.sum(g * (f(a + h, *rest) - f(a - h, *rest))) / 2e-6)
        assert np.allclose(found["value"].asnumpy(), f(a, *rest), rtol=1e-5, atol=1e-6)
        assert np.allclose(found["gradient"].asnumpy().ravel(), measured, rtol=1e-4, atol=1e-5)


# ------------------------------------------------------------------------------- exercises
OTHER_RIGHT = [
    ("x_log_x", lambda x: x * ops.log(ops.where(x > 0, x, 1.0))),
    ("x_log_x", lambda x: ops.xlogy(x, x)),
    ("x_log_x", lambda x: ops.where(x > 0, x, 1.0) * ops.log(ops.where(x > 0, x, 1.0))),
    ("x_log_x", lambda x: ops.where(x == 0, 0.0, x * ops.log(ops.where(x == 0, 7.0, x)))),
    ("stable_softplus", ops.softplus),
    ("stable_softplus", lambda x: ops.logaddexp(x, Tensor(0.0, x.dtype))),
    (
        "stable_softplus",
        lambda x: ops.where(x < 20, ops.log1p(ops.exp(ops.where(x < 20, x, 0.0))), x),
    ),
    (
        "masked_softmax",
        lambda scores, mask: ops.where(mask, ops.softmax(ops.where(mask, scores, -1e9)), 0.0),
    ),
    (
        "masked_softmax",
        lambda scores, mask: ops.masked_fill(
            ops.softmax(ops.masked_fill(scores, ops.logical_not(mask), -1e30), axis=-1),
            ops.logical_not(mask),
            0.0,
        ),
    ),
    ("smooth", lambda x: ops.sum(x * Tensor(hanning(x)).astype(x.dtype), -1)),
    ("smooth", lambda x: ops.sum(x * hanning(x).astype(np.dtype(str(x.dtype).lower())), -1)),
    ("smooth", lambda x: sum(x[..., i] * float(w) for i, w in enumerate(hanning(x)))),
]


def hanning(x):
    """The weights of `smooth`, by the formula of the window: half of 1 - cos."""
    n = x.shape[-1]
    weights = (1 - np.cos(2 * np.pi * np.arange(1, n + 1) / (n + 1))) / 2
    return weights / weights.sum()


@pytest.mark.parametrize(("name", "fn"), OTHER_RIGHT)
def test_other_right_answers_are_right(name, fn):
    note = note_on(name, fn)
    assert note.status == "right", note


FURTHER_WRONG = [
    ("x_log_x", lambda x: ops.nan_to_num(x * ops.log(x)), "0 still reaches the log"),
    ("x_log_x", lambda x: x * ops.log(ops.maximum(x, 1e-8)), "its log now, -18"),
    (
        "x_log_x",
        lambda x: ops.where(x > 0, x * ops.log(ops.maximum(x, 1e-8)), 0.0),
        "with 1e-08 added, all that is smaller comes out wrong",
    ),
    (
        "x_log_x",
        lambda x: ops.where(x > 0, x * ops.log(ops.where(x > 0, x, 0.0)), 0.0),
        "0 still reaches the log",
    ),
    ("x_log_x", lambda x: x * ops.log(ops.where(x > 0, x, 1.0)) + x, "`result[1]` is wrong"),
    (
        "x_log_x",
        lambda x: ops.stop_gradient(x * ops.log(ops.where(x > 0, x, 1.0))),
        "`gradient[1]` is wrong",
    ),
    ("stable_softplus", lambda x: -ops.log(ops.sigmoid(-x)), "`sigmoid(-x)` is 0.0"),
    (
        "stable_softplus",
        lambda x: ops.where(x < 20, ops.log(1 + ops.exp(ops.where(x < 20, x, 0.0))), x),
        "far below 0 the value is lost",
    ),
    (
        "stable_softplus",
        lambda x: ops.maximum(x, 0.0) + ops.log(1 + ops.exp(-ops.abs(x))),
        "`ops.log1p(t)` is log(1 + t)",
    ),
    ("x_log_x", lambda x: x if x > 0 else 0.0, "ask one question of all entries together"),
    ("smooth", lambda x: ops.sum(x * Tensor(2 * hanning(x), x.dtype), -1), "no longer add up to 1"),
    ("masked_softmax", lambda scores, mask: ops.softmax(scores), "`result[0, 0]` is wrong"),
    (
        "masked_softmax",
        lambda scores, mask: scores.asnumpy(),
        "`result` is an array",
    ),
    ("smooth", lambda x: ops.sum(x, -1), "the values are wrong now"),
    ("smooth", lambda x: np.sum(x.asnumpy(), -1), "is to return a Tensor"),
    ("smooth", lambda x: x.no_such_thing, "stopped"),
]


@pytest.mark.parametrize(("name", "fn", "told"), FURTHER_WRONG)
def test_further_wrong_answers_are_told_apart(name, fn, told):
    note = note_on(name, fn)
    assert note.status == "wrong"
    assert told in repr(note)


@pytest.mark.parametrize(
    "fn",
    [
        lambda scores, mask: ops.nan_to_num(ops.softmax(ops.where(mask, scores, float("-inf")))),
        lambda scores, mask: ops.where(
            mask, ops.softmax(ops.where(mask, scores, float("-inf"))), 0.0
        ),
    ],
)
def test_of_a_nan_under_the_mask_it_is_said_why_it_does_no_harm(fn):
    """And not that -1e9 is why."""
    note = note_on("masked_softmax", fn)
    assert note.status == "right"
    assert "a NaN is still made. It does no harm here" in repr(note)
    assert not any(note_on("masked_softmax", OTHER_RIGHT[7][1]).text)


@pytest.mark.parametrize("name", ["x_log_x", "smooth"])
def test_the_planted_bug_has_right_values(name):
    planted = LESSON.exercises[name].defined_by(LESSON.exercises[name].planted)
    solution = LESSON.exercises[name].defined_by(LESSON.exercises[name].solution)
    x = Tensor([0.0, 1.0, 2.0, 5.0])
    assert np.allclose(planted(x).asnumpy(), solution(x).asnumpy())


def test_the_line_of_the_leak_is_named_where_it_stands():
    _, shown = NOTEBOOK.run()
    (note,) = [n for n in shown if isinstance(n, Note) and "`multiply` makes float64" in n.title]
    assert dict(note.rows) == {"where": "return ops.sum(x * weights, -1)"}
    assert note.status == "todo"
    assert not any(note.text)


def test_a_softplus_whose_corners_should_cancel_is_wrong_at_0_alone():
    note = note_on("stable_softplus", lambda x: ops.relu(x) + ops.log1p(ops.exp(-ops.abs(x))))
    assert dict(note.rows)["at"] == "x = [0]"
    assert "On paper the corners cancel" in repr(note)
