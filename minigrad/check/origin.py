"""Where a NaN or an infinity is born: the op, its numbers, and the line of the program.

A NaN is born where an op, or a rule in the sweep, makes it of numbers among which there is none; an
infinity, where it is made of finite numbers. What is only passed on is not born.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..hooks import HookOp, Hooks
from ..nn.cell import Cell
from ..rules import elementwise, special
from ..tape import TAPE
from ..tensor import Tensor, lift, unwrap
from ..watch import Line, Run, Step, Value, name_of, watch
from .advice import advice
from .text import plain

_ELEMENTWISE = {
    id(f.op) for module in (elementwise, special) for f in vars(module).values() if hasattr(f, "op")
}
_FEW = 6  # an array of no more entries is shown whole


@dataclass(frozen=True, repr=False)
class Birth:
    """One place where a NaN or an infinity is made; it prints as a few lines.

    ``made`` is "nan", "inf" or "-inf", and stands at ``entry`` of the output of the op, or, in the
    backward pass, of the gradient of the op's ``input``. ``numbers`` are what it was made of, by
    the letters of ``formula`` (LaTeX). ``line`` is where the program calls the op.
    """

    backward: bool
    made: str
    op: str
    formula: str
    input: str
    entry: tuple[int, ...]
    numbers: dict[str, str]
    line: Line | None
    cells: tuple[str, ...]
    advice: str

    def __repr__(self) -> str:
        where = "forward"
        if self.backward:
            where = f"backward, in the gradient of its {self.input}" if self.input else "backward"
        at = f" at entry {list(self.entry)}" if self.entry else ""
        lines = [f"{self.made} is born in {self.op}, {where}{at}"]
        if self.formula:
            lines.append(f"  formula: {plain(self.formula)}")
        if self.numbers:
            lines.append("  numbers: " + ", ".join(f"{k} = {v}" for k, v in self.numbers.items()))
        if self.line is not None:
            lines.append(f"  {_line(self.line)}")
        if self.cells:
            lines.append(f"  inside of {' / '.join(self.cells)}")
        return "\n".join([*lines, f"  try: {self.advice}"])


@dataclass(frozen=True, repr=False)
class Origin:
    """The answer of ``nan_origin``; false if no NaN and no infinity is there.

    ``births``: the first, and the first NaN if that comes later. ``given``: the inputs, Parameters
    and constants that hold one from the start. ``ends``: the outputs and gradients that have one.
    """

    name: str
    births: tuple[Birth, ...]
    given: tuple[str, ...]
    ends: tuple[str, ...]

    @property
    def first(self) -> Birth | None:
        """The first birth, or None."""
        return self.births[0] if self.births else None

    def __bool__(self) -> bool:
        return bool(self.births or self.given)

    def __repr__(self) -> str:
        if not self:
            return f"{self.name}: no NaN or infinity is born, forward or backward"
        ends = [f"it reaches {', '.join(self.ends)}"] if self.ends else []
        if not ends and self.births:
            ends = ["the output and the gradients are finite all the same"]
        return f"{self.name}: " + "\n".join([*self.given, *map(repr, self.births), *ends])


def nan_origin(fn: Callable, *args: Any, **kwargs: Any) -> Origin:
    """Run fn and its gradient, and say where the first NaN or infinity is born.

    ``fn`` is a function or a Cell, called as fn(*args, **kwargs). The gradient is that of
    the sum of its outputs, by every floating input and every trainable Parameter that it uses.

    Returns an Origin, which prints the op, its formula, the numbers, the line of the program, and
    what to try. Inside a Cell with a bprop it looks into ``construct`` and ``bprop`` as well. A
    hook of a Tensor that makes a NaN or an infinity of its gradient is named, with its line.

    The usual trap is ``where``: it gives the branch that was not taken a gradient of 0, and a rule
    that multiplies 0 by an infinite slope makes NaN.

    >>> from minigrad import Tensor, ops
    >>> from minigrad.check import nan_origin
    >>> origin = nan_origin(lambda x: ops.where(x > 0, ops.sqrt(x), 0.0), Tensor([4.0, 0.0]))
    >>> origin.first.op, origin.first.backward, origin.first.entry
    ('sqrt', True, (1,))
    >>> nan_origin(ops.exp, Tensor([1.0]))
    exp: no NaN or infinity is born, forward or backward
    """
    with np.errstate(all="ignore"):  # numpy's warnings say the same, with less
        hooked: list[tuple[Birth, np.ndarray]] = []
        run = watch(_with_hooks_noted(fn, hooked), *args, kwargs=kwargs)
        births: list[Birth] = []
        for birth in (*_forward(run), *_backward(run, hooked)):
            if not births or (birth.made == "nan" and births[-1].made != "nan"):
                births.append(birth)
        return Origin(name_of(fn), tuple(births), _given(run), _ends(run))


# ---------------------------------------------------------------------------------- what is born
def _born(out: Any, sources: list) -> tuple[str, tuple[int, ...]] | None:
    """What is born in an array (or several) made of these, and at which entry."""
    parts = list(_arrays(out))
    given = [x for source in sources for x in _arrays(source)]
    for test, name in ((np.isnan, "nan"), (np.isinf, "inf")):
        if any((test(x) if test is np.isnan else ~np.isfinite(x)).any() for x in given):
            continue
        for part in parts:
            if (found := np.argwhere(test(part))).size or (part.ndim == 0 and test(part)):
                entry = tuple(map(int, found[0]))
                return ("-inf" if name == "inf" and part[entry] < 0 else name), entry
    return None


def _arrays(x: Any) -> Iterator[np.ndarray]:
    for part in x if isinstance(x, tuple | list) else (x,):
        if isinstance(part, np.ndarray | np.generic | float) and np.asarray(part).dtype.kind == "f":
            yield np.asarray(part)


def _forward(run: Run) -> Iterator[Birth]:
    for value in run.values:
        if value.kind != "op":
            continue
        sources = {name: v.data for name, v in value.inputs}
        born = _born(value.data, [*sources.values(), *value.static.values()])
        if born is None:
            continue
        made, entry = born
        numbers = _numbers(value, sources, entry, np.shape(unwrap(value.data)))
        box = Birth(
            False, made, str(value.op), value.op.formula, "", entry, numbers, value.line,
            value.cells, advice(str(value.op), made, _called(value), single=_single(value)),
        )  # fmt: skip
        yield _inside(value, None) or box


def _backward(run: Run, hooked: list) -> Iterator[Birth]:
    """The births of the sweep. ``hooked`` are those in hooks, which run between its steps."""
    for step in run.steps:
        value = step.value
        made_by_hook = [any(_same(g, new) for g in _arrays(step.g)) for _, new in hooked]
        while any(made_by_hook):
            made_by_hook.pop(0)
            yield hooked.pop(0)[0]
        kept = {name: v.data for name, v in value.inputs if name in value.saved}
        if "out" in value.saved:
            letter = value.op.formula.partition("=")[0].strip()
            kept[letter if letter.isalpha() and letter not in kept else "out"] = value.data
        sources = {"g": step.g, **kept}
        for part in step.parts:
            born = _born(part.dx, list(sources.values()))
            name, numbers = str(value.op), sources
            if born is None and part.before is not None:  # or where the parts are added
                born = _born(part.total, [part.before, part.dx])
                name, numbers = "a sum of gradients", {"before": part.before, "dx": part.dx}
            if born is None:
                continue
            formula = part.formula if numbers is sources else ""
            made, entry = born
            shown = _numbers(value, numbers, entry, part.dx.shape)
            trap = made == "nan" and shown.get("g") == "0"
            box = Birth(
                True, made, name, formula, part.input, entry, shown, value.line, value.cells,
                advice(
                    name, made, _called(value), backward=True, trap=trap, single=_single(value)
                ),
            )  # fmt: skip
            yield _inside(value, step) or box
    yield from (birth for birth, _ in hooked)


def _same(x: np.ndarray, y: np.ndarray) -> bool:
    return x.shape == y.shape and np.array_equal(x, y, equal_nan=True)


def _with_hooks_noted(fn: Callable, hooked: list) -> Callable:
    """fn, whose hooks of Tensors note in ``hooked`` what is born in them, and what they return."""

    def noted(*args, **kwargs):
        output = fn(*args, **kwargs)
        for op, *_ in TAPE.get() or ():
            hooks = getattr(getattr(op, "run", None), "__self__", None)
            if isinstance(op, HookOp) and isinstance(hooks, Hooks):
                op.run = partial(_run_noted, hooks, hooked)
        return output

    noted.__name__ = name_of(fn)
    noted.op = getattr(fn, "op", None)  # type: ignore[attr-defined]  # whose letters name its inputs
    with contextlib.suppress(TypeError, ValueError):  # its arguments keep their names
        signature = inspect.signature(fn.construct if isinstance(fn, Cell) else fn)
        noted.__signature__ = signature  # type: ignore[attr-defined]  # a function may carry it
    return noted


def _run_noted(hooks: Hooks, hooked: list, g: Tensor, depth: int = 0) -> tuple[Tensor]:
    """What the hooks make of a gradient, one after the other."""
    for handle in tuple(hooks):
        before = np.array(unwrap(g))
        hook = handle.hook
        (g,) = Hooks(None, [handle]).run(g, depth)
        if (born := _born(after := np.array(unwrap(g)), [before])) is None:
            continue
        made, entry = born
        name = getattr(hook, "__name__", type(hook).__name__)
        numbers = {"g": _short(before, entry, after.shape, True)}
        birth = Birth(
            True, made, f"the hook {name}", "", "", entry, numbers, _line_of(hook), (),
            "see what the hook makes of these numbers",
        )  # fmt: skip
        hooked.append((birth, after))
    return (g,)


def _line_of(hook: Any) -> Line | None:
    """Where a hook is defined, if it is a function of the program."""
    code = getattr(inspect.unwrap(hook), "__code__", None)
    if code is None:
        return None
    number = code.co_firstlineno
    return Line(code.co_filename, number, linecache.getline(code.co_filename, number).rstrip())


def _single(value: Value) -> bool:
    """Whether an op makes one number."""
    return sum(x.size for x in _arrays(value.data)) == 1


def _called(value: Value) -> list[str]:
    """What the inputs of an op are called in the program; by the op, where they have no name."""
    return [v.name if v.name.isidentifier() else letter for letter, v in value.inputs]


def _inside(value: Value, step: Step | None) -> Birth | None:
    """What is born inside a Cell with a bprop: in its construct or, given a step, in its bprop."""
    cell = getattr(value.op, "cell", None)
    if cell is None:
        return None
    given = [unwrap(x) if isinstance(x, Tensor) else x for x in value.op.values]
    places = [i for i, x in enumerate(value.op.values) if isinstance(x, Tensor)]

    def construct(*tensors):
        inputs = list(given)
        for i, x in zip(places, tensors, strict=True):
            inputs[i] = x
        return cell.construct(*inputs)

    def bprop(g, out, *tensors):
        saved = list(given)
        for i, x in zip(places, tensors, strict=True):
            saved[i] = x
        sources = [True] * (len(saved) + len(value.op.weights))
        return tuple(dx for dx in value.op.pull(g, sources, *saved, out) if dx is not None)

    tensors = [lift(given[i]) for i in places]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what leaves minigrad: it is meant to
        try:
            if step is None:
                run = watch(construct, *tensors, grad_position=())
            else:
                run = watch(bprop, lift(step.g), lift(value.data), *tensors, grad_position=())
        except Exception:  # then the Cell is a closed box
            return None
    birth = next(_forward(run), None)
    rule = "construct" if step is None else "bprop"
    cells = (*(value.cells or (str(value.op),)), rule)
    return birth and replace(birth, backward=step is not None, cells=cells)


# ---------------------------------------------------------------------------- what is said of it
def _numbers(value: Value, sources: dict, entry: tuple, shape: tuple) -> dict[str, str]:
    """The numbers at the entry of an elementwise op; of another op, its arrays in short."""
    shown = {}
    for name, x in sources.items():
        for k, part in enumerate(x if type(x) is tuple else (x,)):
            letter = f"{name}[{k}]" if type(x) is tuple else name
            shown[letter] = _short(np.asarray(part), entry, shape, id(value.op) in _ELEMENTWISE)
    return shown


def _short(x: np.ndarray, entry: tuple, shape: tuple, elementwise: bool) -> str:
    if elementwise:
        try:
            return f"{np.broadcast_to(x, shape)[entry] + 0.0:.6g}"  # and -0.0 is 0
        except ValueError:  # a gradient that is then summed over the axes that were stretched
            pass
    if x.size <= _FEW:
        return np.array2string(x, precision=6, separator=", ").replace("\n", "")
    return f"an array of shape {x.shape} from {x.min():.6g} to {x.max():.6g}"


def _line(line: Line) -> str:
    """The line of the program; a notebook's cell is a file that no one knows by name."""
    name = "the cell" if "ipykernel" in line.file else os.path.basename(line.file)
    return f"line {line.number} of {name}: {line.text.strip()}"


