"""The program that runs: kept buffers, blocks of rows, views, and how much memory it takes.

Values are compared with numpy, on a second call and with new numbers: at the first call buffers
hold nothing yet, and what was computed too early is still right.
"""

import enum
import re
import tracemalloc

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, jit, ops, value_and_grad
from minigrad.graph import blocks, fast

RNG = np.random.default_rng(0)


@pytest.fixture
def tiny(monkeypatch):
    """Arrays of 64 bytes are big, a block has 32, and two products make a copy worth its while."""
    for module in (blocks, fast):
        monkeypatch.setattr(module, "BIG", 64)
    monkeypatch.setattr(blocks, "BLOCK", 32)
    monkeypatch.setattr(fast, "MANY", 2)


def held(function, in_numpy, *shapes):
    """Three calls, each with new numbers, against numpy; returns the text."""
    run = jit(function, fullgraph=True)
    for _ in range(3):
        arrays = [RNG.normal(size=shape) for shape in shapes]
        got, wanted = run(*map(Tensor, arrays)), in_numpy(*arrays)
        many = isinstance(wanted, tuple)
        for a, b in zip(got if many else [got], wanted if many else [wanted], strict=True):
            np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-12, atol=1e-13, strict=True)
    return run.fast_source


def made(text):
    """How many arrays are got once, and how many at each call."""
    setup, run = text.split("    def run(")
    return setup.count("empty("), run.count("empty(")


# ----------------------------------------------------------------------------------------- buffers
def test_a_chain_of_ops_has_one_buffer():
    def chain(x):
        for _ in range(20):
            x = ops.tanh(x * 2.0) + 0.5
        return x

    def in_numpy(x):
        for _ in range(20):
            x = np.tanh(x * 2.0) + 0.5
        return x

    assert made(held(chain, in_numpy, (3, 4))) == (1, 1)


def test_a_value_that_is_read_later_keeps_its_buffer():
    def f(x, y):
        a = ops.sin(x)
        b = ops.cos(a)
        c = ops.exp(-b) * y
        return a * b * c

    def in_numpy(x, y):
        a = np.sin(x)
        b = np.cos(a)
        return a * b * (np.exp(-b) * y)

    assert made(held(f, in_numpy, (3, 4), (3, 4))) == (3, 1)


def test_a_buffer_serves_other_shapes_of_the_same_size():
    text = held(
        lambda x: ops.sin((ops.tanh(x).sum(0) * 2).reshape(2, 3)).sum(0),
        lambda x: np.sin((np.tanh(x).sum(0) * 2).reshape(2, 3)).sum(0),
        (2, 6),
    )
    assert made(text) == (2, 1)  # one of 12 numbers, one of 6 that sin writes over


def test_where_writes_into_none_of_its_inputs():
    def f(x, y):
        a, b = x * 2.0, y * 3.0
        return ops.where(a > b, b, a) + ops.where(a > b, a, b) * a * b

    def in_numpy(x, y):
        a, b = x * 2, y * 3
        return np.minimum(a, b) + np.maximum(a, b) * a * b

    held(f, in_numpy, (3, 4), (3, 4))
    held(
        lambda x: ops.where(x > 0, ops.sin(x), ops.cos(x)) * 2,
        lambda x: np.where(x > 0, np.sin(x), np.cos(x)) * 2,
        (5,),
    )


def test_where_in_blocks(tiny):
    """Its first input ends with it, and its second is read later."""
    text = held(
        lambda x, y: ops.where(x > y, ops.sin(x), c := ops.cos(y)) * c,
        lambda x, y: np.where(x > y, np.sin(x), np.cos(y)) * np.cos(y),
        (7, 3),
        (7, 3),
    )
    assert "for i in range(0, 7, 1):" in text


def test_two_outputs_that_are_one_value_are_two_arrays():
    run = jit(lambda x: (h := x * 2, h, h.T, h.reshape(-1)))
    x = Tensor(np.ones((2, 3)))
    for _ in range(2):
        arrays = [r.array for r in run(x)]
        for i, a in enumerate(arrays):
            assert not any(np.shares_memory(a, b) for b in arrays[:i])


