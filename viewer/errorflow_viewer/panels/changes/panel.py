"""Summary, filter and table; a row leads to its node."""

import math
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QWidget

from errorflow.base import ErrorflowError, dataclass, field, replace
from errorflow.base.arrays import Ints
from errorflow.base.language import joined, said
from errorflow.case.regression.lines import KINDS, RegressionLine, Since, change_text, verdicts_text
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages, text_button, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import UNMEASURED, Bools, Errors, Floats, LineRows, RowChoice
from errorflow_viewer.panels.lines.table import Columns, LinePage, LineTable

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings

    _Wish = tuple[Findings, str, Mapping[str, tuple[float, float]]]


_KEY = "change rows"
_SHOWN = frozenset(("model", "place", "case", "findings", "session.painting", "session.since"))
WILL_BE = "What became worse and what better since another session, such as yesterday's build, is listed here."
ASK = "Compare with another session…"
BROKEN = "The other session could not be compared with."
FIRST = "Compare two runs or simulate the model first, and save the session."


# What became of each tensor, as rows to search and sort.

KIND, TENSOR, TYPE, BEFORE, NOW, VERDICT, CHANGE = range(7)
SHORT = {"worse": "worse", "better": "better", "gone": "gone", "new": "new", "same": "same"}
COLUMNS = Columns(
    ("What", "Tensor", "Type", "Before", "Now", "Verdict", "Change"),
    wide=(TENSOR,),
    names=(TENSOR,),
    error=CHANGE,
    note=f"Worse is where the error grew; {UNMEASURED}: not measured in both.",
    none="Nothing is compared with.",
)


@dataclass(frozen=True, eq=False)
class ChangeRows(LineRows[RegressionLine]):
    """Rows in the order of `Since`: the worst first."""

    # Before and now of each line, as text.
    numbers: tuple[tuple[str, str], ...] = ()
    since: Since | None = field(default=None)

    @classmethod
    def of(cls, since: Since) -> "ChangeRows":
        metric = since.change.metric
        numbers = tuple(
            (
                UNMEASURED if line.kind == "new" else metric.text(line.before),
                UNMEASURED if line.kind == "gone" else metric.text(line.now),
            )
            for line in since.lines
        )
        return cls(since.lines, numbers=numbers, since=since)

    def cell(self, row: int, column: int) -> str:
        line = self.lines[row]
        if column in (BEFORE, NOW):
            return self.numbers[row][column - BEFORE]
        return (SHORT[line.kind], line.name, line.op_type, "", "", verdicts_text(line))[column]

    def words(self, line: RegressionLine) -> str:
        return " ".join((KINDS[line.kind].label, line.name, line.op_type, verdicts_text(line), *line.notes))

    def tip(self, row: int) -> str:
        line, numbers = self.lines[row], " → ".join(self.numbers[row])
        label = "" if self.since is None else f"{self.since.change.metric.label}: "
        about = (f"{label}{numbers}", verdicts_text(line), *line.notes, KINDS[line.kind].why)
        told = (*about, "An output of the model." if line.is_output else "")
        return joined("\n", (line.name, *map(said, filter(None, told))))

    def steps_back(self, row: int, column: int) -> bool:
        return self.lines[row].kind == "same" or column in (TYPE, BEFORE)

    def stands_out(self, row: int, column: int) -> bool:
        """Outputs, which is what the user of the model sees."""
        return column == TENSOR and self.lines[row].is_output

    def errors(self) -> Errors | None:
        if self.since is None:
            return None
        values = np.array([line.change for line in self.lines], np.float64)
        both = np.array([line.kind not in ("new", "gone") for line in self.lines], bool)
        notes = {row: "; ".join(line.notes) for row, line in enumerate(self.lines) if line.notes}
        scale = replace(self.since.change.scale, label="Change")  # of what, is said by both numbers beside it
        return ChangeErrors(scale, values, both, self.since.change.title, notes, since=self.since, lines=self.lines)

    def rows_of(self, node: int | None, tensor: int | None) -> list[int]:
        """Finds those that are about what is selected."""
        if node is None and tensor is None:
            return []
        hits = self._nodes == node if node is not None else self._tensors == tensor
        return [int(row) for row in np.flatnonzero(hits)]

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        return np.array([line.kind for line in self.lines], np.str_)

    @cached_property
    def _nodes(self) -> Ints:
        return np.array([line.node for line in self.lines], np.int32)

    @cached_property
    def _tensors(self) -> Ints:
        return np.array([line.tensor for line in self.lines], np.int32)

    def order(self, column: int) -> Ints:
        """Numbers by what they are, not by how they are written."""
        if column not in (BEFORE, NOW):
            return super().order(column)
        values: Floats = np.array([line.before if column == BEFORE else line.now for line in self.lines], np.float64)
        return np.argsort(values, kind="stable").astype(np.int32)  # what is no number comes last

    def prepare(self) -> "ChangeRows":
        """Prepares the caches that the first look needs."""
        self.search("-")
        self.rows_of(0, None)
        return self


