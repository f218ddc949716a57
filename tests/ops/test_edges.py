"""Where numbers are large, zero or infinite: right values, gradients and second ones, no warnings.

What is expected was worked out by hand from the definitions.
"""

import math
import warnings

import numpy as np
import pytest

from minigrad import Tensor, grad, ops
from minigrad.transform import vjp

INF = math.inf
LN2 = math.log(2)
PEAK = math.sqrt(2 / math.pi)


@pytest.fixture(autouse=True)
def no_warnings():
    with np.errstate(all="raise", under="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def bce(x, y):
    return ops.binary_cross_entropy_with_logits(x, y, reduction="none")


def weighted_bce(x, y, weight, pos_weight):
    return ops.binary_cross_entropy_with_logits(x, y, weight, pos_weight, "none")


def masked_root(x):
    return ops.where(x > 0, ops.sqrt(ops.where(x > 0, x, 1.0)), 0.0)


# The function, its inputs, its value, and what the entries of each input's gradient are (of the sum
# of the outputs), and then those of the gradient of that gradient's sum; None: not asked for.
FAR = [-1000.0, 1000.0, 0.0]
EDGES = [
    (ops.sigmoid, [FAR], [0, 1, 0.5], [[0, 0, 0.25]], [[0, 0, 0]]),
    (ops.softplus, [FAR], [0, 1000, LN2], [[0, 1, 0.5]], [[0, 0, 0.25]]),
    (ops.logsigmoid, [FAR], [-1000, 0, -LN2], [[1, 0, 0.5]], [[0, 0, -0.25]]),
    (ops.tanh, [FAR], [-1, 1, 0], [[0, 0, 1]], [[0, 0, 0]]),
    (ops.silu, [FAR], [0, 1000, 0], [[0, 1, 0.5]], [[0, 0, 0.5]]),
    (ops.mish, [FAR], [0, 1000, 0], [[0, 1, 0.6]], [[0, 0, 0.64]]),
    (ops.gelu, [FAR], [0, 1000, 0], [[0, 1, 0.5]], [[0, 0, PEAK]]),
    (lambda x: ops.gelu(x, approximate="tanh"), [FAR], [0, 1000, 0], [[0, 1, 0.5]],
        [[0, 0, PEAK]]),
    (ops.elu, [FAR[:2]], [-1, 1000], [[0, 1]], [[0, 0]]),
    (ops.celu, [FAR], [-1, 1000, 0], [[0, 1, 1]], None),
    (ops.selu, [FAR[:2]], [-1.7580993, 1050.70098], [[0, 1.0507009]], [[0, 0]]),
    (ops.softsign, [[-1000.0, 0.0]], [-1000 / 1001, 0], [[1 / 1001**2, 1]], [[2 / 1001**3, 0]]),
    (ops.erf, [FAR], [-1, 1, 0], [[0, 0, math.sqrt(4 / math.pi)]], [[0, 0, 0]]),
    (lambda x: ops.logsumexp(x, 0), [[-INF, -INF]], -INF, [[0, 0]], [[0, 0]]),
    (lambda x: ops.logsumexp(x, 0), [[-INF, 5.0]], 5, [[0, 1]], [[0, 0]]),
    (lambda x: ops.logsumexp(x, 0), [[1000.0, 1000.0]], 1000 + LN2, [[0.5, 0.5]], None),
    (lambda x: ops.logsumexp(x, 0), [[-1000.0, 0.0]], 0, [[0, 1]], [[0, 0]]),
    (lambda x: ops.softmax(x)[0], [[1000.0, -1000.0]], 1, [[0, 0]], [[0, 0]]),
    (lambda x: ops.softmax(x)[0], [[0.0, -INF]], 1, [[0, 0]], [[0, 0]]),
    (lambda x: ops.log_softmax(x)[1], [[1000.0, -1000.0]], -2000, [[-1, 1]], [[0, 0]]),
    (bce, [[1000.0, -1000, 1000, -1000], [1.0, 1, 0, 0]], [0, 1000, 1000, 0],
        [[0, -1, 1, 0], [-1000, 1000, -1000, 1000]], [[-1] * 4, [-1] * 4]),
    (weighted_bce, [[1000.0, -1000, 1000, -1000], [1.0, 1, 0, 0], [2.0] * 4, [3.0] * 4],
        [0, 6000, 2000, 0],
        [[0, -6, 2, 0], [-2000, 6000, -2000, 6000], [0, 3000, 1000, 0], [0, 2000, 0, 0]], None),
    (lambda x: ops.cross_entropy(x, Tensor([1])), [[[1000.0, -1000.0]]], 2000, [[[1, -1]]],
        [[[0, 0]]]),
    (lambda x: ops.cross_entropy(x, Tensor([0])), [[[1000.0, -1000.0]]], 0, [[[0, 0]]],
        [[[0, 0]]]),
    (lambda p: ops.binary_cross_entropy(p, Tensor([1.0, 0.0, 1.0, 0.0]), reduction="none"),
        [[1.0, 0.0, 0.0, 1.0]], [0, 0, 27.631021, 27.631021], [[-1, 1, -1e12, 1e12]], None),
    (lambda x: x**0, [[0.0, -2.0]], [1, 1], [[0, 0]], [[0, 0]]),
    (lambda x: x**1, [[0.0, -2.0]], [0, -2], [[1, 1]], [[0, 0]]),
    (lambda x: x**2, [[0.0, -2.0]], [0, 4], [[0, -4]], [[2, 2]]),
    (lambda x: x**3, [[0.0, -2.0]], [0, -8], [[0, 12]], [[0, -12]]),
    (lambda x: x ** Tensor([0.0, 1.0, 2.0]), [[0.0, 0.0, 0.0]], [1, 0, 0], [[0, 1, 0]],
        [[0, 0, 2]]),
    (lambda n: 0.0**n, [[1.0, 2.0]], [0, 0], [[0, 0]], [[0, 0]]),
    (ops.norm, [[0.0, 0.0]], 0, [[0, 0]], None),
    (lambda x: ops.norm(x) ** 2, [[0.0, 0.0]], 0, [[0, 0]], None),
    (ops.hypot, [[0.0, 3.0], [0.0, 4.0]], [0, 5], [[0, 0.6], [0, 0.8]], None),
    (lambda x: x.std(), [[2.0, 2.0]], 0, [[0, 0]], None),
    (lambda x: x.var(), [[2.0, 2.0]], 0, [[0, 0]], [[0, 0]]),
    (lambda x: ops.cumprod(x, 0), [[2.0, 3.0, 0.0]], [2, 6, 0], [[4, 2, 6]], [[4, 3, 5]]),
    (ops.prod, [[2.0, 0.0, 3.0]], 0, [[0, 6, 0]], [[3, 5, 2]]),
    (ops.prod, [[2.0, 0.0, 0.0]], 0, [[0, 0, 0]], [[0, 2, 2]]),
    (ops.xlogy, [[0.0, 0.0, 2.0], [0.0, 2.0, 1.0]], [0, 0, 0], [[0, LN2, 0], [0, 0, 2]], None),
    (lambda x, y: ops.kl_div(x, y, "sum"), [[-1.0, -1.0], [0.0, 1.0]], 1, [[0, -1], [1, 2]], None),
    (lambda x: x.max(), [[3.0, 3.0, -INF]], 3, [[0.5, 0.5, 0]], [[0, 0, 0]]),
    (masked_root, [[0.0, 4.0]], [0, 2], [[0, 0.25]], [[0, -1 / 32]]),
    (lambda x: x.sum(0), [np.zeros((0, 2))], [0, 0], [np.zeros((0, 2))], [np.zeros((0, 2))]),
    (ops.sum, [np.zeros((0, 3))], 0, [np.zeros((0, 3))], None),
    (lambda x: ops.logsumexp(x, 1), [np.zeros((0, 3))], np.zeros(0), [np.zeros((0, 3))], None),
    (lambda x: ops.softmax(x), [np.zeros((0, 3))], np.zeros((0, 3)), [np.zeros((0, 3))], None),
    (lambda x: ops.matmul(x, x.T), [np.zeros((2, 0))], [[0, 0], [0, 0]], [np.zeros((2, 0))], None),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("fn", "inputs", "value", "first", "second"), EDGES)
def test_edge(fn, inputs, value, first, second, dtype):
    tensors = [Tensor(np.array(x, dtype)) for x in inputs]
    out, pullback = vjp(fn, *tensors)
    one = Tensor(np.ones(out.shape, dtype))
    close(out, value, dtype)
    for dx, wanted in zip(pullback(one), first, strict=True):
        close(dx, wanted, dtype)

    def slope(*xs):
        return sum(dx.sum() for dx in vjp(fn, *xs)[1](one))

    if second is not None:
        for dx, wanted in zip(vjp(slope, *tensors)[1](Tensor(dtype(1))), second, strict=True):
            close(dx, wanted, dtype)


def close(tensor, wanted, dtype):
    got = tensor.asnumpy()
    assert got.dtype == dtype
    wanted = np.array(wanted, np.float64)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=5e-5 if dtype == np.float32 else 1e-7, atol=2e-7)


