"""MindSpore's Primitive classes: objects that are made once, with their settings, and then called.

``ops.ReLU()(x)`` is ``ops.relu(x)``; ``ops.MatMul(transpose_b=True)(x, y)`` multiplies by y turned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from .. import dtype as dtypes
from ..rules import elementwise as element_rules
from ..rules.shape import swapaxes
from ..transform import stop_gradient
from . import (  # type: ignore[no-redef]  # shape: mypy finds the function of that name too
    activation,
    arrange,
    composed,
    create,
    elementwise,
    index,
    linalg,
    linear,
    loss,
    order,
    random,
    reduce,
    shape,
    write,
)  # fmt: skip


class Primitive:
    """A function with settings, given when it is made. Prints as MindSpore's do."""

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


def declare(name: str, function: Callable, **defaults) -> type[Primitive]:
    """A Primitive class that calls a function, with these settings and their defaults."""
    doc = f"Calls ``ops.{getattr(function, '__name__', name)}``."
    inside = {"function": staticmethod(function), "defaults": defaults, "__doc__": doc}
    return type(name, (Primitive,), {**inside, "__module__": __name__})


_WITHOUT_SETTINGS: dict[str, Callable] = {
    "ACos": elementwise.acos, "Abs": elementwise.abs, "Acosh": elementwise.acosh,
    "Add": elementwise.add, "AddN": composed.addn, "Addcdiv": composed.addcdiv,
    "Addcmul": composed.addcmul, "Asin": elementwise.asin, "Asinh": elementwise.asinh,
    "Assign": write.assign, "AssignAdd": write.assign_add, "AssignSub": write.assign_sub,
    "Atan": elementwise.atan, "Atan2": elementwise.atan2, "Atanh": elementwise.atanh,
    "BitwiseAnd": elementwise.bitwise_and, "BitwiseOr": elementwise.bitwise_or,
    "BitwiseXor": elementwise.bitwise_xor, "Cast": shape.cast, "Ceil": elementwise.ceil,
    "Cos": elementwise.cos, "Cosh": elementwise.cosh, "DType": shape.dtype,
    "Dense": linear.dense, "Diag": index.diag, "Digamma": elementwise.digamma,
    "Div": elementwise.div, "DivNoNan": composed.div_no_nan, "Equal": elementwise.equal,
    "Erf": elementwise.erf, "Erfc": elementwise.erfc, "Erfinv": elementwise.erfinv,
    "Exp": elementwise.exp, "Expand": arrange.expand, "ExpandDims": shape.expand_dims,
    "Expm1": elementwise.expm1, "Eye": create.eye, "FastGeLU": activation.fast_gelu,
    "Fill": create.fill, "Flatten": shape.flatten, "Floor": elementwise.floor,
    "FloorDiv": elementwise.floor_div, "FloorMod": elementwise.floor_mod,
    "Fmax": elementwise.fmax, "Fmin": elementwise.fmin, "GatherD": index.gather_d,
    "GatherNd": write.gather_nd, "Greater": elementwise.greater,
    "GreaterEqual": elementwise.greater_equal, "HSigmoid": activation.hardsigmoid,
    "HSwish": activation.hardswish, "Heaviside": composed.heaviside, "Hypot": elementwise.hypot,
    "Identity": shape.identity, "IndexFill": write.index_fill, "Inv": elementwise.inv,
    "Invert": elementwise.invert, "IsFinite": elementwise.isfinite, "IsInf": elementwise.isinf,
    "IsNan": elementwise.isnan, "LeftShift": elementwise.bitwise_left_shift,
    "Lerp": composed.lerp, "Less": elementwise.less, "LessEqual": elementwise.less_equal,
    "Lgamma": elementwise.lgamma, "LinSpace": create.linspace, "Log": elementwise.log,
    "Log1p": elementwise.log1p, "LogMatrixDeterminant": linalg.slogdet,
    "LogicalAnd": elementwise.logical_and, "LogicalNot": elementwise.logical_not,
    "LogicalOr": elementwise.logical_or, "LogicalXor": elementwise.logical_xor,
    "MaskedFill": elementwise.masked_fill, "MaskedSelect": index.masked_select,
    "MatrixDeterminant": linalg.det, "Maximum": elementwise.maximum,
    "Minimum": elementwise.minimum, "Mish": activation.mish, "Mod": elementwise.mod,
    "Mul": elementwise.mul, "MulNoNan": composed.mul_no_nan, "Neg": elementwise.neg,
    "NonZero": order.nonzero, "NotEqual": elementwise.not_equal, "Ones": create.ones,
    "OnesLike": create.ones_like, "PReLU": activation.prelu, "Polygamma": composed.polygamma,
    "Pow": elementwise.pow, "Rank": shape.rank, "ReLU": activation.relu,
    "ReLU6": activation.relu6, "RealDiv": elementwise.div, "Reciprocal": elementwise.reciprocal,
    "Reshape": shape.reshape, "RightShift": elementwise.bitwise_right_shift,
    "Rint": element_rules.rint, "Round": elementwise.round, "Rsqrt": elementwise.rsqrt,
    "ScalarToTensor": create.scalar_to_tensor, "ScatterNd": write.scatter_nd,
    "SeLU": activation.selu, "Select": elementwise.select, "Shape": shape.shape,
    "Sigmoid": activation.sigmoid, "Sign": elementwise.sign, "Sin": elementwise.sin,
    "Sinh": elementwise.sinh, "Size": shape.size, "Slice": arrange.slice_,
    "Softplus": activation.softplus, "Softsign": activation.softsign, "Sqrt": elementwise.sqrt,
    "Square": elementwise.square, "SquaredDifference": composed.squared_difference,
    "StopGradient": stop_gradient, "Sub": elementwise.sub, "Tan": elementwise.tan,
    "Tanh": elementwise.tanh, "TensorAdd": elementwise.add,
    "TensorScatterAdd": write.tensor_scatter_add,
    "TensorScatterDiv": write.tensor_scatter_div,
    "TensorScatterMax": write.tensor_scatter_max,
    "TensorScatterMin": write.tensor_scatter_min,
    "TensorScatterMul": write.tensor_scatter_mul,
    "TensorScatterSub": write.tensor_scatter_sub,
    "TensorScatterUpdate": write.tensor_scatter_update, "Tile": shape.tile,
    "Trace": index.trace, "Transpose": shape.transpose, "Trunc": elementwise.trunc,
    "TruncateDiv": composed.truncate_div, "TruncateMod": elementwise.truncate_mod,
    "Unique": order.unique, "UnsortedSegmentMax": write.unsorted_segment_max,
    "UnsortedSegmentMin": write.unsorted_segment_min,
    "UnsortedSegmentProd": write.unsorted_segment_prod,
    "UnsortedSegmentSum": write.unsorted_segment_sum, "Xdivy": composed.xdivy,
    "Xlogy": composed.xlogy, "Zeros": create.zeros, "ZerosLike": create.zeros_like,
}  # fmt: skip

