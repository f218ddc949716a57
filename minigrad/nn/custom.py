"""A Cell with a ``bprop``: one op on the tape, whose rule the user wrote.

``construct`` runs unrecorded and may use any library. In the sweep ``bprop`` is called once with
the inputs, the output and the output's gradient. It works on Tensors, so it can be differentiated
again.

How its arguments are bound: ``out`` and ``dout`` are found by name, else they are the last two
required parameters. If all other names of bprop occur in construct's signature, they are bound by
name, and the gradients are read in bprop's order; else by position, in construct's order.
"""

from __future__ import annotations

import warnings
from functools import cache, lru_cache
from inspect import Parameter as Argument
from inspect import signature
from typing import Any

import numpy as np

from ..batch import holds, level_in, untracked
from ..context import get_context
from ..op import Op
from ..parameter import WEIGHTS, Parameter
from ..tape import TAPE, track
from ..tensor import Tensor, lift, unwrap, wrap


def call_with_bprop(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell that has a bprop inside a gradient call, as one entry of its tape."""
    op = CellOp(cell, args, kwargs)
    tape: Any = TAPE.get()
    # Its own Parameters are inputs of the op: inside they are plain values.
    own = set(op.weights)  # a list would compare by ==, entry by entry
    others = {p: node for p, node in WEIGHTS.get().items() if p not in own}
    tokens = TAPE.set(None), WEIGHTS.set(others)
    try:
        out = cell.construct(*map(untracked, args), **{k: untracked(v) for k, v in kwargs.items()})
    finally:
        TAPE.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
    if op.level:  # inside vmap
        from .custom_batch import for_all, is_tracked_around

        if is_tracked_around(op, op.level):
            out = for_all(op, op.level, op.checked_outputs(out))
    return op.write(tape, out)


class CellOp(Op):
    """One call of a Cell as an op. bprop is one rule for all inputs, and may need any of them."""

    __slots__ = ("binding", "cell", "level", "several", "values", "weights")

    def __init__(self, cell, args, kwargs):
        names, values = _inputs(cell, args, kwargs)
        self.describe(
            cell, names, values, [p for p in cell.trainable_params() if p.node is not None]
        )
        self.binding = _bind(*_plain(cell.bprop), names)
        for name, x in zip(names, values, strict=True):
            if any(v.node for v in _tensors(x)) and not isinstance(x, Tensor):
                raise TypeError(
                    f"{self.name} has a bprop, and its input {name} is a {type(x).__name__} of "
                    "Tensors; pass them one by one, as in construct(self, *xs)"
                )

    def describe(self, cell, names: tuple[str, ...], values: tuple, weights: list) -> None:
        """Set what the op stands for."""
        super().__init__(type(cell).__name__, "", names, names)
        self.cell, self.values, self.weights = cell, values, weights
        self.level = level_in(values)  # of the vmap whose samples the inputs hold
        self.several = True

    cuts = False  # the rule is bprop

    def inputs(self, arguments: tuple) -> list[tuple[str, Any]]:
        given = zip(self.parameters, arguments, strict=True)
        arrays = [(name, x) for name, x in given if isinstance(x, Tensor)]
        return arrays + [(p.name, p) for p in self.weights]

    def sources(self, arguments: tuple) -> tuple:
        given = (*arguments, *self.weights)
        if self.level:  # what holds no samples belongs to a gradient call around the vmap
            given = tuple(x if holds(x, self.level) else None for x in given)
        return tuple(getattr(x, "node", None) for x in given)

    def source_names(self, arguments: tuple) -> tuple[str, ...]:
        return (*self.parameters, *(p.name for p in self.weights))

    def save(self, arguments: tuple, out) -> tuple:
        return tuple(
            wrap(x.array, x.node) if isinstance(x, Tensor) else x for x in (*arguments, out)
        )

    def write(self, tape, out) -> Any:
        """The Cell's output, with its entry on the tape if gradients can flow to an input."""
        sources = self.sources(self.values)
        if all(node is None for node in sources) and not tape.watched:
            return out
        out = self.checked_outputs(out)
        arrays = tuple(x.array for x in out) if self.several else out.array
        if tape.special:
            return tape.write(self, self.values, arrays)
        tensors, nodes = track(arrays)
        tape.append((self, (*map(unwrap, self.values), arrays), sources, nodes))
        return list(tensors) if isinstance(out, list) else tensors

    def checked_outputs(self, out: Any) -> Any:
        """What construct returned, or an error that says what it must be."""
        self.several = isinstance(out, tuple | list)
        for x in out if self.several else (out,):
            if not isinstance(x, Tensor):
                raise TypeError(
                    f"{self.name}.construct must return a Tensor or a tuple of Tensors, but "
                    f"returned a {type(x).__name__}; wrap it: minigrad.Tensor(...)"
                )
        return out

    def pull(self, g, sources, *saved) -> list:
        out = lift(saved[-1])
        given = zip(self.values, saved, strict=False)
        inputs = [lift(x) if isinstance(value, Tensor) else value for value, x in given]
        positional, named, order = self.binding.fill(inputs, out, lift(g))
        returned = self.cell.bprop(*positional, **named)
        by_input, by_weight = self._checked(returned, inputs, order)
        recording = isinstance(g[0] if type(g) is tuple else g, Tensor)
        wanted: list = []
        for node, dx in zip(sources, [*by_input, *by_weight], strict=True):
            if node is None or dx is None:
                wanted.append(None)
            else:  # bprop may keep what it returns: hand over a view, which nobody writes into
                wanted.append(dx if recording else np.asarray(dx.array)[...])
        return wanted

    def _checked(self, returned, inputs, order):
        """What bprop returned as one gradient (or None) for each input and each weight."""
        name = self.name
        weight_grads: dict[Parameter, Any] = {}
        if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
            returned, weight_grads = returned
        if not isinstance(returned, tuple) and get_context("check_bprop"):
            raise TypeError(
                f"{name}.bprop returned a {type(returned).__name__}, but check_bprop is on: "
                "return a tuple, (dx,) for one input"
            )
        if not isinstance(returned, tuple | list):
            returned = (returned,)
        tensors = [i for i in order if isinstance(inputs[i], Tensor)]
        if len(returned) == len(order):
            places = order
        elif len(returned) == len(tensors):
            places = tensors
        else:
            wanted = ", ".join(self.parameters[i] for i in order)
            raise ValueError(
                f"{name}.bprop returned {_count(len(returned), 'gradient')}, but has "
                f"{_count(len(order), 'input')} ({wanted}): return one for each, None where there "
                "is none"
            )
        by_input: list[Any] = [None] * len(inputs)
        for i, dx in zip(places, returned, strict=True):
            if isinstance(inputs[i], Tensor):
                by_input[i] = self._gradient(dx, inputs[i], f"input {self.parameters[i]}")
        for p in weight_grads:
            if not any(p is own for own in self.cell.get_parameters()):
                raise TypeError(
                    f"{name}.bprop returned a gradient for {p!r}, which is none of its Parameters; "
                    "the keys are the Parameters themselves, as in {self.w: dw}"
                )
        by_weight = []
        for p in self.weights:
            if p in weight_grads:
                by_weight.append(self._gradient(weight_grads[p], p, f"Parameter {p.name}"))
            else:
                by_weight.append(None)
                warnings.warn(
                    f"{name}.bprop gives no gradient for its Parameter {p.name}, which stays as it "
                    f"is; return ((dx, ...), {{self.{p.name.split('.')[-1]}: dw}})",
                    stacklevel=2,
                )
        return by_input, by_weight

    def _gradient(self, dx, x, place: str):
        """dx as the gradient of x, or an error that says what is wrong with it."""
        if dx is None:
            return None
        if isinstance(dx, np.ndarray | np.generic | float | int) and not isinstance(dx, bool):
            dx = Tensor(dx)
        if not isinstance(dx, Tensor):
            raise TypeError(
                f"{self.name}.bprop must return a Tensor or None for its {place}, but returned a "
                f"{type(dx).__name__}"
            )
        if dx.shape != x.shape:
            raise ValueError(
                f"{self.name}.bprop returned a gradient of shape {dx.shape} for its {place}, which "
                f"has shape {x.shape}: a gradient has the shape of what it is the gradient of"
            )
        return dx


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _tensors(x):
    if isinstance(x, Tensor):
        yield x
    elif isinstance(x, tuple | list | dict):
        for v in x.values() if isinstance(x, dict) else x:
            yield from _tensors(v)


def _plain(method) -> tuple[Any, bool]:
    """The function behind a method, and whether its first parameter is the Cell."""
    function = getattr(method, "__func__", method)
    return function, function is not method


# ------------------------------------------------------------------- binding bprop's arguments
def _inputs(cell, args, kwargs) -> tuple[tuple[str, ...], tuple]:
    """The names and values of construct's inputs in its own order, defaults filled in."""
    function, takes_cell = _plain(cell.construct)
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


_signature = lru_cache(maxsize=None)(signature)


class _Binding:
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


@cache
def _bind(bprop, takes_cell: bool, inputs: tuple[str, ...]) -> _Binding:
    """Match the parameters of a bprop with construct's inputs, as the module's text says."""
    if not callable(bprop):
        raise TypeError(f"bprop must be a method, def bprop(self, x, out, dout), but is {bprop!r}")
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
    return _Binding(arguments, order)
