"""Gradients of gradients: of any order, mixed, nested, through weights."""

import functools

import numpy as np
from check import lists, slope
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad import Tensor, grad, ops, value_and_grad

X = np.array([0.4, 0.9, 1.3])


def smooth(x):
    return ops.sin(x) * x * x + ops.exp(-x) / (x + 1.0)


def test_derivatives_of_every_order_agree_with_differences():
    first = grad(smooth)
    second = grad(lambda x: first(x))
    third = grad(second)
    for higher, lower in ((first, smooth), (second, first), (third, second)):
        np.testing.assert_allclose(higher(Tensor(X)).asnumpy(), slope(lower, X), rtol=1e-7)


def test_fifth_derivative_of_a_power_is_a_factorial():
    fn = functools.reduce(lambda f, _: grad(f), range(5), lambda x: x**5)
    assert fn(Tensor(2.0)).item() == 120.0


def test_a_mixed_derivative_is_the_same_in_either_order():
    def fn(x, y):
        return ops.sin(x * y) * y

    x, y = Tensor(X), Tensor(X + 0.5)
    one = grad(lambda y: grad(fn, 0)(x, y))(y)
    two = grad(lambda x: grad(fn, 1)(x, y))(x)
    np.testing.assert_allclose(one.asnumpy(), two.asnumpy(), rtol=1e-12)
    expected = slope(lambda y: grad(fn, 0)(x, y), X + 0.5)
    np.testing.assert_allclose(one.asnumpy(), expected, rtol=1e-7)


def test_inner_and_outer_calls_are_not_confused():
    one, two, three = Tensor(1.0), Tensor(2.0), Tensor(3.0)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(one).item() == 1.0
    assert grad(lambda x: x * grad(lambda y: x * y)(two))(three).item() == 6.0
    # d/dy (x y²) at y = x is 2 x², which depends on x in both ways: x · 2 x² = 2 x³
    assert grad(lambda x: x * grad(lambda y: x * y * y)(x))(two).item() == 24.0
    # an outer value through three levels: d³/dxdydz of x y z
    f = grad(lambda x: grad(lambda y: grad(lambda z: x * y * z)(two))(two))
    assert f(two).item() == 1.0


def test_an_inner_call_may_use_the_value_of_the_outer_ones_function():
    def fn(x):
        y = x * x
        value, dy = value_and_grad(lambda z: z * z * x)(y)  # x⁵, 2 x³
        return value + dy

    assert grad(fn)(Tensor(2.0)).item() == 5 * 16 + 6 * 4


def test_parameters_work_in_inner_and_in_outer_calls(p, q):
    x = Tensor([0.5, 2.0])

    def penalty():  # the gradient p q of (p x q) for x, squared
        return (grad(lambda x: (p * x * q).sum())(x) ** 2).sum()

    dp, dq = grad(penalty, None, [p, q])()
    assert lists(dp) == [2 * 1 * 9.0, 2 * 2 * 25.0]
    assert lists(dq) == [2 * 3 * 1.0, 2 * 5 * 4.0]
    inner_weights = grad(lambda: grad(lambda: (p * p * p).sum(), None, p)().sum(), None, p)
    assert lists(inner_weights()) == [6.0, 12.0]
    across = grad(lambda: grad(lambda: (p * p * q).sum(), None, p)().sum(), None, q)
    assert lists(across()) == [2.0, 4.0]
    by_input = grad(lambda x: grad(lambda: (p * p * x).sum(), None, p)().sum())
    assert lists(by_input(x)) == [2.0, 4.0]


def test_third_order_through_weights(p):
    first = lambda: grad(lambda: (p**4).sum(), None, p)().sum()  # noqa: E731  # one step, one line
    second = lambda: grad(first, None, p)().sum()  # noqa: E731  # one step, one line
    assert lists(grad(second, None, p)()) == [24.0, 48.0]


def test_a_jacobian_comes_from_one_row_at_a_time():
    def fn(x):
        return ops.tanh(x * x.sum())

    x = Tensor(X)
    rows = [grad(lambda x, i=i: fn(x)[i])(x).asnumpy() for i in range(3)]
    s = X.sum()
    u = 1 - np.tanh(X * s) ** 2
    np.testing.assert_allclose(rows, u[:, None] * (s * np.eye(3) + X[:, None]), rtol=1e-12)


def test_gradients_handed_out_inside_another_call_are_tensors_apart(p):
    def fn(x):
        da, db = grad(lambda a, b: a + b, (0, 1))(x, x)
        dp, again = grad(lambda: (p * x).sum(), None, [p, p])()
        da[0] = 7.0
        dp[0] = 7.0
        return ((db + again) * x).sum()

    # (1 + x) x, whatever was written into the other two
    assert lists(grad(fn)(Tensor([1.0, 2.0]))) == [3.0, 5.0]


STEPS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: ops.sin(a) * b,
    "divide": lambda a, b: a / (b * b + 1.0),
    "turn": lambda a, b: a[::-1] + b,
    "pick": lambda a, b: a[[0, 0, 2]] * ops.cos(b),
    "total": lambda a, b: a + ops.tanh(b.sum()),
    "square": lambda a, b: ops.tanh(a * a),
    "table": lambda a, b: (a.reshape(3, 1) * ops.sin(b)).mean(0),
    "exp": lambda a, b: ops.exp(-a * a) + b,
}


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(STEPS)), *[st.integers(0, 9)] * 2), min_size=1, max_size=7
    )
)
@settings(max_examples=40)
def test_any_program_agrees_with_differences_in_first_and_second_order(program):
    def fn(x, y):
        values = [x, y]
        for step, i, j in program:  # later values are likelier
            values.append(STEPS[step](values[-1 - i % len(values)], values[-1 - j % len(values)]))
        return sum(values)

    rng = np.random.default_rng(0)
    points, along = rng.uniform(-1, 1, (2, 3)), rng.uniform(-1, 1, (2, 3))

    def derivative(f):
        """The derivative of the sum of f along a direction, as a function again."""
        slopes = grad(f, (0, 1))
        return lambda *at: sum(
            (g * Tensor(v)).sum() for g, v in zip(slopes(*at), along, strict=True)
        )

    for f in (fn, derivative(fn)):
        ends = [f(*map(Tensor, points + h * along)).sum().item() for h in (1e-5, -1e-5)]
        got = derivative(f)(*map(Tensor, points)).item()
        np.testing.assert_allclose(got, (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-6)
