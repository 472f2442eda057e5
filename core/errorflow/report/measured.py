"""A comparison as arrays: what one metric says of each tensor of a graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from errorflow.arrays import Ints, frozen
from errorflow.compare import Comparison, Row
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Floats
from errorflow.metrics.metric import Metric, Scale, places

# Better or worse than that nobody tells apart; what was not measured lies below it.
_FAR = 1e6


@dataclass(frozen=True, eq=False)
class Measured:
    """Per tensor of the graph."""

    metric: Scale
    values: Floats  # NaN also where nothing was measured
    # 0 at the metric's good limit, 1 at its bad one, and beyond them where a value is; -inf: not measured.
    places: Floats
    # Why a tensor could not be measured, as far as that is known.
    notes: Mapping[int, str]
    # What was compared, where the legend says it.
    measure: str = "accumulated"

    @property
    def known(self) -> bool:
        """Whether anything was measured."""
        return bool((self.places > -np.inf).any())


def order_of(metric: Scale, values: Floats, tensors: Ints) -> Floats:
    """`Measured.places`, where these of all tensors were measured."""
    order = np.full(len(values), -np.inf)
    known = values[tensors]
    order[tensors] = np.where(np.isnan(known), 2 * _FAR, np.clip(places(metric, known), -_FAR, _FAR))
    return order


@dataclass(frozen=True, eq=False)
class Placed:
    """A comparison whose rows have found their tensors; the search is made once, not for each metric."""

    tensors: Ints  # (rows,)
    rows: tuple[Row, ...]
    notes: Mapping[int, str]
    count: int  # of the graph's tensors
    _columns: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, comparison: Comparison) -> "Placed":
        found = [(index, row) for row in comparison.rows if (index := graph.tensor_index(row.tensor)) is not None]
        rows = [pair for pair in found if pair[1].values]
        notes = {index: row.note for index, row in found if not row.values}
        return cls(frozen([index for index, _ in rows]), tuple(row for _, row in rows), notes, len(graph.tensor_names))

    def by(self, metric: Metric) -> Measured:
        tensors, measured = self._column(metric.key)
        values = np.full(self.count, np.nan)
        values[tensors] = measured
        return Measured(metric, values, order_of(metric, values, tensors), self.notes)

    def _column(self, key: str) -> tuple[Ints, Floats]:
        """Tensors with their values; found once per metric, for its limits may change at every move of a hand."""
        if key not in self._columns:
            every, tensors = [row.values for row in self.rows], self.tensors
            try:
                column = _values(every, key)
            except KeyError:  # not all have it, which to ask beforehand takes as long as all the rest
                tensors = tensors[[key in values for values in every]]
                column = _values([values for values in every if key in values], key)
            self._columns[key] = tensors, column
        return self._columns[key]


def _values(rows: Sequence[Mapping[str, float]], key: str) -> Floats:
    return np.fromiter(map(itemgetter(key), rows), np.float64, len(rows))
