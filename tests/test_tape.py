"""The tape and the sweep: what is kept, for how long, by whom, and what is computed."""

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, gradient_call, ops, value_and_grad
from minigrad.op import OPS, primitive
from minigrad.tape import TAPE, reachable, record, unbroadcast
from minigrad.tensor import Node, wrap

X = np.linspace(0.3, 1.2, 8)
W = Tensor(X + 1)


def tape_of(fn, *arrays):
    return record(fn, [wrap(array, Node(array)) for array in arrays], {})[1]


def kept(fn, *arrays):
    """How many arrays each entry of fn's tape keeps."""
    return [
        [isinstance(value, np.ndarray) for value in saved].count(True)
        for _, saved, _, _ in tape_of(fn, *arrays)
    ]


@pytest.fixture
def counted():
    """A product whose rules tell when they run, as (function, list of calls)."""
    before, calls = dict(OPS), []

    def count(name, value):
        calls.append(name)
        return value

    mul = primitive("counted", lambda x, y: x * y, "z = x y",
        x=(lambda g, y: count("x", g * y), ""),
        y=(lambda g, x: count("y", g * x), ""))  # fmt: skip
    yield mul, calls
    OPS.clear()
    OPS.update(before)


# --- what is written down
def test_an_entry_keeps_only_what_the_rules_of_tracked_inputs_need():
    w = Tensor(X)
    assert kept(lambda x: x * w, X) == [1]
    assert kept(lambda x, y: x * y, X, X) == [2]
    assert kept(lambda x: x + w, X) == [0]
    assert kept(lambda x: x - 1, X) == [0]
    assert kept(ops.relu, X) == [1]
    assert kept(lambda x: x / w, X) == [1]
    assert kept(lambda x: w / x, X) == [2]
    assert kept(lambda x: x.reshape(2, 4).sum(0), X) == [0, 0]
    assert kept(lambda x: ops.concat((x, w)), X) == [0]
    assert kept(lambda x: x @ w, X) == [1]
    assert kept(lambda x: x[2:4], X) == [0]
    assert kept(lambda x: x.astype(np.float32), X) == [0]


def test_a_kept_array_is_the_one_of_the_forward_pass_and_no_copy():
    w = Tensor(X)
    ((_, (x, y), _, _),) = tape_of(lambda x: x * w, X)
    assert x is None
    assert y is w.array
    out, tape, _ = record(ops.exp, [wrap(X, Node(X))], {})
    assert tape[0][1][0] is out.array


def test_nothing_is_written_for_values_that_nobody_differentiates():
    w = Tensor(X)
    assert len(tape_of(lambda x: (w * w + w.exp()).sum() + x, X)) == 1
    assert not tape_of(lambda x: x > 0.5, X)
    assert not tape_of(ops.stop_gradient, X)
    assert not record(lambda: w * w, (), {})[1]


def test_nothing_is_written_outside_of_gradient_calls():
    assert TAPE.get() is None
    assert (Tensor(X) * W).node is None


def test_a_node_holds_no_data():
    node = Node(X)
    assert (node.shape, node.dtype) == ((8,), np.float64)
    assert not hasattr(node, "__dict__")


# --- the sweep
def test_gradients_of_a_value_used_many_times_add_up():
    def fn(x):
        y = x * x
        return (y + y * y + ops.sin(y) - y).sum()  # x⁴ + sin x²

    expected = 4 * X**3 + 2 * X * np.cos(X * X)
    np.testing.assert_allclose(grad(fn)(Tensor(X)).asnumpy(), expected, rtol=1e-12)
    for n in (1, 2, 7):
        assert grad(lambda x, n=n: sum([x] * n))(Tensor(1.0)).item() == n


def test_rules_run_only_for_wanted_inputs(counted):
    mul, calls = counted
    x, y = Tensor(X), Tensor(X)
    grad(lambda a: mul(a, y))(x)
    assert calls == ["x"]
    calls.clear()
    grad(lambda a, b: mul(a, b), (0, 1))(x, y)
    assert calls == ["x", "y"]


def test_rules_do_not_run_for_outputs_that_nothing_uses(counted):
    mul, calls = counted
    grad(lambda a: (mul(a, a), a.sum())[1])(Tensor(X))
    assert calls == []
    grad(lambda a: (a.sum(), mul(a, a)), has_aux=True)(Tensor(X))
    assert calls == []


def test_an_inner_call_does_not_compute_what_only_the_outer_one_could_want(counted):
    mul, calls = counted
    x, y = Tensor(X), Tensor(X)
    grad(lambda a: grad(lambda b: mul(a, b).sum())(y).sum())(x)
    assert calls == ["y"]
    calls.clear()
    p = Parameter(X, name="p")
    grad(lambda: grad(lambda b: mul(p, b).sum())(y).sum(), None, [p])()
    assert calls == ["y"]


