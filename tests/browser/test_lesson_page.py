"""The lesson in JupyterLab: it opens, runs, and its backward pass is stepped with the keyboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_page import Lab
from playwright.sync_api import expect

LESSON = Path(__file__).parents[2] / "lessons" / "02_a_program_is_a_graph.ipynb"


@pytest.fixture(scope="module")
def lesson(lab: Lab, notebooks: Path) -> Lab:
    """A copy of the lesson, run from top to bottom."""
    shutil.copy(LESSON, notebooks)
    lab.open(LESSON.name)
    lab.run_all()
    return lab


def test_the_lesson_steps_with_the_keyboard(lesson: Lab) -> None:
    """Each key lights another op and its line, and the kernel's `stepper.step` moves with it."""
    widget = lesson.page.locator(".mgw-stepper").first
    lit, line = widget.locator(".mgw-now .mgw-title"), widget.locator(".mgw-line.mgw-now")
    slider = widget.get_by_role("slider")
    slider.focus()
    last = int(slider.get_attribute("max") or 0)
    assert last >= 3
    seen = []
    for step in range(1, last + 1):
        lesson.page.keyboard.press("ArrowRight")
        expect(widget.locator(".mgw-counter")).to_have_text(f"{step} of {last}")
        expect(lit).to_have_count(1)
        expect(line).to_have_count(1)
        seen.append(lit.text_content())
        lesson.wait_for_python("stepper.step", step)
    assert len(set(seen)) == last
    expect(widget.locator(".mgw-sentence")).to_contain_text("Done:")


def test_its_graph_is_drawn(lesson: Lab) -> None:
    """The first picture of the lesson is a live graph, with a card."""
    graph = lesson.page.locator(".mgw-view").first
    assert graph.locator("[data-box]").count() > 3
    expect(graph.locator(".mgw-card math").first).to_be_visible()


def test_a_working_copy_shows_its_pictures_before_it_runs_and_after_it_was_saved(
    lab: Lab, notebooks: Path, scratch: Path
) -> None:
    """Laid as `make lab` lays it; untrusted, each picture would be a table in text."""
    subprocess.run(
        [sys.executable, "-m", "minigrad_widgets.lesson", "copy", notebooks / "mine"],
        env=os.environ | {"JUPYTER_DATA_DIR": str(scratch / "data")},  # where this Lab has its own
        check=True,
    )
    lab.open(f"mine/{LESSON.name}")
    pictures = lab.page.locator(".jp-OutputArea-output.jp-RenderedSVG")
    expect(pictures.first).to_be_visible()
    before = pictures.count()
    run = lab.page.locator(".jp-InputPrompt", has_text="[1]:")
    expect(run).to_have_count(0)
    lab.run_all()
    expect(run).to_have_count(1)
    lab.command("docmanager:save")
    lab.open(f"mine/{LESSON.name}")
    pictures = lab.page.locator(".jp-OutputArea-output.jp-RenderedSVG")
    expect(pictures).to_have_count(before)
