"""``jit``: the public face of graph mode, and which program a call runs."""

from __future__ import annotations

import copy
import functools
import inspect
import keyword
import re
import sys
import warnings
import weakref
from collections.abc import Callable
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from operator import is_
from typing import Any

import numpy as np

from ..batch import SIZES
from ..frames import argument_names, is_internal, name_of
from ..parameter import VALUES, Parameter
from ..random import RECORDED
from ..tape import TAPE
from ..tensor import WRITES, Tensor, wrap, write
from .fast import fast
from .names import OWN
from .packed import Packed
from .passes import improve
from .program import Program, Slot
from .recording import LiveValues, Recording
from .structure import flatten, rebuild
from .traced import RECORDING, Answered, Draws, Traced, TraceError, refuse_state, values_of

# True while a function that is decorated with jit runs.
INSIDE_JIT: ContextVar[bool] = ContextVar("inside_jit", default=False)

_OPTIONS = frozenset(
    ("backend", "capture_mode", "compile_once", "dynamic", "fullgraph", "hash_args",
     "infer_boost", "input_signature", "jit_config", "jit_level", "mode")
)  # fmt: skip
ALIKE = 4  # programs that are kept for arguments that differ in their numbers alone
MANY = 16  # programs of one function: so many suggest that something differs at each call


class Compiled:
    """A recorded function: the program for one kind of arguments, and what it depends on."""

    def __init__(self, recording: Recording, program: Program, outputs: Any, changed: list):
        self._packed, self.many = Packed(program), len(program.outputs)
        self.outputs, self.changed = outputs, changed
        self.parameters = list(recording.parameters)
        self.writes = list(recording.writes)
        called = [each for cell in recording.cells for _, each in cell.cells_and_names()]
        self.cells = [  # those inside of them too: a list of layers is not called itself
            (weakref.ref(cell), cell.training, list(map(weakref.ref, cell._held)))
            for cell in dict.fromkeys(called)
        ]
        self.decisive = [(p, x.tobytes()) for p, x in recording.decisive.items()]
        self.state = [(p.shape, p.array.dtype, p.requires_grad) for p in self.parameters]

    @functools.cached_property
    def recorded(self) -> Program:
        """The program before the passes."""
        return self._packed.program()

    @functools.cached_property
    def program(self) -> Program:
        """The program after the passes: made again for who asks, as a call needs it only once."""
        return improve(self.recorded)

    @functools.cached_property
    def source(self) -> str:
        """The program as a text to be read."""
        return self.program.source

    @functools.cached_property
    def fast(self) -> tuple[Callable, list[Parameter]]:
        """The program as a function, and the Parameters whose new arrays it takes."""
        program = self._packed.program()
        _, run, renewed = fast(improve(program))
        slots = program.inputs[len(program.inputs) - len(self.parameters) :]
        owners = dict(zip(slots, self.parameters, strict=True))
        return run, [owners[slot] for slot in renewed]

    @property
    def fits(self) -> bool:
        """Whether all that the program depends on is as it was."""
        return (
            all(p._array.tobytes() == x for p, x in self.decisive)
            and all(
                (cell := ref()) is None or (cell.training == training and _same(cell._held, held))
                for ref, training, held in self.cells
            )
            and all(
                (p._array.shape, p._array.dtype, p.requires_grad) == state
                for p, state in zip(self.parameters, self.state, strict=True)
            )
        )

    def __call__(self, arrays: list, tensors: list) -> Any:
        """Run the program, write what it writes, and return what the function returns."""
        run, renewed = self.fast
        targets = [_target(p) for p in renewed]  # while nobody else holds their arrays
        results = run(*arrays, *[p._array for p in self.parameters], *targets)
        count = self.many - len(self.changed)
        for i, array in zip(self.changed, results[count:], strict=False):
            write(tensors[i], wrap(array))
        for p, array in zip(self.writes, results[self.many :], strict=True):
            write(p, wrap(array))
        return rebuild(self.outputs, iter(results[:count]))


def _same(held: list, before: list[weakref.ref]) -> bool:
    """Whether a Cell holds the very Parameters and Cells that it held before."""
    return len(held) == len(before) and all(map(is_, held, [ref() for ref in before]))


def _target(p: Any) -> np.ndarray:
    """An array for a Parameter's new value: the old one's, if nobody else holds that."""
    if references(p) == _ALONE and p._array.flags.owndata and p._array.flags.c_contiguous:
        return p._array
    return np.empty_like(p._array, order="C", subok=False)


