"""Writes into Tensors, and what gradients follow: ``x[0] = v``, ``x[mask] = v``, ``x += y``."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad


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


def test_a_write_into_the_input_itself_does_not_reach_the_callers_tensor():
    def fn(x):
        x[1] = x[0] * 3
        return (x * Tensor([1.0, 10.0])).sum()

    t = Tensor([1.0, 2.0])
    assert grad(fn)(t).tolist() == [31.0, 0.0]
    assert t.tolist() == [1.0, 2.0]


def test_a_write_into_a_slice_is_refused_for_it_would_not_write_through():
    a = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(TypeError, match=r"write x\[0, 1\] = v"):
        a[0][1] = 9.0
    for row in a:
        with pytest.raises(TypeError, match="copy it first"):
            row[0] = 9.0
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
