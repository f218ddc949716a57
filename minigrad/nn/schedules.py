"""Learning rates that change from step to step, as lists of numbers and as Cells.

A function such as ``cosine_decay_lr`` makes the list of the rates of all steps; they change from
epoch to epoch. A Cell such as ``CosineDecayLR`` computes the rate from the number of the step.
Optimizers take either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from .. import dtype as dtypes
from .. import ops
from ..tensor import Tensor
from .cell import Cell

_COUNTS = (
    "decay_epoch",
    "decay_steps",
    "step_per_epoch",
    "total_step",
    "warmup_epoch",
    "warmup_steps",
)
_RATES = ("decay_rate", "learning_rate", "max_lr", "power")
_FROM_0 = ("end_learning_rate", "min_lr")


def _check(name: str, arguments: dict[str, Any]) -> None:
    """Raise ValueError for an argument that cannot be: counts of steps are whole, rates above 0."""
    for argument in (*_COUNTS, *_RATES, *_FROM_0):
        value = arguments.get(argument, 1)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if argument in _COUNTS:
            good, wanted = isinstance(value, int) and value > 0, "a whole number from 1 on"
        elif argument in _RATES:
            good, wanted = number and value > 0, "a number above 0"
        else:
            good, wanted = number and value >= 0, "a number from 0 on"
        if not good:
            raise ValueError(f"{name}: {argument} must be {wanted}, but got {value!r}")
    if arguments.get("min_lr", 0) >= arguments.get("max_lr", 1):
        raise ValueError(f"{name}: max_lr must lie above min_lr {arguments['min_lr']}")


# ----------------------------------------------------------------------------------- lists of rates
def _list(rate: Callable[[int], float], total_step: int, step_per_epoch: int) -> list[float]:
    return [rate(i // step_per_epoch) for i in range(total_step)]


def piecewise_constant_lr(milestone: list[int], learning_rates: list[float]) -> list[float]:
    """learning_rates[0] until step milestone[0], then learning_rates[1] until milestone[1] ...

    >>> piecewise_constant_lr([2, 3], [0.1, 0.05])
    [0.1, 0.1, 0.05]
    """
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"piecewise_constant_lr: {len(milestone)} milestones, but {len(learning_rates)} rates"
        )
    rates: list[float] = []
    ends = [0, *milestone]
    for rate, (start, end) in zip(learning_rates, pairwise(ends), strict=True):
        if end < max(start, 1):
            raise ValueError(f"piecewise_constant_lr: milestones must grow, but got {milestone}")
        rates += [rate] * (end - start)
    return rates


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate × decay_rate ^ (epoch / decay_epoch); in whole steps if ``is_stair``.

    >>> exponential_decay_lr(1.0, 0.5, total_step=4, step_per_epoch=2, decay_epoch=1)
    [1.0, 1.0, 0.5, 0.5]
    """
    _check("exponential_decay_lr", locals())

    def rate(epoch):
        passed = epoch // decay_epoch if is_stair else epoch / decay_epoch
        return learning_rate * decay_rate**passed

    return _list(rate, total_step, step_per_epoch)


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate × exp(-decay_rate × epoch); every decay_epoch epochs if ``is_stair``.

    >>> natural_exp_decay_lr(1.0, 0.5, total_step=2, step_per_epoch=2, decay_epoch=1)
    [1.0, 1.0]
    """
    _check("natural_exp_decay_lr", locals())

    def rate(epoch):
        passed = epoch // decay_epoch * decay_epoch if is_stair else epoch
        return learning_rate * math.exp(-decay_rate * passed)

    return _list(rate, total_step, step_per_epoch)


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate × epoch / decay_epoch); in whole steps if ``is_stair``.

    >>> inverse_decay_lr(1.0, 1.0, total_step=3, step_per_epoch=1, decay_epoch=1)
    [1.0, 0.5, 0.3333333333333333]
    """
    _check("inverse_decay_lr", locals())

    def rate(epoch):
        passed = epoch // decay_epoch if is_stair else epoch / decay_epoch
        return learning_rate / (1 + decay_rate * passed)

    return _list(rate, total_step, step_per_epoch)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr in decay_epoch epochs, as half a turn of a cosine; min_lr from then on.

    >>> cosine_decay_lr(0.0, 1.0, total_step=3, step_per_epoch=1, decay_epoch=2)
    [1.0, 0.5, 0.0]
    """
    _check("cosine_decay_lr", locals())

    def rate(epoch):
        turn = math.pi * min(epoch, decay_epoch) / decay_epoch
        return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(turn))

    return _list(rate, total_step, step_per_epoch)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """From learning_rate to end_learning_rate as (1 - epoch / decay_epoch) ^ power.

    ``update_decay_epoch`` makes decay_epoch longer, by multiples, once it has passed.

    >>> polynomial_decay_lr(1.0, 0.0, total_step=3, step_per_epoch=1, decay_epoch=2, power=1.0)
    [1.0, 0.5, 0.0]
    """
    _check("polynomial_decay_lr", locals())

    def rate(epoch):
        end = decay_epoch
        if update_decay_epoch:
            end *= max(math.ceil(epoch / decay_epoch), 1)
        left = 1 - min(epoch, end) / end
        return (learning_rate - end_learning_rate) * left**power + end_learning_rate

    return _list(rate, total_step, step_per_epoch)


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """From 0 to learning_rate in warmup_epoch epochs, along a straight line.

    >>> warmup_lr(1.0, total_step=3, step_per_epoch=1, warmup_epoch=2)
    [0.0, 0.5, 1.0]
    """
    _check("warmup_lr", locals())
    return _list(
        lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch,
        total_step,
        step_per_epoch,
    )


# -------------------------------------------------------------------------------------------- Cells
class LearningRateSchedule(Cell):
    """The base of schedules: ``construct(global_step)`` computes the rate of a step, from 0 on.

    >>> class Halved(LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.5**global_step
    >>> print(Halved()(Tensor(3.0)))
    0.125
    """

    def construct(self, global_step) -> Tensor:
        raise AttributeError(f"{type(self).__name__} has no construct(self, global_step)")


class _Decay(LearningRateSchedule):
    """What the three decays below share."""

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ):
        super().__init__()
        _check(type(self).__name__, locals())
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def passed(self, global_step) -> Tensor:
        """The step, in units of decay_steps; whole ones if ``is_stair``."""
        passed = _step(global_step) / self.decay_steps
        return ops.floor(passed) if self.is_stair else passed


def _step(global_step):
    return Tensor(global_step).astype(dtypes.float32)


class ExponentialDecayLR(_Decay):
    """learning_rate × decay_rate ^ (step / decay_steps).

    >>> print(ExponentialDecayLR(1.0, 0.5, decay_steps=2)(Tensor(4)))
    0.25
    """

    def construct(self, global_step) -> Tensor:
        return self.learning_rate * self.decay_rate ** self.passed(global_step)


class NaturalExpDecayLR(_Decay):
    """learning_rate × exp(-decay_rate × step); every decay_steps steps if ``is_stair``.

    >>> print(NaturalExpDecayLR(1.0, 0.5, decay_steps=2)(Tensor(0)))
    1.0
    """

    def construct(self, global_step) -> Tensor:
        step = _step(global_step)
        if self.is_stair:
            step = self.passed(global_step) * self.decay_steps
        return self.learning_rate * ops.exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate × step / decay_steps).

    >>> print(InverseDecayLR(1.0, 1.0, decay_steps=2)(Tensor(2)))
    0.5
    """

    def construct(self, global_step) -> Tensor:
        return self.learning_rate / (1 + self.decay_rate * self.passed(global_step))


class CosineDecayLR(LearningRateSchedule):
    """From max_lr to min_lr in decay_steps steps, as half a turn of a cosine.

    >>> print(CosineDecayLR(0.0, 1.0, decay_steps=2)(Tensor(0)))
    1.0
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int):
        super().__init__()
        _check("CosineDecayLR", locals())
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def construct(self, global_step) -> Tensor:
        passed = ops.minimum(_step(global_step), self.decay_steps) / self.decay_steps
        turn = ops.sin(math.pi * (passed + 0.5))  # the cosine of π passed
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1.0 + turn)


class PolynomialDecayLR(LearningRateSchedule):
    """From learning_rate to end_learning_rate as (1 - step / decay_steps) ^ power.

    ``update_decay_steps`` makes decay_steps longer, by multiples, once they have passed.

    >>> print(PolynomialDecayLR(1.0, 0.0, decay_steps=2, power=1.0)(Tensor(1)))
    0.5
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ):
        super().__init__()
        _check("PolynomialDecayLR", locals())
        self.start_learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.decay_steps, self.power = decay_steps, power
        self.update_decay_steps = update_decay_steps

    def construct(self, global_step) -> Tensor:
        step, end = _step(global_step), self.decay_steps
        if self.update_decay_steps:
            end = end * ops.maximum(ops.ceil(step / end), 1)
        left = 1.0 - ops.minimum(step, end) / end
        whole = self.start_learning_rate - self.end_learning_rate
        return whole * left**self.power + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """From 0 to learning_rate in warmup_steps steps, along a straight line.

    >>> print(WarmUpLR(1.0, warmup_steps=4)(Tensor(1)))
    0.25
    """

    def __init__(self, learning_rate: float, warmup_steps: int):
        super().__init__()
        _check("WarmUpLR", locals())
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step) -> Tensor:
        passed = ops.minimum(_step(global_step), self.warmup_steps) / self.warmup_steps
        return self.learning_rate * passed
