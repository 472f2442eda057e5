"""Pictures as numbers."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage


def channels(image: QImage) -> NDArray[np.int_]:
    """(height, width, 3): blue, green, red. A copy: the bits live only as long as the image."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.width(), 4)
    return rows[:, :, :3].astype(int)


def difference(one: QImage, other: QImage) -> NDArray[np.int_]:
    """(height, width): how far each pixel is off in its worst channel."""
    worst: NDArray[np.int_] = np.abs(channels(one) - channels(other)).max(axis=2)
    return worst
