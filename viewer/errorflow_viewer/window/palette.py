"""The command palette: type letters of a command, or after @ of a node, an input or an output, and press Enter."""

from collections.abc import Callable, Iterator
from functools import cache, partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QLineEdit,
    QListView,
    QMainWindow,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from errorflow.base.language import translated
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.keyboard import give
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.scaling import OWN_SIZE, px
from errorflow_viewer.kit.stacking import StaysAbove
from errorflow_viewer.kit.tables.table import Column, Index, Listing, TableModel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.desk import WholeDesk


def score(query: str, text: str) -> int | None:
    """Scores how well the letters of `query` appear in `text` in their order, higher is better; None: they do not.

    Letters that start a word or follow each other count more; short texts win over long ones.
    """
    wanted, given = query.lower().replace(" ", ""), text.lower()
    if not wanted:
        return 0
    points, position, previous = 0, 0, -2
    for letter in wanted:
        found = _best(letter, given, position, previous)
        if found < 0:
            return None
        points += 8 if found == previous + 1 else 6 if _starts_word(text, found) else 1
        previous, position = found, found + 1
    return points * 100 - len(given)


def _best(letter: str, given: str, start: int, previous: int) -> int:
    """The next place of a letter; right after the one before, or at the start of a word, if there is one."""
    first = given.find(letter, start)
    if first < 0 or first == previous + 1 or _starts_word(given, first):
        return first
    place = first
    while place >= 0:
        if _starts_word(given, place):
            return place
        place = given.find(letter, place + 1)
    return first


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()


WIDTH, ROW, ROWS, ICON = 560, 28, 12, 16
NODE_MARK = "@"
MOST_NODES, MOST_ENDS = 50, 6
MOST_SORTED = 5000


@dataclass(frozen=True, slots=True)
class Item:
    """One line: what it says, what stands at its right, and what Enter does."""

    text: str
    hint: str
    icon: str
    run: Callable[[], None]
    # Other words that it is found by.
    also_called: str = ""


def find(query: str, desk: WholeDesk) -> list[Item]:
    """The best lines for what was typed: commands first, then inputs and outputs, then nodes."""
    if query.startswith(NODE_MARK):
        return [*_ends(query[1:].strip(), desk), *_nodes(query[1:].strip(), desk)]
    found = _commands(query, desk)
    return [*found, *_ends(query.strip(), desk), *_nodes(query.strip(), desk)] if query.strip() else found


def _commands(query: str, desk: WholeDesk) -> list[Item]:
    ranked = [(_score(query, item), item) for item in _all_commands(desk)]
    hits = [(points, item) for points, item in ranked if points is not None]
    return [item for _, item in sorted(hits, key=lambda pair: -pair[0])] if query.strip() else [i for _, i in hits]


def _score(query: str, item: Item) -> int | None:
    """Scores by what it says, in English too; else by another word for it that begins as was typed."""
    said = translated(item.text)
    scores = (score(query, item.text), None if said == item.text else score(query, said))
    points = max((each for each in scores if each is not None), default=None)
    typed = query.strip().lower()
    if not typed or not any(word.startswith(typed) for word in item.also_called.split()):
        return points
    other = score(typed, item.also_called)
    return max(each for each in (points, other, 0) if each is not None)


def _all_commands(desk: WholeDesk) -> Iterator[Item]:
    for row in ACTIONS:
        if row.entries is None and row.enabled(desk) and row.key != "palette":
            keys = desk.commands.table.keys(row)
            yield Item(row.name, "".join(map(native, keys[:1])), row.icon, partial(row.run, desk), row.also_called)
    # What can be opened comes last.
    for row in sorted(ACTIONS, key=lambda row: row.menu == "File" and not row.submenu):
        for entry in row.entries(desk) if row.entries is not None else ():
            if entry.enabled:
                text = f"{row.name}: {entry.text}"
                yield Item(text, entry.tip, row.icon, partial(entry.run, desk), row.also_called)


def _ends(query: str, desk: WholeDesk) -> Iterator[Item]:
    """Inputs and outputs of the graph on view, shortest names first."""
    graph = desk.document.graph
    if graph is None:
        return
    found, names = rows_of(graph).find_tensors(query), graph.tensor_names
    roles = dict.fromkeys(graph.outputs.tolist(), "output") | dict.fromkeys(graph.inputs.tolist(), "input")
    ends = [tensor for tensor in roles if tensor >= 0 and found[tensor]]
    for tensor in sorted(ends, key=lambda end: len(names[end]))[:MOST_ENDS]:
        run = partial(desk.document.go, desk.document.state.place, tensor=tensor)
        yield Item(names[tensor], f"{roles[tensor]} of the graph", "node", run)


