"""Convolutions: a window of weights slides over an image (2d) or along a sequence (1d).

Images have shape (N, channels, height, width), sequences (N, channels, width). How much padding an
image gets is said by ``pad_mode``: "same" (as many outputs as inputs, over the stride), "valid"
(none) or "pad" (as many zeros as ``padding`` says: a number, or top, bottom, left, right).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtype as dtypes
from .. import ops
from ..initializers import HeUniform, Uniform, fans, initializer
from ..ops.conv import each, widths_of
from ..parameter import Parameter
from ..rules.conv import convolve_back
from ..tensor import Tensor
from .cell import Cell
from .linear import check_counts


class _Convolution(Cell):
    """The settings and weights that all share. Those of a sequence are those of a flat image."""

    d = 2  # axes of space
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        dtype: Any,
    ):
        super().__init__()
        check_counts(self, in_channels=in_channels, out_channels=out_channels, group=group)
        self._name = type(self).__name__
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"{self._name}: group={group} must divide in_channels={in_channels} and "
                f"out_channels={out_channels}"
            )
        if pad_mode not in ("same", "valid", "pad"):
            raise ValueError(
                f"{self._name}: pad_mode must be same, valid or pad, but got {pad_mode!r}"
            )
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size = self._pair("kernel_size", kernel_size)
        self.stride = self._pair("stride", stride)
        self.dilation = self._pair("dilation", dilation)
        self.pad_mode = pad_mode
        self.padding = self._padding(padding)
        self.has_bias = has_bias
        shape = (out_channels, in_channels // group, *self.kernel_size)
        if self.transposed:
            shape = (in_channels, out_channels // group, *self.kernel_size)
        if self.d == 1 and isinstance(weight_init, Tensor) and weight_init.ndim == 3:
            weight_init = weight_init.reshape((*weight_init.shape[:2], 1, weight_init.shape[2]))
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias_init, self.bias = bias_init, None
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(fans(shape)[0]))
            bias = initializer(self.bias_init, (out_channels,), dtype)
            self.bias = Parameter(bias, name="bias")

    def _pair(self, name: str, value: Any) -> tuple[int, int]:
        """A setting for height and width; the height of a sequence is 1."""
        given = each(value, self.d, f"{self._name}: {name}")
        if min(given) < 1:
            raise ValueError(f"{self._name}: {name} must be 1 or more, but got {value!r}")
        return (1, *given) if self.d == 1 else given  # type: ignore[return-value]  # a pair by now

    def _padding(self, padding: Any) -> Any:
        values = (padding,) if isinstance(padding, int | np.integer) else tuple(padding)
        if len(values) not in ((1, 4) if self.d == 2 else (1,)) or min(values) < 0:
            wanted = "a number, or 4 (top, bottom, left, right)" if self.d == 2 else "a number"
            raise ValueError(f"{self._name}: padding must be {wanted}, but got {padding!r}")
        if any(values) and self.pad_mode != "pad":
            raise ValueError(
                f"{self._name}: padding={padding} goes with pad_mode='pad', not {self.pad_mode!r}"
            )
        return (0, 0, padding, padding) if self.d == 1 else padding

    def construct(self, x) -> Tensor:
        if x.ndim != self.d + 2 or x.shape[1] != self.in_channels:
            space = "height, width" if self.d == 2 else "width"
            raise ValueError(
                f"{self._name}: the input must have shape (N, {self.in_channels}, {space}), but "
                f"has {x.shape}"
            )
        if self.d == 1:
            x = ops.expand_dims(x, 2)
        out = self._convolve(x)
        return ops.squeeze(out, 2) if self.d == 1 else out

    def _convolve(self, x) -> Tensor:
        return ops.conv2d(
            x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation,
            self.group,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format=NCHW"
        )


class Conv2d(_Convolution):
    """Each output is Σ window × weight + bias, over a window of all channels of the image.

    The weight has shape (out_channels, in_channels / group, height, width). Windows lie ``stride``
    apart and their entries ``dilation`` apart; ``group`` cuts the channels into parts that do not
    mix. Left out, the weights are uniform between ±1/√n for n numbers in a window, and so is the
    bias.

    >>> from minigrad import nn, ops
    >>> layer = nn.Conv2d(1, 1, 2, pad_mode="valid", weight_init="ones")
    >>> print(layer(ops.arange(9.0).reshape(1, 1, 3, 3)))
    [[[[ 8. 12.]
       [20. 24.]]]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, int, int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        data_format: str = "NCHW",
        dtype=dtypes.float32,
    ):
        if data_format != "NCHW":
            raise ValueError(f'Conv2d: data_format must be "NCHW" on the CPU, not {data_format!r}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class Conv1d(_Convolution):
    """Conv2d along a sequence; the weight has shape (out_channels, in_channels / group, 1, width).

    >>> from minigrad import nn, ops
    >>> layer = nn.Conv1d(1, 1, 2, pad_mode="valid", weight_init="ones")
    >>> print(layer(ops.arange(4.0).reshape(1, 1, 4)))
    [[[1. 3. 5.]]]
    """

    d = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        dtype=dtypes.float32,
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class Conv2dTranspose(_Convolution):
    """What the gradient of Conv2d does: each input × weight is added to a window of the output.

    The weight has shape (in_channels, out_channels / group, height, width). The output has, along
    each axis, n × stride entries for "same", those and (k - 1) × dilation + 1 - stride more for
    "valid", and ``padding`` less than that for "pad". ``output_padding`` adds zeros at the end.

    >>> from minigrad import nn, Tensor
    >>> layer = nn.Conv2dTranspose(1, 1, (1, 2), pad_mode="valid", weight_init="ones")
    >>> print(layer(Tensor([[[[1.0, 10.0]]]])))
    [[[[ 1. 11. 10.]]]]
    """

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, int, int, int] = 0,
        output_padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        dtype=dtypes.float32,
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self.output_padding = output_padding
        extra = each(output_padding, 2, "Conv2dTranspose: output_padding")
        limits = [max(s, d) for s, d in zip(self.stride, self.dilation, strict=True)]
        if any(not 0 <= e < limit for e, limit in zip(extra, limits, strict=True)):
            raise ValueError(
                f"Conv2dTranspose: output_padding {extra} must be 0 or more, and below {limits}, "
                "the larger of stride and dilation"
            )
        if any(extra) and pad_mode != "pad":
            raise ValueError("Conv2dTranspose: output_padding goes with pad_mode='pad'")
        self._extra = extra

    def _convolve(self, x) -> Tensor:
        reach = [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation, strict=True)]
        space = tuple(n * s for n, s in zip(x.shape[2:], self.stride, strict=True))
        if self.pad_mode != "same":
            over = [r - s for r, s in zip(reach, self.stride, strict=True)]
            if self.pad_mode == "valid":
                over = [max(o, 0) for o in over]
            space = tuple(n + o for n, o in zip(space, over, strict=True))
        around = ((0, 0), (0, 0))
        if self.pad_mode == "pad":
            around = widths_of("pad", self.padding, space, *self._windows())
            space = tuple(n - a - b for n, (a, b) in zip(space, around, strict=True))
        elif self.pad_mode == "same":
            around = widths_of("same", 0, space, *self._windows())
        if min(space) < 1:
            raise ValueError(
                f"Conv2dTranspose: nothing is left of {x.shape} with padding {self.padding}"
            )
        shape = (x.shape[0], self.out_channels, *space)
        out = convolve_back(x, self.weight, shape, self.stride, around, self.dilation, self.group)
        if self.bias is not None:
            out = out + ops.reshape(self.bias, (-1, 1, 1))
        if any(self._extra):
            out = ops.pad(out, (0, self._extra[1], 0, self._extra[0]))
        return out

    def _windows(self):
        return self.kernel_size, self.stride, self.dilation


class Conv1dTranspose(Conv2dTranspose):
    """Conv2dTranspose along a sequence; the weight has shape (in, out / group, 1, width).

    >>> from minigrad import nn, Tensor
    >>> layer = nn.Conv1dTranspose(1, 1, 2, pad_mode="valid", weight_init="ones")
    >>> print(layer(Tensor([[[1.0, 10.0]]])))
    [[[ 1. 11. 10.]]]
    """

    d = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        dtype=dtypes.float32,
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, 0, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
