"""Hooks: functions of the user's that see gradients on their way, and may change them.

A hook is an op on the tape: it passes its input on, and its rule is the user's function. So what a
hook computes can be differentiated again, and where there is no hook, nothing is spent on one.

A Tensor that nothing on the tape has made, an input or a Parameter, has no entry to stand behind.
Its hooks run when a gradient call hands its gradient out.

A gradient call around a vmap sees all samples at once, and a hook is asked about one. So there it
stands behind the whole, and is called inside a vmap of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .batch import SIZES, Batched, NoTape, holds, spread, vmap
from .op import Op
from .parameter import Parameter
from .tape import TAPE, track
from .tensor import Node, Tensor, as_array, lift, wrap


class HookHandle:
    """What you get for registering a hook; ``remove()`` takes the hook away again."""

    __slots__ = ("always_call", "hook", "with_kwargs")

    def __init__(self, hook: Callable, with_kwargs: bool = False, always_call: bool = False):
        self.hook: Callable | None = hook
        self.with_kwargs, self.always_call = with_kwargs, always_call

    def remove(self) -> None:
        """Call the hook no more. To say so again changes nothing."""
        self.hook = None


def add_hook(hooks: list[HookHandle], hook: Any, prepend: bool = False, **settings) -> HookHandle:
    """Put a hook behind (or before) the others, and return its handle."""
    if not callable(hook):
        raise TypeError(
            f"a hook must be callable, a function of the gradient, but got {type(hook).__name__}"
        )
    handle = HookHandle(hook, **settings)
    hooks[:] = [h for h in hooks if h.hook is not None]
    hooks.insert(0 if prepend else len(hooks), handle)
    return handle


def active(hooks: list[HookHandle]) -> Iterator[tuple[HookHandle, Callable]]:
    """The hooks that are not removed. A hook may add or remove hooks while they run."""
    return ((handle, handle.hook) for handle in tuple(hooks) if handle.hook is not None)


def name_of(hook: Any) -> str:
    """How errors call a hook."""
    return getattr(hook, "__qualname__", type(hook).__name__)


def nodes_of(x: Tensor) -> list[tuple[Node, int]]:
    """The Nodes of a Tensor: its own, and inside vmap those of all samples, each vmap further out.

    With each comes how many vmaps lie between it and the Tensor.
    """
    found, depth = [], 0
    while True:
        if x.node is not None:
            found.append((x.node, depth))
        if not isinstance(x.array, Batched):
            return found
        x, depth = x.array.samples, depth + 1


def in_vmaps(depth: int, function: Callable, *values: Any) -> Any:
    """What the function makes of the values, of which so many axes, the first, count samples."""
    for _ in range(depth):
        function = vmap(function)
    return function(*values)


class HookOp(Op):
    """An op that passes its inputs on. ``run`` makes the gradients of the inputs from theirs.

    ``depth``: how many vmaps the user's function is to run in.
    """

    __slots__ = ("depth", "run")

    linear = False  # in the gradient: who knows what the user's function does

    def __init__(self, name: str, inputs: tuple[str, ...], run: Callable, depth: int = 0):
        rules = dict.fromkeys(inputs, lambda g: g)
        formulas = dict.fromkeys(inputs, r"\mathrm{hook}(\bar y)")
        super().__init__(name, r"y = x", inputs, inputs, rules, formulas)
        self.run, self.depth = run, depth

    def __call__(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The same values; from here on their gradients go through ``run``."""
        if SIZES.get():
            tensors = self._around(tensors, sorted(SIZES.get()))
        return self._on_tape(tensors)

    def _on_tape(self, tensors: tuple) -> tuple[Tensor, ...]:
        tape = TAPE.get()
        sources = self.sources(tensors)
        if tape is None or not (any(sources) or tape.watched):
            return tensors
        arrays = tuple(x.array for x in tensors)
        if tape.special:
            return tape.write(self, tensors, arrays)
        outputs, nodes = track(arrays)
        tape.append((self, (), sources, nodes))
        return outputs

    def _around(self, tensors: tuple, levels: list[int]) -> tuple[Tensor, ...]:
        """The Tensors, hooked for the gradient calls around the vmaps of these levels."""
        if not levels:
            return tensors
        *further_out, level = levels
        held = [holds(x, level) for x in tensors]
        whole = tuple(
            x.array.samples if h else spread(x, SIZES.get()[level])
            for x, h in zip(tensors, held, strict=True)
        )
        if not any(map(nodes_of, whole)):
            return tensors
        op = HookOp(self.name, self.parameters, self.run, self.depth + 1)
        whole = op._on_tape(op._around(whole, further_out))
        nodes = (x.node if h else None for x, h in zip(tensors, held, strict=True))
        return tuple(wrap(Batched(x, level), node) for x, node in zip(whole, nodes, strict=True))

    def pull(self, g: Any, sources: tuple) -> list:
        """The gradients of the inputs, or None where nobody wants one."""
        several = type(g) is tuple
        recording = isinstance(g[0] if several else g, Tensor)
        parts = self.run(*(lift(g) if several else (lift(g),)), depth=self.depth)
        # A hook may keep what it gets and returns: hand over views, which nobody writes into.
        return [
            None if node is None else dx if recording else as_array(dx.array)[...]
            for node, dx in zip(sources, parts, strict=True)
        ]


