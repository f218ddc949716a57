"""One gradient call: a function run on fresh leaves while a tape is written, then pulled back.

``transform.py`` says what users may ask for. This is the part that all of it shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from inspect import Parameter as Argument
from inspect import signature
from typing import Any

import numpy as np

from .batch import SIZES, NoTape, untracked, values_of, with_samples
from .containers import CONTAINERS, flat, map_tensors, parts, places, rebuilt, tensors_in
from .hooks import Hooks, run_hooks
from .parameter import Parameter
from .rules.shape import identity, stop_gradient
from .tape import TAPE, NestedTape, hand_out, reachable, record, sweep, unwind, with_arrays
from .tensor import Node, Tensor, lift, unwrap, wrap, write

_OUTPUTS = (Tensor, tuple, list, dict, bool, int, float, np.ndarray, np.generic)


def refuse_class(fn: Any) -> None:
    """Raise TypeError for a class, which somebody forgot to make an object of."""
    if isinstance(fn, type):
        raise TypeError(
            f"{fn.__name__} is a class, and has no gradient: make a Cell of it first, as in "
            f"net = {fn.__name__}(...)"
        )


class GradientCall:
    """fn run once on fresh leaves, with its tape, ready to be pulled back.

    ``positions`` say which arguments are leaves: numbers, or the names of arguments that are passed
    by keyword. ``whole``: they may hold whole numbers, whose gradients are cut to whole numbers.
    """

    def __init__(
        self,
        fn: Callable,
        args: Iterable,
        kwargs: dict,
        positions: Iterable[int | str],
        parameters: Iterable[Parameter],
        has_aux: bool,
        whole: bool,
    ):
        refuse_class(fn)
        self.fn, self.has_aux, self.whole = fn, has_aux, whole
        self.nodes: list[Node] = []  # of the leaves, in order
        self.hooks: list[Hooks] = []  # of the leaves
        self.leaves: list[tuple[Tensor, Tensor, Any]] = []  # a Tensor, its leaf, and the array
        self.parameters = tuple(parameters)
        self.levels = SIZES.get().keys()  # of the vmaps that it is made in
        args, kwargs, self.structures = self._with_leaves(args, kwargs, tuple(positions))
        weights = [p for p in self.parameters if p.requires_grad]
        try:
            with values_of({p: with_samples(p) for p in weights}) if SIZES.get() else nullcontext():
                self.output, self.tape, nodes = record(
                    _values_of(fn), args, kwargs, weights, NestedTape() if _set_aside() else None
                )
        finally:
            self._write_back()
        found = dict(zip(weights, nodes, strict=True))
        # One that fn has frozen meanwhile gets no gradient.
        self.weights = [
            found[p] if p in found and p.requires_grad else Node(p.array) for p in self.parameters
        ]
        if has_aux and (type(self.output) is not tuple or len(self.output) < 2):
            raise ValueError(
                "has_aux=True needs a function with more than one output, (loss, aux, ...), but "
                f"{name_of(fn)} returned {_describe(self.output)}; return a tuple, or drop has_aux"
            )
        if not isinstance(self.output, _OUTPUTS):
            raise TypeError(
                f"{name_of(fn)} returned {_describe(self.output)}, which has no gradient; is there "
                "a `return` of a Tensor?"
            )

    def _with_leaves(self, args, kwargs, positions):
        """The arguments with fresh leaves in the places to differentiate."""
        args, kwargs, structures = list(args), dict(kwargs), []
        names = names_of_arguments(self.fn, len(args), kwargs) if kwargs and positions else []
        for i in positions:
            name = names[i] if isinstance(i, int) and i < len(names) else i
            if isinstance(i, int) and i < len(args):
                args[i], structure = self._leaf(args[i], f"argument {i}")
            elif name in kwargs:
                kwargs[name], structure = self._leaf(kwargs[name], f"argument {name}")
            else:
                raise IndexError(self._no_argument(i, len(args), kwargs))
            structures.append(structure)
        return args, kwargs, structures

    def _no_argument(self, i: int | str, count: int, kwargs: dict) -> str:
        """Why the argument at this position has no gradient."""
        try:
            names = names_of_arguments(self.fn, count, kwargs)
        except (TypeError, ValueError):  # a function that does not tell
            names = []
        if isinstance(i, int) and i < len(names):
            return (
                f"grad_position {i}: argument {i} of {name_of(self.fn)} is {names[i]}, which was "
                f"not passed, so there is nothing to differentiate; pass {names[i]}"
            )
        given = count + len(kwargs)
        return (
            f"grad_position {i} is out of range: {name_of(self.fn)} was called with {given} "
            f"argument{'' if given == 1 else 's'}, counted from 0"
        )

    def _leaf(self, x, place: str):
        """x as a leaf that only this call differentiates, and how to build its gradient."""
        if isinstance(x, CONTAINERS):
            pairs = [self._leaf(v, f"{place}[{key!r}]") for key, v in parts(x)]
            return rebuilt(x, [leaf for leaf, _ in pairs]), rebuilt(x, [s for _, s in pairs])
        if isinstance(x, int):
            raise TypeError(
                f"{place} of {name_of(self.fn)} is the integer {x}, and an integer has no "
                f"gradient; pass {float(x)}"
            )
        try:
            leaf = identity(with_samples(x if isinstance(x, Tensor) else Tensor(x)))
        except TypeError as error:
            raise TypeError(f"{place} of {name_of(self.fn)}: {error}") from None
        if leaf.array.dtype.kind != "f" and not self.whole:
            raise TypeError(
                f"{place} of {name_of(self.fn)} is a Tensor of {leaf.dtype}, which has no "
                "gradient; pass x.astype(minigrad.float32), or leave it out of grad_position"
            )
        if leaf.node is None:  # else an outer call tracks it, and identity is on its tape
            leaf.node = Node(leaf.array)
        self.nodes.append(leaf.node)
        leaf._hooks = Hooks(leaf.node, getattr(x, "_hooks", ()))
        self.hooks.append(leaf._hooks)
        if isinstance(x, Tensor):
            self.leaves.append((x, leaf, leaf.array))
            if getattr(x, "sliced", False):
                leaf.sliced = True  # a write into it is refused, as without a gradient call
        return leaf, None

    def _write_back(self) -> None:
        """What fn wrote into an input is written into the caller's Tensor."""
        for x, leaf, array in self.leaves:
            if leaf.array is not array:
                write(x, wrap(leaf.array, None if TAPE.get() is None else leaf.node))
        self.leaves.clear()  # a pullback need not hold them

    @property
    def linear(self) -> bool:
        """Whether the pullback is linear in what it pulls back: no hook or bprop may change it."""
        rules = all(getattr(op, "linear", True) for op, *_ in self.tape)
        return rules and not any(self.hooks)

    def value(self) -> Any:
        """The output; outside of all gradient calls it is no longer tracked."""
        return self.output if TAPE.get() is not None else map_tensors(stop_gradient, self.output)

    def seeds(self, sens: Any = None) -> dict:
        """The gradients that the sweep starts from: sens, or ones for each output."""
        grads: dict = {}
        for out, g in self._with_gradients(sens):
            if g.shape != out.shape:
                raise ValueError(
                    f"the gradient of an output has the output's shape: {out.shape}, but sens has "
                    f"{g.shape}"
                )
            if g.dtype != out.dtype:
                raise TypeError(
                    f"the gradient of an output has the output's dtype: {out.dtype}, but sens has "
                    f"{g.dtype}; pass sens.astype(out.dtype)"
                )
            if out.node is not None:
                if TAPE.get() is None:
                    g = g.array
                grads[out.node] = grads[out.node] + g if out.node in grads else g
        return grads

    def _with_gradients(self, sens) -> list[tuple[Tensor, Tensor]]:
        """Each output that is a Tensor, with its gradient."""
        differentiated = self.output[0] if self.has_aux else self.output
        tensors = list(tensors_in(differentiated))
        if sens is None:
            return [(t, wrap(np.ones(t.shape, t.array.dtype))) for t in tensors]
        outputs, given = flat(differentiated), flat(sens)
        by_place, wanted = dict(places(sens, "")), dict(places(differentiated, ""))
        if by_place.keys() == wanted.keys():  # a dict goes by its keys, in whatever order
            given = [by_place[place] for place in wanted]
        if len(given) != len(outputs):
            outputs = tensors  # the others, such as numbers, may be left out
        if len(given) != len(outputs):
            raise ValueError(
                f"{name_of(self.fn)} has {len(outputs)} outputs, but {len(given)} gradients came"
            )
        pairs = zip(outputs, given, strict=True)
        return [
            (out, g if isinstance(g, Tensor) else Tensor(g, out.array.dtype))
            for out, g in pairs
            if isinstance(out, Tensor)
        ]

    def pull(self, grads: dict, again: bool = False) -> tuple[list, list]:
        """The gradients of the leaves, in the structure of the arguments, and of the weights."""
        if not self.levels <= SIZES.get().keys():
            raise RuntimeError(
                f"the pullback of {name_of(self.fn)} was made inside vmap, and that has ended: "
                "call it inside, or make it outside, and let vmap call it for many gradients"
            )
        nodes = [*self.nodes, *self.weights]
        tape, recording = self.tape, TAPE.get() is not None
        needed = reachable(tape, nodes) if tape.mixed else None
        given = [unwrap(g) for g in grads.values()]
        entries = reversed(tape) if again else unwind(tape)
        if _set_aside():
            found = _swept_in_vmap(entries, grads, needed, nodes, given)
        else:
            if tape.special and not recording:  # a pullback that outlived the outer call
                entries = map(with_arrays, entries)
            found = hand_out(sweep(entries, grads, needed), nodes, *given)
        hooks = [*self.hooks, *(getattr(p, "_hooks", ()) for p in self.parameters)]
        if any(hooks):  # as MindSpore: those of a weight see the zeros of one that is not used
            trained = [False] * len(self.nodes) + [p.requires_grad for p in self.parameters]
            pairs = zip(nodes, trained, strict=True)
            found = run_hooks(hooks, found, [t or node in grads for node, t in pairs])
        leaves = iter(found[: len(self.nodes)])
        return [_build(s, leaves) for s in self.structures], found[len(self.nodes) :]


