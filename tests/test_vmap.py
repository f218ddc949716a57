"""vmap: axes, containers, gradients inside and around it, Parameters, and what it refuses.

That each op gives in vmap what a loop gives is tested in `test_vmap_catalogue`.
"""

import copy
from collections import namedtuple

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, nn, ops
from minigrad.batch import vmap
from minigrad.nn import Cell

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
Y = np.array([[2.0, 0.0, 1.0], [1.0, 3.0, 2.0]], np.float32)


def dot(x, y):
    return (x * y).sum()


def cube(x):
    return (x * x * x).sum()


def same(got, wanted):
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6, strict=False)
    assert got.shape == np.shape(wanted)


# --------------------------------------------------------------------------------------- the axes
def test_samples_along_axis_0_of_every_argument():
    same(vmap(dot)(Tensor(X), Tensor(Y)), [5.0, 31.0])


def test_an_axis_for_each_argument_and_none_for_a_shared_one():
    same(vmap(dot, in_axes=(1, None))(Tensor(X), Tensor([1.0, 10.0])), [41.0, 52.0, 63.0])
    same(vmap(dot, in_axes=(-1, 0))(Tensor(X), Tensor(Y.T)), [6.0, 15.0, 15.0])
    same(vmap(dot, in_axes=[0, 0])(Tensor(X), Tensor(Y)), [5.0, 31.0])


def test_the_function_sees_one_sample():
    seen = []

    def look(x):
        seen.append((x.shape, x.ndim, x.size, x.dtype))
        return x

    vmap(look, in_axes=1)(Tensor(X))
    assert seen == [((2,), 1, 2, ms.float32)]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_out_axes_say_where_the_samples_go(axis):
    out = vmap(lambda x: x * 2, out_axes=axis)(Tensor(X))
    same(out, np.moveaxis(X * 2, 0, axis))


def test_out_axes_of_several_outputs_and_of_nested_ones():
    def fn(x):
        return x, (x * 2, x.sum())

    a, (b, c) = vmap(fn, out_axes=(0, (1, 0)))(Tensor(X))
    same(a, X)
    same(b, (X * 2).T)
    same(c, X.sum(1))


def test_tuples_and_lists_inside_of_dicts():
    got = vmap(lambda d: {"sum": d["pair"][0].sum(), "rest": [d["pair"][1], {"twice": (d["n"],)}]})(
        {"pair": (Tensor(X), Tensor(Y)), "n": 5}
    )
    same(got["sum"], [6.0, 15.0])
    same(got["rest"][0], Y)
    assert got["rest"][1]["twice"][0].asnumpy().tolist() == [5, 5]
    turned = vmap(lambda x: {"a": [x * 2]}, out_axes=1)(Tensor(X))
    same(turned["a"][0], 2 * X.T)


def test_an_output_that_is_the_same_for_all():
    one, repeated = vmap(lambda x: (x, Tensor(7.0)))(Tensor(X))
    same(one, X)
    same(repeated, [7.0, 7.0])
    _, kept = vmap(lambda x: (x, Tensor(7.0)), out_axes=(0, None))(Tensor(X))
    same(kept, 7.0)
    same(vmap(lambda x: (x, 2.0))(Tensor(X))[1], [2.0, 2.0])


def test_containers_as_arguments_and_outputs():
    def fn(pair, y):
        return {"product": pair[0] * pair[1] + y}

    out = vmap(fn, in_axes=((0, None), 0))((Tensor(X), Tensor(Y[0])), Tensor(Y))
    same(out["product"], X * Y[0] + Y)
    out = vmap(lambda d: [d["a"] + d["b"]])({"a": Tensor(X), "b": Tensor(Y)})
    assert type(out) is list
    same(out[0], X + Y)


def test_a_number_is_shared():
    same(vmap(lambda x, y: x * y, in_axes=(0, None))(Tensor(X), 2.0), X * 2)


