"""``check_grads`` and ``check_bprop``: a function, its inputs and weights in float64, compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..containers import CONTAINERS, parts, rebuilt, tensors_in
from ..gradient_call import refuse_class
from ..parameter import Parameter
from ..tensor import Tensor, unwrap, wrap, write
from ..transform import parameters_of, vjp
from ..watch import argument_names, name_of
from .differences import Comparison
from .report import Difference, Entries, Report


def check_grads(
    fn: Callable,
    *args: Any,
    order: int = 2,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
    tolerance: float = 2e-7,
    seed: int = 0,
    kwargs: dict[str, Any] | None = None,
) -> Report:
    """Compare the derivatives of fn, up to ``order``, with central differences in float64.

    ``args`` are Tensors, arrays or floats, or tuples, lists and dicts of them; each of floating
    dtype is checked, as float64, and all else is left alone. So are the ``weights``: if None, the
    trainable Parameters of a Cell. They are in float64 while the check runs, and afterwards what
    they were. With ``has_aux`` the first output alone is checked. ``kwargs`` are arguments of fn by
    name, and checked as well.

    Returns a Report, which prints well. Raises GradientError, an AssertionError, if a gradient is
    off by more than ``tolerance`` of its size, and says where most and by how much. At a kink, such
    as that of ``relu`` at 0, any value between the slopes on the two sides passes, and is listed.
    So is what differences cannot tell: at the end of a domain, or where the gradient is lost in
    the rounding of the function's values. If they can tell nothing at all, that is an error too.
    Raises ValueError if there is nothing to differentiate, if the output is NaN or infinite, or if
    two runs of fn differ.

    >>> import minigrad as ms
    >>> from minigrad.check import check_grads
    >>> check_grads(lambda x, y: ms.ops.sin(x) * y, ms.Tensor([1.0, 2.0]), 3.0)
    function: right to order 2 in x, y; largest relative error ...
    >>> check_grads(ms.ops.relu, ms.Tensor([-1.0, 0.0]), order=1)
    relu: right to order 1 in x; largest relative error ...
      x[1] is at a kink: the slope is 0 on the left and ... on the right; the gradient is 0, ...
      where dout, the gradient of the output, is [...]
    """
    if not isinstance(order, int) or isinstance(order, bool) or order < 1:
        raise ValueError(f"order must be a whole number from 1 on, but got {order!r}")
    with _Function(fn, args, weights, has_aux, kwargs).in_float64() as function:
        rng = np.random.default_rng(seed)
        level = Comparison(1, function, function.names, function.arrays, tolerance, rng)
        found = level.differences()
        while level.order < order and level.compared and all(each.passes for each in found):
            level = level.next(max(tolerance, 2e-6))
            found += level.differences()
    return _report(function, level, found, f"right to order {order}").raise_if_wrong()


def check_bprop(
    cell: Callable,
    *args: Any,
    tolerance: float = 2e-7,
    seed: int = 0,
    kwargs: dict[str, Any] | None = None,
) -> Report:
    """Say whether the bprop of a Cell is the true derivative of its construct, and if not where.

    ``cell`` is a Cell with a bprop, or a function with a rule of its own; ``args`` and ``kwargs``
    are as in ``check_grads``. True is what central differences of construct say in float64. Where
    construct can be differentiated without the bprop, that gradient is named as well. A Parameter
    counts as an input: a bprop that gives none for it claims that it is 0.

    Returns a Report: ``right``, ``differences``, and the words. A rule that is meant to differ,
    such as a surrogate for the gradient of a step, is no error; ``raise_if_wrong()`` makes it one.

    >>> from minigrad import Tensor, nn
    >>> from minigrad.check import check_bprop
    >>> class Square(nn.Cell):
    ...     def construct(self, x):
    ...         return x * x
    ...     def bprop(self, x, out, dout):
    ...         return (dout * x,)
    >>> check_bprop(Square(), Tensor([3.0]))
    Square: not the derivative of its construct
      x[0]: the gradient is ..., but differences give ...: 0.5 times the true one; without...
      where dout, the gradient of the output, is [...]
    """
    if getattr(cell, "bprop", cell) is None:
        raise ValueError(f"{name_of(cell)} has no bprop of its own to check; use check_grads")
    checked = _Function(cell, args, None, False, kwargs)
    with warnings.catch_warnings(), checked.in_float64() as function:
        warnings.filterwarnings("ignore", ".*gives no gradient for its Parameter")  # it is told
        rng = np.random.default_rng(seed)
        level = Comparison(1, function, function.names, function.arrays, tolerance, rng)
        level.plain = function.without_bprop(level.dout)
        found = level.differences()
    return _report(function, level, found, "the derivative of its construct")


def compare_entries(
    fn: Callable,
    *args: Any,
    weights: Parameter | Iterable[Parameter] | None = None,
    dout: Iterable[np.ndarray] | None = None,
    most: int = 36,
    seed: int = 0,
    kwargs: dict[str, Any] | None = None,
) -> list[Entries]:
    """Compare the gradient of fn, entry by entry, with central differences in float64.

    ``args`` and ``weights`` are as in ``check_grads``. The gradient is that of ``grad``: of the sum
    of all outputs, or of the outputs each times its ``dout``. For each input and weight the answer
    has an Entries, and in it a Difference for each entry, right or not. Of an array of more than
    ``most`` entries so many are drawn at random, and all together are compared along one direction.
    ``kwargs`` are arguments of fn by name.

    Raises ValueError if there is nothing to differentiate, if the output is NaN or infinite, or if
    two runs of fn differ.

    >>> import minigrad as ms
    >>> from minigrad.check import compare_entries
    >>> (x,) = compare_entries(ms.ops.relu, ms.Tensor([-1.0, 0.0, 2.0]))
    >>> [(each.place, each.kind, each.got) for each in x.differences]
    [('x[0]', 'right', 0.0), ('x[1]', 'kink', 0.0), ('x[2]', 'right', 1.0)]
    """
    with _Function(fn, args, weights, False, kwargs).in_float64() as function:
        if dout is None:
            dout = [np.ones(y.shape) for y in function(*map(Tensor, function.arrays))]
        level = Comparison(
            1, function, function.names, function.arrays, 2e-7, np.random.default_rng(seed),
            dout=list(dout),
        )  # fmt: skip
        return [level.entries(i, most) for i in range(len(level.names))]


def _report(function: _Function, level: Comparison, found: list[Difference], claim: str) -> Report:
    wrong = sorted((d for d in found if not d.passes), key=lambda each: -each.size)
    lowest = {(d.input, d.entry): d for d in reversed(found) if d.passes}  # of the lowest order
    passed = tuple(reversed(lowest.values()))
    return Report(
        function.name, claim, tuple(function.names), level.error, tuple(wrong),
        tuple(d for d in passed if not d.is_unclear), tuple(d for d in passed if d.is_unclear),
        level.compared, level.notes(),
    )  # fmt: skip


# ------------------------------------------------------------------- a function of float64 arrays
class _Function:
    """fn as a function of float64 Tensors alone: its floating inputs, and the weights."""

    def __init__(
        self,
        fn: Callable,
        args: tuple,
        weights: Any,
        has_aux: bool,
        kwargs: dict[str, Any] | None = None,
    ):
        refuse_class(fn)
        if not callable(fn):
            raise TypeError(f"a check needs a function or a Cell, but got {fn!r}")
        if not isinstance(kwargs, dict | None):
            raise TypeError(
                "kwargs must be a dict of the arguments by name, such as {'y': Tensor([1.0])}, but "
                f"got {type(kwargs).__name__}"
            )
        self.fn, self.args, self.kwargs, self.has_aux = fn, args, kwargs or {}, has_aux
        self.name = name_of(fn)
        held = list(fn.get_parameters()) if hasattr(fn, "get_parameters") else []
        self.weights = (
            [p for p in held if p.requires_grad] if weights is None else parameters_of(weights)
        )
        self.weights = [p for p in self.weights if p.array.dtype.kind == "f"]
        self.held = list(dict.fromkeys([*held, *self.weights]))  # their values are put back
        self.argument_names = argument_names(fn, len(args))
        self.names: list[str] = []
        self.arrays: list[np.ndarray] = []
        self._arguments(self._gather)
        for p in self.weights:
            self._gather(p.name, p.array)
        if not self.arrays:
            raise ValueError(
                f"{self.name} was given no floating input and has no weights, so there is no "
                "gradient to check; pass a Tensor of floats, such as Tensor([1.0, 2.0])"
            )

    def _gather(self, name: str, array: np.ndarray) -> None:
        self.names.append(name)
        self.arrays.append(np.array(array, np.float64))

    def _arguments(self, change: Callable) -> tuple[list, dict[str, Any]]:
        named = zip(self.argument_names, self.args, strict=True)
        args = [_change(name, x, change) for name, x in named]
        return args, {name: _change(name, x, change) for name, x in self.kwargs.items()}

    @contextmanager
    def in_float64(self) -> Iterator[_Function]:
        """Hold the Parameters in float64; give them back their arrays in the end."""
        before = [p.array for p in self.held]
        self.start = [
            array.astype(np.float64) if array.dtype.kind == "f" else array for array in before
        ]
        try:
            with np.errstate(all="ignore"):  # a step may leave the domain, and that is told
                self._ask_twice()
                yield self
        finally:
            for p, array in zip(self.held, before, strict=True):
                p.array = array

    def __call__(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        return self.run(self.fn, tensors)

    def run(self, fn: Callable, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
        """fn's floating outputs. Every run starts from the same Parameters."""
        for p, array in zip(self.held, self.start, strict=True):
            write(p, wrap(array))
        values = iter(tensors)
        args, kwargs = self._arguments(lambda name, array: next(values))
        for p in self.weights:
            p.set_data(next(values))  # gradients flow through the write
        output = fn(*args, **kwargs)
        if self.has_aux:
            if type(output) is not tuple or len(output) < 2:
                raise ValueError(f"has_aux=True needs {self.name} to return (value, aux, ...)")
            output = output[0]
        floats = tuple(x for x in tensors_in(output) if x.array.dtype.kind == "f")
        if not floats:
            raise TypeError(
                f"{self.name} returned no Tensor of floats, so it has no gradient to check"
            )
        return floats

    def _ask_twice(self) -> None:
        first, second = (list(map(unwrap, self(*map(Tensor, self.arrays)))) for _ in range(2))
        if not all(np.array_equal(a, b, True) for a, b in zip(first, second, strict=True)):
            raise ValueError(
                f"two runs of {self.name} on the same inputs differ, so it cannot be checked. If "
                "it draws random numbers, as dropout does, let it draw the same each time: set the "
                "seed where it begins, with minigrad.set_seed(0), or turn training off with "
                "net.set_train(False)"
            )
        if not all(np.isfinite(x).all() for x in first):
            raise ValueError(
                f"the output of {self.name} is NaN or infinite at these inputs, so it has no "
                "gradient to check; minigrad.check.nan_origin says where that is born"
            )

    def without_bprop(self, douts: list) -> list | None:
        """The gradients as they are without the outermost bprop, if minigrad can tell them."""
        plain = getattr(self.fn, "construct", None) or getattr(self.fn, "__wrapped__", None)
        if plain is None:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a value that leaves minigrad has no gradient there
            try:
                pull = vjp(lambda *xs: self.run(plain, xs), *map(Tensor, self.arrays))[1]
                return list(map(unwrap, pull(*map(Tensor, douts))))
            except Exception:
                return None


def _change(name: str, x: Any, change: Callable) -> Any:
    """x with ``change(name, array)`` in place of each floating array in it."""
    if isinstance(x, CONTAINERS):
        return rebuilt(x, [_change(f"{name}[{key!r}]", v, change) for key, v in parts(x)])
    if isinstance(x, float | Tensor | np.ndarray | np.generic):
        array = np.asarray(unwrap(x))
        if array.dtype.kind == "f":
            return change(name, array)
    return x
