"""More Primitive classes: convolution, pooling, normalization, losses, linear algebra."""

from typing import Any, ClassVar

import numpy as np

from .. import ops
from ..rules import conv as conv_rules
from ..rules import pool as pool_rules
from ..rules.elementwise import exp, softplus, square, where
from ..rules.normalize import standardize
from ..rules.reduce import axes_of, log_softmax, mean
from ..rules.reduce import sum as total
from ..rules.shape import reshape, swapaxes
from ..tensor import Tensor, unwrap, wrap
from . import conv, normalize, pool
from .primitives import Primitive


def _each(value: Any, d: int, name: str) -> tuple[int, ...]:
    """A setting for each axis of space; 1 and 1 for batch and channels may stand in front."""
    if isinstance(value, list | tuple) and len(value) == d + 2 and tuple(value[:2]) == (1, 1):
        value = value[2:]
    return conv.each(value, d, name)


def _images(name: str, data_format: str) -> None:
    if data_format not in ("NCHW", "NCDHW"):
        raise ValueError(
            f"{name}: minigrad has channels in axis 1 (NCHW) only, not {data_format!r}"
        )


class BiasAdd(Primitive):
    """Calls ``ops.bias_add``."""

    defaults: ClassVar = {"data_format": "NCHW"}

    def __call__(self, input_x, bias):
        _images("BiasAdd", self.data_format)
        return conv.bias_add(input_x, bias)


class Conv2D(Primitive):
    """Calls ``ops.conv2d``; ``kernel_size`` and ``out_channel`` must be those of the weight."""

    axes = 2

    def __init__(
        self, out_channel, kernel_size, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1,
        group=1, data_format="NCHW",
    ):  # fmt: skip
        d = self.axes
        _images(type(self).__name__, data_format)
        if mode != 1:
            raise ValueError(f"{type(self).__name__}: mode must be 1, a convolution, not {mode}")
        conv.each(kernel_size, d, "kernel_size")
        self.out_channel, self.kernel_size, self.mode = out_channel, kernel_size, mode
        self.pad_mode = pad_mode
        self.pad: Any = (pad,) * (2 * d) if isinstance(pad, int) else tuple(pad)
        self.stride = (1, 1, *_each(stride, d, "stride"))
        self.dilation = (1, 1, *_each(dilation, d, "dilation"))
        self.group, self.data_format, self.groups = group, data_format, group

    def __call__(self, x, weight):
        self.check(weight, weight.shape[0])
        function = (conv.conv2d, conv.conv3d)[self.axes - 2]
        pad = self.pad if self.pad_mode == "pad" else 0
        given = self.stride[2:], self.pad_mode, pad, self.dilation[2:], self.group
        return function(x, weight, None, *given)

    def check(self, weight, out_channel: int) -> None:
        """Raise ValueError if the weight is not what was announced."""
        window = conv.each(self.kernel_size, self.axes, "kernel_size")
        if weight.shape[2:] != window or out_channel != self.out_channel:
            raise ValueError(
                f"{type(self).__name__}: made for {self.out_channel} output channels, windows "
                f"{window}, but the weight has shape {weight.shape}"
            )


class Conv3D(Conv2D):
    """Calls ``ops.conv3d``."""

    axes = 3


class Conv2DTranspose(Conv2D):
    """What the gradient of ``ops.conv2d`` does: it adds x times the weight where windows lie.

    Shapes: x (batch, channels, height, width), the weight as for conv2d, of which x is the output;
        out comes ``input_size``.
    Dtypes: floats stay what they are.
    Raises ValueError if x cannot come from images of this size.

    >>> from minigrad import Tensor, ops
    >>> x, weight = Tensor([[[[3.0, 6.0]]]]), Tensor([[[[1.0, 1.0]]]])
    >>> print(ops.Conv2DTranspose(1, (1, 2))(x, weight, (1, 1, 1, 3)))
    [[[[3. 9. 6.]]]]

    Source: Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016.
    """

    def __call__(self, x, weight, input_size):  # type: ignore[override]  # x had this shape
        self.check(weight, weight.shape[1] * self.group)
        shape = tuple(int(n) for n in unwrap(input_size))
        window, stride, dilation = weight.shape[2:], self.stride[2:], self.dilation[2:]
        pad = self.pad if self.pad_mode == "pad" else 0
        around = conv.widths_of(self.pad_mode, pad, shape[2:], window, stride, dilation)
        counts = conv_rules.counts_of(shape[2:], window, stride, around, dilation)
        if x.shape[2:] != counts or shape[1] != self.out_channel:
            raise ValueError(f"Conv2DTranspose: x {x.shape} does not come from images {shape}")
        return conv_rules.convolve_back(x, weight, shape, stride, around, dilation, self.group)


