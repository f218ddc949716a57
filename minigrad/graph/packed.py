"""A program in few bytes.

A call needs the steps once, to write the text that runs; after that only who asks for the program
reads them. The steps of a loop are alike, so they pack well: as a compressed pickle, in which all
that is not a program's own (ops, arrays, dtypes, lines) is a number in a list.
"""

from __future__ import annotations

import io
import pickle
import zlib
from types import EllipsisType, NoneType
from typing import Any

from .program import Program, Slot, Step, slots_in

_OWN = frozenset(
    (Program, Slot, Step, tuple, list, dict, slice, str, int, float, bool, EllipsisType, NoneType)
)


class Packed:
    """A program that is kept to be asked for."""

    __slots__ = ("_bytes", "_others")

    def __init__(self, program: Program):
        file = io.BytesIO()
        pickler = _Pickler(file)
        pickler.dump(program)
        self._bytes, self._others = zlib.compress(file.getvalue()), pickler.others

    def program(self) -> Program:
        """The program: other slots and steps at each call, alike."""
        return _Unpickler(zlib.decompress(self._bytes), self._others).load()


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO):
        super().__init__(file, protocol=5)
        self.others: list[Any] = []
        self.numbers: dict[int, int] = {}  # where each lies in the list, by its id

    def persistent_id(self, x: Any) -> int | None:
        """The number of what is kept as it is."""
        if type(x) in _OWN or slots_in(x):  # a list of a class of its own may hold some
            return None
        if id(x) not in self.numbers:
            self.numbers[id(x)] = len(self.others)
            self.others.append(x)
        return self.numbers[id(x)]


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, others: list[Any]):
        super().__init__(io.BytesIO(text))
        self.others = others

    def persistent_load(self, number: int) -> Any:
        """What has this number."""
        return self.others[number]
