"""Corner: shapes. Broadcasting with axes of 1 and 0, 0-d with n-d, empty, repeated and odd axes.

What is expected is numpy's own value, and central differences of it.
"""

import numpy as np
import pytest

from minigrad import Tensor, grad, ops

STEP = 1e-6
PAIRS = [
    ((3, 1), (1, 4)), ((), (2, 3)), ((2, 3), ()), ((), ()), ((2, 1, 3), (4, 1)), ((1,), (5,)),
    ((1,), (0,)), ((0, 3), (1, 3)), ((0, 3), (3,)), ((1, 1), (2, 0, 1)), ((0,), ()), ((1, 1), ()),
]  # fmt: skip
IN_NUMPY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
    "maximum": np.maximum, "minimum": np.minimum, "atan2": np.arctan2, "hypot": np.hypot,
    "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2, "xlogy": lambda x, y: x * np.log(y),
    "fmod": np.fmod, "floor_mod": np.mod, "squared_difference": lambda x, y: (x - y) ** 2,
    "copysign": np.copysign,
    "where": lambda x, y: np.where(x > y, x, y), "lerp": lambda x, y: x + 0.25 * (y - x),
}  # fmt: skip
WRITTEN = {
    "where": lambda x, y: ops.where(x > y, x, y),
    "lerp": lambda x, y: ops.lerp(x, y, 0.25),
}


def differences(fn, arrays, position):
    """The gradient of the sum of fn, entry by entry."""
    out = np.zeros(arrays[position].shape)
    for entry in np.ndindex(out.shape):
        ends = []
        for sign in (1, -1):
            moved = [array.copy() for array in arrays]
            moved[position][entry] += sign * STEP
            ends.append(fn(*moved).sum())
        out[entry] = (ends[0] - ends[1]) / (2 * STEP)
    return out


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize("name", IN_NUMPY)
def test_an_op_of_two_broadcasts(name, shapes):
    rng = np.random.default_rng(len(name))
    x, y = (rng.uniform(0.5, 2.0, shape) for shape in shapes)
    op, in_numpy = WRITTEN.get(name) or getattr(ops, name), IN_NUMPY[name]
    out = op(Tensor(x), Tensor(y))
    assert out.shape == np.broadcast_shapes(*shapes)
    np.testing.assert_allclose(out.asnumpy(), in_numpy(x, y), rtol=1e-12)
    for position, got in enumerate(grad(op, (0, 1))(Tensor(x), Tensor(y))):
        assert got.shape == shapes[position]
        wanted = differences(in_numpy, [x, y], position)
        np.testing.assert_allclose(got.asnumpy(), wanted, atol=1e-7)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "logsumexp"])
def test_a_single_number_is_reduced_along_the_axis_that_it_does_not_have(name, axis):
    x = Tensor(np.float64(3.0))
    assert getattr(ops, name)(x, axis).tolist() == 3.0
    assert grad(lambda x: getattr(ops, name)(x, axis))(x).tolist() == 1.0
    assert grad(lambda x: getattr(ops, name)(x, axis, True))(x).tolist() == 1.0


@pytest.mark.parametrize("axis", [1, -2])
def test_and_along_no_other_axis(axis):
    for op in (ops.sum, ops.mean):
        with pytest.raises(IndexError, match=f"axis {axis} is out of bounds"):
            op(Tensor(3.0), axis)
    for op in (ops.prod, ops.var):
        with pytest.raises(IndexError, match=f"axis {axis} is out of range .* with 0 axes"):
            op(Tensor(3.0), axis)


def test_an_axis_may_be_a_number_of_numpy():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ops.sum(x, np.int64(1)).tolist() == [3.0, 7.0]
    assert grad(lambda x: ops.sum(x, np.int64(1)) ** 2)(x).tolist() == [[6.0, 6.0], [14.0, 14.0]]


MEANS = [(None, 24), (0, 2), (-1, 4), ((0, 2), 8), ((0, 1, 2), 24), ((-1, 0), 8), ((), 24)]


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(("axis", "count"), MEANS, ids=str)
def test_a_mean_divides_by_what_it_adds_up(axis, count, keep):
    """`axis=()` means all axes, as in MindSpore."""
    x = np.arange(24.0).reshape(2, 3, 4)
    axes = None if axis == () else axis
    got = ops.mean(Tensor(x), axis, keep)
    np.testing.assert_allclose(got.asnumpy(), x.mean(axes, keepdims=keep), rtol=1e-12)
    slopes = grad(lambda x: ops.mean(x, axis, keep))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(slopes, np.full(x.shape, 1 / count), rtol=1e-12)


@pytest.mark.parametrize("ddof", [0, 1, 2])
def test_a_variance_divides_by_what_it_adds_up(ddof):
    x = np.array([1.0, 2.0, 4.0, 9.0])
    got = ops.var(Tensor(x), ddof=ddof)
    np.testing.assert_allclose(got.asnumpy(), x.var(ddof=ddof), rtol=1e-12)
    slopes = grad(lambda x: ops.var(x, ddof=ddof))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(slopes, 2 * (x - 4) / (4 - ddof), rtol=1e-12)


