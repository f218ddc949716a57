"""Losses that want values apart by a margin, and of distributions, by MindSpore's names.

``reduction`` is "mean", "sum" or "none". Inputs and targets are Tensors of one shape, except where
a function says otherwise.
"""

import math

import numpy as np

from ..batch import answer
from ..rules.elementwise import absolute, exp, log, maximum, minimum, softplus, square, where
from ..rules.reduce import mean, sum
from ..tensor import Tensor, as_array, wrap
from .loss import _reduce
from .reduce import root


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """max(0, margin - y (a - b)): a shall be above b where y is 1, and below where it is -1.

    At the kink the gradient is that of the slope.
    Shapes: three that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.margin_ranking_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
    2.0

    Source: Joachims, "Optimizing Search Engines using Clickthrough Data", KDD, 2002, for the
    constraint.
    """
    gap = margin - target * (input1 - input2)
    return _reduce(where(gap >= 0, gap, 0), reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean") -> Tensor:
    """x where y is 1, max(0, margin - x) where it is -1: x is a distance of two things.

    At the kink half the gradient flows. Where y is 0 the loss is 0.
    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.hinge_embedding_loss(Tensor([0.25, 2.0]), Tensor([-1.0, 1.0]), reduction="none"))
    [0.75 2.  ]

    Source: Hadsell, Chopra and LeCun, "Dimensionality Reduction by Learning an Invariant
    Mapping", CVPR, 2006, without the squares.
    """
    near = where(targets > 0, inputs, 0)
    far = where(targets < 0, maximum(margin - inputs, 0), 0)
    return _reduce(near + far, reduction)


def soft_margin_loss(input, target, reduction="mean") -> Tensor:
    """log(1 + exp(-y x)), without overflow; y is 1 or -1.

    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.soft_margin_loss(Tensor([0.0, -100.0]), Tensor([1.0, 1.0]), "none"))
    [  0.6931472 100.       ]

    Source: Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2009,
    section 10.6.
    """
    return _reduce(softplus(-(target * input)), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor:
    """The binary cross entropy of sigmoid(input), averaged over the classes (the last axis).

    Shapes: (..., C) for input and target, and (C,) for weight.
    Out: (...) for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))  # log 2
    0.6931472

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.2.2.2.
    """
    loss = target * softplus(-input) + (1 - target) * softplus(input)
    return _reduce(mean(loss if weight is None else loss * weight, -1), reduction)


def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean") -> Tensor:
    """The sum over classes j ≠ y of w_y max(0, margin - x_y + x_j)^p, over the number of classes.

    At a kink the gradient is 0.
    Shapes: input (N, C), target (N,), weight (C,).
    Out: (N,) for reduction "none", else one number.
    Dtypes: floats, kept; whole numbers become float32. target: integers.
    Raises TypeError if target holds no integers, ValueError if p is not 1 or 2, or for shapes or
    classes that do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.multi_margin_loss(Tensor([[1.0, 2.0]]), Tensor([0])))  # (1 - 1 + 2) / 2
    1.0

    Source: Weston and Watkins, "Support Vector Machines for Multi-Class Pattern Recognition",
    ESANN, 1999.
    """
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p must be 1 or 2, but got {p}")
    labels = wrap(as_array(target))
    if labels.array.dtype.kind not in "iu":
        raise TypeError(f"multi_margin_loss: target must hold integers, not {labels.dtype}")
    if input.ndim != 2 or labels.shape != input.shape[:1]:
        raise ValueError(
            "multi_margin_loss: input must have shape (N, C) and target (N,), but they have "
            f"{input.shape} and {labels.shape}"
        )
    classes = input.shape[1]
    if answer(labels, lambda label: ((label < 0) | (label >= classes)).any()):
        raise ValueError(f"multi_margin_loss: target must be from 0 to {classes - 1}")
    if weight is not None and weight.shape != (classes,):
        raise ValueError(
            f"multi_margin_loss: weight has shape {weight.shape}, but there are {classes} classes"
        )
    rows = np.arange(input.shape[0])
    gap = margin - input[rows, labels].reshape((-1, 1)) + input
    gap = where(gap > 0, gap, 0)
    loss = gap if p == 1 else square(gap)
    if weight is not None:
        loss = loss * weight[labels].reshape((-1, 1))
    others = labels[:, None] != np.arange(classes)
    return _reduce(mean(where(others, loss, 0), 1), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """1 - cos where y is 1, max(0, cos - margin) where it is -1, for cos of the angle along axis 1.

    A row of zeros has no angle: the loss is nan. At the kink half the gradient flows.
    Shapes: (N, D) for both inputs, (N,) for target.
    Out: (N,) for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if margin is not in [-1, 1], for shapes that do not fit or another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cosine_embedding_loss(Tensor([[1.0, 0.0]]), Tensor([[0.0, 2.0]]), Tensor([1])))
    1.0

    Source: the definition.
    """
    if not -1 <= margin <= 1:
        raise ValueError(f"cosine_embedding_loss: margin must be in [-1, 1], but got {margin}")
    if input1.shape != input2.shape:
        raise ValueError(
            f"cosine_embedding_loss: the inputs must have one shape, not {input1.shape} and "
            f"{input2.shape}"
        )
    if target.shape != input1.shape[:1] + input1.shape[2:]:
        raise ValueError(
            f"cosine_embedding_loss: target has shape {target.shape}, which is not that of the "
            f"inputs {input1.shape} without axis 1"
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
    ``swap`` takes d(positive, negative) instead, if that is smaller. At the kink half flows.
    Shapes: (N, D, ...), three that broadcast.
    Out: (N, ...) for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if p is 0 or the shapes do not fit, IndexError if there is no axis 1.

    >>> from minigrad import Tensor, ops
    >>> print(ops.triplet_margin_loss(Tensor([[0.0]]), Tensor([[3.0]]), Tensor([[2.0]]), eps=0.0))
    2.0

    Source: Balntas et al., "Learning local feature descriptors with triplets and shallow
    convolutional neural networks", BMVC, 2016.
    """
    if p == 0:
        raise ValueError("triplet_margin_loss: p must not be 0")

    def distance(x, y):
        apart = absolute(x - y + eps)
        return root(sum(square(apart), 1)) if p == 2 else sum(apart**p, 1) ** (1 / p)

    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return _reduce(maximum(distance(anchor, positive) - far + margin, 0), reduction)


def gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction="mean") -> Tensor:
    """(log var + (x - target)² / var) / 2: minus the log of a normal density.

    A var below ``eps`` counts as eps. ``full`` adds log(2π) / 2.
    Shapes: three that broadcast; var may lack the last axis.
    Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if eps is not above 0 or the shapes do not fit, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gaussian_nll_loss(Tensor([3.0]), Tensor([1.0]), Tensor([1.0])))  # (0 + 4) / 2
    2.0

    Source: Nix and Weigend, "Estimating the mean and variance of the target probability
    distribution", 1994.
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
    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.poisson_nll_loss(Tensor([0.0]), Tensor([3.0])))  # exp(0) - 0
    1.0

    Source: McCullagh and Nelder, "Generalized Linear Models", 1989; DLMF 5.11 for Stirling.
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
