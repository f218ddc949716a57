"""Functions that join Tensors, and that split them, by MindSpore's names."""

from itertools import pairwise
from typing import Any

import numpy as np

from ..rules import shape as rules
from ..rules.reduce import axis_of
from ..tensor import Tensor
from .shape import expand_dims


def concat(tensors, axis=0) -> Tensor:
    """The Tensors one after the other along an axis.

    Shapes: equal but for that axis, where the output is as long as all together
    Dtypes: any; the output has the one that holds them all; floats beside whole numbers keep theirs
    Raises ValueError if the shapes do not fit or there is no Tensor, IndexError if the axis is out
        of range.

    >>> from minigrad import Tensor, ops
    >>> print(ops.concat([Tensor([1, 2]), Tensor([3])]))
    [1 2 3]

    Source: numpy.concatenate
    """
    return rules.concatenate(_together("concat", tensors, axis), axis)


cat = concat


def _together(name: str, tensors: Any, axis: Any) -> Any:
    """The Tensors, or an error that says how they are handed over."""
    if isinstance(axis, Tensor) and axis.ndim:
        raise TypeError(
            f"{name}: axis must be a whole number, but got a Tensor of shape {axis.shape}; hand "
            f"the Tensors over as one tuple: {name}((x, y))"
        )
    if isinstance(tensors, list | tuple):
        for i, x in enumerate(tensors):
            if not isinstance(x, Tensor | np.ndarray):
                raise TypeError(
                    f"{name} takes a tuple or list of Tensors, but entry {i} is a "
                    f"{type(x).__name__}; make it one: Tensor({x!r})"
                )
    return tensors


def stack(tensors, axis=0) -> Tensor:
    """The Tensors one after the other along a new axis.

    Shapes: all equal; the output has one axis more, as long as there are Tensors
    Dtypes: any; the output has the one that holds them all; floats beside whole numbers keep theirs
    Raises ValueError if the shapes differ, there is no Tensor, or no such place for an axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.stack([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 2]
     [3 4]]

    Source: numpy.stack
    """
    together = _together("stack", tensors, axis)
    return rules.concatenate([expand_dims(t, axis) for t in together], axis)


def split(tensor, split_size_or_sections, axis=0) -> tuple[Tensor, ...]:
    """A tuple of parts along an axis, of this size each (the last may be short) or these sizes.

    Shapes: one axis or more; the parts add up to the axis
    Dtypes: any; the parts have that of tensor
    Raises ValueError if the size is below 1 or the sizes do not add up, IndexError if the axis is
        out of range.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.split(Tensor([1, 2, 3]), 2)
    >>> print(a, b)
    [1 2] [3]

    Source: the definition
    """
    axis = axis_of(axis, tensor.ndim)
    n = tensor.shape[axis]
    if isinstance(split_size_or_sections, int):
        if split_size_or_sections < 1:
            raise ValueError(f"split: a size must be from 1 on, but got {split_size_or_sections}")
        ends = list(range(0, n, split_size_or_sections))
        ends.append(n)
    else:
        ends = np.cumsum([0, *split_size_or_sections]).tolist()
        if ends[-1] != n or min(split_size_or_sections, default=0) < 0:
            raise ValueError(
                f"split: sizes {split_size_or_sections} do not add up to {n}, the length of axis "
                f"{axis}, or are not all from 0 on"
            )
    before = (slice(None),) * axis
    return tuple(tensor[(*before, slice(a, b))] for a, b in pairwise(ends))


def chunk(input, chunks, axis=0) -> tuple[Tensor, ...]:
    """A tuple of at most ``chunks`` parts of equal size along an axis (the last may be short).

    Shapes: one axis or more; the parts add up to the axis
    Dtypes: any; the parts have that of input
    Raises ValueError if chunks is below 1, IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.chunk(Tensor([1, 2, 3]), 2)
    >>> print(a, b)
    [1 2] [3]

    Source: the definition
    """
    if chunks < 1:
        raise ValueError(f"chunk: the number of chunks must be from 1 on, but got {chunks}")
    axis = axis_of(axis, input.ndim)
    return split(input, max(-(-input.shape[axis] // chunks), 1), axis)


def unbind(input, dim=0) -> tuple[Tensor, ...]:
    """A tuple of the slices along an axis.

    Shapes: one axis or more; the slices lack that axis
    Dtypes: any; the slices have that of input
    Raises IndexError if the axis is out of range.

    >>> from minigrad import Tensor, ops
    >>> a, b = ops.unbind(Tensor([[1, 2], [3, 4]]))
    >>> print(a, b)
    [1 2] [3 4]

    Source: the definition: the reverse of ``stack``
    """
    dim = axis_of(dim, input.ndim)
    before = (slice(None),) * dim
    return tuple(input[(*before, i)] for i in range(input.shape[dim]))


__all__ = ["cat", "chunk", "concat", "split", "stack", "unbind"]
