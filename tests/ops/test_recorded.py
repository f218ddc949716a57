"""Values and gradients of short expressions, as real MindSpore 2.10 gave them: `data/ops.json`."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_oracle import assert_agrees

import minigrad as ms
from minigrad import Tensor, ops
from minigrad import numpy as mnp

DATA = json.loads((Path(__file__).parents[1] / "data" / "ops.json").read_text(encoding="utf-8"))
INPUTS = {
    name: np.array(x["data"], x["dtype"]).reshape(x["shape"]) for name, x in DATA["inputs"].items()
}


def evaluate(expression, inputs):
    names = {"ops": ops, "ms": ms, "mnp": mnp, "Tensor": Tensor, **inputs}
    outputs = eval(expression, names)
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def weighted_sum(expression, inputs):
    total = 0.0
    for k, output in enumerate(evaluate(expression, inputs)):
        if isinstance(output, Tensor) and output.array.dtype.kind == "f":
            dtype = np.promote_types(output.array.dtype, np.float32)
            weights = (np.cos(np.arange(output.size) + k) + 1.5).astype(dtype)
            total = total + (output * Tensor(weights.reshape(output.shape))).sum()
    return total


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["expr"])
def test_as_recorded(case):
    expression = case["expr"]
    inputs = {name: Tensor(INPUTS[name]) for name in case["inputs"]}
    if "error" in case:
        with pytest.raises((ValueError, TypeError, IndexError)) as caught:
            evaluate(expression, inputs)
        assert len(str(caught.value)) > 20
        return
    outputs = evaluate(expression, inputs)
    assert len(outputs) == len(case["value"])
    for output, stored in zip(outputs, case["value"], strict=True):
        if isinstance(stored, dict):
            assert_agrees(output, stored, "value")
        else:
            assert output == stored
    wanted = case.get("grads", {})
    places = tuple(k for k, name in enumerate(inputs) if name in wanted)
    if places:
        call = ms.grad(
            lambda *xs: weighted_sum(expression, dict(zip(inputs, xs, strict=True))), places
        )
        grads = call(*inputs.values())
        for k, g in zip(places, grads if len(places) > 1 else (grads,), strict=True):
            name = case["inputs"][k]
            assert_agrees(g, wanted[name], f"gradient of {name}")
