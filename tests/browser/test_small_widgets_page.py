"""The small widgets in JupyterLab, by mouse and keyboard, and exported, with no network at all."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from alone_page import open_alone
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, Locator, Page, expect

IMPORTS = """
import numpy as np
import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import (
    compare_gradients, export_html, signature_map, step_backward, tangent, training
)

def curve(x):
    return ops.exp(x)

def loss(x, w):
    return ops.sum(ops.relu(x) * w)

w = Parameter(Tensor([2.0, 3.0]), name="w")

def forward(x):
    z = (x * w).sum()
    return z * z, z

net = nn.Dense(2, 1)
""".strip()
SHOW = [
    "slope = tangent(curve, np.float64(0.0))\nslope",
    "compared = compare_gradients(loss, Tensor([[1.5, 0.0], [2.0, -1.0]]), Tensor([0.5, 1.0]))\n"
    "compared",
    "signature = signature_map(forward, Tensor([1.0, 4.0]), weights=[w], has_aux=True)\nsignature",
]
TRAIN = """
progress = training(3, net)
for step in progress:
    progress.log(1.0 / (step + 1), (Tensor([[3.0, 0.0]]), Tensor([4.0])))
""".strip()


@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with one of each, run."""
    write_notebook(notebooks / "small.ipynb", IMPORTS, *SHOW, TRAIN)
    lab.open("small.ipynb")
    lab.run_all()
    expect(lab.page.locator(".mgw-training .mgw-counter")).to_have_text("3 of 3")
    return lab


@pytest.fixture
def tangent(ran: Lab) -> Locator:
    """The slope, at its first step that is shown."""
    ran.python("slope.h, slope.method = 0.5, 'central'")
    widget = ran.page.locator(".mgw-tangent")
    expect(widget.locator(".mgw-value")).to_have_text("h = 0.5")
    expect(widget.get_by_role("radio", name="central")).to_be_checked()
    return widget


def measured(widget: Locator) -> float:
    """The slope that the page says."""
    text = widget.locator(".mgw-strip dd").first.inner_text()
    return float(text.replace("−", "-"))


def apart(names: Locator, values: Locator) -> bool:
    """Whether each value stands below its name, and none beside it is touched."""
    edges = """all => all.map(each => each.getBoundingClientRect())
        .map(box => [box.left, box.right, box.top, box.bottom])"""
    above, below = names.evaluate_all(edges), values.evaluate_all(edges)
    stacked = all(a[3] <= b[2] + 1 for a, b in zip(above, below, strict=True))
    return stacked and all(one[1] < two[0] for one, two in pairwise(below))


def test_the_slider_measures_with_another_step(ran: Lab, tangent: Locator) -> None:
    """Each key takes a shorter step; the slope on the page is that of numpy."""
    slider = tangent.get_by_role("slider", name="Step h")
    slider.focus()
    for h in (0.2, 0.1):
        ran.page.keyboard.press("ArrowRight")
        expect(tangent.locator(".mgw-value")).to_have_text(f"h = {h}")
        assert measured(tangent) == pytest.approx(math.sinh(h) / h, abs=1e-9)
        ran.wait_for_python("slope.h", h)
    expect(slider).to_have_attribute("aria-valuetext", "h = 0.1")
    assert apart(tangent.locator(".mgw-strip dt"), tangent.locator(".mgw-strip dd"))
    expect(tangent.get_by_role("status")).to_contain_text("Truncation: f bends")
    ran.page.keyboard.press("End")
    expect(tangent.locator(".mgw-value")).to_have_text("h = 1e−12")
    expect(tangent.get_by_role("status")).to_contain_text("Rounding: f is known to about 16 digits")
    ran.wait_for_python("slope.h", 1e-12)


def test_forward_differences_are_another_curve(ran: Lab, tangent: Locator) -> None:
    """The radio button changes the formula; the error of e^x is then about h/2."""
    tangent.get_by_role("radio", name="forward").check()
    expect(tangent.locator(".mgw-pick")).to_contain_text("truncation, like h")
    assert measured(tangent) == pytest.approx((math.exp(0.5) - 1) / 0.5, abs=1e-9)
    ran.wait_for_python("slope.method", "forward")
    ran.python("slope.h = 1e-3")
    expect(tangent.locator(".mgw-value")).to_have_text("h = 0.001")
    assert measured(tangent) == pytest.approx(math.expm1(1e-3) / 1e-3, abs=1e-9)


def test_a_press_on_the_errors_takes_that_step(ran: Lab, tangent: Locator) -> None:
    """In the middle of the axis from 1 to 1e-12 is 1e-6, and the mark goes there."""
    edge = tangent.locator(".mgw-pick .mgw-edge").bounding_box()
    assert edge is not None
    ran.page.mouse.click(edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2)
    expect(tangent.locator(".mgw-value")).to_have_text("h = 1e−6")
    ran.wait_for_python("slope.h", 1e-6)
    mark = tangent.locator(".mgw-pick .mgw-rule").bounding_box()
    assert mark is not None
    assert mark["x"] + mark["width"] / 2 == pytest.approx(edge["x"] + edge["width"] / 2, abs=2)


