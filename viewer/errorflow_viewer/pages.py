"""What fills the middle of the window: the start page, the graph with its panels, or a page in place of both."""

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from errorflow_viewer.docks import Dock, Docks
from errorflow_viewer.graph_view import GraphView
from errorflow_viewer.scaling import factor
from errorflow_viewer.settings import LAYOUT_VERSION, Settings
from errorflow_viewer.start.page import StartPage

SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


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
        self._widths = _Widths(window, docks)
        self.layout = QByteArray()

    def restore(self, settings: Settings) -> None:
        """As they were at the end of the last start; before anything is shown."""
        self.layout = settings.layout
        self._docks.begin()

    def remember(self, settings: Settings) -> None:
        """For the next start."""
        self._keep_layout()
        settings.layout = self.layout
        settings.geometry = self._window.saveGeometry()

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
        with self._docks.settling():
            if not self._window.restoreState(self.layout, LAYOUT_VERSION):
                self._docks.arrange()
        self._widths.give_back()
        self._view.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_work(self) -> None:
        self._start.refresh()
        self.show(self._start)

    def _keep_layout(self) -> None:
        if self._stack.currentWidget() is self._work:
            self.layout = self._window.saveState(LAYOUT_VERSION)
            self._widths.keep()


class _Widths:
    """How wide the panels at the sides were before larger text asked for more: so wide they are when it is small again.

    A side that its user moves meanwhile stays as it is then.
    """

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        self._window = window
        self._docks = docks
        # By side, and the size of text at which they were.
        self._own: dict[Qt.DockWidgetArea, int] = {}
        self._own_at = 0.0
        # What larger text made of them; empty: it is the same size.
        self._grown: dict[Qt.DockWidgetArea, int] = {}

    def keep(self) -> None:
        """Before the panels are hidden."""
        now = self._now()
        if not self._grown:
            self._own, self._own_at = {side: dock.width() for side, dock in now.items()}, factor()
            return
        moved = [side for side, width in self._grown.items() if side in now and now[side].width() != width]
        for side in moved:
            self._own.pop(side, None)

    def give_back(self) -> None:
        """When they are shown again."""
        if not self._own_at or (factor() == self._own_at and not self._grown):
            return
        now = self._now()
        sides = [side for side in now if side in self._own]
        self._window.resizeDocks(
            [now[side] for side in sides], [self._own[side] for side in sides], Qt.Orientation.Horizontal
        )
        layout = self._window.layout()
        if layout is not None:
            layout.activate()
        self._grown = {} if factor() == self._own_at else {side: now[side].width() for side in sides}

    def _now(self) -> dict[Qt.DockWidgetArea, Dock]:
        """At each side one of the panels there, which are all as wide."""
        return {
            side: dock
            for key, dock in self._docks.by_key.items()
            if (side := self._window.dockWidgetArea(dock)) in SIDES
            and not dock.isFloating()
            and self._docks.is_in_front(key)
        }
