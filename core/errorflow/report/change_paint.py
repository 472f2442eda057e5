"""What became better or worse since another run, painted on a drawing."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.case.session.model import Painting
from errorflow.explain.findings.change import Change, Turn, signed, signs_of
from errorflow.explain.findings.texts import title_of
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import BoxSigns, no_bars
from errorflow.report.fold import BoxErrors, box_errors
from errorflow.report.paint import Paint, measure_text

# Of what a closed group hides, so many names.
_MOST_NAMES = 2


def change_paint(change: Change, drawing: Drawing, boxes: Ints, signs: BoxSigns, painting: Painting) -> Paint:
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


def box_changes(change: Change, drawing: Drawing, boxes: Ints) -> BoxErrors:
    """As `box_errors`, but a box that stands for several nodes shows what is most to be looked at."""
    graph, measured = change.now.graph, change.measured
    plain = box_errors(graph, drawing, measured, boxes)
    chosen = box_errors(graph, drawing, replace(measured, places=change.ranks), boxes)
    places = np.append(np.clip(measured.places, 0.0, 1.0), np.nan)
    return replace(plain, badness=places[chosen.tensors], tensors=chosen.tensors, nodes=chosen.nodes)


@dataclass(frozen=True, eq=False)
class ChangeNotes:
    """What the pointer is told, made for the box that is asked for."""

    change: Change
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
        """Of several nodes how many became worse or better, with the names of the first."""
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
        """For each box those of the graph that it shows: a file asks for all boxes."""
        shown = np.flatnonzero(self.boxes >= 0).astype(np.int32)
        return Ragged.grouped(self.boxes[shown], shown, len(self.drawing))
