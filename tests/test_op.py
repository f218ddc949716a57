"""Ops: how they are declared, the dtypes of what they compute, what their rules are asked for."""

import json
import traceback
from pathlib import Path

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, grad, ops
from minigrad.op import OPS, primitive, primitive_of_many
from minigrad.tape import record
from minigrad.tensor import Node, wrap
from minigrad.transform import vjp

CATALOGUE = {function.op.name: function for function in OPS.values()}


@pytest.fixture
def declared():
    """Forget the ops that a test declares."""
    before = dict(OPS)
    yield OPS
    OPS.clear()
    OPS.update(before)


# --- declaring
def test_an_op_keeps_what_its_rules_name_and_nothing_else(declared):
    scaled = primitive("scaled", lambda x, y, n: x * y * n, "z = n x y",
        x=(lambda g, y, n: g * y * n, "g y n"), y=(lambda g, out, like: g * 0, "0"))  # fmt: skip
    assert scaled.op.needs == ("y", "n", "out")
    assert scaled.op.arrays == ("x", "y")
    assert scaled.op.parameters == ("x", "y", "n")
    assert scaled.op.rule_formulas == {"x": "g y n", "y": "0"}
    assert grad(lambda x: scaled(x, Tensor(3.0), 2))(Tensor(5.0)).item() == 6.0


def test_a_rule_that_asks_for_an_unknown_name_is_refused(declared):
    with pytest.raises(TypeError, match="a rule of broken asks for nonsense"):
        primitive("broken", lambda x: x, "y = x", x=(lambda g, nonsense: g, ""))


def test_like_holds_the_shape_and_dtype_of_the_rules_own_input(declared):
    seen = []

    def rule(g, like):
        seen.append((like.shape, like.dtype))
        return np.broadcast_to(g, like.shape)

    total = primitive("total", lambda x: np.sum(x), "y = sum x", numpy=object(), x=(rule, "g"))
    grad(total)(Tensor(np.ones((2, 3), np.float16)))
    assert seen == [((2, 3), np.float16)]


def test_static_arguments_have_defaults_and_go_by_name(declared):
    grow = primitive("grow", lambda x, times=3, plus=0: x * times + plus, "y = n x",
        x=(lambda g, times: g * times, "n g"))  # fmt: skip
    x = Tensor(2.0)
    assert [grow(x).item(), grow(x, 5).item(), grow(x, plus=1).item()] == [6.0, 10.0, 7.0]
    assert grad(lambda x: grow(plus=1, input=x, times=4))(x).item() == 4.0


def test_an_op_with_several_outputs_gets_the_gradients_of_all(declared):
    sincos = primitive("sincos", lambda x: (np.sin(x), np.cos(x)), "", several=True,
        x=(lambda g, out: g[0] * out[1] - g[1] * out[0], ""))  # fmt: skip
    x = Tensor(np.array(0.7))

    def fn(x):
        s, c = sincos(x)
        return s * c * s  # sin² cos

    def first(x):
        return 2 * np.sin(x) * np.cos(x) ** 2 - np.sin(x) ** 3

    np.testing.assert_allclose(grad(fn)(x).item(), first(0.7))
    step = (first(0.7 + 1e-6) - first(0.7 - 1e-6)) / 2e-6
    np.testing.assert_allclose(grad(grad(fn))(x).item(), step, rtol=1e-7)
    np.testing.assert_allclose(grad(lambda x: sincos(x)[1])(x).item(), -np.sin(0.7))
    np.testing.assert_allclose(grad(grad(lambda x: sincos(x)[1]))(x).item(), -np.cos(0.7))


