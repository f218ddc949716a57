"""`training`: counts, curves, bounds, and every way a loop can end."""

from __future__ import annotations

import importlib
import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as ms
from minigrad import Tensor, nn
from minigrad_widgets import training
from minigrad_widgets.training_view import EVERY, MOST_POINTS, Series

MODULE = importlib.import_module("minigrad_widgets.training_view")


@pytest.fixture
def network() -> nn.Cell:
    """Two layers, the same each time."""
    ms.set_seed(3)
    return nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))


def test_it_counts_like_range_and_prints_in_a_script(capsys: pytest.CaptureFixture) -> None:
    """The items are those of range; one line in the end."""
    progress = training(4)
    seen = []
    for step in progress:
        seen.append(step)
        progress.log(10.0 - step)
    assert seen == [0, 1, 2, 3]
    assert capsys.readouterr().out == "Done after 4 steps: loss from 10 to 7.\n"
    assert (progress.done, progress.total, progress.running) == (4, 4, False)
    assert repr(progress) == "training: 4 steps"


def test_it_goes_through_batches_and_what_has_no_length() -> None:
    """Any iterable; of a generator the total is not known."""
    progress = training([("x", 1), ("y", 2)])
    assert list(progress) == [("x", 1), ("y", 2)]
    assert progress.total == 2
    progress = training(n * n for n in range(3))
    assert list(progress) == [0, 1, 4]
    assert (progress.total, progress.done) == (0, 3)
    assert progress.sentence == "Done after 3 steps: no loss was told."


def test_sizes_of_gradients_are_those_of_numpy(network: nn.Cell) -> None:
    """Layer by layer, the root of the sum of the squares of grad's own gradients."""
    x, y = Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones((3, 1), np.float32))
    weights = network.trainable_params()
    step = ms.value_and_grad(lambda: ((network(x) - y) ** 2).mean(), None, weights=weights)
    optimizer = nn.SGD(weights, learning_rate=0.1)
    progress, wanted = training(5, network), []
    for _ in progress:
        loss, grads = step()
        progress.log(loss, grads)
        w0, b0, w1, b1 = (g.asnumpy().astype(np.float64).ravel() for g in grads)
        wanted.append([np.linalg.norm([*w0, *b0]), np.linalg.norm([*w1, *b1])])
        optimizer(grads)
    assert progress.layers == ["0: Dense", "2: Dense"]
    np.testing.assert_allclose(progress._sizes.means(), wanted, rtol=1e-12)
    assert progress._loss.means()[0, 0] == pytest.approx(float(network_loss(x, y)), rel=1e-6)
    assert progress._last < progress._first
    assert len(progress.charts) == 2


def network_loss(x: Tensor, y: Tensor) -> np.ndarray:
    """The first loss, by numpy."""
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))
    w0, b0, w1, b1 = (p.asnumpy() for p in net.trainable_params())
    out = np.tanh(x.asnumpy() @ w0.T + b0) @ w1.T + b1
    return ((out - y.asnumpy()) ** 2).mean()


@pytest.mark.parametrize("count", [1, MOST_POINTS, MOST_POINTS + 1, 10_000, 123_457])
def test_a_series_of_any_length_stays_short(count: int) -> None:
    """Means, least and greatest are those of the stretches; nothing is lost."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=count)
    series = Series()
    for i, value in enumerate(values, 1):
        series.add(i, [value])
    assert len(series.stretches) <= MOST_POINTS
    assert count < 2 * MOST_POINTS or len(series.stretches) >= MOST_POINTS // 2
    parts = np.split(values, series.steps()[:-1])
    np.testing.assert_allclose(series.means()[:, 0], [p.mean() for p in parts])
    assert [s.low[0] for s in series.stretches] == [p.min() for p in parts]
    assert [s.high[0] for s in series.stretches] == [p.max() for p in parts]
    assert {s.count for s in series.stretches[:-1]} <= {series.every}
    assert series.steps()[-1] == count


def test_what_travels_stays_small() -> None:
    """After 5,000 steps the charts are as big as after 500."""
    progress = training(5000)
    for step in progress:
        progress.log(1.0 + math.sin(step))
    assert len(json.dumps(progress.charts)) < 12_000
    assert "mgw-spread" in progress.charts[0]


@pytest.mark.parametrize("way", ["break", "error", "interrupt", "stop"])
def test_however_it_ends_the_picture_stands(way: str, capsys: pytest.CaptureFixture) -> None:
    """The third step ends it: what was told is drawn and said."""
    progress = training(100)
    try:
        for step in progress:
            progress.log(8.0 / 2**step)
            if step == 2:
                if way == "break":
                    break
                if way == "error":
                    raise ZeroDivisionError
                if way == "interrupt":
                    raise KeyboardInterrupt
                progress.stop_asked = True
    except (ZeroDivisionError, KeyboardInterrupt):
        pass
    done = 3 if way == "stop" else 2  # the step that was broken off is not done
    assert progress.sentence == f"Stopped after {done} of 100 steps: loss from 8 to 2."
    assert capsys.readouterr().out == progress.sentence + "\n"
    assert not progress.running
    assert "mgw-loss" in progress.to_svg()
    assert progress.to_text() == progress.sentence
    ElementTree.fromstring(progress.to_svg())


def test_pictures_are_drawn_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of our own, 100 steps in 10 times EVERY: 10 pictures, and one in the end."""
    now = [0.0]

    class Clock:
        monotonic = staticmethod(lambda: now[0])

    monkeypatch.setattr(MODULE, "time", Clock)
    progress = training(100)
    sent: list[str] = []
    progress.observe(lambda change: sent.append(change.new), "sentence")
    shown: list[object] = []

    class Handle:
        def update(self, widget: object) -> None:
            shown.append(widget.sentence)

    class Shell:
        kernel = None

    monkeypatch.setattr(MODULE, "get_ipython", Shell)
    monkeypatch.setattr(MODULE, "display", lambda widget, display_id: Handle())
    for _ in progress:
        now[0] += EVERY * 0.1000001
        progress.log(1.0)
    steps = [text for text in sent if text.startswith("Step ")]
    assert len(steps) == 10
    assert steps[0].startswith("Step 0 of 100: loss 1.")
    assert shown == ["Done after 100 steps: loss from 1 to 1."]


