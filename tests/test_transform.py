"""grad, value_and_grad, vjp and their like: what they accept, what they answer, of any order."""

import functools
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from check import lists

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops, value_and_grad
from minigrad.transform import no_grad, vjp

X = np.array([0.4, 0.9, 1.3])


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


def test_keyword_arguments_that_have_no_place_count_as_they_come():
    def fn(x, *more, y=1.0, **rest):
        return x * x * y * rest["b"] * rest["a"] * more[0]

    x, z, y, b, a = (Tensor([float(n)]) for n in (2, 3, 5, 7, 11))
    got = grad(fn, (0, 1, 2, 3, 4))(x, z, b=b, y=y, a=a)
    product = 4.0 * 3 * 5 * 7 * 11
    assert [g.item() for g in got] == [product * k for k in (1, 1 / 3, 1 / 5, 1 / 7, 1 / 11)]
    with pytest.raises(IndexError, match=r"grad_position 5 is out of range: fn .* 5 arguments"):
        grad(fn, 5)(x, z, b=b, y=y, a=a)


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


def test_a_star_takes_up_as_many_positions_as_arguments():
    def fn(a, *xs, k, m):
        return a * xs[0] * xs[1] * k * m

    a, b, c, k, m = map(Tensor, (2.0, 3.0, 5.0, 7.0, 11.0))
    for i, wanted in enumerate((1155.0, 770.0, 462.0, 330.0, 210.0)):
        assert grad(fn, i)(a, b, c, m=m, k=k).item() == wanted
    with pytest.raises(IndexError, match=r"grad_position 5 is out of range.*5 arguments"):
        grad(fn, 5)(a, b, c, k=k, m=m)
    assert grad(lambda *xs, k: k * k, 0)(k=k).item() == 14.0


def test_an_argument_that_was_not_passed_is_named():
    def fn(a, b=2.0, *, c=3.0):
        return a * b * c

    with pytest.raises(IndexError, match="argument 1 of fn is b, which was not passed"):
        grad(fn, 1)(Tensor(3.0))
    with pytest.raises(IndexError, match="argument 1 of fn is b, which was not passed"):
        grad(fn, 1)(Tensor(3.0), c=Tensor(2.0))
    with pytest.raises(IndexError, match="out of range: <lambda> was called with 1 argument,"):
        grad(lambda x: x, 1)(Tensor(3.0))


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


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (lambda x: x, r"one Tensor of shape \(\)"),
        (lambda x: (x,), "a tuple of 1"),
        (lambda x: [x, x], "a list of 2"),
        (lambda x: None, "None"),
    ],
)
def test_has_aux_needs_more_than_one_output(out, words):
    pattern = rf"has_aux=True needs .*more than one output.*returned {words}; return a tuple"
    with pytest.raises(ValueError, match=pattern):
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


def test_stop_gradient_of_a_function_is_a_mistake():
    with pytest.raises(TypeError, match=r"got the function sin: call it first"):
        ops.stop_gradient(np.sin)


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


def test_weights_of_whole_numbers_have_gradients_of_their_dtype():
    w = Parameter(Tensor([6], ms.int32), name="w")
    dx, (dw,) = grad(lambda x: w * x, 0, [w])(Tensor([10.5]))
    assert (lists(dx), lists(dw), dw.dtype) == ([6.0], [10], ms.int32)
    assert lists(grad(lambda x: w * x, None, w)(Tensor([10], ms.int32))) == [10]


def test_a_parameter_that_is_frozen_on_the_way_has_zeros_for_a_gradient(p, q):
    def fn(x):
        y = x * p * q
        q.requires_grad = False
        return y

    assert lists(grad(fn, None, [p, q])(ONES)) == ([3.0, 5.0], [0.0, 0.0])