def references(holder: Any) -> int:
    """How many hold the array of this Parameter, as Python counts."""
    return sys.getrefcount(holder._array)


class _Holder:
    _array = np.zeros(1)


_ALONE = references(_Holder)  # what Python counts when the Parameter is the only one


class Jit:
    """A function that runs as a program; see ``jit``."""

    __name__: str
    __signature__: inspect.Signature

    def __init__(self, function: Callable, whole: bool = False):
        functools.update_wrapper(self, getattr(function, "construct", function))
        self.function, self.whole = function, whole
        self.programs: dict[Any, list[Compiled] | TraceError] = {}  # the latest first
        self._last: list[Compiled | TraceError] = []  # of the last call
        self.owner: Any = None  # the object whose method this is
        self._bound: dict[int, tuple[weakref.ref, Jit]] = {}  # by the id of the object

    @property
    def latest(self) -> Compiled | TraceError | None:
        """What the last call ran, or why it was no program."""
        return self._last[0] if self._last else None

    @latest.setter
    def latest(self, compiled: Compiled | TraceError) -> None:
        self._last[:] = [compiled]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        place = id(instance)
        if place not in self._bound:  # weakly: the programs do not keep the object
            plain = self.function.__get__(instance)
            try:
                known = weakref.ref(instance, lambda _: self._bound.pop(place, None))
            except TypeError:
                kind, name = type(instance).__name__, name_of(self.function)
                raise TypeError(
                    f"jit makes no program of {kind}.{name}: {kind} has __slots__, and what is "
                    'recorded must know when its object is gone; add "__weakref__" to them'
                ) from None
            function: Any = _calling(weakref.WeakMethod(plain), self.function)
            function.__signature__ = inspect.signature(plain)
            self._bound[place] = known, Jit(function, self.whole)
        method = copy.copy(self._bound[place][1])  # of the same programs
        method.owner = instance  # which lives until it is called
        return method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program for these arguments; record it first, if there is none."""
        if TAPE.get() is not None or RECORDING.get() is not None or SIZES.get():
            with _inside():  # part of what is differentiated, recorded or mapped around it
                return self.function(*args, **kwargs)
        tensors: list[tuple[str, Any]] = []
        structure = flatten((args, kwargs), tensors)
        arrays = [x.array if isinstance(x, Tensor) else x for _, x in tensors]
        key = structure, _repeats(tensors), *((a.shape, a.dtype) for a in arrays)
        known = self.programs.get(key, [])
        if isinstance(known, TraceError):
            with _inside():
                return self.function(*args, **kwargs)
        for compiled in known:
            if compiled.fits:
                self.latest = compiled
                with suppress(Answered):
                    return compiled(arrays, [x for _, x in tensors])
        return self._first(key, known, structure, tensors, args, kwargs)

    def _first(self, key, others, structure, tensors, args, kwargs) -> Any:
        """Record, and return what the function returned."""
        try:
            compiled, value = record(self.function, structure, tensors, self.owner)
        except TraceError as error:
            if self.whole:
                raise
            _warn(f"{self.__name__} runs line by line, as without jit: {error}")
            self.programs[key] = self.latest = error
            with _inside():
                return self.function(*args, **kwargs)
        self.latest = compiled
        self.programs[key] = [compiled, *others][:ALIKE]
        if len(self.programs) == MANY:
            _warn(
                f"jit has recorded {self.__name__} {MANY} times, each for other shapes, dtypes or "
                "arguments that are no Tensors: make what changes a Tensor, and pad to one shape"
            )
        return value

    def _compiled(self) -> Compiled:
        if self.latest is None:
            raise RuntimeError(f"{self.__name__} has no program yet: call it once")
        if isinstance(self.latest, TraceError):
            raise self.latest
        return self.latest

    @property
    def recorded(self) -> Program:
        """The program of the last call, before the passes."""
        return self._compiled().recorded

    @property
    def program(self) -> Program:
        """The program of the last call."""
        return self._compiled().program

    @property
    def source(self) -> str:
        """The program of the last call as Python that needs nothing but numpy, to be read."""
        return self._compiled().source

    @property
    def fast_source(self) -> str:
        """The program of the last call as it runs."""
        return self._compiled().program.fast_source


_CELLS: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # in graph mode


def run_cell(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Call a Cell as a program, as graph mode does."""
    if cell not in _CELLS:
        program = _CELLS[cell] = Jit(_calling(weakref.WeakMethod(cell.run), cell.construct))
        program.__name__ = type(cell).__name__
    return _CELLS[cell](*args, **kwargs)


