"""jvp, jacrev, jacfwd and hessian: values by hand, structures as MindSpore 2.10 gives them."""

from collections import namedtuple

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.batch import vmap
from minigrad.jacobian import hessian, jacfwd, jacrev, jvp
from minigrad.nn import Cell

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = Tensor([[1.0, 0.0, 2.0], [0.5, -1.0, 0.0]])
BOTH = pytest.mark.parametrize("jacobian", [jacrev, jacfwd])


def one(x, y):
    return x * y


def two(x, y):
    return x * y, x.sum()


def same(got, wanted):
    assert got.shape == np.shape(wanted)
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6)


def shapes(x):
    return x.shape if isinstance(x, Tensor) else tuple(map(shapes, x))


def diagonal(values):
    """The Jacobian of an elementwise function with these derivatives."""
    values = np.asarray(values, np.float32)
    return np.diag(values.ravel()).reshape(values.shape * 2)


# --------------------------------------------------------------------------------------------- jvp
def test_jvp_of_one_input():
    y, dy = jvp(lambda x: x * x * x, X, V)
    x, v = X.asnumpy(), V.asnumpy()
    same(y, x**3)
    same(dy, 3 * x * x * v)


def test_jvp_of_several_inputs_and_outputs():
    x, v = X.asnumpy(), V.asnumpy()
    (a, b), (da, db) = jvp(two, (X, X), (V, V))
    same(a, x * x)
    same(b, x.sum())
    same(da, 2 * x * v)
    same(db, v.sum())


def test_jvp_with_aux():
    _, dy, aux = jvp(lambda x: (x * x, x + 1), X, V, has_aux=True)
    same(dy, 2 * X.asnumpy() * V.asnumpy())
    same(aux, X.asnumpy() + 1)
    assert shapes(jvp(lambda x: (x, x, x), X, V, has_aux=True)[2]) == ((2, 3), (2, 3))


def test_jvp_does_not_reach_a_constant():
    _, dy = jvp(lambda x: Tensor([5.0, 6.0]), X, V)
    same(dy, [0.0, 0.0])


def test_jvp_of_a_cell_and_through_a_bprop():
    class Double(Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 5,)

    same(jvp(Double(), X, V)[1], 5 * V.asnumpy())


def test_jvp_nests_and_is_differentiated():
    def slope(x):
        return jvp(lambda x: x * x * x, x, ops.ones_like(x))[1]  # 3 x^2

    same(jvp(slope, X, V)[1], 6 * X.asnumpy() * V.asnumpy())
    same(ms.grad(lambda x: slope(x).sum())(X), 6 * X.asnumpy())
    same(jvp(ms.grad(lambda x: (x * x * x).sum()), X, V)[1], 6 * X.asnumpy() * V.asnumpy())
    same(vmap(slope)(X), 3 * X.asnumpy() ** 2)


@pytest.mark.parametrize(
    ("inputs", "v", "error", "says"),
    [
        ((X, X), (V,), ValueError, "1 entries for 2 inputs"),
        (X, Tensor([1.0]), ValueError, r"of shape \(2, 3\)"),
        (X, V.astype(ms.float16), TypeError, "Float32"),
        (2.0, V, TypeError, "inputs must be a Tensor"),
        (X, (1.0,), TypeError, "v must be a Tensor"),
    ],
)
def test_jvp_refuses(inputs, v, error, says):
    with pytest.raises(error, match=says):
        jvp(lambda *xs: xs[0], inputs, v)


def test_jvp_of_dicts_by_name_and_not_by_order():
    x, v = {"w": X, "b": Tensor(2.0)}, {"b": Tensor(10.0), "w": V}
    y, dy = jvp(lambda p: {"y": p["w"] * p["b"]}, x, v)
    same(y["y"], 2 * X.asnumpy())
    same(dy["y"], 2 * V.asnumpy() + 10 * X.asnumpy())


