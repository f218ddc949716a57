"""What construct keeps in `self` for bprop: warned of where the gradient would be wrong.

Values by hand. The Cells are y = tanh(x), with y' = 1 - y^2 and y'' = -2 y y'.
"""

import math
import threading
import warnings

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops

X = Tensor(0.5)
Y = math.tanh(0.5)


class Keeps(nn.Cell):
    """Keeps what it made."""

    def construct(self, x):
        self.made = ops.tanh(x)
        return self.made

    def bprop(self, x, out, dout):
        return (dout * (1 - self.made**2),)


class KeepsInAList(nn.Cell):
    """Keeps what it made in a new list."""

    def construct(self, x):
        self.all = [ops.tanh(x)]
        return self.all[0] * 1.0

    def bprop(self, x, out, dout):
        return (dout * (1 - self.all[0] ** 2),)


class UsesOut(nn.Cell):
    """Keeps what it made, and does not read it."""

    def construct(self, x):
        self.made = ops.tanh(x)
        return self.made

    def bprop(self, x, out, dout):
        return (dout * (1 - out**2),)


class Means(nn.Cell):
    """Keeps where x is above 0, a constant, and says so."""

    def construct(self, x):
        self.mask = (x > 0).astype(ms.float32)
        return self.mask * x * x

    def bprop(self, x, out, dout):
        return (dout * 2 * x * ops.stop_gradient(self.mask),)


class Holds(nn.Cell):
    """Reads a Tensor that it was made with."""

    def __init__(self):
        super().__init__()
        self.scale = Tensor(3.0)
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x):
        return x * x * self.scale * self.w

    def bprop(self, x, out, dout):
        return (dout * 2 * x * self.scale * self.w,)


def twice(cell):
    return float(grad(grad(cell))(X))


@pytest.mark.parametrize(
    ("make", "place"), [(Keeps, "self.made"), (KeepsInAList, r"self.all\[0\]")]
)
def test_second_order_through_what_was_kept_warns_at_bprop(make, place):
    with pytest.warns(UserWarning, match=f"{make.__name__}.bprop reads {place}") as seen:
        assert twice(make()) == 0.0
    assert "compute it from the inputs and out" in str(seen[0].message)
    assert seen[0].filename == __file__
    assert seen[0].lineno == make.bprop.__code__.co_firstlineno


@pytest.mark.parametrize(
    ("make", "second"), [(UsesOut, -2 * Y * (1 - Y**2)), (Means, 2.0), (Holds, 12.0)]
)
def test_second_order_without_a_mistake_is_right_and_says_nothing(make, second):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert twice(make()) == pytest.approx(second, rel=1e-6)


def test_first_order_says_nothing_and_is_right():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell = Keeps()
        for x in (0.5, -1.0, 2.0):
            assert float(grad(cell)(Tensor(x))) == pytest.approx(1 - math.tanh(x) ** 2, rel=1e-6)
        _, dy = ms.jvp(cell, X, Tensor(10.0))
        assert float(dy) == pytest.approx(10 * (1 - Y**2), rel=1e-6)


@pytest.mark.parametrize("make", [Keeps, KeepsInAList])
def test_a_second_call_before_bprop_is_warned_of(make):
    cell = make()
    with pytest.warns(UserWarning, match="but the Cell was called again") as seen:
        dx = grad(lambda x: cell(x) + cell(x * 0.0))(X)
    assert float(dx) == 1.0  # what bprop answers with what the later call kept: 1 - tanh(0)^2
    assert make.__name__ in str(seen[0].message)


def test_calls_that_keep_the_same_or_are_not_read_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell = Keeps()
        assert float(grad(lambda x: cell(x) + cell(x))(X)) == pytest.approx(2 * (1 - Y**2))
        cell = UsesOut()
        assert float(grad(lambda x: cell(x) + cell(2 * x))(X)) == pytest.approx(
            1 - Y**2 + 2 * (1 - math.tanh(1.0) ** 2)
        )
        cell = Means()
        assert float(grad(lambda x: cell(x) + cell(2 * x))(X)) == 1.0 + 4.0


