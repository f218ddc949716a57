"""Watching a run: its values and names, lines and Cells, and the sweep step by step."""

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops
from minigrad.tape import TAPE
from minigrad.watch import watch

X, Y = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])


def op_names(run):
    return [value.op.name for value in run.values if value.kind == "op"]


def find(run, name):
    (value,) = (value for value in run.values if value.name == name)
    return value


class Cubed(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return dout * 3 * x * x


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 2, weight_init=Tensor([[1.0, 2.0], [3.0, 4.0]]), bias_init="ones")
        self.act = nn.Tanh()
        self.body = nn.SequentialCell(nn.Dense(2, 1, weight_init="ones"), nn.ReLU())

    def construct(self, x):
        return self.body(self.act(self.fc1(x)))


# --- values
def test_a_second_order_run_without_a_gradient_to_take():
    run = watch(lambda x: (x * x).sum(), X, order=2, grad_position=())
    assert run.output.data == 13
    assert not any(value.rule_of for value in run.values)
    run = watch(lambda x: (x * x, x > 2.5), X, order=2)  # the second has none
    (dx,) = (value for value in run.values if value.gradient_of is run.values[0])
    assert dx.data.tolist() == [4, 6]


def test_a_cell_that_its_parent_does_not_hold_has_the_name_of_its_class():
    class Parent(nn.Cell):
        def construct(self, x):
            return nn.Tanh()(x)

    run = watch(Parent(), X)
    assert run.output.cells == ("Parent", "Tanh")


def test_arguments_in_containers_and_of_what_tells_no_names():
    run = watch(lambda x: x[0] * x[1]["a"], (X, {"a": Y}))
    assert [v.name for v in run.values[:2]] == ["x[0]", "x[1]['a']"]
    run = watch(max, Tensor(1.0), Tensor(2.0))  # Python knows no signature of it
    assert [v.name for v in run.values[:2]] == ["x0", "x1"]


def test_a_run_holds_the_inputs_the_ops_and_the_output():
    run = watch(lambda x, y: ops.sin(x) * y + x, X, Y)
    assert [v.kind for v in run.values] == ["input", "input", "op", "op", "op"]
    assert op_names(run) == ["sin", "multiply", "add"]
    assert [v.id for v in run.values] == ["v0", "v1", "v2", "v3", "v4"]
    x, y, sine, product, total = run.values
    assert product.inputs == (("x", sine), ("y", y))
    assert total.inputs == (("x", product), ("y", x))
    assert run.output is total
    assert run.outputs == (total,)
    np.testing.assert_allclose(total.data, np.sin([2, 3]) * [5, 7] + [2, 3], rtol=1e-6)
    assert (total.shape, total.dtype) == ((2,), np.float32)


def test_the_same_run_has_the_same_ids():
    def fn(x, y):
        return (x * y).sum() / 2

    assert [v.id for v in watch(fn, X, Y).values] == [v.id for v in watch(fn, X, Y).values]


OUTSIDE = Tensor([2.0, 3.0])
UNREAD = OUTSIDE


def test_a_tensor_from_outside_the_function_has_its_name_there():
    """Of two names for one Tensor, the one that the function reads; its own names come first."""
    closed = Tensor([5.0, 5.0])

    def fn(x):
        return ops.sum(x * OUTSIDE * closed)

    def own(x):
        mine = OUTSIDE
        return ops.sum(x * mine)

    assert [v.name for v in watch(fn, X).values if v.kind == "constant"] == ["OUTSIDE", "closed"]
    assert [v.name for v in watch(own, X).values if v.kind == "constant"] == ["mine"]


def test_names_are_the_users_own():
    w = Parameter(Tensor([1.0, 1.0]), name="weight")

    def fn(first, second):
        product = first * second
        shifted = product + w
        return shifted.sum()

    run = watch(fn, X, Y)
    assert [v.name for v in run.values if v.kind == "input"] == ["first", "second"]
    assert [v.name for v in run.values if v.kind == "parameter"] == ["weight"]
    assert find(run, "product").op.name == "multiply"
    assert find(run, "shifted").op.name == "add"
    assert run.output.name == ""
    assert run.name == "fn"
    assert watch(lambda x: x * 1, X).name == "function"


