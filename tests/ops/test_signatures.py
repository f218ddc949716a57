"""Functions of `ops` name their arguments as MindSpore's do, recorded in `signatures.json`."""

import inspect
import json

import pytest
from test_oracle import DATA

from minigrad import Tensor, ops

RECORDED = json.loads((DATA / "signatures.json").read_text(encoding="utf-8"))
OURS = {
    name: list(inspect.signature(getattr(ops, name)).parameters)
    for name in RECORDED
    if inspect.isfunction(getattr(ops, name, None))
}
# One op stands under several names, for which MindSpore's arguments differ; or it has fewer.
OTHER_NAMES = {
    "arcsin": ["input"],
    "constexpr": ["fn", "options"],  # which are many, and change nothing
    "floor_div": ["input", "other"],
    "floor_mod": ["input", "other"],
    "floormod": ["input", "other"],
    "identity": ["input"],
    "inv": ["input"],
    "invert": ["input"],
    "partial": ["function", "args", "kwargs"],
    "relu": ["input"],  # no inplace=True, which would write x
    "row_stack": ["inputs"],
    "swapdims": ["input", "axis0", "axis1"],
    "tensor_div": ["input", "other", "rounding_mode"],
    "tensor_mod": ["input", "other"],
    "true_divide": ["input", "other", "rounding_mode"],
    "truncate_mod": ["input", "other"],
}


@pytest.mark.parametrize("name", OURS)
def test_the_arguments_are_called_as_in_mindspore(name):
    assert OURS[name] == OTHER_NAMES.get(name, RECORDED[name])


def test_the_exceptions_are_some():
    assert all(OTHER_NAMES[name] != RECORDED.get(name) for name in OTHER_NAMES)
    assert len(OURS) > 400


def test_arguments_by_name_and_by_place_are_the_same():
    x, y = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    assert ops.mul(x, other=y).tolist() == ops.mul(other=y, input=x).tolist() == [10.0, 21.0]
    assert ops.where(Tensor([True, False]), input=x, other=y).tolist() == [2.0, 7.0]
    assert x.pow(exponent=2).tolist() == [4.0, 9.0]
    assert ops.log_softmax(logits=x, axis=0).tolist() == ops.log_softmax(x, 0).tolist()
    assert ops.swapaxes(x[None], axis0=0, axis1=1).shape == (2, 1)
    assert bool(ops.any(x > 2, keep_dims=True)[0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'othr'"):
        ops.mul(x, othr=y)
