"""Derivatives of higher order along a curve: ``jet`` and ``derivative``.

Let the inputs move along curves in t. Then the output is a function of the number t, and each of
its derivatives is the push forward of the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .containers import map_tensors, tensors_in
from .jacobian import jvp
from .op import join
from .rules.shape import reshape
from .tensor import Tensor, wrap


def jet(fn: Callable, primals: Any, series: Any) -> tuple[Any, Any]:
    """fn's output at t = 0, and its derivatives in t, while the inputs move along curves.

    ``primals`` is where an input is at t = 0. ``series``, along its first axis, are the derivatives
    of its curve there: the first, the second, and so on; one of the input's shape is the first
    alone. Both are a Tensor, or a tuple of Tensors for several inputs. The derivatives of an output
    are stacked in the same way.

    Raises TypeError if they are not Tensors, ValueError if their shapes do not match.

    >>> from minigrad import Tensor, ops
    >>> y, derivatives = ops.jet(lambda x: x * x, Tensor([3.0]), Tensor([[1.0], [0.0]]))
    >>> print(y, derivatives)
    [9.] [[6.]
     [2.]]
    """
    points = _row("jet", "primals", primals)
    curves = _row("jet", "series", series)
    if len(points) != len(curves):
        raise ValueError(f"jet: there are {len(points)} primals, but {len(curves)} series")
    curves = tuple(map(_series, points, curves))
    orders = {s.shape[0] for s in curves}
    if len(orders) > 1:
        raise ValueError(
            f"jet: all series must hold equally many derivatives, but they hold {sorted(orders)}"
        )
    (order,) = orders
    value, *derivatives = _derivatives(fn, points, curves, order)
    rows = zip(*map(tensors_in, derivatives), strict=True)
    stacked = iter([join(row) for row in rows])
    return value, map_tensors(lambda _: next(stacked), value)


def derivative(fn: Callable, primals: Any, order: int) -> tuple[Any, Any]:
    """fn's output, and its derivative of some order, while all inputs grow at the rate 1.

    ``primals`` is a Tensor, or a tuple of Tensors for several inputs.

    Raises TypeError if they are not Tensors or order is no int, ValueError if it is below 1.

    >>> from minigrad import Tensor, ops
    >>> y, third = ops.derivative(lambda x: x * x * x * x, Tensor([2.0]), 3)
    >>> print(y, third)
    [16.] [48.]
    """
    points = _row("derivative", "primals", primals)
    if not isinstance(order, int) or isinstance(order, bool):
        raise TypeError(f"derivative: order must be an int, but got {order!r}")
    if order < 1:
        raise ValueError(f"derivative: order must be 1 or more, but got {order}")
    curves = []
    for x in points:
        steps = np.zeros((order, *x.shape), x.array.dtype)
        steps[0] = 1
        curves.append(wrap(steps))
    value, *_, last = _derivatives(fn, points, curves, order)
    return value, last


def _row(function: str, name: str, x: Any) -> tuple[Tensor, ...]:
    row = (x,) if isinstance(x, Tensor) else x
    if not isinstance(row, tuple) or not all(isinstance(t, Tensor) for t in row):
        raise TypeError(f"{function}: {name} must be a Tensor or a tuple of Tensors, but got {x!r}")
    return row


def _series(x: Tensor, series: Tensor) -> Tensor:
    """The derivatives of the curve through x, along the first axis."""
    if series.shape == x.shape:
        return reshape(series, (1, *x.shape))
    if series.shape[1:] != x.shape or not series.size:
        raise ValueError(
            f"jet: the series of an input of shape {x.shape} has one more axis in front, for the "
            f"derivatives, but its shape is {series.shape}"
        )
    return series


def _derivatives(fn, points, curves, order: int) -> list:
    """fn's output and its derivatives along the curves, up to this order."""
    one = wrap(np.ones((), points[0].array.dtype))

    def output(t):
        return fn(*(_at(t, x, s) for x, s in zip(points, curves, strict=True))), ()

    def next_after(known):  # known(t) is the last derivative so far, and a tuple of those below it
        return lambda t: _pushed(known, t, one)

    known = output
    for _ in range(order):
        known = next_after(known)
    last, below = known(wrap(np.zeros((), points[0].array.dtype)))
    return [*below, last]


def _pushed(known, t, one) -> tuple[Any, tuple]:
    last, rate, below = jvp(known, t, one, has_aux=True)
    return rate, (*below, last)


def _at(t: Tensor, x: Tensor, series: Tensor) -> Tensor:
    """Where the curve through x is at t: x + t s1 + t^2 s2 / 2 + t^3 s3 / 6 ..."""
    step = series[-1]
    for k in range(series.shape[0] - 1, 0, -1):
        step = series[k - 1] + step * t / (k + 1)
    return x + (step * t).astype(x.dtype)
