"""What a student has done, in a file beside the notebooks, so that it outlives the kernel.

The file is plain JSON. It holds how often an exercise was tried, which are right, how many hints
were given, and what was predicted; never what is right. All notebooks of a folder share it.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .note import Note

Done = dict[str, dict[str, Any]]  # of one lesson: attempts, hints, right, predictions, by name
Lessons = dict[str, Done]
FILE = "minigrad_progress.json"
_ABOUT = "What is done in the lessons of minigrad. Deleted, all begins anew."
_EMPTY: Done = {"attempts": {}, "hints": {}, "right": {}, "predictions": {}}
_WAIT = 2  # seconds for another notebook that writes; it needs a few thousandths of one


def place(folder: Path | None = None) -> Path | None:
    """Where the file lies: in the working folder, or as MINIGRAD_PROGRESS says, a path or "off"."""
    said = os.environ.get("MINIGRAD_PROGRESS", "")
    return None if said == "off" else Path(said or (folder or Path.cwd()) / FILE).absolute()


class Progress:
    """What is done of one lesson: read anew each time, and written at each change.

    Other notebooks may write to the same file at any moment: a change reads, alters and writes the
    whole under a lock. Trouble with the file stops nobody: it is told once, and what is done is
    kept in memory until it can be written.
    """

    def __init__(self, lesson: str, path: Path | None, tell: Callable[[Note], None]):
        self.lesson, self.path = lesson, path
        self._tell = tell
        self._told: set[str] = set()
        self._known: Lessons = {}  # as last read or written
        self._saved = path is not None  # whether the file holds it
        self._free = path is not None  # whether nothing of another's would be written over

    def all(self) -> Lessons:
        """What is done of every lesson, by its name."""
        with self._lock():
            return self._read()

    def get(self) -> Done:
        """What is done of this lesson."""
        return self.all().get(self.lesson) or copy.deepcopy(_EMPTY)

    def change(self, change: Callable[[Done], Any]) -> None:
        """Alter what is done of this lesson, and write it."""
        with self._lock():
            lessons = self._read()
            change(lessons.setdefault(self.lesson, copy.deepcopy(_EMPTY)))
            self._write(lessons)

    def forget(self) -> None:
        """Take this lesson out of the file."""
        with self._lock():
            lessons = self._read()
            if lessons.pop(self.lesson, None) is not None:
                self._write(lessons)

    # ---------------------------------------- the file
    def _read(self) -> Lessons:
        """All lessons, from the file; where it cannot tell, as they were known."""
        lessons: Lessons = {}
        self._free = self.path is not None
        try:
            if self.path is not None:
                lessons = _checked(json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            pass
        except OSError as error:
            self._saved = self._free = False
            self._warn("cannot be read", error)
        except (ValueError, TypeError, AttributeError, KeyError):
            self._saved = False
            self._set_aside()
        if not self._saved:
            own = {name: done for name, done in self._known.items() if name == self.lesson}
            lessons = {**self._known, **lessons, **own}
        self._known = lessons
        return copy.deepcopy(lessons)

    def _set_aside(self) -> None:
        """Give a damaged file another name."""
        assert self.path is not None
        names = (self.path.with_stem(f"{self.path.stem}_damaged_{n}") for n in itertools.count(1))
        aside = next(name for name in names if not name.exists())
        try:
            self.path.rename(aside)
        except OSError as error:
            self._free = False
            self._warn("is damaged, and cannot be set aside", error)
        else:
            kept = f"It is kept as `{aside.name}`, and a new one begins."
            self._tell(Note("told", f"`{self.path.name}` was damaged. {kept}"))

    def _write(self, lessons: Lessons) -> None:
        """Write the whole file at once; where that fails, the kernel knows it still."""
        self._known = lessons
        if self.path is None or not self._free:
            return
        text = json.dumps({"about": _ABOUT, "lessons": lessons}, indent=1) + "\n"
        new = self.path.with_name(f".{self.path.stem}.{os.getpid()}")
        try:
            new.write_text(text, encoding="utf-8")
            new.replace(self.path)
        except OSError as error:
            self._saved = False
            self._warn("cannot be written", error)
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
        else:
            self._saved = True

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other notebooks from writing; where that cannot be had, go on without."""
        with contextlib.ExitStack() as stack:
            if self.path is not None:
                lock = FileLock(self.path.with_name(f".{self.path.stem}.lock"), timeout=_WAIT)
                with contextlib.suppress(OSError, NotImplementedError, Timeout):
                    stack.enter_context(lock)
            yield

    def _warn(self, what: str, error: OSError) -> None:
        if what not in self._told and self.path is not None:
            self._told.add(what)
            title = f"`{self.path.name}` {what} ({error.strerror or type(error).__name__})."
            text = "Work goes on; but what you do is forgotten when the kernel restarts."
            self._tell(Note("told", title, text=(text,)))


def _checked(data: Any) -> Lessons:
    """The lessons in the data of a file; an error, if they are not of the form that is written."""
    lessons: Lessons = {}
    for lesson, done in data["lessons"].items():
        lessons[lesson] = {part: dict(done.get(part, {})) for part in _EMPTY}
        predictions = lessons[lesson]["predictions"].values()
        parts: dict[Any, list] = {
            int: [*lessons[lesson]["attempts"].values(), *lessons[lesson]["hints"].values()],
            bool: [*lessons[lesson]["right"].values()],
            dict: [*predictions],
            (int, float, str): [answer for answers in predictions for answer in answers.values()],
        }
        if not all(isinstance(x, kind) for kind, values in parts.items() for x in values):
            raise ValueError(f"what is done of {lesson} is not of the form that is written")
    return lessons
