r"""Recurrent cells, one step each, and RNN, LSTM and GRU, which run them along a sequence.

A cell takes x, of shape (N, input_size), and its state h, of shape (N, hidden_size). All it learns
are matrices for x (weight_ih) and for h (weight_hh), one below the other for each gate, and biases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtype as dtypes
from .. import ops
from ..initializers import Uniform, initializer
from ..parameter import Parameter, ParameterTuple
from ..samples import refuse_samples
from ..tensor import Tensor, unwrap, wrap
from .cell import Cell
from .linear import check_counts


def _tanh(x, h, w_ih, w_hh, b_ih, b_hh):
    return ops.tanh(ops.dense(x, w_ih, b_ih) + ops.dense(h, w_hh, b_hh))


def _relu(x, h, w_ih, w_hh, b_ih, b_hh):
    return ops.relu(ops.dense(x, w_ih, b_ih) + ops.dense(h, w_hh, b_hh))


_STEPS = {"tanh": _tanh, "relu": _relu}


def _lstm(x, state, w_ih, w_hh, b_ih, b_hh):
    h, c = state
    gates = ops.dense(x, w_ih, b_ih) + ops.dense(h, w_hh, b_hh)
    i, f, g, o = ops.chunk(gates, 4, 1)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def _gru(x, h, w_ih, w_hh, b_ih, b_hh):
    x_r, x_z, x_n = ops.chunk(ops.dense(x, w_ih, b_ih), 3, 1)
    h_r, h_z, h_n = ops.chunk(ops.dense(h, w_hh, b_hh), 3, 1)
    n = ops.tanh(x_n + ops.sigmoid(x_r + h_r) * h_n)
    return n + ops.sigmoid(x_z + h_z) * (h - n)


# ----------------------------------------------------------------------------------------- one step
class _RNNCell(Cell):
    """The weights of a cell with this many gates."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, gates: int, dtype):
        super().__init__()
        check_counts(self, input_size=input_size, hidden_size=hidden_size)
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        init, rows = Uniform(1 / math.sqrt(hidden_size)), gates * hidden_size
        self.weight_ih = Parameter(initializer(init, (rows, input_size), dtype))
        self.weight_hh = Parameter(initializer(init, (rows, hidden_size), dtype))
        self.bias_ih = Parameter(initializer(init, (rows,), dtype)) if has_bias else None
        self.bias_hh = Parameter(initializer(init, (rows,), dtype)) if has_bias else None

    def weights(self) -> tuple:
        """The matrices for x and for h, and their biases."""
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def check(self, x, *states) -> None:
        """Raise TypeError or ValueError for what is no Tensor, or has a wrong shape."""
        wanted = [("x", x, self.input_size), *(("hx", h, self.hidden_size) for h in states)]
        for name, value, n in wanted:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"{type(self).__name__}: {name} must be a Tensor, but is a "
                    f"{type(value).__name__}"
                )
            if value.ndim != 2 or value.shape[1] != n:
                raise ValueError(
                    f"{type(self).__name__}: {name} must have shape (N, {n}), but has {value.shape}"
                )


class RNNCell(_RNNCell):
    """tanh(W_ih x + b_ih + W_hh h + b_hh); or relu, as ``nonlinearity`` says (Elman, 1990).

    >>> from minigrad import nn, ops
    >>> print(nn.RNNCell(3, 2)(ops.ones((5, 3)), ops.zeros((5, 2))).shape)
    (5, 2)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype=dtypes.float32,
    ):
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        if nonlinearity not in _STEPS:
            raise ValueError(
                f'RNNCell: nonlinearity must be "tanh" or "relu", but got {nonlinearity!r}'
            )
        self.nonlinearity = nonlinearity

    def construct(self, x, hx) -> Tensor:
        self.check(x, hx)
        return _STEPS[self.nonlinearity](x, hx, *self.weights())


class LSTMCell(_RNNCell):
    """c = σ(f) c + σ(i) tanh(g) and h = σ(o) tanh(c) (Hochreiter and Schmidhuber, 1997).

    i, f, g, o are the four parts of W_ih x + b_ih + W_hh h + b_hh. The state is the tuple (h, c).

    >>> from minigrad import nn, ops
    >>> h, c = nn.LSTMCell(3, 2)(ops.ones((5, 3)), (ops.zeros((5, 2)), ops.zeros((5, 2))))
    >>> print(h.shape, c.shape)
    (5, 2) (5, 2)
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=dtypes.float32
    ):
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x, hx) -> tuple[Tensor, Tensor]:
        if not isinstance(hx, tuple | list) or len(hx) != 2:
            raise TypeError(f"LSTMCell: hx must be a tuple (h, c), but got {type(hx).__name__}")
        self.check(x, *hx)
        return _lstm(x, hx, *self.weights())


