"""Asks what is good enough, shows each attempt while it is searched, and takes the plan that was found."""

import math
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.progress import Progress
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Tried
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import offer_plot
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.decision_saving import entries
from errorflow_viewer.document.searching import Searching
from errorflow_viewer.kit.accessible.splitter import Splitter
from errorflow_viewer.kit.banner import Notice, notice_of
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import pages, spaced
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.kit.wording import in_window
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.form_parts import Problem
from errorflow_viewer.panels.search import told
from errorflow_viewer.panels.search.attempts import Attempts, AttemptsView
from errorflow_viewer.panels.search.form import SearchForm
from errorflow_viewer.panels.search.plot import SearchPlot, ShownSearch
from errorflow_viewer.panels.search.words import STEP

if TYPE_CHECKING:
    from errorflow.study.search.model import Search
    from errorflow.study.simulate.bench import Bench


_CTRL = Qt.KeyboardModifier.ControlModifier
WILL_BE = "The fewest parts that must stay in float, or get 16 bits, for the model to be good enough are found here."
NOT_YET = "Say on the left what is good enough. Each attempt is drawn here as it is evaluated."
# Logical px, of the form, and at least of the plot.
_FORM, _PLOT = 292, 190
# Of the room for plot and list, what the list may take.
_LIST = 0.6
# Of the panel: narrower, the form stands above; and that high, the list below the plot then.
_NARROW, _TALL = 560, 600
# Qt's own word for no limit.
_ANY = (1 << 24) - 1