def test_second_order_of_a_sum_of_what_was_kept_warns_and_is_zero():
    class Exp(nn.Cell):
        def construct(self, x):
            self.y = ops.exp(x)
            return self.y * 1.0

        def bprop(self, x, out, dout):
            return (dout * self.y,)

    with pytest.warns(UserWarning, match="Exp.bprop reads self.y"):
        ddx = grad(lambda x: grad(lambda x: Exp()(x).sum())(x).sum())(Tensor([0.5, 1.0]))
    assert ddx.tolist() == [0.0, 0.0]


class ReadsInAWay(nn.Cell):
    """Reads what it keeps in this way."""

    def __init__(self, read):
        super().__init__()
        self.read = read

    def construct(self, x):
        self.made = ops.tanh(x)
        return self.made * 1.0

    def bprop(self, x, out, dout):
        return (dout * (1 - self.read(self) ** 2),)

    def through(self):
        return self.made


@pytest.mark.parametrize(
    "read",
    [
        lambda cell: cell.made,
        lambda cell: getattr(cell, "made"),  # noqa: B009  # the way that is tried
        lambda cell: cell.through(),
        lambda cell: next(cell.made for _ in range(1)),
    ],
)
def test_however_it_is_read_it_is_noticed(read):
    cell = ReadsInAWay(read)
    with pytest.warns(UserWarning, match="called again"):
        grad(lambda x: cell(x) + cell(2 * x))(X)
    assert float(cell.made) == pytest.approx(math.tanh(1.0))  # and it is there afterwards


def test_names_alone_are_no_reading():
    class Named(nn.Cell):
        def construct(self, x):
            self.mean, self.T = ops.mean(x), x
            return x * x

        def bprop(self, x, out, dout):
            self.last = ops.mean(dout)
            return (dout * 2 * x.T.T,)

    cell = Named()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(grad(lambda x: cell(x) + cell(2 * x))(X)) == 5.0  # 2 x + 8 x
    assert float(cell.last) == 1.0


def test_two_threads_run_the_bprop_of_one_cell():
    inside, both = threading.Barrier(2, timeout=20), []

    class Waits(nn.Cell):
        def construct(self, x):
            self.made = x * 1.0
            return x * x

        def bprop(self, x, out, dout):
            inside.wait()
            first = self.made  # gone from the Cell, by either thread
            inside.wait()
            return (dout * 2 * x + 0 * first,)

    cell = Waits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [
            threading.Thread(target=lambda x=x: both.append(float(grad(cell)(Tensor(x)))))
            for x in (1.0, 3.0)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(both) == [2.0, 6.0]
    assert float(cell.made) in (1.0, 3.0)


def test_what_holds_itself_or_is_long_is_passed_over():
    class Holder(UsesOut):
        def __init__(self):
            super().__init__()
            self.info = {}
            self.info["self"] = self.info
            self.table = dict.fromkeys(range(10_000), 1.0)

    assert float(grad(Holder())(X)) == pytest.approx(1 - Y**2)


def test_a_bprop_that_calls_its_own_cell_sees_what_was_kept_for_it():
    class Again(nn.Cell):
        def construct(self, x):
            self.made = x * 1.0
            return x * x

        def bprop(self, x, out, dout):
            inner = grad(lambda x: self(x))(x) if float(x) > 1 else self.made * 2
            return (dout * inner,)

    cell = Again()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert float(grad(cell)(Tensor(0.5))) == 1.0
        with pytest.raises(RecursionError):
            grad(cell)(Tensor(3.0))
        assert float(grad(cell)(Tensor(0.25))) == 0.5


def test_what_was_kept_belongs_to_no_gradient_call_afterwards():
    cell = Keeps()
    with pytest.warns(UserWarning, match="second derivative"):
        twice(cell)
    assert cell.made.node is None


def test_inside_vmap_and_jit_the_gradient_is_right():
    cell, xs = Keeps(), Tensor([0.5, -1.0])
    wanted = 1 - np.tanh(xs.asnumpy()) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(ms.vmap(grad(cell))(xs).asnumpy(), wanted, rtol=1e-6)
        run = ms.jit(grad(UsesOut()))
        for _ in range(2):
            assert float(run(X)) == pytest.approx(1 - Y**2, rel=1e-6)
