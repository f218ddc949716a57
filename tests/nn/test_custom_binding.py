"""How the arguments of a bprop are bound to the inputs of construct, in every spelling."""

import numpy as np
import pytest

from minigrad import Tensor, grad, nn

X, Y = Tensor([2.0]), Tensor([3.0])


def cell(construct, bprop):
    """An instance of a Cell with these two methods."""
    return type("Custom", (nn.Cell,), {"construct": construct, "bprop": bprop})()


def product(self, x, y):
    return x * y


# Every spelling of the rule for x y. The gradients are made 10 and 100 times too large, so that a
# test sees whether they came from here, and whether they came to the right input.
def by_name(self, x, y, out, dout):
    return dout * y * 10, dout * x * 100


def swapped(self, y, x, out, dout):
    return dout * x * 100, dout * y * 10


def other_names(self, a, b, o, g):
    return g * b * 10, g * a * 100


def by_keyword(self, x, y, *, out, dout):
    return dout * y * 10, dout * x * 100


def all_by_keyword(self, *, dout, y, out, x):
    return dout * x * 100, dout * y * 10


def out_first(self, out, dout, x, y):
    return dout * y * 10, dout * x * 100


def everything(self, *args):
    x, y, _, dout = args
    return dout * y * 10, dout * x * 100


def inputs_and_keywords(self, *inputs, out, dout):
    x, y = inputs
    return dout * y * 10, dout * x * 100


def the_rest(self, x, *rest):
    y, _, dout = rest
    return dout * y * 10, dout * x * 100


def defaults_last(self, x, out, dout, y=None):
    return dout * y * 10, dout * x * 100


SPELLINGS = [
    by_name,
    swapped,
    other_names,
    by_keyword,
    all_by_keyword,
    out_first,
    everything,
    inputs_and_keywords,
    the_rest,
    defaults_last,
]


@pytest.mark.parametrize("bprop", SPELLINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "call",
    [lambda f, x, y: f(x, y), lambda f, x, y: f(x, y=y), lambda f, x, y: f(y=y, x=x)],
    ids=["positions", "mixed", "keywords"],
)
def test_every_spelling_of_bprop_gets_the_right_arguments(bprop, call):
    custom = cell(product, bprop)
    dx, dy = grad(lambda x, y: call(custom, x, y), (0, 1))(X, Y)
    assert (dx.item(), dy.item()) == (30.0, 200.0)


@pytest.mark.parametrize("bprop", SPELLINGS, ids=lambda f: f.__name__)
def test_every_spelling_is_right_to_second_order(bprop):
    custom = cell(product, bprop)
    # d/dy of (10 y) summed with d/dx of (100 x)
    dx, dy = grad(lambda x, y: sum(grad(custom, (0, 1))(x, y)).sum(), (0, 1))(X, Y)
    assert (dx.item(), dy.item()) == (100.0, 10.0)


@pytest.mark.parametrize(
    "bprop",
    [
        lambda self, x, k, out, dout: (dout * k, None),
        lambda self, x, out, dout, k=None: (dout * k, None),
        lambda self, x, out, dout, k=7.0: dout * k,
        lambda self, x, *, k, out, dout: (dout * k,),
        lambda self, *args: (args[3] * args[1], None),
    ],
)
def test_a_default_left_out_of_the_call_arrives_as_constructs_default(bprop):
    custom = cell(lambda self, x, k=5.0: x * k, bprop)
    assert grad(custom)(X).item() == 5.0
    assert grad(lambda x: custom(x, 6.0))(X).item() == 6.0
    assert grad(lambda x: custom(k=6.0, x=x))(X).item() == 6.0


def test_an_input_that_bprop_does_not_name_still_needs_its_gradient():
    one = cell(product, lambda self, y, out, dout: (dout * 7,))
    with pytest.raises(ValueError, match=r"returned 1 gradient, but has 2 inputs \(y, x\)"):
        grad(one, (0, 1))(X, Y)
    both = cell(product, lambda self, y, out, dout: (dout * 7, dout * 5))
    dx, dy = grad(both, (0, 1))(X, Y)  # first those that it names, then the others
    assert (dx.item(), dy.item()) == (5.0, 7.0)


def test_a_setting_of_bprops_own_keeps_its_default_wherever_it_stands():
    def construct(self, x, y=2):
        return x * y

    before = cell(construct, lambda self, x, out, dout, flag=True, y=1: y * dout)
    assert grad(before)(X).item() == 2.0
    between = cell(product, lambda self, x, out, dout, k=3, y=1: (y * dout * k, x * dout))
    dx, dy = grad(between, (0, 1))(X, Y)
    assert (dx.item(), dy.item()) == (3 * Y.item(), X.item())


def test_a_static_bprop_and_construct_are_bound_without_the_cell():
    class Static(nn.Cell):
        @staticmethod
        def construct(x):
            return x * x

        @staticmethod
        def bprop(x, out, dout):
            return 7 * dout

    assert grad(Static())(X).item() == 7.0


def test_what_construct_takes_from_outside_is_warned_about():
    class Outside(nn.Cell):
        def construct(self, x):
            return x * self.other

        def bprop(self, x, out, dout):
            return dout * self.other

    def fn(x, y):
        net = Outside()
        net.other = y
        return net(x)

    with pytest.warns(UserWarning, match="no gradient flows through this multiply"):
        assert grad(fn, 1)(X, Y).item() == 0.0


