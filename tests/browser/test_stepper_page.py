"""The widgets in JupyterLab: keys, slider and kernel move together; nothing leaves the machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from jupyter_page import Lab, write_notebook
from playwright.sync_api import Locator, expect
from sample import SOURCE

IMPORTS = f"""
from minigrad import Tensor, ops
from minigrad_widgets import show_graph, step_backward

{SOURCE}
""".strip()
# Counted by hand: sum, add, multiply (h * h), multiply (x * w). The lines are those of the cell.
LINES = ["    return ops.sum(q + s)", "    return ops.sum(q + s)", "    q = h * h", "    h = x * w"]
OPS = ["sum", "add", "multiply", "multiply"]
BOXES = ["loss = ∑v₅", "v₅ = q + s", "q = h · h", "h = x · w"]


@pytest.fixture(scope="module")
def ran(lab: Lab, notebooks: Path) -> Lab:
    """A notebook with two steppers and a graph, run."""
    show = ["one = step_backward(loss, x, w)\none", "two = step_backward(loss, x, w)\ntwo"]
    write_notebook(notebooks / "steps.ipynb", IMPORTS, *show, "show_graph(loss, x, w)")
    lab.open("steps.ipynb")
    lab.run_all()
    return lab


@pytest.fixture
def opened(ran: Lab) -> Lab:
    """That notebook as it was after it ran."""
    ran.page.set_viewport_size({"width": 1400, "height": 2600})
    expect(ran.page.locator(".mgw-stepper")).to_have_count(2)
    expect(ran.page.locator(".mgw-view")).to_have_count(1)
    ran.python("one.step = two.step = 0")
    for counter in ran.page.locator(".mgw-counter").all():
        expect(counter).to_have_text("0 of 4")
    return ran


def lit_box(widget: Locator) -> Locator:
    """The title of the box that is lit now."""
    return widget.locator(".mgw-box.mgw-now .mgw-title")


def test_the_keyboard_steps_and_the_kernel_follows(opened: Lab) -> None:
    """Each key moves program line, box, sentence and `step` in the kernel together."""
    page, widget = opened.page, opened.page.locator(".mgw-stepper").first
    slider = widget.get_by_role("slider")
    slider.focus()
    for number in range(1, 5):
        page.keyboard.press("ArrowRight")
        expect(widget.locator(".mgw-sentence")).to_contain_text(
            f"Step {number} of 4. {OPS[number - 1]}"
        )
        expect(lit_box(widget)).to_have_text(BOXES[number - 1])
        line = widget.locator(".mgw-line.mgw-now")
        expect(line).to_have_count(1)
        expect(line).to_contain_text(LINES[number - 1].strip())
        expect(slider).to_have_value(str(number))
        opened.wait_for_python("one.step", str(number))
    page.keyboard.press("ArrowRight")  # there is no step after the last
    opened.wait_for_python("one.step", "4")
    for key, step in [("ArrowLeft", "3"), ("Home", "0"), ("End", "4")]:
        page.keyboard.press(key)
        expect(slider).to_have_value(step)
        opened.wait_for_python("one.step", step)


def test_keys_work_from_a_button_too(opened: Lab) -> None:
    """After a click the focus is on a button; the arrow keys step, and JupyterLab leaves them."""
    widget = opened.page.locator(".mgw-stepper").first
    widget.get_by_role("button", name="Next").click()
    expect(lit_box(widget)).to_have_text(BOXES[0])
    opened.page.keyboard.press("ArrowRight")
    expect(lit_box(widget)).to_have_text(BOXES[1])
    widget.get_by_role("button", name="First").click()
    expect(lit_box(widget)).to_have_text(BOXES[0])
    expect(widget.locator(".mgw-counter")).to_have_text("0 of 4")


@pytest.mark.parametrize("where", ["button", "slider", "box", "sentence", "title", "graph"])
def test_no_key_reaches_the_notebook(opened: Lab, where: str) -> None:
    """Wherever the focus is in a widget, letters insert and delete no cell, and arrows step."""
    page, widget = opened.page, opened.page.locator(".mgw-stepper").first
    opened.command("notebook:enter-command-mode")
    before = opened.cell_count()
    if where == "graph":
        widget = page.locator(".mgw-view")
        widget.locator("[data-box][tabindex='0']").focus()
    elif where in ("sentence", "title"):
        widget.locator(f".mgw-{'sentence' if where == 'sentence' else 'title-call'}").click()
    else:
        kinds = {
            "button": "[data-button='next']",
            "slider": "input",
            "box": "[tabindex='0'][data-box]",
        }
        widget.locator(kinds[where]).focus()
    for key in ("b", "a", "x", "d", "d", "m"):
        page.keyboard.press(key)
    assert opened.cell_count() == before
    assert page.locator(".jp-MarkdownCell").count() == 0
    if where != "graph":
        page.keyboard.press("ArrowRight")
        expect(widget.locator(".mgw-counter")).to_have_text("1 of 4")
    assert page.evaluate("() => document.activeElement.closest('.mgw') !== null")


def test_a_button_at_the_end_keeps_the_focus(opened: Lab) -> None:
    """At the first and the last step the buttons say that they do nothing; the keys go on."""
    widget = opened.page.locator(".mgw-stepper").first
    opened.python("one.step = 3")
    following = widget.get_by_role("button", name="Next")
    expect(following).to_have_attribute("aria-disabled", "false")
    following.click()
    expect(following).to_have_attribute("aria-disabled", "true")
    expect(following).to_be_focused()
    opened.page.keyboard.press("Enter")
    expect(widget.locator(".mgw-counter")).to_have_text("4 of 4")
    opened.page.keyboard.press("ArrowLeft")
    expect(widget.locator(".mgw-counter")).to_have_text("3 of 4")


def test_a_sent_arrow_has_one_head(opened: Lab) -> None:
    """Where a gradient went back, the head of the value's arrow is gone; elsewhere it is there."""
    widget = opened.page.locator(".mgw-stepper").first
    opened.python("one.step = 3")
    expect(lit_box(widget)).to_have_text(BOXES[2])
    heads = widget.locator("[data-arrow]").evaluate_all(
        """all => Object.fromEntries(all.map(arrow => [
            arrow.dataset.arrow,
            [...arrow.querySelectorAll("path.mgw-forward, path.mgw-back")].filter(path => {
                const style = getComputedStyle(path);
                return style.visibility === "visible" && style.markerEnd !== "none";
            }).length,
        ]))"""
    )
    assert heads == dict.fromkeys(heads, 1)
    assert len(heads) == 8


