"""The hooks of a Cell: functions of the user's that run before and after it, forward and backward.

A backward hook sees the gradients of the inputs and of the output, so it takes two ops: one at the
inputs, which calls it, and one at the output, which notes the gradient there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..containers import map_tensors
from ..hooks import HookHandle, active, checked, in_vmaps, name_of, nodes_of, through
from ..tape import TAPE
from ..tensor import Tensor, lift
from .custom import call_with_bprop


class CellHooks:
    """The hooks of a Cell, by when they run."""

    def __init__(self) -> None:
        self.forward_pre: list[HookHandle] = []
        self.forward: list[HookHandle] = []
        self.backward_pre: list[HookHandle] = []
        self.backward: list[HookHandle] = []

    def __copy__(self) -> CellHooks:
        """The same hooks; what is registered on one is its own."""
        copy = CellHooks()
        vars(copy).update({when: list(hooks) for when, hooks in vars(self).items()})
        return copy


def call_with_hooks(cell: Any, hooks: CellHooks, args: tuple, kwargs: dict) -> Any:
    """Call a Cell with its hooks around it."""
    called: list[HookHandle] = []
    output = None
    try:
        for handle, hook in active(hooks.forward_pre):
            args, kwargs = _new_inputs(cell, handle, hook, args, kwargs)
        backward = _Backward(cell, hooks)
        if any(active(hooks.backward)):
            args = backward.at_inputs(args)
        if cell.bprop is None or TAPE.get() is None:
            output = cell.construct(*args, **kwargs)
        else:
            output = call_with_bprop(cell, args, kwargs)
        for handle, hook in active(hooks.forward):
            called.append(handle)
            output = _new_output(cell, handle, hook, args, kwargs, output)
        if any(active(hooks.backward)):
            output = backward.at_output(output, backward.note, backward.input)
        if any(active(hooks.backward_pre)):
            output = backward.at_output(output, backward.run_pre_hooks)
    except Exception:
        for handle, hook in active(hooks.forward):
            if handle.always_call and handle not in called:
                try:
                    output = _new_output(cell, handle, hook, args, kwargs, output)
                except Exception as error:  # the first error is the one to raise
                    warnings.warn(
                        f"{name_of(hook)}, a forward hook of {cell.cls_name} with always_call, "
                        f"failed as well: {error}",
                        stacklevel=3,
                    )
        raise
    return output


def _new_inputs(cell, handle, hook, args, kwargs):
    new = hook(cell, args, kwargs) if handle.with_kwargs else hook(cell, args)
    if new is None:
        return args, kwargs
    if not handle.with_kwargs:
        return (new if isinstance(new, tuple) else (new,)), kwargs
    if not isinstance(new, tuple) or [type(x) for x in new] != [tuple, dict]:
        raise RuntimeError(
            f"{name_of(hook)}, a forward pre-hook of {cell.cls_name} with_kwargs, must return None "
            f"or (args, kwargs), a tuple and a dict, but returned {new!r}"
        )
    return new


def _new_output(cell, handle, hook, args, kwargs, output):
    new = hook(cell, args, *([kwargs] if handle.with_kwargs else []), output)
    return output if new is None else new


class _Backward:
    """One call of a Cell with backward hooks, and what the ops around it share."""

    def __init__(self, cell: Any, hooks: CellHooks):
        self.cell, self.hooks = cell, hooks
        self.input: list[Tensor] = []  # the first that is hooked
        self.grad_output: tuple | None = None  # on its way from the output to the inputs

    # Forward.
    def at_inputs(self, args: tuple) -> tuple:
        """The positional inputs; the gradients of the Tensors among them go through the hooks."""
        tensors = [x for x in args if isinstance(x, Tensor)]
        if TAPE.get() is None or not any(map(nodes_of, tensors)):
            return args
        hooked = through(f"{self.cell.cls_name} hook", tensors, self.at_the_end)
        self.input = [x for x in hooked if x.array.dtype.kind == "f"][:1]
        following = iter(hooked)
        return tuple(next(following) if isinstance(x, Tensor) else x for x in args)

    def at_output(self, output: Any, run: Callable, also: Sequence[Tensor] = ()) -> Any:
        """The output; the gradients of the Tensors in it go through ``run``."""
        tensors: list[Tensor] = []
        map_tensors(tensors.append, output)
        hooked = iter(through(f"{self.cell.cls_name} hook", tensors, run, also))
        return map_tensors(lambda _: next(hooked), output)

    # Backward, in this order. The first ``depth`` axes of the gradients count samples.
    def run_pre_hooks(self, grad_output: tuple, depth: int) -> tuple:
        """The gradients of the output as the backward pre-hooks leave them."""

        def run(grad_output):
            for _, hook in active(self.hooks.backward_pre):
                what = f"{name_of(hook)}, a backward pre-hook of {self.cell.cls_name},"
                new = hook(self.cell, lift(grad_output))
                grad_output = checked(new, grad_output, what, "grad_output")
            return grad_output

        return in_vmaps(depth, run, grad_output)

    def note(self, grad_output: tuple, depth: int) -> tuple:
        """The gradients of the output as they are, noted for the hooks."""
        if self.input:
            self.grad_output = grad_output
        else:  # no gradient flows to an input, so the hooks run here
            self.run_hooks((None,), grad_output, depth)
        return grad_output

    def at_the_end(self, grad_input: tuple, depth: int) -> tuple:
        """The gradients of the inputs as the hooks leave them."""
        grad_output, self.grad_output = self.grad_output, None
        if grad_output is None:  # a sweep of second order that did not come by the output
            return grad_input
        return self.run_hooks(grad_input, grad_output, depth)

    def run_hooks(self, grad_input: tuple, grad_output: tuple, depth: int) -> tuple:
        """The gradients of the inputs as the hooks leave them."""

        def run(grad_input, grad_output):
            for _, hook in active(self.hooks.backward):
                what = f"{name_of(hook)}, a backward hook of {self.cell.cls_name},"
                new = hook(self.cell, lift(grad_input), lift(grad_output))
                grad_input = checked(new, grad_input, what, "grad_input")
            return grad_input

        return in_vmaps(depth, run, grad_input, grad_output)
