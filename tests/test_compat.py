"""Programs that import as MindSpore programs do."""

import importlib

import pytest

import minigrad as ms

PROGRAM = """
import minigrad as ms
import minigrad.context as context
import minigrad.nn as nn
import minigrad.numpy as mnp
import minigrad.ops as ops
import minigrad.ops.composite as C
import minigrad.ops.functional as F
import minigrad.ops.operations as P
from minigrad import Parameter, ParameterTuple, Tensor, context
from minigrad.common import dtype as mstype
from minigrad.common import set_seed
from minigrad.common.initializer import Normal, initializer
from minigrad.common.parameter import Parameter
from minigrad.common.tensor import Tensor
from minigrad.nn import Cell
from minigrad.ops import composite, functional, operations
from minigrad.ops.primitive import Primitive

set_seed(1)
context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = P.MatMul(transpose_b=True)
        self.relu = P.ReLU()
        self.w = Parameter(initializer("ones", (2, 3), mstype.float32), name="w")

    def construct(self, x):
        return F.reduce_sum(self.relu(self.matmul(x, self.w)))


scale = C.MultitypeFuncGraph("scale")


@scale.register("Number", "Tensor")
def scale_tensor(k, g):
    return g * k


net = Net()
weights = ParameterTuple(net.trainable_params())
grads = C.GradOperation(get_by_list=True)(net, weights)(Tensor([[1.0, 2.0, -1.0]]))
grads = C.HyperMap()(F.partial(scale, 0.5), grads)
print(grads[0].asnumpy().tolist())
"""


def test_a_program_written_for_mindspore_runs(capsys):
    exec(compile(PROGRAM, "program.py", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == "[[0.5, 1.0, -0.5], [0.5, 1.0, -0.5]]\n"


@pytest.mark.parametrize("name", ["ops.operations", "ops.composite", "ops.functional"])
def test_the_parts_of_ops_are_ops(name):
    module = importlib.import_module(f"minigrad.{name}")
    assert module.relu is ms.ops.relu
    assert module.MatMul is ms.ops.MatMul


def test_common_holds_what_programs_take_from_it():
    from minigrad import common

    assert common.Tensor is ms.Tensor
    assert common.dtype.float32 is ms.float32
    assert common.initializer.initializer("zeros", (2,)).shape == (2,)


def test_a_path_that_is_not_there_is_an_error():
    with pytest.raises(ModuleNotFoundError, match=r"ops\.nowhere"):
        importlib.import_module("minigrad.ops.nowhere")


def test_multitype_func_graph_says_what_it_knows():
    graph = ms.ops.MultitypeFuncGraph("double")
    graph.register("Number")(lambda x: 2 * x)
    assert graph(4) == 8
    with pytest.raises(TypeError, match=r"double has no function for \(str\)"):
        graph("a")
    with pytest.raises(ValueError, match="Tensr"):
        graph.register("Tensr")


def test_hyper_map_goes_into_nested_sequences_and_map_does_not():
    assert ms.ops.HyperMap()(lambda x: x + 1, [1, (2, [3])]) == (2, (3, (4,)))
    assert ms.ops.Map()(len, [(1, 2), (3,)]) == (2, 1)
    with pytest.raises(ValueError, match=r"lengths \[1, 2\]"):
        ms.ops.HyperMap()(max, (1, 2), (1,))
