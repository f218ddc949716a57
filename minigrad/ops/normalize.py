"""Normalization, dropout and embedding, by MindSpore's names."""

import math

import numpy as np

from ..random import generator
from ..rules.elementwise import maximum, rsqrt, square, where
from ..rules.normalize import standardize
from ..rules.reduce import axes_of, mean
from ..rules.reduce import sum as total
from ..rules.shape import reshape, stop_gradient
from ..samples import refuse_samples
from ..tensor import Tensor, as_array, unwrap, wrap, write


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    """(x - mean) / √(variance + eps) over the last axes, times weight, plus bias.

    Mean and variance are taken over as many axes as normalized_shape has.
    Shapes: any that ends in normalized_shape, which weight and bias have; the output has input's.
    Dtypes: floats; the widest comes out. Whole numbers become float32.
    Raises ValueError if input does not end so, or weight or bias has another shape.

    >>> from minigrad import Tensor, ops
    >>> print(ops.layer_norm(Tensor([[1.0, 3.0], [10.0, 30.0]]), (2,)).round(decimals=3))
    [[-1.  1.]
     [-1.  1.]]

    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016.
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or input.shape[-len(shape) :] != shape:
        raise ValueError(
            f"layer_norm: normalized_shape {shape} is not how the shape {input.shape} ends"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and v.shape != shape:
            raise ValueError(f"layer_norm: {name} must have shape {shape}, but has {v.shape}")
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
    """(x - mean) / √(variance + eps) for each channel (axis 1), times weight, plus bias.

    In training, mean and variance are those of the batch, and the running ones (whose variance is
    the unbiased one) move towards them, by ``momentum`` of the way; else the running ones are used.
    Shapes: (batch, channels, ...); the others are (channels,) or None. The output has input's.
    Dtypes: floats; the widest comes out. Whole numbers become float32.
    Raises ValueError if one of the others has another shape, or is None but needed.

    >>> from minigrad import Tensor, ops
    >>> mean, variance = Tensor([2.0]), Tensor([4.0])
    >>> print(ops.batch_norm(Tensor([[4.0], [0.0]]), mean, variance, None, None, eps=0.0))
    [[ 1.]
     [-1.]]

    Source: Ioffe and Szegedy, "Batch Normalization", ICML, 2015.
    """
    channels = input_x.shape[1] if input_x.ndim > 1 else 0
    for name, v in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if v is not None and v.shape != (channels,):
            raise ValueError(
                f"batch_norm: {name} must have a number for each of the {channels} channels (axis "
                f"1) of input {input_x.shape}, but has shape {v.shape}"
            )
    weight, bias = _per_channel(weight, input_x), _per_channel(bias, input_x)
    if not training and (running_mean is None or running_var is None):
        raise ValueError("batch_norm: without training, running_mean and running_var are needed")
    if not training:
        spread = rsqrt(_per_channel(running_var, input_x) + eps)
        return _weighed((input_x - _per_channel(running_mean, input_x)) * spread, weight, bias)
    axes = (0, *range(2, input_x.ndim))
    _follow(input_x, running_mean, running_var, momentum, axes)
    return _weighed(standardize(input_x, axes, eps), weight, bias)


def _follow(x, running_mean, running_var, momentum, axes):
    """Move the running statistics towards those of x, the variance being the unbiased one."""
    if running_mean is None and running_var is None:
        return
    message = (
        "training cannot move the running mean and variance, since each sample would move them "
        "elsewhere: evaluate, as after set_train(False), or use a norm that keeps none, such as "
        "group_norm"
    )
    refuse_samples("batch_norm", message, (x, running_mean, running_var))
    values = unwrap(x)
    n = values.size // max(values.shape[1], 1)
    unbiased = values.var(axes) * (n / (n - 1) if n > 1 else math.nan)
    for running, now in ((running_mean, values.mean(axes)), (running_var, unbiased)):
        if running is not None:
            mixed = (1 - momentum) * running.array + momentum * now
            write(running, wrap(mixed.astype(running.array.dtype)))


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> Tensor:
    """(x - mean) / √(variance + eps) for each group of channels (axis 1), times weight, plus bias.

    Shapes: (batch, channels, ...); weight and bias are (channels,). The output has input's.
    Dtypes: floats; the widest comes out. Whole numbers become float32.
    Raises ValueError if num_groups does not divide the channels, or weight or bias does not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.group_norm(Tensor([[1.0, 3.0, 10.0, 30.0]]), 2).round(decimals=3))
    [[-1.  1. -1.  1.]]

    Source: Wu and He, "Group Normalization", ECCV, 2018.
    """
    if input.ndim < 2 or num_groups < 1 or input.shape[1] % num_groups:
        raise ValueError(f"group_norm: shape {input.shape} has no {num_groups} groups in axis 1")
    size = math.prod(input.shape[1:]) // num_groups
    out = standardize(reshape(input, (input.shape[0], num_groups, size)), (-1,), eps)
    out = reshape(out, input.shape)
    return _weighed(out, _per_channel(weight, input), _per_channel(bias, input))


def rms_norm(x, gamma, epsilon=1e-06) -> tuple[Tensor, Tensor]:
    """x s gamma, for s = 1 / √(mean of x² + epsilon) over gamma's axes; and s itself.

    Shapes: any that ends in gamma's; the first output has x's, the second 1 in gamma's axes.
    Dtypes: floats; the wider of the two comes out. Whole numbers become float32.
    Raises ValueError if x does not end in gamma's shape, IndexError if x has fewer axes.

    >>> from minigrad import Tensor, ops
    >>> normed, spread = ops.rms_norm(Tensor([[2.0, -2.0]]), Tensor([1.0, 3.0]), 0.0)
    >>> print(normed, spread)
    [[ 1. -3.]] [[0.5]]

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", NeurIPS, 2019.
    """
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
    kind = unwrap(x).dtype
    scale = (kind if kind.kind == "f" else np.dtype(np.float32)).type(1 / (1 - p) if p < 1 else 0)
    return x * wrap(kept * scale)


def dropout(input, p=0.5, training=True, seed=None) -> Tensor:
    """input with each entry set to 0 with chance p, and the others divided by 1 - p.

    Without ``training``, input as it is. ``seed`` makes the choice repeat; else it comes from the
    generator of ``set_seed``.
    Shapes: any; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if p is not from 0 to 1.

    >>> from minigrad import Tensor, ops
    >>> kept = ops.dropout(ops.ones(1000), 0.5, seed=1)
    >>> print(ops.unique(kept)[0], 400 < ops.count_nonzero(kept).item() < 600)
    [0. 2.] True

    Source: Srivastava et al., "Dropout", JMLR, 2014.
    """
    return _drop(input, p, input.shape, training, seed)


def dropout1d(input, p=0.5, training=True) -> Tensor:
    """input with whole channels set to 0, each with chance p, and the others divided by 1 - p.

    Without ``training``, input as it is.
    Shapes: (batch, channels, n) or without batch; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if p is not from 0 to 1, or input has other axes.

    >>> from minigrad import ops
    >>> out = ops.dropout1d(ops.ones((4, 3, 2)), 0.5)
    >>> bool((out == out[..., :1]).all())  # a channel is all 0 or all 2
    True

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks", CVPR,
    2015.
    """
    return _drop_channels(1, input, p, training)


def dropout2d(input, p=0.5, training=True) -> Tensor:
    """input with whole channels set to 0, each with chance p, and the others divided by 1 - p.

    Without ``training``, input as it is.
    Shapes: (batch, channels, h, w) or without batch; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if p is not from 0 to 1, or input has other axes.

    >>> from minigrad import ops
    >>> out = ops.dropout2d(ops.ones((4, 3, 2, 2)), 0.5)
    >>> bool((out == out[..., :1, :1]).all())  # a channel is all 0 or all 2
    True

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks", CVPR,
    2015.
    """
    return _drop_channels(2, input, p, training)


def dropout3d(input, p=0.5, training=True) -> Tensor:
    """input with whole channels set to 0, each with chance p, and the others divided by 1 - p.

    Without ``training``, input as it is.
    Shapes: (batch, channels, d, h, w) or without batch; the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if p is not from 0 to 1, or input has other axes.

    >>> from minigrad import ops
    >>> out = ops.dropout3d(ops.ones((4, 3, 1, 2, 2)), 0.5)
    >>> bool((out == out[..., :1, :1, :1]).all())  # a channel is all 0 or all 2
    True

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks", CVPR,
    2015.
    """
    return _drop_channels(3, input, p, training)


def _drop_channels(d, input, p, training) -> Tensor:
    if input.ndim not in (d + 1, d + 2):
        raise ValueError(
            f"dropout{d}d: input must have {d + 1} or {d + 2} axes, but has shape {input.shape}"
        )
    return _drop(input, p, (*input.shape[: input.ndim - d], *[1] * d), training, None)


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
) -> Tensor:
    """The rows of weight at these indices; the row ``padding_idx`` gets no gradient.

    A negative index counts from the end. A row that is used twice gets both gradients.
    Shapes: any, and weight (rows, size), to input's with size behind.
    Dtypes: integers in input; the output has weight's.
    Raises IndexError if an index is out of range, TypeError if input holds no integers, ValueError
    if padding_idx is no row, or for max_norm and scale_grad_by_freq, which minigrad has not.

    >>> from minigrad import Tensor, ops
    >>> print(ops.embedding(Tensor([1, 0, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[3. 4.]
     [1. 2.]
     [3. 4.]]

    Source: Bengio et al., "A Neural Probabilistic Language Model", JMLR, 2003.
    """
    if max_norm is not None or scale_grad_by_freq:
        raise ValueError("embedding: minigrad has neither max_norm nor scale_grad_by_freq, so far")
    kind = as_array(input).dtype
    if kind.kind not in "iu":
        raise TypeError(f"embedding: input must hold row numbers (integers), not {kind}")
    out = weight[input]
    if padding_idx is None:
        return out
    rows = weight.shape[0]
    if not -rows <= padding_idx < rows:
        raise ValueError(f"embedding: padding_idx {padding_idx} is none of the {rows} rows")
    pad = padding_idx % rows
    return where(Tensor(input)[..., None] == pad, stop_gradient(out), out)


__all__ = [
    "batch_norm", "dropout", "dropout1d", "dropout2d", "dropout3d", "embedding", "group_norm",
    "layer_norm", "rms_norm",
]  # fmt: skip