def _given(run: Run) -> tuple[str, ...]:
    """What holds a NaN or an infinity before any op has run. A constant may, if it does no harm."""
    found, harm = [], bool(_ends(run))
    users = {v: u for u in reversed(run.values) for _, v in u.inputs}
    for value in run.values:
        if value.kind == "op" or (value.kind == "constant" and not harm):
            continue
        for x in _arrays(value.data):
            if (bad := np.argwhere(~np.isfinite(x))).size or (x.ndim == 0 and not np.isfinite(x)):
                entry = tuple(map(int, bad[0]))
                at = f" at entry {list(entry)}" if entry else ""
                user = users.get(value)
                first = (
                    f" (first used in {_line(user.line)})" if user is not None and user.line else ""
                )
                what = f"{value.kind} {value.name}".strip()
                computed = "; if it is computed, then of no input" * (value.kind == "constant")
                found.append(f"the {what} holds {x[entry]} from the start{at}{first}{computed}")
    return tuple(found)


def _ends(run: Run) -> tuple[str, ...]:
    ends = {}
    for k, value in enumerate(run.outputs):
        ends["the output" if len(run.outputs) == 1 else f"output {k}"] = value.data
    ends.update({f"the gradient of {v.name}": dx for v, dx in run.gradients.items()})
    return tuple(k for k, x in ends.items() if any(not np.isfinite(a).all() for a in _arrays(x)))
