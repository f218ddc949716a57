"""Graph mode, so far in name: ``jit`` and its relatives accept what MindSpore's do.

In MindSpore these compile a function before it runs. Here a function runs as it is, line by line,
and gives the same values and gradients; only what a compiler would refuse goes through.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

# True while a function that is decorated with jit runs.
INSIDE_JIT: ContextVar[bool] = ContextVar("inside_jit", default=False)

_OPTIONS = frozenset(
    ("backend", "capture_mode", "compile_once", "dynamic", "fullgraph", "hash_args",
     "infer_boost", "input_signature", "jit_config", "jit_level", "mode")
)  # fmt: skip


def jit(function: Callable | None = None, **options: Any) -> Callable:
    """Mark a function, a method or a Cell as one to compile. So far it is run as it is.

    As a decorator it stands alone, ``@jit``, or with options, ``@jit(jit_level="O1")``. The options
    are MindSpore's and change nothing here: there is no compiled mode yet.

    Raises TypeError for an option that MindSpore does not have.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> @ms.jit
    ... def square(x):
    ...     return x * x
    >>> print(ms.grad(square)(Tensor([3.0])))
    [6.]
    """
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(
            f"jit has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(_OPTIONS))}"
        )
    if function is None:
        return lambda fn: jit(fn)
    if not callable(function):
        raise TypeError(f"jit needs a function or a Cell, but got {function!r}")
    if isinstance(function, type):
        return function

    @wraps(getattr(function, "construct", function))
    def jitted(*args, **kwargs):
        token = INSIDE_JIT.set(True)
        try:
            return function(*args, **kwargs)
        finally:
            INSIDE_JIT.reset(token)

    return jitted


def jit_class(cls: type) -> type:
    """Mark a class as one that compiled functions may use. Here all may."""
    if not isinstance(cls, type):
        raise TypeError(f"jit_class decorates a class, but got {cls!r}")
    return cls


def constexpr(fn: Callable | None = None, **options: Any) -> Callable:
    """Mark a function as one that runs while others are compiled. It is run when it is called."""
    return fn if fn is not None else lambda function: function


class JitConfig:
    """Options for ``jit``, kept in one object. They change nothing here.

    >>> from minigrad import JitConfig
    >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
    'O1'
    """

    def __init__(self, jit_level: str = "", **options: Any):
        self.jit_config_dict = {"jit_level": jit_level, **options}
