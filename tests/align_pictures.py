"""A picture, and what pipelines make of it."""

import numpy as np
from numpy.typing import NDArray

from errorflow.run.samples.resizing import bilinear
from errorflow.study.align.model import Doubles

SIDE = 64
MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def drawn(height: int = 80, width: int = 112, seed: int = 0) -> NDArray[np.uint8]:
    """Waves and edges, in every channel others, so that no change of them goes unseen."""
    rng = np.random.default_rng(seed)
    down, right = np.mgrid[0:height, 0:width]
    found = np.zeros((height, width, 3))
    for channel in range(3):
        for _ in range(6):
            across, along, phase = rng.uniform(0.02, 0.35), rng.uniform(0.02, 0.35), rng.uniform(0, 6)
            found[..., channel] += np.sin(down * across + right * along + phase) * rng.uniform(5, 25)
        found[..., channel] += 90 + 30 * channel
    for _ in range(8):
        top, left = rng.integers(0, height - 20), rng.integers(0, width - 20)
        found[top : top + 18, left : left + 14] += rng.uniform(-60, 60, 3)
    return np.clip(np.rint(found), 0, 255).astype(np.uint8)


PICTURE = drawn()
# Rows of pixels from 0 to 255, not rounded.
PIXELS: Doubles = bilinear(PICTURE.astype(np.float32), SIDE, SIDE).astype(np.float64)
NCHW: Doubles = PIXELS.transpose(2, 0, 1)[np.newaxis]
NORMAL: Doubles = ((PIXELS / 255 - MEAN) / STD).transpose(2, 0, 1)[np.newaxis]
