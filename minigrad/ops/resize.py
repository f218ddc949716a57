"""Images made larger, smaller or shuffled, by MindSpore's names.

Resizing is a product with a matrix along each axis, so its gradient is one with the matrix turned.
"""

import numpy as np

from ..rules.linear import matmul
from ..rules.shape import reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap, wrap
from .conv import each
from .pool import adaptive_avg

_MODES = {"nearest": None, "linear": 1, "bilinear": 2, "trilinear": 3, "area": None}


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
) -> Tensor:
    """Images (batch, channels, *space) in another size.

    ``size``, or ``scale_factor`` times the old one, is a number or one for each axis of space.

    mode  "nearest": the entry that lies there; "linear", "bilinear", "trilinear" (1, 2, 3 axes):
          between the two next ones along each axis; "area": the mean of the part
    align_corners  the corners of old and new lie on each other, instead of their edges

    >>> from minigrad import Tensor, ops
    >>> print(ops.interpolate(Tensor([[[1.0, 3.0]]]), size=4, mode="linear"))
    [[[1.  1.5 2.5 3. ]]]
    """
    d = input.ndim - 2
    if mode not in _MODES or d < 1 or _MODES[mode] not in (None, d):
        raise ValueError(
            f"interpolate: mode {mode!r} does not go with shape {input.shape}; there are 'nearest' "
            "and 'area', and 'linear', 'bilinear', 'trilinear' for 1, 2, 3 axes of space"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give either size or scale_factor")
    space = input.shape[2:]
    if size is None:
        factors = (scale_factor,) * d if isinstance(scale_factor, int | float) else scale_factor
        size = tuple(int(n * f) for n, f in zip(space, factors, strict=True))
    sizes = each(size, d, "size")
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


def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels (batch, channels r², h, w) laid out as pixels (batch, channels, h r, w r)."""
    r, (*rest, c, h, w) = upscale_factor, input.shape
    if c % (r * r):
        raise ValueError(f"pixel_shuffle: {c} channels are no multiple of {r} squared")
    b = len(rest)
    x = reshape(input, (*rest, c // (r * r), r, r, h, w))
    x = transpose(x, (*range(b), b, b + 3, b + 1, b + 4, b + 2))
    return reshape(x, (*rest, c // (r * r), h * r, w * r))


def pixel_unshuffle(input, downscale_factor) -> Tensor:
    """The reverse of ``pixel_shuffle``."""
    r, (*rest, c, h, w) = downscale_factor, input.shape
    if h % r or w % r:
        raise ValueError(f"pixel_unshuffle: {h} or {w} pixels are no multiple of {r}")
    b = len(rest)
    x = reshape(input, (*rest, c, h // r, r, w // r, r))
    x = transpose(x, (*range(b), b, b + 2, b + 4, b + 1, b + 3))
    return reshape(x, (*rest, c * r * r, h // r, w // r))


def channel_shuffle(x, groups) -> Tensor:
    """The channels (axis 1), in so many groups, dealt out in turns."""
    batch, c, *space = x.shape
    if c % groups:
        raise ValueError(f"channel_shuffle: {c} channels cannot be cut into {groups} groups")
    out = swapaxes(reshape(x, (batch, groups, c // groups, *space)), 1, 2)
    return reshape(out, x.shape)


__all__ = [
    "channel_shuffle", "interpolate", "pixel_shuffle", "pixel_unshuffle", "upsample",
]  # fmt: skip