def test_vmap_of_vmap_is_a_table():
    table = vmap(vmap(lambda a, b: a - b, (None, 0)), (0, None))
    same(table(Tensor([10.0, 20.0]), Tensor([1.0, 2.0, 3.0])), [[9, 8, 7], [19, 18, 17]])


def test_no_samples_at_all():
    out = vmap(lambda x: (x * x).sum())(Tensor(np.zeros((0, 3), np.float32)))
    assert out.shape == (0,)


# -------------------------------------------------------------------------------------- gradients
def test_per_sample_gradients():
    same(vmap(ms.grad(cube))(Tensor(X)), 3 * X * X)
    dx, dy = vmap(ms.grad(dot, (0, 1)), in_axes=(0, None))(Tensor(X), Tensor(Y[0]))
    same(dx, np.stack([Y[0], Y[0]]))
    same(dy, X)  # each sample has a gradient of its own, though y is shared


def test_gradient_around_vmap():
    same(ms.grad(lambda x: vmap(cube)(x).sum())(Tensor(X)), 3 * X * X)
    shared = ms.grad(lambda y: vmap(dot, (0, None))(Tensor(X), y).sum())(Tensor(Y[0]))
    same(shared, X.sum(0))


def test_gradient_of_what_is_closed_over():
    same(ms.grad(lambda w: vmap(lambda x: (x * w).sum())(Tensor(X)).sum())(Tensor(Y[0])), X.sum(0))


def test_gradients_inside_and_around():
    # The squared length of each sample's gradient 2 x w, summed: the derivative by w is 8 x^2 w.
    def total(w):
        g = vmap(ms.grad(lambda x: (x * x * w).sum()))(Tensor(X))
        return (g * g).sum()

    same(ms.grad(total)(Tensor(Y[0])), (8 * X * X * Y[0]).sum(0))


def test_second_derivatives_of_each_sample():
    second = vmap(ms.grad(lambda x: ms.grad(cube)(x).sum()))
    same(second(Tensor(X)), 6 * X)


def test_vjp_inside_vmap():
    def pulled(x, g):
        return ms.vjp(lambda x: x * x, x)[1](g)[0]

    same(vmap(pulled)(Tensor(X), Tensor(Y)), 2 * X * Y)


def test_a_pullback_made_outside_takes_many_cotangents():
    _, pullback = ms.vjp(lambda x: x * x, Tensor(X[0]))
    (rows,) = vmap(pullback)(Tensor(np.eye(3, dtype=np.float32)))
    same(rows, np.diag(2 * X[0]))


def test_stop_gradient_and_value_and_grad():
    def fn(x):
        return (x * ops.stop_gradient(x)).sum(), x * 2

    (value, aux), g = vmap(ms.value_and_grad(fn, has_aux=True))(Tensor(X))
    same(value, (X * X).sum(1))
    same(aux, 2 * X)
    same(g, X)


# ----------------------------------------------------------------------------- Cells and Parameters
def test_a_cell_and_per_sample_gradients_of_its_parameters():
    net = nn.Dense(3, 2)
    w, b = (p.asnumpy() for p in net.trainable_params())
    same(vmap(net)(Tensor(X)), X @ w.T + b)
    per_sample = vmap(ms.grad(lambda x: net(x).sum(), None, weights=net.trainable_params()))
    dw, db = per_sample(Tensor(X))
    same(dw, np.stack([np.stack([x, x]) for x in X]))
    same(db, np.ones((2, 2)))
    np.testing.assert_array_equal(net.weight.asnumpy(), w)


def test_gradient_of_parameters_around_vmap_sums_over_samples():
    net = nn.Dense(3, 1)
    dw = ms.grad(lambda x: vmap(net)(x).sum(), None, weights=net.weight)(Tensor(X))
    same(dw, X.sum(0, keepdims=True))


