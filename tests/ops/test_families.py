"""Values and gradients of more families of ops, as real MindSpore gave them: `families.json`."""

import json

import numpy as np
import pytest
import test_recorded
from test_oracle import DATA as FOLDER

DATA = json.loads((FOLDER / "families.json").read_text(encoding="utf-8"))
INPUTS = {
    name: np.array(x["data"], x["dtype"]).reshape(x["shape"]) for name, x in DATA["inputs"].items()
}


@pytest.fixture(autouse=True)
def _inputs(monkeypatch):
    monkeypatch.setattr(test_recorded, "INPUTS", INPUTS)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["expr"])
def test_as_recorded(case):
    test_recorded.test_as_recorded(case)
