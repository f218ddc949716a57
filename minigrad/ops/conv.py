"""Convolutions, by MindSpore's names."""

from typing import Any

import numpy as np

from ..rules import conv as rules
from ..rules.shape import reshape
from ..tensor import Tensor, unwrap


def each(value: Any, d: int, name: str) -> tuple[int, ...]:
    """A setting for each axis of space: one number for all, or one for each."""
    values = tuple(value) if isinstance(value, list | tuple) else (value,) * d
    if len(values) != d or not all(isinstance(v, int | np.integer) for v in values):
        raise ValueError(f"{name} must be a whole number or {d} of them, but got {value!r}")
    return tuple(int(v) for v in values)


def at_least(low: int, **settings: tuple[int, ...]) -> None:
    """Raise ValueError if a setting holds a number below ``low``."""
    for name, values in settings.items():
        if min(values) < low:
            raise ValueError(f"{name} must be {low} or more, but got {values}")


def widths_of(pad_mode: str, padding: Any, space, window, stride, dilation) -> tuple:
    """The padding (before, after) that a pad_mode asks for, for each axis of space."""
    d = len(space)
    if pad_mode == "pad":
        if isinstance(padding, list | tuple) and len(padding) == 2 * d > 2:
            return tuple(zip(padding[::2], padding[1::2], strict=True))
        return tuple((p, p) for p in each(padding, d, "padding"))
    if np.any(padding):
        raise ValueError(f'padding {padding} goes with pad_mode="pad" only, not with {pad_mode!r}')
    if pad_mode == "valid":
        return ((0, 0),) * d
    if pad_mode == "same":
        reach = [(k - 1) * step + 1 for k, step in zip(window, dilation, strict=True)]
        total = [
            max((-(-n // s) - 1) * s + r - n, 0)
            for n, s, r in zip(space, stride, reach, strict=True)
        ]
        return tuple((t // 2, t - t // 2) for t in total)
    raise ValueError(f'pad_mode must be "valid", "same" or "pad", but got {pad_mode!r}')


def must_fit(name: str, space, window, stride, around, dilation) -> None:
    """Raise ValueError if no window fits into the image with its padding."""
    at_least(1, kernel_size=window, stride=stride, dilation=dilation)
    at_least(0, padding=tuple(p for pair in around for p in pair))
    if min(rules.counts_of(space, window, stride, around, dilation)) < 1:
        raise ValueError(
            f"{name}: windows of {window} (dilation {dilation}) do not fit into {tuple(space)} "
            f"with padding {around}; take smaller ones, or more padding"
        )


def _convolve(d, input, weight, bias, stride, pad_mode, padding, dilation, groups) -> Tensor:
    _check_shapes(f"conv{d}d", d, input, weight)
    if input.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise ValueError(
            f"conv{d}d: input {input.shape} has {input.shape[1]} channels, but weight "
            f"{weight.shape} with groups={groups} takes {weight.shape[1] * groups}"
        )
    stride, dilation = each(stride, d, "stride"), each(dilation, d, "dilation")
    window, space = weight.shape[2:], input.shape[2:]
    _check_bias(f"conv{d}d", bias, weight.shape[0])
    at_least(1, stride=stride)
    around = widths_of(pad_mode, padding, space, window, stride, dilation)
    must_fit(f"conv{d}d", space, window, stride, around, dilation)
    out = rules.convolve(input, weight, stride, around, dilation, groups)
    return out if bias is None else out + reshape(bias, (-1, *[1] * d))


def _check_shapes(name: str, d: int, input, weight) -> None:
    if input.ndim != d + 2 or weight.ndim != d + 2:
        raise ValueError(
            f"{name}: input must have {d + 2} axes (batch, channels, ...) and weight {d + 2} "
            f"(out, channels / groups, ...), but their shapes are {input.shape} and {weight.shape}"
        )


def _check_bias(name: str, bias, channels: int) -> None:
    if bias is not None and bias.shape != (channels,):
        raise ValueError(
            f"{name}: bias must have a number for each of the {channels} output channels, shape "
            f"({channels},), but has shape {bias.shape}"
        )


def conv1d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weights over sequences: each output is the sum of a window's entries times the weights.

    See ``conv2d`` for the arguments.
    Shapes: (batch, channels, n) and (out, channels / groups, k), bias (out,) to (batch, out, m).
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if shapes or settings do not fit each other.

    >>> from minigrad import Tensor, ops
    >>> print(ops.conv1d(Tensor([[[1.0, 2.0, 4.0, 8.0]]]), Tensor([[[-1.0, 1.0]]])))
    [[[1. 2. 4.]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _convolve(1, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv2d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weights over images: each output is the sum of a window's entries times the weights.

    Windows lie ``stride`` apart, and their entries ``dilation`` apart. ``groups`` cuts the channels
    into parts that do not mix. ``pad_mode`` "valid" pads nothing; "same" pads zeros for an output
    of ceil(length / stride); "pad" pads ``padding`` zeros (a number, one for each axis, or
    top, bottom, left, right).

    Shapes: (batch, channels, h, w) and (out, channels / groups, kh, kw), bias (out,) to
    (batch, out, ...).
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if shapes or settings do not fit each other.

    >>> from minigrad import ops
    >>> print(ops.conv2d(ops.arange(9.0).reshape(1, 1, 3, 3), ops.ones((1, 1, 2, 2))))
    [[[[ 8. 12.]
       [20. 24.]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _convolve(2, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv3d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weights over volumes: each output is the sum of a window's entries times the weights.

    See ``conv2d`` for the arguments.
    Shapes: (batch, channels, d, h, w) and (out, channels / groups, kd, kh, kw), bias
    (out,) to (batch, out, ...).
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if shapes or settings do not fit each other.

    >>> from minigrad import ops
    >>> print(ops.conv3d(ops.ones((1, 1, 2, 2, 3)), ops.ones((1, 1, 2, 2, 2))))
    [[[[[8. 8.]]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _convolve(3, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def _convolve_back(
    d, input, weight, bias, stride, padding, output_padding, groups, dilation
) -> Tensor:
    name = f"conv_transpose{d}d"
    _check_shapes(name, d, input, weight)
    if groups < 1 or input.shape[1] != weight.shape[0] or input.shape[1] % groups:
        raise ValueError(
            f"{name}: input {input.shape} has {input.shape[1]} channels, in {groups} groups, but "
            f"weight {weight.shape} takes {weight.shape[0]}"
        )
    stride, dilation = each(stride, d, "stride"), each(dilation, d, "dilation")
    padding, extra = each(padding, d, "padding"), each(output_padding, d, "output_padding")
    if any(e >= s and e >= step for e, s, step in zip(extra, stride, dilation, strict=True)):
        raise ValueError(f"{name}: output_padding {extra} must be below stride {stride}")
    window = weight.shape[2:]
    space = tuple(
        (n - 1) * s - 2 * p + (k - 1) * step + e + 1
        for n, s, p, k, step, e in zip(
            input.shape[2:], stride, padding, window, dilation, extra, strict=True
        )
    )
    around = tuple((p, p) for p in padding)
    if min(space) < 1:
        raise ValueError(f"{name}: with padding {padding} the output would have lengths {space}")
    must_fit(name, space, window, stride, around, dilation)
    shape = (input.shape[0], weight.shape[1] * groups, *space)
    _check_bias(name, bias, shape[1])
    out = rules.convolve_back(input, weight, shape, stride, around, dilation, groups)
    return out if bias is None else out + reshape(bias, (-1, *[1] * d))


def conv_transpose1d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
) -> Tensor:
    """Each entry of the sequences times the weights, added up where its window lies.

    See ``conv_transpose2d`` for the arguments.
    Shapes: (batch, channels, n) and (channels, out / groups, k), bias (out,) to (batch, out, m).
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if shapes or settings do not fit each other.

    >>> from minigrad import Tensor, ops
    >>> print(ops.conv_transpose1d(Tensor([[[1.0, 10.0]]]), Tensor([[[1.0, 2.0]]])))
    [[[ 1. 12. 20.]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _convolve_back(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
) -> Tensor:
    """Each entry of the images times the weights, added up where its window lies.

    It does what ``conv2d`` with this weight does to gradients on their way back.
    Shapes: (batch, channels, h, w) and (channels, out / groups, kh, kw), bias (out,) to
    (batch, out, ...), with (n - 1) stride - 2 padding + (k - 1) dilation + 1 + output_padding
    entries along each axis.
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if shapes or settings do not fit each other.

    >>> from minigrad import Tensor, ops
    >>> print(ops.conv_transpose2d(Tensor([[[[1.0, 10.0]]]]), ops.ones((1, 1, 1, 2))))
    [[[[ 1. 11. 10.]]]]

    Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
    """
    return _convolve_back(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def bias_add(input_x, bias) -> Tensor:
    """input_x plus one number for each channel (axis 1).

    Shapes: (batch, channels, ...) and (channels,) to that of input_x.
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if bias has not one number for each channel.

    >>> from minigrad import Tensor, ops
    >>> print(ops.bias_add(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([10.0, 20.0])))
    [[11. 22.]
     [13. 24.]]

    Source: the definition.
    """
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        raise ValueError(
            f"bias_add: bias must have a number for each channel (axis 1) of {input_x.shape}, but "
            f"has shape {bias.shape}"
        )
    return input_x + reshape(bias, (-1, *[1] * (input_x.ndim - 2)))


def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """All windows of images, each written out as a column.

    Shapes: (batch, channels, h, w) to (batch, channels · window, number of windows).
    Dtypes: any, kept.
    Raises ValueError if input has not 4 axes, or the windows do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unfold(Tensor([[[[1.0, 2.0, 3.0]]]]), (1, 2)))
    [[[1. 2.]
      [2. 3.]]]

    Source: Chellapilla, Puri and Simard, "High Performance Convolutional Neural Networks for
    Document Processing", 2006.
    """
    window, stride = each(kernel_size, 2, "kernel_size"), each(stride, 2, "stride")
    dilation, around = _around(padding, dilation)
    if input.ndim != 4:
        raise ValueError(
            "unfold: input must have 4 axes (batch, channels, height, width), but has shape "
            f"{input.shape}"
        )
    must_fit("unfold", input.shape[2:], window, stride, around, dilation)
    return rules.unfold(input, window, stride, around, dilation)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Images put together from windows as columns, which are added where they overlap.

    It is the gradient of ``unfold``, and its reverse where no windows overlap.
    Shapes: (batch, channels · window, number of windows) to (batch, channels, height, width).
    Dtypes: any, kept.
    Raises ValueError if input has not the columns of such windows, or they do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.fold(Tensor([[[1.0, 2.0], [2.0, 3.0]]]), (1, 3), (1, 2)))
    [[[[1. 4. 3.]]]]

    Source: Chellapilla, Puri and Simard, "High Performance Convolutional Neural Networks for
    Document Processing", 2006, for the gradient.
    """
    window, stride = each(kernel_size, 2, "kernel_size"), each(stride, 2, "stride")
    dilation, around = _around(padding, dilation)
    if isinstance(output_size, Tensor):
        output_size = unwrap(output_size).tolist()
    space = each(output_size, 2, "output_size")
    must_fit("fold", space, window, stride, around, dilation)
    counts = rules.counts_of(space, window, stride, around, dilation)
    if input.ndim != 3 or input.shape[2] != np.prod(counts) or input.shape[1] % np.prod(window):
        raise ValueError(
            f"fold: input must have shape (batch, channels * {np.prod(window)}, {np.prod(counts)}),"
            f" but has {input.shape}"
        )
    return rules.fold(input, space, window, stride, around, dilation)


def _around(padding, dilation):
    return each(dilation, 2, "dilation"), tuple((p, p) for p in each(padding, 2, "padding"))


__all__ = [
    "bias_add", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "fold",
    "unfold",
]  # fmt: skip
