"""What minigrad answers where MindSpore was asked too: the same, or as docs/mindspore.md says."""

import contextlib
import io
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import minigrad as ms

DATA = Path(__file__).parent / "data"
ROWS = runpy.run_path(str(DATA / "semantics.py"))
RECORDED = json.loads((DATA / "semantics.json").read_text(encoding="utf-8"))


def rows(table: str) -> list:
    return [row for part in ROWS[table].values() for row in part]


def answer(program: str) -> str:
    """What a program prints on minigrad; an error as its class and message."""
    names = {
        "ms": ms, "np": np, "mnp": ms.numpy, "nn": ms.nn, "ops": ms.ops, "grad": ms.grad,
        "Tensor": ms.Tensor, "Parameter": ms.Parameter,
        "_Function": ms.common._grad_function._Function,
    }  # fmt: skip
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            exec(compile(program, "program", "exec"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
        finally:
            ms.set_context(check_bprop=False, mode=ms.PYNATIVE_MODE)
    return printed.getvalue().rstrip()


@pytest.mark.filterwarnings("ignore:Mean of empty", "ignore:.*runs line by line")
@pytest.mark.parametrize("row", rows("SAME"), ids=lambda row: row.case[:50])
def test_the_same_as_mindspore(row):
    got, wanted = answer(row.program), RECORDED[row.case]
    if wanted.endswith("Error"):
        got = got.partition(":")[0]
    assert got == wanted


@pytest.mark.filterwarnings("ignore:Mean of empty", "ignore:.*runs line by line")
@pytest.mark.filterwarnings("ignore:.*which construct kept")
@pytest.mark.parametrize("row", rows("DIFFERENT"), ids=lambda row: row.case[:50])
def test_different_as_the_page_says(row):
    assert answer(row.program) == row.prints
    assert RECORDED[row.case] != row.prints.partition("Error:")[0] + "Error"
    assert RECORDED[row.case] != row.prints, "no longer different: move the row to SAME"
    assert row.why


def test_every_row_was_recorded():
    cases = [row.case for table in ("SAME", "DIFFERENT") for row in rows(table)]
    assert len(set(cases)) == len(cases)
    assert set(cases) == set(RECORDED)
