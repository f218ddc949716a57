"""The base of optimizers: Parameters in groups, learning rates, weight decay.

An optimizer is called with a tuple of gradients, one for each of its Parameters, and changes these.
It computes with numpy and gives each Parameter a new array, so what was computed from the old one
stays true. What it remembers from step to step, such as a momentum, are Parameters too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..parameter import Parameter, ParameterTuple
from ..samples import refuse_samples
from ..tensor import Tensor, as_array, wrap, write
from .cell import Cell
from .containers import CellList
from .schedules import LearningRateSchedule


class Optimizer(Cell):
    """The base of optimizers: it walks over the Parameters, and a subclass says how one changes.

    ``learning_rate`` is a number, a list with the rate of each step, or a LearningRateSchedule. A
    number becomes a Parameter, so it can be changed: ``optimizer.learning_rate.set_data(0.01)``.

    ``parameters`` are Parameters, or groups of them with rates and decays of their own:
    ``[{"params": [w], "lr": 0.1, "weight_decay": 0.01}, {"params": [b]}]``. A last group
    ``{"order_params": [b, w]}`` says in which order the gradients come.

    ``weight_decay`` adds that part of each Parameter to its gradient; without groups not to those
    with "beta" or "gamma" in their name. It may be a Cell that computes it from the step.
    ``loss_scale`` is what the loss was multiplied by; gradients are divided by it.

    A subclass writes ``change``, or ``construct`` with ``get_lr``, ``decay_weight`` and
    ``scale_grad``. Raises TypeError, ValueError, KeyError or RuntimeError for what cannot be.

    >>> from minigrad import Parameter, Tensor, nn
    >>> class Descent(nn.Optimizer):
    ...     def change(self, i, g, rate):
    ...         return rate * g
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> Descent(0.5, [w])((Tensor([1.0, 4.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5 0. ]
    """

    def __init__(
        self,
        learning_rate: Any,
        parameters: Iterable[Any],
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ):
        super().__init__(auto_prefix=False)
        if loss_scale <= 0:
            raise ValueError(f"{self._name}: loss_scale must be above 0, but got {loss_scale}")
        self.loss_scale = float(loss_scale)
        self.global_step = Parameter(np.zeros(1, np.int32), name="global_step")
        groups = self._groups(parameters)
        self.is_group = isinstance(groups[0], dict)
        self.is_group_lr = self.is_group and any("lr" in group for group in groups)
        decay = self._decay(weight_decay)
        if self.is_group:
            rows = self._rows(groups, learning_rate, decay)
        else:
            rate = self._rate(learning_rate, "learning_rate")
            rows = [(p, rate, 0.0 if _spared(p) else decay) for p in groups]
        found, self._rates, self._decays = map(list, zip(*rows, strict=True))
        self.learning_rate = self._shown_rate()
        self.weight_decay = tuple(self._decays) if self.is_group else decay
        self.parameters = ParameterTuple(found)
        names = [p.name for p in found]
        for name in names:
            if names.count(name) > 1:
                raise RuntimeError(f"{self._name}: the Parameter {name} is there twice")

    @property
    def _name(self) -> str:
        return type(self).__name__

    # What it was given.
    def _groups(self, parameters) -> list:
        if isinstance(parameters, Parameter):
            raise TypeError(
                f"{self._name}: params must be a list of Parameters; write [{parameters.name}]"
            )
        if isinstance(parameters, Cell):
            raise TypeError(
                f"{self._name}: params must be a list of Parameters; write net.trainable_params()"
            )
        groups = [] if parameters is None else list(parameters)
        if not groups:
            raise ValueError(f"{self._name}: params is empty: there is nothing to train")
        kinds = {dict if isinstance(g, dict) else Parameter for g in groups}
        if len(kinds) > 1 or not all(isinstance(g, dict | Parameter) for g in groups):
            i, wrong = next((i, g) for i, g in enumerate(groups) if not isinstance(g, Parameter))
            raise TypeError(
                f"{self._name}: params must hold Parameters, or groups (dicts) and nothing else, "
                f"but element {i} is {type(wrong).__name__}"
            )
        return groups

    def _rows(self, groups: list[dict], learning_rate, weight_decay) -> list[tuple]:
        """For each Parameter of the groups: itself, its rate, its decay."""
        default = self._rate(learning_rate, "learning_rate")
        rows, order = [], None
        for i, group in enumerate(groups):
            known = {"params", "lr", "weight_decay", "grad_centralization"}
            if "order_params" in group:
                known, order = {"order_params"}, list(group["order_params"])
            if unknown := group.keys() - known:
                raise KeyError(
                    f"{self._name}: a group has {', '.join(map(repr, sorted(unknown)))}, but may "
                    f"have {', '.join(sorted(known))}"
                )
            if "order_params" in group:
                continue
            if group.get("grad_centralization"):
                raise ValueError(f"{self._name}: minigrad has no grad_centralization")
            if "params" not in group:
                raise KeyError(f"{self._name}: group {i} has no 'params'")
            rate = default
            if "lr" in group:
                rate = self._rate(group["lr"], f"learning_rate_group_{i}")
            decay = self._decay(group["weight_decay"]) if "weight_decay" in group else weight_decay
            rows += [(p, rate, decay) for p in self._groups(group["params"])]
        if order is not None:
            by_name = {row[0].name: row for row in rows}
            if sorted(by_name) != sorted(p.name for p in order):
                raise ValueError(f"{self._name}: order_params must name the groups' Parameters")
            rows = [by_name[p.name] for p in order]
        return rows

    def _rate(self, rate, name: str) -> Parameter | LearningRateSchedule:
        if isinstance(rate, LearningRateSchedule):
            return rate
        try:
            array = np.asarray(rate.array if isinstance(rate, Tensor) else list(rate))
        except TypeError:
            array = np.asarray(rate)
        if array.dtype.kind not in "fiu" or array.ndim > 1:
            raise TypeError(
                f"{self._name}: learning_rate is a number, a list with one for each step, or a "
                f"LearningRateSchedule such as nn.CosineDecayLR, but got {rate!r}"
            )
        if not (array >= 0).all():
            raise ValueError(f"{self._name}: learning_rate must be 0 or more, but got {rate!r}")
        value = Parameter(array.astype(np.float32), name=name)
        return value if array.ndim == 0 else _RatesByStep(value)

    def _decay(self, decay) -> Any:
        if isinstance(decay, Cell):
            return decay
        if not isinstance(decay, int | float) or isinstance(decay, bool) or decay < 0:
            raise ValueError(
                f"{self._name}: weight_decay must be a number from 0 on, or a Cell that computes "
                f"it from the step, but got {decay!r}"
            )
        return float(decay)

    def _shown_rate(self) -> Any:
        """What ``learning_rate`` is: the one rate of all, or a list with that of each Parameter."""
        if not self.is_group_lr:
            return self._rates[0]
        if any(isinstance(rate, Cell) for rate in self._rates):
            cells = [r if isinstance(r, Cell) else _SameRate(r) for r in self._rates]
            return CellList(cells, auto_prefix=False)
        return ParameterTuple(self._rates)

    # What a step is made of.
    def get_lr(self) -> Any:
        """The learning rate of this step; a tuple with one for each Parameter, if they differ."""
        if not self.is_group_lr:
            return self._now(self._rates[0])
        return tuple(map(self._now, self._rates))

    def get_weight_decay(self) -> tuple:
        """The weight decay of each Parameter in this step."""
        return tuple(number(self._now(d)) if isinstance(d, Cell) else d for d in self._decays)

    def _now(self, rate) -> Tensor:
        return rate(self.global_step).reshape(()) if isinstance(rate, Cell) else rate

    def get_lr_parameter(self, param: Any) -> Any:
        """The learning rate of a Parameter, or of each in a list, as it is kept."""
        if not isinstance(param, Parameter):
            return [self.get_lr_parameter(p) for p in param]
        for p, rate in zip(self.parameters, self._rates, strict=True):
            if p is param:
                return rate.learning_rate if isinstance(rate, _RatesByStep) else rate
        raise ValueError(f"{self._name}: the Parameter {param.name} is none of its own")

    def decay_weight(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients, with weight_decay × Parameter added."""
        rows = zip(self.parameters, gradients, self.get_weight_decay(), strict=True)
        scale = self.loss_scale
        return tuple(wrap(g.array + d * scale * p.array) if d else g for p, g, d in rows)

    def scale_grad(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients, divided by ``loss_scale``."""
        if self.loss_scale == 1:
            return gradients
        return tuple(wrap(g.array / self.loss_scale) for g in gradients)

    def flatten_gradients(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients as they are."""
        return gradients

    gradients_centralization = flatten_gradients

    def construct(self, gradients: tuple[Tensor, ...] | Tensor) -> tuple[bool, ...]:
        """Change every Parameter by its gradient; return True for each."""
        given = self._checked(gradients)
        message = (
            "Parameters cannot be updated by gradients that differ between samples: return the "
            "gradients, and call the optimizer outside"
        )
        refuse_samples(self._name, message, *given, *self.parameters)
        given = self.scale_grad(self.decay_weight(given))
        now = {rate: number(self._now(rate)) for rate in dict.fromkeys(self._rates)}
        write(self.global_step, wrap(self.global_step.array + 1))
        self.begin_step()
        for i, (p, g, rate) in enumerate(zip(self.parameters, given, self._rates, strict=True)):
            change = as_array(self.change(i, g.array, now[rate]), p.array.dtype)
            own = change if isinstance(p.array, np.ndarray) else None  # change is nobody else's
            write(p, wrap(np.subtract(p.array, change, out=own)))
        return (True,) * len(given)

    def _checked(self, gradients) -> tuple[Tensor, ...]:
        given = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
        if len(given) != len(self.parameters):
            raise ValueError(
                f"{self._name}: {len(self.parameters)} Parameters, but {len(given)} gradients"
            )
        for p, g in zip(self.parameters, given, strict=True):
            if not isinstance(g, Tensor):
                raise TypeError(
                    f"{self._name}: the gradient for {p.name} must be a Tensor, but got "
                    f"{type(g).__name__}"
                )
            if g.shape != p.shape:
                raise ValueError(
                    f"{self._name}: the gradient for {p.name} has shape {g.shape}, but the "
                    f"Parameter has {p.shape}"
                )
            g._leave(self._name)  # within a gradient call, a warning
        return given

    def begin_step(self) -> None:
        """What is done once in each step, before the Parameters change."""

    def change(self, i: int, g: np.ndarray, rate: float) -> np.ndarray:
        """What to take off Parameter i, for its gradient g: a fresh array."""
        raise AttributeError(f"{self._name} has no method change(self, i, g, rate)")

    # What it remembers.
    def memory(self, prefix: str, init: Any = "zeros") -> ParameterTuple:
        """A Parameter "prefix.name" for each Parameter, of its shape, with these first values."""
        return self.parameters.clone(prefix, init)


def _spared(p: Parameter) -> bool:
    """True for the scales and shifts of normalizations, which are not decayed."""
    return "beta" in p.name or "gamma" in p.name


def number(x: Tensor) -> Any:
    """The number in a Tensor: a Python float; while jit records, what stands for it."""
    return float(x.array) if isinstance(x.array, np.ndarray | np.generic) else x.array


def update(p: Parameter, array: np.ndarray) -> np.ndarray:
    """Let a Parameter that an optimizer remembers hold this array, in its own dtype; return it."""
    write(p, wrap(array.astype(p.array.dtype, copy=False)))
    return p.array


class _RatesByStep(LearningRateSchedule):
    """A rate for each step."""

    def __init__(self, learning_rate: Parameter):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step) -> Tensor:
        known, array = self.learning_rate.size, global_step.array
        step = array.item() if isinstance(array, np.ndarray) else global_step  # jit records
        if isinstance(step, int) and step >= known:
            raise IndexError(
                f"the list of learning rates ends after {known} steps, and this is step {step + 1}"
            )
        return self.learning_rate[step]


class _SameRate(LearningRateSchedule):
    """One rate for all steps, beside Parameters whose rate changes."""

    def __init__(self, learning_rate: Parameter):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step) -> Tensor:
        return self.learning_rate
