"""Losses that want values apart by a margin, and of distributions, by MindSpore's names.

``reduction`` is "mean", "sum" or "none". Inputs and targets are Tensors of one shape, except where
a function says otherwise.
"""

import math

import numpy as np

from ..rules.elementwise import absolute, exp, log, maximum, minimum, softplus, square, where
from ..rules.reduce import mean, sum
from ..tensor import Tensor, unwrap, wrap
from .loss import _reduce
from .reduce import root


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """max(0, margin - y (a - b)): a shall be above b where y is 1, and below where it is -1.

    >>> from minigrad import ops, Tensor
    >>> print(ops.margin_ranking_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
    2.0
    """
    gap = margin - target * (input1 - input2)
    return _reduce(where(gap >= 0, gap, 0), reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean") -> Tensor:
    """x where y is 1, max(0, margin - x) where it is -1: x is a distance of two things.

    >>> from minigrad import ops, Tensor
    >>> print(ops.hinge_embedding_loss(Tensor([0.25, 2.0]), Tensor([-1.0, 1.0]), reduction="none"))
    [0.75 2.  ]
    """
    near = where(targets > 0, inputs, 0)
    far = where(targets < 0, maximum(margin - inputs, 0), 0)
    return _reduce(near + far, reduction)


def soft_margin_loss(input, target, reduction="mean") -> Tensor:
    """log(1 + exp(-y x)), without overflow; y is 1 or -1.

    >>> from minigrad import ops, Tensor
    >>> print(ops.soft_margin_loss(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """
    return _reduce(softplus(-(target * input)), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor:
    """The binary cross entropy of sigmoid(input), averaged over the classes (the last axis).

    >>> from minigrad import ops, Tensor
    >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))
    0.6931472
    """
    loss = target * softplus(-input) + (1 - target) * softplus(input)
    return _reduce(mean(loss if weight is None else loss * weight, -1), reduction)


def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean") -> Tensor:
    """sum over classes j ≠ y of max(0, w_y (margin - x_y + x_j))^p, over the number of classes.

    ``input`` has shape (N, C), ``target`` holds N class numbers, ``weight`` one number a class.

    >>> from minigrad import ops, Tensor
    >>> print(ops.multi_margin_loss(Tensor([[1.0, 2.0]]), Tensor([0])))
    1.0
    """
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p must be 1 or 2, but got {p}")
    rows, labels = np.arange(input.shape[0]), np.asarray(unwrap(target))
    gap = margin - input[rows, labels].reshape((-1, 1)) + input
    gap = where(gap > 0, gap, 0)
    loss = gap if p == 1 else square(gap)
    if weight is not None:
        loss = loss * weight[labels].reshape((-1, 1))
    others = wrap(np.arange(input.shape[1]) != labels[:, None])
    return _reduce(mean(where(others, loss, 0), 1), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """1 - cos where y is 1, max(0, cos - margin) where it is -1; cos is that of the angle of rows.

    The inputs have shape (N, D), the target (N,).

    >>> from minigrad import ops, Tensor
    >>> print(ops.cosine_embedding_loss(Tensor([[1.0, 0.0]]), Tensor([[0.0, 2.0]]), Tensor([1])))
    1.0
    """
    if not -1 <= margin <= 1:
        raise ValueError(f"cosine_embedding_loss: margin must be in [-1, 1], but got {margin}")
    if input1.shape != input2.shape:
        raise ValueError(
            f"cosine_embedding_loss: the inputs must have one shape, not {input1.shape} and "
            f"{input2.shape}"
        )
    lengths = root(sum(square(input1), 1)) * root(sum(square(input2), 1))
    cosine = sum(input1 * input2, 1) / lengths
    near = where(target == 1, 1 - cosine, 0)
    return _reduce(near + where(target == -1, maximum(cosine - margin, 0), 0), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction="mean"
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), for d the p-norm along axis 1.

    ``eps`` is added to each difference, so that d has a gradient where two things are equal.
    ``swap`` takes d(positive, negative) instead, if that is smaller (Balntas et al., 2016).

    >>> from minigrad import ops, Tensor
    >>> print(ops.triplet_margin_loss(Tensor([[0.0]]), Tensor([[3.0]]), Tensor([[2.0]]), eps=0.0))
    2.0
    """

    def distance(x, y):
        apart = absolute(x - y + eps)
        return root(sum(square(apart), 1)) if p == 2 else sum(apart**p, 1) ** (1 / p)

    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return _reduce(maximum(distance(anchor, positive) - far + margin, 0), reduction)


def gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction="mean") -> Tensor:
    """(log var + (x - target)² / var) / 2: minus the log of a normal density.

    ``var``, no less than eps, has x's shape, or lacks the last axis. ``full`` adds log(2π) / 2.

    >>> from minigrad import ops, Tensor
    >>> print(ops.gaussian_nll_loss(Tensor([3.0]), Tensor([1.0]), Tensor([1.0])))
    2.0
    """
    if eps <= 0:
        raise ValueError(f"gaussian_nll_loss: eps must be above 0, but got {eps}")
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = var.reshape((*var.shape, 1))
    var = maximum(var, eps)
    constant = 0.5 * math.log(2 * math.pi) if full else 0.0
    return _reduce(0.5 * (log(var) + square(x - target) / var) + constant, reduction)


def poisson_nll_loss(
    input, target, log_input=True, full=False, eps=1e-08, reduction="mean"
) -> Tensor:
    """exp(x) - y x: minus the log of Poisson's distribution of y, for x the log of its mean.

    Without ``log_input`` x is the mean itself, and the loss x - y log(x + eps). ``full`` adds
    Stirling's approximation of log y! where y is above 1.

    >>> from minigrad import ops, Tensor
    >>> print(ops.poisson_nll_loss(Tensor([0.0]), Tensor([3.0])))
    1.0
    """
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        y = maximum(target, 1)
        stirling = (y + 0.5) * log(y) - y + 0.5 * math.log(2 * math.pi)
        loss = loss + where(target > 1, stirling, 0)
    return _reduce(loss, reduction)


__all__ = [
    "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss",
    "multi_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss", "soft_margin_loss",
    "triplet_margin_loss",
]  # fmt: skip
