"""Record in `numpy.json` what a real MindSpore computes: `mindspore.numpy` with all its arguments.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_numpy.py

Inputs, values and gradients are stored in the form that `record_ops.py` describes, which also does
the work. Where MindSpore takes no number or list for a Tensor, nothing is recorded, and
`tests/test_numpy.py` compares with numpy.
"""

import json
import platform
from pathlib import Path

import mindspore as ms
import numpy as np
import record_ops
from record_ops import draw, record, rounded

INPUTS = {
    "m": draw(3, 4),
    "n": draw(3, 4)[::-1].copy() + np.float32(0.5),
    "v": draw(4),
    "u": draw(3),
    "c": draw(2, 3),
    "p": draw(5, 2),
    "r": np.float32([0, 3, 6.5, 10, 4]),
    "i": np.int32([[1, 2, 0, 5], [3, 4, 7, 1], [0, 2, 2, 1]]),
    "b": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]]),
}
WRONG = {
    "mnp.select": "m",  # all 0
    "mnp.trace(m, dtype": "m",  # of another dtype than m
}
EXPRESSIONS = [
    # Numbers and lists.
    *["mnp.add(1, 2)", "mnp.add([1, 2], 3)", "mnp.add([1, 2], [0.5, 1])", "mnp.add(v, [1, 2, 3, 4])", "mnp.add(i, 1.5)"],
    *["mnp.power(2, 3)", "mnp.power([2, 3], 2)", "mnp.power(m, 2)", "mnp.maximum(1, [2, 0])", "mnp.maximum(v, [1, 0, 1, 0])"],
    *["mnp.sum([1, 2, 3])", "mnp.sum([[1.0, 2], [3, 4]], axis=1)", "mnp.clip([1, 5, 9], 2, 6)", "mnp.argmax([1, 5, 2])"],
    *["mnp.argmin([[1, 5], [2, 0]], axis=1)", "mnp.where([True, False], 1, 2)", "mnp.where(b, m, 0)", "mnp.where(b, 1.5, m)"],
    *["mnp.where(b, 1, m)", "mnp.where(b, [1, 2, 3, 4], m)", "mnp.where(True, [1, 2], [3, 4])", "mnp.norm([3, 4])", "mnp.kron([1, 2], [1, 1])"],
    *["mnp.cross([1, 2, 3], [4, 5, 6])", "mnp.cross([1, 2, 3], [4, 5])", "mnp.cross([1, 2], [4, 5, 6])", "mnp.multi_dot(([[1, 2]], [[3], [4]]))"],
    *["mnp.pad([1, 2], 1)", "mnp.repeat([1, 2], 2)", "mnp.repeat(3, 4)", "mnp.rollaxis(m, 1)", "mnp.trapz([1, 2, 3])", "mnp.trapz([1, 2, 3], [4, 6, 8])"],
    *["mnp.around([1.26], 1)", "mnp.around(2.5)", "mnp.array_equal([1, 2], [1, 2])", "mnp.isin([1, 2], [2])", "mnp.isin(2, [2, 3])"],
    *["mnp.searchsorted([1, 2, 3], 2.5)", "mnp.searchsorted([1, 2, 3], [0, 2], side='right')", "mnp.rint(2.5)", "mnp.rint([1.5])"],
    *["mnp.select([[True, False], [True, True]], [[1, 2], [3, 4]], default=9)", "mnp.select([b], [m])", "mnp.select([b], [m], default=1.5)"],
    *["mnp.ceil(1.2)", "mnp.sign(-3)", "mnp.trunc([2, 3])", "mnp.trunc([2.7])", "mnp.unwrap([0.0, 3.0, 6.5, 10.0])", "mnp.unwrap([0, 3, 7, 13])"],
    *["mnp.full_like([1, 2], 3)", "mnp.ones_like([1, 2])", "mnp.zeros_like([1.5])", "mnp.bincount([1, 1, 3])", "mnp.bincount([0, 1], weights=[0.5, 2.0])"],
    *["mnp.cov([[1.0, 2], [3, 5]])", "mnp.cov([[1, 2], [3, 5]])", "mnp.cov([1.0, 2, 4], [3.0, 5, 5])", "mnp.vander([1, 2, 3])", "mnp.nanmax([1.0, mnp.nan])"],
    *["mnp.nansum([1.0, mnp.nan])", "mnp.nanmean([1.0, mnp.nan, 3])", "mnp.linspace([0, 1], [10, 11], 3)", "mnp.asarray(1)", "mnp.asarray([1, 2.5])"],
    *["mnp.array(True)", "mnp.array([1, 2], ndmin=3)", "mnp.array(5, ndmin=1)", "mnp.isclose([1.0, 2], [1.0, 2.1])", "mnp.tril([[1, 2], [3, 4]])"],
    *["mnp.matrix_power([[1, 1], [0, 1]], 3)", "mnp.argwhere([[1, 0], [0, 2]])", "mnp.logical_and([True], [False])", "mnp.logical_not([True, 0])"],
    *["mnp.bitwise_and([6], [3])", "mnp.invert([1])", "mnp.greater([1, 2], 1.5)", "mnp.equal(1, 1)", "mnp.heaviside([-1.0, 0, 2], 0.5)", "mnp.hypot(3, 4)"],
    *["mnp.fmod([5], [3])", "mnp.mod([-5, 5], 3)", "mnp.remainder(-5, 3)", "mnp.floor_divide(7, 2)", "mnp.divide(1, 2)", "mnp.true_divide([1, 2], 2)"],
    *["mnp.reciprocal([2.0])", "mnp.sqrt(4)", "mnp.square([3])", "mnp.negative([1])", "mnp.isnan([1.0, mnp.nan])", "mnp.kron(m, [1, 2])", "mnp.cross(u, [1, 2, 3])"],
    # dtype, initial, where and other arguments.
    *["mnp.add(m, m, dtype=ms.float64)", "mnp.power(v, 2, dtype=ms.float64)", "mnp.exp(m, ms.float64)", "mnp.floor(m, ms.int32)", "mnp.abs(m, dtype=ms.float64)"],
    *["mnp.sum(m, axis=1, dtype=ms.float64, keepdims=True, initial=10)", "mnp.sum(m, initial=1)", "mnp.sum(i)", "mnp.sum(b)", "mnp.sum(b, 1)"],
    *["mnp.mean(m, dtype=ms.float64)", "mnp.mean(m, axis=(0, 1), keepdims=True)", "mnp.max(m, axis=1, initial=1)", "mnp.max(m, initial=-1, where=b)"],
    *["mnp.max(m, axis=0, initial=-1, where=b)", "mnp.max(m, axis=0, keepdims=True, initial=-1, where=b)", "mnp.min(m, axis=1, initial=0.5, where=b)"],
    *["mnp.max(m, keepdims=True)", "mnp.amin(m, 1, True)", "mnp.var(m, axis=1, ddof=1, keepdims=True)", "mnp.cumsum(m, 1, ms.float64)", "mnp.cumsum(b, 1)"],
    *["mnp.cumprod(m, 1, ms.float64)", "mnp.cumprod(i, 0)", "mnp.concatenate((m, m), axis=None)", "mnp.expand_dims(m, (0, 2))", "mnp.expand_dims(m, (0, -1))"],
    *["mnp.expand_dims(v, 0)", "mnp.diff(m, prepend=0)", "mnp.diff(i, prepend=0)", "mnp.diff(m, axis=0, append=1.5)", "mnp.diff(m, n=2, prepend=v.reshape(4)[0])"],
    *["mnp.diff(m, prepend=n)", "mnp.append(v, Tensor([3]))", "mnp.append(m, n, 0)", "mnp.average(m, axis=1, weights=Tensor([1, 0, 2, 1]))", "mnp.ptp(m, axis=1, keepdims=True)"],
    *["mnp.norm(m, axis=1, keepdims=True)", "mnp.cross(p, p * p + 1)", "mnp.cross(c, c * c + 1, axisc=0)", "mnp.cross(p[:2], p[2:4], axisa=0)", "mnp.cross(p[:2], c)"],
    *["mnp.trace(m, dtype=ms.float64)", "mnp.take(v, Tensor([-1, -2]))", "mnp.take(v, Tensor([-5, 7]))", "mnp.take(v, Tensor([-5, 7]), mode='wrap')", "mnp.take(m, Tensor([-1, 0]), axis=1)"],
    *["mnp.take(m, Tensor([[-1, 0], [1, 9]]), axis=0)", "v.take(Tensor([-1, 0]))", "mnp.take_along_axis(m, Tensor([[-1], [0], [2]]), 1)", "mnp.count_nonzero(i, axis=1, keepdims=True)"],
    *["mnp.array_equal(r, r, equal_nan=True)", "mnp.isclose(Tensor([1.0, float('nan')]), Tensor([1.0, float('nan')]), equal_nan=True)", "mnp.unwrap(r)", "mnp.unwrap(r, discont=5.0)"],
    *["mnp.unwrap(m * 5, axis=0)", "mnp.full_like(m, 3, dtype=ms.int32, shape=(2,))", "mnp.zeros_like(m, shape=(1, 2))", "mnp.zeros_like(m, dtype=ms.int32)"],
    *["mnp.bincount([1, 1, 3], length=3)", "mnp.bincount([1, 1, 3], length=6)", "mnp.bincount([1, 1, 3], minlength=6)", "mnp.cov(m, rowvar=False, bias=True)", "mnp.cov(m, ddof=0)"],
    *["mnp.vander(i[0])", "mnp.linspace(0, 1, 5, endpoint=False)", "mnp.linspace(0, 10, 3, retstep=True)", "mnp.nansum(m, 1, ms.float64, True)", "mnp.concatenate((m, i))"],
    *["mnp.stack((m, i), 1)", "mnp.eye(2, 3, 1, ms.int32)", "mnp.identity(2)", "mnp.tri(2, 3)", "mnp.logspace(0, 2, 3)", "Tensor([Tensor(1.5), 2])", "Tensor([Tensor(1.5), Tensor(2)])"],
    # Methods that take numpy's names of arguments.
    *["m.max(0)", "m.max(0, True)", "m.max(0, keepdims=True)", "m.max(axis=0)", "m.max(axis=0, keepdims=True)", "m.max(axis=0, return_indices=True)", "m.max()", "m.max(keepdims=True)"],
    *["m.max(axis=0, initial=1.0)", "m.max(axis=0, initial=-3.0, where=b)", "m.max(dim=0)", "m.max(dim=0, keepdim=True)", "m.min(1, keepdims=True)", "m.min(axis=1)"],
    *["m.sum(1, ms.float64)", "m.sum(1, True)", "m.sum(0, None, True)", "m.sum(axis=0, keepdims=True, initial=2)", "m.sum(1, ms.float64, True, 3)", "m.sum(initial=1.5)", "m.prod(1)"],
    *["m.prod(1, True)", "m.prod(1, True, ms.float64)", "mnp.expand_dims(m, (0, 0))", "mnp.expand_dims(m, 5)", "mnp.take(v, Tensor([0]), mode='nearest')"],
]  # fmt: skip

if __name__ == "__main__":
    ms.runtime.launch_blocking()  # else an error shows in a later expression
    record_ops.INPUTS, record_ops.WRONG = INPUTS, WRONG
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    inputs = {n: {"dtype": str(v.dtype), "shape": v.shape, "data": rounded(v)} for n, v in INPUTS.items()}
    cases = ",\n".join(json.dumps(record(expression)) for expression in EXPRESSIONS)
    text = f'{{\n"versions": {json.dumps(versions)},\n"inputs": {json.dumps(inputs)},\n"cases": [\n{cases}\n]\n}}\n'
    Path(__file__).with_name("numpy.json").write_text(text)
