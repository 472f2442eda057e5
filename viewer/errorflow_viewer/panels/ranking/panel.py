"""Asks which parts of the model matter, and lists what is known of them while it is found out."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QActionGroup, QColor, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QPushButton, QSpinBox, QToolButton, QVBoxLayout, QWidget

from errorflow.explain.findings.model import with_limits
from errorflow.graph.model import Graph
from errorflow.quant.switching import Switch
from errorflow.report.profile_shapes import profile_colors
from errorflow.study.rank.model import MEASURES, Measure, Question, Ranking
from errorflow.study.rank.sureness import decided
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.ranking import SIMULATED_FIRST
from errorflow_viewer.document.state import Coupled, Place
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.keymap import Keymap, tell_keys
from errorflow_viewer.kit.layouts import flowing, pages, spaced, text_button, text_label
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.ranking import asking
from errorflow_viewer.panels.ranking.asking import RankingChoice, RankingContext
from errorflow_viewer.panels.ranking.doing import FILES, Doing
from errorflow_viewer.panels.ranking.rows import NAME, RankRows
from errorflow_viewer.panels.ranking.table import RankTable
from errorflow_viewer.panels.ranking.view import RankView

_FIELDS = frozenset(
    ("model", "ranking", "place", "simulated", "session.question", "session.simulation", "session.painting")
)


class RankingPanel(QWidget):
    """Lists nothing before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._rankings = desk.studies.ranking
        self.table = RankTable(self)
        self.view = RankView(self.table, Keymap.of(desk.settings))
        self.doing = Doing(desk, self.view, self._show)
        self.head = RankingHead()
        self.head.look_around = self._around
        self.bar = Bar(FILES, desk.settings)
        self.title_buttons = (*self.bar.paint.values(), self.bar.pairs, self.bar.export)
        self.note = text_label(muted=True, wraps=True)
        self.note.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.nothing = Empty(WILL_BE, "Open a model…", desk.ask_for_file)
        self.empty = Empty(WILL_BE, "Which nodes matter?", self._rankings.begin)
        self.measuring = Empty(MEASURING)
        self.none_found = Empty(
            "Nothing in the ranking fits what you look for.", "Show all", lambda: self.bar.filter.clear()
        )
        # What is listed came later than the order of the rows.
        self._held = False
        # The selection is being brought into line with the document.
        self._follows = False
        self._lay_out()
        self._connect()
        self._dress()
        self._refresh()

    def _lay_out(self) -> None:
        self.list = pages(self.view, self.empty, self.measuring, self.none_found)
        self.page = QWidget()
        box = spaced(QVBoxLayout(self.page))
        for line in (self.head, self.bar, self.note):
            box.addWidget(line)
        box.addWidget(self.list, 1)
        self.stack = pages(self.nothing, self.page)
        spaced(QVBoxLayout(self)).addWidget(self.stack)

    def _connect(self) -> None:
        follow(self, self._document.changed, self._on_changed, (*_FIELDS, "node", "tensor"))
        self._document.pointed.connect(self._on_pointed)
        follow(self, self._rankings.changed, self._on_run)
        self._desk.appearance.changed.connect(self._dress)
        self.head.chosen.connect(self._rankings.choose)
        self.bar.filter.textChanged.connect(self._narrow)
        self.bar.pressed.connect(self._press)
        self.bar.painted.connect(self._rankings.paint)
        self.bar.kept.connect(self.doing.keep)
        self.bar.written.connect(self.doing.save)
        self.bar.paired.connect(self._rankings.pair)
        self.bar.copied.connect(self.doing.copy)
        view = self.view
        view.pointed.connect(self._point)
        view.activated.connect(lambda index: self._show(index))
        view.doubleClicked.connect(lambda index: self._show(index))
        view.selectionModel().currentRowChanged.connect(self._go)
        view.asked_again.connect(self._go_again)

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.view.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self._rankings.busy or self._rankings.waits):
            self._rankings.stop()
        else:
            super().keyPressEvent(event)

    def _on_changed(self, fields: Collection[str]) -> None:
        if _FIELDS & set(fields):
            self._refresh()
        elif "node" in fields or "tensor" in fields:
            self._mark()

    def _on_run(self) -> None:
        """Follows whether it runs."""
        if self.isVisible():
            self._tell()
            self._count()

    def _dress(self, _theme: Theme | None = None) -> None:
        palette = self._document.session.painting.palette
        bars = profile_colors(self._desk.appearance.theme.name, palette).bars
        self.view.cells.shades = tuple(map(QColor, bars))
        self.view.viewport().update()

    def _refresh(self) -> None:
        state = self._document.state
        self.stack.setCurrentWidget(self.nothing if state.model is None else self.page)
        ranking, graph = state.ranking, self._graph()
        if not self.isVisible():
            if state.model is None:  # nothing of it is left in memory
                self.table.show_rows(None)
            return
        self._tell()
        scales = (
            {}
            if ranking is None
            else {metric.key: with_limits(metric, state.session.painting.limits) for metric in ranking.metrics}
        )
        before = self.table.rows
        if ranking is None:
            self.table.show_rows(None)
        elif before is None or (before.ranking, before.graph, before.scales) != (ranking, graph, scales):
            self._list(RankRows(ranking, graph, scales))
        self._dress()
        self._count()
        self._mark()

    def _list(self, rows: RankRows) -> None:
        before = self.table.rows
        same = before is not None and before.ranking.parts == rows.ranking.parts
        holds = same and self.view.is_under_pointer and self._rankings.busy
        self._held = holds
        place = self._place_of_selection()
        self.table.show_rows(rows, holds)
        self.view.mark_order()
        if place is not None and same and not holds:
            row, above = place
            self._scroll_to(row, above)
        if not same or not holds:
            self.view.fit()

    def _place_of_selection(self) -> tuple[int, int] | None:
        """The part of the row that is selected, if one sees it, and how far from the top it is."""
        index = self.view.currentIndex()
        part = self.table.number_at(index.row())
        room = self.view.visualRect(index)
        seen = index.isValid() and self.view.viewport().rect().intersects(room)
        return (part, room.top()) if seen and part is not None else None

    def _scroll_to(self, part: int, above: int) -> None:
        row, bar = self.table.row_of(part), self.view.verticalScrollBar()
        if row is not None:
            bar.setValue(bar.value() + self.view.visualRect(self.table.index(row, NAME)).top() - above)

    def _tell(self) -> None:
        """The question, how far it is, and what can be done now."""
        session, state = self._document.session, self._document.state
        ranking, busy = state.ranking, self._rankings.busy
        of_plan = self._rankings.is_of_plan
        self.head.show_question(session.question, self._around())
        self.bar.button.setText(self._button_text)
        self.bar.setVisible(ranking is not None or busy or self._rankings.waits)
        done = of_plan and ranking is not None and ranking.complete
        self.bar.button.setEnabled(busy or self._rankings.waits or not done)
        text = told(
            ranking,
            waits=self._rankings.waits,
            busy=busy,
            simulated=session.simulation is not None,
            is_of_plan=of_plan,
            coupled=self._rankings.coupled,
        )
        self.note.setText(text)
        self.note.setVisible(bool(text))
        measures = () if ranking is None else ranking.question.measures
        known = 0 if self.table.rows is None else int(self.table.rows.measured.sum())
        self.bar.offer(measures, session.painting.ranked, known, state.simulated is not None)

    @property
    def _button_text(self) -> str:
        ranking = self._document.state.ranking
        if self._rankings.busy or self._rankings.waits:
            return "Stop"
        if ranking is None or not self._rankings.is_of_plan:
            return "Which nodes matter?" if ranking is None else "Rank again"
        return "Ranked" if ranking.complete else "Go on"

    def _count(self) -> None:
        rows = self.table.rows
        if rows is None:
            going_on = self._rankings.busy or self._rankings.waits
            self.measuring.sentence.setText(SIMULATED_FIRST if self._rankings.waits else MEASURING)
            self.list.setCurrentWidget(self.measuring if going_on else self.empty)
            return
        shown, whole = self.table.rowCount(), len(rows)
        self.bar.count.setText(f"{whole:,} parts" if shown == whole else f"{shown:,} of {whole:,} parts")
        self.list.setCurrentWidget(self.view if shown else self.none_found)
        self.bar.offer(
            rows.ranking.question.measures,
            self._document.session.painting.ranked,
            int(rows.measured.sum()),
            self._document.state.simulated is not None,
        )

    def _narrow(self, text: str) -> None:
        self.table.filter(text)
        self._count()
        self._mark()

    def _graph(self) -> Graph | None:
        """The one that parts are of, if it is on view."""
        return self._document.graph if self._document.state.place == Place() else None

    def _around(self) -> RankingContext:
        """Lists what a question can be about."""
        from errorflow.quant.selecting import keys_of

        state, graph = self._document.state, self._graph()
        bench = None if state.simulated is None else state.simulated.bench
        outputs = () if bench is None else tuple(name for name in bench.engine.outputs if name in bench.engine.shapes)
        samples = 0 if bench is None else bench.engine.samples
        simulation = state.session.simulation
        sample = -1 if simulation is None else simulation.sample
        if graph is None:
            return RankingContext(outputs, samples, sample=sample)
        nodes: Sequence[int] = ()
        tensor = -1 if state.tensor is None else state.tensor
        if state.group is not None:
            nodes = self._desk.selection.group_nodes.tolist()
        elif state.node is not None:
            nodes = [state.node]
            tensor = next((each for each in graph.node_outputs[state.node].tolist() if each >= 0), -1)
        keys = keys_of(graph)
        names = tuple(dict.fromkeys(keys.best(node) for node in nodes))
        name = "" if tensor < 0 else graph.tensor_names[tensor]
        return RankingContext(outputs, samples, names, self._desk.selection.name if names else "", name, sample)

    # Together with the graph

    def _point(self, part: int | None) -> None:
        rows = self.table.rows
        nodes = () if rows is None or part is None else rows.nodes[part]
        self._document.pointed.emit(nodes[0] if nodes else None)
        self.view.point(part)
        if part is None and self._held:  # the order that was held back
            self._held = False
            if rows is not None:
                self.table.show_rows(rows)

    def _on_pointed(self, node: int | None) -> None:
        rows = self.table.rows
        if rows is not None and self.isVisible():
            self.view.point(None if node is None else rows.parts_of.get(node))

    def _go(self, index: QModelIndex, _before: QModelIndex | None = None) -> None:
        """Selects in the graph what is selected here."""
        part, rows = self.table.number_at(index.row()), self.table.rows
        if self._follows or part is None or rows is None:
            return
        if rows.nodes[part]:
            self._document.walk(rows.nodes[part][0])
        elif rows.tensor(part) is not None:
            self._document.walk(tensor=rows.tensor(part))

    def _go_again(self, index: QModelIndex) -> None:
        """Goes again, unless the graph has it selected."""
        part, rows, state = self.table.number_at(index.row()), self.table.rows, self._document.state
        if part is None or rows is None:
            return
        tensor = rows.tensor(part)
        if state.node not in rows.nodes[part] and (tensor is None or state.tensor != tensor):
            self._go(index)

    def _show(self, index: QModelIndex) -> None:
        """Travels there."""
        part, rows = self.table.number_at(index.row()), self.table.rows
        if part is not None and rows is not None and rows.nodes[part]:
            self._document.show(rows.nodes[part][0])
        elif part is not None and rows is not None and rows.tensor(part) is not None:
            self._document.go(Place(), tensor=rows.tensor(part))

    def _mark(self) -> None:
        """The row of what is selected in the graph."""
        rows, node = self.table.rows, self._document.state.node
        if rows is None or node is None or not self.isVisible():
            return
        here = self.table.number_at(self.view.currentIndex().row())
        if here is not None and node in rows.nodes[here]:
            return
        part = rows.parts_of.get(node)
        row = None if part is None else self.table.row_of(part)
        if row is None:
            return
        self._follows = True
        flags = QItemSelectionModel.SelectionFlag
        index = self.table.index(row, NAME)
        self.view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.view.scrollTo(index)
        self._follows = False

    # What can be done

    def _press(self) -> None:
        if self._rankings.busy or self._rankings.waits:
            self._rankings.stop()
        else:
            self._rankings.begin()


