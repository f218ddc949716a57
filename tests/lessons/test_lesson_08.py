"""Lesson 8: the tutorial's Cells, the network of spikes, and what the checks say to other rules."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.check import check_bprop
from minigrad_widgets.digits import digits
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_08 import LESSON

NOTEBOOK = LessonNotebook(LESSON)
TUTORIALS = Path(__file__).parents[1] / "data" / "tutorials"


@pytest.fixture(scope="module")
def space():
    """What the cells define, without the two trainings."""
    return NOTEBOOK.run(("true = train", "0 and train"), ("surrogate = train", "0 and train"),
                        ('print(f"unseen', '0 and (f"unseen'))[0]  # fmt: skip


def note_on(name, cell):
    return LESSON.exercises[name].judge(cell)


# -------------------------------------------------------------------------- the tutorial
def test_the_tutorials_untrue_rule_prints_what_it_must():
    wanted = (TUTORIALS / "bprop_01_matmul.txt").read_text(encoding="utf-8").split()
    assert " ".join(wanted).replace(",", "") in " ".join(
        printed(NOTEBOOK.cell_with("class GradNet")).split()
    )


def test_the_tutorials_neuron_prints_what_it_must(space):
    """Its program, with the Cells of the lesson in place of its own."""
    program = (TUTORIALS / "bprop_03_spiking_neuron.py").read_text(encoding="utf-8")
    _, use = program.split("# Added,")
    use = use.split("\n", 2)[2]  # the rest of the comment
    cells = {"mindspore": ms, "relusigmoid": space["relusigmoid"], "IFNode": space["IFNode"]}
    with redirect_stdout(io.StringIO()) as out:
        exec(use, cells)
    wanted = (TUTORIALS / "bprop_03_spiking_neuron.txt").read_text(encoding="utf-8")
    numbers = [
        [
            float(x)
            for x in text.translate(str.maketrans("()[],=", "      ")).split()
            if is_number(x)
        ]
        for text in (out.getvalue(), wanted)
    ]
    assert len(numbers[0]) == len(numbers[1]) > 40
    assert np.allclose(*numbers, rtol=1e-6)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


# --------------------------------------------------------------------------- the spikes
def test_the_checker_catches_the_tutorials_rule():
    told = printed(NOTEBOOK.cell_with("print(check_bprop(Net()"))
    x = np.array([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
    assert "Net: not the derivative of its construct" in told
    assert f"x[1 2]: the gradient is {x[1, 2] + 1}" in told
    assert "6 of 6 entries are wrong" in told


def test_the_step_has_no_slope_and_its_surrogate_has_that_of_a_sigmoid(space):
    x = np.array([-0.4, 0.1, 0.5])
    step = space["relusigmoid"]()
    assert step(Tensor(x)).asnumpy().tolist() == [0, 1, 1]
    assert ms.grad(lambda x: step.construct(x))(Tensor(x)).asnumpy().tolist() == [0, 0, 0]
    h = 1e-6
    measured = (1 / (1 + np.exp(-5 * (x + h))) - 1 / (1 + np.exp(-5 * (x - h)))) / (2 * h)
    assert np.allclose(ms.grad(step)(Tensor(x)).asnumpy(), measured, rtol=1e-6)


def test_it_reads_with_the_surrogate_and_guesses_with_the_true_slope(space, capsys):
    """Judged by numpy: the weights, and the share of the digits that it never saw."""
    images, labels = digits()
    reader, node = space["Reader"], space["IFNode"]
    ms.set_seed(1)
    blind = reader(node(surrogate_function=lambda x: (x > 0).astype(ms.float32)))
    before = [p.asnumpy().copy() for p in blind.trainable_params()]
    assert space["train"](blind, 20) < 0.2
    for p, old in zip(blind.trainable_params(), before, strict=True):
        assert np.array_equal(p.asnumpy(), old)
    net = reader(node())
    right = space["train"](net, 600)
    counts = net(Tensor(images[1200:].reshape(-1, 64) / 16, ms.float32)).asnumpy()
    assert np.isin(counts, range(6)).all()  # it fires or not, in 5 moments
    assert right == np.mean(counts.argmax(axis=1) == labels[1200:]) > 0.9


def test_the_saved_run_read_more_than_nine_in_ten():
    told = printed(NOTEBOOK.cell_with("def train"))
    true, surrogate = (
        int(part.split("%")[0].split()[-1]) for part in told.split("unseen")[-1].split("%")[:2]
    )
    assert true < 20
    assert surrogate > 90


def test_nothing_is_warned_of():
    for cell in NOTEBOOK.code:
        assert not any(output.get("name") == "stderr" for output in cell.outputs), cell.source


# ------------------------------------------------------------------------ the prediction
def test_who_multiplies_by_dout_is_told_that_the_rule_does_not(space):
    _, shown = NOTEBOOK.run(("wide=..., long=...", "wide=30, long=4"), ("= train", "= 0 and train"))
    (verdict,) = [x for x in shown if isinstance(x, Note) and x.title.startswith("Your prediction")]
    said = dict(verdict.rows)
    assert "is the true slope. But the rule never looks at `dout`" in said["wide"]
    assert said["wide"].endswith("it says 3.")
    assert said["long"].startswith("4 is right.")


# ------------------------------------------------------------------------- the exercises
class Product(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        return ops.matmul(dout, ops.transpose(y, (1, 0))), ops.matmul(x.transpose(), dout)


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (self.w * dout,), {self.w: (dout * out / self.w).sum()}


class Round(nn.Cell):
    def construct(self, x):
        return ops.round(x)

    def bprop(self, x, out, dout):
        return dout


class Spike(nn.Cell):
    def construct(self, x):
        return (x > 0).astype(x.dtype)

    def bprop(self, x, out, dout):
        s = ops.sigmoid(5 * x)
        return (dout * (1 - s) * s * 5,)


@pytest.mark.parametrize("cell", [Product, Scale, Round, Spike])
def test_other_right_rules_are_right(cell):
    assert note_on(cell.__name__, cell).status == "right"
    assert note_on(cell.__name__, cell()).status == "right"


@pytest.mark.parametrize("name", ["Product", "Scale"])
def test_what_is_right_is_what_the_checker_finds(name):
    exercise = LESSON.exercises[name]
    *inputs, _ = exercise.random(np.random.default_rng(0)).values()
    assert check_bprop(exercise.defined_by(exercise.solution)(), *inputs).right


def with_bprop(base, bprop):
    return type(base.__name__, (base,), {"bprop": bprop})


@pytest.mark.parametrize(
    ("base", "bprop", "told"),
    [
        (Product, lambda self, x, y, out, dout: dout @ y.T, "bprop returned 1 gradient, but has 2"),
        (Product, lambda self, x, y, out, dout: (-dout @ y.T, x.T @ dout), "Only the sign"),
        (Product, lambda self, x, y, out, dout: (dout @ y.T(), x.T @ dout), "without brackets"),
        (Product, lambda self, x, y, out, dout: (dout @ y.T, 2 * x.T @ dout), "counted twice"),
        (Product, lambda self, x, y, out, dout: None, "is there a `return`"),
        (Product, lambda self, x, y, dout: (dout @ y.T, x.T @ dout), "out"),
        (Product, None, "`Product` has no `bprop`"),
        (Scale, lambda self, x, out, dout: (dout * 2.0,), "`dw` is wrong"),
        (Round, lambda self, x, out, dout: (), "bprop returned 0 gradients"),
        (Spike, lambda self, x, out, dout: (dout,), "`dx` is wrong at the first point"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(base, bprop, told):
    note = note_on(base.__name__, with_bprop(base, bprop))
    assert note.status == "wrong"
    assert told in repr(note)


def hidden(wipe):
    def bprop(self, x, out, dout):
        e = ops.exp(-5.0 * x)
        return (wipe(dout * 5.0 * e / (1 + e) ** 2, x),)

    return with_bprop(Spike, bprop)


@pytest.mark.parametrize(
    "wipe", [lambda dx, x: ops.nan_to_num(dx), lambda dx, x: ops.where(x > -10, dx, 0.0)]
)
def test_a_nan_that_is_made_and_hidden_is_wrong(wipe):
    note = note_on("Spike", hidden(wipe))
    assert note.status == "wrong"
    assert "a NaN is made, and then hidden" in note.title


def test_a_spike_whose_exponent_is_cut_off_is_right():
    def bprop(self, x, out, dout):
        e = ops.exp(ops.minimum(-5.0 * x, 80.0))
        return (dout * 5.0 * e / (1 + e) ** 2,)

    assert note_on("Spike", with_bprop(Spike, bprop)).status == "right"


def test_a_weight_that_is_written_down_is_wrong():
    rule = with_bprop(
        Scale, lambda self, x, out, dout: ((2.0 * dout,), {self.w: ops.sum(dout * x)})
    )
    note = note_on("Scale", rule)
    assert note.title == "Not yet: `dx` is wrong where `w` is 3."
    assert dict(note.rows) == {"yours": "[2, 2]", "right": "[3, 3]"}


@pytest.mark.parametrize("answer", [lambda x: x, 3, nn.Dense, "Net", ..., None])
def test_what_is_no_cell_with_a_rule_is_no_attempt(answer):
    note = note_on("Product", answer)
    assert note.status == ("wrong" if answer is nn.Dense else "todo")
    assert "bprop" in repr(note) or "Hand over" in repr(note) or "Not done yet" in repr(note)


def test_another_construct_is_told():
    class Other(Round):
        def construct(self, x):
            return ops.floor(x)

    assert "`out[1]` is wrong" in repr(note_on("Round", Other))


def test_the_planted_spike_breaks_far_below_the_threshold_and_nowhere_else():
    spike = LESSON.exercises["Spike"].defined_by(LESSON.exercises["Spike"].planted)()
    with np.errstate(all="ignore"):
        found = ms.grad(spike)(Tensor([-20.0, -5.0, 0.0, 5.0, 20.0])).asnumpy()
    assert np.isnan(found[0])
    assert np.allclose(found[1:], [5 * np.exp(-25), 5 / 4, 5 * np.exp(-25), 0], atol=1e-12)
