"""Settings of MindSpore programs. Most choose a device or a backend, and minigrad has just one."""

from typing import Any

GRAPH_MODE, PYNATIVE_MODE = 0, 1

# Settings of MindSpore that mean nothing here and are kept all the same.
_OTHERS = frozenset(
    ("device_id", "deterministic", "enable_graph_kernel", "jit_config", "jit_level",
     "jit_syntax_level",
     "max_call_depth", "max_device_memory", "mempool_block_size", "precompile_only",
     "print_file_path",
     "pynative_synchronize", "runtime_num_threads", "save_graphs", "save_graphs_path")
)  # fmt: skip
_SETTINGS: dict[str, Any] = {"mode": PYNATIVE_MODE, "device_target": "CPU", "check_bprop": False}


def set_context(**settings) -> None:
    """Change settings by name. ``check_bprop=True`` demands that a bprop returns a tuple.

    Raises ValueError for a device other than the CPU, and for graph mode.

    >>> set_context(mode=PYNATIVE_MODE, device_target="CPU")
    """
    for name in settings:
        if name not in _SETTINGS and name not in _OTHERS:
            known = ", ".join(sorted(_SETTINGS))
            raise ValueError(f"there is no setting {name!r}; minigrad's are {known}")
    if settings.get("device_target", "CPU") != "CPU":
        raise ValueError(f"minigrad runs on the CPU only, not on {settings['device_target']!r}")
    if settings.get("mode", PYNATIVE_MODE) != PYNATIVE_MODE:
        raise ValueError("minigrad has no graph mode, so far: use mode=minigrad.PYNATIVE_MODE")
    _SETTINGS.update(settings)


def get_context(name: str) -> Any:
    """The value of a setting.

    >>> get_context("device_target")
    'CPU'
    """
    if name not in _SETTINGS:
        raise ValueError(f"there is no setting {name!r}; there are {', '.join(sorted(_SETTINGS))}")
    return _SETTINGS[name]
