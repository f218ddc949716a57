# %% [markdown]
# # Where gradients break
#
# *Lesson 7. About 35 minutes. You need lessons 1 to 6.*
#
# At the end you can find the op that makes a NaN, mend the usual ones, and say what a gradient is worth at a corner
# and in a dtype.

# %%
import numpy as np

import minigrad as ms
from minigrad import Tensor, ops
from minigrad_widgets import trace_nan
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_07 import check, hint, predict, progress, reveal, solution

before = np.seterr(all="ignore")  # numpy would warn at each inf and nan; we look at them here

# %% [markdown]
# ## A surprising number
#
# `softplus` is a smooth relu: almost nothing on the left, almost `x` on the right, and round in between. Its formula
# is short, and it has a slope everywhere.


# %%
def softplus(x):
    return ops.log(1 + ops.exp(x))


for x in (1.0, 88.0, 89.0):
    value, slope = ms.value_and_grad(softplus)(Tensor(x))
    print(f"x = {x}: value {float(value):.4f}, slope {float(slope):.4f}")
print(f"exp(89.0) is {np.exp(89.0):.1e}, and float32 ends at {np.finfo(np.float32).max:.1e}")

# %% [markdown]
# At 88.0 both numbers are right. At 89.0, one step on, the value is **inf** and the slope is **nan**, *not a number*.
# Right would be 89.0 and 1.0. Nothing is wrong with the formula. But on its way exp makes 4.5e38, and float32 ends at
# 3.4e38.
#
# ## Mend it with where?
#
# For large `x`, softplus is `x`, to more digits than float32 has. So let `where` take `x` there. That mends the value.
# But the slope, at 100? Predict it: one of `"0"`, `"1"`, `"inf"` and `"nan"`, in quotes.


# %%
def guarded(x):
    inside = ops.log(1 + ops.exp(x))
    return ops.where(x < 20, inside, x)


print("value at 100:", guarded(Tensor(100.0)))
predict("guarded", slope=...)

# %% [markdown]
# The next cell shows it with `trace_nan`. That runs a function and its gradient, and looks for the op in which the
# first infinity or the first NaN is *born*: made of numbers that were good until then. First you see the infinity. Then
# choose **the first NaN**, and look at the two numbers that made it. Which of them came from `where`?


# %%
reveal("guarded", guarded, Tensor(100.0))

# %% [markdown]
# ## The rule: where hides a value, not a gradient
#
# Both branches are computed before `where` is called; all that it does is pick. In the sweep it sends `g` to the branch
# that it took, and **0 to the other**. But the other branch is still part of the graph. So the 0 goes down it from rule
# to rule, and each rule multiplies by its own slope. Mostly that stays 0. Where the slope is infinite, it does not:


# %%
inf, nan = float("inf"), float("nan")
print("0 * inf is", 0 * inf, "and so is inf - inf:", inf - inf, "and inf / inf:", inf / inf)
print("once there, it stays: 0 * nan is", 0 * nan, "and 1 + nan is", 1 + nan)

# %% [markdown]
# At `x` the parts of both branches meet and add up, and anything plus nan is nan. One step of training later a weight
# is nan; one run later, everything is.
#
# So it is too late to hide the result: the bad number must not be *made*. Give the branch that is not taken a
# **harmless input**. That takes a second `where`, inside.


# %%
def guarded_twice(x):
    harmless = ops.where(x < 20, x, 0.0)
    inside = ops.log(1 + ops.exp(harmless))
    return ops.where(x < 20, inside, x)


value, slope = ms.value_and_grad(guarded_twice)(Tensor(100.0))
print("value", value, "slope", slope)

# %% [markdown]
# ### Exercise 1: x_log_x
#
# `x * log(x)` is a part of every entropy. At 0 it counts as 0, and so does its slope there. Somebody has written it with
# one `where`. Mend it.


# %%
def x_log_x(x):
    return ops.where(x > 0, x * ops.log(x), 0.0)


# hint("x_log_x")
check("x_log_x", x_log_x)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("x_log_x")

# %% [markdown]
# Three cures are none. To add a small number moves the trouble, and makes every value a little wrong. `nan_to_num` mends
# the value, and leaves the gradient as it was. To put 0 for each nan in the gradient afterwards throws away what the
# good branch had sent. (The checks look for a nan that was made and then wiped off.)
#
# ## Corners
#
# At a corner there is no slope, yet a rule has to say something. Here are two ways to write one function, and two more:


