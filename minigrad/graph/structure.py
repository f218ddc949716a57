"""Arguments and results, apart from the arrays in them: what a program is made for."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..containers import CONTAINERS, flat, parts, rebuilt
from ..parameter import ParameterTuple
from ..tensor import Tensor, wrap
from .traced import Traced


def flatten(x: Any, found: list, path: str = "") -> tuple:
    """What x is made of, without its arrays, which are appended to found with their places."""
    if isinstance(x, Tensor):
        found.append((path, x))
        return ("tensor",)
    if isinstance(x, np.ndarray | np.generic | Traced):
        found.append((path, x))
        return ("array",)
    if isinstance(x, ParameterTuple):  # they are meant, and not their values
        return ("static", type(x), _Static(x))
    if isinstance(x, CONTAINERS):
        if type(x) not in CONTAINERS and not _holds_arrays(x):
            return ("static", type(x), _Static(x))
        like = None if type(x) in CONTAINERS else _Static(rebuilt(x, [None] * len(x)))
        inside = tuple((key, flatten(v, found, f"{path}_{key}")) for key, v in parts(x))
        return (type(x), like, inside)
    return ("static", type(x), _Static(x))


def _holds_arrays(x: Any) -> bool:
    return any(isinstance(v, Tensor | np.ndarray | np.generic | Traced) for v in flat(x))


def rebuild(structure: tuple, arrays: Any) -> Any:
    """The structure with these in place of its arrays."""
    kind, *rest = structure
    if kind == "tensor":
        x = next(arrays)
        return x if isinstance(x, Tensor) else wrap(x)
    if kind == "array":
        return next(arrays)
    if kind == "static":
        return rest[1].value
    like, inside = rest
    values = [rebuild(v, arrays) for _, v in inside]
    if like is not None:  # a kind of container that users or libraries made
        return rebuilt(like.value, values)
    return dict(zip((k for k, _ in inside), values, strict=True)) if kind is dict else kind(values)


class _Static:
    """An argument that is no array: a program is made for it, and for what equals it."""

    def __init__(self, value: Any):
        self.value = self.compared = value
        if isinstance(value, float | complex):
            self.compared = repr(value)  # 0.0 is not -0.0, and nan is nan
        elif isinstance(value, ParameterTuple):
            self.compared = tuple(map(id, value))
        elif isinstance(value, Tensor):
            self.compared = id(value)  # by identity: what is in it is kept as it was
        elif getattr(value, "__dict__", None) and isinstance(value, CONTAINERS):
            attributes = vars(value).items()
            now = rebuilt(value, [v for _, v in parts(value)])
            self.compared = now, tuple((k, _Static(v)) for k, v in attributes)
        elif type(value).__hash__ is None:
            self.compared = copy.copy(value)  # as it is now: a set can change

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and bool(self.compared == other.compared)

    def __hash__(self) -> int:
        try:
            return hash(self.compared)
        except TypeError:
            return hash(type(self.compared))
