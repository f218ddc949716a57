"""Products of matrices and vectors, by MindSpore's names."""

import numpy as np

from ..rules import linear as rules
from ..rules.linear import matmul
from ..rules.reduce import axes_of
from ..rules.shape import reshape, swapaxes, transpose
from ..tensor import Tensor


def bmm(input_x, mat2) -> Tensor:
    """Products of matrices, one for each entry of the batch axes in front."""
    return matmul(input_x, mat2)


def dense(input, weight, bias=None) -> Tensor:
    """input weightᵀ + bias: a fully connected layer; weight has shape (out, in)."""
    if bias is None:
        return matmul(input, transpose(weight))
    return rules.dense(input, weight, bias)


def outer(input, vec2) -> Tensor:
    """The product of each entry of one vector with each entry of the other."""
    return reshape(input, (-1, 1)) * reshape(vec2, (1, -1))


def tensor_dot(x1, x2, axes) -> Tensor:
    """The products of entries, summed over some axes of x1 and as many of x2.

    ``axes`` is their number, the last of x1 and the first of x2, or a pair that names them.
    """
    if isinstance(axes, int):
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    first, second = axes_of(axes[0], x1.ndim), axes_of(axes[1], x2.ndim)
    rest1 = tuple(a for a in range(x1.ndim) if a not in first)
    rest2 = tuple(a for a in range(x2.ndim) if a not in second)
    inner = int(np.prod([x1.shape[a] for a in first]))
    left = reshape(transpose(x1, rest1 + first), (-1, inner))
    right = reshape(transpose(x2, second + rest2), (inner, -1))
    shape = *(x1.shape[a] for a in rest1), *(x2.shape[a] for a in rest2)
    return reshape(matmul(left, right), shape)


__all__ = ["bmm", "dense", "matmul", "outer", "swapaxes", "tensor_dot"]
