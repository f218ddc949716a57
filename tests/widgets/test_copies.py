"""Working copies of the lessons: an update takes no work, and a reset keeps what was there."""

import json
import os
import re
import shlex
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from nbformat.sign import NotebookNotary

from minigrad_widgets.lesson import __main__ as command
from minigrad_widgets.lesson import copies
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson import shelf as shelf_module
from minigrad_widgets.lesson.progress import FILE, Progress
from minigrad_widgets.lesson.shelf import lessons, mark
from minigrad_widgets.lesson.shelf import notebooks as shelf_of_lessons
from minigrad_widgets.lesson_02 import LESSON

SECOND = f"{LESSON.name}.ipynb"

CELLS = [
    {"cell_type": "markdown", "metadata": {}, "id": "a", "source": ["# A lesson\n", "with text"]},
    {
        "cell_type": "code",
        "metadata": {},
        "id": "b",
        "source": "x = ...",
        "execution_count": None,
        "outputs": [],
    },
]


def build(path, *more):
    """An original, with its mark, as lessons/source/build.py makes it."""
    made = {"cells": [*CELLS, *more], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    mark(made, path.stem)
    path.write_text(json.dumps(made), encoding="utf-8")


def cell(source):
    return CELLS[1] | {"source": source, "id": "c"}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """The folder of the notebooks as they came: two lessons and a gallery."""
    folder = tmp_path / "package"
    folder.mkdir()
    for name in ("01_first", "02_second", "gallery"):
        build(folder / f"{name}.ipynb")
    for module in (copies, shelf_module):
        monkeypatch.setattr(module, "notebooks", lambda: sorted(folder.glob("*.ipynb")))
    monkeypatch.chdir(tmp_path)
    return folder


def edit(path, *more, **metadata):
    """Write in a notebook as a student or a new version does."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cells"] += more
    content["metadata"] |= metadata
    path.write_text(json.dumps(content), encoding="utf-8")
    return path.read_bytes()


def run(*arguments):
    return command.main([*map(str, arguments)])


def test_a_copy_has_every_notebook_and_says_so(shelf, tmp_path, capsys):
    assert run("copy", tmp_path / "my" / "lessons") == 0
    told = capsys.readouterr().out.splitlines()
    assert told == ["01_first.ipynb: new", "02_second.ipynb: new", "gallery.ipynb: new"]
    mine = json.loads((tmp_path / "my" / "lessons" / "01_first.ipynb").read_text())
    assert mine["cells"] == CELLS
    assert mine["metadata"]["minigrad"]["lesson"] == "01_first"
    assert sorted(p.name for p in (tmp_path / "my" / "lessons").iterdir()) == sorted(
        p.name for p in shelf.iterdir()
    )


def test_an_update_takes_no_work(shelf, tmp_path, capsys):
    mine = tmp_path / "mine"
    run("copy", mine)
    worked = edit(mine / "01_first.ipynb", cell("my work"))
    ran = edit(mine / "02_second.ipynb", other={"kernel": "it ran, and was saved"})
    for original in shelf.glob("0*"):
        build(original, cell("what is new"))
    build(shelf / "03_third.ipynb")
    capsys.readouterr()
    run("copy", mine)
    assert capsys.readouterr().out.splitlines() == [
        "01_first.ipynb: yours, left as it is; there is a newer one, which `reset` fetches",
        "02_second.ipynb: updated",
        "03_third.ipynb: new",
    ]
    assert (mine / "01_first.ipynb").read_bytes() == worked
    assert (mine / "02_second.ipynb").read_bytes() != ran
    assert "what is new" in (mine / "02_second.ipynb").read_text()


def test_work_on_the_newest_is_left_alone(shelf, tmp_path, capsys):
    run("copy", tmp_path / "mine")
    worked = edit(tmp_path / "mine" / "01_first.ipynb", cell("my work"))
    run("copy", tmp_path / "mine")
    assert capsys.readouterr().out.splitlines()[3:] == [f"{tmp_path / 'mine'}: up to date"]
    assert (tmp_path / "mine" / "01_first.ipynb").read_bytes() == worked


@pytest.mark.parametrize("content", [b"", b"not JSON", b"[]", b'{"cells": [3]}', b"\xff\xfe"])
def test_a_file_that_cannot_be_read_may_be_work(shelf, tmp_path, content):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "01_first.ipynb").write_bytes(content)
    assert run("copy", mine) == 0
    assert (mine / "01_first.ipynb").read_bytes() == content


def test_a_copy_by_hand_is_known_as_long_as_it_is_untouched(shelf, tmp_path, capsys):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "01_first.ipynb").write_bytes((shelf / "01_first.ipynb").read_bytes())
    run("copy", mine)
    assert "01_first" not in capsys.readouterr().out
    worked = edit(mine / "01_first.ipynb", cell("my work"))
    build(shelf / "01_first.ipynb", cell("what is new"))
    run("copy", mine)
    assert "01_first.ipynb: yours" in capsys.readouterr().out
    assert (mine / "01_first.ipynb").read_bytes() == worked


def test_the_originals_are_no_working_copy(shelf, capsys):
    before = {path.name: path.read_bytes() for path in shelf.iterdir()}
    assert run("copy", shelf) == 1
    assert "holds the originals" in capsys.readouterr().err
    assert run("reset", "01", shelf) == 1
    assert "is the original" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in shelf.iterdir()} == before


def test_a_folder_that_is_a_file(shelf, tmp_path, capsys):
    (tmp_path / "mine").write_text("a file")
    assert run("copy", tmp_path / "mine") == 1
    assert "mine" in capsys.readouterr().err
    assert (tmp_path / "mine").read_text() == "a file"


def test_a_reset_keeps_what_was_there_and_forgets_what_was_done(
    shelf, tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("MINIGRAD_PROGRESS")
    run("copy", tmp_path)
    for name in ("01_first", "02_second"):
        done = Progress(name, tmp_path / FILE, pytest.fail)
        done.change(lambda done: done["attempts"].update(x=1))
        done.change(lambda done: done["right"].update(x=True, y=False))
        done.change(lambda done: done["predictions"].update(p={"a": 1}, q={"a": 2}))
    capsys.readouterr()
    for number in (1, 2):
        worked = edit(tmp_path / "01_first.ipynb", cell(f"my work {number}"))
        assert run("reset", "1") == 0
        backup = tmp_path / f"01_first.before_reset_{number}.ipynb"
        told = capsys.readouterr().out
        assert f"{backup.name}: what you had" in told
        assert "01_first.ipynb: as it came" in told
        forgot = "What was done in it counts anew: 1 exercise right, 2 predictions locked"
        assert (forgot in told) == (number == 1)  # then there is nothing left to forget
        assert backup.read_bytes() == worked
        assert json.loads((tmp_path / "01_first.ipynb").read_text())["cells"] == CELLS
    assert [*json.loads((tmp_path / FILE).read_text())["lessons"]] == ["02_second"]


# -------------------------------------------------------------------- without solutions
def code_of(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The lessons that there are, laid without solutions."""
    folder = tmp_path_factory.mktemp("without")
    assert run("copy", folder, "--no-solutions") == 0
    return folder


def test_without_solutions_no_cell_opens_one_and_no_word_speaks_of_it(without):
    for original in shelf_of_lessons():
        kept = code_of(without / original.name)
        cells = [c for c in code_of(original) if not c.startswith("solution(")]
        assert len(code_of(original)) - len(cells) in (0, *range(3, 10))
        assert kept[0].startswith(cells[0])
        assert kept[1:] == cells[1:]
        text = (without / original.name).read_text(encoding="utf-8")
        assert "folded" not in text
        assert "Your own code stays" not in text
    assert code_of(without / "gallery.ipynb") == code_of(shelf_of_lessons()[-1])


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_without_solutions_the_lesson_opens_none(lesson, without, monkeypatch):
    shown = []
    monkeypatch.setattr(lesson_module, "display", shown.append)
    monkeypatch.setattr(lesson, "done", Progress(lesson.name, None, shown.append))
    monkeypatch.setattr(lesson, "solutions_open", True)  # and so again after the test
    with np.errstate():  # lessons set it for themselves
        exec(code_of(without / f"{lesson.name}.ipynb")[0], {})
    for name, exercise in lesson.exercises.items():
        _, mistake = exercise.known_mistakes()[0]
        lesson.check(name, *mistake)
        for _ in exercise.hints:
            lesson.hint(name)
        lesson.solution(name)
        lesson.solution(name, now=True)
        text = "\n".join(map(repr, shown))
        assert exercise.solution not in text
        assert text.count("This copy of the lesson came without solutions.") == 2
        assert f'Stuck? `hint("{name}")` helps.' in text
        assert text.count("That was the last hint.") == 1
        assert "folded" not in text
        shown.clear()


def test_copies_without_solutions_stay_so(tmp_path, capsys):
    """An update gives none back, and neither does a reset; asked for later, they go."""
    mine = tmp_path / "mine"
    for arguments, done in (
        (["copy", mine], f"{SECOND}: new"),
        (["copy", mine, "--no-solutions"], f"{SECOND}: updated"),
        (["copy", mine], f"{mine}: up to date"),
        (["reset", "2", mine], f"{SECOND}: as it came"),
        (["copy", mine], f"{mine}: up to date"),
    ):
        assert run(*arguments) == 0
        assert done in capsys.readouterr().out
        found = any(code.startswith("solution(") for code in code_of(mine / SECOND))
        assert found == (done == f"{SECOND}: new")


def test_a_solved_copy_without_solutions_is_graded(without, tmp_path):
    content = json.loads((without / SECOND).read_text(encoding="utf-8"))
    name = "multiply_rule"
    for each in content["cells"]:
        begin = f'\ncheck("{name}"'
        answer = LESSON.exercises[name].solution
        each["source"] = "".join(each["source"]).replace(begin, f"\n{answer}\n{begin}")
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "handed_in" / SECOND).write_text(json.dumps(content), encoding="utf-8")
    assert run("grade", tmp_path / "handed_in", "--out", tmp_path / "grades.csv") == 0
    table = (tmp_path / "grades.csv").read_text(encoding="utf-8")
    assert f"{LESSON.name},{name},right" in table
    assert table.count(",todo,") == len(LESSON.exercises) - 1


