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
from .containers import flat, map_tensors, places, tensors_in
from .gradient_call import name_of
from .parameter import Parameter
from .tensor import Tensor, wrap
from .transform import parameters_of, positions_of, value_and_grad, vjp


def jvp(fn: Callable, inputs: Any, v: Any, has_aux: bool = False) -> tuple:
    """fn's output, and how it changes when the inputs move along v: a Jacobian-vector product.

    ``inputs`` is one argument, or a tuple or list of several. Each is a Tensor, or a dict, tuple or
    list that holds Tensors. ``v`` is built alike, each Tensor of its shape and dtype. With
    ``has_aux`` the first output alone is pushed forward, and the others are returned as a third
    value (bare, if there is one).

    Raises TypeError if inputs and v hold anything but Tensors of one dtype, ValueError if shapes or
    keys differ.

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

    ``inputs``, and what that function takes, are as in ``jvp``. fn runs once, however many tangents
    are pushed.

    >>> from minigrad import Tensor, ops
    >>> y, push = ops.linearize(lambda x: x * x, Tensor([1.0, 3.0]))
    >>> print(y, push(Tensor([1.0, 0.5])), push(Tensor([0.0, 1.0])))
    [1. 9.] [2. 3.] [0. 6.]
    """
    inputs = _row(inputs, "inputs")
    value, push = _pushforward(fn, inputs, has_aux=False)
    return value, lambda v: push(*_tangents(v, inputs))


def _row(x: Any, name: str) -> tuple:
    """What stands for each argument, as a tuple: Tensors, in dicts, tuples and lists if need be."""
    row = tuple(x) if isinstance(x, tuple | list) else (x,)
    for where, t in places(row, name):
        if not isinstance(t, Tensor):
            raise TypeError(
                f"jvp: {name} must be a Tensor or a tuple of Tensors, or of dicts and lists of "
                f"them, but {where} is {t!r}"
            )
    return row


def _tangents(v: Any, inputs: tuple) -> tuple[Tensor, ...]:
    """The Tensors of v, which must be built as the inputs are, with a Tensor like each of them."""
    given = _row(v, "v")
    if len(inputs) != len(given):
        raise ValueError(f"jvp: v has {len(given)} entries for {len(inputs)} inputs: one each")
    tangents = dict(places(given, "v"))
    wanted = dict(places(inputs, "v"))
    if tangents.keys() != wanted.keys():
        odd = min(tangents.keys() ^ wanted.keys())
        what = "is missing" if odd in wanted else "has no input"
        raise ValueError(f"jvp: v must be built as the inputs are, but {odd} {what}")
    for where, x in wanted.items():
        t = tangents[where]
        if x.shape != t.shape or x.dtype != t.dtype:
            kind = ValueError if x.shape != t.shape else TypeError
            raise kind(
                f"jvp: {where} must be like its input, of shape {x.shape} and {x.dtype}, but it "
                f"has shape {t.shape} and {t.dtype}"
            )
    return tuple(tangents[where] for where in wanted)  # a dict's own order says nothing


