"""The source that a person reads: its text, its names, its numbers, and that it runs by itself."""

import _thread
import functools
import re
import threading

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, jit, ops, value_and_grad

X = Tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
W = Tensor([0.5, 2.0, -1.0])


def text(function, *args):
    """The source after one call, without the notes at the ends of the lines."""
    run = jit(function, fullgraph=True)
    run(*args)
    return without_notes(run.source)


def without_notes(source):
    return "\n".join(line.split("  #")[0].rstrip() for line in source.splitlines())


def by_itself(source, name, *args):
    """What the text returns, run where there is nothing else."""
    space = {}
    exec(source, space)
    return space[name](*args)


def held(function, *args):
    """The source runs by itself, and returns what the function returns: value, shape and dtype."""
    run = jit(function, fullgraph=True)
    run(*args)
    got = by_itself(run.source, run.program.name, *[np.array(x.array) for x in args])
    wanted = function(*args)
    many = isinstance(wanted, tuple)
    for a, b in zip(got if many else [got], wanted if many else [wanted], strict=True):
        np.testing.assert_allclose(a, b.asnumpy(), rtol=1e-6, strict=True)
    return without_notes(run.source)


# ------------------------------------------------------------------------------- whole programs
def test_the_gradient_of_logistic_regression():
    def loss(x, w, y):
        p = 1 / (1 + ops.exp(-(x @ w)))
        return ((p - y) ** 2).sum()

    assert held(value_and_grad(loss, 1), X, W, Tensor([0.0, 1.0])) == (
        "import numpy as np\n"
        "\n"
        "def value_and_grad_loss(x, w, y):\n"
        "    t = np.exp(-(x @ w))\n"
        "    t_2 = 1 + t\n"
        "    p = 1 / t_2\n"
        "    t_3 = p - y\n"
        "    t_4 = (t_3 * t_3).sum()\n"
        "    d_w = x.T @ (p / t_2 * t_3 * t * 2)\n"
        "    return t_4, d_w"
    )


def test_a_second_derivative():
    assert held(grad(grad(lambda x: x**3)), Tensor(2.0)).splitlines()[3] == "    d_x = x * 6"


def test_each_gradient_of_a_higher_derivative_has_its_name():
    source = held(grad(grad(grad(ops.sin))), Tensor(2.0))
    assert source.splitlines()[3:] == [
        "    d_x = np.cos(x)",
        "    d_x_2 = -d_x",
        "    return d_x_2",
    ]

    def slope(a):
        return grad(lambda x: ops.exp(x) * a)(a).sum()

    assert "    d_a_2 = exp_a + d_a\n" in held(grad(slope), Tensor(2.0))


def test_a_convolution_is_a_product_with_its_windows():
    x, w = Tensor(np.arange(72.0).reshape(2, 4, 3, 3)), Tensor(np.ones((2, 2, 2, 2)))
    source = held(lambda x, w: ops.conv2d(x, w, stride=1, groups=2), x, w)
    assert "    t = x.transpose((1, 2, 3, 0)).copy()\n" in source  # batch last
    in_order = "t.transpose((3, 0, 1, 2))"
    assert f"t_2 = np.lib.stride_tricks.sliding_window_view({in_order}, (2, 2), (2, 3))" in source
    assert source.count("@") == source.count("def ") == 1
    source = held(lambda x, w: ops.conv2d(x, w, stride=2, dilation=(2, 1), groups=2), x, w)
    assert f"sliding_window_view({in_order}, (3, 2), (2, 3))\n" in source
    assert "t_3 = t_2[..., ::2, ::2, ::2, ::1].transpose((1, 4, 5, 2, 3, 0)).copy()\n" in source


def test_relu_is_written_with_a_number():
    assert "np.maximum(x, 0)" in held(ops.relu, X)
    assert "np.maximum(x, False)" in held(ops.relu, Tensor([True, False]))  # or it would be int64


def test_each_line_tells_where_it_comes_from():
    def f(x):
        h = ops.tanh(x)
        return (h * h).sum()

    run = jit(grad(f))
    run(X)
    here = f.__code__.co_firstlineno
    notes = [line.partition("  # ")[2] for line in run.source.splitlines()]
    assert [note for note in notes if note] == [
        f"line {here + 1}: h = ops.tanh(x)",
        f"gradient of lines {here + 1} and {here + 2}",
    ]


def test_a_note_names_all_the_lines_whose_gradients_meet_in_a_line():
    def f(x):
        a = ops.sin(x)
        b = ops.exp(a)
        c = ops.cos(b)
        return c.sum()

    run = jit(grad(f))
    run(X)
    one, two, three = (f.__code__.co_firstlineno + i for i in (1, 2, 3))
    assert run.source.count("gradient") == 1
    assert f"  # gradient of lines {one}, {two} and {three}\n" in run.source
    assert re.search(rf"sin\(b\) .*gradient of line {three}\n", str(run.program))


