# %% [markdown]
# # Tensors
#
# *Lesson 4. About 35 minutes. You need lessons 1 to 3, and numpy's arrays: shapes, axes, broadcasting.*
#
# At the end you can write the rules of a reduction, of broadcasting, of a matrix product and of a look-up, and say what
# shape a gradient has before you have computed it.

# %%
import numpy as np

import minigrad as ms
from minigrad import Tensor, ops
from minigrad_widgets import step_backward
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_04 import check, hint, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# Here is one line of a small network that reads digits: 64 pictures of 784 pixels, times a matrix of weights. Each entry
# of the result has a slope for each weight. How much memory would all these slopes take?

# %%
pictures, weights = Tensor(np.ones((64, 784))), Tensor(np.ones((784, 256)))
result = pictures @ weights
slopes = result.size * weights.size
print(f"{result.size:,} results, {weights.size:,} weights: {slopes:,} slopes")
print(f"all of them: {slopes * 8 / 1e9:.1f} gigabytes")

gradient = ms.grad(lambda weights: ops.sum(pictures @ weights))(weights)
print(f"the gradient: {gradient.nbytes / 1e9:.4f} gigabytes")

# %% [markdown]
# The table of all slopes is the **Jacobian**: a row for each entry of the result, a column for each entry of the input.
# This one would fill 26.3 gigabytes. minigrad needed 0.0016 for the gradient, and it never built the table. What
# did it do instead?
#
# ## Read it, then predict
#
# Two shops (the rows) sell three kinds of fruit (the columns). `sold` counts boxes. Then `extra` boxes of each kind are sold in
# *both* shops: numpy stretches its one row to two. A box earns 2.0 in the first shop and 5.0 in the second.


# %%
def income(sold, extra, earned):
    boxes = sold + extra
    shops = boxes.sum(axis=1)
    return ops.sum(shops * earned)


sold = Tensor([[4.0, 0.0, 3.0], [1.0, 2.0, 6.0]])
extra, earned = Tensor([1.0, 2.0, 0.0]), Tensor([2.0, 5.0])
print(sold.shape, extra.shape, income(sold, extra, earned))

# %% [markdown]
# Predict how much the income rises with one more box in `sold[0, 0]`, in `sold[1, 2]`, and in `extra[0]`. And how many
# entries has the gradient of `extra`?

# %%
predict("income", first=..., second=..., extra=..., entries=...)

# %% [markdown]
# Step through it. In the card on the right each array is a **heat map**: blue is positive, orange with hatching negative,
# deeper is further from zero.
#
# - Point at an entry of what *comes in*: the entries that it goes to light up. They are its row of the Jacobian.
# - Point at an entry of what is *sent*: what it is made of lights up, and the line below works it out. Each product is a
#   gradient times a slope.

# %%
reveal("income", income, sold, extra, earned)

# %% [markdown]
# ## A vector times the Jacobian
#
# An entry of `x` may be read for many entries of the output. The last lesson says what to do: *g × slope* for each of
# them, and add. For all entries at once, that is `g` times the Jacobian. Here it is for squaring, in full:

# %%
x = np.array([1.0, 2.0, 3.0, -0.5])
g = np.array([10.0, 0.0, 1.0, -2.0])

jacobian = np.diag(2 * x)  # what not to do: entry i of x moves only entry i of the output
print(jacobian)
print(f"{jacobian.size} slopes, {np.sum(jacobian == 0)} of them 0")
print("g @ jacobian:", g @ jacobian)
print("g * 2 * x:   ", g * 2 * x)

# %% [markdown]
# The same numbers. The table holds 16 slopes, and 12 of them are 0; the rule of lesson 2 works with the other 4. **A rule is
# `g` times the Jacobian, worked out without the Jacobian.** Books call it a vector-Jacobian product.
#
# Shapes follow from that, and you can use them to find a rule: `g` has the shape of the output, `dx` has the shape of `x`.
# Always.
#
# ## `g` is not all ones
#
# A sum adds each entry once, so each slope is one. It is tempting to write its rule like this:


# %%
def sum_rule(g, x):
    return np.ones_like(x)  # what not to do


for times in (1.0, 10.0):
    gradient = ms.grad(lambda x, times=times: times * ops.sum(x))(Tensor(x))
    print(f"{times} * sum(x): minigrad finds {gradient}, sum_rule {sum_rule(times, x)}")

# %% [markdown]
# It is right while the sum is the last line of the program: there `g` is 1.0. One more line, and it is wrong. The sweep starts
# with ones, but to an op in the middle comes whatever the later lines make of it. The rule must hand *that* to each
# entry: `np.full(x.shape, g)`, for here `g` is one number.
#
# ## Your turn
#
# Rules are written in numpy here, and checked by measuring. Want a hint? Remove the `#`; each further run gives one more.
#
# ### Exercise 1: mean_rule
#
# `out = x.mean(axis)` takes one axis away, and `g` lacks it too. Write its rule: `dx` has that axis again.


