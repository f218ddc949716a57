"""The engine that the capstone builds, as its checks see it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor

from .lesson import Note
from .lesson.compare import close, shown
from .lesson.exercise import Mistakes, one_by_one


class Node:
    """The notebook's `Node`: an array, the op that made it, and what it was made of."""

    _numbers = itertools.count()

    def __init__(self, data: Any, op: str = "", *parts: Node):
        self.data, self.op, self.parts = np.asarray(data, float), op, parts
        self.grad, self.number = np.zeros_like(self.data), next(Node._numbers)

    def __add__(self, b: Node) -> Node:
        return Node(self.data + b.data, "add", self, b)

    def __mul__(self, b: Node) -> Node:
        return Node(self.data * b.data, "multiply", self, b)

    def __matmul__(self, b: Node) -> Node:
        return Node(self.data @ b.data, "matmul", self, b)

    def tanh(self) -> Node:
        """The op tanh."""
        return Node(np.tanh(self.data), "tanh", self)


def fit(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """What was broadcast from this shape, added up to it again."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n != g.shape[i])
    return g.sum(axis=axes, keepdims=True)


def pull(op: str, g: Any, out: Any, a: Any, b: Any = None) -> tuple[np.ndarray, ...]:
    """The gradients of what an op has read, for the gradient of its output."""
    if op == "add":
        return fit(g, a.shape), fit(g, b.shape)
    if op == "multiply":
        return fit(g * b, a.shape), fit(g * a, b.shape)
    if op == "matmul":
        return g @ b.T, a.T @ g
    return (g * (1 - out * out),)


# ------------------------------------------------------------------- programs to sweep over
def _twice(a: Any) -> Any:
    return a + a


def _late(a: Any, b: Any) -> Any:
    s = a * b
    t = s + a
    return t * s


def _late_turned(a: Any, b: Any) -> Any:
    s = a * b
    t = s + a
    return s * t


def _deep(a: Any) -> Any:
    s = a + a
    return s + s.tanh().tanh()


def _layer(x: Any, w: Any, b: Any) -> Any:
    h = (x @ w + b).tanh()
    return h * h + b


def _long(a: Any, b: Any) -> Any:
    for _ in range(2000):
        a = a + b
    return a


_PROGRAMS: dict[str, tuple[Callable, dict[str, Any]]] = {
    "twice: `a + a`": (_twice, {"a": [5.0]}),
    "late: `s = a * b`, `t = s + a`, `t * s`": (_late, {"a": [2.0], "b": [3.0]}),
    "turned: `s = a * b`, `t = s + a`, `s * t`": (_late_turned, {"a": [2.0], "b": [3.0]}),
    "deep: `s = a + a`, `s + s.tanh().tanh()`": (_deep, {"a": [0.5]}),
    "layer: `h = (x @ w + b).tanh()`, `h * h + b`": (
        _layer,
        {"x": [[1.0, -2.0]], "w": [[0.5, 0.1], [0.2, -0.3]], "b": [0.1, 0.2]},
    ),
    "long: `a = a + b`, two thousand times": (_long, {"a": [1.0], "b": [0.5]}),
}


class _TooOften(BaseException):
    """A sweep that does not come to an end; no `except Exception` catches it."""


_PARTS = {"add": 2, "multiply": 2, "matmul": 2, "tanh": 1}
_CALL = "pull takes the op, its gradient g, its output and the data of each part, in this order"
_ENOUGH = 20_000  # rules, for programs of at most 2,000 ops


def _swept(sweep: Callable, program: Callable, at: dict[str, Any]) -> dict[str, np.ndarray]:
    """The gradients of a program's inputs as a sweep leaves them."""
    inputs = {name: Node(x) for name, x in at.items()}
    asked = itertools.count()

    def counted(*given: Any) -> Any:
        if next(asked) == _ENOUGH:
            raise _TooOften
        if not given or (isinstance(given[0], str) and not given[0]):
            raise ValueError("an input has no rule: only a part that has parts itself may wait")
        if any(isinstance(x, Node) for x in given):
            raise TypeError("pull takes arrays, not Nodes: hand over the data of each part")
        op, *arrays = given
        plain = all(isinstance(x, np.ndarray | np.generic) for x in arrays)
        if not plain or not isinstance(op, str) or op not in _PARTS:
            raise TypeError(f"{_CALL}: a word, then arrays. It got {', '.join(map(shown, given))}")
        if len(arrays) != 2 + _PARTS[op]:
            raise TypeError(
                f"{_CALL}. For {op} that makes {3 + _PARTS[op]} in all; it got {len(given)}"
            )
        return pull(*given)

    sweep(program(*inputs.values()), counted)
    return {name: np.asarray(node.grad) for name, node in inputs.items()}


def _right(program: Callable, at: dict[str, Any]) -> dict[str, np.ndarray]:
    """The same by minigrad."""
    found = ms.grad(program, tuple(range(len(at))))(*(Tensor(np.array(x)) for x in at.values()))
    found = found if isinstance(found, tuple) else (found,)
    return {name: dx.asnumpy() for name, dx in zip(at, found, strict=True)}


def _same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return all(a[k].shape == b[k].shape and bool(np.all(close(a[k], b[k]))) for k in b)


def wrong_sweep(sweep: Any) -> str | Note:
    """What is wrong first with a sweep, if anything."""
    if not callable(sweep):
        return Note("todo", "Hand over the function itself: `check('backward', backward)`.")
    for name, (program, at) in _PROGRAMS.items():
        try:
            found = _swept(sweep, program, at)
        except _TooOften:
            return (
                f"in `{name.split(':')[0]}` it has asked {_ENOUGH:,} times for a rule. {_ENDLESS}"
            )
        except RecursionError:
            return f"`{name.split(':')[0]}` is too long for a recursion. {_RECURSION}"
        right = _right(program, at)
        if _same(found, right):
            continue
        if not any(np.any(g) for g in found.values()) and program is _twice:
            return Note("todo", "Not done yet: no gradient arrives at an input.")
        for told, known in one_by_one(KNOWN_SWEEPS):
            if told not in (_RECURSION, _ENDLESS) and _same(_swept(known, program, at), found):
                break
        else:
            told = ""
        key = next(k for k in right if not _same({k: found[k]}, {k: right[k]}))
        rows = ("at", name), ("yours", shown(found[key])), ("right", shown(right[key]))
        return Note("wrong", f"Not yet: `{key}.grad` is wrong.", rows, text=(told,))
    return ""


# ------------------------------------------------------------------------- known mistakes
def _sweep(
    result: Node,
    pull: Callable,
    choose: Callable = max,
    add: Callable = np.add,
    onward: Callable[[Node], bool] = lambda part: bool(part.parts),
    ask: Callable = lambda pull, node, *inputs: pull(node.op, node.grad, node.data, *inputs),
) -> None:
    """The sweep, with what may go wrong in it."""
    result.grad, waiting = np.ones_like(result.data), {result.number: result}
    while waiting:
        node = waiting.pop(choose(waiting))
        inputs = [part.data for part in node.parts]
        for part, g in zip(node.parts, ask(pull, node, *inputs), strict=True):
            part.grad = add(part.grad, g)
            if onward(part):
                waiting[part.number] = part


def _chosen(choose: Callable[[dict[int, Node]], int]) -> Callable:
    return lambda result, pull: _sweep(result, pull, choose=choose)


def _each_once(result: Node, pull: Callable) -> None:
    """By a queue that every node joins when it is seen first."""
    result.grad, queue = np.ones_like(result.data), [result]
    for node in queue:
        inputs = [part.data for part in node.parts]
        for part, g in zip(node.parts, pull(node.op, node.grad, node.data, *inputs), strict=True):
            part.grad = part.grad + g
            if part.parts and part not in queue:
                queue.append(part)


def _replacing(result: Node, pull: Callable) -> None:
    _sweep(result, pull, add=lambda old, g: g)


def _swapped(result: Node, pull: Callable) -> None:
    _sweep(
        result, pull, ask=lambda pull, node, *inputs: pull(node.op, node.data, node.grad, *inputs)
    )


def _always_ones(result: Node, pull: Callable) -> None:
    _sweep(
        result,
        pull,
        ask=lambda pull, node, *inputs: pull(node.op, np.ones_like(node.data), node.data, *inputs),
    )


def _times_g(result: Node, pull: Callable) -> None:
    _sweep(
        result,
        pull,
        ask=lambda pull, node, *inputs: [
            node.grad * g for g in pull(node.op, node.grad, node.data, *inputs)
        ],
    )


def _adding_its_own(result: Node, pull: Callable) -> None:
    _sweep(result, pull, ask=lambda pull, node, *inputs: [node.grad for _ in inputs])


def _first_output(result: Node, pull: Callable) -> None:
    _sweep(
        result, pull, ask=lambda pull, node, *inputs: pull(node.op, node.grad, result.data, *inputs)
    )


def _again_and_again(result: Node, pull: Callable) -> None:
    """Whatever arrives at a node, it sends all it has by then."""

    def send(node: Node) -> None:
        if node.parts:
            inputs = [part.data for part in node.parts]
            gradients = pull(node.op, node.grad, node.data, *inputs)
            for part, g in zip(node.parts, gradients, strict=True):
                part.grad = part.grad + g
                send(part)

    result.grad = np.ones_like(result.data)
    send(result)


def _one_step(result: Node, pull: Callable) -> None:
    _sweep(result, pull, onward=lambda part: False)


def _recursive(result: Node, pull: Callable) -> None:
    result.grad = np.ones_like(result.data)
    found: list[Node] = []

    def visit(node: Node) -> None:
        if node not in found:
            for part in node.parts:
                visit(part)
            found.append(node)

    visit(result)
    for node in reversed(found):
        if node.parts:
            inputs = [part.data for part in node.parts]
            gradients = pull(node.op, node.grad, node.data, *inputs)
            for part, g in zip(node.parts, gradients, strict=True):
                part.grad = part.grad + g


def _endless(result: Node, pull: Callable) -> None:
    while True:
        pull(result.op, result.grad, result.data, *(part.data for part in result.parts))


_ENDLESS = "Take a node out of `waiting` when it sends, and let it send once."
_RECURSION = "Keep a list of those that wait, and a loop."
KNOWN_SWEEPS: Mistakes = {
    "Contributions replace each other where they should add up: `part.grad + g`.": _replacing,
    "A node has sent before all had come that was to come to it. Let the newest go first.": (
        _chosen(min),  # the oldest
        _chosen(lambda waiting: next(iter(waiting))),  # who has waited longest
        _chosen(lambda waiting: next(reversed(waiting))),  # who came last
        _each_once,
    ),
    "A node sends all that it has each time that something arrives. It is to send once, when all "
    "has come.": _again_and_again,
    "The sweep ends after one step. A part that was made of others has to wait and send, too.": (
        _one_step
    ),
    "`pull` gets the gradient second and the output third: they are swapped.": _swapped,
    "`pull` got ones for the gradient. Each node sends what has arrived at it, `node.grad`.": (
        _always_ones
    ),
    "`pull` has multiplied by the gradient already. What it returns is added as it is.": _times_g,
    "What is added is the node's own gradient. What its part gets is what `pull` returns.": (
        _adding_its_own
    ),
    "The output that a rule may read is that of its own op, `node.data`.": _first_output,
    _RECURSION: _recursive,
    _ENDLESS: _endless,
}
