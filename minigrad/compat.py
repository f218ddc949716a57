"""The import paths of MindSpore programs: ``minigrad.ops.operations``, ``minigrad.common.dtype``.

In MindSpore the same things can be imported from several places, and programs do so. Here each
lives in one place, and this table says which. A path is another name for what is there already, so
it costs nothing to have it.
"""

import logging
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from . import (
    context,
    dtype,
    function,
    graph,
    hooks,
    initializers,
    nn,
    ops,
    parameter,
    random,
    tensor,
    transform,
)


def synchronize() -> None:
    """Return when all is computed. MindSpore computes while a program goes on; here it is done."""


def cell_attr_register(fn: Callable | None = None, attrs: Any = None) -> Callable:
    """Mark the ``__init__`` of a Cell for MindSpore's compiler. It stays as it is."""
    return fn if fn is not None else lambda init: init


class _CompileConfig:
    """MindSpore's switches for developers, of which one means something here."""

    @property
    def CHECK_BPROP(self) -> bool:
        """The setting ``check_bprop``."""
        return context.get_context("check_bprop")

    @CHECK_BPROP.setter
    def CHECK_BPROP(self, value: Any) -> None:
        context.set_context(check_bprop=bool(value))


_API = SimpleNamespace(
    _pynative_executor=SimpleNamespace(sync=synchronize), _no_grad=transform.no_grad
)
_FUNCTION = SimpleNamespace(_Function=function.Function)
_EXTENDS = SimpleNamespace(cell_attr_register=cell_attr_register)
_PARSE = SimpleNamespace(compile_config=_CompileConfig())
_RUNTIME = SimpleNamespace(synchronize=synchronize)

# What is the same in mindspore.mint, whose names and arguments are PyTorch's. It is a small part.
_MINT = {
    name: getattr(ops, name)
    for name in (
        "abs", "add", "cat", "div", "exp", "log", "matmul", "mul", "ones", "pow", "reshape",
        "sigmoid", "sin", "split", "sqrt", "square", "stack", "sub", "tan", "tanh", "zeros",
    )
}  # fmt: skip
_MINT_FUNCTIONAL = {
    name: getattr(ops, name) for name in ("gelu", "relu", "sigmoid", "softmax", "tanh")
}

_PACKAGE = sys.modules[__package__]

# Each path, and where what it names lives.
_PATHS: dict[str, tuple[Any, ...]] = {
    "_extends": (_EXTENDS,),
    "_extends.parse": (_PARSE,),
    "common": (dtype, parameter, tensor, random, graph, _FUNCTION, _PACKAGE),
    "common._grad_function": (_FUNCTION,),
    "common.api": (graph, _API, _PACKAGE),
    "common.dtype": (dtype,),
    "common.hook_handle": (hooks,),
    "common.initializer": (initializers,),
    "common.jit_config": (graph,),
    "common.parameter": (parameter,),
    "common.seed": (random,),
    "common.tensor": (tensor,),
    "log": (logging.getLogger(__package__),),
    "mint": (SimpleNamespace(**_MINT),),
    "mint.nn": (),
    "mint.nn.functional": (SimpleNamespace(**_MINT_FUNCTIONAL),),
    "nn.grad": (nn,),
    "nn.grad.cell_grad": (nn,),
    "nn.layer": (nn,),
    "nn.layer.activation": (nn,),
    "nn.layer.basic": (nn,),
    "nn.layer.container": (nn,),
    "nn.layer.conv": (nn,),
    "nn.layer.normalization": (nn,),
    "nn.layer.pooling": (nn,),
    "nn.loss": (nn,),
    "nn.loss.loss": (nn,),
    "nn.optim": (nn,),
    "nn.wrap": (nn,),
    "nn.wrap.cell_wrapper": (nn,),
    "ops.composite": (ops,),
    "ops.composite.base": (ops,),
    "ops.function": (ops,),
    "ops.function.grad": (ops,),
    "ops.function.grad.grad_func": (ops, function),
    "ops.functional": (ops,),
    "ops.operations": (ops,),
    "ops.operations.array_ops": (ops,),
    "ops.operations.math_ops": (ops,),
    "ops.operations.nn_ops": (ops,),
    "ops.primitive": (graph, ops),
    "runtime": (_RUNTIME,),
    "train": (_PACKAGE,),
    "train.serialization": (_PACKAGE,),
}


class _Path(ModuleType):
    """A module whose names are those of others."""

    def __init__(self, name: str, sources: tuple):
        super().__init__(name, "A path of MindSpore's for what lives elsewhere.")
        self.sources = sources

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [n for source in self.sources for n in vars(source) if not n.startswith("_")]
        for source in self.sources:
            if not name.startswith("__") and hasattr(source, name):
                return getattr(source, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _register() -> None:
    """Make the paths, for ``import`` and as attributes of what they are in."""
    for path, sources in _PATHS.items():
        name = f"{__package__}.{path}"
        module = sys.modules[name] = _Path(name, sources)
        parent, _, last = name.rpartition(".")
        setattr(sys.modules[parent], last, module)


_register()
vars(_PACKAGE).update(vars(_FUNCTION), _no_grad=transform.no_grad)
