"""Every kind of exercise: what is right, what is told of a mistake, and what is still to do."""

import re
from pathlib import Path

import numpy as np
import pytest

from minigrad import Tensor, nn, ops
from minigrad_widgets.lesson import (
    FunctionExercise,
    GradientExercise,
    Lesson,
    Note,
    TaskExercise,
    ValueExercise,
)
from minigrad_widgets.lesson.compare import diagnose, difference
from minigrad_widgets.lesson.progress import Progress

WORDS = {"hints": ("Look.", "A rule.", "___"), "why": "It is so."}


# ---------------------------------------------------------------------------- comparing
NESTED = (1.0, {"w": np.array([[1.0, 2.0]]), "b": [Tensor([3.0]), None]}, "yes", True)


def test_the_same_is_the_same():
    again = [1, {"b": (Tensor([3.0]), None), "w": np.array([[1.0, 2.0]])}, "Yes ", np.True_]
    assert difference(again, NESTED) is None
    assert difference(np.array([np.nan, np.inf]), np.array([np.nan, np.inf])) is None


@pytest.mark.parametrize(
    ("yours", "right", "entry", "said"),
    [
        (1.0, (1.0,), "", "is a number; it should be a tuple"),
        ((1.0, 2.0), (1.0,), "", "has 2 values; it should have 1"),
        ({"w": 1.0}, {"w": 1.0, "b": 2.0}, "", "has the keys 'w'; it should have 'w', 'b'"),
        (np.ones(2), Tensor(np.ones(2)), "", "is an array; it should be a Tensor"),
        (Tensor(np.ones(2)), np.ones(2), "", "is a Tensor; it should be an array"),
        (True, 1, "", "is a truth value; it should be a number"),
        (None, 1.0, "", "is `None`; it should be a number"),
        (np.ones((3, 1)), np.ones(3), "", "has shape (3, 1); it should have (3,)"),
        (np.ones(3, np.float32), np.ones(3), "", "has dtype float32; it should have float64"),
        (np.ones(3, int), np.ones(3), "", "has dtype int64; it should have float64"),
        (np.float32(1), np.float64(1), "", "has dtype float32; it should have float64"),
        ((1.0, {"w": np.eye(2)}), (1.0, {"w": np.ones((2, 2))}), "[1]['w'][0, 1]", "is wrong"),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0]), "[1]", "is wrong"),
        (2e-8, 1e-8, "", "is wrong"),
        ("no", "yes", "", "is wrong"),
        ([[1.0], [1.0, 2.0]], np.ones(2), "", "is a list; it should be an array"),
    ],
)
def test_the_first_difference_is_named(yours, right, entry, said):
    found = difference(yours, right)
    assert found.sentence("x") == f"`x{entry}` {said}."


def test_floats_agree_as_far_as_their_dtype_can_tell():
    third = np.array([1 / 3])
    assert difference(third * (1 + 2e-6), third) is None
    assert difference(third * (1 + 2e-5), third) is not None
    small = third.astype(np.float32)
    assert difference(small * np.float32(1 + 2e-5), small) is None
    assert difference(small * np.float32(1 + 2e-3), small) is not None


def test_loose_compares_shape_and_values_alone():
    for yours in ([1, 2], (1.0, 2.0), np.array([1, 2]), Tensor([1.0, 2.0])):
        assert difference(yours, np.array([1.0, 2.0]), loose=True) is None
        assert difference(np.array([1.0, 2.0]), yours, loose=True) is None
    assert difference([1, 2], np.array([[1.0, 2.0]]), loose=True).is_now == "has shape (2,)"
    assert difference("12", 12, loose=True) is not None


X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])


@pytest.mark.parametrize(
    ("yours", "right", "told"),
    [
        (-X, X, "Only the sign"),
        (2 * X, X, "twice"),
        (X / 2, X, "half"),
        (X.T, X, "transposed"),
        (X, X.sum(0), "not summed"),
        (X, X.sum(1, keepdims=True), "not summed"),
        (6 * X, X, "6 times"),
        ((X, X[0]), (X[0], X), "`[0]` and `[1]` look swapped"),
        ((X, -X), (X, X), "Only the sign"),
        (X + 1, X, ""),
        (X.sum(1), X.sum(0), ""),
        ("a", "b", ""),
        (12.0, 3.0, ""),  # one number alone is always some multiple of another
    ],
)
def test_what_a_mistake_looks_like(yours, right, told):
    said = diagnose([(yours, right)])
    assert told in said
    assert bool(told) == bool(said)


