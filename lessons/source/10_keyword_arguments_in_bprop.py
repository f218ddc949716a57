# %% [markdown]
# # Keyword arguments in a bprop
#
# *Lesson 10. About 30 minutes. You need lesson 8.*
#
# At the end you can write a rule for a Cell that is called with keywords, defaults, words and None. And you can say of
# any call what reaches which place of the rule, and which gradients it has to return.

# %%
import minigrad as ms
from minigrad import Tensor, grad, nn, ops, value_and_grad
from minigrad import numpy as msnp
from minigrad_widgets import open_bprop
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_10 import check, hint, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# A Cell takes `x`, and `y=1` if it is told nothing else. Its rule wants to know `y`, too. Where does that go? Somebody
# wrote it where `construct` has it. Python itself refuses: what has no default may not stand behind what has one.

# %%
first_try = """
class Net(nn.Cell):
    def bprop(self, x, y=1, out, dout):
        return msnp.cos(x) + y
    def construct(self, x, y=1):
        return msnp.sin(x) + y
"""
try:
    exec(first_try)
except SyntaxError as error:
    print(type(error).__name__)

# %% [markdown]
# So `y=1` goes to the end:


# %%
class Net(nn.Cell):
    def bprop(self, x, out, dout, y=1):
        return msnp.cos(x) + y

    def construct(self, x, y=1):
        return msnp.sin(x) + y


x = Tensor([3.14], ms.float32)
net = Net()
print(net(x, y=1), value_and_grad(net)(x, y=0))
for y in (0, 1):
    print(f"cos(x) + {y} is {float((msnp.cos(x) + y).asnumpy()[0]):.8f}")

# %% [markdown]
# (`msnp` holds functions by their names in numpy.) The call says `y=0`, and the gradient is `cos(x) + 0`: -0.99999875. As it
# should be? When this program was written, for a tutorial, on the MindSpore of the day, it printed **0.00000125**. That is `cos(x) + 1`. The sum in `construct` used the
# 0 of the call; the rule never heard of it, and took its own default. No error, no warning.
#
# (The rule is untrue, by the way: the slope of `sin(x) + y` is `cos(x)`, whatever `y`. But as a **probe** it is fine. Its
# answer shows which `y` it got, and we shall use it so.)
#
# ## Read it, then predict
#
# Two keywords now, and the call has them in another order than `construct`. `cos(x)` is as good as -1 here. Predict the
# gradient, as a whole number.


# %%
class Net(nn.Cell):
    def bprop(self, x, w, y, out, dout):
        return w * msnp.cos(x) + y if y is not None else msnp.cos(x)

    def construct(self, x, w=1, y=1):
        return msnp.sin(x) + y


net = Net()
print("cos(x) is about", round(float(msnp.cos(x).asnumpy()[0])))
print("the call will be net(x, y=3, w=5)")
predict("order", gradient=...)

# %% [markdown]
# The next cell opens the Cell for that call, which stands in its title. Read the rows of boxes from the top: what
# `construct` was given, where each of it arrives in `bprop`, and what that returns. (That the rule is not the derivative,
# as the picture says too, is so on purpose: it is a probe.)

# %%
reveal("order", net, x)

# %% [markdown]
# ## The rule: bound once, then by name
#
# 1. Python binds the call to `construct`: positions, then keywords. What is not given has its **default**.
# 2. Each parameter of `bprop` gets the input of the same **name**. `out` and `dout` get theirs. The order does not matter.
# 3. `bprop` returns the gradients in the order of *its own* parameters: one for each input, None where there is none. Or one for
#    each Tensor among them, as above.
#
# The tutorial's call with two keywords went by position in its day. 0 came to `w`, 2 to `y`, and the gradient was 2:


# %%
print(net(x, y=1), value_and_grad(net)(x, y=0, w=2))
cos = float(msnp.cos(x).asnumpy()[0])
print(f"by name {2 * cos + 0:.7f}, in the order of the call {0 * cos + 2:.7f}")

# %% [markdown]
# MindSpore of today is stricter. It hands the inputs over in the order of `construct`, whatever the names in the rule, and
# insists on one gradient for each. A rule that runs in both has the names of `construct`, in its order, then `out, dout`,
# and returns a tuple as long.
#
# ### Exercise 1: four_ways
#
# Write four calls that reach the rule alike: all by position; only `y` by keyword; `y` and `w` by keyword, `y` first; all by
# keyword. The parameters of `net` are called `x`, `w` and `y`.


# %%
def four_ways(net, x, w, y):
    return [
        net(x, w, y),
        ...,
        ...,
        ...,
    ]


# hint("four_ways")
check("four_ways", four_ways)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("four_ways")

# %% [markdown]
# ## When is it None?
#
# The tutorial's way out was to have `y` by position, and to ask whether it is None: the call might have left it out. What does
# the rule get, then? Use the probe.


# %%
class Net(nn.Cell):
    def bprop(self, x, y, out, dout):
        return msnp.cos(x) + y if y is not None else msnp.cos(x)

    def construct(self, x, y=1):
        return msnp.sin(x) + y


