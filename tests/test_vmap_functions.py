"""Functions put together from ops, inside vmap, against a loop over the samples; what they refuse.

That each op alone gives in vmap what a loop gives is tested in `test_vmap_catalogue`.
"""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops, vmap
from minigrad import numpy as mnp

# Three samples each. ROWS has zeros and ties; what counts differs from sample to sample.
ROWS = np.array(
    [
        [[0.5, 0.0, -2.0, 3.0], [1.5, 1.5, 0.0, -0.25]],
        [[-1.0, 0.2, 0.0, 0.0], [4.0, -3.0, 2.5, 0.75]],
        [[0.1, 0.0, 0.0, 0.0], [-0.5, -0.5, -1.0, 6.0]],
    ],
    np.float32,
)
VECTORS = ROWS[:, 0]
NUMBERS = np.array([0.25, -1.0, 2.0], np.float32)
WITH_NAN = np.where(ROWS == 0, np.nan, ROWS)
WHOLE = np.array([[7, -7, 25, 3], [-1, 15, 8, -12], [5, 4, 35, -26]])
DIVISORS = np.array([[2, 2, -3, 5], [3, -4, 5, 5], [1, 2, 3, 4]])
PLACES = np.array([[1, 0], [1, 1], [0, 1]])
LABELS = np.array([[3, 0], [1, 2], [2, 2]])
SEGMENTS = np.array([[0, 1, 1, -1], [1, 1, 1, 1], [2, -1, 0, 2]])
MATRICES = np.array(
    [[[2.0, 1.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.5], [0.25, 1.0]]], np.float32
)
SORTED = np.sort(VECTORS, axis=1)

LAYER = nn.Embedding(5, 3, embedding_table="normal", padding_idx=2)
HOT = nn.Embedding(5, 3, use_one_hot=True)

