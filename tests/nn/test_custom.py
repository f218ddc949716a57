"""Cells with a bprop: what it may do and return, to any order, and what is refused."""

import math
import warnings

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, check, grad, nn, ops, value_and_grad
from minigrad.tape import record
from minigrad.tensor import Node, wrap
from minigrad.transform import vjp

X, Y = Tensor([2.0]), Tensor([3.0])


def cell(construct, bprop):
    """An instance of a Cell with these two methods."""
    return type("Custom", (nn.Cell,), {"construct": construct, "bprop": bprop})()


def product(self, x, y):
    return x * y


# --- what bprop gets
@pytest.mark.parametrize(
    ("used", "seen"),
    [([0], "x"), ((1, 2), "y out"), ([2], "out"), ([3], ""), ([], "x y out")],
)
def test_what_bprop_does_not_use_it_gets_as_none(used, seen):
    got = {}

    def bprop(self, x, y, out, dout):
        got.update({"x": x, "y": y, "out": out})
        return dout * 5, dout * 7

    custom = cell(product, bprop)
    custom.used_bprop_inputs = used
    dx, dy = grad(custom, (0, 1))(X, y=Y)
    assert (dx.asnumpy().tolist(), dy.asnumpy().tolist()) == ([5.0], [7.0])
    assert " ".join(name for name, x in got.items() if x is not None) == seen


@pytest.mark.parametrize("used", ["x", None, [0.5]])
def test_used_bprop_inputs_are_places(used):
    custom = cell(product, lambda self, x, y, out, dout: (dout, dout))
    custom.used_bprop_inputs = used
    with pytest.raises(RuntimeError, match=r"Custom\.used_bprop_inputs must be a list of whole"):
        grad(custom)(X, Y)