def test_a_gradient_that_is_the_same_everywhere_can_be_written_into():
    run = jit(grad(lambda x: (x.sum(0) ** 2).sum()))
    for _ in range(2):
        g = run(Tensor([[1.0, 2.0], [3.0, 4.0]])).array
        g[0, 0] = 5.0
        assert g.tolist() == [[5.0, 12.0], [8.0, 12.0]]


# ------------------------------------------------------------------------------------------- views
def test_a_reshape_of_a_turned_buffer_is_copied_at_each_call():
    """It cannot be a view, so it must not be made once and for all."""
    text = held(
        lambda x: ops.tanh((x * 2).T.reshape(2, -1)) + 1,
        lambda x: np.tanh((x * 2).T.reshape(2, -1)) + 1,
        (3, 4),
    )
    setup, run = text.split("    def run(")
    assert ".T\n" in setup  # the view stays where it is
    assert "copyto(" in run


def test_views_of_arguments_are_made_at_each_call():
    held(
        lambda x, y: (x.T[1:] * 2, y[::2].reshape(1, 2) + x.T.reshape(-1)[:2]),
        lambda x, y: (x.T[1:] * 2, y[::2].reshape(1, 2) + x.T.reshape(-1)[:2]),
        (3, 4),
        (3,),
    )


def test_an_argument_that_is_not_contiguous():
    run = jit(lambda x: ops.tanh(x).reshape(-1) @ x.reshape(-1))
    for turn in (np.asarray, np.transpose, lambda x: x[::-1]):
        x = turn(RNG.normal(size=(4, 4)))
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), (np.tanh(x) * x).sum(), rtol=1e-12)


def test_a_matrix_of_many_products_is_copied_once_in_their_order(tiny):
    text = held(
        lambda w, x: [x := ops.tanh(x @ (w * 1.5).T) for _ in range(4)][-1],
        lambda w, x: [x := np.tanh(x @ (w * 1.5).T) for _ in range(4)][-1],
        (2, 2),
        (3, 2),
    )
    assert len(re.findall(r"copyto\(\w+, \w+\.T\)", text)) == 1


# ------------------------------------------------------------------------------------------ blocks
@pytest.mark.parametrize("rows", [1, 4, 6, 7])
def test_big_arrays_are_done_in_blocks_of_rows(tiny, rows):
    """6 rows in blocks of one length, 7 with a shorter one at the end; sums are added up."""

    def f(x, b):
        h = ops.tanh(x * b)
        return h, h.sum(0), (h * x).sum(), h.sum(1) * 2, ops.amax(h, 0)

    def in_numpy(x, b):
        h = np.tanh(x * b)
        return h, h.sum(0), (h * x).sum(), h.sum(1) * 2, h.max(0)

    text = held(f, in_numpy, (rows, 4), (4,))
    assert ("for i in range(" in text) == (rows > 2)


def test_a_shorter_block_at_the_end(monkeypatch):
    monkeypatch.setattr(blocks, "BIG", 64)
    monkeypatch.setattr(blocks, "BLOCK", 128)
    text = held(
        lambda x: ops.tanh(ops.sin(x) * 2).sum(0),
        lambda x: np.tanh(np.sin(x) * 2).sum(0),
        (7, 4),
    )
    assert "j = min(i + 4, 7)" in text


def test_a_parameter_gets_its_new_value_in_blocks(tiny):
    p = Parameter(Tensor(np.arange(28.0).reshape(7, 4)), name="p")
    run = jit(lambda g: [p.set_data(p - ops.tanh(g) * 0.5 * p), p.sum()][1], fullgraph=True)
    wanted = p.asnumpy().copy()
    for _ in range(4):
        g = RNG.normal(size=(7, 4))
        wanted = wanted - np.tanh(g) * 0.5 * wanted
        total = run(Tensor(g)).asnumpy()
        np.testing.assert_allclose(p.asnumpy(), wanted, rtol=1e-12)
        np.testing.assert_allclose(total, wanted.sum(), rtol=1e-12)


