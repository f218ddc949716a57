"""Where numbers are large, zero or infinite: right values, gradients and second ones, no warnings.

What is expected was worked out by hand from the definitions.
"""

import math
import warnings

import numpy as np
import pytest

import minigrad as ms
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
    (ops.softsign, [[INF, -INF]], [1, -1], [[0, 0]], None),
    (ops.hardswish, [[INF, -INF]], [INF, 0], [[1, 0]], None),
    (lambda x: ops.smooth_l1_loss(x, x * 0 + 1), [[3.0, 1.5]], [1.5, 0.125], [[1, 0.5]], [[0, 1]]),
    (lambda x: ops.smooth_l1_loss(x, Tensor([0.0, 0.0])), [[INF, -INF]], [INF, INF], [[1, -1]],
        None),
    (lambda x: ops.huber_loss(x, Tensor([0.0]), "none", 2.0), [[-INF]], [INF], [[-2]], None),
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
    (ops.logaddexp, [-INF, -INF], -INF, [0, 0], [0, 0]),
    (ops.logaddexp, [-INF, 2.0], 2, [0, 1], [0, 0]),
    (ops.logaddexp, [-1000.0, 1000.0], 1000, [0, 1], [0, 0]),
    (lambda x: ops.logsumexp(x, 1), [np.zeros((0, 3))], np.zeros(0), [np.zeros((0, 3))], None),
    (lambda x: ops.softmax(x), [np.zeros((0, 3))], np.zeros((0, 3)), [np.zeros((0, 3))], None),
    (lambda x: ops.softmax(x), [np.zeros((3, 0))], np.zeros((3, 0)), [np.zeros((3, 0))], None),
    (lambda x: ops.log_softmax(x, 0), [np.zeros((0, 3))], np.zeros((0, 3)), [np.zeros((0, 3))],
        None),
    (lambda x: ops.cumsum(x, 0), [2.0], 2, [1], None),
    (lambda x: ops.cumprod(x, -1), [2.0], 2, [1], None),
    (lambda x: ops.cumprod(x, 1), [np.zeros((2, 0))], np.zeros((2, 0)), [np.zeros((2, 0))], None),
    (lambda x: ops.max(x, 0)[0], [2.0], 2, [1], None),
    (lambda x: ops.pad(x, ()), [2.0], 2, [1], None),
    (lambda x: ops.matrix_norm(x, 2), [[[3.0, 0.0], [0.0, 2.0]]], 3, [[[1, 0], [0, 0]]], None),
    (lambda x: ops.pinv(x), [[[2.0, 0.0], [0.0, 0.0]]], [[0.5, 0], [0, 0]],
        [[[-0.25, 0.25], [0.25, 0]]], None),
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


def test_outside_of_its_domain_a_gradient_is_nan_too():
    with np.errstate(all="ignore"):
        assert np.isnan(grad(ops.acosh)(Tensor([-2.0, 0.5])).asnumpy()).all()
        found = grad(lambda n: Tensor([0.0, 0.0, 0.0]) ** n)(Tensor([-1.0, 0.0, 2.0]))
        assert found.tolist() == [-INF, 0.0, 0.0]  # 0 ** n falls from infinity to 0