# --- outputs
def test_several_outputs_have_a_tuple_of_gradients():
    def bprop(self, x, y, out, dout):
        a, b = dout
        assert (type(out), type(dout)) == (tuple, tuple)
        return a * ops.cos(x) * y + b * y, a * ops.sin(x) + b * x

    custom = cell(lambda self, x, y: (ops.sin(x) * y, x * y), bprop)

    def plain(x, y):
        return ops.sin(x) * y, x * y

    x, y = Tensor(np.array([0.5, 1.0])), Tensor(np.array([2.0, 3.0]))
    for use in (lambda out: out[0] * out[1], lambda out: out[1], lambda out: out):
        expected = grad(lambda x, y, use=use: use(plain(x, y)), (0, 1))(x, y)
        got = grad(lambda x, y, use=use: use(custom(x, y)), (0, 1))(x, y)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-12)
        second = [
            grad(lambda x, use=use, f=f: grad(lambda x: use(f(x, y)))(x))(x).asnumpy()
            for f in (custom, plain)
        ]
        np.testing.assert_allclose(second[0], second[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("out", "kind"),
    [
        (lambda x: 3.0, "float"),
        (lambda x: {}, "dict"),
        (lambda x: None, "None"),
        (lambda x: (x * 2, np.ones(2)), r"construct\(\)\[1\] is a ndarray"),
    ],
)
def test_construct_must_return_tensors(out, kind):
    custom = cell(lambda self, x: out(x), lambda self, x, out, dout: dout)
    with pytest.raises(TypeError, match=rf"Custom\.construct must return a Tensor.*{kind}"):
        grad(lambda x: (custom(x), x)[1])(X)


def test_construct_may_return_its_input():
    custom = cell(lambda self, x: x, lambda self, x, out, dout: dout * 5)
    assert grad(lambda x: custom(x) + x)(X).item() == 6.0


# --- construct and bprop may do what they like
def test_construct_may_leave_minigrad():
    def construct(self, x):
        return Tensor(np.array([math.sin(v) for v in np.asarray(x)], np.float32))

    custom = cell(construct, lambda self, x, out, dout: dout * ops.cos(x))
    x = Tensor([0.5, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert custom(x).shape == (2,)
        np.testing.assert_allclose(grad(custom)(x).tolist(), np.cos([0.5, 1.0]), rtol=1e-6)
        second = grad(grad(custom))(x)
    np.testing.assert_allclose(second.tolist(), -np.sin([0.5, 1.0]), rtol=1e-6)


def test_construct_runs_once_and_is_not_recorded():
    runs = []

    def construct(self, x):
        runs.append(len(runs))
        for _ in range(5):
            x = x * x
        return x

    custom = cell(construct, lambda self, x, out, dout: dout)
    _, tape, _ = record(custom, [wrap(X.array, Node(X.array))], {})
    assert [entry[0].name for entry in tape] == ["Custom"]
    assert runs == [0]


def test_without_a_gradient_call_bprop_is_not_asked():
    custom = cell(product, lambda self, x, y, out, dout: 1 / 0)
    assert custom(X, Y).item() == 6.0
    assert grad(lambda z: z * custom(X, Y))(Tensor([1.0])).item() == 6.0
    assert grad(lambda x: ops.stop_gradient(custom(x, Y)) * x)(X).item() == 6.0


def test_bprop_may_call_grad():
    def bprop(self, x, out, dout):
        return dout * grad(lambda x: x * x * x)(x)

    custom = cell(lambda self, x: x * x * x, bprop)
    assert grad(custom)(X).item() == 12.0
    assert grad(grad(custom))(X).item() == 12.0
    assert grad(grad(grad(custom)))(X).item() == 6.0


def test_a_bprop_is_differentiated_to_third_order():
    custom = cell(lambda self, x: ops.sin(x), lambda self, x, out, dout: dout * ops.cos(x))
    fn = custom
    x = np.array([0.3, 1.1])
    for expected in (np.cos(x), -np.sin(x), -np.cos(x)):
        fn = grad(fn)
        np.testing.assert_allclose(fn(Tensor(x)).asnumpy(), expected, rtol=1e-12)


def test_a_write_after_the_call_does_not_reach_bprop():
    cube = cell(lambda self, x: x * x * x, lambda self, x, out, dout: dout * 3 * x * x)

    def fn(x):
        a = x * 1
        y = cube(a)
        a[0] = 100.0
        return y + a

    assert grad(fn)(X).item() == 12.0
    assert grad(grad(fn))(X).item() == 12.0
    assert grad(grad(grad(fn)))(X).item() == 6.0


def test_a_write_in_bprop_reaches_nobody_else():
    def bprop(self, x, out, dout):
        x[0] = x[0] * 10
        dout[1] = 0.0
        return dout * 2 * x

    square = cell(lambda self, x: x * x, bprop)
    x = Tensor([2.0, 3.0])

    def twice(x):  # each time (20 x0 + 1, 1)
        _, pull = vjp(lambda x: square(x) + x, x)
        return pull(Tensor([1.0, 1.0]))[0] + pull(Tensor([1.0, 1.0]))[0]

    assert twice(x).tolist() == [82.0, 2.0]
    assert grad(twice)(x).tolist() == [40.0, 0.0]
    assert grad(lambda y: twice(x) * y)(x).tolist() == [82.0, 2.0]
    assert grad(lambda y: twice(y) * y)(x).tolist() == [82.0 + 80.0, 2.0]


def test_out_may_be_used_in_bprop_to_third_order():
    custom = cell(lambda self, x: ops.exp(x), lambda self, x, out, dout: dout * out)
    fn = custom
    for _ in range(3):
        fn = grad(fn)
        np.testing.assert_allclose(fn(Tensor(np.array([0.5]))).asnumpy(), np.exp([0.5]), rtol=1e-12)


def test_of_nested_cells_with_bprop_the_outer_one_decides():
    inner = cell(lambda self, x: x * 2, lambda self, x, out, dout: dout * 1000)
    outer = cell(lambda self, x: inner(x) * 3, lambda self, x, out, dout: dout * 6)
    assert grad(outer)(X).item() == 6.0
    around = type("Around", (nn.Cell,), {"construct": lambda self, x: inner(x) * 3})()
    assert grad(around)(X).item() == 3000.0


def test_a_bprop_that_uses_another_cell_with_bprop_differentiates_both():
    cosine = cell(lambda self, x: ops.cos(x), lambda self, x, out, dout: dout * -ops.sin(x) * 10)
    sine = cell(lambda self, x: ops.sin(x), lambda self, x, out, dout: dout * cosine(x))
    assert grad(sine)(Tensor(np.array(0.5))).item() == pytest.approx(math.cos(0.5))
    assert grad(grad(sine))(Tensor(np.array(0.5))).item() == pytest.approx(-math.sin(0.5) * 10)


class Inner(nn.Cell):
    """w x, with a rule that is ten times too large for both, so that a test sees it."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w * 10,), {self.w: dout * x * 10}


class Outer(nn.Cell):
    """2 w x^2, whose rule differentiates the Cell with a rule inside it."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) * x * 2

    def bprop(self, x, out, dout):
        dx, dw = grad(lambda x: self.inner(x) * x * 2 * dout, 0, weights=self.inner.w)(x)
        return (dx,), {self.inner.w: dw}


def test_a_cell_with_bprop_inside_a_cell_with_bprop_to_third_order():
    net = Outer()
    w = net.inner.w
    # The inner rule gives 10 w for x: 2 w x + 10 w 2 x = 22 w x, and 20 x^2 for w.
    dx, (dw,) = grad(net, 0, weights=[w])(X)
    assert (dx.item(), dw.item()) == (22 * 5 * 2, 20 * 4)
    assert w.name == "inner.w"
    # 22 w x is 2 (w x), where the inner rule counts ten times, and 20 w x, plain.
    assert grad(grad(net))(X).item() == 2 * 10 * 5 + 20 * 5
    assert grad(lambda x: grad(net)(x), None, weights=w)(X).item() == 2 * 10 * 2 + 20 * 2
    assert grad(lambda x: grad(net, None, weights=w)(x))(X).item() == 40 * 2
    assert grad(grad(lambda x: grad(net, None, weights=w)(x)))(X).item() == 40
    assert grad(grad(grad(net)))(X).item() == 0.0


def test_bprop_may_differentiate_its_own_construct():
    class Own(nn.Cell):
        def construct(self, x, k=3.0):
            return x * x * x * k

        def bprop(self, x, k, out, dout):
            return grad(lambda x: self.construct(x, k) * dout)(x), None

    fn, found = Own(), []
    for _ in range(3):
        fn = grad(fn)
        found.append(fn(X).item())
    assert found == [3 * 3 * 4, 3 * 6 * 2, 3 * 6]
    assert grad(Own())(X, k=5.0).item() == 5 * 3 * 4


def test_outputs_of_a_list_stay_a_list_and_whole_numbers_among_them_have_none():
    seen = []

    def bprop(self, x, out, dout):
        seen.append([type(out), type(dout), dout[1].tolist(), dout[1].dtype])
        return dout[0] * 20

    custom = cell(lambda self, x: [x * 2, x.argmax()], bprop)

    def fn(x):
        a, place = custom(x)
        assert place.shape == ()
        return a.sum()

    assert grad(fn)(Tensor([1.0, 3.0])).tolist() == [20.0, 20.0]
    assert seen == [[tuple, tuple, 0, ms.int64]]


def test_a_straight_through_gradient_can_be_written():
    through = cell(lambda self, x: ops.round(x), lambda self, x, out, dout: dout)
    assert grad(lambda x: through(x) * x)(Tensor([1.6])).item() == pytest.approx(1.6 + 2.0)


# --- what bprop returns
@pytest.mark.parametrize(
    "returned",
    [
        lambda dout: dout,
        lambda dout: (dout,),
        lambda dout: [dout],
        lambda dout: dout.asnumpy(),
        lambda dout: dout.astype(ms.float64),
        lambda dout: dout.astype(ms.float16),
    ],
)
def test_one_gradient_may_come_bare_in_a_tuple_as_an_array_or_in_another_dtype(returned):
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: returned(dout * 3))
    dx = grad(custom)(X)
    assert (dx.dtype, dx.tolist()) == (ms.float32, [3.0])


def test_a_number_is_a_gradient_for_a_scalar():
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: 3)
    assert grad(custom)(Tensor(2.0)).item() == 3.0


def test_none_stands_for_zeros():
    custom = cell(product, lambda self, x, y, out, dout: (None, dout * x))
    dx, dy = grad(custom, (0, 1))(X, Y)
    assert (dx.tolist(), dy.tolist()) == ([0.0], [2.0])
    alone = cell(lambda self, x: x * 1, lambda self, x, out, dout: (None,))
    assert grad(alone)(X).tolist() == [0.0]


@pytest.mark.parametrize("count", [1, 3])
def test_a_wrong_number_of_gradients_lists_the_inputs(count):
    custom = cell(product, lambda self, x, y, out, dout: (dout,) * count)
    words = rf"Custom\.bprop returned {count} gradients?, but has 2 inputs \(x, y\)"
    with pytest.raises(ValueError, match=words):
        grad(custom, (0, 1))(X, Y)


@pytest.mark.parametrize("order", [1, 2])
def test_a_gradient_of_the_wrong_shape_names_the_input_and_both_shapes(order):
    custom = cell(product, lambda self, y, x, out, dout: (dout * x, Tensor([1.0, 2.0])))
    fn = custom if order == 1 else lambda x, y: grad(custom)(x, y)
    words = r"Custom\.bprop returned a gradient of shape \(2,\) for its input x, .* shape \(1,\)"
    with pytest.raises(ValueError, match=words):
        grad(fn)(X, Y)


def test_a_gradient_that_would_broadcast_is_refused_too():
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: dout.sum())
    with pytest.raises(ValueError, match=r"shape \(\) for its input x, which has shape \(1,\)"):
        grad(custom)(X)


