"""Two runs of a model in lines: a tensor each, what became worst first."""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

import numpy as np

from errorflow.base import UsageError, dataclass
from errorflow.case.regression.carried import Carried
from errorflow.compare.metrics.metric import Scale, distance
from errorflow.compare.metrics.states import State
from errorflow.compare.states import state_bits
from errorflow.explain.blame.model import Blame
from errorflow.explain.findings.change import UNNOTICED, MetricChange, Turn, signs_of
from errorflow.explain.findings.model import Findings, Limits
from errorflow.explain.findings.texts import title_of
from errorflow.graph.build import counted
from errorflow.graph.model import Graph

Kind = Literal["worse", "better", "gone", "new", "same"]


@dataclass(frozen=True, slots=True)
class LineWords:
    """`label` is one such line, `many` how a count of them goes on; `why` what it means."""

    label: str
    many: str
    why: str


# In the order of what is to be seen first.
KINDS: Mapping[Kind, LineWords] = {
    "worse": LineWords("worse", "worse", "The number is worse than before by more than noise."),
    "gone": LineWords("not measured any more", "not measured any more", "It was measured before and is not now."),
    "better": LineWords("better", "better", "The number is better than before by more than noise."),
    "new": LineWords("newly measured", "newly measured", "It is measured now and was not before."),
    "same": LineWords("the same", "the same", "The number moved by no more than noise, or is too good to matter."),
}
_ORDER = {kind: place for place, kind in enumerate(KINDS)}
_BROKEN = State.NAN | State.INF | State.OVERFLOW


@dataclass(frozen=True, slots=True)
class RegressionLine:
    """One tensor in both runs. Numbers are NaN where nothing was measured, and where the value is none."""

    # Of the graph on view, as the node that makes it; -1: it has none any more.
    tensor: int
    node: int
    name: str
    op_type: str
    kind: Kind
    before: float
    now: float
    # By how much, in the sense of `MetricChange`, and by how much of the way between the limits of the metric.
    change: float
    rise: float
    verdict_before: str
    verdict_now: str
    # What else is to be said, such as a state that came or a name that changed.
    notes: tuple[str, ...] = ()
    # One of the model's outputs.
    is_output: bool = False
    # Values that are no numbers came up.
    broke: bool = False


@dataclass(frozen=True, eq=False)
class Since:
    """Changes of each tensor since another run, by one metric."""

    change: MetricChange
    lines: tuple[RegressionLine, ...]

    @classmethod
    def of(cls, findings: Findings, key: str, limits: Limits) -> "Since":
        """`findings` must have another run beside them (`Findings.beside`)."""
        before = findings.against
        change = MetricChange.of(findings, key, limits)
        if before is not None and not before.scales:
            raise UsageError("The two have no tensor in common.", "Check that both are of the same model.")
        if before is None or change is None:
            raise UsageError("The two have no metric in common.", "Choose another one that both were measured by.")
        if before.comparison.measure != findings.comparison.measure:
            raise UsageError(
                f"One was measured {before.comparison.measure}, the other {findings.comparison.measure}.",
                "These are different measures: compare two of the same kind.",
            )
        return cls(change, tuple(sorted(_Lines(change).all(), key=_place)))

    @cached_property
    def counts(self) -> Mapping[Kind, int]:
        kinds = [line.kind for line in self.lines]
        return {kind: kinds.count(kind) for kind in KINDS}


def _place(line: RegressionLine) -> tuple[float, ...]:
    """Sort key: what crossed most of the way between the limits comes first, then what changed most."""
    sign = -1.0 if line.kind == "worse" else 1.0
    change = 0.0 if math.isnan(line.change) else abs(line.change)
    return (_ORDER[line.kind], sign * (line.rise if not math.isnan(line.rise) else 0.0), -change)


