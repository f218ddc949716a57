"""Optimizers: Cells that change Parameters by their gradients. Call one with a tuple of gradients.

In the formulas w is a Parameter, g its gradient (with weight decay), r the learning rate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parameter import Parameter, value_of
from ..tensor import Tensor
from .optimizer import Optimizer, number, update


def _check(optimizer: Optimizer, **values: Any) -> None:
    """Raise ValueError for a beta that is not between 0 and 1, or another number below 0."""
    for name, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if name.startswith("beta"):
            good, wanted = number and 0 < value < 1, "between 0 and 1"
        elif name.startswith("eps"):
            good, wanted = number and value > 0, "above 0"
        else:
            good, wanted = number and value >= 0, "0 or more"
        if not good:
            raise ValueError(
                f"{type(optimizer).__name__}: {name} must be {wanted}, but got {value!r}"
            )


def _rounded(beta: float) -> float:
    """beta as a float32, as its powers are kept, so that they cancel to the last digit."""
    return float(np.float32(beta))


class SGD(Optimizer):
    """w -= r v, stochastic gradient descent, with momentum if asked for.

    Without momentum v is g. With it, v = momentum × v + (1 - dampening) × g, where v starts as the
    first gradient; ``nesterov`` has g + momentum × v in its place (Sutskever et al., 2013).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.SGD([w], learning_rate=0.5)((Tensor([1.0]),))
    (True,)
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
        _check(self, momentum=momentum, dampening=dampening)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("SGD: nesterov needs a momentum above 0, and dampening 0")
        self.dampening, self.nesterov = float(dampening), nesterov
        self.momentum = Parameter(np.float32(momentum), name="momentum")
        self.accum = self.memory("accum")
        self.stat = self.memory("stat", "ones")  # 1 until accum holds the first gradient

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        momentum = value_of(self.momentum)
        if not momentum:
            return rate * g
        first = self.stat[i].array == 1
        grown = momentum * self.accum[i].array + (1 - self.dampening) * g
        v = update(self.accum[i], np.where(first, g, grown))
        update(self.stat[i], np.zeros_like(v))
        return rate * (g + momentum * v if self.nesterov else v)


