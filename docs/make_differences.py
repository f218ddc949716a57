"""Write docs/mindspore.md: where minigrad answers as MindSpore does, and where not, and why.

python docs/make_differences.py

The answers are the data of tests/test_semantics.py, so the page says nothing that is not tested.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path

TARGET = Path(__file__).with_name("mindspore.md")
DATA = Path(__file__).parents[1] / "tests" / "data"


def page() -> str:
    """The page as Markdown."""
    rows = runpy.run_path(str(DATA / "semantics.py"))
    recorded = json.loads((DATA / "semantics.json").read_text(encoding="utf-8"))
    parts = [
        "# minigrad and MindSpore: the same, and where not\n",
        "A program for MindSpore 2.10 runs here when `mindspore` is written `minigrad`, and prints "
        "the same. minigrad parts from it only where it crashes, answers nothing, or answers "
        "wrong. Every line of this page is a test: what MindSpore answers was recorded from the "
        "real one (CPU; PyNative, where a program does not say otherwise), and what minigrad "
        "answers is what it answers now. Of errors the class is compared, and the words are "
        "minigrad's own. Programs begin with `import minigrad "
        "as ms`, `from minigrad import Tensor, Parameter, nn, ops, grad`, and "
        "`from minigrad.common._grad_function import _Function`, which is "
        "`minigrad.function.Function`. The page is made by `docs/make_differences.py`.\n",
        "What most people look for: "
        "[my bprop raises here and not there](#my-bprop-raises-here-and-not-there).\n",
        "# Where not\n",
    ]
    for title, cases in rows["DIFFERENT"].items():
        heading = "My bprop raises here and not there" if title == rows["BPROP"] else title
        parts.append(f"## {heading}\n")
        for row in cases:
            parts += [f"### {row.case}\n", f"```python{row.program}\n```\n"]
            parts.append(_answers({"MindSpore": recorded[row.case], "minigrad": row.prints}))
            parts.append(f"{row.why}\n")
    parts.append("# The same\n")
    for title, cases in rows["SAME"].items():
        parts.append(f"## {title}: the same\n")
        for row in cases:
            parts += [f"### {row.case}\n", f"```python{row.program}\n```\n"]
            parts.append(_answers({"Both": recorded[row.case]}))
    return "\n".join(parts)


def _answers(by_whom: dict[str, str]) -> str:
    """Who prints what, in one block."""
    lines = []
    for who, text in by_whom.items():
        first, *others = text.splitlines() or ["(nothing)"]
        lines.append(f"{who + ':':<11}{first}")
        lines += [" " * 11 + line for line in others]
    return "\n".join(["```text", *lines, "```\n"])


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
