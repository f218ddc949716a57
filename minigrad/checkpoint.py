"""Checkpoints: Parameters in a file, by their names.

The file is an ``npz`` of numpy. It holds numbers and texts alone, so reading a file from somebody
else runs nothing. The arrays are numbered in it. Their names, which may hold anything, and the
plain values that were saved beside them are one text of JSON, kept as its bytes.
"""

from __future__ import annotations

import json
import os
import uuid
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .nn.cell import Cell
from .parameter import Parameter
from .tensor import Tensor

_NAMES = "minigrad_names"  # the entry that only a checkpoint has
_PLAIN = (bool, int, float, str)  # what comes back as it was
_MODES = (False, True, "thread", "process")  # all the same here: the file is there afterwards


def save_checkpoint(
    save_obj: Cell | list | dict,
    ckpt_file_name: str | os.PathLike,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
) -> None:
    """Write Parameters to a file. The file is whole or not there at all, whatever happens.

    ``save_obj`` is a Cell, a list of Parameters or of ``{"name": ..., "data": ...}``, or a dict.
    The name of the file gets ".ckpt" at its end if it has none. ``append_dict`` adds Tensors, and
    ints, floats, bools and texts, which come back as what they were. ``choice_func`` says of each
    name whether to save it. The other arguments are MindSpore's; ``async_save`` saves at once all
    the same, and a check sum is always there.

    Raises TypeError for what cannot be saved, ValueError for two of the same name, encryption or
    another format, FileNotFoundError if there is no such directory, and IsADirectoryError if the
    name is that of one.

    >>> import os, tempfile
    >>> from minigrad import load_checkpoint, nn, save_checkpoint
    >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
    >>> save_checkpoint(nn.Dense(2, 1), path, append_dict={"epoch": 3})
    >>> load_checkpoint(path)["weight"]
    Parameter (name=weight, shape=(1, 2), dtype=Float32, requires_grad=True)
    """
    _refuse(format, enc_key)
    if async_save not in _MODES:
        raise ValueError(f"async_save must be one of {_MODES}, but got {async_save!r}")
    path = _path(ckpt_file_name, "save_checkpoint")
    path = path if path.endswith(".ckpt") else f"{path}.ckpt"
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"save_checkpoint: {path!r} is a directory; give the file another name"
        )
    values: dict[str, Any] = {}
    for name, value in _items(save_obj):
        if choice_func is None or choice_func(name):
            _add(values, name, value)
    for name, value in _pairs(append_dict or {}, "append_dict"):
        _add(values, name, value if isinstance(value, Tensor) else _plain(name, value))
    _write(path, values)


