"""How widgets look where a number can say it: colours that tell apart, and nothing that jumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from alone_page import open_alone
from playwright.sync_api import Browser, Locator, Page, expect

from minigrad import Tensor, nn, ops
from minigrad_widgets import export_html, open_bprop, show_graph, step_forward


def loss(x, w):
    h = x * w
    q = h * h
    return ops.sum(q), ops.exp(h)


class Spike(nn.Cell):
    def construct(self, x):
        return (x > 0).astype("float32")

    def bprop(self, x, out, dout):
        return (dout / (1 + x * x),)


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A graph with two outputs, a forward stepper at step 2 of 4, and a bprop that is open."""
    x, w = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([0.5, 1.0])
    forward = step_forward(loss, x, w)
    forward.step = 2
    opened = open_bprop(Spike(), Tensor(np.array([-0.5, 0.2], np.float32)))
    opened.opened = True
    path = tmp_path_factory.mktemp("look") / "look.html"
    export_html([show_graph(loss, x, w), forward, opened], path)
    with open_alone(browser, path, color_scheme="light") as page:
        yield page


@pytest.fixture
def graph(page: Page) -> Locator:
    """The graph, of which nothing is pointed at, with an empty search."""
    widget = page.locator(".mgw-view")
    widget.locator(".mgw-search").fill("")
    return widget


def style(element: Locator, name: str) -> str:
    """A computed property of an element, once what moves has come to rest."""
    return element.evaluate(
        """async (e, name) => {
            await Promise.all(e.getAnimations().map(each => each.finished));
            return getComputedStyle(e)[name];
        }""",
        name,
    )


def test_the_chosen_box_is_not_drawn_as_an_output(graph: Locator) -> None:
    """Of the two outputs the one that is pointed at has a border of another colour."""
    one, two = graph.locator(".mgw-output").all()
    one.hover()
    expect(one).to_have_class("mgw-box mgw-op mgw-output mgw-chosen")
    chosen, other = (style(each.locator(".mgw-face"), "stroke") for each in (one, two))
    assert chosen != other


def test_a_head_has_the_colour_of_its_line(graph: Locator, page: Page) -> None:
    """Lit or not: the head takes it from the line, and the lit line has another one."""
    graph.locator("[data-box]").nth(2).hover()
    lit = graph.locator(".mgw-near .mgw-forward").first
    other = graph.locator(".mgw-arrow:not(.mgw-near) .mgw-forward").first
    assert style(lit, "stroke") != style(other, "stroke")
    for widget in (graph, page.locator(".mgw-forward.mgw-stepper")):
        head = widget.locator(".mgw-head-forward path").first
        assert style(head, "fill") == "context-stroke"


def test_nothing_jumps_when_boxes_are_pointed_at(graph: Locator) -> None:
    """Cards are of many heights; the frame keeps its own."""
    heights, cards = set(), set()
    last = "e => e.lastChild.getBoundingClientRect().bottom"
    for each in graph.locator("[data-box]").all():
        each.hover()
        heights.add(graph.locator(".mgw-frame").bounding_box()["height"])
        cards.add(graph.locator(".mgw-card").evaluate(last))
    assert len(cards) > 1
    assert len(heights) == 1


def test_what_is_found_does_not_push_the_field(graph: Locator) -> None:
    """With 0 found, or 1 of 2, the field stays where it was."""
    field = graph.locator(".mgw-search")
    before = field.bounding_box()
    for words, said in (("nothing like it", "0 found"), ("multiply", "2 found")):
        field.fill(words)
        expect(graph.locator(".mgw-hits")).to_have_text(said)
        assert field.bounding_box() == before


def channels(colour: str) -> np.ndarray:
    """The red, green and blue of `rgb(1, 2, 3)`, from 0 to 1."""
    return np.array([float(x) for x in colour[4:-1].split(",")]) / 255


def luminance(colour: np.ndarray) -> float:
    """WCAG 2.2, relative luminance."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_what_waits_can_be_read(page: Page) -> None:
    """The title of a box that is not computed yet has a contrast of 4.5, as text is to have."""
    box = page.locator(".mgw-forward .mgw-box.mgw-waiting").first
    ink = channels(style(box.locator(".mgw-title"), "fill"))
    face = channels(style(box.locator(".mgw-face"), "fill"))
    ground = channels(style(page.locator(".mgw-forward .mgw-frame"), "backgroundColor"))
    share = float(style(box, "opacity"))
    seen = [luminance(share * colour + (1 - share) * ground) for colour in (ink, face)]
    assert share < 1
    assert (max(seen) + 0.05) / (min(seen) + 0.05) >= 4.5


def test_names_keep_their_letters(page: Page) -> None:
    """dout and construct are names: no style writes them in capitals."""
    headings = page.locator(".mgw-bprop h4")
    said: Any = headings.all_inner_texts()  # as it is seen
    assert "construct and its rule" in said
    assert any(text.startswith("Gradients, for dout = ") for text in said)


def test_formulas_have_a_font_of_their_own(page: Page) -> None:
    """The italic h is a letter that fonts of text lack: a formula names fonts for mathematics."""
    font = style(page.locator(".mgw-forward .mgw-formula math").first, "fontFamily")
    assert "math" in font.split(", ")
    assert font.startswith('"STIX Two Math"')
