"""The lines of the program that ran: the function that was watched, then those that it called.

Each function is found by its file and its lines, so that a step can light the line it comes from,
wherever that is, and say it by name: `Net.construct, line 8`.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path as File
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from minigrad.watch import Line, Run

MOST_LINES = 200  # of the functions that were called; a page shows no library


_Found = TypeVar("_Found")


def once_per_run(function: Callable[[Run], _Found]) -> Callable[[Run], _Found]:
    """Let a function remember what it found, as long as the run is there."""
    known: WeakKeyDictionary[Run, _Found] = WeakKeyDictionary()

    def find(run: Run) -> _Found:
        if run not in known:
            known[run] = function(run)
        return known[run]

    return find


class _Function(NamedTuple):
    name: str  # with its class, `Net.construct`
    first: int
    last: int


def program(run: Run) -> list[dict[str, Any]]:
    """The lines of the program: number and text, and whether another function begins there."""
    lines = listing(run)
    begins = {len(run.listing)} if run.listing else set()
    for i, (one, two) in enumerate(pairwise(lines)):
        if (one.file, one.number + 1) != (two.file, two.number):
            begins.add(i + 1)
    return [
        {"number": line.number, "text": line.text} | ({"begins": True} if i in begins else {})
        for i, line in enumerate(lines)
    ]


@once_per_run
def listing(run: Run) -> list[Line]:
    """The lines of the watched function, then of each other function in which an op was called."""
    lines = list(run.listing)
    seen = {(line.file, line.number) for line in lines}
    for value in run.values:
        line = value.line
        if line is None or (line.file, line.number) in seen:
            continue
        function = _function_at(line)
        more = _lines_of(line.file, function) if function else []
        if len(lines) - len(run.listing) + len(more) > MOST_LINES:
            continue
        lines += more
        seen |= {(each.file, each.number) for each in more}
    return lines


@once_per_run
def _indices(run: Run) -> dict[tuple[str, int], int]:
    """Which line of the listing a line of a file is."""
    lines = list(enumerate(listing(run)))
    return {(line.file, line.number): index for index, line in reversed(lines)}


def listing_index(run: Run, line: Line | None) -> int | None:
    """Which line of the listing a line is, counted from 0; None if it is elsewhere."""
    return None if line is None else _indices(run).get((line.file, line.number))


def where(run: Run, line: Line | None) -> str:
    """`line 3`; elsewhere than in the function watched, also where; `""` if it is not known."""
    if line is None:
        return ""
    index = listing_index(run, line)
    if (index is not None and index < len(run.listing)) or not line.file:
        return f"line {line.number}"
    function = _function_at(line)
    if function is not None:
        return f"{function.name}, line {line.number}"
    place = "another cell" if _is_cell(line.file) else File(line.file).name
    return f"{place}, line {line.number}"


def _is_cell(file: str) -> bool:
    """Whether a file is a notebook's cell, which has a number for a name."""
    return file.startswith("<") or any(part.startswith("ipykernel_") for part in File(file).parts)


def _lines_of(file: str, function: _Function) -> list[Line]:
    numbers = range(function.first, function.last + 1)
    return [Line(file, number, linecache.getline(file, number).rstrip()) for number in numbers]


@lru_cache(maxsize=4096)
def _function_at(line: Line) -> _Function | None:
    """The innermost function around a line."""
    found = _functions("".join(linecache.getlines(line.file)))
    around = [each for each in found if each.first <= line.number <= each.last]
    return min(around, key=lambda each: each.last - each.first, default=None)


@lru_cache(maxsize=64)
def _functions(source: str) -> tuple[_Function, ...]:
    """All functions of a source text; none if it is not plain Python, as a cell with magics."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    found: list[_Function] = []

    def visit(node: ast.AST, path: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = (*path, child.name)
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                end = child.end_lineno or child.lineno
                found.append(_Function(".".join(inner), child.lineno, end))
                inner = (child.name,)
            visit(child, inner)

    visit(tree, ())
    return tuple(found)
