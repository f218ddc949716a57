"""Pooling: one number, the largest or the mean, out of each window of an image or sequence.

Images have shape (N, channels, height, width) or (channels, height, width), sequences
(N, channels, width) or (channels, width). ``pad_mode`` is "valid" (windows lie inside), "same" (as
many outputs as inputs, over the stride) or "pad" (``padding`` on each side).
"""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops.conv import each, must_fit, widths_of
from ..ops.pool import avg_windows
from ..rules.pool import max_pool
from ..tensor import Tensor
from .cell import Cell


class _Pool(Cell):
    """The settings that all share."""

    d = 2  # axes of space

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str, data_format: str = "NCHW"):
        super().__init__()
        name = type(self).__name__
        self.pad_mode = str(pad_mode).upper()
        if self.pad_mode not in ("VALID", "SAME", "PAD"):
            raise ValueError(f"{name}: pad_mode must be valid, same or pad, but got {pad_mode!r}")
        if data_format != "NCHW":
            raise ValueError(f'{name}: data_format must be "NCHW" on the CPU, not {data_format!r}')
        self.window = each(kernel_size, self.d, f"{name}: kernel_size")
        self.steps = each(stride, self.d, f"{name}: stride")
        if min(*self.window, *self.steps) < 1:
            raise ValueError(
                f"{name}: kernel_size and stride must be 1 or more, but got {kernel_size}, {stride}"
            )
        self.kernel_size, self.stride = kernel_size, stride

    def only_with_pad(self, **settings: Any) -> None:
        """Raise ValueError for settings that mean nothing but with pad_mode="pad"."""
        given = [f"{name}={value}" for name, value in settings.items() if value]
        if given and self.pad_mode != "PAD":
            raise ValueError(
                f"{type(self).__name__}: {', '.join(given)} goes with pad_mode='pad' only, not "
                f"with {self.pad_mode.lower()!r}"
            )

    def construct(self, x) -> Any:
        name = type(self).__name__
        if x.ndim not in (self.d + 1, self.d + 2):
            raise ValueError(
                f"{name}: the input must have {self.d + 1} or {self.d + 2} axes, but has shape "
                f"{x.shape}"
            )
        if x.ndim == self.d + 2:
            return self.pool(x)
        out = self.pool(ops.expand_dims(x, 0))
        return tuple(y[0] for y in out) if isinstance(out, tuple) else out[0]

    def around(self, x: Tensor) -> tuple:
        """The padding (before, after) of each axis of space, if it is not "pad"."""
        ones = (1,) * self.d
        around = widths_of(self.pad_mode.lower(), 0, x.shape[2:], self.window, self.steps, ones)
        must_fit(type(self).__name__, x.shape[2:], self.window, self.steps, around, ones)
        return around

    def pool(self, x: Tensor) -> Any:
        """The numbers out of the windows of x, which has the batch axis."""
        raise NotImplementedError

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class _MaxPool(_Pool):
    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ):
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self.only_with_pad(padding=padding, dilation=dilation != 1 and dilation,
                           return_indices=return_indices, ceil_mode=ceil_mode)  # fmt: skip
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def pool(self, x: Tensor) -> Any:
        """The largest entries."""
        if self.pad_mode == "PAD":
            pool = ops.max_pool2d if self.d == 2 else ops.max_pool1d
            return pool(
                x, self.window, self.steps, self.padding, self.dilation, self.return_indices,
                self.ceil_mode,
            )  # fmt: skip
        return max_pool(x, self.window, self.steps, self.around(x), (1,) * self.d)


class MaxPool2d(_MaxPool):
    """The largest entry of each window of an image. Of equals the first gets the gradient.

    With pad_mode "pad" there may be ``dilation``, ``ceil_mode`` (the last window may reach over the
    end) and ``return_indices`` (a pair; the second are places in the image laid out in a row).

    >>> from minigrad import nn, ops
    >>> print(nn.MaxPool2d(2, 2)(ops.arange(16.0).reshape(1, 1, 4, 4)))
    [[[[ 5.  7.]
       [13. 15.]]]]
    """


