"""Run one notebook that was handed in, and judge its answers: one process for each notebook.

Its cells run in IPython's own shell, with `check` and the like doing nothing. Which values are the
answers is read from the lesson's notebook as it came, so it does not matter what the student has
done to the lines with `check`. They are judged when all cells have run, by the lesson loaded anew,
after everything that the cells may have altered in this package and in numpy was put back.

That stops answers that are wrong from passing by accident or by a simple trick. It is no wall: a
function is judged in the process in which it runs, with the rights of whoever started it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .note import Note
from .shelf import Notebook, lessons, notebooks, read, sources

_CALLS = ("check", "hint", "predict", "progress", "reveal", "solution")
_GUARDED = ("builtins", "copy", "inspect", "json", "minigrad", "minigrad_widgets", "numpy")


class _TooLong(BaseException):
    """A cell or a check that took too long; no `except Exception` catches it."""


def main(path: str, seconds: str) -> None:
    """Judge the notebook at a path, and write what came of it to stdout, a line of JSON each.

    No cell and no check may take longer than so many seconds, where the system can interrupt them.
    """
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the notebook prints is not wanted

    def tell(**row: Any) -> None:
        os.write(out, json.dumps(row).encode() + b"\n")

    try:
        notebook = read(Path(path))
        name = lesson_of(notebook, Path(path).stem)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        tell(status="unreadable", message=f"{type(error).__name__}: {error}")
    else:
        if name:
            _judge(name, notebook, float(seconds), tell)
        else:
            tell(status="no lesson", message="it is none of the lessons of this package")
    os._exit(0)  # whatever threads the notebook has left


def lesson_of(notebook: Notebook, stem: str) -> str:
    """The name of the lesson that a notebook is, or "": by its mark, its import, or its file."""
    names = [lesson.name for lesson in lessons()]
    mark = notebook.get("metadata", {}).get("minigrad", {}).get("lesson", "")
    imports = re.search(r"minigrad_widgets\.lesson_(\d\d)", "\n".join(sources(notebook)))
    number = imports[1] if imports else "??"
    found = [n for n in names if n == mark] + [n for n in names if n.startswith((number, stem))]
    return (found or [""])[0]


def _judge(name: str, notebook: Notebook, seconds: float, tell: Callable[..., None]) -> None:
    path = Path(__file__).parents[1] / f"lesson_{name[:2]}.py"
    module = importlib.import_module(f"minigrad_widgets.lesson_{name[:2]}")
    code = compile(path.read_bytes(), str(path), "exec")
    asked = _asked(name)
    tell(lesson=name, exercises=[*asked])
    for call in _CALLS:
        setattr(module, call, _nothing)
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    put_back = _guard()
    given, errors = _run(shell, sources(notebook), asked, seconds)
    put_back()
    exercises = _fresh(module.__name__, code).LESSON.exercises
    for exercise in asked:
        if exercise not in given:
            tell(
                exercise=exercise, status="missing", message=errors.get(exercise, "it is not there")
            )
            continue
        try:
            with _at_most(seconds):
                note = exercises[exercise].judge(*given[exercise])
        except _TooLong:
            note = Note("stopped", f"took longer than {seconds:.3g} seconds")
        except BaseException as error:  # the rest must be judged, whatever it is
            note = Note("wrong", f"stopped with {type(error).__name__}: {error}")
        finally:
            put_back()
        status, message = note.status, " ".join([note.title, *note.text])
        tell(exercise=exercise, status=status, message=message.strip())


def _asked(name: str) -> dict[str, list[CodeType]]:
    """What each exercise hands to `check`, as code, from the notebook as it came."""
    (original,) = [path for path in notebooks() if path.stem == name]
    asked = {}
    for source in sources(read(original)):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check":
                key, *answers = node.args
                codes = [compile(ast.Expression(x), "<answer>", "eval") for x in answers]
                asked[ast.literal_eval(key)] = codes
    return asked


def _run(
    shell: InteractiveShell, cells: list[str], asked: dict[str, list[CodeType]], seconds: float
) -> tuple[dict[str, list], dict[str, str]]:
    """Run the cells. The answers, as they stand after the last cell with their check; its error."""
    given: dict[str, list] = {}
    errors: dict[str, str] = {}

    def collect(name: str) -> None:
        with contextlib.suppress(Exception):
            given[name] = [eval(code, shell.user_ns) for code in asked[name]]

    for cell in cells:
        error: BaseException | None = None
        try:
            with _at_most(seconds):
                result = shell.run_cell(cell)
                error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # the shell lets some pass
            error = raised
        for name in asked:
            if re.search(rf"check\(\s*['\"]{name}['\"]", cell):
                collect(name)
                if error is not None:
                    errors[name] = f"its cell stopped with {type(error).__name__}: {error}"
    for name in asked.keys() - given.keys():
        collect(name)
    return given, errors


def _nothing(*_: Any, **__: Any) -> None:
    """What `check` does while a notebook is graded."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer; on Windows, only the end of the whole process does."""

    def stop(*_: Any) -> None:
        raise _TooLong

    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # and again, should that be caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _guard() -> Callable[[], None]:
    """Note how modules and their classes are; what is returned puts them back."""
    modules = {n: m for n, m in sys.modules.items() if n.split(".")[0] in _GUARDED}
    classes = {x for m in modules.values() for x in vars(m).values() if isinstance(x, type)}
    noted = [(x, dict(vars(x))) for x in (*modules.values(), *classes)]

    def put_back() -> None:
        sys.modules.update(modules)
        for thing, attributes in noted:
            for name, value in dict(vars(thing)).items():
                with contextlib.suppress(AttributeError, TypeError):  # what cannot be set
                    if name not in attributes and not isinstance(value, ModuleType):
                        delattr(thing, name)
            for name, value in attributes.items():
                with contextlib.suppress(AttributeError, TypeError):
                    if vars(thing).get(name, noted) is not value:
                        setattr(thing, name, value)

    return put_back


def _fresh(name: str, code: CodeType) -> ModuleType:
    """A lesson's module, made anew."""
    spec = importlib.util.spec_from_loader(name, loader=None, is_package=False)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    exec(code, vars(module))
    return module
