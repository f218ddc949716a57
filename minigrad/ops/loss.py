"""Loss functions, by MindSpore's names: how far predictions are from targets."""

import numpy as np

from ..batch import answer, every_value
from ..rules import reduce as rules
from ..rules.elementwise import absolute, equal, log, maximum, not_equal, softplus, square, where
from ..rules.index import take_along
from ..rules.reduce import log_softmax, mean, sum
from ..rules.shape import cast, reshape, stop_gradient
from ..samples import for_each_sample
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
    """(x - y)² for input x and target y: the squared distance.

    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one. A mean of whole numbers is float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([1.0, 6.0])))  # the mean of 0 and 16
    8.0

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 5.1.4.
    """
    return _reduce(square(input - target), reduction)


def l1_loss(input, target, reduction="mean") -> Tensor:
    """|x - y| for input x and target y: the distance, with gradient 0 where both are equal.

    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one. A mean of whole numbers is float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.l1_loss(Tensor([1.0, 2.0]), Tensor([1.0, 6.0])))  # the mean of 0 and 4
    2.0

    Source: the definition.
    """
    return _reduce(absolute(input - target), reduction)


def smooth_l1_loss(input, target, beta=1.0, reduction="none") -> Tensor:
    """|x - y| - beta / 2, and a parabola (x - y)² / (2 beta) within beta of 0.

    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if beta is not above 0 or the shapes do not fit, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.smooth_l1_loss(Tensor([0.0, 0.0]), Tensor([0.5, 3.0])))
    [0.125 2.5  ]

    Source: Girshick, "Fast R-CNN", ICCV, 2015.
    """
    if beta <= 0:
        raise ValueError(f"smooth_l1_loss: beta must be above 0, but got {beta}; for 0 use l1_loss")
    distance = absolute(input - target)
    near = distance < beta
    parabola = square(where(near, distance, 0.0)) / (2 * beta)  # no nan where it is infinite
    return _reduce(where(near, parabola, distance - beta / 2), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0) -> Tensor:
    """(x - y)² / 2 within delta of the target, delta (|x - y| - delta / 2) outside.

    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if delta is not above 0 or the shapes do not fit, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.huber_loss(Tensor([0.0, 0.0]), Tensor([1.0, 4.0]), "none", 2.0))
    [0.5 6. ]

    Source: Huber, "Robust Estimation of a Location Parameter", 1964.
    """
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be above 0, but got {delta}")
    return _reduce(delta * smooth_l1_loss(input, target, delta), reduction)


def binary_cross_entropy(logits, labels, weight=None, reduction="mean") -> Tensor:
    """-(y log p + (1 - y) log(1 - p)) for probabilities p (the logits) and labels y, times weight.

    A logarithm is no less than log 1e-12, with slope 1e12. Outside [0, 1] the loss is nan.
    Shapes: three that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))  # log 2
    0.6931472

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.2.2.2.
    """
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
    """weight (p y softplus(-x) + (1 - y) softplus(x)): the binary cross entropy of sigmoid(x).

    x is the input, y the target, p the ``pos_weight`` of positive cases. It never overflows.
    Shapes: four that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.binary_cross_entropy_with_logits(Tensor([1e3]), Tensor([0.0])))
    1000.0

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.2.2.2.
    """
    positive = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    loss = (1 - target) * input + positive * softplus(-input)
    return _reduce(loss if weight is None else loss * weight, reduction)


