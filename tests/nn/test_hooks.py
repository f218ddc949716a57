"""Hooks of Cells and Tensors: what they get and change, at any order, and what is refused.

`data/hooks.json` holds what programs with hooks printed on a real MindSpore; the rest is where
minigrad answers and MindSpore does not, and what only a program of minigrad's can see.
"""

import copy
import json
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from recorded import print_as_recorded

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops
from minigrad.tape import TAPE, record
from minigrad.tensor import Node, wrap
from minigrad.transform import vjp
from minigrad.watch import watch

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "hooks.json").read_text())
X, Y = Tensor([2.0]), Tensor([3.0])


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name="w")

    def construct(self, x):
        return self.w * x


def numbers(grads):
    return tuple(None if g is None else g.array.tolist() for g in grads)


@pytest.mark.parametrize("case", RECORDED["programs"], ids=lambda case: case["program"][:60])
@pytest.mark.filterwarnings("ignore:load_param_into_net")
def test_program(case, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = (RECORDED["preamble"] + case["program"]).replace("mindspore as", "minigrad as")
    program = program.replace("from mindspore", "from minigrad").replace(
        "tempfile.mkdtemp()", repr(str(tmp_path))
    )
    exec(program, {"print": print_as_recorded})
    assert capsys.readouterr().out == case["printed"]


# --- where MindSpore gives None, or nothing
def test_an_output_or_input_without_a_gradient_has_zeros():
    seen = []

    class Two(nn.Cell):
        def construct(self, x, y):
            return x * 2, x * 3

    cell = Two()
    cell.register_backward_hook(lambda c, dx, dy: seen.append((numbers(dx), numbers(dy))))
    assert grad(lambda x: cell(x, Y)[1])(X).item() == 3.0
    assert seen == [(([3.0], [0.0]), ([0.0], [1.0]))]


def test_an_input_that_is_not_used_gets_what_the_hook_gives_it():
    class First(nn.Cell):
        def construct(self, x, y):
            return x * 2

    cell = First()
    cell.register_backward_hook(lambda c, dx, dy: (dx[0], Y))
    assert [g.item() for g in grad(cell, (0, 1))(X, Y)] == [2.0, 3.0]


def test_the_hooks_run_though_no_input_is_used():
    class OnlyWeight(Scale):
        def construct(self, x):
            return self.w * 2

    seen, cell = [], OnlyWeight()
    cell.register_backward_hook(lambda c, dx, dy: seen.append((numbers(dx), numbers(dy))))
    dx, (dw,) = grad(cell, 0, cell.trainable_params())(X)
    assert (dx.item(), dw.item()) == (0.0, 2.0)
    assert seen == [(([0.0],), ([1.0],))]


@pytest.mark.parametrize(
    ("out", "use", "wanted"),
    [
        (lambda x: {"a": x * 2}, lambda out: out["a"], ([1.0],)),
        (lambda x: [x * 2, x * 3], lambda out: out[1], ([0.0], [1.0])),
        (lambda x: (x, (x * 3, [x])), lambda out: out[1][0], ([0.0], [1.0], [0.0])),
    ],
    ids=["dict", "list", "nested"],
)
def test_outputs_in_lists_and_dicts_have_gradients_too(out, use, wanted):
    class Structured(nn.Cell):
        def construct(self, x):
            return out(x)

    seen, cell = [], Structured()
    cell.register_backward_pre_hook(lambda c, dy: seen.append(numbers(dy)))
    plain = grad(lambda x: use(out(x)))(X).item()
    assert grad(lambda x: use(cell(x)))(X).item() == plain
    assert seen == [wanted]
    kinds = [type(cell(X)), type(grad(lambda x: (use(cell(x)), cell(x)), has_aux=True)(X)[1][0])]
    assert kinds == [type(out(X))] * 2


def test_a_forward_hook_of_a_cell_with_a_bprop_is_called():
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 100,)

    cell, seen = Square(), []
    cell.register_forward_hook(lambda c, args, out: (seen.append(args), out * 7)[1])
    assert grad(cell)(X).item() == 700.0
    assert cell(X).item() == 28.0
    assert [args[0].shape for args in seen] == [(1,), (1,)]


