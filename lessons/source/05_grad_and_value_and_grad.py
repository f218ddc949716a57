# %% [markdown]
# # grad and value_and_grad
#
# *Lesson 5. About 40 minutes. You need lessons 1 to 4.*
#
# At the end you can ask for the gradient of anything, know beforehand what will come back, and have trained a network
# that reads handwriting.
#
# Here is one small layer: an input `x`, what it should give, `y`, and two things to be learned, `w` and `b`. A
# `Parameter` is a Tensor with a name that is there to be changed.

# %%
import numpy as np

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad_widgets import signature_map, training
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_05 import check, hint, predict, progress, reveal, solution

np.random.seed(0)
x = ops.ones(5, ms.float32)  # input tensor
y = ops.zeros(3, ms.float32)  # expected output
w = Parameter(Tensor(np.random.randn(5, 3), ms.float32), name="w")  # weight
b = Parameter(Tensor(np.random.randn(3), ms.float32), name="b")  # bias

# %% [markdown]
# ## A surprising number
#
# `function` runs the layer and says how far off it is: the loss. (The formula inside does not matter here.)
# `with_logits` does the same, and hands back `z` too, so that you can have a look at it. Of both we ask for the
# gradient of `b`.


# %%
def function(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss


def with_logits(x, y, w, b):
    return function(x, y, w, b), ops.matmul(x, w) + b


loss = function(x, y, w, b)
print(loss)
db, db_too = ms.grad(function, 3)(x, y, w, b), ms.grad(with_logits, 3)(x, y, w, b)
print(db, db_too, "grew by", np.round((db_too - db).asnumpy(), 4), sep="\n")

# %% [markdown]
# The loss is the same, computed by the same lines. Yet each slope grew by **1**, because something *else* was
# returned. A network that is trained with the second gradient learns the wrong thing, and nothing warns you. Why 1?
#
# ## Read it, then predict
#
# `bed` is about a garden bed. It returns two numbers: its area, and the length of the fence around it. Ask for the
# gradient, for both sides: `ms.grad(bed, (0, 1))(wide, long)`. Which number comes back for `wide`, and which for
# `long`?


# %%
def bed(wide, long):
    area = wide * long
    fence = 2 * (wide + long)
    return area, fence


wide, long = Tensor(4.0), Tensor(7.0)
predict("bed", wide=..., long=...)

# %% [markdown]
# Run the next cell and step through it. Where does the sweep start this time, and with what? What meets at `wide`?

# %%
reveal("bed", bed, wide, long)

# %% [markdown]
# ## The rule: all that is returned, summed
#
# The sweep starts at **every** output, and every entry of an output begins with a `g` of 1. What then meets at an
# input adds up, as in lesson 3. So `grad` finds the gradient of the *sum* of all that is returned: one gradient for
# each input, never one for each output. **No output is ignored.**
#
# In `with_logits`, an entry of `z` is an entry of `b` plus something, so its slope is 1. That is the 1 by which the
# slopes grew. The cure: let the function whose gradient you want return the loss and nothing else.
#
# ## Function in, function out
#
# `grad` takes no number and gives none. It is a **transform**: it takes a *function* and makes another, which takes
# the same arguments and returns the gradient. The loss will not do in its place: a number cannot be run again, a
# function can.

# %%
try:
    ms.grad(loss, (2, 3))
except TypeError as error:
    print("TypeError:", error)

grad_fn = ms.grad(function, (2, 3))
grads = grad_fn(x, y, w, b)
print(grads)
signature_map(function, x, y, w, b, grad_position=(2, 3))

# %% [markdown]
# The second argument of `grad`, its `grad_position`, says for which inputs, counted from 0. For one position you get
# one gradient, for several a tuple, in the order in which you asked. Say nothing, and it is position 0: here `x`,
# which nobody wants to change.
#
# And what comes back is no number. A gradient has the **shape of its input**: `w` has shape (5, 3), so `dw` has it
# too. Point at the boxes above, and what belongs together lights up.
#
# ### Exercise 1: positions
#
# With which position does `ms.grad(function, position)(x, y, w, b)` return what stands on the left? That is text, and
# stays in its quotes; put what you would write for `position` in place of the dots.

# %%
positions = {
    "dw": ...,
    "(dw, db)": ...,
    "(db, dx)": ...,
    "(dx, dy, dw, db)": ...,
}
# hint("positions")
check("positions", positions)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("positions")

# %% [markdown]
# ## Weights that are no arguments
#
# A real network has many weights, and carries them inside. In minigrad, as in MindSpore, it is an `nn.Cell`: what it
# keeps is set in `__init__`, and what it does when it is called is in `construct`.


# %%
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = w
        self.b = b

    def construct(self, x):
        z = ops.matmul(x, self.w) + self.b
        return z


model = Network()
print([weight.name for weight in model.trainable_params()])

# %% [markdown]
# The loss is now a function of `x` and `y` alone, and no position leads to `w`: asking for one fails. Name the weights
# instead, with `weights=`. The position `None` says that you want no input besides.

# %%
loss_fn = nn.BCEWithLogitsLoss()


def forward_fn(x, y):
    z = model(x)
    loss = loss_fn(z, y)
    return loss


try:
    ms.grad(forward_fn, (2, 3))(x, y)
except IndexError as error:
    print("IndexError:", error)
grad_fn = ms.value_and_grad(forward_fn, None, weights=model.trainable_params())
loss, grads = grad_fn(x, y)
print(grads)

# %% [markdown]
# The same gradients as before, one for each weight. And `value_and_grad` gives the value too, first: here the loss, or,
# if the function returns several things, a tuple of them. That costs nothing, since a sweep needs a run anyway.
#
# ### Exercise 2: shapes
#
# Below is a network for pictures of 64 pixels. Its first layer, `nn.Dense(64, 32)`, keeps a weight and a bias: a row of
# 64 numbers for each of its 32 outputs, and one number more for each. `nn.ReLU()` keeps nothing: it puts zero in place
# of each negative number. Hand the network 1,200 pictures at once, and ask
# for the gradient of their mean loss, with `weights=net.trainable_params()`. Which four shapes come back, in the order
# of the weights?

# %%
ms.set_seed(0)
net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
pictures = ops.ones((1200, 64), ms.float32)
print(net(pictures).shape, "for", len(net.trainable_params()), "weights")

shapes = [..., ..., ..., ...]
# hint("shapes")
check("shapes", shapes)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("shapes")

# %% [markdown]
# ### Exercise 3: train_line
#
# To train is to go downhill. The gradient says where the loss grows fastest; so make a small step *against* it, and
# again. Learn the line `w * x + b` in this way: begin with both at 0.0, and make `steps` steps, each `rate` times the
# gradient long.


# %%
def train_line(x, y, rate, steps):
    def forward(w, b):
        return ops.mean((w * x + b - y) ** 2)

    step = ms.value_and_grad(forward, ...)
    w, b = Tensor(0.0), Tensor(0.0)
    for _ in range(steps):
        loss, (dw, db) = step(w, b)
        w, b = ..., ...
    return w, b


# hint("train_line")
check("train_line", train_line)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("train_line")

# %% [markdown]
# ## The real thing
#
# Here are 1,797 digits, written by hand, each of 8 by 8 pixels with 0 to 16 points of ink. (By E. Alpaydin and C.
# Kaynak, UCI Machine Learning Repository, licence `CC BY 4.0`.) The network of exercise 2 makes ten scores of them, one
# for each digit. `digit_loss` is small when the right digit has by far the highest.

# %%
from minigrad_widgets.digits import digits, show_digits

images, labels = digits()
pixels = Tensor(images.reshape(-1, 64) / 16, ms.float32)
digit = Tensor(labels, ms.int32)


def digit_loss(pixels, digit):
    return ops.cross_entropy(net(pixels), digit)


print(images.shape, "ink from", images.min(), "to", images.max())
show_digits(images[:24], labels[:24])

# %% [markdown]
# Your loop from exercise 3 is all that it takes. Only the step is written otherwise: an optimizer makes it for every
# weight at once. The first 1,200 digits are to learn from, 60 in each step; the others the network never sees.
#
# Run it, and watch the loss: its mean over a few steps, and as a band the least and the greatest of them. Beside it is
# how large the gradient of each layer is, `0: Dense` the first; it shrinks as there is less to learn. Press **Stop** on
# the way, or interrupt the kernel: what is learned stays in `net`, and when you run the cell again, it goes on.

# %% tags=["nbval-ignore-output"]
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.2)
step = ms.value_and_grad(digit_loss, None, weights=net.trainable_params())
run = training(1500, net)
for i in run:
    rows = slice(60 * i % 1200, 60 * i % 1200 + 60)
    loss, grads = step(pixels[rows], digit[rows])
    optimizer(grads)
    run.log(loss, grads)