def test_inputs_that_are_collected_are_numbered():
    run = watch(lambda *xs: xs[0] * xs[1], X, Y)
    assert [v.name for v in run.values if v.kind == "input"] == ["xs[0]", "xs[1]"]


def test_a_constant_is_a_value_too_and_is_the_same_one_each_time():
    c = Tensor([10.0, 20.0])

    def fn(x):
        scaled = x * c
        return scaled + c + 1.0

    constants = [v for v in watch(fn, X).values if v.kind == "constant"]
    assert [v.data.tolist() for v in constants] == [[10.0, 20.0], 1.0]


def test_static_arguments_are_kept_with_their_names():
    run = watch(lambda x: x.reshape(2, 1).sum(0, keepdims=True), X)
    assert [v.static for v in run.values if v.kind == "op"] == [
        {"shape": (2, 1)},
        {"axis": 0, "keepdims": True},
    ]


def test_every_op_is_seen_even_where_no_gradient_flows():
    def fn(x, n):
        mask = x > 2.5
        scale = n / 255
        return (ops.where(mask, x, 0.0) * scale).sum()

    run = watch(fn, X, Tensor([255, 510]))
    assert op_names(run) == ["greater", "divide", "where", "multiply", "sum"]
    by_name = {v.op.name: v for v in run.values if v.kind == "op"}
    assert [n for n, v in by_name.items() if v.tracked] == ["where", "multiply", "sum"]
    assert by_name["greater"].cut
    assert not by_name["where"].cut
    assert [v.name for v in run.gradients] == ["x"]  # integers have none


def test_stop_gradient_is_seen_as_a_cut():
    run = watch(lambda x: x * ops.stop_gradient(x * 2), X)
    (stop,) = (v for v in run.values if v.cut)
    assert stop.op.name == "stop_gradient"
    assert not stop.tracked
    assert [s.value.op.name for s in run.steps] == ["multiply"]
    assert run.gradients[run.values[0]].tolist() == [4.0, 6.0]


def test_saved_is_what_the_rules_of_tracked_inputs_need():
    c = Tensor([1.0, 1.0])
    run = watch(lambda x: ops.exp(x * c) + x * x + ops.sin(c), X)
    saved = {v.id: (v.op.name, v.saved) for v in run.values if v.kind == "op"}
    assert list(saved.values()) == [
        ("multiply", ("y",)),
        ("exp", ("out",)),
        ("multiply", ("x", "y")),
        ("add", ()),
        ("add", ()),
    ]


def test_values_are_snapshots():
    def fn(x):
        y = x * 2
        z = y * 1
        y[0] = 100.0
        return z + y

    run = watch(fn, X)
    first = next(v for v in run.values if v.kind == "op")
    assert first.data.tolist() == [4.0, 6.0]
    assert op_names(run) == ["multiply", "multiply", "assign", "add"]
    run.values[0].data[:] = 0.0
    assert X.tolist() == [2.0, 3.0]


# --- lines and Cells
def test_every_op_knows_its_line():
    def fn(x, y):
        product = x * y
        return ops.maximum(
            product.sum(),
            x.sum(),
        )

    run = watch(fn, X, Y)
    start = fn.__code__.co_firstlineno
    made = [v for v in run.values if v.kind == "op"]
    assert {v.line.file for v in made} == {__file__}
    assert made[0].line.number == start + 1
    assert made[0].line.text.strip() == "product = x * y"
    assert [v.line.number - start for v in made[1:]] == [3, 4, 2]
    assert [line.text.strip() for line in run.listing][:2] == [
        "def fn(x, y):",
        "product = x * y",
    ]
    assert run.listing[0].number == start


