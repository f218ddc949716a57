"""What every exercise of a lesson has, and what its kinds share."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import CodeType
from typing import Any

import numpy as np

import minigrad
from minigrad import Tensor, nn, ops

from .compare import is_plain, shown
from .note import Note

# What to say of a mistake, and the function, or the functions, in which it was made.
Mistakes = Mapping[str, Callable[..., Any] | Sequence[Callable[..., Any]]]


@dataclass(frozen=True)
class Exercise:
    """A name, three hints (where to look, which rule, code with one gap), a solution, and why.

    The solution is source that defines `name`; it may use `np`, `ms`, `Tensor`, `nn`, `ops`, and
    what is `given`. `planted` is the source of the stub, if it begins with a bug to be found:
    untouched, it is nothing to judge. `stops` says what to tell whoever's code stops: by a part of
    the error's words. `last` is a last look at an answer that is right so far: a note on what is
    wrong where values do not show it, or a right one that says why this answer is, where `why` is
    not true of it; or None.
    """

    name: str
    _: KW_ONLY
    hints: tuple[str, str, str]
    solution: str
    why: str
    planted: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    stops: Mapping[str, str] = field(default_factory=dict)
    last: Callable[..., Note | None] | None = None

    def judge(self, *answer: Any) -> Note:
        """A note that says whether the answer is right, and if not, what is wrong first."""
        note = self._judge(*answer)
        if note.status == "right" and self.last is not None:
            try:
                note = self.last(*answer) or note
            except Exception as error:
                note = self.stopped(answer[0], error)
        if note.status == "wrong" and self._is_planted(answer[0]):
            title = note.title.replace("Not yet", "Not mended yet", 1)
            return Note("todo", title, note.rows)  # what it looks like would give the bug away
        return note

    def _judge(self, *answer: Any) -> Note:
        raise NotImplementedError

    def known_mistakes(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Wrong answers as they are handed over, each with what must be said; for the tests."""
        raise NotImplementedError

    def judge_solution(self) -> Note:
        """The judgement on the exercise's own solution, for the tests."""
        return self.judge(self.defined_by(self.solution))

    def defined_by(self, source: str) -> Any:
        """What a source, the solution or the planted one, calls by the exercise's name."""
        space = {"np": np, "ms": minigrad, "Tensor": Tensor, "nn": nn, "ops": ops, **self.given}
        exec(source, space)
        return space[self.name]

    def _is_planted(self, answer: Any) -> bool:
        """Whether the answer is the planted bug, untouched but for comments and blanks."""
        return bool(self.planted) and same_code(answer, self.defined_by(self.planted))

    def wants_function(self, answer: tuple[Any, ...]) -> Note | None:
        """A note, unless the answer is one function."""
        if len(answer) == 1 and (answer[0] is ... or answer[0] is None):
            return Note("todo", f"Not done yet: there is no `{self.name}`.")
        if len(answer) == 1 and callable(answer[0]):
            return None
        came = f"What came was {kind(answer[0])}." if len(answer) == 1 else ""
        call = f'`check("{self.name}", {self.name})`'
        return Note("todo", f"Hand over the function itself: {call}.", text=(came,))

    def stopped(
        self,
        fn: Callable,
        error: BaseException,
        where: str = "",
        given: Mapping[str, Any] | None = None,
    ) -> Note:
        """What to say of a function that raised, called with what was `given`.

        Where nobody knows that, it is what stood in its parameters when it stopped.
        """
        if is_unfinished(error):
            return Note("todo", "Not done yet: the `...` waits for your code.")
        trace, text, there = error.__traceback__, "", {}
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code is getattr(fn, "__code__", None):
                line = trace.tb_lineno - frame.f_code.co_firstlineno + 1
                text = f"It stopped in line {line} of it."
                names = inspect.getargs(frame.f_code).args
                there = {name: frame.f_locals.get(name, ...) for name in names}
                there = {name: x for name, x in there.items() if not callable(x)}
            trace = trace.tb_next
        came = f"{type(error).__name__}: {error}".removesuffix(": ")
        place = f" {where}" if where else ""
        rows = _arguments(there, "when it stopped") if given is None else _arguments(given, "at")
        title = f"Not yet: `{self.name}` stopped{place} with {came}"
        told = next((told for words, told in self.stops.items() if words in came), "")
        return Note("wrong", title, rows, text=(text, _meaning(error), told))