def load_checkpoint(
    ckpt_file_name: str | os.PathLike,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | Iterable[str] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | Iterable[str] | None = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """The Parameters in a file by their names, and the plain values saved beside them.

    With a ``net`` they are loaded into it as well, as by ``load_param_into_net``. Names that begin
    with ``filter_prefix`` are left out, and with ``specify_prefix`` all others; without both,
    ``choice_func`` says of each name whether to load it. The other arguments are MindSpore's.

    Raises ValueError if there is no such file, if it is damaged or no checkpoint of minigrad, and
    if nothing is left of it.
    """
    _refuse(format, dec_key)
    path = _path(ckpt_file_name, "load_checkpoint")
    if not path.endswith(".ckpt"):
        raise ValueError(f'a checkpoint file ends with ".ckpt", but got {path!r}')
    if not os.path.isfile(path):
        raise ValueError(f"there is no checkpoint file {path!r} in {os.getcwd()}")
    left_out, wanted = _prefixes(filter_prefix), _prefixes(specify_prefix)
    found = _read(path)
    if left_out or wanted:
        found = {n: x for n, x in found.items() if not n.startswith(left_out)}
        found = {n: x for n, x in found.items() if not wanted or n.startswith(wanted)}
    elif choice_func is not None:
        found = {n: x for n, x in found.items() if choice_func(n)}
    if not found:
        raise ValueError(
            f"nothing is left to load of {path!r}: it is empty, or filter_prefix, specify_prefix "
            "or choice_func leave everything out"
        )
    if net is not None:
        load_param_into_net(net, found, strict_load)
    return found


def load_param_into_net(
    net: Cell,
    parameter_dict: dict[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Give the Parameters of a Cell the values of those with the same names.

    Return the names in the net that got no value, and the names in the dict that were not used.
    Plain numbers and texts, as ``append_dict`` saves them, are passed over.
    Without ``strict_load`` another float dtype is converted, and if the dict has the names with
    one prefix before them all, as in "net.fc.weight", it is left out.

    If a shape or a dtype does not fit, RuntimeError is raised and the net stays as it was.
    """
    if not isinstance(net, Cell):
        raise TypeError(f"load_param_into_net: net must be a Cell, not a {type(net).__name__}")
    for name, value in (("strict_load", strict_load), ("remove_redundancy", remove_redundancy)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, but got {value!r}")
    given, held = {}, net.parameters_dict()
    for name, value in _pairs(parameter_dict, "parameter_dict"):
        if isinstance(value, Parameter):
            given[name] = value
        elif not isinstance(value, _PLAIN) or name in held:
            raise TypeError(
                f"parameter_dict must hold Parameters, as load_checkpoint returns them, but "
                f"{name!r} is a {type(value).__name__}; make it one: minigrad.Parameter(x)"
            )
    prefix = "" if strict_load else _prefix([n for n in held if n not in given], given)
    sources = {name: name if name in given else prefix + name for name in held}
    sources = {name: source for name, source in sources.items() if source in given}
    for name, source in sources.items():
        _check_fits(held[name], given[source], strict_load)
    for name, source in sources.items():
        held[name].set_data(given[source])
    missing = [name for name in held if name not in sources]
    unused = [name for name in parameter_dict if name not in sources.values()]
    if missing:
        warnings.warn(
            f"load_param_into_net: there is no value for {', '.join(missing)} of {net.cls_name}",
            stacklevel=2,
        )
    return missing, unused


# ------------------------------------------------------------------------------------ what is given
def _refuse(format: str, key: Any) -> None:
    if format != "ckpt":
        raise ValueError(
            f'format must be "ckpt", but got {format!r}: minigrad has one format, the npz of numpy'
        )
    if key is not None:
        raise ValueError("minigrad has no encryption: encrypt the file with a program for that")


def _path(name: Any, function: str) -> str:
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"{function} needs the name of a file, but got a {type(name).__name__}")
    path = os.fspath(name)
    if not path:
        raise ValueError(f"{function} needs the name of a file, but got an empty one")
    return path


def _prefixes(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    prefixes = (given,) if isinstance(given, str) else given
    if not isinstance(prefixes, list | tuple) or not all(isinstance(p, str) for p in prefixes):
        raise TypeError(f"a prefix must be a string, or a list of strings, but got {given!r}")
    if "" in prefixes:
        raise ValueError("a prefix must not be empty: every name begins with it")
    return tuple(prefixes)


def _pairs(given: Any, what: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(given, dict):
        raise TypeError(f"{what} must be a dict of values by name, but got {type(given).__name__}")
    for name, value in given.items():
        if not isinstance(name, str):
            raise TypeError(f"the names in {what} must be strings, but got {name!r}")
        yield name, value


def _items(save_obj: Any) -> Iterator[tuple[str, Any]]:
    """The names and Tensors in what is to be saved."""
    if isinstance(save_obj, Cell):
        pairs: Iterable = ((p.name, p) for p in save_obj.get_parameters())
    elif isinstance(save_obj, dict):
        pairs = _pairs(save_obj, "save_obj")
    elif isinstance(save_obj, list):
        pairs = map(_item, save_obj)
    else:
        raise TypeError(
            "save_obj must be a Cell, a list or a dict of Parameters, but got a "
            f"{type(save_obj).__name__}"
        )
    for name, value in pairs:
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise TypeError(
                f"a checkpoint holds Parameters and Tensors by their names, but got {name!r}: a "
                f"{type(value).__name__}"
            )
        yield name, value


def _item(element: Any) -> tuple[Any, Any]:
    if isinstance(element, Parameter):
        return element.name, element
    if not isinstance(element, dict) or not element.keys() >= {"name", "data"}:
        raise TypeError(
            'the elements of a list to save are Parameters, or {"name": "w", "data": w}, but got '
            f"{element!r}"
        )
    return element["name"], element["data"]


def _add(values: dict[str, Any], name: str, value: Any) -> None:
    if name in values:
        raise ValueError(f"two values to save are named {name!r}: give each a name of its own")
    values[name] = np.asarray(value.array) if isinstance(value, Tensor) else value


def _plain(name: str, value: Any) -> bool | int | float | str:
    """A value of append_dict, if it can be saved; one of a subclass becomes its base."""
    kind = next((kind for kind in _PLAIN if isinstance(value, kind)), None)
    if kind is None:
        raise TypeError(
            f"append_dict may hold Tensors, ints, floats, bools and texts, but {name!r} is a "
            f"{type(value).__name__}"
        )
    if kind is int and not -(2**63) <= value < 2**63:
        raise ValueError(
            f"append_dict: {name!r} is out of range: an int in a checkpoint has 64 bits, from "
            "-2**63 to 2**63 - 1; save it as a text: str(x)"
        )
    return kind(value)


def _prefix(names: list[str], given: dict) -> str:
    """What stands in the dict before most of these names, such as "net."."""
    counts: dict[str, int] = {}
    for source in given:
        for name in names:
            if source.endswith(f".{name}"):
                prefix = source.removesuffix(name)
                counts[prefix] = counts.get(prefix, 0) + 1
    return max(counts, key=counts.__getitem__, default="")


def _check_fits(p: Parameter, value: Parameter, strict: bool) -> None:
    if p.shape != value.shape:
        raise RuntimeError(
            f"load_param_into_net: {p.name} has shape {p.shape} in the net, but {value.shape} in "
            "parameter_dict; was it saved from a net of other sizes?"
        )
    kinds = p.array.dtype.kind, value.array.dtype.kind
    if p.dtype != value.dtype and (strict or kinds[0] != kinds[1]):
        raise RuntimeError(
            f"load_param_into_net: {p.name} is {p.dtype} in the net, but {value.dtype} in "
            "parameter_dict" + ("; strict_load=False converts it" if kinds[0] == kinds[1] else "")
        )


# ----------------------------------------------------------------------------------------- the file
def _write(path: str, values: dict[str, Any]) -> None:
    """Write the file beside its place, and then put it there in one step."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(f"save_checkpoint: there is no directory {folder!r}; make it first")
    names = [[n] if isinstance(x, np.ndarray) else [n, x] for n, x in values.items()]
    arrays: dict[str, Any] = {
        str(i): x for i, x in enumerate(values.values()) if isinstance(x, np.ndarray)
    }
    arrays[_NAMES] = np.frombuffer(json.dumps(names).encode(), np.uint8)
    unfinished = f"{path}.{uuid.uuid4().hex}"
    try:
        with open(unfinished, "xb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)


def _read(path: str) -> dict[str, Any]:
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("it is no npz file")
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as content:
            names = json.loads(content[_NAMES].tobytes().decode())
            if not all(type(entry) is list and type(entry[0]) is str for entry in names):
                raise ValueError("its names are no texts")
            return {
                name: _plain(name, *plain) if plain else Parameter(content[str(i)], name)
                for i, (name, *plain) in enumerate(names)
            }
    except Exception as error:  # whatever numpy, zip or a strange file make of it
        raise ValueError(
            f"{path!r} is damaged, or it is no checkpoint that minigrad wrote (MindSpore writes "
            f"another format): {error}"
        ) from error


__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]
