"""Samples that nobody gave. What comes of them is no verdict about the model in use."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorflow.run.inputs import random_values
from errorflow.run.model import Array, Wanted
from errorflow.run.samples.sizes import closed


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A source: standard normal floats, whole numbers 0 and 1; the same for the same seed and number."""

    wanted: tuple[Wanted, ...]
    seed: int
    count: int

    @classmethod
    def of(cls, wanted: tuple[Wanted, ...], seed: int, count: int) -> "MadeUp":
        """All sizes must be known."""
        needed = tuple(want for want in wanted if not want.optional)
        for want in needed:
            closed(want)
        return cls(needed, seed, count)

    def name(self, number: int) -> str:
        return f"made-up sample {number}"

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:  # noqa: ARG002 - as every source is called
        return {}

    def read(self, number: int) -> Mapping[str, Array]:
        generator = np.random.default_rng((self.seed, number))
        return {want.name: random_values(want, closed(want), generator) for want in self.wanted}
