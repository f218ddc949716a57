"""`show_passes` in JupyterLab: by key and pointer from stage to stage, and set from Python."""

from __future__ import annotations

from pathlib import Path

from jupyter_page import Lab, write_notebook
from playwright.sync_api import expect

CELLS = (
    "import minigrad as ms\n"
    "from minigrad import Tensor, ops\n"
    "from minigrad_widgets import show_passes\n"
    "def loss(x, w):\n"
    "    h = ops.tanh(x @ w)\n"
    "    return (h * h * 1.0).sum()",
    "x, w = Tensor([[0.5, -1.0], [2.0, 1.5]]), Tensor([0.5, -2.0])\n"
    "passes = show_passes(ms.grad(loss, 1), x, w)\n"
    "passes",
)


def test_from_stage_to_stage(lab: Lab, notebooks: Path) -> None:
    """The sentence, the marked lines and the graph are those of the stage."""
    write_notebook(notebooks / "passes.ipynb", *CELLS)
    lab.open("passes.ipynb")
    lab.run_all()
    widget = lab.page.locator(".mgw-passes")
    sentence, lines = widget.get_by_role("status"), widget.locator(".mgw-line")
    expect(sentence).to_contain_text("What one run of loss asked of numpy.")
    expect(widget.locator(".mgw-added")).to_have_count(0)

    widget.get_by_role("radio", name="recorded").focus()
    lab.page.keyboard.press("ArrowRight")
    expect(widget.get_by_role("radio", name="dead")).to_be_checked()
    expect(sentence).to_contain_text("Leave out steps whose values nobody reads.")
    lab.wait_for_python("passes.chosen", 1)

    lab.python("passes.chosen = len(passes.stages) - 1")
    wanted = lab.python("print(passes.stages[-1]['lines'][-2]['text'].strip())").strip()
    expect(lines.nth(-2)).to_contain_text(wanted)
    box = widget.locator(".mgw-map [data-box]", has_text="d_w = ")
    box.hover()
    expect(widget.locator(".mgw-line.mgw-now")).to_contain_text("d_w = ")
    lab.page.mouse.move(0, 0)
    expect(widget.locator(".mgw-line.mgw-now")).to_have_count(0)


def test_the_functions_of_the_engine_open_and_close(lab: Lab, notebooks: Path) -> None:
    write_notebook(
        notebooks / "passes_of_pools.ipynb",
        *CELLS[:1],
        "import numpy as np\n"
        "image = Tensor(np.arange(16.0).reshape(1, 1, 4, 4))\n"
        "passes = show_passes(ms.grad(lambda x: ops.max_pool2d(x, 2).sum()), image)\n"
        "passes",
    )
    lab.open("passes_of_pools.ipynb")
    lab.run_all()
    widget = lab.page.locator(".mgw-passes")
    called, line = widget.locator("summary"), widget.get_by_text("def spread_windows(")
    expect(called).to_contain_text("functions of the engine that it calls")
    expect(line).to_be_hidden()
    called.focus()
    lab.page.keyboard.press("Enter")
    expect(line).to_be_visible()
    lab.page.keyboard.press("Enter")
    expect(line).to_be_hidden()
