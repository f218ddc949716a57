"""Grading: what is right gets its marks, nothing else does, and no notebook harms the others."""

import csv
import json
import shutil
import sys

import pytest

from minigrad_widgets.lesson import __main__ as command
from minigrad_widgets.lesson import grade as grade_module
from minigrad_widgets.lesson import grade_one
from minigrad_widgets.lesson.shelf import lessons, notebooks, read
from minigrad_widgets.lesson_02 import LESSON

(ORIGINAL,) = [path for path in notebooks() if path.stem == LESSON.name]
NAMES = [*LESSON.exercises]


def cell(source):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}


def write(path, *cells, **metadata):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"cells": [*cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")


def solved(path, **changes):
    """A lesson whose exercises are solved, but for those that are changed."""
    notebook = read(ORIGINAL)
    for each in notebook["cells"]:
        for name, exercise in LESSON.exercises.items():
            code = "".join(each["source"])
            begin = f'\ncheck("{name}"'
            if begin in code:
                answer = changes.get(name, exercise.solution)
                each["source"] = code.replace(begin, f"\n{answer}\n{begin}")
    write(path, *notebook["cells"])


IMPORTS = cell(
    "import numpy as np\nfrom minigrad import ops\n"
    "from minigrad_widgets.lesson_02 import check, hint, predict, reveal, solution"
)
RIGHT = cell('def exp_rule(g, out):\n    return g * out\n\ncheck("exp_rule", exp_rule)')
CHEAT = """
import builtins, inspect, json, sys
import minigrad_widgets.lesson.gradient as gradient
from minigrad_widgets import lesson, lesson_02
from minigrad_widgets.lesson import compare, exercise, grade_one
from minigrad_widgets.lesson.note import Note

def check(name, *answer):
    print("Right!")

always = lambda *_, **__: Note("right", "Right!")
lesson.Exercise.judge = always
lesson.GradientExercise.judge = lesson.GraphExercise.judge = always
lesson.GradientExercise._judge = lesson.GradientExercise._judge_at = lambda *_: None
lesson_02.LESSON.exercises.update({name: type("Any", (), {"judge": always})()
                                   for name in lesson_02.LESSON.exercises})
gradient._alike = gradient.measure = lambda *_: True
gradient.isinstance = lambda *_: True
np.isclose = np.allclose = np.array_equal = lambda *_, **__: np.True_
builtins.all = lambda *_: True
fake = type(sys)("minigrad_widgets.lesson")
vars(fake).update(vars(lesson))
fake.GradientExercise = type("Any", (lesson.GradientExercise,), {"judge": always})
sys.modules["minigrad_widgets.lesson"] = fake
json.dumps = lambda row: '{"exercise": "multiply_rule", "status": "right"}'
grade_one.Note = lambda *_: Note("right", "Right!")
"""


WRONG = """
def multiply_rule(g, x, y):
    return g, g

def sweep(x, w):
    return x, w

def tangle(a, b, c):
    s = a * b
    t = b + c
    u = ops.exp(t)
    return s * u

arrows = [("a", "s")]
"""


def grade(folder, *options):
    """The rows of the CSV, by (student, file) and exercise."""
    out = folder.parent / "grades.csv"
    assert command.main(["grade", str(folder), "--out", str(out), *options]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    found = {}
    for row in rows:
        found.setdefault((row["student"], row["file"]), {})[row["exercise"]] = row
    return found


def statuses(rows):
    return {name: row["status"] for name, row in rows.items()}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class that hands in all sorts of things, graded at once."""
    top = tmp_path_factory.mktemp("class")
    folder = top / "handed_in"
    solved(folder / "ada" / "week 1" / ORIGINAL.name)
    solved(
        folder / "ben" / "renamed (1).ipynb",
        multiply_rule="def multiply_rule(g, x, y):\n    return y, x",
        arrows="def tangle(a, b, c):\n    return a * b * c\narrows = []",
        exp_rule="def exp_rule(g): return 1 / 0",
    )
    shutil.copy(ORIGINAL, folder)
    (folder / "cai").mkdir()
    (folder / "cai" / "note.ipynb").write_text("I could not save it")
    (folder / "cai" / "list.ipynb").write_text("[1, 2]")
    (folder / "cai" / "deep.ipynb").write_text("[" * 100_000)
    write(folder / "cai" / "other.ipynb", cell("print('another course')"))
    (folder / "cai" / ".ipynb_checkpoints").mkdir()
    solved(folder / "cai" / ".ipynb_checkpoints" / ORIGINAL.name)
    write(folder / "dan" / "cheat.ipynb", IMPORTS, cell(CHEAT), cell(WRONG), RIGHT)
    write(
        folder / "eve" / "raises.ipynb",
        cell("import minigrad_widgets.lesson_02\nraise SystemExit(0)"),
        cell("this is no Python"),
        cell("def multiply_rule(g, x, y):\n    raise SystemExit\n"),
        cell("exit()"),
        cell("import sys; sys.exit(3)"),
        cell("import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"),
        RIGHT,
        cell('nothing_here\ncheck("sweep", sweep)'),
    )
    write(
        folder / "eve" / "writes.ipynb",
        IMPORTS,
        cell(
            "import os, pathlib\n"
            "for place in ('.', os.path.expanduser('~'), os.environ['TMPDIR']):\n"
            "    pathlib.Path(place, 'litter.txt').write_text('litter')\n"
            "shared = sorted(os.environ)\n"
            "print('x' * 10_000_000)"
        ),
        cell('assert "SECRET_TOKEN" not in shared\n' + RIGHT["source"]),
        minigrad={"lesson": LESSON.name},
    )
    write(folder / "=fay" / "ends.ipynb", IMPORTS, cell("import os\nos._exit(0)"), RIGHT)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_TOKEN", "of the instructor")
        patch.chdir(top)
        rows = grade(folder, "--jobs", "2", "--limit", "600")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in top.iterdir()) == ["grades.csv", "handed_in"]
    return rows


def test_what_is_right_gets_its_marks_wherever_it_lies(graded):
    rows = graded["ada/week 1", ORIGINAL.name]
    assert statuses(rows) == dict.fromkeys(NAMES, "right")
    assert {row["lesson"] for row in rows.values()} == {LESSON.name}


def test_each_exercise_is_judged_on_its_own(graded):
    rows = graded["ben", "renamed (1).ipynb"]
    assert statuses(rows) == {
        "multiply_rule": "wrong",
        "exp_rule": "wrong",
        "arrows": "wrong",
        "sweep": "right",
    }
    assert "`g` was forgotten" in rows["multiply_rule"]["message"]
    assert "ZeroDivisionError" in rows["exp_rule"]["message"]
    assert "the program was changed" in rows["arrows"]["message"]


def test_what_is_untouched_is_still_to_do(graded):
    assert statuses(graded["", ORIGINAL.name]) == dict.fromkeys(NAMES, "todo")


def test_what_is_no_lesson_is_one_row(graded):
    """And what Jupyter keeps beside a notebook, in a hidden folder, is none that was handed in."""
    found = {file: row[""]["status"] for (name, file), row in graded.items() if "cai" in name}
    assert found == {
        "note.ipynb": "unreadable",
        "list.ipynb": "unreadable",
        "deep.ipynb": "unreadable",
        "other.ipynb": "no lesson",
    }


def test_each_notebook_has_a_line_and_each_student_a_sum(tmp_path, monkeypatch):
    folder = tmp_path / "handed_in"
    for name in ("ada/1.ipynb", "ada/2.ipynb", "ada/3.ipynb", "ben/1.ipynb", "1.ipynb"):
        write(folder / name, cell(""))

    def rows(path, limit):
        if path.stem == "3" or path.parent.name == "ben":
            message = "JSONDecodeError: Expecting value"
            return [{"lesson": "", "exercise": "", "status": "unreadable", "message": message}]
        right = {"exp_rule": "right", "arrows": "right" if path.stem == "1" else "wrong"}
        told = {"lesson": LESSON.name, "message": ""}
        return [{**told, "exercise": name, "status": status} for name, status in right.items()]

    monkeypatch.setattr(grade_module, "_rows", rows)
    assert [*grade_module.grade(folder, tmp_path / "grades.csv")] == [
        "1.ipynb: 2 of 2 exercises right",
        "ada/1.ipynb: 2 of 2 exercises right",
        "ada/2.ipynb: 1 of 2 exercises right",
        "ada/3.ipynb: nothing to grade: unreadable (JSONDecodeError: Expecting value)",
        "ben/1.ipynb: nothing to grade: unreadable (JSONDecodeError: Expecting value)",
        "In all:",
        "in no folder: 2 of 2 exercises right",
        "ada: 3 of 4 exercises right; nothing to grade in 1 notebook",
        "ben: 0 of 0 exercises right; nothing to grade in 1 notebook",
    ]


def test_no_marks_for_redefining_what_judges(graded):
    rows = graded["dan", "cheat.ipynb"]
    wrong = {"multiply_rule": "wrong", "arrows": "wrong", "sweep": "wrong"}
    assert statuses(rows) == {**wrong, "exp_rule": "right"}


def test_what_stops_spares_the_rest(graded):
    rows = graded["eve", "raises.ipynb"]
    assert statuses(rows) == {
        "multiply_rule": "wrong",
        "exp_rule": "right",
        "arrows": "missing",
        "sweep": "missing",
    }
    assert rows["sweep"]["message"].startswith("its cell stopped with NameError")


def test_it_runs_in_a_folder_of_its_own_and_sees_no_secrets(graded):
    assert graded["eve", "writes.ipynb"]["exp_rule"]["status"] == "right"


def test_what_ends_the_process_is_told(graded):
    rows = graded["'=fay", "ends.ipynb"]  # a spreadsheet would take it for a formula
    assert statuses(rows) == dict.fromkeys(NAMES, "stopped")
    assert rows["sweep"]["message"] == "its process ended before it was judged"


@pytest.mark.skipif(sys.platform == "win32", reason="nothing interrupts a cell on Windows")
def test_what_loops_is_interrupted_and_the_rest_is_judged(tmp_path):
    loop = "def multiply_rule(g, x, y):\n    while True: pass\n"
    write(
        tmp_path / "handed_in" / "loops.ipynb",
        IMPORTS,
        cell("while True: pass"),
        cell("import time; time.sleep(600)"),
        cell(loop + 'check("multiply_rule", multiply_rule)'),
        RIGHT,
    )
    rows = tell(tmp_path / "handed_in" / "loops.ipynb", seconds="1")
    assert rows["multiply_rule"]["status"] == "stopped"
    assert rows["multiply_rule"]["message"] == "took longer than 1 seconds"
    assert rows["exp_rule"]["status"] == "right"


def tell(path, seconds):
    """What the process of one notebook tells, with no limit to the whole."""
    import subprocess

    code = "import sys; from minigrad_widgets.lesson.grade_one import main; main(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), seconds], stdout=subprocess.PIPE, check=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row.get("exercise"): row for row in rows}


def test_what_cannot_be_interrupted_is_ended(tmp_path):
    stubborn = (
        "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n"
        "    except BaseException: pass"
    )
    write(tmp_path / "handed_in" / "stubborn.ipynb", IMPORTS, cell(stubborn))
    rows = grade(tmp_path / "handed_in", "--limit", "3")["", "stubborn.ipynb"]
    assert {row["status"] for row in rows.values()} == {"stopped"}
    assert {row["message"] for row in rows.values()} == {"it took longer than 3 seconds"}


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_is_known_by_its_mark_its_import_or_its_name(lesson):
    number = lesson.name[:2]
    imports = cell(f"from minigrad_widgets.lesson_{number} import check")
    for notebook, stem in (
        ({"cells": [], "metadata": {"minigrad": {"lesson": lesson.name}}}, "mine"),
        ({"cells": [imports], "metadata": {}}, "mine"),
        ({"cells": []}, lesson.name),
    ):
        assert grade_one.lesson_of(notebook, stem) == lesson.name
    assert grade_one.lesson_of({"cells": []}, "mine") == ""


def test_one_exercise_is_asked_for_each_of_a_lesson():
    for lesson in lessons():
        assert [*grade_one._asked(lesson.name)] == [*lesson.exercises]
