"""What MindSpore programs import that has little or nothing to do here.

``compat.py`` says under which path each is found.
"""

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import context, ops, transform
from .function import Function


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


log = logging.getLogger(__package__)
_pynative_executor = SimpleNamespace(sync=synchronize)
_no_grad = transform.no_grad
_Function = Function
compile_config = _CompileConfig()

# What is the same in mindspore.mint, whose names and arguments are PyTorch's. It is a small part.
MINT = SimpleNamespace(**{
    name: getattr(ops, name)
    for name in (
        "abs", "add", "cat", "div", "exp", "log", "matmul", "mul", "ones", "pow", "reshape",
        "sigmoid", "sin", "split", "sqrt", "square", "stack", "sub", "tan", "tanh", "zeros",
    )
})  # fmt: skip
MINT_FUNCTIONAL = SimpleNamespace(
    **{name: getattr(ops, name) for name in ("gelu", "relu", "sigmoid", "softmax", "tanh")}
)
