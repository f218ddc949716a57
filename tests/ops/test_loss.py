"""Losses: the formulas written out in numpy, gradients to second order, what they refuse."""

import numpy as np
import pytest
from check import check_grads

from minigrad import Tensor, ops

draw = np.random.default_rng(10)
LOGITS = draw.normal(size=(5, 3))
GOALS = draw.normal(size=(5, 3))
CHANCES = draw.uniform(0.1, 0.9, (5, 3))
LABELS = draw.uniform(0.1, 0.9, (5, 3))
WEIGHT = draw.uniform(0.5, 2, 3)
CLASSES = np.array([2, 0, 1, 1, 2])
LOG_P = np.log(np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True))
PICKED = LOG_P[np.arange(5), CLASSES]
DISTANCE = np.abs(LOGITS - GOALS)
SIGMOID = 1 / (1 + np.exp(-LOGITS))
REDUCED = {"none": np.array, "mean": np.mean, "sum": np.sum}

LOSSES = {
    "mse": (ops.mse_loss, [LOGITS, GOALS], DISTANCE**2),
    "l1": (ops.l1_loss, [LOGITS, GOALS], DISTANCE),
    "smooth_l1": (lambda x, y, r: ops.smooth_l1_loss(x, y, 0.5, r), [LOGITS, GOALS],
        np.where(DISTANCE < 0.5, DISTANCE**2, DISTANCE - 0.25)),
    "huber": (lambda x, y, r: ops.huber_loss(x, y, r, 0.5), [LOGITS, GOALS],
        np.where(DISTANCE < 0.5, DISTANCE**2 / 2, DISTANCE / 2 - 0.125)),
    "bce": (lambda p, y, r: ops.binary_cross_entropy(p, y, None, r), [CHANCES, LABELS],
        -LABELS * np.log(CHANCES) - (1 - LABELS) * np.log(1 - CHANCES)),
    "bce_weight": (
        lambda p, y, w, r: ops.binary_cross_entropy(p, y, w, r), [CHANCES, LABELS, WEIGHT],
        -WEIGHT * (LABELS * np.log(CHANCES) + (1 - LABELS) * np.log(1 - CHANCES))),
    "bce_logits": (
        lambda x, y, r: ops.binary_cross_entropy_with_logits(x, y, reduction=r), [LOGITS, LABELS],
        -LABELS * np.log(SIGMOID) - (1 - LABELS) * np.log(1 - SIGMOID)),
    "bce_logits_weights": (
        lambda x, y, w, p, r: ops.binary_cross_entropy_with_logits(x, y, w, p, r),
        [LOGITS, LABELS, CHANCES, WEIGHT],
        -CHANCES * (WEIGHT * LABELS * np.log(SIGMOID) + (1 - LABELS) * np.log(1 - SIGMOID))),
    "kl_div": (ops.kl_div, [LOG_P, LABELS], LABELS * (np.log(LABELS) - LOG_P)),
    "nll": (lambda x, r: ops.nll_loss(x, Tensor(CLASSES), reduction=r), [LOG_P], -PICKED),
    "gaussian_nll": (
        lambda x, y, v, r: ops.gaussian_nll_loss(x, y, v, reduction=r),
        [LOGITS, GOALS, LABELS[:, 0]],
        (np.log(LABELS[:, :1]) + DISTANCE**2 / LABELS[:, :1]) / 2),
    "cross_entropy": (
        lambda x, r: ops.cross_entropy(x, Tensor(CLASSES), reduction=r), [LOGITS], -PICKED),
    "cross_entropy_chances": (
        lambda x, y, r: ops.cross_entropy(x, y, reduction=r), [LOGITS, LABELS],
        -(LABELS * LOG_P).sum(1)),
    "cross_entropy_chances_smooth": (
        lambda x, y, r: ops.cross_entropy(x, y, reduction=r, label_smoothing=0.3),
        [LOGITS, LABELS], -((LABELS * 0.7 + 0.1) * LOG_P).sum(1)),
    "cross_entropy_chances_weight": (
        lambda x, y, w, r: ops.cross_entropy(x, y, w, reduction=r), [LOGITS, LABELS, WEIGHT],
        -(LABELS * WEIGHT * LOG_P).sum(1)),
}  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCED)
@pytest.mark.parametrize(("loss", "inputs", "wanted"), LOSSES.values(), ids=LOSSES)
def test_loss(loss, inputs, wanted, reduction):
    got = loss(*map(Tensor, inputs), reduction)
    np.testing.assert_allclose(got.asnumpy(), REDUCED[reduction](wanted), rtol=1e-12)
    check_grads(lambda *xs: loss(*xs, reduction), *inputs)


