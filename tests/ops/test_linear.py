"""Products: against numpy, in every combination of axes."""

import itertools

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor, ops

draw = np.random.default_rng(9).normal
LEFT = [draw(size=s) for s in [(3,), (2, 3), (5, 2, 3), (4, 1, 2, 3), (0, 3)]]
RIGHT = [draw(size=s) for s in [(3,), (3, 2), (5, 3, 2), (4, 5, 3, 1)]]
X, M = draw(size=(2, 3, 4)), draw(size=(3, 4))


@pytest.mark.parametrize(("x", "y"), [*itertools.product(LEFT, RIGHT)], ids=lambda x: str(x.shape))
def test_matmul(x, y):
    np.testing.assert_allclose(
        ops.matmul(Tensor(x), Tensor(y)).asnumpy(), np.matmul(x, y), strict=False
    )
    check_grads(lambda x, y: x @ y, x, y)


@pytest.mark.parametrize("x", [X, M, M[0]], ids=lambda x: str(x.shape))
def test_dense(x):
    w, b = draw(size=(2, 4)), draw(size=2)
    np.testing.assert_allclose(ops.dense(*map(Tensor, (x, w, b))).asnumpy(), x @ w.T + b)
    np.testing.assert_allclose(ops.dense(Tensor(x), Tensor(w)).asnumpy(), x @ w.T)
    check_grads(ops.dense, x, w, b)
    check_grads(ops.dense, x, w)


def test_outer_and_bmm():
    v, u = draw(size=3), draw(size=2)
    np.testing.assert_allclose(ops.outer(Tensor(v), Tensor(u)).asnumpy(), np.outer(v, u))
    check_grads(ops.outer, v, u)
    check_grads(ops.bmm, X, X.swapaxes(1, 2))


@pytest.mark.parametrize("axes", [0, 1, 2, ((0, 1), (1, 0)), ((2,), (1,)), (1, 0)], ids=str)
def test_tensor_dot(axes):
    x = X
    y = (
        {0: M, 1: M.T, 2: M}[axes]
        if isinstance(axes, int)
        else draw(size=(3, 2))
        if axes[0] == (0, 1)
        else M
    )
    np.testing.assert_allclose(
        ops.tensor_dot(Tensor(x), Tensor(y), axes).asnumpy(), np.tensordot(x, y, axes)
    )
    check_grads(lambda x, y: ops.tensor_dot(x, y, axes), x, y)


def test_inner_with_a_number_and_einsum_of_a_list():
    assert ops.inner(Tensor(2.0), Tensor([1.0, 3.0])).tolist() == [2, 6]
    x, y = draw(size=(2, 3)), draw(size=(3, 2))
    got = ops.einsum("ij,jk->ik", [Tensor(x), Tensor(y)])
    np.testing.assert_allclose(got.asnumpy(), x @ y)


def test_the_frobenius_norm_of_vectors_is_their_length():
    rows = Tensor([[3.0, 4.0], [0.0, 2.0]])
    assert ops.norm(rows, "fro", dim=1).tolist() == [5, 2]
    assert ops.norm(rows, "fro", dim=1, keepdim=True).tolist() == [[5], [2]]


def test_cross_needs_three_entries():
    with pytest.raises(ValueError, match=r"cross: axis 0 of the shape \(2, 3\) must have length 3"):
        ops.cross(Tensor(X[:, :, 0]), Tensor(X[:, :, 0]), 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Tensor(M) @ Tensor(M),
        lambda: ops.dense(Tensor(M), Tensor(draw(size=(2, 3))), Tensor(draw(size=2))),
        lambda: ops.tensor_dot(Tensor(M), Tensor(M), 1),
    ],
)
def test_lengths_that_do_not_fit_are_refused(call):
    with pytest.raises(ValueError, match=r"\(3, 4\)|\(4, 3\)"):
        call()


def test_a_system_of_float16_is_solved_in_float16():
    """A^-1 = [[3, -1], [-1, 2]] / 5; the gradients of the sum are A^-T 1 and -(A^-T 1) x^T."""
    a = Tensor(np.array([[2.0, 1.0], [1.0, 3.0]], np.float16))
    b = Tensor(np.array([5.0, 11.0], np.float16))
    x, (da, db) = ms.value_and_grad(ops.solve, (0, 1))(a, b)
    for got, wanted in ((x, [0.8, 3.4]), (db, [0.4, 0.2]), (da, [[-0.32, -1.36], [-0.16, -0.68]])):
        assert got.dtype == ms.float16
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=2e-3)


def test_a_matrix_of_float16_is_inverted_in_float16():
    a = Tensor(np.array([[2.0, 1.0], [1.0, 3.0]], np.float16))
    inverse = ops.inverse(a)
    assert inverse.dtype == ms.float16
    np.testing.assert_allclose(inverse.asnumpy(), [[0.6, -0.2], [-0.2, 0.4]], rtol=2e-3)


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e9])
def test_what_counts_as_zero_in_a_pseudoinverse_goes_by_its_largest_value(size):
    a = Tensor(np.diag([size, size / 2, 0.0]))
    found = ops.pinv(a).asnumpy()
    np.testing.assert_allclose(found, np.diag([1 / size, 2 / size, 0.0]), rtol=1e-6)
