"""ForwardValueAndGrad, Jvp and Vjp: values by hand, structures as MindSpore gives them."""

import pytest
from check import lists

from minigrad import Parameter, ParameterTuple, Tensor, nn

X = Tensor([1.0, 2.0])


class Line(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.b = Parameter(Tensor([1.0, 1.0]), name="b")

    def construct(self, x):
        return self.w * x + self.b


VALUE, DX, DW, DB = [3.0, 7.0], [2.0, 3.0], [1.0, 2.0], [1.0, 1.0]


def test_forward_value_and_grad_in_every_form():
    net = Line()
    weights = ParameterTuple(net.trainable_params())
    make = nn.ForwardValueAndGrad
    assert lists(make(net)(X)) == (VALUE, DX)
    assert lists(make(net, get_all=True)(X)) == (VALUE, (DX,))
    assert lists(make(net, weights, get_by_list=True)(X)) == (VALUE, (DW, DB))
    assert lists(make(net, [net.w], True, True)(X)) == (VALUE, ((DX,), (DW,)))
    sens = Tensor([10.0, 100.0])
    assert lists(make(net, sens_param=True)(X, sens)) == (VALUE, [20.0, 300.0])
    assert lists(make(net, get_all=True, sens_param=True)(X, sens)) == (VALUE, ([20.0, 300.0],))
    assert len(make(net).trainable_params()) == 2


def test_forward_value_and_grad_of_several_inputs_outputs_and_none():
    y, ones, zeros = Tensor([3.0, 4.0]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0])

    def fn(x, k, y):
        return x * y * k, x + y

    cell = nn.ForwardValueAndGrad(fn, get_all=True)
    assert lists(cell(X, 2, y)) == (([6.0, 16.0], [4.0, 6.0]), ([7.0, 9.0], [3.0, 5.0]))
    cell = nn.ForwardValueAndGrad(fn, get_all=True, sens_param=True)
    assert lists(cell(X, 2, y, (zeros, ones)))[1] == ([1.0, 1.0], [1.0, 1.0])
    net = Line()
    constant = nn.ForwardValueAndGrad(lambda: net.w * 2, [net.w], get_all=True, get_by_list=True)
    assert lists(constant()) == ([4.0, 6.0], ((), ([2.0, 2.0],)))
    assert nn.ForwardValueAndGrad(lambda n: n * 2)(3) == (6, ())
    assert nn.ForwardValueAndGrad(lambda n: n * 2, get_all=True)(3) == (6, ())


def test_forward_value_and_grad_says_what_is_wrong():
    with pytest.raises(TypeError, match="needs a function or a Cell, but got 3"):
        nn.ForwardValueAndGrad(3)
    with pytest.raises(TypeError, match="get_all must be True or False, but got 1"):
        nn.ForwardValueAndGrad(Line(), get_all=1)
    for weights in (None, Line().w):
        with pytest.raises(TypeError, match="weights must be a tuple or list of Parameters"):
            nn.ForwardValueAndGrad(Line(), weights, get_by_list=True)


class Pair(nn.Cell):
    def construct(self, x, y):
        return 2 * x, y * y


def test_jvp_and_vjp_as_cells():
    y, v, w = Tensor([3.0, 4.0]), Tensor([1.0, 10.0]), Tensor([1.0, 0.0])
    assert lists(nn.Jvp(lambda x: x * x)(X, v)) == ([1.0, 4.0], [2.0, 40.0])
    assert lists(nn.Vjp(lambda x: x * x)(X, v)) == ([1.0, 4.0], [2.0, 40.0])
    values = ([2.0, 4.0], [9.0, 16.0])
    assert lists(nn.Jvp(Pair())(X, y, (v, w))) == (values, ([2.0, 20.0], [6.0, 0.0]))
    assert lists(nn.Vjp(Pair())(X, y, (v, w))) == (values, ([2.0, 20.0], [6.0, 0.0]))
