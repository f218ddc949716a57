"""Lesson 1: what its checks take for a good step, and the picture at its end."""

import math
import re

import numpy as np
import pytest

from minigrad_widgets.lesson_01 import LESSON, picture

STEPS, SLOPE = LESSON.exercises["steps"], LESSON.exercises["slope"]


@pytest.mark.parametrize(("exact", "coarse"), [(1e-5, 1e-2), (5e-6, 5e-3), (4e-6, 4e-3)])
def test_steps_near_the_best_are_good(exact, coarse):
    """The best for exp at 1 is the cube root of three times half of eps: 7e-6 and 6e-3."""
    assert STEPS.judge({"float64": exact, "float32": coarse}).status == "right"


@pytest.mark.parametrize("far", [1e-1, 1e-3, 1e-4, 1e-6, 1e-7, 1e-8, 1e-12])
@pytest.mark.parametrize(("name", "best"), [("float64", 1e-5), ("float32", 1e-2)])
def test_a_power_of_ten_from_the_best_is_not_good_and_it_is_said_which_way(name, best, far):
    note = STEPS.judge({"float64": 1e-5, "float32": 1e-2, name: far})
    assert note.status == "wrong"
    assert note.title == f"Not yet: {name} has a better step."
    decides = "Truncation" if far > best else "Rounding"
    assert f"{decides} decides there" in repr(note)


def test_an_error_that_is_told_is_that_of_the_step():
    note = STEPS.judge({"float64": 1e-5, "float32": 1e-1})
    told = dict(note.rows)["h = 0.1"]
    error = math.sinh(0.1) / 0.1 * math.e - math.e  # of exp at 1, in exact numbers
    assert float(told.removeprefix("off by ")) == pytest.approx(error, rel=0.03)


def test_a_step_that_is_good_by_luck_at_one_point_is_told_so():
    """At 1.0 alone 1e-5 and 1e-7 are off by the same 5.9e-11."""
    errors = [abs((math.exp(1 + h) - math.exp(1 - h)) / (2 * h) - math.e) for h in (1e-5, 1e-7)]
    assert errors[1] == pytest.approx(errors[0], rel=1e-3)
    note = STEPS.judge({"float64": 1e-7, "float32": 1e-2})
    assert "At 1.0 alone your step is as good as the best, by such luck" in repr(note)
    assert "luck" not in repr(STEPS.judge({"float64": 1e-6, "float32": 1e-2})).split("lucky.")[1]


def test_steps_may_be_given_in_either_order_and_must_be_numbers():
    assert STEPS.judge({"float32": 1e-2, "float64": np.float64(1e-5)}).status == "right"
    assert "'1e-5'" in repr(STEPS.judge({"float64": "1e-5", "float32": 1e-2}))


@pytest.mark.parametrize(
    "slope",
    [
        lambda f, x, h={"float64": 1e-5, "float32": 1e-2}: (
            (f(x + h[str(x.dtype)]) - f(x - h[str(x.dtype)])) / (2 * h[str(x.dtype)])
        ),
        lambda f, x: (
            np.diff(f(x + np.cbrt(np.finfo(x.dtype).eps) * np.array([-1, 1], x.dtype)))[0]
            / (2 * np.cbrt(np.finfo(x.dtype).eps))
        ),
    ],
)
def test_other_right_slopes_are_right(slope):
    assert SLOPE.judge(slope).status == "right"


@pytest.mark.parametrize("h", [0.1, 1e-3, 1e-5, 1e-7, 1e-12])
@pytest.mark.parametrize("name", ["central_difference", "sides"])
def test_a_step_of_its_own_is_told_to_be_one(name, h):
    answer = LESSON.exercises[name].answer
    note = LESSON.exercises[name].judge(lambda f, x, step: answer(f, x, h))
    assert "That takes a step of its own" in repr(note)


def test_the_square_root_of_eps_is_too_short_and_not_called_good():
    """Its rounding error is about eps / sqrt(eps), some hundred times that of the cube root."""
    for power, decides in ((1 / 2, "Rounding"), (1 / 4, "Truncation")):
        note = SLOPE.judge(lambda f, x, power=power: centred(f, x, np.finfo(x.dtype).eps ** power))
        assert f"{decides} decides there" in repr(note)
        assert "The step is good" not in repr(note)


def centred(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("k", [10**-5, 6, 0])
def test_the_prediction_takes_one_of_the_four_steps(k):
    note = LESSON.predictions["step"].misread({"factor": 100, "k": k})
    assert note.title.startswith("`k` should be one of 2, 5, 8, 12; it is ")


def test_a_step_that_is_lost_is_told_all_the_same():
    note = SLOPE.judge(lambda f, x: (f(x + 1e-9) - f(x - 1e-9)) / 2e-9)
    assert dict(note.rows)["your step"] == "1.0e-09"
    assert dict(note.rows)["yours"] == "0"


def test_the_planted_slope_is_right_to_four_digits_in_float64_and_finds_nothing_in_float32():
    planted = SLOPE.defined_by(SLOPE.planted)
    assert planted(np.exp, np.float64(1.0)) == pytest.approx(math.e, rel=1e-4)
    assert planted(np.exp, np.float32(1.0)) == 0


def test_the_last_picture_has_its_bottoms_in_the_right_place_and_no_numbers():
    """h * h + eps / h is least where its slope, 2 h - eps / h**2, is zero."""
    svg = picture.to_svg()
    wanted = [60 - 560 / 9 * math.log10((float(np.finfo(d).eps) / 2) ** (1 / 3)) for d in "fd"]
    found = [float(x) for x in re.findall(r'class="mgw-here" cx="([\d.]+)"', svg)]
    assert found == pytest.approx(wanted, abs=2)
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)", svg))
    assert set(re.findall(r"\d+", words.replace("1/h", ""))) == {"32", "64"}
