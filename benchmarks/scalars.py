"""Chain of 2,000 ops on single numbers: what the smallest possible op costs.

y = y * a + b, over and over, and the gradients of the last y for the first, for a and for b.
"""

import numpy as np

GOAL = 60


def inputs(ops=2000):
    return {"x": np.float32(1), "a": np.float32(0.999), "b": np.float32(0.002), "times": ops // 2}


def by_hand(x, a, b, times):
    def step():
        y, kept = x, []
        for _ in range(times):
            kept.append(y)
            y = y * a + b
        g, da, db = np.float32(1), np.float32(0), np.float32(0)
        for before in reversed(kept):
            db = db + g
            da = da + g * before
            g = g * a
        return y, g, da, db

    return step


def with_minigrad(x, a, b, times):
    from minigrad import Tensor, value_and_grad

    x, a, b = Tensor(x), Tensor(a), Tensor(b)

    def value(y, a, b):
        for _ in range(times):
            y = y * a + b
        return y

    gradient = value_and_grad(value, (0, 1, 2))

    def step():
        value, gradients = gradient(x, a, b)
        return value, *gradients

    return step


def with_autograd(x, a, b, times):
    from autograd import value_and_grad

    def value(y, a, b):
        for _ in range(times):
            y = y * a + b
        return y

    gradient = value_and_grad(value, (0, 1, 2))

    def step():
        value, gradients = gradient(x, a, b)
        return value, *gradients

    return step
