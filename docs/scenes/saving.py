"""A picture as a small file."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from PIL import Image

# Bytes of a picture, which is shipped, and the colours that are tried until it is no larger.
LARGEST, COLORS = 150 * 1024, (256, 128, 64)


def save(image: QImage, path: Path) -> None:
    """In few colours, next to those that are there: nobody sees the difference, and it is a third as large."""
    from PIL import Image

    image = image.convertToFormat(QImage.Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    whole = Image.fromarray(pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy())
    for colors in COLORS:
        _in_few(whole, colors).save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            return


def _in_few(whole: "Image.Image", colors: int) -> "Image.Image":
    """The colours of large areas exactly, of the others those that stand for most."""
    from PIL import Image

    counted = whole.getcolors(whole.width * whole.height)
    assert counted is not None, "there are no more colours than pixels"
    flat = [rgb for _, rgb in sorted(counted, reverse=True)[: colors // 2]]
    others = whole.quantize(colors - len(flat), Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    assert others is not None, "it was just given one"
    few = Image.new("P", (1, 1))
    few.putpalette([part for rgb in flat for part in rgb] + others[: 3 * (colors - len(flat))])  # type: ignore[attr-defined]  # of RGB
    return whole.quantize(palette=few, dither=Image.Dither.NONE)
