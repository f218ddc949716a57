"""Gradients of layers, and theirs, against differences; and what layers say of wrong arguments."""

import numpy as np
import pytest
from check import check_grads

import minigrad as ms
from minigrad import Tensor, nn, ops
from minigrad import dtype as mstype

RNG = np.random.default_rng(1)


def normal(*shape):
    return RNG.normal(size=shape)


F64 = {"dtype": mstype.float64}
# A layer, and an input. Weights are inputs too: the check sets each, and differentiates by it.
LAYERS = [
    (nn.Dense(3, 2, activation="tanh", **F64), normal(2, 3)),
    (nn.Embedding(4, 2, embedding_table="uniform", **F64), Tensor([[0, 2], [2, 1]])),
    (nn.Embedding(4, 2, True, "uniform", **F64), Tensor([0, 2, 2])),
    (nn.Conv2d(2, 3, 2, 2, has_bias=True, **F64), normal(2, 2, 3, 4)),
    (nn.Conv2d(2, 2, 2, 1, "pad", (1, 0, 0, 1), 2, 2, **F64), normal(1, 2, 3, 3)),
    (nn.Conv1d(2, 3, 3, has_bias=True, **F64), normal(2, 2, 4)),
    (nn.Conv2dTranspose(2, 3, 3, 2, "pad", 1, 1, has_bias=True, **F64), normal(1, 2, 2, 3)),
    (nn.Conv2dTranspose(2, 2, 2, group=2, **F64), normal(1, 2, 3, 2)),
    (nn.Conv1dTranspose(2, 2, 2, 3, "valid", **F64), normal(1, 2, 3)),
    (nn.MaxPool2d(2, 2, "same"), normal(1, 2, 3, 3)),
    (nn.MaxPool2d(2, 2, "pad", 1), normal(1, 2, 3, 3)),
    (nn.AvgPool2d(2, 2, "same"), normal(1, 2, 3, 3)),
    (nn.AvgPool1d(2, 1, "pad", 1, count_include_pad=False), normal(1, 2, 4)),
    (nn.AdaptiveAvgPool2d((2, 3)), normal(1, 2, 3, 4)),
    (nn.BatchNorm1d(3, **F64), normal(4, 3)),
    (nn.BatchNorm1d(3, **F64).set_train(), normal(4, 3)),
    (nn.BatchNorm2d(2, **F64).set_train(), normal(2, 2, 2, 3)),
    (nn.LayerNorm((3,), **F64), normal(2, 3)),
    (nn.LayerNorm((2, 3), 1, 1, **F64), normal(2, 2, 3)),
    (nn.GroupNorm(2, 4, **F64), normal(2, 4, 3)),
    (nn.RNN(2, 2, 2, bidirectional=True, batch_first=True, **F64), normal(2, 3, 2)),
    (nn.GRU(2, 2, **F64), normal(2, 2, 2)),
    (nn.LSTM(2, 2, has_bias=False, **F64), normal(2, 2, 2)),
]


def flat(value):
    if isinstance(value, tuple):
        return tuple(leaf for part in value for leaf in flat(part))
    return (value,)


@pytest.mark.parametrize(("layer", "x"), LAYERS, ids=lambda v: type(v).__name__)
def test_against_differences(layer, x):
    weights = layer.trainable_params()
    floats = [] if isinstance(x, Tensor) else [x]

    def run(*inputs):
        given = inputs[: len(floats)] or (x,)
        for p, value in zip(weights, inputs[len(floats) :], strict=True):
            p.set_data(value)  # the gradient flows through the write
        return flat(layer(*given))

    check_grads(run, *floats, *(p.asnumpy() for p in weights), tolerance=1e-6)


def test_pooling_takes_one_image_without_a_batch():
    x = Tensor(normal(2, 4, 4).astype(np.float32))
    for layer in (nn.MaxPool2d(2, 2), nn.AvgPool2d(2, 2, "same"), nn.MaxPool2d(3, 1, "pad", 1)):
        one = layer(x).asnumpy()
        assert one.shape == layer(x.reshape(1, 2, 4, 4)).shape[1:]
        assert (one == layer(x.reshape(1, 2, 4, 4)).asnumpy()[0]).all()
    row = x.reshape(2, 16)
    assert nn.MaxPool1d(2, 2)(row).shape == (2, 8)
    values, places = nn.MaxPool1d(2, 2, "pad", return_indices=True)(row)
    picked = np.take_along_axis(row.asnumpy(), places.asnumpy(), 1)
    assert (values.asnumpy() == picked).all()


