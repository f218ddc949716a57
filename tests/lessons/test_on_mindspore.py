"""The code of lessons 5 to 10 on real MindSpore: it prints what minigrad prints, but for a list.

MindSpore is looked for in an environment of its own, whose Python MINDSPORE_PYTHON names:

    python3.11 -m venv oracle
    oracle/bin/pip install mindspore==2.10.0 "numpy<2" "scipy<1.14"
    MINDSPORE_PYTHON=oracle/bin/python python -m pytest tests/lessons/test_on_mindspore.py

What differs, and why, is in the table of docs/outgrow.md, and nothing else does.
"""

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from lesson_notebook import ROOT, build

from minigrad_widgets.lesson.shelf import lessons

PAGE = (ROOT / "docs" / "outgrow.md").read_text(encoding="utf-8")
RUNNER = Path(__file__).with_name("run_statements.py")
LESSONS = {lesson.name: lesson for lesson in lessons() if "05" <= lesson.name[:2] <= "10"}
MINDSPORE = os.environ.get("MINDSPORE_PYTHON", "")
needs_mindspore = pytest.mark.skipif(
    not MINDSPORE, reason="MINDSPORE_PYTHON names no Python that has MindSpore"
)

# In place of the widgets: the data of the lessons, and a loop that begins with given weights, since
# each library draws its own, takes a few steps, and prints each loss.
STAND_INS = f"""
import numpy as np
def digits():
    with np.load({str(ROOT / "widgets" / "digits.npz")!r}) as file:
        return file["images"], file["labels"]
class training:
    def __init__(self, steps, net):
        rng = np.random.default_rng(0)
        for weight in net.trainable_params():
            values = rng.uniform(-0.2, 0.2, weight.shape).astype(np.float32)
            weight.set_data(ms.Tensor(values))
    def __iter__(self):
        return iter(range(8))
    def log(self, loss, grads):
        print(loss)
"""
STOOD_IN = {"digits", "training"}
OURS = ("minigrad_widgets", "minigrad.check")  # what MindSpore has nothing like

# What the solutions of exercises print, beside what the lessons do.
SOLVED = {
    "train_line": "train_line(Tensor([0.0, 1.0, 2.0]), Tensor([1.0, 3.0, 5.0]), 0.1, 5)",
    "fit": "fit(Tensor([0.0, 1.0, 2.0]), Tensor([1.0, 3.0, 5.0]))",
    "chase": "ms.value_and_grad(chase)(Tensor(2.0))",
    "target_loss": "ms.grad(target_loss, (0, 1))(Tensor([[1.0], [2.0]]), Tensor([[3.0], [1.0]]), "
    "Tensor([[1.0, 2.0]]), Tensor([[0.5, 1.0]]), Tensor([[1.0]]))",
    "side_door": "ms.grad(side_door(function_with_logits), (2, 3))(ops.ones(5), ops.zeros(3), "
    "ops.ones((5, 3)), ops.ones(3))",
    "hard_loss": "ms.grad(hard_loss)(Tensor(2.0), Tensor([1.0, 2.0]), Tensor([1.0, 7.0]))",
    "x_log_x": "ms.value_and_grad(x_log_x)(Tensor([0.0, 0.5, 2.0]))",
    "stable_softplus": "ms.value_and_grad(stable_softplus)(Tensor([-200.0, 0.0, 200.0]))",
    "masked_softmax": "masked_softmax(scores, mask)",
    "smooth": "ms.value_and_grad(smooth)(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]))",
    "Product": "ms.grad(Product(), (0, 1))(x, y)",
    "Round": "ms.grad(Round())(Tensor([0.4, 1.6]))",
    "Spike": "ms.grad(Spike())(Tensor([-20.0, 0.0, 0.1]))",
    "Relu6": "ms.grad(ms.grad(Relu6()))(Tensor([-1.0, 0.5, 7.0]))",
    "hvp": "hvp(lambda x: ops.sum(x**3), box, Tensor([1.0, -1.0]))",
    "newton": "newton(lambda x: (x - 1.0) ** 2 + x**4, Tensor(2.0))",
    "Tanh": "ms.grad(ms.grad(Tanh()))(Tensor(0.5))",
    "Squash": "ms.grad(Squash())(Tensor([0.5]), 2.0, 'tanh')",
    "Clip": "ms.grad(Clip())(Tensor([-2.0, 0.5, 3.0]))",
}


