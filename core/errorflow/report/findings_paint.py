"""Findings painted on a drawing by what the user decided: the same for the window and for every file."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged, frozen
from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import Painting
from errorflow.compare.metrics.metric import Scale, places
from errorflow.compare.placed import Floats, Measured, order_of
from errorflow.explain.blame.model import Blame
from errorflow.explain.findings.change import MetricChange, Turn, signed, signs_of
from errorflow.explain.findings.model import Findings, Limits, with_limits
from errorflow.explain.findings.texts import title_of
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import BoxSigns, bar_badness, box_signs, no_bars, node_places
from errorflow.report.error_notes import Notes
from errorflow.report.fold import BoxErrors, box_errors
from errorflow.report.paint import PAINTED, Paint, measure_text

INTRODUCED = "introduced"
# In percent of the error at the output. The limits are those of two hundred nodes; see `share_scale`.
SHARE = Scale(
    key="share",
    label="Share of blame",
    formula="part of the error power that goes back to the node",
    higher_is_better=False,
    best=0.0,
    good=1.0,
    bad=50.0,
    scale="log",
    decimals=1,
    misleads="Errors that cancel or saturate make a node gain more or less than its share when it is made right.",
    unit="%",
)
# Times the even share, up to which a node is calm, and from which on it is as bad as can be. Half of all always is; and
# so many times as much as what is calm.
_CALM, _BURNS, _HALF, _APART = 2.0, 100.0, 0.5, 5.0


@dataclass(frozen=True, eq=False)
class FindingsPaint:
    """Painter of one drawing and what was found on its graph; what does not depend on the metric is worked out once."""

    drawing: Drawing
    findings: Findings
    # For each node of the graph the box that shows it; -1: none.
    boxes: Ints

    @cached_property
    def _signs(self) -> BoxSigns:
        return box_signs(self.findings, self.drawing, self.boxes)

    def by(self, painting: Painting) -> Paint | None:
        """Paints; None: nothing was measured."""
        scale = self.findings.scale(painting.metric, painting.limits)
        if scale is None:
            return None
        change = MetricChange.of(self.findings, painting.metric, painting.limits)
        if change is not None:
            return change_paint(change, self.drawing, self.boxes, self._signs, painting)
        measured, blame = self.findings.measured(scale), self.findings.blame
        relative = with_limits(PAINTED, painting.limits)
        if painting.blamed and blame is not None and blame.blamed is not None:
            bars = bar_badness(node_places(self.findings.graph, measured.places), self.boxes, len(self.drawing))
            paint = self._paint(blamed(blame, painting.limits), relative, bars, painting, measure_text(measured))
        elif blame is None or np.isnan(blame.introduced).all():
            paint = self._paint(measured, relative, no_bars(len(self.drawing)), painting)
        elif painting.swapped:
            bars = bar_badness(node_places(self.findings.graph, measured.places), self.boxes, len(self.drawing))
            paint = self._paint(introduced(blame, relative), relative, bars, painting, measure_text(measured))
        else:
            bars = bar_badness(_places(relative, blame.introduced), self.boxes, len(self.drawing))
            paint = self._paint(measured, relative, bars, painting, f"{INTRODUCED} · {relative.label}")
        flows = blame is None or blame.leads_on
        return replace(paint, tints=tints(measured)) if painting.edges and flows else paint

    def _paint(self, measured: Measured, relative: Scale, bars: Floats, painting: Painting, bar: str = "") -> Paint:
        graph, drawing, boxes = self.findings.graph, self.drawing, self.boxes
        errors, metric, measure = box_errors(graph, drawing, measured, boxes), measured.metric, measure_text(measured)
        notes = Notes(graph, drawing, boxes, measured, errors, measure, self.findings, relative)
        return Paint(
            errors,
            measure,
            metric.formula,
            metric.limit(metric.good),
            metric.limit(metric.bad),
            notes.of,
            metric,
            self._signs.beside(errors.measured, bars, painting.front),
            bar,
            palette=painting.palette,
        )


def ready(findings: Findings) -> None:
    """Puts in order what was measured by each metric, which takes a while once and is then remembered."""
    for scale in findings.scales:
        findings.measured(scale)


def tints(measured: Measured) -> Floats:
    """Finds per tensor the badness of what flows; NaN: not known."""
    return np.where(measured.places > -np.inf, np.clip(measured.places, 0.0, 1.0), np.nan)


def share_scale(blame: Blame) -> Scale:
    """Makes limits that go by the even share of the nodes that are known, so that one guilty node burns alone."""
    even = 1 / max(int((~np.isnan(blame.accumulated)).sum()), 1)
    bad = min(_BURNS * even, _HALF)
    good = min(_CALM * even, bad / _APART)
    return replace(SHARE, good=float(f"{100 * good:.2g}"), bad=float(f"{100 * bad:.2g}"))


def blamed(blame: Blame, limits: Limits) -> Measured:
    """The share of blame of each node, of all that it makes; of an input of the model its own."""
    values = _of_makers(blame, blame.blame_shares)
    for leaf, share in blame.model.inputs:
        values[leaf] = share
    where = f"error at {blame.blamed_at}" if blame.blamed_at else "error at the output"
    return _as_measured(blame, with_limits(share_scale(blame), limits), 100 * values, where)


def introduced(blame: Blame, relative: Scale) -> Measured:
    """Makes measurements of what each node introduces, as if it were measured of all that it makes."""
    return _as_measured(blame, relative, _of_makers(blame, blame.introduced), INTRODUCED)


def _of_makers(blame: Blame, column: Floats) -> Floats:
    makers = blame.graph.producers
    return np.where(makers >= 0, np.append(column, np.nan)[makers], np.nan)


def _as_measured(blame: Blame, scale: Scale, values: Floats, measure: str) -> Measured:
    known = frozen(np.flatnonzero(~np.isnan(values)))
    notes = {
        tensor: blame.notes[node]
        for node in blame.notes
        for tensor in blame.graph.node_outputs[node].tolist()
        if tensor >= 0
    }
    return Measured(scale, values, order_of(scale, values, known), notes, measure)


def moved(limits: Limits, key: str, good: float, bad: float) -> Mapping[str, tuple[float, float]]:
    """The user's limits with those of one metric put elsewhere."""
    return {**limits, key: (good, bad)}


