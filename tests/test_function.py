"""Function and custom_vjp: a function with a rule of its own. Values by hand."""

import numpy as np
import pytest

from minigrad import Tensor, grad, jit, nn, ops, vjp
from minigrad.function import Function, custom_vjp

every = ops.GradOperation(get_all=True)


def numbers(grads):
    return tuple(g.asnumpy().tolist() for g in grads)


def function(forward, backward):
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (Function,), methods).apply


X, Y = Tensor([2.0, 2.0]), Tensor([3.0, 3.0])


def test_backward_is_the_rule():
    fn = function(lambda ctx, x, y: x * x + y, lambda ctx, g: (g * 3, g * 4))
    assert fn(X, Y).asnumpy().tolist() == [7.0, 7.0]
    assert numbers(every(fn)(X, Y)) == ([3.0, 3.0], [4.0, 4.0])


def test_it_gets_a_gradient_for_each_output_and_none_for_a_number():
    seen = []

    def backward(ctx, *grads):
        seen.append(grads[1])
        return grads[0] * 3, grads[2] * 4

    fn = function(lambda ctx, x, y: (x + y, 4, x * 1), backward)
    a, four, b = fn(X, Y)
    assert (a.asnumpy().tolist(), four, b.asnumpy().tolist()) == ([5.0, 5.0], 4, [2.0, 2.0])
    assert numbers(every(fn)(X, Y)) == ([3.0, 3.0], [4.0, 4.0])
    assert seen == [None]


def test_an_output_that_nobody_uses_has_zeros_for_a_gradient():
    fn = function(lambda ctx, x: (x + 1, x * x), lambda ctx, g, h: g + h + 2)
    assert numbers(every(lambda x: fn(x)[0])(X)) == ([3.0, 3.0],)


def test_the_context_carries_what_was_saved_and_attributes():
    def forward(ctx, x):
        ctx.age, square = 7, x * x
        ctx.save_for_backward(x, square, "a")
        return square + 1

    def backward(ctx, g):
        x, square, name = ctx.saved_tensors
        assert (ctx.age, name) == (7, "a")
        return g * x + square

    assert numbers(every(function(forward, backward))(X)) == ([6.0, 6.0],)


def test_a_saved_input_or_output_has_gradients_of_second_order():
    def forward(ctx, x):
        out = Tensor(np.exp(x.asnumpy()))
        ctx.save_for_backward(x, out)
        return out

    def backward(ctx, g):
        _, out = ctx.saved_tensors
        return g * out

    exp = function(forward, backward)
    third = grad(grad(grad(lambda x: exp(x * 2))))(Tensor([0.5]))
    np.testing.assert_allclose(third.asnumpy(), [8 * np.e], rtol=1e-6)


def test_the_context_knows_which_inputs_want_a_gradient():
    wanted = []

    def forward(ctx, x, n):
        wanted.append(ctx.needs_input_grad)
        return x * n

    fn = function(forward, lambda ctx, g: (g * 5, None))
    assert numbers(every(fn)(X, 3)) == ([5.0, 5.0],)
    fn(X, 3)
    assert wanted == [(True, False), (False, False)]


def test_an_output_may_be_an_input_or_have_no_gradient():
    same = function(lambda ctx, x: x, lambda ctx, g: g * 2)
    assert numbers(every(lambda y: same(ops.split(y, 1)[1]))(X)) == ([0.0, 2.0],)

    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x

    assert numbers(every(function(forward, lambda ctx, g: g))(X)) == ([0.0, 0.0],)


def test_an_output_that_nobody_uses_has_none_if_zeros_are_not_asked_for():
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, 5, x * x

    def backward(ctx, *grads):
        seen.append([g is None for g in grads])
        return sum(g * k for g, k in zip(grads, (3, None, 7), strict=True) if g is not None)

    fn = function(forward, backward)
    assert numbers(every(lambda x: fn(x)[0])(X)) == ([3.0, 3.0],)
    assert numbers(every(lambda x: fn(x)[2])(X)) == ([7.0, 7.0],)
    assert numbers(every(lambda x: fn(x)[0] * fn(x)[2])(X)) == ([33.0, 33.0],)  # 4 * 3 + 3 * 7
    first, last = [False, True, True], [True, True, False]
    assert seen == [first, last, last, first]  # of the two calls the second comes first
    _, pull = vjp(fn, X)
    assert numbers(pull((Tensor([1.0, 1.0]), 0, Tensor([0.0, 0.0])))) == ([3.0, 3.0],)
    assert numbers(every(lambda x: grad(lambda x: fn(x)[2])(x))(X)) == ([0.0, 0.0],)
    with pytest.raises(RuntimeError, match="set_materialize_grads takes True or False, but got 1"):
        function(lambda ctx, x: ctx.set_materialize_grads(1), backward)(X)