guess = net(pixels[1200:]).asnumpy().argmax(axis=1)
wrong = guess != labels[1200:]
print(f"{(~wrong).mean():.0%} of {wrong.size} unseen digits read right; below, some of the others")
show_digits(images[1200:][wrong][:12], guess[wrong][:12])

# %% [markdown]
# More than nine in ten, and it never saw them before. A caption says what the network took its digit for. Would you
# have read it?
#
# ## Break it
#
# ### Exercise 4: fit
#
# Here is the line once more. Somebody wanted to see the guesses while it is learned, and since then `b`, which is
# `result[1]` below, comes out too low. The slope is right. Find out why, and mend it.


# %%
def fit(x, y):
    def forward(w, b):
        guess = w * x + b
        return ops.mean((guess - y) ** 2), guess

    step = ms.value_and_grad(forward, (0, 1))
    w, b = Tensor(0.0), Tensor(0.0)
    for _ in range(100):
        (loss, guess), (dw, db) = step(w, b)
        w, b = w - 0.1 * dw, b - 0.1 * db
    return w, b


# hint("fit")
check("fit", fit)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("fit")

# %% [markdown]
# ## What to keep
#
# 1. `grad` takes a function and makes a function. The gradient comes when you call that.
# 2. `grad_position` chooses inputs, counted from 0; `weights=` chooses Parameters inside. Each gradient has the shape of what it
#    belongs to.
# 3. All that is returned is differentiated, summed: each further output changes the gradient.
# 4. `value_and_grad` gives the value as well, and costs no more.
# 5. Training is value_and_grad, a small step against the gradient, and again.
#
# This is the call that surprised us, for `w` and `b`. Follow both outputs to the place where they meet.

# %%
Still(signature_map(with_logits, x, y, w, b, grad_position=(2, 3)))

# %% [markdown]
# **Now you can** ask for the gradient of anything, know what will come back, and train a network with it. What you
# have done so far, in all lessons, `progress()` shows.
#
# **Next:** and if you do want `z` back, and the gradient of the loss alone? `stop_gradient` and `has_aux`, in
# [lesson 6](06_stop_gradient_and_has_aux.ipynb).
