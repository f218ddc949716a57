r"""Formulas: small LaTeX strings, set as MathML for the page and as plain text for pictures.

An op declares its formula in its own letters, `z = x\,y`. A reader's program has other
names, so a formula is parsed once (by latex2mathml) and the letters are replaced in the tree:
`q = h · h`, or with numbers, `0.5 = 0.25 · 2`. Browsers render MathML by themselves, so nothing is
fetched and no script runs.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml.converter import convert

_SPACE = "{http://www.w3.org/1998/Math/MathML}"
_BARS = {"¯", "‾", "\u0304", "\u0305"}
_SUPERSCRIPT = str.maketrans("0123456789-+n⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀ")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_OPEN = {"(", "[", "{", "⌊", "⌈", "¬"}
_CLOSE = {")", "]", "⌋", "⌉"}
LONGEST_NAME = 12  # letters of a name in a formula
_WORD_SPACE = "0.3em"  # of a backslash and a space, between words; the one of a product is thinner
_NUMBER = re.compile(r"[-−]?(\d[\d.,e+−ij-]*|inf|nan)")  # and not the name 1.fc.weight


def typeset(
    latex: str,
    names: Mapping[str, str] | None = None,
    bar: str | None = None,
    whole: bool = False,
) -> str:
    r"""Set a LaTeX formula as MathML.

    `names` replaces letters (`{"z": "q", "x": "h"}`); a replacement that is a number is set as a
    number. `bar`, if given, replaces every barred letter, such as `\bar z`, as a whole. Names are
    text: whatever they hold is escaped. A long name is cut in its middle, but for `whole`.

    >>> typeset(r"z = x", {"z": "q", "x": "<b>"})
    '<math><mrow><mi>q</mi><mo>=</mo><mi>&lt;b&gt;</mi></mrow></math>'
    """
    names = names or {}
    if not whole:
        names = {letter: short_name(name) for letter, name in names.items()}
    tree = ElementTree.Element("math")
    tree.append(_tree(latex, names, bar))
    return ElementTree.tostring(tree, encoding="unicode")


def plain(latex: str, names: Mapping[str, str] | None = None, bar: str = "g") -> str:
    r"""Write a LaTeX formula as one line of text; a barred letter becomes `g`, as in the rules.

    >>> plain(r"\bar z\,\frac{x}{y^2}", {"x": "h"})
    'g · h/y²'
    """
    return re.sub(r" +", " ", _text(_tree(latex, names or {}, bar))).strip()


def output_symbol(latex: str) -> str:
    r"""The letter that a formula gives to the output: `z` in `z = x\,y`; `""` if it has none."""
    left, equals, _ = latex.partition("=")
    return left.strip() if equals and re.fullmatch(r"\s*\w+\s*", left) else ""


def right_side(latex: str) -> str:
    r"""The formula without its `z =`."""
    return latex.partition("=")[2].strip() if output_symbol(latex) else latex


def subscript(number: int) -> str:
    """A number in small low digits: 12 becomes ₁₂."""
    return str(number).translate(_SUBSCRIPT)


@lru_cache(maxsize=1024)
def _parse(latex: str) -> ElementTree.Element:
    """The formula's row as a tree without namespace; a formula that cannot be read stays text."""
    try:
        root = ElementTree.fromstring(convert(latex.replace(r"\arg(", r"\mathrm{arg}(")))
    except Exception:  # latex2mathml raises many kinds; the source text is still worth showing
        row = ElementTree.Element("mrow")
        ElementTree.SubElement(row, "mtext").text = latex
        return row
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SPACE)
        if element.tag == "mtext" and not (element.text or "").strip():
            element.tag, element.text = "mspace", None
            element.set("width", _WORD_SPACE)
    _join_letters(root[0])
    for word in root[0].iter("mi"):
        if len(word.text or "") > 1:
            word.set("mathvariant", "normal")  # a word of the formula's own, such as sin
    return root[0]


def _tree(latex: str, names: Mapping[str, str], bar: str | None) -> ElementTree.Element:
    row = copy.deepcopy(_parse(latex))
    holder = ElementTree.Element("mrow")
    holder.append(row)
    _replace(holder, names, bar)
    row = holder[0]
    for element in list(row.iter("mrow")):
        _space_out(element)
    return row


