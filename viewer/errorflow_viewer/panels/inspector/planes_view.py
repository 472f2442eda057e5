"""Feature maps channel by channel; a vector as a line."""

from PySide6.QtWidgets import QSpinBox, QStackedWidget

from errorflow.explain.inspect.figures import line_figure
from errorflow.explain.inspect.planes import Planes, plane_view
from errorflow.explain.inspect.tensors import Tensors
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import offer_plot
from errorflow_viewer.kit.layouts import text_label
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.planes import PlanePictures
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.content import FigureContent, MapContent
from errorflow_viewer.plots.large import Large

MANY_VALUES = 32_768


class PlanesView:
    """Begins with the worst channel."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        theme = desk.appearance.theme
        self.large = Large(desk, "planes", "Maps")
        self.widget = FigureView(theme, self.large)
        self.pictures = PlanePictures(theme)
        offer_plot(desk, self.pictures, self.pictures.given())
        self.stack = QStackedWidget()
        box = self.widget.layout()
        assert box is not None
        box.replaceWidget(self.widget.plot, self.stack)
        self.stack.addWidget(self.pictures)
        self.stack.addWidget(self.widget.plot)
        self.plane = QSpinBox()
        self.plane.setAccessibleName("Plane")
        self.plane.lineEdit().setAccessibleName("Plane")
        self.plane.setToolTip("Which plane of the tensor is shown; it begins with the worst channel")
        self.plane.valueChanged.connect(self._draw)
        self.where = text_label(role="label")
        self.widget.controls.addWidget(self.plane)
        self.widget.controls.addWidget(self.where, 1)
        self.pictures.pointed.connect(self._say)
        self.pictures.enlarged.connect(lambda: self.large.open(self.widget))
        self._subject: Subject | None = None
        self._planes: Planes | None = None

    def show(self, subject: Subject | None) -> None:
        before = None if self._subject is None or self._subject.looked is None else self._subject.looked.tensors
        self._subject = subject
        looked = None if subject is None else subject.looked
        tensors = None if looked is None else looked.tensors
        if tensors is not before or tensors is None:
            self._planes = None if tensors is None else Planes.of(tensors.shape, tensors.axis)
            count = 1 if self._planes is None else self._planes.count
            self.plane.blockSignals(True)
            self.plane.setRange(0, count - 1)
            self.plane.setValue(self._worst())
            self.plane.blockSignals(False)
        several = self._planes is not None and self._planes.count > 1
        self.plane.setVisible(several)
        self.where.setVisible(several)
        self._draw()

    def _worst(self) -> int:
        looked = None if self._subject is None else self._subject.looked
        if self._planes is None or looked is None or looked.channels is None:
            return 0
        return self._planes.number(looked.channels.axis, int(looked.channels.order[0]))

    def _draw(self, _number: int = 0) -> None:
        looked = None if self._subject is None else self._subject.looked
        theme = self._desk.appearance.theme
        if looked is None or self._planes is None:
            self.pictures.show_plane(None, theme)
            self.large.show(None if looked is None or not looked.tensors.size else _line(looked.tensors))
            flat = looked is not None and looked.tensors.size > 0
            self.widget.show_figure(line_figure(looked.tensors) if flat and looked is not None else None, theme)
            self.stack.setCurrentWidget(self.widget.plot)
            return
        number = self.plane.value()
        self.widget.plot.show_figure(None, theme)
        self.pictures.show_plane(plane_view(looked.tensors, self._planes, number), theme)
        self.large.show(MapContent(looked.tensors.name, looked.tensors, self._planes, number))
        self.stack.setCurrentWidget(self.pictures)
        at = zip(self._planes.counting, self._planes.index(number), strict=True)
        said = ", ".join(f"axis {axis}: {place}" for axis, place in at if self._planes.shape[axis] > 1)
        self.where.setText(f"of {self._planes.count:,} · {said}")
        self._say("")

    def _say(self, text: str) -> None:
        if self._planes is not None:
            rows, columns = (self._planes.shape[axis] for axis in (self._planes.rows, self._planes.columns))
            self.widget.notes.setText(text if text else f"{rows:,} × {columns:,} values, both sides in the same shades")


def _line(tensors: Tensors) -> FigureContent:
    """A vector, with all the values that a window is wide enough for."""
    return FigureContent(tensors.name, lambda _: line_figure(tensors, MANY_VALUES))


PLANES = View("planes", "Maps", PlanesView)