@pytest.mark.parametrize(("returned", "kind"), [("a", "str"), ({}, "dict"), (True, "bool")])
def test_a_gradient_that_is_no_tensor_is_refused(returned, kind):
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: (returned,))
    with pytest.raises(TypeError, match=rf"Tensor or None for its input x, but returned a {kind}"):
        grad(custom)(X)


@pytest.mark.parametrize(
    ("returned", "kind"), [(lambda dx: dx, "Tensor"), (lambda dx: [dx], "list")]
)
def test_check_bprop_demands_a_tuple(returned, kind):
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: returned(dout))
    right = cell(lambda self, x: x * 1, lambda self, x, out, dout: (dout * 7,))
    ms.set_context(check_bprop=True)
    try:
        with pytest.raises(TypeError, match=rf"Custom\.bprop returned a {kind}.*\(dx,\)"):
            grad(custom)(X)
        assert grad(right)(X).item() == 7.0
        net = Scaled()
        assert grad(net, None, net.w)(X).item() == 200.0
    finally:
        ms.set_context(check_bprop=False)
    assert grad(custom)(X).item() == 1.0


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (lambda dx: (dx, dx), TypeError, "returned 2 gradients, but has 1 input"),
        (lambda dx: (1.0,), TypeError, "a Tensor or None for its input x, but returned a float"),
        (lambda dx: (dx.asnumpy(),), TypeError, "but returned a ndarray"),
        (lambda dx: (dx.astype(ms.float64),), TypeError, "of Float64 for its input x, .*Float32"),
        (lambda dx: (dx.sum(),), ValueError, r"of shape \(\) for its input x"),
    ],
    ids=["too many", "number", "array", "dtype", "shape"],
)
def test_check_bprop_demands_a_tensor_alike_for_each_input(returned, error, words):
    """The classes are MindSpore's; without the setting, numbers and dtypes are converted."""
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: returned(dout))
    ms.set_context(check_bprop=True)
    try:
        with pytest.raises(error, match=rf"Custom\.bprop .*{words}"):
            grad(custom)(X)
    finally:
        ms.set_context(check_bprop=False)


