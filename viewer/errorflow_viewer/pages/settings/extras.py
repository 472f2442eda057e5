"""Extras of some rows below their words: a strip of colours, a button, a table of what is kept."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from errorflow.base.progress import Progress
from errorflow.report.scale import scale_of
from errorflow_viewer.kit.caches import PARTS, Amount, Part, amount_of, clear
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.kit.layouts import text_button
from errorflow_viewer.kit.look import GAP, PADDING, RADIUS
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings.row import size_text

KEY = "kept"
_STEPS = 48


def button_for(text: str, pressed: Callable[[], None]) -> QPushButton:
    found = text_button(text, lambda: pressed())
    found.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return found


class PaletteStrip(QWidget):
    """Strip from good to bad in the colours of new sessions, on the ground of the theme."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Colours from good to bad")
        desk.appearance.changed.connect(self._on_theme)

    def _on_theme(self, _theme: object) -> None:
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(240), px(14))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), px(14))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        theme, painter = self._desk.appearance.theme, QPainter(self)
        scale = scale_of(self._desk.settings.palette, theme.dark)
        width = min(self.width(), px(240)) - 1
        for step in range(_STEPS):
            left, right = (round(width * at / _STEPS) for at in (step, step + 1))
            painter.fillRect(left, 0, right - left, self.height(), QColor(scale.hex(step / (_STEPS - 1))))
        painter.setPen(QColor(theme.control_border))
        painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, self.height() - 1), RADIUS / 2, RADIUS / 2)


class KeptTable(QWidget):
    """Table of how much is kept of each part, counted in the background, and a button that takes it away."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self.sizes: dict[str, QLabel] = {}
        self.buttons: dict[str, QPushButton] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(PADDING // 2)
        grid.setColumnStretch(0, 1)
        for number, part in enumerate(PARTS):
            self._add(grid, number, part)

    def _add(self, grid: QGridLayout, number: int, part: Part) -> None:
        name, size, button = QLabel(part.name), QLabel("…"), QPushButton("Clear")
        size.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        size.setProperty("muted", True)
        size.setMinimumWidth(90)
        button.setAccessibleName(f"Clear: {part.name}")
        button.setEnabled(False)
        button.clicked.connect(partial(self._clear, part))
        for column, widget in enumerate((name, size, button)):
            widget.setToolTip(part.tip)
            grid.addWidget(widget, number, column)
        self.sizes[part.key], self.buttons[part.key] = size, button

    def count(self) -> None:
        """Asks the disk, in the background."""
        self._desk.jobs.quietly(KEY, "Looking at what is kept", _counted, self._take)

    def _take(self, found: dict[str, Amount]) -> None:
        for key, amount in found.items():
            self.sizes[key].setText(size_text(amount.bytes) if amount.files else "Nothing")
            self.buttons[key].setEnabled(amount.files > 0)

    def _clear(self, part: Part, _checked: bool = False) -> None:
        used = tuple(path for path in (self._desk.document.folder, self._model()) if path is not None)
        self.buttons[part.key].setEnabled(False)
        self._desk.jobs.start(
            f"{KEY} {part.key}",
            f"Clearing: {part.name}",
            lambda progress: clear(part, used, progress),
            partial(self._tell, part),
            ignore_failure,
        )

    def _model(self) -> Path | None:
        model = self._desk.document.model
        return None if model is None else model.path

    def _tell(self, part: Part, freed: Amount) -> None:
        self._desk.say(f"{part.name}: {size_text(freed.bytes)} are free again")
        self.count()


def _counted(progress: Progress) -> dict[str, Amount]:
    return {part.key: amount_of(part, progress) for part in PARTS}