def _warn(message: str) -> None:
    """Warn at the line of the user's program that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_internal(frame.f_code):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _calling(method: weakref.WeakMethod, function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args, **kwargs):
        return method()(*args, **kwargs)  # type: ignore[misc]  # the object lives: it was asked

    return call


@contextmanager
def _inside():
    token = INSIDE_JIT.set(True)
    try:
        yield
    finally:
        INSIDE_JIT.reset(token)


# ------------------------------------------------------------------------------------ recording
def record(
    function: Callable, structure: Any, given: list, owner: Any = None
) -> tuple[Compiled, Any]:
    """Run a function on Traced arrays; return its program, and what it returned this time.

    ``owner`` is the object whose method it is.
    """
    recording = Recording()
    for cell in _cells_around(user_function(function), owner):
        recording.see(cell)  # it may be read without being called
    written: list = []
    args, _ = rebuild(structure, (x for _, x in given))
    argument = argument_names(user_function(function), len(args))
    inputs, stand_ins = [], []
    for path, x in given:
        array = x.array if isinstance(x, Tensor) else x
        traced: Any = Traced(Slot(array, _name_of_input(path, argument)), array)
        stand_ins.append(traced)
        inputs.append(wrap(traced) if isinstance(x, Tensor) else traced)
    args, kwargs = rebuild(structure, iter(inputs))
    tokens = (
        (RECORDING, RECORDING.set(recording)),
        (VALUES, VALUES.set(LiveValues(recording))),
        (RECORDED, RECORDED.set(Draws())),
        (WRITES, WRITES.set(written)),
    )
    try:
        with _inside():
            result = function(*args, **kwargs)
        found: list[tuple[str, Any]] = []
        outputs = flatten(result, found)
        arrays = [x.array if isinstance(x, Tensor) else x for _, x in found]
        _refuse_written(written, [*inputs, *(x for _, x in found)])
        changed = [
            i
            for i, (x, traced) in enumerate(zip(inputs, stand_ins, strict=True))
            if isinstance(x, Tensor) and x.array is not traced
        ]
        _refuse_shared(given, changed)
        _refuse_read_twice(given, recording)
        recording.refuse_kept()
        kept: list = []
        if flatten((args, kwargs), kept) != structure or any(
            x is not y for (_, x), y in zip(kept, inputs, strict=True)
        ):
            refuse_state("a list, dict or other container among the arguments is changed")
        arrays += [inputs[i].array for i in changed]
        name = name_of_program(function)
        program = recording.program(name, [x.slot for x in stand_ins], arrays)
    finally:
        for variable, token in reversed(tokens):
            variable.reset(token)
        recording.take_back()
    now = [np.array(x) for x in values_of(arrays)]  # its own: nobody else holds it
    for p, array in recording.writes.items():
        write(p, wrap(np.array(values_of(array))))
    for i, array in zip(changed, now[len(found) :], strict=True):
        write(given[i][1], wrap(array))
    return Compiled(recording, program, outputs, changed), rebuild(outputs, iter(now))


def _cells_around(fn: Any, owner: Any) -> list[Any]:
    """The Cells that a function may read: the object whose method it is, and those outside."""
    around = inspect.getclosurevars(fn) if inspect.isfunction(fn) else None
    values = [*around.nonlocals.values(), *around.globals.values()] if around else []
    return [x for x in (owner, *values) if hasattr(type(x), "cells_and_names")]


def _refuse_written(written: list, own: list) -> None:
    """Take back what was written into Tensors from outside; TraceError if there are any."""
    known = {id(x) for x in own}
    outside = [
        (x, old)
        for there, old in written
        if (x := there()) is not None and id(x) not in known and not isinstance(old.array, Traced)
    ]
    for x, old in outside:
        x.array, x.node = old.array, old.node
    if outside:
        refuse_state(f"a Tensor of shape {outside[0][0].shape} from outside is written")


def _repeats(given: list) -> tuple[int, ...]:
    """For each array or Tensor the place where it stands first."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(id(x), i) for i, (_, x) in enumerate(given))


