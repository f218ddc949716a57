"""What each step says in words: where the pass begins, what an op sends, what is done at the end.

The sentences are HTML; words of the user's are escaped here.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from minigrad.watch import Part, Step, Value

from . import formula, summary
from .picture import Picture, stops
from .program import where
from .sweep import is_second, targets_of, unreached

MOST_NAMED = 5  # inputs and Parameters that have their gradients; more are counted


def _inline(array: Any) -> str:
    return escape(summary.minus(summary.inline(array)))


def beginning(picture: Picture, outputs: list[Value], begin: dict[Value, np.ndarray]) -> str:
    """The sentence before the first step."""
    names = {value: escape(picture.names[value.id]) for value in outputs}
    if not begin:
        called = formula.words([f"<b>{name}</b>" for name in names.values()])
        verb = "does" if len(names) == 1 else "do"
        return f"Nothing to step through: {called} {verb} not depend on any input."
    are = formula.words([f"<b>{name}</b> is {_inline(v.data)}" for v, name in names.items()])
    text = f"The program has run: {are}. The backward pass starts "
    if is_second(picture.run):
        text = (
            f"The program and its backward pass have run: {are}. A second backward pass, "
            "through both, starts "
        )
    if len(outputs) == 1:
        (g,) = begin.values()
        name = names[outputs[0]]
        return text + f"there, with the gradient of {name} itself, which is {_inline(_whole(g))}."
    gs = list(dict.fromkeys(_inline(_whole(g)) for g in begin.values()))
    if len(gs) > 1:
        pairs = [f"{names[value]} with gradient {_inline(_whole(g))}" for value, g in begin.items()]
        return text + f"at {formula.words(pairs)}."
    if len(begin) == len(outputs):
        place = "both" if len(begin) == 2 else f"all {len(begin)}"
        return text + f"at {place}, each with gradient {gs[0]}."
    each = "with gradient" if len(begin) == 1 else "each with gradient"
    return text + f"at {formula.words([names[value] for value in begin])}, {each} {gs[0]}."


def _whole(g: np.ndarray) -> Any:
    """The gradient to start with; an array of one entry is said as any other."""
    return g if g.ndim == 0 or g.size != 1 else np.repeat(g.ravel(), 2)


def sentence(picture: Picture, step: Step, last: bool) -> str:
    """The step in words: which op, what it sends, what it adds up to."""
    run, value = picture.run, step.value
    place = where(run, value.line)
    start = (
        f"Step {step.number} of {len(run.steps)}. <b>{escape(value.op.name)}</b>"
        f"{f' ({escape(place)})' if place else ''} "
    )
    text = start + (_clauses(picture, step) or "sends nothing on") + "."
    stopped = [source for _, source in value.inputs if stops(source)]
    for source in dict.fromkeys(stopped):
        text += f" Nothing goes to {escape(picture.names[source.id])}: stop_gradient cuts it off."
    if last:
        text += _ending(picture)
    return text


def _ending(picture: Picture) -> str:
    """Who has its gradient, and who was never reached."""
    run, missed = picture.run, unreached(picture.run)
    done = [escape(picture.names[leaf.id]) for leaf in run.gradients if leaf not in missed]
    have = "has its gradient" if len(done) == 1 else "have their gradients"
    few = (
        done if len(done) <= MOST_NAMED else [*done[:MOST_NAMED], f"{len(done) - MOST_NAMED} more"]
    )
    text = f" Done: {formula.words(few)} {have}." if done else ""
    used = {source for value in run.values for _, source in value.inputs}
    for leaf in missed:
        name = escape(picture.names[leaf.id])
        why = "no gradient reaches it" if leaf in used else f"{name} is not used"
        text += (
            f" {name}: {why}, so its gradient is 0."
            if leaf in used
            else f" {why}: its gradient is 0."
        )
    return text


def _clauses(picture: Picture, step: Step) -> str:
    """What a step sends where: first what just arrives, then what adds to something."""
    targets = {picture.names[key]: parts for key, parts in targets_of(step).items()}
    plain = [
        f"{_inline(parts[0].dx)} to {escape(name)}"
        for name, parts in targets.items()
        if len(parts) == 1 and parts[0].before is None
    ]
    clauses = [f"sends {formula.words(plain)}"] if plain else []
    clauses += [
        _clause(name, parts)
        for name, parts in targets.items()
        if len(parts) > 1 or parts[0].before is not None
    ]
    return "; it ".join(clauses)


def _clause(name: str, parts: list[Part]) -> str:
    name, before = escape(name), parts[0].before
    if len(parts) > 1:
        count = {2: "twice", 3: "three times"}.get(len(parts), f"{len(parts)} times")
        number = {2: "two", 3: "three"}.get(len(parts), str(len(parts)))
        ending = "they add" if before is None else f"with {_already(before)} they add"
        return (
            f"uses {name} {count}, so it sends {number} parts to {name}; "
            f"{ending} to {_inline(parts[-1].total)}"
        )
    sent = f"sends {_inline(parts[0].dx)} to {name}"
    total = _inline(parts[0].total)
    if not _is_number(before):
        return f"{sent}; with {_already(before)} it adds up to {total}"
    return f"{sent}, adding to {_already(before)}, which makes {total}"


def _already(before: Any) -> str:
    """What was there: a number itself; an array would be a long parenthesis."""
    return f"the {_inline(before)} already there" if _is_number(before) else "what is already there"


def _is_number(array: Any) -> bool:
    return not isinstance(array, tuple) and np.ndim(array) == 0
