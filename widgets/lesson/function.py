"""Exercises in which the student writes a function, held against one that is right."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .compare import Difference, diagnose, difference, nearly, shown
from .exercise import Exercise, Mistakes, holds_gap, one_by_one
from .note import Note

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class _Outcome:
    """What came of a call: a value or an error, and the arguments as they were left."""

    arguments: tuple[Any, ...]
    value: Any = None
    error: Exception | None = None

    def difference(self, right: _Outcome, loose: bool) -> Difference | None:
        """Where this outcome first differs from the right one."""
        if right.error is not None:
            wanted = type(right.error).__name__
            if self.error is None:
                return Difference("", f"is {shown(self.value)}", f"stop with a {wanted}")
            if isinstance(self.error, type(right.error)):
                return None
            return Difference("", f"is a {type(self.error).__name__}", f"be a {wanted}")
        if self.error is not None:
            return Difference("", f"is a {type(self.error).__name__}")
        return difference(self.value, right.value, loose)


@dataclass(frozen=True)
class _Point:
    where: str
    given: Arguments
    yours: _Outcome
    right: _Outcome

    def difference(self, loose: bool) -> Difference | None:
        return self.yours.difference(self.right, loose)


@dataclass(frozen=True, kw_only=True)
class FunctionExercise(Exercise):
    r"""Write a function that does what `answer` does.

    It is called with arguments by position: the `friendly` ones, then three times what `random`
    draws from a numpy Generator, then each of `edge`. Arguments may be anything that can be copied;
    a function without parameters in place of a dict makes them anew for each call. Results are
    compared in kind, structure, shape, dtype and values (`loose`: in shape and values alone); where
    `answer` raises, so must the student's. What either changes in its arguments is compared too.

    `mistakes` are functions like the student's, each, or several, with what to say to whoever wrote
    it.

    >>> double = FunctionExercise(
    ...     "double", answer=lambda x: 2 * x, friendly={"x": 3.0},
    ...     random=lambda rng: {"x": rng.normal(size=4)}, edge=[{"x": np.zeros((0, 2))}],
    ...     mistakes={"That squares it.": lambda x: x * x},
    ...     hints=("What is 3 and 3?", "Twice is once and once more.", "return ___ * x"),
    ...     solution="def double(x):\n    return 2 * x", why="2 * x is x + x.",
    ... )
    >>> double.judge(lambda x: x**2)
    Not yet: `result` is wrong at the first point.
        at             x = 3
        yours          9
        right          6
        yours / right  1.5
    That squares it.
    >>> double.judge(lambda x: ...)
    Not done yet: the `...` waits for your code.
    >>> double.judge_solution()
    Right: `double` does what it should, everywhere it was tried.
    """

    answer: Callable[..., Any]
    friendly: Arguments | Callable[[], Arguments]
    random: Callable[[np.random.Generator], Arguments] | None = None
    edge: Sequence[Arguments | Callable[[], Arguments]] = ()
    mistakes: Mistakes = field(default_factory=dict)
    loose: bool = False
    returns: Sequence[str] = ()  # what the values of a tuple are called, if that is returned

    def _judge(self, *answer: Any) -> Note:
        """Try the function at one point after another; tell what is wrong first."""
        note = self.wants_function(answer)
        if note is not None:
            return note
        fn, given = answer[0], self._given()
        names = tuple(given[0][1]())
        if not _takes(fn, len(names)):
            called = ", ".join(f"`{name}`" for name in names)
            text = f"Its arguments are to be {called}, in this order."
            return Note("wrong", f"Not yet: `{self.name}` cannot be called so.", text=(text,))
        for where, make in given:
            point = _Point(where, make(), _call(fn, make()), _call(self.answer, make()))
            note = self._look(fn, point)
            if note is not None:
                return self._explained(fn, note, given)
        return Note("right", f"Right: `{self.name}` does what it should, everywhere it was tried.")

    def _tried(self, answer: Any) -> Callable:
        """The function that is tried, for an answer of the student."""
        return answer

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The mistakes, as answers."""
        return [(told, (mistake,)) for told, mistake in one_by_one(self.mistakes)]

    def _given(self) -> list[tuple[str, Callable[[], Arguments]]]:
        """Where the function is tried: the words for it, and what makes the arguments anew."""

        def fresh(arguments: Arguments | Callable[[], Arguments]) -> Callable[[], Arguments]:
            return arguments if callable(arguments) else lambda: copy.deepcopy(arguments)

        def drawn(seed: int) -> Callable[[], Arguments]:
            assert self.random is not None
            return lambda: self.random(np.random.default_rng(seed))  # type: ignore[misc]  # it is there

        random = [("at a random point", drawn(seed)) for seed in range(3 if self.random else 0)]
        edge = [("at an edge", fresh(arguments)) for arguments in self.edge]
        return [("at the first point", fresh(self.friendly)), *random, *edge]

    def _look(self, fn: Callable, point: _Point) -> Note | None:
        """What is wrong at this point, if anything."""
        yours, right = point.yours, point.right
        if holds_gap(yours.value):
            return Note("todo", "Not done yet: the `...` waits for your code.")
        if yours.error is None and yours.value is None and right.value is not None:
            text = "Is there a `return`, and a value after it?"
            return Note("todo", f"Not done yet: `{self.name}` returned nothing.", text=(text,))
        if yours.error is not None and right.error is None:
            return self.stopped(fn, yours.error, point.where, point.given)
        found = point.difference(self.loose)
        at = ("at", ", ".join(f"{name} = {shown(x)}" for name, x in point.given.items()))
        if found is not None:
            title = f"Not yet: {found.sentence('result', point.where)}"
            for i, name in enumerate(self.returns):
                title = title.replace(f"`result[{i}]", f"`{name}")
            return Note("wrong", title, (at, *found.rows))
        for name, mine, wanted in zip(point.given, yours.arguments, right.arguments, strict=True):
            if difference(mine, wanted) is not None:
                if difference(wanted, point.given[name]) is not None:
                    title = f"Not yet: `{self.name}` leaves `{name}` with wrong values."
                    return Note("wrong", title, (("yours", shown(mine)), ("right", shown(wanted))))
                title = f"Not yet: `{self.name}` changed `{name}`, which it was only lent."
                text = f"Make a new one instead: `{name} * 2`, not `{name} *= 2`."
                return Note("wrong", title, text=(text,))
        return None

    def _explained(self, fn: Callable, note: Note, given: Sequence[tuple[str, Callable]]) -> Note:
        """The note of something wrong, with what the mistake looks like at all points together."""
        if note.status != "wrong":
            return note
        yours = [_call(fn, make()) for _, make in given]

        def same(other: Callable) -> bool:
            return all(
                _alike(mine, _call(other, make()))
                for mine, (_, make) in zip(yours, given, strict=True)
            )

        for told, mistake in one_by_one(self.mistakes):
            if same(mistake):
                return note.with_text(told)
        if self.planted and same(self._tried(self.defined_by(self.planted))):
            title = note.title.replace("Not yet", "Not mended yet", 1)
            text = "It still does what it did before: what you changed makes no difference."
            return replace(note, title=title).with_text(text)
        right = [_call(self.answer, make()) for _, make in given]
        at = [i for i, (where, _) in enumerate(given) if "random" in where] or range(len(given))
        both = [(yours[i], right[i]) for i in at]
        pairs = [(a.value, b.value) for a, b in both if a.error is None and b.error is None]
        error = next((outcome.error for outcome in yours if outcome.error is not None), None)
        meaning = self._meaning(fn, error) if error is not None else ""
        every = [*zip((a.value for a in yours), (b.value for b in right), strict=True)]
        return note.with_text(diagnose(pairs) or meaning or nearly(every))

    def _meaning(self, fn: Any, error: Exception) -> str:
        """What an error that Python or minigrad raised means here, in plain words."""
        if str(error).startswith("bool() needs a Tensor with one element"):
            return (
                "`if`, `and` and `a < x < b` ask one question of all entries together. Ask each: "
                "with `where`, or with `&` between two comparisons in brackets."
            )
        return ""