@dataclass(frozen=True, eq=False)
class ChangeErrors(Errors):
    """Colours beside what got worse, the stronger the more."""

    since: Since | None = None
    lines: tuple[RegressionLine, ...] = ()

    def text(self, row: int) -> str:
        told = "" if self.since is None else change_text(self.since, self.lines[row])
        return told if told else UNMEASURED

    def badness(self, row: int) -> float | None:
        line = self.lines[row]
        if line.kind != "worse":
            return None
        found = super().badness(row)
        return 1.0 if found is None or math.isnan(found) else found


def _of_kind(kind: str) -> Callable[[ChangeRows], Bools]:
    return lambda rows: rows.kinds == kind


# Which rows can be shown. To add one: a row here.
CHOICES: tuple[RowChoice[ChangeRows], ...] = (
    RowChoice("What changed", lambda rows: rows.kinds != "same", "Nothing became worse or better: all is as it was."),
    RowChoice("Worse", _of_kind("worse"), "Nothing became worse."),
    RowChoice("Better", _of_kind("better"), "Nothing became better."),
    RowChoice("Not measured any more", _of_kind("gone"), "All that was measured before is measured now."),
    RowChoice("Newly measured", _of_kind("new"), "Nothing is measured now that was not before."),
    RowChoice(
        "Outputs", lambda rows: np.array([line.is_output for line in rows.lines], bool), "No output was measured."
    ),
    RowChoice("All", lambda rows: np.ones(len(rows), bool)),
)


_WIDTHS = {KIND: 60, TYPE: 80, BEFORE: 80, NOW: 80, VERDICT: 132, CHANGE: 116}


