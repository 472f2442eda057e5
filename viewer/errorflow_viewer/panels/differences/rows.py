"""Differences as rows to search and sort, with the error of the nodes that each is about."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints, Ragged
from errorflow.difference.model import KINDS
from errorflow.findings.text_index import TextIndex
from errorflow.graph.model import Graph

if TYPE_CHECKING:
    from errorflow.difference.model import Side
    from errorflow.difference.table import Difference, Differences
    from errorflow.findings.model import Findings
    from errorflow.metrics.metric import Scale
    from errorflow.stages.model import Stages, StageTensor

KIND, REFERENCE, CANDIDATE, WHAT, ERROR = range(5)
COLUMNS = ("Difference", "Reference", "Candidate", "What", "Error")
STAGE = "stage"
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
_NUMBER = re.compile(r"\d+")
_AT_FAULT = frozenset(("quantization", "deployment", "both"))


@dataclass(frozen=True, slots=True)
class Line:
    """Names are "" where that side has nothing. `main` and `second` are nodes of the two graphs in the window."""

    kind: str
    label: str
    reference: str
    candidate: str
    what: str
    tip: str
    main: tuple[int, ...]
    second: tuple[int, ...] = ()
    certain: bool = True


@dataclass(frozen=True, eq=False)
class Errors:
    """For each row the worst that was measured of its nodes. `places` is 0 at the good limit, 1 at the bad one."""

    scale: "Scale"
    places: Floats
    values: Floats

    def text(self, row: int) -> str:
        return "–" if np.isneginf(self.places[row]) else self.scale.text(float(self.values[row]))


@dataclass(frozen=True, eq=False)
class DifferenceRows:
    """Nothing here changes, so a job may make it and fill the caches."""

    lines: tuple[Line, ...]
    _orders: dict[int, Ints] = field(default_factory=dict)

    @classmethod
    def of(
        cls, differences: "Differences | None", side: "Side", stages: "Stages | None", graph: Graph | None
    ) -> "DifferenceRows":
        """`side`: that of the second graph; `graph`: the one on view, for the tensors of the stages."""
        lines: list[Line] = []
        if stages is not None and graph is not None:
            lines += _of_stages(stages, graph)
        if differences is not None:
            lines += [_of_difference(differences, row, side) for row in differences.rows]
        return cls(tuple(lines))

    def __len__(self) -> int:
        return len(self.lines)

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        return (line.label, line.reference, line.candidate, line.what)[column]

    def search(self, text: str, choice: "Choice") -> Bools:
        """Every word of the text stands in one of the cells."""
        keep = choice.holds(self)
        for word in text.split():
            keep = keep & self._index.containing(word)
        return keep

    def order(self, column: int) -> Ints:
        """All rows, sorted by a column; numbers in names count as such, and empty cells come last."""
        if column not in self._orders:
            keys = [_NUMBER.sub(_padded, self.cell(row, column).lower()) for row in range(len(self))]
            order = sorted(range(len(keys)), key=lambda row: (not keys[row], keys[row]))
            self._orders[column] = np.array(order, np.int32)
        return self._orders[column]

    def errors(self, main: "Findings | None", second: "Findings | None", scale: "Scale") -> Errors:
        """By one metric: of the nodes on view, or where a row has none there, of those of the second graph."""
        places, values = np.full(len(self), -np.inf), np.full(len(self), np.nan)
        for findings, nodes in ((second, self._second), (main, self._main)):
            if findings is not None and len(nodes.values):
                _take_worst(findings, scale, nodes, places, values)
        return Errors(scale, places, values)

    def rows_of(self, main: int | None, second: int | None) -> list[int]:
        """Those that are about a node of either graph."""
        found: list[int] = []
        for node, nodes in ((main, self._main), (second, self._second)):
            if node is not None:
                found += nodes.owners()[nodes.values == node].tolist()
        return found

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        return np.array([line.kind for line in self.lines], np.str_)

    @cached_property
    def guessed(self) -> Bools:
        return np.array([not line.certain for line in self.lines], bool)

    @cached_property
    def _main(self) -> Ragged:
        return Ragged.of([line.main for line in self.lines])

    @cached_property
    def _second(self) -> Ragged:
        return Ragged.of([line.second for line in self.lines])

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex([f"{one.label} {one.tip}" for one in self.lines])  # with all names in full

    def prepare(self) -> "DifferenceRows":
        """With the caches filled that the first look needs."""
        self._index.containing("-")
        for choice in CHOICES:
            choice.holds(self)
        self.rows_of(0, 0)
        return self


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows are shown. To add one: a row in CHOICES."""

    text: str
    holds: Callable[[DifferenceRows], Bools]


