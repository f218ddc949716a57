"""Cells: what they hold and under which names, as MindSpore answers; copies and printing."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

from minigrad import Parameter, ParameterTuple, Tensor, grad, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 3)
        self.w = Parameter(Tensor([1.0]), name="w")
        self.body = nn.SequentialCell(nn.Dense(3, 1), nn.ReLU())
        self.unnamed = Parameter(Tensor([1.0]))

    def construct(self, x):
        return self.body(self.fc1(x)) * self.w + self.unnamed


def names(parameters):
    return [p.name for p in parameters]


def test_calling_a_cell_runs_construct():
    class Scale(nn.Cell):
        def construct(self, x, factor=2.0, *, plus=0.0):
            return x * factor + plus

    x = Tensor(3.0)
    scale = Scale()
    assert [scale(x).item(), scale(x, 4.0).item(), scale(plus=1.0, x=x).item()] == [6.0, 12.0, 7.0]
    with pytest.raises(TypeError, match="construct"):
        scale(x, 1, 2)


def test_a_cell_without_construct_says_so():
    class Empty(nn.Cell):
        pass

    with pytest.raises(AttributeError, match=r"Empty has no construct; write `def construct\("):
        Empty()(Tensor(1.0))


def test_a_cell_that_forgot_super_init_says_so():
    class Forgot(nn.Cell):
        def __init__(self):
            self.w = Parameter(Tensor([1.0]), name="w")

    with pytest.raises(AttributeError, match=r"Forgot\.__init__ must call super\(\)\.__init__\(\)"):
        Forgot()


def test_parameters_come_in_mindspores_order_and_names():
    own, inner = ["w", "unnamed"], ["fc1.weight", "fc1.bias", "body.0.weight", "body.0.bias"]
    net = Net()
    assert names(net.trainable_params()) == own + inner
    assert names(net.get_parameters(expand=False)) == own
    assert list(net.parameters_dict()) == own + inner
    assert [(path, p.name) for path, p in net.parameters_and_names()] == [
        (name, name) for name in own + inner
    ]


def test_child_cells_come_in_the_order_in_which_they_were_set():
    net = Net()
    assert list(net.name_cells()) == ["fc1", "body"]
    assert [type(cell).__name__ for cell in net.cells()] == ["Dense", "SequentialCell"]
    assert [(path, type(cell).__name__) for path, cell in net.cells_and_names()] == [
        ("", "Net"),
        ("fc1", "Dense"),
        ("body", "SequentialCell"),
        ("body.0", "Dense"),
        ("body.1", "ReLU"),
    ]


def test_what_is_held_by_name_is_in_order():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    for held, names in (
        (net.name_cells(), ["0", "1"]),
        (net.parameters_dict(), ["0.weight", "0.bias"]),
    ):
        assert type(held) is OrderedDict  # as it prints in MindSpore
        assert list(held) == names


def test_a_frozen_parameter_is_not_trainable():
    net = Net()
    net.fc1.weight.requires_grad = False
    assert "fc1.weight" not in names(net.trainable_params())
    assert names(net.untrainable_params()) == ["fc1.weight"]


def test_a_shared_cell_counts_once_and_has_its_last_name():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(1, 1)
            self.b = self.a

        def construct(self, x):
            return self.b(self.a(x))

    net = Shared()
    assert [path for path, _ in net.cells_and_names()] == ["", "a"]
    assert names(net.trainable_params()) == ["b.weight", "b.bias"]
    net.a.weight.set_data(Tensor([[3.0]]))
    net.a.bias.set_data(Tensor([5.0]))
    dw, db = grad(net, None, weights=net.trainable_params())(Tensor([[2.0]]))
    assert (dw.item(), db.item()) == (2 * 3 * 2 + 5, 3 + 1)  # of w (w x + b) + b


def test_a_tuple_of_parameters_is_found_and_a_list_is_not():
    class Holds(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ws = ParameterTuple([Parameter(Tensor([1.0]), name=n) for n in "ab"])
            self.loose = [Parameter(Tensor([1.0]), name="c")]

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Holds()

    assert names(Holds().trainable_params()) == ["a", "b"]
    assert names(Outer().trainable_params()) == ["inner.a", "inner.b"]


def test_names_can_go_without_a_prefix_or_get_another():
    class Plain(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.fc = nn.Dense(1, 1)

    net = Plain()
    assert names(net.trainable_params()) == ["weight", "bias"]
    net.update_parameters_name("pre.")
    assert names(net.trainable_params()) == ["pre.fc.weight", "pre.fc.bias"]


def test_a_tensor_set_on_a_parameter_becomes_its_value():
    net = Net()
    w = net.w
    net.w = Tensor([5.0])
    assert net.w is w
    assert w.asnumpy().tolist() == [5.0]


def test_an_attribute_that_is_replaced_or_deleted_is_no_longer_held():
    net = Net()
    net.w = Parameter(Tensor([6.0]), name="other")
    assert names(net.get_parameters(expand=False)) == ["other", "unnamed"]
    del net.w
    assert names(net.get_parameters(expand=False)) == ["unnamed"]
    net.fc1 = None
    assert list(net.name_cells()) == ["body"]
    del net.body
    assert list(net.cells()) == []
    assert not hasattr(net, "body")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("w", 5, "w of Net is a Parameter, and what replaces it must be one too, not a int"),
        ("w", nn.ReLU(), "w of Net is a Parameter, .* not a ReLU"),
        ("fc1", "dense", "fc1 of Net is a Cell, .* not a str; to take it out, del it first"),
        ("fc1", Parameter(Tensor([1.0])), "fc1 of Net is a Cell, .* not a Parameter"),
    ],
)
def test_a_parameter_or_cell_is_not_lost_by_writing_over_it(name, value, words):
    net = Net()
    held = getattr(net, name)
    with pytest.raises(TypeError, match=words):
        setattr(net, name, value)
    assert getattr(net, name) is held
    assert len(net.trainable_params()) == 6
    delattr(net, name)
    setattr(net, name, value)
    assert getattr(net, name) is value


def test_a_cell_takes_the_place_of_a_cell():
    net = Net()
    net.fc1 = nn.ReLU()
    net.w = Parameter(Tensor([2.0]), name="v")
    assert names(net.get_parameters()) == ["v", "unnamed", "body.0.weight", "body.0.bias"]
    assert list(net.name_cells()) == ["fc1", "body"]


@pytest.mark.parametrize(
    ("name", "child", "error", "words"),
    [
        ("fc1", nn.ReLU(), KeyError, "Net has a fc1 already; del it first, or take another name"),
        ("w", nn.ReLU(), KeyError, "Net has a w already"),
        ("construct", nn.ReLU(), KeyError, "Net has a construct already"),
        ("a.b", nn.ReLU(), KeyError, "the name 'a.b' holds a dot"),
        ("", nn.ReLU(), KeyError, "the name is empty"),
        (1, nn.ReLU(), TypeError, "needs a name, a string, not a int"),
        ("c", 5, TypeError, "needs a Cell, not a int"),
    ],
)
def test_a_child_that_cannot_be_inserted_is_refused(name, child, error, words):
    net = Net()
    with pytest.raises(error, match=f"insert_child_to_cell.*{words}"):
        net.insert_child_to_cell(name, child)
    assert list(net.name_cells()) == ["fc1", "body"]


@pytest.mark.parametrize(
    ("name", "p", "error", "words"),
    [
        ("fc1", Parameter(Tensor([1.0])), KeyError, "Net has a fc1 already"),
        ("construct", Parameter(Tensor([1.0])), KeyError, "Net has a construct already"),
        ("a.b", Parameter(Tensor([1.0])), KeyError, "the name 'a.b' holds a dot"),
        ("", Parameter(Tensor([1.0])), KeyError, "the name is empty"),
        (5, Parameter(Tensor([1.0])), TypeError, "needs a name, a string, not a int"),
        ("p", Tensor([1.0]), TypeError, "needs a Parameter, not a Tensor; make it one"),
    ],
)
def test_a_parameter_that_cannot_be_inserted_is_refused(name, p, error, words):
    net = Net()
    with pytest.raises(error, match=f"insert_param_to_cell.*{words}"):
        net.insert_param_to_cell(name, p)
    assert len(net.trainable_params()) == 6


def test_two_parameters_of_one_name_are_named_in_an_error():
    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Parameter(Tensor([1.0]), name="x")
            self.b = Parameter(Tensor([1.0]), name="x")

    assert names(Twice().get_parameters()) == ["x", "x"]
    words = r"Twice holds two Parameters named 'x', the second as b: give each a name of its own"
    for ask in (Twice().parameters_dict, Twice().check_names):
        with pytest.raises(ValueError, match=words):
            ask()
    Net().check_names()


def test_a_cell_that_is_held_twice_is_one_child_and_runs_twice():
    double = type("Double", (nn.Cell,), {"construct": lambda self, x: x * 2})()
    net = nn.SequentialCell(double, double, nn.ReLU())
    assert [len(net.cells()), len(net.name_cells()), len(net.cell_list), len(list(net))] == [
        2,
        2,
        3,
        3,
    ]
    assert (net[1], len(net[:2])) == (double, 2)
    assert net(Tensor([1.0])).item() == 4.0
    seen = []
    assert net.apply(seen.append) is net
    assert [type(cell).__name__ for cell in seen] == ["Double", "ReLU", "SequentialCell"]


def test_flags_are_attributes_and_are_remembered():
    net = nn.Cell(flags={"fast": True})
    assert net.fast is True
    net.get_flags()["fast"] = False  # a copy
    assert (net.add_flags(slow=1) is net, net.get_flags()) == (True, {"fast": True, "slow": 1})
    assert nn.Cell().get_flags() == {}


def test_set_train_and_set_grad_answer_the_cell():
    net = Net()
    assert net.training is False
    assert net.set_train() is net
    assert all(cell.training for _, cell in net.cells_and_names())
    net.set_train(False)
    assert not any(cell.training for _, cell in net.cells_and_names())
    assert net.set_grad().requires_grad is True


def test_a_cell_prints_its_children():
    assert repr(nn.ReLU()) == "ReLU()"
    assert str(Net()) == (
        "Net(\n"
        "  (fc1): Dense(input_channels=2, output_channels=3, has_bias=True)\n"
        "  (body): SequentialCell(\n"
        "    (0): Dense(input_channels=3, output_channels=1, has_bias=True)\n"
        "    (1): ReLU()\n"
        "  )\n"
        ")"
    )


@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, lambda cell: pickle.loads(pickle.dumps(cell))],
    ids=["deep", "pickle"],
)
def test_a_copy_of_a_cell_has_parameters_of_its_own_and_computes_the_same(duplicate):
    net, x = Net(), Tensor([[1.0, 2.0]])
    other = duplicate(net)
    assert repr(other) == repr(net)
    assert names(other.trainable_params()) == names(net.trainable_params())
    assert other(x).tolist() == net(x).tolist()
    assert other.w is other.trainable_params()[0]
    other.w.set_data(Tensor([9.0]))
    assert net.w.asnumpy().tolist() == [1.0]
    assert not {id(p) for p in net.get_parameters()} & {id(p) for p in other.get_parameters()}
    before, after = (
        [g.tolist() for g in grad(n, None, weights=n.trainable_params())(x)] for n in (net, net)
    )
    assert before == after


def test_a_shallow_copy_shares_parameters_but_not_what_is_set_later():
    net = Net()
    other = copy.copy(net)
    assert other.w is net.w
    other.extra = Parameter(Tensor([1.0]), name="extra")
    assert "extra" not in names(net.trainable_params())
    assert "extra" in names(other.trainable_params())
    del other.fc1
    assert "fc1" in net.name_cells()


def test_the_gradients_of_a_network_agree_with_differences():
    rng = np.random.default_rng(3)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))
    weights = net.trainable_params()
    for w in weights:  # float64, for differences that are sharp
        w.array = rng.standard_normal(w.shape)
    x = Tensor(rng.standard_normal((5, 3)))

    def loss():
        return ops.square(net(x)).sum()

    for w, dw in zip(weights, grad(loss, None, weights=weights)(), strict=True):
        direction = rng.standard_normal(w.shape)
        start, ends = w.array, []
        for sign in (1, -1):
            w.array = start + sign * 1e-6 * direction
            ends.append(loss().item())
        w.array = start
        expected = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose((dw.asnumpy() * direction).sum(), expected, rtol=1e-6)


def test_what_only_a_compiler_needs_is_accepted():
    """What each returns is what MindSpore 2.10 returns."""
    net = nn.Dense(2, 3)
    assert (net.param_prefix, net.set_inputs(Tensor([1.0])), net.compile(Tensor([1.0]))) == (
        "", None, None,
    )  # fmt: skip
    assert net.init_parameters_data() == {net.weight: net.weight, net.bias: net.bias}
