"""Activations: Cells that bend each number (or share out each row), most without Parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..ops.primitives import Primitive
from ..parameter import Parameter
from ..random import generator
from ..tensor import Tensor, wrap
from .cell import Cell


class _Activation(Cell):
    """A function as a Cell."""

    function: Callable

    def construct(self, x) -> Tensor:
        return type(self).function(x)


class ReLU(_Activation):
    """max(x, 0)."""

    function = staticmethod(ops.relu)


class ReLU6(_Activation):
    """min(max(x, 0), 6)."""

    function = staticmethod(ops.relu6)


class Sigmoid(_Activation):
    """σ(x) = 1 / (1 + exp(-x))."""

    function = staticmethod(ops.sigmoid)


class LogSigmoid(_Activation):
    """log σ(x), without overflow."""

    function = staticmethod(ops.logsigmoid)


class Tanh(_Activation):
    """The hyperbolic tangent."""

    function = staticmethod(ops.tanh)


class Tanhshrink(_Activation):
    """x - tanh x."""

    function = staticmethod(ops.tanhshrink)


class SeLU(_Activation):
    """1.0507 x above 0, 1.7581 (exp(x) - 1) below (Klambauer et al., 2017)."""

    function = staticmethod(ops.selu)


class SiLU(_Activation):
    """x σ(x)."""

    function = staticmethod(ops.silu)


class Mish(_Activation):
    """x tanh(log(1 + exp(x)))."""

    function = staticmethod(ops.mish)


class Softsign(_Activation):
    """x / (1 + |x|)."""

    function = staticmethod(ops.softsign)


class HSigmoid(_Activation):
    """x / 6 + 1/2, but never outside 0 and 1."""

    function = staticmethod(ops.hardsigmoid)


class HSwish(_Activation):
    """x HSigmoid(x)."""

    function = staticmethod(ops.hardswish)


class FastGelu(_Activation):
    """x σ(1.702 x), which is close to GELU."""

    function = staticmethod(ops.fast_gelu)


# ------------------------------------------------------------------------------------ with settings
class GELU(Cell):
    """x times the chance that a normal number is below x.

    ``approximate`` (the default) has tanh(√(2/π) (x + 0.044715 x³)) in its place.
    """

    def __init__(self, approximate: bool = True):
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x) -> Tensor:
        return ops.gelu(x, approximate=self.approximate)


class LeakyReLU(Cell):
    """x above 0, alpha x below."""

    def __init__(self, alpha: float = 0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class ELU(Cell):
    """x above 0, alpha (exp(x) - 1) below."""

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """x above 0, alpha (exp(x / alpha) - 1) below."""

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        if alpha == 0:
            raise ValueError("CELU: alpha must not be 0")
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.celu(x, self.alpha)


class Hardtanh(Cell):
    """x, but never outside the two bounds. The gradient at a bound is a half."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0):
        super().__init__()
        if min_val >= max_val:
            raise ValueError(f"Hardtanh: min_val {min_val} must lie below max_val {max_val}")
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x above the threshold, ``value`` elsewhere."""

    def __init__(self, threshold: float, value: float):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, x) -> Tensor:
        return ops.threshold(x, self.threshold, self.value)


class HShrink(Cell):
    """0 between -lambd and lambd, x outside."""

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, x) -> Tensor:
        return ops.hardshrink(x, self.lambd)


class SoftShrink(Cell):
    """x moved towards 0 by lambd, and 0 if it would pass it."""

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, x) -> Tensor:
        return ops.softshrink(x, self.lambd)


class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int | tuple[int, ...] = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.softmax(x, self.axis)


class LogSoftmax(Cell):
    """x - log(sum(exp(x))) along an axis."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.log_softmax(x, self.axis)


class Softmin(Cell):
    """The softmax of -x along an axis."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """The softmax over the channels of images of shape (N, C, H, W) or (C, H, W)."""

    def construct(self, x) -> Tensor:
        if x.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: the input must have 3 or 4 axes, but has shape {x.shape}")
        return ops.softmax(x, -3)


class GLU(Cell):
    """a σ(b), for a and b the two halves of x along an axis."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.dim = axis

    def construct(self, x) -> Tensor:
        return ops.glu(x, self.dim)


class PReLU(Cell):
    """x above 0, w x below; w is learned, one number for all or one for each channel (axis 1)."""

    def __init__(self, channel: int = 1, w: Any = 0.25):
        super().__init__()
        first = Tensor(w, None if isinstance(w, Tensor) else np.float32)
        if first.ndim == 0:
            first = Tensor(np.full(channel, first.array, first.array.dtype))
        if first.shape != (channel,):
            raise ValueError(f"PReLU: w must have shape ({channel},), but has {first.shape}")
        self.w = Parameter(first, name="a")

    def construct(self, x) -> Tensor:
        return ops.prelu(x, self.w.astype(x.dtype))


class RReLU(Cell):
    """x above 0, a x below, with a drawn anew for each entry, evenly between lower and upper."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3):
        super().__init__()
        if lower > upper:
            raise ValueError(f"RReLU: lower {lower} must not lie above upper {upper}")
        self.lower, self.upper = lower, upper

    def construct(self, x) -> Tensor:
        slopes = generator().uniform(self.lower, self.upper, x.shape)
        return ops.where(x > 0, x, x * wrap(slopes.astype(x.array.dtype)))


_BY_NAME: dict[str, type[Cell]] = {
    "celu": CELU, "elu": ELU, "fast_gelu": FastGelu, "gelu": GELU, "hardtanh": Hardtanh,
    "hshrink": HShrink, "hsigmoid": HSigmoid, "hswish": HSwish, "leakyrelu": LeakyReLU,
    "logsigmoid": LogSigmoid, "logsoftmax": LogSoftmax, "mish": Mish, "prelu": PReLU, "relu": ReLU,
    "relu6": ReLU6, "rrelu": RReLU, "selu": SeLU, "sigmoid": Sigmoid, "silu": SiLU,
    "softmax": Softmax, "softmax2d": Softmax2d, "softmin": Softmin, "softshrink": SoftShrink,
    "softsign": Softsign, "tanh": Tanh, "tanhshrink": Tanhshrink,
}  # fmt: skip


def get_activation(name: Any, prim_name: str | None = None) -> Any:
    """The activation of this name, such as "relu". A Cell, a Primitive or None is itself.

    Raises KeyError for an unknown name, and TypeError for anything else.

    >>> get_activation("leakyrelu")
    LeakyReLU()
    """
    if isinstance(name, str):
        if name not in _BY_NAME:
            raise KeyError(f"there is no activation {name!r}; there are {', '.join(_BY_NAME)}")
        return _BY_NAME[name]()
    if name is not None and not isinstance(name, Cell | Primitive):
        raise TypeError(
            f"an activation must be a Cell, a Primitive or a name, but got {type(name).__name__}; "
            "a function can be called after the layer"
        )
    return name
