"""Primitive classes do what their functions do, and print as MindSpore's."""

import re
from pathlib import Path

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad, ops
from minigrad.ops import layers, primitives

X = Tensor(np.random.default_rng(11).uniform(0.1, 0.9, (2, 3)))
Y = X * 0.5 + 0.1
BIG = Tensor(np.random.default_rng(12).normal(size=(4, 2, 3)))
TRUTH = Tensor([[True, False, True], [False, False, True]])
I = Tensor([0, 2])  # noqa: E741  # it holds indices

ONE = """Abs ACos Asin Asinh Atan Atanh Ceil Cos Cosh Exp Expm1 Floor Log Log1p Neg OnesLike ReLU
    ReLU6 Reciprocal Rsqrt Shape Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh ZerosLike"""
TWO = """Add Atan2 Div Equal FloorDiv Greater GreaterEqual Less LessEqual Maximum Minimum Mod Mul
    NotEqual Pow RealDiv SquaredDifference Sub"""
OTHERWISE = {
    "OnesLike": "ones_like", "ZerosLike": "zeros_like", "RealDiv": "div", "FloorDiv": "floor_div",
    "GreaterEqual": "greater_equal", "LessEqual": "less_equal", "NotEqual": "not_equal",
    "SquaredDifference": "squared_difference",
}  # fmt: skip


def plain(name, *inputs):
    """A call of a Primitive without settings, and the same call of its function."""
    function = getattr(ops, OTHERWISE.get(name, name.lower()))
    return getattr(ops, name)(), inputs, function(*inputs), f"Prim[{name}]"


CALLS = [
    *[plain(name, X) for name in ONE.split()], *[plain(name, X, Y) for name in TWO.split()],
    (ops.Acosh(), (X + 1,), ops.acosh(X + 1), "Prim[Acosh]"),
    (ops.Cast(), (X, ms.float16), X.astype(ms.float16), "Prim[Cast]"),
    (ops.ExpandDims(), (X, 0), X[None], "Prim[ExpandDims]"),
    (ops.Gather(), (X, I, 1), X[:, I], "Prim[Gather]<batch_dims=0>"),
    (ops.LogicalAnd(), (TRUTH, TRUTH), TRUTH, "Prim[LogicalAnd]"),
    (ops.LogicalOr(), (TRUTH, TRUTH), TRUTH, "Prim[LogicalOr]"),
    (ops.LogicalNot(), (TRUTH,), ~TRUTH, "Prim[LogicalNot]"),
    (ops.Reshape(), (X, (3, 2)), X.reshape(3, 2), "Prim[Reshape]"),
    (ops.Select(), (TRUTH, X, Y), ops.where(TRUTH, X, Y), "Prim[Select]"),
    (ops.TensorScatterAdd(), (X, Tensor([[0], [0]]), Y),
        X + Tensor(np.array([[1.0], [0]])) * Y.sum(0), "Prim[TensorScatterAdd]"),
    (ops.Tile(), (X, (2, 1)), ops.concat((X, X)), "Prim[Tile]"),
    (ops.Transpose(), (BIG, (2, 0, 1)), ops.transpose(BIG, (2, 0, 1)), "Prim[Transpose]"),
    (ops.Ones(), ((2, 3), ms.int32), ops.ones_like(X, dtype=ms.int32), "Prim[Ones]"),
    (ops.Zeros(), ((2, 3), ms.float64), X * 0, "Prim[Zeros]"),
    (ops.Eye(), (2, 2, ms.float32), Tensor([[1.0, 0.0], [0.0, 1.0]]), "Prim[Eye]"),
    (ops.MatMul(), (X, Y.T), X @ Y.T, "Prim[MatMul]<transpose_a=False, transpose_b=False>"),
    (ops.MatMul(transpose_b=True), (X, Y), X @ Y.T,
        "Prim[MatMul]<transpose_a=False, transpose_b=True>"),
    (ops.MatMul(True), (X, Y), X.T @ Y, "Prim[MatMul]<transpose_a=True, transpose_b=False>"),
    (ops.BatchMatMul(True, False), (BIG, BIG), BIG.mT @ BIG,
        "Prim[BatchMatMul]<transpose_a=True, transpose_b=False>"),
    (ops.ReduceSum(), (BIG,), BIG.sum(), "Prim[ReduceSum]<keep_dims=False, skip_mode=False>"),
    (ops.ReduceSum(True), (BIG, 1), BIG.sum(1, True),
        "Prim[ReduceSum]<keep_dims=True, skip_mode=False>"),
    (ops.ReduceSum(skip_mode=True), (BIG, ()), BIG,
        "Prim[ReduceSum]<keep_dims=False, skip_mode=True>"),
    (ops.ReduceSum(), (BIG, [0, -1]), BIG.sum((0, 2)),
        "Prim[ReduceSum]<keep_dims=False, skip_mode=False>"),
    (ops.ReduceMean(), (BIG, (0, 1)), BIG.mean((0, 1)), "Prim[ReduceMean]<keep_dims=False>"),
    (ops.ReduceProd(), (BIG,), BIG.prod(), "Prim[ReduceProd]<keep_dims=False>"),
    (ops.ReduceMax(True), (BIG, -1), ops.amax(BIG, -1, True), "Prim[ReduceMax]<keep_dims=True>"),
    (ops.ReduceMin(), (BIG, 1), ops.amin(BIG, 1), "Prim[ReduceMin]<keep_dims=False>"),
    (ops.Softmax(), (BIG,), ops.softmax(BIG), "Prim[Softmax]<axis=(-1,)>"),
    (ops.Softmax(0), (BIG,), ops.softmax(BIG, 0), "Prim[Softmax]<axis=(0,)>"),
    (ops.LogSoftmax(1), (BIG,), ops.log_softmax(BIG, 1), "Prim[LogSoftmax]<axis=1>"),
    (ops.Concat(1), ((X, Y),), ops.cat((X, Y), 1), "Prim[Concat]<axis=1>"),
    (ops.Stack(1), ([X, Y],), ops.stack((X, Y), 1), "Prim[Stack]<axis=1>"),
    (ops.Squeeze(), (X[:1],), X[0], "Prim[Squeeze]<axis=()>"),
    (ops.Squeeze(0), (X[:1],), X[0], "Prim[Squeeze]<axis=(0,)>"),
    (ops.BroadcastTo((4, 2, 3)), (X,), ops.broadcast_to(X, (4, 2, 3)),
        "Prim[BroadcastTo]<shape=(4, 2, 3)>"),
    (ops.OneHot(), (I, 3, Tensor(1.0), Tensor(0.0)), Tensor([[1.0, 0, 0], [0, 0, 1]]),
        "Prim[OneHot]<axis=-1>"),
    (ops.Argmax(), (X,), ops.argmax(X, -1).astype(ms.int32), None),
    (ops.Dense(), (X, X), X @ X.T, "Prim[Dense]"),
    (ops.DType(), (X,), X.dtype, "Prim[DType]"),
    (ops.Einsum("ij,kj->ik"), ((X, Y),), X @ Y.T, "Prim[Einsum]<equation=ij,kj->ik>"),
    (ops.Expand(), (X[:, :1], (2, 3)), X[:, :1] + X * 0, "Prim[Expand]"),
    (ops.Fmin(), (X, Y), ops.minimum(X, Y), "Prim[Fmin]"),
    (ops.IndexFill(), (X, 1, I, 5.0), ops.where(Tensor([True, False, True]), 5.0, X),
        "Prim[IndexFill]"),
    (ops.Roll(1, 0), (X,), ops.flip(X, (0,)), "Prim[Roll]<shifts=1, dims=0>"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("primitive", "inputs", "wanted", "printed"),
    CALLS,
    ids=lambda x: str(x) if "Prim[" in str(x)[:5] else "",
)
def test_call_and_print(primitive, inputs, wanted, printed):
    got = primitive(*inputs)
    if not isinstance(wanted, Tensor):
        assert got == wanted
    else:
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-13, strict=True)
    if printed:
        assert repr(primitive) == str(primitive) == printed


