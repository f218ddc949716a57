"""Every op of the catalogue: what it computes, and its rules, to third order.

A sample is a line of ``SAMPLES``: the op, then its arguments; float arrays among them are
differentiated. An op without a sample fails a test, and so does one whose formula is missing.
"""

import importlib
import math
import pkgutil
import re

import numpy as np
import pytest
import samples
from check import arrays, check_grads

from minigrad import Tensor, grad, rules
from minigrad.op import OPS
from minigrad.rules import elementwise, index, linear, reduce, shape, special
from minigrad.tape import record
from minigrad.tensor import Node, wrap

MODULES = [
    importlib.import_module(f"{rules.__name__}.{module.name}")
    for module in pkgutil.iter_modules(rules.__path__)
]
CATALOGUE = {
    value.op: (name, value)
    for module in MODULES
    for name, value in vars(module).items()
    if callable(value) and hasattr(value, "op")
}


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    """Random numbers in a range; without a shape, a 0-d array."""
    return np.array(np.random.default_rng([seed, *shape]).uniform(low, high, shape))


A, B, ROW, COLUMN, POINT = (
    numbers(2, 3),
    numbers(2, 3, seed=1),
    numbers(3),
    numbers(2, 1),
    numbers(),
)
UP, UP_ROW = numbers(2, 3, low=0.3), numbers(3, low=0.3)  # above 0
UP_POINT, BELOW_POINT = numbers(low=0.3), numbers(high=-0.3)
IN, IN_POINT = A * 0.45, numbers(low=-0.9, high=0.9)  # between -1 and 1
OVER, OVER_POINT = UP + 1, numbers(low=1.2)  # above 1
CUBE = numbers(2, 3, 4)
WHOLE = np.array([[7, -7, 2], [5, 0, -3]])
WHOLE_ROW = np.array([2, 3, -4])
TRUTH = np.array([[True, False, True], [False, False, True]])
TRUTH_ROW = TRUTH[0]
ODD = np.array([np.nan, np.inf, -np.inf, 1.0])
ZEROS = np.array([[0.0, 1.5, -2.0], [0.0, 0.0, 3.0], [1.5, 2.0, 0.5]])
EMPTY = np.zeros((0, 3))
NUMBER, TRUE = np.array(-3), np.array(True)
PICK = np.array([2, 0, 2, 2])
PLACES = np.array([[1, 0, 1], [1, 1, 0]])

