"""Calls that cannot be: every widget says what it expected, what came, and what to try."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from minigrad import Tensor, custom_bprop, nn, ops
from minigrad_widgets import (
    compare_gradients,
    export_html,
    open_bprop,
    show_graph,
    signature_map,
    step_backward,
    step_forward,
    tangent,
    trace_nan,
    training,
)

X, W = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
TAKE_ANY = [show_graph, step_forward, step_backward, compare_gradients, signature_map, trace_nan]


class Spike(nn.Cell):
    def construct(self, v, threshold: float = 1.0):
        return (v > threshold).astype(v.dtype)

    def bprop(self, v, threshold, out, dout):
        return dout / (1.0 + 9.0 * (v - threshold) ** 2), None


def loss(x: Tensor, w: Tensor) -> Tensor:
    return ops.sum(ops.exp(x) * w)


def said(error: type[Exception], call: object, *args: object, **kwargs: object) -> str:
    """What a call says that raises."""
    with pytest.raises(error) as caught:
        call(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize("show", TAKE_ANY, ids=lambda show: show.__name__)
def test_too_few_and_too_many_arguments(show: object) -> None:
    """The function's own signature, how many came, what is wrong with them, and a call that can."""
    calls, name = f"{show.__name__} calls loss(x, w), but was given", show.__name__
    assert said(TypeError, show, loss) == (
        f"{calls} 0 arguments for it: missing a required argument: 'x'. Write {name}(fn, x, w)."
    )
    assert said(TypeError, show, loss, X) == (
        f"{calls} 1 argument for it: missing a required argument: 'w'. Write {name}(fn, x, w)."
    )
    assert said(TypeError, show, loss, X, W, W) == (
        f"{calls} 3 arguments for it: too many positional arguments. Write {name}(fn, x, w)."
    )
    assert said(TypeError, show, nn.Dense(2, 1)) == (
        f"{name} calls Dense(x), but was given 0 arguments for it: missing a required argument: "
        f"'x'. Write {name}(cell, x)."
    )


@pytest.mark.parametrize("show", TAKE_ANY, ids=lambda show: show.__name__)
def test_no_function_and_a_class(show: object) -> None:
    assert f"{show.__name__}(loss, x, w); got Tensor for fn" in said(TypeError, show, loss(X, W))
    assert "make a Cell of it first" in said(TypeError, show, nn.Dense, X)
    assert "str" in said(TypeError, show, loss, X, "a")  # the engine's own words


def test_arguments_by_name_are_looked_at_too() -> None:
    text = said(TypeError, show_graph, loss, X, weight=W)
    assert "was given 2 arguments for it: missing a required argument: 'w'" in text
    text = said(TypeError, open_bprop, Spike(), X, treshold=3)
    assert "got an unexpected keyword argument 'treshold'" in text


def test_what_cannot_be_asked_is_not_asked() -> None:
    """A function that hides what it takes is called, and what it raises is raised."""
    assert repr(show_graph(lambda *xs: xs[0] * xs[1], 2.0, 3.0)) == "show_graph(function): 3 values"
    with pytest.raises(IndexError):
        show_graph(lambda *xs: xs[0])


def test_open_bprop() -> None:
    """Without its arguments, with too many, and with something that has no rule."""
    assert said(TypeError, open_bprop, Spike()) == (
        "open_bprop calls Spike(v, threshold=1.0), but was given 0 arguments for it: missing a "
        "required argument: 'v'. Write open_bprop(cell, v)."
    )
    assert "3 arguments for it: too many" in said(TypeError, open_bprop, Spike(), X, X, X)
    assert "loss has none" in said(TypeError, open_bprop, loss, X, W)
    assert "NoneType has none" in said(TypeError, open_bprop, None)
    square = custom_bprop(lambda x, out, dout: 2 * x * dout)(lambda x: x * x)
    assert "calls function(x), but was given 0" in said(TypeError, open_bprop, square)


def test_open_bprop_of_a_whole_number_says_that_it_has_no_gradient() -> None:
    widget = open_bprop(Spike(), 3)
    assert widget.right is None
    assert "No input is a Tensor of floats, so there is no gradient." in widget.sentence