def test_all_boxes_are_reached_and_say_where_they_stand(opened: Lab) -> None:
    """Down goes through the boxes as the run made them; each says its gradient and what comes."""
    widget = opened.page.locator(".mgw-stepper").first
    opened.python("one.step = 3")
    expect(lit_box(widget)).to_have_text(BOXES[2])
    widget.locator("[data-box]").first.focus()
    heard = []
    for _ in range(7):
        heard.append(
            opened.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
        )
        opened.page.keyboard.press("ArrowDown")
    assert heard == [
        "x, input, shape (2, 2)",
        "w, input, shape (2,)",
        "h = x · w, shape (2, 2), gradient complete: [[1.5, −0.6], [2, 0.2]], receives 2 parts now",
        "q = h · h, shape (2, 2), gradient complete: 1 in every entry, its step now",
        "s = stop_gradient(h), shape (2, 2)",
        "v₅ = q + s, shape (2, 2), gradient complete: 1 in every entry",
        "loss = ∑v₅, 3.212, gradient to start: 1",
    ]
    expect(widget.locator(".mgw-card > .mgw-aside")).to_have_text("Looking at loss")
    opened.page.keyboard.press("ArrowRight")  # who steps sees the step
    expect(widget.locator(".mgw-card > .mgw-aside")).to_have_count(0)
    expect(widget.locator(".mgw-card h4")).to_contain_text("multiply, line 5")


def test_the_controls_stay_in_view(opened: Lab) -> None:
    """On a laptop's screen, scrolled to its end, a widget has its bar and sentence in view."""
    opened.page.set_viewport_size({"width": 1280, "height": 600})
    widget = opened.page.locator(".mgw-stepper").first
    opened.page.wait_for_function(  # the cards are measured little by little, and it grows
        """() => {
          const widget = document.querySelector(".mgw-stepper");
          widget.scrollIntoView({ block: "end" });
          const top = widget.querySelector(".mgw-columns").getBoundingClientRect().top;
          return top < widget.querySelector(".mgw-head").getBoundingClientRect().bottom;
        }"""
    )
    expect(widget.locator(".mgw-bar")).to_be_in_viewport(ratio=1)
    expect(widget.locator(".mgw-sentence")).to_be_in_viewport(ratio=1)


def test_the_kernel_moves_the_page(opened: Lab) -> None:
    """Setting `step` in Python moves the widget."""
    widget = opened.page.locator(".mgw-stepper").first
    opened.python("one.step = 3")
    expect(lit_box(widget)).to_have_text(BOXES[2])
    assert "from 0 (before the sweep) to 4" in opened.python("one.step = 9")


