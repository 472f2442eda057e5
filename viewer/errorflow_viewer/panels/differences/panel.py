"""Filter and table; a row leads to its nodes in both graphs."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QWidget

from errorflow.base.arrays import Ragged
from errorflow.base.values import dataclass
from errorflow.explain.difference.model import KINDS
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import UNMEASURED, Bools, Errors, Floats, LineRows, RowChoice
from errorflow_viewer.panels.lines.table import Columns, LinePage, LineTable

if TYPE_CHECKING:
    from errorflow.compare.metrics.metric import Scale
    from errorflow.explain.difference.model import Side
    from errorflow.explain.difference.table import Difference, Differences
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.stages.model import Stages, StageTensor


_KEY = "difference rows"
_PAGED, _PAINTED = frozenset(("model", "case", "session.pairing")), frozenset(("findings", "session.painting"))
WILL_BE = "What was merged, split, inserted, removed or changed between two forms of a model is listed here."
SHOW = "Show the second graph"
OPEN = "Open a second model…"
NO_FAULT = "No tensor was found at which quantization or deployment is at fault."
NONE = "Both graphs are the same: nothing was merged, inserted, removed or changed."
_Wish = tuple["Differences | None", "Side", "Stages | None", Graph]


# Differences as rows to search and sort, with the error of the nodes that each is about.

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
class DifferenceLine:
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
class DifferenceRows(LineRows[DifferenceLine]):
    """Rows of what became of the nodes, with those of both graphs that each is about."""

    @classmethod
    def of(
        cls, differences: "Differences | None", side: "Side", stages: "Stages | None", graph: Graph | None
    ) -> "DifferenceRows":
        """`side`: that of the second graph; `graph`: the one on view, for the tensors of the stages."""
        lines: list[DifferenceLine] = []
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

    def words(self, line: DifferenceLine) -> str:
        return f"{line.label} {line.tip}"  # with all names in full

    def tip(self, row: int) -> str:
        return self.lines[row].tip

    def steps_back(self, row: int, column: int) -> bool:
        return column == WHAT or (column == KIND and not self.lines[row].certain)

    def errors(self, main: "Findings | None", second: "Findings | None", scale: "Scale") -> Errors:
        """Finds errors by one metric: of the nodes on view, or where a row has none there, of those of the second
        graph.
        """
        places, values = np.full(len(self), -np.inf), np.full(len(self), np.nan)
        for findings, nodes in ((second, self._second), (main, self._main)):
            if findings is not None and len(nodes.values):
                _take_worst(findings, scale, nodes, places, values)
        return Errors(scale, values, places > -np.inf)

    def rows_of(self, main: int | None, second: int | None) -> list[int]:
        """Finds those that are about a node of either graph."""
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
        """Prepares the caches that the first look needs."""
        self.search("-")
        for choice in CHOICES:
            choice.holds(self)
        self.rows_of(0, 0)
        return self


def _of_kind(kind: str) -> Callable[[DifferenceRows], Bools]:
    return lambda rows: rows.kinds == kind


# Which rows can be shown. To add one: a row here.
CHOICES: tuple[RowChoice[DifferenceRows], ...] = (
    RowChoice("All", lambda rows: np.ones(len(rows), bool)),
    *(
        RowChoice(words.label.capitalize(), _of_kind(kind), f"No node was {words.label}.")
        for kind, words in KINDS.items()
    ),
    RowChoice("Guesses", lambda rows: rows.guessed, "Nothing here is a guess."),
    RowChoice("Stage at fault", _of_kind(STAGE), "Three runs tell which stage is at fault; none is here."),
)


def _of_difference(found: "Differences", row: "Difference", side: "Side") -> DifferenceLine:
    (ours, others), (types, other_types) = found.names(row), found.types(row)
    main, second = (row.reference, row.candidate) if side == "candidate" else (row.candidate, row.reference)
    what = found.what(row) if row.kind in ("changed", "inserted", "removed") else f"{types} → {other_types}"
    rule = "" if row.rule is None else f"{row.rule.label}: {row.rule.why}"
    tip = "\n".join(filter(None, (KINDS[row.kind].why, ours, others, what, rule)))
    graphs = (found.links.reference, row.reference), (found.links.candidate, row.candidate)
    short = [together([graph.node(node).title for node in nodes]) if len(nodes) > 1 else "" for graph, nodes in graphs]
    ours, others = (one if one else full for one, full in zip(short, (ours, others), strict=True))
    return DifferenceLine(row.kind, KINDS[row.kind].label, ours, others, what, tip, main, second, row.certain)


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


def _of_stages(stages: "Stages", graph: Graph) -> Iterator[DifferenceLine]:
    """The tensors at which quantization, deployment or both are at fault."""
    for each in stages.tensors:
        if each.fault in _AT_FAULT:
            node = _maker(graph, each)
            word = {"add up": "the errors add up", "cancel": "the errors cancel", "independent": "", "": ""}
            what = "; ".join(filter(None, (word[each.interplay], each.note)))
            label = "both steps" if each.fault == "both" else each.fault
            tip = "\n".join(filter(None, (f"At fault: {label}", each.tensor, each.board, what)))
            yield DifferenceLine(STAGE, label, each.tensor, each.board, what, tip, () if node is None else (node,))


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


_WIDTHS = {KIND: 120, ERROR: 90}


class DifferencesPanel(QWidget):
    """Panel of differences; nothing is listed before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._second = desk.pair.second
        self._syncing = False
        self.table: LineTable[DifferenceRows, DifferenceLine] = LineTable(COLUMNS, self)
        self.page = LinePage(self.table, CHOICES, "differences", "Filter nodes, types and changes")
        self.page.narrowed.connect(self._on_narrowed)
        self.view = self.page.view
        offer_table(desk, self.view, "differences")
        for column, width in _WIDTHS.items():
            self.view.horizontalHeader().resizeSection(column, width)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.asked_again.connect(self._on_asked_again)
        self.view.activated.connect(lambda _: desk.focus_graph())
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.alone = Empty(WILL_BE, SHOW, self._show_second)
        self.linking = Empty("Both graphs are being compared.")
        self.same = Empty(NONE)
        self.no_fault = Empty(NO_FAULT, SHOW, self._show_second)
        self._lay_out()
        follow(self, self._document.changed, self._on_changed, (*_PAGED, *_PAINTED, "node"))
        self._second.changed.connect(lambda _: self._on_linked())
        follow(self, self._second.document.changed, self._on_second, ("findings", "node"))
        work, drop = lambda wish: DifferenceRows.of(*wish).prepare(), lambda: self.table.show_rows(None, None)
        row = listed(_KEY, "Listing differences", ("case",), self._wished, work, self._take, drop)
        desk.derived.add(row, widget=self)
        self._show_page()

    def _lay_out(self) -> None:
        self.stack = pages(self.page, self.nothing, self.alone, self.linking, self.same, self.no_fault)
        fill(self, self.stack)

    def _show_second(self) -> None:
        if self._second.proposed is None:
            self._desk.pair.ask()
        else:
            self._document.edit("Show the second graph beside", pairing="side")

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if not _PAGED.isdisjoint(fields):
            self._show_page()
        if not _PAINTED.isdisjoint(fields):
            self._show_errors()
        if "node" in fields:
            self._mark_selected()

    def _on_second(self, fields: Collection[str]) -> None:
        if "findings" in fields:
            self._show_errors()
        if "node" in fields:
            self._mark_selected()

    @property
    def _stages(self) -> "Stages | None":
        compared = self._document.state.case
        return None if compared is None else compared.stages

    def _on_linked(self) -> None:
        self._desk.derived.follow(_KEY)
        self._show_page()

    def _wished(self, state: State) -> _Wish | None:
        differences, stages = self._second.differences, self._stages
        if state.model is None or (differences is None and stages is None):
            return None
        return differences, self._second.side, stages, state.model.graph

    def _show_page(self) -> None:
        # Where the second graph is shown and empty, a model for it is missing.
        empty = bool(self._document.session.pairing) and self._second.proposed is None
        for page in (self.alone, self.no_fault):
            page.button.setText(OPEN if empty else SHOW)
        self.no_fault.button.setVisible(self._second.model is None and not self._second.opening)
        told = (NONE if self._second.differences is not None else "", NO_FAULT)
        self.no_fault.sentence.setText(" ".join(filter(None, told)))
        self.stack.setCurrentWidget(self._page())

    def _page(self) -> QWidget:
        differences, rows = self._second.differences, self.table.rows
        if self._document.model is None:
            return self.nothing
        if self._stages is not None and rows is not None and not len(rows) and not (differences and differences.rows):
            return self.no_fault
        if self._stages is not None or (differences is not None and differences.rows):
            return self.page
        if differences is not None:
            return self.same
        return self.linking if self._second.opening or self._second.model is not None else self.alone

    def _take(self, rows: DifferenceRows) -> None:
        self.table.show_rows(rows, self._errors(rows))
        self.page.refresh()
        self._show_page()
        self._tell_count()
        self._mark_selected()

    def _show_errors(self) -> None:
        self.view.cells.palette = self._document.session.painting.palette
        if self.table.show_errors(self._errors(self.table.rows)):
            self._mark_selected()

    def _errors(self, rows: DifferenceRows | None) -> Errors | None:
        main, second = self._document.state.findings, self._second.document.state.findings
        findings = main if main is not None else second
        if rows is None or findings is None:
            return None
        painting = self._document.session.painting
        scale = findings.scale(painting.metric, painting.limits)
        return None if scale is None else rows.errors(main, second, scale)

    def _on_narrowed(self) -> None:
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        shown, total = self.table.rowCount(), 0 if self.table.rows is None else len(self.table.rows)
        differences = self._second.differences
        same = "" if differences is None or shown < total else f", {differences.same:,} nodes the same"
        self.page.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,} differences{same}")

    # Selecting

    def _on_row(self, index: QModelIndex) -> None:
        line = self.table.line_at(index.row())
        if line is not None and not self._syncing:
            self._syncing = True
            self._desk.pair.go(line.main, line.second)
            self._syncing = False

    def _on_asked_again(self, index: QModelIndex) -> None:
        """Selects again, unless one of the graphs has it selected."""
        line, main, second = self.table.line_at(index.row()), self._document.state, self._second.document.state
        if line is not None and main.node not in line.main and second.node not in line.second:
            self._on_row(index)

    def _mark_selected(self) -> None:
        """Moves to the node that is selected elsewhere."""
        rows = self.table.rows
        if rows is None or self._syncing or not self.isVisible():
            return
        numbers = rows.rows_of(self._document.state.node, self._second.document.state.node)
        found = [row for row in map(self.table.row_of, numbers) if row is not None]
        self._syncing = True
        self.view.setCurrentIndex(self.table.index(found[0], 0) if found else QModelIndex())
        self._syncing = False
