"""Make the pictures of the README: the widgets as JupyterLab shows them, light and dark.

    python docs/pictures/make.py

Needs what the browser tests need: JupyterLab, playwright, a Chromium ($CHROMIUM, or on the PATH).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "browser"))

from jupyter_page import Lab, find_chromium, open_browser, serve, write_notebook  # noqa: E402  # the path was set just above

PROGRAM = """
import numpy as np
from minigrad import Tensor, nn, ops, set_seed
from minigrad_widgets import open_bprop, show_graph, step_backward
""".strip()
LOSS = """
def loss(x, w):
    h = x * w
    q = h * h
    s = ops.stop_gradient(h)
    return ops.sum(q + s)

x, w = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([0.5, 1.0])
stepper = step_backward(loss, x, w)
stepper.step = 3
stepper
""".strip()
NETWORK = """
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(2, 3)
        self.relu = nn.ReLU()

    def construct(self, x):
        h = self.relu(self.layer(x))
        return ops.sum(h * h)

set_seed(1)
show_graph(Network(), Tensor(np.ones((4, 2), np.float32)))
""".strip()

SPIKE = """
class Spike(nn.Cell):
    def construct(self, x):
        return (x > 0).astype("float32")

    def bprop(self, x, out, dout):
        return (dout / (1 + (np.pi * x) ** 2),)

open_bprop(Spike(), Tensor([-0.8, -0.1, 0.2, 0.9]))
""".strip()
SHOTS = (
    ("step_backward", ".mgw-stepper"), ("show_graph", ".mgw-view"), ("open_bprop", ".mgw-bprop"),
)  # fmt: skip


def main() -> None:
    """Write three pictures in two themes."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("no Chromium found: set CHROMIUM to one, or run `playwright install chromium`")
    with tempfile.TemporaryDirectory() as folder, open_browser(chromium) as browser:
        root, scratch = Path(folder, "root"), Path(folder, "scratch")
        root.mkdir()
        write_notebook(root / "pictures.ipynb", PROGRAM, LOSS, NETWORK, SPIKE)
        with serve(root, scratch) as address:
            view = {"width": 1240, "height": 1400}
            lab = Lab(browser, address, viewport=view, reduced_motion="reduce")
            lab.open("pictures.ipynb")
            lab.run_all()
            for theme in ("light", "dark"):
                lab.set_theme(theme == "light")
                for name, css in SHOTS:
                    target = HERE / f"{name}-{theme}.png"
                    lab.page.locator(f"{css} .mgw-frame").screenshot(path=target)
                    print(f"{target.name}: {target.stat().st_size // 1024} KB")  # noqa: T201  # a script tells what it does
            lab.context.close()


if __name__ == "__main__":
    main()
