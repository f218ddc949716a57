"""Layers: values, gradients, names and prints as real MindSpore's; what they refuse."""

import contextlib
import io
from collections import OrderedDict

import numpy as np
import pytest
from check import check_grads
from recorded import RECORDED, array, names

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops

CALLS = [case for case in RECORDED["calls"] if "Loss" not in case["call"]]


@pytest.mark.parametrize("case", RECORDED["prints"], ids=lambda case: case["program"])
def test_prints(case):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(case["program"], names())
    assert printed.getvalue() == case["printed"]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["call"])
def test_values_and_gradients(case):
    make, inputs = case["call"].rsplit("(", 1)
    cell = eval(make, names())
    (x,) = [eval(text, names()) for text in inputs[:-1].split(", ")]
    out = cell(x)
    np.testing.assert_allclose(out.asnumpy(), array(case["value"]), rtol=2e-6, atol=1e-6)
    assert out.dtype == ms.float32
    weights = Tensor(np.float32(np.cos(np.arange(out.size)) + 1.5).reshape(out.shape))
    params = cell.trainable_params()
    dx, dws = grad(lambda x: (cell(x) * weights).sum(), 0, params)(x)
    np.testing.assert_allclose(dx.asnumpy(), array(case["gradient"]), rtol=2e-6, atol=1e-6)
    assert [p.name for p in params] == list(case["of_parameters"])
    for dw, wanted in zip(dws, case["of_parameters"].values(), strict=True):
        np.testing.assert_allclose(dw.asnumpy(), array(wanted), rtol=2e-6, atol=2e-6, strict=True)


def test_dense_to_second_order():
    x, w, b = (np.random.default_rng(k).normal(size=s) for k, s in enumerate([(4, 3), (2, 3), 2]))
    layer = nn.Dense(3, 2, dtype=ms.float64, activation="tanh")

    def with_weights(x, w, b):
        layer.weight.set_data(w)
        layer.bias.set_data(b)
        return layer(x)

    np.testing.assert_allclose(
        with_weights(*map(Tensor, (x, w, b))).asnumpy(), np.tanh(x @ w.T + b)
    )
    check_grads(layer, x)


def test_first_weights_are_random_within_their_bound():
    ms.set_seed(3)
    layer = nn.Dense(16, 1000)
    for p in (layer.weight, layer.bias):
        values = p.asnumpy()
        assert values.dtype == np.float32
        assert abs(values).max() <= 0.25
        assert abs(values).max() > 0.24
        assert abs(values.mean()) < 0.03
    again = nn.Dense(16, 1000).weight.asnumpy()
    assert (again != layer.weight.asnumpy()).any()
    ms.set_seed(3)
    np.testing.assert_array_equal(nn.Dense(16, 1000).weight.asnumpy(), layer.weight.asnumpy())


@pytest.mark.parametrize(
    ("init", "mean", "low", "high"),
    [
        ("zeros", 0, 0, 0),
        ("ones", 1, 1, 1),
        (2.5, 2.5, 2.5, 2.5),
        ("normal", 0, -0.06, 0.06),
        ("uniform", 0, -0.07, 0.07),
    ],
)
def test_first_weights_by_name(init, mean, low, high):
    ms.set_seed(0)
    values = nn.Dense(100, 100, init).weight.asnumpy()
    assert values.shape == (100, 100)
    assert abs(values.mean() - mean) < 1e-3
    assert low <= values.min() <= values.max() <= high
    if init == "normal":
        assert abs(values.std() - 0.01) < 5e-4
    if init == "uniform":
        assert abs(values.std() - 0.14 / np.sqrt(12)) < 1e-3


def test_first_weights_are_copied():
    start = Tensor([[1.0, 2.0]])
    layer = nn.Dense(2, 1, start)
    layer.weight.set_data(Tensor([[5.0, 6.0]]))
    assert start.tolist() == [[1, 2]]


def test_sequential():
    double, negate = nn.Dense(1, 1, 2.0, "zeros"), nn.Dense(1, 1, -1.0, 1.0)
    net = nn.SequentialCell(double, negate)
    assert net(Tensor([[3.0]])).tolist() == [[-5]]
    assert list(net) == [double, negate]
    assert len(net) == 2
    assert net[-1] is negate
    assert net[:1](Tensor([[3.0]])).tolist() == [[6]]
    net.append(nn.ReLU())
    assert net(Tensor([[3.0]])).tolist() == [[0]]
    assert nn.SequentialCell()(Tensor([3.0])).tolist() == [3]
    named = nn.SequentialCell(OrderedDict(first=double, second=nn.ReLU()))
    assert named.first is double


def test_names_after_nesting():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1, has_bias=False))
            self.scale = Parameter(Tensor([1.0]))

    net = Net()
    assert [p.name for p in net.trainable_params()] == [
        "scale",
        "body.0.weight",
        "body.0.bias",
        "body.2.weight",
    ]
    outer = nn.SequentialCell(net)
    assert [p.name for p in outer.trainable_params()][:2] == ["0.scale", "0.body.0.weight"]


def test_activations_by_name_cell_and_primitive():
    x = Tensor([[1.0, -2.0]])
    for activation in ("relu", nn.ReLU(), ops.ReLU()):
        layer = nn.Dense(2, 2, Tensor([[1.0, 0.0], [0.0, 1.0]]), "zeros", activation=activation)
        assert layer(x).tolist() == [[1, 0]]


def test_matmul_of_two_vectors_is_their_inner_product():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for turned in ((), (True,), (True, True)):
        cell = nn.MatMul(*turned)
        assert cell(x, y).item() == 11.0
        assert [g.tolist() for g in grad(cell, (0, 1))(x, y)] == [[3.0, 4.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nn.Dense(0, 1), ValueError, "in_channels .* got 0"),
        (lambda: nn.Dense(2, 1.5), ValueError, "out_channels .* got 1.5"),
        (lambda: nn.Dense(2, True), ValueError, "out_channels"),
        (lambda: nn.Dense(2, 1, Tensor([[1.0]])), ValueError, r"\(1, 2\).*\(1, 1\)"),
        (
            lambda: nn.Dense(2, 1, "xavier"),
            ValueError,
            "no initializer 'xavier'; there are zeros, ones",
        ),
        (lambda: nn.Dense(2, 1, activation="swish"), KeyError, "no activation 'swish'; there are"),
        (lambda: nn.Dense(2, 1, activation=ops.tanh), TypeError, "Cell, a Primitive or a name"),
        (lambda: nn.Dense(2, 1)(Tensor([[1.0, 2.0, 3.0]])), ValueError, r"\(1, 3\).*\(1, 2\)"),
        (
            lambda: nn.SequentialCell(nn.ReLU(), ops.relu),
            TypeError,
            "element 1 is a function.*ReLU",
        ),
        (lambda: nn.SequentialCell(nn.ReLU())[3], IndexError, ""),
        (lambda: nn.MatMul(1), TypeError, "transpose_x1 must be True or False, but got 1"),
        (lambda: nn.MatMul(False, None), TypeError, "transpose_x2 must be True or False"),
        (lambda: nn.MatMul()(ops.ones((2, 3)), ops.ones((2, 3))), ValueError, r"\(2, 3\)"),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words or None):
        call()
