"""The passes: each makes a program shorter or simpler, and computes the same.

A pass is a function from Program to Program. ``improve`` runs those of ``PASSES`` until nothing
changes; leave some out to see what they do: ``improve(program, [dead])``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .arithmetic import arithmetic, within
from .pooling import pooling
from .program import (
    Program,
    Slot,
    Step,
    astype,
    broadcast_to,
    constant,
    getitem,
    is_elementwise,
    map_slots,
    reshape,
    slots_in,
    sum,
    transpose,
)  # fmt: skip
from .rewriting import is_uniform, rewrite
from .traced import Draw, Question

_ROUNDS = 8


def improve(program: Program, passes: Iterable[Callable] | None = None) -> Program:
    """The program after the passes (all, in the order of PASSES, if None)."""
    return [program, *(each for _, each in stages(program, passes))][-1]


def stages(program: Program, passes: Iterable[Callable] | None = None) -> Iterator[tuple]:
    """Each pass that ``improve`` runs, and the program after it."""
    chosen = list(PASSES if passes is None else passes)
    for _ in range(_ROUNDS):
        before = [step.op for step in program.steps]
        for each in chosen:
            program = each(program)
            yield each, program
        if [step.op for step in program.steps] == before:
            return


# ------------------------------------------------------------------------------------- the passes
def dead(program: Program) -> Program:
    """Leave out steps whose values nobody reads."""
    needed = set(slots_in(program.results))
    steps = []
    for step in reversed(program.steps):
        # A draw moves the generator on, and a question may end the run.
        if step.out in needed or isinstance(step.op, Draw | Question):
            needed.update(step.slots)
            steps.append(step)
    return program._replace(steps=steps[::-1])


def unasked(program: Program) -> Program:
    """The program without its questions, and what they alone read: as a person reads it."""
    needed, asked = set(slots_in(program.results)), set()
    steps = []
    for step in reversed(program.steps):
        alone = step.out in asked and step.out not in needed and not isinstance(step.op, Draw)
        if alone or isinstance(step.op, Question):
            asked.update(step.slots)
        else:
            needed.update(step.slots)
            steps.append(step)
    return program._replace(steps=steps[::-1])


def fold(program: Program) -> Program:
    """Compute now what depends on constants alone."""
    steps = []
    known: dict[Slot, Slot] = {}
    for step in program.steps:
        step = step.with_slots(lambda x: known.get(x, x))
        slots = step.slots
        ready = all(x.value is not None for x in slots) and not isinstance(step.op, Draw)
        if (
            not ready
            or step.out.size > max([64, *(x.size for x in slots)])  # it would grow
            or step.op is broadcast_to
            or step.out.dtype == object
        ):
            steps.append(step)
            continue
        args, named = map_slots(lambda x: x.value, (step.args, step.named))
        known[step.out] = step.out.copy()
        known[step.out].value = np.asarray(step.op(*args, **named))
    return program.with_steps(steps, known)


def common(program: Program) -> Program:
    """Do once what is done twice to the same slots. No two draws are the same."""
    seen: dict[Any, Slot] = {}

    def rule(op, args, out, made):
        identities = [_identity(x) for x in args]
        if op in (np.add, np.multiply, np.maximum, np.minimum):
            identities.sort(key=repr)
        key = (op, *identities)
        if key in seen:
            return seen[key]
        seen[key] = out
        return None

    return rewrite(program, rule)


def _identity(x: Any) -> Any:
    if not isinstance(x, Slot):
        slots = tuple(map(id, slots_in(x)))
        return type(x), slots or repr(x), repr(x) if slots else ""
    if x.value is not None and x.size < 64:
        return x.value.tobytes(), x.shape, x.dtype
    return id(x)


def stretching(program: Program) -> Program:
    """Let arithmetic stretch its operands itself, as numpy does, in place of broadcast_to.

    A constant with the same number everywhere is that number, stretched.
    """

    def rule(op, args, out, made):
        def short(x):
            if isinstance(x, Slot) and x.ndim and x.value is not None and is_uniform(x.value):
                return constant(x.value.flat[0], x)
            step = made(x)
            return step.args[0] if step and step.op is broadcast_to else x

        if not is_elementwise(op):
            return None
        shorter = [short(x) for x in args]
        if all(a is b for a, b in zip(args, shorter, strict=True)):
            return None
        shape = np.broadcast_shapes(*(x.shape for x in shorter if isinstance(x, Slot)))
        return (op, *shorter) if shape == out.shape else (broadcast_to, (op, *shorter), out.shape)

    return rewrite(program, rule)


def products(program: Program) -> Program:
    """Write a matrix times a vector as that, in place of a matrix with one column or row."""
    column, row = (Ellipsis, None), (Ellipsis, None, slice(None))
    from_column, from_row = (Ellipsis, 0), (Ellipsis, 0, slice(None))

    def rule(op, args, out, made):
        product = made(args[0], once=True) if op is getitem else None
        if product is None or product.op is not np.matmul:
            return None
        a, b = product.args
        left, right = made(a), made(b)
        if args[1:] == from_column and _is_index(right, column) and right.args[0].ndim == 1:
            return (np.matmul, a, right.args[0])
        if args[1:] == from_row and _is_index(left, row) and left.args[0].ndim == 1:
            return (np.matmul, left.args[0], b)
        return None

    return rewrite(program, rule)


def _is_index(step: Step | None, index: tuple) -> bool:
    return step is not None and step.op is getitem and step.args[1:] == index


def shapes(program: Program) -> Program:
    """Join or leave out steps that only move values: reshape, transpose, broadcast_to, casts."""

    def rule(op, args, out, made):
        x, step = args[0] if args else None, made(args[0]) if args else None
        if not isinstance(x, Slot):
            return None
        same = x.shape == out.shape and x.dtype == out.dtype
        if op in (reshape, broadcast_to, astype) and same:
            return x
        if op is transpose and args[1] == tuple(range(x.ndim)):
            return x
        if step and step.op is op and op in (reshape, broadcast_to):
            return (op, step.args[0], out.shape)
        if step and step.op is op is transpose:
            return (transpose, step.args[0], tuple(step.args[1][i] for i in args[1]))
        if op is reshape:
            return _reshaped(x, out, step, made(x, once=True))
        if op is sum:
            return _summed(x, args, out, step)
        if op is getitem and len(args) == 2 and step and step.op is getitem and len(step.args) == 2:
            i, cut = args[1], step.args[1]
            if type(i) is int and i >= 0 and isinstance(cut, slice) and cut.step in (None, 1):
                return (
                    (getitem, step.args[0], (cut.start or 0) + i) if (cut.start or 0) >= 0 else None
                )
        return None

    return rewrite(program, rule)


def _reshaped(x, out, step, alone):
    if step and step.op is broadcast_to and step.args[0].size == 1:
        single = step.args[0]
        return (broadcast_to, (reshape, single, ()) if single.ndim else single, out.shape)
    if alone and alone.op is sum and alone.args[2]:
        whole, axes, _ = alone.args
        if out.shape == tuple(n for i, n in enumerate(whole.shape) if i not in axes):
            return (sum, whole, axes, False)
    return None


def _summed(x, args, out, step):
    if not args[1]:
        return x
    if all(x.shape[i] == 1 for i in args[1]):
        return (reshape, x, out.shape)
    if step and step.op is broadcast_to and step.args[0].size == 1 and out.ndim == 0:
        single, count = step.args[0], within(x.size, out)
        single = (reshape, single, ()) if single.ndim else single
        return count and (np.multiply, single, count)
    return None


PASSES = [fold, shapes, products, pooling, stretching, arithmetic, common, dead]
