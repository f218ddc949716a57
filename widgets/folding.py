"""A picture with some of its groups closed: one box stands for all that is in each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from typing import Any

from minigrad.watch import Value

from .groups import Group, hidden_in
from .picture import CHARACTER, SMALL, Arrow, Box, Picture, shorten
from .text import count

Opened = frozenset[str]
_MOST_NAMED = 12  # letters of the names of several outputs in the box of a group
_MOST_GRADIENTS = 8  # of which the card of a group shows the tables


def fold(picture: Picture, opened: Opened) -> Picture:
    """The picture in which only these groups are open, inside of which all is shown."""
    closed = hidden_in(picture.whole, opened)
    if not closed:
        return picture
    stands_for = {value.id: group.id for group in closed for value in group.values()}
    boxes = [box for box in picture.boxes if box.id not in stands_for]
    boxes += [closed_box(picture, group) for group in closed]
    first = {value.id: i for i, value in enumerate(picture.run.values)}
    first |= {group.id: min(first[v.id] for v in group.values()) for group in closed}
    boxes.sort(key=lambda box: first.get(box.id, len(first)))
    return replace(picture, boxes=boxes, arrows=_merged(picture.arrows, stands_for))


def closed_box(picture: Picture, group: Group) -> Box:
    """The box that stands for a group."""
    title = shorten(group.name, 30)
    note = closed_note(group)
    ends = tuple(picture.ends_of(group))
    badge = _badge_width(picture, ends)
    below = len(note) * SMALL + (badge + 14 if badge else 0)
    width = max(len(title) * CHARACTER + 22, below) + 24
    path = group.path[:-1]
    return Box(group.id, "group", title, note, path, width, group=group, badge=badge, ends=ends)


def _badge_width(picture: Picture, ends: tuple[Value, ...]) -> float:
    """The room for the gradient of a group's output; of several, for their names."""
    found = [value for value in ends if value.id in picture.badges]
    if len(found) == 1:
        return picture.box_of[found[0]].badge
    return len(badge_of_several([picture.names[value.id] for value in found])) * SMALL


def badge_of_several(names: list[str]) -> str:
    """What the box of a group says if there are gradients of several of its outputs."""
    said = ", ".join(names)
    if not names:
        return ""
    return f"g of {said}" if len(said) <= _MOST_NAMED else f"g of {count(len(names), 'output')}"


def closed_note(group: Group) -> str:
    """What is said below the name of a closed group: `Dense, 3 values`."""
    inside = count(len(group.values()), "value")
    return f"{group.what}, {inside}" if group.what else inside


def closed_card(picture: Picture, group: Group) -> dict[str, Any]:
    """All about a group: how much it holds, what comes in and what goes out."""
    inside = {value.id: value for value in group.values()}
    tails = (tail for key in inside for tail in picture.reads.get(key, ()))
    into = dict.fromkeys(tail for tail in tails if tail not in inside)
    ends = [value.id for value in picture.ends_of(group)]
    out = [key for key in ends if key in picture.read_by]
    parameters = [value for value in group.values() if value.kind == "parameter"]
    ops = sum(value.kind == "op" for value in group.values())
    facts = [("holds", f"{count(len(inside), 'value')}, {count(ops, 'op')}")]
    if parameters:
        sizes = sum(int(value.data.size) for value in parameters)
        facts.append(("Parameters", f"{len(parameters)}, {count(sizes, 'number')} in all"))
    facts += [(word, _named(picture, ids)) for word, ids in (("from", into), ("to", out)) if ids]
    kind = group.what or group.kind
    return {
        "heading": f"<b>{escape(group.name)}</b><span>, {escape(kind)}</span>",
        "formulas": [], "facts": facts, "rows": [],
        "name": group.name, "label": f"{group.name}, {closed_note(group)}",
        "ends": ends,
        "gradients": [*ends, *(value.id for value in parameters)][:_MOST_GRADIENTS],
    }  # fmt: skip


def door_card(picture: Picture, box: Box) -> dict[str, Any]:
    """About an output that is carried along: which value it is, and what it means."""
    (source,) = (arrow.tail for arrow in picture.arrows if arrow.head == box.id)
    return {
        "heading": "<b>aux</b><span>, an output that is not differentiated</span>",
        "formulas": [], "rows": [],
        "facts": [("value", picture.names[source]), ("gradient", "none comes back")],
        "name": "aux", "label": box.label,
    }  # fmt: skip


def _named(picture: Picture, ids: Iterable[str]) -> str:
    """The names of some values; of many, the first few."""
    names = [picture.names[key] for key in ids if key in picture.names]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _merged(arrows: list[Arrow], stands_for: dict[str, str]) -> list[Arrow]:
    """The arrows between what is seen; those between the same two boxes are one."""
    between: dict[tuple[str, str], list[Arrow]] = {}
    for arrow in arrows:
        ends = stands_for.get(arrow.tail, arrow.tail), stands_for.get(arrow.head, arrow.head)
        if ends[0] != ends[1]:
            between.setdefault(ends, []).append(arrow)
    merged = []
    for (tail, head), several in between.items():
        if (tail, head) == (several[0].tail, several[0].head):
            merged += several
            continue
        kinds = {arrow.kind for arrow in several}
        cut = all(arrow.cut for arrow in several)
        scissors = cut and any(arrow.scissors for arrow in several)
        kind = kinds.pop() if len(kinds) == 1 else ""
        one = replace(several[0], id=f"{head}-{tail}", tail=tail, head=head, kind=kind)
        label = several[0].label if len(several) == 1 else ""
        ids = tuple(arrow.id for arrow in several)
        merged.append(replace(one, cut=cut, scissors=scissors, label=label, several=ids))
    return merged


def hides(picture: Picture, opened: Opened) -> str:
    """What is said of closed groups: `214 values hide in 12 Cells`; `""` if there are none."""
    closed = hidden_in(picture.whole, opened)
    if not closed:
        return ""
    hidden = sum(len(group.values()) for group in closed)
    noun = "Cell" if all(group.kind == "cell" for group in closed) else "group"
    return (
        f"{count(hidden, 'value')} hide{'s' if hidden == 1 else ''} in {count(len(closed), noun)}"
    )
