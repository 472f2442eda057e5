"""Table of what a plan does to each tensor, over samples."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.metric import Metric
from errorflow.compare.metrics.sums import Sums
from errorflow.run.engine.rows import ACCUMULATED, NODE, PARTS, SPLIT, WIDTH, Doubles, sums_of_row

# Errors of the whole run, or of each node on its own, fed with the reference's tensors.
Measure = Literal["accumulated", "node"]
_ROWS = {"accumulated": ACCUMULATED, "node": NODE}


@dataclass(frozen=True, slots=True)
class BrokenTensor:
    """The first tensor of a sample that holds what is no number."""

    sample: int
    tensor: str
    side: Literal["reference", "candidate"]
    what: Literal["NaN", "infinite", "NaN or infinite before it was coded"]


@dataclass(frozen=True, slots=True)
class TensorSpread:
    """A number over the samples, one for each tensor: NaN where it was not measured."""

    median: Doubles
    best: Doubles
    worst: Doubles
    # Number of the sample, -1 where there is none.
    worst_sample: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of `tensors` for each of `samples`."""

    tensors: tuple[str, ...]
    samples: tuple[int, ...]
    # Samples × tensors × numbers.
    rows: Doubles
    # By sample the tensors that were no numbers before they were coded, which codes hide.
    hidden: tuple[tuple[str, ...], ...] = ()
    # What was to be coded and is not, with the reason.
    notes: Mapping[str, str] = field(default_factory=dict)
    # How many segments ran for it, and how many sessions were built; all else was known.
    ran: int = 0
    built: int = 0

    @cached_property
    def places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.tensors)}

    def sums(self, tensor: str, sample: int, measure: Measure = "accumulated") -> Sums | None:
        """Finds the sums of one tensor, with `sample` counted in this table; None where it was not measured."""
        row = self.rows[sample, self.places[tensor], _ROWS[measure]]
        return None if math.isnan(row[0]) else sums_of_row(row)

    def column(self, metric: Metric, measure: Measure = "accumulated") -> Doubles:
        """Samples × tensors of a metric."""
        found = np.full(self.rows.shape[:2], np.nan)
        rows = self.rows[:, :, _ROWS[measure]]
        for sample, tensor in np.argwhere(~np.isnan(rows[:, :, 0])).tolist():
            found[sample, tensor] = metric.of(sums_of_row(rows[sample, tensor]))
        return found

    def part(self, name: Literal["introduced", "inherited", "share"]) -> Doubles:
        """Samples × tensors of a part of the error, in units of the reference's norm."""
        found: Doubles = self.rows[:, :, SPLIT][:, :, PARTS.index(name)]
        return found

    def spread(self, metric: Metric, measure: Measure = "accumulated") -> TensorSpread:
        return spread(self.column(metric, measure), metric.higher_is_better)

    def broken(self) -> tuple[BrokenTensor, ...]:
        """The first tensor of each sample that is no number, in the order of running."""
        found = (self._broken(place) for place in range(len(self.samples)))
        return tuple(each for each in found if each is not None)

    def _broken(self, place: int) -> BrokenTensor | None:
        hidden = frozenset(self.hidden[place]) if self.hidden else frozenset()
        nan, inf, reference_nan, reference_inf = self.rows[place, :, ACCUMULATED][:, -4:].T
        bad = (nan > 0) | (inf > 0) | (reference_nan > 0) | (reference_inf > 0)
        for at, tensor in enumerate(self.tensors):
            if bad[at]:
                of_reference = reference_nan[at] > 0 or reference_inf[at] > 0
                isnan = reference_nan[at] > 0 if of_reference else nan[at] > 0
                side: Literal["reference", "candidate"] = "reference" if of_reference else "candidate"
                return BrokenTensor(self.samples[place], tensor, side, "NaN" if isnan else "infinite")
            if tensor in hidden:
                return BrokenTensor(self.samples[place], tensor, "candidate", "NaN or infinite before it was coded")
        return None


def spread(columns: Doubles, higher_is_better: bool) -> TensorSpread:
    """Spreads over samples; NaN is the worst there is, where anything was measured."""
    worse = np.where(np.isnan(columns), -np.inf, columns if higher_is_better else -columns)
    none = np.isnan(columns).all(axis=0) if len(columns) else np.ones(columns.shape[1], bool)
    if not len(columns):
        nothing = np.full(columns.shape[1], np.nan)
        return TensorSpread(nothing, nothing, nothing, np.full(columns.shape[1], -1))
    order = np.argsort(worse, axis=0, kind="stable")
    ranked = np.take_along_axis(columns, order, axis=0)
    worst_sample = np.where(none, -1, order[0])
    return TensorSpread(ranked[(len(ranked) - 1) // 2], ranked[-1], ranked[0], worst_sample)


def table_of(
    answer: Mapping[str, object], tensors: Sequence[str], asked: Sequence[str] | None, samples: Sequence[int]
) -> Table:
    """`answer` has rows of those tensors that were asked for."""
    rows = answer["rows"]
    assert isinstance(rows, list)
    wanted = frozenset(tensors if asked is None else asked)
    there = np.array([name in wanted for name in tensors], bool)
    table = np.full((len(rows), len(tensors), WIDTH), np.nan)
    for place, row in enumerate(rows):
        table[place, there] = np.frombuffer(row, np.float64).reshape(-1, WIDTH)
    hidden, notes, ran, built = (answer[key] for key in ("hidden", "notes", "ran", "built"))
    assert isinstance(hidden, list) and isinstance(notes, dict) and isinstance(ran, int) and isinstance(built, int)
    return Table(tuple(tensors), tuple(samples), table, tuple(map(tuple, hidden)), notes, ran, built)
