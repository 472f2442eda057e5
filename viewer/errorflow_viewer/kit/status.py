"""The line at the bottom: what is pointed at, what is running and how to stop it, problems, zoom."""

from collections.abc import Callable

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QStatusBar,
    QStyle,
    QStyleOption,
    QToolButton,
    QWidget,
)

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.voice import VOICE
from errorflow_viewer.kit.jobs import Step
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.kit.scaling import OWN_SIZE

# Quick work shows nothing; a bar that flashes up says less than none.
PATIENCE = 250
MESSAGE = 5000
# Logical px, also of large text: the window is no narrower, whatever it shows.
LEAST = 560


class StatusBar(QStatusBar):
    """Text left, progress in the middle, numbers right."""

    def __init__(self, cancel: Callable[[], None], show_problems: Callable[[], None]) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setProperty(OWN_SIZE, True)  # as high as what stands in it, which is grown already
        self.setMinimumWidth(LEAST)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names of files are in it
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setAccessibleName("What is under the pointer")
        self.busy = _Busy(cancel)
        self.problems = QToolButton()
        self.problems.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.problems.setToolTip("Show what is odd, and what could not be measured and why")
        self.problems.clicked.connect(lambda: show_problems())
        icons.follow(self.problems, "problems")
        self.zoom = QLabel()
        self.zoom.setAccessibleName("Zoom")
        self.zoom.setMinimumWidth(44)
        self.zoom.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(self.text, 1)
        for widget in (self.busy, self.problems, self.zoom):
            self.addPermanentWidget(widget)
        self.show_problems("")
        self._model: object = None
        self.setContentsMargins(PADDING, 0, PADDING, 0)
        self.messageChanged.connect(self.setToolTip)  # there is not always room for all of it

    def follow(self, model: object) -> None:
        """Follows a model: what was said of the one before goes with it; the same comes again as more is known of
        it.
        """
        self.text.clear()
        if self._model not in (None, model):
            self.clearMessage()
        self._model = model

    def say(self, text: str) -> None:
        """A short answer to something the user did."""
        self.showMessage(text, MESSAGE)
        VOICE.say(self, text)

    @property
    def room(self) -> QRect:
        """Room for a message: up to what stands on the right, and a gap."""
        right = [widget.x() for widget in (self.busy, self.problems, self.zoom) if widget.isVisible()]
        end = min([*right, self.width() - PADDING]) - GAP
        return QRect(PADDING, 0, max(0, end - PADDING), self.height())

    @property
    def message(self) -> str:
        """Message, as much of it as there is room for."""
        return self.fontMetrics().elidedText(self.currentMessage(), Qt.TextElideMode.ElideRight, self.room.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt cuts a long message off in the middle of a letter, close to what follows."""
        if not self.currentMessage():
            super().paintEvent(event)
            return
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelStatusBar, option, painter, self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.message)
        painter.end()

    def show_problems(self, words: str) -> None:
        """Shows how many problems there are of what; "": there are none."""
        self.problems.setText(words)
        self.problems.setAccessibleName(words)
        self.problems.setVisible(bool(words))

    def show_zoom(self, zoom: float | None) -> None:
        percent = 0.0 if zoom is None else zoom * 100
        text = f"{percent:.0f} %" if percent >= 1 else f"{percent:.2g} %"
        self.zoom.setText("" if zoom is None else text)


class _Busy(QWidget):
    """Text, bar and a cancel button for the newest job."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        super().__init__()
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names of files are in it
        self.bar = QProgressBar()
        self.bar.setFixedWidth(120)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        self.stop = QToolButton()
        self.stop.setToolTip("Cancel (Esc)")
        self.stop.setAccessibleName("Cancel")
        self.stop.clicked.connect(lambda: cancel())
        icons.follow(self.stop, "close")
        row = spaced(QHBoxLayout(self), PADDING, (0, 0, PADDING, 0))
        for widget in (self.text, self.bar, self.stop):
            row.addWidget(widget)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._appear)
        self.hide()

    def _appear(self) -> None:
        """Readers are told what takes a while, and when it is over."""
        self.show()
        VOICE.say(self, self.text.text())

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        if not steps:
            self._patience.stop()
            if not self.isHidden():
                VOICE.say(self, "Done")
            self.hide()
            return
        step = steps[-1]
        self.text.setText(f"{step.text} …")
        # Qt counts in 32 bits, files in bytes.
        self.bar.setRange(0, 1000 if step.total > 0 else 0)
        self.bar.setValue(min(1000, step.done * 1000 // step.total) if step.total > 0 else 0)
        if not self.isVisible() and not self._patience.isActive():
            self._patience.start()
