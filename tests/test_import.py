"""What `import minigrad` loads, in a fresh Python, and that the rest is there when asked for."""

import subprocess
import sys

import pytest

import minigrad

NEW = """
import sys, numpy
old = {*sys.modules}
import minigrad
paths = {name for name, module in sys.modules.items() if type(module).__name__ == "_Path"}
print(*{*sys.modules} - old - paths)
"""
COSTLY = {"dataclasses", "numpy.typing", "string"}  # to load any takes a hundredth of numpy's time
LATER = {"minigrad.nn", "minigrad.numpy", "minigrad.ops.layers", "minigrad.ops.primitives"}
MOST = 64  # modules of minigrad, without those that are a second name for what is there


def printed(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_little_beside_numpy():
    loaded = set(printed(NEW).split())
    own = {name for name in loaded if name.split(".")[0] == "minigrad"}
    assert {name.split(".")[0] for name in loaded - own} <= {*sys.stdlib_module_names, "numpy"}
    assert not loaded & (COSTLY | LATER)
    assert "minigrad.tape" in own
    assert len(own) <= MOST


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("import minigrad as ms; print(ms.nn.ReLU(), ms.numpy.ones(2))", "ReLU() [1. 1.]"),
        ("from minigrad import *; print(nn.ReLU(), numpy.ones(2))", "ReLU() [1. 1.]"),
        ("from minigrad import ops; print(ops.ReLU(), ops.Pad)",
            "Prim[ReLU] <class 'minigrad.ops.layers.Pad'>"),
        ("from minigrad.ops import Abs, Pad, abs; print(Abs(), abs.op)", "Prim[Abs] abs"),
        ("from minigrad.ops import *; print(Abs(), Pad(1), abs.op)",
            "Prim[Abs] Prim[Pad]<paddings=1> abs"),
        ("import minigrad as m; print('nn' in dir(m), 'Abs' in dir(m.ops))",
            "True True"),
        ("from minigrad.ops.layers import Pad; from minigrad import ops; print(ops.Pad is Pad)",
            "True"),
        ("import pickle, minigrad as ms; print(pickle.loads(pickle.dumps(ms.ops.Concat(1))))",
            "Prim[Concat]<axis=1>"),
    ],
)  # fmt: skip
def test_the_rest_is_there_when_it_is_asked_for(program, wanted):
    assert printed(program) == wanted


JIT = """
import sys, minigrad as ms
f, x = ms.jit(ms.grad(lambda x: (x * x).sum())), ms.Tensor([1.0, 2.0])
old = {*sys.modules}
f(x), f(x)
print(*{name for name in {*sys.modules} - old if name.startswith("numpy")})
"""


def test_a_program_loads_no_more_of_numpy():
    """Numpy loads f2py and others when somebody asks for them, and that takes 0.2 seconds."""
    assert printed(JIT) == ""


@pytest.mark.parametrize("module", [minigrad, minigrad.ops])
def test_a_name_that_is_not_there_is_an_error(module):
    with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute 'nowhere'"):
        module.nowhere  # noqa: B018  # asking is the test
    with pytest.raises(ImportError, match="nowhere"):
        exec(f"from {module.__name__} import nowhere")
