"""Two runs, tensor by tensor: what every metric says, or a note why none can say anything.

Two tensors are in memory at a time.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from errorflow.dump import Dump, TensorInfo
from errorflow.errors import ErrorflowError
from errorflow.metrics import METRICS
from errorflow.metrics.sums import Side, sums
from errorflow.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class Row:
    """One tensor's line, made of what at least one of the runs knows of it."""

    tensor: str
    reference: TensorInfo | None
    candidate: TensorInfo | None
    # By the metric's key; empty where nothing could be measured, and then `note` says why.
    values: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    # What both tensors hold that no number may hide.
    reference_side: Side | None = None
    candidate_side: Side | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The reference's, or the candidate's where there is no reference."""
        return next(info.shape for info in (self.reference, self.candidate) if info is not None)

    @property
    def dtype(self) -> str:
        return next(info.dtype for info in (self.reference, self.candidate) if info is not None)

    @property
    def states(self) -> tuple[str, ...]:
        """NaN, infinite, all zero or constant, each with the run that is."""
        return (*_states("reference", self.reference_side), *_states("candidate", self.candidate_side))

    def value(self, metric: str) -> float:
        """The metric's value; NaN where nothing was measured."""
        return self.values.get(metric, math.nan)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything measured: the tensors of the reference in their order, then those that only the candidate has."""

    rows: tuple[Row, ...]

    def row(self, tensor: str) -> Row | None:
        return next((row for row in self.rows if row.tensor == tensor), None)


def compare(reference: Dump, candidate: Dump, progress: Progress = SILENT) -> Comparison:
    """Pairs the tensors of both runs by their names and measures each pair."""
    ours, theirs = dict.fromkeys(reference.names()), dict.fromkeys(candidate.names())
    rows = []
    for at, name in enumerate(names := [*(ours | theirs)]):
        progress.step(at, len(names), name)
        if name not in theirs:
            rows.append(Row(name, reference.info(name), None, note="only in the reference"))
        elif name not in ours:
            rows.append(Row(name, None, candidate.info(name), note="only in the candidate"))
        else:
            rows.append(_pair(name, reference, candidate))
    progress.step(len(names), len(names), "")
    return Comparison(tuple(rows))


def _pair(name: str, reference: Dump, candidate: Dump) -> Row:
    infos = reference.info(name), candidate.info(name)
    if infos[0].shape != infos[1].shape:
        return Row(name, *infos, note=f"shapes differ: {infos[0].shape} and {infos[1].shape}")
    try:
        r, c = reference.read(name), candidate.read(name)
    except ErrorflowError as error:
        return Row(name, *infos, note=error.message)
    strange = [array.dtype.name for array in (r, c) if not np.can_cast(array.dtype, np.float64, "same_kind")]
    if strange:
        return Row(name, *infos, note=f"no real numbers: {strange[0]}")
    found = sums(r, c)
    values = {metric.key: metric.of(found) for metric in METRICS}
    return Row(name, *infos, values, reference_side=found.reference, candidate_side=found.candidate)


def _states(run: str, side: Side | None) -> tuple[str, ...]:
    if side is None:
        return ()
    found = (
        (side.nan > 0, f"{side.nan:,} NaN in the {run}"),
        (side.inf > 0, f"{side.inf:,} infinite in the {run}"),
        (side.zero, f"the {run} is all zero"),
        (side.constant and not side.zero, f"the {run} is constant"),
    )
    return tuple(text for holds, text in found if holds)
