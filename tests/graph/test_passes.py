"""Each pass on programs written by hand: the steps that are left, and their values.

What is expected was worked out by hand. ``values`` computes a program step by step with numpy, so
that no writer has a part in it.
"""

from string import ascii_lowercase

import numpy as np
import pytest

from minigrad import Tensor, grad, jit, ops
from minigrad.graph import PASSES, Program, Slot, Step, improve
from minigrad.graph.passes import (
    arithmetic,
    common,
    dead,
    fold,
    pooling,
    products,
    shapes,
    stretching,
)
from minigrad.graph.program import (
    astype,
    broadcast_to,
    constant,
    getitem,
    map_slots,
    reshape,
    sum,
    transpose,
)
from minigrad.graph.rewriting import number
from minigrad.graph.traced import Draw
from minigrad.rules.pool import first_of_largest, max_pool, spread_windows

F8 = np.dtype(np.float64)


def values(program, *arrays):
    """What a program returns, computed one step after another."""
    known = dict(zip(program.inputs, arrays, strict=True))

    def value(x):
        return known.get(x, x.value)

    for step in program.steps:
        args, named = map_slots(value, (step.args, step.named))
        known[step.out] = step.op(*args, **named)
    return map_slots(value, program.outputs)


class Hand:
    """Writes a program: x is (2, 3), v is (3,), s is one number, all float64 or as given."""

    def __init__(self, dtype=F8):
        self.x, self.v, self.s = (Slot(np.ones(n, dtype)) for n in ((2, 3), 3, ()))
        self.inputs, self.steps = [self.x, self.v, self.s], []

    def __call__(self, op, *args, name=None):
        ones = map_slots(lambda x: np.ones(x.shape, x.dtype), args)
        with np.errstate(all="ignore"):
            out = Slot(op(*ones), name)
        self.steps.append(Step(op, args, out))
        return out

    def number(self, value):
        return constant(value, self.x)

    def program(self, outputs):
        return Program("hand", self.inputs, self.steps, list(outputs), [])


def calls(program):
    """The steps as text, without shapes and dtypes."""
    names = dict(zip(program.inputs, ("x", "v", "s"), strict=True))

    def text(a):
        if not isinstance(a, Slot):
            return repr(a)
        if a.value is not None:
            return f"{a.value.item():g}" if a.ndim == 0 else "array"
        return names[a]

    lines = []
    for i, step in enumerate(program.steps):
        lines.append(f"{step.op.__name__}({', '.join(map(text, step.args))})")
        names[step.out] = ascii_lowercase[i]
    return lines, [text(r) for r in program.outputs]


PAIRS = ((1, 2), (1, 1), ((0, 0), (0, 0)), (1, 1))  # windows of 1 by 2, one apart
FAR = ((1, 1), (1, 3), ((0, 0), (1, 1)), (1, 1))  # the first and the last window are padding


_PAIRS = ", ".join(map(repr, PAIRS))


def largest_of_pairs(b, settings=PAIRS):
    image = b(reshape, b.x, (1, 1, 2, 3))
    relu = b(np.maximum, image, b.number(0))
    return image, relu, b(max_pool, relu, *settings)


def pooled(b, settings=PAIRS, other=0):
    """The largest of each window of relu, and its gradient where relu lets it through."""
    relu, largest = largest_of_pairs(b, settings)[1:]
    weights = b(first_of_largest, relu, largest, *settings)
    spread = b(spread_windows, largest, weights, (1, 1, 2, 3), *settings)
    return [largest, b(np.multiply, spread, b(np.greater, relu, b.number(other)))]


def larger(b, x, places=((slice(0, 2),), (slice(1, 3),))):
    """The larger of entries at two places."""
    return [b(np.maximum, *(b(getitem, x, *place) for place in places))]


def stays(relu):
    """The steps of ``larger`` of what this one made, as they were."""
    places = "slice(0, 2, None)", "slice(1, 3, None)"
    return [relu, *(f"getitem(a, {place})" for place in places), "maximum(b, c)"]