class _Lines:
    """Makes the lines of a change."""

    def __init__(self, change: MetricChange) -> None:
        self._change = change
        self._graph: Graph = change.now.graph
        self._now, self._before = (run.measured(change.metric) for run in (change.now, change.before))
        self._outputs = frozenset(self._graph.outputs.tolist())
        other = change.before
        self._carried = other if isinstance(other, Carried) else None

    def all(self) -> Iterator[RegressionLine]:
        is_now, was = self._now.places > -np.inf, self._before.places > -np.inf
        signs = signs_of(self._change.measured.places)
        told = np.zeros(len(is_now), bool)
        forms = frozenset[int]() if self._carried is None else self._carried.forms
        there = [tensor for tensor in self._change.before.placed.about if not is_now[tensor] and tensor not in forms]
        told[[*self._change.now.placed.about, *there]] = True
        for tensor in np.flatnonzero((is_now | was) & told).tolist():
            yield self._line(tensor, bool(was[tensor]), bool(is_now[tensor]), int(signs[tensor]))
        yield from self._gone()

    def _line(self, tensor: int, was: bool, is_now: bool, sign: int) -> RegressionLine:
        came, went = self._states(tensor)
        broke = bool(came & _BROKEN)
        kind: Kind = "new" if not was else "gone" if not is_now else _KIND_OF[Turn(sign)]
        if kind == "same" and broke:
            kind = "worse"
        node = int(self._graph.producers[tensor])
        before, now = float(self._before.values[tensor]), float(self._now.values[tensor])
        return RegressionLine(
            tensor,
            node,
            self._graph.tensor_names[tensor],
            self._graph.op_types[node] if node >= 0 else "",
            kind,
            before,
            now,
            float(self._change.measured.values[tensor]),
            self._rise(tensor) if was and is_now else math.nan,
            self._was(node),
            self._is(node),
            tuple(self._notes(tensor, kind, came, went)),
            tensor in self._outputs,
            broke,
        )

    def _rise(self, tensor: int) -> float:
        """Measures which part of the way between the limits the tensor went towards the bad end."""
        now, before = (float(np.clip(run.places[tensor], 0.0, 1.0)) for run in (self._now, self._before))
        return now - before

    def _states(self, tensor: int) -> tuple[State, State]:
        """Names the states that came, and those that went."""
        now, before = (
            State(0 if (number := run.row(tensor)) is None else state_bits(run.comparison.rows[number]))
            for run in (self._change.now, self._change.before)
        )
        gaps = State.MISSING | State.INCOMPARABLE
        return now & ~before & ~gaps, before & ~now & ~gaps

    def _notes(self, tensor: int, kind: Kind, came: State, went: State) -> Iterator[str]:
        if kind == "gone":
            why = self._now.notes.get(tensor, "")
            yield f"not measured now: {why}" if why else "not measured now"
        elif kind != "new":
            yield from (f"now {state.words}" for state in State if state & came)
            yield from (f"no longer {state.words}" for state in State if state & went)
        if self._carried is not None and tensor in self._carried.renamed:
            yield f"called {self._carried.renamed[tensor]} before"

    def _was(self, node: int) -> str:
        if node < 0:
            return ""
        if self._carried is not None:
            return self._carried.was(node)
        blame = self._change.before.blame
        return "" if blame is None else blame.word(node)

    def _is(self, node: int) -> str:
        blame = self._change.now.blame
        return "" if blame is None or node < 0 else blame.word(node)

    def _gone(self) -> Iterator[RegressionLine]:
        """Yields the tensors that the model has no more."""
        if self._carried is None or self._carried.home is None:
            return
        home, key = self._carried.home, self._change.metric.key
        for each in self._carried.gone:
            if key not in each.row.values:
                continue
            kind = home.graph.op_types[each.node] if each.node >= 0 else ""
            verdict = "" if home.blame is None or each.node < 0 else home.blame.word(each.node)
            value = each.row.value(key)
            note = ("the model has no such tensor any more",)
            yield RegressionLine(
                -1, -1, each.name, kind, "gone", value, math.nan, math.nan, math.nan, verdict, "", note
            )


_KIND_OF: Mapping[Turn, Kind] = {Turn.WORSE: "worse", Turn.BETTER: "better", Turn.SAME: "same"}


def unnoticed(metric: Scale) -> str:
    """Number from where on a value is too good for its changes to count; "": there is no such number."""
    good, bad = distance(metric, metric.good), distance(metric, metric.bad)
    far = good + UNNOTICED * (bad - good)
    if metric.scale == "linear":
        beyond = far > metric.best if metric.higher_is_better else far < metric.best
        return "" if beyond else metric.limit(far)
    sign = -1.0 if metric.higher_is_better else 1.0
    return metric.limit(metric.best + sign * 10.0**far)


# Sentences about the changes of a model since another run.

# Outputs that are told one by one.
MOST_OUTPUTS = 8
# With a smaller part of what was measured before in both, something is wrong.
_COMMON = 0.5


