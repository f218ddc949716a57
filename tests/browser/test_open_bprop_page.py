"""`open_bprop` and `trace_nan` in JupyterLab, by mouse and keyboard, and from an exported file."""

from __future__ import annotations

from pathlib import Path

import pytest
from alone_page import open_alone
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, expect

IMPORTS = """
from minigrad import Tensor, nn, ops
from minigrad_widgets import export_html, open_bprop, trace_nan

class Spike(nn.Cell):
    def construct(self, v, threshold=1.0):
        return (v > threshold).astype(v.dtype)

    def bprop(self, v, threshold, out, dout):
        return dout / (1.0 + 9.0 * (v - threshold) ** 2), None

def entropy(p):
    logs = ops.log(p)
    terms = p * logs
    return -ops.sum(terms)
""".strip()
SHOW = [
    "rule = open_bprop(Spike(), Tensor([-0.5, 0.8, 1.3]))\nrule",
    "traced = trace_nan(entropy, Tensor([0.5, 0.5, 0.0]))\ntraced",
]


@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with one of each, run."""
    write_notebook(notebooks / "rules.ipynb", IMPORTS, *SHOW)
    lab.open("rules.ipynb")
    lab.run_all()
    expect(lab.page.locator(".mgw-nan .mgw-line.mgw-now")).to_have_count(1)
    return lab


def test_the_box_opens_and_closes(ran: Lab) -> None:
    """By Enter on the box, by the button, and from the kernel; all three agree."""
    widget, page = ran.page.locator(".mgw-bprop"), ran.page
    inside, cell = widget.locator(".mgw-inside"), widget.locator("[data-part='cell']")
    expect(inside).to_be_visible()
    cell.focus()
    page.keyboard.press("Enter")
    expect(inside).to_be_hidden()
    expect(cell).to_have_attribute("aria-expanded", "false")
    ran.wait_for_python("rule.opened", False)
    widget.get_by_role("button", name="Open", exact=True).click()
    expect(inside).to_be_visible()
    ran.wait_for_python("rule.opened", True)
    ran.python("rule.opened = False")
    expect(inside).to_be_hidden()
    ran.python("rule.opened = True")
    expect(inside).to_be_visible()


def test_what_stands_for_the_same_lights_together(ran: Lab) -> None:
    """At bprop's `threshold` that of construct, and what is returned for it, light too."""
    widget = ran.page.locator(".mgw-bprop")
    widget.locator("[data-box='threshold']").nth(2).hover()
    lit = widget.locator(".mgw-chosen .mgw-name:visible")
    expect(lit).to_have_text(["threshold", "threshold", "threshold", "dthreshold"])
    expect(widget.locator(".mgw-panel > svg")).to_have_count(2)
    expect(widget.get_by_role("table", name="by the rule")).to_contain_text("+0.735")


def test_the_other_birth_lights_its_line(ran: Lab) -> None:
    """The radio buttons go from the infinity to the NaN, and the kernel with them."""
    widget = ran.page.locator(".mgw-nan")
    line = widget.locator(".mgw-line.mgw-now code")
    expect(line).to_have_text("    logs = ops.log(p)")
    expect(widget.locator("[data-box='born'] .mgw-name")).to_contain_text("ln p")
    widget.get_by_role("radio", name="the first NaN").check()
    expect(line).to_have_text("    terms = p * logs")
    expect(widget.locator("[data-box='born'] .mgw-name")).to_contain_text("p · logs")
    ran.wait_for_python("traced.chosen", 1)
    ran.python("traced.chosen = 0")
    expect(line).to_have_text("    logs = ops.log(p)")


REFUSED = """
class Refused(nn.Cell):
    def construct(self, membrane_potential, threshold_voltage):
        return membrane_potential * threshold_voltage

    def bprop(self, membrane_potential, dout):
        return dout * membrane_potential, dout
""".strip()


@pytest.mark.parametrize("width", [1200, 700, 390])
def test_nothing_is_cut_at_any_width(browser: Browser, tmp_path: Path, width: int) -> None:
    """What is drawn can be read, and lies in the page or scrolls; an error wraps."""
    space: dict = {}
    exec(f"{IMPORTS}\n{SHOW[0].rpartition(chr(10))[0]}\n{REFUSED}", space)
    refused = space["open_bprop"](space["Refused"](), 1.0, 2.0)
    path = space["export_html"]([space["rule"], refused], tmp_path / "page.html")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri())
    expect(page.locator(".mgw-refusal")).to_contain_text("takes no input of construct")
    assert page.locator(".mgw-refusal").evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    maps = page.locator(".mgw-map:visible")
    expect(maps).to_have_count(4)
    for pane in maps.all():
        small, beyond, reached = pane.evaluate(
            """pane => {
                const svg = pane.firstElementChild;
                const rightOf = each => each.getBoundingClientRect().right;
                const scale = svg.getBoundingClientRect().width / svg.getAttribute("width");
                const right = Math.max(...[...svg.querySelectorAll("text")].map(rightOf));
                return [scale < 0.82, right > rightOf(pane), pane.tabIndex === 0];
            }"""
        )
        assert not small
        assert not beyond or reached
    fits = page.locator(".mgw-bprop").first.locator(".mgw-map:visible")
    assert fits.evaluate_all("all => all.every(e => e.scrollWidth <= e.clientWidth + 1)")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_work_from_a_file(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """No kernel, no network: the box closes, the other birth is chosen."""
    space: dict = {}
    exec(IMPORTS + "\n" + "\n".join(each.rsplit("\n", 1)[0] for each in SHOW), space)
    path = space["export_html"]([space["rule"], space["traced"]], tmp_path / "page.html")
    with open_alone(browser, path, color_scheme=scheme) as page:
        page.locator("[data-part='cell']").click()
        expect(page.locator(".mgw-bprop .mgw-inside")).to_be_hidden()
        page.get_by_role("radio", name="the first NaN").check()
        expect(page.locator("[data-box='born'] .mgw-name")).to_contain_text("p · logs")
        wide = "e => e.scrollWidth > e.clientWidth + 1"
        assert not page.locator("body").evaluate(wide)


def test_a_big_gradient_says_its_shape_once(browser: Browser, tmp_path: Path) -> None:
    """In the heading; above each corner stand its facts alone."""
    space: dict = {}
    exec(IMPORTS, space)
    v = space["Tensor"]([[0.5] * 8, [1.5] * 8])
    rule = space["open_bprop"](space["Spike"](), v)
    path = space["export_html"](rule, tmp_path / "big.html")
    with open_alone(browser, path) as page:
        expect(page.locator(".mgw-compare-head")).to_have_text("gradient of v, (2, 8)")
        asides = page.locator(".mgw-compare .mgw-array > .mgw-aside").all_text_contents()
        # 1 / (1 + 9 / 4) at 0.5 and at 1.5; without the rule the step is flat
        assert asides == ["0.3077 in every entry", "0 in every entry", "0.3077 in every entry"]
