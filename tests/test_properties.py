"""Values, dtypes and gradients over shapes, dtypes, axes and settings that nobody chose by hand.

What is expected comes from numpy and scipy on plain arrays, the dtypes from what MindSpore answered
(``data/promotion.json``), and gradients from central differences. ``ops/test_indexing.py`` does the
same for more kinds of indices.
"""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from check import check_grads
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special

from minigrad import Tensor, ops, value_and_grad

few, some, many = (settings(max_examples=n) for n in (12, 40, 100))

FLOATS = [np.float16, np.float32, np.float64]
WHOLE = [np.int8, np.int16, np.int32, np.int64, np.uint8]
TOLERANCE = {np.float16: 2e-2, np.float32: 2e-5, np.float64: 1e-12}
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3)
FILLED = hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=3)
SEEDS = st.integers(0, 2**16)


def numbers(shape, seed, low=-2.0, high=2.0):
    """Numbers between two bounds, in random order: none is near another, or near a whole number."""
    n = math.prod(shape)
    order = np.random.default_rng(seed).permutation(n)
    return np.reshape(low + (high - low) * (order + 0.3 + seed % 5 * 0.11) / max(n, 1), shape)


def agree(function, in_numpy, *arrays):
    """Value and shape are numpy's; gradients are true; both have the dtype that goes in."""
    for dtype in FLOATS:
        inputs = [Tensor(x.astype(dtype)) for x in arrays]
        wanted = in_numpy(*(x.astype(dtype).astype(np.float64) for x in arrays))
        places = tuple(range(len(inputs)))
        value, grads = value_and_grad(function, places)(*inputs)
        assert value.asnumpy().dtype == dtype
        assert value.shape == np.shape(wanted)
        scale = 1 + np.max(np.abs(wanted), initial=0)
        assert np.all(np.abs(value.asnumpy() - wanted) <= TOLERANCE[dtype] * scale)
        for x, dx in zip(inputs, grads if len(inputs) > 1 else (grads,), strict=True):
            assert (dx.shape, dx.dtype) == (x.shape, x.dtype)
    check_grads(function, *arrays, order=1)


def moves(function, in_numpy, *arrays):
    """What only moves values does so for every dtype, and leaves the dtype alone."""
    for dtype in [np.bool_, np.int8, np.int64, np.uint8]:
        plain = [np.abs(x * 50).astype(dtype) for x in arrays]
        found = function(*map(Tensor, plain))
        np.testing.assert_array_equal(found.asnumpy(), in_numpy(*plain), strict=True)
    agree(function, in_numpy, *arrays)


@st.composite
def shape_and_axes(draw, shapes=SHAPES):
    """A shape, and the axis of a reduction over it: None, a number of either sign, or several."""
    shape = draw(shapes)
    axes = [None]
    if shape:
        one = st.integers(-len(shape), len(shape) - 1)
        axes += [draw(one), tuple(draw(st.lists(one, unique_by=lambda a: a % len(shape))))]
    axis = draw(st.sampled_from(axes))
    return shape, None if axis == () else axis


@st.composite
def shape_and_axis(draw, shapes=SHAPES):
    """A shape with an axis at least, and one of its axes, of either sign."""
    shape = draw(shapes.filter(len))
    return shape, draw(st.integers(-len(shape), len(shape) - 1))