def _set_aside() -> bool:
    """Whether a Cell with a bprop, inside vmap, has set the tape aside that is always there."""
    return TAPE.get() is None and bool(SIZES.get())


def _swept_in_vmap(entries, grads: dict, needed, nodes: list, given: list) -> list[Tensor]:
    """The gradients of the nodes, by rules that run on Tensors, as they do inside vmap."""
    token = TAPE.set(NoTape())
    try:
        grads.update({node: lift(g) for node, g in grads.items()})
        return list(map(untracked, hand_out(sweep(entries, grads, needed), nodes, *given)))
    finally:
        TAPE.reset(token)


def _build(structure, leaves):
    """A container like the argument, whose leaves were None, with these leaves."""
    if structure is None:
        return next(leaves)
    return rebuilt(structure, [_build(s, leaves) for _, s in parts(structure)])


def _values_of(fn):
    """fn, but what it returns are values: a Parameter forgets its Node when the call has ended."""
    return lambda *args, **kwargs: map_tensors(Tensor, fn(*args, **kwargs))


# ----------------------------------------------------------------------- how errors call a function
def names_of_arguments(fn: Callable, positional: int, named: Iterable[str] = ()) -> list[str]:
    """The names of fn's arguments, in order; for a Cell those of its construct.

    ``*xs`` stands for as many as take it up, of the arguments that came by position, and ``**rest``
    for those of the arguments by name that have no place of their own, as they came.
    """
    names: list[str] = []
    for a in signature(getattr(fn, "construct", fn)).parameters.values():
        if a.kind is Argument.VAR_POSITIONAL:
            names += [f"{a.name}[{i}]" for i in range(positional - len(names))]
        elif a.kind is Argument.VAR_KEYWORD:
            names += [name for name in named if name not in names]
        else:
            names.append(a.name)
    return names


def name_of(fn: Callable) -> str:
    """The name of a function, or of a Cell's class."""
    return getattr(fn, "__name__", type(fn).__name__)


def _describe(x: Any) -> str:
    if isinstance(x, Tensor):
        return f"one Tensor of shape {x.shape}"
    return f"a {type(x).__name__} of {len(x)}" if isinstance(x, tuple | list) else repr(x)