_LAST = {"axis": -1}
_WITH_SETTINGS: dict[str, tuple[Callable, dict[str, Any]]] = {
    "ApproximateEqual": (composed.approximate_equal, {"tolerance": 1e-05}),
    "BinaryCrossEntropy": (loss.binary_cross_entropy, {"reduction": "mean"}),
    "BCEWithLogitsLoss": (loss.binary_cross_entropy_with_logits, {"reduction": "mean"}),
    "BroadcastTo": (shape.broadcast_to, {"shape": ()}),
    "CeLU": (activation.celu, {"alpha": 1.0}),
    "Cholesky": (linalg.cholesky, {"upper": False}),
    "Cummax": (order.cummax, _LAST), "Cummin": (order.cummin, _LAST),
    "Concat": (shape.concat, {"axis": 0}), "Stack": (shape.stack, {"axis": 0}),
    "Elu": (activation.elu, {"alpha": 1.0}),
    "GLU": (activation.glu, _LAST),
    "Gather": (index.gather, {"batch_dims": 0}),
    "HShrink": (activation.hardshrink, {"lambd": 0.5}),
    "IsClose": (composed.isclose, {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False}),
    "KLDivLoss": (loss.kl_div, {"reduction": "mean"}),
    "LogSoftmax": (reduce.log_softmax, _LAST),
    "MatrixSolve": (linalg.matrix_solve, {"adjoint": False}),
    "MirrorPad": (shape.mirror_pad, {"mode": "REFLECT"}),
    "OneHot": (index.one_hot, _LAST),
    "ReverseV2": (arrange.reverse, {"axis": ()}),
    "Roll": (arrange.roll, {"shifts": 0, "dims": None}),
    "ScatterAdd": (write.scatter_add, {}), "ScatterUpdate": (write.scatter_update, {}),
    "SmoothL1Loss": (loss.smooth_l1_loss, {"beta": 1.0, "reduction": "none"}),
    "SoftShrink": (activation.softshrink, {"lambd": 0.5}),
    "Sort": (order.sort, {"axis": -1, "descending": False}),
    "StandardNormal": (random.standard_normal, {}), "UniformReal": (random.rand, {}),
    "StridedSlice": (arrange.strided_slice, dict.fromkeys(
        ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)),
    "TensorScatterElements": (write.tensor_scatter_elements, {"axis": 0, "reduction": "none"}),
    "TopK": (order.top_k, {"sorted": True}),
    "Tril": (index.tril, {"diagonal": 0}), "Triu": (index.triu, {"diagonal": 0}),
    "Unstack": (arrange.unstack, {"axis": 0}),
}  # fmt: skip

