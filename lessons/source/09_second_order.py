# %% [markdown]
# # Second order
#
# *Lesson 9. About 35 minutes. You need lessons 1 to 6, and 8.*
#
# At the end you can find the slope of a slope, for one input or for many, say what it is good for, and write a `bprop` that
# is right the second time as well.

# %%
import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad import dtype as mstype  # mstype.float32 is ms.float32, and ops.grad below is ms.grad
from minigrad.check import check_bprop
from minigrad_widgets import show_graph
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_09 import check, hint, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# `relu6` is made of three straight lines: it is 0 below 0, 6 above 6, and `x` in between. There its slope is 1 all the way,
# so the slope of the slope, which says how fast that changes, is 0. Here it stands in a Cell with a `bprop`, and the rule
# calls another Cell.


# %%
class ReluNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, x):
        return self.relu(x)


print(ops.relu6(Tensor([-2.0, 0.0, 1.0, 2.0, 6.0, 7.0])))


# %%
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu6, self.relu = ops.ReLU6(), ReluNet()

    def construct(self, x):
        return self.relu6(x)

    def bprop(self, x, out, dout):
        dx = self.relu(x)
        return (dx,)


x = Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=mstype.float32)
out = ops.grad(ops.grad(Net()))(x)
print(out)

# %% [markdown]
# The gradient of the gradient, and it is **1** everywhere. A straight line, says minigrad, bends. Where does that 1 come
# from?
#
# ## Read it, then predict
#
# In lesson 2, the backward pass turned out to be a second program, made of rules. But any program has a gradient. So
# `ms.grad(ms.grad(cube))` is nothing special: it is the sweep through the sweep.
#
# Predict for `cube` at 3.0 its slope, the slope of that (second order), and the slope of that again (third).


# %%
def cube(x):
    return x**3


at = Tensor(3.0)
predict("cube", first=..., second=..., third=...)

# %% [markdown]
# The next cell draws both programs, one above the other. Below is the run, from `x` up to `cube`. The **second storey** is its
# backward pass: the sweep starts with `dcube`, and rules do the rest, until `dx` stands at the top. Each link between the
# storeys is a value of the run that a rule uses. Point at the boxes. On which way does `dx` depend on `x`?

# %%
reveal("cube", cube, at)

# %% [markdown]
# ## The rule: a rule is a program, too
#
# `dx` at the top was made of `x` by ops. So there is a way back from it, and each op on that way has its rule. The
# second derivative is the derivative of what the *rules* do: **nobody looks at the function any more.** There is no end to
# this, as the sine shows, which comes back after four.

# %%
slope = ops.sin
for order in (1, 2, 3, 4):
    slope = ms.grad(slope)
    print("order", order, "at 1.0:", slope(Tensor(1.0)))
print("sin and cos:", ops.sin(Tensor(1.0)), ops.cos(Tensor(1.0)))

# %% [markdown]
# That solves the riddle. The first gradient of `Net` is what its `bprop` says, `relu(x)`, which is not the slope of `relu6`. The
# second is the slope of *that*: 1. What `construct` does has no part in it. (For MindSpore, this was a way to
# give `relu6` a second order, which it lacked.)
#
# ### Exercise 1: Relu6
#
# Write a rule for `relu6` that is right twice. The check looks at `dx`, and at its slopes for all that it may be made
# of: `dx by x` and `dx by dout`.


# %%
class Relu6(nn.Cell):
    def construct(self, x):
        return ops.relu6(x)

    def bprop(self, x, out, dout):
        return ...


# hint("Relu6")
check("Relu6", Relu6)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Relu6")

# %% [markdown]
# ## Many inputs
#
# With several inputs the gradient has several entries, and each of them has a slope for each input. That makes a table,
# the **Hessian**. Here the function is the volume of a box, `x[0]` high, on a square with sides `x[1]`.


# %%
def volume(x):
    return x[0] * x[1] ** 2


box = Tensor([2.0, 3.0])
print("gradient     ", ms.grad(volume)(box))
print("Hessian      ", *ms.hessian(volume)(box))
print("grad of grad ", ms.grad(ms.grad(volume))(box))