def test_all_are_called_here_or_recorded():
    called = {type(primitive).__name__ for primitive, *_ in CALLS}
    called |= {"Dropout", "Dropout2D", "StandardNormal", "UniformReal"}  # in test_random
    recorded = (Path(__file__).parents[1] / "data" / "families.json").read_text(encoding="utf-8")
    called |= set(re.findall(r"ops\.([A-Z]\w+)", recorded))
    assert called == {*primitives.__all__, *layers.__all__} - {"Primitive"}


IMAGES, WEIGHT = Tensor(np.arange(32.0).reshape(1, 2, 4, 4)), Tensor(np.ones((3, 2, 2, 2)))


def test_settings_of_windows_may_begin_with_batch_and_channels():
    wanted = ops.conv2d(IMAGES, WEIGHT, stride=2)
    got = ops.Conv2D(3, 2, stride=(1, 1, 2, 2))(IMAGES, WEIGHT)
    assert got.tolist() == wanted.tolist()
    assert ops.MaxPool((1, 1, 2, 2), [1, 1, 2, 2])(IMAGES)[0, 0].tolist() == [[5, 7], [13, 15]]


def test_the_classes_are_made_when_one_is_asked_for(monkeypatch):
    monkeypatch.delitem(vars(ops), "Primitive")
    assert issubclass(ops.Primitive, primitives.Primitive)
    monkeypatch.delitem(vars(ops), "Primitive")
    assert {"Primitive", "Conv2D", "conv2d"} <= set(dir(ops))


def test_depend_is_its_value():
    assert ops.Depend()(X, Y) is X


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ops.Conv2D(3, 2, data_format="NHWC"), ValueError, r"Conv2D: .*\(NCHW\).*'NHWC'"),
        (lambda: ops.Conv2D(3, 2, mode=0), ValueError, "Conv2D: mode must be 1, a convolution"),
        (lambda: ops.Conv2D(3, 2, stride=(2, 1, 2, 2)), ValueError, r"stride .*\(2, 1, 2, 2\)"),
        (lambda: ops.MaxPool((1, 2, 2, 2)), ValueError, r"kernel_size .*\(1, 2, 2, 2\)"),
        (lambda: ops.Conv2D(4, 2)(IMAGES, WEIGHT), ValueError, r"Conv2D: .*4 .*\(3, 2, 2, 2\)"),
        (lambda: ops.Conv2D(3, 3)(IMAGES, WEIGHT), ValueError, r"windows \(3, 3\), but"),
        (
            lambda: ops.Conv2DTranspose(2, 2)(IMAGES, WEIGHT[:2], IMAGES.shape),
            ValueError,
            r"Conv2DTranspose: x \(1, 2, 4, 4\) does not come from images \(1, 2, 4, 4\)",
        ),
        (lambda: ops.Split(0, 4)(X), ValueError, "Split: 4 equal parts of an axis of 2"),
        (lambda: ops.Map()(abs, 3), TypeError, "Map maps over tuples or lists, .* 3"),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_setting_that_is_not_there_raises():
    with pytest.raises(TypeError, match=r"Elu takes alpha=1\.0"):
        ops.Elu(beta=2.0)
    with pytest.raises(TypeError, match="Abs takes no settings"):
        ops.Abs(1)


def test_they_are_primitives_and_have_gradients():
    assert isinstance(ops.ReLU(), ops.Primitive)
    assert grad(ops.Square())(Tensor([3.0])).tolist() == [6]
