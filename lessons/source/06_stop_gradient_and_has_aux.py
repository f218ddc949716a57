# %% [markdown]
# # stop_gradient and has_aux
#
# *Lesson 6. About 35 minutes. You need lessons 1 to 5.*
#
# At the end you can use a value without learning from it, say what a cut does and what it does not do, and carry
# a second result out of a gradient call without its counting.

# %%
import numpy as np

import minigrad as ms
from minigrad import Parameter, Tensor, ops
from minigrad_widgets import signature_map, step_backward
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_06 import check, hint, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# A game has three rooms. In room A a coin sends you on to B or to C. Room B pays 1.0 and ends the game. Room C pays 0.0
# and ends it too. So B is worth 1.0, C is worth 0.0, and A, which leads to B half the time, 0.5.
#
# A program that has seen four visits is to find this out. Its idea is good: *a room is worth what it pays, plus the worth
# of the next room*. The guess for a room is what we think it is worth now, the target is what the idea says, and the loss is
# how far apart they are. The rooms have the numbers 0, 1 and 2; `goes_on` is 0.0 where the game ended.

# %%
room, after = Tensor([0, 0, 1, 2]), Tensor([1, 2, 0, 0])  # four visits: A, A, B, C
pays, goes_on = Tensor([0.0, 0.0, 1.0, 0.0]), Tensor([1.0, 1.0, 0.0, 0.0])


def surprise(worth):
    guess = worth[room]
    target = pays + goes_on * worth[after]
    return ops.mean((guess - target) ** 2)


def train(loss):
    worth = Tensor([0.0, 0.0, 0.0])
    for _ in range(200):
        worth = worth - 0.5 * ms.grad(loss)(worth)
    return worth.asnumpy().round(3)


print(train(surprise))

# %% [markdown]
# Room B pays 1.0 each time, and training says it is worth **0.75**. Room C never pays, and is worth 0.25. The gradients are right, and
# more steps change nothing. What went wrong? The loss has two ways to fall. The guess can move to the target. Or the
# *target* can move to the guess: to please A, the worth of B was pulled down and that of C up.
#
# We want a value that is used, but not learned from. For that there is `ops.stop_gradient`.
#
# ## Read it, then predict


# %%
def cut(x):
    a = x * x
    b = ops.stop_gradient(a)
    return a + x * b


x = Tensor(3.0)

# %% [markdown]
# Predict what `cut(x)` returns, and the gradient that minigrad finds there. Without the cut it would be `a + x * a`, that is
# `x**2 + x**3`.

# %%
predict("cut", value=..., slope=...)

# %% [markdown]
# Step through it, to the end. **Scissors** on an arrow say that nothing is sent there. A dashed box gets no gradient. Which of the two
# factors of `x * b` passes its gradient on?

# %%
reveal("cut", cut, x)

# %% [markdown]
# ## Identity forward, zero backward
#
# `stop_gradient` is an op with two short rules. Forward: the output is the input. Backward: nothing goes on. The next function
# makes that plain.


# %%
def mystery(x):
    return x - ops.stop_gradient(x)


for x in (1.0, 2.0, 3.0):
    measured = (mystery(Tensor(x + 0.25)) - mystery(Tensor(x - 0.25))) / 0.5
    print("value", mystery(Tensor(x)), "measured", measured, end=" ")
    print("gradient", ms.grad(mystery)(Tensor(x)))

# %% [markdown]
# The value is 0.0 everywhere, so measuring finds the slope 0.0. minigrad says 1.0. Both do their job: measuring moves `x` in both
# places, and the cut makes the sweep look at one only. **The gradient past a cut is the slope of another function, in which
# what was cut is a constant.** That is the point of it, and the danger: measuring, your best friend since lesson 1, cannot
# tell whether such a gradient is the one you want.
#
# Back to the game. Cut the target:


# %%
def calm(worth):
    guess = worth[room]
    target = ops.stop_gradient(pays + goes_on * worth[after])
    return ops.mean((guess - target) ** 2)


for loss in (surprise, calm):
    print(loss.__name__, train(loss), "loss", surprise(Tensor(train(loss))))
stepper = step_backward(calm, Tensor([0.5, 0.75, 0.25]))
stepper

# %% [markdown]
# One cut, and B is worth 1, as it should be. In the picture, all that the target is made of stands behind the scissors: it is computed, and the
# sweep never goes there. Note the losses, too: the wrong answer has the *smaller* one, 0.0625 against 0.125. No loss
# and no gradient can tell you what should be learned. You say it, with a cut.
#
# ## Your turn
#
# These exercises compare values and gradients with a program that is right; a cut cannot be measured.
#
# ### Exercise 1: chase
#
# `x` chases a target: the loss is `(x - target) ** 2`. The target is the slope of `x ** 2` at `x`, found by `ms.grad(ops.square)`. It
# depends on `x`, but it must not give way.


