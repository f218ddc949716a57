# %% [markdown]
# # Gallery
#
# Every widget of `minigrad_widgets` on one small example. Each works with the mouse and the keyboard, in light and dark.
# Run the cells, then change the numbers.

# %%
import numpy as np

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import (
    compare_gradients,
    export_html,
    open_bprop,
    show_graph,
    show_passes,
    signature_map,
    step_backward,
    step_forward,
    tangent,
    trace_nan,
    training,
)


def loss(x, w):
    h = x * w
    return ops.sum(h * h + x)


x, w = Tensor([1.0, -2.0]), Tensor([0.5, 3.0])

# %% [markdown]
# ## show_graph
#
# `show_graph` draws the graph of one real run: a box is a value, an arrow says that it was read. Point at a box, or go there
# with Tab and the arrow keys, to see its formula and its numbers.

# %%
graph = show_graph(loss, x, w)
graph

# %% [markdown]
# With `order=2` the graph of the derivative stands above it as a second storey. A link between the two shows which
# value of the run a rule of the sweep uses.

# %%
show_graph(lambda x: ops.sin(x) * x, 2.0, order=2)

# %% [markdown]
# ## step_forward
#
# `step_forward` runs the program op by op and lights its line. On the left it says what each op keeps for the backward pass.

# %%
forward = step_forward(loss, x, w)
forward.step = 2
forward

# %% [markdown]
# ## step_backward
#
# `step_backward` steps through the sweep that finds the gradients. `h` is used twice by `h * h`, so two parts arrive there, and
# they add.

# %%
backward = step_backward(loss, x, w)
backward.step = 3
backward

# %% [markdown]
# With `predict=True` a step is shown when you have answered what it will do. A wrong answer is told why it is wrong.

# %%
step_backward(lambda a, b: a * b + a, 2.0, 3.0, predict=True)

# %% [markdown]
# ## tangent
#
# `tangent` measures a slope with a shorter and shorter step and compares it with the gradient. Too long a step misses the bend,
# too short a one loses its digits.

# %%
slope = tangent(ops.sin, np.float64(1.0))
slope

# %% [markdown]
# ## compare_gradients
#
# `compare_gradients` holds each entry of a gradient against a difference quotient. At the corner of relu it names the slopes on
# both sides.


# %%
def weighted(x, w):
    return ops.sum(ops.relu(x) * w)


compared = compare_gradients(weighted, Tensor([1.5, 0.0, -2.0]), Tensor([1.0, 2.0, 3.0]))
compared

# %% [markdown]
# ## signature_map
#
# `signature_map` draws what a gradient call differentiates and how its answer is built. Here `x` and the Parameter are asked for,
# and the second output leaves as aux.

# %%
scale = Parameter(Tensor([2.0, 3.0]), name="scale")


def scaled(x, y):
    z = (x * scale).sum() * y
    return z * z, z


signature = signature_map(scaled, Tensor([1.0, 4.0]), 0.5, weights=[scale], has_aux=True)
signature

# %% [markdown]
# ## open_bprop
#
# `open_bprop` opens a Cell that has a rule of its own. A neuron that fires at 1 has slope 0 everywhere; its rule puts a bump in
# place of that, which is what lets it learn.


# %%
class Spike(nn.Cell):
    def construct(self, v):
        return (v > 1.0).astype(v.dtype)

    def bprop(self, v, out, dout):
        return (dout / (1.0 + (3.0 * (v - 1.0)) ** 2),)


rule = open_bprop(Spike(), Tensor([-0.5, 0.8, 1.3]))
rule

# %% [markdown]
# ## trace_nan
#
# `trace_nan` finds the op at which the first NaN or infinity is born, forward or backward. Here `where` hides the root of 0 from the
# output, but not from its gradient.


# %%
def root(x):
    y = ops.where(x > 0, ops.sqrt(x), 0.0)
    return ops.sum(y)


traced = trace_nan(root, Tensor([4.0, 0.0]))
traced

# %% [markdown]
# ## show_passes
#
# `show_passes` records a function as a program of numpy calls, as `jit` does, and steps through what makes the program simpler: the
# lines that are new and those that went, and the graph of it. Here the gradient of a squared error ends as what a person would write.


# %%
def error(x, w, y):
    p = x @ w
    return ops.mean((p - y) ** 2)


features, weights, wanted = (
    Tensor([[1.0, 2.0], [3.0, 4.0]]),
    Tensor([0.5, -0.5]),
    Tensor([0.0, 1.0]),
)
passes = show_passes(ms.grad(error, 1), features, weights, wanted)
passes.chosen = len(passes.programs) - 1
passes

# %% [markdown]
# ## training
#
# `training` goes around a loop and draws the loss while it falls, with the size of the gradient of each layer. Its button stops the
# loop, and the cell goes on.

# %% tags=["nbval-ignore-output"]
ms.set_seed(0)
inputs = Tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(8, 1))
targets = inputs * 2.0 - 0.5
net = nn.Dense(1, 1)
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.3)
step = ms.value_and_grad(lambda x, y: ops.mean((net(x) - y) ** 2), None, optimizer.parameters)

progress = training(20, net)
for _ in progress:
    value, gradients = step(inputs, targets)
    optimizer(gradients)
    progress.log(value, gradients)

# %%
print("a loss below a thousandth:", float(value) < 0.001)

# %% [markdown]
# ## export_html
#
# `export_html` writes widgets as one file that anyone can open. It needs neither kernel nor network.

# %%
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    page = export_html([graph, backward, rule], Path(folder) / "widgets.html")
    print(page.name, "holds", page.read_text(encoding="utf-8").count("<section>"), "widgets")
