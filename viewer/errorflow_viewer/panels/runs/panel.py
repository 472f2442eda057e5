"""The list of what was tried, and what can be done with it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.base.language import Verbatim
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import add_table
from errorflow_viewer.document.compared_trial import trial_on_view
from errorflow_viewer.document.deploying import deployed_lines_of
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.runs import compare, delete, go_to, rename, stop_comparing, why_not
from errorflow_viewer.kit.banner import notice_of
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import pages, spaced
from errorflow_viewer.kit.look import GRID, PADDING, TARGET, Theme
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, EditedModel, Listing
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.form_parts import LABELS, Note
from errorflow_viewer.panels.runs.accuracies import FLOAT
from errorflow_viewer.panels.runs.evaluate_pane import EvaluatePane
from errorflow_viewer.panels.runs.evaluate_words import float_told, said, told
from errorflow_viewer.panels.runs.rows import CHANGED, NAME, RunColumn, RunRows, as_table

WILL_BE = "Each plan that is simulated becomes a line here, with what changed and what came of it."
COMPARE, STOP = "Compare with the run on view", "Stop comparing"
NO_RUN = "The float model is no run: it is what every run is compared with."
_FIELDS = frozenset(("model", "session.trials", "session.simulation", "session.painting"))
KEY = "runs file"
# Logical px, of the list of outputs.
WIDEST = 320


class RunsPanel(QWidget):
    """Lists nothing before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self.table = RunTable(self._rename, self)
        self.view = RunView(self.table)
        self.output = QComboBox()
        self.output.setAccessibleName("Output that the numbers are of")
        self.output.view().setAccessibleName("Outputs")
        # Also before it was seen for the first time; names that differ at their ends stay apart.
        self.output.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.output.setMaximumWidth(WIDEST)
        self.output.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.output_label = QLabel("Numbers of")
        self.compare, self.result = QPushButton(COMPARE), Note()
        self.evaluate, self.export = QToolButton(), QToolButton()
        self.evaluate.setText("Evaluate…")
        self.evaluate.setToolTip("Count right answers of the float model and of each run on a labelled set")
        self.export.setText("Export list as CSV…")
        self.title_buttons = (self.evaluate, self.export)
        self.pane = EvaluatePane(desk, lambda: [trial.name for trial in self.chosen])
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.empty = Empty(WILL_BE, "Simulate…", desk.studies.simulating.asked.emit)
        self._lay_out()
        self._connect()
        self._refresh()

    def _lay_out(self) -> None:
        head = spaced(QHBoxLayout(), PADDING, (PADDING, 0, PADDING, GRID))
        head.addWidget(self.output_label)
        head.addWidget(self.output)
        head.addStretch(1)
        head.addWidget(self.compare)
        right = QWidget()
        box = spaced(QVBoxLayout(right))
        box.addLayout(head)
        box.addWidget(self.result)
        box.addWidget(self.view, 1)
        self.result.setContentsMargins(PADDING, 0, PADDING, GRID)
        # A long sentence takes room from the list, and none from the graph.
        self.result.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.result.setMinimumHeight(TARGET)
        self.page = EvaluatePage(self.pane, right)
        self.stack = pages(self.nothing, self.empty, self.page)
        spaced(QVBoxLayout(self)).addWidget(self.stack)

    def _connect(self) -> None:
        follow(self, self._document.changed, lambda _: self._refresh(), _FIELDS)
        self._desk.appearance.changed.connect(self._dress)
        self.output.activated.connect(lambda _: self._refresh())
        self.view.activated.connect(lambda index: self._go(index.row()))
        self.view.doubleClicked.connect(lambda index: self._go(index.row()))
        self.view.delete_wanted.connect(self.delete)
        self.view.copy_wanted.connect(self.copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._offer())
        self.evaluate.clicked.connect(lambda: self._desk.studies.evaluating.begin())
        self._desk.studies.evaluating.wanted.connect(self.pane.open_form)
        self.pane.opened.connect(self._refresh)
        self.pane.closed.connect(self._refresh)
        self._desk.studies.evaluating.done.connect(self._tell_done)
        self._desk.studies.evaluating.failed.connect(self._tell_failed)
        self.pane.left.connect(lambda: self.view.setFocus(Qt.FocusReason.OtherFocusReason))
        self.compare.clicked.connect(lambda: self.toggle_comparing())
        self.export.clicked.connect(lambda: self.save())

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def _dress(self, _theme: Theme) -> None:
        self._refresh()

    def _refresh(self) -> None:
        session = self._document.session
        self.stack.setCurrentWidget(self._page())
        self.export.setEnabled(bool(session.trials))
        self.evaluate.setEnabled(bool(session.trials))
        if not self.isVisible() and self.table.rows.trials == session.trials:
            return
        now, chosen = trial_on_view(session), [trial.name for trial in self._selected]
        against = "" if session.simulation is None else session.simulation.against
        rows = RunRows(session.trials, "" if now is None else now.name, against, session.painting.metric)
        deployed = partial(_deployed, self._document)
        rows = replace(rows, output=self.output.currentText(), deployed=deployed, _changed={})
        self.table.show_rows(rows)
        self._fill_outputs(rows)
        self.choose(chosen if chosen else [rows.now])
        self.view.fit()
        self._offer()

    def _page(self) -> QWidget:
        if self._document.session.trials or not self.pane.isHidden():
            return self.page
        return self.nothing if self._document.model is None else self.empty

    def _fill_outputs(self, rows: RunRows) -> None:
        self.output.setVisible(len(rows.outputs) > 1)
        self._fit_head()
        known = tuple(self.output.itemText(at) for at in range(self.output.count()))
        if known != rows.outputs:
            self.output.clear()
            self.output.addItems(list(map(Verbatim, rows.outputs)))
            for at, output in enumerate(rows.outputs):
                self.output.setItemData(at, output, Qt.ItemDataRole.ToolTipRole)
            self.output.updateGeometry()
        self.output.setCurrentText(rows.shown_output)
        self.output.setToolTip(rows.shown_output)

    def _fit_head(self) -> None:
        """The list of outputs can do without its label, and the button not without its text."""
        self.output_label.setVisible(not self.output.isHidden() and self.width() >= WIDEST + LABELS)

    def choose(self, names: Collection[str]) -> None:
        """Selects these runs."""
        model, flags = self.view.selectionModel(), QItemSelectionModel.SelectionFlag
        model.clear()
        for row, trial in enumerate(self.table.rows.listed):
            if trial.name in names:
                index = self.table.index(row, NAME)
                model.select(index, flags.Select | flags.Rows)
                model.setCurrentIndex(index, flags.NoUpdate)

    def _offer(self) -> None:
        """Offers what the button does, and why it cannot; what was found out of what is selected."""
        self._tell()
        self.pane.refresh()
        lack = self._lack()
        self.compare.setText(STOP if self._is_against else COMPARE)
        self.compare.setEnabled(not lack)
        two = len(self.chosen) == 2
        tip = "Paint the graph by what changed between the two" if two else "Paint the graph by what changed since"
        self.compare.setToolTip(lack if lack else STOP if self._is_against else tip)

    def _tell(self) -> None:
        """Tells of a single run that is selected, or else of the one on view."""
        rows, chosen = self.table.rows, self._selected
        told_of = chosen if len(chosen) == 1 else tuple(trial for trial in rows.trials if trial.name == rows.now)
        lines = [line for trial in told_of for line in _sentences(trial, trial is rows.float_model)]
        self.result.say(" ".join(lines[:1]))
        self.result.setToolTip("\n".join(lines))

    def _tell_done(self, count: int) -> None:
        self._desk.say("1 run is evaluated" if count == 1 else f"{count:,} runs are evaluated")

    def _tell_failed(self, error: ErrorflowError) -> None:
        """Tells of a failure in the form, also if that was closed since."""
        self.pane.reveal()
        if self.visibleRegion().isEmpty():  # hidden, or behind another tab
            self._desk.say(said(error.message))

    # What is chosen

    @property
    def _selected(self) -> tuple[Trial, ...]:
        """Trials that are selected, with the float model, if that is."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        return tuple(trial for trial in map(self.table.item_at, rows) if trial is not None)

    @property
    def chosen(self) -> tuple[Trial, ...]:
        """Runs only."""
        return tuple(trial for trial in self._selected if trial is not self.table.rows.float_model)

    @property
    def _pair(self) -> tuple[str, str] | None:
        """Pair of runs: the one on view, or of two that are selected the later one."""
        chosen = [trial.name for trial in self.chosen]
        if len(chosen) == 2:
            return (chosen[0], chosen[1]) if self.table.rows.now == chosen[0] else (chosen[1], chosen[0])
        return (self.table.rows.now, chosen[0]) if len(chosen) == 1 else None

    @property
    def _is_against(self) -> bool:
        pair, rows = self._pair, self.table.rows
        return bool(rows.against) and (pair is None or pair[0] == pair[1] or pair == (rows.now, rows.against))

    def _lack(self) -> str:
        pair = self._pair
        if self._is_against:
            return ""
        if not self.chosen and self._selected:
            return NO_RUN
        return "Choose one run, or two." if pair is None else why_not(self._document.session, *pair)

    # What can be done

    def toggle_comparing(self) -> None:
        pair = self._pair
        if self._is_against:
            stop_comparing(self._document)
        elif pair is not None and not self._lack():
            compare(self._document, *pair)

    def delete(self) -> None:
        is_float = not self.chosen and self._selected
        why = NO_RUN if is_float else delete(self._document, [trial.name for trial in self.chosen])
        if why:
            self._desk.say(why)

    def copy(self) -> None:
        trials = self._selected if self._selected else self.table.rows.listed
        QGuiApplication.clipboard().setText(as_table(self.table.rows, trials))
        self._desk.say("The runs are on the clipboard")

    def save(self) -> None:
        model = self._document.model
        start = str(Path("runs.csv" if model is None else f"{model.path.stem}-runs.csv"))
        chosen, _ = QFileDialog.getSaveFileName(self, "Export the list of runs", start, "Tables (*.csv);;All files (*)")
        if chosen:
            self.write(Path(chosen))

    def write(self, path: Path) -> None:
        from errorflow.base.files import write_atomic
        from errorflow.report.runs_text import runs_csv

        try:
            write_atomic(path, runs_csv(self._document.session.trials))
        except ErrorflowError as error:
            self._desk.studies.simulating.tell(notice_of(error, KEY))
            return
        self._desk.say(f"{path.name} is written")

    def simulate_again(self) -> None:
        """Leads to where other samples are given for that run."""
        for trial in self.chosen[:1]:
            go_to(self._document, trial.name)
        self._desk.panels.show("simulate")

    def evaluate_chosen(self) -> None:
        """Asks on what; meant are the selected runs, if there are others."""
        self.pane.narrow(bool(self.chosen))
        self._desk.studies.evaluating.begin()

    def _go(self, row: int) -> None:
        trial = self.table.item_at(row)
        if trial is not None and trial is self.table.rows.float_model:
            self._desk.say(NO_RUN)
        elif trial is not None:
            go_to(self._document, trial.name)

    def _rename(self, name: str, wanted: str) -> bool:
        is_taken = " ".join(wanted.split()) == FLOAT
        why = f"{FLOAT} is the row above the runs." if is_taken else rename(self._document, name, wanted)
        if why:
            self._desk.say(why)
        return not why

    def menu(self) -> QMenu:
        """Makes the menu of the right button."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        one = self.chosen[0] if len(self.chosen) == 1 else None
        current = self.view.currentIndex()
        go = menu.addAction("Go to this run", lambda: self._go(current.row()))
        go.setEnabled(one is not None and one.name != self.table.rows.now)
        against = menu.addAction(self.compare.text(), self.toggle_comparing)
        against.setEnabled(self.compare.isEnabled())
        menu.addSeparator()
        menu.addAction("Evaluate…", self.evaluate_chosen)
        menu.addAction("Simulate on other samples…", self.simulate_again).setEnabled(one is not None)
        menu.addSeparator()
        menu.addAction("Rename", lambda: self.view.edit(current.siblingAtColumn(NAME))).setEnabled(one is not None)
        gone = menu.addAction("Delete", self.delete)
        gone.setEnabled(any(trial.name != self.table.rows.now for trial in self.chosen))
        menu.addSeparator()
        menu.addAction("Copy", self.copy)
        menu.addAction("Export list as CSV…", self.save)
        add_table(menu, self._desk, self.view, "runs")
        return menu

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.view.viewport().mapToGlobal(spot))


