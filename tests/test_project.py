"""What holds the project together.

One version, each dependency with its reason, commands that exist, one list of packages for pip and
conda, and no trace of the machine that it was made on.
"""

import ast
import importlib.metadata
import io
import re
import runpy
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest
import yaml

import minigrad

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]

TOP_LEVEL = {
    *("minigrad", "widgets", "lessons", "tests", "benchmarks", "docs", ".ci", ".github"),
    *(
        "pyproject.toml",
        "environment.yml",
        "postBuild",
        "Makefile",
        ".pre-commit-config.yaml",
        ".gitignore",
        ".gitattributes",
    ),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
}
CONDA_NAMES = {"graphviz": "python-graphviz"}  # conda-forge's `graphviz` is the program `dot`
CONDA_ONLY = {
    "pip",
    "graphviz",
}  # pip installs minigrad itself; `dot` draws where graphviz-pure does not
FROM_PIP = {
    "axe-playwright-python",
    "graphviz-pure",
    "playwright",
    "resvg-py",
}  # conda-forge does not carry them; `pip: --editable .` brings them


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def split(requirement):
    """`numpy>=2` as ("numpy", ">=2")."""
    name, bounds = re.fullmatch(r"([\w.-]+)\s*(.*)", requirement).groups()
    return name, bounds


def requirements():
    """Every dependency as (extra or "core", name, bounds), but for extras made of extras."""
    groups = {"core": PROJECT["dependencies"], **EXTRAS}
    return [
        (group, *split(r))
        for group, rs in groups.items()
        for r in rs
        if not r.startswith(PROJECT["name"])
    ]


