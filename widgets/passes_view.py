"""`show_passes`: what each pass of graph mode makes of a program, its text and its graph."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections import Counter
from itertools import count as count_from
from typing import Any

import traitlets

from minigrad.graph import Program, jit, stages
from minigrad.graph.compiled import Jit, user_function
from minigrad.graph.passes import dead
from minigrad.watch import Run, Value, name_of

from . import chart
from .base import SavedWidget, expect_call, read
from .draw import draw
from .folding import fold
from .formula import printable
from .groups import opened_at_first
from .layout import place
from .picture import picture
from .statements import run_of
from .text import count, graph_label

_WIDTH = 560
_numbers = count_from(1)
_SIGNS = {"added": "+", "removed": "−", "": " "}


class PassesView(SavedWidget):
    """The passes over a program. Made by `show_passes`.

    `programs` holds the program as it was recorded and after each pass that changed it; `chosen` is
    the number of the one that is shown.
    """

    _esm = read("common.js", "passes_view.js")
    _css = read("colours.css", "graph.css", "widgets.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    stages: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __init__(self, recorded: Program, name: str) -> None:
        found = [("recorded", f"What one run of {printable(name)} asked of numpy.", recorded)]
        seen: Counter[str] = Counter()
        for each, program in [(dead, recorded), *stages(recorded)]:
            program = dead(program)  # what a pass put something else in the place of
            if str(program) != str(found[-1][2]):
                seen[each.__name__] += 1
                number = f" {seen[each.__name__]}" * (seen[each.__name__] > 1)
                found.append((each.__name__ + number, _first_line(each), program))
        self.programs = [program for _, _, program in found]
        inputs = ", ".join(x.name or "" for x in recorded.inputs)
        super().__init__(
            title=printable(f"{recorded.name}({inputs})"),
            stages=[
                _stage(*stage, before)
                for stage, before in zip(found, [None, *self.programs], strict=False)
            ],
        )

    @traitlets.validate("chosen")
    def _one_of_them(self, proposal: dict[str, Any]) -> int:
        i = proposal["value"]
        if not 0 <= i < len(self.programs):
            raise traitlets.TraitError(
                f"chosen is the number of a program, from 0 to {len(self.programs) - 1}; got {i}"
            )
        return int(i)

    def to_svg(self) -> str:
        """The text of the chosen program, what its pass changed, and its graph."""
        stage = self.stages[self.chosen]
        before = self.programs[self.chosen - 1] if self.chosen else None
        _, graph, wide, high = _drawn(self.programs[self.chosen], before, static=True)
        heading = f"{stage['name']}: {self.title}"
        letters = max(len(line["text"]) for line in stage["lines"])
        width = max(wide + 24, 80 + chart.LETTER * max(letters, len(heading) * 1.2), 420.0)
        parts = [chart.text(20, 26, heading, "mgw-heading")]
        words, y = chart.paragraph(20, 50, stage["said"], width - 40)
        parts.append(words)
        y += 10
        for line in stage["lines"]:
            if line["kind"] == "added":
                box = f'x="20" y="{y - 13:.1f}" height="18"'
                parts.append(f'<rect class="mgw-fresh" width="{width - 40:.0f}" {box}/>')
                parts.append(f'<rect class="mgw-fresh-edge" width="3" {box}/>')
            kind = "mgw-side" if line["kind"] == "removed" else ""
            parts.append(chart.text(30, y, _SIGNS[line["kind"]], "mgw-note"))
            indent = len(line["text"]) - len(line["text"].lstrip())
            parts.append(chart.text(46 + chart.LETTER * indent, y, line["text"].lstrip(), kind))
            y += 18
        if stage["called"]["said"]:
            parts.append(chart.text(46, y, f"and {stage['called']['said']}", "mgw-note"))
            y += 18
        parts.append(chart.placed(12, y, graph))
        return chart.still(width, y + high + 12, f"Passes over {self.title}", parts)

    def to_text(self) -> str:
        """The text of each program, its changed lines marked with + and −."""
        parts = [f"Passes over {self.title}"]
        for stage in self.stages:
            lines = [f"  {_SIGNS[line['kind']]} {line['text']}" for line in stage["lines"]]
            parts += [f"{stage['name']}: {stage['said']}", *map(str.rstrip, lines)]
            if stage["called"]["said"]:
                parts.append(f"    and {stage['called']['said']}")
        return "\n".join(parts)

    def __repr__(self) -> str:
        changed = ", ".join(stage["name"] for stage in self.stages[1:]) or "no pass"
        return f"show_passes({self.title}): {changed} changed it"


def _first_line(each: Any) -> str:
    return (inspect.getdoc(each) or "").partition("\n")[0]


def _stage(name: str, said: str, program: Program, before: Program | None) -> dict[str, Any]:
    """A program as the page gets it."""
    now = count(len(program.steps), "step")
    if before is None:
        said += f" {now}."
    elif len(before.steps) == len(program.steps):
        said += f" {now}, as before."
    else:
        said += f" {count(len(before.steps), 'step')} became {len(program.steps)}."
    run, svg, *_ = _drawn(program, before)
    boxes = {_line_of(value): value.id for value in run.values if value.kind == "op"}
    lines = [{"text": text, "kind": kind} for text, kind in _marked(before, program)]
    for line in lines:
        if line["kind"] != "removed" and line["text"] in boxes:
            line["box"] = boxes[line["text"]]
    _, called = _parts(program)
    heads = sum(line.startswith("def ") for line in called)
    words = f"{count(heads, 'function')} of the engine that it calls" if heads else ""
    return {
        "name": name,
        "said": said,
        "lines": lines,
        "called": {"said": words, "lines": called},
        "svg": svg,
    }


def _marked(before: Program | None, program: Program) -> list[tuple[str, str]]:
    """The lines of a program's text, "added" since another, "removed" since then, or ""."""
    new, _ = _parts(program)
    changes = difflib.Differ().compare(new if before is None else _parts(before)[0], new)
    kinds = {"+ ": "added", "- ": "removed", "  ": ""}
    return [(line[2:], kinds[line[:2]]) for line in changes if line[:2] in kinds]


