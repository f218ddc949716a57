"""Corner: life. Long chains, errors, interrupts, threads, generators, fork, copies."""

import contextlib
import copy
import gc
import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops, value_and_grad
from minigrad.tape import TAPE


def cube(x):
    return x * x * x


@contextlib.contextmanager
def nothing_left():
    """What is made inside is gone afterwards, and no garbage collector was needed for it."""
    gc.collect()
    gc.disable()
    before = len(gc.get_objects())
    try:
        yield
        assert len(gc.get_objects()) - before < 50
        assert gc.collect() < 50
    finally:
        gc.enable()


def test_a_chain_of_a_million_ops_is_built_differentiated_and_freed():
    def fn(x):
        for _ in range(500_000):
            x = x * 1.000001
            x = x + 1e-9
        return x

    with nothing_left():
        slope = grad(fn)(Tensor(np.array(1.0))).item()
    assert slope == pytest.approx(1.000001**500_000, rel=1e-9)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whatever_ends_a_call_leaves_no_tape_behind(error):
    class Bad(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            raise error

    def early(x):
        y = x * x
        raise error
        return y

    for fn in (early, Bad(), lambda x: grad(early)(x), lambda x: grad(Bad())(x) * x):
        with pytest.raises(error):
            grad(fn)(Tensor(2.0))
        assert TAPE.get() is None
        assert grad(cube)(Tensor(2.0)).item() == 12.0


def test_a_generator_is_computed_where_it_is_read():
    def powers(x):
        y = x
        while True:
            yield y
            y = y * x

    def fn(x):
        one, two, three = (y for y, _ in zip(powers(x), range(3), strict=False))
        return one + two + three

    assert grad(fn)(Tensor(2.0)).item() == 1 + 4 + 12


def test_a_generator_that_is_left_open_in_a_call_can_be_read_after_it():
    kept = []

    def values(x):
        yield x * 2
        yield x * 3

    def fn(x):
        kept.append(values(x))
        return next(kept[0])

    assert grad(fn)(Tensor(2.0)).item() == 2.0
    assert float(next(kept[0])) == 6.0
    assert TAPE.get() is None


def test_threads_have_calls_of_their_own():
    found = {}

    def work(n):
        found[n] = [grad(lambda x: cube(x) * n)(Tensor(2.0)).item() for _ in range(50)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [12.0 * n] * 50 for n in range(8)}


def _slope_in_another_process(answers):
    answers.put(grad(cube)(Tensor(2.0)).item())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_forked_inside_a_call_has_no_call():
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def fn(x):
        process = context.Process(target=_slope_in_another_process, args=(answers,))
        process.start()
        slope = answers.get(timeout=60)
        process.join()
        return x * slope

    assert grad(fn)(Tensor(2.0)).item() == 12.0


WAYS = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_like_the_original_and_apart_from_it(way):
    tensor = Tensor(np.array([1.0, 2.0], np.float16))
    parameter = Parameter(Tensor([3.0]), name="p", requires_grad=False)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
    again = WAYS[way](tensor)
    assert (again.dtype, again.tolist()) == (tensor.dtype, [1.0, 2.0])
    again[0] = 9.0
    assert tensor.tolist() == [1.0, 2.0]
    same = WAYS[way](parameter)
    assert type(same) is Parameter
    assert (same.name, same.requires_grad, same.tolist()) == ("p", False, [3.0])
    twin = WAYS[way](net)
    x = Tensor([[1.0, -1.0]])
    assert twin(x).tolist() == net(x).tolist()
    assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]
    before = net(x).tolist()
    for p in twin.get_parameters():
        p.set_data(p + 1)
    assert net(x).tolist() == before
    for p, q in zip(net.get_parameters(), twin.get_parameters(), strict=True):
        assert not np.shares_memory(p.array, q.array)


def test_a_deep_copy_made_inside_a_call_is_part_of_it():
    slope = grad(lambda x: (copy.deepcopy(x * 2) * x).sum())(Tensor([1.0, 3.0]))
    assert slope.tolist() == [4.0, 12.0]  # of 2 x^2


def test_what_is_pickled_inside_a_call_is_out_of_it_and_that_is_said():
    with pytest.warns(UserWarning, match=r"pickle takes this value out") as said:
        slope = grad(lambda x: (WAYS["pickle"](x * 2) * x).sum())(Tensor([1.0, 3.0]))
    assert slope.tolist() == [2.0, 6.0]  # of c x, where c is 2 x
    assert [each.filename for each in said] == [__file__]


@pytest.mark.parametrize("order", [1, 2])
def test_ten_thousand_calls_do_not_grow(order):
    net, x = nn.Dense(2, 1), Tensor([[1.0, 2.0]])

    def fn(x):
        return ops.tanh(net(x)).sum()

    call = value_and_grad(fn if order == 1 else grad(fn), 0, net.trainable_params())
    for _ in range(5):
        call(x)
    with nothing_left():
        for _ in range(10_000):
            call(x)
