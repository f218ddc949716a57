"""Functions of functions: ``grad``, ``value_and_grad``, ``GradOperation`` and ``vjp``.

A gradient call has four parts. It replaces the inputs that it differentiates by fresh leaves, runs
the function while a tape is written, starts the sweep with the gradient of each output (ones, if
nobody says otherwise), and hands out what arrived at the leaves and at the weights.

Inside another gradient call all four are themselves recorded, so derivatives of any order follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import Parameter as Argument
from inspect import signature
from typing import Any

import numpy as np

from .parameter import Parameter
from .rules.shape import identity, stop_gradient
from .tape import TAPE, hand_out, reachable, record, sweep, unwind, with_arrays
from .tensor import Node, Tensor, unwrap, wrap


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
        call = _Call(fn, args, kwargs, positions or (), parameters or (), has_aux)
        grads = call.pull(call.seeds(sens))
        by_position, by_weight = grads[: len(positions or ())], grads[len(positions or ()) :]
        if return_ids:
            by_position = [(i, g) for i, g in zip(positions or (), by_position, strict=True)]
            by_weight = [(p.name, g) for p, g in zip(parameters or (), by_weight, strict=True)]
        first = by_position[0] if len(by_position) == 1 else tuple(by_position)
        second = by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)
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


def vjp(fn: Callable, *inputs: Any, has_aux: bool = False) -> tuple:
    """fn's output, and its pullback, which turns a gradient of it into those of the inputs.

    The pullback returns a tuple. It takes one gradient for each output, of the same shape, and may
    be called often. vjp stands for vector-Jacobian product. With ``has_aux`` the first output alone
    is pulled back, and the others are returned as a third value (bare, if there is one).

    >>> from minigrad import ops, Tensor
    >>> from minigrad.transform import vjp
    >>> y, pullback = vjp(ops.mul, Tensor([2.0, 3.0]), Tensor([5.0, 7.0]))
    >>> dx, dy = pullback(Tensor([1.0, 10.0]))
    >>> print(y, dx, dy)
    [10. 21.] [ 5. 70.] [ 2. 30.]
    """
    call = _Call(fn, inputs, {}, tuple(range(len(inputs))), (), has_aux)

    def pullback(*cotangents):
        sens = cotangents[0] if len(cotangents) == 1 else cotangents
        return tuple(call.pull(call.seeds(sens), again=True))

    value = call.value()
    if not has_aux:
        return value, pullback
    aux = value[1] if len(value) == 2 else value[1:]
    return value[0], pullback, aux


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
        options = {"get_all": get_all, "get_by_list": get_by_list, "sens_param": sens_param}
        for name, value in options.items():
            if not isinstance(value, bool):
                raise TypeError(f"GradOperation: {name} must be True or False, but got {value!r}")
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
        if weights is not None and not isinstance(weights, Tensor):
            weights = tuple(weights)

        def grad_fn(*args, **kwargs):
            sens = None
            if self.sens_param:
                args, kwargs, sens = _take_sens(args, kwargs)
            parameters = parameters_of(weights) if self.get_by_list else ()
            tensors = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
            if not self.get_all:
                tensors = [] if self.get_by_list else tensors[:1]
            # As MindSpore: the gradient of an integer input is cast to its dtype.
            call = _Call(fn, args, kwargs, tuple(tensors), parameters, whole=True)
            grads = call.pull(call.seeds(sens))
            inputs, params = tuple(grads[: len(tensors)]), tuple(grads[len(tensors) :])
            if isinstance(weights, Parameter):
                params = params[0] if params else ()
            if self.get_all:
                return (inputs, params) if self.get_by_list else inputs
            return params if self.get_by_list else inputs[0] if inputs else ()

        return grad_fn


# -------------------------------------------------------------------------------- one gradient call
_OUTPUTS = (Tensor, tuple, list, dict, bool, int, float, np.ndarray, np.generic)


class _Call:
    """fn run once on fresh leaves, with its tape, ready to be pulled back."""

    def __init__(self, fn, args, kwargs, positions, parameters, has_aux=False, whole=False):
        self.fn, self.has_aux = fn, has_aux
        self.kinds = "fiu" if whole else "f"  # of the numbers that have gradients
        self.nodes: list[Node] = []  # of the leaves, in order
        args, kwargs, self.structures = self._with_leaves(args, kwargs, positions)
        weights = [p for p in parameters if p.requires_grad]
        self.output, self.tape, nodes = record(_values_of(fn), args, kwargs, weights)
        found = dict(zip(weights, nodes, strict=True))
        self.weights = [found.get(p) or Node(p.array) for p in parameters]
        if has_aux and (type(self.output) is not tuple or len(self.output) < 2):
            raise ValueError(
                "has_aux=True needs a function with more than one output, (loss, aux, ...), but "
                f"{_name(fn)} returned {_describe(self.output)}; return a tuple, or drop has_aux"
            )
        if not isinstance(self.output, _OUTPUTS):
            raise TypeError(
                f"{_name(fn)} returned {_describe(self.output)}, which has no gradient; is there a "
                "`return` of a Tensor?"
            )

    def _with_leaves(self, args, kwargs, positions):
        """The arguments with fresh leaves in the places to differentiate."""
        args, kwargs, structures = list(args), dict(kwargs), []
        names = _names(self.fn) if kwargs and positions else []
        for i in positions:
            if i < len(args):
                args[i], structure = self._leaf(args[i], f"argument {i}")
            elif i < len(names) and names[i] in kwargs:
                name = names[i]
                kwargs[name], structure = self._leaf(kwargs[name], f"argument {name}")
            else:
                raise IndexError(
                    f"grad_position {i} is out of range: {_name(self.fn)} was called with "
                    f"{len(args) + len(kwargs)} arguments, counted from 0"
                )
            structures.append(structure)
        return args, kwargs, structures

    def _leaf(self, x, place: str):
        """x as a leaf that only this call differentiates, and how to build its gradient."""
        if isinstance(x, list | tuple):
            pairs = [self._leaf(v, f"{place}[{i}]") for i, v in enumerate(x)]
            kind = getattr(x, "_make", list if isinstance(x, list) else tuple)  # a namedtuple's own
            return kind(p[0] for p in pairs), (kind, [p[1] for p in pairs])
        if isinstance(x, dict):
            items = {k: self._leaf(v, f"{place}[{k!r}]") for k, v in x.items()}
            leaves = {k: leaf for k, (leaf, _) in items.items()}
            return leaves, (dict, {k: structure for k, (_, structure) in items.items()})
        if isinstance(x, bool | int):
            raise TypeError(
                f"{place} of {_name(self.fn)} is the integer {x}, and an integer has no gradient; "
                f"pass {float(x)}"
            )
        try:
            leaf = identity(x if isinstance(x, Tensor) else Tensor(x))
        except TypeError as error:
            raise TypeError(f"{place} of {_name(self.fn)}: {error}") from None
        if leaf.array.dtype.kind not in self.kinds:
            raise TypeError(
                f"{place} of {_name(self.fn)} is a Tensor of {leaf.dtype}, which has no gradient; "
                "pass x.astype(minigrad.float32), or leave it out of grad_position"
            )
        if leaf.node is None:  # else an outer call tracks it, and identity is on its tape
            leaf.node = Node(leaf.array)
        self.nodes.append(leaf.node)
        return leaf, None

    def value(self) -> Any:
        """The output; outside of all gradient calls it is no longer tracked."""
        return self.output if TAPE.get() is not None else map_tensors(stop_gradient, self.output)

    def seeds(self, sens=None) -> dict:
        """The gradients that the sweep starts from: sens, or ones for each output."""
        outputs = list(tensors_in(self.output[0] if self.has_aux else self.output))
        if sens is None:
            given = [wrap(np.ones(t.shape, t.array.dtype)) for t in outputs]
        else:
            given = [s if isinstance(s, Tensor) else Tensor(s, np.float32) for s in _flat(sens)]
            if len(given) != len(outputs):
                raise ValueError(
                    f"{_name(self.fn)} has {len(outputs)} outputs, but {len(given)} gradients came"
                )
        grads: dict = {}
        for out, g in zip(outputs, given, strict=True):
            if g.shape != out.shape:
                raise ValueError(
                    f"the gradient of an output has the output's shape: {out.shape}, but sens has "
                    f"{g.shape}"
                )
            if isinstance(sens, Tensor) and g.dtype != out.dtype:
                raise TypeError(
                    f"the gradient of an output has the output's dtype: {out.dtype}, but sens has "
                    f"{g.dtype}; pass sens.astype(out.dtype)"
                )
            if out.node is not None and out.array.dtype.kind in self.kinds:
                g = g.astype(out.dtype)
                if TAPE.get() is None:
                    g = g.array
                grads[out.node] = grads[out.node] + g if out.node in grads else g
        return grads

    def pull(self, grads: dict, again: bool = False) -> list:
        """The gradients of the leaves, in the structure of the arguments, and of the weights."""
        nodes = [*self.nodes, *self.weights]
        tape, recording = self.tape, TAPE.get() is not None
        needed = reachable(tape, nodes) if tape.mixed else None
        given = [unwrap(g) for g in grads.values()]
        entries = reversed(tape) if again else unwind(tape)
        if tape.special and not recording:  # a pullback that outlived the outer call
            entries = map(with_arrays, entries)
        found = hand_out(sweep(entries, grads, needed), nodes, *given)
        leaves = iter(found[: len(self.nodes)])
        return [*(_build(s, leaves) for s in self.structures), *found[len(self.nodes) :]]


def _build(structure, leaves):
    if structure is None:
        return next(leaves)
    kind, parts = structure
    if kind is dict:
        return {k: _build(s, leaves) for k, s in parts.items()}
    return kind(_build(s, leaves) for s in parts)


def _values_of(fn):
    """fn, but what it returns are values: a Parameter forgets its Node when the call has ended."""
    return lambda *args, **kwargs: map_tensors(Tensor, fn(*args, **kwargs))


def map_tensors(function: Callable, x: Any) -> Any:
    """The function applied to each Tensor in nested tuples, lists and dicts."""
    if isinstance(x, Tensor):
        return function(x)
    if type(x) in (tuple, list):
        return type(x)(map_tensors(function, v) for v in x)
    if type(x) is dict:
        return {k: map_tensors(function, v) for k, v in x.items()}
    return x


def tensors_in(x: Any) -> Iterator[Tensor]:
    """The Tensors in nested tuples, lists and dicts."""
    if isinstance(x, Tensor):
        yield x
    elif isinstance(x, tuple | list | dict):
        for v in x.values() if isinstance(x, dict) else x:
            yield from tensors_in(v)


def _flat(x) -> list:
    return [v for part in x for v in _flat(part)] if isinstance(x, tuple | list) else [x]


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
        raise ValueError("grad_position () names no argument; for weights alone say None")
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


def _names(fn) -> list[str]:
    """The names of fn's arguments, in order; for a Cell those of its construct."""
    arguments = signature(getattr(fn, "construct", fn)).parameters.values()
    return [a.name for a in arguments if a.kind is not Argument.VAR_KEYWORD]


def _name(fn) -> str:
    return getattr(fn, "__name__", type(fn).__name__)


def _describe(x: Any) -> str:
    if isinstance(x, Tensor):
        return f"one Tensor of shape {x.shape}"
    return f"a {type(x).__name__} of {len(x)}" if isinstance(x, tuple | list) else repr(x)
