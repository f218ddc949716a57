"""Elementwise ops: kinks and ties, arguments, what they take and what they refuse."""

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor, grad, ops

A = np.random.default_rng(3).uniform(-2, 2, (2, 3))
B = np.random.default_rng(4).uniform(0.3, 2, (2, 3))

# At a kink, MindSpore 2.10 gives these.
KINKS = [
    (ops.abs, 0.0, 0.0),
    (ops.relu, 0.0, 0.0),
    (ops.sign, 0.0, 0.0),
    (ops.relu6, 0.0, 0.0),
    (ops.relu6, 6.0, 1.0),
    (ops.leaky_relu, 0.0, 0.6),
    (ops.hardsigmoid, -3.0, 0.0),
    (ops.hardsigmoid, 3.0, 0.0),
    (ops.hardswish, -3.0, -0.5),
    (ops.hardswish, 3.0, 1.5),
    (ops.hardtanh, -1.0, 0.5),
    (ops.hardtanh, 1.0, 0.5),
    (lambda x: ops.clamp(x, -1, 1), -1.0, 1.0),
    (lambda x: ops.clamp(x, -1, 1), 1.0, 1.0),
    (lambda x: ops.clip(x, None, 1), 1.0, 1.0),
    (lambda x: ops.clip_by_value(x, -1, 1), -1.0, 0.5),
    (lambda x: ops.clip_by_value(x, clip_value_max=1), 1.0, 0.5),
    (lambda x: ops.maximum(x, 2), 2.0, 0.5),
    (lambda x: ops.minimum(2, x), 2.0, 0.5),
    (lambda x: ops.maximum(x, x), 2.0, 1.0),
]


@pytest.mark.parametrize(("fn", "x", "slope"), KINKS)
def test_gradient_at_a_kink(fn, x, slope):
    np.testing.assert_allclose(grad(fn)(Tensor([x])).asnumpy(), [slope], rtol=1e-6)


COMPOSED = {
    "div": (ops.div, A, B),
    "round": (lambda x: ops.round(x, decimals=1) * x, A),
    "clamp_tensors": (lambda x, low, high: ops.clamp(x, low, high), A * 2, -B, B),
    "masked_fill": (lambda x, v: ops.masked_fill(x, Tensor(A > 0), v), A, B[0, 0]),
    "xlogy": (ops.xlogy, A, B),
    "lerp": (ops.lerp, A, B, A[0]),
    "addcmul": (lambda x, y, z: ops.addcmul(x, y, z, 0.5), A, B, A),
    "squared_difference": (ops.squared_difference, A, B[0]),
    "silu": (ops.silu, A),
    "gelu": (ops.gelu, A),
    "gelu_tanh": (lambda x: ops.gelu(x, approximate="tanh"), A),
    "softplus": (lambda x: ops.softplus(x, 2, 3), A),
    "logsigmoid": (ops.logsigmoid, A),
    "selu": (ops.selu, A),
    "celu": (lambda x: ops.celu(x, 0.7), A),
    "mish": (ops.mish, A),
    "softsign": (ops.softsign, A),
    "hardtanh": (lambda x: ops.hardtanh(x, -1.1, 0.9), A),
    "hardsigmoid": (ops.hardsigmoid, A * 2),
    "hardswish": (ops.hardswish, A * 2),
    "prelu": (ops.prelu, A, B[0]),
    "prelu_of_one": (ops.prelu, A, B[0, :1]),
}


@pytest.mark.parametrize(("fn", "inputs"), [(f, x) for f, *x in COMPOSED.values()], ids=COMPOSED)
def test_gradients_to_second_order(fn, inputs):
    check_grads(fn, *inputs)


def test_gradients_of_any_order():
    """d4/dx4 of sin is sin; d3/dx3 of x ** 5 is 60 x ** 2."""
    x = Tensor(A)
    np.testing.assert_allclose(grad(grad(grad(grad(ops.sin))))(x).asnumpy(), np.sin(A), rtol=1e-12)
    fifth = grad(grad(grad(lambda x: x**5)))
    np.testing.assert_allclose(fifth(x).asnumpy(), 60 * A**2, rtol=1e-12)


def test_rounding():
    x = Tensor([0.5, 1.5, -0.5, 2.449, -2.46])
    assert ops.round(x).asnumpy().tolist() == [0, 2, 0, 2, -2]
    np.testing.assert_allclose(
        ops.round(x, decimals=1).asnumpy(), [0.5, 1.5, -0.5, 2.4, -2.5], rtol=1e-6
    )
    np.testing.assert_allclose(ops.round(Tensor([1234.0]), decimals=-2).asnumpy(), [1200])


def test_aliases_are_the_same_function():
    pairs = "abs absolute, acos arccos, mul multiply, neg negative, pow tensor_pow"
    for pair in pairs.split(", "):
        first, second = pair.split()
        assert getattr(ops, first) is getattr(ops, second)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Tensor([1.0, 2.0]) + Tensor([1.0] * 3), ValueError, r"add: x .*\(2,\) and y"),
        (lambda: Tensor([1.0]) + "a", TypeError, "expected a Tensor or a number"),
        (lambda: ops.clamp(Tensor([1.0])), ValueError, "min, or max, or both"),
        (lambda: ops.clip_by_value(Tensor([1.0])), ValueError, "clip_value_min"),
        (lambda: ops.div(1, 2, rounding_mode="up"), ValueError, '"floor" or "trunc", not \'up\''),
        (lambda: ops.gelu(Tensor([1.0]), approximate="sinh"), ValueError, "sinh"),
        (lambda: ops.exp("a"), TypeError, "exp"),
    ],
)  # fmt: skip
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_integers_become_float32_where_they_must():
    i = Tensor([1, 4])
    for op in (
        ops.exp,
        ops.log,
        ops.sqrt,
        ops.sigmoid,
        ops.tanh,
        ops.sin,
        ops.reciprocal,
        ops.softplus,
    ):
        assert op(i).dtype == ms.float32
    for op in (ops.abs, ops.neg, ops.square, ops.relu, ops.sign):
        assert op(i).dtype == ms.int64
    assert (i / 2).dtype == ms.float32
    assert (i // 2).dtype == ms.int64
    assert ops.where(Tensor([True, False]), 1.0, 0.0).dtype == ms.float32
    assert ops.where(Tensor([True, False]), 1, 0).dtype == ms.int64
