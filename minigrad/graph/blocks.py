"""Units: steps that run together, on some rows of big arrays at a time.

Between main memory and the processor lies a cache. A big array that goes through ten steps goes ten
times through the cache; in blocks of rows that fit, once.
"""

from __future__ import annotations

import numpy as np

from .program import REDUCE, Program, Slot, Step, is_elementwise, sum

BIG = 512 * 1024  # bytes; arrays of this size are worth doing in blocks
BLOCK = 128 * 1024  # bytes of a block


class Unit:
    """Steps that run together: a single one, or several on the same rows."""

    def __init__(self, step: Step, rows: int = 0):
        self.steps, self.rows, self.ndim = [step], rows, step.out.ndim
        self.needs: set[Unit] = set()  # the units that come before
        self.values = {step.out}  # of those made here, the ones that are ready row by row

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
                if x not in self.values or not self.is_by_rows(x):
                    return False
            elif x in unit_of and unit_of[x].comes_after(self):
                return False
        inside = any(unit_of.get(x) is self for x in step.slots)
        if is_elementwise(step.op):
            return self.is_by_rows(step.out) and (inside or step.out.nbytes >= BIG)
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
            home = Unit(step, step.out.shape[0] if big and not step.named else 0)
            units.append(home)
        else:
            home.steps.append(step)
            if not adds_rows(step):
                home.values.add(step.out)
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