class _Pool(Primitive):
    """Windows as MindSpore's pooling Primitives have them."""

    def __init__(self, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        _images(type(self).__name__, data_format)
        if pad_mode.lower() not in ("valid", "same"):
            raise ValueError(
                f'{type(self).__name__}: pad_mode must be "valid" or "same", but got {pad_mode!r}'
            )
        self.kernel_size = (1, 1, *_each(kernel_size, 2, "kernel_size"))
        self.strides = (1, 1, *_each(strides, 2, "strides"))
        self.pad_mode, self.data_format = pad_mode.upper(), data_format

    def windows(self, x) -> tuple:
        """Window, stride, padding and dilation."""
        window, stride = self.kernel_size[2:], self.strides[2:]
        around = conv.widths_of(self.pad_mode.lower(), 0, x.shape[2:], window, stride, (1, 1))
        conv.must_fit(type(self).__name__, x.shape[2:], window, stride, around, (1, 1))
        return window, stride, around, (1, 1)


class MaxPool(_Pool):
    """The largest entry of each window of images; the first of several that tie gets the gradient.

    Shapes: (batch, channels, height, width) in, with as many rows and columns as windows fit out.
    Dtypes: the same out as in.
    Raises ValueError if no window fits, or for a data_format other than NCHW.

    >>> from minigrad import Tensor, ops
    >>> print(ops.MaxPool(kernel_size=2)(Tensor([[[[1.0, 2.0, 5.0], [4.0, 3.0, 0.0]]]])))
    [[[[4. 5.]]]]

    Source: Goodfellow, Bengio and Courville, Deep Learning, 2016, section 9.3.
    """

    def __call__(self, x):
        return pool_rules.max_pool(x, *self.windows(x))


class AvgPool(_Pool):
    """The mean of each window of images; padding does not count.

    Shapes: (batch, channels, height, width) in, with as many rows and columns as windows fit out.
    Dtypes: floats stay what they are.
    Raises ValueError if no window fits, or for a data_format other than NCHW.

    >>> from minigrad import Tensor, ops
    >>> print(ops.AvgPool(kernel_size=2)(Tensor([[[[1.0, 2.0, 5.0], [4.0, 3.0, 0.0]]]])))
    [[[[2.5 2.5]]]]

    Source: Goodfellow, Bengio and Courville, Deep Learning, 2016, section 9.3.
    """

    def __call__(self, x):
        window, stride, around, _ = self.windows(x)
        return pool.avg_windows(x, window, stride, around, ((0, 0), (0, 0)))


class AdaptiveAvgPool2D(Primitive):
    """Calls ``ops.adaptive_avg_pool2d``."""

    defaults: ClassVar = {"output_size": 1}
    function = staticmethod(pool.adaptive_avg_pool2d)


class LayerNorm(Primitive):
    """The axes from begin_norm_axis on with mean 0 and variance 1, weighed; mean and variance.

    Shapes: gamma and beta have the last axes of input_x, from begin_params_axis on; mean and
        variance have those that are normalized with length 1.
    Dtypes: floats stay what they are.
    Raises ValueError if gamma or beta has another shape, IndexError for an axis that is not there.

    >>> from minigrad import Tensor, ops
    >>> y, mean, variance = ops.LayerNorm(epsilon=0.0)(
    ...     Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 5.0])
    ... )
    >>> print(y, mean, variance)
    [[-1.  6.]] [[2.]] [[1.]]

    Source: Ba, Kiros and Hinton, Layer normalization, 2016.
    """

    defaults: ClassVar = {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-07}

    def __call__(self, input_x, gamma, beta):
        (first,) = axes_of(self.begin_norm_axis, input_x.ndim)
        (params,) = axes_of(self.begin_params_axis, input_x.ndim)
        if not gamma.shape == beta.shape == input_x.shape[params:]:
            raise ValueError(
                f"LayerNorm: gamma and beta must have the shape {input_x.shape[params:]}, the last "
                f"axes of input_x, but have {gamma.shape} and {beta.shape}"
            )
        axes = tuple(range(first, input_x.ndim))
        out = standardize(input_x, axes, self.epsilon) * gamma + beta
        average = mean(input_x, axes, True)
        distance = input_x - average
        return out, average, mean(distance * distance, axes, True)


class BatchNorm(Primitive):
    """Calls ``ops.batch_norm``; returns its output, and the mean and variance it used, twice."""

    defaults: ClassVar = {
        "is_training": False,
        "epsilon": 1e-05,
        "momentum": 0.1,
        "data_format": "NCHW",
    }

    def __call__(self, input_x, scale, bias, mean, variance):
        _images("BatchNorm", self.data_format)
        out = normalize.batch_norm(
            input_x, mean, variance, scale, bias, self.is_training, self.momentum, self.epsilon
        )
        if self.is_training:
            x, axes = unwrap(input_x), (0, *range(2, input_x.ndim))
            mean, variance = wrap(x.mean(axes)), wrap(x.var(axes))
        return out, Tensor(mean), Tensor(variance), Tensor(mean), Tensor(variance)


class Dropout(Primitive):
    """Calls ``ops.dropout`` with p = 1 - keep_prob; returns its output and what was kept."""

    defaults: ClassVar = {"keep_prob": 0.5, "Seed0": 0, "Seed1": 0}

    def __call__(self, x):
        seed = hash((self.Seed0, self.Seed1)) & 0xFFFFFFFF if self.Seed0 or self.Seed1 else None
        ones = wrap(np.ones(x.shape, unwrap(x).dtype))
        kept = normalize.dropout(ones, 1 - self.keep_prob, True, seed)
        return x * kept, wrap((unwrap(kept) > 0).astype(unwrap(x).dtype))


class Dropout2D(Primitive):
    """Calls ``ops.dropout2d`` with p = 1 - keep_prob; returns its output and what was kept."""

    defaults: ClassVar = {"keep_prob": 0.5}

    def __call__(self, x):
        kept = normalize.dropout2d(wrap(np.ones(x.shape, unwrap(x).dtype)), 1 - self.keep_prob)
        return x * kept, wrap(unwrap(kept) > 0)


class EmbeddingLookup(Primitive):
    """The rows at these indices less ``offset``; zeros for an index that is none.

    Shapes: (rows, ...) and indices of any shape in; out comes the shape of the indices, and (...).
    Dtypes: integers as indices; the rows keep theirs.
    Raises IndexError if the indices are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.EmbeddingLookup()(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([5, 9]), 4))
    [[3. 4.]
     [0. 0.]]

    Source: the definition.
    """

    def __call__(self, input_params, input_indices, offset):
        places = Tensor(input_indices) - int(offset)
        known = (places >= 0) & (places < input_params.shape[0])
        rows = input_params[where(known, places, 0)]
        return where(reshape(known, known.shape + (1,) * (input_params.ndim - 1)), rows, 0.0)


class NLLLoss(Primitive):
    """Calls ``ops.nll_loss`` with weights; returns it, and the sum of the weights used."""

    defaults: ClassVar = {"reduction": "mean", "ignore_index": -100}

    def __call__(self, logits, labels, weight):
        given = labels, weight, self.ignore_index, self.reduction
        used = Tensor(labels) != self.ignore_index
        return ops.nll_loss(logits, *given), total(weight[where(used, labels, 0)] * used)


class SoftmaxCrossEntropyWithLogits(Primitive):
    """The cross entropy of softmax(logits) with labels, for each row; and softmax - labels.

    Shapes: both (rows, classes); the loss (rows,), the difference (rows, classes).
    Dtypes: floats stay what they are.
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> op = ops.SoftmaxCrossEntropyWithLogits()
    >>> loss, difference = op(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]]))
    >>> print(loss, difference)
    [0.693...] [[-0.5  0.5]]

    Source: Bishop, Pattern Recognition and Machine Learning, 2006, section 4.3.4.
    """

    def __call__(self, logits, labels):
        log_p = log_softmax(logits, -1)
        return -total(labels * log_p, -1), exp(log_p) - labels


class SigmoidCrossEntropyWithLogits(Primitive):
    """The binary cross entropy of sigmoid(logits) with label, for each entry.

    Shapes: both broadcast together, and the loss has the shape that comes of it.
    Dtypes: floats stay what they are.
    Raises ValueError if the shapes do not broadcast together.

    >>> from minigrad import Tensor, ops
    >>> print(ops.SigmoidCrossEntropyWithLogits()(Tensor([-1000.0, 1000.0]), Tensor([1.0, 0.0])))
    [1000. 1000.]

    Source: Bishop, Pattern Recognition and Machine Learning, 2006, section 4.3.2.
    """

    def __call__(self, logits, label):
        return (1 - label) * logits + softplus(-logits)


class Pad(Primitive):
    """Calls ``ops.pad`` with zeros: ``paddings`` is a pair (before, after) for each axis."""

    defaults: ClassVar = {"paddings": ()}

    def __call__(self, x):
        return ops.pad(x, [n for pair in reversed(self.paddings) for n in pair])


class Einsum(Primitive):
    """Calls ``ops.einsum`` with the Tensors of a tuple."""

    defaults: ClassVar = {"equation": ""}

    def __call__(self, operands):
        return ops.einsum(self.equation, *operands)


class MatrixInverse(Primitive):
    """Calls ``ops.inverse``, with the matrices turned if ``adjoint``."""

    defaults: ClassVar = {"adjoint": False}

    def __call__(self, x):
        return ops.inverse(swapaxes(x, -1, -2) if self.adjoint else x)


class LpNorm(Primitive):
    """Calls ``ops.vector_norm``: the p-norm over one or several axes."""

    defaults: ClassVar = {"axis": (), "p": 2, "keep_dims": False, "epsilon": 1e-12}

    def __call__(self, input):
        axis = tuple(self.axis) if isinstance(self.axis, list) else self.axis
        return ops.vector_norm(input, self.p, axis, self.keep_dims)


class L2Normalize(Primitive):
    """x over its 2-norm along an axis; over the root of epsilon, where that is larger.

    Shapes: the same out as in.
    Dtypes: floats stay what they are.
    Raises IndexError for an axis that x does not have.

    >>> from minigrad import Tensor, ops
    >>> print(ops.L2Normalize()(Tensor([3.0, 4.0])))
    [0.6 0.8]

    Source: the definition.
    """

    def __init__(self, axis: int | list[int] = 0, epsilon: float = 1e-4):
        self.axis, self.epsilon = ([axis] if isinstance(axis, int) else list(axis)), epsilon

    def __call__(self, x):
        return normalize.l2_normalize(x, self.axis, self.epsilon)


class L2Loss(Primitive):
    """Half of the sum of the squares of x.

    Shapes: any in, a single number out.
    Dtypes: floats stay what they are.
    Raises TypeError for what is no number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.L2Loss()(Tensor([3.0, 4.0])))
    12.5

    Source: the definition.
    """

    def __call__(self, x):
        return total(square(x)) / 2


class SquareSumAll(Primitive):
    """The sums of the squares of x and of y.

    Shapes: any in, two single numbers out.
    Dtypes: floats stay what they are.
    Raises TypeError for what is no number.

    >>> from minigrad import Tensor, ops
    >>> print(*ops.SquareSumAll()(Tensor([3.0, 4.0]), Tensor([1.0])))
    25.0 1.0

    Source: the definition.
    """

    def __call__(self, x, y):
        return total(square(x)), total(square(y))


__all__ = sorted(
    name
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Primitive) and not name.startswith("_")
)