e, r, i, s = elementwise, reduce, index, shape
# fmt: off
SAMPLES = [
    # Arithmetic.
    (e.add, A, B), (e.add, A, ROW), (e.add, COLUMN, ROW), (e.add, POINT, A), (e.add, A, 2.5),
    (e.subtract, A, B), (e.subtract, ROW, A), (e.subtract, A, POINT), (e.subtract, 2.5, A),
    (e.multiply, A, B), (e.multiply, A, COLUMN), (e.multiply, COLUMN, ROW),
    (e.multiply, POINT, POINT), (e.multiply, A, -3), (e.multiply, EMPTY, ROW), (e.divide, A, UP),
    (e.divide, A, -UP_ROW), (e.divide, POINT, UP), (e.divide, 1.0, UP), (e.divide, A, -4),
    (e.power, UP, A), (e.power, UP_ROW, A), (e.power, UP, POINT), (e.power, A, 2), (e.power, A, 3),
    (e.power, UP, -1.5), (e.power, UP, 0.5), (e.power, A, 0), (e.power, A, 1), (e.power, A, -2),
    (e.power, 2.0, A), (e.power, UP_POINT, POINT), (e.power, 0.5, POINT),
    (e.power, A, np.array([2, 0, 3])), (e.power, ZEROS, 3), (e.floor_divide, WHOLE, WHOLE_ROW),
    (e.floor_divide, A, UP), (e.mod, A, UP), (e.mod, A, -UP_ROW), (e.mod, POINT, 0.3),
    (e.mod, 5.0, UP), (e.negative, A), (e.negative, POINT), (e.reciprocal, -UP),
    (e.reciprocal, UP_POINT), (e.square, A), (e.square, POINT),
    # Kinks and steps.
    (e.maximum, A, B), (e.maximum, A, ROW), (e.maximum, POINT, A), (e.maximum, A, 0.0),
    (e.minimum, A, B), (e.minimum, COLUMN, ROW), (e.minimum, A, POINT), (e.minimum, 0.0, A),
    (e.absolute, A), (e.absolute, POINT), (e.relu, A), (e.relu, POINT), (e.relu, BELOW_POINT),
    (e.clip, A, -1.0, 0.5), (e.clip, A, None, 0.5), (e.clip, A, -1.0, None),
    (e.clip, POINT, -1.0, 0.5), (e.relu6, A * 5), (e.relu6, POINT), (e.sign, A), (e.floor, A),
    (e.ceil, A), (e.rint, A), (e.rint, POINT),
    # Comparisons and logic.
    (e.greater, A, B), (e.greater, A, ROW), (e.greater_equal, A, A), (e.less, A, 0.0),
    (e.less_equal, A, A), (e.equal, A, A), (e.equal, WHOLE, WHOLE_ROW), (e.not_equal, A, A),
    (e.not_equal, A, B), (e.logical_and, TRUTH, TRUTH_ROW), (e.logical_or, TRUTH, TRUTH_ROW),
    (e.logical_xor, TRUTH, TRUTH_ROW), (e.logical_not, TRUTH), (e.bitwise_and, WHOLE, WHOLE_ROW),
    (e.bitwise_or, WHOLE, WHOLE_ROW), (e.bitwise_xor, WHOLE, WHOLE_ROW), (e.invert, WHOLE),
    (e.invert, TRUTH), (e.isnan, ODD), (e.isfinite, ODD), (e.isinf, ODD), (e.where, TRUTH, A, B),
    (e.where, TRUTH_ROW, A, POINT), (e.where, TRUTH, ROW, COLUMN), (e.where, TRUTH, 1.0, A),
    # Exponentials, powers, logarithms.
    (e.exp, A), (e.exp, POINT), (e.expm1, A), (e.expm1, POINT), (e.log, UP), (e.log, UP_POINT),
    (e.log1p, IN), (e.log1p, IN_POINT), (e.log2, UP), (e.log2, UP_POINT), (e.sqrt, UP),
    (e.sqrt, UP_POINT), (e.root, UP), (e.root, UP_POINT), (e.rsqrt, UP), (e.rsqrt, UP_POINT),
    (e.hypot, A, B), (e.hypot, A, ROW), (e.hypot, POINT, A),
    # Circular and hyperbolic functions.
    (e.sin, A), (e.sin, POINT), (e.cos, A), (e.cos, POINT), (e.tan, IN), (e.tan, IN_POINT),
    (e.arcsin, IN), (e.arcsin, IN_POINT), (e.arccos, IN), (e.arccos, IN_POINT), (e.arctan, A),
    (e.arctan, POINT), (e.arctan2, A, B), (e.arctan2, A, ROW), (e.arctan2, POINT, A), (e.sinh, A),
    (e.sinh, POINT), (e.cosh, A), (e.cosh, POINT), (e.tanh, A), (e.tanh, POINT), (e.arcsinh, A),
    (e.arcsinh, POINT), (e.arccosh, OVER), (e.arccosh, OVER_POINT), (e.arctanh, IN),
    (e.arctanh, IN_POINT),
    # Activations.
    (e.sigmoid, A), (e.sigmoid, POINT), (e.softplus, A), (e.softplus, POINT), (e.elu, A),
    (e.elu, A, 1.7), (e.elu, POINT, 0.5), (e.leaky_relu, A), (e.leaky_relu, A, 0.01),
    (e.leaky_relu, POINT),
    # Reductions.
    (r.sum, CUBE), (r.sum, CUBE, 1), (r.sum, CUBE, -1, True), (r.sum, CUBE, (0, -1)),
    (r.sum, POINT), (r.sum, EMPTY, 0), (r.mean, CUBE), (r.mean, CUBE, 1), (r.mean, CUBE, -1, True),
    (r.mean, CUBE, (2, 0)), (r.mean, POINT), (r.cumsum, CUBE, 1), (r.cumsum, CUBE, -1),
    (r.cumsum, ROW, 0), (r.amax, CUBE), (r.amax, CUBE, 1), (r.amax, CUBE, -1, True),
    (r.amax, CUBE, (0, -1)), (r.amax, POINT), (r.amin, CUBE), (r.amin, CUBE, 1),
    (r.amin, CUBE, -1, True), (r.amin, CUBE, (0, -1)), (r.amin, POINT), (r.argmax, CUBE),
    (r.argmax, CUBE, 1), (r.argmin, CUBE), (r.argmin, CUBE, -1, True),
    (r.argmax, CUBE, None, True), (r.argmin, POINT, 0), (r.argmax, POINT, -1),
    (r.places_in_order, CUBE, 1, False), (r.places_in_order, ROW, 0, True), (r.any, TRUTH),
    (r.any, TRUTH, 1), (r.all, TRUTH), (r.all, TRUTH, 0, True), (r.cumprod, CUBE, 1),
    (r.cumprod, CUBE, -1), (r.cumprod, ZEROS, 0), (r.cumprod, ZEROS, -1), (r.cumprod, ROW, 0),
    (r.prod, CUBE, 1), (r.prod, CUBE, -1, True), (r.prod, ZEROS, 0), (r.prod, ZEROS, -1),
    (r.prod, ROW, 0), (r.logsumexp, CUBE), (r.logsumexp, CUBE, 1), (r.logsumexp, CUBE, -1, True),
    (r.logsumexp, CUBE, (0, -1)), (r.logsumexp, POINT), (r.logsumexp, CUBE + 900, 1),
    (r.softmax, CUBE), (r.softmax, CUBE, 1), (r.softmax, ROW, 0), (r.softmax, CUBE - 900, -1),
    (r.log_softmax, CUBE), (r.log_softmax, CUBE, 1), (r.log_softmax, ROW, 0),
    (r.log_softmax, CUBE - 900, -1),
    (r.cross_entropy, A, np.array([2, 0])), (r.cross_entropy, A + 900, np.array([1, 1])),
    # Moving values.
    (s.identity, A), (s.identity, POINT), (s.stop_gradient, A), (s.cast, A, np.dtype(np.float64)),
    (s.cast, A, np.dtype(np.int32)), (s.reshape, CUBE, (4, 6)), (s.reshape, CUBE, (-1,)),
    (s.reshape, POINT, (1, 1)), (s.reshape, CUBE[:, :0], (2, -1)), (s.reshape, CUBE[:0], (-1, 5)),
    (s.reshape, CUBE, (4, -1)),
    (s.transpose, CUBE), (s.transpose, CUBE, (2, 0, 1)),
    (s.transpose, CUBE, (-1, 0, -2)), (s.transpose, POINT), (s.swapaxes, CUBE, 0, 2),
    (s.swapaxes, CUBE, -1, 1), (s.broadcast_to, COLUMN, (4, 2, 3)),
    (s.broadcast_to, POINT, (2, 2)), (s.concatenate, (A, B)), (s.concatenate, (A, ROW[None], B)),
    (s.concatenate, (A, COLUMN), 1), (s.concatenate, (A, COLUMN, A), -1),
    (s.concatenate, (EMPTY, A)), (s.pad, A, ((1, 0), (2, 3)), 0),
    (s.pad, A, ((0, 0), (1, 1)), 7.5), (s.pad, ROW, ((2, 0),), -1),
    # Picking and putting.
    (i.getitem, CUBE, 1), (i.getitem, CUBE, (slice(None), slice(None, None, -2))),
    (i.getitem, CUBE, (Ellipsis, None, -1)), (i.getitem, ROW, PICK),
    (i.getitem, CUBE, (slice(None), PICK, 1)), (i.getitem, A, TRUTH),
    (i.getitem, A, (PLACES, PLACES)), (i.getitem, ROW, TRUTH_ROW), (i.getitem, POINT, ()),
    (i.getitem, CUBE, (TRUTH, PICK[:3])), (i.getitem, ROW, 2), (i.scatter, A[1], 1, (2, 3)),
    (i.scatter, numbers(4), PICK, (3,)), (i.scatter, A, (PLACES, PLACES), (2, 3)),
    (i.scatter, numbers(3), TRUTH, (2, 3)), (i.scatter, POINT, (1, 1), (2, 3)),
    (i.assign, A, ROW, 1), (i.assign, A, POINT, (slice(None), 1)), (i.assign, A, 4.0, TRUTH),
    (i.assign, A, numbers(3), TRUTH), (i.assign, ROW, numbers(4), PICK),
    (i.assign, A, POINT, (PLACES, PLACES)), (i.assign, CUBE, A[..., None], slice(None)),
    (i.put_along, A, PLACES, 1, (2, 4)), (i.put_along, A, PLACES, 0, (2, 3)),
    (i.take_along, A, PLACES, 0), (i.take_along, A, PLACES, 1), (i.take_along, A, PLACES, -1),
    (i.take_along, CUBE, np.array([[[3, 0, 3]]] * 2), 2),
    # Products.
    (linear.matmul, A, CUBE[0]), (linear.matmul, ROW, CUBE[0]), (linear.matmul, A, ROW),
    (linear.matmul, ROW, numbers(3, seed=2)), (linear.matmul, numbers(5, 2, 3), CUBE[0]),
    (linear.matmul, numbers(5, 2, 3), numbers(5, 3, 4)), (linear.matmul, A, numbers(5, 3, 4)),
    (linear.matmul, numbers(7, 1, 2, 3), numbers(5, 3, 4)), (linear.matmul, ROW, numbers(5, 3, 4)),
    (linear.matmul, numbers(5, 2, 3), ROW), (linear.matmul, EMPTY, CUBE[0]),
    (linear.dense, A, numbers(4, 3), numbers(4)), (linear.dense, ROW, numbers(4, 3), numbers(4)),
    (linear.dense, numbers(5, 2, 3), numbers(4, 3), numbers(4)),
    (linear.dense, A, numbers(1, 3), POINT),
    # 0-d arrays, numbers below 0 and two shapes, where the lines above have none.
    (e.add, ROW, POINT), (e.subtract, POINT, A), (e.divide, POINT, BELOW_POINT),
    (e.floor_divide, POINT, BELOW_POINT), (e.mod, POINT, BELOW_POINT), (e.mod, A, UP_POINT),
    (e.fmod, BELOW_POINT, UP_POINT), (e.fmod, A, -UP_ROW), (e.maximum, ROW, POINT),
    (e.minimum, POINT, ROW), (e.sign, BELOW_POINT), (e.floor, BELOW_POINT),
    (e.trunc, BELOW_POINT), (e.ceil, BELOW_POINT), (e.greater, POINT, ROW),
    (e.greater, ROW, POINT), (e.greater_equal, POINT, ROW), (e.greater_equal, ROW, POINT),
    (e.less, POINT, ROW), (e.less, ROW, POINT), (e.less_equal, POINT, ROW),
    (e.less_equal, ROW, POINT), (e.equal, POINT, ROW), (e.equal, ROW, POINT),
    (e.not_equal, POINT, ROW), (e.not_equal, ROW, POINT), (e.logical_and, NUMBER, WHOLE),
    (e.logical_and, A, TRUE), (e.logical_and, TRUTH, WHOLE), (e.logical_or, NUMBER, WHOLE),
    (e.logical_or, A, TRUE), (e.logical_or, TRUTH, WHOLE), (e.logical_xor, NUMBER, WHOLE),
    (e.logical_xor, A, TRUE), (e.logical_xor, TRUTH, WHOLE), (e.logical_not, WHOLE),
    (e.logical_not, TRUE), (e.bitwise_and, NUMBER, WHOLE), (e.bitwise_and, WHOLE, NUMBER),
    (e.bitwise_or, NUMBER, WHOLE), (e.bitwise_or, WHOLE, NUMBER), (e.bitwise_xor, NUMBER, WHOLE),
    (e.bitwise_xor, WHOLE, NUMBER), (e.invert, NUMBER), (e.left_shift, NUMBER, PICK),
    (e.left_shift, WHOLE, np.array(2)),
    (e.right_shift, NUMBER, PICK), (e.right_shift, WHOLE, np.array(2)), (e.signbit, BELOW_POINT),
    (e.isnan, np.array(np.nan)), (e.isfinite, np.array(-np.inf)), (e.isinf, np.array(-np.inf)),
    (r.cumsum, POINT, 0), (r.cumsum, CUBE), (r.cumprod, POINT, -1), (r.cumprod, A), (r.prod, CUBE),
    (r.prod, ZEROS), (r.prod, CUBE, (0, -1), True), (r.prod, EMPTY, 0), (r.prod, EMPTY, 1),
    (r.softmax, EMPTY, 0), (r.log_softmax, EMPTY, 0), (r.softmax, POINT),
    (e.where, TRUE, A, ROW), (e.where, TRUTH, POINT, B), (e.logaddexp, A, POINT),
    (e.hypot, A, POINT), (e.arctan2, A, POINT), (e.softsign, A), (e.softsign, POINT),
    (special.polygamma, A, 2),
    (r.argmax, POINT), (r.argmin, POINT), (r.any, TRUE), (r.all, TRUE), (r.prod, POINT),
    (s.broadcast_to, -ROW, (2, 3)),
    *samples.SAMPLES,
]
# fmt: on