def test_a_default_of_forward_may_have_none_for_a_gradient():
    fn = function(lambda ctx, x, k=3.0: x * k, lambda ctx, g: (g * 5, None))
    assert numbers(every(fn)(X)) == numbers(every(fn)(X, 3.0)) == ([5.0, 5.0],)
    fn = function(lambda ctx, x, k=3.0: x * k, lambda ctx, g: (g * 5, g))
    with pytest.raises(ValueError, match=r"Made\.backward returned 2 gradients, but has 1 input"):
        every(fn)(X)


def test_a_bare_gradient_is_one_with_jit_too():
    fn = function(lambda ctx, x: x * 1, lambda ctx, g: g * 5)
    assert jit(lambda x: grad(fn)(x))(X).asnumpy().tolist() == [5.0, 5.0]


@pytest.mark.parametrize("out", [None, 3.0, (), np.ones(2), "words", (1, 2)])
def test_what_has_no_tensor_is_returned_as_it_is_but_not_in_a_gradient_call(out):
    fn = function(lambda ctx, x: out, lambda ctx, *g: X)
    assert fn(X) is out or fn(X) == out
    with pytest.raises(TypeError, match=r"Made\.forward must return a Tensor"):
        grad(lambda x: (fn(x), x * 1)[1])(X)


@pytest.mark.parametrize("out", [lambda x: {"a": x * 2}, lambda x: (x * 2, [x * 3])])
def test_tensors_inside_of_other_things_are_refused(out):
    fn = function(lambda ctx, x: out(x), lambda ctx, *g: g[0])
    with pytest.raises(TypeError, match=r"forward must return .* is a (dict|list) of them: return"):
        fn(X)


def test_a_number_has_no_gradient():
    fn = function(lambda ctx, x, n: x * n, lambda ctx, g: (g, g))
    with pytest.raises(
        RuntimeError, match=r"Made\.backward .* for inputs\[1\], which is 3 and no Tensor"
    ):
        every(fn)(X, 3)


def test_forward_may_write_into_an_input_that_has_no_gradient():
    def forward(ctx, x, y):
        x[0] = 9.0
        ctx.mark_dirty(x)
        return x + y

    fn = function(forward, lambda ctx, g: (g, g * 5))

    def on_a_constant(y):
        x = Tensor([1.0, 1.0])
        return fn(x, y) * x

    assert numbers(every(on_a_constant)(Y)) == ([45.0, 5.0],)
    with pytest.raises(TypeError, match=r"Made\.forward writes into its input .* x\.copy\(\)"):
        every(fn)(X, Y)
    with pytest.raises(RuntimeError, match=r"mark_dirty takes .* but got a float: 1\.0"):
        function(lambda ctx, x: ctx.mark_dirty(1.0), None)(X)


def test_what_is_missing_or_wrong_is_said():
    with pytest.raises(NotImplementedError, match="def forward"):
        Function.apply(X)
    fn = function(lambda ctx, x, y: x + y, lambda ctx, g: g)
    with pytest.raises(ValueError, match=r"Made\.backward returned 1 gradient, but has 2 inputs"):
        every(fn)(X, Y)
    fn = function(lambda ctx, x: x * 2, lambda ctx, g: None)
    with pytest.raises(TypeError, match=r"Made\.backward returned None"):
        grad(fn)(X)
    fn = function(lambda ctx, x, y: x + y, lambda ctx, g: (g, g.sum()))
    with pytest.raises(ValueError, match=r"Made\.backward returned a gradient of shape \(\)"):
        every(fn)(X, Y)
    fn = function(lambda ctx, x: ctx.mark_non_differentiable(x, 1.0), lambda ctx, g: g)
    with pytest.raises(RuntimeError, match=r"outputs that are Tensors, but got a float: 1\.0"):
        every(fn)(X)
    with pytest.raises(NotImplementedError, match="def backward"):
        grad(type("Half", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}).apply)(X)


def test_custom_vjp_is_given_its_rule_later():
    @custom_vjp
    def fn(x, y):
        """Doubles."""
        return 2 * x + y

    assert (fn.__name__, fn.__doc__) == ("fn", "Doubles.")
    assert numbers(every(fn)(X, Y)) == ([2.0, 2.0], [1.0, 1.0])
    fn.defbwd(lambda x, y, out, dout: (2 * dout, 2 * y))
    assert numbers(every(fn)(X, Y)) == ([2.0, 2.0], [6.0, 6.0])
    inside = jit(lambda x, y: fn(x, y) + x + 2 * y)
    assert numbers(vjp(inside, X, Y)[1](Tensor([1.0, 1.0]))) == ([3.0, 3.0], [8.0, 8.0])
    with pytest.raises(TypeError, match="custom_vjp decorates a function"):
        custom_vjp(3)


def test_custom_vjp_inside_a_cell():
    @custom_vjp
    def fn(x):
        return ops.relu(x)

    class Net(nn.Cell):
        def construct(self, x):
            return fn(x) * 10

    fn.defbwd(lambda x, out, dout: (5 * x * dout,))
    assert numbers(every(Net())(X)) == ([100.0, 100.0],)