# ---------------------------------------------------------------------------- functions
def slope(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


SLOPE = FunctionExercise(
    "slope",
    answer=slope,
    friendly={"f": np.square, "x": 3.0, "h": 0.5},
    random=lambda rng: {"f": np.exp, "x": rng.normal(size=3), "h": 0.1},
    edge=[{"f": np.abs, "x": 0.0, "h": 0.5}],
    mistakes={"That goes to one side only.": lambda f, x, h: (f(x + h) - f(x)) / h},
    solution="def slope(f, x, h):\n    return (f(x + h) - f(x - h)) / (2 * h)",
    **WORDS,
)


def test_a_function_that_does_the_same_is_right():
    assert SLOPE.judge_solution().status == "right"
    assert SLOPE.judge(lambda a, b, c=9: slope(a, b, c)).status == "right"


@pytest.mark.parametrize(
    ("fn", "told"),
    [
        (lambda f, x, h: (f(x + h) - f(x)) / h, "That goes to one side only."),
        (lambda f, x, h: (f(x + h) - f(x - h)) / h, "counted twice"),
        (lambda f, x, h: -slope(f, x, h), "Only the sign"),
        (
            lambda f, x, h: (slope(f, x, h),),
            "`result` is a tuple at the first point; it should be a number",
        ),
        (lambda f, x, h: Tensor(slope(f, x, h)).tolist, "is a function at the first"),
        (lambda f, x: 0, "Its arguments are to be `f`, `x`, `h`, in this order."),
        (lambda f, x, h: f.nothing, "stopped at the first point with AttributeError"),
        (lambda f, x, h: np.float32(slope(f, x, h)), "dtype float32 at the first point; it should"),
        (lambda f, x, h: slope(f, x, h) if np.all(x) else 1.0, "wrong at an edge"),
        (lambda f, x, h: slope(f, float(x), h), "stopped at a random point with TypeError"),
    ],
)
def test_what_is_wrong_with_a_function_is_told(fn, told):
    note = SLOPE.judge(fn)
    assert note.status == "wrong"
    assert told in repr(note)


def test_the_first_wrong_entry_is_shown_beside_the_right_one():
    note = SLOPE.judge(lambda f, x, h: (f(x + h) - f(x)) / h)
    assert note.title == "Not yet: `result` is wrong at the first point."
    assert dict(note.rows) == {
        "at": "f = square, x = 3, h = 0.5",
        "yours": "6.5",
        "right": "6",
        "yours / right": "1.083",
    }


def unfinished(f, x, h):
    right = ...
    return right - f(x - h)


def unread(f, x, h):
    left = ...
    return f.nothing, left


def sent_on(f, x, h):
    return reshaped(f(x), ...)


def reshaped(y, shape):
    raise ValueError("no such shape")


@pytest.mark.parametrize(
    "answer",
    [
        (),
        (...,),
        (None,),
        (3.0,),
        (slope, slope),
        (lambda f, x, h: ...,),
        (lambda f, x, h: (..., ...),),
        (lambda f, x, h: None,),
        (lambda f, x, h: f(...),),
        (unfinished,),
        (unread,),
        (sent_on,),
    ],
)
def test_what_is_not_done_is_no_attempt(answer):
    note = SLOPE.judge(*answer)
    assert note.status == "todo"
    assert note.title.startswith(("Not done yet", "Hand over the function itself"))


def test_dots_that_index_are_no_gap():
    first = FunctionExercise(
        "first", answer=lambda x: x[..., 0], friendly={"x": X}, solution="", **WORDS
    )
    assert first.judge(lambda x: x[..., 0]).status == "right"
    assert first.judge(lambda x: x[..., 1]).status == "wrong"
    assert (
        "stopped at the first point with ZeroDivisionError"
        in first.judge(lambda x: x[...] / (0 // 0)).title
    )


def test_a_mistake_counts_only_if_it_is_the_same_everywhere():
    both = FunctionExercise(
        "both",
        answer=lambda x: x * x,
        friendly={"x": 2.0},
        random=lambda rng: {"x": rng.normal()},
        mistakes={"That adds.": lambda x: x + x + 1},
        solution="def both(x):\n    return x * x",
        **WORDS,
    )
    assert "That adds." in repr(both.judge(lambda x: 2 * x + 1))
    assert "That adds." not in repr(both.judge(lambda x: 5.0))  # the same at 2 alone


def test_an_error_that_is_wanted_and_one_that_is_a_mistake():
    def root(x):
        if x < 0:
            raise ValueError("x is negative")
        return x**0.5

    exercise = FunctionExercise(
        "root", answer=root, friendly={"x": 4.0}, edge=[{"x": -1.0}], solution="", **WORDS
    )
    assert exercise.judge(root).status == "right"
    told = repr(exercise.judge(lambda x: abs(x) ** 0.5))
    assert "`result` is 1 at an edge; it should stop with a ValueError." in told

    def other(x):
        if x < 0:
            raise KeyError(x)
        return x**0.5

    assert "is a KeyError at an edge; it should be a ValueError" in repr(exercise.judge(other))


def test_what_is_lent_may_not_be_changed_and_what_is_to_be_changed_must():
    def doubled(x):
        x *= 2
        return x

    lent = FunctionExercise(
        "doubled", answer=lambda x: 2 * x, friendly={"x": X}, solution="", **WORDS
    )
    assert "changed `x`, which it was only lent" in repr(lent.judge(doubled))
    assert lent.judge(lambda x: x + x).status == "right"

    def fill(x):
        x[:] = 7.0

    filled = FunctionExercise("fill", answer=fill, friendly={"x": X}, solution="", **WORDS)
    assert filled.judge(fill).status == "right"
    assert "leaves `x` with wrong values" in repr(filled.judge(lambda x: None))


def test_arguments_that_cannot_be_copied_are_made_anew():
    calls = []

    def make():
        calls.append(1)
        return {"items": iter([1, 2, 3])}

    total = FunctionExercise("total", answer=sum, friendly=make, solution="", **WORDS)
    assert total.judge(lambda items: sum(items)).status == "right"
    assert total.judge(lambda items: sum(items) + 1).status == "wrong"
    assert len(calls) >= 4


def test_models_and_tensors_may_be_arguments():
    def train(net, x):
        return net(x) * 2

    exercise = FunctionExercise(
        "train",
        answer=train,
        friendly=lambda: {"net": nn.ReLU(), "x": Tensor([-1.0, 2.0])},
        solution="",
        **WORDS,
    )
    assert exercise.judge(train).status == "right"
    assert exercise.judge(lambda net, x: net(x * 3)).status == "wrong"


PLANTED = "def mean(x):\n    return x.sum() / 2  # a bug\n"


def test_a_planted_bug_untouched_is_nothing_to_judge():
    space = {}
    exec(PLANTED.replace("  # a bug", "").replace(" / 2", "  /  2"), space)
    exercises = [
        FunctionExercise(
            "mean", answer=np.mean, friendly={"x": X}, planted=PLANTED, solution="", **WORDS
        ),
        TaskExercise("mean", look=lambda f: "no.", planted=PLANTED, solution="", **WORDS),
    ]
    for exercise in exercises:
        note = exercise.judge(space["mean"])
        assert note.status == "todo"
        assert note.title.startswith("Not mended yet")
        assert exercise.judge(lambda x: x.sum() / 3).status == "wrong"


def test_an_error_is_a_known_mistake_only_if_it_says_the_same():
    def stops(words):
        def fn(x):
            raise TypeError(words)

        return fn

    mean = FunctionExercise(
        "mean",
        answer=np.mean,
        friendly={"x": X},
        mistakes={"That is known.": stops("Right.bprop returned None")},
        solution="",
        **WORDS,
    )
    assert "That is known." in repr(mean.judge(stops("Mine.bprop returned None")))
    assert "That is known." not in repr(mean.judge(stops("Mine.bprop returned two")))


def test_a_change_that_changes_nothing_is_told_so():
    mean = FunctionExercise(
        "mean",
        answer=np.mean,
        friendly={"x": X},
        planted=PLANTED,
        mistakes={"The sum alone.": np.sum},
        solution="",
        **WORDS,
    )
    planted = mean.defined_by(PLANTED)
    note = mean.judge(lambda x: planted(x) * 1)
    assert (note.status, note.title[:15]) == ("wrong", "Not mended yet:")
    assert "what you changed makes no difference" in repr(note)
    assert "no difference" not in repr(mean.judge(lambda x: planted(x) + 1))


# ------------------------------------------------------------------------------- values
ORDER = ValueExercise(
    "order",
    right=lambda: ("c", "b", "a"),
    mistakes=[(("a", "b", "c"), "That is the order of the forward pass.")],
    solution='order = ("c", "b", "a")',
    **WORDS,
)
BEST = ValueExercise("best", right=1e-5, mistakes=[(1e-8, "Too small.")], solution="", **WORDS)


def test_a_value_is_right_in_any_form():
    assert ORDER.judge_solution().status == "right"
    assert ORDER.judge(["C", "b ", "a"]).status == "right"
    for value in (1e-5, np.float32(1e-5), np.array(1e-5), Tensor(1e-5)):
        assert BEST.judge(value).status == "right", value


@pytest.mark.parametrize(
    ("exercise", "answer", "told"),
    [
        (ORDER, ("a", "b", "c"), "order of the forward pass"),
        (ORDER, ("c", "a", "b"), "`order[1]` is wrong"),
        (ORDER, ("c", "b"), "has 2 values; it should have 3"),
        (ORDER, 3, "is a number; it should be a tuple"),
        (BEST, 1e-8, "Too small."),
        (BEST, -1e-5, "Only the sign"),
        (BEST, "1e-5", "is a word; it should be a number"),
    ],
)
def test_what_is_wrong_with_a_value_is_told_but_not_what_is_right(exercise, answer, told):
    note = exercise.judge(answer)
    assert note.status == "wrong"
    assert told in repr(note)
    assert [label for label, _ in note.rows] == ["yours"]


@pytest.mark.parametrize("answer", [(), (...,), (None,), (("c", ..., "a"),), (1, 2)])
def test_a_value_that_is_missing_is_still_to_do(answer):
    assert ORDER.judge(*answer).status == "todo"


# -------------------------------------------------------------------------------- tasks
def test_a_task_has_a_look_of_its_own():
    def look(net, loss):
        if loss > 0.1:
            return Note("wrong", "Not yet: the loss is high.", (("loss", str(loss)),))
        return "" if callable(net) else "the net is no function."

    task = TaskExercise("net", look=look, right="Right: it learned.", solution="", **WORDS)
    assert task.judge(abs, 0.0) == Note("right", "Right: it learned.")
    assert task.judge(abs, 0.5).rows == (("loss", "0.5"),)
    assert task.judge(3, 0.0).title == "Not yet: the net is no function."
    assert "stopped with TypeError" in task.judge(abs, "low").title
    for answer in ((), (...,), (abs, None)):
        assert task.judge(*answer).status == "todo"


# ---------------------------------------------------------------------------- gradients
def gradient(name, forward, returns, solution, **more):
    head = f"def {name}({', '.join(['g', *more['friendly']])}):\n    "
    return GradientExercise(
        name, forward=forward, returns=returns, solution=head + solution, **more, **WORDS
    )


MATMUL = gradient(
    "matmul_rule",
    lambda x, w: x @ w,
    ("dx", "dw"),
    "return g @ w.T, x.T @ g",
    friendly={"x": [[1.0, 2.0]], "w": [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]},
    edge=[{"x": np.zeros((0, 2)), "w": np.ones((2, 3))}],
)
SUM = gradient(
    "sum_rule",
    lambda x: ops.sum(Tensor(x), 0),
    ("dx",),
    "return np.broadcast_to(g, x.shape)",
    friendly={"x": X},
    mistakes={"`g` must be spread again.": lambda g, x: g},
)


def by_position(g, x, i):
    """As long as x or shorter; with the nine indices of the random point it stops."""
    dx = np.zeros_like(x)
    for j in range(len(i)):
        dx[j] += g[j]
    return dx


GATHER = gradient(
    "gather_rule",
    lambda x, i: x[i],
    ("dx",),
    "dx = np.zeros_like(x)\n    np.add.at(dx, i, g)\n    return dx",
    friendly={"x": [1.0, 2.0, 3.0], "i": np.array([0, 2, 2])},
    mistakes={"It is `i[j]`, not `j`.": (lambda g, x, i: 1 / 0, by_position)},
    stops={"index 7": "There is no place 7."},
    random=lambda rng: {"x": rng.normal(size=5), "i": rng.integers(0, 5, 9)},
)
BIAS = gradient(
    "bias_rule",
    lambda x, b: x + b,
    ("dx", "db"),
    "return g, g.sum(0)",
    friendly={"x": X, "b": [1.0, 2.0, 3.0]},
)
UNBROADCAST = gradient(
    "unbroadcast",
    lambda x, shape, stretched: np.broadcast_to(x, stretched),
    ("dx",),
    "return g if g.shape == shape else g.sum(0, keepdims=len(shape) == 2)",
    friendly={"x": np.zeros(3), "shape": (3,), "stretched": (2, 3)},
    edge=[{"x": np.zeros((1, 3)), "shape": (1, 3), "stretched": (0, 3)}],
    mistakes={
        "0 is not more than 1.": lambda g, shape: g.sum(0) if len(g) > len(shape) - 1 else g,
        "This one stops at times.": lambda g, shape: 1 / 0,
    },
)
POWER = gradient(
    "power_rule",
    lambda x, n: x**n,
    ("dx",),
    "return g * n * x ** (n - 1)",
    friendly={"x": 2.0, "n": 3},
    mistakes={"`n` stays in front.": lambda g, x, n: g * x ** (n - 1)},
)


def last_wins(g, x, i):
    dx = np.zeros_like(x)
    dx[i] = g
    return dx


@pytest.mark.parametrize(
    "exercise", [MATMUL, SUM, GATHER, BIAS, UNBROADCAST, POWER], ids=lambda e: e.name
)
def test_rules_whose_entries_mix(exercise):
    assert exercise.judge_solution().status == "right"


@pytest.mark.parametrize(
    ("exercise", "fn", "told"),
    [
        (MATMUL, lambda g, x, w: (g @ w.T, g.T @ x), "transposed"),
        (MATMUL, lambda g, x, w: (g @ w.T, -x.T @ g), "Only the sign"),
        (MATMUL, lambda g, x, w: (w.sum(1)[None], x.T @ np.ones_like(g)), "`g` was forgotten"),
        (MATMUL, lambda g, x, w: (g @ w.T, x.T @ g) if x.size else (1 / 0, 0), "ZeroDivision"),
        (SUM, lambda g, x: g, "`g` must be spread again."),
        (SUM, lambda g, x: np.ones_like(x), "`g` was forgotten"),
        (SUM, lambda g, x: g * x, "at the first point"),
        (GATHER, last_wins, "x = [1, 2, 3], i = [0, 2, 2]"),
        (BIAS, lambda g, x, b: (g, g), "not summed"),
        (BIAS, lambda g, x, b: (g.sum(0), g), "That is what `db` should be: the two look swapped."),
        (GATHER, by_position, "It is `i[j]`, not `j`."),
        (GATHER, lambda g, x, i: np.zeros_like(x)[7], "There is no place 7."),
        (UNBROADCAST, lambda g, shape: g.sum(0) if len(g) else g, "0 is not more than 1."),
        (POWER, lambda g, x, n: g * x ** (n - 1), "x = 2, n = 3"),
        (POWER, lambda g, x, n: g * x ** (n - 1), "`n` stays in front."),
    ],
)
def test_mistakes_in_rules_whose_entries_mix(exercise, fn, told):
    note = exercise.judge(fn)
    assert note.status == "wrong"
    assert told in repr(note)


def test_what_is_summed_with_its_axes_kept_is_not_told_that_it_was_not_summed():
    note = BIAS.judge(lambda g, x, b: (g, g.sum(0, keepdims=True)))
    assert note.title == "Not yet: `db` has shape (1, 3), but its input has (3,)."
    assert "not summed" not in repr(note)


@pytest.mark.parametrize("exercise", [BIAS, POWER])
def test_a_rule_without_a_return_is_told_so(exercise):
    note = exercise.judge(lambda g: None)
    assert note.status == "todo"
    assert "returned nothing" in note.title
    assert "`return`" in note.text[0]


def test_several_functions_may_be_one_mistake_and_a_stop_may_be_explained():
    double = FunctionExercise(
        "double",
        answer=lambda x: 2 * x,
        friendly={"x": 3.0},
        mistakes={"Add, once.": (lambda x: x, lambda x: 3 * x)},
        stops={"ZeroDivision": "Nothing is divided here."},
        solution="def double(x):\n    return 2 * x",
        **WORDS,
    )
    assert [told for told, _ in double.known_mistakes()] == ["Add, once."] * 2
    for _, answer in double.known_mistakes():
        assert "Add, once." in double.judge(*answer).text
    assert "Nothing is divided here." in double.judge(lambda x: x / 0).text
    assert not any("divided" in line for line in double.judge(lambda x: x[0]).text)


def test_a_rule_that_stops_on_arrays_is_told_what_is_wrong_before():
    rule = gradient(
        "relu_rule",
        lambda x: np.maximum(x, 0),
        ("dx",),
        "return g * (x > 0)",
        friendly={"x": 2.0},
        another={"x": -1.0},
    )
    assert rule.judge_solution().status == "right"
    note = rule.judge(lambda g, x: 3 * g if x > 0 else 0.0)
    assert note.title == "Not yet: `dx` is wrong at the first point."
    note = rule.judge(lambda g, x: g if x > 0 else 0.0)
    assert "stopped on random arrays with ValueError" in note.title


def test_the_exercise_of_the_page_for_contributors_works():
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code.splitlines()) <= 10
    lesson = Lesson("00_example", "An example")
    exec(code, {"LESSON": lesson, "FunctionExercise": FunctionExercise, "np": np})
    (exercise,) = lesson.exercises.values()
    assert exercise.judge_solution().status == "right"
    assert exercise.judge(lambda x: ...).status == "todo"
    assert len(exercise.known_mistakes()) == 3
    for told, answer in exercise.known_mistakes():
        assert told in exercise.judge(*answer).text


# ------------------------------------------------------------ a last look, and plain words
def _odd(fn):
    """Wrong of 3; of 4 it is right, and something else is said than `why`."""
    if fn(3.0) != 6.0:
        return Note("wrong", "Not yet: 3 is another.")
    return Note("right", "Right.", text=("By adding.",)) if fn.__name__ == "adds" else None


LAST = FunctionExercise(
    "double",
    answer=lambda x: 2 * x,
    friendly={"x": 2.0},
    last=_odd,
    solution="def double(x):\n    return 2 * x",
    **WORDS,
)


def test_a_last_look_sees_what_is_right_so_far():
    def adds(x):
        return x + x

    def stops(x):
        return 2 * x if x == 2 else 1 / 0

    assert LAST.judge(lambda x: 2 * x).text == ()
    assert LAST.judge(lambda x: x * x).title == "Not yet: 3 is another."
    assert "ZeroDivisionError" in LAST.judge(stops).title
    assert LAST.judge(stops).status == "wrong"
    assert "`double` stopped" not in LAST.judge(lambda x: 5 * x).title  # it is not asked
    assert LAST.judge(adds).text == ("By adding.",)


def test_what_a_last_look_says_stands_in_the_place_of_why(monkeypatch):
    def adds(x):
        return x + x

    lesson = Lesson("00_last", "Last")
    lesson.add(LAST)
    shown = []
    monkeypatch.setattr("minigrad_widgets.lesson.lesson.display", shown.append)
    monkeypatch.setattr(lesson, "done", Progress(lesson.name, None, shown.append))
    lesson.check("double", adds)
    lesson.check("double", lambda x: 2 * x)
    assert [note.text for note in shown] == [("By adding.",), (WORDS["why"],)]


def test_a_question_to_all_entries_together_is_told():
    exercise = FunctionExercise(
        "positive",
        answer=lambda x: ops.relu(x),
        friendly={"x": Tensor([1.0, -1.0])},
        solution="positive = ops.relu",
        **WORDS,
    )
    note = exercise.judge(lambda x: x if x > 0 else 0 * x)
    assert "ask one question of all entries together" in repr(note)


def test_nothing_is_no_fraction_of_what_it_should_be():
    assert diagnose([(np.zeros(3), np.arange(1.0, 4.0))]) == "It is 0 everywhere."
