"""What jit answers, when it records anew, what it writes, and what it refuses."""

import copy
import gc
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import minigrad as ms
from minigrad import (
    JitConfig,
    Parameter,
    Tensor,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jit,
    jit_class,
    nn,
    ops,
    value_and_grad,
)
from minigrad.graph import INSIDE_JIT, TraceError, constexpr


@jit
def square(x):
    """Multiplies x by itself."""
    return x * x


@jit(jit_level="O1", backend="ms_backend", fullgraph=True)
def cube(x):
    return x * square(x)


class Net(nn.Cell):
    @jit
    def construct(self, x):
        return self.twice(x) * x

    @jit(jit_config=JitConfig(jit_level="O0"))
    def twice(self, x):
        return x + x


class Scale(nn.Cell):
    def __init__(self, w=2.0):
        super().__init__()
        self.w = Parameter(Tensor([w]), name="w")

    def construct(self, x):
        return self.w * x


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def numbers(*tensors):
    return [x.asnumpy().tolist() for x in tensors]


# -------------------------------------------------------------------------------- what it answers
def test_values_and_gradients_are_those_of_the_function():
    x = Tensor([3.0])
    for _ in range(2):  # recorded, and run
        assert numbers(cube(x), grad(cube)(x), grad(grad(Net()))(x)) == [[27.0], [27.0], [4.0]]
    assert numbers(grad(square, 0)(x=x)) == [[6.0]]


def test_gradients_of_any_order_are_recorded():
    third = jit(grad(grad(grad(lambda x: x**4))), fullgraph=True)
    for x in (2.0, 3.0):
        assert numbers(third(Tensor([x]))) == [[24 * x]]


def test_nested_arguments_and_results_keep_their_structure():
    @jit
    def tree(d, scale, flag=None):
        return {"a": d["x"] * scale, "b": [d["x"] + 1, (3, d["y"][0])]}, flag

    for x in (1.0, 5.0):
        out, flag = tree({"x": Tensor([x]), "y": [Tensor(2.0)]}, 3.0)
        assert numbers(out["a"], out["b"][0]) == [[3 * x], [x + 1]]
        assert out["b"][1] == (3, Tensor(2.0))
        assert flag is None


def test_arrays_come_back_as_arrays():
    out = [jit(lambda x: np.sin(x) + 1)(np.zeros(2)) for _ in range(2)][1]
    assert type(out) is np.ndarray
    assert out.tolist() == [1.0, 1.0]


ON_ARRAYS = {
    "reduce": lambda x: np.add.reduce(x),
    "reduce_keepdims": lambda x: np.add.reduce(x, axis=-1, keepdims=True),
    "reduce_all": lambda x: np.maximum.reduce(x, axis=None),
    "reduce_from": lambda x: np.add.reduce(x, axis=0, initial=5),
    "reduce_some": lambda x: np.add.reduce(x, axis=0, where=x > 2),
    "reduce_wider": lambda x: np.minimum.reduce(x, axis=0, dtype=np.float64),
    "sum_narrower": lambda x: np.sum(x, 0, dtype=np.float32),
    "accumulate": lambda x: np.add.accumulate(x, axis=1),
    "outer": lambda x: np.multiply.outer(x, x[0]),
    "rows": lambda x: sum(row * (i + 1) for i, row in enumerate(x)),
    "copies": lambda x: copy.copy(x) + copy.deepcopy([x])[0],
    "flattened": lambda x: np.concatenate([x, x], None),
    "several": lambda x: np.divmod(x, 2),
    "frequencies": lambda x: np.abs(np.fft.fft(x)),
    "constant": lambda x: 3,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("name", ON_ARRAYS)
def test_functions_of_arrays_are_numpys(name, dtype):
    function, x = ON_ARRAYS[name], np.array([[3, 1, 2], [6, 5, 4]], dtype)
    run = jit(function, fullgraph=True)
    for _ in range(2):  # recorded, and run
        got, wanted = run(x.copy()), np.asarray(function(x.copy()))
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-6, strict=True)


def adds_in_place(x):
    y = x * 1
    row = y[0]
    y += 1
    return row


def adds_to_its_argument(x):
    np.add(x, 1, out=x)
    return x * 2


@pytest.mark.parametrize("function", [adds_in_place, adds_to_its_argument])
def test_a_write_into_an_array_is_not_lost(function):
    """A view of the array, or the caller, would not see it; so it runs line by line."""
    with pytest.raises(TraceError, match="cannot be used as an array to write into"):
        jit(function, fullgraph=True)(np.ones((2, 2)))
    run = jit(function)
    given, wanted = np.ones((2, 2)), np.ones((2, 2))
    with pytest.warns(UserWarning, match="runs line by line"):
        assert run(given).tolist() == function(wanted).tolist()
    assert given.tolist() == wanted.tolist()


def test_has_aux_and_weights():
    net = Scale()
    step = jit(value_and_grad(lambda x: (net(x).sum(), x * 2), None, net.trainable_params(), True))
    for x in (3.0, 4.0):
        (value, aux), (dw,) = step(Tensor([x]))
        assert numbers(value, aux, dw) == [2 * x, [2 * x], [x]]


