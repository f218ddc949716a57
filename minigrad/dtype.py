"""The types of numbers: ``minigrad.float32``, ``mstype.int64`` and so on.

A ``DType`` has MindSpore's name and stands for a numpy dtype, so numpy accepts it wherever it
takes a dtype: ``np.zeros(3, minigrad.float32)``.
"""

import numpy as np


class DType:
    """A type of numbers, with the name that MindSpore prints.

    >>> import minigrad as ms
    >>> print(ms.Tensor([1.5]).dtype)
    Float32
    >>> ms.Tensor([1.5]).dtype == ms.float32
    True
    """

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: type):
        self.name = name
        self.dtype = np.dtype(dtype)  # numpy looks for an attribute of this name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"minigrad.{self.name.lower()}"

    def __reduce__(self):
        return of, (self.dtype,)  # there is one of each, also after a copy


bool_ = DType("Bool", np.bool_)
int8 = DType("Int8", np.int8)
int16 = DType("Int16", np.int16)
int32 = DType("Int32", np.int32)
int64 = DType("Int64", np.int64)
uint8 = DType("UInt8", np.uint8)
uint16 = DType("UInt16", np.uint16)
uint32 = DType("UInt32", np.uint32)
uint64 = DType("UInt64", np.uint64)
float16 = DType("Float16", np.float16)
float32 = DType("Float32", np.float32)
float64 = DType("Float64", np.float64)

_KNOWN = {
    known.dtype: known
    for known in (
        *(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
        *(float16, float32, float64),
    )
}


def of(dtype) -> DType:
    """The DType of a numpy dtype, or of anything that numpy takes for one.

    Raises TypeError for a dtype that a Tensor cannot hold, such as ``complex`` or ``str``.

    >>> of(np.zeros(2).dtype)
    minigrad.float64
    """
    found = _KNOWN.get(dtype)
    if found is None:
        found = _KNOWN.get(np.dtype(dtype).newbyteorder("="))
    if found is None:
        names = ", ".join(str(known) for known in _KNOWN.values())
        raise TypeError(f"a Tensor cannot hold {np.dtype(dtype)}; it holds one of {names}")
    return found
