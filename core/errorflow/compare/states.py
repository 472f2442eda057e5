"""States of a row's tensors, as bits for the window and as words for tables."""

from errorflow.compare.match.reasons import BETWEEN, NO_PLACE
from errorflow.compare.metrics.details import DETAILS
from errorflow.compare.metrics.states import State
from errorflow.compare.model import PENDING, Row

# The largest finite value of types that are narrower than what they are measured in.
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
# Below that the candidate points away from its reference.
FLIPPED_COSINE = -0.5
_CLIPPING = next(detail for detail in DETAILS if detail.key == "clipping")
# Where a reference would be of another kind.
_CODES = (BETWEEN, NO_PLACE)
# Plain numbers: this is asked of every row.
_NAN, _INF, _BEYOND, _SATURATED, _ZERO, _CONSTANT, _FLIPPED, _MISSING, _INCOMPARABLE = (int(state) for state in State)


def states_of(row: Row) -> State:
    """Finds the states of the candidate that the reference is not in, and why nothing was measured."""
    return State(state_bits(row))


def state_bits(row: Row) -> int:
    """The same as a plain number."""
    if row.note == PENDING:
        return 0
    if not row.values:
        both = row.reference is not None and row.candidate is not None
        return _INCOMPARABLE if both or (row.candidate is not None and row.note in _CODES) else _MISSING
    found = _of_sides(row)
    if _overflows(row) or row.overflows:
        found |= _BEYOND
    elif row.values.get(_CLIPPING.key, 0.0) > _CLIPPING.good:
        found |= _SATURATED
    return found | (_FLIPPED if row.value("cosine") < FLIPPED_COSINE else 0)


def reference_text(row: Row) -> str:
    """Says why nothing can be known of a measured candidate where the reference is no number itself; "" where one is.

    A candidate that breaks in further places is told of by its own state.
    """
    mine, golden = row.candidate_side, row.reference_side
    if mine is None or golden is None or not (golden.nan or golden.inf):
        return ""
    if mine.nan > golden.nan or mine.inf > golden.inf:
        return ""
    return f"{'NaN' if golden.nan else 'infinite values'} in the reference itself"


def state_texts(row: Row) -> tuple[str, ...]:
    """Texts of `Row.states`, which speak of one run each, and of those that are about both."""
    found = states_of(row) if row.values else State(0)
    both = (
        (State.OVERFLOW, f"{State.OVERFLOW.words} in the candidate"),
        (State.SATURATED, f"the candidate is {State.SATURATED.words}"),
        (State.FLIPPED, f"{State.FLIPPED.words} in the candidate"),
    )
    return (*row.states, *(text for state, text in both if state in found))


def _of_sides(row: Row) -> int:
    mine, golden = row.candidate_side, row.reference_side
    if mine is None or golden is None:
        return 0
    found = _NAN if mine.nan > golden.nan else 0
    found |= _INF if mine.inf > golden.inf else 0
    if not mine.constant:
        return found
    if mine.zero:
        return found | (0 if golden.zero else _ZERO)
    return found | (0 if golden.constant else _CONSTANT)


def _overflows(row: Row) -> bool:
    """Whether the reference goes beyond what the candidate's type can hold, and the candidate broke there.

    A float breaks into infinities or NaN; whole numbers without a scale start again at the other end. What stays at the
    end instead is saturated.
    """
    mine, golden = row.candidate_side, row.reference_side
    if row.candidate is None or mine is None or golden is None or golden.low > golden.high:
        return False
    dtype = row.candidate.dtype
    if dtype in LARGEST:
        beyond = max(abs(golden.low), abs(golden.high)) > LARGEST[dtype]
        return beyond and (mine.inf > golden.inf or mine.nan > golden.nan)
    ends = _whole_numbers(dtype)
    if ends is None or row.candidate.qparams is not None or row.done:
        return False
    return (golden.low < ends[0] or golden.high > ends[1]) and not row.values.get(_CLIPPING.key)


def _whole_numbers(dtype: str) -> tuple[int, int] | None:
    """The ends of a type such as int8 or uint16."""
    name = dtype.removeprefix("u")
    if not name.startswith("int") or not name[3:].isdecimal():
        return None
    bits = int(name[3:])
    return (0, (1 << bits) - 1) if dtype.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
