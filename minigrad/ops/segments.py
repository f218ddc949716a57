"""Functions of entries that belong to groups (segments), by MindSpore's names."""

from typing import Any

import numpy as np

from ..batch import answer, every_value
from ..rules import index as rules
from ..rules.elementwise import multiply, where
from ..rules.reduce import amax
from ..rules.shape import reshape
from ..samples import for_each_sample
from ..tensor import Tensor, unwrap, wrap
from .write import places_of, write_each


def _rows(name: str, x, segment_ids, num_segments) -> tuple[Tensor, Any, tuple[int, ...]]:
    """The entries as rows, the segment of each, and the output's shape.

    The entries that belong to no segment, if there are any, have one more, behind the others.
    """
    ids = places_of(name, segment_ids)
    rest = x.shape[ids.ndim :]
    if x.shape[: ids.ndim] != ids.shape:
        raise ValueError(
            f"{name}: segment_ids must have the first lengths of {x.shape}, not shape {ids.shape}"
        )
    n = int(num_segments)
    if answer(wrap(ids), lambda i: (i >= n).any()):
        largest = every_value(wrap(ids)).max()
        raise IndexError(f"{name}: there is no segment {largest}, only {n} of them")
    rows, flat = reshape(x, (ids.size, *rest)), reshape(wrap(ids), (ids.size,))
    if answer(wrap(ids), lambda i: (i < 0).any()):
        return rows, unwrap(where(flat < 0, n, flat)), (n + 1, *rest)
    return rows, unwrap(flat), (n, *rest)


def unsorted_segment_sum(input_x, segment_ids, num_segments) -> Tensor:
    """The sums of the entries with the same id; 0 where there are none. Ids below 0 do not count.

    Shapes: segment_ids as the first axes of input_x; the output has num_segments in their place
    Dtypes: integer ids; the output has the dtype of input_x
    Raises IndexError if an id is not below num_segments, ValueError if the shapes do not fit,
        TypeError if the ids are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsorted_segment_sum(Tensor([1.0, 2.0, 4.0]), Tensor([0, 1, 0]), 3))
    [5. 2. 0.]

    Source: the definition
    """
    rows, ids, shape = _rows("unsorted_segment_sum", input_x, segment_ids, num_segments)
    return rules.scatter(rows, (ids,), shape)[: int(num_segments)]


def _limits(kind: np.dtype) -> tuple:
    """The smallest and the largest number of a dtype."""
    if kind == np.bool_:
        return False, True
    info = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    return info.min, info.max


def _extreme(extreme, nothing, rows, ids, shape) -> Tensor:
    """The extreme of each segment. Entries that tie share the gradient equally."""

    def find(values, ids):
        return _find(extreme, nothing, values, ids, shape)

    best, hit, share, empty = map(wrap, for_each_sample(extreme.__name__, find, rows, ids))
    if best.array.dtype.kind != "f":
        return best
    return rules.scatter(where(hit, rows, 0) * share, (ids,), shape) + empty


def _find(extreme, nothing, values, ids, shape) -> tuple[np.ndarray, ...]:
    """The extreme of each segment; which entries are it; their share; it where there is none."""
    best = np.full(shape, nothing, values.dtype)
    extreme.at(best, ids, values)
    hit = values == best[ids]
    number = np.zeros(shape, values.dtype if values.dtype.kind == "f" else np.float32)
    np.add.at(number, ids, hit)
    return best, hit, hit / number[ids].clip(1), np.where(number == 0, best, 0)


def unsorted_segment_max(x, segment_ids, num_segments) -> Tensor:
    """The largest of the entries with the same id; the smallest number where there are none.

    Ids below 0 do not count. Entries that tie share the gradient equally.

    Shapes: segment_ids as the first axes of x; the output has num_segments in their place
    Dtypes: integer ids; the output has the dtype of x
    Raises IndexError if an id is not below num_segments, ValueError if the shapes do not fit,
        TypeError if the ids are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsorted_segment_max(Tensor([1.0, 2.0, 4.0]), Tensor([0, 1, 0]), 2))
    [4. 2.]

    Source: the definition
    """
    rows = _rows("unsorted_segment_max", x, segment_ids, num_segments)
    return _extreme(np.maximum, _limits(unwrap(x).dtype)[0], *rows)[: int(num_segments)]


def unsorted_segment_min(x, segment_ids, num_segments) -> Tensor:
    """The smallest of the entries with the same id; the largest number where there are none.

    Ids below 0 do not count. Entries that tie share the gradient equally.

    Shapes: segment_ids as the first axes of x; the output has num_segments in their place
    Dtypes: integer ids; the output has the dtype of x
    Raises IndexError if an id is not below num_segments, ValueError if the shapes do not fit,
        TypeError if the ids are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsorted_segment_min(Tensor([1.0, 2.0, 4.0]), Tensor([0, 1, 0]), 2))
    [1. 2.]

    Source: the definition
    """
    rows = _rows("unsorted_segment_min", x, segment_ids, num_segments)
    return _extreme(np.minimum, _limits(unwrap(x).dtype)[1], *rows)[: int(num_segments)]


def unsorted_segment_prod(x, segment_ids, num_segments) -> Tensor:
    """The products of the entries with the same id; 1 where there are none.

    Ids below 0 do not count.

    Shapes: segment_ids as the first axes of x; the output has num_segments in their place
    Dtypes: integer ids; the output has the dtype of x
    Raises IndexError if an id is not below num_segments, ValueError if the shapes do not fit,
        TypeError if the ids are not integers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.unsorted_segment_prod(Tensor([3.0, 2.0, 4.0]), Tensor([0, 1, 0]), 2))
    [12.  2.]

    Source: the definition
    """
    rows, ids, shape = _rows("unsorted_segment_prod", x, segment_ids, num_segments)
    ones = wrap(np.ones(shape, unwrap(x).dtype))
    out = write_each("unsorted_segment_prod", multiply, ones, (ids,), rows)
    return out[: int(num_segments)]


def sequence_mask(lengths, maxlen=None) -> Tensor:
    """For each length a row of ``maxlen`` that is True in its first so many places.

    Shapes: any; the output has one axis more, of maxlen (the largest length, if None)
    Dtypes: integers; the output is bool, without a gradient
    Raises ValueError if there is no length to take maxlen from.

    >>> from minigrad import Tensor, ops
    >>> print(ops.sequence_mask(Tensor([1, 3])))
    [[ True False False]
     [ True  True  True]]

    Source: the definition
    """
    length = int(amax(lengths).item() if maxlen is None else maxlen)  # part of the shape

    def mask(x):
        return np.arange(length) < np.asarray(x)[..., None]

    return wrap(for_each_sample("sequence_mask", mask, lengths))


__all__ = [
    "sequence_mask", "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sum",
]  # fmt: skip
