"""What pip and uv install: the wheel, the sdist, and the wheel made from the sdist."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = """
import sys
from setuptools import build_meta
getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2])
"""


def build(kind, source, target):
    """Build a wheel or sdist as pip would, offline, with the setuptools of this environment."""
    target.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, kind, str(target)], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (built,) = target.iterdir()
    return built


def contents(wheel):
    """The files in a wheel, by name, without those that only describe it."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name
        }


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy to build in, since building leaves folders behind."""
    copy = tmp_path_factory.mktemp("source")
    litter = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*_cache")
    for name in ("minigrad", "widgets", "lessons"):
        shutil.copytree(ROOT / name, copy / name, ignore=litter)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


def test_wheel_holds_both_packages_the_lessons_and_nothing_else(wheel):
    lessons = (ROOT / "lessons").glob("*.ipynb")
    expected = {f"minigrad_widgets/notebooks/{path.name}" for path in lessons}
    assert any(name.endswith("02_a_program_is_a_graph.ipynb") for name in expected)
    for folder, package in (("minigrad", "minigrad"), ("widgets", "minigrad_widgets")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
                expected.add(f"{package}/{path.relative_to(ROOT / folder).as_posix()}")
    assert set(contents(wheel)) == expected
    assert any(name.endswith(".js") for name in expected)


def test_wheel_says_who_it_is(wheel):
    from minigrad import __version__

    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (
            archive.read(n).decode() for n in archive.namelist() if n.endswith("/METADATA")
        )
        licences = [n for n in archive.namelist() if n.endswith("licenses/LICENSE")]
    head = metadata.split("\n\n")[0].splitlines()
    assert f"Version: {__version__}" in head
    assert "Requires-Python: >=3.11" in head
    assert "License-Expression: Apache-2.0" in head
    assert licences


def test_sdist_builds_the_same_wheel(source, wheel, tmp_path):
    sdist = build("sdist", source, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    again = build("wheel", unpacked, tmp_path / "wheel")
    assert contents(again) == contents(wheel)


def test_wheel_imports_from_anywhere(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import minigrad as m, minigrad_widgets as w; print(m.__file__, w.__file__, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    files = done.stdout.splitlines()
    assert len(files) == 2
    assert all(Path(file).is_relative_to(tmp_path) for file in files)


def test_lessons_are_copied_from_the_wheel(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    done = subprocess.run(
        [sys.executable, "-m", "minigrad_widgets.lesson", "copy", "mine"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    laid = {path.name for path in (tmp_path / "mine").iterdir()}
    assert laid == {path.name for path in (ROOT / "lessons").glob("*.ipynb")}
    assert done.stdout.splitlines() == [f"{name}: new" for name in sorted(laid)]
