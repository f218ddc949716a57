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
        weight = "it has shape (out, in)" if op.name == "dense" else "transpose one, as in y.T"
        inner = "last" if op.name == "dense" else "last but one (or only)"
        return ValueError(
            f"{op.name}: {_list(op, arguments)} cannot be multiplied: the last axis of the first "
            f"must be as long as the {inner} axis of the second ({weight})"
        )
    if isinstance(error, ValueError) and "enough dimensions" in str(error):
        return ValueError(
            f"{op.name}: {_list(op, arguments)} cannot be multiplied as matrices: a single number "
            "has no axis to sum over. Multiply by it with *"
        )
    strange = [x for x in arguments if not _is_number(x)]
    if isinstance(error, TypeError) and "ufunc" in str(error) and strange:
        return TypeError(
            f"{op.name}: expected a Tensor or a number, but got {type(strange[0]).__name__}: "
            f"{_short(strange[0])}"
        )
    if isinstance(error, TypeError) and "not supported for the input types" in str(error):
        dtypes = " and ".join(
            f"{name} of dtype {x.dtype}" if hasattr(x, "dtype") else f"{name}={_short(x)}"
            for name, x in zip(op.parameters, arguments, strict=True)
        )
        return TypeError(
            f"{op.name} is not defined for {dtypes}. Cast to a dtype that it takes, for example "
            "x.astype(ms.int32)"
        )
    for kind in (IndexError, OverflowError, ValueError, TypeError, MemoryError):
        if isinstance(error, kind):
            return kind(f"{op.name}: {error} (given {_list(op, arguments)})")
    return error


def _list(op, arguments: tuple) -> str:
    names = [f"{name} of shape" for name in op.parameters]
    return " and ".join(
        f"{name} {_short(x)}" if _is_array(x) else f"{name[:-9]}={_short(x)}"
        for name, x in zip(names, arguments, strict=True)
    )


def _is_array(x) -> bool:
    return hasattr(x, "shape") or (type(x) is tuple and len(x) > 0 and all(map(_is_array, x)))


def _is_number(x) -> bool:
    return hasattr(x, "shape") or isinstance(x, int | float)


def _short(x) -> str:
    if hasattr(x, "shape"):
        return str(tuple(x.shape))
    if _is_array(x):
        return ", ".join(map(_short, x))
    with np.printoptions(threshold=10):
        text = repr(x)
    return text if len(text) < 60 else text[:57] + "..."
