"""minigrad: automatic differentiation to read, run, and watch, with MindSpore's API.

Start reading at ``tape.py``; ``op.py`` says how an op is declared, ``rules/`` is the catalogue.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from . import (
    compat,  # noqa: F401  # the import paths of MindSpore programs
    context,
    dtype,
    methods,  # noqa: F401  # gives Tensor its operators
    ops,
)
from .context import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context
from .dtype import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .parameter import Parameter, ParameterTuple
from .random import get_seed, set_seed
from .tensor import Tensor
from .transform import grad, value_and_grad, vjp

if TYPE_CHECKING:
    from . import nn, numpy

bool = bool_  # the name that it prints

__version__ = "0.1.0"

__all__ = [
    "GRAPH_MODE", "PYNATIVE_MODE", "Parameter", "ParameterTuple", "Tensor", "bool_", "context",
    "dtype", "float16", "float32", "float64", "get_context", "get_seed", "grad", "int8", "int16",
    "int32", "int64", "nn", "numpy", "ops", "set_context", "set_seed", "uint8", "uint16", "uint32",
    "uint64", "value_and_grad", "vjp",
]  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    """Import ``nn`` and ``numpy`` when a program first asks for them, so that it starts sooner."""
    if name in ("nn", "numpy"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