@pytest.mark.parametrize(
    ("v", "error", "says"),
    [
        ({"w": V}, ValueError, r"but v\[0\]\['b'\] is missing"),
        ({"w": V, "b": V, "c": V}, ValueError, r"but v\[0\]\['c'\] has no input"),
        ({"w": V, "b": [V]}, ValueError, r"built as the inputs are, but v\[0\]\['b'\]"),
        ({"w": V, "b": 1.0}, TypeError, r"v\[0\]\['b'\] is 1.0"),
        ({"w": V, "b": Tensor([1.0])}, ValueError, r"v\[0\]\['b'\] must be like its input"),
    ],
)
def test_jvp_names_what_is_odd_in_a_container(v, error, says):
    with pytest.raises(error, match=says):
        jvp(lambda p: p["w"], {"w": X, "b": V}, v)


# ---------------------------------------------------------------------------------------- Jacobians
@BOTH
def test_jacobian_of_one_output(jacobian):
    same(jacobian(lambda x: x * x)(X), diagonal(2 * X.asnumpy()))
    same(jacobian(lambda x: x.sum())(X), np.ones((2, 3)))
    a = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]], np.float32)
    same(jacobian(lambda x: Tensor(a) @ x)(Tensor([1.0, 1.0, 1.0])), a)


@BOTH
def test_structure(jacobian):
    square, row = (2, 3, 2, 3), (2, 3)
    assert shapes(jacobian(one, 1)(X, X)) == square
    assert shapes(jacobian(one, (0,))(X, X)) == square
    assert shapes(jacobian(one, (0, 1))(X, X)) == (square, square)
    assert shapes(jacobian(two)(X, X)) == (square, row)
    assert shapes(jacobian(two, (0, 1))(X, X)) == ((square, square), (row, row))
    assert shapes(jacobian(lambda x: {"a": [x]})(X)["a"]) == (square,)


@BOTH
def test_values_for_several_positions(jacobian):
    (by_x, by_y), (sum_x, sum_y) = jacobian(two, (0, 1))(X, V)
    same(by_x, diagonal(V.asnumpy()))
    same(by_y, diagonal(X.asnumpy()))
    same(sum_x, np.ones((2, 3)))
    same(sum_y, np.zeros((2, 3)))


@BOTH
def test_aux(jacobian):
    jac, aux = jacobian(lambda x: (x * x, x + 1), 0, has_aux=True)(X)
    same(jac, diagonal(2 * X.asnumpy()))
    same(aux, X.asnumpy() + 1)
    assert shapes(jacobian(lambda x: (x, x, x), has_aux=True)(X)) == ((2, 3) * 2, ((2, 3),) * 2)


@BOTH
def test_scalars_and_empty_arrays(jacobian):
    same(jacobian(lambda x: x * x)(Tensor(3.0)), 6.0)
    same(jacobian(lambda x: x * 2)(Tensor(np.zeros(0, np.float32))), np.zeros((0, 0)))


@BOTH
def test_both_ways_agree_on_a_network(jacobian):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))
    x = Tensor([0.5, -1.0, 2.0])
    w1, b1, w2, _ = (p.asnumpy() for p in net.trainable_params())
    slope = 1 - np.tanh(w1 @ x.asnumpy() + b1) ** 2
    np.testing.assert_allclose(
        jacobian(net)(x).asnumpy(), w2 @ (slope[:, None] * w1), rtol=1e-5, atol=1e-6
    )


def test_float64_and_float16_stay():
    for dtype in (ms.float16, ms.float64):
        assert jacrev(lambda x: x * x)(X.astype(dtype)).dtype == dtype
        assert jacfwd(lambda x: x * x)(X.astype(dtype)).dtype == dtype


@BOTH
@pytest.mark.parametrize(
    ("position", "args", "error", "says"),
    [
        (-1, (X, X), ValueError, ">= 0"),
        (3, (X, X), ValueError, "out of range"),
        ((0, 0), (X, X), ValueError, "twice"),
        (1.0, (X, X), TypeError, "int or a tuple"),
        (None, (X, X), TypeError, "None"),
        (0, (2.0, X), TypeError, "Tensor of floats"),
        (0, (Tensor([1, 2]), X), TypeError, "Tensor of floats"),
    ],
)
def test_positions_that_cannot_be(jacobian, position, args, error, says):
    with pytest.raises(error, match=says):
        jacobian(one, position)(*args)


