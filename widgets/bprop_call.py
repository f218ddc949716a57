"""One call of a Cell with a bprop as data: its arguments, its rule, and the gradient without it."""

from __future__ import annotations

import inspect
import reprlib
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import Parameter, Tensor, nn, vjp
from minigrad.check import Report, check_bprop, compare_entries
from minigrad.containers import holds_tensors
from minigrad.frames import listing_of
from minigrad.nn.custom import CellOp
from minigrad.tensor import unwrap
from minigrad.watch import argument_names, name_of

from . import summary
from .formula import gradient_name

_MOST_MEASURED = 1000  # entries of an input that are moved one by one


def cell_of(fn: Any) -> Any:
    """The Cell with the bprop: fn, or the one that custom_bprop made; None if there is none."""
    if not isinstance(fn, nn.Cell) and inspect.isfunction(fn) and hasattr(fn, "__wrapped__"):
        fn = inspect.getclosurevars(fn).nonlocals.get("cell")
    return fn if isinstance(fn, nn.Cell) and getattr(fn, "bprop", None) is not None else None


@dataclass
class Bound:
    """A parameter of bprop: where its value comes from.

    `source` is the name of an input of construct, "out" or "dout"; "" if bprop has a default of its
    own for it, or if nothing fits. `note` says the value.
    """

    name: str
    source: str
    note: str


@dataclass
class Pair:
    """The gradients of one input or Parameter: by the rule, and without it."""

    name: str
    rule: np.ndarray
    other: np.ndarray
    slack: float  # by how much they may differ by rounding

    @property
    def off(self) -> np.ndarray:
        """Rule less other, 0 where they agree but for rounding."""
        off = self.rule - self.other
        return np.where(np.abs(off) <= self.slack, 0.0, off)

    @property
    def same(self) -> bool:
        """Whether they agree in every entry."""
        return not np.any(self.off)


class Closed:
    """The Cell as a function of its floating Tensors alone: with its rule, or `construct` only."""

    def __init__(self, cell: Any, name: str, args: list[Any], kwargs: dict[str, Any]):
        self.cell, self.args, self.kwargs = cell, args, kwargs
        self.__name__ = name
        names = argument_names(cell, len(args))
        self.places: list[Any] = [i for i, x in enumerate(args) if _floats(x)]
        self.places += [key for key, x in kwargs.items() if _floats(x)]
        self.names = [names[p] if isinstance(p, int) else p for p in self.places]
        self.tensors = [args[p] if isinstance(p, int) else kwargs[p] for p in self.places]
        if all(each.isidentifier() for each in self.names):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            self.__signature__ = inspect.Signature(
                [inspect.Parameter(each, kind) for each in self.names]
            )

    def get_parameters(self) -> Any:
        """The Parameters of the Cell, for the check."""
        return self.cell.get_parameters()

    def __call__(self, *tensors: Any) -> Any:
        """The call as it is, with the rule."""
        return self._call(self.cell, tensors)

    def construct(self, *tensors: Any) -> Any:
        """The same without the rule."""
        return self._call(self.cell.construct, tensors)

    def _call(self, fn: Callable, tensors: tuple[Any, ...]) -> Any:
        args, kwargs = list(self.args), dict(self.kwargs)
        for place, x in zip(self.places, tensors, strict=True):
            if isinstance(place, int):
                args[place] = x
            else:
                kwargs[place] = x
        return fn(*args, **kwargs)


