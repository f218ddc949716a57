"""Functions that write values at places, by MindSpore's names. They return what was written.

Places are given as rows of indices (``indices`` with one index for each axis in its last axis), or
as indices along one axis.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..parameter import Parameter
from ..rules import index as rules
from ..rules.elementwise import divide, maximum, minimum, multiply
from ..rules.reduce import axis_of
from ..rules.shape import broadcast_to, cast, reshape
from ..samples import refuse_samples
from ..tensor import Tensor, as_array, unwrap, wrap, write
from .index import mask_of


def places_of(name: str, indices) -> Any:
    """Indices as an array of integers."""
    places = as_array(indices)
    if places.dtype.kind not in "iu":
        raise TypeError(f"{name}: indices must be integers, not {places.dtype}")
    return places


def fitting(name: str, updates, x) -> Tensor:
    """updates as a Tensor of x's dtype; floats do not fit into integers, nor either into bools."""
    updates = updates if isinstance(updates, Tensor) else Tensor(updates)
    kinds, kind = "b iuf", unwrap(x).dtype
    if kinds.index(unwrap(updates).dtype.kind) // 2 > kinds.index(kind.kind) // 2:
        raise TypeError(
            f"{name}: updates of dtype {updates.dtype} cannot be written into an input of dtype "
            f"{x.dtype}; cast one of them first, as in x.astype(ms.float32)"
        )
    return cast(updates, kind)


def _key(indices, x, name: str) -> tuple[np.ndarray, ...]:
    """Rows of indices as numpy takes them: an array for each axis."""
    places = places_of(name, indices)
    if not places.ndim or places.shape[-1] > x.ndim:
        raise ValueError(
            f"{name}: the last axis of indices must hold one index for each axis of {x.shape}, at "
            f"most, but indices have shape {places.shape}"
        )
    return tuple(unwrap(wrap(places)[..., i]) for i in range(places.shape[-1]))