# What is told above a ranking: how far it is, what it is about, and where single parts do not add up.

WAITS = "The ranking begins as soon as the simulation is there."
OLDER = "This is about the plan before: rank again to know it for the one on view."
NO_SIMULATION = "Nothing is simulated: the ranking is what was found out before."
MEASURING = "What promises most is measured first: the list begins as soon as there are numbers."
WILL_BE = "How much each unit, tensor or weight alone harms the outputs is listed here, the worst first."


def told(
    ranking: Ranking | None,
    *,
    waits: bool,
    busy: bool,
    simulated: bool,
    is_of_plan: bool,
    coupled: Coupled | None = None,
) -> str:
    """A line for each thing."""
    lines = [" ".join(_told(ranking, waits, busy, simulated, is_of_plan))]
    if ranking is not None and not busy:
        lines += interaction(ranking, coupled)
    return "\n".join(line for line in lines if line)


def interaction(ranking: Ranking, coupled: Coupled | None) -> list[str]:
    """Lists where single parts do not add up to what all do, and which pairs show it."""
    from errorflow.report.pairs import interaction_lines

    pairs = None if coupled is None or coupled.ranking is not ranking else coupled.pairs
    return list(interaction_lines(ranking, pairs)) if ranking.complete else []


def _told(ranking: Ranking | None, waits: bool, busy: bool, simulated: bool, is_of_plan: bool) -> Iterator[str]:
    if waits:
        yield WAITS
    if ranking is None:
        return
    if not simulated:
        yield NO_SIMULATION
    elif not is_of_plan and not busy:
        yield OLDER
    if not ranking.complete:
        yield progress(ranking)