def test_a_note_names_the_lines_of_what_stands_inside_of_a_line():
    def f(x):
        y = [x]
        y[0] = ops.sin(y[0])  # where no variable sees it, it gets no name
        y[0] = ops.sin(y[0])
        return y[0].sum()

    run = jit(grad(f))
    run(X)
    one, two = (f.__code__.co_firstlineno + i for i in (2, 3))
    assert re.search(rf"d_x = .*cos.*cos.*  # gradient of lines {one} and {two}\n", run.source)


def test_the_gradient_of_the_last_line_tells_it_too():
    run = jit(grad(lambda x: x * x))
    run(Tensor(3.0))
    assert re.search(r"d_x = x \* 2  # gradient of line \d+", run.source)


def test_a_long_line_is_cut():
    run = jit(lambda x: x + x * x - x / x + ops.tanh(x) - ops.sin(x) + ops.cos(x) * 1.0)
    run(X)
    assert max(map(len, run.source.splitlines())) < 160


def test_the_listing():
    k = Tensor([1.0, 2.0, 3.0])

    def f(x, w):
        h = x * k
        return (h @ w).sum()

    run = jit(grad(f, 1), fullgraph=True)
    run(X, W)
    here = f.__code__.co_firstlineno
    assert str(run.program).splitlines() == [
        "grad_f(x: float32[2, 3], w: float32[3])",
        "kept from outside, as it was: k: float32[3], constant: float32[2, 1]",
        f"    h    float32[2, 3]  multiply(x, k)             line {here + 1}: h = x * k",
        f"    t    float32[3, 2]  transpose(h, (1, 0))       gradient of line {here + 2}",
        f"    t_2  float32[3, 1]  matmul(t, constant)        gradient of line {here + 2}",
        f"    d_w  float32[3]     getitem(t_2, Ellipsis, 0)  gradient of line {here + 2}",
        "    return d_w",
    ]


def test_the_listing_of_what_is_written():
    p = Parameter(Tensor([1.0, 2.0]), name="net.p")
    run = jit(lambda x: [p.set_data(p * x), p.sum()][1])
    run(Tensor(2.0))
    assert str(run.program).splitlines()[0] == "function(x: float32[], net_p: float32[2])"
    assert str(run.program).splitlines()[-1] == "    write net_p = new_net_p"


# --------------------------------------------------------------------------------------- names
def test_the_users_names_and_those_of_gradients():
    def f(x, w):
        hidden = x @ w
        score = ops.tanh(hidden) * hidden
        return score.sum()

    source = text(grad(f, (0, 1)), X, W)
    for line in ("hidden = x @ w", "d_w = x.T @ d_hidden", "return d_x, d_w"):
        assert line in source


def test_d_is_the_whole_gradient_and_not_its_first_part():
    """h is read twice: d_h is the sum of both parts."""

    def f(x):
        h = x * 2.0
        a = ops.sin(h)
        b = ops.cos(h)
        return (a * 3.0 + b).sum()

    run = jit(grad(f))
    x = Tensor([0.3, 0.7])
    run(x)
    names = {step.out.name: step.out for step in run.recorded.steps}
    known = dict(zip(run.recorded.inputs, [x.asnumpy()], strict=True))
    from test_passes import values  # found beside this file

    (d_h,) = values(run.recorded._replace(outputs=[names["d_h"]]), *known.values())
    h = 2 * x.asnumpy()
    np.testing.assert_allclose(d_h, 3 * np.cos(h) - np.sin(h), rtol=1e-6)


def test_names_that_python_or_the_text_has_taken():
    def f(x, np, rng, special, t):
        sum = x * np
        max = sum + rng
        t_2 = max * special
        λ = t_2 - t
        return ops.tanh(λ) * λ

    args = [Tensor([0.5, 1.0]) * i for i in range(1, 6)]
    source = held(f, *args)
    assert "def f(x, np_2, rng_2, special_2, t):" in source
    assert "sum_2 = x * np_2" in source
    assert "λ = (sum_2 + rng_2) * special_2 - t" in source or "λ = t_2 - t" in source


@pytest.mark.parametrize("name", ["np", "rng", "class", "x", "sum", "special"])
def test_a_function_of_any_name(name):
    def f(x):
        return ops.erf(ops.tanh(x) * x)

    f.__name__ = name
    held(f, X)


def test_a_captured_array_with_a_name_that_is_taken():
    special = Tensor([1.0, 2.0, 3.0])
    source = held(lambda x: ops.erf(x * special), X)
    lines = source.splitlines()
    assert lines[:3] == [
        "import numpy as np",
        "from scipy import special",
        "special_2 = np.array([1., 2., 3.], np.float32)",
    ]