def test_an_entry_lights_in_all_three_tables(ran: Lab) -> None:
    """Pointing at an entry says its numbers; the arrow keys go on from there."""
    widget, page = ran.page.locator(".mgw-comparison"), ran.page
    first = widget.get_by_role("table", name="gradient of x, (2, 2)", exact=True)
    first.locator("td").nth(2).hover()
    lit = widget.locator("td.mgw-chosen")
    expect(lit).to_have_text(["+0.500", "+0.500", lit.nth(2).inner_text()])
    expect(widget.get_by_role("status")).to_contain_text("x[1, 0]: the gradient is 0.5")
    ran.wait_for_python("compared.chosen", [0, 2])
    first.locator("td").nth(2).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")  # relu at 0
    expect(widget.get_by_role("status")).to_contain_text(
        "x[0, 1] is at a kink: the slope is 0 on the left and 1 on the right; the gradient is 0"
    )
    ran.wait_for_python("compared.chosen", [0, 1])
    ran.python("compared.chosen = [1, 0]")
    expect(widget.get_by_role("status")).to_contain_text("w[0]: the gradient is 3.5")
    expect(lit).to_have_count(3)


def test_what_belongs_together_lights_together(ran: Lab) -> None:
    """At w its gradient in the answer lights, with the keyboard as with the mouse."""
    widget, page = ran.page.locator(".mgw-signature"), ran.page
    expect(widget.get_by_role("status")).to_contain_text("The answer is ((dx, (dw,)), (z,)).")
    widget.locator("[data-box='w-w']").hover()
    expect(widget.locator(".mgw-chosen .mgw-name")).to_have_text(["w", "dw"])
    expect(widget.get_by_role("status")).to_have_text(
        "w, a Parameter, (2,), is differentiated: it is among the weights."
    )
    widget.locator("[data-box][tabindex='0']").focus()
    expect(widget.locator(".mgw-chosen .mgw-name")).to_have_text(["x", "dx"])
    page.keyboard.press("End")
    expect(widget.locator(".mgw-chosen .mgw-name")).to_have_text(["z", "z"])
    expect(widget.locator("[data-box][tabindex='0']")).to_have_count(1)


def test_a_training_leaves_its_curves(ran: Lab, notebooks: Path) -> None:
    """The page shows the end; the saved notebook has the last picture and text of each widget."""
    widget = ran.page.locator(".mgw-training")
    expect(widget.locator(".mgw-sentence")).to_have_text(
        "Done after 3 steps: loss from 1 to 0.333."
    )
    expect(widget.get_by_role("progressbar", name="Steps done")).to_have_js_property("value", 3)
    expect(widget.get_by_role("button", name="Stop")).to_be_hidden()
    expect(widget.locator(".mgw-panel")).to_have_count(2)
    ran.command("docmanager:save")
    cells = nbformat.read(notebooks / "small.ipynb", 4).cells[1:]
    outputs = [[o for o in cell.outputs if "image/svg+xml" in o.get("data", {})] for cell in cells]
    assert [len(found) for found in outputs] == [1, 1, 1, 1]
    for (output,) in outputs:
        assert sorted(output.data) == ["image/svg+xml", "text/plain"]
    assert "Done after 3 steps" in outputs[3][0].data["image/svg+xml"]
    assert (
        outputs[3][0].data["text/plain"].splitlines()[1] == "size of the gradient: weight 3, bias 4"
    )


LONG = """
endless = training(10**9, net)
for step in endless:
    endless.log(1.0)
"""


def test_stop_ends_the_loop_and_the_cell_goes_on(ran: Lab, notebooks: Path) -> None:
    """The button is heard while the cell runs; what follows the loop runs, the picture stays."""
    write_notebook(notebooks / "stop.ipynb", IMPORTS, LONG + "print('after the loop')")
    ran.open("stop.ipynb")
    ran.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    widget = ran.page.locator(".mgw-training")
    expect(widget.locator(".mgw-panel path.mgw-loss")).to_have_count(1)
    widget.get_by_role("button", name="Stop").click()
    expect(ran.page.locator(".jp-OutputArea-output pre")).to_contain_text(["after the loop"])
    expect(widget.locator(".mgw-sentence")).to_contain_text("Stopped after ")
    expect(widget.get_by_role("button", name="Stop")).to_be_hidden()
    ran.wait_for_python("endless.running", False)


