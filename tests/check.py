"""Compare gradients with finite differences. What more than one test file needs."""

import numpy as np

from minigrad import Tensor
from minigrad.tensor import unwrap
from minigrad.transform import vjp


def check_grads(fn, *inputs, order=2, step=4e-6, tolerance=2e-7, seed=0):
    """Hold the gradients of fn, and theirs, against central differences in float64.

    Each input moves along a random direction; the change of the outputs along random cotangents
    must be what the pullback says. The pullback is then checked as a function of its own, of the
    inputs and the cotangents, until ``order``.
    """
    rng = np.random.default_rng(seed)
    inputs = [np.array(x, np.float64) for x in inputs]
    value, pullback = vjp(fn, *map(Tensor, inputs))
    cotangents = [rng.normal(size=y.shape) for y in arrays(value)]
    grads = pullback(*map(Tensor, cotangents))
    assert len(grads) == len(inputs)
    for i, (x, dx) in enumerate(zip(inputs, grads, strict=True)):
        assert dx.shape == x.shape, f"order {order}, input {i}: shape {dx.shape} for {x.shape}"
        direction = rng.normal(size=x.shape)
        above, below = (
            arrays(fn(*map(Tensor, [*inputs[:i], x + h * direction, *inputs[i + 1 :]])))
            for h in (step, -step)
        )
        slopes = ((a - b) / (2 * step) for a, b in zip(above, below, strict=True))
        wanted = sum((slope * g).sum() for slope, g in zip(slopes, cotangents, strict=True))
        got = (unwrap(dx) * direction).sum()
        scale = 1 + np.abs(unwrap(dx) * direction).sum()
        assert abs(got - wanted) < tolerance * scale, (
            f"order {order} from the last, input {i}: {got} along a direction, not {wanted}"
        )
    if order > 1:

        def pull(*both):
            return vjp(fn, *both[: len(inputs)])[1](*both[len(inputs) :])

        check_grads(
            pull, *inputs, *cotangents, order=order - 1, step=step, tolerance=2e-6, seed=seed + 1
        )


def arrays(value):
    """The arrays of one Tensor or of a tuple of them, as a tuple."""
    return tuple(map(unwrap, value)) if isinstance(value, tuple) else (unwrap(value),)
