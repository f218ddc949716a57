"""jit and its relatives: what they decorate runs as it is."""

import pytest

import minigrad as ms
from minigrad import JitConfig, Tensor, grad, jit, jit_class, nn, ops
from minigrad.graph import INSIDE_JIT, constexpr


@jit
def square(x):
    """Multiplies x by itself."""
    return x * x


@jit(jit_level="O1", backend="ms_backend", fullgraph=True)
def cube(x):
    return x * square(x)


class Net(nn.Cell):
    @jit
    def construct(self, x):
        return self.twice(x) * x

    @jit(jit_config=JitConfig(jit_level="O0"))
    def twice(self, x):
        return x + x


def test_values_and_gradients_are_those_of_the_function():
    x = Tensor([3.0])
    assert cube(x).asnumpy().tolist() == [27.0]
    assert grad(cube)(x).asnumpy().tolist() == [27.0]
    assert grad(grad(Net()))(x).asnumpy().tolist() == [4.0]
    assert jit(lambda x: grad(square)(x))(x).asnumpy().tolist() == [6.0]
    assert grad(square, 0)(x=x).asnumpy().tolist() == [6.0]


def test_it_keeps_the_name_and_the_docstring():
    assert (square.__name__, square.__doc__) == ("square", "Multiplies x by itself.")


def test_a_cell_and_a_class_of_cells_can_be_decorated():
    assert jit(Net())(Tensor([3.0])).asnumpy().tolist() == [18.0]
    assert jit(Net) is Net
    assert jit_class(Net) is Net


def test_python_runs_as_it_is():
    @jit
    def steps(n):
        total = 0
        while n > 0:
            total, n = total + n, n - 1
        return total

    assert steps(4) == 10


def test_it_is_known_while_it_runs_that_it_does():
    seen = []
    jit(lambda: seen.append(INSIDE_JIT.get()))()
    with pytest.raises(ZeroDivisionError):
        jit(lambda: 1 / 0)()
    assert [*seen, INSIDE_JIT.get()] == [True, False]


def test_what_cannot_be_is_refused():
    with pytest.raises(TypeError, match="jit has no option jit_lewel; it has backend"):
        jit(square, jit_lewel="O1")
    with pytest.raises(TypeError, match="needs a function or a Cell, but got 3"):
        jit(3)
    with pytest.raises(TypeError, match="decorates a class"):
        jit_class(square)


def test_constexpr_runs_when_it_is_called():
    assert constexpr(len)([1, 2]) == 2
    assert constexpr(check=False)(len)([1, 2]) == 2
    assert ms.ops.primitive.constexpr is ms.constexpr is constexpr
    assert ops.primitive.ReLU is ops.ReLU
