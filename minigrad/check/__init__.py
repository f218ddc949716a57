"""Checks: gradients against differences, a ``bprop`` against the truth, and where a NaN is born."""

from .gradients import check_bprop, check_grads, compare_entries
from .origin import Birth, Origin, nan_origin
from .report import Difference, Entries, GradientError, Report

__all__ = [
    "Birth", "Difference", "Entries", "GradientError", "Origin", "Report", "check_bprop",
    "check_grads", "compare_entries", "nan_origin",
]  # fmt: skip
