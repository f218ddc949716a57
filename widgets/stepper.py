"""`step_backward`: the backward pass of a run, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

from minigrad.watch import Run

from .base import PictureWidget, cards_of, read, watch_run
from .explain import completed, kept, start_data, step_data, value_card
from .program import program
from .text import count, steps_text

_WIDTH = 520  # the middle column; a wider graph is drawn downwards


class BackwardStepper(PictureWidget):
    """The backward pass of a run, to step through. Made by `step_backward`.

    `step` says where it stands: 0 before the sweep, then the number of the step. It is the same
    here and on the page: set it, or observe it.
    """

    _esm = read("common.js", "stepper.js")

    step = traitlets.Int(0).tag(sync=True)
    steps: traitlets.List[Any] = traitlets.List().tag(sync=True)
    program: traitlets.List[Any] = traitlets.List().tag(sync=True)
    kept: traitlets.List[Any] = traitlets.List().tag(sync=True)
    complete = traitlets.Dict().tag(sync=True)

    def __init__(self, run: Run) -> None:
        super().__init__(run, _WIDTH, backward=True)
        shown, last = self.picture, run.steps[-1:]
        self.steps = [
            start_data(shown),
            *(step_data(shown, s, last=(s,) == last) for s in run.steps),
        ]
        self.program = program(run)
        self.kept = kept(shown)
        self.complete = {leaf.id: completed(run, leaf) for leaf in run.gradients}
        self.cards = cards_of(shown, value_card)

    @property
    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients of the inputs and Parameters, by the names they have in the picture."""
        return {self.picture.names[leaf.id]: g for leaf, g in self.run.gradients.items()}

    def to_text(self) -> str:
        """A table of the steps, and the gradients they lead to."""
        return steps_text(self.picture)

    @traitlets.validate("step")
    def _check_step(self, proposal: dict[str, Any]) -> int:
        step, last = proposal["value"], len(self.run.steps)
        if not 0 <= step <= last:
            raise traitlets.TraitError(
                f"step is from 0 (before the sweep) to {last} (its last step); got {step}"
            )
        return int(step)

    def __repr__(self) -> str:
        return f"step_backward({self.run.name}): {count(len(self.run.steps), 'step')}"


def step_backward(
    fn: Any, *args: Any, grad_position: Any = None, weights: Any = None
) -> BackwardStepper:
    r"""Step through the backward pass of one real run, fn(*args).

    Each step is one op, from the last to the first: the gradient `g` of its output comes in
    (written with a bar), its rule turns it into a part for each input, and parts that meet at one
    value add. The program's line, the box in the graph, the rule with its numbers, and a sentence
    that says it all move together. Step with the buttons, the slider, the arrow keys, Home and End;
    the space bar plays. Point at a box to look at its value, or go there with Tab and the up and
    down arrows.

    The gradient of fn's output is 1; of an array, 1 in every entry; so the gradients are those of
    `minigrad.grad`. `widget.step` reads and moves the step from the kernel, `widget.gradients` has
    the result. In a saved notebook a static picture with all gradients and a table of the steps
    stand in its place.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with: Tensors, numbers or numpy arrays.
    grad_position
        Which inputs to differentiate, as for `minigrad.grad`; None: all of float dtype.
    weights
        Which Parameters to differentiate; None: all that the run uses.

    Raises
    ------
    TypeError
        If fn is not callable, or all its inputs are whole numbers.
    ValueError
        If the run makes more than 600 values.
    LayoutError
        If Graphviz is missing; the message says what to install.

    Examples
    --------
    >>> from minigrad import ops
    >>> widget = step_backward(lambda a, b: a * b + ops.sin(a), 2.0, -3.0)
    >>> widget
    step_backward(function): 3 steps
    >>> {name: round(float(g), 4) for name, g in widget.gradients.items()}   # b + cos a, and a
    {'a': -3.4161, 'b': 2.0}

    Notes
    -----
    The sweep is reverse accumulation, as in A. Griewank and A. Walther, *Evaluating Derivatives*
    (2008), chapter 3.
    """
    run = watch_run("step_backward", fn, args, grad_position=grad_position, weights=weights)
    whole = [value.name for value in run.values if value.kind == "input" and not value.wanted]
    if not run.gradients and whole and grad_position is None:
        raise TypeError(
            f"step_backward: nothing to differentiate, for {', '.join(whole)} "
            "are whole numbers; write them with a point, as in 2.0"
        )
    return BackwardStepper(run)