def test_an_interrupt_leaves_a_tidy_picture(ran: Lab, notebooks: Path) -> None:
    """The kernel is interrupted within a step: the loop is over, the curve is saved."""
    write_notebook(notebooks / "interrupt.ipynb", IMPORTS, LONG)
    ran.open("interrupt.ipynb")
    ran.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    widget = ran.page.locator(".mgw-training")
    expect(widget.locator(".mgw-panel path.mgw-loss")).to_have_count(1)
    ran.command("notebook:interrupt-kernel")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Stopped after ")
    expect(ran.page.locator(".jp-RenderedText[data-mime-type$='stderr']")).to_contain_text(
        "KeyboardInterrupt"
    )
    expect(widget.get_by_role("button", name="Stop")).to_be_hidden()
    ran.wait_for_python("endless.running", False)
    ran.command("docmanager:save")
    outputs = nbformat.read(notebooks / "interrupt.ipynb", 4).cells[1].outputs
    (picture,) = [o.data["image/svg+xml"] for o in outputs if "data" in o]
    assert "Stopped after " in picture
    assert "mgw-loss" in picture


# ---------------------------------------------------------------------- exported
@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page with all of them, written by a plain process."""
    path = tmp_path_factory.mktemp("exported") / "page.html"
    space: dict = {}
    exec(IMPORTS, space)
    x = space["Tensor"]([1.0, 4.0])
    widgets = [
        space["tangent"](space["curve"], space["np"].float64(0.0)),
        space["compare_gradients"](space["loss"], x, x),
        space["signature_map"](space["forward"], x, has_aux=True),
        space["step_backward"](space["loss"], x, x),
    ]
    progress = space["training"](3)
    for step in progress:
        progress.log(step)
    return space["export_html"]([*widgets, progress], path, title="All of them")


@pytest.fixture
def page(browser: Browser, exported: Path) -> Iterator[Page]:
    """The exported page in a browser without a network; nothing may be asked for or go wrong."""
    with open_alone(browser, exported) as page:
        expect(page.locator(".mgw-frame")).to_have_count(5)
        yield page


def test_an_exported_page_steps(page: Page) -> None:
    """Slider, tables, map, stepper and curve work from the file alone."""
    assert page.title() == "All of them"
    page.locator(".mgw-tangent").get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert measured(page.locator(".mgw-tangent")) == pytest.approx(math.sinh(0.2) / 0.2, abs=1e-9)
    page.locator(".mgw-comparison td").nth(1).focus()
    expect(page.locator(".mgw-comparison").get_by_role("status")).to_contain_text("x[1]")
    page.locator(".mgw-signature [data-box='i-x']").focus()
    expect(page.locator(".mgw-signature .mgw-chosen .mgw-name")).to_have_text(["x", "dx"])
    page.locator(".mgw-stepper").get_by_role("slider").focus()
    for step in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".mgw-stepper .mgw-counter")).to_have_text(f"{step} of 3")
    expect(page.locator(".mgw-stepper .mgw-sentence")).to_contain_text("Done:")
    expect(page.locator(".mgw-training .mgw-sentence")).to_contain_text("Done after 3 steps")


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that notes what it is asked for: its address and its notes."""
    asked: list[str] = []

    class Notes(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Notes) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()
        thread.join()


def test_an_exported_page_may_ask_for_nothing(
    browser: Browser, exported: Path, listener: tuple[str, list[str]]
) -> None:
    """Its own policy stops what a script asks for; a blank page's request arrives."""
    address, asked = listener
    fetch = "url => fetch(url).then(() => 'sent', () => 'stopped')"
    picture = """url => new Promise(done => {
        document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));
        new Image().src = url + 'picture';
    })"""
    context = browser.new_context()
    page = context.new_page()
    page.goto(exported.as_uri())
    expect(page.locator(".mgw-frame")).to_have_count(5)
    answers = page.evaluate(fetch, address), page.evaluate(picture, address)
    context.new_page().evaluate(fetch, address + "blank")
    context.close()
    assert answers == ("stopped", "img-src")
    assert asked == ["/blank"]


def test_an_exported_page_without_scripts_has_the_pictures(
    browser: Browser, exported: Path
) -> None:
    """Where scripts are off, each section is the static picture."""
    with open_alone(browser, exported, java_script_enabled=False) as page:
        expect(page.locator("section svg[role='img']").first).to_be_visible()
        expect(page.locator("section > noscript > svg")).to_have_count(5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_exported_page_follows_the_reader(browser: Browser, exported: Path, scheme: str) -> None:
    """Ground and ink, light and dark; narrow, nothing sticks out at the side."""
    narrow = {"width": 480, "height": 800}
    with open_alone(browser, exported, color_scheme=scheme, viewport=narrow) as page:
        expect(page.locator(".mgw-frame")).to_have_count(5)
        style = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
        colours = page.locator(".mgw-frame").first.evaluate(style)
        for frame in page.locator(".mgw-frame").all():
            assert frame.evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    light, dark = (
        ["rgb(27, 31, 36)", "rgb(255, 255, 255)"], ["rgb(231, 235, 240)", "rgb(18, 22, 27)"],
    )  # fmt: skip
    assert colours == (light if scheme == "light" else dark)
