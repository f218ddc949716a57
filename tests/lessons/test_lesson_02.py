"""Lesson 2: what a reader sees untouched, and what each exercise says to each answer."""

import importlib.util
import linecache
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from minigrad import ops
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson.progress import Progress
from minigrad_widgets.lesson_02 import LESSON

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("build", ROOT / "lessons" / "build.py")
build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build)

(SOURCE,) = build.sources("02")
NOTEBOOK = nbformat.read(build.notebook_of(SOURCE), as_version=4)
CODE = [cell for cell in NOTEBOOK.cells if cell.cell_type == "code"]


@pytest.fixture
def shown(monkeypatch):
    """What the lesson shows from here on, to a student who begins."""
    things = []
    monkeypatch.setattr(lesson_module, "display", things.append)
    monkeypatch.setattr(LESSON, "done", Progress(LESSON.name, None, things.append))
    return things


def run_lesson(answers=()):
    """Run the code cells as a student does who wrote these answers over what stands there."""
    space = {}
    for number, cell in enumerate(CODE):
        source = cell.source
        for stub, answer in answers:
            source = source.replace(stub, answer)
        file = f"<lesson cell {number}>"
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        exec(compile(source, file, "exec"), space)
    return space


def statuses(shown):
    return [thing.status for thing in shown if isinstance(thing, lesson_module.Note)]


# ---------------------------------------------------------------------------- the page
def test_source_and_notebook_agree():
    assert build.difference(SOURCE) == ""


@pytest.mark.parametrize("key", ["source", "cell_type", "id", "metadata"])
def test_a_cell_that_differs_is_named(tmp_path, monkeypatch, key):
    changed = nbformat.from_dict(NOTEBOOK)
    old = changed.cells[3][key]
    changed.cells[3][key] = {"tags": ["x"]} if key == "metadata" else f"other{old}"
    target = tmp_path / SOURCE.with_suffix(".ipynb").name
    target.write_text(nbformat.writes(changed), encoding="utf-8")
    monkeypatch.setattr(build, "notebook_of", lambda source: target)
    monkeypatch.setattr(build.nbformat, "read", lambda *_, **__: changed)
    assert f"cell 4: {key} differs" in build.difference(SOURCE)


def test_it_is_as_long_as_a_lesson_should_be():
    words = sum(len(c.source.split()) for c in NOTEBOOK.cells if c.cell_type == "markdown")
    assert 900 <= words <= 1300
    assert 12 <= len(CODE) <= 18
    for cell in CODE:
        assert len([line for line in cell.source.splitlines() if line.strip()]) <= 12, cell.source


def printed(cell):
    """All that a code cell shows: its source, and its outputs as text."""
    texts = [o.get("text", "") or o["data"].get("text/plain", "") for o in cell.get("outputs", ())]
    return "\n".join([cell.source, *texts]).replace(",", "")


def test_every_number_in_the_prose_is_printed_near_it():
    for i, cell in enumerate(NOTEBOOK.cells):
        if cell.cell_type == "code" or i in (0, len(NOTEBOOK.cells) - 1):
            continue  # the first and the last speak of lessons and minutes
        prose = re.sub(r"^\d\. |^### Exercise \d|`[^`]*`", "", cell.source, flags=re.MULTILINE)
        near = [c for c in NOTEBOOK.cells[max(i - 2, 0) : i + 3] if c.cell_type == "code"]
        there = re.findall(r"-?\d+(?:\.\d+)?", "\n".join(map(printed, near)))
        for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", prose):
            assert number.replace(",", "") in there, f"{number} in: {cell.source}"


# ----------------------------------------------------------------------- untouched
def test_untouched_it_runs_and_everything_is_still_to_do(shown):
    run_lesson()
    assert statuses(shown) == ["todo"] * 2 + ["todo", "aside"] * 4
    assert [thing for thing in shown if not isinstance(thing, lesson_module.Note)] == []
    assert LESSON.done.get()["attempts"] == {}


def test_the_saved_notebook_gives_no_answer_away():
    saved = nbformat.writes(NOTEBOOK)
    assert "gradient of price" not in saved
    for name, exercise in LESSON.exercises.items():
        assert exercise.solution not in "\n".join(map(printed, CODE)), name
        assert exercise.why not in saved
        assert not any(hint in saved for hint in exercise.hints)
    about_share = "\n".join(printed(cell) for cell in CODE if "share" in cell.source)
    assert "food + tip" in about_share
    assert "2.5" not in about_share
    assert "1.5" not in about_share


