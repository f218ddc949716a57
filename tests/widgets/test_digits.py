"""The handwritten digits: counts, shapes, ranges and labels, and how they are drawn."""

import re
from pathlib import Path

import numpy as np
import pytest

import minigrad_widgets
from minigrad_widgets.digits import digits, show_digits

IMAGES, LABELS = digits()


def test_counts_shapes_and_ranges():
    assert IMAGES.shape == (1797, 8, 8)
    assert LABELS.shape == (1797,)
    assert IMAGES.dtype == LABELS.dtype == np.uint8
    assert (IMAGES.min(), IMAGES.max()) == (0, 16)
    # As the authors count them: digits 0 to 9 in the test set.
    assert np.bincount(LABELS).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_each_image_is_written_and_no_two_are_one():
    assert (IMAGES.reshape(len(IMAGES), -1).max(axis=1) >= 10).all()
    assert len(np.unique(IMAGES.reshape(len(IMAGES), -1), axis=0)) == len(IMAGES)


def test_labels_fit_their_images():
    """The nearest other image shows the same digit nearly always; with labels moved, seldom."""
    flat = IMAGES.reshape(len(IMAGES), -1).astype(float)
    square = (flat**2).sum(axis=1)
    distance = square[:, None] + square - 2 * flat @ flat.T
    np.fill_diagonal(distance, np.inf)
    nearest = LABELS[distance.argmin(axis=1)]
    assert np.mean(nearest == LABELS) > 0.98
    assert np.mean(nearest == np.roll(LABELS, 1)) < 0.2


def test_each_call_gives_fresh_arrays():
    images, labels = digits()
    images[:], labels[:] = 0, 0
    assert np.array_equal(digits()[0], IMAGES)
    assert np.array_equal(digits()[1], LABELS)


def test_origin_licence_and_changes_lie_beside_them():
    folder = Path(minigrad_widgets.__file__).parent
    text = (folder / "digits.txt").read_text(encoding="utf-8")
    for said in ("E. Alpaydin and C. Kaynak", "10.24432/C50P49", "CC BY 4.0", "changed"):
        assert said in text
    assert (folder / "digits.npz").stat().st_size < 60_000


def test_a_picture_has_one_square_for_each_pixel_with_ink():
    svg = show_digits(IMAGES[:14], LABELS[:14]).to_svg()
    assert svg.count("h1v1h-1z") == np.count_nonzero(IMAGES[:14])
    assert re.findall(r"<text[^>]*>(.)</text>", svg) == [str(label) for label in LABELS[:14]]
    # The darkest shade is where the image has 16.
    (black,) = re.findall(r'fill-opacity="1" d="([^"]*)"', show_digits(IMAGES[1:2], "1").to_svg())
    places = [(int(y), int(x)) for x, y in re.findall(r"M(\d) (\d)", black)]
    assert places == [tuple(map(int, at)) for at in np.argwhere(IMAGES[1] == 16)]


def test_captions_are_any_words():
    picture = show_digits(IMAGES[:2], ["<b>", 7])
    assert repr(picture) == "digits: <b>, 7"
    assert "&lt;b&gt;</text>" in picture.to_svg()
    assert repr(show_digits(IMAGES[:0], [])) == "digits: none"


@pytest.mark.parametrize(
    ("images", "captions", "told"),
    [
        (IMAGES[0], [1], r"images of shape \(n, 8, 8\); got \(8, 8\)"),
        (IMAGES[:3], [1, 2], "a caption for each image; got 2 for 3"),
    ],
)
def test_what_does_not_fit_is_refused(images, captions, told):
    with pytest.raises(ValueError, match=told):
        show_digits(images, captions)
