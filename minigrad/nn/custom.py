"""A Cell with a ``bprop``: one op on the tape, whose rule the user wrote.

``construct`` runs unrecorded and may use any library. In the sweep ``bprop`` is called once with
the inputs, the output and the output's gradient. It works on Tensors, so it can be differentiated
again.

An input or an output may be a tuple, list or dict with Tensors in it. The op has each of those
Tensors as an input or an output of its own, and bprop sees them in their place. The gradients of
several outputs come as one flat tuple, as MindSpore's do: that of each Tensor, in order.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from ..batch import SIZES, Batched, holds, level_in, untracked, values_of
from ..containers import holds_tensors, parts, rebuilt, tensors_in
from ..context import get_context, in_graph_mode
from ..hooks import nodes_of
from ..op import Op
from ..parameter import VALUES, WEIGHTS, Parameter, layered
from ..tape import TAPE, track
from ..tensor import Tensor, as_array, lift, unwrap, wrap, write
from .binding import binding_of, function_of, inputs_of
from .kept import Kept, kept_in, new_in, watching


def call_with_bprop(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell that has a bprop inside a gradient call, as one entry of its tape."""
    op = CellOp(cell, args, kwargs)
    tape: Any = TAPE.get()
    # Its own Parameters are inputs of the op: inside they are plain values.
    own = set(op.weights)  # a list would compare by ==, entry by entry
    others = {p: node for p, node in WEIGHTS.get().items() if p not in own}
    batched = {p: untracked(p) for p in op.weights if isinstance(p.array, Batched)}
    inputs, named = tuple(map(_untracked, args)), {k: _untracked(v) for k, v in kwargs.items()}
    pairs = zip(tensors_in((args, kwargs)), tensors_in((inputs, named)), strict=True)
    copies = [(x, copy, copy.array) for x, copy in pairs if copy is not x]
    before = kept_in(cell)
    tokens = TAPE.set(None), WEIGHTS.set(others)
    try:
        with values_of(batched) if batched else nullcontext():
            out = cell.construct(*inputs, **named)
    finally:
        TAPE.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
    _write_back(op, copies)
    op.keep()
    op.in_cell = new_in(kept_in(cell), before)
    if op.level:  # inside vmap
        from .custom_batch import for_all, is_tracked_around

        if is_tracked_around(op, op.level):
            out = for_all(op, op.level, op.checked_outputs(out))
    return op.write(tape, out)


def _write_back(op: CellOp, copies: list[tuple[Tensor, Tensor, Any]]) -> None:
    """Write into the inputs what construct wrote into its copies; TypeError if they are tracked."""
    for x, copy, array in copies:
        if copy.array is array:
            continue
        if nodes_of(x):
            raise TypeError(
                f"{op.forward} writes into its input of shape {x.shape}, which a Cell with a bprop "
                "(or a Function) cannot do in a gradient call: its rule says how the output "
                "changes, not how the input does. Write into a copy: x = x.copy()"
            )
        write(x, copy)


