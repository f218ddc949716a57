"""`step_forward` and `step_backward`: a run, and the backward pass of it, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import traitlets

from minigrad.watch import Run, Value

from .base import read, watch_run
from .explain import value_card
from .folding import closed_card
from .forward import forward_steps, kept_by, ops_of
from .picture import Picture, picture
from .picture_view import PictureWidget
from .program import program
from .quiz import Quiz
from .step_card import kept, start_data, step_data
from .sweep import completed, is_second
from .text import count, forward_text, steps_text

_WIDTH = 520  # the middle column; a wider graph is drawn downwards


class Stepper(PictureWidget):
    """A run, to step through. Made by `step_forward` and `step_backward`.

    `step` says where it stands: 0 before the first step, then the number of the step. It is the
    same here and on the page: set it, or observe it.
    """

    _esm = read(
        "common.js", "folds.js", "tables.js", "predict.js", "stepper_graph.js", "stepper.js"
    )
    _css = read("colours.css", "graph.css", "widgets.css", "stepper.css")

    kind = traitlets.Unicode().tag(sync=True)  # "forward" or "backward"
    heading = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    last = traitlets.Int(0).tag(sync=True)
    steps: traitlets.List[Any] = traitlets.List().tag(sync=True)
    program: traitlets.List[Any] = traitlets.List().tag(sync=True)
    kept: traitlets.List[Any] = traitlets.List().tag(sync=True)
    complete = traitlets.Dict().tag(sync=True)
    quiz: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # what is asked, if anything
    given: traitlets.List[Any] = traitlets.List().tag(sync=True)  # the answers, as they came
    most_open = traitlets.Int(500).tag(sync=True)

    def __init__(self, picture: Picture) -> None:
        super().__init__(picture, _WIDTH)
        self.program = program(self.run)
        values = {value.id: value_card(picture, value) for value in self.run.values}
        groups = {group.id: closed_card(picture, group) for group in picture.groups.values()}
        self.cards = values | groups  # at once: a change inside the dict would not travel

    def _group_ends(self, numbers: dict[Value, int]) -> dict[str, int]:
        """The last step of a value in each group, by id, if the values have these steps."""
        steps = {
            key: [numbers[value] for value in group.values() if value in numbers]
            for key, group in self.picture.groups.items()
        }
        return {key: max(found) for key, found in steps.items() if found}

    def _furthest(self) -> int:
        """The last step that may be gone to."""
        return self.last

    @traitlets.validate("step")
    def _check_step(self, proposal: dict[str, Any]) -> int:
        step, furthest = proposal["value"], self._furthest()
        if not 0 <= step <= furthest:
            before, end = (
                ("sweep", "its last step") if self.kind == "backward" else ("run", "its last op")
            )
            end = end if furthest == self.last else "which is asked: answer it first"
            raise traitlets.TraitError(
                f"step is from 0 (before the {before}) to {furthest} ({end}); got {step}"
            )
        return int(step)


class ForwardStepper(Stepper):
    """A run, op by op. Made by `step_forward`."""

    def __init__(self, run: Run) -> None:
        super().__init__(picture(run, backward=False))
        self.kind, self.heading = "forward", "Forward pass"
        self.last = len(ops_of(run))
        self.steps = forward_steps(self.picture)
        self.kept = kept_by(self.picture)
        self.complete = self._group_ends({value: n for n, value in enumerate(ops_of(run), 1)})

    def to_text(self) -> str:
        """A table of the steps, with what each keeps for the backward pass."""
        return forward_text(self.picture)

    def __repr__(self) -> str:
        return f"step_forward({self.run.name}): {count(self.last, 'step')}"


class BackwardStepper(Stepper):
    """The backward pass of a run, to step through. Made by `step_backward`.

    With `predict`, a step is shown when it has been answered. `score` counts the answers that were
    right at the first try, and the questions that were answered.
    """

    def __init__(self, run: Run, predict: bool = False) -> None:
        drawn = picture(run)
        steps = [
            start_data(drawn),
            *(step_data(drawn, s, last=s is run.steps[-1]) for s in run.steps),
        ]
        self._quiz = Quiz(drawn, steps) if predict else None
        super().__init__(drawn)
        self.kind = "backward"
        self.heading = "Second backward pass" if is_second(run) else "Backward pass"
        self.last = len(run.steps)
        if self._quiz is None:
            self.steps = steps
        else:
            self.steps, self.quiz = self._quiz.open_steps, self._quiz.data
            self.on_msg(self._tell)
        self.kept = kept(drawn)
        leaves = {leaf.id: completed(run, leaf) for leaf in run.gradients}
        ends = self._group_ends({step.value: step.number for step in run.steps})
        self.complete = leaves | ends

    @property
    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients of the inputs and Parameters, by the names they have in the picture."""
        return {self.picture.names[leaf.id]: g for leaf, g in self.run.gradients.items()}

    @property
    def score(self) -> tuple[int, int]:
        """How many answers were right at the first try, and how many questions are answered."""
        return sum(each["tries"] == 1 and not each["shown"] for each in self.given), len(self.given)

    def _answered(self) -> int:
        """The number of the last step that may be shown."""
        return self.last if self._quiz is None else self._quiz.opened(self.given)

    def _furthest(self) -> int:
        return min(self.last, self._answered() + 1)

    def _untold(self, shown: Picture) -> Picture:
        return shown if self._quiz is None else self._quiz.hide(shown)

    def _told(self, shown: Picture) -> Picture:
        return shown if self._quiz is None else self._quiz.hide(shown, self._answered())

    def to_text(self) -> str:
        """A table of the steps, and the gradients they lead to; only what may be shown."""
        return steps_text(self.picture, self._answered())

    @traitlets.validate("given")
    def _check_given(self, proposal: dict[str, Any]) -> list[Any]:
        given = proposal["value"]
        if self._quiz is not None:
            self._quiz.check(given)
        return list(given)

    def _tell(self, widget: Any, content: Any, buffers: Iterable[Any]) -> None:
        """The page gives up on a question: it gets the answer, and only this one."""
        number = content.get("show") if isinstance(content, dict) else None
        if self._quiz is not None and number == len(self.given):
            self.send({"shown": number, "answer": self._quiz.questions[number].answers[0]})

    def __repr__(self) -> str:
        return f"step_backward({self.run.name}): {count(self.last, 'step')}"


