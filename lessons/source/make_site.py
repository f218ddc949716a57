"""Make the site: every lesson as a page that is read without Jupyter, and a page of contents.

    python lessons/source/make_site.py                     all lessons, into the folder site
    python lessons/source/make_site.py 02 06 --out some    these alone, into another folder

A page holds what the lesson shows to whoever runs it untouched, so no answer. Its widgets work; it
asks for nothing over a network.
"""

from __future__ import annotations

import argparse
import base64
import re
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import latex2mathml.converter
import nbformat
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from build import SOURCES, read_source, run, sources
from minigrad_widgets.export import page

OUT = SOURCES.parents[1] / "site"
STYLE = (SOURCES / "site.css").read_text(encoding="utf-8")
WIDEST = 80  # letters in a box of the width that text has
WITH_KEYS = ' tabindex="0"'
LIVE = "application/vnd.jupyter.widget-view+json"
# Before the first cell and after the last: the widgets that were shown, as they are in the end.
NOTE_THE_WIDGETS = """
from minigrad_widgets.base import SavedWidget as _SavedWidget
_shown = {}
def _note(widget, **kwargs):
    _shown[widget.model_id] = widget
    return widget._repr_mimebundle_(**kwargs)
get_ipython().display_formatter.mimebundle_formatter.for_type(_SavedWidget, _note)
"""
HAND_OVER = """
from IPython.display import display as _display
from minigrad_widgets.export import gather as _gather
_data = _gather([*_shown.values()]) | {"ids": [*_shown]}
_display({"application/json": _data}, raw=True)
"""


@dataclass
class Page:
    """A lesson on the site. `learned` is one line of Markdown, `time` such as "35 minutes"."""

    file: str
    number: str
    title: str
    learned: str
    time: str

    @property
    def name(self) -> str:
        """What others call it."""
        return f"{self.number}. {self.title}" if self.number else self.title


def about(source: Path) -> Page:
    """What the first cell of a lesson says of it: its title, its time, what is learned."""
    first = read_source(source).cells[0].source
    found = re.match(
        r"# (?P<title>.+)\n\n(\*Lesson (?P<number>\d+)\. About (?P<time>\d+ minutes)[^*]*\*\n\n)?"
        r"(At the end you can )?(?P<learned>(.+\n?)+)",
        first,
    )
    if found is None:
        raise ValueError(
            f"{source.name} should begin with a title, then '*Lesson 2. About 35 minutes. ...*', "
            f"then a paragraph that says what is learned; it begins with {first[:80]!r}"
        )
    learned = " ".join(found["learned"].split())
    title, number, time = found["title"], found["number"] or "", found["time"] or ""
    return Page(f"{source.stem}.html", number, title, learned[0].upper() + learned[1:], time)


def run_with_widgets(source: Path) -> tuple[NotebookNode, dict[str, Any]]:
    """The lesson after a run, and its widgets as `gather` gives them, with their ids."""
    notebook = read_source(source)
    before, after = map(nbformat.v4.new_code_cell, (NOTE_THE_WIDGETS, HAND_OVER))
    notebook.cells = [before, *notebook.cells, after]
    run(notebook)
    _, *notebook.cells, last = notebook.cells
    return notebook, last.outputs[-1].data["application/json"]


# ---------------------------------------------------------------- text and code
def coloured(code: str, language: str = "python", _: str = "") -> str:
    """Code as HTML, Python's with its words marked."""
    python = language in ("python", "py")
    marked = highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)) if python else escape(code)
    return _box("code", code, marked)


def _box(kind: str, text: str, html: str) -> str:
    """Preformatted text; what is too wide for its box can be scrolled with the keyboard."""
    wide = max(map(len, text.splitlines()), default=0) > WIDEST
    return f'<pre class="{kind}"{WITH_KEYS if wide else ""}>{html}</pre>'


MARKDOWN = (
    MarkdownIt("commonmark", {"highlight": coloured})
    .enable("table")
    .use(anchors_plugin, max_level=3, slug_func=lambda words: words.replace(" ", "-"))
    .use(
        dollarmath_plugin,
        renderer=lambda formula, given: latex2mathml.converter.convert(
            formula, display="block" if given["display_mode"] else "inline"
        ),
    )
)  # anchors are Jupyter's own, and formulas need no script


def as_html(markdown: str) -> str:
    """Markdown as HTML, in which links to notebooks lead to their pages."""
    return re.sub(r'href="([\w.-]+)\.ipynb(["#])', r'href="\1.html\2', MARKDOWN.render(markdown))