def place_of(index, shape):
    return np.arange(math.prod(shape)).reshape(shape)[index]


def put(x, places, shape):
    out = np.zeros(math.prod(shape))
    for value, place in zip(np.broadcast_to(x, places.shape).flat, places.flat, strict=True):
        out[place] += value
    return out.reshape(shape)


def assigned(x, value, index):
    out = x.copy()
    out[index] = value
    return out


def along(indices, axis, shape):
    places = list(np.indices(shape, sparse=True))
    places[axis] = indices
    return tuple(places)


# What numpy computes for an op, where numpy has no function by the name that the op has here.
IN_NUMPY = {
    "relu": lambda x: np.where(x > 0, x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "root": np.sqrt,
    "rsqrt": lambda x: x**-0.5,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "elu": lambda x, alpha=1.0: np.piecewise(
        x, [x > 0], [lambda x: x, lambda x: alpha * (np.exp(x) - 1)]
    ),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "leaky_relu": lambda x, alpha=0.2: x * np.where(x > 0, 1, alpha),
    "logsumexp": lambda x, axis=None, keepdims=False: np.logaddexp.reduce(
        x, axis=axis, keepdims=keepdims
    ),
    "softmax": lambda x, axis=-1: np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True)),
    "log_softmax": lambda x, axis=-1: x - np.logaddexp.reduce(x, axis=axis, keepdims=True),
    "cumsum": lambda x, axis=None: np.cumsum(x, axis) if x.ndim else x,
    "cumprod": lambda x, axis=None: np.cumprod(x, axis) if x.ndim else x,
    "cross_entropy": lambda x, labels: (
        np.logaddexp.reduce(x, axis=1) - x[np.arange(len(x)), labels]
    ),
    **samples.IN_NUMPY,
    "identity": np.array,
    "places_in_order": lambda x, axis, descending: np.argsort(-x if descending else x, axis),
    "stop_gradient": np.array,
    "cast": np.ndarray.astype,
    "pad": lambda x, widths, value: np.pad(x, widths, "constant", constant_values=value),
    "getitem": lambda x, index: x[index],
    "scatter": lambda x, index, shape: put(x, place_of(index, shape), shape),
    "assign": assigned,
    "put_along": lambda x, indices, axis, shape: put(
        x, place_of(along(indices, axis, shape), shape), shape
    ),
    "take_along": lambda x, indices, axis: x[along(indices, axis, x.shape)],
    "dense": lambda x, w, b: np.einsum("...i,oi->...o", x, w) + b,
}


