"""`trace_nan`: where the first NaN or infinity is born, drawn in its place in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

from minigrad.check import Birth, Origin, nan_origin
from minigrad.frames import listing_of
from minigrad.watch import Run

from . import chart, formula
from .base import SavedWidget, called, read, watch_run
from .formula import words
from .neighbourhood import Neighbourhood
from .program import listing_index, program

_RESULTS = {"nan": "NaN", "inf": "∞", "-inf": "−∞"}
_AROUND = 12  # lines above and below the one that is lit, in a static picture


class NanTrace(SavedWidget):
    """Where a NaN or an infinity is born. Made by `trace_nan`.

    `origin` is what `minigrad.check.nan_origin` says. `chosen` is the birth that is shown: 0 is the
    first, 1 the first NaN, if an infinity was born before it.
    """

    _esm = read("common.js", "trace_nan_view.js")
    _css = read("colours.css", "widgets.css", "chart.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    lines: traitlets.List[Any] = traitlets.List().tag(sync=True)
    births: traitlets.List[Any] = traitlets.List().tag(sync=True)
    given: traitlets.List[str] = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __init__(self, run: Run, origin: Origin) -> None:
        self.origin, self._run = origin, run
        self._near = [Neighbourhood(run, birth) for birth in origin.births]
        self._lines, self._inner = _listing(run, self._near)
        super().__init__(
            title=called(run),
            sentence=_sentence(origin, [near.said() for near in self._near]),
            lines=self._lines,
            births=[self._birth(near) for near in self._near],
            given=list(origin.given),
        )

    @traitlets.validate("chosen")
    def _one_of_them(self, proposal: dict[str, Any]) -> int:
        i = proposal["value"]
        if not 0 <= i < max(1, len(self._near)):
            raise traitlets.TraitError(
                f"chosen is the number of a birth, from 0 to {max(0, len(self._near) - 1)}; got {i}"
            )
        return int(i)

    def _birth(self, near: Neighbourhood) -> dict[str, Any]:
        birth = near.birth
        parts, width, height = near.draw()
        line = self._line(near)
        return {
            "said": near.said(),
            "svg": chart.drawing(width, height, near.said(), parts),
            "formulas": [formula.typeset(*each) for each in near.formulas()],
            "result": f"<math><mo>=</mo><mtext>{_RESULTS[birth.made]}</mtext></math>",
            "numbers": [list(each) for each in near.numbers()],
            "line": line,
            "where": list(_where(birth, shown=line is not None)),
            "advice": _advice(birth),
        }

    def _line(self, near: Neighbourhood) -> int | None:
        line = near.birth.line
        if near.inner is None or line is None:
            return listing_index(self._run, line)
        return self._inner.get((line.file, line.number))

    def to_svg(self) -> str:
        """The graph around the birth, its numbers, the lines of the program, and what to try."""
        parts = [chart.text(20, 26, f"NaN in {self.title}", "mgw-heading")]
        width = max(560.0, 40 + 7.9 * (len(self.title) + 7))
        drawn: tuple[list[str], float, float] | None = None
        if self._near:
            drawn = self._near[self.chosen].draw()
            width = max(width, drawn[1])
        text, y = chart.paragraph(20, 50, self.sentence, width - 40)
        parts.append(text)
        for given in self.given:
            text, y = chart.paragraph(20, y, _capital(given) + ".", width - 40)
            parts.append(text)
        if drawn is not None:
            birth = self._near[self.chosen].birth
            parts.append(chart.placed(0, y - 8, "".join(drawn[0])))
            y += drawn[2] + 10
            written = [formula.plain(*each) for each in self._near[self.chosen].formulas()]
            if len(written) > 1:
                written[-1] += f" = {_RESULTS[birth.made]}"
            facts = [("formula", ", with numbers ".join(written))] if written else []
            numbers = ", ".join(f"{k} = {x}" for k, x in self._near[self.chosen].numbers())
            facts += [("numbers", numbers)] if numbers else []
            where = self.births[self.chosen]["where"]
            facts += [where] if where else []
            for name, says in [*facts, ("try", _advice(birth))]:
                parts.append(chart.text(20, y, name, "mgw-side"))
                text, y = chart.paragraph(84, y, says, width - 104)
                parts.append(text)
            code, y = self._code(y + 8, width)
            parts += code
        return chart.still(width, y, self.sentence, parts)

    def _code(self, y: float, width: float) -> tuple[list[str], float]:
        """The lines of the program around the one that is lit, drawn."""
        lit = self.births[self.chosen]["line"]
        if lit is None:
            return [], y
        begin = max(0, lit - _AROUND)
        return chart.listing(y, width, self.lines[begin : lit + _AROUND + 1], lit - begin)

    def to_text(self) -> str:
        """What `nan_origin` prints."""
        return repr(self.origin)

    def __repr__(self) -> str:
        first = self.origin.first
        says = "no NaN or infinity" if not self.origin else ", ".join(self.given)
        if first is not None:
            says = f"{first.made} in {first.op}, {'backward' if first.backward else 'forward'}"
        return f"trace_nan({self.origin.name}): {says}"


def _listing(
    run: Run, near: list[Neighbourhood]
) -> tuple[list[dict[str, Any]], dict[tuple[str, int], int]]:
    """The lines of the program, then of each method that hides a birth, and where those stand."""
    lines, inner = program(run), {}
    for method in dict.fromkeys(each.inner for each in near if each.inner is not None):
        for i, line in enumerate(listing_of(method)):
            inner[line.file, line.number] = len(lines)
            begins = {} if i else {"begins": True}
            lines.append({"number": line.number, "text": line.text} | begins)
    return lines, inner


def _where(birth: Birth, shown: bool) -> tuple[str, str] | tuple[()]:
    """`line`, and which, with its text unless that is lit in the listing; the Cells around."""
    line, cells = birth.line, " / ".join(birth.cells)
    if line is None:
        return ("inside of", cells) if cells else ()
    text = "" if shown else f": {line.text.strip()}"
    return "line", f"{line.number}{text}" + (f", inside of {cells}" if cells else "")


def _sentence(origin: Origin, births: list[str]) -> str:
    if not origin:
        return (
            f"No NaN and no infinity is born in {origin.name}, forward or backward: the output and "
            "all gradients are finite."
        )
    said = births[:1] or ["None is born here: it was given."]
    if len(births) > 1:
        said.append(f"Later: {births[1][0].lower()}{births[1][1:]}")
    if origin.ends:
        said.append(f"It reaches {words(list(origin.ends))}.")
    elif origin.births:
        said.append("The output and the gradients are finite all the same.")
    return " ".join(said)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _advice(birth: Birth) -> str:
    return _capital(birth.advice.replace("`", "")) + "."


def trace_nan(fn: Any, *args: Any, **kwargs: Any) -> NanTrace:
    """Show where the first NaN or infinity is born, in the run of fn or in its gradient.

    The op that makes it stands in the middle, between what came in and what it reaches; what holds
    a NaN or an infinity is drawn in red. Below are the numbers it was made of, the formula, the
    line of the program, lit in the listing, and what to try. If an infinity comes first and a NaN
    later, both can be chosen. A function without any is said to have none. All of it is what
    `minigrad.check.nan_origin` finds.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with: Tensors, numbers or numpy arrays.
    **kwargs
        More arguments of fn, by name.

    Raises
    ------
    TypeError
        If fn is not callable.

    Examples
    --------
    >>> from minigrad import Tensor, ops
    >>> x = Tensor([4.0, 0.0])
    >>> widget = trace_nan(lambda x: ops.where(x > 0, ops.sqrt(x), 0.0), x)
    >>> widget
    trace_nan(function): nan in sqrt, backward
    >>> widget.origin.first.numbers["g"]
    '0'
    >>> trace_nan(ops.exp, x)
    trace_nan(exp): no NaN or infinity
    """
    with np.errstate(all="ignore"):  # numpy's warnings say the same, with less
        run = watch_run("trace_nan", fn, args, kwargs)
    return NanTrace(run, nan_origin(fn, *args, **kwargs))
