"""A Cell with a ``bprop`` inside vmap, where a gradient call runs around the vmap.

To that call the Cell is one op on all samples. Its rule is the bprop, run for all samples at once.
"""

from __future__ import annotations

from typing import Any

from ..batch import SIZES, Batched, holds, level_of, spread
from ..tape import TAPE
from ..tensor import Tensor, unwrap, wrap
from .custom import CellOp


def is_tracked_around(op: CellOp, level: int) -> bool:
    """Whether a gradient call around the vmap of this level differentiates what the Cell uses."""
    for p in op.cell.get_parameters():
        if isinstance(p.array, Batched) and p.array.samples.node is not None:
            raise TypeError(
                f"{op.name} has a bprop and Parameters that differ between samples: a gradient "
                "call around its vmap cannot reach them; call grad inside, as in vmap(grad(f))"
            )
    around = [p.node for p in op.weights if not isinstance(p.array, Batched)]
    for x in op.values:
        if isinstance(x, Tensor) and not holds(x, level):
            around.append(x.node)
        while isinstance(x, Tensor) and isinstance(x.array, Batched):
            x = x.array.samples
            around.append(x.node)
    return any(around)


def for_all(op: CellOp, level: int, out: Any) -> Any:
    """The output of a Cell for all samples, with an entry for the gradient calls around."""
    held = [holds(x, level) for x in op.values]
    values = tuple(x.array.samples if h else x for x, h in zip(op.values, held, strict=True))
    whole = _WholeOp(op, held, SIZES.get()[level], values)
    several = isinstance(out, tuple | list)
    samples = tuple(_samples(y, level, whole.size) for y in (out if several else (out,)))
    if whole.level:  # a vmap around this one
        samples = for_all(whole, whole.level, samples)
    samples = whole.write(TAPE.get(), samples)
    outputs = [wrap(Batched(y, level)) for y in samples]
    return type(out)(outputs) if several else outputs[0]


def _samples(x: Tensor, level: int, size: int) -> Tensor:
    """What x is for all samples, along axis 0."""
    return x.array.samples if holds(x, level) else spread(x, size)


class _WholeOp(CellOp):
    """One call of a Cell for all samples, as an op."""

    __slots__ = ("held", "inner", "size")

    def __init__(self, inner: CellOp, held: list[bool], size: int, values: tuple):
        self.inner, self.held, self.size = inner, held, size
        weights = [p for p in inner.weights if not isinstance(p.array, Batched)]
        self.describe(inner.cell, inner.parameters, values, weights)

    def pull(self, g, sources, *saved):
        *inputs, out = saved
        recording = isinstance(g[0], Tensor)
        wanted = dict(zip(self.weights, sources[len(inputs) :], strict=True))
        sources = (*sources[: len(inputs)], *map(wanted.get, self.inner.weights))
        with level_of(self.size) as level:

            def enter(x):
                return wrap(Batched(x if isinstance(x, Tensor) else wrap(x), level))

            inputs = [enter(x) if h else x for x, h in zip(inputs, self.held, strict=True)]
            g, out = tuple(map(enter, g)), tuple(map(enter, out))
            if not self.inner.several:
                g, out = g[0], out[0]
            parts = self.inner.pull(g, sources, *inputs, out)
            held = [*self.held, *[False] * len(self.inner.weights)]
            whole = [self._of_all(dx, h, level) for dx, h in zip(parts, held, strict=True)]
        by_weight = dict(zip(self.inner.weights, whole[len(inputs) :], strict=True))
        found = [*whole[: len(inputs)], *map(by_weight.get, self.weights)]
        return found if recording else list(map(unwrap, found))

    def _of_all(self, dx, held, level):
        """A part for all samples; of an input that is the same for all, their sum."""
        if dx is None:
            return None
        samples = _samples(dx, level, self.size)
        return samples if held else samples.sum(0)
