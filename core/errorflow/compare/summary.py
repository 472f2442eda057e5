"""A comparison in a few lines: how much was measured, whether the outputs are good, and where to look first."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from errorflow.compare.model import Comparison, Row
from errorflow.errors import UsageError
from errorflow.graph.build import counted
from errorflow.metrics.measure import MEASURES
from errorflow.metrics.metric import Scale

# Operators that only change type or order, and those that the compiler inserted, are never the first suspect.
_NO_SUSPECTS = frozenset({"TransData"})
# How much worse than its inputs an operator's output is when the operator itself is suspected, and how good those are.
GOOD_INPUT, DROP = 0.9, 0.1


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric's value that a tensor may just have."""

    metric: Scale
    value: float

    @property
    def text(self) -> str:
        return f"{self.metric.key} {'≥' if self.metric.higher_is_better else '≤'} {self.value:g}"

    def broken_by(self, row: Row) -> bool:
        """NaN breaks every limit; what was not measured breaks none."""
        found = row.values.get(self.metric.key)
        if found is None:
            return False
        return not (found >= self.value if self.metric.higher_is_better else found <= self.value)


@dataclass(frozen=True, slots=True)
class Suspect:
    """The first operator, in the order of the result, that a rule of the vendors' tools points at."""

    rule: str
    tensor: str
    value: float
    # How many tensors the rule points at.
    count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the outputs say."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A limit, how many tensors break it, and which is the worst of them."""

    limit: Limit
    count: int
    worst: str


@dataclass(frozen=True, slots=True)
class Summary:
    """All of it as plain values."""

    measured: int
    notes: tuple[tuple[str, int], ...]
    rules: tuple[tuple[str, int], ...]
    states: tuple[tuple[str, int], ...]
    verdict: Verdict
    # The outputs, or what was measured last.
    outputs: tuple[Row, ...]
    # The worst tensors by relative error.
    worst: tuple[Row, ...]
    suspects: tuple[Suspect, ...]
    limits: tuple[Broken, ...]


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
# The limits that decide about the outputs: the vendor's own for cosine and relative Euclidean distance.
_OUTPUT_LIMITS = (("cosine", 0.99), ("relative_l2", 0.05))
WORST = 10


def parse_limit(text: str) -> Limit:
    """`cosine=0.99`: the metric's key and the value that is still allowed."""
    key, equals, number = text.partition("=")
    metric = next((metric for metric in MEASURES if metric.key == key.strip()), None)
    if metric is None or not equals:
        known = ", ".join(metric.key for metric in MEASURES)
        raise UsageError(f"{text} is no limit.", f"Write METRIC=VALUE, such as cosine=0.99. The metrics are: {known}.")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise UsageError(f"{number.strip()} in {text} is no number.", "Write the value that is still allowed.")
    return Limit(metric, value)


def summarize(comparison: Comparison, *, outputs: Sequence[str] = (), limits: Sequence[Limit] = ()) -> Summary:
    """The summary; `outputs` are the tensors that leave the model, where somebody knows them."""
    measured = [row for row in comparison.rows if row.values]
    ends = _outputs(measured, outputs)
    return Summary(
        measured=len(measured),
        notes=_counted(row.note for row in comparison.rows if row.note),
        rules=_counted(row.rule for row in comparison.rows if row.rule),
        states=_counted(state for row in measured for state in _kinds(row)),
        verdict=_verdict(measured, ends),
        outputs=tuple(ends),
        worst=tuple(sorted(measured, key=_relative_error, reverse=True)[:WORST]),
        suspects=(*_beyond_thresholds(comparison), *_dropping(measured)),
        limits=tuple(_broken(limit, measured) for limit in limits),
    )


def _outputs(measured: Sequence[Row], names: Sequence[str]) -> list[Row]:
    wanted = frozenset(names)
    return [row for row in measured if row.tensor in wanted] or list(measured[-1:])


def _counted(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(texts).most_common())


def _kinds(row: Row) -> Iterable[str]:
    """The states without their numbers, so that they can be counted."""
    return (text.lstrip("0123456789, ") for text in row.states)


def _relative_error(row: Row) -> float:
    value = row.value("relative_l2")
    return math.inf if math.isnan(value) else value


def _verdict(measured: Sequence[Row], outputs: Sequence[Row]) -> Verdict:
    limits = [Limit(metric, value) for key, value in _OUTPUT_LIMITS for metric in MEASURES if metric.key == key]
    what = ", ".join(limit.text for limit in limits)
    if not measured:
        return Verdict("nothing", "No tensor could be measured; the notes say why.")
    if any(limit.broken_by(row) for row in outputs for limit in limits):
        names = ", ".join(row.tensor for row in outputs[:3])
        return Verdict("bad", f"The output is beyond the limits ({what}): {names}.")
    inside = sum(any(limit.broken_by(row) for limit in limits) for row in measured)
    if inside:
        tensors = counted(inside, "tensor", "tensors")
        return Verdict(
            "good-output",
            f"The output is good ({what}); what is beyond the limits inside ({tensors}) can be left.",
        )
    return Verdict("good", f"Every measured tensor is within the limits ({what}).")


def _beyond_thresholds(comparison: Comparison) -> Iterable[Suspect]:
    """As the vendor's analyser goes through the table: inserted operators and lines without data are passed over."""
    rows = [
        row
        for row in comparison.rows
        if row.listed is not None and row.listed.op_type not in _NO_SUSPECTS and row.listed.references != "*"
    ]
    for threshold in THRESHOLDS:
        found = [(row, value) for row in rows if math.isfinite(value := _cell(row, threshold.column))]
        beyond = [(row, value) for row, value in found if threshold.suspicious(value)]
        if beyond:
            row, value = beyond[0]
            yield Suspect(threshold.label, row.tensor, value, len(beyond))


def _cell(row: Row, column: str) -> float:
    try:
        return float(row.columns.get(column, "nan"))
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


def _broken(limit: Limit, measured: Sequence[Row]) -> Broken:
    rows = [row for row in measured if limit.broken_by(row)]
    sign = 1 if limit.metric.higher_is_better else -1

    def rank(row: Row) -> float:
        value = row.values[limit.metric.key]
        return -math.inf if math.isnan(value) else sign * value

    return Broken(limit, len(rows), min(rows, key=rank).tensor if rows else "")
