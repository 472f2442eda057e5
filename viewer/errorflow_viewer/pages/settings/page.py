"""The settings in sections that can be searched; a list of the sections leads to each."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import (
    in_the_middle,
    page_foot,
    page_head,
    scrolled,
    search_field,
    spaced,
    text_button,
    text_label,
)
from errorflow_viewer.kit.look import DISPLAY, GAP, GRID
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings.extras import KeptTable
from errorflow_viewer.pages.settings.model import Value
from errorflow_viewer.pages.settings.row import RowBox
from errorflow_viewer.pages.settings.rows import ROWS, SECTIONS

WIDTH, SIDE = 860, 160
# Of the page, in px: with less, the list of sections gives way.
ROOMY = 760


class Section(QWidget):
    """Rows below a heading."""

    def __init__(self, name: str, rows: Sequence[RowBox]) -> None:
        super().__init__()
        self.rows = rows
        self.heading = text_label(name, role="title")
        box = spaced(QVBoxLayout(self), 0, (0, 0, 0, GAP))
        box.addWidget(self.heading)
        box.addSpacing(GRID)
        for row in rows:
            box.addWidget(row)

    def narrow(self, words: list[str]) -> int:
        """Shows the rows with all the words, and says how many there are."""
        found = [row for row in self.rows if row.matches(words)]
        for row in self.rows:
            row.setVisible(row in found)
        self.setVisible(bool(found))
        return len(found)


class SettingsPage(QWidget):
    """In place of the graph."""

    left = Signal()

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/settings.md")
        self.setAccessibleName("Settings")
        self.setAutoFillBackground(True)
        self._desk = desk
        self.rows = {row.key: RowBox(row, desk) for row in ROWS if getattr(row, "wanted", lambda _: True)(desk)}
        self.sections = {name: self._section(name) for name in SECTIONS}
        self._before: dict[str, Value] = {}
        self.nothing = text_label("No setting matches.", muted=True)
        self.area = self._make_area()
        self.side = self._make_side()
        middle = spaced(QHBoxLayout())
        middle.addWidget(self.side)
        middle.addWidget(self.area, 1)
        column = QWidget()
        column.setMaximumWidth(WIDTH + SIDE)
        inside = spaced(QVBoxLayout(column))
        inside.addWidget(self._make_head())
        inside.addLayout(middle, 1)
        box = spaced(QVBoxLayout(self))
        box.addLayout(in_the_middle(column), 1)
        box.addWidget(self._make_foot())
        for row in self.rows.values():
            row.changed.connect(self._on_row)
        desk.appearance.changed.connect(self._on_theme)
        self._search("")

    def _section(self, name: str) -> Section:
        return Section(name, [row for row in self.rows.values() if row.row.section == name])

    # How it is laid out

    def _make_head(self) -> QFrame:
        title = QLabel("Settings")
        title.setFont(font(DISPLAY, strong=True))
        self.search = search_field("Search settings", "Search settings")
        self.search.textChanged.connect(self._search)
        self.setFocusProxy(self.search)  # whoever shows the page gives it the keyboard
        self.all = text_button(
            "Reset all", self._reset_all, "Give every setting of this page its default; keys have a page of their own"
        )
        head = page_head(title, self.search, self.all)
        head.setContentsMargins(GAP, GAP, GAP, GAP)
        return head

    def _make_area(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inside = spaced(QVBoxLayout(column), GAP, (GAP, 0, GAP, GAP * 2))
        for section in self.sections.values():
            inside.addWidget(section)
        inside.addWidget(self.nothing)
        inside.addStretch(1)
        area = scrolled(column)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _make_side(self) -> QWidget:
        side = QWidget()
        side.setFixedWidth(SIDE)
        box = spaced(QVBoxLayout(side), 2, (GAP - GRID, 0, 0, GAP))
        self.leads: dict[str, QPushButton] = {}
        for name in SECTIONS:
            lead = self.leads[name] = QPushButton(name)
            lead.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            lead.setProperty("role", "lead")
            lead.clicked.connect(partial(self.show_section, name))
            box.addWidget(lead)
        box.addStretch(1)
        return side

    def _make_foot(self) -> QWidget:
        self.place = Elided(Qt.TextElideMode.ElideMiddle)
        self.place.setProperty("muted", True)
        self.back = text_button("Back", lambda: self.left.emit(), "Show what was on view before (Esc)")
        return page_foot(WIDTH + SIDE, self.place, self.back)

    # What it does

    def show_section(self, name: str, _checked: bool = False) -> None:
        self.search.clear()
        QTimer.singleShot(0, self, lambda: self._scroll_to(name))

    def _scroll_to(self, name: str) -> None:
        inside = self.area.widget()
        assert inside is not None, "the sections"
        self.area.verticalScrollBar().setValue(self.sections[name].mapTo(inside, QPoint()).y())
        first = next((row.control for row in self.sections[name].rows if row.control is not None), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _search(self, text: str) -> None:
        words = text.lower().split()
        counts = {name: section.narrow(words) for name, section in self.sections.items()}
        for name, lead in self.leads.items() if hasattr(self, "leads") else ():
            lead.setEnabled(counts[name] > 0)
        self.nothing.setVisible(not any(counts.values()))

    def _on_row(self) -> None:
        self._before = {}
        self.refresh()

    def _on_theme(self, _theme: object) -> None:
        self.refresh()

    def refresh(self) -> None:
        """As the settings are, which menus change as well."""
        for row in self.rows.values():
            row.refresh()
        changed = any(row.is_changed for row in self.rows.values())
        self.all.setEnabled(changed or bool(self._before))
        self.all.setText("Undo reset" if self._before else "Reset all")
        settings = self._desk.settings
        place = settings.place
        said = f"Kept in {place}" if settings.is_kept else f"Not kept: {place} cannot be written"
        self.place.show_text(said)
        self.place.setToolTip(place)

    def _reset_all(self) -> None:
        """Or takes that back, as long as nothing else was set since."""
        before = self._before
        changed = {key: row.value for key, row in self.rows.items() if row.is_changed and row.value is not None}
        for key, row in self.rows.items():
            if before and key in before:
                row.take(before[key])
            elif not before:
                row.go_back()
        self._before = {} if before else changed
        self.refresh()

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        table = self.rows["kept"].extra
        if isinstance(table, KeptTable):
            table.count()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.side.setVisible(self.width() >= px(ROOMY))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        else:
            self.left.emit()
