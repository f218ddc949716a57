"""What all widgets are: an anywidget with a static picture and a text beside it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget

from minigrad.gradient_call import refuse_class
from minigrad.nn import Cell
from minigrad.watch import Run, name_of, watch

from .formula import printable, words
from .png import write_png
from .text import count

_HERE = Path(__file__).parent
_STARS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def read(*names: str) -> str:
    """The named files of this folder, one after another."""
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


def expect_call(
    caller: str,
    fn: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    hint: str = "",
    options: Sequence[str] = (),
) -> None:
    """TypeError, which says how to call, if `fn` is not a function or takes other arguments.

    ``options`` are the caller's own; what else is given by name is an argument of `fn`.
    """
    if not callable(fn):
        raise TypeError(
            f"{caller}(fn, *args) expects a function or a Cell and its arguments, such as "
            f"{caller}(loss, x, w); got {type(fn).__name__} for fn. Pass loss, x, not loss(x)."
        )
    refuse_class(fn)
    kwargs = kwargs or {}
    try:
        signature = inspect.signature(fn.construct if isinstance(fn, Cell) else fn)
    except (TypeError, ValueError):  # a function written in C, of which nobody knows
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        takes = signature.replace(parameters=plain, return_annotation=signature.empty)
        needed = [p.name for p in plain if p.default is p.empty and p.kind not in _STARS]
        call = ", ".join(["cell" if isinstance(fn, Cell) else "fn", *needed])
        raise TypeError(
            f"{caller} calls {name_of(fn)}{takes}, but was given "
            f"{count(len(args) + len(kwargs), 'argument')} for it: {error}. "
            f"{hint or f'Write {caller}({call})'}.{_about(caller, options, needed, kwargs)}"
        ) from None


def _about(caller: str, options: Sequence[str], needed: list[str], kwargs: dict[str, Any]) -> str:
    """What the options of a widget have to do with a call that cannot be."""
    same = [name for name in needed if name in options]
    if same:
        return (
            f" {same[0]} by name is an option of {caller}: give that of the function by position, "
            "or in a lambda."
        )
    return f" {caller}'s own options are {words([*options])}." if kwargs and options else ""


def watch_run(
    caller: str,
    fn: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    own: Sequence[str] = (),
    **options: Any,
) -> Run:
    """Run `fn(*args, **kwargs)` under watch; TypeError, which says how to call, if it cannot be.

    ``own`` are the caller's options that watch does not know; those that it knows are ``options``.
    """
    expect_call(caller, fn, args, kwargs, options=[*own, *options])
    return watch(fn, *args, kwargs=kwargs, **options)


class SavedWidget(anywidget.AnyWidget):
    """A widget that leaves a static picture and a text where a notebook is saved."""

    def to_svg(self) -> str:
        """The static picture: one SVG file's text, readable by itself, light and dark."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The text form: the same on every machine."""
        raise NotImplementedError

    def to_png(self, path: Any = None, scale: float = 2) -> bytes:
        """The static picture as the bytes of a PNG file, in light colours.

        ``path`` is a file to write them to as well. ``scale`` is how many pixels a px of the SVG
        gets: 2 is sharp on paper and on most screens. Raises ValueError if it is not above 0, and
        RuntimeError if there is no font to write with.
        """
        return write_png(self.to_svg(), path, scale)

    def alone(self) -> dict[str, Any]:
        """The state that a page needs besides if it has no kernel to ask."""
        return {}

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live or ({}, {})
        return {**data, "image/svg+xml": self.to_svg(), "text/plain": self.to_text()}, metadata


def called(run: Run) -> str:
    """The call that made the run, such as `loss(x, w)`."""
    inputs = (value.name for value in run.values if value.kind == "input" and value.name)
    return printable(f"{run.name}({', '.join(inputs)})")
