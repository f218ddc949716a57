"""Convolutions, by MindSpore's names."""

from typing import Any

import numpy as np

from ..rules import conv as rules
from ..rules.shape import reshape
from ..tensor import Tensor


def each(value: Any, d: int, name: str) -> tuple[int, ...]:
    """A setting for each axis of space: one number for all, or one for each."""
    values = (value,) * d if isinstance(value, int | np.integer) else tuple(value)
    if len(values) == d + 2:  # with batch and channels in front
        values = values[2:]
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
        values = (padding,) * d if isinstance(padding, int) else tuple(padding)
        if len(values) == 2 * d and d > 1:
            return tuple(zip(values[::2], values[1::2], strict=True))
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


def conv1d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weight (out, channels / groups, width) over sequences (batch, channels, width).

    See ``conv2d`` for the other arguments.

    >>> from minigrad import Tensor, ops
    >>> print(ops.conv1d(Tensor([[[1.0, 2.0, 4.0, 8.0]]]), Tensor([[[-1.0, 1.0]]])))
    [[[1. 2. 4.]]]
    """
    return _convolve(1, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv2d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weight (out, channels / groups, height, width) over images (batch, channels, ...).

    Each entry of the output is the sum, over a window of the image, of its entries times the
    weights (and ``bias``, one for each output channel). Windows lie ``stride`` apart, and their
    entries ``dilation`` apart. ``groups`` cuts the channels into parts that do not mix.

    pad_mode  "valid": no padding; "same": zeros around, for an output of ceil(length / stride);
              "pad": ``padding`` zeros on each side (a number, or one for each axis)

    Raises ValueError for shapes and settings that do not fit each other.

    >>> from minigrad import Tensor, ops
    >>> image = ops.arange(9.0).reshape(1, 1, 3, 3)
    >>> print(ops.conv2d(image, ops.ones((1, 1, 2, 2))))
    [[[[ 8. 12.]
       [20. 24.]]]]
    """
    return _convolve(2, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def conv3d(
    input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
) -> Tensor:
    """Slide weight (out, channels / groups, depth, height, width) over (batch, channels, ...).

    See ``conv2d`` for the other arguments.
    """
    return _convolve(3, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def _convolve_back(
    d, input, weight, bias, stride, padding, output_padding, groups, dilation
) -> Tensor:
    name = f"conv_transpose{d}d"
    _check_shapes(name, d, input, weight)
    if input.shape[1] != weight.shape[0] or input.shape[1] % groups:
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
    must_fit(name, space, window, stride, around, dilation)
    shape = (input.shape[0], weight.shape[1] * groups, *space)
    out = rules.convolve_back(input, weight, shape, stride, around, dilation, groups)
    return out if bias is None else out + reshape(bias, (-1, *[1] * d))


def conv_transpose1d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
) -> Tensor:
    """What the gradient of ``conv1d`` does to its input; see ``conv_transpose2d``."""
    return _convolve_back(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
) -> Tensor:
    """Each entry of input (batch, channels, ...) times weight, added where its window lies.

    This is what the gradient of ``conv2d`` with the same weight does to the gradient of its output.
    weight has shape (channels, out / groups, height, width); the output has, along each axis,
    (n - 1) stride - 2 padding + (k - 1) dilation + 1 + output_padding entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.conv_transpose2d(Tensor([[[[1.0, 10.0]]]]), ops.ones((1, 1, 1, 2))))
    [[[[ 1. 11. 10.]]]]
    """
    return _convolve_back(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def bias_add(input_x, bias) -> Tensor:
    """input_x plus one number for each channel (axis 1)."""
    if input_x.ndim < 2 or bias.shape != input_x.shape[1:2]:
        raise ValueError(
            f"bias_add: bias must have a number for each channel (axis 1) of {input_x.shape}, but "
            f"has shape {bias.shape}"
        )
    return input_x + reshape(bias, (-1, *[1] * (input_x.ndim - 2)))


def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """All windows of images (batch, channels, height, width), each as a column.

    The output has shape (batch, channels * window, number of windows).
    """
    window, stride = each(kernel_size, 2, "kernel_size"), each(stride, 2, "stride")
    dilation, around = _around(padding, dilation)
    must_fit("unfold", input.shape[2:], window, stride, around, dilation)
    return rules.unfold(input, window, stride, around, dilation)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Images of this height and width from windows as columns, added where they overlap.

    The reverse of ``unfold``, and its gradient.
    """
    window, stride = each(kernel_size, 2, "kernel_size"), each(stride, 2, "stride")
    dilation, around = _around(padding, dilation)
    space = each([int(n) for n in output_size], 2, "output_size")
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
