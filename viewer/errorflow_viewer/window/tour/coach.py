"""Coach: what a step says, with an arrow to what it is about, and a ring round that."""

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.voice import VOICE
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING, RADIUS, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.stacking import StaysAbove
from errorflow_viewer.window.tour.placing import ARROW, Side, TourPlace, placed

WIDTH, TICK = 336, 16
# Logical px: of the frame, and from the ring to what it is round.
LINE, ROUND = 1.5, 4


class Coach(QFrame):
    """Title, words, what to do, and the ways on."""

    back = Signal()
    on = Signal()
    left = Signal()
    stays = Signal()  # the tour ends, and what is on view remains

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._place = TourPlace(QRect(), "over")
        self.setAccessibleName("Tour")
        self.count = text_label(role="label")
        self.title = text_label(role="title")
        self.text, self.task = QLabel(), QLabel()
        self.task.setProperty("role", "strong")
        for label in (self.title, self.text, self.task):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.tick = QLabel()
        self.tick.setFixedWidth(TICK)
        self.close_button = QToolButton()
        self.close_button.setToolTip("End the tour (Esc)")
        self.close_button.setAccessibleName("End the tour")
        icons.follow(self.close_button, "close")
        self.skip_button = QPushButton("Skip the tour")
        self.skip_button.setProperty("link", True)
        self.stay_button = QPushButton("Keep the sample open")
        self.stay_button.setProperty("link", True)
        self.back_button = QPushButton("Back")
        self.on_button = QPushButton("Next")
        self.on_button.setProperty("primary", True)
        self.back_button.setToolTip("Ctrl+Backspace")
        self.on_button.setToolTip("Ctrl+Return")
        self._lay_out()
        self._connect()
        StaysAbove(self)
        self.hide()

    def _lay_out(self) -> None:
        head, doing, foot = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.count, 1)
        head.addWidget(self.close_button)
        doing.setSpacing(PADDING // 2)
        doing.addWidget(self.tick, 0, Qt.AlignmentFlag.AlignTop)
        doing.addWidget(self.task, 1)
        foot.setSpacing(PADDING)
        foot.addWidget(self.skip_button)
        foot.addWidget(self.stay_button)
        foot.addStretch(1)
        foot.addWidget(self.back_button)
        foot.addWidget(self.on_button)
        self._box = spaced(QVBoxLayout(self), PADDING // 2, (GAP + 4, PADDING, GAP + 4, GAP + 4))
        self._box.addLayout(head)
        self._box.addWidget(self.title)
        self._box.addWidget(self.text)
        self._box.addSpacing(PADDING // 2)
        self._box.addLayout(doing)
        self._box.addSpacing(PADDING)
        self._box.addLayout(foot)

    def _connect(self) -> None:
        for button, signal in (
            (self.close_button, self.left),
            (self.skip_button, self.left),
            (self.stay_button, self.stays),
            (self.back_button, self.back),
            (self.on_button, self.on),
        ):
            button.clicked.connect(signal)

    # What it says

    def tell(self, number: int, count: int, title: str, text: str) -> None:
        """Tells another step."""
        self.count.setText(f"Step {number} of {count}")
        self.title.setText(title)
        self.text.setText(text)
        self.skip_button.setVisible(number < count)
        self.stay_button.setVisible(number == count)
        self.back_button.setEnabled(number > 1)
        self.on_button.setText("Finish" if number == count else "Next")
        self.setAccessibleName(f"Tour, step {number} of {count}: {title}")
        self.setAccessibleDescription(text)
        VOICE.say(self, f"{title}: {text}")

    def first(self) -> QWidget:
        """Finds what takes the keyboard: the button that goes on, unless one waits for something."""
        return self.on_button if self.on_button.isEnabled() else self

    def begins_at(self, widget: QWidget) -> bool:
        """Whether nothing of it comes before that by Tab: its buttons follow each other as they were made."""
        parts = (self.close_button, self.skip_button, self.stay_button, self.back_button, self.on_button)
        return widget is self or widget is next((part for part in parts if part.isVisible() and part.isEnabled()), None)

    def show_task(self, text: str, done: bool = False, enabled: bool = True) -> None:
        """Shows what is to be done, or with a tick what has been; not `enabled`: one waits for something."""
        if (text, enabled) == (self.task.text(), self.on_button.isEnabled()) and done != self.tick.pixmap().isNull():
            return
        self.task.setText(text)
        self.task.setVisible(bool(text))
        self.tick.setVisible(done)
        if not enabled and self.on_button.hasFocus():
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt would give it to the next button, as to Back
        self.on_button.setEnabled(enabled)
        drawn = icons.pixmap("check", self._theme.accent, TICK, self.devicePixelRatioF()) if done else None
        if drawn is None:
            self.tick.clear()
        else:
            self.tick.setPixmap(drawn)
        VOICE.say(self.task, text)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    # Where it is

    def stand(self, thing: QRect | None, room: QRect, wanted: tuple[Side, ...]) -> None:
        """Stands beside a thing, in coordinates of the window."""
        width = min(px(WIDTH), room.width() - 4 * PADDING)
        left, top, right, bottom = _pads(self._place.side)
        height = self._box.heightForWidth(width + left + right) - top - bottom
        place = placed(QSize(width, height), thing, room, wanted)
        if place == self._place and self.isVisible():
            return
        self._place = place
        left, top, right, bottom = _pads(place.side)
        self._box.setContentsMargins(GAP + 4 + left, PADDING + top, GAP + 4 + right, GAP + 4 + bottom)
        self.setGeometry(place.rect.adjusted(-left, -top, right, bottom))
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.accent), LINE))
        painter.setBrush(QColor(self._theme.raised))
        painter.drawPath(self._outline())

    def _outline(self) -> QPainterPath:
        left, top, right, bottom = _pads(self._place.side)
        body = QRectF(self.rect()).adjusted(left + LINE, top + LINE, -right - LINE, -bottom - LINE)
        path, tip = QPainterPath(), QPainterPath()
        path.addRoundedRect(body, 2 * RADIUS, 2 * RADIUS)
        corners = _arrow(self._place, body)
        if corners:
            tip.addPolygon(QPolygonF(corners))
            tip.closeSubpath()
        return path.united(tip)


