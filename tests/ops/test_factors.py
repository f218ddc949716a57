"""Singular values, QR, pseudo-inverses, least squares and the norms that are made of them.

``rules/test_catalogue.py`` holds the rules to second order; here stands what the factors are for.
"""

import numpy as np
import pytest
from check import check_grads

from minigrad import Tensor, grad, ops

SHAPES = [(3, 3), (5, 2), (2, 5), (4, 2, 3), (2, 3, 2)]


def numbers(*shape):
    return np.random.default_rng([*shape]).normal(size=shape)


def near(got, wanted):
    np.testing.assert_allclose(got, wanted, atol=1e-12)


def has_orthonormal_columns(x):
    near(x.mT @ x - np.eye(x.shape[-1]), 0)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_put_together_give_the_matrix(shape, full):
    x = numbers(*shape)
    s, u, v = (y.asnumpy() for y in ops.svd(Tensor(x), full))
    k = min(shape[-2:])
    assert s.shape[-1] == k
    assert (np.diff(s) <= 0).all()
    assert (u.shape[-1], v.shape[-1]) == (shape[-2:] if full else (k, k))
    near(u[..., :k] * s[..., None, :] @ v[..., :k].mT, x)
    has_orthonormal_columns(u)
    has_orthonormal_columns(v)
    q, r = (y.asnumpy() for y in ops.qr(Tensor(x), "complete" if full else "reduced"))
    assert q.shape[-1] == (shape[-2] if full else k)
    near(q @ r, x)
    near(np.tril(r, -1), 0)
    has_orthonormal_columns(q)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_dtypes(dtype):
    x = Tensor(np.array([[3, 0], [0, 4], [0, 0]], dtype))
    wanted = np.float16 if dtype == np.float16 else np.float32
    for y in (*ops.svd(x), *ops.qr(x), ops.pinv(x), ops.matrix_norm(x, "nuc")):
        assert y.asnumpy().dtype == wanted
    assert ops.svd(x, compute_uv=False).tolist() == [4.0, 3.0]


def test_the_complete_factors_of_a_square_matrix_are_the_reduced_ones():
    x = Tensor(numbers(3, 3))
    slopes = [grad(lambda x, m=m: ops.qr(x, m)[0][0].sum())(x) for m in ("complete", "reduced")]
    near(slopes[0].asnumpy(), slopes[1].asnumpy())


@pytest.mark.parametrize(("shape", "kept"), [((40, 30), 0), ((30, 40), 0), ((100, 4, 3), 1)])
def test_the_pseudo_inverse_leaves_out_what_may_be_rounding(shape, kept):
    """That is below the largest singular value times eps and the longer side of the matrix."""
    small = 10 * np.finfo(np.float64).eps
    x, wanted = np.zeros(shape), np.zeros((*shape[:-2], *shape[:-3:-1]))
    x[..., 0, 0], x[..., 1, 1] = 2.0, 2.0 * small
    wanted[..., 0, 0], wanted[..., 1, 1] = 0.5, kept * 0.5 / small
    np.testing.assert_allclose(ops.pinv(Tensor(x)).asnumpy(), wanted, rtol=1e-12)


def test_factors_without_a_gradient_say_so():
    tall = Tensor(numbers(3, 2))
    with pytest.raises(ValueError, match="full_matrices"):
        grad(lambda x: ops.svd(x, True)[0].sum())(tall)
    with pytest.raises(ValueError, match="reduced"):
        grad(lambda x: ops.qr(x, "complete")[1].sum())(tall)
    with pytest.raises(ValueError, match="mode"):
        ops.qr(tall, "r")
    with pytest.raises(ValueError, match=r"\(3, 2\), \(2,\)"):
        ops.lstsq(tall, Tensor([1.0, 2.0]))


@pytest.mark.parametrize("ord", [2, -2, "nuc"])
def test_norms_from_singular_values(ord):
    x = numbers(2, 3, 4)
    wanted = [np.linalg.norm(y, ord) for y in x]
    near(ops.matrix_norm(Tensor(x), ord).asnumpy(), wanted)
    turned = ops.norm(Tensor(x.transpose(1, 0, 2)), ord, (0, -1), keepdim=True)
    near(turned.asnumpy(), np.reshape(wanted, (1, 2, 1)))
    check_grads(lambda x: ops.matrix_norm(x, ord), x)


def test_gradients_where_singular_values_are_equal_or_0():
    """The vectors are not determined there, but what is made of the values has a gradient."""
    total = grad(lambda x: ops.matrix_norm(x, "nuc"))
    near(total(Tensor(np.eye(3) * 2)).asnumpy(), np.eye(3))
    flat = total(Tensor(np.outer([1.0, 2.0], [2.0, 1.0]))).asnumpy()
    assert np.isfinite(flat).all()
    near(grad(lambda x: ops.matrix_norm(x, 2))(Tensor([[3.0, 0.0], [0.0, 0.0]])).asnumpy(),
         [[1, 0], [0, 0]])  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES[:3])
def test_least_squares(shape):
    a, b = numbers(*shape), numbers(shape[0], 4)
    near(ops.lstsq(Tensor(a), Tensor(b)).asnumpy(), np.linalg.lstsq(a, b)[0])
    near(ops.lstsq(Tensor(a), Tensor(b[:, 0])).asnumpy(), np.linalg.lstsq(a, b[:, :1])[0])
    check_grads(ops.lstsq, a, b)


def test_pseudo_inverse_of_a_matrix_without_full_rank():
    low = numbers(4, 2) @ numbers(2, 3)
    near(ops.pinv(Tensor(low)).asnumpy(), np.linalg.pinv(low))
    assert ops.pinv(Tensor([[2.0, 0.0], [0.0, 0.5]]), atol=1.0).tolist() == [[0.5, 0], [0, 0]]
    assert ops.pinv(Tensor([[2.0, 0.0], [0.0, 0.5]]), rtol=0.5).tolist() == [[0.5, 0], [0, 0]]
    check_grads(lambda x, y: ops.pinv(x @ y), numbers(4, 2), numbers(2, 3))  # the rank stays


def test_condition():
    x = numbers(3, 3)
    for p in (None, 2, -2, 1, "fro"):
        near(ops.cond(Tensor(x), p).asnumpy() / np.linalg.cond(x, p), 1)
    check_grads(ops.cond, x, order=1)