def test_a_hook_may_call_grad():
    cell = Product()
    cell.register_backward_hook(lambda c, dx, dy: (grad(lambda v: v * v)(dx[0]), dx[1]))
    assert [g.item() for g in grad(cell, (0, 1))(X, Y)] == [6.0, 2.0]


def test_a_hook_that_is_registered_inside_a_call_is_of_that_call_alone():
    x = Tensor([2.0])

    def fn(x):
        x.register_hook(lambda g: g * 10)
        return x * x

    assert [grad(fn)(x).item() for _ in range(3)] == [40.0] * 3


def test_a_pullback_runs_the_hooks_each_time():
    cell, x = Product(), Tensor([2.0])
    cell.register_backward_pre_hook(lambda c, dy: dy[0] * 10)
    x.register_hook(lambda g: g + 1)
    _, pull = vjp(cell, x, Y)
    assert [pull(Tensor([k]))[0].item() for k in (1.0, 2.0)] == [31.0, 61.0]


def test_a_hook_of_a_value_from_outside_is_told_the_whole_gradient():
    """The hook is registered inside an inner call, on a value that the outer one made."""
    seen = []

    def fn(x):
        z = x * x
        before = z * 100

        def inner(y):
            z.register_hook(lambda g: (seen.append(g.item()), g * 10)[1])
            return z * y

        return before + grad(inner)(x) + z

    # The inner gradient is z itself, so all in all 102 z, and z = x x.
    assert grad(fn)(X).item() == 102 * 10 * 4
    assert seen == [102.0]


def test_a_hook_of_a_copy_of_an_input_sees_the_gradient_of_the_input():
    def fn(x):
        y = x * x
        Tensor(x).register_hook(lambda g: g * 10)
        return y + x

    assert grad(fn)(X).item() == 50.0
    w = Parameter(Tensor([5.0]), name="w")

    def scaled(x):
        w.value().register_hook(lambda g: g * 10)
        return x * w

    assert grad(scaled, None, w)(X).item() == 20.0


def test_a_hook_of_a_parameter_that_is_registered_inside_a_call_runs_once_and_stays():
    w, handles = Parameter(Tensor([5.0]), name="w"), []

    def fn(x):
        if not handles:
            handles.append(w.register_hook(lambda g: g * 10))
        return x * w

    assert [grad(fn, None, w)(X).item() for _ in range(3)] == [20.0] * 3
    handles[0].remove()
    assert grad(fn, None, w)(X).item() == 2.0


def test_the_hooks_of_a_weight_that_is_not_used_see_zeros():
    """As in MindSpore; those of an input, or of a weight that is frozen, are not called there."""
    used, unused, frozen = (Parameter(Tensor([5.0, 6.0]), name=n) for n in "abc")
    seen, x = [], Tensor([2.0, 3.0])
    for name, tensor in {"used": used, "unused": unused, "frozen": frozen, "x": x}.items():
        tensor.register_hook(lambda g, name=name: (seen.append((name, g.tolist())), g + 1)[1])
    frozen.requires_grad = False
    dx, dw = grad(lambda x: used * 2, 0, [used, unused, frozen])(x)
    assert seen == [("used", [2.0, 2.0]), ("unused", [0.0, 0.0])]
    assert dx.tolist() == [0.0, 0.0]
    assert [g.tolist() for g in dw] == [[3.0, 3.0], [1.0, 1.0], [0.0, 0.0]]


def test_a_tensor_tells_its_hooks():
    def first(g):
        return g

    def second(g):
        return g

    x, w = Tensor([2.0]), Parameter(Tensor([5.0]), name="w")
    assert (x.hooks(), w.hooks()) == ([], [])
    for tensor in (x, w):
        handle = tensor.register_hook(first)
        tensor.register_hook(second)
        assert tensor.hooks() == [first, second]
        handle.remove()
        assert tensor.hooks() == [second]

    def fn(x):
        y = x * w
        y.register_hook(first)
        assert (x.hooks(), y.hooks(), w.hooks()) == ([second], [first], [second])
        return y

    assert grad(fn)(x).item() == 5.0