def through(
    name: str, tensors: Sequence[Tensor], run: Callable, also: Sequence[Tensor] = ()
) -> Sequence[Tensor]:
    """The Tensors, but in the sweep ``run`` gets their gradients, with None for whole numbers.

    It also gets ``depth``: how many axes, the first ones, count samples.
    ``also``: an op at the output takes an input as well, whose gradient it leaves alone: so the
    sweep comes to the op at the inputs even if the output depends on none of them.
    """
    places = [i for i, x in enumerate(tensors) if x.array.dtype.kind == "f"]
    if not places:
        return tensors

    def rule(*grads, depth):
        given = dict(zip(places, grads, strict=False))
        changed = run(tuple(given.get(i) for i in range(len(tensors))), depth)
        return (*(changed[i] for i in places), *grads[len(places) :])

    inputs = [*(tensors[i] for i in places), *also]
    names = tuple(f"x_{i}" for i in range(1, len(inputs) + 1))
    hooked = dict(zip(places, HookOp(name, names, rule)(*inputs), strict=False))
    return [hooked.get(i, x) for i, x in enumerate(tensors)]


def checked(
    returned: Any, given: tuple, hook: str, names: str, miscounted: type[Exception] = TypeError
) -> tuple:
    """What a hook returned in place of some gradients, as a tuple of as many.

    ``miscounted``: what is raised for a tuple of another length.
    """
    if returned is None:
        return given
    parts = (returned,) if isinstance(returned, Tensor) else returned
    if not isinstance(parts, tuple | list):
        raise TypeError(
            f"{hook} must return None or gradients to put in the place of {names}: a Tensor, or a "
            f"tuple of them; but it returned a {type(returned).__name__}"
        )
    if len(parts) != len(given):
        raise (miscounted if isinstance(returned, tuple) else TypeError)(
            f"{hook} returned {len(parts)} gradients in the place of {names}, which has "
            f"{len(given)}: return as many, {names}[i] itself where one stays as it is"
        )
    for i, (new, g) in enumerate(zip(parts, given, strict=True)):
        if g is None:
            continue
        if not isinstance(new, Tensor):
            raise TypeError(
                f"{hook} returned a {type(new).__name__} in the place of {names}[{i}]; a gradient "
                f"is a Tensor, and one that stays as it is is {names}[{i}] itself"
            )
        if new.shape != g.shape or new.dtype != g.dtype:
            raise ValueError(
                f"{hook} returned a gradient of shape {new.shape} and {new.dtype} in the place of "
                f"{names}[{i}], which has shape {g.shape} and {g.dtype}; they must be alike"
            )
    return tuple(None if g is None else new for new, g in zip(parts, given, strict=True))


