"""The gallery: built from its source, and complete."""

from __future__ import annotations

import nbformat
from lesson_notebook import build

import minigrad_widgets

(SOURCE,) = build.sources("gallery")
NOTEBOOK = nbformat.read(build.notebook_of(SOURCE), as_version=4)


def test_the_notebook_is_built_from_its_source() -> None:
    assert build.difference(SOURCE) == ""


def test_every_widget_is_shown() -> None:
    """Each has a heading of its own, and a cell that calls it and leaves a picture and a text."""
    heading, pictures, called = "", {}, {}
    for cell in NOTEBOOK.cells:
        if cell.cell_type == "markdown":
            found = [x[3:] for x in cell.source.splitlines() if x.startswith("## ")]
            heading = found[0] if found else heading
            continue
        called[heading] = called.get(heading, "") + cell.source
        for output in cell.outputs:
            if {"image/svg+xml", "text/plain"} <= set(output.get("data", {})):
                pictures[heading] = pictures.get(heading, 0) + 1
    names = set(minigrad_widgets.__all__) - {"LayoutError"}
    assert set(called) - {""} == names
    assert all(f"{name}(" in called[name] for name in names)
    twice = {"show_graph": 2, "step_backward": 2}  # with order=2, and with predict=True
    assert pictures == {name: twice.get(name, 1) for name in names - {"export_html"}}


def test_nothing_failed() -> None:
    outputs = [o for cell in NOTEBOOK.cells for o in cell.get("outputs", [])]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