def sample_id(sample):
    function, *arguments = sample
    return "-".join([str(function.op), *map(describe, arguments)])


def describe(x):
    if isinstance(x, np.ndarray):
        return x.dtype.kind + "x".join(map(str, x.shape))
    return re.sub(r"\s+", "", "+".join(map(describe, x)) if isinstance(x, tuple) else str(x))


def is_float(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def spread(arguments):
    """The arguments in a row; a sequence of arrays, if the first is one, joins it."""
    return [*arguments[0], *arguments[1:]] if type(arguments[0]) is tuple else list(arguments)


def as_tensors(op, arguments):
    """The arguments with Tensors where the op takes arrays."""
    given = zip(op.parameters, arguments, strict=False)
    return [on_tensor(x) if name in op.arrays else x for name, x in given]


def on_tensor(x):
    if type(x) is tuple:
        return tuple(map(wrap, x))
    return wrap(x) if isinstance(x, np.ndarray) else x


def on_floats(function, *arguments):
    """The op as a function of its float arrays alone, and those arrays."""
    return on_chosen(function, arguments, lambda name, x: is_float(x))


def on_arrays(function, *arguments):
    """The op as a function of all its arrays, and those arrays."""
    arrays = function.op.arrays
    return on_chosen(function, arguments, lambda n, x: n in arrays and isinstance(x, np.ndarray))


def on_chosen(function, arguments, chosen):
    """The op as a function of the arguments that are chosen by name and value, and those."""
    many = len(arguments[0]) if type(arguments[0]) is tuple else 0
    row = spread(arguments)
    names = [function.op.parameters[0]] * many + list(function.op.parameters[bool(many) :])
    places = [k for k, (name, x) in enumerate(zip(names, row, strict=False)) if chosen(name, x)]

    def call(*values):
        full = list(row)
        for k, x in zip(places, values, strict=True):
            full[k] = x
        return function(tuple(full[:many]), *full[many:]) if many else function(*full)

    return call, [row[k] for k in places]


def differentiable(sample):
    """The op has a rule, and a float comes out."""
    call, floats = on_floats(*sample)
    return bool(sample[0].op.rules) and arrays(call(*floats))[0].dtype.kind == "f"


every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=sample_id)
with_a_rule = pytest.mark.parametrize(
    "sample", list(filter(differentiable, SAMPLES)), ids=sample_id
)


