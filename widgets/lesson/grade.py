"""Grade a folder of notebooks that students handed in: every check, anew, into one CSV.

Each notebook runs in a process of its own, in an empty folder that is removed afterwards, with a
time limit and none of the secrets that the environment may hold. Whatever it does, the others are
graded. It still runs with your rights, as if you had opened it: grade strangers in a container.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..text import count
from .copies import BACKUP
from .shelf import lessons

COLUMNS = ("student", "file", "lesson", "exercise", "status", "message")
_COMMAND = "import sys; from minigrad_widgets.lesson.grade_one import main; main(*sys.argv[1:])"
_PASSED_ON = (
    "PATH", "PYTHONPATH", "VIRTUAL_ENV", "LANG", "LC_ALL", "SYSTEMROOT", "WINDIR", "COMSPEC",
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
)  # fmt: skip
Row = dict[str, str]


def grade(folder: Path, out: Path, limit: float = 120, jobs: int = 1) -> Iterator[str]:
    """Grade every notebook below a folder, write a row for each exercise, and say how it went.

    That is a line for each notebook, and in the end one for each student.

    `student` is the path of the folder in which a notebook lies, "" for `folder` itself. `status`
    is "right", "wrong", "todo" (untouched), "missing" (not there after all cells ran), "stopped"
    (it took too long, or the process ended), "unreadable" or "no lesson". No notebook may take
    longer than `limit` seconds, and no cell or check longer than a third of that.
    """
    all_rows: dict[str, list[Row]] = {}  # by student
    found = sorted(path for path in folder.rglob("*.ipynb") if _is_handed_in(path, folder))
    if not found:
        raise ValueError(f"there is no notebook (*.ipynb) in {folder} or below")
    with (
        out.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file,
        ThreadPoolExecutor(jobs) as pool,
    ):
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for path, rows in zip(found, pool.map(lambda p: _rows(p, limit), found), strict=True):
            place = path.relative_to(folder)
            student = "" if place.parent == Path() else place.parent.as_posix()
            for row in rows:
                whole = {"student": student, "file": path.name, **row}
                table.writerow({key: _plain(text) for key, text in whole.items()})
            file.flush()
            all_rows.setdefault(student, []).extend(rows)
            yield f"{place.as_posix()}: {_said(rows)}"
    yield "In all:"
    for student, rows in all_rows.items():
        yield f"{student or 'in no folder'}: {_sum(rows)}"


def _said(rows: list[Row]) -> str:
    """What came of one notebook."""
    if rows[0]["exercise"]:
        return _sum(rows)
    return f"nothing to grade: {rows[0]['status']} ({rows[0]['message']})"


def _sum(rows: list[Row]) -> str:
    """How many exercises are right, and how many notebooks hold none."""
    exercises = [row["status"] for row in rows if row["exercise"]]
    lost = len(rows) - len(exercises)
    right = f"{exercises.count('right')} of {count(len(exercises), 'exercise')} right"
    return right + (f"; nothing to grade in {count(lost, 'notebook')}" if lost else "")


def _is_handed_in(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.is_file() and not hidden and BACKUP not in path.name


def _rows(path: Path, limit: float) -> list[Row]:
    """A row for each exercise of a notebook; a single one, if it is no lesson."""
    told, ending = _told(path, limit)
    rows = {row.get("exercise", ""): row for row in told}
    lesson = next((row["lesson"] for row in told if "lesson" in row), "")
    exercises = {x.name: [*x.exercises] for x in lessons()}.get(lesson, [""])
    lost = {"status": "stopped", "message": ending}
    return [{"lesson": lesson, "exercise": x} | rows.get(x, lost) for x in exercises]


def _told(path: Path, limit: float) -> tuple[list[dict[str, Any]], str]:
    """What the process that judges a notebook tells, and how it ended."""
    ending = "its process ended before it was judged"
    with tempfile.TemporaryDirectory(prefix="minigrad", ignore_cleanup_errors=True) as folder:
        environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
        places = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR")
        environment |= dict.fromkeys(places, folder) | {"MINIGRAD_PROGRESS": "off"}
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _COMMAND, str(path.absolute()), str(limit / 3)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            text, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            ending = f"it took longer than {limit:g} seconds"
            _end(process)
            text, _ = process.communicate()
        else:
            _end(process)  # what it may have left behind
    return [*_parsed(text.splitlines())], ending


def _parsed(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def _end(process: subprocess.Popen) -> None:
    """End a process, and where the system knows such, the group that it began."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
