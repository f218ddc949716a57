"""The steps in a picture of which some groups are closed: what happens inside lights their box."""

from __future__ import annotations

from typing import Any

from .groups import Group
from .picture import Picture


def seen_steps(picture: Picture, shown: Picture, steps: list[dict[str, Any]]) -> list[Any]:
    """The steps, with the boxes and arrows that are seen in place of those that are hidden."""
    place = seen_at(picture, shown)
    if all(key == box for key, box in place.items()):
        return steps
    arrows = {arrow.id: arrow for arrow in picture.arrows}
    drawn = {arrow.id for arrow in shown.arrows}

    def seen_arrow(key: str) -> str:
        tail, head = place[arrows[key].tail], place[arrows[key].head]
        return key if key in drawn else f"{head}-{tail}"

    for step in steps:
        step["box"] = place.get(step["box"])
        if "target" in step:
            step["target"] = place[step["target"]]
            continue
        found = dict.fromkeys(seen_arrow(key) for key in step["arrows"])
        step["arrows"] = [key for key in found if key in drawn]
        step["targets"] = list(dict.fromkeys(place[key] for key in step["targets"]))
        for kind in ("badges", "told", "parts", "gradients"):
            step[kind] = {key: x for key, x in step[kind].items() if place[key] == key}
    return steps


def seen_at(picture: Picture, shown: Picture) -> dict[str, str]:
    """The box at which each value is seen: its own, or that of the closed group it is in."""
    place = {box.id: box.id for box in picture.boxes}
    for box in shown.boxes:
        if isinstance(box.group, Group):
            place |= {value.id: box.id for value in box.group.values()}
    return place