def test_what_cannot_be_called_has_no_jacobian():
    with pytest.raises(TypeError, match="a Jacobian needs a function or a Cell, but got 3"):
        ms.jacrev(3)


def test_one_sweep_not_a_loop():
    calls = []

    class Rule(Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            calls.append(dout.shape)
            return (dout * 2,)

    same(jacrev(Rule())(Tensor([1.0, 2.0, 3.0])), 2 * np.eye(3))
    assert calls == [(3,)]


# ----------------------------------------------------------------------------------------- hessians
def test_hessian_by_hand():
    # f = x^2 y + y^3: f_xx = 2 y, f_xy = 2 x, f_yy = 6 y
    h = hessian(lambda v: v[0] * v[0] * v[1] + v[1] * v[1] * v[1])(Tensor([2.0, 3.0]))
    same(h, [[6.0, 4.0], [4.0, 18.0]])


def test_hessian_of_logistic_regression():
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(20, 5)), rng.choice([-1.0, 1.0], 20)
    w = rng.normal(size=5)

    def loss(w):
        return ops.softplus(-Tensor(labels) * (Tensor(data) @ w)).mean()

    share = 1 / (1 + np.exp(-labels * (data @ w)))
    wanted = (data.T * (share * (1 - share) / 20)) @ data
    np.testing.assert_allclose(hessian(loss)(Tensor(w)).asnumpy(), wanted, rtol=1e-10)


def test_hessian_of_a_matrix_and_of_another_position():
    same(hessian(lambda x: (x * x * x).sum())(X), diagonal(6 * X.asnumpy()))
    same(hessian(lambda a, x: (a * x * x).sum(), 1)(X, V), diagonal(2 * X.asnumpy()))


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd])
def test_jacobians_nest(outer, inner):
    same(outer(inner(lambda x: (x * x * x).sum()))(X), diagonal(6 * X.asnumpy()))
    third = outer(inner(ms.grad(lambda x: (x * x * x * x).sum())))(Tensor([2.0]))
    same(third, [[[48.0]]])


def test_hessian_of_each_sample():
    h = vmap(hessian(lambda x: (x * x * x).sum()))(X)
    same(h, [np.diag(6 * x) for x in X.asnumpy()])


def test_hessian_needs_one_number():
    with pytest.raises(ValueError, match="one number, but got shape"):
        hessian(lambda x: x * x)(X)
    with pytest.raises(TypeError, match="must be an int"):
        hessian(one, 1.5)
    with pytest.raises(TypeError, match=r"weights\[0\] is a Tensor"):
        hessian(one, 0, [X])
    with pytest.raises(ValueError, match="can not be None at the same time"):
        hessian(one, None)


def test_hessian_by_several_positions():
    # f = sum(x^2) y: f_xx = 2 y I, f_xy = 2 x, f_yy = 0
    x, y = Tensor([1.0, 2.0]), Tensor(3.0)
    (xx, xy), (yx, yy) = hessian(lambda x, y: (x * x).sum() * y, (0, 1))(x, y)
    same(xx, [[6.0, 0.0], [0.0, 6.0]])
    same(xy, [2.0, 4.0])
    same(yx, [2.0, 4.0])
    same(yy, 0.0)
    same(hessian(lambda x: (x * x).sum(), (0,))(x), [[2.0, 0.0], [0.0, 2.0]])