def test_the_mean_of_nothing_is_nan_and_warns():
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning):
        ops.mean(Tensor(np.zeros((0, 3))))
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore")
        value, pullback = vjp(ops.mean, Tensor(np.zeros((0, 3))))
        assert np.isnan(value.asnumpy())
        assert pullback(Tensor(np.float64(1)))[0].shape == (0, 3)


def test_a_true_infinity_still_warns():
    with pytest.raises(FloatingPointError):
        grad(ops.sqrt)(Tensor([0.0]))
    with np.errstate(divide="ignore"):
        assert grad(ops.sqrt)(Tensor([0.0])).asnumpy() == [INF]


def test_a_bound_that_is_a_tensor_lets_the_gradient_through_like_a_number():
    low, high = Tensor(-1.0), Tensor(1.0)
    found = grad(lambda x: ops.clamp(x, low, high))(Tensor([-1.0, 1.0, 3.0]))
    assert found.asnumpy().tolist() == [1.0, 1.0, 0.0]


def test_nan_and_infinity_pass_the_hard_activations():
    nan, ends = Tensor([float("nan")]), Tensor([-np.inf, -3.0])
    assert np.isnan(ops.hardsigmoid(nan).asnumpy()).all()
    assert ops.hardswish(ends).asnumpy().tolist() == [0.0, 0.0]
    assert grad(ops.hardswish)(ends).asnumpy().tolist() == [0.0, -0.5]


def test_whole_numbers_do_not_widen():
    whole = Tensor([1, 2])
    assert str(ops.round(whole).dtype) == "Int64"
    assert str(ops.leaky_relu(whole).dtype) == "Float32"
    assert str(ops.clamp(whole, 0.5, 1.5).dtype) == "Float32"