def test_two_values_of_one_name():
    def f(x):
        h = x * 2.0
        h = ops.tanh(h) - h
        h = h * h
        return h  # noqa: RET504  # the third of its name

    source = held(f, X)
    assert "h = x * 2" in source
    assert "h_2 = np.tanh(h) - h" in source
    assert "h_3 = h_2 * h_2" in source


# ------------------------------------------------------------------------------------- expressions
EXPRESSIONS = {
    "x - (y - z)": lambda x, y, z: x - (y - z),
    "x - y - z": lambda x, y, z: x - y - z,
    "x / (y * z)": lambda x, y, z: x / (y * z),
    "x * (y / z)": lambda x, y, z: x * (y / z),
    "-(x * x)": lambda x, y, z: -(x**2),
    "(x > y) == (y > z)": lambda x, y, z: (x > y) == (y > z),
    "2.0 ** x": lambda x, y, z: 2.0**x,
    "(y ** x) ** z": lambda x, y, z: (y**x) ** z,
    "y ** (x ** z)": lambda x, y, z: y ** (x**z),
    "y ** (-x)": lambda x, y, z: y ** (-x),
    "x * -0.3": lambda x, y, z: x * -0.3,
    "x / 3.0": lambda x, y, z: x / 3.0,
    "x * 0.25": lambda x, y, z: x / 4.0,
    "x / 1024": lambda x, y, z: x / 1024.0,
    "x + np.inf": lambda x, y, z: x + float("inf"),
    "np.maximum(x, -np.inf)": lambda x, y, z: ops.maximum(x, float("-inf")),
    "(x - y).sum() * z": lambda x, y, z: (x - y).sum() * z,
    "(x * y)[1:, None] @ z[None]": lambda x, y, z: (x * y)[1:, None] @ z[None],
    "np.where(x > y, np.float32(1), np.float32(0)) * x": lambda x, y, z: (
        ops.where(x > y, Tensor(1.0), Tensor(0.0)) * x
    ),
    "x[::-1]": lambda x, y, z: ops.flip(x, (0,)),
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_has_the_brackets_that_it_needs(expression):
    x, y, z = Tensor([0.5, 2.0, 1.5]), Tensor([1.0, 3.0, 2.5]), Tensor([2.0, 0.5, 1.25])
    source = held(EXPRESSIONS[expression], x, y, z)
    assert source.splitlines()[-2].endswith(f" = {expression}")


# ----------------------------------------------------------------------------------- dtypes, sizes
def slope(x):
    return ops.where(x > 0.25, x * x * 0.1, -x).mean()


DTYPED = {
    "half a number": lambda x: x * 0.5 + 1,
    "sigmoid": lambda x: ops.sigmoid(x),
    "mean": lambda x: x.mean(),
    "where": lambda x: ops.where(x > 0.3, x, 2.0),
    "gradient": grad(slope),
    "cast": lambda x: x.astype("float64") * 0.1,
    "whole": lambda x: (x * 3).astype("int32") * 2 + 1,
    "mask": lambda x: ((x > 0.3) & (x < 1.0)).astype("float32"),
    "counted": lambda x: (x > 0.3).sum(),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 3)], ids=str)
