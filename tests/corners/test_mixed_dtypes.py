"""Corner: dtypes. Mixed floats, Python numbers, whole numbers and bools; no silent float64."""

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad, nn, ops

FLOATS = [ms.float16, ms.float32, ms.float64]
NUMBERS = [2, 2.5, True, np.float64(3), np.float32(2), np.int64(2), np.float16(2)]
WITH_A_NUMBER = {
    "x + n": lambda x, n: x + n,
    "n + x": lambda x, n: n + x,
    "x - n": lambda x, n: x - n,
    "n - x": lambda x, n: n - x,
    "x * n": lambda x, n: x * n,
    "n * x": lambda x, n: n * x,
    "x / n": lambda x, n: x / n,
    "n / x": lambda x, n: n / x,
    "x ** n": lambda x, n: x**n,
    "n ** x": lambda x, n: n**x,
    "maximum": lambda x, n: ops.maximum(x, n),
    "where": lambda x, n: ops.where(x > 0, x, n),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("name", WITH_A_NUMBER)
def test_a_number_takes_the_dtype_of_the_tensor(name, number, dtype):
    """In the value, in the gradient, and in the gradient of the gradient."""
    x = Tensor([1.5, 0.5], dtype)

    def fn(x):
        return WITH_A_NUMBER[name](x, number)

    assert fn(x).dtype == grad(fn)(x).dtype == grad(grad(fn))(x).dtype == dtype


@pytest.mark.parametrize("n", [2.5, 3.0, -1.5])
def test_the_slope_of_a_power_is_computed_in_float32_all_along(n):
    """To the last bit: float64 on the way and float32 in the end would round otherwise."""
    x = np.linspace(0.3, 3, 50, dtype=np.float32)
    slope = grad(lambda x: (x**n).sum())(Tensor(x)).asnumpy()
    assert slope.tolist() == (n * x ** np.float32(n - 1)).tolist()


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "atan2", "pow"])
@pytest.mark.parametrize("y_dtype", FLOATS, ids=str)
@pytest.mark.parametrize("x_dtype", FLOATS, ids=str)
def test_two_floats_meet_in_the_wider_and_part_in_their_own(x_dtype, y_dtype, name):
    x, y = Tensor([1.0, 2.0], x_dtype), Tensor([2.0], y_dtype)
    wider = max(x_dtype, y_dtype, key=FLOATS.index)
    op = getattr(ops, name)
    assert op(x, y).dtype == wider
    got = grad(op, (0, 1))(x, y)
    assert [each.dtype for each in got] == [x_dtype, y_dtype]
    assert [each.shape for each in got] == [(2,), (1,)]


@pytest.mark.parametrize("whole", [ms.int8, ms.int32, ms.int64, ms.uint8, ms.bool_], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_whole_tensor_takes_the_float(whole, dtype):
    x, n = Tensor([1.5, 2.0], dtype), Tensor([1, 0], whole)
    for fn in (lambda x: x * n, lambda x: n + x, lambda x: ops.where(n > 0, x, x * 2)):
        assert fn(x).dtype == grad(fn)(x).dtype == dtype
    assert grad(lambda x: x * n)(x).tolist() == [1.0, 0.0]


BESIDE = ["add", "sub", "mul", "div", "atan2", "hypot", "maximum", "pow", "xlogy", "logaddexp"]


@pytest.mark.parametrize("whole", [ms.int32, ms.uint8, ms.bool_], ids=str)
@pytest.mark.parametrize("name", BESIDE)
def test_beside_whole_numbers_the_gradients_are_those_beside_floats(name, whole):
    """Of both orders: -x, which a rule may hold, is no op on bools, and wraps around in uint8."""
    op, x, flags = getattr(ops, name), Tensor(np.array([0.5, 1.5])), np.array([1.0, 0.0])

    def slopes(n):
        first = grad(lambda x: op(n, x) ** 2)
        return first(x).tolist(), grad(lambda x: first(x))(x).tolist()

    same = pytest.approx(slopes(Tensor(flags))[0], rel=1e-6)
    twice = pytest.approx(slopes(Tensor(flags))[1], rel=1e-6)
    assert slopes(Tensor(flags.astype(bool)).astype(whole)) == (same, twice)


def test_unsigned_beside_signed_whole_numbers_stay_whole():
    """numpy makes float64 of them; MindSpore refuses them."""
    large = 2**53 + 1  # float64 cannot hold it
    for dtype in (np.int8, np.int64):
        x, y = Tensor(np.array([large], np.uint64)), Tensor(np.array([-1], dtype))
        for total in (x + y, y + x):
            assert total.dtype == ms.int64
            assert total.tolist() == [large - 1]


def test_whole_numbers_divided_are_float32():
    assert (Tensor([3]) / Tensor([2])).dtype == ms.float32
    assert (Tensor([3]) / 2).dtype == ms.float32


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_cast_gives_the_gradient_back_in_the_dtype_it_came_in(dtype):
    x = Tensor([1.5], dtype)
    assert grad(lambda x: x.astype(ms.float64) ** 2)(x).dtype == dtype
    assert grad(lambda x: x.astype(ms.float16) * 3)(x).tolist() == [3.0]
    assert grad(lambda x: x.astype(ms.int32).astype(ms.float32))(x).tolist() == [0.0]


@pytest.mark.parametrize(
    "layer",
    [
        lambda: nn.Dense(3, 2, activation="relu"),
        lambda: nn.LayerNorm((3,)),
        lambda: nn.BatchNorm1d(3),
        lambda: nn.SequentialCell(nn.Dense(3, 3), nn.Softmax(), nn.GELU(), nn.Dropout(p=0.5)),
    ],
)
def test_a_layer_of_float32_stays_float32(layer):
    """Every value on the way, and every gradient of inputs and Parameters."""
    net, x = layer().set_train(), Tensor(np.ones((4, 3)), ms.float32)
    seen = []

    def watch(_, inputs, output):
        seen.append(output.dtype)

    for _, cell in net.cells_and_names():
        cell.register_forward_hook(watch)
    dx, weights = grad(net, 0, net.trainable_params())(x)
    assert {dx.dtype, *(w.dtype for w in weights), *seen} == {ms.float32}


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (Tensor([1, 2]), r"argument 0 .*Int64.*astype"),
        (Tensor([True]), r"argument 0 .*Bool.*astype"),
        (3, r"argument 0 .*integer 3.*pass 3\.0"),
        (True, r"argument 0 .*True.*pass 1\.0"),
    ],
    ids=repr,
)
def test_what_has_no_slope_is_refused_by_name(x, words):
    with pytest.raises(TypeError, match=words):
        grad(lambda x: x * 2.0)(x)
