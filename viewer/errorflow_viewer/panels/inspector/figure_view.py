"""A plot with its row of controls above and what it has no place for below."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from errorflow.explain.inspect.figure import Figure, figure_csv
from errorflow.explain.inspect.readout import readout, stops
from errorflow.report.figure_shapes import Area, FigurePlot
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.commands.copy_save.plots import add_plot, image_of, svg_of
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.plots.figures import file_name, look_of
from errorflow_viewer.plots.large import KEY as LARGE_KEY
from errorflow_viewer.plots.large import TEXT as LARGE_TEXT
from errorflow_viewer.plots.large import Large
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes


class FigureView(QWidget):
    """Controls are added to `controls`; the row is not there without any."""

    def __init__(self, theme: Theme, large: Large) -> None:
        super().__init__()
        self.large = large
        self.plot = FigureBox(theme)
        self.plot.enlarged.connect(lambda: large.open(self))
        self.plot.give = lambda menu: add_plot(menu, large.desk, self.plot.given())
        self.notes = text_label(role="label", wraps=True, selectable=True)
        self.notes.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.controls = spaced(QHBoxLayout(), PADDING, (PADDING, GRID, PADDING, 0))
        box = spaced(QVBoxLayout(self))
        box.addLayout(self.controls)
        box.addWidget(self.plot, 1)
        box.addWidget(self.notes)
        self.plot.pointed.connect(self._say)

    def show_figure(self, figure: Figure | None, theme: Theme) -> None:
        self.plot.show_figure(figure, theme)
        self._say("")

    def _say(self, pointed: str) -> None:
        """Says what is under the pointer before what is always there."""
        figure = self.plot.figure
        self.notes.setText(pointed if pointed else "" if figure is None else "\n".join(figure.notes))


_NOTCH, _ZOOM, _MOST_ZOOM = 120, 1.25, 200.0


class FigureBox(QWidget):
    """Shows a figure. `pointed` says what is where the pointer or the arrow keys are; "": nothing."""

    pointed = Signal(str)
    enlarged = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.figure: Figure | None = None
        # Adds to its menu what can be taken away from here.
        self.give: Callable[[QMenu], None] = lambda _: None
        self._window = (0.0, 1.0)
        self._cursor: float | None = None
        self._grabbed: QPointF | None = None
        self.setMinimumHeight(120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Plot")

    def sizeHint(self) -> QSize:
        return QSize(240, 240)

    def show_figure(self, figure: Figure | None, theme: Theme) -> None:
        """The part that is seen stays as long as the axis does."""
        same = figure is not None and self.figure is not None and _ends(figure) == _ends(self.figure)
        self.figure, self._theme = figure, theme
        if figure is not None:
            self._window = self._window if same else _ends(figure)
            self.setAccessibleName(figure.title)
            self.setAccessibleDescription(figure.told)
        self._point(self._cursor if same else None)

    def given(self) -> GivenPlot:
        """Makes what its context menu offers."""
        ground = self._theme.surface
        title = "" if self.figure is None else self.figure.title
        return GivenPlot(
            lambda: file_name(title),
            lambda: image_of(self.size(), ground, self._paint),
            lambda: svg_of(self.size(), ground, self._paint, title),
            self._numbers,
            lambda: self.figure is not None,
        )

    def _numbers(self) -> Callable[[], str]:
        figure = self.figure
        return str if figure is None else lambda: figure_csv(figure)

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Around a place on the x axis, or the cursor, or the middle."""
        if self.figure is None:
            return
        (low, high), (least, most) = self._window, _ends(self.figure)
        place = around if around is not None else self._cursor if self._cursor is not None else (low + high) / 2
        wide = min(max((high - low) / factor, (most - least) / _MOST_ZOOM), most - least)
        low = min(max(place - (place - low) / (high - low) * wide, least), most - wide)
        self._window = low, low + wide
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.surface))
        self._paint(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.focus), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _paint(self, painter: QPainter) -> None:
        if self.figure is None:
            return
        plot = self._plot()
        paint_shapes(painter, plot.shapes())
        if self._cursor is not None:
            at, area = float(plot.scale.x(np.array([self._cursor]))[0]), plot.scale.area
            painter.setPen(QPen(QColor(self._theme.focus), 1))
            painter.drawLine(QLineF(at, area.y, at, area.bottom))

    def _plot(self) -> FigurePlot:
        assert self.figure is not None
        size = Area(0, 0, self.width(), self.height())
        return FigurePlot(self.figure, look_of(self._theme), size, self._window, WindowLetters())

    def _point(self, x: float | None) -> None:
        text = "" if x is None or self.figure is None else readout(self.figure, x)
        self._cursor = x if text else None
        self.pointed.emit(text)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.figure is None:
            return
        scale, at = self._plot().scale, event.position()
        if self._grabbed is not None:
            self._pan(scale.x_at(self._grabbed.x()) - scale.x_at(at.x()))
            self._grabbed = at
        self._point(scale.x_at(at.x()) if scale.area.contains(at.x(), at.y()) else None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._grabbed = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.enlarged.emit()

    def leaveEvent(self, _event: QEvent) -> None:
        self._point(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.figure is not None and event.angleDelta().y():
            place = self._plot().scale.x_at(event.position().x())
            self.zoom(_ZOOM ** (event.angleDelta().y() / _NOTCH), place)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom(1 / _ZOOM if key == Qt.Key.Key_Minus else _ZOOM)
        elif key == Qt.Key.Key_0:
            self._reset()
        elif key == LARGE_KEY:
            self.enlarged.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu().popup(event.globalPos())

    def menu(self) -> QMenu:
        """Makes the menu of what can be taken away from here."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, run in ((LARGE_TEXT, self.enlarged.emit), ("Show all of the axis", self._reset)):
            action = QAction(text, menu)
            action.triggered.connect(run)
            action.setEnabled(self.figure is not None)
            menu.addAction(action)
        self.give(menu)
        return menu

    def _reset(self) -> None:
        if self.figure is not None:
            self._window = _ends(self.figure)
            self.update()

    def _pan(self, shift: float) -> None:
        assert self.figure is not None
        (low, high), (least, most) = self._window, _ends(self.figure)
        shift = min(max(shift, least - low), most - high)
        self._window = low + shift, high + shift

    def _step(self, step: int) -> None:
        places = np.array([] if self.figure is None else stops(self.figure))
        if not len(places):
            return
        at = int(np.abs(places - self._cursor).argmin()) + step if self._cursor is not None else 0
        place = float(places[min(max(at, 0), len(places) - 1)])
        self._point(place)
        low, high = self._window
        if not low <= place <= high:
            self._pan(place - (low + high) / 2)


def _ends(figure: Figure) -> tuple[float, float]:
    return figure.x.low, figure.x.high
