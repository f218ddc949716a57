# %% [markdown]
# # Sharing, order, adding
#
# *Lesson 3. About 35 minutes. You need lessons 1 and 2: measuring a slope, and record, rule, sweep.*
#
# At the end you can say what arrives at a value that is used more than once, in which order a backward pass has to go,
# and you have written one.

# %%
import numpy as np

import minigrad as ms
from minigrad import Tensor
from minigrad_widgets import step_backward
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_03 import backward, check, hint, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# One line, run thirty times. How much does the result move, if `x` moves?


# %%
def doubled(x):
    for _ in range(30):
        x = x + x
    return x


x = Tensor(np.float64(1.0))
print(f"the slope: {float(ms.grad(doubled)(x)):,.0f}")
print("the sweep:", len(step_backward(doubled, x).run.steps), "steps")

# %% [markdown]
# Each `x + x` reads `x` twice, so two arrows lead back from it. From the result down to the first `x` there are
# **1,073,741,824** different ways along the arrows. Each of them adds 1.0 to the slope, and yet the sweep took 30 steps.
# How can so few steps go so many ways?
#
# ## Predict
#
# The same, but short enough to do in your head:


# %%
def twice(a):
    b = a + a
    c = b + b
    return c


a = Tensor(5.0)

# %% [markdown]
# What is the gradient of `a`? And how many steps does the sweep take, if a step is one op that sends on what has
# arrived? Put a number in place of each `...` and run the cell.

# %%
predict("twice", a=..., steps=...)

# %% [markdown]
# Once you have answered, run the next cell and step through the sweep. Each gradient that travels along an arrow is a
# **part**, drawn as a round token. Watch what becomes of two parts that meet at one box, and when that box sends.

# %%
reveal("twice", twice, a)

# %% [markdown]
# ## Parts add
#
# Why is the second part added, and why does it not replace the first? Let us tell the two uses of a value apart, and
# move one at a time. The slopes are measured, as in lesson 1.


# %%
def product(first, second):
    return first * (second + 2.0)


def measure(f, x=3.0, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


print(f"the first alone:  {measure(lambda a: product(a, 3.0)):.4f}")
print(f"the second alone: {measure(lambda a: product(3.0, a)):.4f}")
print(f"both, as one a:   {measure(lambda a: product(a, a)):.4f}")

# %% [markdown]
# 5.0000 and 3.0000 make 8.0000. If `a` moves, both uses of it move at once, and the result feels both. So the rule is:
#
# **The gradient of a value is the sum of the parts from all its uses.** In code: `+=`, never `=`.
#
# ## Complete first
#
# Here `s` is read by two lines, so its two parts do not arrive together. Step through it and watch `s`, also in the
# list of gradients beside the picture or below it: when is its gradient *so far*, when *complete*? Why does `t` send before `s` does?


# %%
def late(a, b):
    s = a * b
    t = s + a
    return t * s


stepper = step_backward(late, Tensor(2.0), Tensor(3.0))
stepper

# %% [markdown]
# After the first step, 8 has arrived at `s`, and `s` could send it on. But 6 more is on its way, through `t`. A value
# that sends too early sends too little; then it has to send again, and so does everything below it. So:
#
# **A value sends once, when all who read it have sent to it.** An order that keeps to this is called a **topological
# order**. It costs nothing: a line can read only what is already there, so each value stands on the record after all
# that it read. Backwards, each value comes after all who read it. That is why a sweep goes from the last op to the
# first.
#
# This answers the question above. A step does not go one way along the arrows; it goes all the ways at once that lead
# through its box, for their sum is already there.
#
# ## Your turn
#
# ### Exercise 1: arrives
#
# Be the sweep yourself, at `a` = 3.0. Write down the parts that arrive at each value. The first is done.


# %%
def knot(a):
    b = a + a
    c = b * a
    return c + b


print("knot(3.0) is", knot(3.0))
arrives = {"c": [1.0], "b": [..., ...], "a": [..., ..., ...]}
# hint("arrives")
check("arrives", arrives)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("arrives")

# %% [markdown]
# Now you build it. A `Value` is a number that remembers, in `reads`, what was read to make it, each with the slope for
# it: 1.0 for the two sides of `+`, and for each side of `*` the number on the other side. More of a record is not
# needed.


# %%
class Value:
    def __init__(self, data, *reads):
        self.data, self.reads, self.grad = data, reads, 0.0

    def __add__(self, other):
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other.data), (other, self.data))


# %% [markdown]
# ### Exercise 2: walk
#
# This walker brings the gradient `g` to a value, and calls itself for all that the value had read. The check begins
# with `twice` from above. There are **two** bugs, each a word or a sign. Mend the one that you see, run the cell, read
# what the check says, and mend the other.


# %%
def walk(value, g):
    value.grad = g
    for source, slope in value.reads:
        walk(source, value.grad * slope)


# hint("walk")
check("walk", walk)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("walk")

# %% [markdown]
# Mended, it is right. But it goes every way along the arrows, one by one. Here are its visits, counted for a chain of
# doublings.


# %%
def visits(value):
    return 1 + sum(visits(source) for source, _ in value.reads)


for lines in (5, 10, 15):
    x = Value(1.0)
    for _ in range(lines):
        x = x + x
    print(f"{lines} lines: {visits(x):,} visits")

# %% [markdown]
# Each further line doubles them: with 15 lines there are 65,535 already, and with thirty there would be more than two
# billion. There is worse. Each call waits until the next has ended, and Python lets only about a thousand wait. A long
# program, even without any sharing, ends in a `RecursionError`. Recursion is not enough.
#
# ### Exercise 3: sweep
#
# Write the backward pass as a loop. `record` holds all values in the order in which they were made, the result last.


# %%
def sweep(record):
    record[-1].grad = 1.0
    for value in ...:
        for source, slope in value.reads:
            ...


# hint("sweep")
check("sweep", sweep)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("sweep")

# %% [markdown]
# ## Break it
#
# ### Exercise 4: gradient
#
# `backward(y)` is a right sweep from `y`; it finds the order by itself. The first call of `gradient` is right, and the
# second is not, though nothing has changed. Find out what is left over, and mend `gradient`.


# %%
def gradient(program, x):
    y = program(x)
    backward(y)
    return x.grad


# hint("gradient")
check("gradient", gradient)

x = Value(3.0)
print("first: ", gradient(lambda x: x * x, x))
print("second:", gradient(lambda x: x * x, x))

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("gradient")

# %% [markdown]
# ## What to keep
#
# 1. A value that is read more than once gets a part from each use, and the parts add: `+=`.
# 2. It sends on once, when it is complete: when all who read it have sent.
# 3. The record backwards is such an order, a topological order, for no line can read what is made later.
# 4. Following each arrow by recursion goes every way one by one: too many visits, and too deep.
# 5. What is added to must begin at zero. `ms.grad` begins anew at each call.
#
# Here is `late` once more: find the two values where parts met.

# %%
Still(stepper)

# %% [markdown]
# **Now you can** say what arrives at a value that is used twice, and you have written a sweep of your own. What you
# have done so far, in all lessons, `progress()` shows.
#
# **Next:** so far each value was one number. In [lesson 4](04_tensors.ipynb) it is a whole array, and a part must
# have its shape.