# ---------------------------------------------------------------- what is run
def uses(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def makes(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


@cache
def statements(name: str) -> list[str]:
    """A lesson without its widgets and checks, and with its exercises solved, one by one."""
    lesson, found, ours = LESSONS[name], [STAND_INS], set()
    for cell in build.read_source(build.SOURCES / f"{name}.py").cells:
        if cell.cell_type != "code":
            continue
        for statement in ast.parse(cell.source).body:
            if isinstance(statement, ast.ImportFrom) and statement.module.startswith(OURS):
                ours |= {alias.name for alias in statement.names} - STOOD_IN
            elif uses(statement) & ours:
                ours |= makes(statement)
            else:
                ours -= makes(statement)
                found.append(ast.get_source_segment(cell.source, statement))
        for exercise in re.findall(r'^check\("(\w+)"', cell.source, re.MULTILINE):
            if exercise in SOLVED:
                found += [lesson.exercises[exercise].solution, f"print({SOLVED[exercise]})"]
    return found


def on(library: str, source: str) -> str:
    """The source with its imports changed, as docs/outgrow.md tells."""
    return re.sub(r"^(from|import) minigrad\b", rf"\1 {library}", source, flags=re.MULTILINE)


def told(python: str, library: str, sources: list[str]) -> list[str]:
    """What a library prints at each of the statements."""
    begin = "import mindspore; mindspore.runtime.launch_blocking()"  # else an error shows later
    program = [begin if library == "mindspore" else "pass", *(on(library, s) for s in sources)]
    done = subprocess.run(
        [python, str(RUNNER)],
        input=json.dumps(program),
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
        },  # small arrays: threads would wait on each other
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[1:]


NUMBER = re.compile(r"-?\b(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)\b\.?", re.IGNORECASE)


def alike(one: str, other: str) -> bool:
    """The same words, and numbers that agree to what float32 keeps through a few steps."""
    words = [" ".join(NUMBER.sub("0", text).split()) for text in (one, other)]
    numbers = [[float(x.rstrip(".")) for x in NUMBER.findall(text)] for text in (one, other)]
    if words[0] != words[1] or len(numbers[0]) != len(numbers[1]):
        return False
    return np.allclose(*numbers, rtol=2e-4, atol=2e-6, equal_nan=True)


def listed(name: str) -> list[str]:
    """The code that docs/outgrow.md says to differ, of one lesson."""
    rows = re.findall(r"^\| (\d+) \| `(.+?)` \|", PAGE, re.MULTILINE)
    return [code for number, code in rows if int(number) == int(name[:2])]


# ---------------------------------------------------------------- on MindSpore
@needs_mindspore
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_prints_the_same_but_for_what_is_listed(name):
    ours, theirs = (
        told(sys.executable, "minigrad", statements(name)),
        told(MINDSPORE, "mindspore", statements(name)),
    )
    differ = [
        (source, a, b)
        for source, a, b in zip(statements(name), ours, theirs, strict=True)
        if not alike(a, b)
    ]
    codes = listed(name)
    unlisted = [each for each in differ if not any(code in each[0] for code in codes)]
    assert not unlisted
    for code in codes:
        assert any(code in source for source, *_ in differ), f"{code} is listed, and agrees"
    same = [a for a, b in zip(ours, theirs, strict=True) if a and alike(a, b)]
    assert sum(len(NUMBER.findall(text)) for text in same) > 10


@needs_mindspore
def test_the_example_of_the_page_prints_the_same_on_both():
    example, printed = re.findall(r"```(?:python|text)\n(.*?)```", PAGE, re.DOTALL)[:2]
    assert alike(told(MINDSPORE, "mindspore", [example])[0], printed)


# ---------------------------------------------------------------- without it
def test_the_example_of_the_page_prints_what_stands_below_it():
    example, printed = re.findall(r"```(?:python|text)\n(.*?)```", PAGE, re.DOTALL)[:2]
    assert told(sys.executable, "minigrad", [example])[0] == printed


@pytest.mark.parametrize("name", LESSONS)
def test_on_minigrad_the_statements_run_and_print(name):
    """An error here would hide what is to be compared."""
    printed = told(sys.executable, "minigrad", statements(name))
    for source, text in zip(statements(name), printed, strict=True):
        assert "try:" in source or not re.search(r"^\w+Error: ", text, re.MULTILINE), source
    assert sum(map(bool, printed)) >= 5


def test_every_solution_that_is_printed_is_one():
    exercises = {exercise for lesson in LESSONS.values() for exercise in lesson.exercises}
    assert set(SOLVED) <= exercises


def test_imports_are_all_that_changes():
    assert on("mindspore", "from minigrad import ops\nimport minigrad as ms\n") == (
        "from mindspore import ops\nimport mindspore as ms\n"
    )
    assert on("mindspore", "import minigrad_widgets") == "import minigrad_widgets"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[1. 2.]", "[1.00001 2.]", True),
        ("[1. 2.]", "[1.01 2.]", False),
        ("[1. 2.]", "[1. 2. 3.]", False),
        ("x 1.5", "y 1.5", False),
        ("-0.5", "0.5", False),
        ("[nan 1e-3]", "[nan 0.001]", True),
        ("nan", "0.0", False),
        ("inf", "-inf", False),
        ("[0.    0.5]", "[0.  0.5]", True),
        ("ValueError: a", "RuntimeError: a", False),
    ],
)
def test_what_counts_as_the_same(one, other, same):
    assert alike(one, other) == same
