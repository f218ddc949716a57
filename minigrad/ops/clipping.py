"""Functions that keep gradients from growing too long, by MindSpore's names."""

import builtins
import functools
import operator

import numpy as np

from ..batch import answer, every_value
from ..rules.elementwise import absolute, maximum, power, root, sqrt, square, where
from ..rules.reduce import amax, sum
from ..tensor import Tensor


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None) -> tuple[Tensor, ...]:
    """The Tensors times clip_norm / norm, if norm, that of all together, is above clip_norm.

    norm is √(sum of all squares), so the direction of the whole gradient is kept.
    Shapes: a tuple of Tensors of any shapes, to a tuple of the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if clip_norm is not above 0, TypeError if x is empty or one Tensor.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 1.0)
    >>> print(a, b)
    [0.6] [0.8]

    Source: Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks",
    ICML, 2013.
    """
    if use_norm is not None:
        raise ValueError("clip_by_global_norm: use_norm must be None, as in MindSpore")
    if clip_norm <= 0:
        raise ValueError(f"clip_by_global_norm: clip_norm must be above 0, but got {clip_norm}")
    if isinstance(x, Tensor) or not len(x):
        raise TypeError("clip_by_global_norm takes a tuple of Tensors; for one use clip_by_norm")
    total = functools.reduce(operator.add, [sum(square(t)) for t in x])
    norm = sqrt(maximum(total, clip_norm * clip_norm))
    return tuple(t * clip_norm / norm for t in x)


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):  # noqa: ANN201  # of the kind of x
    """x times max_norm / (norm + 1e-6), if that is smaller; x is a Tensor or a list of them.

    norm is (sum of |x|^p)^(1/p) of all entries together, p = norm_type; for inf the largest |x|.
    Shapes: any; the output is of the same kind and shape.
    Dtypes: floats keep theirs; whole numbers become float32 if they are clipped.
    Raises TypeError if x is neither, or empty; ValueError if norm_type is 0; RuntimeError if the
    norm is inf or nan, if ``error_if_nonfinite``.

    >>> from minigrad import Tensor, ops
    >>> print(ops.round(ops.clip_by_norm(Tensor([6.0, 8.0]), 5.0), decimals=4))
    [3. 4.]

    Source: Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks",
    ICML, 2013.
    """
    if not isinstance(x, Tensor) and not (isinstance(x, list | tuple) and x):
        raise TypeError(f"clip_by_norm takes a Tensor or a list of them, but got {x!r}")
    if norm_type == 0:
        raise ValueError("clip_by_norm: norm_type must not be 0")
    tensors = [x] if isinstance(x, Tensor) else list(x)
    if norm_type == builtins.float("inf"):
        norm = functools.reduce(maximum, [amax(absolute(t)) for t in tensors])
    elif norm_type == 2:
        norm = root(functools.reduce(operator.add, [sum(square(t)) for t in tensors]))
    else:
        powers = [sum(power(absolute(t), norm_type)) for t in tensors]
        total = functools.reduce(operator.add, powers)
        norm = where(total == 0, 0.0, power(where(total == 0, 1.0, total), 1.0 / norm_type))
    if error_if_nonfinite and answer(norm, lambda n: not np.isfinite(n).all()):
        found = Tensor(every_value(norm))
        raise RuntimeError(f"clip_by_norm: the norm of order {norm_type} is {found}")
    scale = max_norm / (norm + 1e-6)
    clipped = [t * where(scale < 1, scale, 1.0) for t in tensors]
    return clipped[0] if isinstance(x, Tensor) else type(x)(clipped)


def clip_to_length(x, clip_norm, axis=None) -> Tensor:
    """x times clip_norm / length where its length along the axes is above clip_norm."""
    axes = tuple(axis) if isinstance(axis, list) else axis
    total = sum(square(x), None if axes == () else axes, True)
    length = sqrt(where(total > 0, total, 1))  # the root has no gradient at 0
    return x * clip_norm / maximum(length, clip_norm)


__all__ = ["clip_by_global_norm", "clip_by_norm"]
