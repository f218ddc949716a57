"""What layers and optimizers do in training, inside and outside of gradient calls."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops


def test_moving_averages_follow_once_in_a_step_and_carry_no_gradient():
    layer = nn.BatchNorm1d(1, momentum=0.75).set_train()
    x = Tensor([[1.0], [3.0]])  # mean 2, variance 2 with n - 1
    _, (dx, (dgamma, _)) = ms.value_and_grad(
        lambda x: (layer(x) * Tensor([[1.0], [2.0]])).sum(), 0, layer.trainable_params()
    )(x)
    assert layer.moving_mean.asnumpy().tolist() == [0.5]
    assert layer.moving_variance.asnumpy().tolist() == [1.25]
    assert dgamma.asnumpy()[0] == pytest.approx(1.0, abs=1e-4)
    assert abs(dx.asnumpy()).max() < 1e-4  # two entries are -1 and 1, whatever they are
    assert layer.moving_mean.node is None
    assert not layer.moving_mean.requires_grad
    layer.set_train(False)
    wanted = (np.array([[1.0], [3.0]]) - 0.5) / np.sqrt(1.25 + 1e-5)
    np.testing.assert_allclose(layer(x).asnumpy(), wanted, rtol=1e-6)


def test_moving_averages_are_frozen():
    layer = nn.BatchNorm1d(1, momentum=0.5)
    x, averages = Tensor([[1.0], [3.0]]), [layer.moving_mean]
    (g,) = ms.grad(lambda x: layer(x).sum(), None, averages)(x)
    assert g.asnumpy().tolist() == [0]

    def train_and_read(x):
        layer.set_train()
        layer(x)
        return layer.moving_mean.sum() * 7

    dx, (g,) = ms.grad(train_and_read, 0, averages)(x)
    assert g.asnumpy().tolist() == [0]
    assert dx.asnumpy().tolist() == [[0], [0]]
    assert layer.moving_mean.asnumpy().tolist() == [1.0]


def test_second_derivatives_leave_moving_averages_alone():
    layer = nn.BatchNorm1d(2).set_train()
    x = Tensor(np.array([[1.0, 2.0], [2.0, -1.0], [4.0, 0.0]]))
    first = ms.grad(lambda x: (layer(x) ** 3).sum())
    ms.grad(lambda x: (first(x) ** 2).sum())(x)
    np.testing.assert_allclose(layer.moving_mean.asnumpy(), [0.1 * 7 / 3, 0.1 / 3], rtol=1e-6)


def test_dropout_keeps_a_share_and_the_mean():
    ms.set_seed(5)
    layer = nn.Dropout(p=0.25).set_train()
    out = layer(Tensor(np.ones(40000, np.float32))).asnumpy()
    assert sorted(set(out.tolist())) == [0, pytest.approx(4 / 3)]
    assert (out == 0).mean() == pytest.approx(0.25, abs=0.01)
    x = Tensor(np.ones(100, np.float32))
    value, g = ms.value_and_grad(lambda x: layer(x))(x)
    assert (value.asnumpy() == g.asnumpy()).all()
    assert layer.set_train(False)(x) is x
    assert (nn.Dropout(0.25).set_train()(x).asnumpy() == 0).mean() > 0.5  # keep_prob
    channels = nn.Dropout2d(p=0.5).set_train()(Tensor(np.ones((8, 8, 3, 3), np.float32))).asnumpy()
    assert set(channels.reshape(64, 9).sum(1).tolist()) == {0, 18}


def test_a_step_leaves_what_was_computed_before():
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.SGD([w], 0.5)

    def twice(x):
        before = (w * x).sum()
        optimizer((Tensor([1.0, 1.0]),))
        return before + 10 * (w * x).sum()

    x = Tensor([3.0, 4.0])
    value, (dx, (dw,)) = ms.value_and_grad(twice, 0, [w])(x)
    assert float(value) == 11 + 10 * (0.5 * 3 + 1.5 * 4)
    assert dx.asnumpy().tolist() == [1 + 5, 2 + 15]
    assert dw.asnumpy().tolist() == [3, 4]  # the Parameter as it came in, used once


def test_gradients_that_a_step_takes_out_are_told_of():
    w, x = Parameter(Tensor([1.0]), name="w"), Tensor([2.0])
    with pytest.warns(UserWarning, match="SGD takes this value out of the gradient calculation"):
        ms.grad(lambda x: (nn.SGD([w], 0.5)((x * 1.0,)) and w * x).sum())(x)


def test_the_rate_can_be_changed_between_steps():
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([w], 1.0, 0.0)
    optimizer.learning_rate.set_data(Tensor(0.25))
    optimizer((Tensor([1.0]),))
    assert w.asnumpy().tolist() == [0.75]
    assert float(optimizer.get_lr()) == 0.25


def test_each_group_has_its_rate_and_one_may_follow_a_schedule():
    a, b = (Parameter(Tensor([1.0]), name=name) for name in "ab")
    groups = [{"params": [a], "lr": 0.5}, {"params": [b], "lr": nn.ExponentialDecayLR(1.0, 0.5, 1)}]
    optimizer = nn.SGD(groups, 0.1)
    assert [[float(rate(Tensor(i))) for rate in optimizer.learning_rate] for i in (0, 1)] == [
        [0.5, 1.0],
        [0.5, 0.5],
    ]
    for _ in range(2):
        optimizer((Tensor([1.0]), Tensor([1.0])))
    assert (a.item(), b.item()) == (1 - 0.5 - 0.5, 1 - 1 - 0.5)


def test_an_optimizer_of_ones_own_may_call_every_step_of_mindspores():
    class Plain(nn.Optimizer):
        def construct(self, gradients):
            gradients = self.gradients_centralization(self.flatten_gradients(gradients))
            for p, g in zip(self.parameters, self.scale_grad(gradients), strict=True):
                p.set_data(p - self.get_lr() * g)
            return True

    w = Parameter(Tensor([1.0, 2.0]), name="w")
    assert Plain(0.5, [w], loss_scale=2.0)((Tensor([2.0, 4.0]),)) is True
    assert w.tolist() == [0.5, 1.0]


def test_a_learning_rate_schedule_says_what_it_lacks():
    with pytest.raises(AttributeError, match=r"LearningRateSchedule has no construct\(self, glob"):
        nn.LearningRateSchedule()(Tensor(0))


def test_networks_with_a_loss_tell_their_parts_and_cast():
    backbone = nn.ReLU()
    assert nn.WithLossCell(backbone, nn.L1Loss()).backbone_network is backbone
    x = Tensor([1.0, -1.0], ms.float16)
    told = nn.WithEvalCell(nn.ReLU(), nn.L1Loss(), add_cast_fp32=True)(x, x)
    assert [t.dtype for t in told] == [ms.float32] * 3
    assert [t.tolist() for t in told] == [0.5, [1, 0], [1, -1]]


def test_a_list_of_rates_ends():
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([w], nn.piecewise_constant_lr([1, 2], [1.0, 0.5]))
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    assert w.asnumpy().tolist() == [-0.5]
    with pytest.raises(IndexError, match="ends after 2 steps, and this is step 3"):
        optimizer((Tensor([1.0]),))


def test_nesterov_looks_ahead():
    """v = 0.5 v + g, and w moves by g + 0.5 v: by hand, for g = 1 and then 2."""
    for optimizer in (
        lambda w: nn.Momentum([w], 1.0, 0.5, use_nesterov=True),
        lambda w: nn.SGD([w], 1.0, 0.5, nesterov=True),
    ):
        w = Parameter(Tensor([0.0]), name="w")
        step = optimizer(w)
        step((Tensor([1.0]),))  # v = 1
        assert w.asnumpy().tolist() == [-1.5]
        step((Tensor([2.0]),))  # v = 2.5
        assert w.asnumpy().tolist() == [-1.5 - 3.25]


def test_adagrad_may_keep_its_sums():
    w = Parameter(Tensor([0.0]), name="w")
    step = nn.Adagrad([w], accum=4.0, learning_rate=1.0, update_slots=False)
    for _ in range(2):
        step((Tensor([3.0]),))
    assert w.asnumpy().tolist() == [-3.0]
    assert step.accum[0].asnumpy().tolist() == [4.0]


def test_an_optimizer_keeps_the_dtype_of_its_parameters():
    for dtype in (ms.float16, ms.float32, ms.float64):
        w = Parameter(Tensor([1.0], dtype), name="w")
        for make in (nn.SGD, nn.Adam, nn.AdamWeightDecay, nn.RMSProp, nn.Adagrad):
            make([w])((Tensor([1.0], dtype),))
            assert w.dtype == dtype
        assert all(p.dtype == dtype for p in nn.Adam([w]).moment1)


@pytest.mark.parametrize(
    "make",
    [
        lambda ps: nn.SGD(ps, 0.1, 0.9, weight_decay=1e-4),
        lambda ps: nn.Momentum(ps, 0.05, 0.9),
        lambda ps: nn.Adam(ps, 0.05),
        lambda ps: nn.AdamWeightDecay(ps, 0.02),
        lambda ps: nn.RMSProp(ps, 0.02),
        lambda ps: nn.Adagrad(ps, learning_rate=0.1),
        lambda ps: nn.Adam(ps, nn.CosineDecayLR(0.001, 0.1, 150)),
    ],
)
def test_xor_is_learnt(make):
    ms.set_seed(1)
    x = Tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = Tensor([0, 1, 1, 0])
    net = nn.SequentialCell(nn.Dense(2, 16, activation="tanh"), nn.Dense(16, 2))
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), make(net.trainable_params())
    )
    losses = [float(step(x, y)) for _ in range(200)]
    assert losses[-1] < 0.1 < losses[0]
    assert net(x).asnumpy().argmax(1).tolist() == [0, 1, 1, 0]


def test_a_small_image_network_learns():
    ms.set_seed(2)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 32)
    images = rng.normal(0, 0.3, (32, 1, 8, 8)).astype(np.float32)
    images[labels == 1, :, 2:6, 2:6] += 1  # a bright square
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3, has_bias=True),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Dropout(p=0.2),
        nn.Flatten(),
        nn.Dense(64, 2),
    ).set_train()
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 0.01))
    for _ in range(30):
        step(Tensor(images), Tensor(labels))
    net.set_train(False)
    assert (net(Tensor(images)).asnumpy().argmax(1) == labels).mean() == 1


def test_clipping_is_differentiable_and_checks():
    a, b = Tensor([3.0, 0.0]), Tensor([4.0])
    clipped = ops.clip_by_global_norm((a, b), 1)
    assert [c.asnumpy().tolist() for c in clipped] == [
        [pytest.approx(0.6), 0],
        [pytest.approx(0.8)],
    ]
    # The length stays 1 whatever a and b are, so its gradient is 0.
    da = ms.grad(lambda a: sum((c * c).sum() for c in ops.clip_by_global_norm((a, b), 1)))(a)
    assert abs(da.asnumpy()).max() < 1e-6
    inside = ms.grad(lambda a: ops.clip_by_global_norm((a, b), 9.0)[0].sum())(a)
    assert inside.asnumpy().tolist() == [1, 1]
    assert ops.clip_by_norm(a, 9.0).tolist() == [3.0, 0.0]
    tiny = ops.clip_by_norm(Tensor([3e-6, 4e-6]), 3e-6)  # 1e-6 is added to the norm, 5e-6
    assert tiny.asnumpy().tolist() == pytest.approx([1.5e-6, 2e-6], rel=1e-5)
    with pytest.raises(ValueError, match="clip_norm must be above 0"):
        ops.clip_by_global_norm((a,), 0)
    with pytest.raises(TypeError, match="for one use clip_by_norm"):
        ops.clip_by_global_norm(a)
    with pytest.raises(RuntimeError, match=r"the norm of order 2\.0 is nan"):
        ops.clip_by_norm(Tensor([float("nan")]), 1.0, error_if_nonfinite=True)


W = Parameter(Tensor([1.0, 2.0]), name="w")
B = Parameter(Tensor([1.0]), name="b")
G = Tensor([1.0, 1.0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nn.SGD([]), ValueError, "nothing to train"),
        (lambda: nn.SGD(None), ValueError, "nothing to train"),
        (lambda: nn.SGD(W), TypeError, r"write \[w\]"),
        (lambda: nn.SGD([1.0]), TypeError, "element 0 is float"),
        (lambda: nn.SGD([W, {"params": [B]}]), TypeError, "element 1 is dict"),
        (lambda: nn.SGD([W, W]), RuntimeError, "Parameter w is there twice"),
        (lambda: nn.SGD([W], -0.1), ValueError, r"must be 0 or more, but got -0\.1"),
        (lambda: nn.SGD([W], "fast"), TypeError, "a list with one for each step"),
        (lambda: nn.SGD([W], [[0.1]]), TypeError, "learning_rate is a number"),
        (lambda: nn.SGD([W], weight_decay=-1), ValueError, "weight_decay must be a number from 0"),
        (lambda: nn.SGD([W], loss_scale=0), ValueError, "loss_scale must be above 0"),
        (lambda: nn.SGD([W], nesterov=True), ValueError, "needs a momentum above 0"),
        (lambda: nn.SGD([W], momentum=-1), ValueError, "momentum must be 0 or more"),
        (lambda: nn.Adam([W], beta1=1.0), ValueError, "beta1 must be between 0 and 1"),
        (lambda: nn.RMSProp([W], epsilon=0), ValueError, "epsilon must be above 0"),
        (lambda: nn.SGD([{"param": [W]}]), KeyError, "a group has 'param'"),
        (lambda: nn.SGD([{"lr": 0.1}]), KeyError, "group 0 has no 'params'"),
        (
            lambda: nn.SGD([{"params": [W]}, {"order_params": [B]}]),
            ValueError,
            "order_params must name the groups' Parameters",
        ),
        (
            lambda: nn.SGD([{"params": [W], "grad_centralization": True}]),
            ValueError,
            "no grad_centralization",
        ),
        (lambda: nn.SGD([W])((G, G)), ValueError, "1 Parameters, but 2 gradients"),
        (lambda: nn.SGD([W])((Tensor([1.0]),)), ValueError, r"for w has shape \(1,\), but"),
        (lambda: nn.SGD([W])((1.0,)), TypeError, "for w must be a Tensor, but got float"),
        (lambda: nn.SGD([W]).get_lr_parameter(B), ValueError, "Parameter b is none of its own"),
        (lambda: nn.Optimizer(0.1, [W])((G,)), AttributeError, "no method change"),
        (lambda: nn.cosine_decay_lr(0.2, 0.1, 5, 1, 5), ValueError, "must lie above min_lr 0.2"),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 5, 0, 5), ValueError, "step_per_epoch must be"),
        (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]), ValueError, "must grow"),
        (lambda: nn.piecewise_constant_lr([2], [0.1, 0.2]), ValueError, "1 milestones, but 2"),
        (lambda: nn.CosineDecayLR(0.2, 0.1, 5), ValueError, "must lie above min_lr"),
        (lambda: nn.PolynomialDecayLR(0.1, 0.0, 5, 0), ValueError, "power must be a number above"),
        (lambda: nn.WarmUpLR(0.1, 2.5), ValueError, "warmup_steps must be a whole number"),
        (lambda: nn.TrainOneStepCell(nn.ReLU(), nn.SGD([W]), sens=0), ValueError, "sens must not"),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()
