r"""The catalogue: what each op computes, the rule for each input, and their formulas.

A file holds a family of ops. Formulas name the op's inputs as its function does; the name on the
left of ``=`` is the output, and a bar marks a gradient: ``\bar z`` is what the rule calls ``g``.

The words stand apart, in ``descriptions``; here they become the docstrings of the ops.
"""

from typing import Any

from ..op import OPS
from . import conv, elementwise, index, linalg, linear, normalize, pool, reduce, shape, special
from .descriptions import DESCRIPTIONS, docstring

__all__ = [
    "conv", "elementwise", "index", "linalg", "linear", "normalize", "pool", "reduce", "shape",
    "special",
]  # fmt: skip

_function: Any
for _function in OPS.values():
    if _function.op.name in DESCRIPTIONS:  # pragma: no branch  # a test asks for the missing
        _function.__doc__ = docstring(_function.op)