def test_two_parts_meet_at_h(opened: Lab) -> None:
    """Step 3 sends two parts along two arrows to h, and shows what they add up to."""
    widget = opened.page.locator(".mgw-stepper").first
    opened.python("one.step = 3")
    expect(widget.locator(".mgw-active .mgw-label:visible")).to_have_text(["part 1", "part 2"])
    expect(widget.locator(".mgw-target .mgw-title")).to_have_text(["h = x · w"])
    expect(widget.locator(".mgw-total td")).to_have_text(["+1.50", "−0.60", "+2.00", "+0.20"])
    expect(widget.locator(".mgw-sentence")).to_contain_text(
        "two parts to h; they add to [[1.5, −0.6], [2, 0.2]]"
    )


def test_two_widgets_do_not_disturb_each_other(opened: Lab) -> None:
    """Stepping one leaves the other where it was, and no id is there twice."""
    first, second = opened.page.locator(".mgw-stepper").all()
    opened.python("one.step = 2")
    expect(lit_box(first)).to_have_text(BOXES[1])
    second.get_by_role("button", name="Last").click()
    expect(lit_box(second)).to_have_text(BOXES[3])
    expect(lit_box(first)).to_have_text(BOXES[1])
    opened.wait_for_python("(one.step, two.step)", (2, 4))
    ids = opened.page.locator(".mgw [id]").evaluate_all("all => all.map(each => each.id)")
    assert len(ids) == len(set(ids)) > 3 * 7


def test_boxes_are_reached_by_keyboard(opened: Lab) -> None:
    """In show_graph one box is in the tab order, the arrow keys move on, and its card shows."""
    widget = opened.page.locator(".mgw-view")
    expect(widget.locator("[data-box][tabindex='0']")).to_have_count(1)
    widget.locator("[data-box][tabindex='0']").focus()
    expect(widget.locator(".mgw-card h4")).to_have_text("x, input")
    expect(widget.locator(".mgw-card")).to_contain_text("float")
    for _ in range(6):  # the graph is drawn to the right: on to loss, and no further
        opened.page.keyboard.press("ArrowRight")
    expect(widget.locator("[data-box][tabindex='0']")).to_have_count(1)
    expect(widget.locator(".mgw-card h4")).to_have_text("sum, line 8")
    expect(widget.locator(".mgw-source")).to_have_text("return ops.sum(q + s)")


def test_a_narrow_page_reflows(opened: Lab) -> None:
    """In a narrow column the card leaves the third column; nothing sticks out at the side."""
    widget = opened.page.locator(".mgw-stepper").first
    wide = widget.locator(".mgw-columns").evaluate(
        "e => getComputedStyle(e).gridTemplateColumns.split(' ').length"
    )
    opened.page.set_viewport_size({"width": 560, "height": 900})
    columns = "e => getComputedStyle(e).gridTemplateColumns.split(' ').length === 1"
    opened.page.wait_for_function(columns, arg=widget.locator(".mgw-columns").element_handle())
    assert wide == 3
    assert widget.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_the_theme_is_followed(opened: Lab) -> None:
    """Light words on dark ground in JupyterLab's dark theme, and back."""
    widget = opened.page.locator(".mgw-frame").first
    colours = {}
    for light in (False, True):
        opened.set_theme(light)
        style = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
        colours[light] = widget.evaluate(style)
    assert colours == {
        False: ["rgb(231, 235, 240)", "rgb(18, 22, 27)"],
        True: ["rgb(27, 31, 36)", "rgb(255, 255, 255)"],
    }


def test_space_plays_to_the_end_and_stops(opened: Lab) -> None:
    """The space bar plays; at the last step the button offers to play again."""
    opened.page.clock.install()
    widget = opened.page.locator(".mgw-stepper").first
    widget.get_by_role("slider").focus()
    opened.page.keyboard.press("Space")
    expect(widget.get_by_role("button", name="Pause")).to_be_visible()
    for box in BOXES:
        opened.page.clock.run_for(1600)
        expect(lit_box(widget)).to_have_text(box)
    expect(widget.get_by_role("button", name="Play")).to_be_visible()
    opened.wait_for_python("one.step", "4")


def test_a_saved_notebook_shows_the_picture(opened: Lab, notebooks: Path) -> None:
    """As the server saves it, each widget's output is the static picture and its text."""
    opened.command("docmanager:save")
    saved = notebooks / "steps.ipynb"
    outputs = [output for cell in nbformat.read(saved, 4).cells for output in cell.outputs]
    assert [sorted(output.data) for output in outputs] == [["image/svg+xml", "text/plain"]] * 3
    shutil.copy(saved, notebooks / "saved.ipynb")
    opened.open("saved.ipynb")
    pictures = opened.page.locator(".jp-RenderedSVG img")
    expect(pictures).to_have_count(3)
    for picture in pictures.all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
