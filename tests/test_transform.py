"""grad, value_and_grad, GradOperation and vjp: what they accept, what they answer, of any order."""

import functools
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops, value_and_grad
from minigrad.transform import vjp

X = np.array([0.4, 0.9, 1.3])


def lists(x):
    """Tensors in nested tuples, lists and dicts as lists of numbers."""
    if isinstance(x, Tensor):
        return x.asnumpy().tolist()
    if isinstance(x, dict):
        return {k: lists(v) for k, v in x.items()}
    return type(x)(map(lists, x)) if isinstance(x, tuple | list) else x


def slope(fn, x, step=1e-5):
    """The derivative of fn, which works on each entry alone, by central differences."""
    up, down = fn(Tensor(x + step)).asnumpy(), fn(Tensor(x - step)).asnumpy()
    return (up - down) / (2 * step)


@pytest.fixture
def p():
    return Parameter(Tensor([1.0, 2.0]), name="p")


@pytest.fixture
def q():
    return Parameter(Tensor([3.0, 5.0]), name="q")


ONES = Tensor([1.0, 1.0])


# --- what is asked for, and in what form it comes
def test_one_position_gives_a_tensor_and_several_give_a_tuple():
    x, y = Tensor([2.0]), Tensor([3.0])
    assert lists(grad(ops.mul)(x, y)) == [3.0]
    assert lists(grad(ops.mul, 0)(x, y)) == [3.0]
    assert lists(grad(ops.mul, (0,))(x, y)) == [3.0]
    assert lists(grad(ops.mul, 1)(x, y)) == [2.0]
    assert lists(grad(ops.mul, (0, 1))(x, y)) == ([3.0], [2.0])
    assert lists(grad(ops.mul, (1, 0))(x, y)) == ([2.0], [3.0])


def test_weights_come_in_the_form_in_which_they_were_given(p):
    def fn(x):
        return (x * p).sum()

    dx, dp = [1.0, 2.0], [1.0, 1.0]
    assert lists(grad(fn, None, weights=p)(ONES)) == dp
    assert lists(grad(fn, None, weights=[p])(ONES)) == (dp,)
    assert lists(grad(fn, None, ms.ParameterTuple([p]))(ONES)) == (dp,)
    assert lists(grad(fn, 0, weights=p)(ONES)) == (dx, dp)
    assert lists(grad(fn, 0, weights=[p])(ONES)) == (dx, (dp,))
    assert lists(grad(fn, 0, weights=[])(ONES)) == (dx, ())
    assert lists(grad(fn, None, weights=[])(ONES)) == ()
    assert lists(value_and_grad(fn, None, weights=[p])(ONES)) == (3.0, (dp,))
    assert lists(value_and_grad(fn, 0, weights=[p])(ONES)) == (3.0, (dx, (dp,)))


def test_weights_may_come_from_a_generator_and_serve_every_call(p, q):
    find = grad(lambda x: (x * p * q).sum(), None, (w for w in (p, q)))
    for _ in range(2):
        assert lists(find(ONES)) == ([3.0, 5.0], [1.0, 2.0])


def test_return_ids_puts_the_position_or_the_name_beside_each_gradient(p):
    def fn(x, y=ONES):
        return (x * y * p).sum()

    dx, dp = [1.0, 2.0], [1.0, 1.0]
    assert lists(grad(fn, return_ids=True)(ONES)) == (0, dx)
    assert lists(grad(fn, (0, 1), return_ids=True)(ONES, ONES)) == ((0, dx), (1, dx))
    assert lists(grad(fn, 0, [p], return_ids=True)(ONES)) == ((0, dx), (("p", dp),))
    assert lists(grad(fn, None, [p], return_ids=True)(ONES)) == (("p", dp),)
    assert lists(grad(fn, None, p, return_ids=True)(ONES)) == ("p", dp)


def test_keyword_arguments_are_differentiated_by_their_place_in_the_signature():
    def fn(x, y, factor=1.0):
        return x * y * y * factor

    x, y = Tensor(2.0), Tensor(3.0)
    assert lists(grad(fn, 1)(x, y=y)) == 12.0
    assert lists(grad(fn, (0, 1))(y=y, x=x)) == (9.0, 12.0)  # MindSpore: swapped
    assert lists(grad(fn, (0, 1))(y=y, x=x, factor=2.0)) == (18.0, 24.0)
    assert lists(grad(fn, 2)(x, y, factor=Tensor(1.0))) == 18.0

    class Net(nn.Cell):
        def construct(self, x, y):
            return x * y * y

    assert lists(grad(Net(), (0, 1))(y=y, x=x)) == (9.0, 12.0)
    assert lists(grad(functools.partial(fn, factor=2.0), 1)(x, y=y)) == 24.0


