"""Picking and putting: against numpy, with repeated indices; what they refuse."""

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Parameter, Tensor, grad, ops

X = np.random.default_rng(8).uniform(-2, 2, (2, 3, 4))
M = X[0]
MASK = M > 0
AGAIN = np.array([2, 0, 2])
PLACES = np.array([[0, 1, 2], [0, 1, 2], [2, 2, 2]])

PICKS = {
    "int": (lambda x: x[1], lambda x: x[1]),
    "negative": (lambda x: x[-1, 1:], lambda x: x[-1, 1:]),
    "steps": (lambda x: x[..., ::-2], lambda x: x[..., ::-2]),
    "new_axis": (lambda x: x[:, None, 1], lambda x: x[:, None, 1]),
    "list": (lambda x: x[:, [0, 2, 0]], lambda x: x[:, [0, 2, 0]]),
    "tensor": (lambda x: x[:, Tensor(AGAIN)], lambda x: x[:, AGAIN]),
    "two_lists": (lambda x: x[[0, 1, 0], [1, 1, 1]], lambda x: x[[0, 1, 0], [1, 1, 1]]),
    "mask": (lambda x: x[:, Tensor(MASK)], lambda x: x[:, MASK]),
    "condition": (lambda x: x[x > 0], lambda x: x[x > 0]),
    "rows": (lambda x: sum(row * (k + 1) for k, row in enumerate(x)), lambda x: x[0] + 2 * x[1]),
    "gather": (lambda x: ops.gather(x, Tensor(AGAIN), 1), lambda x: x[:, AGAIN]),
    "gather_last": (lambda x: ops.gather(x, Tensor(PLACES), -1), lambda x: x[..., PLACES]),
    "gather_number": (lambda x: ops.gather(x, Tensor(1), 1), lambda x: x[:, 1]),
    "index_select": (lambda x: ops.index_select(x, 2, Tensor(AGAIN)), lambda x: x[..., AGAIN]),
    "gather_elements": (lambda x: ops.gather_elements(x[0], 0, Tensor(PLACES)),
        lambda x: np.take_along_axis(x[0, :, :3], PLACES, 0)),
    "gather_fewer": (lambda x: ops.gather_elements(x[0], 1, Tensor(PLACES[:2])),
        lambda x: np.take_along_axis(x[0, :2], PLACES[:2], 1)),
    "masked_select": (lambda x: ops.masked_select(x, Tensor(MASK)), lambda x: x[:, MASK].ravel()),
    "masked_select_stretched": (lambda x: ops.masked_select(x[0, 0], Tensor(MASK)),
        lambda x: np.broadcast_to(x[0, 0], (3, 4))[MASK]),
    "multiplied": (
        lambda x: ops.tensor_scatter_elements(x[0], Tensor(PLACES[:1]), x[1, :1, :3], 0, "mul"),
        lambda x: np.where(np.eye(3, 4), x[0] * x[1, 0], x[0])),
    "diag": (lambda x: ops.diag(x[0, 0]), lambda x: np.diag(x[0, 0])),
    "trace": (lambda x: ops.trace(x[0]), lambda x: np.trace(x[0])),
    "tril": (lambda x: ops.tril(x, 1), lambda x: np.tril(x, 1)),
    "triu": (lambda x: ops.triu(x, -1), lambda x: np.triu(x, -1)),
}  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs"), PICKS.values(), ids=PICKS)
def test_picks(ours, theirs):
    np.testing.assert_allclose(ours(Tensor(X)).asnumpy(), theirs(X), rtol=1e-15, strict=True)
    check_grads(ours, X)


def test_an_entry_picked_twice_gets_twice_the_gradient():
    assert grad(lambda x: ops.gather(x, Tensor([1, 1, 2]), 0))(
        Tensor([5.0, 6.0, 7.0])
    ).tolist() == [0, 2, 1]


