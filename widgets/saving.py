"""Keep the pictures in a saved notebook.

JupyterLab prefers the live view of a widget to its picture, also in a notebook that is opened
later, when the widget is gone; then it shows an error where the picture could be. Where the server
saves with this hook, a saved output is the picture and its text alone:

    jupyter lab --ContentsManager.pre_save_hook=minigrad_widgets.saving.keep_pictures
"""

from __future__ import annotations

from typing import Any

_LIVE = "application/vnd.jupyter.widget-view+json"
_PICTURE = "image/svg+xml"


def keep_pictures(model: dict[str, Any], **kwargs: Any) -> None:
    """Take the live view out of each output that has a picture as well; a Jupyter pre-save hook.

    ``model`` is what the server is about to save; other files than notebooks stay as they are.

    >>> output = {"data": {"image/svg+xml": "<svg/>", _LIVE: {"model_id": "1"}}}
    >>> cell = {"cell_type": "code", "outputs": [output]}
    >>> keep_pictures({"type": "notebook", "content": {"cells": [cell]}})
    >>> list(output["data"])
    ['image/svg+xml']
    """
    if model.get("type") != "notebook" or not model.get("content"):
        return
    for cell in model["content"]["cells"]:
        for output in cell.get("outputs", ()):
            if _PICTURE in output.get("data", {}):
                output["data"].pop(_LIVE, None)