def _join_letters(row: ElementTree.Element) -> None:
    r"""Make one word of the single letters that `\mathrm{sum}` comes as."""
    for parent in list(row.iter()):
        letters = [e.text if e.tag == "mi" else " " for e in parent]
        kinds = {e.get("mathvariant") if e.tag == "mi" else e.tag for e in parent}
        if "normal" in kinds and kinds <= {"normal", "mspace"}:
            parent.clear()
            parent.tag, parent.text = "mi", "".join(c or "" for c in letters)


def _replace(parent: ElementTree.Element, names: Mapping[str, str], bar: str | None) -> None:
    for index, child in enumerate(list(parent)):
        if _is_bar(child):
            parent[index] = _atom(bar, parent, index) if bar is not None else _barred(child, names)
        elif child.tag == "mi" and (child.text or "") in names:
            parent[index] = _atom(names[child.text or ""], parent, index)
        else:
            _replace(child, names, bar)


def _barred(mover: ElementTree.Element, names: Mapping[str, str]) -> ElementTree.Element:
    """The bar over a name: over the letter alone in v₂, and as a line over a whole word."""
    _replace(mover, names, None)
    base = mover[0]
    if base.tag == "msub":
        mover[0] = base[0]
        base[0] = mover
        return base
    if base.tag == "mi" and len(base.text or "") > 1:
        spoken = f"gradient of {base.text}"
        row = ElementTree.Element("mrow", {"class": "mgw-overline", "aria-label": spoken})
        row.append(base)
        return row
    return mover


def _is_bar(element: ElementTree.Element) -> bool:
    return element.tag == "mover" and (element[1].text or "") in _BARS


def _atom(name: str, parent: ElementTree.Element, index: int) -> ElementTree.Element:
    """A name or a number as a leaf; a negative number inside a formula gets parentheses."""
    if not _NUMBER.fullmatch(name):
        letters = re.fullmatch(r"(.+?)([₀-₉]+)", name)
        if letters:
            low = ElementTree.Element("msub")
            ElementTree.SubElement(low, "mi").text = letters[1]
            ElementTree.SubElement(low, "mn").text = "".join(
                str("₀₁₂₃₄₅₆₇₈₉".index(c)) for c in letters[2]
            )
            return low
        leaf = ElementTree.Element("mi")
        leaf.text = name
        return leaf
    leaf = ElementTree.Element("mn")
    leaf.text = name.replace("-", "−")
    if leaf.text.startswith("−") and not _stands_alone(parent, index):
        row = ElementTree.Element("mrow")
        ElementTree.SubElement(row, "mo", stretchy="false").text = "("
        row.append(leaf)
        ElementTree.SubElement(row, "mo", stretchy="false").text = ")"
        return row
    return leaf


def _stands_alone(parent: ElementTree.Element, index: int) -> bool:
    """Whether a minus here cannot be taken for a subtraction."""
    if parent.tag != "mrow":
        return parent.tag in ("math", "msqrt", "mfrac")
    return index == 0 or (parent[index - 1].text or "") in _OPEN | {",", "="}


def _is_operand(element: ElementTree.Element, left: bool) -> bool:
    """Whether an element can stand on one side of a product."""
    if element.tag == "mo":
        text = element.text or ""
        return text.isalpha() or (text in _CLOSE if left else text in _OPEN)
    return element.tag != "mspace" and not (left and _is_word(element))


def _is_word(element: ElementTree.Element) -> bool:
    """Whether this is a word of the formula's own, such as `ln`: what follows is its argument."""
    return element.get("mathvariant") == "normal"


def _space_out(row: ElementTree.Element) -> None:
    r"""Turn the thin space of `x\,y` into a dot, and keep words that meet apart."""
    items: list[ElementTree.Element] = []
    children = list(row)
    for index, child in enumerate(children):
        after = children[index + 1] if index + 1 < len(children) else None
        product = child.tag == "mspace" and child.get("width") != _WORD_SPACE
        if product and items and after is not None:
            if _is_operand(items[-1], left=True) and _is_operand(after, left=False):
                child = ElementTree.Element("mo")
                child.text = "·"
        elif items and _need_space(items[-1], child):
            items.append(_between(items[-1], child))
        items.append(child)
    row[:] = items