@pytest.mark.parametrize("loss", [ops.cross_entropy, ops.nll_loss])
def test_labels_that_are_all_ignored(loss):
    """The mean of nothing is nan, and nothing has a gradient."""
    x, labels = Tensor([[1.0, 2.0], [3.0, 5.0]]), Tensor([-100, -100])
    assert np.isnan(loss(x, labels).asnumpy())
    assert grad(lambda x: loss(x, labels))(x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert loss(x, labels, reduction="sum").item() == 0.0


def test_dtypes_of_whole_numbers_and_bools():
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "int64"):
        x = Tensor(np.array([[3, 1], [2, 1]], dtype))
        found = ops.cumsum(x, 0), ops.trace(x), ops.ReduceSum()(x), ops.ReduceProd()(x), ~~x
        assert [y.asnumpy().dtype.name for y in found] == [dtype] * 4 + ["bool"]
    truth = Tensor([True, False])
    assert (truth - Tensor([True, True])).tolist() == [False, True]
    assert ops.subtract(Tensor([False, True]), truth).tolist() == [-1, 1]
    for y in (truth // Tensor([True, True]), ops.relu(truth), ops.hardtanh(Tensor([2, -3]))):
        assert y.asnumpy().dtype.kind in "bi"
    exact = Tensor([2**53 + 1, -(2**53) - 1])
    assert ops.div(exact, 1, rounding_mode="trunc").tolist() == exact.tolist()
    assert ops.truncate_div(Tensor([-7, 7]), Tensor([2, -2])).tolist() == [-3, -3]


def test_numpy_functions_that_leave_arguments_out():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert np.cumsum(x).tolist() == [1.0, 3.0, 6.0, 10.0]
    assert np.cumprod(x).tolist() == [1.0, 2.0, 6.0, 24.0]
    assert np.prod(x).item() == 24.0
    assert grad(lambda x: np.prod(x, (0, 1)))(x).tolist() == [[24.0, 12.0], [8.0, 6.0]]
    assert grad(lambda x: np.cumsum(x)[1])(x).tolist() == [[1.0, 1.0], [0.0, 0.0]]
    with pytest.raises(TypeError, match=r"numpy\.where.*condition, input, other.*asnumpy"):
        np.where(x)
    with pytest.raises(TypeError, match=r"numpy\.sum.*'out'"):
        np.sum(x, out=np.zeros(2))


def test_of_two_the_one_that_is_a_number():
    x, y = Tensor([math.nan, 1.0, math.nan, 2.0]), Tensor([1.0, math.nan, math.nan, 2.0])
    for function in (ops.fmax, ops.fmin):
        np.testing.assert_array_equal(function(x, y).asnumpy(), [1, 1, math.nan, 2])
        dx, dy = grad(function, (0, 1))(x, y)
        assert (dx.tolist(), dy.tolist()) == ([0, 1, 1, 1], [1, 0, 0, 0])


def test_whole_numbers_do_not_widen():
    whole = Tensor([1, 2])
    assert str(ops.round(whole).dtype) == "Int64"
    assert str(ops.leaky_relu(whole).dtype) == "Float32"
    assert str(ops.clamp(whole, 0.5, 1.5).dtype) == "Float32"


def test_a_window_of_zeros_has_no_gradient():
    found = grad(lambda x: ops.lp_pool1d(x, 2, 2))(Tensor([[[0.0, 0.0, 3.0, 4.0]]]))
    np.testing.assert_allclose(found.asnumpy(), [[[0, 0, 0.6, 0.8]]], rtol=1e-6)


def test_only_the_triangle_of_a_factor_counts():
    rest = Tensor([[1.0, 5.0], [0.0, 2.0]])
    found = ops.cholesky_solve(Tensor([[2.0], [4.0]]), rest)
    assert found.asnumpy().tolist() == [[2.0], [1.0]]  # that of diag(1, 4)


def test_dropout_scales_whole_numbers_by_a_fraction():
    kept = ops.dropout(Tensor([9] * 50), 0.1, seed=0).asnumpy()
    assert np.unique(kept).tolist() == [0.0, 10.0]


def test_random_numbers_stay_below_1_in_float16_too():
    assert ops.rand(100_000, dtype=np.float16, seed=0).max().item() == 1 - 2**-11


def test_cross_products_broadcast():
    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, -2.0, 3.0])
    assert (ops.cross(Tensor(x), Tensor(y)).asnumpy() == np.cross(x, y)).all()


