"""Lesson 4, "Tensors": its prediction and its exercises."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as ms
from minigrad import Tensor

from .lesson import GradientExercise, Lesson, Prediction
from .stepper import step_backward

__all__ = ["LESSON", "check", "hint", "predict", "progress", "reveal", "solution"]

LESSON = Lesson("04_tensors", "Tensors")


def _step_through(income: Callable, *inputs: Tensor) -> tuple[Any, dict[str, float]]:
    """The steps of the lesson's program, and the entries of its gradient that are asked for."""
    sold, extra = (dx.asnumpy() for dx in ms.grad(income, (0, 1))(*inputs))
    right = {"first": sold[0, 0], "second": sold[1, 2], "extra": extra[0], "entries": extra.size}
    return step_backward(income, *inputs), {name: float(x) for name, x in right.items()}


LESSON.add(
    Prediction(
        "income",
        show=_step_through,
        first={
            2.0: "What arrives at the sum over the row is 2, and each entry of the row gets it.",
            1.0: "is the slope of the sum. But a box in the first shop earns {right}, and that is "
            "what arrives there.",
            4.0: "is how many boxes there are. One more earns {right}.",
            5.0: "is what a box earns in the other shop; here it is {right}.",
            8.0: "is what all 4 boxes earn. One more earns {right}.",
            7.0: "would be a box in both shops; this one is in the first: {right}.",
            6.0: "is one more of each fruit. It is one box: {right}.",
        },
        second={
            5.0: "What arrives at the sum over the second row is 5.",
            1.0: "is the slope of the sum. But a box in the second shop earns {right}.",
            6.0: "is how many boxes there are. One more earns {right}.",
            2.0: "is what a box earns in the other shop; here it is {right}.",
            30.0: "is what all 6 boxes earn. One more earns {right}.",
            7.0: "would be a box in both shops; this one is in the second: {right}.",
        },
        extra={
            7.0: "One more is sold in both shops: 2 and 5 arrive, and add.",
            2.0: "is what it earns in the first shop. It is sold in the second too: {right}.",
            5.0: "is what it earns in the second shop. It is sold in the first too: {right}.",
            1.0: "is how many it adds to a shop. It earns something in both: {right}.",
            3.5: "is the mean of both shops; what arrives is added: {right}.",
            10.0: "multiplies both shops; what arrives is added: {right}.",
        },
        entries={
            3.0: "As many as `extra` has.",
            6.0: "is how many arrive. Those for the same fruit add up, so there are {right}.",
            2.0: "is how many shops there are; a gradient is as large as its input: {right}.",
            1.0: "would be one for all; each entry of `extra` has its own: {right}.",
        },
    )
)

_LOST_AXIS = (
    "`g` lacks the axis that the mean took away: give it back with length 1, with "
    "`np.expand_dims(g, axis)`, and repeat it along `x.shape`."
)


