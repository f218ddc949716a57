"""A program as a person would have written it: one statement for each value with a name."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Set
from typing import Any, NamedTuple

import numpy as np

from .names import (
    INFIX,
    METHODS,
    OWN,
    Names,
    gradient_note,
    literal,
    method_text,
    static_text,
    tuple_text,
)  # fmt: skip
from .passes import unasked
from .program import Program, Slot, Step, broadcast_to, in_order, is_view, part, repeats, where
from .rewriting import is_uniform, number, uses_of
from .traced import Draw
from .written import NotWritten, sources_of

_MANY = 1000  # a constant of more entries is not written out
_LONG = 60  # a longer expression gets a line and a name; a longer line of the user's is cut
_SAME_IN_NUMPY = {where: "where", broadcast_to: "broadcast_to"}


def readable(program: Program) -> tuple[str, Callable]:
    """The text of a program, and the function that it defines, which returns a tuple."""
    writer = _Writer(program)
    source = writer.source()
    space = {"np": np, **writer.given}
    exec(compile(source, f"<jit {program.name}>", "exec"), space)
    run = space[writer.name]
    return source, (lambda *arrays: (run(*arrays),)) if len(program.results) == 1 else run


class Statement(NamedTuple):
    """A line of the text: ``name = code``, for the value of a slot."""

    out: Slot
    name: str
    code: str
    note: str  # where it comes from, in the user's program
    reads: list[Slot]  # inputs, constants with a name, and what other statements made


def statements(program: Program) -> tuple[list[Statement], dict[Slot, str]]:
    """The statements of the readable text, and the names of all that they read."""
    writer = _Writer(program)
    return writer.statements(), writer.names.of


class _Writer:
    """Writes one program."""

    def __init__(self, program: Program):
        self.program = program = unasked(program)
        brought = {name for step in program.steps for name in _brought_by(step.op)}
        self.name = f"{program.name}_" if program.name in brought else program.name
        self.names = Names({*OWN, *brought, self.name})
        self.inline: dict[Slot, tuple[str, int]] = {}  # text, and how strongly it binds
        self.needed: dict[str, str] = {}  # what stands above the function, by name
        self.given: dict[str, Any] = {}  # constants that are too big to write out
        self.uses = uses_of(program)
        self.uses.update(2 * [r for r in program.results if isinstance(r, Slot)])
        self.called: dict[Callable, str] = {}
        self.base = {s.out: s.args[0] for s in program.steps if is_view(s)}
        self.taken = {*program.inputs, *repeats(program)}  # what a caller may not get as it is

    def statements(self) -> list[Statement]:
        """The lines, with values that are read once inside of those that read them."""
        for x in self.program.inputs:
            self.names(x)
        found: list[Statement] = []
        inside: dict[Slot, list[Slot]] = {}  # what is read for a value without a line of its own
        parts: dict[Slot, list[Slot]] = {}  # such a value, and those in it
        for step in self.program.steps:
            code, binds = self.expression(step)
            out = step.out
            reads = [y for x in step.slots for y in inside.get(x, [x] * (x in self.names.of))]
            within = [out, *(y for x in step.slots for y in parts.get(x, ()))]
            short = len(code) <= _LONG and step.op not in (part, in_order)
            if self.uses[out] == 1 and not out.name and short:
                self.inline[out] = code, binds
                inside[out], parts[out] = reads, within
                continue
            name = self.names(out, _default(step))
            found.append(Statement(out, name, code, _note(within), list(dict.fromkeys(reads))))
        return found

    def source(self) -> str:
        """The whole text."""
        lines: list[tuple[str, str]] = []
        shown = ""
        for _, name, code, note, _ in self.statements():
            lines.append((f"    {name} = {code}", note if note != shown else ""))
            shown = note
        width = builtins.min(72, builtins.max((len(code) for code, _ in lines), default=0))
        body = [f"{code.ljust(width)}  # {note}" if note else code for code, note in lines]
        results = [self.result(r) for r in self.program.results]
        answer = results[0] if len(results) == 1 else ", ".join(results)
        arguments = map(self.names, self.program.inputs)
        head = [f"def {self.name}({', '.join(arguments)}):"]
        above = ["import numpy as np", *self.needed.values()]
        joined = "\n".join([*head, *body, f"    return {answer or '()'}"])
        return "\n\n".join([*_grouped(above), joined])

    def result(self, x: Slot) -> str:
        """An output as text; nobody else may hold the array."""
        text, root = self.text(x), x
        if x.value is not None and x.ndim == 0:
            return f"np.array({literal(x, {x.dtype}) or text}, np.{x.dtype})"
        while root in self.base and root not in self.taken:
            root = self.base[root]
        shared = root in self.taken or root.value is not None
        self.taken.add(root)
        return f"np.array({text})" if shared else text

    def text(self, x: Any, level: int = 0, beside: Set[np.dtype] = frozenset()) -> str:
        """An argument, beside others of these dtypes, as text that binds at least so strongly."""
        if not isinstance(x, Slot):
            return static_text(x, self.text)
        if x.value is not None and x not in self.names.of:
            if found := literal(x, beside):
                return f"({found})" if found[0] == "-" and level > 6 else found
            name = self.names(x, "constant")
            self._define(name, x.value)
        code, binds = self.inline.get(x) or (self.names(x), 9)
        return code if binds >= level else f"({code})"

    def _define(self, name: str, value: np.ndarray) -> None:
        """A constant above the function."""
        if value.size > _MANY and not is_uniform(value):
            self.given[name] = value
            shape = "x".join(map(str, value.shape))
            self.needed[name] = (
                f"# {name} is an array of {shape} that the function read from outside"
            )
            return
        self.needed[name] = f"{name} = {_array_text(value)}"

    def expression(self, step: Step) -> tuple[str, int]:
        """A step as an expression, and how strongly it binds."""
        op, args = step.op, step.args
        beside = {x.dtype for x in args if isinstance(x, Slot) and x.value is None}
        if op in INFIX and not step.named:
            sign, binds = INFIX[op]
            if (n := _divisor(step)) is not None:
                return f"{self.text(args[0], 5)} / {n}", 5
            chains = op is np.power or binds == 3  # a ** b ** c and a < b < c are other things
            left = self.text(args[0], binds + chains, beside)
            return f"{left} {sign} {self.text(args[1], binds + 1, beside)}", binds
        if op is np.negative and not step.named:
            return "-" + self.text(args[0], 6), 6
        if op in METHODS:
            return method_text(step, self.text(args[0], 8), self.text), 9
        if op is part:
            return f"{self.text(args[0], 8)}[{args[1]}]", 9
        given = [self.text(x, 0, beside) for x in args]
        given += [f"{k}={static_text(v, self.text)}" for k, v in step.named.items()]
        return f"{self.function(op)}({', '.join(given)})", 9

    def function(self, op: Any) -> str:
        """How the text calls the function of a step."""
        if op in _SAME_IN_NUMPY:
            return f"np.{_SAME_IN_NUMPY[op]}"
        if isinstance(op, Draw):
            self.needed["rng"] = "rng = np.random.default_rng()"
            return f"rng.{op.__name__}"
        if (path := _path_in_numpy(op)) is not None:
            return path
        name = getattr(op, "__name__", "")
        special = sys.modules.get("scipy.special")  # loaded, if a step comes from there
        if special is not None and getattr(special, name, None) is op:
            self.needed["special"] = "from scipy import special"
            return f"special.{name}"
        if op not in self.called:
            name = self.called[op] = self.names.fresh(getattr(op, "__name__", "function"))
            try:
                self.needed |= sources_of(op, name)
            except NotWritten:
                self.given[name] = op
                self.needed[name] = (
                    f"# {name} is a function of minigrad, or of yours, called as it is"
                )
        return self.called[op]


def _brought_by(op: Any) -> set[str]:
    """The names of what a function of the engine brings along."""
    known = op in (*METHODS, part) or op in _SAME_IN_NUMPY or _path_in_numpy(op) is not None
    if known or isinstance(op, np.ufunc | Draw):
        return set()
    try:
        return sources_of(op, "").keys() - {""}
    except NotWritten:
        return set()


def _path_in_numpy(op: Any) -> str | None:
    name = getattr(op, "__name__", "")
    if getattr(np, name, None) is op:
        return f"np.{name}"
    owner = getattr(op, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{name}"
    if getattr(np.linalg, name, None) is op:
        return f"np.linalg.{name}"
    if getattr(np.lib.stride_tricks, name, None) is op:
        return f"np.lib.stride_tricks.{name}"
    if getattr(np.fft, name, None) is op:
        return f"np.fft.{name}"
    return None


def _array_text(value: np.ndarray) -> str:
    """An array as an expression."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=sys.maxsize):
        if value.size > 1 and is_uniform(value):
            filled = static_text(value.flat[0].item(), repr)
            return f"np.full({tuple_text(value.shape)}, {filled}, np.{value.dtype})"
        row = np.array2string(value.ravel(), separator=", ")
    row = row.replace("nan", "np.nan").replace("inf", "np.inf")
    shape = f".reshape({tuple_text(value.shape)})" if value.ndim != 1 else ""
    return f"np.array({row}, np.{value.dtype}){shape}"


