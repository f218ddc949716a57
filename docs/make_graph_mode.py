"""Run the code in docs/graph_mode.md, and write below each piece what it prints, or draws.

python docs/make_graph_mode.py
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import warnings
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("graph_mode.md")
_PIECE = re.compile(r"```python\n(.*?)```\n\n(?:```text\n.*?```|(!\[[^]]*\]\((.*?)\)))", re.DOTALL)


def page() -> tuple[str, dict[str, str]]:
    """The page as it should be, and its pictures by the names of their files."""
    space: dict[str, Any] = {"__name__": "page"}
    pictures: dict[str, str] = {}

    def again(piece: re.Match[str]) -> str:
        code, image, file = piece.groups()
        if image is None:
            return f"```python\n{code}```\n\n```text\n{run(code, space)}\n```"
        *before, drawn = code.rstrip().splitlines()
        run("\n".join(before), space)
        pictures[file] = eval(drawn, space).to_svg()
        return f"```python\n{code}```\n\n{image}"

    return _PIECE.sub(again, TARGET.read_text(encoding="utf-8")), pictures


def run(code: str, space: dict[str, Any]) -> str:
    """What a piece of code prints. Its lines can be looked up, as those of a file."""
    file = f"page_{len(linecache.cache)}.py"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, file, "exec"), space)
    return printed.getvalue().replace(file, "page.py").rstrip()


if __name__ == "__main__":
    text, drawn = page()
    TARGET.write_text(text, encoding="utf-8")
    for name, svg in drawn.items():
        (TARGET.parent / name).write_text(svg + "\n", encoding="utf-8")
