"""The site: what stands on its pages, where links lead, and what it does not give away."""

import base64
import importlib
import json
import re
import sys
from html import unescape
from html.parser import HTMLParser

import pytest
from lesson_notebook import LessonNotebook, build
from nbformat import v4

from minigrad_widgets.lesson.shelf import lessons

LESSONS = {lesson.name: lesson for lesson in lessons()}
BUILT = [name for name in LESSONS if name.startswith(("02", "06"))]
WHOLE = {f"{source.stem}.html" for source in build.sources()}
LOADS = {"src", "srcset", "poster", "data", "action"}  # what a browser fetches by itself


@pytest.fixture(scope="module")
def make_site():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(build.SOURCES)
        yield importlib.import_module("make_site")
        sys.modules.pop("build", None)


class Read(HTMLParser):
    """The tags of a page, with their attributes, and its text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module", params=[*BUILT, "index"])
def page(site, request):
    return Read((site / f"{request.param}.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=BUILT)
def lesson(site, request):
    """A lesson, its notebook, and its page."""
    html = (site / f"{request.param}.html").read_text(encoding="utf-8")
    return LESSONS[request.param], LessonNotebook(LESSONS[request.param]), html


# ------------------------------------------------------------------------ every page
def test_every_link_leads_somewhere(site, page):
    links = [attrs["href"] for attrs in page.all("a")]
    assert links
    for link in links:
        file, _, place = link.partition("#")
        if file in WHOLE and not (site / file).is_file():
            continue  # a lesson that these tests do not build
        html = (site / file).read_text(encoding="utf-8")
        assert not place or f'id="{place}"' in html, link


def test_nothing_is_loaded_over_a_network(page):
    (policy,) = [a["content"] for a in page.all("meta") if "http-equiv" in a]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy.replace("http-equiv", "")
    assert page.all("link") == page.all("iframe") == []
    loaded = [attrs[name] for _, attrs in page.tags for name in LOADS & set(attrs)]
    assert all(address.startswith("data:") for address in loaded)
    assert not re.search(r"@import|url\(['\"]?(?!#|data:)", page.text)


def test_it_is_fit_for_a_phone(page):
    (viewport,) = [a["content"] for a in page.all("meta") if a.get("name") == "viewport"]
    assert viewport == "width=device-width, initial-scale=1"


# ---------------------------------------------------------------------------- lessons
def test_every_cell_is_there_in_order(lesson):
    _, notebook, html = lesson
    text = Read(html).text
    place = 0
    for cell in build.read_source(notebook.source).cells:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        plain = re.search(r"\w+( \w+)*", lines[0])[0]  # words before any mark of Markdown
        shown = lines[-1] if cell.cell_type == "code" else plain
        place = text.find(shown, place)
        assert place >= 0, shown


def test_its_widgets_are_live_in_the_order_of_the_cells(lesson):
    """As many as the saved notebook has pictures, but for those that are to stay still."""
    _, notebook, html = lesson
    live = [
        output["data"]["text/plain"].splitlines()[0]
        for cell in notebook.code
        for output in cell.outputs
        if "image/svg+xml" in output.get("data", {}) and "Still(" not in cell.source
    ]
    (data,) = re.findall(r'<script type="application/json" id="widgets">(.*?)</script>', html)
    widgets = json.loads(data)["widgets"]
    assert len(live) == len(widgets) == html.count("<section>") > 0
    alts = re.findall(r'<section><noscript>.*? alt="(.*)', html)
    alts = [unescape(alt.split('"')[0]) for alt in alts]
    assert alts == live
    for alt, widget in zip(alts, widgets, strict=True):
        assert widget["state"]["title"].split("(")[0] in alt


def test_scripts_and_styles_are_there_once(lesson):
    *_, html = lesson
    (data,) = re.findall(r'<script type="application/json" id="widgets">(.*?)</script>', html)
    scripts = json.loads(data)["scripts"]
    assert len(scripts) == len(set(scripts))
    assert html.count("--mgw-ground: light-dark(") == len(
        {widget["script"] for widget in json.loads(data)["widgets"]}
    )


def test_what_is_printed_stands_below_its_cell(lesson):
    _, notebook, html = lesson
    text = Read(html).text
    printed = [o.text for c in notebook.code for o in c.outputs if o.output_type == "stream"]
    assert printed
    for words in printed:
        assert words in text


def test_no_answer_is_given_away(lesson):
    """Neither in the text of the page nor in its pictures, nor in the data of its widgets."""
    told, _, html = lesson
    pictures = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", html)
    assert pictures
    whole = "\n".join([unescape(html), *(base64.b64decode(p).decode() for p in pictures)])
    plain = re.sub(r"<[^>]+>", "", whole)
    for exercise in told.exercises.values():
        for words in (exercise.why, exercise.solution, *exercise.hints):
            assert words.replace("`", "") not in plain
    for prediction in told.predictions.values():
        for meanings in prediction.meanings.values():
            assert not any(
                words.split("{")[0].replace("`", "") in plain for words in meanings.values()
            )
    assert plain.count("Answer first: once your prediction is locked") == len(told.predictions)
    assert plain.count("Not answered yet: put") == len(told.predictions)


def test_solutions_are_folded(lesson):
    told, _, html = lesson
    folded = re.findall(r"<details>\n<summary>Solution</summary>(.*?)</details>", html, re.DOTALL)
    assert len(folded) == html.count("<details") == len(told.exercises)
    for name, inside in zip(told.exercises, folded, strict=True):
        assert f'solution("{name}")' in Read(inside).text


def test_lessons_lead_to_those_beside_them(site):
    first, last = (site / f"{name}.html" for name in BUILT)
    links = {p: Read(p.read_text(encoding="utf-8")).all("a") for p in (first, last)}
    assert {a["rel"]: a["href"] for a in links[first] if "rel" in a} == {"next": last.name}
    assert {a["rel"]: a["href"] for a in links[last] if "rel" in a} == {"prev": first.name}


# --------------------------------------------------------------------------- contents
def test_every_lesson_is_in_the_contents(make_site):
    pages = [make_site.about(source) for source in build.sources()]
    html = make_site.contents(pages)
    text = Read(html).text
    for lesson, page in zip(LESSONS.values(), pages, strict=False):
        assert f'<a href="{lesson.name}.html">{lesson.title}</a>' in html
        assert page.number == str(int(lesson.name[:2]))
        assert 20 <= int(page.time.removesuffix(" minutes")) <= 90
        assert page.time in text
        assert len(page.learned.split()) > 10
    assert pages[0].learned.startswith("Measure the slope of a function at a point, choose")
    assert pages[-1].file == "gallery.html"
    assert len(pages) == len(LESSONS) + 1


def test_a_lesson_that_does_not_say_what_it_is_about_is_refused(make_site, tmp_path):
    source = tmp_path / "12_empty.py"
    source.write_text("# %% [markdown]\n# Slopes\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"12_empty\.py should begin with a title, then"):
        make_site.about(source)


# ------------------------------------------------------------------------------ cells
def test_links_between_notebooks_become_links_between_pages(make_site):
    html = make_site.as_html(
        '[two](02_a_program_is_a_graph.ipynb), [three](03.ipynb#Your-turn), `href="x.ipynb"`\n'
        "\n## Your turn"
    )
    assert '<a href="02_a_program_is_a_graph.html">two</a>' in html
    assert '<a href="03.html#Your-turn">three</a>' in html
    assert '<h2 id="Your-turn">' in html
    assert "x.ipynb" in html


def test_formulas_become_mathml(make_site):
    html = make_site.as_html("The slope $x^2$.\n\n$$\\frac{1}{x}$$")
    assert html.count("<math") == 2
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in html
    assert "<mfrac>" in html


def test_widgets_follow_the_cells_in_whatever_order_they_were_made(make_site):
    cells = make_site.Cells(["a", "b"])
    for name in "bab":
        live = {make_site.LIVE: {"model_id": name}, "text/plain": "", "image/svg+xml": "<svg/>"}
        html = cells.html(v4.new_code_cell(outputs=[v4.new_output("display_data", data=live)]))
        assert html.count("<section>") == 1
    assert cells.order == [1, 0, 1]


def test_what_a_cell_shows_stays_text(make_site):
    cells = make_site.Cells([])
    printed = v4.new_output("stream", text="<b>a & b</b>\n")
    value = v4.new_output("execute_result", data={"text/plain": "<c>"})
    html = cells.html(v4.new_code_cell("x < y", outputs=[printed, value]))
    assert '<pre class="printed">&lt;b&gt;a &amp; b&lt;/b&gt;\n</pre>' in html
    assert '<pre class="printed">&lt;c&gt;</pre>' in html
    assert "&lt;" in html.split("printed")[0]


def test_whoever_waits_is_told_so_before_the_first_notebook_runs(make_site, monkeypatch, capsys):
    def made(chosen, out):
        assert capsys.readouterr().out.startswith("running the notebooks: a few minutes")
        return [out / "index.html"]

    monkeypatch.setattr(make_site, "make", made)
    monkeypatch.setattr(sys, "argv", ["make_site.py", "02", "--out", "some"])
    assert make_site.main() == 0
    assert capsys.readouterr().out.split() == ["open", str(make_site.Path("some", "index.html"))]


def test_a_kernel_that_runs_a_lesson_warns_of_nothing(capfd):
    """Jupyter's kernels say that they are not encrypted; here it would stand above each page."""
    notebook = v4.new_notebook(cells=[v4.new_code_cell("1 + 1")])
    build.run(notebook)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "2"
    assert "WARNING" not in capfd.readouterr().err
