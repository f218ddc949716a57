# %% [markdown]
# # Writing a bprop
#
# *Lesson 8. About 40 minutes. You need lessons 1 to 5, and 7 for the last exercise.*
#
# At the end you can give a Cell a rule of its own, check it, and say when it may be untrue; and you have trained a network
# of neurons whose true slope is zero.

# %%
import numpy as np

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.check import check_bprop
from minigrad_widgets import open_bprop, training
from minigrad_widgets.digits import digits
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_08 import check, hint, predict, progress, reveal, solution

ms.set_seed(0)
np.seterr(all="ignore")  # numpy would warn at each inf and nan; here we look at the numbers
images, labels = digits()  # from lesson 5
pixels, digit = Tensor(images.reshape(-1, 64) / 16, ms.float32), Tensor(labels, ms.int32)

# %% [markdown]
# ## A surprising number
#
# `Net` multiplies two matrices. (`ops.MatMul()` makes the op, which is called later; `ops.matmul` is called at once. Both
# spellings are MindSpore's.) Below `construct` it has one method more, `bprop`. Read it, and guess what it does.


# %%
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        out = self.matmul(x, y)
        return out

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy


# %%
class GradNet(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad_op = ops.GradOperation(get_all=True)  # as grad, for all inputs

    def construct(self, x, y):
        gradient_function = self.grad_op(self.net)
        return gradient_function(x, y)


x = Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=ms.float32)
y = Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]], dtype=ms.float32)
out = GradNet(Net())(x, y)
print(out)

# %% [markdown]
# Where `x` is 0.5, the gradient of a matrix product is **1.50000000e+00**, that is, `1.5`. What came back is `x + 1` and
# `y + 1`, as `bprop` says, everywhere. These are slopes of nothing, and there was neither error nor warning.
#
# So such a method can say what is not true. And at the end of this lesson an untrue one will teach a network to read,
# which the true one cannot.
#
# ## Read it, then predict
#
# This Cell has a `bprop` too. Its slopes are right: if `wide` grows by one, the area grows by `long`. A square metre
# costs 10. Predict the gradient that minigrad finds for `price`: the number for `wide`, and the one for `long`.


# %%
class Area(nn.Cell):
    def construct(self, wide, long):
        return wide * long

    def bprop(self, wide, long, out, dout):
        return long, wide


def price(wide, long):
    return 10 * Area()(wide, long)


wide, long = Tensor(4.0), Tensor(3.0)
predict("price", wide=..., long=...)

# %% [markdown]
# Step through it. The Cell is one box. What arrives there, and what does it send on?

# %%
reveal("price", price, wide, long)

# %% [markdown]
# ## The rule: believed, not checked
#
# A Cell with a `bprop` is **one op**, and `bprop` is its rule. What happens inside `construct` is not recorded. It may do
# what minigrad cannot follow, or has no slope for. The method has this form:
#
# `def bprop(self, *inputs, out, dout):`
#
# - `inputs` are those of `construct`: `bprop(self, x, y, out, dout)` for two.
# - `out` is what `construct` made. `dout` is the gradient that arrives, called `g` in lesson 2.
# - It returns a gradient for each input, in the input's shape, in a tuple: for one input `return (dx,)`, with the comma.
#   (minigrad takes `dx` alone as well; MindSpore wants the tuple.)
#
# Nobody multiplies by `dout` for you. In `price` it held what a square metre costs, and `Area` dropped it. The true
# rule is `return dout * long, dout * wide`.
#
# The sweep believes what the rule says, so check it yourself. `check_bprop` moves the inputs of `construct` a little, as in
# lesson 1, and compares, for a `dout` that it draws: so it sees who drops that.
#
# ### Exercise 1: Product
#
# This is what the checker says of `Net`. Write the same Cell with a true rule. (Here, too, you may ask the checker.)


# %%
print(check_bprop(Net(), x, y))


class Product(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = ...
        dy = ...
        return dx, dy


# hint("Product")
check("Product", Product)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Product")

# %% [markdown]
# ## Parameters inside
#
# A Cell often has weights inside. But `construct` is not recorded, so no arrow leads to them, and their gradients do not
# come for free: the rule has to return those as well. In minigrad it does so in a dict behind the tuple:
# `return (dx,), {self.w: dw}`.
#
# MindSpore has more limits. There a `bprop` may neither use a Parameter nor return its gradient: hand the weight
# in as an input. And in its graph mode, which makes a program of your code before it runs, a `bprop` may hold only what
# the syntax of static graphs allows. (The capstone shows minigrad's.)
#
# ### Exercise 2: Scale
#
# Its rule is true for `x`, but forgets `w`, whose gradient is then 0. Complete it, for a number `x` and for arrays: `w`
# stays a single number.


# %%
class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,)


# hint("Scale")
check("Scale", Scale)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Scale")

# %% [markdown]
# ## Untrue on purpose
#
# Must a rule be the true derivative? Take rounding. It is all flat steps: its slope is 0, and what stands before it
# learns nothing. Yet on the whole the output grows as the input does. So one gives it a rule that acts as if nothing had been
# rounded. That is called **straight-through**.
#
# ### Exercise 3: Round
#
# Round on the way forward; straight through on the way back.


# %%
class Round(nn.Cell):
    def construct(self, x):
        return ops.round(x)

    def bprop(self, x, out, dout):
        return ...