class CellOp(Op):
    """One call of a Cell as an op. bprop is one rule for all inputs, and may need any of them."""

    __slots__ = (
        "binding", "cell", "given", "in_cell", "kept", "level", "names", "out", "values", "weights",
    )  # fmt: skip

    linear = False  # in the gradient: who knows what bprop does
    cuts = False  # the rule is bprop

    def __init__(self, cell, args, kwargs):
        self.names, given = inputs_of(cell, args, kwargs)
        self.given = tuple(map(_as_now, given))
        self.binding = binding_of(*function_of(cell.bprop), self.names)
        pairs = zip(self.names, self.given, strict=True)
        leaves = [leaf for name, x in pairs for leaf in _leaves(x, name)]
        self.describe(cell, tuple(n for n, _ in leaves), tuple(x for _, x in leaves))
        self.weights = list(cell.get_parameters())
        self.level = level_in((*self.values, *self.weights)) if SIZES.get() else 0
        self.in_cell: Kept = {}  # what construct kept in the Cell

    def describe(self, cell, names: tuple[str, ...], values: tuple) -> None:
        """Set what the op stands for: a Cell, and the inputs of one call of it."""
        super().__init__(type(cell).__name__, "", names, names)
        self.cell, self.values = cell, values

    @property
    def rule(self) -> str:
        """How errors call the bprop."""
        return f"{self.name}.{getattr(self.cell, '_rule_name', 'bprop')}"

    @property
    def forward(self) -> str:
        """How errors call the construct."""
        return f"{self.name}.{getattr(self.cell, '_forward_name', 'construct')}"

    def keep(self) -> None:
        """Note the Parameters as they are now, for bprop, which runs when they may be others."""
        self.kept = tuple(wrap(p.array, p.node if p.requires_grad else None) for p in self.weights)

    def inputs(self, arguments: tuple) -> list[tuple[str, Any]]:
        given = zip(self.parameters, arguments, strict=True)
        arrays = [(name, x) for name, x in given if isinstance(x, Tensor)]
        weights = zip(self.weights, self.kept, strict=True)
        return arrays + [(p.name, p) for p, value in weights if value.node is not None]

    def sources(self, arguments: tuple) -> tuple:
        given = (*arguments, *self.kept)
        if self.level:  # what holds no samples belongs to a gradient call around the vmap
            given = tuple(x if holds(x, self.level) else None for x in given)
        return tuple(getattr(x, "node", None) for x in given)

    def source_names(self, arguments: tuple) -> tuple[str, ...]:
        return (*self.parameters, *(p.name for p in self.weights))

    def save(self, arguments: tuple, out) -> tuple:
        given = (*arguments, *self.kept, out)
        return tuple(wrap(x.array, x.node) if isinstance(x, Tensor) else x for x in given)

    def write(self, tape, out) -> Any:
        """The Cell's output, with its entry on the tape if gradients can flow to an input."""
        sources = self.sources(self.values)
        if all(node is None for node in sources) and not tape.watched:
            return out
        outputs = list(tensors_in(self.checked_outputs(out)))
        several = not isinstance(out, Tensor)
        arrays = tuple(x.array for x in outputs) if several else out.array
        if tape.special:
            tensors = tape.write(self, self.values, arrays)
        else:
            tensors, nodes = track(arrays)
            saved = (*map(unwrap, self.values), *map(unwrap, self.kept), arrays)
            tape.append((self, saved, sources, nodes))
        return self.output_of(tensors)

    def output_of(self, tensors: Any) -> Any:
        """What construct returned, with these Tensors in the place of its own."""
        if isinstance(self.out, Tensor):
            return tensors
        following = iter(tensors)

        def leaf(x):
            return next(following) if isinstance(x, Tensor) else x

        return _rebuilt(self.out, map(leaf, (x for _, x in _leaves(self.out))))

    def checked_outputs(self, out: Any) -> Any:
        """What construct returned, or an error that says what it must be."""
        for place, x in _leaves(out, f"{self.forward}()"):
            if not isinstance(x, Tensor) and (isinstance(x, np.ndarray) or not holds_tensors(out)):
                raise TypeError(
                    f"{self.forward} must return a Tensor, or a tuple, list or dict with "
                    f"Tensors in it, but {place} is a {type(x).__name__}; wrap it: "
                    "minigrad.Tensor(...)"
                )
        self.out = _as_now(out)
        return out

    def pull(self, g, sources, *saved) -> list:
        *arguments, out = saved
        n = len(self.values)
        leaves, kept = arguments[:n], arguments[n:]
        lifted = zip(self.values, map(lift, leaves), strict=True)
        following = iter([x if isinstance(v, Tensor) else v for v, x in lifted])
        inputs = [_rebuilt(x, following) for x in self.given]
        out, dout = self.output_of(lift(out)), lift(g)
        if isinstance(out, list):  # as MindSpore
            out = tuple(out)
        if type(dout) is tuple and len(dout) == 1:
            (dout,) = dout
        positional, named, order = self.binding.fill(*self._used(inputs, out), dout)
        again = any(x.node is not None for x in tensors_in((inputs, out)))  # differentiated itself
        watched = watching(self, again) if self.in_cell else nullcontext()
        with with_values(self.weights, kept), watched:
            returned = self.cell.bprop(*positional, **named)
        wanted_weights = [
            p for p, node in zip(self.weights, sources[n:], strict=True) if node is not None
        ]
        found = self._checked(returned, inputs, order, wanted_weights)
        recording = isinstance(g[0] if type(g) is tuple else g, Tensor)
        wanted: list = []
        for node, dx in zip(sources, found, strict=True):
            if node is None or dx is None:
                wanted.append(None)
            else:  # bprop may keep what it returns: hand over a view, which nobody writes into
                wanted.append(dx if recording else as_array(dx.array)[...])
        return wanted

    def _used(self, inputs: list, out: Any) -> tuple[list, Any]:
        """The inputs and the output; None for those that ``used_bprop_inputs`` does not count."""
        used = getattr(self.cell, "used_bprop_inputs", [])
        if not isinstance(used, tuple | list) or not all(type(i) is int for i in used):
            raise RuntimeError(
                f"{self.name}.used_bprop_inputs must be a list of whole numbers, the places of "
                f"what {self.rule} uses of the inputs and the output, but is {used!r}"
            )
        if used:
            *inputs, out = (x if i in used else None for i, x in enumerate((*inputs, out)))
        return inputs, out

    def _checked(self, returned, inputs, order, wanted) -> list:
        """What bprop returned, as a gradient (or None) for each Tensor and each Parameter."""
        if returned is None:
            raise TypeError(
                f"{self.rule} returned None; is there a `return` of the gradients? (None in a "
                "tuple, as in return (None,), stands for zeros)"
            )
        weight_grads: dict[Parameter, Any] = {}
        if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
            keys = list(returned[1])  # an input may be a dict too, and so its gradient
            of_input = len(order) == 2 and isinstance(inputs[order[1]], dict)
            if not of_input or any(isinstance(key, Parameter) for key in keys):
                returned, weight_grads = returned
        strict = "check_bprop is on" if get_context("check_bprop") else ""
        if in_graph_mode() or hasattr(VALUES.get(), "recording"):
            strict = "in graph mode it must be a tuple"
        if not isinstance(returned, tuple) and strict:
            raise TypeError(
                f"{self.rule} returned a {type(returned).__name__}, but {strict}: return a tuple, "
                "(dx,) for one input"
            )
        if not isinstance(returned, tuple | list):
            returned = (returned,)
        tensors = [i for i in order if holds_tensors(inputs[i])]
        if len(returned) == len(order):
            places = order
        elif len(returned) == len(tensors):
            places = tensors
        else:
            names = ", ".join(self.names[i] for i in order)
            raise (TypeError if get_context("check_bprop") else ValueError)(
                f"{self.rule} returned {_count(len(returned), 'gradient')}, but has "
                f"{_count(len(order), 'input')} ({names}): return one for each, None where there "
                "is none"
            )
        given = dict(zip(places, returned, strict=True))
        found = [
            dx
            for i, (name, x) in enumerate(zip(self.names, inputs, strict=True))
            for dx in self._gradients(given.get(i), x, f"input {name}")
        ]
        for p in weight_grads:
            if not any(p is own for own in self.weights):
                raise TypeError(
                    f"{self.rule} returned a gradient for {p!r}, which is none of its Parameters; "
                    "the keys are the Parameters themselves, as in {self.w: dw}"
                )
        for p in self.weights:
            found.append(self._gradient(weight_grads.get(p), p, f"Parameter {p.name}"))
            if p not in weight_grads and any(p is w for w in wanted):
                warnings.warn(
                    f"{self.rule} gives no gradient for its Parameter {p.name}, which stays as it "
                    f"is; return ((dx, ...), {{self.{p.name.split('.')[-1]}: dw}})",
                    stacklevel=2,
                )
        return found

    def _gradients(self, dx, x, place: str) -> list:
        """dx as the gradients of the Tensors in an input, None for what is beside them."""
        if isinstance(x, Tensor):
            return [self._gradient(dx, x, place)]
        if dx is None or not holds_tensors(x):
            return [None for _ in _leaves(x)]
        inside, kind = parts(x), dict if isinstance(x, dict) else (tuple, list)
        given = dict(parts(dx)) if isinstance(dx, kind) else None
        keys = [key for key, _ in inside]
        if (
            given is None
            or not given.keys() <= set(keys)
            or (kind is not dict and len(given) != len(keys))
        ):
            raise TypeError(
                f"{self.rule} must return a {type(x).__name__} of {len(x)} gradients for its "
                f"{place}, as that is one, or None, but returned {_described(dx)}"
            )
        return [
            g for key, v in inside for g in self._gradients(given.get(key), v, f"{place}[{key!r}]")
        ]

    def _gradient(self, dx, x, place: str):
        """dx as the gradient of x, or an error that says what is wrong with it."""
        if dx is None:
            return None
        strict = get_context("check_bprop")
        numbers = np.ndarray | np.generic | float | int
        if isinstance(dx, numbers) and not isinstance(dx, bool) and not strict:
            dx = Tensor(dx)
        if not isinstance(dx, Tensor):
            raise TypeError(
                f"{self.rule} must return a Tensor or None for its {place}, but returned a "
                f"{type(dx).__name__}"
            )
        if dx.shape != x.shape:
            raise ValueError(
                f"{self.rule} returned a gradient of shape {dx.shape} for its {place}, which "
                f"has shape {x.shape}: a gradient has the shape of what it is the gradient of"
            )
        if strict and dx.dtype != x.dtype:
            raise TypeError(
                f"{self.rule} returned a gradient of {dx.dtype} for its {place}, which is a "
                f"Tensor of {x.dtype}, and check_bprop is on: return dx.astype(x.dtype)"
            )
        return dx


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _described(x: Any) -> str:
    kind = f"a {type(x).__name__}"
    return f"{kind} of {len(x)}" if isinstance(x, tuple | list | dict) else kind