def progress(ranking: Ranking) -> str:
    """Says how far it is: parts are all measured on one sample before others follow."""
    done = ranking.done[ranking.question.measures[0]]
    known, count = int(done.any(axis=1).sum()), len(ranking.parts)
    if known < count:
        return f"{known:,} of {count:,} are measured; the others stand in the order of what is expected of them."
    share, first = f"{ranking.share_done:.0%}".replace("%", " %"), decided(ranking)
    if first:
        return f"The order of the first {first:,} is decided; the rest follows ({share} done)."
    return f"All {count:,} are measured; more samples follow ({share} done)."


Choices = Callable[[Question, RankingContext], Iterator[RankingChoice]]
_PARTS: tuple[tuple[str, str, str, tuple[Choices, ...]], ...] = (
    ("Rank", "kind", "What is switched as one", (asking.kinds, asking.only)),
    ("by", "measure", "What is measured of it", (asking.measures, asking.kept)),
    ("in", "metric", "Metrics", (asking.metrics,)),
    ("at", "place", "Where it is measured", (asking.places,)),
    ("on", "sample", "Samples", (asking.samples,)),
)
# Logical px, of a word: names of tensors are long.
_WIDEST = 220


class RankingHead(QWidget):
    """Asks nothing by itself: `chosen` has what the step is called, and the other question."""

    chosen = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._question, self._around = Question(), RankingContext()
        # Asked for when a menu opens: what is selected changes often.
        self.look_around: Callable[[], RankingContext] = RankingContext
        self.words: dict[str, QPushButton] = {}
        widgets: list[QWidget] = []
        for word, key, name, choices in _PARTS:
            label = text_label(word, muted=True)
            button = self.words[key] = QPushButton()
            button.setAccessibleName(name)
            button.setMaximumWidth(_WIDEST)
            button.setMenu(self._menu(button, choices))
            label.setBuddy(button)
            widgets += [label, button]
        row = flowing(GRID, *widgets)
        row.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.setLayout(row)

    def show_question(self, question: Question, around: RankingContext) -> None:
        self._question, self._around = question, around
        texts = {
            "kind": asking.kind_text(question),
            "measure": asking.measure_text(question),
            "metric": asking.metric_text(question),
            "place": asking.place_text(question),
            "sample": asking.sample_text(question, around),
        }
        for key, text in texts.items():
            self.words[key].setText(text.replace("&", "&&"))
        self.words["place"].setToolTip(", ".join(question.outputs) if question.outputs else "All outputs of the model")
        names = [name for group in question.only for name in group]
        self.words["kind"].setToolTip("\n".join(names[:20]) if names else "All that the plan quantizes")

    def _menu(self, button: QPushButton, choices: tuple[Choices, ...]) -> QMenu:
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(lambda: self.fill(menu, choices))
        return menu

    def fill(self, menu: QMenu, choices: tuple[Choices, ...]) -> None:
        menu.clear()
        self._around = self.look_around()
        for number, offered in enumerate(choices):
            if number:
                menu.addSeparator()
            group = QActionGroup(menu)
            for choice in offered(self._question, self._around):
                if choice.apart:
                    menu.addSeparator()
                action = menu.addAction(choice.text.replace("&", "&&"))
                action.setToolTip(choice.tip)
                action.setCheckable(True)
                action.setChecked(choice.checked)
                action.setEnabled(choice.enabled)
                if not choice.many:
                    group.addAction(action)
                action.triggered.connect(lambda _=False, choice=choice: self.chosen.emit(choice.step, choice.question))


