"""What MindSpore programs import that has little or nothing to do here.

``compat.py`` says under which path each is found.
"""

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import context, dtype, ops, transform
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


def _get_cache_prim(primitive: Callable) -> Callable:
    """What makes the Primitive. MindSpore keeps those that it made; here they cost nothing."""
    return primitive


def pytype_to_dtype(obj: Any) -> dtype.DType:
    """The dtype for Python's float, int or bool, or for a type of numpy's numbers.

    Raises TypeError for another type, which a Tensor cannot hold.

    >>> pytype_to_dtype(float)
    minigrad.float64
    """
    if not isinstance(obj, type):
        raise TypeError(f"pytype_to_dtype needs a type, such as float, but got {obj!r}")
    return dtype.of(obj)


def dtype_to_nptype(type_: dtype.DType) -> type:
    """numpy's type of number for a dtype."""
    return type_.dtype.type


def dtype_to_pytype(type_: dtype.DType) -> type:
    """Python's type of number for a dtype: float, int or bool."""
    return type(type_.dtype.type(0).item())


log = logging.getLogger(__package__)
_pynative_executor = SimpleNamespace(sync=synchronize)
_no_grad = transform.no_grad
_Function = Function
compile_config = _CompileConfig()

# More names of dtypes, for programs that say mstype.half, and functions between kinds of types.
DTYPES = SimpleNamespace(
    half=dtype.float16, single=dtype.float32, float=dtype.float32, double=dtype.float64,
    byte=dtype.int8, short=dtype.int16, int=dtype.int32, intc=dtype.int32, long=dtype.int64,
    intp=dtype.int64, ubyte=dtype.uint8, ushort=dtype.uint16, uintc=dtype.uint32,
    uintp=dtype.uint64, bool=dtype.bool_, pytype_to_dtype=pytype_to_dtype,
    dtype_to_nptype=dtype_to_nptype, dtype_to_pytype=dtype_to_pytype,
)  # fmt: skip

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
