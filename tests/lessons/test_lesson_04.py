"""Lesson 4: what its hook says, and what its exercises say to answers that students may give."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_04 import LESSON

NOTEBOOK = LessonNotebook(LESSON)


def test_the_surprising_number_is_the_size_of_the_jacobian():
    slopes = (64 * 256) * (784 * 256)
    told = printed(NOTEBOOK.cell_with("pictures, weights ="))
    assert f"{slopes} slopes" in told
    assert f"{slopes * 8 / 1e9:.1f} gigabytes" in told


def test_one_stepper_is_there_without_an_answer_to_the_prediction():
    (stepper,) = [cell for cell in NOTEBOOK.code if "<svg" in str(cell.outputs)][:1]
    assert "Backward pass of loss" in str(stepper.outputs)
    assert "Backward pass of income" not in str(NOTEBOOK.content)


def test_what_is_measured_on_a_box_more_is_the_right_prediction():
    """Sold in one shop it earns 2 or 5; `extra` is sold in both."""
    answers = "first=2, second=5, extra=2 + 5, entries=3"
    _, shown = NOTEBOOK.run(("first=..., second=..., extra=..., entries=...", answers))
    (verdict,) = [x for x in shown if isinstance(x, Note) and x.title == "Just as you said"]
    assert [value.split(" is right.")[0] for _, value in verdict.rows] == ["2", "5", "7", "3"]
    space, _ = NOTEBOOK.run()
    income, sold, extra, earned = (space[x] for x in ("income", "sold", "extra", "earned"))
    one = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    before = float(income(sold, extra, earned))
    assert float(income(sold + one, extra, earned)) - before == 2
    assert float(income(sold, extra + one[0], earned)) - before == 7


def test_who_takes_the_slope_for_the_gradient_is_told_what_arrives():
    _, shown = NOTEBOOK.run(
        ("first=..., second=..., extra=..., entries=...", "first=1, second=1, extra=5, entries=6")
    )
    (verdict,) = [x for x in shown if isinstance(x, Note) and x.title.startswith("Your prediction")]
    told = [value for _, value in verdict.rows]
    assert "a box in the first shop earns 2" in told[0]
    assert "a box in the second shop earns 5" in told[1]
    assert "It is sold in the first too: 7." in told[2]
    assert "add up, so there are 3" in told[3]


# ------------------------------------------------------------------------ exercises
def by_steps(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for axis, n in enumerate(shape):
        if n != g.shape[axis]:
            g = g.sum(axis, keepdims=True)
    return g


def kept_then_dropped(g, shape):
    new = g.ndim - len(shape)
    stretched = tuple(new + i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=(*range(new), *stretched), keepdims=True).reshape(shape)


def one_after_another(g, table, index):
    dtable = np.zeros_like(table)
    for i, row in zip(index, g, strict=True):
        dtable[i] += row
    return dtable


@pytest.mark.parametrize(
    ("name", "fn"),
    [
        ("mean_rule", lambda g, x, axis: np.expand_dims(g / x.shape[axis], axis) + 0 * x),
        (
            "mean_rule",
            lambda g, x, axis: (
                np.repeat(np.expand_dims(g, axis), x.shape[axis], axis) / x.shape[axis]
            ),
        ),
        ("unbroadcast", by_steps),
        ("unbroadcast", kept_then_dropped),
        ("unbroadcast", lambda g, shape: g if g.shape == shape else by_steps(g, shape)),
        (
            "matmul_rule",
            lambda g, a, b: (np.einsum("ik,jk->ij", g, b), np.einsum("ij,ik->jk", a, g)),
        ),
        ("lookup_rule", one_after_another),
        ("lookup_rule", lambda g, table, index: np.eye(len(table), dtype=g.dtype)[index].T @ g),
    ],
)
def test_other_right_answers_are_right(name, fn):
    note = LESSON.exercises[name].judge(fn)
    assert note.status == "right", note


def stretched_means_longer(g, shape):
    new = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(new)))
    axes = tuple(i for i, n in enumerate(shape) if g.shape[i] > n)
    return g.sum(axis=axes, keepdims=True)


def assigned(g, table, index):
    dtable = np.zeros_like(table)
    dtable[index] = g
    return dtable


def one_axis_at_a_time(g, shape):
    for axis in range(g.ndim - len(shape)):
        g = g.sum(axis=axis)
    for axis, n in enumerate(shape):
        if n != g.shape[axis]:
            g = g.sum(axis=axis, keepdims=True)
    return g


def without_keepdims(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1))


def by_unique(in_order):
    def lookup_rule(g, table, index):
        dtable = np.zeros_like(table)
        dtable[np.unique(index) if in_order else list(dict.fromkeys(index.tolist()))] += g
        return dtable

    return lookup_rule


def of_one_number(g, table, index):
    dtable = np.zeros_like(table)
    for i in range(len(table)):
        dtable[i] = g[index == i].sum()
    return dtable


def without_negative(g, table, index):
    dtable = np.zeros_like(table)
    for i in range(len(table)):
        dtable[i] = g[index == i].sum(axis=0)
    return dtable


@pytest.mark.parametrize(
    ("name", "fn", "told"),
    [
        ("mean_rule", lambda g, x, axis: g / x.shape[axis], "`dx` has shape (2,), but its input"),
        ("mean_rule", lambda g, x, axis: np.ones_like(x) / x.shape[axis], "`g` was forgotten"),
        ("mean_rule", lambda g, x, axis: np.ones_like(x) * g / 3, "could not be broadcast"),
        ("mean_rule", lambda g, x, axis: np.full(x.shape, g) / x.shape[axis], "lacks the axis"),
        ("mean_rule", lambda g, x, axis: np.repeat(g, x.shape[axis], axis), "lacks the axis"),
        ("mean_rule", lambda g, x, axis: g[:, None] / 3 + 0 * x, "lacks the axis"),
        ("unbroadcast", lambda g, shape: np.broadcast_to(g, shape), "must be summed"),
        ("unbroadcast", lambda g, shape: g.sum(axis=0).reshape(shape), "of length 1 that were"),
        ("unbroadcast", one_axis_at_a_time, "those behind it moved up"),
        ("unbroadcast", without_keepdims, "`keepdims=True` keeps it, with length 1"),
        ("mean_rule", lambda g, x, axis: np.expand_dims(g, axis) / g.size + 0 * x, "`g` has. A"),
        ("lookup_rule", by_unique(False), "not as many places as rows of `g`"),
        ("lookup_rule", by_unique(True), "`np.unique` leaves each place once"),
        ("lookup_rule", of_one_number, "Add row to row"),
        ("lookup_rule", without_negative, "`index == i` never finds -1"),
        ("unbroadcast", lambda g, shape: g.reshape(shape), "must be summed"),
        ("unbroadcast", lambda g, shape: g.sum(range(g.ndim - len(shape))), "`tuple(range(new))`"),
        ("matmul_rule", lambda g, a, b: (g @ b, a @ g), "The inner lengths differ"),
        ("matmul_rule", lambda g, a, b: (g * b, a * g), "A matrix product is `@`"),
        ("matmul_rule", lambda g, a, b: (a.T @ g, g @ b.T), "look swapped"),
        ("unbroadcast", lambda g, shape: g, "It was not summed"),
        ("unbroadcast", lambda g, shape: g.reshape(shape), "cannot reshape"),
        ("unbroadcast", stretched_means_longer, "stretched to length 0, which is not more than 1"),
        ("matmul_rule", lambda g, a, b: (g @ b, a @ g), "mismatch"),
        ("matmul_rule", lambda g, a, b: (g @ b.T, g.T @ a), "It is transposed"),
        ("matmul_rule", lambda g, a, b: (g @ b.T, 2 * a.T @ g), "counted twice"),
        ("matmul_rule", lambda g, a, b: (np.ones_like(g) @ b.T, a.T @ g), "`g` was forgotten"),
        ("lookup_rule", assigned, "It still returns what it returned before"),
        ("lookup_rule", lambda g, table, index: g[index], "It is `g` that is looked up"),
    ],
)
def test_a_mistake_is_recognised(name, fn, told):
    note = LESSON.exercises[name].judge(fn)
    assert note.status == "wrong"
    assert told in repr(note)


def test_the_planted_bug_is_right_while_no_index_repeats():
    lookup_rule = NOTEBOOK.run()[0]["lookup_rule"]
    g, table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.zeros((3, 2))
    assert np.array_equal(lookup_rule(g, table, np.array([0, 2, 1])), g[[0, 2, 1]])
    assert not np.array_equal(lookup_rule(g, table, np.array([0, 2, 2]))[2], g[1] + g[2])
    note = LESSON.exercises["lookup_rule"].judge(lookup_rule)
    assert note.status == "todo"
    assert dict(note.rows)["at"].endswith("index = [0, 2, 2]")
