"""Functions in plain numpy that have no gradient, for all samples of a vmap.

What counts, sorts or looks up needs no batch rule and no tape: numpy finds it sample by sample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .batch import SIZES, Batched, level_in
from .tensor import unwrap, wrap


def for_each_sample(name: str, function: Callable, *arguments: Any) -> Any:
    """What a function of arrays returns: an array, or a tuple of them; inside vmap, of samples.

    ``name`` is that of the op, for the error if the samples' arrays differ in shape.
    """
    arrays = unwrap(arguments)
    level = level_in(arrays)
    if not level:
        recorder = sys.modules.get("minigrad.graph.traced")
        if recorder is not None and recorder.is_traced(arrays):
            return recorder.emit(function, *arrays)  # one step of the recording
        return function(*arrays)
    size = SIZES.get()[level]
    rows = [
        for_each_sample(name, function, *(_sample(x, level, i) for x in arrays))
        for i in range(size or 1)  # without samples, for the shape and dtype of one
    ]
    if type(rows[0]) is tuple:
        return tuple(_together(name, column, level, size) for column in zip(*rows, strict=True))
    return _together(name, rows, level, size)


def _sample(x: Any, level: int, i: int) -> Any:
    if not isinstance(x, Batched) or x.level != level:
        return x
    if not x.samples.shape[0]:
        return np.zeros(x.shape, x.dtype)
    return unwrap(wrap(x.samples.array)[i])  # without its Node: there is no gradient


def _together(name: str, rows: Sequence, level: int, size: int) -> Batched:
    from .op import join

    if len({row.shape for row in rows}) > 1:
        raise TypeError(
            f"{name}: inside vmap its output must have one shape for all samples, but it has "
            f"{rows[0].shape} for the first, and another for others: use it outside vmap, in a loop"
        )
    whole = join([wrap(row) for row in rows])
    return Batched(whole if size else whole[:0], level)


def refuse_samples(name: str, message: str, *arguments: Any) -> None:
    """Raise TypeError, with this message, if one of the arguments differs between samples."""
    if SIZES.get() and level_in(arguments):
        raise TypeError(f"{name}: inside vmap {message}")
