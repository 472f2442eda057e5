"""Comparison: a row per pair of tensors."""

import math
from collections.abc import Mapping

from errorflow.base.values import dataclass, field
from errorflow.compare.comparer import Printed, Printer
from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.distinct import DistinctValues
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.metrics.sums import Side
from errorflow.graph.dump import TensorInfo

# The note of a pair whose turn has not come.
PENDING = "not measured yet"


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
    channels: Channels | None = None
    # How many different values the candidate holds.
    unique: DistinctValues | None = None
    # The key of the rule that brought the two together, see `errorflow.compare.match.rules`.
    rule: str = ""
    # The candidate's operator.
    node: str = ""
    op_type: str = ""
    # What was done to the values before they were measured, such as a change of layout; for the reader.
    done: tuple[str, ...] = ()
    # The shape in which both were measured.
    measured_shape: tuple[int, ...] | None = None
    # Whether the candidate overflows, as another tool or an earlier table says.
    overflows: bool = False
    # The line that a vendor's comparer has of it; None: it has none.
    printed: Printed | None = None

    @property
    def is_pending(self) -> bool:
        """Whether it is still to be measured."""
        return self.note == PENDING

    @property
    def shape(self) -> tuple[int, ...]:
        """The reference's, or the candidate's where there is no reference; () where neither is there."""
        return next((info.shape for info in (self.reference, self.candidate) if info is not None), ())

    @property
    def dtype(self) -> str:
        return next((info.dtype for info in (self.reference, self.candidate) if info is not None), "")

    @property
    def states(self) -> tuple[str, ...]:
        """NaN, infinite, all zero or constant, each with the run that is."""
        return (*_states("reference", self.reference_side), *_states("candidate", self.candidate_side))

    def value(self, metric: str) -> float:
        """The metric's value; NaN where nothing was measured."""
        return self.values.get(metric, math.nan)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything measured, in the order of the match: first the pairs, then what has no partner."""

    rows: tuple[Row, ...]
    # What was compared: see docs/words.md. Other tools also measure each node by itself.
    measure: str = "accumulated"
    # Of numbers in the rows that are none of ours.
    scales: tuple[Scale, ...] = ()

    @property
    def known(self) -> Mapping[int, Row]:
        """Rows that were measured, or will not be, by number."""
        return {number: row for number, row in enumerate(self.rows) if row.note != PENDING}

    def row(self, tensor: str) -> Row | None:
        return next((row for row in self.rows if row.tensor == tensor), None)


# Stands where nothing was compared.
NOTHING = Comparison(())


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


# Options of measuring: they travel to every process with the work.


@dataclass(frozen=True, slots=True)
class Options:
    """Small and plain, so that it can be sent to other processes and machines."""

    # Of a vendor's tool; None: no table of it is wanted, and its arithmetic is not done.
    printer: Printer | None = None
    # A folder with the user's own columns and converters.
    custom: str = ""
    # Codes are brought back to real values where their scale is known; said on the row when it is done.
    dequantize: bool = True