def _call(fn: Callable, arguments: Arguments) -> _Outcome:
    """What comes of a call, with no warning of numpy's: edges are there to be met."""
    values = tuple(arguments.values())
    try:
        with np.errstate(all="ignore"):
            return _Outcome(values, fn(*values))
    except Exception as error:
        return _Outcome(values, error=error)


def makes_nan(call: Callable[[], Any]) -> bool:
    """Whether a NaN is made while this runs, be it seen in the end or not.

    >>> makes_nan(lambda: np.nan_to_num(np.float64(0) * np.inf)), makes_nan(lambda: 1.0)
    (True, False)
    """
    found: list[str] = []
    with (
        np.errstate(all="ignore"),
        np.errstate(invalid="call", call=lambda kind, _: found.append(kind)),
    ):
        call()
    return bool(found)


def _alike(a: _Outcome, b: _Outcome) -> bool:
    """Whether both calls came to the same, and left their arguments the same."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error) and _words_of(a.error) == _words_of(b.error)
    return difference(a.value, b.value) is None and difference(a.arguments, b.arguments) is None


def _words_of(error: Exception | None) -> str:
    """What an error says, but for the name of the class that it begins with."""
    return re.sub(r"^\w+\.(?=\w)", "", str(error))


def _takes(fn: Callable, number: int) -> bool:
    """Whether fn can be called with so many arguments by position."""
    try:
        inspect.signature(fn).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # a function written in C tells nothing of its parameters
        return True
    return True