def test_results_belong_to_the_caller():
    """No result shares memory with an argument, with another result, or with the next call's."""

    @jit
    def several(x):
        return x, x, x.T, x * 2, x.sum(0), Tensor(np.zeros(2))

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(3):
        results = several(x)
        arrays = [x.array, *(r.array for r in results)]
        for i, a in enumerate(arrays):
            assert not any(np.shares_memory(a, b) for b in arrays[:i])
        later = several(x + 1)
        assert numbers(results[3]) == [[[2.0, 4.0], [6.0, 8.0]]]
        assert not any(np.shares_memory(a.array, b.array) for a in results for b in later)


def test_a_write_to_an_argument_reaches_the_caller():
    @jit
    def fill(x):
        x[0] = 5.0
        return x * 2

    for _ in range(2):
        x = Tensor([1.0, 2.0])
        assert numbers(fill(x), x) == [[10.0, 4.0], [5.0, 2.0]]


# ------------------------------------------------------------------------------------- Parameters
def training_step(net, optimizer):
    gradient = value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    return step


def test_parameters_are_read_at_each_call():
    net = Scale()
    run = jit(net)
    assert numbers(run(Tensor([1.0])), run(Tensor([1.0]))) == [[2.0], [2.0]]
    net.w.set_data(Tensor([7.0]))
    assert numbers(run(Tensor([1.0]))) == [[7.0]]


def test_parameters_are_written_and_nobody_elses_array_is():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    @jit
    def step(g):
        p.set_data(p - g)
        return p.sum()

    first = p.value()
    assert numbers(step(Tensor([1.0, 1.0]))) == [1.0]
    second = p.value()
    assert numbers(step(Tensor([1.0, 1.0]))) == [-1.0]
    assert numbers(first, second, p) == [[1.0, 2.0], [0.0, 1.0], [-1.0, 0.0]]


def test_a_parameter_that_nobody_holds_is_written_in_place():
    p = Parameter(Tensor(np.ones(300_000, np.float32)), name="p")
    step = jit(lambda: [p.set_data(p * 0.5)][1:])
    step()
    place = p.array.ctypes.data
    step()
    assert p.array.ctypes.data == place
    held = p.array
    step()
    assert p.array.ctypes.data != place
    assert (held[0], p.asnumpy()[0]) == (0.25, 0.125)