@pytest.mark.parametrize("loss", [ops.nll_loss, ops.cross_entropy])
def test_weights_smoothing_and_ignored_targets(loss):
    """The mean divides by the weights that were used; smoothing adds a share of every class."""
    target, used = np.array([2, 0, -7, 1, 2]), np.array([1, 1, 0, 1, 1])
    share = WEIGHT[[2, 0, 0, 1, 2]] * used
    smooth = -(LOG_P * WEIGHT).sum(1) * used
    each = 0.7 * share * -LOG_P[np.arange(5), [2, 0, 0, 1, 2]] + 0.3 / 3 * smooth
    wanted = {"none": each, "sum": each.sum(), "mean": each.sum() / share.sum()}
    for reduction, value in wanted.items():

        def call(x, w, reduction=reduction):
            return loss(x, Tensor(target), w, -7, reduction, 0.3)

        x = LOG_P if loss is ops.nll_loss else LOGITS
        np.testing.assert_allclose(call(Tensor(x), Tensor(WEIGHT)).asnumpy(), value, rtol=1e-12)
        check_grads(call, x, WEIGHT)


def test_pixels_and_a_single_sample():
    x = draw.normal(size=(2, 3, 4))
    target = np.array([[0, 2, 1, 1], [2, 2, 0, 1]])
    log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
    wanted = -np.take_along_axis(log_p, target[:, None], 1)[:, 0]
    got = ops.cross_entropy(Tensor(x), Tensor(target), reduction="none")
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12)
    check_grads(lambda x: ops.cross_entropy(x, Tensor(target)), x)
    one = ops.cross_entropy(Tensor(LOGITS[0]), Tensor(2))
    np.testing.assert_allclose(one.asnumpy(), -LOG_P[0, 2], rtol=1e-12)


def test_kl_div_batchmean():
    got = ops.kl_div(Tensor(LOG_P), Tensor(LABELS), "batchmean").asnumpy()
    np.testing.assert_allclose(got, (LABELS * (np.log(LABELS) - LOG_P)).sum() / 5, rtol=1e-12)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cosine_similarity(dim):
    lengths = np.sqrt((LOGITS**2).sum(dim) * (GOALS**2).sum(dim))
    got = ops.cosine_similarity(Tensor(LOGITS), Tensor(GOALS), dim).asnumpy()
    np.testing.assert_allclose(got, (LOGITS * GOALS).sum(dim) / lengths, rtol=1e-12)
    check_grads(lambda x, y: ops.cosine_similarity(x, y, dim), LOGITS, GOALS)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ops.mse_loss(x, x, "avg"), ValueError, "'avg'"),
        (lambda x: ops.cross_entropy(x, Tensor(CLASSES), reduction=None), ValueError, "None"),
        (lambda x: ops.nll_loss(x, x), TypeError, "class numbers"),
        (lambda x: ops.nll_loss(x, Tensor([0, 1])), ValueError, r"\(2,\).*\(5,\)"),
        (lambda x: ops.nll_loss(x, Tensor([0, 1, 2, 3, 0])), ValueError, "3 is no class"),
        (lambda x: ops.cross_entropy(x, Tensor([0, 1, 2, -1, 0])), ValueError, "-1 is no class"),
        (
            lambda x: ops.cross_entropy(x, Tensor(CLASSES), Tensor([1.0])),
            ValueError,
            r"weight has shape \(1,\)",
        ),
        (lambda x: ops.smooth_l1_loss(x, x, 0), ValueError, "beta must be above 0"),
        (lambda x: ops.huber_loss(x, x, delta=-1), ValueError, "delta must be above 0"),
        (lambda x: ops.mse_loss(x, Tensor([1.0, 2.0])), ValueError, "broadcast"),
        (
            lambda x: ops.multi_margin_loss(x, Tensor(CLASSES), p=3),
            ValueError,
            "multi_margin_loss: p must be 1 or 2, but got 3",
        ),
        (
            lambda x: ops.multi_margin_loss(x, Tensor([0, 1])),
            ValueError,
            r"multi_margin_loss: .*target \(N,\).*\(5, 3\) and \(2,\)",
        ),
        (
            lambda x: ops.multi_margin_loss(x, Tensor(CLASSES), weight=x[0, :2]),
            ValueError,
            r"multi_margin_loss: weight has shape \(2,\), but there are 3 classes",
        ),
        (
            lambda x: ops.cosine_embedding_loss(x, x, Tensor([1] * 5), margin=2),
            ValueError,
            r"cosine_embedding_loss: margin must be in \[-1, 1\], but got 2",
        ),
        (
            lambda x: ops.cosine_embedding_loss(x, x[:1], Tensor([1] * 5)),
            ValueError,
            r"cosine_embedding_loss: the inputs must have one shape, not \(5, 3\) and \(1, 3\)",
        ),
        (
            lambda x: ops.gaussian_nll_loss(x, x, x, eps=0),
            ValueError,
            "gaussian_nll_loss: eps must be above 0, but got 0",
        ),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor(LOGITS))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_labels_below_0_are_no_classes_in_any_dtype(dtype):
    """Of more classes, too, than the dtype of the labels has numbers."""
    x = Tensor(np.random.default_rng(0).normal(size=(2, 300)))
    wanted = -np.log(np.exp(x.asnumpy()[1, 3]) / np.exp(x.asnumpy()[1]).sum())
    ignored = ops.cross_entropy(x, Tensor(np.array([-100, 3], dtype)))
    np.testing.assert_allclose(ignored.asnumpy(), wanted, rtol=1e-12)
    with pytest.raises(ValueError, match="target -1 is no class"):
        ops.cross_entropy(x, Tensor(np.array([-1, 3], dtype)))
