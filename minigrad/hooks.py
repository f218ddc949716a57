"""Hooks: functions of the user's that see gradients on their way, and may change them.

A hook is an op on the tape: it passes its input on, and its rule is the user's function. So what a
hook computes can be differentiated again, and where there is no hook, nothing is spent on one.

A Tensor that nothing on the tape has made, an input or a Parameter, has no entry to stand behind.
Its hooks run when a gradient call hands its gradient out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

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


def refuse_samples(what: str, tensors: tuple) -> None:
    """Raise TypeError inside vmap if a gradient call around it differentiates these Tensors."""
    for x in tensors:
        while isinstance(x, Tensor) and hasattr(x.array, "samples"):
            x = x.array.samples
            if x.node is not None:
                raise TypeError(
                    f"{what} inside vmap is asked about one sample, but a gradient call around "
                    "the vmap has all of them at once: call grad inside, as in vmap(grad(f)), or "
                    "put it outside of the vmap"
                )


class HookOp(Op):
    """An op that passes its inputs on. ``run`` makes the gradients of the inputs from theirs."""

    __slots__ = ("run",)

    linear = False  # in the gradient: who knows what the user's function does

    def __init__(self, name: str, inputs: tuple[str, ...], run: Callable):
        rules = dict.fromkeys(inputs, lambda g: g)
        formulas = dict.fromkeys(inputs, r"\mathrm{hook}(\bar y)")
        super().__init__(name, r"y = x", inputs, inputs, rules, formulas)
        self.run = run

    def __call__(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The same values; from here on their gradients go through ``run``."""
        refuse_samples("a hook", tensors)
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

    def pull(self, g: Any, sources: tuple) -> list:
        """The gradients of the inputs, or None where nobody wants one."""
        several = type(g) is tuple
        recording = isinstance(g[0] if several else g, Tensor)
        parts = self.run(*(lift(g) if several else (lift(g),)))
        # A hook may keep what it gets and returns: hand over views, which nobody writes into.
        return [
            None if node is None else dx if recording else as_array(dx.array)[...]
            for node, dx in zip(sources, parts, strict=True)
        ]


def through(
    name: str, tensors: Sequence[Tensor], run: Callable, also: Sequence[Tensor] = ()
) -> Sequence[Tensor]:
    """The Tensors, but in the sweep ``run`` gets their gradients, with None for whole numbers.

    ``also``: an op at the output takes an input as well, whose gradient it leaves alone: so the
    sweep comes to the op at the inputs even if the output depends on none of them.
    """
    places = [i for i, x in enumerate(tensors) if x.array.dtype.kind == "f"]
    if not places:
        return tensors

    def rule(*grads):
        given = dict(zip(places, grads, strict=False))
        changed = run(tuple(given.get(i) for i in range(len(tensors))))
        return (*(changed[i] for i in places), *grads[len(places) :])

    inputs = [*(tensors[i] for i in places), *also]
    names = tuple(f"x_{i}" for i in range(1, len(inputs) + 1))
    hooked = dict(zip(places, HookOp(name, names, rule)(*inputs), strict=False))
    return [hooked.get(i, x) for i, x in enumerate(tensors)]


def checked(returned: Any, given: tuple, hook: str, names: str) -> tuple:
    """What a hook returned in place of some gradients, as a tuple of as many."""
    if returned is None:
        return given
    parts = (returned,) if isinstance(returned, Tensor) else returned
    if not isinstance(parts, tuple | list):
        raise TypeError(
            f"{hook} must return None or gradients to put in the place of {names}: a Tensor, or a "
            f"tuple of them; but it returned a {type(returned).__name__}"
        )
    if len(parts) != len(given):
        raise TypeError(
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

    def run(self, g: Tensor) -> tuple[Tensor]:
        """The gradient as the hooks leave it."""
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

    Raises TypeError if the hook is not callable, or returns neither a Tensor nor None, and
    ValueError if the shape of what it returns differs.

    >>> from minigrad import Tensor, grad
    >>> def f(x):
    ...     y = x * x
    ...     y.register_hook(lambda dy: dy * 10)
    ...     return y
    >>> print(grad(f)(Tensor([3.0])))
    [60.]
    """
    refuse_samples("a hook", (self,))
    hooks = getattr(self, "hooks", None)
    node = None if isinstance(self, Parameter) else self.node
    if hooks is None or hooks.node is not node:
        hooks = self.hooks = Hooks(node)
        if node is not None and TAPE.get() is not None:
            _stand_behind(node, HookOp("hook", ("x",), hooks.run))
    return add_hook(hooks, hook)


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
    tape: Any = TAPE.get()
    while tape is not None:
        for i in reversed(range(len(tape))):
            made = tape[i][3]
            if node is made or (type(made) is tuple and any(node is n for n in made)):
                tape.insert(i + 1, (op, (), (node,), node))
                return
        outermost, tape = tape, tape.outer
    outermost.insert(0, (op, (), (node,), node))  # a copy of an input, which no entry made