# %%
def mean_rule(g, x, axis):
    return ...


# hint("mean_rule")
check("mean_rule", mean_rule)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("mean_rule")

# %% [markdown]
# ## What broadcasting repeats, the rule adds
#
# `sold + extra` read each entry of `extra` in both rows, so two parts arrive at it, and they add: its gradient is a
# sum over the rows. What if a rule leaves that sum out?

# %%
bias, g = np.zeros(3), np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
bias = bias - 0.1 * g  # what not to do: one step of training, with a gradient of the wrong shape
print("bias now has shape", bias.shape)

for before, other in [((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (0, 3))]:
    print(before, "is stretched to", np.broadcast_shapes(before, other))

# %% [markdown]
# No error: a `bias` of 3 numbers has silently become 2 rows of 3, and all that follows is wrong. So the last thing a rule does
# is to sum its gradient back to the shape of its input.
#
# ### Exercise 2: unbroadcast
#
# Write that sum. `g` has the stretched shape, `shape` is the one before. Broadcasting does two things: it puts new
# axes in front, and it stretches axes of length 1 to any length, even to 0, when a batch happens to be empty.


# %%
def unbroadcast(g, shape):
    new = g.ndim - len(shape)  # axes that were put in front
    return ...


# hint("unbroadcast")
check("unbroadcast", unbroadcast)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("unbroadcast")

# %% [markdown]
# ### Exercise 3: matmul_rule
#
# In `out = a @ b`, the entry `out[i, k]` is the sum over all `j` of `a[i, j] * b[j, k]`. So `a[i, j]` is read for a whole row
# of `out`, once with each entry of a row of `b`. That is one row of a big Jacobian, mostly zeros, and yet the rule needs only
# two matrix products and no loop. Write it. If you get lost, write down the three shapes.


# %%
def matmul_rule(g, a, b):
    da = ...
    db = ...
    return da, db


# hint("matmul_rule")
check("matmul_rule", matmul_rule)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("matmul_rule")

# %% [markdown]
# ## All of it in one program
#
# A network that reads has a table with one row for each word. It looks up the words of a sentence: here word 2 comes twice, and
# word 1 never. (`words` only says where to read, so it has no box
# and gets no gradient. A value that the program gives no name is called `v` and a number.) Step to the end, and point at the entries of the last gradient: what is row 2 made of, and what
# row 1?

# %%
words = Tensor([0, 2, 2, 3])


def loss(table, w, b):
    rows = table[words]
    z = rows @ w + b
    return ops.mean(z * z)


table = Tensor([[1.0, 2.0], [0.0, 1.0], [-1.0, 3.0], [2.0, 0.0]])
w, b = Tensor([[1.0, 0.0], [2.0, -1.0]]), Tensor([1.0, -1.0])
stepper = step_backward(loss, table, w, b)
stepper

# %% [markdown]
# ## Break it
#
# ### Exercise 4: lookup_rule
#
# Here is the rule of `out = table[index]`. It starts with zeros and adds each row of `g` to the place that it came from. It uses
# `+=`, as lesson 3 taught. With the words 0, 2, 1 it agrees with measuring. With 0, 2, 2 it does not: a row of `g` is
# lost. Find out why, and mend it.


# %%
def lookup_rule(g, table, index):
    dtable = np.zeros_like(table)
    dtable[index] += g
    return dtable


# hint("lookup_rule")
check("lookup_rule", lookup_rule)

rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
for index in ([0, 2, 1], [0, 2, 2]):
    print(index, lookup_rule(rows, np.zeros((3, 2)), np.array(index)).tolist())

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("lookup_rule")

# %% [markdown]
# ## What to keep
#
# 1. A rule is `g` times the Jacobian. Nobody builds the Jacobian.
# 2. `g` has the shape of the output, `dx` the shape of `x`; `g` is ones only where the sweep starts.
# 3. What a reduction adds up, its rule hands out again. What broadcasting repeats, the rule adds up.
# 4. A matrix product has two matrix products for a rule.
# 5. What is read twice gets two parts, and they add: also within one array.
#
# Here is `loss` once more. Cover the gradients, and say the shape of each.

# %%
Still(stepper)

# %% [markdown]
# **Now you can** write rules for whole arrays, and say the shape of a gradient before you have computed it. What you
# have done so far, in all lessons, `progress()` shows.
#
# **Next:** you know what `ms.grad` does inside. [Lesson 5](05_grad_and_value_and_grad.ipynb) is about all that you
# can ask it for.