def counts_text(since: Since) -> str:
    """Says how many tensors became what."""
    counts = since.counts
    if not counts["worse"] and not counts["better"]:
        head = f"No tensor got worse or better, {counts['same']:,} the same"
    else:
        worse = f"{counted(counts['worse'], 'tensor', 'tensors')} got worse"
        head = f"{worse}, {counts['better']:,} better, {counts['same']:,} the same"
    more = [f"{counts[kind]:,} {KINDS[kind].many}" for kind in ("gone", "new") if counts[kind]]
    return f"{', '.join([head, *more])}."


def doubt_text(since: Since) -> str:
    """Whether the two look like different models; "": they do not."""
    counts = since.counts
    both, before = sum(counts[kind] for kind in ("worse", "better", "same")), counts["gone"]
    if both >= _COMMON * (both + before):
        return ""
    return f"Only {both:,} of {both + before:,} tensors measured before are measured now: is it the same model?"


def tolerance_text(since: Since) -> str:
    """Says what counts as the same."""
    change, metric = since.change, since.change.metric
    floor = unnoticed(metric)
    side = "above" if metric.higher_is_better else "below"
    both = f", or it is {side} {floor} in both" if floor else ""
    return f"The same means that {metric.label} moved by less than {change.told_from}{both}."


def verdict_text(since: Since) -> str:
    """Says which verdict became which; "" where one of them is unknown."""
    now, before = since.change.now.blame, blame_before(since.change.before)
    if now is None or before is None or "nothing" in (now.model.kind, before.model.kind):
        return ""
    changed = verdict_change_text(now, before)
    return f"{changed}." if changed else f"Verdict: {now.model.kind}{_at(now)}, as before."


def verdict_change_text(now: Blame | None, before: Blame | None) -> str:
    """The same where it is another one; "": it is not."""
    if now is None or before is None or "nothing" in (now.model.kind, before.model.kind):
        return ""
    ours, others = (f"{blame.model.kind}{_at(blame)}" for blame in (now, before))
    return "" if ours == others else f"Verdict: {others} → {ours}"


def blame_before(before: Findings) -> Blame | None:
    """The verdicts of the other run, on the graph that it was found on."""
    if isinstance(before, Carried):
        return None if before.home is None else before.home.blame
    return before.blame


def output_texts(since: Since) -> Iterator[str]:
    """A line for each output of the model, in its order."""
    by_tensor = {line.tensor: line for line in since.lines if line.is_output}
    outputs = [tensor for tensor in since.change.now.graph.outputs.tolist() if tensor in by_tensor]
    for tensor in outputs[:MOST_OUTPUTS]:
        line = by_tensor[tensor]
        yield f"{line.name}: {since.change.metric.label} {numbers_text(since, line)}"
    if len(outputs) > MOST_OUTPUTS:
        yield f"… and {len(outputs) - MOST_OUTPUTS:,} more outputs"


def numbers_text(since: Since, line: RegressionLine) -> str:
    """Writes the numbers: before → now."""
    return pair_text(since.change.metric, line)


def pair_text(metric: Scale, line: RegressionLine) -> str:
    before, now = metric.text(line.before), metric.text(line.now)
    if line.kind == "new":
        return f"not measured → {now}"
    return f"{before} → not measured" if line.kind == "gone" else f"{before} → {now}"


def change_text(since: Since, line: RegressionLine) -> str:
    """Writes the change with its sign; "": it was not measured in both."""
    return "" if line.kind in ("new", "gone") else since.change.text(line.change)


def verdicts_text(line: RegressionLine) -> str:
    """Writes the verdict before and now; one word where it stayed."""
    if line.verdict_before == line.verdict_now or not line.verdict_before:
        return line.verdict_now
    return f"{line.verdict_before} → {line.verdict_now}" if line.verdict_now else line.verdict_before


def summary_lines(since: Since) -> list[str]:
    """Lines of the summary, the most important first."""
    lines = [counts_text(since), doubt_text(since), verdict_text(since), *output_texts(since), tolerance_text(since)]
    return [line for line in lines if line]


def _at(blame: Blame) -> str:
    top = blame.model.top
    who = blame.model.named or (title_of(blame.graph, top[0].node) if top else "")  # tickets of before do not say it
    return f" at {who}" if blame.model.kind == "node error" and who else ""
