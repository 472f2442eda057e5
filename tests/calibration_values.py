"""Values as tensors of nets have them, for tests of calibration."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.quant.calibrate.seen import Seen

Values = NDArray[np.float32]
COUNT = 200_000


def _normal(random: np.random.Generator) -> Values:
    return random.standard_normal(COUNT, np.float32)


def _relu(random: np.random.Generator) -> Values:
    return np.maximum(random.standard_normal(COUNT, np.float32), 0)


def _outliers(random: np.random.Generator) -> Values:
    values = random.standard_normal(COUNT, np.float32)
    values[:20] *= 100
    return values


def _negative(random: np.random.Generator) -> Values:
    return -random.gamma(2, 3, COUNT).astype(np.float32) - 1


def _heavy(random: np.random.Generator) -> Values:
    return random.standard_t(3, COUNT).astype(np.float32)


def _uniform(random: np.random.Generator) -> Values:
    return random.uniform(-1, 3, COUNT).astype(np.float32)


SPREADS = {
    "normal": _normal(np.random.default_rng(1)),
    "relu": _relu(np.random.default_rng(2)),
    "outliers": _outliers(np.random.default_rng(3)),
    "negative": _negative(np.random.default_rng(4)),
    "heavy": _heavy(np.random.default_rng(5)),
    "uniform": _uniform(np.random.default_rng(6)),
}


def seen(*samples: NDArray[Any] | Sequence[float], spread: bool = True) -> Seen:
    found = Seen(spread=spread)
    for sample in samples:
        found.see(np.asarray(sample, np.float32))
    return found
