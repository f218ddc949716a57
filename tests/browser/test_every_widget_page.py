"""What holds for every widget, live in JupyterLab and exported: names, keys, fingers, no scripts.

axe-core looks for what shuts readers out: names that are missing, colours too faint, roles that do
not fit. It cannot hear a sentence; that each step has one is tested by hand.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from alone_page import open_alone
from axe_playwright_python.sync_playwright import Axe
from every_widget import SETUP, TAG, TRAIN, WIDGETS, make_all
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from minigrad_widgets import export_html

AXE = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}


def widget(page: Page, name: str) -> Locator:
    """The frame of a widget, by its name in `WIDGETS`."""
    return page.locator(".mgw-frame").nth(list(WIDGETS).index(name))


def faults(page: Page) -> list[str]:
    """What axe-core finds serious or critical in the widgets of a page."""
    found = Axe().run(page, context=".mgw", options=AXE).response["violations"]
    return [
        f"{each['id']}: {node['html'][:200]} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
        if each["impact"] in ("serious", "critical")
    ]


def use(page: Page) -> None:
    """Bring every widget to another state than its first, with the keyboard alone."""
    for name in ("step_forward", "step_backward"):
        widget(page, name).get_by_role("slider").focus()
        page.keyboard.press("End")
        expect(widget(page, name).locator(".mgw-box.mgw-now")).to_have_count(1)
    asked = widget(page, "step_backward, predict")
    asked.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    asked.get_by_role("textbox").first.fill("7")
    page.keyboard.press("Enter")
    expect(asked.locator(".mgw-feedback")).to_contain_text("7 is not it")
    folded = widget(page, "show_graph, folded")
    folded.get_by_role("searchbox").fill("23")
    page.keyboard.press("Enter")
    expect(folded.locator(".mgw-hit-now")).to_have_count(1)
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    widget(page, "tangent").get_by_role("slider").focus()
    page.keyboard.press("End")
    table = widget(page, "compare_gradients").locator("td[tabindex='0']").first
    table.focus()
    page.keyboard.press("Home")
    for name in ("show_graph", "show_graph, order 2", "signature_map"):
        widget(page, name).locator("[data-box][tabindex='0']").focus()
        page.keyboard.press("End")
    for name in ("trace_nan", "show_passes"):
        widget(page, name).get_by_role("radio").last.check()


# ---------------------------------------------------------------------------------- in JupyterLab
@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with every widget, run."""
    cells = [SETUP, *list(WIDGETS.values())[:-1], TRAIN]  # a training shows itself as it runs
    write_notebook(notebooks / "every.ipynb", *cells)
    lab.open("every.ipynb")
    lab.run_all()
    expect(lab.page.locator(".mgw-frame")).to_have_count(len(WIDGETS))
    expect(lab.page.locator(".mgw-training .mgw-panel")).to_have_count(2)
    return lab


@pytest.mark.parametrize("light", [True, False], ids=["light", "dark"])
def test_nobody_is_shut_out_in_jupyterlab(ran: Lab, light: bool) -> None:
    ran.set_theme(light)
    assert faults(ran.page) == []


def test_names_like_tags_stay_names_in_jupyterlab(ran: Lab) -> None:
    """What a class, a function and a Parameter are called is text; nothing of it is run."""
    for name in WIDGETS:
        expect(widget(ran.page, name)).to_contain_text("<img src=")
    assert ran.page.locator(".mgw img").count() == 0
    assert ran.page.evaluate("window.hit") is None


def test_many_widgets_do_not_disturb_each_other(ran: Lab) -> None:
    """In one page no id is there twice, and what one does no other shows."""
    ids = ran.page.locator(".mgw [id]").evaluate_all("all => all.map(each => each.id)")
    assert len(ids) == len(set(ids)) > len(WIDGETS)
    texts = {name: widget(ran.page, name).text_content() for name in WIDGETS}
    widget(ran.page, "step_backward").get_by_role("slider").focus()
    ran.page.keyboard.press("End")
    expect(widget(ran.page, "step_backward").locator(".mgw-box.mgw-now")).to_have_count(1)
    changed = [n for n in WIDGETS if widget(ran.page, n).text_content() != texts[n]]
    assert changed == ["step_backward"]


def test_each_has_a_name_and_a_place_where_it_speaks(ran: Lab) -> None:
    for name in WIDGETS:
        frame = widget(ran.page, name)
        expect(frame).to_have_role("group")
        assert len(frame.get_attribute("aria-label") or "") > len(TAG)
        assert frame.get_by_role("status").count() >= 1


def test_a_saved_notebook_has_every_picture(ran: Lab, notebooks: Path) -> None:
    """As the server saves it, and opened anew: its kernel knows nothing of the widgets."""
    ran.command("docmanager:save")
    shutil.copy(notebooks / "every.ipynb", notebooks / "saved.ipynb")
    cells = nbformat.read(notebooks / "saved.ipynb", 4).cells
    outputs = [o for cell in cells for o in cell.outputs if o.output_type != "stream"]
    assert [sorted(o.data) for o in outputs] == [["image/svg+xml", "text/plain"]] * len(WIDGETS)
    ran.open("saved.ipynb")
    pictures = ran.page.locator(".jp-RenderedSVG img")
    expect(pictures).to_have_count(len(WIDGETS))
    for picture in pictures.all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    assert ran.page.locator(".mgw").count() == 0
    assert ran.page.evaluate("window.hit") is None


