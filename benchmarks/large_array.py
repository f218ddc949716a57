"""Few ops on a large array, 1000 by 1000: bound by memory, so each array too many shows.

The sum of tanh(x * w + b) ** 2, and its gradients for x, w and b.
"""

import numpy as np

GOAL, GOAL_JIT = 0.9, 0.45


def inputs(rows=1000, columns=1000):
    random = np.random.default_rng(0)
    return {
        "x": random.normal(size=(rows, columns)).astype(np.float32),
        "w": random.normal(size=columns).astype(np.float32),
        "b": random.normal(size=columns).astype(np.float32),
    }


def by_hand(x, w, b):
    def step():
        t = np.tanh(x * w + b)
        g = 2 * t * (1 - t * t)
        return (t**2).sum(), g * w, (g * x).sum(0), g.sum(0)

    return step


def with_minigrad(x, w, b, made=lambda fn: fn):
    from minigrad import Tensor, ops, value_and_grad

    x, w, b = Tensor(x), Tensor(w), Tensor(b)

    def value(x, w, b):
        return (ops.tanh(x * w + b) ** 2).sum()

    gradient = made(value_and_grad(value, (0, 1, 2)))

    def step():
        value, gradients = gradient(x, w, b)
        return value, *gradients

    return step


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(x, w, b):
    import autograd.numpy as np
    from autograd import value_and_grad

    def value(x, w, b):
        return np.sum(np.tanh(x * w + b) ** 2)

    gradient = value_and_grad(value, (0, 1, 2))

    def step():
        value, gradients = gradient(x, w, b)
        return value, *gradients

    return step
