"""Derivatives that push forward, and whole Jacobians: ``jvp``, ``jacrev``, ``jacfwd``, ``hessian``.

A pullback is linear in what it pulls back. So its own pullback pushes forward: that is ``jvp``, and
the rules of the ops serve both directions. A Jacobian is one pullback, or one push, under ``vmap``:
its samples are the rows of the identity.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .batch import every_value, vmap
from .gradient_call import flat, map_tensors, name_of, tensors_in
from .parameter import Parameter
from .tensor import Tensor, wrap
from .transform import parameters_of, positions_of, value_and_grad, vjp


def jvp(fn: Callable, inputs: Any, v: Any, has_aux: bool = False) -> tuple:
    """fn's output, and how it changes when the inputs move along v: a Jacobian-vector product.

    ``inputs`` and ``v`` are a Tensor, or a tuple or list of them for several arguments; each of v
    has the shape and dtype of its input. With ``has_aux`` the first output alone is pushed forward,
    and the others are returned as a third value (bare, if there is one).

    Raises TypeError if inputs and v are not Tensors of one dtype, ValueError if shapes differ.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> y, dy = ms.jvp(lambda x: x * x, Tensor([1.0, 3.0]), Tensor([1.0, 0.5]))
    >>> print(y, dy)
    [1. 9.] [2. 3.]

    Source: Griewank and Walther, "Evaluating Derivatives", 2008, section 3.1.
    """
    inputs = _row(inputs, "inputs")
    tangents = _tangents(v, inputs)
    value, push, *aux = _pushforward(fn, inputs, has_aux)
    return value, push(*tangents), *aux


def linearize(fn: Callable, inputs: Any) -> tuple[Any, Callable]:
    """fn's output, and the function that pushes tangents of the inputs forward to it.

    ``inputs``, and what that function takes, are as in ``jvp``: a Tensor, or a tuple of them. fn
    runs once, however many tangents are pushed.

    >>> from minigrad import Tensor, ops
    >>> y, push = ops.linearize(lambda x: x * x, Tensor([1.0, 3.0]))
    >>> print(y, push(Tensor([1.0, 0.5])), push(Tensor([0.0, 1.0])))
    [1. 9.] [2. 3.] [0. 6.]
    """
    inputs = _row(inputs, "inputs")
    value, push = _pushforward(fn, inputs, has_aux=False)
    return value, lambda v: push(*_tangents(v, inputs))


def _tangents(v: Any, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """v as a tuple, with a Tensor like each of the inputs."""
    tangents = _row(v, "v")
    if len(inputs) != len(tangents):
        raise ValueError(f"jvp: v has {len(tangents)} entries for {len(inputs)} inputs: one each")
    for i, (x, t) in enumerate(zip(inputs, tangents, strict=True)):
        if x.shape != t.shape or x.dtype != t.dtype:
            kind = ValueError if x.shape != t.shape else TypeError
            raise kind(
                f"jvp: v[{i}] must be like its input, of shape {x.shape} and {x.dtype}, but it has "
                f"shape {t.shape} and {t.dtype}"
            )
    return tangents


def _row(x: Any, name: str) -> tuple[Tensor, ...]:
    row = (x,) if isinstance(x, Tensor) else x
    if not isinstance(row, tuple | list) or not all(isinstance(t, Tensor) for t in row):
        raise TypeError(f"jvp: {name} must be a Tensor or a tuple of Tensors, but got {x!r}")
    return tuple(row)


def _pushforward(fn, inputs, has_aux) -> tuple:
    """fn's output, the function that pushes tangents of the inputs forward to it, and aux."""
    value, pullback, *aux = vjp(fn, *inputs, has_aux=has_aux)

    def push(*tangents):
        # The pullback is linear: how it changes does not depend on where, so 0 will do.
        at_zero, push_there = vjp(pullback, *map(_zeros, tensors_in(value)))
        pushed = push_there(*tangents)
        if not pullback.linear:  # unless the user has a say in it
            elsewhere = vjp(pullback, *map(_large, tensors_in(value)))[1](*tangents)
            if any(every_value(x).any() for x in at_zero) or not _close(pushed, elsewhere):
                warnings.warn(
                    f"jvp of {name_of(fn)}: a hook or a bprop in it is not linear in the gradient "
                    "that it gets (does it clip?), so pushing forward is not defined for it, and "
                    "jvp, linearize and jacfwd tell what it does to tiny gradients; vjp and jacrev "
                    "use it as it is",
                    stacklevel=3,
                )
        following = iter(pushed)
        return map_tensors(lambda _: next(following), value)

    return value, push, *aux


