"""Settings of MindSpore programs. Most choose a device or a backend, and minigrad has just one."""

from typing import Any

GRAPH_MODE, PYNATIVE_MODE = 0, 1

_SETTINGS: dict[str, Any] = {"mode": PYNATIVE_MODE, "device_target": "CPU", "check_bprop": False}


def set_context(**settings) -> None:
    """Change settings by name. ``check_bprop=True`` demands that a bprop returns a tuple.

    Raises ValueError for a device other than the CPU, and for graph mode.

    >>> set_context(mode=PYNATIVE_MODE, device_target="CPU")
    """
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
