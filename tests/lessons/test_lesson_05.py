"""Lesson 5: the tutorial's programs, what training comes to, and what the checks say."""

import re

import numpy as np
import pytest
from lesson_notebook import ROOT, LessonNotebook

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad_widgets.digits import digits
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_05 import LESSON
from minigrad_widgets.training_view import Training

NOTEBOOK = LessonNotebook(LESSON)
PROGRAMS = ROOT / "tests" / "data" / "tutorials"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def printed(cell):
    return "".join(o.get("text", "") for o in cell.outputs if o.output_type == "stream")


# ------------------------------------------------------------------ the tutorial's programs
def lines(source):
    """The lines of a program, however it spells the package, its strings and its comments."""
    source = re.sub(r"#.*", "", source).replace("mindspore", "ms").replace("'", '"')
    return [line.strip().replace("(3,)", "(3)") for line in source.splitlines() if line.strip()]


@pytest.mark.parametrize("program", ["autodiff_01_loss", "autodiff_02_grad", "autodiff_05_network"])
def test_a_program_of_the_tutorial_is_in_the_lesson_and_prints_what_it_must(program):
    source = (PROGRAMS / f"{program}.py").read_text(encoding="utf-8")
    _, own = source.split("# The tutorial's program.\n")
    there = lines("\n".join(cell.source for cell in NOTEBOOK.code))
    for line in lines(own):
        # One line is shorter: three entries, whether they are written (3,) or 3.
        assert line.replace("randn(3,)", "randn(3)") in there, line
    wanted = (PROGRAMS / f"{program}.txt").read_text(encoding="utf-8")
    shown = "\n".join(map(printed, NOTEBOOK.code))
    pattern = re.escape(NUMBER.sub("#", wanted).strip()).replace(r"\#", NUMBER.pattern)
    found = [match[0] for match in re.finditer(pattern, shown)]
    numbers = [np.array(NUMBER.findall(text), float) for text in [wanted, *found]]
    assert any(np.allclose(numbers[0], other, rtol=1e-6) for other in numbers[1:]), wanted


def test_the_surprise_is_there():
    db, db_too, grew = re.findall(r"\[(.*)\]", printed(NOTEBOOK.cell_with("def with_logits")))
    assert np.allclose(np.array(db_too.split(), float) - np.array(db.split(), float), 1)
    assert np.array(grew.split(), float).tolist() == [1, 1, 1]


# ------------------------------------------------------------------------------ predicting
def test_the_prediction_by_hand():
    """The area grows by 7 and by 4, the fence by 2: 9 and 6."""
    answers = "wide=7.0 + 2.0, long=4.0"
    _, shown = NOTEBOOK.run(("wide=..., long=...", answers))
    picture = next(i for i, thing in enumerate(shown) if not isinstance(thing, Note))
    assert repr(shown[picture]) == "step_backward(bed): 3 steps"
    said = dict(shown[picture + 1].rows)
    assert said["wide"].startswith("9 is right.")
    assert said["long"] == (
        "4 is how the area grows. But the fence is returned too, and grows by 2: 6."
    )


# -------------------------------------------------------------------------------- training
def train(steps, stop_after=None, begin=None):
    """Run the two cells that make and train the network, as the notebook has them."""
    space = begin or {"np": np, "ms": ms, "Tensor": Tensor, "nn": nn, "ops": ops}

    def training(number, net):
        assert number == 1500
        run = Training(steps, net)
        if stop_after is not None:
            log = run.log

            def log_and_stop(*told):
                log(*told)
                run.stop_asked = run._count == stop_after

            run.log = log_and_stop
        return run

    space["training"] = training
    if begin is None:
        exec(NOTEBOOK.cell_with("ms.set_seed(0)").source.split("\nshapes")[0], space)
        exec(NOTEBOOK.cell_with("import digits").source, space)
    exec(NOTEBOOK.cell_with("nn.SGD").source, space)
    return space


