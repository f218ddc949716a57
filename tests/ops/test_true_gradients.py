"""Gradients that MindSpore has wrong, or has no kernel for, against finite differences."""

import numpy as np
import pytest
from check import check_grads

from minigrad import Parameter, Tensor, ops
from minigrad import numpy as mnp

MATRIX = np.random.default_rng(1).uniform(-2, 2, (3, 4))
OTHER = np.random.default_rng(2).uniform(0.3, 2, (3, 4))
VECTOR, THREE = OTHER[0], OTHER[:, 0]
IMAGE = np.random.default_rng(3).uniform(-2, 2, (2, 4, 3, 3))
TWICE = Tensor([[0, 1], [2, 3], [0, 1]])  # the first place is written twice
PROOF = MATRIX @ MATRIX.T + np.eye(3)
LABELS = Tensor([1, 3, 0])
CLASSES = Tensor([[0, 2, -1, 1], [1, -1, 0, 3], [3, 1, 0, 2]])

CASES = {
    "the statistics of an inference": (
        lambda x, m, v: ops.batch_norm(x, m, v, Tensor(VECTOR), Tensor(VECTOR)),
        IMAGE, MATRIX[0], VECTOR,
    ),
    "the mean and variance that LayerNorm returns": (
        lambda x: ops.LayerNorm()(x, Tensor(VECTOR), Tensor(VECTOR)), MATRIX,
    ),
    "a slice with a negative step": (
        lambda x: ops.strided_slice(x, (0, 3), (3, 0), (1, -2)), MATRIX,
    ),
    "a value that is overwritten": (
        lambda x, u: ops.tensor_scatter_update(x, TWICE, u), MATRIX, THREE,
    ),
    "two factors at one place": (lambda x, u: ops.tensor_scatter_mul(x, TWICE, u), MATRIX, THREE),
    "two divisors at one place": (lambda x, u: ops.tensor_scatter_div(x, TWICE, u), MATRIX, THREE),
    "the largest of three at one place": (
        lambda x, u: ops.tensor_scatter_max(x, TWICE, u), MATRIX, THREE,
    ),
    "rows added in place": (lambda x, v: ops.inplace_add(x, v, (0, 2)), MATRIX, OTHER[:2]),
    "rows written in place": (lambda x, v: ops.inplace_update(x, v, (2, 0)), MATRIX, OTHER[:2]),
    "the labels of a cross entropy": (
        lambda x, y: ops.SigmoidCrossEntropyWithLogits()(x, y), MATRIX, OTHER,
    ),
    "both outputs of a cross entropy": (
        lambda x, y: ops.SoftmaxCrossEntropyWithLogits()(x, y), MATRIX, OTHER,
    ),
    "the class weights of NLLLoss": (lambda x, w: ops.NLLLoss()(x, LABELS, w), MATRIX, VECTOR),
    "a choice by conditions": (lambda x, y: mnp.select([x > 0, y > 1], [x, y * y]), MATRIX, OTHER),
    "a slice with masks": (
        lambda x: ops.StridedSlice(begin_mask=1, shrink_axis_mask=2)(x, (1, 2), (2, 3), (1, 1)),
        MATRIX,
    ),
    "a value that is assigned": (lambda x: ops.Assign()(Parameter(MATRIX), x) * 1, MATRIX),
    "looked up rows": (lambda x: ops.EmbeddingLookup()(x, Tensor([[1, 3]]), 1), MATRIX),
    "the inverse of a turned matrix": (lambda x: ops.MatrixInverse(True)(x), PROOF + MATRIX[:, :3]),
    "the Primitive SeLU": (lambda x: ops.SeLU()(x), MATRIX),
    "the target of KLDivLoss": (lambda x, y: ops.KLDivLoss()(x, y), MATRIX, OTHER),
    "cholesky": (lambda x: ops.cholesky(x), PROOF),
    "cholesky, upper": (lambda x: ops.cholesky(x, True), PROOF),
    "cholesky_solve": (lambda b, x: ops.cholesky_solve(b, ops.cholesky(x)), MATRIX, PROOF),
    "cholesky_inverse": (lambda x: ops.cholesky_inverse(ops.cholesky(x)), PROOF),
    "cummax": (lambda x: ops.cummax(x, 1)[0], MATRIX),
    "layer_norm": (lambda x, w, b: ops.layer_norm(x, (4,), w, b), MATRIX, VECTOR, OTHER[1]),
    "rms_norm": (lambda x, w: ops.rms_norm(x, w), MATRIX, VECTOR),
    "roll": (lambda x: ops.roll(x, (1, -2), (0, 1)), MATRIX),
    "embedding": (lambda w: ops.embedding(Tensor([[2, 0], [2, 1]]), w), MATRIX),
    "conv_transpose2d": (
        lambda x, w, b: ops.conv_transpose2d(x, w, b, 2, 1, 1, 2),
        IMAGE, IMAGE[:1].reshape(4, 1, 3, 3), OTHER[0, :2],
    ),
    "fold": (lambda x: ops.fold(x, (4, 4), 2), IMAGE.reshape(1, 8, 9)),
    "multilabel_margin_loss": (
        lambda x: ops.multilabel_margin_loss(x, CLASSES),
        MATRIX,
    ),
    "interpolate by area": (lambda x: ops.interpolate(x, (2, 2), mode="area"), IMAGE),
    "sums of segments": (lambda x: ops.unsorted_segment_sum(x, Tensor([1, -1, 1]), 3), MATRIX),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_true_to_second_order(name):
    function, *inputs = CASES[name]
    check_grads(function, *inputs)


# fmt: off
EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)),
    ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("i,j", (2,), (3,)), ("i,i", (3,), (3,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...i,...i->...", (2, 3), (3,)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ijk,j->ki", (2, 3, 4), (3,)), ("ij,kl->ikjl", (2, 3), (2, 2)), ("iij,j->i", (3, 3, 2), (2,)),
    ("ba,dc->", (2, 3), (4, 2)), ("a,ab,abc->abc", (2,), (2, 3), (2, 3, 4)),
    ("i...->...", (2, 3, 4)),
]
# fmt: on


@pytest.mark.parametrize("sample", EINSUMS, ids=lambda sample: sample[0])
def test_einsum_is_numpys(sample):
    equation, *shapes = sample
    rng = np.random.default_rng(len(equation))
    inputs = [rng.normal(size=shape) for shape in shapes]
    wanted = np.einsum(equation, *inputs)
    got = ops.einsum(equation, *map(Tensor, inputs))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12, atol=1e-12)
    check_grads(lambda *xs: ops.einsum(equation, *xs), *inputs)


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk->ik", [(2, 3)], "2 terms for 1 operands"),
        ("ij->i", [(2,)], "does not name the axes"),
        ("i->ij", [(2,)], "name letters of the left"),
        ("ii->i", [(2, 3)], "lengths 2 and 3"),
        ("ij,jk->ik", [(2, 3), (4, 2)], "contract"),
    ],
)
def test_einsum_says_what_is_wrong(equation, shapes, words):
    with pytest.raises(ValueError, match=words):
        ops.einsum(equation, *(Tensor(np.ones(shape)) for shape in shapes))
