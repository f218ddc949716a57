"""The graph in JupyterLab: groups open and close, it zooms and moves, is searched and saved."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from alone_page import open_alone
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, Locator, expect

IMPORTS = """
import numpy as np
from minigrad import Tensor, nn, ops
from minigrad_widgets import export_html, show_graph

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 3, weight_init="ones")

    def construct(self, x):
        h = self.fc(x)
        return x + ops.tanh(h) * 0.5

net = nn.SequentialCell(*[Block() for _ in range(12)])
x = Tensor(np.ones((2, 3), np.float32))

def loss(a, b):
    p = a * b
    return ops.sum(p * p), ops.exp(p)
""".strip()
# Counted by hand. A Block: weight, bias, dense, tanh, 0.5, multiply, add: 7 values, so 84 in all
# and the input. Closed, a Block is one box: 12 boxes and the input, inside one frame.
CLOSED = 13
INSIDE = 7


@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with the graph of a network, one with two storeys, and one with a side door."""
    show = [
        "deep = show_graph(net, x)\ndeep",
        "two = show_graph(loss, 2.0, b=3.0, order=2, has_aux=True)\ntwo",
    ]
    write_notebook(notebooks / "graphs.ipynb", IMPORTS, *show)
    lab.open("graphs.ipynb")
    lab.run_all()
    return lab


@pytest.fixture
def deep(ran: Lab) -> Locator:
    """The graph of the network, as it was at first."""
    widget = ran.page.locator(".mgw-view").first
    expect(ran.page.locator(".mgw-view")).to_have_count(2)
    ran.python("deep.show([]), deep.show(deep._first)")
    expect(widget.locator("[data-box]")).to_have_count(CLOSED)
    widget.locator(".mgw-search").fill("")
    widget.get_by_role("button", name="Fit to the width").click()
    return widget


def box(widget: Locator, title: str) -> Locator:
    """The box with this title."""
    return widget.locator("[data-box]", has=widget.page.locator(f"text='{title}'"))


def opened(widget: Locator, name: str) -> Locator:
    """The name of the frame of an open group."""
    return widget.locator("[data-frame]", has=widget.page.locator(f"text='{name}'"))


def test_a_long_graph_opens_closed_and_says_what_hides(deep: Locator) -> None:
    """Twelve Blocks are twelve boxes, and the bar says how many values they hide."""
    expect(deep.locator(".mgw-hides")).to_have_text("84 values hide in 12 Cells")
    expect(deep.locator(".mgw-group")).to_have_count(12)
    expect(opened(deep, "SequentialCell")).to_have_count(1)


def test_a_click_opens_a_group_and_another_closes_it(ran: Lab, deep: Locator) -> None:
    """A Block's box becomes a frame with its values; its name closes it; the kernel knows."""
    box(deep, "3").click()
    expect(opened(deep, "3")).to_be_visible()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED - 1 + INSIDE - 2)  # fc stays closed
    expect(deep.locator(".mgw-hides")).to_have_text("80 values hide in 12 Cells")
    ran.wait_for_python("len(deep.opened)", 2)
    expect(deep.locator(":focus")).to_have_attribute("aria-expanded", "true")
    opened(deep, "3").click()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)
    expect(deep.locator(":focus")).to_have_attribute("aria-expanded", "false")
    ran.wait_for_python("len(deep.opened)", 1)


def test_enter_opens_and_closes(ran: Lab, deep: Locator) -> None:
    """The keys alone: to a box, Enter opens it, Enter on its name closes it."""
    deep.locator("[data-box][tabindex='0']").focus()
    heard = []
    for _ in range(4):
        heard.append(deep.locator(":focus").get_attribute("aria-label"))
        ran.page.keyboard.press("ArrowDown")
    assert heard == [
        "input_data, input, shape (2, 3)",
        "SequentialCell, group",
        "0, Block, 7 values",
        "1, Block, 7 values",
    ]
    ran.page.keyboard.press("Enter")
    expect(opened(deep, "2")).to_be_focused()
    expect(deep.locator(".mgw-told")).to_have_text("2 is open. 80 values hide in 12 Cells")
    ran.page.keyboard.press("Enter")
    expect(box(deep, "2")).to_be_focused()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)


def test_all_opens_and_closes_again(deep: Locator) -> None:
    """One button opens every group, another closes what was opened."""
    deep.get_by_role("button", name="Open all").click()
    expect(deep.locator("[data-box]")).to_have_count(1 + 12 * INSIDE)
    expect(deep.locator(".mgw-hides")).to_be_hidden()
    deep.get_by_role("button", name="Close what was opened").click()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)


def test_the_card_of_a_group_says_what_comes_in_and_goes_out(deep: Locator) -> None:
    """Pointing at a closed group shows what it holds."""
    box(deep, "0").hover()
    card = deep.locator(".mgw-card")
    expect(card.locator("h4")).to_have_text("0, Block")
    assert card.locator("dd").all_inner_texts()[:3] == [
        "7 values, 4 ops",
        "2, 12 numbers in all",
        "input_data",
    ]


