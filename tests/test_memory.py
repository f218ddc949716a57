"""What gradient calls hold in memory, for how long, and that gradients are the caller's own."""

import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops, value_and_grad
from minigrad.op import OPS, primitive
from minigrad.parameter import WEIGHTS
from minigrad.rules.conv import batch_last
from minigrad.tape import TAPE, hand_out
from minigrad.tensor import Node
from minigrad.transform import vjp

X = np.linspace(0.3, 1.2, 8)


@pytest.fixture
def collector():
    """The garbage collector, switched off: what is freed is freed by counting references."""
    gc.collect()
    gc.disable()
    yield gc
    gc.enable()


def test_arrays_are_freed_as_soon_as_nobody_needs_them(collector):
    alive = {}

    def fn(x):
        a = x + 1.0
        alive["a"] = weakref.ref(a.array)
        b = ops.sin(a)  # keeps a
        alive["b"] = weakref.ref(b.array)
        del a
        c = b + b
        alive["c"] = weakref.ref(c.array)
        del b
        d = ops.exp(c)  # keeps d
        alive["d"] = weakref.ref(d.array)
        del c
        assert [name for name in "abc" if alive[name]() is not None] == ["a"]
        e = d.sum()
        del d
        assert alive["d"]() is not None
        return e

    _, dx = value_and_grad(fn)(Tensor(X))
    assert all(array() is None for array in alive.values())
    np.testing.assert_allclose(dx.asnumpy(), np.exp(2 * np.sin(X + 1)) * 2 * np.cos(X + 1))


def test_the_sweep_frees_as_it_goes(collector):
    seen, alive = [], []

    class Look(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, x, out, dout):
            seen.append([array() is not None for array in alive])
            return dout

    look = Look()

    def fn(x):
        x = look(x)
        for _ in range(3):
            x = ops.exp(x)
            alive.append(weakref.ref(x.array))
        return x.sum()

    grad(fn)(Tensor(X))
    assert seen == [[False, False, False]]


def test_an_error_leaves_no_tape_and_no_array_behind(collector):
    alive = []
    p = Parameter(X, name="p")

    def fn(x):
        alive.append(weakref.ref(ops.exp(x * p).array))
        raise ZeroDivisionError

    for call in (grad(fn, 0, [p]), grad(lambda x: grad(fn)(x).sum(), 0, [p])):
        with pytest.raises(ZeroDivisionError):
            call(Tensor(X))
        assert TAPE.get() is None
        assert not WEIGHTS.get()
        assert p.node is None
    del call
    gc.collect()  # pytest's own hold on the error makes cycles
    assert all(array() is None for array in alive)
    np.testing.assert_allclose(grad(lambda x: x * p)(Tensor(X)).asnumpy(), X)


def peak(fn):
    """The most memory, in MB, that fn holds beyond what there was before."""
    fn()
    tracemalloc.start()
    try:
        fn()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


BIG = Tensor(np.full(125_000, 0.1))  # 1 MB


def test_a_chain_holds_one_array_for_each_op_that_needs_one(collector):
    def chain(x):
        for _ in range(40):
            x = ops.tanh(x * 0.5 + 1.0)
        return x.sum()

    assert 39 < peak(lambda: grad(chain)(BIG)) < 44


def test_a_chain_of_sums_holds_nothing(collector):
    def adds(x):
        for _ in range(40):
            x = x + 1.0
        return x.sum()

    assert peak(lambda: grad(adds)(BIG)) < 3.2


def test_the_gradients_of_a_product_and_a_sum_need_no_more_than_by_hand(collector):
    x, w, b = (Tensor(np.full((250, 500), 0.5)) for _ in range(3))  # 1 MB each
    fn = grad(lambda x, w, b: (ops.tanh(x * w + b) ** 2).sum(), (0, 1, 2))
    assert peak(lambda: fn(x, w, b)) < 3.2


def test_the_shares_of_a_gradient_are_added_in_place(collector):
    """The sum, the gradient of the output and one share: of three shares as of two."""
    assert peak(lambda: grad(lambda x: (x * 2.0 + x * 3.0 + x * 4.0).sum())(BIG)) < 3.2


def test_images_are_laid_out_with_their_batch_last_once():
    """What one op on images makes lies as the next wants it: nothing is copied in between."""
    rng = np.random.default_rng(0)
    x, w, b = (Tensor(rng.normal(size=n)) for n in ((3, 2, 9, 9), (4, 2, 3, 3), (4, 1, 1)))
    large = ops.relu(ops.conv2d(x, w) + b)
    small = ops.max_pool2d(large, 2, padding=1)
    to_large = grad(lambda x: (ops.max_pool2d(x, 2, padding=1) ** 2).sum())(large)
    to_x = grad(lambda x: (ops.conv2d(x, w, padding=1, pad_mode="pad") ** 2).sum())(x)
    for images in (large, small, to_large, to_x):
        assert np.shares_memory(images.array, batch_last(images.array))


def test_the_largest_of_windows_copies_no_image(collector):
    """It takes half of the image, for the larger of two rows, and a quarter, for the answer."""
    image = Tensor(np.full((5, 1, 100, 250), 0.1))  # 1 MB
    assert peak(lambda: ops.max_pool2d(image, 2, 2)) < 0.8


def test_the_largest_of_windows_of_one_entry_is_an_array_of_its_own():
    x = Tensor(np.ones((1, 2, 3, 3)))
    assert not np.shares_memory(ops.max_pool2d(x, 1).array, x.array)


