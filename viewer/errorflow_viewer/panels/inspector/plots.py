"""The views that are one plot: values, errors, candidate against reference."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from errorflow.evidence.figure import Figure
from errorflow.evidence.figures import error_figure, scatter_figure, values_figure
from errorflow.evidence.overview import Overview
from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View

Make = Callable[[Overview, bool], Figure]


class HistogramView:
    """With a switch for a logarithmic count, which is on by itself where one bar would hide all others."""

    def __init__(self, desk: Desk, make: Make) -> None:
        self._desk, self._make = desk, make
        self.widget = FigureView(desk.appearance.theme)
        self.log = QCheckBox("Logarithmic count")
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
            self.widget.show_figure(None, self._desk.appearance.theme)
            return
        log = seen.values.wants_log if self._chosen is None else self._chosen
        self.log.setChecked(log)
        self.widget.show_figure(self._make(seen, log), self._desk.appearance.theme)

    def _choose(self, on: bool) -> None:
        self._chosen = on
        self.show(self._subject)


class ScatterView:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.widget = FigureView(desk.appearance.theme)

    def show(self, subject: Subject | None) -> None:
        seen = None if subject is None or subject.looked is None else subject.looked.overview
        self.widget.show_figure(None if seen is None else scatter_figure(seen), self._desk.appearance.theme)


HISTOGRAM = View("histogram", "Histogram", lambda desk: HistogramView(desk, values_figure))
ERRORS = View("errors", "Errors", lambda desk: HistogramView(desk, error_figure))
SCATTER = View("scatter", "Scatter", ScatterView)
