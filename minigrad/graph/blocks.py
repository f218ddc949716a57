"""Units: steps that run together, on some rows of big arrays at a time.

Between main memory and the processor lies a cache. A big array that goes through ten steps goes ten
times through the cache; in blocks of rows that fit, once.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from .names import tuple_text
from .program import REDUCE, Program, Slot, Step, astype, is_elementwise, sum, where

BIG = 512 * 1024  # bytes; arrays of this size are worth doing in blocks
BLOCK = 128 * 1024  # bytes of a block


class Unit:
    """Steps that run together: a single one, or several on the same rows."""

    def __init__(self, step: Step, rows: int = 0):
        self.steps, self.rows, self.ndim = [step], rows, step.out.ndim
        self.needs: set[Unit] = set()  # the units that come before

    def is_by_rows(self, slot: Slot) -> bool:
        """Whether a slot has a row for each of the unit's."""
        return slot.ndim == self.ndim and slot.shape[0] == self.rows

    def comes_after(self, other: Unit) -> bool:
        """Whether this unit waits for the other, or for one that does."""
        seen: set[Unit] = set()
        waiting = [self]
        while waiting:
            unit = waiting.pop()
            if unit is other:
                return True
            if unit not in seen:
                seen.add(unit)
                waiting += unit.needs
        return False

    def takes(self, step: Step, unit_of: dict[Slot, Unit]) -> bool:
        """Whether a step can run with these, rows by rows."""
        for x in step.slots:
            if unit_of.get(x) is self:
                if not self.is_by_rows(x):  # it is ready when all rows have been seen
                    return False
            elif x in unit_of and unit_of[x].comes_after(self):
                return False
        inside = any(unit_of.get(x) is self for x in step.slots)
        if is_elementwise(step.op):
            return (
                step.out.order is None
                and self.is_by_rows(step.out)
                and (inside or step.out.nbytes >= BIG)
            )
        if step.op is np.vdot:
            return inside and all(self.is_by_rows(x) for x in step.slots)
        if 0 in step.args[1]:
            return inside and step.op is sum
        return inside and self.is_by_rows(step.out)


def adds_rows(step: Step) -> bool:
    """Whether a step's value is ready only when all rows have been seen."""
    return step.op is np.vdot or (step.op in REDUCE and 0 in step.args[1])


def units_of(program: Program) -> list[Unit]:
    """The program's steps in units, each after those that it needs."""
    unit_of: dict[Slot, Unit] = {}
    units: list[Unit] = []
    for step in program.steps:
        needs = [unit_of[x] for x in step.slots if x in unit_of]
        home = None
        if (is_elementwise(step.op) or step.op in (*REDUCE, np.vdot)) and not step.named:
            near = dict.fromkeys([*needs, *units[-8:]])
            home = next((u for u in near if u.rows and u.takes(step, unit_of)), None)
        if home is None:
            big = is_elementwise(step.op) and step.out.nbytes >= BIG and step.out.shape[0] > 1
            big = big and step.out.order is None
            home = Unit(step, step.out.shape[0] if big and not step.named else 0)
            units.append(home)
        else:
            home.steps.append(step)
        home.needs |= {u for u in needs if u is not home}
        unit_of[step.out] = home
    return _in_order(units)


def _in_order(units: list[Unit]) -> list[Unit]:
    place = {unit: i for i, unit in enumerate(units)}
    done: dict[Unit, None] = {}
    for unit in units:
        waiting = [unit]
        while waiting:
            top = waiting[-1]
            missing = sorted((u for u in top.needs if u not in done), key=place.__getitem__)
            if missing:
                waiting.append(missing[0])
            else:
                done.setdefault(waiting.pop())
    return list(done)


