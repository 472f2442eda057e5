"""A plot with its row of controls above and what it has no place for below."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from errorflow.explain.inspect.figure import Figure
from errorflow_viewer.commands.copy_save.plots import add_plot
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.panels.inspector.plot import Plot
from errorflow_viewer.plots.large import Large


class FigureView(QWidget):
    """Controls are added to `controls`; the row is not there without any."""

    def __init__(self, theme: Theme, large: Large) -> None:
        super().__init__()
        self.large = large
        self.plot = Plot(theme)
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
        """What is under the pointer goes before what is always there."""
        figure = self.plot.figure
        self.notes.setText(pointed if pointed else "" if figure is None else "\n".join(figure.notes))