# ---------------------------------------------------------------- what a cell shows
class Cells:
    """The cells of a lesson as HTML; `order` says which widget stands in which section."""

    def __init__(self, ids: list[str]):
        self.ids = ids
        self.order: list[int] = []

    def html(self, cell: NotebookNode) -> str:
        """One cell, with its outputs; a solution is folded, as in the notebook."""
        if cell.cell_type == "markdown":
            return as_html(cell.source)
        shown = coloured(cell.source) + "\n".join(map(self._output, cell.outputs))
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            return f"<details>\n<summary>Solution</summary>\n{shown}\n</details>"
        return shown

    def _output(self, output: NotebookNode) -> str:
        if output.output_type == "stream":
            return _box("printed", output.text, escape(output.text))
        data = output.data
        picture = _picture(data) if "image/svg+xml" in data else ""
        if LIVE in data:
            self.order.append(self.ids.index(data[LIVE]["model_id"]))
            return f"<section><noscript>{picture}</noscript></section>"
        if picture:
            return picture
        if "text/html" in data:
            return f'<div class="note">{data["text/html"]}</div>'
        return _box("printed", data["text/plain"], escape(data["text/plain"]))


def _picture(data: dict[str, str]) -> str:
    """A static picture, shut off from the page: names and styles in it stay its own."""
    svg = base64.b64encode(data["image/svg+xml"].encode()).decode()
    alt = escape(data["text/plain"], quote=True)
    return f'<p class="still"><img src="data:image/svg+xml;base64,{svg}" alt="{alt}"></p>'


# ---------------------------------------------------------------- pages
def lesson_page(source: Path, pages: list[Page]) -> str:
    """One lesson, with links to those beside it."""
    notebook, parts = run_with_widgets(source)
    own = about(source)
    place = pages.index(own)
    cells = Cells(parts["ids"])
    content = "\n".join(map(cells.html, notebook.cells))
    beside = "".join(_link("prev", x) for x in pages[:place][-1:])
    beside += "".join(_link("next", x) for x in pages[place + 1 :][:1])
    body = f"""<header>
<nav aria-label="Site"><a href="index.html">All lessons</a></nav>
<p>To answer and to solve, open <code>{source.stem}.ipynb</code> in Jupyter</p>
</header>
<main>
{content}
</main>
<footer>
<nav aria-label="Lessons">{beside}</nav>
</footer>"""
    parts["widgets"] = [parts["widgets"][i] for i in cells.order]
    return page(f"{own.name} - minigrad", body, parts, STYLE)


def _link(rel: str, to: Page) -> str:
    return f'<a rel="{rel}" href="{to.file}">{escape(to.name)}</a>'


def contents(pages: list[Page]) -> str:
    """The page that one begins with."""
    items = "\n".join(
        f'<li><span class="number">{each.number}</span>'
        f'<h2><a href="{each.file}">{escape(each.title)}</a></h2>'
        f"<p>{MARKDOWN.renderInline(each.learned)}</p>"
        f'<span class="time">{each.time}</span></li>'
        for each in pages
    )
    body = f"""<main>
<h1>minigrad</h1>
<p>How automatic differentiation works: read it, watch it, step through it. Graphs and steppers work here,
with no network. To predict and to solve exercises, open the notebooks of the same names in Jupyter. Below
each title stands what you can do at the end.</p>
<ol class="contents">
{items}
</ol>
</main>"""
    return page("minigrad: lessons", body, {"styles": [], "scripts": [], "widgets": []}, STYLE)


def make(chosen: list[Path], out: Path) -> list[Path]:
    """Write the pages of these lessons and their contents into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    pages = [about(source) for source in chosen]
    texts = {"index.html": contents(pages)}
    for source, own in zip(chosen, pages, strict=True):
        texts[own.file] = lesson_page(source, pages)
        print(f"{own.file}: {len(texts[own.file]) / 1e6:.1f} MB", flush=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    return [out / name for name in texts]


def main() -> int:
    """Make the site, and say where it is."""
    parser = argparse.ArgumentParser(description="Make the site of the lessons.")
    parser.add_argument("names", nargs="*", default=[""], help="how the names of lessons begin")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder, %(default)s")
    options = parser.parse_args()
    chosen = [source for name in options.names for source in sources(name)]
    if not chosen:
        parser.error(f"no lesson in {SOURCES} begins with {' or '.join(options.names)}")
    print("running the notebooks: a few minutes, if it is all of them", flush=True)
    print(f"open {make(chosen, options.out)[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
