"""The table of the node list: its rows follow the pointer, its header chooses columns and takes quick clicks."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPalette, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QWidget,
)

from errorflow.case.session.model import Palette
from errorflow_viewer.document.node_rows import NAME
from errorflow_viewer.kit.accessible.mirror import Mirror
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.look import LABEL, ROW
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.node_columns import ROOM
from errorflow_viewer.panels.node_table import (
    ACCUMULATED,
    BADNESS_ROLE,
    FORMS_ROLE,
    MUTED_ROLE,
    NOTED_ROLE,
    POINTED_ROLE,
    NodeTable,
)
from errorflow_viewer.panels.short_names import fitting, titles
from errorflow_viewer.panels.swatch import paint_swatch

# How cells of the node list are painted: names give way in the middle, and a swatch beside a number says how bad.
# The side of the corner that marks a note.
_CORNER = 7.0
_TABULAR = QFont.Tag("tnum")
Index = QModelIndex | QPersistentModelIndex


class Cells(QStyledItemDelegate):
    """Long names leave out scopes and then give way in the middle, all else at its end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.palette: Palette = "ember"

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        name = index.column() == NAME
        option.textElideMode = Qt.TextElideMode.ElideMiddle if name else Qt.TextElideMode.ElideRight
        if name:
            room, metrics = option.rect.width() - ROOM, option.fontMetrics
            option.text = fitting(index.data(FORMS_ROLE), lambda text: metrics.horizontalAdvance(text) <= room)
        if index.data(MUTED_ROLE):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
        if option.displayAlignment & Qt.AlignmentFlag.AlignRight:
            option.font.setFeature(_TABULAR, 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(POINTED_ROLE) and not option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.brush(QPalette.ColorRole.Midlight))
        super().paint(painter, option, index)
        badness = index.data(BADNESS_ROLE) if index.column() == ACCUMULATED else None
        if badness is not None:
            paint_swatch(painter, option.rect, badness, self.palette, option.palette)
        if index.column() == NAME and index.data(NOTED_ROLE):
            _mark_note(painter, option.rect, option.palette)


def _mark_note(painter: QPainter, room: QRect, palette: QPalette) -> None:
    """A corner at the end of the name, as spreadsheets mark a cell with a comment."""
    right, top = float(room.right() + 1), float(room.top())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.brush(QPalette.ColorRole.Link))
    painter.drawPolygon(QPolygonF([QPointF(right - _CORNER, top), QPointF(right, top), QPointF(right, top + _CORNER)]))
    painter.restore()


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
        self.cells = Cells(self)
        self.setHorizontalHeader(Header())
        self.setModel(table)
        self.setItemDelegate(self.cells)
        self.setAccessibleName("Nodes")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setMouseTracking(True)
        self._arrange_headers()
        self.entered.connect(lambda index: self.pointed.emit(table.node_at(index.row())))
        self.viewportEntered.connect(lambda: self.pointed.emit(None))

    def point(self, node: int | None) -> None:
        """Marks the row of the node that the pointer is on, here or elsewhere."""
        if node != self._table.pointed:
            self._table.pointed = node
            self.viewport().update()

    def sees_current(self) -> bool:
        return self.visualRect(self.currentIndex()).intersects(self.viewport().rect())

    def begin(self) -> None:
        """At the first row, unless one is selected. One that is only current was nobody's choice."""
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

    def _arrange_headers(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setAccessibleName("Rows")
        columns.setAccessibleName("Columns, sort by one with a click")
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        columns.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        columns.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)


class Header(QHeaderView):
    """Takes quick clicks one by one; the second of a double click would be lost otherwise."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """With as much of the title as has room beside the mark of the column that sorts; the tooltip says all."""
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
