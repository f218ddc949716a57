"""The lessons that there are: their modules, and the notebooks that came with them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pkgutil
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lesson import Lesson

Notebook = dict[str, Any]


def lessons() -> list[Lesson]:
    """The lessons, in their order.

    >>> [lesson.title for lesson in lessons() if lesson.name.startswith("02")]
    ['A program is a graph']
    """
    package = import_module("minigrad_widgets")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = [import_module(f"{package.__name__}.{n}") for n in names if n.startswith("lesson_")]
    return sorted((module.LESSON for module in modules), key=lambda lesson: lesson.name)


def notebooks() -> list[Path]:
    """The notebooks as they came: beside the package, or in a checkout in `lessons`.

    >>> [path.name for path in notebooks() if path.name.startswith("02")]
    ['02_a_program_is_a_graph.ipynb']
    """
    package = Path(__file__).parents[1]
    installed = package / "notebooks"
    return sorted((installed if installed.is_dir() else package.parent / "lessons").glob("*.ipynb"))


def read(path: Path) -> Notebook:
    """A notebook; a ValueError, if the file is none."""
    notebook = json.loads(path.read_bytes())
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError(f"{path.name} is JSON, but has no cells")
    return notebook


def sources(notebook: Notebook, kind: str = "code") -> list[str]:
    """What stands in the cells of one kind."""
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]


def fingerprint(notebook: Notebook) -> str:
    """A short text that tells whether any cell was written in, whatever it showed when it ran."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16]


def mark(notebook: Notebook, lesson: str, solutions: bool = True) -> None:
    """Note in a notebook which lesson it is, and its cells as they are now."""
    cells = fingerprint(notebook)
    notebook["metadata"]["minigrad"] = {"lesson": lesson, "cells": cells, "solutions": solutions}


def prints(path: Path) -> tuple[str | None, str | None]:
    """The fingerprints of a notebook: when it was marked, and now; None for what cannot be told."""
    marked = now = None
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        notebook = read(path)
        now = fingerprint(notebook)
        marked = notebook["metadata"]["minigrad"]["cells"]
    return marked, now


def typed(*words: str | Path) -> str:
    """The line that runs `python -m minigrad_widgets.lesson` with these words in any terminal.

    Its paths are whole, so that it does not matter where the terminal is; `~` is the home folder.
    """
    line = [sys.executable, "-m", "minigrad_widgets.lesson", *map(str, words)]
    if os.name == "nt":
        return subprocess.list2cmdline(line)
    home = f"{Path.home()}/"
    short = [f"~/{shlex.quote(w[len(home) :])}" if w.startswith(home) else None for w in line]
    return " ".join(tilde or shlex.quote(word) for tilde, word in zip(short, line, strict=True))


def anew(lesson: str, folder: Path) -> str:
    """The line that begins a lesson anew in a folder; where the originals lie, one for a copy."""
    if folder.resolve() == notebooks()[0].parent.resolve():
        return typed("copy", folder.parent / "my_lessons")
    return typed("reset", lesson[:2], folder)