def _parts(program: Program) -> tuple[list[str], list[str]]:
    """The lines of a program's text without notes, and those of the functions that it calls."""
    lines = [line.partition("  # ")[0].rstrip() for line in program.source.splitlines()]
    functions = [x for x in ast.parse(program.source).body if isinstance(x, ast.FunctionDef)]
    inside = {i for x in functions[:-1] for i in range(x.lineno - 1, (x.end_lineno or 0) + 1)}
    if inside:  # and what only they import
        inside |= {i for i, line in enumerate(lines) if re.match("from |import (?!numpy )", line)}
    own = [line for i, line in enumerate(lines) if i not in inside]
    return own, [lines[i] for i in sorted(inside)]


def _line_of(value: Value) -> str:
    return f"    {value.name} = {getattr(value, 'code', '')}"


def _drawn(
    program: Program, before: Program | None, static: bool = False
) -> tuple[Run, str, float, float]:
    """The graph of a program with what is new in it marked, and its size."""
    run = run_of(program)
    whole = picture(run, backward=False)
    shown = fold(whole, opened_at_first(whole.whole))
    placed = place(shown, _WIDTH)
    prefix = f"mgwp{next(_numbers)}"
    svg = draw(shown, placed, prefix, static=static, title=graph_label(shown))
    added = {text for text, kind in _marked(before, program) if kind == "added"}
    for value in run.values:
        if _line_of(value) in added:
            box = f'" id="{prefix}-{value.id}"'
            svg = svg.replace(box, f" mgw-done{box}")
    return run, svg, placed.width, placed.height + (40 if static else 0)


def show_passes(fn: Any, *args: Any, **kwargs: Any) -> PassesView:
    """Step through what graph mode's passes make of a program, its text and its graph.

    fn(*args) runs once, as under `jit`, and is recorded; so a training step trains once. Each pass
    that changed the program is a stage: its text, with the lines that are new and those that went,
    and its graph, a box for each statement. The arrow keys go from stage to stage. What a pass
    leaves without readers is left out at once, as the pass `dead` does.

    Parameters
    ----------
    fn
        What `jit` takes: a function of Tensors, `grad` of one, an nn.Cell. Or what `jit` returned.
    *args, **kwargs
        What to call it with.

    Raises
    ------
    TypeError
        If fn is not callable, and TraceError, a kind of it, if fn needs the numbers of a Tensor.

    Examples
    --------
    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> widget = show_passes(ms.grad(lambda x: (x * 1.0) ** 3), Tensor(2.0))
    >>> print(widget.programs[-1].source.splitlines()[-2].split("  #")[0])
        d_x = x * x * 3
    """
    expect_call("show_passes", fn, args, kwargs)
    run = jit(fn.function if isinstance(fn, Jit) else fn, fullgraph=True)
    run(*args, **kwargs)
    return PassesView(run.recorded, name_of(user_function(run.function)))