class MaxPool1d(_MaxPool):
    """The largest entry of each window of a sequence.

    >>> from minigrad import nn, ops
    >>> print(nn.MaxPool1d(2, 2)(ops.arange(4.0).reshape(1, 1, 4)))
    [[[1. 3.]]]
    """

    d = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )
        flat = (1,) if self.pad_mode != "PAD" else (1, 1)  # as MindSpore prints it
        self.kernel_size, self.stride = (*flat, kernel_size), (*flat, stride)


class _AvgPool(_Pool):
    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ):
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self.only_with_pad(padding=padding, ceil_mode=ceil_mode, divisor_override=divisor_override)
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(
                f"{type(self).__name__}: divisor_override must be above 0, not {divisor_override}"
            )
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def pool(self, x: Tensor) -> Tensor:
        """The means; of padding nothing counts, but for pad_mode "pad" with count_include_pad."""
        if self.pad_mode == "PAD":
            settings = self.window, self.steps, self.padding, self.ceil_mode, self.count_include_pad
            if self.d == 1:
                return ops.avg_pool1d(x, *settings)
            return ops.avg_pool2d(x, *settings, self.divisor_override or 0)
        nothing = ((0, 0),) * self.d
        return avg_windows(x, self.window, self.steps, self.around(x), nothing)


class AvgPool2d(_AvgPool):
    """The mean of each window of an image.

    With pad_mode "pad" there may be ``ceil_mode`` (the last window may reach over the end),
    ``count_include_pad`` (zeros around count) and ``divisor_override`` (to divide all sums by).

    >>> from minigrad import nn, ops
    >>> print(nn.AvgPool2d(2, 2)(ops.arange(16.0).reshape(1, 1, 4, 4)))
    [[[[ 2.5  4.5]
       [10.5 12.5]]]]
    """


class AvgPool1d(_AvgPool):
    """The mean of each window of a sequence.

    >>> from minigrad import nn, ops
    >>> print(nn.AvgPool1d(2, 2)(ops.arange(4.0).reshape(1, 1, 4)))
    [[[0.5 2.5]]]
    """

    d = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)
        if self.pad_mode != "PAD":
            self.kernel_size, self.stride = (1, kernel_size), (1, stride)  # as MindSpore prints it


# ----------------------------------------------------------- windows that share out the whole image
class _Adaptive(Cell):
    function: Any

    def __init__(self, output_size: Any):
        super().__init__()
        self.output_size = output_size

    def construct(self, input) -> Any:
        return type(self).function(input, self.output_size)


class AdaptiveAvgPool1d(_Adaptive):
    """The means of ``output_size`` parts of a sequence.

    >>> from minigrad import nn, ops
    >>> print(nn.AdaptiveAvgPool1d(2)(ops.arange(4.0).reshape(1, 1, 4)))
    [[[0.5 2.5]]]
    """

    function = staticmethod(ops.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_Adaptive):
    """The means of parts of an image; ``output_size`` says how many (None: as many as entries).

    >>> from minigrad import nn, ops
    >>> print(nn.AdaptiveAvgPool2d((1, 2))(ops.arange(16.0).reshape(1, 1, 4, 4)))
    [[[[6.5 8.5]]]]
    """

    function = staticmethod(ops.adaptive_avg_pool2d)


class AdaptiveMaxPool1d(_Adaptive):
    """The largest entries of ``output_size`` parts of a sequence.

    >>> from minigrad import nn, ops
    >>> print(nn.AdaptiveMaxPool1d(2)(ops.arange(4.0).reshape(1, 1, 4)))
    [[[1. 3.]]]
    """

    function = staticmethod(ops.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_Adaptive):
    """The largest entries of parts of an image; ``output_size`` as for AdaptiveAvgPool2d.

    >>> from minigrad import nn, ops
    >>> print(nn.AdaptiveMaxPool2d((1, 2))(ops.arange(16.0).reshape(1, 1, 4, 4)))
    [[[[13. 15.]]]]
    """

    function = staticmethod(ops.adaptive_max_pool2d)

    def __init__(self, output_size: Any, return_indices: bool = False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input) -> Any:
        return ops.adaptive_max_pool2d(input, self.output_size, self.return_indices)