@pytest.mark.parametrize("name", DTYPED)
@pytest.mark.filterwarnings("ignore")  # numpy's, of the mean of nothing
def test_dtypes_are_those_of_the_function(name, shape, dtype):
    """By the source and by the program that runs, with the same numbers."""
    function, x = DTYPED[name], Tensor(np.random.default_rng(0).random(shape).astype(dtype))
    wanted = function(x).asnumpy()
    run = jit(function, fullgraph=True)
    by_source = None
    for _ in range(2):
        got = run(x).asnumpy()
        exact = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-13}[dtype]
        np.testing.assert_allclose(got, wanted, rtol=exact, strict=True)
        by_source = by_itself(run.source, run.program.name, x.asnumpy())
        np.testing.assert_allclose(by_source, wanted, rtol=exact, strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool"])
def test_whole_numbers_keep_their_dtype(dtype):
    x = Tensor(np.array([[0, 1, 3], [2, 5, 1]]).astype(dtype))
    for function in (
        lambda x: x + x,
        lambda x: x * 2,
        lambda x: ops.where(x > 1, x, x * 0),
        lambda x: x.astype("float32") / 2,
        lambda x: x * 1.5,
        lambda x: (x, x.T.reshape(-1)),
    ):
        held(function, x)


ON_ARRAYS = {
    "np.add.accumulate(x, axis=1)": lambda x: np.add.accumulate(x, axis=1),
    "np.fft.fft(x)": lambda x: np.fft.fft(x),
    "np.linalg.norm(x)": lambda x: np.linalg.norm(x),
    "np.pad(x, {0: (1, 2)})": lambda x: np.pad(x, {0: (1, 2)}),
    "np.vander(": lambda x: np.vander(x[0], 2),
    "sum(0)": lambda x: np.add.reduce(x),
    "return ()": lambda x: 3,
}


@pytest.mark.parametrize("code", ON_ARRAYS)
def test_numpys_functions_have_numpys_names(code):
    run, x = jit(ON_ARRAYS[code], fullgraph=True), np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
    wanted = run(x)
    assert code in run.source
    if code != "return ()":  # a number that is no Tensor is none of the program's
        got = by_itself(run.source, run.program.name, x)
        np.testing.assert_allclose(got, wanted, rtol=1e-12, strict=True)


def test_a_program_of_which_no_line_is_the_users():
    """It is recorded in a thread that Python code has not started."""
    run, ended = jit(functools.partial(np.add, np.ones(2))), threading.Lock()

    class Watched(dict):
        def __del__(self):
            ended.release()

    ended.acquire()
    _thread.start_new_thread(run, (np.zeros(2),), Watched())
    assert ended.acquire(timeout=60)
    assert run.source.splitlines()[-2:] == ["    t = 1 + x2", "    return t"]


def test_what_is_drawn_is_drawn_by_a_generator():
    run = jit(lambda x: ops.dropout(x, 0.5, training=True), fullgraph=True)
    ones = np.ones(100, np.float32)
    run(Tensor(ones))
    assert "rng = np.random.default_rng()" in run.source
    assert set(by_itself(run.source, run.program.name, ones)) == {0.0, 2.0}


def test_a_function_that_cannot_be_written_is_named():
    run = jit(lambda x: np.emath.sqrt(x), fullgraph=True)
    assert run(np.array([4.0, -1.0])).tolist() == [2, 1j]
    assert "# sqrt is a function of minigrad, or of yours, called as it is" in run.source


def test_a_program_has_both_texts_and_each_step_computes_what_it_says():
    from test_passes import values  # found beside this file

    run, x = jit(lambda x: ops.split(x, 1, 0), fullgraph=True), X.asnumpy()
    run(X)
    assert run.program.source == run.source
    assert run.program.fast_source == run.fast_source
    both = jit(lambda x: divmod(x, 2), fullgraph=True)
    both(x)
    for got, wanted in zip(values(both.recorded, x), divmod(x, 2), strict=True):
        np.testing.assert_array_equal(got, wanted)


# --------------------------------------------------------------------------------------- constants
def test_a_big_array_is_named_and_not_written_out():
    k = Tensor(np.arange(2000.0))
    source = text(lambda x: x * k, Tensor(np.ones(2000)))
    assert "# k is an array of 2000 that the function read from outside" in source
    assert len(source) < 300


def test_constants_of_all_kinds_come_back():
    arrays = [
        np.array([0.1, np.nan, np.inf, -np.inf, -0.0, 1e-30], np.float32),
        np.full((2, 6), 0.1),  # one number of float64, beside float32
        np.array([[1], [2]], np.int32),
        np.zeros((0, 6), np.float32),
        np.array([True, False, True, True, False, True]),
    ]
    for k in map(Tensor, arrays):
        held(lambda x, k=k: ops.concat((x.astype(k.dtype), k), 0) if k.ndim == 1 else x * k,
             Tensor(np.arange(6).astype(np.float32)))  # fmt: skip


# ------------------------------------------------------------------------------ what it returns
def test_what_it_returns_is_new():
    """Neither an argument, nor another result, nor an array of which one place is many entries."""

    def f(x, w):
        h = x * 2.0
        return x, x.T, h, h, h.T, ops.broadcast_to(w, (2, 3)), ops.broadcast_to(w * 2, (2, 3)).T

    run = jit(f, fullgraph=True)
    given = [X.asnumpy(), W.asnumpy()]
    for _ in range(2):
        live = [r.array for r in run(X, W)]
        results = by_itself(run.source, "f", *given)
        for arrays in (results, live):
            for i, a in enumerate(arrays):
                assert a.flags.writeable
                a[...] = i  # each entry has its place, and no other array sees it
            assert [np.unique(a).tolist() for a in arrays] == [[i] for i in range(7)]
    assert given[0].tolist() == X.asnumpy().tolist() == [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]


def padded(x):
    return ops.max_pool2d(x, 2, padding=1)


def test_a_function_with_the_name_of_one_that_its_program_brings_along():
    run, x = jit(padded, fullgraph=True), Tensor(np.arange(16.0).reshape(1, 1, 4, 4))
    wanted = run(x).asnumpy()
    assert "def padded(x, padding" in run.source
    np.testing.assert_array_equal(by_itself(run.source, "padded_", x.asnumpy()), wanted)
