"""Changes between two runs at each tensor and node of a graph: what is better, and what is worse.

The change of a metric is told in its own sense: a difference in decibels of what is measured in decibels, the ratio in
decibels of an error that has no size of its own, and else a plain difference. What is no number in one of the runs is
as much better or worse as can be. Where both runs are far better than matters, they are the same: noise of
1e-9 that became 1e-8 is no news.
"""

from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, frozen
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import FLOOR, Scale, are_limits
from errorflow.compare.placed import Measured, order_of

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings, Limits

Floats = NDArray[np.float64]
SQNR: Scale = next(metric for metric in METRICS if metric.key == "sqnr")
# A change of so much, in decibels, is one bit; from the part of it on that is told, others than noise can be meant.
BIT, TOLD = 6.0, 1 / 6
# Below the good limit by twice what lies between the limits, a number is too good for its changes to count.
UNNOTICED = -2.0
# Of what is no ratio, this part of the way between its limits is as far as it goes at first.
_PART = 0.2
# What stands before a metric's key, and the least part of the usual way that limits may lie apart from 0.
_KEY, _LEAST = "change_", 0.02


class Turn(IntEnum):
    """Turn of a node between two runs: better, worse or the same."""

    BETTER = -1
    SAME = 0
    WORSE = 1

    @property
    def word(self) -> str:
        return self.name.lower()


def change_scale(metric: Scale) -> Scale:
    """Makes the scale of a metric's change: its limits lie as far from 0 on both sides."""
    is_ratio = _is_ratio(metric)
    far = BIT if is_ratio or metric.unit == SQNR.unit else _PART * abs(metric.bad - metric.good)
    good = far if metric.higher_is_better else -far
    what = "20 · log₁₀(now / before)" if is_ratio else "now − before"
    return Scale(
        key=f"{_KEY}{metric.key}",
        label=f"change of {metric.label}",
        formula=f"{what} of {metric.formula}",
        higher_is_better=metric.higher_is_better,
        best=0.0,
        good=good,
        bad=-good,
        scale="linear",
        decimals=2 if is_ratio else metric.decimals,
        misleads="Two runs that are both good differ a lot where both are far below what anybody notices.",
        unit=SQNR.unit if is_ratio else metric.unit,
    )


def even(scale: Scale, limits: tuple[float, float]) -> tuple[float, float]:
    """Limits of a change after one was moved: the other one goes as far to the other side."""
    sign = 1 if scale.higher_is_better else -1
    far = sign * limits[0] if limits[0] != scale.good else -sign * limits[1]
    far = max(far, _LEAST * abs(scale.good))
    return sign * far, -sign * far


def changes_of(metric: Scale, now: Floats, before: Floats) -> Floats:
    """Subtracts values that were measured in both runs."""
    broken, was_broken = np.isnan(now), np.isnan(before)
    worse = -np.inf if metric.higher_is_better else np.inf
    with np.errstate(all="ignore"):
        if _is_ratio(metric):
            found = 20 * (np.log10(np.maximum(np.abs(now), FLOOR)) - np.log10(np.maximum(np.abs(before), FLOOR)))
        else:
            found = now - before
    if _is_ratio(metric):
        # Nothing is left of it, or it came out of nothing.
        found = np.where(now == 0, -np.inf, np.where(before == 0, np.inf, found))
    found = np.where((now == before) | (broken & was_broken), 0.0, found)
    return np.where(broken & ~was_broken, worse, np.where(was_broken & ~broken, -worse, found))