def test_an_outer_call_crosses_an_inner_one_only_where_its_value_flows_on(counted):
    mul, calls = counted
    x, y = Tensor(X), Tensor(X)
    grad(lambda a: value_and_grad(lambda b: mul(a, b).sum())(y)[0])(x)
    assert calls == ["y", "x"]
    calls.clear()
    q = Parameter(X, name="q")
    grad(lambda a: value_and_grad(lambda: mul(a, q).sum(), None, [q])()[0])(x)
    assert calls == ["y", "x"]


def test_reachable_finds_the_nodes_that_depend_on_a_leaf():
    leaf, other = wrap(X, Node(X)), wrap(X, Node(X))
    out, tape, _ = record(lambda x, y: (x * 2, y * 3, x + y), [leaf, other], {})
    found = reachable(tape, [leaf.node])
    assert [t.node in found for t in out] == [True, False, True]
    assert other.node not in found


def test_only_a_tape_with_entries_of_another_call_is_searched(monkeypatch):
    """It is a walk along the whole tape, which a gradient without another around has no use for."""
    searched = []

    def search(tape, nodes):
        searched.append(len(tape))
        return reachable(tape, nodes)

    monkeypatch.setattr(gradient_call, "reachable", search)
    x = Tensor(X)
    grad(lambda a: (a * a).sum())(x)
    assert searched == []
    grad(lambda a: grad(lambda b: (a * b * b).sum())(x).sum())(x)
    assert len(searched) == 2  # the inner tape, whose entries may be the outer's, and the outer


@pytest.mark.parametrize(
    ("big", "small"),
    [
        ((2, 3), ()),
        ((2, 3), (3,)),
        ((2, 3), (1, 3)),
        ((2, 3), (2, 1)),
        ((4, 2, 3), (1, 1)),
        ((0, 3), (1, 3)),
        ((2, 3), (2, 3)),
    ],
)
def test_unbroadcast_sums_over_what_was_stretched(big, small):
    g = np.arange(np.prod(big), dtype=float).reshape(big)
    back = unbroadcast(g, small)
    assert back.shape == small
    # Summing against any v is the same before and after.
    v = np.random.default_rng(0).standard_normal(small)
    np.testing.assert_allclose((back * v).sum(), (g * v).sum())


# --- several at once
def test_threads_do_not_disturb_one_another():
    p, results = Parameter(np.ones(4), name="p"), {}
    together = threading.Barrier(4)

    def work(k):
        together.wait()
        for _ in range(100):
            dx, (dp,) = grad(lambda x: (p * p * x * float(k)).sum(), 0, [p])(Tensor(np.ones(4)))
            results.setdefault(k, []).append((dx.asnumpy()[0], dp.asnumpy()[0]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: [(k, 2 * k)] * 100 for k in range(4)}


def test_another_context_entered_in_the_middle_of_a_call_sees_nothing_of_it():
    p, seen = Parameter(np.ones(2), name="p"), []

    def fn(x):
        y = x * p
        elsewhere = contextvars.Context()
        seen.append(elsewhere.run(TAPE.get))
        dp = elsewhere.run(grad(lambda x: (x * p * p).sum(), None, p), Tensor(np.full(2, 3.0)))
        seen.append(dp.tolist())
        return y * y

    assert grad(fn, None, p)(Tensor(np.full(2, 5.0))).tolist() == [50.0, 50.0]
    assert seen == [None, [6.0, 6.0]]


def test_tasks_run_gradient_calls_of_their_own():
    async def work(k):
        got = []
        for _ in range(3):
            got.append(grad(lambda x: x * x * k)(Tensor(1.0)).array.item())
            await asyncio.sleep(0)
        return got

    async def inside(x):
        return grad(lambda y: y * y * y)(Tensor(2.0)).array.item()

    async def main():
        started = []

        def fn(x):
            started.append(asyncio.get_running_loop().create_task(inside(x)))
            return x * x

        dx = grad(fn)(Tensor(5.0)).item()
        return dx, *await asyncio.gather(work(1), work(2), *started)

    with ThreadPoolExecutor(1) as pool:  # a browser test may have left a loop in this thread
        assert pool.submit(asyncio.run, main()).result() == (10.0, [2.0] * 3, [4.0] * 3, 12.0)


def test_a_thread_started_inside_a_gradient_call_is_outside_of_it():
    seen = []

    def fn(x):
        def work():
            seen.append(TAPE.get())
            seen.append((x * x).item())

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x * x

    with pytest.warns(UserWarning, match="no gradient flows through this multiply") as caught:
        assert grad(fn)(Tensor(3.0)).item() == 6.0
    assert [warning.filename for warning in caught] == [__file__]
    assert seen == [None, 9.0]
