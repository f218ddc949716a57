"""Groups in a stepper: they open and close by mouse and key, and say what arrived while closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alone_page import open_alone
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from minigrad import nn
from minigrad_widgets import export_html, step_backward, step_forward

PROGRAM = """
from minigrad import nn
from minigrad_widgets import step_backward

class Twice(nn.Cell):
    def construct(self, x):
        y = x * 1.0
        y = y * 1.0
        y = y * 1.0
        return y * 2.0

net = nn.SequentialCell(*[Twice() for _ in range(10)])
deep = step_backward(net, 1.0)
deep
""".strip()
# Counted by hand. A Twice: four products and their factors, 8 values. Closed: ten boxes and the
# input, inside one frame.
CLOSED = 11
INSIDE = 8


class Twice(nn.Cell):
    def construct(self, x):
        y = x * 1.0
        y = y * 1.0
        y = y * 1.0
        return y * 2.0


NET = nn.SequentialCell(*[Twice() for _ in range(10)])


def box(widget: Locator, title: str) -> Locator:
    """The box with this title."""
    return widget.locator("[data-box]", has=widget.page.locator(f"text='{title}'"))


def frame(widget: Locator, name: str) -> Locator:
    """The name of the frame of an open group."""
    return widget.locator("[data-frame]", has=widget.page.locator(f"text='{name}'"))


def badge(of: Locator) -> Locator:
    """What a box says of the gradient."""
    return of.locator(".mgw-badge")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stepper of ten Cells, as a file."""
    return export_html(step_backward(NET, 1.0), tmp_path_factory.mktemp("groups") / "deep.html")


@contextmanager
def opened(browser: Browser, file: Path) -> Iterator[Locator]:
    """A stepper in a file, before the first step."""
    with open_alone(browser, file, viewport={"width": 1200, "height": 1300}) as page:
        widget = page.locator(".mgw-stepper")
        expect(widget.locator("[data-box]")).to_have_count(CLOSED)
        widget.get_by_role("slider").focus()
        yield widget


@pytest.fixture
def deep(browser: Browser, file: Path) -> Iterator[Locator]:
    """That file, opened."""
    with opened(browser, file) as widget:
        yield widget


@pytest.fixture
def page(deep: Locator) -> Page:
    return deep.page


def test_a_closed_group_is_lit_by_its_steps_and_says_what_arrived(
    page: Page, deep: Locator
) -> None:
    """Four steps in the last Cell; the last of them sends 2 to the Cell before it."""
    last, before = box(deep, "9"), box(deep, "8")
    expect(badge(last)).to_have_text("g = 1")
    for number in range(1, 5):
        page.keyboard.press("ArrowRight")
        expect(deep.locator(".mgw-counter")).to_have_text(f"{number} of 40")
        expect(deep.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["9"])
        expect(deep.locator(".mgw-card > .mgw-aside").first).to_have_text(
            "Inside 9, which is closed"
        )
    expect(badge(before)).to_have_text("g = 2")
    expect(deep.locator(".mgw-target .mgw-title")).to_have_text(["8"])
    expect(deep.locator(".mgw-active .mgw-label text")).to_have_text(["2"])
    expect(before).to_have_attribute(
        "aria-label", "8, Twice, 8 values, gradient complete: 2, receives a part now"
    )
    expect(last).to_have_attribute(
        "aria-label", "9, Twice, 8 values, gradient to start: 1, a step inside now"
    )
    page.keyboard.press("ArrowRight")
    expect(deep.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["8"])
    expect(deep.locator(".mgw-done .mgw-title")).to_have_text(["9"])
    page.keyboard.press("End")
    expect(badge(box(deep, "0"))).to_have_text("g = 512")
    expect(badge(box(deep, "input_data"))).to_have_text("g = 1024")


def test_the_keys_open_and_close_a_group(page: Page, deep: Locator) -> None:
    """To a box, Enter opens it, the arrows step inside, the space bar on its name closes it."""
    page.keyboard.press("ArrowRight")
    deep.locator("[data-box][tabindex='0']").focus()
    heard = []
    for _ in range(4):
        heard.append(deep.locator(":focus").get_attribute("aria-label"))
        page.keyboard.press("ArrowDown")
    assert heard == [
        "input_data, input, 1",
        "SequentialCell, group",
        "0, Twice, 8 values",
        "1, Twice, 8 values",
    ]
    for _ in range(7):
        page.keyboard.press("ArrowDown")
    expect(box(deep, "9")).to_be_focused()
    expect(box(deep, "9")).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(frame(deep, "9")).to_be_focused()
    expect(frame(deep, "9")).to_have_attribute("aria-expanded", "true")
    expect(deep.locator("[data-box]")).to_have_count(CLOSED - 1 + INSIDE)
    expect(deep.locator(".mgw-told")).to_have_text("9 is open. 72 values hide in 9 Cells")
    expect(deep.locator(".mgw-counter")).to_have_text("1 of 40")
    expect(deep.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["out = y₃₀ · 2"])
    page.keyboard.press("ArrowRight")  # the step, and the focus stays
    expect(deep.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["y₃₀ = y₂₉ · 1"])
    expect(badge(box(deep, "y₂₉ = y₂₈ · 1"))).to_have_text("g = 2")
    expect(frame(deep, "9")).to_be_focused()
    page.keyboard.press("Space")
    expect(box(deep, "9")).to_be_focused()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)
    expect(deep.locator(".mgw-counter")).to_have_text("2 of 40")  # it did not play


