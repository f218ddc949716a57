"""Activations: Cells that bend each number, most without Parameters."""

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
from .softmaxes import LogSoftmax, Softmax, Softmax2d, Softmin


class _Activation(Cell):
    """A function as a Cell."""

    function: Callable

    def construct(self, x) -> Tensor:
        return type(self).function(x)


class ReLU(_Activation):
    """max(x, 0).

    >>> from minigrad import nn, Tensor
    >>> print(nn.ReLU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.  0.5 2. ]
    """

    function = staticmethod(ops.relu)


class ReLU6(_Activation):
    """min(max(x, 0), 6).

    >>> from minigrad import nn, Tensor
    >>> print(nn.ReLU6()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.  0.5 2. ]
    """

    function = staticmethod(ops.relu6)


class Sigmoid(_Activation):
    """σ(x) = 1 / (1 + exp(-x)).

    >>> from minigrad import nn, Tensor
    >>> print(nn.Sigmoid()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.269 0.622 0.881]
    """

    function = staticmethod(ops.sigmoid)


class LogSigmoid(_Activation):
    """log σ(x), without overflow.

    >>> from minigrad import nn, Tensor
    >>> print(nn.LogSigmoid()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-1.313 -0.474 -0.127]
    """

    function = staticmethod(ops.logsigmoid)


class Tanh(_Activation):
    """The hyperbolic tangent.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Tanh()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.762  0.462  0.964]
    """

    function = staticmethod(ops.tanh)


class Tanhshrink(_Activation):
    """x - tanh x.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Tanhshrink()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.238  0.038  1.036]
    """

    function = staticmethod(ops.tanhshrink)


class SeLU(_Activation):
    """1.0507 x above 0, 1.7581 (exp(x) - 1) below (Klambauer et al., 2017).

    >>> from minigrad import nn, Tensor
    >>> print(nn.SeLU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-1.111  0.525  2.101]
    """

    function = staticmethod(ops.selu)


class SiLU(_Activation):
    """x σ(x).

    >>> from minigrad import nn, Tensor
    >>> print(nn.SiLU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.269  0.311  1.762]
    """

    function = staticmethod(ops.silu)


class Mish(_Activation):
    """x tanh(log(1 + exp(x))).

    >>> from minigrad import nn, Tensor
    >>> print(nn.Mish()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.303  0.375  1.944]
    """

    function = staticmethod(ops.mish)


class Softsign(_Activation):
    """x / (1 + |x|).

    >>> from minigrad import nn, Tensor
    >>> print(nn.Softsign()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.5    0.333  0.667]
    """

    function = staticmethod(ops.softsign)


class HSigmoid(_Activation):
    """x / 6 + 1/2, but never outside 0 and 1.

    >>> from minigrad import nn, Tensor
    >>> print(nn.HSigmoid()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [0.333 0.583 0.833]
    """

    function = staticmethod(ops.hardsigmoid)


class HSwish(_Activation):
    """x HSigmoid(x).

    >>> from minigrad import nn, Tensor
    >>> print(nn.HSwish()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.333  0.292  1.667]
    """

    function = staticmethod(ops.hardswish)


class FastGelu(_Activation):
    """x σ(1.702 x), which is close to GELU.

    >>> from minigrad import nn, Tensor
    >>> print(nn.FastGelu()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.154  0.35   1.936]
    """

    function = staticmethod(ops.fast_gelu)


# ------------------------------------------------------------------------------------ with settings
class GELU(Cell):
    """x times the chance that a normal number is below x.

    ``approximate`` (the default) has tanh(√(2/π) (x + 0.044715 x³)) in its place.

    >>> from minigrad import nn, Tensor
    >>> print(nn.GELU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.159  0.346  1.955]
    """

    def __init__(self, approximate: bool = True):
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x) -> Tensor:
        return ops.gelu(x, approximate=self.approximate)


class LeakyReLU(Cell):
    """x above 0, alpha x below.

    >>> from minigrad import nn, Tensor
    >>> print(nn.LeakyReLU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.2  0.5  2. ]
    """

    def __init__(self, alpha: float = 0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class ELU(Cell):
    """x above 0, alpha (exp(x) - 1) below.

    >>> from minigrad import nn, Tensor
    >>> print(nn.ELU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.632  0.5    2.   ]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.elu(x, self.alpha)


class CELU(Cell):
    """x above 0, alpha (exp(x / alpha) - 1) below.

    >>> from minigrad import nn, Tensor
    >>> print(nn.CELU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.632  0.5    2.   ]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        if alpha == 0:
            raise ValueError("CELU: alpha must not be 0")
        self.alpha = alpha

    def construct(self, x) -> Tensor:
        return ops.celu(x, self.alpha)


class Hardtanh(Cell):
    """x, but never outside the two bounds. The gradient at a bound is a half.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Hardtanh()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-1.   0.5  1. ]
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0):
        super().__init__()
        if min_val >= max_val:
            raise ValueError(f"Hardtanh: min_val {min_val} must lie below max_val {max_val}")
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x above the threshold, ``value`` elsewhere.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Threshold(1.0, 9.0)(Tensor([-1.0, 0.5, 2.0])))
    [9. 9. 2.]
    """

    def __init__(self, threshold: float, value: float):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, x) -> Tensor:
        return ops.threshold(x, self.threshold, self.value)


class HShrink(Cell):
    """0 between -lambd and lambd, x outside.

    >>> from minigrad import nn, Tensor
    >>> print(nn.HShrink()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-1.  0.  2.]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, x) -> Tensor:
        return ops.hardshrink(x, self.lambd)


class SoftShrink(Cell):
    """x moved towards 0 by lambd, and 0 if it would pass it.

    >>> from minigrad import nn, Tensor
    >>> print(nn.SoftShrink()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.5  0.   1.5]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, x) -> Tensor:
        return ops.softshrink(x, self.lambd)


class GLU(Cell):
    """a σ(b), for a and b the two halves of x along an axis.

    >>> from minigrad import nn, Tensor
    >>> print(nn.GLU()(Tensor([3.0, 0.0])))
    [1.5]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.dim = axis

    def construct(self, x) -> Tensor:
        return ops.glu(x, self.dim)


class PReLU(Cell):
    """x above 0, w x below; w is learned, one number for all or one for each channel (axis 1).

    >>> from minigrad import nn, Tensor
    >>> print(nn.PReLU()(Tensor([-1.0, 0.5, 2.0])).round(decimals=3))
    [-0.25  0.5   2.  ]
    """

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
    """x above 0, a x below, with a drawn anew for each entry, evenly between lower and upper.

    >>> from minigrad import nn, Tensor
    >>> print(nn.RReLU(0.5, 0.5)(Tensor([-1.0, 2.0])))
    [-0.5  2. ]
    """

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
