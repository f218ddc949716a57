"""`show_graph`: the graph of a run, box by box."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import traitlets

from minigrad.graph import Program
from minigrad.watch import Run, Value

from .base import read, watch_run
from .draw import palette_styles
from .explain import value_card
from .folding import closed_card, door_card
from .picture import Picture, expression, picture
from .picture_view import PictureWidget
from .statements import run_of
from .text import count, graph_text

_BETWEEN_WORDS = "(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"  # Max Pool2d, MSE Loss
_WIDTH = 640  # a wider graph is drawn downwards
_MOST_CARDS = 300  # that travel at once; of more, those of what is seen


class GraphView(PictureWidget):
    """The graph of a run. Made by `show_graph`.

    `opened` holds the ids of the groups that are open: what is inside them is seen.
    """

    _esm = read(
        "common.js", "folds.js", "stage.js", "zoom.js", "search.js", "download.js", "graph_view.js"
    )

    first = traitlets.Unicode().tag(sync=True)
    index: traitlets.List[Any] = traitlets.List().tag(sync=True)
    styles: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(self, run: Run) -> None:
        first = (run.returned or run.outputs)[0].id
        super().__init__(picture(run, backward=False), _WIDTH, first=first)
        self.index = [self._entry(value) for value in run.values]
        self.styles = palette_styles()
        values = run.values if len(run.values) <= _MOST_CARDS else ()
        self.cards = self._cards(self._now.shown, values)

    def to_text(self) -> str:
        """A table of the values of the run."""
        return graph_text(self.picture)

    def alone(self) -> dict[str, Any]:
        """What a page needs besides if no kernel answers it: pictures, and all cards."""
        cards = {**self.cards, **self._cards(self._now.shown, self.run.values)}
        return {**super().alone(), "cards": cards}

    def _more_cards(self, shown: Picture) -> dict[str, Any]:
        return self._cards(shown, ())

    def _cards(self, shown: Picture, values: Iterable[Value]) -> dict[str, Any]:
        """The cards of these values, and of all that is seen in a picture, by id."""
        cards = {value.id: value_card(self.picture, value) for value in values}
        for box in shown.boxes:
            if box.id in cards or box.id in self.cards:
                continue
            if box.value is not None:
                cards[box.id] = value_card(self.picture, box.value)
            elif box.kind == "door":
                cards[box.id] = door_card(self.picture, box)
        groups = self.picture.groups.values()
        return cards | {
            g.id: closed_card(self.picture, g) for g in groups if g.id not in self.cards
        }

    def _entry(self, value: Value) -> list[str]:
        """What the search knows of a value: its id, its name, and the words that find it."""
        name = self.picture.names[value.id]
        group = self.picture.box_of[value].groups
        words = [name, value.kind, *(self.groups[key]["name"] for key in group)]
        if value.kind == "op":
            words += [value.op.name, expression(value, self.picture.names)]
        parts = [re.sub(_BETWEEN_WORDS, " ", each) for each in words]
        words += [part for part, each in zip(parts, words, strict=True) if part != each]
        return [value.id, name, "\n".join(words).lower()]

    def __repr__(self) -> str:
        return f"show_graph({self.run.name}): {count(len(self.run.values), 'value')}"


def show_graph(
    fn: Any,
    *args: Any,
    order: int = 1,
    has_aux: bool = False,
    grad_position: Any = None,
    weights: Any = None,
    **kwargs: Any,
) -> GraphView:
    """Draw the graph of one real run, fn(*args).

    Boxes are values: inputs and Parameters (round), constants (dotted), and what each op computed,
    with its formula in the program's own names. Arrows are what went into what. Cells are frames
    around what they computed; a Cell with a bprop of its own is one box with a double edge.
    stop_gradient is an arrow cut by scissors. Point at a box, or go there with Tab and the arrow
    keys, to see its formula, shape, dtype, entries and source line.

    A click or Enter on the name of a frame closes it into one box, and on that box opens it again.
    A graph of over 60 values opens with its Cells closed and says how many values they hide; calls
    of functions, loops and their rounds are groups of the same kind there. Zoom with the buttons,
    the keys + - 0, or the wheel with Ctrl; drag to move; search by name, op, Cell or formula.

    In a saved notebook a static picture and a table stand in its place. `to_svg()`, `to_png()` and
    `to_text()` give them.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell. Or a program of graph mode, such as
        `jit(f).program` after a call, which takes no arguments: a box is a statement of its source.
    *args
        What to call it with: Tensors, numbers or numpy arrays, of any shape and dtype.
    order
        2 draws the graph of the derivative as a second storey: the ops of the backward pass, from
        the gradient of the output up to those of the inputs and Parameters, with links to the
        values of the first storey that their rules use.
    has_aux
        The outputs after the first are not differentiated; they leave by a side door.
    grad_position, weights
        With order 2, which inputs and Parameters to differentiate, as for `minigrad.grad`; None:
        all.
    **kwargs
        More arguments of fn, by name. One that is called like an option above needs a lambda.

    Raises
    ------
    TypeError
        If fn is not callable, or is a program and there are arguments.
    ValueError
        If order is not 1 or 2, or if has_aux is set and fn returns one output.
    LayoutError
        If Graphviz is missing; the message says what to install.

    Examples
    --------
    >>> from minigrad import ops
    >>> show_graph(lambda a, b: a * b + ops.sin(a), 2.0, -3.0)
    show_graph(function): 5 values
    >>> show_graph(ops.sin, 2.0, order=2)  # sin x, its gradient 1, and cos x times that
    show_graph(sin): 5 values
    """
    if isinstance(fn, Program):
        if args or kwargs:
            raise TypeError(
                f"show_graph draws the program {fn.name} as it is, without arguments; got "
                f"{count(len(args) + len(kwargs), 'argument')}. To draw a run, pass the function."
            )
        return GraphView(run_of(fn))
    options = {"grad_position": grad_position, "weights": weights}
    options |= {"order": order, "has_aux": has_aux}
    return GraphView(watch_run("show_graph", fn, args, kwargs, **options))
