"""Handwritten digits to learn from: `digits` loads them, `show_digits` draws some.

Where they come from, and under which licence, `digits.txt` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

_FILE = Path(__file__).parent / "digits.npz"
_WIDE, _TALL, _GAP, _MOST = 48, 68, 8, 12  # px of a tile and between two, tiles in a row


def digits() -> tuple[np.ndarray, np.ndarray]:
    r"""1,797 images of handwritten digits, and which digit each of them is.

    The images have shape (1797, 8, 8), the labels (1797,); both are uint8. A pixel counts points of
    ink, from 0 for white to 16 for black. There are about 180 of each digit, in mixed order.

    From: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits (the test set), UCI
    Machine Learning Repository, doi.org/10.24432/C50P49, licence CC BY 4.0.

    >>> images, labels = digits()
    >>> print(labels[0], images[0], sep="\n")
    0
    [[ 0  0  5 13  9  1  0  0]
     [ 0  0 13 15 10 15  5  0]
     [ 0  3 15  2  0 11  8  0]
     [ 0  4 12  0  0  8  8  0]
     [ 0  5  8  0  0  9  8  0]
     [ 0  4 11  0  1 12  7  0]
     [ 0  2 14  5 10 12  0  0]
     [ 0  0  6 13 10  0  0  0]]
    """
    with np.load(_FILE) as file:
        return file["images"], file["labels"]


class Digits:
    """Images in rows, each with a caption below it. Made by `show_digits`."""

    def __init__(self, images: np.ndarray, captions: Sequence[str]):
        self.images, self.captions = images, captions

    def __repr__(self) -> str:
        return f"digits: {', '.join(self.captions) or 'none'}"

    def to_svg(self) -> str:
        """The picture: ink on paper, so that it is the same on a light page and on a dark one."""
        across, rows = min(len(self.images), _MOST), -(-len(self.images) // _MOST)
        width, height = across * (_WIDE + _GAP) + _GAP, rows * (_TALL + _GAP) + _GAP
        tiles = []
        for i in range(len(self.images)):
            row, column = divmod(i, _MOST)
            x, y = _GAP + column * (_WIDE + _GAP), _GAP + row * (_TALL + _GAP)
            tiles.append(self._tile(i, x, y))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(repr(self))}">'
            f"{''.join(tiles)}</svg>"
        )

    def _tile(self, i: int, x: int, y: int) -> str:
        """One image: a path for each shade of ink, a square of 1 by 1 for each pixel."""
        image = self.images[i]
        shades = [
            f'<path fill-opacity="{shade / 16:.4g}" d="{_squares(image == shade)}"/>'
            for shade in np.unique(image[image > 0])
        ]
        return (
            f'<g transform="translate({x} {y})"><rect width="{_WIDE}" height="{_TALL}" rx="4" '
            f'fill="#f4f2ec"/><g fill="#1d2733" shape-rendering="crispEdges" '
            f'transform="scale({_WIDE / 8:g})">{"".join(shades)}</g><text x="{_WIDE / 2:g}" '
            f'y="{_TALL - 6}" fill="#1d2733" font-family="system-ui,sans-serif" font-size="12" '
            f'text-anchor="middle">{escape(self.captions[i])}</text></g>'
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"image/svg+xml": self.to_svg(), "text/plain": repr(self)}


def show_digits(images: Any, captions: Iterable[Any]) -> Digits:
    """Draw images of digits, up to 16 for black, each with its caption.

    `images` has shape (n, 8, 8); there are n captions: labels, or any words.

    Raises ValueError if the shape is another, or the captions are more or fewer than the images.

    >>> images, labels = digits()
    >>> show_digits(images[:4], labels[:4])
    digits: 0, 1, 2, 3
    """
    images, words = np.asarray(images), [str(caption) for caption in captions]
    if images.ndim != 3 or images.shape[1:] != (8, 8):
        raise ValueError(f"show_digits expects images of shape (n, 8, 8); got {images.shape}")
    if len(words) != len(images):
        raise ValueError(
            f"show_digits expects a caption for each image; got {len(words)} for {len(images)}"
        )
    return Digits(images, words)


def _squares(there: np.ndarray) -> str:
    """A square of 1 by 1 at each place that is there."""
    return "".join(f"M{column} {row}h1v1h-1z" for row, column in np.argwhere(there))
