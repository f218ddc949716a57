"""MindSpore's Primitive classes: objects that are made once, with their settings, and then called.

``ops.ReLU()(x)`` is ``ops.relu(x)``; ``ops.MatMul(transpose_b=True)(x, y)`` multiplies by y turned.
"""

from __future__ import annotations

from collections.abc import Callable

from ..rules.shape import swapaxes
from . import create, elementwise, index, linear, reduce, shape


class Primitive:
    """A function with settings. Prints as MindSpore's do."""

    function: Callable

    def __call__(self, *args, **kwargs):
        return type(self).function(*args, **self.settings(), **kwargs)

    def settings(self) -> dict:
        """The keyword arguments that every call of the function gets."""
        return vars(self)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"Prim[{type(self).__name__}]" + (f"<{settings}>" if settings else "")


def _without_settings(name: str, function: Callable) -> type[Primitive]:
    doc = f"Calls ``ops.{getattr(function, '__name__', name)}``."
    return type(
        name,
        (Primitive,),
        {"function": staticmethod(function), "__doc__": doc, "__module__": __name__},
    )


_NAMES: dict[str, Callable] = {
    "ACos": elementwise.acos, "Abs": elementwise.abs, "Acosh": elementwise.acosh,
    "Add": elementwise.add, "Asin": elementwise.asin, "Asinh": elementwise.asinh,
    "Atan": elementwise.atan, "Atan2": elementwise.atan2, "Atanh": elementwise.atanh,
    "Cast": shape.cast, "Ceil": elementwise.ceil, "Cos": elementwise.cos,
    "Cosh": elementwise.cosh, "Div": elementwise.div, "Equal": elementwise.equal,
    "Exp": elementwise.exp, "ExpandDims": shape.expand_dims, "Expm1": elementwise.expm1,
    "Eye": create.eye, "Floor": elementwise.floor, "FloorDiv": elementwise.floor_div,
    "Greater": elementwise.greater,
    "GreaterEqual": elementwise.greater_equal, "Less": elementwise.less,
    "LessEqual": elementwise.less_equal, "Log": elementwise.log, "Log1p": elementwise.log1p,
    "LogicalAnd": elementwise.logical_and, "LogicalNot": elementwise.logical_not,
    "LogicalOr": elementwise.logical_or, "Maximum": elementwise.maximum,
    "Minimum": elementwise.minimum, "Mod": elementwise.mod, "Mul": elementwise.mul,
    "Neg": elementwise.neg, "NotEqual": elementwise.not_equal, "Ones": create.ones,
    "OnesLike": create.ones_like, "Pow": elementwise.pow, "ReLU": elementwise.relu,
    "ReLU6": elementwise.relu6, "RealDiv": elementwise.div, "Reciprocal": elementwise.reciprocal,
    "Reshape": shape.reshape, "Rsqrt": elementwise.rsqrt, "Select": elementwise.where,
    "Shape": shape.shape, "Sigmoid": elementwise.sigmoid, "Sign": elementwise.sign,
    "Sin": elementwise.sin, "Sinh": elementwise.sinh, "Sqrt": elementwise.sqrt,
    "Square": elementwise.square, "SquaredDifference": elementwise.squared_difference,
    "Sub": elementwise.sub, "Tan": elementwise.tan, "Tanh": elementwise.tanh,
    "TensorScatterAdd": index.tensor_scatter_add, "Tile": shape.tile,
    "Transpose": shape.transpose, "Zeros": create.zeros, "ZerosLike": create.zeros_like,
}  # fmt: skip
globals().update({name: _without_settings(name, function) for name, function in _NAMES.items()})


class MatMul(Primitive):
    """The product of two matrices, either of them turned on request."""

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False):
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def __call__(self, x, y):
        x = swapaxes(x, -1, -2) if self.transpose_a else x
        y = swapaxes(y, -1, -2) if self.transpose_b else y
        return linear.matmul(x, y)


class BatchMatMul(MatMul):
    """The products of two batches of matrices, either of them turned on request."""


class _Reduce(Primitive):
    def __init__(self, keep_dims: bool = False):
        self.keep_dims = keep_dims

    def __call__(self, x, axis=()):
        return type(self).function(x, axis, self.keep_dims)


class ReduceSum(_Reduce):
    """Calls ``ops.sum``; no axis means all."""

    function = staticmethod(reduce.sum)

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False):
        self.keep_dims, self.skip_mode = keep_dims, skip_mode

    def __call__(self, x, axis=()):
        empty = isinstance(axis, tuple | list) and not len(axis)
        return x if self.skip_mode and empty else super().__call__(x, axis)


class ReduceMean(_Reduce):
    """Calls ``ops.mean``; no axis means all."""

    function = staticmethod(reduce.mean)


class ReduceProd(_Reduce):
    """Calls ``ops.prod``; no axis means all."""

    function = staticmethod(reduce.prod)


class ReduceMax(_Reduce):
    """Calls ``ops.amax``; no axis means all."""

    function = staticmethod(reduce.amax)


class ReduceMin(_Reduce):
    """Calls ``ops.amin``; no axis means all."""

    function = staticmethod(reduce.amin)


class Softmax(Primitive):
    """Calls ``ops.softmax``."""

    function = staticmethod(reduce.softmax)

    def __init__(self, axis: int | tuple[int, ...] = -1):
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def settings(self) -> dict:
        return {"axis": self.axis[0] if len(self.axis) == 1 else self.axis}


class LogSoftmax(Primitive):
    """Calls ``ops.log_softmax``."""

    function = staticmethod(reduce.log_softmax)

    def __init__(self, axis: int = -1):
        self.axis = axis


class Concat(Primitive):
    """Calls ``ops.concat``."""

    function = staticmethod(shape.concat)

    def __init__(self, axis: int = 0):
        self.axis = axis


class Stack(Primitive):
    """Calls ``ops.stack``."""

    function = staticmethod(shape.stack)

    def __init__(self, axis: int = 0):
        self.axis = axis


class Squeeze(Primitive):
    """Calls ``ops.squeeze``; no axis means all of length 1."""

    function = staticmethod(shape.squeeze)

    def __init__(self, axis: int | tuple[int, ...] = ()):
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def settings(self) -> dict:
        return {"axis": None if self.axis == () else self.axis}


class BroadcastTo(Primitive):
    """Calls ``ops.broadcast_to``."""

    function = staticmethod(shape.broadcast_to)

    def __init__(self, shape):
        self.shape = tuple(shape)


class Gather(Primitive):
    """Calls ``ops.gather``."""

    function = staticmethod(index.gather)

    def __init__(self, batch_dims: int = 0):
        self.batch_dims = batch_dims


class OneHot(Primitive):
    """Calls ``ops.one_hot``."""

    function = staticmethod(index.one_hot)

    def __init__(self, axis: int = -1):
        self.axis = axis


class Argmax(Primitive):
    """The index of the largest entry along an axis."""

    def __init__(self, axis: int = -1):
        self.axis = axis

    def __call__(self, x):
        return reduce.argmax(x, self.axis).astype("int32")


__all__ = sorted(
    name
    for name, value in globals().items()
    if isinstance(value, type) and not name.startswith("_")
)