def test_an_op_called_from_a_cell_of_the_package_shows_the_users_line():
    net = Net()
    run = watch(lambda x: net(x), Tensor([[1.0, 2.0]]))
    lines = {v.line.text.strip() for v in run.values if v.kind == "op"}
    assert lines == {"return self.body(self.act(self.fc1(x)))"}


@pytest.mark.parametrize("hooked", [False, True])
def test_the_construct_of_a_cell_is_the_call_of_the_cell(hooked):
    """Whatever the engine does between the two; a function that construct calls is one more."""

    def half(x):
        return x / 2

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            return half(self.inner(x))

    class Inner(nn.Cell):
        def construct(self, x):
            return x * x

    outer = Outer()
    if hooked:
        outer.register_forward_hook(lambda cell, inputs, output: output)
        outer.inner.register_forward_hook(lambda cell, inputs, output: output)
    made = [value for value in watch(outer, X).values if value.kind == "op"]
    calls = {v.op.name: [call.name for call, _ in v.calls] for v in made}
    assert calls == {"multiply": ["Outer", "inner"], "divide": ["Outer", "half"]}


def test_every_op_knows_the_cells_it_is_in():
    net = Net()
    run = watch(net, Tensor([[1.0, 2.0]]))
    assert [(v.op.name, v.cells) for v in run.values if v.kind == "op"] == [
        ("dense", ("Net", "fc1")),
        ("tanh", ("Net", "act")),
        ("dense", ("Net", "body", "0")),
        ("relu", ("Net", "body", "1")),
    ]
    assert run.name == "Net"
    assert run.listing[0].text.strip() == "def construct(self, x):"
    assert watch(lambda x: x * 2, X).output.cells == ()


def test_a_function_without_source_has_an_empty_listing():
    space = {}
    exec("def made(x):\n    y = x * 2\n    return y + x", space)
    run = watch(space["made"], X)
    assert run.listing == ()
    assert run.output.line.text == ""
    assert find(run, "y").op.name == "multiply"


def test_a_builtin_can_be_watched():
    run = watch(ops.sin, X)
    assert op_names(run) == ["sin"]
    assert len(run.steps) == 1


# --- the sweep
PROGRAMS = {
    "products": lambda x, y: (x * y + x * x).sum(),
    "reuse": lambda x, y: (lambda z: z * z + z + ops.sin(z))(x * y),
    "broadcast": lambda x, y: (x.reshape(2, 1) * y).sum() + x[0] * y[1],
    "indexing": lambda x, y: x[[0, 0, 1]] * y[1],
    "matrix": lambda x, y: x.reshape(1, 2) @ (y.reshape(2, 1) * x),
    "several": lambda x, y: (x * y, {"a": [ops.exp(x)]}),
    "twice the same": lambda x, y: (x, x, x * y),
    "an input": lambda x, y: x,
    "unused": lambda x, y: (x * x, y > 1)[0],
    "concatenated": lambda x, y: ops.concat((x, y, x)) ** 2,
    "inner gradient": lambda x, y: grad(lambda z: (z * z * z * y).sum())(x) * x,
    "inner gradient twice": lambda x, y: grad(grad(lambda z: z**4 * y))(x),
    "custom": lambda x, y: Cubed()(x * y) + x,
    "custom inside": lambda x, y: grad(Cubed())(x * y),
    "stopped": lambda x, y: ops.stop_gradient(x) * x * y,
    "written": lambda x, y: _written(x, y),
}


