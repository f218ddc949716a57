"""Exercises in which the student writes a Cell with a bprop."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigrad import Tensor, nn, ops, vjp

from .exercise import Mistakes, kind, listed, several
from .function import Arguments, FunctionExercise
from .note import Note


class Gradients:
    """What a Cell makes of its inputs, and its gradients for `dout`, as one function of them.

    It is called with the inputs and then `dout`, and returns a tuple: `out`, the gradient of each
    input, of each Parameter; with `order` 2 the gradients of those of the inputs, summed, by each
    input and by `dout`. `names` are those of what it returns. `make` is a Cell, or a class of which
    one is made for each call. With `deaf`, `dout` counts as 1 everywhere: the mistake of a rule
    that forgets it.

    >>> class Square(nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    >>> square = Gradients(Square, order=2)
    >>> print(square.names, *square(Tensor(3.0), Tensor(10.0)))
    ('out', 'dx', 'dx by x', 'dx by dout') 9.0 60.0 20.0 6.0
    """

    def __init__(self, make: type | nn.Cell, order: int = 1, deaf: bool = False):
        self.make, self.order, self.deaf = make, order, deaf
        cell = self.cell()
        inputs = [*inspect.signature(cell.construct).parameters]
        names = [f"d{x}" for x in inputs]
        second = [f"{' + '.join(names)} by {x}" for x in [*inputs, "dout"]] if order > 1 else []
        self.names = "out", *names, *(f"d{p.name}" for p in cell.trainable_params()), *second

    @classmethod
    def of_rules(cls, base: type[nn.Cell], rules: Mistakes, order: int = 1) -> dict:
        """The gradients of the same Cell with each of these rules, under the same words."""
        return {
            words: [cls(with_rule(base, bprop), order) for bprop in several(made)]
            for words, made in rules.items()
        }

    def cell(self) -> nn.Cell:
        """The Cell, or a new one."""
        return self.make() if isinstance(self.make, type) else self.make

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        """The output and the gradients, for the inputs and `dout`."""
        *inputs, dout = given
        cell = self.cell()
        weights = cell.trainable_params()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they warn of is what is judged
            out, pull = vjp(cell, *inputs, weights=weights)
            by_input, by_weight = pull(ops.ones_like(dout) if self.deaf else dout)
            if self.order == 1:
                return out, *by_input, *by_weight

            def total(*given: Tensor) -> Tensor:
                *inputs, dout = given
                g = ops.ones_like(dout) if self.deaf else dout
                first, *others = map(ops.sum, vjp(cell, *inputs)[1](g))
                return sum(others, first)

            summed, pull = vjp(total, *inputs, dout)
            return out, *by_input, *by_weight, *pull(ops.ones_like(summed))


class ByName(Gradients):
    """Gradients of a Cell some of whose inputs are no Tensors; these have None for a gradient.

    >>> class Power(nn.Cell):
    ...     def construct(self, x, n):
    ...         return x**n
    >>> print(*ByName(Power)(Tensor(3.0), 2, Tensor(10.0)))
    9.0 60.0 None
    """

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        """The output and the gradients, for the inputs and `dout`."""
        *inputs, dout = given
        if self.deaf:
            dout = ops.ones_like(dout)
        cell = self.cell()
        by_name = dict(zip(inspect.signature(cell.construct).parameters, inputs, strict=True))
        tensors = [name for name, x in by_name.items() if isinstance(x, Tensor)]

        def call(*changed: Tensor) -> Any:
            return cell(**by_name | dict(zip(tensors, changed, strict=True)))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they warn of is what is judged
            out, pull = vjp(call, *(by_name[name] for name in tensors))
            found = dict(zip(tensors, pull(dout), strict=True))
        return out, *(found.get(name) for name in by_name)


@dataclass(frozen=True, kw_only=True)
class BpropExercise(FunctionExercise):
    r"""Write a Cell with a bprop: its output and gradients are those of a Cell that is right.

    `answer` and the `mistakes` are `Gradients` of such Cells, and the arguments that are tried are
    the inputs of construct and, last, `dout`. What is right may be a Cell without a bprop.

    >>> class Right(nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    >>> def drawn(rng):
    ...     return {"x": Tensor(rng.normal(size=4)), "dout": Tensor(rng.normal(size=4))}
    >>> exercise = BpropExercise(
    ...     "Square", answer=Gradients(Right), random=drawn,
    ...     friendly={"x": Tensor(3.0), "dout": Tensor(1.0)},
    ...     mistakes={"`dout` was forgotten.": Gradients(Right, deaf=True)},
    ...     hints=("Measure it.", "The slope is twice x.", "return (dout * 2 * ___,)"),
    ...     solution="class Square(nn.Cell):\n    def construct(self, x):\n        return x * x\n"
    ...     "    def bprop(self, x, out, dout):\n        return (dout * 2 * x,)", why="As ever.",
    ... )
    >>> class Square(Right):
    ...     def bprop(self, x, out, dout):
    ...         return (dout * x,)
    >>> exercise.judge(Square)
    Not yet: `dx` is wrong at the first point.
        at             x = 3, dout = 1
        yours          3
        right          6
        yours / right  0.5
    It is half of what it should be.
    >>> exercise.judge(Right)
    Not yet: `Square` has no `bprop`.
    The rule is to be yours: `def bprop(self, x, out, dout):`
    >>> exercise.judge_solution()
    Right: `Square` does what it should, everywhere it was tried.
    """

    answer: Gradients

    def _judge(self, *answer: Any) -> Note:
        """Try the Cell's gradients at one point after another."""
        if len(answer) == 1 and isinstance(answer[0], Gradients):
            return self._with_names(super()._judge(*answer))
        note = self._wants_cell(*answer)
        if note is not None:
            return note
        try:
            gradients = self._tried(answer[0])
        except Exception as error:
            return self.stopped(answer[0], error)
        return self._with_names(super()._judge(gradients))

    def _tried(self, answer: Any) -> Gradients:
        """The gradients of a Cell."""
        return type(self.answer)(answer, self.answer.order)

    def _given(self) -> list[tuple[str, Callable[[], Arguments]]]:
        """Where it is tried; after the friendly point, there again with `dout` ten times as large.

        A rule that forgets `dout` does not see the difference.
        """
        first, *others = super()._given()

        def larger() -> Arguments:
            return {k: 10 * x if k == "dout" else x for k, x in first[1]().items()}

        return [first, ("with a larger `dout`", larger), *others]

    def _wants_cell(self, *answer: Any) -> Note | None:
        """A note, unless the answer is a Cell with a bprop, or a class of such."""
        if len(answer) == 1 and (answer[0] is ... or answer[0] is None):
            return Note("todo", f"Not done yet: there is no `{self.name}`.")
        cell = answer[0] if len(answer) == 1 else None
        if not issubclass(cell if isinstance(cell, type) else type(cell), nn.Cell):
            came = f"What came was {kind(cell)}." if len(answer) == 1 else ""
            call = f'`check("{self.name}", {self.name})`'
            return Note("todo", f"Hand over the class itself: {call}.", text=(came,))
        if getattr(cell, "bprop", None) is None:
            names = ", ".join([*self._given()[0][1]()][:-1])
            text = f"The rule is to be yours: `def bprop(self, {names}, out, dout):`"
            return Note("wrong", f"Not yet: `{self.name}` has no `bprop`.", text=(text,))
        return None

    def _meaning(self, fn: Any, error: Exception) -> str:
        """Names that the rule does not have, though construct, or the Cell, seems to have them."""
        cell, name = getattr(fn, "make", None), getattr(error, "name", None)
        if isinstance(error, AttributeError) and isinstance(error.obj, nn.Cell):
            return (
                f"No line puts `{name}` into the Cell. What a rule needs, it works out of its own "
                "parameters."
            )
        if not isinstance(error, NameError) or not isinstance(name, str) or cell is None:
            return super()._meaning(fn, error)
        if name in cell.construct.__code__.co_varnames:
            return f"`{name}` lives in `construct`. In `bprop` it has to be made anew."
        taken = [*inspect.signature(cell.bprop).parameters][isinstance(cell, type) :]
        return f"The rule has no `{name}`: its parameters are {listed(taken)}."

    def _with_names(self, note: Note) -> Note:
        """The note with the name of each gradient in place of its number."""
        names = self.answer.names

        def name(found: re.Match[str]) -> str:
            return names[int(found[1])]

        return replace(note, title=re.sub(r"result\[(\d+)\]", name, note.title))


def with_rule(base: type[nn.Cell], bprop: Callable) -> type[nn.Cell]:
    """The same Cell with another rule.

    >>> class Square(nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    >>> seven = Gradients(with_rule(Square, lambda self, x, out, dout: dout * 7))
    >>> print(*seven(Tensor(3.0), Tensor(10.0)))
    9.0 70.0
    """
    return type(base.__name__, (base,), {"bprop": bprop})


def normal(rng: np.random.Generator, *shape: int) -> Tensor:
    """A Tensor of float32, drawn around 0.

    >>> normal(np.random.default_rng(0), 2, 3).shape
    (2, 3)
    """
    return Tensor(rng.normal(size=shape).astype(np.float32))
