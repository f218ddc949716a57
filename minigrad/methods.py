"""The operators and methods of a Tensor: each is an op.

It stands under the name that Python or MindSpore has for it: ``x * y`` is ``multiply(x, y)``, with
no call in between.
"""

import builtins

import numpy as np

from . import ops
from .parameter import Parameter
from .rules import elementwise, index, linear, reduce, shape
from .tensor import Tensor, array_of, wrap, write


def _reflected(op):
    return lambda self, other: op(other, self)


_OPERATORS = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "truediv": elementwise.divide,
    "floordiv": elementwise.floor_divide,
    "mod": elementwise.mod,
    "pow": elementwise.power,
    "matmul": linear.matmul,
    "and": elementwise.bitwise_and,
    "or": elementwise.bitwise_or,
    "xor": elementwise.bitwise_xor,
}
for _name, _op in _OPERATORS.items():
    setattr(Tensor, f"__{_name}__", _op)
    setattr(Tensor, f"__r{_name}__", _reflected(_op))

_COMPARISONS = {
    "lt": elementwise.less,
    "le": elementwise.less_equal,
    "gt": elementwise.greater,
    "ge": elementwise.greater_equal,
}
for _name, _op in _COMPARISONS.items():
    setattr(Tensor, f"__{_name}__", _op)

Tensor.__neg__ = elementwise.negative
Tensor.__pos__ = lambda self: self
Tensor.__abs__ = elementwise.absolute
Tensor.__invert__ = elementwise.invert
Tensor.__round__ = elementwise.rint


def _equal(op, otherwise: bool):
    """``==`` and ``!=``, which must also answer for things that are no numbers."""

    def compare(self, other):
        known = isinstance(
            other, Tensor | np.ndarray | np.generic | bool | int | float | list | tuple
        )
        return op(self, other) if known else otherwise

    return compare


Tensor.__eq__ = _equal(elementwise.equal, False)
Tensor.__ne__ = _equal(elementwise.not_equal, True)


# ----------------------------------------------------------------------------------------- indexing
def _plain(key):
    """An index with arrays where it has Tensors; a list is an array of positions."""
    if isinstance(key, tuple):
        return tuple(_plain(k) for k in key)
    if isinstance(key, list):
        key = array_of(key, None if key else np.int64)
    if isinstance(key, Tensor):
        key = key.array if key.ndim or key.array.dtype == bool else int(key.array)
    if isinstance(key, float) or getattr(key, "dtype", np.dtype(int)).kind not in "iub":
        raise IndexError(
            "an index is made of integers, slices, None, ..., and Tensors or lists of integers or "
            f"booleans, but got {key!r}"
        )
    return key


def _getitem(self, key):
    return index.getitem(self, _plain(key))


def _setitem(self, key, value):
    write(self, index.assign(self, _cast_like(value, self), _plain(key)))


def _cast_like(value, tensor):
    if isinstance(value, Tensor):
        return value.astype(tensor.dtype)
    return value if isinstance(value, bool | int | float) else Tensor(value, tensor.dtype)


Tensor.__getitem__ = _getitem
Tensor.__setitem__ = _setitem


# ------------------------------------------------------------------------------------------ methods
def _astype(self, dtype, copy=True):
    """The values in another dtype; the Tensor itself if it has that dtype already."""
    dtype = np.dtype(dtype)
    return self if self.array.dtype is dtype else shape.cast(self, dtype)


