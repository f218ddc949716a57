"""Methods and operators of a Tensor: each is its op, with the Tensor as the first argument."""

import inspect
import operator

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, ops

X = Tensor(np.random.default_rng(13).uniform(0.1, 0.9, (2, 3)))
Y = Tensor(np.random.default_rng(14).uniform(0.1, 0.9, (2, 3)))
SQUARE = X @ Y.T
I = Tensor([0, 2])  # noqa: E741  # it holds indices
TRUTH = X > 0.5

SAME = """abs exp log log1p log2 sqrt rsqrt square sin cos tan sinh cosh tanh asin acos atan asinh
    atanh sigmoid floor ceil round sign neg reciprocal relu isnan isfinite isinf logical_not
    squeeze"""
WITH_Y = """add sub mul div pow maximum minimum equal not_equal greater greater_equal less
    less_equal"""
LAST_AXIS = "sum mean prod cumsum cumprod softmax log_softmax"
AXIS_1 = "var std logsumexp unsqueeze expand_dims unbind flip"


def same(names, *arguments):
    return [(name, arguments, getattr(ops, name)(X, *arguments)) for name in names.split()]


METHODS = [
    *same(SAME), *same(WITH_Y, Y), *same(LAST_AXIS, -1), *same(AXIS_1, 1),
    ("all", (), ops.all(X)), ("any", (0,), ops.any(X, 0)), ("norm", (), ops.norm(X)),
    ("matmul", (Y.T,), X @ Y.T), ("swapaxes", (0, 1), X.T), ("split", (1, 1), ops.split(X, 1, 1)),
    ("chunk", (2,), ops.chunk(X, 2)), ("tile", ((2, 1),), ops.tile(X, (2, 1))),
    ("gather", (I, 1), ops.gather(X, I, 1)), ("clamp", (0.2, 0.6), ops.clamp(X, 0.2, 0.6)),
    ("clip", (0.2, 0.6), ops.clamp(X, 0.2, 0.6)),
    ("index_select", (1, I), ops.index_select(X, 1, I)),
    ("gather_elements", (1, I[None]), ops.gather_elements(X, 1, I[None])),
    ("repeat_interleave", (2, 0), ops.repeat_interleave(X, 2, 0)), ("tril", (), ops.tril(X)),
    ("triu", (1,), ops.triu(X, 1)), ("diag", (), ops.diag(X)),
    ("masked_fill", (TRUTH, 0.0), ops.masked_fill(X, TRUTH, 0.0)),
    ("where", (TRUTH, 0.0), ops.where(TRUTH, X, 0.0)),
    ("where", (TRUTH, Y), ops.where(TRUTH, X, Y)), ("reshape", (3, 2), ops.reshape(X, (3, 2))),
    ("reshape", ((3, 2),), ops.reshape(X, (3, 2))), ("view", (-1,), ops.reshape(X, (-1,))),
    ("view_as", (Y.T,), ops.reshape(X, (3, 2))), ("transpose", (1, 0), X.T),
    ("transpose", ((1, 0),), X.T), ("permute", (1, 0), X.T), ("flatten", (), X.reshape(6)),
    ("ravel", (), X.reshape(6)), ("broadcast_to", ((2, 2, 3),), ops.broadcast_to(X, (2, 2, 3))),
    ("argmax", (), ops.argmax(X)), ("argmax", (1,), ops.argmax(X, 1)),
    ("argmin", (), ops.argmin(X)), ("argmin", (1, True), ops.argmin(X, 1, True)),
    ("max", (), ops.amax(X)), ("min", (), ops.amin(X)), ("max", (1,), ops.max(X, 1)),
    ("min", (0, True), ops.min(X, 0, True)), ("astype", (ms.int32,), ops.cast(X, ms.int32)),
    ("float", (), ops.cast(X, ms.float32)), ("int", (), ops.cast(X, ms.int32)),
    ("bool", (), ops.cast(X, ms.bool_)), ("copy", (), X),
    ("logical_and", (TRUTH,), ops.logical_and(X, TRUTH)),
    ("logical_or", (TRUTH,), ops.logical_or(X, TRUTH)),
]  # fmt: skip


def agree(got, wanted):
    if isinstance(wanted, tuple):
        assert isinstance(got, tuple)
        for a, b in zip(got, wanted, strict=True):
            agree(a, b)
        return
    assert isinstance(got, Tensor)
    np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy(), strict=True)


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"), METHODS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_method(name, arguments, wanted):
    agree(getattr(X, name)(*arguments), wanted)


def test_names_of_arguments():
    agree(X.sum(axis=1, keepdims=True), ops.sum(X, 1, True))
    agree(X.sum(dim=1, keepdim=True), ops.sum(X, 1, True))
    agree(X.sum(0, dtype=ms.float32), ops.sum(X.float(), 0))
    agree(X.max(axis=1), ops.amax(X, 1))
    agree(X.max(dim=1, keepdim=True), ops.max(X, 1, True))
    agree(X.max(axis=1, keepdims=True), ops.amax(X, 1, True))
    agree(X.max(axis=1, return_indices=True), ops.max(X, 1))
    agree(X.max(axis=(0, 1)), ops.amax(X))
    agree(X.argmax(dim=1, keepdim=True), ops.argmax(X, 1, True))
    agree(X.flatten(start_dim=1), X)


ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("other", [2, 0.5, np.float32(0.5), Y.asnumpy(), Y])
def test_operators_on_both_sides(name, other):
    op = getattr(operator, name)
    plain = other.asnumpy() if isinstance(other, Tensor) else other
    for left, right, wanted in (
        (X, other, op(X.asnumpy(), plain)),
        (other, X, op(plain, X.asnumpy())),
    ):
        got = op(left, right)
        assert isinstance(got, Tensor)
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12)


