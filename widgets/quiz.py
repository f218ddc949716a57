"""The questions of a stepper that asks first: what the page gets, and what it gets to know when."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import traitlets

from .picture import Picture, arrow_id, starts
from .questions import Question, question_of
from .sealed import seal, tag, unseal
from .sweep import arrivals, completed, unreached

_UNKNOWN = "?"  # on an arrow


class Quiz:
    """All questions about one run. Each answer opens its step and the next question."""

    def __init__(self, picture: Picture, steps: list[dict[str, Any]]):
        self.picture, self.salt = picture, secrets.token_hex(8)
        found = [question_of(picture, step) for step in picture.run.steps]
        self.questions: list[Question] = [each for each in found if each is not None]
        self.numbers = [each.step.number for each in self.questions]  # the steps that are asked
        labels = {arrow.id: arrow.label for arrow in picture.arrows}
        for step in steps:
            step["labels"] = {key: labels.get(key, "") for key in step["arrows"]}
        ends = [*self.numbers, len(steps)]
        self.open_steps = steps[: ends[0]]
        self._sealed = [
            seal(
                f"{self.salt}|{i}",
                question.answers,
                {"steps": steps[ends[i] : ends[i + 1]], "question": self._asked(i + 1)},
            )
            for i, question in enumerate(self.questions)
        ]

    @property
    def data(self) -> dict[str, Any]:
        """What travels to the page."""
        return {
            "salt": self.salt,
            "count": len(self.questions),
            "question": self._asked(0),
            "sealed": self._sealed,
        }

    def _asked(self, i: int) -> dict[str, Any] | None:
        """A question as the page gets it: the mistakes that it can explain are hashes there."""
        if i == len(self.questions):
            return None
        question, salt = self.questions[i], f"{self.salt}|{i}"
        told = {tag(salt, wrong): words for wrong, words in question.mistakes.items()}
        return question.data | {"mistakes": dict(sorted(told.items()))}

    def opened(self, given: Sequence[Any]) -> int:
        """The number of the last step that these answers open."""
        end = self.numbers[len(given)] if len(given) < len(self.numbers) else None
        return len(self.picture.run.steps) if end is None else end - 1

    def check(self, given: Sequence[Any]) -> None:
        """Raise TraitError unless each answer opens its question."""
        for i, each in enumerate(given):
            right = i < len(self._sealed) and isinstance(each, dict)
            if not right or unseal(f"{self.salt}|{i}", each["answer"], self._sealed[i]) is None:
                raise traitlets.TraitError(f"given holds the right answers; its entry {i} is none")

    def hide(self, shown: Picture, last: int = 0) -> Picture:
        """A picture without what the steps after the last that may be shown find."""
        run = self.picture.run
        done = {v.id for v in arrivals(run).keys() | starts(run) if completed(run, v) <= last}
        if last == len(run.steps):
            done |= {leaf.id for leaf in unreached(run)}
        badges = {key: g for key, g in shown.badges.items() if key in done}
        later = {arrow_id(s.value, part.input) for s in run.steps[last:] for part in s.parts}
        arrows = [
            replace(arrow, label=_UNKNOWN)
            if arrow.label and later.intersection(arrow.stands_for)
            else arrow
            for arrow in shown.arrows
        ]
        return replace(shown, badges=badges, arrows=arrows)
