"""What the widgets see: every op of one run as it happened, and its backward sweep step by step.

The engine has no hooks for watchers. ``watch`` brings a tape of its own, which notes for every op
what it was given, what it made, the line of the program that called it, and the Cells it is in.
Then the engine's own sweep runs over that tape, one entry at a time.
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .gradient_call import map_tensors, tensors_in
from .nn.cell import Cell
from .op import Op, names_of
from .parameter import WEIGHTS, Parameter
from .rules.shape import identity
from .tape import TAPE, Tape, reachable, sweep, track, unbroadcast, with_arrays
from .tensor import Node, Tensor, unwrap
from .transform import parameters_of, positions_of

_NUMBERS = (Tensor, np.ndarray, np.generic, int, float)
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


@dataclass(frozen=True)
class Line:
    """A line of the user's program; ``text`` is empty if its source is not to be had."""

    file: str
    number: int
    text: str


@dataclass(eq=False)
class Value:
    """One value of the run: an input, a Parameter, a constant, or what an op made."""

    id: str
    kind: str  # "input", "parameter", "constant" or "op"
    name: str  # the user's own name for it, where there is one
    data: Any  # its array; of an op with several outputs, a tuple of them
    wanted: bool = False  # a leaf whose gradient was asked for
    tracked: bool = False  # gradients flow to it
    op: Any = None  # an Op: its name, formula and rule_formulas
    inputs: tuple[tuple[str, Value], ...] = ()  # (name in the op's signature, value)
    static: dict[str, Any] = field(default_factory=dict)  # other arguments, such as axis
    saved: tuple[str, ...] = ()  # what is kept for the backward pass: names of inputs, "out"
    line: Line | None = None
    cells: tuple[str, ...] = ()  # the Cells it is inside of, outermost first

    @property
    def shape(self) -> tuple:
        """The lengths of the axes; of several outputs, a tuple of those."""
        return tuple(x.shape for x in self.data) if type(self.data) is tuple else self.data.shape

    @property
    def dtype(self) -> Any:
        """The numpy dtype; of several outputs, a tuple of them."""
        return tuple(x.dtype for x in self.data) if type(self.data) is tuple else self.data.dtype

    @property
    def cut(self) -> bool:
        """True for an op that lets no gradient through: ``stop_gradient``, comparisons."""
        return self.kind == "op" and self.op.cuts


@dataclass(eq=False)
class Part:
    """What one step sends to one input of its op."""

    input: str
    value: Value
    formula: str  # LaTeX
    dx: np.ndarray
    before: np.ndarray | None  # what had arrived there before
    total: np.ndarray  # before + dx


@dataclass(eq=False)
class Step:
    """One entry of the backward sweep: the gradient ``g`` of an op's output, and its parts."""

    number: int
    value: Value
    g: Any
    parts: tuple[Part, ...]


@dataclass(eq=False)
class Run:
    """A function as it ran once, with its graph and its backward sweep."""

    name: str
    listing: tuple[Line, ...]
    values: tuple[Value, ...]
    outputs: tuple[Value, ...]
    steps: tuple[Step, ...]
    gradients: dict[Value, np.ndarray]

    @property
    def output(self) -> Value:
        """The first output."""
        return self.outputs[0]


def watch(
    fn: Callable,
    *args: Any,
    grad_position: int | tuple[int, ...] | None = None,
    weights: Iterable[Parameter] | None = None,
) -> Run:
    """Run fn once and return all that happened: values, graph, and the steps of the sweep.

    ``fn`` is a function or a Cell, ``args`` are Tensors, numbers or arrays. ``grad_position`` (an
    int or several; () for none) says which to differentiate: every float input, if None.
    ``weights`` are the Parameters to differentiate: every trainable one that the run uses, if None.

    >>> from minigrad import Tensor
    >>> run = watch(lambda x, y: x * y + x, Tensor(2.0), Tensor(3.0))
    >>> [step.value.op.name for step in run.steps]
    ['add', 'multiply']
    >>> {value.name: float(g) for value, g in run.gradients.items()}
    {'x': 4.0, 'y': 2.0}
    """
    watcher = _Watcher(weights)
    leaves = watcher.leaves(fn, args, grad_position)
    tokens = TAPE.set(watcher.tape), WEIGHTS.set(watcher.parameters)
    try:
        output = map_tensors(Tensor, fn(*leaves))  # a Parameter forgets its Node after the run
    finally:
        TAPE.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
    outputs = list(tensors_in(output))
    if not outputs:
        raise TypeError(f"{name_of(fn)} returned no Tensor, so there is nothing to show")
    return watcher.run(fn, outputs)


