"""Pooling, by MindSpore's names: one number out of each window of an image."""

import math
from typing import Any

import numpy as np

from ..rules import pool as rules
from ..rules.conv import counts_of
from ..rules.elementwise import equal, where
from ..rules.linear import matmul
from ..rules.reduce import mean
from ..rules.shape import reshape, swapaxes
from ..samples import for_each_sample
from ..tensor import Tensor, unwrap, wrap
from .conv import at_least, each, must_fit
from .elementwise import abs
from .extremes import max as max_along


def must_be_float(name: str, x) -> None:
    """Raise TypeError if x holds whole numbers, which means would be cut down to."""
    kind = np.dtype(unwrap(x).dtype)
    if kind.kind != "f":
        raise TypeError(f"{name}: input must hold floats, not {kind}; use .astype(ms.float32)")


# -------------------------------------------------------------------- windows of one size, in steps
def _settings(name, x, d, kernel_size, stride, padding, dilation, ceil_mode):
    """Window, stride, padding (before, after) and dilation, one for each axis of space, checked."""
    if x.ndim != d + 2:
        raise ValueError(
            f"{name}: input must have {d + 2} axes (batch, channels, ...), but has shape {x.shape}"
        )
    must_be_float(name, x)
    window = each(kernel_size, d, "kernel_size")
    stride = window if stride is None else each(stride, d, "stride")
    dilation = each(dilation, d, "dilation")
    sides = each(padding, d, "padding")
    if any(2 * p > k for p, k in zip(sides, window, strict=True)):
        raise ValueError(f"{name}: padding {sides} is more than half of the window {window}")
    around = tuple((p, p) for p in sides)
    must_fit(name, x.shape[2:], window, stride, around, dilation)
    if ceil_mode:
        around = tuple(map(_ceil, x.shape[2:], window, stride, around, dilation))
    return window, stride, around, dilation


