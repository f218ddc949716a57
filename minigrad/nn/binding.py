"""How the arguments of a ``bprop`` are found among the inputs of its ``construct``.

``out`` and ``dout`` are found by name, else they are the last two required parameters. If all other
names of bprop occur in construct's signature, they are bound by name, and the gradients are read in
bprop's order; else by position, in construct's order.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter as Argument
from inspect import Signature, signature
from typing import Any
from weakref import WeakKeyDictionary


def function_of(method) -> tuple[Any, bool]:
    """The function behind a method, and whether its first parameter is the Cell."""
    function = getattr(method, "__func__", method)
    return function, function is not method


def inputs_of(cell, args, kwargs) -> tuple[tuple[str, ...], tuple]:
    """The names and values of construct's inputs in its own order, defaults filled in."""
    function, takes_cell = function_of(cell.construct)
    declared = _signature(function)
    try:
        bound = declared.bind(*([cell] if takes_cell else []), *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{type(cell).__name__}.construct: {error}") from None
    bound.apply_defaults()
    names, values = [], []
    for name, value in list(bound.arguments.items())[takes_cell:]:
        kind = declared.parameters[name].kind
        if kind is Argument.VAR_POSITIONAL:
            names += [f"{name}[{i}]" for i in range(len(value))]
            values += value
        elif kind is Argument.VAR_KEYWORD:
            names += value
            values += value.values()
        else:
            names.append(name)
            values.append(value)
    return tuple(names), tuple(values)


# What is known of a function is forgotten with it: it may hold on to much.
_SIGNATURES: WeakKeyDictionary[Any, Signature] = WeakKeyDictionary()
_BINDINGS: WeakKeyDictionary[Any, dict] = WeakKeyDictionary()


def _signature(function: Callable) -> Signature:
    found = _SIGNATURES.get(function)
    if found is None:
        found = _SIGNATURES[function] = signature(function)
    return found


def binding_of(bprop: Any, takes_cell: bool, inputs: tuple[str, ...]) -> Binding:
    """How the arguments of a bprop are bound, worked out once."""
    if not callable(bprop):
        raise TypeError(f"bprop must be a method, def bprop(self, x, out, dout), but is {bprop!r}")
    known = _BINDINGS.setdefault(bprop, {})
    if (takes_cell, inputs) not in known:
        known[takes_cell, inputs] = _bind(bprop, takes_cell, inputs)
    return known[takes_cell, inputs]


class Binding:
    """Where each argument of a bprop comes from."""

    def __init__(self, arguments: list[tuple[str, Any, Any]], order: list[int]):
        # (name, kind, source): source is the number of an input, "out", "dout", or the parameter
        # itself, which then keeps its default.
        self.arguments = arguments
        self.order = order  # the inputs, in the order in which the gradients are returned

    def fill(self, inputs: list, out, dout) -> tuple[list, dict, list[int]]:
        given = {"out": out, "dout": dout}
        positional, named = [], {}
        for name, kind, source in self.arguments:
            if isinstance(source, Argument):  # a setting of bprop's own
                value = source.default
            else:
                value = given[source] if isinstance(source, str) else inputs[source]
            if kind is Argument.KEYWORD_ONLY:
                named[name] = value
            else:
                positional.append(value)
        return positional, named, self.order


def _bind(bprop, takes_cell: bool, inputs: tuple[str, ...]) -> Binding:
    """Match the parameters of a bprop with construct's inputs, as the module's text says."""
    parameters = list(_signature(bprop).parameters.values())[takes_cell:]
    star = [p.name for p in parameters if p.kind is Argument.VAR_POSITIONAL]
    double_star = any(p.kind is Argument.VAR_KEYWORD for p in parameters)
    plain = [p for p in parameters if p.kind not in (Argument.VAR_POSITIONAL, Argument.VAR_KEYWORD)]
    names = [p.name for p in plain]
    if "out" in names and "dout" in names:
        last = {"out": "out", "dout": "dout"}
        if both := [name for name in last if name in inputs]:
            raise TypeError(
                f"{bprop.__qualname__}{_signature(bprop)}: {both[0]} is an input of construct and, "
                "in bprop, also the output or its gradient; rename the input"
            )
    else:
        required = [p.name for p in plain if p.default is p.empty]
        if star:
            last = {}  # def bprop(self, *args): its last two are out and dout
        elif len(required) < 2:
            raise TypeError(
                f"{bprop.__qualname__}{_signature(bprop)} must take the inputs of construct, then "
                "out and dout: def bprop(self, x, out, dout)"
            )
        else:
            last = dict(zip(required[-2:], ("out", "dout"), strict=True))
    others = [p for p in plain if p.name not in last]
    if inputs and not (others or star or double_star):
        raise TypeError(
            f"{bprop.__qualname__}{_signature(bprop)} takes no input of construct, which has "
            f"{', '.join(inputs)}: after the inputs come two more, out and dout"
        )
    whole = len(others) >= len(inputs) or star or double_star
    for name in () if whole else [name for name in last if name in inputs]:
        raise TypeError(
            f"{bprop.__qualname__}{_signature(bprop)}: {name}, an input of construct, stands where "
            f"{last[name]} is handed over; after the inputs come two more, out and dout"
        )
    if all(p.name in inputs for p in others):
        taken = {p.name: inputs.index(p.name) for p in others}
        rest = [i for i in range(len(inputs)) if i not in taken.values()]
    else:
        extra = [p for p in others if p.default is not p.empty and p.name not in inputs]
        others = [p for p in others if p not in extra]
        if len(others) > len(inputs) or (len(others) < len(inputs) and not (star or double_star)):
            raise TypeError(
                f"{bprop.__qualname__}{_signature(bprop)} does not match the inputs of construct, "
                f"({', '.join(inputs)}): name them alike, then out and dout"
            )
        taken = {p.name: i for i, p in enumerate(others)}
        rest = list(range(len(others), len(inputs)))
    arguments: list[tuple[str, Any, Any]] = []
    order: list[int] = []
    for p in parameters:
        if p.kind is Argument.VAR_POSITIONAL:
            arguments += [(p.name, p.kind, i) for i in rest]
            order += rest
            if not last:
                arguments += [("out", p.kind, "out"), ("dout", p.kind, "dout")]
        elif p.kind is Argument.VAR_KEYWORD:
            arguments += [(inputs[i], Argument.KEYWORD_ONLY, i) for i in rest if not star]
            order += [i for i in rest if not star]
        elif p.name in last:
            arguments.append((p.name, p.kind, last[p.name]))
        elif p.name in taken:
            arguments.append((p.name, p.kind, taken[p.name]))
            order.append(taken[p.name])
        else:
            arguments.append((p.name, p.kind, p))
    order += [i for i in range(len(inputs)) if i not in order]
    return Binding(arguments, order)