def test_a_hook_of_a_frozen_parameter_is_refused():
    w = Parameter(Tensor([5.0]), name="w", requires_grad=False)
    with pytest.raises(RuntimeError, match="Parameter w is frozen, so no gradient comes to a hook"):
        w.register_hook(lambda g: g)
    w.requires_grad = True
    w.register_hook(lambda g: g * 10)
    assert grad(lambda x: x * w, None, w)(Tensor([2.0])).item() == 20.0


def test_a_hook_stands_where_it_was_registered_though_the_tensor_is_written():
    def fn(x):
        z = x * 1
        z.register_hook(lambda g: g * 10)
        z[0] = x[1]
        z.register_hook(lambda g: g * 100)
        return z

    assert grad(fn)(Tensor([2.0, 3.0])).tolist() == [0.0, 100.0 + 1000.0]


def test_a_sweep_that_does_not_come_by_the_output_calls_no_hook():
    """The outer sweep needs the inputs, which the inner gradient is made of, and not the output."""
    seen, cell = [], Product()
    cell.register_backward_hook(lambda c, dx, dy: seen.append((numbers(dx), numbers(dy))))
    assert grad(lambda y: grad(lambda x: cell(x, y))(Y))(X).item() == 1.0
    assert seen == [(([2.0], [3.0]), ([1.0],))]


def test_a_hook_that_reads_the_gradient_of_the_output_at_second_order():
    class Cube(nn.Cell):
        def construct(self, x):
            return x * x * x

    cube = Cube()
    cube.register_backward_hook(lambda c, dx, dy: dx[0] * dy[0] * 2)
    x = Tensor(2.0)
    assert grad(cube)(x).item() == 24.0  # 2 * 3 x^2
    assert grad(grad(cube))(x).item() == 24.0  # 12 x


def test_a_hook_of_an_inner_function_works_in_the_inner_sweep_and_in_the_outer_one():
    def fn(x):
        z = x * x
        z.register_hook(lambda g: g * g)
        return z * x

    # g = x at z, so x^2 2x + z: 3 x^3 with the hook's g^2, whose derivative is no 3 x^2.
    x = Tensor(np.array(2.0))
    assert grad(fn)(x).item() == 2 * 2**3 + 2**2
    # d/dx of x_g^2 2x + z: 2 g 2x + 2 g^2, and the 1 that arrives at z is squared: 1 2x.
    assert grad(grad(fn))(x).item() == 2 * 2 * 2 * 2 + 2 * 4 + 2 * 2


# --- at any order
@pytest.mark.parametrize("order", [1, 2, 3])
def test_hooks_that_change_nothing_leave_derivatives_of_every_order_as_they_are(order):
    class Sine(nn.Cell):
        def construct(self, x):
            return ops.sin(x)

    calls = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.sine, self.hook = Sine(), ops.HookBackward(calls.append)
            self.sine.register_backward_hook(lambda c, dx, dy: calls.append(dx))
            self.sine.register_backward_pre_hook(lambda c, dy: (dy[0] * 1,))

        def construct(self, x):
            y = self.sine(x * 2)
            y.register_hook(calls.append)
            return self.hook(y)

    fn, x = Net(), np.array([0.3, 1.1])
    for _ in range(order):
        fn = grad(fn)
    derivative = {1: np.cos, 2: lambda v: -np.sin(v), 3: lambda v: -np.cos(v)}[order]
    np.testing.assert_allclose(fn(Tensor(x)).asnumpy(), 2**order * derivative(2 * x), rtol=1e-12)
    assert calls


def test_what_a_hook_computes_is_differentiated():
    cell = Product()
    cell.register_backward_hook(lambda c, dx, dy: (ops.sin(dx[0]), dx[1]))
    x, y = Tensor(np.array(0.5)), Tensor(np.array(0.7))
    assert grad(cell)(x, y).item() == pytest.approx(np.sin(0.7))
    # Differentiated by y, sin(y) gives cos(y), and the hook is at y too, where it changes nothing.
    assert grad(lambda x, y: grad(cell)(x, y), 1)(x, y).item() == pytest.approx(np.cos(0.7))


