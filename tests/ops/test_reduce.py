"""Reductions against numpy, over every choice of axes; ties; what they refuse."""

import itertools

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor, grad, ops

X = np.random.default_rng(5).uniform(-2, 2, (2, 3, 4))
AXES = [None, 0, 1, 2, -1, -3, (0, 1), (-1, 0), (0, 1, 2), [2, 1]]


def numpys(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def logsumexp(x, axis, keepdims):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def length(x, axis, keepdims):
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


REDUCTIONS = {
    "sum": (ops.sum, np.sum),
    "mean": (ops.mean, np.mean),
    "prod": (ops.prod, np.prod),
    "amax": (ops.amax, np.max),
    "amin": (ops.amin, np.min),
    "var": (lambda x, axis, keepdims: ops.var(x, axis, keepdims=keepdims), np.var),
    "std": (lambda x, axis, keepdims: ops.std(x, axis, keepdims=keepdims), np.std),
    "norm": (lambda x, axis, keepdims: ops.norm(x, None, axis, keepdims), length),
    "logsumexp": (ops.logsumexp, logsumexp),
}


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_over_axes(name, axis, keepdims):
    ours, theirs = REDUCTIONS[name]
    wanted = theirs(X, axis=numpys(axis), keepdims=keepdims)
    got = ours(Tensor(X), axis, keepdims)
    assert got.dtype == ms.float64
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12, strict=True)
    check_grads(lambda x: ours(x, axis, keepdims), X, order=1)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_second_order(name):
    check_grads(lambda x: REDUCTIONS[name][0](x, (0, -1), True), X)


@pytest.mark.parametrize(("axis", "ddof"), [*itertools.product([None, 1, (0, 2)], [0, 1])])
def test_var_and_std_with_ddof(axis, ddof):
    for ours, theirs in ((ops.var, np.var), (ops.std, np.std)):
        got = ours(Tensor(X), axis, ddof).asnumpy()
        np.testing.assert_allclose(got, theirs(X, axis=axis, ddof=ddof), rtol=1e-12)
        check_grads(lambda x, ours=ours: ours(x, axis, ddof), X)


def test_along_one_axis():
    for axis in (0, 1, -1):
        for ours, theirs in ((ops.cumsum, np.cumsum), (ops.cumprod, np.cumprod)):
            np.testing.assert_allclose(ours(Tensor(X), axis).asnumpy(), theirs(X, axis), rtol=1e-12)
        for ours, theirs in ((ops.argmax, np.argmax), (ops.argmin, np.argmin)):
            np.testing.assert_array_equal(ours(Tensor(X), axis).asnumpy(), theirs(X, axis))
        for ours, theirs in ((ops.max, np.max), (ops.min, np.min)):
            values, indices = ours(Tensor(X), axis)
            np.testing.assert_array_equal(values.asnumpy(), theirs(X, axis))
            picked = np.take_along_axis(X, np.expand_dims(indices.asnumpy(), axis), axis)
            np.testing.assert_array_equal(picked.squeeze(axis), theirs(X, axis))
            check_grads(lambda x, ours=ours: ours(x, axis)[0], X)  # noqa: B023  # called at once


def test_one_number_may_be_reduced_along_axis_0():
    for op in (ops.sum, ops.amax, ops.logsumexp):
        for axis in (0, -1):
            value, slope = ms.value_and_grad(op)(Tensor(3.0), axis)
            assert value.asnumpy() == 3
            assert slope.asnumpy() == 1


def test_integers_and_truth_values():
    i, b = Tensor([[1, 2], [3, 4]]), Tensor([[True, False], [True, True]])
    assert ops.sum(i).dtype == ms.int64
    assert ops.sum(b).item() == 3
    assert ops.sum(b).dtype == ms.int64
    assert ops.prod(i, 1).tolist() == [2, 12]
    assert ops.mean(i).dtype == ms.float32
    assert ops.all(b, 1).tolist() == [False, True]
    assert ops.any(b, 0).tolist() == [True, True]
    assert ops.sum(i, dtype=ms.float64).dtype == ms.float64
    assert ops.argmin(i).dtype == ms.int32
    assert ops.argmax(i).dtype == ms.int64


def test_median_keeps_its_axis_if_asked():
    values, places = ops.median(Tensor([[5.0, 1.0, 2.0], [9.0, 7.0, 8.0]]), 1, True)
    assert (values.tolist(), places.tolist()) == ([[2], [8]], [[2], [2]])


def test_unique_consecutive_tells_the_run_of_each_entry():
    values, runs = ops.unique_consecutive(Tensor([[5, 5], [2, 5]]), return_inverse=True)
    assert (values.tolist(), runs.tolist()) == ([5, 2, 5], [[0, 0], [1, 2]])


def test_extremes_of_segments_of_truth_values():
    x, ids = Tensor([True, False, False]), Tensor([0, 0, 2])
    assert ops.unsorted_segment_max(x, ids, 3).tolist() == [True, False, False]
    assert ops.unsorted_segment_min(x, ids, 3).tolist() == [False, True, False]  # none: the most


def test_the_integral_along_another_axis_over_points_for_each_entry():
    y, points = np.array([[1.0, 4.0], [3.0, 0.0]]), np.array([[0.0, 1.0], [2.0, 4.0]])
    assert ops.trapz(Tensor(y), Tensor(points), dim=0).tolist() == [4, 6]


def test_ties_as_in_mindspore():
    x = Tensor([1.0, 3.0, 3.0])
    assert grad(ops.amax)(x).tolist() == [0, 0.5, 0.5]
    assert grad(lambda x: x.max())(x).tolist() == [0, 0.5, 0.5]
    assert grad(lambda x: ops.max(x, 0)[0])(x).tolist() == [0, 1, 0]
    assert grad(lambda x: x.max(axis=0))(x).tolist() == [0, 1, 0]
    assert grad(lambda x: ops.min(-x, 0)[0])(x).tolist() == [0, -1, 0]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ops.sum(x, 3), IndexError, "axis 3"),
        (lambda x: ops.sum(x, (0, 0)), ValueError, "duplicate|twice"),
        (lambda x: ops.prod(x, (1, -2)), ValueError, "twice"),
        (lambda x: ops.prod(x, 4), IndexError, "axis 4 is out of range"),
        (lambda x: ops.max(x, 0, initial=1.0), ValueError, "no initial"),
        (lambda x: x.max(where=x > 0), ValueError, "initial must say"),
        (lambda x: ops.norm(x, 1), ValueError, "needs dim"),
        (lambda x: ops.norm(x, "f", dim=(0, 1)), ValueError, "leave it out"),
        (lambda x: ops.norm(x, "f", dim=1), ValueError, "a number for vectors"),
        (lambda x: ops.cumsum(x, 3), IndexError, "axis 3"),
        (lambda x: ops.unique_consecutive(x, dim=1), ValueError, "unique_consecutive: .*dim=None"),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor(X))
