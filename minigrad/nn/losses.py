"""Losses: Cells that say how far predictions are from targets. Their formulas are those of ``ops``.

``reduction`` says what becomes of the losses of the entries (or rows): "mean", "sum" or "none".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..rules.elementwise import root
from ..tensor import Tensor
from .cell import Cell


class LossBase(Cell):
    """The base of losses. A subclass may return ``self.get_loss(x)``, which reduces x.

    >>> from minigrad import nn, ops, Tensor
    >>> class Farthest(nn.LossBase):
    ...     def construct(self, logits, labels):
    ...         return self.get_loss(ops.amax(ops.abs(logits - labels), -1))
    >>> print(Farthest("sum")(Tensor([[1.0, 5.0]]), Tensor([[0.0, 3.0]])))
    2.0
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(
                f'{type(self).__name__}: reduction must be "mean", "sum" or "none", '
                f"but got {reduction!r}"
            )
        self.reduction = reduction

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """x times weights, reduced."""
        x = x if isinstance(weights, float) and weights == 1 else x * weights
        if self.reduction == "none":
            return x
        return ops.sum(x) if self.reduction == "sum" else ops.mean(x)


class MSELoss(LossBase):
    """(logits - labels)².

    >>> from minigrad import nn, Tensor
    >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
    2.0
    """

    def construct(self, logits, labels) -> Tensor:
        return ops.mse_loss(logits, labels, self.reduction)


class RMSELoss(LossBase):
    """√(mean of (logits - labels)²). The gradient is 0 where both are equal everywhere."""

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label) -> Tensor:
        return root(self.MSELoss(logits, label))


class L1Loss(LossBase):
    """|logits - labels|."""

    def construct(self, logits, labels) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """|logits - labels|."""


class SmoothL1Loss(LossBase):
    """d² / (2 beta) where d = |logits - labels| is below beta, d - beta / 2 elsewhere."""

    def __init__(self, beta: float = 1.0, reduction: str = "none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels) -> Tensor:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """d² / 2 where d = |logits - labels| is below delta, delta (d - delta / 2) elsewhere."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits, labels) -> Tensor:
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


# ------------------------------------------------------------------------------------------ classes
class BCELoss(LossBase):
    """-(y log p + (1 - y) log(1 - p)), for p the logits, which are probabilities, and y the labels.

    ``weight`` scales the loss of each entry.
    """

    def __init__(self, weight=None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits, labels) -> Tensor:
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """The binary cross entropy of sigmoid(input), without overflow.

    ``weight`` scales the loss of each entry; ``pos_weight`` weighs the positive cases.

    >>> from minigrad import nn, Tensor
    >>> print(nn.BCEWithLogitsLoss()(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """

    def __init__(self, reduction: str = "mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input, target) -> Tensor:
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class CrossEntropyLoss(LossBase):
    """Minus the log of the softmax of logits (axis 1) at each class number in labels.

    ``weight`` is one number for each class; labels equal to ``ignore_index`` count nothing;
    ``label_smoothing`` moves that share of each label evenly to all classes.

    >>> from minigrad import nn, Tensor
    >>> print(nn.CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    def __init__(
        self,
        weight=None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        super().__init__(reduction)
        if not 0 <= label_smoothing <= 1:
            raise ValueError(
                f"CrossEntropyLoss: label_smoothing must be in [0, 1], but got {label_smoothing}"
            )
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, logits, labels) -> Tensor:
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(LossBase):
    """Minus the log-probability (logits, axis 1) of each class number in labels."""

    def __init__(self, weight=None, ignore_index: int = -100, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits, labels) -> Tensor:
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """-sum(y log softmax(logits)) of each row; y is the labels, or one-hot if they are ``sparse``.

    >>> from minigrad import nn, Tensor
    >>> print(nn.SoftmaxCrossEntropyWithLogits(sparse=True)(Tensor([[0.0, 0.0]]), Tensor([1])))
    [0.6931472]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none"):
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits, labels) -> Tensor:
        if self.sparse:
            return self.get_loss(ops.nll_loss(ops.log_softmax(logits), labels, reduction="none"))
        if labels.shape != logits.shape:
            raise ValueError(
                f"SoftmaxCrossEntropyWithLogits: labels must have the shape of logits "
                f"{logits.shape}, but have {labels.shape}; for class numbers say sparse=True"
            )
        return self.get_loss(-ops.sum(labels * ops.log_softmax(logits), -1))


class KLDivLoss(LossBase):
    """y (log y - x), for x the logits, which are log-probabilities, and y the labels.

    ``reduction`` may also be "batchmean": the sum over the number of rows.
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits, labels) -> Tensor:
        return ops.kl_div(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """The binary cross entropy of sigmoid(x), averaged over the classes (the last axis)."""

    def __init__(self, weight=None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x, target) -> Tensor:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class MultiMarginLoss(LossBase):
    """max(0, w_y (margin - x_y + x_j))^p, averaged over the classes j, without the target y."""

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight=None):
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x, target, weight=None) -> Tensor:
        weight = weight if self.weight is None else self.weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


# ------------------------------------------------------------------------------- distances, margins
class CosineEmbeddingLoss(LossBase):
    """1 - cos where the label is 1, max(0, cos - margin) where it is -1; cos is that of rows."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin must be in [-1, 1], but got {margin}")
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels) -> Tensor:
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """max(0, margin - y (a - b)): a shall be above b where y is 1, and below where it is -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target) -> Tensor:
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """x where y is 1, max(0, margin - x) where it is -1: x is a distance of two things."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits, labels) -> Tensor:
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-y x)), for y 1 or -1."""

    def construct(self, logits, labels) -> Tensor:
        return ops.soft_margin_loss(logits, labels, self.reduction)


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), for d the p-norm of the difference of rows.

    ``swap`` takes d(positive, negative) instead of d(x, negative), if that is smaller.
    """

    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: float = 1e-06,
        reduction: str = "mean",
        margin: float = 1.0,
    ):
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x, positive, negative, margin=1.0) -> Tensor:
        margin = self.margin if self.margin != 1 else margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), for d the distance_function (or 2-norm)."""

    def __init__(
        self,
        distance_function: Callable | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ):
        super().__init__(reduction)
        self.distance_function = distance_function or (lambda x, y: ops.norm(x - y, dim=1))
        self.swap, self.margin = swap, margin

    def construct(self, x, positive, negative) -> Tensor:
        far = self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        gap = self.distance_function(x, positive) - far + self.margin
        return self.get_loss(ops.maximum(gap, 0))


class GaussianNLLLoss(LossBase):
    """(log var + (logits - labels)² / var) / 2, var no less than eps. ``full`` adds log(2π) / 2."""

    def __init__(self, *, full: bool = False, eps: float = 1e-06, reduction: str = "mean"):
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def construct(self, logits, labels, var) -> Tensor:
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """exp(x) - y x for x the input, the log of a mean; x - y log(x + eps) without ``log_input``."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-08,
        reduction: str = "mean",
    ):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input, target) -> Tensor:
        return ops.poisson_nll_loss(
            input, target, self.log_input, self.full, self.eps, self.reduction
        )