def _pushforward(fn, inputs, has_aux) -> tuple:
    """fn's output, the function that pushes tangents of the inputs forward to it, and aux.

    That function takes one tangent for each Tensor in the inputs.
    """
    value, pullback, *aux = vjp(fn, *inputs, has_aux=has_aux)

    def push(*tangents):
        # The pullback is linear: how it changes does not depend on where, so 0 will do.
        at_zero, push_there = vjp(pullback, *map(_zeros, tensors_in(value)))
        pushed = push_there(*tangents)
        if not pullback.linear:  # unless the user has a say in it
            elsewhere = vjp(pullback, *map(_large, tensors_in(value)))[1](*tangents)
            moved = any(every_value(x).any() for x in tensors_in(at_zero))
            if moved or not _close(pushed, elsewhere):
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
    An input may be a dict, tuple or list of Tensors: then its place has one with a Jacobian for
    each of them. With ``has_aux`` the first output alone is differentiated, and the answer is
    (jacobian, aux).

    Raises TypeError or ValueError for positions that cannot be, and for anything but Tensors of
    floats there.

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
    has_aux: bool = False,
) -> Callable:
    """A function that computes the second derivatives of fn, which returns one number.

    By one input x, or one Parameter, it is a Tensor of shape ``(*x.shape, *x.shape)``. By several,
    the inputs at the positions and then the ``weights``, it is a tuple of rows: entry j of row i is
    the derivative by xi and xj, of shape ``(*xi.shape, *xj.shape)``. For weights alone, None is the
    position. By a dict of Tensors it is a dict of rows, each a dict. It is the Jacobian of the
    gradient, all rows in one run. With ``has_aux`` fn returns that number and others, which are
    carried along: the answer is (hessian, aux).

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
    positions = positions_of(grad_position) or ()
    both = value_and_grad(fn, grad_position, parameters or None, has_aux)

    def gradient_of(*args):
        value, grads = both(*args)
        y, *aux = value if has_aux else (value,)
        if not isinstance(y, Tensor) or y.size != 1:
            what = f"shape {y.shape}" if isinstance(y, Tensor) else type(y).__name__
            raise ValueError(f"hessian needs a function that returns one number, but got {what}")
        by_input, by_weight = (
            grads if positions and parameters else (grads, ()) if positions else ((), grads)
        )
        each = (*((by_input,) if len(positions) == 1 else by_input), *by_weight)
        gradient = each if len(each) > 1 else each[0]
        return (gradient, *aux) if has_aux else gradient

    return _jacobian(gradient_of, grad_position, has_aux, _by_pulling, parameters)


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
            for where, x in places(args[i], f"argument {i}"):
                if not isinstance(x, Tensor) or x.array.dtype.kind != "f":
                    raise TypeError(
                        f"{where} must be a Tensor of floats, such as Tensor([1.0, 2.0]), to have "
                        f"a Jacobian, but got {x!r}"
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
        rows_of_blocks = iter(blocks)

        def for_output(y):
            row = iter(next(rows_of_blocks))
            parts = [
                map_tensors(lambda x: np.reshape(next(row), (*y.shape, *x.shape)), v)
                for v in variables
            ]
            return parts[0] if len(parts) == 1 else tuple(parts)

        jacobian = map_tensors(for_output, value)
        return (jacobian, *aux) if has_aux else jacobian

    return jacobian_fn


def _by_pulling(fn, inputs, has_aux, weights) -> tuple:
    """fn's output, for each output the rows for each Tensor in the inputs and weight, and aux."""
    value, pullback, *aux = vjp(fn, *inputs, weights=weights, has_aux=has_aux)
    outputs = list(tensors_in(value))
    zeros = [_zeros(y) for y in outputs]

    def rows_of(k):
        def pulled(row):
            return tuple(tensors_in(pullback(*zeros[:k], row, *zeros[k + 1 :])))

        return vmap(pulled)(_units(outputs[k]))

    return value, list(map(rows_of, range(len(outputs)))), *aux


def _by_pushing(fn, inputs, has_aux, _) -> tuple:
    """fn's output, for each output the columns for each Tensor in the inputs, and aux."""
    value, push, *aux = _pushforward(fn, inputs, has_aux)
    tensors = list(tensors_in(inputs))
    zeros = [_zeros(x) for x in tensors]

    def columns_of(k):
        def pushed(column):
            return tuple(tensors_in(push(*zeros[:k], column, *zeros[k + 1 :])))

        return vmap(pushed, out_axes=-1)(_units(tensors[k]))

    return value, list(zip(*map(columns_of, range(len(tensors))), strict=True)), *aux


def _units(x: Tensor) -> Tensor:
    """All arrays like x that are 1 in one place and 0 elsewhere, along axis 0."""
    n = math.prod(x.shape)
    return wrap(np.eye(n, dtype=x.array.dtype).reshape(n, *x.shape))
