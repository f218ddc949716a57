"""Questions that are answered, and locked, before their answer is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .note import Note

Answer = float | str
Answers = dict[str, Answer]


class Prediction:
    """Questions by name; each has what some answers would mean.

    Of the right answer the meaning says why; of a wrong one, how it leads to the right one,
    `{right}`. Answers are numbers, of those in `one_of` if the question stands there; or, if the
    meanings are of words, one of these. What is right is not stored. It is found when it is
    revealed: by `show`, which returns something to display, or None, and the right answers by name;
    without `show`, the questions are the inputs of a program, and their answers its gradient, shown
    step by step.

    >>> from minigrad_widgets.lesson import Lesson
    >>> lesson = Lesson("00_example", "An example")
    >>> lesson.add(Prediction("six", x={6.0: "Six times.", 1.0: "is counted six times: {right}."}))
    >>> lesson.predict("six", x=1)
    Your answer is locked. The next cell shows what happens.
        x  1
    >>> lesson.reveal("six", lambda x: x * 6, 2.0)
    step_backward(function): 1 step
    Your prediction, beside what the backward pass found
        x  1 is counted six times: 6.
    Step through the picture above and see why.
    >>> lesson.add(Prediction(
    ...     "sum", show=lambda: (None, {"equal": "yes" if 0.1 + 0.2 == 0.3 else "no"}),
    ...     equal={"yes": "would be so on paper; here it is {right}.", "no": "0.1 is rounded."},
    ... ))
    >>> lesson.predict("sum", equal="yes")
    Your answer is locked. The next cell shows what happens.
        equal  yes
    >>> lesson.reveal("sum")
    Your prediction, beside what happened
        equal  yes would be so on paper; here it is no.
    """

    def __init__(
        self,
        name: str,
        /,
        *,
        show: Callable[..., tuple[Any, Mapping[str, Answer]]] | None = None,
        one_of: Mapping[str, Sequence[float]] | None = None,
        **meanings: Mapping[Any, str],
    ):
        self.name, self.show, self.one_of, self.meanings = name, show, one_of or {}, meanings

    def misread(self, answers: Mapping[str, Any]) -> Note | None:
        """A note, if the answers are not all there or not of the kind that is asked for."""
        if set(answers) != set(self.meanings):
            came = ", ".join(answers) or "nothing"
            asked = ", ".join(self.meanings)
            raise ValueError(f"predict({self.name!r}, ...) asks for {asked}; got {came}")
        gaps = [f"`{key}`" for key, value in answers.items() if value is ... or value is None]
        if gaps:
            put = "an answer" if any(map(self._words, self.meanings)) else "a number"
            title = f"Not answered yet: put {put} in place of each `...` ({', '.join(gaps)})."
            return Note("todo", title)
        for key, value in answers.items():
            words = self._words(key)
            if isinstance(value, int | float) and text_of(value) in words:
                title = f'`{key}` is a word: put it in quotes, `{key}="{text_of(value)}"`.'
            elif words and not _word(value, words):
                title = f"`{key}` should be one of {', '.join(map(repr, words))}; it is {value!r}."
            elif not words and (
                isinstance(value, bool) or not isinstance(value, int | float | np.number)
            ):
                title = f"`{key}` should be a number; it is of type `{type(value).__name__}`."
            elif key in self.one_of and value not in self.one_of[key]:
                among = ", ".join(map(text_of, self.one_of[key]))
                title = f"`{key}` should be one of {among}; it is {value!r}."
            else:
                continue
            return Note("todo", title, text=("Nothing is locked yet.",))
        return None

    def read(self, answers: Mapping[str, Any]) -> Answers:
        """The answers as they are locked, in the order of the questions."""
        return {
            key: _word(answers[key], self._words(key)) or float(answers[key])
            for key in self.meanings
        }

    def verdict(self, locked: Answers, right: Mapping[str, Any]) -> Note:
        """What the locked answers mean, beside the right ones."""
        finds = "it is" if self.show else "the backward pass finds"
        rows, wrong = [], False
        for key, meanings in self.meanings.items():
            yours = locked[key]
            answer = right[key] if self._words(key) else float(right[key])
            told = [text for value, text in meanings.items() if _agree(value, yours)]
            if _agree(yours, answer):
                said = " ".join(["is right.", *told])
            else:
                wrong = True
                said = (told or [f"is not it: {finds} {{right}}."])[0]
            rows.append((key, f"{text_of(yours)} {said.replace('{right}', text_of(answer))}"))
        found = "what happened" if self.show else "what the backward pass found"
        title = f"Your prediction, beside {found}" if wrong else "Just as you said"
        return Note("wrong" if wrong else "right", title, tuple(rows))

    def _words(self, key: str) -> list[str]:
        """The words that may be answered, if it is words."""
        return [value for value in self.meanings[key] if isinstance(value, str)]


def _agree(a: Answer, b: Answer) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return bool(np.isclose(a, b))


def _word(given: Any, among: list[str]) -> str:
    """The one of these words that was given, in any case; or ""."""
    plain = given.strip().casefold() if isinstance(given, str) else None
    return next((word for word in among if word.casefold() == plain), "")


def text_of(answer: Answer) -> str:
    """An answer as it is shown."""
    return answer if isinstance(answer, str) else f"{answer:.6g}"
