"""What functions take and return may be nested: values by hand, each kind of container kept."""

from collections import Counter, OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, ParameterTuple, Tensor
from minigrad.containers import flat, map_tensors, places, rebuilt, tensors_in

Pair = namedtuple("Pair", "a b")


class Row(list):
    """A list of its own kind."""


KINDS = pytest.mark.parametrize(
    "of_two",
    [
        pytest.param(lambda a, b: (a, b), id="tuple"),
        pytest.param(lambda a, b: [a, b], id="list"),
        pytest.param(lambda a, b: {"a": a, "b": b}, id="dict"),
        pytest.param(Pair, id="namedtuple"),
        pytest.param(lambda a, b: Row([a, b]), id="subclass of list"),
        pytest.param(lambda a, b: OrderedDict(b=a, a=b), id="OrderedDict"),
        pytest.param(lambda a, b: defaultdict(float, {1: a, 0: b}), id="defaultdict"),
        pytest.param(lambda a, b: {"in": [(a,), {"deep": b}]}, id="nested"),
    ],
)


def product(x):
    """The first entry twice, times the second."""
    first, second = tensors_in(x)
    return first * first * second


def numbers(x):
    return [float(v) for v in flat(x)]


@KINDS
def test_a_container_is_rebuilt_as_its_own_kind(of_two):
    x = of_two(Tensor(1.0), Tensor(2.0))
    doubled = map_tensors(lambda t: t * 2, x)
    assert type(doubled) is type(x)
    assert numbers(doubled) == [2.0, 4.0]
    assert numbers(x) == [1.0, 2.0]
    assert [where for where, _ in places(doubled, "x")] == [where for where, _ in places(x, "x")]
    if isinstance(x, defaultdict):
        assert doubled["new"] == 0.0


@KINDS
@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_a_function_sees_the_kind_it_was_given_and_its_gradient_has_it(of_two, transform):
    x = of_two(Tensor(3.0), Tensor(5.0))
    seen = []

    def fn(x):
        seen.append(type(x))
        return product(x)

    def check(dx):
        assert type(dx) is type(x)
        assert numbers(dx) == [30.0, 9.0]

    gradient = transform(ms.grad(fn))
    for _ in range(2):  # the second call of jit runs its program
        check(gradient(x))
    assert set(seen) == {type(x)}
    check(ms.vjp(fn, x)[1](Tensor(1.0))[0])


