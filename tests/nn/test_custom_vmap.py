"""A Cell with a bprop under vmap: gradient calls inside, around, and both, against a loop."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops, vmap
from minigrad.nn import Cell

X = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
Y = Tensor([10.0, 20.0])


class Product(Cell):
    """x * y, with a rule that is recognised: ten times for x, and through the output for y."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y * 10, dout * x * out


class Scale(Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return x * self.w, x + 1

    def bprop(self, x, out, dout):
        return (dout[0] * self.w * 10 + dout[1],), {self.w: dout[0] * x * out[0]}


product, scale = Product(), Scale()


def of_product(x, y):
    return product(x, y).sum()


def of_scale(x):
    out, more = scale(x)
    return out.sum() + more.sum()


def squares(x, y, position):
    g = ms.grad(of_product, position)(x, y)
    return (g * g).sum()


def rows(function, *shared):
    """The results of a function for each row, stacked."""
    found = [function(x, *shared) for x in X]
    return [np.stack([t.asnumpy() for t in column]) for column in zip(*found, strict=True)]


def close(got, wanted):
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-6)


def test_gradients_inside():
    inside = ms.grad(of_product, (0, 1))
    close(ms.vmap(inside, (0, None))(X, Y), rows(inside, Y))
    weighted = ms.grad(of_scale, 0, weights=scale.w)
    close(ms.vmap(weighted)(X), rows(weighted))


def test_gradients_around():
    around = ms.grad(lambda x, y: ms.vmap(of_product, (0, None))(x, y).sum(), (0, 1))
    dx, dy = rows(ms.grad(of_product, (0, 1)), Y)
    close(around(X, Y), [dx, dy.sum(0)])
    dx, dw = rows(ms.grad(of_scale, 0, weights=scale.w))
    weighted = ms.grad(lambda x: ms.vmap(of_scale)(x).sum(), 0, weights=scale.w)
    close(weighted(X), [dx, dw.sum(0)])


@pytest.mark.parametrize("position", [0, 1])
def test_gradients_inside_and_around(position):
    around = ms.grad(lambda y: ms.vmap(lambda x: squares(x, y, position))(X).sum())
    (wanted,) = rows(lambda x: (ms.grad(squares, 1)(x, Y, position),))
    close([around(Y)], [wanted.sum(0)])


def test_vmap_of_vmap():
    def table(x, y):
        return ms.vmap(ms.vmap(of_product, (None, 0)), (0, None))(x, y).sum()

    ys = Tensor([[10.0, 20.0], [1.0, -2.0]])
    dx, dy = ms.grad(table, (0, 1))(X, ys)
    x, y = X.asnumpy(), ys.asnumpy()
    np.testing.assert_allclose(dx.asnumpy(), np.broadcast_to(10 * y.sum(0), x.shape))
    np.testing.assert_allclose(dy.asnumpy(), (x * x).sum(0) * y)


def test_jacobians_go_through_the_rule():
    for jacobian in (ms.jacrev, ms.jacfwd):
        np.testing.assert_allclose(jacobian(product)(X[0], Y).asnumpy(), np.diag(10 * Y.asnumpy()))


class Power(Cell):
    """w x^2."""

    def __init__(self, w):
        super().__init__()
        self.w = Parameter(Tensor(w), name="w")

    def construct(self, x):
        return x * x * self.w

    def bprop(self, x, out, dout):
        return (dout * 2 * x * self.w,), {self.w: dout * x * x}


class Twice(Cell):
    """A Power inside: (w x^2) w."""

    def __init__(self, w):
        super().__init__()
        self.power = Power(w)

    def construct(self, x):
        return self.power(x) * self.power.w


@pytest.mark.parametrize(("kind", "slopes"), [(Power, [2.0, 3.0]), (Twice, [4.0, 9.0])])
def test_an_ensemble_goes_through_the_rule_of_each(kind, slopes):
    cells = nn.CellList([kind(2.0), kind(3.0)])
    x = Tensor([1.0, 2.0])
    wanted = 2 * np.array([1.0, 2.0]) * slopes

    def ensemble(x):
        return ms.vmap(cells)(x)

    def total(x):
        return ensemble(x).sum()

    np.testing.assert_allclose(ms.grad(total)(x).asnumpy(), wanted)
    np.testing.assert_allclose(ms.vjp(ensemble, x)[1](Tensor([1.0, 1.0]))[0].asnumpy(), wanted)
    np.testing.assert_allclose(ms.jvp(ensemble, x, Tensor([1.0, 1.0]))[1].asnumpy(), wanted)
    for jacobian in (ms.jacrev, ms.jacfwd):
        np.testing.assert_allclose(jacobian(ensemble)(x).asnumpy(), np.diag(wanted))
    second = ms.grad(lambda x: ms.grad(total)(x).sum())(x)
    np.testing.assert_allclose(second.asnumpy(), 2 * np.array(slopes))


def test_the_weights_of_an_ensemble_have_gradients():
    cells = nn.CellList([Power(2.0), Power(3.0)])
    weights = [cell.w for cell in cells]
    x = Tensor([5.0, 7.0])
    total = ms.grad(lambda x: ms.vmap(cells)(x).sum(), None, weights=weights)
    assert [g.item() for g in total(x)] == [25.0, 49.0]


def test_an_ensemble_in_a_vmap():
    cells = nn.CellList([Power(2.0), Power(3.0)])
    rows = Tensor([[1.0, 2.0], [3.0, 4.0]])
    dz = ms.grad(lambda z: ms.vmap(lambda x: ms.vmap(cells)(x * z))(rows).sum())(Tensor(1.0))
    assert dz.item() == 2 * (2 * 1 + 3 * 4 + 2 * 9 + 3 * 16)


SECOND_DERIVATIVES = {  # of sin, as construct may compute them: minus sin
    "grad": lambda x: grad(grad(ops.sin))(x),
    "jvp": lambda x: ms.jvp(grad(ops.sin), x, x * 0 + 1)[1],
    "vjp": lambda x: ms.vjp(grad(ops.sin), x)[1](x * 0 + 1)[0],
    "jacrev": lambda x: ms.jacrev(grad(ops.sin))(x),
    "jacfwd": lambda x: ms.jacfwd(grad(ops.sin))(x),
    "hessian": lambda x: ms.hessian(ops.sin)(x),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", SECOND_DERIVATIVES)
def test_construct_may_differentiate(how):
    class Net(nn.Cell):
        def construct(self, x):
            return SECOND_DERIVATIVES[how](x)

        def bprop(self, x, out, dout):
            return (dout * 100 * out,)

    x = np.array([0.5, 1.0, 2.0])
    rows, net = Tensor(x), Net()
    out, dx = -np.sin(x), -100 * np.sin(x)
    for got, wanted in (
        (vmap(net)(rows), out),
        (vmap(grad(net))(rows), dx),
        (grad(lambda rows: vmap(net)(rows).sum())(rows), dx),
        (vmap(vmap(grad(net)))(rows.reshape((3, 1))), dx[:, None]),
    ):
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12)