LESSON.add(
    GradientExercise(
        "mean_rule",
        forward=lambda x, axis: x.mean(axis=axis),
        returns=("dx",),
        friendly={"x": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "axis": 1},
        another={"x": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "axis": 0},
        random=lambda rng: {"x": rng.normal(size=(2, 4, 3)), "axis": 1},
        edge=[{"x": np.ones((2, 3)), "axis": -1}, {"x": np.ones((0, 3)), "axis": 1}],
        stops={"broadcast": _LOST_AXIS, "out of bounds for array": _LOST_AXIS},
        mistakes={
            _LOST_AXIS: (
                lambda g, x, axis: g / x.shape[axis],
                lambda g, x, axis: g,
            ),
            "Each entry of `x` has a share: repeat it, with `np.broadcast_to(..., x.shape)`.": (
                lambda g, x, axis: np.expand_dims(g, axis) / x.shape[axis],
                lambda g, x, axis: np.expand_dims(g, axis),
            ),
            "All of `g` was averaged, or added up; each row has a `g` of its own.": (
                lambda g, x, axis: np.full(x.shape, g.mean() / x.shape[axis]),
                lambda g, x, axis: np.full(x.shape, g.mean()),
                lambda g, x, axis: np.full(x.shape, g.sum() / x.shape[axis]),
                lambda g, x, axis: np.full(x.shape, g.sum() / x.size),
            ),
            "That is the rule of a sum. A mean divides by how many it adds.": lambda g, x, axis: (
                np.broadcast_to(np.expand_dims(g, axis), x.shape)
            ),
            "It divides by all entries of `x`; the mean adds those along `axis` alone.": (
                lambda g, x, axis: np.broadcast_to(np.expand_dims(g, axis), x.shape) / x.size
            ),
            "It divides by how many entries `g` has. A mean divides by how many it adds: those of "
            "`x` along `axis`.": (
                lambda g, x, axis: (
                    np.broadcast_to(np.expand_dims(g, axis), x.shape) / np.maximum(g.size, 1)
                )
            ),
            "It divides by the length of the first axis; `axis` may be another.": (
                lambda g, x, axis: np.broadcast_to(np.expand_dims(g, axis), x.shape) / len(x)
            ),
            "It divides by the length of the last axis; `axis` may be another.": (
                lambda g, x, axis: np.broadcast_to(np.expand_dims(g, axis), x.shape) / x.shape[-1]
            ),
            "It is multiplied by the length; a mean divides by it.": lambda g, x, axis: (
                np.broadcast_to(np.expand_dims(g, axis), x.shape) * x.shape[axis]
            ),
            "`x` itself has no place in it: all entries along `axis` count alike.": (
                lambda g, x, axis: np.expand_dims(g, axis) * x / x.shape[axis]
            ),
        },
        hints=(
            "Take the mean of 1, 2 and 3. How far does it move if the 2 becomes a 3?",
            "Each entry gets a share of the `g` of its row. `np.expand_dims(g, axis)` gives `g` "
            "the lost axis back, with length 1, and `np.broadcast_to` repeats it along `x.shape`.",
            "g = np.expand_dims(g, axis)\nreturn np.broadcast_to(g, x.shape) / x.shape[___]",
        ),
        solution="def mean_rule(g, x, axis):\n"
        "    g = np.expand_dims(g, axis)\n"
        "    return np.broadcast_to(g, x.shape) / x.shape[axis]",
        why="What a reduction adds up, its rule hands out again. A sum hands out `g` itself; a "
        "mean, a share of it.",
    )
)


def _sum_where(chosen: Callable, new: Callable = np.sum, ones: Callable = np.sum) -> Callable:
    """An `unbroadcast` that sums the new axes, and those whose lengths are `chosen`.

    `new` and `ones` are what is done in place of these two sums.
    """

    def unbroadcast(g, shape):
        g = new(g, axis=tuple(range(g.ndim - len(shape))))
        axes = tuple(i for i, n in enumerate(shape) if chosen(n, g.shape[i]))
        return ones(g, axis=axes, keepdims=True)

    return unbroadcast


def _mean(g, axis, keepdims=False):
    """The mean; of nothing, 0."""
    total = g.sum(axis=axis, keepdims=keepdims)
    return total * (total.size / max(g.size, 1))


def _dropped(g, axis, keepdims):
    """The sum, without the axes."""
    return g.sum(axis=axis)


def _kept(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))), keepdims=True)


_ADDS_NOTHING = (
    "A reshape adds nothing up, and broadcasting neither. All that was repeated must be summed "
    "before: the new axes, and those of length 1 that were stretched."
)


