"""`minigrad.numpy`: numpy's names and arguments, held against numpy itself."""

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor
from minigrad import numpy as mnp

X = np.random.default_rng(15).uniform(0.1, 0.9, (2, 3, 4))
Y = np.random.default_rng(16).uniform(0.1, 0.9, (2, 3, 4))
M, V = X[0], X[0, 0]

ELEMENTS = """abs absolute arccos arcsin arcsinh arctan arctanh ceil cos cosh exp expm1 floor log
    log1p log2 negative ones_like reciprocal sign sin sinh sqrt square tan tanh zeros_like"""
PAIRS = """add arctan2 divide equal greater greater_equal hypot less less_equal maximum minimum
    multiply not_equal power subtract true_divide"""
REDUCTIONS = "sum mean prod max min amax amin var std"
AXES = [(None, False), (1, True), (-1, False), ((0, 2), False)]

CALLS = [
    *[(name, (X,), {}) for name in ELEMENTS.split()],
    *[(name, (X, Y), {}) for name in PAIRS.split()],
    *[
        (name, (X,), {"axis": axis, "keepdims": keepdims})
        for name in REDUCTIONS.split()
        for axis, keepdims in AXES
    ],
    ("arccosh", (X + 1,), {}),
    ("var", (X,), {"axis": 1, "ddof": 1}), ("std", (X,), {"ddof": 1}), ("cumsum", (X,), {}),
    ("cumsum", (X, 1), {}), ("matmul", (X, M.T), {}), ("dot", (M, V), {}), ("dot", (V, V), {}),
    ("dot", (M, M.T), {}), ("dot", (X, M.T), {}), ("dot", (M, X.swapaxes(1, 2)), {}),
    ("dot", (V, X.swapaxes(1, 2)), {}), ("dot", (X, X.swapaxes(1, 2)), {}),
    ("outer", (V, M[:, 0]), {}), ("trace", (M,), {}), ("tril", (M,), {}), ("triu", (X, 1), {}),
    ("where", (X > 0.5, X, Y), {}), ("clip", (X, 0.2, 0.7), {}), ("clip", (X, None, 0.7), {}),
    ("reshape", (X, (4, -1)), {}), ("transpose", (X,), {}), ("transpose", (X, (1, 0, 2)), {}),
    ("swapaxes", (X, 0, 2), {}), ("expand_dims", (X, -1), {}), ("squeeze", (X[:1],), {}),
    ("squeeze", (X[:1], 0), {}), ("broadcast_to", (V, (3, 4)), {}), ("flip", (X,), {}),
    ("flip", (X, 1), {}), ("flip", (X,), {"axis": (0, 2)}), ("ravel", (X,), {}),
    ("tile", (M, 2), {}), ("tile", (M, (2, 1, 1)), {}), ("concatenate", ((X, Y),), {}),
    ("concatenate", ((X, Y), -1), {}), ("stack", ((X, Y),), {"axis": 1}),
]  # fmt: skip


def is_array(x):
    return isinstance(x, np.ndarray)


def lifted(x):
    if isinstance(x, tuple) and all(map(is_array, x)):
        return tuple(map(Tensor, x))
    return Tensor(x) if is_array(x) else x


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), CALLS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_as_numpy(name, args, kwargs):
    got = getattr(mnp, name)(*map(lifted, args), **kwargs)
    wanted = getattr(np, name)(*args, **kwargs)
    assert isinstance(got, Tensor)
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12, strict=np.ndim(wanted) > 0)
    first = args[0]
    if is_array(first) and wanted.dtype.kind == "f":
        check_grads(
            lambda x: getattr(mnp, name)(x, *map(lifted, args[1:]), **kwargs), first, order=1
        )


def test_indices_of_extremes():
    for name in ("argmax", "argmin"):
        for axis in (None, 0, -1):
            got = getattr(mnp, name)(Tensor(X), axis)
            np.testing.assert_array_equal(got.asnumpy(), getattr(np, name)(X, axis))


def test_numbers():
    assert mnp.dot(Tensor(V), 2).tolist() == (V * 2).tolist()
    assert mnp.power(2, Tensor([1.0, 3.0])).tolist() == [2, 8]
    assert mnp.where(Tensor([True, False]), 1.0, 2.0).dtype == ms.float32
    assert (mnp.pi, mnp.e, mnp.inf, mnp.newaxis) == (np.pi, np.e, np.inf, None)
    assert np.isnan(mnp.nan)


MADE = [
    (mnp.array([1, 2]), np.array([1, 2], np.int32)),
    (mnp.asarray([1.5, 2]), np.array([1.5, 2], np.float32)),
    (mnp.array(np.array([1, 2])), np.array([1, 2])),
    (mnp.array([1, 0.1], ms.float64), np.array([1.0, 0.1])),
    (mnp.arange(0, 0.3, 0.1, ms.float64), np.arange(0, 0.3, 0.1)),
    (mnp.arange(2, dtype=ms.int64), np.arange(2)),
    (mnp.ones(2), np.ones(2, np.float32)),
    (mnp.zeros((1, 2), ms.int8), np.zeros((1, 2), np.int8)),
    (mnp.full((2,), 3), np.full(2, 3, np.int32)),
    (mnp.full((2,), 1.5), np.full(2, 1.5, np.float32)),
    (mnp.full((2,), 3, ms.float16), np.full(2, 3, np.float16)),
    (mnp.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    (mnp.arange(3), np.arange(3, dtype=np.int32)),
    (mnp.arange(1.0, 2.0, 0.5), np.array([1, 1.5], np.float32)),
    (mnp.arange(3, dtype=ms.float32), np.arange(3, dtype=np.float32)),
    (mnp.linspace(0, 1, 3), np.array([0, 0.5, 1], np.float32)),
    (mnp.linspace(0, 1).sum(), np.array(25, np.float32)),
]


@pytest.mark.parametrize(("made", "wanted"), MADE)
def test_made(made, wanted):
    np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-6, strict=True)


def test_every_function_is_called_here():
    public = {
        n for n, f in vars(mnp).items() if callable(f) and not n.startswith("_") and n != "Tensor"
    }
    called = {name for name, *_ in CALLS} | {
        "argmax",
        "argmin",
        "array",
        "asarray",
        "ones",
        "zeros",
        "full",
    }
    assert public - {"unwrap", "wrap"} == called | {"eye", "arange", "linspace"}
