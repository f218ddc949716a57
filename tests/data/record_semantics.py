"""Record what real MindSpore answers to the programs of `semantics.py`. Run by hand.

python3.11 -m venv oracle
oracle/bin/pip install mindspore==2.10.0 "numpy<2" "scipy<1.14"
oracle/bin/python tests/data/record_semantics.py
"""

import contextlib
import io
import json
import linecache
import sys
from pathlib import Path
from types import ModuleType

import semantics

HERE = Path(__file__).parent


def answer(program: str) -> str:
    """What a program prints; an error as its class, for its message holds addresses."""
    import mindspore as ms
    import mindspore.numpy as mnp
    import numpy as np
    from mindspore.common._grad_function import _Function

    names = {
        "ms": ms, "np": np, "mnp": mnp, "nn": ms.nn, "ops": ms.ops, "grad": ms.grad,
        "Tensor": ms.Tensor, "Parameter": ms.Parameter, "_Function": _Function,
    }  # fmt: skip
    module = sys.modules["program"] = ModuleType("program")  # jit looks names up in modules
    vars(module).update(names)
    lines = program.splitlines(keepends=True)
    linecache.cache["program"] = len(program), None, lines, "program"  # jvp reads the source
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, "program", "exec"), vars(module))
        except Exception as error:
            print(type(error).__name__)
        finally:
            ms.set_context(check_bprop=False, mode=ms.PYNATIVE_MODE)
    return printed.getvalue().rstrip()


def main() -> None:
    import mindspore

    mindspore.runtime.launch_blocking()  # else an error shows in a later program
    answers = {
        row.case: answer(row.program)
        for part in (semantics.SAME, semantics.DIFFERENT)
        for rows in part.values()
        for row in rows
    }
    text = json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
    (HERE / "semantics.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
