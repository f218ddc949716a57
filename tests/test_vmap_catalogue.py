"""Every op of the catalogue inside vmap, against a loop over the samples."""

import sys
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from minigrad.batch import vmap
from minigrad.tensor import unwrap, wrap
from minigrad.transform import grad, vjp

sys.path.append(str(Path(__file__).parent / "rules"))
from test_catalogue import SAMPLES, is_float, on_arrays, sample_id  # found by the line above

SIZE = 3


def variants(x, seed):
    """x, and two arrays like it with other numbers."""
    if x.dtype.kind != "f":
        return np.stack([x, np.flip(x), x])
    shake = 1 + 0.05 * np.random.default_rng(seed).random((SIZE, *x.shape))
    if x.ndim >= 2 and x.shape[-1] == x.shape[-2]:  # keeps symmetric matrices symmetric
        shake = shake[..., :1, :1]
    return x * shake


def results(x):
    return tuple(map(unwrap, x)) if isinstance(x, tuple | list) else (unwrap(x),)


def close(got, wanted):
    for a, b in zip(results(got), wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12, strict=True)


def stacked(rows):
    return [np.stack(column) for column in zip(*map(results, rows), strict=True)]


def choices(n):
    return [held for held in product((True, False), repeat=n) if any(held)]


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_id)
def test_of_no_samples_there_are_no_answers_and_each_has_its_shape(sample):
    call, arrays = on_arrays(*sample)
    for held in choices(len(arrays)):
        whole = [np.stack([x])[:0] if h else x for x, h in zip(arrays, held, strict=True)]
        got = vmap(call, tuple(0 if h else None for h in held))(*map(wrap, whole))
        for a, one in zip(results(got), results(call(*map(wrap, arrays))), strict=True):
            assert (a.shape, a.dtype) == ((0, *one.shape), one.dtype)


@pytest.mark.parametrize("sample", SAMPLES, ids=sample_id)
def test_vmap_is_the_loop(sample):
    call, arrays = on_arrays(*sample)
    for held in choices(len(arrays)):
        whole = [
            variants(x, k) if h else x for k, (x, h) in enumerate(zip(arrays, held, strict=True))
        ]
        axes = tuple(0 if h else None for h in held)
        rows = [[x[i] if h else x for x, h in zip(whole, held, strict=True)] for i in range(SIZE)]
        got = vmap(lambda *xs: call(*xs), axes)(*map(wrap, whole))
        close(got, stacked([call(*map(wrap, row)) for row in rows]))
        twice = vmap(lambda y, *xs, axes=axes: vmap(call, axes)(*xs), (0, *(None,) * len(arrays)))
        again = [np.stack([x] * 2) for x in results(got)]
        close(twice(wrap(np.zeros(2)), *map(wrap, whole)), again)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s[0].op.rules], ids=sample_id)
def test_gradients_inside_and_around_vmap_are_the_loops(sample):
    call, arrays = on_arrays(*sample)
    places = tuple(k for k, x in enumerate(arrays) if is_float(x))
    outputs = results(call(*map(wrap, arrays)))
    if not places or outputs[0].dtype.kind != "f":
        return
    g = [wrap(np.random.default_rng(0).normal(size=y.shape)) for y in outputs]

    def pulled(*xs):
        def of_floats(*floats):
            full = list(xs)
            for k, x in zip(places, floats, strict=True):
                full[k] = x
            return call(*full)

        return vjp(of_floats, *(xs[k] for k in places))[1](*g)

    def total(*xs, axes):
        out = vmap(call, axes)(*xs)
        pairs = zip(out if isinstance(out, tuple) else (out,), g, strict=True)
        return sum((y * dy).sum() for y, dy in pairs)

    for held in choices(len(arrays)):
        whole = [
            variants(x, k) if h else x for k, (x, h) in enumerate(zip(arrays, held, strict=True))
        ]
        axes = tuple(0 if h else None for h in held)
        rows = [[x[i] if h else x for x, h in zip(whole, held, strict=True)] for i in range(SIZE)]
        loop = stacked([pulled(*map(wrap, row)) for row in rows])
        close(vmap(pulled, axes)(*map(wrap, whole)), loop)
        around = grad(partial(total, axes=axes), places)(*map(wrap, whole))
        around = around if isinstance(around, tuple) else (around,)
        for k, dx, wanted in zip(places, around, loop, strict=True):
            wanted = wanted if held[k] else wanted.sum(0)
            np.testing.assert_allclose(unwrap(dx), wanted, rtol=1e-10, atol=1e-12, strict=True)
