"""Change the engine on purpose, one place at a time, and see which changes no test notices.

    python tests/mutants.py minigrad/tape.py minigrad/rules/*.py

A sign is turned, a term dropped, operands swapped, a comparison loosened, a number or a flag
changed. A change that no test notices is a test that is missing, or computes the same; those that
compute the same are listed with their reasons in ``tests/data/equal_mutants.txt``.

Tests are collected once. A first run notes which tests come by each line; then each change is made
in a fork of this process, by giving the functions that hold it their changed code, and only the
tests that come by it are run, quickest first, until one fails. What is changed outside functions
(a default, a constant of the module) is run in a process of its own, with the changed module.
"""

import argparse
import ast
import copy
import gc
import importlib.abc
import importlib.util
import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import coverage
import pytest

ROOT = Path(__file__).parents[1]
EQUAL = ROOT / "tests" / "data" / "equal_mutants.txt"
TESTS = ["tests", "--ignore=tests/browser", "--ignore=tests/lessons", "--ignore=tests/widgets"]
OPTIONS = ["-q", "-p", "no:cacheprovider", "-o", "addopts="]
BROKEN = 70  # how a fork ends when the run itself failed, which says nothing of the change
LONGEST = 300  # seconds that the tests of one change may take; past it the change has made a loop

OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
# Operands of these may be swapped: the answer is the same.
COMMUTATIVE = {
    "equal", "logaddexp", "logical_and", "logical_or", "max", "maximum", "meet", "min", "minimum",
    "multiply", "not_equal",
}  # fmt: skip