class SearchPanel(QWidget):
    """Works nothing out before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._searching: Searching = desk.studies.searching
        self.form = SearchForm(lambda: str(Path.home() if desk.document.folder is None else desk.document.folder))
        self.plot = SearchPlot(desk.appearance.theme)
        self.attempts = Attempts(self)
        self.view = AttemptsView(self.attempts)
        offer_table(desk, self.view, "attempts")
        offer_plot(desk, self.plot, self.plot.given())
        self.sentence, self.problem = QLabel(), Problem()
        self.note = Elided(Qt.TextElideMode.ElideRight)
        self.button, self.take = QPushButton("Find"), QPushButton("Take this plan")
        self._has_own_sizes = False
        self.export, self.more = QPushButton("Export the decision"), QToolButton()
        self.title_buttons = (self.take, self.export, self.more)
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.unsimulated = Empty(WILL_BE, "Simulate first…", desk.studies.simulating.asked.emit)
        self.empty = Empty(NOT_YET)
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._refresh()

    def _make_buttons(self) -> None:
        self.note.setProperty("muted", True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("role", "strong")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.take.setToolTip("Simulate the plan of the selected attempt, as one step that can be undone")
        self.export.setToolTip("Write what stays in float as files that the vendors' tools take")
        menu = QMenu(self.export)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(self._fill_export, menu))
        self.export.setMenu(menu)
        self.more.setText("Export…")
        self.more.setToolTip("Write ranking, history and plan, or copy the search")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        more = QMenu(self.more)
        self.save = more.addAction("Save ranking, history and plan…", self._save)
        self.copy = more.addAction("Copy the attempts", self._copy)
        more.addAction("Copy command", lambda: copy_command(self._desk, self._searching.sought))
        self.more.setMenu(more)

    def _lay_out(self) -> None:
        self.parts = Splitter(Qt.Orientation.Horizontal)
        self.parts.addWidget(self.plot)
        self.parts.addWidget(self.view)
        self.parts.splitterMoved.connect(self._keep_sizes)
        self.parts.setChildrenCollapsible(False)
        self.inside = pages(self.empty, self.parts)
        right = QWidget()
        box = spaced(QVBoxLayout(right))
        box.setContentsMargins(PADDING, PADDING, PADDING, 0)
        box.setSpacing(GRID)
        box.addWidget(self.sentence)
        box.addWidget(self.problem)
        box.addWidget(self.note)
        box.addWidget(self.inside, 1)
        self.left = QWidget()
        under = spaced(QVBoxLayout(self.left))
        under.addWidget(self.form, 1)
        foot = spaced(QHBoxLayout(), PADDING, (PADDING, GRID, PADDING, PADDING))
        foot.addWidget(self.form.how.button)
        foot.addWidget(self.button, 1)
        under.addLayout(foot)
        self.line = QFrame()
        self.line.setProperty("role", "rule")
        self.page = QWidget()
        self.beside = QBoxLayout(QBoxLayout.Direction.LeftToRight, self.page)
        self.beside.setContentsMargins(0, 0, 0, 0)
        self.beside.setSpacing(0)
        self.right = right
        for widget, stretch in ((self.left, 0), (self.line, 0), (right, 1)):
            self.beside.addWidget(widget, stretch)
        self.stack = QStackedWidget()
        for page in (self.nothing, self.unsimulated, self.page):
            self.stack.addWidget(page)
        spaced(QVBoxLayout(self)).addWidget(self.stack)
        self._fit()

    def _connect(self) -> None:
        reads = "model", "simulated", "session.simulation", "session.sought"
        follow(self, self._document.changed, lambda _: self._refresh(), reads)
        follow(self, self._searching.changed, self._refresh)
        self._searching.wanted.connect(lambda: self.form.measure.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self._desk.appearance.changed.connect(self._dress)
        self.form.judged.connect(self._offer)
        self.form.edited.connect(lambda sought: self._searching.choose(STEP, sought))
        self.button.clicked.connect(lambda: self.press())
        self.take.clicked.connect(lambda: self.take_chosen())
        self.plot.picked.connect(self.view.choose)
        self.plot.opened.connect(lambda number: self._take(number))
        self.view.chosen.connect(self._choose)
        self.view.copy_wanted.connect(self._copy)
        self.view.activated.connect(lambda index: self._take(index.row()))
        self.view.doubleClicked.connect(lambda index: self._take(index.row()))

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The form stands beside what was found, or above it where the panel is narrow."""
        narrow = self.width() < _NARROW
        ways = QBoxLayout.Direction
        self.beside.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self.beside.setStretch(0, 1 if narrow else 0)
        for widget, size in ((self.left, _FORM), (self.line, 1)):
            widget.setMinimumSize(0 if narrow else size, 0)
            widget.setMaximumSize(_ANY if narrow else size, _ANY)
        if narrow:
            self.line.setFixedHeight(1)
        is_tall = narrow and self.height() >= _TALL
        self.parts.setOrientation(Qt.Orientation.Vertical if is_tall else Qt.Orientation.Horizontal)
        self._share()

    def _share(self) -> None:
        """Shares the room: the list gets what its columns need, and the plot the rest, until the user moves the
        handle.
        """
        room = (self.width() if self.width() < _NARROW else self.width() - _FORM) - 2 * PADDING
        if self._has_own_sizes or self.parts.orientation() == Qt.Orientation.Vertical:
            return
        wide = min(self.view.wish, max(room - _PLOT, 0), round(room * _LIST))
        self.parts.setSizes([room - wide, wide])

    def _keep_sizes(self) -> None:
        self._has_own_sizes = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._searching.busy:
            self._searching.stop()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() & _CTRL:
            self.press()
        else:
            super().keyPressEvent(event)

    def _dress(self, theme: Theme) -> None:
        self.plot.dress(theme)
        self.problem.dress(theme)
        self.form.dress(theme)

    def _page(self) -> QWidget:
        session = self._document.session
        if self._document.model is None:
            return self.nothing
        return self.page if session.simulation is not None or self._searching.waits else self.unsimulated

    def _refresh(self) -> None:
        self.stack.setCurrentWidget(self._page())
        if not self.isVisible():
            return
        searching, found = self._searching, self._searching.found
        self.form.show_sought(searching.sought, self._outputs())
        self.form.setEnabled(not searching.busy)
        chosen = self.view.number
        has_more = self.attempts.rowCount() != (0 if found is None else len(found.tried))
        self.attempts.show_search(found, searching.sought)
        if has_more:
            self.view.fit()
            self._share()
        self.plot.show_search(None if found is None else ShownSearch(found, searching.sought, self._edge()))
        is_under_way = searching.busy or searching.waits
        self.empty.sentence.setText(told.NONE_YET if is_under_way else NOT_YET)
        self.inside.setCurrentWidget(self.parts if found is not None and found.tried else self.empty)
        if not searching.busy and chosen is None and found is not None and found.best is not None:
            self.view.choose(found.best.number)
        self._tell()

    def _tell(self) -> None:
        searching, found = self._searching, self._searching.found
        stage = "" if found is None else found.stage
        text = "" if found is None else told.result(found, searching.sought)
        if searching.waits:
            text = told.WAITS
        self.sentence.setText(f"{text} {stage} …" if stage and stage != text else text)
        older = found is not None and not searching.busy and not searching.is_of_plan
        lines = [told.OLDER] if older else []
        lines += [] if found is None else told.notes(found, busy=searching.busy)
        self.note.show_text(" ".join(map(in_window, lines)))
        self.note.setToolTip("\n".join(map(in_window, lines)))
        self.note.setVisible(bool(lines))
        self.sentence.setVisible(bool(self.sentence.text()))
        error = searching.error
        self._dress(self._desk.appearance.theme)
        self.problem.say(*(("", "") if error is None else (in_window(error.message), in_window(error.hint))))
        self.button.setText(self._button_text)
        self.save.setEnabled(found is not None and searching.bench is not None)
        self.copy.setEnabled(found is not None)
        self._offer()

    @property
    def _button_text(self) -> str:
        searching = self._searching
        if searching.busy or searching.waits:
            return "Stop"
        if searching.can_go_on:
            return "Go on"
        return "Find" if searching.found is None else "Find again"

    def _offer(self) -> None:
        """Offers what can be done with what was found, and whether something can be found."""
        found, tried = self._searching.found, self._chosen()
        is_under_way, lack = self._searching.busy or self._searching.waits, self.form.lack
        self.button.setEnabled(is_under_way or not lack)
        self.button.setToolTip("" if is_under_way else lack)
        is_there = found is not None and found.best is not None
        is_best = tried is not None and found is not None and tried is found.best and tried.good
        self.take.setVisible(is_there)
        self.take.setEnabled(tried is not None and len(tried.choice) > 0 and self._searching.bench is not None)
        self.take.setText("Take this plan" if is_best or tried is None else "Look at this plan")
        is_next = is_best and self.take.isEnabled() and not self._searching.is_taken
        _make_primary(self.take, is_next and not is_under_way)
        _make_primary(self.button, not is_next)
        self.export.setVisible(is_there and self._searching.is_of_plan and not self._searching.busy)
        self.export.setEnabled(self._searching.bench is not None)

    def _outputs(self) -> tuple[str, ...]:
        simulated = self._document.state.simulated
        return () if simulated is None else tuple(simulated.bench.engine.outputs)

    def _edge(self) -> float:
        """The worst value that is good enough, if it is known."""
        from errorflow.study.search.asking import rule_of
        from errorflow_viewer.panels.search.words import higher_is_better

        found, sought = self._searching.found, self._searching.sought
        rule = rule_of(sought)
        if found is None or rule is None or (math.isnan(found.original) and rule.kind != "bound"):
            return math.nan
        higher = found.higher_is_better if sought.evaluator is not None else higher_is_better(sought)
        return rule.edge(found.original, higher)

    # What is chosen, and what can be done with it

    def _chosen(self) -> Tried | None:
        number = self.view.number
        return None if number is None else self.attempts.item_at(number)

    def _choose(self, number: int | None) -> None:
        self.plot.select(number)
        self._point()
        self._offer()

    def _point(self) -> None:
        """The first part of the attempt, in the graph."""
        found, tried = self._searching.found, self._chosen()
        graph = self._document.graph
        if found is None or tried is None or graph is None or not self.view.hasFocus():
            return
        from errorflow.quant.selecting import keys_of

        known = keys_of(graph).nodes
        names = (name for part, _ in found.chosen(tried) for name in part.nodes)
        self._document.pointed.emit(next((node for name in names for node in known.get(name, ())), None))

    def press(self) -> None:
        if self._searching.busy or self._searching.waits:
            self._searching.stop()
            return
        self.form.finish()
        if self.form.lack:
            self.form.limit.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._searching.find()

    def take_chosen(self) -> None:
        tried = self._chosen()
        found = self._searching.found
        tried = found.best if tried is None and found is not None else tried
        if tried is not None:
            self._desk.say(self._searching.take(tried))

    def _take(self, number: int) -> None:
        self.view.choose(number)
        self.take_chosen()

    def _fill_export(self, menu: QMenu) -> None:
        """Fills the menu; what is exported is the plan of the attempt, and that on view stays."""
        menu.clear()
        found, tried = self._searching.found, self._chosen()
        tried = found.best if tried is None and found is not None else tried
        plan = None if tried is None else self._searching.plan_of(tried)
        for entry in entries(self._desk, plan):
            action = menu.addAction(entry.text)
            action.setToolTip(entry.tip)
            action.triggered.connect(lambda _=False, entry=entry: entry.run(self._desk))

    def _save(self) -> None:
        found = self._searching.found
        if found is not None:
            ask_to_save(self, self._desk, found)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.attempts.as_table())
        self._desk.say("The attempts are on the clipboard")