def test_one_stepper_is_there_without_any_answer():
    steppers = [cell for cell in CODE if "Backward pass of loss" in str(cell.outputs)]
    assert "<svg" in str(steppers[0].outputs)


def test_saved_outputs_hold_nothing_of_one_run():
    for cell in CODE:
        assert "execution" not in cell.metadata
        assert sum(output.output_type == "stream" for output in cell.outputs) <= 1
        for output in cell.outputs:
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
    assert "widgets" not in NOTEBOOK.metadata
    assert "version" not in NOTEBOOK.metadata.language_info


# ------------------------------------------------------------------------ exercises
@pytest.mark.parametrize("name", LESSON.exercises)
def test_the_last_hint_has_one_gap_and_is_the_solution(name):
    exercise = LESSON.exercises[name]
    for line in exercise.hints[-1].splitlines():
        pattern = re.escape(line.strip()).replace("___", '("?\\w+"?)')
        assert re.search(pattern, exercise.solution), line
    gaps = exercise.hints[-1].count("___")
    assert gaps == (2 if name == "sweep" else 1)  # there it is one word, used twice


@pytest.mark.parametrize("name", LESSON.exercises)
def test_the_solution_passes(name):
    assert LESSON.exercises[name].judge_solution().status == "right"


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


def test_the_planted_bug_passes_at_first_and_is_not_an_attempt(shown):
    space = run_lesson()
    assert np.allclose(space["sweep"](0.0, 3.0), (3, 0))  # at x = 0 it is right
    note = shown[-2]  # before what the last folded cell says
    assert "Not mended yet: `dx` is wrong at another point." in repr(note)
    assert note.rows[2] == ("right", f"{2 * np.exp(2):.6g} (measured)")  # x = 1, w = 2


@pytest.mark.parametrize(
    ("old", "new"), [("dp = g * out", "dp = g * p"), ("dp = g * out", "dp = 2 * g * out")]
)
def test_a_change_that_changes_nothing_is_told_so(shown, old, new):
    run_lesson([(old, new)])
    *_, note, solution = shown
    assert note.status == "wrong"
    assert note.title == "Not mended yet: `dx` is wrong at another point."
    assert note.text[0].startswith("It still returns what it returned before")
    assert 'Stuck? `hint("sweep")`' in note.text[1]
    assert solution.status == "told"


def test_a_comment_is_no_attempt_to_mend(shown):
    run_lesson([("dp = g * out", "dp = g  *  out  # what is this for?")])
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
def test_a_student_who_solves_everything(shown):
    solved = [
        ("price=..., count=..., tip=...", "price=1.5, count=2.5, tip=0.5"),
        ("dx = ...\n    dy = ...", "dx = g * y\n    dy = g * x"),
        ("return ...", "return g * out"),
        ('[("a", "s"), ...]', str(ARROWS)),
        ("g * w, g * x", "dp * w, dp * x"),
    ]
    run_lesson(solved)
    assert statuses(shown) == ["told", "right"] + ["right", "told"] * 4
    pictures = [repr(thing) for thing in shown if not isinstance(thing, lesson_module.Note)]
    assert pictures == ["step_backward(share): 3 steps", "show_graph(tangle): 7 values"]
    assert set(LESSON.done.get()["right"]) == set(LESSON.exercises)


def test_a_prediction_is_locked_and_its_meaning_told(shown):
    run_lesson([("price=..., count=..., tip=...", "price=3, count=1.5, tip=7")])
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
        assert shown[-1].title.startswith("Your first answer stays. To begin the lesson anew: ")
        assert dict(shown[-1].rows) == {"price": "3", "count": "1.5", "tip": "7"}


def test_each_wrong_prediction_that_is_known_leads_to_the_right_one():
    right = {"price": 3 / 2, "count": 5 / 2, "tip": 1 / 2}
    for name, meanings in LESSON.predictions["share"].meanings.items():
        assert {told.endswith("{right}.") for x, told in meanings.items() if x != right[name]} == {
            True
        }
        assert "{" not in meanings[right[name]]


def test_right_predictions_agree_with_counting(shown):
    # Half of each: 3 dishes more expensive by 1, one dish more at 5.0, a tip higher by 1.
    run_lesson([("price=..., count=..., tip=...", f"price={3 / 2}, count={5 / 2}, tip={1 / 2}")])
    assert shown[2].status == "right"
    assert [value.split()[0] for _, value in shown[2].rows] == ["1.5", "2.5", "0.5"]
    assert all(" is right. " in value and "half of" in value for _, value in shown[2].rows)
