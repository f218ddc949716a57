"""The functions of ``minigrad.numpy`` that are ops, but for the names of their arguments.

And ``on_tensors``, through which all its functions take numbers and lists where ops take Tensors.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from . import dtype as dtypes
from . import ops
from .tensor import Tensor

# How a function calls its op, and the functions of this kind.
_CALLS: list[tuple[Callable, str]] = [
    (lambda op: lambda x, dtype=None: cast(op(x), dtype), """abs arccosh arcsin arcsinh arctan
        arctanh bitwise_not cbrt cos cosh deg2rad exp exp2 expm1 floor invert isfinite isinf isnan
        log log10 log1p log2 rad2deg reciprocal signbit sin sinh sqrt square tan tanh"""),
    (lambda op: lambda x1, x2, dtype=None: cast(op(x1, x2), dtype), """add arctan2 bitwise_and
        bitwise_or bitwise_xor copysign divide equal floor_divide fmax fmin fmod greater
        greater_equal heaviside hypot less less_equal logaddexp logaddexp2 logical_and logical_or
        logical_xor matmul maximum minimum mod multiply not_equal remainder subtract
        true_divide"""),
    (lambda op: lambda input, dtype=None: cast(op(input), dtype), "arccos"),
    (lambda op: lambda a, dtype=None: cast(op(a), dtype), "logical_not negative positive"),
    (lambda op: lambda x: op(x), "isneginf isposinf"),
    (lambda op: lambda a: op(a), "argwhere"),
    (lambda op: lambda m: op(m), "fliplr flipud"),
    (lambda op: lambda m, k=0: op(m, k), "tril triu"),
    (lambda op: lambda a, b: op(a, b), "inner outer"),
    (lambda op: lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: op(a, b, rtol, atol, equal_nan),
        "isclose"),
    (lambda op: lambda a, n: op(a, n), "matrix_power"),
    (lambda op: lambda a, reps: op(a, reps), "tile"),
    (lambda op: lambda a, axis=None: op(a, axis), "squeeze"),
    (lambda op: lambda a, source, destination: op(a, source, destination), "moveaxis"),
    (lambda op: lambda x, axis1, axis2: op(x, axis1, axis2), "swapaxes"),
    (lambda op: lambda x, indices_or_sections: op(x, indices_or_sections), "dsplit hsplit vsplit"),
    (lambda op: lambda tup: op(tup), "column_stack dstack hstack vstack"),
    (lambda op: lambda arrays, axis=0: op(arrays, axis), "stack"),
    (lambda op: lambda *arys: op(arys[0]) if len(arys) == 1 else [op(x) for x in arys],
        "atleast_1d atleast_2d atleast_3d"),
    (lambda op: lambda a, axis=None, dtype=None, keepdims=False: op(a, axis, keepdims, dtype=dtype),
        "nanmean nansum"),
]  # fmt: skip

# What minigrad.numpy and MindSpore call an argument that is an array, and one of several arrays.
_ARRAYS = {
    "a", "a1", "a2", "append", "arr", "array", "b", "condition", "element", "indices", "input", "m",
    "p", "prepend", "test_elements", "v", "values", "weights", "x", "x1", "x2", "y",
}  # fmt: skip
_SEVERAL = {"args", "arrays", "arys", "choicelist", "condlist", "tup", "xi"}


def cast(x: Tensor, dtype: Any) -> Tensor:
    """x in this dtype, if there is one."""
    return x if dtype is None else x.astype(dtype)


def array(obj, dtype=None, copy=True, ndmin=0) -> Tensor:
    """A Tensor of the numbers in obj, with at least ndmin axes; Python integers become int32."""
    tensor = Tensor(obj, dtype)
    if dtype is None and not hasattr(obj, "dtype") and tensor.dtype == dtypes.int64:
        tensor = tensor.astype(dtypes.int32)
    return tensor.reshape((1,) * (ndmin - tensor.ndim) + tensor.shape)


def _as_tensor(x: Any, beside: Tensor | None = None, operand: bool = False) -> Any:
    """A number or a list as a Tensor; a number that goes with a Tensor does not widen its dtype."""
    if x is None or isinstance(x, Tensor):
        return x
    if beside is not None and isinstance(x, bool | int | float):
        if operand:
            return x  # ops know what to do with it
        if isinstance(x, float) and ops.is_floating_point(beside):
            return Tensor(x, beside.dtype)
    return array(x)


def _as_tensors(parts: Any) -> Any:
    """The Tensors of several numbers and lists."""
    if not isinstance(parts, list | tuple):
        return parts
    beside = next((x for x in parts if isinstance(x, Tensor)), None)
    return type(parts)([_as_tensor(x, beside) for x in parts])


def on_tensors(function: Callable) -> Callable:
    """The function, with numbers and lists among its arrays turned into Tensors."""
    parameters = signature(function).parameters.values()
    names = [p.name for p in parameters]
    arrays, several = _ARRAYS & {*names}, _SEVERAL & {*names}
    # Numbers stay what they are in arithmetic, and among the choices of `where`.
    operands = {"x1", "x2"} | ({"x", "y"} if "condition" in arrays else set())
    if any(p.name in several and p.kind is p.VAR_POSITIONAL for p in parameters):
        return wraps(function)(lambda *args, **more: function(*_as_tensors(args), **more))

    def turned(name, x, beside):
        if name in arrays:
            return _as_tensor(x, beside, name in operands)
        return _as_tensors(x) if name in several else x

    @wraps(function)
    def call(*args, **more):
        beside = next((x for x in (*args, *more.values()) if isinstance(x, Tensor)), None)
        return function(
            *[turned(name, x, beside) for name, x in zip(names, args, strict=False)],
            *args[len(names) :],  # too many: the function says so
            **{name: turned(name, x, beside) for name, x in more.items()},
        )

    return call if arrays | several else function


def same_names() -> dict[str, Callable]:
    """The functions that are ops, by name."""
    functions = {}
    for calls, names in _CALLS:
        for name in names.split():
            functions[name] = function = calls(op := getattr(ops, name))
            function.__name__ = function.__qualname__ = name
            function.__module__, function.__doc__ = "minigrad.numpy", op.__doc__
    return functions
