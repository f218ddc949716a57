"""Where an answer first differs from the right one, and what the difference looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import Tensor

from ..text import count

Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Difference:
    """What is wrong first: the entry, how it is, how it should be, and both values."""

    entry: str
    is_now: str
    should: str = ""
    rows: Rows = ()

    def sentence(self, name: str, where: str = "") -> str:
        """What is wrong with what is called so."""
        should = f"; it should {self.should}" if self.should else ""
        return f"`{name}{self.entry}` {self.is_now}{where and ' ' + where}{should}."


def difference(yours: Any, right: Any, loose: bool = False) -> Difference | None:
    """The first difference in kind, structure, shape, dtype or values, if there is any.

    A list does for a tuple, and one number for another, whatever it is made of. `loose` compares
    numbers, arrays, Tensors and lists of numbers by shape and values alone. Floats agree to 1e-5 of
    their size, and to no more than their dtype can tell.

    >>> difference((1.0, np.ones(3)), (1.0, np.array([1.0, 2.0, 1.0])))
    Difference(entry='[1][1]', is_now='is wrong', should='', \
rows=(('yours', '1'), ('right', '2'), ('yours / right', '0.5')))
    >>> difference(np.ones((2, 3)), np.ones(3)).sentence("dx")
    '`dx` has shape (2, 3); it should have (3,).'
    """
    return next(_differences(yours, right, loose, ""), None)


def _differences(yours: Any, right: Any, loose: bool, entry: str) -> Iterator[Difference]:
    """All differences, but none inside of what differs already."""
    if loose and not isinstance(right, str | Mapping) and _is_numeric(right):
        yours, right = as_array(yours), as_array(right)
    mine, wanted = family(yours), family(right)
    if wanted == "a number" and mine == "a Tensor" and yours.ndim == 0:
        mine = wanted
    if {mine, wanted} == {"a tuple", "a list"}:
        mine = wanted
    if mine != wanted:
        yield Difference(entry, f"is {mine}", f"be {wanted}")
    elif wanted == "a dict":
        if set(yours) != set(right):
            keys = ", ".join(map(repr, yours)) or "none"
            should = ", ".join(map(repr, right)) or "none"
            yield Difference(entry, f"has the keys {keys}", f"have {should}")
            return
        for key in right:
            yield from _differences(yours[key], right[key], loose, f"{entry}[{key!r}]")
    elif wanted in ("a tuple", "a list"):
        if len(yours) != len(right):
            yield Difference(entry, f"has {count(len(yours), 'value')}", f"have {len(right)}")
            return
        for i, (a, b) in enumerate(zip(yours, right, strict=True)):
            yield from _differences(a, b, loose, f"{entry}[{i}]")
    elif wanted in ("a number", "an array", "a Tensor"):
        yield from _numeric(yours, right, loose, entry)
    elif not _equal(yours, right):
        yield Difference(entry, "is wrong", rows=(("yours", shown(yours)), ("right", shown(right))))


def _numeric(yours: Any, right: Any, loose: bool, entry: str) -> Iterator[Difference]:
    a, b = as_array(yours), as_array(right)
    if a.shape != b.shape:
        yield Difference(entry, f"has shape {a.shape}", f"have {b.shape}")
        return
    plain = loose or {type(yours), type(right)} & {int, float}  # these have no dtype
    if a.dtype != b.dtype and not plain:
        yield Difference(entry, f"has dtype {a.dtype}", f"have {b.dtype}")
        return
    wrong = np.argwhere(~close(a, b))
    if len(wrong):
        at = tuple(wrong[0])
        where = str([int(i) for i in at]) if at else ""
        rows = [("yours", shown(a[at])), ("right", shown(b[at]))]
        if np.isfinite(a[at]) and np.isfinite(b[at]) and abs(b[at]) > 1e-7:
            rows.append(("yours / right", f"{a[at] / b[at] + 0.0:.4g}"))  # no -0
        yield Difference(entry + where, "is wrong", rows=tuple(rows))


def same(yours: Any, right: Any, loose: bool = False) -> bool:
    """Whether there is no difference."""
    return difference(yours, right, loose) is None


def close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays of one shape agree, as far as their dtypes can tell; a NaN equals a NaN."""
    kinds = [x.dtype for x in (a, b) if x.dtype.kind in "fc"]
    eps = max([float(np.finfo(kind).eps) for kind in kinds], default=0.0)
    rtol = max(1e-5, 1e3 * eps)
    size = np.abs(b[np.isfinite(b)]).max(initial=0.0)  # a small entry is rounded like a large one
    atol = max(1e-10, 10 * eps, rtol / 100 * size)
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)


