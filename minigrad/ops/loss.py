"""Loss functions, by MindSpore's names: how far predictions are from targets."""

import numpy as np

from ..batch import every_value
from ..rules import reduce as rules
from ..rules.elementwise import absolute, log, maximum, not_equal, softplus, square, where
from ..rules.index import take_along
from ..rules.reduce import log_softmax, mean, sum
from ..rules.shape import cast, reshape, stop_gradient
from ..tensor import Tensor, as_array, unwrap, wrap
from .composed import xlogy
from .linalg import vector_norm


def _reduce(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return sum(loss)
    raise ValueError(f'reduction must be "none", "mean" or "sum", but got {reduction!r}')


def mse_loss(input, target, reduction="mean") -> Tensor:
    """The squared distance, (input - target) squared."""
    return _reduce(square(input - target), reduction)


def l1_loss(input, target, reduction="mean") -> Tensor:
    """The distance, |input - target|."""
    return _reduce(absolute(input - target), reduction)


def smooth_l1_loss(input, target, beta=1.0, reduction="none") -> Tensor:
    """The distance less beta / 2, and a parabola within beta of 0."""
    if beta <= 0:
        raise ValueError(f"smooth_l1_loss: beta must be above 0, but got {beta}; for 0 use l1_loss")
    distance = absolute(input - target)
    near = distance < beta
    return _reduce(where(near, square(distance) / (2 * beta), distance - beta / 2), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0) -> Tensor:
    """A parabola within delta of the target, straight lines outside."""
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be above 0, but got {delta}")
    return _reduce(delta * smooth_l1_loss(input, target, delta), reduction)


def binary_cross_entropy(logits, labels, weight=None, reduction="mean") -> Tensor:
    """-(y log p + (1 - y) log(1 - p)) of probabilities p (here called logits) and labels y."""
    loss = -(labels * _log(logits) + (1 - labels) * _log(1 - logits))
    return _reduce(loss if weight is None else loss * weight, reduction)


def _log(x):
    """log x, but no less than log 1e-12: a wrong certainty costs much, and not infinitely much.

    Its slope there is 1e12, and not 0, so that one can learn from it.
    """
    return log(x + stop_gradient(maximum(1e-12 - x, 0)))


def binary_cross_entropy_with_logits(
    input, target, weight=None, pos_weight=None, reduction="mean"
) -> Tensor:
    """The binary cross entropy of sigmoid(input), without overflow.

    weight (y' softplus(-x) p + (1 - y) softplus(x)), for x the input, y the target and p the
    ``pos_weight``, which weighs the positive cases. All broadcast together.
    """
    positive = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    loss = (1 - target) * input + positive * softplus(-input)
    return _reduce(loss if weight is None else loss * weight, reduction)


def nll_loss(
    inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """Minus the log-probability (inputs, axis 1) of each target class.

    ``weight`` is one number for each class; "mean" divides by the sum of the weights used.
    Targets equal to ``ignore_index`` count nothing.
    """
    log_p = reshape(inputs, (1, -1)) if inputs.ndim == 1 else inputs
    labels = wrap(as_array(target))
    classes = log_p.shape[1]
    if labels.array.dtype.kind not in "iu":
        raise TypeError(f"nll_loss: target must hold class numbers (integers), not {labels.dtype}")
    if labels.shape != (shape := (*inputs.shape[:1], *inputs.shape[2:]) if inputs.ndim > 1 else ()):
        raise ValueError(f"nll_loss: target has shape {labels.shape}, but inputs call for {shape}")
    labels = reshape(labels, log_p.shape[:1] + log_p.shape[2:])
    if weight is not None and weight.shape != (classes,):
        raise ValueError(
            f"nll_loss: weight has shape {weight.shape}, but there are {classes} classes"
        )
    every = every_value(labels)
    bad = every[(every != ignore_index) & ((every < 0) | (every >= classes))]
    if bad.size:
        raise ValueError(f"nll_loss: target {bad[0]} is no class; there are {classes}, from 0 on")
    used = not_equal(labels, ignore_index)
    places = where(used, labels, 0)
    along = reshape(places, (places.shape[0], 1, *places.shape[1:]))
    picked = reshape(take_along(log_p, unwrap(along), 1), labels.shape)
    share = used = cast(used, unwrap(log_p).dtype)
    if weight is not None:
        share = share * weight[places]
    loss = -(picked * share)
    if label_smoothing:
        weights = 1 if weight is None else reshape(weight, (1, -1, *[1] * (log_p.ndim - 2)))
        smooth = -sum(log_p * weights, 1) * used
        loss = (1 - label_smoothing) * loss + label_smoothing / classes * smooth
    if reduction == "mean":
        return sum(loss) / sum(share)
    return _reduce(reshape(loss, np.shape(unwrap(target))), reduction)


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """The negative log of the softmax of input (axis 1) at each target class.

    ``target`` holds class numbers, or probabilities in the shape of input.
    """
    labels = as_array(target)
    if weight is None and not label_smoothing and _all_are_classes(labels, input, ignore_index):
        return _reduce(rules.cross_entropy(input, wrap(labels)), reduction)
    axis = 0 if input.ndim == 1 else 1
    log_p = log_softmax(input, axis)
    if labels.dtype.kind in "iu":
        return nll_loss(log_p, target, weight, ignore_index, reduction, label_smoothing)
    classes = input.shape[axis]
    goal = target * (1 - label_smoothing) + label_smoothing / classes
    if weight is not None:
        goal = goal * reshape(weight, (-1, *[1] * (input.ndim - axis - 1)))
    loss = -sum(goal * log_p, axis)
    return sum(loss) / (loss.size or 1) if reduction == "mean" else _reduce(loss, reduction)


def multilabel_margin_loss(input, target, reduction="mean") -> Tensor:
    """The sum over targets t and other classes c of max(0, 1 - (x_t - x_c)), over the classes.

    A row of ``target`` lists class numbers, up to the first -1.
    """
    labels = np.atleast_2d(np.asarray(unwrap(target)))
    x = input.reshape((1, -1)) if input.ndim == 1 else input
    used = np.cumprod(labels >= 0, axis=1, dtype=bool)
    places = np.where(used, labels, 0)
    is_target = np.zeros(x.shape, bool)
    np.logical_or.at(is_target, (np.arange(len(labels))[:, None], places), used)
    own = take_along(x, places, 1)
    pairs = maximum(1 - own[:, :, None] + x[:, None, :], 0)
    pairs = where(wrap(used[:, :, None] & ~is_target[:, None, :]), pairs, 0.0)
    loss = sum(pairs, (1, 2)) / x.shape[1]
    return _reduce(loss if input.ndim > 1 else loss[0], reduction)


def _all_are_classes(labels, input, ignore_index) -> bool:
    """Whether there is one class number, not to be ignored, for each row of a matrix."""
    if labels.dtype.kind not in "iu" or input.ndim != 2 or labels.shape != input.shape[:1]:
        return False
    every = every_value(wrap(labels))
    return bool(np.all((every >= 0) & (every < input.shape[1]) & (every != ignore_index)))


def kl_div(logits, labels, reduction="mean") -> Tensor:
    """y (log y - x), for x the logits, which are log-probabilities, and y the labels."""
    loss = xlogy(labels, labels) - labels * logits
    if reduction == "batchmean":
        return sum(loss) / logits.shape[0]
    return _reduce(loss, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    """The cosine of the angle between the vectors along dim."""
    lengths = vector_norm(x1, 2, dim) * vector_norm(x2, 2, dim)
    return sum(x1 * x2, dim) / where(lengths > eps, lengths, eps)


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_similarity",
    "cross_entropy", "huber_loss", "kl_div", "l1_loss", "mse_loss", "multilabel_margin_loss",
    "nll_loss", "smooth_l1_loss",
]  # fmt: skip
