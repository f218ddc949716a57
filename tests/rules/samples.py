"""More samples for the catalogue's test: convolution, pooling, norms, linear algebra, erf and kin.

As in ``test_catalogue``, a sample is a line: the op, then its arguments.
"""

import math

import numpy as np
from scipy import special as sp
from scipy.signal import correlate

from minigrad.rules import conv, elementwise, linalg, normalize, pool, special


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.array(np.random.default_rng([seed, *shape]).uniform(low, high, shape))


def windows(x, window, stride, padding, dilation, value=0.0):
    """Every window, found by going through all of them: (batch, channels, *counts, *window)."""
    x = np.pad(x, ((0, 0), (0, 0), *padding), constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    out = np.zeros((*x.shape[:2], *counts, *window))
    for i in np.ndindex(*counts):
        for o in np.ndindex(*window):
            at = tuple(a * s + b * d for a, s, b, d in zip(i, stride, o, dilation, strict=True))
            out[(slice(None), slice(None), *i, *o)] = x[(slice(None), slice(None), *at)]
    return out


def largest_of(x, window, *steps):
    return windows(x, window, *steps, value=-np.inf).max(tuple(range(-len(window), 0)))


A, B, ROW, COLUMN, POINT = (
    numbers(2, 3),
    numbers(2, 3, seed=1),
    numbers(3),
    numbers(2, 1),
    numbers(),
)
UP, UP_POINT, IN, IN_POINT = (
    numbers(2, 3, low=0.3),
    numbers(low=0.3),
    A * 0.45,
    numbers(low=-0.9, high=0.9),
)
WHOLE = np.array([[7, -7, 2], [5, 0, -3]])
SMALL = np.array([1, 2, 0])
SQUARE, CUBES = numbers(3, 3), numbers(2, 3, 3)
PROOF = CUBES @ CUBES.mT + np.eye(3)  # symmetric, positive

IMAGES, WEIGHTS = numbers(2, 4, 6, 5), numbers(6, 2, 3, 2)
STEPS = ((2, 1), ((1, 0), (2, 1)), (1, 2))  # stride, padding, dilation
GROUPED = (*STEPS, 2)
PLAIN = ((1, 1), ((0, 0), (0, 0)), (1, 1), 1)
SLIDES = numbers(2, 6, 3, 6)  # what GROUPED makes of the images
ROWS, ROW_WEIGHTS, ROW_STEPS = numbers(2, 3, 7), numbers(4, 3, 3), ((2,), ((1, 1),), (1,), 1)
WINDOW = (3, 2)
ROW_POOL, TIES = ((3,), (2,), ((1, 1),), (1,)), np.round(ROWS)
FLAGS = numbers(3, 2, 1, 1, 3, 6) > 0  # no float, so not differentiated
VOLUMES, VOLUME_WEIGHTS = numbers(1, 2, 3, 3, 4), numbers(2, 2, 2, 1, 2)

e, s, n = elementwise, special, normalize
# fmt: off
SAMPLES = [
    (e.fmod, A, UP), (e.fmod, A, -UP), (e.fmod, POINT, 0.3), (e.trunc, A), (e.signbit, A),
    (e.cbrt, A), (e.cbrt, POINT), (e.left_shift, WHOLE, SMALL), (e.right_shift, WHOLE, SMALL),
    (e.log10, UP), (e.log10, UP_POINT), (e.exp2, A), (e.exp2, POINT), (e.logaddexp, A, B),
    (e.logaddexp, A, ROW), (e.logaddexp, POINT, A), (e.logaddexp, A + 900, B), (s.erf, A),
    (s.erf, POINT), (s.erfc, A), (s.erfc, POINT), (s.erfinv, IN), (s.erfinv, IN_POINT),
    (s.lgamma, UP), (s.lgamma, A), (s.lgamma, UP_POINT), (s.digamma, UP), (s.digamma, A),
    (s.digamma, UP_POINT), (s.polygamma, UP, 1), (s.polygamma, UP_POINT, 2),
    (n.standardize, A, (1,), 1e-5), (n.standardize, IMAGES, (0, 2, 3), 1e-3),
    (n.standardize, CUBES, (-1, -2), 1e-5),
    # Convolution: groups, strides, dilation and padding at once; one, two and three axes of space.
    (conv.convolve, IMAGES, WEIGHTS, *GROUPED),
    (conv.convolve, IMAGES, numbers(3, 4, 2, 2), *PLAIN),
    (conv.convolve, ROWS, ROW_WEIGHTS, *ROW_STEPS),
    (conv.convolve, VOLUMES, VOLUME_WEIGHTS, (1, 1, 1), ((0, 0),) * 3, (1, 1, 1), 1),
    (conv.convolve, IMAGES[:0], WEIGHTS, *GROUPED),
    (conv.convolve_back, SLIDES, WEIGHTS, IMAGES.shape, *GROUPED),
    (conv.convolve_back, numbers(2, 4, 4), ROW_WEIGHTS, ROWS.shape, *ROW_STEPS),
    (conv.correlate, IMAGES, SLIDES, WEIGHTS.shape, *GROUPED),
    (conv.correlate, ROWS, numbers(2, 4, 4), ROW_WEIGHTS.shape, *ROW_STEPS),
    (conv.unfold, IMAGES, WINDOW, *STEPS), (conv.fold, numbers(2, 24, 18), (6, 5), WINDOW, *STEPS),
    (pool.max_pool, IMAGES, WINDOW, *STEPS), (pool.max_pool, ROWS, (3,), (2,), ((1, 1),), (1,)),
    (pool.max_pool, VOLUMES, (2, 2, 2), (1, 2, 2), ((0, 0),) * 3, (1, 1, 1)),
    (pool.first_of_largest, IMAGES, largest_of(IMAGES, WINDOW, *STEPS), WINDOW, *STEPS),
    (pool.first_of_largest, TIES, largest_of(TIES, *ROW_POOL), *ROW_POOL),
    (pool.gather_windows, IMAGES, FLAGS, WINDOW, *STEPS),
    (pool.spread_windows, numbers(2, 4, 3, 6), FLAGS, IMAGES.shape, WINDOW, *STEPS),
    # Linear algebra: one matrix, and a batch.
    (linalg.inverse, SQUARE), (linalg.inverse, CUBES), (linalg.solve, SQUARE, ROW),
    (linalg.solve, CUBES, numbers(2, 3, 4)), (linalg.solve, CUBES, SQUARE),
    (linalg.solve, CUBES, ROW), (linalg.det, SQUARE), (linalg.det, CUBES),
    (linalg.logabsdet, SQUARE), (linalg.logabsdet, CUBES), (linalg.signdet, CUBES),
    (linalg.cholesky, PROOF), (linalg.cholesky, PROOF[0]),
    (linalg.svd, SQUARE), (linalg.svd, numbers(4, 2)), (linalg.svd, numbers(2, 2, 4)),
    (linalg.svd, CUBES, True), (linalg.qr, SQUARE), (linalg.qr, numbers(4, 2)),
    (linalg.qr, numbers(2, 2, 4)), (linalg.qr, numbers(2, 4), True), (linalg.pinv, SQUARE),
    (linalg.pinv, numbers(4, 2)), (linalg.pinv, numbers(2, 2, 4)),
    (linalg.contract, A, SQUARE, "ij", "jk", "ik"), (linalg.contract, CUBES, A, "bij", "bj", "ib"),
    (linalg.contract, A, ROW, "ij", "k", "kji"),
    (linalg.contract, ROW, numbers(3, seed=1), "i", "i", ""),
    (linalg.contract, A, SQUARE, "zy", "yx", "zx"), (linalg.contract, A, SQUARE, "ij", "jz", "iz"),
]
# fmt: on


def slow_convolve(x, w, stride, padding, dilation, groups):
    """scipy's correlation of each channel with its dilated window, then every stride-th place."""
    x = np.pad(x, ((0, 0), (0, 0), *padding))
    wide = np.zeros(
        (*w.shape[:2], *((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)))
    )
    wide[(..., *(slice(None, None, d) for d in dilation))] = w
    own = w.shape[1]
    steps = (slice(None, None, t) for t in stride)
    space = [a - b + 1 for a, b in zip(x.shape[2:], wide.shape[2:], strict=True)]
    out = np.zeros((len(x), len(w), *space))
    for b, o, c in np.ndindex(len(x), len(w), own):
        channel = o // (len(w) // groups) * own + c
        out[b, o] += correlate(x[b, channel], wide[o, c], "valid", "direct")
    return out[(..., *steps)]


def adjoint(function, like, g):
    """What a linear function's adjoint makes of g: its products with the images of unit arrays."""
    out = np.zeros(like)
    for i in np.ndindex(*like):
        unit = np.zeros(like)
        unit[i] = 1
        out[i] = (function(unit) * g).sum()
    return out


def slow_unfold(x, window, *steps):
    found = windows(x, window, *steps)
    d = len(window)
    return np.moveaxis(found, range(2, 2 + d), range(-d, 0)).reshape(
        len(x), x.shape[1] * math.prod(window), -1
    )


def slow_gather(x, weights, window, *steps):
    found = windows(x, window, *steps)
    d = len(window)
    return (found * np.moveaxis(weights, range(d), range(-d, 0))).sum(tuple(range(-d, 0)))


def slow_first_of_largest(x, largest, window, *steps):
    found = windows(x, window, *steps, value=-np.inf)
    d = len(window)
    rows = found.reshape(*found.shape[:-d], -1)
    first = rows.argmax(-1)[..., None] == np.arange(rows.shape[-1])
    return np.moveaxis(first.reshape(found.shape), range(-d, 0), range(d))


def values_first(u, s, vt):
    return s, u, vt.mT


IN_NUMPY = {
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "erfinv": lambda x: sp.ndtri((x + 1) / 2) / math.sqrt(2),
    "lgamma": np.vectorize(math.lgamma),
    "digamma": sp.psi,
    "polygamma": lambda x, n: (-1) ** (n + 1) * math.factorial(n) * sp.zeta(n + 1, x),
    "standardize": lambda x, axes, eps: (
        (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    ),
    "convolve": slow_convolve,
    "convolve_back": lambda x, w, shape, *rest: adjoint(
        lambda im: slow_convolve(im, w, *rest), shape, x
    ),
    "correlate": lambda x, y, shape, *rest: adjoint(lambda w: slow_convolve(x, w, *rest), shape, y),
    "unfold": slow_unfold,
    "fold": lambda x, space, *rest: adjoint(lambda im: slow_unfold(im, *rest), (2, 4, *space), x),
    "max_pool": largest_of,
    "first_of_largest": slow_first_of_largest,
    "gather_windows": slow_gather,
    "spread_windows": lambda x, weights, shape, *rest: adjoint(
        lambda im: slow_gather(im, weights, *rest), shape, x
    ),
    "inverse": np.linalg.inv,
    "solve": lambda x, y: np.linalg.inv(x) @ y,
    "det": np.linalg.det,
    "logabsdet": lambda x: np.log(np.abs(np.linalg.det(x))),
    "signdet": lambda x: np.sign(np.linalg.det(x)),
    "cholesky": np.linalg.cholesky,
    "svd": lambda x, full=False: values_first(*np.linalg.svd(x, full)),
    "qr": lambda x, full=False: tuple(np.linalg.qr(x, "complete" if full else "reduced")),
    "pinv": np.linalg.pinv,
    "contract": lambda x, y, a, b, to: np.einsum(f"{a},{b}->{to}", x, y),
}
LATEX = {"Gamma", "mu", "psi", "sigma", "varepsilon"}  # commands of the formulas of these ops
