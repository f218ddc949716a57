"""What a stepper shows of every op of the catalogue is what a plain gradient call answers."""

import numpy as np
import pytest
import test_catalogue as catalogue
from sample import words

from minigrad import Tensor, grad, ops
from minigrad_widgets import step_backward

ONE_OF_EACH = {
    sample[0].op: sample
    for sample in reversed(catalogue.SAMPLES)
    if catalogue.differentiable(sample)
}


def read(table):
    """The numbers of a table of the page, exactly as they travelled; of a big one its corner."""
    return np.array([[float(exact) for _, _, exact in row] for row in table["rows"]])


def corner(g, shape):
    """The first rows and columns of an array, as a grid; of more axes, of its first matrix."""
    while g.ndim > 2:
        g = g[0]
    grid = g.reshape(1, -1) if g.ndim < 2 else g
    return grid[: shape[0], : shape[1]]


@pytest.mark.parametrize("sample", ONE_OF_EACH.values(), ids=lambda sample: str(sample[0].op))
def test_a_stepper_shows_what_grad_answers(sample):
    """The rows of complete gradients, entry for entry; of big arrays a corner, range and mean."""
    call, floats = catalogue.on_floats(*sample)

    def program(*xs):
        outputs = catalogue.several(call(*xs))
        return sum(ops.sum(y * y) for y in outputs if y.array.dtype.kind == "f")

    widget = step_backward(program, *floats)
    plain = grad(program, tuple(range(len(floats))))(*map(Tensor, floats))
    plain = [g.asnumpy() for g in catalogue.several(plain)]
    rows = [row for step in widget.steps for row in step["card"]["rows"]]
    assert len(widget.gradients) == len(plain)
    for (name, g), wanted in zip(widget.gradients.items(), plain, strict=True):
        np.testing.assert_array_equal(g, wanted)
        (row,) = (
            row
            for row in rows
            if words(row["label"]).removeprefix("= ") == name and row["note"] == "complete"
        )
        table = row["table"]
        if "same" in table:
            number = float(table["same"].split()[0].replace("−", "-"))
            np.testing.assert_allclose(wanted, number, rtol=1e-3)
            continue
        found = read(table)
        np.testing.assert_array_equal(found, corner(wanted, found.shape))
        if "facts" not in table:
            assert found.size == wanted.size
            continue
        facts = {key: float(text) for key, text in table["facts"].items()}
        told = {"min": wanted.min(), "max": wanted.max(), "mean": wanted.mean()}
        assert facts == pytest.approx(told, rel=5e-3)
