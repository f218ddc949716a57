"""``compare_entries``: each entry right, wrong or odd; samples; what fn holds stays as it was."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.check import compare_entries


class Forgetful(nn.Cell):
    """x y², whose rule for y forgets the 2."""

    def construct(self, x, y):
        return x * y * y

    def bprop(self, x, y, out, dout):
        return dout * y * y, dout * x * y


def only(fn, x):
    """What is said of a function of one number."""
    ((found,),) = (each.differences for each in compare_entries(fn, x))
    return found


def kinds(entries):
    return [d.kind for d in entries.differences]


def test_the_gradient_is_that_of_grad():
    """In float64, entry by entry, of inputs, of Parameters, and of a list of Tensors."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 3)), rng.normal(size=(3,))
    w = Parameter(Tensor(rng.normal(size=(3,))), name="w")

    def fn(x, pair):
        return ops.sin(x) * pair[0] + w * w, ops.exp(pair[1])

    found = compare_entries(fn, Tensor(x), [Tensor(y), 0.5], weights=[w])
    assert [each.input for each in found] == ["x", "pair[0]", "pair[1]", "w"]
    assert [each.shape for each in found] == [(2, 3), (3,), (), (3,)]
    plain = ms.grad(fn, (0,), weights=[w])(Tensor(x), [Tensor(y), Tensor(np.float64(0.5))])
    got = [[d.got for d in each.differences] for each in found]
    np.testing.assert_array_equal(got[0], plain[0].asnumpy().ravel())
    np.testing.assert_array_equal(got[3], plain[1][0].asnumpy())
    # Worked out by hand: cos(x) y, the sum of sin(x) over its rows, e^0.5, and 4 w (two rows).
    slopes = [[d.expected for d in each.differences] for each in found]
    np.testing.assert_allclose(slopes[0], (np.cos(x) * y).ravel(), rtol=1e-8)
    np.testing.assert_allclose(slopes[1], np.sin(x).sum(0), 1e-8)
    assert slopes[2] == pytest.approx([np.exp(0.5)], rel=1e-9)
    np.testing.assert_allclose(slopes[3], 4 * w.asnumpy(), 1e-8)
    assert {kind for each in found for kind in kinds(each)} == {"right"}
    assert str(found[2].differences[0]).startswith("pair[1]: the gradient is 1.64872, and differ")


def test_outputs_may_be_weighed():
    """With 2 and -1 for the outputs x² and x³ at 3: 2·6 - 27."""
    (x,) = compare_entries(lambda x: (x * x, x * x * x), 3.0, dout=[np.array(2.0), np.array(-1.0)])
    assert x.differences[0].got == pytest.approx(-15)
    assert x.differences[0].expected == pytest.approx(-15)


def test_a_wrong_rule_is_found_entry_by_entry():
    """dy is half of what it should be, everywhere; dx is right."""
    dx, dy = compare_entries(Forgetful(), Tensor([1.0, 2.0]), Tensor([3.0, -4.0]))
    assert kinds(dx) == ["right", "right"]
    assert kinds(dy) == ["wrong", "wrong"]
    assert [d.got for d in dy.differences] == [3, -8]
    assert [d.expected for d in dy.differences] == pytest.approx([6, -16])
    assert str(dy.differences[1]) == (
        "y[1]: the gradient is -8, but differences give -16: 0.5 times the true one"
    )


@pytest.mark.parametrize(
    ("fn", "x", "sides"),
    [
        (ops.relu, 0.0, (0, 1)), (ops.abs, 0.0, (-1, 1)),
        (lambda x: ops.abs(x) * 1e-2, 0.0, (-0.01, 0.01)),
        (lambda x: ops.maximum(x, 3.0 * x - 2.0), 1.0, (1, 3)),
        (lambda x: ops.relu(x) * 1e4 + x, 0.0, (1, 10001)),
    ],
)  # fmt: skip
def test_a_kink_is_named_and_passes(fn, x, sides):
    """The slopes on both sides; the gradient lies between, or is just their mean."""
    found = only(fn, x)
    assert found.kind == "kink"
    assert found.expected == pytest.approx(sides, abs=1e-6 * max(map(abs, sides)))
    assert found.slope == pytest.approx(sum(sides) / 2)
    assert found.passes
    assert "at a kink: the slope is" in str(found)