# ------------------------------------------------------------------------- what must be there
def test_the_catalogue_is_found():
    assert {f.op for f in OPS.values()} == set(CATALOGUE)
    names = [str(op) for op in CATALOGUE]
    assert len(names) == len(set(names)), "two ops with one name"
    assert len(names) > 80


@pytest.mark.parametrize("op", CATALOGUE, ids=str)
def test_op_has_samples(op):
    of_op = [sample for sample in SAMPLES if sample[0].op is op]
    assert of_op, f"{op} has no sample: add a line to SAMPLES"
    for rule in op.rules:  # each input that has a rule is differentiated by a sample
        k = op.parameters.index(rule)
        assert any(is_float(x) or type(x) is tuple for x in (sample[1 + k] for sample in of_op)), (
            rule
        )


ELEMENT_BY_ELEMENT = [
    value.op
    for module in (elementwise, special)
    for value in vars(module).values()
    if getattr(value, "op", None) in CATALOGUE
]
COUNTS = [("left_shift", "y"), ("right_shift", "y")]  # of places: there are none below 0


def given(op, name):
    """The arrays that samples have for an input."""
    values = [s[1 + op.parameters.index(name)] for s in SAMPLES if s[0].op is op]
    return [x for value in values for x in (value if type(value) is tuple else [value])
            if isinstance(x, np.ndarray)]  # fmt: skip


