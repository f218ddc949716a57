"""Training step of a small network: 784-256-256-10 with relu, 128 samples, cross entropy, SGD.

A step computes the loss and the gradients of all six weights, and then changes the weights.
"""

from itertools import pairwise

import numpy as np

GOAL, GOAL_JIT = 1.12, 1.05
RATE = 0.1


def inputs(samples=128, widths=(784, 256, 256, 10)):
    random = np.random.default_rng(0)
    weights = []
    for n_in, n_out in pairwise(widths):
        weights.append(random.normal(0, np.sqrt(2 / n_in), (n_in, n_out)).astype(np.float32))
        weights.append(np.zeros(n_out, np.float32))
    return {
        "x": random.normal(size=(samples, widths[0])).astype(np.float32),
        "labels": random.integers(0, widths[-1], samples),
        "weights": weights,
    }


def by_hand(x, labels, weights):
    weights = [w.copy() for w in weights]
    rows = np.arange(len(labels))

    def step():
        w1, b1, w2, b2, w3, b3 = weights
        h1 = np.maximum(x @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        z = h2 @ w3 + b3
        z = z - z.max(axis=1, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=1, keepdims=True)
        loss = (np.log(total[:, 0]) - z[rows, labels]).mean()

        dz = e / total
        dz[rows, labels] -= 1
        dz /= len(labels)
        dh2 = (dz @ w3.T) * (h2 > 0)
        dh1 = (dh2 @ w2.T) * (h1 > 0)
        gradients = [x.T @ dh1, dh1.sum(0), h1.T @ dh2, dh2.sum(0), h2.T @ dz, dz.sum(0)]
        for w, g in zip(weights, gradients, strict=True):
            w -= RATE * g
        return loss, *gradients

    return step


def with_minigrad(x, labels, weights, made=lambda fn: fn):
    from minigrad import Tensor, nn, value_and_grad

    def dense(w, b):
        return nn.Dense(*w.shape, weight_init=Tensor(w.T), bias_init=Tensor(b))

    w1, b1, w2, b2, w3, b3 = weights
    net = nn.SequentialCell(dense(w1, b1), nn.ReLU(), dense(w2, b2), nn.ReLU(), dense(w3, b3))
    cross_entropy = nn.CrossEntropyLoss()
    parameters = net.trainable_params()
    optimizer = nn.SGD(parameters, RATE)
    x, labels = Tensor(x), Tensor(labels)

    def loss_of(x, labels):
        return cross_entropy(net(x), labels)

    gradient = value_and_grad(loss_of, None, parameters)

    @made
    def train(x, labels):
        loss, gradients = gradient(x, labels)
        optimizer(gradients)
        return loss, *gradients

    def step():
        return train(x, labels)

    step.read = lambda results: [r.T for r in map(np.array, results)]  # Dense keeps (out, in)
    return step


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(x, labels, weights):
    import autograd.numpy as np
    from autograd import value_and_grad

    weights = [w.copy() for w in weights]
    rows = np.arange(len(labels))

    def loss_of(weights):
        w1, b1, w2, b2, w3, b3 = weights
        h1 = np.maximum(x @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        z = h2 @ w3 + b3
        z = z - np.max(z, axis=1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[rows, labels])

    gradient = value_and_grad(loss_of)

    def step():
        loss, gradients = gradient(weights)
        for w, g in zip(weights, gradients, strict=True):
            w -= RATE * g
        return loss, *gradients

    return step
