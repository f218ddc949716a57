"""`export_html`: one file, atomic, escaped, with a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from minigrad import Parameter, Tensor
from minigrad_widgets import (
    compare_gradients,
    export_html,
    show_graph,
    signature_map,
    step_backward,
    tangent,
    training,
)

EVIL = "</script><img src=x onerror=alert(1)>"


def square(x):
    return x * x


def state_of(page: str) -> dict:
    """What the page holds for its widgets."""
    (data,) = re.findall(r'<script type="application/json" id="widgets">(.*?)</script>', page, re.S)
    return json.loads(data)


def test_a_page_holds_the_state_of_each_widget(tmp_path: Path) -> None:
    """As it stands now, of every kind of widget; the same script is there once."""
    one, two = tangent(square, 2.0), tangent(square, 3.0)
    two.h = 1e-3
    step = step_backward(square, 2.0)
    step.step = 1
    widgets = [one, two, step, show_graph(square, 2.0), compare_gradients(square, 2.0)]
    path = export_html(widgets, tmp_path / "page.html")
    data = state_of(path.read_text(encoding="utf-8"))
    assert len(data["widgets"]) == 5
    assert [each["state"].get("h") for each in data["widgets"][:2]] == [0.5, 1e-3]
    assert data["widgets"][2]["state"]["step"] == 1
    assert data["widgets"][0]["script"] == data["widgets"][1]["script"]
    assert len(data["scripts"]) == 4
    for each in data["widgets"]:
        assert not [k for k in each["state"] if k.startswith("_") or k in ("layout", "comm")]


def test_a_page_forbids_the_network(tmp_path: Path) -> None:
    """Nothing but its own script, whose digest it names; no address is in what runs."""
    page = export_html(tangent(square, 2.0), tmp_path / "page.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}' blob:"
    assert set(re.findall(r"https?://[^\s\"'<)\\]+", page)) <= {"http://www.w3.org/2000/svg"}


def test_words_of_the_user_stay_words(tmp_path: Path) -> None:
    """A name that would close the script does not; nor one in the title."""
    w = Parameter(Tensor([1.0]), name=EVIL)
    widget = signature_map(lambda x: x * w, Tensor([2.0]), weights=[w])
    page = export_html(widget, tmp_path / "p.html", title=EVIL).read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert f"w-{EVIL}" in state_of(page)["widgets"][0]["state"]["sentences"]
    assert "<title>&lt;/script&gt;" in page


def test_a_title_of_its_own(tmp_path: Path) -> None:
    """By default what the widgets are called, each once."""
    widgets = [step_backward(square, 2.0), show_graph(square, 2.0)]
    page = export_html(widgets, tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<title>square(x)</title>" in page
    assert '<html lang="en">' in page


def test_a_widget_alone_has_no_heading_above_it(tmp_path: Path) -> None:
    """Its own bar says what it is; several, or a title that was given, have one."""

    def heading(widget: object, title: str | None = None) -> str:
        page = export_html(widget, tmp_path / "p.html", title).read_text(encoding="utf-8")
        return re.findall(r"<h1[^>]*>", page)[0]

    one, two = tangent(square, 2.0), tangent(square, 3.0)
    assert heading(one) == "<h1 hidden>"
    assert heading(one, "Slopes") == heading([one, two]) == "<h1>"


def test_a_training_is_exported_as_it_is(tmp_path: Path) -> None:
    """It can be gone through like range, and that would run it again: what it has would be lost."""
    progress = training(3)
    for step in progress:
        progress.log(4.0 - step)
    said = progress.sentence
    page = export_html(progress, tmp_path / "p.html").read_text(encoding="utf-8")
    assert (progress.done, progress.sentence) == (3, said)
    assert said == "Done after 3 steps: loss from 4 to 2."
    (state,) = (each["state"] for each in state_of(page)["widgets"])
    assert (state["done"], state["sentence"]) == (3, said)


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If writing fails, the old file is as it was and nothing else is left."""
    path = tmp_path / "page.html"
    path.write_text("the old page", encoding="utf-8")

    def full(*args: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(OSError, match="no space left"):
            export_html(tangent(square, 2.0), path)
    assert path.read_text(encoding="utf-8") == "the old page"
    assert list(tmp_path.iterdir()) == [path]
    export_html(tangent(square, 2.0), str(path))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [path]
