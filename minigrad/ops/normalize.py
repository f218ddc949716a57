"""Normalization, dropout and embedding, by MindSpore's names."""

import math

import numpy as np

from ..random import generator
from ..rules.elementwise import maximum, rsqrt, square, where
from ..rules.normalize import standardize
from ..rules.reduce import axes_of, mean
from ..rules.reduce import sum as total
from ..rules.shape import reshape, stop_gradient
from ..tensor import Tensor, unwrap, wrap, write


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    """The last axes, as many as normalized_shape has, with mean 0 and variance 1; then weighed.

    ``weight`` and ``bias`` have the shape normalized_shape. (Ba, Kiros and Hinton, 2016.)

    >>> from minigrad import Tensor, ops
    >>> print(ops.layer_norm(Tensor([[1.0, 3.0], [10.0, 30.0]]), (2,)).round(decimals=3))
    [[-1.  1.]
     [-1.  1.]]
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or input.shape[-len(shape) :] != shape:
        raise ValueError(
            f"layer_norm: normalized_shape {shape} is not how the shape {input.shape} ends"
        )
    out = standardize(input, tuple(range(-len(shape), 0)), eps)
    return _weighed(out, weight, bias)


def _weighed(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _per_channel(v, x):
    """One number for each channel (axis 1), to go with x."""
    return None if v is None else reshape(v, (1, -1, *[1] * (x.ndim - 2)))


def batch_norm(
    input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-05
) -> Tensor:
    """Each channel (axis 1) with mean 0 and variance 1, then weighed.

    In training they are those of the batch, and the running ones move towards them, by
    ``momentum`` of the way; else the running ones are used. (Ioffe and Szegedy, 2015.)
    """
    channels = input_x.shape[1] if input_x.ndim > 1 else 0
    for name, v in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
    ):
        if v is not None and v.shape != (channels,):
            raise ValueError(
                f"batch_norm: {name} must have a number for each of the {channels} channels (axis "
                f"1) of input {input_x.shape}, but has shape {v.shape}"
            )
    weight, bias = _per_channel(weight, input_x), _per_channel(bias, input_x)
    if not training:
        spread = rsqrt(_per_channel(running_var, input_x) + eps)
        return _weighed((input_x - _per_channel(running_mean, input_x)) * spread, weight, bias)
    axes = (0, *range(2, input_x.ndim))
    _follow(input_x, running_mean, running_var, momentum, axes)
    return _weighed(standardize(input_x, axes, eps), weight, bias)


def _follow(x, running_mean, running_var, momentum, axes):
    """Move the running statistics towards those of x, the variance being the unbiased one."""
    values = unwrap(x)
    n = values.size // max(values.shape[1], 1)
    unbiased = values.var(axes) * (n / (n - 1) if n > 1 else math.nan)
    for running, now in ((running_mean, values.mean(axes)), (running_var, unbiased)):
        if running is not None:
            mixed = (1 - momentum) * running.array + momentum * now
            write(running, wrap(mixed.astype(running.array.dtype)))


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> Tensor:
    """Each group of channels (axis 1) of each image with mean 0 and variance 1; then weighed.

    ``weight`` and ``bias`` are a number for each channel. (Wu and He, 2018.)
    """
    if input.ndim < 2 or input.shape[1] % num_groups:
        raise ValueError(f"group_norm: shape {input.shape} has no {num_groups} groups in axis 1")
    size = math.prod(input.shape[1:]) // num_groups
    out = standardize(reshape(input, (input.shape[0], num_groups, size)), (-1,), eps)
    out = reshape(out, input.shape)
    return _weighed(out, _per_channel(weight, input), _per_channel(bias, input))


def rms_norm(x, gamma, epsilon=1e-06) -> tuple[Tensor, Tensor]:
    """x over the root of its mean square along the axes of gamma, times gamma; and one over it."""
    axes = tuple(range(-gamma.ndim, 0))
    spread = rsqrt(mean(square(x), axes, True) + epsilon)
    return x * spread * gamma, spread


def l2_normalize(x, axis=0, epsilon=1e-4) -> Tensor:
    """x over the root of the sum of its squares along an axis, or over that of ``epsilon``."""
    return x * rsqrt(maximum(total(square(x), axes_of(axis, x.ndim), True), epsilon))


# ------------------------------------------------------------------------------- dropout, embedding
def _drop(x, p, shape, training, seed) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p must be from 0 to 1, but got {p}")
    if not training or p == 0:
        return x
    source = generator() if seed is None else np.random.default_rng(seed)
    kept = source.random(shape, np.float32) >= p
    scale = unwrap(x).dtype.type(1 / (1 - p) if p < 1 else 0)
    return x * wrap(kept * scale)


def dropout(input, p=0.5, training=True, seed=None) -> Tensor:
    """input with each entry set to 0 with chance p, and the others divided by 1 - p.

    Without ``training``, input as it is. ``seed`` makes the choice repeat; else it comes from the
    generator of ``set_seed``. (Srivastava et al., 2014.)
    """
    return _drop(input, p, input.shape, training, seed)


def _drop_channels(d):
    def drop_channels(input, p=0.5, training=True):
        if input.ndim not in (d + 1, d + 2):
            raise ValueError(f"dropout{d}d: input must have {d + 1} or {d + 2} axes")
        shape = (*input.shape[: input.ndim - d], *[1] * d)
        return _drop(input, p, shape, training, None)

    drop_channels.__doc__ = f"input with whole channels (their {d} axes of space) set to 0."
    return drop_channels


dropout1d, dropout2d, dropout3d = map(_drop_channels, (1, 2, 3))


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
) -> Tensor:
    """The rows of weight at these indices; the row ``padding_idx`` gets no gradient.

    Raises ValueError for max_norm and scale_grad_by_freq, which minigrad has not.

    >>> from minigrad import Tensor, ops
    >>> print(ops.embedding(Tensor([1, 0, 1]), Tensor([[1.0], [2.0]])))
    [[2.]
     [1.]
     [2.]]
    """
    if max_norm is not None or scale_grad_by_freq:
        raise ValueError("embedding: minigrad has neither max_norm nor scale_grad_by_freq, so far")
    out = weight[input]
    if padding_idx is None:
        return out
    pad = padding_idx % weight.shape[0]
    return where(wrap(np.asarray(unwrap(input))[..., None] == pad), stop_gradient(out), out)


__all__ = [
    "batch_norm", "dropout", "dropout1d", "dropout2d", "dropout3d", "embedding", "group_norm",
    "layer_norm", "rms_norm",
]  # fmt: skip
