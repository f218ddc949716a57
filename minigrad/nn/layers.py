"""Layers: Cells with Parameters, containers of Cells, and activations."""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np

from .. import dtype as dtypes
from .. import ops
from ..ops.primitives import Primitive
from ..parameter import Parameter
from ..random import generator
from ..tensor import Tensor, wrap
from .cell import Cell


class Dense(Cell):
    """``x Wᵀ + b``, a fully connected layer; weight has shape (out_channels, in_channels).

    ``weight_init`` and ``bias_init`` are a Tensor, a number, or one of "zeros", "ones", "normal",
    "uniform". Left out, both are uniform between -1/√in_channels and 1/√in_channels (He et al.,
    2015, with the slope √5 that frameworks agree on). ``activation`` is a Cell, or its name.

    >>> from minigrad import nn, Tensor
    >>> layer = nn.Dense(2, 1, weight_init=Tensor([[1.0, 10.0]]), bias_init="zeros")
    >>> print(layer(Tensor([[1.0, 2.0]])))
    [[21.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init=None,
        bias_init=None,
        has_bias: bool = True,
        activation: str | Cell | Primitive | None = None,
        dtype=dtypes.float32,
    ):
        super().__init__()
        for name, n in (("in_channels", in_channels), ("out_channels", out_channels)):
            if not isinstance(n, int) or isinstance(n, bool) or n < 1:
                raise ValueError(f"Dense: {name} must be a whole number from 1 on, but got {n!r}")
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        bound = 1 / math.sqrt(in_channels)
        weight = initial(weight_init, (out_channels, in_channels), dtype, bound)
        self.weight = Parameter(weight, name="weight")
        self.bias = None
        if has_bias:
            self.bias = Parameter(initial(bias_init, (out_channels,), dtype, bound), name="bias")
        self.activation = _activation(activation)

    def construct(self, x) -> Tensor:
        x = ops.dense(x, self.weight, self.bias)
        return x if self.activation is None else self.activation(x)

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        text += ", has_bias=True" if self.has_bias else ""
        return text + (f", activation={self.activation}" if self.activation is not None else "")


def initial(init, shape: tuple[int, ...], dtype, bound: float) -> Tensor:
    """The first values of a weight: a Tensor as it is, a number everywhere, or random by name."""
    dtype = np.dtype(dtype)
    if isinstance(init, Tensor | np.ndarray):
        if init.shape != shape:
            raise ValueError(f"the initial values must have shape {shape}, but have {init.shape}")
        return Tensor(init, dtype)
    if isinstance(init, int | float):
        return wrap(np.full(shape, init, dtype))
    draws = {
        None: lambda: generator().uniform(-bound, bound, shape),
        "zeros": lambda: np.zeros(shape),
        "ones": lambda: np.ones(shape),
        "normal": lambda: generator().normal(0, 0.01, shape),
        "uniform": lambda: generator().uniform(-0.07, 0.07, shape),
    }
    if init not in draws:
        names = ", ".join(repr(name) for name in draws if name)
        raise ValueError(f"initial values are a Tensor, a number, or one of {names}; not {init!r}")
    return wrap(draws[init]().astype(dtype))


def _activation(activation):
    if isinstance(activation, str):
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation {activation!r} is none of {', '.join(_ACTIVATIONS)}")
        return _ACTIVATIONS[activation]()
    if activation is not None and not isinstance(activation, Cell | Primitive):
        raise TypeError(
            "activation must be a Cell, a Primitive or a name, but got "
            f"{type(activation).__name__}; for a function call it after the layer"
        )
    return activation


class SequentialCell(Cell):
    """Cells run one after the other, each on the output of the one before.

    Made from Cells, a list of Cells, or an OrderedDict that names them.

    >>> from minigrad import nn
    >>> nn.SequentialCell(nn.Dense(2, 8), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=8, has_bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named: dict[str, Cell] = args[0]
        else:
            cells = args[0] if len(args) == 1 and isinstance(args[0], list) else args
            named = {str(i): cell for i, cell in enumerate(cells)}
        for name, cell in named.items():
            if not isinstance(cell, Cell):
                raise TypeError(
                    f"SequentialCell: element {name} is a {type(cell).__name__}, no Cell; for a "
                    "function such as ops.relu use its Cell, nn.ReLU()"
                )
            setattr(self, name, cell)

    def construct(self, x) -> Tensor:
        for cell in self._cells.values():
            x = cell(x)
        return x

    def append(self, cell: Cell) -> SequentialCell:
        """Add a Cell at the end."""
        setattr(self, str(len(self._cells)), cell)
        return self

    def __getitem__(self, i):
        if isinstance(i, slice):
            return SequentialCell(OrderedDict(list(self._cells.items())[i]))
        return self.cells()[i]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self):
        return iter(self.cells())


class ReLU(Cell):
    """max(x, 0)."""

    def construct(self, x) -> Tensor:
        return ops.relu(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x))."""

    def construct(self, x) -> Tensor:
        return ops.sigmoid(x)


class Tanh(Cell):
    """The hyperbolic tangent."""

    def construct(self, x) -> Tensor:
        return ops.tanh(x)


class Softmax(Cell):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x) -> Tensor:
        return ops.softmax(x, self.axis)


class Flatten(Cell):
    """All axes from start_dim to end_dim made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x) -> Tensor:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """x as it is."""

    def construct(self, x) -> Tensor:
        return x


_ACTIVATIONS = {"relu": ReLU, "sigmoid": Sigmoid, "tanh": Tanh, "softmax": Softmax}