# %%
def chase(x):
    target = ...
    return (x - target) ** 2


# hint("chase")
check("chase", chase)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("chase")

# %% [markdown]
# ### Exercise 2: target_loss
#
# A target that is held for one step moves in the next, and training grows restless. So programs that learn games keep an **old**
# copy of the weights for the target, and renew it now and then: a *target network*. Write its loss. `guess` is `x @ w`. The target
# is `pays` plus 0.9 times the guess of the old weights for `x_after`. The caller asks for the gradients of `w` *and* `old`, as one does
# who asks for all weights at once; that of `old` must be zero.


# %%
def target_loss(w, old, x, x_after, pays):
    guess = x @ w
    target = pays + 0.9 * ...
    return ops.mean((guess - target) ** 2)


# hint("target_loss")
check("target_loss", target_loss)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("target_loss")

# %% [markdown]
# ## The side door
#
# Here is lesson 5's function again. It returns `z` too, since we want to look at it. But each output counts:

# %%
rng = np.random.default_rng(0)
x, y = ops.ones(5, ms.float32), ops.zeros(3, ms.float32)
w = Parameter(Tensor(rng.standard_normal((5, 3)), ms.float32), name="w")
b = Parameter(Tensor(rng.standard_normal(3), ms.float32), name="b")


def function_with_logits(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss, z


print("db, of loss and z:", ms.grad(function_with_logits, (2, 3))(x, y, w, b)[1])

# %% [markdown]
# That is the gradient of `loss` *plus* that of each entry of `z`. A step with it would push all of `z` down, which nobody asked
# for. There are two ways to look at `z` and not learn from it: cut it on its way out, or declare it **auxiliary data** with
# `has_aux=True`. Then only the first output counts, and the others come back beside the gradients.


# %%
def function_stop_gradient(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss, ops.stop_gradient(z)


print("cut:    ", ms.grad(function_stop_gradient, (2, 3))(x, y, w, b)[1])
(dw, db), (z,) = ms.grad(function_with_logits, (2, 3), has_aux=True)(x, y, w, b)
print("has_aux:", db, "and z:", z)
signature = signature_map(function_with_logits, x, y, w, b, grad_position=(2, 3), has_aux=True)
signature

# %% [markdown]
# The same gradient twice, and far from the first one. Only the way *out* is cut: `loss` still reads `z`, and `w` and `b` still learn
# through it. The picture shows `z` leaving by a side door.
#
# ### Exercise 3: side_door
#
# Write what `has_aux` does, for any `fn` that returns a loss and one or more further results: `side_door(fn)` is a function that returns the same
# values, but only the first counts.


# %%
def side_door(fn):
    def new(*args):
        loss, *others = fn(*args)
        return ...

    return new


# hint("side_door")
check("side_door", side_door)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("side_door")

# %% [markdown]
# ## Break it
#
# ### Exercise 4: hard_loss
#
# Points that are far off should count more: each error gets a weight, its share of all errors. The weights are to be used,
# not learned. Somebody made the cut. And yet the gradient is -13.0, just what measuring finds: a sure sign that nothing is
# cut. With the weights held, the two would differ. Find the missing cut.


# %%
def hard_loss(w, x, y):
    error = (x * w - y) ** 2
    weight = error / ops.sum(error)
    ops.stop_gradient(weight)
    return ops.sum(weight * error)


# hint("hard_loss")
check("hard_loss", hard_loss)

w, x, y, h = np.float64(2.0), np.array([1.0, 2.0]), np.array([1.0, 7.0]), 1e-5
measured = (hard_loss(w + h, x, y) - hard_loss(w - h, x, y)) / (2 * h)
print(f"gradient {ms.grad(hard_loss)(w, x, y):.1f}, measured {measured:.1f}")

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("hard_loss")

# %% [markdown]
# ## What to keep
#
# 1. `stop_gradient` hands the value on as it is, and sends nothing back.
# 2. The gradient past a cut is the slope of another function: what was cut is a constant in it.
# 3. Cut what is to be used but not learned from: targets, weights of errors, old copies.
# 4. Cut the value that is read. A cut that nobody reads does nothing.
# 5. Each output counts, unless it leaves by the side door: `has_aux=True`.
#
# Here is `calm` once more. Follow the dashed arrows, where the sweep does not go, and say what it would have done there to
# the worth of B.

# %%
Still(stepper)

# %% [markdown]
# **Now you can** use a value without learning from it, and carry a second result out without its counting. What you
# have done so far, in all lessons, `progress()` shows.
#
# **Next:** gradients that are not numbers, and how to find where they were born, in
# [lesson 7](07_where_gradients_break.ipynb).
