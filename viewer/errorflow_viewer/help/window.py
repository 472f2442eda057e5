"""The window of the manual: contents and search at the left, a page at the right."""

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.language import Verbatim
from errorflow_viewer.help.manual import CONTENTS, Manual
from errorflow_viewer.help.reader import Reader
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.return_key import press_held
from errorflow_viewer.kit.accessible.splitter import Splitter
from errorflow_viewer.kit.layouts import fill, spaced
from errorflow_viewer.kit.look import GRID, PADDING, ROW, TARGET
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import Appearance

_SIZE, _LIST = QSize(1080, 760), 280
_PATH = Qt.ItemDataRole.UserRole
Spot = tuple[str, str]


class HelpWindow(QWidget):
    """One per main window, with which it closes; it stops nobody from working on."""

    def __init__(self, main: QWidget, appearance: Appearance, manual: Manual) -> None:
        super().__init__(main, Qt.WindowType.Window)
        self.manual = manual
        self._back: list[Spot] = []
        self._forward: list[Spot] = []
        self._here: Spot = ("", "")
        self.setWindowTitle("Manual – Errorflow")
        self.reader = Reader(manual, appearance.theme)
        self.search = QLineEdit()
        self.list = QTreeWidget()
        self.told = QLabel()
        self.back = self._tool("back", "Back (Alt+Left)", self.go_back)
        self.forward = self._tool("forward", "Forward (Alt+Right)", self.go_forward)
        self.contents = self._tool("contents", "All pages (Alt+Home)", lambda: self.show_page(CONTENTS))
        self._make_list()
        self._lay_out()
        self._add_keys()
        self.reader.asked.connect(self.show_page)
        self.reader.told.connect(self._tell)
        appearance.changed.connect(self.reader.dress)
        self.resize(_SIZE)
        self._fill()

    # Where one is

    def show_page(self, path: str, heading: str = "") -> None:
        """A page that is not there is the list of all."""
        spot = (path if path in self.manual.pages else CONTENTS, heading)
        if spot != self._here:
            if self._here[0]:
                self._back.append(self._here)
            self._forward.clear()
            self._go(spot)

    def go_back(self) -> None:
        if self._back:
            self._forward.append(self._here)
            self._go(self._back.pop())

    def go_forward(self) -> None:
        if self._forward:
            self._back.append(self._here)
            self._go(self._forward.pop())

    def _go(self, spot: Spot) -> None:
        self._here = spot
        self.reader.show_page(*spot)
        self.setWindowTitle(f"{self.manual.title(spot[0])} – Errorflow")
        self.back.setEnabled(bool(self._back))
        self.forward.setEnabled(bool(self._forward))
        self._tell("")
        self._mark()

    # The list

    def _fill(self) -> None:
        """All pages, or those that are found."""
        text = self.search.text().strip()
        self.list.clear()
        if text:
            self._fill_found(text)
            return
        for title, pages in self.manual.sections:
            head = _item(title, "", title)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.list.addTopLevelItem(head)
            for page in pages:
                head.addChild(_item(page.title, page.path, page.title))
            head.setExpanded(True)
        self._mark()

    def _fill_found(self, text: str) -> None:
        found = self.manual.search(text)
        for each in found:
            item = _item(each.page.title, each.page.path, Verbatim(each.passage))
            passage = _item(Verbatim(each.passage), each.page.path, Verbatim(each.passage))
            passage.setForeground(0, self.palette().placeholderText())
            item.addChild(passage)
            self.list.addTopLevelItem(item)
            item.setExpanded(True)
        if not found:
            none = QTreeWidgetItem(["No page has all of these words."])
            none.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addTopLevelItem(none)
        self._tell(f"{len(found):,} pages found" if len(found) != 1 else "1 page found")
        self._mark()

    def _mark(self) -> None:
        """The page on view is the selected one."""
        self.list.blockSignals(True)
        self.list.clearSelection()
        self.list.setCurrentIndex(QModelIndex())
        of_page = (item for item in _items(self.list) if item.data(0, _PATH) == self._here[0])
        item = next(of_page, None)
        if item is not None:
            self.list.setCurrentItem(item)
        self.list.blockSignals(False)

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and item.data(0, _PATH):
            self.show_page(item.data(0, _PATH))
            if self.search.text().strip():
                self.reader.find(self.search.text().split()[0])

    # Its make

    def _make_list(self) -> None:
        self.search.setPlaceholderText("Search the manual")
        self.search.setAccessibleName("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.search.setFixedHeight(28)
        self.search.textChanged.connect(lambda _: self._fill())
        self.search.returnPressed.connect(self._take_first)
        self.list.setHeaderHidden(True)
        self.list.setAccessibleName("Pages of the manual")
        self.list.header().setAccessibleName("Pages")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setIndentation(12)
        self.list.currentItemChanged.connect(lambda item, _: self._on_current(item))

    def _lay_out(self) -> None:
        left, right = QWidget(), QWidget()
        tools = spaced(QHBoxLayout(), GRID, (PADDING, PADDING, PADDING, GRID))
        for button in (self.back, self.forward, self.contents):
            tools.addWidget(button)
        tools.addWidget(self.search, 1)
        for side, widgets in ((left, (self.list,)), (right, (self.reader, self.told))):
            box = spaced(QVBoxLayout(side))
            if side is left:
                box.addLayout(tools)
            for widget in widgets:
                box.addWidget(widget, 1 if widget is not self.told else 0)
        self.told.setProperty("role", "label")
        self.told.setContentsMargins(PADDING + GRID, GRID, PADDING, GRID)
        parts = Splitter(Qt.Orientation.Horizontal)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        parts.addWidget(left)
        parts.addWidget(right)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_LIST, _SIZE.width() - _LIST])
        fill(self, parts)

    def _add_keys(self) -> None:
        for key, run in (
            ("Alt+Left", self.go_back),
            ("Alt+Right", self.go_forward),
            ("Alt+Home", lambda: self.show_page(CONTENTS)),
            ("Ctrl+F", self._seek),
            ("Ctrl+W", self.close),
            ("Esc", self._leave),
        ):
            QShortcut(QKeySequence(key), self).activated.connect(run)

    def _tool(self, icon: str, text: str, run: object) -> QToolButton:
        button = QToolButton(self)
        icons.follow(button, icon)
        button.setToolTip(text)
        button.setAccessibleName(text.partition(" (")[0])
        button.setMinimumSize(TARGET, TARGET)
        button.clicked.connect(run)
        return button

    # Its life

    def _seek(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _take_first(self) -> None:
        first = self.list.topLevelItem(0)
        if first is not None and first.data(0, _PATH):
            self.list.setCurrentItem(first)

    def _leave(self) -> None:
        """First out of the search, then out of the manual."""
        if self.search.text():
            self.search.clear()
        else:
            self.close()

    def _tell(self, text: str) -> None:
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self.reader.setFocus()
        elif event.type() == QEvent.Type.LanguageChange and self._here[0]:
            self._fill()
            self.reader.show_page(*self._here, keeps_place=True)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_held(event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._tell("")


def _item(text: str, path: str, tip: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([text])
    item.setData(0, _PATH, path)
    item.setToolTip(0, tip)
    item.setSizeHint(0, QSize(0, px(ROW)))
    return item


def _items(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    tops = [item for at in range(tree.topLevelItemCount()) if (item := tree.topLevelItem(at)) is not None]
    inner = [top.child(at) for top in tops for at in range(top.childCount())]
    return [*tops, *(item for item in inner if item is not None)]
