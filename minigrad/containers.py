"""Tensors in nested tuples, lists and dicts: what functions may take and return.

``parts`` takes a container apart and ``rebuilt`` puts one together; the rest follows from the two.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .parameter import ParameterTuple
from .tensor import Tensor

CONTAINERS = (tuple, list, dict)


def parts(x: Any) -> list[tuple[Any, Any]]:
    """What is in a container, each with its key or its place."""
    return list(x.items() if isinstance(x, dict) else enumerate(x))


def rebuilt(container: Any, values: Iterable) -> Any:
    """A container like this one, with these values in it.

    A namedtuple stays one, as do the kinds of dict and list that users and libraries make.

    >>> from collections import OrderedDict
    >>> x = rebuilt(OrderedDict(a=1, b=2), [3, 4])
    >>> print(type(x).__name__, list(x.items()))
    OrderedDict [('a', 3), ('b', 4)]
    """
    kind: Any = type(container)
    if kind is list or kind is tuple:
        return kind(values)
    if kind is dict:
        return dict(zip(container, values, strict=True))
    if hasattr(container, "_make"):  # a namedtuple
        return container._make(values)
    if isinstance(container, ParameterTuple):
        return tuple(values)
    # Past the ways that the kind has of its own: it may count, check or refuse what is written.
    base: Any = next(
        base for base in (tuple, list, OrderedDict, dict) if isinstance(container, base)
    )
    like = base.__new__(kind, values) if base is tuple else base.__new__(kind)
    if base is list:
        list.extend(like, values)
    elif base is not tuple:
        for key, value in zip(container, values, strict=True):
            base.__setitem__(like, key, value)
    if isinstance(container, defaultdict):
        like.default_factory = container.default_factory
    if hasattr(container, "__dict__"):
        vars(like).update(vars(container))
    return like


def map_tensors(function: Callable, x: Any) -> Any:
    """The function applied to each Tensor in x."""
    if isinstance(x, Tensor):
        return function(x)
    if not isinstance(x, CONTAINERS) or (type(x) not in CONTAINERS and not holds_tensors(x)):
        return x
    return rebuilt(x, [map_tensors(function, v) for _, v in parts(x)])


def places(x: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Whatever is in x, in order, each with how it is reached.

    >>> list(places({"w": [1.0, 2.0]}, "x"))
    [("x['w'][0]", 1.0), ("x['w'][1]", 2.0)]
    """
    if isinstance(x, CONTAINERS):
        for key, v in parts(x):
            yield from places(v, f"{name}[{key!r}]")
    else:
        yield name, x


def flat(x: Any) -> list:
    """Whatever is in x, in order."""
    return [leaf for _, v in parts(x) for leaf in flat(v)] if isinstance(x, CONTAINERS) else [x]


def holds_tensors(x: Any) -> bool:
    """Whether x is a Tensor, or there is one in it."""
    return any(True for _ in tensors_in(x))


def tensors_in(x: Any) -> Iterator[Tensor]:
    """The Tensors in x, in order."""
    return (v for v in flat(x) if isinstance(v, Tensor))
