"""Groups of a stepper: they open and close, and a closed one says what arrived in it."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from minigrad import Tensor, nn, ops
from minigrad_widgets import step_backward, step_forward
from minigrad_widgets.sealed import token

SVG = "{http://www.w3.org/2000/svg}"


class Twice(nn.Cell):
    """Seven values: six constants and products, 1 · 1 · 1 · ... · 2."""

    def construct(self, x):
        y = x * 1.0
        y = y * 1.0
        y = y * 1.0
        return y * 2.0


class Both(nn.Cell):
    """Two outputs: the sum and the product."""

    def construct(self, x, y):
        return x + y, x * y


NET = nn.SequentialCell(*[Twice() for _ in range(10)])


def many(x, y):
    """Many values, and then the Cell with two outputs."""
    for _ in range(31):
        x = x * 1.0
    total, product = Both()(x, y)
    return total + 10.0 * product


def few(x, y):
    for _ in range(31):
        x = x * 1.0
    a, b = Both()(x, y)
    return a + 10.0 * b


def drawn(svg: str) -> dict[str, Any]:
    """The boxes of a picture, by their titles."""
    root = ElementTree.fromstring(svg)
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("data-box")]
    return {box.find(f"{SVG}text").text: box for box in boxes}


def badge(box: Any) -> str:
    """What a box says of the gradient."""
    (sign,) = (g for g in box.iter(f"{SVG}g") if g.get("class") == "mgw-badge")
    return "".join(sign.itertext())


def group_called(widget: Any, name: str) -> str:
    """The id of a group."""
    (found,) = (key for key, group in widget.groups.items() if group["name"] == name)
    return found


def test_a_closed_group_shows_the_gradient_of_its_output() -> None:
    """Each Cell doubles: at the output of the last the gradient is 1, before it 2, then 4, 8."""
    boxes = drawn(step_backward(NET, 1.0).to_svg())
    assert {name: badge(box) for name, box in boxes.items()} == {
        "input_data": "g = 1024",
        **{str(9 - n): f"g = {2**n}" for n in range(10)},
    }
    assert all("mgw-done" in box.get("class") for box in boxes.values())


def test_of_several_outputs_it_names_those_that_have_one() -> None:
    """The sum and the product are read outside of the Cell; long names are counted."""
    widget = step_backward(many, 2.0, 3.0)
    widget.show([])
    box = next(box for box in widget._now.shown.boxes if box.title == "Both")
    assert badge(drawn(widget.to_svg())["Both"]) == "g of 2 outputs"
    assert [widget.picture.names[value.id] for value in box.ends] == ["total", "product"]
    assert widget.cards[box.id]["ends"] == [value.id for value in box.ends]
    assert box.width > 6.35 * len("Both, 2 values" + "g of 2 outputs") + 24  # and room for both
    widget = step_backward(few, 2.0, 3.0)
    widget.show([])
    assert badge(drawn(widget.to_svg())["Both"]) == "g of a, b"


def test_the_card_of_a_group_lists_whose_gradients_it_shows() -> None:
    """Its outputs, then its Parameters; and when its last step comes."""

    def fn(x):
        for _ in range(31):
            x = x * 1.0
        return ops.sum(fc(x))

    fc = nn.Dense(3, 2)
    widget = step_backward(fn, Tensor(np.ones((1, 3), np.float32)))
    key = group_called(widget, "Dense")
    names = [widget.cards[each]["name"] for each in widget.cards[key]["gradients"]]
    assert [name.split(".")[-1] for name in names] == [names[0], "weight", "bias"]
    assert names[0].startswith("v")
    assert widget.complete[key] == 2  # sum, dense, then the products


def test_a_stepper_opens_and_closes_and_its_steps_stay() -> None:
    """What is seen changes, what the steps say does not; the page asks as it does in show_graph."""
    widget = step_backward(NET, 1.0)
    steps, third = list(widget.steps), group_called(widget, "3")
    assert widget.hides == "80 values hide in 10 Cells"
    widget.wanted = {"opened": [*widget.opened, third], "at": 1}
    assert widget.hides == "72 values hide in 9 Cells"
    assert third in widget.opened
    assert f'data-frame="{third}"' in widget.svg
    assert widget.steps == steps
    inside = [key for key, group in widget.homes.items() if group == third]
    assert len(inside) == 8
    assert set(inside) <= set(re.findall(r'data-box="(\w+)"', widget.svg))


@pytest.mark.parametrize("show", [step_backward, step_forward])
def test_each_step_is_seen_whatever_is_open(show: Any) -> None:
    """Its box is drawn, or a closed group around it; its arrows are drawn, but inside of one."""
    widget = show(NET, 1.0)
    for opened in (
        widget.opened,
        list(widget.groups),
        [],
        [*widget.opened, *list(widget.groups)[:4]],
    ):
        widget.show(opened)
        boxes = set(re.findall(r'data-box="(\w+)"', widget.svg))
        arrows = set(re.findall(r'data-arrow="([\w-]+)"', widget.svg))
        arrows |= {
            key
            for found in re.findall(r'data-several="([^"]+)"', widget.svg)
            for key in found.split()
        }

        def seen(key: str, boxes: set[str] = boxes) -> str:
            around = widget.groups.get(widget.homes.get(key, ""), {"path": []})["path"]
            return next((each for each in [*around, key] if each in boxes), "")

        for step in widget.steps[1:]:
            assert seen(step["box"])
            for key, source in zip(step["arrows"], step["targets"], strict=False):
                assert key in arrows or seen(key.split("-")[0]) == seen(source)


def test_an_arrow_that_stands_for_one_keeps_its_label() -> None:
    """Between two closed Cells goes one arrow, and its number can be read."""
    svg = step_backward(NET, 1.0).to_svg()
    labels = [
        text.text
        for text in ElementTree.fromstring(svg).iter(f"{SVG}text")
        if text.get("class") is None
    ]
    assert sorted(float(text) for text in labels if text.isdigit()) == [
        2.0**n for n in range(1, 11)
    ]


def test_the_static_picture_is_what_is_seen() -> None:
    """After going back to what was drawn before, and after the pictures for a file were made."""
    widget = step_backward(NET, 1.0)
    assert widget.to_svg().count("data-box=") == 11
    first = widget.opened
    widget.show([*first, group_called(widget, "3")])
    assert widget.to_svg().count("data-box=") == 11 + 7
    widget.show(first)
    assert widget.to_svg().count("data-box=") == 11
    widget.alone()
    assert widget.to_svg().count("data-box=") == 11


def test_a_file_gets_each_group_opened_by_itself() -> None:
    """All closed, all open, and each; what has too many boxes is not opened as a whole."""
    widget = step_backward(NET, 1.0)
    drawn = [view["svg"].count("data-box=") for view in widget.alone()["views"]]
    assert sorted(drawn) == [11, *[18] * 10, 81]
    widget.most_open = 79  # of the 80 that are in groups
    drawn = [view["svg"].count("data-box=") for view in widget.alone()["views"]]
    assert sorted(drawn) == [11, *[18] * 10]


def test_a_group_gives_no_answer_away() -> None:
    """Of a stepper that asks, no picture holds a number that was not given; then it has it."""
    widget = step_backward(NET, 1.0, predict=True)
    third = group_called(widget, "3")
    widget.show([*widget.opened, third])
    pictures = [widget.svg, widget.to_svg(), *(view["svg"] for view in widget.alone()["views"])]
    for svg in pictures:
        assert {badge(box) for box in drawn(svg).values()} <= {"", "g = 1"}
        labels = re.findall(r'class="mgw-label".*?<text[^>]*>([^<]*)<', svg)
        assert set(labels) == {"?"}
    given = [{"answer": token(x), "tries": 1, "shown": False} for x in (2.0, 2.0, 2.0, 2.0)]
    widget.given = given
    assert badge(drawn(widget.to_svg())["8"]) == "g = 2"
    assert badge(drawn(widget.to_svg())["7"]) == ""
