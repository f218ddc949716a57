"""Every lesson: its page, what it gives away, and what its exercises say to each answer."""

import ast
import re
from collections import Counter

import nbformat
import pytest
from lesson_notebook import LessonNotebook, build, printed, statuses

from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson.shelf import lessons

LESSONS = {lesson.name: lesson for lesson in lessons()}
EXERCISES = [(name, exercise) for name, lesson in LESSONS.items() for exercise in lesson.exercises]

CAPSTONE = "11_capstone"  # three parts in one: six patients, an engine, a program to read
CAPSTONE_MOST = 1800, 26  # words and code cells


@pytest.fixture(scope="module", params=LESSONS)
def notebook(request):
    return LessonNotebook(LESSONS[request.param])


@pytest.fixture(scope="module")
def untouched(notebook):
    """What a reader sees who runs every cell and changes none."""
    _, shown = notebook.run()
    return shown


# ---------------------------------------------------------------------------- the page
def test_every_lesson_has_its_source_its_notebook_and_its_module():
    sources = {path.stem for path in build.sources()} - {"gallery"}
    notebooks = {path.stem for path in build.LESSONS.glob("*.ipynb")} - {"gallery"}
    assert sources == notebooks == set(LESSONS)


def test_source_and_notebook_agree(notebook):
    assert build.difference(notebook.source) == ""


@pytest.mark.parametrize("key", ["source", "cell_type", "id", "metadata"])
def test_a_cell_that_differs_is_named(tmp_path, monkeypatch, key):
    notebook = LessonNotebook(next(iter(LESSONS.values())))
    changed = nbformat.from_dict(notebook.content)
    old = changed.cells[3][key]
    changed.cells[3][key] = {"tags": ["x"]} if key == "metadata" else f"other{old}"
    target = tmp_path / notebook.source.with_suffix(".ipynb").name
    target.write_text(nbformat.writes(changed), encoding="utf-8")
    monkeypatch.setattr(build, "notebook_of", lambda source: target)
    monkeypatch.setattr(build.nbformat, "read", lambda *_, **__: changed)
    assert f"cell 4: {key} differs" in build.difference(notebook.source)


def test_its_title_is_that_of_its_lesson(notebook):
    assert notebook.content.cells[0].source.startswith(f"# {notebook.lesson.title}\n")


def test_it_ends_with_what_one_can_do_now_and_leads_on(notebook):
    names = [*LESSONS]
    number = names.index(notebook.lesson.name)
    end = notebook.content.cells[-1].source
    assert "ow you can**" in end
    assert re.findall(r"\((\w+)\.ipynb\)", end) == names[number + 1 : number + 2]
    assert "`progress()`" in end
    assert re.search(r"import .*\bprogress\b", notebook.code[0].source)


def test_it_is_as_long_as_a_lesson_should_be(notebook):
    prose = [c.source for c in notebook.content.cells if c.cell_type == "markdown"]
    words, cells = CAPSTONE_MOST if notebook.lesson.name == CAPSTONE else (1300, 18)
    assert 900 <= sum(len(text.split()) for text in prose) <= words
    assert 12 <= len(notebook.code) <= cells
    for cell in notebook.code:
        assert len([line for line in cell.source.splitlines() if line.strip()]) <= 12, cell.source


def test_every_number_in_the_prose_is_printed_near_it(notebook):
    cells = notebook.content.cells
    for i, cell in enumerate(cells):
        if cell.cell_type == "code" or i in (0, len(cells) - 1):
            continue  # the first and the last speak of lessons and minutes
        prose = re.sub(r"^\d\. |^### Exercise \d|`[^`]*`", "", cell.source, flags=re.MULTILINE)
        near = [c for c in cells[max(i - 2, 0) : i + 3] if c.cell_type == "code"]
        there = re.findall(r"-?\d+(?:\.\d+)?", "\n".join(map(printed, near)))
        for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", prose):
            assert number.replace(",", "") in there, f"{number} in: {cell.source}"


def test_each_exercise_has_its_cells(notebook):
    """A stub with the hint and the check, and below it a folded solution."""
    names = re.findall(r'^check\("(\w+)"', "\n".join(c.source for c in notebook.code), re.MULTILINE)
    assert names == [*notebook.lesson.exercises]
    assert len(names) in ((9,) if notebook.lesson.name == CAPSTONE else (3, 4))
    for name in names:
        stub = notebook.cell_with(f'\ncheck("{name}"')
        above, _ = stub.source.split(f'\ncheck("{name}", ')
        assert above.endswith(f'# hint("{name}")')
        folded = notebook.code[notebook.code.index(stub) + 1]
        assert folded.source == f'solution("{name}")'
        assert folded.metadata.tags == ["solution"]
        assert folded.metadata.jupyter.source_hidden