@pytest.mark.parametrize(
    "make",
    [
        lambda ps: nn.SGD(ps, 0.1),
        lambda ps: nn.SGD(ps, 0.1, momentum=0.9, nesterov=True),
        lambda ps: nn.Momentum(ps, 0.1, 0.9, weight_decay=0.01),
        lambda ps: nn.Adam(ps, 0.05),
        lambda ps: nn.AdamWeightDecay(ps, 0.05, weight_decay=0.1),
        lambda ps: nn.RMSProp(ps, 0.05, centered=True),
        lambda ps: nn.Adagrad(ps, learning_rate=0.05),
        lambda ps: nn.SGD(ps, [0.1, 0.05, 0.2, 0.3]),
        lambda ps: nn.Adam(ps, nn.CosineDecayLR(0.01, 0.1, 4)),
    ],
)
def test_a_whole_training_step_is_recorded(make):
    random = np.random.default_rng(0)
    x, y = Tensor(random.normal(size=(5, 3))), Tensor(random.normal(size=(5, 1)))
    losses = []
    for compiled in (False, True):
        ms.set_seed(1)
        net = nn.Dense(3, 1)
        step = training_step(net, make(net.trainable_params()))
        run = jit(step, fullgraph=True) if compiled else step
        losses.append([run(x, y).asnumpy() for _ in range(4)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


# ---------------------------------------------------------------------------- when it records anew
def test_each_shape_dtype_and_static_argument_has_its_program():
    run = jit(lambda x, k: x * k)
    for x, k, known in (
        (Tensor([1.0]), 2, 1),
        (Tensor([5.0]), 2, 1),
        (Tensor([1.0, 2.0]), 2, 2),
        (Tensor([1]), 2, 3),
        (Tensor([1.0]), 2.0, 4),
        (Tensor([1.0]), True, 5),
    ):
        assert run(x, k).asnumpy().tolist() == (x.asnumpy() * k).tolist()
        assert len(run.programs) == known


def test_dropout_is_drawn_anew_and_left_out_when_the_cell_does_not_train():
    drop = nn.Dropout(p=0.5)
    run, x = jit(lambda x: drop(x)), ops.ones(64)
    drop.set_train(False)
    assert (run(x).asnumpy() == 1).all()
    drop.set_train(True)
    seen = {tuple(run(x).asnumpy().tolist()) for _ in range(4)}
    assert len(seen) == 4
    assert {v for row in seen for v in row} == {0.0, 2.0}
    drop.set_train(False)
    assert (run(x).asnumpy() == 1).all()


class Scaled(nn.Cell):
    """w x, through two layers."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")
        self.layers = nn.SequentialCell(nn.ReLU(), nn.ReLU())

    def construct(self, x):
        return self.layers(x * self.w)


@pytest.fixture(params=["jit", "graph mode"])
def compiled(request):
    """What makes a program of a Cell."""
    if request.param == "jit":
        yield jit
    else:
        ms.set_context(mode=ms.GRAPH_MODE)
        yield lambda net: net
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_parameter_or_a_layer_that_is_replaced_is_seen_by_the_next_call(compiled):
    net = Scaled()
    run, x = compiled(net), Tensor([3.0])
    assert [float(run(x)), float(run(x))] == [6.0, 6.0]
    net.w = Parameter(Tensor([-5.0]), name="w")
    assert float(run(x)) == 0.0
    net.layers[1] = nn.LeakyReLU(0.5)
    assert float(run(x)) == 0.0
    net.layers[0] = nn.Identity()
    assert float(run(x)) == -7.5
    net.layers = nn.SequentialCell(nn.Identity())
    assert float(run(x)) == -15.0


class Iterates(nn.Cell):
    """Runs the layers that a list, a dict or a sequence of them holds, and calls none of these."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def construct(self, x):
        cells = self.layers
        for cell in cells.values() if isinstance(cells, nn.CellDict) else cells:
            x = cell(x)
        return x


def test_a_change_of_a_list_of_layers_is_seen_by_the_next_call(compiled):
    x = Tensor([-3.0])
    net = Iterates(nn.CellList([nn.LeakyReLU(0.5)]))
    run = compiled(net)
    assert [float(run(x)), float(run(x))] == [-1.5, -1.5]
    net.layers.append(nn.LeakyReLU(0.5))
    assert float(run(x)) == -0.75
    net.layers[0] = nn.Identity()
    assert float(run(x)) == -1.5
    del net.layers[1]
    assert float(run(x)) == -3.0


@pytest.mark.parametrize("held", ["dict", "sequence"])
def test_a_change_of_a_dict_or_sequence_of_layers_is_seen_by_the_next_call(compiled, held):
    x, layer = Tensor([-3.0]), nn.LeakyReLU(0.5)
    net = Iterates(nn.CellDict({"0": layer}) if held == "dict" else nn.SequentialCell(layer))
    run = compiled(net)
    assert [float(run(x)), float(run(x))] == [-1.5, -1.5]
    net.layers["0" if held == "dict" else 0] = nn.Identity()
    assert float(run(x)) == -3.0


def test_a_weight_that_is_read_from_a_layer_may_be_replaced(compiled):
    class Reads(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(1, 1, weight_init="ones")

        def construct(self, x):
            return x * self.layer.weight

    net = Reads()
    run, x = compiled(net), Tensor([[3.0]])
    assert [float(run(x)), float(run(x))] == [3.0, 3.0]
    net.layer.weight = Parameter(Tensor([[5.0]]), name="weight")
    assert float(run(x)) == 15.0


def test_whether_the_outermost_cell_trains_is_seen_by_the_next_call(compiled):
    drop, x = nn.Dropout(p=0.5), ops.ones(64)
    run = compiled(drop)
    drop.set_train(False)
    assert (run(x).asnumpy() == 1).all()
    drop.set_train(True)
    assert set(run(x).asnumpy().tolist()) == {0.0, 2.0}


def test_a_cell_made_inside_is_no_reason_to_record_again():
    run = jit(lambda x: nn.ReLU()(x))
    for _ in range(3):
        assert float(run(Tensor([2.0]))) == 2.0
    assert [run.latest] == next(iter(run.programs.values()))
    first = run.latest
    run(Tensor([2.0]))
    assert run.latest is first


def test_a_program_whose_module_has_no_name_may_write_into_an_array():
    space: dict = {}
    exec(
        "import numpy as np\n"
        "def f(x):\n"
        "    y = np.multiply(x, 2.0)\n"
        "    np.add(y, 1.0, out=y)\n"
        "    return y",
        space,
    )
    run = jit(space["f"])
    with pytest.warns(UserWarning, match="an array to write into"):
        assert run(np.array([1.0])).tolist() == [3.0]
    assert run(np.array([2.0])).tolist() == [5.0]


def test_draws_are_those_of_the_generator():
    """Step by step the same numbers as without jit, and two draws are not made one."""

    def noisy(x):
        return ops.randn(3) - ops.rand(3) + ops.dropout(x, 0.5) - ops.normal((3,), 0.0, 1.0)

    rows = []
    for run in (noisy, jit(noisy, fullgraph=True)):
        ms.set_seed(5)
        rows.append([run(ops.ones(3)).asnumpy() for _ in range(3)])
    np.testing.assert_allclose(rows[1], rows[0], rtol=1e-6)


def test_a_frozen_parameter_and_one_of_another_shape_are_recorded_anew():
    net = Scale()
    run = jit(grad(lambda x: net(x).sum(), None, weights=[net.w]))
    assert numbers(*run(Tensor([3.0]))) == [[3.0]]
    net.w.requires_grad = False
    assert numbers(*run(Tensor([3.0]))) == [[0.0]]
    net.w.requires_grad = True
    net.w.set_data(Tensor([1.0, 1.0]), slice_shape=True)
    assert numbers(*run(Tensor([3.0]))) == [[3.0, 3.0]]


def test_many_recordings_warn_once():
    run = jit(lambda x, k: x * k)
    with pytest.warns(UserWarning, match="recorded <lambda> 16 times") as caught:
        assert len([run(Tensor([1.0]), k) for k in range(20)]) == 20
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_what_is_captured_stays_as_it_was_and_is_listed():
    k = Tensor([1.0, 2.0])
    run = jit(lambda x: x * k)
    run(Tensor([1.0, 1.0]))
    k[0] = 100.0
    assert numbers(run(Tensor([1.0, 1.0]))) == [[1.0, 2.0]]
    assert "kept from outside, as it was: k: float32[2]" in str(run.program)


@np.errstate(divide="ignore")
def test_the_sign_of_a_static_zero_counts():
    over = jit(lambda x, k: x / k)
    x = Tensor([1.0])
    assert numbers(over(x, 0.0), over(x, -0.0), over(x, 0.0)) == [[np.inf], [-np.inf], [np.inf]]


def test_a_static_nan_is_recorded_once():
    times = jit(lambda x, k: x * k)
    for _ in range(3):
        assert np.isnan(times(Tensor([1.0]), float("nan")).asnumpy()).all()
    assert len(times.programs) == 1


def test_a_static_argument_that_changes_is_recorded_anew():
    times = jit(lambda x, factors: x * sum(factors))
    factors = {1, 2}
    assert numbers(times(Tensor([1.0]), factors)) == [[3.0]]
    factors.add(4)
    assert numbers(times(Tensor([1.0]), factors)) == [[7.0]]


# ------------------------------------------------------------------------------ what cannot be
def branch(x):
    y = x * 2
    if y.sum() > 1:
        y = y + 1
    return y


def printed(x):
    print(x)
    return x


REFUSED = {
    "if y.sum() > 1:": branch,
    "print(x)": printed,
    "as_array = ": lambda x: x if x.asnumpy().size else x * 2,
    "float": lambda x: x * float(x[0]),
    "item": lambda x: x * x[0].item(),
    "masked": lambda x: x[x > 1],
    "nonzero": lambda x: x * ops.nonzero(x).size,
    "tolist": lambda x: x * x.array.tolist()[0],
    "an array to write into": lambda x: [x.array.__setitem__(0, 1.0)] and x,
    "numpy.put": lambda x: [np.put(x.array, 0, 1.0)] and x,
    ".sort()": lambda x: [x.array.sort()] and x,
    ".flatten": lambda x: x * x.array.flatten(),
    "while": lambda x: [x := x - 1 for _ in iter(lambda: bool(x[0] > 0), False)] and x,
}


@pytest.mark.parametrize("text", REFUSED)
def test_numbers_are_not_to_be_had_while_it_records(text):
    """With fullgraph an error; without, a warning and the right answer. Both name the line."""
    function, x = REFUSED[text], Tensor([0.5, 2.0])
    with pytest.raises(TraceError, match=r"jit records what is done to shapes") as caught:
        jit(function, fullgraph=True)(x)
    assert __file__ in str(caught.value)
    assert "ops.where" in str(caught.value)
    wanted = numbers(function(x))
    run = jit(function)
    with pytest.warns(UserWarning, match="runs line by line"):
        got = run(x)
    again = run(x)  # and warns no more
    assert numbers(got) == numbers(again) == wanted


class Counts(nn.Cell):
    """Adds up what it has seen, in a buffer or in a Tensor from outside."""

    def __init__(self, how):
        super().__init__()
        self.how = how
        self.register_buffer("seen", Tensor([0.0]))

    def construct(self, x):
        if self.how == "assigned":
            self.seen = self.seen + x
        elif self.how == "written":
            ops.assign_add(self.seen, x)
        else:
            self.seen[0] = self.seen[0] + x[0]
        return x * self.seen


@pytest.mark.parametrize("how", ["assigned", "written", "an entry"])
def test_what_is_to_be_kept_in_a_tensor_from_outside_is_not_lost(how):
    net, x = Counts(how), Tensor([2.0])
    with pytest.raises(TraceError, match=r"only what Parameters become: make it a Parameter"):
        jit(net, fullgraph=True)(x)
    assert net.seen.tolist() == [0.0]  # as it was
    run = jit(net)
    with pytest.warns(UserWarning, match="runs line by line"):
        assert run(x).tolist() == [4.0]
    assert run(x).tolist() == [8.0]
    assert net.seen.tolist() == [4.0]


def test_what_is_made_inside_and_written_is_recorded():
    def fn(x):
        y = Tensor([0.0, 0.0])
        y[0] = x[1]
        z = y + 1
        z[1] = 5.0
        return y, z

    run = jit(fn, fullgraph=True)
    for numbers_in in ([1.0, 2.0], [3.0, 4.0]):
        y, z = run(Tensor(numbers_in))
        assert (y.tolist(), z.tolist()) == ([numbers_in[1], 0.0], [numbers_in[1] + 1, 5.0])


def test_the_error_names_the_users_own_line():
    with pytest.raises(TraceError, match=r"line \d+: if y.sum\(\) > 1:"):
        jit(branch, fullgraph=True)(Tensor([1.0]))


def test_a_mistake_is_the_same_error_as_without_jit():
    x, y = Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"add: x of shape .2,. and y of shape .3,. do not broad"):
        jit(lambda x, y: x + y)(x, y)
    assert ms.tape.TAPE.get() is None
    assert numbers(jit(lambda x: x + x)(x)) == [[2.0, 4.0]]


def test_a_value_that_was_kept_says_so():
    kept = []
    jit(lambda x: kept.append(x * 2) or x)(Tensor([1.0]))
    with pytest.raises(TypeError, match="was kept there, and is used after"):
        kept[0] + 1


def test_what_cannot_be_is_refused():
    with pytest.raises(TypeError, match="jit has no option jit_lewel; it has backend"):
        jit(square, jit_lewel="O1")
    with pytest.raises(TypeError, match="needs a function or a Cell, but got 3"):
        jit(3)
    with pytest.raises(TypeError, match="decorates a class"):
        jit_class(square)
    with pytest.raises(RuntimeError, match="has no program yet: call it once"):
        jit(branch).source  # noqa: B018  # a property that raises
    run = jit(branch)
    with pytest.warns(UserWarning, match="runs line by line"):
        run(Tensor([1.0]))
    with pytest.raises(TraceError, match=r"line \d+: if y.sum\(\) > 1:"):
        run.source  # noqa: B018  # why it has none
    with pytest.raises(TraceError, match=r"array2string.* returned str, which jit cannot record"):
        jit(lambda x: [np.array2string(x)] and x, fullgraph=True)(np.ones(2))
    with pytest.raises(AttributeError, match="has no attribute shap"):
        jit(lambda x: x.shap)(np.ones(2))


def test_a_search_is_one_step():
    run = jit(lambda row, x: ops.searchsorted(row, x), fullgraph=True)
    for places in ([0.5, 2.0], [3.0, 9.0]):
        got = run(Tensor([1.0, 2.0, 4.0]), Tensor(places))
        assert got.tolist() == np.searchsorted([1.0, 2.0, 4.0], places).tolist()
    assert len(run.recorded.steps) == 1


def test_a_value_that_is_recorded_says_so():
    told = []
    jit(lambda x: told.append(repr(x)) or x * 2)(np.ones((2, 3)))
    assert told == ["<a value of shape (2, 3), float64, that jit records>"]


def test_what_is_not_recorded_for_a_gradient_is_warned_of():
    seen = None

    class Hidden(nn.Cell):
        def construct(self, x):
            return x * 1 + ops.tensor_scatter_update(seen, Tensor([[0]]), x[:1])

        def bprop(self, x, out, dout):
            return (dout,)

    def fn(x):
        nonlocal seen
        seen = x * 1.0
        return Hidden()(x).sum()

    with pytest.warns(UserWarning, match="no gradient flows through this assign"):
        assert jit(grad(fn), fullgraph=True)(Tensor([2.0, 0.5])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("apart_first", [True, False])
def test_a_write_to_a_tensor_that_is_two_arguments_reaches_both(apart_first):
    def write(a, b):
        a[0] = b[1] * 2
        return a + b

    run = jit(write)
    if apart_first:
        assert numbers(run(Tensor([1.0, 2.0]), Tensor([1.0, 2.0]))) == [[5.0, 4.0]]
    with pytest.warns(UserWarning, match="two of the arguments is written"):
        assert numbers(run(x := Tensor([1.0, 2.0]), x)) == [[8.0, 4.0]]
    assert numbers(x, run(y := Tensor([1.0, 2.0]), y)) == [[4.0, 2.0], [8.0, 4.0]]


def test_what_is_put_into_a_dict_or_list_argument_is_not_lost():
    def put(parts, seen):
        parts["y"] = parts["x"] * 2
        seen.append(parts["x"])
        return parts["x"]

    run = jit(put)
    with pytest.warns(UserWarning, match="container among the arguments is changed"):
        run(parts := {"x": Tensor([1.0])}, seen := [])
    assert numbers(parts["y"], *seen) == [[2.0], [1.0]]
    run(parts := {"x": Tensor([3.0])}, [])
    assert numbers(parts["y"]) == [[6.0]]


# -------------------------------------------------------------------------------- Cells, and bprop
def test_in_graph_mode_cells_run_as_programs(graph_mode):
    net = Scale()
    assert numbers(net(Tensor([3.0])), net(Tensor([4.0]))) == [[6.0], [8.0]]
    net.w.set_data(Tensor([1.0]))
    assert numbers(net(Tensor([4.0]))) == [[4.0]]
    assert numbers(grad(net)(Tensor([4.0]))) == [[1.0]]


def test_in_graph_mode_a_cell_may_take_gradients(graph_mode):
    class Slope(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net, self.gradient = net, ops.GradOperation(get_all=True)

        def construct(self, x):
            return self.gradient(self.net)(x)

    slope = Slope(Scale(3.0))
    assert [numbers(*slope(Tensor([x]))) for x in (1.0, 2.0)] == [[[3.0]], [[3.0]]]


class Tenfold(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 10.0 * x,)


class Bare(Tenfold):
    def bprop(self, x, out, dout):
        return dout * 10.0 * x


class Branching(Tenfold):
    def bprop(self, x, out, dout):
        return (dout if x.sum() > 0 else -dout,)


def test_a_bprop_is_recorded():
    run = jit(grad(Tenfold()), fullgraph=True)
    assert [numbers(run(Tensor([x]))) for x in (1.0, 2.0)] == [[[10.0]], [[20.0]]]
    assert numbers(jit(grad(grad(Tenfold())))(Tensor([1.0]))) == [[10.0]]


def test_in_graph_mode_a_bprop_keeps_to_the_tutorials_limits(graph_mode):
    with pytest.raises(TypeError, match="in graph mode it must be a tuple"):
        grad(Bare())(Tensor([1.0]))
    with pytest.raises(TraceError, match=r"return \(dout if x.sum\(\) > 0"):
        jit(grad(Branching()), fullgraph=True)(Tensor([1.0]))


def test_without_graph_mode_a_bare_gradient_is_taken():
    assert numbers(grad(Bare())(Tensor([1.0]))) == [[10.0]]
    with pytest.raises(TypeError, match="must be a tuple"):
        jit(grad(Bare()))(Tensor([1.0]))


def test_a_cell_and_a_class_of_cells_can_be_decorated():
    assert jit(Net())(Tensor([3.0])).asnumpy().tolist() == [18.0]
    assert jit(Net) is Net
    assert jit_class(Net) is Net


class Rule(nn.Cell):
    """x y^2, with 10 times its gradients."""

    def construct(self, x, y):
        return x * y * y

    def bprop(self, x, y, out, dout):
        return dout * 10 * y * y, dout * 20 * x * y


@pytest.mark.parametrize("decorated", [("construct",), ("bprop",), ("construct", "bprop")])
def test_a_cell_whose_construct_or_bprop_is_decorated_has_that_rule(decorated):
    net = type("Net", (Rule,), {name: jit(getattr(Rule, name)) for name in decorated})()
    x, y = Tensor([2.0]), Tensor([3.0])
    for call in (lambda net: net(x, y), lambda net: net(y=y, x=x)):
        assert call(net).item() == 18.0
    for _ in range(2):  # recorded, and run
        assert [g.item() for g in grad(net, (0, 1))(x, y)] == [90.0, 120.0]
        assert grad(net, 1)(x, y=y).item() == 120.0


def test_a_decorated_method_does_not_keep_its_object():
    net = Net()
    net(Tensor([1.0]))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None


# ------------------------------------------------------------------------------------------- life
def test_a_decorated_method_may_be_called_by_its_class():
    assert Net.construct is Net.construct
    assert numbers(Net.twice(Net(), Tensor([3.0]))) == [[6.0]]


def test_it_keeps_the_name_and_the_docstring():
    assert (square.__name__, square.__doc__) == ("square", "Multiplies x by itself.")


def test_python_runs_while_it_records():
    @jit
    def steps(n):
        total = 0
        while n > 0:
            total, n = total + n, n - 1
        return total

    assert [steps(4), steps(4)] == [10, 10]


def test_it_is_known_while_it_runs_that_it_does():
    seen = []
    jit(lambda: seen.append(INSIDE_JIT.get()))()
    with pytest.raises(ZeroDivisionError):
        jit(lambda: 1 / 0)()
    assert [*seen, INSIDE_JIT.get()] == [True, False]


def test_threads_do_not_share_buffers():
    run = jit(value_and_grad(lambda x: ops.tanh(ops.sin(x) * 2).sum()))
    xs = [Tensor(np.random.default_rng(i).normal(size=50)) for i in range(4)]
    wanted = [run(x)[1].asnumpy() for x in xs]
    wrong = []

    def work(x, right):
        found = (run(x)[1].asnumpy() for _ in range(100))
        wrong.extend(each for each in found if not np.array_equal(each, right))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(xs, wanted, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_jit_inside_vmap_and_vmap_inside_jit():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    slope = grad(lambda x: (x**3).sum())
    wanted = [[[3.0, 12.0], [27.0, 48.0]]]
    for run in (ms.vmap(jit(slope)), jit(ms.vmap(slope), fullgraph=True)):
        assert [numbers(run(x)), numbers(run(x))] == [wanted, wanted]


def test_constexpr_runs_when_it_is_called():
    assert constexpr(len)([1, 2]) == 2
    assert constexpr(check=False)(len)([1, 2]) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda: jacrev(ops.softmax),
        lambda: jacfwd(ops.log_softmax),
        lambda: hessian(lambda x: ops.logsumexp(x, 0)),
        lambda: hessian(lambda x: ops.norm(ops.silu(x))),
    ],
    ids=["jacrev", "jacfwd", "hessian", "hessian of a norm"],
)
def test_many_gradients_at_once_are_one_program(change):
    """In a rule that vmap maps, an array that is recorded meets a Tensor of all samples."""
    x = Tensor([0.5, -1.0, 2.0])
    run, wanted = jit(change(), fullgraph=True), change()(x).asnumpy()
    for _ in range(2):
        np.testing.assert_allclose(run(x).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


# --------------------------------------------------------------- what the numbers decide, and state
LABELS = [[0, 1, 2], [0, 1, -1], [3, 1, 2], [-1, -1, 2], [0, 0, 0]]


@pytest.mark.parametrize("change", [lambda f: f, grad], ids=["value", "gradient"])
def test_labels_that_are_to_be_ignored_may_come_later(change):
    """Whether there are any is asked at each call: the program for none is another one."""
    x = Tensor(np.random.default_rng(0).normal(size=(3, 4)))
    function = change(lambda x, y: ops.cross_entropy(x, y, ignore_index=-1))
    run = jit(function, fullgraph=True)
    for labels in LABELS:
        y = Tensor(np.array(labels, np.int32))
        np.testing.assert_allclose(run(x, y).asnumpy(), function(x, y).asnumpy(), rtol=1e-12)
    assert len(next(iter(run.programs.values()))) == 2
    assert "ask(" in str(run.program)
    assert "ask(" in run.fast_source
    assert "ask(" not in run.source


def test_a_check_of_numbers_is_made_at_each_call():
    embed = nn.Embedding(4, 2)
    segments = jit(lambda x, i: ops.unsorted_segment_sum(x, i, 3), fullgraph=True)
    for run, good, bad, error in [
        (jit(embed), Tensor([0, 3]), Tensor([0, -1]), ValueError),
        (
            jit(lambda i: segments(Tensor([1.0, 2.0]), i)),
            Tensor([0, 2]),
            Tensor([0, 3]),
            IndexError,
        ),
        (jit(lambda a: ops.celu(Tensor([-1.0]), a)), Tensor([2.0]), Tensor([0.0]), ValueError),
        (
            jit(lambda x: ops.clip_by_norm(x, 1.0, error_if_nonfinite=True)),
            Tensor([3.0]),
            Tensor([np.inf]),
            RuntimeError,
        ),
    ]:
        first = run(good).asnumpy()
        with pytest.raises(error):
            run(bad)
        np.testing.assert_array_equal(run(good).asnumpy(), first)
    assert segments(Tensor([1.0, 2.0, 4.0]), Tensor([0, 1, 2])).tolist() == [1.0, 2.0, 4.0]
    assert segments(Tensor([1.0, 2.0, 4.0]), Tensor([0, -1, 2])).tolist() == [1.0, 0.0, 4.0]


@pytest.mark.parametrize("one_hot", [False, True])
def test_an_embedding_asks_for_its_own_size(one_hot):
    """Also when it computes with a product, whose rows are not those of the table."""
    embed = nn.Embedding(4, 2, one_hot)
    run = jit(embed)
    for ids in ([0, 3], [1, 1], [2, 0]):
        np.testing.assert_array_equal(run(Tensor(ids)).asnumpy(), embed(Tensor(ids)).asnumpy())
    assert len(next(iter(run.programs.values()))) == 1


def test_a_question_is_asked_before_a_parameter_is_written():
    """The step that finds the other answer has written nothing, and is done once."""
    w = Parameter(Tensor([2.0, 4.0]), name="w")

    @jit
    def step(x, y):
        gradient = value_and_grad(lambda: (w * x).sum(), None, [w])()[1][0]
        ops.assign_add(w, gradient)
        return ops.cross_entropy(x[None] * w, y, ignore_index=-1)

    x = Tensor([1.0, 2.0])
    for n, label in enumerate([0, 0, -1, -1, 1, -1], 1):
        step(x, Tensor([label], ms.int32))
        assert w.tolist() == [2.0 + n, 4.0 + 2 * n]


def test_a_question_leaves_the_random_draws_in_their_order():
    def fn(x):
        first = ops.dropout(x, 0.5)
        clipped = ops.clip_by_norm(ops.dropout(x, 0.5), 9.0, error_if_nonfinite=True)
        return first + 10.0 * clipped

    x, run = Tensor(np.ones(20)), jit(fn, fullgraph=True)
    run(x)
    ms.set_seed(3)
    wanted = fn(x).asnumpy()
    ms.set_seed(3)
    np.testing.assert_allclose(run(x).asnumpy(), wanted, rtol=1e-12)


def test_clipping_by_norm_clips_what_comes_later():
    run = jit(lambda x: ops.clip_by_norm(x, 1.0), fullgraph=True)
    np.testing.assert_allclose(run(Tensor([0.3, 0.4])).asnumpy(), [0.3, 0.4])
    np.testing.assert_allclose(run(Tensor([30.0, 40.0])).asnumpy(), [0.6, 0.8], rtol=1e-5)


class Scales(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    @jit
    def construct(self, x):
        return self.w * x * (100 if self.training else 1)


def test_a_construct_that_is_decorated_depends_on_its_cell():
    net = Scales()
    for train, wanted in [(True, 200.0), (False, 2.0), (True, 200.0)]:
        net.set_train(train)
        assert net(Tensor([1.0])).item() == wanted
    net.w = Parameter(Tensor([5.0]), name="w")
    assert net(Tensor([1.0])).item() == 500.0


def test_a_cell_that_is_read_and_not_called_counts_too():
    net = nn.Dense(1, 1)
    run = jit(lambda x: x * (10 if net.training else 1), fullgraph=True)
    for train, wanted in [(True, 10.0), (False, 1.0)]:
        net.set_train(train)
        assert run(Tensor([1.0])).item() == wanted


def test_a_parameter_that_is_an_argument_and_outside_is_one_value(p):
    def fn(q):
        return grad(lambda: (p * q).sum(), None, [p])()[0]

    with pytest.warns(UserWarning, match="Parameter .* is an argument, and read from outside"):
        assert jit(fn)(p).tolist() == [2.0, 4.0]
    weights = ms.ParameterTuple([p])
    run = jit(lambda ps, x: grad(lambda x: (ps[0] * x).sum(), None, ps)(x)[0], fullgraph=True)
    assert run(weights, Tensor([5.0, 7.0])).tolist() == [5.0, 7.0]


def test_an_array_from_outside_that_is_written_meanwhile_is_read_again():
    kept = np.zeros(2, np.float32)

    def fn(x):
        y = x * 0
        for i in range(3):
            kept[:] = i + 1
            y = y + x * kept
        return y

    assert jit(fn, fullgraph=True)(Tensor([1.0, 2.0])).tolist() == [6.0, 12.0]


class Running(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Tensor([0.0])

    def construct(self, x):
        self.total = self.total + x
        return self.total


def test_a_cell_that_keeps_a_value_runs_line_by_line():
    net = Running()
    run = jit(lambda x: net(x))
    with pytest.warns(UserWarning, match=r"Running\.total is set, and jit keeps only"):
        assert [run(Tensor([1.0])).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    assert net.total.tolist() == [3.0]
    with pytest.raises(TraceError, match=r"Running\.total is set"):
        jit(lambda x: net(x), fullgraph=True)(Tensor([1.0]))
    assert net.total.tolist() == [3.0]


class Keeps(nn.Cell):
    """tanh, whose bprop reads what construct keeps."""

    def construct(self, x):
        self.y = ops.tanh(x)
        return self.y

    def bprop(self, x, out, dout):
        return (dout * (1 - self.y * self.y),)


def test_what_a_construct_keeps_for_its_bprop_is_part_of_the_program():
    net = Keeps()
    run = jit(grad(lambda x: net(x).sum()), fullgraph=True)
    for x in (0.5, 1.5):
        assert run(Tensor([x])).item() == pytest.approx(1 - np.tanh(x) ** 2, rel=1e-6)
    assert not hasattr(net, "y")


def test_the_sign_of_zero_is_that_of_eager():
    y, x, zeros = Tensor([0.0]), Tensor([-1.0]), np.array([0.0, -0.0], np.float32)
    for fn, args in [
        (lambda y, x: ops.atan2(0 - y, x), (y, x)),
        (lambda y, x: ops.atan2(y * -1.0 + 0.0, x), (y, x)),
        (lambda x: ops.atan2(x * 0 + zeros, x), (Tensor([1.0, -1.0]),)),
        (lambda y: ops.copysign(Tensor([1.0]), y * 1.0 - 0.0), (Tensor([-0.0]),)),
    ]:
        run = jit(fn, fullgraph=True)
        for _ in range(2):
            assert run(*args).tolist() == fn(*args).tolist()
        space = {}
        exec(run.source, space)
        assert space[run.program.name](*(a.asnumpy() for a in args)).tolist() == fn(*args).tolist()


def test_a_sum_of_more_than_float16_can_count():
    run = jit(lambda x: ops.broadcast_to(x, (70000,)).sum(), fullgraph=True)
    for _ in range(2):
        assert run(Tensor(np.float16(0.001))).item() == pytest.approx(70, rel=1e-3)


@pytest.mark.parametrize("condition", [[0, 1, 2], [0.0, np.nan, 0.5]], ids=["whole", "floats"])
def test_a_condition_need_not_be_bools(condition):
    run = jit(lambda c, x: ops.where(c, x, 0.0), fullgraph=True)
    for _ in range(2):
        assert run(Tensor(condition), Tensor([1.0, 2.0, 3.0])).tolist() == [0.0, 2.0, 3.0]


def test_a_shape_that_a_tensor_gives_is_done_line_by_line():
    run = jit(lambda x, n: x[:n])
    with pytest.warns(UserWarning, match="runs line by line.*as a Python number"):
        assert run(Tensor([1.0, 2.0, 3.0, 4.0]), Tensor(2)).tolist() == [1.0, 2.0]
    assert run(Tensor([1.0, 2.0, 3.0, 4.0]), Tensor(1)).tolist() == [1.0]


def test_a_mask_as_long_as_the_longest_is_done_line_by_line():
    run = jit(lambda lengths: ops.sequence_mask(lengths))
    with pytest.warns(UserWarning, match="runs line by line"):
        assert run(Tensor([1, 2])).shape == (2, 2)
    assert run(Tensor([1, 4])).shape == (2, 4)


def test_methods_of_objects_without_a_hash_and_of_a_moment():
    @dataclass
    class Scale:
        by: float

        @jit(fullgraph=True)
        def times(self, x):
            return x * self.by

    assert Scale(2.0).times(Tensor([1.0])).item() == 2.0  # nobody else holds it
    kept = Scale(3.0)
    assert [kept.times(Tensor([k])).item() for k in (1.0, 2.0)] == [3.0, 6.0]
    assert "def times(x):\n    t = x * 3.0" in kept.times.source
    assert len(Scale.times._bound) == 1

    class Bare:
        __slots__ = ()

        @jit
        def times(self, x):
            return x

    with pytest.raises(TypeError, match=r"Bare\.times: Bare has __slots__.*__weakref__"):
        Bare().times(Tensor([1.0]))


def test_an_error_under_jit_names_the_op_once():
    with pytest.raises(ValueError, match="cannot be multiplied") as caught:
        jit(lambda x, y: x @ y)(Tensor(np.ones((2, 3))), Tensor(np.ones((2, 3))))
    assert str(caught.value).count("matmul: ") == 1
