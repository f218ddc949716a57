"""A gradient call as data: what it differentiates, and what its answer is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from minigrad import Parameter, Tensor, grad
from minigrad.containers import tensors_in
from minigrad.gradient_call import names_of_arguments
from minigrad.transform import parameters_of, positions_of
from minigrad.watch import argument_names, name_of, watch

from . import summary
from .formula import gradient_name, words


@dataclass
class Item:
    """A box of the map: an input, a weight, an output, or a part of the answer.

    `role` is "asked" (differentiated), "left" (not), "sum" (an output that is differentiated) or
    "aux". `pair` is the box that says the same elsewhere: dx of x, and x of dx.
    """

    id: str
    name: str
    note: str
    role: str
    kind: str
    sentence: str
    pair: str = ""


class GradientCall:
    """A gradient call: what goes in, what comes out, and how the answer is built."""

    def __init__(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], **options: Any):
        self.fn, self.kwargs, self.options = fn, kwargs, options
        self.name = name_of(fn)
        self.names = argument_names(fn, len(args))
        places = (
            names_of_arguments(fn, len(args), kwargs) if kwargs else []
        )  # by name, and yet placed
        self.given: list[tuple[int | None, str, Any]] = [
            *zip(range(len(args)), self.names, args, strict=True),
            *((places.index(k) if k in places else None, k, x) for k, x in kwargs.items()),
        ]
        self.run = watch(fn, *args, grad_position=(), kwargs=kwargs)  # what fails here is fn's own
        self.error, self.answer = "", None
        try:
            self.answer = grad(fn, **options)(*args, **kwargs)
        except (TypeError, ValueError, IndexError, RuntimeError) as error:
            self.error = f"{type(error).__name__}: {error}"
        self.inputs = [item for each in self.given for item in self._input(*each)]
        self.weights = list(self._weights())
        self.outputs = list(self._outputs())
        self.parts: list[Item] = []
        self.structure = [] if self.error else list(self._structure())

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that are asked for; none, if they are what is wrong."""
        try:
            return positions_of(self.options["grad_position"]) or ()
        except (TypeError, ValueError, IndexError, RuntimeError):
            return ()

    @property
    def asked(self) -> list[Parameter]:
        """The weights that are asked for; none, if they are what is wrong."""
        try:
            given = self.options["weights"]
            return [] if given is None else list(parameters_of(given))
        except (TypeError, ValueError):
            return []

    def _input(self, i: int | None, called: str, given: Any) -> Iterator[Item]:
        place = "by name" if i is None else f"argument {i}"
        for name, x in _leaves(called, given):
            note = _note(x)
            if i in self.positions:
                say = f"{name}, {note}, is differentiated: grad_position has {i}."
                role = "asked"
            else:
                say = f"{name}, {note}, is not differentiated: grad_position is "
                say += f"{self.options['grad_position']}, and {name} is {place}."
                role = "left"
            kind = "input by name" if i is None else f"input {i}"
            yield Item(f"i-{name}", name, note, role, kind, say)

    def _weights(self) -> Iterator[Item]:
        asked = self.asked
        held = list(self.fn.get_parameters()) if hasattr(self.fn, "get_parameters") else []
        known = {p.name for p in [*asked, *held]}
        for p in dict.fromkeys([*asked, *held]):
            note = _note(p)
            say = f"{p.name}, a Parameter, {note}, is "
            if any(p is each for each in asked):
                say += "differentiated: it is among the weights."
                if not p.requires_grad:
                    say = say[:-1] + ", but frozen (requires_grad=False), so its gradient is 0."
            else:
                say += "not differentiated: it is not among the weights."
            role = "asked" if any(p is each for each in asked) else "left"
            yield Item(f"w-{p.name}", p.name, note, role, "weight", say)
        for value in self.run.values:
            if value.kind == "parameter" and value.name not in known:
                note = summary.shape_text(value.shape)
                say = f"{value.name}, a Parameter, {note}, is used, but not among the weights."
                yield Item(f"w-{value.name}", value.name, note, "left", "weight", say)

    def _outputs(self) -> Iterator[Item]:
        outputs, aux = self.run.outputs, self.options["has_aux"]
        one = len(outputs) == 1
        for i, value in enumerate(outputs):
            plain = "output" if self.name == "function" else self.name
            name = value.name or (plain if one else f"output {i}")
            note = summary.shape_text(value.shape)
            if self.error:
                role, say = "left", f"{name}, {note}, is an output."
            elif aux and i:
                role, say = (
                    "aux",
                    f"{name}, {note}, leaves as aux: nothing of it is differentiated.",
                )
            elif value.shape == () and (one or aux):
                role, say = "sum", f"{name}, {note}, is the number that is differentiated."
            else:
                every = "all its entries" if one or aux else "all entries of all outputs"
                say = f"{name}, {note}, is summed: grad differentiates the sum of {every}."
                role = "sum"
            yield Item(f"o-{i}", name, note, role, f"output {i}", say)

    @property
    def summed(self) -> bool:
        """Whether the outputs are summed, rather than one number differentiated as it is."""
        own = [v for v, o in zip(self.run.outputs, self.outputs, strict=True) if o.role == "sum"]
        return len(own) > 1 or any(v.shape != () for v in own)

    def _structure(self) -> Iterator[str | Item]:
        """The answer as brackets, commas and parts."""
        inputs = [x for i in self.positions for x in self.inputs if x.kind == f"input {i}"]
        weights = [item for item in self.weights if item.role == "asked"]
        aux = [item for item in self.outputs if item.role == "aux"]
        sources = iter([*inputs, *weights, *aux])
        yield from self._walk(self.answer, sources)

    def _walk(self, x: Any, sources: Iterator[Item]) -> Iterator[str | Item]:
        if isinstance(x, Tensor):
            source = next(sources)
            yield self._part(x, source)
        elif isinstance(x, dict):
            yield "{"
            for i, (key, each) in enumerate(x.items()):
                yield f"{', ' if i else ''}{key!r}: "
                yield from self._walk(each, sources)
            yield "}"
        elif isinstance(x, list | tuple):
            yield "[" if isinstance(x, list) else "("
            for i, each in enumerate(x):
                if i:
                    yield ", "
                yield from self._walk(each, sources)
            yield "]" if isinstance(x, list) else ",)" if len(x) == 1 else ")"
        else:
            part = Item(
                f"a-{len(self.parts)}", _short(x), "", "aux", "answer", f"{_short(x)}, aux."
            )
            self.parts.append(part)
            yield part

    def _part(self, x: Tensor, source: Item) -> Item:
        aux = source.role == "aux"
        name = source.name if aux else gradient_name(source.name)
        say = (
            f"{name}: the output {source.name}, as it is."
            if aux
            else (f"{name}: the gradient of {source.name}, of its shape, {_note(x)}.")
        )
        part = Item(
            f"a-{len(self.parts)}", name, _note(x), "aux" if aux else "asked", "answer", say,
            source.id,
        )  # fmt: skip
        source.pair = part.id
        self.parts.append(part)
        return part

    # ---- in words
    def text(self) -> str:
        """The answer as Python would write it, such as `(dx, (dw,))`."""
        return "".join(t if isinstance(t, str) else t.name for t in self.structure)

    def title(self) -> str:
        """The call as one writes it."""
        options = dict(self.options)
        said = [self.name]
        if options["grad_position"] != 0:
            said.append(f"grad_position={options['grad_position']!r}")
        if options["weights"] is not None:
            names = [p.name for p in self.asked] or [repr(options["weights"])]
            listed = ", ".join(names[:3]) + (f", … {len(names) - 3} more" if len(names) > 3 else "")
            bare = isinstance(options["weights"], Parameter)
            said.append(f"weights={listed if bare else f'[{listed}]'}")
        if options["has_aux"]:
            said.append(f"has_aux={options['has_aux']!r}")
        named = (f"{k}={k if hasattr(x, 'shape') else _short(x)}" for k, x in self.kwargs.items())
        return f"grad({', '.join(said)})({', '.join([*self.names, *named])})"

    def sentence(self) -> str:
        """The call in a sentence or two."""
        if self.error:
            return "grad refuses this call, and says why below."
        asked = [i.name for i in [*self.inputs, *self.weights] if i.role == "asked"]
        ends = words([o.name for o in self.outputs if o.role == "sum"])
        if self.summed:
            numbers = all(o.note == "scalar" for o in self.outputs if o.role == "sum")
            ends = f"the sum of {ends}" if numbers else f"the sum of all entries of {ends}"
        few = asked if len(asked) <= 6 else [*asked[:5], f"{len(asked) - 5} more"]
        text = f"Differentiates {ends} by {words(few) or 'nothing'}."
        aux = [o.name for o in self.outputs if o.role == "aux"]
        if aux:
            text += f" {words(aux)} {'leaves' if len(aux) == 1 else 'leave'} as aux."
        answer = self.text()
        return text + (f" The answer is {answer}." if len(answer) < 90 else "")


def _leaves(name: str, x: Any) -> Iterator[tuple[str, Any]]:
    """The Tensors and numbers of an argument, by name; anything else as one."""
    if isinstance(x, list | tuple) and list(tensors_in(x)):
        for i, each in enumerate(x):
            yield from _leaves(f"{name}[{i}]", each)
    elif isinstance(x, dict) and list(tensors_in(x)):
        for key, each in x.items():
            yield from _leaves(f"{name}[{key!r}]", each)
    else:
        yield name, x


def _note(x: Any) -> str:
    if isinstance(x, Tensor) or hasattr(x, "shape"):
        return summary.shape_text(tuple(x.shape))
    return "scalar" if isinstance(x, int | float) and not isinstance(x, bool) else type(x).__name__


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 24 else text[:23] + "…"
