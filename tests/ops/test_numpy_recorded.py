"""`minigrad.numpy` with all its arguments, as real MindSpore answered: `numpy.json`."""

import json

import numpy as np
import pytest
import test_oracle
import test_recorded
from test_oracle import DATA as FOLDER

DATA = json.loads((FOLDER / "numpy.json").read_text(encoding="utf-8"))
INPUTS = {
    name: np.array(x["data"], x["dtype"]).reshape(x["shape"]) for name, x in DATA["inputs"].items()
}


@pytest.fixture(autouse=True)
def _inputs(monkeypatch):
    monkeypatch.setattr(test_recorded, "INPUTS", INPUTS)
    # dtype=float64: MindSpore casts what was computed in float32, minigrad computes in float64.
    monkeypatch.setitem(test_oracle.TOLERANCE, "float64", test_oracle.TOLERANCE["float32"])


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["expr"])
def test_as_recorded(case):
    test_recorded.test_as_recorded(case)