# ------------------------------------------------------------------------------- element by element
OF_ONE = {
    "abs": (np.abs, -2, 2),
    "acos": (np.arccos, -0.9, 0.9),
    "acosh": (np.arccosh, 1.2, 3),
    "asin": (np.arcsin, -0.9, 0.9),
    "asinh": (np.arcsinh, -2, 2),
    "atan": (np.arctan, -2, 2),
    "atanh": (np.arctanh, -0.9, 0.9),
    "ceil": (np.ceil, -2, 2),
    "cos": (np.cos, -2, 2),
    "cosh": (np.cosh, -2, 2),
    "digamma": (special.digamma, 0.5, 3),
    "erf": (special.erf, -2, 2),
    "exp": (np.exp, -2, 2),
    "expm1": (np.expm1, -2, 2),
    "gelu": (lambda x: x * special.ndtr(x), -2, 2),
    "lgamma": (special.gammaln, 0.5, 3),
    "log": (np.log, 0.3, 3),
    "log1p": (np.log1p, -0.7, 3),
    "logsigmoid": (special.log_expit, -2, 2),
    "relu": (lambda x: np.maximum(x, 0), -2, 2),
    "rsqrt": (lambda x: x**-0.5, 0.3, 3),
    "sigmoid": (special.expit, -2, 2),
    "sin": (np.sin, -2, 2),
    "softplus": (lambda x: np.logaddexp(x, 0), -2, 2),
    "sqrt": (np.sqrt, 0.3, 3),
    "square": (np.square, -2, 2),
    "tan": (np.tan, -1, 1),
    "tanh": (np.tanh, -2, 2),
}
FLOAT_ALONE = sorted(OF_ONE.keys() - {"abs", "ceil", "relu", "square"})
OF_TWO = {
    "add": np.add,
    "atan2": np.arctan2,
    "div": np.divide,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mul": np.multiply,
    "pow": np.power,
    "sub": np.subtract,
    "xlogy": special.xlogy,
}


@many
@given(st.sampled_from(sorted(OF_ONE)), SHAPES, SEEDS)
def test_functions_of_one(name, shape, seed):
    in_numpy, low, high = OF_ONE[name]
    agree(getattr(ops, name), in_numpy, numbers(shape, seed, low, high))


@some
@given(st.sampled_from(FLOAT_ALONE), st.sampled_from(WHOLE), SHAPES)
def test_functions_of_floats_make_whole_numbers_float32(name, dtype, shape):
    x = np.ones(shape, dtype)
    with np.errstate(all="ignore"):
        value, wanted = getattr(ops, name)(Tensor(x)).asnumpy(), OF_ONE[name][0](x * 1.0)
    np.testing.assert_allclose(value, wanted.astype(np.float32), rtol=1e-5, strict=True)


@many
@given(
    st.sampled_from(sorted(OF_TWO)),
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=3),
    SEEDS,
)
def test_functions_of_two_broadcast(name, shapes, seed):
    x, y = (numbers(s, seed + k, 0.5, 2.5) for k, s in enumerate(shapes.input_shapes))
    agree(getattr(ops, name), OF_TWO[name], x, y)


@some
@given(
    hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, min_side=0, max_side=3),
    SEEDS,
)
def test_where_broadcasts(shapes, seed):
    mask, x, y = (numbers(s, seed + k) for k, s in enumerate(shapes.input_shapes))
    agree(
        lambda x, y: ops.where(Tensor(mask > 0), x, y), lambda x, y: np.where(mask > 0, x, y), x, y
    )


PROMOTION = json.loads((Path(__file__).parent / "data" / "promotion.json").read_text())
CALLS = {"add": ops.add, "div": ops.div, "pow": ops.pow, "maximum": ops.maximum}
DTYPES = sorted(PROMOTION["tensors"]["add"])


@few
@given(
    st.sampled_from(sorted(CALLS)),
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=2),
)
def test_the_dtype_does_not_depend_on_the_shapes(name, shapes):
    one, other = shapes.input_shapes
    for first, second in itertools.product(DTYPES, [*DTYPES, "True", "2", "1.5"]):
        number = second not in DTYPES
        wanted = PROMOTION["numbers" if number else "tensors"][name][first][second]
        if wanted is None:  # MindSpore refuses, and minigrad may answer
            continue
        y = eval(second) if number else Tensor(np.ones(other, second))
        found = CALLS[name](Tensor(np.ones(one, first)), y)
        assert found.asnumpy().dtype == wanted, (first, second)
        assert found.shape == (one if number else shapes.result_shape)


# ------------------------------------------------------------------------ reductions, accumulations
def _norm(x, axis, keepdims):
    return np.sqrt(np.sum(x * x, axis, keepdims=keepdims))


REDUCTIONS = {
    "sum": (ops.sum, np.sum),
    "mean": (ops.mean, np.mean),
    "prod": (ops.prod, np.prod),
    "amax": (ops.amax, np.max),
    "amin": (ops.amin, np.min),
    "var": (lambda x, axis, keep: ops.var(x, axis, 0, keep), np.var),
    "std": (lambda x, axis, keep: ops.std(x, axis, 0, keep), np.std),
    "norm": (lambda x, axis, keep: ops.norm(x, None, axis, keep), _norm),
    "logsumexp": (ops.logsumexp, np.logaddexp.reduce),
}
OF_NOTHING = {"sum", "prod"}  # these have an answer for no entries at all