def test_nothing_that_may_stop_runs_before_the_check(notebook):
    """What the student writes is called by its check first, which puts it in words."""
    for name in notebook.lesson.exercises:
        stub = notebook.cell_with(f'\ncheck("{name}"')
        lines = ast.parse(stub.source.split(f'\ncheck("{name}"')[0]).body
        called = {
            call.func.id
            for line in lines
            if not isinstance(line, ast.FunctionDef | ast.ClassDef)
            for call in ast.walk(line)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        assert name not in called


def test_saved_outputs_hold_nothing_of_one_run(notebook):
    for cell in notebook.code:
        assert "execution" not in cell.metadata
        assert sum(output.output_type == "stream" for output in cell.outputs) <= 1
        for output in cell.outputs:
            assert output.output_type != "error"
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
    assert "widgets" not in notebook.content.metadata
    assert "version" not in notebook.content.metadata.language_info


# ------------------------------------------------------------------------- untouched
def test_untouched_it_runs_and_everything_is_still_to_do(notebook, untouched):
    """No check passes on its stub; no prediction shows anything before it is locked."""
    lesson = notebook.lesson
    seen = Counter(statuses(untouched))
    assert seen == {
        "todo": len(lesson.exercises) + 2 * len(lesson.predictions),
        "aside": len(lesson.exercises),
    }
    assert [thing for thing in untouched if not isinstance(thing, Note)] == []


def test_what_is_saved_is_what_the_untouched_lesson_shows(notebook, untouched):
    """So the saved notebook has no note that anybody got for an answer."""
    saved = [
        output["data"]["text/plain"]
        for cell in notebook.code
        if re.search(r"^(check|predict|reveal|solution)\(", cell.source, re.MULTILINE)
        for output in cell.outputs
        if output.output_type == "display_data"
    ]
    assert saved == [repr(note) for note in untouched]


def test_the_saved_notebook_gives_no_answer_away(notebook):
    saved = nbformat.writes(notebook.content)
    for name, exercise in notebook.lesson.exercises.items():
        assert exercise.solution not in "\n".join(map(printed, notebook.code)), name
        assert exercise.why not in saved, name
        assert not any(hint in saved for hint in exercise.hints), name
    for prediction in notebook.lesson.predictions.values():
        for meanings in prediction.meanings.values():
            assert not any(told in saved for told in meanings.values())


# ------------------------------------------------------------------------- exercises
@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_hints_come_in_three_steps_and_the_last_has_a_gap_and_is_the_solution(lesson, name):
    exercise = LESSONS[lesson].exercises[name]
    *_, last = exercise.hints
    assert len(set(exercise.hints)) == 3
    assert 1 <= last.count("___") <= 2  # two where it is one word, used twice
    for line in last.splitlines():
        pattern = re.escape(line.strip()).replace("___", ".+")
        assert re.search(pattern, exercise.solution), line
    assert exercise.why


@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_the_solution_passes(lesson, name):
    assert LESSONS[lesson].exercises[name].judge_solution().status == "right"


@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_each_known_mistake_is_wrong_and_gets_its_own_diagnosis(lesson, name):
    known = LESSONS[lesson].exercises[name].known_mistakes()
    assert len({told for told, _ in known}) >= 3
    for told, answer in known:
        note = LESSONS[lesson].exercises[name].judge(*answer)
        assert note.status == "wrong", told
        assert told in repr(note)


def test_in_the_notebook_each_solution_is_right(notebook):
    _, shown = notebook.run(solved=True)
    right = [note for note in shown if isinstance(note, Note) and note.status == "right"]
    assert len(right) == len(notebook.lesson.exercises)
    opened = [note.code for note in shown if isinstance(note, Note) and note.title == "A solution"]
    assert opened == [exercise.solution for exercise in notebook.lesson.exercises.values()]


# ----------------------------------------------------------------------- predictions
def test_each_prediction_knows_what_its_answers_mean(notebook):
    """One is right and says why; each of the others leads to the right one."""
    for prediction in notebook.lesson.predictions.values():
        for meanings in prediction.meanings.values():
            leads = ["{right}" in told for told in meanings.values()]
            assert len(leads) >= 2
            assert leads.count(False) == 1


def test_a_locked_prediction_is_revealed(notebook):
    """The right answers are those whose meaning does not lead to another."""
    answers = {
        question: next(value for value, told in meanings.items() if "{right}" not in told)
        for prediction in notebook.lesson.predictions.values()
        for question, meanings in prediction.meanings.items()
    }
    asked = [(f"{question}=...", f"{question}={value!r}") for question, value in answers.items()]
    _, shown = notebook.run(*asked)
    verdicts = [
        thing for thing in shown if isinstance(thing, Note) and thing.title == "Just as you said"
    ]
    assert len(verdicts) == len(notebook.lesson.predictions)