def test_hessian_by_weights():
    # f = (w . x)^2 b: f_ww = 2 b x x^T, f_wb = 2 (w . x) x, f_bb = 0; here w . x is 6.5
    w, b = Parameter(Tensor([0.5, 2.0]), name="w"), Parameter(Tensor(4.0), name="b")
    x = Tensor([1.0, 3.0])

    def loss(x):
        return ops.square((w * x).sum()) * b

    same(hessian(loss, None, w)(x), [[8.0, 24.0], [24.0, 72.0]])
    (ww, wb), (bw, bb) = hessian(loss, None, iter([w, b]))(x)
    same(ww, [[8.0, 24.0], [24.0, 72.0]])
    same(wb, [13.0, 39.0])
    same(bw, [13.0, 39.0])
    same(bb, 0.0)
    # Beside an input: f_xx = 2 b w w^T, and f_xw is 2 b (w_i x_j), with 2 b (w . x) on the diagonal
    (xx, xw), (wx, ww) = hessian(loss, 0, [w])(x)
    same(xx, [[2.0, 8.0], [8.0, 32.0]])
    same(xw, [[8 * (0.5 + 6.5), 8 * 1.5], [8 * 2.0, 8 * (6.0 + 6.5)]])
    same(wx, xw.asnumpy().T)
    same(ww, [[8.0, 24.0], [24.0, 72.0]])
    (_, xb), (bx, bb) = hessian(loss, 0, [b])(x)
    same(xb, [6.5, 26.0])  # 2 (w . x) w
    same(bx, [6.5, 26.0])
    same(bb, 0.0)


def test_hessian_of_a_layer_agrees_with_differences_of_its_gradient():
    rng = np.random.default_rng(3)
    w, b = (Parameter(Tensor(rng.normal(size=shape)), name="p") for shape in [(2, 3), (2,)])
    x = Tensor(rng.normal(size=3))

    def loss(x):
        return ops.square(ops.tanh(w @ x + b)).sum()

    first, rows = ms.grad(loss, None, weights=[w, b]), hessian(loss, None, [w, b])(x)
    for j, p in enumerate((w, b)):
        was = p.asnumpy()
        for place in np.ndindex(p.shape):
            step = np.zeros(p.shape)
            step[place] = 1e-5
            p.set_data(Tensor(was + step))
            up = first(x)
            p.set_data(Tensor(was - step))
            down = first(x)
            p.set_data(Tensor(was))
            for i in range(2):
                slope = (up[i].asnumpy() - down[i].asnumpy()) / 2e-5
                got = rows[i][j].asnumpy()[(..., *place)]
                np.testing.assert_allclose(got, slope, rtol=1e-7, atol=1e-9)


# ------------------------------------------------------------- rules that the user has a say in
def clipped(x):
    y = x * x
    y.register_hook(lambda dy: ops.clip(dy, -1.0, 1.0))
    return y * 3


class Shift(Cell):
    """Its rule adds to the gradient, so it is not linear: 0 is not turned into 0."""

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 2 + 1,)


@pytest.mark.parametrize("fn", [clipped, Shift()])
@pytest.mark.parametrize("push", [lambda f, x: jvp(f, x, x), lambda f, x: jacfwd(f)(x)])
def test_pushing_forward_warns_of_a_rule_that_is_not_linear(fn, push, recwarn):
    x = Tensor([2.0, 3.0])
    jacrev(fn)(x)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="not linear in the gradient.*jacrev"):
        push(fn, x)


def test_without_hooks_and_bprops_nobody_looks_whether_a_pullback_is_linear(monkeypatch):
    monkeypatch.setattr("minigrad.jacobian._large", None)  # it would be called
    assert jvp(lambda x: x**3, Tensor(2.0), Tensor(5.0))[1].item() == 60.0


def test_a_linear_hook_or_bprop_is_pushed_forward_in_silence(recwarn):
    def fn(x):
        y = x * x
        y.register_hook(lambda dy: dy * 10)
        return Double()(y)

    class Double(Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 2,)

    same(jvp(fn, Tensor([2.0]), Tensor([1.0]))[1], [80.0])
    same(jacfwd(fn)(Tensor([2.0, 3.0])), np.diag([80.0, 120.0]))
    assert not recwarn.list


# ------------------------------------------------------------------- outputs that are no Tensors
@BOTH
def test_an_output_without_a_jacobian(jacobian):
    x = Tensor([1.0, 2.0])
    for out in ((x * 2, 3.0), 3.0):
        with pytest.raises(TypeError, match=r"returned a float, which has no Jacobian.*has_aux"):
            jacobian(lambda x, out=out: out)(x)
    value, aux = jacobian(lambda x: (x * 2, 3.0), has_aux=True)(x)
    same(value, np.diag([2.0, 2.0]))
    assert aux == 3.0


