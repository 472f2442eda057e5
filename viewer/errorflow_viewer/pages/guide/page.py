"""The page on which a comparison is put together: cards above, what the chosen one needs below."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from errorflow.case.scenarios import SCENARIOS
from errorflow.case.scenarios.call import call_of
from errorflow.case.scenarios.filling import Filling, can_swap
from errorflow.case.scenarios.found import LOOKED_FOR, Discovered
from errorflow.case.scenarios.scenario import Need, Scenario
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.opening_jobs import LOOK
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.kit.layouts import (
    call_line,
    clear_layout,
    empty,
    flowing,
    page_foot,
    scrolled,
    spaced,
    text_button,
    text_label,
)
from errorflow_viewer.kit.look import DISPLAY, GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.guide.looking import looked
from errorflow_viewer.pages.guide.need_row import NeedRow
from errorflow_viewer.pages.guide.shapes_row import ShapesRow
from errorflow_viewer.panels.empty import Empty

WIDTH = 1160
_CHOOSE = "several fit – choose"
# Of what could not be looked into, so much is told where nothing else was found.
TOLD = 3


class ComparePage(QWidget):
    """Shows a `Filling`; whatever is chosen makes a new one."""

    started = Signal(object)  # Setup
    left = Signal()
    seen = Signal(bool)  # whether it is on view

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/start-a-comparison.md")
        self._desk = desk
        self.filling = Filling()
        self.row = SCENARIOS[0]
        self.setAccessibleName("Compare")
        self.grid = GuideCardGrid(SCENARIOS)
        self.grid.chosen.connect(self.choose)
        self._needs = QVBoxLayout()
        self._needs.setSpacing(0)
        self.rows: list[NeedRow] = []
        self.shapes = ShapesRow()
        self.shapes.changed.connect(self._give_shapes)
        self.looked = text_label(muted=True)
        self.nothing = Empty("", "Look through another folder…", self._ask_for_folder)
        self.nothing.hide()
        box = spaced(QVBoxLayout(self))
        box.addWidget(self._scrolled(), 1)
        box.addWidget(self._make_foot())
        self.show_filling(self.filling)

    # What is shown

    def show_filling(self, filling: Filling, row: Scenario | None = None) -> None:
        """`row`: the comparison that is chosen; None: the one that fits best."""
        self.filling = filling
        self._refresh_cards(filling.best if row is None else row)
        self._show_needs()

    def choose(self, row: Scenario) -> None:
        self.show_filling(self.filling, row)

    def look_through(self, paths: Sequence[Path]) -> None:
        """Finds out in the background what lies there, and fills in what it can."""

        def take(found: Discovered) -> None:
            self.show_filling(self.filling.looked_through(found))

        self._look(paths, take)

    def _look(self, paths: Sequence[Path], take: Callable[[Discovered], None]) -> None:
        self._desk.jobs.start(
            LOOK, f"Looking through {paths[0].name}", lambda progress: looked(paths, progress), take, ignore_failure
        )

    @property
    def setup(self) -> Setup:
        """Setup that is put together so far."""
        return self.filling.setup(self.row)

    def _refresh_cards(self, chosen: Scenario) -> None:
        self.row = chosen
        for card in self.grid.cards:
            card.show_state(self._state_of(card.row), card.row is chosen)

    def _state_of(self, row: Scenario) -> str:
        setup = self.filling.setup(row)
        required = [need for need in row.needs if need.required]
        given = sum(setup.file(need.key) is not None for need in required)
        if not given:
            return _CHOOSE if any(need.key in self.filling.proposal(row).choices for need in required) else ""
        return "complete" if not row.lacks(setup) else f"{given} of {len(required)}"

    def _show_needs(self) -> None:
        if [row.need for row in self.rows] != list(self.row.needs):
            clear_layout(self._needs)
            self.rows = [self._need_row(need) for need in self.row.needs]
            for row in self.rows:
                self._needs.addWidget(row)
        setup, discovered = self.setup, self.filling.discovered
        for row in self.rows:
            fitting = self.filling.fitting(row.need)
            names = [f"{discovered.shown(found.path)}   {found.text}" for found in fitting]
            row.folder = self._desk.settings.last_folder
            row.show_choice(setup.file(row.need.key), self.filling.note(self.row, row.need), fitting, names)
        self._show_shapes(setup)
        self._show_foot(setup)

    def _show_shapes(self, setup: Setup) -> None:
        """Shows shapes only where something raw was chosen."""
        filling, row = self.filling, self.row
        self.shapes.setVisible(bool(setup.shapes) or bool(filling.raw_needs(row)))
        self.shapes.show_shapes(setup.shapes, filling.proposed_shapes(row), filling.shapes_problem(row))

    def _give_shapes(self, shapes: tuple[str, ...] | None) -> None:
        self.show_filling(self.filling.with_shapes(shapes), self.row)

    def _show_foot(self, setup: Setup) -> None:
        lack = self.filling.lack(self.row)
        self.swap.setVisible(can_swap(self.row))
        self.compare.setEnabled(not lack)
        self.call.setText(lack if lack else call_of(setup))
        self.call.setToolTip("" if lack else "The same on the command line")
        self.copy_call.setVisible(not lack and bool(self.call.text()))
        found = self.filling.discovered
        where = ", ".join(path.name for path in found.paths[:3])
        count = f"{len(found.found):,} {'thing' if len(found.found) == 1 else 'things'} to compare"
        self.looked.setText(f"Looked through {where}: {count}" if where else "or drop a folder that holds everything")
        self.looked.setToolTip("\n".join(found.problems[:10]))
        self._show_nothing(where, found)

    def _show_nothing(self, where: str, found: Discovered) -> None:
        """Shows in place of a count that nothing was found, with what was looked for and could not be read."""
        none = bool(where) and not found.found
        self.looked.setVisible(not none)
        self.look.setVisible(not none)
        self.nothing.setVisible(none)
        if none:
            said = (f"Nothing to compare was found in {where}.", LOOKED_FOR, *found.problems[:TOLD])
            self.nothing.sentence.setText("\n".join(said))

    def _need_row(self, need: Need) -> NeedRow:
        row = NeedRow(need)
        row.changed.connect(lambda path: self._give(need, path))
        return row

    def _give(self, need: Need, path: Path | None) -> None:
        self.show_filling(self.filling.with_file(self.row, need.key, path), self.row)
        if path is not None and self.filling.known(path) is None:
            self._look([path], lambda found: self._take_chosen(need, path, found))

    def _take_chosen(self, need: Need, path: Path, found: Discovered) -> None:
        """A folder around the only thing that fits stands for that."""
        filling, row = self.filling.with_found(found), self.row
        fitting = [each.path for each in found.found if need.accepts(each)]
        if len(fitting) == 1 and filling.setup(row).file(need.key) == path:
            filling = filling.with_file(row, need.key, fitting[0])
        self.show_filling(filling, row)

    # How it is laid out

    def _scrolled(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        inside = spaced(QVBoxLayout(column), PADDING, (GAP, GAP, GAP, GAP))
        inside.addLayout(self._make_head())
        inside.addWidget(self.nothing)
        inside.addWidget(self.grid)
        inside.addSpacing(PADDING)
        inside.addLayout(self._needs)
        inside.addWidget(self.shapes)
        inside.addStretch(1)
        self.area = scrolled(column)
        return self.area

    def _make_head(self) -> QHBoxLayout:
        title = QLabel("Compare two runs")
        title.setFont(font(DISPLAY, strong=True))
        self.simulate = text_button(
            "Only a float model? Simulate…",
            self._simulate,
            "See what quantization would do to it, without a quantized model or a run of one",
        )
        self.simulate.setProperty("link", True)
        self.guide = text_button(
            "Not sure? Follow the guide…",
            lambda: self._desk.commands.run("guide"),
            "Step by step after the vendor's own method: what to obtain, and what the result means",
        )
        self.guide.setProperty("link", True)
        self.look = text_button("Look through a folder…", self._ask_for_folder)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(flowing(GAP, self.simulate, self.guide), 2)
        self.looked.setWordWrap(True)
        self.looked.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        looking = QVBoxLayout()
        looking.setSpacing(GRID)
        looking.addWidget(self.look, 0, Qt.AlignmentFlag.AlignRight)
        looking.addWidget(self.looked)
        head.addLayout(looking, 1)
        return head

    def _make_foot(self) -> QFrame:
        self.call, self.copy_call = call_line()
        self.swap = text_button("Swap sides", lambda: self.show_filling(self.filling.swapped(self.row), self.row))
        self.back = text_button("Back", lambda: self.left.emit())
        self.compare = text_button("Compare", lambda: self.started.emit(self.setup))
        self.compare.setProperty("primary", True)
        return page_foot(WIDTH, self.call, self.copy_call, self.swap, self.back, self.compare)

    def _simulate(self) -> None:
        self.left.emit()
        self._desk.studies.simulating.asked.emit()

    def _ask_for_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, "A folder that holds a case", self._desk.settings.last_folder)
        if path:
            self.look_through([Path(path)])

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.compare.isEnabled():
            self.started.emit(self.setup)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


# The comparisons as cards, of which one is chosen.

# In how many columns they can stand, the most first, and how wide one must be.
COLUMNS, CARD = (3, 2, 1), 300


class ScenarioCard(QFrame):
    """A title, a story, and how much of it is there. Click, Enter or Space chooses it."""

    chosen = Signal()

    def __init__(self, row: Scenario) -> None:
        super().__init__()
        self.row = row
        self.setProperty("role", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        title = text_label(row.title, role="strong")
        self.state = text_label(role="label")
        story = text_label(row.story, muted=True, wraps=True)
        head = QHBoxLayout()
        head.setSpacing(PADDING)
        head.addWidget(title, 1)
        head.addWidget(self.state)
        box = spaced(QVBoxLayout(self), 2, (GAP, PADDING, GAP, PADDING))
        box.addLayout(head)
        box.addWidget(story, 1, Qt.AlignmentFlag.AlignTop)

    def show_state(self, text: str, chosen: bool) -> None:
        """`text`: how much of what it needs is there."""
        self.state.setText(text)
        self.setProperty("chosen", chosen)
        told = (self.row.title, self.row.story, text, "chosen" if chosen else "")
        self.setAccessibleName(" ".join(f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in told if each))
        self.style().unpolish(self)
        self.style().polish(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class GuideCardGrid(QWidget):
    """Cards in rows of equal ones, as many as there is room for."""

    chosen = Signal(object)  # Scenario

    def __init__(self, rows: Sequence[Scenario]) -> None:
        super().__init__()
        self.cards = [ScenarioCard(row) for row in rows]
        self._columns = 0
        self._grid = spaced(QGridLayout(self), PADDING)
        for card in self.cards:
            card.chosen.connect(lambda row=card.row: self.chosen.emit(row))
        self._place(COLUMNS[0])

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        list(empty(self._grid))
        for column in range(COLUMNS[0]):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for number, card in enumerate(self.cards):
            self._grid.addWidget(card, number // columns, number % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(next((count for count in COLUMNS if count * px(CARD) <= self.width()), 1))

    def minimumSizeHint(self) -> QSize:
        """Hints the size of one column, however many there are now: else it could never have fewer."""
        return QSize(max(card.minimumSizeHint().width() for card in self.cards), super().minimumSizeHint().height())
