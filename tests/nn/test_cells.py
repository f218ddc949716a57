"""Small programs with Cells print on minigrad what they print on a real MindSpore.

They were recorded by `tests/data/record_cells.py`.
"""

import json
import re
from pathlib import Path

import pytest

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "cells.json").read_text())


@pytest.mark.parametrize("case", RECORDED["programs"], ids=lambda case: case["program"][:60])
def test_program(case, capsys):
    program = (RECORDED["preamble"] + case["program"]).replace("mindspore as", "minigrad as")
    program = program.replace("from mindspore.common.initializer", "from minigrad.initializers")
    program = program.replace("from mindspore", "from minigrad")
    exec(program, {})
    got = re.sub(r"Parameter#\d+", "Parameter#N", capsys.readouterr().out)
    got = re.sub(r"(HeUniform|Uniform)\([^)]*\)", r"<\1>", got)
    assert got == case["printed"]