# -------------------------------------------------------------------------------------- of a Tensor
class Hooks(list):
    """The hooks of one Tensor, in the order in which they run."""

    __slots__ = ("node",)

    def __init__(self, node: Node | None = None, handles: Any = ()):
        super().__init__(handles)
        self.node = node  # where they stand; a write to the Tensor leaves them behind

    def run(self, g: Tensor, depth: int = 0) -> tuple[Tensor]:
        """The gradient as the hooks leave it."""
        return in_vmaps(depth, self._run, g)

    def _run(self, g: Tensor) -> tuple[Tensor]:
        for _, hook in active(self):
            new = hook(lift(g))
            if new is None:
                continue
            if not isinstance(new, Tensor):
                raise TypeError(
                    f"{name_of(hook)}, a hook of a Tensor, must return a Tensor or None, but "
                    f"returned a {type(new).__name__}"
                )
            if new.shape != g.shape:
                raise ValueError(
                    f"{name_of(hook)}, a hook of a Tensor of shape {g.shape}, returned a gradient "
                    f"of shape {new.shape}: a gradient has the shape of what it is the gradient of"
                )
            g = new.astype(g.dtype)
        return (g,)


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
    """Have a function see the gradient of this Tensor, and change it if it returns another.

    The hook is called once in each backward sweep, when the gradient is complete, whether the
    Tensor was used before or after. On an input of a gradient call, or a Parameter, it stays for
    later calls; ``remove()`` of the handle that is returned takes it away. Several hooks run in
    the order in which they were registered.

    Raises TypeError if the hook is not callable, or returns neither a Tensor nor None, ValueError
    if the shape of what it returns differs, and RuntimeError for a Parameter that is frozen.

    >>> from minigrad import Tensor, grad
    >>> def f(x):
    ...     y = x * x
    ...     y.register_hook(lambda dy: dy * 10)
    ...     return y
    >>> print(grad(f)(Tensor([3.0])))
    [60.]
    """
    if isinstance(self, Parameter) and not self.requires_grad:
        raise RuntimeError(
            f"Parameter {self.name} is frozen, so no gradient comes to a hook; register it while "
            "requires_grad is True"
        )
    hooks = getattr(self, "_hooks", None)
    nodes = [] if isinstance(self, Parameter) else nodes_of(self)
    node = nodes[0][0] if nodes else None
    if not isinstance(hooks, Hooks) or hooks.node is not node:
        hooks = self._hooks = Hooks(node)
        if TAPE.get() is not None:
            for node, depth in nodes:
                _stand_behind(node, HookOp("hook", ("x",), hooks.run, depth))
    return add_hook(hooks, hook)


def hooks_of(self: Tensor) -> list[Callable]:
    """The hooks of this Tensor that are not removed, in the order in which they run."""
    return [hook for _, hook in active(getattr(self, "_hooks", []))]


def run_hooks(hooks: Iterable[Any], found: list[Tensor], arrived: list[bool]) -> list[Tensor]:
    """The gradients of a call's inputs and weights, as the hooks leave those that arrived."""
    changed = []
    for of_one, g, came in zip(hooks, found, arrived, strict=True):
        if of_one and came:
            (g,) = of_one.run(g)
            if TAPE.get() is None:
                g = wrap(np.array(g.array))  # a hook may keep what it gets and returns
        changed.append(g)
    return changed


def _stand_behind(node: Node, op: HookOp) -> None:
    """Put a hook right behind the entry that made a value, so that the sweep comes to it last."""
    outermost: Any = TAPE.get()
    tape: Any = outermost
    while tape is not None and not isinstance(tape, NoTape):  # that of a vmap on its own
        for i in reversed(range(len(tape))):
            made = tape[i][3]
            if node is made or (type(made) is tuple and any(node is n for n in made)):
                tape.insert(i + 1, (op, (), (node,), node))
                return
        outermost, tape = tape, tape.outer
    outermost.insert(0, (op, (), (node,), node))  # a copy of an input, which no entry made
