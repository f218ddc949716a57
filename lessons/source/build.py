"""Build the lessons: lessons/source/NN_name.py becomes lessons/NN_name.ipynb, with its outputs.

    python lessons/source/build.py             build every lesson
    python lessons/source/build.py 02          build the lessons whose names begin so
    python lessons/source/build.py --check     only say whether notebooks and sources agree

Building twice gives the same file: cells are numbered, and nothing is saved that changes from run
to run.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from minigrad_widgets.lesson.shelf import mark
from minigrad_widgets.saving import keep_pictures

SOURCES = Path(__file__).resolve().parent
SCRIPTS = {SOURCES / "build.py", SOURCES / "make_site.py"}
LESSONS = SOURCES.parent
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
os.environ["MINIGRAD_PROGRESS"] = "off"  # what somebody did here has no place in the outputs
PATIENCE = 300  # seconds that a slow machine may take for one cell


def sources(begin: str = "") -> list[Path]:
    """The sources of the lessons whose names begin so."""
    return sorted({*SOURCES.glob(f"{begin}*.py")} - SCRIPTS)


def notebook_of(source: Path) -> Path:
    """Where the notebook of a source lies."""
    return LESSONS / f"{source.stem}.ipynb"


def read_source(source: Path) -> NotebookNode:
    """The source as a notebook that has not run, its cells numbered."""
    notebook = jupytext.read(source, fmt="py:percent")
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
        cell.source = cell.source.replace("\n\n\n", "\n\n")  # two blank lines are for modules
    notebook.metadata = nbformat.from_dict(METADATA)
    mark(notebook, source.stem)
    return notebook


def run(notebook: NotebookNode) -> None:
    """Run every cell of a notebook, in a kernel of its own."""
    NotebookClient(
        notebook,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # or each kernel warns that it is not encrypted
        timeout=PATIENCE,
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,  # or a slow print comes in several pieces
        resources={"metadata": {"path": str(LESSONS)}},
    ).execute()


def build(source: Path) -> Path:
    """Run the source as a notebook and save it with its outputs."""
    notebook = read_source(source)
    run(notebook)
    notebook.metadata = read_source(source).metadata  # the kernel adds its version
    keep_pictures({"type": "notebook", "content": notebook})
    nbformat.validate(notebook)
    target = notebook_of(source)
    target.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")
    return target


def difference(source: Path) -> str:
    """What first differs between a source and its notebook; "" if they agree."""
    target = notebook_of(source)
    if not target.exists():
        return f"{target.name} is missing"
    notebook, built = read_source(source), nbformat.read(target, as_version=4)
    wanted, found = notebook.cells, built.cells
    for number, (cell, there) in enumerate(zip(wanted, found, strict=False), 1):
        for key in ("cell_type", "source", "metadata", "id"):
            if cell[key] != there[key]:
                return f"{target.name}, cell {number}: {key} differs from {source.name}"
    if len(wanted) != len(found):
        return f"{target.name} has {len(found)} cells, {source.name} has {len(wanted)}"
    if notebook.metadata.minigrad != built.metadata.get("minigrad"):
        return f"{target.name} has no mark of its own cells, by which a copy is known"
    return ""


def _cpu() -> float:
    """Seconds of CPU that the kernels took which have ended; on Windows, that is not told."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> int:
    """Build or check, and say so; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description="Build the lessons.")
    parser.add_argument("names", nargs="*", default=[""], help="how the names of the lessons begin")
    parser.add_argument("--check", action="store_true", help="only say whether both agree")
    options = parser.parse_args()
    chosen = [source for name in options.names for source in sources(name)]
    if not chosen:
        parser.error(f"no lesson in {SOURCES} begins with {' or '.join(options.names)}")
    wrong = False
    for source in chosen:
        if options.check:
            told = difference(source)
            wrong |= bool(told)
            print(
                f"{told}: run `python lessons/source/build.py {source.stem[:2]}`"
                if told
                else f"{source.stem}: agrees"
            )
        else:
            before = _cpu()
            print(f"built {build(source).name}: {_cpu() - before:.1f} s of CPU")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