def _of_kind(kind: str) -> Callable[[DifferenceRows], Bools]:
    return lambda rows: rows.kinds == kind


CHOICES: tuple[Choice, ...] = (
    Choice("All", lambda rows: np.ones(len(rows), bool)),
    *(Choice(words.label.capitalize(), _of_kind(kind)) for kind, words in KINDS.items()),
    Choice("Guesses", lambda rows: rows.guessed),
    Choice("Stage at fault", _of_kind(STAGE)),
)


def _of_difference(found: "Differences", row: "Difference", side: "Side") -> Line:
    (ours, others), (types, other_types) = found.names(row), found.types(row)
    main, second = (row.reference, row.candidate) if side == "candidate" else (row.candidate, row.reference)
    what = found.what(row) if row.kind in ("changed", "inserted", "removed") else f"{types} → {other_types}"
    rule = "" if row.rule is None else f"{row.rule.label}: {row.rule.why}"
    tip = "\n".join(filter(None, (KINDS[row.kind].why, ours, others, what, rule)))
    graphs = (found.links.reference, row.reference), (found.links.candidate, row.candidate)
    short = [together([graph.node(node).title for node in nodes]) if len(nodes) > 1 else "" for graph, nodes in graphs]
    ours, others = (one if one else full for one, full in zip(short, (ours, others), strict=True))
    return Line(row.kind, KINDS[row.kind].label, ours, others, what, tip, main, second, row.certain)


def together(names: Sequence[str]) -> str:
    """Several names with what they begin with said once, such as block1/{conv, bn, relu}."""
    parts = [name.split("/") for name in names]
    shared = 0
    while all(len(each) > shared + 1 and each[shared] == parts[0][shared] for each in parts):
        shared += 1
    if not shared:
        return ", ".join(names)
    rest = ", ".join("/".join(each[shared:]) for each in parts)
    return f"{'/'.join(parts[0][:shared])}/{{{rest}}}"


def _of_stages(stages: "Stages", graph: Graph) -> Iterator[Line]:
    """The tensors at which quantization, deployment or both are at fault."""
    for each in stages.tensors:
        if each.fault in _AT_FAULT:
            node = _maker(graph, each)
            word = {"add up": "the errors add up", "cancel": "the errors cancel", "independent": "", "": ""}
            what = "; ".join(filter(None, (word[each.interplay], each.note)))
            label = "both steps" if each.fault == "both" else each.fault
            tip = "\n".join(filter(None, (f"At fault: {label}", each.tensor, each.board, what)))
            yield Line(STAGE, label, each.tensor, each.board, what, tip, () if node is None else (node,))


def _maker(graph: Graph, each: "StageTensor") -> int | None:
    for name in (each.tensor, each.simulator, each.board):
        tensor = graph.tensor_index(name) if name else None
        if tensor is not None and graph.producers[tensor] >= 0:
            return int(graph.producers[tensor])
    row = next((row for row in (each.total, each.deployment, each.quantization) if row is not None and row.node), None)
    return None if row is None else graph.node_index(row.node)


def _take_worst(findings: "Findings", scale: "Scale", nodes: Ragged, places: Floats, values: Floats) -> None:
    tensors, worst = findings.worst(scale)
    known = nodes.values < len(tensors)
    owners, picked = nodes.owners()[known], nodes.values[known]
    here = np.append(findings.measured(scale).places, -np.inf)[tensors[picked]]
    top = np.full(len(places), -np.inf)
    np.maximum.at(top, owners, here)
    hits = (here == top[owners]) & (here > -np.inf)
    places[owners[hits]], values[owners[hits]] = here[hits], worst[picked][hits]


def _padded(found: re.Match[str]) -> str:
    return found[0].zfill(10)
