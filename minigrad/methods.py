"""The operators and methods of a Tensor: each is an op.

It stands under the name that Python or MindSpore has for it: ``x * y`` is ``multiply(x, y)``, with
no call in between.
"""

import builtins
from types import FunctionType

import numpy as np

from . import ops
from .dtype import bool_, int8, int16, of, uint8
from .hooks import hooks_of, register_hook
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
    "lshift": elementwise.left_shift,
    "rshift": elementwise.right_shift,
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
Tensor.__invert__ = elementwise.logical_not  # of integers too, as in MindSpore
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
        one = not key.ndim and isinstance(key.array, np.ndarray) and key.array.dtype != bool
        key = int(key.array) if one else key.array
    if isinstance(key, float) or getattr(key, "dtype", np.dtype(int)).kind not in "iub":
        raise IndexError(
            "an index is made of integers, slices, None, ..., and Tensors or lists of integers or "
            f"booleans, but got {key!r}"
        )
    return key


def _getitem(self, key):
    key = _plain(key)
    out = index.getitem(self, key)
    if index.is_basic(key):
        out.sliced = True  # numpy would give a view here, and write through it
    return out


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
    dtype = of(dtype).dtype
    return self if self.array.dtype is dtype else shape.cast(self, dtype)


def _shape_of(arguments):
    """reshape(2, 3) and reshape((2, 3)) mean the same."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple | list):
        return tuple(arguments[0])
    return arguments


def _reshape(self, *new):
    """The same entries in the same order, in another shape; one -1 in it is worked out."""
    return shape.reshape(self, _shape_of(new))


def _view_as(self, other):
    """The same entries in the same order, in the shape of another Tensor."""
    return shape.reshape(self, other.shape)


def _ravel(self):
    """The entries in one row."""
    return shape.reshape(self, (-1,))


def _broadcast_to(self, *new):
    """The values repeated to this shape; -1 keeps the length of an axis."""
    return ops.broadcast_to(self, _shape_of(new))


def _flip(self, *dims):
    """The entries in reverse order along these axes."""
    return ops.flip(self, _shape_of(dims))


def _where(self, condition, y):
    """The values where the condition holds, y elsewhere."""
    return elementwise.where(condition, self, y)


def _to_kind(kind):
    def method(self):
        return _astype(self, kind)

    method.__doc__ = f"The values as {np.dtype(kind)}."
    return method


def _transpose(self, *axes):
    """The axes in this order; reversed, if there is none."""
    axes = _shape_of(axes)
    return shape.transpose(self, tuple(axes) if axes and axes[0] is not None else None)


def _reduction(op):
    """Reductions take MindSpore's several names for their arguments, and numpy's."""

    def method(self, axis=None, keepdims=False, *, dim=None, keepdim=False, keep_dims=False,
               dtype=None):  # fmt: skip
        axis = dim if axis is None else axis
        keepdims = keepdims or keepdim or keep_dims
        x = self if dtype is None else self.astype(dtype)
        return op(x, axis, keepdims)

    method.__doc__ = op.__doc__
    return method


for _name in ("mean", "any", "all"):
    setattr(Tensor, _name, _reduction(getattr(ops, _name)))


def _sum(self, axis=None, *rest, dtype=None, keepdims=False, initial=None, dim=None, keepdim=False,
         keep_dims=False):  # fmt: skip
    """The sum over the axes (all, if None), and of ``initial``.

    As MindSpore: ``x.sum(axis, dtype, keepdims, initial)`` or ``x.sum(dim, keepdim)``.
    """
    short = bool(rest) and isinstance(rest[0], bool)
    if len(rest) > (1 if short else 3):
        raise TypeError(
            "sum takes (axis, dtype, keepdims, initial) or (dim, keepdim), and all others by "
            f"name, but got {(axis, *rest)}"
        )
    given = (dtype, *rest) if short else rest
    dtype, keepdims, initial = (*given, *(dtype, keepdims, initial)[len(given) :])
    out = ops.sum(
        self, dim if axis is None else axis, keepdims or keepdim or keep_dims, dtype=dtype
    )
    return out if initial is None else out + initial


def _prod(self, axis=None, keepdims=False, dtype=None, *, dim=None, keepdim=False,
          keep_dims=False):  # fmt: skip
    """The product over the axes (all, if None)."""
    axis = dim if axis is None else axis
    return ops.prod(self, axis, keepdims or keepdim or keep_dims, dtype)


Tensor.sum, Tensor.prod = _sum, _prod


def _extreme(of_all, along, doc):
    def method(
        self,
        dim=None,
        keepdim=False,
        *,
        axis=None,
        keepdims=None,
        initial=None,
        where=None,
        return_indices=False,
    ):
        masks = {"initial": initial, "where": where}
        place, keep = axis if dim is None else dim, bool(keepdim or keepdims)
        masked = initial is not None or where is not None
        if not return_indices and (masked or not isinstance(place, int)):
            return of_all(self, place, keep and place is not None, **masks)
        values, indices = along(self, place, keep, **masks)
        pair = return_indices or (axis is None and keepdims is None)
        return (values, indices) if pair else values

    method.__doc__ = doc
    return method


_EXTREME = """The {0} entry; along an axis, a pair: those entries, and their indices.

    As MindSpore: ``x.{1}(1)``, ``x.{1}(dim=1)`` and ``x.{1}(1, True)`` are a pair. Numpy's names of
    arguments (axis, keepdims, initial, where) make it the values alone, unless ``return_indices``.
    Of all entries it is a number, whatever keepdims says.
    """
Tensor.max = _extreme(ops.amax, ops.max, _EXTREME.format("largest", "max"))
Tensor.min = _extreme(ops.amin, ops.min, _EXTREME.format("smallest", "min"))
Tensor.var = ops.var
Tensor.std = ops.std
Tensor.norm = ops.norm
Tensor.argmax = _reduction(reduce.argmax)
Tensor.argmin = _reduction(ops.argmin)
Tensor.where = _where

Tensor.T = builtins.property(lambda self: shape.transpose(self), doc="The axes reversed.")
Tensor.mT = builtins.property(
    lambda self: shape.swapaxes(self, -1, -2), doc="The last two axes swapped."
)
Tensor.astype = Tensor.to = _astype
for _name, _kind in {
    "float": np.float32, "half": np.float16, "double": np.float64, "int": np.int32,
    "long": np.int64, "short": np.int16, "byte": np.uint8, "bool": np.bool_,
}.items():  # fmt: skip
    setattr(Tensor, _name, _to_kind(_kind))
Tensor.reshape = Tensor.view = _reshape
Tensor.reshape_as = Tensor.view_as = _view_as
Tensor.transpose = Tensor.permute = _transpose
Tensor.broadcast_to = Tensor.expand = _broadcast_to
Tensor.copy = Tensor.clone = shape.identity

_SAME_NAME = [
    "abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv",
    "addr", "adjoint", "allclose", "amax", "amin", "aminmax", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "argsort", "argwhere", "asin", "asinh", "atan",
    "atan2", "atanh", "baddbmm", "bernoulli", "bincount", "bitwise_and", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bmm", "ceil",
    "cholesky", "cholesky_inverse", "cholesky_solve", "chunk", "clamp", "clip", "copysign",
    "cos", "cosh", "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod",
    "deg2rad", "det", "diag", "diagflat", "diagonal", "diagonal_scatter", "diff", "digamma",
    "div", "divide", "dot", "dsplit", "eq", "equal", "erf", "erfc", "erfinv", "exp",
    "expand_as", "expand_dims", "expm1", "fliplr", "flipud", "float_power", "floor",
    "floor_divide", "fmax", "fmin", "fmod", "frac", "gather", "gather_elements", "gather_nd",
    "ge", "greater", "greater_equal", "gt", "hardshrink", "heaviside", "hsplit", "hypot",
    "index_fill", "index_select", "inner", "inv", "inverse", "is_floating_point", "isclose",
    "isfinite", "isinf", "isnan", "isneginf", "isposinf", "le", "lerp", "less", "less_equal",
    "lgamma", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logaddexp2", "lstsq",
    "logcumsumexp", "logdet", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logit", "logsumexp", "lt", "masked_fill", "masked_scatter", "masked_select", "matmul",
    "matrix_power", "maximum", "median", "minimum", "mm", "moveaxis", "movedim", "msort", "mul",
    "multinomial", "multiply", "nan_to_num", "nanmean", "nansum", "narrow", "ne", "neg",
    "negative", "nonzero", "not_equal", "outer", "pinv", "positive", "pow", "qr", "rad2deg",
    "reciprocal", "remainder", "repeat_interleave", "reverse", "roll", "rot90", "round",
    "rsqrt", "scatter", "searchsorted", "select_scatter", "sgn", "sigmoid", "sign", "signbit",
    "sin", "sinh", "slice_scatter", "slogdet", "softmax", "softshrink", "split", "sqrt",
    "square", "squeeze", "std_mean", "sub", "subtract", "svd", "swapaxes", "swapdims", "t", "tan",
    "tanh", "tensor_split", "tile", "top_k", "topk", "tril", "triu", "true_divide",
    "trunc", "type_as", "unbind", "unique", "unique_consecutive", "unsorted_segment_max",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sum", "unsqueeze",
    "var_mean", "vsplit", "xdivy", "xlogy",
]  # fmt: skip
for _name in _SAME_NAME:
    setattr(Tensor, _name, getattr(ops, _name))


def _flatten(self, start_dim=0, end_dim=-1):
    """The axes from start_dim to end_dim (all, if none is given) as one."""
    return ops.flatten(self, start_dim=start_dim, end_dim=end_dim)


def _numel(self):
    """The number of entries."""
    return self.array.size


Tensor.flatten = _flatten
Tensor.ravel = _ravel
Tensor.relu = ops.relu
Tensor.bitwise_not = elementwise.invert
Tensor.flip = _flip
Tensor.numel = Tensor.nelement = _numel
Tensor.ndimension = Tensor.dim


def _trace(self, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a diagonal of the matrices in two axes; that of integers is int64."""
    return self.diagonal(offset, axis1, axis2).sum(-1, dtype=dtype)