def test_a_gradient_beyond_both_sides_of_a_kink_is_wrong():
    """Of relu at 0 the rule may say anything from 0 to 1, and 2 is more."""

    class Two(nn.Cell):
        def construct(self, x):
            return ops.relu(x)

        def bprop(self, x, out, dout):
            return 2.0 * dout

    assert only(Two(), 0.0).kind == "wrong"


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (ops.relu, 1e-6), (ops.abs, -3e-7), (lambda x: ops.abs(x - 1.0), 1.00001),
        (ops.exp, 8.0), (lambda x: 1e6 + x, 1.0), (lambda x: ops.sin(40.0 * x), 0.3),
        (lambda x: 1e9 * (x - 0.3) * (x - 0.3) + x, 0.3),
        (lambda x: x * 1e-9, 1.0), (ops.sqrt, 1e-4), (lambda x: x**3, 1e4), (ops.log, 1e-3),
    ],
)  # fmt: skip
def test_near_a_kink_or_steep_is_right(fn, x):
    """A kink beside the point, a steep slope, or few digits left raise no false alarm."""
    assert only(fn, x).kind == "right", str(only(fn, x))


@pytest.mark.parametrize(
    ("fn", "x", "kind"),
    [
        (lambda x: (x > 1).astype(x.dtype) + x, 1.0, "jump"),
        (ops.sqrt, 0.0, "not finite"),
        (lambda x: x * 1e-30 + 1.0, 1.0, "small"),
    ],
)
def test_what_differences_cannot_tell(fn, x, kind):
    """Then there is no slope to show."""
    found = only(fn, x)
    assert found.kind == kind
    assert found.expected is None
    assert np.isnan(found.slope)


def test_beside_an_infinite_entry_the_others_are_compared():
    """The gradient of sqrt at 0 is infinite, and at 4 it is 1/4."""
    (x,) = compare_entries(ops.sqrt, Tensor([0.0, 4.0]))
    assert kinds(x) == ["not finite", "right"]
    assert x.differences[1].expected == pytest.approx(0.25)


def test_float32_inside_is_judged_by_what_it_can_show():
    """A cast to float32 leaves differences with few digits; the right gradient passes."""
    (x,) = compare_entries(lambda x: ops.sin(x.astype(ms.float32)), Tensor([0.3, 1.2]))
    assert kinds(x) == ["right", "right"]


def test_big_arrays_are_sampled():
    """36 of 10,000 entries, always the same ones, and a direction through all."""
    x = Tensor(np.linspace(-2, 2, 10_000).reshape(100, 100))
    (one,), (two,) = compare_entries(ops.sin, x), compare_entries(ops.sin, x)
    places = [d.place for d in one.differences]
    assert places == [d.place for d in two.differences]
    assert len(set(places)) == 36
    assert one.along.kind == "right"
    (few,) = compare_entries(ops.sin, x, most=5)
    assert len(few.differences) == 5
    (whole,) = compare_entries(ops.sin, Tensor(np.ones((8, 5))), most=40)
    assert len(whole.differences) == 40
    assert whole.along is None


def test_a_fault_outside_the_sample_shows_along_the_direction():
    """One wrong entry of 10,000, or one that is infinite: hardly in the sample, but in the sum."""

    def with_fault(fault):
        class One(nn.Cell):
            def construct(self, x):
                return ops.sin(x)

            def bprop(self, x, out, dout):
                dx = (dout * ops.cos(x)).asnumpy()
                dx[7, 7] += fault
                return Tensor(dx)

        (found,) = compare_entries(One(), np.linspace(-2, 2, 10_000).reshape(100, 100))
        assert set(kinds(found)) == {"right"}
        return found.along

    assert with_fault(1.0).kind == "wrong"
    assert with_fault(np.inf).kind == "not finite"
    assert with_fault(np.inf).entry == (7, 7)


def test_parameters_are_what_they_were():
    """Array, dtype and values, also of those that fn writes to, and after an error."""
    norm = nn.BatchNorm1d(3)
    before = {p.name: (p.array, p.asnumpy().copy()) for p in norm.get_parameters()}
    x = Tensor(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    assert {kind for each in compare_entries(norm, x) for kind in kinds(each)} == {"right"}
    with pytest.raises(ZeroDivisionError):
        compare_entries(lambda x: norm(x) / (1 // 0), x, weights=norm.trainable_params())
    for p in norm.get_parameters():
        assert p.array is before[p.name][0]
        np.testing.assert_array_equal(p.asnumpy(), before[p.name][1])


@pytest.mark.parametrize(
    ("fn", "args", "error", "words"),
    [
        (lambda n: n, (3,), ValueError, "no floating input and has no weights"),
        (lambda x: x > 0, (1.0,), TypeError, "returned no Tensor of floats"),
        (ops.log, (0.0,), ValueError, "NaN or infinite at these inputs"),
        (lambda x: x * np.random.default_rng().normal(), (1.0,), ValueError, "two runs"),
    ],
)
def test_what_cannot_be_compared_is_said(fn, args, error, words):
    """Expected and got."""
    with pytest.raises(error, match=words):
        compare_entries(fn, *args)
