"""Graph mode: a function runs once, is kept as a program of numpy calls, and later calls run that.

    step = jit(value_and_grad(loss))
    step(x, y)               # records, for these shapes and dtypes
    print(step.source)       # the program, as a person would have written it
    print(step.fast_source)  # the same, as it runs: buffers are kept, big arrays done in blocks

1. **Record** (``traced.py``, ``recording.py``). A Traced in place of every array notes what numpy
   does. This is below the tape, so gradients are recorded by the same few lines.
2. **Improve** (``passes.py``). Each pass is a function from Program to Program.
3. **Write** (``readable.py``, ``fast.py``). One text to be read, one to be run; both plain Python.
"""

from .compiled import INSIDE_JIT, JitConfig, constexpr, jit, jit_class
from .passes import PASSES, improve, stages
from .program import Program, Slot, Step
from .readable import Statement, statements
from .traced import TraceError

__all__ = [
    "INSIDE_JIT", "PASSES", "JitConfig", "Program", "Slot", "Statement", "Step", "TraceError",
    "constexpr", "improve", "jit", "jit_class", "stages", "statements",
]  # fmt: skip
