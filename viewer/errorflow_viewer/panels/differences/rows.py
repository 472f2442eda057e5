"""Differences as rows to search and sort, with the error of the nodes that each is about."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ragged
from errorflow.explain.difference.model import KINDS
from errorflow.graph.model import Graph
from errorflow_viewer.panels.lines.rows import UNMEASURED, Bools, Choice, Errors, Floats, LineRows
from errorflow_viewer.panels.lines.table import Columns

if TYPE_CHECKING:
    from errorflow.compare.metrics.metric import Scale
    from errorflow.explain.difference.model import Side
    from errorflow.explain.difference.table import Difference, Differences
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.stages.model import Stages, StageTensor

KIND, REFERENCE, CANDIDATE, WHAT, ERROR = range(5)
COLUMNS = Columns(
    ("Difference", "Reference", "Candidate", "What", "Error"),
    wide=(REFERENCE, CANDIDATE, WHAT),
    names=(KIND, REFERENCE, CANDIDATE),
    error=ERROR,
    note=f"The worst of what the nodes make; {UNMEASURED}: not measured.",
    none="No two runs of the model are compared, so nothing was measured.",
)
STAGE = "stage"
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
class DifferenceRows(LineRows[Line]):
    """What became of the nodes, with those of both graphs that each row is about."""

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

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        return (line.label, line.reference, line.candidate, line.what)[column]

    def shown(self, row: int, column: int) -> str:
        text = self.cell(row, column)
        return f"{text} (a guess)" if column == KIND and not self.lines[row].certain else text

    def words(self, line: Line) -> str:
        return f"{line.label} {line.tip}"  # with all names in full

    def tip(self, row: int) -> str:
        return self.lines[row].tip

    def steps_back(self, row: int, column: int) -> bool:
        return column == WHAT or (column == KIND and not self.lines[row].certain)

    def errors(self, main: "Findings | None", second: "Findings | None", scale: "Scale") -> Errors:
        """By one metric: of the nodes on view, or where a row has none there, of those of the second graph."""
        places, values = np.full(len(self), -np.inf), np.full(len(self), np.nan)
        for findings, nodes in ((second, self._second), (main, self._main)):
            if findings is not None and len(nodes.values):
                _take_worst(findings, scale, nodes, places, values)
        return Errors(scale, values, places > -np.inf)

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

    def prepare(self) -> "DifferenceRows":
        """With the caches filled that the first look needs."""
        self.search("-")
        for choice in CHOICES:
            choice.holds(self)
        self.rows_of(0, 0)
        return self


def _of_kind(kind: str) -> Callable[[DifferenceRows], Bools]:
    return lambda rows: rows.kinds == kind


# Which rows can be shown. To add one: a row here.
CHOICES: tuple[Choice[DifferenceRows], ...] = (
    Choice("All", lambda rows: np.ones(len(rows), bool)),
    *(Choice(words.label.capitalize(), _of_kind(kind), f"No node was {words.label}.") for kind, words in KINDS.items()),
    Choice("Guesses", lambda rows: rows.guessed, "Nothing here is a guess."),
    Choice("Stage at fault", _of_kind(STAGE), "Three runs tell which stage is at fault; none is here."),
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