def _make_primary(button: QPushButton, is_primary: bool) -> None:
    if bool(button.property("primary")) != is_primary:
        button.setProperty("primary", is_primary)
        button.style().unpolish(button)
        button.style().polish(button)


# A search given away: as files in a folder, and as a call of the command line.

KEY = "search files"
COPIED = "Copied the command"
NO_PLAN = "Copied. Save the plan as plan.json first: its changes are more than options can say."


def ask_to_save(parent: QWidget, desk: Desk, found: "Search") -> None:
    """Asks where to, without stopping the window."""
    beside = desk.document.folder
    dialog = QFileDialog(parent.window(), "A folder for what was found", desk.settings.export_folder(beside))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)

    def chosen(text: str) -> None:
        desk.settings.remember_export(Path(text), beside)
        save_to(Path(text), desk, found)

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def save_to(folder: Path, desk: Desk, found: "Search") -> None:
    """Saves all files that the command line writes, AMCT's too, in the background."""
    simulated = desk.document.state.simulated
    if simulated is None:
        desk.say("The simulation is being prepared.")
        return
    desk.jobs.start(
        KEY,
        f"Writing to {folder.name}",
        partial(_write, folder, found, simulated.bench),
        lambda notes: _tell(desk, folder, notes),
        lambda error: desk.studies.simulating.tell(notice_of(error, KEY)),
    )


