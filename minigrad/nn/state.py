"""What a Cell holds beside Parameters and Cells, its buffers, and all of it as a dictionary.

And the dtype that a Cell computes in, if it is told one: ``to`` changes what the Cell holds,
``to_float`` what it computes with.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

from ..containers import map_tensors
from ..dtype import DType, float16, float32, of
from ..parameter import Parameter
from ..tensor import Tensor, write
from .custom import with_values
from .hooks import CellHooks, call_with_hooks


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` did not find, and did not know."""

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"


# What MindSpore's Cells have that has no place here, and what to do instead.
_DEVICES = "it is about training on several devices, and minigrad runs on one: leave it out"
_ELSEWHERE = {
    **dict.fromkeys(
        ("shard", "set_comm_fusion", "set_data_parallel", "set_broadcast_flag", "pipeline_stage",
         "pipeline_segment", "parallel_parameter_name_list", "parameter_layout_dict", "offload",
         "parameters_broadcast_dict"),
        _DEVICES,
    ),
    **dict.fromkeys(
        ("register_state_dict_pre_hook", "register_state_dict_post_hook",
         "register_load_state_dict_pre_hook", "register_load_state_dict_post_hook",
         "get_extra_state", "set_extra_state"),
        "change the dictionary that state_dict returns, before load_state_dict gets it",
    ),
    **dict.fromkeys(
        ("compile_and_run", "compile_cache", "compile_phase", "compiled", "phase", "phase_cache",
         "get_func_graph_proto", "jit_config_dict", "get_inputs"),
        "it is about MindSpore's compiler: call the Cell; for its program, say jit(cell)",
    ),
    **dict.fromkeys(
        ("set_mixed_precision_type", "get_mixed_precision_type", "cast_inputs"),
        "say net.to_float(minigrad.float16)",
    ),
    "register_saved_tensors_hooks": "what the tape keeps is freed step by step as the sweep goes",
    "register_parameter_forward_hook": "register a hook on the Parameter, or a forward pre-hook",
    "set_boost": "there is no such library of tricks; leave it out",
    "bprop_debug": "say minigrad.set_context(check_bprop=True)",
    "check_names_and_refresh_name": "say check_names(); names are fresh as soon as a Cell is set",
    "to_empty": "say net.to(dtype), or load_state_dict",
}  # fmt: skip


# What a module has in other libraries.
_OF_OTHERS = {
    "parameters": "say trainable_params(), or get_parameters() for those without gradients too",
    "named_parameters": "say parameters_and_names()",
    "train": "say set_train()",
    "eval": "say set_train(False)",
    "forward": "a Cell's is construct, and it is called as net(x)",
    "zero_grad": "minigrad.grad returns gradients, and keeps none",
}


