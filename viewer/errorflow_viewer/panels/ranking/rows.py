"""The rows of a ranking: what each cell says, and in which order they stand."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.metric import Metric, Scale, places
from errorflow.explain.findings.distinct import NameForms
from errorflow.explain.findings.text_index import TextIndex
from errorflow.graph.model import Graph
from errorflow.study.rank.model import Measure, Ranking
from errorflow.study.rank.reading import nodes_of, notes, order, shares, spread, value
from errorflow.study.rank.sureness import Sureness, sureness
from errorflow_viewer.kit.tables.table import Column, Listing, by_keys

Doubles = NDArray[np.float64]
Numbers = NDArray[np.int64]
UNKNOWN = "–"
RANK, NAME, TYPE = 0, 1, 2
# Names of so many rows are told apart.
_NAMED = 5000
# Bars tell values apart down to so far below the good limit, in distances between the limits.
_LEAST = -3.0
WHAT: dict[Measure, str] = {"impact": "Only this part is quantized", "recovery": "All is quantized but this part"}


@dataclass(frozen=True, eq=False)
class RankColumn:
    """Column of the table: `metric` is there in those that say what a part does."""

    title: str
    tip: str
    texts: Sequence[str]
    # Of each row what it is sorted by, the least first; NaN is last either way.
    keys: Doubles
    metric: Scale | None = None
    measure: Measure | None = None
    # For columns with bars: how bad, and how long; NaN: nothing is known.
    badness: Doubles = field(default_factory=lambda: np.zeros(0))
    lengths: Doubles = field(default_factory=lambda: np.zeros(0))
    # Numbers with all their digits, where it holds such.
    values: Doubles = field(default_factory=lambda: np.zeros(0))

    def _text(self, part: int) -> str:
        return Verbatim(self.texts[part]) if self.title == NAMES else self.texts[part]

    def as_listed(self, rows: "RankRows") -> Column[int]:
        return Column(
            self.title,
            self._text,
            self.tip,
            self.full_title,
            is_number=self.is_number,
            is_name=self.title == NAMES,
            sort=by_keys(lambda: self.keys),
            exact=self._exact,
            forms=rows.forms if self.title == NAMES else None,
            muted=lambda part: self.texts[part] == UNKNOWN or not rows.measured[part],
            badness=None if self.metric is None else self._of(self.badness),
            length=None if self.metric is None else self._of(self.lengths),
        )

    def _exact(self, part: int) -> float | str:
        """Writes for files; "": nothing is known."""
        text = self.texts[part]
        return "" if text == UNKNOWN else float(self.values[part]) if len(self.values) else text

    def _of(self, numbers: Doubles) -> Callable[[int], float | None]:
        return lambda part: None if self.texts[part] == UNKNOWN else float(numbers[part])

    @property
    def full_title(self) -> str:
        """Title with what is measured, and its unit."""
        if self.metric is None or self.measure is None:
            return self.title
        unit = f" ({self.metric.unit})" if self.metric.unit else ""
        return f"{self.measure} · {self.metric.label}{unit}"

    @property
    def is_number(self) -> bool:
        return self.metric is not None or self.title in ("#", SHARE, WORST)


NAMES, SHARE, WORST, STATE, NOTE = "Name", "Share", "Worst sample", "State", "Note"


@dataclass(frozen=True, eq=False)
class RankRows:
    """Rows, one for each part, numbered as the ranking has them."""

    ranking: Ranking
    # Where the nodes of the parts are; None: it is not on view.
    graph: Graph | None
    # Metrics on the limits that the user moved, by their keys.
    scales: dict[str, Scale] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ranking.parts)

    @cached_property
    def order(self) -> Numbers:
        """Order by the first measure and metric."""
        return order(self.ranking)

    @cached_property
    def listing(self) -> Listing[int]:
        columns = [column.as_listed(self) for column in self.columns]
        return Listing(range(len(self)), columns, self.tip, self._matching)

    def _matching(self, text: str) -> Ints:
        return self.order[self.search(text)[self.order]].astype(np.int32)

    @cached_property
    def ranks(self) -> Numbers:
        """Ranks by part, from 0."""
        found = np.zeros(len(self), np.int64)
        found[self.order] = np.arange(len(self))
        return found

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Marks of the parts of which something is known, by the first measure."""
        return _known(self._done)

    @cached_property
    def columns(self) -> tuple[RankColumn, ...]:
        names = [part.name for part in self.ranking.parts]
        kinds = [part.type for part in self.ranking.parts]
        rank = [f"{place + 1:,}" if known else UNKNOWN for place, known in zip(self.ranks, self.measured, strict=True)]
        return (
            RankColumn("#", "Its place by the first metric", rank, self.ranks.astype(float)),
            RankColumn(NAMES, "What is switched as one", names, _by_text(names)),
            RankColumn("Type", "What it does", kinds, _by_text(kinds)),
            *(self._metric(measure, metric) for measure in self._measures for metric in self.ranking.metrics),
            *self._share(),
            self._worst(),
            self._state(),
            RankColumn(NOTE, "What is odd about it", self._notes, _by_text(self._notes)),
        )

    @cached_property
    def nodes(self) -> tuple[tuple[int, ...], ...]:
        """Nodes by part in the graph on view, the main one first."""
        if self.graph is None:
            return ((),) * len(self)
        graph = self.graph
        return tuple(tuple(nodes_of(self.ranking, graph, part)) for part in range(len(self)))

    @cached_property
    def parts_of(self) -> dict[int, int]:
        """Parts by node, of several the one that matters most."""
        found: dict[int, int] = {}
        for part in self.order.tolist():
            for node in self.nodes[part]:
                found.setdefault(node, part)
        return found

    def tensor(self, part: int) -> int | None:
        """Finds what a part without nodes, such as an input of the model, is in the graph on view."""
        if self.graph is None or self.nodes[part]:
            return None
        found = (self.graph.tensor_index(name) for name in self.ranking.parts[part].tensors)
        return next((tensor for tensor in found if tensor is not None), None)

    def search(self, text: str) -> NDArray[np.bool_]:
        keep = np.ones(len(self), bool)
        for word in text.split():
            keep &= self._index.containing(word)
        return keep

    def forms(self, part: int) -> tuple[str, ...]:
        """The name, from long to short, each apart from all others."""
        name = self.ranking.parts[part].name
        return (name,) if len(self) > _NAMED else self._names.forms(name)

    def tip(self, part: int) -> str:
        """Writes all of a row, a line each."""
        found = self.ranking.parts[part]
        lines = [found.name, found.type]
        if len(found.nodes) > 1:
            rest = f" and {len(found.nodes) - 6:,} more" if len(found.nodes) > 6 else ""
            lines.append(f"Nodes: {', '.join(found.nodes[:6])}{rest}")
        for column in self.columns:
            if column.metric is not None and column.measure is not None and column.texts[part] != UNKNOWN:
                lines.append(f"{column.measure} · {column.metric.label} {column.texts[part]}")
        by_name = {column.title: column.texts[part] for column in self.columns}
        share = by_name.get(SHARE, UNKNOWN)
        lines.append(self._sureness(part))
        lines.append("" if share == UNKNOWN else f"{share} of the error power that all parts make, each alone")
        lines.append(self._notes[part])
        return "\n".join(line for line in lines if line)

    def _sureness(self, part: int) -> str:
        """Says between which places it stands, and whom it swaps with: no more than the samples tell."""
        sure, place = self._sure, int(self.ranks[part])
        if not self.measured[part]:
            return ""
        if sure is None:
            return "Measured on one sample: how sure its place is cannot be told"
        begin, end = next((each for each in sure.alike(len(self)) if each[0] <= place <= each[1]), (place, place))
        near = self.order[max(begin, place - 1) : min(end, place + 1) + 1]
        names = " or ".join(self.ranking.parts[each].name for each in near.tolist())
        low, high = f"{sure.low[part] + 1:,}", f"{sure.high[part] + 1:,}"
        if len(near) < 2:
            return f"Place {low} to {high} in other draws of the samples"
        return f"Place {low} to {high} in other draws of the samples: {names}"

    # Columns

    @cached_property
    def _sure(self) -> Sureness | None:
        return sureness(self.ranking)

    @property
    def _measures(self) -> tuple[Measure, ...]:
        return self.ranking.question.measures

    @cached_property
    def _done(self) -> NDArray[np.bool_]:
        return self.ranking.done[self._measures[0]]

    @cached_property
    def _notes(self) -> list[str]:
        odd = notes(self.ranking)
        return [odd.get(part.name, "") for part in self.ranking.parts]

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex([" ".join((part.name, part.type, *part.nodes)) for part in self.ranking.parts])

    @cached_property
    def _names(self) -> NameForms:
        return NameForms([part.name for part in self.ranking.parts])

    def _metric(self, measure: Measure, metric: Metric) -> RankColumn:
        scale = self.scales.get(metric.key, metric)
        values, known = value(self.ranking, measure, metric.key), _known(self.ranking.done[measure])
        texts = [scale.text(float(each)) if there else UNKNOWN for each, there in zip(values, known, strict=True)]
        ranks = np.zeros(len(values))
        ranks[order(self.ranking, measure, metric.key)] = np.arange(len(values))
        title = metric.label if len(self._measures) == 1 else f"{measure.capitalize()} · {metric.label}"
        where = self.ranking.outputs[0] if len(self.ranking.outputs) == 1 else f"{len(self.ranking.outputs):,} outputs"
        tip = f"{measure} · {metric.label} · {metric.formula}\n{WHAT[measure]}; at {where}, over the samples so far"
        bad = np.where(known, np.clip(np.nan_to_num(places(scale, values), nan=1.0), 0.0, 1.0), np.nan)
        return RankColumn(
            title, tip, texts, ranks, scale, measure, bad, np.where(known, lengths(scale, values), np.nan), values
        )

    def _share(self) -> tuple[RankColumn, ...]:
        if "impact" not in self._measures:
            return ()
        found, known = shares(self.ranking).max(axis=1, initial=-np.inf), _known(self.ranking.done["impact"])
        texts = [share_text(float(each)) if there else UNKNOWN for each, there in zip(found, known, strict=True)]
        tip = "Of the error power that all parts make, each alone, at the output where it makes most of it"
        return (RankColumn(SHARE, tip, texts, np.where(known, -found, np.nan), values=found),)

    def _worst(self) -> RankColumn:
        metric = self.ranking.metrics[0]
        found = spread(self.ranking)
        texts = [
            f"{metric.text(float(worst))} (sample {sample + 1:,})" if sample >= 0 else UNKNOWN
            for worst, sample in zip(found.worst, found.worst_sample.tolist(), strict=True)
        ]
        keys = found.worst if metric.higher_is_better else -found.worst
        where = f"{self._measures[0]} · {metric.label} of the sample on which it is worst"
        return RankColumn(WORST, where, texts, np.where(found.worst_sample >= 0, keys, np.nan))

    def _state(self) -> RankColumn:
        counts, whole = self._done.sum(axis=1).tolist(), len(self.ranking.samples)
        expected = self.ranking.expected.tolist()
        texts = [_state(count, whole, share) for count, share in zip(counts, expected, strict=True)]
        tip = "Whether it was measured on all samples, and until then which share of the error is expected of it"
        keys = np.where(_known(self._done), np.array(counts, float) - whole, 1 - np.nan_to_num(self.ranking.expected))
        return RankColumn(STATE, tip, texts, keys)