@pytest.mark.parametrize("flag", ["has_aux", "return_ids", "sens_param"])
@pytest.mark.parametrize("transform", [grad, value_and_grad])
def test_a_flag_is_true_or_false(transform, flag):
    with pytest.raises(TypeError, match=f"{flag} must be True or False, but got 'yes'"):
        transform(ops.sin, **{flag: "yes"})


# --- refusals
@pytest.mark.parametrize(
    ("position", "error", "words"),
    [
        (None, ValueError, "`grad_position` and `weights` can not be None at the same time"),
        (-1, ValueError, "must be >= 0"),
        ((0, 0), ValueError, "names a position twice"),
        ((), RuntimeError, r"grad_position \(\) names no argument"),
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


def test_a_function_that_tells_no_names_has_numbers_for_them():
    with pytest.raises(IndexError, match="grad_position 2 is out of range: max was called with 2"):
        grad(max, 2)(Tensor(1.0), Tensor(2.0))
    with pytest.raises(TypeError, match=r"argument 0 of max is the integer 3, .*; pass 3\.0"):
        grad(max)(3, Tensor(2.0))


def test_a_position_out_of_range_names_the_function_and_its_arguments():
    def area(width, height):
        return width * height

    with pytest.raises(IndexError, match=r"grad_position 2 .*area was called with 2 arguments"):
        grad(area, (0, 2))(1.0, 2.0)
    with pytest.raises(IndexError, match="argument 0 of area is width, which was not passed"):
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


# --- get_grad
def test_get_grad_finds_a_gradient_by_position_or_parameter(p, q):
    def of(*asked):
        return grad(lambda x, y: x * p + y * q, *asked, return_ids=True)(ONES, ONES)

    dx, dy, dp = [1.0, 2.0], [3.0, 5.0], [1.0, 1.0]
    assert lists(ms.get_grad(of(0), 0)) == dx
    assert lists(ms.get_grad(of((0, 1)), 1)) == dy
    for asked in ((0, p), (0, [p]), ((0, 1), (q, p)), (None, p), (None, [q, p])):
        assert lists(ms.get_grad(of(*asked), p)) == dp
    assert lists(ms.get_grad(of((0, 1), (q, p)), 1)) == dy


def test_get_grad_says_what_is_there(p, q):
    found = grad(lambda x: x * p, 0, [p], return_ids=True)(ONES)
    with pytest.raises(RuntimeError, match="no gradient for 1; there are those for 0, 'p'"):
        ms.get_grad(found, 1)
    with pytest.raises(RuntimeError, match="no gradient for 'q'"):
        ms.get_grad(found, q)
    with pytest.raises(RuntimeError, match="was grad called with return_ids=True"):
        ms.get_grad(grad(ops.sin)(ONES), 0)
    for wrong in ("p", 0.0, ONES, None):
        with pytest.raises(TypeError, match="position of an input, such as 0, or a Parameter"):
            ms.get_grad(found, wrong)


# --- stop_gradient and no_grad
def test_stop_gradient_goes_into_containers_and_leaves_the_rest():
    x = Tensor([2.0])
    note = object()
    assert ops.stop_gradient(note) is note
    assert ops.stop_gradient("a") == "a"
    assert lists(ops.stop_gradient((x, [x]))) == ([2.0], [[2.0]])
    assert lists(grad(lambda x: sum(ops.stop_gradient((x * 2, x * 3))) * x)(x)) == [10.0]
    assert lists(grad(lambda x: ops.stop_gradient({"a": x * 2})["a"] * x)(x)) == [4.0]


def test_what_is_computed_under_no_grad_is_a_constant(p):
    def fn(x):
        y = x * p
        with no_grad():
            z = y * y
        assert z.node is None
        return z * y

    # As if z were a number: d(z x p) = z p, where z = x^2 p^2.
    assert lists(grad(fn)(ONES)) == [1.0, 8.0]
    assert lists(grad(fn, None, p)(ONES)) == [1.0, 4.0]
    assert lists(grad(grad(fn))(ONES)) == [0.0, 0.0]


def test_no_grad_can_decorate_and_a_gradient_can_be_computed_inside():
    @no_grad()
    def slope_of_cube(x):
        return grad(lambda x: x * x * x)(x)

    x = Tensor([2.0])
    assert lists(slope_of_cube(x)) == [12.0]
    assert lists(grad(lambda x: x * slope_of_cube(x))(x)) == [12.0]
    assert lists(grad(lambda x: x * x)(x)) == [4.0]


# --- vjp
def test_vjp_gives_weights_beside_the_inputs(p, q):
    x, g = Tensor([2.0, 2.0]), Tensor([1.0, 10.0])

    def fn(x):
        return x * p + q

    dx, dp, dq = [1.0, 20.0], [2.0, 20.0], [1.0, 10.0]
    assert lists(vjp(fn, x, weights=[p, q])[1](g)) == ((dx,), (dp, dq))
    assert lists(vjp(fn, x, weights=p)[1](g)) == ((dx,), dp)
    assert lists(vjp(fn, x, weights=())[1](g)) == ((dx,), ())
    assert lists(vjp(lambda: p * q, weights=q)[1](g)) == ((), [1.0, 20.0])
    out, pull, aux = vjp(lambda x: (fn(x), x, 7), x, weights=p, has_aux=True)
    assert lists((out, pull(g), aux)) == ([5.0, 9.0], ((dx,), dp), ([2.0, 2.0], 7))
    with pytest.raises(TypeError, match="weights must be Parameters"):
        vjp(fn, x, weights=[x])
    with pytest.raises(TypeError, match="vjp needs a function or a Cell, but got int: 3"):
        vjp(3, x)
    with pytest.raises(TypeError, match="vjp: has_aux must be True or False"):
        vjp(fn, x, has_aux=1)


def test_vjp_of_whole_numbers_gives_whole_numbers():
    (dx,) = vjp(lambda x: x * x, Tensor([3], ms.int32))[1](Tensor([2], ms.int32))
    assert (lists(dx), dx.dtype) == ([12], ms.int32)


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


def test_linearize_pushes_many_tangents_with_one_run():
    runs = []

    def fn(x, y):
        runs.append(x)
        return x * y, x

    out, push = ops.linearize(fn, (Tensor([2.0]), Tensor([3.0])))
    assert lists(out) == ([6.0], [2.0])
    for v, w in ((1.0, 0.0), (0.0, 1.0), (10.0, 100.0)):
        assert lists(push((Tensor([v]), Tensor([w])))) == ([3 * v + 2 * w], [v])
    assert len(runs) == 1
    _, push = ops.linearize(lambda x: x * x * x, Tensor([2.0]))
    assert lists(push(Tensor([0.5]))) == [6.0]
    with pytest.raises(ValueError, match=r"shape \(1,\) and Float32, but it has shape \(2,\)"):
        push(ONES)


def test_a_gradient_function_can_be_used_again_and_again():
    find = grad(lambda x: x * x)
    assert [find(Tensor(float(k))).item() for k in range(4)] == [0.0, 2.0, 4.0, 6.0]
    assert find(Tensor([1.0, 2.0])).shape == (2,)


def test_a_cast_to_whole_numbers_lets_no_gradient_through():
    whole = grad(lambda x: x.astype(ms.int32).astype(ms.float32) * x)(Tensor(2.5))
    assert whole.item() == 2.0
    assert grad(lambda x: x.astype(ms.bool_) * 3.0)(Tensor(5.5)).item() == 0.0


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


@pytest.mark.parametrize(
    ("op", "name"),
    [(lambda x: x * x, "multiply"), (lambda x: ops.concat((x, x))[:1], "concatenate")],
)
def test_what_another_thread_computes_is_warned_about(op, name):
    def fn(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: op(x)).result() + x

    with pytest.warns(UserWarning, match=f"no gradient flows through this {name}"):
        assert grad(fn)(Tensor([3.0])).tolist() == [1.0]
