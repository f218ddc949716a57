"""A program as a table, for ``str(program)``: one step a line, with shapes and dtypes."""

from __future__ import annotations

from typing import Any

from .names import Names, gradient_note, static_text
from .program import Program, Slot


def listing(program: Program) -> str:
    """The inputs, what was kept from outside, the steps, and the outputs."""
    names = Names(set())
    kept: list[Slot] = []

    def text(x: Any) -> str:
        if not isinstance(x, Slot):
            return static_text(x, text)
        if x.value is not None and x.ndim == 0 and x.dtype != object:
            return repr(x.value.item())
        if x.value is not None and x not in kept:
            kept.append(x)
        return names(x, "constant" if x.value is not None else "t")

    def described(x: Slot) -> str:
        return f"{names(x)}: {x.dtype}{list(x.shape)}"

    inputs = [described(x) for x in program.inputs]
    rows = []
    for step in program.steps:
        given = [text(x) for x in step.args]
        given += [f"{k}={static_text(v, text)}" for k, v in step.named.items()]
        call = f"{getattr(step.op, '__name__', step.op)}({', '.join(given)})"
        kind = "several" if step.out.dtype == object else f"{step.out.dtype}{list(step.out.shape)}"
        line = step.out.line
        where = "" if line is None else f"line {line.number}: {line.text.strip()}"
        if line is not None and step.out.of is not None:
            where = gradient_note([step.out])
        rows.append((text(step.out), kind, call, where))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = [f"{program.name}({', '.join(inputs)})"]
    body = [
        "  ".join(
            [*(part.ljust(n) for part, n in zip(row[:3], widths, strict=True)), row[3]]
        ).rstrip()
        for row in rows
    ]
    results = [text(x) for x in program.outputs]
    if kept:
        lines.append("kept from outside, as it was: " + ", ".join(map(described, kept)))
    lines += [f"    {row}" for row in body]
    lines.append(f"    return {', '.join(results)}")
    lines += [f"    write {names(p)} = {text(value)}" for p, value in program.writes]
    return "\n".join(lines)
