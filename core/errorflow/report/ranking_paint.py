"""A ranking painted on a drawing: every node in the colour of how much it matters, on the metric's own limits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from errorflow.arrays import Ints, frozen
from errorflow.compare.placed import Floats, Measured, order_of
from errorflow.findings.model import with_limits
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.metrics.metric import Metric
from errorflow.quant.selecting import keys_of
from errorflow.report.box_signs import BoxSigns, no_bars
from errorflow.report.error_notes import Notes
from errorflow.report.fold import box_errors
from errorflow.report.paint import Paint
from errorflow.sensitivity.model import KINDS, Kind, Measure, Part, Ranking
from errorflow.sensitivity.scores import Scores
from errorflow.session.model import Painting

# What is switched as one is painted as one; of others only the node that it is called by.
_ALIKE: frozenset[Kind] = frozenset(KINDS) - {"producer", "upstream"}


@dataclass(frozen=True, eq=False)
class RankingPaint:
    """One drawing and a ranking of the parts of its graph. `boxes`: for each node the box that shows it; -1: none."""

    drawing: Drawing
    graph: Graph
    boxes: Ints
    ranking: Ranking

    def by(self, painting: Painting) -> Paint | None:
        """None: that was not asked, or nothing is known yet."""
        ranking = self.ranking
        measure = painting.ranked if painting.ranked else None
        if measure is None or measure not in ranking.values:
            return None
        scores = Scores(ranking, measure, metric_of(ranking, painting.metric))
        limited = with_limits(scores.metric, painting.limits)
        values, notes = self._by_tensor(scores)
        known = frozen(np.array(sorted(set(self._measured(scores))), np.int32))
        measured = Measured(limited, values, order_of(limited, values, known), notes, measure)
        errors = box_errors(self.graph, self.drawing, measured, self.boxes)
        title = title_of(ranking, measure, scores.metric)
        told = Notes(self.graph, self.drawing, self.boxes, measured, errors, title)
        count = len(self.drawing)
        nothing = np.zeros(count, np.bool_)
        signs = BoxSigns(no_bars(count), np.zeros(count, np.uint16), np.zeros(count, np.int8), nothing, nothing)
        good, bad = limited.limit(limited.good), limited.limit(limited.bad)
        note = partial(_Ranks(self, scores).note, told)
        return Paint(errors, title, limited.formula, good, bad, note, limited, signs, palette=painting.palette)

    @cached_property
    def nodes(self) -> tuple[tuple[int, ...], ...]:
        """By part, the nodes that are painted for it."""
        alike = self.ranking.question.kind in _ALIKE
        return tuple(painted_nodes(self.graph, part, alike) for part in self.ranking.parts)

    def _by_tensor(self, scores: Scores) -> tuple[Floats, Mapping[int, str]]:
        values, badness = np.full(len(self.graph.tensor_names), np.nan), np.full(len(self.graph.tensor_names), -np.inf)
        notes: dict[int, str] = {}
        for number, part in enumerate(self.ranking.parts):
            made = self._made(number)
            if not scores.measured[number]:
                note = self.ranking.notes.get(part.name, "")
                notes.update({tensor: note for tensor in made if note})
                continue
            for tensor in made:
                if scores.places[number] > badness[tensor]:
                    badness[tensor], values[tensor] = scores.places[number], scores.values[number]
        return values, notes

    def _measured(self, scores: Scores) -> Iterable[int]:
        return (tensor for part in np.flatnonzero(scores.measured).tolist() for tensor in self._made(part))

    def _made(self, part: int) -> list[int]:
        outputs, nodes = self.graph.node_outputs, self.nodes[part]
        if not nodes:  # an input of the model
            found = map(self.graph.tensor_index, self.ranking.parts[part].tensors)
            return [tensor for tensor in found if tensor is not None]
        return [tensor for node in nodes for tensor in outputs[node].tolist() if tensor >= 0]


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Says of boxes which rank their part has."""

    paint: RankingPaint
    scores: Scores

    @cached_property
    def _parts(self) -> Mapping[int, int]:
        """By node the place of its part in the order."""
        found: dict[int, int] = {}
        for place, part in enumerate(self.scores.order.tolist()):
            if self.scores.measured[part]:
                for node in self.paint.nodes[part]:
                    found.setdefault(node, place)
        return found

    def note(self, notes: Notes, box: int) -> str:
        place = self._parts.get(int(notes.errors.nodes[box]))
        if place is None:
            return notes.of(box)
        part, count = int(self.scores.order[place]), len(self.paint.ranking.parts)
        return f"{notes.of(box)}\nrank {place + 1:,} of {count:,}: {self.paint.ranking.parts[part].name}"


def painted_nodes(graph: Graph, part: Part, alike: bool) -> tuple[int, ...]:
    """Numbers of the nodes of a part, the main one first; without `alike` only that."""
    known = keys_of(graph).nodes
    names = part.nodes if alike else part.nodes[:1]
    return tuple(dict.fromkeys(node for name in names for node in known.get(name, ())))


def metric_of(ranking: Ranking, key: str) -> Metric:
    """That metric if it was asked for, else the one that parts are ranked by."""
    return next((metric for metric in ranking.metrics if metric.key == key), ranking.metrics[0])


def title_of(ranking: Ranking, measure: Measure, metric: Metric) -> str:
    """As a legend says it, such as `Impact · Relative error at logits`."""
    outputs = ranking.outputs
    where = f" at {outputs[0]}" if len(outputs) == 1 else " at the worst output" if outputs else ""
    return f"{measure.capitalize()} · {metric.label}{where}"
