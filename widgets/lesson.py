"""What the notebook of a lesson calls: `predict`, `reveal`, `check`, `hint`, `solution`.

Each lesson has a module, such as `lesson_02`, with a `Lesson` that holds its predictions and its
exercises. They are there and not in the notebook so that nothing is given away before it is asked
for. To add an exercise, put a `GradientExercise` or a `GraphExercise` into `exercises`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from IPython.display import display

from .exercise import Exercise
from .gradient_exercise import GradientExercise
from .graph_exercise import GraphExercise
from .graph_view import show_graph
from .note import Note
from .stepper import step_backward

__all__ = ["Exercise", "GradientExercise", "GraphExercise", "Lesson", "Note", "Prediction", "Still"]


class Prediction:
    """A question for the gradient of each input of a program.

    Its keywords name the inputs; each has what some answers would mean. Of the right answer it says
    why; of a wrong one, how that number leads to the right one, `{right}`.

    >>> lesson = Lesson()
    >>> lesson.predictions["six"] = Prediction(
    ...     x={6.0: "It is counted six times.", 1.0: "is counted six times: {right}."}
    ... )
    >>> lesson.predict("six", x=1)
    Your answer is locked. The next cell shows what happens.
        x  1
    >>> lesson.reveal("six", lambda x: x * 6, 2.0)
    step_backward(function): 1 step
    Your prediction, beside what the backward pass found
        x  1 is counted six times: 6.
    Step through the picture above and see why.
    """

    def __init__(self, **meanings: Mapping[float, str]):
        self.meanings = meanings


class Lesson:
    r"""The predictions and exercises of one lesson, and what the student has done of them.

    >>> lesson = Lesson()
    >>> lesson.exercises["halve_rule"] = GradientExercise(
    ...     name="halve_rule", forward=lambda x: x / 2, returns=("dx",),
    ...     friendly={"x": 4.0}, another={"x": 0.0},
    ...     hints=("Look at the slope.", "It is one half.", "return g * ___"),
    ...     solution="def halve_rule(g, x):\n    return g / 2", why="The slope is 0.5 everywhere.",
    ... )
    >>> lesson.solution("halve_rule")
    The solution opens after your first attempt. To see it now: `solution("halve_rule", now=True)`
    >>> lesson.check("halve_rule", lambda g, x: ...)
    Not done yet: the `...` waits for your code.
    >>> lesson.check("halve_rule", lambda g, x: g)
    Not yet: `dx` is wrong at the first point.
        at             g = 1, x = 4
        yours          1
        right          0.5 (measured)
        yours / right  2
    It is twice what it should be: something was counted twice.
    Stuck? `hint("halve_rule")` helps, and the folded cell below opens the solution.
    >>> lesson.check("halve_rule", lambda g, x: g / 2)
    Right: `halve_rule` agrees with measuring, everywhere it was tried.
    The slope is 0.5 everywhere.
    """

    def __init__(self):
        self.exercises: dict[str, Exercise] = {}
        self.predictions: dict[str, Prediction] = {}
        self.attempted: set[str] = set()
        self.hints_given: dict[str, int] = {}
        self.locked: dict[str, dict[str, float]] = {}

    # ---------------------------------------- exercises
    def check(self, name: str, *answer: Any) -> None:
        """Judge an answer and show what came of it."""
        exercise = _find(self.exercises, name, "exercise")
        note = exercise.judge(*answer)
        if note.status != "todo":
            self.attempted.add(name)
        stuck = f'Stuck? `hint("{name}")` helps, and the folded cell below opens the solution.'
        more = {"right": exercise.why, "wrong": stuck}.get(note.status, "")
        display(note.with_text(more))
        if note.status == "right" and isinstance(exercise, GraphExercise):
            program = answer[0]
            display(show_graph(program, *(1.0 for _ in inspect.signature(program).parameters)))

    def hint(self, name: str) -> None:
        """Show the next of the exercise's three hints; the last is code with a gap."""
        hints = _find(self.exercises, name, "exercise").hints
        given = self.hints_given[name] = min(self.hints_given.get(name, 0) + 1, len(hints))
        title, words = f"Hint {given} of {len(hints)}", hints[given - 1]
        if given < len(hints):
            display(Note("told", title, text=(words,)))
            return
        text = "That was the last hint. The folded cell below opens the solution."
        display(Note("told", title, code=words, text=(text,)))

    def solution(self, name: str, now: bool = False) -> None:
        """Show a solution and why it is right, after an attempt, or `now`."""
        exercise = _find(self.exercises, name, "exercise")
        if name in self.attempted or now:
            display(Note("told", "A solution", code=exercise.solution, text=(exercise.why,)))
            return
        call = f'`solution("{name}", now=True)`'
        title = f"The solution opens after your first attempt. To see it now: {call}"
        display(Note("aside", title))

    # ---------------------------------------- predictions
    def predict(self, name: str, **answers: Any) -> None:
        """Lock the student's answers, all at once; the first ones stay."""
        wanted = _find(self.predictions, name, "prediction").meanings
        if set(answers) != set(wanted):
            came = ", ".join(answers) or "nothing"
            raise ValueError(f"predict({name!r}, ...) asks for {', '.join(wanted)}; got {came}")
        note = _unanswered(answers)
        if note is not None and name not in self.locked:
            display(note)
            return
        given = None if note is not None else {key: float(answers[key]) for key in wanted}
        first = self.locked.setdefault(name, given or {})
        title = "Your answer is locked. The next cell shows what happens."
        if given != first:
            title = "Your first answer stays. To start again, restart the kernel."
        display(Note("told", title, tuple((key, f"{x:.6g}") for key, x in first.items())))

    def reveal(self, name: str, fn: Callable, *args: Any) -> None:
        """Step through `fn(*args)`, and say what the locked answers mean; before them, nothing."""
        meanings = _find(self.predictions, name, "prediction").meanings
        if name not in self.locked:
            title = "Answer first: once your prediction is locked, this cell steps through it."
            display(Note("todo", title))
            return
        stepper = step_backward(fn, *args)
        display(stepper)
        rows, wrong = [], False
        for key in meanings:
            yours, right = self.locked[name][key], float(stepper.gradients[key])
            agree = bool(np.isclose(yours, right))
            wrong |= not agree
            told = [text for value, text in meanings[key].items() if np.isclose(value, yours)]
            if agree:
                said = " ".join(["is right.", *told])
            else:
                said = (told or ["is not it: the backward pass finds {right}."])[0]
            rows.append((key, f"{yours:.6g} {said.format(right=f'{right:.6g}')}"))
        title = "Just as you said"
        if wrong:
            title = "Your prediction, beside what the backward pass found"
        text = "Step through the picture above and see why."
        display(Note("wrong" if wrong else "right", title, tuple(rows), text=(text,)))


class Still:
    """The static picture of a widget, as a saved notebook shows it.

    >>> def product(a, b):
    ...     return a * b
    >>> Still(step_backward(product, 2.0, -3.0))  # doctest: +ELLIPSIS
    Backward pass of product from product: 1 step
    ...
    gradient of a: -3
    gradient of b: 2
    """

    def __init__(self, widget: Any):
        self.svg, self.text = widget.to_svg(), widget.to_text()

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": self.text}


def _unanswered(answers: Mapping[str, Any]) -> Note | None:
    """A note, if the answers are not all there or are not numbers."""
    missing = [f"`{key}`" for key, value in answers.items() if value is ... or value is None]
    if missing:
        title = f"Not answered yet: put a number in place of each `...` ({', '.join(missing)})."
        return Note("todo", title)
    for key, value in answers.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            title = f"`{key}` should be a number; it is of type `{type(value).__name__}`."
            return Note("todo", title, text=("Nothing is locked yet.",))
    return None


def _find(among: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in among:
        raise ValueError(f"this lesson has no {what} {name!r}; it has {', '.join(among)}")
    return among[name]