def test_an_op_of_many_arrays_has_a_gradient_for_each(declared):
    def add_up(xs, weight=1.0):
        return weight * sum(xs)

    total = primitive_of_many("total", add_up, "", numpy=object(),
        xs=(lambda g, like, weight: [g * weight for _ in like], ""))  # fmt: skip
    a, b = Tensor([1.0]), Tensor([2.0])
    da, db = grad(lambda a, b: total([a, b, a, np.ones(1)], 3.0), (0, 1))(a, b)
    assert (da.item(), db.item()) == (6.0, 3.0)
    assert grad(lambda a: total([a, a]))(a).item() == 2.0  # with the default
    assert type(total([np.ones(1), np.ones(1)])) is np.ndarray
    with pytest.raises(TypeError, match="colour"):
        total([a, b], colour="red")


def test_on_arrays_alone_an_op_computes_arrays():
    assert type(ops.exp(np.ones(2, np.float32))) is np.ndarray
    assert type(ops.add(np.ones(2), np.ones(2))) is np.ndarray


def test_the_source_of_an_op_can_be_read():
    source = ops.mul.op.source
    assert source.startswith("def multiply(input, other):\n    x_ = x = input; ")
    assert "tape.append((op, " in source
    assert "rule_x(g, y)" in source


def test_an_error_inside_an_op_shows_its_source_line(declared):
    fails = primitive("fails", lambda x: 1 // 0, "", x=(lambda g: g, ""))
    with pytest.raises(ZeroDivisionError) as caught:
        fails(Tensor(1.0))
    assert "out = forward(x)" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_op_has_a_formula_for_itself_and_for_each_rule(name):
    op = CATALOGUE[name].op
    assert "=" in op.formula
    assert set(op.rules) <= set(op.rule_formulas)
    assert all(op.rule_formulas[x].strip() for x in op.rules)


# --- dtypes
RECORDED = json.loads(
    (Path(__file__).parent / "data" / "promotion.json").read_text(encoding="utf-8")
)
OPERATIONS = {
    "add": (lambda x, y: x + y, lambda x, y: x + y),
    "div": (lambda x, y: x / y, lambda x, y: x / y),
    "pow": (lambda x, y: x**y, lambda x, y: x**y),
    "maximum": (ops.maximum, max),
}
OPERANDS = {
    "tensors": lambda x, y: (tensor(3, x), tensor(2, y)),
    "numbers": lambda x, n: (tensor(3, x), eval(n)),
    "reflected": lambda x, n: (eval(n), tensor(3, x)),
}


def tensor(value, dtype):
    return Tensor(np.array([value], dtype))


def plain(x):
    """An operand as a Python number."""
    return float(x.asnumpy()[0]) if isinstance(x, Tensor) else float(x)


@pytest.mark.parametrize("place", OPERANDS)
@pytest.mark.parametrize("op", OPERATIONS)
def test_results_have_the_dtype_and_value_that_mindspore_gives_them(op, place):
    on_tensors, on_numbers = OPERATIONS[op]
    wrong = []
    for x, row in RECORDED[place][op].items():
        for y, dtype in row.items():
            if dtype is None:
                continue  # MindSpore has no answer
            a, b = OPERANDS[place](x, y)
            out = on_tensors(a, b).asnumpy()
            value = on_numbers(plain(a), plain(b))
            value = bool(value) if dtype == "bool" else value
            if out.dtype != dtype or not np.allclose(float(out[0]), float(value), rtol=2e-3):
                wrong.append(f"{a!r}, {b!r}: {out.dtype} {out}; expected {dtype} {value}")
    assert not wrong, "\n".join(wrong)


def test_the_record_of_promotion_is_complete():
    dtypes = {"bool", "float16", "float32", "float64"}
    dtypes |= {f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)}
    for op in OPERATIONS:
        table = RECORDED["tensors"][op]
        assert set(table) == dtypes
        assert all(set(row) == dtypes for row in table.values())
        assert sum(dtype is not None for row in table.values() for dtype in row.values()) > 80


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.int64(2), np.float32(2), True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_number_leaves_a_float_tensor_its_dtype_on_either_side(number, dtype):
    t = tensor(4, dtype)
    for out in (t * number, number * t, t - number, number - t, t / number, number / t):
        assert isinstance(out, Tensor)
        assert out.dtype == t.dtype