# %% [markdown]
# The last line is not the table. `grad` differentiates the *sum* of all that is returned, as you know, and so the columns
# of the table were added: 0 and 6 make 6, 6 and 4 make 10.
#
# And for a million weights the table would have a million times a million entries. What is needed is mostly less: how does
# the gradient change if `x` moves along `v`? That is the Hessian times `v`, and it takes no table. Make one number of the
# gradient, weighing its entries by `v`, and ask for the gradient of that.
#
# ### Exercise 2: hvp
#
# Return the Hessian of `f` at `x`, times `v`. `f` returns a number; `x` and `v` have the same shape, whatever it is.


# %%
def hvp(f, x, v):
    return ...


# hint("hvp")
check("hvp", hvp)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("hvp")

# %% [markdown]
# ### Exercise 3: newton
#
# What is it good for? Going downhill, the gradient says in which direction, but not how far: that was the `rate`, which
# you had to guess. The second order knows. Write `f'` for the slope at `x`, and `f''` for the slope of the slope, that is, by
# how much `f'` grows as `x` does. Then a step `d` changes the slope by `d * f''`. At the bottom it is gone: `d * f''` is
# `-f'`, so `d` is `-f' / f''`. Return `x` after one such step, named after Newton. Here `x` is one number.


# %%
def newton(f, x):
    return ...


# hint("newton")
check("newton", newton)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("newton")

# %% [markdown]
# ## First right, second wrong
#
# Somebody has written a rule for the cube. It only *reads* `x`, so they thought, and cut it off.


# %%
class Cube(nn.Cell):
    def construct(self, x):
        return x**3

    def bprop(self, x, out, dout):
        slope = 3 * ops.stop_gradient(x) ** 2
        return (dout * slope,)


five = Tensor(5.0)
print("right, says the checker:", check_bprop(Cube(), five).right)
for fn in (Cube(), cube):
    print("first", ms.grad(fn)(five), " second", ms.grad(ms.grad(fn))(five))
show_graph(Cube(), five, order=2)

# %% [markdown]
# The checker looks at the first order, and that is right: 75.0. But on the way to the second storey there are scissors, as
# in lesson 6. All that is dashed sends no gradient, so `dx` does not *depend* on `x`, and the second order is 0.0 for 30.0. The same happens to a value that leaves
# minigrad, by `asnumpy()` or `float()`, and to one that was kept where nothing is recorded. **First right does not mean
# second right.** (`check_grads` checks both.)
#
# ## Break it
#
# ### Exercise 4: Tanh
#
# In this Cell there is no cut and no numpy. It keeps what it made, so that the rule need not work it out again. Its slope is
# right. But the slope of that is 0 everywhere, and that of minigrad's own tanh, printed here, is not. Find out why, and mend it.


# %%
class Tanh(nn.Cell):
    def construct(self, x):
        self.made = ops.tanh(x)
        return self.made

    def bprop(self, x, out, dout):
        return (dout * (1 - self.made**2),)


print("minigrad's:", ms.grad(ops.tanh)(Tensor(0.5)), ms.grad(ms.grad(ops.tanh))(Tensor(0.5)))
# hint("Tanh")
check("Tanh", Tanh)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Tanh")

# %% [markdown]
# ## What to keep
#
# 1. The backward pass is a program with a graph of its own, so it has a gradient: `ms.grad(ms.grad(f))`.
# 2. Second order is the derivative of what the rules do. A rule of your own is differentiated as it stands.
# 3. What the rule reads must lead back to the inputs: use `x`, `out` and `dout` as they are handed to it.
# 4. For many inputs, `grad` of `grad` adds up the columns of the Hessian. Weigh by `v` first.
# 5. First right does not mean second right. Check both.
#
# Here are the two storeys of `cube` again. Walk from `dx` down to `x`, and say at each op which rule a third storey would use.

# %%
Still(show_graph(cube, five, order=2))

# %% [markdown]
# **Now you can** find the slope of a slope, take Newton's step, and write a `bprop` that is right the second time as
# well. What you have done so far, in all lessons, `progress()` shows.
#
# **Next:** a call may name its arguments, or leave some out. What does a `bprop` see then? That is
# [lesson 10](10_keyword_arguments_in_bprop.ipynb).