def test_the_mouse_opens_and_closes_and_the_card_tells(page: Page, deep: Locator) -> None:
    """A click opens, another closes; pointed at, the card says what the group holds and got."""
    page.keyboard.press("End")
    box(deep, "3").hover()
    expect(deep.locator(".mgw-card > .mgw-aside").first).to_have_text("Looking at 3")
    expect(deep.locator(".mgw-card dd").first).to_have_text("8 values, 4 ops")
    expect(deep.locator(".mgw-card td")).to_have_text("64")  # 2 to the 6th
    box(deep, "3").click()
    expect(frame(deep, "3")).to_be_visible()
    expect(deep.locator(".mgw-hides")).to_have_text("72 values hide in 9 Cells")
    frame(deep, "3").click()
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)
    deep.get_by_role("button", name="Open all").click()
    expect(deep.locator("[data-box]")).to_have_count(1 + 10 * INSIDE)
    expect(deep.get_by_role("button", name="Open all")).to_be_hidden()
    expect(deep.get_by_role("button", name="Close what was opened")).to_be_focused()
    page.keyboard.press("Enter")
    expect(deep.locator("[data-box]")).to_have_count(CLOSED)


def test_a_run_shows_in_closed_groups_how_far_it_came(browser: Browser, tmp_path: Path) -> None:
    """A Cell waits until its first op runs, and is done when its last one has."""
    file = export_html(step_forward(NET, 1.0), tmp_path / "run.html")
    with opened(browser, file) as widget:
        waiting = widget.locator("[data-box].mgw-waiting")
        expect(waiting).to_have_count(10)
        label = "0, Twice, 8 values, not computed yet"
        expect(box(widget, "0")).to_have_attribute("aria-label", label)
        for _ in range(5):
            widget.page.keyboard.press("ArrowRight")
        expect(waiting).to_have_count(8)
        expect(widget.locator(".mgw-done .mgw-title")).to_have_text(["0"])
        expect(widget.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["1"])
        expect(widget.locator(".mgw-runs")).to_have_count(1)
        expect(badge(box(widget, "0"))).to_be_empty()


def test_an_answer_is_not_seen_in_a_group_before_it_is_given(
    browser: Browser, tmp_path: Path
) -> None:
    """A stepper that asks: the group that waits for the answer is lit, its number comes with it."""
    file = export_html(step_backward(NET, 1.0, predict=True), tmp_path / "ask.html")
    with opened(browser, file) as widget:
        keyboard = widget.page.keyboard
        keyboard.press("ArrowRight")
        for answer in ("2", "2", "2"):
            keyboard.type(answer)
            keyboard.press("Enter")
            keyboard.press("Enter")  # on Next, which has the focus then
        expect(widget.locator(".mgw-counter")).to_have_text("4 of 40")
        expect(widget.locator(".mgw-target .mgw-title")).to_have_text(["8"])
        expect(badge(box(widget, "8"))).to_be_empty()
        expect(widget.locator(".mgw-label text").first).to_have_text("?")
        keyboard.type("2")
        keyboard.press("Enter")
        expect(badge(box(widget, "8"))).to_have_text("g = 2")
        expect(widget.locator(".mgw-active .mgw-label text")).to_have_text(["2"])


def test_the_kernel_lays_a_group_out(lab: Lab, notebooks: Path) -> None:
    """In JupyterLab a click asks the kernel; the kernel opens one by itself, too."""
    write_notebook(notebooks / "groups.ipynb", PROGRAM)
    lab.open("groups.ipynb")
    lab.run_all()
    widget = lab.page.locator(".mgw-stepper")
    expect(widget.locator("[data-box]")).to_have_count(CLOSED)
    box(widget, "4").click()
    expect(frame(widget, "4")).to_be_focused()
    lab.wait_for_python("len(deep.opened)", 2)
    lab.page.keyboard.press("ArrowRight")
    lab.wait_for_python("deep.step", 1)
    expect(widget.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["9"])
    lab.python("deep.show(deep.groups)")
    expect(widget.locator("[data-box]")).to_have_count(1 + 10 * INSIDE)
    expect(widget.locator(".mgw-now[data-box] .mgw-title")).to_have_text(["out = y₃₀ · 2"])