def _written(x, y):
    z = x * y
    before = z * z
    z[0] = x[1]
    return before + z * z


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_and_totals_equal_those_of_grad(name):
    fn = PROGRAMS[name]
    expected = [g.asnumpy() for g in grad(fn, (0, 1))(X, Y)]
    run = watch(fn, X, Y)
    assert [v.name for v in run.gradients] == ["x", "y"]
    for got, want in zip(run.gradients.values(), expected, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)
    last = {part.value: part.total for step in run.steps for part in step.parts}
    for value, total in run.gradients.items():
        if value in last and value not in run.outputs:
            np.testing.assert_allclose(last[value], total)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_part_adds_to_what_had_arrived_and_each_step_starts_from_the_total(name):
    run = watch(PROGRAMS[name], X, Y)
    arrived = {}
    for number, step in enumerate(run.steps, 1):
        assert step.number == number
        if step.value in arrived and step.value not in run.outputs:
            np.testing.assert_array_equal(step.g, arrived[step.value])
        for part in step.parts:
            assert part.value.tracked
            assert part.dx.shape == part.value.data.shape == part.total.shape
            if part.value in arrived:
                np.testing.assert_array_equal(part.before, arrived[part.value])
                np.testing.assert_allclose(part.total, part.before + part.dx)
            elif part.before is None:
                np.testing.assert_array_equal(part.total, part.dx)
            else:  # an output that is used again starts from ones
                assert part.value in run.outputs
            arrived[part.value] = part.total


def test_steps_go_from_the_last_op_to_the_first_with_their_formulas():
    run = watch(lambda x, y: ops.sin(x) * y, X, Y)
    assert [s.value.op.name for s in run.steps] == ["multiply", "sin"]
    product, sine = run.steps
    assert product.g.tolist() == [1.0, 1.0]
    assert [(p.input, p.formula) for p in product.parts] == [
        ("x", r"\bar z\,y"),
        ("y", r"\bar z\,x"),
    ]
    assert product.parts[0].dx.tolist() == [5.0, 7.0]
    assert [p.formula for p in sine.parts] == [r"\bar y\cos x"]
    np.testing.assert_array_equal(sine.g, product.parts[0].total)


def test_a_value_used_twice_in_one_op_receives_two_parts():
    run = watch(lambda x: x * x, X)
    (step,) = run.steps
    first, second = step.parts
    assert (first.before, second.before.tolist()) == (None, [2.0, 3.0])
    assert (first.total.tolist(), second.total.tolist()) == ([2.0, 3.0], [4.0, 6.0])


def test_positions_say_which_inputs_are_wanted():
    def fn(x, y):
        return x * y

    run = watch(fn, X, Y, grad_position=1)
    assert [v.wanted for v in run.values[:2]] == [False, True]
    assert [p.input for p in run.steps[0].parts] == ["y"]
    assert [v.name for v in run.gradients] == ["y"]
    assert [v.name for v in watch(fn, X, Y, grad_position=(0,)).gradients] == ["x"]


def test_parameters_are_wanted_unless_frozen_or_left_out():
    net = Net()
    net.fc1.bias.requires_grad = False
    x = Tensor([[1.0, 2.0]])
    run = watch(net, x)
    names = [v.name for v in run.gradients]
    assert names == ["x", "fc1.weight", "body.0.weight", "body.0.bias"]
    weights = [net.fc1.weight, net.body[0].weight]
    dx, grads = grad(net, 0, weights=weights)(x)
    run = watch(net, x, weights=weights)
    assert [v.name for v in run.gradients] == ["x", "fc1.weight", "body.0.weight"]
    for got, want in zip(run.gradients.values(), (dx, *grads), strict=True):
        np.testing.assert_allclose(got, want.asnumpy())


def test_one_bare_parameter_may_be_wanted():
    w = Parameter(Tensor([1.0, 10.0]), name="w")
    run = watch(lambda x: x * w, X, weights=w)
    assert {v.name: g.tolist() for v, g in run.gradients.items()} == {
        "x": [1.0, 10.0],
        "w": [2.0, 3.0],
    }


def test_a_parameter_used_in_an_inner_gradient_call_gets_its_gradient():
    w = Parameter(Tensor([1.0, 10.0]), name="w")
    run = watch(lambda x: grad(lambda y: (y * y * w).sum())(x).sum(), X)  # 2 x w
    assert {v.name: g.tolist() for v, g in run.gradients.items()} == {
        "x": [2.0, 20.0],
        "w": [4.0, 6.0],
    }