def share_right(space):
    images, labels = digits()
    scores = space["net"](Tensor(images[1200:].reshape(-1, 64) / 16, ms.float32)).asnumpy()
    return np.mean(scores.argmax(axis=1) == labels[1200:])


def test_it_learns_to_read_digits_that_it_never_saw(capsys):
    space = train(1500)
    told = capsys.readouterr().out
    assert share_right(space) > 0.9
    assert f"{share_right(space):.0%} of 597 unseen digits read right" in told
    assert float(space["loss"]) < 0.05
    _, labels = digits()
    assert space["wrong"].sum() == round((1 - share_right(space)) * 597)
    assert (space["guess"][space["wrong"]] != labels[1200:][space["wrong"]]).all()


def test_the_saved_run_read_more_than_nine_in_ten():
    (percent,) = re.findall(r"(\d+)% of 597", printed(NOTEBOOK.cell_with("nn.SGD")))
    assert int(percent) > 90


def test_stopped_it_goes_on_from_where_it_was(capsys):
    space = train(1500, stop_after=60)
    assert space["run"]._steps_done == 60
    assert "Stopped after 60 of 1500 steps" in capsys.readouterr().out.replace(",", "")
    first = space["run"]._first
    train(5, begin=space)
    assert first > 2  # about log 10: it knew nothing
    assert space["run"]._first < 0.6 * first


def test_untrained_it_guesses(capsys):
    assert share_right(train(1)) < 0.5


# ------------------------------------------------------------------------------- exercises
def test_the_line_goes_to_the_least_squares():
    train_line = LESSON.exercises["train_line"].defined_by(LESSON.exercises["train_line"].solution)
    x, y = Tensor([-1.0, 0.0, 2.0]), Tensor([3.0, -1.0, 0.5])
    found = [float(value) for value in train_line(x, y, 0.1, 500)]
    assert np.allclose(found, np.polyfit([-1, 0, 2], [3, -1, 0.5], 1), atol=1e-4)


@pytest.mark.parametrize("n", [2, 4, 9])
def test_the_planted_bug_lowers_the_line_by_half_the_number_of_points(n):
    fit = LESSON.exercises["fit"].defined_by(LESSON.exercises["fit"].planted)
    x = np.linspace(-2, 2, n)
    w, b = (float(value) for value in fit(Tensor(x), Tensor(3 * x + 1)))
    assert np.allclose([w, b], [3, 1 - n / 2], atol=1e-4)


def fit_with(forward_returns, position=(0, 1), **options):
    """fit, with `forward` and value_and_grad as given."""

    def fit(x, y):
        def forward(w, b):
            guess = w * x + b
            return forward_returns(ops.mean((guess - y) ** 2), guess)

        step = ms.value_and_grad(forward, position, **options)
        w, b = Tensor(0.0), Tensor(0.0)
        for _ in range(100):
            dw, db = step(w, b)[1][0] if options else step(w, b)[1]
            w, b = w - 0.1 * dw, b - 0.1 * db
        return w, b

    return fit


def fit_uphill(x, y):
    w, b = Tensor(0.0), Tensor(0.0)
    for _ in range(20):
        error = w * x + b - y
        w, b = w + 0.1 * (error * x).mean(), b + 0.1 * error.mean()
    return w, b


@pytest.mark.parametrize(
    ("returns", "told"),
    [
        (lambda loss, guess: (loss, guess * 1), "Still too low by half the number of points"),
        (lambda loss, guess: (loss, ops.mean(guess)), "too low by a half now"),
        (lambda loss, guess: (loss, guess, -2 * guess), "too high"),
    ],
)
def test_how_fit_stays_wrong(returns, told):
    note = LESSON.exercises["fit"].judge(fit_with(returns))
    assert note.status == "wrong"
    assert told in repr(note)


