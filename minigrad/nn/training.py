"""Cells that put a network, a loss and an optimizer together."""

from __future__ import annotations

from typing import Any

from .. import dtype as dtypes
from .. import ops
from ..ops.clipping import clip_to_length
from ..parameter import ParameterTuple
from ..tensor import Tensor
from ..transform import GradOperation, value_and_grad
from .cell import Cell
from .linear import Identity
from .optimizer import Optimizer


class ClipByNorm(Cell):
    """x times clip_norm / length where its length along the axes (None: all) is above clip_norm.

    >>> from minigrad import nn, Tensor
    >>> print(nn.ClipByNorm(1)(Tensor([[3.0, 4.0], [0.3, 0.4]]), Tensor(1.0)))
    [[0.6 0.8]
     [0.3 0.4]]
    """

    def __init__(self, axis: int | tuple[int, ...] | None = None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm) -> Tensor:
        return clip_to_length(x, clip_norm, self.axis)


class WithLossCell(Cell):
    """loss_fn(backbone(data), label).

    >>> from minigrad import nn, Tensor
    >>> print(nn.WithLossCell(nn.Identity(), nn.MSELoss())(Tensor([3.0]), Tensor([1.0])))
    4.0
    """

    def __init__(self, backbone: Cell, loss_fn: Cell):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    @property
    def backbone_network(self) -> Cell:
        """The network without the loss."""
        return self._backbone

    def construct(self, data, label) -> Tensor:
        return self._loss_fn(self._backbone(data), label)


class WithEvalCell(Cell):
    """(loss_fn(network(data), label), network(data), label).

    >>> from minigrad import nn, Tensor
    >>> print(nn.WithEvalCell(nn.Identity(), nn.L1Loss())(Tensor([3.0]), Tensor([1.0]))[0])
    2.0
    """

    def __init__(self, network: Cell, loss_fn: Cell, add_cast_fp32: bool = False):
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn, self.add_cast_fp32 = network, loss_fn, add_cast_fp32

    def construct(self, data, label) -> tuple[Tensor, Tensor, Tensor]:
        out = self._network(data)
        if self.add_cast_fp32:
            out, label = out.astype(dtypes.float32), label.astype(dtypes.float32)
        return self._loss_fn(out, label), out, label


class WithGradCell(Cell):
    """The gradients of the network's trainable Parameters, as a tuple.

    ``loss_fn``, if given, follows the network. ``sens`` is the gradient of its output.

    >>> from minigrad import nn, Tensor
    >>> net = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    >>> print(nn.WithGradCell(net, nn.MSELoss())(Tensor([[1.0]]), Tensor([[4.0]]))[0])
    [[-8.]]
    """

    def __init__(self, network: Cell, loss_fn: Cell | None = None, sens: Any = None):
        super().__init__(auto_prefix=False)
        self.network, self.loss_fn, self.sens = network, loss_fn, sens
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs) -> tuple[Tensor, ...]:
        grad = GradOperation(get_by_list=True, sens_param=self.sens is not None)
        sens = () if self.sens is None else (self.sens,)
        return grad(self.network_with_loss, self.weights)(*inputs, *sens)


class TrainOneStepCell(Cell):
    """One step of training: it runs the network, changes its Parameters, and returns the loss.

    ``network`` computes the loss, as WithLossCell does. ``sens`` is the gradient of the loss to
    start from, if not 1. ``return_grad`` returns the gradients by name as well.

    >>> from minigrad import nn, Tensor
    >>> net = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    >>> step = nn.TrainOneStepCell(
    ...     nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.25)
    ... )
    >>> for _ in range(3):
    ...     print(step(Tensor([[1.0]]), Tensor([[4.0]])))
    16.0
    4.0
    1.0
    """

    def __init__(
        self,
        network: Cell,
        optimizer: Optimizer,
        sens: float | None = None,
        return_grad: bool = False,
    ):
        super().__init__(auto_prefix=False)
        if sens == 0:
            raise ValueError("TrainOneStepCell: sens must not be 0")
        self.network, self.optimizer = network, optimizer
        self.grad_reducer = Identity()
        self.weights = optimizer.parameters
        self.sens, self.return_grad = sens, return_grad

    def construct(self, *inputs) -> Any:
        if self.sens is None:
            loss, grads = value_and_grad(self.network, None, self.weights)(*inputs)
        else:
            run = value_and_grad(lambda *xs: self._scaled(self.network(*xs)), None, self.weights,
                                 has_aux=True)  # fmt: skip
            (_, loss), grads = run(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, grads, strict=True)}
        return loss

    def _scaled(self, loss):
        return ops.sum(loss * self.sens), loss
