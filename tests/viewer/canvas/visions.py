"""What is left of a picture for other eyes, and on paper without colours."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from viewer.canvas.pixels import channels

# Machado, Oliveira and Fernandes 2009: what full protanopia, deuteranopia and tritanopia leave of linear RGB.
VISIONS = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen_by(image: QImage, vision: str) -> NDArray[np.float64]:
    """(height, width, 3): red, green, blue as that kind of vision sees them."""
    linear = (channels(image)[:, :, ::-1] / 255) ** 2.2
    seen: NDArray[np.float64] = np.clip(linear @ np.array(VISIONS[vision]).T, 0, 1) ** (1 / 2.2) * 255
    return seen
