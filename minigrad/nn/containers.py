"""Cells that hold Cells: SequentialCell runs them in turn, CellList and CellDict just keep them.

What they hold is trained and printed with the network. A Parameter inside is named by its place,
such as "layers.0.weight", and named anew when its place changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from ..tensor import Tensor
from .cell import Cell


class _Cells(Cell):
    """Cells by number (or by name), and what Python lists can do with them."""

    def __getitem__(self, i: Any) -> Any:
        return list(self._cells.values())[self._place(i)]

    def __setitem__(self, i: int, cell: Cell) -> None:
        key = list(self._cells)[self._place(i)]
        self._hold({**self._cells, key: self._checked(key, cell)})

    def __delitem__(self, i: int | slice) -> None:
        gone = list(self._cells)[i] if isinstance(i, slice) else [list(self._cells)[self._place(i)]]
        self._hold(_numbered([item for item in self._cells.items() if item[0] not in gone]))

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return bool(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(list(self._cells.values()))

    def __iadd__(self, cells: Iterable[Cell]) -> Any:
        return self.extend(cells)

    def append(self, cell: Cell) -> None:
        """Add a Cell at the end."""
        self.extend([cell])

    def extend(self, cells: Iterable[Cell]) -> Any:
        """Add Cells at the end; return the container."""
        added = {str(i): cell for i, cell in enumerate(cells, len(self._cells))}
        self._hold(self._cells | {i: self._checked(i, cell) for i, cell in added.items()})
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Put a Cell before the one that has this index; those behind it move on by one."""
        place = len(self) if index == len(self) else self._place(index)
        items = list(self._cells.items())
        items.insert(place, ("0", self._checked(place, cell)))
        self._hold(_numbered(items))

    def _place(self, i: int) -> int:
        name = type(self).__name__
        if not hasattr(i, "__index__"):
            raise TypeError(f"{name}: an index must be an integer or a slice, but got {i!r}")
        if not -len(self) <= int(i) < len(self):
            raise IndexError(f"{name}: there is no Cell {i}; it holds {len(self)}")
        return int(i) % len(self)

    def _checked(self, key: Any, cell: Any) -> Cell:
        if not isinstance(cell, Cell):
            raise TypeError(
                f"{type(self).__name__}: element {key} is a {type(cell).__name__}, no Cell; for a "
                "function such as ops.relu use its Cell, nn.ReLU()"
            )
        return cell

    def _hold(self, cells: dict[str, Cell]) -> None:
        """Hold these Cells from now on, and name their Parameters by the keys."""
        prefix = _prefix(self._cells)
        if self._auto_prefix:
            for key, cell in cells.items():
                cell.update_parameters_name(f"{prefix}{key}.")
        self._cells.clear()
        self._cells.update(cells)


def _numbered(items: list[tuple[str, Cell]]) -> dict[str, Cell]:
    """The Cells by their keys; a number as the key becomes the place."""
    return {str(i) if key.isdigit() else key: cell for i, (key, cell) in enumerate(items)}


def _prefix(cells: dict[str, Cell]) -> str:
    """What stands before the keys in the names of the Parameters, such as "layers."."""
    for key, cell in cells.items():
        for path, p in cell.parameters_and_names():
            if p.name.endswith(f"{key}.{path}"):
                return p.name.removesuffix(f"{key}.{path}")
    return ""


class SequentialCell(_Cells):
    """Cells run one after the other, each on the output of the one before.

    Made from Cells, a list of Cells, or an OrderedDict that names them.

    >>> from minigrad import nn
    >>> net = nn.SequentialCell(nn.Dense(2, 8), nn.ReLU())
    >>> net.append(nn.Dense(8, 1))
    >>> net
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=8, has_bias=True)
      (1): ReLU()
      (2): Dense(input_channels=8, output_channels=1, has_bias=True)
    )
    """

    def __init__(self, *args):
        super().__init__()
        cells = args[0] if len(args) == 1 and isinstance(args[0], list | OrderedDict) else args
        if not isinstance(cells, OrderedDict):
            cells = OrderedDict((str(i), cell) for i, cell in enumerate(cells))
        self._hold({key: self._checked(key, cell) for key, cell in cells.items()})

    def __getitem__(self, i):
        if isinstance(i, slice):  # names are kept
            return SequentialCell(OrderedDict(list(self._cells.items())[i]))
        return super().__getitem__(i)

    def __getattr__(self, name):
        try:
            return self.__dict__["_cells"][name]
        except KeyError:
            return super().__getattr__(name)

    @property
    def cell_list(self) -> list[Cell]:
        """The Cells, in the order in which they run."""
        return list(self._cells.values())

    def construct(self, input_data) -> Tensor:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Cells):
    """A list of Cells. It cannot be called: say in ``construct`` how they are used.

    >>> from minigrad import nn
    >>> layers = nn.CellList([nn.Dense(2, 2), nn.ReLU()])
    >>> len(layers), layers[1]
    (2, ReLU())
    """

    def __init__(self, cells: Iterable[Cell] = (), *, auto_prefix: bool = True):
        super().__init__(auto_prefix)
        self.extend(cells)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return CellList(list(self._cells.values())[i])
        return super().__getitem__(i)

    def construct(self, *inputs) -> Any:
        raise TypeError("a CellList cannot be called: run over its Cells, or use SequentialCell")


class CellDict(Cell):
    """Cells by name. It cannot be called: say in ``construct`` how they are used.

    Made from a dict, or from pairs of a name and a Cell.

    >>> from minigrad import nn
    >>> heads = nn.CellDict({"left": nn.Dense(2, 1), "right": nn.Dense(2, 1)})
    >>> [p.name for p in heads.trainable_params()]
    ['left.weight', 'left.bias', 'right.weight', 'right.bias']
    """

    def __init__(self, cells: Any = (), *, auto_prefix: bool = True):
        super().__init__(auto_prefix)
        self.update(cells)

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str) or not isinstance(cell, Cell):
            raise TypeError(f"CellDict holds Cells by their names, but got {key!r}: {cell!r}")
        if not key or "." in key:
            raise KeyError(f"CellDict: a name must not be empty or hold a dot, but got {key!r}")
        if self._auto_prefix:
            cell.update_parameters_name(f"{_prefix(self._cells)}{key}.")
        self._cells[key] = cell

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def keys(self):  # noqa: ANN201  # a view, as of a dict
        """The names."""
        return self._cells.keys()

    def values(self):  # noqa: ANN201  # a view, as of a dict
        """The Cells."""
        return self._cells.values()

    def items(self):  # noqa: ANN201  # a view, as of a dict
        """Pairs of a name and a Cell."""
        return self._cells.items()

    def update(self, cells: Any) -> None:
        """Add Cells, or put them in the place of those with the same name."""
        for key, cell in cells.items() if hasattr(cells, "items") else cells:
            self[key] = cell

    def pop(self, key: str) -> Cell:
        """Take a Cell out, and return it."""
        return self._cells.pop(key)

    def clear(self) -> None:
        """Take all Cells out."""
        self._cells.clear()

    def construct(self, *inputs) -> Any:
        raise TypeError("a CellDict cannot be called: call one of its Cells")