# --- nothing where there is no hook
def test_without_a_gradient_call_or_a_hook_nothing_is_written():
    cell = Product()
    x = wrap(X.array, Node(X.array))
    assert [entry[0].name for entry in record(cell, (x, Y), {})[1]] == ["multiply"]
    handle = cell.register_backward_hook(lambda c, dx, dy: None)
    names = [entry[0].name for entry in record(cell, (x, Y), {})[1]]
    assert names == ["Product hook", "multiply", "Product hook"]
    handle.remove()
    assert [entry[0].name for entry in record(cell, (x, Y), {})[1]] == ["multiply"]
    cell.register_backward_hook(lambda c, dx, dy: 1 / 0)
    assert cell(X, Y).item() == 6.0
    assert grad(lambda z: z * cell(X, Y))(Tensor([1.0])).item() == 6.0  # nothing tracked goes in


def test_a_hook_of_an_untracked_tensor_is_never_called():
    z = Tensor([2.0]) * Tensor([2.0])
    z.register_hook(lambda g: 1 / 0)

    def fn(x):
        w = Y * Y
        w.register_hook(lambda g: 1 / 0)
        return x * z * w

    assert grad(fn)(X).item() == 36.0


def test_the_tape_keeps_no_outer_tape_when_the_call_has_ended():
    tapes = []

    def fn(x):
        _, tape, _ = record(lambda: tapes.append(TAPE.get().outer) or x * x, (), {})
        tapes.append(tape)
        return x * x

    _, outer, _ = record(fn, [wrap(X.array, Node(X.array))], {})
    assert tapes[0] is outer
    assert tapes[1].outer is None


# --- what a hook keeps, writes and returns is its own
def test_a_hook_may_keep_and_write_what_it_is_given_and_returns():
    kept, constant = [], Tensor([7.0])

    def keep(c, dx, dy):
        kept.append((dx[0], dy[0]))
        dx[0][0] = 1000.0  # only what is returned counts
        dy[0][0] = 1000.0

    cell = Product()
    cell.register_backward_hook(keep)
    cell.register_backward_hook(lambda c, dx, dy: (constant, constant))
    w = Parameter(Tensor([2.0]), name="w")

    def write(g):
        kept.append(g)
        g[0] = 2000.0

    w.register_hook(write)
    dw, dy = grad(lambda y: cell(w, y), 0, [w])(Y)[::-1]
    assert (dw[0].item(), dy.item()) == (7.0, 7.0)
    for g in (dw[0], dy):
        g.array[...] = 9.0  # as an optimizer does
    assert constant.tolist() == [7.0]
    assert [g.item() for g in kept[0]] == [1000.0, 1000.0]
    assert kept[1].tolist() == [2000.0]


def test_hooks_of_a_copy_are_its_own():
    seen, cell = [], Product()
    cell.register_forward_hook(lambda c, args, out: seen.append("both"))
    twin = copy.copy(cell)
    twin.register_forward_hook(lambda c, args, out: seen.append("twin"))
    cell(X, Y)
    assert seen == ["both"]
    twin(X, Y)
    assert seen == ["both", "both", "twin"]


def test_a_hook_may_remove_itself_and_add_another():
    seen, cell = [], Product()

    def once(c, args):
        seen.append("once")
        handle.remove()
        c.register_forward_pre_hook(lambda c, args: seen.append("later"))

    handle = cell.register_forward_pre_hook(once)
    cell(X, Y)
    cell(X, Y)
    assert seen == ["once", "later"]


def test_a_hook_that_a_hook_adds_runs_from_the_next_call_on():
    seen, cell = [], Product()

    def first(c, args, out):
        seen.append("first")
        c.register_forward_hook(lambda c, args, out: seen.append("added"))

    cell.register_forward_hook(first)
    cell(X, Y)
    assert seen == ["first"]
    cell(X, Y)
    assert seen == ["first", "first", "added"]