def test_rows_of_a_parameter_that_other_rows_need_are_not_written_over(tiny):
    p = Parameter(Tensor(np.arange(28.0).reshape(7, 4)), name="p")
    run = jit(lambda g: p.set_data(p - ops.flip(p, (0,)) * ops.tanh(g)), fullgraph=True)
    wanted = p.asnumpy().copy()
    for _ in range(3):
        g = RNG.normal(size=(7, 4))
        wanted = wanted - wanted[::-1] * np.tanh(g)
        run(Tensor(g))
        np.testing.assert_allclose(p.asnumpy(), wanted, rtol=1e-12)


def test_the_old_value_of_a_parameter_is_there_as_long_as_it_is_read():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def f(g):
        old = p * 1.0
        p.set_data(p - g)
        return ops.tanh(p) + old

    run, wanted = jit(f, fullgraph=True), np.array([1.0, 2.0])
    for _ in range(3):
        got = run(Tensor([0.5, 0.25])).asnumpy()
        old, wanted = wanted, wanted - [0.5, 0.25]
        np.testing.assert_allclose(got, np.tanh(wanted) + old, rtol=1e-6)
        np.testing.assert_allclose(p.asnumpy(), wanted, rtol=1e-6)


def test_a_step_that_needs_all_rows_comes_after_the_loop(tiny):
    held(
        lambda x: ops.softmax(ops.tanh(x), 0) * (x - x.mean(0)),
        lambda x: np.exp(np.tanh(x)) / np.exp(np.tanh(x)).sum(0) * (x - x.mean(0)),
        (9, 3),
    )


# -------------------------------------------------------------------------------------------- BLAS
def test_sums_that_blas_computes():
    text = held(
        lambda x, y: ((x * y).sum(), (x * 2).sum(0)),
        lambda x, y: ((x * y).sum(), x.sum(0) * 2),
        (3, 4),
        (3, 4),
    )
    assert "vdot(x, y)" in text
    assert "dot(ones_3_float64, " in text


# ------------------------------------------------------------------------------------------ memory
def peak(function, *args):
    """The most bytes that a call has at once, results and what was kept before counted."""
    tracemalloc.start()
    try:
        function(*args)
        tracemalloc.reset_peak()
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_of_a_long_formula():
    def f(x, w, b):
        return (ops.tanh(x * w + b) ** 2).sum()

    def in_numpy(x, w, b):
        t = np.tanh(x * w + b)
        value = (t**2).sum()
        g = 2 * t
        g *= 1 - t * t
        return value, g * w, (g * x).sum(0), g.sum(0)

    arrays = [RNG.normal(size=shape).astype(np.float32) for shape in ((700, 500), (500,), (500,))]
    run = jit(value_and_grad(f, (0, 1, 2)), fullgraph=True)
    assert peak(run, *map(Tensor, arrays)) <= 1.1 * peak(in_numpy, *arrays)


def test_memory_of_a_chain_does_not_grow_with_its_length():
    def chain(n):
        def f(x):
            for _ in range(n):
                x = ops.tanh(x) * 1.5
            return x

        return jit(f, fullgraph=True)

    x = Tensor(RNG.normal(size=(700, 700)).astype(np.float32))
    assert peak(chain(30), x) <= 1.1 * peak(chain(3), x)


def test_memory_of_a_small_network():
    def loss(x, w, v):
        return ((ops.relu(x @ w) @ v) ** 2).mean()

    def in_numpy(x, w, v):
        a = x @ w
        h = np.maximum(a, 0)
        y = h @ v
        g = y * (2 / y.size)
        dh = g @ v.T
        dh *= a > 0
        return (y**2).mean(), x.T @ dh, h.T @ g

    arrays = [RNG.normal(size=n).astype(np.float32) for n in ((512, 300), (300, 400), (400, 10))]
    run = jit(value_and_grad(loss, (1, 2)), fullgraph=True)
    assert peak(run, *map(Tensor, arrays)) <= 1.1 * peak(in_numpy, *arrays)


