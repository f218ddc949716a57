"""Record in `printing.json` how a real MindSpore prints tensors, parameters and dtypes.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 2.4.6 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_printing.py

A case gives an array as dtype, shape and values; the values are repeated until the shape is full,
which keeps the large ones short. `text` is the `str` of the tensor and `representation` its `repr`.
MindSpore takes `text` from numpy, and numpy 2.3 began to write large float16 and float32 values
differently; where that shows, `earlier_text` is what numpy wrote before.
"""

import json
import platform
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
SHAPES = [
    *[(), (0,), (1,), (5,), (11,), (12,), (13,), (24,), (25,), (40,)],
    *[(0, 3), (3, 0), (1, 1), (2, 3), (6, 6), (7, 2), (2, 7), (9, 9), (3, 30)],
    *[(2, 0, 3), (2, 3, 4), (1, 7, 8), (8, 2, 7), (2, 1, 2, 3), (1, 8, 1, 9), (7, 1, 7, 1, 2)],
]
LARGE = [(1000,), (1001,), (1008,), (2, 1200), (1200, 1), (10, 11, 12)]
SPECIAL = [
    [0.0, -0.0],
    ["nan", "inf", "-inf"],
    ["-nan", 1.5, -1.5],
    ["inf", 0.25],
    [1, 10, 100, 1000, 10000],
    [1e-4, 1e-5, 1e-6],
    [0.1, 0.2, 0.3],
    [1 / 3, -2 / 3, 200 / 3],
    [999999.5, 1e5, 1e6, 1e7],
    [123456.789, 12345678],
    [1e8, 1],
    [1e15, 1e16, 1e17],
    [1e30, -1e-30],
    [6e-8, -5e-324],
    [1e-300, -1e300, 1],
]
OPTIONS = [
    *[{"precision": 2}, {"suppress": True}, {"linewidth": 30}, {"threshold": 5, "edgeitems": 1}],
    *[{"sign": "+"}, {"floatmode": "fixed"}],
]
FORMATS = [
    *["[t]", "(t, t)", "{'t': t}", "{1: [t, (t,)]}", "str(t)", "f'{t}'", "f'{t!r}'"],
    *["format(t)", "'%s, %r' % (t, t)", "str([t]) + repr((t,))"],
]


def make_array(dtype, shape, values):
    if dtype in FLOATS:
        values = [float(value) for value in values]  # JSON has no word for nan and inf
    with np.errstate(over="ignore"):
        return np.resize(np.array(values, dtype), shape)


def draw_values(rng, dtype):
    """Draw a few values, of a magnitude that differs from draw to draw."""
    if dtype == "bool":
        return rng.integers(0, 2, 29).astype(bool).tolist()
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        width = rng.integers(1, limits.bits + 1)
        drawn = rng.integers(limits.min, limits.max, 29, dtype=dtype, endpoint=True)
        return (drawn >> np.array(limits.bits - width, dtype)).tolist()
    scale = 10.0 ** rng.integers(-3, 4)
    return [float(f"{value:.7g}") for value in rng.normal(size=29) * scale]


def tensor_inputs():
    rng = np.random.default_rng(2)
    for dtype in ["bool", *INTEGERS, *FLOATS]:
        for shape in SHAPES:
            yield dtype, shape, draw_values(rng, dtype), {}
    for dtype in ["bool", "int64", "float32"]:
        for shape in LARGE:
            yield dtype, shape, draw_values(rng, dtype), {}
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        yield dtype, (2, 3), [limits.min, limits.max, 0], {}
        yield dtype, (), [limits.min], {}
    for dtype in FLOATS:
        for values in SPECIAL:
            yield dtype, (len(values),), values, {}
            yield dtype, (2, len(values)), values, {}
            for value in values:
                yield dtype, (), [value], {}
        for options in OPTIONS:
            yield dtype, (3, 4), draw_values(rng, dtype), options


def record_tensors():
    for dtype, shape, values, options in tensor_inputs():
        tensor = Tensor(make_array(dtype, shape, values))
        case = {"dtype": dtype, "shape": shape, "values": values[: int(np.prod(shape))]}
        if options:
            case["options"] = options
        with np.printoptions(**options):
            case |= {"text": str(tensor), "representation": repr(tensor)}
        with np.printoptions(**options, legacy="2.2"):
            if str(tensor) != case["text"]:
                case["earlier_text"] = str(tensor)
        yield case


def record_parameters():
    for dtype in ["bool", *INTEGERS, *FLOATS]:
        for shape in [(), (3,), (2, 3)]:
            for requires_grad in [True, False]:
                name = f"{len(shape)}.weight"
                parameter = Parameter(Tensor(np.ones(shape, dtype)), name, requires_grad)
                assert str(parameter) == repr(parameter)
                arguments = {"name": name, "shape": shape, "dtype": dtype}
                arguments["requires_grad"] = requires_grad
                yield arguments | {"printed": str(parameter)}


def record():
    t = Tensor(np.array([[1.5, -2.0]], np.float32))
    dtypes = {
        dtype: {"str": str(member), "repr": repr(member)}
        for dtype in ["bool", *INTEGERS, *FLOATS]
        for member in [Tensor(np.ones(1, dtype)).dtype]
    }
    return {
        "versions": {
            "mindspore": mindspore.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "dtypes": dtypes,
        "formats": {expression: str(eval(expression, {"t": t})) for expression in FORMATS},
        "parameters": list(record_parameters()),
        "tensors": list(record_tensors()),
    }


def write(recorded, path):
    """Write JSON with one case on each line, so that a changed case is a changed line."""
    sections = []
    for section, content in recorded.items():
        if isinstance(content, list):
            body = "[\n" + ",\n".join(json.dumps(case) for case in content) + "\n]"
        else:
            body = json.dumps(content, indent=1)
        sections.append(f'"{section}": {body}')
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n")


if __name__ == "__main__":
    write(record(), Path(__file__).with_name("printing.json"))
