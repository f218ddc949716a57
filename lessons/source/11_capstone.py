# %% [markdown]
# # Capstone
#
# *Lesson 11. About 90 minutes, in three parts. You need lessons 1 to 10.*
#
# First you mend six programs that run, print numbers, and are wrong. Then you build an engine of your own. At the end
# you read a derivative as a program, line by line.

# %%
import itertools

import numpy as np

import minigrad as ms
from minigrad import Tensor, grad, jacrev, jit, nn, ops
from minigrad_widgets import show_graph
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_11 import check, hint, predict, progress, reveal, solution

before = np.seterr(all="ignore")  # one of the patients divides by 0

# %% [markdown]
# ## A surprising number
#
# In lesson 1 you measured a slope by running a program twice. Here is what that comes to, for the weights of a network like
# the one that read digits.

# %%
net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10))
weights = sum(p.size for p in net.trainable_params())
print(f"{weights:,} weights: measured, {2 * weights:,} runs; swept, 1 run and 1 way back")

# %% [markdown]
# **9,620 runs**, or one and the way back. That is all there is to it, and it is what the ten lessons were about. Let us see
# whether they hold.
#
# ## Part one: the clinic
#
# Six patients. Each runs. Each has one bug, and the line with the bug is one that a person might well have written. You are told
# what its owner has seen, and not which lesson it is from. All you know may be used: measuring, `check_bprop`, `trace_nan`,
# `open_bprop`, `step_backward`; import what you want.
#
# ### Exercise 1: softmax_rule
#
# *"It learns, but poorly. And if `g` is the same for all scores of a row, something comes back. All shares together are always one,
# so nothing should."* `out` holds the shares, one row for each example: `np.exp` of its scores, divided by the sum of the row.
#
# The cell prints, for one row, the Jacobian of softmax: a row for each share, a column for each score. Mostly, so far, an
# entry of a result had its own entry of the input. Here **every score moves every share**, since they are parts of one whole. So the
# gradient of a score has a part from each share of its row.


# %%
def softmax_rule(g, out):
    return g * out * (1 - out)


print(jacrev(ops.softmax)(ops.log(Tensor([0.25, 0.75]))))
# hint("softmax_rule")
check("softmax_rule", softmax_rule)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("softmax_rule")

# %% [markdown]
# ### Exercise 2: better
#
# One step of training. *"Where the guess is perfect already, it should stay. It walks off."* Here 2 is perfect, and comes
# back as 1.6.


# %%
def better(w, x, y):
    def loss(w):
        guess = x @ w
        return ops.mean((guess - y) ** 2), guess

    dw = ms.grad(loss)(w)
    return w - 0.1 * dw


# hint("better")
check("better", better)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("better")

# %% [markdown]
# ### Exercise 3: follow
#
# A student should become like its teacher, who stays as he is. *"The loss falls to 0. And yet the student cannot do anything."* The
# function returns the gradients of both.


# %%
def follow(student, teacher):
    def loss(student, teacher):
        return ops.mean((ops.stop_gradient(student) - teacher) ** 2)

    return ms.grad(loss, (0, 1))(student, teacher)


# hint("follow")
check("follow", follow)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("follow")

# %% [markdown]
# ### Exercise 4: apart
#
# The gradient of the distance of two points, for the first. *"We guarded it with `where`. For weeks all was well. Last night two
# points met."* Where they meet, let the gradient be zero.


# %%
def apart(a, b):
    def distance(a):
        square = ops.sum((a - b) ** 2)
        return ops.where(square > 0, ops.sqrt(square), 0.0)

    return ms.grad(distance)(a)


# hint("apart")
check("apart", apart)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("apart")

# %% [markdown]
# ### Exercise 5: Cube
#
# *"The checker says that its rule is right, and training is fine. But our new method needs curvature, and finds the cube as straight
# as a ruler."* At 2, the slope of a cube is 12, and the slope of that slope is 12 too.


# %%
class Cube(nn.Cell):
    def construct(self, x):
        self.square = x * x
        return x * self.square

    def bprop(self, x, out, dout):
        return (3 * self.square * dout,)


# hint("Cube")
check("Cube", Cube)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Cube")

# %% [markdown]
# ### Exercise 6: Mix
#
# *"All our tests pass. The customers, who set `share` themselves, say that it pulls at the wrong end."*


# %%
class Mix(nn.Cell):
    def construct(self, a, b, share=0.5):
        return a * (1 - share) + b * share

    def bprop(self, b, a, share, out, dout):
        return dout * (1 - share), dout * share, None


# hint("Mix")
check("Mix", Mix)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Mix")

# %% [markdown]
# ## Part two: an engine from nothing
#
# Now without minigrad: numpy, and what you know. An engine has three parts. The first is the **record**. Each `Node` holds an
# array; the name of the op that made it; the nodes which that op has read, its *parts*; and a number. Numbers are given in
# turn, so a node has a larger one than all it was made of. `fit` is the way back from broadcasting, which you wrote in the lesson on
# tensors.


# %%
def fit(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n != g.shape[i])
    return g.sum(axis=axes, keepdims=True)


print(fit(np.ones((2, 3)), (1, 3)), fit(np.ones((2, 3)), ()))
numbers = itertools.count()


# %%
class Node:
    def __init__(self, data, op="", *parts):
        self.data, self.op, self.parts = np.asarray(data, float), op, parts
        self.grad, self.number = np.zeros_like(self.data), next(numbers)

    def __add__(self, b):
        return Node(self.data + b.data, "add", self, b)

    def __mul__(self, b):
        return Node(self.data * b.data, "multiply", self, b)

    def __matmul__(self, b):
        return Node(self.data @ b.data, "matmul", self, b)

    def tanh(self):
        return Node(np.tanh(self.data), "tanh", self)


