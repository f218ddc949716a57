"""A Parameter is a Tensor that a network learns.

It has no Node of its own: each gradient call that asks for it keeps one for it, so the same network
can be differentiated by several threads at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import numpy as np

from .initializers import initializer
from .printing import parameter_representation
from .tensor import Node, Tensor, write

_COUNT = itertools.count(1)

# The Parameters that the gradient calls running in this thread differentiate, and their Nodes.
_NOBODYS: Mapping[Parameter, Node] = MappingProxyType({})
WEIGHTS: ContextVar[Any] = ContextVar("weights", default=_NOBODYS)

# Parameters that have another value for a while: one for each sample, inside vmap; in a bprop, the
# one that it had at the call; while a function is recorded, one that stands for it.
VALUES: ContextVar[Any] = ContextVar("values", default=None)


def layered(arrays: Mapping[Parameter, Any]) -> Any:
    """What VALUES is to hold while these Parameters have these arrays."""
    values = VALUES.get()
    now: Any = {} if values is None else values.copy()
    now.update(arrays)
    return now


class Parameter(Tensor):
    """A Tensor that a network learns. It has a Node in the gradient calls that ask for it.

    ``default_input`` is whatever a Tensor is made from. ``name`` is how gradients, errors and
    pictures call it; a Cell names a Parameter without one after its attribute.
    ``requires_grad=False`` freezes it: it is left out of ``trainable_params()``.

    >>> from minigrad import Parameter, Tensor
    >>> Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ("_array", "_name", "requires_grad")

    _array: Any
    unnamed = "Parameter#"  # how the name of one begins that was not given any
    sliced = False  # a slice is a Tensor

    def __init__(
        self, default_input, name: str | None = None, requires_grad: bool = True, **kwargs
    ):
        unknown = kwargs.keys() - {"layerwise_parallel", "parallel_optimizer", "storage_format"}
        if unknown:
            raise TypeError(f"Parameter takes no argument {', '.join(sorted(unknown))}")
        kind = {int: np.int32, np.float64: np.float32}.get(type(default_input))  # as MindSpore
        value = Tensor(default_input, kind)
        if hasattr(value.array, "samples"):
            raise TypeError(
                f"Parameter({name or ''}) inside vmap would be one of each sample: make it "
                "outside, or use the Tensor as it is, which grad differentiates by its position"
            )
        value._leave("Parameter()")
        self.array = np.array(value.array)
        self.name = name
        self.requires_grad = requires_grad
        self._hooks = ()  # until one is registered

    @property
    def name(self) -> str:
        """How gradients, errors and pictures call the Parameter."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if name is None:  # a Cell may name it later
            name = f"{Parameter.unnamed}{next(_COUNT)}"
        if not isinstance(name, str):
            raise TypeError(f"a Parameter's name must be a string, not {type(name).__name__}")
        self._name = name

    @property  # a Tensor keeps its array, a Parameter may look it up
    def array(self) -> Any:
        """The values."""
        values = VALUES.get()
        return self._array if values is None else values.get(self, self._array)

    @array.setter
    def array(self, array: Any) -> None:
        values = VALUES.get()
        held = values[self] if values and self in values else None
        if hasattr(array, "samples") or hasattr(held, "samples"):
            raise TypeError(
                f"Parameter {self.name} is written inside vmap, where each sample may write "
                "something else: return the value, and write it outside"
            )
        # A bprop saw the value of its call, or of another dtype; from now on it sees this one.
        if held is not None:
            del values[self]
            array = array.astype(self._array.dtype, copy=False)
        if hasattr(values, "write"):  # a function is recorded: see graph/recording.py
            values.write(self, array)
        else:
            self._array = array

    @property  # a Tensor keeps its Node, a Parameter looks it up
    def node(self) -> Node | None:
        """The place in the gradient call that runs, if that asks for the Parameter."""
        return WEIGHTS.get().get(self)

    @node.setter
    def node(self, node: Node | None) -> None:
        weights = WEIGHTS.get()
        if weights is _NOBODYS:
            return  # outside of all gradient calls nothing is tracked
        weights[self] = node

    @property
    def data(self) -> Tensor:
        """The values as a Tensor."""
        return Tensor(self)

    def value(self) -> Tensor:
        """The values as a Tensor."""
        return Tensor(self)

    def set_data(self, data, slice_shape: bool = False) -> Parameter:
        """Give the Parameter new values, in its own dtype; return the Parameter.

        Raises ValueError if the shape differs, unless ``slice_shape`` allows it.

        >>> from minigrad import Parameter, Tensor
        >>> p = Parameter(Tensor([1.0, 2.0]), name="p")
        >>> print(p.set_data(Tensor([3.0, 4.0])).asnumpy())
        [3. 4.]
        """
        value = Tensor(data, self.array.dtype)
        if value.shape != self.shape and not slice_shape:
            raise ValueError(
                f"Parameter {self.name} has shape {self.shape}, but set_data got {value.shape}"
            )
        write(self, value)
        return self

    def clone(self, init: Any = "same") -> Parameter:
        """A Parameter with the same shape, dtype, name and ``requires_grad``.

        Its values are the same too, or else those of an initializer, such as "zeros".
        """
        values = self if init == "same" else initializer(init, self.shape, self.dtype)
        return Parameter(values, self.name, self.requires_grad)

    def __str__(self) -> str:
        return parameter_representation(self.name, self.shape, self.array.dtype, self.requires_grad)

    __repr__ = __str__

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return Parameter, (np.asarray(self.array), self.name, self.requires_grad)


def value_of(p: Parameter) -> float:
    """The number in a Parameter, to decide by: a program that jit records holds while it is so."""
    values = VALUES.get()
    return float(values.depend(p) if hasattr(values, "depend") else p.array)


class ParameterTuple(tuple):
    """A tuple of Parameters, such as the weights of a gradient call.

    Raises TypeError if an element is not a Parameter.
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable[Parameter]):
        """Make the tuple from Parameters."""
        parameters = tuple(iterable)
        for i, p in enumerate(parameters):
            if not isinstance(p, Parameter):
                raise TypeError(f"ParameterTuple: element {i} is {type(p).__name__}, no Parameter")
        return super().__new__(cls, parameters)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Clones of the Parameters, named "prefix.name": what an optimizer remembers of them.

        >>> from minigrad import Parameter, ParameterTuple, Tensor
        >>> ParameterTuple([Parameter(Tensor([1.0]), name="w")]).clone("moments", "zeros")
        (Parameter (name=moments.w, shape=(1,), dtype=Float32, requires_grad=True),)
        """
        clones = ParameterTuple(p.clone(init) for p in self)
        for p in clones:
            p.name = f"{prefix}.{p.name}"
        return clones