def _places(relative: Scale, values: Floats) -> Floats:
    found = places(relative, values)
    return np.where(np.isnan(found), -np.inf, found)


# What became better or worse since another run, painted on a drawing.

# Of what a closed group hides, so many names.
_MOST_NAMES = 2


def change_paint(change: MetricChange, drawing: Drawing, boxes: Ints, signs: BoxSigns, painting: Painting) -> Paint:
    """Fills say how much, arrows which way; verdicts and edges, which are of one run, stay calm.

    `boxes`: for each node the box that shows it; `signs`: what is known of the run on view.
    """
    errors, scale = box_changes(change, drawing, boxes), change.scale
    places = np.append(change.measured.places, -np.inf)
    turns = signs_of(places[errors.tensors])
    still = signs.beside(errors.measured, no_bars(len(drawing)), front=False)
    return Paint(
        errors,
        measure_text(change.measured),
        scale.formula,
        signed(scale.limit(scale.good), scale.good),
        signed(scale.limit(scale.bad), scale.bad),
        ChangeNotes(change, drawing, boxes, errors).of,
        scale,
        replace(still, verdicts=np.zeros_like(still.verdicts), turns=turns),
        palette=painting.palette,
        told_from=change.told_from,
        queries={turn: change.query(turn) for turn in (Turn.WORSE, Turn.BETTER)},
    )


def box_changes(change: MetricChange, drawing: Drawing, boxes: Ints) -> BoxErrors:
    """Places changes as `box_errors` does, but a box that stands for several nodes shows what is most to be looked
    at.
    """
    graph, measured = change.now.graph, change.measured
    plain = box_errors(graph, drawing, measured, boxes)
    chosen = box_errors(graph, drawing, replace(measured, places=change.ranks), boxes)
    places = np.append(np.clip(measured.places, 0.0, 1.0), np.nan)
    return replace(plain, badness=places[chosen.tensors], tensors=chosen.tensors, nodes=chosen.nodes)


@dataclass(frozen=True, eq=False)
class ChangeNotes:
    """Notes for tooltips, made for the box under the pointer."""

    change: MetricChange
    drawing: Drawing
    boxes: Ints
    errors: BoxErrors

    def of(self, box: int) -> str:
        tensor = int(self.errors.tensors[box])
        if tensor < 0:
            return f"{self.change.title}: not measured in both"
        turn = Turn(int(signs_of(self.change.measured.places[[tensor]])[0]))
        word = "about the same" if turn == Turn.SAME else turn.word
        name = self.change.now.graph.tensor_names[tensor]
        rows = [f"{self.change.title}: {word} – {name}", self.change.told(tensor)]
        nodes = self._nodes[box]
        return "\n".join([*rows, *(self._spread(nodes) if len(nodes) > 1 else ())])

    def _spread(self, nodes: Ints) -> list[str]:
        """Lists of several nodes how many became worse or better, with the names of the first."""
        rows, signs = [], self.change.signs[nodes]
        for turn in (Turn.WORSE, Turn.BETTER):
            found = nodes[signs == turn]
            names = ", ".join(title_of(self.change.now.graph, node) for node in found[:_MOST_NAMES].tolist())
            more = f" and {len(found) - _MOST_NAMES:,} more" if len(found) > _MOST_NAMES else ""
            if len(found):
                rows.append(f"{turn.word}, {len(found):,} of {len(nodes):,}: {names}{more}")
        return rows if rows else [f"all {len(nodes):,} nodes about the same"]

    @cached_property
    def _nodes(self) -> Ragged:
        """Nodes of the graph by the box that shows them: a file needs all boxes."""
        shown = np.flatnonzero(self.boxes >= 0).astype(np.int32)
        return Ragged.grouped(self.boxes[shown], shown, len(self.drawing))