def test_parameters_inside_and_around():
    w = Parameter(Tensor([2.0, 3.0, 5.0]), name="w")

    def squares(x):
        g = ms.grad(lambda x: (x * w * w).sum(), None, weights=w)(x)  # 2 x w
        return (g * g).sum()

    around = ms.grad(lambda x: vmap(squares)(x).sum(), None, weights=w)(Tensor(X))
    same(around, (8 * X * X * w.asnumpy()).sum(0))


def test_a_cell_list_is_an_ensemble():
    cells = nn.CellList([nn.Dense(3, 2), nn.Dense(3, 2)])
    one_each = [cell(Tensor(x)).asnumpy() for cell, x in zip(cells, X, strict=True)]
    same(vmap(cells)(Tensor(X)), np.stack(one_each))
    weights = cells.trainable_params()
    grads = ms.grad(lambda x: vmap(cells)(x).sum(), None, weights=weights)(Tensor(X))
    assert len(grads) == len(weights) == 4
    same(grads[0], np.stack([X[0], X[0]]))
    same(grads[2], np.stack([X[1], X[1]]))


def test_labels_that_differ_between_samples():
    def loss(row, label):
        return ops.cross_entropy(row.reshape(1, -1), label.reshape(1))

    got = vmap(ms.grad(loss))(Tensor(X), Tensor([2, 0]))
    e = np.exp(X - X.max(1, keepdims=True))
    same(got, e / e.sum(1, keepdims=True) - np.eye(3)[[2, 0]])


def test_indices_that_differ_between_samples():
    same(vmap(lambda x, i: x[i])(Tensor(X), Tensor([2, 0])), [3.0, 4.0])
    same(vmap(lambda x, i: ops.gather(x, i, 0))(Tensor(X), Tensor([[2, 2], [0, 1]])),
         [[3.0, 3.0], [4.0, 5.0]])  # fmt: skip
    g = vmap(ms.grad(lambda x, i: ops.gather(x, i, 0).sum()))(Tensor(X), Tensor([[2, 2], [0, 1]]))
    same(g, [[0, 0, 2], [1, 1, 0]])


@pytest.mark.parametrize(
    "key",
    [
        lambda i: (..., i),
        lambda i: (..., i, 0),
        lambda i: (0, ..., i),
        lambda i: (..., None, i),
        lambda i: (..., i, slice(1, None)),
        lambda i: (i, 1, ...),
        lambda i: (..., [[0], [1]], i),
    ],
)
def test_an_index_that_differs_between_samples_stands_beside_dots(key):
    x, places = np.arange(24.0).reshape(2, 3, 4), [2, 1]
    got = vmap(lambda x, i: x[key(i)])(Tensor(x), Tensor(places))
    same(got, np.stack([row[key(i)] for row, i in zip(x, places, strict=True)]))


@pytest.mark.parametrize(
    "key",
    [
        lambda i: ([0, 1], i),
        lambda i: (range(2), i),
        lambda i: (i, slice(None), [0, 3]),
        lambda i: (np.int64(1), slice(None), i),
        lambda i: (np.array([True, False, True]), i),
        lambda i: ([True, False, True], ..., i),
        lambda i: (..., np.eye(4, 5) > 0.5, i - 1),
        lambda i: (np.arange(12).reshape(3, 4) % 5 > 1, ..., i),
    ],
    ids=["list", "range", "apart", "numpy's", "mask", "list as mask", "mask behind", "two axes"],
)
def test_an_index_that_differs_between_samples_stands_beside_others(key):
    shape = (2, 3, 4, 5, 2) if key(1)[0] is ... else (2, 3, 4, 5)
    x, places = np.arange(np.prod(shape)).reshape(shape) * 1.0, [2, 1]
    got = vmap(lambda x, i: x[key(i)])(Tensor(x), Tensor(places))
    same(got, np.stack([row[key(i)] for row, i in zip(x, places, strict=True)]))


@pytest.mark.parametrize("key", [([0, 1], slice(None), [0, 3]), (1, slice(None), [0, 1])], ids=str)
def test_lists_that_stand_apart_in_an_index(key):
    """numpy puts the axis of such lists in front, and samples come before it."""
    x = np.arange(120.0).reshape(2, 3, 4, 5)
    same(vmap(lambda x: x[key])(Tensor(x)), np.stack([row[key] for row in x]))