def _divisor(step: Step) -> int | None:
    """128 for a product with 0.0078125: what a person would have divided by."""
    n = number(step.args[1]) if step.op is np.multiply else None
    if getattr(step.args[0], "dtype", None) != step.out.dtype:
        return None
    if not n or len(str(n)) <= 5 or abs(n) >= 0.5 or abs(1 / n - round(1 / n)) > 1e-12 / abs(n):
        return None
    return round(1 / n)


def _default(step: Step) -> str:
    """A name for a value that the user gave none."""
    reads = [x.name for x in step.slots]
    plain = isinstance(step.op, np.ufunc) and step.op.nin == 1
    if len(reads) == 1 and reads[0] and (plain or step.op.__name__ in ("sum", "max", "min")):
        return f"{step.op.__name__}_{reads[0]}"
    return "t"


def _note(slots: list[Slot]) -> str:
    """Where a value, which is the first, comes from; the others are in its line of the text."""
    slot = slots[0]
    if slot.line is None:
        return ""
    if slot.of is not None:
        return gradient_note(slots)
    text = slot.line.text.strip()
    text = text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."
    return f"line {slot.line.number}: {text}"


def _grouped(texts: list[str]) -> list[str]:
    """One-line definitions together, imports first, and functions apart."""
    lines = [text for text in texts if "\n" not in text]
    lines.sort(key=lambda text: not text.startswith(("import ", "from ")))
    return ["\n".join(lines), *(text for text in texts if "\n" in text)]