# ---------------------------------------------------------- where, and of what
def test_a_reset_of_what_is_not_there_says_where_it_is(shelf, tmp_path, capsys):
    """In the project's folder, where README's commands are typed: nothing is written there."""
    run("copy", tmp_path / "mine")
    edit(tmp_path / "mine" / "02_second.ipynb", cell("my work"))
    before = sorted(tmp_path.rglob("*"))
    assert run("reset", "02") == 1
    told = capsys.readouterr().err
    assert f"there is no 02_second.ipynb in {tmp_path.resolve()}" in told
    assert sorted(tmp_path.rglob("*")) == before
    (line,) = re.findall(r"There is one in a folder below: (.*)", told)
    words = shlex.split(line)
    assert words[:3] == [sys.executable, "-m", "minigrad_widgets.lesson"]
    assert run(*words[3:]) == 0
    assert (tmp_path / "mine" / "02_second.before_reset_1.ipynb").exists()


def test_a_reset_where_no_copy_is_says_how_one_is_laid(shelf, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    assert run("reset", "02", "mine") == 1
    told = capsys.readouterr().err
    assert [*(tmp_path / "mine").iterdir()] == []
    assert told.strip().endswith(shelf_module.typed("copy", (tmp_path / "mine").resolve()))


def test_a_lesson_tells_the_line_that_resets_it_here(tmp_path):
    """Typed in another folder, in a shell, with no environment activated."""
    mine = tmp_path / "my lessons"
    assert run("copy", mine) == 0
    edit(mine / SECOND, cell("my work"))
    line = shelf_module.anew(LESSON.name, mine)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(line, shell=True, cwd=elsewhere, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "my work" not in (mine / SECOND).read_text(encoding="utf-8")
    assert [*elsewhere.iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="no shell there reads ~")
def test_the_home_folder_is_told_short(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a b").mkdir()
    line = shelf_module.typed("copy", tmp_path / "a b" / "mine")
    assert line.endswith(" ~/'a b/mine'")
    assert subprocess.run(line, shell=True, cwd="/", capture_output=True).returncode == 0
    assert (tmp_path / "a b" / "mine" / SECOND).exists()


def test_where_the_originals_lie_a_lesson_tells_the_line_for_a_copy(shelf, tmp_path):
    line = shelf_module.anew("02_second", shelf)
    assert line == shelf_module.typed("copy", tmp_path / "my_lessons")


def test_a_solved_original_is_never_handed_out(shelf, tmp_path, capsys):
    """Neither by a copy, which lays the others, nor by an update, nor by a reset."""
    mine = tmp_path / "mine"
    run("copy", mine)
    before = (mine / "01_first.ipynb").read_bytes()
    edit(shelf / "01_first.ipynb", cell("an answer"))
    capsys.readouterr()
    for folder in (mine, tmp_path / "another"):
        assert run("copy", folder) == 0
        told = capsys.readouterr().out
        assert "01_first.ipynb: left alone, for its original has been written in" in told
    assert run("reset", "01", mine) == 1
    assert f"git -C {shelf} checkout 01_first.ipynb" in capsys.readouterr().err
    assert (mine / "01_first.ipynb").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "another").iterdir()) == [
        "02_second.ipynb",
        "gallery.ipynb",
    ]


def test_every_original_carries_its_mark():
    for original in shelf_of_lessons():
        marked, now = shelf_module.prints(original)
        assert marked == now is not None, original.name


def test_copies_have_outputs_and_no_number_of_a_run(tmp_path):
    """So a student sees which cells were run."""
    run("copy", tmp_path)
    number = re.compile(r'"execution_count": (\d+)')
    assert number.search((shelf_of_lessons()[0]).read_text(encoding="utf-8"))
    for original in shelf_of_lessons():
        text = (tmp_path / original.name).read_text(encoding="utf-8")
        assert not number.search(text)
        assert '"image/svg+xml"' in text


def test_copies_are_trusted_and_a_strangers_file_is_not(shelf, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    edited = tmp_path / "edited"
    run("copy", edited)
    edit(edited / "01_first.ipynb", cell("a stranger's"))
    (mine / "01_first.ipynb").write_bytes((edited / "01_first.ipynb").read_bytes())
    run("copy", mine)
    notary = NotebookNotary()
    trusted = {
        path.name: notary.check_signature(nbformat.read(path, as_version=4))
        for path in mine.iterdir()
    }
    notary.store.close()
    assert trusted == {"01_first.ipynb": False, "02_second.ipynb": True, "gallery.ipynb": True}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["reset", "7"], "there is no lesson '7'; there are 01, 02"),
        (["reset", "gallery"], "there is no lesson 'gallery'"),
        (["reset", "01", "nowhere"], "there is no folder nowhere"),
        (["grade", "nowhere"], "there is no notebook (*.ipynb) in nowhere"),
    ],
)
def test_what_cannot_be_done_is_told(shelf, tmp_path, capsys, arguments, told):
    assert run(*arguments) == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "grades.csv").exists()
