"""Cells that differentiate a network: ``ForwardValueAndGrad``, ``Jvp`` and ``Vjp``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..jacobian import jvp
from ..parameter import Parameter, ParameterTuple
from ..tensor import Tensor
from ..transform import value_and_grad, vjp
from .cell import Cell


class ForwardValueAndGrad(Cell):
    """The output of a network, and the gradients that ``GradOperation`` gives, in one run.

    ``get_all``: those of all Tensors among the inputs, as a tuple, instead of the first alone.
    ``get_by_list``: those of ``weights``, a tuple or list of Parameters; with ``get_all`` a pair of
    both. ``sens_param``: the last input is the gradient of the output to start from.

    Raises TypeError if the network is none, or the weights of get_by_list are missing.

    >>> from minigrad import nn, Tensor
    >>> cell = nn.ForwardValueAndGrad(lambda x, y: x * y, get_all=True)
    >>> value, (dx, dy) = cell(Tensor([2.0]), Tensor([5.0]))
    >>> print(value, dx, dy)
    [10.] [5.] [2.]
    """

    def __init__(
        self,
        network: Callable,
        weights: Iterable[Parameter] | None = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ):
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError(f"ForwardValueAndGrad needs a function or a Cell, but got {network!r}")
        options = {"get_all": get_all, "get_by_list": get_by_list, "sens_param": sens_param}
        for name, value in options.items():
            if not isinstance(value, bool):
                raise TypeError(
                    f"ForwardValueAndGrad: {name} must be True or False, but got {value!r}"
                )
        if get_by_list and not isinstance(weights, tuple | list):
            raise TypeError(
                "ForwardValueAndGrad: with get_by_list, weights must be a tuple or list of "
                f"Parameters, such as net.trainable_params(), but got {weights!r}"
            )
        self.network = network
        self.weights = ParameterTuple(weights or ()) if get_by_list else None
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs) -> tuple[Any, Any]:
        count = len(inputs) - self.sens_param
        positions = tuple(i for i, x in enumerate(inputs[:count]) if isinstance(x, Tensor))
        if not self.get_all:
            positions = () if self.get_by_list else positions[:1]
        if not positions and self.weights is None:
            return self.network(*inputs[:count]), ()
        both = value_and_grad(
            self.network, positions or None, self.weights, sens_param=self.sens_param
        )
        value, grads = both(*inputs)
        if not self.get_all:
            return value, grads
        by_input = () if not positions else grads[0] if self.get_by_list else grads
        if len(positions) == 1:
            by_input = (by_input,)
        if not self.get_by_list:
            return value, by_input
        return value, (by_input, grads[1] if positions else grads)


class Jvp(Cell):
    """``jvp`` as a Cell: ``Jvp(fn)(*inputs, v)`` is fn's output and how it changes along v.

    v is a Tensor for one input, a tuple of Tensors for several.

    >>> from minigrad import nn, Tensor
    >>> y, dy = nn.Jvp(lambda x: x * x)(Tensor([3.0]), Tensor([0.5]))
    >>> print(y, dy)
    [9.] [3.]
    """

    def __init__(self, fn: Callable):
        super().__init__()
        self.fn = fn

    def construct(self, *args) -> tuple[Any, Any]:
        return jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """``vjp`` as a Cell: ``Vjp(fn)(*inputs, v)`` is fn's output and the gradients of the inputs.

    v is the gradient of the output: a Tensor, or a tuple of them for several outputs. The gradient
    is a Tensor for one input, a tuple for several.

    >>> from minigrad import nn, Tensor
    >>> y, dx = nn.Vjp(lambda x: x * x)(Tensor([3.0]), Tensor([10.0]))
    >>> print(y, dx)
    [9.] [60.]
    """

    def __init__(self, fn: Callable):
        super().__init__()
        self.fn = fn

    def construct(self, *args) -> tuple[Any, Any]:
        *inputs, v = args
        value, pullback = vjp(self.fn, *inputs)
        grads = pullback(v)
        return value, grads[0] if len(inputs) == 1 else grads