CASES = {
    "count_nonzero": (ops.count_nonzero, ROWS),
    "count_nonzero over an axis": (lambda x: ops.count_nonzero(x, 1, True), ROWS),
    "Tensor.count_nonzero": (lambda x: x.count_nonzero(), ROWS),
    "mnp.count_nonzero": (mnp.count_nonzero, ROWS),
    "Embedding": (LAYER, LABELS),
    "Embedding with one-hot rows": (HOT, LABELS),
    "embedding": (ops.embedding, LABELS, None),
    "embedding with padding": (lambda i, w: ops.embedding(i, w, padding_idx=1), LABELS, None),
    "EmbeddingLookup": (lambda x, i: ops.EmbeddingLookup()(x, i, 1), ROWS, LABELS),
    "hardtanh": (ops.hardtanh, ROWS),
    "clip_by_value": (lambda x: ops.clip_by_value(x, -1.0, 2.0), ROWS),
    "clip_by_value of integers": (lambda x: ops.clip_by_value(x, -3, 9), WHOLE),
    "clip_by_value with bounds of its own": (ops.clip_by_value, ROWS, VECTORS, NUMBERS),
    "clamp": (lambda x: ops.clamp(x, -1.0, 2.0), ROWS),
    "mnp.clip": (lambda x: mnp.clip(x, -1.0, 2.0), ROWS),
    "round": (ops.round, ROWS),
    "round to a decimal": (lambda x: ops.round(x, decimals=1), ROWS),
    "round of integers to tens": (lambda x: ops.round(x, decimals=-1), WHOLE),
    "mnp.around": (mnp.around, ROWS),
    "mnp.rint": (mnp.rint, ROWS),
    "cummax": (lambda x: ops.cummax(x, 1), ROWS),
    "cummin": (lambda x: ops.cummin(x, -1), ROWS),
    "isclose": (lambda x, y: ops.isclose(x, y, atol=0.3), ROWS, VECTORS),
    "nanmean": (lambda x: ops.nanmean(x, 1), WITH_NAN),
    "nansum": (ops.nansum, WITH_NAN),
    "logdet": (ops.logdet, MATRICES),
    "lstsq": (ops.lstsq, MATRICES[:, :, :1] + 1, MATRICES),
    "clip_by_norm": (lambda x: ops.clip_by_norm(x, 3.0), ROWS),
    "clip_by_norm of order 3": (lambda x: ops.clip_by_norm(x, 3.0, 3), ROWS),
    "clip_by_norm of order inf": (lambda x: ops.clip_by_norm(x, 3.5, float("inf")), ROWS),
    "copysign": (ops.copysign, ROWS, VECTORS),
    "truncate_div": (ops.truncate_div, VECTORS, WHOLE),
    "truncate_div of integers": (ops.truncate_div, WHOLE, DIVISORS),
    "searchsorted in a row of its own": (ops.searchsorted, SORTED, VECTORS),
    "searchsorted in the same row": (
        lambda x: ops.searchsorted(Tensor([-1.0, 0.0, 2.0]), x, right=True), ROWS,
    ),
    "mnp.take": (mnp.take, ROWS, WHOLE),
    "mnp.take along an axis": (lambda x, i: mnp.take(x, i, 1, "wrap"), ROWS, WHOLE),
    "full_like": (ops.full_like, ROWS, NUMBERS),
    "fills": (ops.fills, ROWS, NUMBERS),
    "linspace": (lambda a: ops.linspace(a, 5.0, 3), NUMBERS),
    "isin": (mnp.isin, WHOLE, DIVISORS),
    "array_equal": (lambda x: mnp.array_equal(x, Tensor(WHOLE[1])), WHOLE),
    "index_add": (lambda x, i, y: ops.index_add(x, i, y, 0), ROWS, PLACES, ROWS[::-1]),
    "inplace_add": (ops.inplace_add, ROWS, ROWS[::-1], PLACES),
    "inplace_sub": (ops.inplace_sub, ROWS, ROWS[::-1], PLACES),
    "inplace_update": (ops.inplace_update, VECTORS, NUMBERS[:, None], PLACES[:, 0]),
    "unsorted_segment_sum": (lambda x, i: ops.unsorted_segment_sum(x, i, 4), VECTORS, SEGMENTS),
    "unsorted_segment_max": (lambda x, i: ops.unsorted_segment_max(x, i, 3), VECTORS, SEGMENTS),
    "unsorted_segment_min": (lambda x, i: ops.unsorted_segment_min(x, i, 3), VECTORS, SEGMENTS),
    "unsorted_segment_max of integers": (
        lambda x, i: ops.unsorted_segment_max(x, i, 3), WHOLE, SEGMENTS,
    ),
    "unsorted_segment_prod": (
        lambda x: ops.unsorted_segment_prod(x, Tensor([0, 1, 0, -1]), 3), VECTORS,
    ),
    "sequence_mask": (lambda n: ops.sequence_mask(n, 4), LABELS),
    "bincount": (lambda x: ops.bincount(x, minlength=5), LABELS),
    "stack of one Tensor": (ops.stack, ROWS),
    "cat of one Tensor": (ops.cat, ROWS),
    "hstack of one Tensor": (ops.hstack, ROWS),
    "vstack of one Tensor": (ops.vstack, ROWS),
    "softmax over two axes": (lambda x: ops.softmax(x, (0, 1)), ROWS),
    "softmax over a tuple of one": (lambda x: ops.softmax(x, (0,)), ROWS),
    "log_softmax over two axes": (lambda x: ops.log_softmax(x, (0, -1)), ROWS),
    "softmin over two axes": (lambda x: ops.softmin(x, (0, 1)), ROWS),
    "max_pool2d and its places": (
        lambda x: ops.max_pool2d(x, 2, 1, return_indices=True), ROWS[:, None, None],
    ),
    "adaptive_max_pool1d and its places": (
        lambda x: ops.adaptive_max_pool1d(x, 3), ROWS,
    ),
    "nll_loss of each": (lambda x, t: ops.nll_loss(x, t, reduction="none"), ROWS, LABELS),
    "multi_margin_loss": (ops.multi_margin_loss, ROWS, LABELS),
    "multilabel_margin_loss": (ops.multilabel_margin_loss, VECTORS, SEGMENTS),
    "celu": (ops.celu, ROWS, NUMBERS),
    "batch_norm without statistics": (
        lambda x: ops.batch_norm(x, None, None, None, None, training=True), ROWS,
    ),
}  # fmt: skip
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def outputs(x):
    return [y for part in x for y in outputs(part)] if isinstance(x, tuple | list) else [x]


