"""Losses that ask for a margin, and likelihoods of counts and spreads, by MindSpore's names."""

import math

import numpy as np

from ..rules.elementwise import exp, log, maximum, minimum, softplus, square, where
from ..rules.index import take_along
from ..rules.reduce import mean
from ..rules.reduce import sum as total
from ..rules.shape import stop_gradient
from ..tensor import Tensor, unwrap, wrap
from .linalg import vector_norm
from .loss import reduced


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """max(0, -target (input1 - input2) + margin), for targets 1 and -1."""
    return reduced(maximum(-target * (input1 - input2) + margin, 0), reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean") -> Tensor:
    """The distance itself where the target is 1, max(0, margin - distance) where it is -1."""
    far = where(targets == -1, maximum(margin - inputs, 0), 0.0)
    return reduced(where(targets == 1, inputs, 0.0) + far, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """1 - cos for a pair of vectors with target 1, max(0, cos - margin) for one with -1."""
    lengths = total(square(input1), -1) * total(square(input2), -1)
    cosine = total(input1 * input2, -1) / (lengths + 1e-12) ** 0.5
    far = where(target == -1, maximum(cosine - margin, 0), 0.0)
    return reduced(where(target == 1, 1 - cosine, far), reduction)


def soft_margin_loss(input, target, reduction="mean") -> Tensor:
    """log(1 + exp(-target input)), for targets 1 and -1."""
    return reduced(softplus(-target * input), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction="mean"
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d being the p-norm distance.

    ``swap`` takes the distance from positive to negative where it is smaller.
    (Schroff, Kalenichenko and Philbin, 2015; Balntas et al., 2016.)
    """

    def distance(x, y):
        return vector_norm(x - y + eps, p, -1)

    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(maximum(distance(anchor, positive) - far + margin, 0), reduction)


def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean") -> Tensor:
    """The sum over the other classes of max(0, margin - x_target + x)^p, over the classes.

    input has shape (batch, classes), target holds class numbers.
    """
    labels = np.asarray(unwrap(target))
    own = take_along(input, labels[:, None], 1)
    loss = maximum(margin - own + input, 0) ** p
    if weight is not None:
        loss = loss * weight[labels][:, None]
    others = np.arange(input.shape[1]) != labels[:, None]
    return reduced(total(where(wrap(others), loss, 0.0), 1) / input.shape[1], reduction)


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
    loss = total(pairs, (1, 2)) / x.shape[1]
    return reduced(loss if input.ndim > 1 else loss[0], reduction)


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor:
    """The mean over the classes of the binary cross entropy of sigmoid(input)."""
    loss = target * softplus(-input) + (1 - target) * softplus(input)
    return reduced(mean(loss if weight is None else loss * weight, -1), reduction)


def gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction="mean") -> Tensor:
    """-log of the density at target of a normal of mean x and variance var, which is at least eps.

    ``full`` adds the constant, log(2 pi) / 2.
    """
    spread = var + stop_gradient(maximum(eps - var, 0))
    loss = 0.5 * (log(spread) + square(x - target) / spread)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def poisson_nll_loss(
    input, target, log_input=True, full=False, eps=1e-08, reduction="mean"
) -> Tensor:
    """-log of the chance of the count target from a Poisson law of mean exp(input), or input.

    ``full`` adds Stirling's approximation of log(target!), for targets above 1.
    """
    rate = exp(input) if log_input else input
    loss = rate - target * (input if log_input else log(input + eps))
    if full:
        n = where(target > 1, target, 1.0)
        loss = loss + where(target > 1, n * log(n) - n + 0.5 * log(2 * math.pi * n), 0.0)
    return reduced(loss, reduction)


__all__ = [
    "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "poisson_nll_loss", "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip
