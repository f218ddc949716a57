"""The source of a function of the engine that a program calls, with all that it needs.

A program's text is to run by itself, with numpy only. Most steps are numpy's own functions. A step
that is a function of the engine brings its source along, and that of what it calls.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..op import Op

_LIBRARY = ("functools", "itertools", "math")  # what a text may import beside numpy


class NotWritten(Exception):
    """The function has no source that could stand by itself."""


def sources_of(function: Callable, name: str) -> dict[str, str]:
    """Texts by name, in the order in which they are needed; the last defines ``name``."""
    found: dict[str, str] = {}
    _collect(_plain(function), name, found)
    return found


def _plain(function: Any) -> Any:
    """What an op computes on arrays, for its function."""
    op = getattr(function, "op", None)
    return (
        function.__globals__["forward"]
        if isinstance(op, Op) and "forward" in function.__globals__
        else function
    )


def _collect(function: Any, name: str, found: dict[str, str]) -> None:
    if not isinstance(function, types.FunctionType) or function.__closure__:
        raise NotWritten(name)
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise NotWritten(name) from None
    if function.__name__ == "<lambda>" or not source.startswith("def "):
        raise NotWritten(name)
    names = _names_in(function.__code__)
    for used in sorted(names & function.__globals__.keys()):
        value = _plain(function.__globals__[used])
        if value is np or used in found:
            continue
        home = (getattr(value, "__module__", None) or "").lstrip("_")  # reduce is of _functools
        if isinstance(value, types.ModuleType) and value.__name__ in _LIBRARY:
            found[used] = f"import {value.__name__}" + f" as {used}" * (used != value.__name__)
        elif home in _LIBRARY:
            found[used] = f"from {home} import {used}"
        elif isinstance(value, type):
            raise NotWritten(name)
        elif callable(value):
            _collect(value, used, found)
        elif isinstance(value, int | float | str | tuple | frozenset):
            found[used] = f"{used} = {value!r}"
        else:
            raise NotWritten(name)
    found[name] = _without_hints(source, name)


def _without_hints(source: str, name: str) -> str:
    """The function under this name, without type hints and docstring."""
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.FunctionDef)
    tree.name, tree.returns = name, None
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    if ast.get_docstring(tree) is not None and len(tree.body) > 1:
        del tree.body[0]
    return ast.unparse(tree)


def _names_in(code: types.CodeType) -> set[str]:
    """The globals that a function reads, and those of the functions inside it."""
    read = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return read.union(*map(_names_in, inner))
