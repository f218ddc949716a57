"""Working copies of the lessons: laid in a folder, updated, and restored.

Every notebook carries in its metadata which lesson it is, and a fingerprint of its cells as they
were built or laid. So it is known whether anybody has written in it: an update leaves such a copy
alone, and such an original is not handed out. What is laid is signed, so that Jupyter shows its
saved pictures.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

from ..text import count
from .note import Note
from .progress import Progress, place
from .shelf import Notebook, fingerprint, mark, notebooks, prints, read, typed

_ABOUT_SOLUTIONS = re.compile(
    r" Done, or stuck\?[^.]*\bsolution\.( Your own code stays as it is\.)?"
)
BACKUP = ".before_reset_"  # in the names of files that a reset has kept


def lay(folder: Path, solutions: bool = True) -> Iterator[str]:
    """Lay a copy of every notebook in a folder; say of each what was done, or that nothing was.

    What is missing is laid, what nobody has written in is brought up to date, and the rest is left.
    A copy that came without `solutions` gets none by an update.
    """
    folder.mkdir(parents=True, exist_ok=True)
    nothing_done = True
    for original in notebooks():
        target = folder / original.name
        if target.exists() and target.samefile(original):
            raise ValueError(f"{folder} holds the originals: name another folder for the copies")
        if written_in := _written_in(original):
            nothing_done = False
            yield f"{original.name}: left alone, for {written_in}"
            continue
        new = _new(original, target, solutions)
        laid, now = prints(target)
        if not target.exists():
            _write(target, new)
            done = "new"
        elif fingerprint(new) in (laid, now):
            continue
        elif laid is not None and laid == now:
            _write(target, new)
            done = "updated"
        else:
            done = "yours, left as it is; there is a newer one, which `reset` fetches"
        nothing_done = False
        yield f"{original.name}: {done}"
    if nothing_done:
        yield f"{folder}: up to date"


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
    if not target.exists():
        raise ValueError(
            f"there is no {target.name} in {folder.resolve()}. {_where(original, folder)}"
        )
    if target.samefile(original):
        copy = typed("copy", folder.resolve().parent / "my_lessons")
        raise ValueError(
            f"{target} is the original. Work on a copy, which `make lab` opens: {copy}"
        )
    if written_in := _written_in(original):
        raise ValueError(f"{target} is left alone, for {written_in}")
    new = _new(original, target)
    names = (target.with_stem(f"{target.stem}{BACKUP}{n}") for n in itertools.count(1))
    backup = next(name for name in names if not name.exists())
    target.rename(backup)
    yield f"{backup.name}: what you had"
    _write(target, new)
    notes: list[Note] = []
    progress = Progress(original.stem, place(folder), notes.append)
    done = progress.get()
    progress.forget()
    yield from map(repr, notes)
    if any(done.values()):
        right = count(sum(done["right"].values()), "exercise")
        yield (
            f"What was done in it counts anew: {right} right, "
            f"{count(len(done['predictions']), 'prediction')} locked"
        )
    yield f"{target.name}: as it came. If it is open: close it, shut its kernel down, open it again"


def _written_in(original: Path) -> str:
    """What to say of an original that is not as it was built; "" if it is."""
    built, now = prints(original)
    if built is not None and built == now:
        return ""
    back = f"git -C {original.parent} checkout {original.name}"
    words = "its original has been written in. Keep what you need of that elsewhere; this restores"
    return f"{words} the original: {back}"


def _where(original: Path, folder: Path) -> str:
    """Where copies of a lesson are, for who looked in a wrong folder."""
    found = [path for path in folder.glob(f"*/{original.name}") if not path.samefile(original)]
    if not found:
        copy = typed("copy", folder.resolve())
        return f"It is in no folder below either. This lays all that are missing: {copy}"
    lines = [typed("reset", original.name[:2], path.parent.resolve()) for path in sorted(found)]
    return f"There is one in a folder below: {' or '.join(lines)}"


def _new(original: Path, target: Path, solutions: bool = True) -> Notebook:
    """The copy to be laid, with its mark; without solutions, if the one that is there has none."""
    notebook = read(original)
    for cell in notebook["cells"]:  # a number is to say that the student has run the cell
        for numbered in (cell, *cell.get("outputs", ())):
            if "execution_count" in numbered:
                numbered["execution_count"] = None
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        solutions &= read(target)["metadata"]["minigrad"]["solutions"]
    if not solutions:
        _take_solutions_out(notebook, original.stem)
    mark(notebook, original.stem, solutions)
    return notebook


def _take_solutions_out(notebook: Notebook, name: str) -> None:
    """Take out the cells that open solutions, and the words on them; have the lesson open none."""
    cells = notebook["cells"]
    kept = [cell for cell in cells if "solution" not in cell["metadata"].get("tags", ())]
    if kept == cells:
        return  # the gallery
    at = next(i for i, cell in enumerate(kept) if cell["cell_type"] == "code")
    module = f"lesson_{name[:2]}"
    close = f"\n\nfrom minigrad_widgets import {module}\n\n{module}.LESSON.close_solutions()"
    kept[at]["source"] = "".join(kept[at]["source"]) + close
    for cell in kept:
        if cell["cell_type"] == "markdown":
            cell["source"] = _ABOUT_SOLUTIONS.sub("", "".join(cell["source"]))
    notebook["cells"] = kept


def _write(target: Path, notebook: Notebook) -> None:
    """Write a copy, whole or not at all, and sign it as `jupyter trust` does."""
    new = target.with_name(f".{target.name}.{os.getpid()}")
    text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    new.write_text(text, encoding="utf-8")
    new.replace(target)
    with contextlib.suppress(OSError):  # no place for signatures: the pictures show once cells run
        notary = NotebookNotary()
        notary.sign(nbformat.reads(text, as_version=4))
        notary.store.close()
