"""Products of matrices and vectors, by MindSpore's names."""

import numpy as np

from ..rules import linear as rules
from ..rules.linear import matmul
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
    """The products of entries, summed over the last ``axes`` axes of x1 and the first of x2."""
    if not isinstance(axes, int):
        raise ValueError("tensor_dot: minigrad takes a number of axes only, so far")
    inner = int(np.prod(x1.shape[x1.ndim - axes :]))
    product = matmul(reshape(x1, (-1, inner)), reshape(x2, (inner, -1)))
    return reshape(product, x1.shape[: x1.ndim - axes] + x2.shape[axes:])


__all__ = ["bmm", "dense", "matmul", "outer", "swapaxes", "tensor_dot"]
