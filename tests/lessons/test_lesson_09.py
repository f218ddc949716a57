"""Lesson 9: second orders worked out by hand, and what the checks say to other answers."""

from pathlib import Path

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad.check import GradientError, check_grads
from minigrad_widgets import show_graph
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_09 import LESSON

NOTEBOOK = LessonNotebook(LESSON)
TUTORIALS = Path(__file__).parents[1] / "data" / "tutorials"


@pytest.fixture(scope="module")
def space():
    """What the untouched cells define."""
    return NOTEBOOK.run()[0]


def note_on(name, answer):
    return LESSON.exercises[name].judge(answer)


def solution_of(name):
    return LESSON.exercises[name].defined_by(LESSON.exercises[name].solution)


# ----------------------------------------------------------------------------- the page
def test_the_tutorials_program_prints_what_it_must():
    wanted = (TUTORIALS / "bprop_02_relu6.txt").read_text(encoding="utf-8").split()
    told = printed(NOTEBOOK.cell_with("class Net")).split()
    assert told[-len(wanted) :] == wanted


def test_its_first_order_is_relu_as_the_lesson_says(space):
    x = np.array([[-0.5, 0.6, 7.0]], np.float32)
    assert np.array_equal(ms.grad(space["Net"]())(Tensor(x)).asnumpy(), np.maximum(x, 0))


def test_the_hessian_and_the_sums_of_its_columns():
    """Of h s²: the gradient s², 2 h s, and the table 0, 2 s; 2 s, 2 h, at 2 and 3."""
    told = printed(NOTEBOOK.cell_with("def volume"))
    h, s = 2, 3
    table = np.array([[0, 2 * s], [2 * s, 2 * h]])
    assert f"gradient      [ {s * s}. {2 * h * s}.]" in told
    assert "Hessian       [0. 6.] [6. 4.]" in told
    assert f"grad of grad  [ {table[:, 0].sum()}. {table[:, 1].sum()}.]" in told


def test_no_saved_output_tells_what_is_predicted():
    """27, 18 and 6 at 3.0: after the prediction, the cube is looked at elsewhere."""
    later = NOTEBOOK.code[NOTEBOOK.code.index(NOTEBOOK.cell_with('predict("cube"')) :]
    assert not any("27" in printed(cell) for cell in later)


@pytest.mark.parametrize(("second", "right"), [(18, True), (27, False)])
def test_the_prediction_is_revealed_with_both_storeys(second, right):
    asked = ("first=..., second=..., third=...", f"first=27, second={second}, third=6")
    _, shown = NOTEBOOK.run(asked)
    (storeys,) = [thing for thing in shown if not isinstance(thing, Note)]
    assert "used by a rule" in storeys.to_svg()
    verdict = shown[shown.index(storeys) + 1]
    assert verdict.status == ("right" if right else "wrong")
    assert dict(verdict.rows)["second"].endswith("`6 * x`." if right else "By `6 * x`: 18.")


# -------------------------------------------------------------------- what is right
def test_the_right_product_is_the_change_of_the_gradient_along_v():
    exercise = LESSON.exercises["hvp"]
    points = [exercise.random(np.random.default_rng(0)), exercise.edge[0]()]
    for point in points:
        f, x, v = point.values()
        h = 1e-5
        ends = [ms.grad(f)(x + s * h * v).asnumpy() for s in (1, -1)]
        assert np.allclose(exercise.answer(f, x, v).asnumpy(), (ends[0] - ends[1]) / (2 * h))


def test_newtons_step_by_hand():
    newton = solution_of("newton")
    assert float(newton(lambda x: (x - 3) ** 2, Tensor(0.0))) == 3
    x = 0.7  # of exp(x) + x²
    right = x - (np.exp(x) + 2 * x) / (np.exp(x) + 2)
    bend = LESSON.exercises["newton"].random(np.random.default_rng(0))["f"]
    assert np.isclose(float(newton(bend, Tensor(np.float64(x)))), right)


# --------------------------------------------------------------------------- exercises
class Relu6(nn.Cell):
    def construct(self, x):
        return ops.relu6(x)

    def bprop(self, x, out, dout):
        return (ops.where((out > 0) & (out < 6), dout, ops.zeros_like(dout)),)


class Tanh(nn.Cell):
    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        y = ops.tanh(x)
        return (dout * (1 - y) * (1 + out),)


def test_other_right_rules_are_right():
    assert note_on("Relu6", Relu6).status == "right"
    assert note_on("Tanh", Tanh).status == "right"


