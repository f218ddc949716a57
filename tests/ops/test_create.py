"""Tensors made from nothing."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, ops

X = Tensor(np.arange(6.0).reshape(2, 3))

MADE = [
    (lambda: ops.ones((2, 3)), np.ones((2, 3), np.float32)),
    (lambda: ops.ones(3, ms.int32), np.ones(3, np.int32)),
    (lambda: ops.zeros(()), np.zeros((), np.float32)),
    (lambda: ops.zeros([2, 1], ms.float64), np.zeros((2, 1))),
    (lambda: ops.zeros(Tensor([2, 2])), np.zeros((2, 2), np.float32)),
    (lambda: ops.full((2,), 3), np.full(2, 3, np.int64)),
    (lambda: ops.full((2,), 1.5), np.full(2, 1.5, np.float32)),  # MindSpore cuts it to 1
    (lambda: ops.full(2, True, dtype=ms.float16), np.ones(2, np.float16)),
    (lambda: ops.ones_like(X), np.ones((2, 3))),
    (lambda: ops.ones_like(X, dtype=ms.int8), np.ones((2, 3), np.int8)),
    (lambda: ops.zeros_like(Tensor([1, 2])), np.zeros(2, np.int64)),
    (lambda: ops.full_like(X, 2), np.full((2, 3), 2.0)),
    (lambda: ops.arange(4), np.arange(4)),
    (lambda: ops.arange(5, 0, -2), np.array([5, 3, 1])),
    (lambda: ops.arange(0.5, 2.0, 0.5), np.array([0.5, 1, 1.5], np.float32)),
    (lambda: ops.arange(3, dtype=ms.float32), np.array([0, 1, 2], np.float32)),
    (lambda: ops.linspace(0, 1, 5), np.array([0, 0.25, 0.5, 0.75, 1], np.float32)),
    (lambda: ops.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    (lambda: ops.eye(2, dtype=ms.int64), np.eye(2, dtype=np.int64)),
]


@pytest.mark.parametrize(("make", "wanted"), MADE)
def test_made(make, wanted):
    np.testing.assert_array_equal(make().asnumpy(), wanted, strict=True)


@pytest.mark.parametrize("shape", ["a", 2.5, (2, -1), None])
def test_no_shape(shape):
    with pytest.raises((TypeError, ValueError)):
        ops.zeros(shape)


def test_a_step_of_0_leads_nowhere():
    with pytest.raises(ValueError, match="arange: step must not be 0"):
        ops.arange(1, 5, 0)


def test_what_is_made_does_not_share_memory():
    made = ops.full_like(X, 1)
    made[0] = 5.0
    assert X.tolist() == [[0, 1, 2], [3, 4, 5]]