def test_one_tensor_passed_twice_is_two_inputs():
    x = Tensor(3.0)
    assert lists(grad(lambda x, y: x * y * y, (0, 1))(x, x)) == (9.0, 18.0)


def test_a_tensor_seen_through_a_closure_is_a_constant():
    x = Tensor(3.0)
    assert grad(lambda y: x * y)(x).item() == 3.0
    assert grad(lambda y: x * x)(x).item() == 0.0


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array(2.0), Tensor(2.0)], ids=repr)
def test_numbers_and_arrays_are_inputs_too(x):
    assert grad(lambda x: x * x * x)(x).item() == 12.0
    assert value_and_grad(lambda x, y: x * y, (0, 1))(x, 3.0)[1][1].item() == 2.0


def test_a_container_of_tensors_has_a_gradient_of_the_same_structure():
    def fn(v):
        a, (b, c) = v["a"], v["bc"]
        return (a * b * c).sum()

    given = {"a": Tensor([2.0]), "bc": [Tensor([3.0]), (Tensor([5.0]),)[0]]}
    assert lists(grad(fn)(given)) == {"a": [15.0], "bc": [[10.0], [6.0]]}
    assert lists(given) == {"a": [2.0], "bc": [[3.0], [5.0]]}
    pair = (Tensor([2.0]), [Tensor([3.0])])
    assert lists(grad(lambda x, v: (x * v[0] * v[1][0]).sum(), (0, 1))(1.0, pair)) == (
        6.0,
        ([3.0], [[2.0]]),
    )
    assert lists(grad(lambda v: sum(v))([])) == []


# --- outputs
@pytest.mark.parametrize(
    "pack",
    [
        lambda a, b: (a, b),
        lambda a, b: [a, b],
        lambda a, b: {"a": a, "b": b},
        lambda a, b: (a, {"b": [b, 3.0, "text", None]}),
        lambda a, b: a + b,
    ],
)
def test_of_several_outputs_the_sum_is_differentiated(pack):
    assert lists(grad(lambda x: pack(x * 2, x * x))(Tensor([2.0]))) == [6.0]


def test_the_same_output_twice_counts_twice():
    assert lists(grad(lambda x: (lambda y: (y, y))(x * x))(Tensor([3.0]))) == [12.0]
    assert lists(grad(lambda x: (x, x))(Tensor([3.0]))) == [2.0]


def test_an_output_that_is_no_scalar_is_summed():
    assert lists(grad(lambda x: x * x)(Tensor([[1.0, 2.0]]))) == [[2.0, 4.0]]


def test_has_aux_differentiates_the_first_output_alone():
    def fn(x):
        return x * x, x * 3, x

    x = Tensor([2.0])
    assert lists(grad(fn, has_aux=True)(x)) == ([4.0], ([6.0], [2.0]))
    assert lists(value_and_grad(fn, has_aux=True)(x)) == (([4.0], [6.0], [2.0]), [4.0])
    assert lists(grad(lambda x: (x * x, x), has_aux=True)(x)) == ([4.0], ([2.0],))
    assert lists(value_and_grad(fn)(x)) == (([4.0], [6.0], [2.0]), [8.0])


def test_aux_may_be_anything():
    note = object()
    (value, *aux), dx = value_and_grad(lambda x: (x * x, "a", {"k": x}, note), has_aux=True)(2.0)
    assert (value.item(), dx.item()) == (4.0, 4.0)
    assert (aux[0], lists(aux[1]), aux[2]) == ("a", {"k": 2.0}, note)


@pytest.mark.parametrize("out", [lambda x: x, lambda x: (x,), lambda x: None])
def test_has_aux_needs_more_than_one_output(out):
    with pytest.raises(ValueError, match=r"has_aux=True needs .*more than one output"):
        grad(out, has_aux=True)(Tensor(1.0))


def test_values_handed_out_are_no_longer_tracked():
    kept = value_and_grad(lambda x: (x * x, {"a": [x * 2]}))(Tensor(3.0))[0]
    assert kept[0].node is None
    assert kept[1]["a"][0].node is None
    assert vjp(lambda x: x * x, Tensor(3.0))[0].node is None


