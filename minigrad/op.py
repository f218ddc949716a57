r"""An op: how to compute it with numpy, and a rule for each input.

    multiply = primitive("multiply", np.multiply, r"z = x\,y",
        x=(lambda g, y: g * y, r"\bar z\,y"),
        y=(lambda g, x: g * x, r"\bar z\,x"))

A line reads: the op, its formula, then for each input the rule and the rule's formula. A rule turns
``g``, the gradient of the output, into the gradient of its input. The names of its parameters say
what it needs, and the tape keeps nothing else:

==================  ==================================================================
``g``               the gradient of the output
an argument's name  that argument: an array, or a static value such as ``axis``
``out``             the output
``like``            shape and dtype of the input that the rule is for (a Node)
==================  ==================================================================

A rule may ignore broadcasting: the sweep sums a gradient back to its input's shape. It returns a
fresh array, ``g``, or a view of ``g``, never a value that it was given to keep. It is plain numpy,
so it also runs on Tensors: numpy hands each call back to our ops.

Each op is written out as the function that one would write by hand for it alone, since looking
rules up at every call would cost as much as the arithmetic. That happens at its first call, so that
importing stays quick. To read one: ``print(multiply.op.source)``.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter as Argument
from inspect import Signature, signature
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

from .batch import in_batch
from .dtype import of
from .tape import TAPE, track, warn_of_unrecorded
from .tensor import Node, Tensor, array_of, as_array, tracked, unwrap, wrap

OPS: dict[Any, Callable] = {}  # a numpy function -> the op that stands for it on Tensors


class Op:
    """What the tape and the widgets know about an operation: its rules, and their formulas."""

    pull: Callable  # from g and the sources to a gradient (or None) for each source

    __slots__ = ("arrays", "formula", "name", "parameters", "pull", "rule_formulas", "rules")

    def __init__(
        self, name: str, formula: str, parameters=(), arrays=(), rules=None, formulas=None
    ):
        self.name, self.formula = name, formula
        self.parameters: tuple[str, ...] = parameters  # of the op's function
        self.arrays: tuple[str, ...] = arrays  # those that are arrays; the others are static
        self.rules: dict[str, Callable] = rules or {}
        self.rule_formulas: dict[str, str] = formulas or {}

    def __repr__(self) -> str:
        return self.name

    @property
    def cuts(self) -> bool:
        """True if no gradient flows back through the op: ``stop_gradient``, comparisons."""
        return not self.rules

    @property
    def needs(self) -> tuple[str, ...]:
        """What the rules need, in the order in which an entry keeps it."""
        wanted = {n for rule in self.rules.values() for n in names_of(rule)}
        return tuple(n for n in (*self.parameters, "out") if n in wanted)

    def inputs(self, arguments: tuple) -> list[tuple[str, Any]]:
        """The arguments that are arrays, with their names."""
        given = zip(self.parameters, arguments, strict=True)
        return [(name, x) for name, x in given if name in self.arrays]

    def sources(self, arguments: tuple) -> tuple[Node | None, ...]:
        """The Nodes of the arguments that have a rule."""
        given = dict(zip(self.parameters, arguments, strict=True))
        return tuple(getattr(given[x], "node", None) for x in self.rules)

    def source_names(self, arguments: tuple) -> tuple[str, ...]:
        """The names of the arguments that ``sources`` speaks of."""
        return tuple(self.rules)

    def save(self, arguments: tuple, out) -> tuple:
        """What an entry keeps for the rules: Tensors as they are now, and static arguments."""
        given = dict(zip((*self.parameters, "out"), (*arguments, out), strict=True))
        return tuple(_as_now(given[n]) for n in self.needs)


# How MindSpore's functions name the letters of formulas.
_CALLED = {"x": "input", "y": "other", "n": "exponent"}


def names_of(function: Any) -> tuple[str, ...]:
    """The names of a Python function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _as_now(x):
    if type(x) is tuple:
        return tuple(map(_as_now, x))
    return wrap(x.array, x.node) if isinstance(x, Tensor) else x