class _WatchedTape(Tape):
    """A tape whose entries are noted by a watcher as they come."""

    __slots__ = ("notes", "watcher")

    special = watched = True

    def __init__(self, watcher: _Watcher):
        super().__init__()
        self.watcher, self.mixed = watcher, True
        self.notes: list[tuple[Value, tuple[str, ...]] | None] = []  # one for each entry

    def write(self, op, arguments, out):
        tensors, nodes = track(out)
        sources = op.sources(arguments)
        super().append((op, op.save(arguments, tensors), sources, nodes))
        value = self.watcher.note(op, arguments, out, tensors, nodes)
        self.notes.append((value, op.source_names(arguments)))
        return tensors

    def append(self, entry):
        """Put in an op on the samples of a vmap. It is no step of its own: that on the whole is."""
        super().append(entry)
        self.notes.append(None)

    def insert(self, i, entry):
        """Put in a hook of a Tensor. It is no step of its own."""
        super().insert(i, entry)
        self.notes.insert(i, None)

    def inside(self):
        return _WatchedTape(self.watcher)

    def take_over(self, inner):
        self.extend(inner)
        self.notes.extend(inner.notes)


class _Parameters(dict):
    """The Node of every Parameter, made when the run first uses it."""

    def __init__(self, watcher: _Watcher):
        super().__init__()
        self.watcher = watcher

    def get(self, parameter, default=None):
        if parameter not in self:
            node = self[parameter] = Node(parameter.array)
            self.watcher.note_parameter(parameter, node)
        return self[parameter]

    def copy(self):
        copy = _Parameters(self.watcher)
        copy.update(self)
        return copy


