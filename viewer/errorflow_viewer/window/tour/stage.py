"""Stage: what the steps of the tour need of the window."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QToolBar, QWidget

from errorflow.base.sample import SAMPLES
from errorflow.base.values import dataclass
from errorflow.explain.findings.columns import Sheet
from errorflow.run.ort import can_run
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.state import Place
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.graph_view import GraphView

SAMPLE = SAMPLES[0]


@dataclass(frozen=True, eq=False)
class TourStage:
    """Stage of one window."""

    desk: WholeDesk
    window: QMainWindow
    view: GraphView
    stack: QStackedWidget
    work: QWidget
    # The command of a key of the table of actions.
    command: Callable[[str], QAction]

    # What is there

    @property
    def culprit(self) -> int | None:
        """The number of the node that is to blame; None: the sample is not on view."""
        model = self.desk.document.model
        if model is None or model.path != SAMPLE.model:
            return None
        return model.graph.node_index(SAMPLE.truth().culprits[0])

    @property
    def worst(self) -> int | None:
        """The number of the node to which one goes first of all; None: nothing is known."""
        findings, painting = self.desk.document.state.findings, self.desk.document.session.painting
        if findings is None:
            return None
        order = Sheet(findings, painting.metric, painting.limits).worst_first
        return int(order[0]) if len(order) else None

    @property
    def is_compared(self) -> bool:
        """Whether all is known of both runs."""
        document = self.desk.document
        compared = document.state.case
        known = compared is not None and compared.complete and compared.blame is not None
        return known and document.state.findings is not None and self.culprit is not None

    @property
    def is_judged(self) -> bool:
        """Whether that is all that will be known."""
        return self.is_compared and not self.desk.jobs.running(COMPARING)

    @property
    def is_simulated(self) -> bool:
        """Whether it is known what comes of the plan on view."""
        state, simulation = self.desk.document.state, self.desk.document.session.simulation
        outcome = None if state.simulated is None else state.simulated.outcome
        known = outcome is not None and simulation is not None and outcome.plan == simulation.plan
        return known and not self.desk.studies.simulating.busy and state.findings is not None

    @property
    def can_run(self) -> bool:
        return can_run()

    @property
    def on_graph(self) -> bool:
        """Whether the graph is on view, and no page in its place."""
        return self.stack.currentWidget() is self.work

    def key_of(self, command: str) -> str:
        """The key that does it."""
        return self.command(command).shortcut().toString()

    # What is pointed at, in coordinates of the window

    def of_widget(self, widget: QWidget | None) -> QRect | None:
        if widget is None or not widget.isVisible():
            return None
        return QRect(self.window.mapFromGlobal(widget.mapToGlobal(QPoint(0, 0))), widget.size())

    def of_panel(self, key: str) -> QRect | None:
        return self.of_widget(self.window.findChild(QDockWidget, f"panel.{key}"))

    def of_verdict(self) -> QRect | None:
        return self.of_widget(self.window.findChild(VerdictBar))

    def of_verdict_link(self) -> QRect | None:
        bar = self.window.findChild(VerdictBar)
        return None if bar is None else self.of_widget(bar.page)

    def of_ticket(self) -> QRect | None:
        """The button on the page that has the verdict."""
        from errorflow_viewer.pages.verdict.page import VerdictPage

        page = self.stack.currentWidget()
        return self.of_widget(page.ticket) if isinstance(page, VerdictPage) else None

    def of_command(self, key: str) -> QRect | None:
        """Finds its button in the toolbar."""
        command = self.command(key)
        buttons = (bar.widgetForAction(command) for bar in self.window.findChildren(QToolBar))
        return self.of_widget(next((button for button in buttons if button is not None), None))

    def of_legend(self) -> QRect | None:
        canvas = self.view.canvas
        whole = self.of_widget(canvas)
        top = round(canvas.sight().height())
        if whole is None or top >= canvas.height():
            return None
        return whole.adjusted(0, top, 0, 0)

    def of_node(self, node: int | None) -> QRect | None:
        """Finds its box, as far as it is in sight."""
        shown, canvas = self.view.shown, self.view.canvas
        whole = self.of_widget(canvas)
        if shown is None or node is None or whole is None or self.desk.document.state.place != Place():
            return None
        box = shown.box_of(node)
        if box is None:
            return None
        seen = canvas.place_of(box).intersected(canvas.sight())
        return None if seen.isEmpty() else seen.toAlignedRect().translated(whole.topLeft())
