"""Card of what was opened last: how it looked, its name, where it lies, and when it was open."""

from datetime import date, datetime
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from errorflow.base.values import dataclass
from errorflow.case.session.model import SUFFIX
from errorflow_viewer.commands.api import Entry
from errorflow_viewer.commands.verdict_bar import sign_color
from errorflow_viewer.document.thumbnails import SeenPicture
from errorflow_viewer.document.verdict_words import Sign
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING, RADIUS, Theme
from errorflow_viewer.kit.recent import Recent, folder_of, name_of, tip_of
from errorflow_viewer.pages.desk import PageDesk

# Cards: what can be opened, each chosen by a click, Enter or Space; arrow keys lead from one to the next.

_CHOOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
# Columns and rows by arrow keys.
_WAYS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class StartTile(QFrame):
    """One of several tiles; its content is its own."""

    chosen = Signal()
    stepped = Signal(int, int)  # columns and rows to the next one that gets the keyboard

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _CHOOSING:
            self.chosen.emit()
        elif key in _WAYS:
            self.stepped.emit(*_WAYS[key])
        else:
            super().keyPressEvent(event)


class Card(StartTile):
    """A sample: its title and its story."""

    def __init__(self, entry: Entry[PageDesk]) -> None:
        super().__init__()
        self.setAccessibleName(f"Open sample: {entry.text}. {entry.tip}")
        title = text_label(entry.text, role="strong")
        story = text_label(entry.tip, muted=True, wraps=True)
        box = spaced(QVBoxLayout(self), 4, (GAP, PADDING, GAP, PADDING))
        box.addWidget(title)
        box.addWidget(story, 1, Qt.AlignmentFlag.AlignTop)


# Logical px.
TALL, ICON, MARK = 112, 32, 16
# How much of a picture is left of what is not found.
FAINT = 0.3
_SIGNS: dict[str, tuple[Sign, str]] = {
    "node": ("node", "Node error"),
    "accumulated": ("accumulated", "Accumulated error"),
    "inputs": ("inputs", "The inputs differ"),
    "good": ("good", "No error beyond the limits"),
}


@dataclass(frozen=True, slots=True, eq=False)
class CardFacts:
    """Facts on a card."""

    recent: Recent
    # In seconds since 1970; 0: nobody knows.
    opened: int
    missing: bool
    seen: SeenPicture | None

    @property
    def name(self) -> str:
        return f"{name_of(self.recent)} (not found)" if self.missing else name_of(self.recent)

    @property
    def spoken(self) -> str:
        what = str(self.recent) if isinstance(self.recent, Path) else name_of(self.recent)
        return f"Open {what}, not found" if self.missing else f"Open {what}"


