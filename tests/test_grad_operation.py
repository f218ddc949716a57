"""GradOperation: what it differentiates, the forms of its answers, and sens."""

import pytest
from check import lists

import minigrad as ms
from minigrad import Tensor, nn, ops

ONES = Tensor([1.0, 1.0])


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


def test_grad_operation_counts_inputs_that_are_passed_by_name():
    every = ops.GradOperation(get_all=True)
    x, k = Tensor([3.0]), Tensor([4.0])
    assert lists(every(lambda x, k=None: x * k)(x, k=k)) == ([4.0], [3.0])
    assert lists(every(lambda x, **named: x * named["k"])(x, k=k)) == ([4.0], [3.0])
    find = ops.GradOperation(get_all=True, sens_param=True)
    assert lists(find(lambda x, k: x * k)(x, k=k, sens=Tensor([10.0]))) == ([40.0], [30.0])


def test_grad_operation_skips_containers_unless_they_are_all_there_is():
    pair = (Tensor([4.0]), Tensor([5.0]))
    assert lists(ops.GradOperation(get_all=True)(lambda x, t: x * t[0])(Tensor([3.0]), pair)) == (
        [4.0],
    )
    assert lists(ops.GradOperation(get_all=True)(lambda t: t[0] * t[1])(pair)) == ()
    assert lists(ops.GradOperation()(lambda t: t[0] * t[1])(pair)) == ([5.0], [4.0])
    both = ops.GradOperation(get_all=True, get_by_list=True)
    assert both(lambda: 3, [])() == ((), ())


def test_sens_may_be_a_dictionary_and_may_name_numbers_among_the_outputs():
    find = ops.GradOperation(sens_param=True)
    x, g = Tensor([1.0]), Tensor([3.0])
    assert lists(find(lambda x: {"a": x * 2})(x, {"a": g})) == [6.0]
    assert lists(find(lambda x: ((x * 2, x * 3), x))(x, ((g, Tensor([1.0])), g))) == [12.0]
    assert lists(find(lambda x: (7, x * 2))(x, (1, g))) == [6.0]
    assert lists(find(lambda x: (7, x * 2))(x, g)) == [6.0]
    assert lists(find(lambda x: x.shape)(x, (1,))) == [0.0]
    assert find(lambda x: x * 2)(Tensor(1.0, ms.float16), 3.0).item() == 6.0
    with pytest.raises(TypeError, match=r"Float32, but sens has Float16"):
        find(lambda x: (x, x))(x, (g, Tensor([1.0], ms.float16)))


def test_gradoperation_casts_the_gradient_of_an_integer_to_its_dtype():
    grads = ops.GradOperation(get_all=True)(lambda x, n: x * n)(Tensor([2.5]), Tensor([3]))
    assert lists(grads[1]) == [2]
    assert str(grads[1].dtype) == "Int64"
    assert ops.GradOperation()(lambda n: n * 2)(Tensor(3)).item() == 2
