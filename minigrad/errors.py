"""Errors that say which op failed, what it was given, and what to try."""

import numpy as np


def explain(error: Exception, op, arguments: tuple) -> Exception:
    """The error to raise in place of numpy's when an op cannot compute."""
    shapes = [getattr(x, "shape", ()) for x in arguments]
    if isinstance(error, ValueError) and "broadcast" in str(error) and len(shapes) > 1:
        return ValueError(
            f"{op.name}: {_list(op, arguments)} do not broadcast together. Shapes are compared "
            "from the last axis to the first: two lengths must be equal, or one of them 1. "
            "Reshape one of them, for example x.reshape(-1, 1) for a column"
        )
    if isinstance(error, ValueError) and "core dimension" in str(error):
        return ValueError(
            f"{op.name}: {_list(op, arguments)} cannot be multiplied: the last axis of the first "
            "must be as long as the last but one (or only) axis of the second. "
            "Transpose one of them, for example y.T"
        )
    for kind in (IndexError, ValueError, TypeError, MemoryError):
        if isinstance(error, kind):
            return kind(f"{op.name}: {error} (given {_list(op, arguments)})")
    return error


def _list(op, arguments: tuple) -> str:
    return " and ".join(
        f"{name} of shape {tuple(x.shape)}" if hasattr(x, "shape") else f"{name}={_short(x)}"
        for name, x in zip(op.parameters, arguments, strict=True)
    )


def _short(x) -> str:
    with np.printoptions(threshold=10):
        text = repr(x)
    return text if len(text) < 60 else text[:57] + "..."