# ------------------------------------------------------------------------------ writing one loop
class Loop:
    """Writes the loop of one unit."""

    def __init__(self, writer: Any, unit: Unit, i: int):
        self.writer, self.unit, self.i = writer, unit, i
        others = (s for u in writer.units if u is not unit for s in u.steps)
        self.outside = {x for s in others for x in s.slots} | writer.kept
        self.final: dict[Slot, int] = {}  # the last step of the unit that reads each value
        for k, step in enumerate(unit.steps):
            for x in step.slots:
                self.final[x] = k
        row = max(s.out.nbytes for s in unit.steps if s.out.ndim) // unit.rows
        want = max(1, min(unit.rows, BLOCK // max(row, 1)))
        even = (n for n in range(want, want // 2, -1) if unit.rows % n == 0)
        self.size = next(even, want)
        self.ragged = unit.rows % self.size
        self.pool: dict[Any, list[str]] = defaultdict(list)
        self.where_in: dict[Slot, tuple[Any, str]] = {}
        self.local: dict[Slot, str] = {}
        self.loop: list[str] = []

    def rows_of(self, x: Any) -> str:
        """The rows of an argument that the loop is at."""
        text = self.writer.text
        if not isinstance(x, Slot):
            return text(x)
        if x not in self.local and self.unit.is_by_rows(x):
            self.local[x] = self.writer.names.fresh(f"rows_{text(x)}")
            self.loop.append(f"{self.local[x]} = {text(x)}[i:j]")
        return self.local.get(x) or text(x)

    def write(self) -> None:
        """The loop, and what comes before it."""
        writer, unit = self.writer, self.unit
        for k, step in enumerate(unit.steps):
            given = [self.rows_of(x) for x in writer.operands(step)]
            if adds_rows(step):
                self.add_up(step, given)
                continue
            if step.op not in (where, astype):
                for x in step.slots:
                    if x in self.where_in and self.final[x] == k:
                        key, flat = self.where_in.pop(x)
                        self.pool[key].append(flat)
            self.loop.append(writer.call(step, given, self.place(step, k)))
        writer.body.append(f"for i in range(0, {unit.rows}, {self.size}):")
        end = f"min(i + {self.size}, {unit.rows})" if self.ragged else f"i + {self.size}"
        writer.body.append(f"    j = {end}")
        writer.body.extend(f"    {line}" for line in self.loop)

    def place(self, step: Step, k: int) -> str:
        """Where a step of the loop writes its rows."""
        out, writer = step.out, self.writer
        if out in self.outside:
            writer.store(out, self.i, into_parameter=self.may_renew(step, k))
            name = self.local[out] = writer.names.fresh(f"rows_{writer.text(out)}")
            self.loop.append(f"{name} = {writer.text(out)}[i:j]")
            return name
        name, key, flat = writer.buffer((self.size, *out.shape[1:]), out.dtype, self.pool, "block")
        self.where_in[out] = key, flat
        self.local[out] = f"{name}[:j - i]" if self.ragged else name
        return self.local[out]

    def may_renew(self, step: Step, k: int) -> bool:
        """Whether the rows of a Parameter's new value may go where the old ones are."""
        parameter = self.writer.renewed.get(step.out, (None,))[0]
        read = [x for s in self.unit.steps for x in s.slots if self.writer.root(x) is parameter]
        own_rows = all(x is parameter and self.unit.is_by_rows(x) for x in read)
        return isinstance(step.op, np.ufunc) and own_rows and self.final.get(parameter, k) <= k

    def add_up(self, step: Step, given: list[str]) -> None:
        """A sum over the rows: each block adds its own."""
        out, writer = step.out, self.writer
        if out.ndim == 0:
            kind = writer.function(f"{out.dtype}_number", out.dtype.type)
            writer.body.append(f"{writer.names(out)} = {kind}(0)")
            total = f"{writer.function('sum_reduce', np.add.reduce)}({given[0]}, None)"
            part = writer.call(step, given, "") if step.op is np.vdot else total
            self.loop.append(f"{writer.names(out)} += {part}")
            return
        writer.store(out, self.i)
        writer.body.append(f"{writer.text(out)}.fill(0)")
        x, axes, keepdims = step.args
        reduce = writer.function("sum_reduce", np.add.reduce)
        part = f"{reduce}({given[0]}, {axis_text(axes)}, None, None, {keepdims})"
        if sums_columns(step):
            ones = writer.ones(x, self.size) + ("[:j - i]" if self.ragged else "")
            part = f"dot({ones}, {given[0]})"
        add = writer.function("add", np.add)
        self.loop.append(f"{add}({writer.text(out)}, {part}, {writer.text(out)})")


_FLOATS = (np.float32, np.float64)


def sums_columns(step: Step) -> bool:
    """Whether a step is the sum of a matrix over its rows, which BLAS computes as a product."""
    x, axes, keepdims = step.args
    whole = step.op is sum and (axes, keepdims) == ((0,), False) and x.ndim == 2
    return whole and x.dtype in _FLOATS


def axis_text(axes: tuple[int, ...]) -> str:
    """Axes as numpy's reductions take them."""
    return str(axes[0]) if len(axes) == 1 else tuple_text(axes)