@many
@given(st.data(), st.sampled_from(sorted(REDUCTIONS)), st.booleans(), SEEDS)
def test_reductions(data, name, keep, seed):
    shape, axis = data.draw(shape_and_axes(SHAPES if name in OF_NOTHING else FILLED))
    function, in_numpy = REDUCTIONS[name]
    x = numbers(shape, seed)
    if name == "std":  # it has a kink where all entries are equal
        assume(np.min(np.std(x, axis)) > 0.01)
    agree(lambda x: function(x, axis, keep), lambda x: in_numpy(x, axis=axis, keepdims=keep), x)


@some
@given(shape_and_axes(), st.booleans(), st.sampled_from([*WHOLE, np.bool_]), SEEDS)
def test_sums_and_products_of_whole_numbers_are_int64(sample, keep, dtype, seed):
    shape, axis = sample
    x = np.random.default_rng(seed).integers(0, 3, shape).astype(dtype)
    for function, in_numpy in (ops.sum, np.sum), (ops.prod, np.prod):
        wanted = in_numpy(x, axis, keepdims=keep, dtype=np.int64)
        found = function(Tensor(x), axis, keep).asnumpy()
        np.testing.assert_array_equal(found, wanted, strict=isinstance(wanted, np.ndarray))
        assert found.dtype == np.int64


@some
@given(shape_and_axes(), st.booleans(), SEEDS)
def test_any_and_all(sample, keep, seed):
    shape, axis = sample
    x = numbers(shape, seed) > 0
    for function, in_numpy in (ops.any, np.any), (ops.all, np.all):
        found = function(Tensor(x), axis, keep).asnumpy()
        assert found.dtype == np.bool_
        assert found.shape == np.shape(in_numpy(x, axis, keepdims=keep))
        assert (found == in_numpy(x, axis, keepdims=keep)).all()


@some
@given(shape_and_axis(FILLED), st.booleans(), SEEDS)
def test_places_of_extremes(sample, ties, seed):
    shape, axis = sample
    x = numbers(shape, seed).round() if ties else numbers(shape, seed)
    for function, extreme, places in (ops.max, np.max, np.argmax), (ops.min, np.min, np.argmin):
        values, found = function(Tensor(x), axis)
        np.testing.assert_array_equal(values.asnumpy(), extreme(x, axis), strict=len(shape) > 1)
        np.testing.assert_array_equal(found.asnumpy(), places(x, axis))
    if not ties:
        check_grads(lambda x: ops.max(x, axis)[0], x, order=1)


@some
@given(shape_and_axis(), SEEDS)
def test_accumulations(sample, seed):
    shape, axis = sample
    x = numbers(shape, seed)
    agree(lambda x: ops.cumsum(x, axis), lambda x: np.cumsum(x, axis), x)
    agree(lambda x: ops.cumprod(x, axis), lambda x: np.cumprod(x, axis), x)
    whole = (x * 2).astype(np.int16)
    np.testing.assert_array_equal(
        ops.cumsum(Tensor(whole), axis).asnumpy(), np.cumsum(whole, axis, np.int16), strict=True
    )


@some
@given(shape_and_axis(), SEEDS)
def test_softmax_and_its_kin(sample, seed):
    shape, axis = sample
    x = numbers(shape, seed, -6, 6)
    agree(lambda x: ops.softmax(x, axis), lambda x: np.exp(x - _logsumexp(x, axis)), x)
    agree(lambda x: ops.softmin(x, axis), lambda x: np.exp(-x - _logsumexp(-x, axis)), x)
    agree(lambda x: ops.log_softmax(x, axis), lambda x: x - _logsumexp(x, axis), x)
    whole = Tensor(np.abs(x * 9).astype(np.uint8))
    np.testing.assert_allclose(
        ops.softmin(whole, axis).asnumpy(), ops.softmax(-1.0 * whole, axis).asnumpy()
    )
    for n in (300, -300):  # far from 0, nothing changes
        far = ops.softmax(Tensor(x + n), axis).asnumpy()
        np.testing.assert_allclose(far, np.exp(x - _logsumexp(x, axis)), rtol=1e-9)


