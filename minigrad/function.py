"""Functions with a gradient rule of their own, in two more of MindSpore's forms.

``Function`` is a class with ``forward`` and ``backward``, which share a context. ``custom_vjp`` is
a decorator, and the rule is given afterwards. Both are ``custom_bprop`` in other words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from .containers import tensors_in
from .hooks import through
from .nn.cell import Cell, custom_bprop
from .tensor import Tensor
from .transform import stop_gradient


class Function:
    """A function with its own gradient rule: subclass it, and call ``apply``.

    ``forward(ctx, *inputs)`` computes the output, a Tensor or a tuple; it is not recorded, and may
    use any library. ``backward(ctx, *grads)`` gets the gradient of each output, and returns that of
    each input: a Tensor, or None where there is none. What backward needs goes through ``ctx``, by
    ``save_for_backward`` or as attributes.

    Gradients of second order flow through what was saved if it is an input or an output. Any other
    Tensor counts as a constant there.

    >>> from minigrad import Tensor, grad
    >>> from minigrad.function import Function
    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return Tensor(x.asnumpy() ** 3)
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> print(grad(Cube.apply)(Tensor([2.0])))
    [12.]
    """

    @staticmethod
    def forward(ctx: Context, *inputs: Any) -> Any:
        """Compute the output. Every subclass writes its own."""
        raise NotImplementedError("a Function needs @staticmethod def forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        """Compute the gradients of the inputs. Every subclass writes its own."""
        raise NotImplementedError("a Function needs @staticmethod def backward(ctx, *grads)")

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """The output of ``forward``, with ``backward`` for its rule."""
        ctx = Context(inputs)

        def construct(*inputs):
            out = cls.forward(ctx, *inputs)
            ctx.several, ctx.outputs = isinstance(out, tuple | list), _row(out)
            ctx.seen = (*inputs, *_tensors(ctx.outputs))
            _check_outputs(cls.__name__, ctx.outputs)
            tensors = _tensors(ctx.outputs)
            return tensors if len(tensors) > 1 else tensors[0] if tensors else out

        def bprop(*arguments):
            *inputs, out, dout = arguments
            now = dict(zip(map(id, ctx.seen), (*inputs, *_row(out)), strict=True))
            ctx.saved_tensors = tuple(now.get(id(x), x) for x in ctx.saved)
            grads = iter(_row(dout))
            given = [next(grads) if isinstance(x, Tensor) else None for x in ctx.outputs]
            if not ctx.materialize_grads:
                given = [g if i in ctx.arrived else None for i, g in enumerate(given)]
                ctx.arrived.clear()
            returned = cls.backward(ctx, *given)
            if returned is None:  # a return is missing, which the Cell says
                return None
            found = _row(returned)
            while len(found) > len(inputs) and found[-1] is None:  # of a default of forward
                found = found[:-1]
            _check_numbers(cls.__name__, inputs, found)
            return found

        methods = {"construct": staticmethod(construct), "bprop": staticmethod(bprop)}
        called = {"_forward_name": "forward", "_rule_name": "backward"}
        cell = type(cls.__name__, (Cell,), {**methods, **called})()
        results = iter(_row(cell(*inputs)))
        outputs = []
        for i, x in enumerate(ctx.outputs):  # numbers among them are returned as they are
            y = next(results) if isinstance(x, Tensor) else x
            if isinstance(x, Tensor) and not ctx.materialize_grads:
                (y,) = through("arrive", [y], partial(ctx.arrive, i))
            outputs.append(stop_gradient(y) if id(x) in ctx.constant else y)
        return tuple(outputs) if ctx.several else outputs[0]


class Context:
    """What one call of a Function hands from its forward to its backward."""

    several: bool  # forward returned a tuple
    outputs: tuple  # of forward
    seen: tuple  # the inputs and outputs that forward saw

    def __init__(self, inputs: tuple):
        self.needs_input_grad = tuple(getattr(x, "node", None) is not None for x in inputs)
        self.saved: tuple = ()
        self.saved_tensors: tuple = ()
        self.constant: set[int] = set()  # the ids of outputs without a gradient
        self.materialize_grads = True
        self.arrived: set[int] = set()  # the outputs that a gradient came to, if not materialized

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep these for backward, as ``saved_tensors``."""
        self.saved = self.saved_tensors = tensors

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Let no gradient flow back from these outputs. RuntimeError for what is no Tensor."""
        _check_tensors("mark_non_differentiable takes outputs", outputs)
        self.constant = set(map(id, outputs))

    def mark_dirty(self, *inputs: Tensor) -> None:
        """Say into which inputs forward writes. RuntimeError for what is no Tensor.

        minigrad sees that by itself, and refuses it where a gradient flows to the input.
        """
        _check_tensors("mark_dirty takes inputs", inputs)

    def set_materialize_grads(self, value: bool) -> None:
        """With False, backward gets None, and not zeros, for an output that was not used.

        Raises RuntimeError for what is neither True nor False.
        """
        if not isinstance(value, bool):
            raise RuntimeError(f"set_materialize_grads takes True or False, but got {value!r}")
        self.materialize_grads = value

    def arrive(self, i: int, grads: tuple, depth: int) -> tuple:
        """Note that the gradient of output i came, and pass it on."""
        self.arrived.add(i)
        return grads


def _check_tensors(what: str, given: tuple) -> None:
    for x in given:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"{what} that are Tensors, but got a {type(x).__name__}: {x!r}")


def _check_outputs(name: str, outputs: tuple) -> None:
    """TypeError for Tensors inside of what forward returned, which would have no gradient."""
    for i, x in enumerate(outputs):
        if not isinstance(x, Tensor) and any(True for _ in tensors_in(x)):
            raise TypeError(
                f"{name}.forward must return a Tensor, or a tuple with Tensors in it, but output "
                f"{i} is a {type(x).__name__} of them: return them one by one, and put them into "
                f"the {type(x).__name__} outside"
            )


def _check_numbers(name: str, inputs: list, grads: tuple) -> None:
    """RuntimeError for a gradient of what is no Tensor and has none in it."""
    for i, (x, dx) in enumerate(zip(inputs, grads, strict=False)):
        if dx is not None and len(grads) == len(inputs) and not any(True for _ in tensors_in(x)):
            raise RuntimeError(
                f"{name}.backward returned a gradient for inputs[{i}], which is {x!r} "
                "and no Tensor: return None in its place"
            )


def _row(x: Any) -> tuple:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _tensors(row: tuple) -> tuple[Tensor, ...]:
    return tuple(x for x in row if isinstance(x, Tensor))


class custom_vjp:
    """A decorator for a function that is given its gradient rule later, by ``defbwd``.

    The rule is that of ``custom_bprop``. Without one the function is differentiated as it is.

    >>> from minigrad import Tensor, grad
    >>> from minigrad.function import custom_vjp
    >>> @custom_vjp
    ... def double(x):
    ...     return x * 2
    >>> double.defbwd(lambda x, out, dout: (dout * 100,))
    >>> print(grad(double)(Tensor([2.0])))
    [100.]
    """

    def __init__(self, fn: Callable):
        if not callable(fn):
            raise TypeError(f"custom_vjp decorates a function, but got {fn!r}")
        update_wrapper(self, fn)
        self.fn = fn

    def defbwd(self, bprop: Callable) -> None:
        """Give the function its rule, ``bprop(*inputs, out, dout)``."""
        self.fn = custom_bprop(bprop)(self.__wrapped__)  # type: ignore[attr-defined]  # wraps set it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's output."""
        return self.fn(*args, **kwargs)
