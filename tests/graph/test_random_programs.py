"""Programs that nobody chose by hand, in graph mode and eager: all calls, new inputs, the source.

The settings of the fast writer are made so small that a few numbers count as a big array: then
loops over blocks of rows, copies in another order and kept buffers occur in small programs too.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad import Tensor, grad, jit, ops, value_and_grad
from minigrad.graph import blocks, fast

# Each keeps numbers near 1, so that no program leaves the range of float32.
OPS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b * 0.5,
    "divide": lambda a, b: a / (b * b + 1.5),
    "negative": lambda a, b: -a,
    "nothing": lambda a, b: a * 1.0 + 0.0,
    "numbers": lambda a, b: (a * 2.0 - 1.0) * -0.25,
    "cube": lambda a, b: ops.tanh(a) ** 3,
    "inverse": lambda a, b: (a * a + 1.0) ** -1,
    "tanh": lambda a, b: ops.tanh(a),
    "exp": lambda a, b: ops.exp(-(a * a)),
    "log": lambda a, b: ops.log(a * a + 1.0) * 0.5,
    "relu": lambda a, b: ops.relu(a),
    "where": lambda a, b: ops.where(a > b, a, b * 0.5),
    "clip": lambda a, b: ops.clamp(a, -1.0, 1.0),
    "sum": lambda a, b: a.sum(0, keepdims=True) * 0.2 if a.ndim else a,
    "mean": lambda a, b: a.mean(-1, keep_dims=True) if a.ndim else a,
    "max": lambda a, b: a.max(0, keepdims=True) if a.ndim else a,
    "total": lambda a, b: (a * b).sum() * 0.02,
    "softmax": lambda a, b: ops.softmax(a, -1) if a.ndim else ops.sigmoid(a),
    "normal": lambda a, b: ops.logsumexp(a, -1, True) * 0.3 if a.ndim else a,
    "product": lambda a, b: (a.T @ a).sum(0) * 0.02 if a.ndim == 2 else a,
    "vector": lambda a, b: a @ a.mean(0) * 0.2 if a.ndim == 2 else a,
    "turn": lambda a, b: (a.T * 2.0).reshape(-1).reshape(a.shape) if a.ndim else a,
    "rows": lambda a, b: a[1:] * a[:-1] if a.ndim and a.shape[0] > 1 else a,
    "pick": lambda a, b: a[[0, 0]].sum(0) if a.ndim else a,
    "join": lambda a, b: ops.concat([a, a * 2.0], 0)[:: 2] if a.ndim else a,
    "running": lambda a, b: ops.cumsum(a, 0) * 0.2 if a.ndim else a,
    "stop": lambda a, b: ops.stop_gradient(a) * b,
}  # fmt: skip
SHAPES = [(5, 4), (4,), (1, 4), (5, 1), ()]
RECIPES = st.lists(
    st.tuples(st.sampled_from(sorted(OPS)), st.integers(0, 12), st.integers(0, 12)),
    min_size=2,
    max_size=9,
)
SMALL = [(512 * 1024, 128 * 1024, 8), (16, 64, 3), (64, 100, 4), (10**9, 10, 2)]
DERIVATIVES = [
    lambda f: f,
    lambda f: value_and_grad(f, (0, 1, 2)),
    lambda f: grad(lambda *xs: sum(ops.sin(g).sum() for g in grad(f, (0, 1, 2))(*xs)), (0, 1, 2)),
]


def function_of(recipe):
    """The function that does these, each to values made before."""

    def program(x, y, z):
        values = [x, y, z]
        for name, i, j in recipe:
            a, b = values[i % len(values)], values[j % len(values)]
            try:
                v = OPS[name](a, b)
            except ValueError:  # shapes that do not fit
                v = ops.tanh(a)
            values.append(v if v.size <= 20 else v.mean())
        return sum((v * v).mean() for v in values[-3:]) + values[-1].sum() * 0.1

    return program


def arrays(x):
    if isinstance(x, tuple):
        return [a for v in x for a in arrays(v)]
    return [np.array(getattr(x, "array", x))]


def equal(got, wanted):
    for a, b in zip(arrays(got), arrays(wanted), strict=True):
        exact = {np.float32: 3e-5, np.float64: 1e-11}[b.dtype.type]
        np.testing.assert_allclose(a, b, 0, exact * max(1, np.abs(b).max(initial=0)), strict=True)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(
    recipe=RECIPES,
    shapes=st.tuples(st.just((5, 4)), st.sampled_from(SHAPES), st.sampled_from(SHAPES)),
    dtype=st.sampled_from([np.float32, np.float64]),
    derivative=st.sampled_from(DERIVATIVES),
    small=st.sampled_from(SMALL),
)
def test_graph_mode_is_eager(recipe, shapes, dtype, derivative, small):
    rng = np.random.default_rng(len(recipe))
    inputs = [Tensor(rng.normal(size=shape).astype(dtype)) for shape in shapes]
    others = [x * 0.7 + 0.1 for x in inputs]
    before = blocks.BIG, blocks.BLOCK, fast.MANY
    blocks.BIG, blocks.BLOCK, fast.MANY = small
    fast.BIG = blocks.BIG
    try:
        eager = derivative(function_of(recipe))
        run = jit(eager, fullgraph=True)
        first, second = run(*inputs), run(*inputs)
        kept = arrays((first, second))
        equal(first, eager(*inputs))
        equal(second, eager(*inputs))
        equal(run(*others), eager(*others))
        for a, b in zip(arrays((first, second)), kept, strict=True):
            np.testing.assert_array_equal(a, b)  # later calls wrote into none
        space = {}
        exec(run.source, space)
        equal(space[run.program.name](*arrays(tuple(others))), eager(*others))
    finally:
        blocks.BIG, blocks.BLOCK, fast.MANY = before
        fast.BIG = blocks.BIG
