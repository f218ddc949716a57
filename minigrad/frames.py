"""Where an op is called: the line of the user's program, and the calls that it is inside of."""

from __future__ import annotations

import dis
import inspect
import linecache
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .nn.cell import Cell
from .op import Op

_JUMPS = {*dis.hasjrel, *dis.hasjabs}
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep


@dataclass(frozen=True)
class Line:
    """A line of the user's program; ``text`` is empty if its source is not to be had."""

    file: str
    number: int
    text: str


@dataclass(eq=False)
class Call:
    """One call of a Cell, or of a function of the user's, as it happened."""

    name: str  # of a Cell, the attribute that holds it; of the outermost, its class
    kind: str  # the class of a Cell; "" for a function


class Again(NamedTuple):
    """A loop that begins another round: in which call, and where it stands there."""

    call: Call
    instructions: tuple[int, int]  # the first and the last of its code
    lines: tuple[int, int]
    branches: bool  # a round may go another way than the one before: some may go unseen


class Place(NamedTuple):
    """Where an op was called."""

    frame: Any  # of the user's code; None if there is none
    cells: tuple[str, ...]  # the names of the Cells around it, outermost first
    calls: tuple[tuple[Call, int], ...]  # all calls around it, each with the instruction it was at
    again: Again | None  # a loop that began another round since the op before


class Calls:
    """Finds the place of each op of a run, one after another."""

    def __init__(self, outermost: Any):
        self.outermost = outermost  # the code in which the run begins
        self.known: dict[Any, Call] = {}  # the calls that are under way, by their frames
        self.before: list[tuple[Any, int]] = []  # the frames of the op before, outermost first

    def place(self) -> Place:
        """The place of the op whose call led here."""
        frames = self._frames()
        users = [f for f, _ in frames if not is_internal(f.f_code)]
        known: dict[Any, Call] = {}
        cells: list[Cell] = []
        calls: list[tuple[Call, int]] = []
        of_frame: dict[Any, Call] = {}
        called: Cell | None = None  # the Cell whose construct has not come yet
        for frame, position in frames:
            if frame.f_code is Cell.__call__.__code__:
                cell = frame.f_locals["self"]
                name = _name_in(cell, cells[-1] if cells else None)
                call = known[frame] = self.known.get(frame) or Call(name, type(cell).__name__)
                cells.append(cell)
                calls.append((call, 0))
                called = cell
            elif not is_internal(frame.f_code):
                if called is not None and frame.f_code is _code_of(called.construct):
                    call, called = calls[-1][0], None
                    calls[-1] = (call, position)
                else:
                    name = frame.f_code.co_name
                    call = known[frame] = self.known.get(frame) or Call(name, "")
                    calls.append((call, position))
                of_frame[frame] = call
        names = [_name_in(c, p) for c, p in zip(cells, [None, *cells], strict=False)]
        again = self._again(frames, of_frame)
        self.known, self.before = known, frames
        return Place(users[-1] if users else None, tuple(names), tuple(calls), again)

    def forget(self) -> None:
        """Let go of the frames, and of what they hold."""
        self.known, self.before = {}, []

    def _frames(self) -> list[tuple[Any, int]]:
        frame: Any = sys._getframe(2)
        frames = []
        while frame is not None and frame.f_code is not self.outermost:
            frames.append((frame, frame.f_lasti))
            frame = frame.f_back
        return frames[::-1]

    def _again(self, frames: list[tuple[Any, int]], calls: dict[Any, Call]) -> Again | None:
        """The loop that led from the op before back to this one, if one did."""
        common = None
        for (frame, now), (other, then) in zip(frames, self.before, strict=False):
            if frame is not other:
                break
            common = frame, now, then
        if common is None or common[0] not in calls or common[1] > common[2]:
            return None
        frame, now, then = common
        around = [loop for loop in _loops(frame.f_code) if loop[0][0] <= now and then <= loop[0][1]]
        if not around:
            return None
        return Again(calls[frame], *min(around, key=lambda loop: loop[0][1] - loop[0][0]))


def _code_of(function: Any) -> Any:
    """The code of a function, under what decorates it."""
    return getattr(inspect.unwrap(function), "__code__", None)


@lru_cache(maxsize=1024)
def _loops(code: Any) -> list[tuple[tuple[int, int], tuple[int, int], bool]]:
    """The loops of a function: first and last instruction, first and last line, if it branches."""
    listed = list(dis.get_instructions(code))
    ends: dict[int, int] = {}  # by the first instruction: of several ways back to it the last
    for jump in listed:
        if jump.opcode in _JUMPS and jump.argval <= jump.offset:
            ends[jump.argval] = max(jump.offset, ends.get(jump.argval, 0))
    found = []
    for first, last in ends.items():
        inside = [i for i in listed if first <= i.offset <= last]
        jumps = (i for i in inside if i.opcode in _JUMPS and i.opname not in ("FOR_ITER", "SEND"))
        branches = any(i.offset < i.argval <= last for i in jumps)
        lines = [i.positions.lineno for i in inside if i.positions and i.positions.lineno]
        if lines:
            found.append(((first, last), (min(lines), max(lines)), branches))
    return found


def is_internal(code: Any) -> bool:
    """Whether code is the engine's or numpy's, and not the user's."""
    return bool(code.co_filename.startswith((_PACKAGE, _NUMPY, "<op ", "<frozen")))


def _name_in(cell: Cell, parent: Cell | None) -> str:
    """The attribute of its parent that holds a Cell; the class of one that none holds."""
    if parent is not None:
        for name, child in parent._cells.items():
            if child is cell:
                return name
    return type(cell).__name__


def line_at(file: str, number: int) -> Line:
    """A line of a file."""
    return Line(file, number, linecache.getline(file, number).rstrip())


def index_at(frame: Any) -> str:
    """The name in brackets, if the frame is just at ``x[name]``; "" at anything else."""
    first, last, start, end = [*frame.f_code.co_positions()][frame.f_lasti // 2]
    if first is None or first != last:
        return ""
    line = linecache.getline(frame.f_code.co_filename, first).encode()
    found = re.search(r"\[\s*([^\W\d]\w*)\s*\]$", line[start:end].decode())
    return found[1] if found else ""


def listing_of(fn: Any) -> tuple[Line, ...]:
    """The lines of a function, or of a Cell's construct; none if its source is not to be had."""
    target = inspect.unwrap(fn.construct if isinstance(fn, Cell) else fn)
    try:
        lines, start = inspect.getsourcelines(target)
        file = inspect.getsourcefile(target) or ""
    except (OSError, TypeError):
        return ()
    return tuple(Line(file, start + i, text.rstrip()) for i, text in enumerate(lines))


def argument_names(fn: Callable, count: int = -1) -> list[str]:
    """The names of fn's first arguments; ``xs[0]``, ``xs[1]`` for ``*xs``. Without a count, all."""
    target = fn.construct if isinstance(fn, Cell) else fn
    if isinstance(op := getattr(fn, "op", None), Op) and count <= len(op.parameters):
        return list(op.parameters)[: None if count < 0 else count]  # by the letters of its formula
    try:
        declared = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return [f"x{i}" for i in range(count)]
    if count < 0:
        return [p.name for p in declared if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    plain = [p.name for p in declared if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    star = next((p.name for p in declared if p.kind is p.VAR_POSITIONAL), "x")
    return [*plain, *(f"{star}[{i}]" for i in range(count))][:count]


def name_of(fn: Any) -> str:
    """The name of a function, or the class of a Cell; a lambda is called a function."""
    name = getattr(fn, "__name__", type(fn).__name__)
    return "function" if name == "<lambda>" else name
