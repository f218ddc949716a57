"""One example of each widget, as the source of a notebook, with names that would be tags in HTML.

What holds for every widget is tested on these: live, static and exported.
"""

from __future__ import annotations

import linecache
from typing import Any

TAG = "<img src=x onerror=window.hit=1>"  # the name of a Parameter, a class, a function

SETUP = f"""
import numpy as np
import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import (
    compare_gradients, export_html, open_bprop, show_graph, show_passes, signature_map,
    step_backward, step_forward, tangent, trace_nan, training,
)

TAG = {TAG!r}

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name=TAG)

    def construct(self, x):
        h = x * self.w  # {TAG}
        q = h * h
        return ops.sum(q + ops.stop_gradient(h))

class Spike(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name=TAG)

    def construct(self, v, threshold=1.0):
        return (v * self.w > threshold).astype(v.dtype)  # {TAG}

    def bprop(self, v, threshold, out, dout):
        return dout / (1.0 + 9.0 * (v - threshold) ** 2), None

class Entropy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name=TAG)

    def construct(self, p):
        logs = ops.log(p * self.w)  # {TAG}
        return -ops.sum(p * logs)

class Dense(nn.Dense):
    pass

def curve(x):
    return ops.exp(x)

for each in (Net, Spike, Entropy, Dense, curve):
    each.__name__ = TAG

net, x = Net(), Tensor([1.0, -0.5])
deep = nn.SequentialCell(*[Dense(3, 3) for _ in range(24)])
layer = Dense(2, 1)
layer.weight.name = TAG
progress = training(3, layer)
""".strip()

WIDGETS = {
    "show_graph": "show_graph(net, x)",
    "show_graph, folded": "show_graph(deep, Tensor(np.ones((2, 3), np.float32)))",
    "show_graph, order 2": "show_graph(net, x, order=2)",
    "step_forward": "step_forward(net, x)",
    "step_backward": "step_backward(net, x)",
    "step_backward, predict": "step_backward(net, x, predict=True)",
    "tangent": "tangent(curve, np.float64(0.0))",
    "compare_gradients": "compare_gradients(net, Tensor([1.0, 0.0]))",
    "signature_map": "signature_map(net, x, weights=net.trainable_params())",
    "open_bprop": "open_bprop(Spike(), Tensor([-0.5, 0.8, 1.3]))",
    "trace_nan": "trace_nan(Entropy(), Tensor([0.5, 0.5, 0.0]))",
    "show_passes": "show_passes(ms.grad(net), x)",
    "training": "progress",
}

TRAIN = """
for step in progress:
    progress.log(1.0 / (step + 1), (Tensor([[3.0, 0.0]]), Tensor([4.0])))
""".strip()


def make_all() -> dict[str, Any]:
    """The widgets, made in this process, by name."""
    source = f"{SETUP}\n{TRAIN}\n"
    file = "<every widget>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    space: dict[str, Any] = {}
    exec(compile(source, file, "exec"), space)
    return {name: eval(code, space) for name, code in WIDGETS.items()}