def test_scatter_add():
    indices, updates = np.array([[0, 1], [0, 1], [2, 3]]), np.array([1.0, 10.0, 100.0])
    wanted = M.copy()
    wanted[0, 1] += 11
    wanted[2, 3] += 100
    got = ops.tensor_scatter_add(Tensor(M), Tensor(indices), Tensor(updates))
    np.testing.assert_allclose(got.asnumpy(), wanted)
    check_grads(lambda x, u: ops.tensor_scatter_add(x, Tensor(indices), u), M, updates)
    rows = np.array([[1], [1]])
    check_grads(lambda x, u: ops.tensor_scatter_add(x, Tensor(rows), u), M, X[1, :2])


def test_a_row_with_an_axis_in_front_is_written_and_gets_its_gradient():
    def write(x, row):
        x = x * 1
        x[0] = row
        return x * Tensor([[2.0, 3.0], [5.0, 7.0]])

    dx, row = grad(write, (0, 1))(Tensor(np.ones((2, 2))), Tensor([[4.0, 4.0]]))
    assert (dx.tolist(), row.tolist()) == ([[0, 0], [5, 7]], [[2, 3]])


def test_index_add_writes_into_a_parameter():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert ops.index_add(p, Tensor([1, 1]), Tensor([10.0, 20.0]), 0) is p
    assert p.tolist() == [1, 32]


def test_places_of_what_is_not_zero():
    rows, columns = ops.nonzero(Tensor([[0, 5], [7, 0]]), as_tuple=True)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])


def test_searchsorted():
    search = ops.searchsorted
    assert search(Tensor([3, 1, 2]), Tensor([2, 3]), sorter=Tensor([1, 2, 0])).tolist() == [1, 2]
    rows, values = Tensor([[1, 3, 5], [2, 4, 6]]), Tensor([[3, 6], [3, 6]])
    assert search(rows, values).tolist() == [[1, 3], [1, 2]]
    assert search(rows, values, right=True).tolist() == [[2, 3], [1, 3]]


def test_one_hot():
    assert ops.one_hot(Tensor([1, 3, -1]), 3).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    warm = ops.one_hot(Tensor([[0], [1]]), 2, Tensor(2.0), -1.0)
    assert warm.tolist() == [[[2, -1]], [[-1, 2]]]
    assert warm.dtype == ms.float32


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x[2], IndexError, "index 2 is out of bounds"),
        (lambda x: x[:, 1.0], IndexError, "made of integers"),
        (lambda x: x["a"], IndexError, "'a'"),
        (lambda x: x[0, 0, 0, 0], IndexError, "too many indices"),
        (lambda x: ops.gather(x, Tensor([0]), 3), IndexError, "axis 3"),
        (lambda x: ops.gather(x, Tensor([3]), 1), IndexError, "index 3"),
        (lambda x: ops.gather(x, Tensor([0.0]), 1), IndexError, "made of integers"),
        (lambda x: ops.gather(x, Tensor([0]), 0, 1), ValueError, "axis must be 1"),
        (lambda x: ops.gather_elements(x, 3, Tensor([[[0]]])), IndexError, "axis 3"),
        (lambda x: ops.gather_elements(x, 0, Tensor([0])), ValueError, "dimensions"),
        (lambda x: ops.one_hot(Tensor([0.0]), 2), TypeError, "must be integers"),
        (lambda x: ops.one_hot(Tensor([0]), 2, axis=2), IndexError, "axis 2"),
        (lambda x: ops.masked_select(x, Tensor([True, False])), ValueError, "shape|broadcast"),
        (
            lambda x: ops.tensor_scatter_update(x, Tensor([[0, 0, 0, 0]]), Tensor([1.0])),
            ValueError,
            r"tensor_scatter_update: .* axis of \(2, 3, 4\).* shape \(1, 4\)",
        ),
        (
            lambda x: ops.tensor_scatter_elements(x[0], Tensor([[0]]), x[0, :1, :1], 0, "max"),
            ValueError,
            "tensor_scatter_elements: reduction must be .*'max'",
        ),
        (
            lambda x: ops.masked_scatter(x[0], Tensor(MASK), x[0, 0, :1]),
            ValueError,
            f"masked_scatter: the mask has {MASK.sum()} places, but only 1 values",
        ),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor(X))