HEIGHT = 28
TARGETS: tuple[tuple[str, Switch], ...] = (("float", "float"), ("16 bits", 16))
PAINTED: dict[Measure, tuple[str, str]] = {
    "impact": ("Fill nodes by the harm that each does alone", "I"),
    "recovery": ("Fill nodes by the error that is left with each in float", "Shift+I"),
}


class Bar(QWidget):
    """`files` are kinds of files that a ranking can be written as. `paint`, `pairs` and `export` stand in the title."""

    pressed = Signal()  # the main button
    painted = Signal(object)  # Measure, or None: by error again
    kept = Signal(int, object)  # how many, and the switch
    written = Signal(str)  # which of `files`
    copied = Signal()
    paired = Signal()

    def __init__(self, files: Sequence[str], settings: Settings) -> None:
        super().__init__()
        self.button = text_button("Which nodes matter?", lambda: self.pressed.emit())
        self.button.setProperty("primary", True)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Name or type")
        self.filter.setAccessibleName("Filter the ranking")
        self.filter.setFixedHeight(HEIGHT)
        self.filter.setMinimumWidth(150)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.count = text_label(role="label")
        self.paint: dict[Measure, QToolButton] = {}
        for measure in MEASURES:
            button = self.paint[measure] = QToolButton()
            button.setText(f"Paint by {measure}")
            button.setCheckable(True)
            tip, key = PAINTED[measure]
            tell_keys(button, settings, tip, f"rank.paint.{measure}", (key,))
            button.clicked.connect(lambda checked, measure=measure: self.painted.emit(measure if checked else None))
        self.number = QSpinBox()
        self.number.setRange(1, 1)
        self.number.setAccessibleName("How many are kept")
        self.number.lineEdit().setAccessibleName("How many are kept")
        self.number.setFixedHeight(HEIGHT)
        self.target = QComboBox()
        self.target.addItems([text for text, _ in TARGETS])
        self.target.setAccessibleName("What they are kept in")
        self.target.view().setAccessibleName("Precisions")
        self.target.setFixedHeight(HEIGHT)
        self.keep = text_button(
            "Keep top",
            lambda: self.kept.emit(self.number.value(), TARGETS[self.target.currentIndex()][1]),
            "Put the first of the ranking to float, or to more bits, as one step that can be undone",
        )
        self.of = text_label("in", muted=True)
        self.export = QToolButton()
        self.export.setText("Export")
        self.export.setToolTip("Write the ranking as a file, or copy it")
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setMenu(self._menu(files))
        self.pairs = QToolButton()
        self.pairs.setText("Check pairs")
        self.pairs.setToolTip("Quantize the first five in pairs too: do they act on their own, or together?")
        self.pairs.clicked.connect(lambda: self.paired.emit())
        self.results = (self.filter, self.count, self.keep, self.number, self.of, self.target)
        row = flowing(PADDING, self.button, *self.results)
        row.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.setLayout(row)

    def offer(self, measures: Sequence[Measure], painted: str, known: int, ready: bool) -> None:
        """`known`: of so many something was measured; `ready`: a plan can be changed."""
        for measure, button in self.paint.items():
            button.setVisible(measure in measures)
            button.setChecked(painted == measure)
        self.number.setMaximum(max(known, 1))
        for widget in (self.keep, self.number, self.target):
            widget.setEnabled(ready and known > 0)
        self.export.setVisible(known > 0)
        self.pairs.setVisible(known > 1)
        self.pairs.setEnabled(ready)
        for result in self.results:
            result.setVisible(known > 0)

    def _menu(self, files: Sequence[str]) -> QMenu:
        menu = QMenu(self)
        for text in files:
            menu.addAction(text, partial(self.written.emit, text))
        menu.addSeparator()
        menu.addAction("Copy the table", self.copied.emit)
        return menu