@dataclass(frozen=True, eq=False)
class MetricChange:
    """One metric of two runs; arrays have an entry per tensor or per node of the graph."""

    now: "Findings"
    before: "Findings"
    # The metric itself, and how its change is read.
    metric: Scale
    scale: Scale

    @classmethod
    def of(cls, findings: "Findings", key: str, limits: "Limits") -> "MetricChange | None":
        """Makes a change; None: there is no other run, or it was not measured by that metric."""
        metric, before = findings.scale(key, limits), findings.against
        if metric is None or before is None or all(scale.key != metric.key for scale in before.scales):
            return None
        own = change_scale(metric)
        good, bad = limits.get(own.key, (own.good, own.bad))
        scale = replace(own, good=good, bad=bad) if are_limits(own, good, bad) and good == -bad else own
        return cls(findings, before, metric, scale)

    @property
    def title(self) -> str:
        """Title: which run is against which."""
        return f"{self.now.name} against {self.before.name}"

    @cached_property
    def measured(self) -> Measured:
        """Measurements per tensor."""
        now, before = self.now.measured(self.metric), self.before.measured(self.metric)
        known = frozen(np.flatnonzero((now.places > -np.inf) & (before.places > -np.inf)))
        values = np.full(len(now.values), np.nan)
        values[known] = changes_of(self.metric, now.values[known], before.values[known])
        order = order_of(self.scale, values, known)
        order[known[(now.places[known] <= UNNOTICED) & (before.places[known] <= UNNOTICED)]] = _SAME
        return Measured(self.scale, values, order, now.notes, self.title)

    @cached_property
    def ranks(self) -> Floats:
        """Ranks per tensor, the higher the more to be looked at: what is worse before what is better before what is
        the same.

        Where nothing was measured, -inf.
        """
        return ranked(self.measured.places)

    @cached_property
    def nodes(self) -> tuple[Ints, Floats]:
        """Tensors that each node makes with the most to be looked at, and their changes; -1 and NaN: none."""
        made, order = self.now.graph.node_outputs, np.append(self.ranks, -np.inf)
        owners, tensors = made.owners(), made.values
        top = np.full(len(self.now.graph), -np.inf)
        np.maximum.at(top, owners, order[tensors])
        hits = np.flatnonzero((order[tensors] == top[owners]) & (order[tensors] > -np.inf))[::-1]
        found = np.full(len(self.now.graph), -1, np.int32)
        found[owners[hits]] = tensors[hits]  # of equals the last one stays, which is the first
        return found, np.append(self.measured.values, np.nan)[found]

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """Signs per node: 1 where it is worse, -1 where it is better, and 0 where that is not worth a word."""
        return signs_of(np.append(self.measured.places, -np.inf)[self.nodes[0]])

    @cached_property
    def most_first(self) -> Ints:
        """The nodes that are not the same: the worst first, behind them what is better, most of all first."""
        places = np.append(self.ranks, -np.inf)[self.nodes[0]]
        order = np.argsort(self.now.depths, kind="stable")
        order = order[self.signs[order] != 0]
        found: Ints = order[np.argsort(-places[order], kind="stable")].astype(np.int32)
        return found

    @property
    def told_from(self) -> str:
        """The change from which on something is better or worse."""
        return self.scale.limit(abs(self.scale.bad) * TOLD)

    def query(self, turn: Turn) -> str:
        """Writes the query that finds the nodes that became better or worse; "": no search knows a change of this
        metric.
        """
        if self.metric.key not in (SQNR.key, "relative_l2"):
            return ""
        # A search asks for decibels of SQNR, of which the relative error is the other side.
        sign, far = ("<-" if turn == Turn.WORSE else ">"), abs(self.scale.bad) * TOLD
        return f"change{sign[0]}={sign[1:]}{far:.6g}"

    def text(self, value: float) -> str:
        """A change as tables show it, with its sign."""
        return signed(self.scale.text(value), value)

    def told(self, tensor: int) -> str:
        """Writes both numbers and the change; "": not measured."""
        measured = self.measured
        if not measured.places[tensor] > -np.inf:
            return ""
        now, before = (
            self.metric.text(float(run.measured(self.metric).values[tensor])) for run in (self.now, self.before)
        )
        return f"{self.metric.label} {now}, before {before}: {self.text(float(measured.values[tensor]))}"


def signed(text: str, value: float) -> str:
    """A difference says which way it goes."""
    return f"+{text}" if value > 0 else text


# Between the limits of a change.
_SAME = 0.5
# Above all that is the same, and above all that is better.
_BETTER, _WORSE = 1e8, 1e9


def ranked(places: Floats) -> Floats:
    """0.5 is the same, 0 and 1 are the limits; beyond them a place lies as well."""
    away = np.abs(places - _SAME)
    signs = signs_of(places)
    floor = np.where(signs > 0, _WORSE, np.where(signs < 0, _BETTER, 0.0))
    found: Floats = np.where(places == -np.inf, -np.inf, floor + away)
    return found


def signs_of(places: Floats) -> NDArray[np.int8]:
    """1 from a part of the limit on, where it is worse; -1 better."""
    away = np.where(places == -np.inf, 0.0, places - _SAME)
    # What lies on the line counts, however its last digit was rounded.
    told = np.abs(away) >= TOLD / 2 - 1e-9
    return np.where(told, np.sign(away), 0).astype(np.int8)


def sqnr_changes(findings: "Findings") -> Floats:
    """Finds changes per node in decibels, whatever is on view, as a search needs them. NaN where that is not known."""
    change = MetricChange.of(findings, SQNR.key, {})
    unknown = np.full(len(findings.graph), np.nan)
    return unknown if change is None or change.metric.key != SQNR.key else change.nodes[1]


def _is_ratio(metric: Scale) -> bool:
    return metric.scale == "log" and metric.best == 0
