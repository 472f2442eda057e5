"""The field in which one searches for nodes: offers what may come next, and says below it what makes no sense."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.explain.findings.complete import Offer, complete
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, Theme
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import Index, TableModel

HINT = (
    'Searches names, types and tensors. Also: type:Conv, type:"Conv" for exactly that, name:layer3, tensor:mask, '
    "attr:pads; a or b, -a for without. After a comparison: cos<0.99, verdict:origin, overflow:yes. "
    "Tab takes what is offered."
)
# Rows of the list that are seen at once, and how high one is.
ROWS, ROW_HEIGHT = 8, 22
# What its frame takes of the height.
FRAME = 8
_COLUMNS: tuple[Column[Offer], ...] = (
    Column("", lambda offer: f"{offer.text}   {offer.what}", cell_tip=lambda offer: offer.what),
)


def search_field() -> QLineEdit:
    search = QLineEdit()
    search.setPlaceholderText("Search nodes")
    search.setToolTip(HINT)
    search.setAccessibleName("Search nodes")
    search.setAccessibleDescription(HINT)
    search.setFixedHeight(28)
    search.setAcceptDrops(False)  # a dropped file is opened, not typed
    glass = search.addAction(icons.themed("search"), QLineEdit.ActionPosition.LeadingPosition)
    icons.follow(glass, "search")
    clear = search.addAction(icons.themed("close"), QLineEdit.ActionPosition.TrailingPosition)
    icons.follow(clear, "close")
    clear.setToolTip("Clear the search")
    clear.setVisible(False)
    clear.triggered.connect(search.clear)
    search.textChanged.connect(lambda text: clear.setVisible(bool(text)))
    return search


class QueryProblem(QWidget):
    """One sentence below the field, while there is something to say."""

    def __init__(self) -> None:
        super().__init__()
        self._mark = QLabel()
        self.text = text_label(role="label", wraps=True)
        self.text.setAccessibleName("What is wrong with the search")
        row = spaced(QHBoxLayout(self), GRID)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.hide()

    def show_problem(self, problem: ErrorflowError | None, theme: Theme) -> None:
        self.setVisible(problem is not None)
        if problem is not None:
            self._mark.setPixmap(icons.pixmap("problems", theme.warning.mark, 16, self.devicePixelRatioF()))
            self.text.setText(problem.message)
            self.text.setToolTip(problem.hint)


class Offers(QFrame):
    """A list under the field, over whatever is below; the keyboard stays in the field."""

    def __init__(
        self, field: QLineEdit, known: Callable[[], tuple[Mapping[str, Sequence[str]], bool]], home: QWidget
    ) -> None:
        super().__init__(home)
        self.setProperty("role", "popup")
        self._field = field
        self._known = known
        self._home = home
        self.table: TableModel[Offer] = TableModel(self, _COLUMNS)
        self.list = QListView()
        self.list.setModel(self.table)
        self.list.setItemDelegate(_Low(self.list))
        self.list.setAccessibleName("What may come next in the search")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.clicked.connect(lambda _: self._take())
        box = QVBoxLayout(self)
        box.setContentsMargins(1, 1, 1, 1)
        box.addWidget(self.list)
        self.hide()
        field.textEdited.connect(lambda _: self._offer())
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif isinstance(event, QKeyEvent) and self.isVisible():
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        """Up and Down choose, Tab takes, Enter takes what was chosen, Esc closes; all else goes on to the field."""
        key, row = event.key(), self.list.currentIndex().row()
        step = {Qt.Key.Key_Down.value: 1, Qt.Key.Key_Up.value: -1}.get(key, 0)
        takes = key == Qt.Key.Key_Tab or (key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0)
        if not (takes or step or key == Qt.Key.Key_Escape):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            if takes:
                self._take()
            elif key == Qt.Key.Key_Escape:
                self.hide()
            else:
                # From no row at all, down goes to the first and up to the last.
                next_row = (row + step if row >= 0 else (step - 1) // 2) % self.table.rowCount()
                self.list.setCurrentIndex(self.table.index(next_row, 0))
        return True

    def _offer(self) -> None:
        text = self._field.text()
        words, findings = self._known()
        # Only at the end: elsewhere one corrects what is there.
        at_end = self._field.cursorPosition() == len(text)
        found = complete(text, words, findings=findings) if at_end else ()
        self.table.show(Listing(found, _COLUMNS))
        self.setVisible(bool(found))
        if found:
            self._place()

    def _place(self) -> None:
        rows = min(self.table.rowCount(), ROWS)
        corner = self._field.mapTo(self._home, QPoint(0, self._field.height() + 2))
        self.setGeometry(corner.x(), corner.y(), self._field.width(), rows * ROW_HEIGHT + FRAME)
        self.raise_()

    def _take(self) -> None:
        offer = self.table.items[max(self.list.currentIndex().row(), 0)]
        # A value is written to its end; a name waits for what follows.
        done = "" if offer.text[-1] in "<>:" else " "
        self._field.setText(f"{self._field.text()[: offer.start]}{offer.text}{done}")
        self._offer()


class _Low(QStyledItemDelegate):
    """More rows in the same room, and none that is wider than the field."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, ROW_HEIGHT)
