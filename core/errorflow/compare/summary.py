"""A comparison in a few lines: how much was measured, whether the outputs are good, and where to look first."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from errorflow.base.values import dataclass
from errorflow.compare.limits import BrokenLimit, Limit, held_against
from errorflow.compare.match.by_quantized import ONLY_CANDIDATE, ONLY_REFERENCE
from errorflow.compare.match.reasons import NO_DUMP
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.model import Comparison, Row
from errorflow.compare.states import state_texts
from errorflow.graph.build import counted

# Operators that only change type or order, and those that the compiler inserted, are never the first suspect.
_NO_SUSPECTS = frozenset({"TransData"})
# How much worse than its inputs an operator's output is when the operator itself is suspected, and how good those are.
GOOD_INPUT, DROP = 0.9, 0.1


@dataclass(frozen=True, slots=True)
class Suspect:
    """The first operator, in the order of the result, that a rule of the vendors' tools points at."""

    rule: str
    tensor: str
    value: float
    # How many tensors the rule points at.
    count: int


@dataclass(frozen=True, slots=True)
class SummaryVerdict:
    """Verdict of the outputs; where these are unknown, of all tensors."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """Summary as plain values."""

    measured: int
    notes: tuple[tuple[str, int], ...]
    rules: tuple[tuple[str, int], ...]
    states: tuple[tuple[str, int], ...]
    verdict: SummaryVerdict
    # The model's outputs that were measured; empty where nobody says which they are.
    outputs: tuple[Row, ...]
    # The tensors beyond the limits that decide, in the order of the result.
    beyond: tuple[Row, ...]
    # Those that hold NaN or an infinity where the reference has neither, in the order of the result.
    not_finite: tuple[Row, ...]
    # The worst tensors by relative error.
    worst: tuple[Row, ...]
    suspects: tuple[Suspect, ...]
    # Columns of the vendors' rules that were not measured.
    unruled: tuple[str, ...]
    limits: tuple[BrokenLimit, ...]


@dataclass(frozen=True, slots=True)
class _Threshold:
    """A rule that looks at one column of msaccucmp's table: where the vendor draws the line."""

    label: str
    column: str
    suspicious: Callable[[float], bool]


THRESHOLDS: tuple[_Threshold, ...] = (
    _Threshold("CosineSimilarity < 0.99", "CosineSimilarity", lambda value: value < 0.99),
    _Threshold("RelativeEuclideanDistance > 0.05", "RelativeEuclideanDistance", lambda value: value > 0.05),
    _Threshold("KullbackLeiblerDivergence > 0.005", "KullbackLeiblerDivergence", lambda value: value > 0.005),
    _Threshold("RootMeanSquareError > 1", "RootMeanSquareError", lambda value: value > 1),
    _Threshold("MeanRelativeError > 1", "MeanRelativeError", lambda value: value > 1),
)
# The limits that decide: the vendor's own for cosine and relative Euclidean distance.
DECIDING = tuple(
    Limit(metric, value)
    for key, value in (("cosine", 0.99), ("relative_l2", 0.05))
    for metric in MEASURES
    if metric.key == key
)
WORST = 10
ANOTHER_MODEL = "None of this model's operators is in the dump: probably the JSON of another model."
# Names of outputs in a sentence.
NAMED = 3


def summarize(
    comparison: Comparison, *, outputs: Sequence[str] = (), in_part: bool = False, limits: Sequence[Limit] = ()
) -> ComparisonSummary:
    """`outputs`: tensors that leave the model, where they are known; `in_part`: a part of one is bad."""
    measured = [row for row in comparison.rows if row.values]
    wanted = frozenset(outputs)
    ends = [row for row in measured if row.tensor in wanted]
    beyond = [row for row in measured if _is_beyond(row)]
    return ComparisonSummary(
        measured=len(measured),
        notes=_counted(_kind(row.note) for row in comparison.rows if row.note),
        rules=_counted(row.rule for row in comparison.rows if row.rule),
        states=_counted(state for row in measured for state in _kinds(row)),
        verdict=_nothing(comparison) if not measured else _verdict(len(measured), ends, beyond, in_part),
        outputs=tuple(ends),
        beyond=tuple(beyond),
        not_finite=tuple(filter(_is_newly_not_finite, measured)),
        worst=tuple(sorted(measured, key=_relative_error, reverse=True)[:WORST]),
        suspects=suspects_of(comparison),
        unruled=unruled(comparison),
        limits=tuple(held_against(limit, measured) for limit in limits),
    )


def suspects_of(comparison: Comparison) -> tuple[Suspect, ...]:
    """Finds suspects: for each rule of the vendors' tools that points at anything, what it points at first."""
    measured = [row for row in comparison.rows if row.values]
    return (*_beyond_thresholds(comparison), *_dropping(measured))


def unruled(comparison: Comparison) -> tuple[str, ...]:
    """Columns of the vendors' rules that no tensor has; without any, metrics stand for the first ones."""
    known = {name for row in comparison.rows if row.values for name in _cells(row)}
    return tuple(each.column for each in THRESHOLDS[0 if known else len(DECIDING) :] if each.column not in known)


