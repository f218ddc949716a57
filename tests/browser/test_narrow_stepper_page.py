"""A stepper where there is little room: on a phone, and with long names."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from alone_page import open_alone
from playwright.sync_api import Browser, Locator, expect

from minigrad import Tensor, nn, ops
from minigrad_widgets import export_html, step_backward, step_forward

PHONE = {"width": 390, "height": 844}
LAST = 5  # the steps of Net: sum, add, multiply, relu, dense


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(2, 3)

    def construct(self, x):
        h = ops.relu(self.layer(x))
        return ops.sum(h * h + 1.0)


def long_words(x):
    an_activation_with_a_very_long_name = ops.exp(x)
    return ops.sum(an_activation_with_a_very_long_name * ops.sqrt(ops.exp(ops.sin(x + 0.125))))


def long_names(learning_rate_schedule, momentum_coefficient):
    intermediate_activation = learning_rate_schedule * momentum_coefficient
    return intermediate_activation * intermediate_activation + momentum_coefficient


def heights(widget: Locator) -> dict[str, float]:
    """How high the card and the sentence are, and how high what stands in them."""
    return widget.evaluate(
        """root => {
            const measure = (element) => {
                const range = document.createRange();
                range.selectNodeContents(element);
                const style = getComputedStyle(element);
                const around = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
                return [element.clientHeight, range.getBoundingClientRect().height + around];
            };
            const [card, inCard] = measure(root.querySelector(".mgw-card"));
            const [sentence, inSentence] = measure(root.querySelector(".mgw-sentence"));
            return { card, inCard, sentence, inSentence };
        }"""
    )


def through_all(widget: Locator) -> list[dict[str, float]]:
    """The heights at each step, when all has been measured."""
    widget.get_by_role("slider").focus()
    found = []
    for step in range(LAST + 1):
        expect(widget.locator(".mgw-counter")).to_have_text(f"{step} of {LAST}")
        found.append(heights(widget))
        widget.page.keyboard.press("ArrowRight")
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x = Tensor(np.ones((4, 2), np.float32))
    return export_html(step_backward(Net(), x), tmp_path_factory.mktemp("narrow") / "net.html")


def test_on_a_phone_no_room_stays_empty(browser: Browser, file: Path) -> None:
    """The card ends where its words end; a sentence has room for those between first and last."""
    with open_alone(browser, file, viewport=PHONE) as page:
        found = through_all(page.locator(".mgw-stepper"))
        for each in found:
            assert each["card"] - each["inCard"] < 20
        tallest = max(each["inSentence"] for each in found[1:-1])
        for each in found:
            assert each["sentence"] < max(tallest, each["inSentence"]) + 10  # half a line
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_what_will_be_kept_takes_no_room_yet(browser: Browser, tmp_path: Path) -> None:
    """Before the run nothing is kept; what is kept stands below all else."""
    x = Tensor(np.ones((4, 2), np.float32))
    file = export_html(step_forward(Net(), x), tmp_path / "run.html")
    with open_alone(browser, file, viewport=PHONE) as page:
        widget = page.locator(".mgw-stepper")
        items = widget.locator(".mgw-kept li")
        assert items.count() == 3  # x, the weight, and h
        expect(items.filter(visible=True)).to_have_count(0)
        widget.get_by_role("slider").focus()
        page.keyboard.press("End")
        expect(items.filter(visible=True)).to_have_count(3)
        tops = [widget.locator(f".mgw-{part}").bounding_box()["y"] for part in ("card", "kept")]
        assert tops[0] < tops[1]


def test_side_by_side_nothing_jumps(browser: Browser, file: Path) -> None:
    """In three columns card and sentence have the room of the tallest step from the first on."""
    with open_alone(browser, file, viewport={"width": 1200, "height": 2000}) as page:
        widget = page.locator(".mgw-stepper")
        through_all(widget)
        page.keyboard.press("Home")
        found = through_all(widget)
        assert len({each["card"] for each in found}) == 1
        assert len({each["sentence"] for each in found}) == 1


@pytest.mark.parametrize("width", [1200, 700, 390])
def test_long_names_are_cut_so_that_formulas_fit(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """No formula has to be scrolled; the names stand whole where there is room for them."""
    path = export_html(step_backward(long_names, 2.0, 3.0), tmp_path / "long.html")
    with open_alone(browser, path, viewport={"width": width, "height": 1000}) as page:
        widget = page.locator(".mgw-stepper")
        widget.get_by_role("slider").focus()
        for step in range(4):
            expect(widget.locator(".mgw-counter")).to_have_text(f"{step} of 3")
            formulas = widget.locator(".mgw-formula")
            assert formulas.count() > 0
            assert formulas.evaluate_all("all => all.every(e => e.scrollWidth <= e.clientWidth)")
            assert widget.locator(".mgw-formula[tabindex]").count() == 0
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect(widget.locator(".mgw-formula").first).to_contain_text("intermed…ion·intermed…ion")
        expect(widget.locator(".mgw-row-label").nth(2)).to_contain_text("intermediate_activation")
        expect(widget.locator(".mgw-now[data-box] .mgw-title")).to_have_text(
            "v₃ = intermed…ion · intermed…ion"
        )


@pytest.mark.parametrize("width", [1200, 390])
def test_a_line_of_code_begins_beside_its_number(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Even if its first word is wider than the listing; what is copied is the source as it is."""
    path = export_html(step_backward(long_words, 2.0), tmp_path / "words.html")
    with open_alone(browser, path, viewport={"width": width, "height": 1000}) as page:
        lines = page.locator(".mgw-line")
        code = lines.locator("code").evaluate_all("all => all.map((e) => e.textContent)")
        assert code == inspect.getsource(long_words).rstrip().split("\n")
        down = lines.evaluate_all(
            """all => all.map((line) => {
                const [number, code] = line.children;
                const range = document.createRange();
                range.setStart(code.childNodes[1], 0); // after the indent
                range.setEnd(code.childNodes[1], 1);
                return range.getBoundingClientRect().top - number.getBoundingClientRect().top;
            })"""
        )
        assert max(map(abs, down)) < 5
        assert lines.nth(1).bounding_box()["height"] > 40  # it goes on in another