def arguments(arrays):
    """The arrays of a case, None being the table that all samples share, and the axes for vmap."""
    return [TABLE if x is None else x for x in arrays], tuple(
        None if x is None else 0 for x in arrays
    )


def looped(fn, arrays, axes, size=3):
    rows = [
        outputs(fn(*(Tensor(x if a is None else x[i]) for x, a in zip(arrays, axes, strict=True))))
        for i in range(size)
    ]
    return [np.stack([y.asnumpy() for y in column]) for column in zip(*rows, strict=True)]


def compare(got, wanted):
    for y, value in zip(outputs(got), wanted, strict=True):
        np.testing.assert_allclose(y.asnumpy(), value, rtol=1e-5, atol=1e-6)
        assert (y.shape, y.asnumpy().dtype) == (value.shape, value.dtype)


@pytest.mark.parametrize("case", CASES)
def test_a_function_is_the_loop(case):
    fn, *arrays = CASES[case]
    arrays, axes = arguments(arrays)
    wanted = looped(fn, arrays, axes)
    compare(vmap(fn, axes)(*map(Tensor, arrays)), wanted)
    # Once more around it: the same for each of two samples that it does not use.
    twice = vmap(lambda _, *xs: vmap(fn, axes)(*xs), (0, *(None,) * len(arrays)))
    compare(twice(Tensor([0.0, 0.0]), *map(Tensor, arrays)), [np.stack([y, y]) for y in wanted])


@pytest.mark.parametrize("case", CASES)
def test_its_gradient_is_the_loops(case):
    fn, *arrays = CASES[case]
    arrays, axes = arguments(arrays)
    places = tuple(k for k, x in enumerate(arrays) if x.dtype.kind == "f")

    def total(*xs):
        parts = [y for y in outputs(fn(*xs)) if isinstance(y, Tensor) and y.array.dtype.kind == "f"]
        return sum((ops.sigmoid(y).sum() for y in parts), Tensor(0.0))

    if not places:
        return
    slope = ms.grad(total, places)
    compare(vmap(slope, axes)(*map(Tensor, arrays)), looped(slope, arrays, axes))


def test_numbers_by_hand():
    x = Tensor([[0.5, 0.0], [-1.0, 0.2]])
    assert vmap(ops.count_nonzero)(x).asnumpy().tolist() == [1, 2]
    assert vmap(lambda x: x.count_nonzero())(x).asnumpy().tolist() == [1, 2]
    assert vmap(mnp.count_nonzero)(x).asnumpy().tolist() == [1, 2]
    clipped = vmap(lambda x: ops.clip_by_norm(x, 5.0))(Tensor([[6.0, 8.0], [3.0, 0.0]]))
    np.testing.assert_allclose(clipped.asnumpy(), [[3.0, 4.0], [3.0, 0.0]], rtol=1e-5)

    sums = vmap(lambda x, i: ops.unsorted_segment_sum(x, i, 2))
    x, ids = Tensor([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]), Tensor([[0, -1, 0], [1, 0, -2]])
    assert sums(x, ids).asnumpy().tolist() == [[5.0, 0.0], [16.0, 8.0]]


def test_a_sample_of_zeros_is_not_clipped_and_its_gradient_is_one():
    slope = vmap(ms.grad(lambda x: ops.clip_by_norm(x, 5.0).sum()))
    assert slope(Tensor([[6.0, 8.0], [0.0, 0.0]])).asnumpy()[1].tolist() == [1.0, 1.0]
    slope = vmap(ms.grad(lambda x: ops.clip_by_norm(x, 5.0, 3).sum()))
    assert slope(Tensor([[6.0, 8.0], [0.0, 0.0]])).asnumpy()[1].tolist() == [1.0, 1.0]


