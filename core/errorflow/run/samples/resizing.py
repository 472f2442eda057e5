"""Ways to bring a picture to a size, each named by exactly what it does.

`bilinear` here: the output pixel i looks at (i + ½) · in / out − ½ of the input, held within the picture, and mixes the
two nearest pixels of each axis linearly. Nothing is averaged when a picture shrinks and nothing is rounded; but for
OpenCV's rounding to whole numbers that is its INTER_LINEAR.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Singles = NDArray[np.float32]
# Around a picture that does not fill the size: the grey that detectors are trained with.
PAD = 114.0
# ImageNet's own: the shorter side becomes 8/7 of the size, of which the middle is cut out.
MIDDLE = 0.875


@dataclass(frozen=True, slots=True)
class Resize:
    """`resize` takes a picture of Pillow's and the height and width that are wanted, and gives rows of pixels."""

    key: str
    text: str
    resize: Callable[[Any, int, int], Singles]


def pixels(picture: Any) -> Singles:
    """Height, width, channels."""
    found = np.asarray(picture, np.float32)
    return found[:, :, np.newaxis] if found.ndim == 2 else found


def bilinear(values: Singles, height: int, width: int) -> Singles:
    rows, above, down = _places(values.shape[0], height)
    columns, left, right = _places(values.shape[1], width)
    vertical: Singles = values[rows] * (1 - down)[:, None, None] + values[above] * down[:, None, None]
    return vertical[:, columns] * (1 - right)[:, None] + vertical[:, left] * right[:, None]


def _places(size: int, wanted: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Singles]:
    """The two pixels that each one is mixed of, and how much of the second."""
    at = np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)
    first = np.floor(at).astype(np.intp)
    return first, np.minimum(first + 1, size - 1), (at - first).astype(np.float32)


def _stretch(picture: Any, height: int, width: int) -> Singles:
    return bilinear(pixels(picture), height, width)


def _antialias(picture: Any, height: int, width: int) -> Singles:
    from PIL.Image import Resampling

    return pixels(picture.resize((width, height), Resampling.BILINEAR))


def _letterbox(picture: Any, height: int, width: int) -> Singles:
    values = pixels(picture)
    scale = min(height / values.shape[0], width / values.shape[1])
    inner = [max(1, min(round(side * scale), most)) for side, most in zip(values.shape, (height, width), strict=False)]
    top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    found = np.full((height, width, values.shape[2]), PAD, np.float32)
    found[top : top + inner[0], left : left + inner[1]] = bilinear(values, inner[0], inner[1])
    return found


def _crop(picture: Any, height: int, width: int) -> Singles:
    values = pixels(picture)
    scale = max(height / values.shape[0], width / values.shape[1])
    tall, wide = max(height, round(values.shape[0] * scale)), max(width, round(values.shape[1] * scale))
    return _middle(bilinear(values, tall, wide), height, width)


def _imagenet(picture: Any, height: int, width: int) -> Singles:
    shorter = round(max(height, width) / MIDDLE)
    longer = int(shorter * max(picture.width, picture.height) / min(picture.width, picture.height))
    tall, wide = (longer, shorter) if picture.height > picture.width else (shorter, longer)
    return _middle(_antialias(picture, tall, wide), height, width)


def _middle(values: Singles, height: int, width: int) -> Singles:
    top, left = round((values.shape[0] - height) / 2), round((values.shape[1] - width) / 2)
    return values[top : top + height, left : left + width]


RESIZES: tuple[Resize, ...] = (
    Resize("stretch-bilinear", "to the size, whatever the proportions; bilinear", _stretch),
    Resize(
        "stretch-antialias",
        "the same with Pillow's BILINEAR, which averages when a picture shrinks and rounds to whole numbers, as "
        "torchvision does with pictures of Pillow's",
        _antialias,
    ),
    Resize(
        "letterbox",
        f"as large as fits with its proportions (sides rounded), bilinear, in the middle of grey {PAD:g}; the smaller "
        "half of an odd rest is above and left",
        _letterbox,
    ),
    Resize(
        "centre-crop",
        "as small as covers the size with its proportions (sides rounded), bilinear, of which the middle is kept; half "
        "of an odd rest is rounded to even",
        _crop,
    ),
    Resize(
        "imagenet-crop",
        f"the shorter side to the larger wanted one / {MIDDLE}, the longer one in proportion and cut to a whole "
        "number, with Pillow's BILINEAR, of which the middle is kept: 256 and 224 as torchvision does it",
        _imagenet,
    ),
)
NONE = "none"
