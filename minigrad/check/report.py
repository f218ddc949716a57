"""What a check of gradients says: where they differ from the true ones, by how much, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_SHOWN = 8  # differences that are printed, and the most entries of an array that are


class GradientError(AssertionError):
    """Gradients are not what they should be. ``report`` holds the details."""

    def __init__(self, report: Report):
        super().__init__(str(report))
        self.report = report


@dataclass(frozen=True)
class Difference:
    """Where the gradient of one input differs from the true one, at its worst entry.

    ``kind`` is one of

    - ``"wrong"``: it is not the true one;
    - ``"kink"``: the true slopes on the two sides differ, and the gradient lies between them;
    - ``"jump"``: the function (from order 2 on, its gradient) jumps, so there is no derivative;
    - ``"unclear"``: the differences do not settle on a value;
    - ``"not finite"``: the gradient is NaN or infinite.

    ``expected`` is the true value; at a kink it is a pair, the slopes on the left and on the right.
    An ``entry`` of None: the difference shows along a direction, and in no entry by itself.
    ``got`` and ``expected`` are in proportion to ``dout``, which is drawn at random, so that a rule
    that forgets it is found out.
    """

    kind: str
    order: int
    input: str
    entry: tuple[int, ...] | None
    got: float
    expected: float | tuple[float, float] | None
    dout: tuple[np.ndarray, ...]  # what the sweep started from
    wrong: int = 1  # how many entries of the input differ
    among: int = 1  # of how many that were looked at
    hint: str = ""

    @property
    def place(self) -> str:
        """The input and the entry, as one writes them: ``x[0, 1]``."""
        return self.input if not self.entry else f"{self.input}[{', '.join(map(str, self.entry))}]"

    @property
    def size(self) -> float:
        """How far off the gradient is: infinite if it is not finite, -1 if that is unclear."""
        if isinstance(self.expected, float):
            return abs(self.got - self.expected)
        return -1.0 if self.kind == "unclear" else float("inf")

    @property
    def passes(self) -> bool:
        """True for a kink or a jump: no derivative is there to be missed."""
        return self.kind in ("kink", "jump")

    def __str__(self) -> str:
        gradient = "the gradient" if self.order == 1 else f"the derivative of order {self.order}"
        got = f"{gradient} is {self.got:.6g}"
        if self.entry is None:
            got = f"along a random direction {got}"
        if self.kind == "not finite":
            return f"{self.place}: {got}; minigrad.check.nan_origin says where that is born"
        if self.kind == "kink":
            left, right = self.expected  # type: ignore[misc]  # a pair, at a kink
            return (
                f"{self.place} is at a kink: the slope is {left:.6g} on the left and {right:.6g} "
                f"on the right; {got}, which lies between"
            )
        if self.kind == "jump":
            what = (
                "the function" if self.order == 1 else f"the derivative of order {self.order - 1}"
            )
            return f"{self.place} is at a jump of {what}, where there is no further derivative"
        if self.kind == "unclear":
            return (
                f"{self.place}: {got}, but differences do not settle on a value: nearby the "
                "function is NaN, or too steep or too rough to tell"
            )
        expected = f"{self.expected:.6g}" if isinstance(self.expected, float) else self._slopes()
        many = f" ({self.wrong} of {self.among} entries are wrong)" if self.among > 1 else ""
        return f"{self.place}: {got}, but differences give {expected}{many}{self.hint}"

    def _slopes(self) -> str:
        left, right = self.expected  # type: ignore[misc]  # a pair, at a kink
        return f"between {left:.6g} and {right:.6g}, the slopes on the two sides of a kink"


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of ``check_grads`` and ``check_bprop``; it prints as a sentence or more.

    ``right``: no difference but at kinks and jumps, which ``kinks`` lists. ``error`` is the largest
    relative error of what was found right.
    """

    name: str
    claim: str  # what was checked: "right to order 2", "the derivative of its construct"
    inputs: tuple[str, ...]
    error: float
    differences: tuple[Difference, ...]  # the worst first
    kinks: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.differences

    def raise_if_wrong(self) -> Report:
        """Raise GradientError if something is wrong; else return the report itself."""
        if not self.right:
            raise GradientError(self)
        return self

    def __repr__(self) -> str:
        if self.right:
            inputs = ", ".join(self.inputs)
            lines = [
                f"{self.name}: {self.claim} in {inputs}; largest relative error {self.error:.1g}"
            ]
        else:
            lines = [f"{self.name}: not {self.claim}"]
        for found in (self.differences, self.kinks):
            lines += _some(found)
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def _some(differences: tuple[Difference, ...]) -> list[str]:
    """A line for each, if they are few, and the gradient of the output that they go with."""
    lines = [f"  {each}" for each in differences[:_SHOWN]]
    if (rest := len(differences) - _SHOWN) > 0:
        lines.append(f"  and {rest} more")
    if any(each.expected is not None for each in differences):
        lines.append(f"  where dout, the gradient of the output, is {_douts(differences[0].dout)}")
    return lines


def _douts(douts: tuple[np.ndarray, ...]) -> str:
    """The gradients of the outputs, as numbers if they are few."""
    if sum(x.size for x in douts) > _SHOWN:
        return "random numbers from 0.5 to 1.5"
    return ", ".join(
        np.array2string(x, precision=6, separator=", ").replace("\n", "") for x in douts
    )
