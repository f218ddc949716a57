"""Functions of functions: ``grad``, ``value_and_grad``, ``GradOperation`` and ``vjp``.

A gradient call has four parts. It replaces the inputs that it differentiates by fresh leaves, runs
the function while a tape is written, starts the sweep with the gradient of each output (ones, if
nobody says otherwise), and hands out what arrived at the leaves and at the weights.

Inside another gradient call all four are themselves recorded, so derivatives of any order follow.
The four parts are in ``gradient_call.py``; here is what users may ask for, and what they get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ContextDecorator
from typing import Any

from .containers import map_tensors, tensors_in
from .gradient_call import GradientCall, name_of
from .parameter import Parameter
from .rules.shape import stop_gradient as stop_in_tensor
from .tape import TAPE, NestedTape
from .tensor import Tensor, wrap


def value_and_grad(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """A function that computes fn's value and its gradient in one go.

    ``grad_position`` says which arguments to differentiate: an int, a tuple of them, or None for
    none. ``weights`` are Parameters to differentiate as well. The gradient is a Tensor for one
    position or one Parameter, a tuple for a tuple of two or more positions or for a list of
    Parameters, and a pair of both if both are asked for. It has the shape and dtype of its input.

    If fn returns several Tensors, or one that is not a scalar, the gradient is that of the sum of
    all their entries. ``has_aux`` differentiates the first output alone; the others are carried
    along. ``return_ids`` puts the position or the Parameter's name beside each gradient.
    ``sens_param``: the last argument of the call is the gradient of the output to start from.

    Raises ValueError, TypeError or IndexError for positions, weights or inputs that cannot be.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> loss = lambda x, y: (x * x * y).sum()
    >>> value, (dx, dy) = ms.value_and_grad(loss, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    >>> print(value, dx, dy)
    19.0 [ 6. 16.] [1. 4.]
    """
    if not callable(fn):
        raise TypeError(f"grad needs a function or a Cell, but got {type(fn).__name__}: {fn!r}")
    positions = positions_of(grad_position)
    parameters = None if weights is None else parameters_of(weights)
    _check_flags("grad", has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    if positions is None and parameters is None:
        raise ValueError(
            "`grad_position` and `weights` can not be None at the same time: say which argument "
            "to differentiate, as in grad(fn, 0), or which Parameters, as in "
            "grad(fn, None, weights=net.trainable_params())"
        )

    def value_and_grad_fn(*args, **kwargs):
        sens = None
        if sens_param:
            args, kwargs, sens = _take_sens(args, kwargs)
        parts = positions or (), parameters or ()
        call = GradientCall(fn, args, kwargs, *parts, has_aux, whole=False)
        by_position, by_weight = call.pull(call.seeds(sens))
        if return_ids:
            by_position = [(i, g) for i, g in zip(positions or (), by_position, strict=True)]
            by_weight = [(p.name, g) for p, g in zip(parameters or (), by_weight, strict=True)]
        first = by_position[0] if len(by_position) == 1 else tuple(by_position)
        second = _like(weights, by_weight)
        if parameters is None:
            return call.value(), first
        return call.value(), second if positions is None else (first, second)

    return value_and_grad_fn


def grad(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """A function that computes the gradient of fn; the arguments are those of ``value_and_grad``.

    With ``has_aux`` the answer is a pair: the gradient, and a tuple of the other outputs.

    >>> import minigrad as ms
    >>> from minigrad import ops, Tensor
    >>> print(ms.grad(ops.sin)(Tensor([0.0])))
    [1.]
    >>> print(ms.grad(ms.grad(lambda x: x * x * x))(Tensor([2.0])))
    [12.]
    """
    both = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    def grad_fn(*args, **kwargs):
        value, grads = both(*args, **kwargs)
        return (grads, value[1:]) if has_aux else grads

    return grad_fn


def get_grad(gradients: tuple, identifier: int | Parameter) -> Tensor:
    """Pick one gradient from what ``grad`` returned with ``return_ids=True``.

    ``identifier`` is the position of the input, or the Parameter itself.

    Raises RuntimeError if its gradient is not there, TypeError for another kind of identifier.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> grads = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(2.0), Tensor(5.0))
    >>> print(ms.get_grad(grads, 1))
    2.0
    """
    if not isinstance(identifier, int | Parameter):
        raise TypeError(
            "get_grad: the identifier must be the position of an input, such as 0, or a Parameter, "
            f"but got {identifier!r}"
        )
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    pairs = list(_pairs(gradients))
    for name, g in pairs:
        if name == wanted:
            return g
    held = ", ".join(repr(name) for name, _ in pairs)
    why = f"there are those for {held}" if held else "was grad called with return_ids=True?"
    raise RuntimeError(f"get_grad: there is no gradient for {wanted!r}; {why}")


def _pairs(gradients: Any) -> Iterator[tuple[int | str, Tensor]]:
    """The pairs of a name and a gradient, however they are nested."""
    if not isinstance(gradients, tuple):
        return
    if len(gradients) == 2 and isinstance(gradients[0], int | str):
        yield gradients
    else:
        for part in gradients:
            yield from _pairs(part)


def vjp(
    fn: Callable,
    *inputs: Any,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
) -> tuple:
    """fn's output, and its pullback, which turns a gradient of it into those of the inputs.

    The pullback returns a tuple. It takes one gradient for each output, of the same shape, and may
    be called often. vjp stands for vector-Jacobian product. With ``weights``, Parameters, it
    returns a pair: that tuple, and the gradients of the weights. With ``has_aux`` the first output
    alone is pulled back, and the others are returned as a third value (bare, if there is one).

    Raises ValueError or TypeError for gradients that do not fit the outputs.

    >>> import minigrad as ms
    >>> from minigrad import ops, Tensor
    >>> y, pullback = ms.vjp(ops.mul, Tensor([2.0, 3.0]), Tensor([5.0, 7.0]))
    >>> dx, dy = pullback(Tensor([1.0, 10.0]))
    >>> print(y, dx, dy)
    [10. 21.] [ 5. 70.] [ 2. 30.]
    """
    if not callable(fn):
        raise TypeError(f"vjp needs a function or a Cell, but got {type(fn).__name__}: {fn!r}")
    _check_flags("vjp", has_aux=has_aux)
    parameters = () if weights is None else parameters_of(weights)
    call = GradientCall(fn, inputs, {}, range(len(inputs)), parameters, has_aux, whole=True)

    def pullback(*cotangents):
        sens = cotangents[0] if len(cotangents) == 1 else cotangents
        by_position, by_weight = call.pull(call.seeds(sens), again=True)
        inputs_only = tuple(by_position)
        return inputs_only if weights is None else (inputs_only, _like(weights, by_weight))

    pullback.linear = call.linear  # type: ignore[attr-defined]  # jvp needs to know
    value = call.value()
    if not has_aux:
        return value, pullback
    aux = value[1] if len(value) == 2 else value[1:]
    return value[0], pullback, aux


def stop_gradient(value: Any) -> Any:
    """The same value, as a constant: no gradient flows back through it.

    Tensors in tuples, lists and dicts are stopped as well; anything else is returned as it is.

    Shapes: any, kept.
    Dtypes: any, kept.
    Raises TypeError for a function: it is what the function returns that can be stopped.

    >>> from minigrad import Tensor, grad, ops
    >>> print(grad(lambda x: x * ops.stop_gradient(x))(Tensor([3.0])))
    [3.]

    Source: the definition.
    """
    if callable(value):
        raise TypeError(
            f"stop_gradient takes a value, but got the function {name_of(value)}: call it first, "
            "as in stop_gradient(fn(x))"
        )
    return map_tensors(stop_in_tensor, value)


class _ClosedTape(NestedTape):
    """A tape that nothing is written on."""

    __slots__ = ()

    def write(self, op: Any, arguments: tuple, out: Any) -> Any:
        return tuple(map(wrap, out)) if type(out) is tuple else wrap(out)

    def take_over(self, inner: Any) -> None:
        """An inner call keeps its entries to itself."""


class no_grad(ContextDecorator):
    """``with no_grad():`` what is computed inside counts as a constant. Also a decorator.

    >>> from minigrad import Tensor, grad
    >>> from minigrad.transform import no_grad
    >>> @no_grad()
    ... def square(x):
    ...     return x * x
    >>> print(grad(lambda x: x * square(x))(Tensor([3.0])))
    [9.]
    """

    def __enter__(self) -> None:
        self.token = TAPE.set(_ClosedTape())

    def __exit__(self, *error: Any) -> None:
        TAPE.reset(self.token)


class GradOperation:
    """Makes gradient functions: of the first input, of all, of the weights, or of both.

    ``get_all``: a tuple with the gradient of each Tensor among the inputs (others are skipped).
    ``get_by_list``: the gradients of the weights, given as the second argument; a Cell's own
    trainable Parameters if left out. Both: a pair of tuples. ``sens_param``: the last argument of
    the call, or ``sens=``, is the gradient of the output to start from.

    >>> from minigrad import ops, Tensor
    >>> grad_all = ops.GradOperation(get_all=True)
    >>> dx, dy = grad_all(ops.mul)(Tensor([2.0]), Tensor([5.0]))
    >>> print(dx, dy)
    [5.] [2.]
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        _check_flags(
            "GradOperation", get_all=get_all, get_by_list=get_by_list, sens_param=sens_param
        )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable, weights: Any = None) -> Callable:
        """Return the gradient function of fn."""
        if not callable(fn):
            raise TypeError(f"GradOperation needs a function or a Cell, but got {fn!r}")
        if self.get_by_list and weights is None:
            if not hasattr(fn, "trainable_params"):
                raise ValueError(
                    "GradOperation(get_by_list=True) needs the weights of a plain function: "
                    "grad_op(fn, weights)"
                )
            weights = fn.trainable_params()
        parameters = parameters_of(weights) if self.get_by_list else ()

        def grad_fn(*args, **kwargs):
            sens = None
            if self.sens_param:
                args, kwargs, sens = _take_sens(args, kwargs)
            inputs = self._inputs(args, kwargs)
            # As MindSpore: the gradient of an integer input is cast to its dtype.
            call = GradientCall(fn, args, kwargs, inputs, parameters, has_aux=False, whole=True)
            by_input, by_weight = call.pull(call.seeds(sens))
            if not self.get_by_list:
                return tuple(by_input) if self.get_all else (*by_input, ())[0]
            params = _like(weights, by_weight)
            return (tuple(by_input), params) if self.get_all else params

        return grad_fn

    def _inputs(self, args: tuple, kwargs: dict) -> list[int | str]:
        """The inputs to differentiate, as positions and names."""
        given = [*enumerate(args), *kwargs.items()]
        if self.get_all:
            return [i for i, x in given if isinstance(x, Tensor) or hasattr(x, "__ms_mutable__")]
        return [] if self.get_by_list else [i for i, x in given if list(tensors_in(x))][:1]


