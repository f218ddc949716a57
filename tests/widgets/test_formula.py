r"""Formulas: letters replaced by names and numbers, as MathML and as text.

Those of the ops are all rendered in `test_catalogue_docs.py`.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from minigrad_widgets import formula


@pytest.mark.parametrize(
    ("latex", "names", "text"),
    [
        (r"z = x\,y", {"z": "q", "x": "h", "y": "h"}, "q = h · h"),
        (r"\bar z\,y", {"y": "fc1.weight"}, "g · fc1.weight"),
        (r"\bar y\cos x", {"x": "angle"}, "g cos angle"),
        (r"\frac{\bar z}{y}", {"y": "n"}, "g/n"),
        (r"y = x^2", {"x": "h"}, "y = h²"),
        (r"\bar z\,n\,x^{n-1}", {"n": "3"}, "g · 3 · x^(3 − 1)"),
        (r"\bar y\,[x > 0]", {"x": "v₃"}, "g · [v₃ > 0]"),
        (r"\bar Z\,Y^\top", {"Y": "w"}, "g · wᵀ"),
        (r"y = \mathrm{reshape}(x)", {"x": "h"}, "y = reshape(h)"),
        (r"y = \mathrm{artanh}\,x", {}, "y = artanh x"),
        (r"y = \ln \textstyle\sum e^{x}", {}, "y = ln ∑e^x"),
        (r"\bar y\ \mathrm{at}\ i", {}, "g at i"),
        (r"y = x_i", {"x": "worth"}, "y = worth_i"),
        (r"y = x_i", {"x": "worth", "i": "room"}, "y = worth[room]"),
        (r"y = x_i", {"x": "worth", "i": "k"}, "y = worth_k"),
        (r"z = c\ ?\ x : y", {}, "z = c ? x : y"),
    ],
)
def test_plain(latex: str, names: dict[str, str], text: str) -> None:
    """A formula as a line of text, in the names of a program."""
    assert formula.plain(latex, names) == text


@pytest.mark.parametrize(
    ("latex", "numbers", "text"),
    [
        (r"x\,y", {"x": "2", "y": "-3"}, "2 · (−3)"),
        (r"x\,y", {"x": "-3", "y": "2"}, "−3 · 2"),
        (r"x - y", {"x": "1", "y": "-1"}, "1 − (−1)"),
        (r"x^{n}", {"x": "-2", "n": "3"}, "(−2)³"),
        (r"\max(x, 0)", {"x": "-2"}, "max(−2, 0)"),
        (r"x\cos y", {"x": "1", "y": "2"}, "1 · cos 2"),
    ],
)
def test_numbers(latex: str, numbers: dict[str, str], text: str) -> None:
    """Negative numbers get parentheses where the minus could be read as a subtraction."""
    assert formula.plain(latex, numbers) == text


def test_the_bar_becomes_a_number() -> None:
    """With `bar`, the gradient of the output is written as its number."""
    assert formula.plain(r"\bar z\,y", {"y": "-3"}, bar="0.5") == "0.5 · (−3)"
    assert "<mover>" not in formula.typeset(r"\bar z\,y", {"y": "2"}, bar="0.5")


def test_names_are_text() -> None:
    """Whatever a name holds, it is no markup, in every form."""
    name = '<img src=x onerror="alert(1)">&'
    mathml = formula.typeset(r"\bar z\,x", {"x": name, "z": name})
    assert "<img" not in mathml
    found = [e.text for e in ElementTree.fromstring(mathml).iter("mi")]
    assert found == [name, name]


def test_a_formula_that_cannot_be_read_stays_readable() -> None:
    """Broken LaTeX is shown as it is, escaped."""
    assert formula.plain(r"z = \frac{x}{") == r"z = \frac{x}{"
    ElementTree.fromstring(formula.typeset(r"z = \frac{x}{ < "))


def test_words() -> None:
    """Lists as in a sentence."""
    assert formula.words([]) == ""
    assert formula.words(["x"]) == "x"
    assert formula.words(["x", "w", "b"]) == "x, w and b"


def test_a_long_name_is_cut_in_its_middle() -> None:
    """Both ends stay, and of a path its last parts; numbers and words in brackets stay whole."""
    names = {"z": "q", "x": "intermediate_activation", "y": "backbone.layer3.10.conv2.weight"}
    text = re.sub("<[^>]*>", "", formula.typeset(r"z = x\,y", names))
    assert text == "q=intermed…ion·…conv2.weight"
    assert re.sub("<[^>]*>", "", formula.typeset("x", names, whole=True)) == names["x"]
    for whole in ("layer.weight", "-1.2345678e-10", "split(first, second)", "input_data_1"):
        assert formula.short_name(whole) == whole
    long = ["learning_rate_of_a", "learning_rate_of_b", "a_learning_rate", "b_learning_rate"]
    assert len({formula.short_name(name) for name in long}) == 4


def test_a_name_that_begins_with_a_digit_is_no_number() -> None:
    """It is a word with a line over all of it, as other names; numbers are numbers."""
    assert "mgw-overline" in formula.typeset(r"\bar x", {"x": "1.fc.weight"})
    for number in ("2", "-0.5", "1e-05", "1,024", "inf", "−3", "2+1j"):
        assert f"<mn>{number.replace('-', '−')}</mn>" in formula.typeset("x", {"x": number})