LESSON.add(
    GradientExercise(
        "unbroadcast",
        forward=lambda x, shape, stretched: np.broadcast_to(x, stretched),
        returns=("dx",),
        friendly={"x": np.zeros(3), "shape": (3,), "stretched": (2, 3)},
        another={"x": np.zeros((2, 1)), "shape": (2, 1), "stretched": (2, 3)},
        random=lambda rng: {"x": rng.normal(size=(3, 1)), "shape": (3, 1), "stretched": (4, 3, 2)},
        edge=[
            {"x": np.zeros((1, 3)), "shape": (1, 3), "stretched": (0, 3)},
            {"x": np.zeros((2, 3)), "shape": (2, 3), "stretched": (2, 3)},
            {"x": np.zeros(()), "shape": (), "stretched": (2, 3)},
        ],
        stops={
            "reshape": _ADDS_NOTHING,
            "broadcast": _ADDS_NOTHING,
            "more dimensions": _ADDS_NOTHING,
            "out of bounds": "There is no axis of this number, or not any more: where one was "
            "summed away, those behind it moved up. Sum them at once, with a tuple of axes, or "
            "keep each with `keepdims=True`.",
            "range": "Of several axes numpy wants a tuple: `tuple(range(new))`.",
        },
        mistakes={
            "The new axes are summed, those of length 1 are not.": _sum_where(
                lambda before, now: False
            ),
            "The axis of length 1 was summed away. `keepdims=True` keeps it, with length 1.": (
                _sum_where(lambda before, now: before == 1, ones=_dropped),
                _sum_where(lambda before, now: before != now, ones=_dropped),
            ),
            "What was put in front was summed and is still there, with length 1: `keepdims=True` "
            "kept it. Those axes are to go.": (
                _kept,
                lambda g, shape: _sum_where(lambda n, now: n == 1)(_kept(g, shape), (1, *shape)),
                lambda g, shape: _kept(g, shape).sum(
                    axis=tuple(g.ndim - len(shape) + i for i, n in enumerate(shape) if n == 1),
                    keepdims=True,
                ),
            ),
            "It sums the first axis, whatever `shape` is. Sum all that are new, and those that "
            "were stretched.": lambda g, shape: g.sum(axis=0),
            "`axis=new` is one axis, the one with this number. The new ones are "
            "`tuple(range(new))`.": lambda g, shape: g.sum(axis=g.ndim - len(shape)),
            "The axes of length 1 are summed, the new ones in front are not.": lambda g, shape: (
                g.sum(
                    axis=tuple(g.ndim - len(shape) + i for i, n in enumerate(shape) if n == 1),
                    keepdims=True,
                )
            ),
            "An axis of length 1 can also be stretched to length 0, which is not more than 1. What "
            "is stretched is each axis whose length has changed.": _sum_where(
                lambda before, now: now > before
            ),
            "A mean divides; what broadcasting repeats is added up whole.": (
                _sum_where(lambda before, now: before == 1, _mean, _mean),
                _sum_where(lambda before, now: before == 1, _mean),
                _sum_where(lambda before, now: before == 1, ones=_mean),
                _sum_where(lambda before, now: before != now, _mean, _mean),
                _sum_where(lambda before, now: False, _mean),
            ),
            "Everything is added up; entries that come from different entries of the input must "
            "stay apart.": (
                lambda g, shape: np.full(shape, g.sum()),
                lambda g, shape: g.sum(),
            ),
            "It takes one of the repeated gradients and drops the others. All of them add.": (
                lambda g, shape: g[(0,) * (g.ndim - len(shape))][tuple(slice(0, n) for n in shape)],
                lambda g, shape: g[(0,) * (g.ndim - len(shape))],
                lambda g, shape: g[0],
                lambda g, shape: np.resize(g, shape),
            ),
        },
        hints=(
            "First add up the new axes: `g.sum(axis=tuple(range(new)))`. Which axes are left "
            "whose length is not the one in `shape`?",
            "An axis of length 1 in `shape` was stretched, or is as it was. To sum it is right in "
            "both cases; with `keepdims=True` it stays, with length 1.",
            "g = g.sum(axis=tuple(range(new)))\n"
            "ones = tuple(i for i, n in enumerate(shape) if n == ___)\n"
            "return g.sum(axis=ones, keepdims=True)",
        ),
        solution="def unbroadcast(g, shape):\n"
        "    new = g.ndim - len(shape)\n"
        "    g = g.sum(axis=tuple(range(new)))\n"
        "    ones = tuple(i for i, n in enumerate(shape) if n == 1)\n"
        "    return g.sum(axis=ones, keepdims=True)",
        why="It is lesson 3 again: what is read often gets many parts, and they add. Of an "
        "empty batch nothing arrives, and the sum of nothing is 0.",
    )
)

LESSON.add(
    GradientExercise(
        "matmul_rule",
        forward=lambda a, b: a @ b,
        returns=("da", "db"),
        friendly={
            "a": np.array([[1.0, 2.0]]),
            "b": np.array([[1.0, 0.0, 2.0], [3.0, 1.0, -1.0]]),
        },
        random=lambda rng: {"a": rng.normal(size=(2, 3)), "b": rng.normal(size=(3, 4))},
        edge=[
            {"a": np.zeros((0, 3)), "b": np.ones((3, 2))},
        ],
        stops={
            "mismatch": "The inner lengths differ. `g` has the rows of `a` and the columns of `b`: "
            "transpose the factor beside it, so that the shape of the input comes out.",
            "broadcast": "`*` goes entry by entry. A matrix product is `@`.",
        },
        mistakes={
            "It is transposed: a gradient has the shape of its input.": lambda g, a, b: (
                (g @ b.T).T,
                (a.T @ g).T,
            ),
            "`g` is missing: that is the other factor alone, turned.": lambda g, a, b: (b.T, a.T),
            "`g` is handed on as it is through `+`; each entry of it must meet a factor.": (
                lambda g, a, b: (
                    np.broadcast_to(g.sum(axis=1)[:, None], a.shape),
                    np.broadcast_to(g.sum(axis=0), b.shape),
                )
            ),
            "All the gradients of a row were added before they met `b`: each has a slope of its "
            "own.": lambda g, a, b: (
                g.sum(axis=1, keepdims=True) * b.sum(axis=1),
                a.sum(axis=0)[:, None] * g.sum(axis=0),
            ),
        },
        hints=(
            "Which entries of `out` read `a[0, 0]`, and what does each multiply it by?",
            "`da[i, j]` is the sum over all `k` of `g[i, k] * b[j, k]`: a matrix product with `b` "
            "transposed. Turn the same thought round for `db`.",
            "da = g @ b.T\ndb = ___.T @ g",
        ),
        solution="def matmul_rule(g, a, b):\n    da = g @ b.T\n    db = a.T @ g\n    return da, db",
        why="With three different lengths only one product fits each shape. With square matrices "
        "all of them fit, so try a rule on matrices that are not square.",
    )
)