def _cumsum(self, axis=None, dtype=None):
    """The sums of the first 1, 2, 3, ... entries along an axis (of all in a row, if None).

    Those of bools and of integers smaller than int32 are int32.
    """
    small = self.dtype in (bool_, int8, int16, uint8)
    x = self.astype(dtype or (np.int32 if small else self.dtype))
    return ops.cumsum(x.ravel(), 0) if axis is None else ops.cumsum(x, axis)


def _type(self, dtype=None):
    """The values in another dtype; the name of this one, if None."""
    return str(self.dtype) if dtype is None else _astype(self, dtype)


def _sort(self, axis=None, descending=False, *, dim=-1):
    """The entries in order along an axis, and their places."""
    return ops.sort(self, dim if axis is None else axis, descending)


def _take(self, indices, axis=None, mode="clip"):
    """The entries at these places along an axis (of all in a row, if None).

    Negative places count from the end. What is then out of range is the first or the last entry
    ("clip"), counted round and round ("wrap"), or an error ("raise").
    """
    x, axis = (self.ravel(), 0) if axis is None else (self, axis)
    places, n = shape.cast(Tensor(indices), np.int64), x.shape[axis]
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f'take: mode must be "clip", "wrap" or "raise", but got {mode!r}')
    if mode == "wrap":
        return ops.gather(x, places % n, axis)
    places = elementwise.where(places < 0, places + n, places)
    return ops.gather(x, ops.clamp(places, 0, n - 1) if mode == "clip" else places, axis)


