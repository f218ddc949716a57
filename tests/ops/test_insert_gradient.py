"""InsertGradientOf: a function in the way of a gradient."""

import pytest

from minigrad import Tensor, grad, ops


def value(fn, order=1, x=2.0):
    for _ in range(order):
        fn = grad(fn)
    return fn(Tensor([x])).asnumpy().tolist()


def test_the_function_takes_the_gradients_place():
    tenfold = ops.InsertGradientOf(lambda dx: dx * 10)
    assert tenfold(Tensor([3.0])).asnumpy().tolist() == [3.0]
    # x^2 x: the gradient of x^2 is x, made 10 x, and by 2 x; x^2 comes from the other factor.
    assert value(lambda x: tenfold(x * x) * x) == [84.0]


def test_what_the_function_does_is_differentiated_again():
    squared = ops.InsertGradientOf(lambda dx: dx * dx)
    # First order: x^2 + x^2 (2 x); second: 2 x + 6 x^2.
    assert value(lambda x: squared(x * x) * x) == [20.0]
    assert value(lambda x: squared(x * x) * x, order=2) == [28.0]


def test_what_it_is_given_is_checked():
    with pytest.raises(TypeError, match="needs a function of the gradient, but got 3"):
        ops.InsertGradientOf(3)
    with pytest.raises(ValueError, match=r"gradient of shape \(2,\)"):
        value(lambda x: ops.InsertGradientOf(lambda dx: Tensor([1.0, 2.0]))(x * x))
    with pytest.raises(TypeError, match="takes a Tensor, but got a float"):
        ops.InsertGradientOf(lambda dx: dx)(3.0)