def test_a_convolution_of_sequences_takes_weights_of_three_axes():
    weight = Tensor(normal(2, 3, 4).astype(np.float32))
    layer = nn.Conv1d(3, 2, 4, pad_mode="valid", weight_init=weight)
    x = Tensor(normal(1, 3, 6).astype(np.float32))
    wanted = [
        [(x.asnumpy()[0, :, i : i + 4] * w).sum() for i in range(3)] for w in weight.asnumpy()
    ]
    np.testing.assert_allclose(layer(x).asnumpy()[0], wanted, rtol=1e-5)


def test_sequences_end_where_they_say():
    """A sequence of length 2 in a batch gives what it gives alone, and zeros after it."""
    x = Tensor(normal(3, 2, 2).astype(np.float32))
    for layer in (nn.RNN(2, 3), nn.GRU(2, 3, 2, bidirectional=True), nn.LSTM(2, 3, 2)):
        out, state = layer(x, seq_length=Tensor([3, 2]))
        short, alone = layer(x[:2, 1:2])
        np.testing.assert_allclose(out.asnumpy()[:2, 1:2], short.asnumpy(), rtol=1e-5, atol=1e-6)
        assert not out.asnumpy()[2, 1].any()
        for a, b in zip(flat(state), flat(alone), strict=True):
            np.testing.assert_allclose(a.asnumpy()[:, 1:2], b.asnumpy(), rtol=1e-5, atol=1e-6)


