"""Watching a derivative, outputs carried along, arguments by name, and the calls around an op."""

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops
from minigrad.watch import watch

X, Y = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
W = Parameter(Tensor([0.5, 2.0]), name="w")


class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return 2 * x * dout


PROGRAMS = {
    "products": lambda x, y: (x * y * x).sum(),
    "weights": lambda x, y: (ops.sin(x * W) * y).sum(),
    "reuse": lambda x, y: (lambda z: z * z + z + ops.exp(z / 10))(x * y),
    "broadcast": lambda x, y: (x.reshape(2, 1) * y * y).sum() + x[0] * y[1],
    "matrix": lambda x, y: (x.reshape(1, 2) @ (y.reshape(2, 1) * x)).sum(),
    "several": lambda x, y: (x * y, [ops.exp(x)]),
    "twice the same": lambda x, y: (x * y * y,) * 2,
    "sums": lambda x, y: x + y,
    "unused": lambda x, y: (x * x * x).sum(),
    "custom": lambda x, y: Square()(x * y) * x,
    "stopped": lambda x, y: ops.stop_gradient(x) * x * y,
    "inner gradient": lambda x, y: grad(lambda z: (z * z * z * y).sum())(x) * x,
}


def gradients_of(fn):
    """The gradients of all inputs and Parameters, as the engine finds them without a watcher."""
    uses = {v.name for v in watch(fn, X, Y).values if v.kind == "parameter"}
    (dx, dy), dw = grad(fn, (0, 1), [W])(X, Y)
    return [dx, dy, *(dw if uses else ())]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outputs_of_order_2_are_the_gradients(name):
    run = watch(PROGRAMS[name], X, Y, order=2)
    for output, want in zip(run.outputs, gradients_of(PROGRAMS[name]), strict=True):
        np.testing.assert_allclose(output.data, want.asnumpy(), rtol=1e-6)
    assert [v.gradient_of.name for v in run.outputs] == ["x", "y", "w"][: len(run.outputs)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_sweep_of_order_2_differentiates_the_sum_of_the_gradients(name):
    fn = PROGRAMS[name]
    run = watch(fn, X, Y, order=2)
    with_weights = any(v.kind == "parameter" for v in run.values)

    def total(x, y):
        dx, dy = grad(fn, (0, 1))(x, y)
        if not with_weights:
            return dx.sum() + dy.sum()
        (dx, dy), (dw,) = grad(fn, (0, 1), [W])(x, y)
        return dx.sum() + dy.sum() + dw.sum()

    want = grad(total, (0, 1))(X, Y)
    for got, right in zip(run.gradients.values(), want, strict=False):
        np.testing.assert_allclose(got, right.asnumpy(), rtol=1e-5, atol=1e-6)


def test_each_value_of_the_derivative_knows_its_rule_and_its_line():
    def fn(x):
        h = x * 3.0
        return ops.sin(h)

    run = watch(fn, Tensor(2.0), order=2)
    start = fn.__code__.co_firstlineno
    made = [v for v in run.values if v.rule_of is not None]
    assert [(v.op.name, v.rule_of.op.name, v.line.number - start) for v in made] == [
        ("cos", "sin", 2),
        ("multiply", "sin", 2),
        ("multiply", "multiply", 1),
    ]
    (begin,) = (v for v in run.values if v.kind == "constant" and v.gradient_of is run.returned[0])
    assert begin.data.tolist() == 1.0
    by_what = {v.gradient_of.name: v for v in made if v.gradient_of}
    assert by_what["h"] is made[1]
    assert by_what["x"] is made[2]
    np.testing.assert_allclose(by_what["x"].data, 3 * np.cos(6.0), rtol=1e-6)


def test_a_gradient_that_two_inputs_share_is_shown_for_each():
    run = watch(lambda x, y: (x + y).sum(), X, Y, order=2)
    dx, dy = run.outputs
    assert dx is not dy
    assert (dx.gradient_of.name, dy.gradient_of.name) == ("x", "y")
    assert dx.data.tolist() == dy.data.tolist() == [1.0, 1.0]


def test_aux_outputs_send_nothing_back():
    def fn(x):
        return x * x, ops.exp(x)

    run = watch(fn, Tensor(3.0), has_aux=True)
    assert [v.op.name for v in run.outputs] == ["multiply"]
    assert [v.op.name for v in run.aux] == ["exp"]
    assert [step.value.op.name for step in run.steps] == ["multiply"]
    assert [g.tolist() for g in run.gradients.values()] == [6.0]
    with pytest.raises(ValueError, match="has_aux=True needs a function with more than one output"):
        watch(lambda x: x * x, Tensor(3.0), has_aux=True)


def test_arguments_by_name_are_inputs_and_have_positions():
    def fn(x, y, *, shift, double=False):
        return x * y + shift * (2.0 if double else 1.0)

    run = watch(fn, 2.0, kwargs={"shift": 3.0, "y": 5.0, "double": True})
    assert {v.name: float(g) for v, g in run.gradients.items()} == {"x": 5, "shift": 2, "y": 2}
    run = watch(fn, 2.0, grad_position=1, kwargs={"shift": 3.0, "y": 5.0})
    assert [v.name for v in run.gradients] == ["y"]
    with pytest.raises(IndexError, match="grad_position 3"):
        watch(fn, 2.0, grad_position=3, kwargs={"shift": 3.0, "y": 5.0})


def test_another_order_is_refused():
    with pytest.raises(ValueError, match="order is 1, or 2"):
        watch(lambda x: x, X, order=3)


def test_every_call_is_told_apart_and_loops_are_seen():
    def twice(x):
        return x * 2.0

    def fn(x):
        for _ in range(3):
            x = twice(x)
        return twice(x) + 1.0

    made = [v for v in watch(fn, 1.0).values if v.kind == "op"]
    assert [[call.name for call, _ in v.calls] for v in made] == [["fn", "twice"]] * 4 + [["fn"]]
    assert len({v.calls[1][0] for v in made[:4]}) == 4
    assert len({v.calls[0][0] for v in made}) == 1
    assert [v.again is not None for v in made] == [False, True, True, False, False]
    start = fn.__code__.co_firstlineno
    assert {tuple(n - start for n in v.again.lines) for v in made[1:3]} == {(1, 2)}


def test_an_op_of_many_parts_is_no_loop():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU(), nn.Dense(2, 2), nn.LayerNorm((2,)))
    made = [v for v in watch(lambda x: net(x) * 2.0, Tensor([[1.0, 2.0]])).values if v.op]
    assert len(made) > 5
    assert not any(v.again for v in made)
