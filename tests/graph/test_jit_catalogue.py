"""Every op of the catalogue in graph mode, value and gradient, against eager."""

import sys
from pathlib import Path

import numpy as np
import pytest

from minigrad import jit
from minigrad.tensor import unwrap, wrap
from minigrad.transform import vjp

sys.path.append(str(Path(__file__).parents[1] / "rules"))
from test_catalogue import SAMPLES, is_float, on_arrays, sample_id  # found by the line above


def results(x):
    return [a for v in x for a in results(v)] if isinstance(x, tuple | list) else [unwrap(x)]


def close(got, wanted):
    for a, b in zip(results(got), results(wanted), strict=True):
        assert np.asarray(a).dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11, strict=True)


def held(function, arrays, others):
    """First call, later calls, and the source by itself, all equal to eager."""
    program = jit(function, fullgraph=True)
    for given in (arrays, arrays, others):
        with np.errstate(all="ignore"):
            close(program(*map(wrap, given)), function(*map(wrap, given)))
    space = {}
    exec(program.source, space)
    with np.errstate(all="ignore"):
        close(space[program.program.name](*others), function(*map(wrap, others)))


def other(x):
    """An array like x with other numbers, where that keeps its meaning."""
    if x.dtype.kind != "f":
        return x
    shake = 1 + 0.05 * np.random.default_rng(0).random(x.shape)
    return x * (shake[..., :1, :1] if x.ndim >= 2 and x.shape[-1] == x.shape[-2] else shake)


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_id)
def test_an_op_and_its_rules_are_recorded(sample):
    call, arrays = on_arrays(*sample)
    others = [other(x) for x in arrays]
    held(call, arrays, others)
    places = [k for k, x in enumerate(arrays) if is_float(x)]
    outputs = results(call(*map(wrap, arrays)))
    if not places or not sample[0].op.rules or outputs[0].dtype.kind != "f":
        return
    g = [wrap(np.random.default_rng(0).normal(size=y.shape)) for y in outputs]

    def pulled(*xs):
        def of_floats(*floats):
            full = list(xs)
            for k, x in zip(places, floats, strict=True):
                full[k] = x
            return call(*full)

        return vjp(of_floats, *(xs[k] for k in places))[1](*g)

    held(pulled, arrays, others)