def _is_beyond(row: Row) -> bool:
    return any(limit.broken_by(row) for limit in DECIDING)


def _is_newly_not_finite(row: Row) -> bool:
    mine, golden = row.candidate_side, row.reference_side
    if mine is None or golden is None:
        return False
    return bool(mine.nan or mine.inf) and not (golden.nan or golden.inf)


def _kind(note: str) -> str:
    """The note without what follows a colon, which is about one tensor, so that notes can be counted."""
    return note.partition(": ")[0].removesuffix(".")


def _counted(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(texts).most_common())


def _kinds(row: Row) -> Iterable[str]:
    """The states without their numbers, so that they can be counted."""
    return (text.lstrip("0123456789, ") for text in state_texts(row))


def _relative_error(row: Row) -> float:
    value = row.value("relative_l2")
    return math.inf if math.isnan(value) else value


def is_of_another_model(comparison: Comparison) -> bool:
    """Whether the operators of the model are none of those that were dumped."""
    notes = {row.note for row in comparison.rows}
    return NO_DUMP in notes and notes <= {NO_DUMP, ONLY_CANDIDATE, ONLY_REFERENCE}


def _nothing(comparison: Comparison) -> SummaryVerdict:
    more = f" {ANOTHER_MODEL}" if is_of_another_model(comparison) else ""
    return SummaryVerdict("nothing", f"No tensor could be measured.{more}")


def _verdict(measured: int, outputs: Sequence[Row], beyond: Sequence[Row], in_part: bool) -> SummaryVerdict:
    what = " and ".join(limit.words for limit in DECIDING)
    bad = [row.tensor for row in outputs if _is_beyond(row)]
    if in_part and not bad and (outputs or not beyond):
        ends = _ends(outputs) if outputs else "last tensors are"
        return SummaryVerdict("bad", f"The {ends} within the limits ({what}) as a whole, but not in every part.")
    if not beyond:
        all_of_them = "The only tensor that was measured is" if measured == 1 else f"All {measured:,} tensors are"
        return SummaryVerdict("good", f"{all_of_them} within the limits ({what}).")
    count = f"{len(beyond):,} of {counted(measured, 'tensor', 'tensors')}"
    if not outputs:
        return SummaryVerdict("bad", f"{count} {_is(len(beyond))} beyond the limits ({what}).")
    if not bad:
        text = f"The {_ends(outputs)} within the limits ({what}), and {count} inside {_is(len(beyond))} not."
        return SummaryVerdict("good-output", text)
    more = f" and {len(bad) - NAMED:,} more" if len(bad) > NAMED else ""
    return SummaryVerdict("bad", f"The output is beyond the limits ({what}): {', '.join(bad[:NAMED])}{more}.")


def _ends(outputs: Sequence[Row]) -> str:
    return "output is" if len(outputs) == 1 else f"{len(outputs):,} outputs are"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _beyond_thresholds(comparison: Comparison) -> Iterable[Suspect]:
    """Finds rows as the vendor's analyser does: inserted operators and lines without data are passed over."""
    rows = [
        row
        for row in comparison.rows
        if (line := row.printed) and line.listed.op_type not in _NO_SUSPECTS and line.listed.references != "*"
    ]
    for threshold in THRESHOLDS:
        found = [(row, value) for row in rows if math.isfinite(value := _cell(row, threshold.column))]
        beyond = [(row, value) for row, value in found if threshold.suspicious(value)]
        if beyond:
            row, value = beyond[0]
            yield Suspect(threshold.label, row.tensor, value, len(beyond))


def _cells(row: Row) -> Mapping[str, str]:
    return {} if row.printed is None else row.printed.cells


def _cell(row: Row, column: str) -> float:
    try:
        return float(_cells(row).get(column, "nan"))
    except ValueError:  # the user's own columns may hold texts
        return math.nan


def _dropping(measured: Sequence[Row]) -> Iterable[Suspect]:
    """Operators whose inputs are good and whose outputs are not: the error is probably born there."""
    inputs: dict[str, float] = {}
    beyond: list[tuple[Row, float]] = []
    for row in measured:
        operator, _, rest = row.tensor.rpartition(":input:")
        if operator and rest.isdecimal():
            cosine = row.value("cosine")
            inputs[operator] = min(inputs.get(operator, math.inf), -math.inf if math.isnan(cosine) else cosine)
    for row in measured:
        operator, _, rest = row.tensor.rpartition(":output:")
        before = inputs.get(operator, math.nan) if rest.isdecimal() else math.nan
        if before > GOOD_INPUT and before - row.value("cosine") > DROP:
            beyond.append((row, before - row.value("cosine")))
    if beyond:
        row, value = beyond[0]
        yield Suspect(f"cosine falls by more than {DROP:g} from inputs to output", row.tensor, value, len(beyond))
