"""Working copies of the lessons: laid in a folder, updated, and restored.

A copy carries in its metadata which lesson it is, and a fingerprint of its cells as they were laid.
So it is known whether anybody has written in it, and an update leaves such a file alone.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

from .note import Note
from .progress import Progress, place
from .shelf import Notebook, fingerprint, notebooks, read

BACKUP = ".before_reset_"  # in the names of files that a reset has kept


def lay(folder: Path) -> Iterator[str]:
    """Lay a copy of every notebook in a folder; say of each what was done.

    What is missing is laid, what nobody has written in is brought up to date, and the rest is left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for original in notebooks():
        target = folder / original.name
        if target.exists() and target.samefile(original):
            raise ValueError(f"{folder} holds the originals: name another folder for the copies")
        new = read(original)
        laid, now = _prints(target)
        if not target.exists():
            _write(target, original, new)
            done = "new"
        elif fingerprint(new) in (laid, now):
            done = "up to date"
        elif laid is not None and laid == now:
            _write(target, original, new)
            done = "updated"
        else:
            done = "yours, left as it is; there is a newer one, which `reset` fetches"
        yield f"{original.name}: {done}"


def restore(number: str, folder: Path) -> Iterator[str]:
    """Lay the lesson of a number anew; what was there is kept, what was done is forgotten."""
    found = [path for path in notebooks() if path.name.split("_")[0] == number.zfill(2)]
    if not found:
        have = ", ".join(path.name.split("_")[0] for path in notebooks() if path.name[0].isdigit())
        raise ValueError(f"there is no lesson {number!r}; there are {have}")
    (original,) = found
    target = folder / original.name
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    if target.exists() and target.samefile(original):
        raise ValueError(f"{target} is the original: reset a copy, or use git")
    if target.exists():
        names = (target.with_stem(f"{target.stem}{BACKUP}{n}") for n in itertools.count(1))
        backup = next(name for name in names if not name.exists())
        target.rename(backup)
        yield f"{backup.name}: what you had"
    _write(target, original, read(original))
    notes: list[Note] = []
    Progress(original.stem, place(folder), notes.append).forget()
    yield from map(repr, notes)
    yield f"{target.name}: as it came. If it is open: close it, shut its kernel down, open it again"


def _prints(path: Path) -> tuple[str | None, str | None]:
    """The fingerprints of a copy: when it was laid, and now; None for what cannot be told."""
    laid = now = None
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        notebook = read(path)
        now = fingerprint(notebook)
        laid = notebook["metadata"]["minigrad"]["cells"]
    return laid, now


def _write(target: Path, original: Path, notebook: Notebook) -> None:
    """Write a copy, whole or not at all."""
    mark = {"lesson": original.stem, "cells": fingerprint(notebook)}
    notebook["metadata"]["minigrad"] = mark
    new = target.with_name(f".{target.name}.{os.getpid()}")
    new.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    new.replace(target)
