"""The tape: what a gradient call writes down, and the sweep that reads it backwards.

While a function runs inside a gradient call, every op writes an entry:

    (op, saved, sources, output)

*this op made this output from these sources, and these saved values are what its rules need*.
Sources and output are Nodes (see ``tensor.py``), which stand for values and hold none. The sweep
reads the entries from last to first. It holds the gradient of each Node that it has heard of; an
entry takes the gradient of its output, and its op's rules turn it into the gradients of its
sources. When the first entry has been read, the gradients of the inputs are complete.

On a first reading skip NestedTape, and what is said of calls inside calls: it serves second
derivatives, and the idea is whole without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from .parameter import WEIGHTS, Parameter
from .tensor import Node, Tensor, tracked, unwrap, wrap

# The tape that the gradient call running in this thread (or asyncio task) writes.
# None: nobody differentiates, and nothing is written.
TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)

# The gradient calls that run now, in any thread.
_RUNNING: set[int] = set()

Entry = tuple[Any, tuple, tuple, Any]


class Tape(list):
    """The entries of one gradient call, in the order of the calls; saved values are arrays."""

    __slots__ = ("mixed", "outer")

    special = False  # True: an op hands its entry to ``write``, which only such tapes have
    write: Any
    watched = False  # True: every op is written, those without rules too

    def __init__(self) -> None:
        super().__init__()
        self.mixed = False  # holds entries of an inner call, which only that call may need
        self.outer: Tape | None = None  # that of the call around this one, while it runs

    def inside(self) -> Tape:
        """The tape for a gradient call that runs inside this one."""
        return NestedTape()

    def take_over(self, inner: Tape) -> None:
        """Append the entries of an inner call, for values of it that flow on into this one."""
        self.extend(map(with_arrays, inner))


class NestedTape(Tape):
    """The tape of a gradient call inside another: saved values are Tensors.

    The sweep over this tape is itself written on the outer one, so its rules must run on Tensors
    that are tracked there.
    """

    __slots__ = ()

    special = True

    def __init__(self) -> None:
        super().__init__()
        self.mixed = True

    def write(self, op: Any, arguments: tuple, out: Any) -> Any:
        """Append the entry for one call of an op, and return its output as tracked Tensors."""
        tensors, nodes = track(out)
        self.append((op, op.save(arguments, tensors), op.sources(arguments), nodes))
        return tensors

    def take_over(self, inner: Tape) -> None:
        """Append the entries of an inner call, as they are."""
        self.extend(inner)


def warn_of_unrecorded(op: Any) -> None:
    """Warn that an op on a tracked value was not recorded, if that value's call still runs."""
    if _RUNNING:
        warnings.warn(
            f"no gradient flows through this {op}: its input belongs to a gradient call, and here "
            "nothing is recorded (inside a Cell with a bprop, or in another thread). Hand the "
            "value to the Cell as an input, or compute in the thread of the call",
            stacklevel=3,
        )


def track(out: Any) -> tuple[Any, Any]:
    """An op's output (an array, or a tuple of them) as Tensors with fresh Nodes, and the Nodes."""
    if type(out) is tuple:
        pairs = list(map(tracked, out))
        return tuple(tensor for tensor, _ in pairs), tuple(node for _, node in pairs)
    return tracked(out)


def with_arrays(entry: Entry) -> Entry:
    """The same entry with arrays where it saved Tensors."""
    op, saved, *nodes = entry
    return op, tuple(map(unwrap, saved)), *nodes


def record(
    fn: Callable,
    args: Iterable,
    kwargs: dict,
    weights: Sequence[Parameter] = (),
    tape: Tape | None = None,
) -> tuple[Any, Tape, list[Node]]:
    """Run ``fn(*args, **kwargs)`` while a fresh tape (or the one given) is written.

    Return the output, the tape, and the Nodes that the weights had at the start. Inside another
    gradient call, that one's tape takes the entries over.
    """
    outer, known = TAPE.get(), WEIGHTS.get()
    if tape is None:
        tape = Tape() if outer is None else outer.inside()
    tape.outer = outer
    own = {w: known.get(w) or Node(w.array) for w in weights}
    current = known.copy()
    current.update(own)
    before = dict(current)  # a write to a Parameter changes its Node in current
    tokens = TAPE.set(tape), WEIGHTS.set(current)
    _RUNNING.add(id(tape))
    try:
        output = fn(*args, **kwargs)
    finally:
        _RUNNING.discard(id(tape))
        tape.outer = None
        TAPE.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
        if outer is not None:
            outer.mixed = True
            outer.take_over(tape)
            for w, node in current.items():  # what was written stays written
                if node is not before.get(w):
                    w.node = node
    return output, tape, [own[w] for w in weights]


