"""The passes: each makes a program shorter or simpler, and computes the same.

A pass is a function from Program to Program. ``improve`` runs those of ``PASSES`` until nothing
changes; leave some out to see what they do: ``improve(program, [dead])``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

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
from .traced import Draw

Expression = tuple  # (op, *args), where an argument may be an Expression too
Made = Callable[..., Step | None]  # the step that made a slot; with once=True, if nobody else reads
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


def uses_of(program: Program) -> Counter:
    """How often each slot is read, results counted."""
    read = [x for step in program.steps for x in step.slots]
    return Counter(read + slots_in(program.results))


def rewrite(program: Program, rule: Callable) -> Program:
    """Offer each step to ``rule(op, args, out, made)``, which returns what stands for its value.

    That is None to keep the step, a Slot, or an Expression.
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
        return Slot(np.broadcast_to(value.reshape(()) if np.ndim(value) else value, shape))
    return Slot(value)


def number(x: Any) -> Any:
    """The value of a constant with one entry and no axes, or of a Python number; else None."""
    if isinstance(x, Slot):
        return x.value.item() if x.value is not None and x.ndim == 0 else None
    return x if isinstance(x, int | float) and not isinstance(x, bool) else None


# ------------------------------------------------------------------------------------- the passes
def dead(program: Program) -> Program:
    """Leave out steps whose values nobody reads."""
    needed = set(slots_in(program.results))
    steps = []
    for step in reversed(program.steps):
        if step.out in needed or isinstance(step.op, Draw):  # a draw moves the generator on
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
            if isinstance(x, Slot) and x.ndim and x.value is not None and _is_uniform(x.value):
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


def _is_uniform(x: np.ndarray) -> bool:
    return bool(x.size and (x == x.flat[0]).all())


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
        single = step.args[0]
        return (
            np.multiply,
            (reshape, single, ()) if single.ndim else single,
            constant(x.size, out),
        )
    return None


def arithmetic(program: Program) -> Program:
    """Simplify sums and products with numbers: x * 1, x + 0, -(-x), and numbers that can meet.

    A number that scales a product moves outwards, where it meets others.
    """

    def rule(op, args, out, made):
        simplify = _ARITHMETIC.get(op)
        if simplify is None or out.dtype not in (np.float32, np.float64):
            return None  # numbers of float16 leave its range easily, so their order is kept

        def once(x, *ops):
            step = made(x, once=True)
            return step if step and step.op in ops else None

        return simplify(*args, out=out, once=once)

    return rewrite(program, rule)


def _scaled(x, once):
    """x as a slot and a number that it is multiplied by, if it is."""
    step = once(x, np.multiply)
    whole = step and number(step.args[1]) is not None and step.args[0].dtype == step.out.dtype
    return step.args if whole else None


def _within(value, out):
    """A constant, if the dtype has room for it: it became neither infinite nor 0."""
    with np.errstate(all="ignore"):
        slot = constant(value, out)
    return slot if np.isfinite(slot.value) and slot.value else None


def _times(a, b, out, once):
    for x, y in ((a, b), (b, a)):
        n = number(y)
        if n == 1:
            return x
        if n == -1:
            return (np.negative, x)
        if n is not None and (scaled := _scaled(x, once)):
            both = _within(number(scaled[1]) * n, out)
            return both and (np.multiply, scaled[0], both)
        if step := once(x, np.negative):
            return (np.negative, (np.multiply, step.args[0], y))
        step = once(x, np.subtract) if n is not None and n < 0 else None
        if step and number(step.args[0]) is None:
            return (np.multiply, (np.subtract, *step.args[::-1]), constant(-n, out))
        if n is None and (step := once(x, np.divide)) and number(step.args[0]) == 1:
            return (np.divide, y, step.args[1])
        if n is None and (scaled := _scaled(x, once)):
            return (np.multiply, (np.multiply, scaled[0], y), scaled[1])
    if number(a) is not None and number(b) is None:
        return (np.multiply, b, a)
    return None


def _over(a, b, out, once):
    n = number(b)
    if n == 1:
        return a
    if n is not None and n != 0 and abs(np.frexp(n)[0]) == 0.5:  # a power of 2: 1 / n is exact
        inverse = _within(1 / n, out)
        return inverse and (np.multiply, a, inverse)
    if n is None and (scaled := _scaled(a, once)):
        return (np.multiply, (np.divide, scaled[0], b), scaled[1])
    if step := once(a, np.negative):
        return (np.negative, (np.divide, step.args[0], b))
    return None


def _plus(a, b, out, once):
    for x, y in ((a, b), (b, a)):
        if number(y) == 0:
            return x
        if step := once(y, np.negative):
            return (np.subtract, x, step.args[0])
        if number(y) is None and (step := once(x, np.add)) and step.args[1] is y:
            return (np.add, step.args[0], (np.multiply, y, constant(2, out)))
    if a is b:
        return (np.multiply, a, constant(2, out))
    return _in_one_scale(a, b, once, np.add, np.subtract)


def _minus(a, b, out, once):
    if number(b) == 0:
        return a
    if step := once(b, np.negative):
        return (np.add, a, step.args[0])
    if number(a) == 0:
        return (np.negative, b)
    return _in_one_scale(a, b, once, np.subtract, np.add)


def _in_one_scale(a, b, once, same, opposite):
    """x * c + y * c is (x + y) * c."""
    p, q = _scaled(a, once), _scaled(b, once)
    if p and q and abs(number(p[1])) == abs(number(q[1])):
        op = same if number(p[1]) == number(q[1]) else opposite
        return (np.multiply, (op, p[0], q[0]), p[1])
    return None


def _minus_one(a, out, once):
    if step := once(a, np.negative):
        return step.args[0] if isinstance(step.args[0], Slot) else None
    if step := once(a, np.subtract):
        return (np.subtract, *step.args[::-1])
    if scaled := _scaled(a, once):
        return (np.multiply, scaled[0], constant(-number(scaled[1]), out))
    return None


def _raised(a, b, out, once):
    n = number(b)
    if n == 1:
        return a
    if n == 2:
        return (np.multiply, a, a)
    if n == 3:
        return (np.multiply, (np.multiply, a, a), a)
    return (np.divide, constant(1, out), a) if n == -1 else None


_ARITHMETIC: dict[Callable, Callable] = {
    np.multiply: _times, np.divide: _over, np.add: _plus, np.subtract: _minus,
    np.negative: _minus_one, np.power: _raised,
}  # fmt: skip

PASSES = [fold, shapes, products, stretching, arithmetic, common, dead]