# --- zeros
def test_what_the_output_does_not_depend_on_has_zeros_for_a_gradient(p):
    x, y = Tensor(np.ones((2, 1), np.float16)), Tensor([1.0, 2.0])
    dx, dy = grad(lambda x, y: y.sum(), (0, 1))(x, y)
    assert (dx.shape, dx.dtype, lists(dx)) == ((2, 1), ms.float16, [[0.0], [0.0]])
    assert lists(dy) == [1.0, 1.0]
    assert lists(grad(lambda x: y.sum())(x)) == [[0.0], [0.0]]
    assert lists(grad(lambda x: 3.0)(y)) == [0.0, 0.0]
    assert lists(grad(lambda x: x > 1)(y)) == [0.0, 0.0]
    assert lists(grad(lambda y: y.sum(), None, [p])(y)) == ([0.0, 0.0],)


def test_a_frozen_parameter_has_zeros_for_a_gradient(p, q):
    q.requires_grad = False
    assert lists(grad(lambda: (p * q * q).sum(), None, [q, p])()) == ([0.0, 0.0], [9.0, 25.0])


def test_stop_gradient_lets_nothing_through():
    x = Tensor(3.0)
    assert grad(lambda x: x * ops.stop_gradient(x))(x).item() == 3.0
    assert grad(lambda x: ops.stop_gradient(x * x))(x).item() == 0.0
    assert grad(lambda x: grad(lambda y: y * y * ops.stop_gradient(y))(x))(x).item() == 2 * 3.0
    assert grad(lambda x: grad(lambda y: ops.stop_gradient(x) * x * y)(x))(x).item() == 3.0
    assert grad(lambda x: x * x.stop_gradient())(x).item() == 3.0


def test_one_parameter_asked_for_twice_gives_two_equal_gradients(p):
    a, b = grad(lambda: (p * p).sum(), None, (p, p))()
    assert lists((a, b)) == ([2.0, 4.0], [2.0, 4.0])
    a[0] = 9.0
    assert lists(b) == [2.0, 4.0]


# --- refusals
@pytest.mark.parametrize(
    ("position", "error", "words"),
    [
        (None, ValueError, "`grad_position` and `weights` can not be None at the same time"),
        (-1, ValueError, "must be >= 0"),
        ((0, 0), ValueError, "names a position twice"),
        ((), ValueError, r"grad_position \(\) names no argument"),
        ([0], TypeError, "int or a tuple of ints.*got \\[0\\]"),
        (0.0, TypeError, "got 0.0"),
        ("x", TypeError, "got 'x'"),
    ],
)
def test_a_grad_position_that_cannot_be_is_refused_at_once(position, error, words):
    with pytest.raises(error, match=words):
        grad(lambda x: x, position)
    with pytest.raises(error, match=words):
        value_and_grad(lambda x: x, position)


def test_a_position_out_of_range_names_the_function_and_its_arguments():
    def area(width, height):
        return width * height

    with pytest.raises(IndexError, match=r"grad_position 2 .*area was called with 2 arguments"):
        grad(area, (0, 2))(1.0, 2.0)
    with pytest.raises(IndexError, match="0 arguments"):
        grad(area)()


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (3, r"argument 0 of cube is the integer 3.*pass 3\.0"),
        (True, "argument 0 of cube"),
        (Tensor(3), r"argument 0 of cube is a Tensor of Int64.*x\.astype\(minigrad\.float32\)"),
        (Tensor([True]), "Bool"),
        (np.int64(3), "Int64"),
        ([1.0, Tensor([2])], r"argument 0\[1\]"),
        ({"n": 3}, r"argument 0\['n'\]"),
        ("a", "argument 0 of cube"),
        (None, "argument 0 of cube"),
    ],
    ids=repr,
)
def test_an_input_without_a_gradient_is_refused_with_advice(x, words):
    def cube(x):
        return x * x * x

    with pytest.raises(TypeError, match=words):
        grad(cube)(x)


def test_integers_that_nobody_differentiates_pass():
    assert grad(lambda x, n, flag: x * n if flag else x)(2.0, Tensor(3), True).item() == 3.0


@pytest.mark.parametrize("weights", [Tensor(1.0), [Tensor(1.0)], ["p"]])
def test_weights_that_are_no_parameters_are_refused(weights):
    with pytest.raises(TypeError, match=r"weights must be Parameters, but weights\[0\] is a"):
        grad(lambda x: x, None, weights)


@pytest.mark.parametrize("fn", [None, 3, Tensor(1.0)])
def test_what_cannot_be_called_is_refused(fn):
    with pytest.raises(TypeError, match="function or a Cell"):
        grad(fn)
    with pytest.raises(TypeError, match="function or a Cell"):
        ops.GradOperation()(fn)