def test_search_goes_from_hit_to_hit(ran: Lab, deep: Locator) -> None:
    """By op, by Cell and by formula; Enter goes on and round, Escape clears."""
    field, counter = deep.locator(".mgw-search"), deep.locator(".mgw-hits")
    field.fill("tanh")
    expect(counter).to_have_text("12 found")
    expect(deep.locator(".mgw-hit-box")).to_have_count(12)
    for number in (1, 2):
        field.press("Enter")
        expect(counter).to_have_text(f"{number} of 12")
    expect(deep.locator(".mgw-hit-now .mgw-title")).to_have_text("1")
    expect(deep.locator(".mgw-card > .mgw-aside").first).to_have_text("Inside 1, which is closed")
    field.press("Shift+Enter")
    field.press("Shift+Enter")
    expect(counter).to_have_text("12 of 12")
    field.fill("anh")  # within a name
    expect(counter).to_have_text("0 found")
    field.fill("fc 0.5")
    expect(counter).to_have_text("0 found")
    field.fill("· 0.5")  # a formula
    expect(counter).to_have_text("12 found")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(counter).to_have_text("")
    expect(deep.locator(".mgw-hit-box")).to_have_count(0)
    assert ran.cell_count() == 3


def test_letters_of_a_search_are_no_commands(ran: Lab, deep: Locator) -> None:
    """What is typed into the field neither zooms nor reaches the notebook."""
    ran.command("notebook:enter-command-mode")
    deep.locator(".mgw-search").focus()
    ran.page.keyboard.type("b-a+d0dx")
    expect(deep.locator(".mgw-search")).to_have_value("b-a+d0dx")
    expect(deep.locator(".mgw-percent")).to_have_text("100%")
    assert ran.cell_count() == 3


def test_it_zooms_by_button_key_and_wheel(ran: Lab, deep: Locator) -> None:
    """In and out by a quarter, back with 0; what is under the wheel stays where it is."""
    percent = deep.locator(".mgw-percent")
    expect(percent).to_have_text("100%")
    deep.get_by_role("button", name="Zoom in").click()
    expect(percent).to_have_text("125%")
    deep.locator("[data-box][tabindex='0']").focus()
    ran.page.keyboard.press("-")
    expect(percent).to_have_text("100%")
    ran.page.keyboard.press("+")
    ran.page.keyboard.press("+")
    expect(percent).to_have_text("156%")
    target = box(deep, "2")
    target.hover()
    before = target.bounding_box()
    ran.page.keyboard.down("Control")
    ran.page.mouse.wheel(0, -60)
    ran.page.keyboard.up("Control")
    expect(percent).to_have_text("211%")  # 1.5625 times e to the 0.3
    after = target.bounding_box()
    middle = [before["y"] + before["height"] / 2, after["y"] + after["height"] / 2]
    assert abs(middle[0] - middle[1]) < 4
    ran.page.keyboard.press("0")
    expect(percent).to_have_text("100%")
    deep.get_by_role("button", name="Show the whole graph").click()
    svg, pane = (
        deep.locator(".mgw-pane svg").bounding_box(),
        deep.locator(".mgw-pane").bounding_box(),
    )
    assert svg["height"] <= pane["height"] + 1


def test_a_drag_moves_the_graph_and_opens_nothing(ran: Lab, deep: Locator) -> None:
    """Pressing on a box and moving scrolls the pane by as much; no click comes of it."""
    for _ in range(4):
        deep.get_by_role("button", name="Zoom in").click()
    pane = deep.locator(".mgw-pane")
    start = pane.evaluate("e => { e.scrollTop = 200; return e.scrollTop; }")
    assert start == 200
    at = pane.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    ran.page.mouse.move(x, y)
    ran.page.mouse.down()
    ran.page.mouse.move(x, y + 30, steps=3)
    ran.page.mouse.move(x, y + 90, steps=3)
    ran.page.mouse.up()
    assert pane.evaluate("e => e.scrollTop") == 110
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)


def test_two_storeys_and_a_side_door(ran: Lab) -> None:
    """The derivative stands above the run; links go up; the second output leaves by a door."""
    widget = ran.page.locator(".mgw-view").nth(1)
    frames = {name: opened(widget, name).bounding_box()["y"] for name in ("forward", "derivative")}
    assert frames["derivative"] < frames["forward"]
    titles = widget.locator(".mgw-title").all_text_contents()
    assert {"a", "b", "p = a · b", "da = dp · b", "db = dp · a", "aux"} <= set(titles)
    assert box(widget, "aux").locator(".mgw-leaf").count() == 1
    door = widget.locator("[data-head='aux0']")
    expect(door).to_have_class("mgw-arrow mgw-cut mgw-aux")
    assert (
        widget.locator("[data-arrow].mgw-link").count() == 4
    )  # p twice in its square, b for da, a for db