class RecentCard(StartTile):
    """Opens it; Delete takes it from the list, the menu key offers the rest."""

    removed = Signal()
    folder_wanted = Signal()
    cleared = Signal()

    def __init__(self, recent: Recent, theme: Theme) -> None:
        super().__init__()
        self._recent = recent
        self.picture = CardPicture(_icon_of(recent), theme)
        self.name = Elided(Qt.TextElideMode.ElideMiddle)
        self.name.setProperty("role", "strong")
        self.sign = QLabel()
        self.folder = Elided(Qt.TextElideMode.ElideMiddle)
        self.folder.setProperty("role", "label")
        self.when = text_label(role="label")
        self.cross = QToolButton(self)
        self.cross.setToolTip("Remove from this list")
        self.cross.setAccessibleName(f"Remove {name_of(recent)} from the recent files")
        self.cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Delete does the same
        self.cross.setCursor(Qt.CursorShape.ArrowCursor)
        self.cross.setProperty("over", True)
        self.cross.clicked.connect(self.removed)
        self.cross.hide()
        icons.follow(self.cross, "close")
        self._lay_out()

    def _lay_out(self) -> None:
        top, below = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(PADDING // 2)
        top.addWidget(self.sign)
        top.addWidget(self.name, 1)
        below.setSpacing(PADDING)
        below.addWidget(self.folder, 1)
        below.addWidget(self.when)
        text = spaced(QVBoxLayout(), 2, (PADDING + 2, PADDING - 2, PADDING + 2, PADDING))
        text.addLayout(top)
        text.addLayout(below)
        box = spaced(QVBoxLayout(self), 0, (1, 1, 1, 1))
        box.addWidget(self.picture)
        box.addLayout(text)

    def tell(self, known: CardFacts, theme: Theme, today: date) -> None:
        """Tells what is known of it now."""
        self.picture.show_seen(known.seen, theme, faint=known.missing)
        self.name.show_text(known.name)
        self.name.setProperty("muted", known.missing)
        self.name.style().polish(self.name)
        folder = folder_of(self._recent)
        self.folder.show_text("" if folder == Path(folder).anchor else folder)  # all over the disk: no place to name
        self.when.setText(when_words(known.opened, today))
        sign = _SIGNS.get("" if known.seen is None else known.seen.sign)
        self.sign.setVisible(sign is not None)
        tip = _unfound(self._recent) if known.missing else tip_of(self._recent)
        if sign is not None:
            color = sign_color(sign[0], theme)
            self.sign.setPixmap(icons.pixmap(f"verdict-{sign[0]}", color, MARK, self.devicePixelRatioF()))
            self.sign.setToolTip(sign[1])
        self.setToolTip(tip)
        self.setAccessibleName(known.spoken)
        self.setAccessibleDescription("" if sign is None else sign[1])

    def menu(self) -> QMenu:
        """Makes the menu of the right button and the menu key."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", self.chosen.emit)
        menu.addAction("Show in its folder", self.folder_wanted.emit).setEnabled(bool(folder_of(self._recent)))
        menu.addSeparator()
        menu.addAction("Remove from this list", self.removed.emit)
        menu.addAction("Clear recent files", self.cleared.emit)
        return menu

    # Events

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        self.menu().popup(event.globalPos() if by_mouse else self.mapToGlobal(QPoint(PADDING, TALL)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.cross.show()

    def leaveEvent(self, event: object) -> None:  # noqa: ARG002 - the signature of Qt
        self.cross.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = self.cross.sizeHint()
        self.cross.setGeometry(QRect(self.width() - size.width() - 5, 5, size.width(), size.height()))
        self.cross.raise_()


class CardPicture(QWidget):
    """Picture of how it looked, filling the upper part of a card; an icon where that is unknown."""

    def __init__(self, icon: str, theme: Theme) -> None:
        super().__init__()
        self._icon = icon
        self._theme = theme
        self._image: QImage | None = None
        self._faint = False
        self.setFixedHeight(TALL)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @property
    def image(self) -> QImage | None:
        return self._image

    def show_seen(self, seen: SeenPicture | None, theme: Theme, faint: bool) -> None:
        self._theme, self._image, self._faint = theme, None if seen is None else seen.image, faint
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.setClipPath(_rounded_above(QRectF(self.rect())))
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        if self._faint:
            painter.setOpacity(FAINT)
        if self._image is None:
            self._paint_icon(painter)
        else:
            painter.drawImage(fitted(self._image, QRectF(self.rect())), self._image)
        painter.setOpacity(1.0)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), QColor(self._theme.hairline))

    def _paint_icon(self, painter: QPainter) -> None:
        drawn = icons.pixmap(self._icon, self._theme.disabled, ICON, self.devicePixelRatioF())
        painter.drawPixmap((self.width() - ICON) // 2, (self.height() - ICON) // 2, drawn)


def fitted(image: QImage, room: QRectF) -> QRectF:
    """Fits all of its width, or where that is too little all of its height, in the middle: its rim is ground only."""
    scale = max(room.width() / image.width(), room.height() / image.height())
    scale = min(scale, room.height() / image.height() * 1.1)
    width, height = image.width() * scale, image.height() * scale
    return QRectF(room.center().x() - width / 2, room.center().y() - height / 2, width, height)


def when_words(opened: int, today: date) -> str:
    """Says when it was, as seen today."""
    if not opened:
        return ""
    try:
        when = datetime.fromtimestamp(opened).astimezone()
    except (OSError, OverflowError, ValueError):
        return ""
    days = (today - when.date()).days
    if days == 0:
        return f"Today, {when:%H:%M}"
    return f"Yesterday, {when:%H:%M}" if days == 1 else f"{when:%Y-%m-%d}"


def _rounded_above(room: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(room.adjusted(0, 0, 0, RADIUS), RADIUS - 1, RADIUS - 1)
    return path


def _icon_of(recent: Recent) -> str:
    if not isinstance(recent, Path):
        return "compare"
    return "file" if recent.suffix == SUFFIX else "graph"


def _unfound(recent: Recent) -> str:
    return f"{recent}: not found" if isinstance(recent, Path) else f"{tip_of(recent)}\nNot all of it was found"