@pytest.fixture(scope="module")
def files():
    """The files that a commit would hold."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so which files belong to the project is unknown")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout
    return [name for name in names.split("\0") if name and (ROOT / name).is_file()]


def test_version_is_in_one_place():
    assert "version" not in PROJECT
    assert PYPROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "minigrad.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", minigrad.__version__)


def test_changelog_begins_with_this_version():
    newest = re.search(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
    assert newest.group(1) == minigrad.__version__


def test_licence_is_apache():
    licence = text("LICENSE")
    assert PROJECT["license"] == "Apache-2.0"
    assert licence.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    for section in (*(f"{n}. " for n in range(1, 10)), "END OF TERMS AND CONDITIONS"):
        assert f"\n   {section}" in licence


def test_every_package_is_installed():
    packages = {"minigrad_widgets.notebooks"}  # not code: the lessons, ready to be copied
    for top, name in (("minigrad", "minigrad"), ("widgets", "minigrad_widgets")):
        for folder in {path.parent for path in (ROOT / top).rglob("*.py")}:
            packages.add(".".join([name, *folder.relative_to(ROOT / top).parts]))
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == packages


def test_every_dependency_has_its_reason():
    table = re.findall(
        r"^\| `([\w.-]+)` \| (\w+) \| (.+) \|$", text("CONTRIBUTING.md"), re.MULTILINE
    )
    assert sorted((group, name) for name, group, _ in table) == sorted(
        (group, name) for group, name, _ in requirements()
    )
    for name, _, reason in table:
        assert len(reason.split()) >= 4, f"{name}: a reason, not a word"


def test_every_import_is_of_a_core_dependency():
    """A bare pip install must do, and the environment of the tests holds more than that."""
    given = {"minigrad", "minigrad_widgets", *sys.stdlib_module_names}
    owners = importlib.metadata.packages_distributions()
    needed = set()
    for path in (*(ROOT / "minigrad").rglob("*.py"), *(ROOT / "widgets").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                needed |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                needed.add(node.module.split(".")[0])
    found = {owner.replace("_", "-") for module in needed - given for owner in owners[module]}
    assert {"numpy", "anywidget"} <= found <= {split(r)[0] for r in PROJECT["dependencies"]}


def test_the_engine_imports_no_widget():
    for path in (ROOT / "minigrad").rglob("*.py"):
        assert not re.search(
            r"^\s*(from|import) (minigrad_)?widgets", path.read_text("utf-8"), re.M
        )


def test_conda_installs_the_same():
    environment = yaml.safe_load(text("environment.yml"))
    assert environment["channels"][0] == "conda-forge"
    *conda, pip = environment["dependencies"]
    assert pip == {"pip": ["--editable .[lab,test]"]}
    conda = dict(map(split, conda))
    assert conda.pop("python") == PROJECT["requires-python"]
    wanted = {
        CONDA_NAMES.get(name, name): bounds
        for group, name, bounds in requirements()
        if group in {"core", "lab", "test"} and name not in FROM_PIP
    }
    assert {name: bounds for name, bounds in conda.items() if name not in CONDA_ONLY} == wanted


def test_dev_is_everything():
    (everything,) = EXTRAS["dev"]
    name, extras = re.fullmatch(r"([\w-]+)\[([\w,]+)\]", everything).groups()
    assert name == PROJECT["name"]
    assert set(extras.split(",")) == set(EXTRAS) - {"dev"}


def test_readme_begins_with_the_two_commands():
    code = re.search(r"```\w*\n(.*?)```", text("README.md"), re.DOTALL).group(1)
    assert re.findall(r"^make \w+", code, re.MULTILINE) == ["make lab", "make test"]


def test_readme_example_runs(tmp_path):
    example = "\n".join(re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL))
    file = tmp_path / "example.py"  # a file, since the widgets show source lines
    file.write_text(example, encoding="utf-8")
    names = runpy.run_path(str(file))
    assert {"loss", "show_graph", "step_backward"} <= set(names)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_commands_in_pages_exist(page):
    targets = re.findall(r"^(\w+):", text("Makefile"), re.MULTILINE)
    commands = re.findall(r"(?:^|`)make (\w+)", text(page), re.MULTILINE)
    assert commands
    assert set(commands) <= set(targets)
    for extras in re.findall(r"\.\[([\w,]+)\]", text(page)):
        assert set(extras.split(",")) <= set(EXTRAS)


def test_make_lab_and_its_stand_in_lay_a_copy_and_open_it():
    """Never an original: answers would change what is handed out as fresh."""
    makefile, pages = text("Makefile"), (text("README.md"), text("environment.yml"))
    (opened,) = re.findall(r"^LESSON \?= (.*)", makefile, re.MULTILINE)
    folder, name = opened.split("/")
    assert (ROOT / "lessons" / name).exists()
    target = makefile.split("\nlab:")[1].split("\n\n")[0]
    for commands in (target.replace("$(LESSON)", opened), *pages):
        lay = commands.index(f"-m minigrad_widgets.lesson copy {folder}")
        assert re.search(rf"jupyter ?lab .*\b{re.escape(opened)}", commands[lay:])
        assert not re.search(r"jupyter ?lab .* lessons/", commands)


def test_what_the_commands_lay_is_not_committed(files):
    pages = text("README.md") + text("docs/instructors.md")
    laid = set(re.findall(r"lesson (?:copy|grade) (\w+)", pages))
    laid |= set(re.findall(r"--out ([\w.]+)", pages))
    assert {"my_lessons", "handed_in", "grades.csv"} <= laid
    asked = [f"{name}/any" if "." not in name else name for name in sorted(laid)]
    command = ["git", "check-ignore", *asked]
    ignored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert ignored.split() == asked


def test_make_targets_are_explained_and_phony():
    makefile = text("Makefile")
    targets = re.findall(r"^([a-z]+):", makefile, re.MULTILINE)
    assert re.findall(r"^([a-z]+):.*## \w", makefile, re.MULTILINE) == targets
    assert re.search(r"^\.PHONY: (.*)", makefile, re.MULTILINE).group(1).split() == targets


def test_ci_runs_make_test_on_every_system_and_python():
    workflow = yaml.safe_load(text(".github/workflows/test.yml"))
    job = workflow["jobs"]["test"]
    matrix = job["strategy"]["matrix"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == pythons
    assert f">={pythons[0]}" == PROJECT["requires-python"]
    assert [name.split("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]
    assert text(".ci/run").splitlines()[-1] == "make test"


def test_only_what_belongs_is_at_the_top(files):
    assert {name.split("/")[0] for name in files} <= TOP_LEVEL


def test_nothing_that_was_built_is_kept(files):
    built = (".pyc", ".pyo", ".so", ".whl", ".egg-info")
    assert not [name for name in map(str, files) if name.endswith(built)]


def test_nothing_names_a_machine(files):
    path = re.compile(
        r"(?<![\w.:/])/(?:home|root|Users|work|tmp|opt|mnt)/\w|[A-Z]:\\+Users|\bipykernel_\d+"
    )
    found = []
    for name in files:
        try:
            lines = text(name).splitlines()
        except UnicodeDecodeError:  # a picture
            continue
        found += [
            f"{name}:{n}: {line.strip()[:120]}"
            for n, line in enumerate(lines, 1)
            if path.search(line)
        ]
    assert not found


def test_every_rule_set_aside_has_its_reason(files):
    reason = r"\W+(\w+\W+){2}\w+"  # three words at least
    settings = text("pyproject.toml").split("[tool.ruff]")[1].splitlines()
    listed = [s for s in settings if re.match(r'\s*"|ignore_|disable_', s) and not s.endswith("[")]
    bare = [f"pyproject.toml: {s}" for s in listed if not re.search(f"  #{reason}", s)]
    code = r"(noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*|type: ignore\[[\w, -]+\])"
    for name in (name for name in files if name.endswith(".py")):
        for token in tokenize.generate_tokens(io.StringIO(text(name)).readline):
            aside = token.type == tokenize.COMMENT and re.match(
                r"#\s*(noqa|type:\s*ignore)", token.string
            )
            if aside and not re.match(f"# {code}{reason}", token.string):
                bare.append(f"{name}:{token.start[0]}: {token.string}")
    assert listed
    assert not bare
