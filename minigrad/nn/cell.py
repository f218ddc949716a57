"""Cell: a layer or a network. ``construct`` computes; a ``bprop``, if there, is its rule."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ..parameter import Parameter
from ..tape import TAPE
from ..tensor import Tensor
from .custom import call_with_bprop


class Cell:
    """The base of all layers, networks and losses.

    A subclass writes ``construct``, which computes the output with Tensors, and creates its
    Parameters and child Cells as attributes in ``__init__``, after ``super().__init__()``. Calling
    the Cell runs ``construct``.

    A subclass may also write its own gradient rule, ``bprop(self, *inputs, out, dout)``. It takes
    the inputs of ``construct``, then the output and its gradient, and returns a tuple with the
    gradient of each input. Inside a gradient call, ``construct`` then runs unrecorded, so it may
    use any library. Gradients of the Cell's own Parameters are returned beside those of the inputs:
    ``return (dx,), {self.w: dw}``.

    >>> from minigrad import nn, ops, grad, Tensor
    >>> class Cube(nn.Cell):
    ...     def construct(self, x):
    ...         return Tensor(x.asnumpy() ** 3)
    ...     def bprop(self, x, out, dout):
    ...         return (dout * 3 * x * x,)
    >>> print(grad(Cube())(Tensor([2.0])))
    [12.]
    """

    bprop: Any = None
    training = False
    requires_grad = False
    _params: dict[str, Parameter]
    _cells: dict[str, Cell]

    def __init__(self, auto_prefix: bool = True, flags=None):
        object.__setattr__(self, "_params", {})
        object.__setattr__(self, "_cells", {})
        self._auto_prefix = auto_prefix

    def __call__(self, *args, **kwargs):
        if self.bprop is None or TAPE.get() is None:
            return self.construct(*args, **kwargs)
        return call_with_bprop(self, args, kwargs)

    def construct(self, *args, **kwargs) -> Any:
        """Compute the output from the inputs. Every subclass writes its own."""
        raise AttributeError(
            f"{type(self).__name__} has no construct; write `def construct(self, x): ...`"
        )

    # Attributes that are Parameters or Cells are registered under their name.
    def __setattr__(self, name: str, value) -> None:
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}.__init__ must call super().__init__() before it sets "
                f"attributes such as {name}"
            )
        held = self._params.get(name)
        if held is not None and isinstance(value, Tensor) and not isinstance(value, Parameter):
            held.set_data(value)  # the Parameter stays the one that optimizers know
            return
        self._params.pop(name, None)
        self._cells.pop(name, None)
        if isinstance(value, Parameter):
            if value.name.startswith(Parameter.unnamed):
                value.name = name
            self._params[name] = value
        elif isinstance(value, Cell):
            self._cells[name] = value
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._params.pop(name, None)
        self._cells.pop(name, None)
        object.__delattr__(self, name)

    def __copy__(self) -> Cell:
        """A Cell with the same Parameters and child Cells; what is set on one is its own."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), _params=dict(self._params), _cells=dict(self._cells))
        return copy

    # What it holds.
    def cells(self) -> list[Cell]:
        """The child Cells, in the order in which they were set."""
        return list(self._cells.values())

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The child Cells by name."""
        return OrderedDict(self._cells)

    def cells_and_names(self, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """The Cell itself and all inside it, each once, with its path such as "body.0"."""
        seen: set[int] = set()
        stack = [(name_prefix, self)]
        while stack:
            path, cell = stack.pop()
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield path, cell
            dot = f"{path}." if path else ""
            stack += reversed([(dot + name, child) for name, child in cell._cells.items()])

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The Parameters of this Cell and (``expand``) of all inside it, with their paths."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix):
            if not expand and cell is not self:
                break
            for name, value in cell._held_parameters():
                if id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def _held_parameters(self) -> Iterator[tuple[str, Parameter]]:
        for name, value in vars(self).items():
            if isinstance(value, Parameter):
                yield name, value
            elif type(value) is tuple or (isinstance(value, tuple) and name in vars(self)):
                for p in value:
                    if isinstance(p, Parameter):
                        yield p.name, p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The Parameters of this Cell and (``expand``) of all inside it."""
        return (p for _, p in self.parameters_and_names(expand=expand))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters for gradient calls and optimizers: ``requires_grad`` is True."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters that are frozen: ``requires_grad`` is False."""
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The Parameters by their names."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every Parameter inside by its path, with this prefix."""
        for path, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + path

    def set_train(self, mode: bool = True) -> Cell:
        """Say that the network is being trained (or not): dropout and batch norm care."""
        for _, cell in self.cells_and_names():
            cell.training = mode
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """As in MindSpore; minigrad records what a gradient call needs without being told."""
        self.requires_grad = requires_grad
        return self

    # How it prints.
    def extend_repr(self) -> str:
        """What stands between the brackets when the Cell is printed."""
        return ""

    def __repr__(self) -> str:
        own = self.extend_repr()
        lines = own.split("\n") if own else []
        children = [f"({name}): {child!r}" for name, child in self._cells.items()]
        if not children and len(lines) <= 1:
            return f"{type(self).__name__}({own})"
        inner = "\n".join(lines + children).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {inner}\n)"