def _like(weights: Any, grads: list) -> Any:
    """The gradients of the weights: a Tensor for one Parameter, else a tuple."""
    return grads[0] if isinstance(weights, Parameter) else tuple(grads)


# -------------------------------------------------------------------------- what the user asked for
def positions_of(grad_position: Any) -> tuple[int, ...] | None:
    """grad_position as a tuple, or None; an error if it is neither an int nor a tuple of ints."""
    if grad_position is None:
        return None
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    for i in positions:
        if not isinstance(i, int):
            raise TypeError(
                "grad_position must be an int or a tuple of ints, such as 0 or (0, 1), but got "
                f"{grad_position!r}"
            )
        if i < 0:
            raise ValueError(f"grad_position must be >= 0, but got {grad_position!r}")
    if not positions:
        raise RuntimeError("grad_position () names no argument; for weights alone say None")
    if len(set(positions)) < len(positions):
        raise ValueError(f"grad_position {grad_position!r} names a position twice")
    return tuple(map(int, positions))


def parameters_of(weights: Any) -> tuple[Parameter, ...]:
    """Weights as a tuple of Parameters; an error if there is something else among them."""
    if not isinstance(weights, Iterable):
        raise TypeError(
            f"weights must be Parameters, such as net.trainable_params(), not {weights!r}"
        )
    parameters = (weights,) if isinstance(weights, Tensor) else tuple(weights)
    for i, p in enumerate(parameters):
        if not isinstance(p, Parameter):
            raise TypeError(
                f"weights must be Parameters, but weights[{i}] is a {type(p).__name__}; make it "
                "one with minigrad.Parameter(x, name=...), or differentiate it by grad_position"
            )
    return parameters


def _take_sens(args, kwargs):
    kwargs = dict(kwargs)
    for name in ("sens", "sens_param"):
        if name in kwargs:
            return args, kwargs, kwargs.pop(name)
    if not args:
        raise TypeError("sens_param=True: the last argument must be the gradient of the output")
    return args[:-1], kwargs, args[-1]


def _check_flags(function: str, **flags: Any) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"{function}: {name} must be True or False, but got {value!r}")
