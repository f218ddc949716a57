"""Exercises that are none of the other kinds: each brings its own look at the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .exercise import Exercise, holds_gap
from .note import Note


@dataclass(frozen=True, kw_only=True)
class TaskExercise(Exercise):
    """Make something that `look` finds right: it returns "", or a sentence on what is wrong first.

    `look` gets what stands after the name in `check`, and may return a `Note` where one sentence is
    too little. An error raised by the answer while it is looked at is told like any other.

    `wrong` holds mistakes for the tests: what must be said of them, and the answer (a tuple, if it
    is several).

    >>> even = TaskExercise(
    ...     "even", look=lambda n: "" if n % 2 == 0 else f"{n} leaves 1 when halved.",
    ...     wrong=[("leaves 1", 3)], right="Right: it halves.",
    ...     hints=("Count in pairs.", "An even number is twice another.", "even = 2 * ___"),
    ...     solution="even = 2 * 5", why="Any number will do, doubled.",
    ... )
    >>> even.judge(7)
    Not yet: 7 leaves 1 when halved.
    >>> even.judge_solution()
    Right: it halves.
    """

    look: Callable[..., str | Note]
    wrong: Sequence[tuple[str, Any]] = ()
    right: str = ""

    def _judge(self, *answer: Any) -> Note:
        """Have a look."""
        if not answer or any(x is None or holds_gap(x) for x in answer):
            return Note("todo", "Not done yet: the `...` waits for your code.")
        try:
            said = self.look(*answer)
        except Exception as error:
            return self.stopped(answer[0], error)
        if isinstance(said, Note):
            return said
        if said:
            return Note("wrong", f"Not yet: {said}")
        return Note("right", self.right or f"Right: `{self.name}` does what it should.")

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The wrong answers, always as several."""
        return [(told, x if isinstance(x, tuple) else (x,)) for told, x in self.wrong]