@pytest.mark.parametrize("returned", [(), {"x": 1.0}, "ab", ((1.0,),), object()])
def test_what_is_no_gradient_at_all_is_refused(returned):
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: returned)
    with pytest.raises((TypeError, ValueError), match=r"Custom\.bprop .*(input x|1 input \(x\))"):
        grad(custom)(X)


def test_a_bprop_that_fails_shows_its_own_error():
    custom = cell(lambda self, x: x * 1, lambda self, x, out, dout: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        grad(custom)(X)
    assert grad(lambda x: x * x)(X).item() == 4.0


# --- Parameters
class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout * x * 100}


def test_bprop_may_give_the_gradients_of_parameters():
    net = Scaled()
    dx, (dw,) = grad(net, 0, weights=net.trainable_params())(X)
    assert (dx.item(), dw.item()) == (5.0, 200.0)
    assert grad(net, None, weights=net.w)(X).item() == 200.0
    assert grad(net)(X).item() == 5.0


def test_construct_may_read_a_parameter_in_numpy():
    class InNumpy(Scaled):
        def construct(self, x):
            return Tensor(x.asnumpy() * self.w.asnumpy())

    net = InNumpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, (dx, (dw,)) = value_and_grad(net, 0, weights=net.trainable_params())(X)
    assert (value.item(), dx.item(), dw.item()) == (10.0, 5.0, 200.0)


