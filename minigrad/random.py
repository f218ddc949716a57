"""The source of random numbers: one generator, which ``set_seed`` starts anew."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import Any

import numpy as np

_SOURCE: dict[str, Any] = {"generator": None, "seed": None}


# While jit records, what stands for the generator, so that each call of the program draws anew.
RECORDED: ContextVar[Any] = ContextVar("recorded", default=None)


def set_seed(seed: int) -> None:
    """Make the random numbers that follow (such as initial weights) repeat from run to run.

    Raises TypeError or ValueError if seed is not an integer from 0 on.

    >>> import minigrad as ms
    >>> ms.set_seed(1); a = ms.nn.Dense(2, 2).weight.asnumpy()
    >>> ms.set_seed(1); b = ms.nn.Dense(2, 2).weight.asnumpy()
    >>> bool((a == b).all())
    True
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise TypeError(f"a seed must be an integer, but got {type(seed).__name__}")
    if seed < 0:
        raise ValueError(f"a seed must be 0 or more, but got {seed}")
    _SOURCE.update(generator=np.random.default_rng(seed), seed=int(seed))


manual_seed = set_seed  # MindSpore's other name


def seed() -> int:
    """Make the random numbers that follow others than in any run before; return the new seed.

    >>> import minigrad as ms
    >>> ms.set_seed(ms.seed())  # and they repeat from here on
    """
    new = int.from_bytes(os.urandom(4))
    set_seed(new)
    return new


def get_seed() -> int | None:
    """The seed that was set last, or None."""
    return _SOURCE["seed"]


def generator() -> np.random.Generator:
    """The generator that everything random draws from."""
    return RECORDED.get() or own_generator()


def own_generator() -> np.random.Generator:
    """The generator itself, while jit records too."""
    if _SOURCE["generator"] is None:  # made when first used: numpy.random is slow to import
        _SOURCE["generator"] = np.random.default_rng()
    return _SOURCE["generator"]
