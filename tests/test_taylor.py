"""jet and derivative, against derivatives worked out by hand."""

import numpy as np
import pytest

from minigrad import Tensor, float64, grad, ops

X = Tensor(np.array([2.0, 1.0]))


def close(x, *wanted):
    np.testing.assert_allclose(x.asnumpy(), wanted, rtol=1e-6, atol=1e-7)


def test_derivative_of_every_order():
    x = X.asnumpy()
    for order, wanted in ((1, np.cos(x)), (2, -np.sin(x)), (3, -np.cos(x)), (4, np.sin(x))):
        value, found = ops.derivative(ops.sin, X, order)
        close(value, *np.sin(x))
        close(found, *wanted)


def test_all_inputs_of_derivative_grow_together():
    # f(2 + t, 1 + t) with f = x^2 y: t^3 + 5 t^2 + 8 t + 4.
    value, second = ops.derivative(lambda x, y: x * x * y, (X, Tensor(np.ones(2))), 2)
    assert value.asnumpy()[0] == 4
    assert second.asnumpy()[0] == 10
    (a, b), (da, db) = ops.derivative(lambda x, y: (x * x, y * y * y), (X, X), 2)
    close(a, 4, 1)
    close(b, 8, 1)
    close(da, 2, 2)
    close(db, 12, 6)


def test_jet_follows_a_curve():
    # x(t) = 2 + t + 3 t^2 / 2, so x' = 1, x'' = 3; sin(x)' = cos x, sin(x)'' = 3 cos x - sin x.
    series = Tensor(np.array([[1.0, 1.0], [3.0, 3.0]]))
    value, derivatives = ops.jet(ops.sin, X, series)
    x = X.asnumpy()
    close(value, *np.sin(x))
    close(derivatives[0], *np.cos(x))
    close(derivatives[1], *(3 * np.cos(x) - np.sin(x)))
    assert derivatives.dtype == float64


def test_jet_of_several_inputs_and_outputs():
    # x = 2 + t, y = 1 + t: x y = t^2 + 3 t + 2, and x^2 = t^2 + 4 t + 4.
    point = Tensor(np.array([2.0])), Tensor(np.array([1.0]))
    steps = Tensor(np.array([[1.0], [0.0], [0.0]]))
    values, series = ops.jet(lambda x, y: (x * y, x * x), point, (steps, steps))
    assert [v.asnumpy().tolist() for v in values] == [[2.0], [4.0]]
    assert [s.asnumpy().ravel().tolist() for s in series] == [[3.0, 2.0, 0.0], [4.0, 2.0, 0.0]]


def test_a_series_of_the_inputs_shape_is_the_first_derivative():
    _, first = ops.jet(lambda x: x * x, X, Tensor(np.array([1.0, 10.0])))
    assert first.asnumpy().tolist() == [[4.0, 20.0]]
    value, found = ops.jet(lambda x: x * x, Tensor(3.0), Tensor([1.0, 0.0]))
    assert (value.item(), found.asnumpy().tolist()) == (9.0, [6.0, 2.0])


def test_a_derivative_can_be_differentiated():
    fourth = grad(lambda x: ops.derivative(lambda y: y * y * y * y, x, 3)[1])(X)
    assert fourth.asnumpy().tolist() == [24.0, 24.0]


def test_inputs_keep_their_precision():
    value, found = ops.derivative(lambda x: x * x, Tensor(np.ones(1, np.float16)), 1)
    assert (str(value.dtype), str(found.dtype)) == ("Float16", "Float16")
    value, found = ops.derivative(lambda x, y: y * 1, (X, Tensor([1.0])), 1)
    assert (str(value.dtype), str(found.dtype)) == ("Float32", "Float32")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((X, 0), ValueError, "order must be 1 or more"),
        ((X, 1.0), TypeError, "order must be an int"),
        ((X, True), TypeError, "order must be an int"),
        ((2.0, 1), TypeError, "primals must be a Tensor or a tuple of Tensors, but got 2.0"),
    ],
)
def test_derivative_says_what_is_wrong(arguments, error, words):
    with pytest.raises(error, match=words):
        ops.derivative(ops.sin, *arguments)


@pytest.mark.parametrize(
    ("series", "error", "words"),
    [
        ([[1.0, 1.0]], TypeError, "series must be a Tensor"),
        (Tensor([[1.0]]), ValueError, r"shape \(2,\) has one more axis .* \(1, 1\)"),
        ((X, X), ValueError, "1 primals, but 2 series"),
    ],
)
def test_jet_says_what_is_wrong(series, error, words):
    with pytest.raises(error, match=words):
        ops.jet(ops.sin, X, series)


def test_jet_needs_series_of_one_length():
    with pytest.raises(ValueError, match=r"they hold \[1, 2\]"):
        ops.jet(ops.mul, (X, X), (Tensor(np.ones((1, 2))), Tensor(np.ones((2, 2)))))