def changed(name, *changes):
    """The solution, changed so."""
    source = LESSON.exercises[name].solution
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return LESSON.exercises[name].defined_by(source)


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("fit", "loss, (dw", "(loss, guess), (dw", "unpacked as `loss, (dw, db) = step(w, b)`"),
        ("fit", "loss, (dw, db)", "dw, db", "unpacked as"),
        ("train_line", "loss, (dw, db)", "loss, dw, db", "unpacked as"),
        (
            "train_line",
            "w - rate * dw, b - rate * db",
            "w - rate * loss * dw, b - rate * loss * db",
            "The loss is in the step",
        ),
        (
            "train_line",
            "    w, b = Tensor",
            "    rate = rate / steps if steps else 0\n    w, b = Tensor",
            "`steps` is in the step",
        ),
        ("train_line", "(0, 1)", "0", "positions for `w` and `b`"),
        ("train_line", "(0, 1)", "(w, b)", "A position is a number"),
        ("train_line", "    return w, b", "        return w, b", "Only one step was made"),
        ("fit", "    return w, b", "        return w, b", "Only one step was made"),
        ("fit", "b - 0.1", "b + 0.1", "`w` goes downhill, `b` uphill"),
    ],
)
def test_a_slip_in_a_training_loop_is_told(name, old, new, told):
    note = LESSON.exercises[name].judge(changed(name, (old, new)))
    assert note.status == "wrong"
    assert told in repr(note)


@pytest.mark.parametrize("off", ["1", "4", "x.size", "float(len(x))"])
def test_what_the_guesses_add_is_not_mended_by_a_number(off):
    fit = changed("fit", ("2)\n", "2), guess\n"), ("loss, (", "_, ("), ("* db", f"* (db - {off})"))
    assert "taken off by hand" in repr(LESSON.exercises["fit"].judge(fit))


def test_moving_the_line_afterwards_is_found_out():
    planted = LESSON.exercises["fit"].defined_by(LESSON.exercises["fit"].planted)

    def fit(x, y):
        w, b = planted(x, y)
        return w, b + 2

    assert "Right for 4 points, and for no other number" in repr(LESSON.exercises["fit"].judge(fit))
    assert LESSON.exercises["fit"].judge(fit_uphill).status == "wrong"


def test_moving_the_line_by_half_the_number_of_points_is_no_cure():
    """Right where the training has ended; on two points close together it has not."""
    planted = LESSON.exercises["fit"].defined_by(LESSON.exercises["fit"].planted)

    def fit(x, y):
        w, b = planted(x, y)
        return w, b + x.size / 2

    note = LESSON.exercises["fit"].judge(fit)
    assert note.title == "Not yet: the line is moved afterwards."
    x, y = Tensor([0.1, 0.2]), Tensor([1.0, 3.0])
    honest = LESSON.exercises["fit"].defined_by(LESSON.exercises["fit"].solution)
    assert abs(float(fit(x, y)[0]) - float(honest(x, y)[0])) > 0.1


@pytest.mark.parametrize(
    "returns",
    [
        lambda loss, guess: loss,
        lambda loss, guess: (loss, ops.stop_gradient(guess)),
        lambda loss, guess: (loss, 0 * guess),
        lambda loss, guess: (loss, guess, -guess),
    ],
)
def test_other_ways_to_mend_it_are_right(returns):
    assert LESSON.exercises["fit"].judge(fit_with(returns)).status == "right"


def test_one_position_in_a_tuple_is_right_too():
    right = LESSON.exercises["positions"].defined_by(LESSON.exercises["positions"].solution)
    assert LESSON.exercises["positions"].judge({**right, "dw": (2,)}).status == "right"


def test_positions_that_are_no_dict_of_them():
    for answer in ([2], {"dw": 2}):
        note = LESSON.exercises["positions"].judge(answer)
        assert note.status == "wrong"
        assert "is a dict with the keys 'dw', '(dw, db)'" in repr(note)


def test_the_shapes_are_those_of_the_notebook():
    space = train(1)
    shapes = [g.shape for g in space["grads"]]
    assert LESSON.exercises["shapes"].judge(shapes).status == "right"
    assert shapes == [(32, 64), (32,), (10, 32), (10,)]
