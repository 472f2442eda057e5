"""Inputs from scikit-learn's digits: 1 797 scans of 8×8 pixels with 17 grey levels, here in 0 … 1.

Training, calibration and evaluation never share a scan.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from make_sample.net import Floats
from make_sample.nets import FRAME, PICTURE

Labels = NDArray[np.uint8]
TEST, CALIBRATION = 300, 64


@dataclass(frozen=True, slots=True)
class Scans:
    images: Floats
    labels: Labels


def scans(seed: int = 7) -> tuple[Scans, Scans, Scans]:
    """Training, calibration, evaluation. Calibration scans are held out of training too."""
    raw = load_digits()
    images = (raw.images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    labels = raw.target.astype(np.uint8)
    order = np.random.default_rng(seed).permutation(len(images))
    test, calibration, train = np.split(order, [TEST, TEST + CALIBRATION])
    pick = [Scans(images[part], labels[part]) for part in (train, calibration, test)]
    return pick[0], pick[1], pick[2]


def pictures(scans: Scans, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Each scan somewhere in a 16×16 picture, and the box around its ink in pixels of the frame: x0, y0, x1, y1."""
    room = PICTURE - 8
    places = rng.integers(0, room + 1, (len(scans.images), 2))
    result = np.zeros((len(scans.images), 1, PICTURE, PICTURE), np.float32)
    boxes = np.zeros((len(scans.images), 4), np.float32)
    for i, (image, (y, x)) in enumerate(zip(scans.images[:, 0], places, strict=True)):
        result[i, 0, y : y + 8, x : x + 8] = image
        rows, columns = np.nonzero(image.max(1) > 0.2)[0], np.nonzero(image.max(0) > 0.2)[0]
        box = (x + columns[0], y + rows[0], x + columns[-1] + 1, y + rows[-1] + 1)
        boxes[i] = np.array(box, np.float32) * (FRAME / PICTURE)
    return result, boxes


def shifted(images: Floats, rng: np.random.Generator) -> Floats:
    """The scans moved by at most one pixel and with a little noise, for training."""
    result = np.zeros_like(images)
    for i, (dy, dx) in enumerate(rng.integers(-1, 2, (len(images), 2))):
        result[i, 0] = np.roll(np.pad(images[i, 0], 1), (dy, dx), (0, 1))[1:-1, 1:-1]
    return (result + rng.normal(0, 0.03, result.shape)).astype(np.float32)