def test_operators_of_one_and_comparisons():
    agree(-X, ops.neg(X))
    agree(+X, X)
    agree(abs(-X), X)
    agree(~TRUTH, ops.logical_not(TRUTH))
    agree(TRUTH & ~TRUTH, TRUTH ^ TRUTH)
    agree(TRUTH | False, TRUTH)
    agree(X.T, ops.transpose(X, (1, 0)))
    agree(X.mT, X.T)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        op = getattr(operator, name)
        np.testing.assert_array_equal(op(X, Y).asnumpy(), op(X.asnumpy(), Y.asnumpy()))
        np.testing.assert_array_equal(op(0.5, X).asnumpy(), op(0.5, X.asnumpy()))
    assert (X == None) is False  # noqa: E711  # that is what is tested
    assert (X != "a") is True


def test_methods_carry_gradients():
    x = Tensor([1.0, -2.0])
    assert grad(lambda x: x.where(x > 0, 3.0).sum())(x).tolist() == [1, 0]
    assert grad(lambda x: x.copy().pow(2).sum())(x).tolist() == [2, -4]
    assert grad(lambda x: (x.astype(ms.float64) ** 2).sum())(x).dtype == ms.float32
    assert grad(lambda x: x.max(axis=0))(x).tolist() == [1, 0]


SMALL = Tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (SMALL.sort(0, True)[0], [[3, 4], [1, 2]]),
        (SMALL.sort(dim=0, descending=True)[1], [[1, 1], [0, 0]]),
        (SMALL.repeat(2), [1, 1, 2, 2, 3, 3, 4, 4]),
        (SMALL.repeat([1, 2], 0), [[1, 2], [3, 4], [3, 4]]),
        (SMALL.index_add(0, Tensor([1]), Tensor([[10.0, 20.0]]), alpha=2), [[1, 2], [23, 44]]),
        (SMALL.scatter_add(1, Tensor([[0], [1]]), Tensor([[5.0], [7.0]])), [[6, 2], [3, 11]]),
        (SMALL.fill_diagonal(9.0), [[9, 2], [3, 9]]),
        (X.fill_diagonal(0.0) == 0, [[True, False, False], [False, True, False]]),
        ((SMALL > 1).any([0, 1]), True),
        ((SMALL > 1).all(axis=[1]), [False, True]),
    ],
)
def test_methods_with_arguments_of_their_own(got, wanted):
    assert got.tolist() == wanted


def test_facts():
    assert (X.numel(), X.type(), X.strides, X.is_contiguous()) == (6, "Float64", (24, 8), True)
    assert X.type(ms.float16).dtype == ms.float16


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: X.sum(1, None, True, 0, 4),
            TypeError,
            r"sum takes \(axis, .*\(1, None, True, 0, 4\)",
        ),
        (lambda: X.sum(1, True, None), TypeError, r"\(dim, keepdim\).*\(1, True, None\)"),
        (lambda: X.fill_diagonal(9.0, wrap=True), ValueError, "fill_diagonal.*wrap=False"),
        (lambda: X[0].fill_diagonal(9.0), ValueError, r"fill_diagonal: the shape \(3,\)"),
        (lambda: Tensor(np.ones((2, 2, 3))).fill_diagonal(0), ValueError, r"\(2, 2, 3\) must have"),
    ],
)
def test_refusals_say_what_was_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_astype_of_the_same_dtype_is_the_same():
    assert X.astype(ms.float64) is X
    assert X.to(ms.float16).dtype == ms.float16


def test_assign_value():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert p.assign_value(Tensor([3.0, 4.0])) is p
    assert p.tolist() == [3, 4]


def test_every_method_says_what_it_computes_under_its_own_name():
    own = {n: m for n, m in vars(Tensor).items() if n[0] != "_" and n not in Tensor.__slots__}
    assert not [n for n, m in own.items() if not inspect.getdoc(m)]
    assert not [
        n
        for n, m in own.items()
        if inspect.isroutine(m) and m.__name__.startswith(("<", "_", "method"))
    ]
    assert Tensor.reshape.__qualname__ == Tensor.view.__qualname__ == "Tensor.reshape"
    assert inspect.getdoc(Tensor.half) == "The values as float16."


def test_the_short_casts():
    kinds = {"float": "32", "half": "16", "double": "64"}
    for name, bits in kinds.items():
        assert getattr(I, name)().dtype == getattr(ms, f"float{bits}")
    for name, dtype in {"int": "int32", "long": "int64", "short": "int16", "byte": "uint8"}.items():
        assert getattr(X * 4, name)().tolist() == np.trunc(X.asnumpy() * 4).astype(dtype).tolist()
        assert getattr(X, name)().dtype == getattr(ms, dtype)
    assert X.to(ms.float16).dtype == ms.float16
    assert X.new_full((2,), 3).tolist() == [3.0, 3.0]
    assert X.new_ones(2).dtype == X.dtype
    assert X.contiguous() is X
    assert X.zeros_like().tolist() == [[0.0] * 3] * 2
