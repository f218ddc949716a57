"""Checks: gradients against differences, a ``bprop`` against the truth, and where a NaN is born."""

from .gradients import check_bprop, check_grads
from .origin import Birth, Origin, nan_origin
from .report import Difference, GradientError, Report

__all__ = [
    "Birth", "Difference", "GradientError", "Origin", "Report", "check_bprop", "check_grads",
    "nan_origin",
]  # fmt: skip