def _known(done: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Parts of which at least one sample was measured."""
    found: NDArray[np.bool_] = np.any(done, axis=1)
    return found


def lengths(scale: Scale, values: Doubles) -> Doubles:
    """Computes how long bars are, from 0 to 1, so that differences beyond the limits are to be seen too."""
    far = np.where(np.isnan(values), np.inf, places(scale, values))
    known = far[np.isfinite(far)]
    top, low = max(float(known.max(initial=1.0)), 1.0), max(float(known.min(initial=0.0)), _LEAST)
    return np.clip((far - low) / (top - low), 0.0, 1.0)


def share_text(share: float) -> str:
    if np.isnan(share):
        return UNKNOWN
    return "< 0.1 %" if 0 < share < 0.001 else f"{share:.1%}".replace("%", " %")


def _state(count: int, whole: int, expected: float) -> str:
    if count == whole:
        return "measured"
    if count:
        return f"{count:,} of {whole:,} samples"
    return "waits" if np.isnan(expected) else f"expected {share_text(expected)}"


def _by_text(texts: Sequence[str]) -> Doubles:
    """Places in the order of the letters; without any: last."""
    ranks = {text: place for place, text in enumerate(sorted(set(texts), key=str.lower))}
    return np.array([ranks[text] if text else np.nan for text in texts], np.float64)
