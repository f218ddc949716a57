"""Recurrent network: 100 steps of tanh, 64 hidden units, 16 samples. Many small matrices.

h = tanh(x wx + h wh + b) for each x, then the mean squared error of h wo + bo, and the gradients of
the five weights.
"""

import numpy as np

GOAL, GOAL_JIT = 1.5, 0.85


def inputs(steps=100, samples=16, n_in=32, hidden=64, n_out=10):
    random = np.random.default_rng(0)

    def normal(scale, *shape):
        return random.normal(0, scale, shape).astype(np.float32)

    weights = [
        normal(0.1, n_in, hidden),
        normal(0.12, hidden, hidden),
        np.zeros(hidden, np.float32),
        normal(0.1, hidden, n_out),
        np.zeros(n_out, np.float32),
    ]
    return {
        "xs": list(normal(1, steps, samples, n_in)),
        "h0": np.zeros((samples, hidden), np.float32),
        "target": normal(1, samples, n_out),
        "weights": weights,
    }


def by_hand(xs, h0, target, weights):
    def step():
        wx, wh, b, wo, bo = weights
        hs = [h0]
        for x in xs:
            hs.append(np.tanh(x @ wx + hs[-1] @ wh + b))
        miss = hs[-1] @ wo + bo - target
        loss = (miss * miss).mean()

        dy = miss * (2 / miss.size)
        dwo, dbo, dh = hs[-1].T @ dy, dy.sum(0), dy @ wo.T
        dwx, dwh, db = np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
        for t in reversed(range(len(xs))):
            dz = dh * (1 - hs[t + 1] * hs[t + 1])
            dwx += xs[t].T @ dz
            dwh += hs[t].T @ dz
            db += dz.sum(0)
            dh = dz @ wh.T
        return loss, dwx, dwh, db, dwo, dbo

    return step


def with_minigrad(xs, h0, target, weights, made=lambda fn: fn):
    from minigrad import Tensor, ops, value_and_grad

    xs, h0, target = [Tensor(x) for x in xs], Tensor(h0), Tensor(target)
    weights = [Tensor(w) for w in weights]

    def loss_of(wx, wh, b, wo, bo, xs, h0, target):
        h = h0
        for x in xs:
            h = ops.tanh(x @ wx + h @ wh + b)
        return ((h @ wo + bo - target) ** 2).mean()

    gradient = made(value_and_grad(loss_of, (0, 1, 2, 3, 4)))

    def step():
        loss, gradients = gradient(*weights, xs, h0, target)
        return loss, *gradients

    return step


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(xs, h0, target, weights):
    import autograd.numpy as np
    from autograd import value_and_grad

    def loss_of(wx, wh, b, wo, bo):
        h = h0
        for x in xs:
            h = np.tanh(x @ wx + h @ wh + b)
        return np.mean((h @ wo + bo - target) ** 2)

    gradient = value_and_grad(loss_of, (0, 1, 2, 3, 4))

    def step():
        loss, gradients = gradient(*weights)
        return loss, *gradients

    return step
