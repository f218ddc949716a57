"""Differences: right, wrong, kinks, samples, and Parameters that stay what they were."""

from __future__ import annotations

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets.differences import measure


class Forgetful(nn.Cell):
    """x y², whose rule for y forgets the 2."""

    def construct(self, x, y):
        return x * y * y

    def bprop(self, x, y, out, dout):
        return dout * y * y, dout * x * y


def test_the_gradient_is_that_of_grad() -> None:
    """In float64, entry by entry, of inputs, of Parameters, and of a list of Tensors."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 3)), rng.normal(size=(3,))
    w = Parameter(Tensor(rng.normal(size=(3,))), name="w")

    def fn(x, pair):
        return ops.sin(x) * pair[0] + w * w, ops.exp(pair[1])

    args = Tensor(x), [Tensor(y), 0.5]
    found = measure(fn, args, weights=[w])
    assert [each.name for each in found] == ["x", "pair[0]", "pair[1]", "w"]
    plain = ms.grad(fn, (0,), weights=[w])(args[0], [Tensor(y), Tensor(np.float64(0.5))])
    np.testing.assert_array_equal(found[0].grid(lambda e: e.gradient), plain[0].asnumpy())
    np.testing.assert_array_equal(found[3].grid(lambda e: e.gradient)[0], plain[1][0].asnumpy())
    # Worked out by hand: cos(x) y, the sum of sin(x) over its rows, e^0.5, and 4 w (two rows).
    np.testing.assert_allclose(found[0].grid(lambda e: e.differences), np.cos(x) * y, rtol=1e-8)
    np.testing.assert_allclose(found[1].grid(lambda e: e.differences)[0], np.sin(x).sum(0), 1e-8)
    assert found[2].entries[0].differences == pytest.approx(np.exp(0.5), rel=1e-9)
    np.testing.assert_allclose(found[3].grid(lambda e: e.differences)[0], 4 * w.asnumpy(), 1e-8)
    assert {e.kind for each in found for e in each.entries} == {"right"}


def test_a_wrong_rule_is_found_entry_by_entry() -> None:
    """dy is half of what it should be, everywhere; dx is right."""
    dx, dy = measure(Forgetful(), (Tensor([1.0, 2.0]), Tensor([3.0, -4.0])))
    assert [e.kind for e in dx.entries] == ["right", "right"]
    assert [e.kind for e in dy.entries] == ["wrong", "wrong"]
    assert [e.gradient for e in dy.entries] == [3, -8]
    assert [e.differences for e in dy.entries] == pytest.approx([6, -16])
    assert dy.worst.place == "y[1]"
    assert "y[1]: the gradient is -8, differences give -16" in str(dy.worst)
    assert str(dy.worst).endswith("off by 8, 0.5 times what it should be")


@pytest.mark.parametrize(
    ("fn", "x", "sides"),
    [
        (ops.relu, 0.0, (0, 1)), (ops.abs, 0.0, (-1, 1)),
        (lambda x: ops.abs(x) * 1e-2, 0.0, (-0.01, 0.01)),
        (lambda x: ops.maximum(x, 3.0 * x - 2.0), 1.0, (1, 3)),
        (lambda x: ops.relu(x) * 1e4 + x, 0.0, (1, 10001)),
    ],
)  # fmt: skip
def test_a_kink_is_named_and_passes(fn: object, x: float, sides: tuple[float, float]) -> None:
    """The slopes on both sides; the gradient lies between."""
    (found,) = measure(fn, (x,))
    assert found.entries[0].kind == "kink"
    assert found.entries[0].sides == pytest.approx(sides, abs=1e-6 * max(map(abs, sides)))
    assert found.entries[0].off == 0
    assert "at a kink: the slope is" in str(found.entries[0])


def test_a_gradient_beyond_both_sides_of_a_kink_is_wrong() -> None:
    """Of relu at 0 the rule may say anything from 0 to 1, and 2 is more."""

    class Two(nn.Cell):
        def construct(self, x):
            return ops.relu(x)

        def bprop(self, x, out, dout):
            return 2.0 * dout

    assert measure(Two(), (0.0,))[0].entries[0].kind == "wrong"


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (ops.relu, 1e-6), (ops.abs, -3e-7), (lambda x: ops.abs(x - 1.0), 1.00001),
        (ops.exp, 8.0), (lambda x: 1e6 + x, 1.0), (lambda x: ops.sin(40.0 * x), 0.3),
        (lambda x: 1e9 * (x - 0.3) * (x - 0.3) + x, 0.3),
        (lambda x: x * 1e-9, 1.0), (ops.sqrt, 1e-4), (lambda x: x**3, 1e4), (ops.log, 1e-3),
    ],
)  # fmt: skip
def test_near_a_kink_or_steep_is_right(fn: object, x: float) -> None:
    """A kink beside the point, a steep slope, or few digits left raise no false alarm."""
    (found,) = measure(fn, (x,))
    assert found.entries[0].kind == "right", str(found.entries[0])


def test_float32_inside_is_judged_by_what_it_can_show() -> None:
    """A cast to float32 leaves differences with few digits; the right gradient passes."""
    (found,) = measure(lambda x: ops.sin(x.astype(ms.float32)), (Tensor([0.3, 1.2]),))
    assert [e.kind for e in found.entries] == ["right", "right"]


def test_big_arrays_are_sampled() -> None:
    """24 of 10,000 entries, always the same ones, and a direction through all."""
    x = Tensor(np.linspace(-2, 2, 10_000).reshape(100, 100))
    (one,), (two,) = measure(ops.sin, (x,)), measure(ops.sin, (x,))
    assert (len(one.entries), one.rows) == (24, 4)
    assert [e.place for e in one.entries] == [e.place for e in two.entries]
    assert len({e.place for e in one.entries}) == 24
    assert one.along.kind == "right"
    assert one.along.place == "x in all 10,000 entries"


def test_a_fault_outside_the_sample_shows_along_the_direction() -> None:
    """One wrong entry of 10,000: hardly in the sample, but in the sum."""

    class OneWrong(nn.Cell):
        def construct(self, x):
            return ops.sin(x)

        def bprop(self, x, out, dout):
            dx = (dout * ops.cos(x)).asnumpy()
            dx[7, 7] += 1.0
            return Tensor(dx)

    (found,) = measure(OneWrong(), (Tensor(np.linspace(-2, 2, 10_000).reshape(100, 100)),))
    assert {e.kind for e in found.entries} == {"right"}
    assert found.along.kind == "wrong"


@pytest.mark.parametrize(
    ("shape", "compared", "rows"),
    [((), 1, 1), ((6,), 6, 1), ((7,), 7, 2), ((11,), 11, 2), ((6, 6), 36, 6), ((2, 2, 2), 8, 2),
     ((25,), 24, 4), ((1, 30), 24, 4)],
)  # fmt: skip
def test_how_entries_are_laid_out(shape: tuple[int, ...], compared: int, rows: int) -> None:
    """All of a small array; the last row may end early."""
    (found,) = measure(lambda x: x * x, (Tensor(np.ones(shape)),))
    assert (len(found.entries), found.rows) == (compared, rows)
    assert found.grid(lambda e: e.gradient).size >= compared
    assert (found.along is None) == (compared == np.prod(shape))


def test_parameters_are_what_they_were() -> None:
    """Array, dtype and values, also of those that fn writes to, and after an error."""
    norm = nn.BatchNorm1d(3)
    before = {p.name: (p.array, p.asnumpy().copy()) for p in norm.get_parameters()}
    x = Tensor(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    assert {e.kind for c in measure(norm, (x,)) for e in c.entries} == {"right"}
    with pytest.raises(ZeroDivisionError):
        measure(lambda x: norm(x) / (1 // 0), (x,), weights=norm.trainable_params())
    for p in norm.get_parameters():
        assert p.array is before[p.name][0]
        np.testing.assert_array_equal(p.asnumpy(), before[p.name][1])


@pytest.mark.parametrize(
    ("fn", "args", "error", "words"),
    [
        (lambda n: n, (3,), ValueError, "pass 2.0 rather than 2"),
        (lambda x: x > 0, (1.0,), TypeError, "returned no Tensor of floats"),
        (ops.log, (0.0,), ValueError, "NaN or infinite at these inputs"),
        (lambda x: x * np.random.default_rng().normal(), (1.0,), ValueError, "two runs"),
    ],
)
def test_what_cannot_be_compared_is_said(fn: object, args: tuple, error: type, words: str) -> None:
    """Expected and got."""
    with pytest.raises(error, match=words):
        measure(fn, args)
