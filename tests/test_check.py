"""Checks of gradients: right ones pass, every planted mistake is found and named."""

import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, custom_bprop, nn, ops
from minigrad.check import GradientError, check_bprop, check_grads, nan_origin
from minigrad.check.text import plain
from minigrad.op import OPS

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3))
SQUARE = RNG.normal(size=(3, 3))


def rule(bprop, construct=lambda x: x * x * x):
    """A function whose gradient is what bprop says; without one, it is the true one."""
    return custom_bprop(bprop)(construct)


def fault(fn, *args, **options):
    """The worst difference that check_grads finds."""
    with pytest.raises(GradientError) as caught:
        check_grads(fn, *args, **options)
    assert isinstance(caught.value, AssertionError)
    report = caught.value.report
    assert not report.right
    assert str(caught.value) == repr(report)
    return report.differences[0]


# --------------------------------------------------------------------------------- what is right
RIGHT = {
    "sin": (ops.sin, X),
    "matmul": (ops.matmul, X, SQUARE),
    "softmax": (lambda x: ops.softmax(x), X),
    "steep": (lambda x: ops.exp(40 * x), np.array([0.5, -0.5])),
    "log near 0": (ops.log, np.array([1e-8, 1.0])),
    "large inputs": (lambda x: ops.sin(x * 1e-6), np.array([1e6, -3e6])),
    "large outputs": (lambda x: (x * 1e6) ** 2, X),
    "flat": (lambda x: (x - 1) ** 4, np.array([1.0, 2.0])),
    "constant": (lambda x: ops.stop_gradient(x) * 0 + 3.0, np.zeros(2)),
    "several outputs": (lambda x, y: (x * y, {"s": ops.sin(x)}, [y.sum(), x > 0]), X, X + 1),
    "a kink nearby": (ops.relu, np.array([1e-6, -2e-6])),
    "empty": (lambda x: x * 2, np.zeros((0, 3))),
    "a rule": (rule(lambda x, out, dout: (dout * 3 * x * x,)), X),
}


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_right_gradients_pass(case):
    fn, *args = case
    report = check_grads(fn, *args)
    assert report.right
    assert not report.kinks
    assert report.error < 2e-6
    assert report.raise_if_wrong() is report


def test_it_says_so_in_a_sentence():
    def area(width, height):
        return width * height

    text = repr(check_grads(area, Tensor([2.0, 3.0]), 4.0))
    assert text.startswith("area: right to order 2 in width, height; largest relative error ")
    assert float(text.split()[-1]) < 1e-8
    assert "right to order 3" in repr(check_grads(area, 2.0, 4.0, order=3))


def test_names_in_tuples_lists_and_dicts():
    def fn(x, *rest, scale=1):
        return x["a"] * rest[0][1] * rest[0][0] + rest[1][0] * x["b"]["c"]

    x = {"a": Tensor([1.0, 2.0]), "b": {"c": 2.0}, "n": 3}
    report = check_grads(fn, x, (2, Tensor([3.0])), [np.float32(0.5), True])
    assert report.inputs == ("x['a']", "x['b']['c']", "rest[0][1]", "rest[1][0]")
    bad = rule(lambda v, out, dout: (dout * v,), lambda v: v * v)
    found = fault(lambda x: bad(x["b"][1]).sum(), {"b": [1.0, Tensor([1.0, 2.0, 5.0])]})
    assert (found.place, found.order) == ("x['b'][1][2]", 1)


def test_float32_is_checked_in_float64_and_the_rest_is_left_alone():
    seen = []

    def fn(x, n, flag, mask, index):
        seen.append((x.dtype, type(n), flag, mask.dtype, index.dtype))
        return ops.exp(x[index]) * n

    mask, index = Tensor([True]), np.array([0, 0, 1])
    report = check_grads(fn, Tensor([1.0, 2.0]), 3, True, mask, index, order=1)
    assert report.inputs == ("x",)
    assert report.error < 1e-9  # float32 would leave about 1e-5
    assert set(seen) == {(ms.float64, int, True, ms.bool_, np.dtype(np.int64))}


def test_a_cast_inside_is_told_and_allowed_for():
    report = check_grads(lambda x: ops.sin(x).astype(ms.float32), X)
    assert "the output is float32" in repr(report)
    assert report.error < 1e-3
    bad = rule(lambda x, out, dout: (dout * 1.1,), lambda x: Tensor(np.float32(x.asnumpy())))
    found = fault(bad, X, order=1)
    assert found.got / found.expected == pytest.approx(1.1, abs=0.02)
    none = rule(lambda x, out, dout: (dout * 0,), lambda x: Tensor(np.float32(x.asnumpy())))
    assert fault(none, X, order=1).got == 0  # in float32, a step too short changes nothing


def test_aux_is_left_alone():
    bad = rule(lambda x, out, dout: (dout,))
    assert check_grads(lambda x: (x * x, bad(x), "name"), X, has_aux=True).right
    assert fault(lambda x: (x * x, bad(x), "name"), X).kind == "wrong"
    with pytest.raises(ValueError, match="has_aux=True needs function to return"):
        check_grads(lambda x: x * x, X, has_aux=True)


# ------------------------------------------------------------------------------- weights
class Affine(nn.Cell):
    def __init__(self, factor=1.0):
        super().__init__()
        self.w = Parameter(Tensor([2.0, -1.0]), name="w")
        self.b = Parameter(Tensor([0.5]), name="b")
        self.frozen = Parameter(Tensor([3.0]), name="frozen", requires_grad=False)
        self.factor = factor

    def construct(self, x):
        return (x * self.w + self.b) * self.frozen

    def bprop(self, x, out, dout):
        g = dout * self.frozen
        grads = {self.w: (g * x).sum(0) * self.factor, self.b: g.sum().reshape(1)}
        return (g * self.w,), grads


def test_weights_are_checked_by_name_and_given_back():
    x = Tensor(X[:, :2].astype(np.float32))
    for net in (nn.Dense(2, 3, activation="tanh"), Affine(), nn.BatchNorm1d(2).set_train()):
        before = [(p, p.array, p.array.copy()) for p in net.get_parameters()]
        report = check_grads(net, x)
        assert report.inputs == ("x", *(p.name for p in net.trainable_params()))
        for p, array, copy in before:
            assert p.array is array
            np.testing.assert_array_equal(array, copy, strict=True)


