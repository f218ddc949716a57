"""The import paths of MindSpore programs: ``minigrad.ops.operations``, ``minigrad.common.dtype``.

In MindSpore the same things can be imported from several places, and programs do so. Here each
lives in one place, and this table says which. A path is a name for a module that is there already,
so it costs nothing to have it.
"""

import sys
from types import ModuleType

from . import dtype, initializers, ops, parameter, random, tensor

_MODULES = {
    "common.dtype": dtype,
    "common.initializer": initializers,
    "common.parameter": parameter,
    "common.seed": random,
    "common.tensor": tensor,
    "ops.composite": ops,
    "ops.function": ops,
    "ops.functional": ops,
    "ops.operations": ops,
    "ops.primitive": ops,
}


def _register(package: ModuleType) -> None:
    """Give the package these modules, as attributes and for ``import``."""
    common = ModuleType(f"{package.__name__}.common", "What many parts of MindSpore share.")
    for part in (dtype, parameter, tensor, random):
        vars(common).update({n: v for n, v in vars(part).items() if not n.startswith("_")})
    _add(package, "common", common)
    for path, module in _MODULES.items():
        parent, _, name = path.rpartition(".")
        _add(getattr(package, parent), name, module)


def _add(parent: ModuleType, name: str, module: ModuleType) -> None:
    sys.modules[f"{parent.__name__}.{name}"] = module
    setattr(parent, name, module)


_register(sys.modules[__package__])
