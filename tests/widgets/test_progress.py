"""What a student has done outlives the kernel, and trouble with its file stops nobody."""

import json
import re
import threading

import pytest

from minigrad_widgets.lesson import Lesson, Prediction, ValueExercise
from minigrad_widgets.lesson import lesson as lesson_module
from minigrad_widgets.lesson.progress import FILE, Progress, place
from minigrad_widgets.lesson.shelf import lessons, typed

HINTS = ("Look at six.", "Multiply seven.", "answer = 6 * ___")


@pytest.fixture
def shown(monkeypatch):
    things = []
    monkeypatch.setattr(lesson_module, "display", things.append)
    return things


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Where the file lies while a test runs: in the working folder."""
    monkeypatch.delenv("MINIGRAD_PROGRESS")
    monkeypatch.chdir(tmp_path)
    return tmp_path / FILE


def kernel(name="00_example"):
    """The lesson as a kernel has it that starts now."""
    lesson = Lesson(name, "An example")
    lesson.add(
        ValueExercise("answer", right=lambda: 42, hints=HINTS, solution="answer = 42", why="So."),
        ValueExercise("other", right=lambda: 7, hints=HINTS, solution="other = 7", why="So."),
        Prediction(
            "guess",
            show=lambda: (None, {"size": 4242.0, "sign": "minus"}),
            size={4242.0: "."},
            sign={"plus": ".", "minus": "."},
        ),
    )
    return lesson


def read(path, name="00_example"):
    return json.loads(path.read_text(encoding="utf-8"))["lessons"][name]


# ------------------------------------------------------------------------------ the file
def test_it_lies_in_the_working_folder_or_where_it_is_told(path, monkeypatch):
    assert place() == path
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    assert place() is None
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(path.parent / "mine.json"))
    assert place() == path.parent / "mine.json"


def test_a_restart_keeps_attempts_hints_and_predictions(path, shown):
    first = kernel()
    first.check("answer", 41)
    first.check("answer", 43)
    first.check("other", ...)
    first.hint("answer")
    first.predict("guess", size=5, sign="plus")
    assert read(path) == {
        "attempts": {"answer": 2},
        "hints": {"answer": 1},
        "right": {"answer": False},
        "predictions": {"guess": {"size": 5.0, "sign": "plus"}},
    }
    again = kernel()
    again.hint("answer")
    assert shown[-1].title == "Hint 2 of 3"
    again.solution("answer")
    assert shown[-1].title == "A solution"
    again.solution("other")
    assert "After an attempt, run this for the solution" in shown[-1].title
    again.predict("guess", size=4242, sign="minus")
    assert "Your first answer stays" in shown[-1].title
    again.reveal("guess")
    assert shown[-1].rows[1] == ("sign", "plus .")


def test_hints_that_are_read_after_the_right_answer_do_not_count(path, shown):
    lesson = kernel()
    lesson.hint("answer")
    lesson.check("answer", 42)
    for number in (2, 3, 3):
        lesson.hint("answer")
        assert shown[-1].title == f"Hint {number} of 3"
    assert read(path)["hints"] == {"answer": 1}
    lesson.progress()
    assert dict(shown[-2].rows)["answer"] == "right, after 1 attempt and 1 hint"


def test_who_predicts_again_is_told_the_line_that_begins_anew_here(path, shown):
    lesson = kernel()
    lesson.predict("guess", size=5, sign="plus")
    lesson.predict("guess", size=6, sign="plus")
    (line,) = re.findall("`(.*)`", shown[-1].text[0])
    assert line == typed("reset", lesson.name[:2], path.parent)


def test_nothing_is_written_before_something_is_done(path, shown):
    lesson = kernel()
    lesson.check("answer", ...)
    lesson.solution("answer")
    lesson.predict("guess", size=..., sign=...)
    lesson.reveal("guess")
    lesson.progress()
    assert not path.exists()


def test_it_never_holds_what_is_right(path, shown):
    lesson = kernel()
    lesson.check("answer", 41)
    lesson.predict("guess", size=5, sign="plus")
    lesson.reveal("guess")
    for _ in range(3):
        lesson.hint("answer")
    lesson.solution("answer")
    lesson.check("answer", 42)
    text = path.read_text(encoding="utf-8")
    for secret in ("42", "minus", "So.", *HINTS):
        assert secret not in text


def test_attempts_count_until_one_is_right(path, shown):
    lesson = kernel()
    for value in (1, 42, 42, 3):
        lesson.check("answer", value)
    assert read(path)["attempts"] == {"answer": 2}
    assert read(path)["right"] == {"answer": True}


def test_deleted_all_begins_anew(path, shown):
    lesson = kernel()
    lesson.check("answer", 42)
    lesson.predict("guess", size=5, sign="plus")
    path.unlink()
    lesson.predict("guess", size=6, sign="plus")
    assert read(path)["predictions"]["guess"]["size"] == 6
    assert read(path)["attempts"] == {}


def test_a_lesson_is_forgotten_alone(path, shown):
    for name in ("00_example", "01_other"):
        kernel(name).check("answer", 42)
    Progress("00_example", path, shown.append).forget()
    assert [*json.loads(path.read_text())["lessons"]] == ["01_other"]
    Progress("00_example", path, shown.append).forget()  # there is none: nothing to do
    assert read(path, "01_other")["right"] == {"answer": True}


def test_a_question_that_was_changed_since_is_asked_again(path, shown):
    kernel().predict("guess", size=5, sign="plus")
    later = Lesson("00_example", "An example")
    later.add(Prediction("guess", show=lambda: (None, {"size": 1.0}), size={1.0: "."}))
    later.reveal("guess")
    assert "Answer first" in shown[-1].title
    later.predict("guess", size=1)
    later.reveal("guess")
    assert shown[-1].title == "Just as you said"


# --------------------------------------------------------------------- several notebooks
def test_two_notebooks_at_once_do_not_lose_each_others_entries(path, shown):
    first, second = kernel("01_first"), kernel("02_second")
    for value in (1, 2, 42):
        first.check("answer", value)
        second.check("answer", value + 1)
        second.hint("other")
        first.hint("answer")
    assert read(path, "01_first")["attempts"] == {"answer": 3}
    assert read(path, "02_second")["attempts"] == {"answer": 3}
    assert read(path, "02_second")["hints"] == {"other": 3}


def test_nothing_is_lost_when_many_write_in_the_same_moment(path):
    def work(name):
        for number in range(20):
            notes = Progress(name, path, told.append)
            notes.change(lambda done: done["attempts"].update({str(number): 1}))  # noqa: B023  # called at once

    told = []
    threads = [threading.Thread(target=work, args=(f"{n:02}_lesson",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == []
    assert [len(read(path, f"{n:02}_lesson")["attempts"]) for n in range(6)] == [20] * 6


# ------------------------------------------------------------------------------- trouble
DAMAGED = [
    "",
    "{",
    "[]",
    "3",
    "null",
    "{}",
    '{"lessons": []}',
    '{"lessons": {"00_example": 3}}',
    '{"lessons": {"00_example": {"attempts": {"answer": "many"}}}}',
    '{"lessons": {"00_example": {"predictions": {"guess": 3}}}}',
    '{"lessons": {"00_example": {"predictions": {"guess": {"size": [5]}}}}}',
    b"\xff\xfe\x00",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_kept_aside_and_work_goes_on(path, shown, text):
    damaged = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(damaged)
    lesson = kernel()
    lesson.check("answer", 42)
    assert [note.status for note in shown] == ["told", "right"]
    assert f"`{FILE}` was damaged" in shown[0].title
    (aside,) = path.parent.glob("*damaged*")
    assert aside.name in shown[0].title
    assert aside.read_bytes() == damaged
    assert read(path)["right"] == {"answer": True}


def test_what_the_kernel_knows_is_not_lost_with_the_file(path, shown):
    first, lesson = kernel("01_first"), kernel()
    first.check("answer", 42)
    for number in (1, 2):
        lesson.check("answer", 41)
        path.write_text("{")
        lesson.check("other", 7)
        assert read(path)["attempts"] == {"answer": number, "other": 1}
        assert read(path, "01_first")["right"] == {"answer": True}
    names = sorted(file.name for file in path.parent.glob("*damaged*"))
    assert names == ["minigrad_progress_damaged_1.json", "minigrad_progress_damaged_2.json"]


def test_a_file_by_hand_may_leave_out_what_is_empty(path, shown):
    path.write_text('{"lessons": {"00_example": {"hints": {"answer": 2}}}}')
    kernel().hint("answer")
    assert shown[-1].title == "Hint 3 of 3"


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A place where no file can be: its folder is a file."""
    (tmp_path / "folder").write_text("not a folder")
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "folder" / FILE))
    return tmp_path / "folder"


