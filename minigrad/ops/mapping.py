"""Functions of functions, as MindSpore's ``composite`` has them."""

from collections.abc import Callable
from functools import partial as _partial
from typing import Any

from ..tensor import Tensor

_TYPES = {
    "Tensor": Tensor, "Number": int | float, "Int": int, "Float": float, "Bool": bool,
    "String": str, "Tuple": tuple, "List": list, "Dictionary": dict, "None": type(None),
    "NoneType": type(None), "Function": Callable,
}  # fmt: skip


class MultitypeFuncGraph:
    """A function that runs the one that was registered for the types of its arguments.

    Types are named: "Tensor", "Number", "Tuple" and so on, or given as classes.

    >>> from minigrad import ops
    >>> double = ops.MultitypeFuncGraph("double")
    >>> @double.register("Number")
    ... def of_number(x):
    ...     return 2 * x
    >>> double(3)
    6
    """

    def __init__(self, name: str, read_value: bool = False):
        self.name = name
        self.entries: list[tuple[tuple, Callable]] = []

    def register(self, *types: Any) -> Callable:
        """Make a decorator that takes a function on for arguments of these types."""
        for t in types:
            if isinstance(t, str) and t not in _TYPES:
                raise ValueError(f"{self.name}: no type is named {t!r}; known: {', '.join(_TYPES)}")
        kinds = tuple(_TYPES[t] if isinstance(t, str) else t for t in types)

        def keep(function: Callable) -> Callable:
            self.entries.append((kinds, function))
            return function

        return keep

    def __call__(self, *args: Any) -> Any:
        """What the function for these types makes of the arguments."""
        for kinds, function in self.entries:
            if len(kinds) == len(args) and all(map(isinstance, args, kinds)):
                return function(*args)
        given = ", ".join(type(x).__name__ for x in args)
        known = "; ".join(
            ", ".join(getattr(k, "__name__", str(k)) for k in e) for e, _ in self.entries
        )
        raise TypeError(f"{self.name} has no function for ({given}); it has them for: {known}")


class HyperMap:
    """Applies a function to the entries of tuples and lists, nested ones too; answers in tuples.

    >>> from minigrad import ops
    >>> ops.HyperMap()(lambda x, y: x + y, (1, (2, 3)), (10, (20, 30)))
    (11, (22, 33))
    """

    deep = True

    def __init__(self, ops: Callable | None = None, reverse: bool = False):
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args: Any) -> tuple:
        """The tuple of results; the function comes first, unless it was given before."""
        function, *sequences = args if self.ops is None else (self.ops, *args)
        if not sequences or not isinstance(sequences[0], tuple | list):
            raise TypeError(f"{type(self).__name__} maps over tuples or lists, but got {args!r}")
        return self.map(function, sequences)

    def map(self, function: Callable, sequences: list) -> tuple:
        """The tuple of what the function makes of the entries at each place."""
        lengths = {len(s) for s in sequences}
        if len(lengths) > 1:
            raise ValueError(f"{type(self).__name__}: the sequences have lengths {sorted(lengths)}")
        rows = zip(*sequences, strict=True)
        return tuple(
            self.map(function, list(row))
            if self.deep and all(isinstance(x, tuple | list) for x in row)
            else function(*row)
            for row in rows
        )


class Map(HyperMap):
    """Applies a function to the entries of tuples and lists, one level deep.

    >>> from minigrad import ops
    >>> ops.Map()(lambda x, y: x + y, (1, 2), (10, 20))
    (11, 22)
    """

    deep = False


class Partial:
    """``ops.Partial()(function, *args)`` is the function with its first arguments given.

    >>> from minigrad import ops
    >>> ops.Partial()(max, 3)(1, 2)
    3
    """

    def __call__(self, function: Callable, *args: Any, **kwargs: Any) -> Callable:
        """The function with its first arguments given."""
        return _partial(function, *args, **kwargs)


def partial(function: Callable, *args: Any, **kwargs: Any) -> Callable:
    """The function with its first arguments given.

    Shapes: those of the function.
    Dtypes: those of the function.
    Raises TypeError if function cannot be called.

    >>> from minigrad import ops
    >>> ops.partial(lambda x, y: x - y, 10)(3)
    7

    Source: functools.partial.
    """
    return _partial(function, *args, **kwargs)


def depend(value: Any, expr: Any) -> Any:
    """The value; MindSpore makes sure that expr is computed before, which it is here anyway.

    Shapes: any; the output has that of value.
    Dtypes: any, kept.
    Raises nothing.

    >>> from minigrad import ops
    >>> ops.depend(3, "something")
    3

    Source: the definition.
    """
    return value


class Depend:
    """Calls ``ops.depend``."""

    def __call__(self, value: Any, expr: Any) -> Any:
        """The value."""
        return depend(value, expr)


class Print:
    """Prints its arguments, and returns the first.

    >>> from minigrad import Tensor, ops
    >>> y = ops.Print()(Tensor([1.0, 2.0]), "are the values")
    [1. 2.] are the values
    """

    def __call__(self, *args: Any) -> Any:
        """The first argument."""
        print(*args)  # noqa: T201  # it is what it is for
        return args[0]


def tail(x: tuple | list) -> Any:
    """All entries but the first.

    Shapes: a tuple or list; the output is one entry shorter.
    Dtypes: any, kept.
    Raises TypeError for what is no sequence.

    >>> from minigrad import ops
    >>> ops.tail((1, 2, 3))
    (2, 3)

    Source: the definition.
    """
    return x[1:]


__all__ = [
    "Depend",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "Partial",
    "Print",
    "depend",
    "partial",
    "tail",
]
