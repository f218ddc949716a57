"""Initializers draw from the distributions that they name, and within the bounds of these."""

import math

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn
from minigrad.initializers import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    initializer,
)

SHAPE = (80, 30, 2, 3)  # n_in = 180, n_out = 480


@pytest.fixture(autouse=True)
def _seed():
    ms.set_seed(3)


@pytest.mark.parametrize(
    ("init", "bound"),
    [
        (Uniform(), 0.07),
        (Uniform(0.5), 0.5),
        (XavierUniform(), math.sqrt(6 / 660)),
        (XavierUniform(2), 2 * math.sqrt(6 / 660)),
        (HeUniform(), math.sqrt(2) * math.sqrt(3 / 180)),
        (HeUniform(math.sqrt(5)), 1 / math.sqrt(180)),
        (HeUniform(mode="fan_out", nonlinearity="tanh"), 5 / 3 * math.sqrt(3 / 480)),
        (VarianceScaling(2.0, "fan_avg", "uniform"), math.sqrt(3 * 2 / 330)),
    ],
    ids=str,
)
def test_uniform(init, bound):
    drawn = initializer(init, SHAPE).asnumpy()
    assert drawn.dtype == np.float32
    assert np.abs(drawn).max() <= np.float32(bound)
    assert np.abs(drawn).max() > 0.999 * bound
    assert abs(drawn.mean()) < 0.02 * bound
    assert drawn.std() == pytest.approx(bound / math.sqrt(3), rel=0.02)


@pytest.mark.parametrize(
    ("init", "mean", "sigma"),
    [
        (Normal(), 0, 0.01),
        (Normal(2.0, 1.0), 1, 2),
        (XavierNormal(), 0, math.sqrt(2 / 660)),
        (HeNormal(), 0, math.sqrt(2 / 180)),
        (HeNormal(1, "fan_out"), 0, math.sqrt(1 / 480)),
        (VarianceScaling(1.0, "fan_in", "untruncated_normal"), 0, math.sqrt(1 / 180)),
        (VarianceScaling(1.0, "fan_in"), 0, math.sqrt(1 / 180)),
        (TruncatedNormal(), 0, 0.01),
        # The variance of N(0, 1) within ±1 is 1 - 2 φ(1) / (Φ(1) - Φ(-1)) = 0.29112.
        (TruncatedNormal(0.5, 3.0, 2.5, 3.5), 3, 0.5 * math.sqrt(0.29112)),
    ],
    ids=str,
)
def test_normal(init, mean, sigma):
    drawn = initializer(init, SHAPE).asnumpy()
    assert drawn.mean() == pytest.approx(mean, abs=0.05 * sigma)
    assert drawn.std() == pytest.approx(sigma, rel=0.02)


def test_truncated_normal_stays_within_its_bounds():
    drawn = initializer(TruncatedNormal(0.5, 3.0, 2.5, 3.5), (20000,)).asnumpy()
    assert 2.5 <= drawn.min() < 2.51
    assert 3.49 < drawn.max() <= 3.5
    with pytest.raises(ValueError, match=r"hardly ever falls within \[99, 100\]"):
        initializer(TruncatedNormal(1.0, 0.0, 99, 100), (2,))


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (3, 2, 2)])
def test_orthogonal(shape):
    q = initializer(Orthogonal(2.0), shape).asnumpy().reshape(shape[0], -1)
    product = q @ q.T if len(q) <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "groups", "ones"),
    [  # as MindSpore 2.10 has them
        ((4, 2, 3), 1, [[0, 0, 1], [1, 1, 1]]),
        ((2, 2, 2), 1, [[0, 0, 1], [1, 1, 1]]),
        (
            (6, 4, 3, 3), 2,
            [[0, 0, 1, 1], [1, 1, 1, 1], [2, 2, 1, 1], [3, 0, 1, 1], [4, 1, 1, 1], [5, 2, 1, 1]],
        ),
        ((2, 2, 3, 3, 3), 1, [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]),
    ],
)  # fmt: skip
def test_dirac(shape, groups, ones):
    kernels = initializer(Dirac(groups), shape).asnumpy()
    assert np.argwhere(kernels).tolist() == ones
    assert kernels.sum() == len(ones)


