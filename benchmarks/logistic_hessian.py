"""Hessian of a logistic regression: all second derivatives of a loss by 60 weights, 200 samples.

The loss is the mean of ln(1 + exp(-y (X w))), with labels y of 1 and -1. By hand it is the closed
form, one product of matrices.
"""

import numpy as np

GOAL = 40


def inputs(samples=200, weights=60):
    random = np.random.default_rng(0)
    return {
        "x": random.normal(size=(samples, weights)).astype(np.float32),
        "y": random.choice([-1, 1], samples).astype(np.float32),
        "w": random.normal(0, 0.1, weights).astype(np.float32),
    }


def by_hand(x, y, w):
    def step():
        p = 1 / (1 + np.exp(y * (x @ w)))
        return ((x.T * (p * (1 - p))) @ x / len(y),)

    return step


def with_minigrad(x, y, w, made=lambda fn: fn):
    from minigrad import Tensor, hessian, ops

    x, y, w = Tensor(x), Tensor(y), Tensor(w)

    def loss(w):
        return ops.log(1 + ops.exp(-y * (x @ w))).mean()

    second = made(hessian(loss))
    return lambda: (second(w),)


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(x, y, w):
    import autograd.numpy as np
    from autograd import hessian

    def loss(w):
        return np.mean(np.log(1 + np.exp(-y * np.dot(x, w))))

    second = hessian(loss)
    return lambda: (second(w),)
