"""A Cell with a bprop: Tensors in tuples, lists and dicts, and what it keeps of a call."""

import gc
import weakref
from collections import namedtuple

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, custom_bprop, grad, nn, vmap
from minigrad.watch import watch

X, Y, Z = Tensor([2.0]), Tensor([3.0]), Tensor([5.0])
Pair = namedtuple("Pair", "first second")


def cell(construct, bprop):
    """An instance of a Cell with these two methods."""
    return type("Custom", (nn.Cell,), {"construct": construct, "bprop": bprop})()


def numbers(x):
    """Nested gradients as nested numbers."""
    if isinstance(x, Tensor):
        return x.item()
    if isinstance(x, dict):
        return {k: numbers(v) for k, v in x.items()}
    return x if x is None else getattr(x, "_make", type(x))(map(numbers, x))


# --- inputs; the first two programs print the same on MindSpore 2.10
@pytest.mark.parametrize("kind", [tuple, list])
def test_an_input_may_hold_tensors(kind):
    def bprop(self, x, y, out, dout):
        assert type(y) is kind
        return dout * y[0] * y[1], [dout * x * y[1], dout * x * y[0]]

    product = cell(lambda self, x, y: x * y[0] * y[1], bprop)
    gradients = grad(lambda a, b, c: product(a, kind([b, c])), (0, 1, 2))(X, Y, Z)
    assert [g.item() for g in gradients] == [15.0, 10.0, 6.0]
    second = grad(grad(lambda a, b, c: product(a, kind([b, c]))), 1)(X, Y, Z)
    assert second.item() == 5.0


def test_none_for_an_input_that_holds_tensors():
    product = cell(lambda self, x, y: x * y[0], lambda self, x, y, out, dout: (dout * y[0], None))
    gradients = grad(lambda a, b: product(a, (b,)), (0, 1))(X, Y)
    assert [g.item() for g in gradients] == [3.0, 0.0]


def mixed():
    """x a (b + n), of an input {"a": a, "rest": [b, n, "name"]}."""

    def construct(self, x, y):
        b, n, _ = y["rest"]
        return x * y["a"] * (b + n)

    def bprop(self, x, y, out, dout):
        b, n, name = y["rest"]
        assert name == "name"
        assert n == 4
        return dout * y["a"] * (b + n), {
            "a": dout * x * (b + n),
            "rest": (dout * x * y["a"], None, None),
        }

    return cell(construct, bprop)


def test_an_input_may_be_a_dict_with_more_in_it():
    custom = mixed()

    def fn(x, a, b):
        return custom(x, {"a": a, "rest": [b, 4, "name"]})

    assert [g.item() for g in grad(fn, (0, 1, 2))(X, Y, Z)] == [27.0, 18.0, 6.0]
    run = watch(fn, X, Y, Z)
    assert [float(g.item()) for g in run.gradients.values()] == [27.0, 18.0, 6.0]
    assert [part.input for part in run.steps[0].parts] == ["x", "y['a']", "y['rest'][0]"]
    around = grad(lambda x, a, b: vmap(fn, (0, None, 0))(x, a, b).sum(), (0, 1, 2))
    dx, da, db = around(Tensor([2.0, 7.0]), Tensor(3.0), Tensor([5.0, 1.0]))
    np.testing.assert_array_equal(dx.asnumpy(), [27.0, 15.0])
    assert da.item() == 2 * 9 + 7 * 5
    np.testing.assert_array_equal(db.asnumpy(), [6.0, 21.0])


def test_an_input_may_be_a_named_tuple():
    product = cell(
        lambda self, p: p.first * p.second,
        lambda self, p, out, dout: (Pair(dout * p.second, dout * p.first),),
    )
    assert numbers(grad(product)(Pair(X, Y))) == Pair(3.0, 2.0)


def test_a_list_that_nothing_differentiates_is_passed_as_it_is():
    product = cell(
        lambda self, x, seen: (seen.append(x), x * 2)[1],
        lambda self, x, seen, out, dout: (dout * 2, None),
    )
    seen = [Y]
    assert grad(lambda x: product(x, seen))(X).item() == 2.0
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("returned", "match"),
    [
        (lambda d: d, r"a list of 2 gradients for its input y, .* returned a Tensor"),
        (lambda d: (d,), r"a list of 2 gradients for its input y, .* returned a tuple of 1"),
        (lambda d: {"a": d}, r"a list of 2 gradients for its input y, .* returned a dict of 1"),
        (lambda d: (d, "b"), r"a Tensor or None for its input y\[1\], but returned a str"),
        (lambda d: (d, Tensor([1.0, 2.0])), r"shape \(2,\) for its input y\[1\]"),
    ],
)
def test_gradients_of_another_structure_are_refused(returned, match):
    custom = cell(lambda self, y: y[0] * y[1], lambda self, y, out, dout: (returned(dout),))
    with pytest.raises((TypeError, ValueError), match=match):
        grad(lambda x: custom([x, x]))(X)


