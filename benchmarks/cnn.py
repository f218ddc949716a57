"""Training step of a small convolutional network: 32 images of 28x28, two convolutions, SGD.

Twice a convolution of 5x5, relu and the largest of each 2x2 (to 6 and to 16 channels), then three
layers 256-120-84-10 and cross entropy. A step computes the loss and the gradients of all ten
weights, and then changes the weights.
"""

from itertools import pairwise

import numpy as np

GOAL, GOAL_JIT = 0.55, 0.45
RATE = 0.05


def inputs(samples=32, size=28, channels=(1, 6, 16), window=5, widths=(120, 84, 10)):
    random = np.random.default_rng(0)
    shape = samples, channels[0], size, size
    weights = []
    for n_in, n_out in pairwise(channels):
        scale = np.sqrt(2 / (n_in * window**2))
        weights.append(random.normal(0, scale, (n_out, n_in, window, window)).astype(np.float32))
        weights.append(np.zeros(n_out, np.float32))
        size = (size - window + 1) // 2
    widths = (channels[-1] * size**2, *widths)
    for n_in, n_out in pairwise(widths):
        weights.append(random.normal(0, np.sqrt(2 / n_in), (n_in, n_out)).astype(np.float32))
        weights.append(np.zeros(n_out, np.float32))
    return {
        "x": random.normal(size=shape).astype(np.float32),
        "labels": random.integers(0, widths[-1], samples),
        "weights": weights,
    }


# ---------------------------------------------------------------------------------- in numpy
# Channels come first, then samples, so that a convolution is one product of matrices.
def columns_of(x, k):
    """All windows of k by k, each as a column: (channels * k * k, samples * windows)."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))
    return windows.transpose(0, 4, 5, 1, 2, 3).reshape(len(x) * k * k, -1)


def from_columns(columns, shape, k):
    """The images that have each column added where its window lies."""
    channels, samples, height, width = shape
    height, width = height - k + 1, width - k + 1
    columns = columns.reshape(channels, k, k, samples, height, width)
    out = np.zeros(shape, columns.dtype)
    for i in range(k):
        for j in range(k):
            out[:, :, i : i + height, j : j + width] += columns[:, i, j]
    return out


CORNERS = [np.s_[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]


def pool(x):
    """The largest of each 2 by 2."""
    a, b, c, d = (x[corner] for corner in CORNERS)
    return np.maximum(np.maximum(a, b), np.maximum(c, d))


def pool_back(g, x, largest):
    """The gradient of what was pooled."""
    out = np.empty_like(x)
    for corner in CORNERS:
        out[corner] = g * (x[corner] == largest)
    return out


def by_hand(x, labels, weights):
    weights = [w.copy() for w in weights]
    x = np.ascontiguousarray(x.swapaxes(0, 1))
    rows = np.arange(len(labels))

    def convolve(x, w, b):
        columns = columns_of(x, w.shape[-1])
        height, width = (n - w.shape[-1] + 1 for n in x.shape[2:])
        z = w.reshape(len(w), -1) @ columns + b[:, None]
        return columns, z.reshape(len(w), x.shape[1], height, width)

    def step():
        k1, c1, k2, c2, w1, b1, w2, b2, w3, b3 = weights
        columns1, z = convolve(x, k1, c1)
        a1 = np.maximum(z, 0)
        p1 = pool(a1)
        columns2, z = convolve(p1, k2, c2)
        a2 = np.maximum(z, 0)
        p2 = pool(a2)
        h0 = p2.swapaxes(0, 1).reshape(len(labels), -1)
        h1 = np.maximum(h0 @ w1 + b1, 0)
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
        dp2 = (dh1 @ w1.T).reshape(p2.swapaxes(0, 1).shape).swapaxes(0, 1)
        da2 = (pool_back(dp2, a2, p2) * (a2 > 0)).reshape(len(k2), -1)
        dp1 = from_columns(k2.reshape(len(k2), -1).T @ da2, p1.shape, k2.shape[-1])
        da1 = (pool_back(dp1, a1, p1) * (a1 > 0)).reshape(len(k1), -1)
        gradients = [
            (da1 @ columns1.T).reshape(k1.shape), da1.sum(1),
            (da2 @ columns2.T).reshape(k2.shape), da2.sum(1),
            h0.T @ dh1, dh1.sum(0), h1.T @ dh2, dh2.sum(0), h2.T @ dz, dz.sum(0),
        ]  # fmt: skip
        for w, g in zip(weights, gradients, strict=True):
            w -= RATE * g
        return loss, *gradients

    return step


# ---------------------------------------------------------------------------------- the others
def with_minigrad(x, labels, weights, made=lambda fn: fn):
    from minigrad import Tensor, nn, value_and_grad

    def convolution(w, b):
        n_out, n_in, *window = w.shape
        given = {"weight_init": Tensor(w), "bias_init": Tensor(b)}
        return nn.Conv2d(n_in, n_out, window, pad_mode="valid", has_bias=True, **given)

    def dense(w, b):
        return nn.Dense(*w.shape, weight_init=Tensor(w.T), bias_init=Tensor(b))

    k1, c1, k2, c2, w1, b1, w2, b2, w3, b3 = weights
    net = nn.SequentialCell(
        convolution(k1, c1), nn.ReLU(), nn.MaxPool2d(2, 2),
        convolution(k2, c2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        dense(w1, b1), nn.ReLU(), dense(w2, b2), nn.ReLU(), dense(w3, b3),
    )  # fmt: skip
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

    def read(results):  # Dense keeps (out, in)
        return [r.T if r.ndim == 2 else r for r in map(np.array, results)]

    step.read = read
    return step


def with_minigrad_jit(**inputs):
    from minigrad import jit

    return with_minigrad(**inputs, made=jit)


def with_autograd(x, labels, weights):
    import autograd.numpy as np
    from autograd import value_and_grad
    from autograd.scipy.signal import convolve

    weights = [w.copy() for w in weights]
    rows = np.arange(len(labels))

    def layer(x, w, b):
        turned = w[:, :, ::-1, ::-1]  # convolve, as mathematics has it, runs backwards
        z = convolve(x, turned, axes=([2, 3], [2, 3]), dot_axes=([1], [1]), mode="valid")
        a = np.maximum(z + b[:, None, None], 0)
        samples, channels, height, width = a.shape
        return np.max(a.reshape(samples, channels, height // 2, 2, width // 2, 2), axis=(3, 5))

    def loss_of(weights):
        k1, c1, k2, c2, w1, b1, w2, b2, w3, b3 = weights
        h0 = layer(layer(x, k1, c1), k2, c2).reshape(len(labels), -1)
        h1 = np.maximum(h0 @ w1 + b1, 0)
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
