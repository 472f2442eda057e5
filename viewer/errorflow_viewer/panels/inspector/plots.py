"""The views that are one plot: values, errors, candidate against reference."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from errorflow.explain.inspect.figure import Figure
from errorflow.explain.inspect.figures import error_figure, scatter_figure, values_figure
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.overview import Overview, sampled_points
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.check_box import CheckBox
from errorflow_viewer.plots.large import FigureContent, Large

Make = Callable[[Overview, bool], Figure]
# In a large window there is room for more of them.
MANY_POINTS = 50_000


class HistogramView:
    """View with a switch for a logarithmic count, which is on by itself where one bar would hide all others."""

    def __init__(self, desk: Desk, make: Make, key: str, title: str) -> None:
        self._desk, self._make = desk, make
        self.large = Large(desk, key, title)
        self.widget = FigureView(desk.appearance.theme, self.large)
        self.log = CheckBox("Logarithmic count")
        self.log.setToolTip("Count in powers of ten, so that few values are seen beside many")
        self.log.clicked.connect(self._choose)
        self.widget.controls.addWidget(self.log, 0, Qt.AlignmentFlag.AlignLeft)
        self._subject: Subject | None = None
        # None: nobody has touched the switch.
        self._chosen: bool | None = None

    def show(self, subject: Subject | None) -> None:
        self._subject = subject
        seen = None if subject is None or subject.looked is None else subject.looked.overview
        if seen is None:
            self.large.show(None)
            self.widget.show_figure(None, self._desk.appearance.theme)
            return
        log = seen.values.wants_log if self._chosen is None else self._chosen
        self.log.setChecked(log)
        self.widget.show_figure(self._make(seen, log), self._desk.appearance.theme)
        grid = seen.grid if self._make is values_figure else None
        self.large.show(FigureContent(seen.tensors.name, lambda log: self._make(seen, log), log, grid))

    def _choose(self, on: bool) -> None:
        self._chosen = on
        self.show(self._subject)


class ScatterView:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.large = Large(desk, "scatter", "Scatter")
        self.widget = FigureView(desk.appearance.theme, self.large)

    def show(self, subject: Subject | None) -> None:
        looked = None if subject is None else subject.looked
        figure = None if looked is None else scatter_figure(looked.overview)
        self.widget.show_figure(figure, self._desk.appearance.theme)
        self.large.show(None if looked is None else FigureContent(looked.tensors.name, lambda _: _many(looked)))


def _many(looked: Looked) -> Figure:
    return scatter_figure(looked.overview, sampled_points(looked.tensors, MANY_POINTS))


HISTOGRAM = View("histogram", "Histogram", lambda desk: HistogramView(desk, values_figure, "histogram", "Histogram"))
ERRORS = View("errors", "Errors", lambda desk: HistogramView(desk, error_figure, "errors", "Errors"))
SCATTER = View("scatter", "Scatter", ScatterView)
