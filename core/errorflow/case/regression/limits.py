"""Limits that a build server holds two sessions to, and the tensors that break them.

A limit is `[output:]METRIC[:drop|:always]=NUMBER`, or a count: `worse=N`, `nan=N` or `gone=N`, where N may be a share
such as 1%. Without a further word it is broken by what is beyond it now and was not before; `always` also by what was
beyond it before, `drop` by what went that far towards the bad end. All of it: docs/how-to/compare-two-sessions.md.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from errorflow.base import UsageError, dataclass
from errorflow.case.regression.lines import RegressionLine, Since, pair_text
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.explain.findings.model import Findings, Limits
from errorflow.graph.build import counted

Kind = Literal["value", "drop", "always", "worse", "nan", "gone"]
_COUNTS: tuple[Kind, ...] = ("worse", "nan", "gone")
_FORM = re.compile(r"(?P<output>output:)?(?P<key>[A-Za-z_]\w*)(?::(?P<how>\w+))?=(?P<number>[^%]+)(?P<share>%)?")
_HINT = "Write cosine=0.99, cosine:drop=0.001, cosine:always=0.98, output:sqnr=20, worse=1%, nan=0 or gone=0."
_WORDS = {"worse": "got worse", "nan": "turned NaN or infinite", "gone": "not measured any more"}
# Tensors that one line names.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class RegressionLimit:
    # As it was written.
    text: str
    kind: Kind
    number: float
    # None: a count.
    metric: Scale | None = None
    # The number is a share (0…1) of what was measured in both.
    is_share: bool = False
    # Of the model's outputs alone.
    of_outputs: bool = False


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """One tensor or count that a limit was asked of; `broken` and `skipped` say why, "" where it is not so."""

    name: str
    numbers: str = ""
    broken: str = ""
    skipped: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """A limit, and what it was asked of."""

    limit: RegressionLimit
    cases: tuple[LimitCheck, ...]

    @property
    def broken(self) -> tuple[LimitCheck, ...]:
        return tuple(case for case in self.cases if case.broken)

    @property
    def text(self) -> str:
        """Limit and answer in one line."""
        broken = self.broken
        if not broken:
            asked = sum(not case.skipped for case in self.cases)
            return f"limit {self.limit.text} holds for {asked:,} of {len(self.cases):,}"
        named = ", ".join(f"{case.name} {case.numbers}".strip() for case in broken[:_NAMED])
        more = f" and {len(broken) - _NAMED:,} more" if len(broken) > _NAMED else ""
        if self.limit.metric is None:
            return f"limit {self.limit.text} is broken: {broken[0].broken}"
        return f"limit {self.limit.text} is broken by {counted(len(broken), 'tensor', 'tensors')}: {named}{more}"


def parse_limit(text: str) -> RegressionLimit:
    """Raises a `UsageError` that says what is wrong with it."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no limit.", _HINT)
    number, key, how = _number(text, found["number"]), found["key"].lower(), found["how"]
    if key in _COUNTS:
        return _count(text, key, number, found)
    if found["share"]:
        raise UsageError(f"{text!r} is no limit: only counts are given in percent.", _HINT)
    metric = metric_of(key)
    if how not in (None, "drop", "always"):
        raise UsageError(f"{how!r} in {text!r} is neither drop nor always.", _HINT)
    if how == "drop" and number < 0:
        raise UsageError(f"{text!r} is no limit: what is lost is no less than 0.", _HINT)
    kind: Kind = "drop" if how == "drop" else "always" if how == "always" else "value"
    return RegressionLimit(text.strip(), kind, number, metric, of_outputs=bool(found["output"]))


def metric_of(key: str) -> Scale:
    """Finds a metric by its key or its short name."""
    found = next((scale for scale in MEASURES if key in (scale.key, scale.short)), None)
    if found is None:
        raise UsageError(f"There is no metric {key}.", f"There are: {', '.join(scale.key for scale in MEASURES)}.")
    return found