def step_forward(
    fn: Any, *args: Any, grad_position: Any = None, weights: Any = None, **kwargs: Any
) -> ForwardStepper:
    r"""Step through one real run, fn(*args), op by op.

    Each step runs one op: its line is lit, its box appears, and a card shows the formula, the
    formula with the numbers in it, what goes in, what comes out, and what is kept for the backward
    pass, with the rule that will need it. It ends where the backward pass begins; `step_backward`
    goes on from there. The controls and keys are the same.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with: Tensors, numbers or numpy arrays.
    grad_position, weights
        As for `step_backward`: what is kept depends on them.
    **kwargs
        More arguments of fn, by name. One that is called like an option above needs a lambda.

    Raises
    ------
    TypeError
        If fn is not callable.
    ValueError
        If the run makes more than 5000 values.
    LayoutError
        If Graphviz is missing; the message says what to install.

    Examples
    --------
    >>> from minigrad import ops
    >>> widget = step_forward(lambda a, b: a * b + ops.sin(a), 2.0, -3.0)
    >>> widget
    step_forward(function): 3 steps
    >>> [item["size"] for item in widget.kept]   # a and b, for the product
    ['scalar, 4 bytes', 'scalar, 4 bytes']
    """
    options = {"grad_position": grad_position, "weights": weights}
    return ForwardStepper(watch_run("step_forward", fn, args, kwargs, **options))


def step_backward(
    fn: Any,
    *args: Any,
    order: int = 1,
    predict: bool = False,
    grad_position: Any = None,
    weights: Any = None,
    **kwargs: Any,
) -> BackwardStepper:
    r"""Step through the backward pass of one real run, fn(*args).

    Each step is one op, from the last to the first: the gradient `g` of its output comes in
    (written with a bar), its rule turns it into a part for each input, and parts that meet at one
    value add. The program's line, the box in the graph, the rule with its numbers, and a sentence
    that says it all move together. Each part is held against a central difference of the op alone.
    Step with the buttons, the slider, the arrow keys, Home and End; the space bar plays. Point at a
    box to look at its value, or go there with Tab and the up and down arrows; point at an entry of
    a part, or go there the same way, to see what it is made of.

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
    order
        2 steps through the backward pass of the backward pass: the values of the first gradients
        are there when it begins, and it finds the gradients of their sum.
    predict
        Whether to ask for each gradient before it is shown. `widget.score` counts. What is saved
        or exported holds no answer that was not given.
    grad_position
        Which inputs to differentiate, as for `minigrad.grad`; None: all of float dtype.
    weights
        Which Parameters to differentiate; None: all that the run uses.
    **kwargs
        More arguments of fn, by name. One that is called like an option above needs a lambda.

    Raises
    ------
    TypeError
        If fn is not callable, or all its inputs are whole numbers.
    ValueError
        If the run makes more than 5000 values, or order is neither 1 nor 2.
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
    >>> second = step_backward(lambda x: x * x * x, 2.0, order=2)
    >>> {name: float(g) for name, g in second.gradients.items()}   # 6 x
    {'x': 12.0}

    Notes
    -----
    The sweep is reverse accumulation, as in A. Griewank and A. Walther, *Evaluating Derivatives*
    (2008), chapter 3.
    """
    if not isinstance(predict, bool):
        raise TypeError(f"step_backward: predict is True or False; got {predict!r}")
    options = {"grad_position": grad_position, "weights": weights, "order": order}
    run = watch_run("step_backward", fn, args, kwargs, own=["predict"], **options)
    whole = [value.name for value in run.values if value.kind == "input" and not value.wanted]
    if not run.gradients and whole and grad_position is None:
        raise TypeError(
            f"step_backward: nothing to differentiate, for {', '.join(whole)} "
            "are whole numbers; write them with a point, as in 2.0"
        )
    return BackwardStepper(run, predict)