def _rounds(name: str, key: tuple, shape: tuple[int, ...]) -> list[np.ndarray]:
    """The entries of a key in rounds, so that no place occurs twice in one of them."""
    for axis, (k, n) in enumerate(zip(key, shape, strict=False)):
        if (outside := k[(k < -n) | (k >= n)]).size:
            raise IndexError(f"{name}: index {outside[0]} is not in axis {axis}, of length {n}")
    flat = np.ravel_multi_index(
        tuple(np.where(k < 0, k + n, k) for k, n in zip(key, shape, strict=False)),
        shape[: len(key)],
    ).ravel()
    order = np.argsort(flat, kind="stable")
    ranked = flat[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if flat.size else order
    turn = np.empty_like(order)
    turn[order] = np.arange(flat.size) - np.repeat(starts, np.diff(np.r_[starts, flat.size]))
    return [np.flatnonzero(turn == r) for r in range(int(turn.max(initial=-1)) + 1)]


def write_each(name: str, function: Callable, x, key: tuple, updates) -> Tensor:
    """x with function(x, update) at each place; a place that occurs again is written again."""
    message = "the indices must be the same for all samples; use it outside, in a loop"
    refuse_samples(name, message, key)
    key = tuple(np.broadcast_arrays(*key))
    rest = x.shape[len(key) :]
    updates = broadcast_to(fitting(name, updates, x), (*key[0].shape, *rest))
    rows = reshape(updates, (key[0].size, *rest))
    flat = tuple(k.ravel() for k in key)
    for now in _rounds(name, flat, x.shape):
        place = tuple(k[now] for k in flat)
        x = rules.assign(x, function(x[place], rows[now]), place)
    return x


def tensor_scatter_update(input_x, indices, updates) -> Tensor:
    """input_x with updates at the indices; of several for one place, the last.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_update(x, Tensor([[0], [2]]), Tensor([8.0, 9.0])))
    [8. 2. 9.]

    Source: the definition
    """
    name = "tensor_scatter_update"
    return rules.assign(input_x, fitting(name, updates, input_x), _key(indices, input_x, name))


def tensor_scatter_mul(input_x, indices, updates) -> Tensor:
    """input_x, multiplied by updates at the indices; by each of several for one place.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_mul(x, Tensor([[1], [1]]), Tensor([5.0, 2.0])))
    [ 1. 20.  3.]

    Source: the definition
    """
    name = "tensor_scatter_mul"
    return write_each(name, multiply, input_x, _key(indices, input_x, name), updates)


def tensor_scatter_div(input_x, indices, updates) -> Tensor:
    """input_x, divided by updates at the indices; by each of several for one place.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast;
        integers are rounded towards 0
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_div(x, Tensor([[1]]), Tensor([4.0])))
    [1. 0.5 3. ]

    Source: the definition
    """
    name = "tensor_scatter_div"
    return write_each(name, divide, input_x, _key(indices, input_x, name), updates)


def tensor_scatter_max(input_x, indices, updates) -> Tensor:
    """input_x, but at the indices the larger of it and updates. At ties the gradient is shared.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_max(x, Tensor([[0], [2]]), Tensor([2.0, 2.0])))
    [2. 2. 3.]

    Source: the definition
    """
    name = "tensor_scatter_max"
    return write_each(name, maximum, input_x, _key(indices, input_x, name), updates)


def tensor_scatter_min(input_x, indices, updates) -> Tensor:
    """input_x, but at the indices the smaller of it and updates. At ties the gradient is shared.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_min(x, Tensor([[0], [2]]), Tensor([2.0, 2.0])))
    [1. 2. 2.]

    Source: the definition
    """
    name = "tensor_scatter_min"
    return write_each(name, minimum, input_x, _key(indices, input_x, name), updates)


def tensor_scatter_add(input_x, indices, updates) -> Tensor:
    """input_x with updates added at the indices, whose last axis holds one index for each axis.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> places, updates = Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_add(ops.zeros(3), places, updates))
    [4. 0. 2.]

    Source: the definition
    """
    name = "tensor_scatter_add"
    key = _key(indices, input_x, name)
    return input_x + rules.scatter(fitting(name, updates, input_x), key, input_x.shape)


def tensor_scatter_sub(input_x, indices, updates) -> Tensor:
    """input_x with updates taken off at the indices, whose last axis holds one index for each axis.

    Shapes: indices (..., k), k at most input_x.ndim; updates (..., *input_x.shape[k:]); the output
        as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Tensor, ops
    >>> places, updates = Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0])
    >>> print(ops.tensor_scatter_sub(ops.ones(3), places, updates))
    [-3.  1. -1.]

    Source: the definition
    """
    name = "tensor_scatter_sub"
    key = _key(indices, input_x, name)
    return input_x - rules.scatter(fitting(name, updates, input_x), key, input_x.shape)


def scatter_nd(indices, updates, shape) -> Tensor:
    """Zeros of this shape with updates added at the indices.

    Shapes: indices (..., k), k at most len(shape); updates (..., *shape[k:]); the output has the
        shape
    Dtypes: integer indices; the output has the dtype of updates
    Raises IndexError if an index is out of range, ValueError if the shapes do not fit, TypeError if
        the indices are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.scatter_nd(Tensor([[1], [1]]), Tensor([2.0, 3.0]), (3,)))
    [0. 5. 0.]

    Source: the definition: the gradient of ``gather_nd``
    """
    shape = tuple(int(n) for n in unwrap(shape))
    key = _key(indices, wrap(np.empty(shape, bool)), "scatter_nd")
    return rules.scatter(fitting("scatter_nd", updates, updates), key, shape)


def gather_nd(input_x, indices) -> Tensor:
    """The entries of input_x at rows of indices (in the last axis of ``indices``).

    Shapes: indices (..., k), k at most input_x.ndim; the output is (..., *input_x.shape[k:])
    Dtypes: integer indices; the output has the dtype of input_x
    Raises IndexError if an index is out of range, ValueError if k is too large, TypeError if the
        indices are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])))
    [2 3]

    Source: the definition
    """
    return input_x[_key(indices, input_x, "gather_nd")]


# --------------------------------------------------------------------------------- along one axis
def _along(name: str, x, axis, indices) -> tuple:
    """The key of these indices along one axis: the entry at the same place in the others."""
    places = places_of(name, indices)
    key: list = list(np.indices(places.shape, sparse=True))
    if len(key) != x.ndim:
        raise ValueError(
            f"{name}: indices of shape {places.shape} must have {x.ndim} axes, as {x.shape}"
        )
    key[axis_of(axis, x.ndim)] = places
    return tuple(key)


def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none") -> Tensor:
    """input_x with updates at the indices along an axis, or ("add", "mul") added or multiplied.

    An index and its update say where they belong along the other axes by their own place.

    Shapes: indices with as many axes as input_x; updates as indices; the output as input_x
    Dtypes: integer indices; the output has the dtype of input_x, to which updates are cast
    Raises IndexError if an index or the axis is out of range, ValueError if the shapes do not fit
        or the reduction is another, TypeError if the indices are not integers or updates would lose
        their fractions.

    >>> from minigrad import Tensor, ops
    >>> x, places = ops.zeros((2, 2)), Tensor([[1, 0]])
    >>> print(ops.tensor_scatter_elements(x, places, Tensor([[5.0, 6.0]])))
    [[0. 6.]
     [5. 0.]]

    Source: ONNX operator ScatterElements
    """
    name = "tensor_scatter_elements"
    key, updates = _along(name, input_x, axis, indices), fitting(name, updates, input_x)
    if reduction == "none":
        return rules.assign(input_x, updates, key)
    if reduction == "add":
        return input_x + rules.scatter(updates, key, input_x.shape)
    if reduction == "mul":
        return write_each(name, multiply, input_x, key, updates)
    raise ValueError(f'{name}: reduction must be "none", "add" or "mul", but got {reduction!r}')


def scatter(input, axis, index, src) -> Tensor:
    """input with src at these indices along an axis; see ``tensor_scatter_elements``.

    Shapes: index with as many axes as input; src as index; the output as input
    Dtypes: integer index; the output has the dtype of input, to which src is cast
    Raises IndexError if an index or the axis is out of range, ValueError if the shapes do not fit,
        TypeError if index is not of integers or src would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.scatter(ops.zeros(3), 0, Tensor([2, 0]), Tensor([5.0, 6.0])))
    [6. 0. 5.]

    Source: ONNX operator ScatterElements
    """
    return tensor_scatter_elements(input, index, src, axis)


def _at(x, axis, index) -> tuple:
    return (*(slice(None),) * axis_of(int(axis), x.ndim), index)


def _row(places) -> Any:
    """An array of indices, one alone as a row of one."""
    return places if places.ndim else unwrap(reshape(wrap(places), (1,)))


def index_fill(x, axis, index, value) -> Tensor:
    """x with ``value`` at these indices along an axis.

    Shapes: index any; the output has the shape of x
    Dtypes: integer index; the output has the dtype of x, to which value is cast
    Raises IndexError if an index or the axis is out of range, TypeError if index is not of integers
        or value would lose its fraction.

    >>> from minigrad import Tensor, ops
    >>> print(ops.index_fill(Tensor([1, 2, 3]), 0, Tensor([0, 2]), 9))
    [9 2 9]

    Source: the definition
    """
    key = _at(x, axis, places_of("index_fill", index))
    return rules.assign(x, fitting("index_fill", value, x), key)


def _added(name: str, x, y, axis, indices) -> Tensor:
    """Zeros in the shape of x with the slices of y added at these indices along an axis."""
    key = _at(x, axis, _row(places_of(name, indices)))
    return rules.scatter(fitting(name, y, x), key, x.shape)


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor:
    """x with the slices of y added at these indices along an axis. A Parameter keeps the sum.

    Shapes: indices a vector; y as x, but that axis as long as indices; the output as x
    Dtypes: integer indices; the output has the dtype of x, to which y is cast
    Raises IndexError if an index or the axis is out of range, ValueError if y does not fit,
        TypeError if the indices are not integers or y would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.index_add(Tensor([1, 2, 3]), Tensor([0, 0]), Tensor([10, 20]), 0))
    [31  2  3]

    Source: the definition
    """
    out = x + _added("index_add", x, y, axis, indices)
    if not isinstance(x, Parameter):
        return out
    write(x, out)
    return x


def inplace_add(x, v, indices) -> Tensor:
    """x with the rows of v added at these indices. x itself stays as it is.

    Shapes: indices a number or several; v as x, but axis 0 as long as indices; the output as x
    Dtypes: integer indices; the output has the dtype of x, to which v is cast
    Raises IndexError if an index is out of range, ValueError if v does not fit, TypeError if the
        indices are not integers or v would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.inplace_add(Tensor([1, 2, 3]), Tensor([10, 20]), (0, 2)))
    [11  2 23]

    Source: the definition
    """
    return x + _added("inplace_add", x, v, 0, indices)


def inplace_sub(x, v, indices) -> Tensor:
    """x with the rows of v taken off at these indices. x itself stays as it is.

    Shapes: indices a number or several; v as x, but axis 0 as long as indices; the output as x
    Dtypes: integer indices; the output has the dtype of x, to which v is cast
    Raises IndexError if an index is out of range, ValueError if v does not fit, TypeError if the
        indices are not integers or v would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.inplace_sub(Tensor([1, 2, 3]), Tensor([1, 2]), (0, 2)))
    [0 2 1]

    Source: the definition
    """
    return x - _added("inplace_sub", x, v, 0, indices)


def inplace_update(x, v, indices) -> Tensor:
    """x with the rows of v at these indices. x itself stays as it is.

    Shapes: indices a number or several; v as x, but axis 0 as long as indices; the output as x
    Dtypes: integer indices; the output has the dtype of x, to which v is cast
    Raises IndexError if an index is out of range, ValueError if v does not fit, TypeError if the
        indices are not integers or v would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.inplace_update(Tensor([1, 2, 3]), Tensor([8, 9]), (0, 2)))
    [8 2 9]

    Source: the definition
    """
    key = _at(x, 0, _row(places_of("inplace_update", indices)))
    return rules.assign(x, fitting("inplace_update", v, x), key)


def select_scatter(input, src, axis, index) -> Tensor:
    """input with src as its slice at ``index`` of an axis.

    Shapes: src as input without that axis; the output as input
    Dtypes: any; the output has the dtype of input, to which src is cast
    Raises IndexError if index or the axis is out of range, ValueError if src does not fit,
        TypeError if src would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.select_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0]), 1, 0))
    [[1. 0.]
     [2. 0.]]

    Source: the definition
    """
    return rules.assign(input, fitting("select_scatter", src, input), _at(input, axis, index))


def slice_scatter(input, src, axis=0, start=None, end=None, step=1) -> Tensor:
    """input with src as its slices from start to end of an axis.

    Shapes: src as input, but that axis as long as the slice; the output as input
    Dtypes: any; the output has the dtype of input, to which src is cast
    Raises IndexError if the axis is out of range, ValueError if src does not fit, TypeError if src
        would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> print(ops.slice_scatter(ops.zeros(4), Tensor([1.0, 2.0]), 0, 1, 3))
    [0. 1. 2. 0.]

    Source: the definition
    """
    key = _at(input, axis, slice(start, end, step))
    return rules.assign(input, fitting("slice_scatter", src, input), key)


def masked_scatter(input, mask, tensor) -> Tensor:
    """input with the entries of tensor, one after the other, where the mask is True.

    Shapes: a mask that broadcasts to input; a tensor of as many entries as places, or more; the
        output as input
    Dtypes: a bool mask; the output has the dtype of input, to which tensor is cast
    Raises ValueError if the mask does not fit or the entries are too few, TypeError if the mask is
        not bool or tensor would lose its fractions.

    >>> from minigrad import Tensor, ops
    >>> x, mask = Tensor([1, 2, 3]), Tensor([True, False, True])
    >>> print(ops.masked_scatter(x, mask, Tensor([8, 9])))
    [8 2 9]

    Source: the definition
    """
    hit = mask_of("masked_scatter", mask, input.shape)
    n = int(hit.sum())
    if tensor.size < n:
        raise ValueError(f"masked_scatter: the mask has {n} places, but only {tensor.size} values")
    values = fitting("masked_scatter", tensor, input)
    return rules.assign(input, reshape(values, (-1,))[:n], hit)


__all__ = [
    "gather_nd", "index_add", "index_fill", "inplace_add", "inplace_sub", "inplace_update",
    "masked_scatter", "scatter", "scatter_nd", "select_scatter", "slice_scatter",
    "tensor_scatter_add", "tensor_scatter_div", "tensor_scatter_elements", "tensor_scatter_max",
    "tensor_scatter_min", "tensor_scatter_mul", "tensor_scatter_sub", "tensor_scatter_update",
]  # fmt: skip
