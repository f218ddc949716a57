"""The pages of docs/ that are made from the code agree with it."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_table_of_the_api_is_what_the_code_says():
    made = runpy.run_path(str(DOCS / "make_api.py"))["table"]()
    assert (DOCS / "api.md").read_text(encoding="utf-8") == made, "run: python docs/make_api.py"


def test_the_table_has_what_a_program_uses():
    lines = (DOCS / "api.md").read_text(encoding="utf-8").splitlines()
    for name in ("grad", "conv2d", "ReLU", "Dense", "concatenate", "astype"):
        assert any(line.startswith(f"| `{name}` | ") and len(line) > 20 for line in lines), name


def test_the_page_of_differences_is_what_the_tests_hold():
    made = runpy.run_path(str(DOCS / "make_differences.py"))["page"]()
    page = (DOCS / "mindspore.md").read_text(encoding="utf-8")
    assert page == made, "run: python docs/make_differences.py"
    assert "## My bprop raises here and not there" in page


def test_the_page_of_graph_mode_is_what_its_code_prints():
    page = (DOCS / "graph_mode.md").read_text(encoding="utf-8")
    made, pictures = runpy.run_path(str(DOCS / "make_graph_mode.py"))["page"]()
    assert page == made, "run: python docs/make_graph_mode.py"
    assert page.count("```python") == page.count("```text") + len(pictures) > 8
    assert all((DOCS / name).exists() for name in pictures)


def test_the_tables_of_speed_are_what_was_measured():
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(DOCS / "make_speed.py"))["page"]()
    assert page == made, "run: python docs/make_speed.py"
    assert page.count("\n| --- |") == 6  # time, memory, three of growth, page faults
    assert (DOCS / "pictures" / "growth.svg").exists()
