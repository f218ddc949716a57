"""Images made larger, smaller or shuffled, by MindSpore's names.

Resizing is a product with a matrix along each axis, so its gradient is one with the matrix turned.
"""

import numpy as np

from ..rules.linear import matmul
from ..rules.shape import reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap, wrap
from .conv import at_least, each
from .pool import adaptive_avg, must_be_float

_MODES = {"nearest": None, "linear": 1, "bilinear": 2, "trilinear": 3, "area": None}


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
) -> Tensor:
    """Images in another size: ``size``, or ``scale_factor`` times the old one.

    Both are a number, or one for each axis of space. mode "nearest": the entry that lies there;
    "linear", "bilinear", "trilinear" (for 1, 2, 3 axes): between the two next ones along each axis;
    "area": the mean of the part. With ``align_corners`` the middles of the corners lie on each
    other, else their edges.

    Shapes: (batch, channels, ...) to the same with the new size.
    Dtypes: floats, kept; for "nearest" any.
    Raises ValueError if mode, size or scale_factor do not fit, TypeError if a mean of whole numbers
    is asked for.

    >>> from minigrad import Tensor, ops
    >>> print(ops.interpolate(Tensor([[[1.0, 3.0]]]), size=4, mode="linear"))
    [[[1.  1.5 2.5 3. ]]]

    Source: Press et al., "Numerical Recipes", 2007, section 3.6, for "bilinear".
    """
    d = input.ndim - 2
    if mode not in _MODES or d < 1 or _MODES[mode] not in (None, d):
        raise ValueError(
            f"interpolate: mode {mode!r} does not go with shape {input.shape}; there are 'nearest' "
            "and 'area', and 'linear', 'bilinear', 'trilinear' for 1, 2, 3 axes of images"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError(
            f"interpolate: give either size or scale_factor, but got {size} and {scale_factor}"
        )
    space = input.shape[2:]
    if size is None:
        factors = (scale_factor,) * d if isinstance(scale_factor, int | float) else scale_factor
        if len(factors) != d:
            raise ValueError(f"interpolate: scale_factor must be a number or {d} of them")
        size = tuple(int(n * f) for n, f in zip(space, factors, strict=True))
    sizes = each(size, d, "size")
    at_least(1, size=sizes)
    if mode != "nearest":
        must_be_float("interpolate", input)
    if mode == "area":
        return adaptive_avg("interpolate", input, sizes, d)
    for axis, (n, m) in enumerate(zip(space, sizes, strict=True), start=2):
        if mode == "nearest":
            input = input[(*(slice(None),) * axis, np.arange(m) * n // m)]
        else:
            weights = _between(n, m, bool(align_corners)).astype(unwrap(input).dtype)
            input = swapaxes(matmul(swapaxes(input, axis, -1), wrap(weights)), axis, -1)
    return input


def _between(n: int, m: int, align_corners: bool) -> np.ndarray:
    """The matrix (n, m) that takes n entries to m, each a mean of the two next to it."""
    i = np.arange(m)
    if align_corners:
        at = i * ((n - 1) / (m - 1) if m > 1 else 0.0)
    else:
        at = np.maximum((i + 0.5) * (n / m) - 0.5, 0)
    low = np.minimum(at.astype(int), n - 1)
    high = np.minimum(low + 1, n - 1)
    weights = np.zeros((n, m))
    np.add.at(weights, (low, i), 1 - (at - low))
    np.add.at(weights, (high, i), at - low)
    return weights


upsample = interpolate


def _step(name: str, x, step, axes: int) -> int:
    if x.ndim < axes:
        raise ValueError(f"{name}: input must have {axes} axes or more, but has shape {x.shape}")
    if not isinstance(step, int | np.integer) or step < 1:
        raise ValueError(f"{name}: the factor or number must be whole and above 0, not {step!r}")
    return int(step)


def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels laid out as pixels: r² channels become r by r pixels, for r the upscale_factor.

    Shapes: (..., channels r², h, w) to (..., channels, h r, w r).
    Dtypes: any, kept.
    Raises ValueError if r² does not divide the channels, or r is not a whole number above 0.

    >>> from minigrad import ops
    >>> print(ops.pixel_shuffle(ops.arange(4.0).reshape(1, 4, 1, 1), 2))
    [[[[0. 1.]
       [2. 3.]]]]

    Source: Shi et al., "Real-Time Single Image and Video Super-Resolution Using an Efficient
    Sub-Pixel Convolutional Neural Network", CVPR, 2016.
    """
    r = _step("pixel_shuffle", input, upscale_factor, 3)
    *rest, c, h, w = input.shape
    if c % (r * r):
        raise ValueError(f"pixel_shuffle: {c} channels are no multiple of {r} squared")
    b = len(rest)
    x = reshape(input, (*rest, c // (r * r), r, r, h, w))
    x = transpose(x, (*range(b), b, b + 3, b + 1, b + 4, b + 2))
    return reshape(x, (*rest, c // (r * r), h * r, w * r))


def pixel_unshuffle(input, downscale_factor) -> Tensor:
    """Pixels laid out as channels: r by r pixels become r² channels, for r the downscale_factor.

    It is the reverse of ``pixel_shuffle``.
    Shapes: (..., channels, h r, w r) to (..., channels r², h, w).
    Dtypes: any, kept.
    Raises ValueError if r does not divide height and width, or is not a whole number above 0.

    >>> from minigrad import ops
    >>> print(ops.pixel_unshuffle(ops.arange(4.0).reshape(1, 1, 2, 2), 2).reshape(4))
    [0. 1. 2. 3.]

    Source: Shi et al., "Real-Time Single Image and Video Super-Resolution Using an Efficient
    Sub-Pixel Convolutional Neural Network", CVPR, 2016.
    """
    r = _step("pixel_unshuffle", input, downscale_factor, 3)
    *rest, c, h, w = input.shape
    if h % r or w % r:
        raise ValueError(
            f"pixel_unshuffle: {h} x {w} pixels cannot be cut into blocks of {r} x {r}"
        )
    b = len(rest)
    x = reshape(input, (*rest, c, h // r, r, w // r, r))
    x = transpose(x, (*range(b), b, b + 2, b + 4, b + 1, b + 3))
    return reshape(x, (*rest, c * r * r, h // r, w // r))


def channel_shuffle(x, groups) -> Tensor:
    """The channels (axis 1), in so many groups, dealt out in turns: one from each group.

    Shapes: (batch, channels, ...); the output has the same.
    Dtypes: any, kept.
    Raises ValueError if groups does not divide the channels, or is not a whole number above 0.

    >>> from minigrad import Tensor, ops
    >>> print(ops.channel_shuffle(Tensor([[1.0, 2.0, 3.0, 4.0]]), 2))
    [[1. 3. 2. 4.]]

    Source: Zhang et al., "ShuffleNet", CVPR, 2018.
    """
    groups = _step("channel_shuffle", x, groups, 2)
    batch, c, *space = x.shape
    if c % groups:
        raise ValueError(f"channel_shuffle: {c} channels cannot be cut into {groups} groups")
    out = swapaxes(reshape(x, (batch, groups, c // groups, *space)), 1, 2)
    return reshape(out, x.shape)


__all__ = [
    "channel_shuffle", "interpolate", "pixel_shuffle", "pixel_unshuffle", "upsample",
]  # fmt: skip
