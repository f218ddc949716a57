"""`signature_map`: what a gradient call differentiates, and what its answer is made of."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import traitlets

from . import chart
from .base import SavedWidget, expect_call, read
from .formula import words
from .signature import GradientCall, Item
from .text import align

MOST_WEIGHTS = 9  # that are drawn; beyond, they are counted
_LETTER = 7.25  # of 12 px
_TALL, _GAP = 40, 10


def _box(item: Item, x: float, y: float, wide: float, tag: str = "") -> str:
    role = {"asked": "mgw-asked", "aux": "mgw-aux"}.get(item.role, "")
    name = "mgw-g" if item.kind == "answer" and item.role == "asked" else ""
    pair = f' data-pair="{escape(item.pair)}"' if item.pair else ""
    extra = chart.text(wide - 9, 32, tag, "mgw-note", "end") if tag else ""
    return (
        f'<g class="{role}" data-box="{escape(item.id)}"{pair} role="img" '
        f'aria-label="{escape(item.sentence)}" transform="translate({x:.1f} {y:.1f})">'
        f'<rect class="mgw-face" width="{wide:.1f}" height="{_TALL}" rx="7"/>'
        f"{chart.text(10, 17, item.name, f'mgw-name {name}'.strip())}"
        f"{chart.text(10, 32, item.note, 'mgw-note')}{extra}</g>"
    )


def _wire(x: float, y: float, to_x: float, to_y: float, kind: str = "") -> str:
    middle = (x + to_x) / 2
    return (
        f'<path class="mgw-wire {kind}" d="M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} '
        f'{to_y:.1f} {to_x - 6:.1f} {to_y:.1f}"/>'
        f'<path class="mgw-tip" d="M{to_x:.1f} {to_y:.1f}l-8 -4v8z"/>'
    )


def _tag(item: Item) -> str:
    if item.kind == "weight":
        return "weights" if item.role == "asked" else ""
    return f"position {item.kind.split()[1]}" if item.role == "asked" else ""


def _draw(call: GradientCall) -> tuple[list[str], float, float]:
    """The map: its parts, width and height."""
    hidden = call.weights[MOST_WEIGHTS:]
    left = [*call.inputs, *call.weights[:MOST_WEIGHTS]]
    if hidden:
        asked = [item for item in hidden if item.role == "asked"]
        role, note = ("asked" if asked else "left"), f"{len(asked)} of them differentiated"
        say = f"{len(hidden)} more weights, {note}: {words([i.name for i in hidden])}."
        left.append(Item("w-more", f"{len(hidden)} more weights", note, role, "weight", say))
    tags = {item.id: "" if item.id == "w-more" else _tag(item) for item in left}
    in_wide = max(
        (
            max(len(i.name) * _LETTER, len(i.note + tags[i.id]) * chart.LETTER + 18) + 22
            for i in left
        ),
        default=80,
    )
    in_wide = max(in_wide, 96)
    fn_wide = max(90.0, len(call.name) * _LETTER + 30)
    out_wide = max(
        (max(len(o.name) * _LETTER, len(o.note) * chart.LETTER) + 22 for o in call.outputs),
        default=60.0,
    )
    out_wide = max(out_wide, 76)
    fn_x = 20 + in_wide + 56
    out_x, top = fn_x + fn_wide + 56, 32.0
    rows = max(len(left), len(call.outputs), 1)
    height = rows * (_TALL + _GAP) - _GAP
    middle = top + height / 2
    parts = [chart.text(20, 20, "inputs and weights" if call.weights else "inputs", "mgw-side")]
    parts.append(chart.text(out_x, 20, "outputs", "mgw-side"))
    end_x = out_x + out_wide + 46

    def column(items: list[Item]) -> Iterator[tuple[Item, float]]:
        tall = len(items) * (_TALL + _GAP) - _GAP
        for i, item in enumerate(items):
            yield item, middle - tall / 2 + i * (_TALL + _GAP)

    for item, y in column(left):
        parts.append(_wire(20 + in_wide, y + _TALL / 2, fn_x, y + _TALL / 2))
        parts.append(_box(item, 20, y, in_wide, tags[item.id]))
    parts.append(
        f'<g class="mgw-function"><rect class="mgw-face" x="{fn_x:.1f}" '
        f'y="{top:.1f}" width="{fn_wide:.1f}" height="{height:.1f}" rx="9"/>'
        f"{chart.text(fn_x + fn_wide / 2, middle + 4, call.name, 'mgw-name', 'middle')}</g>"
    )
    for item, y in column(call.outputs):
        here = y + _TALL / 2
        parts.append(_wire(fn_x + fn_wide, here, out_x, here))
        parts.append(_box(item, out_x, y, out_wide))
        if item.role == "aux":
            parts.append(_wire(out_x + out_wide, here, end_x, here, "mgw-aside-wire"))
            parts.append(
                f'<path class="mgw-door" d="M{end_x + 6:.1f} {here + 12:.1f}v-25h11v25M'
                f'{end_x + 6:.1f} {here - 13:.1f}l7 3v25l-7 -3"/>'
            )
            parts.append(chart.text(end_x + 25, here + 4, "aux", "mgw-note"))
    own = [(item, y) for item, y in column(call.outputs) if item.role == "sum"]
    if call.summed and own and not call.error:
        y = sum(y for _, y in own) / len(own) + _TALL / 2
        for _, each in own:
            parts.append(_wire(out_x + out_wide, each + _TALL / 2, end_x, y))
        parts.append(
            f'<circle class="mgw-face" cx="{end_x + 15:.1f}" cy="{y:.1f}" r="15"/>'
            f"{chart.text(end_x + 15, y + 5, '∑', 'mgw-name', 'middle')}"
            f"{chart.text(end_x + 37, y + 4, 'summed', 'mgw-note')}"
        )
    elif own and not call.error:
        y = own[0][1] + _TALL / 2
        parts.append(chart.text(out_x + out_wide + 8, y + 4, "differentiated", "mgw-note"))
    width = max(end_x + 37 + 6 * chart.LETTER, out_x + out_wide + 14 * chart.LETTER + 8) + 20
    if call.error:
        return parts, width, top + height + 16
    answer, end = _answer(call, top + height + 30, max(width, 480))
    return [*parts, *answer], max(width, 480), end


def _answer(call: GradientCall, y: float, width: float) -> tuple[list[str], float]:
    """The answer below the map."""
    parts = [chart.text(20, y + 4, "answer", "mgw-side")]
    x, y = 20.0, y + 14.0
    for token in _tokens(call):
        if isinstance(token, str):
            parts.append(chart.text(x + 2, y + 25, token, "mgw-name"))
            x += len(token) * _LETTER + 4
            continue
        wide = max(len(token.name) * _LETTER, len(token.note) * chart.LETTER) + 20
        if x + wide + 24 > width:
            x, y = 34.0, y + _TALL + 8
        parts.append(_box(token, x, y, wide))
        x += wide + 2
    return parts, y + _TALL + 20


def _tokens(call: GradientCall) -> list[str | Item]:
    """The answer as texts and parts in turn; of many parts the first, and how many more."""
    most = MOST_WEIGHTS + 2
    hidden = len(call.parts) - most if len(call.parts) > most + 1 else 0
    found: list[str | Item] = []
    drawn = 0
    for token in call.structure:
        drawn += not isinstance(token, str)
        if hidden and drawn == most + 1 and not isinstance(token, str):
            token = f"… {hidden} more"
        elif hidden and drawn > most and token != ")" * len(str(token)):
            continue
        if found and isinstance(token, str) and isinstance(found[-1], str):
            found[-1] += token
        else:
            found.append(token)
    return found


class SignatureMap(SavedWidget):
    """What a gradient call differentiates. Made by `signature_map`.

    `answer` is the structure of what the call returns, `error` what the engine says if it refuses.
    """

    _esm = read("common.js", "signature_view.js")
    _css = read("colours.css", "widgets.css", "chart.css", "panels.css")

    title = traitlets.Unicode().tag(sync=True)
    svg = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    sentences: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, call: GradientCall) -> None:
        self._call = call
        self._parts, self._width, self._height = _draw(call)
        boxes = [*call.inputs, *call.weights, *call.outputs, *call.parts]
        super().__init__(
            title=call.title(),
            svg=chart.drawing(self._width, self._height, call.sentence(), self._parts, "group"),
            sentence=call.sentence(),
            error=call.error,
            sentences={item.id: item.sentence for item in boxes},
        )

    @property
    def answer(self) -> str:
        """The structure of the answer, such as `(dx, (dw,))`; empty if there is an error."""
        return self._call.text()

    def to_svg(self) -> str:
        """The map with the call above and the sentence below."""
        width = max(self._width, 40 + len(self.title) * 7.9)
        head = chart.text(20, 26, self.title, "mgw-heading")
        body = chart.placed(0, 36, "".join(self._parts))
        if self.error:
            below, end = chart.refusal(self._height + 44, max(width, 560), self.error)
            return chart.still(max(width, 560), end, self.sentence, [head, body, below])
        text, end = chart.paragraph(20, self._height + 48, self.sentence, width - 40)
        return chart.still(width, end + 4, self.sentence, [head, body, text])

    def to_text(self) -> str:
        """A table of inputs, weights and outputs, and the answer."""
        call, rows = self._call, [("name", "is", "shape", "role")]
        says = {"asked": "differentiated", "left": "", "aux": "aux"}
        says["sum"] = "summed" if call.summed else "differentiated"
        items = [*call.inputs, *call.weights, *call.outputs]
        rows += [(item.name, item.kind, item.note, says[item.role]) for item in items]
        return f"{self.title}\n{align(rows)}\n{self.error or f'answer: {self.answer}'}"

    def __repr__(self) -> str:
        return f"signature_map: {self.error or self.answer}"


def signature_map(
    fn: Any,
    *args: Any,
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    **kwargs: Any,
) -> SignatureMap:
    """Draw what `grad(fn, grad_position, weights, has_aux)(*args, **kwargs)` differentiates.

    Inputs and weights stand on the left, those that are differentiated with a strong frame; outputs
    on the right: summed, if there are several or one of them is no scalar, or leaving by a side
    door as aux. Below is the structure of the answer, such as `(dx, (dw,))`. Point at a box, or go
    there with Tab and the arrow keys, and it says its part; what belongs together lights together.

    The call is made once, so an error of the call is the engine's own; it is shown in the answer's
    place.

    Parameters
    ----------
    fn
        A function of Tensors, or an nn.Cell.
    *args
        What to call it with.
    grad_position, weights, has_aux
        As for `minigrad.grad`.
    **kwargs
        More arguments of fn, by name. One that is called like an option above needs a lambda.

    Raises
    ------
    TypeError
        If fn is not callable or does not take these arguments. What fn itself raises is raised.

    Examples
    --------
    >>> from minigrad import Parameter, Tensor
    >>> w = Parameter(Tensor([2.0, 3.0]), name="w")
    >>> widget = signature_map(lambda x: (w * x).sum(), Tensor([1.0, 4.0]), weights=[w])
    >>> widget
    signature_map: (dx, (dw,))
    >>> signature_map(lambda x: x * x, 2.0, grad_position=1).error
    'IndexError: grad_position 1 is out of range: ...'
    """
    options = {"grad_position": grad_position, "weights": weights, "has_aux": has_aux}
    expect_call("signature_map", fn, args, kwargs, options=[*options])
    return SignatureMap(GradientCall(fn, args, kwargs, **options))
