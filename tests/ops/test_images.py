"""Ops on images and on batches of features: what is not recorded from MindSpore, and refusals."""

import numpy as np
import pytest
from check import check_grads

from minigrad import Parameter, Tensor, grad, ops

IMAGES = np.arange(64.0).reshape(1, 4, 4, 4)
ROWS = np.array([[1.0, 2.0], [3.0, 8.0]])


def test_fold_takes_its_size_from_a_tensor():
    windows = Tensor(np.ones((1, 4, 4)))  # four windows of 2 x 2: the middle is in all of them
    folded = ops.fold(windows, Tensor([3, 3]), 2)
    assert folded.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]


def test_the_places_of_the_largest_entries_of_parts():
    image = Tensor([[[[1.0, 9.0, 2.0], [4.0, 3.0, 8.0]]]])
    largest, places = ops.adaptive_max_pool2d(image, (1, 2), return_indices=True)
    assert largest.tolist() == [[[[9, 9]]]]
    assert places.tolist() == [[[[1, 1]]]]  # counted in the image
    largest, places = ops.adaptive_max_pool2d(image[..., ::-1], (2, 2), return_indices=True)
    assert largest.tolist() == [[[[9, 9], [8, 4]]]]
    assert places.tolist() == [[[[1, 1], [3, 5]]]]
    check_grads(lambda x: ops.adaptive_max_pool2d(x, 2, return_indices=True)[0], IMAGES % 7)


def test_a_running_variance_may_follow_alone():
    variance = Parameter(Tensor([1.0, 1.0]), name="variance")
    out = ops.batch_norm(Tensor(ROWS), None, variance, None, None, True, momentum=0.5, eps=0.0)
    np.testing.assert_allclose(out.asnumpy(), [[-1, -1], [1, 1]])
    assert variance.tolist() == [(1 + 2) / 2, (1 + 18) / 2]  # halfway to the unbiased variance


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: ops.interpolate(x[0, 0], size=2), r"interpolate: mode 'nearest' .*\(4, 4\)"),
        (lambda x: ops.interpolate(x, size=2, mode="bicubic"), "'bicubic' does not go .*'area'"),
        (lambda x: ops.interpolate(x), "interpolate: give either size or scale_factor.* None"),
        (lambda x: ops.interpolate(x, 3, 2.0), "interpolate: give either .* but got 3 and 2.0"),
        (lambda x: ops.pixel_shuffle(x[0, 0], 2), r"pixel_shuffle: .*3 axes .*\(4, 4\)"),
        (lambda x: ops.pixel_shuffle(x, 3), "pixel_shuffle: 4 channels are no multiple of 3"),
        (lambda x: ops.pixel_unshuffle(x, 3), "pixel_unshuffle: 4 x 4 pixels .* 3 x 3"),
        (lambda x: ops.channel_shuffle(x, 3), "channel_shuffle: 4 channels .* 3 groups"),
        (lambda x: ops.adaptive_avg_pool2d(x[0, 0], 1), r"2d: .*3 or 4 axes.* \(4, 4\)"),
        (lambda x: ops.bias_add(x, x[0, 0, 0, :3]), r"bias_add: .*\(1, 4, 4, 4\), but .*\(3,\)"),
        (lambda x: ops.fold(x[0], (4, 4), 2), r"fold: .*channels \* 4, 9\), but has \(4, 4, 4\)"),
        (
            lambda x: ops.conv_transpose2d(x, x.reshape(4, 1, 4, 4), output_padding=1),
            r"conv_transpose2d: output_padding \(1, 1\) must be below stride \(1, 1\)",
        ),
        (lambda x: ops.layer_norm(x, (3,)), r"layer_norm: .*\(3,\) .*\(1, 4, 4, 4\) ends"),
        (lambda x: ops.dropout2d(x[0, 0]), r"dropout2d: .*3 or 4 axes.*\(4, 4\)"),
        (lambda x: ops.embedding(Tensor([0]), x[0, 0], max_norm=1.0), "embedding: .*max_norm"),
        (lambda x: ops.clip_by_global_norm((x,), 1.0, 2.0), "global_norm: use_norm must be None"),
    ],
)
def test_refusals_say_what_was_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call(Tensor(IMAGES))


@pytest.mark.parametrize("pool", [ops.avg_pool2d, ops.max_pool2d])
def test_a_window_of_one_entry_is_that_entry(pool):
    x = Tensor([[[[1.0, -2.0], [3.0, 0.0]]]])
    assert pool(x, 1).tolist() == x.tolist()
    assert grad(lambda x: (pool(x, 1) ** 2).sum())(x).tolist() == (2 * x).tolist()
    assert grad(grad(lambda x: (pool(x, 1) ** 2).sum()))(x).tolist() == [[[[2.0] * 2] * 2]]


def test_dilated_windows_share_entries_though_each_begins_behind_the_one_before():
    """Windows of the entries 0 and 2, and 2 and 4: the 5 is the largest of both."""
    x = Tensor([[[1.0, 0.0, 5.0, 0.0, 2.0]]])
    slope = grad(lambda x: ops.max_pool1d(x, 2, 2, dilation=2).sum())(x)
    assert slope.tolist() == [[[0.0, 0.0, 2.0, 0.0, 0.0]]]


def test_padding_takes_no_gradient_from_an_infinite_entry():
    """The first window is padding and infinity, the second 1 and 2."""
    x = Tensor([[[np.inf, 1.0, 2.0]]])
    slope = grad(lambda x: ops.max_pool1d(x, 2, 2, padding=1).sum())(x)
    assert slope.tolist() == [[[1.0, 0.0, 1.0]]]
