"""`training`: the loss and the sizes of the gradients, drawn while a network trains."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display

from minigrad import Parameter, Tensor
from minigrad.containers import tensors_in
from minigrad.gradient_call import refuse_class
from minigrad.nn import Cell
from minigrad.tensor import unwrap
from minigrad.transform import parameters_of

from . import chart, summary
from .base import SavedWidget, read
from .chart import Axis

MOST_POINTS = 240  # of a curve, however long it gets
MOST_LAYERS = 6  # that are drawn
EVERY = 0.25  # seconds between two pictures
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 66, 438, 34, 236


@dataclass
class Stretch:
    """Some steps in a row: how many, where they end, and their values summed, least, greatest."""

    count: int
    last: int
    total: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def add(self, other: Stretch) -> None:
        """Take the steps that follow into this stretch."""
        self.count, self.last = self.count + other.count, other.last
        self.total = self.total + other.total
        self.low, self.high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)


class Series:
    """A series of any length as at most `MOST_POINTS` stretches of equal length.

    >>> series = Series()
    >>> for step in range(1, 1001):
    ...     series.add(step, [step])
    >>> series.every, len(series.stretches), series.means()[0]
    (8, 125, array([4.5]))
    """

    def __init__(self) -> None:
        self.every = 1  # how many steps a stretch has
        self.stretches: list[Stretch] = []

    def add(self, step: int, values: Any) -> None:
        """One more step."""
        row = np.array(values, np.float64)
        new = Stretch(1, step, row, row, row)
        if self.stretches and self.stretches[-1].count < self.every:
            self.stretches[-1].add(new)
            return
        if len(self.stretches) == MOST_POINTS:
            for one, two in zip(self.stretches[::2], self.stretches[1::2], strict=True):
                one.add(two)
            del self.stretches[1::2]
            self.every *= 2
        self.stretches.append(new)

    def steps(self) -> list[int]:
        """Where the stretches end."""
        return [each.last for each in self.stretches]

    def means(self) -> np.ndarray:
        """The mean of each stretch."""
        return np.array([each.total / each.count for each in self.stretches])


class Training(SavedWidget):
    """Counts steps, and draws what it is told of them. Made by `training`.

    `done` and `total` count steps, `running` says whether the loop runs; setting `stop_asked`
    ends it after the step that runs. `losses` has what was told of late.
    """

    _esm = read("common.js", "training_view.js")
    _css = read("colours.css", "widgets.css", "chart.css", "panels.css")

    title = traitlets.Unicode("training").tag(sync=True)
    done = traitlets.Int(0).tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)  # 0: it is not known
    running = traitlets.Bool(False).tag(sync=True)
    stop_asked = traitlets.Bool(False).tag(sync=True)
    charts: traitlets.List[str] = traitlets.List().tag(sync=True)
    sentence = traitlets.Unicode("Not begun.").tag(sync=True)

    def __init__(self, steps: Any, net: Any) -> None:
        self._steps = range(steps) if isinstance(steps, int) else steps
        weights = net.trainable_params() if hasattr(net, "trainable_params") else net
        self._weights = None if net is None else list(parameters_of(weights))
        cells = dict(net.cells_and_names()) if isinstance(net, Cell) else {}
        names = [_layer(p.name, cells) for p in self._weights or ()]
        self.layers = list(dict.fromkeys(names))
        self._layer_of = [self.layers.index(name) for name in names]
        self._clear()
        total = len(self._steps) if hasattr(self._steps, "__len__") else 0
        super().__init__(total=total, title=type(net).__name__ if weights is not net else "")
        self.charts = self._charts()

    def _clear(self) -> None:
        self._loss, self._sizes = Series(), Series()
        self._count, self._first, self._last = 0, math.nan, math.nan
        self._steps_done, self._lost, self._told = 0, 0, -math.inf
        self._shown: Any = None
        self._live = False

    # ---- the loop
    def __iter__(self) -> Iterator[Any]:
        self._clear()
        shell = get_ipython()
        self._live = shell is not None and hasattr(shell, "kernel")
        with self.hold_sync():
            self.running, self.stop_asked, self.done = True, False, 0
            self.sentence, self.charts = "Running.", self._charts()
        if self._live:
            self._shown = display(self, display_id=True)
            self._listen()
        try:
            for item in self._steps:
                yield item
                self._steps_done += 1
                self._tell()
                if self.stop_asked:
                    break
        finally:  # also after an error, a break, or an interrupt
            self._end()

    def log(self, loss: Any, grads: Any = None) -> None:
        """Tell a loss, and the gradients of the weights if you like, in the order of the weights.

        Raises TypeError for a loss that is no single number, and ValueError for gradients that do
        not fit the weights.
        """
        value = np.asarray(unwrap(loss) if isinstance(loss, Tensor) else loss)
        if value.size != 1 or value.dtype.kind not in "fiub":
            raise TypeError(
                "log(loss, grads) expects one number as the loss; got "
                + (f"shape {value.shape}" if value.dtype.kind in "fiub" else type(loss).__name__)
                + ". Of value_and_grad's answer (loss, z), pass the loss alone."
            )
        self._count += 1
        self._last = float(value.reshape(()))
        self._first = self._last if self._count == 1 else self._first
        if not math.isfinite(self._last) and not self._lost:
            self._lost = self._count
        self._loss.add(self._count, [self._last])
        if grads is not None:
            self._add_sizes(list(tensors_in(grads)))
        self._tell()

    def _add_sizes(self, grads: list[Tensor]) -> None:
        if self._weights is None:
            raise ValueError(
                "log(loss, grads): whose gradients are these? Name the network or its Parameters "
                "at the start: training(steps, net)"
            )
        shapes = [tuple(g.shape) for g in grads], [tuple(p.shape) for p in self._weights]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"log(loss, grads) expects a gradient for each of the {len(shapes[1])} weights, in "
                f"their order, of shapes {shapes[1]}; got shapes {shapes[0]}. Take them from "
                "value_and_grad(fn, None, weights=net.trainable_params())"
            )
        squares = np.zeros(len(self.layers))
        for layer, g in zip(self._layer_of, grads, strict=True):
            squares[layer] += np.square(unwrap(g), dtype=np.float64).sum()
        self._sizes.add(self._count, np.sqrt(squares))

    # ---- what is shown
    def _tell(self) -> None:
        """Show how it stands, but not too often."""
        now = time.monotonic()
        if now - self._told < EVERY:
            return
        self._told = now
        if self._live:
            self._publish(f"Step {self._steps_done}{self._of()}: {self._losses()}")

    def _publish(self, sentence: str) -> None:
        with self.hold_sync():
            self.done, self.sentence = self._steps_done, sentence
            self.charts = self._charts()
        self._listen()

    def _listen(self) -> None:
        """Let the Stop button be heard while the cell runs.

        A page writes to a thread of the kernel that is free. But ipykernel 7.4 sends it on to
        where the widget itself wrote last, which is the thread that the cell keeps busy.
        """
        getattr(self.comm, "__dict__", {}).pop("_reply_subshell_id", None)

    def _end(self) -> None:
        whole = self._steps_done == self.total or (not self.total and not self.stop_asked)
        sentence = f"{'Done' if whole else 'Stopped'} after {self._steps_done}"
        sentence += f"{self._of()} step{'' if self._steps_done == 1 else 's'}: {self._losses()}"
        self._publish(sentence)
        self.running = False
        if self._shown is not None:
            self._shown.update(self)  # the picture that is saved with the notebook
        elif not self._live:
            print(self.sentence)  # noqa: T201 a script has no page to draw on

    def _of(self) -> str:
        return f" of {self.total:,}" if self.total and self._steps_done != self.total else ""

    def _losses(self) -> str:
        if not self._count:
            return "no loss was told."
        first, last = (summary.number(x, 3) for x in (self._first, self._last))
        text = f"loss {first}" if self._count == 1 else f"loss from {first} to {last}"
        if self._lost:
            text += f", not finite from step {self._lost} on"
        none = self._sizes.stretches and not self._sizes.means().any()
        return summary.minus(text) + "." + " Every gradient is 0." * bool(none)

    def _across(self) -> Axis:
        """The steps so far, and those to come if they are known."""
        each = max(1, round(self._count / max(1, self._steps_done)))
        return Axis(0, max(self.total * each, self._count, 1), _LEFT, _RIGHT)

    def _charts(self) -> list[str]:
        labels = "The loss by step", "The sizes of the gradients by step, for each layer"
        pairs = zip(labels, self._parts(), strict=False)
        return [chart.drawing(_WIDTH, height, label, [part]) for label, (part, height) in pairs]

    def _parts(self) -> list[tuple[str, float]]:
        """The charts: the loss and, if they are told, the sizes of the gradients."""
        parts = [(self._loss_chart(), _BOTTOM + 42.0)]
        return [*parts, self._size_chart()] if self._sizes.stretches else parts

    def _loss_chart(self) -> str:
        x, stretches = self._across(), self._loss.stretches
        lows = np.array([s.low[0] for s in stretches])
        highs = np.array([s.high[0] for s in stretches])
        finite = np.concatenate([lows, highs])[np.isfinite(np.concatenate([lows, highs]))]
        steep = finite.size and finite.min() > 0 and finite.max() > 50 * finite.min()
        span = chart.decades(finite) if steep else chart.span(finite if finite.size else [0, 1])
        y = Axis(*span, _BOTTOM, _TOP, log=bool(steep))
        means: Any = self._loss.means()[:, 0] if stretches else []
        steps = self._loss.steps()
        return chart.axes(x, y, "step", "loss") + chart.inside(
            x, y,
            chart.band(x, y, steps, lows, highs, "mgw-spread") if self._loss.every > 1 else "",
            chart.curve(x, y, steps, means, "mgw-loss") if stretches else "",
        )  # fmt: skip

    def _size_chart(self) -> tuple[str, float]:
        x, means = self._across(), self._sizes.means()
        few = min(MOST_LAYERS, len(self.layers))
        shown = np.unique(np.linspace(0, len(self.layers) - 1, few).round().astype(int))
        some = bool(np.any(means[:, shown] > 0))  # where all are 0, powers of ten have no place
        span = chart.decades(means[:, shown]) if some else (0.0, 1.0)
        y = Axis(*span, _BOTTOM, _TOP, log=some)
        floor = np.where(means > 0, means, y.low)
        label = "size of the gradient"
        if few < len(self.layers):
            label += f", {few} of {len(self.layers)} layers"
        curves = (
            chart.curve(x, y, self._sizes.steps(), floor[:, layer], f"mgw-layer-{i}")
            for i, layer in enumerate(shown)
        )
        names = [self.layers[layer] for layer in shown]
        still = [some and not means[:, layer].any() for layer in shown]  # they lie on the floor
        entries = [
            (f"mgw-layer-{i}", _clip(name) + ", always 0" * zero)
            for i, (name, zero) in enumerate(zip(names, still, strict=True))
        ]
        legend, end = chart.legend_rows(_LEFT, _BOTTOM + 50, _RIGHT - _LEFT, *entries)
        said = "" if means.any() else _in_the_middle("every gradient is 0")
        drawn = chart.axes(x, y, "step", label) + chart.inside(x, y, *curves) + said
        return drawn + legend, end + 8.0

    def to_svg(self) -> str:
        """The charts as they stand, and the last sentence."""
        parts = self._parts()
        width, tall = _WIDTH * len(parts), max(height for _, height in parts)
        text, end = chart.paragraph(20, 48, self.sentence, width - 40)
        drawn = [chart.placed(_WIDTH * i, end, part) for i, (part, _) in enumerate(parts)]
        head = chart.text(20, 26, f"Training {self.title}".strip(), "mgw-heading")
        return chart.still(width, end + tall, self.sentence, [head, text, *drawn])

    def to_text(self) -> str:
        """The last sentence, and the last sizes of the gradients."""
        lines = [self.sentence]
        if self._sizes.stretches:
            last = self._sizes.means()[-1]
            sizes = (f"{n} {summary.number(s, 2)}" for n, s in zip(self.layers, last, strict=True))
            lines.append(f"size of the gradient: {', '.join(sizes)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"training: {self._steps_done}{self._of()} steps"


def _layer(weight: str, cells: dict[str, Cell]) -> str:
    """The layer of a weight: where it is, and what it is; a number alone would say little."""
    name = weight.rpartition(".")[0] or weight
    return f"{name}: {type(cells[name]).__name__}" if name in cells else name


def _in_the_middle(words: str) -> str:
    return chart.text((_LEFT + _RIGHT) / 2, (_TOP + _BOTTOM) / 2, words, "mgw-name", "middle")


def _clip(name: str) -> str:
    return name if len(name) <= 18 else f"…{name[-17:]}"


def training(steps: int | Iterable[Any], net: Any = None) -> Training:
    """Go through the steps of a training, and draw the loss and the gradients as it goes.

    Iterate over it as over `range(steps)`, and tell it the loss of each step; with the gradients
    it draws their size, the root of the sum of their squares, layer by layer::

        run = training(200, net)
        for step in run:
            loss, grads = value_and_grad(forward, None, weights=net.trainable_params())(x, y)
            optimizer(grads)
            run.log(loss, grads)

    In a notebook the picture stands below the cell and is drawn anew a few times a second. Its
    Stop button, `run.stop_asked = True`, asks the loop to end after the step that runs; an
    interrupt, an error or `break` ends it at once. Either way the picture stays, and is saved with
    the notebook. (The button is heard while the cell runs where the kernel listens meanwhile, as
    ipykernel does from version 7 on.) A plain script prints a line in the end.

    However long it gets, a curve has at most 240 points: each is the mean of a stretch of steps,
    and a band shows the least and the greatest loss of the stretch.

    Parameters
    ----------
    steps
        How many steps, or what to iterate over, such as a list of batches.
    net
        The network, or a list of Parameters, whose gradients `log` will be given; None: the loss
        alone is drawn.

    Raises
    ------
    TypeError
        If steps is neither a whole number nor iterable, or net holds no Parameters.

    Examples
    --------
    >>> run = training(3)
    >>> for step in run:
    ...     run.log(1.0 / (step + 1))
    Done after 3 steps: loss from 1 to 0.333.
    """
    if not isinstance(steps, int | Iterable) or isinstance(steps, bool | str):
        raise TypeError(
            "training(steps, net) expects a number of steps, or what to iterate over, such as "
            f"training(200, net); got {type(steps).__name__} for steps"
        )
    if isinstance(steps, int) and steps < 1:
        raise ValueError(f"training(steps, net) expects at least one step; got {steps}")
    refuse_class(net)
    wrong = isinstance(net, Tensor | str) and not isinstance(net, Parameter)
    if wrong or not (net is None or isinstance(net, Cell | Iterable)):
        raise TypeError(
            "training(steps, net) expects the network, such as training(200, net), or a list of "
            f"its Parameters; got {type(net).__name__} for net"
        )
    return Training(steps, net)