@KINDS
@pytest.mark.parametrize("transform", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_a_function_returns_the_kind_that_it_made(of_two, transform):
    made = transform(lambda x: of_two(x * 2, x * x))
    for _ in range(2):
        y = made(Tensor(3.0))
        assert type(y) is type(of_two(0, 0))
        assert numbers(y) == [6.0, 9.0]


@KINDS
def test_outputs_of_each_kind_belong_to_no_finished_call(of_two):
    value, dx = ms.value_and_grad(lambda x: of_two(x * 2, x * x))(Tensor(3.0))
    assert numbers(value) == [6.0, 9.0]
    assert all(t.node is None for t in tensors_in(value))
    assert float(dx) == 2 + 6


@KINDS
def test_jvp_pushes_along_each_kind(of_two):
    x, v = of_two(Tensor(3.0), Tensor(5.0)), of_two(Tensor(1.0), Tensor(10.0))
    y, dy = ms.jvp(product, (x,), (v,))
    assert (float(y), float(dy)) == (45.0, 30.0 + 90.0)
    _, push = ms.ops.linearize(product, (x,))
    assert float(push((v,))) == 120.0


@KINDS
def test_vmap_over_each_kind(of_two):
    x = of_two(Tensor([1.0, 2.0]), Tensor([10.0, 20.0]))
    y = ms.vmap(lambda x: map_tensors(lambda t: t * t, x))(x)
    assert type(y) is type(x)
    assert [t.asnumpy().tolist() for t in tensors_in(y)] == [[1.0, 4.0], [100.0, 400.0]]


def test_a_parameter_tuple_with_other_values_is_a_tuple():
    weights = ParameterTuple([Parameter(Tensor(1.0), name="w")])
    assert rebuilt(weights, [Tensor(2.0)]) == (Tensor(2.0),)
    assert type(rebuilt(weights, [Tensor(2.0)])) is tuple


class Tagged(tuple):
    """A tuple with a note."""

    def __new__(cls, values, tag=None):
        made = super().__new__(cls, values)
        made.tag = tag
        return made


class Noted(dict):
    """A dict that notes what is written into it, and has a note."""

    scale = 2.0

    def __setitem__(self, key, value):
        raise AssertionError("nobody writes")

    update = __setitem__


def test_what_a_kind_of_container_keeps_besides_is_kept():
    x = Tagged([Tensor(3.0)], "t")
    seen = []

    def fn(x):
        seen.append(x.tag)
        return x[0] * x[0]

    dx = ms.grad(fn)(x)
    assert seen == ["t"]
    assert type(dx) is Tagged
    assert dx.tag == "t"
    assert float(dx[0]) == 6.0


def test_the_ways_of_a_container_to_write_are_not_asked():
    x = Noted(a=Tensor(3.0))
    assert float(ms.grad(lambda x: x["a"] * x["a"] * x.scale)(x)["a"]) == 12.0


def test_counters_are_carried_along_as_they_are():
    count = Counter("aab")
    _, dx = ms.value_and_grad(lambda x: (x * x, count), has_aux=True)(Tensor(3.0))
    (_, aux), _ = ms.value_and_grad(lambda x: (x * x, count), has_aux=True)(Tensor(3.0))
    assert float(dx) == 6.0
    assert aux == Counter("aab")
    run = ms.jit(lambda x, c: (x * float(c["a"]), c))
    for _ in range(2):
        y, c = run(Tensor(3.0), count)
        assert float(y) == 6.0
        assert c == count
    count["a"] = 5
    assert float(run(Tensor(3.0), count)[0]) == 15.0


def test_jit_sees_what_a_container_keeps_besides():
    run, x = ms.jit(lambda x: x["a"] * x.scale), Noted(a=Tensor(3.0))
    for scale in (2.0, 5.0, 2.0):
        x.scale = scale
        assert float(run(x)) == 3.0 * scale


def test_gradients_of_outputs_in_a_dict_go_by_their_keys():
    x = Tensor([1.0, 2.0])
    _, pullback = ms.vjp(lambda x: {"p": x * 2.0, "q": x * x}, x)
    (dx,) = pullback({"q": x * 0.0, "p": x})
    assert dx.tolist() == [2.0, 4.0]


def test_jit_tells_keys_in_another_order_apart():
    divided = ms.jit(lambda x: [v / 2 ** (i + 1) for i, v in enumerate(x.values())])
    for _ in range(2):
        assert numbers(divided({"a": Tensor(2.0), "b": Tensor(4.0)})) == [1.0, 1.0]
        assert numbers(divided({"b": Tensor(4.0), "a": Tensor(2.0)})) == [2.0, 0.5]


def test_jit_tells_two_namedtuples_of_the_same_values_apart():
    Other = namedtuple("Other", "b a")
    first = ms.jit(lambda x: x.a)
    for _ in range(2):
        assert float(first(Pair(Tensor(1.0), Tensor(2.0)))) == 1.0
        assert float(first(Other(Tensor(1.0), Tensor(2.0)))) == 2.0


def test_the_gradient_of_a_number_beside_an_array():
    dx = ms.grad(lambda x: x["scale"] * x["of"].sum())({"scale": 2.0, "of": np.float32([1, 2])})
    assert numbers(dx["scale"]) == [3.0]
    assert dx["of"].asnumpy().tolist() == [2.0, 2.0]
