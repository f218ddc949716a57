"""Record what real MindSpore prints for the tutorials' programs. Run by hand, in a venv of its own.

    python3.11 -m venv oracle
    oracle/bin/pip install mindspore==2.10.0 "numpy<2" "scipy<1.14"
    oracle/bin/python tests/record_tutorials.py

Writes `<program>.txt` beside each program, and the versions that made them to `recorded_with.txt`.
A program that ends in an error is recorded as what it printed until then, and the error with the
first line of its message.
"""

import contextlib
import io
import platform
from pathlib import Path

PROGRAMS = Path(__file__).parent / "data" / "tutorials"


def what_it_prints(program: Path) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            code = compile(program.read_text(encoding="utf-8"), program.name, "exec")
            exec(code, {"__name__": "__main__"})
        except Exception as error:
            print(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return printed.getvalue()


def main() -> None:
    import mindspore  # here, so that pytest can read this file without it
    import numpy

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    mindspore.set_device("CPU")
    for program in sorted(PROGRAMS.glob("*.py")):
        program.with_suffix(".txt").write_text(what_it_prints(program), encoding="utf-8")
    versions = f"mindspore {mindspore.__version__}, CPU, PyNative; numpy {numpy.__version__}; "
    versions += f"Python {platform.python_version()}\n"
    (PROGRAMS / "recorded_with.txt").write_text(versions, encoding="utf-8")


if __name__ == "__main__":
    main()