def test_removed_hooks_are_forgotten():
    cell = Product()
    for _ in range(5):
        cell.register_forward_hook(lambda c, args, out: None).remove()
    assert len(cell._hooks.forward) == 1


def test_two_threads_differentiate_the_same_cell():
    cell, sums = Product(), {}

    def hook(c, dx, dy):
        meet.wait()
        return dx[0] * dy[0], dx[1]

    cell.register_backward_hook(hook)
    meet = threading.Barrier(2)

    def run(k):
        sums[k] = grad(lambda x: cell(x, Y) * k)(X).item()

    threads = [threading.Thread(target=run, args=[k]) for k in (10.0, 100.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == {10.0: 10 * 3 * 10.0, 100.0: 100 * 3 * 100.0}


def test_a_network_with_hooks_trains_as_without():
    def steps(with_hooks):
        net = nn.SequentialCell(
            nn.Dense(2, 3, weight_init="ones", bias_init="zeros"), nn.Tanh(),
            nn.Dense(3, 1, weight_init="ones", bias_init="zeros"),
        )  # fmt: skip
        if with_hooks:
            for cell in (net, *net):
                cell.register_backward_hook(lambda c, dx, dy: None)
                cell.register_backward_pre_hook(lambda c, dy: None)
                cell.register_forward_pre_hook(lambda c, args: None)
                cell.register_forward_hook(lambda c, args, out: None)
            for p in net.trainable_params():
                p.register_hook(lambda g: None)
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        x, y = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0], [0.0]])
        return [step(x, y).item() for _ in range(4)]

    losses = steps(True)
    assert losses == steps(False)
    assert losses[-1] < losses[0]


def test_the_widgets_see_the_steps_of_hooks():
    cell = Product()
    cell.register_backward_hook(lambda c, dx, dy: (dx[0] * 10, dx[1]))

    def fn(x, y):
        z = cell(x, y)
        out = z * x
        z.register_hook(lambda g: g * 2)
        return out

    run = watch(fn, Tensor(2.0), Tensor(3.0))
    names = [step.value.op.name for step in run.steps]
    assert names == ["multiply", "Product hook", "multiply", "Product hook"]
    assert {v.name: float(g) for v, g in run.gradients.items()} == {
        "x": 2.0 * 2 * 3 * 10 + 6.0,
        "y": 2.0 * 2 * 2,
    }
    first = run.steps[0].parts[0]
    assert (float(first.dx), float(first.total)) == (2.0, 2.0)


def test_hooks_inside_vmap_get_the_gradients_of_each_sample():
    x = Tensor([1.0, 2.0, 3.0])

    def fn(x):
        y = x * x
        y.register_hook(lambda g: g * 10)
        return y * x

    per_sample = ms.vmap(grad(fn))(x)
    np.testing.assert_allclose(per_sample.tolist(), [21.0 * v * v for v in (1, 2, 3)], rtol=1e-6)


def hooked(kind):
    """A function of a vector whose gradient is changed on its way, by all entries of it."""
    cell = nn.ReLU()
    cell.register_backward_hook(lambda cell, dx, dy: (dx[0] * 10 + dy[0].sum(),))
    cell.register_backward_pre_hook(lambda cell, dy: dy[0] * 2)
    middle = {
        "cell": cell,
        "op": ops.HookBackward(lambda grads: grads[0] * grads[0].sum()),
        "inserted": ops.InsertGradientOf(lambda g: g * g.max()),
    }.get(kind, lambda y: y)

    def fn(x):
        y = middle(x * x)
        if kind in ("value", "input"):
            (y if kind == "value" else x).register_hook(lambda g: g * g.sum())
        return (y * x).sum()

    return fn


