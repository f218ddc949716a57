"""MindSpore's Primitive classes: objects that are made once, with their settings, and then called.

``ops.ReLU()(x)`` is ``ops.relu(x)``; ``ops.MatMul(transpose_b=True)(x, y)`` multiplies by y turned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from .. import dtype as dtypes
from .. import ops
from ..rules.elementwise import rint
from . import accumulate, composed


class Primitive:
    """A function with settings, given when it is made. Prints as MindSpore's do.

    >>> from minigrad import Tensor, ops
    >>> concat = ops.Concat(axis=1)
    >>> concat
    Prim[Concat]<axis=1>
    >>> print(concat((Tensor([[1, 2]]), Tensor([[3]]))))
    [[1 2 3]]
    """

    function: Callable
    defaults: ClassVar[dict[str, Any]] = {}  # the settings, unless there is an __init__

    def __init__(self, *given, **named):
        names = list(self.defaults)
        if len(given) > len(names) or not set(named) <= set(names[len(given) :]):
            settings = ", ".join(f"{n}={v!r}" for n, v in self.defaults.items()) or "no settings"
            raise TypeError(f"{type(self).__name__} takes {settings}, but got {given} and {named}")
        vars(self).update({**self.defaults, **dict(zip(names, given, strict=False)), **named})

    def __call__(self, *args, **kwargs):
        return type(self).function(*args, **self.settings(), **kwargs)

    if TYPE_CHECKING:  # the settings are attributes

        def __getattr__(self, name: str) -> Any: ...

    def settings(self) -> dict:
        """The keyword arguments that every call of the function gets."""
        return vars(self)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"Prim[{type(self).__name__}]" + (f"<{settings}>" if settings else "")


_PUBLIC = {  # a function under several names goes by the shortest
    getattr(ops, name): name
    for name in sorted(vars(ops), key=len, reverse=True)
    if callable(getattr(ops, name))
}


def declare(name: str, function: Callable, **defaults) -> type[Primitive]:
    """A Primitive class that calls a function, with these settings and their defaults."""
    public = function.__name__ if function.__name__ in vars(ops) else _PUBLIC.get(function)
    doc = f"Calls ``ops.{public}``." if public else function.__doc__
    inside = {"function": staticmethod(function), "defaults": defaults, "__doc__": doc}
    return type(name, (Primitive,), {**inside, "__module__": __name__})


_WITHOUT_SETTINGS: dict[str, Callable] = {
    "ACos": ops.acos, "Abs": ops.abs, "Acosh": ops.acosh, "Add": ops.add, "AddN": ops.addn,
    "Addcdiv": ops.addcdiv, "Addcmul": ops.addcmul, "Asin": ops.asin, "Asinh": ops.asinh,
    "Assign": ops.assign, "AssignAdd": ops.assign_add, "AssignSub": ops.assign_sub,
    "Atan": ops.atan, "Atan2": ops.atan2, "Atanh": ops.atanh, "BitwiseAnd": ops.bitwise_and,
    "BitwiseOr": ops.bitwise_or, "BitwiseXor": ops.bitwise_xor, "Cast": ops.cast, "Ceil": ops.ceil,
    "Cos": ops.cos, "Cosh": ops.cosh, "DType": ops.dtype, "Dense": ops.dense, "Diag": ops.diag,
    "Digamma": ops.digamma, "Div": ops.div, "DivNoNan": composed.div_no_nan, "Equal": ops.equal,
    "Erf": ops.erf, "Erfc": ops.erfc, "Erfinv": ops.erfinv, "Exp": ops.exp, "Expand": ops.expand,
    "ExpandDims": ops.expand_dims, "Expm1": ops.expm1, "Eye": ops.eye, "FastGeLU": ops.fast_gelu,
    "Fill": ops.fill, "Flatten": ops.flatten, "Floor": ops.floor, "FloorDiv": ops.floor_div,
    "FloorMod": ops.floor_mod, "Fmax": ops.fmax, "Fmin": ops.fmin, "GatherD": ops.gather_d,
    "GatherNd": ops.gather_nd, "Greater": ops.greater, "GreaterEqual": ops.greater_equal,
    "HSigmoid": ops.hardsigmoid, "HSwish": ops.hardswish, "Heaviside": ops.heaviside,
    "Hypot": ops.hypot, "Identity": ops.identity, "IndexFill": ops.index_fill, "Inv": ops.inv,
    "Invert": ops.invert, "IsFinite": ops.isfinite, "IsInf": ops.isinf, "IsNan": ops.isnan,
    "LeftShift": ops.bitwise_left_shift, "Lerp": ops.lerp, "Less": ops.less,
    "LessEqual": ops.less_equal, "Lgamma": ops.lgamma, "LinSpace": ops.linspace, "Log": ops.log,
    "Log1p": ops.log1p, "LogMatrixDeterminant": ops.slogdet, "LogicalAnd": ops.logical_and,
    "LogicalNot": ops.logical_not, "LogicalOr": ops.logical_or, "LogicalXor": ops.logical_xor,
    "MaskedFill": ops.masked_fill, "MaskedSelect": ops.masked_select, "MatrixDeterminant": ops.det,
    "Maximum": ops.maximum, "Minimum": ops.minimum, "Mish": ops.mish, "Mod": ops.mod,
    "Mul": ops.mul, "MulNoNan": composed.mul_no_nan, "Neg": ops.neg, "NonZero": ops.nonzero,
    "NotEqual": ops.not_equal, "Ones": ops.ones, "OnesLike": ops.ones_like, "PReLU": ops.prelu,
    "Polygamma": ops.polygamma, "Pow": ops.pow, "Rank": ops.rank, "ReLU": ops.relu,
    "ReLU6": ops.relu6, "RealDiv": ops.div, "Reciprocal": ops.reciprocal, "Reshape": ops.reshape,
    "RightShift": ops.bitwise_right_shift, "Rint": rint, "Round": ops.round, "Rsqrt": ops.rsqrt,
    "ScalarToTensor": ops.scalar_to_tensor, "ScatterNd": ops.scatter_nd, "SeLU": ops.selu,
    "Select": ops.select, "Shape": ops.shape, "Sigmoid": ops.sigmoid, "Sign": ops.sign,
    "Sin": ops.sin, "Sinh": ops.sinh, "Size": ops.size, "Slice": ops.slice,
    "Softplus": ops.softplus, "Softsign": ops.softsign, "Sqrt": ops.sqrt, "Square": ops.square,
    "SquaredDifference": ops.squared_difference, "StopGradient": ops.stop_gradient, "Sub": ops.sub,
    "Tan": ops.tan, "Tanh": ops.tanh, "TensorAdd": ops.add,
    "TensorScatterAdd": ops.tensor_scatter_add, "TensorScatterDiv": ops.tensor_scatter_div,
    "TensorScatterMax": ops.tensor_scatter_max, "TensorScatterMin": ops.tensor_scatter_min,
    "TensorScatterMul": ops.tensor_scatter_mul, "TensorScatterSub": ops.tensor_scatter_sub,
    "TensorScatterUpdate": ops.tensor_scatter_update, "Tile": ops.tile, "Trace": ops.trace,
    "Transpose": ops.transpose, "Trunc": ops.trunc, "TruncateDiv": ops.truncate_div,
    "TruncateMod": ops.truncate_mod, "Unique": ops.unique,
    "UnsortedSegmentMax": ops.unsorted_segment_max, "UnsortedSegmentMin": ops.unsorted_segment_min,
    "UnsortedSegmentProd": ops.unsorted_segment_prod,
    "UnsortedSegmentSum": ops.unsorted_segment_sum, "Xdivy": ops.xdivy, "Xlogy": ops.xlogy,
    "Zeros": ops.zeros, "ZerosLike": ops.zeros_like,
}  # fmt: skip

_LAST = {"axis": -1}
_WITH_SETTINGS: dict[str, tuple[Callable, dict[str, Any]]] = {
    "ApproximateEqual": (ops.approximate_equal, {"tolerance": 1e-05}),
    "BinaryCrossEntropy": (ops.binary_cross_entropy, {"reduction": "mean"}),
    "BCEWithLogitsLoss": (ops.binary_cross_entropy_with_logits, {"reduction": "mean"}),
    "BroadcastTo": (ops.broadcast_to, {"shape": ()}),
    "CeLU": (ops.celu, {"alpha": 1.0}),
    "Cholesky": (ops.cholesky, {"upper": False}),
    "Svd": (ops.svd, {"full_matrices": False, "compute_uv": True}),
    "Cummax": (ops.cummax, _LAST), "Cummin": (ops.cummin, _LAST),
    "Concat": (ops.concat, {"axis": 0}), "Stack": (ops.stack, {"axis": 0}),
    "Elu": (ops.elu, {"alpha": 1.0}),
    "GLU": (ops.glu, _LAST),
    "Gather": (ops.gather, {"batch_dims": 0}),
    "HShrink": (ops.hardshrink, {"lambd": 0.5}),
    "IsClose": (ops.isclose, {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False}),
    "KLDivLoss": (ops.kl_div, {"reduction": "mean"}),
    "LogSoftmax": (ops.log_softmax, _LAST),
    "MatrixSolve": (ops.matrix_solve, {"adjoint": False}),
    "MirrorPad": (ops.mirror_pad, {"mode": "REFLECT"}),
    "OneHot": (ops.one_hot, _LAST),
    "ReverseV2": (ops.reverse, {"axis": ()}),
    "Roll": (ops.roll, {"shifts": 0, "dims": None}),
    "ScatterAdd": (ops.scatter_add, {}), "ScatterUpdate": (ops.scatter_update, {}),
    "SmoothL1Loss": (ops.smooth_l1_loss, {"beta": 1.0, "reduction": "none"}),
    "SoftShrink": (ops.softshrink, {"lambd": 0.5}),
    "Sort": (ops.sort, {"axis": -1, "descending": False}),
    "StandardNormal": (ops.standard_normal, {}), "UniformReal": (ops.rand, {}),
    "StridedSlice": (ops.strided_slice, dict.fromkeys(
        ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)),
    "TensorScatterElements": (ops.tensor_scatter_elements, {"axis": 0, "reduction": "none"}),
    "TopK": (ops.top_k, {"sorted": True}),
    "Tril": (ops.tril, {"diagonal": 0}), "Triu": (ops.triu, {"diagonal": 0}),
    "Unstack": (ops.unstack, {"axis": 0}),
}  # fmt: skip

globals().update({name: declare(name, function) for name, function in _WITHOUT_SETTINGS.items()})
globals().update({n: declare(n, function, **d) for n, (function, d) in _WITH_SETTINGS.items()})


class Qr(Primitive):
    """Calls ``ops.qr``, in the mode "complete" if ``full_matrices``."""

    defaults: ClassVar = {"full_matrices": False}

    def __call__(self, x):
        return ops.qr(x, "complete" if self.full_matrices else "reduced")


class MatMul(Primitive):
    """Calls ``ops.matmul``, with either matrix turned on request."""

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False):
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def __call__(self, x, y):
        x = ops.swapaxes(x, -1, -2) if self.transpose_a else x
        y = ops.swapaxes(y, -1, -2) if self.transpose_b else y
        return ops.matmul(x, y)


class BatchMatMul(MatMul):
    """Calls ``ops.matmul`` for batches, with the matrices of either turned on request."""


class _Reduce(Primitive):
    def __init__(self, keep_dims: bool = False):
        self.keep_dims = keep_dims

    def __call__(self, x, axis=()):
        return type(self).function(x, None if axis in ((), []) else axis, self.keep_dims)


class ReduceSum(_Reduce):
    """Calls ``ops.sum``, in the dtype of x; no axis means all."""

    function = staticmethod(ops.sum)

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False):
        self.keep_dims, self.skip_mode = keep_dims, skip_mode

    def __call__(self, x, axis=()):
        empty = isinstance(axis, tuple | list) and not len(axis)
        out = x if self.skip_mode and empty else super().__call__(x, axis)
        return out.astype(x.dtype)


class ReduceMean(_Reduce):
    """Calls ``ops.mean``; no axis means all."""

    function = staticmethod(ops.mean)


class ReduceProd(_Reduce):
    """Calls ``ops.prod``, in the dtype of x; no axis means all."""

    function = staticmethod(ops.prod)

    def __call__(self, x, axis=()):
        return super().__call__(x, axis).astype(x.dtype)


class ReduceMax(_Reduce):
    """Calls ``ops.amax``; no axis means all."""

    function = staticmethod(ops.amax)


class ReduceMin(_Reduce):
    """Calls ``ops.amin``; no axis means all."""

    function = staticmethod(ops.amin)


class Softmax(Primitive):
    """Calls ``ops.softmax``."""

    function = staticmethod(ops.softmax)

    def __init__(self, axis: int | tuple[int, ...] = -1):
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def settings(self) -> dict:
        return {"axis": self.axis[0] if len(self.axis) == 1 else self.axis}


class Squeeze(Primitive):
    """Calls ``ops.squeeze``; no axis means all of length 1."""

    function = staticmethod(ops.squeeze)

    def __init__(self, axis: int | tuple[int, ...] = ()):
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def settings(self) -> dict:
        return {"axis": None if self.axis == () else self.axis}


class GeLU(Primitive):
    """Calls ``ops.gelu`` with approximate="tanh"."""

    def __call__(self, x):
        return ops.gelu(x, "tanh")


class ReduceAll(_Reduce):
    """Calls ``ops.all``; no axis means all."""

    function = staticmethod(ops.all)


class ReduceAny(_Reduce):
    """Calls ``ops.any``; no axis means all."""

    function = staticmethod(ops.any)


class Argmax(Primitive):
    """Calls ``ops.argmax``; answers in ``output_type``."""

    defaults: ClassVar = {"axis": -1, "output_type": dtypes.int32}
    function: Callable = staticmethod(ops.argmax)

    def __call__(self, x):
        return type(self).function(x, self.axis).astype(self.output_type)


class Argmin(Argmax):
    """Calls ``ops.argmin``; answers in ``output_type``."""

    function = staticmethod(ops.argmin)


class ArgMaxWithValue(Primitive):
    """Calls ``ops.max`` along an axis; returns the index of the largest entry, and the entry."""

    defaults: ClassVar = {"axis": 0, "keep_dims": False}
    function = staticmethod(ops.max)

    def __call__(self, x):
        values, indices = type(self).function(x, self.axis, self.keep_dims)
        return indices, values


class ArgMinWithValue(ArgMaxWithValue):
    """Calls ``ops.min`` along an axis; returns the index of the smallest entry, and the entry."""

    function = staticmethod(ops.min)


class CumSum(Primitive):
    """Calls ``ops.cumsum``, ``exclusive`` of the entry itself, ``reverse`` from the end on."""

    defaults: ClassVar = {"exclusive": False, "reverse": False}

    def __call__(self, input, axis):
        return accumulate.accumulate(ops.cumsum, input, axis, self.exclusive, self.reverse, 0)


class CumProd(CumSum):
    """Calls ``ops.cumprod``, ``exclusive`` of the entry itself, ``reverse`` from the end on."""

    def __call__(self, input, axis):
        return accumulate.accumulate(ops.cumprod, input, axis, self.exclusive, self.reverse, 1)


class Split(Primitive):
    """Calls ``ops.split``, into ``output_num`` equal parts along an axis."""

    defaults: ClassVar = {"axis": 0, "output_num": 1}

    def __call__(self, x):
        n = x.shape[self.axis]
        if n % self.output_num:
            raise ValueError(f"Split: {self.output_num} equal parts of an axis of {n} do not exist")
        return ops.split(x, n // self.output_num, self.axis)


class Range(Primitive):
    """Calls ``ops.range``."""

    defaults: ClassVar = {"maxlen": 1000000}
    function = staticmethod(ops.range)


class Meshgrid(Primitive):
    """Calls ``ops.meshgrid`` with the Tensors of a tuple."""

    defaults: ClassVar = {"indexing": "xy"}

    def __call__(self, inputs):
        return ops.meshgrid(*inputs, indexing=self.indexing)


__all__ = sorted(
    name
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Primitive) and not name.startswith("_")
)