@contextmanager
def with_values(parameters: Sequence[Parameter], values: Iterable[Any]) -> Iterator[None]:
    """While these Parameters have these values; gradients flow to where the values came from."""
    pairs = zip(parameters, values, strict=True)
    others = {p: value for p, value in pairs if p.array is not unwrap(value)}
    if not others:
        yield
        return
    weights = WEIGHTS.get().copy()
    weights.update({p: getattr(value, "node", None) for p, value in others.items()})
    before = dict(weights)
    arrays = {p: unwrap(value) for p, value in others.items()}
    tokens = VALUES.set(layered(arrays)), WEIGHTS.set(weights)
    try:
        yield
    finally:
        VALUES.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
        for p in weights:  # what was written stays written
            if weights[p] is not before.get(p):
                p.node = weights[p]


# ------------------------------------------------------------- Tensors in tuples, lists and dicts
def _leaves(x: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The Tensors in x and what is beside them, with names such as y[0]; x itself without any."""
    if isinstance(x, Tensor) or not holds_tensors(x):
        yield name, x
    else:
        for key, v in parts(x):
            yield from _leaves(v, f"{name}[{key!r}]")


def _rebuilt(x: Any, leaves: Iterator) -> Any:
    """x with these in place of its leaves."""
    if isinstance(x, Tensor) or not holds_tensors(x):
        return next(leaves)
    return rebuilt(x, [_rebuilt(v, leaves) for _, v in parts(x)])


def _as_now(x: Any) -> Any:
    """x, in tuples, lists and dicts of its own, which nobody else changes."""
    return _rebuilt(x, (v for _, v in _leaves(x)))


def _untracked(x: Any) -> Any:
    """An input of the same values that belongs to no gradient call."""
    if isinstance(x, Tensor):
        return untracked(x)
    if all(v.node is None and not isinstance(v.array, Batched) for v in tensors_in(x)):
        return x
    return _rebuilt(x, (untracked(v) for _, v in _leaves(x)))
