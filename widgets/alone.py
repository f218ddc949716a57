"""One op by itself: its rule held against a central difference, and which entry comes from which.

The op is run again on the values that it had, in float64, with one entry moved; nothing else of
the run takes part. All of it happens in the kernel, before the page is shown.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import Tensor
from minigrad.op import OPS, names_of
from minigrad.tape import unbroadcast
from minigrad.tensor import Node, unwrap
from minigrad.watch import Part, Step, Value

from . import summary
from .picture import is_custom

MOST_CHECKED = 64  # entries that are checked one by one; of more, all at once along one direction
MOST_CALLS_OF_A_CELL = 4  # entries that are checked where the op is a Cell of the user's
MOST_RUN = 10**6  # entries of an op that is run again
MOST_LINKS = 400  # products of which a part's entries are told to be sums
_TOLERANCE = 1e-3
_ROUNDING = 100  # times what the dtype resolves: what a rule leaves where terms cancel
_CLEAR = 0.05  # a difference that rounding blurs by more of the slopes than this tells nothing
_SMALL = 1e-4  # and by less than this, it tells a slope of 0


@dataclass(frozen=True)
class Check:
    """What a central difference says of one entry of a part, or of all along one direction.

    `kind` is "agrees", "differs", "kink" (the slopes on both sides differ), or "unclear" (NaN or
    infinite nearby, or `drowned`: what the op computes is so large that its rounding hides what a
    small move changes).
    """

    kind: str
    place: str  # "" for a number, "[1, 0]", or "along one direction"
    count: int  # of the entries that were checked
    difference: float
    rule: float
    sides: tuple[float, float]
    drowned: bool = False


@dataclass(frozen=True)
class _Slopes:
    """The slopes on the left and on the right, and what rounding may make of a slope of 0."""

    sides: tuple[float, float]
    noise: float


class Alone:
    """The op of one step, to be run and pulled back by itself."""

    def __init__(self, step: Step):
        self.step, self.value = step, step.value
        self.given = {name: source.data for name, source in step.value.inputs}
        self.known = not any(type(x) is tuple for x in self.given.values())  # not which of several

    def can_run(self, part: Part) -> bool:
        """Whether the op can be run again with another value for a part's input."""
        if not self.known or part.value.dtype.kind != "f" or not part.value.data.size:
            return False
        out = self.value.data
        outs = out if type(out) is tuple else (out,)
        return max(x.size for x in (*self.given.values(), *outs)) <= MOST_RUN

    def run(self, name: str = "", moved: Any = None) -> Any:
        """The op's output in float64, with the input `name` in another place; None if it fails."""
        given = {n: _wide(x) for n, x in self.given.items()}
        if name:
            given[name] = moved
        try:
            with np.errstate(all="ignore"), redirect_stdout(io.StringIO()):
                return _outputs(_call(self.value, given))
        except Exception:  # whatever keeps it from running on float64: then there is no check
            return None

    def pull(self, part: Part, g: Any, sum_up: bool = True) -> np.ndarray | None:
        """What the rule of a part makes of another g; None for a rule that takes no arrays."""
        rule = _rule(self.value, part.input)
        if rule is None or not self.known or type(self.value.data) is tuple:
            return None
        source = part.value
        like = Node(np.broadcast_to(np.zeros((), source.dtype), source.shape))
        given = self.value.static | self.given | {"g": g, "out": self.value.data, "like": like}
        several = part.input not in self.value.op.rules
        if several:
            given["like"] = tuple(Node(x.data) for _, x in self.value.inputs)
        try:
            with np.errstate(all="ignore"):
                dx = rule(*(given[name] for name in names_of(rule)))
            if several:
                dx = dx[[name for name, _ in self.value.inputs].index(part.input)]
            dx = np.asarray(dx)
            fits = dx.shape == source.shape or not sum_up
            return dx if fits else np.asarray(unbroadcast(dx, source.shape))
        except Exception:  # a rule that wants what a step does not keep
            return None


