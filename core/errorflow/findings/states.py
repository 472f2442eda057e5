"""What no number may hide, as bits: a node's states are those of all that it makes."""

from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.model import PENDING, Row
from errorflow.compare.placed import Placed

# Above that a float16 is infinite.
HALF_MOST = 65504.0
# Below that the candidate points away from its reference.
FLIPPED_COSINE = -0.5


class State(IntFlag):
    """Of a tensor or a node."""

    NAN = 1
    INF = 2
    OVERFLOW = 4
    SATURATED = 8
    ZERO = 16
    CONSTANT = 32
    FLIPPED = 64
    # Nothing was measured: there is no dump of it.
    MISSING = 128
    # Nothing was measured although both are there: shapes differ, or the values are codes without a scale.
    INCOMPARABLE = 256

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    State.NAN: "NaN",
    State.INF: "infinite",
    State.OVERFLOW: "overflow",
    State.SATURATED: "saturated",
    State.ZERO: "all zero",
    State.CONSTANT: "constant",
    State.FLIPPED: "sign flipped",
    State.MISSING: "missing",
    State.INCOMPARABLE: "not comparable",
}


def states_of(row: Row) -> State:
    """What of the candidate is not so in the reference, and why nothing was measured."""
    if row.note == PENDING:
        return State(0)
    if not row.values:
        both = row.reference is not None and row.candidate is not None
        return State.INCOMPARABLE if both else State.MISSING
    found = State(0)
    mine, golden = row.candidate_side, row.reference_side
    if mine is not None and golden is not None:
        found |= State.NAN if mine.nan > golden.nan else State(0)
        found |= State.INF if mine.inf > golden.inf else State(0)
        found |= State.ZERO if mine.zero and not golden.zero else State(0)
        found |= State.CONSTANT if mine.constant and not mine.zero and not golden.constant else State(0)
        half = row.candidate is not None and row.candidate.dtype == "float16"
        beyond = half and max(abs(golden.low), abs(golden.high)) > HALF_MOST and not golden.inf
        found |= State.OVERFLOW if beyond and (mine.inf or mine.nan) else State(0)
    found |= State.OVERFLOW if row.columns.get("OverFlow") == "YES" else State(0)
    return found | (State.FLIPPED if row.value("cosine") < FLIPPED_COSINE else State(0))


def tensor_states(placed: Placed, rows: tuple[Row, ...]) -> NDArray[np.uint16]:
    """Per tensor of the graph: of the row that counts, and of the first where nothing was measured."""
    found = np.zeros(placed.count, np.uint16)
    for tensor, numbers in placed.about.items():
        if tensor in placed.notes:
            found[tensor] = states_of(rows[numbers[0]])
    for tensor, row in zip(placed.tensors.tolist(), placed.rows, strict=True):
        found[tensor] = states_of(row)
    return found
