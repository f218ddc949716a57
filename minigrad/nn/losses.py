"""Losses: Cells that say how far predictions are from targets."""

from .. import ops
from ..tensor import Tensor
from .cell import Cell


class LossBase(Cell):
    """The base of losses: ``reduction`` is "mean", "sum" or "none"."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(
                f'{type(self).__name__}: reduction must be "mean", "sum" or "none", '
                f"but got {reduction!r}"
            )
        self.reduction = reduction


class MSELoss(LossBase):
    """(logits - labels) squared.

    >>> from minigrad import nn, Tensor
    >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
    2.0
    """

    def construct(self, logits, labels) -> Tensor:
        return ops.mse_loss(logits, labels, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """The binary cross entropy of sigmoid(logits), without overflow.

    ``weight`` scales the loss of each entry; ``pos_weight`` weighs the positive cases.

    >>> from minigrad import nn, Tensor
    >>> print(nn.BCEWithLogitsLoss()(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """

    def __init__(self, reduction: str = "mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits, labels) -> Tensor:
        return ops.binary_cross_entropy_with_logits(
            logits, labels, self.weight, self.pos_weight, self.reduction
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
        self, weight=None, ignore_index=-100, reduction: str = "mean", label_smoothing: float = 0.0
    ):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, logits, labels) -> Tensor:
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )
