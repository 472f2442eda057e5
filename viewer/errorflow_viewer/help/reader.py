"""Shows one page of the manual, and goes where its links lead."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QImage,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextBrowser

from errorflow_viewer.help.dressing import CODE_LINE, CODE_PADDING, code_runs, dressed, margins
from errorflow_viewer.help.manual import Manual, slug
from errorflow_viewer.kit.look import RADIUS, Theme
from errorflow_viewer.kit.scaling import px

# Px: no line of text is longer, and no page wider; it grows with the text.
COLUMN = 760
# Behind a tag that does not end, such as <br>, Qt loses all but code.
FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
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
        """With one ground behind each piece of code: that of its lines has gaps where letters are of other heights."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.background))
        for ground in self._grounds:
            painter.drawRoundedRect(ground.translated(0, -self.verticalScrollBar().value()), RADIUS, RADIUS)
        painter.end()
        super().paintEvent(event)

    def _ground(self, first: QTextBlock, last: QTextBlock) -> QRectF:
        """From edge to edge of the column."""
        layout = self.document().documentLayout()
        lines = layout.blockBoundingRect(first) | layout.blockBoundingRect(last)
        left = margins(float(self._room), px(COLUMN)).left()
        bottom = layout.blockBoundingRect(last).top() + last.layout().lineCount() * px(CODE_LINE)
        lines.setRect(left, lines.top(), self._column(), bottom - lines.top())
        return lines.adjusted(0, -CODE_PADDING, 0, CODE_PADDING)

    def _picture(self, name: str) -> QImage | None:
        """Only what lies in the manual; as fine as the page shows it, for Qt leaves out pixels of what is larger."""
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
