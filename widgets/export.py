"""`export_html`: widgets as one HTML file that needs no kernel and no network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from .base import SavedWidget, read

_OTHERS = {"layout", "tabbable", "tooltip", "comm"}  # of ipywidgets, not the widget's own
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 16px auto; max-width: 1160px; padding: 0 12px;
  background: light-dark(#ffffff, #0d1116); }
h1 { margin: 0 4px 14px; font: 600 17px/1.3 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#1b1f24, #e7ebf0); }
section + section { margin-top: 24px; }
"""


def export_html(widget: Any, path: Any, title: str | None = None) -> Path:
    """Write a widget, or several, as one HTML file that anyone can open.

    The file holds the widgets as they stand, with their scripts and styles. It steps, slides and
    searches with no kernel and no network: its own Content-Security-Policy forbids every request.
    It follows the reader's choice of light or dark, and where scripts are off it shows the static
    pictures. What was in the file before is replaced at once, or not at all.

    Parameters
    ----------
    widget
        What one of the functions of minigrad_widgets made, or a list of such.
    path
        The file to write. Its folder must be there.
    title
        The title of the page; None: what the widgets are called.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    TypeError
        If something else than our widgets and a path is given.
    OSError
        If the path is a folder, is in none, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from minigrad import ops
    >>> from minigrad_widgets import tangent
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = export_html(tangent(ops.sin, 1.0), Path(folder) / "slope.html")
    ...     text = file.read_text(encoding="utf-8")
    >>> text[:15], "default-src 'none'" in text
    ('<!doctype html>', True)
    """
    # A Training is a widget, and going through it would run it again.
    one = isinstance(widget, SavedWidget) or not isinstance(widget, Iterable)
    widgets = [widget] if one else list(widget)
    for each in widgets:
        if not isinstance(each, SavedWidget):
            raise TypeError(
                "export_html(widget, path) expects a widget, or a list of them, such as "
                f"step_backward(fn, x), and then a path; got {type(each).__name__} for widget"
            )
    if not widgets:
        raise TypeError("export_html(widget, path) expects at least one widget; got none")
    if not isinstance(title, str | None):
        raise TypeError(f"export_html: title is words, or None; got {type(title).__name__}")
    path = _file(path)
    head = title or ", ".join(dict.fromkeys(map(_called, widgets)))
    _write(path, _page(widgets, head, headed=bool(title) or len(widgets) > 1))
    return path


def _file(path: Any) -> Path:
    """The path of a file that can be written: its folder is there, and it is none itself."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            "export_html(widget, path) expects the file to write, such as 'page.html'; got "
            f"{type(path).__name__} for path"
        )
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(
            f"export_html writes a file, and {path} is a folder: name a file in it, such as "
            f"{path / 'page.html'}"
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"export_html: there is no folder {path.parent} to write {path.name} into; make it "
            "first, or name another"
        )
    return path


def _called(widget: Any) -> str:
    return str(getattr(widget, "title", "") or type(widget).__name__)


def _page(widgets: list[Any], title: str, *, headed: bool) -> str:
    heading = "" if headed else " hidden"  # a widget alone says itself what it is
    sections = "\n".join(section(each) for each in widgets)
    body = f"<main>\n<h1{heading}>{escape(title)}</h1>\n{sections}\n</main>"
    return page(title, body, gather(widgets), _STYLE)


def section(widget: SavedWidget) -> str:
    """The place of a widget in a page; without scripts, its static picture."""
    return f"<section><noscript>{widget.to_svg()}</noscript></section>"


def gather(widgets: list[Any]) -> dict[str, Any]:
    """What a page needs to show widgets, as JSON: each script and style once, and the states.

    >>> from minigrad import ops
    >>> from minigrad_widgets import tangent
    >>> found = gather([tangent(ops.sin, 1.0), tangent(ops.sin, 2.0)])
    >>> len(found["styles"]), len(found["scripts"]), len(found["widgets"])
    (1, 1, 2)
    """
    scripts = list(dict.fromkeys(_asset(each, "_esm") for each in widgets))
    return {
        "styles": list(dict.fromkeys(_asset(each, "_css") for each in widgets)),
        "scripts": scripts,
        "widgets": [
            {"script": scripts.index(_asset(each, "_esm")), "state": _state(each)}
            for each in widgets
        ],
    }


def page(title: str, body: str, parts: dict[str, Any], style: str) -> str:
    """A page that asks for nothing over a network: its widgets go into its sections, in order."""
    data = {key: parts[key] for key in ("scripts", "widgets")}
    start = read("export.js")
    digest = base64.b64encode(hashlib.sha256(start.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}{"".join(parts["styles"])}</style>
</head>
<body>
{body}
<script type="application/json" id="widgets">{_as_json(data)}</script>
<script type="module">{start}</script>
</body>
</html>
"""


def _asset(widget: Any, name: str) -> str:
    """A widget's script or style sheet, as text."""
    return str(getattr(widget, name))


def _state(widget: SavedWidget) -> dict[str, Any]:
    """What travels to the page: the synced traits, but for those of ipywidgets."""
    state = widget.get_state() | widget.alone()
    return {k: v for k, v in state.items() if not k.startswith("_") and k not in _OTHERS}


def _as_json(data: Any) -> str:
    """JSON that can stand in a script element, whatever strings are in it."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _write(path: Path, text: str) -> None:
    """Write a file whole: first beside it, then in its place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