def _number(text: str, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{number!r} in {text!r} is no number.", _HINT)
    return value


def _count(text: str, key: str, number: float, found: re.Match[str]) -> RegressionLimit:
    share = bool(found["share"])
    kind = next(each for each in _COUNTS if each == key)
    if found["how"]:
        raise UsageError(f"{text!r} is no limit: counts have neither drop nor always.", _HINT)
    if number < 0 or (share and number > 100) or (not share and number != int(number)):
        raise UsageError(f"{text!r} is no limit: {number:g} counts nothing.", "Give a whole number, or a share: 1%.")
    return RegressionLimit(text.strip(), kind, number / 100 if share else number, None, share, bool(found["output"]))


def held(findings: Findings, limits: Sequence[RegressionLimit], since: Since, moved: Limits) -> tuple[Held, ...]:
    """Each limit with what it was asked of. Counts of what got worse go by the metric of `since`."""
    found = []
    for limit in limits:
        by = since if limit.metric is None else since_by(findings, limit.metric, moved)
        lines = [line for line in by.lines if not limit.of_outputs or line.is_output]
        _check_asked(limit, lines)
        cases = (_counted(limit, since, lines),) if limit.metric is None else _cases(limit, limit.metric, lines)
        found.append(Held(limit, tuple(cases)))
    return tuple(found)


def _check_asked(limit: RegressionLimit, lines: Sequence[RegressionLine]) -> None:
    """A limit that holds because there is nothing to hold would let everything pass."""
    unfit = ("gone", "new") if limit.kind == "drop" else ("gone",)
    if limit.metric is None and not limit.of_outputs:
        return
    if not lines and limit.of_outputs:
        raise UsageError(
            f"The limit {limit.text} cannot be asked: no output of the model was measured as far as anybody knows.",
            "A table does not say what an output is, a session with the model does: write both sides with "
            "`errorflow compare … --model MODEL --session FILE.errorflow`, and dump the outputs.",
        )
    if not lines:
        raise UsageError(
            f"The limit {limit.text} cannot be asked: nothing was measured.",
            "Compare sessions with the model, and dump its outputs.",
        )
    if all(line.kind in unfit for line in lines) and limit.kind != "gone":
        raise UsageError(
            f"The limit {limit.text} cannot be asked: the two have no tensor in common.",
            "Check that both are of the same model, and that both have dumps.",
        )


def since_by(findings: Findings, metric: Scale, moved: Limits) -> Since:
    """Compares by exactly that metric."""
    found = Since.of(findings, metric.key, moved)
    if found.change.metric.key != metric.key:
        known = {scale.key for scale in findings.against.scales} if findings.against is not None else set()
        both = ", ".join(scale.key for scale in findings.scales if scale.key in known)
        raise UsageError(f"{metric.label} was not measured in both.", f"In both there are: {both}.")
    return found


def _counted(limit: RegressionLimit, since: Since, lines: Sequence[RegressionLine]) -> LimitCheck:
    hits = [line for line in lines if _counts(limit.kind, line)]
    both = sum(line.kind not in ("new", "gone") for line in lines)
    most = limit.number * both if limit.is_share else limit.number
    told = tuple(f"{line.name} {pair_text(since.change.metric, line)}" for line in hits)
    what = f"{counted(len(hits), 'tensor', 'tensors')} {_WORDS[limit.kind]}"
    allowed = f"{limit.number:.4g}".rstrip() if not limit.is_share else f"{100 * limit.number:g} % of {both:,}"
    broken = f"{what}, where {allowed} may" if len(hits) > most else ""
    return LimitCheck(limit.text, what, broken, details=told)


def _counts(kind: Kind, line: RegressionLine) -> bool:
    if kind == "nan":
        return line.broke
    return line.kind == kind


def _cases(limit: RegressionLimit, metric: Scale, lines: Sequence[RegressionLine]) -> Iterator[LimitCheck]:
    for line in lines:
        numbers = pair_text(metric, line)
        broken, skipped = _asked(limit, metric, line)
        yield LimitCheck(line.name, numbers, broken, skipped, line.notes)


def _asked(limit: RegressionLimit, metric: Scale, line: RegressionLine) -> tuple[str, str]:
    """Says why the limit is broken, and why it could not be asked."""
    if line.kind == "gone":
        return "", "; ".join(line.notes) if line.notes else "not measured any more"
    bad = _is_beyond(metric, line.now, limit.number)
    if limit.kind == "always":
        return (_beyond(metric, line, limit) if bad else ""), ""
    if limit.kind == "drop":
        if line.kind == "new":
            return "", "newly measured"
        lost = _lost(metric, line)
        why = f"{pair_text(metric, line)}: worse by {metric.text(lost)}, more than {metric.limit(limit.number)}"
        return (why if lost > limit.number else ""), ""
    if bad and line.kind != "new" and _is_beyond(metric, line.before, limit.number):
        return "", f"was beyond {metric.limit(limit.number)} before"
    return (_beyond(metric, line, limit) if bad else ""), ""


def _beyond(metric: Scale, line: RegressionLine, limit: RegressionLimit) -> str:
    return f"{pair_text(metric, line)}: beyond {metric.limit(limit.number)}"


def _is_beyond(metric: Scale, value: float, limit: float) -> bool:
    """NaN is beyond any limit."""
    return not (value >= limit if metric.higher_is_better else value <= limit)


def _lost(metric: Scale, line: RegressionLine) -> float:
    """Measures how far the tensor went towards the bad end, in the metric's own unit."""
    if math.isnan(line.now) or line.now == line.before:
        return math.inf if math.isnan(line.now) and not math.isnan(line.before) else 0.0
    lost = line.before - line.now if metric.higher_is_better else line.now - line.before
    return 0.0 if math.isnan(lost) else lost