def _ceil(n, k, s, around, dilation):
    """More padding behind, so that the last window may reach over the end, but not begin there."""
    p = around[0]
    reach = (k - 1) * dilation + 1
    count = -(-(n + 2 * p - reach) // s) + 1
    if (count - 1) * s >= n + p:
        count -= 1
    return p, max((count - 1) * s + reach - n - p, p)


def _max_pool(name, x, d, kernel_size, stride, padding, dilation, return_indices, ceil_mode) -> Any:
    settings = _settings(name, x, d, kernel_size, stride, padding, dilation, ceil_mode)
    out = rules.max_pool(x, *settings)
    return (out, _places(x, settings)) if return_indices else out


def _places(x, settings) -> Tensor:
    """Where in its image, laid out in a row, the largest entry of each window lies."""
    return wrap(for_each_sample("max_pool", lambda x: _places_in(x, settings), x))


def _places_in(x: np.ndarray, settings) -> np.ndarray:
    window, stride, around, dilation = settings
    first = rules.first_of_largest(x, rules.max_pool(x, *settings), *settings)
    image = np.arange(np.prod(x.shape[2:])).reshape(1, 1, *x.shape[2:])
    views = rules.windows(image, window, stride, around, dilation, 0)
    hits = first.reshape(len(views), *first.shape[len(window) :])
    picked = [np.where(hit, view, 0) for hit, view in zip(hits, views, strict=True)]
    return np.add.reduce(picked)


def max_pool1d(
    x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest entry of each window of sequences.

    See ``max_pool2d`` for the arguments. Of several largest, the first gets the gradient.
    Shapes: (batch, channels, n) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept; places are int64.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import Tensor, ops
    >>> print(ops.max_pool1d(Tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2))
    [[[3. 5.]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _max_pool(
        "max_pool1d", x, 1, kernel_size, stride, padding, dilation, return_indices, ceil_mode
    )


def max_pool2d(
    x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest entry of each window of images.

    Windows lie ``stride`` apart (side by side, if None) and their entries ``dilation`` apart.
    ``padding`` lies on each side, and is never the largest. ``ceil_mode`` lets the last window
    reach over the end. With ``return_indices`` a pair: the second are the places of the largest
    entries in their image laid out in a row. Of several largest, the first gets the gradient.

    Shapes: (batch, channels, h, w) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept; places are int64.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.max_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), 2))
    [[[[ 5.  7.]
       [13. 15.]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _max_pool(
        "max_pool2d", x, 2, kernel_size, stride, padding, dilation, return_indices, ceil_mode
    )


def max_pool3d(
    x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest entry of each window of volumes.

    See ``max_pool2d`` for the arguments. Of several largest, the first gets the gradient.
    Shapes: (batch, channels, d, h, w) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept; places are int64.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.max_pool3d(ops.arange(8.0).reshape(1, 1, 2, 2, 2), 2))
    [[[[[7.]]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _max_pool(
        "max_pool3d", x, 3, kernel_size, stride, padding, dilation, return_indices, ceil_mode
    )


def _avg_pool(name, x, d, kernel_size, stride, padding, ceil_mode, count_pad, divisor=0) -> Tensor:
    window, stride, around, _ = _settings(name, x, d, kernel_size, stride, padding, 1, ceil_mode)
    sides = each(padding, d, "padding")
    counted = tuple((p, p) for p in sides) if count_pad else ((0, 0),) * d
    return avg_windows(x, window, stride, around, counted, divisor)


def avg_windows(x, window, stride, around, counted, divisor=0) -> Tensor:
    """The sum of each window over the number of its entries, or over ``divisor``.

    ``around`` is the padding, ``counted`` the part of it that counts as entries.
    """
    d = len(window)
    settings = window, stride, around, (1,) * d
    kind = unwrap(x).dtype
    counts = counts_of(x.shape[2:], *settings)
    ones = np.ones((*window, 1, 1, *counts), kind)
    if divisor:
        return rules.gather_windows(x, ones / kind.type(divisor), *settings)
    image = np.pad(
        np.ones((1, 1, *x.shape[2:]), kind), ((0, 0), (0, 0), *counted), constant_values=1
    )
    rest = tuple((a - c, b - e) for (a, b), (c, e) in zip(around, counted, strict=True))
    number = rules.gather_windows(image, ones, window, stride, rest, (1,) * d)
    return rules.gather_windows(x, ones / number, *settings)


def avg_pool1d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True
) -> Tensor:
    """The mean of each window of sequences.

    See ``avg_pool2d`` for the arguments.
    Shapes: (batch, channels, n) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import Tensor, ops
    >>> print(ops.avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2, 2))
    [[[2.  3.5]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _avg_pool(
        "avg_pool1d", input_x, 1, kernel_size, stride, padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input_x,
    kernel_size=1,
    stride=1,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
) -> Tensor:
    """The mean of each window of images.

    Windows lie ``stride`` apart. ``padding`` zeros lie on each side; ``count_include_pad`` says
    whether they count. ``ceil_mode`` lets the last window reach over the end, where nothing counts.
    ``divisor_override`` divides the sums, whatever their number of entries.

    Shapes: (batch, channels, h, w) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.avg_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), 2, 2))
    [[[[ 2.5  4.5]
       [10.5 12.5]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _avg_pool(
        "avg_pool2d", input_x, 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def avg_pool3d(
    input_x,
    kernel_size=1,
    stride=1,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
) -> Tensor:
    """The mean of each window of volumes.

    See ``avg_pool2d`` for the arguments.
    Shapes: (batch, channels, d, h, w) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept.
    Raises ValueError if windows or shapes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.avg_pool3d(ops.arange(8.0).reshape(1, 1, 2, 2, 2), 2))
    [[[[[3.5]]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _avg_pool(
        "avg_pool3d", input_x, 3, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """(sum of |x|^p)^(1/p) over each window of sequences, p being ``norm_type``.

    Windows lie ``stride`` apart (side by side, if None). The gradient of a window of zeros is 0.
    Shapes: (batch, channels, n) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept.
    Raises ValueError if norm_type is 0 or windows do not fit, TypeError if x holds no floats.

    >>> from minigrad import Tensor, ops
    >>> print(ops.lp_pool1d(Tensor([[[3.0, -4.0, 0.0, 2.0]]]), 2, 2))
    [[[5. 2.]]]

    Source: Sermanet, Chintala and LeCun, "Convolutional Neural Networks Applied to House Numbers
    Digit Classification", ICPR, 2012.
    """
    return _lp_pool("lp_pool1d", x, 1, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """(sum of |x|^p)^(1/p) over each window of images, p being ``norm_type``.

    Windows lie ``stride`` apart (side by side, if None). The gradient of a window of zeros is 0.
    Shapes: (batch, channels, h, w) to (batch, channels, ...), an entry for each window.
    Dtypes: floats, kept.
    Raises ValueError if norm_type is 0 or windows do not fit, TypeError if x holds no floats.

    >>> from minigrad import Tensor, ops
    >>> print(ops.lp_pool2d(Tensor([[[[3.0, 0.0], [0.0, -4.0]]]]), 2, 2))
    [[[[5.]]]]

    Source: Sermanet, Chintala and LeCun, "Convolutional Neural Networks Applied to House Numbers
    Digit Classification", ICPR, 2012.
    """
    return _lp_pool("lp_pool2d", x, 2, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool(name, x, d, p, kernel_size, stride, ceil_mode) -> Tensor:
    if p == 0:
        raise ValueError(f"{name}: norm_type must not be 0")
    stride = kernel_size if stride is None else stride
    sums = _avg_pool(name, abs(x) ** p, d, kernel_size, stride, 0, ceil_mode, True, 1)
    empty = equal(sums, 0)  # where the root has no slope: the gradient there is 0
    return where(empty, 0.0, where(empty, 1.0, sums) ** (1 / p))


# ----------------------------------------------------------- windows that share out the whole image
def _size(name: str, x, output_size, d: int) -> tuple[int, ...]:
    if x.ndim not in (d + 1, d + 2):
        raise ValueError(
            f"{name}: input must have {d + 1} or {d + 2} axes, but has shape {x.shape}"
        )
    space = x.shape[-d:]
    if isinstance(output_size, list | tuple) and len(output_size) == d:
        output_size = [n if s is None else s for s, n in zip(output_size, space, strict=True)]
    sizes = each(output_size, d, "output_size")
    at_least(0, output_size=sizes)
    return sizes


def _bounds(n: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the ``size`` parts of n entries begin and end; they may overlap."""
    i = np.arange(size)
    return i * n // size, -(-(i + 1) * n // size)


def adaptive_avg(name, x, output_size, d) -> Tensor:
    """The mean over parts along each axis in turn: a product with a matrix of means."""
    must_be_float(name, x)
    sizes = _size(name, x, output_size, d)
    if set(sizes) == {1}:
        return mean(x, tuple(range(-d, 0)), True)
    for axis, size in zip(range(-d, 0), sizes, strict=True):
        n = x.shape[axis]
        start, stop = _bounds(n, size)
        i = np.arange(n)[:, None]
        means = ((start <= i) & (i < stop)) / (stop - start)  # (n, size)
        x = swapaxes(matmul(swapaxes(x, axis, -1), wrap(means.astype(unwrap(x).dtype))), axis, -1)
    return x


def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """The means of parts of sequences, as many parts along each axis as ``output_size`` says.

    See ``adaptive_avg_pool2d`` for the parts.
    Shapes: (batch, channels, n), or without batch, to the same with ``output_size`` behind.
    Dtypes: floats, kept.
    Raises ValueError if shape or sizes do not fit, TypeError if input holds no floats.

    >>> from minigrad import Tensor, ops
    >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2))
    [[[2.  3.5]]]

    Source: He et al., "Spatial Pyramid Pooling in Deep Convolutional Networks for Visual
    Recognition", ECCV, 2014.
    """
    return adaptive_avg("adaptive_avg_pool1d", input, output_size, 1)


def adaptive_avg_pool2d(input, output_size) -> Tensor:
    """The means of parts of images, as many parts along each axis as ``output_size`` says.

    ``output_size`` is a number or a pair; None keeps a length. Part i of s, of n entries, goes from
    floor(i n / s) up to, and without, ceil((i + 1) n / s): parts may overlap.

    Shapes: (batch, channels, h, w), or without batch, to the same with ``output_size`` behind.
    Dtypes: floats, kept.
    Raises ValueError if shape or sizes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.adaptive_avg_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), (1, 2)))
    [[[[6.5 8.5]]]]

    Source: He et al., "Spatial Pyramid Pooling in Deep Convolutional Networks for Visual
    Recognition", ECCV, 2014.
    """
    return adaptive_avg("adaptive_avg_pool2d", input, output_size, 2)


def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """The means of parts of volumes, as many parts along each axis as ``output_size`` says.

    See ``adaptive_avg_pool2d`` for the parts.
    Shapes: (batch, channels, d, h, w), or without batch, to the same with ``output_size`` behind.
    Dtypes: floats, kept.
    Raises ValueError if shape or sizes do not fit, TypeError if input holds no floats.

    >>> from minigrad import ops
    >>> print(ops.adaptive_avg_pool3d(ops.arange(8.0).reshape(1, 1, 2, 2, 2), (2, 1, 1)))
    [[[[[1.5]]
       [[5.5]]]]]

    Source: He et al., "Spatial Pyramid Pooling in Deep Convolutional Networks for Visual
    Recognition", ECCV, 2014.
    """
    return adaptive_avg("adaptive_avg_pool3d", input, output_size, 3)


def _adaptive_max_pool(name, x, output_size, d, return_indices) -> Any:
    sizes = _size(name, x, output_size, d)
    at_least(1, output_size=sizes)
    image = np.arange(np.prod(x.shape[-d:])).reshape(x.shape[-d:])
    for axis, size in enumerate(sizes):  # the places of each part, the last one over again
        start, stop = _bounds(x.shape[axis - d], size)
        steps = start[:, None] + np.arange(np.max(stop - start))
        image = np.moveaxis(image, axis, -1)[..., np.minimum(steps, stop[:, None] - 1)]
        image = np.moveaxis(image, -2, axis)
    image = image.reshape(*sizes, -1)
    row = reshape(x, (*x.shape[:-d], math.prod(x.shape[-d:])))
    values, which = max_along(row[..., image], -1)
    if not return_indices:
        return values
    part = np.broadcast_to(image, (*values.shape, image.shape[-1]))

    def place(which):
        return np.take_along_axis(part, which[..., None], -1)[..., 0]

    return values, wrap(for_each_sample(name, place, which))


def adaptive_max_pool1d(input, output_size) -> Tensor:
    """The largest entries of parts of sequences, as many parts as ``output_size`` says.

    See ``adaptive_avg_pool2d`` for the parts. Of several largest, the first gets the gradient.
    Shapes: (batch, channels, n), or without batch, to the same with ``output_size`` behind.
    Dtypes: any numbers, kept.
    Raises ValueError if shape or size does not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2))
    [[[3. 5.]]]

    Source: He et al., "Spatial Pyramid Pooling in Deep Convolutional Networks for Visual
    Recognition", ECCV, 2014.
    """
    return _adaptive_max_pool("adaptive_max_pool1d", input, output_size, 1, False)


def adaptive_max_pool2d(input, output_size, return_indices=False) -> Tensor | tuple[Tensor, Tensor]:
    """The largest entries of parts of images, as many along each axis as ``output_size`` says.

    See ``adaptive_avg_pool2d`` for the parts. With ``return_indices`` a pair: the second are the
    places in the image laid out in a row. Of several largest, the first gets the gradient.
    Shapes: (batch, channels, h, w), or without batch, to the same with ``output_size`` behind.
    Dtypes: any numbers, kept; places are int64.
    Raises ValueError if shape or sizes do not fit.

    >>> from minigrad import ops
    >>> print(ops.adaptive_max_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), (1, 2)))
    [[[[13. 15.]]]]

    Source: He et al., "Spatial Pyramid Pooling in Deep Convolutional Networks for Visual
    Recognition", ECCV, 2014.
    """
    return _adaptive_max_pool("adaptive_max_pool2d", input, output_size, 2, return_indices)


__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d",
    "max_pool1d", "max_pool2d", "max_pool3d",
]  # fmt: skip
