"""The table of the node list: its rows follow the pointer, its header chooses columns and takes quick clicks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QIcon, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QStyleOptionHeader, QWidget

from errorflow_viewer.document.node_rows import NAME, OUTPUT, TYPE, NodeRows
from errorflow_viewer.kit.accessible.keyboard import Mirror
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.cells import ROOM, SWATCH_ROOM, CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.short_names import titles
from errorflow_viewer.kit.tables.short_names import titles as short_titles
from errorflow_viewer.panels.node_table import ACCUMULATED, COUNT, KEYS, NodeTable

# What the mark of the column that sorts takes beside its title, in logical px.
ARROW = 14

# Commands that count here as well, with their own keys.
NEXT, PREVIOUS = ("worst.next", ("N",)), ("worst.previous", ("Shift+N",))
SWITCH, SWITCH_ALL = ("precision.toggle", ("Space",)), ("precision.hits.toggle", ("Shift+Space",))


class NodeView(Mirror):
    """Knows whether it is a key that moves through it."""

    # The node that the pointer is on; None: on none.
    pointed = Signal(object)
    # To the next worst node, or back.
    worst_wanted = Signal(int)
    # The node is put to float or as planned, or all that are listed.
    switch_wanted = Signal(bool)

    def __init__(self, table: NodeTable, keymap: Keymap) -> None:
        super().__init__()
        self.by_key = False
        self._keymap = keymap
        self._table = table
        self.cells = CellPainter(self)
        self.setHorizontalHeader(Header())
        furnish(self, table, "Nodes", "Rows", "Columns, sort by one with a click", sorts=True)
        self.setItemDelegate(self.cells)
        self.setMouseTracking(True)
        header = self.horizontalHeader()
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.entered.connect(lambda index: self.pointed.emit(table.number_at(index.row())))
        self.viewportEntered.connect(lambda: self.pointed.emit(None))

    def point(self, node: int | None) -> None:
        """Marks the row of the node that the pointer is on, here or elsewhere."""
        if node != self._table.pointed:
            self._table.pointed = node
            self.viewport().update()

    def sees_current(self) -> bool:
        return self.visualRect(self.currentIndex()).intersects(self.viewport().rect())

    def begin(self) -> None:
        """Begins at the first row, unless one is selected. One that is only current was not chosen."""
        if not self.selectionModel().hasSelection():
            self.setCurrentIndex(QModelIndex())
            self.selectRow(0)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.chooses(event):
            return
        means = self._keymap.means
        for step, command in ((1, NEXT), (-1, PREVIOUS)):
            if means(event, *command):
                self.worst_wanted.emit(step)
                return
        for all_found, command in ((False, SWITCH), (True, SWITCH_ALL)):
            if means(event, *command):
                self.switch_wanted.emit(all_found)
                return
        self.by_key = True
        super().keyPressEvent(event)
        self.by_key = False


class Header(QHeaderView):
    """Takes quick clicks one by one; the second of a double click would be lost otherwise."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """Styles as much of the title as has room beside the mark of the column that sorts; the tooltip says all."""
        super().initStyleOptionForIndex(option, section)
        mark = ARROW if self.sortIndicatorSection() == section else 0
        room, metrics = self.sectionSize(section) - ROOM - mark, QFontMetrics(font(LABEL))
        forms = tuple(titles(option.text))
        option.text = next((form for form in forms if metrics.horizontalAdvance(form) <= room), forms[-1])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.cursor().shape() == Qt.CursorShape.SplitHCursor:  # on the edge: fits the column to its contents
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)


# Widths of the node list's columns, and which are shown: as the user chose, as far as there is room and need.

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
    """Widths; until the user moves them, columns take what they need."""

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
        """Fills one line for each column but the name, ticked if it is wanted."""
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


# How the columns of the node list share its width: a name that cannot be read is worth less than a shape.

# Logical px: what tells long names apart, and how wide a type is at least and at most.
READABLE_NAME = 190
# The same beside what was found, which is what one looks for then.
SHORT_NAME = 120
_LEAST_TYPE, _MOST_TYPE = 60, 170
# The share of rows that are whole where the others would take the room of a column.
_USUAL = 0.9
NodeColumnsWidths = Mapping[int, int]


def needed(
    titles: Sequence[str], texts: Sequence[Sequence[str]], width: Callable[[str], int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Computes how wide each column needs to be for all rows, and for all but a few."""
    needs, usual = {}, {}
    for column, (title, rows) in enumerate(zip(titles, texts, strict=True)):
        widths = sorted(map(width, rows if rows else [title]))
        needs[column] = ROOM + max(width(title), widths[-1])
        usual[column] = ROOM + max(width(title), widths[ceil(_USUAL * len(widths)) - 1])
    return needs, usual


def shares(needs: NodeColumnsWidths, usual: NodeColumnsWidths, room: int, keep_output: bool = False) -> dict[int, int]:
    """Computes how wide types and shapes are; names take the rest.

    Of both all but a few long ones are whole, or else shapes are left out unless they are to be kept. `usual` is what
    all but a few rows need; what names can spare goes to the few.
    """
    kind, output = _type_width(usual, room), usual[OUTPUT]
    spare = room - min(needs[NAME], READABLE_NAME) - kind - output
    if spare < 0 and not keep_output:
        spare, output = room - needs[NAME] - kind, 0
    else:
        wider = min(max(spare, 0), needs[OUTPUT] - output)
        spare, output = spare - wider, output + wider
    return {TYPE: kind + min(max(spare, 0), _type_width(needs, room) - kind), OUTPUT: output}


def found_shares(
    needs: NodeColumnsWidths, usual: NodeColumnsWidths, room: int, order: Sequence[int], kept: Collection[int]
) -> dict[int, int]:
    """Computes how wide columns are after a comparison; 0: left out, for what a name needs to be read comes first.

    They are asked in `order`, the dearest first. One that has nothing to say of any node has no need. `kept` ones stay
    however little is left.
    """
    left = room - min(needs[NAME], SHORT_NAME)
    widths = dict.fromkeys(order, 0)
    for column in order:
        wish = min(usual[column], _MOST_TYPE)
        if wish and (column in kept or wish <= left):
            widths[column] = wish
            left -= wish
    # Names grow before what others cut of theirs is shown.
    left -= min(needs[NAME], READABLE_NAME) - min(needs[NAME], SHORT_NAME)
    for column in order:
        wider = min(max(left, 0), max(needs[column] - widths[column], 0)) if widths[column] else 0
        widths[column], left = widths[column] + wider, left - wider
    return widths


def _type_width(wish: NodeColumnsWidths, room: int) -> int:
    return max(min(wish[TYPE], _MOST_TYPE, room // 2), _LEAST_TYPE)


def columns_menu(parent: QWidget, widths: Widths, room: int) -> QMenu:
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    widths.fill(menu, room)
    return menu