def test_a_wrong_gradient_of_a_weight_is_named():
    net = Affine(3.0)
    arrays = [p.array for p in net.get_parameters()]
    x = X[:, :2]
    found = fault(net, x)
    assert (found.input, found.order, found.wrong, found.among) == ("w", 1, 2, 2)
    wanted = 3 * (found.dout[0] * x).sum(0)[found.entry]
    assert found.expected == pytest.approx(wanted)
    assert found.got == pytest.approx(3 * wanted)
    assert [p.array for p in net.get_parameters()] == arrays  # after an error too
    assert fault(lambda x: net(x), x, weights=net.w).input == "w"
    assert check_grads(lambda x: net(x), x, weights=[net.b]).inputs == ("x", "b")


# ---------------------------------------------------------------------------- planted mistakes
def one_entry(x, out, dout):
    dx = dout * 3 * x * x
    dx[1, 2] = dx[1, 2] + 0.01
    return (dx,)


PLANTED = {
    "factor": (lambda x, out, dout: (dout * 6 * x * x,), 1, 9, "2 times the true one"),
    "sign": (lambda x, out, dout: (dout * -3 * x * x,), 1, 9, "-1 times the true one"),
    "transposed": (lambda x, out, dout: ((dout * 3 * x * x).T,), 1, 6, ""),
    "missing term": (lambda x, out, dout: (dout * 2 * x * x,), 1, 9, "0.6667 times the true one"),
    "no dout": (lambda x, out, dout: (3 * x * x,), 1, 9, "is dout missing from the rule?"),
    "nothing": (lambda x, out, dout: (None,), 1, 9, "0 times the true one"),
    "one entry": (one_entry, 1, 1, ""),
    "wrong at order 2": (
        lambda x, out, dout: (dout * 3 * x * ops.stop_gradient(x),), 2, 9, "0.5 times",
    ),
    "wrong at order 3": (
        lambda x, out, dout: (
            dout * 3 * (2 * x * ops.stop_gradient(x) - ops.stop_gradient(x * x)),), 3, 9, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_planted_mistakes_are_found(planted):
    bprop, order, wrong, hint = planted
    found = fault(rule(bprop), SQUARE, order=3)
    assert (found.kind, found.input, found.order) == ("wrong", "x", order)
    assert (found.wrong, found.among) == (wrong, 9)
    assert hint in str(found)
    if order == 1:
        wanted = found.dout[0] * 3 * SQUARE**2
        assert found.expected == pytest.approx(wanted[found.entry], rel=1e-6)
        gradients = bprop(Tensor(SQUARE), None, Tensor(found.dout[0]))[0]
        got = np.zeros((3, 3)) if gradients is None else np.broadcast_to(gradients.array, (3, 3))
        assert found.got == pytest.approx(got[found.entry])
        assert found.size == pytest.approx(np.abs(got - wanted).max(), rel=1e-5)  # the worst
    else:
        check_grads(rule(bprop), SQUARE, order=order - 1)


def test_the_message_names_input_entry_order_and_numbers():
    bad = rule(lambda x, y, out, dout: (dout * y, dout * x * 2), lambda x, y: x * y)
    with pytest.raises(AssertionError) as caught:
        check_grads(bad, Tensor([1.0, 5.0]), Tensor([3.0, 4.0]))
    name, worst, dout = str(caught.value).splitlines()
    g = caught.value.report.differences[0].dout[0]
    assert name == "function: not right to order 2"
    assert worst == (
        f"  y[1]: the gradient is {10 * g[1]:.6g}, but differences give {5 * g[1]:.6g} "
        "(2 of 2 entries are wrong): 2 times the true one"
    )
    assert dout.startswith("  where dout, the gradient of the output, is [")
    assert f"{g[0]:.6f}" in dout
    with pytest.raises(AssertionError, match="the derivative of order 2 is"):
        check_grads(rule(PLANTED["wrong at order 2"][0]), 2.0)


def test_one_wrong_entry_of_many_is_found_among_kinks():
    x = np.zeros(5000)
    x[4321] = 1.0

    def bprop(x, out, dout):
        dx = dout * (x > 0)
        dx[4321] = dx[4321] * 0.9
        return (dx,)

    found = fault(rule(bprop, ops.relu), x, order=1)
    assert found.entry == (4321,)
    assert found.got / found.expected == pytest.approx(0.9)


def test_one_wrong_entry_of_many_is_found():
    def bprop(x, out, dout):
        dx = dout * 2 * x
        dx[30, 7] = dx[30, 7] + 0.1
        return (dx,)

    found = fault(rule(bprop, lambda x: x * x), RNG.normal(size=(50, 60)), order=1)
    assert (found.entry, found.wrong) == ((30, 7), 1)


def test_a_small_function_is_not_let_off():
    bad = rule(lambda x, out, dout: (dout * 4e-8 * x,), lambda x: 1e-8 * x * x)
    assert fault(bad, SQUARE, order=1).got == pytest.approx(2 * fault(bad, SQUARE).expected)


# ----------------------------------------------------------- kinks, jumps, NaN, and the unclear
def test_kinks_are_named_and_pass():
    report = check_grads(ops.relu, np.array([-1.0, 0.0, 2.0]))
    (kink,) = report.kinks
    assert (kink.kind, kink.place, kink.order, kink.got) == ("kink", "x[1]", 1, 0)
    assert kink.expected == (0, pytest.approx(kink.dout[0][1]))
    assert "is at a kink: the slope is 0 on the left" in repr(report)
    report = check_grads(lambda x: ops.maximum(x, -x).sum(), np.array([[0.0, 1.0]]))
    assert [kink.entry for kink in report.kinks] == [(0, 0)]


@pytest.mark.parametrize("bend", [1, 1e2, 1e3, 1e5])
def test_a_kink_in_a_bent_function_passes(bend):
    """However bent, the slopes at 0 are 0 and 1, and the 0 of relu lies between."""
    (kink,) = check_grads(lambda x: ops.relu(x) + bend * x * x, 0.0, order=1).kinks
    assert kink.expected[0] == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("share", [1.05, 1.0005, 1.000005])
def test_a_mistake_in_a_bent_function_is_found(share):
    """With a long step it lies between the two slopes, as if at a kink."""
    bent = rule(lambda x, out, dout: (40 * share * out * dout,), lambda x: ops.exp(40 * x))
    assert fault(bent, 0.1, order=1).kind == "wrong"


def test_what_is_outside_of_the_slopes_of_a_kink_is_wrong():
    found = fault(rule(lambda x, out, dout: (dout * (2 - (x < 0)),), ops.relu), np.zeros(1))
    assert found.kind == "wrong"
    assert found.got == pytest.approx(2 * found.dout[0][0])
    assert found.expected == (0, pytest.approx(found.dout[0][0]))
    assert "the slopes on the two sides of a kink" in str(found)


def test_a_mistake_beside_a_kink_is_found():
    wrong = rule(lambda x, out, dout: (dout * (x > 0) * 1.5,), ops.relu)
    found = fault(wrong, np.array([0.0, 0.0, 3.0, -1.0]))
    assert (found.place, found.kind) == ("x[2]", "wrong")


def test_jumps_are_named_and_pass():
    report = check_grads(lambda x: ops.floor(x) + x, np.array([0.5, 2.0]))
    assert [(d.kind, d.place, d.order) for d in report.kinks] == [("jump", "x[1]", 1)]
    report = check_grads(ops.abs, np.array([0.0, 1.0]))
    assert [(d.kind, d.place, d.order) for d in report.kinks] == [("jump", "x[0]", 2)]
    assert "x[0] is at a jump of the derivative of order 1, where there is no furth" in repr(report)
    report = check_grads(ops.floor, np.array([1.0]))
    assert "x[0] is at a jump of the function, where there is no further deriv" in repr(report)


def test_what_is_not_finite_points_to_its_origin():
    found = fault(ops.sqrt, np.array([1.0, 0.0]))
    assert (found.kind, found.place, found.got) == ("not finite", "x[1]", np.inf)
    assert "nan_origin" in str(found)
    with pytest.raises(ValueError, match=r"output of log is NaN or infinite .*nan_origin"):
        check_grads(ops.log, np.array([0.0]))


def unclear(fn, *args, **options):
    """What is unclear, where that is all that check_grads finds: it compares nothing."""
    with pytest.raises(GradientError, match=r"^function: unclear whether right to order 1 in x: n"):
        check_grads(fn, *args, order=1, **options)
    with pytest.raises(GradientError) as caught:
        check_grads(fn, *args, **options)
    report = caught.value.report
    assert not report.right
    assert not report.differences
    assert "not right" not in repr(report)
    return report.unclear


def test_noise_and_the_end_of_a_domain_are_no_verdict():
    (noisy, *_) = unclear(lambda x: (1e8 + x) - 1e8, np.ones(2))
    assert noisy.kind == "unclear"
    assert "differences do not settle" in str(noisy)
    (end,) = unclear(lambda x: x**1.5, np.zeros(1))  # NaN below 0
    assert (end.kind, end.place, end.got) == ("unclear", "x[0]", 0)
    assert "do not settle on a value: the function is not finite just below it" in str(end)
    (end,) = unclear(lambda x: (1 - x) ** 1.5, np.ones(1))
    assert "the function is not finite just above it" in str(end)


@pytest.mark.parametrize("offset", [1e5, 1e8, 1e11])
def test_the_rounding_of_numbers_inside_is_no_mistake(offset):
    for seed in range(60):
        x = np.random.default_rng(seed).normal(size=2)
        for fn in (lambda x: (offset + x) - offset, lambda x: (offset + ops.sin(x)) - offset):
            try:
                report = check_grads(fn, x, order=1, seed=seed)
            except GradientError as error:
                report = error.report
            assert not report.differences


def test_a_mistake_among_holes_is_found():
    """The function is 2 x, but NaN in thin rings around 1, which some of the steps hit."""

    def construct(self, x):
        away = np.abs(x.asnumpy() - 1) + 1e-300
        return Tensor(
            np.where(np.abs(np.log10(away) * 7 % 1 - 0.5) < 0.05, np.nan, 2 * x.asnumpy())
        )

    for share in (1.0, 1.5):
        methods = {
            "construct": construct,
            "bprop": lambda self, x, out, dout, s=share: dout * 2 * s,
        }
        cell = type("Rings", (nn.Cell,), methods)()
        if share == 1.0:
            assert check_grads(cell, np.ones(1), order=1).right
        else:
            with pytest.raises(GradientError, match=r"x\[0\]: .*: 1\.5 times the true one"):
                check_grads(cell, np.ones(1), order=1)


def test_what_is_unclear_is_listed_and_the_rest_is_compared():
    x = np.array([0.0, 1.0, 2.0])
    report = check_grads(lambda x: x**1.5, x)
    assert report.right
    assert [(d.kind, d.place, d.order) for d in report.unclear] == [("unclear", "x[0]", 1)]
    assert repr(report).startswith("function: right to order 2 in x, but for what is unclear; l")
    wrong = rule(lambda x, out, dout: (dout * x**0.5,), lambda x: x**1.5)
    with pytest.raises(GradientError, match=r"^function: not right .*\n  x\[1\]: ") as caught:
        check_grads(wrong, x)
    report = caught.value.report
    assert [d.place for d in report.differences] == ["x[1]"]
    assert [d.place for d in report.unclear] == ["x[0]"]
    assert not check_bprop(wrong, np.zeros(1)).right  # nothing was compared


NEAR_0 = {
    "sqrt": (ops.sqrt, [1e-12], lambda x: 0.5 / np.sqrt(x)),
    "log": (ops.log, [1e-20, 1.0], lambda x: 1 / x),
    "power": (lambda x: x**1.5, [1e-30], lambda x: 1.5 * x**0.5),
    "divide": (lambda x: 1 / x, [-1e-15, 2.0], lambda x: -1 / x**2),
    "root of abs": (lambda x: ops.sqrt(ops.abs(x)), [1e-12], lambda x: 0.5 / np.sqrt(x)),
    "cube": (lambda x: x * x * x, [1e-12, 0.0], lambda x: 3 * x * x),
    "relu": (ops.relu, [1e-20], lambda x: x > 0),
}


@pytest.mark.parametrize("case", NEAR_0.values(), ids=NEAR_0)
def test_near_0_the_steps_are_as_short_as_it_takes(case):
    fn, x, slope = case
    report = check_grads(fn, np.array(x))
    assert report.right
    assert not report.unclear
    assert not report.kinks
    for factor in (0.75, 1.0625):

        def bprop(x, out, dout, factor=factor):
            g = Tensor(slope(x.asnumpy()) * 1.0)
            return (dout * g * ops.where(ops.abs(x) < 1e-10, factor, 1.0),)

        found = fault(rule(bprop, fn), np.array(x), order=1)
        assert (found.place, found.kind) == ("x[0]", "wrong")
        wanted = found.dout[0][0] * slope(np.array(x))[0]
        assert found.expected == pytest.approx(wanted, rel=1e-5)
        assert found.got == pytest.approx(factor * wanted, rel=1e-9)


def test_a_number_may_be_odd_as_well_as_an_array():
    assert check_grads(ops.sqrt, 1e-12).right
    assert fault(rule(lambda x, out, dout: (dout / out,), ops.sqrt), 1e-12).place == "x"
    (kink,) = check_grads(ops.relu, 0.0).kinks
    assert (kink.place, kink.kind) == ("x", "kink")
    (end,) = unclear(lambda x: x**1.5, 0.0)
    assert (end.place, end.kind) == ("x", "unclear")
    report = check_grads(lambda x, y: x**1.5 + y, 0.0, 1.0)
    assert report.right
    assert [d.place for d in report.unclear] == ["x"]
    report = check_grads(lambda x: 3 + 1e-15 * ops.sin(x), 0.5, order=1)
    assert [d.kind for d in report.unclear] == ["small"]


# -------------------------------------------------------------------------------- small gradients
def half_below_10(x, out, dout):
    """The rule of sigmoid, wrong where hardly anybody looks."""
    return (dout * out * (1 - out) * ops.where(x < -10, 0.5, 1.0),)


@pytest.mark.parametrize("size", [1e-3, 1e-9, 1e-15, 1e-200])
def test_a_small_gradient_is_held_to_its_own_size(size):
    right = rule(lambda x, out, dout: (dout * size,), lambda x: x * size)
    report = check_grads(right, Tensor([1.0, 2.0, 3.0]))
    assert report.right
    assert not report.unclear
    for factor in (2.0, 1.001, 0.0):
        bad = rule(lambda x, out, dout, f=factor: (dout * size * f,), lambda x: x * size)
        found = fault(bad, Tensor([1.0, 2.0, 3.0]))
        assert (found.kind, found.wrong) == ("wrong", 3)
        assert found.got == pytest.approx(factor * found.expected, rel=1e-6, abs=0)
        assert found.expected == pytest.approx(size * found.dout[0][found.entry], rel=1e-6)


@pytest.mark.parametrize("x", [[-20.0], [-20.0, 0.0, 3.0], [-11.0, 1.0]])
@pytest.mark.parametrize("total", [False, True])
def test_a_small_entry_beside_large_ones_is_compared(x, total):
    wrong = rule(half_below_10, ops.sigmoid)
    found = fault((lambda x: wrong(x).sum()) if total else wrong, np.array(x), order=1)
    assert (found.place, found.kind, found.wrong) == ("x[0]", "wrong", 1)
    true = np.exp(x[0]) / (1 + np.exp(x[0])) ** 2
    weight = found.dout[0] if total else found.dout[0][0]
    assert found.expected == pytest.approx(weight * true, rel=1e-4)
    assert found.got == pytest.approx(found.expected / 2, rel=1e-4)
    report = check_grads((lambda x: ops.sigmoid(x).sum()) if total else ops.sigmoid, np.array(x))
    assert not report.unclear


@pytest.mark.parametrize("factor", [1.0, 2.0, 0.0])
def test_what_is_lost_in_rounding_is_too_small_to_tell(factor):
    fn = rule(
        lambda x, out, dout: (dout * 1e-15 * ops.cos(x) * factor,), lambda x: 3 + 1e-15 * ops.sin(x)
    )
    report = check_grads(fn, np.array([0.5, 0.2]), order=1)
    assert report.right
    if factor:
        (found,) = report.unclear
        assert (found.kind, found.place) == ("small", "x")
        assert "right to order 1 in x, but for what is unclear" in repr(report)
        assert "x: too small to tell: along a random direction the gradient is" in repr(report)
        assert found.size < 0


def test_a_zero_that_rounding_has_left_is_no_mistake():
    for fn in (
        lambda x: ops.softmax(x).sum(), lambda x: ops.softmax(x).sum() - 1,
        lambda x: (x - x.mean()).sum(), lambda x: ops.log_softmax(x + x.max()).sum(),
        lambda x: 1e6 * ops.softmax(x).sum(),
    ):  # fmt: skip
        assert check_grads(fn, np.array([0.1, 0.2, 0.35])).right


def test_the_hint_has_the_digits_that_differ():
    for factor, digits in (
        (2, "2"),
        (1.0001, "1.0001"),
        (1.00012, "1.00012"),
        (1.00001, "1.00001"),
        (0.99999, "0.99999"),
    ):
        bad = rule(lambda x, out, dout, f=factor: (dout * 3 * f,), lambda x: 3 * x)
        found = fault(bad, np.ones(3), order=1)
        assert f": {digits} times the true one" in str(found)
        got, expected = (
            str(found).split("the gradient is ")[1].split(" (")[0].split(", but differences give ")
        )
        assert float(got) / float(expected) == pytest.approx(factor, abs=abs(factor - 1) / 5)
    uneven = rule(
        lambda x, out, dout: (dout * Tensor([1.00001, 1.00002, 1.00003]),), lambda x: x * 1.0
    )
    assert "times the true one" not in str(fault(uneven, np.ones(3), order=1))


def test_a_curve_is_no_kink():
    bent = rule(
        lambda x, out, dout: (1e3 * dout * ops.cos(1e3 * x) + 0.1,), lambda x: ops.sin(1e3 * x)
    )
    found = fault(bent, np.array([np.pi / 2000]), order=1)
    assert (found.kind, found.got) == ("wrong", pytest.approx(0.1))


def test_inputs_far_from_1_are_moved_by_as_much():
    slow = rule(lambda x, out, dout: (2e-6 * dout,), lambda x: 1e-6 * x)
    found = fault(slow, np.array([1e6, -3e6]), order=1)
    assert found.got / found.expected == pytest.approx(2)


def test_rounding_hides_nothing():
    hidden = rule(lambda x, out, dout: (dout * 0,), lambda x: 1e10 + x)
    found = fault(hidden, np.ones(2), order=1)  # which a step of 1e-7 does not change
    assert (found.kind, found.got) == ("wrong", 0)
    assert found.expected == pytest.approx(found.dout[0][found.entry], rel=1e-2)
    assert check_grads(lambda x: 1e6 * x + 1e7, np.ones(3)).right


# -------------------------------------------------------------------------------- wrong questions
def test_random_functions_are_told_to_set_a_seed():
    net = nn.Dropout(p=0.5).set_train()
    with pytest.raises(ValueError, match=r"two runs of Dropout .* minigrad.set_seed\(0\)"):
        check_grads(net, np.ones((3, 4)))

    def seeded(x):
        ms.set_seed(3)
        return net(x)

    assert check_grads(seeded, np.ones((3, 4))).right
    assert check_grads(net.set_train(False), np.ones((3, 4))).right


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: check_grads(ops.sin, Tensor([1])), ValueError, "no floating input"),
        (lambda: check_grads(ops.sin, 1.0, order=0), ValueError, "order must be a whole number"),
        (lambda: check_grads(3, 1.0), TypeError, "needs a function or a Cell, but got 3"),
        (lambda: check_grads(lambda x: None, 1.0), TypeError, "returned no Tensor of floats"),
        (lambda: check_grads(lambda x: x > 0, 1.0), TypeError, "returned no Tensor of floats"),
        (lambda: check_bprop(nn.ReLU(), 1.0), ValueError, "ReLU has no bprop of its own"),
    ],
)
def test_wrong_questions(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ------------------------------------------------------------------------------------ check_bprop
class Cell(nn.Cell):
    """x * y * n in numpy, for a matrix, a row and a number; the gradient of y may be off."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, x, y, n=2):
        return Tensor(x.asnumpy() * y.asnumpy() * n)

    def bprop(self, x, y, n, out, dout):
        return dout * y * n, (dout * x * n * self.factor).sum(0), None


def test_a_true_bprop():
    report = check_bprop(Cell(1.0), X, X[0], 3)
    assert report.right
    assert repr(report).startswith("Cell: the derivative of its construct in x, y; largest rel")
    assert check_bprop(Affine(), X[:, :2]).inputs == ("x", "w", "b")


def test_a_wrong_bprop_is_told_and_not_raised():
    report = check_bprop(Cell(0.5), X, X[0], 3)
    (found,) = report.differences
    wanted = (found.dout[0] * X * 3).sum(0)
    assert (found.input, found.wrong, found.among) == ("y", 3, 3)
    assert found.entry == (np.abs(wanted).argmax(),)
    assert found.expected == pytest.approx(wanted[found.entry])
    assert found.got == pytest.approx(wanted[found.entry] / 2)
    assert "without the bprop" not in str(found)  # construct leaves minigrad
    with pytest.raises(GradientError, match="not the derivative of its construct"):
        report.raise_if_wrong()


def test_of_a_function_around_a_cell_the_truth_is_measured_alone():
    class Wrong(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * x,)

    report = check_bprop(lambda x: Wrong()(x), Tensor([3.0]))
    assert "0.5 times the true one" in repr(report)
    assert "without" not in repr(report)


def test_the_gradient_without_the_bprop_is_named():
    bad = rule(lambda x, out, dout: (dout * x,))
    (found,) = check_bprop(bad, Tensor([3.0])).differences
    assert f"without the bprop it is {27 * found.dout[0][0]:.6g}" in str(found)
    assert found.got == pytest.approx(3 * found.dout[0][0])


def test_a_surrogate_is_told_from_the_truth_in_words():
    step = rule(
        lambda x, out, dout: (dout * ops.exp(-x * x),), lambda x: (x > 0).astype(ms.float32)
    )
    report = check_bprop(step, np.array([0.5, -3.0]))
    (found,) = report.differences
    assert (found.place, found.expected) == ("x[0]", 0)
    assert found.got == pytest.approx(np.exp(-0.25) * found.dout[0][0])
    assert "x[0]: the gradient is" in repr(report)
    assert "but differences give 0" in repr(report)


def test_a_bprop_without_a_gradient_for_its_weight():
    class Silent(Affine):
        def bprop(self, x, out, dout):
            return (dout * self.frozen * self.w,)

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the report says it
        report = check_bprop(Silent(), X[:, :2])
    assert {d.input for d in report.differences} == {"w", "b"}
    assert all(d.got == 0 for d in report.differences)


def test_a_kink_of_a_bprop_may_take_either_side():
    for at_zero in (0.0, 0.5, 1.0):
        bprop = rule(
            lambda x, out, dout, z=at_zero: (dout * ((x > 0) + z * (x == 0)),),
            lambda x: Tensor(np.maximum(x.asnumpy(), 0)),
        )
        assert check_bprop(bprop, np.array([0.0, 1.0, -1.0])).right


def test_importing_minigrad_does_not_import_the_checks():
    code = "import sys, minigrad; print('minigrad.check' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-8])
@pytest.mark.parametrize("fn", [ops.asin, ops.acos, ops.atanh, lambda x: ops.acosh(2 - x)])
def test_next_to_the_end_of_a_domain_the_rounding_of_a_step_is_no_doubt(fn, gap):
    report = check_grads(fn, np.array([0.3, 1 - gap]))
    assert not report.unclear
    rule = custom_bprop(lambda x, out, dout: (2 * dout / ops.sqrt((1 - x) * (1 + x)),))
    with pytest.raises(GradientError, match="2 times the true one" if gap > 1e-6 else "unclear"):
        check_grads(rule(ops.asin), np.array([1 - gap]), order=1)


# -------------------------------------------------------------------------------------- nan_origin
class Log(nn.Cell):
    def __init__(self, rule_of_numpy=False):
        super().__init__()
        self.rule_of_numpy = rule_of_numpy

    def construct(self, x):
        return Tensor(np.log1p(x.asnumpy()))

    def bprop(self, x, out, dout):
        if self.rule_of_numpy:
            return (Tensor(dout.asnumpy() * 0 / x.asnumpy()),)
        share = dout * 0
        return (share / x,)


class Half(nn.Cell):
    """A rule that is harmless, and a construct that is not."""

    def construct(self, x):
        y = ops.log(x)
        return y / 2

    def bprop(self, x, out, dout):
        return (dout / (2 * x + 1e-3),)


def squares(x):
    y = x * x
    return ops.sqrt(y.sum())


# What is run, at which x, and of the first birth: the op, made, backward, entry and numbers.
BIRTHS = {
    "log of 0": (
        lambda x: ops.log(x), [1.0, 0.0], "log", "-inf", False, (1,), {"x": "0"}),
    "0 / 0": (
        lambda x: x / (x * 2), [0.0, 1.0], "divide", "nan", False, (0,), {"x": "0", "y": "0"}),
    "1 / 0": (
        lambda x: 1 / x, [1.0, 0.0], "divide", "inf", False, (1,), {"x": "1", "y": "0"}),
    "root of -1": (
        lambda x: ops.sqrt(x), [-1.0], "sqrt", "nan", False, (0,), {"x": "-1"}),
    "overflow of a difference": (
        lambda x: x - (-x), [3e38], "subtract", "inf", False, (0,), {"x": "3e+38", "y": "-3e+38"}),
    "overflow of a product of big matrices": (
        lambda x: x.reshape(9, 1) @ ops.ones((1, 9)) * 1e20 @ ops.ones((9, 1)), [1e18] * 9,
        "matmul", "inf", False, (0, 0),
        {"x": "an array of shape (9, 9) from 1e+38 to 1e+38",
            "y": "an array of shape (9, 1) from 1 to 1"}),
    "a gradient of what was stretched": (
        lambda x: ops.ones((2, 1)) / x, [1e-30], "divide", "-inf", True, (0,),
        {"g": "[[1.], [1.]]", "y": "1e-30", "z": "[[1.e+30], [1.e+30]]"}),
    "slope of a root at 0": (
        lambda x: ops.sqrt(x), [4.0, 0.0], "sqrt", "inf", True, (1,), {"g": "1", "y": "0"}),
    "where": (
        lambda x: ops.where(x > 0, ops.sqrt(x), 0.0), [4.0, 0.0],
        "sqrt", "nan", True, (1,), {"g": "0", "y": "0"}),
    "overflow of exp": (
        lambda x: ops.exp(x).sum(), [1.0, 100.0], "exp", "inf", False, (1,), {"x": "100"}),
    "power of a negative number": (
        lambda x: x**0.5, [-2.0], "power", "nan", False, (0,), {"x": "-2", "n": "0.5"}),
    "slope of a power at 0": (
        lambda x: x**0.5, [0.0], "power", "inf", True, (0,), {"g": "1", "x": "0", "n": "0.5"}),
    "norm by hand": (
        squares, [0.0, 0.0], "sqrt", "inf", True, (), {"g": "1", "y": "0"}),
    "overflow of a sum": (
        lambda x: x.sum(), [3e38, 3e38], "sum", "inf", False, (), {"x": "[3.e+38, 3.e+38]"}),
    "overflow of a sum of gradients": (
        lambda x: x * 3e38 + x * 3e38, [0.1], "a sum of gradients", "inf", True, (0,),
        {"before": "3e+38", "dx": "3e+38"}),
    "inside a bprop": (
        Log(), [1.0, 0.0], "divide", "nan", True, (1,), {"x": "0", "y": "0"}),
    "inside a construct": (
        nn.SequentialCell(Half()), [1.0, 0.0], "log", "-inf", False, (1,), {"x": "0"}),
    "a bprop in numpy": (
        lambda x: Log(True)(x), [0.0], "Log", "nan", True, (0,),
        {"g": "[1.]", "x": "[0.]", "out": "[0.]"}),
}  # fmt: skip


@pytest.mark.parametrize("case", BIRTHS.values(), ids=BIRTHS)
def test_where_it_is_born(case):
    fn, x, op, made, backward, entry, numbers = case
    origin = nan_origin(fn, Tensor(x))
    assert origin
    birth = origin.first
    assert (birth.op, birth.made, birth.backward) == (op, made, backward)
    assert (birth.entry, birth.numbers) == (entry, numbers)
    assert birth.formula or op in ("Log", "a sum of gradients")
    assert birth.advice in repr(origin)
    assert birth.line.file == __file__
    assert f"line {birth.line.number} of test_check.py: " in repr(origin)


@pytest.mark.parametrize("fn", [lambda x: x + x, lambda x: x - -x, lambda x: x * 10])
def test_sums_and_products_that_overflow_are_told_to_be_too_large(fn):
    birth = nan_origin(fn, Tensor([3e38])).first
    assert birth.made == "inf"
    assert birth.advice.startswith(
        "the numbers are too large for the dtype (float32 ends at 3.4e38)"
    )


def test_a_cell_that_cannot_run_again_is_a_closed_box():
    class Once(nn.Cell):
        def construct(self, x):
            self.ran = not hasattr(self, "ran")
            assert self.ran
            return ops.log(x)

        def bprop(self, x, out, dout):
            return (dout,)

    birth = nan_origin(Once(), Tensor([0.0])).first
    assert (birth.op, birth.made, birth.numbers) == ("Once", "-inf", {"x": "[0.]"})


def test_a_cell_without_inputs_has_no_numbers_to_show():
    class Nothing(nn.Cell):
        def construct(self):
            return Tensor([np.nan])

        def bprop(self, out, dout):
            return ()

    origin = nan_origin(lambda x: x * Nothing()(), Tensor([1.0]))
    assert (origin.first.op, origin.first.numbers) == ("Nothing", {})
    assert "numbers:" not in repr(origin.first)


def test_arguments_are_given_by_name_too():
    """The keyword's gradient counts, and its name is in what is said."""

    class Scaled(nn.Cell):
        def construct(self, x, scale=1.0, root=False):
            return ops.sqrt(x * scale) if root else x * scale

    origin = nan_origin(Scaled(), Tensor([1.0]), scale=Tensor([0.0]), root=True)
    assert (origin.first.op, origin.first.made, origin.first.backward) == ("sqrt", "inf", True)
    assert origin.ends == ("the gradient of x", "the gradient of scale")  # 0 · inf, and 1 · inf
    assert not nan_origin(Scaled(), Tensor([1.0]), scale=Tensor([0.0]))


def test_formulas_are_text():
    origin = nan_origin(lambda x: ops.sqrt(x), Tensor([4.0, 0.0]))
    assert repr(origin).splitlines()[1:3] == ["  formula: g / (2 · y)", "  numbers: g = 1, y = 0"]
    for latex, text in {
        r"z = x\,y": "z = x · y",
        r"\bar z\,y / (x^2 + y^2)": "g · y / (x^2 + y^2)",
        r"\bar y\,\frac{1}{\sqrt{1 - x^2}}": "g · 1 / sqrt(1 - x^2)",
        r"\frac{a + b}{c}\,d": "((a + b) / c) · d",
        r"-X^{-\top}\,\bar Z\,Z^{\top}": "-X^(-T) · g · Z^T",
        r"\bar y\,[x\ \mathrm{is\ the\ first}]": "g · [x is the first]",
        r"y = \lfloor x \rfloor \le \sigma(x)": "y = ⌊x⌋ ≤ σ(x)",
        r"\textstyle\sum_{j \le i} x_j": "sum_(j ≤ i) x_j",
        r"-\bar y\sin x": "-g sin x",
    }.items():
        assert plain(latex) == text


def test_no_formula_of_the_catalogue_keeps_a_sign_of_latex():
    for function in OPS.values():
        for latex in (function.op.formula, *function.op.rule_formulas.values()):
            assert not set(plain(latex)) & set("\\{}$&"), latex


def test_the_line_is_the_line():
    (line,) = {nan_origin(squares, Tensor([0.0])).first.line}
    assert line.text.strip() == "return ops.sqrt(y.sum())"
    _, second = nan_origin(squares, Tensor([0.0])).births
    assert (second.op, second.made, second.input) == ("multiply", "nan", "x")
    assert second.line.text.strip() == "y = x * x"
    inside = nan_origin(nn.SequentialCell(nn.ReLU(), Log()), Tensor([0.0])).first
    assert inside.line.text.strip() == "return (share / x,)"
    assert inside.cells == ("SequentialCell", "1", "bprop")


def test_the_chain_from_an_infinity_to_nan():
    origin = nan_origin(lambda x: ops.exp(x) - ops.exp(2 * x), Tensor([1.0, 100.0]))
    first, second = origin.births
    assert (first.op, first.made, first.numbers) == ("exp", "inf", {"x": "100"})
    assert (second.op, second.made) == ("subtract", "nan")
    assert second.numbers == {"x": "inf", "y": "inf"}
    assert origin.ends == ("the output", "the gradient of x")


def test_the_trap_of_where_is_explained():
    for branch, cure in (
        (ops.sqrt, "sqrt(where(x > 0, x, 1.0))"),
        (ops.log, "log(where(x > 0, x, 1.0))"),
        (lambda x: x**0.5, "where(x > 0, x, 1.0) ** n"),
    ):
        origin = nan_origin(lambda x, f=branch: ops.where(x > 0, f(x), 0.0), Tensor([1.0, 0.0]))
        trap = origin.births[-1]
        assert (trap.made, trap.backward, trap.numbers["g"]) == ("nan", True, "0")
        assert trap.advice.endswith(f"as in where(x > 0, {cure}, 0.0)")
        assert origin.ends == ("the gradient of x",)

    gone = nan_origin(lambda x: ops.sqrt(x) * Tensor([1.0, -0.0]), Tensor([1.0, 0.0]))
    assert "a gradient of 0 meets an infinite slope" in gone.first.advice  # -0.0 is 0 as well

    def cured(x):
        return ops.where(x > 0, ops.sqrt(ops.where(x > 0, x, 1.0)), 0.0)

    assert not nan_origin(cured, Tensor([1.0, 0.0]))


# A program whose first line is bad at x, and that line's op.
BAD = {
    "log": [0.0, -1.0], "log2": [0.0, -1.0], "log10": [0.0, -1.0], "log1p": [-1.0, -2.0],
    "lgamma": [0.0, -100.0], "sqrt": [-1.0, 0.0], "rsqrt": [0.0, -1.0], "cbrt": [0.0],
    "asin": [2.0, 1.0], "acos": [2.0, -1.0], "acosh": [0.5, 1.0], "atanh": [2.0, 1.0],
    "erfinv": [1.0, 2.0],
    "reciprocal": [0.0], "divide": [0.0], "power": [0.0], "exp": [100.0], "expm1": [100.0],
    "exp2": [200.0], "sinh": [100.0, -100.0], "cosh": [100.0, -100.0],
}  # fmt: skip
BAD_CASES = [(op, x) for op, numbers in BAD.items() for x in numbers]


def origin_of(expression, x, hidden=False):
    """Where a program of one line goes bad; ``hidden``: its result is chosen by where, and not."""
    space = {
        name: getattr(ops, name)
        for name in (*BAD, "where", "clamp", "minimum")
        if hasattr(ops, name)
    }

    def fn(share):
        made = eval(expression, space, {"share": share, "n": 0.5, "x": 2.0})
        return ops.where(share > 100, made, 0.0) if hidden else made

    return nan_origin(fn, Tensor([x]))


def program_of(op):
    return {"divide": "2.0 / share", "power": "share ** 0.5"}.get(op, f"{op}(share)")


def example_in(advice):
    """What it says to write."""
    example = advice.partition("as in ")[2].partition(". For")[0]
    assert "share" in example
    return example


@pytest.mark.parametrize(("op", "x"), BAD_CASES, ids=[f"{op} {x}" for op, x in BAD_CASES])
def test_the_advice_is_in_the_names_of_the_program_and_helps(op, x):
    """What it says to write instead is written instead: then nothing bad is born."""
    birth = origin_of(program_of(op), x).first
    assert birth.op == op
    divisor = {"divide": "2.0 / {}", "reciprocal": "reciprocal({})"}.get(op, "{}")
    assert not origin_of(divisor.format(example_in(birth.advice)), x)


@pytest.mark.parametrize(("op", "x"), BAD_CASES, ids=[f"{op} {x}" for op, x in BAD_CASES])
def test_the_advice_on_the_trap_of_where_helps(op, x):
    """In the sweep, where the forward pass is good or where has hidden that it is not."""
    birth = origin_of(program_of(op), x, hidden=True).births[-1]
    if birth.backward:
        assert "a gradient of 0 meets an infinite slope" in birth.advice
        assert not origin_of(example_in(birth.advice), x)


def test_nobody_is_told_to_take_a_softmax_of_one_number():
    for program, x, one, several in (
        (ops.exp, 100.0, "as in exp(minimum(x, 80.0))", "For shares use softmax"),
        (ops.log, 0.0, "For the log of a sigmoid use", "For the log of a softmax use log_softmax"),
    ):
        for shape in ((), (1,)):
            advice = nan_origin(program, Tensor(np.full(shape, x, np.float32))).first.advice
            assert one in advice
            assert "softmax" not in advice
        assert several in nan_origin(program, Tensor([x, 1.0])).first.advice
    for program in (ops.sinh, ops.exp2):  # no sum of these is divided by
        assert "softmax" not in nan_origin(program, Tensor([200.0, 1.0])).first.advice


def test_what_guards_exp_keeps_large_numbers_away_from_it():
    """Above 0 it is, unlike for log, that it breaks: the slope of the cured branch is a number."""
    birth = nan_origin(lambda x: ops.where(x < 20, ops.exp(x), x), Tensor(100.0)).births[-1]
    cure = "where(x < 80, exp(where(x < 80, x, 0.0)), 0.0)"
    assert birth.advice.endswith(f"as in {cure}")

    def cured(x):
        return ops.where(x < 20, ops.exp(ops.where(x < 80, x, 0.0)), x)

    assert float(ms.grad(cured)(Tensor(100.0))) == 1.0
    assert float(ms.grad(cured)(Tensor(1.0))) == pytest.approx(np.e, rel=1e-6)


def to_infinity(g):
    return g / 0.0


def test_a_hook_is_named_where_it_makes_an_infinity():
    def fn(x, hook):
        y = x * x
        y.register_hook(lambda g: g * 2)
        y.register_hook(hook)
        return y * 3

    origin = nan_origin(lambda x: fn(x, to_infinity), Tensor([0.0, 1.0]))
    first, second = origin.births
    assert (first.op, first.made, first.backward) == ("the hook to_infinity", "inf", True)
    assert (first.entry, first.numbers) == ((0,), {"g": "6"})
    assert first.line.number == to_infinity.__code__.co_firstlineno
    assert first.line.text == "def to_infinity(g):"
    assert f"line {first.line.number} of test_check.py: def to_infinity(g):" in repr(origin)
    assert (second.op, second.made) == ("multiply", "nan")  # 0 times infinity
    (birth,) = nan_origin(lambda x: fn(x, lambda g: g * np.nan), Tensor([0.0, 1.0])).births
    assert (birth.op, birth.made) == ("the hook <lambda>", "nan")
    assert "lambda g: g * np.nan" in birth.line.text
    assert not nan_origin(lambda x: fn(x, lambda g: None), Tensor([0.0, 1.0]))
    (birth,) = nan_origin(lambda x: fn(x, partial(np.multiply, np.inf)), Tensor([1.0])).births
    assert (birth.op, birth.line) == ("the hook partial", None)  # it has no line
    assert "line" not in repr(birth)


def test_a_hook_that_passes_a_nan_on_is_not_its_origin():
    def fn(x):
        x.register_hook(lambda g: g * 2)
        y = ops.sqrt(x)
        y.register_hook(lambda g: g + 1)
        return y

    origin = nan_origin(fn, Tensor([0.0]))
    assert [(b.op, b.made) for b in origin.births] == [("sqrt", "inf")]
    assert origin.first.numbers == {"g": "2", "y": "0"}  # the hook has run, once


def test_the_hook_of_an_input_and_one_that_another_mends():
    def fn(x):
        x.register_hook(to_infinity)
        return x * 2

    origin = nan_origin(fn, Tensor([1.0]))
    assert (origin.first.op, origin.ends) == ("the hook to_infinity", ("the gradient of x",))

    def mended(x):
        y = x * 2
        y.register_hook(to_infinity)
        y.register_hook(lambda g: ops.clip(g, -1.0, 1.0))
        return y

    origin = nan_origin(mended, Tensor([1.0]))
    assert (origin.first.op, origin.ends) == ("the hook to_infinity", ())


def test_arguments_keep_their_names_in_the_origin():
    class Shift(nn.Cell):
        def construct(self, first, second):
            return first - second

    origin = nan_origin(Shift(), Tensor([1.0]), Tensor([np.inf]))
    assert (origin.name, origin.ends) == ("Shift", ("the output",))
    assert origin.given[0].startswith("the input second holds inf")


def test_a_constant_that_is_computed_inside():
    origin = nan_origin(lambda x: x * ops.log(Tensor([-1.0])), Tensor([1.0]))
    assert (origin.births, origin.ends) == ((), ("the output", "the gradient of x"))
    assert "if it is computed, then of no input" in repr(origin)


class Scale(nn.Cell):
    """x² scale, with a rule that has factors for both gradients."""

    def __init__(self, factor_x, factor_scale):
        super().__init__()
        self.factors = factor_x, factor_scale

    def construct(self, x, *, scale):
        return x * x * scale

    def bprop(self, x, out, dout, *, scale):
        return dout * 2 * x * scale * self.factors[0], dout * x * x * self.factors[1]


@pytest.mark.parametrize("factors", [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)])
def test_arguments_by_name_are_checked_as_well(factors):
    given = {"scale": Tensor([2.0, 4.0])}
    report = check_bprop(Scale(*factors), Tensor([3.0, 5.0]), kwargs=given)
    assert report.right == (factors == (1.0, 1.0))
    names = {each.input for each in report.differences}
    assert names == {name for name, k in zip(("x", "scale"), factors, strict=True) if k != 1}
    if report.right:
        assert check_grads(Scale(*factors), Tensor([3.0, 5.0]), kwargs=given).right
    else:
        with pytest.raises(GradientError):
            check_grads(Scale(*factors), Tensor([3.0, 5.0]), kwargs=given)


