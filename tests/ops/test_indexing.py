"""Picking and writing with every kind of index, against numpy, over random shapes and indices."""

import numpy as np
import pytest
from check import check_grads
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as ms
from minigrad import Tensor

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def numbers(shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


@st.composite
def positions(draw, n):
    """A list of positions on an axis of length n, some of them twice, some counted from the end."""
    return draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=4))


@st.composite
def indices(draw):
    """A shape and an index for it, of all that numpy takes: as plain objects."""
    shape = draw(SHAPES)
    kind = draw(st.sampled_from(["basic", "positions", "mask", "rows", "mask of rows"]))
    if kind == "basic":
        key = draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=5))
        return shape, key
    if kind == "mask":
        return shape, draw(hnp.arrays(bool, shape))
    if kind == "mask of rows":
        return shape, draw(hnp.arrays(bool, shape[:1]))
    if kind == "positions":
        axis = draw(st.integers(0, len(shape) - 1))
        parts = [draw(st.sampled_from([slice(None), slice(None, None, -1), 0])) for _ in shape]
        parts[axis] = np.array(draw(positions(shape[axis])))
        return shape, tuple(parts)
    several = draw(st.integers(1, 3))
    found = [np.array([draw(st.integers(-n, n - 1)) for _ in range(several)]) for n in shape]
    return shape, tuple(found[: draw(st.integers(1, len(found)))])


def with_tensors(key):
    """The same index as a user would write it for Tensors."""
    if isinstance(key, tuple):
        return tuple(map(with_tensors, key))
    return Tensor(key) if isinstance(key, np.ndarray) else key


@given(indices())
def test_picking_is_numpys(sample):
    shape, key = sample
    x = numbers(shape)
    for own in (key, with_tensors(key)):
        got = Tensor(x)[own]
        np.testing.assert_array_equal(got.asnumpy(), x[key], strict=True)


@given(indices())
def test_gradients_of_picking_are_true(sample):
    shape, key = sample
    if numbers(shape)[key].size:
        check_grads(lambda x: x[with_tensors(key)], numbers(shape))


@given(indices(), st.booleans())
def test_writing_is_numpys(sample, one):
    shape, key = sample
    x, wanted = Tensor(numbers(shape)), numbers(shape)
    value = np.float64(7) if one else numbers(wanted[key].shape, 1)
    wanted[key] = value
    x[with_tensors(key)] = 7.0 if one else Tensor(value)
    np.testing.assert_array_equal(x.asnumpy(), wanted, strict=True)


def written(key):
    def function(x, value):
        y = x * 1
        y[with_tensors(key)] = value
        return y

    return function


@given(indices())
def test_gradients_of_writing_are_true(sample):
    shape, key = sample
    x = numbers(shape)
    if x[key].size:
        check_grads(written(key), x, numbers(x[key].shape, 1))


@given(indices())
def test_a_number_written_everywhere_gets_the_whole_gradient(sample):
    shape, key = sample
    check_grads(written(key), numbers(shape), np.array(0.5))


def test_of_values_written_twice_the_last_gets_the_gradient():
    dv = ms.grad(written(np.array([1, 1, 0])), 1)(Tensor([1.0, 2.0]), Tensor([5.0, 6.0, 7.0]))
    assert dv.tolist() == [0, 1, 1]


def test_an_entry_picked_twice_gets_both_gradients():
    dx = ms.grad(lambda x: (x[[1, 1]] * Tensor([2.0, 3.0])).sum())(Tensor([4.0, 5.0]))
    assert dx.tolist() == [0, 5]


@pytest.mark.parametrize("key", [1.5, "a", (0, 0.5), Tensor([1.5]), 3, (0, 3), np.array([9])])
def test_what_is_no_index_raises(key):
    with pytest.raises((IndexError, TypeError)) as caught:
        Tensor(numbers((2, 3)))[key]
    assert len(str(caught.value)) > 20
