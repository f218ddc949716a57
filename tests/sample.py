"""The program that the README shows and its inputs, for the tests of what widgets say of it."""

from __future__ import annotations

import inspect
import re

from minigrad import Tensor, ops


def loss(x, w):
    h = x * w
    q = h * h
    s = ops.stop_gradient(h)
    return ops.sum(q + s)


X, W = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([0.5, 1.0])

# The same for the cell of a notebook.
SOURCE = f"""{inspect.getsource(loss)}
x, w = Tensor([[1.5, -0.3], [2.0, 0.1]]), Tensor([0.5, 1.0])"""


def words(html: str) -> str:
    """The text of a sentence or a label."""
    return re.sub(r"<[^>]*>", "", html)