def test_where_nothing_can_be_written_that_is_told_once_and_work_goes_on(nowhere, shown):
    lesson = kernel()
    for value in (41, 42):
        lesson.check("answer", value)
    lesson.hint("other")
    lesson.hint("other")
    lesson.predict("guess", size=5, sign="plus")
    lesson.reveal("guess")
    told = [note for note in shown if "Work goes on" in repr(note)]
    assert [note.title.split(" (")[0] for note in told] == [f"`{FILE}` cannot be read"]
    assert [note.title for note in shown if note not in told] == [
        "Not yet: `answer` is wrong.",
        "Right: `answer` is 42.",
        "Hint 1 of 3",
        "Hint 2 of 3",
        "Your answer is locked. The next cell shows what happens.",
        "Your prediction, beside what happened",
    ]
    nowhere.unlink()
    nowhere.mkdir()
    lesson.hint("other")
    assert read(nowhere / FILE)["attempts"] == {"answer": 2}
    assert read(nowhere / FILE)["hints"] == {"other": 3}


def test_what_cannot_be_read_or_set_aside_is_not_written_over(path, shown, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    for content, method in (('{"lessons": {}}', "read_text"), ("{", "rename")):
        path.write_text(content)
        lesson = kernel()
        with monkeypatch.context() as patch:
            patch.setattr(type(path), method, refuse)
            lesson.check("answer", 41)
            lesson.hint("answer")
            lesson.hint("answer")
        assert path.read_text() == content
        assert shown[-1].title == "Hint 2 of 3"
    assert [note.title for note in shown if "Work goes on" in repr(note)] == [
        f"`{FILE}` cannot be read (Permission denied).",
        f"`{FILE}` is damaged, and cannot be set aside (Permission denied).",
    ]


def test_a_disk_that_is_full_is_told_once_and_leaves_the_file_whole(path, shown, monkeypatch):
    kernel("01_first").check("answer", 42)
    lesson = kernel()
    lesson.check("answer", 39)
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(path), "write_text", full)
        lesson.check("answer", 41)
        lesson.check("answer", 40)
    assert path.read_bytes() == before
    assert [note.title for note in shown if "Work goes on" in repr(note)] == [
        f"`{FILE}` cannot be written (No space left on device)."
    ]
    lesson.check("answer", 42)
    assert read(path)["attempts"] == {"answer": 4}
    assert read(path, "01_first")["right"] == {"answer": True}
    assert {file.name for file in path.parent.iterdir()} <= {FILE, f".{path.stem}.lock"}


# ------------------------------------------------------------------------------ progress
def test_progress_tells_what_is_done_of_this_lesson_and_of_all(path, shown):
    lesson = kernel(lessons()[0].name)
    lesson.check("answer", 41)
    lesson.hint("answer")
    lesson.check("answer", 42)
    lesson.hint("other")
    del shown[:]
    lesson.progress()
    here, everywhere = shown
    assert here.title == "An example: 1 of 2 exercises right"
    assert dict(here.rows) == {
        "answer": "right, after 2 attempts and 1 hint",
        "other": "to do, 1 hint",
        "guess, predicted": "not yet",
    }
    lesson.predict("guess", size=5, sign="plus")
    del shown[:]
    lesson.progress()
    assert dict(shown[0].rows)["guess, predicted"] == "size 5, sign plus"
    titles = [label for label, _ in everywhere.rows]
    assert titles == [f"{lesson.name[:2]} {lesson.title}" for lesson in lessons()]
    assert "02 A program is a graph" in titles
    assert dict(everywhere.rows)["02 A program is a graph"] == "0 of 4 exercises right"
