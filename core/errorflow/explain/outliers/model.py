"""The outlier table: a row per tensor that has channels, and what they lose to the loudest one."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.explain.outliers.levels import Doubles, levels

Kind = Literal["activation", "weight"]
# What a code has where nobody says otherwise.
BITS = 8


@dataclass(frozen=True, eq=False)
class Outliers:
    """The channels of one tensor; `maxima` is the largest size of a value in each, over all samples."""

    tensor: str
    kind: Kind
    axis: int
    maxima: Doubles = field(repr=False)
    # The node that makes it, or of a weight the one that multiplies by it; "": nobody knows, or it is an input.
    node: str = ""
    op_type: str = ""
    # What was left out of it.
    note: str = ""

    @property
    def channels(self) -> int:
        return len(self.maxima)

    @cached_property
    def levels(self) -> Doubles:
        """Levels per channel; infinite where it is sparse."""
        return levels(self.maxima)

    @cached_property
    def _living(self) -> Doubles:
        found: Doubles = self.levels[np.isfinite(self.levels)]
        return found

    @property
    def sparse(self) -> float:
        """The share of channels that are always zero, or as good as that beside the loudest one."""
        return 1.0 - len(self._living) / self.channels

    def share(self, level: float) -> float:
        """Finds the share of all channels that are at or above a level and not sparse."""
        return int(np.count_nonzero(self._living >= level)) / self.channels

    @cached_property
    def median(self) -> float:
        """Bits of resolution that the median of the living channels loses under one scale for all; 0: none lives."""
        return float(np.median(self._living)) if len(self._living) else 0.0

    @property
    def most(self) -> float:
        """Bits that the quietest of the living channels loses."""
        return float(self._living.max(initial=0.0))

    def effective_bits(self, bits: int = BITS) -> float:
        """Finds what is left of so many bits to the median channel."""
        return max(0.0, bits - self.median)

    @cached_property
    def quiet(self) -> NDArray[np.intp]:
        """The numbers of the living channels, the quietest first: these lose most."""
        order = np.argsort(-np.where(np.isfinite(self.levels), self.levels, -1.0), kind="stable")
        return order[: len(self._living)]

    @cached_property
    def loud(self) -> NDArray[np.intp]:
        """The same, the loudest first: these take it from the others."""
        order = np.argsort(np.where(np.isfinite(self.levels), self.levels, np.inf), kind="stable")
        return order[: len(self._living)]


@dataclass(frozen=True, eq=False)
class OutlierTable:
    """`rows` in the order of running, weights behind what flows."""

    # What the tensors are of: a model or a run.
    label: str
    rows: tuple[Outliers, ...]
    samples: int = 0
    # Tensors without channels, and those that hold nothing with a size.
    skipped: int = 0
    notes: tuple[str, ...] = ()
    # Nobody gave the samples.
    made_up: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def worst(self) -> tuple[Outliers, ...]:
        """The one first whose median channel loses most; among equals, whose quietest one does."""
        return tuple(sorted(self.rows, key=lambda row: (-row.median, -row.most)))