ROW, IMAGE = ops.ones((2, 3)), ops.ones((1, 3, 4, 4))
WRONG = [
    (lambda: nn.Dense(0, 2), "Dense: in_channels must be a whole number from 1 on, but got 0"),
    (lambda: nn.Dense(2.0, 2), "in_channels must be a whole number"),
    (
        lambda: nn.Dense(4, 2)(ROW),
        r"\(2, 3\) .* weight of shape \(2, 4\): its last axis must have length 4",
    ),
    (
        lambda: nn.Embedding(3, 2)(Tensor([3])),
        "ids must lie between 0 and 2, but they reach from 3",
    ),
    (lambda: nn.Embedding(3, 2)(Tensor([-1])), "ids must lie between 0 and 2"),
    (lambda: nn.Embedding(3, 2, padding_idx=3), "padding_idx must be a row of 0 to 2, not 3"),
    (lambda: nn.Conv2d(3, 2, 3)(ROW), r"must have shape \(N, 3, height, width\), but has \(2, 3\)"),
    (lambda: nn.Conv2d(4, 2, 3)(IMAGE), r"must have shape \(N, 4, height, width\)"),
    (lambda: nn.Conv1d(3, 2, 3)(IMAGE), r"must have shape \(N, 3, width\), but has \(1, 3, 4, 4\)"),
    (lambda: nn.Conv2d(3, 2, 0), "kernel_size must be 1 or more, but got 0"),
    (lambda: nn.Conv2d(3, 2, (1, 2, 3)), "Conv2d: kernel_size must be a whole number or 2 of them"),
    (lambda: nn.Conv2d(3, 2, 3, group=2), "group=2 must divide in_channels=3 and out_channels=2"),
    (lambda: nn.Conv2d(3, 2, 3, pad_mode="full"), "must be same, valid or pad, but got 'full'"),
    (lambda: nn.Conv2d(3, 2, 3, padding=1), "padding=1 goes with pad_mode='pad', not 'same'"),
    (lambda: nn.Conv2d(3, 2, 3, 1, "pad", (1, 1)), r"or 4 \(top, bottom, left, right\), but got"),
    (lambda: nn.Conv2d(3, 2, 3, data_format="NHWC"), 'data_format must be "NCHW"'),
    (lambda: nn.Conv2d(3, 2, 5, pad_mode="valid")(IMAGE), "do not fit"),
    (lambda: nn.Conv2dTranspose(3, 2, 3, 2, "pad", 1, 2), "output_padding .* below"),
    (lambda: nn.Conv2dTranspose(3, 2, 3, 2, output_padding=1), "goes with pad_mode='pad'"),
    (lambda: nn.Conv2dTranspose(3, 2, 1, 1, "pad", 2)(IMAGE), "nothing is left"),
    (lambda: nn.MaxPool2d(0), "kernel_size and stride must be 1 or more"),
    (lambda: nn.MaxPool2d(2, 2, padding=1), "padding=1 goes with pad_mode='pad' only, not with"),
    (lambda: nn.MaxPool2d(2, pad_mode="full"), "pad_mode must be valid, same or pad"),
    (lambda: nn.MaxPool2d(5)(IMAGE), "do not fit"),
    (lambda: nn.MaxPool2d(2)(ROW), "must have 3 or 4 axes"),
    (lambda: nn.AvgPool2d(2, 2, "pad", divisor_override=0), "divisor_override must be above 0"),
    (
        lambda: nn.BatchNorm1d(2)(ROW),
        r"2 or 3 axes, and 2 channels in axis 1, but has shape \(2, 3",
    ),
    (lambda: nn.BatchNorm2d(3)(ROW), "must have 4 axes"),
    (lambda: nn.BatchNorm1d(2, momentum=2), r"momentum must be in \[0, 1\]"),
    (lambda: nn.LayerNorm((4,))(ROW), r"must have the shape \(4,\), but its shape is \(2, 3\)"),
    (lambda: nn.LayerNorm(()), "must name one axis or more"),
    (lambda: nn.GroupNorm(2, 3), "num_groups=2 must divide num_channels=3"),
    (lambda: nn.GroupNorm(2, 4)(IMAGE), "must have 4 channels in axis 1"),
    (lambda: nn.Dropout(p=1.0), "p must be from 0 on, and below 1"),
    (lambda: nn.Dropout(0.0), "keep_prob must be above 0"),
    (lambda: nn.RNNCell(3, 2, nonlinearity="gelu"), '"tanh" or "relu"'),
    (lambda: nn.RNNCell(3, 2)(ROW, ops.ones((2, 3))), r"hx must have shape \(N, 2\), but has"),
    (lambda: nn.GRU(3, 2)(ROW), "x must have 3 axes"),
    (lambda: nn.RNN(3, 2, nonlinearity="gelu"), "RNN: nonlinearity .* but got 'gelu'"),
    (lambda: nn.BatchNorm2d(3, data_format="NHWC"), "BatchNorm2d: data_format .* not 'NHWC'"),
    (lambda: nn.AvgPool2d(2, data_format="NHWC"), "AvgPool2d: data_format .* not 'NHWC'"),
    (lambda: nn.Dropout1d(2.0), "Dropout1d: p must be from 0 to 1, but got 2.0"),
    (lambda: nn.LSTM(3, 2, dropout=1.0), r"dropout must be in \[0, 1\)"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_wrong_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Dense(2, 2, activation=ops.relu), "must be a Cell, a Primitive or a name"),
        (lambda: nn.Embedding(3, 2)(Tensor([1.0])), "must hold row numbers"),
        (lambda: nn.LayerNorm(3), r"write \(3,\)"),
        (lambda: nn.LSTMCell(3, 2)(ROW, ROW), r"must be a tuple \(h, c\)"),
        (lambda: nn.RNNCell(3, 2)(ROW, None), "hx must be a Tensor"),
        (lambda: nn.SequentialCell(ops.relu), r"use its Cell, nn.ReLU\(\)"),
        (lambda: nn.CellList([nn.ReLU(), 3]), "element 1 is a int, no Cell"),
        (lambda: nn.CellList([nn.ReLU()])(ROW), "cannot be called"),
        (
            lambda: nn.CellDict({"a": nn.ReLU()})(ROW),
            "a CellDict cannot be called: call one of its",
        ),
        (lambda: nn.CellList(nn.ReLU(), nn.Tanh()), "positional argument"),
        (lambda: nn.CellList([nn.ReLU()])["a"], "an index must be an integer or a slice"),
        (lambda: nn.CellDict({1: nn.ReLU()}), "holds Cells by their names"),
    ],
)
def test_wrong_types(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_containers_know_what_they_hold():
    cells = nn.CellList([nn.ReLU(), nn.Tanh()])
    with pytest.raises(IndexError, match="there is no Cell 2; it holds 2"):
        cells[2]
    with pytest.raises(IndexError, match="there is no Cell -3"):
        cells.insert(-3, nn.ReLU())
    with pytest.raises(AttributeError, match="no attribute 'third'"):
        nn.SequentialCell(nn.ReLU()).third  # noqa: B018  # reading it is the test
    with pytest.raises(KeyError, match="hold a dot"):
        nn.CellDict({"a.b": nn.ReLU()})


def test_a_cell_dict_names_the_parameters_of_its_cells_if_asked():
    given = nn.Dense(2, 2), nn.Dense(2, 2)
    for cell, prefix, name in zip(given, (True, False), ("a.weight", "weight"), strict=True):
        cells = nn.CellDict({"a": cell}, auto_prefix=prefix)
        assert cells["a"] is cell
        assert cell.weight.name == name


def test_dropout_between_the_layers_of_a_network_in_training():
    """With all weights 1 and relu, an entry of the end is the sum of what was let through."""
    net = nn.RNN(4, 8, num_layers=2, nonlinearity="relu", has_bias=False, dropout=0.5)
    for weight in net.get_parameters():
        weight.set_data(ops.ones_like(weight))
    x = ops.ones((1, 50, 4))  # one step, 50 sequences: each of 8 is 4, then 4 / 0.5 or 0
    ms.set_seed(5)
    sums = net.set_train()(x)[0].asnumpy()[0, :, 0]
    assert set(sums % 8) == {0}
    assert len(set(sums)) > 3
    assert set(net.set_train(False)(x)[0].asnumpy().ravel()) == {32}
