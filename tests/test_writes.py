"""Writes into Tensors, and what gradients follow: ``x[0] = v``, ``x[mask] = v``, ``x += y``."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad, nn, ops


def test_a_write_before_use_cuts_the_old_content_and_feeds_the_new():
    def fn(x, v):
        y = x * 2
        y[0] = v
        return (y * y).sum()

    dx, dv = grad(fn, (0, 1))(Tensor([1.0, 3.0]), Tensor(5.0))
    assert dx.tolist() == [0.0, 24.0]  # d(4 x²) = 8 x
    assert dv.item() == 10.0


def test_a_write_after_use_leaves_the_use_as_it_was():
    def fn(x):
        a = x * 2
        before = (a * a).sum()
        a[0] = 7.0
        return before + (a * a).sum()

    assert grad(fn)(Tensor([1.0, 2.0])).tolist() == [8.0, 32.0]  # MindSpore: 28, 32


def test_a_write_between_two_uses_of_a_saved_value_is_right_in_second_order():
    def fn(x):
        a = x * x
        first = (a * a).sum()  # x⁴
        a[0] = x[1]
        return first + (a * a * a).sum()  # x1³ + x1⁶

    x = Tensor([2.0, 3.0])
    # f = x0⁴ + x1⁴ + x1³ + x1⁶
    np.testing.assert_allclose(grad(fn)(x).tolist(), [4 * 8, 4 * 27 + 3 * 9 + 6 * 243])
    second = grad(lambda x: grad(fn)(x).sum())(x)
    np.testing.assert_allclose(second.tolist(), [12 * 4, 12 * 9 + 6 * 3 + 30 * 81])


WRITES = {
    "index": lambda x: x.__setitem__(1, x[0] * 3),
    "assign": lambda x: ops.assign(x, ops.stack([x[0], x[0] * 3])),
    "assign_add": lambda x: ops.assign_add(x, ops.stack([x[0] * 0, x[0] * 3 - x[1]])),
    "scatter_update": lambda x: ops.scatter_update(x, Tensor([1]), x[0:1] * 3),
    "scatter_add": lambda x: ops.scatter_add(x, Tensor([1]), x[0:1] * 3 - x[1:]),
    "assign_value": lambda x: x.assign_value(ops.stack([x[0], x[0] * 3])),
}


@pytest.mark.parametrize("kind", WRITES)
def test_a_write_into_an_input_reaches_the_callers_tensor_as_without_a_gradient_call(kind):
    def fn(x):
        WRITES[kind](x)
        return (x * Tensor([1.0, 10.0])).sum()

    calls = {
        "alone": lambda x: fn(x) * 0 + Tensor([31.0, 0.0]),
        "grad": grad(fn),
        "vjp": lambda x: ms.vjp(fn, x)[1](Tensor(1.0))[0],
        "GradOperation": ops.GradOperation()(fn),
        "in a list": lambda x: grad(lambda xs: fn(xs[0]))([x])[0],
    }
    for name, call in calls.items():
        t = Tensor([1.0, 2.0])
        assert call(t).tolist() == [31.0, 0.0], name  # f = x0 + 30 x0
        assert t.tolist() == [1.0, 3.0], name
        assert t.node is None, name


def test_a_write_into_an_input_of_an_inner_call_is_part_of_the_outer_one():
    def inner(y):
        y[0] = y[1] * y[1]
        return (y * y).sum()  # y1⁴ + y1²

    def outer(x):
        y = x * 2
        g = grad(inner)(y)  # 0, 4 y1³ + 2 y1
        return g[1] + y[0]  # y0 is y1² now

    # 4 (2 x1)³ + 4 x1 + 4 x1², by x1: 96 x1² + 4 + 8 x1
    assert grad(outer)(Tensor([5.0, 3.0])).tolist() == [0.0, 96 * 9 + 4 + 24]


def test_a_write_into_an_input_stays_after_an_error():
    def fn(x):
        x[0] = 7.0
        raise KeyError("later")

    t = Tensor([1.0, 2.0])
    with pytest.raises(KeyError):
        grad(fn)(t)
    assert t.tolist() == [7.0, 2.0]


def test_a_write_into_a_sample_that_a_call_around_owns_is_refused():
    shared = Tensor([1.0, 2.0])

    def fn(x):
        return grad(lambda y: ops.assign_add(y, x).sum())(shared)

    with pytest.raises(TypeError, match="from outside was written inside vmap"):
        ms.vmap(fn)(Tensor([[1.0, 1.0], [2.0, 2.0]]))
    assert shared.tolist() == [1.0, 2.0]


class Writes(nn.Cell):
    def construct(self, x, seen):
        seen[0] = x[0]
        x[1] = 9.0
        return x * seen

    def bprop(self, x, seen, out, dout):
        return dout * 2, None


class Counts(Writes):
    def construct(self, x, seen):
        seen[0] = seen[0] + 1.0
        return x * 2


def test_a_cell_with_bprop_writes_what_has_no_gradient_and_no_more():
    x, seen = Tensor([1.0, 2.0]), Tensor([0.0, 0.0])
    assert grad(Counts())(x, seen).tolist() == [2.0, 2.0]
    assert grad(lambda x: Counts()(x, seen) + Counts()(x, seen))(x).tolist() == [4.0, 4.0]
    assert seen.tolist() == [3.0, 0.0]
    with pytest.raises(TypeError, match=r"Writes\.construct writes into its input .*x\.copy\(\)"):
        grad(Writes())(x, seen)


def test_a_write_into_a_slice_is_refused_for_it_would_not_write_through():
    a = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(TypeError, match=r"write x\[0, 1\] = v"):
        a[0][1] = 9.0
    for row in a:
        with pytest.raises(TypeError, match="copy it first"):
            row[0] = 9.0
    with pytest.raises(TypeError, match="copy it first"):
        ops.assign_add(a[0], Tensor([1.0, 1.0]))
    after = []
    with pytest.raises(TypeError, match="copy it first"):  # at its line, not when the call ends
        grad(lambda x: (ops.assign(x, x * 2), after.append(x), x.sum())[2])(a[0])
    assert not after
    assert a.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_copy_of_a_slice_is_written_alone():
    a = Tensor([1.0, 2.0])
    part = a[0:1].copy()
    part[0] = 9.0
    a[0] += 1.0
    assert (a.tolist(), part.tolist()) == ([2.0, 2.0], [9.0])


def test_a_write_by_a_tensor_of_another_tensor_does_not_alias():
    a, b = Tensor([0.0, 0.0]), Tensor([1.0, 2.0])
    a[:] = b
    b[0] = 9.0
    assert a.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("index", [np.array([0, 0]), [0, 0], Tensor([0, 0])], ids=["a", "l", "t"])
def test_of_two_writes_to_one_place_the_last_one_counts(index):
    def fn(v):
        x = Tensor([1.0, 2.0])
        x[index] = v
        return x.sum()

    assert grad(fn)(Tensor([5.0, 6.0])).tolist() == [0.0, 1.0]


def test_a_scalar_written_to_many_places_gets_the_sum():
    def fn(v):
        x = Tensor([[1.0, 2.0], [3.0, 4.0]])
        x[:, 1] = v
        return (x * x).sum()

    assert grad(fn)(Tensor(5.0)).item() == 20.0


def test_a_list_with_tensors_in_it_stays_part_of_the_calculation():
    def fn(v):
        x = Tensor([1.0, 2.0, 3.0])
        x[0:2] = [v * 2, v * 3]
        return x.sum()

    assert grad(fn)(Tensor(1.0)).item() == 5.0  # as MindSpore
    assert grad(lambda v: (Tensor([1.0, 2.0]) * [v, v * 2]).sum())(Tensor(1.0)).item() == 5.0


def test_a_written_value_takes_the_dtype_of_the_tensor():
    x = Tensor([1.0, 2.0])
    x[0] = np.float64(7)
    x[1] = Tensor(np.array(8.0))
    assert x.dtype == ms.float32
    assert x.tolist() == [7.0, 8.0]
    n = Tensor([1, 2])
    n[0] = 2.9
    assert n.tolist() == [2, 2]


def test_a_masked_write_follows_the_mask():
    def fn(x, v):
        y = x * 1
        y[x > 1] = v
        return (y * Tensor([1.0, 10.0, 100.0])).sum()

    dx, dv = grad(fn, (0, 1))(Tensor([1.0, 2.0, 3.0]), Tensor(5.0))
    assert dx.tolist() == [1.0, 0.0, 0.0]
    assert dv.item() == 110.0


def test_plus_equals_binds_the_name_anew():
    def fn(x):
        y = x
        y += x * x
        y *= x
        return y.sum()  # x² + x³

    t = Tensor([2.0])
    assert grad(fn)(t).tolist() == [16.0]
    assert t.tolist() == [2.0]