def test_tangent() -> None:
    assert "tangent(ops.sin, 1.0); got float" in said(TypeError, tangent, 1.0, ops.sin)
    assert said(TypeError, tangent, loss, 1.0) == (
        "tangent calls loss(x, w), but was given 1 argument for it: missing a required argument: "
        "'w'. Hold the others fixed, by name or as in tangent(lambda x: loss(x, w), 1.0)."
    )
    assert "make a Cell of it first" in said(TypeError, tangent, nn.Dense, 1.0)
    assert "f returned numbers of shape (2,)" in said(TypeError, tangent, lambda x: (x, x), 1.0)
    assert said(TypeError, tangent, lambda x: None, 1.0).endswith("f returned NoneType")


def test_training() -> None:
    """A network or Parameters; a Tensor, a word or a class is neither."""
    net = nn.Dense(2, 1)
    for wrong in (X, "net", 3):
        text = said(TypeError, training, 3, wrong)
        assert text.endswith(f"a list of its Parameters; got {type(wrong).__name__} for net")
    assert "make a Cell of it first" in said(TypeError, training, 3, nn.Dense)
    for right in (net, net.trainable_params(), net.weight, None):
        assert repr(training(3, right)) == "training: 0 of 3 steps"


def test_options() -> None:
    assert "predict is True or False; got 'yes'" in said(
        TypeError, step_backward, loss, X, W, predict="yes"
    )
    assert "step_forward's own options are grad_position and weights" in said(
        TypeError, step_forward, loss, X, W, predict=True
    )
    assert "order is 1, or 2" in said(ValueError, show_graph, loss, X, W, order=3)
    graph = show_graph(loss, X, W)
    assert "expects a list of ids" in said(TypeError, graph.show, "loss")
    assert "expects a list of ids" in said(TypeError, graph.show, 3)
    assert "got 'nowhere'" in said(ValueError, graph.show, ["nowhere"])
    for scale in (0, -1, "2", np.nan):
        assert "scale is a number above 0" in said(ValueError, graph.to_png, None, scale)


def test_a_widget_that_was_never_shown_is_exported(tmp_path: Path) -> None:
    """Nor was the training ever begun."""
    path = export_html([tangent(ops.sin, 1.0), training(3)], tmp_path / "page.html")
    assert "Not begun." in path.read_text(encoding="utf-8")


def test_export_html_says_what_is_wrong_with_its_path(tmp_path: Path) -> None:
    """A folder that is not there, a folder, no path at all; nothing is left behind."""
    widget, folder = tangent(ops.sin, 1.0), tmp_path / "folder"
    folder.mkdir()
    text = said(FileNotFoundError, export_html, widget, tmp_path / "nowhere" / "p.html")
    assert text == (
        f"export_html: there is no folder {tmp_path / 'nowhere'} to write p.html into; make it "
        "first, or name another"
    )
    (folder / "file").touch()
    assert "there is no folder" in said(
        FileNotFoundError, export_html, widget, folder / "file" / "p.html"
    )
    assert f"{folder} is a folder: name a file in it, such as {folder / 'page.html'}" in said(
        IsADirectoryError, export_html, widget, folder
    )
    assert "is a folder" in said(IsADirectoryError, export_html, widget, "")
    for wrong in (None, 3):
        assert "expects the file to write, such as 'page.html'" in said(
            TypeError, export_html, widget, wrong
        )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


def test_export_html_says_what_is_no_widget(tmp_path: Path) -> None:
    widget, path = tangent(ops.sin, 1.0), tmp_path / "p.html"
    for wrong in (3, "widget", tangent, [widget, 3]):
        assert "expects a widget, or a list of them" in said(TypeError, export_html, wrong, path)
    assert "and then a path; got" in said(TypeError, export_html, path, widget)
    assert "at least one widget; got none" in said(TypeError, export_html, [], path)
    assert "title is words, or None; got int" in said(TypeError, export_html, widget, path, 3)
    assert not path.exists()
