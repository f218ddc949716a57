"""A program that was packed is the one that was recorded."""

import sys

import numpy as np
import pytest

from minigrad import Parameter, Tensor, jit, ops, value_and_grad
from minigrad.graph import compiled
from minigrad.graph.packed import Packed
from minigrad.graph.program import Slot, slots_in

WIDE = np.arange(300_000.0)


@pytest.fixture
def recorded(monkeypatch):
    """A function that gives the program of a call, as it was recorded and before it is packed."""
    programs = []
    monkeypatch.setattr(
        compiled, "Packed", lambda program: programs.append(program) or Packed(program)
    )

    def recorded(function, *args):
        jit(function, fullgraph=True)(*args)
        return programs.pop()

    return recorded


def loss(x, labels):
    hidden = ops.tanh(x * Tensor(WIDE[:3])).sort()[0]
    return ops.cross_entropy(hidden, labels) + hidden[:, 1:].sum()


GIVEN = Tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]), Tensor([0, 2])


def same(a, b, pairs):
    """Whether two trees of steps are alike, each slot of one standing for one of the other."""
    if isinstance(a, Slot):
        pair = pairs.setdefault(a, b)
        kinds = [(x.name, x.shape, x.dtype, x.order, x.line, x.also) for x in (a, b)]
        return pair is b and a is not b and kinds[0] == kinds[1] and a.value is b.value
    if isinstance(a, tuple | list):
        parts = zip(a, b, strict=True)
        return type(a) is type(b) and all(same(x, y, pairs) for x, y in parts)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], pairs) for k in a)
    return a is b or a == b


def test_a_program_comes_back_as_it_was(recorded):
    before = recorded(value_and_grad(loss), *GIVEN)
    after = Packed(before).program()
    pairs = {}
    assert same(before, after, pairs)
    assert len(pairs) == len(set(pairs.values())) > 20
    assert str(after) == str(before)
    gradients = [x for x in pairs if x.of is not None]
    assert gradients
    assert all(pairs[x].of is pairs[x.of] for x in gradients if x.of in pairs)


def test_what_a_program_refers_to_is_kept_as_it_is(recorded):
    """Arrays, Parameters and functions are those that were recorded, and no copies."""
    w = Parameter(Tensor(WIDE), name="w")
    program = recorded(lambda x: (w * x + Tensor(WIDE)).sum(), Tensor(2.0))
    packed = Packed(program)
    constants = [x.value for s in packed.program().steps for x in s.slots if x.value is not None]
    assert any(x.size == WIDE.size for x in constants)
    before = [x.value for s in program.steps for x in s.slots if x.value is not None]
    assert [id(x) for x in constants] == [id(x) for x in before]
    assert len(packed._bytes) < 2_000


def test_functions_that_have_no_name_outside_are_packed(recorded):
    def step(x, y):
        return x * y

    program = recorded(lambda x: x * 2, Tensor([1.0]))
    own = program._replace(steps=[s._replace(op=step) for s in program.steps])
    assert [s.op for s in Packed(own).program().steps] == [step]


def test_a_list_of_a_class_of_its_own_keeps_its_slots():
    class Row(list):
        pass

    run, x = jit(lambda x: np.concatenate(Row([x, x * 2])), fullgraph=True), np.ones(2)
    for _ in range(2):
        assert run(x).tolist() == [1, 1, 2, 2]


def test_each_has_steps_of_its_own(recorded):
    packed = Packed(recorded(lambda x: x * 2 + x, Tensor([1.0])))
    one, other = packed.program(), packed.program()
    assert not {*slots_in(one.steps)} & {*slots_in(other.steps)}
    one.steps.clear()
    assert len(other.steps) == 2 == len(packed.program().steps)


def test_the_steps_of_a_loop_take_little(recorded):
    """A slot and its step take more than 150 bytes; packed, those of a loop a few each."""

    def loop(x):
        for _ in range(1000):
            x = ops.sin(x) * x
        return x

    program = recorded(loop, Tensor([1.0]))
    taken = sum(sys.getsizeof(s) + sys.getsizeof(s.out) for s in program.steps)
    assert taken > 150 * len(program.steps) == 150 * 2000
    assert len(Packed(program)._bytes) < 20 * 2000


def test_a_call_needs_no_steps(monkeypatch):
    """They are unpacked to write what runs, and after that by who asks."""
    counted = []
    unpack = Packed.program
    monkeypatch.setattr(Packed, "program", lambda self: counted.append(1) or unpack(self))
    run = jit(lambda x: x * 2)
    for _ in range(3):
        assert run(Tensor([1.5])).tolist() == [3.0]
    assert len(counted) == 1
    assert len(run.recorded.steps) == len(run.program.steps) == 1
    assert len(counted) == 2