def test_a_keyword_only_input_of_construct_is_bound_by_name():
    def construct(self, x, *, scale, shift=0.0):
        return x * scale + shift

    custom = cell(construct, lambda self, x, scale, out, dout: (dout * scale, dout * x))
    dx, ds = grad(lambda x, s: custom(x, scale=s), (0, 1))(X, Y)
    assert (dx.item(), ds.item()) == (3.0, 2.0)


def test_any_number_of_inputs_reaches_bprop_in_order():
    def construct(self, *xs):
        return xs[0] * xs[1] + xs[2]

    def bprop(self, *xs, out, dout):
        return dout * xs[1], dout * xs[0], dout

    gradients = grad(cell(construct, bprop), (0, 1, 2))(X, Y, Tensor([5.0]))
    assert [g.item() for g in gradients] == [3.0, 2.0, 1.0]


def test_keywords_that_construct_collects_reach_a_bprop_that_collects_them():
    custom = cell(
        lambda self, x, **named: x * named["k"],
        lambda self, x, out, dout, **named: (dout * named["k"], dout * x),
    )
    dx, dk = grad(lambda x, k: custom(x, k=k), (0, 1))(X, Y)
    assert (dx.item(), dk.item()) == (3.0, 2.0)


def test_bprop_gets_the_values_of_the_call_it_belongs_to():
    seen = []

    def bprop(self, x, n, out, dout):
        seen.append((x.tolist(), n, out.tolist(), dout.tolist()))
        return dout * n, None

    custom = cell(lambda self, x, n: x * n, bprop)

    def fn(x):
        return custom(x, 2) + custom(x * 10, 3) * 7

    assert grad(fn)(X).item() == 2 + 3 * 10 * 7
    assert sorted(seen) == [([2.0], 2, [4.0], [1.0]), ([20.0], 3, [60.0], [7.0])]


def test_arguments_that_are_no_tensors_reach_bprop_as_they_came():
    seen, marker = [], object()

    def bprop(self, x, flag, note, scale, out, dout):
        seen.extend([flag, note, type(scale)])
        return (dout,)

    custom = cell(lambda self, x, flag, note, scale: x * 1, bprop)
    assert grad(lambda x: custom(x, True, marker, np.float32(3)))(X).item() == 1.0
    assert seen == [True, marker, np.float32]


def test_gradients_may_be_given_for_the_tensors_alone_or_for_every_input():
    def construct(self, x, n, y):
        return x * n * y

    for_all = cell(construct, lambda self, x, n, y, out, dout: (dout * n * y, None, dout * x * n))
    tensors = cell(construct, lambda self, x, n, y, out, dout: (dout * n * y, dout * x * n))
    for custom in (for_all, tensors):
        dx, dy = grad(custom, (0, 2))(X, 5, Y)
        assert (dx.item(), dy.item()) == (15.0, 10.0)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (lambda self, x, y, dout: (dout * y, dout * x), "y, an input of construct, .* where out"),
        (lambda self, x, y, out: (y, x), "y, an input of construct, .* where out is handed over"),
        (
            lambda self, out, dout: (dout, dout),
            r"takes no input of construct, which has x, y: after",
        ),
        (lambda self, a, x, y: (x, y), "x, an input of construct, stands where out"),
    ],
)
def test_an_input_where_out_or_dout_is_handed_over_is_refused(rule, told):
    """MindSpore refuses them too: it hands over one argument more than they take."""
    with pytest.raises(TypeError, match=told):
        grad(cell(product, rule), (0, 1))(X, Y)


def test_an_input_may_lend_its_name_to_out_where_all_inputs_are_handed_over():
    """By position, as in MindSpore: a rule of its own names may use those of construct as well."""
    swapped = cell(product, lambda self, a, b, y, x: (x * b, x * a))
    assert [dx.item() for dx in grad(swapped, (0, 1))(X, Y)] == [Y.item(), X.item()]


def test_a_bprop_that_does_not_fit_construct_is_refused():
    too_few = cell(product, lambda self, dout: dout)
    with pytest.raises(TypeError, match="must take the inputs of construct, then out and dout"):
        grad(too_few)(X, Y)
    other = cell(product, lambda self, a, out, dout: dout)
    with pytest.raises(TypeError, match=r"does not match the inputs of construct, \(x, y\)"):
        grad(other)(X, Y)


def test_a_bprop_that_is_no_method_is_refused():
    with pytest.raises(TypeError, match=r"bprop must be a method, def bprop\(.*, but is 5"):
        grad(cell(product, 5))(X, Y)


@pytest.mark.parametrize("name", ["out", "dout"])
def test_an_input_named_as_the_output_is_refused_where_bprop_has_that_name(name):
    construct = {"out": lambda self, x, out: x * out, "dout": lambda self, x, dout: x * dout}[name]
    both = cell(construct, lambda self, x, out, dout: dout)
    with pytest.raises(TypeError, match=f"{name} is an input of construct and.* rename the input"):
        grad(both)(X, Y)
    others = {
        "out": lambda self, x, out, o, g: (g * out * 10, g * x),
        "dout": lambda self, x, dout, o, g: (g * dout * 10, g * x),
    }
    assert grad(cell(construct, others[name]))(X, Y).item() == 30.0


def test_a_call_that_does_not_fit_construct_names_the_cell():
    custom = cell(product, by_name)
    with pytest.raises(TypeError, match=r"Custom\.construct: missing a required argument: 'y'"):
        grad(custom)(X)
