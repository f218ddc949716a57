"""`minigrad.numpy`: numpy's names and arguments, held against numpy itself."""

import inspect
import re
import sys

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
MORE_ELEMENTS = """cbrt deg2rad exp2 isfinite isinf isnan isneginf isposinf log10 positive rad2deg
    rint signbit trunc"""
MORE_PAIRS = """copysign float_power floor_divide fmax fmin fmod heaviside logaddexp logaddexp2 mod
    remainder"""
WHOLE = np.array([[5, 2, 7], [1, 6, 3], [4, 0, 9]])
TRUTH = M < 0.6
HOLED = np.where(TRUTH, M, np.nan)
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
    *[(name, (X,), {}) for name in MORE_ELEMENTS.split()],
    *[(name, (X, Y), {}) for name in MORE_PAIRS.split()],
    *[(name, (TRUTH, M > 0.4), {}) for name in ("logical_and", "logical_or", "logical_xor")],
    *[(name, (WHOLE, WHOLE[0]), {}) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    ("logical_not", (TRUTH,), {}), ("bitwise_not", (WHOLE,), {}), ("invert", (WHOLE,), {}),
    ("append", (M, V), {}), ("append", (M, M), {"axis": 1}), ("around", (X, 1), {}),
    ("argwhere", (TRUTH,), {}), ("atleast_1d", (np.array(0.5),), {}), ("atleast_2d", (V,), {}),
    ("atleast_3d", (M,), {}), ("average", (M, 1), {"weights": X[1]}), ("average", (M,), {}),
    ("average", (M, 1), {"weights": V}),
    ("column_stack", ((V, M.T),), {}), ("cov", (M,), {}), ("cross", (M[:, :3], X[1, :, :3]), {}),
    ("cross", (M, X[1]), {"axis": 0}), ("cumprod", (M,), {}), ("cumprod", (M, 1), {}),
    ("diag", (V,), {}), ("diag", (M, 1), {}), ("diagonal", (X, 1, 1, 2), {}), ("diff", (M,), {}),
    ("diff", (M, 2, 1), {}), ("dstack", ((M, M),), {}), ("empty", ((2, 0), np.float32), {}),
    ("fix", (X * 4 - 2,), {}), ("fliplr", (M,), {}), ("flipud", (M,), {}),
    ("hstack", ((V, V),), {}),
    ("full_like", (M, 2.0), {}), ("identity", (3, np.float32), {}), ("inner", (M, X[1]), {}),
    ("isclose", (M, M + 1e-6), {}), ("isin", (WHOLE, WHOLE[0]), {}), ("kron", (M, X[1]), {}),
    ("logspace", (0, 2, 3), {"dtype": np.float64}), ("matrix_power", (M[:, :3], 3), {}),
    ("moveaxis", (X, 0, -1), {}), ("multi_dot", ((M, M.T, M),), {}), ("norm", (M,), {}),
    ("norm", (M, 1, 1), {}), ("pad", (M, ((1, 0), (0, 2))), {}), ("pad", (V, 2), {"mode": "wrap"}),
    ("nanmax", (HOLED, 1), {}), ("nanmin", (HOLED,), {}), ("round", (X, 1), {}),
    ("vander", (V, 3, True), {}), ("eye", (2, 3, 1, np.float64), {}),
    ("ptp", (X, 1), {}), ("ptp", (X,), {}), ("repeat", (M, 2, 1), {}), ("repeat", (M, 2), {}),
    ("roll", (X, 1), {}), ("roll", (X, (1, -1), (0, 2)), {}), ("rollaxis", (X, 2), {}),
    ("rollaxis", (X, 0, 2), {}), ("rot90", (M,), {}), ("rot90", (X, -1, (1, 2)), {}),
    ("take", (M, [0, 5]), {}),
    ("take", (M, np.array([0, 2]), 1), {}), ("take_along_axis", (M, WHOLE % 3, 1), {}),
    ("tensordot", (X, Y), {"axes": ((0, 1), (0, 1))}), ("tensordot", (M, M.T, 1), {}),
    ("trapz", (M, V), {}), ("trapz", (M,), {"dx": 0.5}), ("tri", (3, 4, 1, np.float32), {}),
    ("vander", (V,), {}), ("vstack", ((V, M),), {}), ("nanmean", (HOLED, 1), {}),
    ("nansum", (HOLED,), {}), ("unwrap", (X * 20,), {}), ("unwrap", (X * 20, 5.0, 1), {}),
    ("concatenate", ((X, Y), None), {}), ("expand_dims", (X, (0, -2)), {}),
    ("prod", (X,), {"axis": 1, "initial": 2}), ("max", (X,), {"initial": 0.6, "where": X > 0.3}),
    ("diff", (M,), {"prepend": 0.2, "append": Y[0]}), ("take", (V, [-1, 1]), {}),
]  # fmt: skip
IN_NUMPY = {"norm": np.linalg.norm, "multi_dot": np.linalg.multi_dot, "trapz": np.trapezoid}
IN_NUMPY |= {"matrix_power": np.linalg.matrix_power}


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
    wanted = IN_NUMPY.get(name, getattr(np, name, None))(*args, **kwargs)
    assert got.dtype == ms.Tensor(np.asarray(wanted)).dtype or wanted.dtype.kind in "iu"
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