def replacements(node):
    """What may stand in the place of an expression, each with words for it."""
    match node:
        case ast.BinOp(left, op, right):
            if isinstance(left, ast.Constant) and isinstance(left.value, str):
                return
            if type(op) in OTHER:
                yield "other operator", ast.BinOp(left, OTHER[type(op)](), right)
            yield "right dropped", left
            yield "left dropped", right
            if not isinstance(op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
                yield "swapped", ast.BinOp(right, op, left)
        case ast.UnaryOp(ast.USub() | ast.Not() | ast.Invert(), operand):
            yield "sign dropped", operand
        case ast.Compare(left, [op], right):
            yield "other comparison", ast.Compare(left, [OTHER[type(op)]()], right)
        case ast.BoolOp(op, values):
            yield "other connective", ast.BoolOp(OTHER[type(op)](), values)
        case ast.IfExp(test, body, orelse):
            yield "branches swapped", ast.IfExp(test, orelse, body)
        case ast.Call(ast.Attribute() | ast.Name(), [first, second], []):
            name = ast.unparse(node.func).split(".")[-1]
            plain = name not in COMMUTATIVE | {"isinstance", "hasattr", "getattr"}
            if plain and ast.unparse(first) != ast.unparse(second):
                yield "arguments swapped", ast.Call(node.func, [second, first], [])
        case ast.Constant(bool(value)):
            yield "flag turned", ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield "one more", ast.Constant(value + 1)


def places(tree):
    """Every expression that runs, with what puts another in its place."""
    # What is read off a thing that has no such attribute may be anything that is no dtype.
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "getattr":
        return
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        if isinstance(tree, ast.keyword) and tree.arg in ("copy", "optimize", "strict"):
            continue  # they say how, and not what; strict=True is there to find faults
        for i, node in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(node, ast.expr):
                put = partial(value.__setitem__, i) if isinstance(value, list) else None
                yield node, put or partial(setattr, tree, field)
            if isinstance(node, ast.AST):
                yield from places(node)


class Mutant(NamedTuple):
    """A change: words for it, the lines where it stands, and the changed code of the module."""

    words: str
    lines: range
    code: CodeType
    default: bool  # of an argument: functions that are there have theirs already


def mutants(path):
    """Each change to a file."""
    source = Path(path).read_text()
    tree, lines = ast.parse(source, path), source.splitlines()
    heads = [a for a in ast.walk(tree) if isinstance(a, ast.arguments)]
    defaults = [d for a in heads for d in (*a.defaults, *a.kw_defaults) if d is not None]
    seen: Counter = Counter()
    in_defaults = {part for d in defaults for part in ast.walk(d)}
    for node, put in list(places(tree)):
        first, last = node.lineno, node.end_lineno
        place = f"{ast.unparse(node)} | {lines[first - 1].strip()}"
        for words, other in list(replacements(node)):
            other = ast.copy_location(copy.deepcopy(other), node)  # its parts stay where they were
            put(ast.fix_missing_locations(other))
            code = compile(tree, str(ROOT / path), "exec")  # by its place the engine knows its own
            text = f"{path}: {words}: {place}"
            seen[text] += 1
            text += f" #{seen[text]}" if seen[text] > 1 else ""
            yield Mutant(text, range(first, last + 1), code, node in in_defaults)
            put(node)


def changed(old, new):
    """The pairs of code, old and new, of functions that differ; None if it takes a new module."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if len(inner[0]) != len(inner[1]):
        return None
    function = old.co_flags & inspect.CO_OPTIMIZED
    if not function and _own(old) != _own(new):
        return None
    if len(old.co_freevars) != len(new.co_freevars):  # no function that is there can take it
        return None
    found = [(old, new)] if function else []
    for a, b in zip(*inner, strict=True):
        if a != b and (pairs := changed(a, b)) is None:
            return None
        if a != b:
            found += pairs
    return found


def _own(code):
    """What a piece of code does itself, without the functions in it."""
    constants = [(type(c), c) for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_code, constants, code.co_names


class Mutants:
    """A pytest plugin that runs the tests of each change in place of the tests."""

    def __init__(self, files, share, notes, report):
        self.files, self.share, self.notes, self.report = files, share, Path(notes), report
        self.failed = False
        self.equal = {line.strip() for line in EQUAL.read_text().splitlines()}

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def pytest_runtestloop(self, session):
        self.plugins = session.config.pluginmanager
        self.items = {item.nodeid: item for item in session.items}
        sources = {f: Path(f).read_text() for f in self.files}
        notes = json.loads(self.notes.read_text()) if self.notes.exists() else {}
        if notes.get("sources") != sources:  # lines have moved
            if self.in_fork(self.note_lines, sources, longest=None):
                raise RuntimeError("the lines that tests come by could not be noted")
            notes = json.loads(self.notes.read_text())
        for test in notes["failed"]:
            print(f"# fails without a change, and is left out: {test}", file=self.report)
        self.seconds, self.passed_by = notes["seconds"], notes["lines"]
        for path in self.files:
            tried = equal = lived = 0
            original = compile(Path(path).read_text(), path, "exec")
            every = list(mutants(path))
            for words in self.equal - {m.words for m in every}:
                if words.startswith(f"{path}: "):
                    print(f"listed, but no such change: {words}", file=self.report, flush=True)
            for mutant in every[self.share[0] :: self.share[1]]:
                tried += 1
                listed, noticed = mutant.words in self.equal, self.noticed(path, original, mutant)
                equal += listed
                if noticed is None:
                    print(
                        f"not tried, the run failed: {mutant.words}", file=self.report, flush=True
                    )
                elif listed == noticed:
                    lived += not noticed
                    wrong = "listed as equal, but noticed: " * noticed
                    print(wrong + mutant.words, file=self.report, flush=True)
            print(f"# {path}: of {tried} changes {equal} are listed as equal, and {lived} were not "
                  "noticed", file=self.report, flush=True)  # fmt: skip
        return True

    def noticed(self, path, original, mutant):
        """Whether a test fails on the change; None if the run itself failed."""
        pairs = None if mutant.default else changed(original, mutant.code)
        tests = {t for n in mutant.lines for t in self.passed_by[path].get(str(n), ())}
        if pairs is None or not tests:  # it runs when the module is loaded
            return self.alone(path, mutant.code)
        tests = sorted(tests & self.seconds.keys(), key=self.seconds.__getitem__)
        if (answer := self.in_fork(self.run_changed, pairs, tests)) == BROKEN:
            return None
        return answer != 0

    def run_changed(self, pairs, tests):
        live = defaultdict(list)
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                live[thing.__code__].append(thing)
        for old, new in pairs:
            for function in live[old]:
                function.__code__ = new
        return self.run([self.items[t] for t in tests])

    def run(self, items):
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return 1
        return 0

    def note_lines(self, sources):
        files = [str(ROOT / f) for f in self.files]
        watched = coverage.Coverage(data_file=None, config_file=False, include=files)
        watched.start()
        seconds, failed = {}, []
        items = list(self.items.values())
        for item, following in zip(items, [*items[1:], None], strict=True):
            watched.switch_context(item.nodeid)
            started = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                failed.append(item.nodeid)
                self.failed = False
            else:
                seconds[item.nodeid] = time.perf_counter() - started
        watched.stop()
        data = watched.get_data()
        lines = {
            f: {n: c for n, c in data.contexts_by_lineno(str(ROOT / f)).items() if any(c)}
            for f in self.files
        }
        notes = {"sources": sources, "seconds": seconds, "failed": failed, "lines": lines}
        self.notes.write_text(json.dumps(notes))
        return 0

    def in_fork(self, work, *arguments, longest=LONGEST):
        """What work answered in a fork of this process; -1 when it took too long."""
        child = os.fork()
        if not child:
            self.plugins.unregister(name="terminalreporter")
            code = BROKEN
            try:
                code = work(*arguments)
            finally:
                os._exit(code)
        began = time.monotonic()
        while longest is None or time.monotonic() - began < longest:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return -1

    def alone(self, path, code):
        """Whether a test fails in a process that loads the changed module."""
        import marshal

        kept = self.notes.with_suffix(f".{self.share[0]}.code")
        kept.write_bytes(marshal.dumps(code))
        lists = [["tests/rules", "tests/test_vmap.py", "tests/test_tape.py", "tests/ops"], TESTS]
        for tests in lists:
            command = [sys.executable, __file__, "--changed", path, str(kept), *tests]
            if subprocess.run(command, cwd=ROOT, capture_output=True).returncode:
                return True
        return False


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An importer that gives one module its changed code."""

    def __init__(self, path, code):
        self.name, self.path, self.code = path[:-3].replace("/", "."), path, code

    def find_spec(self, name, path, target=None):
        if name == self.name:
            return importlib.util.spec_from_loader(name, self, origin=str(ROOT / self.path))
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = str(ROOT / self.path)
        exec(self.code, vars(module))


def main():
    if sys.argv[1] == "--changed":
        import marshal

        path, kept, *tests = sys.argv[2:]
        sys.meta_path.insert(0, Changed(path, marshal.loads(Path(kept).read_bytes())))
        return pytest.main(["-x", *OPTIONS, *tests])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--share", default="0/1", help="K/N: the K-th of N shares of the changes")
    notes = Path(tempfile.gettempdir()) / "minigrad_lines.json"
    parser.add_argument("--notes", default=notes, help="which test comes by which line, kept")
    options = parser.parse_args()
    share = tuple(int(n) for n in options.share.split("/"))
    report = os.fdopen(os.dup(1), "w")
    plugin = Mutants(options.files, share, options.notes, report)
    return pytest.main([*OPTIONS, *TESTS], plugins=[plugin])


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ["CI"] = "true"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
