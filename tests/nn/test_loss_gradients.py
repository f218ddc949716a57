"""What a real MindSpore cannot be asked about losses and activations: by hand, and differences."""

import math

import numpy as np
import pytest
from check import check_grads

from minigrad import Tensor, grad, nn, ops

X = np.array([[0.3, -1.2], [2.0, 0.7]])
Y = np.array([[1.0, -1.0], [-1.0, 1.0]])


def values(loss, *inputs):
    return loss(*map(Tensor, inputs)).asnumpy().tolist()


def test_soft_margin():
    got = nn.SoftMarginLoss()(Tensor(X), Tensor(Y))
    assert float(got) == pytest.approx(np.log1p(np.exp(-X * Y)).mean())
    assert float(nn.SoftMarginLoss()(Tensor([1000.0]), Tensor([-1.0]))) == 1000


def test_hinge_embedding():
    assert values(nn.HingeEmbeddingLoss(1.0, "none"), X, Y) == [[0.3, 2.2], [0.0, 0.7]]
    assert values(nn.HingeEmbeddingLoss(3.0, "sum"), X, Y) == pytest.approx(0.3 + 4.2 + 1.0 + 0.7)
    g = grad(nn.HingeEmbeddingLoss(1.0, "sum"))(Tensor(X), Tensor(Y))
    assert g.asnumpy().tolist() == [[1, -1], [0, 1]]


def test_triplet_margin():
    x, near, far = np.zeros((1, 2)), np.array([[3.0, 4.0]]), np.array([[6.0, 8.0]])
    loss = nn.TripletMarginLoss(eps=0.0)
    assert values(loss, x, near, far) == 0
    assert values(loss, x, far, near) == pytest.approx(10 - 5 + 1)
    assert values(nn.TripletMarginLoss(1, eps=0.0), x, far, near) == pytest.approx(14 - 7 + 1)
    assert values(nn.TripletMarginLoss(margin=6.0, eps=0.0), x, near, far) == pytest.approx(1)
    # far is 10 from x, but only 5 from near.
    swapped = nn.TripletMarginLoss(swap=True, margin=2.0, eps=0.0)
    assert values(swapped, x, near, far) == pytest.approx(5 - 5 + 2)
    assert float(loss(Tensor(x), Tensor(far), Tensor(near), 3.0)) == pytest.approx(10 - 5 + 3)


def test_kl_div_and_softmax_cross_entropy_know_the_gradients_of_their_targets():
    p = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    z = np.array([[0.1, -0.4, 1.0], [0.7, 0.0, -1.0]])
    for reduction in ("mean", "sum", "none", "batchmean"):
        check_grads(nn.KLDivLoss(reduction), z, p)
    for reduction in ("mean", "sum", "none"):
        check_grads(nn.SoftmaxCrossEntropyWithLogits(reduction=reduction), z, p)
    g = grad(nn.SoftmaxCrossEntropyWithLogits(reduction="sum"), 1)(Tensor(z), Tensor(p))
    wanted = np.log(np.exp(z).sum(1, keepdims=True)) - z
    np.testing.assert_allclose(g.asnumpy(), wanted, rtol=1e-6)


