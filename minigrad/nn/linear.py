"""Layers that multiply by a matrix or look up its rows, Dense and Embedding; and Flatten."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtype as dtypes
from .. import ops
from ..batch import answer, every_value
from ..initializers import HeUniform, Uniform, initializer
from ..ops.primitives import Primitive
from ..parameter import Parameter
from ..tensor import Tensor
from .activations import get_activation
from .cell import Cell


def check_counts(cell: Cell, **counts: Any) -> None:
    """Raise ValueError for a size that is no whole number from 1 on."""
    for name, n in counts.items():
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
            raise ValueError(
                f"{type(cell).__name__}: {name} must be a whole number from 1 on, but got {n!r}"
            )


class Dense(Cell):
    """``x Wᵀ + b``, a fully connected layer; weight has shape (out_channels, in_channels).

    ``weight_init`` and ``bias_init`` are what ``initializer`` takes: a Tensor, a number, a name
    such as "zeros", or an Initializer. Left out, both are uniform between -1/√in_channels and
    1/√in_channels (He et al., 2015, with the slope √5 that frameworks agree on). ``activation`` is
    a Cell, a Primitive or a name such as "relu".

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
        check_counts(self, in_channels=in_channels, out_channels=out_channels)
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        weight = initializer(weight_init, (out_channels, in_channels), dtype)
        self.weight = Parameter(weight, name="weight")
        self.bias = None
        if has_bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(in_channels))
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias")
        self.activation = get_activation(activation)

    def construct(self, x) -> Tensor:
        if not hasattr(x, "shape"):
            raise TypeError(
                f"{type(self).__name__}: the input must be a Tensor, such as Tensor([[1.0, 2.0]]), "
                f"but got {type(x).__name__}: {x!r}"
            )
        if x.shape[-1:] != (self.in_channels,):
            raise ValueError(
                f"{type(self).__name__}: the input of shape {x.shape} does not go with the weight "
                f"of shape {self.weight.shape}: its last axis must have length {self.in_channels}"
            )
        x = ops.dense(x, self.weight, self.bias)
        return x if self.activation is None else self.activation(x)

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        text += ", has_bias=True" if self.has_bias else ""
        return text + (f", activation={self.activation}" if self.activation is not None else "")


class Linear(Dense):
    """``x Wᵀ + b``, as ``Dense``: the sizes have their usual names, and there is no activation.

    >>> from minigrad import nn, Tensor
    >>> layer = nn.Linear(2, 1, bias=False, weight_init=Tensor([[1.0, 10.0]]))
    >>> print(layer(Tensor([[1.0, 2.0]])))
    [[21.]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init=None,
        bias_init=None,
        dtype=None,
    ):
        check_counts(self, in_features=in_features, out_features=out_features)
        if not isinstance(bias, bool):
            raise TypeError(f"Linear: bias must be True or False, but got {bias!r}")
        dtype = dtypes.float32 if dtype is None else dtype
        super().__init__(in_features, out_features, weight_init, bias_init, bias, dtype=dtype)
        self.in_features, self.out_features = in_features, out_features

    def extend_repr(self) -> str:
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text + (", has_bias=True" if self.has_bias else "")


class Embedding(Cell):
    """``table[ids]``: a row of numbers to learn for each of vocab_size words.

    The output has the shape of ids and one axis more, of length embedding_size. The row of
    ``padding_idx`` starts as zeros. ``use_one_hot`` computes the same as a product of matrices.

    >>> from minigrad import nn, Tensor
    >>> layer = nn.Embedding(3, 2, embedding_table=Tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    >>> print(layer(Tensor([2, 0])))
    [[4. 5.]
     [0. 1.]]
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table="normal",
        dtype=dtypes.float32,
        padding_idx: int | None = None,
    ):
        super().__init__()
        check_counts(self, vocab_size=vocab_size, embedding_size=embedding_size)
        if padding_idx is not None and not 0 <= padding_idx < vocab_size:
            raise ValueError(
                f"Embedding: padding_idx must be a row of 0 to {vocab_size - 1}, not {padding_idx}"
            )
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.padding_idx, self.dtype = use_one_hot, padding_idx, dtype
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        self.embedding_table = Parameter(table, name="embedding_table")
        if padding_idx is not None:
            self.embedding_table[padding_idx] = 0

    def construct(self, ids) -> Tensor:
        if ids.array.dtype.kind not in "iu":
            raise TypeError(f"Embedding: ids must hold row numbers (integers), not {ids.dtype}")
        size = self.vocab_size
        if answer(ids, lambda i: ((i < 0) | (i >= size)).any()):
            every = every_value(ids)
            raise ValueError(
                f"Embedding: ids must lie between 0 and {self.vocab_size - 1}, but they reach from "
                f"{every.min()} to {every.max()}"
            )
        if self.use_one_hot:
            hits = ops.one_hot(ids.reshape(-1), self.vocab_size, 1.0, 0.0)
            rows = ops.matmul(hits, self.embedding_table)
            return rows.reshape((*ids.shape, self.embedding_size))
        return self.embedding_table[ids]

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class MatMul(Cell):
    """The product of two inputs as matrices; one of one axis is a vector. No Parameters.

    ``transpose_x1`` and ``transpose_x2`` turn the last two axes of an input first; a vector stays.

    Raises TypeError for a transpose_x1 or transpose_x2 that is no bool, and ValueError for shapes
    that do not go together.

    >>> from minigrad import nn, ops
    >>> print(nn.MatMul(transpose_x2=True)(ops.ones((2, 3)), ops.ones((4, 3))).shape)
    (2, 4)
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False):
        super().__init__()
        for name, turn in {"transpose_x1": transpose_x1, "transpose_x2": transpose_x2}.items():
            if not isinstance(turn, bool):
                raise TypeError(f"MatMul: {name} must be True or False, but got {turn!r}")
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2) -> Tensor:
        x1 = ops.swapaxes(x1, -1, -2) if self.transpose_x1 and x1.ndim > 1 else x1
        x2 = ops.swapaxes(x2, -1, -2) if self.transpose_x2 and x2.ndim > 1 else x2
        return ops.matmul(x1, x2)


class Flatten(Cell):
    """All axes from start_dim to end_dim made one.

    >>> from minigrad import nn, ops
    >>> print(nn.Flatten()(ops.ones((2, 3, 4))).shape)
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x) -> Tensor:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """One axis made several; ``unflattened_size`` is their shape.

    >>> from minigrad import nn, ops
    >>> print(nn.Unflatten(1, (2, 3))(ops.ones((5, 6))).shape)
    (5, 2, 3)
    """

    def __init__(self, axis: int, unflattened_size: tuple[int, ...]):
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, x) -> Tensor:
        axis = range(x.ndim)[self.axis]
        return x.reshape((*x.shape[:axis], *self.unflattened_size, *x.shape[axis + 1 :]))


class Identity(Cell):
    """x as it is. Whatever arguments it is made with do nothing.

    >>> from minigrad import nn, Tensor
    >>> print(nn.Identity()(Tensor([1.0])))
    [1.]
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def construct(self, input) -> Tensor:
        return input