def test_an_operand_that_is_no_number_is_named():
    with pytest.raises(TypeError, match=r"add: expected a Tensor or a number, but got str"):
        Tensor([1.0]) + "a"
    with pytest.raises(TypeError, match="NoneType"):
        None * Tensor([1.0])


@pytest.mark.parametrize("order", [1, 2])
def test_the_gradient_has_the_dtype_of_its_input_when_dtypes_mix(order):
    x, y = tensor(3, np.float32), tensor(2, np.float64)
    n = Tensor([4], ms.int32)

    def fn(x, y):
        return x * y * n / 2 + x**2

    for _ in range(order - 1):
        inner = fn

        def fn(x, y, inner=inner):
            return sum(g.sum() for g in grad(inner, (0, 1))(x, y))

    dx, dy = grad(fn, (0, 1))(x, y)
    assert (dx.dtype, dy.dtype) == (ms.float32, ms.float64)
    # f = 2 x y + x²; and the sum of its gradients is 2 y + 2 x + 2 x
    assert (dx.item(), dy.item()) == ((10.0, 6.0) if order == 1 else (4.0, 2.0))


STEPS = ((1, 1), ((0, 0), (0, 0)), (1, 1))  # stride, padding and dilation of windows
# What an op takes besides its arrays, or in place of two of shape (2, 3).
SAMPLES = {
    "cast": lambda x: (x, x.dtype),
    "reshape": lambda x: (x, (3, 2)),
    "transpose": lambda x: (x, (1, 0)),
    "swapaxes": lambda x: (x, 0, 1),
    "broadcast_to": lambda x: (x, (4, 2, 3)),
    "concatenate": lambda x: ([x, x], 1),
    "pad": lambda x: (x, ((1, 0), (0, 2)), 0),
    "clip": lambda x: (x, 0.3, 0.6),
    "where": lambda x: (np.array([True, False, True]), x, x),
    "scatter": lambda x: (x, (np.array([0, 0]),), (4, 3)),
    "getitem": lambda x: (x, (np.array([0, 0, 1]),)),
    "assign": lambda x: (x, x[:, 0], (slice(None), 1)),
    "put_along_axis": lambda x: (x, np.array([[0, 0, 1], [1, 2, 2]]), 1, (2, 3)),
    "cross_entropy": lambda x: (x, np.array([2, 0])),
    "take_along_axis": lambda x: (x, np.array([[0, 0, 1], [1, 2, 2]]), 1),
    "matmul": lambda x: (x, x.reshape(3, 2)),
    "dense": lambda x: (x, x, x[0, :2]),
    "cumsum": lambda x: (x, 1),
    "cumprod": lambda x: (x, 1),
    "prod": lambda x: (x, 1),
    "polygamma": lambda x: (x, 1),
    "standardize": lambda x: (x, (1,), 1e-5),
    "unfold": lambda x: (x[None, None], (2, 2), *STEPS),
    "fold": lambda x: (x[:, :2].reshape(1, 4, 1), (2, 2), (2, 2), *STEPS),
    "convolve": lambda x: (x[None, None], x[None, None, :, :2], *STEPS, 1),
    "convolve_back": lambda x: (x[None, None], x[None, None, :1, :2], (1, 1, 2, 4), *STEPS, 1),
    "correlate": lambda x: (x[None, None], x[None, None, :1, :2], (1, 1, 2, 2), *STEPS, 1),
    "max_pool": lambda x: (x[None, None], (2, 2), *STEPS),
    "gather_windows": lambda x: (x[None, None], np.ones((2, 2, 1, 1, 1, 2), bool), (2, 2), *STEPS),
    "spread_windows": lambda x: (
        x[None, None],
        np.ones((2, 2, 1, 1, 2, 3), bool),
        (1, 1, 3, 4),
        (2, 2),
        *STEPS,
    ),
    "inverse": lambda x: (x[:, :2],),
    "solve": lambda x: (x[:, :2], x),
    "det": lambda x: (x[:, :2],),
    "logabsdet": lambda x: (x[:, :2],),
    "cholesky": lambda x: (x[:, :2] @ x[:, :2].T,),
    "contract": lambda x: (x, x, "ij", "kj", "ik"),
}
DIFFERENTIABLE = [name for name, function in CATALOGUE.items() if function.op.rules]