def test_gradients_of_parameters_from_bprop_go_on_to_second_order():
    net = Scaled()
    assert grad(lambda x: grad(net, None, weights=net.w)(x))(X).item() == 100.0
    assert grad(lambda x: grad(net)(x), None, weights=net.w)(X).item() == 1.0


def test_a_parameter_gets_the_gradients_of_all_calls():
    net = Scaled()
    assert grad(lambda x: net(x) + net(x * 2) + net.w, None, net.w)(X).item() == 200 + 400 + 1


def test_a_parameter_left_out_is_named_in_a_warning():
    class Forgets(Scaled):
        def bprop(self, x, out, dout):
            return dout * self.w

    net = Forgets()
    with pytest.warns(UserWarning, match=r"Forgets\.bprop gives no gradient for its Parameter w"):
        dx, (dw,) = grad(net, 0, weights=net.trainable_params())(X)
    assert (dx.item(), dw.item()) == (5.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(net)(X).item() == 5.0  # nobody asks for it


def test_none_for_a_parameter_says_that_it_has_no_gradient():
    class Declines(Scaled):
        def bprop(self, x, out, dout):
            return (dout * self.w,), {self.w: None}

    net = Declines()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(net, None, net.w)(X).tolist() == [0.0]


@pytest.mark.parametrize("key", ["w", Parameter(Tensor([5.0]), name="w")], ids=["name", "stranger"])
def test_a_gradient_for_what_is_no_parameter_of_the_cell_is_refused(key):
    class Wrong(Scaled):
        def bprop(self, x, out, dout):
            return (dout * self.w,), {key: dout}

    net = Wrong()
    with pytest.raises(TypeError, match=r"Wrong\.bprop .*none of its Parameters.*self\.w: dw"):
        grad(net, 0, weights=net.trainable_params())(X)


def test_a_gradient_of_the_wrong_shape_names_the_parameter():
    class Wrong(Scaled):
        def bprop(self, x, out, dout):
            return (dout * self.w,), {self.w: Tensor([1.0, 2.0])}

    net = Wrong()
    with pytest.raises(
        ValueError, match=r"shape \(2,\) for its Parameter w, which has shape \(1,\)"
    ):
        grad(net, 0, weights=net.trainable_params())(X)


def test_the_tutorials_form_of_a_squared_sum_trains():
    """A Cell with bprop inside a network that has Parameters of its own."""
    square = cell(lambda self, x: x * x, lambda self, x, out, dout: (dout * 2 * x,))

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.square = square
            self.w = Parameter(Tensor([3.0]), name="w")

        def construct(self, x):
            return self.square(self.w * x)

    net = Net()
    value, (dx, (dw,)) = value_and_grad(net, 0, net.trainable_params())(X)
    assert (value.item(), dx.item(), dw.item()) == (36.0, 36.0, 24.0)


def test_a_pullback_calls_bprop_each_time():
    calls = []

    def bprop(self, x, out, dout):
        calls.append(dout.item())
        return dout * 2

    _, pull = vjp(cell(lambda self, x: x * 2, bprop), X)
    assert [pull(Tensor([k]))[0].item() for k in (1.0, 5.0)] == [2.0, 10.0]
    assert calls == [1.0, 5.0]


def test_a_bprop_without_return_is_asked_for_it():
    class Net(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            dout * 2 * x

    with pytest.raises(TypeError, match=r"Net\.bprop returned None; is there a `return`"):
        grad(Net())(Tensor([3.0]))


def test_a_class_in_place_of_a_cell_says_so():
    class Net(nn.Cell):
        def construct(self, x):
            return x

    for call in (grad(Net), lambda x: check.check_grads(Net, x), lambda x: ms.vjp(Net, x)):
        with pytest.raises(TypeError, match="Net is a class"):
            call(Tensor([1.0]))