class TourRing(QWidget):
    """Ring round what is told of; the mouse goes through it."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        StaysAbove(self)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def lie_round(self, thing: QRect | None, room: QRect) -> None:
        seen = None if thing is None else thing.adjusted(-ROUND, -ROUND, ROUND, ROUND).intersected(room)
        if seen is None or seen.isEmpty():
            self.hide()
        elif seen != self.geometry() or not self.isVisible():
            self.setGeometry(seen)
            self.show()
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.focus), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)


def _pads(side: Side) -> tuple[int, int, int, int]:
    """Room for the arrow: left, top, right, bottom."""
    return (
        ARROW if side == "right" else 0,
        ARROW if side == "below" else 0,
        ARROW if side == "left" else 0,
        ARROW if side == "above" else 0,
    )


def _arrow(place: TourPlace, body: QRectF) -> list[QPointF]:
    """Finds its corners; the middle one points."""
    half, at = float(ARROW), float(place.arrow)
    x, y = body.left() + at, body.top() + at
    if place.side == "right":
        left = body.left() + 1
        return [QPointF(left, y - half), QPointF(left - half, y), QPointF(left, y + half)]
    if place.side == "left":
        right = body.right() - 1
        return [QPointF(right, y - half), QPointF(right + half, y), QPointF(right, y + half)]
    if place.side == "below":
        top = body.top() + 1
        return [QPointF(x - half, top), QPointF(x, top - half), QPointF(x + half, top)]
    if place.side == "above":
        bottom = body.bottom() - 1
        return [QPointF(x - half, bottom), QPointF(x, bottom + half), QPointF(x + half, bottom)]
    return []
