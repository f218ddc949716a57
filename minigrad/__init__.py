"""minigrad: automatic differentiation to read, run, and watch, with MindSpore's API.

Start reading at ``tape.py``; ``op.py`` says how an op is declared, ``rules/`` is the catalogue.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import (
    compat,  # noqa: F401  # the import paths of MindSpore programs
    context,
    dtype,
    methods,  # noqa: F401  # gives Tensor its operators
    ops,
    tracebacks,
)
from .batch import vmap
from .context import GRAPH_MODE, PYNATIVE_MODE, get_context, mutable, set_context, set_device
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
from .jacobian import hessian, jacfwd, jacrev, jvp
from .parameter import Parameter, ParameterTuple
from .random import get_seed, manual_seed, seed, set_seed
from .tensor import Tensor
from .transform import get_grad, grad, value_and_grad, vjp

if TYPE_CHECKING:
    from . import check, nn, numpy
    from .checkpoint import load_checkpoint, load_param_into_net, save_checkpoint
    from .graph import JitConfig, constexpr, jit, jit_class
    from .nn.cell import custom_bprop

bool = bool_  # the name that it prints
from_numpy = Tensor.from_numpy

__version__ = "0.1.0"

__all__ = [
    "GRAPH_MODE", "PYNATIVE_MODE", "JitConfig", "Parameter", "ParameterTuple", "Tensor", "bool_",
    "check", "constexpr", "context", "custom_bprop", "dtype", "float16", "float32", "float64",
    "from_numpy", "get_context", "get_grad", "get_seed", "grad", "hessian", "int8", "int16",
    "int32", "int64", "jacfwd", "jacrev", "jit", "jit_class", "jvp", "load_checkpoint",
    "load_param_into_net", "manual_seed", "mutable", "nn", "numpy", "ops", "save_checkpoint",
    "seed", "set_context", "set_device", "set_seed", "uint8", "uint16", "uint32", "uint64",
    "value_and_grad", "vjp", "vmap",
]  # fmt: skip


tracebacks.install()

# Where the rest is. It is loaded when a program first asks for it, so that programs start sooner.
_ROOMS = ("check", "graph", "nn", "numpy")
_LATER = {
    "JitConfig": "graph", "_Function": "stand_ins", "_no_grad": "stand_ins", "constexpr": "graph",
    "custom_bprop": "nn.cell", "jit": "graph", "jit_class": "graph",
    "load_checkpoint": "checkpoint", "load_param_into_net": "checkpoint",
    "save_checkpoint": "checkpoint",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