class Momentum(Optimizer):
    """v = momentum × v + g and w -= r v (Polyak, 1964).

    ``use_nesterov`` takes off r (g + momentum × v) instead.

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> step = nn.Momentum([w], learning_rate=0.5, momentum=0.5)
    >>> for _ in range(2):
    ...     _ = step((Tensor([1.0]),))
    >>> print(w.asnumpy())
    [-0.25]
    """

    def __init__(
        self,
        params,
        learning_rate,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check(self, momentum=momentum)
        self.use_nesterov = use_nesterov
        self.momentum = Parameter(np.float32(momentum), name="momentum")
        self.moments = self.memory("moments")

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        momentum = number(self.momentum)
        v = update(self.moments[i], momentum * self.moments[i].array + g)
        return rate * (g + momentum * v if self.use_nesterov else v)


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps of about r, whatever the size of the gradients.

    m and v are running means of g and g², both corrected for starting at 0, and
    w -= r m / (√v + eps). ``use_nesterov`` looks ahead in m (Dozat, 2016); ``use_amsgrad`` keeps
    the largest v so far (Reddi et al., 2018).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.Adam([w], learning_rate=0.1)((Tensor([123.0]),))
    (True,)
    >>> print(w.asnumpy())
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
        _check(self, beta1=beta1, beta2=beta2, eps=eps)
        self.beta1, self.beta2 = _rounded(beta1), _rounded(beta2)
        self.eps = float(eps)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.beta1_power = Parameter(np.float32(1), name="beta1_power")
        self.beta2_power = Parameter(np.float32(1), name="beta2_power")
        self.moment1, self.moment2 = self.memory("moment1"), self.memory("moment2")
        if use_amsgrad:
            self.vhat = self.memory("vhat")

    def begin_step(self) -> None:
        """Raise both betas to the number of the step."""
        update(self.beta1_power, self.beta1_power.array * self.beta1)
        update(self.beta2_power, self.beta2_power.array * self.beta2)

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        m = update(self.moment1[i], self.beta1 * self.moment1[i].array + (1 - self.beta1) * g)
        v = update(self.moment2[i], self.beta2 * self.moment2[i].array + (1 - self.beta2) * (g * g))
        if self.use_nesterov:
            m = self.beta1 * m + (1 - self.beta1) * g
        if self.use_amsgrad:
            v = update(self.vhat[i], np.maximum(self.vhat[i].array, v))
        # Kingma and Ba, end of section 2: both corrections in the rate.
        power1, power2 = number(self.beta1_power), number(self.beta2_power)
        corrected = rate * (1 - power2) ** 0.5 / (1 - power1)
        return corrected * m / (np.sqrt(v) + self.eps)


class AdamWeightDecay(Optimizer):
    """Adam with the decay beside it: w -= r (m / (√v + eps) + weight_decay × w).

    The decay is not in g, so it is not divided by √v (Loshchilov and Hutter, 2019). m and v are not
    corrected for starting at 0 (Devlin et al., 2019).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.AdamWeightDecay([w], learning_rate=0.1, weight_decay=0.5)((Tensor([0.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.95]
    """

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        _check(self, beta1=beta1, beta2=beta2, eps=eps)
        self.beta1, self.beta2 = _rounded(beta1), _rounded(beta2)
        self.eps = float(eps)
        self.moments1, self.moments2 = self.memory("adam_m"), self.memory("adam_v")
        self._decay_now: tuple = ()

    def decay_weight(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients as they are: the decay is beside them."""
        self._decay_now = self.get_weight_decay()
        return gradients

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        m = update(self.moments1[i], self.beta1 * self.moments1[i].array + (1 - self.beta1) * g)
        v = self.beta2 * self.moments2[i].array + (1 - self.beta2) * (g * g)
        v = update(self.moments2[i], v)
        step = m / (np.sqrt(v) + self.eps)
        return rate * (step + self._decay_now[i] * self.parameters[i].array)


class RMSProp(Optimizer):
    """s = decay × s + (1 - decay) g², v = momentum × v + r g / √(s + epsilon), and w -= v.

    Each number is divided by the recent size of its gradient (Tieleman and Hinton, 2012); s starts
    at 1. ``centered`` takes the square of the mean gradient off s (Graves, 2013).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.RMSProp([w], learning_rate=0.5)((Tensor([1.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params,
        learning_rate=0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: float = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check(self, decay=decay, momentum=momentum, epsilon=epsilon)
        self.decay, self.momentum, self.epsilon = float(decay), float(momentum), float(epsilon)
        self.centered = centered
        if centered:
            self.mg = self.memory("mean_grad")
        self.ms, self.moment = self.memory("mean_square", "ones"), self.memory("moment")

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        s = update(self.ms[i], self.decay * self.ms[i].array + (1 - self.decay) * (g * g))
        if self.centered:
            mean = update(self.mg[i], self.decay * self.mg[i].array + (1 - self.decay) * g)
            s = s - mean * mean
        step = rate * g / np.sqrt(s + self.epsilon)
        return np.copy(update(self.moment[i], self.momentum * self.moment[i].array + step))


class Adagrad(Optimizer):
    """s += g² and w -= r g / √s, where s starts at accum (Duchi et al., 2011).

    >>> from minigrad import nn, Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> nn.Adagrad([w], accum=3.0, learning_rate=0.5)((Tensor([1.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.75]
    """

    def __init__(
        self,
        params,
        accum: float = 0.1,
        learning_rate=0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: float = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check(self, accum=accum)
        self.update_slots = update_slots
        self.accum = self.memory("accum", accum)

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """As the class says."""
        if self.update_slots:
            update(self.accum[i], self.accum[i].array + g * g)
        return rate * g / np.sqrt(self.accum[i].array)
