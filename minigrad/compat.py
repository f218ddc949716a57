"""The import paths of MindSpore programs: ``minigrad.ops.operations``, ``minigrad.common.dtype``.

In MindSpore the same things can be imported from several places, and programs do so. Here each
lives in one place, and this table says which. A path is another name for what is there already, and
loads nothing until a program asks it for something.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# Each path, and the modules whose names it has: "" is the package itself, "module:name" an object.
_PATHS: dict[str, tuple[str, ...]] = {
    "_extends": ("stand_ins",),
    "_extends.parse": ("stand_ins",),
    "common": ("dtype", "parameter", "tensor", "random", "graph", "stand_ins", ""),
    "common._grad_function": ("stand_ins",),
    "common.api": ("graph", "stand_ins", ""),
    "common.dtype": ("dtype", "stand_ins:DTYPES"),
    "common.hook_handle": ("hooks",),
    "common.initializer": ("initializers",),
    "common.jit_config": ("graph",),
    "common.parameter": ("parameter",),
    "common.seed": ("random",),
    "common.tensor": ("tensor",),
    "log": ("stand_ins:log",),
    "mint": ("stand_ins:MINT",),
    "mint.nn": (),
    "mint.nn.functional": ("stand_ins:MINT_FUNCTIONAL",),
    "nn.dynamic_lr": ("nn",),
    "nn.grad": ("nn",),
    "nn.grad.cell_grad": ("nn",),
    "nn.layer": ("nn",),
    "nn.layer.activation": ("nn",),
    "nn.layer.basic": ("nn",),
    "nn.layer.container": ("nn",),
    "nn.layer.conv": ("nn",),
    "nn.layer.embedding": ("nn",),
    "nn.layer.normalization": ("nn",),
    "nn.layer.pooling": ("nn",),
    "nn.layer.rnns": ("nn",),
    "nn.learning_rate_schedule": ("nn",),
    "nn.loss": ("nn",),
    "nn.loss.loss": ("nn",),
    "nn.optim": ("nn",),
    "nn.optim.adam": ("nn",),
    "nn.optim.momentum": ("nn",),
    "nn.optim.optimizer": ("nn",),
    "nn.optim.sgd": ("nn",),
    "nn.wrap": ("nn",),
    "nn.wrap.cell_wrapper": ("nn",),
    "ops._primitive_cache": ("stand_ins",),
    "ops.auto_generate": ("ops",),
    "ops.composite": ("ops",),
    "ops.composite.base": ("ops",),
    "ops.function": ("ops",),
    "ops.function.array_func": ("ops",),
    "ops.function.grad": ("ops",),
    "ops.function.grad.grad_func": ("ops", "function"),
    "ops.function.math_func": ("ops",),
    "ops.function.nn_func": ("ops",),
    "ops.functional": ("ops",),
    "ops.operations": ("ops",),
    "ops.operations.array_ops": ("ops",),
    "ops.operations.math_ops": ("ops",),
    "ops.operations.nn_ops": ("ops",),
    "ops.primitive": ("graph", "ops"),
    "runtime": ("stand_ins",),
    "train": ("",),
    "train.serialization": ("",),
}


class _Path(ModuleType):
    """A module whose names are those of others."""

    def __init__(self, name: str, sources: tuple[str, ...]):
        super().__init__(name, "A path of MindSpore's for what lives elsewhere.")
        self.sources = sources
        self.__path__: list[str] = []  # a package to Python, so that paths inside it are looked for

    def __getattr__(self, name: str) -> Any:
        found = map(_found, vars(self)["sources"])
        if name == "__all__":
            return [n for source in found for n in dir(source) if not n.startswith("_")]
        if not name.startswith("__"):  # what Python asks a module about itself loads nothing
            for source in found:
                if hasattr(source, name):
                    return getattr(source, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _found(source: str) -> Any:
    module, _, name = source.partition(":")
    found = import_module(f".{module}" if module else __package__, __package__)
    return getattr(found, name) if name else found


def add_paths(parent: str) -> None:
    """Give a module that is loaded now the paths inside it, as its attributes."""
    for path in _PATHS:
        above, _, last = f"{__package__}.{path}".rpartition(".")
        if above == parent:
            setattr(sys.modules[above], last, sys.modules[f"{above}.{last}"])


for _path, _sources in _PATHS.items():
    sys.modules[f"{__package__}.{_path}"] = _Path(f"{__package__}.{_path}", _sources)
for _path in ("", *(f".{path}" for path in _PATHS)):
    add_paths(f"{__package__}{_path}")
