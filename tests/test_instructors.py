"""The instructor's page: its commands run, one after another, and do what it says."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from traitlets.config import Config

from minigrad_widgets.lesson.shelf import lessons
from minigrad_widgets.lesson_02 import LESSON

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
SECOND = f"{LESSON.name}.ipynb"
BASH = shutil.which("bash")  # with its path, for Windows would take one of its own
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash to type the commands into")


def blocks(language, heading):
    """The code of one language below a heading."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def run(commands, folder, **environment):
    """What the commands print, as a student or an instructor types them."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [BASH, "-euc", commands],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def solve(path, *names):
    """Write the solutions of exercises of lesson 2 into a copy, as a student does."""
    content = json.loads(path.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        for name in names:
            begin = f'\ncheck("{name}"'
            answer = f"\n{LESSON.exercises[name].solution}\n{begin}"
            cell["source"] = "".join(cell["source"]).replace(begin, answer)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_every_block_is_run_or_is_an_address():
    """So a command that is added to the page is run by a test."""
    languages = re.findall(r"^```(\w+)$", PAGE, re.MULTILINE)
    assert languages == ["sh", "text", "python", *["sh"] * 5, "python", "python", "python", "sh"]
    (address,) = blocks("text", "Where students work")
    assert address.startswith("https://mybinder.org/v2/gh/OWNER/NAME/HEAD?urlpath=lab/tree/my_")


def test_binder_lays_what_its_address_opens(tmp_path):
    (address,) = blocks("text", "Where students work")
    run((ROOT / "postBuild").read_text(encoding="utf-8"), tmp_path)
    assert (tmp_path / address.split("lab/tree/")[1].strip()).exists()
    assert os.name == "nt" or os.access(ROOT / "postBuild", os.X_OK)


@pytest.mark.skipif(find_spec("pip") is None, reason="uv made this environment, without pip")
def test_it_installs_from_a_checkout(tmp_path):
    """The dependencies are left alone: a test has no network."""
    (install,) = blocks("sh", "Where students work")
    for name in ("minigrad", "widgets", "lessons"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    offline = " --no-deps --no-build-isolation --no-index --quiet --target installed"
    run(install.strip() + offline, tmp_path)
    copied = blocks("sh", "How students get their copy")[0]
    told = run(copied, tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    assert f"{SECOND}: new" in told


def test_the_setting_names_a_hook():
    (settings,) = blocks("python", "Where students work")
    config = Config()
    exec(settings, {"c": config})
    module, name = config.ContentsManager.pre_save_hook.rsplit(".", 1)
    assert callable(getattr(import_module(module), name))


def test_a_class_from_the_first_copy_to_its_grades(tmp_path):
    copy, reset = blocks("sh", "How students get their copy")
    collect, grade = blocks("sh", "Collecting and grading")
    (points,) = blocks("python", "Collecting and grading")
    for student in ("ada", "ben"):
        home = tmp_path / "homes" / student
        home.mkdir(parents=True)
        run(copy, home)
        for path in (home / "my_lessons").glob("*.ipynb"):
            if path.name != SECOND:  # the others are graded in tests of their own
                path.unlink()
    solve(tmp_path / "homes" / "ada" / "my_lessons" / SECOND, *LESSON.exercises)
    solve(tmp_path / "homes" / "ben" / "my_lessons" / SECOND, "multiply_rule")
    run(collect, tmp_path, HOMES=str(tmp_path / "homes"))
    run(grade, tmp_path)
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    columns = re.findall(r"^\| (`\w+`.*?) \|", PAGE, re.MULTILINE)
    assert [*rows[0]] == re.findall(r"`(\w+)`", " ".join(columns))
    assert len(rows) == 2 * len(LESSON.exercises)
    (known,) = re.findall(r"^\| `status` \| (.*) \|$", PAGE, re.MULTILINE)
    assert {row["status"] for row in rows} == {"right", "todo"} <= {*re.findall("`(.+?)`", known)}
    (tmp_path / "points.py").write_text(points, encoding="utf-8")
    assert run("python points.py", tmp_path).split() == [
        "ada",
        str(len(LESSON.exercises)),
        "ben",
        "1",
    ]
    told = run(reset, tmp_path / "homes" / "ada")
    assert "before_reset_1.ipynb: what you had" in told


def test_copies_without_solutions(tmp_path):
    (copy,) = blocks("sh", "Without solutions")
    run(copy, tmp_path)
    text = (tmp_path / "class_lessons" / SECOND).read_text(encoding="utf-8")
    assert "check(" in text
    assert "solution(\\" not in text
    for lesson in lessons():
        assert (tmp_path / "class_lessons" / f"{lesson.name}.ipynb").exists()


def test_a_lesson_is_added(tmp_path):
    """In a copy of the project: its notebook is built, its mistakes are told, it is graded."""
    litter = shutil.ignore_patterns("__pycache__", "*.ipynb")
    places = {"minigrad": "minigrad", "widgets": "minigrad_widgets", "lessons": "lessons"}
    for name, place in places.items():  # as they are found once they are installed
        shutil.copytree(ROOT / name, tmp_path / place, ignore=litter)
    heading = "Adding a lesson"
    names = re.findall(r"^`([\w/]+\.py)`:$", PAGE, re.MULTILINE)
    for name, code in zip(names, blocks("python", heading), strict=True):
        top, _, rest = name.partition("/")
        (tmp_path / places[top] / rest).write_text(code, encoding="utf-8")
    here = {"PYTHONPATH": str(tmp_path)}
    (build,) = blocks("sh", heading)
    assert "built 12_means.ipynb" in run(build, tmp_path, **here)
    notebook = tmp_path / "lessons" / "12_means.ipynb"
    assert "Not done yet" in notebook.read_text(encoding="utf-8")
    use = """python -c '
from minigrad_widgets.lesson_12 import LESSON
exercise = LESSON.exercises["mean"]
assert exercise.judge_solution().status == "right"
for told, answer in exercise.known_mistakes():
    assert told in repr(exercise.judge(*answer)), told
LESSON.predict("share", x=0.25)
LESSON.reveal("share", lambda x: (x + 2.0 + 3.0 + 6.0) / 4.0, 5.0)
'"""
    assert "Just as you said" in run(use, tmp_path, **here)
    (tmp_path / "handed_in").mkdir()
    shutil.copy(notebook, tmp_path / "handed_in")
    run("python -m minigrad_widgets.lesson grade handed_in", tmp_path, **here)
    assert "12_means,mean,todo" in (tmp_path / "grades.csv").read_text(encoding="utf-8")
