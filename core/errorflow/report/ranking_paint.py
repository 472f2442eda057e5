"""A ranking painted on a drawing: every node in the colour of how much it matters, on the metric's own limits."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from errorflow.base.arrays import Ints, frozen
from errorflow.base.values import dataclass
from errorflow.case.session.model import Painting
from errorflow.compare.metrics.metric import Metric, Scale
from errorflow.compare.placed import Floats, Measured, order_of
from errorflow.explain.findings.model import with_limits
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import BoxSigns, no_bars
from errorflow.report.error_notes import Notes
from errorflow.report.fold import box_errors
from errorflow.report.paint import Paint
from errorflow.study.rank.model import Measure, Ranking
from errorflow.study.rank.reading import nodes_of, notes, order, value


@dataclass(frozen=True, eq=False)
class RankingPaint:
    """Painter of one drawing and a ranking of the parts of its graph. `boxes`: for each node the box that shows it; -1:
    none.
    """

    drawing: Drawing
    graph: Graph
    boxes: Ints
    ranking: Ranking

    def by(self, painting: Painting) -> Paint | None:
        """Paints; None: there is no ranking by that, or nothing is known yet."""
        ranking = self.ranking
        measure = painting.ranked if painting.ranked else None
        if measure is None or measure not in ranking.values:
            return None
        metric = metric_of(ranking, painting.metric)
        limited, found = with_limits(metric, painting.limits), value(ranking, measure, metric.key)
        ranked = order(ranking, measure, metric.key).tolist()
        known = [part for part in ranked if ranking.done[measure][part].any()]
        measured = self._measured(known, found, limited, measure)
        errors = box_errors(self.graph, self.drawing, measured, self.boxes)
        title = title_of(ranking, measure, metric)
        told = Notes(self.graph, self.drawing, self.boxes, measured, errors, title)
        count = len(self.drawing)
        nothing = np.zeros(count, np.bool_)
        signs = BoxSigns(no_bars(count), np.zeros(count, np.uint16), np.zeros(count, np.int8), nothing, nothing)
        good, bad = limited.limit(limited.good), limited.limit(limited.bad)
        note = partial(self._note, told, self._ranks(known))
        return Paint(errors, title, limited.formula, good, bad, note, limited, signs, palette=painting.palette)

    def _measured(self, known: Sequence[int], found: Floats, metric: Scale, measure: str) -> Measured:
        """Measures tensors; of several parts that one belongs to, the one that matters most counts."""
        values, notes = np.full(len(self.graph.tensor_names), np.nan), self._notes
        for part in reversed(known):
            values[self._made(part)] = found[part]
        tensors = np.array(sorted({tensor for part in known for tensor in self._made(part)}), np.int32)
        return Measured(metric, values, order_of(metric, values, frozen(tensors)), notes, measure)

    @property
    def _notes(self) -> Mapping[int, str]:
        odd = notes(self.ranking)
        return {
            tensor: odd[part.name]
            for number, part in enumerate(self.ranking.parts)
            if part.name in odd
            for tensor in self._made(number)
        }

    def _made(self, part: int) -> list[int]:
        """Lists what its nodes make; of an input of the model, that itself."""
        outputs, nodes = self.graph.node_outputs, list(nodes_of(self.ranking, self.graph, part))
        if not nodes:
            found = map(self.graph.tensor_index, self.ranking.parts[part].tensors)
            return [tensor for tensor in found if tensor is not None]
        return [tensor for node in nodes for tensor in outputs[node].tolist() if tensor >= 0]

    def _ranks(self, known: Sequence[int]) -> Mapping[int, str]:
        """Names by node the rank of its part."""
        ranks: dict[int, str] = {}
        for place, part in enumerate(known):
            text = f"rank {place + 1:,} of {len(self.ranking.parts):,}: {self.ranking.parts[part].name}"
            for node in nodes_of(self.ranking, self.graph, part):
                ranks.setdefault(node, text)
        return ranks

    def _note(self, notes: Notes, ranks: Mapping[int, str], box: int) -> str:
        rank = ranks.get(int(notes.errors.nodes[box]), "")
        return "\n".join(filter(None, (notes.of(box), rank)))


def metric_of(ranking: Ranking, key: str) -> Metric:
    """Chooses that metric if it was ranked by it, else the one that parts are ranked by."""
    return next((metric for metric in ranking.metrics if metric.key == key), ranking.metrics[0])


def title_of(ranking: Ranking, measure: Measure, metric: Metric) -> str:
    """Writes a title as a legend has it, such as `Impact · Relative error at logits`."""
    outputs = ranking.outputs
    where = f" at {outputs[0]}" if len(outputs) == 1 else f", mean of {len(outputs):,} outputs"
    return f"{measure.capitalize()} · {metric.label}{where}"