# %% [markdown]
# ### Exercise 7: pull
#
# The second part is the **rules**. `pull` gets the name of an op, the gradient `g` of its output, the output, and what it has
# read. It returns the gradient of each part, in a tuple: for tanh, which has a single one, with a comma. `matmul` has
# matrices only. No loop, no graph: a rule looks at nothing but its own op.


# %%
def pull(op, g, out, a, b=None):
    if op == "add":
        return fit(g, a.shape), fit(g, b.shape)
    if op == "multiply":
        return ...
    if op == "matmul":
        return ...
    return ...  # tanh is left


# hint("pull")
check("pull", pull)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("pull")

# %% [markdown]
# ### Exercise 8: backward
#
# The third part is the **sweep**. The gradient of the result is all ones. Then nodes wait for their turn to send. Choose one of
# them; ask `pull` for what its parts get; *add* that to their `grad`; and let each part that has parts itself wait in turn. Which one
# may send? It must be a node that nobody will send to any more. The check sweeps over six programs, one of them thousands of ops long,
# and compares with minigrad.


# %%
def backward(result, pull):
    result.grad = np.ones_like(result.data)
    waiting = {result.number: result}  # by number
    return ...


# hint("backward")
check("backward", backward)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("backward")

# %% [markdown]
# That is an engine: it differentiates any network made of layers. Here it is beside minigrad, on two layers that read `h` and `b` twice. The
# sum of the squares is written with `@` as well, since the engine knows no other sum. Until your two functions are right, the gradients
# differ. Then they agree, to nine digits.


# %%
def two_layers(x, w, b, v, minus_y, row, column):
    h = (x @ w + b).tanh()
    error = (h + h * b) @ v + minus_y
    return row @ (error * error) @ column


rng = np.random.default_rng(0)
shapes = (8, 3), (3, 5), (5,), (5, 2), (8, 2), (1, 8), (2, 1)
arrays = [rng.normal(size=shape) for shape in shapes]
nodes = [*map(Node, arrays)]
backward(two_layers(*nodes), pull)
found = grad(two_layers, (1, 2, 3))(*map(Tensor, arrays))
for name, node, right in zip("wbv", nodes[1:4], found, strict=True):
    print(name, "differs" if np.abs(node.grad - right.asnumpy()).max() > 1e-9 else "agrees")

# %% [markdown]
# ## Part three: the derivative as a program
#
# An engine runs a sweep and forgets it. **Graph mode** keeps it. `jit` lets a function run once, notes what numpy does on the way
# there *and back*, and writes that down as a program, which later calls run: no nodes, no rules, no sweep. `source` is this program as text.
# Notes at the side say from which of your lines a line came. Read it, then say which op the four parts come from:
#
# - `bracket`: `(1 - h * h)`;
# - `quarter`: `* 0.25`;
# - `summed`: `.sum(0)`;
# - `turned`: `x.T @`.
#
# Answer with `"tanh"`, `"matmul"`, `"broadcast"` or `"square and mean"`.


# %%
def loss(x, w, b, y):
    h = ops.tanh(x @ w + b)
    return ops.mean((h - y) ** 2)


x, w, b, y = (Tensor(rng.normal(size=n), ms.float32) for n in ((4, 3), (3, 2), (2,), (4, 2)))
slopes = jit(grad(loss, (1, 2)))
slopes(x, w, b, y)
print(slopes.source)
predict("lines", bracket=..., quarter=..., summed=..., turned=...)

# %% [markdown]
# The next cell makes an experiment of it. It leaves out one op at a time and lets graph mode write the program anew. What goes with the op
# came from its rule.

# %%
reveal("lines", loss, x, w, b, y)

# %% [markdown]
# ## What graph mode has done
#
# - It read `h` again in the gradient: the rule of tanh works from the output, and that was there.
# - The factor two of the square and the eighth of the mean became one number. To multiply once is cheaper than twice.
# - The mean itself is gone. Nobody asked for the loss, and its gradient does not need it: **dead code**.
# - `d_b` and `d_w` both read `t`. It is what came back to the sum `x @ w + b`, computed once.
#
# It is what a person would write who knows the rules, and is as careful at midnight as at noon. You are such a person.
#
# ### Exercise 9: grad_swish
#
# Write the program for this function, with numpy alone: the slope for each entry of `x`. When it is right, take the `#` off
# the line below, and compare with what graph mode writes.


# %%
def swish(x):
    return ops.sum(x / (1 + ops.exp(-x)))


def grad_swish(x):
    e = np.exp(-x)
    return ...


# slopes = jit(grad(swish)); slopes(Tensor([1.0])); print(slopes.source)
# hint("grad_swish")
check("grad_swish", grad_swish)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("grad_swish")

# %% [markdown]
# ## What to keep
#
# 1. A gradient can be wrong while all runs. Measure it, at several points, and at the edges.
# 2. An engine is a record, a rule for each op, and one sweep that adds.
# 3. A rule looks at nothing but its own op. That is why they can be put together in any way.
# 4. The sweep is a program too. It can be differentiated, and it can be written down.
# 5. What an engine writes you can read. If you doubt a gradient, read it.
#
# This is the picture of the loss, as you know it from the second lesson. For each box, say its rule; then find it in the program
# above.

# %%
Still(show_graph(loss, x, w, b, y))

# %% [markdown]
# **This was the last lesson. Now you can** tell a wrong gradient from a right one, and build what finds it. The Cells and
# losses that you have written run on MindSpore, too: change the import. What you have done, in all lessons, `progress()`
# shows.