def test_true_in_an_index_beside_one_that_differs_is_refused():
    with pytest.raises(TypeError, match=r"True stands in an index .* write None for a new axis"):
        vmap(lambda x, i: x[True, i])(Tensor(X), Tensor([2, 0]))


def test_writing_into_a_sample():
    def fn(x):
        y = x * 1
        y[0] = y[1] * y[2]
        return y.sum()

    same(vmap(fn)(Tensor(X)), [2 + 3 + 6, 5 + 6 + 30])
    same(vmap(ms.grad(fn))(Tensor(X)), [[0, 4, 3], [0, 7, 6]])


def test_random_numbers_are_drawn_once():
    ms.set_seed(1)
    rows = vmap(lambda x: ops.dropout(x, 0.5))(Tensor(np.ones((4, 50), np.float32))).asnumpy()
    assert 0 < (rows[0] == 0).sum() < 50
    assert (rows == rows[0]).all()


# -------------------------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: vmap(dot, in_axes=1.0)(Tensor(X), Tensor(Y)), "ints or None, but got 1.0"),
        (lambda: vmap(dot, in_axes=(0,))(Tensor(X), Tensor(Y)), "1 entries, but there are 2"),
        (lambda: vmap(dot, in_axes=None)(Tensor(X), Tensor(Y)), "maps no argument"),
        (lambda: vmap(dot)(Tensor(X), Tensor(X.T)), "they hold 2, 3"),
        (lambda: vmap(dot, in_axes=(0, 5))(Tensor(X), Tensor(Y)), "axis 5 of in_axes"),
        (lambda: vmap(cube, out_axes=5)(Tensor(X)), "axis 5 of out_axes"),
        (lambda: vmap(cube, out_axes=None)(Tensor(X)), "differs between samples"),
        (lambda: vmap(cube, out_axes=(0, 1))(Tensor(X)), "2 entries, but there are 1"),
        (lambda: vmap(3), "needs a function"),
        (lambda: vmap(nn.CellList([nn.Dense(3, 1)]))(Tensor(X)), "they hold 2, 1"),
    ],
)
def test_axes_that_do_not_fit(make, says):
    with pytest.raises(RuntimeError, match=says):
        make()


def test_cells_of_a_list_that_differ():
    with pytest.raises(RuntimeError, match="the Cells of a CellList must be alike, down to the sh"):
        vmap(nn.CellList([nn.Dense(3, 2), nn.Dense(3, 1)]))(Tensor(X))


def test_an_op_of_samples_that_is_not_recorded_is_warned_of():
    weight = None

    class Hidden(nn.Cell):
        def construct(self, x):
            return x * weight

        def bprop(self, x, out, dout):
            return (dout * 5,)

    def fn(x):
        nonlocal weight
        weight = x * 1.0
        return Hidden()(x).sum()

    with pytest.warns(UserWarning, match="no gradient flows through this multiply"):
        same(vmap(ms.grad(fn))(Tensor(X)), np.full((2, 3), 5.0))