@pytest.mark.parametrize(
    "picked",
    [
        lambda x: x[0] * 1.5,
        lambda x: x[-1] * 1.5,
        lambda x: x[1:3][0] * 1.5,
        lambda x: (x[2] * x[0]).reshape(1, 1) + 1.0,
        lambda x: x.reshape(2, 2)[1][0] * 1.5,
        lambda x: x.reshape(2, 2)[1, 0] * 1.5,
        lambda x: x.reshape(2, 2)[1, 0, ...] * 1.5,
        lambda x: x[0] * x[1] + x[2] / x[3],
    ],
)
def test_an_entry_picked_by_number_is_that_of_this_call(picked):
    """numpy gives a number there and no view, so nothing of it may be done before the call."""
    held(lambda x: picked(ops.exp(x)), lambda x: picked(np.exp(x)), (4,))


@pytest.mark.parametrize(
    ("function", "in_numpy"),
    [
        (lambda x: ops.cumsum(x, 0), lambda x: np.cumsum(x, 0)),
        (lambda x: ops.cumsum(x, 0)[1:], lambda x: np.cumsum(x, 0)[1:]),
        (lambda x: (ops.cumsum(x, 0), x * 2.0), lambda x: (np.cumsum(x, 0), x * 2.0)),
        (lambda x: ops.roll(x, 3, 0).reshape(2, 2000), lambda x: np.roll(x, 3).reshape(2, 2000)),
    ],
)
def test_a_big_result_of_a_function_is_returned(function, in_numpy):
    held(function, in_numpy, (4000,))


def test_what_frees_memory_runs_first():
    """Each sum is the last to read its product, and the next product can have its buffer."""

    def f(x, y):
        products = [x * y, x / y, x - y, x + y]  # all are made before one is read, as it stands
        return sum(p.sum(1) for p in products)

    def in_numpy(x, y):
        return (x * y).sum(1) + (x / y).sum(1) + (x - y).sum(1) + (x + y).sum(1)

    text = held(f, in_numpy, (5, 4), (5, 4))
    assert text.count("= empty(20, ") == 1


def test_a_step_writes_over_what_it_sees_through_a_view():
    text = held(
        lambda x, y: ops.tanh((x @ y).reshape(2, 3, 4).transpose(1, 2, 0)) * 2.0,
        lambda x, y: np.tanh((x @ y).reshape(2, 3, 4).transpose(1, 2, 0)) * 2.0,
        (6, 3),
        (3, 4),
    )
    assert made(text) == (1, 1)  # what it makes lies as the product
    text = held(
        lambda x, y: ops.tanh((x @ y).reshape(2, 3, 4)).sum(0),
        lambda x, y: np.tanh((x @ y).reshape(2, 3, 4)).sum(0),
        (6, 3),
        (3, 4),
    )
    assert made(text) == (1, 1)


def test_a_matrix_and_its_transpose_in_one_step_are_not_mixed_up():
    def f(x):
        y = ops.exp(x)
        z = y + y.T
        return z * z.T - z

    def in_numpy(x):
        z = np.exp(x) + np.exp(x).T
        return z * z.T - z

    held(f, in_numpy, (7, 7))


