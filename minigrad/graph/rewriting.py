"""What passes have in common: to offer each step to a rule, and put another in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Program, Slot, Step, is_elementwise, map_slots, slots_in


def uses_of(program: Program) -> Counter:
    """How often each slot is read, results counted."""
    read = [x for step in program.steps for x in step.slots]
    return Counter(read + slots_in(program.results))


def rewrite(program: Program, rule: Callable) -> Program:
    """Offer each step to ``rule(op, args, out, made)``, which returns what stands for its value.

    That is None to keep the step, a Slot, or an expression: a tuple (op, *args), where an argument
    may be an expression too. ``made(x)`` is the step that made a slot, or None; with ``once=True``,
    None also if others read it.
    """
    swap: dict[Slot, Slot] = {}
    steps: list[Step] = []
    makers: dict[Slot, Step] = {}
    uses = uses_of(program)

    def keep(step):
        steps.append(step)
        makers[step.out] = step
        return step.out

    def add(op, args):
        args = tuple(add(a[0], a[1:]) if _is_expression(a) else a for a in args)
        return keep(Step(op, args, infer(op, args)))

    def made(x, once=False):
        return makers.get(x) if isinstance(x, Slot) and not (once and uses[x] > 1) else None

    for step in program.steps:
        step = step.with_slots(lambda x: swap.get(x, x))
        out = swap[step.out] = step.out.copy()  # names are given to it, and not to the old one
        uses[out] = uses[step.out]
        new = None if step.named else rule(step.op, step.args, out, made)
        before = len(steps)
        if isinstance(new, tuple):
            new = add(new[0], new[1:])
        if new is None or (new.shape, new.dtype) != (out.shape, out.dtype):  # never another type
            del steps[before:]
            keep(step._replace(out=out))
            continue
        for made_now in steps[before:]:
            slot = made_now.out
            slot.line, slot.of = slot.line or out.line, slot.of or out.of
            slot.order = out.order if slot.shape == out.shape else slot.order
        if len(steps) > before:  # what it read before, and does not any more, is part of it
            read = {x for made_now in steps[before:] for x in made_now.slots}
            joined = [x.gradient_lines for x in step.slots if x not in read]
            new.also = new.also.union(out.also, *joined)
        swap[step.out] = new
        uses[new] += uses[out] - (new not in {s.out for s in steps[before:]})
        if len(steps) > before or (new in makers and new.name is None):
            new.name = new.name or out.name
    return program.with_steps(steps, swap)


def _is_expression(x: Any) -> bool:
    return isinstance(x, tuple) and len(x) > 1 and callable(x[0]) and not isinstance(x[0], type)


def infer(op: Callable, args: tuple) -> Slot:
    """The slot that a step would fill: its shape and dtype, found on stand-ins."""

    def stand_in(x: Slot) -> Any:
        shape = (1,) * x.ndim if is_elementwise(op) else x.shape
        return np.broadcast_to(np.ones((), x.dtype), shape) if x.ndim else np.ones((), x.dtype)[()]

    with np.errstate(all="ignore"):
        value = op(*map_slots(stand_in, args))
    if is_elementwise(op):
        shape = np.broadcast_shapes(*(getattr(x, "shape", ()) for x in args))
        slot = Slot(np.broadcast_to(value.reshape(()) if np.ndim(value) else value, shape))
        alike = [x.order for x in args if isinstance(x, Slot) and x.shape == shape]
        slot.order = alike[0] if alike else None  # numpy lays a result as it found the inputs
        return slot
    return Slot(value)


def number(x: Any) -> Any:
    """The value of a constant with one entry and no axes, or of a Python number; else None."""
    if isinstance(x, Slot):
        return x.value.item() if x.value is not None and x.ndim == 0 else None
    return x if isinstance(x, int | float) and not isinstance(x, bool) else None


def is_uniform(x: np.ndarray) -> bool:
    """Whether an array has the same number everywhere, the sign of 0 included."""
    if not x.size or not (x == x.flat[0]).all():
        return False
    return x.dtype.kind != "f" or bool((np.signbit(x) == np.signbit(x.flat[0])).all())
