"""One recording: a function run once on Traced arrays, and the program that came of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..containers import tensors_in
from ..frames import Line, is_internal, line_at
from ..parameter import WEIGHTS, Parameter
from ..tape import TAPE, record, sweep
from ..tensor import Node, Tensor, unwrap
from .program import Program, Slot, Step, part
from .traced import Traced, TraceError, refuse_state


class LiveValues(dict):
    """What stands in ``parameter.VALUES`` during a recording: each Parameter is an input of it."""

    def __init__(self, recording: Recording, values: dict | None = None):
        super().__init__(values or {})
        self.recording = recording

    def get(self, parameter: Any, array: Any = None) -> Any:
        """The value of a Parameter as it is now."""
        return self[parameter] if parameter in self else self.recording.read(parameter, array)

    def copy(self) -> LiveValues:
        """The same, for a while with other values."""
        return LiveValues(self.recording, self)

    def depend(self, parameter: Any) -> np.ndarray:
        """The value of a Parameter, which decides what is recorded."""
        array = self.recording.decisive[parameter] = parameter._array
        return array

    def write(self, parameter: Any, array: Any) -> None:
        """Note that a Parameter has a new value from here on."""
        self.recording.writes[parameter] = array


class Recording:
    """What one run of a function did: steps, and the Parameters that it read and wrote."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.parameters: dict[Any, Traced] = {}
        self.writes: dict[Any, Any] = {}
        self.decisive: dict[Any, np.ndarray] = {}  # Parameters whose value decided what was done
        # Cells that were called or may be read, and the Tensors that were their attributes.
        self.cells: dict[Any, dict[str, Tensor]] = {}
        self.constants: dict[int, tuple[Any, Slot]] = {}  # by the id of an array, which is kept
        self.slot_of: dict[Any, Slot] = {}  # by the Node that the tape has for the same value
        self.gradients: dict[Any, Any] = {}  # by the Node that they are the gradients of
        self._lines: dict[tuple[str, int], Line] = {}
        self._tape: tuple[Any, int] = (None, 0)  # the tape that was written, and how far
        self._grads: dict = {}  # of the sweep that ran last

    # ------------------------------------------------------------------ Parameters
    def read(self, p: Parameter, array: np.ndarray) -> Any:
        """The value of a Parameter."""
        if p in self.writes:
            return self.writes[p]
        if p not in self.parameters:
            self.parameters[p] = Traced(Slot(array, p.name.replace(".", "_")), array)
        if (node := WEIGHTS.get().get(p)) is not None:
            self.slot_of[node] = self.parameters[p].slot
        return self.parameters[p]

    # ------------------------------------------------------------------ Cells
    def see(self, cell: Any) -> None:
        """Note a Cell: the program depends on whether it trains, and on what it holds."""
        if cell not in self.cells:
            self.cells[cell] = {n: x for n, x in vars(cell).items() if type(x) is Tensor}

    def refuse_kept(self) -> None:
        """TraceError if a Cell keeps a value in an attribute: a program would not."""
        for cell, _, name in self._kept():
            if cell.bprop is None:  # a bprop reads what its construct keeps, in the same call
                refuse_state(f"{type(cell).__name__}.{name} is set")

    def take_back(self) -> None:
        """Give Cells the attributes that they had: a value that is recorded is none outside."""
        for cell, before, name in self._kept():
            del vars(cell)[name]
            if name in before:
                vars(cell)[name] = before[name]

    def _kept(self) -> list[tuple[Any, dict, str]]:
        return [
            (cell, before, name)
            for cell, before in self.cells.items()
            for name, x in vars(cell).items()
            if type(x) is Tensor and isinstance(x.array, Traced)
        ]

    # ------------------------------------------------------------------ steps
    def note(self, op: Callable, args: tuple, named: dict, value: Any) -> Any:
        """Note that op gave this value; return it as Traced."""
        self._follow()
        if isinstance(value, tuple | list):
            whole = Slot(())
            self.steps.append(self._step(op, args, named, whole))
            self._name(whole)
            return tuple(
                self.note(part, (Traced(whole, value), i), {}, v) for i, v in enumerate(value)
            )
        if not isinstance(value, np.ndarray | np.generic | bool | int | float):
            raise TraceError(f"{op} returned {type(value).__name__}, which jit cannot record")
        value = np.asarray(value) if isinstance(value, bool | int | float) else value
        if isinstance(op, np.ufunc) and value.dtype.kind == "f":
            args = tuple(int(x) if type(x) is bool else x for x in args)  # False beside floats is 0
        out = Slot(value)
        self.steps.append(self._step(op, args, named, out))
        self._name(out)
        return Traced(out, value)

    def _step(self, op: Callable, args: tuple, named: dict, out: Slot) -> Step:
        whole = Step(op, self.slots(args), out)  # most have no dict of their own
        return whole._replace(named=self.slots(named)) if named else whole

    def slots(self, x: Any) -> Any:
        """x with slots for what is Traced, and for arrays, which are constants."""
        if isinstance(x, Traced):
            return x.slot
        if isinstance(x, np.ndarray | np.generic):
            return self._constant(x)
        if isinstance(x, tuple | list):
            return type(x)(map(self.slots, x))
        if isinstance(x, dict):
            return {k: self.slots(v) for k, v in x.items()}
        if isinstance(x, slice):
            return slice(*map(self.slots, (x.start, x.stop, x.step)))
        return x

    def _constant(self, x: Any) -> Slot:
        _, slot = self.constants.get(id(x), (None, None))
        if slot is None or not _equal(slot.value, x):  # or written since it was read
            slot = Slot(x, self._variable_of(x) if x.ndim else None, value=np.array(x))
            self.constants[id(x)] = x, slot
        return slot

    # ------------------------------------------------------------------ names and lines
    def line(self) -> Line | None:
        """The line of the user's program that runs now."""
        frame = _frame()
        return None if frame is None else self._line_of(frame)

    def _line_of(self, frame: Any) -> Line:
        """The line that a frame is at: one object for all steps of a line."""
        place = frame.f_code.co_filename, frame.f_lineno
        if place not in self._lines:
            self._lines[place] = line_at(*place)
        return self._lines[place]

    def _name(self, slot: Slot) -> None:
        """Where the slot comes from: a line of the user's, or the rule of an op of such a line."""
        frame = _frame(to_sweep=True)
        if frame is None:  # pragma: no cover  # in a thread that no Python code has started
            return
        if frame.f_code is sweep.__code__:
            self._enter(frame.f_locals)
            output = frame.f_locals["output"]
            made = self.slot_of.get(output[0] if isinstance(output, tuple) else output)
            slot.line, slot.of = (made.line if made else None), made
            return
        slot.line = self._line_of(frame)
        self._see_variables(frame)

    def _enter(self, local: dict) -> None:
        """Note the entry that a sweep is at: the gradient of its output is complete."""
        if local["grads"] is not self._grads:
            self._leave_sweep()
            self._grads = local["grads"]
            if len(self.steps) > 1:  # it starts at what was made just before
                self.slot_of.setdefault(local["output"], self.steps[-2].out)
        if isinstance(local["output"], Node):
            self.gradients[local["output"]] = local["g"]

    def _leave_sweep(self) -> None:
        """Note the gradients that a sweep leaves behind: those of the leaves."""
        self.gradients.update(self._grads)

    def _follow(self) -> None:
        """Learn which Nodes stand for which slots, from what the tape got since the last step."""
        tape, seen = self._tape
        for entry in (tape or ())[seen:]:
            node = entry[3]
            for each in node if type(node) is tuple else (node,):
                self.slot_of.setdefault(each, self.steps[-1].out)
        tape = TAPE.get()
        if tape is not None and tape is not self._tape[0]:
            self._see_leaves()
        self._tape = tape, len(tape or ())

    def _see_leaves(self) -> None:
        """Learn the Nodes of what the gradient calls that run now differentiate for."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_code is record.__code__:
                for x in tensors_in([frame.f_locals["args"], frame.f_locals["kwargs"]]):
                    if isinstance(x.array, Traced) and x.node is not None:
                        self.slot_of[x.node] = x.array.slot
            frame = frame.f_back

    def _see_variables(self, frame: Any) -> None:
        """Take the user's names for values from the variables of the function that runs."""
        for name, x in list(frame.f_locals.items()):
            array = x.array if isinstance(x, Tensor) and not isinstance(x, Parameter) else None
            if isinstance(array, Traced):
                if x.node is not None:
                    self.slot_of[x.node] = array.slot
                if array.slot.name is None and not name.startswith("_"):
                    array.slot.name = name

    def _variable_of(self, array: Any) -> str | None:
        """The user's name for an array from outside."""
        frame = _frame()
        if frame is None:  # pragma: no cover  # in a thread that no Python code has started
            return None
        for name, x in [*frame.f_locals.items(), *frame.f_globals.items()]:
            if x is array or (type(x) is Tensor and x.array is array):
                return name
        return None

    # ------------------------------------------------------------------ the end
    def program(self, name: str, inputs: list[Slot], outputs: list[Any]) -> Program:
        """The program, once the function has run."""
        self._leave_sweep()
        self._name_by_lines()
        for node, g in self.gradients.items():
            of = self.slot_of.get(node)
            slot = getattr(unwrap(g), "slot", None)
            if slot is not None and of is not None and of.name and not slot.name:
                slot.name = f"d_{of.name}"
        parameters = [x.slot for x in self.parameters.values()]
        writes = [(self.parameters[p].slot, self.slots(x)) for p, x in self.writes.items()]
        for parameter, value in writes:
            if value.name is None:
                value.name = f"new_{parameter.name}"
        return Program(name, [*inputs, *parameters], self.steps, self.slots(outputs), writes)

    def _name_by_lines(self) -> None:
        """Name the last step of a line ``name = ...`` if the run never saw the variable."""
        for step, after in zip(self.steps, [*self.steps[1:], None], strict=False):
            slot, line = step.out, step.out.line
            if slot.name or line is None or slot.of is not None or "lambda" in line.text:
                continue
            last_of_line = after is None or after.out.line != line or after.out.of is not None
            if last_of_line and (found := re.match(r"\s*(\w+)\s*=[^=]", line.text)):
                slot.name = found[1]


def _equal(x: np.ndarray, y: Any) -> bool:
    return x.dtype == object or np.array_equal(x, y, equal_nan=x.dtype.kind == "f")


def _frame(to_sweep: bool = False) -> Any:
    """The frame of the user's code that runs now; or that of a sweep, if that is nearer."""
    frame: Any = sys._getframe(2)
    while frame is not None:  # pragma: no branch  # as below
        if to_sweep and frame.f_code is sweep.__code__:
            return frame
        if not is_internal(frame.f_code):
            return frame
        frame = frame.f_back
    return None  # pragma: no cover  # as above
