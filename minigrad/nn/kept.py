"""Tensors that a construct keeps in its Cell, for its bprop to read: two ways to go wrong.

Inside construct nothing is recorded, so to the gradient what it keeps is a constant. In first order
that is right: bprop says what the gradient is. In second order, where bprop itself is
differentiated, what it reads from ``self`` does not lead back to the inputs. And a Cell that is
called again before its bprop runs holds what the later call kept. Both are warned of.

To know what bprop reads, the attributes are taken out of the Cell while it runs. Python then asks
the Cell's ``__getattr__``, which looks here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any

import numpy as np

from ..batch import NoTape
from ..parameter import Parameter
from ..tape import TAPE
from ..tensor import Node, Tensor

FEW = 64  # longer lists and dicts are tables, or histories
_OWN = frozenset(("_params", "_cells", "_buffers", "_lent"))

Kept = dict[str, list[tuple[str, Tensor]]]  # by attribute, with places such as self.steps[0]


class Lent:
    """Attributes that were taken out of a Cell, and which of them were read."""

    def __init__(self, attributes: dict[str, Any]):
        self.attributes = attributes
        self.read: set[str] = set()


def kept_in(cell: Any) -> Kept:
    """The Tensors that a Cell holds and does not train, as they are or in a short list or dict."""
    found: Kept = {}
    for name, value in vars(cell).items():
        if name not in _OWN and (inside := _tensors_of(f"self.{name}", value)):
            found[name] = inside
    return found


def _tensors_of(where: str, value: Any) -> list[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        return [] if isinstance(value, Parameter) else [(where, value)]
    if not isinstance(value, list | tuple | dict) or len(value) > FEW:
        return []
    keyed = value.items() if isinstance(value, dict) else enumerate(value)
    return [(f"{where}[{k!r}]", x) for k, x in keyed if type(x) is Tensor]


def new_in(now: Kept, before: Kept) -> Kept:
    """What is kept now and was not before."""
    old = {id(x) for pairs in before.values() for _, x in pairs}
    new = {name: [p for p in pairs if id(p[1]) not in old] for name, pairs in now.items()}
    return {name: pairs for name, pairs in new.items() if pairs}


@contextmanager
def watching(call: Any, again: bool) -> Iterator[None]:
    """While the bprop of a call runs, warn of what it reads that construct kept, where it matters.

    ``again``: what bprop computes is differentiated by the inputs.
    """
    cell, kept = call.cell, call.in_cell
    own, now = vars(cell), kept_in(cell)
    tape = TAPE.get()
    differentiated: Any = again and tape is not None and not isinstance(tape, NoTape)
    lent = Lent({name: own.pop(name) for name in kept if name in own})
    own.setdefault("_lent", []).append(lent)  # bprop may run in other threads as well
    marks = {}
    for name in kept if differentiated else ():
        for where, x in now.get(name, ()):
            if x.node is None and x.array.dtype.kind == "f":
                x.node = Node(x.array)
                marks[x.node] = where, x
    start = len(tape) if tape is not None else 0
    try:
        yield
    finally:
        for name, value in lent.attributes.items():
            own.setdefault(name, value)  # unless bprop has written it
        own["_lent"].remove(lent)
        for _, x in marks.values():
            x.node = None
    for name in kept.keys() & lent.read:
        for (where, x), (_, other) in zip(kept[name], now.get(name, ()), strict=False):
            if _differ(x, other):
                _warn(
                    call,
                    f"{call.rule} reads {where}, which construct kept, but the Cell was called "
                    "again, and it now holds what the later call kept. So the gradient is wrong: "
                    "compute it from the inputs and out, which bprop is given",
                )
    entries: Any = tape[start:] if tape is not None and marks else ()
    read = [marks[n][0] for _, _, sources, _ in entries for n in sources if n in marks]
    if read:
        _warn(
            call,
            f"{call.rule} reads {read[0]}, which construct kept. It counts as a constant there, so "
            "the second derivative lacks what comes through it: compute it from the inputs and "
            "out, which bprop is given. If a constant is meant, read "
            f"ops.stop_gradient({read[0]})",
        )


def _differ(x: Tensor, y: Tensor) -> bool:
    arrays = x.array, y.array
    known = all(isinstance(a, np.ndarray | np.generic) for a in arrays)  # not so inside vmap, jit
    return known and not np.array_equal(*arrays, equal_nan=x.array.dtype.kind == "f")


def _warn(call: Any, message: str) -> None:
    """Warn where bprop is written."""
    code = getattr(unwrap(call.cell.bprop), "__code__", None)
    if code is None:  # something else that can be called
        warnings.warn(message, stacklevel=2)
    else:
        warnings.warn_explicit(message, UserWarning, code.co_filename, code.co_firstlineno)
