"""Steppers of all kinds in JupyterLab: a run, a derivative, a card that is traced, questions."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from alone_page import open_alone
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Browser, Locator, expect
from sample import SOURCE

IMPORTS = f"""
import numpy as np
from minigrad import Tensor, ops
from minigrad_widgets import export_html, step_backward, step_forward

{SOURCE}
small = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, 0.0], [0.25, 2.0]])
rows = np.linspace(-1, 1, 600).reshape(30, 20), np.linspace(-1, 1, 160).reshape(20, 8)
""".strip()
SHOW = [
    "run = step_forward(loss, x, w)\nrun",
    "asked = step_backward(lambda a, b: a * b + ops.sin(a), 2.0, -3.0, predict=True)\nasked",
    "rules = step_backward(lambda x, w: ops.sum(x @ w), *rows, predict=True)\nrules",
    "card = step_backward(lambda x, w: x @ w, *small)\ncard",
    "second = step_backward(lambda x: x * x * x, 2.0, order=2)\nsecond",
]


@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with one of each, run."""
    write_notebook(notebooks / "kinds.ipynb", IMPORTS, *SHOW)
    lab.page.set_viewport_size({"width": 1400, "height": 3600})
    lab.open("kinds.ipynb")
    lab.run_all()
    expect(lab.page.locator(".mgw-stepper")).to_have_count(len(SHOW))
    return lab


def stepper(lab: Lab, number: int) -> Locator:
    return lab.page.locator(".mgw-stepper").nth(number)


def test_the_run_is_stepped(ran: Lab) -> None:
    """Boxes appear, lines are lit, what is kept is listed, until the backward pass begins."""
    widget = stepper(ran, 0)
    expect(widget.locator(".mgw-frame")).to_have_attribute(
        "aria-label", "Forward pass of loss(x, w), 5 steps"
    )
    expect(widget.locator(".mgw-box.mgw-waiting")).to_have_count(5)
    widget.get_by_role("slider").focus()
    ran.page.keyboard.press("ArrowRight")
    expect(widget.locator(".mgw-box.mgw-waiting")).to_have_count(4)
    expect(widget.locator(".mgw-box.mgw-now .mgw-title")).to_have_text("h = x · w")
    expect(widget.locator(".mgw-line.mgw-now")).to_contain_text("h = x * w")
    expect(widget.locator(".mgw-kept li:visible")).to_have_count(2)
    expect(widget.locator(".mgw-runs")).to_have_count(2)
    ran.wait_for_python("run.step", 1)
    waiting = widget.locator(".mgw-box.mgw-waiting").last
    waiting.hover(force=True)
    expect(widget.locator(".mgw-card")).to_contain_text("loss is not computed yet")
    expect(widget.locator(".mgw-card")).not_to_contain_text("3.212")
    ran.page.keyboard.press("End")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Here the backward pass begins")
    expect(widget.locator(".mgw-box.mgw-waiting")).to_have_count(0)
    ran.wait_for_python("run.step", 5)


def test_a_question_is_answered_by_keyboard(ran: Lab) -> None:
    """Wrong, then right: what was wrong is explained, and the step opens when it is right."""
    page, widget = ran.page, stepper(ran, 1)
    expect(widget.locator(".mgw-feedback")).to_contain_text("Press Next")
    widget.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(widget.locator(".mgw-feedback")).to_be_empty()
    field = widget.get_by_role("textbox", name="Gradient of v₂")
    expect(field).to_be_focused()
    expect(widget.locator(".mgw-formula mover")).to_have_count(0)  # no rule before the answer
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-feedback")).to_contain_text("Write a number")
    page.keyboard.press("Control+a")
    page.keyboard.type("−1")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-feedback")).to_contain_text("−1 is not it. The size is right")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-feedback")).to_have_text("Right, at try 2.")
    expect(widget.locator("[data-button='next']")).to_be_focused()
    expect(widget.locator(".mgw-sentence")).to_contain_text("Step 1 of 3. add")
    expect(widget.locator(".mgw-score")).to_have_text("0 of 1 right at the first try")
    ran.wait_for_python("(asked.step, asked.score)", (1, (0, 1)))


def test_the_kernel_tells_an_answer_that_is_given_up(ran: Lab) -> None:
    """Then the next: left and right go back and forth, and the last right answer ends it."""
    page, widget = ran.page, stepper(ran, 1)
    widget.locator("[data-button='next']").click()
    field = widget.get_by_role("textbox")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowLeft")  # nothing is written yet, so the keys step
    expect(widget.locator(".mgw-counter")).to_have_text("1 of 3")
    page.keyboard.press("ArrowRight")
    expect(field).to_be_focused()
    expect(widget.locator(".mgw-sentence")).to_contain_text("sin")
    widget.get_by_role("button", name="Hint").click()
    expect(widget.locator(".mgw-feedback math").first).to_be_visible()
    widget.get_by_role("button", name="Show the answer").click()
    expect(widget.locator(".mgw-feedback")).to_have_text("The answer was shown.")
    expect(widget.locator(".mgw-sentence")).to_contain_text("sends −0.4161 to a")
    widget.locator("[data-button='next']").click()
    page.keyboard.type("-3")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-feedback")).to_contain_text("had arrived before")
    page.keyboard.type("-3,416")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Done: a and b have their gradients.")
    ran.wait_for_python("asked.score", (0, 3))
    page.keyboard.press("Home")  # nothing is left to be asked
    expect(widget.locator(".mgw-counter")).to_have_text("0 of 3")
    expect(widget.locator(".mgw-feedback")).to_be_empty()


