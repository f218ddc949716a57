"""Pictures as PNG: resvg draws the static SVG, with a font of the machine's own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import resvg_py

_MOST_PIXELS = 10**8  # of a side times a side: 400 MB while it is drawn
_TEXT = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">M</text></svg>'
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def write_png(svg: str, path: Any, scale: Any) -> bytes:
    """The bytes of a PNG of a static SVG, written to `path` too unless it is None."""
    if not (isinstance(scale, int | float) and scale > 0):  # which nan is not either
        raise ValueError(f"scale is a number above 0, such as 2; got {scale!r}")
    if not _has_font():
        raise RuntimeError(
            "to_png found no font to write with. Install one, such as the package fonts-dejavu, "
            "or take to_svg(), which a browser draws with its own"
        )
    found = _SIZE.search(svg)
    width, height = (float(found[1]), float(found[2])) if found else (1.0, 1.0)
    if width * height * scale**2 > _MOST_PIXELS:
        fitting = (_MOST_PIXELS / (width * height)) ** 0.5
        raise ValueError(
            f"a picture of {width:.0f} by {height:.0f} px at scale {scale:g} is too large for a "
            f"PNG; take a scale of at most {fitting:.2g}, or to_svg()"
        )
    data = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=round(width * scale)))
    if path is not None:
        Path(path).write_bytes(data)
    return data


@cache
def _has_font() -> bool:
    """Whether text is drawn at all: resvg leaves it out where it knows no font."""
    blank = _TEXT.replace("M<", "<")
    return bytes(resvg_py.svg_to_bytes(_TEXT)) != bytes(resvg_py.svg_to_bytes(blank))
