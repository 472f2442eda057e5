"""The window of the manual: contents and search at the left, a page at the right."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRectF, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QDesktopServices,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QTextBrowser, QToolButton, QTreeView, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass
from errorflow_viewer.help.dressing import CODE_LINE, CODE_PADDING, code_runs, dressed, margins
from errorflow_viewer.help.manual import CONTENTS, Manual, slug
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.menu_key import press_held
from errorflow_viewer.kit.accessible.splitter import Splitter
from errorflow_viewer.kit.layouts import fill, spaced
from errorflow_viewer.kit.look import GRID, PADDING, RADIUS, TARGET, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.kit.tables.furnish import furnish_tree
from errorflow_viewer.kit.tables.table import Column
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel
from errorflow_viewer.kit.translation.door import said

_SIZE, _LIST = QSize(1080, 760), 280
Spot = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A page; a passage of one, which steps back; or what is only read, which has no path."""

    text: str
    path: str
    tip: str
    is_muted: bool = False


_COLUMNS: tuple[Column[ManualEntry], ...] = (
    Column(
        "Pages",
        lambda entry: Verbatim(said(entry.text)),
        cell_tip=lambda entry: entry.tip,
        muted=lambda entry: entry.is_muted,
    ),
)


class HelpWindow(QWidget):
    """Window of the manual, one per main window, with which it closes; it blocks no other window."""

    def __init__(self, main: QWidget, appearance: Appearance, manual: Manual) -> None:
        super().__init__(main, Qt.WindowType.Window)
        self.manual = manual
        self._back: list[Spot] = []
        self._forward: list[Spot] = []
        self._here: Spot = ("", "")
        self.setWindowTitle("Manual – Errorflow")
        self.reader = ManualReader(manual, appearance.theme)
        self.search = QLineEdit()
        self.entries: TreeModel[ManualEntry] = TreeModel(self)
        self.entries.show((), _COLUMNS)
        self.list = QTreeView()
        self._marking = False
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
        """Fills the list with all pages, or those that are found."""
        text = self.search.text().strip()
        groups = self._found(text) if text else self._sections()
        self.entries.show(groups, _COLUMNS, is_heading=lambda entry: not entry.path)
        self.list.expandAll()
        self._mark()

    def _sections(self) -> "list[TreeGroup[ManualEntry]]":
        return [
            TreeGroup(ManualEntry(title, "", title), [ManualEntry(page.title, page.path, page.title) for page in pages])
            for title, pages in self.manual.sections
        ]

    def _found(self, text: str) -> "list[TreeGroup[ManualEntry]]":
        found = self.manual.search(text)
        self._tell(f"{len(found):,} pages found" if len(found) != 1 else "1 page found")
        if not found:
            return [TreeGroup(ManualEntry("No page has all of these words.", "", "", is_muted=True))]
        groups = []
        for each in found:
            passage = Verbatim(each.passage)
            inside = ManualEntry(passage, each.page.path, passage, is_muted=True)
            groups.append(TreeGroup(ManualEntry(each.page.title, each.page.path, passage), [inside]))
        return groups

    def _mark(self) -> None:
        """The page on view is the selected one."""
        self._marking = True
        self.list.clearSelection()
        path = self._here[0]
        self.list.setCurrentIndex(self.entries.find(lambda entry: bool(path) and entry.path == path))
        self._marking = False

    def _on_current(self, index: QModelIndex) -> None:
        entry = self.entries.item(index)
        if not self._marking and entry is not None and entry.path:
            self.show_page(entry.path)
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
        furnish_tree(self.list, self.entries, "Pages of the manual", "Pages")
        self.list.setIndentation(12)
        self.list.selectionModel().currentChanged.connect(lambda index, _: self._on_current(index))

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
        first = self.entries.index(0, 0)
        entry = self.entries.item(first)
        if entry is not None and entry.path:
            self.list.setCurrentIndex(first)

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


# Px: no line of text is longer, and no page wider; it grows with the text.
COLUMN = 760
# Behind a tag that does not end, such as <br>, Qt loses all but code.
FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
# Milliseconds until a page is laid out for another width.
_CALM = 120


