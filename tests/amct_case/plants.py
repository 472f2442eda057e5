"""What is planted: where, into which stage, and how what is made there is wrong."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from amct_case.layers import Array

Stage = Literal["quantization", "board"]


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault in one layer of the net."""

    stage: Stage
    place: str
    kind: str
    # Of the net that it is planted into.
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}"


def disturbed(array: Array, kind: str, dice: np.random.Generator, axis: int = 1) -> Array:
    """Weights, or what an operator makes, as it must not be; channels lie along `axis`."""
    if kind == "noise":
        size = float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))
        wrong = array + 0.8 * size * dice.standard_normal(array.shape)
    elif kind == "channels swapped":
        wrong = np.roll(array, 1, axis=axis)
    elif kind == "saturating":
        wrong = np.clip(array, -0.15 * np.abs(array).max(), 0.15 * np.abs(array).max())
    elif kind == "scale twice":
        wrong = array * 2.5
    else:
        raise KeyError(kind)
    return wrong.astype(array.dtype)