globals().update({name: declare(name, function) for name, function in _WITHOUT_SETTINGS.items()})
globals().update({n: declare(n, function, **d) for n, (function, d) in _WITH_SETTINGS.items()})


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
        return type(self).function(x, None if axis in ((), []) else axis, self.keep_dims)


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


class Squeeze(Primitive):
    """Calls ``ops.squeeze``; no axis means all of length 1."""

    function = staticmethod(shape.squeeze)

    def __init__(self, axis: int | tuple[int, ...] = ()):
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def settings(self) -> dict:
        return {"axis": None if self.axis == () else self.axis}


class GeLU(Primitive):
    """Calls ``ops.gelu`` with approximate="tanh"."""

    def __call__(self, x):
        return activation.gelu(x, "tanh")


class ReduceAll(_Reduce):
    """Calls ``ops.all``; no axis means all."""

    function = staticmethod(reduce.all)


class ReduceAny(_Reduce):
    """Calls ``ops.any``; no axis means all."""

    function = staticmethod(reduce.any)


class Argmax(Primitive):
    """The index of the largest entry along an axis."""

    defaults: ClassVar = {"axis": -1, "output_type": dtypes.int32}
    function: Callable = staticmethod(reduce.argmax)

    def __call__(self, x):
        return type(self).function(x, self.axis).astype(self.output_type)


class Argmin(Argmax):
    """The index of the smallest entry along an axis."""

    function = staticmethod(reduce.argmin)


class ArgMaxWithValue(Primitive):
    """The index of the largest entry along an axis, and the entry."""

    defaults: ClassVar = {"axis": 0, "keep_dims": False}
    function = staticmethod(reduce.max)

    def __call__(self, x):
        values, indices = type(self).function(x, self.axis, self.keep_dims)
        return indices, values


class ArgMinWithValue(ArgMaxWithValue):
    """The index of the smallest entry along an axis, and the entry."""

    function = staticmethod(reduce.min)


class CumSum(Primitive):
    """Sums along an axis, ``exclusive`` of the entry itself, ``reverse`` from the end on."""

    defaults: ClassVar = {"exclusive": False, "reverse": False}

    def __call__(self, input, axis):
        return reduce.accumulate(reduce.cumsum, input, axis, self.exclusive, self.reverse, 0)


class CumProd(CumSum):
    """Products along an axis, ``exclusive`` of the entry itself, ``reverse`` from the end on."""

    def __call__(self, input, axis):
        return reduce.accumulate(reduce.cumprod, input, axis, self.exclusive, self.reverse, 1)


class Split(Primitive):
    """``output_num`` equal parts along an axis."""

    defaults: ClassVar = {"axis": 0, "output_num": 1}

    def __call__(self, x):
        n = x.shape[self.axis]
        if n % self.output_num:
            raise ValueError(f"Split: {self.output_num} equal parts of an axis of {n} do not exist")
        return shape.split(x, n // self.output_num, self.axis)


class Range(Primitive):
    """Calls ``ops.range``."""

    defaults: ClassVar = {"maxlen": 1000000}
    function = staticmethod(create.range)


class Meshgrid(Primitive):
    """Calls ``ops.meshgrid`` with the Tensors of a tuple."""

    defaults: ClassVar = {"indexing": "xy"}

    def __call__(self, inputs):
        return shape.meshgrid(*inputs, indexing=self.indexing)


__all__ = sorted(
    name
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Primitive) and not name.startswith("_")
)