def _between(left: ElementTree.Element, right: ElementTree.Element) -> ElementTree.Element:
    """What parts two operands that meet: a dot beside a number, else a thin space."""
    if left.tag == "mn" or (right.tag == "mn" and _is_operand(left, left=True)):
        dot = ElementTree.Element("mo")
        dot.text = "·"
        return dot
    return ElementTree.Element("mspace", width="0.17em")


def _need_space(left: ElementTree.Element, right: ElementTree.Element) -> bool:
    if right.tag == "mo" and not (right.text or "").isalpha():
        return False
    if left.tag == "mo" and not (left.text or "").isalpha():
        return (left.text or "") in {"∑", "∏"} | _CLOSE
    return right.tag != "mspace" and left.tag != "mspace"


def _text(element: ElementTree.Element) -> str:
    parts = [_text(child) for child in element]
    match element.tag:
        case "mspace":
            return " "
        case "mo":
            return _operator(element.text or "")
        case "msup" | "msub" | "msubsup":
            low = "".join(_script(p, element.tag == "msub") for p in parts[1:])
            return f"{parts[0]}{low} " if parts[0] in {"∑", "∏"} else parts[0] + low
        case "mover" | "munder":
            return parts[0]
        case "mfrac":
            return f"{_group(parts[0])}/{_group(parts[1])}"
        case "msqrt":
            return f"√{_group(''.join(parts))}"
        case "mtr":
            return " ".join(parts) + "; "
        case _:
            text = element.text or ""
            for part in parts:
                after_operand = text and not text.endswith((" ", "(", "[", "{"))
                text += " − " if part == "−" and after_operand else part
            return text


def _operator(text: str) -> str:
    if text in {"=", "+", "·", ">", "<", "≥", "≤", ":", "?", "≠", "∧", "∨", "⊕"}:
        return f" {text} "
    return ", " if text == "," else text


def _group(text: str) -> str:
    return text if re.fullmatch(r"[\w.¯⁰¹²³⁴⁵⁶⁷⁸⁹]+", text) else f"({text})"


def _script(text: str, low: bool) -> str:
    table = _SUBSCRIPT if low else _SUPERSCRIPT
    if all(ord(c) in table for c in text.replace("−", "-")):
        return text.replace("−", "-").translate(table)
    if low and len(text) > 1 and text.isidentifier():
        return f"[{text}]"  # a name in the place of an index
    return ("_" if low else "^") + _group(text)


def words(items: list[str]) -> str:
    """Join as in a sentence: `a`, `a and b`, `a, b and c`."""
    return " and ".join(_joined(items))


def _joined(items: list[str]) -> Iterator[str]:
    if len(items) > 1:
        yield ", ".join(items[:-1])
    if items:
        yield items[-1]


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that fits into a formula: its beginning and its end, of a path the last parts.

    >>> short_name("learning_rate_schedule"), short_name("backbone.layer1.0.weight")
    ('learning…ule', '…0.weight')
    >>> short_name("h"), short_name("concatenate(first, second)")  # no name
    ('h', 'concatenate(first, second)')
    """
    if len(name) <= longest or not re.fullmatch(r"[\w.\[\]]+", name):
        return name
    parts = name.split(".")
    for i in range(1, len(parts)):
        if len(tail := ".".join(parts[i:])) <= longest:
            return f"…{tail}"
    end = (longest - 1) // 3
    return f"{name[: longest - 1 - end]}…{name[-end:]}"


def gradient_name(name: str) -> str:
    """What the gradient of a value is called in a picture: `dx`, or `d(0.weight)`.

    >>> gradient_name("x"), gradient_name("h₁"), gradient_name("xs[0]")
    ('dx', 'dh₁', 'd(xs[0])')
    """
    return f"d{name}" if re.fullmatch(r"[^\W\d]\w*", name) else f"d({name})"


def printable(text: str) -> str:
    """The text without what no picture can hold: a control character is shown as its sign."""
    signs = (
        chr(0x2400 + ord(c)) if c < " " else "\ufffd" if _is_unprintable(c) else c for c in text
    )
    return "".join(signs)


def _is_unprintable(c: str) -> bool:
    return "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff"