def test_a_convolution_with_dirac_passes_its_input_on():
    x = Tensor(np.random.default_rng(0).normal(size=(1, 2, 5, 5)).astype(np.float32))
    layer = nn.Conv2d(2, 2, 3, weight_init="dirac", pad_mode="same")
    np.testing.assert_array_equal(layer(x).asnumpy(), x.asnumpy())


def test_sparse():
    w = initializer(Sparse(0.3, 2.0), (1000, 40)).asnumpy()
    assert ((w == 0).sum(0) == 300).all()
    assert 1.9 < w[w != 0].std() < 2.1
    assert (initializer(Sparse(0.25), (5, 4)).asnumpy() == 0).sum(0).tolist() == [2] * 4
    rows = {tuple(np.flatnonzero(column)) for column in w.T}
    assert len(rows) == 40  # each column has its own


@pytest.mark.parametrize(
    ("init", "shape", "message"),
    [
        (lambda: Dirac(), (2, 2), "kernels of a convolution"),
        (lambda: Dirac(2), (3, 2, 2), "2 groups do not share 3 output channels"),
        (lambda: Dirac(0), (3, 2, 2), "0 groups do not share"),
        (lambda: Sparse(0.5), (3,), "makes a matrix"),
        (lambda: Sparse(1.5), (3, 2), "sparsity must be from 0 to 1, but got 1.5"),
    ],
)
def test_dirac_and_sparse_refuse(init, shape, message):
    with pytest.raises(ValueError, match=message):
        initializer(init(), shape)


def test_constants_names_numbers_and_values():
    assert initializer("ones", 3).asnumpy().tolist() == [1, 1, 1]
    assert initializer("ZEROS", [2]).asnumpy().tolist() == [0, 0]
    assert initializer(2, (2,)).asnumpy().tolist() == [2, 2]
    assert initializer(Constant(0.5), (1, 2)).asnumpy().tolist() == [[0.5, 0.5]]
    assert initializer(Identity(), (2, 3)).asnumpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    given = Tensor([1.0, 2.0])
    assert initializer(given, (2,)) is given
    assert initializer(np.array([1.0, 2.0])).dtype == ms.float32
    assert initializer("ones", (2,), ms.float16).dtype == ms.float16


def test_a_class_of_ones_own():
    class Ramp(Initializer):
        def draw(self, shape):
            return np.arange(np.prod(shape)).reshape(shape)

    layer = nn.Dense(2, 2, weight_init=Ramp(), has_bias=False)
    assert layer.weight.asnumpy().tolist() == [[0, 1], [2, 3]]
    filled = np.empty(3)
    Ramp()(filled)
    assert filled.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: initializer("hello", (2,)), ValueError, "no initializer 'hello'; there are zeros"),
        (lambda: initializer(Normal, (2,)), TypeError, "but got Normal itself"),
        (lambda: initializer([1.0], (1,)), TypeError, "but got list"),
        (lambda: initializer(Tensor([1.0]), (2,)), ValueError, r"shape \(2,\), but have \(1,\)"),
        (lambda: initializer("ones"), ValueError, "needs a shape"),
        (lambda: initializer("identity", (2,)), ValueError, r"Identity makes a matrix, .*\(2,\)"),
        (
            lambda: initializer("orthogonal", (2,)),
            ValueError,
            r"Orthogonal needs two axes .*\(2,\)",
        ),
        (lambda: initializer(Initializer(), (2,)), AttributeError, r"no draw\(self, shape\)"),
        (lambda: initializer(XavierNormal(), (2,)), ValueError, r"two axes or more, not shape \(2"),
        (lambda: initializer(HeUniform(mode="fan"), (2, 2)), ValueError, "'fan' is none of fan_in"),
        (lambda: initializer(HeNormal(nonlinearity="x"), (2, 2)), ValueError, "none of linear"),
        (lambda: initializer(Normal(-1), (2, 2)), ValueError, "sigma must be 0 or more"),
        (lambda: initializer(VarianceScaling(1, "fan_in", "x"), (2, 2)), ValueError, "'x'"),
        (lambda: nn.Dense(2, 2, weight_init=Tensor([1.0])), ValueError, r"shape \(2, 2\)"),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def weights_of(net):
    return [p.asnumpy() for p in net.get_parameters()]