class CellState:
    """The part of a Cell that keeps buffers, and hands its state out and in."""

    _params: dict[str, Parameter]
    _cells: OrderedDict[str, Any]
    _buffers: dict[str, bool]  # whether state_dict has them, by name; the Tensor is an attribute
    _float: DType | None = None  # what the Cell computes in, if it is told
    cells_and_names: Any
    _held_parameters: Any

    def __getattr__(self, name: str) -> Any:
        for lent in tuple(vars(self).get("_lent", ())):  # while bprop runs: see kept.py
            if name in lent.attributes:
                lent.read.add(name)
                return lent.attributes[name]
        kind = type(self).__name__
        if name in _ELSEWHERE:
            raise AttributeError(
                f"{kind} has no {name}, which a Cell of MindSpore's has: {_ELSEWHERE[name]}"
            )
        instead = f"; {_OF_OTHERS[name]}" if name in _OF_OTHERS else ""
        raise AttributeError(f"{kind!r} object has no attribute {name!r}{instead}")

    # Buffers: Tensors that are part of the state, and that no optimizer changes.
    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Hold a Tensor under this name that is part of the state, but no Parameter.

        It is an attribute, to which another Tensor, or None, may be assigned. ``persistent=False``
        leaves it out of ``state_dict``.

        Raises KeyError for a name that is taken, empty, or holds a dot; TypeError if it is no
        Tensor.

        >>> from minigrad import Tensor, nn
        >>> net = nn.Dense(2, 1)
        >>> net.register_buffer("seen", Tensor(0))
        >>> print(net.seen, list(net.state_dict()))
        0 ['weight', 'bias', 'seen']
        """
        if not isinstance(name, str):
            raise TypeError(f"register_buffer needs a name, a string, not a {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(
                f"register_buffer: a name is not empty and holds no dot, but got {name!r}"
            )
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(
                f"register_buffer: {type(self).__name__} has a {name} already; del it first"
            )
        check_buffer(self, name, tensor)
        object.__setattr__(self, name, tensor)
        self._buffers[name] = persistent

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this Cell and (``recurse``) of all inside it, with their paths."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix=prefix):
            if not recurse and cell is not self:
                break
            for name in cell._buffers:
                x = getattr(cell, name)
                if x is not None and not (remove_duplicate and id(x) in seen):
                    seen.add(id(x))
                    yield (f"{path}.{name}" if path else name), x

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this Cell and (``recurse``) of all inside it."""
        return (x for _, x in self.named_buffers(recurse=recurse))

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with this path, such as "body.norm.mean"; AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if name not in cell._buffers:
            what = "is no buffer" if hasattr(cell, name) else "is not there"
            raise AttributeError(f"get_buffer: {name} of {cell.cls_name} {what}")
        return getattr(cell, name)

    def get_sub_cell(self, target: str) -> Any:
        """The Cell with this path, such as "body.0"; AttributeError if there is none."""
        cell: Any = self
        for name in target.split(".") if target else ():
            if name not in cell._cells:
                what = "is no Cell" if hasattr(cell, name) else "is not there"
                raise AttributeError(f"get_sub_cell: {name} of {cell.cls_name} {what}")
            cell = cell._cells[name]
        return cell

    # The state as a dictionary.
    def state_dict(
        self,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """The Parameters and buffers of this Cell and of all inside it, by their paths.

        They are the Cell's own: a copy is ``{k: v.copy() for k, v in net.state_dict().items()}``.
        With a ``destination`` they are added to that dict. ``keep_vars`` changes nothing.

        >>> from minigrad import nn
        >>> list(nn.SequentialCell(nn.Dense(2, 3), nn.ReLU()).state_dict())
        ['0.weight', '0.bias']
        """
        state = OrderedDict() if destination is None else destination
        for name, p in self._held_parameters():
            state[prefix + name] = p
        for name, saved in self._buffers.items():
            if saved and (x := getattr(self, name)) is not None:
                state[prefix + name] = x
        for name, cell in self._cells.items():
            cell.state_dict(destination=state, prefix=f"{prefix}{name}.")
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        """Give the Parameters and buffers the values that stand under their paths.

        They keep their names and dtypes. Returns the keys that are missing, and those that are
        unexpected, as a pair with these names.

        Raises RuntimeError for a value of another shape, and, if ``strict``, for missing and
        unexpected keys; then nothing has been loaded.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                "load_state_dict needs a dict, such as net.state_dict(), but got a "
                f"{type(state_dict).__name__}"
            )
        own = self.state_dict()
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        both = [(k, x, state_dict[k]) for k, x in own.items() if k in state_dict]
        wrong = [
            f"{k} has shape {x.shape}, but its value has {tuple(getattr(v, 'shape', ()))}"
            for k, x, v in both
            if tuple(getattr(v, "shape", ())) != x.shape
        ]
        if strict and missing:
            wrong.append(f"no value for {', '.join(missing)}")
        if strict and unexpected:
            wrong.append(f"nothing here is called {', '.join(unexpected)}")
        if wrong:
            raise RuntimeError(
                f"load_state_dict of {type(self).__name__}: {'; '.join(wrong)}. Nothing was loaded"
                + ("; strict=False loads what fits by name" if missing or unexpected else "")
            )
        for _, x, v in both:
            write(x, Tensor(v, x.dtype))
        return _IncompatibleKeys(missing, unexpected)

    # The dtype.
    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Cast the floating Parameters and buffers, of this Cell and of all inside it; return it.

        Called as ``to(dtype)``, ``to(tensor)``, whose dtype it is, or ``to("CPU", dtype)``.

        Raises TypeError for a dtype that is no float, ValueError for another device.
        """
        kwargs.pop("non_blocking", None)
        given = [*args, *kwargs.values()]
        for x in given:
            if isinstance(x, str) and x.upper() != "CPU":
                raise ValueError(
                    f'to: minigrad computes on the CPU; the device is "CPU", not {x!r}'
                )
        kinds = [x.dtype if isinstance(x, Tensor) else x for x in given if _is_kind(x)]
        if kwargs.keys() - {"dtype", "device"} or len(kinds) > 1:
            raise TypeError(f"to takes a dtype, a Tensor, or dtype= and device=, but got {given}")
        for kind in kinds:
            dtype = of(kind)
            if dtype.dtype.kind != "f":
                raise TypeError(f"to needs a floating dtype, but got {dtype}")
            for _, cell in self.cells_and_names():
                names = [name for name in cell._buffers if getattr(cell, name) is not None]
                held = [p for _, p in cell._held_parameters()]
                for x in (*held, *(getattr(cell, name) for name in names)):
                    if x.array.dtype.kind == "f":
                        write(x, x.astype(dtype))
        return self

    def to_float(self, dst_type: DType) -> Any:
        """Compute in this dtype, float16 or float32, from now on: mixed precision; return the Cell.

        At each call of this Cell and of those inside it, floating inputs, trainable Parameters and
        outputs are cast. The Parameters stay as they are, and so are their gradients.

        Raises ValueError for another dtype.

        >>> import minigrad as ms
        >>> from minigrad import Tensor, nn
        >>> net = nn.Dense(2, 1).to_float(ms.float16)
        >>> x = Tensor([[1.0, 2.0]])
        >>> net(x).dtype, net.weight.dtype
        (minigrad.float16, minigrad.float32)
        """
        if dst_type not in (float16, float32):
            raise ValueError(f"to_float takes float16 or float32, but got {dst_type!r}")
        for _, cell in self.cells_and_names():
            object.__setattr__(cell, "_float", dst_type)
        return self


def _is_kind(x: Any) -> bool:
    return x is not None and not isinstance(x, bool | str)


def check_buffer(cell: Any, name: str, value: Any) -> None:
    """Raise TypeError for what cannot be a buffer."""
    if value is not None and (not isinstance(value, Tensor) or isinstance(value, Parameter)):
        raise TypeError(
            f"{name} of {cell.cls_name} is a buffer, a Tensor or None, but got {value!r}"
        )
    if value is not None and hasattr(value.array, "slot"):
        from ..graph.traced import refuse_state

        refuse_state(f"{name} of {cell.cls_name}, a buffer, is assigned")


def call_in_float(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Call a Cell in the dtype that ``to_float`` told it."""

    def cast(x):
        return x.astype(cell._float) if x.array.dtype.kind == "f" else x

    args = tuple(map_tensors(cast, x) for x in args)
    kwargs = {name: map_tensors(cast, x) for name, x in kwargs.items()}
    weights = [p for _, p in cell._held_parameters() if p.requires_grad]
    with with_values(weights, map(cast, weights)):
        output = call_with_hooks(cell, cell._hooks or CellHooks(), args, kwargs)
    return map_tensors(cast, output)