def _close(xs: tuple[Tensor, ...], ys: tuple[Tensor, ...]) -> bool:
    pairs = zip(map(every_value, xs), map(every_value, ys), strict=True)
    return all(np.allclose(x, y, rtol=1e-3, atol=1e-6) for x, y in pairs)


def _large(x: Tensor) -> Tensor:
    """A gradient that hooks which clip will clip."""
    size = 1000 if x.array.dtype.kind == "f" else 0
    return wrap(np.full(x.shape, size, x.array.dtype))


def _zeros(x: Tensor) -> Tensor:
    return wrap(np.zeros(x.shape, x.array.dtype))


# ---------------------------------------------------------------------------------- whole Jacobians
def jacrev(
    fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable:
    """A function that computes the Jacobian of fn by pulling back: quick for few outputs.

    For one output and one position it is a Tensor of shape ``(*output.shape, *input.shape)``.
    Several positions give a tuple of these, several outputs a tuple with what each of them gives.
    With ``has_aux`` the first output alone is differentiated, and the answer is (jacobian, aux).

    Raises TypeError or ValueError for positions that cannot be.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> print(ms.jacrev(lambda x: x * x)(Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]

    Source: Griewank and Walther, "Evaluating Derivatives", 2008, section 3.2.
    """
    return _jacobian(fn, grad_position, has_aux, _by_pulling)


def jacfwd(
    fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable:
    """A function that computes the Jacobian of fn by pushing forward: quick for few inputs.

    Arguments, answer and errors are those of ``jacrev``.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> print(ms.jacfwd(lambda x: (x * x).sum())(Tensor([1.0, 3.0])))
    [2. 6.]

    Source: Griewank and Walther, "Evaluating Derivatives", 2008, section 3.1.
    """
    return _jacobian(fn, grad_position, has_aux, _by_pushing)


def hessian(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
) -> Callable:
    """A function that computes the second derivatives of fn, which returns one number.

    By one input x, or one Parameter, it is a Tensor of shape ``(*x.shape, *x.shape)``. By several,
    the inputs at the positions and then the ``weights``, it is a tuple of rows: entry j of row i is
    the derivative by xi and xj, of shape ``(*xi.shape, *xj.shape)``. For weights alone, None is the
    position. It is the Jacobian of the gradient, all rows in one run.

    Raises ValueError if fn returns anything but one number; TypeError or ValueError for positions
    and weights that cannot be.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> print(ms.hessian(lambda x: x[0] * x[0] * x[1])(Tensor([2.0, 3.0])))
    [[6. 4.]
     [4. 0.]]
    >>> (xx, xy), (yx, yy) = ms.hessian(lambda x, y: x * x * y, (0, 1))(Tensor(2.0), Tensor(3.0))
    >>> print(xx, xy, yx, yy)
    6.0 4.0 4.0 0.0

    Source: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 5.
    """
    parameters = () if weights is None else parameters_of(weights)
    both = value_and_grad(fn, grad_position, None if weights is None else parameters)

    def gradient(*args):
        value, grads = both(*args)
        if not isinstance(value, Tensor) or value.size != 1:
            what = f"shape {value.shape}" if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"hessian needs a function that returns one number, but got {what}")
        each = tuple(flat(grads))
        return each if len(each) > 1 else each[0]

    return _jacobian(gradient, grad_position, False, _by_pulling, parameters)


def _jacobian(fn, grad_position, has_aux, rows, weights=()):
    if not callable(fn):
        raise TypeError(f"a Jacobian needs a function or a Cell, but got {fn!r}")
    positions = positions_of(grad_position)
    if positions is None and not weights:
        raise TypeError("grad_position must be an int or a tuple of ints, but got None")

    def jacobian_fn(*args):
        for i in positions or ():
            if i >= len(args):
                raise ValueError(
                    f"grad_position {i} is out of range: there are {len(args)} arguments, from 0"
                )
            if not isinstance(args[i], Tensor) or args[i].array.dtype.kind != "f":
                raise TypeError(
                    f"argument {i} must be a Tensor of floats, such as Tensor([1.0, 2.0]), to have "
                    f"a Jacobian, but got {args[i]!r}"
                )
        inputs = [args[i] for i in positions or ()]

        def of_inputs(*chosen):
            full = list(args)
            for i, x in zip(positions or (), chosen, strict=True):
                full[i] = x
            return fn(*full)

        of_inputs.__name__ = name_of(fn)  # for errors and warnings
        value, blocks, *aux = rows(of_inputs, inputs, has_aux, weights)
        for y in flat(value):
            if not isinstance(y, Tensor):
                raise TypeError(
                    f"{name_of(fn)} returned a {type(y).__name__}, which has no Jacobian; return "
                    "Tensors only, or carry it along: has_aux=True, and the first output is the "
                    "one to differentiate"
                )
        variables = (*inputs, *weights)
        for_each = iter(
            tuple(np.reshape(b, (*y.shape, *x.shape)) for b, x in zip(row, variables, strict=True))
            for y, row in zip(tensors_in(value), blocks, strict=True)
        )
        one = len(variables) == 1
        jacobian = _in_structure(value, lambda: next(for_each)[0] if one else next(for_each))
        return (jacobian, *aux) if has_aux else jacobian

    return jacobian_fn


def _by_pulling(fn, inputs, has_aux, weights) -> tuple:
    """fn's output, for each output the rows for each input and weight, and aux."""
    value, pullback, *aux = vjp(fn, *inputs, weights=weights, has_aux=has_aux)
    outputs = list(tensors_in(value))
    zeros = [_zeros(y) for y in outputs]

    def rows_of(k):
        def pulled(row):
            by_input, by_weight = pullback(*zeros[:k], row, *zeros[k + 1 :])
            return *by_input, *by_weight

        return vmap(pulled)(_units(outputs[k]))

    return value, list(map(rows_of, range(len(outputs)))), *aux


def _by_pushing(fn, inputs, has_aux, _) -> tuple:
    """fn's output, for each output the columns for each input, and aux."""
    value, push, *aux = _pushforward(fn, inputs, has_aux)
    zeros = [_zeros(x) for x in inputs]

    def columns_of(k):
        def pushed(column):
            return tuple(tensors_in(push(*zeros[:k], column, *zeros[k + 1 :])))

        return vmap(pushed, out_axes=-1)(_units(inputs[k]))

    return value, list(zip(*map(columns_of, range(len(inputs))), strict=True)), *aux


def _units(x: Tensor) -> Tensor:
    """All arrays like x that are 1 in one place and 0 elsewhere, along axis 0."""
    n = math.prod(x.shape)
    return wrap(np.eye(n, dtype=x.array.dtype).reshape(n, *x.shape))


def _in_structure(value, make):
    """What make returns in place of each Tensor, in nested tuples, lists and dicts."""
    if isinstance(value, Tensor):
        return make()
    if isinstance(value, dict):
        return {k: _in_structure(v, make) for k, v in value.items()}
    kind = getattr(value, "_make", type(value))  # a namedtuple's own
    return kind(_in_structure(v, make) for v in value)
