"""Functions that write a Parameter, which keeps what was written, by MindSpore's names."""

from collections.abc import Callable

from ..rules import index as rules
from ..rules.elementwise import add, divide, maximum, minimum, multiply, subtract
from ..tensor import Tensor, write
from .write import fitting, places_of, write_each


def assign(variable, value) -> Tensor:
    """Give a Parameter (or Tensor) this value from now on, and return it.

    Shapes: value as variable, or one that broadcasts to a Tensor's; the output is variable
    Dtypes: any; variable keeps its own, to which value is cast
    Raises ValueError if the shapes do not fit.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> print(ops.assign(w, Tensor([3.0, 4.0])).asnumpy())
    [3. 4.]

    Source: the definition
    """
    return variable.assign_value(value)


def assign_add(variable, value) -> Tensor:
    """Add value to a Parameter (or Tensor), which keeps the sum, and return it.

    Shapes: value as variable, or one that broadcasts to it; the output is variable
    Dtypes: any; variable keeps its own
    Raises ValueError if the shapes do not fit.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> print(ops.assign_add(w, Tensor([3.0, 4.0])).asnumpy())
    [4. 6.]

    Source: the definition
    """
    return variable.assign_value(variable + value)


def assign_sub(variable, value) -> Tensor:
    """Take value off a Parameter (or Tensor), which keeps the difference, and return it.

    Shapes: value as variable, or one that broadcasts to it; the output is variable
    Dtypes: any; variable keeps its own
    Raises ValueError if the shapes do not fit.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([3.0, 4.0]), name="w")
    >>> print(ops.assign_sub(w, Tensor([1.0, 1.0])).asnumpy())
    [2. 3.]

    Source: the definition
    """
    return variable.assign_value(variable - value)


def _write_rows(name: str, function: Callable, variable, indices, updates) -> Tensor:
    key = (places_of(name, indices),)
    write(variable, write_each(name, function, variable, key, updates))
    return variable


def scatter_update(input_x, indices, updates) -> Tensor:
    """Write updates into the rows of a Parameter at the indices; of several, the last.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_update(w, Tensor([1]), Tensor([[9.0, 9.0]])).asnumpy())
    [[1. 2.]
     [9. 9.]]

    Source: the definition
    """
    key = (places_of("scatter_update", indices),)
    write(input_x, rules.assign(input_x, fitting("scatter_update", updates, input_x), key))
    return input_x


def scatter_add(input_x, indices, updates) -> Tensor:
    """Add updates to the rows of a Parameter at the indices.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_add(w, Tensor([1]), Tensor([[1.0, 2.0]])).asnumpy())
    [[1. 2.]
     [4. 6.]]

    Source: the definition
    """
    return _write_rows("scatter_add", add, input_x, indices, updates)


def scatter_sub(input_x, indices, updates) -> Tensor:
    """Take updates off the rows of a Parameter at the indices.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_sub(w, Tensor([1]), Tensor([[1.0, 2.0]])).asnumpy())
    [[1. 2.]
     [2. 2.]]

    Source: the definition
    """
    return _write_rows("scatter_sub", subtract, input_x, indices, updates)


def scatter_mul(input_x, indices, updates) -> Tensor:
    """Multiply the rows of a Parameter at the indices by updates.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_mul(w, Tensor([1]), Tensor([[1.0, 2.0]])).asnumpy())
    [[1. 2.]
     [3. 8.]]

    Source: the definition
    """
    return _write_rows("scatter_mul", multiply, input_x, indices, updates)


def scatter_div(input_x, indices, updates) -> Tensor:
    """Divide the rows of a Parameter at the indices by updates.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_div(w, Tensor([1]), Tensor([[1.0, 2.0]])).asnumpy())
    [[1. 2.]
     [3. 2.]]

    Source: the definition
    """
    return _write_rows("scatter_div", divide, input_x, indices, updates)


def scatter_max(input_x, indices, updates) -> Tensor:
    """Keep the larger of the rows of a Parameter at the indices and updates.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_max(w, Tensor([1]), Tensor([[9.0, 0.0]])).asnumpy())
    [[1. 2.]
     [9. 4.]]

    Source: the definition
    """
    return _write_rows("scatter_max", maximum, input_x, indices, updates)


def scatter_min(input_x, indices, updates) -> Tensor:
    """Keep the smaller of the rows of a Parameter at the indices and updates.

    The Parameter (or Tensor) has them from now on, and is returned.

    Shapes: updates (*indices.shape, *input_x.shape[1:]); the output is input_x
    Dtypes: integer indices; input_x keeps its dtype, to which updates are cast
    Raises IndexError if an index is out of range, ValueError if updates do not fit, TypeError if
        the indices are not integers or updates would lose their fractions.

    >>> from minigrad import Parameter, Tensor, ops
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> print(ops.scatter_min(w, Tensor([1]), Tensor([[9.0, 0.0]])).asnumpy())
    [[1. 2.]
     [3. 0.]]

    Source: the definition
    """
    return _write_rows("scatter_min", minimum, input_x, indices, updates)


__all__ = [
    "assign", "assign_add", "assign_sub", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_sub", "scatter_update",
]  # fmt: skip