def check(step: Step, part: Part, one_by_one: bool = True) -> Check | None:
    """Hold a part against a central difference of its op alone; None if it cannot be run again."""
    alone = Alone(step)
    if not alone.can_run(part):
        return None
    x = _wide(part.value.data)
    out = alone.run()
    if out is None or any(np.asarray(y).dtype.kind != "f" for y in out):
        return None
    again = alone.run()
    if again is None or any(
        not np.array_equal(a, b, True) for a, b in zip(out, again, strict=True)
    ):
        return None  # it draws random numbers
    finest = max(float(np.finfo(y.dtype).eps) for y in out)
    here = _products(step.g, out)
    unit = np.where(np.isfinite(x), np.maximum(1.0, np.abs(x)), 1.0)  # an entry moves by its size

    def slopes(direction: np.ndarray, size: float = 1.0) -> _Slopes | None:
        h = finest ** (1 / 3) * size
        ends = [alone.run(part.input, x + s * direction) for s in (-h, h)]
        if None in ends:
            return None
        below, above = (_products(step.g, end) for end in ends)
        with np.errstate(all="ignore"):
            sides = (_change(below, here) / h, _change(here, above) / h)
        return _Slopes(sides, finest * _size_of_moved(here, below, above) / h)

    dx = _wide(part.dx)
    rounding = _ROUNDING * float(np.finfo(part.dx.dtype).eps)
    sizes = [np.abs(product) for product in here]
    calls = MOST_CALLS_OF_A_CELL if is_custom(step.value) else MOST_CHECKED
    if x.size > (calls if one_by_one else 1):
        signs = np.random.default_rng(0).choice([-1.0, 1.0], x.shape)
        found = None
        for along in (signs * unit, signs):
            scale = float(np.sum(np.abs(dx * along)))
            slack = _TOLERANCE * scale + rounding * float(sum(map(np.sum, sizes)))
            rule = np.sum(dx * along)
            found = _judge("along one direction", x.size, slopes(along), rule, slack, scale)
            if found is None or found.kind == "agrees":
                break
        return None if found is None or found.kind == "kink" else found
    scale = summary.scale_of(dx)
    slack = _TOLERANCE * scale + rounding * summary.scale_of(*sizes)
    checks = []
    for index in np.ndindex(x.shape):
        direction = np.zeros(x.shape)
        direction[index] = 1.0
        place = str(list(index)) if index else ""
        size = float(unit[index])
        found = _judge(place, x.size, slopes(direction, size), dx[index], slack, scale)
        if found is None:
            return None
        near = 1.0 if size > 1 else abs(float(x[index]))  # 0 may be where a domain ends
        if found.kind != "agrees" and 0 < near < size:
            nearer = _judge(place, x.size, slopes(direction, near), dx[index], slack, scale)
            found = nearer if nearer and nearer.kind == "agrees" else found
        checks.append(found)
    order = {"differs": 0, "kink": 1, "unclear": 2, "agrees": 3}
    return min(checks, key=lambda c: (order[c.kind], -abs(c.rule)))


def _judge(
    place: str, count: int, found: _Slopes | None, rule: Any, slack: float, scale: float
) -> Check | None:
    """What the slopes say of a rule; ``scale`` is how large slopes of this part are."""
    if found is None:
        return None
    sides, rule = found.sides, float(rule)
    difference = sum(sides) / 2
    if not (math.isfinite(difference) and math.isfinite(rule)):
        return Check("unclear", place, count, difference, rule, sides)
    close = max(_TOLERANCE * abs(difference), 1e-9)
    if found.noise > max(_CLEAR * scale, _SMALL):
        return Check("unclear", place, count, difference, rule, sides, drowned=True)
    slack = max(slack, close)
    low, high = min(sides) - slack, max(sides) + slack
    if abs(difference - rule) <= slack:
        kind = "agrees"
    elif high - low > 6 * slack and low <= rule <= high:
        kind = "kink"
    else:
        kind = "differs"
    return Check(kind, place, count, difference, rule, sides)


