"""Small programs with Cells print on minigrad what they print on a real MindSpore.

They were recorded by `tests/data/record_cells.py`.
"""

import copy
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from recorded import print_as_recorded

import minigrad as ms
from minigrad import initializers, nn

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "cells.json").read_text())


@pytest.mark.parametrize("case", RECORDED["programs"], ids=lambda case: case["program"][:60])
def test_program(case, capsys):
    program = (RECORDED["preamble"] + case["program"]).replace("mindspore as", "minigrad as")
    program = program.replace("from mindspore.common.initializer", "from minigrad.initializers")
    program = program.replace("from mindspore", "from minigrad")
    exec(program, {"print": print_as_recorded})
    got = re.sub(r"Parameter#\d+", "Parameter#N", capsys.readouterr().out)
    got = re.sub(r"(HeUniform|Uniform)\([^)]*\)", r"<\1>", got)
    assert got == case["printed"]


@pytest.mark.parametrize("name", sorted(nn.__all__))
def test_everything_public_is_explained_by_an_example(name):
    text = getattr(nn, name).__doc__
    assert text.strip().splitlines()[0].endswith("."), name
    assert ">>>" in text, name


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_networks_can_be_copied_and_stored(copied):
    net = nn.SequentialCell(nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.PReLU(), nn.RNN(7, 2))
    twin = copied(net)
    for p, q in zip(net.get_parameters(), twin.get_parameters(), strict=True):
        assert (p.name, p.requires_grad) == (q.name, q.requires_grad)
        assert (p.asnumpy() == q.asnumpy()).all()
    twin[0].weight.set_data(twin[0].weight * 0)
    assert net[0].weight.asnumpy().any()
    x = ms.Tensor(np.ones((4, 2, 7), np.float32))
    assert twin(x)[0].shape == net(x)[0].shape


def test_no_module_bears_the_name_of_a_public_function():
    files = {path.stem for path in Path(nn.__file__).parent.glob("*.py")}
    public = [*vars(nn).items(), *vars(ms.ops).items(), *vars(initializers).items()]
    assert not files & {name for name, value in public if callable(value)}
