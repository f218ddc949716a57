"""Cell: a layer or a network. ``construct`` computes; a ``bprop``, if there, is its rule."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, ValuesView
from functools import wraps
from typing import Any

from ..context import in_graph_mode
from ..gradient_call import name_of
from ..hooks import HookHandle, add_hook
from ..parameter import VALUES, Parameter
from ..tape import TAPE
from ..tensor import Tensor
from .custom import call_with_bprop
from .hooks import CellHooks, call_with_hooks
from .state import CellState, call_in_float, check_buffer


class Cell(CellState):
    """The base of all layers, networks and losses.

    A subclass writes ``construct``, which computes the output with Tensors, and creates its
    Parameters and child Cells as attributes in ``__init__``, after ``super().__init__()``. Calling
    the Cell runs ``construct``.

    A subclass may also write its own gradient rule, ``bprop(self, *inputs, out, dout)``. It takes
    the inputs of ``construct``, then the output and its gradient, and returns a tuple with the
    gradient of each input. Inside a gradient call, ``construct`` then runs unrecorded, so it may
    use any library. Gradients of the Cell's own Parameters are returned beside those of the inputs:
    ``return (dx,), {self.w: dw}``. In bprop the Parameters have the values of the call, even if
    they were written since. Inputs and outputs may be tuples, lists and dicts with Tensors in them:
    gradients of the inputs are returned in the same places, and ``dout`` is one flat tuple with the
    gradient of each Tensor among the outputs, or that gradient alone if there is one.

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
    _cells: OrderedDict[str, Cell]
    _hooks: CellHooks | None = None

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None):
        object.__setattr__(self, "_params", {})
        object.__setattr__(self, "_cells", OrderedDict())
        object.__setattr__(self, "_buffers", {})
        self._auto_prefix = auto_prefix
        if flags:
            self.add_flags(**flags)

    def __call__(self, *args, **kwargs):
        if in_graph_mode() and VALUES.get() is None and TAPE.get() is None:
            from ..graph.compiled import run_cell

            return run_cell(self, args, kwargs)
        return self.run(*args, **kwargs)

    def run(self, *args, **kwargs) -> Any:
        """Call the Cell line by line, in graph mode too."""
        if (values := VALUES.get()) is not None and hasattr(values, "recording"):
            values.recording.see(self)
        if self._float is not None:
            return call_in_float(self, args, kwargs)
        if self._hooks is not None:
            return call_with_hooks(self, self._hooks, args, kwargs)
        if self.bprop is None or TAPE.get() is None:
            return self.construct(*args, **kwargs)
        return call_with_bprop(self, args, kwargs)

    def construct(self, *args, **kwargs) -> Any:
        """Compute the output from the inputs. Every subclass writes its own."""
        raise AttributeError(
            f"{type(self).__name__} has no construct; write `def construct(self, x): ...`"
        )

    @property
    def _held(self) -> list[Any]:
        """The Parameters and the Cells that are attributes of this Cell."""
        return [*self._params.values(), *self._cells.values()]

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
        self._check_replaced(name, value)
        if name in self._buffers:
            check_buffer(self, name, value)
        if isinstance(value, Parameter):
            if value.name.startswith(Parameter.unnamed):
                value.name = name
            self._params[name] = value
        elif isinstance(value, Cell):
            self._cells[name] = value
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
        else:
            self._params.pop(name, None)
            self._cells.pop(name, None)
        object.__setattr__(self, name, value)

    def _check_replaced(self, name: str, value: Any) -> None:
        for kind, held in ((Parameter, self._params), (Cell, self._cells)):
            if name in held and value is not None and not isinstance(value, kind):
                raise TypeError(
                    f"{name} of {self.cls_name} is a {kind.__name__}, and what replaces it must be "
                    f"one too, not a {type(value).__name__}; to take it out, del it first"
                )

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Hold a Cell under this name. Its Parameters keep their names.

        Raises KeyError for a name that is taken, empty, or holds a dot.
        """
        if not isinstance(child_cell, Cell):
            raise TypeError(f"insert_child_to_cell needs a Cell, not a {type(child_cell).__name__}")
        self._check_name("insert_child_to_cell", child_name)
        if "." in child_name or hasattr(self, child_name):
            raise KeyError(_taken("insert_child_to_cell", self, child_name))
        self._cells[child_name] = child_cell
        object.__setattr__(self, child_name, child_cell)

    def insert_param_to_cell(
        self, param_name: str, param: Parameter, check_name_contain_dot: bool = True
    ) -> None:
        """Hold a Parameter under this name, in the place of one that has it already.

        One without a name of its own gets this one. Raises KeyError for a name that is taken by
        something else, empty, or holds a dot (which ``check_name_contain_dot=False`` allows).
        """
        if not isinstance(param, Parameter):
            raise TypeError(
                f"insert_param_to_cell needs a Parameter, not a {type(param).__name__}; make it "
                "one: minigrad.Parameter(x)"
            )
        self._check_name("insert_param_to_cell", param_name)
        dot = "." in param_name and check_name_contain_dot
        if dot or (param_name not in self._params and hasattr(self, param_name)):
            raise KeyError(_taken("insert_param_to_cell", self, param_name))
        setattr(self, param_name, param)

    def _check_name(self, method: str, name: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{method} needs a name, a string, not a {type(name).__name__}")
        if not name:
            raise KeyError(f"{method}: the name is empty")

    def add_flags(self, **flags) -> Cell:
        """Set attributes, and remember that they are flags; return the Cell."""
        vars(self)["_flags"] = {**self.get_flags(), **flags}
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags) -> Cell:
        """Add flags to this Cell and to all inside it; return the Cell."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags that were added, with their values."""
        return dict(vars(self).get("_flags", {}))

    def __delattr__(self, name: str) -> None:
        for held in (self._params, self._cells, self._buffers):
            held.pop(name, None)
        object.__delattr__(self, name)

    def __copy__(self) -> Cell:
        """A Cell with the same Parameters and child Cells; what is set on one is its own."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), _params=dict(self._params), _cells=self._cells.copy())
        copy._buffers = dict(self._buffers)
        if self._hooks is not None:
            copy._hooks = self._hooks.__copy__()
        return copy

    # What it holds.
    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def cells(self) -> ValuesView[Cell]:
        """The child Cells, each once, in the order in which they were set."""
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The child Cells by name, each once."""
        names = {id(cell): name for name, cell in reversed(self._cells.items())}
        return OrderedDict((n, cell) for n, cell in self._cells.items() if names[id(cell)] == n)

    def cells_and_names(
        self, cells: set[Cell] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, Cell]]:
        """The Cell itself and all inside it, each once, with its path such as "body.0".

        ``cells`` are those to leave out, with what is inside them. It is added to.
        """
        seen = set() if cells is None else cells
        stack = [(name_prefix, self)]
        while stack:
            path, cell = stack.pop()
            if cell in seen:
                continue
            seen.add(cell)
            yield path, cell
            dot = f"{path}." if path else ""
            stack += reversed([(dot + name, child) for name, child in cell._cells.items()])

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The Parameters of this Cell and (``expand``) of all inside it, with their paths."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix=name_prefix):
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
        """The Parameters by their names. Raises ValueError if two have the same name."""
        named: OrderedDict[str, Parameter] = OrderedDict()
        for path, p in self.parameters_and_names(expand=recurse):
            if p.name in named:
                raise ValueError(
                    f"{self.cls_name} holds two Parameters named {p.name!r}, the second as {path}: "
                    "give each a name of its own, Parameter(x, name=...)"
                )
            named[p.name] = p
        return named

    def check_names(self) -> None:
        """Raise ValueError if two Parameters have the same name."""
        self.parameters_dict()

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

    @property
    def param_prefix(self) -> str:
        """An empty string, as in MindSpore until a distributed run sets it."""
        return ""

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Each Parameter, by itself. MindSpore makes their values here; they are there already."""
        return {p: p for p in self.get_parameters()}

    def set_inputs(self, *inputs: Any, **named: Any) -> None:
        """Nothing: this tells MindSpore's compiler of the inputs; ``jit`` sees them at a call."""

    def set_jit_config(self, jit_config: Any) -> None:
        """Nothing: this tells MindSpore's compiler how to compile; ``jit`` has one way."""

    def recompute(self, **options: Any) -> None:
        """Nothing: this saves MindSpore memory; values and gradients are the same without it."""

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: in graph mode the first call records the program."""

    def apply(self, fn: Callable[[Cell], Any]) -> Cell:
        """Call a function with every Cell inside, then with the Cell itself; return the Cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # Hooks: see hooks.py.
    def _add_hook(self, when: str, hook_fn: Callable, **settings) -> HookHandle:
        if self._hooks is None:
            self._hooks = CellHooks()
        return add_hook(getattr(self._hooks, when), hook_fn, **settings)

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call ``hook_fn(cell, args)`` before ``construct``; what it returns is the new args.

        One value alone becomes a tuple; None changes nothing. ``with_kwargs``: the call is
        ``hook_fn(cell, args, kwargs)``, and a change is a pair of both. ``prepend``: it is called
        before the hooks that are there, else after them.
        """
        return self._add_hook("forward_pre", hook_fn, prepend=prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Callable,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Call ``hook_fn(cell, args, output)`` after ``construct``; a value is the new output.

        ``with_kwargs``: the call is ``hook_fn(cell, args, kwargs, output)``. ``prepend``: it is
        called before the hooks that are there. ``always_call``: also when an error is raised.
        """
        return self._add_hook(
            "forward", hook_fn, prepend=prepend, with_kwargs=with_kwargs, always_call=always_call
        )

    def register_backward_pre_hook(self, hook_fn: Callable) -> HookHandle:
        """Call ``hook_fn(cell, grad_output)`` in the backward sweep, before it enters the Cell.

        ``grad_output`` is a tuple, a gradient for each Tensor of the output. What the hook
        returns, a Tensor or a tuple of as many, takes its place; None changes nothing.
        """
        return self._add_hook("backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> HookHandle:
        """Call ``hook_fn(cell, grad_input, grad_output)`` when the sweep leaves the Cell.

        Both are tuples: a gradient for each Tensor among the positional inputs, and for each of
        the output. What the hook returns, a Tensor or a tuple, takes the place of ``grad_input``;
        None changes nothing. If no gradient flows to an input, ``grad_input`` is ``(None,)``.

        >>> from minigrad import Tensor, grad, nn
        >>> net = nn.ReLU()
        >>> handle = net.register_backward_hook(lambda cell, dx, dy: dx[0] * 10)
        >>> print(grad(net)(Tensor([3.0, -1.0])))
        [10.  0.]
        >>> handle.remove()
        """
        return self._add_hook("backward", hook_fn)

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


def _taken(method: str, cell: Cell, name: str) -> str:
    if "." in name:
        return f"{method}: the name {name!r} holds a dot, which stands between the parts of a path"
    return f"{method}: {cell.cls_name} has a {name} already; del it first, or take another name"


def custom_bprop(bprop: Callable) -> Callable[[Callable], Callable]:
    """Give a function its own gradient rule: what a Cell with a ``bprop`` is, for a plain function.

    ``bprop`` takes the inputs of the function, then the output and its gradient, and returns a
    tuple with the gradient of each input. All that is said of a Cell's bprop holds, without self.
    Parameters that the function needs are inputs of it.

    >>> from minigrad import Tensor, custom_bprop, grad
    >>> def cube_bprop(x, out, dout):
    ...     return (dout * 3 * x * x,)
    >>> @custom_bprop(cube_bprop)
    ... def cube(x):
    ...     return Tensor(x.asnumpy() ** 3)
    >>> print(grad(cube)(Tensor([2.0])))
    [12.]
    """
    if not callable(bprop):
        raise TypeError(
            f"custom_bprop needs the rule, a function, but got a {type(bprop).__name__}: "
            "@custom_bprop(rule) stands above the function"
        )

    def decorator(function: Callable) -> Callable:
        if not callable(function):
            raise TypeError(
                f"@custom_bprop(rule) stands above a function, but got {function!r} to give it to"
            )
        methods = {"construct": staticmethod(function), "bprop": staticmethod(bprop)}
        cell = type(name_of(function), (Cell,), methods)()

        @wraps(function)
        def with_bprop(*args, **kwargs):
            return cell(*args, **kwargs)

        return with_bprop

    return decorator
