"""What both writers share: names for slots, and steps as text."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable, Set
from typing import Any

import numpy as np

from .program import REDUCE, Slot, Step, astype, getitem, in_order, reshape, transpose

INFIX = {
    np.add: ("+", 4), np.subtract: ("-", 4), np.multiply: ("*", 5), np.divide: ("/", 5),
    np.matmul: ("@", 5), np.power: ("**", 7), np.greater: (">", 3), np.less: ("<", 3),
    np.greater_equal: (">=", 3), np.less_equal: ("<=", 3), np.equal: ("==", 3),
    np.not_equal: ("!=", 3),
}  # fmt: skip

OWN = {"np", "rng", "special"}  # names that the readable text has for itself


class Names:
    """A name for each slot, used once."""

    def __init__(self, taken: set[str]):
        self.taken = {*taken, *keyword.kwlist, *dir(builtins)}
        self.of: dict[Slot, str] = {}
        self._count: Counter = Counter()

    def fresh(self, name: str) -> str:
        """The name, or, if it is taken, with a number behind it."""
        name = re.sub(r"\W", "_", name)
        name = f"_{name}" if not name or name[0].isdigit() else name
        while True:
            self._count[name] += 1
            found = name if self._count[name] == 1 else f"{name}_{self._count[name]}"
            if found not in self.taken:
                self.taken.add(found)
                return found

    def __call__(self, slot: Slot, otherwise: str = "t") -> str:
        """The name of a slot: the user's, or else this one."""
        if slot not in self.of:
            self.of[slot] = self.fresh(slot.name or otherwise)
        return self.of[slot]


def tuple_text(x: tuple) -> str:
    """A tuple, as numpy's methods take it."""
    return f"({', '.join(map(repr, x))}{',' * (len(x) == 1)})" if x else "()"


def literal(slot: Slot, beside: Set[np.dtype]) -> str:
    """A constant number as text; "" for other slots.

    Numpy takes a bare number in the dtype of what stands beside it; else the text names the dtype.
    """
    if slot.ndim or slot.value is None or slot.dtype == object:
        return ""
    value = slot.value.item()
    if isinstance(value, float) and np.isfinite(value):
        text = str(slot.value[()]) if slot.dtype.itemsize < 8 else repr(value)
        whole = value.is_integer() and abs(value) < 1e6 and str(value) != "-0.0"
        text = str(int(value)) if whole else text
    else:
        text = number_text(value)
    return text if slot.dtype in beside else f"np.{slot.dtype}({text})"


def number_text(value: Any) -> str:
    """A static argument as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return repr(int(value))  # of an enumeration too
    if isinstance(value, np.dtype):
        return f"np.{value}"
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"np.{value.__name__}"
    if isinstance(value, float) and not np.isfinite(value):
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(str(value), "np.nan")
    return repr(value)


def static_text(x: Any, text: Callable[[Any], str]) -> str:
    """An argument as text, slots in it too."""
    if isinstance(x, Slot):
        return text(x)
    if isinstance(x, tuple):
        return f"({', '.join(static_text(v, text) for v in x)}{',' * (len(x) == 1)})"
    if isinstance(x, list):
        return f"[{', '.join(static_text(v, text) for v in x)}]"
    if isinstance(x, dict):
        return f"{{{', '.join(f'{k!r}: {static_text(v, text)}' for k, v in x.items())}}}"
    if isinstance(x, slice):
        parts = (static_text(v, text) for v in (x.start, x.stop, x.step))
        return f"slice({', '.join(parts)})"
    return number_text(x)


def index_text(index: tuple, text: Callable[[Any], str]) -> str:
    """An index in its brackets."""

    def show(i: Any) -> str:
        if isinstance(i, slice):
            ends = [i.start, i.stop] + [i.step] * (i.step is not None)
            return ":".join("" if v is None else static_text(v, text) for v in ends)
        return "..." if i is Ellipsis else static_text(i, text)

    return f"[{', '.join(map(show, index)) or '()'}]"


def method_text(step: Step, x: str, text: Callable[[Any], str]) -> str:
    """A view, a reduction or a cast as a method of the text x."""
    op, (first, *rest) = step.op, step.args
    if op is reshape:
        shape = rest[0]
        return f"{x}.reshape({shape[0] if len(shape) == 1 else tuple_text(shape)})"
    if op is transpose:
        axes, n = rest[0], first.ndim
        if axes == tuple(range(n))[::-1]:
            return f"{x}.T"
        swapped = (*range(n - 2), n - 1, n - 2)
        return f"{x}.mT" if axes == swapped else f"{x}.transpose({tuple_text(axes)})"
    if op is getitem:
        return x + index_text(tuple(rest), text)
    if op is astype:
        return f"{x}.astype(np.{rest[0]})"
    if op is in_order:
        return f"{x}.copy()"
    axes, keepdims = rest
    axis = [str(axes[0]) if len(axes) == 1 else tuple_text(axes)] * (len(axes) < first.ndim)
    return f"{x}.{op.__name__}({', '.join(axis + ['keepdims=True'] * keepdims)})"


def gradient_note(slots: Iterable[Slot]) -> str:
    """Of which lines of the user's program these values are the gradient."""
    *others, last = map(str, sorted({line.number for x in slots for line in x.gradient_lines}))
    if not others:
        return f"gradient of line {last}"
    return f"gradient of lines {', '.join(others)} and {last}"


METHODS = (reshape, transpose, getitem, astype, in_order, *REDUCE)
