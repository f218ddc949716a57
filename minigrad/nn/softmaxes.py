"""Softmax and its relations: Cells that turn the numbers along an axis into shares of 1."""

from __future__ import annotations

from .. import ops
from ..tensor import Tensor
from .cell import Cell


class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Softmax()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.039 0.175 0.786]
    """

    def __init__(self, axis: int | tuple[int, ...] = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.softmax(x, self.axis)


class LogSoftmax(Cell):
    """x - log(sum(exp(x))) along an axis.

    >>> from minigrad import nn, Tensor
    >>> print(nn.LogSoftmax()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-3.241 -1.741 -0.241]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.log_softmax(x, self.axis)


class Softmin(Cell):
    """The softmax of -x along an axis.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Softmin()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.786 0.175 0.039]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """The softmax over the channels of images of shape (N, C, H, W) or (C, H, W).

    >>> from minigrad import nn, Tensor
    >>> print(nn.Softmax2d()(Tensor([[[0.0]], [[0.0]]])).reshape(-1))
    [0.5 0.5]
    """

    def construct(self, x) -> Tensor:
        if x.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: the input must have 3 or 4 axes, but has shape {x.shape}")
        return ops.softmax(x, -3)
