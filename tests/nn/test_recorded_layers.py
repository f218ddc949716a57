"""Layers and losses agree with a real MindSpore, in values, gradients, Parameters and printing.

What is expected was recorded by `tests/data/record_layers.py`, which explains the cases.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, nn, ops

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "layers.json").read_text())


def array(recorded):
    return np.array(recorded["data"], recorded["dtype"]).reshape(recorded["shape"])


def fill(k, name, shape):
    values = np.sin(1.7 * np.arange(int(np.prod(shape))) + k).reshape(shape) / 2
    return np.abs(values) + 0.5 if "variance" in name else values


def flat(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def make(case):
    cell = eval(case["cell"], {"nn": nn, "ops": ops, "ms": ms, "Tensor": Tensor})
    return cell.set_train(case["mode"] == "train")


def call(cell, text, inputs):
    """Call with "m (b c)" as m, (b, c)."""
    nested, given = [[]], iter(inputs)
    for part in re.findall(r"\w+|[()]", text):
        if part == "(":
            nested.append([])
        elif part == ")":
            closed = tuple(nested.pop())
            nested[-1].append(closed)
        else:
            nested[-1].append(next(given))
    return cell(*nested[0])


def agree(got, recorded, what, tolerance=2e-5):
    wanted = array(recorded)
    got = got.array
    assert got.dtype == wanted.dtype, what
    assert got.shape == wanted.shape, what
    tolerance = 2e-3 if wanted.dtype == np.float16 else tolerance
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance, err_msg=what)


def name_case(case):
    return f"{case['cell']}-{case['inputs']}-{case['mode']}"


@pytest.mark.parametrize("case", RECORDED["cases"], ids=name_case)
def test_values_and_gradients(case):
    cell = make(case)
    for k, p in enumerate(cell.get_parameters()):
        p.set_data(Tensor(fill(k, p.name, p.shape).astype(p.array.dtype)))
    names = re.findall(r"\w+", case["inputs"])
    inputs = [Tensor(array(RECORDED["inputs"][name])) for name in names]
    floats = [i for i, x in enumerate(inputs) if x.array.dtype.kind == "f"]
    floats = floats[: len(case.get("input_grads", floats))]  # MindSpore's others are wrong

    def run(*inputs):
        outs = flat(call(cell, case["inputs"], inputs))
        total = 0.0
        for k, out in enumerate(outs):
            if out.array.dtype.kind == "f":
                weights = np.cos(np.arange(out.size) + k).reshape(out.shape) + 1.5
                total = total + (out * Tensor(weights.astype(out.array.dtype))).sum()
        return total, *outs

    trained = cell.trainable_params()
    if "input_grads" not in case:
        _, *outs = run(*inputs)
    else:
        pull = ms.value_and_grad(run, tuple(floats) or None, trained, has_aux=True)
        (_, *outs), grads = pull(*inputs)
        by_input, by_weight = grads if floats else ((), grads)
        by_input = flat(by_input)
        assert len(by_input) == len(case["input_grads"])
        assert len(by_weight) == len(case["parameter_grads"])
        for i, g, wanted in zip(floats, by_input, case["input_grads"], strict=True):
            # MindSpore has the slope of mish at 6 as 1.00000, and it is 1.00013.
            loose = {"tolerance": 2e-4} if "Mish" in case["cell"] else {}
            agree(g, wanted, f"gradient of {names[i]}", **loose)
        for p, g, wanted in zip(trained, by_weight, case["parameter_grads"], strict=True):
            agree(g, wanted, f"gradient of {p.name}")
    assert len(outs) == len(case["outputs"])
    for out, wanted in zip(outs, case["outputs"], strict=True):
        agree(out, wanted, "output")
    after = {p.name: p for p in cell.untrainable_params()}
    for name, wanted in case.get("after", {}).items():
        agree(after[name], wanted, f"{name} after training")


@pytest.mark.parametrize("case", RECORDED["cases"], ids=name_case)
def test_parameters_and_printing(case):
    cell = make(case)
    got = [[p.name, list(p.shape), str(p.dtype), p.requires_grad] for p in cell.get_parameters()]
    assert got == case["parameters"]
    if not isinstance(cell, nn.RNN | nn.LSTM | nn.GRU):  # MindSpore shows how they are made
        # An initializer prints as itself, and not as an object at an address.
        assert re.sub(r"(HeUniform|Uniform)\([^)]*\)", r"<\1>", str(cell)) == case["printed"]
