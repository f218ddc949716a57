"""What holds for the static form of every widget: it is XML, and names of the user stay names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from every_widget import WIDGETS, make_all

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def widgets() -> dict:
    return make_all()


@pytest.mark.parametrize("name", WIDGETS)
def test_a_name_like_a_tag_is_text_in_the_picture_and_in_words(widgets: dict, name: str) -> None:
    """A Parameter, a class and a function that are called like a tag of HTML."""
    root = ElementTree.fromstring(widgets[name].to_svg())
    shown = [each.text or "" for each in root.iter() if each.tag in (f"{SVG}text", f"{SVG}tspan")]
    assert any("<img src=" in text for text in shown)
    assert {each.tag for each in root.iter() if "img" in each.tag.lower()} == set()
    assert (root.find(f"{SVG}title").text or "").strip()
    assert widgets[name].to_text().strip()