def has_negative(op, name):
    return any((x < 0).any() for x in given(op, name) if x.dtype != np.bool_)


@pytest.mark.parametrize("op", ELEMENT_BY_ELEMENT, ids=str)
def test_elementwise_op_has_telling_samples(op):
    """For each input a number below 0 and a 0-d array; for two inputs, shapes that broadcast."""
    for name in op.arrays:
        assert any(x.ndim == 0 for x in given(op, name)), f"no 0-d {name}"
        if (str(op), name) not in [*COUNTS, ("where", "condition")]:
            assert has_negative(op, name) or is_nan_below_0(op), f"no {name} below 0"
    if len(op.arrays) > 1:
        rows = [[x.shape for x in s if isinstance(x, np.ndarray)] for s in SAMPLES if s[0].op is op]
        assert any(len(set(shapes)) > 1 for shapes in rows), "no two shapes that broadcast"


def is_nan_below_0(op):
    with np.errstate(invalid="ignore"):
        return len(op.arrays) == 1 and np.isnan(CATALOGUE[op][1](np.array([-0.1, -2.0]))).all()


@pytest.mark.parametrize("op", [op for op in CATALOGUE if op not in ELEMENT_BY_ELEMENT], ids=str)
def test_other_op_has_telling_samples(op):
    """For each input with a rule a number below 0; for what reduces any axes, a 0-d array."""
    for name in op.rules:
        assert has_negative(op, name), f"no {name} below 0"
    if "keepdims" in op.parameters:
        assert any(x.ndim == 0 for x in given(op, "x")), "no 0-d x"