def test_lists_and_tuples_of_tensors():
    parts = [mnp.split(Tensor(M), 2, 1), np.split(M, 2, 1)]
    parts += [mnp.array_split(Tensor(V), 3), np.array_split(V, 3)]
    parts += [mnp.hsplit(Tensor(M), 2), np.hsplit(M, 2), mnp.vsplit(Tensor(M), 3), np.vsplit(M, 3)]
    parts += [mnp.dsplit(Tensor(X), 2), np.dsplit(X, 2)]
    parts += [mnp.meshgrid(Tensor(V), Tensor(M[:, 0])), np.meshgrid(V, M[:, 0])]
    parts += [mnp.broadcast_arrays(Tensor(V), Tensor(X)), np.broadcast_arrays(V, X)]
    parts += [mnp.average(Tensor(M), 1, returned=True), np.average(M, 1, returned=True)]
    for got, wanted in zip(parts[::2], parts[1::2], strict=True):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-12, strict=True)
    with pytest.raises(ValueError, match="3 equal parts"):
        mnp.split(Tensor(V), 3)


def test_choices_and_counts():
    chosen = mnp.select([Tensor(TRUTH), Tensor(M > 0.7)], [Tensor(M), Tensor(-M)], 9.0)
    np.testing.assert_array_equal(chosen.asnumpy(), np.select([TRUTH, M > 0.7], [M, -M], 9.0))
    values, which = mnp.unique(Tensor([3, 1, 3]), return_inverse=True)
    assert (values.tolist(), which.tolist()) == (
        [3, 1],
        [0, 1, 0],
    )  # in the order in which they come
    assert mnp.bincount(Tensor([1, 1, 3])).tolist() == [0, 2, 0, 1]
    assert int(mnp.count_nonzero(Tensor(TRUTH))) == np.count_nonzero(TRUTH)
    found = mnp.searchsorted(Tensor(np.sort(V)), Tensor(M), "right")
    assert found.dtype == ms.int32
    np.testing.assert_array_equal(found.asnumpy(), np.searchsorted(np.sort(V), M, "right"))
    assert bool(mnp.array_equal(Tensor(M), Tensor(M)))
    assert not bool(mnp.array_equal(Tensor(M), Tensor(V)))


# What MindSpore refuses, for it wants Tensors. What it takes is in data/numpy.json.
LISTS = """
    mnp.abs(-2); mnp.abs([-2, 1.5]); mnp.exp(1); mnp.sin([0, 1]); mnp.mean([1, 2]);
    mnp.std([1, 2]); mnp.var([1, 2, 3, 4]); mnp.max([1, 5, 2]); mnp.cumsum([1, 2, 3]);
    mnp.dot(2, 3); mnp.dot([1, 2], [3, 4]); mnp.concatenate(([1, 2], [3]));
    mnp.stack([[1, 2], [3, 4]]); mnp.reshape([1, 2, 3, 4], (2, 2));
    mnp.transpose([[1, 2], [3, 4]]); mnp.expand_dims([1, 2], -1); mnp.broadcast_to(3, (2, 2));
    mnp.flip([1, 2, 3]); mnp.ravel([[1, 2], [3, 4]]); mnp.diff([1, 4, 9]);
    mnp.diff([1, 4, 9], append=16); mnp.cumprod([1, 2, 3]); mnp.append([1, 2], [3, 4]);
    mnp.append([1.5], 2); mnp.average([1, 2, 3], weights=[3, 2, 1]); mnp.ptp([3, 1, 5]);
    mnp.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]]); mnp.roll([1, 2, 3], 1);
    mnp.rot90([[1, 2], [3, 4]]); mnp.diag([1, 2]); mnp.diagonal([[1, 2], [3, 4]]);
    mnp.take([4, 5, 6], [0, 2]); mnp.take([4, 5, 6], -1);
    mnp.count_nonzero([1, 0, 2]);
    mnp.fix([-1.5]); mnp.tile([1, 2], 2); mnp.squeeze([[1], [2]]); mnp.moveaxis([[1, 2]], 0, 1);
    mnp.swapaxes([[1, 2]], 0, 1); mnp.hstack(([1, 2], [3])); mnp.vstack([[1, 2], [3, 4]]);
    mnp.column_stack(([1, 2], [3, 4])); mnp.inner([1, 2], [3, 4]); mnp.outer([1, 2], [3, 4]);
    mnp.arctan2([1.0], [2.0]); mnp.log(mnp.e); mnp.positive([1]); mnp.deg2rad([180]);
    mnp.fliplr([[1, 2]]); mnp.atleast_2d([1, 2]); mnp.atleast_3d([1, 2]); mnp.add(True, True);
    mnp.take([4, 5], [-1], mode='raise')
"""


