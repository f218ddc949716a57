"""Losses: Cells that say how far predictions are from targets. Their formulas are those of ``ops``.

``reduction`` says what becomes of the losses of the entries (or rows): "mean", "sum" or "none".
"""

from __future__ import annotations

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
    """√(mean of (logits - labels)²). The gradient is 0 where both are equal everywhere.

    >>> from minigrad import nn, Tensor
    >>> print(nn.RMSELoss()(Tensor([1.0, 2.0]), Tensor([4.0, 5.0])))
    3.0
    """

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label) -> Tensor:
        return root(self.MSELoss(logits, label))


class L1Loss(LossBase):
    """|logits - labels|.

    >>> from minigrad import nn, Tensor
    >>> print(nn.L1Loss()(Tensor([1.0, 2.0]), Tensor([2.0, 4.0])))
    1.5
    """

    def construct(self, logits, labels) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """|logits - labels|.

    >>> from minigrad import nn, Tensor
    >>> print(nn.MAELoss()(Tensor([1.0, 2.0]), Tensor([2.0, 4.0])))
    1.5
    """


class SmoothL1Loss(LossBase):
    """d² / (2 beta) where d = |logits - labels| is below beta, d - beta / 2 elsewhere.

    >>> from minigrad import nn, Tensor
    >>> print(nn.SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    [0.125 1.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels) -> Tensor:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """d² / 2 where d = |logits - labels| is below delta, delta (d - delta / 2) elsewhere.

    >>> from minigrad import nn, Tensor
    >>> print(nn.HuberLoss("none")(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    [0.125 1.5  ]
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits, labels) -> Tensor:
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


# ------------------------------------------------------------------------------------------ classes
class BCELoss(LossBase):
    """-(y log p + (1 - y) log(1 - p)), for p the logits, which are probabilities, and y the labels.

    ``weight`` scales the loss of each entry.

    >>> from minigrad import nn, Tensor
    >>> print(nn.BCELoss()(Tensor([0.5]), Tensor([1.0])))
    0.6931472
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
    """Minus the log-probability (logits, axis 1) of each class number in labels.

    >>> from minigrad import nn, Tensor
    >>> print(nn.NLLLoss()(Tensor([[-1.0, -0.5]]), Tensor([1])))
    0.5
    """

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

    >>> from minigrad import nn, Tensor
    >>> print(nn.KLDivLoss("sum")(Tensor([[-1.0, -1.0]]), Tensor([[1.0, 0.0]])))
    1.0
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits, labels) -> Tensor:
        return ops.kl_div(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """The binary cross entropy of sigmoid(x), averaged over the classes (the last axis).

    >>> from minigrad import nn, Tensor
    >>> print(nn.MultiLabelSoftMarginLoss()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))
    0.6931472
    """

    def __init__(self, weight=None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x, target) -> Tensor:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class MultiMarginLoss(LossBase):
    """max(0, w_y (margin - x_y + x_j))^p, averaged over the classes j, without the target y.

    >>> from minigrad import nn, Tensor
    >>> print(nn.MultiMarginLoss()(Tensor([[1.0, 2.0]]), Tensor([0])))
    1.0
    """

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight=None):
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x, target, weight=None) -> Tensor:
        weight = weight if self.weight is None else self.weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class GaussianNLLLoss(LossBase):
    """(log var + (logits - labels)² / var) / 2, var no less than eps. ``full`` adds log(2π) / 2.

    >>> from minigrad import nn, Tensor
    >>> print(nn.GaussianNLLLoss()(Tensor([3.0]), Tensor([1.0]), Tensor([1.0])))
    2.0
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-06, reduction: str = "mean"):
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def construct(self, logits, labels, var) -> Tensor:
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """exp(x) - y x for x the input, the log of a mean; x - y log(x + eps) without ``log_input``.

    >>> from minigrad import nn, Tensor
    >>> print(nn.PoissonNLLLoss()(Tensor([0.0]), Tensor([3.0])))
    1.0
    """

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
