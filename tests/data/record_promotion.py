"""Record in `promotion.json` the dtype that a real MindSpore gives the result of two operands.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand,
in an environment of its own that has MindSpore:

    python tests/data/record_promotion.py

`tensors[op][x][y]` is the dtype of `op(Tensor([3], x), Tensor([2], y))`; `numbers[op][x][n]` that
of `op(Tensor([3], x), n)` and `reflected[op][x][n]` that of `op(n, Tensor([3], x))`, for Python
numbers (and numpy's on the right; on the left numpy takes over, and answers an array). null:
MindSpore refuses the pair, or ends in an error of its own.
"""

import json
import platform
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Tensor, ops

DTYPES = [
    *["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
    *["float16", "float32", "float64"],
]
NUMPY_NUMBERS = ["np.int64(2)", "np.float32(1.5)", "np.float64(1.5)"]
NUMBERS = ["True", "2", "1.5", *NUMPY_NUMBERS]
OPS = {
    "add": lambda x, y: x + y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "maximum": ops.maximum,
}


def result(op, x, y):
    try:
        return OPS[op](x, y).asnumpy().dtype.name
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return None


def tensor(value, dtype):
    return Tensor(np.array([value], dtype))


def main():
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    mindspore.runtime.launch_blocking()  # else an error of one op comes out of a later one
    recorded = {
        "versions": {"mindspore": mindspore.__version__, "numpy": np.__version__},
        "tensors": {
            op: {x: {y: result(op, tensor(3, x), tensor(2, y)) for y in DTYPES} for x in DTYPES}
            for op in OPS
        },
        "numbers": {
            op: {x: {n: result(op, tensor(3, x), eval(n)) for n in NUMBERS} for x in DTYPES}
            for op in OPS
        },
        "reflected": {
            op: {x: {n: result(op, eval(n), tensor(3, x)) for n in NUMBERS[:3]} for x in DTYPES}
            for op in OPS
        },
    }
    target = Path(__file__).with_name("promotion.json")
    target.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    print(f"MindSpore {mindspore.__version__}, Python {platform.python_version()}: {target.name}")


if __name__ == "__main__":
    main()