class _Watcher:
    """Collects the Values of a run, and then its Steps."""

    def __init__(self, weights):
        self.weights = None if weights is None else set(parameters_of(weights))
        self.values: list[Value] = []
        self.of_node: dict[Node, Value] = {}
        self.constants: dict[int, tuple[Any, Value]] = {}  # by the id of an array, which is kept
        self.tape = _WatchedTape(self)
        self.parameters = _Parameters(self)

    def add(self, kind: str, name: str, data, **more) -> Value:
        value = Value(f"v{len(self.values)}", kind, name, _snapshot(data), **more)
        self.values.append(value)
        return value

    # While fn runs.
    def leaves(self, fn: Callable, args: tuple, grad_position: Any) -> list:
        """The arguments as fresh leaves."""
        grad_position = () if grad_position == () else positions_of(grad_position)
        if grad_position and max(grad_position) >= len(args):
            raise IndexError(
                f"grad_position {max(grad_position)} is out of range: {name_of(fn)} was called "
                f"with {len(args)} arguments, counted from 0"
            )
        names = argument_names(fn, len(args))
        chosen = [grad_position is None or i in grad_position for i in range(len(args))]
        return [self.leaf(*each) for each in zip(names, args, chosen, strict=True)]

    def leaf(self, name: str, x: Any, chosen: bool) -> Any:
        """An argument as a fresh leaf; in a list, tuple or dict each of its Tensors."""
        if isinstance(x, list | tuple):
            kind = getattr(x, "_make", type(x))
            return kind([self.leaf(f"{name}[{i}]", v, chosen) for i, v in enumerate(x)])
        if isinstance(x, dict):
            return {k: self.leaf(f"{name}[{k!r}]", v, chosen) for k, v in x.items()}
        if isinstance(x, bool) or not isinstance(x, _NUMBERS):
            return x  # a flag, a name: the function's own business
        leaf = identity(x if isinstance(x, Tensor) else Tensor(x))
        leaf.node = Node(leaf.array)
        wanted = chosen and leaf.array.dtype.kind == "f"
        self.of_node[leaf.node] = self.add("input", name, leaf.array, wanted=wanted)
        return leaf

    def note_parameter(self, p: Parameter, node: Node) -> None:
        wanted = p.requires_grad if self.weights is None else p in self.weights
        self.of_node[node] = self.add("parameter", p.name, p.array, wanted=wanted)

    def note(self, op: Op, arguments: tuple, out: Any, tensors: Any, nodes: Any) -> Value:
        """Note one call of an op: its inputs, its output, and where it was called."""
        inputs = tuple((name, self.value_of(x)) for name, x in op.inputs(arguments))
        frame, cells = _user_frame()
        if frame is not None:
            self.name_values(frame)
        static = dict(zip(op.parameters, arguments, strict=True))
        value = self.add(
            "op", "", out, op=op, inputs=inputs, cells=cells,
            static={n: x for n, x in static.items() if n not in op.arrays},
            line=None if frame is None else _line(frame.f_code.co_filename, frame.f_lineno),
        )  # fmt: skip
        for node in nodes if type(nodes) is tuple else (nodes,):
            self.of_node[node] = value
        return value

    def value_of(self, x: Any) -> Value:
        """The Value for an op's input: a known one, or a constant."""
        node = x.node if isinstance(x, Tensor) else None
        if node in self.of_node:
            return self.of_node[node]
        array = np.asarray(unwrap(x))
        if not isinstance(x, Tensor | np.ndarray):
            return self.add("constant", "", array)
        key = id(unwrap(x))
        if key not in self.constants:
            self.constants[key] = (unwrap(x), self.add("constant", "", array))
        return self.constants[key][1]

    def name_values(self, frame: Any) -> None:
        """Learn the user's names for values from the variables of the function that is running."""
        for name, x in list(frame.f_locals.items()):
            if isinstance(x, Tensor) and not isinstance(x, Parameter):
                value = self.of_node.get(x.node) if x.node else self._constant(x)
                if value is not None and not value.name and not name.startswith("_"):
                    value.name = name

    def _constant(self, x: Tensor) -> Value | None:
        return self.constants.get(id(x.array), (None, None))[1]

    # After fn has run.
    def run(self, fn: Callable, outputs: list[Tensor]) -> Run:
        ends = tuple(self.value_of(x) for x in outputs)
        self.name_by_lines()
        wanted = {node: value for node, value in self.of_node.items() if value.wanted}
        needed = reachable(self.tape, wanted)
        for node, value in self.of_node.items():
            value.tracked = node in needed
        grads: dict = {}
        for x in outputs:
            if x.node in needed and x.node is not None and x.array.dtype.kind == "f":
                grads[x.node] = grads.get(x.node, 0) + np.ones_like(x.array)
        steps = self.steps(grads, needed)
        zeros = {node: np.zeros(node.shape, node.dtype) for node in wanted}
        gradients = {value: np.asarray(grads.get(n, zeros[n])) for n, value in wanted.items()}
        return Run(name_of(fn), _listing(fn), tuple(self.values), ends, steps, gradients)

    def steps(self, grads: dict, needed: set) -> tuple[Step, ...]:
        """Sweep the tape one entry at a time, and note what each sends where."""
        steps: list[Step] = []
        notes = reversed(self.tape.notes)
        for entry, note in zip(reversed(self.tape), notes, strict=True):
            op, saved, sources, output = with_arrays(entry)
            if note is None:
                sweep([(op, saved, sources, output)], grads, needed)
                continue
            value, names = note
            value.saved = _saved(op, names, sources, needed)
            nodes = output if type(output) is tuple else (output,)
            if not any(node in grads for node in nodes):
                continue
            before: dict[Any, Any] = {n: grads.get(n) for n in sources if n in needed}
            seen = _Seen(op)
            sweep([(seen, saved, sources, output)], grads, needed)
            parts = []
            for name, node, dx in zip(names, sources, seen.parts, strict=True):
                if dx is None or node is None:
                    continue
                dx = dx if dx.shape == node.shape else unbroadcast(dx, node.shape)
                dx = np.asarray(dx, node.dtype)
                known = before[node]
                before[node] = dx if known is None else known + dx
                formula = op.rule_formulas.get(name, "")
                if not formula and len(op.arrays) == 1:
                    formula = op.rule_formulas.get(op.arrays[0], "")
                parts.append(Part(name, self.of_node[node], formula, dx, known, before[node]))
            steps.append(Step(len(steps) + 1, value, seen.g, tuple(parts)))
        return tuple(steps)

    def name_by_lines(self) -> None:
        """Name the last op of a line ``name = ...`` if the run never saw the variable."""
        made = [value for value in self.values if value.kind == "op"]
        for value, after in zip(made, [*made[1:], None], strict=False):
            line = value.line
            if value.name or line is None or "lambda" in line.text:
                continue
            last_of_line = after is None or after.line != line
            if last_of_line and (found := re.match(r"\s*(\w+)\s*=[^=]", line.text)):
                value.name = found[1]


