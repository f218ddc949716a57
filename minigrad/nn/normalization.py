r"""Layers that give values a mean of 0 and a variance of 1, and layers that drop some of them.

All norms compute y = gamma (x - mean) / √(variance + eps) + beta, over different axes. Batch norm
takes mean and variance from the batch in training, and lets moving ones follow; otherwise it takes
the moving ones. ``net.set_train()`` says which.
"""

from __future__ import annotations

from typing import Any

from .. import dtype as dtypes
from .. import ops
from ..initializers import initializer
from ..parameter import Parameter
from ..tensor import Tensor
from .cell import Cell
from .linear import check_counts


class _BatchNorm(Cell):
    """Each channel (axis 1) over the batch and all other axes."""

    dims: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype=dtypes.float32,
    ):
        super().__init__()
        name = type(self).__name__
        check_counts(self, num_features=num_features)
        if not 0 <= momentum <= 1:
            raise ValueError(f"{name}: momentum must be in [0, 1], but got {momentum}")
        if data_format != "NCHW":
            raise ValueError(f'{name}: data_format must be "NCHW" on the CPU, not {data_format!r}')
        self.num_features, self.eps = num_features, eps
        self.use_batch_statistics = use_batch_statistics

        def make(init, name, requires_grad):
            return Parameter(initializer(init, (num_features,), dtype), name, requires_grad)

        self.moving_mean = make(moving_mean_init, "mean", False)
        self.moving_variance = make(moving_var_init, "variance", False)
        self.gamma = make(gamma_init, "gamma", affine)
        self.beta = make(beta_init, "beta", affine)
        self.momentum = 1.0 - momentum  # how far the moving ones follow in a step, as in MindSpore

    def construct(self, x) -> Tensor:
        if x.ndim not in self.dims or x.shape[1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}: the input must have {' or '.join(map(str, self.dims))} "
                f"axes, and {self.num_features} channels in axis 1, but has shape {x.shape}"
            )
        batch = self.use_batch_statistics
        return ops.batch_norm(
            x, self.moving_mean, self.moving_variance, self.gamma, self.beta,
            self.training if batch is None else batch, self.momentum, self.eps,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    """y = gamma (x - mean) / √(variance + eps) + beta for each channel, over the batch.

    The input has shape (N, num_features) or (N, num_features, width). In training the moving mean
    and variance become momentum × old + (1 - momentum) × those of the batch (the variance with
    n - 1 in the denominator). ``use_batch_statistics`` says True or False whatever ``set_train``
    says. (Ioffe and Szegedy, 2015.)

    >>> from minigrad import nn, Tensor
    >>> layer = nn.BatchNorm1d(1).set_train()
    >>> print(layer(Tensor([[1.0], [3.0]])).round(decimals=3))
    [[-1.]
     [ 1.]]
    >>> print(layer.moving_mean.asnumpy())
    [0.2]
    """

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """y = gamma (x - mean) / √(variance + eps) + beta for each channel of images (N, C, H, W).

    See BatchNorm1d.

    >>> from minigrad import nn, ops
    >>> nn.BatchNorm2d(3)(ops.ones((2, 3, 4, 4))).shape
    (2, 3, 4, 4)
    """

    dims = (4,)


class LayerNorm(Cell):
    """y = gamma (x - mean) / √(variance + eps) + beta, over the axes from begin_norm_axis on.

    gamma and beta have the shape ``normalized_shape``, that of the input from begin_params_axis on.
    (Ba et al., 2016.)

    >>> from minigrad import nn, Tensor
    >>> print(nn.LayerNorm((2,))(Tensor([[1.0, 3.0], [5.0, 5.0]])).round(decimals=3))
    [[-1.  1.]
     [ 0.  0.]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init="ones",
        beta_init="zeros",
        epsilon: float = 1e-7,
        dtype=dtypes.float32,
    ):
        super().__init__()
        if not isinstance(normalized_shape, tuple | list):
            raise TypeError(
                f"LayerNorm: normalized_shape must be a tuple, but got {normalized_shape!r}; write "
                f"({normalized_shape},)"
            )
        if not normalized_shape:
            raise ValueError("LayerNorm: normalized_shape must name one axis or more")
        self.normalized_shape, self.epsilon = normalized_shape, epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype), name="beta")

    def construct(self, input_x) -> Tensor:
        shape = input_x.shape
        if shape[self.begin_params_axis :] != tuple(self.normalized_shape):
            raise ValueError(
                f"LayerNorm: from axis {self.begin_params_axis} on the input must have the shape "
                f"{tuple(self.normalized_shape)}, but its shape is {shape}"
            )
        out = ops.layer_norm(input_x, shape[self.begin_norm_axis :], eps=self.epsilon)
        gamma, beta = self.gamma.astype(input_x.dtype), self.beta.astype(input_x.dtype)
        return out * gamma + beta

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """y = gamma (x - mean) / √(variance + eps) + beta, over each group of channels of each image.

    (Wu and He, 2018.)

    >>> from minigrad import nn, ops
    >>> nn.GroupNorm(2, 4)(ops.ones((1, 4, 3, 3))).shape
    (1, 4, 3, 3)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=dtypes.float32,
    ):
        super().__init__()
        check_counts(self, num_groups=num_groups, num_channels=num_channels)
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_groups={num_groups} must divide num_channels={num_channels}"
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype), "gamma", affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype), "beta", affine)

    def construct(self, x) -> Tensor:
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"GroupNorm: the input must have {self.num_channels} channels in axis 1, but has "
                f"shape {x.shape}"
            )
        gamma, beta = self.gamma.astype(x.dtype), self.beta.astype(x.dtype)
        return ops.group_norm(x, self.num_groups, gamma, beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


# ----------------------------------------------------------------------------------------- dropout
class Dropout(Cell):
    """In training each entry becomes 0 with chance p, and the others x / (1 - p); else x as it is.

    ``keep_prob`` is 1 - p, the older way to say it. (Srivastava et al., 2014.)

    >>> from minigrad import nn, ops
    >>> layer = nn.Dropout(p=0.5)
    >>> print(layer(ops.ones(4)))
    [1. 1. 1. 1.]
    >>> sorted(set(layer.set_train()(ops.ones(1000)).tolist()))
    [0.0, 2.0]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype=dtypes.float32):
        super().__init__()
        if p is None and not 0 < keep_prob <= 1:
            raise ValueError(f"Dropout: keep_prob must be above 0, and up to 1, not {keep_prob}")
        if p is not None and not 0 <= p < 1:
            raise ValueError(f"Dropout: p must be from 0 on, and below 1, but got {p}")
        self.keep_prob, self.p = keep_prob, p

    def construct(self, x) -> Tensor:
        return ops.dropout(x, 1 - self.keep_prob if self.p is None else self.p, self.training)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class Dropout1d(Cell):
    """In training each channel of sequences (N, C, L) or (C, L) becomes 0 with chance p.

    >>> from minigrad import nn, ops
    >>> print(nn.Dropout1d(1.0).set_train()(ops.ones((1, 2, 2))))
    [[[0. 0.]
      [0. 0.]]]
    """

    def __init__(self, p: float = 0.5):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: p must be from 0 to 1, but got {p}")
        self.prob = p

    def construct(self, x) -> Tensor:
        return ops.dropout1d(x, self.prob, self.training)


class Dropout2d(Dropout1d):
    """In training each channel of images (N, C, H, W) becomes 0 with chance p.

    >>> from minigrad import nn, ops
    >>> print(nn.Dropout2d(1.0).set_train()(ops.ones((1, 1, 1, 2))))
    [[[[0. 0.]]]]
    """

    def construct(self, x) -> Tensor:
        return ops.dropout2d(x, self.prob, self.training)

    def extend_repr(self) -> str:
        return f"p={1 - self.prob}"  # as MindSpore prints it