def test_a_transposed_view_that_lies_in_order_is_not_copied():
    """The gradient of a convolution lies batch last, and its product reads it so."""
    weight = Tensor(RNG.normal(size=(3, 2, 3, 3)).astype(np.float32))
    x = Tensor(RNG.normal(size=(4, 2, 9, 9)).astype(np.float32))

    def loss(x, weight):
        return (ops.relu(ops.conv2d(x, weight)) ** 2).sum()

    run = jit(grad(loss, (0, 1)), fullgraph=True)
    for _ in range(2):
        dx, dw = run(x, weight)
    wanted = grad(loss, (0, 1))(x, weight)
    np.testing.assert_allclose(dx.asnumpy(), wanted[0].asnumpy(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(dw.asnumpy(), wanted[1].asnumpy(), rtol=1e-5, atol=1e-4)
    copies = [line for line in run.fast_source.splitlines() if "copyto(" in line]
    # The image with its batch last, its windows as columns, and the weights' gradient in order.
    assert len(copies) == 3, copies


def test_what_a_function_returned_is_let_go_of_when_nobody_reads_it():
    x = RNG.normal(size=(8, 8, 32, 32)).astype(np.float32)  # 262 kB

    def times(n):
        def f(x):
            for _ in range(n):
                x = ops.cumsum(ops.cumsum(x, 0), 1) * 0.5  # a function that makes its own array
            return x.sum()

        return jit(f, fullgraph=True)

    text = held(
        lambda x: ops.cumsum(ops.cumsum(x, 0), 1) * 0.5 + x,
        lambda x: np.cumsum(np.cumsum(x, 0), 1) * 0.5 + x,
        (64, 64),
    )
    assert "        del t, t_2\n" in text or ("del t\n" in text and "del t_2\n" in text)
    assert peak(times(9), Tensor(x)) <= 1.1 * peak(times(3), Tensor(x))


# ------------------------------------------------------------------------------------------ images
def test_buffers_of_images_have_their_batch_last_in_memory():
    """As what goes into them: an op on images that finds another order copies all of it first."""
    weight = RNG.normal(size=(3, 2, 3, 3))

    def f(x):
        y = ops.tanh(ops.conv2d(x, Tensor(weight))) + 1.0
        flat = y.reshape(15, 16)  # in their own order again
        return flat @ flat.T, ops.max_pool2d(y, 2), (y.swapaxes(0, 1) * 2.0).reshape(-1)

    run = jit(f, fullgraph=True)
    for _ in range(3):
        x = Tensor(RNG.normal(size=(5, 2, 6, 6)))
        for a, b in zip(run(x), f(x), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-12)
    assert ".reshape((3, 4, 4, 5)).transpose((3, 0, 1, 2))" in run.fast_source


def test_big_images_are_not_done_in_blocks(tiny):
    """Their rows are not together in memory."""
    weight = RNG.normal(size=(3, 2, 3, 3))
    run = jit(lambda x: ops.tanh(ops.conv2d(x, Tensor(weight)) * 2.0 + 1.0).sum())
    x = Tensor(RNG.normal(size=(16, 2, 6, 6)))
    np.testing.assert_allclose(run(x).asnumpy(), run(x).asnumpy(), rtol=1e-12)
    assert "for i in" not in run.fast_source


def test_what_passes_make_of_images_lies_as_they_did():
    weight = Tensor(RNG.normal(size=(3, 2, 3, 3)))
    run = jit(lambda x: (ops.conv2d(x, weight) * 2.0 * 3.0).sum())
    run(Tensor(RNG.normal(size=(5, 2, 6, 6))))
    assert re.search(r"_5x3x4x4_by_1_2_3_0 = buffer_\d\.reshape\(\(3, 4, 4, 5\)\)", run.fast_source)


def test_the_windows_of_an_image_are_written_out_once():
    """For the convolution and for the gradient of its weights, into a buffer that is kept."""
    x, w = Tensor(RNG.normal(size=(5, 2, 6, 6))), Tensor(RNG.normal(size=(3, 2, 3, 3)))
    slope = value_and_grad(lambda w, x: (ops.conv2d(x, w) ** 2).sum())
    run = jit(slope, fullgraph=True)
    for _ in range(3):
        x = x * 1.5
        for a, b in zip(run(w, x), slope(w, x), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-10)
    assert run.source.count("sliding_window_view") == run.fast_source.count("sliding_window_view")
    assert run.source.count("sliding_window_view") == 1
    assert re.search(r"copyto\(buffer_2_2x3x3x4x4x5, t\w*\)", run.fast_source)


def test_windows_that_are_returned_are_an_array_of_their_own():
    """In the view of all windows an entry has many places."""
    run = jit(
        lambda x: np.lib.stride_tricks.sliding_window_view(x.array * 2.0, 2, axis=0), fullgraph=True
    )
    for _ in range(3):
        x = Tensor(RNG.normal(size=4))
        out = run(x)
        np.testing.assert_array_equal(out, [x.array[i : i + 2] * 2 for i in range(3)])
        assert out.flags.writeable
        assert not np.shares_memory(out, x.array)


def test_an_index_of_an_enumeration_is_a_number():
    class Place(enum.IntEnum):
        SECOND = 1

    run, x = jit(lambda x: x[Place.SECOND] + x[: Place.SECOND], fullgraph=True), np.arange(3.0)
    for _ in range(2):
        assert run(x).tolist() == [1.0]