def family(x: Any) -> str:
    """What kind of thing x is, in words.

    >>> family(3), family(np.ones(2)), family((1, 2)), family(True)
    ('a number', 'an array', 'a tuple', 'a truth value')
    """
    if isinstance(x, Tensor):
        return "a Tensor"
    if isinstance(x, bool | np.bool_):
        return "a truth value"
    if isinstance(x, int | float | complex | np.number):
        return "a number"
    if isinstance(x, np.ndarray):
        return "an array" if x.ndim or x.dtype.kind not in "fiuc" else "a number"
    kinds: dict[Any, str] = {str: "a word", tuple: "a tuple", list: "a list", Mapping: "a dict"}
    for kind, words in kinds.items():
        if isinstance(x, kind):
            return words
    if x is None:
        return "`None`"
    return "a function" if callable(x) else f"of type `{type(x).__name__}`"


def as_array(x: Any) -> np.ndarray:
    """x as a numpy array; of objects if it is nothing numeric."""
    try:
        return np.asarray(x.asnumpy() if isinstance(x, Tensor) else x)
    except (ValueError, TypeError):  # rows of different lengths
        return np.asarray(None)


def _is_numeric(x: Any) -> bool:
    return as_array(x).dtype.kind in "fiucb"


def _equal(a: Any, b: Any) -> bool:
    """Whether two things are equal, or of a kind that cannot tell."""
    if isinstance(a, str) and isinstance(b, str):
        return a.strip().casefold() == b.strip().casefold()
    tells = "__eq__" in {name for base in type(b).__mro__[:-1] for name in vars(base)}
    return bool(np.all(a == b)) if tells else type(a) is type(b)


def shown(x: Any) -> str:
    """A value in a few characters.

    >>> shown(1 / 3), shown(np.array([1.0, 2.5])), shown(np.ones((30, 4)))
    ('0.333333', '[1, 2.5]', 'an array of shape (30, 4)')
    """
    if isinstance(x, Tensor | np.ndarray | np.generic | float):
        array = as_array(x)
        if array.ndim == 0:
            return _number(array[()])
        if array.size <= 6:
            return str(_nested(array.tolist())).replace("'", "")
        return f"{family(x)} of shape {array.shape}"
    if isinstance(x, tuple | list):
        inside = ", ".join(map(shown, x))
        return f"[{inside}]" if isinstance(x, list) else f"({inside}{',' * (len(x) == 1)})"
    if isinstance(x, Mapping):
        return "{" + ", ".join(f"{k!r}: {shown(v)}" for k, v in x.items()) + "}"
    if callable(x):
        name = getattr(x, "__name__", type(x).__name__)
        return "a function" if name == "<lambda>" else name
    return repr(x)


def is_plain(x: Any) -> bool:
    """Whether `shown` has short words for x.

    >>> is_plain([1.0, np.ones(3)]), is_plain(object())
    (True, False)
    """
    if isinstance(x, Mapping):
        return all(map(is_plain, x.values()))
    if isinstance(x, tuple | list):
        return all(map(is_plain, x))
    return x is not ... and not family(x).startswith("of type")


def _number(x: Any) -> str:
    return f"{x + 0.0:.6g}" if isinstance(x, float | np.floating) else str(x)  # no -0


def _nested(x: Any) -> Any:
    return [*map(_nested, x)] if isinstance(x, list) else _number(x)


_NEAR = 0.05  # of its size: what is off by less is not called a factor


