"""A metric along the depth of a model, as curves: one per run, each with an entry per place in the order of running."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, said, say
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale, places
from errorflow.compare.model import Comparison
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import Findings, Limits, State, states_of, with_limits

Floats = NDArray[np.float64]
# What blame says of nodes is relative to the size of the reference's tensor.
RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")
ACCUMULATED, INTRODUCED = "accumulated", "introduced"
# Higher or lower than that nobody tells apart.
_FAR = 1e6
# What stands at the upper edge, for no height is high enough for it, and what the line has gaps for.
STRANGE = State.NAN | State.INF | State.OVERFLOW
_TOLD = STRANGE | State.SATURATED | State.ZERO | State.CONSTANT | State.FLIPPED
# In a run of tensors, what operators of an NPU read.
_INPUT = ":input:"


@dataclass(frozen=True, eq=False)
class ProfileCurve:
    """One metric of one run, by place."""

    scale: Scale
    values: Floats
    # Whether there is a value at all; it may be NaN.
    measured: NDArray[np.bool_]
    # Whose run it is; "": there is only one.
    name: str = ""
    measure: str = ACCUMULATED
    # 0 at the good limit, 1 at the bad one, and beyond them; NaN where there is nothing to draw.
    heights: Floats = field(init=False)

    def __post_init__(self) -> None:
        with np.errstate(invalid="ignore"):
            heights = np.clip(places(self.scale, self.values), -_FAR, _FAR)
        object.__setattr__(self, "heights", np.where(self.measured, heights, np.nan))

    @property
    def title(self) -> str:
        """Title for a legend."""
        what = say(f"{self.measure} · {self.scale.label}")
        return say("{}: {}", said(self.name), what) if self.name else what

    def text(self, place: int) -> str:
        """Text on a place; "": nothing."""
        return (
            say("{} {}", said(self.title), self.scale.text(float(self.values[place]))) if self.measured[place] else ""
        )


@dataclass(frozen=True, eq=False)
class Profile:
    """Curves over the same places, and what else is known of these. Other runs follow the first one."""

    curves: tuple[ProfileCurve, ...]
    # None: nobody knows what nodes add themselves.
    introduced: ProfileCurve | None
    # By place: the node of the graph (or the row of a comparison), its verdict, and its `State` bits.
    nodes: Ints
    verdicts: NDArray[np.int8]
    states: NDArray[np.uint16]
    # Name and type of what stands at a place.
    titles: Callable[[int], tuple[str, str]]

    @classmethod
    def of(cls, series: Sequence[tuple[str, Findings]], key: str, limits: Limits) -> "Profile | None":
        """Makes the profile by node, in the order of running of the first one's graph; others find their nodes there
        by name.

        None: the first one measured nothing.
        """
        first = series[0][1]
        scale = first.scale(key, limits)
        if scale is None:
            return None
        nodes = np.argsort(first.depths, kind="stable").astype(np.int32)
        curves = tuple(_curve(scale, name if len(series) > 1 else "", first, each, nodes) for name, each in series)
        blame, graph = first.blame, first.graph
        introduced = None
        verdicts = np.zeros(len(nodes), np.int8)
        if blame is not None:
            values, verdicts = blame.introduced[nodes], blame.verdicts[nodes]
            introduced = ProfileCurve(with_limits(RELATIVE, limits), values, ~np.isnan(values), measure=INTRODUCED)

        def titles(place: int) -> tuple[str, str]:
            node = int(nodes[place])
            return graph.node_names[node], graph.op_types[node]

        return cls(curves, introduced, nodes, verdicts, first.node_states[nodes], titles)

    @classmethod
    def of_rows(cls, named: Sequence[tuple[str, Comparison]], key: str, limits: Limits) -> "Profile | None":
        """Makes the profile by row of the first comparison, where there is no graph: a match is in the order of the
        model.
        """
        comparison = named[0][1]
        numbers = [number for number, row in enumerate(comparison.rows) if _INPUT not in row.tensor]
        known = {each for number in numbers for each in comparison.rows[number].values}
        found = [metric for metric in METRICS if metric.key in known]
        if not found:
            return None
        scale = with_limits(next((metric for metric in found if metric.key == key), found[0]), limits)
        names = [comparison.rows[number].tensor for number in numbers]
        curves = tuple(_row_curve(scale, name if len(named) > 1 else "", each, names) for name, each in named)
        rows = comparison.rows
        states = np.array([states_of(rows[number]) for number in numbers], np.uint16)

        def titles(place: int) -> tuple[str, str]:
            row = rows[numbers[place]]
            return row.tensor, row.op_type

        nothing = np.zeros(len(numbers), np.int8)
        return cls(curves, None, np.array(numbers, np.int32), nothing, states, titles)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def scale(self) -> Scale:
        return self.curves[0].scale

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Places where the first run was measured."""
        return self.curves[0].measured

    @property
    def strange(self) -> NDArray[np.bool_]:
        """Places where something is that no height is high enough for."""
        first = self.curves[0]
        beyond = first.measured & (np.isnan(first.values) | (first.heights >= _FAR))
        found: NDArray[np.bool_] = beyond | ((self.states & STRANGE) != 0)
        return found

    def bounds(self) -> tuple[float, float]:
        """The lowest and highest of all curves that a number can be put to, both limits included."""
        curves = [*self.curves, *([] if self.introduced is None else [self.introduced])]
        found = [curve.heights[np.abs(curve.heights) < _FAR] for curve in curves]
        every = np.concatenate([*found, [0.0, 1.0]])
        return float(every.min()), float(every.max())

    def worst(self, first: int, last: int) -> int | None:
        """Finds the worst measured place of these (the last one included); of equals the first."""
        first, last = max(first, 0), min(last, len(self) - 1)
        if first > last or not self.measured[first : last + 1].any():
            return None
        heights = np.where(self.strange[first : last + 1], np.inf, self.curves[0].heights[first : last + 1])
        highest = np.flatnonzero(heights == np.nanmax(heights))
        # Far below the limits, values that differ are of one height.
        away = np.abs(self.curves[0].values[first + highest] - self.scale.best)
        return first + int(highest[np.argmax(np.where(np.isfinite(away), away, np.inf))])

    def beside(self, place: int, step: int) -> int | None:
        """The next (1) or previous (-1) measured place; None: there is none. `place` may lie before or behind all."""
        known = np.flatnonzero(self.measured)
        at = int(np.searchsorted(known, place, side="right")) if step > 0 else int(np.searchsorted(known, place)) - 1
        return int(known[at]) if 0 <= at < len(known) else None

    def nearest(self, place: float, reach: float) -> int | None:
        """The measured place that lies nearest, within reach."""
        sides = (self.beside(int(np.ceil(place)) - 1, 1), self.beside(int(np.floor(place)) + 1, -1))
        found = [side for side in sides if side is not None and abs(side - place) <= reach]
        return min(found, key=lambda side: abs(side - place), default=None)

    def lines(self, place: int) -> Iterator[str]:
        """Yields all that is known of a place, for a tooltip: name, type and depth, each curve, verdict, states."""
        name, op_type = self.titles(place)
        yield name if name else say("(no name)")
        yield say("{} · depth {}", op_type, f"{place:,}") if op_type else say("depth {}", f"{place:,}")
        told = [curve.text(place) for curve in self.curves]
        yield from (text for text in told if text)
        if not any(told):
            yield say("not measured")
        added = "" if self.introduced is None else self.introduced.text(place)
        if added:
            yield added
        verdict = Verdict(int(self.verdicts[place]))
        if verdict > Verdict.CLEAN:
            yield verdict.word
        states = [state.words for state in State if self.states[place] & state & _TOLD]
        if states:
            yield joined(", ", map(say, states))

    def brief(self, place: int) -> Iterator[str]:
        """The same in few words, where a legend says what is measured."""
        name, op_type = self.titles(place)
        yield name if name else say("(no name)")
        if op_type:
            yield op_type
        for curve in self.curves:
            if curve.measured[place]:
                value = curve.scale.text(float(curve.values[place]))
                yield say("{} {}", said(curve.name), value) if curve.name else value
        if self.introduced is not None and self.introduced.measured[place]:
            yield say("{} {}", say(INTRODUCED), self.introduced.scale.text(float(self.introduced.values[place])))
        verdict = Verdict(int(self.verdicts[place]))
        if verdict > Verdict.CLEAN:
            yield verdict.word


