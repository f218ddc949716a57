# %% [markdown]
# # Slopes by measuring
#
# *Lesson 1. About 35 minutes. You need Python functions and a little numpy. Run the cells in order, each with Shift +
# Enter, from the first on. What stands below a cell beforehand came with the lesson; once you have run the cell, there
# is a number in the `[ ]` beside it.*
#
# At the end you can measure the slope of a function at a point, choose the step for it, and tell where measuring
# fails.

# %%
import numpy as np

from minigrad_widgets import tangent
from minigrad_widgets.lesson import Still
from minigrad_widgets.lesson_01 import check, hint, picture, predict, progress, reveal, solution

# %% [markdown]
# ## A surprising number
#
# The edges of a cube are 2.0 long. How fast does its volume grow when they do? Make them longer by a small step `h`,
# and divide what the volume gains by `h`: the **rise** by the **run**.


# %%
def volume(edge):
    return edge * edge * edge


for h in (0.1, 0.001, 1e-16):
    slope = (volume(2.0 + h) - volume(2.0)) / h
    print(f"h = {h}: the slope is {slope:.6f}")

# %% [markdown]
# The shorter step of 0.001 comes closer to 12.0. But the shortest of all finds **0.000000**, as if the cube did not
# grow. Where does better turn into worse?
#
# ## The slope at a point
#
# The slope is 12.0. When the cube grows, three of its faces move outwards, and each is 2.0 × 2.0 large. The number that
# the measured slopes come close to, as `h` gets shorter, is called the **derivative** of `volume` at 2.0. It belongs
# to that point; at 3.0 it is another.
#
# There are three ways to take a step: to the right, to the left, and to both sides.

# %%
x, h = 2.0, 0.1
to_the_right = (volume(x + h) - volume(x)) / h
to_the_left = (volume(x) - volume(x - h)) / h
to_both_sides = (volume(x + h) - volume(x - h)) / (2 * h)

for slope in (to_the_right, to_the_left, to_both_sides):
    print(f"slope {slope:.2f}, error {slope - 3 * x * x:+.2f}")
print("the derivative at 2.0:", 3 * 2.0 * 2.0, "at 3.0:", 3 * 3.0 * 3.0)

# %% [markdown]
# The curve bends upwards. So the step to the right finds too much, and the step to the left too little. Of both
# together an error of only 0.01 is left. This is the **central difference**. Mind its run: from `x - h` to `x + h` it
# is `2 * h`.
#
# ## Predict
#
# Now let its step get shorter and shorter.
#
# - `factor`: from a step of 0.1 to one of 0.01, how many times smaller does the error get?
# - `k`: of the steps `10**-2`, `10**-5`, `10**-8` and `10**-12`, which has the smallest error? Answer with `2`, `5`,
#   `8` or `12`.
#
# Put a number in place of each `...` and run the cell. Your answer is then locked, right or wrong.

# %%
predict("step", factor=..., k=...)

# %% [markdown]
# Once you have answered, run the next cell. It opens two pictures, and below them the verdict. On the left are the
# curve, the line that a step measures along (the secant), and the true slope (the tangent). On the right is the error
# by step. Long steps are on its left; each of its grid lines stands for a thousandth of the one before. Click the dot
# of the slider and press the right arrow key, again and again. Go through it twice. The first time, watch the secant. The
# second time, watch the dot on the right: how does it fall, and where does it turn?

# %%
reveal("step", volume)

# %% [markdown]
# ## Two errors
#
# **Truncation.** Between the two points the curve bends, and a straight line does not. The shorter the step, the less
# it bends on the way.
#
# **Rounding.** A number in float64, numpy's usual dtype, has about sixteen digits; the rest is rounded away. So the
# rise is a little wrong, and by about as much whatever the step. But then it is divided by the run, and a short run
# makes this error large: it grows like `1 / h`.

# %%
for h in (1e-3, 1e-6, 1e-9):
    rise = volume(2.0 + h) - volume(2.0 - h)
    error = abs(rise - (24 * h + 2 * h * h * h))  # on paper it is 24 h + 2 h h h
    print(f"h = {h}: error of the rise {error:.0e}, of the slope {error / (2 * h):.0e}")
print("in float64, 2.0 + 1e-16 == 2.0 is", 2.0 + 1e-16 == 2.0)