def _logsumexp(x, axis):
    return np.logaddexp.reduce(x, axis, keepdims=True)


# ------------------------------------------------------------------------------------ moving values
@st.composite
def reshapes(draw):
    """A shape, and another of as many entries, perhaps with one length left open."""
    shape = draw(SHAPES)
    lengths, rest = [], math.prod(shape)
    for _ in range(draw(st.integers(0, 3))):
        n = draw(st.sampled_from([k for k in range(1, 7) if rest % k == 0]))
        lengths, rest = [*lengths, n], rest // n
    new = draw(st.permutations([*lengths, rest]))
    if rest and draw(st.booleans()):
        new[draw(st.integers(0, len(new) - 1))] = -1
    return shape, tuple(new)


@some
@given(reshapes(), SEEDS)
def test_reshape(sample, seed):
    shape, new = sample
    moves(lambda x: ops.reshape(x, new), lambda x: x.reshape(new), numbers(shape, seed))


@some
@given(st.data(), SHAPES, SEEDS)
def test_turning_axes(data, shape, seed):
    axes = data.draw(st.permutations(range(len(shape))))
    signs = data.draw(st.tuples(*[st.booleans()] * len(shape)))
    axes = tuple(a - len(shape) if minus else a for a, minus in zip(axes, signs, strict=True))
    x = numbers(shape, seed)
    moves(lambda x: ops.transpose(x, axes), lambda x: x.transpose(axes), x)
    if shape:
        moves(
            lambda x: ops.swapaxes(x, axes[0], axes[-1]), lambda x: x.swapaxes(axes[0], axes[-1]), x
        )


@some
@given(st.data(), SHAPES, SEEDS)
def test_axes_of_length_one(data, shape, seed):
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    ones = [k for k, n in enumerate(shape) if n == 1]
    gone = tuple(data.draw(st.lists(st.sampled_from(ones), unique=True))) if ones else ()
    x = numbers(shape, seed)
    moves(lambda x: ops.expand_dims(x, axis), lambda x: np.expand_dims(x, axis), x)
    moves(lambda x: ops.squeeze(x, gone), lambda x: np.squeeze(x, gone), x)
    moves(ops.squeeze, np.squeeze, x)


@some
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3), SEEDS)
def test_broadcast_to(shapes, seed):
    full, x = shapes.result_shape, numbers(shapes.input_shapes[0], seed)
    moves(lambda x: ops.broadcast_to(x, full), lambda x: np.broadcast_to(x, full), x)


@some
@given(st.data(), shape_and_axis(), SEEDS)
def test_joining(data, sample, seed):
    shape, axis = sample
    lengths = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    parts = [
        numbers([n if a == axis % len(shape) else m for a, m in enumerate(shape)], seed + k)
        for k, n in enumerate(lengths)
    ]
    moves(lambda *xs: ops.concat(xs, axis), lambda *xs: np.concatenate(xs, axis), *parts)
    same = [numbers(shape, seed + k) for k in range(len(lengths))]
    moves(lambda *xs: ops.stack(xs, axis), lambda *xs: np.stack(xs, axis), *same)


@some
@given(st.data(), shape_and_axis(FILLED), SEEDS)
def test_splitting(data, sample, seed):
    shape, axis = sample
    n = shape[axis]
    size = data.draw(st.integers(1, n + 1))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=3)))
    sizes = np.diff([0, *cuts, n]).tolist()
    x = numbers(shape, seed)
    of_size = np.split(x, range(size, n, size), axis)
    for found, wanted in (
        (ops.split(Tensor(x), size, axis), of_size),
        (ops.split(Tensor(x), sizes, axis), np.split(x, cuts, axis)),
        (
            ops.chunk(Tensor(x), size, axis),
            np.split(x, range(-(-n // size), n, -(-n // size)), axis),
        ),
    ):
        assert len(found) == len(wanted)
        for part, plain in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(part.asnumpy(), plain, strict=True)
    check_grads(lambda x: ops.split(x, sizes, axis), x, order=1)


@some
@given(st.data(), FILLED, SEEDS)
def test_padding_and_cutting(data, shape, seed):
    known = data.draw(st.integers(0, len(shape)))
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * 2), min_size=known, max_size=known))
    widths = [(0, 0)] * (len(shape) - known) + pairs
    flat = [n for pair in reversed(pairs) for n in pair]
    x = numbers(shape, seed)

    def padded(x, **settings):
        return np.pad(x, widths, **settings) if shape else x

    moves(lambda x: ops.pad(x, flat), padded, x)
    agree(lambda x: ops.pad(x, flat, value=1.5), lambda x: padded(x, constant_values=1.5), x)
    agree(lambda x: ops.pad(x, flat, "replicate"), lambda x: padded(x, mode="edge"), x)
    back = ops.pad(Tensor(padded(x)), [-n for n in flat])
    np.testing.assert_array_equal(back.asnumpy(), x, strict=True)