class ChangesPanel(QWidget):
    """Panel of changes; nothing is listed before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._syncing = False
        self.table: LineTable[ChangeRows, RegressionLine] = LineTable(COLUMNS, self)
        self.page = LinePage(self.table, CHOICES, "changes", "Filter tensors, types and verdicts")
        self.page.narrowed.connect(self._on_narrowed)
        self.view = self.page.view
        offer_table(desk, self.view, "changes")
        for column, width in _WIDTHS.items():
            self.view.horizontalHeader().resizeSection(column, width)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.asked_again.connect(self._on_asked_again)
        self.view.activated.connect(lambda _: desk.focus_graph())
        self.told = text_label(wraps=True, selectable=True)
        self.told.setContentsMargins(PADDING + GRID, 0, PADDING, GRID)
        self.page.add_line(self.told)
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.alone = Empty(WILL_BE, ASK, lambda: desk.commands.run("since.compare"))
        self.coming = Empty("The other session is being measured.")
        self.broken = Empty(BROKEN, ASK, lambda: desk.commands.run("since.compare"))
        self.again = text_button("Measure it again", desk.studies.earlier.measure_again)
        self.broken.add(self.again)
        self.stack = pages(self.nothing, self.alone, self.coming, self.broken, self.page)
        fill(self, self.stack)
        reads = *_SHOWN, "node", "tensor"
        follow(self, self._document.changed, self._on_changed, reads)
        follow(self, desk.studies.earlier.changed, self._show_page)
        desk.derived.add(self._row(), widget=self)
        self._refresh()

    # Showing

    def _row(self) -> "Derived[_Wish, ChangeRows]":
        reads, drop = ("findings", "session.painting"), lambda: self.table.show_rows(None, None)
        row = listed(_KEY, "Listing changes", reads, _wished, _rows, self._take, drop)
        return replace(row, failed=self._fail)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not _SHOWN.isdisjoint(fields):
            self._refresh()
        if {"node", "tensor"} & set(fields):
            self._mark_selected()

    def _refresh(self) -> None:
        self.view.cells.palette = self._document.session.painting.palette
        self._show_page()

    def _show_page(self) -> None:
        state, earlier = self._document.state, self._desk.studies.earlier
        if state.model is None:
            page: QWidget = self.nothing
        elif self.table.rows is not None:
            page = self.page
        elif earlier.path is None:
            page = self.alone
            self.alone.sentence.setText(WILL_BE if state.case is not None else f"{WILL_BE} {FIRST}")
        else:
            page = self._waiting(earlier.failed)
        self.stack.setCurrentWidget(page)

    def _waiting(self, failed: str) -> QWidget:
        name = "" if self._desk.studies.earlier.path is None else self._desk.studies.earlier.path.name
        if failed:
            self.broken.sentence.setText(f"{name} could not be compared with. {failed}")
            return self.broken
        if self._document.state.case is None:
            self.coming.sentence.setText(f"Nothing is compared here that {name} could be held against. {FIRST}")
        elif self._document.state.place != Place():
            self.coming.sentence.setText("Changes are listed of the main graph: go back to it.")
        else:
            self.coming.sentence.setText(f"{name} is being measured.")
        return self.coming

    def _take(self, rows: ChangeRows) -> None:
        self.table.show_rows(rows, rows.errors())
        self.page.table.filter(self.page.filter.text(), CHOICES[self.page.choice.currentIndex()])
        self.page.refresh()
        self._tell(rows)
        self._show_page()
        self._tell_count()
        self._mark_selected()

    def _fail(self, error: ErrorflowError) -> None:
        self.table.show_rows(None, None)
        self.broken.sentence.setText(str(error))
        self.stack.setCurrentWidget(self.broken)

    def _tell(self, rows: ChangeRows) -> None:
        from errorflow.case.regression.lines import counts_text, doubt_text, tolerance_text, verdict_text

        if rows.since is not None:
            said = (tell(rows.since) for tell in (counts_text, doubt_text, verdict_text))
            self.told.setText(" ".join(filter(None, said)))
            self.told.setToolTip(f"{rows.since.change.title}\n{tolerance_text(rows.since)}")

    def _on_narrowed(self) -> None:
        self._tell_count()
        self._mark_selected()

    def _tell_count(self) -> None:
        shown, total = self.table.rowCount(), 0 if self.table.rows is None else len(self.table.rows)
        self.page.count.setText(f"{shown:,} of {total:,}" if shown < total else f"{total:,} tensors")

    # Selecting

    def _on_row(self, index: QModelIndex) -> None:
        line = self.table.line_at(index.row())
        if line is None or self._syncing:
            return
        self._syncing = True
        if line.node >= 0:
            self._document.go(self._document.state.place, node=line.node)
        elif line.tensor >= 0:
            self._document.go(self._document.state.place, tensor=line.tensor)
        self._syncing = False

    def _on_asked_again(self, index: QModelIndex) -> None:
        """Selects again, unless the graph has it selected."""
        line, state = self.table.line_at(index.row()), self._document.state
        if line is not None and (state.node != line.node if line.node >= 0 else state.tensor != line.tensor):
            self._on_row(index)

    def _mark_selected(self) -> None:
        """Moves to what is selected elsewhere."""
        rows = self.table.rows
        if rows is None or self._syncing or not self.isVisible():
            return
        numbers = rows.rows_of(self._document.state.node, self._document.state.tensor)
        found = [row for row in map(self.table.row_of, numbers) if row is not None]
        self._syncing = True
        self.view.setCurrentIndex(self.table.index(found[0], TENSOR) if found else QModelIndex())
        self._syncing = False


def _wished(state: State) -> "_Wish | None":
    findings, painting = state.findings, state.session.painting
    return None if findings is None or findings.against is None else (findings, painting.metric, painting.limits)


def _rows(wish: "_Wish") -> ChangeRows:
    from errorflow.case.regression.lines import Since

    return ChangeRows.of(Since.of(*wish)).prepare()