@pytest.mark.parametrize("kind", ["value", "input", "cell", "op", "inserted"])
def test_a_gradient_call_around_vmap_gives_hooks_each_sample(kind):
    fn, x = hooked(kind), Tensor([[1.0, 2.0], [4.0, 5.0]])
    scale = Tensor([1.0, 3.0])

    def loop(f):
        return lambda x: ops.stack([f(row) for row in x])

    def agree(make, x):
        np.testing.assert_allclose(make(ms.vmap)(x).array, make(loop)(x).array, rtol=1e-6)

    agree(lambda each: grad(lambda x: (each(fn)(x) * scale).sum()), x)
    agree(lambda each: grad(lambda x: (each(grad(fn))(x) ** 2).sum()), x)
    agree(lambda each: ms.jacrev(each(fn)), x)
    rows = Tensor(np.arange(1, 9, dtype=np.float32).reshape(2, 2, 2))
    agree(lambda each: grad(lambda x: each(each(fn))(x).sum()), rows)
    agree(lambda each: each(grad(lambda x: each(fn)(x).sum())), rows)


def test_a_hook_of_a_shared_input_gets_what_each_sample_adds():
    hook = ops.HookBackward(lambda grads: grads[0] * grads[0])
    x, w = Tensor([1.0, 2.0, 3.0]), Tensor(10.0)
    dw = grad(lambda w: ms.vmap(lambda x: hook(w) * x)(x).sum())(w)
    assert dw.tolist() == 1.0 + 4.0 + 9.0
    with_two = ops.HookBackward(lambda grads: (grads[1], grads[0] * 100))
    dw = grad(lambda w: ms.vmap(lambda x: ops.mul(*with_two(w, x)))(x).sum())(w)
    assert dw.tolist() == 3 * 10.0  # the gradient of x is w, and stands for that of w


def test_a_hook_that_keeps_a_sample_says_where_to_put_the_gradient():
    def fn(x):
        y = x * x
        y.register_hook(lambda g: g * x)
        return y

    x = Tensor([1.0, 2.0])
    assert ms.vmap(grad(fn))(x).tolist() == [2.0, 8.0]
    with pytest.raises(RuntimeError, match=r"in a hook, call grad inside .* vmap\(grad\(f\)\)"):
        grad(lambda x: ms.vmap(fn)(x).sum())(x)


# --- what is refused
REGISTER = {
    "forward_pre": lambda cell, hook: cell.register_forward_pre_hook(hook),
    "forward": lambda cell, hook: cell.register_forward_hook(hook),
    "backward_pre": lambda cell, hook: cell.register_backward_pre_hook(hook),
    "backward": lambda cell, hook: cell.register_backward_hook(hook),
    "tensor": lambda cell, hook: Tensor([1.0]).register_hook(hook),
    "op": lambda cell, hook: ops.HookBackward(hook),
}


@pytest.mark.parametrize("where", REGISTER)
def test_a_hook_must_be_callable(where):
    with pytest.raises(TypeError, match=r"a hook must be callable, .* but got int"):
        REGISTER[where](Product(), 1)


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (lambda dx: dx[0], TypeError, r"returned 1 gradients in the place of grad_input.* has 2"),
        (lambda dx: (*dx, *dx), TypeError, r"returned 4 gradients"),
        (lambda dx: (dx[0], None), TypeError, r"returned a NoneType in .*grad_input\[1\]"),
        (lambda dx: (dx[0], 5.0), TypeError, r"returned a float in .*grad_input\[1\]"),
        (lambda dx: "a", TypeError, r"a tuple of them; but it returned a str"),
        (lambda dx: (Tensor([1.0, 2.0]), dx[1]), ValueError, r"shape \(2,\) .* has shape \(1,\)"),
        (lambda dx: (dx[0].astype(ms.float16), dx[1]), ValueError, "Float16 .* Float32"),
    ],
)
def test_what_a_backward_hook_returns_must_fit(returned, error, words):
    def my_hook(c, dx, dy):
        return returned(dx)

    cell = Product()
    cell.register_backward_hook(my_hook)
    with pytest.raises(error, match=rf"my_hook, a backward hook of Product, .*{words}"):
        grad(cell, (0, 1))(X, Y)
    assert grad(lambda x: x * x)(X).item() == 4.0


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (lambda dy: (dy[0], dy[0]), TypeError, "returned 2 gradients in the place of grad_output"),
        (lambda dy: 5.0, TypeError, "it returned a float"),
        (lambda dy: Tensor([1.0, 2.0]), ValueError, r"shape \(2,\)"),
    ],
)
def test_what_a_backward_pre_hook_returns_must_fit(returned, error, words):
    cell = Product()
    cell.register_backward_pre_hook(lambda c, dy: returned(dy))
    with pytest.raises(error, match=rf"a backward pre-hook of Product, .*{words}"):
        grad(cell, (0, 1))(X, Y)


