"""Shows one page of the manual, and goes where its links lead."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage, QResizeEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser

from errorflow_viewer.help.dressing import dressed, margins
from errorflow_viewer.help.manual import Manual, slug
from errorflow_viewer.look import Theme

# Px: no line of text is longer, and no page wider.
COLUMN = 760.0
# Milliseconds until a page is laid out for another width.
_CALM = 120


class Reader(QTextBrowser):
    """`asked`: a page of the manual, and a heading on it. The system opens what is on the net, on a click only."""

    asked = Signal(str, str)
    told = Signal(str)

    def __init__(self, manual: Manual, theme: Theme) -> None:
        super().__init__()
        self._manual, self._theme = manual, theme
        self.path = self._heading = ""
        # The width that it is laid out for.
        self._room = 0
        self.setOpenLinks(False)
        self.setAcceptDrops(False)
        self.setAccessibleName("Page of the manual")
        self.anchorClicked.connect(self._follow)
        self.highlighted.connect(self._tell)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM)
        self._calm.timeout.connect(lambda: self.show_page(self.path, keeps_place=True))

    def show_page(self, path: str, heading: str = "", keeps_place: bool = False) -> None:
        place = self.verticalScrollBar().value() if keeps_place else 0
        self.path, self._heading = path, heading
        self._room = self.viewport().width()
        document = _Document(self._picture, self)
        document.setDefaultFont(self.font())
        document.setMarkdown(self._manual.text(path), QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        room = float(self._room)
        around = margins(room, COLUMN)
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(around.left())
        frame.setRightMargin(around.right())
        frame.setTopMargin(around.top())
        frame.setBottomMargin(around.bottom())
        document.rootFrame().setFrameFormat(frame)
        dressed(document, self._theme, min(room - around.left() - around.right(), COLUMN))
        before = self.document()
        self.setDocument(document)
        if isinstance(before, _Document):  # Qt deletes its own alone
            before.deleteLater()
        self.verticalScrollBar().setValue(place)
        if heading:
            self.scroll_to(heading)

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

    def _picture(self, name: str) -> QImage | None:
        """Only what lies in the manual."""
        target, _ = self._manual.target(self.path, name)
        file = self._manual.folder / target
        inside = file.resolve().is_relative_to(self._manual.folder.resolve())
        return QImage(str(file)) if inside and Path(file).is_file() else None

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
