"""What belongs together in a run: Cells, and in a long run calls of functions, loops and rounds.

A group can be drawn open, as a frame around what is in it, or closed, as one box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from minigrad.frames import Again, Call
from minigrad.watch import Run, Value

from .formula import printable

MOST_BOXES = 60  # a picture of more opens with its groups closed
MOST_ITEMS = 40  # a group of more is divided into parts
_STOREYS = ("forward", "derivative")
_INNER = {
    "<lambda>": "lambda",
    "<listcomp>": "list",
    "<dictcomp>": "dict",
    "<genexpr>": "generator",
}


@dataclass(eq=False, repr=False)  # it would print all that is in it
class Group:
    """Values and groups that belong together, in the order of the run."""

    name: str  # as it is shown
    kind: str  # "run", "storey", "cell", "function", "loop", "round" or "part"
    what: str = ""  # said of it when it is closed: the class of a Cell, the rounds of a loop
    items: list[Any] = field(default_factory=list)  # Values and Groups
    id: str = ""
    path: tuple[str, ...] = ()  # the ids of the groups around it and its own; () for the run

    @property
    def groups(self) -> list[Group]:
        """The groups directly inside."""
        return [item for item in self.items if isinstance(item, Group)]

    def walk(self) -> Iterator[Group]:
        """All groups inside, each before what is in it."""
        for group in self.groups:
            yield group
            yield from group.walk()

    def values(self) -> list[Value]:
        """All values inside, however deep."""
        found: list[Value] = []
        for item in self.items:
            found += item.values() if isinstance(item, Group) else [item]
        return found


def is_custom(value: Value) -> bool:
    """Whether a value was made by a Cell with a bprop of its own."""
    return value.kind == "op" and not value.op.formula and not value.op.rules and value.tracked


def group_values(run: Run, every: bool) -> Group:
    """The tree of the groups of a run: its storeys and Cells; if `every`, all kinds of groups."""
    whole = Group("", "run")
    forward = whole
    if any(value.rule_of for value in run.values):
        forward, derivative = (Group(name, "storey") for name in _STOREYS)
        whole.items += [forward, derivative]
    calls = _Call(None)
    for value in run.values:
        if value.kind == "op" and value.rule_of is None:
            calls.add(value)
    root = calls.only() if every else calls
    forward.items += _inside(root) if every else _told_apart(_cells(root))
    home = {value: forward for value in run.values if value.kind == "input"}
    home |= {v: group for group in (forward, *forward.walk()) for v in _own(group)}
    if forward is not whole:
        _mirror(run, forward, derivative, home)
    _place_leaves(run, whole, home)
    _number(whole)
    return whole


def opened_at_first(whole: Group) -> frozenset[str]:
    """The groups that are open at first: level by level, as far as the boxes stay few."""
    opened: frozenset[str] = frozenset()
    level = whole.groups
    while level:
        more = opened | {group.id for group in level}
        if any(group.kind != "storey" for group in level) and shown(whole, more) > MOST_BOXES:
            break
        opened, level = more, [inner for group in level for inner in group.groups]
    return opened


def shown(group: Group, opened: frozenset[str]) -> int:
    """How many boxes stand in a group, if these groups are open."""
    closed = (isinstance(x, Group) and x.id not in opened for x in group.items)
    pairs = zip(group.items, closed, strict=True)
    return sum(1 if shut or isinstance(x, Value) else shown(x, opened) for x, shut in pairs)


def hidden_in(group: Group, opened: frozenset[str]) -> list[Group]:
    """The closed groups that are seen as boxes."""
    found: list[Group] = []
    for inner in group.groups:
        found += hidden_in(inner, opened) if inner.id in opened else [inner]
    return found


# ------------------------------------------------------------------ from calls to groups


class _Call:
    """A call, and what was called in it one after another: ops, and other calls."""

    def __init__(self, call: Call | None):
        self.call = call
        self.items: list[Any] = []  # Values and _Calls
        self.positions: list[int] = []  # the instruction of each
        self.rounds: dict[int, Again] = {}  # the items that begin a round, and of which loop
        self.inner: dict[Call, _Call] = {}

    def add(self, value: Value) -> None:
        calls = value.calls
        if is_custom(value) and calls and calls[-1][0].kind:
            calls = calls[:-1]  # a Cell with a bprop is itself the box
        here, position = self, 0
        for call, inside in calls:
            here, position = here.enter(call, position, value), inside
        here.note(value, position, value)

    def enter(self, call: Call, position: int, value: Value) -> _Call:
        """The given call inside this one."""
        if call not in self.inner:
            self.inner[call] = _Call(call)
            self.note(self.inner[call], position, value)
        return self.inner[call]

    def note(self, item: Any, position: int, value: Value) -> None:
        if value.again is not None and value.again.call is self.call and self.items:
            self.rounds[len(self.items)] = value.again
        self.items.append(item)
        self.positions.append(position)

    def only(self) -> _Call:
        """The call of the watched function: it is the whole run, and no group of it."""
        if len(self.items) == 1 and isinstance(self.items[0], _Call):
            inner = self.items[0]
            if inner.call is not None and not inner.call.kind:
                return inner
        return self

    def loop(self, begin: int, end: int) -> tuple[Again, int, int, list[int]] | None:
        """The outermost loop among items begin to end, where it lies, and where rounds begin."""
        inside = [again for i, again in self.rounds.items() if begin < i < end]
        if not inside:
            return None
        loop = max(inside, key=lambda each: each.instructions[1] - each.instructions[0])
        start, stop = loop.instructions
        starts = [i for i in range(begin + 1, end) if i in self.rounds]
        starts = [i for i in starts if self.rounds[i].instructions == loop.instructions]
        first, last = starts[0], starts[-1]
        while first > begin and start <= self.positions[first - 1] <= stop:
            first -= 1
        while last < end and start <= self.positions[last] <= stop:
            last += 1
        return loop, first, last, [first, *starts]


def _cells(call: _Call) -> list[Any]:
    """The items of a call as Values, and as Groups that are Cells."""
    found: list[Any] = []
    for item in call.items:
        if isinstance(item, Value):
            found.append(item)
        elif item.call.kind:
            inner = _told_apart(_cells(item))
            found.append(Group(printable(item.call.name), "cell", printable(item.call.kind), inner))
        else:
            found += _cells(item)
    return found


def _inside(call: _Call) -> list[Any]:
    """The items of a call as Values and Groups of all kinds."""
    return _divided(_folded(call, 0, len(call.items)))


def _folded(call: _Call, begin: int, end: int) -> list[Any]:
    """Some items of a call, with its loops folded into groups of rounds."""
    loop = call.loop(begin, end)
    if loop is None:
        return _told_apart([_item(item) for item in call.items[begin:end]])
    again, first, last, starts = loop
    word = "part" if again.branches else "round"
    rounds = [
        Group(f"{word} {n}", "round", "", _divided(_folded(call, *ends)))
        for n, ends in enumerate(zip(starts, [*starts[1:], last], strict=True), 1)
    ]
    inside = _bare(_divided(rounds))
    name = f"loop, {_line_words(*again.lines)}"
    what = "" if again.branches else f"{len(rounds)} rounds"
    folded = Group(name, "loop", what, inside)
    before, after = _folded(call, begin, first), _folded(call, last, end)
    return _told_apart([*before, folded, *after])


def _item(item: Any) -> Any:
    if isinstance(item, Value):
        return item
    if item.call.kind:
        return Group(printable(item.call.name), "cell", printable(item.call.kind), _inside(item))
    name = _INNER.get(item.call.name, f"{printable(item.call.name)}()")
    return _bare([Group(name, "function", "function", _inside(item))])[0]


def _bare(items: list[Any]) -> list[Any]:
    """The items, with a value in the place of a round or a function that is nothing but it."""
    for item in items:
        if isinstance(item, Group) and item.kind == "part":
            item.items = _bare(item.items)
    return [item.items[0] if _is_bare(item) else item for item in items]


def _is_bare(item: Any) -> bool:
    if not isinstance(item, Group) or item.kind not in ("round", "function"):
        return False
    return len(item.items) == 1 and isinstance(item.items[0], Value)


def _divided(items: list[Any]) -> list[Any]:
    """The items, or if they are many, parts of about equal length that hold them."""
    while len(items) > MOST_ITEMS:
        count = -(-len(items) // MOST_ITEMS)
        count = max(count, min(MOST_ITEMS, round(len(items) ** 0.5)))
        ends = [len(items) * i // count for i in range(count + 1)]
        parts = [items[a:b] for a, b in pairwise(ends)]
        items = _told_apart([Group(_part_name(part), "part", "", part) for part in parts])
    return items


def _part_name(part: list[Any]) -> str:
    first, last = part[0], part[-1]
    if all(isinstance(item, Group) and item.kind == "round" for item in part):
        word, number = first.name.split()
        return f"{word}s {number}–{last.name.split()[-1]}"
    if all(isinstance(item, Group) and item.kind != "part" for item in part):
        return f"{first.name} … {last.name}"
    values = Group("", "part", "", part).values()
    numbers = [value.line.number for value in values if value.line is not None]
    return _line_words(min(numbers), max(numbers)) if numbers else "part"


def _line_words(low: int, high: int) -> str:
    return f"line {low}" if low == high else f"lines {low}–{high}"


def _told_apart(items: list[Any]) -> list[Any]:
    """Number the groups that have the same name."""
    groups = [item for item in items if isinstance(item, Group)]
    many = Counter(group.name for group in groups)
    seen: Counter[str] = Counter()
    for group in groups:
        name = group.name
        if many[name] > 1:
            seen[name] += 1
            word = "call" if group.kind in ("cell", "function") else "part"
            group.name = f"{name}, {word} {seen[name]}"
    return items


# ------------------------------------------------------------------ the rest of the values


def _own(group: Group) -> list[Value]:
    return [item for item in group.items if isinstance(item, Value)]


def _mirror(run: Run, forward: Group, derivative: Group, home: dict[Value, Group]) -> None:
    """What a rule made stands in the storey of the derivative as its op in that of the run."""
    parents = {id(inner): group for group in (forward, *forward.walk()) for inner in group.groups}
    copies: dict[int, Group] = {id(forward): derivative}

    def copy_of(group: Group) -> Group:
        if id(group) not in copies:
            copies[id(group)] = Group(group.name, group.kind, group.what)
            copy_of(parents[id(group)]).items.append(copies[id(group)])
        return copies[id(group)]

    for value in run.values:
        if value.rule_of is not None:
            home[value] = copy_of(home.get(value.rule_of, forward))
            home[value].items.append(value)
        elif value.gradient_of is not None and value.kind == "constant":
            home[value] = derivative
            derivative.items.append(value)


def _place_leaves(run: Run, whole: Group, home: dict[Value, Group]) -> None:
    """Put inputs first, and Parameters and constants into the group where all their uses are."""
    above: dict[int, tuple[Group, ...]] = {id(whole): (whole,)}
    for group in (whole, *whole.walk()):
        for inner in group.groups:
            above[id(inner)] = (*above[id(group)], inner)
    uses: dict[Value, list[Value]] = {}
    for value in run.values:
        for _, source in value.inputs:
            uses.setdefault(source, []).append(value)
    at_front: dict[int, list[Value]] = {}
    for value in run.values:
        if value.kind == "op" or (value in home and value.kind == "constant"):
            continue
        if value not in home:
            used = uses.get(value, [])
            used = [v for v in used if v.rule_of is None] or used  # its place is in the run
            home[value] = _common([above[id(home[v])] for v in used], whole)
        at_front.setdefault(id(home[value]), []).append(value)
    for group in (whole, *whole.walk()):
        group.items[:0] = at_front.get(id(group), [])


def _common(paths: list[tuple[Group, ...]], whole: Group) -> Group:
    shared = whole
    for level in zip(*paths, strict=False):
        if any(group is not level[0] for group in level):
            break
        shared = level[0]
    return shared


def _number(whole: Group) -> None:
    """Give each group its id and its path."""
    for number, group in enumerate(whole.walk()):
        group.id = f"g{number}"
    for group in (whole, *whole.walk()):
        for inner in group.groups:
            inner.path = (*group.path, inner.id)
