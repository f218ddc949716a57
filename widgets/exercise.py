"""What every exercise of a lesson has, and the words that its notes share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .note import Note


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """Three hints (where to look, which rule, code with one gap), a solution, and why it is right.

    An exercise knows what is right from a program, never from a stored answer.
    """

    hints: tuple[str, str, str]
    solution: str
    why: str

    def judge(self, *answer: Any) -> Note:
        """A note that says whether the answer is right, and if not, what is wrong first."""
        raise NotImplementedError

    def judge_solution(self) -> Note:
        """The same for our own solution, for the tests."""
        raise NotImplementedError


def listed(names: Iterable[str]) -> str:
    """The names as code, in words.

    >>> listed(["a", "b", "out"])
    '`a`, `b` and `out`'
    """
    *first, last = [f"`{name}`" for name in names]
    return f"{', '.join(first)} and {last}" if first else last


def kind(x: Any) -> str:
    """What sort of thing x is, in words."""
    return "`None`" if x is None else f"of type `{type(x).__name__}`"
