"""Random Tensors and dropout: their laws, their seeds, and the gradients that flow through them."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, ops
from minigrad import numpy as mnp

SIZE = (200, 200)
DRAWS = {  # a draw, its mean and its variance
    "rand": (lambda: ops.rand(*SIZE), 1 / 2, 1 / 12),
    "randn": (lambda: ops.randn(*SIZE), 0, 1),
    "randint": (lambda: ops.randint(0, 4, SIZE), 1.5, 1.25),
    "standard_normal": (lambda: ops.standard_normal(SIZE), 0, 1),
    "StandardNormal": (lambda: ops.StandardNormal()(SIZE), 0, 1),
    "UniformReal": (lambda: ops.UniformReal()(SIZE), 1 / 2, 1 / 12),
    "normal": (lambda: ops.normal(SIZE, 3.0, 2.0), 3, 4),
    "uniform": (lambda: ops.uniform(SIZE, Tensor(-1.0), Tensor(2.0)), 0.5, 0.75),
    "uniform, whole": (lambda: ops.uniform(SIZE, Tensor(0), Tensor(4), dtype=ms.int32), 1.5, 1.25),
    "laplace": (lambda: ops.laplace(SIZE, 1.0, 2.0), 1, 8),
    "gamma": (lambda: ops.gamma(SIZE, Tensor(2.0), Tensor(4.0)), 0.5, 0.125),
    "poisson": (lambda: ops.poisson(SIZE, Tensor(3.0)), 3, 3),
    "bernoulli": (lambda: ops.bernoulli(ops.ones(SIZE), 0.25), 0.25, 0.1875),
    "multinomial": (lambda: ops.multinomial(Tensor([1.0, 0.0, 1.0]), 40000), 1, 1),
    "mnp.rand": (lambda: mnp.rand(*SIZE), 1 / 2, 1 / 12),
    "mnp.randn": (lambda: mnp.randn(*SIZE), 0, 1),
    "mnp.randint": (lambda: mnp.randint(4, shape=SIZE), 1.5, 1.25),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_follow_their_law_and_the_seed(name):
    draw, mean, variance = DRAWS[name]
    ms.set_seed(5)
    values = draw().asnumpy().astype(np.float64)
    assert abs(values.mean() - mean) < 5 * np.sqrt(variance / values.size)
    assert abs(values.var() - variance) < 0.05 * variance + 5 * variance / np.sqrt(values.size)
    again = draw().asnumpy()
    assert (again != values).any()
    ms.set_seed(5)
    np.testing.assert_array_equal(draw().asnumpy(), values)


@pytest.mark.parametrize(
    ("draw", "dtype"),
    [
        (lambda: ops.rand(2, dtype=ms.float16), ms.float16),
        (lambda: ops.randn((2,)), ms.float32),
        (lambda: ops.randint(0, 3, (2,)), ms.int64),
        (lambda: ops.randint(0, 3, (2,), dtype=ms.int32), ms.int32),
        (lambda: ops.rand_like(ops.ones(2, ms.float64)), ms.float64),
        (lambda: ops.randint_like(ops.ones(2, ms.int8), 0, 3), ms.int8),
        (lambda: ops.randperm(2), ms.int64),
        (lambda: ops.bernoulli(ops.ones(2, ms.float16)), ms.float16),
        (lambda: ops.multinomial(Tensor([1.0]), 2), ms.int32),
    ],
)
def test_dtypes(draw, dtype):
    assert draw().dtype == dtype
    assert draw().shape == (2,)


def test_a_seed_of_its_own_leaves_the_generator_alone():
    ms.set_seed(3)
    first = ops.rand(3, seed=9)
    after = ops.rand(3)
    ms.set_seed(3)
    np.testing.assert_array_equal(ops.rand(3).asnumpy(), after.asnumpy())
    np.testing.assert_array_equal(ops.rand(3, seed=9).asnumpy(), first.asnumpy())


def test_orders_hold_each_entry_once():
    assert sorted(ops.randperm(20).tolist()) == list(range(20))
    assert sorted(ops.shuffle(ops.arange(20)).tolist()) == list(range(20))
    assert sorted(ops.multinomial(ops.ones(6), 6, replacement=False).tolist()) == list(range(6))


def test_gradients_flow_to_the_parameters_of_a_draw():
    def total(mean, deviation):
        ms.set_seed(7)
        return ops.normal((3,), mean, deviation).sum()

    ms.set_seed(7)
    noise = ops.standard_normal((3,)).asnumpy().sum()
    d_mean, d_deviation = ms.grad(total, (0, 1))(Tensor(1.0), Tensor(2.0))
    assert float(d_mean) == 3
    np.testing.assert_allclose(float(d_deviation), noise, rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.randint(2, 2, (1,)),
        lambda: ops.rand(2, dtype=ms.int32),
        lambda: ops.randint_like(ops.ones(2), 0, 2),
        lambda: ops.bernoulli(ops.ones(2), 1.5),
        lambda: ops.multinomial(Tensor([0.0, 0.0]), 1),
        lambda: ops.dropout(ops.ones(2), -0.1),
    ],
)
def test_what_cannot_be_raises(call):
    with pytest.raises(ValueError, match=r".{20}"):
        call()


# ----------------------------------------------------------------------------------------- dropout
def test_dropout_drops_scales_and_lets_gradients_through_where_it_does_not():
    x = ops.ones((100, 100)) * 3

    def drop(x):
        return ops.dropout(x, 0.25, seed=4)

    out = drop(x).asnumpy()
    np.testing.assert_allclose(np.unique(out), [0, 4], rtol=1e-6)
    assert abs((out == 0).mean() - 0.25) < 0.03
    np.testing.assert_allclose(ms.grad(drop)(x).asnumpy(), out / 3, rtol=1e-6)


def test_dropout_repeats_with_the_seed():
    x = ops.ones(1000)
    ms.set_seed(2)
    first, second = ops.dropout(x), ops.dropout(x)
    assert (first != second).any()
    ms.set_seed(2)
    np.testing.assert_array_equal(ops.dropout(x).asnumpy(), first.asnumpy())


def test_dropout_at_the_ends_and_without_training():
    x = Tensor([1.0, 2.0])
    assert ops.dropout(x, 0.0).tolist() == [1, 2]
    assert ops.dropout(x, 1.0).tolist() == [0, 0]
    assert ops.dropout(x, 0.5, training=False).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("drop", "shape"),
    [(ops.dropout1d, (9, 9, 4)), (ops.dropout2d, (9, 9, 2, 2)), (ops.dropout3d, (9, 9, 1, 2, 2))],
)
def test_whole_channels_are_dropped(drop, shape):
    ms.set_seed(1)
    out = drop(ops.ones(shape)).asnumpy().reshape(9, 9, -1)
    assert set(np.unique(out)) == {0, 2}
    assert (out == out[..., :1]).all()


def test_the_dropout_primitive_returns_what_it_kept():
    out, kept = ops.Dropout(keep_prob=0.5, Seed0=3)(Tensor(np.full(50, 2.0, np.float32)))
    assert set(kept.tolist()) == {0, 1}
    np.testing.assert_array_equal(out.asnumpy(), 4 * kept.asnumpy())


def test_the_primitive_that_drops_channels():
    ms.set_seed(6)
    out, kept = ops.Dropout2D(0.5)(ops.ones((9, 9, 2, 2)))
    np.testing.assert_array_equal(out.asnumpy(), 2 * kept.asnumpy())
    assert (out.asnumpy() == out.asnumpy()[..., :1, :1]).all()
    assert set(np.unique(out.asnumpy())) == {0, 2}


def test_gumbel_softmax_chooses_and_keeps_the_soft_gradient():
    logits = Tensor(np.zeros((2000, 3), np.float32))
    ms.set_seed(8)
    hard = ops.gumbel_softmax(logits, hard=True).asnumpy()
    np.testing.assert_allclose(np.sort(hard, 1), np.tile([0, 0, 1], (2000, 1)), atol=1e-6)
    np.testing.assert_allclose(hard.mean(0), 1 / 3, atol=0.05)

    def with_seed(hard):
        def first(x):
            ms.set_seed(8)
            return ops.gumbel_softmax(x, hard=hard)[:, 0].sum()

        return ms.grad(first)(logits).asnumpy()

    np.testing.assert_allclose(with_seed(True), with_seed(False), rtol=1e-6)


@pytest.mark.parametrize("weights", [[np.inf, 1.0], 1.0], ids=str)
def test_multinomial_needs_finite_numbers_to_choose_from(weights):
    with pytest.raises(ValueError, match="multinomial: input must have an axis of finite numbers"):
        ops.multinomial(Tensor(weights), 1)