def test_a_rule_is_chosen(ran: Lab) -> None:
    """Of arrays too big to show: the right rule opens the step, another is explained."""
    widget = stepper(ran, 2)
    widget.get_by_role("slider").focus()
    ran.page.keyboard.press("ArrowRight")
    options = widget.locator(".mgw-option")
    expect(options).to_have_count(3)
    plain = options.evaluate_all("all => all.map(each => each.textContent)")
    options.nth(next(i for i, text in enumerate(plain) if "1" in text.split("=")[1])).click()
    expect(widget.locator(".mgw-feedback")).to_contain_text("multiply it by the gradient")
    options.nth(
        next(i for i, t in enumerate(plain) if "1" not in t.split("=")[1] and "−" not in t)
    ).click()
    expect(widget.locator(".mgw-feedback")).to_have_text("Right, at try 2.")


def test_an_entry_lights_what_it_comes_from(ran: Lab) -> None:
    """x̄[0, 1] of x @ w is the first row of z̄ times the second row of w: by mouse and keyboard."""
    widget = stepper(ran, 3)
    widget.get_by_role("slider").focus()
    ran.page.keyboard.press("End")
    expect(widget.locator(".mgw-check-agrees")).to_have_count(2)
    rows = widget.locator(".mgw-row")
    part = rows.filter(has_text="complete").first.locator("td")
    part.nth(1).hover()
    incoming = rows.filter(has_text="comes in").locator("td.mgw-from")
    expect(incoming).to_have_count(2)
    expect(widget.locator(".mgw-trace")).to_contain_text("[0, 1] = 1.00·0.25 + 1.00·2")
    widget.locator("[data-entry][tabindex='0']").focus()
    expect(widget.locator(".mgw-trace")).to_contain_text("[0, 0] = 1.00·0.5")
    ran.page.keyboard.press("ArrowDown")
    expect(widget.locator(".mgw-trace")).to_contain_text("[0, 1] = 1.00·0.25 + 1.00·2")
    ran.page.keyboard.press("Home")  # the keys of the steps go on working from here
    expect(widget.locator(".mgw-counter")).to_have_text("0 of 1")


def test_the_second_pass_is_stepped(ran: Lab) -> None:
    widget = stepper(ran, 4)
    expect(widget.locator(".mgw-bar > b")).to_have_text("Second backward pass")
    widget.get_by_role("slider").focus()
    ran.page.keyboard.press("End")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Done: x has its gradient.")
    expect(widget.locator(".mgw-sentence")).to_contain_text("they add to 12")


def test_they_do_not_disturb_each_other(ran: Lab) -> None:
    """Each stands where it was left, and no id is there twice."""
    ran.python("run.step, asked.step, card.step = 2, 1, 1")
    expect(stepper(ran, 0).locator(".mgw-counter")).to_have_text("2 of 5")
    expect(stepper(ran, 1).locator(".mgw-counter")).to_have_text("1 of 3")
    expect(stepper(ran, 3).locator(".mgw-counter")).to_have_text("1 of 1")
    stepper(ran, 0).locator("[data-button='next']").click()
    ran.wait_for_python("(run.step, asked.step, card.step)", (3, 1, 1))
    ids = ran.page.locator(".mgw [id]").evaluate_all("all => all.map(each => each.id)")
    assert len(ids) == len(set(ids))


def test_a_saved_notebook_holds_no_answer(ran: Lab, notebooks: Path) -> None:
    """What was shown when the cell ran is saved: nothing had been answered then."""
    ran.command("docmanager:save")
    cells = nbformat.read(notebooks / "kinds.ipynb", 4).cells
    data = cells[2].outputs[0].data
    assert "step 1 is asked next" in data["text/plain"]
    assert "0.4161" not in str(data)
    assert "3.416" not in str(data)


def test_an_exported_page_checks_answers_by_itself(
    ran: Lab, browser: Browser, notebooks: Path
) -> None:
    """With the network off and no kernel: hashes alone tell right from wrong."""
    ran.python(
        "export_html(step_backward(lambda a, b: a * b + ops.sin(a), 2.0, -3.0, predict=True), "
        "'asked.html')"
    )
    with open_alone(browser, notebooks / "asked.html") as page:
        widget = page.locator(".mgw-stepper")
        widget.get_by_role("slider").focus()
        for tried, told in [("1", "first try"), ("0.909", "its slope"), ("-0.416", "at try 2")]:
            if told != "at try 2":
                widget.locator("[data-button='next']").click()
            expect(widget.get_by_role("button", name="Show the answer")).to_have_count(0)
            widget.get_by_role("textbox").fill(tried)
            page.keyboard.press("Enter")
            expect(widget.locator(".mgw-feedback")).to_contain_text(told)
        expect(widget.locator(".mgw-score")).to_have_text("1 of 2 right at the first try")
