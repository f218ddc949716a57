"""What the widgets see: every op of one run as it happened, and its backward sweep step by step.

The engine has no hooks for watchers. ``watch`` brings a tape of its own, which notes for every op
what it was given, what it made, the line of the program that called it, and the Cells it is in.
Then the engine's own sweep runs over that tape, one entry at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .containers import CONTAINERS, map_tensors, parts, rebuilt, tensors_in
from .frames import (
    Again,
    Call,
    Calls,
    Line,
    argument_names,
    index_at,
    line_at,
    listing_of,
    name_of,
)
from .op import Op, names_of
from .parameter import WEIGHTS, Parameter
from .rules.shape import identity
from .tape import TAPE, Tape, reachable, record, sweep, track, unbroadcast, with_arrays
from .tensor import Node, Tensor, unwrap, wrap
from .transform import parameters_of, positions_of

_NUMBERS = (Tensor, np.ndarray, np.generic, int, float)


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
    index: str = ""  # of `x[name]`, and of its rule, the name
    saved: tuple[str, ...] = ()  # what is kept for the backward pass: names of inputs, "out"
    line: Line | None = None
    cells: tuple[str, ...] = ()  # the Cells it is inside of, outermost first
    calls: tuple[tuple[Call, int], ...] = ()  # all calls it is inside of, as frames.py has them
    again: Again | None = None  # the loop that began another round just before
    rule_of: Value | None = None  # made by the sweep, by the rule of this value's op
    gradient_of: Value | None = None  # what the sweep found to be the gradient of this value

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
    """A function as it ran once, with its graph and its backward sweep.

    Of a run of order 2 the outputs are gradients, and the sweep is that of the derivative.
    """

    name: str
    listing: tuple[Line, ...]
    values: tuple[Value, ...]
    outputs: tuple[Value, ...]
    steps: tuple[Step, ...]
    gradients: dict[Value, np.ndarray]
    aux: tuple[Value, ...] = ()  # outputs that are carried along and not differentiated
    returned: tuple[Value, ...] = ()  # what fn returned: the outputs, but in a run of order 2

    @property
    def output(self) -> Value:
        """The first output."""
        return self.outputs[0]


def watch(
    fn: Callable,
    *args: Any,
    grad_position: int | tuple[int, ...] | None = None,
    weights: Iterable[Parameter] | None = None,
    order: int = 1,
    has_aux: bool = False,
    kwargs: dict[str, Any] | None = None,
) -> Run:
    """Run fn once and return all that happened: values, graph, and the steps of the sweep.

    ``fn`` is a function or a Cell, ``args`` are Tensors, numbers or arrays. ``grad_position`` (an
    int or several; () for none) says which to differentiate: every float input, if None.
    ``weights`` are the Parameters to differentiate: every trainable one that the run uses, if None.
    ``has_aux`` differentiates the first output alone, as for ``grad``. ``kwargs`` are arguments of
    fn by name.

    ``order`` 2 watches the sweep as well: the ops that find the gradients are values of the run
    (those with a ``rule_of``), its outputs are the gradients, and its steps differentiate them.

    >>> from minigrad import Tensor
    >>> run = watch(lambda x, y: x * y + x, Tensor(2.0), Tensor(3.0))
    >>> [step.value.op.name for step in run.steps]
    ['add', 'multiply']
    >>> {value.name: float(g) for value, g in run.gradients.items()}
    {'x': 4.0, 'y': 2.0}
    """
    if order not in (1, 2):
        raise ValueError(f"order is 1, or 2 for the graph of the derivative too; got {order!r}")
    watcher = _Watcher(weights)
    leaves, named = watcher.leaves(fn, args, kwargs or {}, grad_position)
    tokens = TAPE.set(watcher.tape), WEIGHTS.set(watcher.parameters)
    try:
        if order == 1:
            output = fn(*leaves, **named)
        else:
            output, tape, _ = record(fn, leaves, named, tape=watcher.tape.inside())
        output = map_tensors(Tensor, output)  # a Parameter forgets its Node after the run
        main, aux = _outputs(fn, output, has_aux)
        found = main if order == 1 else watcher.differentiate(tape, main)
    finally:
        TAPE.reset(tokens[0])
        WEIGHTS.reset(tokens[1])
        watcher.calls.forget()
    return watcher.run(fn, found, main, aux)


def _outputs(fn: Callable, output: Any, has_aux: bool) -> tuple[list[Tensor], list[Tensor]]:
    """The Tensors that fn returned: those to differentiate, and those carried along."""
    if has_aux and (type(output) is not tuple or len(output) < 2):
        raise ValueError(
            "has_aux=True needs a function with more than one output, (loss, aux, ...), but "
            f"{name_of(fn)} returned one; return a tuple, or drop has_aux"
        )
    main = list(tensors_in(output[0] if has_aux else output))
    if not main:
        raise TypeError(f"{name_of(fn)} returned no Tensor, so there is nothing to show")
    return main, list(tensors_in(output[1:])) if has_aux else []


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
        self.of_node: dict[Any, Value] = {}
        self.constants: dict[int, tuple[Any, Value]] = {}  # by the id of an array, which is kept
        self.tape = _WatchedTape(self)
        self.parameters = _Parameters(self)
        self.calls = Calls(watch.__code__)
        self.rule_of: Value | None = None  # in a sweep, the value whose op's rule runs

    def add(self, kind: str, name: str, data, **more) -> Value:
        value = Value(f"v{len(self.values)}", kind, name, _snapshot(data), **more)
        self.values.append(value)
        return value

    # While fn runs.
    def leaves(
        self, fn: Callable, args: tuple, kwargs: dict[str, Any], grad_position: Any
    ) -> tuple[list, dict[str, Any]]:
        """The arguments as fresh leaves."""
        grad_position = () if grad_position == () else positions_of(grad_position)
        names = argument_names(fn, len(args))
        places = [*names, *(name for name in argument_names(fn) if name not in names)]
        for i in grad_position or ():
            if i >= len(args) and (i >= len(places) or places[i] not in kwargs):
                raise IndexError(
                    f"grad_position {i} is out of range: {name_of(fn)} was called with "
                    f"{len(args) + len(kwargs)} arguments, counted from 0"
                )
        chosen = places if grad_position is None else [places[i] for i in grad_position]
        every = grad_position is None
        leaves = [self.leaf(n, x, n in chosen) for n, x in zip(names, args, strict=True)]
        return leaves, {n: self.leaf(n, x, every or n in chosen) for n, x in kwargs.items()}

    def leaf(self, name: str, x: Any, chosen: bool) -> Any:
        """An argument as a fresh leaf; in a list, tuple or dict each of its Tensors."""
        if isinstance(x, CONTAINERS):
            return rebuilt(x, [self.leaf(f"{name}[{key!r}]", v, chosen) for key, v in parts(x)])
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
        frame, cells, calls, again = self.calls.place()
        if frame is not None:
            self.name_values(frame)
        line = None if frame is None else line_at(frame.f_code.co_filename, frame.f_lineno)
        if self.rule_of is not None:  # a rule has no place but that of its op
            line, cells = line or self.rule_of.line, self.rule_of.cells
            calls, again = self.rule_of.calls, self.rule_of.again
        static = dict(zip(op.parameters, arguments, strict=True))
        index = ""
        if op.name in ("getitem", "scatter"):
            index = self.rule_of.index if self.rule_of else index_at(frame) if frame else ""
        value = self.add(
            "op", "", out, op=op, inputs=inputs, line=line, cells=cells, calls=calls,
            again=again, rule_of=self.rule_of, index=index,
            static={n: x for n, x in static.items() if n not in op.arrays},
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
        """Learn the user's names for values from the variables that the running function reads."""
        outside = frame.f_globals
        read = {name: outside[name] for name in frame.f_code.co_names if name in outside}
        for name, x in [*frame.f_locals.items(), *read.items()]:
            if isinstance(x, Tensor) and not isinstance(x, Parameter):
                value = self.of_node.get(x.node) if x.node else self._constant(x)
                if value is not None and not value.name and not name.startswith("_"):
                    value.name = name

    def _constant(self, x: Tensor) -> Value | None:
        return self.constants.get(id(x.array), (None, None))[1]

    # The sweep of an order 2 run, itself watched.
    def differentiate(self, tape: Tape, outputs: list[Tensor]) -> list[Tensor]:
        """Sweep the tape of the run with every rule's ops on record; return the gradients."""
        notes = {id(entry): note[0] for entry, note in zip(tape, tape.notes, strict=True)}  # type: ignore[attr-defined]  # a _WatchedTape's
        wanted = {node: value for node, value in self.of_node.items() if value.wanted}
        needed = reachable(tape, wanted)
        grads: dict = {}
        for x in outputs:
            if x.node in needed and x.node is not None and x.array.dtype.kind == "f":
                start = self.start(x)
                grads[x.node] = grads[x.node] + start if x.node in grads else start
        for entry in reversed(tape):
            op, saved, sources, output = entry
            for node in output if type(output) is tuple else (output,):
                self.is_gradient(grads.get(node), self.of_node[node])
            self.rule_of = notes[id(entry)]
            sweep([(op, saved, sources, output)], grads, needed)
        self.rule_of = None
        if not wanted:
            return outputs
        taken: set = set()
        found = []
        for node, value in wanted.items():
            g = grads.get(node)
            if g is None:
                g = wrap(np.zeros(node.shape, node.dtype), Node(np.zeros(node.shape, node.dtype)))
                self.of_node[g.node] = self.add("constant", "", g.array)
            elif g.node in taken or self.of_node[g.node].kind == "constant":
                self.rule_of = value
                g = identity(g)  # one value, the gradient of several: each is shown
                self.rule_of = None
            taken.add(g.node)
            self.of_node[g.node].gradient_of = value
            found.append(g)
        return found

    def start(self, x: Tensor) -> Tensor:
        """The gradient of an output, to start the sweep with: 1 in every entry."""
        ones = np.ones_like(x.array)
        start = wrap(ones, Node(ones))
        of = self.of_node[x.node]
        self.of_node[start.node] = self.add("constant", "", ones, gradient_of=of)
        return start

    def is_gradient(self, g: Tensor | None, value: Value) -> None:
        """Note that g is the gradient of a value; of several, that of the first with a name."""
        found = None if g is None else self.of_node.get(g.node)
        if found is None:
            return
        if found.gradient_of is None or (value.name and not found.gradient_of.name):
            found.gradient_of = value

    # After fn has run.
    def run(self, fn: Callable, outputs: list, returned: list, aux: list) -> Run:
        ends = tuple(self.value_of(x) for x in outputs)
        below = tuple(self.value_of(x) for x in returned)
        aside = tuple(self.value_of(x) for x in aux)
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
        name, values = name_of(fn), tuple(self.values)
        return Run(name, listing_of(fn), values, ends, steps, gradients, aside, below)

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
        made = [value for value in self.values if value.kind == "op" and value.rule_of is None]
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