def test_set_seed_repeats_weights_and_dropout():
    def run():
        ms.set_seed(11)
        net = nn.SequentialCell(
            nn.Conv1d(2, 3, 3, has_bias=True, weight_init="xavier_normal"),
            nn.Dense(7, 4),
            nn.Embedding(3, 2) and nn.Identity(),
            nn.RReLU(),
            nn.Dropout(p=0.5),
        )
        out = net.set_train()(Tensor(np.ones((2, 2, 7), np.float32)))
        return [*weights_of(net), *weights_of(nn.LSTM(2, 3)), out.asnumpy()]

    first, second = run(), run()
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
    ms.set_seed(12)
    assert (nn.Dense(7, 4).weight.asnumpy() != first[2]).all()


def test_the_seed_that_was_set_is_told():
    ms.set_seed(np.int64(12))
    assert ms.get_seed() == 12


@pytest.mark.parametrize(
    ("seed", "error", "words"),
    [
        (1.5, TypeError, "a seed must be an integer, but got float"),
        (True, TypeError, "a seed must be an integer, but got bool"),
        (-1, ValueError, "a seed must be 0 or more, but got -1"),
    ],
)
def test_what_is_no_seed(seed, error, words):
    with pytest.raises(error, match=words):
        ms.set_seed(seed)


def test_first_weights_of_layers():
    """Those of Dense, convolutions and recurrent cells are uniform between ±1/√n."""
    n = 400
    for p, bound in [
        (nn.Dense(n, 50).weight, 1 / math.sqrt(n)),
        (nn.Dense(n, 5000).bias, 1 / math.sqrt(n)),
        (nn.Conv2d(16, 64, 5).weight, 1 / math.sqrt(16 * 25)),
        (nn.Conv2d(16, 2000, 5, has_bias=True).bias, 1 / math.sqrt(16 * 25)),
        (nn.Conv2d(16, 64, 5, group=4).weight, 1 / math.sqrt(4 * 25)),
        (nn.LSTMCell(100, 100).weight_ih, 0.1),
        (nn.GRU(100, 100).w_hh_list[0], 0.1),
    ]:
        drawn = p.asnumpy()
        assert 0.99 * bound < np.abs(drawn).max() <= np.float32(bound)
        assert drawn.std() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    assert nn.Embedding(200, 200).embedding_table.asnumpy().std() == pytest.approx(0.01, rel=0.05)
    assert not nn.Embedding(3, 2, padding_idx=1).embedding_table.asnumpy()[1].any()


def test_clones_of_parameters():
    p = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    same, zeros, threes = p.clone(), p.clone("zeros"), p.clone(3)
    assert (same.name, same.requires_grad, same.asnumpy().tolist()) == ("p", False, [1, 2])
    assert zeros.asnumpy().tolist() == [0, 0]
    assert threes.asnumpy().tolist() == [3, 3]
    held = ms.ParameterTuple([p]).clone("m", "ones")
    assert (held[0].name, held[0].asnumpy().tolist()) == ("m.p", [1, 1])
    p.set_data(Tensor([5.0, 6.0]))
    assert same.asnumpy().tolist() == [1, 2]