# --- outputs
def test_outputs_may_be_nested_with_other_things_among_them():
    seen = []

    def construct(self, x):
        return x * 2, (x * 3, 4.0, None), {"a": x, "shape": (1, 2)}

    def bprop(self, x, out, dout):
        seen.append((numbers_and_more(out), tuple(g.item() for g in dout)))
        return dout[0] * 20 + dout[1] * 300 + dout[2] * 1000

    def numbers_and_more(out):
        first, (second, number, nothing), named = out
        return first.item(), second.item(), number, nothing, named["a"].item(), named["shape"]

    custom = cell(construct, bprop)

    def fn(x, use):
        out = custom(x)
        assert (out[1][1:], out[2]["shape"]) == ((4.0, None), (1, 2))
        return use(out)

    assert grad(fn)(X, lambda out: out[0]).item() == 20.0
    assert grad(fn)(X, lambda out: out[1][0] * 2).item() == 600.0
    assert grad(fn)(X, lambda out: out[2]["a"] + out[0]).item() == 1020.0
    outs, douts = zip(*seen, strict=True)
    assert set(outs) == {(4.0, 6.0, 4.0, None, 2.0, (1, 2))}
    assert douts == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (1.0, 0.0, 1.0))
    rows = Tensor([[2.0], [3.0]])
    around = grad(lambda x: vmap(lambda x: custom(x)[2]["a"] * x)(x).sum())
    with pytest.raises(TypeError, match="inside vmap"):  # the items of this bprop
        around(rows)


@pytest.mark.parametrize(
    ("output", "read"),
    [
        (lambda y: (y, 4.0), lambda out: out[0]),
        (lambda y: ("a", y), lambda out: out[1]),
        (lambda y: (y,), lambda out: out[0]),
        (lambda y: [y], lambda out: out[0]),
        (lambda y: {"n": None, "y": y}, lambda out: out["y"]),
        (lambda y: ((3, y), ()), lambda out: out[0][1]),
    ],
    ids=["first", "last", "alone", "list", "dict", "nested"],
)
def test_one_tensor_among_the_outputs_has_its_gradient_bare(output, read):
    """As in MindSpore."""
    seen = []

    def bprop(self, x, out, dout):
        seen.append(dout)
        return (dout * 20,)

    custom = cell(lambda self, x: output(x * 2), bprop)

    def fn(x):
        return read(custom(x))

    rows = Tensor([[2.0], [3.0]])
    assert grad(fn)(X).item() == 20.0
    assert vmap(grad(fn))(rows).tolist() == [[20.0], [20.0]]
    assert grad(lambda rows: vmap(fn)(rows))(rows).tolist() == [[20.0], [20.0]]
    assert [type(dout) for dout in seen] == [Tensor] * 3


def test_a_nested_output_in_a_vmap():
    custom = cell(
        lambda self, x: [x * 2, {"a": x * 3}],
        lambda self, x, out, dout: (dout[0] * 20 + dout[1] * 300 * x,),
    )
    around = grad(lambda x: vmap(lambda x: custom(x)[1]["a"])(x).sum())
    np.testing.assert_array_equal(around(Tensor([2.0, 3.0])).asnumpy(), [600.0, 900.0])
    assert grad(lambda x: grad(lambda x: custom(x)[1]["a"])(x))(X).item() == 300.0


# --- what it keeps of a call
class Power(nn.Cell):
    """w x^2, and its bprop notes the last gradient that came."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(3.0), name="w")
        self.last = Parameter(Tensor(0.0), name="last", requires_grad=False)

    def construct(self, x):
        return x * x * self.w

    def bprop(self, x, out, dout):
        self.last.set_data(dout)
        return (dout * 2 * x * self.w,), {self.w: dout * x * x}


def test_bprop_reads_the_parameters_of_the_call():
    power = Power()

    def fn(x):
        power.w.set_data(Tensor(3.0))
        y = power(x)
        power.w.set_data(Tensor(100.0))
        return y

    x = Tensor(2.0)
    assert grad(fn)(x).item() == 12.0  # 2 x w
    assert power.w.asnumpy() == 100.0
    assert grad(grad(fn))(x).item() == 6.0  # 2 w

    def from_outside(find):
        power.w.set_data(Tensor(3.0))
        return find(x).item()

    def written(x):
        y = power(x)
        power.w.set_data(Tensor(100.0))
        return y

    assert from_outside(grad(written, None, power.w)) == 4.0  # x^2
    assert from_outside(grad(grad(written), None, power.w)) == 4.0  # 2 x
    power.w.set_data(Tensor(3.0))
    _, pullback = ms.vjp(power, x)
    power.w.set_data(Tensor(100.0))
    assert pullback(Tensor(1.0))[0].item() == 12.0


def test_bprop_may_write_a_parameter():
    power = Power()
    assert grad(lambda x: power(x) * 5 + power(x) * 7)(Tensor(2.0)).item() == 12 * 12.0
    assert power.last.asnumpy() == 5.0  # the first call is the last in the sweep


@pytest.mark.parametrize("kind", ["custom_bprop", "Cell"])
def test_rules_are_forgotten_with_the_functions(kind):
    class Big:
        pass

    def make():
        big = Big()

        def rule(x, out, dout):
            assert big
            return (dout * 3,)

        def triple(x):
            assert big
            return x * 3

        if kind == "custom_bprop":
            fn = custom_bprop(rule)(triple)
        else:
            fn = cell(lambda self, x: triple(x), lambda self, x, out, dout: rule(x, out, dout))
        assert grad(fn)(X).item() == 3.0
        return weakref.ref(big)

    alive = [make() for _ in range(3)]
    gc.collect()
    assert [big() for big in alive] == [None] * 3