@pytest.mark.parametrize("value", [lambda w, x: Tensor([5.0, 5.0]), lambda w, x: w * x])
def test_a_parameter_that_is_written_to_is_one_leaf(value):
    w = Parameter(Tensor([1.0, 10.0]), name="w")

    def fn(x):
        before = (w * x).sum()
        w.set_data(value(w, x))
        return before + (w * w * x).sum()

    dx, (dw,) = grad(fn, 0, [w])(X)
    w.set_data(Tensor([1.0, 10.0]))
    run = watch(fn, X)
    assert [v.name for v in run.gradients] == ["x", "w"]
    for got, want in zip(run.gradients.values(), (dx, dw), strict=True):
        np.testing.assert_allclose(got, want.asnumpy())


def test_a_position_out_of_range_is_refused():
    with pytest.raises(IndexError, match="grad_position 5"):
        watch(lambda x: x * 1, X, grad_position=5)


def test_numbers_arrays_and_flags_are_inputs():
    run = watch(lambda x, y, double: x * y * (2 if double else 1), 3.0, np.array([1.0, 2.0]), True)
    assert [v.name for v in run.gradients] == ["x", "y"]
    assert [g.tolist() for g in run.gradients.values()] == [6.0, [6.0, 6.0]]


def test_a_cell_with_bprop_is_one_op():
    run = watch(lambda x: Cubed()(x) * 2, X)
    assert op_names(run) == ["Cubed", "multiply"]
    assert [s.value.op.name for s in run.steps] == ["multiply", "Cubed"]
    assert run.steps[1].parts[0].dx.tolist() == [24.0, 54.0]


def test_an_inner_gradient_call_shows_its_ops_once():
    run = watch(lambda x: grad(lambda y: y * y * y)(x).sum(), Tensor(2.0))
    assert op_names(run)[:3] == ["identity", "multiply", "multiply"]
    assert op_names(run)[-1] == "sum"
    assert run.gradients[run.values[0]].item() == 12.0


def test_watching_leaves_nothing_behind():
    w = Parameter(Tensor([1.0, 1.0]), name="w")

    def fails(x):
        x * w
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watch(fails, X)
    watch(lambda x: x * w, X)
    assert TAPE.get() is None
    assert w.node is None
    assert (X.node, X.tolist()) == (None, [2.0, 3.0])


def test_a_function_without_a_tensor_to_show_is_refused():
    def nothing(x):
        return 3.0

    with pytest.raises(TypeError, match="nothing returned no Tensor"):
        watch(nothing, X)


def test_a_rule_that_is_wrong_is_seen_wrong():
    wrong = type("Wrong", (Cubed,), {"bprop": lambda self, x, out, dout: dout * 1000})()
    assert watch(wrong, X).steps[0].parts[0].dx.tolist() == [1000.0, 1000.0]


def test_an_index_has_the_name_that_stands_in_its_brackets():
    """Found at the very look-up: two in one line are two, and what no name stands for has none."""
    k, ends, ü = 1, np.array([1, 0]), Tensor([0, 1])

    def fn(x):
        both = x[ends] * x[ü] + ops.flip(x[ends], (0,))  # flip looks up by an index of its own
        return both + x[k] + x[0] + x[[1, 0]] + x[k - 1] + (x + x)[k]

    def indices(run):
        return [v.index for v in run.values if v.kind == "op" and v.op.name == "getitem"]

    assert indices(watch(fn, X)) == ["ends", "ü", "ends", "", "k", "", "", "", "k"]
    assert indices(watch(eval("lambda x, k: x[k]"), X, 1)) == [""]  # no source to be read
    run = watch(lambda x: x[ends] * x[ends], X, order=2)
    assert [v.index for v in run.values if v.rule_of and v.op.name == "scatter"] == ["ends"] * 2