def test_what_the_hook_of_a_cell_without_tracked_inputs_returns_must_fit():
    cell = Scale()
    cell.register_backward_hook(lambda c, dx, dy: (dy[0], dy[0]))
    with pytest.raises(TypeError, match=r"returned 2 gradients in the place of grad_input"):
        grad(cell, None, cell.w)(X)


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (5.0, TypeError, "must return a Tensor or None, but returned a float"),
        ((X,), TypeError, "returned a tuple"),
        (Tensor([1.0, 2.0]), ValueError, r"of shape \(1,\), returned a gradient of shape \(2,\)"),
    ],
)
@pytest.mark.parametrize("leaf", [True, False])
def test_what_the_hook_of_a_tensor_returns_must_fit(returned, error, words, leaf):
    def my_hook(g):
        return returned

    def fn(x):
        z = x if leaf else x * x
        z.register_hook(my_hook)
        return z * x

    with pytest.raises(error, match=rf"my_hook, a hook of a Tensor.*{words}"):
        grad(fn)(X)


def test_the_hook_of_a_tensor_may_return_another_float_dtype():
    def fn(x):
        z = x * x
        z.register_hook(lambda g: g.astype(ms.float16))
        return z * x

    x = Tensor([2.0])
    x.register_hook(lambda g: g.astype(ms.float64) * 10)
    assert (grad(fn)(x).dtype, grad(fn)(x).item()) == (ms.float32, 120.0)


@pytest.mark.parametrize("returned", [(1, 2, 3), 5, ((X,), 5)])
def test_a_forward_pre_hook_with_kwargs_returns_both(returned):
    cell = Product()
    cell.register_forward_pre_hook(lambda c, args, kwargs: returned, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"a forward pre-hook of Product with_kwargs, must"):
        cell(X, y=Y)


@pytest.mark.parametrize("bad", [5.0, (X, Y), None])
def test_hook_backward_takes_tensors(bad):
    with pytest.raises(TypeError, match="HookBackward takes Tensors, but got a"):
        ops.HookBackward(lambda g: g)(bad)


def test_a_hook_that_fails_shows_its_own_error_and_breaks_nothing():
    cell = Product()
    handle = cell.register_backward_hook(lambda c, dx, dy: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        grad(cell)(X, Y)
    handle.remove()
    assert grad(cell)(X, Y).item() == 3.0


def test_an_always_called_hook_that_fails_does_not_hide_the_error():
    class Bad(nn.Cell):
        def construct(self, x):
            raise ValueError("the first")

    def my_hook(c, args, out):
        raise KeyError("the second")

    cell, seen = Bad(), []
    cell.register_forward_hook(my_hook, always_call=True)
    cell.register_forward_hook(lambda c, args, kwargs, out: seen.append((args, kwargs, out)),
                               with_kwargs=True, always_call=True)  # fmt: skip
    with (
        pytest.warns(UserWarning, match=r"my_hook, a forward hook of Bad .* failed as well"),
        pytest.raises(ValueError, match="the first"),
    ):
        cell(X)
    assert seen == [((X,), {}, None)]


def test_an_always_called_hook_that_fails_is_called_once():
    cell, seen = Product(), []

    def my_hook(c, args, out):
        seen.append(out.item())
        raise KeyError("mine")

    cell.register_forward_hook(my_hook, always_call=True)
    with pytest.raises(KeyError, match="mine"):
        cell(X, Y)
    assert seen == [6.0]


def test_no_warning_comes_from_hooks_that_are_right():
    cell = Product()
    cell.register_backward_hook(lambda c, dx, dy: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(grad(lambda x: cell(x, x)))(X).item() == 2.0
