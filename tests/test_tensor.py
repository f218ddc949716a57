"""Tensors: how they are made, printed, written, copied, and left."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, ops
from minigrad.initializers import One


# ------------------------------------------------------------------------------------- construction
@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        (1.5, ms.float32, 1.5),
        (1, ms.int64, 1),
        (True, ms.bool_, True),
        ([1.5, 2.5], ms.float32, [1.5, 2.5]),
        ((1.5, 2.5), ms.float32, [1.5, 2.5]),
        ([1, 2.5], ms.float32, [1.0, 2.5]),
        ([[1, 2], [3, 4]], ms.int64, [[1, 2], [3, 4]]),
        ([True, False], ms.bool_, [True, False]),
        ([True, 2], ms.int64, [1, 2]),
        ([], ms.float32, []),
        ([np.float64(1.5)], ms.float32, [1.5]),
        ([np.array([1.0]), np.array([2.0])], ms.float32, [[1.0], [2.0]]),
        (np.float64(1.5), ms.float64, 1.5),
        (np.array([1.5]), ms.float64, [1.5]),
        (np.array([1.5], np.float16), ms.float16, [1.5]),
        (np.array([1], np.uint8), ms.uint8, [1]),
        (np.array([1.5], ">f4"), ms.float32, [1.5]),
        ([Tensor(1.0), Tensor(2.0)], ms.float32, [1.0, 2.0]),
    ],
    ids=repr,
)
def test_a_tensor_has_the_dtype_that_mindspore_gives_it(data, dtype, values):
    made = Tensor(data)
    assert made.dtype == dtype
    assert made.tolist() == values
    assert made.shape == np.shape(values)


def test_dtype_converts_and_cuts_off_fractions():
    assert Tensor([1.7, -1.7], ms.int32).tolist() == [1, -1]
    assert Tensor([1.7], ms.int32).dtype == ms.int32
    assert Tensor(1, dtype=ms.float16).dtype == ms.float16
    assert Tensor(Tensor([1.7]), ms.int64).tolist() == [1]


def test_a_tensor_of_a_tensor_is_another_tensor_with_the_same_values():
    first = Tensor([1.0, 2.0])
    second = Tensor(first)
    second[0] = 9.0
    assert first.tolist() == [1.0, 2.0]
    assert second.tolist() == [9.0, 2.0]


def test_a_numpy_array_is_copied():
    array = np.array([1.0, 2.0])
    made = Tensor(array)
    array[0] = 9.0
    assert made.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "data", ["a", None, object(), {1.0}, {"a": 1.0}], ids=lambda x: type(x).__name__
)
def test_what_is_no_number_is_refused(data):
    with pytest.raises(TypeError, match=rf"made from a number.*but got {type(data).__name__}"):
        Tensor(data)


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(TypeError, match="rows of equal length"):
        Tensor([[1.0], [1.0, 2.0]])


@pytest.mark.parametrize("data", [np.array(["a"]), np.array([1j]), np.array([None]), ["a"]])
def test_arrays_that_hold_no_real_numbers_are_refused(data):
    with pytest.raises(TypeError, match="a Tensor cannot hold"):
        Tensor(data)


def test_a_tensor_tells_its_shape_and_size():
    t = Tensor(np.zeros((2, 3), np.float64))
    assert (t.shape, t.ndim, t.dim(), t.size) == ((2, 3), 2, 2, 6)
    assert (t.itemsize, t.nbytes, len(t), t.base) == (8, 48, 2, None)


# ----------------------------------------------------------------------------------------- printing
def test_an_initializer_may_make_the_values():
    made = Tensor(shape=(2, 2), dtype=ms.int32, init=One())
    assert (made.dtype, made.init_data().tolist(), made.has_init) == (ms.int32, [[1, 1]] * 2, False)
    assert Tensor(shape=(2,), init="zeros").tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="shape"):
        Tensor(init=One())
    with pytest.raises(TypeError, match="NoneType"):
        Tensor()


def test_a_shape_and_a_dtype_are_a_stand_in_for_set_inputs():
    x = Tensor(shape=(2, 3), dtype=ms.float16)
    assert (x.tolist(), x.dtype) == ([[0.0] * 3] * 2, ms.float16)
    assert Tensor(shape=[None, 3], dtype=ms.float32).shape == (0, 3)
    ms.nn.ReLU().set_inputs(Tensor(shape=[None], dtype=ms.float32))
    for incomplete in ({}, {"shape": (2,)}, {"dtype": ms.float32}):
        with pytest.raises(TypeError, match="but got NoneType"):
            Tensor(**incomplete)


def test_the_dtype_of_bools_has_two_names_and_prints_the_first():
    assert ms.bool is ms.bool_
    assert (repr(ms.bool_), str(ms.bool_)) == ("minigrad.bool", "Bool")


def test_a_tensor_prints_as_in_mindspore():
    assert str(Tensor([1.0, 2.5])) == "[1.  2.5]"
    assert repr(Tensor(6.0)) == "Tensor(shape=[], dtype=Float32, value= 6)"
    assert repr((Tensor([1.0]), Tensor(2))) == (
        "(Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00]), "
        "Tensor(shape=[], dtype=Int64, value= 2))"
    )
    assert str({"a": Tensor(True)}) == "{'a': Tensor(shape=[], dtype=Bool, value= True)}"
    assert f"{Tensor([1.0])} {Tensor(1.5):.2f}" == "[1.] 1.50"


def test_a_value_prints_the_same_inside_a_gradient_call():
    seen = []

    def fn(x):
        y = x * 2
        seen.extend([str(x), repr(y), f"{y.sum():.1f}"])
        return y.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # to print is not to leave the calculation
        grad(fn)(Tensor([1.0, 2.0]))
    assert seen == [
        "[1. 2.]",
        "Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+00])",
        "6.0",
    ]


# ------------------------------------------------------------------------ conversions and sequences
def test_a_tensor_with_one_element_converts_to_a_python_number():
    assert float(Tensor([1.5])) == 1.5
    assert int(Tensor(2.7)) == 2
    assert bool(Tensor([[0.0]])) is False
    assert Tensor([1.5]).item() == 1.5
    assert type(Tensor([2]).item()) is int
    assert [10, 20, 30][Tensor(1)] == 20


@pytest.mark.parametrize("convert", [float, int, bool, Tensor.item])
@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)], ids=str)
def test_a_tensor_with_more_or_fewer_elements_does_not_convert(convert, shape):
    with pytest.raises(ValueError, match=r"one element, but this one has shape .*\.sum\(\)"):
        convert(Tensor(np.zeros(shape)))


def test_a_float_tensor_is_no_index():
    with pytest.raises(TypeError, match="Float32"):
        [1, 2][Tensor(1.0)]


def test_asnumpy_gives_a_copy():
    t = Tensor([1.0, 2.0])
    for array in (t.asnumpy(), t.numpy(), np.asarray(t), np.array(t)):
        array[:] = 9.0
        assert type(array) is np.ndarray
        assert array.dtype == np.float32
    assert t.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "made",
    [
        lambda: Tensor([[1.0, 2.0], [3.0, 4.0]]).T,
        lambda: ops.conv2d(ops.ones((4, 2, 6, 6)), ops.ones((3, 2, 3, 3))),  # lies batch last
    ],
)
def test_a_copy_lies_in_c_order_whatever_the_tensor_does(made):
    for array in (made().asnumpy(), np.asarray(made())):
        assert array.flags.c_contiguous


def test_a_tensor_is_a_sequence_of_its_rows():
    t = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert [row.tolist() for row in t] == [[1.0, 2.0], [3.0, 4.0]]
    assert 3.0 in t
    assert 5.0 not in t
    a, b = grad(lambda x: sum(row.sum() * (i + 1) for i, row in enumerate(x)))(t).tolist()
    assert (a, b) == ([1.0, 1.0], [2.0, 2.0])


def test_a_tensor_without_axes_is_no_sequence():
    with pytest.raises(TypeError, match="no length"):
        len(Tensor(1.0))
    with pytest.raises(TypeError, match="iterated"):
        list(Tensor(1.0))


def test_a_tensor_is_a_key_by_identity_and_compares_by_element():
    t = Tensor([1.0, 2.0])
    assert {t: "here"}[t] == "here"
    assert (t == Tensor([1.0, 3.0])).tolist() == [True, False]
    assert (t != 1.0).tolist() == [False, True]
    assert (t == None) is False  # noqa: E711  # the comparison is what is tested
    assert (t == "a") is False
    assert (t != "a") is True


# -------------------------------------------------------------------------------------------- numpy
def test_numpy_functions_work_on_tensors_and_are_recorded():
    t = Tensor([0.5, 1.0])
    for fn in (np.sin, lambda x: np.sum(x * np.cos(x), axis=0, keepdims=True), np.mean):
        assert isinstance(fn(t), Tensor)
    np.testing.assert_allclose(grad(np.sin)(t).asnumpy(), np.cos([0.5, 1.0]), rtol=1e-6)
    assert grad(lambda x: np.array([3.0, 4.0], np.float32) * x)(t).tolist() == [3.0, 4.0]
    assert grad(lambda x: np.concatenate((x, x * 2)))(t).tolist() == [3.0, 3.0]


def test_numpy_tells_the_shape_of_a_tensor_and_whether_two_are_equal():
    def fn(x):
        assert (np.shape(x), np.ndim(x), np.size(x), np.empty_like(x).shape) == ((2,), 1, 2, (2,))
        ones, zeros = np.ones_like(x), np.zeros_like(a=x, dtype=np.int8)
        assert [type(ones), type(zeros)] == [np.ndarray, np.ndarray]
        assert (ones.tolist(), zeros.tolist(), zeros.dtype) == ([1, 1], [0, 0], np.int8)
        assert (np.allclose(x, [1, 2]), np.allclose([1, 2.1], x), np.array_equal(x, x)) == (1, 0, 1)
        assert np.isclose(x, Tensor([1.0, 2.1])).tolist() == [True, False]
        return x * ones * 3

    x = Tensor([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fn(x).tolist() == [3.0, 6.0]
        assert grad(fn)(x).tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match="inside vmap"):
        ms.vmap(lambda x: x * np.ones_like(x))(x)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: np.linalg.qr(x), "qr"),
        (lambda x: np.sort(x), "sort"),
        (lambda x: np.add.reduce(x), "add"),
        (lambda x: np.spacing(x), "spacing"),
        (lambda x: np.add(x, x, out=np.zeros(2)), "add with out"),
        (lambda x: np.add(x, x, where=[True, False]), "add with where"),
    ],
    ids=["qr", "sort", "add.reduce", "spacing", "out", "where"],
)
def test_a_numpy_function_without_a_rule_says_what_to_do(call, name):
    for fn in (call, grad(call)):
        with pytest.raises(TypeError, match=rf"{name}.*minigrad\.ops.*give the Cell a bprop"):
            fn(Tensor([1.0, 2.0]))


def test_a_numpy_function_on_what_is_no_number_is_the_ops_own_error():
    with pytest.raises(TypeError, match="add: expected a Tensor or a number, but got str: 'a'"):
        np.add(Tensor([1.0]), "a")


def test_a_tensor_tells_the_bytes_between_its_entries():
    assert Tensor(np.zeros((2, 3), np.float32)).strides == (12, 4)


def test_an_unknown_keyword_is_an_error_and_not_ignored():
    with pytest.raises(TypeError, match="axes"):
        np.sum(Tensor([1.0]), axes=0)
    with pytest.raises(TypeError, match="dtype"):
        np.concatenate((Tensor([1.0]), Tensor([1.0])), dtype=np.float64)


def test_an_array_cannot_be_added_to_in_place_with_a_tensor():
    array = np.ones(2)
    with pytest.raises(TypeError, match="with out"):
        array += Tensor([1.0, 2.0])
    assert array.tolist() == [1.0, 1.0]


# ------------------------------------------------------------------------------- copies and pickles
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), Tensor.copy]
)
def test_a_copy_of_a_tensor_is_equal_and_apart(duplicate):
    t = Tensor(np.array([[1.5, 2.5]]))
    other = duplicate(t)
    assert repr(other) == repr(t)
    other[0, 0] = 9.0
    assert t.tolist() == [[1.5, 2.5]]


def test_copies_inside_a_gradient_call_stay_part_of_it():
    x = Tensor(3.0)
    assert grad(lambda x: x * copy.deepcopy(x))(x).item() == 6.0  # as MindSpore
    assert grad(lambda x: x * copy.copy(x))(x).item() == 6.0
    assert grad(lambda x: x * x.copy())(x).item() == 6.0
    assert grad(lambda x: x * Tensor(x))(x).item() == 6.0


def test_a_dtype_stays_the_one_there_is_after_a_copy():
    assert pickle.loads(pickle.dumps(ms.float32)) is ms.float32
    assert copy.deepcopy(ms.float32) is ms.float32


# --------------------------------------------------------------------------------- leaving minigrad
WAYS_OUT = {
    "float": lambda x: float(x),
    "int": lambda x: int(x),
    "item": lambda x: x.item(),
    "asnumpy": lambda x: x.asnumpy(),
    "numpy": lambda x: x.numpy(),
    "tolist": lambda x: x.tolist(),
    "asarray": lambda x: np.asarray(x),
    "math": lambda x: math.sin(x),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_leaving_the_calculation_warns_once_and_names_the_line(way):
    leave = WAYS_OUT[way]

    def fn(x):
        for _ in range(3):
            leave(x)
        return x * x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        assert grad(fn)(Tensor(2.0)).item() == 4.0
    (warning,) = caught
    assert "stop_gradient" in str(warning.message)
    assert warning.filename == __file__
    assert warning.lineno == leave.__code__.co_firstlineno


@pytest.mark.parametrize("way", WAYS_OUT)
def test_nothing_is_said_where_nothing_is_lost(way):
    leave = WAYS_OUT[way]
    constant = Tensor(1.0)

    def fn(x):
        leave(constant)
        leave(ops.stop_gradient(x))
        leave(x > 0)
        return x * x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leave(Tensor(1.0))
        value = grad(fn)(Tensor(2.0))
        leave(value)


def test_nothing_is_said_after_the_gradient_call():
    kept = []
    grad(lambda x: kept.append(x * 2) or x * x)(Tensor(2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(kept[0]) == 4.0


def test_a_number_taken_out_counts_as_a_constant():
    with pytest.warns(UserWarning, match="counts as a constant"):
        assert grad(lambda x: x * float(x))(Tensor(3.0)).item() == 3.0


def test_a_parameter_made_of_a_tracked_value_warns():
    with pytest.warns(UserWarning, match="constant"):
        assert grad(lambda x: (Parameter(x * 2, name="p") * x).sum())(Tensor(3.0)).item() == 6.0


def test_a_tensor_made_of_tensors_carries_their_gradients():
    assert grad(lambda x: (Tensor([[x, 1.0], [x * 2, x]]) * x).sum())(Tensor(3.0)).item() == 25.0
    assert grad(lambda x: (Tensor([[x, x], [1.0, 2]]) * x).sum())(Tensor(3.0)).item() == 15.0


@pytest.mark.parametrize("dtype", [complex, str, "datetime64[s]"])
def test_a_dtype_that_is_no_number_is_refused(dtype):
    with pytest.raises(TypeError, match="a Tensor cannot hold"):
        Tensor([1, 2]).astype(dtype)


def test_a_complex_array_beside_a_tensor_is_refused():
    with pytest.raises(TypeError, match="a Tensor cannot hold complex128"):
        Tensor([1.0]) * np.array([1j])