@pytest.mark.parametrize(
    ("fn", "value"),
    [
        (lambda x: x.sum(), 0.0),
        (lambda x: x.prod(), 1.0),
        (lambda x: x.sum(0), np.zeros(3)),
        (lambda x: x.mean(1), np.zeros(0)),
        (lambda x: ops.logsumexp(x, 0), np.full(3, -np.inf)),
        (lambda x: ops.cumsum(x, 0), np.zeros((0, 3))),
        (lambda x: ops.softmax(x), np.zeros((0, 3))),
        (lambda x: x @ Tensor(np.ones((3, 2))), np.zeros((0, 2))),
        (lambda x: Tensor(np.ones((2, 0))) @ x, np.zeros((2, 3))),
    ],
)
def test_nothing_has_a_value_and_an_empty_gradient(fn, value):
    x = Tensor(np.zeros((0, 3)))
    assert fn(x).shape == np.shape(value)
    np.testing.assert_array_equal(fn(x).asnumpy(), value)
    assert grad(fn)(x).shape == (0, 3)


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


# An array without entries cannot be given a shape with -1 in it: numpy has nothing to count.
@pytest.mark.parametrize(
    ("fn", "inputs", "shapes"),
    [
        (lambda x: ops.max_pool2d(x, 2, return_indices=True), [(0, 1, 4, 4)], [(0, 1, 2, 2)] * 2),
        (lambda x: ops.max_pool2d(x, 2, return_indices=True), [(2, 0, 4, 4)], [(2, 0, 2, 2)] * 2),
        (lambda x: ops.adaptive_max_pool1d(x, 3), [(0, 2, 4)], [(0, 2, 3)]),
        (lambda x: ops.unfold(x, 2), [(0, 3, 3, 3)], [(0, 12, 4)]),
        (ops.searchsorted, [(2, 0), (2, 3)], [(2, 3)]),
        (ops.searchsorted, [(0, 4), (0, 3)], [(0, 3)]),
        (lambda x, y: ops.tensor_dot(x, y, ((1,), (0,))), [(2, 0, 3), (0, 4)], [(2, 3, 4)]),
        (ops.inner, [(3, 0), (2, 0)], [(3, 2)]),
        (ops.dot, [(2, 2, 0), (0, 3)], [(2, 2, 3)]),
        (ops.dense, [(2, 2, 0), (3, 0)], [(2, 2, 3)]),
        (ops.cross_entropy, [(3, 0), (3, 0)], [()]),
        (lambda x, y: ops.cross_entropy(x, y, reduction="none"), [(3, 0), (3, 0)], [(3,)]),
        (ops.cov, [(0, 4)], [(0, 0)]),
        (ops.cov, [(1, 4)], [()]),
    ],
)
def test_nothing_keeps_its_shape(fn, inputs, shapes):
    def outputs(*xs):
        out = fn(*xs)
        return out if isinstance(out, tuple) else (out,)

    given = [zeros(*shape) for shape in inputs]
    assert [x.shape for x in outputs(*given)] == shapes
    if ops.is_floating_point(outputs(*given)[0]):
        assert grad(lambda *xs: outputs(*xs)[0].sum())(*given).shape == inputs[0]


@pytest.mark.parametrize("fn", [lambda x: x.max(), lambda x: ops.amax(x, 0), ops.argmax])
def test_the_largest_of_nothing_is_an_error(fn):
    with pytest.raises(ValueError, match=r"(?i)empty|zero-size|no "):
        fn(Tensor(np.zeros((0, 3))))


@pytest.mark.parametrize(
    ("fn", "error", "words"),
    [
        (lambda x: x.sum((0, 0)), ValueError, r"sum: .*duplicate.*shape \(2, 3\)"),
        (lambda x: x.mean((0, -2)), ValueError, r"mean: .*duplicate.*shape \(2, 3\)"),
        (lambda x: ops.amax(x, (1, 1)), ValueError, r"amax: .*duplicate.*shape \(2, 3\)"),
        (lambda x: ops.transpose(x, (0, 0)), ValueError, r"transpose: .*repeated"),
        (lambda x: x.sum(2), IndexError, r"sum: axis 2 is out of bounds.*shape \(2, 3\)"),
        (lambda x: ops.softmax(x, -3), IndexError, r"softmax: axis -3 is out of bounds"),
        (lambda x: x + Tensor([1.0, 2.0]), ValueError, r"add: .*\(2, ?3\).*\(2,\)"),
    ],
)
def test_axes_and_shapes_that_cannot_be_are_named(fn, error, words):
    with pytest.raises(error, match=words):
        fn(Tensor(np.ones((2, 3))))
