"""Parameters: names, printing, writes inside and outside of gradient calls, copies."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, ParameterTuple, Tensor, grad
from minigrad.parameter import WEIGHTS


def test_a_parameter_prints_its_name_and_not_its_values():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    text = "Parameter (name=p, shape=(2,), dtype=Float32, requires_grad=True)"
    assert (str(p), repr(p), str([p]), str((p,)), str({"a": p})) == (
        text,
        text,
        f"[{text}]",
        f"({text},)",
        f"{{'a': {text}}}",
    )
    frozen = Parameter(Tensor(1.0), name="q", requires_grad=False)
    assert str(frozen) == "Parameter (name=q, shape=(), dtype=Float32, requires_grad=False)"


def test_assign_value_and_item_writes_change_a_parameter():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    p[0] = 5.0
    assert p.asnumpy().tolist() == [5.0, 2.0]
    assert isinstance(p, Parameter)
    p.assign_value(Tensor([7, 8]))
    assert p.dtype == ms.float32
    assert p.asnumpy().tolist() == [7.0, 8.0]


def test_plus_equals_on_a_parameter_leaves_the_parameter_alone():
    p = Parameter(Tensor([1.0]), name="p")
    q = p
    q += 1.0
    assert p.asnumpy().tolist() == [1.0]
    assert not isinstance(q, Parameter)


def test_a_parameter_takes_what_a_tensor_takes_and_copies_it():
    array = np.array([1.0, 2.0])
    p = Parameter(array, name="p")
    array[0] = 9.0
    assert p.asnumpy().tolist() == [1.0, 2.0]
    assert p.dtype == ms.float64
    assert Parameter(2.0, name="p").dtype == ms.float32
    assert type(p.data) is Tensor
    assert type(p.value()) is Tensor


def test_a_parameter_needs_a_string_for_its_name():
    with pytest.raises(TypeError, match="name must be a string, not int"):
        Parameter(1.0, name=3)
    with pytest.raises(TypeError, match="no argument colour"):
        Parameter(1.0, name="p", colour="red")


def test_set_data_keeps_the_dtype_and_refuses_another_shape():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert p.set_data(Tensor([3, 4])) is p
    assert p.dtype == ms.float32
    with pytest.raises(ValueError, match=r"Parameter p has shape \(2,\), but set_data got \(3,\)"):
        p.set_data(Tensor([1.0, 2.0, 3.0]))


def test_a_clone_is_a_parameter_of_its_own():
    p = Parameter(Tensor([1.0]), name="p", requires_grad=False)
    q = p.clone()
    q.set_data(Tensor([5.0]))
    assert (q.name, q.requires_grad, p.asnumpy().tolist()) == ("p", False, [1.0])


def test_a_parameter_tuple_holds_parameters_only():
    p = Parameter(1.0, name="p")
    assert ParameterTuple([p]) == (p,)
    with pytest.raises(TypeError, match="element 1 is Tensor, no Parameter"):
        ParameterTuple([p, Tensor(1.0)])


def test_no_parameter_is_held_on_to_after_a_gradient_call():
    kept = []
    grad(lambda x: kept.append(x * 2) or x.sum())(Tensor([1.0]))
    p = Parameter(Tensor([1.0]), name="p")
    p.set_data(kept[0])  # a value that a gradient call has left behind
    assert p.asnumpy().tolist() == [2.0]
    here = weakref.ref(p)
    del p
    gc.collect()
    assert here() is None
    assert not WEIGHTS.get()


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_of_a_parameter_is_a_parameter_apart(duplicate):
    p = Parameter(Tensor([1.5]), name="w", requires_grad=False)
    q = duplicate(p)
    assert isinstance(q, Parameter)
    assert repr(q) == repr(p)
    q.set_data(Tensor([9.0]))
    assert p.asnumpy().tolist() == [1.5]


# ---------------------------------------------------------------- writes, and what gradients follow
def test_set_data_between_two_uses_keeps_each_use_right():
    p = Parameter(Tensor([2.0]), name="p")

    def fn(x):
        first = p * p * x
        p.set_data(Tensor([5.0]))
        return first + p * x

    dx, (dp,) = grad(fn, 0, [p])(Tensor([3.0]))
    assert dx.tolist() == [9.0]  # 2² + 5
    assert dp.tolist() == [12.0]  # 2 · 2 · 3; the new content is a constant
    assert p.asnumpy().tolist() == [5.0]


def test_set_data_with_a_tracked_value_carries_its_gradient():
    p = Parameter(Tensor([2.0]), name="p")

    def fn(x):
        p.set_data(p * x)
        return p * p  # (p x)²

    dx, (dp,) = grad(fn, 0, [p])(Tensor([3.0]))
    assert dx.tolist() == [24.0]  # 2 p² x
    assert dp.tolist() == [36.0]  # 2 p x²


def test_set_data_is_right_in_second_order_too():
    p = Parameter(Tensor([2.0]), name="p")

    def fn(x):
        p.set_data(Tensor([2.0]))
        first = p * x * x * x
        p.set_data(Tensor([5.0]))
        return (first + p * x * x).sum()

    # 6 p x + 2 q at x = 3
    assert grad(lambda x: grad(fn)(x).sum())(Tensor([3.0])).tolist() == [46.0]


def test_set_data_inside_an_inner_call_counts_for_the_outer_one():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def inner(y):
        p.set_data(Tensor([3.0, 4.0]))
        return (y * p).sum()

    def fn(x):
        first = (p * x).sum()
        return first + grad(inner)(x).sum() + (p * x).sum()

    dx, (dp,) = grad(fn, 0, [p])(Tensor([1.0, 1.0]))
    assert dx.tolist() == [4.0, 6.0]  # old + new
    assert dp.tolist() == [1.0, 1.0]


def test_a_tracked_write_inside_an_inner_call_is_not_forgotten_after_it():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def fn(x):
        def inner(y):
            p.set_data(x * 2)
            return (y * y).sum()

        grad(inner)(x)
        return (p * 1.0).sum()

    assert grad(fn)(Tensor([1.0, 1.0])).tolist() == [2.0, 2.0]