CLASSES = Tensor([2, 0])
SAMPLES = [
    (lambda x: nn.CrossEntropyLoss(Tensor(np.array([0.5, 1.0, 2.0])), 0)(x, CLASSES), 1),
    (lambda x: nn.CrossEntropyLoss(label_smoothing=0.2)(x, CLASSES), 1),
    (lambda x: nn.NLLLoss()(x, CLASSES), 1),
    (lambda x: nn.SoftmaxCrossEntropyWithLogits(True)(x, CLASSES), 1),
    (lambda x: nn.MultiMarginLoss(2)(x, CLASSES), 1),
    (nn.MSELoss(), 2),
    (nn.RMSELoss(), 2),
    (nn.HuberLoss(delta=0.7), 2),
    (nn.BCEWithLogitsLoss(), 2),
    (nn.MultiLabelSoftMarginLoss(), 2),
    (nn.SoftMarginLoss(), 2),
    (nn.PoissonNLLLoss(), 2),
    (nn.GaussianNLLLoss(full=True), 3),
    (nn.TripletMarginLoss(), 3),
    (nn.TripletMarginLoss(1, margin=9.0), 3),
    (nn.TripletMarginWithDistanceLoss(), 3),
    (lambda x, y: nn.CosineEmbeddingLoss()(x, y, Tensor([1, -1])), 2),
    (lambda x, y: nn.MarginRankingLoss(0.4)(x, y, Tensor([[1.0], [-1.0]])), 2),
    *[
        (cell, 1)
        for cell in (
            *(
                nn.GELU(),
                nn.GELU(False),
                nn.ELU(0.7),
                nn.CELU(1.5),
                nn.SeLU(),
                nn.SiLU(),
                nn.Mish(),
            ),
            *(nn.LogSigmoid(), nn.Softsign(), nn.FastGelu(), nn.Tanhshrink(), nn.LeakyReLU(0.1)),
            *(nn.HSigmoid(), nn.HSwish(), nn.SoftShrink(), nn.HShrink(), nn.Threshold(0.1, 3.0)),
            *(nn.Softmax(0), nn.LogSoftmax(), nn.Softmin(), nn.GLU(0), nn.PReLU(3, 0.3)),
        )
    ],
]


@pytest.mark.parametrize("i", range(len(SAMPLES)))
def test_against_differences(i):
    fn, inputs = SAMPLES[i]
    rng = np.random.default_rng(i)
    xs = [rng.normal(size=(2, 3)) for _ in range(inputs)]
    if isinstance(fn, nn.GaussianNLLLoss):
        xs[2] = np.abs(xs[2]) + 0.5
    check_grads(fn, *xs)


def test_activations_do_not_overflow():
    far = Tensor([-1e4, 1e4])
    for cell in (
        nn.LogSigmoid(),
        nn.SiLU(),
        nn.Mish(),
        nn.FastGelu(),
        nn.GELU(),
        nn.ELU(),
        nn.SeLU(),
    ):
        value, g = cell(far).asnumpy(), grad(cell)(far).asnumpy()
        assert np.isfinite(value).all(), cell
        assert np.isfinite(g).all(), cell
    assert nn.LogSigmoid()(far).asnumpy().tolist() == [-1e4, 0]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: nn.MSELoss("avg"),
            ValueError,
            'MSELoss: reduction must be "mean", "sum" or "none"',
        ),
        (lambda: nn.KLDivLoss("avg"), ValueError, "but got 'avg'"),
        (lambda: nn.CrossEntropyLoss(label_smoothing=2.0), ValueError, "must be in"),
        (lambda: nn.CosineEmbeddingLoss(2.0), ValueError, r"margin must be in \[-1, 1\]"),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits()(Tensor([[1.0, 2.0]]), Tensor([1])),
            ValueError,
            "for class numbers say sparse=True",
        ),
        (lambda: nn.Hardtanh(1.0, 1.0), ValueError, "must lie below"),
        (lambda: nn.PReLU(3, [0.1]), ValueError, r"w must have shape \(3,\)"),
        (lambda: nn.RReLU(0.5, 0.1), ValueError, "must not lie above"),
        (lambda: nn.CELU(0.0), ValueError, "alpha must not be 0"),
        (lambda: nn.Softmax2d()(Tensor([1.0])), ValueError, "3 or 4 axes"),
        (lambda: nn.get_activation("rely"), KeyError, "no activation 'rely'; there are celu"),
        (
            lambda: nn.get_activation(ops.relu),
            TypeError,
            "a function can be called after the layer",
        ),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_rrelu_draws_slopes_within_its_bounds():
    x = Tensor(-np.ones(1000, np.float32))
    slopes = -nn.RReLU(0.1, 0.3)(x).asnumpy()
    assert 0.1 <= slopes.min() < 0.11
    assert 0.29 < slopes.max() <= 0.3
    assert nn.RReLU()(Tensor([2.0])).asnumpy().tolist() == [2]


def test_gelu_is_x_times_a_chance():
    x = 0.8
    wanted = x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
    assert float(nn.GELU(False)(Tensor(x))) == pytest.approx(wanted, rel=1e-6)