def _refuse_shared(given: list, changed: list[int]) -> None:
    """TraceError if a Tensor is written that is an argument twice: both are to see the write."""
    first = _repeats(given)
    if any(first.count(first[i]) > 1 for i in changed):
        refuse_state("a Tensor that is two of the arguments is written")


def _refuse_read_twice(given: list, recording: Recording) -> None:
    """TraceError if a Parameter is an argument and read from outside: it would be two values."""
    for _, x in given:
        if isinstance(x, Parameter) and (x in recording.parameters or x in recording.writes):
            refuse_state(f"Parameter {x.name} is an argument, and read from outside as well")


def _name_of_input(path: str, argument: list[str]) -> str:
    """The user's name for an argument, or for a part of one."""
    _, kind, place, *rest = path.split("_")
    name = argument[int(place)] if kind == "0" else place
    return re.sub(r"\W+", "_", "_".join([name, *rest]))


def user_function(fn: Any) -> Any:
    """The user's function in grad(fn) and its like."""
    if not inspect.isfunction(fn) or not is_internal(fn.__code__):
        return fn
    inner = inspect.getclosurevars(fn).nonlocals
    found = inner.get("both", inner.get("fn"))
    return fn if found is None else user_function(found)


def name_of_program(fn: Any) -> str:
    """The name of the program of a function: such as grad_loss for grad(loss)."""
    user = user_function(fn)
    made = getattr(fn, "__name__", "") if fn is not user else ""
    name = name_of(user)
    name = re.sub(r"\W+", "_", f"{made.removesuffix('_fn')}_{name}" if made else name)
    return f"{name}_" if name in OWN or keyword.iskeyword(name) else name


# ------------------------------------------------------------------------------ what users call
def jit(function: Callable | None = None, **options: Any) -> Any:
    """A function that runs as a program of numpy calls, recorded at its first call.

    As a decorator it stands alone, ``@jit``, or with options, ``@jit(fullgraph=True)``. The first
    call with these shapes and dtypes runs the function and notes what numpy does; later calls run
    that program. It may take Tensors, arrays, Parameters in Cells, and call ``grad``. Arguments
    that are no Tensors or arrays are part of the program: each other value is recorded anew. So is
    all that the function reads from outside, but for Parameters, which the program reads at each
    call, and whether a Cell trains; ``str(program)`` lists what was kept. What an op decides by
    numbers, such as whether there are labels to ignore, the program asks again at each call
    (``ask`` in ``str(program)``); for another answer there is another program.

    A function that needs numbers of a Tensor (``if x > 0``, ``x.asnumpy()``, ``print(x)``), or that
    keeps one in an attribute of a Cell, runs line by line, as without jit, and a warning names the
    line; with ``fullgraph=True`` that is a
    TraceError. Other options are MindSpore's and change nothing. Inside a gradient call, a vmap or
    another jit the function is part of that.

    Raises TypeError for an option that MindSpore does not have.

    >>> import minigrad as ms
    >>> from minigrad import Tensor
    >>> @ms.jit
    ... def square(x):
    ...     return x * x
    >>> print(square(Tensor([3.0])))
    [9.]
    >>> slope = ms.jit(ms.grad(square))
    >>> print(slope(Tensor([3.0])))
    [6.]
    >>> print(slope.source)
    import numpy as np
    <BLANKLINE>
    def grad_square(x):
        d_x = x * 2  # gradient of line 3
        return d_x
    """
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(
            f"jit has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(_OPTIONS))}"
        )
    if function is None:
        return lambda fn: jit(fn, **options)
    if not callable(function):
        raise TypeError(f"jit needs a function or a Cell, but got {function!r}")
    if isinstance(function, type):
        return function
    return Jit(function, bool(options.get("fullgraph", False)))


def jit_class(cls: type) -> type:
    """Mark a class as one that compiled functions may use. Here all may."""
    if not isinstance(cls, type):
        raise TypeError(f"jit_class decorates a class, but got {cls!r}")
    return cls


def constexpr(fn: Callable | None = None, **options: Any) -> Callable:
    """Mark a function as one that runs while others are compiled. It is run when it is called."""
    return fn if fn is not None else lambda function: function


class JitConfig:
    """Options for ``jit``, kept in one object. They change nothing here.

    >>> from minigrad import JitConfig
    >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
    'O1'
    """

    def __init__(self, jit_level: str = "", **options: Any):
        self.jit_config_dict = {"jit_level": jit_level, **options}
