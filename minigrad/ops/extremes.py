"""The largest and smallest entries along axes, and where they are, by MindSpore's names."""

import numpy as np

from ..rules import reduce as rules
from ..rules.elementwise import maximum, minimum
from ..rules.elementwise import where as _where
from ..rules.reduce import axes_of
from ..rules.shape import reshape
from ..tensor import Tensor
from .index import gather_elements
from .reduce import axis_or_all, refuse_given


def _masked(name, largest, x, axis, keepdims, initial, where) -> Tensor:
    """The extreme over the axes, of initial and the entries where a mask holds."""
    if where is not None:
        if initial is None:
            raise ValueError(f"{name}: with where, initial must say what stands for the others")
        x = _where(where, x, initial)
    out = (rules.amax if largest else rules.amin)(x, axis_or_all(axis), keepdims)
    if initial is None:
        return out
    return (maximum if largest else minimum)(out, initial)


def amax(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest entry along the axes (all, if None). Entries that tie share the gradient.

    ``where`` says which entries count, ``initial`` is counted as one more.

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdims
    Dtypes: any; the output has that of input, or what initial makes of it
    Raises IndexError if an axis is out of range, ValueError if there are no entries, or with where
        but without initial.

    >>> from minigrad import Tensor, ops
    >>> print(ops.amax(Tensor([[1, 5], [3, 4]]), 0))
    [3 5]

    Source: numpy.amax
    """
    return _masked("amax", True, input, axis, keepdims, initial, where)


def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest entry along the axes (all, if None). Entries that tie share the gradient.

    ``where`` says which entries count, ``initial`` is counted as one more.

    Shapes: any; the output lacks those axes, or has them with length 1 if keepdims
    Dtypes: any; the output has that of input, or what initial makes of it
    Raises IndexError if an axis is out of range, ValueError if there are no entries, or with where
        but without initial.

    >>> from minigrad import Tensor, ops
    >>> print(ops.amin(Tensor([[1, 5], [3, 4]]), 0))
    [1 4]

    Source: numpy.amin
    """
    return _masked("amin", False, input, axis, keepdims, initial, where)


def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the largest of all entries (ties share the gradient), and 0, as in MindSpore.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; the values have that of input, the indices are int64
    Raises IndexError if the axis is out of range, ValueError if there are no entries, or where or
        initial come with an axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.max(Tensor([[1, 5], [3, 4]]), 0)
    >>> print(values, places)
    [3 5] [1 0]

    Source: numpy.amax and numpy.argmax
    """
    if axis is None:
        return amax(input, initial=initial, where=where), Tensor(0)
    refuse_given("max", initial=initial, where=where)
    return _pick(input, rules.argmax(input, axis, True), axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest entries along one axis, and their (first) indices, which get all the gradient.

    Without an axis: the smallest of all entries (ties share the gradient), and 0, as in MindSpore.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; the values have that of input, the indices are int64
    Raises IndexError if the axis is out of range, ValueError if there are no entries, or where or
        initial come with an axis.

    >>> from minigrad import Tensor, ops
    >>> values, places = ops.min(Tensor([[1, 5], [3, 4]]), 0)
    >>> print(values, places)
    [1 4] [0 1]

    Source: numpy.amin and numpy.argmin
    """
    if axis is None:
        return amin(input, initial=initial, where=where), Tensor(0)
    refuse_given("min", initial=initial, where=where)
    return _pick(input, rules.argmin(input, axis, True), axis, keepdims)


def aminmax(input, *, axis=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest entries along an axis. Entries that tie share the gradient.

    Shapes: any; both outputs lack the axis, or have it with length 1 if keepdims
    Dtypes: any; both outputs have that of input
    Raises IndexError if the axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> low, high = ops.aminmax(Tensor([3, 1, 2]))
    >>> print(low, high)
    1 3

    Source: numpy.amin and numpy.amax
    """
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def _pick(x, indices, axis, keepdims):
    axes_of(axis, x.ndim)  # raises for one that is not there
    if not x.ndim:
        return reshape(x, ()), indices
    values = gather_elements(x, axis, indices)
    if keepdims:
        return values, indices
    shape = values.shape[: axis % x.ndim] + values.shape[axis % x.ndim + 1 :]
    return reshape(values, shape), reshape(indices, shape)


def argmax(input, dim=None, keepdim=False) -> Tensor:
    """The (first) index of the largest entry along dim; of the flattened Tensor, if None.

    Shapes: any; the output lacks dim, or has it with length 1 if keepdim
    Dtypes: any; the output is int64, without a gradient
    Raises IndexError if dim is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argmax(Tensor([[1, 5], [3, 4]]), 1))
    [1 1]

    Source: numpy.argmax
    """
    return rules.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False) -> Tensor:
    """The (first) index of the smallest entry along an axis; of the flattened Tensor, if None.

    Shapes: any; the output lacks the axis, or has it with length 1 if keepdims
    Dtypes: any; the output is int32, without a gradient
    Raises IndexError if the axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.argmin(Tensor([[1, 5], [3, 4]]), 1))
    [0 0]

    Source: numpy.argmin
    """
    return rules.argmin(input, axis, keepdims).astype(np.int32)


def reduce_max(x, axis=()) -> Tensor:
    """The largest entry along the axes; of all, if none are given. Ties share the gradient.

    Shapes: any; the output lacks those axes
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_max(Tensor([[1, 5], [3, 4]]), 1))
    [5 4]

    Source: numpy.amax
    """
    return amax(x, axis)


def reduce_min(x, axis=()) -> Tensor:
    """The smallest entry along the axes; of all, if none are given. Ties share the gradient.

    Shapes: any; the output lacks those axes
    Dtypes: any; the output has that of x
    Raises IndexError if an axis is out of range, ValueError if there are no entries.

    >>> from minigrad import Tensor, ops
    >>> print(ops.reduce_min(Tensor([[1, 5], [3, 4]]), 1))
    [1 3]

    Source: numpy.amin
    """
    return amin(x, axis)


__all__ = [
    "amax", "amin", "aminmax", "argmax", "argmin", "max", "min", "reduce_max", "reduce_min",
]  # fmt: skip