def primitive(
    name: str,
    forward: Callable,
    formula: str,
    numpy: Callable | None = None,
    several: bool = False,
    before: str = "",
    called: Mapping[str, str] = MappingProxyType({}),
    **rules: tuple[Callable | None, str],
) -> Callable:
    """Declare an op: ``input=(rule, LaTeX)`` for each input that is an array. Return its function.

    ``forward`` computes it on arrays; parameters of it that are not in ``rules`` are static.
    ``numpy`` is the numpy function that the op stands for on Tensors, if not ``forward`` itself.
    ``several``: forward returns a tuple. ``before``: a line that prepares the arrays for forward.
    ``called``: how callers name an array, if neither by its letter nor as MindSpore names most.
    """
    arrays = tuple(rules) or ("x", "y")[: forward.nin if isinstance(forward, np.ufunc) else 1]
    defaults: dict[str, Any] = {}
    parameters = arrays
    if isinstance(forward, FunctionType):  # numpy's own functions take just the arrays
        parameters = names_of(forward)
        values = forward.__defaults__ or ()
        defaults = dict(zip(parameters[len(parameters) - len(values) :], values, strict=True))
    functions = {x: rule for x, (rule, _) in rules.items() if rule is not None}
    formulas = {x: text for x, (_, text) in rules.items()}
    op = _WrittenOp(name, formula, parameters, arrays, functions, formulas)
    op.defaults, op.several, op.before = defaults, several, before
    op.called = {x: called.get(x, _CALLED.get(x, x)) for x in arrays}
    op.check()
    space = {
        "__name__": "minigrad.ops",
        "forward": forward, "op": op, "Tensor": Tensor, "TAPE": TAPE, "wrap": wrap,
        "track": track, "tracked": tracked, "in_batch": in_batch, "join": join,
        "warn_of_unrecorded": warn_of_unrecorded, "promote": promote, "to_float": to_float,
        **{f"rule_{x}": rule for x, rule in functions.items()},
        **{f"default_{n}": value for n, value in defaults.items()},
    }  # fmt: skip
    function: Any = FunctionType(_stand_in.__code__, space, name)
    function.op, op.function = op, function
    function.__qualname__ = name
    function.__doc__ = forward.__doc__ if isinstance(forward, FunctionType) else None
    names = tuple(op.called.get(n, n) for n in parameters)
    function.__signature__ = _with_defaults(names, defaults) if defaults else _signature(names)
    OPS[numpy or forward] = function
    return function


@cache  # most ops have the same few
def _signature(names: tuple[str, ...]) -> Signature:
    return Signature([Argument(n, Argument.POSITIONAL_OR_KEYWORD) for n in names])


def _with_defaults(names: tuple[str, ...], defaults: dict[str, Any]) -> Signature:
    """A signature whose last parameters have these defaults."""
    plain = [*_signature(names).parameters.values()]
    first = len(names) - len(defaults)
    last = zip(plain[first:], defaults.values(), strict=True)
    return Signature([*plain[:first], *(p.replace(default=value) for p, value in last)])