def _curve(scale: Scale, name: str, first: Findings, findings: Findings, nodes: Ints) -> ProfileCurve:
    tensors, values = findings.worst(scale)
    if findings.graph is first.graph:
        return ProfileCurve(scale, values[nodes], tensors[nodes] >= 0, name)
    names = first.graph.node_names
    own = [findings.graph.node_index(names[node]) if names[node] else None for node in nodes.tolist()]
    at = np.array([len(values) if node is None else node for node in own], np.int64)
    known = np.append(tensors >= 0, False)[at]
    return ProfileCurve(scale, np.append(values, np.nan)[at], known, name)


def _row_curve(scale: Scale, name: str, comparison: Comparison, names: Sequence[str]) -> ProfileCurve:
    rows = {row.tensor: row for row in reversed(comparison.rows)}
    found = [rows[tensor].values if tensor in rows else {} for tensor in names]
    values = np.array([each.get(scale.key, np.nan) for each in found], np.float64)
    return ProfileCurve(scale, values, np.array([scale.key in each for each in found], bool), name)


# The numbers of a profile, for a spreadsheet.


def profile_csv(profile: Profile) -> str:
    """A row per place, in the order of running; cells stay empty where nothing was measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    curves = [*profile.curves, *([] if profile.introduced is None else [profile.introduced])]
    writer.writerow(["depth", "name", "type", *(curve.title for curve in curves), "verdict"])
    columns = [list(_cells(curve)) for curve in curves]
    for place, verdict in enumerate(profile.verdicts.tolist()):
        word = Verdict(verdict).word if verdict else ""
        writer.writerow([place, *profile.titles(place), *(column[place] for column in columns), word])
    return text.getvalue()


def _cells(curve: ProfileCurve) -> Iterator[float | str]:
    for value, measured in zip(curve.values.tolist(), curve.measured.tolist(), strict=True):
        yield value if measured else ""