def nll_loss(
    inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """Minus the log-probability that inputs (axis 1) has for each target class.

    ``weight``, one for each class, weighs; "mean" divides by the sum of the weights used. Targets
    equal to ``ignore_index`` do not count. ``label_smoothing`` spreads so much over all classes.
    Shapes: (N, C, ...) and (N, ...), or (C,) and ().
    Out: target's for reduction "none", else one number.
    Dtypes: floats, kept, and integers in target.
    Raises TypeError if target holds no integers, ValueError if one is no class, or shapes do not
    fit, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.nll_loss(Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([0, 1])))  # of 1 and 4
    2.5

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.2.2.3.
    """
    if not inputs.ndim:
        raise ValueError("nll_loss: inputs must have an axis of classes, but have shape ()")
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

    def no_class(label):
        return (label != ignore_index) & ((label < 0) | (label >= classes))

    if answer(labels, lambda label: no_class(label).any()):
        bad = every_value(labels)[no_class(every_value(labels))]
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
    if reduction == "mean":  # of nothing, it is nan; the gradient is 0
        shares = sum(share)
        nothing = equal(shares, 0)
        return where(nothing, np.nan, sum(loss) / where(nothing, 1, shares))
    return _reduce(reshape(loss, shape), reduction)


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """-log softmax(input) at each target class, the softmax along axis 1.

    target holds class numbers, or probabilities in the shape of input, for which it is the sum of
    -p log softmax(input). See ``nll_loss`` for the other arguments.
    Shapes: (N, C, ...) and (N, ...) or (N, C, ...); or (C,) and () or (C,).
    Out: (N, ...) for reduction "none", else one number.
    Dtypes: floats, kept; whole numbers become float32. target: integers, or floats.
    Raises ValueError if target is no class or has another shape, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])))  # log 2
    0.6931472

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.2.2.3.
    """
    labels = as_array(target)
    if weight is None and not label_smoothing and _all_are_classes(labels, input, ignore_index):
        return _reduce(rules.cross_entropy(input, wrap(labels)), reduction)
    if not input.ndim:
        raise ValueError("cross_entropy: input must have an axis of classes, but has shape ()")
    axis = 0 if input.ndim == 1 else 1
    log_p = log_softmax(input, axis)
    if labels.dtype.kind in "iu":
        return nll_loss(log_p, target, weight, ignore_index, reduction, label_smoothing)
    if labels.dtype.kind != "f" or labels.shape != input.shape:
        raise ValueError(
            "cross_entropy: target must hold class numbers (integers) or probabilities in the "
            f"shape of input {input.shape}, but it is {labels.dtype} of shape {labels.shape}"
        )
    classes = input.shape[axis]
    goal = target * (1 - label_smoothing) + label_smoothing / max(classes, 1)
    if weight is not None:
        goal = goal * reshape(weight, (-1, *[1] * (input.ndim - axis - 1)))
    loss = -sum(goal * log_p, axis)
    return sum(loss) / (loss.size or 1) if reduction == "mean" else _reduce(loss, reduction)


def multilabel_margin_loss(input, target, reduction="mean") -> Tensor:
    """The sum over targets t and other classes c of max(0, 1 - x_t + x_c), over the class count.

    A row of target lists class numbers, up to the first -1. At a kink half the gradient flows.
    Shapes: (N, C), or (C,), for both. Out: (N,) for reduction "none", else one number.
    Dtypes: floats, kept, and integers in target.
    Raises TypeError if target holds no integers, ValueError for shapes or classes that do not fit.

    >>> from minigrad import Tensor, ops
    >>> x, target = Tensor([[0.0, 1.0, 0.5, 0.5]]), Tensor([[1, -1, 0, 0]])
    >>> print(ops.multilabel_margin_loss(x, target))  # class 1: (0 + 0.5 + 0.5) / 4
    0.25

    Source: the definition, after Weston and Watkins, "Support Vector Machines for Multi-Class
    Pattern Recognition", ESANN, 1999.
    """
    labels = as_array(target)
    labels = labels if labels.ndim > 1 else unwrap(reshape(wrap(labels), (1, -1)))
    x = input.reshape((1, -1)) if input.ndim == 1 else input
    if labels.dtype.kind not in "iu":
        raise TypeError(f"multilabel_margin_loss: target must hold integers, not {labels.dtype}")
    classes = x.shape[1]
    if labels.shape != x.shape or answer(wrap(labels), lambda n: (n >= classes).any()):
        raise ValueError(
            f"multilabel_margin_loss: target must have the shape of input {input.shape} and hold "
            f"class numbers below {x.shape[1]}, but it has shape {labels.shape} and the largest "
            f"is {every_value(wrap(labels)).max(initial=-1)}"
        )
    places, counted = for_each_sample("multilabel_margin_loss", _targets, labels)
    own = take_along(x, places, 1)
    pairs = maximum(1 - own[:, :, None] + x[:, None, :], 0)
    pairs = where(wrap(counted), pairs, 0.0)
    loss = sum(pairs, (1, 2)) / x.shape[1]
    return _reduce(loss if input.ndim > 1 else loss[0], reduction)


def _targets(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The targets of each row, and which pairs of a target and another class count."""
    used = np.cumprod(labels >= 0, axis=1, dtype=bool)
    places = np.where(used, labels, 0)
    is_target = np.zeros(labels.shape, bool)
    np.logical_or.at(is_target, (np.arange(len(labels))[:, None], places), used)
    return places, used[:, :, None] & ~is_target[:, None, :]


def _all_are_classes(labels, input, ignore_index) -> bool:
    """Whether there is one class number, not to be ignored, for each row of a matrix."""
    if labels.dtype.kind not in "iu" or input.ndim != 2 or labels.shape != input.shape[:1]:
        return False
    classes = input.shape[1]
    ignored = 0 <= ignore_index < classes  # else it is no class anyway

    def are_classes(label):
        found = (label >= 0) & (label < classes)
        return (found & (label != ignore_index) if ignored else found).all()

    return answer(wrap(labels), are_classes)


def kl_div(logits, labels, reduction="mean") -> Tensor:
    """y (log y - x) for log-probabilities x (the logits) and probabilities y (the labels).

    "batchmean" divides the sum by the length of axis 0. Where y is 0 the value is 0, below it nan.
    Shapes: two that broadcast. Out: what they make for reduction "none", else one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, or for another reduction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.kl_div(Tensor([-1.0, -3.0]), Tensor([1.0, 0.0]), "sum"))  # 1 (0 + 1) + 0
    1.0

    Source: Kullback and Leibler, "On Information and Sufficiency", 1951.
    """
    loss = xlogy(labels, labels) - labels * logits
    if reduction == "batchmean":
        return sum(loss) / (logits.shape[0] if logits.ndim else 1)
    return _reduce(loss, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    """The cosine of the angle between the vectors along dim: their product over their lengths.

    The product of the lengths counts as ``eps`` where it is smaller.
    Shapes: two that broadcast; dim is gone from the output.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit each other, IndexError if there is no axis dim.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cosine_similarity(Tensor([[3.0, 4.0], [1.0, 0.0]]), Tensor([[6.0, 8.0]])))
    [1.  0.6]

    Source: the definition of the angle.
    """
    lengths = vector_norm(x1, 2, dim) * vector_norm(x2, 2, dim)
    return sum(x1 * x2, dim) / where(lengths > eps, lengths, eps)


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_similarity",
    "cross_entropy", "huber_loss", "kl_div", "l1_loss", "mse_loss", "multilabel_margin_loss",
    "nll_loss", "smooth_l1_loss",
]  # fmt: skip