@some
@given(st.data(), SHAPES.filter(len), SEEDS)
def test_flipping_rolling_tiling(data, shape, seed):
    one = st.integers(-len(shape), len(shape) - 1)
    axes = tuple(data.draw(st.lists(one, min_size=1, unique_by=lambda a: a % len(shape))))
    shifts = tuple(data.draw(st.integers(-4, 4)) for _ in axes)
    times = tuple(data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=len(shape) + 1)))
    x = numbers(shape, seed)
    moves(lambda x: ops.flip(x, axes), lambda x: np.flip(x, axes), x)
    moves(lambda x: ops.roll(x, shifts, axes), lambda x: np.roll(x, shifts, axes), x)
    moves(lambda x: ops.roll(x, shifts[0]), lambda x: np.roll(x, shifts[0]), x)
    moves(lambda x: ops.tile(x, times), lambda x: np.tile(x, times), x)


# ------------------------------------------------------------------------------ picking and writing
@st.composite
def shape_and_index(draw):
    """A shape, perhaps with an empty axis, and an index that may mix all that numpy takes."""
    if draw(st.integers(0, 2)) == 0:
        shape = draw(SHAPES)
        return shape, draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=5))
    shape = draw(FILLED)
    picked = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=3))
    key = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        part = draw(st.sampled_from(["numbers", "numbers", "mask", "slice", "number"]))
        if part == "number":
            key.append(draw(st.integers(-n, n - 1)))
        elif part == "slice":
            key.append(draw(st.slices(n)))
        elif part == "numbers":
            key.append(draw(hnp.arrays(np.int64, picked, elements=st.integers(-n, n - 1))))
        else:  # as many places as the other arrays have along their last axis
            if n < picked[-1]:
                key.append(slice(None))
                continue
            key.append(np.arange(n) < picked[-1])
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.booleans()):
        key.append(Ellipsis)
    return shape, tuple(key)


def with_tensors(key):
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(Tensor(k) if isinstance(k, np.ndarray) else k for k in parts)


@many
@given(shape_and_index(), SEEDS)
def test_picking(sample, seed):
    shape, key = sample
    moves(lambda x: x[with_tensors(key)], lambda x: np.array(x[key]), numbers(shape, seed))


@many
@given(shape_and_index(), SEEDS, st.booleans())
def test_writing(sample, seed, one):
    shape, key = sample
    x = numbers(shape, seed)
    value = numbers(() if one else x[key].shape, seed + 1)

    def written(x, value):
        out = x.copy()
        out[with_tensors(key) if isinstance(x, Tensor) else key] = value
        return out

    wanted = written(x, value)
    np.testing.assert_array_equal(written(Tensor(x), Tensor(value)).asnumpy(), wanted, strict=True)
    check_grads(written, x, value, order=1)


# ----------------------------------------------------------------------------------------- products
@some
@given(
    hnp.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_dims=2, max_side=3,
                                      min_side=0),
    SEEDS,
)  # fmt: skip
def test_matmul(shapes, seed):
    x, y = (numbers(s, seed + k) for k, s in enumerate(shapes.input_shapes))
    agree(ops.matmul, np.matmul, x, y)
    whole, other = ((v * 3).astype(np.int32) for v in (x, y))
    np.testing.assert_array_equal(
        (Tensor(whole) @ Tensor(other)).asnumpy(), np.array(whole @ other), strict=True
    )


