"""The site, as its reader has it: no kernel, no network, on a screen, a phone and paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from alone_page import open_alone
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

LESSON = "02_a_program_is_a_graph.html"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def step_through(page: Page) -> None:
    """Go through the stepper with the keyboard; each key lights another op and its line."""
    widget = page.locator(".mgw-stepper").first
    slider = widget.get_by_role("slider")
    last = int(slider.get_attribute("max") or 0)
    assert last >= 3
    slider.focus()
    seen = set()
    for step in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        expect(widget.locator(".mgw-counter")).to_have_text(f"{step} of {last}")
        seen.add(widget.locator(".mgw-now .mgw-title").text_content())
    assert len(seen) == last
    expect(widget.locator(".mgw-sentence")).to_contain_text("Done:")


def test_a_stepper_steps_by_keyboard(browser: Browser, site: Path) -> None:
    with open_alone(browser, site / LESSON) as page:
        step_through(page)


def test_from_the_contents_to_a_lesson_and_on(browser: Browser, site: Path) -> None:
    """And on to the next; each page works when it is come to by a link."""
    with open_alone(browser, site / "index.html") as page:
        page.get_by_role("link", name="A program is a graph").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("A program is a graph")
        page.get_by_role("link", name="stop_gradient").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("stop_gradient and has_aux")
        expect(page.locator("section .mgw-frame")).to_have_count(page.locator("section").count())
        page.get_by_role("link", name="All lessons").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("minigrad")


@pytest.mark.parametrize("name", ["index.html", LESSON, "06_stop_gradient_and_has_aux.html"])
def test_on_a_phone_only_boxes_scroll_sideways(browser: Browser, site: Path, name: str) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with open_alone(browser, site / name, **phone) as page:
        sections = page.locator("section")
        expect(page.locator("section .mgw-frame")).to_have_count(sections.count())
        assert page.evaluate(WIDER) == 0
        assert page.evaluate("visualViewport.scale") == 1
        wide = "[...document.querySelectorAll('pre')].filter(x => x.scrollWidth > x.clientWidth)"
        boxes = page.evaluate(f"{wide}.map(x => getComputedStyle(x).overflowX)")
        assert set(boxes) <= {"auto"}
        assert bool(boxes) == (name != "index.html")


def test_on_paper_nothing_is_cut(browser: Browser, site: Path) -> None:
    """Long lines wrap, columns are not scrolled, and what is folded stays folded."""
    with open_alone(browser, site / LESSON, viewport={"width": 718, "height": 1000}) as page:
        expect(page.locator("section .mgw-frame")).to_have_count(page.locator("section").count())
        page.emulate_media(media="print")
        assert page.evaluate(WIDER) == 0
        cut = "x => x.scrollWidth > x.clientWidth + 1 || x.scrollHeight > x.clientHeight + 1"
        boxes = "pre, .note, .mgw-listing, .mgw-card"
        assert page.evaluate(f"[...document.querySelectorAll('{boxes}')].filter({cut}).length") == 0
        assert page.locator("main > details").count() == 4
        assert page.locator("main > details[open]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_shuts_readers_out(browser: Browser, site: Path, scheme: str) -> None:
    for name in ("index.html", LESSON):
        with open_alone(browser, site / name, color_scheme=scheme) as page:
            found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [
                f"{each['id']}: {node['html'][:200]}"
                for each in found
                for node in each["nodes"]
                if each["impact"] in ("serious", "critical")
            ] == []


def test_without_scripts_the_still_pictures_are_there(browser: Browser, site: Path) -> None:
    with open_alone(browser, site / LESSON, java_script_enabled=False) as page:
        pictures = page.locator("section img")
        assert pictures.count() == page.locator("section").count() > 0
        expect(pictures.first).to_be_visible()
