"""Write docs/api.md: what there is in minigrad, one line a name, from the code itself.

python docs/make_api.py
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import minigrad
import minigrad_widgets
from minigrad import Tensor, check, nn, numpy, ops

TARGET = Path(__file__).with_name("api.md")


def table() -> str:
    """The page as Markdown."""
    parts = [
        "# What there is\n",
        "Made from the code by `docs/make_api.py`; a test holds both equal. Names and arguments "
        "are MindSpore's.\n",
    ]
    for title, names in (
        ("minigrad", _public(minigrad, minigrad.__all__)),
        ("minigrad.ops: functions", _public(ops, _functions(ops))),
        ("minigrad.ops: Primitive classes", _public(ops, _classes(ops))),
        ("minigrad.nn", _public(nn, nn.__all__)),
        ("minigrad.numpy", _public(numpy, numpy.__all__)),
        ("Methods of a Tensor", _public(Tensor, _methods())),
        ("minigrad.check", _public(check, check.__all__)),
        ("minigrad_widgets", _public(minigrad_widgets, minigrad_widgets.__all__)),
    ):
        parts += [f"## {title}\n", "| name | what it is |", "|---|---|"]
        parts += [f"| `{name}` | {text} |" for name, text in names]
        parts.append("")
    return "\n".join(parts)


def _public(owner: Any, names: list[str]) -> list[tuple[str, str]]:
    found = [(name, getattr(owner, name)) for name in sorted(names, key=str.lower)]
    return [(name, _line(thing)) for name, thing in found if not isinstance(thing, ModuleType)]


def _functions(module: ModuleType) -> list[str]:
    return [n for n, _ in inspect.getmembers(module, inspect.isfunction) if n[0] != "_"]


def _classes(module: ModuleType) -> list[str]:
    return [n for n, _ in inspect.getmembers(module, inspect.isclass) if n[0] != "_"]


def _methods() -> list[str]:
    return [n for n, v in vars(Tensor).items() if n[0] != "_" and (callable(v) or n == "T")]


def _line(thing: Any) -> str:
    """The first line of its docstring."""
    if not callable(thing) and not isinstance(thing, property):
        return f"`{thing!r}`"
    doc = inspect.getdoc(thing) or ""
    return doc.split("\n")[0].replace("|", r"\|")


if __name__ == "__main__":
    TARGET.write_text(table(), encoding="utf-8", newline="\n")