ROW, SQUARE, WHOLE = Tensor([[[1.0, 2.0, 3.0, 4.0]]]), Tensor([[1.0, 1.0], [0.0, 1.0]]), Tensor([1])
IMAGE = ops.reshape(ROW, (1, 1, 2, 2))
WHOLE_ROW = Tensor([[[1, 3]]])
SCORES = Tensor([[1.0, 2.0]])
REFUSED = {
    "a factor must not be 0": [
        (lambda: ops.softplus(ROW, 0), ValueError, "beta"),
        (lambda: ops.celu(ROW, 0.0), ValueError, "alpha"),
        (lambda: ops.lp_pool1d(ROW, 0, 2), ValueError, "norm_type"),
        (lambda: ops.triplet_margin_loss(SCORES, SCORES, SCORES, p=0), ValueError, "p must not"),
        (lambda: ops.clip_by_norm(ROW, 1.0, 0), ValueError, "norm_type"),
        (lambda: ops.pixel_shuffle(IMAGE, 0), ValueError, "pixel_shuffle"),
        (lambda: ops.pixel_unshuffle(IMAGE, 2.0), ValueError, "pixel_unshuffle"),
        (lambda: ops.channel_shuffle(IMAGE, 0), ValueError, "channel_shuffle"),
        (lambda: ops.group_norm(IMAGE, 0), ValueError, "groups"),
        (lambda: ops.conv_transpose1d(ROW, ROW, groups=0), ValueError, "0 groups"),
        (lambda: ops.gumbel_softmax(ROW, 0.0), ValueError, "tau"),
    ],
    "nothing is stretched by mistake": [
        (lambda: ops.conv1d(ROW, Tensor([[[1.0]]]), Tensor([1.0, 2.0])), ValueError, "bias"),
        (lambda: ops.conv_transpose1d(ROW, ROW, Tensor([1.0, 2.0])), ValueError, "bias"),
        (lambda: ops.batch_norm(Tensor([[1.0], [3.0]]), *[WHOLE] * 3, Tensor([0.0, 1.0])),
            ValueError, "bias must have"),
        (lambda: ops.layer_norm(SCORES, (2,), Tensor([2.0])), ValueError, "weight must have"),
        (lambda: ops.prelu(ROW, Tensor([0.5, 0.25])), ValueError, "1 channels"),
        (lambda: ops.cross_entropy(SCORES, Tensor([1.0])), ValueError, "class numbers"),
        (lambda: ops.cross_entropy(SCORES, Tensor([True])), ValueError, "class numbers"),
        (lambda: ops.multilabel_margin_loss(SCORES, Tensor([[1]])), ValueError, "shape of input"),
        (lambda: ops.cosine_embedding_loss(SCORES, SCORES, Tensor([1, 1])), ValueError, "target"),
        (lambda: ops.tensor_dot(Tensor(np.ones((2, 3))), Tensor(np.ones((3, 2))), ((0, 1), (0, 1))),
            ValueError, r"lengths \[2, 3\]"),
        (lambda: ops.tensor_dot(SQUARE, SQUARE, 3), ValueError, "no 3 axes"),
        (lambda: ops.addbmm(SQUARE, SQUARE, SQUARE), ValueError, "must have 3 axes"),
    ],
    "whole numbers have no means, fractions do not count": [
        (lambda: ops.adaptive_avg_pool1d(WHOLE_ROW, 2), TypeError, "must hold floats"),
        (lambda: ops.interpolate(WHOLE_ROW, 4, mode="linear"), TypeError, "must hold floats"),
        (lambda: ops.matrix_power(SQUARE, 2.5), TypeError, "whole number"),
        (lambda: ops.max_pool1d(ROW, 2.0), ValueError, "kernel_size must be a whole number"),
        (lambda: ops.embedding(Tensor([0.0]), SQUARE), TypeError, "row numbers"),
        (lambda: ops.embedding(Tensor([True, False]), SQUARE), TypeError, "row numbers"),
        (lambda: ops.multi_margin_loss(SCORES, Tensor([0.0])), TypeError, "integers"),
        (lambda: ops.multilabel_margin_loss(SCORES, SCORES), TypeError, "integers"),
        (lambda: ops.randint(0, 3.5, (2,)), TypeError, "whole numbers"),
        (lambda: ops.uniform((2,), 0.0, 1.0, dtype=np.float64), TypeError, "float64"),
    ],
    "what is out of range": [
        (lambda: ops.embedding(WHOLE, SQUARE, padding_idx=5), ValueError, "none of the 2 rows"),
        (lambda: ops.multi_margin_loss(SCORES, Tensor([-1])), ValueError, "from 0 to 1"),
        (lambda: ops.multi_margin_loss(SCORES, Tensor([2])), ValueError, "from 0 to 1"),
        (lambda: ops.multilabel_margin_loss(SCORES, Tensor([[2, -1]])), ValueError, "below 2"),
        (lambda: ops.randperm(-1), ValueError, "0 or more"),
        (lambda: ops.gamma((2,), -1.0, 1.0), ValueError, "above 0"),
        (lambda: ops.poisson((2,), -1.0), ValueError, "0 or more"),
        (lambda: ops.uniform((2,), 3, 3, dtype=np.int32), ValueError, "below maxval"),
        (lambda: ops.multinomial(Tensor([0.0, 1.0]), 2, False), ValueError, "too few"),
        (lambda: ops.adaptive_avg_pool1d(ROW, -1), ValueError, "0 or more"),
        (lambda: ops.adaptive_max_pool1d(ROW, 0), ValueError, "1 or more"),
        (lambda: ops.adaptive_avg_pool2d(IMAGE, (1, 2, 3)), ValueError, "or 2 of them"),
        (lambda: ops.interpolate(ROW, scale_factor=0.1), ValueError, "1 or more"),
        (lambda: ops.interpolate(ROW, scale_factor=(1.0, 2.0)), ValueError, "scale_factor"),
        (lambda: ops.conv_transpose1d(ROW, Tensor([[[1.0]]]), padding=9), ValueError, "would have"),
        (lambda: ops.unfold(ROW, 2), ValueError, "4 axes"),
        (lambda: ops.glu(Tensor(1.0)), ValueError, "an axis to halve"),
        (lambda: ops.nll_loss(Tensor(1.0), Tensor(0)), ValueError, "axis of classes"),
        (lambda: ops.cross_entropy(Tensor(1.0), Tensor(0.5)), ValueError, "axis of classes"),
        (lambda: ops.cholesky(Tensor([[1.0, 2.0]])), ValueError, "square"),
        (lambda: ops.matrix_power(Tensor([[1.0, 2.0]]), 1), ValueError, "square"),
        (lambda: ops.einsum("i1", SQUARE), ValueError, "not by '1'"),
        (lambda: ops.batch_norm(SCORES, None, None, None, None), ValueError, "are needed"),
        (lambda: ops.clip_by_norm(iter([ROW]), 1.0), TypeError, "a Tensor or a list"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "words"), [case for cases in REFUSED.values() for case in cases]
)
def test_what_would_be_silently_wrong_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_smallest_of_cases_stay_allowed():
    assert ops.adaptive_avg_pool1d(ROW, 0).shape == (1, 1, 0)
    assert ops.shuffle(Tensor(1.0)).item() == 1.0
    assert ops.fold(Tensor([[[1.0], [2.0], [3.0], [4.0]]]), 2, 2).asnumpy().tolist() == [
        [[[1.0, 2.0], [3.0, 4.0]]]
    ]


# ------------------------------------------------------------------ what was wrong once, or silent
BIG = 100_000_001  # the nearest float32 is 1 less


@pytest.mark.parametrize(
    ("call", "expected", "dtype"),
    [
        (lambda: ops.truncate_div(Tensor([BIG, -7]), Tensor([1, 2])), [BIG, -3], "Int64"),
        (lambda: ops.div(Tensor([BIG, -7]), 2, rounding_mode="trunc"), [BIG // 2, -3], "Int64"),
        (lambda: ops.round(Tensor([123456789]), decimals=-1), [123456790], "Int64"),
        (lambda: ops.tril(Tensor([[True, True]])), [[True, False]], "Bool"),
        (lambda: ops.triu(Tensor([[True], [True]])), [[True], [False]], "Bool"),
        (lambda: ops.copysign(Tensor([3, 4], ms.uint8), Tensor([-1, 1])), [-3, 4], "Float32"),
        (lambda: ops.float_power(2.0, Tensor([1.0, 3.0])), [2, 8], "Float64"),
        (lambda: ops.subtract(1, Tensor([3.0])), [-2], "Float32"),
        (lambda: ops.nan_to_num(Tensor([1, 2])), [1, 2], "Int64"),
        (lambda: ops.nansum(Tensor([BIG, 2])), BIG + 2, "Int64"),
        (lambda: ops.linspace(Tensor(0.0, ms.float64), 1, 3), [0, 0.5, 1], "Float64"),
        (lambda: ops.unsorted_segment_max(Tensor([1, 2]), Tensor([0, 0]), 1), [2], "Int64"),
        (lambda: ops.unsorted_segment_min(Tensor([1], ms.int8), Tensor([1]), 2), [127, 1], "Int8"),
        (lambda: ops.unsorted_segment_max(Tensor([-INF, 1.0]), Tensor([0, 0]), 1), [1], "Float32"),
        (lambda: ops.cummax(Tensor([math.nan, 3.0]), 0)[0], [math.nan, math.nan], "Float32"),
        (lambda: ops.cummax(Tensor([1.0, math.nan, 3.0]), 0)[1], [0, 1, 1], "Int64"),
        (lambda: ops.cummin(Tensor([1.0, math.nan, 0.0]), 0)[1], [0, 1, 1], "Int32"),
        (lambda: ops.tensor_scatter_mul(Tensor([1.0, 2.0]), Tensor([[1], [1]]), 3), [1, 18],
            "Float32"),
    ],
)  # fmt: skip
def test_numbers_keep_their_value_and_kind(call, expected, dtype):
    out = call()
    np.testing.assert_array_equal(out.asnumpy(), expected)
    assert str(out.dtype) == dtype


@pytest.mark.parametrize(
    ("function", "expected", "gradient"),
    [
        (ops.unsorted_segment_sum, [4, 3], [1, 1, 1, 0]),
        (ops.unsorted_segment_max, [2, 3], [0.5, 0.5, 1, 0]),
        (ops.unsorted_segment_min, [2, 3], [0.5, 0.5, 1, 0]),
        (ops.unsorted_segment_prod, [4, 3], [2, 2, 1, 0]),
    ],
)
def test_an_id_below_0_belongs_to_no_segment(function, expected, gradient):
    x, ids = Tensor([2.0, 2.0, 3.0, 9.0]), Tensor([0, 0, 1, -1])
    np.testing.assert_array_equal(function(x, ids, 2).asnumpy(), expected)
    np.testing.assert_array_equal(grad(function)(x, ids, 2).asnumpy(), gradient)


V, M, INTEGERS = Tensor([1.0, 2.0, 3.0]), ops.zeros((2, 3)), Tensor([1, 2, 3])
CUBE, NUMBER = ops.zeros((2, 2, 2)), Tensor(1.0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ops.masked_select(V, Tensor([1, 0, 1])), TypeError, "booleans"),
        (lambda: ops.masked_scatter(V, Tensor([1, 0, 1]), V), TypeError, "booleans"),
        (lambda: ops.index_fill(INTEGERS, 0, Tensor([0]), 1.5), TypeError, "cast one of them"),
        (lambda: ops.tensor_scatter_mul(INTEGERS, Tensor([[0]]), V[:1]), TypeError, "Float32"),
        (lambda: ops.tensor_scatter_mul(V, Tensor([[3]]), V[:1]), IndexError, "3 is not in axis 0"),
        (lambda: ops.tensor_scatter_max(V, Tensor([[-4]]), V[:1]), IndexError, "-4 is not in axis"),
        (lambda: ops.scatter_add(V, Tensor([0.5]), V[:1]), TypeError, "must be integers"),
        (lambda: ops.unsorted_segment_max(V, INTEGERS, 3), IndexError, "no segment 3"),
        (lambda: ops.unsorted_segment_sum(V, INTEGERS[:2], 3), ValueError, "first lengths"),
        (lambda: ops.scatter(M, 0, INTEGERS, V), ValueError, "must have 2 axes"),
        (lambda: ops.fliplr(V), IndexError, "axis 1 is out of range"),
        (lambda: ops.flipud(NUMBER), IndexError, "0 axes"),
        (lambda: ops.sort(NUMBER), IndexError, "0 axes"),
        (lambda: ops.split(V, 1, (0, 0)), ValueError, "twice"),
        (lambda: ops.split(M, 1, (0, 1)), ValueError, "single axis"),
        (lambda: ops.split(V, (4, -1)), ValueError, "from 0 on"),
        (lambda: ops.broadcast_to(V, (-1, 3)), ValueError, "-1"),
        (lambda: ops.flatten(CUBE, start_dim=2, end_dim=1), ValueError, "comes after"),
        (lambda: ops.diff(V, -1), ValueError, "from 0 on"),
        (lambda: ops.cov(CUBE), ValueError, "at most 2 axes"),
        (lambda: ops.trace(CUBE), ValueError, "matrix"),
        (lambda: ops.tril(V), ValueError, "matrix"),
        (lambda: ops.vander(M), ValueError, "vector"),
        (lambda: ops.combinations(M), ValueError, "vector"),
        (lambda: ops.cartesian_prod(V, M), ValueError, "vector"),
        (lambda: ops.diag_embed(NUMBER), ValueError, "one axis"),
        (lambda: ops.strided_slice(V, (0,), (1,), (1, 1)), ValueError, "differ in length"),
        (lambda: ops.searchsorted(M, V), ValueError, "a row for each"),
        (lambda: ops.one_hot(INTEGERS, -1), ValueError, "from 0 on"),
        (lambda: ops.polygamma(-1, V), ValueError, "whole number"),
        (lambda: ops.addn([]), ValueError, "at least"),
        (lambda: ops.hstack([]), ValueError, "at least one"),
    ],
)
def test_what_cannot_be_meant_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_sequence_of_gradients_is_clipped_one_by_one():
    rows, row = Tensor([[0.1, -0.2], [0.3, 0.4]]), Tensor([1.0, -3.0, 0.0])
    first, second = ops.clip_by_value([rows, row], -0.1, 0.2)
    np.testing.assert_allclose(first.asnumpy(), [[0.1, -0.1], [0.2, 0.2]])
    np.testing.assert_allclose(second.asnumpy(), [0.2, -0.1, 0.0])


def test_what_their_docstrings_promise_to_refuse():
    with pytest.raises(ValueError, match="rows must be equally long"):
        ops.cdist(Tensor([[1.0]]), Tensor([[2.0, 3.0]]))
    with pytest.raises(ValueError, match="two axes at most"):
        ops.block_diag(ops.ones((1, 1, 1)))
    with pytest.raises(ValueError, match="one matrix or more"):
        ops.block_diag()


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_slopes_next_to_1_are_right_to_the_last_digits(gap):
    x = np.float32(1 - gap)
    below, above = 1 - float(x), 1 + float(x)
    for fn, slope in [
        (ops.asin, (below * above) ** -0.5),
        (ops.acos, -((below * above) ** -0.5)),
        (ops.atanh, 1 / (below * above)),
    ]:
        np.testing.assert_allclose(float(ms.grad(fn)(Tensor(x))), slope, rtol=3e-7)
