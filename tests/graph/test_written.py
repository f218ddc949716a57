"""The source that a step's function brings along runs by itself, or is said not to exist."""

import itertools as pairs
import math
from fractions import Fraction
from itertools import accumulate
from math import prod

import numpy as np
import pytest

from minigrad.graph.written import NotWritten, sources_of

SCALE = 3
NAMES = ["a"]


def doubled(x: np.ndarray) -> np.ndarray:
    """Twice x."""
    return x * 2


def with_everything(x, shape=(2, 3)):
    """Uses modules, functions of modules, a number and other functions, one of them twice."""
    sums = list(accumulate(shape))
    turns = len(list(pairs.permutations(shape)))
    return doubled(quadrupled(x)) * SCALE + math.pi * prod(shape) + np.float64(sums[-1]) - turns


def quadrupled(x):
    return doubled(doubled(x))


def by_fraction(x):
    return x * Fraction(1, 2)


def by_name(x):
    return x * len(NAMES)


def made(k):
    return lambda x: x * k


def without_source():
    space = {}
    exec("def f(x):\n    return x", space)
    return space["f"]


def test_what_a_function_needs_comes_along():
    texts = sources_of(with_everything, "f")
    needed = ["SCALE", "accumulate", "doubled", "math", "pairs", "prod", "quadrupled"]
    assert list(texts) == [*needed, "f"]
    space = {"np": np}
    exec("\n".join(texts.values()), space)
    assert space["f"](1.5) == with_everything(1.5) == 8 * 1.5 * 3 + math.pi * 6 + 5 - 2
    assert texts["doubled"] == "def doubled(x):\n    return x * 2"  # no hints, no docstring


@pytest.mark.parametrize(
    "function",
    [by_fraction, by_name, made(2), abs, without_source(), lambda x: x, Fraction],
    ids=["class", "list", "closure", "builtin", "exec", "lambda", "type"],
)
def test_what_cannot_stand_by_itself(function):
    with pytest.raises(NotWritten, match="f"):
        sources_of(function, "f")