def test_many_gradients_pulled_back_through_the_windows_of_one_batch():
    x = np.random.default_rng(3).normal(size=(2, 1, 4, 4))
    gs = np.random.default_rng(4).normal(size=(3, 2, 1, 2, 2))
    pull = ms.vjp(lambda x: ops.max_pool2d(x, 2, 2), Tensor(x))[1]
    wanted = np.zeros((3, *x.shape))  # each g goes to the largest entry of its window
    for k, n, i, j in np.ndindex(3, 2, 2, 2):
        window = x[n, 0, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
        a, b = np.unravel_index(window.argmax(), (2, 2))
        wanted[k, n, 0, 2 * i + a, 2 * j + b] = gs[k, n, 0, i, j]
    same(vmap(pull)(Tensor(gs))[0], wanted)


def test_no_output_stays_none():
    assert vmap(lambda x: None)(Tensor(X)) is None


@pytest.mark.parametrize(
    ("fn", "says"),
    [
        (lambda x: x if x.sum() > 0 else -x, "ops.where"),
        (lambda x: float(x.sum()), "a Python number"),
        (lambda x: x.asnumpy(), "numpy"),
        (lambda x: x.tolist(), "a list"),
        (lambda x: x[x > 2], "mask that differs"),
        (lambda x: ops.nonzero(x), "nonzero: inside vmap"),
        (lambda x: "text", "returned a str"),
    ],
)
def test_what_needs_the_numbers_of_one_sample(fn, says):
    with pytest.raises(TypeError, match=says):
        vmap(fn)(Tensor(X))


def test_an_op_without_a_rule_is_named():
    from minigrad.op import OPS, primitive

    def sort(x):
        return np.sort(x)

    fresh = primitive("fresh", sort, "y = x", x=(None, "0"))
    del OPS[sort]  # the catalogue is as it was
    with pytest.raises(TypeError, match="no batch rule for fresh whose x differ"):
        vmap(fresh)(Tensor(X))


def test_a_value_that_left_its_vmap():
    kept = []
    vmap(lambda x: kept.append(x) or x)(Tensor(X))
    with pytest.raises(RuntimeError, match="that vmap has ended"):
        kept[0] + 1


@pytest.mark.parametrize("fn", [lambda x: x * x, lambda x: x + 1])
def test_a_pullback_that_left_its_vmap(fn):
    kept = []

    def keep(x):
        kept.extend(ms.vjp(fn, x)[1:])
        return kept[-1](x)[0]

    vmap(keep)(Tensor(X))
    with pytest.raises(RuntimeError, match=r"pullback of <lambda> was made inside vmap.*outside"):
        kept[0](Tensor([1.0, 1.0, 1.0]))
    with pytest.raises(RuntimeError, match="was made inside vmap, and that has ended"):
        vmap(kept[0])(Tensor(X))


def test_a_parameter_is_not_made_of_a_sample():
    with pytest.raises(TypeError, match=r"Parameter\(w\) inside vmap would be one of each sample"):
        vmap(lambda x: Parameter(x, name="w"))(Tensor(X))
    inside = vmap(lambda x: (x * Parameter(Tensor([1.0, 2.0, 3.0]), name="w")).sum())
    same(inside(Tensor(X)), X @ np.array([1.0, 2.0, 3.0]))


def test_a_deep_copy_of_a_sample_is_the_sample():
    same(vmap(ms.grad(lambda x: (copy.deepcopy(x) * x).sum()))(Tensor(X)), 2 * X)


def test_a_parameter_is_not_written_inside():
    class Count(Cell):
        def __init__(self):
            super().__init__()
            self.total = Parameter(Tensor([0.0, 0.0, 0.0]), name="total")

        def construct(self, x):
            ops.assign(self.total, x)
            return x

    with pytest.raises(TypeError, match="total is written inside vmap"):
        vmap(Count())(Tensor(X))


def test_shapes_that_do_not_fit_say_so():
    with pytest.raises(ValueError, match="do not broadcast"):
        vmap(lambda x: x + Tensor([1.0, 2.0]))(Tensor(X))


def test_there_is_one_run_not_a_loop():
    calls = []
    vmap(lambda x: calls.append(1) or x)(Tensor(np.zeros((100, 2), np.float32)))
    assert len(calls) == 1


# ------------------------------------------------------------------- what a sample is asked about
def test_a_sample_is_a_sequence_of_its_rows():
    def fn(x):
        a, b, c = x
        return sum(row for row in x) + a * b * c / len(x)

    same(vmap(fn)(Tensor(X)), X.sum(1) + X.prod(1) / 3)


def test_printing_a_sample_says_what_it_is():
    printed = []
    vmap(lambda x: printed.append(f"{x} {x!r}") or x)(Tensor(X))
    text = "Tensor(samples of shape (3,), float32, inside vmap)"
    assert printed == [f"{text} {text}"]


def test_a_namedtuple_stays_one():
    pair = namedtuple("pair", "a b")
    out = vmap(lambda p: pair(p.a * 2, p.b))(pair(Tensor(X), Tensor(Y)))
    assert type(out) is pair
    same(out.a, 2 * X)


def test_writing_at_an_index_that_differs_between_samples():
    def fn(x, v, i):
        y = x * 1
        y[i] = v
        return (y * y).sum()

    x, v, places = Tensor(np.ones((3, 3, 4))), Tensor(np.full((3, 4), 5.0)), Tensor([0, 1, 2])
    dx, dv = vmap(ms.grad(fn, (0, 1)))(x, v, places)
    same(dx, np.stack([2 * (np.arange(3) != i)[:, None] * np.ones((3, 4)) for i in range(3)]))
    same(dv, np.full((3, 4), 10.0))


def test_a_tensor_from_outside_is_not_written_inside():
    outside = Tensor([7.0, 8.0, 9.0])

    def fn(x):
        outside[0] = x[0]
        return outside * 1

    with pytest.raises(TypeError, match="from outside was written inside vmap"):
        vmap(fn)(Tensor(X))
    assert outside.asnumpy().tolist() == [7.0, 8.0, 9.0]


def test_a_tensor_made_inside_may_be_written():
    def fn(x):
        y = ops.zeros(2)
        y[1] = x[0]
        return y

    same(vmap(fn)(Tensor(X)), [[0, 1], [0, 4]])


def test_a_write_is_taken_back_after_an_error():
    outside = Tensor([7.0])

    def fn(x):
        outside[0] = x[0]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        vmap(fn)(Tensor(X))
    assert outside.asnumpy().tolist() == [7.0]


def test_a_comparison_of_the_samples_object_is_refused():
    with pytest.raises(TypeError, match="a comparison needs the values of one"):
        vmap(lambda x: x.array == 0)(Tensor(X))


def test_looking_for_nan_through_vmap():
    origin = ms.check.nan_origin(lambda x: vmap(ms.grad(lambda r: (r * r).sum()))(x), Tensor(X))
    assert not origin


NESTED = {
    "an index": lambda x, i: x[i],
    "gather": lambda x, i: ops.gather(x, i, 0),
    "the gradient of an index": ms.grad(lambda x, i: x[i] ** 2),
    "the gradient of a pool": lambda x, i: ms.grad(
        lambda x: ops.max_pool1d(x[None, None], 2).sum()
    )(x),
}


@pytest.mark.parametrize("name", NESTED)
def test_places_that_differ_in_both_of_two_vmaps(name):
    fn, x = NESTED[name], np.random.default_rng(0).normal(size=(2, 3, 4))
    places = np.array([[0, 1, 2], [3, 2, 1]])
    got = vmap(vmap(fn))(Tensor(x), Tensor(places))
    for each, rows, picked in zip(got.asnumpy(), x, places, strict=True):
        for a, row, i in zip(each, rows, picked, strict=True):
            np.testing.assert_allclose(a, fn(Tensor(row), int(i)).asnumpy(), rtol=1e-12)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: ops.sort(x)[0],
        lambda x: ops.topk(x, 2)[0],
        lambda x: ops.median(x)[0],
        lambda x: x[x.argmax()] * x,
        lambda x: ops.max_pool1d(x[None, None], 2),
    ],
    ids=["sort", "topk", "median", "argmax", "pool"],
)
def test_jacobians_for_each_sample_of_what_picks_entries(fn):
    x = np.array([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]])
    for change in (ms.jacrev(fn), ms.hessian(lambda x: (fn(x * x) ** 2).sum())):
        same(vmap(change)(Tensor(x)), np.stack([change(Tensor(row)).asnumpy() for row in x]))
