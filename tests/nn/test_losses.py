"""Losses as Cells: values and gradients as real MindSpore's; what they refuse."""

import numpy as np
import pytest
from check import check_grads
from recorded import RECORDED, array, names

from minigrad import Tensor, grad, nn, ops

CALLS = [case for case in RECORDED["calls"] if "Loss" in case["call"]]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["call"])
def test_values_and_gradients(case):
    make, inputs = case["call"].rsplit("(", 1)
    loss = eval(make, names())
    given = [eval(text, names()) for text in inputs[:-1].split(", ")]
    out = loss(*given)
    np.testing.assert_allclose(out.asnumpy(), array(case["value"]), rtol=2e-6, atol=1e-6)
    weights = Tensor(np.float32(np.cos(np.arange(out.size)) + 1.5).reshape(out.shape))
    dx = grad(lambda x, *rest: (loss(x, *rest) * weights).sum())(*given)
    np.testing.assert_allclose(dx.asnumpy(), array(case["gradient"]), rtol=2e-6, atol=1e-6)


LOGITS = np.random.default_rng(20).normal(size=(4, 3))
LABELS = np.random.default_rng(21).uniform(size=(4, 3))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("loss", [nn.MSELoss, nn.BCEWithLogitsLoss])
def test_second_order(loss, reduction):
    check_grads(loss(reduction), LOGITS, LABELS)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_to_second_order(reduction):
    classes = Tensor([0, 2, 1, 1])
    weight = Tensor(np.array([0.5, 1.0, 2.0]))
    loss = nn.CrossEntropyLoss(weight, reduction=reduction, label_smoothing=0.1)
    check_grads(lambda x: loss(x, classes), LOGITS)


def test_the_gradient_of_cross_entropy_is_softmax_less_the_target():
    """Of the mean over two, with logits 0: (1/2 - 1) / 2 at the target, 1/2 / 2 elsewhere."""
    dx = grad(nn.CrossEntropyLoss())(Tensor(np.zeros((2, 2))), Tensor([0, 1]))
    assert dx.tolist() == [[-0.25, 0.25], [0.25, -0.25]]


def test_the_nearer_of_two_positives_may_be_swapped_in():
    x, positive, negative = Tensor([[0.0]]), Tensor([[4.0]]), Tensor([[5.0]])
    for swap, wanted in ((False, 4 - 5 + 2), (True, 4 - 1 + 2)):  # 1 from positive to negative
        loss = nn.TripletMarginWithDistanceLoss(
            distance_function=lambda x, y: ops.abs(x - y).sum(1), swap=swap, margin=2.0
        )
        assert loss(x, positive, negative).item() == wanted


def test_losses_of_ones_own_build_on_the_base():
    class Cubed(nn.LossBase):
        def construct(self, logits, labels):
            return ((logits - labels) ** 3).sum()

    assert Cubed()(Tensor([3.0]), Tensor([1.0])).item() == 8
    assert isinstance(nn.MSELoss(), nn.LossBase)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nn.MSELoss("avg"), ValueError, "MSELoss: reduction .* 'avg'"),
        (lambda: nn.CrossEntropyLoss(reduction=None), ValueError, "CrossEntropyLoss: reduction"),
        (
            lambda: nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0])),
            ValueError,
            "broadcast",
        ),
        (
            lambda: nn.CrossEntropyLoss()(Tensor([[1.0, 2.0]]), Tensor([2])),
            ValueError,
            "2 is no class",
        ),
        (
            lambda: nn.CrossEntropyLoss()(Tensor([[1.0, 2.0]]), Tensor([0, 1])),
            ValueError,
            r"\(2,\)",
        ),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()