# %%
zero = Tensor(0.0)
print("slopes at 0")
print("relu(x)         ", ms.grad(ops.relu)(zero))
print("maximum(x, 0.0) ", ms.grad(lambda x: ops.maximum(x, 0.0))(zero))
print("abs(x)          ", ms.grad(ops.abs)(zero))
print("sqrt(x)         ", ms.grad(ops.sqrt)(zero))

# %% [markdown]
# The first two have the same values everywhere, and yet at 0 one slope is 0.0 and the other 0.5. Both are fair: so is
# anything between the slopes of the two sides. Training does not mind, since a number is hardly ever exactly 0. But two
# corners that cancel on paper need not cancel here. And where the slope is infinite, as that of sqrt at 0, no choice
# helps.
#
# ### Exercise 2: stable_softplus
#
# Write softplus so that value and slope are right everywhere: at 0, and far out on both sides. A formula without any
# `where` will do. Take what is large out of the log, so that exp never gets a positive number.


# %%
def stable_softplus(x):
    return ...


# hint("stable_softplus")
check("stable_softplus", stable_softplus)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("stable_softplus")

# %% [markdown]
# ## Masks
#
# Softmax turns each row of scores into shares that add up to one. A **mask** says which scores count: the others should
# get nothing. The usual way is to make those -inf, since exp(-inf) is 0.0:


# %%
scores = Tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
mask = Tensor([[True, True, False], [False, False, False]])
print("exp(-inf) is", np.exp(-np.inf))
print(ops.softmax(ops.where(mask, scores, float("-inf"))))

# %% [markdown]
# The first row is right. In the second nothing counts, as in the padding after a short sentence. Softmax subtracts
# the largest score from each, so that exp cannot overflow; here that is -inf, and -inf - (-inf) is nan.
#
# ### Exercise 3: masked_softmax
#
# Write the softmax of each row over what the mask lets through. The rest gets 0.0, and in a row of which nothing counts
# all do. The gradient is to be right, too.


# %%
def masked_softmax(scores, mask):
    return ...


# hint("masked_softmax")
check("masked_softmax", masked_softmax)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("masked_softmax")

# %% [markdown]
# ## Dtypes spread
#
# The last breakage is silent. numpy makes float64 wherever it is told nothing else, and float32 with float64 makes
# float64:


# %%
x = Tensor([1.0, 2.0, 3.0, 4.0])
weights = np.hanning(4)
print("x", x.dtype, " weights", weights.dtype, " x * weights", (x * weights).dtype)
print("gradient", ms.grad(lambda x: ops.sum(x * weights))(x).dtype)
ends = int(np.finfo(np.float16).max)
print("float16 ends at", ends, "so 300 * 300 is", Tensor(300.0, ms.float16) ** 2)

# %% [markdown]
# From there on all takes twice the memory, and the gradient does not tell: it has the dtype of its input, as ever. A
# small dtype has its own trouble: float16 ends at 65,504, and even 300 squared is inf.
#
# ## Break it
#
# ### Exercise 4: smooth
#
# This is a weighted mean of each row. Its values are right, but whatever goes in, float64 comes out. Find where that
# comes from, and mend it: all that is computed should have the dtype of `x`, be it float16, float32 or float64.


# %%
def smooth(x):
    weights = np.hanning(x.shape[-1] + 2)[1:-1]
    weights = weights / weights.sum()
    return ops.sum(x * weights, -1)


# hint("smooth")
check("smooth", smooth)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("smooth")

# %% [markdown]
# ## What to keep
#
# 1. A number too large for its dtype is inf; 0 * inf, inf - inf and inf / inf are nan; and nan stays.
# 2. `where` hides a value, not a gradient: the branch that is not taken gets 0, and 0 times an infinite slope is nan.
# 3. So keep the bad number from being made: with a harmless input, or with a formula that cannot overflow.
# 4. At a corner a rule picks a slope. Corners that cancel on paper may not cancel in the sweep.
# 5. One float64 array makes all that follows float64, and the gradient does not tell.
#
# And when it happens, ask `trace_nan`. This is the smallest trap of all. Read it as the sweep goes, from right to left.


# %%
def root(x):
    inside = ops.sqrt(x)
    return ops.where(x > 0, inside, 0.0)


Still(trace_nan(root, Tensor([4.0, 0.0])))

# %% [markdown]
# **Now you can** find the op that makes a NaN, and mend it where it is made. What you have done so far, in all
# lessons, `progress()` shows.
#
# **Next:** when a rule is not what you want, write your own: `bprop`, in [lesson 8](08_writing_a_bprop.ipynb).