class _Seen:
    """An op that remembers the gradient it was given and the parts its rules made of it."""

    def __init__(self, op: Op):
        self.op = op

    def pull(self, g, sources, *saved):
        self.g = _snapshot(g)
        self.parts = self.op.pull(g, sources, *saved)
        # The sweep may add into what it is handed, so it gets copies.
        return [None if dx is None else np.array(dx) for dx in self.parts]


def _saved(op: Op, names: tuple, sources: tuple, needed: set) -> tuple[str, ...]:
    """What the entry keeps for the rules of its tracked inputs."""
    pairs = zip(names, sources, strict=True)
    wanting = {name for name, node in pairs if node is not None and node in needed}
    if not op.rules:
        return (*op.arrays, "out") if wanting and type(op) is not Op else ()
    rules = [rule for x, rule in op.rules.items() if x in wanting]
    needs = {n for rule in rules for n in names_of(rule)}
    return tuple(n for n in (*op.arrays, "out") if n in needs)


def _snapshot(x):
    return tuple(np.array(v) for v in x) if type(x) is tuple else np.array(x)


# ---------------------------------------------------------------------- where an op is called
def _user_frame():
    """The frame of the user's code that called the op, and the Cells that it runs in."""
    frame: Any = sys._getframe(2)
    user, cells = None, []
    while frame is not None and frame.f_code is not watch.__code__:
        code = frame.f_code
        if user is None and not code.co_filename.startswith((_PACKAGE, "<op ", "<frozen")):
            user = frame
        if code is Cell.__call__.__code__:
            cells.append(frame.f_locals["self"])
        frame = frame.f_back
    return user, _path(cells[::-1])


def _path(cells: list[Cell]) -> tuple[str, ...]:
    """Names for nested Cells: the class of the outermost, then the attribute that holds each."""
    names = []
    for cell, parent in zip(cells, [None, *cells], strict=False):
        held = {} if parent is None else {id(child): n for n, child in parent._cells.items()}
        names.append(held.get(id(cell), type(cell).__name__))
    return tuple(names)


def _line(file: str, number: int) -> Line:
    return Line(file, number, linecache.getline(file, number).rstrip())


def _listing(fn: Any) -> tuple[Line, ...]:
    target = inspect.unwrap(fn.construct if isinstance(fn, Cell) else fn)
    try:
        lines, start = inspect.getsourcelines(target)
        file = inspect.getsourcefile(target) or ""
    except (OSError, TypeError):
        return ()
    return tuple(Line(file, start + i, text.rstrip()) for i, text in enumerate(lines))


def argument_names(fn: Any, count: int) -> list[str]:
    """The names of fn's first arguments; ``xs[0]``, ``xs[1]`` for ``*xs``."""
    target = fn.construct if isinstance(fn, Cell) else fn
    try:
        declared = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return [f"x{i}" for i in range(count)]
    plain = [p.name for p in declared if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    star = next((p.name for p in declared if p.kind is p.VAR_POSITIONAL), "x")
    return [*plain, *(f"{star}[{i}]" for i in range(count))][:count]


def name_of(fn: Any) -> str:
    """What to call a function, or a Cell, in a sentence or a picture."""
    name = getattr(fn, "__name__", type(fn).__name__)
    return "function" if name == "<lambda>" else name
