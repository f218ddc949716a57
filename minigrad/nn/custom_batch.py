"""A Cell with a ``bprop`` inside vmap, where a gradient call runs around the vmap.

To that call the Cell is one op on all samples. Its rule is the bprop, run for all samples at once.
"""

from __future__ import annotations

from typing import Any

from ..batch import SIZES, Batched, holds, level_in, level_of, spread
from ..containers import tensors_in
from ..tape import TAPE
from ..tensor import Tensor, unwrap, wrap
from .custom import CellOp


def is_tracked_around(op: CellOp, level: int) -> bool:
    """Whether a gradient call around the vmap of this level differentiates what the Cell uses."""
    around: list[Any] = []
    for x in (*op.values, *op.kept):
        if isinstance(x, Tensor) and not holds(x, level):
            around.append(x.node)
        while isinstance(x, Tensor) and isinstance(x.array, Batched):
            x = x.array.samples
            around.append(x.node)
    return any(around)


def for_all(op: CellOp, level: int, out: Any) -> Any:
    """The output of a Cell for all samples, with an entry for the gradient calls around."""
    whole = _WholeOp(op, level, SIZES.get()[level])
    samples = tuple(_samples(y, level, whole.size) for y in tensors_in(out))
    if whole.level:  # a vmap around this one
        samples = for_all(whole, whole.level, whole.checked_outputs(samples))
    samples = whole.write(TAPE.get(), samples)
    outputs = [wrap(Batched(y, level)) for y in samples]
    return op.output_of(outputs[0] if isinstance(out, Tensor) else outputs)


def _samples(x: Tensor, level: int, size: int) -> Tensor:
    """What x is for all samples, along axis 0."""
    return x.array.samples if holds(x, level) else spread(x, size)


class _WholeOp(CellOp):
    """One call of a Cell for all samples, as an op."""

    __slots__ = ("held", "inner", "size")

    def __init__(self, inner: CellOp, level: int, size: int):
        self.inner, self.size, self.weights = inner, size, inner.weights
        given = (*inner.values, *inner.kept)
        self.held = [holds(x, level) for x in given]
        whole = tuple(x.array.samples if h else x for x, h in zip(given, self.held, strict=True))
        n = len(inner.values)
        self.describe(inner.cell, inner.parameters, whole[:n])
        self.kept, self.level = whole[n:], level_in(whole)

    def pull(self, g, sources, *saved):
        *given, out = saved
        recording = isinstance(g[0], Tensor)
        with level_of(self.size) as level:

            def enter(x):
                return wrap(Batched(x if isinstance(x, Tensor) else wrap(x), level))

            given = [enter(x) if h else x for x, h in zip(given, self.held, strict=True)]
            g, out = tuple(map(enter, g)), tuple(map(enter, out))
            if isinstance(self.inner.out, Tensor):
                g, out = g[0], out[0]
            parts = self.inner.pull(g, sources, *given, out)
            pairs = zip(parts, self.held, strict=True)
            found = [self._of_all(dx, h, level) for dx, h in pairs]
        return found if recording else list(map(unwrap, found))

    def _of_all(self, dx, held, level):
        """A part for all samples; of an input that is the same for all, their sum."""
        if dx is None:
            return None
        samples = _samples(dx, level, self.size)
        return samples if held else samples.sum(0)
