"""`show_graph`: the graph of a run, box by box."""

from __future__ import annotations

from typing import Any

import traitlets

from minigrad.watch import Run

from .base import PictureWidget, cards_of, read, watch_run
from .explain import value_card
from .text import graph_text

_WIDTH = 760  # a wider graph is drawn downwards


class GraphView(PictureWidget):
    """The graph of a run. Made by `show_graph`."""

    _esm = read("common.js", "graph_view.js")

    first = traitlets.Unicode().tag(sync=True)

    def __init__(self, run: Run) -> None:
        super().__init__(run, _WIDTH, backward=False, first=run.output.id)
        self.cards = cards_of(self.picture, value_card)

    def to_text(self) -> str:
        """A table of the values of the run."""
        return graph_text(self.picture)

    def __repr__(self) -> str:
        return f"show_graph({self.run.name}): {len(self.run.values)} values"


def show_graph(fn: Any, *args: Any) -> GraphView:
    """Draw the graph of one real run, fn(*args).

    Boxes are values: inputs and Parameters (round), constants (dotted), and what each op computed,
    with its formula in the program's own names. Arrows are what went into what. Cells are frames
    around what they computed; a Cell with a bprop of its own is one box with a double edge.
    stop_gradient is an arrow cut by scissors. Point at a box, or go there with Tab and the arrow
    keys, to see its formula, shape, dtype, entries and source line.

    In a saved notebook a static picture and a table stand in its place. `to_svg()` and `to_text()`
    give them as strings.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with: Tensors, numbers or numpy arrays, of any shape and dtype.

    Raises
    ------
    TypeError
        If fn is not callable.
    ValueError
        If the run makes more than 600 values.
    LayoutError
        If Graphviz is missing; the message says what to install.

    Examples
    --------
    >>> from minigrad import ops
    >>> show_graph(lambda a, b: a * b + ops.sin(a), 2.0, -3.0)
    show_graph(function): 5 values
    """
    return GraphView(watch_run("show_graph", fn, args))
