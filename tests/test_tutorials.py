"""The programs of the three tutorials print what MindSpore prints, or the right answer.

`data/tutorials/README.md` says what the files are. Set `MINIGRAD_TEST_PACKAGE=mindspore`, in a venv
that has it, to run the same programs on MindSpore: all pass but those with a `.right.txt`.
"""

import contextlib
import io
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

PACKAGE = os.environ.get("MINIGRAD_TEST_PACKAGE", "minigrad")
FOLDER = Path(__file__).parent / "data" / "tutorials"
REFUSED_BY_PYTHON = "kwargs_01_default_before_out"
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}
RIGHT = sorted(path.name.removesuffix(".right.txt") for path in FOLDER.glob("*.right.txt"))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def what_it_prints(program: str, source: str) -> str:
    """Run a program, unchanged but for the name of the package, in a namespace of its own."""
    code = compile(re.sub(r"\bmindspore\b", PACKAGE, source), f"{program}.py", "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {"__name__": "__main__"})
    return printed.getvalue()


def assert_same_print(printed: str, expected: str) -> None:
    """Compare printed text exactly, except that a number may differ in its last digits.

    sin, exp and matrix products may differ by a unit in the last place between builds of numpy and
    BLAS, so numbers are compared to 1e-6 of their size, about eight such units. All around them
    must be equal, but for the padding before numbers, and that only when a last digit made some
    number longer or shorter.
    """
    if printed == expected:
        return
    numbers, wanted = NUMBER.findall(printed), NUMBER.findall(expected)
    same_widths = [len(n) for n in numbers] == [len(n) for n in wanted]
    number = NUMBER if same_widths else re.compile(" *" + NUMBER.pattern)
    assert number.sub("#", printed) == number.sub("#", expected)
    for got, want in zip(numbers, wanted, strict=True):
        assert got.startswith("-") == want.startswith("-"), f"{got}, expected {want}"
        assert math.isclose(float(got), float(want), rel_tol=1e-6), f"{got}, expected {want}"


@pytest.mark.parametrize("program", sorted(set(PROGRAMS) - {REFUSED_BY_PYTHON}))
def test_program_prints_what_it_must(program):
    expected = read(f"{program}.right.txt" if program in RIGHT else f"{program}.txt")
    assert_same_print(what_it_prints(program, PROGRAMS[program]), expected)


def test_default_before_required_is_a_syntax_error():
    with pytest.raises(SyntaxError):
        what_it_prints(REFUSED_BY_PYTHON, PROGRAMS[REFUSED_BY_PYTHON])


def test_order_of_keywords_in_the_call_does_not_matter():
    program = "kwargs_04_two_keywords"
    turned = PROGRAMS[program].replace("(x, y=0, w=2)", "(x, w=2, y=0)")
    assert turned != PROGRAMS[program]
    assert_same_print(what_it_prints(program, turned), read(f"{program}.right.txt"))


def test_right_answers_by_hand():
    x = float(np.float32(3.14))
    for program in RIGHT:
        w = 2 if program == "kwargs_04_two_keywords" else 1
        numbers = [float(n) for n in NUMBER.findall(read(f"{program}.right.txt")) if "." in n]
        # Printed: net(x, y=1), then the value and the gradient at y=0.
        assert numbers == pytest.approx([math.sin(x) + 1, math.sin(x), w * math.cos(x)], rel=1e-6)


def test_mindspore_gives_no_answer_where_minigrad_parts_from_it():
    assert len(RIGHT) == 3
    for program in RIGHT:
        assert read(f"{program}.txt").startswith("RuntimeError: Grad size should lager")


def code_lines(source: str) -> list[str]:
    # The tutorial wrote one comment as `//`, which Python would read as a division.
    return [line.strip().replace("//", "#") for line in source.splitlines() if line.strip()]


def blocks_of_the_tutorials() -> list:
    blocks = []
    for path in sorted(FOLDER.glob("*_lines.txt")):
        tutorial = path.name.removesuffix("_lines.txt")
        for number, block in enumerate(path.read_text(encoding="utf-8").split("\n\n"), start=1):
            blocks.append(pytest.param(tutorial, block, id=f"{tutorial}-{number}"))
    return blocks


@pytest.mark.parametrize(("tutorial", "block"), blocks_of_the_tutorials())
def test_every_block_of_the_tutorials_is_in_a_program(tutorial, block):
    wanted = code_lines(block)
    homes = []
    for program, source in PROGRAMS.items():
        lines = code_lines(source)
        starts = range(len(lines) - len(wanted) + 1)
        if any(lines[start : start + len(wanted)] == wanted for start in starts):
            homes.append(program)
    assert any(home.startswith(f"{tutorial}_") for home in homes), f"in no program: {wanted}"


def test_all_three_tutorials_are_there():
    blocks = [param.values[0] for param in blocks_of_the_tutorials()]
    assert {name: blocks.count(name) for name in blocks} == {"bprop": 3, "kwargs": 4, "autodiff": 7}


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("[ 1.00000000e+00,  2.00000000e+00]", True),
        ("[ 1.00000012e+00,  2.00000000e+00]", True),
        ("[ 1.00000312e+00,  2.00000000e+00]", False),
        ("[-1.00000000e+00,  2.00000000e+00]", False),
        ("[ 1.00000000e+00, 2.00000000e+00]", False),
        ("[1.00000000e+00,  2.00000000e+00]", False),
        ("[ 1.00000000e+00]", False),
        ("[ 1.00000000e+00,  nan]", False),
    ],
)
def test_comparison_of_prints_can_fail(printed, same):
    expected = "[ 1.00000000e+00,  2.00000000e+00]"
    if same:
        assert_same_print(printed, expected)
    else:
        with pytest.raises(AssertionError):
            assert_same_print(printed, expected)
