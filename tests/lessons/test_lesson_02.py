"""Lesson 2: what its exercises say to each answer, and a student's way through it."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed, statuses

from minigrad import ops
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson.progress import Progress
from minigrad_widgets.lesson_02 import LESSON

NOTEBOOK = LessonNotebook(LESSON)


@pytest.fixture
def shown(monkeypatch):
    """What the lesson shows from here on, to a student who begins."""
    things = []
    monkeypatch.setattr(lesson_module, "display", things.append)
    monkeypatch.setattr(LESSON, "done", Progress(LESSON.name, None, things.append))
    return things


# ----------------------------------------------------------------------------- the page
def test_the_cells_about_the_bill_do_not_give_its_gradient_away():
    about_share = "\n".join(printed(cell) for cell in NOTEBOOK.code if "share" in cell.source)
    assert "food + tip" in about_share
    for answer in ("1.5", "2.5", "gradient of price"):
        assert answer not in about_share


def test_one_stepper_is_there_without_any_answer():
    (stepper,) = [cell for cell in NOTEBOOK.code if cell.source.startswith("def loss")]
    assert "<svg" in str(stepper.outputs)
    assert "Backward pass of loss" in str(stepper.outputs)


# ------------------------------------------------------------------------ exercises
def exp_power(g, x):
    return g * x * np.exp(x - 1)


def tangle(a, b, c):
    s = a * b
    t = b + c
    u = ops.exp(t)
    return s * u


ARROWS = [
    ("a", "s"),
    ("b", "s"),
    ("b", "t"),
    ("c", "t"),
    ("t", "u"),
    ("s", "tangle"),
    ("u", "tangle"),
]
MISTAKES = [
    ("multiply_rule", lambda g, x, y: (y, x), "`g` was forgotten"),
    (
        "multiply_rule",
        lambda g, x, y: (g * x, g * y),
        "`g` was multiplied by the input's own value",
    ),
    ("multiply_rule", lambda g, x, y: (g * y, -g * x), "Only the sign"),
    ("multiply_rule", lambda g, x, y: (g * y, g * x * y), "`g` times the output"),
    ("multiply_rule", lambda g, x, y: (2 * g * y, g * x), "counted twice"),
    ("multiply_rule", lambda g, x, y: (g, g), "through `+`"),
    ("multiply_rule", lambda g, x, y: g * y, "should return `dx` and `dy`"),
    ("multiply_rule", lambda g, x, y: (g * y, None), "`dy` is `None`"),
    ("multiply_rule", lambda g, x, y: (np.sum(g * y), g * x), "has shape ()"),
    ("exp_rule", lambda g, x, out: out, "`g` was forgotten"),
    ("exp_rule", lambda g, x, out: g * x, "what is the slope of exp?"),
    ("exp_rule", exp_power, "rule of a power"),
    ("exp_rule", lambda g, x, out: g * np.exp(out), "applied twice"),
    ("exp_rule", lambda g, x, out: -g * out, "Only the sign"),
    ("exp_rule", lambda g, x, out: g / out, "divides"),
    ("exp_rule", lambda g, x, out: g, "through `+`"),
    ("exp_rule", lambda g, x, out: g * x * out, "`x` has no place in it"),
    ("exp_rule", lambda g, x, out: g + np.exp(x), "`g` was added"),
    ("exp_rule", lambda g, x, out: x * out, "`out` is exp(x). And `g` was forgotten."),
    ("multiply_rule", lambda g, x, y: (x * y, x * y), "its own slope. And `g` was forgotten."),
    ("sweep", lambda x, w: (np.exp(x * w) * w, x), "still worked out from `g`"),
    (
        "sweep",
        lambda x, w: (np.exp(x * w) * x, np.exp(x * w) * w),
        "`dp` was multiplied by the input's own",
    ),
    ("sweep", lambda x, w: (np.exp(x * w),) * 2, "not multiplied by the other input"),
    ("sweep", lambda x, w: (x * w * w, x * w * x), "`p` is a value"),
    ("sweep", lambda x, w: (np.exp(x * w) ** 2 * w, np.exp(x * w) ** 2 * x), "twice"),
]
DRAWN = [
    ([(b, a) for a, b in ARROWS], "point the wrong way"),
    ([*ARROWS, ("s", "t")], "stands below another"),
    ([*ARROWS, ("t", "tangle")], "through other values"),
    ([*ARROWS, ("s", "a")], "other way round"),
    ([*ARROWS, ("c", "a")], "`a` is an input"),
    (ARROWS[:-1], "`tangle` is made from something"),
    ([arrow for arrow in ARROWS if arrow != ("b", "t")], "`t` is made from something"),
    ([("a", "*"), ("b", "*")], "no value `*`"),
    ([*ARROWS[:-1], ("u", "return")], "What is returned is called `tangle`"),
    ([*ARROWS[:-2], ("s", "out"), ("u", "out")], "What is returned is called `tangle`"),
    ([("a", "b", "s")], "is not an arrow"),
]


@pytest.mark.parametrize(("name", "fn", "told"), MISTAKES)
def test_a_mistake_is_recognised(shown, name, fn, told):
    LESSON.check(name, fn)
    (note,) = shown
    assert note.status == "wrong"
    assert told in repr(note)
    assert f'hint("{name}")' in repr(note)


@pytest.mark.parametrize(("arrows", "told"), DRAWN)
def test_a_wrong_graph_is_recognised(shown, arrows, told):
    LESSON.check("arrows", tangle, arrows)
    (note,) = shown
    assert note.status == "wrong"
    assert told in repr(note)


def test_a_wrong_entry_is_shown_beside_the_right_one(shown):
    LESSON.check("multiply_rule", lambda g, x, y: (y, x))
    expected = [("at", "g = 10, x = 2, y = 3"), ("yours", "3"), ("right", "30 (measured)")]
    assert [*shown[0].rows] == [*expected, ("yours / right", "0.1")]


def test_the_planted_bug_passes_at_first_and_is_not_an_attempt():
    space, shown = NOTEBOOK.run()
    assert np.allclose(space["sweep"](0.0, 3.0), (3, 0))  # at x = 0 it is right
    note = shown[-2]  # before what the last folded cell says
    assert "Not mended yet: `dx` is wrong at another point." in repr(note)
    assert note.rows[2] == ("right", f"{2 * np.exp(2):.6g} (measured)")  # x = 1, w = 2


@pytest.mark.parametrize(
    ("old", "new"), [("dp = g * out", "dp = g * p"), ("dp = g * out", "dp = 2 * g * out")]
)
def test_a_change_that_changes_nothing_is_told_so(old, new):
    *_, note, solution = NOTEBOOK.run((old, new))[1]
    assert note.status == "wrong"
    assert note.title == "Not mended yet: `dx` is wrong at another point."
    assert note.text[0].startswith("It still returns what it returned before")
    assert 'Stuck? `hint("sweep")`' in note.text[1]
    assert solution.status == "told"


def test_a_comment_is_no_attempt_to_mend():
    _, shown = NOTEBOOK.run(("dp = g * out", "dp = g  *  out  # what is this for?"))
    assert shown[-2].status == "todo"
    assert not any(shown[-2].text)


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, x, out: g * np.exp(x),
        lambda g, x: g * ops.exp(x),
        lambda out, g: ops.multiply(out, g),
        lambda g, x, out: [out * g],
    ],
)
def test_other_right_answers_are_right(rule):
    assert LESSON.exercises["exp_rule"].judge(rule).status == "right"


@pytest.mark.parametrize("arrows", [ARROWS[::-1], set(ARROWS), [*ARROWS, ARROWS[0]]])
def test_the_order_of_arrows_does_not_matter(arrows):
    assert LESSON.exercises["arrows"].judge(tangle, arrows).status == "right"


# ---------------------------------------------------------------------- a student's way
def test_a_student_who_solves_everything():
    solved = [
        ("price=..., count=..., tip=...", "price=1.5, count=2.5, tip=0.5"),
        ("dx = ...\n    dy = ...", "dx = g * y\n    dy = g * x"),
        ("return ...", "return g * out"),
        ('[("a", "s"), ...]', str(ARROWS)),
        ("g * w, g * x", "dp * w, dp * x"),
    ]
    _, shown = NOTEBOOK.run(*solved)
    assert statuses(shown) == ["told", "right"] + ["right", "told"] * 4
    pictures = [repr(thing) for thing in shown if not isinstance(thing, Note)]
    assert pictures == ["step_backward(share): 3 steps", "show_graph(tangle): 7 values"]


def test_a_prediction_is_locked_and_its_meaning_told():
    _, shown = NOTEBOOK.run(("price=..., count=..., tip=...", "price=3, count=1.5, tip=7"))
    locked, stepper, verdict = shown[:3]
    assert "locked" in repr(locked)
    assert repr(stepper) == "step_backward(share): 3 steps"
    rows = dict(verdict.rows)
    assert verdict.status == "wrong"
    food = "3 is what one more adds to the food; you pay half of it: 1.5."
    swapped = "1.5 is the slope for price; the two look swapped. For count it is 2.5."
    other = "7 is not it: the backward pass finds 0.5."
    assert rows == {"price": food, "count": swapped, "tip": other}
    assert "see why" in verdict.text[0]


def test_the_first_prediction_stays(shown):
    LESSON.predict("share", price=3, count=1.5, tip=7)
    LESSON.predict("share", price=3.0, count=1.5, tip=7)
    assert [note.title.split(".")[0] for note in shown] == ["Your answer is locked"] * 2
    for later in (1.5, ...):
        LESSON.predict("share", price=later, count=2.5, tip=0.5)
        assert shown[-1].title == "Your first answer stays."
        assert dict(shown[-1].rows) == {"price": "3", "count": "1.5", "tip": "7"}


def test_right_predictions_agree_with_counting():
    # Half of each: 3 dishes more expensive by 1, one dish more at 5.0, a tip higher by 1.
    right = f"price={3 / 2}, count={5 / 2}, tip={1 / 2}"
    _, shown = NOTEBOOK.run(("price=..., count=..., tip=...", right))
    assert shown[2].status == "right"
    assert [value.split()[0] for _, value in shown[2].rows] == ["1.5", "2.5", "0.5"]
    assert all(" is right. " in value and "half of" in value for _, value in shown[2].rows)