def test_arguments_by_name_come_in_a_dict():
    with pytest.raises(TypeError, match=r"kwargs must be a dict .* but got list"):
        check_grads(ops.relu, Tensor([1.0]), kwargs=[1])


def test_none_is_born():
    origin = nan_origin(nn.Dense(3, 2), Tensor(X.astype(np.float32)))
    assert not origin
    assert origin.first is None
    assert repr(origin) == "Dense: no NaN or infinity is born, forward or backward"


def test_an_infinity_that_does_no_harm():
    origin = nan_origin(lambda x: ops.minimum(ops.stop_gradient(ops.exp(x)), x), Tensor([100.0]))
    assert origin.first.op == "exp"
    assert origin.ends == ()
    assert "finite all the same" in repr(origin)
    mask = Tensor([True, False])
    assert not nan_origin(lambda x: ops.softmax(x.masked_fill(mask, -np.inf)), Tensor([2.0, 1.0]))


def test_what_was_there_from_the_start():
    weight = Parameter(Tensor([np.inf]), name="weight")
    hidden = Tensor(np.float32([np.nan]))
    for fn, x, kind in (
        (lambda x: x * 2, [1.0, np.nan], "the input x holds nan from the start at entry [1]"),
        (lambda x: x + weight, [1.0], "the parameter weight holds inf from the start"),
        (lambda x: x + hidden, [1.0], "the constant hidden holds nan from the start"),
    ):
        origin = nan_origin(fn, Tensor(x))
        assert origin.first is None
        assert len(origin.given) == 1
        assert origin.given[0].startswith(kind)
        assert "first used in line" in origin.given[0]
        assert origin.given[0].endswith("then of no input") == ("constant" in kind)
    assert not nan_origin(lambda x: ops.clip(x, np.inf), Tensor([2.0]))  # the program's own
    masked = nan_origin(lambda x: ops.softmax(x.masked_fill(x > 0, -np.inf)), Tensor([2.0, 1.0]))
    assert masked.first.op == "softmax"
    assert "is all of it masked?" in masked.first.advice
