"""Corner: errors. A traceback shows the user's own lines, and the engine's only if asked."""

import os
import subprocess
import sys
import textwrap

import pytest

SETUP = "from minigrad import Tensor, grad, nn, ops, vmap\n"
RULE = """
class Bad(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return dout + undefined  # the line

def loss(x):
    return Bad()(x)

grad(loss)(Tensor([1.0, 2.0]))
"""
MATMUL = """
def loss(x):
    return x @ Tensor([[1.0, 2.0, 3.0]])  # the line

grad(grad(loss))(Tensor([1.0, 2.0]))
"""
INPUT = "grad(ops.sin)(3)  # the line"
OWN = """
def loss(x):
    try:
        return {}["weights"]
    except KeyError as error:
        raise ValueError("no weights") from error  # the line

vmap(loss)(Tensor([1.0, 2.0]))
"""
PLAIN = "1 / 0  # the line"
PROGRAMS = {
    "rule": (RULE, "NameError: name 'undefined'"),
    "matmul": (MATMUL, "ValueError: matmul: x of shape"),
    "input": (INPUT, "TypeError: argument 0 of sin is the integer 3"),
    "own": (OWN, "ValueError: no weights"),
    "plain": (PLAIN, "ZeroDivisionError: division"),
}
IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="NoColor", history_length=0)
shell.run_cell({setup!r})
shell.run_cell({program!r})
shell.run_cell("x = 1")  # the shell goes on
"""


def shown(tmp_path, where, program, **environment):
    """What a person sees of the error that ends a program."""
    code = SETUP + program
    if where == "IPython":
        code = IN_IPYTHON.format(setup=SETUP, program=program)
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(code), encoding="utf-8")
    own = {key: value for key, value in os.environ.items() if key != "MINIGRAD_TRACEBACK"}
    done = subprocess.run(
        [sys.executable, file], env=own | environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("where", ["Python", "IPython"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_traceback_has_the_users_lines_alone(tmp_path, where, name):
    program, words = PROGRAMS[name]
    text = shown(tmp_path, where, program)
    assert words in text
    assert "# the line" in text
    for of_the_engine in (f"minigrad{os.sep}", "<op ", "gufunc"):
        assert of_the_engine not in text
    assert ("KeyError" in text) == (name == "own")  # the user's own chain of errors stays


@pytest.mark.parametrize("where", ["Python", "IPython"])
def test_the_engines_frames_are_shown_if_asked_for(tmp_path, where):
    text = shown(tmp_path, where, MATMUL, MINIGRAD_TRACEBACK="full")
    for of_the_engine in (f"minigrad{os.sep}transform.py", "<op matmul>", "gufunc"):
        assert of_the_engine in text


def test_errors_in_a_ring_and_in_a_group_are_shortened_too():
    from minigrad import Tensor
    from minigrad.tracebacks import shorten

    def caught():
        with pytest.raises(ValueError, match="matmul") as raised:
            Tensor([1.0, 2.0]) @ Tensor([[1.0, 2.0, 3.0]])
        return raised.value

    first, second = caught(), caught()
    first.__cause__, second.__cause__ = second, first
    group = ExceptionGroup("both", [first, second])
    shorten(group)
    for error in (first, second):
        traceback, files = error.__traceback__, []
        while traceback is not None:
            files.append(traceback.tb_frame.f_code.co_filename)
            traceback = traceback.tb_next
        assert files == [__file__]


def test_an_error_that_is_the_engines_alone_is_left_out():
    from minigrad import Tensor
    from minigrad.tracebacks import shorten

    with pytest.raises(ValueError, match="matmul") as raised:
        Tensor([1.0, 2.0]) @ Tensor([[1.0, 2.0, 3.0]])
    error = raised.value
    assert "gufunc" in str(error.__cause__)
    shorten(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_whoever_catches_an_error_has_all_of_it():
    from minigrad import Tensor

    with pytest.raises(ValueError, match="matmul") as raised:
        Tensor([1.0, 2.0]) @ Tensor([[1.0, 2.0, 3.0]])
    assert any("<op matmul>" in str(entry.path) for entry in raised.traceback)
    assert "gufunc" in str(raised.value.__cause__)
