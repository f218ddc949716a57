"""The widgets in marimo: keys and clicks reach its kernel, and nothing leaves the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from jupyter_page import Watched, started
from playwright.sync_api import Browser, Page, expect

# marimo reads an app's cells from its file: each is a function, and what it returns the others use.
APP = """
import marimo

app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import numpy as np
    from minigrad import Tensor, nn, ops
    from minigrad_widgets import show_graph, step_backward, training

    def fn(a, b):
        return a * b + ops.sin(a)

    return Tensor, fn, mo, nn, np, show_graph, step_backward, training

@app.cell
def _(fn, mo, step_backward):
    stepper = mo.ui.anywidget(step_backward(fn, 2.0, -3.0, predict=True))
    stepper
    return (stepper,)

@app.cell
def _(mo, stepper):
    mo.md(f"The kernel is at step {stepper.step}, with {len(stepper.given)} answers.")

@app.cell
def _(Tensor, nn, np, show_graph):
    net = nn.SequentialCell(*[nn.Dense(3, 3) for _ in range(24)])
    show_graph(net, Tensor(np.ones((2, 3), np.float32)))

@app.cell
def _(training):
    progress = training(3)
    for each in progress:
        progress.log(1.0 / (each + 1))
    progress
"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The app, run by marimo with no settings of anybody's."""
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    own = {f"XDG_{kind}_HOME": str(folder) for kind in ("CONFIG", "STATE", "CACHE", "DATA")}
    command = [
        sys.executable, "-m", "marimo", "--yes", "run", "app.py",
        "--headless", "--no-token", "--host", "127.0.0.1",
    ]  # fmt: skip
    with started(command, os.environ | own, folder) as address:
        watched = Watched(browser, reduced_motion="reduce")
        watched.page.goto(address)
        expect(watched.page.locator(".mgw-frame")).to_have_count(3, timeout=90_000)
        yield watched.page
        watched.context.close()
    assert watched.outside == []
    assert watched.errors == []


def test_keys_step_and_the_kernel_follows(page: Page) -> None:
    """An answer opens the step; one that is given up is told by the kernel."""
    widget, kernel = page.locator(".mgw-stepper"), page.get_by_text("The kernel is at step")
    expect(kernel).to_have_text("The kernel is at step 0, with 0 answers.")
    widget.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(widget.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Step 1 of 3. add")
    expect(kernel).to_have_text("The kernel is at step 1, with 1 answers.")
    page.keyboard.press("ArrowRight")
    widget.get_by_role("button", name="Show the answer").click()
    expect(widget.locator(".mgw-sentence")).to_contain_text("sends −0.4161 to a")
    expect(kernel).to_have_text("The kernel is at step 2, with 2 answers.")
    page.keyboard.press("Home")
    expect(kernel).to_have_text("The kernel is at step 0, with 2 answers.")


def test_a_group_is_opened_by_the_kernel(page: Page) -> None:
    """73 values: all layers are closed at first, and a click asks for another picture."""
    widget = page.locator(".mgw-view")
    expect(widget.locator("[data-frame]")).to_have_count(1)
    widget.locator("[data-box].mgw-group").first.click()
    expect(widget.locator("[data-frame]")).to_have_count(2)
    expect(widget.locator(".mgw-notice")).to_be_hidden()


def test_a_training_shows_its_end(page: Page) -> None:
    """marimo has no display that changes while a cell runs; in the end the curve is there."""
    widget = page.locator(".mgw-training")
    expect(widget.locator(".mgw-sentence")).to_contain_text("Done after 3 steps")
    expect(widget.locator("path.mgw-loss")).to_have_count(1)
