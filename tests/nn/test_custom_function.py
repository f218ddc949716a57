"""custom_bprop: a plain function with a gradient rule of its own, bound as that of a Cell."""

import inspect
import math
import warnings
from functools import partial

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, custom_bprop, grad, ops, value_and_grad
from minigrad.tape import record
from minigrad.tensor import Node, wrap

X, Y = Tensor([2.0]), Tensor([3.0])


def sine_bprop(x, out, dout):
    return (dout * ops.cos(x),)


@custom_bprop(sine_bprop)
def sine(x):
    """The sine, computed without minigrad."""
    return Tensor(np.array([math.sin(v) for v in np.asarray(x)]))


def test_a_function_may_leave_minigrad_and_is_right_to_third_order():
    fn, x = sine, np.array([0.3, 1.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sine(Tensor(x)).shape == (2,)
        for expected in (np.cos(x), -np.sin(x)):
            fn = grad(fn)
            np.testing.assert_allclose(fn(Tensor(x)).asnumpy(), expected, rtol=1e-12)


def test_it_keeps_its_name_its_text_and_its_signature():
    assert (sine.__name__, sine.__doc__) == ("sine", "The sine, computed without minigrad.")
    assert list(inspect.signature(sine).parameters) == ["x"]
    _, tape, _ = record(sine, [wrap(X.array, Node(X.array))], {})
    assert [entry[0].name for entry in tape] == ["sine"]


def test_its_rule_is_asked_in_a_gradient_call_alone():
    product = custom_bprop(lambda x, y, out, dout: 1 / 0)(lambda x, y: x * y)
    assert product(X, Y).item() == 6.0
    assert grad(lambda z: z * product(X, Y))(X).item() == 6.0


# The gradients are 10 and 100 times too large, so that a test sees where they come from.
def other_names(a, b, o, g):
    return g * b * 10, g * a * 100


def everything(*args):
    x, y, _, dout = args
    return dout * y * 10, dout * x * 100


RULES = [
    lambda x, y, out, dout: (dout * y * 10, dout * x * 100),
    lambda y, x, out, dout: (dout * x * 100, dout * y * 10),
    lambda x, out, dout, y=None: (dout * y * 10, dout * x * 100),
    lambda *, dout, y, out, x: (dout * x * 100, dout * y * 10),
    other_names,
    everything,
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "call",
    [lambda f, x, y: f(x, y), lambda f, x, y: f(x, y=y), lambda f, x, y: f(y=y, x=x)],
    ids=["positions", "mixed", "keywords"],
)
def test_arguments_are_bound_as_those_of_a_cell(rule, call):
    product = custom_bprop(rule)(lambda x, y=Y: x * y)
    dx, dy = grad(lambda x, y: call(product, x, y), (0, 1))(X, Y)
    assert (dx.item(), dy.item()) == (30.0, 200.0)
    assert grad(product)(X).item() == 30.0  # the default arrives


def test_arguments_that_are_no_tensors_and_several_outputs():
    @custom_bprop(lambda x, n, name, out, dout: ((dout[0] * n + dout[1]) * 10,))
    def both(x, n, *, name="a"):
        assert name in ("a", "b")
        return x * n, x

    assert grad(lambda x: both(x, 3, name="b"))(X).item() == 40.0
    assert grad(lambda x: both(x, 3)[0])(X).item() == 30.0


def test_a_parameter_is_an_input():
    scaled = custom_bprop(lambda x, w, out, dout: (dout * w, dout * x * 100))(lambda x, w: x * w)
    w = Parameter(Tensor([5.0]), name="w")
    value, (dx, (dw,)) = value_and_grad(lambda x: scaled(x, w), 0, [w])(X)
    assert (value.item(), dx.item(), dw.item()) == (10.0, 5.0, 200.0)
    mixed = grad(lambda x: grad(lambda x: scaled(x, w), None, w)(x))
    assert mixed(X).item() == 100.0


def test_a_parameter_that_is_no_input_is_warned_about():
    w = Parameter(Tensor([5.0]), name="w")
    scaled = custom_bprop(lambda x, out, dout: (dout * w,))(lambda x: x * w)
    with pytest.warns(UserWarning, match="no gradient flows through this multiply"):
        dx, (dw,) = grad(scaled, 0, [w])(X)
    assert (dx.item(), dw.item()) == (5.0, 0.0)


def test_it_may_be_a_method():
    class Holder:
        k = 5.0

        @custom_bprop(lambda self, x, out, dout: (dout * self.k * 10,))
        def scaled(self, x):
            return x * self.k

    assert grad(Holder().scaled)(X).item() == 50.0


def test_it_may_use_another_one_in_its_rule():
    @custom_bprop(lambda x, out, dout: (dout * sine(x) * 2,))
    def half(x):
        return x * 0

    x = Tensor(np.array([0.5]))
    assert grad(half)(x).item() == pytest.approx(2 * math.sin(0.5))
    assert grad(grad(half))(x).item() == pytest.approx(2 * math.cos(0.5))


@pytest.mark.parametrize(
    ("rule", "error", "words"),
    [
        (lambda x, out, dout: (dout, dout), ValueError, r"double\.bprop returned 2 gradients"),
        (lambda x, out, dout: Tensor([1.0, 2.0]), ValueError, r"shape \(2,\) for its input x"),
        (lambda x, out, dout: "a", TypeError, "a Tensor or None for its input x, .* a str"),
        (lambda dout: dout, TypeError, "must take the inputs of construct, then out and dout"),
        (lambda x, out, dout: (dout, {X: dout}), TypeError, "none of its Parameters"),
    ],
)
def test_a_wrong_rule_is_refused_by_name(rule, error, words):
    @custom_bprop(rule)
    def double(x):
        return x * 2

    with pytest.raises(error, match=words):
        grad(double)(X)


def test_check_bprop_holds_here_too():
    double = custom_bprop(lambda x, out, dout: dout * 2)(lambda x: x * 2)
    ms.set_context(check_bprop=True)
    try:
        with pytest.raises(TypeError, match=r"returned a Tensor, but check_bprop is on"):
            grad(double)(X)
    finally:
        ms.set_context(check_bprop=False)
    assert grad(double)(X).item() == 2.0


def test_the_decorator_needs_the_rule():
    with pytest.raises(TypeError, match=r"needs the rule, a function, but got a NoneType.*@custom"):
        custom_bprop(None)


def test_what_is_decorated_must_be_a_function():
    with pytest.raises(TypeError, match=r"stands above a function, but got 3"):
        custom_bprop(sine_bprop)(3)
    from_part = custom_bprop(lambda x, out, dout: (dout * 7,))(partial(ops.mul, Tensor([2.0])))
    assert grad(from_part)(Tensor([3.0])).asnumpy().tolist() == [7.0]