def sample(name, dtype):
    op, x = CATALOGUE[name].op, np.linspace(0.2, 0.8, 6).reshape(2, 3).astype(dtype)
    if name in SAMPLES:
        return SAMPLES[name](x)
    assert len(op.arrays) <= 2, f"say in SAMPLES what {name} takes"
    return (x,) * len(op.arrays)


def floats(x, found):
    """The dtypes of all floating-point arrays in nested tuples."""
    if isinstance(x, tuple | list):
        for part in x:
            floats(part, found)
    elif isinstance(x, np.ndarray | np.generic | Node | Tensor):
        found.add(np.dtype(x.dtype))
    return {dtype for dtype in found if dtype.kind == "f"}


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_nothing_wider_than_the_input_appears_in_an_op_or_its_rules(name, dtype):
    function, arguments = CATALOGUE[name], sample(name, dtype)
    places = [
        i
        for i, x in enumerate(arguments)
        if isinstance(x, list) or (isinstance(x, np.ndarray) and x.dtype == dtype)
    ]

    def leaf(x):
        return [leaf(v) for v in x] if isinstance(x, list) else wrap(x, Node(x))

    leaves = tuple(leaf(x) if i in places else x for i, x in enumerate(arguments))
    with np.errstate(all="ignore"):
        out, tape, _ = record(function, leaves, {})
        op, saved, sources, node = tape[0]
        ones = [np.ones(n.shape, dtype) for n in (node if isinstance(node, tuple) else (node,))]
        parts = list(op.pull(tuple(ones) if isinstance(node, tuple) else ones[0], sources, *saved))
    assert floats(out, set()) == {np.dtype(dtype)}
    assert floats(list(saved), set()) <= {np.dtype(dtype)}
    assert floats(parts, set()) == {np.dtype(dtype)}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_nothing_wider_than_the_input_appears_in_second_order(name):
    function, arguments = CATALOGUE[name], sample(name, np.float32)
    i = 1 if name == "where" else 0
    listed = isinstance(arguments[0], list)

    def fn(x):
        given = [*arguments]
        given[i] = [x, x] if listed else x
        return function(*given)

    x = arguments[0][0] if listed else arguments[i]
    with np.errstate(all="ignore"):
        out, tape, _ = record(lambda x: grad(fn)(x).sum(), (wrap(x, Node(x)),), {})
    assert out.dtype == ms.float32
    for _, saved, sources, node in tape:
        assert floats([saved, sources, node], set()) <= {np.dtype(np.float32)}


# --- broadcasting is undone once, for all ops
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "power", "maximum"])
@pytest.mark.parametrize("shapes", [((3, 1), (4,)), ((), (2, 3)), ((1, 3), (2, 1)), ((0, 1), (3,))])
def test_gradients_of_broadcast_inputs_have_the_inputs_shapes(op, shapes):
    rng = np.random.default_rng(1)
    x, y = (rng.uniform(1, 2, shape) for shape in shapes)
    out, pull = vjp(CATALOGUE[op], Tensor(x), Tensor(y))
    weight = rng.standard_normal(out.shape)
    dx, dy = (g.asnumpy() for g in pull(Tensor(weight)))
    assert (dx.shape, dy.shape) == shapes
    compute, step = getattr(np, op), 1e-6
    for i, (v, dv) in enumerate(((x, dx), (y, dy))):
        for place in np.ndindex(v.shape):
            moved = [np.array(x), np.array(y)]
            ends = []
            for sign in (1, -1):
                moved[i][place] = v[place] + sign * step
                ends.append((compute(*moved) * weight).sum())
            np.testing.assert_allclose(dv[place], (ends[0] - ends[1]) / (2 * step), atol=1e-7)
