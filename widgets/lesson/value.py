"""Exercises whose answer is a value: a number, a word, a tuple, an array or a Tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .compare import diagnose, difference, same, shown
from .exercise import Exercise, holds_gap
from .note import Note


@dataclass(frozen=True, kw_only=True)
class ValueExercise(Exercise):
    """Find a value. `right` is the value, or better, a function without parameters that finds it.

    Values are compared as results are by FunctionExercise; words, in any case. What is said of a
    wrong answer does not show the right one. `mistakes` are pairs: a wrong value, and what to say.

    >>> area = ValueExercise(
    ...     "area", right=lambda: 3 * 4, mistakes=[(7, "That adds the sides.")],
    ...     hints=("Draw it.", "Multiply the sides.", "area = 3 * ___"),
    ...     solution="area = 3 * 4", why="There are 3 rows of 4.",
    ... )
    >>> area.judge(7)
    Not yet: `area` is wrong.
        yours  7
    That adds the sides.
    >>> area.judge(12.0)
    Right: `area` is 12.
    """

    right: Any
    mistakes: Sequence[tuple[Any, str]] = ()
    loose: bool = False

    def _judge(self, *answer: Any) -> Note:
        """Compare the value with the right one."""
        if len(answer) != 1:
            return Note("todo", f'Hand over one value: `check("{self.name}", {self.name})`.')
        (yours,) = answer
        if yours is None or holds_gap(yours):
            return Note(
                "todo", f"Not done yet: put your answer in place of the `...` of `{self.name}`."
            )
        right = self.right() if callable(self.right) else self.right
        found = difference(yours, right, self.loose)
        if found is None:
            return Note("right", f"Right: `{self.name}` is {shown(yours)}.")
        title = f"Not yet: {found.sentence(self.name)}"
        told = [text for wrong, text in self.mistakes if same(yours, wrong, self.loose)]
        text = (told or [diagnose([(yours, right)])])[0]
        return Note("wrong", title, (("yours", shown(yours)),), text=(text,))

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The mistakes, as answers."""
        return [(told, (wrong,)) for wrong, told in self.mistakes]
