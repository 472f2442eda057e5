"""Which columns of the node list are shown, and how wide: what the user chose, as far as there is room and need."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QFontMetrics, QIcon
from PySide6.QtWidgets import QMenu, QWidget

from errorflow_viewer.document.node_rows import NAME, OUTPUT, NodeRows
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.cells import ROOM
from errorflow_viewer.kit.tables.short_names import titles as short_titles
from errorflow_viewer.kit.tables.swatch import SWATCH_ROOM
from errorflow_viewer.panels.node_columns import found_shares, needed, shares
from errorflow_viewer.panels.node_table import ACCUMULATED, COUNT, KEYS, NodeTable
from errorflow_viewer.panels.node_view import ARROW, NodeView

# So many rows tell how wide columns need to be; beside them is the scroll bar.
MEASURED, BAR = 300, 14
# Which columns keep their room longest after a comparison, by their keys.
DEAREST = (
    *("accumulated", "share", "change", "verdict", "states", "type", "precision", "introduced", "introduced_share"),
    *("output", "rule", "quantized"),
)
# Not there until somebody asks for them.
_EXTRA = ("quantized", "rule")
# Those that may be cut in a few rows.
_LONG = ("states", "precision", "rule")


class Widths(QObject):
    """Until someone moves them, columns take what they need."""

    def __init__(self, view: NodeView, table: NodeTable, settings: Settings) -> None:
        super().__init__(view)
        self._view, self._table, self._settings = view, table, settings
        # How wide columns need to be for all rows, and for all but a few.
        self._needs = self._usual = dict.fromkeys(range(COUNT), 0)
        self._fitting = self._own = False
        view.horizontalHeader().sectionResized.connect(self._on_column)

    def measure(self, rows: NodeRows | None) -> None:
        """Finds what the first rows need, and after a comparison the worst ones."""
        table, sheet = self._table, self._table.sheet
        metrics, labels = self._view.fontMetrics(), QFontMetrics(font(LABEL))
        nodes: list[int] = []
        if rows is not None:
            nodes = rows.natural[: min(table.total - table.constants, MEASURED)].tolist()
            nodes += [] if sheet is None else sheet.worst_first[:MEASURED].tolist()
        known = COUNT if sheet is not None else ACCUMULATED  # before a comparison the others are empty
        texts = [[table.text(node, column) for node in nodes] if column < known else [] for column in range(COUNT)]
        titles = [str(table.headerData(column, self._view.horizontalHeader().orientation())) for column in range(COUNT)]
        base = [title if column < ACCUMULATED else "" for column, title in enumerate(titles)]
        self._needs, self._usual = needed(base, texts, metrics.horizontalAdvance)
        for column in range(ACCUMULATED, COUNT):
            extra = SWATCH_ROOM if column == ACCUMULATED else 0
            forms = [ROOM + ARROW + labels.horizontalAdvance(form) for form in short_titles(titles[column])]
            title = forms[0]
            silent = not any(texts[column])
            if KEYS[column] not in _LONG:
                self._usual[column] = self._needs[column]  # half a number says nothing
            self._needs[column] = 0 if silent else max(title, self._needs[column] + extra)
            # Of a long title a short form will do.
            self._usual[column] = 0 if silent else max(min(forms), self._usual[column] + extra)

    def fit(self, room: int) -> None:
        if self._own:
            return
        header = self._view.horizontalHeader()
        self._fitting = True
        for column, width in self._shares(room - BAR).items():
            header.setSectionHidden(column, width == 0)
            if width:
                header.resizeSection(column, width)
        self._fitting = False

    def fill(self, menu: QMenu, room: int) -> None:
        """One line for each column but the name, ticked if it is wanted."""
        for column in range(NAME + 1, COUNT):
            if column >= ACCUMULATED and self._table.sheet is None:
                continue
            title = str(self._table.headerData(column, self._view.horizontalHeader().orientation()))
            action = QAction(QIcon(), title.replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(self.wanted(column))
            action.triggered.connect(lambda on, column=column: self._choose(column, on, room))
            menu.addAction(action)

    def wanted(self, column: int) -> bool:
        return self._settings.is_on(f"column.{KEYS[column]}", KEYS[column] not in _EXTRA)

    def _choose(self, column: int, on: bool, room: int) -> None:
        self._settings.switch(f"column.{KEYS[column]}", on)
        self._own = False
        self.fit(room)

    def _shares(self, room: int) -> dict[int, int]:
        sorts = self._view.horizontalHeader().sortIndicatorSection()
        nothing = dict.fromkeys(range(NAME + 1, COUNT), 0)
        if self._table.sheet is None:
            base = shares(self._needs, self._usual, room, keep_output=sorts == OUTPUT)
            return nothing | {column: width if self.wanted(column) else 0 for column, width in base.items()}
        order = [KEYS.index(key) for key in DEAREST]
        wanted = [column for column in order if self.wanted(column)]
        # What is there only because the user asked for it stays as well.
        kept = {ACCUMULATED, sorts, *(column for column in wanted if KEYS[column] in _EXTRA)}
        return nothing | found_shares(self._needs, self._usual, room, wanted, kept)

    def _on_column(self, column: int, old: int, new: int) -> None:
        # Names also change when they take what the others leave; hiding, which Qt tells late, is not moving either.
        self._own |= column != NAME and not self._fitting and min(old, new) > 0


def columns_menu(parent: QWidget, widths: Widths, room: int) -> QMenu:
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    widths.fill(menu, room)
    return menu
