"""The lessons that there are, found by their modules."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .lesson import Lesson


def lessons() -> list[Lesson]:
    """The lessons, in their order.

    >>> [lesson.title for lesson in lessons() if lesson.name.startswith("02")]
    ['A program is a graph']
    """
    package = import_module("minigrad_widgets")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = [import_module(f"{package.__name__}.{n}") for n in names if n.startswith("lesson_")]
    return sorted((module.LESSON for module in modules), key=lambda lesson: lesson.name)