def test_a_loss_that_is_nan_is_named() -> None:
    """The step from which on; the picture is drawn all the same."""
    progress = training(5)
    for step in progress:
        progress.log(math.nan if step >= 3 else 1.0)
    assert "loss from 1 to nan, not finite from step 4 on." in progress.sentence
    ElementTree.fromstring(progress.to_svg())
    assert "nan" not in progress.charts[0]


def test_gradients_that_are_all_zero_are_drawn_at_zero(network: nn.Cell) -> None:
    """Powers of ten would put them at a tenth."""
    for size, ticks in ((0.0, ["0", "0.2", "1"]), (0.01, ["0.01", "0.1"])):
        progress = training(3, network)
        for _ in progress:
            progress.log(1.0, [size + 0 * p for p in network.trainable_params()])
        chart = ElementTree.fromstring(progress.charts[1])
        texts = [each.text for each in chart.iter() if each.text]
        assert set(ticks) <= set(texts)
        assert ("0.1" in texts) == (size > 0)


@pytest.mark.parametrize(
    ("sizes", "said", "layers"),
    [
        ((0.0, 0.0), "every gradient is 0", ["0: Dense", "2: Dense"]),
        ((0.0, 1.0), "", ["0: Dense, always 0", "2: Dense"]),
        ((1.0, 2.0), "", ["0: Dense", "2: Dense"]),
        ((0.0, math.nan), "", ["0: Dense", "2: Dense"]),
    ],
)
def test_gradients_that_are_zero_are_said_to_be(
    network: nn.Cell, sizes: tuple[float, float], said: str, layers: list[str]
) -> None:
    """Their line lies on the axis, where nobody sees it; one that is NaN has none."""
    progress = training(3, network)
    first, last = sizes
    for _ in progress:
        weights, wanted = network.trainable_params(), [first, first, last, last]
        progress.log(1.0, [size + 0 * p for size, p in zip(wanted, weights, strict=True)])
    texts = [each.text for each in ElementTree.fromstring(progress.charts[1]).iter() if each.text]
    assert [text for text in texts if "every" in text] == [said] * bool(said)
    assert [text for text in texts if "Dense" in text] == layers
    assert progress.sentence.endswith(" Every gradient is 0.") == bool(said)


def test_a_second_time_begins_anew() -> None:
    """The same object in another loop: the first curve is gone."""
    progress = training(2)
    for _ in range(2):
        for step in progress:
            progress.log(step + 1.0)
    assert progress.sentence == "Done after 2 steps: loss from 1 to 2."
    assert progress._loss.steps() == [1, 2]


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (Tensor([1.0, 2.0]), r"shape \(2,\)"), ("low", "got str"),
        ((Tensor(1.0), Tensor(2.0)), r"pass the loss alone"), (None, "got NoneType"),
    ],
)  # fmt: skip
def test_a_loss_is_one_number(loss: object, words: str) -> None:
    """Expected and got."""
    with pytest.raises(TypeError, match=words):
        training(2).log(loss)


def test_gradients_fit_the_weights(network: nn.Cell) -> None:
    """Without a network nobody knows whose they are; of other shapes neither."""
    with pytest.raises(ValueError, match="whose gradients are these"):
        training(2).log(1.0, (Tensor([1.0]),))
    with pytest.raises(ValueError, match="a gradient for each of the 4 weights"):
        training(2, network).log(1.0, (Tensor([1.0]),))


@pytest.mark.parametrize(
    ("steps", "error"), [(0, ValueError), (-3, ValueError), (2.5, TypeError), (None, TypeError)]
)
def test_steps_are_a_number_or_what_to_go_through(steps: object, error: type) -> None:
    """Expected and got."""
    with pytest.raises(error, match="training\\(steps, net\\) expects"):
        training(steps)
