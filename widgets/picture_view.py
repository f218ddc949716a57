"""A run as a picture on the page, whose groups open and close."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

import traitlets

from .base import SavedWidget, called, read
from .draw import draw
from .folding import Opened, fold, hides
from .groups import Group, opened_at_first
from .layout import LayoutError, Placed, place
from .picture import Picture
from .text import graph_label

_MOST_INSIDE = 300  # values of a group that is laid out with all that is in it open
_numbers = count(1)


@dataclass(frozen=True)
class _View:
    """The picture with some of its groups open, and where all of it goes."""

    opened: Opened
    shown: Picture
    placed: Placed


class PictureWidget(SavedWidget):
    """A run of a program as a live picture, with a static picture and a text beside it.

    `view` is the picture as it is seen: the ids of the groups that are `opened`, its `svg`, and
    what it `hides`. They travel as one value, for a page may hear of two in any order.
    """

    _css = read("colours.css", "graph.css", "widgets.css")
    title = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    view: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    cards = traitlets.Dict().tag(sync=True)
    groups: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    homes: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # the group around a value
    most_open = traitlets.Int(10**9).tag(sync=True)  # boxes that "Open all" may open
    wanted: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # what the page asks for
    problem = traitlets.Unicode().tag(sync=True)  # why it cannot be had
    views: traitlets.List[Any] = traitlets.List().tag(sync=True)  # for a page without a kernel
    live = traitlets.Bool(True).tag(sync=True)

    def __init__(self, picture: Picture, width: float, **state: Any) -> None:
        self.run, self.picture, self._width = picture.run, picture, width
        self._prefix = f"mgw{next(_numbers)}"
        self._views: dict[Opened, _View] = {}
        self._first = opened_at_first(picture.whole)
        self._now = self._view(self._first)
        label, places = graph_label(picture), _places(picture)
        super().__init__(title=called(self.run), label=label, view=self._data(self._now), **state)
        self.groups = {
            group.id: {"name": group.name, "path": list(group.path), "place": places[group.id]}
            for group in picture.whole.walk()
        }
        boxes = picture.boxes
        self.homes = {box.id: box.groups[-1] for box in boxes if box.groups and box.value}

    def show(self, opened: Iterable[str]) -> None:
        """Open these groups, and close all others: `widget.groups` has their ids and names.

        A group inside one that is closed is closed as well. Raises LayoutError if Graphviz cannot
        lay the picture out.
        """
        if isinstance(opened, str) or not isinstance(opened, Iterable):
            raise TypeError(f"show expects a list of ids, such as widget.opened; got {opened!r}")
        wanted = frozenset(opened)
        unknown = wanted - set(self.groups)
        if unknown:
            raise ValueError(
                f"show expects ids of groups, which are the keys of widget.groups; got "
                f"{', '.join(sorted(map(repr, unknown)))}"
            )
        self._now = self._view(wanted)
        self.problem = ""
        self.cards = {**self.cards, **self._more_cards(self._now.shown)}  # before they are needed
        self.view = self._data(self._now)

    @property
    def opened(self) -> list[str]:
        """The ids of the groups that are open: what is inside them is seen."""
        return self.view["opened"]

    @property
    def svg(self) -> str:
        """The picture that the page has now."""
        return self.view["svg"]

    @property
    def hides(self) -> str:
        """What is inside closed groups, in words; "" if nothing is."""
        return self.view["hides"]

    def to_svg(self) -> str:
        """The static picture: one SVG file's text, readable by itself, light and dark.

        Write it to a file with `pathlib.Path("graph.svg").write_text(widget.to_svg())`.
        """
        shown, prefix = self._told(self._now.shown), f"mgw{next(_numbers)}"
        return draw(shown, self._now.placed, prefix, static=True, title=self.label)

    def alone(self) -> dict[str, Any]:
        """What a page needs besides if no kernel answers it: all closed, all open, and each open.

        "Each" is every group that is a box when all are closed, opened by itself.
        """
        shut = self._first
        seen = [box.group for box in self._view(shut).shown.boxes if box.group is not None]
        states = [self._now.opened, shut]
        if len(self.homes) <= self.most_open:
            states.append(frozenset(self.groups))
        states += [shut | {group.id, *_inside(group)} for group in seen]
        views = [self._data(self._view(state)) for state in dict.fromkeys(states)]
        return {"views": views, "live": False}

    def _view(self, opened: Opened) -> _View:
        """The picture in which only these groups are open, laid out."""
        groups = self.picture.groups
        opened = frozenset(key for key in opened if opened.issuperset(groups[key].path))
        if opened not in self._views:
            shown = fold(self.picture, opened)
            self._views[opened] = _View(opened, shown, place(shown, self._width))
        return self._views[opened]

    def _data(self, view: _View) -> dict[str, Any]:
        """A view as the page gets it."""
        shown = self._untold(view.shown)
        svg = draw(shown, view.placed, self._prefix, title=graph_label(shown))
        said = hides(self.picture, view.opened)
        return {"opened": sorted(view.opened), "svg": svg, "hides": said}

    def _untold(self, shown: Picture) -> Picture:
        """A picture for the page, without what the page may not hold yet."""
        return shown

    def _told(self, shown: Picture) -> Picture:
        """A picture as it may be seen where no page adds to it."""
        return shown

    def _more_cards(self, shown: Picture) -> dict[str, Any]:
        """The cards that a picture needs and that have not travelled."""
        return {}

    @traitlets.observe("wanted")
    def _answer(self, change: dict[str, Any]) -> None:
        """The page asks for a picture with other groups open."""
        asked = change["new"].get("opened", [])
        try:
            self.show(key for key in asked if key in self.groups)
        except LayoutError as error:
            self.problem = str(error)


def _places(picture: Picture) -> dict[str, int]:
    """Where each group begins: the place in the run of its first value."""
    place = {value.id: i for i, value in enumerate(picture.run.values)}
    return {
        key: min((place[value.id] for value in group.values()), default=0)
        for key, group in picture.groups.items()
    }


def _inside(group: Group) -> list[str]:
    return [inner.id for inner in group.walk()] if len(group.values()) <= _MOST_INSIDE else []