def unwind(tape: Tape) -> Iterator[Entry]:
    """Yield entries from last to first, dropping each one: memory is freed as the sweep goes."""
    while tape:
        yield tape.pop()


def reachable(entries: Iterable[Entry], leaves: Iterable[Node]) -> set[Node | None]:
    """The Nodes that depend on these leaves: the only ones whose gradients matter."""
    found: set[Node | None] = set(leaves)
    for _, _, sources, output in entries:
        if not found.isdisjoint(sources):
            found.update(output if type(output) is tuple else (output,))
    found.add(None)  # an untracked source, which asks for nothing
    return found


def sweep(entries: Iterable[Entry], grads: dict, needed: set | None = None) -> dict:
    """Turn gradients of outputs into gradients of inputs, for entries from last to first.

    ``grads`` maps Nodes to gradients. It starts with those of the function's outputs, and is
    updated in place: the gradient of an op's output is taken out when the op's entry is read, for
    by then it is complete. ``needed``, if given, holds the only Nodes worth a gradient.
    """
    again = TAPE.get() is not None  # an outer gradient call is recording: gradients are Tensors
    for op, saved, sources, output in entries:
        g = _gather(grads, output) if type(output) is tuple else grads.pop(output, None)
        if g is None:
            continue  # nothing that was asked about depends on this output
        if needed is not None and not needed.issuperset(sources):
            sources = tuple(node if node in needed else None for node in sources)
            if not any(sources):
                continue  # it depends on what an inner call asks about alone
        parts = zip(sources, op.pull(g, sources, *saved))  # noqa: B905  # strict costs a tenth
        for node, dx in parts:
            if dx is None:
                continue
            if dx.shape != node.shape:
                dx = unbroadcast(dx, node.shape)
            if dx.dtype is not node.dtype:
                dx = dx.astype(node.dtype, copy=False)
            known = grads.get(node)
            if known is None:
                grads[node] = dx
            elif again or not _just_made(dx, g):
                grads[node] = known + dx
            else:
                grads[node] = np.add(known, dx, out=dx)
    return grads


def _just_made(dx, g) -> bool:
    """Whether a rule made this array, so that nobody else holds it: it is neither g nor a view."""
    return dx is not g and dx.base is None and dx.ndim > 0 and type(g) is not tuple


def _gather(grads: dict, outputs: tuple[Node, ...]):
    """The gradients of an op's several outputs, as a tuple; zeros for an unused one."""
    found = [grads.pop(node, None) for node in outputs]
    if all(g is None for g in found):
        return None
    again = TAPE.get() is not None
    zeros = (np.zeros(node.shape, node.dtype) for node in outputs)
    return tuple(
        g if g is not None else wrap(zero) if again else zero
        for g, zero in zip(found, zeros, strict=True)
    )


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum g over the axes that numpy stretched to make it, so that it has this shape again."""
    new = g.ndim - len(shape)
    stretched = (i for i, n in enumerate(shape, new) if n == 1 and g.shape[i] != 1)
    if axes := (*range(new), *stretched):
        g = g.sum(axis=axes)
    return g if g.shape == shape else g.reshape(shape)


def hand_out(grads: dict, nodes: list[Node], *taken: np.ndarray) -> list[Tensor]:
    """The gradients of these Nodes as Tensors, zeros where nothing arrived.

    None of them shares memory with another, or with the arrays in ``taken``.
    """
    result, held = [], set(map(id, taken))  # the Tensors in result keep the arrays alive
    for node in nodes:
        g = grads.get(node)
        if isinstance(g, Tensor):  # inside another gradient call, arrays are never overwritten
            result.append(wrap(g.array, g.node))
            continue
        if g is None:
            g = np.zeros(node.shape, node.dtype)
        elif g.base is not None or not g.flags.writeable or id(g) in held:
            g = np.copy(g)  # a rule passed its g on, or a view of it, or made a numpy scalar
        held.add(id(g))
        result.append(wrap(g))
    return result