def links(step: Step, part: Part) -> list[list[list[Any]]] | None:
    """For each entry of a part: the entries of g that it comes from, and their factors.

    The rule is run once for each entry of g, with 1 there and 0 elsewhere: that is a row of the
    Jacobian. None for arrays that a table does not show whole, and for more products than are
    worth sending.
    """
    g, dx = step.g, part.dx
    if type(g) is tuple or not (summary.is_whole(g) and summary.is_whole(dx)) or not g.size:
        return None
    if g.size == dx.size == 1:
        return None  # the formula with numbers says it
    alone = Alone(step)
    rows = []
    for j in range(g.size):
        one = np.zeros(g.shape, g.dtype)
        one.flat[j] = 1
        row = alone.pull(part, one)
        if row is None or not np.isfinite(row).all():
            return None
        rows.append(row.ravel())
    jacobian = np.array(rows)
    if np.count_nonzero(jacobian) > MOST_LINKS:
        return None
    return [
        [[int(j), summary.minus(summary.number(column[j]))] for j in np.flatnonzero(column)]
        for column in jacobian.T
    ]


def reach(step: Step, part: Part) -> tuple[str, int] | None:
    """Of a big array, one entry, and from how many entries of g its gradient comes."""
    alone = Alone(step)
    if not alone.can_run(part) or is_custom(step.value):
        return None
    x = part.value.data
    place = int(np.argmax(np.abs(np.nan_to_num(part.dx))))
    moved = _wide(x).copy()
    moved.flat[place] += 1e-3 * max(1.0, abs(float(moved.flat[place])))
    before, after = alone.run(), alone.run(part.input, moved)
    if before is None or after is None:
        return None
    count = sum(int(np.sum(a != b)) for a, b in zip(before, after, strict=True))
    index = list(map(int, np.unravel_index(place, x.shape)))
    return (str(index) if index else ""), count


def _rule(value: Value, name: str) -> Callable | None:
    rules = value.op.rules
    if name in rules:
        return rules[name]
    several = len(rules) == 1 and next(iter(rules)) not in dict(value.inputs)
    return next(iter(rules.values())) if several else None


def _wide(x: Any) -> np.ndarray:
    """An array of floats as float64; other arrays as they are."""
    x = np.asarray(x)
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def _call(value: Value, given: dict[str, Any]) -> Any:
    op = value.op
    if hasattr(op, "cell"):  # a Cell with a bprop
        names = iter(op.parameters)
        tensors = [
            Tensor(given[n]) if n in given else x for n, x in zip(names, op.values, strict=False)
        ]
        return op.cell.construct(*tensors)
    function = getattr(op, "function", None) or _function_of(op)
    if op.arrays and op.arrays[0] not in given:  # an op of any number of arrays
        return function(list(given.values()), **value.static)
    return function(*[(given | value.static)[n] for n in op.parameters])


def _function_of(op: Any) -> Any:
    functions: list[Any] = list(OPS.values())
    return next(function for function in functions if function.op is op)


def _outputs(out: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(unwrap(y)) for y in (out if isinstance(out, tuple | list) else (out,)))


def _products(g: Any, out: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Each output times its gradient, entry by entry."""
    gs = g if type(g) is tuple else (g,)
    with np.errstate(all="ignore"):
        return [_wide(a) * y for a, y in zip(gs, out, strict=True) if a is not None]


def _change(before: list[np.ndarray], after: list[np.ndarray]) -> float:
    """How much the sum of all products grew; what did not move takes no rounding with it."""
    return float(sum(np.sum(b - a) for a, b in zip(before, after, strict=True)))


def _size_of_moved(here: list[np.ndarray], *there: list[np.ndarray]) -> float:
    """The sum of the sizes of the products that moved; of all, if none was seen to."""
    sizes = [np.abs(product) for product in here]
    moved = [np.any([end[i] != y for end in there], axis=0) for i, y in enumerate(here)]
    if not any(map(np.any, moved)):
        return float(sum(map(np.sum, sizes)))
    return float(sum(np.sum(size[at]) for size, at in zip(sizes, moved, strict=True)))