class GRUCell(_RNNCell):
    """n = tanh(n_x + σ(r) n_h) and h = n + σ(z) (h - n) (Cho et al., 2014).

    r_x, z_x, n_x are the three parts of W_ih x + b_ih, and r_h, z_h, n_h those of W_hh h + b_hh;
    r = r_x + r_h and z = z_x + z_h.

    >>> from minigrad import nn, ops
    >>> print(nn.GRUCell(3, 2)(ops.ones((5, 3)), ops.zeros((5, 2))).shape)
    (5, 2)
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=dtypes.float32
    ):
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x, hx) -> Tensor:
        self.check(x, hx)
        return _gru(x, hx, *self.weights())


# -------------------------------------------------------------------------------------- a sequence
class _Sequence(Cell):
    """Layers of one kind of cell, each run along the sequence, forwards or in both directions."""

    step: Callable
    gates = 1
    states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype=dtypes.float32,
    ):
        super().__init__()
        check_counts(self, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        if not 0 <= dropout < 1:
            raise ValueError(f"{type(self).__name__}: dropout must be in [0, 1), but got {dropout}")
        self.hidden_size, self.num_layers, self.has_bias = hidden_size, num_layers, has_bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        init, rows = Uniform(1 / math.sqrt(hidden_size)), self.gates * hidden_size
        ways = ("", "_reverse") if bidirectional else ("",)
        inner = hidden_size * len(ways)
        places = [
            (f"_l{layer}{way}", input_size if layer == 0 else inner)
            for layer in range(num_layers)
            for way in ways
        ]

        def make(kind, shape_of):
            return ParameterTuple(
                Parameter(initializer(init, shape_of(n), dtype), name=kind + place)
                for place, n in places
            )

        self.w_ih_list = make("weight_ih", lambda n: (rows, n))
        self.w_hh_list = make("weight_hh", lambda n: (rows, hidden_size))
        self.b_ih_list = make("bias_ih", lambda n: (rows,)) if has_bias else ()
        self.b_hh_list = make("bias_hh", lambda n: (rows,)) if has_bias else ()

    def construct(self, x, hx=None, seq_length=None) -> tuple[Tensor, Any]:
        if x.ndim != 3:
            raise ValueError(f"{type(self).__name__}: x must have 3 axes, but has shape {x.shape}")
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        ways = 2 if self.bidirectional else 1
        if hx is None:
            zeros = ops.zeros((self.num_layers * ways, x.shape[1], self.hidden_size), x.dtype)
            hx = zeros if self.states == 1 else (zeros, zeros)
        message = "seq_length must be the same for all samples; use it outside, on a batch of all"
        refuse_samples(type(self).__name__, message, seq_length)
        lengths = None if seq_length is None else np.asarray(unwrap(seq_length))
        ends: list = []
        for layer in range(self.num_layers):
            outs = []
            for way in range(ways):
                i = layer * ways + way
                start = hx[i] if self.states == 1 else tuple(h[i] for h in hx)
                out, end = self._run(_turn(x, lengths) if way else x, start, i, lengths)
                outs.append(_turn(out, lengths) if way else out)
                ends.append(end)
            x = outs[0] if ways == 1 else ops.concat(outs, 2)
            if self.dropout and self.training and layer < self.num_layers - 1:
                x = ops.dropout(x, self.dropout, training=True)
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        last = [
            ops.stack(part) for part in (zip(*ends, strict=True) if self.states > 1 else [ends])
        ]
        return x, last[0] if self.states == 1 else tuple(last)

    def _run(self, x, state, i, lengths):
        """The outputs at all times, and the state at the end, of layer and direction i."""
        biases = (self.b_ih_list[i], self.b_hh_list[i]) if self.has_bias else (None, None)
        weights = self.w_ih_list[i], self.w_hh_list[i], *biases
        outs = []
        for t in range(x.shape[0]):
            new = self.step(x[t], state, *weights)
            out = new if self.states == 1 else new[0]
            if lengths is not None:  # a sequence that is over keeps its state
                on = wrap((lengths > t)[:, None])
                out = ops.where(on, out, 0)
                if self.states == 1:
                    new = ops.where(on, new, state)
                else:
                    new = tuple(ops.where(on, a, b) for a, b in zip(new, state, strict=True))
            state = new
            outs.append(out)
        return ops.stack(outs), state


def _turn(x, lengths):
    """x with each sequence (axis 0) in reverse order, up to its length."""
    if lengths is None:
        return ops.flip(x, (0,))
    t = np.arange(x.shape[0])[:, None]
    return x[np.where(t < lengths, lengths - 1 - t, t), np.arange(x.shape[1])[None]]


class RNN(_Sequence):
    """RNNCells along a sequence x of shape (time, N, input_size): all outputs, and the last state.

    ``num_layers`` are stacked; ``bidirectional`` runs each in both directions. With ``batch_first``
    x has shape (N, time, input_size). ``seq_length`` says how long each sequence is. ``dropout``
    is that between layers.

    >>> from minigrad import nn, ops
    >>> out, h = nn.RNN(3, 2, num_layers=2)(ops.ones((4, 5, 3)))
    >>> print(out.shape, h.shape)
    (4, 5, 2) (2, 5, 2)
    """

    def __init__(self, *args, nonlinearity: str = "tanh", **kwargs):
        super().__init__(*args, **kwargs)
        if nonlinearity not in _STEPS:
            raise ValueError(
                f'RNN: nonlinearity must be "tanh" or "relu", but got {nonlinearity!r}'
            )
        self.step = _STEPS[nonlinearity]


class LSTM(_Sequence):
    """LSTMCells along a sequence: all outputs, and the last state (h, c). Arguments as for RNN.

    >>> from minigrad import nn, ops
    >>> out, (h, c) = nn.LSTM(3, 2)(ops.ones((4, 5, 3)))
    >>> print(out.shape, h.shape, c.shape)
    (4, 5, 2) (1, 5, 2) (1, 5, 2)
    """

    step = staticmethod(_lstm)
    gates = 4
    states = 2


class GRU(_Sequence):
    """GRUCells along a sequence: all outputs, and the last state. Arguments as for RNN.

    >>> from minigrad import nn, ops
    >>> out, h = nn.GRU(3, 2, bidirectional=True)(ops.ones((4, 5, 3)))
    >>> print(out.shape, h.shape)
    (4, 5, 4) (2, 5, 2)
    """

    step = staticmethod(_gru)
    gates = 3