def test_no_samples():
    x = Tensor(np.zeros((0, 2, 4), np.float32))
    assert vmap(ops.count_nonzero)(x).shape == (0,)
    values, places = vmap(lambda x: ops.cummax(x, 1))(x)
    assert values.shape == places.shape == (0, 2, 4)


def test_an_id_out_of_range_in_any_sample():
    with pytest.raises(ValueError, match="from 0 to 7"):
        vmap(LAYER)(Tensor([[0, 1], [7, 1]]))
    with pytest.raises(IndexError, match="no segment 2, only 2"):
        vmap(lambda x, i: ops.unsorted_segment_sum(x, i, 2))(Tensor(VECTORS), Tensor(SEGMENTS))


def train_in_vmap(x):
    norm = nn.BatchNorm1d(4)
    norm.set_train()
    return norm(x)


def step_in_vmap(x):
    p = Parameter(Tensor([1.0, 2.0, 3.0, 4.0]), name="p")
    return nn.SGD([p], 0.1)((x,))


REFUSED = {
    "masked_select": (lambda x: ops.masked_select(x, x > 0), "masked_select: .*ops.where"),
    "masked_scatter": (lambda x: ops.masked_scatter(x, x > 0, x), "masked_scatter: .*ops.where"),
    "nonzero": (ops.nonzero, "nonzero: .*another number of these"),
    "argwhere": (ops.argwhere, "argwhere: .*another number of these"),
    "unique": (lambda x: ops.unique(x)[0], "unique: .*another number of these"),
    "unique_consecutive": (ops.unique_consecutive, "unique_consecutive: .*another number"),
    "bincount": (lambda x: ops.bincount((x * x).astype(ms.int32)), "bincount: .*one shape for all"),
    "allclose": (lambda x: ops.allclose(x, x), "allclose"),
    "BatchNorm": (lambda x: train_in_vmap(x.reshape(1, 4)), r"batch_norm: .*set_train\(False\)"),
    "SGD": (step_in_vmap, "SGD: .*call the optimizer outside"),
    "leaky_relu": (lambda x: ops.leaky_relu(x, x[0]), "leaky_relu whose x and alpha differ"),
    "leaky_relu, shared x": (
        lambda x: ops.leaky_relu(Tensor([1.0]), x[0]),
        "leaky_relu whose alpha",
    ),
    "elu": (lambda x: ops.elu(x, x[0]), "elu whose x and alpha differ"),
    "poisson": (lambda x: ops.poisson((2,), x * x), "poisson: .*drawn once"),
    "repeat_interleave": (
        lambda x: ops.repeat_interleave(x, (x > 0).astype(ms.int32)),
        "repeat_interleave: .*repeats must be the same",
    ),
    "tensor_scatter_mul": (
        lambda x: ops.tensor_scatter_mul(x, (x[:1] > 0).astype(ms.int32)[:, None], x[:1]),
        "tensor_scatter_mul: .*indices must be the same",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_vmap_cannot_do_is_an_error_with_its_name(case):
    fn, message = REFUSED[case]
    with pytest.raises(TypeError, match=message):
        vmap(fn)(Tensor(VECTORS))


def test_a_slope_must_be_a_number():
    for fn in (ops.leaky_relu, ops.elu):
        with pytest.raises(TypeError, match="alpha must be a Python number, but is a Tensor"):
            fn(Tensor([-1.0]), Tensor(0.1))


def test_random_numbers_of_a_law_that_differs():
    ms.set_seed(1)
    means = Tensor([0.0, 100.0])
    numbers = vmap(lambda m: ops.normal((3,), m, 1.0))(means).asnumpy()
    np.testing.assert_allclose(numbers[1] - numbers[0], 100, atol=1e-4)  # drawn once
    always = vmap(lambda p: ops.bernoulli(Tensor([5.0, 6.0]), p))(Tensor([0.0, 1.0])).asnumpy()
    assert always.tolist() == [[0.0, 0.0], [1.0, 1.0]]