def _sentences(trial: Trial, is_float: bool) -> Iterable[str]:
    """Lists what was found out on the labelled set."""
    return float_told(trial.accuracy) if is_float and trial.accuracy is not None else told(trial)


def _deployed(document: Document, trial: Trial) -> Sequence[str]:
    return deployed_lines_of(document.state.simulated, trial)


# Logical px, of the form; with less than twice as much room it stands above the list.
WIDTH = 292
# What Qt calls any size.
_ANY = (1 << 24) - 1
_DIRECTIONS = {True: QBoxLayout.Direction.TopToBottom, False: QBoxLayout.Direction.LeftToRight}


class EvaluatePage(QWidget):
    """Esc closes the form, wherever on the page the keyboard is."""

    def __init__(self, pane: EvaluatePane, content: QWidget) -> None:
        super().__init__()
        self._pane = pane
        self._line = QFrame()
        self._line.setProperty("role", "rule")
        self._line.hide()
        self._row = QBoxLayout(_DIRECTIONS[False], self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(pane)
        self._row.addWidget(self._line)
        self._row.addWidget(content, 1)
        pane.opened.connect(self._line.show)
        pane.closed.connect(self._line.hide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < 2 * WIDTH
        self._row.setDirection(_DIRECTIONS[is_narrow])
        self._row.setStretch(0, 1 if is_narrow else 0)
        self._pane.setMinimumWidth(0 if is_narrow else WIDTH)
        self._pane.setMaximumWidth(_ANY if is_narrow else WIDTH)
        self._line.setFixedSize(_ANY if is_narrow else 1, 1 if is_narrow else _ANY)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._pane.isHidden():
            self._pane.leave()
        else:
            super().keyPressEvent(event)


# Logical px: the least and the most of a column that is as wide as its texts, and the least of one that takes the rest.
_LEAST, _MOST, _WIDE, _CHANGED = 56, 190, 120, 220


# What stands before the names of the run on view, and of the one that it is compared with; the best number is bold.
ON_VIEW, AGAINST = "▶ ", "⇄ "
BEST = "Bold: the best of the runs that can be compared"
# Who reads aloud hears words.
_SAID = {ON_VIEW: "on view", AGAINST: "compared with"}


class RunTable(EditedModel[Trial]):
    """Names are edited in place: `renamed` is told the old and the new one."""

    def __init__(self, renamed: Callable[[str, str], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._renamed = renamed
        self.rows = RunRows(())

    def show_rows(self, rows: RunRows) -> None:
        self.rows = rows
        first, *others = rows.columns
        self.show(Listing(rows.listed, [self._names(first), *map(self._column, others)]))

    def mark(self, trial: Trial) -> str:
        if trial.name == self.rows.now:
            return ON_VIEW
        return AGAINST if trial.name == self.rows.against else ""

    def _names(self, column: RunColumn) -> Column[Trial]:
        rows = self.rows

        def spoken(trial: Trial) -> str:
            mark = self.mark(trial)
            return f"{trial.name}, {_SAID[mark]}" if mark else trial.name

        return Column(
            column.title,
            lambda trial: f"{self.mark(trial)}{trial.name}",
            column.tip,
            exact=lambda trial: trial.name,
            cell_tip=rows.tip,
            strong=lambda trial: trial.name == rows.now,
            spoken=spoken,
            edited=lambda trial: "" if trial is rows.float_model else trial.name,
            edit=self._rename,
        )

    def _column(self, column: RunColumn) -> Column[Trial]:
        rows, value = self.rows, column.value
        best = rows.best(column) if rows.trials else frozenset()

        def text(trial: Trial) -> str:
            return column.text(rows, trial)

        return Column(
            column.title,
            text,
            column.tip,
            is_number=value is not None,
            exact=text if value is None else lambda trial: _exact(value(trial), text(trial)),
            cell_tip=lambda trial: f"{BEST}\n{rows.tip(trial)}" if trial.name in best else rows.tip(trial),
            muted=None if value is None else lambda trial: not rows.is_comparable(trial, column),
            strong=lambda trial: trial.name in best,
            spoken=lambda trial: f"{text(trial)}, the best" if trial.name in best else text(trial),
        )

    def _rename(self, trial: Trial, wanted: str) -> bool:
        return trial is not self.rows.float_model and self._renamed(trial.name, wanted)


def _exact(value: float, text: str) -> float | str:
    """A value that is none is said as the table says it."""
    return text if value != value else value


class RunView(QTableView):
    """Rows are selected as a whole, several of them too."""

    delete_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self, table: RunTable) -> None:
        super().__init__()
        self.table = table
        furnish(self, table, "Runs", "Rows of runs", "Columns of runs", several=True)
        self.setItemDelegate(CellPainter(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)

    def fit(self) -> None:
        """Numbers are whole; what changed and the verdict share what is left."""
        columns, header = self.table.rows.columns, self.horizontalHeader()
        taken = 0
        for at, column in enumerate(columns):
            if not column.is_wide:
                wish = max(self.sizeHintForColumn(at), header.sectionSizeHint(at))
                header.resizeSection(at, min(max(wish, _LEAST), _MOST))
                taken += header.sectionSize(at)
        wide = [at for at, column in enumerate(columns) if column.is_wide]
        rest = self.viewport().width() - taken
        for at in wide:  # what changed comes first
            share = max(rest * 2 // 3, _CHANGED) if at == CHANGED else max(rest - header.sectionSize(CHANGED), _WIDE)
            header.resizeSection(at, share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