def _write(folder: Path, found: "Search", bench: "Bench", progress: Progress) -> list[str]:
    from errorflow.report.search import SEARCH_TOOLS, write_search

    _, notes = write_search(folder, found, bench, starts=dict.fromkeys(SEARCH_TOOLS.by_key, ""), progress=progress)
    return notes


def _tell(desk: Desk, folder: Path, notes: list[str]) -> None:
    desk.say(f"Ranking, history and plan are in {folder}")
    if notes:
        desk.studies.simulating.tell(Notice("info", notes[0], details="\n".join(notes[1:]), key=KEY))


def copy_command(desk: Desk, sought: Sought) -> None:
    simulation, path = desk.document.session.simulation, desk.document.session.model
    if simulation is None or path is None:
        return
    from errorflow.study.simulate.call import call_of, needs_plan

    plan = simulation.plan
    is_own = plan.coded is not None and not (plan.rules or plan.tensors)
    said = None if is_own and simulation.basis.own else plan
    whole = call_of(path, simulation.basis, said).replace("errorflow simulate", "errorflow search", 1)
    QGuiApplication.clipboard().setText(" ".join([whole, shlex.join(options_of(sought))]).strip())
    desk.say(NO_PLAN if needs_plan(said) else COPIED)


def options_of(sought: Sought) -> list[str]:
    """Writes what the form says, as options."""
    from errorflow.study.search.asking import rule_of
    from errorflow_viewer.panels.search.words import higher_is_better

    rule, words = rule_of(sought), list[str]()
    if sought.evaluator is not None:
        words += ["--evaluator", str(sought.evaluator), "--time-limit", f"{sought.seconds:g}"]
    if rule is not None and rule.kind == "bound":
        name = "" if sought.evaluator is not None else sought.measure
        words += ["--target", f"{name}{'>=' if higher_is_better(sought) else '<='}{rule.limit:.12g}"]
    elif rule is not None:
        amount = f"{rule.limit * 100:.12g}%" if rule.kind == "relative" else f"{rule.limit:.12g}"
        words += [*([] if sought.evaluator is not None else ["--metric", sought.measure]), "--max-drop", amount]
    words += [] if sought.labels is None else ["--labels", str(sought.labels)]
    for name in sought.outputs:
        words += ["--output", name]
    words += [] if sought.over == "pooled" else ["--over", sought.over]
    words += ["--strategy", sought.strategy if sought.own_strategy is None else str(sought.own_strategy)]
    words += [] if sought.kind == "unit" else ["--by", sought.kind]
    words += ["--to", "16"] if sought.to == 16 else []
    words += ["--rank-by", sought.by] if sought.by != "noise" else []
    return [*words, *([] if sought.most is None else ["--max-evaluations", str(sought.most)])]
