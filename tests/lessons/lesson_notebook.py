"""The notebook of a lesson, for tests: what stands in it, and how a student's kernel runs it."""

import importlib.util
import linecache
from pathlib import Path
from unittest import mock

import nbformat

from minigrad_widgets.lesson import Lesson, Note
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson.progress import Progress

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("build", ROOT / "lessons" / "source" / "build.py")
build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build)


class LessonNotebook:
    """The saved notebook of a lesson, and what it shows to a student who runs it."""

    def __init__(self, lesson: Lesson):
        self.lesson = lesson
        self.source = build.SOURCES / f"{lesson.name}.py"
        self.content = nbformat.read(build.notebook_of(self.source), as_version=4)
        self.code = [cell for cell in self.content.cells if cell.cell_type == "code"]

    def cell_with(self, part: str) -> nbformat.NotebookNode:
        (cell,) = [cell for cell in self.code if part in cell.source]
        return cell

    def run(self, *changes: tuple[str, str], solved: bool = False) -> tuple[dict, list]:
        """Run the code cells, changed so; what they define, and what the lesson displays.

        `solved` puts the solution of each exercise before its check.
        """
        shown, space = [], {}
        progress = Progress(self.lesson.name, None, shown.append)
        with (
            mock.patch.object(lesson_module, "display", shown.append),
            mock.patch.object(self.lesson, "done", progress),
        ):
            for number, cell in enumerate(self.code):
                source = cell.source
                for old, new in changes:
                    source = source.replace(old, new)
                for name, exercise in self.lesson.exercises.items() if solved else ():
                    source = source.replace(f'\ncheck("{name}"', f"\n{exercise.solution}\n\\g")
                    source = source.replace("\\g", f'check("{name}"')
                file = f"<{self.lesson.name}, cell {number}>"  # a stepper shows its lines
                linecache.cache[file] = len(source), None, source.splitlines(True), file
                exec(compile(source, file, "exec"), space)
        return space, shown


def printed(cell: nbformat.NotebookNode) -> str:
    """All that a code cell shows: its source, and its outputs as text."""
    texts = [o.get("text", "") or o["data"].get("text/plain", "") for o in cell.get("outputs", ())]
    return "\n".join([cell.source, *texts]).replace(",", "")


def statuses(shown: list) -> list[str]:
    return [thing.status for thing in shown if isinstance(thing, Note)]