def _repeat(self, repeats, axis=None):
    """Each entry so many times along an axis; of all in a row, if None."""
    return ops.repeat_interleave(self, repeats, axis)


def _index_add(self, dim, index, source, *, alpha=1):
    """The values with the slices of source, times alpha, added at these indices along an axis."""
    return ops.index_add(Tensor(self), index, source * alpha, dim)


def _scatter_add(self, dim, index, src):
    """The values with the entries of src added at these indices along an axis."""
    return ops.tensor_scatter_elements(self, index, src, dim, "add")


def _fill_diagonal(self, fill_value, wrap=False):
    """The values of a matrix with one number on its diagonal."""
    if wrap:
        raise ValueError("fill_diagonal: minigrad has wrap=False only")
    if self.ndim < 2 or (self.ndim > 2 and len({*self.shape}) > 1):
        raise ValueError(
            f"fill_diagonal: the shape {self.shape} must have two axes, or more of one length"
        )
    n = np.arange(min(self.shape))
    return index.assign(self, fill_value, (n,) * self.ndim)


def _new(function, what):
    def make(self, size, *value, dtype=None):
        return function(size, *value, dtype=self.dtype if dtype is None else dtype)

    make.__doc__ = f"A Tensor of this size, full of {what}, in this one's dtype if none is given."
    return make


Tensor.trace = _trace
Tensor.cumsum = _cumsum
Tensor.type = _type
Tensor.sort = _sort
Tensor.take = _take
Tensor.repeat = _repeat
Tensor.index_add = _index_add
Tensor.scatter_add = _scatter_add
Tensor.fill_diagonal = _fill_diagonal
Tensor.new_zeros, Tensor.new_ones = _new(ops.zeros, "zeros"), _new(ops.ones, "ones")
Tensor.new_full = _new(ops.full, "one value")


# ------------------------------------------------------------------------------ writing a Parameter
def _assign_value(self: Tensor, value) -> Tensor:
    """Give the Tensor new values of the same shape, and return it."""
    value = Tensor(value, self.array.dtype)
    write(self, value if value.shape == self.shape else ops.broadcast_to(value, self.shape))
    return self


Tensor.assign_value = _assign_value
Parameter.assign_value = Parameter.set_data
Tensor.register_hook, Tensor.hooks = register_hook, hooks_of
Tensor.stop_gradient = shape.stop_gradient


def _itself(self):
    """The Tensor itself: its values are there, one after the other."""
    return self


def _is_contiguous(self):
    """True: the entries lie one after the other, as far as a program can tell."""
    return True


def _zeros_like(self):
    """A Tensor of this shape and dtype, full of zeros."""
    return wrap(np.zeros(self.shape, self.array.dtype))


Tensor.init_data = Tensor.contiguous = _itself
Tensor.is_contiguous = _is_contiguous
Tensor.zeros_like = _zeros_like

for _name, _method in vars(Tensor).items():  # tracebacks and help() call a method by its name
    _own = isinstance(_method, FunctionType) and _method.__module__ == __name__
    if _own and not _method.__qualname__.startswith("Tensor."):  # of two names the first
        _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
