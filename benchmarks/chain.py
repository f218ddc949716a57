"""Chain of small ops: 300 of them on 8 numbers. What an op costs beside its arithmetic.

y = tanh(sin(y) * c + d), over and over; the sum of the last y, and its gradient for the first.
"""

import numpy as np

GOAL, GOAL_JIT = 3.0, 0.8


def inputs(ops=300, size=8):
    random = np.random.default_rng(0)
    return {
        "x": random.uniform(0.5, 1.5, size).astype(np.float32),
        "c": np.full(size, 1.01, np.float32),
        "d": np.full(size, 0.001, np.float32),
        "times": ops // 4,
    }


def by_hand(x, c, d, times):
    def step():
        y, kept = x, []
        for _ in range(times):
            before, y = y, np.tanh(np.sin(y) * c + d)
            kept.append((before, y))
        g = np.ones_like(y)
        for before, after in reversed(kept):
            g = g * (1 - after * after) * c * np.cos(before)
        return y.sum(), g

    return step


def with_minigrad(x, c, d, times, made=lambda fn: fn):
    from minigrad import Tensor, ops, value_and_grad

    x, c, d = Tensor(x), Tensor(c), Tensor(d)

    def value(y):
        for _ in range(times):
            y = ops.tanh(ops.sin(y) * c + d)
        return y.sum()

    gradient = made(value_and_grad(value))
    return lambda: gradient(x)


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(x, c, d, times):
    import autograd.numpy as np
    from autograd import value_and_grad

    def value(y):
        for _ in range(times):
            y = np.tanh(np.sin(y) * c + d)
        return np.sum(y)

    gradient = value_and_grad(value)
    return lambda: gradient(x)