def _arguments(values: Mapping[str, Any], label: str) -> tuple[tuple[str, str], ...]:
    """A row that shows the values that have a short form, if there are any."""
    parts = [f"{name} = {shown(x)}" for name, x in values.items() if is_plain(x)]
    return ((label, ", ".join(parts)),) if parts else ()


def one_by_one(mistakes: Mistakes) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each function with what to say of it."""
    for told, made in mistakes.items():
        for mistake in several(made):
            yield told, mistake


def several(made: Callable[..., Any] | Sequence[Callable[..., Any]]) -> list[Callable[..., Any]]:
    """One function or more, as a list."""
    return [made] if callable(made) else [*made]


def _meaning(error: BaseException) -> str:
    """What an error of Python's means here, where that is known of any exercise."""
    words = r"'(Tensor|numpy\.ndarray|tuple)' object is not callable"
    if isinstance(error, TypeError) and re.match(words, str(error)):
        return (
            "Round brackets call what stands before them, and that is no function. `.T` and "
            "`.shape` are written without brackets."
        )
    return keywords_of(error)


def keywords_of(error: BaseException) -> str:
    """Which keywords an op has, if the error is that it was given another."""
    found = re.match(
        r"(?:Tensor\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'", str(error)
    )
    if not isinstance(error, TypeError) or found is None:
        return ""
    whole, name, keyword = found[0], found[1], found[2]
    place, at = (Tensor, ".") if whole.startswith("Tensor.") else (ops, "ops.")
    fn = getattr(place, name, None)
    names = [*inspect.signature(fn).parameters] if inspect.isfunction(fn) else [keyword]
    if keyword in names:
        return ""
    near = difflib.get_close_matches(keyword, names, 1)
    mean = f"Did you mean `{near[0]}`? " if near else ""
    return f"{mean}`{at}{name}` takes {listed([n for n in names if n != 'self'])}."


def is_unfinished(error: BaseException) -> bool:
    """Whether something raised because a `...` still stands where code is missing."""
    trace = error.__traceback__
    while trace is not None:
        if any(value is ... for value in trace.tb_frame.f_locals.values()):
            return True
        trace = trace.tb_next
    return "ellipsis" in str(error).lower()


def holds_gap(x: Any) -> bool:
    """Whether a `...` stands anywhere in the answer.

    >>> holds_gap((1.0, {"w": [...]})), holds_gap((1.0, None))
    (True, False)
    """
    if isinstance(x, Mapping):
        return any(map(holds_gap, x.values()))
    if isinstance(x, tuple | list | set):
        return any(map(holds_gap, x))
    return x is ...


def same_code(a: Any, b: Any) -> bool:
    """Whether two functions or classes are written alike, apart from comments and blanks."""
    if isinstance(a, type) and isinstance(b, type):
        mine, other = ({k: v for k, v in vars(c).items() if hasattr(v, "__code__")} for c in (a, b))
        return mine.keys() == other.keys() and all(same_code(mine[k], other[k]) for k in mine)
    first, second = getattr(a, "__code__", None), getattr(b, "__code__", None)
    return first is not None and second is not None and _same(first, second)


def _same(a: CodeType, b: CodeType) -> bool:
    parts = ("co_code", "co_names", "co_varnames")
    if any(getattr(a, part) != getattr(b, part) for part in parts):
        return False
    constants = [*zip(a.co_consts, b.co_consts, strict=False)]
    return len(a.co_consts) == len(b.co_consts) and all(
        _same(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else x == y
        for x, y in constants
    )


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