def test_a_chain_of_100000_ops_needs_no_recursion_and_leaves_no_garbage(collector):
    def deep(x):
        for _ in range(100_000):
            x = x + 1.0
        return x

    limit, frame, depth = sys.getrecursionlimit(), sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + 40)
    try:
        dx = grad(deep)(Tensor(1.0))
    finally:
        sys.setrecursionlimit(limit)
    assert dx.item() == 1.0
    assert gc.collect() == 0


def test_no_reference_cycles_are_made(collector):
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 2 * x,)

    square, dense = Square(), nn.Dense(8, 2)
    x = Tensor(X.astype(np.float32))
    weights = dense.trainable_params()

    def fn(x):
        return (ops.sin(square(x)) * x[::2].sum()).sum() + dense(x).sum()

    def run():
        grad(fn)(x)
        grad(lambda x: grad(fn)(x).sum())(x)
        value_and_grad(fn, 0, weights)(x)
        vjp(fn, x)[1](Tensor(1.0))
        fn(x)

    run()  # the first call fills caches
    gc.collect()
    run()
    assert gc.collect() == 0


# --- gradients are the caller's own
TIED = [
    lambda a, b: a + b,
    lambda a, b: a - b + a,
    lambda a, b: a.T + b,
    lambda a, b: a.reshape(9) + b.reshape(9),
    lambda a, b: a[0, 0] + b[0],
    lambda a, b: ops.broadcast_to(a, (2, 3, 3)) + b,
    lambda a, b: ops.concat((a, b)),
    lambda a, b: (a * 1, b, a + b),
    lambda a, b: ops.where(a > 0, a, b),
    lambda a, b: a,
    lambda a, b: a.sum(),
]


@pytest.mark.parametrize("fn", TIED)
def test_gradients_share_no_memory_and_can_be_written_to(fn):
    a, b = Tensor(np.ones((3, 3))), Tensor(np.full((3, 3), 2.0))
    arrays = [g.array for g in grad(fn, (0, 1))(a, b)] + [a.array, b.array]
    for i, array in enumerate(arrays):
        assert array.flags.writeable
        assert not any(np.shares_memory(array, other) for other in arrays[:i])


@pytest.mark.parametrize("fn", [lambda a: a, lambda a: a.T, lambda a: a + 0.0, lambda a: a * 1])
def test_a_pullback_hands_out_fresh_gradients_each_time(fn):
    a, seed = Tensor(np.full((3, 3), 2.0)), Tensor(np.ones((3, 3)))
    _, pull = vjp(fn, a)
    one, two = pull(seed)[0], pull(seed)[0]
    one.array[:] = 7.0
    assert (seed.array == 1).all()
    assert (two.array == 1).all()
    assert (a.array == 2).all()


def test_the_sweep_writes_into_nothing_that_others_hold():
    a, b = Tensor(np.ones((3, 3))), Tensor(np.full((3, 3), 0.5))
    got = grad(lambda a, b: a * b + a + b * b + a.T + b.T + a + ops.exp(a), (0, 1))(a, b)
    assert (a.array == 1).all()
    assert (b.array == 0.5).all()
    np.testing.assert_allclose(got[0].array, 0.5 + 3 + np.e)
    np.testing.assert_allclose(got[1].array, 1 + 1 + 1)
    got = grad(lambda a, b: (a + b) + (a + b) * 2.0 + a + b * b, (0, 1))(a, b)
    np.testing.assert_allclose(got[0].array, 4)
    np.testing.assert_allclose(got[1].array, 4)


def test_a_rule_may_hand_on_the_gradient_of_one_of_several_outputs():
    before = dict(OPS)
    pair = primitive("pair", lambda x: (x * 1, x * 2), "", several=True, x=(lambda g: g[0], ""))
    try:
        # The sum gives one array to both a and w; what arrives at x must not be added into it.
        fn = grad(lambda x, w: (pair(x)[0] + w, x * 5), (0, 1))
        dx, dw = fn(Tensor(X), Tensor(X))
    finally:
        OPS.clear()
        OPS.update(before)
    assert dx.tolist() == [6.0] * 8
    assert dw.tolist() == [1.0] * 8


def test_a_seed_is_not_written_to():
    seed = np.ones(3)
    _, pull = vjp(lambda x: (x, x), Tensor(np.ones(3)))
    (dx,) = pull(Tensor(seed), Tensor(seed))
    assert dx.tolist() == [2.0, 2.0, 2.0]
    _, pull = vjp(lambda x: x, Tensor(np.ones(3)))
    given = Tensor(seed)
    pull(given)[0].array[:] = 9.0
    assert given.tolist() == [1.0, 1.0, 1.0]


def test_a_bprop_may_return_arrays_that_it_keeps():
    class Keeps(nn.Cell):
        kept = Tensor(np.ones((3, 3)))

        def construct(self, x, y):
            return x + y

        def bprop(self, x, y, out, dout):
            return self.kept, self.kept

    keeps = Keeps()
    a, b = Tensor(np.ones((3, 3))), Tensor(np.ones((3, 3)))
    fn = grad(lambda a, b: keeps(a, b) + keeps(b, a) + a * a + ops.sin(b), (0, 1))
    for g in fn(a, b):
        g.array[:] = 9.0
    assert (Keeps.kept.array == 1).all()


def test_hand_out_gives_zeros_where_nothing_arrived():
    node = Node(np.zeros((2, 3), np.float16))
    (zero,) = hand_out({}, [node])
    assert (zero.shape, zero.array.dtype, zero.array.any()) == ((2, 3), np.float16, np.False_)
