"""What a stepper shows of every op of the catalogue: the engine's own gradients, and checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_catalogue import is_float, on_floats, with_a_rule

from minigrad import Tensor, grad
from minigrad.watch import watch
from minigrad_widgets.picture import picture
from minigrad_widgets.step_card import start_data, step_data


@with_a_rule
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_gradients_shown_are_those_of_grad(sample: Any, dtype: Any) -> None:
    """Read from the data that travels to the page, entry by entry, as far as it is shown."""
    call, floats = on_floats(*sample)
    args = [Tensor(x.astype(dtype)) for x in floats]
    run = watch(call, *args)
    drawn = picture(run)
    shown: dict[str, Any] = dict(start_data(drawn)["gradients"])
    steps = [step_data(drawn, step, last=step is run.steps[-1]) for step in run.steps]
    for step in steps:
        shown |= step["gradients"]
    wanted = grad(call, tuple(range(len(args))))(*args)
    wanted = wanted if len(args) > 1 else (wanted,)
    leaves = [value for value in run.values if value.kind == "input"]
    assert len(leaves) == len(wanted)
    for leaf, g in zip(leaves, wanted, strict=True):
        assert_shows(shown[leaf.id]["table"], g.asnumpy())
    kinds = {check["kind"] for step in steps for check in step["card"]["checks"]}
    large = dtype == np.float32 and max(np.abs(x).max(initial=0) for x in floats) > 500
    assert kinds <= ({"agrees", "unclear"} if large else {"agrees"})  # rounding may hide a slope


def assert_shows(table: dict[str, Any], g: np.ndarray) -> None:
    """A table holds the entries of g, or a corner of them and what they are like."""
    if "same" in table:
        assert (g == g.flat[0]).all()
        assert table["same"] == f"{g.flat[0]:.4g} in every entry".replace("-", "−")
        return
    if not g.size:
        assert not any(table["rows"])
        return
    corner = g
    while corner.ndim > 2:
        corner = corner[0]
    corner = corner.reshape(1, -1) if corner.ndim < 2 else corner
    exact = [[float(cell[2]) for cell in row] for row in table["rows"]]
    for i, row in enumerate(exact):
        assert row == [float(x) for x in corner[i, : len(row)]]
    if "facts" in table:
        for name, of in (("min", g.min()), ("max", g.max()), ("mean", g.mean(dtype=np.float64))):
            assert float(table["facts"][name]) == pytest.approx(float(of), rel=6e-3, abs=1e-9)
    else:
        assert sum(map(len, exact)) == g.size


def test_every_sample_is_float_somewhere() -> None:
    """`with_a_rule` is what it says: else the test above would be about nothing."""
    assert is_float(np.zeros(2))
    assert not is_float(np.array([1, 2]))
