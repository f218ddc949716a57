"""Programs that import as MindSpore programs do."""

import importlib
import importlib.machinery
import subprocess
import sys

import numpy as np
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


@pytest.mark.parametrize(
    "line",
    [
        "from minigrad import JitConfig, get_grad, hessian, jacfwd, jacrev, jit, jit_class, jvp",
        "from minigrad import grad, mutable, value_and_grad, vjp, vmap, _Function, _no_grad",
        "from minigrad._extends import cell_attr_register",
        "from minigrad._extends.parse import compile_config",
        "from minigrad.common import JitConfig, Parameter, Tensor, _Function, jit, mutable",
        "from minigrad.common._grad_function import _Function",
        "from minigrad.common.api import _no_grad, _pynative_executor, jit",
        "from minigrad.common.hook_handle import HookHandle",
        "from minigrad.common.jit_config import JitConfig",
        "from minigrad import log as logger; logger.info('nothing')",
        "import minigrad.mint.nn.functional as functional; functional.relu",
        "from minigrad import mint; mint.add",
        "from minigrad.nn import ForwardValueAndGrad, Jvp, Vjp",
        "from minigrad import from_numpy, manual_seed, seed, set_seed",
        "from minigrad.common.dtype import dtype_to_nptype, half, pytype_to_dtype",
        "from minigrad.common.initializer import Dirac, Sparse",
        "from minigrad.nn.cell import Cell",
        "from minigrad.nn.dynamic_lr import cosine_decay_lr, piecewise_constant_lr",
        "from minigrad.nn.grad import Jvp, Vjp",
        "from minigrad.nn.layer.embedding import Embedding",
        "from minigrad.nn.layer.rnns import LSTM",
        "from minigrad.nn.learning_rate_schedule import LearningRateSchedule, WarmUpLR",
        "from minigrad.nn.optim.momentum import Momentum",
        "import minigrad.nn.learning_rate_schedule as schedules; schedules.ExponentialDecayLR",
        "import minigrad.ops.function.math_func as math_func; math_func.add",
        "from minigrad.ops import constexpr",
        "from minigrad.ops._primitive_cache import _get_cache_prim",
        "from minigrad.ops.auto_generate import add",
        "from minigrad.ops.function.array_func import reshape",
        "from minigrad.ops.function.nn_func import relu",
        "from minigrad.nn.layer.basic import Flatten",
        "from minigrad.nn.loss.loss import LossBase",
        "from minigrad.nn.optim import Momentum",
        "from minigrad.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell",
        "from minigrad.ops import GradOperation, get_grad, grad, stop_gradient, vmap",
        "from minigrad.ops import HookBackward, InsertGradientOf, derivative, jet",
        "from minigrad.ops.composite import *; GradOperation",
        "from minigrad.ops.composite.base import HyperMap",
        "from minigrad.ops.function.grad import value_and_grad",
        "from minigrad.ops.function.grad.grad_func import custom_vjp",
        "from minigrad.ops.functional import jacfwd, jacrev, jvp, linearize, vjp",
        "from minigrad.ops.operations.nn_ops import ReLU",
        "from minigrad.ops.primitive import Primitive, constexpr",
        "import minigrad.ops.operations.math_ops as math_ops; math_ops.Add",
        "from minigrad.train.serialization import load_checkpoint, save_checkpoint",
    ],
)
def test_a_line_of_imports_runs(line):
    exec(line, {})


class Finder:
    """Finds ``another_name.x`` as the module ``minigrad.x``, for programs that stay as they are."""

    def find_spec(self, name, path=None, target=None):
        package, _, rest = name.partition(".")
        if package != "another_name":
            return None
        self.module = importlib.import_module(f"minigrad.{rest}" if rest else "minigrad")
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        pass


def test_a_finder_of_modules_may_give_minigrad_another_name(monkeypatch):
    specs = {name: module.__spec__ for name, module in sys.modules.items() if "minigrad" in name}
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    found = {}
    try:
        exec("import another_name as ms", found)
        exec("from another_name.common.api import jit, _pynative_executor", found)
        exec("import another_name.common.dtype as mstype", found)
        exec("from another_name.ops.function.grad.grad_func import custom_vjp", found)
    finally:
        for name in [n for n in sys.modules if n.startswith("another_name")]:
            del sys.modules[name]
        for name, spec in specs.items():
            sys.modules[name].__spec__ = spec
    assert found["ms"] is ms
    assert found["jit"] is ms.jit
    assert found["mstype"].float32 is ms.float32
    assert found["custom_vjp"] is ms.function.custom_vjp


