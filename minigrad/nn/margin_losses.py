"""Losses of pairs and triplets: what belongs together shall be close, the rest a margin apart."""

from __future__ import annotations

from collections.abc import Callable

from .. import ops
from ..tensor import Tensor
from .losses import LossBase


class CosineEmbeddingLoss(LossBase):
    """1 - cos where the label is 1, max(0, cos - margin) where it is -1; cos is that of rows.

    >>> from minigrad import nn, Tensor
    >>> print(nn.CosineEmbeddingLoss()(Tensor([[1.0, 0.0]]), Tensor([[0.0, 2.0]]), Tensor([1])))
    1.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin must be in [-1, 1], but got {margin}")
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels) -> Tensor:
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """max(0, margin - y (a - b)): a shall be above b where y is 1, and below where it is -1.

    >>> from minigrad import nn, Tensor
    >>> print(nn.MarginRankingLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
    2.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target) -> Tensor:
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """x where y is 1, max(0, margin - x) where it is -1: x is a distance of two things.

    >>> from minigrad import nn, Tensor
    >>> print(nn.HingeEmbeddingLoss()(Tensor([0.25]), Tensor([-1.0])))
    0.75
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits, labels) -> Tensor:
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-y x)), for y 1 or -1.

    >>> from minigrad import nn, Tensor
    >>> print(nn.SoftMarginLoss()(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """

    def construct(self, logits, labels) -> Tensor:
        return ops.soft_margin_loss(logits, labels, self.reduction)


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), for d the p-norm of the difference of rows.

    ``swap`` takes d(positive, negative) instead of d(x, negative), if that is smaller.

    >>> from minigrad import nn, Tensor
    >>> print(nn.TripletMarginLoss(eps=0.0)(Tensor([[0.0]]), Tensor([[3.0]]), Tensor([[2.0]])))
    2.0
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
    """max(0, d(x, positive) - d(x, negative) + margin), for d the distance_function (or 2-norm).

    >>> from minigrad import nn, Tensor
    >>> print(nn.TripletMarginWithDistanceLoss()(Tensor([[0.0]]), Tensor([[3.0]]), Tensor([[2.0]])))
    2.0
    """

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
