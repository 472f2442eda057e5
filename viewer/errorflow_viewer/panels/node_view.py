"""The table of the node list: its rows follow the pointer, its header chooses columns and takes quick clicks."""

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader

from errorflow_viewer.document.node_rows import NAME
from errorflow_viewer.kit.accessible.mirror import Mirror
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.cells import ROOM, CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.short_names import titles
from errorflow_viewer.panels.node_table import NodeTable

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