@BOTH
def test_a_named_tuple_of_outputs(jacobian):
    pair = namedtuple("Pair", "first second")
    found = jacobian(lambda x: pair(x * 2, x * 3))(Tensor([1.0, 2.0]))
    assert type(found) is pair
    same(found.first, np.diag([2.0, 2.0]))
    same(found.second, np.diag([3.0, 3.0]))


# ------------------------------------------------------------------------- containers among inputs
WEIGHTS = {"w": Tensor([2.0, 3.0]), "b": Tensor(5.0)}


def affine(p, x):
    return p["w"] * x * p["b"]


@BOTH
def test_jacobian_by_a_dict_of_weights(jacobian):
    x = Tensor([7.0, 11.0])
    by_p = jacobian(affine)(WEIGHTS, x)
    same(by_p["w"], np.diag([35.0, 55.0]))
    same(by_p["b"], [14.0, 33.0])
    by_p, by_x = jacobian(affine, (0, 1))(WEIGHTS, x)
    same(by_p["b"], [14.0, 33.0])
    same(by_x, np.diag([10.0, 15.0]))
    outputs = jacobian(lambda p: (p[0] * p[1][0], {"sum": p[1][0].sum()}))([x, (x,)])
    (dx, (dy,)), summed = outputs[0], outputs[1]["sum"]
    same(dx, np.diag([7.0, 11.0]))
    same(dy, np.diag([7.0, 11.0]))
    same(summed[0], [0.0, 0.0])
    same(summed[1][0], [1.0, 1.0])


@BOTH
def test_what_has_no_jacobian_in_a_container_is_named(jacobian):
    with pytest.raises(TypeError, match=r"argument 0\['n'\] must be a Tensor of floats"):
        jacobian(lambda p: p["w"])({"w": X, "n": 3})


def test_hessian_by_a_dict_of_weights():
    # (w1 + w2)^2 b has second derivatives 2 b by any two w, 2 (w1 + w2) by one w and b, 0 by b.
    both = hessian(lambda p: p["w"].sum() ** 2 * p["b"])(WEIGHTS)
    same(both["w"]["w"], np.full((2, 2), 10.0))
    same(both["w"]["b"], [10.0, 10.0])
    same(both["b"]["w"], [10.0, 10.0])
    same(both["b"]["b"], 0.0)


def test_hessian_by_a_dict_a_tensor_and_a_parameter():
    q = Parameter(Tensor(4.0), name="q")
    rows = hessian(lambda p, x: p["b"] * x * x * q * q, (0, 1), weights=[q])(WEIGHTS, Tensor(3.0))
    by_p, by_x, by_q = rows
    assert by_p["b"][0].keys() == WEIGHTS.keys()
    same(by_p["b"][0]["b"], 0.0)
    same(by_p["b"][1], 2 * 3 * 16.0)  # by b, then x
    same(by_p["b"][2], 9 * 2 * 4.0)  # by b, then q
    same(by_x[0]["b"], 96.0)
    same(by_x[1], 2 * 5 * 16.0)
    same(by_q[1], 5 * 2 * 3 * 2 * 4.0)
    same(by_q[2], 2 * 5 * 9.0)


def test_hessian_carries_aux_along():
    h, aux = hessian(lambda x: (x[0] ** 2 * x[1], x + 1), has_aux=True)(Tensor([2.0, 3.0]))
    same(h, [[6.0, 4.0], [4.0, 0.0]])
    same(aux, [3.0, 4.0])
    _, (a, b) = hessian(lambda x: (x.sum(), x, x * 2), has_aux=True)(Tensor([1.0]))
    same(a, [1.0])
    same(b, [2.0])
    with pytest.raises(ValueError, match="returns one number, but got shape"):
        hessian(lambda x: (x, x), has_aux=True)(X)
