"""Printing agrees with a real MindSpore, character for character.

The expected strings were recorded by `tests/data/record_printing.py`, which explains the cases.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from minigrad import dtype as dtypes
from minigrad import printing

RECORDED = json.loads(Path(__file__).with_name("data").joinpath("printing.json").read_text())


def make_array(dtype, shape, values):
    if np.dtype(dtype).kind == "f":
        values = [float(value) for value in values]  # JSON has no word for nan and inf
    with np.errstate(over="ignore"):
        return np.resize(np.array(values, dtype), shape)


def name_case(case):
    shape = "x".join(map(str, case["shape"])) or "scalar"
    return "-".join([case["dtype"], shape, *case.get("options", {})])


@pytest.mark.parametrize("case", RECORDED["tensors"], ids=name_case)
def test_tensor(case):
    array = make_array(case["dtype"], case["shape"], case["values"])
    text = case.get("earlier_text", case["text"])  # of the numpy that MindSpore is used with
    with np.printoptions(**case.get("options", {})):
        assert printing.text(array) == text
        assert printing.representation(array) == case["representation"]


def test_recorded_cases_cover_what_is_printed():
    tensors = RECORDED["tensors"]
    assert {case["dtype"] for case in tensors} == set(RECORDED["dtypes"])
    assert {len(case["shape"]) for case in tensors} >= {0, 1, 2, 3, 4}
    representations = [case["representation"] for case in tensors]
    for mark in ["-nan", " nan", "-inf", "-0.0", "e+300", "...", "\n ]", "value= )", "value=\n)"]:
        assert any(mark in representation for representation in representations), mark


@pytest.mark.parametrize("shape", [(4, 5), (9, 7)])
@pytest.mark.parametrize(
    "arrange",
    [np.asfortranarray, lambda array: array.repeat(2, 0)[::2], lambda array: array.astype(">f4")],
    ids=["column-major", "strided", "big-endian"],
)
def test_storage_does_not_show(arrange, shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert printing.representation(arrange(array)) == printing.representation(array)
    assert printing.text(arrange(array)) == printing.text(array)


class Printed:
    """Stands in for a tensor: it prints by the functions under test."""

    def __init__(self, array):
        self.array = array

    def __str__(self):
        return printing.text(self.array)

    def __repr__(self):
        return printing.representation(self.array)


@pytest.mark.parametrize(("expression", "expected"), RECORDED["formats"].items())
def test_in_containers_and_format_strings(expression, expected):
    assert str(eval(expression, {"t": Printed(np.array([[1.5, -2.0]], np.float32))})) == expected


@pytest.mark.parametrize("case", RECORDED["parameters"], ids=lambda case: case["printed"])
def test_parameter(case):
    printed = printing.parameter_representation(
        case["name"], tuple(case["shape"]), np.dtype(case["dtype"]), case["requires_grad"]
    )
    assert printed == case["printed"]


@pytest.mark.parametrize(("dtype", "printed"), RECORDED["dtypes"].items())
def test_dtype_name(dtype, printed):
    assert str(dtypes.of(dtype)) == printed["str"]
    assert str(dtypes.of(np.dtype(dtype).newbyteorder())) == printed["str"]


@pytest.mark.parametrize("array", [np.array([1j]), np.array(["a"]), np.array([None])])
def test_dtype_without_a_tensor_is_refused(array):
    with pytest.raises(TypeError, match=r"cannot hold .*; it holds one of Bool, .*, Float64"):
        printing.representation(array)
    with pytest.raises(TypeError, match="cannot hold"):
        printing.parameter_representation("w", array.shape, array.dtype, True)
