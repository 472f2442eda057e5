"""What fills the middle of the window: the start page, the graph with its panels, or a page in place of both."""

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from errorflow_viewer.docks import Docks
from errorflow_viewer.graph_view import GraphView
from errorflow_viewer.settings import LAYOUT_VERSION, Settings
from errorflow_viewer.start.page import StartPage


class Pages:
    """Panels are there with the graph only; `layout` is where they are when it is shown the next time."""

    def __init__(
        self, window: QMainWindow, stack: QStackedWidget, start: StartPage, work: QWidget, view: GraphView, docks: Docks
    ) -> None:
        self._window = window
        self._stack = stack
        self._start = start
        self._work = work
        self._view = view
        self._docks = docks
        self.layout = QByteArray()

    def restore(self, settings: Settings) -> None:
        """As they were at the end of the last start; before anything is shown."""
        self.layout = settings.layout
        self._docks.begin()

    def remember(self, settings: Settings) -> None:
        """For the next start."""
        self._keep_layout()
        settings.layout = self.layout

    def follow(self, has_model: bool) -> None:
        """With a model the graph in place of the start page, and without one the start page in place of the graph."""
        if not has_model and self._stack.currentWidget() is self._work:
            self._leave_work()
        elif has_model and self._stack.currentWidget() is self._start:
            self._enter_work()

    def show(self, page: QWidget) -> None:
        """In place of the graph and its panels."""
        if self._stack.currentWidget() is self._work:
            self._keep_layout()
            self._docks.hide_all()
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self, has_model: bool) -> None:
        """Back to the graph, or where there is none to the start page."""
        if has_model:
            self._enter_work()
        else:
            self._leave_work()

    def _enter_work(self) -> None:
        self._stack.setCurrentWidget(self._work)
        if not self._window.restoreState(self.layout, LAYOUT_VERSION):
            self._docks.arrange()
        self._view.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_work(self) -> None:
        self._start.refresh()
        self.show(self._start)

    def _keep_layout(self) -> None:
        if self._stack.currentWidget() is self._work:
            self.layout = self._window.saveState(LAYOUT_VERSION)