@pytest.mark.parametrize("call", " ".join(LISTS.split()).split("; "))
def test_numbers_and_lists(call):
    got, wanted = eval(call, {"mnp": mnp}), np.asarray(eval(call, {"mnp": np}))
    narrow = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32}
    assert isinstance(got, Tensor)
    np.testing.assert_allclose(
        got.asnumpy(), wanted.astype(narrow.get(wanted.dtype, wanted.dtype)), rtol=1e-6, strict=True
    )


def test_whole_numbers_have_no_nan_to_leave_out():
    x = Tensor([[3, 1], [2, 5]])
    assert (mnp.nanmax(x).item(), mnp.nanmin(x, 1).tolist()) == (5, [1, 2])
    assert mnp.nanmax(x, 0, dtype=ms.float32).dtype == ms.float32


def test_a_tensor_stands_for_the_list_of_its_rows():
    assert mnp.concatenate(Tensor([[1, 2], [3, 4]])).tolist() == [1, 2, 3, 4]


def test_lists_of_lists():
    cases = [
        (mnp.split([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (mnp.array_split([1, 2, 3], 2), [[1, 2], [3]]),
        (mnp.hsplit([[1, 2], [3, 4]], 2), [[[1], [3]], [[2], [4]]]),
        (mnp.meshgrid([1, 2], [3, 4, 5]), [[[1, 2]] * 3, [[3, 3], [4, 4], [5, 5]]]),
        (mnp.broadcast_arrays([1, 2], [[1], [2]]), [[[1, 2], [1, 2]], [[1, 1], [2, 2]]]),
        (mnp.unique([3, 1, 3], return_inverse=True), [[3, 1], [0, 1, 0]]),
        (mnp.atleast_1d(3, [1, 2]), [[3], [1, 2]]),
        (mnp.take_along_axis([[1, 2], [3, 4]], [[0], [1]], 1), [[1], [4]]),
    ]
    for got, wanted in cases:
        assert [x.tolist() for x in got] == wanted
        assert {str(x.dtype) for x in got} == {"Int32"}


def test_numbers_are_differentiated_beside_tensors():
    x = Tensor([1.0, 3.0])
    assert ms.grad(lambda x: mnp.dot([2, 5], x))(x).tolist() == [2, 5]
    assert ms.grad(lambda x: mnp.append(4, x).sum() + mnp.maximum([2, 2], x).sum())(x).tolist() == [
        1,
        2,
    ]
    assert mnp.add(Tensor([1.0], ms.float16), 1.5).dtype == ms.float16
    assert mnp.where([True, False], x, 0.5).dtype == ms.float32


def test_a_value_where_the_arguments_cannot_be():
    for call, error in [
        (lambda: mnp.expand_dims(Tensor(M), (0, 0)), "different places from -4 to 3"),
        (lambda: mnp.expand_dims(Tensor(M), 5), "different places from -3 to 2"),
        (lambda: mnp.cov(Tensor(M), fweights=[1, 2, 3]), "no fweights"),
        (lambda: mnp.take(Tensor(V), [0], mode="nearest"), '"clip", "wrap" or "raise"'),
        (lambda: mnp.pad(Tensor(V), 1, "mean"), "pad: mode must be one of constant, .* 'mean'"),
        (lambda: mnp.pad(Tensor(V), 1, stat_length=2), "pad: minigrad has no stat_length"),
        (lambda: mnp.meshgrid(V, V, sparse=True), "meshgrid: minigrad has sparse=False only"),
    ]:
        with pytest.raises(ValueError, match=error):
            call()
    with pytest.raises(IndexError, match="out of bounds"):
        mnp.take(Tensor(V), [4], mode="raise")
    with pytest.raises(TypeError, match="positional argument"):
        mnp.exp(1, 2, 3)


def test_nothing_of_the_engine_is_among_its_names():
    for name in mnp.__all__:
        thing = getattr(mnp, name)
        if callable(thing):
            assert thing.__module__ in ("minigrad.numpy", "minigrad.numpy_names"), name
            assert thing.__doc__, name
        else:
            assert thing is None or isinstance(thing, float), name
    assert {n for n in vars(mnp) if not n.startswith("_")} == set(mnp.__all__)
    assert mnp.unwrap([0.0, 4.0]).tolist() == pytest.approx([0.0, 4.0 - 2 * np.pi])


def test_every_function_is_called_here():
    public = {n for n in mnp.__all__ if callable(getattr(mnp, n))}
    called = {name for name, *_ in CALLS} | set(
        re.findall(r"mnp\.(\w+)\(", inspect.getsource(sys.modules[__name__]))
    )
    called |= {"argmax", "argmin", "rand", "randn", "randint"}  # the last three in test_random
    assert public <= called
