"""Optimizers: Parameters step by step, and losses while training, as real MindSpore's."""

import numpy as np
import pytest
from recorded import RECORDED, array, names

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn

# MindSpore keeps the powers of beta1 and beta2 in float32, where 1 - 0.999 is off by 5e-5 of it.
CLOSE = {"SGD": 1e-6, "Adam": 2e-6}
STARTS = {name: array(stored) for name, stored in RECORDED["starts"].items()}


@pytest.mark.parametrize("case", RECORDED["optimizers"], ids=lambda case: case["make"])
def test_steps(case):
    params = [Parameter(Tensor(value), name=name) for name, value in STARTS.items()]
    optimizer = eval(case["make"], {**names(), "params": params})
    for gradients, wanted in zip(RECORDED["gradients"], case["steps"], strict=True):
        result = optimizer(
            tuple(
                Tensor(np.float32(g).reshape(p.shape))
                for g, p in zip(gradients, params, strict=True)
            )
        )
        assert result == (True,) * len(optimizer.parameters)
        for p, stored in zip(params, wanted, strict=True):
            assert p.dtype == ms.float32
            np.testing.assert_allclose(
                p.asnumpy(),
                array(stored),
                rtol=1e-6,
                atol=CLOSE[type(optimizer).__name__],
                err_msg=p.name,
            )


@pytest.mark.parametrize("case", RECORDED["training"], ids=lambda case: case["optimizer"])
def test_training(case):
    net = eval(RECORDED["network"], names())
    loss_fn = eval(case["loss"], names())
    optimizer = eval(case["optimizer"], {**names(), "net": net})
    x, y = (Tensor(np.float32(points)) for points in RECORDED["points"])
    step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())
    losses = []
    for _ in case["losses"]:
        loss, grads = step(x, y)
        optimizer(grads)
        losses.append(loss.item())
    np.testing.assert_allclose(losses, case["losses"], rtol=5e-6)
    assert losses[-1] < losses[0]


def weight(*values, name="w"):
    return Parameter(Tensor(list(values)), name=name)


def test_sgd_by_hand():
    """Momentum 0.5: v = 1, then 0.5 + 1 = 1.5; w = 1 - 0.1 - 0.15."""
    w = weight(1.0)
    optimizer = nn.SGD([w], 0.1, momentum=0.5)
    for expected in (0.9, 0.75):
        optimizer((Tensor([1.0]),))
        np.testing.assert_allclose(w.asnumpy(), [expected], rtol=1e-6)


def test_a_bare_gradient_for_one_parameter():
    w = weight(1.0)
    nn.SGD([w], 0.5)(Tensor([1.0]))
    assert w.tolist() == [0.5]


def test_a_step_changes_nothing_that_was_computed_before():
    w = weight(1.0, 2.0)
    before, squares = w.value(), w * w
    nn.SGD([w], 0.5)((Tensor([1.0, 1.0]),))
    assert before.tolist() == [1, 2]
    assert squares.tolist() == [1, 4]
    assert w.tolist() == [0.5, 1.5]
    assert grad(lambda: (w * w).sum(), None, w)().tolist() == [1, 3]


def test_gradients_are_left_as_they_are():
    w, g = weight(1.0), Tensor([4.0])
    for optimizer in (nn.SGD([w], 0.1, 0.9, weight_decay=0.1, loss_scale=2.0), nn.Adam([w], 0.1)):
        optimizer((g,))
        optimizer((g,))
    assert g.tolist() == [4]


def test_float16_and_float64_stay():
    for dtype in (np.float16, np.float64):
        for make in (nn.SGD, nn.Adam):
            w = Parameter(Tensor(np.ones(2, dtype)), name="w")
            make([w], 0.1, weight_decay=0.1)((Tensor(np.ones(2, dtype)),))
            assert w.asnumpy().dtype == dtype


def test_a_learning_rate_may_be_a_tensor():
    w = weight(1.0)
    nn.SGD([w], Tensor(0.5))((Tensor([1.0]),))
    assert w.tolist() == [0.5]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda w: nn.SGD(w), TypeError, r"list of Parameters; write \[w\]"),
        (lambda w: nn.SGD(nn.Dense(2, 2)), TypeError, "SGD: .*; write net.trainable_params()"),
        (lambda w: nn.SGD([]), ValueError, "params is empty"),
        (lambda w: nn.SGD([Tensor([1.0])]), TypeError, "element 0 is Tensor"),
        (lambda w: nn.SGD([w], -0.1), ValueError, "learning_rate .* -0.1"),
        (lambda w: nn.SGD([w], "fast"), TypeError, "'fast'"),
        (lambda w: nn.SGD([w], nesterov=True), ValueError, "nesterov needs a momentum"),
        (
            lambda w: nn.SGD([w], momentum=0.9, dampening=0.1, nesterov=True),
            ValueError,
            "dampening 0",
        ),
        (lambda w: nn.Adam([w], beta1=1.0), ValueError, "beta1 .* 1.0"),
        (lambda w: nn.Adam([w], beta2=0.0), ValueError, "beta2"),
        (
            lambda w: nn.SGD([w])((Tensor([1.0]), Tensor([1.0]))),
            ValueError,
            "1 Parameters, but 2 gradients",
        ),
        (
            lambda w: nn.SGD([w])((Tensor([1.0, 2.0]),)),
            ValueError,
            r"for w has shape \(2,\).*\(1,\)",
        ),
        (lambda w: nn.SGD([w])((None,)), TypeError, "for w must be a Tensor, but got NoneType"),
        (lambda w: nn.SGD([w], momentum=-0.5), ValueError, "momentum"),
        (lambda w: nn.SGD([w], weight_decay=-0.5), ValueError, "weight_decay"),
        (lambda w: nn.Adam([w], eps=0), ValueError, "eps"),
        (lambda w: nn.Adam([w], loss_scale=0), ValueError, "loss_scale"),
        (lambda w: nn.SGD([w, w]), RuntimeError, "twice"),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(weight(1.0))
