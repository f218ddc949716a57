"""Tensors that a construct keeps in its Cell, for its bprop to read: two ways to go wrong.

Inside construct nothing is recorded, so to the gradient what it keeps is a constant. In first order
that is right: bprop says what the gradient is. In second order, where bprop itself is
differentiated, what it reads from ``self`` does not lead back to the inputs. And a Cell that is
called again before its bprop runs holds what the later call kept. Both are warned of.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import CodeType
from typing import Any

import numpy as np

from ..batch import NoTape
from ..containers import CONTAINERS, places
from ..parameter import Parameter
from ..tape import TAPE
from ..tensor import Node, Tensor

_OWN = frozenset(("_params", "_cells", "_buffers"))

Kept = dict[str, Tensor]  # by place, such as self.made or self.steps[0]


def kept_in(cell: Any) -> Kept:
    """The Tensors that a Cell holds and does not train."""
    return {
        where: x
        for name, value in vars(cell).items()
        if isinstance(value, (Tensor, *CONTAINERS)) and name not in _OWN
        for where, x in places(value, f"self.{name}")
        if isinstance(x, Tensor) and not isinstance(x, Parameter)
    }


@contextmanager
def watching(call: Any, again: bool) -> Iterator[None]:
    """While the bprop of a call runs, warn of what it reads that construct kept, where it matters.

    ``again``: what bprop computes is differentiated by the inputs.
    """
    rule, cell, kept = call.rule, call.cell, call.in_cell
    now = kept_in(cell)
    code = getattr(unwrap(cell.bprop), "__code__", None)
    for where, x in kept.items():
        name = where.removeprefix("self.").partition("[")[0]
        if code is not None and name in code.co_names and _differ(now.get(where, x), x):
            _warn(
                code,
                f"{rule} reads {where}, which construct kept, but the Cell was called again, and "
                "it now holds what the later call kept. So the gradient is wrong: compute it from "
                "the inputs and out, which bprop is given",
            )
    tape: Any = TAPE.get()
    if code is None or not again or tape is None or isinstance(tape, NoTape):
        yield
        return
    marks = {}
    for where, x in now.items():
        if where in kept and x.node is None and x.array.dtype.kind == "f":
            x.node = Node(x.array)
            marks[x.node] = where, x
    start = len(tape)
    try:
        yield
    finally:
        for _, x in marks.values():
            x.node = None
    read = [marks[n][0] for _, _, sources, _ in tape[start:] for n in sources if n in marks]
    if read:
        _warn(
            code,
            f"{rule} reads {read[0]}, which construct kept. It counts as a constant there, so the "
            "second derivative lacks what comes through it: compute it from the inputs and out, "
            "which bprop is given. If a constant is meant, read "
            f"ops.stop_gradient({read[0]})",
        )


def _differ(x: Tensor, y: Tensor) -> bool:
    arrays = x.array, y.array
    known = all(isinstance(a, np.ndarray | np.generic) for a in arrays)  # not so inside vmap, jit
    return known and not np.array_equal(*arrays, equal_nan=x.array.dtype.kind == "f")


def _warn(code: CodeType, message: str) -> None:
    """Warn where bprop is written."""
    warnings.warn_explicit(message, UserWarning, code.co_filename, code.co_firstlineno)