def _one_by_one(chosen: Callable) -> Callable:
    """A `lookup_rule` by a loop: of each number and its place, the row to add to and that of g."""

    def lookup_rule(g, table, index):
        dtable = np.zeros_like(table)
        for i, place in enumerate(index):
            to, row = chosen(i, place)
            dtable[to] += g[row]
        return dtable

    return lookup_rule


LESSON.add(
    GradientExercise(
        "lookup_rule",
        forward=lambda table, index: table[index],
        returns=("dtable",),
        friendly={"table": np.zeros((3, 2)), "index": np.array([0, 2, 1])},
        another={"table": np.zeros((3, 2)), "index": np.array([0, 2, 2])},
        random=lambda rng: {
            "table": rng.normal(size=(5, 2)),
            "index": np.array([3, 1, 3, 4, 3, 1]),
        },
        edge=[
            {"table": np.zeros((3, 2)), "index": np.array([-1, 2])},
            {"table": np.zeros((3, 2)), "index": np.array([], dtype=int)},
        ],
        stops={
            "broadcast": "There are not as many places as rows of `g`; `np.unique` leaves each "
            "place once. Row `i` of `g` has its place in `index[i]`, be it that of others or not."
        },
        planted="def lookup_rule(g, table, index):\n"
        "    dtable = np.zeros_like(table)\n"
        "    dtable[index] += g\n"
        "    return dtable",
        mistakes={
            "It is `g` that is looked up. Its rows are to go back to where they came from.": (
                lambda g, table, index: g[np.arange(len(table)) % max(len(g), 1)],
                lambda g, table, index: g[index],
            ),
            "`i` counts the rows of `g`; row `i` goes to the place `index[i]`.": (
                _one_by_one(lambda i, place: (i, i)),
                _one_by_one(lambda i, place: (i, place)),
            ),
            "A place in the table is no row of `g`. Go through both: row `i` of `g` goes to the "
            "place `index[i]`.": _one_by_one(lambda i, place: (place, place)),
            "All entries that go to one place were added to one number. Add row to row: "
            "`sum(axis=0)`.": lambda g, table, index: (
                (np.eye(len(table))[index].T @ g).sum(axis=1, keepdims=True) + 0 * table
            ),
            "`index == i` never finds -1, which is the last place, as in numpy.": (
                lambda g, table, index: (np.arange(len(table))[:, None] == index) @ g
            ),
            "It starts from the table, and so adds a value to a gradient. Start from zeros.": (
                lambda g, table, index: table + np.eye(len(table))[index].T @ g
            ),
            "The rows that came from one place were averaged. They add.": lambda g, table, index: (
                np.eye(len(table))[index].T
                @ g
                / np.maximum(np.bincount(index % len(table), minlength=len(table)), 1)[:, None]
            ),
            "Each row of `g` was added to every place it could go to, once for each look-up: it is "
            "counted too often.": lambda g, table, index: (
                np.bincount(index % len(table), minlength=len(table))[:, None]
                * (np.eye(len(table))[index].T @ g)
            ),
        },
        hints=(
            "For the index `[2, 2]` and two different rows in `g`, print `dtable`. Which is left?",
            "numpy reads `dtable[index]`, adds `g`, and then writes all rows back: of two for one "
            "place the last one stays. `np.add.at` adds one after another.",
            "np.add.at(dtable, index, ___)",
        ),
        solution="def lookup_rule(g, table, index):\n"
        "    dtable = np.zeros_like(table)\n"
        "    np.add.at(dtable, index, g)\n"
        "    return dtable",
        why="`dtable[index] += g` means `dtable[index] = dtable[index] + g`: of two rows for one "
        "place, the last one overwrites the first. Test a rule where an input is read twice.",
    )
)

check, hint, predict, reveal, solution, progress = LESSON.calls