@pytest.mark.parametrize("op", CATALOGUE, ids=str)
def test_op_and_rules_have_formulas(op):
    assert set(op.rules) <= set(op.rule_formulas)
    left, equals, right = op.formula.partition("=")
    assert equals
    assert right.strip()
    output = re.fullmatch(r"([yzYZ])(_i)?", left.strip())
    assert output, f"{left} is no name of an output"
    for x, formula in op.rule_formulas.items():
        if x in op.rules:
            assert re.search(rf"\\bar {output[1]}(?![a-z])", formula), (
                f"{formula}: no gradient of {output[1]}"
            )
        else:
            assert formula == "0"
    for formula in (op.formula, *op.rule_formulas.values()):
        assert formula.isascii()
        assert formula.count("{") == formula.count("}")
        assert set(re.findall(r"\\([A-Za-z]+)", formula)) <= LATEX | samples.LATEX, formula


LATEX = {
    *("alpha", "pi", "sigma"),
    *("arccos", "arcsin", "arctan", "arg", "cos", "cosh", "ln", "log", "max", "min"),
    *("sin", "sinh", "tan", "tanh"),
    *("bigvee", "bigwedge", "int", "land", "lnot", "lor", "oplus", "prod", "sum"),
    *("bar", "frac", "mathrm", "sqrt", "text", "textstyle", "top"),
    *("ge", "in", "ldots", "le", "ne", "lceil", "lfloor", "rceil", "rfloor"),
}


# --------------------------------------------------------------------------------- what it computes
@every_sample
def test_forward_is_numpys(sample):
    function, *arguments = sample
    name = CATALOGUE[function.op][0]
    in_numpy = IN_NUMPY.get(name) or getattr(np, name)
    plain = list(arguments)
    named = (
        {"keepdims": plain.pop()} if function.op.parameters[len(plain) - 1] == "keepdims" else {}
    )
    wanted = in_numpy(*plain, **named)
    on_arrays = function(*arguments)
    on_tensors = function(*as_tensors(function.op, arguments))
    for x, tensor, y in zip(*map(several, (on_arrays, on_tensors, wanted)), strict=True):
        assert isinstance(tensor, Tensor)
        assert not isinstance(x, Tensor)
        for got in (x, tensor.array):
            assert got.dtype == y.dtype
            np.testing.assert_allclose(got, y, rtol=1e-12, atol=1e-14, strict=not np.isscalar(got))


def several(outputs):
    """The outputs of an op, one or several, as a tuple."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


@with_a_rule
def test_rules_are_true_to_third_order(sample):
    call, floats = on_floats(*sample)
    check_grads(call, *floats, order=3)


@with_a_rule
def test_float32_stays_float32(sample):
    call, floats = on_floats(*sample)
    small = [Tensor(x.astype(np.float32)) for x in floats]
    if sample[0] is not shape.cast:
        assert {y.dtype for y in arrays(call(*small))} == {np.dtype(np.float32)}
    grads = grad(call, tuple(range(len(small))))(*small)
    exact = grad(call, tuple(range(len(small))))(*map(Tensor, floats))
    if len(small) == 1:
        grads, exact = (grads,), (exact,)
    for dx, wanted in zip(grads, exact, strict=True):
        assert dx.array.dtype == np.float32
        np.testing.assert_allclose(dx.array, wanted.array, rtol=3e-3, atol=3e-4)


@with_a_rule
def test_rule_returns_nothing_that_was_saved(sample):
    """A fresh array, g, or a view of g: the sweep adds in place into what a rule has made."""
    call, floats = on_floats(*sample)
    leaves = [wrap(x, Node(x)) for x in floats]
    _, tape, _ = record(call, leaves, {})
    for op, saved, sources, output in tape:
        g = [np.ones(node.shape, node.dtype) for node in several(output)]
        g = tuple(g) if isinstance(output, tuple) else g[0]
        held = [x for x in saved if isinstance(x, np.ndarray)] + floats
        copies = [x.copy() for x in held]
        made = [dx for dx in op.pull(g, sources, *saved) if dx is not None]
        for k, dx in enumerate(made):
            assert not any(np.shares_memory(dx, x) for x in held), f"gradient {k} is what was saved"
            for y in several(g):
                assert dx is y or dx.base is not None or not np.shares_memory(dx, y)
            for other in made[:k]:
                assert dx.base is not None or dx is g or not np.shares_memory(dx, other)
        assert all((y == 1).all() for y in several(g))
        for x, copy in zip(held, copies, strict=True):
            np.testing.assert_array_equal(x, copy)