# --- GradOperation
def test_grad_operation_gives_the_first_input_all_the_weights_or_both(p):
    x, y = Tensor([2.0, 2.0]), Tensor([3.0, 3.0])

    def fn(x, y=ONES):
        return (x * y * p).sum()

    go = ops.GradOperation
    assert lists(go()(fn)(x, y)) == [3.0, 6.0]
    assert lists(go(get_all=True)(fn)(x, y)) == ([3.0, 6.0], [2.0, 4.0])
    assert lists(go(get_all=True)(fn)(x)) == ([1.0, 2.0],)
    assert lists(go(get_by_list=True)(fn, [p])(x, y)) == ([6.0, 6.0],)
    assert lists(go(get_by_list=True)(fn, p)(x, y)) == [6.0, 6.0]
    both = go(get_all=True, get_by_list=True)(fn, [p])
    assert lists(both(x, y)) == (([3.0, 6.0], [2.0, 4.0]), ([6.0, 6.0],))


def test_grad_operation_starts_from_sens():
    x, y, sens = Tensor([2.0, 2.0]), Tensor([3.0, 3.0]), Tensor([1.0, 10.0])
    find = ops.GradOperation(sens_param=True)(ops.mul)
    assert lists(find(x, y, sens)) == [3.0, 30.0]
    assert lists(find(x, y, sens=sens)) == [3.0, 30.0]
    every = ops.GradOperation(get_all=True, sens_param=True)(ops.mul)
    assert lists(every(x, y, sens)) == ([3.0, 30.0], [2.0, 20.0])
    pair = ops.GradOperation(sens_param=True)(lambda x: (x * 2, x * 3))
    assert lists(pair(x, (ONES, sens))) == [5.0, 32.0]


def test_sens_has_the_shape_and_dtype_of_the_output():
    find = ops.GradOperation(sens_param=True)(lambda x: x * 2)
    with pytest.raises(ValueError, match=r"\(1,\).*\(2,\)"):
        find(Tensor([1.0]), ONES)
    with pytest.raises(TypeError, match=r"Float32.*Int64"):
        find(Tensor([1.0]), Tensor([1]))
    with pytest.raises(ValueError, match="1 outputs, but 2 gradients"):
        find(Tensor([1.0]), (Tensor([1.0]), Tensor([1.0])))
    with pytest.raises(TypeError, match="last argument"):
        find()


def test_grad_operation_skips_numbers_and_casts_to_integers():
    find = ops.GradOperation(get_all=True)
    assert lists(find(lambda x, n, y: x * y * n)(Tensor([2.0]), 5, Tensor([3.0]))) == (
        [15.0],
        [10.0],
    )
    dx, dn = find(lambda x, n: x * n)(Tensor([2.0]), Tensor([3]))
    assert (lists(dx), dn.dtype) == ([3.0], ms.int64)
    assert lists(ops.GradOperation()(lambda n, x: n * x)(5, Tensor([3.0]))) == [5.0]


def test_grad_operation_takes_a_cells_own_weights():
    net = nn.Dense(2, 1, weight_init=Tensor([[1.0, 10.0]]), bias_init="zeros")
    dw, db = ops.GradOperation(get_by_list=True)(net)(Tensor([[2.0, 3.0]]))
    assert (lists(dw), lists(db)) == ([[2.0, 3.0]], [1.0])
    with pytest.raises(ValueError, match="needs the weights of a plain function"):
        ops.GradOperation(get_by_list=True)(lambda x: x)


def test_grad_operation_serves_every_call_from_a_generator_of_weights(p, q):
    find = ops.GradOperation(get_by_list=True)(lambda x: (x * p * q).sum(), (w for w in (p, q)))
    for _ in range(2):
        assert lists(find(ONES)) == ([3.0, 5.0], [1.0, 2.0])


def test_grad_operation_takes_true_or_false_only():
    with pytest.raises(TypeError, match="get_all must be True or False, but got 1"):
        ops.GradOperation(get_all=1)


def test_grad_operation_works_to_second_order():
    find = ops.GradOperation(get_all=True)
    second = find(lambda x, y: find(lambda x, y: x * x * y * y)(x, y)[0])
    assert lists(second(Tensor([2.0]), Tensor([3.0]))) == ([18.0], [24.0])