# ------------------------------------------------------------------------------------- exported
@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page with all of them."""
    path = tmp_path_factory.mktemp("exported") / "every.html"
    return export_html(list(make_all().values()), path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_shut_out_of_an_exported_page(
    browser: Browser, exported: Path, scheme: str
) -> None:
    """At first, and when every widget has been used; the names are text here too."""
    with open_alone(browser, exported, color_scheme=scheme) as page:
        expect(page.locator(".mgw-frame")).to_have_count(len(WIDGETS))
        at_first = faults(page)
        use(page)
        assert [*at_first, *faults(page)] == []
        for name in WIDGETS:
            expect(widget(page, name)).to_contain_text("<img src=")
        assert page.locator("img").count() == 0
        assert page.evaluate("window.hit") is None


def test_what_is_done_is_said(browser: Browser, exported: Path) -> None:
    """Where there are steps, entries or births to go to, another is another sentence."""
    with open_alone(browser, exported) as page:
        expect(page.locator(".mgw-frame")).to_have_count(len(WIDGETS))
        said = {n: widget(page, n).get_by_role("status").all_text_contents() for n in WIDGETS}
        use(page)
        silent = [
            n
            for n in WIDGETS
            if widget(page, n).get_by_role("status").all_text_contents() == said[n]
        ]
        # A map speaks of the box that has the focus, and a button that opens says so itself.
        assert silent == ["signature_map", "open_bprop", "training"]


EDGES = """frame => [".mgw-bar", ".mgw-sentence", ".mgw-columns", ".mgw-pane", ".mgw-card"]
    .map(name => frame.querySelector(name).getBoundingClientRect())
    .map(box => [box.left, box.top + scrollY, box.width].map(Math.round))
    .concat([[Math.round(frame.getBoundingClientRect().height)]])"""


@pytest.mark.parametrize("name", ["step_forward", "step_backward"])
def test_nothing_jumps_from_step_to_step(browser: Browser, exported: Path, name: str) -> None:
    """Bar, sentence, graph and card stay where they are, and the widget as high as it is."""
    with open_alone(browser, exported) as page:
        frame = widget(page, name)
        frame.get_by_role("slider").focus()
        page.keyboard.press("End")
        expect(frame.locator(".mgw-box.mgw-now")).to_have_count(1)
        edges = frame.evaluate(EDGES)
        last = int(frame.get_by_role("slider").get_attribute("max") or 0)
        for step in range(last - 1, -1, -1):
            page.keyboard.press("ArrowLeft")
            expect(frame.locator(".mgw-counter")).to_have_text(f"{step} of {last}")
            assert frame.evaluate(EDGES) == edges


MOVING = """() => [...document.querySelectorAll(".mgw *")].filter(each => {
    const style = getComputedStyle(each);
    return style.animationName !== "none" || !/^[0s, ]+$/.test(style.transitionDuration);
}).length"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_who_wants_it_still(
    browser: Browser, exported: Path, motion: str
) -> None:
    with open_alone(browser, exported, reduced_motion=motion) as page:
        use(page)
        assert (page.evaluate(MOVING) == 0) == (motion == "reduce")


@pytest.fixture
def phone(browser: Browser, exported: Path) -> Iterator[Page]:
    """The page on a small screen, where there are fingers and no keys."""
    with open_alone(
        browser, exported, has_touch=True, is_mobile=True, viewport={"width": 412, "height": 800}
    ) as page:
        yield page


def test_fingers_do_what_keys_do(phone: Page) -> None:
    """Buttons, boxes, entries, charts and groups answer a tap, in every widget."""
    for name, last in (("step_forward", "1 of 5"), ("step_backward", "1 of 4")):
        frame = widget(phone, name)
        frame.get_by_role("button", name="Next").tap()
        expect(frame.locator(".mgw-counter")).to_have_text(last)
        frame.locator("[data-box='v0']").tap()
        expect(frame.locator(".mgw-card > .mgw-aside")).to_have_text("Looking at x")
    asked = widget(phone, "step_backward, predict")
    asked.locator("[data-button='next']").tap()
    asked.get_by_role("textbox").first.fill("7")
    asked.get_by_role("button", name="Answer", exact=True).tap()
    expect(asked.locator(".mgw-feedback")).to_contain_text("7 is not it")
    folded = widget(phone, "show_graph, folded")
    folded.locator("[data-box].mgw-group").first.tap()
    expect(folded.locator("[data-frame]")).to_have_count(2)
    for name in ("show_graph", "show_graph, order 2"):
        frame = widget(phone, name)
        frame.locator("[data-box]", has_text="q = h").tap()
        expect(frame.locator(".mgw-card")).to_contain_text("q = h * h")
    slope = widget(phone, "tangent")
    slope.locator(".mgw-pick > svg").tap()  # 230 of 460 px, where 66 is 1 and 438 is 1e-12
    expect(slope.locator(".mgw-value")).to_have_text("h = 5e−6")
    compared = widget(phone, "compare_gradients")
    compared.locator("td").nth(1).tap()
    expect(compared.get_by_role("status")).to_contain_text("x[1]")
    signature = widget(phone, "signature_map")
    signature.locator("[data-box='i-x']").tap()
    expect(signature.locator(".mgw-chosen .mgw-name")).to_have_text(["x", "dx"])
    rule = widget(phone, "open_bprop")
    rule.locator("[data-part='cell']").tap()
    expect(rule.locator(".mgw-inside")).to_be_hidden()
    born = widget(phone, "trace_nan")
    born.get_by_role("radio", name="the first NaN").tap()
    expect(born.locator("[data-box='born'] .mgw-name")).to_contain_text("p · logs")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
