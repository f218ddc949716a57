"""Corner: indices. Repeated ones add up, permutations turn back the right way, all kinds pick.

The gradients are written down by hand: entry i gets the weights of the places it was sent to.
"""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad, ops


def tensor(numbers):
    return Tensor(np.array(numbers, np.float64))


def weighted(x):
    """A sum in which every entry of x has a weight of its own: 1, 2, 3, ..."""
    return (x * tensor(np.arange(1.0, x.size + 1).reshape(x.shape))).sum()


ROW, TABLE = [30.0, 10.0, 20.0], [[1.0, 2.0], [3.0, 4.0]]
WHOLE = Tensor([0, 0, 2])


@pytest.mark.parametrize(
    ("fn", "x", "wanted"),
    [
        # repeated
        (lambda x: x[WHOLE], ROW, [3, 0, 3]),
        (lambda x: x[[0, 0, 2]], ROW, [3, 0, 3]),
        (lambda x: x[np.array([-1, 2, -1])], ROW, [0, 0, 6]),
        (lambda x: ops.gather(x, Tensor([1, 1]), 0), TABLE, [[0, 0], [4, 6]]),
        (lambda x: ops.gather(x, Tensor([1, 1]), 1), TABLE, [[0, 3], [0, 7]]),
        (lambda x: ops.gather_elements(x, 1, Tensor([[0, 0], [1, 0]])), TABLE, [[3, 0], [4, 3]]),
        (lambda x: ops.gather_nd(x, Tensor([[1, 0], [1, 0]])), TABLE, [[0, 0], [3, 0]]),
        (lambda x: ops.index_select(x, 0, Tensor([1, 1, 0])), TABLE, [[5, 6], [4, 6]]),
        (lambda x: ops.repeat_interleave(x, 2, 0), ROW, [3, 7, 11]),
        (lambda x: ops.tile(x, (2,)), ROW, [5, 7, 9]),
        (lambda x: x[[0, 1, 1], [1, 0, 0]], TABLE, [[0, 1], [5, 0]]),
        # permutations, and back
        (lambda x: ops.sort(x)[0], ROW, [3, 1, 2]),
        (lambda x: ops.sort(x, descending=True)[0], ROW, [1, 3, 2]),
        (lambda x: ops.topk(x, 2)[0], ROW, [1, 0, 2]),
        (lambda x: x[ops.argsort(x)], ROW, [3, 1, 2]),
        (lambda x: x[::-1], ROW, [3, 2, 1]),
        (lambda x: ops.flip(x, (0,)), TABLE, [[3, 4], [1, 2]]),
        (lambda x: ops.roll(x, 1, 0), ROW, [2, 3, 1]),
        (lambda x: x.T, TABLE, [[1, 3], [2, 4]]),
        # masks, steps, new axes, Tensors and numbers
        (lambda x: x[x > 15], ROW, [1, 0, 2]),
        (lambda x: x[Tensor([False, True])], TABLE, [[0, 0], [1, 2]]),
        (lambda x: ops.masked_select(x, x > 15), ROW, [1, 0, 2]),
        (lambda x: x[2:0:-2], ROW, [0, 0, 1]),
        (lambda x: x[-1:-4:-1], ROW, [3, 2, 1]),
        (lambda x: x[2:2], ROW, [0, 0, 0]),
        (lambda x: x[None, ..., 0], TABLE, [[1, 0], [2, 0]]),
        (lambda x: x[Tensor(1)], ROW, [0, 1, 0]),
        (lambda x: x[Tensor(1), Tensor([0, 0])], TABLE, [[0, 0], [3, 0]]),
        (lambda x: x[..., [1, 1]], TABLE, [[0, 3], [0, 7]]),
    ],
)  # fmt: skip
def test_an_entry_gets_what_its_places_send(fn, x, wanted):
    got = grad(lambda x: weighted(fn(x)))(tensor(x))
    assert got.asnumpy().tolist() == np.array(wanted, float).tolist()


def test_a_permutation_of_three_axes_is_turned_back():
    """One that is not its own inverse."""
    x, weights = np.ones((2, 3, 4)), np.arange(24.0).reshape(4, 2, 3)
    got = grad(lambda x: (ops.transpose(x, (2, 0, 1)) * Tensor(weights)).sum())(Tensor(x))
    wanted = np.array([[[weights[k, i, j] for k in range(4)] for j in range(3)] for i in range(2)])
    np.testing.assert_array_equal(got.asnumpy(), wanted)


PLACES = Tensor([[0], [0], [2]])


@pytest.mark.parametrize(
    ("fn", "of_x", "of_updates"),
    [
        (lambda x, v: ops.tensor_scatter_add(x, PLACES, v), [1, 2, 3], [1, 1, 3]),
        (lambda x, v: ops.tensor_scatter_sub(x, PLACES, v), [1, 2, 3], [-1, -1, -3]),
        (lambda x, v: ops.index_add(x, Tensor([0, 0, 2], ms.int32), v, 0), [1, 2, 3], [1, 1, 3]),
        # the last write to a place stays; the ones before it are lost, and so is what was there
        (lambda x, v: ops.tensor_scatter_update(x, PLACES, v), [0, 2, 0], [0, 1, 3]),
    ],
)
def test_what_is_written_twice(fn, of_x, of_updates):
    x, updates = tensor(ROW), tensor([5.0, 6.0, 7.0])
    got = grad(lambda x, v: weighted(fn(x, v)), (0, 1))(x, updates)
    assert [each.tolist() for each in got] == [of_x, of_updates]


@pytest.mark.parametrize(
    ("key", "of_x", "of_value"),
    [
        (0, [0, 2, 3], 1),
        (-1, [1, 2, 0], 3),
        (slice(None, None, -1), [0, 0, 0], 6),
        (slice(0, 2), [0, 0, 3], 3),
        (Tensor([True, False, True]), [0, 2, 0], 4),
        ([0, 2], [0, 2, 0], 4),
        (Tensor(1), [1, 0, 3], 2),
    ],
    ids=str,
)
def test_an_entry_that_is_written_over_sends_nothing(key, of_x, of_value):
    def fn(x, value):
        x = x * 1.0
        x[key] = value
        return weighted(x)

    got = grad(fn, (0, 1))(tensor(ROW), tensor(5.0))
    assert [each.tolist() for each in got] == [of_x, of_value]


def test_a_place_assigned_twice_by_one_list_keeps_the_last():
    def fn(value):
        x = tensor([0.0, 0.0])
        x[[0, 0]] = value
        return (x * tensor([3.0, 4.0])).sum(), x

    got, (x,) = grad(fn, has_aux=True)(tensor([5.0, 6.0]))
    assert x.tolist() == [6.0, 0.0]
    assert got.tolist() == [0.0, 3.0]


@pytest.mark.parametrize("key", [3, -4, Tensor([3]), [0, 3], (0, 0), "a", 1.5])
def test_an_index_that_cannot_be_is_an_error(key):
    with pytest.raises((IndexError, TypeError)) as raised:
        tensor(ROW)[key]
    assert len(str(raised.value)) > 20  # says what came, not only that it cannot be


def test_a_mask_of_another_length_is_an_error():
    with pytest.raises(IndexError, match=r"3.*2|2.*3"):
        tensor(ROW)[Tensor([True, False])]
