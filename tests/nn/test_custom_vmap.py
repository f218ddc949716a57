"""A Cell with a bprop under vmap: gradient calls inside, around, and both, against a loop."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn
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


def test_an_ensemble_of_rules_is_refused():
    cells = nn.CellList([Scale(), Scale(), Scale()])
    for i, cell in enumerate(cells):
        cell.w.set_data(Tensor([float(i), 1.0]))
    np.testing.assert_allclose(ms.vmap(cells)(X)[0].asnumpy()[:, 0], [0, 3, 10])
    with pytest.raises(TypeError, match="Parameters that differ between samples"):
        ms.grad(lambda x: ms.vmap(cells)(x)[0].sum(), None, weights=cells[0].w)(X)
