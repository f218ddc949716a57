"""Optimizers, schedules and clipping agree with a real MindSpore.

What is expected was recorded by `tests/data/record_optimizers.py`, which explains the cases.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from minigrad import Parameter, Tensor, nn, ops
from minigrad.tensor import unwrap

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "optimizers.json").read_text())
# It divides with an eps of its own, which it does not tell of.
LOOSE = {"nn.Adagrad": 1e-5}


def tensors(values):
    return {name: Tensor(np.array(value, np.float32)) for name, value in values.items()}


def scope(**more):
    return {"nn": nn, "ops": ops, "Tensor": Tensor, **more}


def agree(got, wanted, tolerance=2e-6):
    if isinstance(got, tuple | list):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            agree(a, b, tolerance)
        return
    np.testing.assert_allclose(unwrap(got), wanted, rtol=tolerance, atol=tolerance)


def make(case):
    held = {name: Parameter(x, name=name) for name, x in tensors(RECORDED["values"]).items()}
    return eval(case["optimizer"], scope(**held))


@pytest.mark.parametrize("case", RECORDED["optimizers"], ids=lambda case: case["optimizer"])
def test_steps(case):
    optimizer = make(case)
    assert [p.name for p in optimizer.parameters] == case["order"]
    tolerance = LOOSE.get(case["optimizer"].partition("(")[0], 2e-6)
    for gradients, step in zip(RECORDED["gradients"], case["steps"], strict=True):
        agree(optimizer.get_lr(), step["rate"])
        given = tensors(gradients)
        assert str(optimizer(tuple(given[name] for name in case["order"]))) == step["answer"]
        held = {p.name: p for p in optimizer.get_parameters()}
        for name, wanted in step["values"].items():
            agree(held[name], wanted, tolerance)


@pytest.mark.parametrize("case", RECORDED["optimizers"], ids=lambda case: case["optimizer"])
def test_held_parameters_and_printing(case):
    optimizer = make(case)
    held = [[p.name, list(p.shape), p.requires_grad] for p in optimizer.get_parameters()]
    assert held == case["held"]
    printed = str(optimizer).replace("_RatesByStep", "Rate").replace("_SameRate", "Rate")
    assert printed == case["printed"]


@pytest.mark.parametrize("case", RECORDED["lists"], ids=lambda case: case["expr"])
def test_lists_of_rates(case):
    agree(eval(case["expr"], scope()), case["value"], 1e-12)


@pytest.mark.parametrize("case", RECORDED["schedules"], ids=lambda case: case["expr"])
def test_schedules(case):
    schedule = eval(case["expr"], scope())
    agree([schedule(Tensor(i)) for i in range(10)], case["value"], 1e-6)


@pytest.mark.parametrize("case", RECORDED["clipped"], ids=lambda case: case["expr"])
def test_clipping(case):
    agree(eval(case["expr"], scope(**tensors(RECORDED["gradients"][0]))), case["value"], 1e-6)
