"""A program of graph mode as what the pictures know: each statement is a value, without numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minigrad.graph import Program, Slot, statements
from minigrad.graph.program import slots_in
from minigrad.watch import Run, Value


@dataclass(eq=False)
class StatementValue(Value):
    """A value of a program: `code` is how the program's text makes it."""

    code: str = ""
    slot: Slot = field(default_factory=lambda: Slot(()))

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.slot.shape

    @property
    def dtype(self) -> Any:
        """The numpy dtype."""
        return self.slot.dtype


class _Call(NamedTuple):
    """Stands for the op of a value: a statement may hold several calls of numpy."""

    name: str
    formula: str = ""
    rules: tuple[()] = ()
    arrays: tuple[()] = ()
    cuts: bool = False


def run_of(program: Program) -> Run:
    """A program as a run: inputs, constants, and a value for each statement of its source.

    Raises ValueError if the program returns and writes nothing.
    """
    lines, names = statements(program)
    values: dict[Slot, StatementValue] = {}

    def add(kind: str, slot: Slot, name: str, **more: Any) -> None:
        data = slot.value if kind == "constant" else None
        key = f"v{len(values)}"
        values[slot] = StatementValue(key, kind, name, data, slot=slot, **more)

    written = {parameter for parameter, _ in program.writes}
    for slot in program.inputs:
        add("parameter" if slot in written else "input", slot, names[slot])
    for out, name, code, _, reads in lines:
        for slot in reads:
            if slot not in values:
                add("constant", slot, names[slot])
        inputs = tuple((names[slot], values[slot]) for slot in reads)
        add("op", out, name, op=_Call(name), inputs=inputs, line=out.line, code=code)
    for slot in slots_in(program.results):
        if slot not in values:
            add("constant", slot, "constant")
    found = tuple(values[slot] for slot in slots_in(program.results))
    if not found:
        raise ValueError(f"{program.name} returns nothing and writes nothing: there is no graph")
    return Run(program.name, (), tuple(values.values()), found, (), {}, (), found)
