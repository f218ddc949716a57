"""What real MindSpore's layers, losses and optimizers did: `data/nn.json`, as arrays."""

import json
from collections import OrderedDict
from pathlib import Path

import numpy as np

import minigrad as ms
from minigrad import Parameter, ParameterTuple, Tensor, nn, ops

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "nn.json").read_text(encoding="utf-8"))


def array(stored, dtype=np.float32):
    return np.array(stored["data"], stored.get("dtype", dtype)).reshape(stored["shape"])


NUMBERS = {name: array(stored) for name, stored in RECORDED["numbers"].items()}


def print_as_recorded(*values, **named):
    """print, where an OrderedDict is written as by Python 3.11, in which the answers came."""
    values = (f"OrderedDict({[*v.items()]})" if type(v) is OrderedDict else v for v in values)
    print(*values, **named)


def names():
    """What the recorded expressions speak of, with fresh Tensors."""
    return {
        "ms": ms,
        "nn": nn,
        "ops": ops,
        "OrderedDict": OrderedDict,
        "Tensor": Tensor,
        "Parameter": Parameter,
        "ParameterTuple": ParameterTuple,
        **{name: Tensor(value) for name, value in NUMBERS.items()},
    }