class ManualReader(QTextBrowser):
    """`asked`: a page of the manual, and a heading on it. The system opens what is on the net, on a click only."""

    asked = Signal(str, str)
    told = Signal(str)

    def __init__(self, manual: Manual, theme: Theme) -> None:
        super().__init__()
        self._manual, self._theme = manual, theme
        self.path = self._heading = ""
        self._grounds: list[QRectF] = []
        # The width that it is laid out for.
        self._room = 0
        self.setOpenLinks(False)
        self.setAcceptDrops(False)
        self.setAccessibleName("Page of the manual")
        self.anchorClicked.connect(self._follow)
        self.highlighted.connect(self._tell)
        self._calm = QTimer(self, singleShot=True, interval=_CALM)
        self._calm.timeout.connect(lambda: self.show_page(self.path, keeps_place=True))

    def show_page(self, path: str, heading: str = "", keeps_place: bool = False) -> None:
        place = self.verticalScrollBar().value() if keeps_place else 0
        self.path, self._heading = path, heading
        self._lay_out()
        if self.viewport().width() != self._room:  # it is the first that is longer than the view, or shorter
            self._lay_out()
        self._calm.stop()  # the bar that came or went is reckoned with
        self.verticalScrollBar().setValue(place)
        if heading:
            self.scroll_to(heading)

    def _lay_out(self) -> None:
        self._room = self.viewport().width()
        document = _Document(self._picture, self)
        document.setDefaultFont(self.font())
        document.setMarkdown(self._manual.text(self.path), FEATURES)
        room = float(self._room)
        around = margins(room, px(COLUMN))
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(around.left())
        frame.setRightMargin(around.right())
        frame.setTopMargin(around.top())
        frame.setBottomMargin(around.bottom())
        document.rootFrame().setFrameFormat(frame)
        dressed(document, self._theme, self._column())
        before = self.document()
        self.setDocument(document)
        if isinstance(before, _Document):  # Qt deletes its own alone
            before.deleteLater()
        self._finish_layout()

    def _column(self) -> float:
        """Px across of what is read."""
        around = margins(float(self._room), px(COLUMN))
        return min(self._room - around.left() - around.right(), float(px(COLUMN)))

    def _finish_layout(self) -> None:
        """Qt lays out what is below the view a moment later, and until then guesses how far one may scroll."""
        layout = self.document().documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())
        self._grounds = [self._ground(*run) for run in code_runs(self.document())]

    def scroll_to(self, heading: str) -> bool:
        """Brings a heading to the top; False: there is none of that name."""
        heading = self._manual.heading(self.path, heading)
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == heading:
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(round(top) - 12)
                self.setTextCursor(QTextCursor(block))
                self.verticalScrollBar().setValue(round(top) - 12)
                return True
            block = block.next()
        return False

    def dress(self, theme: Theme) -> None:
        self._theme = theme
        if self.path:
            self.show_page(self.path, keeps_place=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.path or self.viewport().width() == self._room:
            return
        if self.isVisible():
            self._calm.start()
        else:
            self.show_page(self.path, self._heading)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints one ground behind each piece of code: that of its lines has gaps where letters are of other
        heights.
        """
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.background))
        for ground in self._grounds:
            painter.drawRoundedRect(ground.translated(0, -self.verticalScrollBar().value()), RADIUS, RADIUS)
        painter.end()
        super().paintEvent(event)

    def _ground(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        """Finds the ground from edge to edge of the column."""
        layout = self.document().documentLayout()
        lines = layout.blockBoundingRect(first) | layout.blockBoundingRect(last)
        left = margins(float(self._room), px(COLUMN)).left()
        bottom = layout.blockBoundingRect(last).top() + last.layout().lineCount() * px(CODE_LINE)
        lines.setRect(left, lines.top(), self._column(), bottom - lines.top())
        return lines.adjusted(0, -CODE_PADDING, 0, CODE_PADDING)

    def _picture(self, name: str) -> QImage | None:
        """Reads a picture that lies in the manual; as fine as the page shows it, for Qt leaves out pixels of what is
        larger.
        """
        file = self._manual.picture(self.path, name)
        if file is None:
            return None
        image, ratio = QImage(str(file)), self.devicePixelRatioF()
        width = round(min(image.width(), self._column()) * ratio)
        image = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        image.setDevicePixelRatio(ratio)
        return image

    def _follow(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
            return
        path, heading = self._manual.target(self.path, url.toString())
        if path in self._manual.pages:
            self.asked.emit(path, heading)
        else:
            self.told.emit(f"{path} comes with the source code, not with the manual.")

    def _tell(self, url: QUrl) -> None:
        self.told.emit(url.toString() if url.scheme() in ("http", "https") else "")


class _Document(QTextDocument):
    """Gets its pictures from the manual: nothing is fetched from anywhere."""

    def __init__(self, picture: Callable[[str], QImage | None], parent: QObject) -> None:
        super().__init__(parent)
        self._picture = picture

    def loadResource(self, _kind: int, name: QUrl | str) -> object:
        return self._picture(QUrl(name).toString())
