"""Optimizers: Cells that change Parameters by their gradients. Call one with a tuple of gradients.

They compute with numpy, outside of all gradient calls, and give each Parameter a new array, so what
was computed from the old one stays true.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..parameter import Parameter, ParameterTuple
from ..tensor import Tensor
from .cell import Cell


class Optimizer(Cell):
    """The base of optimizers: it keeps the Parameters and walks over them.

    Raises TypeError or ValueError for Parameters or a learning rate that cannot be, and if the
    gradients do not match the Parameters in number and shape.
    """

    def __init__(
        self,
        learning_rate: float | Tensor,
        parameters: Iterable[Parameter],
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ):
        super().__init__()
        name = type(self).__name__
        if isinstance(parameters, Parameter):
            raise TypeError(
                f"{name}: params must be a list of Parameters; write [{parameters.name}]"
            )
        self.parameters = ParameterTuple(parameters)
        if not self.parameters:
            raise ValueError(f"{name}: params is empty: there is nothing to train")
        rate: Any = learning_rate.item() if isinstance(learning_rate, Tensor) else learning_rate
        if not isinstance(rate, int | float) or isinstance(rate, bool) or rate < 0:
            raise ValueError(f"{name}: learning_rate must be a number from 0 on, but got {rate!r}")
        if len(set(self.parameters)) < len(self.parameters):
            raise ValueError(f"{name}: a Parameter is in params twice")
        if weight_decay < 0:
            raise ValueError(f"{name}: weight_decay must be from 0 on, but got {weight_decay}")
        if loss_scale <= 0:
            raise ValueError(f"{name}: loss_scale must be above 0, but got {loss_scale}")
        self.learning_rate, self.weight_decay = float(rate), float(weight_decay)
        self.loss_scale = float(loss_scale)
        self.steps = 0

    def construct(self, gradients: tuple[Tensor, ...] | Tensor) -> bool:
        if isinstance(gradients, Tensor):
            gradients = (gradients,)
        if len(gradients) != len(self.parameters):
            raise ValueError(
                f"{type(self).__name__}: {len(self.parameters)} Parameters, but "
                f"{len(gradients)} gradients"
            )
        self.steps += 1
        for i, (p, g) in enumerate(zip(self.parameters, gradients, strict=True)):
            if not isinstance(g, Tensor):
                raise TypeError(
                    f"{type(self).__name__}: the gradient for {p.name} must be a Tensor, but got "
                    f"{type(g).__name__}"
                )
            if g.shape != p.shape:
                raise ValueError(
                    f"{type(self).__name__}: the gradient for {p.name} has shape {g.shape}, but "
                    f"the Parameter has {p.shape}"
                )
            g = g.array if self.loss_scale == 1 else g.array / self.loss_scale
            if self.weight_decay and not ("beta" in p.name or "gamma" in p.name):
                g = g + self.weight_decay * p.array
            change = np.asarray(self.change(i, g))
            p.array = np.subtract(p.array, change, out=change)  # an array that nobody else holds
        return True

    def change(self, i: int, g: np.ndarray) -> np.ndarray:
        """What to take off Parameter i, for its gradient g: a fresh array."""
        raise AttributeError(f"{type(self).__name__} has no method change(self, i, g)")


class SGD(Optimizer):
    """Stochastic gradient descent, w -= learning_rate * v, with momentum if asked for.

    Without momentum v is the gradient. With it, v = momentum * v + (1 - dampening) * g, where v
    starts as the first gradient; ``nesterov`` uses g + momentum * v instead (Sutskever et al.,
    2013).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.SGD([w], learning_rate=0.5)((Tensor([1.0]),))
    True
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if momentum < 0 or dampening < 0:
            raise ValueError(
                f"SGD: momentum and dampening must be from 0 on, but got {momentum} and {dampening}"
            )
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("SGD: nesterov needs a momentum above 0, and dampening 0")
        self.momentum, self.dampening, self.nesterov = momentum, dampening, nesterov
        self.velocity: list = [None] * len(self.parameters)

    def change(self, i: int, g: np.ndarray) -> np.ndarray:
        """As the class says."""
        if self.momentum:
            v = self.velocity[i]
            v = g if v is None else self.momentum * v + (1 - self.dampening) * g
            self.velocity[i] = v
            g = g + self.momentum * v if self.nesterov else v
        return self.learning_rate * g


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps of about learning_rate, whatever the size of the gradients.

    m and v are running means of the gradient and of its square; both are corrected for starting
    at 0, and w -= learning_rate * m / (√v + eps).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.Adam([w], learning_rate=0.1)((Tensor([123.0]),))
    True
    >>> print(w.asnumpy().round(4))
    [0.9]
    """

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if use_amsgrad:
            raise ValueError("Adam: minigrad has no use_amsgrad, so far")
        for name, beta in (("beta1", beta1), ("beta2", beta2)):
            if not 0 < beta < 1:
                raise ValueError(f"Adam: {name} must lie between 0 and 1, but got {beta}")
        if eps <= 0:
            raise ValueError(f"Adam: eps must be above 0, but got {eps}")
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_nesterov = use_nesterov
        self.moment1 = [np.zeros_like(p.array) for p in self.parameters]
        self.moment2 = [np.zeros_like(p.array) for p in self.parameters]

    def change(self, i: int, g: np.ndarray) -> np.ndarray:
        """As the class says."""
        m = self.moment1[i] = self.beta1 * self.moment1[i] + (1 - self.beta1) * g
        v = self.moment2[i] = self.beta2 * self.moment2[i] + (1 - self.beta2) * (g * g)
        if self.use_nesterov:
            m = self.beta1 * m + (1 - self.beta1) * g
        # Kingma and Ba, end of section 2: both corrections in the rate.
        rate = (
            self.learning_rate * np.sqrt(1 - self.beta2**self.steps) / (1 - self.beta1**self.steps)
        )
        return float(rate) * m / (np.sqrt(v) + self.eps)