print("the true slope:", ms.grad(ops.round)(Tensor([0.4, 1.6])))
# hint("Round")
check("Round", Round)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Round")

# %% [markdown]
# ## Spikes
#
# The neurons of a brain do not send numbers. They send a **spike**, or none. `relusigmoid` is such a step: 1 above 0, else 0.
# Its rule is the slope of something else, a steep S: `sigmoid(5 * x)`. Such a stand-in is called a **surrogate**.
#
# Below, look at both gradients over the range of the input. Then change both `5.0` to `1.0`, or to `20.0`, and run the cell
# again. How wide is the band in which a neuron can learn?


# %%
class relusigmoid(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sigmoid, self.greater = ops.Sigmoid(), ops.Greater()

    def construct(self, x):
        spike = self.greater(x, 0)
        return spike.astype(ms.float32)

    def bprop(self, x, out, dout):
        sgax = self.sigmoid(x * 5.0)
        grad_x = dout * (1 - sgax) * sgax * 5.0
        return (grad_x,)


open_bprop(relusigmoid(), Tensor([-0.4, 0.1, 0.5]))

# %% [markdown]
# A neuron adds up what arrives, in its voltage `v`. When that passes the threshold, it fires, and `v` falls by as much.
# It is called *integrate and fire*, and the step inside is handed in: any Cell or function will do. (With `fire=False`,
# which nobody needs here, it would only add up.)


# %%
class IFNode(nn.Cell):
    def __init__(self, v_threshold=1.0, fire=True, surrogate_function=relusigmoid()):
        super().__init__()
        self.v_threshold, self.fire = v_threshold, fire
        self.surrogate_function = surrogate_function

    def construct(self, x, v):
        v = v + x
        if self.fire:
            spike = self.surrogate_function(v - self.v_threshold) * self.v_threshold
            v -= spike
            return spike, v
        return v, v


# %% [markdown]
# `Reader` reads the digits of lesson 5. It looks at a picture for 5 moments. Its 64 neurons fire or not, and so do 10
# more, one for each digit: the digit whose neuron fires most often is the answer.


# %%
class Reader(nn.Cell):
    def __init__(self, node):
        super().__init__()
        self.first, self.node, self.last = nn.Dense(64, 64), node, nn.Dense(64, 10)

    def construct(self, pixels):
        current, v, u, count = self.first(pixels), 0.0, 0.0, 0.0
        for _ in range(5):
            spike, v = self.node(current, v)
            fired, u = self.node(self.last(spike), u)
            count = count + fired
        return count


# %% [markdown]
# Now train it twice in the same way: first with a plain step and its true slope, then with the surrogate. The loop is that of
# lesson 5; the optimizer, `Adam`, adapts the length of its steps. The second picture takes a few seconds.


# %% tags=["nbval-ignore-output"]
def train(net, steps=600):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.005)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    for i in (run := training(steps, net)):
        rows = slice(60 * i % 1200, 60 * i % 1200 + 60)
        loss, grads = step(pixels[rows], digit[rows])
        optimizer(grads)
        run.log(loss, grads)
    return (net(pixels[1200:]).asnumpy().argmax(axis=1) == labels[1200:]).mean()


true = train(Reader(IFNode(surrogate_function=lambda x: (x > 0).astype(ms.float32))))
surrogate = train(Reader(IFNode()))
print(f"unseen digits read right: true slope {true:.0%}, surrogate {surrogate:.0%}")

# %% [markdown]
# With the true slope every gradient is 0 and no weight ever moves. (The loss still goes up and
# down: each step sees other digits.) The network guesses: about one in ten. With the untrue slope it reads more than nine in ten. **A rule need not be the true derivative. It has to say which way to learn.**
#
# ## Break it
#
# ### Exercise 4: Spike
#
# Here is the same bump, written out: the slope of the sigmoid is `e / (1 + e) ** 2`. Close to the threshold it is right. But
# a neuron can be held far below it, at -30 say. Then its gradient is nan, and one step later so is every weight. Find out
# why, as in the last lesson, and mend it.


# %%
class Spike(nn.Cell):
    def construct(self, x):
        return (x > 0).astype(x.dtype)

    def bprop(self, x, out, dout):
        e = ops.exp(-5.0 * x)
        return (dout * 5.0 * e / (1 + e) ** 2,)


# hint("Spike")
check("Spike", Spike)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("Spike")

# %% [markdown]
# ## What to keep
#
# 1. A Cell with a `bprop` is one op, and `bprop(self, *inputs, out, dout)` is its rule: one gradient for each input, in a
#    tuple.
# 2. Nobody multiplies by `dout` for you.
# 3. The sweep believes the rule. `check_bprop` measures whether it is true.
# 4. Parameters inside get a gradient only if the rule returns one: `(dx,), {self.w: dw}`.
# 5. Where the true slope is 0, a surrogate says which way to learn. That is untrue on purpose, so say why.
#
# Here is the surrogate once more, beside the truth. Which neurons learn from it, and which do not?

# %%
Still(open_bprop(relusigmoid(), Tensor([-0.4, 0.1, 0.5])))

# %% [markdown]
# **Now you can** give a Cell a rule of your own, check it, and say when it may be untrue. What you have done so far,
# in all lessons, `progress()` shows.
#
# **Next:** a sweep is a program as well. [Lesson 9](09_second_order.ipynb) asks for *its* gradient.
