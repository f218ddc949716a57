"""Lesson 3: its small engine, and what its checks let pass."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, statuses

from minigrad_widgets import lesson_03
from minigrad_widgets.lesson_03 import LESSON
from minigrad_widgets.small_engine import PROGRAMS, Value, backward

WALK, SWEEP = LESSON.exercises["walk"], LESSON.exercises["sweep"]
ARRIVES, GRADIENT = LESSON.exercises["arrives"], LESSON.exercises["gradient"]


@pytest.fixture(scope="module")
def space():
    """What the notebook defines."""
    space, _ = LessonNotebook(LESSON).run()
    return space


@pytest.fixture(autouse=True)
def enough(monkeypatch):
    monkeypatch.setattr(Value, "most", 10**6)


@pytest.fixture(params=["module", "notebook"])
def value(request, space):
    """The `Value` of the notebook, and that of the checks: they do the same."""
    return Value if request.param == "module" else space["Value"]


# ---------------------------------------------------------------------------- backward
def test_backward_finds_the_gradients(value):
    """Of knot, 2 a a + 2 a; of late, a a b b + a a b."""
    a = value(3.0)
    backward(PROGRAMS["knot"][0](a))
    assert a.grad == 4 * 3 + 2
    a, b = value(2.0), value(3.0)
    backward(PROGRAMS["late"][0](a, b))
    assert (a.grad, b.grad) == (2 * 2 * 9 + 2 * 2 * 3, 2 * 4 * 3 + 4)


def test_backward_waits_for_the_longer_way(value):
    """A short and a long way lead from the result to x, whichever is written first."""
    for swapped in (False, True):
        x = value(1.0)
        s = x + x
        long = s
        for _ in range(5):
            long = long + value(0.0)
        backward(long + s if swapped else s + long)
        assert (s.grad, x.grad) == (2.0, 4.0)


def test_backward_is_no_recursion(value):
    x = y = value(1.0)
    for _ in range(20_000):
        y = y + value(1.0)
    backward(y)
    assert x.grad == 1.0


def test_backward_adds_to_what_is_there(value):
    """The slope of x * x at 3 is 6, and comes to it with each sweep."""
    x = value(3.0)
    for sweep in (1, 2, 3):
        backward(x * x)
        assert x.grad == 6.0 * sweep


def test_the_programs_of_the_notebook_are_those_of_the_checks(space):
    for name, (program, at) in PROGRAMS.items():
        if name in space:
            assert space[name](*at.values()) == program(*at.values())
    assert {"twice", "knot", "late"} <= space.keys() & PROGRAMS.keys()


# ---------------------------------------------------------------------------- exercises
def test_the_parts_by_hand_add_to_the_gradient():
    """At 3, knot has the slope 4 a + 2 = 14, and it moves by 4 if b alone does."""
    parts = lesson_03._parts()
    assert {name: sum(x) for name, x in parts.items()} == {"c": 1.0, "b": 1 + 3, "a": 14.0}
    assert [len(x) for x in parts.values()] == [1, 2, 3]


@pytest.mark.parametrize("a", [[4, 6, 4], (4.0, 4.0, 6.0), [np.float64(6), 4, 4]])
def test_parts_may_be_named_in_any_order(a):
    assert ARRIVES.judge({"c": [1], "b": [3, 1], "a": a}).status == "right"


def waits(value, g):
    """A walker that is told for how many parts to wait, and sends once."""
    value.grad = 1.0
    order, seen = [], set()

    def visit(v):
        if id(v) not in seen:
            seen.add(id(v))
            for source, _ in v.reads:
                visit(source)
            order.append(v)

    visit(value)
    for v in reversed(order):
        for source, slope in v.reads:
            source.grad += v.grad * slope


def test_another_right_walker_is_right():
    assert WALK.judge(waits).status == "right"


def by_index(record):
    record[-1].grad = 1.0
    for i in range(len(record) - 1, -1, -1):
        for source, slope in record[i].reads:
            source.grad = source.grad + slope * record[i].grad


def empties(record):
    record[-1].grad = 1.0
    while record:
        value = record.pop()
        for source, slope in value.reads:
            source.grad += slope * value.grad


@pytest.mark.parametrize("sweep", [by_index, empties, lambda record: backward(record[-1])])
def test_other_right_sweeps_are_right(sweep):
    assert SWEEP.judge(sweep).status == "right"


@pytest.mark.parametrize(
    "gradient",
    [
        lambda program, x: (setattr(x, "grad", 0.0), backward(program(x)), x.grad)[-1],
        lambda program, x: (fresh := type(x)(x.data), backward(program(fresh)), fresh.grad)[-1],
        lambda program, x: (y := program(x), setattr(x, "grad", 0.0), backward(y), x.grad)[-1],
    ],
)
def test_other_right_gradients_are_right(gradient):
    assert GRADIENT.judge(gradient).status == "right"


def endless(value, g):
    while value.reads:
        value.grad += g


def deeper(value, g):
    deeper(value, g)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("walk", "walk(source", "walk(value", "It calls itself without an end"),
        ("sweep", "reversed(record)", "record.reverse()", "returns `None`. `reversed(record)`"),
        ("sweep", "reversed(record)", "range(len(record))", "`record[i]`"),
        ("sweep", "value in reversed(record):", "i in range(len(record), 0, -1):\n"
         "        value = record[i]", "has the number `len(record) - 1`"),
        ("sweep", "reversed(record)", "[]", "the loop never ran"),
        ("sweep", "reversed(record)", "record", "In which order must they have their turn?"),
        ("sweep", "    record[-1].grad = 1.0\n", "", "The sweep begins with 1.0"),
        ("sweep", "source.grad +=", "slope +=", "Is each part added, and to `source.grad`?"),
        ("gradient", "x.grad = 0.0", "x.grad = None", "A sum begins at 0.0"),
    ],
)  # fmt: skip
def test_a_slip_that_stops_the_code_is_told_in_plain_words(name, old, new, told):
    exercise = LESSON.exercises[name]
    note = exercise.judge(lesson_03._changed(exercise.solution, (old, new)))
    assert note.status == "wrong"
    assert told in repr(note)


def once_each(next_of):
    def sweep(record):
        record[-1].grad, waiting, seen = 1.0, [record[-1]], set()
        while waiting:
            value = next_of(waiting)
            if value not in seen:
                seen.add(value)
                for source, slope in value.reads:
                    source.grad += value.grad * slope
                    waiting.append(source)

    return sweep


def by_calls(record):
    seen = set()

    def visit(value):
        if value not in seen:
            seen.add(value)
            for source, slope in value.reads:
                source.grad += value.grad * slope
                visit(source)

    record[-1].grad = 1.0
    visit(record[-1])


@pytest.mark.parametrize(
    "sweep", [once_each(lambda x: x.pop(0)), once_each(lambda x: x.pop()), by_calls]
)
def test_a_sweep_that_sends_too_early_is_told_so(sweep):
    note = SWEEP.judge(sweep)
    assert note.status == "wrong"
    assert note.text[0].startswith("A value has sent before all of its parts had come")


def test_where_all_send_late_enough_no_other_cause_is_named():
    twice_as_much = lesson_03._changed(SWEEP.solution, ("grad = 1.0", "grad = 2.0"))
    note = SWEEP.judge(twice_as_much)
    assert (note.status, "".join(note.text)) == ("wrong", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    for value in reversed(record)", "    record.reverse()\n    for value in record"),
        ("reversed(record)", "record[::-1]"),
        ("reversed(record)", "record[:0:-1]"),  # the first has read nothing
    ],
)
def test_other_ways_backwards_are_right(old, new):
    assert SWEEP.judge(lesson_03._changed(SWEEP.solution, (old, new))).status == "right"


@pytest.mark.parametrize(("walk", "told"), [(endless, "to an end"), (deeper, "RecursionError")])
def test_a_walker_without_an_end_is_stopped(walk, told):
    note = WALK.judge(walk)
    assert note.status == "wrong"
    assert told in repr(note)


def test_each_of_the_two_bugs_is_told_when_the_other_is_mended():
    planted = WALK.planted
    for mended, told in (
        (planted.replace("value.grad * slope", "g * slope"), "Parts add"),
        (planted.replace("value.grad = g", "value.grad += g"), "One bug is left"),
    ):
        note = WALK.judge(WALK.defined_by(mended))
        assert note.status == "wrong"
        assert told in repr(note)
    both = planted.replace("value.grad * slope", "g * slope").replace("= g", "+= g")
    assert WALK.judge(WALK.defined_by(both)).status == "right"


def test_a_stub_that_is_half_done_is_told_so():
    _, shown = LessonNotebook(LESSON).run(("for value in ...:", "for value in reversed(record):"))
    (note,) = [n for n in shown if "Nothing has arrived" in repr(n)]
    assert note.status == "wrong"


def test_a_student_predicts_wrong_and_is_led_to_the_right_numbers():
    _, shown = LessonNotebook(LESSON).run(("a=..., steps=...", "a=6, steps=3"))
    assert statuses(shown)[:2] == ["told", "wrong"]
    assert repr(shown[1]) == "step_backward(twice): 2 steps"
    told = dict(shown[2].rows)
    assert told["a"].endswith("It waits for both, and sends once: 4.")
    assert told["steps"].endswith("it waits for both and sends once: 2.")
