"""Settings of MindSpore programs. Most choose a device or a backend, and minigrad has just one."""

from typing import Any

from .containers import flat
from .tensor import Tensor

GRAPH_MODE, PYNATIVE_MODE = 0, 1

# The settings that minigrad looks at.
_OWN: dict[str, Any] = {"mode": PYNATIVE_MODE, "device_target": "CPU", "check_bprop": False}

# Settings of MindSpore that mean nothing here, and the values they have there. They are kept, so
# that programs can ask for what they have set.
_OTHERS: dict[str, Any] = {
    "aoe_tune_mode": "", "ascend_config": {}, "compile_cache_path": "", "debug_level": 0,
    "deterministic": "OFF", "device_id": 0, "disable_format_transform": False,
    "enable_compile_cache": None, "enable_graph_kernel": False, "enable_reduce_precision": True,
    "env_config_path": "", "exec_order": "bfs", "gpu_config": {}, "graph_kernel_flags": "",
    "host_scheduling_max_threshold": "", "inter_op_parallel_num": 0, "jit_config": {},
    "jit_level": "", "jit_syntax_level": 2, "max_call_depth": 1000, "max_device_memory": 1024.0,
    "memory_offload": "OFF", "memory_optimize_level": 0, "mempool_block_size": 1.0,
    "op_timeout": 900, "precompile_only": False, "print_file_path": "",
    "pynative_synchronize": False, "reserve_class_name_in_scope": True, "runtime_num_threads": 1,
    "save_graphs": 0, "save_graphs_path": ".", "support_binary": False,
}  # fmt: skip
_SETTINGS: dict[str, Any] = {**_OWN, **_OTHERS}


def set_context(**settings) -> None:
    """Change settings by name. ``check_bprop=True`` demands that a bprop returns a tuple.

    In it are, for each input, a Tensor of the input's shape and dtype, or None.
    ``mode=GRAPH_MODE`` runs Cells as programs of numpy calls, as ``jit`` does.

    Raises ValueError for an unknown name or mode, or a device other than the CPU, and TypeError for
    ``check_bprop`` and ``pynative_synchronize`` that are neither True nor False.

    >>> set_context(mode=PYNATIVE_MODE, device_target="CPU")
    """
    for name in settings:
        _check_known(name)
    for name in ("check_bprop", "pynative_synchronize"):
        if not isinstance(settings.get(name, False), bool):
            raise TypeError(f"{name} must be True or False, but got {settings[name]!r}")
    if settings.get("device_target", "CPU") != "CPU":
        raise ValueError(f"minigrad runs on the CPU only, not on {settings['device_target']!r}")
    if settings.get("mode", PYNATIVE_MODE) not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"mode is GRAPH_MODE or PYNATIVE_MODE, but got {settings['mode']!r}")
    _SETTINGS.update(settings)


def get_context(name: str) -> Any:
    """The value of a setting.

    >>> get_context("device_target")
    'CPU'
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a setting is a string, but got {name!r}")
    _check_known(name)
    return _SETTINGS[name]


def in_graph_mode() -> bool:
    """Whether Cells are to run as programs."""
    return _SETTINGS["mode"] == GRAPH_MODE


def _check_known(name: str) -> None:
    if name not in _SETTINGS:
        raise ValueError(
            f"there is no setting {name!r}; minigrad's are {', '.join(sorted(_OWN))}, and of "
            f"MindSpore's it keeps {', '.join(sorted(_OTHERS))}"
        )


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device, of which minigrad has one.

    >>> set_device("CPU")
    """
    set_context(device_target=device_target)


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """The value as it is: what MindSpore's graph mode must be told, minigrad sees by itself.

    Raises TypeError for what is no bool, int, float or Tensor, nor a tuple, list or dict of them.

    >>> mutable((1, 2.5))
    (1, 2.5)
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"mutable: dynamic_len must be True or False, but got {dynamic_len!r}")
    if dynamic_len and not isinstance(input_data, list | tuple):
        raise TypeError(
            "mutable: only a list or a tuple has a length that changes, but dynamic_len=True came "
            f"with a {type(input_data).__name__}"
        )
    for x in flat(input_data):
        if not isinstance(x, bool | int | float | Tensor):
            raise TypeError(
                "mutable takes a bool, int, float or Tensor, or tuples, lists and dicts of them, "
                f"but got a {type(x).__name__}: {x!r}"
            )
    return input_data