# --- vjp
def test_vjp_gives_the_output_and_a_pullback_that_may_be_called_often():
    out, pull = vjp(lambda x, y: x * y, Tensor([2.0, 3.0]), Tensor([5.0, 7.0]))
    assert lists(out) == [10.0, 21.0]
    for k in (1.0, 10.0):
        assert lists(pull(Tensor([1.0, k]))) == ([5.0, 7.0 * k], [2.0, 3.0 * k])
    assert lists(vjp(lambda x: x * 2, Tensor([2.0]))[1](Tensor([5.0]))) == ([10.0],)


def test_vjp_pulls_back_several_outputs_together():
    _, pull = vjp(lambda x: (x * 2, x * 3), Tensor([2.0]))
    assert lists(pull(Tensor([5.0]), Tensor([7.0]))) == ([31.0],)
    assert lists(pull((Tensor([5.0]), Tensor([7.0])))) == ([31.0],)
    with pytest.raises(ValueError, match="2 outputs, but 1 gradients"):
        pull(Tensor([5.0]))


def test_vjp_gives_one_aux_bare_and_several_as_a_tuple():
    x = Tensor([2.0])
    out, pull, aux = vjp(lambda x: (x * x, x), x, has_aux=True)
    assert lists((out, pull(ONES[:1]), aux)) == ([4.0], ([4.0],), [2.0])
    assert lists(vjp(lambda x: (x * x, x, x * 3), x, has_aux=True)[2]) == ([2.0], [6.0])


def test_a_pullback_is_linear_and_can_itself_be_differentiated():
    _, pull = vjp(lambda x: x * x * x, Tensor(X))
    weights = Tensor(np.array([1.0, 2.0, 3.0]))
    dg = grad(lambda g: (pull(g)[0] * weights).sum())(Tensor(X))
    np.testing.assert_allclose(dg.asnumpy(), 3 * X**2 * [1, 2, 3])
    second = grad(lambda x: vjp(lambda x: x * x * x, x)[1](Tensor(np.ones(3)))[0])
    np.testing.assert_allclose(second(Tensor(X)).asnumpy(), 6 * X)


def test_a_pullback_may_outlive_the_outer_call_that_made_it():
    kept = []

    def fn(x):
        out, pull = vjp(lambda y: y * y * x, x)
        kept.append(pull)
        return out

    assert lists(grad(fn)(Tensor([2.0, 3.0]))) == [12.0, 27.0]
    for _ in range(2):
        (dy,) = kept[0](ONES)
        assert (lists(dy), dy.node) == ([8.0, 18.0], None)


def test_a_gradient_function_can_be_used_again_and_again():
    find = grad(lambda x: x * x)
    assert [find(Tensor(float(k))).item() for k in range(4)] == [0.0, 2.0, 4.0, 6.0]
    assert find(Tensor([1.0, 2.0])).shape == (2,)


def test_a_cast_to_whole_numbers_lets_no_gradient_through():
    whole = grad(lambda x: x.astype(ms.int32).astype(ms.float32) * x)(Tensor(2.5))
    assert whole.item() == 2.0
    assert grad(lambda x: x.astype(ms.bool_) * 3.0)(Tensor(5.5)).item() == 0.0


def test_gradoperation_casts_the_gradient_of_an_integer_to_its_dtype():
    grads = ops.GradOperation(get_all=True)(lambda x, n: x * n)(Tensor([2.5]), Tensor([3]))
    assert lists(grads[1]) == [2]
    assert str(grads[1].dtype) == "Int64"
    assert ops.GradOperation()(lambda n: n * 2)(Tensor(3)).item() == 2


@pytest.mark.parametrize("fn", [lambda x: None, lambda x: (yield x), lambda x: "loss"])
def test_a_function_that_returns_no_value_is_refused(fn):
    with pytest.raises(TypeError, match="which has no gradient; is there a `return` of a Tensor"):
        grad(fn)(Tensor(1.0))


def test_a_named_tuple_stays_one():
    Point = namedtuple("Point", "a b")
    found = grad(lambda p: p.a * p.b)(Point(Tensor(2.0), Tensor(3.0)))
    assert (found.a.item(), found.b.item()) == (3.0, 2.0)


def test_a_number_for_weights_is_refused():
    with pytest.raises(TypeError, match=r"weights must be Parameters, such as net.trainable"):
        grad(lambda x: x, None, 3)


def test_what_another_thread_computes_is_warned_about():
    def fn(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: x * x).result() + x

    with pytest.warns(UserWarning, match="no gradient flows through this multiply"):
        assert grad(fn)(Tensor(3.0)).item() == 1.0