def _stand_in(*args, **kwargs):
    """What the function of an op does at its first call: it becomes what is written out for it."""
    op.write_out()  # type: ignore[name-defined]  # noqa: F821  # the names of the op's own space
    return op.function(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  # as above


# ------------------------------------------------------------------ writing an op out as a function
# multiply becomes, with x_ for the argument as it came and x for its array:
#
#     def multiply(input, other):
#         x_ = x = input; x_node = None; y_ = y = other; y_node = None; tensor = False
#         if isinstance(x, Tensor):
#             x, x_node, tensor = x.array, x.node, True
#         ...
#         out = forward(x, y)
#         ...
#         saved = (x if y_node is not None else None, y if x_node is not None else None,)
#         tape.append((op, saved, (x_node, y_node,), out_node))
#
#     def pull(g, sources, x, y):
#         (x_node, y_node,) = sources
#         return (rule_x(g, y) if x_node is not None else None, rule_y(g, x) if ...,)
_TEMPLATE = """\
def {name}({parameters}):
    {start}tensor = False{unpack}
    try:{before}
        out = forward({names})
    except Exception as error:
        return in_batch(op, ({given}), error)   # inside vmap; else the error, explained
    if {untracked}:
        return {plain} if tensor else out       # arrays in, array out
    if (tape := TAPE.get()) is None:
        warn_of_unrecorded(op)
        return {plain}
    if tape.special:
        return tape.write(op, ({given}), out)
    {track}
    tape.append((op, ({saved}), ({sources}), node))
    return tensors

def pull(g, sources{needs}):
    ({sources}) = sources
    return ({grads})
"""
_UNPACK = """
    if isinstance({x}, Tensor):
        {x}, {x}_node, tensor = {x}.array, {x}.node, True
    elif type({x}) in (list, tuple):
        {x}_ = join({x})
        {x}, {x}_node, tensor = {x}_.array, {x}_.node, True"""


class _WrittenOp(Op):
    """An op with a function and a ``pull`` of its own, written out when they are first needed."""

    __slots__ = ("before", "called", "defaults", "function", "several")

    called: dict[str, str]  # what callers name each array
    before: str  # a line that prepares the arrays for forward
    defaults: dict[str, Any]  # of the parameters
    function: Any
    several: bool  # forward returns a tuple

    def check(self) -> None:
        """Raise TypeError if a rule asks for what there is not."""
        known = {"g", "out", "like", *self.parameters}
        for rule in self.rules.values():
            if unknown := set(names_of(rule)) - known:
                raise TypeError(f"a rule of {self.name} asks for {', '.join(sorted(unknown))}")

    @property
    def source(self) -> str:
        """The source of the op's function and of its pull."""
        return _source_of(self)

    def write_out(self) -> None:
        """Give the op's function, and its pull, the code that is written out for them."""
        space, file = self.function.__globals__, f"<op {self.name}>"
        exec(compile(self.source, file, "exec"), space)
        lines = self.source.splitlines(True)
        linecache.cache[file] = len(self.source), None, lines, file  # for tracebacks
        written = space[self.name]
        self.pull = space["pull"]
        self.function.__defaults__ = written.__defaults__
        self.function.__code__ = written.__code__


def _source_of(op: _WrittenOp) -> str:
    """The source of an op's function and of ``pull``, from the names in its rules."""
    wants = {x: names_of(rule) for x, rule in op.rules.items()}
    several, defaults = op.several, op.defaults

    def keep(n: str) -> str:  # n, if the rule of a tracked input needs it
        users = [f"{x}_node is not None" for x in wants if n in wants[x]]
        return n if len(users) == len(wants) else f"{n} if {' or '.join(users)} else None"

    def call(x: str) -> str:  # the gradient for x, if x is tracked
        values = (f"{x}_node" if n == "like" else n for n in wants[x])
        tracked = f" if {x}_node is not None else None" if len(wants) > 1 else ""
        return f"rule_{x}({', '.join(values)}){tracked}"

    def items(texts) -> str:
        return " ".join(f"{text}," for text in texts)

    untracked = " and ".join(f"{x}_node is None" for x in wants)
    if not wants:  # of interest to a watcher alone
        untracked = "not tensor or (tape := TAPE.get()) is None or not tape.watched"
    return _TEMPLATE.format(
        name=op.name,
        parameters=", ".join(
            op.called.get(n, n) + (f"=default_{n}" if n in defaults else "") for n in op.parameters
        ),
        names=", ".join(op.parameters),
        start="".join(
            f"{x}_ = {x if x == name else f'{x} = {name}'}; {x}_node = None; "
            for x, name in op.called.items()
        ),
        unpack="".join(_UNPACK.format(x=x) for x in op.arrays),
        before=f"\n        {op.before}" if op.before else "",
        given=items(f"{n}_" if n in op.arrays else n for n in op.parameters),
        untracked=untracked,
        plain="tuple(map(wrap, out))" if several else "wrap(out)",
        track="tensors, node = track(out)" if several else "tensors, node = tracked(out)",
        saved=items(map(keep, op.needs)),
        sources=items(f"{x}_node" for x in wants),
        needs="".join(f", {n}" for n in op.needs),
        grads=items(map(call, wants)),
    )


def join(sequence: list | tuple) -> Tensor:
    """A (nested) list of numbers and Tensors as one Tensor; gradients flow to the Tensors in it."""
    if not any(isinstance(x, Tensor | list | tuple) for x in sequence):
        return wrap(array_of(sequence))
    rows = [join(x) if isinstance(x, list | tuple) else Tensor(x) for x in sequence]
    reshape, concatenate = OPS[np.reshape], OPS[np.concatenate]
    return concatenate([reshape(row, (1, *row.shape)) for row in rows], 0)


# -------------------------------------------------------------------- an op of any number of arrays
class _OpOfMany(Op):
    """An op whose first argument is a sequence of arrays. It has one rule for all of them."""

    __slots__ = ("function",)

    function: Callable

    def inputs(self, arguments: tuple):
        (name,) = self.arrays
        return [(f"{name[0]}_{i}", x) for i, x in enumerate(arguments[0], 1)]

    def sources(self, arguments: tuple):
        return tuple(getattr(x, "node", None) for x in arguments[0])

    def source_names(self, arguments: tuple):
        return tuple(name for name, _ in self.inputs(arguments))

    def save(self, arguments: tuple, out):
        return tuple(Node(unwrap(x)) for x in arguments[0]), *arguments[1:]


def primitive_of_many(name: str, forward: Callable, formula: str, numpy=None, **rules) -> Callable:
    """Declare an op of a sequence of arrays. It has one rule for all of them.

    The rule receives ``g``, ``like`` (a Node for each array) and the static arguments, and returns
    a list with a gradient for each array.
    """
    ((arrays, (rule, text)),) = rules.items()
    parameters = tuple(signature(forward).parameters)
    statics = list(signature(forward).parameters.values())[1:]
    op = _OpOfMany(name, formula, parameters, (arrays,), {arrays: rule}, {arrays: text})

    def function(xs: Any, *static: Any, **named: Any) -> Any:
        static += tuple(named.pop(p.name, p.default) for p in statics[len(static) :])
        if named:
            raise TypeError(f"{name} takes no argument {', '.join(named)} on Tensors")
        arguments = (tuple(x if isinstance(x, Tensor) else as_array(x) for x in xs), *static)
        try:
            out = forward(list(map(unwrap, arguments[0])), *static)
        except Exception as error:
            return in_batch(op, arguments, error)
        if not any(isinstance(x, Tensor) for x in arguments[0]):
            return out
        tape, sources = TAPE.get(), op.sources(arguments)
        if all(node is None for node in sources):
            return wrap(out)
        if tape is None:
            warn_of_unrecorded(op)
            return wrap(out)
        if tape.special:
            return tape.write(op, arguments, out)
        tensor, node = track(out)
        tape.append((op, op.save(arguments, tensor), sources, node))
        return tensor

    def pull(g, sources, like, *static):
        parts = rule(g, like, *static)
        return [None if node is None else dx for node, dx in zip(sources, parts, strict=True)]

    op.pull, op.function = pull, function
    function.op = op  # type: ignore[attr-defined]  # a function may carry what it likes
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature(forward)  # type: ignore[attr-defined]  # it may carry this too
    OPS[numpy or forward] = function
    return function


# ----------------------------------------------------------------------------- dtypes, in one table
# What numpy does with two arrays is right, but for these: a float beside integers keeps its dtype
# (numpy widens it), and unsigned beside signed 64-bit integers stay integers.
_FLOATS = frozenset(np.dtype(t) for t in (np.float16, np.float32, np.float64))


def meet(x: str = "x", y: str = "y") -> str:
    """The line that brings two arguments to one dtype before an op, if they differ in it."""
    given = f"{x}, {y}, {x}_, {y}_"
    differ = f"getattr({x}, 'dtype', {x}) is not getattr({y}, 'dtype', {y})"
    return f"if {differ}: {x}, {y} = promote({given})"


def promote(x: Any, y: Any, x_given: Any, y_given: Any) -> tuple[Any, Any]:
    """Two arrays or numbers as MindSpore would have them before an op, for numpy to compute on.

    A Python or numpy number takes the dtype of the array beside it, and integers beside a float
    number become float32. A float array beside an integer one sets the dtype.
    """
    a, b = getattr(x, "dtype", None), getattr(y, "dtype", None)
    if (a is b and a is not None) or (b is None and a in _FLOATS and type(y) in (float, int)):
        return x, y  # numpy needs no help
    x, y = _operand(x, x_given), _operand(y, y_given)
    a, b = getattr(x, "dtype", None), getattr(y, "dtype", None)
    if a is None and b is None:
        return x, y
    if a is None or b is None:
        array, number = (y, x) if a is None else (x, y)
        if isinstance(number, float) and array.dtype not in _FLOATS:
            array = array.astype(np.float32)
        return (number, array) if a is None else (array, number)
    if a in _FLOATS and b not in _FLOATS:
        return x, y.astype(a)
    if b in _FLOATS and a not in _FLOATS:
        return x.astype(b), y
    if np.result_type(a, b) in _FLOATS and a not in _FLOATS:
        return x.astype(np.int64), y.astype(np.int64)
    return x, y


def _operand(x, given):
    """An array or a Python number; a numpy number that the user gave counts as a Python number."""
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(x, np.ndarray | np.generic):
        of(x.dtype)  # raises for complex numbers and strings
        return x
    if isinstance(x, bool | int | float) or hasattr(x, "__array_ufunc__"):
        return x
    raise TypeError(f"expected a Tensor or a number, but got {type(x).__name__}: {x!r}")


def to_float(x: Any) -> Any:
    """x, or its values as float32 if they are integers, as an op such as ``exp`` needs them."""
    kind = getattr(x, "dtype", None)
    if kind in _FLOATS:
        return x
    x = _operand(x, None)  # raises for what is no number
    return x if kind is None else x.astype(np.float32)