@pytest.mark.parametrize(
    "hvp",
    [
        lambda f, x, v: ms.grad(lambda x: ms.grad(f)(x) * v)(x),  # grad sums
        lambda f, x, v: ms.jvp(ms.grad(f), x, v)[1],
        lambda f, x, v: ops.sum(ms.hessian(f)(x).reshape(x.size, x.size) * v.reshape(-1), -1)
        .reshape(x.shape),
    ],
)  # fmt: skip
def test_other_ways_to_the_product_are_right(hvp):
    assert note_on("hvp", hvp).status == "right"


def test_of_the_whole_table_it_is_said_that_two_passes_do():
    note = note_on("hvp", lambda f, x, v: ops.tensor_dot(ms.hessian(f)(x), v, v.ndim))
    assert note.status == "right"
    assert "That makes the whole table" in repr(note)
    assert not any(note_on("hvp", solution_of("hvp")).text)


def test_a_name_of_construct_that_the_rule_does_not_have_is_told():
    class Tanh(nn.Cell):
        def construct(self, x):
            y = ops.tanh(x)
            return y  # noqa: RET504  # a name of construct is what is needed

        def bprop(self, x, out, dout):
            return (dout * (1 - y**2),)  # noqa: F821  # that is the mistake

    assert "`y` lives in `construct`. In `bprop` it has to be made" in repr(note_on("Tanh", Tanh))
    rule = type("Tanh", (Tanh,), {"bprop": lambda self, x, out, dout: (dout * self.made,)})
    assert "No line puts `made` into the Cell" in repr(note_on("Tanh", rule))


def test_a_table_that_is_only_right_for_vectors_is_told_so():
    note = note_on("hvp", lambda f, x, v: ms.hessian(f)(x) @ v)
    assert note.status == "wrong"
    assert "at an edge" in repr(note)


@pytest.mark.parametrize("h", [1e-1, 1e-2, 1e-4, 1e-5])
def test_a_measured_product_is_nearly_right(h):
    """A step is too long, or in float32 its rise is lost in rounding."""

    def hvp(f, x, v):
        return (ms.grad(f)(x + h * v) - ms.grad(f)(x - h * v)) / (2 * h)

    note = note_on("hvp", hvp)
    assert note.status == "wrong"
    assert "Nearly right, but a little off: what is measured" in repr(note)
    assert "times what it should be" not in repr(note)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("base", "bprop", "told"),
    [
        (Tanh, lambda self, x, out, dout: (dout * (1 - Tensor(out.asnumpy()) ** 2),),
         "no way leads from it back to `x`"),
        (Tanh, lambda self, x, out, dout: (dout * (1 - np.tanh(x.asnumpy()) ** 2),),
         "no way leads from it back to `x`"),
        (Tanh, lambda self, x, out, dout: (-dout * (1 - out**2),), "Only the sign is wrong"),
        (Relu6, lambda self, x, out, dout: (dout,), "`dx[1]` is wrong at the first point"),
        (Relu6, lambda self, x, out, dout: (dout * ops.relu(x),), "That is the rule of `Net`"),
        (Relu6, lambda self, x, out, dout: (dout * (out / x) * (x < 6) * (x > 0),), "divided by"),
        (Relu6, lambda self, x, out, dout: ..., "Not done yet"),
        (Relu6, None, "has no `bprop`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(base, bprop, told):
    note = note_on(base.__name__, type(base.__name__, (base,), {"bprop": bprop}))
    assert note.status == ("todo" if "Not done" in told else "wrong")
    assert told in repr(note)


def test_the_planted_tanh_is_right_once_and_lost_when_called_twice():
    planted = LESSON.exercises["Tanh"].defined_by(LESSON.exercises["Tanh"].planted)
    x = 0.5
    slope = 1 - np.tanh(x) ** 2
    assert np.isclose(float(ms.grad(planted())(Tensor(x))), slope)
    assert float(ms.grad(ms.grad(planted()))(Tensor(x))) == 0
    assert dict(note_on("Tanh", planted).rows)["yours / right"] == "0"  # not -0
    with pytest.raises(GradientError, match="order 2"):
        check_grads(planted(), Tensor(x))
    cell, y = planted(), np.tanh(np.tanh(x))
    twice = float(ms.grad(lambda x: cell(cell(x)))(Tensor(x)))
    assert not np.isclose(twice, (1 - y**2) * slope)
    assert np.isclose(twice, (1 - y**2) ** 2)  # the last call's value, used for both


def test_no_way_leads_into_the_second_storey_of_the_planted_tanh():
    planted = LESSON.exercises["Tanh"].defined_by(LESSON.exercises["Tanh"].planted)
    graphs = [show_graph(cell(), Tensor(0.5), order=2) for cell in (planted, solution_of("Tanh"))]
    assert ["used by a rule" in graph.to_svg() for graph in graphs] == [False, True]
