# %% [markdown]
# # A program is a graph
#
# *Lesson 2. About 35 minutes. You need lesson 1, or functions, numpy, and the reminder below.*
#
# At the end you can draw the graph of a few lines of code, write the rule of an operation, and say what a
# backward pass does, and what it does not do.
#
# **A reminder.** In lesson 1 you measured the slope of a function `f` at `x`, its **derivative**: run `f` a little to the
# right and a little to the left, and divide the rise by the run, `(f(x + h) - f(x - h)) / (2 * h)`. It says how far the
# output moves if `x` does: by about *slope* × `h` for a small `h`. A function of several inputs has a slope for each
# of them. All of them together are its **gradient**.

# %%
import numpy as np

import minigrad as ms
from minigrad import Tensor, ops
from minigrad_widgets import show_graph, step_backward
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_02 import check, hint, predict, progress, reveal, solution


def measure(f, x, h=1e-5):
    """The slope of f for every entry of x, one after another."""
    return np.array([float(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(x.size)])


# %% [markdown]
# ## A surprising number
#
# The function below has 1,000 inputs, and so 1,000 slopes. First we measure them all, then we ask minigrad for
# them. The function counts how often it is run.


# %%
def energy(x):
    global runs
    runs += 1
    return ops.sum(ops.exp(x) * x)


x = np.linspace(-1, 1, 1000)
runs = 0
measured = measure(energy, x)
print(f"measured: {measured.size:,} slopes, {runs:,} runs")
runs = 0
gradient = ms.grad(energy)(Tensor(x))
print(f"minigrad: {gradient.size:,} slopes, {runs} run")
print("the same to six decimals:", np.allclose(measured, gradient.asnumpy(), atol=1e-6))

# %% [markdown]
# Measuring takes two runs for each slope. minigrad got the same 1,000 slopes from **1 run**. How can that
# be enough?
#
# ## Read it, then predict
#
# Take a program small enough to do in your head. Two friends share a bill: some dishes at one price, and a tip. (A `Tensor`
# is a numpy array that minigrad can follow.)


# %%
def share(price, count, tip):
    food = price * count
    total = food + tip
    return total * 0.5


price, count, tip = Tensor(5.0), Tensor(3.0), Tensor(6.0)
graph = show_graph(share, price, count, tip)
graph

# %% [markdown]
# Each box is a **value** of this one run. Each arrow says *this value was read to make that one*. That is all there is
# to a computation graph.
#
# Now predict the gradient. If `price` rose by one, and nothing else changed, how much higher would the share be? And
# for `count`? For `tip`? Put a number in place of each `...` and run the cell. Your answer is then locked, right or
# wrong.

# %%
predict("share", price=..., count=..., tip=...)

# %% [markdown]
# Once you have answered, run the next cell. It opens a picture, and below it the verdict. Click the picture's play
# button, or click the dot of its slider and press the right arrow key, again and again: each press is one step of the
# **backward pass**. A line of code, its box and its numbers light up together. Go through it twice. The first time,
# watch which box comes next. The second time, watch what is *sent*: how does the number that arrives at a box become
# the numbers that leave it?
#
# How to read it:
#
# - A **bar** over a name is its gradient. Code calls it `g` where it arrives at a box, `dx` where it goes on to `x`.
# - **Measured** holds each rule against a central difference of this one op alone.
# - **Complete** means that nothing more will be added; until then it says **so far**.
# - **Kept for backward** lists what the steps read; what no later step reads is struck through.

# %%
reveal("share", share, price, count, tip)

# %% [markdown]
# ## Three words: record, rule, sweep
#
# **Record.** While your program runs, minigrad writes down each **op** (each `*`, `+`, `exp` ...), what it read, and the few values it will need
# again. This list is also called the tape.

# %%
for value in graph.run.values:
    if value.op:
        read = [x.name or str(x.data) for _, x in value.inputs]
        print(value.op.name, "reads", " and ".join(read))

# %% [markdown]
# **Rule.** Each op knows one thing. Given `g`, the gradient of its *output*, it works out the gradient of each *input*:
# `g` times its own slope. It knows nothing of the rest of the program, so a rule is tiny. Here is the one for
# squaring, whose slope at `x` is `2 * x`:


# %%
def square_rule(g, x):
    return g * 2 * x


print(square_rule(g=1.0, x=3.0), square_rule(g=10.0, x=3.0))

# %% [markdown]
# The slope at 3.0 is 6.0. If later lines make 10.0 times as much of the square, the result moves by 60.0. That is what
# `g` is for: it carries what all later lines make of this value. (**MindSpore** is a big library for programs that
# learn. minigrad has its function names, and its ways: there, `g` is called `dout`.)
#
# **Sweep.** Start with `g = 1.0` at the result. Visit the record from its last op to its first. Each rule takes the
# gradient that arrived at its output and sends one on to each input. When the sweep ends, every input has its
# slope. One run to record, one sweep, however many inputs there are: that is why one run was enough.
#
# ## Neither reversed nor undone
#
# Two pictures of the backward pass are common, and wrong: that the program runs in reverse, and that its steps are
# undone. Step through this one and see whether either fits. Its second line makes a value that nobody uses.


# %%
def loss(w, x, y):
    guess = w * x
    percent = 100 * guess
    error = guess - y
    return ops.square(error)


w, x, y = Tensor(2.0), Tensor(3.0), Tensor(10.0)
stepper = step_backward(loss, w, x, y)
stepper

# %%
ops_recorded = [value.op.name for value in stepper.run.values if value.op]
print(len(ops_recorded), "ops recorded,", len(stepper.run.steps), "steps in the sweep")

for target in (10.0, 2.0):
    value, (dw, dx, dy) = ms.value_and_grad(loss, (0, 1, 2))(w, x, Tensor(target))
    print(f"y = {target:4}: loss {value}, dw {dw}, dx {dx}, dy {dy}")

# %% [markdown]
# 4 ops were recorded, but the sweep made 3 steps. No arrow leads from `percent` to the result, so no gradient ever
# reaches it. The sweep follows arrows, not lines. Its order is backwards, but each step computes something else, a
# rule: for `error = guess - y` it sends on `g` and `-g`. That line run the other way would give `guess` back.
#
# And with `y` at 10.0 or at 2.0, the loss is the same 16.0, yet `dw` is -24.0 in one case and 24.0 in the other. From 16.0
# alone nobody can tell which it was: squaring loses the sign. So nothing was undone. The rule of the square read
# `error` from the record.
#
# The backward pass is **a second program**, made of rules, that reads what the first one wrote down.
#
# ## Your turn
#
# Want a hint? Remove the `#`; each further run gives one more. Done, or stuck? Run the folded cell below the exercise
# for a solution. Your own code stays as it is.
#
# ### Exercise 1: multiply_rule
#
# Write the rule of `z = x * y`. It has two inputs, so it returns two gradients.


# %%
def multiply_rule(g, x, y):
    dx = ...
    dy = ...
    return dx, dy


# hint("multiply_rule")
check("multiply_rule", multiply_rule)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("multiply_rule")

# %% [markdown]
# ### Exercise 2: exp_rule
#
# Write the rule of `out = exp(x)`: it returns `dx`. A rule may also read `out`, what the op made: it is on the record
# anyway.


# %%
def exp_rule(g, x, out):
    return ...


# hint("exp_rule")
check("exp_rule", exp_rule)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("exp_rule")

# %% [markdown]
# ### Exercise 3: arrows
#
# Draw the graph of `tangle`: list its arrows as pairs `(read, made)`. The first is there. What is returned has no
# name of its own: call it `"tangle"`, as the picture will. Get it right, and the picture appears.


# %%
def tangle(a, b, c):
    s = a * b
    t = b + c
    u = ops.exp(t)
    return s * u


arrows = [("a", "s"), ...]
# hint("arrows")
check("arrows", tangle, arrows)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("arrows")

# %% [markdown]
# ## Break it
#
# ### Exercise 4: sweep
#
# Here are both passes of `exp(x * w)`, written out by hand, and somebody left a bug in the backward half. At
# `x` = 0.0, `w` = 3.0 it agrees with measuring. Then comes another point: run the cell. Find the bug and mend it. It is
# one word, used twice.


# %%
def sweep(x, w):
    p = x * w  # forward: keep p and out
    out = np.exp(p)
    g = 1.0  # backward: the last line first
    dp = g * out
    dx, dw = g * w, g * x
    return dx, dw


# hint("sweep")
check("sweep", sweep)

for x, w in ((0.0, 3.0), (0.5, 2.0)):
    measured = measure(lambda v: np.exp(v[0] * v[1]), np.array([x, w]))
    print("sweep:", *np.round(sweep(x, w), 6), "measured:", *measured.round(6))

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("sweep")

# %% [markdown]
# ## What to keep
#
# 1. A run of a program is a graph: values, and arrows from what was read to what was made.
# 2. While it runs, each op is recorded, with the few values that its rule will read.
# 3. A rule turns `g`, the gradient of the output, into `g` times the slope, for each input.
# 4. One sweep, from the last op to the first, gives the slope of every input, however many there are.
# 5. The sweep does not reverse your lines and does not undo them. It is a second program.
#
# Here is `loss` once more, with every value and every gradient: cover the gradients with a hand, and work them
# out, from the result up.

# %%
Still(stepper)

# %% [markdown]
# **Now you can** draw the graph of a few lines, write the rule of an op, and say what a sweep does. What you have
# done so far, in all lessons, `progress()` shows.
#
# **Next:** in `tangle`, two arrows leave `b`. What if two gradients arrive at one value? That is
# [lesson 3](03_sharing_order_adding.ipynb).