class BpropCall:
    """A call, taken apart: `inputs` and `bound`, `returned`, `pairs`, or the `error` on the way."""

    def __init__(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.cell, self.name = cell_of(fn), name_of(fn)
        given, named = _as_tensors(args, kwargs)
        self.written = f"{self.name}({', '.join(_written(self.cell, given, named))})"
        bound = inspect.signature(self.cell.construct).bind(*given, **named)
        self.closed = Closed(self.cell, self.name, given, named)
        out = self.closed.construct(*self.closed.tensors)  # what fails here is construct's own
        self.outputs = list(out) if isinstance(out, tuple | list) else [out]
        self.weights = [p for p in self.cell.trainable_params() if p.array.dtype.kind == "f"]
        self.defaults = _defaults(self.cell.construct, bound)
        self.error, self.binding_error = "", False
        self.inputs: list[tuple[str, Any]] = list(bound.arguments.items())
        self.bound: list[Bound] = []
        self.returned: list[tuple[str, str, str]] = []  # a name, what it is, and of which input
        self.pairs: list[Pair] = []
        self.notes: list[str] = []
        self.automatic = True
        self.report: Report | None = None
        self.douts = [np.ones(x.shape, x.array.dtype) for x in map(_tensor, self.outputs)]
        try:
            op = CellOp(self.cell, given, named)
        except TypeError as error:
            self.error, self.binding_error = _said(error), True
            self.bound = list(_unbound(self.cell.bprop))
            return
        self.inputs = list(zip(op.parameters, op.values, strict=True))
        self.bound = [self._bound(*each) for each in op.binding.arguments]
        self._look_at_returned(op, out)
        self._compare()

    def _bound(self, name: str, kind: Any, source: Any) -> Bound:
        if isinstance(source, str):
            says = {"out": "the output", "dout": "its gradient"}
            return Bound(name, source, says[source])
        if isinstance(source, int):
            of = self.inputs[source][0]
            return Bound(of if kind is inspect.Parameter.VAR_POSITIONAL else name, of, "")
        return Bound(name, "", f"its own default, {_short(source.default)}")

    def _look_at_returned(self, op: CellOp, out: Any) -> None:
        """What the rule returns, as it returns it: a name and a note for each entry."""
        pairs = zip(self.douts, self.outputs, strict=True)
        douts = tuple(Tensor(g) for g, y in pairs if isinstance(y, Tensor))
        dout = douts if len(douts) > 1 else douts[0]
        positional, named, order = op.binding.fill(list(op.values), out, dout)
        try:
            returned = self.cell.bprop(*positional, **named)
        except Exception as error:  # the rule is the user's: whatever it raises is shown
            self.error = _said(error)
            return
        by_weight: dict[Any, Any] = {}
        if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
            returned, by_weight = returned
        entries = list(returned) if isinstance(returned, tuple | list) else [returned]
        tensors = [i for i in order if isinstance(op.values[i], Tensor)]
        places = order if len(entries) == len(order) else tensors
        names = [op.parameters[i] for i in places]
        for i, entry in enumerate(entries):
            of = names[i] if len(entries) == len(names) else ""
            name = gradient_name(of) if of else f"entry {i}"
            self.returned.append((name, note_of(entry), of or name))
        for p, entry in by_weight.items():
            of = getattr(p, "name", repr(p))
            self.returned.append((gradient_name(of), note_of(entry), of))

    # ---- the two gradients
    def _compare(self) -> None:
        if self.error:
            return
        if not self.closed.tensors and not self.weights:
            self.notes.append("No input is a Tensor of floats, so there is no gradient.")
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self._pair_up()
            except Exception as error:  # of the rule, or of what the engine says of its answer
                self.error = _said(error)
        self.notes += [str(each.message) for each in caught]
        if self.error:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are among the notes
                self.report = check_bprop(self.closed, *self.closed.tensors)
        except (TypeError, ValueError) as error:  # it draws random numbers, or is not finite
            self.notes.append(str(error))
            return
        if not self.report.right and all(pair.same for pair in self.pairs):
            self.douts = [
                x.astype(old.dtype)
                for x, old in zip(self.report.differences[0].dout, self.douts, strict=True)
            ]  # with 1 everywhere the fault does not show
            self._pair_up()

    def _pair_up(self) -> None:
        rule = self.gradients(self.closed, self.douts)
        other: Sequence[np.ndarray | None]
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a value that leaves minigrad has no gradient there
            try:
                other = self.gradients(self.closed.construct, self.douts)
            except Exception:  # whatever construct does that minigrad cannot follow
                self.automatic, other = False, []
        if not self.automatic:
            other = self._differences()
        sources = zip([*self.closed.names, *(p.name for p in self.weights)], rule, strict=True)
        precision = max(float(np.finfo(x.dtype).eps) for x in self.douts if x.dtype.kind == "f")
        share = 100 * precision if self.automatic else 10 * precision ** (2 / 3)
        self.pairs = [
            Pair(name, dx, true, share * max(summary.scale_of(dx, true), 1e-3))
            for (name, dx), true in zip(sources, other, strict=True)
            if true is not None
        ]

    def gradients(self, fn: Callable, douts: list[np.ndarray]) -> list[np.ndarray]:
        """The gradients of the inputs, then of the weights, for gradients of the outputs."""
        _, pull = vjp(fn, *self.closed.tensors, weights=self.weights)
        by_input, by_weight = pull(*map(Tensor, douts))
        return [np.asarray(unwrap(dx)) for dx in (*by_input, *by_weight)]

    def _differences(self) -> list[np.ndarray | None]:
        """What central differences of construct give, for each input and weight that is small."""
        floats = [g for g in self.douts if g.dtype.kind == "f"]
        try:
            compared = compare_entries(
                self.closed, *self.closed.tensors,
                weights=self.weights, dout=floats, most=_MOST_MEASURED,
            )  # fmt: skip
        except ValueError:  # it draws random numbers, or is not finite; the check will say so
            return [None] * (len(self.closed.tensors) + len(self.weights))
        found: list[np.ndarray | None] = []
        for each in compared:
            slopes = [d.slope for d in each.differences]
            found.append(None if each.along else np.reshape(slopes, each.shape))
            if each.along:
                size = int(np.prod(each.shape))
                self.notes.append(
                    f"{each.input} has {size:,} entries: too many to be measured one by one."
                )
        return found

    # ---- in words
    @property
    def against(self) -> str:
        """What the rule is compared with."""
        return "automatic, bprop ignored" if self.automatic else "central differences"

    @property
    def dout_note(self) -> str:
        """The gradient of the output that both start from."""
        return " and ".join(summary.inline(x) for x in self.douts)

    def verdict(self) -> str:
        """Whether the rule is the derivative of construct, in a sentence or three."""
        if self.error:
            return "The engine refuses this rule, and says why below."
        if self.report is None:
            return " ".join(self.notes) or "There is nothing to compare."
        text = self._judged(self.report)
        if not self.automatic:
            text += " construct leaves minigrad, so central differences stand for its gradient."
        return text

    def _judged(self, report: Report) -> str:
        off = [pair for pair in self.pairs if not pair.same]
        if report.right and not off:
            return "The rule is the derivative of construct."
        if report.right:
            return (
                "The rule is the derivative of construct; at a kink or a jump, where there is no "
                "one slope, it takes another than automatic differentiation."
            )
        if not off:
            return (
                "The rule agrees with automatic differentiation, but not with differences of "
                f"construct: {report.differences[0]}."
            )
        counts = [
            f"{np.count_nonzero(p.off)} of the {p.rule.size} entries of {p.name}"
            if p.rule.size > 1
            else p.name
            for p in off
        ]
        text = f"The rule is not the derivative of construct: it differs in {', '.join(counts)}"
        nonzero = [(p.rule[p.other != 0], p.other[p.other != 0]) for p in off]
        ratios = np.concatenate([rule / other for rule, other in nonzero])
        if any("dout missing" in each.hint for each in report.differences):
            return f"{text}. It does not grow with dout: is dout missing from the rule?"
        if ratios.size and np.ptp(ratios) < 1e-3 * abs(ratios[0]):
            return f"{text}; it is {summary.minus(summary.number(ratios[0]))} times as large."
        return f"{text}. Unless it is a surrogate, which is meant to differ, that is a bug."

    def lines(self) -> list[dict[str, Any]]:
        """The source lines of construct and, below, of the rule; of each, its number and text."""
        found: list[dict[str, Any]] = []
        for method, rule in ((self.cell.construct, False), (self.cell.bprop, True)):
            lines = listing_of(method)
            texts = textwrap.dedent("\n".join(line.text for line in lines)).split("\n")
            for i, (line, text) in enumerate(zip(lines, texts, strict=False)):
                each = {"number": line.number, "text": text, "rule": rule}
                found.append(each | ({"begins": True} if rule and not i and found else {}))
        return found


def _as_tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with Tensors for arrays; without any, for floats; without these, for ints."""
    every = [*args, *kwargs.values()]
    kinds: Any = Tensor, np.ndarray, np.generic
    if not any(isinstance(x, kinds) for x in every):
        kinds = float if any(isinstance(x, float) for x in every) else int

    def change(x: Any) -> Any:
        return Tensor(x) if isinstance(x, kinds) and not isinstance(x, Tensor | bool) else x

    return [change(x) for x in args], {key: change(x) for key, x in kwargs.items()}


def _written(cell: Any, args: list[Any], kwargs: dict[str, Any]) -> Iterator[str]:
    """The arguments of a call as it was written: what holds Tensors by name, the rest as it is."""
    for name, x in zip(argument_names(cell, len(args)), args, strict=True):
        yield name if holds_tensors(x) else reprlib.repr(x)
    for name, x in kwargs.items():
        yield f"{name}={name if holds_tensors(x) else reprlib.repr(x)}"


def _floats(x: Any) -> bool:
    return isinstance(x, Tensor) and not isinstance(x, Parameter) and x.array.dtype.kind == "f"


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else Tensor(x)


def _defaults(construct: Any, bound: inspect.BoundArguments) -> set[str]:
    """The inputs that were not given; from here on they are."""
    given = set(bound.arguments)
    bound.apply_defaults()
    return set(bound.arguments) - given


def _unbound(bprop: Any) -> list[Bound]:
    """The parameters of a rule that could not be bound."""
    try:
        declared = inspect.signature(bprop).parameters.values()
    except (TypeError, ValueError):
        return []
    return [Bound(str(p).split("=")[0].split(":")[0], "", "") for p in declared]


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 18 else text[:17] + "…"


def note_of(x: Any) -> str:
    """What a value is, in short: a shape, a number, a type."""
    if isinstance(x, Tensor):
        return summary.shape_text(x.shape) if x.shape else summary.number(unwrap(x))
    return _short(x)
