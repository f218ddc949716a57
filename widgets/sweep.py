"""What the steps of a sweep are to the values of its run: who gets parts, when all are there."""

from __future__ import annotations

from minigrad.watch import Part, Run, Step, Value

from .picture import starts
from .program import once_per_run


def targets_of(step: Step) -> dict[str, list[Part]]:
    """The parts that a step sends, by the id of the value that gets them."""
    targets: dict[str, list[Part]] = {}
    for part in step.parts:
        targets.setdefault(part.value.id, []).append(part)
    return targets


@once_per_run
def arrivals(run: Run) -> dict[Value, list[int]]:
    """The steps that send something to a value: the number of each, once for each part."""
    found: dict[Value, list[int]] = {}
    for step in run.steps:
        for part in step.parts:
            found.setdefault(part.value, []).append(step.number)
    return found


def completed(run: Run, value: Value) -> int:
    """The number of the step after which a value's gradient is complete; 0 for the output's."""
    return max(arrivals(run).get(value, ()), default=0)


def state_of(run: Run, number: int, value: Value) -> str:
    """How far the gradient of a value is after a step: `complete`, or `so far, 1 of 2 parts`."""
    numbers = arrivals(run)[value]
    arrived = sum(each <= number for each in numbers)
    return "complete" if arrived == len(numbers) else f"so far, {arrived} of {len(numbers)} parts"


def unreached(run: Run) -> list[Value]:
    """The inputs and Parameters that no step sends anything to, and that are no output."""
    reached = arrivals(run).keys() | starts(run).keys()
    return [leaf for leaf in run.gradients if leaf not in reached]


def is_second(run: Run) -> bool:
    """Whether the sweep is that of a derivative: the run holds a first sweep already."""
    return any(value.gradient_of is not None for value in run.values)