# %% [markdown]
# The last line explains the surprising number. `1e-16` is less than half of what the last digit of 2.0 stands for, so
# `x + h` **is** `x`, and nothing rises.
#
# The truncation error of a central difference falls like `h * h`: with half the step, a quarter of it is left.
# Truncation wants a short step, rounding a long one. Is a shorter step always better, then, until rounding sets in?
# Not even that. Take the area of a square. Its curve is a parabola, and there the errors of both sides cancel to the
# last bit. Nothing is left of truncation, and each shorter step only adds rounding. Go through the steps and see.


# %%
def area(edge):
    return edge * edge


parabola = tangent(area, np.float64(2.0))
parabola.h = 1.0
parabola

# %% [markdown]
# ## Your turn
#
# Want a hint? Remove the `#`; each further run gives one more. Done, or stuck? Run the folded cell below the exercise
# for a solution. Your own code stays as it is.
#
# ### Exercise 1: central_difference
#
# Write the central difference of any function `f` at `x`, with the step `h`.


# %%
def central_difference(f, x, h):
    return ...


# hint("central_difference")
check("central_difference", central_difference)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("central_difference")

# %% [markdown]
# ### Exercise 2: steps
#
# `np.exp` is its own slope, so you can tell how far off a measured one is. With which step, a power of ten, does your
# function come closest at `np.float64(1.0)`? And at `np.float32(1.0)`? That dtype has about seven digits, takes half
# the memory, and is what minigrad computes with unless told otherwise. Try the steps out, with a loop. Make each step a
# plain `10.0**-k`: one from a numpy array is float64, and makes float64 of `np.float32(1.0)` too. Where two steps come
# out alike, ask at `1.1` as well: one point alone may be lucky.

# %%
# Your loop:

steps = {"float64": ..., "float32": ...}
# hint("steps")
check("steps", steps)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("steps")

# %% [markdown]
# ### Exercise 3: sides
#
# A taxi costs 4.0 for the first kilometre and 2.0 for each further one. What is the slope of the fare at 1.0 km?


# %%
def fare(km):
    return 4.0 + 2.0 * np.maximum(km - 1.0, 0.0)


for h in (0.1, 0.001, 1e-5):
    slope = (fare(1.0 + h) - fare(1.0 - h)) / (2 * h)
    print(f"h = {h}: {slope:.6f} at 1.0 km")
for km in (0.9, 1.1):
    print(f"{(fare(km + 1e-5) - fare(km - 1e-5)) / 2e-5:.6f} at {km} km")

# %% [markdown]
# All steps agree on 1.000000, which looks safe. Yet no part of the trip costs that: before 1.0 km a little more costs
# nothing, and after it 2.000000 per kilometre. The fare has a **kink** there. No number is its slope, and no step will
# tell you so. Two steps do, one to each side. Write them: `sides` returns the slope to the left of `x` and the one to
# the right, each over a run of `h`.


# %%
def sides(f, x, h):
    left = ...
    right = ...
    return left, right


# hint("sides")
check("sides", sides)

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("sides")

# %% [markdown]
# ## Break it
#
# ### Exercise 4: slope
#
# Somebody had heard that a smaller step is always better. In float64 the result looks good enough: 12.00. Then comes
# float32. Mend `slope` for both: let the step suit the dtype of `x`. How fine a dtype is, `np.finfo(x.dtype).eps`
# says: it is the gap between one and the next number.


# %%
def slope(f, x):
    h = 1e-12
    return (f(x + h) - f(x - h)) / (2 * h)


# hint("slope")
check("slope", slope)

for dtype in (np.float64, np.float32):
    found, eps = slope(volume, dtype(2.0)), np.finfo(dtype).eps
    print(f"{dtype.__name__}: the slope is {found:.2f}, eps is {eps:.1e}")

# %% jupyter={"source_hidden": true} tags=["solution"]
solution("slope")

# %% [markdown]
# ## What to keep
#
# 1. The derivative of a function at a point is what rise by run comes close to, as the run gets shorter.
# 2. A central difference steps to both sides. Its truncation error falls like `h * h`.
# 3. Its rounding error grows like `1 / h`. So a smaller step is better only down to a point.
# 4. Where that point lies depends on the dtype, and even there some digits of the slope are lost.
# 5. At a kink there is no slope, and a central difference gives you one all the same.

# %%
Still(picture)

# %% [markdown]
# **Now you can** measure the slope of a function at a point, choose the step for it, and tell where measuring fails.
# What you have done so far, in all lessons, `progress()` shows.
#
# **Next:** measuring takes two runs for every input, and loses digits. [Lesson 2](02_a_program_is_a_graph.ipynb) gets
# the slopes of a thousand inputs from one run, with no step to choose.