def diagnose(pairs: Sequence[tuple[Any, Any]]) -> str:
    """What a mistake looks like that shows in every pair of (yours, right), or "".

    >>> diagnose([(6.0, 3.0), (-2.0, -1.0)])
    'It is twice what it should be: something was counted twice.'
    """
    if pairs and all(isinstance(x, tuple | list) for pair in pairs for x in pair):
        if any(len(a) != len(b) for a, b in pairs):
            return ""
        first = next((i for i in range(len(pairs[0][1])) if _wrong_at(pairs, i)), None)
        if first is None:
            return ""
        for j in range(len(pairs[0][1])):
            if j != first and all(_swapped(a, b, first, j) for a, b in pairs):
                return f"`[{first}]` and `[{j}]` look swapped."
        return diagnose([(a[first], b[first]) for a, b in pairs])
    arrays = [(as_array(a), as_array(b)) for a, b in pairs]
    if not arrays or any(x.dtype.kind not in "fiu" for pair in arrays for x in pair):
        return ""
    for told, looks in _PATTERNS.items():
        if all(looks(a, b) for a, b in arrays):
            return told
    if all(a.shape == b.shape for a, b in arrays):
        yours, right = (
            np.concatenate([x.ravel() for x in side]) for side in zip(*arrays, strict=True)
        )
        at = np.argmax(np.abs(right)) if right.size > 1 else None
        ratio = yours[at] / right[at] if at is not None and right[at] else 1.0
        if not yours.any():
            return "It is 0 everywhere." if right.all() else ""
        if np.isfinite(ratio) and abs(ratio - 1) > _NEAR and _alike(yours, right * ratio):
            return f"It is {ratio:.4g} times what it should be, everywhere."
    return ""


def nearly(pairs: Sequence[tuple[Any, Any]]) -> str:
    """What to say of (yours, right) that are alike but for rounding, or but for a NaN; or "".

    >>> nearly([(5.994, 6.0), (1.0, 1.0)])
    'Nearly right, but a little off: what is measured, or cut short, is not exact. Work it out.'
    >>> nearly([(np.array([np.nan, 2.0]), np.array([1.0, 2.0]))])[:31]
    'Right wherever it is a number. '
    """
    leaves = [leaf for pair in pairs for leaf in _leaves(*pair)]
    arrays = [(as_array(a), as_array(b)) for a, b in leaves]
    if any(a.shape != b.shape or {a.dtype.kind, b.dtype.kind} - {*"fiu"} for a, b in arrays):
        return ""
    wrong = [(a[~close(a, b)], b[~close(a, b)], np.abs(b).max()) for a, b in arrays if a.size]
    if not any(a.size for a, *_ in wrong) or not all(np.isfinite(b).all() for _, b, _ in wrong):
        return ""
    if not any(np.isfinite(a).any() for a, *_ in wrong):
        return (
            "Right wherever it is a number. Where it is none, look for 0 / 0 on the way, and for "
            "what is infinite."
        )
    if all(np.all(np.abs(a - b) <= _NEAR * size) for a, b, size in wrong):
        return (
            "Nearly right, but a little off: what is measured, or cut short, is not exact. Work it "
            "out."
        )
    return ""


def _leaves(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """What stands at the same places of two results."""
    if all(isinstance(x, tuple | list) for x in (a, b)) and len(a) == len(b):
        for pair in zip(a, b, strict=True):
            yield from _leaves(*pair)
    elif all(isinstance(x, Mapping) for x in (a, b)) and a.keys() == b.keys():
        for key in b:
            yield from _leaves(a[key], b[key])
    elif a is not None or b is not None:
        yield a, b


def _wrong_at(pairs: Sequence[tuple[Any, Any]], i: int) -> bool:
    return any(not same(a[i], b[i]) for a, b in pairs)


def _swapped(a: Any, b: Any, i: int, j: int) -> bool:
    return same(a[i], b[j]) and same(a[j], b[i])


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.all(close(a, b)))


def _not_summed(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether a, summed over the axes that b lacks or has with length 1, is b."""
    if a.ndim < b.ndim or a.size == b.size:
        return False
    summed = a.sum(axis=tuple(range(a.ndim - b.ndim)))
    axes = tuple(i for i, n in enumerate(b.shape) if n == 1 != summed.shape[i])
    return _alike(summed.sum(axis=axes, keepdims=True), b)


_PATTERNS = {
    "Only the sign is wrong.": lambda a, b: _alike(a, -b),
    "It is twice what it should be: something was counted twice.": lambda a, b: _alike(a, 2 * b),
    "It is half of what it should be.": lambda a, b: _alike(2 * a, b),
    "It is transposed: rows and columns changed places.": (
        lambda a, b: b.ndim >= 2 and _alike(a.swapaxes(-1, -2) if a.ndim >= 2 else a, b)
    ),
    "It was not summed: what was broadcast must be added up, back to the shape it came from.": (
        _not_summed
    ),
}