def _nodes(query: str, desk: WholeDesk) -> Iterator[Item]:
    """Nodes of the graph on view, then of all others, shortest names first."""
    model, here = desk.document.model, desk.document.state.place
    if model is None:
        return
    places = [(Place(path), graph) for path, graph in model.graph.walk()]
    for number, function in enumerate(model.functions):
        places += [(Place(path, number), graph) for path, graph in function.graph.walk()]
    places.sort(key=lambda pair: pair[0] != here)
    left = MOST_NODES
    for place, graph in places:
        for node in _best_nodes(graph, query, left):
            left -= 1
            elsewhere = "" if place == here else f"in {graph.name}  " if graph.name else "in a subgraph  "
            run = partial(desk.document.go, place, node)
            yield Item(rows_of(graph).title(node), f"{elsewhere}{graph.op_types[node]}", "node", run)
        if left <= 0:
            return


def _best_nodes(graph: Graph, query: str, count: int) -> list[int]:
    rows = rows_of(graph)
    found: list[int] = rows.search(query, tensors=False)[:MOST_SORTED].tolist()
    if query:
        found.sort(key=lambda node: len(graph.node_names[node]))
    return found[:count]


class Palette(QFrame):
    """A field and a list over the upper middle of the window."""

    def __init__(self, window: QMainWindow, desk: WholeDesk) -> None:
        super().__init__(window)
        self._desk = desk
        self._window = window
        self.setProperty("role", "popup")
        self.setAccessibleName("Command palette")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type a command, or @ and the name of a node, an input or an output")
        self.field.setAccessibleName("Command or node")
        self.field.setMinimumHeight(32)
        self.field.setAcceptDrops(False)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.lines: TableModel[Item] = TableModel(self, _COLUMNS)
        self.list = QListView()
        self.list.setModel(self.lines)
        self.list.setItemDelegate(_Delegate(self))
        self.list.setAccessibleName("Matching commands and nodes")
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(ICON, ICON))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setProperty(OWN_SIZE, True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._run)
        self.none = text_label("Nothing matches.", muted=True)
        self.none.setContentsMargins(PADDING, 4, PADDING, 4)
        box = spaced(QVBoxLayout(self), 4, (PADDING, PADDING, PADDING, PADDING))
        for widget in (self.field, self.list, self.none):
            box.addWidget(widget)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 6)
        self.setGraphicsEffect(shadow)
        StaysAbove(self)
        self.hide()

    def popup(self, text: str) -> None:
        """Opens with some text in the field."""
        self.field.setText(text)
        self._search(text)
        self.show()
        self.raise_()
        give(self.field, Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up, down, Enter and Esc in the field work on the list; a click elsewhere closes."""
        if event.type() == QEvent.Type.FocusOut and not self.list.underMouse():
            self.hide()
        if isinstance(event, QKeyEvent) and event.key() in _KEYS:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._press(event.key())
                return True
        return super().eventFilter(watched, event)

    def _press(self, key: int) -> None:
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentIndex())
        else:
            row = self.list.currentIndex().row() + _KEYS[Qt.Key(key)]
            row = min(max(row, 0), self.lines.rowCount() - 1)
            self.list.setCurrentIndex(self.lines.index(row, 0))

    def _search(self, text: str) -> None:
        self.lines.show(Listing(find(text, self._desk), _COLUMNS))
        count = self.lines.rowCount()
        self.list.setCurrentIndex(self.lines.index(0, 0))
        self.list.setVisible(count > 0)
        self.none.setVisible(count == 0)
        self.list.setFixedHeight(min(count, ROWS) * px(ROW) + 2 * self.list.frameWidth())
        self._place()

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 4 * PADDING)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((self._window.width() - width) // 2, 64)

    def _run(self, index: QModelIndex) -> None:
        item = self.lines.item_at(index.row())
        self._leave()
        if item is not None:
            item.run()

    def _leave(self) -> None:
        self.hide()
        self._desk.focus_graph()


_KEYS = {
    Qt.Key.Key_Escape: 0,
    Qt.Key.Key_Return: 0,
    Qt.Key.Key_Enter: 0,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -ROWS,
    Qt.Key.Key_PageDown: ROWS,
}


def _icon(name: str) -> QIcon:
    """Makes an icon; without one there is as much room, so that all texts begin at one line."""
    return icons.themed(name) if name else _blank()


@cache
def _blank() -> QIcon:
    nothing = QPixmap(ICON, ICON)
    nothing.fill(Qt.GlobalColor.transparent)
    return QIcon(nothing)


_COLUMNS: tuple[Column[Item], ...] = (Column("Command", lambda item: item.text, icon=lambda item: _icon(item.icon)),)


class _Delegate(QStyledItemDelegate):
    """Icon, text, and the shortcut at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        _, item = index.model().at(index)  # type: ignore[attr-defined]  # it is ours
        whole, hint = QRect(option.rect), item.hint
        metrics = option.fontMetrics
        taken = metrics.horizontalAdvance(index.data()) + 68
        room = min(metrics.horizontalAdvance(hint) + 4, max(whole.width() // 4, whole.width() - taken))
        option.text = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, whole.width() - room - 64)
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.setFont(option.font)
        painter.setPen(option.palette.placeholderText().color())
        right = whole.adjusted(whole.width() - room - PADDING, 0, -PADDING, 0)
        text = metrics.elidedText(hint, Qt.TextElideMode.ElideRight, room)
        painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
