"""What a check of gradients says: where they differ from the true ones, by how much, and why."""

from __future__ import annotations

import math
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
    """One entry of a gradient, and what differences say of it.

    ``kind`` is one of

    - ``"right"``: it is the true one, as far as differences can tell;
    - ``"wrong"``: it is not the true one;
    - ``"kink"``: the true slopes on the two sides differ, and the gradient lies between them;
    - ``"jump"``: the function (from order 2 on, its gradient) jumps, so there is no derivative;
    - ``"unclear"``: the differences do not settle on a value;
    - ``"small"``: it is lost in the rounding of the function's values, and so are the differences;
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
        return -1.0 if self.is_unclear else float("inf")

    @property
    def slope(self) -> float:
        """The true slope; at a kink the mean of the two, and NaN where differences tell none."""
        return math.nan if self.expected is None else float(np.mean(self.expected))

    @property
    def is_unclear(self) -> bool:
        """True if differences cannot tell whether the gradient is right."""
        return self.kind in ("unclear", "small")

    @property
    def passes(self) -> bool:
        """True where nothing is known to be wrong: also at a kink or a jump, and if unclear."""
        return self.kind in ("right", "kink", "jump") or self.is_unclear

    def __str__(self) -> str:
        gradient = "the gradient" if self.order == 1 else f"the derivative of order {self.order}"
        shown = 6
        if isinstance(self.expected, float) and self.kind != "right":
            shown = digits(self.got, self.expected, 6)
        along = "along a random direction " if self.entry is None else ""
        got = f"{along}{gradient} is {self.got:.{shown}g}"
        if self.kind == "small":
            return (
                f"{self.place}: too small to tell: {got}, which is lost in the rounding of the "
                "function's values"
            )
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
            return f"{self.place}: {got}, but differences do not settle on a value: " + (
                self.hint or "nearby the function is NaN, or too steep or too rough to tell"
            )
        exact = isinstance(self.expected, float)
        expected = f"{self.expected:.{shown}g}" if exact else self._slopes()
        if self.kind == "right":
            return f"{self.place}: {got}, and differences give {expected}"
        many = f" ({self.wrong} of {self.among} entries are wrong)" if self.among > 1 else ""
        return f"{self.place}: {got}, but differences give {expected}{many}{self.hint}"

    def _slopes(self) -> str:
        left, right = self.expected  # type: ignore[misc]  # a pair, at a kink
        return f"between {left:.6g} and {right:.6g}, the slopes on the two sides of a kink"


@dataclass(frozen=True)
class Entries:
    """The gradient of one input, entry by entry; of a large one, a sample.

    ``along`` is what is said of all its entries at once, where they are too many to be compared one
    by one.
    """

    input: str
    shape: tuple[int, ...]
    differences: tuple[Difference, ...]  # in the order of the entries
    along: Difference | None


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of ``check_grads`` and ``check_bprop``; it prints as a sentence or more.

    ``right``: no difference but at kinks and jumps, which ``kinks`` lists, and where differences
    cannot tell, which ``unclear`` lists. It is False if they could tell nothing: if ``compared`` is
    False. ``error`` is the largest relative error of what was found right.
    """

    name: str
    claim: str  # what was checked: "right to order 2", "the derivative of its construct"
    inputs: tuple[str, ...]
    error: float
    differences: tuple[Difference, ...]  # the worst first
    kinks: tuple[Difference, ...]
    unclear: tuple[Difference, ...]
    compared: bool
    notes: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether nothing is wrong, of what could be compared."""
        return self.compared and not self.differences

    def raise_if_wrong(self) -> Report:
        """Raise GradientError if something is wrong; else return the report itself."""
        if not self.right:
            raise GradientError(self)
        return self

    def __repr__(self) -> str:
        inputs = ", ".join(self.inputs)
        if self.differences:
            lines = [f"{self.name}: not {self.claim}"]
        elif not self.compared:
            lines = [f"{self.name}: unclear whether {self.claim} in {inputs}: nothing to compare"]
        else:
            known = f"{self.claim} in {inputs}" + (", but for what is unclear" * bool(self.unclear))
            lines = [f"{self.name}: {known}; largest relative error {self.error:.1g}"]
        for found in (self.differences, self.kinks, self.unclear):
            lines += _some(found)
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def digits(a: float, b: float, least: int) -> int:
    """How many digits show that a and b differ."""
    apart = abs(a - b) / max(abs(a), abs(b), 1e-300)
    return least if not 0 < apart < 1 else min(max(least, 2 - math.floor(math.log10(apart))), 17)


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