def _shape_of(arguments):
    """reshape(2, 3) and reshape((2, 3)) mean the same."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple | list):
        return tuple(arguments[0])
    return arguments


def _transpose(self, *axes):
    axes = _shape_of(axes)
    return shape.transpose(self, tuple(axes) if axes and axes[0] is not None else None)


def _reduction(op):
    """Reductions take MindSpore's names for their arguments, (dim, keepdim), and numpy's."""

    def method(self, axis=None, keepdims=False, *, dim=None, keepdim=None, dtype=None):
        axis = dim if axis is None else axis
        keepdims = keepdims if keepdim is None else keepdim
        x = self if dtype is None else self.astype(dtype)
        return op(x, axis, keepdims)

    method.__doc__ = op.__doc__
    return method


def _any_axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


for _name in ("sum", "mean", "prod", "any", "all"):
    setattr(Tensor, _name, _reduction(getattr(ops, _name)))


def _extreme(of_all, along):
    """As MindSpore: ``x.max(1)`` and ``x.max(dim=1)`` are a pair, ``x.max(axis=1)`` is a Tensor."""

    def method(
        self,
        dim=None,
        keepdim=False,
        *,
        axis=None,
        keepdims=False,
        initial=None,
        where=None,
        return_indices=False,
    ):
        rest = {"keepdims": keepdim or keepdims, "initial": initial, "where": where}
        place = axis if dim is None else dim
        if not return_indices and not isinstance(place, int):
            return of_all(self, place, **rest)
        values, indices = along(self, place, **rest)
        return (values, indices) if return_indices or place is dim else values

    return method


Tensor.max = _extreme(ops.amax, ops.max)
Tensor.min = _extreme(ops.amin, ops.min)
Tensor.var = ops.var
Tensor.std = ops.std
Tensor.norm = ops.norm
Tensor.argmax = _reduction(reduce.argmax)
Tensor.argmin = _reduction(ops.argmin)
Tensor.where = lambda self, condition, y: elementwise.where(condition, self, y)

Tensor.T = builtins.property(lambda self: shape.transpose(self))
Tensor.mT = builtins.property(lambda self: shape.swapaxes(self, -1, -2))
Tensor.astype = _astype
Tensor.to = lambda self, dtype: _astype(self, dtype)
Tensor.float = lambda self: _astype(self, np.float32)
Tensor.int = lambda self: _astype(self, np.int32)
Tensor.bool = lambda self: _astype(self, np.bool_)
Tensor.reshape = lambda self, *new: shape.reshape(self, _shape_of(new))
Tensor.view = Tensor.reshape
Tensor.transpose = _transpose
Tensor.permute = _transpose
Tensor.broadcast_to = lambda self, *new: ops.broadcast_to(self, _shape_of(new))
Tensor.copy = shape.identity
Tensor.view_as = lambda self, other: shape.reshape(self, other.shape)

_SAME_NAME = [
    "abs", "exp", "log", "log1p", "log2", "sqrt", "rsqrt", "square", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sigmoid", "floor", "ceil",
    "round", "sign", "neg", "reciprocal", "pow", "add", "sub", "mul", "div", "maximum", "minimum",
    "matmul", "swapaxes", "squeeze", "unsqueeze", "expand_dims", "cumsum", "cumprod", "logsumexp",
    "softmax", "log_softmax", "clamp", "clip", "masked_fill", "equal", "not_equal",
    "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_not",
    "split", "chunk", "unbind", "tile", "flip", "gather", "index_select", "gather_elements",
    "repeat_interleave", "diag", "trace", "tril", "triu", "outer", "isnan", "isfinite", "isinf",
]  # fmt: skip
for _name in _SAME_NAME:
    setattr(Tensor, _name, getattr(ops, _name))


def _flatten(self, start_dim=0, end_dim=-1):
    return ops.flatten(self, start_dim=start_dim, end_dim=end_dim)


Tensor.flatten = _flatten
Tensor.ravel = lambda self: shape.reshape(self, (-1,))
Tensor.relu = ops.relu


# ------------------------------------------------------------------------------ writing a Parameter
def _assign_value(self: Tensor, value) -> Tensor:
    """Give the Tensor new values of the same shape, and return it."""
    value = Tensor(value, self.array.dtype)
    write(self, value if value.shape == self.shape else ops.broadcast_to(value, self.shape))
    return self


Tensor.assign_value = _assign_value
Parameter.assign_value = Parameter.set_data
Tensor.init_data = lambda self: self
Tensor.stop_gradient = shape.stop_gradient
Tensor.contiguous = lambda self: self
Tensor.zeros_like = lambda self: wrap(np.zeros_like(self.array))