def test_the_picture_is_saved_by_the_page(ran: Lab, deep: Locator, tmp_path: Path) -> None:
    """SVG and PNG are made in the page: one parses and has no colour left open, one has a size."""
    for kind in ("SVG", "PNG"):
        deep.locator("summary").click()
        with ran.page.expect_download() as download:
            deep.get_by_role("button", name=kind, exact=True).click()
        assert (
            download.value.suggested_filename
            == f"graph_of_SequentialCell_input_data.{kind.lower()}"
        )
        download.value.save_as(tmp_path / kind)
        expect(deep.locator(".mgw-told")).to_contain_text(f"{kind} saved")
    text = (tmp_path / "SVG").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert "var(" not in text
    assert "light-dark(" not in text
    assert "prefers-color-scheme:dark" in text
    data = (tmp_path / "PNG").read_bytes()
    assert data.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", data[16:24])
    assert (wide, high) == (2 * int(root.get("width")), 2 * int(root.get("height")))


def test_every_part_has_a_name(deep: Locator) -> None:
    """Whoever hears the page is told what each control is."""
    nameless = deep.evaluate(
        """e => [...e.querySelectorAll("button, input, summary, [tabindex], [role='button']")]
            .filter(each => !(each.getAttribute("aria-label") || each.textContent.trim()))
            .map(each => each.outerHTML)"""
    )
    assert nameless == []
    assert deep.locator("[data-box][tabindex='0'], [data-frame][tabindex='0']").count() == 1


@pytest.fixture
def page_alone(ran: Lab, browser: Browser, notebooks: Path):
    """The network's graph as one file, opened with no network."""
    ran.python("export_html(show_graph(net, x), 'graph.html')")
    with open_alone(browser, notebooks / "graph.html") as page:
        yield page


def test_a_page_without_a_kernel_opens_what_it_can(page_alone) -> None:
    """All closed, all open, and each Block alone came along; of two Blocks it says what it does."""
    widget, notice = page_alone.locator(".mgw-view"), page_alone.locator(".mgw-notice")
    box(widget, "3").click()
    expect(widget.locator("[data-box]")).to_have_count(CLOSED - 1 + INSIDE)
    expect(notice).to_be_hidden()
    box(widget, "5").click()
    expect(opened(widget, "5")).to_be_visible()
    expect(opened(widget, "3")).to_have_count(0)
    expect(notice).to_have_text(
        "Without a kernel one group is open at a time: the others were closed."
    )
    widget.get_by_role("button", name="Open all").click()
    expect(widget.locator("[data-box]")).to_have_count(1 + 12 * INSIDE)
    expect(notice).to_be_hidden()
    widget.locator(".mgw-search").fill("tanh")
    widget.locator(".mgw-search").press("Enter")
    expect(widget.locator(".mgw-card h4")).to_contain_text("tanh")


def test_of_a_large_graph_only_what_is_in_view_is_in_the_page(
    ran: Lab, browser: Browser, notebooks: Path
) -> None:
    """701 boxes are there to be scrolled to, searched and reached by key; few are in the page."""
    ran.python(
        "large = show_graph(nn.SequentialCell(*[Block() for _ in range(100)]), x)\n"
        "large.show(large.groups)\n"
        "export_html(large, 'large.html')"
    )
    with open_alone(browser, notebooks / "large.html") as page:
        widget = page.locator(".mgw-view")
        boxes = widget.locator("[data-box]")
        expect(box(widget, "input_data")).to_be_visible()
        assert boxes.count() < 100
        widget.locator(".mgw-search").fill("99.fc.bias parameter")
        widget.locator(".mgw-search").press("Enter")
        expect(widget.locator(".mgw-hits")).to_have_text("1 of 1")
        expect(widget.locator(".mgw-hit-now")).to_be_in_viewport()
        expect(box(widget, "input_data")).to_have_count(0)
        assert boxes.count() < 100
        widget.locator(".mgw-hit-now").focus()
        for _ in range(6):
            page.keyboard.press("ArrowDown")
        expect(widget.locator(":focus .mgw-title")).to_contain_text("out = ")
        expect(widget.locator(":focus")).to_be_in_viewport()


def test_no_picture_from_the_kernel_is_said(ran: Lab, deep: Locator) -> None:
    """If Graphviz is gone, the page says so, and the picture stays."""
    ran.python(
        "from minigrad_widgets import layout\n"
        "found, layout.find_graphviz = layout.find_graphviz, lambda: '/nowhere/dot'"
    )
    box(deep, "7").click()
    expect(deep.locator(".mgw-notice")).to_contain_text("/nowhere/dot")
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)
    ran.python("layout.find_graphviz = found")
    box(deep, "7").click()
    expect(opened(deep, "7")).to_be_visible()
    expect(deep.locator(".mgw-notice")).to_be_hidden()
