"""Values and gradients of single expressions, as real MindSpore 2.10 gave them.

`data/oracle.json` holds the cases: an expression, its inputs, its values, and the gradients of the
float inputs of the sum over the float outputs o_k of sum(o_k * s_k), s_k = cos(arange(size) + k) +
1.5. Gradients marked `corrected` are the true ones, where MindSpore's are wrong. Set
`MINIGRAD_TEST_PACKAGE=mindspore`, in a venv that has it, to hold MindSpore itself against the
cases: all pass but the corrected ones.
"""

import importlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

PACKAGE = os.environ.get("MINIGRAD_TEST_PACKAGE", "minigrad")
ms = importlib.import_module(PACKAGE)
ops, mnp = ms.ops, importlib.import_module(f"{PACKAGE}.numpy")

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "oracle.json").read_text(encoding="utf-8"))["cases"]
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-12}


def array(stored: dict) -> np.ndarray:
    return np.array(stored["data"], dtype=stored["dtype"]).reshape(stored["shape"])


def evaluate(case: dict, *inputs) -> tuple:
    """Give the outputs of the case's expression, always as a tuple."""
    names = {
        "ops": ops,
        "ms": ms,
        "mnp": mnp,
        "np": np,
        **dict(zip(case["inputs"], inputs, strict=True)),
    }
    outputs = eval(case["expr"], names)
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def weighted_sum(case: dict, *inputs):
    """Compute the number whose gradients the oracle holds."""
    total = 0.0
    for k, (output, stored) in enumerate(zip(evaluate(case, *inputs), case["value"], strict=True)):
        kind = np.dtype(stored["dtype"])
        if kind.kind == "f":
            weights = np.cos(np.arange(output.size) + k) + 1.5
            weights = weights.astype(np.promote_types(kind, np.float32)).reshape(output.shape)
            total = total + (output * ms.Tensor(weights)).sum()
    return total


def gradients(case: dict, inputs: list) -> dict:
    """Gradients of the inputs that the oracle wants, by name."""
    wanted = [k for k, name in enumerate(case["inputs"]) if name in case["grads"]]
    found = ms.grad(lambda *xs: weighted_sum(case, *xs), tuple(wanted))(*inputs)
    found = found if len(wanted) > 1 else (found,)
    return dict(zip((list(case["inputs"])[k] for k in wanted), found, strict=True))


def assert_agrees(tensor, stored: dict, what: str) -> None:
    """Shape and dtype equal; floats near, relative or absolute; everything else equal."""
    assert isinstance(tensor, ms.Tensor), f"{what} is no Tensor: {tensor!r}"
    dtype = stored["dtype"]
    assert tuple(tensor.shape) == tuple(stored["shape"]), f"{what}: shape {tensor.shape}"
    assert tensor.dtype == getattr(ms, "bool_" if dtype == "bool" else dtype), what
    got, want = tensor.asnumpy(), array(stored)
    assert got.dtype == want.dtype, f"{what}: {got.dtype} inside"
    assert got.shape == want.shape, f"{what}: {got.shape} inside"
    if dtype not in TOLERANCE:
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    got, want = got.astype(np.float64), want.astype(np.float64)
    allowed = TOLERANCE[dtype] * np.maximum(1.0, np.abs(want))
    with np.errstate(invalid="ignore"):  # inf - inf
        near = (got == want) | (np.isfinite(want) & (np.abs(got - want) <= allowed))
    assert near.all(), f"{what}: got {got[~near]}, expected {want[~near]}, allowed {allowed[~near]}"


def test_the_oracle_is_whole():
    assert len(CASES) == len({case["id"] for case in CASES}) == 282
    assert sum("corrected" in case for case in CASES) == 4
    assert sum(len(case.get("grads", {})) for case in CASES) == 374


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_value_and_gradients(case):
    inputs = [ms.Tensor(array(stored)) for stored in case["inputs"].values()]
    outputs = evaluate(case, *inputs)
    assert len(outputs) == len(case["value"])
    for k, (output, stored) in enumerate(zip(outputs, case["value"], strict=True)):
        assert_agrees(output, stored, f"output {k}")
    if "grads" in case:
        for name, gradient in gradients(case, inputs).items():
            assert_agrees(gradient, case["grads"][name], f"gradient of {name}")


@pytest.mark.parametrize(
    "wrong",
    [
        np.float32([1.0, 2.0001]),
        np.float32([1.0, np.nan]),
        np.float32([1.0, np.inf]),
        np.float64([1.0, 2.0]),
        np.float32([[1.0, 2.0]]),
        np.float32([1.0]),
    ],
)
def test_comparison_can_fail(wrong):
    stored = {"dtype": "float32", "shape": [2], "data": [1.0, 2.0]}
    assert_agrees(ms.Tensor(np.float32([1.00001, 2.00002])), stored, "near")
    with pytest.raises(AssertionError):
        assert_agrees(ms.Tensor(wrong), stored, "wrong")
