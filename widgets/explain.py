"""What the page says about a value: its card, and the formulas of its op.

Everything is plain data, made here once and small enough to travel (see summary.py). Words of the
user's are escaped here; the page sets them as they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import Any

from minigrad.watch import Value

from . import formula, summary
from .picture import (
    MATRIX_PRODUCTS,
    Picture,
    expression,
    has_formula,
    is_custom,
    is_cut,
    single,
    symbols,
)
from .program import where

Card = dict[str, Any]
_LONG_NAME = 8  # a formula may go on below after one


def value_card(picture: Picture, value: Value) -> Card:
    """All about one value: formula, shape, dtype, entries, gradient, source line."""
    name = picture.names[value.id]
    card: Card = {"heading": heading(picture, value), "formulas": [], "facts": [], "rows": []}
    card |= {"name": name, "label": picture.label(value)}
    if value.kind == "op":
        card["formulas"] = [equation(picture, value)]
        if value.line is not None and value.line.text:
            card["source"] = value.line.text.strip()
    card["facts"] = list(_facts(value))
    if value.data is not None:  # a program has no numbers
        card["rows"].append(row(letter(name), "value", value.data))
    return card


def _facts(value: Value) -> Iterator[tuple[str, str]]:
    yield (
        "kind",
        {"op": "op", "input": "input", "parameter": "Parameter"}.get(value.kind, "constant"),
    )
    yield "shape", summary.shape_text(value.shape)
    yield "dtype", dtype_text(value)
    chosen = {k: v for k, v in value.static.items() if v is not None and v is not False}
    if chosen:
        yield "with", ", ".join(f"{k}={v!r}" for k, v in chosen.items())
    if is_custom(value):
        yield "gradient", "by the Cell's own bprop"
    if value.cells:
        yield "Cell", " / ".join(value.cells)
    if is_cut(value):
        yield "gradient", "none: it is cut here"


def dtype_text(value: Value) -> str:
    """The dtype; of several outputs, each."""
    dtypes = value.dtype if isinstance(value.dtype, tuple) else (value.dtype,)
    return ", ".join(map(str, dtypes))


def heading(picture: Picture, value: Value) -> str:
    """The op and its line, or the name of a leaf and what it is."""
    name = value.op.name if value.kind == "op" else picture.names[value.id]
    place = where(picture.run, value.line) if value.kind == "op" else value.kind
    return f"<b>{escape(name)}</b>" + (f"<span>, {escape(place)}</span>" if place else "")


@lru_cache(maxsize=8192)
def letter(name: str) -> str:
    """A name as a formula, whole."""
    return formula.typeset("x", {"x": name}, whole=True)


@lru_cache(maxsize=8192)
def barred(name: str) -> str:
    """A name with a bar, which is its gradient; whole."""
    return formula.typeset(r"\bar x", {"x": name}, whole=True)


def side(latex: str, name: str) -> str:
    """The left side of an equation: `x`, or with a bar, with a name in its place."""
    return inside(formula.typeset(latex, {"x": name}))


def inside(mathml: str) -> str:
    """A formula without its outermost tag, as a piece of a longer one."""
    return mathml.removeprefix("<math>").removesuffix("</math>")


def scalars(value: Value) -> bool:
    """Whether an op has numbers alone: then its formula can be shown with them."""
    return value.shape == () and all(source.shape == () for _, source in value.inputs)


def numbers_of(value: Value, digits: int = 4) -> dict[str, str]:
    """The letters of a formula as numbers, for an op on scalars."""
    numbers = {source.id: summary.number(source.data, digits) for _, source in value.inputs}
    return symbols(value, numbers | {value.id: summary.number(value.data, digits)})


def typeset(value: Value, latex: str, names: dict[str, str], bar: str | None = None) -> str:
    """The inside of a formula of the op's; a product of matrices is written as in the program."""
    text = inside(formula.typeset(latex, names, bar))
    product = "<mo>·</mo>"
    return text.replace(product, "<mo>@</mo>") if value.op.name in MATRIX_PRODUCTS else text


def line_of(left: str, *rights: str, equals: str = "=") -> str:
    """`left = right = right`: each a formula of its own, so that a long line can go on below."""
    signs = [equals, *("=" for _ in rights[1:])]
    parts = [f"<mo>{sign}</mo>{right}" for sign, right in zip(signs, rights, strict=True)]
    if len(re.sub("<[^>]*>", "", left)) > _LONG_NAME:
        parts.insert(0, left)
    else:
        parts[0] = left + parts[0]
    return "".join(f'<math displaystyle="true"><mrow>{part}</mrow></math>' for part in parts)


def result(number: Any) -> str:
    """A number as the last side of a formula."""
    return f"<mn>{summary.minus(summary.number(number))}</mn>"


def equation(picture: Picture, value: Value) -> str:
    """The op's formula in the program's names, and in numbers if all are scalars."""
    latex, name = value.op.formula, picture.names[value.id]
    if not has_formula(value):
        return formula.typeset("z = f", {"z": name, "f": expression(value, picture.names)})
    letters = symbols(value, picture.names)
    right = formula.right_side(latex)
    sides = [typeset(value, right, letters)]
    if scalars(value) and formula.plain(right, letters) != picture.names[value.inputs[0][1].id]:
        sides += [typeset(value, right, numbers_of(value)), result(value.data)]
    return line_of(side("x", name), *sides)


def row(label: str, note: str, array: Any, scale: float | None = None) -> Card:
    """An array of a card, with what it is called."""
    if isinstance(array, tuple):
        note = f"{note}, one of {len(array)}"
    return {"label": label, "note": note, "table": summary.table(single(array), scale)}