@st.composite
def equations(draw):
    """An equation for one to three operands, and their shapes."""
    lengths = {letter: draw(st.integers(0, 3)) for letter in "abcd"}
    terms = draw(st.lists(st.lists(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=3))
    used = sorted({letter for term in terms for letter in term})
    to = draw(st.lists(st.sampled_from(used), unique=True)) if used else []
    equation = ",".join(map("".join, terms)) + "->" + "".join(to)
    return equation, [tuple(lengths[letter] for letter in term) for term in terms]


@many
@given(equations(), SEEDS)
def test_einsum(sample, seed):
    equation, shapes = sample
    xs = [numbers(s, seed + k) for k, s in enumerate(shapes)]
    agree(lambda *xs: ops.einsum(equation, *xs), lambda *xs: np.einsum(equation, *xs), *xs)


# -------------------------------------------------------------------------------- windows of images
@st.composite
def windows(draw, dilations=(1, 2)):
    """The lengths of images, then window, stride, padding and dilation, each for two axes."""

    def pair(low, high):
        return draw(st.integers(low, high)), draw(st.integers(low, high))

    window, stride, padding = pair(1, 3), pair(1, 3), pair(0, 1)
    dilation = tuple(draw(st.sampled_from(dilations)) for _ in window)
    padding = tuple(min(p, k // 2) for p, k in zip(padding, window, strict=True))
    least = [(k - 1) * d + 1 - 2 * p for k, d, p in zip(window, dilation, padding, strict=True)]
    space = tuple(max(n, 1) + draw(st.integers(0, 3)) for n in least)
    return space, window, stride, padding, dilation


def cut_out(x, window, stride, padding, dilation, value=0.0):
    """Every window: (batch, channels, height, width, *window)."""
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)], constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    found = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    return found[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


@some
@given(windows(), st.integers(0, 2), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2), SEEDS)
def test_conv2d(sample, batch, groups, inside, outside, seed):
    space, window, stride, padding, dilation = sample
    x = numbers((batch, groups * inside, *space), seed)
    w = numbers((groups * outside, inside, *window), seed + 1)
    b = numbers((groups * outside,), seed + 2)

    def in_numpy(x, w, b):
        found = cut_out(x, window, stride, padding, dilation)
        found = found.reshape(batch, groups, inside, *found.shape[2:])
        weights = w.reshape(groups, outside, inside, *window)
        out = np.einsum("ngihwkl,goikl->ngohw", found, weights)
        return out.reshape(batch, groups * outside, *out.shape[3:]) + b[:, None, None]

    around = tuple(p for p in padding for _ in range(2))
    agree(
        lambda x, w, b: ops.conv2d(x, w, b, stride, "pad", around, dilation, groups),
        in_numpy,
        *(x, w, b),
    )


@some
@given(windows(), st.integers(0, 2), SEEDS)
def test_max_pool2d(sample, batch, seed):
    space, *settings = sample
    x = numbers((batch, 2, *space), seed)

    def in_numpy(x):
        return cut_out(x, *settings, value=-np.inf).max((-2, -1))

    assume(np.isfinite(in_numpy(x)).all())  # no window lies on the padding alone
    agree(lambda x: ops.max_pool2d(x, *settings), in_numpy, x)


@some
@given(windows((1,)), st.integers(0, 2), st.booleans(), SEEDS)
def test_avg_pool2d(sample, batch, whole, seed):
    space, window, stride, padding, dilation = sample
    x = numbers((batch, 2, *space), seed)
    settings = window, stride, padding, dilation
    inside = cut_out(np.ones(x.shape), *settings).sum((-2, -1))
    count = math.prod(window) if whole else inside
    agree(
        lambda x: ops.avg_pool2d(x, window, stride, padding, count_include_pad=whole),
        lambda x: cut_out(x, *settings).sum((-2, -1)) / count,
        x,
    )


@pytest.mark.parametrize(
    "wrong", [lambda x: x * 2, lambda x: x.astype(np.float64), lambda x: x[None]]
)
def test_agree_can_fail(wrong):
    with pytest.raises(AssertionError):
        agree(wrong, np.array, numbers((2, 3), 0))
