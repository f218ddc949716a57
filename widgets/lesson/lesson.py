"""What a notebook calls: `check`, `hint`, `predict`, `reveal`, `solution`, `progress`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from IPython.display import display

from ..graph_view import show_graph
from ..stepper import step_backward
from ..text import count
from .exercise import Exercise
from .graph import GraphExercise
from .note import Note
from .prediction import Answers, Prediction, text_of
from .progress import Done, Lessons, Progress, place
from .shelf import anew, lessons


class Lesson:
    r"""The predictions and exercises of one lesson, and what the student has done of them.

    `name` is that of the notebook, without its ending. A notebook imports what it calls from
    `lesson.calls`.

    >>> from minigrad_widgets.lesson import GradientExercise
    >>> lesson = Lesson("00_example", "An example")
    >>> lesson.add(GradientExercise(
    ...     "halve_rule", forward=lambda x: x / 2, returns=("dx",),
    ...     friendly={"x": 4.0}, another={"x": 0.0},
    ...     hints=("Look at the slope.", "It is one half.", "return g * ___"),
    ...     solution="def halve_rule(g, x):\n    return g / 2", why="The slope is 0.5 everywhere.",
    ... ))
    >>> check, hint, predict, reveal, solution, progress = lesson.calls
    >>> solution("halve_rule")
    After an attempt, run this for the solution. To see it now: `solution("halve_rule", now=True)`
    >>> check("halve_rule", lambda g, x: ...)
    Not done yet: the `...` waits for your code.
    >>> check("halve_rule", lambda g, x: g)
    Not yet: `dx` is wrong at the first point.
        at             g = 1, x = 4
        yours          1
        right          0.5 (measured)
        yours / right  2
    It is twice what it should be: something was counted twice.
    Stuck? `hint("halve_rule")` helps, and the folded cell below opens the solution.
    >>> check("halve_rule", lambda g, x: g / 2)
    Right: `halve_rule` agrees with measuring, everywhere it was tried.
    The slope is 0.5 everywhere.
    """

    def __init__(self, name: str, title: str):
        self.name, self.title = name, title
        self.exercises: dict[str, Exercise] = {}
        self.predictions: dict[str, Prediction] = {}
        self.solutions_open = True
        self._read_later: dict[str, int] = {}  # hints after the right answer, which do not count
        self.done = Progress(name, place(), lambda note: display(note))

    def add(self, *parts: Exercise | Prediction) -> None:
        """Take exercises and predictions into the lesson, in their order in the notebook."""
        for part in parts:
            among: dict = self.predictions if isinstance(part, Prediction) else self.exercises
            if part.name in among:
                raise ValueError(f"{self.name} has {part.name!r} already: names are given once")
            among[part.name] = part

    @property
    def calls(self) -> tuple[Callable[..., None], ...]:
        """What the notebook imports: check, hint, predict, reveal, solution, progress."""
        return self.check, self.hint, self.predict, self.reveal, self.solution, self.progress

    # ---------------------------------------- exercises
    def check(self, name: str, *answer: Any) -> None:
        """Judge an answer and show what came of it."""
        exercise = _find(self.exercises, name, "exercise")
        note = exercise.judge(*answer)
        if note.status != "todo":
            self.done.change(lambda done: _count_attempt(done, name, note.status == "right"))
        stuck = f'Stuck? `hint("{name}")` helps'
        stuck += ", and the folded cell below opens the solution." if self.solutions_open else "."
        why = "" if any(note.text) else exercise.why  # its own words fit that answer better
        more = {"right": why, "wrong": stuck}.get(note.status, "")
        display(note.with_text(more))
        if note.status == "right" and isinstance(exercise, GraphExercise):
            program = answer[0]
            display(show_graph(program, *(1.0 for _ in inspect.signature(program).parameters)))

    def hint(self, name: str) -> None:
        """Show the next of the exercise's three hints; the last is code with a gap."""
        hints = _find(self.exercises, name, "exercise").hints
        done = self.done.get()
        right = done["right"].get(name)
        before: int = done["hints"].get(name, 0)
        if right:
            before = self._read_later.get(name, before)
        given = min(before + 1, len(hints))
        if right:
            self._read_later[name] = given
        else:
            self.done.change(lambda done: done["hints"].update({name: given}))
        title, words = f"Hint {given} of {len(hints)}", hints[given - 1]
        if given < len(hints):
            display(Note("told", title, text=(words,)))
            return
        text = "That was the last hint."
        text += " The folded cell below opens the solution." if self.solutions_open else ""
        display(Note("told", title, code=words, text=(text,)))

    def solution(self, name: str, now: bool = False) -> None:
        """Show a solution and why it is right, after an attempt, or `now`."""
        exercise = _find(self.exercises, name, "exercise")
        if not self.solutions_open:
            display(Note("aside", "This copy of the lesson came without solutions."))
            return
        if now or name in self.done.get()["attempts"]:
            display(Note("told", "A solution", code=exercise.solution, text=(exercise.why,)))
            return
        call = f'`solution("{name}", now=True)`'
        title = f"After an attempt, run this for the solution. To see it now: {call}"
        display(Note("aside", title))

    def close_solutions(self) -> None:
        """Show no solutions from here on; copies laid without solutions call it."""
        self.solutions_open = False

    # ---------------------------------------- predictions
    def predict(self, name: str, /, **answers: Any) -> None:
        """Lock the student's answers, all at once; the first ones stay."""
        prediction = _find(self.predictions, name, "prediction")
        note, first = prediction.misread(answers), self._locked(prediction)
        title, words = "Your answer is locked. The next cell shows what happens.", ""
        if first is None:
            if note is not None:
                display(note)
                return
            first = prediction.read(answers)
            self.done.change(lambda done: done["predictions"].update({name: first}))
        elif note is not None or prediction.read(answers) != first:
            title = "Your first answer stays."
            words = f"To begin the lesson anew, in a terminal: `{anew(self.name, Path.cwd())}`"
        rows = tuple((key, text_of(x)) for key, x in first.items())
        display(Note("told", title, rows).with_text(words))

    def reveal(self, name: str, /, *args: Any) -> None:
        """Show what happens, and say what the locked answers mean; before them, nothing.

        What happens is what the prediction shows; if it shows nothing of its own, `args` are a
        function and its arguments, and its backward pass is shown step by step.
        """
        prediction = _find(self.predictions, name, "prediction")
        locked = self._locked(prediction)
        if locked is None:
            title = "Answer first: once your prediction is locked, this cell shows what happens."
            display(Note("todo", title))
            return
        if prediction.show is not None:
            thing, right = prediction.show(*args)
            why = ""
        else:
            thing = step_backward(*args)
            right, why = thing.gradients, "Step through the picture above and see why."
        if thing is not None:
            display(thing)
        display(prediction.verdict(locked, right).with_text(why))

    def _locked(self, prediction: Prediction) -> Answers | None:
        """What was answered, if it was, and to the questions that are asked now."""
        locked = self.done.get()["predictions"].get(prediction.name, {})
        same = set(locked) == set(prediction.meanings)
        return locked if same and prediction.misread(locked) is None else None

    # ---------------------------------------- progress
    def progress(self) -> None:
        """Show what is done: of this lesson in detail, and of all lessons."""
        done = self.done.all()
        rows = [(name, _state(done.get(self.name, {}), name)) for name in self.exercises]
        for name, prediction in self.predictions.items():
            locked = self._locked(prediction) or {"not": "yet"}
            said = ", ".join(f"{key} {text_of(x)}" for key, x in locked.items())
            rows.append((f"{name}, predicted", said))
        display(Note("told", f"{self.title}: {self.summary(done)}", tuple(rows)))
        others = [
            (f"{lesson.name[:2]} {lesson.title}", lesson.summary(done)) for lesson in lessons()
        ]
        display(Note("told", "All lessons", tuple(others)))

    def summary(self, done: Lessons) -> str:
        """How much of the lesson is done, in words."""
        right = done.get(self.name, {}).get("right", {})
        number = sum(bool(right.get(name)) for name in self.exercises)
        return f"{number} of {len(self.exercises)} exercises right"


def _count_attempt(done: Done, name: str, right: bool) -> None:
    """Count an attempt, until one is right."""
    if not done["right"].get(name):
        done["attempts"][name] = done["attempts"].get(name, 0) + 1
        done["right"][name] = right


def _state(done: Done, name: str) -> str:
    """What is done of an exercise, in words."""
    attempts, hints = (done.get(part, {}).get(name, 0) for part in ("attempts", "hints"))
    if not attempts:
        return "to do" + (f", {count(hints, 'hint')}" if hints else "")
    right = "right, after " if done["right"].get(name) else "not yet, after "
    return right + count(attempts, "attempt") + (f" and {count(hints, 'hint')}" if hints else "")


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


def _find(among: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in among:
        raise ValueError(f"this lesson has no {what} {name!r}; it has {', '.join(among)}")
    return among[name]