x = Tensor([3.14], ms.float32)
net = Net()
print(net(x, y=1), value_and_grad(net)(x, y=0))
print(f"y left out: {float(grad(net)(x).asnumpy()[0]):.8f}")

# %% [markdown]
# 0.00000125, so it was 1: the default of `construct`, filled in before the rule is called. `y` is never None, and **the test is not
# needed**. The first line of the rule above would do: `msnp.cos(x) + y`.
#
# None comes only if it is the default, or if somebody hands it over; then it *means* something, and `construct` asks
# for it as well. Here is such a Cell. Below it is another belief to test: that an input given by keyword is
# a constant.


# %%
class Masked(nn.Cell):
    def construct(self, x, mask=None):
        return x if mask is None else x * mask

    def bprop(self, x, mask, out, dout):
        return (dout, None) if mask is None else (dout * mask, dout * x)


x, half = Tensor([4.0]), Tensor([0.5])
print("for x, without and with mask:", grad(Masked())(x), grad(Masked())(x, mask=half))
print("for mask:", grad(lambda mask: Masked()(x, mask=mask))(half))
print("for both:", grad(Masked(), (0, 1))(x, mask=half))

# %% [markdown]
# The mask came by keyword, and has the gradient 4.0 all the same. **A keyword says how an input is handed over, not what it
# is.** A Tensor gets a gradient, whichever way it came. A word or a plain number gets none: return None in its place.
#
# ### Exercise 2: Squash
#
# It divides by a temperature, and then takes tanh, or not, as `mode` says. The rule treats the temperature as a constant. But it
# may be a Tensor that is to be learned, a single number for all of `x`. Replace the first None.


# %%
class Squash(nn.Cell):
    def construct(self, x, temperature=1.0, mode="tanh"):
        z = x / temperature
        return ops.tanh(z) if mode == "tanh" else z

    def bprop(self, x, temperature, mode, out, dout):
        dz = dout * (1 - out * out) if mode == "tanh" else dout
        return dz / temperature, None, None


# hint("Squash")
check("Squash", Squash)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Squash")

# %% [markdown]
# ## Too few, too many
#
# This rule knows one gradient only. Twice it is called; `w` is a number first, and then a Tensor.


# %%
class Short(nn.Cell):
    def construct(self, x, w=1.0, mode="plain"):
        return x * w

    def bprop(self, x, w, mode, out, dout):
        return (dout * w,)


for w in (2.0, Tensor([2.0])):
    try:
        print(f"{type(w).__name__}: {grad(Short())(x, w=w)}")
    except ValueError as error:
        print(f"{type(w).__name__}: {error}")

# %% [markdown]
# With one Tensor, one gradient is enough. With two it is anybody's guess which is meant, so minigrad does not guess. Read what it
# says: *where* it happened, *what came*, *what was expected*, and *what to try*. For such a rule MindSpore says `Grad size should
# lager than forward inputs, but got 1 vs 2`, and leaves you to find out where.
#
# ### Exercise 3: wrong_count
#
# Write such a sentence yourself: from the name of the Cell, the names of its inputs, and the gradients that came. It has to
# name the Cell, both numbers, and all inputs. If the count is right, return an empty string, `""`.


# %%
def wrong_count(cell, inputs, returned):
    return ...


# hint("wrong_count")
check("wrong_count", wrong_count)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("wrong_count")

# %% [markdown]
# ## Break it
#
# ### Exercise 4: Clip
#
# `Clip` cuts off what is below `low` and above `high`. What lies between passes, so its slope is 1 there, and 0 outside. This
# rule says so, too. And yet all three gradients are 0, even that of 0.5, which nobody cut.
#
# One of its names is not one of `construct`. When that is so, names count for nothing: minigrad takes it that the rule has names of
# its own, and goes **by position**. Take the first `#` off, to open the call; read where each
# value arrives; and mend the rule.


# %%
class Clip(nn.Cell):
    def construct(self, x, low=-1.0, high=1.0):
        return ops.minimum(ops.maximum(x, low), high)

    def bprop(self, x, high, lowest, out, dout):
        inside = (x > lowest) & (x < high)
        return dout * inside, None, None


# display(open_bprop(Clip(), Tensor([-2.0, 0.5, 3.0]), high=2.0))
# hint("Clip")
check("Clip", Clip)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Clip")

# %% [markdown]
# ## What to keep
#
# 1. A call is bound to `construct` first, by Python, with defaults filled in. The rule gets what came of that.
# 2. It gets it by name. One name that `construct` does not have, and all go by position.
# 3. It returns a gradient for each input, in its own order; None for words and plain numbers.
# 4. A Tensor has a gradient, by keyword too. A keyword input is not a constant.
# 5. Test for None where None means something; what was left out has its default.
#
# Here is the call of `Masked` once more. Say which box was filled by what, and why two gradients come back.

# %%
Still(open_bprop(Masked(), Tensor([4.0]), mask=Tensor([0.5])))

# %% [markdown]
# **Now you can** say of any call what reaches which place of a rule, and which gradients it has to return. What you
# have done so far, in all lessons, `progress()` shows.
#
# **Next:** [the capstone](11_capstone.ipynb): six bugs, an engine of your own, and the derivative as a program that
# you can read.
