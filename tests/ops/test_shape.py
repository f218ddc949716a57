"""Ops that move values: against numpy, and their gradients; what they refuse."""

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor, ops

X = np.random.default_rng(6).uniform(-2, 2, (2, 3, 4))
M, V, POINT = X[0], X[0, 0], X[0, 0, 0]

MOVES = {
    "transpose": (lambda x: ops.transpose(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    "permute": (lambda x: ops.permute(x, (-1, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    "swapaxes": (lambda x: ops.swapaxes(x, 0, -1), lambda x: x.swapaxes(0, 2)),
    "reshape": (lambda x: ops.reshape(x, (4, -1)), lambda x: x.reshape(4, 6)),
    "expand_dims": (lambda x: ops.expand_dims(x, -2), lambda x: x[:, :, None]),
    "unsqueeze": (lambda x: ops.unsqueeze(x, 3), lambda x: x[..., None]),
    "squeeze": (lambda x: ops.squeeze(x[:, :1]), lambda x: x[:, 0]),
    "squeeze_axes": (lambda x: ops.squeeze(x[:1, :1], (0, -2)), lambda x: x[0, 0]),
    "squeeze_long": (lambda x: ops.squeeze(x, 1), lambda x: x),
    "flatten": (ops.flatten, lambda x: x.reshape(2, 12)),
    "flatten_all": (lambda x: ops.flatten(x, start_dim=0), np.ravel),
    "flatten_to": (lambda x: ops.flatten(x, start_dim=-3, end_dim=-2), lambda x: x.reshape(6, 4)),
    "broadcast_to": (lambda x: ops.broadcast_to(x[:, :1], (5, -1, 3, -1)),
        lambda x: np.broadcast_to(x[:, :1], (5, 2, 3, 4))),
    "tile": (lambda x: ops.tile(x, (2, 1, 1, 3)), lambda x: np.tile(x, (2, 1, 1, 3))),
    "tile_few": (lambda x: ops.tile(x, (2,)), lambda x: np.tile(x, 2)),
    "tile_zero": (lambda x: ops.tile(x, (0, 1)), lambda x: np.tile(x, (0, 1))),
    "repeat": (lambda x: ops.repeat_interleave(x, 2, -1), lambda x: np.repeat(x, 2, -1)),
    "repeat_flat": (lambda x: ops.repeat_interleave(x, 3), lambda x: np.repeat(x, 3)),
    "repeat_each": (
        lambda x: ops.repeat_interleave(x, [2, 0, 1], 1), lambda x: np.repeat(x, [2, 0, 1], 1)),
    "flip": (lambda x: ops.flip(x, (0, -1)), lambda x: np.flip(x, (0, 2))),
    "flip_one": (lambda x: ops.flip(x, 1), lambda x: np.flip(x, 1)),
    "pad": (lambda x: ops.pad(x, (1, 2, 0, 3)), lambda x: np.pad(x, ((0, 0), (0, 3), (1, 2)))),
    "pad_value": (lambda x: ops.pad(x, (1, 0), value=-7.0),
        lambda x: np.pad(x, ((0, 0), (0, 0), (1, 0)), constant_values=-7)),
    "strided": (lambda x: ops.strided_slice(x, (0, 3), (0, 0), (1, -1), ellipsis_mask=1),
        lambda x: x[..., 3:0:-1]),
    "strided_new_axis": (lambda x: ops.strided_slice(x, (0, 1), (0, 2), (1, 1), new_axis_mask=1),
        lambda x: x[None, 1:2]),
    "cast": (lambda x: ops.cast(x, ms.float64), lambda x: x),
    "concat": (lambda x: ops.concat((x, x[:1]), 0), lambda x: np.concatenate((x, x[:1]))),
    "cat": (lambda x: ops.cat((x, x[..., :2]), -1), lambda x: np.concatenate((x, x[..., :2]), -1)),
    "stack": (lambda x: ops.stack((x, -x), -1), lambda x: np.stack((x, -x), -1)),
}  # fmt: skip
PARTS = {
    "split": (lambda x: ops.split(x, 2, -1), lambda x: np.split(x, 2, -1)),
    "split_rest": (lambda x: ops.split(x, 3, 2), lambda x: np.split(x, [3], 2)),
    "split_sizes": (lambda x: ops.split(x, [1, 0, 2], 1), lambda x: np.split(x, [1, 1], 1)),
    "chunk": (lambda x: ops.chunk(x, 2, 1), lambda x: np.split(x, [2], 1)),
    "chunk_many": (lambda x: ops.chunk(x, 5, 0), lambda x: np.split(x, 2, 0)),
    "unbind": (lambda x: ops.unbind(x, -1), lambda x: [x[..., k] for k in range(4)]),
    "meshgrid": (lambda x: ops.meshgrid(x[0, 0], x[0, :, 0], x[:, 0, 0]),
        lambda x: np.meshgrid(x[0, 0], x[0, :, 0], x[:, 0, 0])),
    "meshgrid_ij": (lambda x: ops.meshgrid(x[0, 0], x[0, :, 0], indexing="ij"),
        lambda x: np.meshgrid(x[0, 0], x[0, :, 0], indexing="ij")),
}  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs"), MOVES.values(), ids=MOVES)
def test_moves(ours, theirs):
    np.testing.assert_array_equal(ours(Tensor(X)).asnumpy(), theirs(X), strict=True)
    check_grads(ours, X)


@pytest.mark.parametrize(("ours", "theirs"), PARTS.values(), ids=PARTS)
def test_parts(ours, theirs):
    got, wanted = ours(Tensor(X)), theirs(X)
    assert isinstance(got, tuple)
    assert len(got) == len(wanted)
    for part, array in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(part.asnumpy(), array, strict=True)
    check_grads(ours, X)


def test_few_axes():
    for x in (POINT, V):
        assert ops.flatten(Tensor(x)).shape == (np.size(x),)
        assert ops.squeeze(Tensor(x)).shape == np.shape(x)
    assert ops.tile(Tensor(POINT), (2, 3)).shape == (2, 3)
    assert ops.expand_dims(Tensor(POINT), 0).shape == (1,)
    assert ops.stack([Tensor(POINT)] * 2).shape == (2,)


def test_facts():
    x = Tensor(X)
    assert ops.shape(x) == (2, 3, 4)
    assert ops.size(x) == 24
    assert ops.rank(x) == 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ops.reshape(x, (5, 5)), ValueError, r"reshape: .*24.*\(5, ?5\)"),
        (lambda x: ops.expand_dims(x, 5), ValueError, r"axis 5 .* \(2, 3, 4\)"),
        (lambda x: ops.squeeze(x, 3), IndexError, "axis 3"),
        (lambda x: ops.flatten(x, order="F"), ValueError, 'order "C" only'),
        (lambda x: ops.flatten(x, start_dim=4), IndexError, "axis 4"),
        (lambda x: ops.flip(x, (0, 3)), IndexError, "axis 3"),
        (lambda x: ops.flip(x, (0, 0)), ValueError, "twice"),
        (lambda x: ops.split(x, [1, 1], 1), ValueError, "do not add up to 3"),
        (lambda x: ops.split(x, 0), ValueError, "from 1 on"),
        (lambda x: ops.split(x, 1, 3), IndexError, "axis 3"),
        (lambda x: ops.chunk(x, 0), ValueError, "from 1 on"),
        (lambda x: ops.unbind(x, -4), IndexError, "axis -4"),
        (lambda x: ops.repeat_interleave(x, 2, 3), IndexError, "axis 3"),
        (lambda x: ops.tile(x, (-1,)), ValueError, "from 0 on"),
        (lambda x: ops.pad(x, (1,)), ValueError, "two numbers"),
        (lambda x: ops.pad(x, (1,) * 8), ValueError, r"\(2, 3, 4\)"),
        (lambda x: ops.pad(x, (1, 1), "mirror"), ValueError, "replicate"),
        (lambda x: ops.meshgrid(x, indexing="ab"), ValueError, '"xy" or "ij"'),
        (lambda x: ops.concat((x, x[:, :1])), ValueError, "concatenate"),
        (lambda x: ops.broadcast_to(x, (2, 3, 5)), ValueError, "broadcast"),
        (lambda x: ops.roll(x, (1, 2), 0), ValueError, r"roll: .*shifts \(1, 2\) for dims 0"),
        (lambda x: ops.movedim(x, (0, 1), 0), ValueError, r"movedim: source \(0, 1\) .* 0 must"),
        (ops.t, ValueError, r"t: input must have at most 2 axes, but has shape \(2, 3, 4\)"),
        (lambda x: ops.slice(x, (0,), (1,)), ValueError, r"slice: begin \(0,\) .*\(2, 3, 4\)"),
        (
            lambda x: ops.slice(x, (0, 1, 0), (1, 5, 1)),
            ValueError,
            "5 entries from 1 .* axis 1, of",
        ),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor(X))


@pytest.mark.parametrize(
    ("dtypes", "wanted"),
    [
        ((ms.float16, ms.int64), ms.float16),
        ((ms.float32, ms.int64), ms.float32),
        ((ms.float16, ms.float32, ms.int32), ms.float32),
        ((ms.bool_, ms.int32), ms.int32),
        ((ms.int32, ms.int64), ms.int64),
    ],
)
@pytest.mark.parametrize("join", [ops.concat, ops.stack])
def test_what_is_joined_meets_in_a_dtype_and_floats_keep_theirs(join, dtypes, wanted):
    parts = [Tensor([float(i)]).astype(dtype) for i, dtype in enumerate(dtypes)]
    joined = join(parts)
    assert joined.dtype == wanted
    assert joined.reshape(-1).tolist() == list(range(len(dtypes)))
