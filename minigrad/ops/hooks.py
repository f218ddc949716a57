"""HookBackward: a hook as a Primitive, put between two steps of a calculation."""

from collections.abc import Callable
from typing import Any

from ..hooks import HookHandle, active, add_hook, checked, in_vmaps, name_of, through
from ..tensor import Tensor, lift
from .primitives import Primitive


class HookBackward(Primitive):
    """Passes Tensors on, and shows their gradients to a function on the way back.

    ``hook_fn`` gets a tuple with the gradient of each output. What it returns, a Tensor or a tuple
    of as many, flows on in their place; None leaves them as they are.

    Shapes: any, kept.
    Dtypes: any, kept.
    Raises TypeError if the hook is not callable or an input is no Tensor. In the backward sweep the
    hook's answer raises TypeError if it is no Tensor, ValueError for a tuple of another length, or
    a gradient of another shape or dtype.

    >>> from minigrad import Tensor, grad, ops
    >>> hook = ops.HookBackward(lambda grads: grads[0] * 10)
    >>> print(grad(lambda x: hook(x * x))(Tensor([3.0])))
    [60.]

    Source: the definition.
    """

    def __init__(self, hook_fn: Callable, cell_id: str = ""):
        self.hooks: list[HookHandle] = []
        add_hook(self.hooks, hook_fn)
        self.cell_id = cell_id

    def __call__(self, *inputs: Tensor) -> Any:
        """The inputs as they are: one, or a tuple of several."""
        for x in inputs:
            if not isinstance(x, Tensor):
                raise TypeError(f"HookBackward takes Tensors, but got a {type(x).__name__}: {x!r}")
        outputs = tuple(through("HookBackward", inputs, self._run))
        return outputs[0] if len(outputs) == 1 else outputs

    def _run(self, grads: tuple, depth: int) -> tuple:
        return in_vmaps(depth, self._run_on_one, grads)

    def _run_on_one(self, grads: tuple) -> tuple:
        for _, hook in active(self.hooks):
            what = f"{name_of(hook)}, a hook,"
            grads = checked(hook(lift(grads)), grads, what, "grad", miscounted=ValueError)
        return grads

    def __repr__(self) -> str:
        return f"Prim[HookBackward]<cell_id={self.cell_id}>"


class InsertGradientOf(Primitive):
    """Passes a Tensor on, and puts f of its gradient in the gradient's place on the way back.

    Shapes: any, kept.
    Dtypes: any, kept.
    Raises TypeError if f is not callable or the input is no Tensor.

    >>> from minigrad import Tensor, grad, ops
    >>> clip = ops.InsertGradientOf(lambda dx: ops.clamp(dx, -1, 1))
    >>> print(grad(lambda x: clip(x) * 5)(Tensor([3.0])))
    [1.]

    Source: the definition.
    """

    def __init__(self, f: Callable):
        if not callable(f):
            raise TypeError(f"InsertGradientOf needs a function of the gradient, but got {f!r}")
        self.f = f

    def __call__(self, x: Tensor) -> Tensor:
        """The input as it is."""
        if not isinstance(x, Tensor):
            raise TypeError(f"InsertGradientOf takes a Tensor, but got a {type(x).__name__}: {x!r}")
        return through("InsertGradientOf", (x,), self._run)[0]

    def _run(self, grads: tuple, depth: int) -> tuple:
        return in_vmaps(depth, self._run_on_one, grads)

    def _run_on_one(self, grads: tuple) -> tuple:
        return checked(
            self.f(*lift(grads)), grads, f"{name_of(self.f)}, in InsertGradientOf,", "dx"
        )


__all__ = ["HookBackward", "InsertGradientOf"]
