"""Corner: higher order. What is composed to third order, and transforms in transforms.

Each op alone is held to third order by tests/rules/test_catalogue.py.
"""

import itertools

import numpy as np
import pytest
from check import check_grads

from minigrad import Tensor, grad, hessian, jacfwd, jacrev, jvp, nn, ops, vjp, vmap

ROWS = np.array([[0.3, -1.2, 0.8], [1.1, 0.4, -0.6]])
WEIGHTS = Tensor(np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]))


def batch_norm(x):
    mean = x.mean(0, True)
    return (x - mean) / ops.sqrt(((x - mean) ** 2).mean(0, True) + 0.1)


@pytest.mark.parametrize(
    "fn",
    [
        batch_norm,
        lambda x: nn.BatchNorm1d(3, eps=0.1).set_train()(x),
        lambda x: nn.LayerNorm((3,))(x),
        lambda x: ops.softmax(x),
        lambda x: ops.softmax(x, 0),
        lambda x: ops.log_softmax(x, -1),
        lambda x: ops.logsumexp(x, 1),
        lambda x: ops.norm(x, dim=1),
        lambda x: ops.std(x, 1),
        lambda x: ops.var(x, 0),
        lambda x: ops.cumprod(x, 1),
        lambda x: ops.binary_cross_entropy_with_logits(x, ops.sigmoid(WEIGHTS)),
        lambda x: ops.cross_entropy(x, Tensor([0, 2])),
        lambda x: ops.matmul(x, x.T) @ x,
    ],
)
def test_what_is_composed_is_true_to_third_order(fn):
    check_grads(lambda x: fn(x) * (WEIGHTS if fn(x).shape == WEIGHTS.shape else 1.0), ROWS, order=3)


# ------------------------------------------------------------------------- calls inside of calls
def test_an_inner_call_knows_only_its_own_input():
    """d/dx (x d/dy (x y)) = 2x, and not 1 or 0: the variables are not confused."""
    assert grad(lambda x: x * grad(lambda y: x * y)(Tensor(2.0)))(Tensor(3.0)).item() == 6.0
    assert grad(lambda x: grad(lambda y: x + y)(x) * x)(Tensor(3.0)).item() == 1.0
    three = grad(lambda x: grad(lambda y: grad(lambda z: x * y * z)(y) * y)(x))
    assert three(Tensor(3.0)).item() == 12.0  # y^2 x, by y and then by x = y: d/dx 2 x^2


def test_stop_gradient_stops_every_order():
    def fn(x):
        return ops.stop_gradient(x**3) * x

    assert grad(fn)(Tensor(2.0)).item() == 8.0
    assert grad(grad(fn))(Tensor(2.0)).item() == 0.0
    assert grad(grad(grad(fn)))(Tensor(2.0)).item() == 0.0


# ------------------------------------------------------------------ every transform in every other
X = Tensor(np.array([0.3, -0.7, 1.1]))
# A function of a vector, entry by entry, is turned into another such; beside it, the same by hand.
TURNS = {
    "grad": (lambda f: lambda x: grad(lambda x: f(x).sum())(x), 1),
    "vjp": (lambda f: lambda x: vjp(f, x)[1](ops.ones_like(x))[0], 1),
    "jvp": (lambda f: lambda x: jvp(f, x, ops.ones_like(x))[1], 1),
    "jacrev": (lambda f: lambda x: jacrev(f)(x).sum(0), 1),
    "jacfwd": (lambda f: lambda x: jacfwd(f)(x).sum(0), 1),
    "hessian": (lambda f: lambda x: hessian(lambda x: f(x).sum())(x).sum(0), 2),
    "vmap": (lambda f: lambda x: vmap(f)(x.expand_dims(0))[0], 0),
}


def sine_of_order(n):
    """The n-th derivative of sin(2 x)."""
    return 2.0**n * np.sin(2 * X.asnumpy() + n * np.pi / 2)


@pytest.mark.parametrize("names", list(itertools.product(TURNS, TURNS)), ids=" of ".join)
def test_a_transform_of_a_transform(names):
    fn, order = (lambda x: ops.sin(2 * x)), 0
    for name in reversed(names):
        turn, more = TURNS[name]
        fn = turn(fn)
        order += more
    np.testing.assert_allclose(fn(X).asnumpy(), sine_of_order(order), rtol=1e-12, atol=1e-12)
