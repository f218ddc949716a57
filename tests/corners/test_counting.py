"""Corner: counting. A value used more than once gets the sum of what its uses send, each once.

Every gradient here is worked out by hand from the formula beside it.
"""

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops, value_and_grad


def tensor(numbers):
    return Tensor(np.array(numbers, np.float64))


@pytest.mark.parametrize(
    ("fn", "x", "wanted"),
    [
        (lambda x: x + x, 2.0, 2.0),
        (lambda x: x - x, 2.0, 0.0),
        (lambda x: x * x, 3.0, 6.0),
        (lambda x: x / x, 3.0, 0.0),
        (lambda x: x**x, 2.0, 4 * (np.log(2) + 1)),  # x^x (log x + 1)
        (lambda x: x * x * x, 2.0, 12.0),
        (lambda x: sum([x] * 7), 2.0, 7.0),
        (lambda x: ops.maximum(x, x), 2.0, 1.0),
        (lambda x: ops.where(x > 0, x, x), -2.0, 1.0),
        (lambda x: x @ x, [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]),
        (lambda x: ops.matmul(x, x).sum(), [[1.0, 2.0], [3.0, 4.0]], [[7.0, 11.0], [9.0, 13.0]]),
        (lambda x: ops.einsum("i,j->", x, x), [1.0, 2.0], [6.0, 6.0]),  # (sum x)^2
        (lambda x: (ops.stack([x, x, x]) * tensor([[1.0], [2.0], [3.0]])).sum(), [1.0], [6.0]),
        (lambda x: ops.concat([x, x]).prod(), [2.0, 3.0], [36.0, 24.0]),  # (ab)^2
    ],
)
def test_one_value_in_both_places(fn, x, wanted):
    np.testing.assert_allclose(grad(fn)(tensor(x)).asnumpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("times", [1, 2, 10, 257])
def test_n_uses_count_n_times(times):
    def fn(x):
        total = 0.0
        for n in range(times):
            total = total + n * x
        return total

    assert grad(fn)(tensor(1.0)).item() == times * (times - 1) / 2


def test_views_of_one_value_add_up():
    def fn(x):  # x0 x1 + x1 x2, and twice the sum
        return (x[0:2] * x[1:3]).sum() + x.reshape(3, 1).sum() + x.expand_dims(0).T.sum()

    assert grad(fn)(tensor([1.0, 2.0, 3.0])).tolist() == [4.0, 6.0, 4.0]


def test_a_value_reached_by_many_paths_sends_its_gradient_once():
    """Doubling by sharing: 2^40 paths, and 40 steps."""

    def fn(x):
        for _ in range(40):
            x = x + x
        return x

    assert grad(fn)(tensor(1.0)).item() == 2.0**40


class Scale(nn.Cell):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def construct(self, x):
        return x * self.weight


class Twice(nn.Cell):
    """Two Cells that hold the same Parameter."""

    def __init__(self):
        super().__init__()
        shared = Parameter(Tensor([2.0]), name="w")
        self.first, self.second = Scale(shared), Scale(shared)

    def construct(self, x):
        return self.second(self.first(x))


def test_a_parameter_in_two_cells_is_one_parameter():
    net = Twice()
    (weight,) = net.trainable_params()
    (got,) = grad(net, None, net.trainable_params())(Tensor([3.0]))
    assert got.tolist() == [12.0]  # of 3 w^2
    assert grad(net, None, weight)(Tensor([3.0])).tolist() == [12.0]


def test_a_gradient_asked_for_twice_is_the_same_twice():
    net, fn = Twice(), grad(lambda x: x**3)
    assert [fn(tensor(2.0)).item() for _ in range(3)] == [12.0] * 3
    both = value_and_grad(net, 0, net.trainable_params())
    first, second = both(Tensor([3.0])), both(Tensor([3.0]))
    assert first[1][0].tolist() == second[1][0].tolist() == [4.0]
    assert first[1][1][0].tolist() == second[1][1][0].tolist() == [12.0]


def test_one_tensor_passed_as_two_inputs_is_two_inputs():
    x = tensor(3.0)
    first, second = grad(lambda a, b: a * a * b, (0, 1))(x, x)
    assert (first.item(), second.item()) == (18.0, 9.0)
    assert grad(lambda a, b: a * a * b, 1)(x, x).item() == 9.0