def test_a_path_is_a_module_of_its_own_with_the_names_of_others():
    import minigrad.ops.composite as composite

    assert composite.__name__ == "minigrad.ops.composite"
    assert {"GradOperation", "relu"} <= set(dir(composite)) | set(composite.__all__)
    with pytest.raises(AttributeError, match=r"'minigrad\.ops\.composite' has no attribute 'relv'"):
        composite.relv  # noqa: B018  # it is the look-up that counts
    assert not hasattr(ms.ops, "base")


def test_waiting_for_results_is_waiting_for_nothing():
    from minigrad.common.api import _pynative_executor

    assert _pynative_executor.sync() is None
    assert ms.runtime.synchronize() is None


def test_an_init_that_is_registered_stays_as_it_is():
    from minigrad._extends import cell_attr_register

    assert cell_attr_register(len) is len
    assert cell_attr_register(attrs=["a"])(len) is len


def test_the_developers_switch_for_bprop_is_the_setting():
    from minigrad._extends.parse import compile_config

    try:
        compile_config.CHECK_BPROP = 1
        assert ms.get_context("check_bprop") is True
    finally:
        compile_config.CHECK_BPROP = ""
    assert (ms.get_context("check_bprop"), compile_config.CHECK_BPROP) == (False, False)


def test_dtypes_by_other_names():
    from minigrad.common import dtype as mstype

    assert (mstype.half, mstype.single, mstype.double) == (ms.float16, ms.float32, ms.float64)
    assert [mstype.pytype_to_dtype(t) for t in (float, int, bool, np.int8)] == [
        ms.float64, ms.int64, ms.bool_, ms.int8,
    ]  # fmt: skip
    assert mstype.dtype_to_nptype(ms.float16) is np.float16
    assert [mstype.dtype_to_pytype(t) for t in (ms.float16, ms.uint8, ms.bool_)] == [
        float, int, bool,
    ]  # fmt: skip
    for bad, says in ((None, "needs a type, such as float, but got None"), (str, "cannot hold")):
        with pytest.raises(TypeError, match=says):
            mstype.pytype_to_dtype(bad)


def test_a_primitive_that_is_kept_computes_the_same():
    from minigrad.ops._primitive_cache import _get_cache_prim

    norm = _get_cache_prim(ms.ops.LpNorm)([0, 1], 2, keep_dims=False)
    assert float(norm(ms.Tensor([[3.0, 0.0], [0.0, 4.0]]))) == 5.0


def test_seeds_and_arrays():
    draws = []
    for start in (lambda: ms.manual_seed(4), lambda: ms.set_seed(4), ms.seed, ms.seed):
        start()
        draws.append(ms.ops.rand(3).tolist())
    assert draws[0] == draws[1]
    assert len({*map(tuple, draws)}) == 3
    ms.set_seed(ms.seed())  # which it returns, so that what follows can be had again
    array = np.array([1.5, 2.5], np.float16)
    tensor = ms.from_numpy(array)
    array[0] = 9.0
    assert (tensor.dtype, tensor.tolist()) == (ms.float16, [1.5, 2.5])
    with pytest.raises(TypeError, match="numpy array, but got list"):
        ms.from_numpy([1.0])


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


def test_checkpoints_and_mutable_are_where_programs_look_for_them():
    from minigrad import common, train
    from minigrad.train import load_checkpoint, serialization
    from minigrad.train.serialization import load_param_into_net, save_checkpoint

    assert train.save_checkpoint is save_checkpoint is ms.save_checkpoint
    assert serialization.load_checkpoint is load_checkpoint is ms.load_checkpoint
    assert load_param_into_net is ms.load_param_into_net
    assert common.mutable is ms.mutable


def test_looking_into_a_path_loads_nothing():
    program = (
        "import sys, inspect, minigrad; before = {*sys.modules};"
        "[inspect.unwrap(v) for v in list(vars(minigrad).values())]; print({*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done