def named(b, op, *args, **more):
    """A step with arguments by name."""
    out = b(op, *args)
    b.steps[-1] = b.steps[-1]._replace(named=more)
    return out


ROW = (Ellipsis, None, slice(None))
COLUMN = (Ellipsis, None)

# name: the pass, the program, the steps that are left, and what is returned
CASES = {
    # ---------------------------------------------------------------- dead
    "what nobody reads": (
        dead,
        lambda b: [b(np.exp, b.x), b(np.sin, b(np.cos, b.x))][:1],
        ["exp(x)"],
        ["a"],
    ),
    # ---------------------------------------------------------------- fold
    "constants meet": (
        fold,
        lambda b: [b(np.multiply, b.x, b(np.add, b.number(2), b(np.sqrt, b.number(9))))],
        ["multiply(x, 5)"],
        ["a"],
    ),
    "a big array is not made of a number": (
        fold,
        lambda b: [b(broadcast_to, b.number(2), (90, 90))],
        ["broadcast_to(2, (90, 90))"],
        ["a"],
    ),
    # ---------------------------------------------------------------- pooling
    "the largest of each window before relu": (
        pooling,
        lambda b: largest_of_pairs(b)[2:],
        [
            "reshape(x, (1, 1, 2, 3))",
            "maximum(a, 0)",
            f"max_pool(a, {_PAIRS})",
            "maximum(c, 0)",
        ],
        ["d"],
    ),
    "the larger of entries of relu": (
        lambda program: dead(pooling(program)),
        lambda b: larger(b, b(np.maximum, b.v, b.number(0))),
        [
            "getitem(v, slice(0, 2, None))",
            "getitem(v, slice(1, 3, None))",
            "maximum(a, b)",
            "maximum(c, 0)",
        ],
        ["d"],
    ),
    "but not of another bound": (
        lambda program: dead(pooling(program)),
        lambda b: larger(b, b(np.maximum, b.v, b.number(1))),
        stays("maximum(v, 1)"),
        ["d"],
    ),
    "nor where relu would have more to do": (
        lambda program: dead(pooling(program)),
        lambda b: larger(b, b(np.maximum, b.v, b.number(0)), ((None,), (..., None))),
        ["maximum(v, 0)", "getitem(a, None)", "getitem(a, Ellipsis, None)", "maximum(b, c)"],
        ["d"],
    ),
    "nor where relu names a dtype": (
        lambda program: dead(pooling(program)),
        lambda b: larger(b, named(b, np.maximum, b.v, b.number(0), dtype=F8)),
        stays("maximum(v, 0)"),
        ["d"],
    ),
    "nor where the bound is -0": (
        lambda program: dead(pooling(program)),
        lambda b: larger(b, b(np.maximum, b.v, b.number(-0.0))),
        stays("maximum(v, -0)"),
        ["d"],
    ),
    "and its gradient": (
        lambda program: dead(pooling(program)),
        pooled,
        [
            "reshape(x, (1, 1, 2, 3))",
            f"max_pool(a, {_PAIRS})",
            "maximum(b, 0)",
            "greater(c, 0)",
            "multiply(c, d)",
            f"first_of_largest(a, b, {_PAIRS})",
            f"spread_windows(e, f, (1, 1, 2, 3), {_PAIRS})",
        ],
        ["c", "g"],
    ),
    # ---------------------------------------------------------------- common
    "done twice": (
        common,
        lambda b: [b(np.add, b(np.exp, b.x), b(np.exp, b.x))],
        ["exp(x)", "add(a, a)"],
        ["b"],
    ),
    "a sum in either order": (
        common,
        lambda b: [b(np.add, b.x, b.v), b(np.add, b.v, b.x)],
        ["add(x, v)"],
        ["a", "a"],
    ),
    "a difference has one order": (
        common,
        lambda b: [b(np.subtract, b.x, b.v), b(np.subtract, b.v, b.x)],
        ["subtract(x, v)", "subtract(v, x)"],
        ["a", "b"],
    ),
    "the same numbers": (
        common,
        lambda b: [b(np.add, b.x, b.number(2)), b(np.add, b.x, b.number(2))],
        ["add(x, 2)"],
        ["a", "a"],
    ),
    "other axes": (
        common,
        lambda b: [b(sum, b.x, (0,), False), b(sum, b.x, (1,), False)],
        ["sum(x, (0,), False)", "sum(x, (1,), False)"],
        ["a", "b"],
    ),
    "True is not 1": (
        common,
        lambda b: [b(getitem, b.x, True), b(getitem, b.x, 1)],
        ["getitem(x, True)", "getitem(x, 1)"],
        ["a", "b"],
    ),
    # ---------------------------------------------------------------- shapes
    "there and back": (
        shapes,
        lambda b: [b(reshape, b(reshape, b.x, (3, 2)), (2, 3))],
        ["reshape(x, (3, 2))", "reshape(x, (2, 3))"],
        ["b"],
    ),
    "turned twice": (
        shapes,
        lambda b: [b(transpose, b(transpose, b.x, (1, 0)), (1, 0))],
        ["transpose(x, (1, 0))", "transpose(x, (0, 1))"],
        ["b"],
    ),
    "the shape that it has": (
        shapes,
        lambda b: [b(reshape, b.x, (2, 3)), b(transpose, b.v, (0,)), b(broadcast_to, b.s, ())],
        [],
        ["x", "v", "s"],
    ),
    "turned in three axes": (
        shapes,
        lambda b: [
            b(transpose, b(transpose, b(reshape, b.x, (1, 2, 3)), (1, 2, 0)), (1, 0, 2)),
        ],
        ["reshape(x, (1, 2, 3))", "transpose(a, (1, 2, 0))", "transpose(a, (2, 1, 0))"],
        ["c"],
    ),
    "the dtype that it has": (shapes, lambda b: [b(astype, b.x, F8)], [], ["x"]),
    "another dtype": (
        shapes,
        lambda b: [b(astype, b.x, np.dtype(np.int64))],
        ["astype(x, dtype('int64'))"],
        ["a"],
    ),
    "a sum over no axes": (shapes, lambda b: [b(sum, b.x, (), False)], [], ["x"]),
    "a sum that keeps its axes and then does not": (
        shapes,
        lambda b: [b(reshape, b(sum, b.x, (0,), True), (3,))],
        ["sum(x, (0,), True)", "sum(x, (0,), False)"],
        ["b"],
    ),
    "one number repeated, in another shape": (
        shapes,
        lambda b: [b(reshape, b(broadcast_to, b.s, (2, 3)), (6,))],
        ["broadcast_to(s, (2, 3))", "broadcast_to(s, (6,))"],
        ["b"],
    ),
    "one entry of a matrix repeated, in another shape": (
        shapes,
        lambda b: [b(reshape, b(broadcast_to, b(reshape, b.s, (1, 1)), (2, 3)), (6,))],
        [
            "reshape(s, (1, 1))",
            "broadcast_to(a, (2, 3))",
            "reshape(a, ())",
            "broadcast_to(c, (6,))",
        ],
        ["d"],
    ),
    "the sum of one number, repeated": (
        shapes,
        lambda b: [b(sum, b(broadcast_to, b.s, (4, 5)), (0, 1), False)],
        ["broadcast_to(s, (4, 5))", "multiply(s, 20)"],
        ["b"],
    ),
    "a row of some rows": (
        shapes,
        lambda b: [b(getitem, b(getitem, b.v, slice(1, 3)), 1)],
        ["getitem(v, slice(1, 3, None))", "getitem(v, 2)"],
        ["b"],
    ),
    "a row of every second": (
        shapes,
        lambda b: [b(getitem, b(getitem, b.v, slice(0, 3, 2)), 1)],
        ["getitem(v, slice(0, 3, 2))", "getitem(a, 1)"],
        ["b"],
    ),
    "a row counted from the end": (
        shapes,
        lambda b: [
            b(getitem, b(getitem, b.v, slice(-2, None)), 0),
            b(getitem, b(getitem, b.v, slice(0, 2)), -1),
        ],
        [
            "getitem(v, slice(-2, None, None))",
            "getitem(a, 0)",
            "getitem(v, slice(0, 2, None))",
            "getitem(c, -1)",
        ],
        ["b", "d"],
    ),
    # ---------------------------------------------------------------- products
    "a matrix times a vector": (
        products,
        lambda b: [b(getitem, b(np.matmul, b.x, b(getitem, b.v, *COLUMN)), Ellipsis, 0)],
        ["getitem(v, Ellipsis, None)", "matmul(x, a)", "matmul(x, v)"],
        ["c"],
    ),
    "a vector times a matrix": (
        products,
        lambda b: [
            b(
                getitem,
                b(np.matmul, b(getitem, b.v, *ROW), b(transpose, b.x, (1, 0))),
                Ellipsis,
                0,
                slice(None),
            )
        ],
        [
            "getitem(v, Ellipsis, None, slice(None, None, None))",
            "transpose(x, (1, 0))",
            "matmul(a, b)",
            "matmul(v, b)",
        ],
        ["d"],
    ),
    "a product that is read twice": (
        products,
        lambda b: [
            p := b(np.matmul, b.x, b(getitem, b.v, *COLUMN)),
            b(getitem, p, Ellipsis, 0),
        ],
        ["getitem(v, Ellipsis, None)", "matmul(x, a)", "getitem(b, Ellipsis, 0)"],
        ["b", "c"],
    ),
    "a matrix times many vectors": (
        products,
        lambda b: [
            b(
                getitem,
                b(
                    np.matmul,
                    m := b(np.matmul, b(transpose, b.x, (1, 0)), b.x),
                    b(getitem, m, *COLUMN),
                ),
                Ellipsis,
                0,
            )
        ],
        [
            "transpose(x, (1, 0))",
            "matmul(a, x)",
            "getitem(b, Ellipsis, None)",
            "matmul(b, c)",
            "getitem(d, Ellipsis, 0)",
        ],
        ["e"],
    ),
    # ---------------------------------------------------------------- stretching
    "numpy stretches it": (
        stretching,
        lambda b: [b(np.multiply, b.x, b(broadcast_to, b.s, (2, 3)))],
        ["broadcast_to(s, (2, 3))", "multiply(x, s)"],
        ["b"],
    ),
    "both are stretched": (
        stretching,
        lambda b: [b(np.exp, b(broadcast_to, b.v, (2, 3)))],
        ["broadcast_to(v, (2, 3))", "exp(v)", "broadcast_to(b, (2, 3))"],
        ["c"],
    ),
    "an array of one number": (
        stretching,
        lambda b: [b(np.multiply, b.x, constant(np.full((2, 3), 7.0), b.x))],
        ["multiply(x, 7)"],
        ["a"],
    ),
    "an array of several": (
        stretching,
        lambda b: [b(np.multiply, b.x, constant([1.0, 2.0, 3.0], b.x))],
        ["multiply(x, array)"],
        ["a"],
    ),
    # ---------------------------------------------------------------- arithmetic
    "times 1": (arithmetic, lambda b: [b(np.multiply, b.number(1), b.x)], [], ["x"]),
    "over 1": (arithmetic, lambda b: [b(np.divide, b.x, b.number(1))], [], ["x"]),
    "plus -0": (arithmetic, lambda b: [b(np.add, b.x, b.number(-0.0))], [], ["x"]),
    "plus 0, which makes 0 of -0": (
        arithmetic,
        lambda b: [b(np.add, b.x, b.number(0))],
        ["add(x, 0)"],
        ["a"],
    ),
    "minus a negative": (
        arithmetic,
        lambda b: [b(np.subtract, b.x, b(np.negative, b.v))],
        ["negative(v)", "add(x, v)"],
        ["b"],
    ),
    "minus 0": (arithmetic, lambda b: [b(np.subtract, b.x, b.number(0))], [], ["x"]),
    "minus -0": (
        arithmetic,
        lambda b: [b(np.subtract, b.x, b.number(-0.0))],
        ["subtract(x, -0)"],
        ["a"],
    ),
    "-0 minus": (
        arithmetic,
        lambda b: [b(np.subtract, b.number(-0.0), b.x)],
        ["negative(x)"],
        ["a"],
    ),
    "0 minus, which makes 0 of 0": (
        arithmetic,
        lambda b: [b(np.subtract, b.number(0), b.x)],
        ["subtract(0, x)"],
        ["a"],
    ),
    "minus minus": (
        arithmetic,
        lambda b: [b(np.negative, b(np.negative, b.x))],
        ["negative(x)"],
        ["x"],
    ),
    "times -1": (
        arithmetic,
        lambda b: [b(np.multiply, b.x, b.number(-1))],
        ["negative(x)"],
        ["a"],
    ),
    "1 that is stretched": (
        arithmetic,
        lambda b: [b(np.multiply, b.v, constant(np.ones((2, 3)), b.x))],
        ["multiply(v, array)"],
        ["a"],
    ),
    "over 4": (
        arithmetic,
        lambda b: [b(np.divide, b.x, b.number(4))],
        ["multiply(x, 0.25)"],
        ["a"],
    ),
    "over 3": (arithmetic, lambda b: [b(np.divide, b.x, b.number(3))], ["divide(x, 3)"], ["a"]),
    "numbers meet": (
        arithmetic,
        lambda b: [b(np.multiply, b.number(3), b(np.multiply, b.x, b.number(2)))],
        ["multiply(x, 2)", "multiply(x, 6)"],
        ["b"],
    ),
    "numbers move outwards": (
        arithmetic,
        lambda b: [b(np.multiply, b(np.multiply, b.x, b.number(2)), b.v)],
        ["multiply(x, 2)", "multiply(x, v)", "multiply(b, 2)"],
        ["c"],
    ),
    "one scale": (
        arithmetic,
        lambda b: [
            b(
                np.subtract,
                b(np.multiply, b.x, b.number(5)),
                b(np.multiply, b.v, b.number(-5)),
            )
        ],
        ["multiply(x, 5)", "multiply(v, -5)", "add(x, v)", "multiply(c, 5)"],
        ["d"],
    ),
    "two scales": (
        arithmetic,
        lambda b: [
            b(np.add, b(np.multiply, b.x, b.number(5)), b(np.multiply, b.v, b.number(3))),
        ],
        ["multiply(x, 5)", "multiply(v, 3)", "add(a, b)"],
        ["c"],
    ),
    "twice": (arithmetic, lambda b: [b(np.add, b.x, b.x)], ["multiply(x, 2)"], ["a"]),
    "plus minus": (
        arithmetic,
        lambda b: [b(np.add, b.x, b(np.negative, b.v))],
        ["negative(v)", "subtract(x, v)"],
        ["b"],
    ),
    "minus a difference": (
        arithmetic,
        lambda b: [b(np.negative, b(np.subtract, b.x, b.v))],
        ["subtract(x, v)", "subtract(v, x)"],
        ["b"],
    ),
    "squares": (
        arithmetic,
        lambda b: [b(np.power, b.x, b.number(2)), b(np.power, b.v, b.number(-1))],
        ["multiply(x, x)", "divide(1, v)"],
        ["a", "b"],
    ),
    "what others read stays": (
        arithmetic,
        lambda b: [t := b(np.negative, b.v), b(np.add, b.x, t)],
        ["negative(v)", "add(x, a)"],
        ["a", "b"],
    ),
    "a number that has no room": (
        arithmetic,
        lambda b: [b(np.multiply, b(np.multiply, b.x, b.number(1e200)), b.number(1e200))],
        ["multiply(x, 1e+200)", "multiply(a, 1e+200)"],
        ["b"],
    ),
    "a number that would be 0": (
        arithmetic,
        lambda b: [b(np.multiply, b(np.multiply, b.x, b.number(1e-200)), b.number(1e-200))],
        ["multiply(x, 1e-200)", "multiply(a, 1e-200)"],
        ["b"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_steps_that_are_left(name):
    each, build, steps, returned = CASES[name]
    hand = Hand()
    program = hand.program(build(hand))
    before = str(program)
    after = each(program)
    assert calls(after) == (steps, returned)
    assert str(program) == before  # a pass makes a program and leaves the old one alone
    rng = np.random.default_rng(0)
    given = [rng.normal(size=x.shape) for x in program.inputs]
    with np.errstate(all="ignore"):
        for a, b in zip(values(after, *given), values(program, *given), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14)


def test_every_pass_has_its_cases():
    assert {case[0] for case in CASES.values()} >= set(PASSES)


@pytest.mark.parametrize("change", [{"settings": FAR}, {"other": 1}], ids=str)
def test_relu_stays_before_the_largest(change):
    """A window in the padding alone has minus infinity. A mask with 1 is not that of relu."""
    hand = Hand()
    program = hand.program(pooled(hand, **change)[-1:])
    after = improve(program)
    multiplied = [step for step in after.steps if step.op is np.multiply]
    assert [step.out.shape for step in multiplied] == [(1, 1, 2, 3)]
    x = np.array([[-1.0, -2.0, -3.0], [0.5, 2.0, -1.0]])
    given = [x, np.zeros(3), np.float64(0)]
    for a, b in zip(values(after, *given), values(program, *given), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("settings", [(3, 2, 1), (3, 2, 0), (2, 2, 0)])
def test_the_largest_before_relu_where_windows_overlap_tie_and_reach_over_the_edge(settings):
    """To the last bit, the places of the gradient included; all windows below 0 get none."""
    x = np.round(np.random.default_rng(0).normal(-0.3, 1, (3, 2, 9, 8)), 1)
    x[0, 0, :4] = -np.inf
    x[1, 1, 2, 3] = np.nan

    def loss(x):
        largest = ops.max_pool2d(ops.relu(x), *settings)
        return (largest * np.arange(largest[0, 0].size).reshape(largest.shape[2:])).sum()

    entries = ops.max_pool2d(Tensor(x), *settings).size
    for function in (loss, grad(loss)):
        run, x_ = jit(function, fullgraph=True), Tensor(x)
        wanted = function(x_).asnumpy()
        for _ in range(2):
            np.testing.assert_array_equal(run(x_).asnumpy(), wanted)
        relus = [s for s in run.program.steps if s.op is np.maximum and number(s.args[1]) == 0]
        assert [step.out.size for step in relus] in ([entries], [])


def test_a_mean_of_windows_is_no_largest():
    """Its gradient is spread as well, and masked by relu: but in each entry by its own."""
    x = np.random.default_rng(0).normal(size=(1, 1, 4, 4))
    slope = grad(lambda x: (ops.avg_pool2d(ops.relu(x), 2, 2) ** 2).sum())
    run = jit(slope, fullgraph=True)
    means = np.maximum(x, 0).reshape(2, 2, 2, 2).mean((1, 3))
    wanted = np.where(x > 0, np.kron(means, np.ones((2, 2))) / 2, 0)
    for _ in range(2):
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("each", [dead, fold, common])
def test_draws_are_made_as_often_and_in_their_order(each):
    hand = Hand()
    draws = [hand(lambda shape: np.ones(shape), (3,)) for _ in range(3)]
    hand.steps = [step._replace(op=Draw("random")) for step in hand.steps]
    program = each(hand.program(draws[1:2]))
    assert [step.out.shape for step in program.steps] == [(3,)] * 3
    assert [step.op for step in program.steps] == [step.op for step in hand.steps]


@pytest.mark.parametrize("dtype", [np.int32, np.float16])
def test_numbers_of_other_dtypes_are_left_alone(dtype):
    """Those of float16 leave its range when the order changes: here 40,000 + 40,000."""
    hand = Hand(dtype)
    half = hand.number(1) if dtype == np.int32 else hand.number(0.5)
    parts = [hand(np.multiply, x, half) for x in (hand.x, hand.v)]
    program = hand.program([hand(np.add, *parts)])
    assert calls(improve(program)) == calls(program)


def test_a_sum_is_taken_in_the_dtype_of_its_terms():
    """x * c + v * c in float64 is not (x + v) * c with a sum in float32."""
    hand = Hand(np.float32)
    tenth = constant(0.1, Slot(np.ones(1)))
    parts = [hand(np.multiply, x, tenth) for x in (hand.x, hand.v)]
    program = hand.program([hand(np.add, *parts)])
    assert calls(arithmetic(program)) == calls(program)


def test_a_cast_in_between_is_kept():
    """int32 to float64 and back by a sum: no pass gives a value of another dtype."""
    hand = Hand(np.float32)
    wide = hand(astype, hand.x, F8)
    program = improve(hand.program([hand(astype, hand(np.multiply, wide, hand.s), hand.x.dtype)]))
    assert [step.out.dtype.name for step in program.steps] == ["float64", "float64", "float32"]


def test_all_passes_together_find_what_a_person_would_write():
    hand = Hand()
    one = hand(broadcast_to, hand.number(1), (2, 3))
    g = hand(np.divide, one, hand.number(4))
    unused = hand(np.exp, hand.v)
    hand(np.cos, unused)
    back = hand(np.multiply, hand(np.multiply, g, hand.x), hand.number(8))
    assert calls(improve(hand.program([back]))) == (["multiply(x, 2)"], ["a"])


def of_all_kinds(b):
    """A program in which each pass finds something."""
    shared = b(np.add, b(np.exp, b.v), b(np.exp, b.v))
    b(np.cos, shared)
    return [
        shared,
        b(np.multiply, b.x, b(np.add, b.number(2), b(np.sqrt, b.number(9)))),
        b(reshape, b(sum, b.x, (0,), True), (3,)),
        b(getitem, b(np.matmul, b.x, b(getitem, b.v, *COLUMN)), Ellipsis, 0),
        b(np.multiply, b.x, b(broadcast_to, b.s, (2, 3))),
        b(np.negative, b(np.negative, b.v)),
        b(reshape, largest_of_pairs(b)[2], (2, 2)),
    ]


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.__name__)
def test_each_can_be_switched_off(each):
    """Without it other steps are left; alone it works too; and the values are the same."""
    hand = Hand()
    program = hand.program(of_all_kinds(hand))
    without = improve(program, [other for other in PASSES if other is not each])
    alone = improve(program, [each])
    assert calls(without) != calls(improve(program))
    assert calls(alone) != calls(program)
    assert calls(improve(program, [])) == calls(program)
    given = [np.arange(6.0).reshape(2, 3), np.array([0.5, -1.0, 2.0]), np.float64(3.0)]
    x, v, s = given
    largest = np.array([[1.0, 2.0], [4.0, 5.0]])
    wanted = [2 * np.exp(v), 5 * x, x.sum(0), x @ v, s * x, v, largest]
    for changed in (program, without, alone, improve(program)):
        for a, b in zip(values(changed, *given), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14, strict=True)


def test_passes_that_never_agree_come_to_an_end():
    def turn(program):
        (step,) = program.steps
        op = np.cos if step.op is np.sin else np.sin
        return program.with_steps([step._replace(op=op)], {})

    hand = Hand()
    program = hand.program([hand(np.sin, hand.x)])
    assert calls(improve(program, [turn]))[0][0] in ("sin(x)", "cos(x)")


def test_the_program_before_the_passes_stays_as_it_was():
    run = jit(grad(lambda x, w: ((ops.tanh(x @ w) * 1.0) ** 2).mean()))
    run(Tensor(np.ones((2, 3))), Tensor(np.ones(3)))
    before = str(run.recorded)
    assert run.source.count("\n") < before.count("\n")
    assert str(run.recorded) == before
