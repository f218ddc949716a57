"""One stepper in Notebook 7: it steps, the kernel follows, and nothing leaves the machine."""

from __future__ import annotations

from pathlib import Path

from jupyter_page import Notebook, serve, write_notebook
from playwright.sync_api import Browser, expect

CELL = """
from minigrad import ops
from minigrad_widgets import step_backward
widget = step_backward(lambda a, b: a * b + ops.sin(a), 2.0, -3.0)
widget
""".strip()


def test_it_steps_in_notebook_7(browser: Browser, tmp_path: Path) -> None:
    write_notebook(tmp_path / "seven.ipynb", CELL)
    with serve(tmp_path, tmp_path / "jupyter", "notebook") as address:
        page = Notebook(browser, address, reduced_motion="reduce")
        page.open("seven.ipynb")
        page.run_all()
        widget = page.page.locator(".mgw-stepper")
        widget.get_by_role("slider").focus()
        for step in (1, 2, 3):
            page.page.keyboard.press("ArrowRight")
            expect(widget.locator(".mgw-counter")).to_have_text(f"{step} of 3")
            expect(widget.locator(".mgw-line.mgw-now")).to_have_count(1)
        expect(widget.locator(".mgw-sentence")).to_contain_text("which makes −3.416")
        page.wait_for_python("widget.step", 3)
        page.context.close()
        assert page.outside == []
        assert page.errors == []
