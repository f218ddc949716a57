"""Tracebacks that show the lines of the user's own program, and none of the engine's.

They are cut when they are shown, not when an error is raised, so whoever catches an error has all
of it. With MINIGRAD_TRACEBACK=full in the environment, all is shown too.
"""

import os
import sys
from types import TracebackType
from typing import Any

_ENGINE = frozenset({"minigrad", "minigrad_widgets"})
_CALLED_BY_IT = frozenset({"numpy", "scipy"}) | sys.stdlib_module_names


def shorten(error: BaseException) -> None:
    """Take the engine's frames out of the traceback of an error, and of those that led to it.

    Frames of numpy and of Python's own modules go too where the engine called them. An error that
    is the engine's alone, such as numpy's in place of which another is raised, is left out.
    """
    seen, waiting = set(), [error]
    while waiting:
        error = waiting.pop()
        if id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = _of_the_user(error.__traceback__) or error.__traceback__
        if isinstance(error, BaseExceptionGroup):
            waiting += error.exceptions
        before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if before is None:
            continue
        if before.__traceback__ is not None and _of_the_user(before.__traceback__) is None:
            error.__cause__, error.__suppress_context__ = None, True
        else:
            waiting.append(before)


def _of_the_user(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the engine and of what it called."""
    kept, inside = [], False
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__")).partition(".")[0]
        inside = module in _ENGINE or (inside and module in _CALLED_BY_IT)
        if not inside:
            kept.append(traceback)
        traceback = traceback.tb_next
    shorter = None
    for each in reversed(kept):
        shorter = TracebackType(shorter, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shorter


def install() -> None:
    """From now on shorten what Python and IPython show of an error that nobody caught."""
    if os.environ.get("MINIGRAD_TRACEBACK") == "full":  # pragma: no cover  # in another process
        return
    show = sys.excepthook

    def hook(kind: Any, error: BaseException, _: Any) -> None:  # pragma: no cover  # ends a process
        shorten(error)
        show(kind, error, error.__traceback__)

    sys.excepthook = hook
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    # One that is set would be lost.
    if shell is not None and not shell.custom_exceptions:  # pragma: no cover  # in a notebook
        shell.set_custom_exc((Exception,), _show_in_ipython)


def _show_in_ipython(  # pragma: no cover  # in a notebook
    shell: Any, kind: Any, error: BaseException, _: Any, tb_offset: int | None = None
) -> None:
    shorten(error)
    shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
